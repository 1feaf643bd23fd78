/* The words of a text, each replaced by what a dictionary says: see analysis.py, whose Python way gives the same. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { LONGEST = 64 }; /* characters of a word; what is longer is no word but a blob, and is left out */

/* Scripts that put no space between words: every character is a word, and words of a query become phrases. */
static int alone(Py_UCS4 c)
{
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) ||
           (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

/* Vowel signs and accents that stand for themselves belong to their word. */
static int clings(Py_UCS4 c)
{
    return (c >= 0x0300 && c <= 0x036F) || (c >= 0x0900 && c <= 0x0DFF && c != 0x0964 && c != 0x0965);
}

static int belongs(Py_UCS4 c)
{
    if (c < 128)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    return Py_UNICODE_ISALNUM(c) || clings(c);
}

/* Append what the dictionary has for a word; its __missing__ is asked for others. 0 when that failed. */
static int append(PyObject *list, PyObject *known, PyObject *text, Py_ssize_t start, Py_ssize_t end)
{
    int kind = PyUnicode_KIND(text);
    const char *data = PyUnicode_DATA(text);
    PyObject *key = PyUnicode_FromKindAndData(kind, data + start * kind, end - start), *value;
    if (!key)
        return 0;
    value = PyDict_GetItemWithError(known, key);
    if (value)
        Py_INCREF(value);
    else if (!PyErr_Occurred())
        value = PyObject_GetItem(known, key);
    Py_DECREF(key);
    int done = value && PyList_Append(list, value) == 0;
    Py_XDECREF(value);
    return done;
}

static PyObject *words(PyObject *module, PyObject *arguments)
{
    PyObject *text, *known, *list;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "UO!", &text, &PyDict_Type, &known) || !(list = PyList_New(0)))
        return NULL;
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text), start = 0;
    for (Py_ssize_t at = 0; at <= size; at++) {
        Py_UCS4 c = at < size ? PyUnicode_READ(kind, data, at) : ' ';
        int single = c >= 0x0E00 && alone(c);
        if (!single && belongs(c))
            continue;
        if (at > start && at - start <= LONGEST && !append(list, known, text, start, at))
            goto failed;
        if (single && Py_UNICODE_ISALNUM(c) && !append(list, known, text, at, at + 1))
            goto failed;
        start = at + 1;
    }
    return list;
failed:
    Py_DECREF(list);
    return NULL;
}

static PyMethodDef methods[] = {{"words", words, METH_VARARGS, "The words of a text, each as the dictionary has it."},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_words", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__words(void)
{
    return PyModule_Create(&module);
}
