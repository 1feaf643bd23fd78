/* One sweep of Gauss-Seidel over the arcs of a graph: see pagerank.py, whose Python way gives the same fixed point. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>

/* What a node hands on along each of its arcs is kept beside its rank, so that an arc costs one look at one number. */
static double swept(Py_ssize_t nodes, const int64_t *starts, const uint32_t *sources, const uint32_t *degrees,
                    double *values, double *shares, double damping, const double *start, const double *ends)
{
    double lost = 0, change = 0;
    for (Py_ssize_t node = 0; node < nodes; node++) {
        shares[node] = degrees[node] ? values[node] / degrees[node] : 0;
        if (!degrees[node])
            lost += values[node];
    }
    for (Py_ssize_t node = 0; node < nodes; node++) {
        double sum = 0, own = degrees[node] ? 0 : 1;
        for (int64_t arc = starts[node]; arc < starts[node + 1]; arc++)
            sum += shares[sources[arc]];
        double fresh = damping * (sum + lost * ends[node]) + (1 - damping) * start[node];
        lost += own * (fresh - values[node]);
        change += fabs(fresh - values[node]);
        values[node] = fresh;
        if (degrees[node])
            shares[node] = fresh / degrees[node];
    }
    return change;
}

static int longer(const Py_buffer *buffer, int64_t items, Py_ssize_t size)
{
    return items >= 0 && buffer->len / size >= items;
}

/* Somebody else may have made the graph: every arc must be there, and begin at a node. */
static int is_graph(Py_ssize_t nodes, const Py_buffer *starts, const Py_buffer *sources)
{
    const int64_t *bounds = starts->buf;
    const uint32_t *from = sources->buf;
    uint32_t last = 0;
    if (!longer(starts, nodes + 1, 8) || bounds[0] != 0 || !longer(sources, bounds[nodes], 4))
        return 0;
    for (Py_ssize_t node = 0; node < nodes; node++)
        if (bounds[node] > bounds[node + 1])
            return 0;
    for (int64_t arc = 0; arc < bounds[nodes]; arc++)
        last = from[arc] > last ? from[arc] : last;
    return bounds[nodes] == 0 || last < nodes;
}

static PyObject *sweep(PyObject *module, PyObject *arguments)
{
    Py_buffer starts, sources, degrees, values, shares, start, ends;
    double damping, change = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*w*w*dy*y*", &starts, &sources, &degrees, &values, &shares, &damping,
                          &start, &ends))
        return NULL;
    Py_ssize_t nodes = degrees.len / (Py_ssize_t)sizeof(uint32_t);
    int sound = longer(&values, nodes, 8) && longer(&shares, nodes, 8) && longer(&start, nodes, 8) &&
                longer(&ends, nodes, 8) && is_graph(nodes, &starts, &sources);
    if (sound) {
        Py_BEGIN_ALLOW_THREADS
        change = swept(nodes, starts.buf, sources.buf, degrees.buf, values.buf, shares.buf, damping, start.buf,
                       ends.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&starts);
    PyBuffer_Release(&sources);
    PyBuffer_Release(&degrees);
    PyBuffer_Release(&values);
    PyBuffer_Release(&shares);
    PyBuffer_Release(&start);
    PyBuffer_Release(&ends);
    if (!sound) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not belong to one graph");
        return NULL;
    }
    return PyFloat_FromDouble(change);
}

static PyMethodDef methods[] = {{"sweep", sweep, METH_VARARGS, "Make all ranks better once; the sum of the changes."},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_sweep", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sweep(void)
{
    return PyModule_Create(&module);
}
