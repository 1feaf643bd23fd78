/* The compiled twin of tagged.plain, for tagged text as this package writes it. What it does not know, Python does. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tagged/plain.h"

PyDoc_STRVAR(plain_doc, "plain(html) -> str | None\n\n"
                        "The words of tagged text; None where it has white space, references or tags of others.");
PyDoc_STRVAR(within_doc, "within(data, start, end) -> str | None\n\nThe same of a part of some bytes, in UTF-8.");

static PyObject *words_of(span html)
{
    buffer out = {NULL, 0, 0, false};
    bool known = put_plain(&out, html);
    PyObject *found = NULL;
    if (out.failed)
        PyErr_NoMemory();
    else if (known)
        found = PyUnicode_DecodeUTF8(out.size > 0 ? (const char *)out.at : "", (Py_ssize_t)out.size, NULL);
    else
        found = Py_NewRef(Py_None);
    free(out.at);
    return found;
}

static PyObject *plain_of(PyObject *module, PyObject *html)
{
    (void)module;
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(html, &size);
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) { /* half a surrogate pair */
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    return text == NULL ? NULL : words_of((span){(const byte *)text, (size_t)size});
}

static PyObject *plain_within(PyObject *module, PyObject *arguments)
{
    (void)module;
    const char *data;
    Py_ssize_t size, start, end;
    if (!PyArg_ParseTuple(arguments, "y#nn", &data, &size, &start, &end))
        return NULL;
    if (start < 0 || end < start || end > size) {
        PyErr_SetString(PyExc_ValueError, "a part of the bytes is needed");
        return NULL;
    }
    return words_of((span){(const byte *)data + start, (size_t)(end - start)});
}

static PyMethodDef functions[] = {
    {"plain", plain_of, METH_O, plain_doc},
    {"within", plain_within, METH_VARARGS, within_doc},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_plain", "The compiled twin of gossamer.tagged.plain.", 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__plain(void)
{
    return PyModuleDef_Init(&definition);
}
