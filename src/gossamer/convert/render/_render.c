/* The compiled twin of page.py and what it stands on, and of tagged.plain: kept runs as tagged text and as words.
 *
 * It goes the same way as they do, over the same arrays, and writes the same bytes; tests hold it to that. A page of
 * documentation has thousands of runs, and all it takes for each is a few dozen instructions instead of a few dozen
 * objects.
 *
 * Input is an Outline, which our own scanner made: its numbers are in range. What it was made from is hostile, so
 * there is no recursion, and every buffer grows in one place.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tagged/plain.h"
#include "writer/page.h"

typedef struct {
    around around;
    kept kept;
    spots spots;
    int32_t *passed;
    void *owned[20];
    int count;
} space;

/* Memory that is zero; what was not touched is not there. */
static void *take(space *s, size_t count, size_t size)
{
    void *at = calloc(count + 1, size);
    s->owned[s->count++] = at;
    return at;
}

static bool take_all(space *s, const page *p)
{
    size_t n = (size_t)p->elements + 1, m = (size_t)p->runs;
    int32_t **by_element[] = {&s->around.blocks, &s->around.breaks, &s->around.block, &s->around.meaning, &s->passed};
    int32_t **by_run[] = {&s->kept.starts, &s->kept.ends,  &s->kept.owners, &s->kept.befores,
                          &s->kept.words,  &s->kept.steps, &s->kept.breaks};
    for (size_t i = 0; i < sizeof by_element / sizeof *by_element; i++)
        *by_element[i] = take(s, n, sizeof(int32_t));
    for (size_t i = 0; i < sizeof by_run / sizeof *by_run; i++)
        *by_run[i] = take(s, m, sizeof(int32_t));
    s->kept.parted = take(s, m, sizeof(bool));
    s->spots.all = take(s, n, sizeof(spot));
    s->spots.known = take(s, n, sizeof(bool));
    s->spots.steps = take(s, 2 * n, sizeof(step));
    for (int i = 0; i < s->count; i++)
        if (s->owned[i] == NULL)
            return false;
    return true;
}

static PyObject *string(const buffer *b)
{
    return PyUnicode_DecodeUTF8(b->size > 0 ? (const char *)b->at : "", (Py_ssize_t)b->size, NULL);
}

/* The tagged text and the words of it. Line ends before the first block are left out. */
static PyObject *both(const writing *w)
{
    buffer html = w->html, plain = {NULL, 0, 0, false};
    while (html.size > 0 && *html.at == '\n')
        html.at++, html.size--;
    put_plain(&plain, (span){html.at, html.size});
    bool failed = w->html.failed || w->line.failed || w->plain.failed || plain.failed;
    PyObject *first = failed ? PyErr_NoMemory() : string(&html);
    PyObject *second = first == NULL ? NULL : string(&plain);
    free(plain.at);
    PyObject *pair = second == NULL ? NULL : PyTuple_Pack(2, first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

static PyObject *write_page(const page *p)
{
    space s = {.count = 0};
    PyObject *found = NULL;
    if (!take_all(&s, p))
        PyErr_NoMemory();
    else {
        look_around(p, &s.around);
        keep_runs(p, &s.around, &s.kept);
        s.spots.page = p;
        s.spots.kept = &s.kept;
        for (int32_t place = 0; place < s.kept.count; place++)
            spot_at(&s.spots, s.kept.owners[place], s.passed);
        writing w = {.spots = &s.spots};
        write_all(&w);
        found = both(&w);
        free(w.html.at);
        free(w.line.at);
        free(w.plain.at);
    }
    while (s.count > 0)
        free(s.owned[--s.count]);
    return found;
}

/* Where links point to, by element. The strings belong to the dict. */
static bool read_hrefs(PyObject *hrefs, span *found, int32_t elements)
{
    PyObject *key, *value;
    Py_ssize_t at = 0, size;
    while (PyDict_Next(hrefs, &at, &key, &value)) {
        long element = PyLong_AsLong(key);
        const char *url = PyUnicode_AsUTF8AndSize(value, &size);
        if (url == NULL || (element == -1 && PyErr_Occurred()))
            return false;
        if (element >= 0 && element < elements)
            found[element] = (span){(const byte *)url, (size_t)size};
    }
    return true;
}

enum { TAGS, PARENTS, ENDS, TEXT, STARTS, OWNERS, BEFORES, COUNTS, KEEP, NAMES_OF, FLAGS_OF, PARTS };

static page page_of(const Py_buffer *parts)
{
    return (page){
        .tags = parts[TAGS].buf,
        .text = parts[TEXT].buf,
        .keep = parts[KEEP].buf,
        .names = parts[NAMES_OF].buf,
        .flags = parts[FLAGS_OF].buf,
        .parents = parts[PARENTS].buf,
        .ends = parts[ENDS].buf,
        .starts = parts[STARTS].buf,
        .owners = parts[OWNERS].buf,
        .befores = parts[BEFORES].buf,
        .counts = parts[COUNTS].buf,
        .elements = (int32_t)parts[TAGS].len,
        .runs = (int32_t)parts[KEEP].len,
    };
}

static PyObject *write_linked(page *p, PyObject *hrefs)
{
    PyObject *found = NULL;
    p->hrefs = calloc((size_t)p->elements + 1, sizeof *p->hrefs);
    if (p->hrefs == NULL)
        return PyErr_NoMemory();
    if (read_hrefs(hrefs, p->hrefs, p->elements))
        found = write_page(p);
    free(p->hrefs);
    return found;
}

PyDoc_STRVAR(written_doc, "written(parts: tuple, hrefs: dict[int, str]) -> tuple[str, str]\n\n"
                          "The tagged text of what is kept of a page, and the words of it.");

static PyObject *written(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given, *hrefs, *found = NULL;
    Py_buffer parts[PARTS];
    int held = 0;
    if (!PyArg_ParseTuple(arguments, "O!O!:written", &PyTuple_Type, &given, &PyDict_Type, &hrefs))
        return NULL;
    if (PyTuple_Size(given) != PARTS) {
        PyErr_SetString(PyExc_TypeError, "a tuple of another size was expected");
        return NULL;
    }
    while (held < PARTS && PyObject_GetBuffer(PyTuple_GetItem(given, held), parts + held, PyBUF_SIMPLE) == 0)
        held++;
    if (held == PARTS) {
        page p = page_of(parts);
        found = write_linked(&p, hrefs);
    }
    while (held > 0)
        PyBuffer_Release(parts + --held);
    return found;
}

/* How many runs stand in the elements before each, and how many kept ones come before each run. */
static void count_runs(const page *p, int32_t *runs, int32_t *kept)
{
    for (int32_t i = 0; i < p->runs; i++) {
        runs[p->owners[i] + 1]++;
        kept[i + 1] = kept[i] + p->keep[i];
    }
    for (int32_t i = 0; i < p->elements; i++)
        runs[i + 1] += runs[i];
}

/* A link is inside if one of its words is kept. One without words is if the words before and after it are. */
static bool is_inside(const page *p, const int32_t *runs, const int32_t *kept, int32_t point)
{
    if (point < 0)
        return false;
    int32_t first = first_from(p->befores, p->runs, point + 1), count = runs[p->ends[point]] - runs[point];
    if (count == 0)
        return first > 0 && first < p->runs && p->keep[first - 1] && p->keep[first];
    return kept[first + count] > kept[first];
}

enum { INSIDE_ENDS, INSIDE_OWNERS, INSIDE_BEFORES, INSIDE_POINTS, INSIDE_KEEP, INSIDE_PARTS };

static PyObject *inside_of(const Py_buffer *parts)
{
    Py_ssize_t links = parts[INSIDE_POINTS].len / 4;
    const int32_t *points = parts[INSIDE_POINTS].buf;
    page p = {
        .ends = parts[INSIDE_ENDS].buf,
        .owners = parts[INSIDE_OWNERS].buf,
        .befores = parts[INSIDE_BEFORES].buf,
        .keep = parts[INSIDE_KEEP].buf,
        .elements = (int32_t)(parts[INSIDE_ENDS].len / 4),
        .runs = (int32_t)parts[INSIDE_KEEP].len,
    };
    int32_t *runs = calloc((size_t)p.elements + p.runs + 2, sizeof *runs);
    if (runs == NULL)
        return PyErr_NoMemory();
    int32_t *kept = runs + p.elements + 1;
    PyObject *found = PyTuple_New(links);
    count_runs(&p, runs, kept);
    for (Py_ssize_t i = 0; found != NULL && i < links; i++)
        PyTuple_SetItem(found, i, PyBool_FromLong(is_inside(&p, runs, kept, points[i])));
    free(runs);
    return found;
}

PyDoc_STRVAR(inside_doc, "inside(ends, owners, befores, points, keep) -> tuple[bool, ...]\n\n"
                         "For each link whether it stands in what is kept.");

static PyObject *inside(PyObject *module, PyObject *given)
{
    (void)module;
    PyObject *found = NULL;
    Py_buffer parts[INSIDE_PARTS];
    int held = 0;
    if (PyTuple_Size(given) != INSIDE_PARTS) {
        PyErr_SetString(PyExc_TypeError, "five arrays were expected");
        return NULL;
    }
    while (held < INSIDE_PARTS && PyObject_GetBuffer(PyTuple_GetItem(given, held), parts + held, PyBUF_SIMPLE) == 0)
        held++;
    if (held == INSIDE_PARTS)
        found = inside_of(parts);
    while (held > 0)
        PyBuffer_Release(parts + --held);
    return found;
}

static PyMethodDef functions[] = {{"inside", inside, METH_VARARGS, inside_doc},
                                  {"written", written, METH_VARARGS, written_doc}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_render", "The compiled twin of gossamer.convert.render.", 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__render(void)
{
    return PyModuleDef_Init(&definition);
}
