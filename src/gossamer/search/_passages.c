/* The compiled twin of passages.by_looking: which parts of a text have the most of a question?
 *
 * A place is three numbers, where a term begins and ends and which of the question's it is. Sums are made in the order
 * in which the twin makes them, so that both are the same to the last bit.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    int32_t begin, end, term;
} place;

typedef struct {
    place *marks; /* of the terms that weigh something */
    Py_ssize_t count, terms;
    const double *weights;
    double *covers;
    Py_ssize_t *met; /* for each term how often it is met, or in which part it was met last */
    Py_ssize_t width;
} looked;

/* What the terms tell together that stand within the width, from each place on; the most of it. */
static double cover(looked *at)
{
    Py_ssize_t last = 0;
    double total = 0, top = 0;
    for (Py_ssize_t first = 0; first < at->count; first++) {
        for (; last < at->count && (at->marks[last].end <= at->marks[first].begin + at->width || last <= first); last++)
            if (!at->met[at->marks[last].term]++)
                total += at->weights[at->marks[last].term];
        at->covers[first] = total;
        top = total > top ? total : top;
        if (!--at->met[at->marks[first].term])
            total -= at->weights[at->marks[first].term];
    }
    return top;
}

/* What begins with a place: where it ends, how many terms it has, and in `met` which. No terms when its first comes
 * again before the others have come all. */
static Py_ssize_t part_from(looked *at, Py_ssize_t first, Py_ssize_t *end)
{
    const place *begin = at->marks + first, *past = at->marks + at->count;
    Py_ssize_t terms = 1, mine = first + 1;
    bool again = false;
    *end = begin->end;
    at->met[begin->term] = mine;
    for (const place *here = begin + 1; here < past && here->end <= begin->begin + at->width; here++) {
        if (here->term == begin->term) {
            again = true;
        } else if (at->met[here->term] != mine) {
            if (again)
                return 0;
            at->met[here->term] = mine;
            terms++;
            *end = here->end > *end ? here->end : *end;
        }
    }
    return terms;
}

static PyObject *terms_of(const looked *at, Py_ssize_t mine)
{
    PyObject *found = PyList_New(0), *all = NULL;
    bool failed = found == NULL;
    for (Py_ssize_t term = 0; !failed && term < at->terms; term++) {
        PyObject *number = at->met[term] == mine ? PyLong_FromSsize_t(term) : NULL;
        failed = number ? PyList_Append(found, number) < 0 : PyErr_Occurred() != NULL;
        Py_XDECREF(number);
    }
    if (!failed)
        all = PyFrozenSet_New(found);
    Py_XDECREF(found);
    return all;
}

static bool add_part(PyObject *list, const looked *at, Py_ssize_t first, Py_ssize_t end)
{
    PyObject *terms = terms_of(at, first + 1);
    PyObject *part = terms ? Py_BuildValue("nnNd", (Py_ssize_t)at->marks[first].begin, end, terms, at->covers[first]) : NULL;
    bool done = part && PyList_Append(list, part) == 0;
    Py_XDECREF(part);
    return done;
}

/* The parts that have about as much as the best. */
static bool choose(looked *at, double least, Py_ssize_t tried_most, Py_ssize_t most, Py_ssize_t around, PyObject *list)
{
    Py_ssize_t tried = 0, compared = 0, before = -around;
    memset(at->met, 0, (size_t)at->terms * sizeof *at->met);
    for (Py_ssize_t first = 0; first < at->count && tried < tried_most && compared < most; first++) {
        if (at->covers[first] < least)
            continue;
        tried++;
        Py_ssize_t end, terms = part_from(at, first, &end);
        if (terms > 1 || (terms && at->marks[first].begin >= before + around)) {
            if (!add_part(list, at, first, end))
                return false;
            before = at->marks[first].begin;
            compared++;
        }
    }
    return true;
}

/* The weights as numbers, and the places of the terms that weigh something. */
static bool take(looked *at, double *weights, PyObject *tuple, const char *places, Py_ssize_t count)
{
    for (Py_ssize_t term = 0; term < at->terms; term++) {
        weights[term] = PyFloat_AsDouble(PyTuple_GetItem(tuple, term));
        if (weights[term] == -1 && PyErr_Occurred())
            return false;
    }
    for (Py_ssize_t number = 0; number < count; number++) {
        place here;
        memcpy(&here, places + number * (Py_ssize_t)sizeof here, sizeof here);
        if (here.term < 0 || here.term >= at->terms) {
            PyErr_SetString(PyExc_ValueError, "a place of a term that has no weight");
            return false;
        }
        if (weights[here.term] != 0)
            at->marks[at->count++] = here;
    }
    return true;
}

static PyObject *parts(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *places;
    Py_ssize_t size, width, tried, most, around;
    double slack, little;
    PyObject *tuple;
    if (!PyArg_ParseTuple(arguments, "y#O!n(ddnnn)", &places, &size, &PyTuple_Type, &tuple, &width, &slack, &little,
                          &tried, &most, &around))
        return NULL;
    Py_ssize_t count = size / (Py_ssize_t)sizeof(place), terms = PyTuple_Size(tuple);
    double *weights = PyMem_Calloc((size_t)terms + 1, sizeof *weights);
    looked at = {
        .marks = PyMem_Calloc((size_t)count + 1, sizeof(place)),
        .terms = terms,
        .weights = weights,
        .covers = PyMem_Calloc((size_t)count + 1, sizeof(double)),
        .met = PyMem_Calloc((size_t)terms + 1, sizeof(Py_ssize_t)),
        .width = width,
    };
    PyObject *list = PyList_New(0), *found = NULL;
    if (!weights || !at.marks || !at.covers || !at.met) {
        PyErr_NoMemory();
    } else if (list && take(&at, weights, tuple, places, count)) {
        double top = cover(&at);
        volatile double share = top * (1 - slack); /* rounded by itself, as in Python */
        if (choose(&at, share - little, tried, most, around, list))
            found = Py_BuildValue("dO", top, list);
    }
    Py_XDECREF(list);
    PyMem_Free(weights);
    PyMem_Free(at.marks);
    PyMem_Free(at.covers);
    PyMem_Free(at.met);
    return found;
}

PyDoc_STRVAR(parts_doc, "parts(places, weights, width, limits) -> (float, list)\n\nSee passages.by_looking.");
static PyMethodDef functions[] = {{"parts", parts, METH_VARARGS, parts_doc}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_passages", "The compiled twin of gossamer.search.passages.", 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__passages(void)
{
    return PyModuleDef_Init(&definition);
}
