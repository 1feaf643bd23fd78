/* The compiled twin of distinct.py: what the links of a page lead to, each address once.
 *
 * Most links are plain ASCII with nothing to mend. They are put behind the right part of the address of the page, by
 * the rules of normalize.py, and looked up among those that were met. What is not plain is asked of Python, once for
 * each spelling. So a link that leads where another has led becomes no object.
 *
 * Input is hostile: sizes are checked, every buffer grows in one place, nothing is longer than LONGEST.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tagged/buffer.h"

enum { LONGEST = 16384, NOWHERE = -1, UNMET = -2 };

/* What a byte may be part of. */
enum { NAME = 1, IN_PATH = 2, IN_QUERY = 4, IN_HOST = 8, LETTER = 16, CAPITAL_HEX = 32 };

static byte kinds[256];

static void mark(const char *which, byte kind)
{
    for (; *which != '\0'; which++)
        kinds[(byte)*which] |= kind;
}

static void fill_kinds(void)
{
    mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_~!$&()*+,;=@.-", NAME | IN_PATH | IN_QUERY);
    mark("'", NAME | IN_PATH);
    mark(":/", IN_PATH | IN_QUERY);
    mark("?", IN_QUERY);
    mark("abcdefghijklmnopqrstuvwxyz0123456789._-", IN_HOST);
    mark("abcdefghijklmnopqrstuvwxyz", LETTER);
    mark("0123456789ABCDEF", CAPITAL_HEX);
}

/* The address of the page, and the parts of it that a link may stand behind. */
typedef struct {
    const byte *at;
    size_t size, scheme, origin, directory, path; /* where each ends */
} place;

static bool is_equal(span one, const void *other, size_t size)
{
    return one.size == size && memcmp(one.at, other, size) == 0;
}

static bool begins(span text, const char *with)
{
    size_t size = strlen(with);
    return text.size >= size && memcmp(text.at, with, size) == 0;
}

static span after(span text, size_t size)
{
    return (span){text.at + size, text.size - size};
}

static size_t find(span text, byte which)
{
    const byte *found = text.size > 0 ? memchr(text.at, which, text.size) : NULL;
    return found == NULL ? text.size : (size_t)(found - text.at);
}

/* False if it is not of the form that canonical addresses have. */
static bool take_apart(place *page, span url)
{
    size_t slashes = begins(url, "http://") ? 7 : begins(url, "https://") ? 8 : 0;
    size_t origin = slashes + find(after(url, slashes), '/');
    if (slashes == 0 || origin == url.size)
        return false;
    size_t path = find(url, '?'), directory = path;
    if (path <= origin)
        return false;
    while (url.at[directory - 1] != '/')
        directory--;
    *page = (place){url.at, url.size, slashes - 2, origin, directory, path};
    return true;
}

/* An escape that stays as it is: in capitals, and of nothing that could stand for itself. */
static bool is_kept_escape(span text)
{
    if (text.size < 3 || !(kinds[text.at[1]] & CAPITAL_HEX) || !(kinds[text.at[2]] & CAPITAL_HEX))
        return false;
    byte high = text.at[1], low = text.at[2];
    switch (high) {
    case '2':
        return low != 'D' && low != 'E';
    case '3':
        return low >= 'A';
    case '4':
    case '6':
        return low == '0';
    case '5':
        return low >= 'B' && low != 'F';
    case '7':
        return low >= 'B' && low != 'E';
    default:
        return true;
    }
}

/* What follows the bytes of a kind and the escapes among them. */
static span past(span text, byte kind)
{
    while (text.size > 0) {
        if (kinds[*text.at] & kind)
            text = after(text, 1);
        else if (*text.at == '%' && is_kept_escape(text))
            text = after(text, 3);
        else
            break;
    }
    return text;
}

/* A path, with a query or without, in which nothing has to be mended. */
static bool is_plain_path(span text)
{
    text = past(text, IN_PATH);
    if (text.size > 0 && *text.at == '?')
        text = past(after(text, 1), IN_QUERY);
    return text.size == 0;
}

/* A host whose last label has letters alone, so that it is no IPv4 address, and none that begins with xn--; a path. */
static bool is_plain_place(span text)
{
    size_t size = find(text, '/');
    if (size == text.size)
        return false;
    size_t label = size;
    while (label > 0 && kinds[text.at[label - 1]] & LETTER)
        label--;
    if (label + 2 > size || label == 0 || text.at[label - 1] != '.')
        return false;
    for (size_t i = 0; i < size; i++)
        if (!(kinds[text.at[i]] & IN_HOST) || (text.at[i] == 'x' && begins(after(text, i), "xn--")))
            return false;
    return is_plain_path(after(text, size + 1));
}

static bool is_plain_name(span text)
{
    if (text.size == 0 || *text.at == '.' || !(kinds[*text.at] & NAME))
        return false;
    size_t size = 0;
    while (size < text.size && kinds[text.at[size]] & NAME)
        size++;
    return (size == text.size || text.at[size] != ':') && is_plain_path(text);
}

static bool has_dot_after_slash(span text)
{
    while (text.size > 1) {
        text = after(text, find(text, '/'));
        if (text.size < 2)
            return false;
        if (text.at[1] == '.')
            return true;
        text = after(text, 1);
    }
    return false;
}

/* How much of the page's address comes before a link, whose beginning may go; false if that is not plain to see. */
static bool is_plain(const place *page, span *href, size_t *before)
{
    if (begins(*href, "../")) {
        *before = page->directory;
        for (; begins(*href, "../"); *href = after(*href, 3)) {
            size_t above = *before - 1;
            while (above > page->origin && page->at[above - 1] != '/')
                above--;
            *before = above > page->origin ? above : page->origin + 1;
        }
        return !has_dot_after_slash(*href) && is_plain_name(*href);
    }
    if (has_dot_after_slash(*href))
        return false;
    *before = 0;
    if (begins(*href, "https://"))
        return is_plain_place(after(*href, 8));
    if (begins(*href, "http://"))
        return is_plain_place(after(*href, 7));
    *before = page->scheme;
    if (begins(*href, "//"))
        return is_plain_place(after(*href, 2));
    *before = page->origin;
    if (begins(*href, "/"))
        return is_plain_path(*href);
    *before = page->path;
    if (begins(*href, "?"))
        return past(after(*href, 1), IN_QUERY).size == 0;
    *before = href->size > 0 ? page->directory : page->size;
    return href->size == 0 || is_plain_name(*href);
}

/* Texts that were met, each with a number. */
typedef struct {
    size_t at, size;
    uint32_t hash;
    int32_t number;
} entry;

typedef struct {
    entry *slots; /* `number` is UNMET in one that is free */
    size_t mask;
} table;

static bool make_table(table *t, size_t most)
{
    size_t slots = 64;
    while (slots < 2 * most)
        slots *= 2;
    t->mask = slots - 1;
    t->slots = slots > SIZE_MAX / sizeof *t->slots ? NULL : malloc(slots * sizeof *t->slots);
    for (size_t i = 0; t->slots != NULL && i < slots; i++)
        t->slots[i].number = UNMET;
    return t->slots != NULL;
}

static uint32_t hash_of(span text)
{
    uint64_t hash = text.size, eight;
    for (; text.size >= 8; text = after(text, 8)) {
        memcpy(&eight, text.at, 8);
        hash = (hash ^ eight) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    for (; text.size > 0; text = after(text, 1))
        hash = (hash ^ *text.at) * 0x100000001B3u;
    return (uint32_t)(hash ^ (hash >> 29));
}

/* Its slot, or the free one where it belongs. At most half of them are ever taken. */
static entry *slot_of(const table *t, span text, const byte *within)
{
    uint32_t hash = hash_of(text);
    size_t at = hash & t->mask;
    while (t->slots[at].number != UNMET) {
        const entry *met = &t->slots[at];
        if (met->hash == hash && is_equal(text, within + met->at, met->size))
            break;
        at = (at + 1) & t->mask;
    }
    t->slots[at].hash = hash;
    return &t->slots[at];
}

typedef struct {
    span hrefs;
    const byte *ends, *marks; /* of each; ends are 64-bit numbers */
    size_t count;
    PyObject *otherwise; /* says where an href leads that is not plain */
    place page;
    bool placed; /* there is an address of the page */
    table urls, spellings;
    buffer written;   /* the addresses, one after the other */
    buffer bounds;    /* where each of them ends */
    buffer told;      /* of each: the last mark, and what all marks have in common */
    int32_t *numbers; /* of the address that each link leads to */
    int32_t met;
} work;

/* The number of the address that was written last, from there on; one that was met is taken away again. */
static int32_t number_of(work *w, size_t from, byte mark)
{
    if (w->written.failed)
        return NOWHERE;
    span url = {w->written.at + from, w->written.size - from};
    if (url.size == 0 || url.size > LONGEST) {
        w->written.size = from;
        return NOWHERE;
    }
    entry *slot = slot_of(&w->urls, url, w->written.at);
    if (slot->number == UNMET) {
        *slot = (entry){from, url.size, slot->hash, w->met++};
        put(&w->bounds, &w->written.size, sizeof w->written.size);
        byte told[] = {mark, mark};
        put(&w->told, told, sizeof told);
    } else {
        w->written.size = from;
    }
    return slot->number;
}

/* False for an error of Python's. */
static bool ask(work *w, span href, byte mark, int32_t *number)
{
    PyObject *said = PyUnicode_DecodeUTF8((const char *)href.at, (Py_ssize_t)href.size, "replace");
    PyObject *url = said == NULL ? NULL : PyObject_CallFunctionObjArgs(w->otherwise, said, NULL);
    Py_XDECREF(said);
    if (url == NULL)
        return false;
    *number = NOWHERE;
    if (url != Py_None) {
        Py_ssize_t size;
        const char *at = PyUnicode_AsUTF8AndSize(url, &size);
        if (at == NULL) {
            Py_DECREF(url);
            return false;
        }
        size_t from = w->written.size;
        put(&w->written, at, (size_t)size);
        *number = number_of(w, from, mark);
    }
    Py_DECREF(url);
    return true;
}

static bool ask_once(work *w, span href, byte mark, int32_t *number)
{
    entry *slot = slot_of(&w->spellings, href, w->hrefs.at);
    if (slot->number == UNMET) {
        size_t at = href.size > 0 ? (size_t)(href.at - w->hrefs.at) : 0;
        if (!ask(w, href, mark, number))
            return false;
        *slot = (entry){at, href.size, slot->hash, *number};
    }
    *number = slot->number;
    return true;
}

static bool lead(work *w, size_t link, span href)
{
    byte mark = w->marks[link];
    int32_t *number = &w->numbers[link];
    size_t before;
    span bare = {href.at, find(href, '#')};
    if (w->placed && href.size <= LONGEST && is_plain(&w->page, &bare, &before)) {
        size_t from = w->written.size;
        put(&w->written, w->page.at, before);
        put(&w->written, bare.at, bare.size);
        *number = number_of(w, from, mark);
    } else if (!ask_once(w, href, mark, number)) {
        return false;
    }
    if (*number >= 0 && !w->told.failed) {
        byte *told = w->told.at + 2 * (size_t)*number;
        told[0] = mark;
        told[1] &= mark;
    }
    return true;
}

static bool lead_all(work *w)
{
    size_t at = 0;
    for (size_t i = 0; i < w->count; i++) {
        uint64_t end;
        memcpy(&end, w->ends + i * sizeof end, sizeof end);
        if (end < at || end > w->hrefs.size) {
            PyErr_SetString(PyExc_ValueError, "the ends of the links are not in order");
            return false;
        }
        if (!lead(w, i, (span){w->hrefs.at + at, (size_t)end - at}))
            return false;
        at = (size_t)end;
    }
    if (w->written.failed || w->bounds.failed || w->told.failed) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

static PyObject *urls_tuple(const work *w)
{
    PyObject *urls = PyTuple_New(w->met);
    size_t from = 0;
    for (int32_t i = 0; urls != NULL && i < w->met; i++) {
        size_t to;
        memcpy(&to, w->bounds.at + (size_t)i * sizeof to, sizeof to);
        PyObject *url = PyUnicode_DecodeUTF8((const char *)w->written.at + from, (Py_ssize_t)(to - from), NULL);
        if (url == NULL || PyTuple_SetItem(urls, i, url) < 0)
            Py_CLEAR(urls);
        from = to;
    }
    return urls;
}

/* Every second byte of what is told of the addresses. */
static PyObject *told_bytes(const work *w, size_t which)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, w->met);
    char *at = bytes == NULL ? NULL : PyBytes_AsString(bytes);
    for (size_t i = 0; at != NULL && i < (size_t)w->met; i++)
        at[i] = (char)w->told.at[2 * i + which];
    return bytes;
}

static PyObject *result_of(const work *w)
{
    PyObject *numbers = PyBytes_FromStringAndSize((const char *)w->numbers, (Py_ssize_t)(w->count * sizeof *w->numbers));
    return Py_BuildValue("NNNN", urls_tuple(w), numbers, told_bytes(w, 0), told_bytes(w, 1));
}

static PyObject *worked(work *w)
{
    PyObject *result = NULL;
    w->numbers = malloc((w->count + 1) * sizeof *w->numbers);
    if (w->numbers == NULL || !make_table(&w->urls, w->count) || !make_table(&w->spellings, w->count))
        PyErr_NoMemory();
    else if (lead_all(w))
        result = result_of(w);
    free(w->numbers);
    free(w->urls.slots);
    free(w->spellings.slots);
    free(w->written.at);
    free(w->bounds.at);
    free(w->told.at);
    return result;
}

PyDoc_STRVAR(distinct_doc, "distinct(hrefs: bytes, ends: bytes, marks: bytes, page: str, otherwise) -> tuple\n\n"
                           "The addresses that links lead to, the number of that of each link, the last mark of each "
                           "address, and what all its marks have in common.");

static PyObject *distinct(PyObject *module, PyObject *args)
{
    (void)module;
    const char *hrefs, *ends, *marks, *page;
    Py_ssize_t hrefs_size, ends_size, marks_size, page_size;
    work w = {0};
    if (!PyArg_ParseTuple(args, "y#y#y#s#O:distinct", &hrefs, &hrefs_size, &ends, &ends_size, &marks, &marks_size, &page,
                          &page_size, &w.otherwise))
        return NULL;
    if (marks_size > INT32_MAX / 2 || ends_size != marks_size * (Py_ssize_t)sizeof(uint64_t)) {
        PyErr_SetString(PyExc_ValueError, "the columns are not of one page");
        return NULL;
    }
    w.hrefs = (span){(const byte *)hrefs, (size_t)hrefs_size};
    w.ends = (const byte *)ends;
    w.marks = (const byte *)marks;
    w.count = (size_t)marks_size;
    w.placed = take_apart(&w.page, (span){(const byte *)page, (size_t)page_size});
    return worked(&w);
}

static PyMethodDef methods[] = {{"distinct", distinct, METH_VARARGS, distinct_doc}, {NULL, NULL, 0, NULL}};

static int begin(PyObject *module)
{
    (void)module;
    fill_kinds();
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)begin}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_distinct", "The compiled twin of gossamer.urls.distinct.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__distinct(void)
{
    return PyModuleDef_Init(&definition);
}
