/* Links as columns, and as objects; see pointers.py. */

#ifndef GOSSAMER_SCANNER_COLUMNS_H
#define GOSSAMER_SCANNER_COLUMNS_H

#include <Python.h>

#include "types.h"

/* A tuple of new references, all of which it takes; NULL if one of them is. */
static PyObject *tuple_of(PyObject **items, Py_ssize_t count)
{
    PyObject *tuple = PyTuple_New(count);
    bool whole = tuple != NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        whole = whole && items[i] != NULL;
        if (tuple != NULL)
            PyTuple_SetItem(tuple, i, items[i]);
        else
            Py_XDECREF(items[i]);
    }
    if (!whole)
        Py_CLEAR(tuple);
    return tuple;
}

static bool is_nofollow(const byte *rel, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(rel + i, "nofollow", 8) == 0)
            return true;
    return false;
}

static piece field_of(const pointer *link, int which)
{
    return which == 0 ? link->href : which == 1 ? link->anchor : link->rel;
}

/* One field of all links, one after the other. */
static PyObject *texts_bytes(const findings *found, int which)
{
    size_t size = 0;
    for (size_t i = 0; i < found->linked; i++) {
        size_t more = field_of(&found->links[i], which).size;
        if (more > PY_SSIZE_T_MAX - size)
            return PyErr_NoMemory();
        size += more;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *at = bytes == NULL ? NULL : PyBytes_AsString(bytes);
    for (size_t i = 0; at != NULL && i < found->linked; i++) {
        piece text = field_of(&found->links[i], which);
        if (text.size > 0)
            memcpy(at, found->bytes.at + text.from, text.size);
        at += text.size;
    }
    return bytes;
}

/* Where the same field of each link ends there. */
static PyObject *text_ends_bytes(const findings *found, int which)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(found->linked * sizeof(int64_t)));
    char *at = bytes == NULL ? NULL : PyBytes_AsString(bytes);
    int64_t end = 0;
    for (size_t i = 0; at != NULL && i < found->linked; i++) {
        end += (int64_t)field_of(&found->links[i], which).size;
        memcpy(at + i * sizeof end, &end, sizeof end);
    }
    return bytes;
}

static PyObject *marks_bytes(const findings *found)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)found->linked);
    char *at = bytes == NULL ? NULL : PyBytes_AsString(bytes);
    for (size_t i = 0; at != NULL && i < found->linked; i++) {
        piece rel = found->links[i].rel;
        bool nofollow = rel.size > 0 && is_nofollow(found->bytes.at + rel.from, rel.size);
        at[i] = (char)(found->links[i].place | (nofollow ? MARK_NOFOLLOW : 0));
    }
    return bytes;
}

/* The fields of Pointers. */
static PyObject *links_tuple(const findings *found)
{
    PyObject *items[] = {
        texts_bytes(found, 0), text_ends_bytes(found, 0), texts_bytes(found, 1), text_ends_bytes(found, 1),
        texts_bytes(found, 2), text_ends_bytes(found, 2), marks_bytes(found),
    };
    return tuple_of(items, sizeof items / sizeof *items);
}

typedef struct {
    const char *at, *ends;
    Py_ssize_t size, ends_size;
} column;

/* The text of a link in a column; NULL if the ends are not in order. */
static PyObject *text_in(const column *c, Py_ssize_t link)
{
    int64_t from = 0, to;
    if (link > 0)
        memcpy(&from, c->ends + (link - 1) * (Py_ssize_t)sizeof from, sizeof from);
    memcpy(&to, c->ends + link * (Py_ssize_t)sizeof to, sizeof to);
    if (from < 0 || to < from || to > c->size) {
        PyErr_SetString(PyExc_ValueError, "the ends of the links are not in order");
        return NULL;
    }
    return PyUnicode_DecodeUTF8(c->at + from, (Py_ssize_t)(to - from), "replace");
}

PyDoc_STRVAR(pointers_doc, "pointers(columns, places) -> tuple\n\n"
                           "The links as tuples: address, anchor, rel and the name of the place that the mark says.");

static PyObject *pointers(PyObject *module, PyObject *args)
{
    (void)module;
    column c[3];
    const char *marks;
    Py_ssize_t count;
    PyObject *places;
    if (!PyArg_ParseTuple(args, "(y#y#y#y#y#y#y#)O!:pointers", &c[0].at, &c[0].size, &c[0].ends, &c[0].ends_size, &c[1].at,
                          &c[1].size, &c[1].ends, &c[1].ends_size, &c[2].at, &c[2].size, &c[2].ends, &c[2].ends_size, &marks,
                          &count, &PyTuple_Type, &places))
        return NULL;
    for (int i = 0; i < 3; i++)
        if (count > PY_SSIZE_T_MAX / 8 || c[i].ends_size != 8 * count) {
            PyErr_SetString(PyExc_ValueError, "the columns are not of one page");
            return NULL;
        }
    PyObject *all = PyTuple_New(count);
    for (Py_ssize_t i = 0; all != NULL && i < count; i++) {
        PyObject *place = PyTuple_GetItem(places, (byte)marks[i] & (MARK_NOFOLLOW - 1));
        PyObject *items[] = {text_in(&c[0], i), text_in(&c[1], i), text_in(&c[2], i), Py_XNewRef(place)};
        PyObject *link = tuple_of(items, 4);
        if (link == NULL || PyTuple_SetItem(all, i, link) < 0)
            Py_CLEAR(all);
    }
    return all;
}

#endif
