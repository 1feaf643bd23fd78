/* The compiled twin of scan.py: what an HTML page says, read in one pass without building its tree.
 *
 * It follows the HTML standard's tokenizer and as much of its tree construction as is needed to know what a tree
 * would say: which elements are open, which formatting is opened again, where implied ends are. Where a page needs
 * more than that (what leaves a table, frames), or holds what is not valid UTF-8, it gives up and the page is read by
 * way of the tree. So it never differs from that, and tests hold it to it. It reads a page of very many tags as a
 * whole, though, where defuse.py has to cut it into pieces.
 *
 * Input is hostile. There is no recursion, every buffer grows in one place, and the number of open elements is bounded,
 * so that time is linear.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "scanner/columns.h"
#include "scanner/counting.h"
#include "scanner/tokens.h"

static bool is_continued(const byte *at, const byte *end, int count)
{
    if (end - at <= count)
        return false;
    for (int i = 1; i <= count; i++)
        if ((at[i] & 0xC0) != 0x80)
            return false;
    return true;
}

/* How many bytes the UTF-8 of a character takes that is not ASCII; 0 if it is not valid. */
static int character_size(const byte *at, const byte *end)
{
    byte lead = at[0];
    int more = lead >= 0xC2 && lead < 0xE0 ? 1 : (lead & 0xF0) == 0xE0 ? 2 : lead >= 0xF0 && lead < 0xF5 ? 3 : 0;
    if (more == 0 || !is_continued(at, end, more))
        return 0;
    byte second = at[1];
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
        return 0;
    return more + 1;
}

static bool is_utf8(span data)
{
    const byte *at = data.at, *end = data.at + data.size;
    while (at < end) {
        uint64_t eight;
        while (end - at >= 8 && (memcpy(&eight, at, 8), (eight & 0x8080808080808080u) == 0))
            at += 8;
        while (at < end && *at < 0x80)
            at++;
        while (at < end && *at >= 0x80) {
            int size = character_size(at, end);
            if (size == 0)
                return false;
            at += size;
        }
    }
    return true;
}

static bool has_byte(span data, byte which)
{
    return data.size > 0 && memchr(data.at, which, data.size) != NULL;
}

/* Line ends as the standard has them: a carriage return, with a line feed or without, is a line feed. */
static span with_plain_line_ends(span data, byte *copy)
{
    size_t size = 0;
    for (size_t i = 0; i < data.size; i++) {
        byte c = data.at[i];
        if (c == '\r') {
            c = '\n';
            i += i + 1 < data.size && data.at[i + 1] == '\n';
        }
        copy[size++] = c;
    }
    return (span){copy, size};
}

/* Zero bytes are treated differently in different places; the other is a mark in text.py. */
static bool is_unreadable(span data)
{
    return has_byte(data, '\0') || has_byte(data, '\2') || !is_utf8(data);
}

static enum verdict scan_page(findings *found, span data)
{
    if (is_unreadable(data))
        return ODD;
    byte *copy = NULL;
    scanner *s = malloc(sizeof *s);
    if (s == NULL)
        return NO_MEMORY;
    if (has_byte(data, '\r')) {
        copy = malloc(data.size);
        if (copy == NULL) {
            free(s);
            return NO_MEMORY;
        }
        data = with_plain_line_ends(data, copy);
    }
    scan_document(s, found, data);
    enum verdict verdict = s->verdict;
    found->linked_to = PY_SSIZE_T_MAX;
    if (copy == NULL && found->linked_at != NULL) {
        found->linked_from = found->linked_at - data.at;
        found->linked_to = found->linked_end - data.at;
    }
    let_go(s);
    free(s);
    free(copy);
    return verdict;
}

static PyObject *string(const findings *found, piece text)
{
    return PyUnicode_DecodeUTF8(text.size > 0 ? (const char *)found->bytes.at + text.from : "", (Py_ssize_t)text.size,
                                NULL);
}

/* Only Python knows the small letters of all scripts. */
static PyObject *lower_string(const findings *found, piece text)
{
    PyObject *written = string(found, text);
    PyObject *small = written == NULL ? NULL : PyObject_CallMethod(written, "lower", NULL);
    Py_XDECREF(written);
    return small;
}

static PyObject *metas_tuple(const findings *found)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)found->metas_found);
    for (size_t i = 0; tuple != NULL && i < found->metas_found; i++) {
        PyObject *items[] = {lower_string(found, found->metas[i].name), string(found, found->metas[i].content)};
        PyObject *pair = tuple_of(items, 2);
        if (pair == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)i, pair) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *bytes_of(const buffer *b)
{
    return PyBytes_FromStringAndSize(b->size > 0 ? (const char *)b->at : "", (Py_ssize_t)b->size);
}

/* An empty bytes object for so many numbers, and where they go. */
static PyObject *room_for(size_t count, int32_t **at)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof **at));
    *at = bytes == NULL ? NULL : (int32_t *)(void *)PyBytes_AsString(bytes);
    return bytes;
}

/* For each element the number after that of its last descendant. */
static PyObject *ends_bytes(const outline *o)
{
    const int32_t *parents = numbers(&o->parents);
    int32_t *ends, count = (int32_t)o->tags.size;
    PyObject *bytes = room_for(o->tags.size, &ends);
    if (bytes == NULL)
        return NULL;
    for (int32_t i = 0; i < count; i++)
        ends[i] = i + 1;
    for (int32_t i = count - 1; i > 0; i--)
        if (parents[i] >= 0 && ends[parents[i]] < ends[i])
            ends[parents[i]] = ends[i];
    return bytes;
}

static PyObject *starts_bytes(const outline *o)
{
    int32_t *starts;
    PyObject *bytes = room_for(count_of(&o->starts) + 1, &starts);
    if (bytes == NULL)
        return NULL;
    if (o->starts.size > 0)
        memcpy(starts, o->starts.at, o->starts.size);
    starts[count_of(&o->starts)] = (int32_t)o->text.size;
    return bytes;
}

static PyObject *counts_bytes(const outline *o)
{
    size_t runs = count_of(&o->starts);
    int32_t *rows;
    PyObject *bytes = room_for(COUNTED * runs, &rows);
    if (bytes == NULL)
        return NULL;
    for (size_t i = 0; i < runs; i++) {
        size_t from = (size_t)numbers(&o->starts)[i];
        size_t to = i + 1 < runs ? (size_t)numbers(&o->starts)[i + 1] : o->text.size;
        count_run(o->text.at + from, o->text.at + to, rows + COUNTED * i);
    }
    return bytes;
}

static PyObject *points_bytes(const findings *found)
{
    int32_t *points;
    PyObject *bytes = room_for(found->linked, &points);
    for (size_t i = 0; bytes != NULL && i < found->linked; i++)
        points[i] = found->links[i].where;
    return bytes;
}

/* The fields of an Outline. */
static PyObject *outline_tuple(const findings *found)
{
    const outline *o = &found->outline;
    PyObject *items[] = {
        bytes_of(&o->tags),   bytes_of(&o->parents), ends_bytes(o),   bytes_of(&o->text),  starts_bytes(o),
        bytes_of(&o->owners), bytes_of(&o->befores), counts_bytes(o), bytes_of(&o->names), bytes_of(&o->named),
        points_bytes(found),  bytes_of(&o->notes),   bytes_of(&o->note_starts), bytes_of(&o->noted),
    };
    return tuple_of(items, sizeof items / sizeof *items);
}

static PyObject *findings_tuple(const findings *found)
{
    const buffer *text = &found->text;
    PyObject *items[] = {
        string(found, found->title),
        PyUnicode_DecodeUTF8(text->size > 0 ? (const char *)text->at : "", (Py_ssize_t)text->size, NULL),
        links_tuple(found),
        PyBool_FromLong(found->links_cut),
        found->based ? string(found, found->base) : Py_NewRef(Py_None),
        metas_tuple(found),
        string(found, found->language),
        PyLong_FromUnsignedLong(found->hints),
        Py_BuildValue("(nn)", found->linked_from, found->linked_to),
        found->outlined ? outline_tuple(found) : Py_NewRef(Py_None),
    };
    return tuple_of(items, sizeof items / sizeof *items);
}

static void let_findings_go(findings *found)
{
    outline *o = &found->outline;
    buffer *owned[] = {&found->bytes, &found->text, &o->tags,    &o->parents, &o->text,
                       &o->starts,    &o->owners,   &o->befores, &o->names,   &o->named,
                       &o->notes,     &o->note_starts, &o->noted};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]->at);
    free(found->links);
    free(found);
}

PyDoc_STRVAR(scan_doc, "scan(data: bytes, links_most: int, outlined: bool) -> tuple | None\n\n"
                       "The fields of a Scan of a page in UTF-8, with its outline or without. None for a page that needs a tree.");

static PyObject *scan(PyObject *module, PyObject *args)
{
    (void)module;
    const char *data;
    Py_ssize_t size, links_most;
    int outlined;
    if (!PyArg_ParseTuple(args, "y#np:scan", &data, &size, &links_most, &outlined))
        return NULL;
    findings *found = calloc(1, sizeof *found);
    if (found == NULL)
        return PyErr_NoMemory();
    found->links_most = links_most > 0 ? (size_t)links_most : 0;
    found->outlined = outlined != 0;
    PyObject *result;
    switch (scan_page(found, (span){(const byte *)data, (size_t)size})) {
    case FINE:
        result = findings_tuple(found);
        break;
    case ODD:
        result = Py_NewRef(Py_None);
        break;
    default:
        result = PyErr_NoMemory();
    }
    let_findings_go(found);
    return result;
}

static int add_entity(PyObject *name, PyObject *value)
{
    Py_ssize_t name_size, value_size;
    const char *name_bytes = PyUnicode_AsUTF8AndSize(name, &name_size);
    const char *value_bytes = PyUnicode_AsUTF8AndSize(value, &value_size);
    if (name_bytes == NULL || value_bytes == NULL)
        return -1;
    if (name_size < 1 || name_size > ENTITY_NAME_MOST || value_size > ENTITY_VALUE_MOST) {
        PyErr_SetString(PyExc_ImportError, "a character reference of html.entities is too long");
        return -1;
    }
    entity *slot = entity_slot((const byte *)name_bytes, (size_t)name_size);
    memcpy(slot->name, name_bytes, (size_t)name_size);
    memcpy(slot->value, value_bytes, (size_t)value_size);
    slot->name_size = (byte)name_size;
    slot->value_size = (byte)value_size;
    return 0;
}

/* Python has the standard's table of character references, so we need no other. */
static int fill_entities(void)
{
    PyObject *module = PyImport_ImportModule("html.entities");
    PyObject *table = module == NULL ? NULL : PyObject_GetAttrString(module, "html5");
    Py_XDECREF(module);
    int done = table == NULL || !PyDict_Check(table) || PyDict_Size(table) >= ENTITY_SLOTS ? -1 : 0;
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (done == 0 && PyDict_Next(table, &position, &name, &value))
        done = add_entity(name, value);
    Py_XDECREF(table);
    if (done < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ImportError, "html.entities has no table of character references");
    return done;
}

static int fill(PyObject *module)
{
    (void)module;
    fill_tag_slots();
    fill_ascii_counts();
    return fill_entities();
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_VARARGS, scan_doc}, {"pointers", pointers, METH_VARARGS, pointers_doc}, {NULL, NULL, 0, NULL}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_scan", "The compiled twin of gossamer.convert.html.scan.", 0, methods, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__scan(void)
{
    return PyModuleDef_Init(&definition);
}
