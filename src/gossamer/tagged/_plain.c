/* The compiled twin of tagged.plain, for tagged text as this package writes it. What it does not know, Python does. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tagged/plain.h"

PyDoc_STRVAR(plain_doc, "plain(html) -> str | None\n\n"
                        "The words of tagged text; None where it has white space, references or tags of others.");

static PyObject *plain_of(PyObject *module, PyObject *html)
{
    (void)module;
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(html, &size);
    buffer out = {NULL, 0, 0, false};
    if (text == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) { /* half a surrogate pair */
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    if (text == NULL)
        return NULL;
    bool known = put_plain(&out, (span){(const byte *)text, (size_t)size});
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

static PyMethodDef functions[] = {{"plain", plain_of, METH_O, plain_doc}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_plain", "The compiled twin of gossamer.tagged.plain.", 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__plain(void)
{
    return PyModuleDef_Init(&definition);
}
