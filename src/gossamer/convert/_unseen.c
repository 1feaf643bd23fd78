/* Is there anything in a text that has to be mended? One look at its UTF-8, which is kept with the text for its writers.
 *
 * It answers too often rather than too seldom: whatever it does not know by its first bytes is ODD, and Python looks.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

enum { UNSEEN = 1, ODD = 2, HALF = 4, PILED = 8 };
enum { MARKS_MOST = 30 };

static inline int in(byte c, byte first, byte last)
{
    return c >= first && c <= last;
}

/* A character of two bytes. */
static inline int look_at_two(byte a, byte b)
{
    if (a <= 0xCB)
        return a == 0xC2 && b == 0xAD ? UNSEEN : 0;
    if (a == 0xD0 || a == 0xD1 || a == 0xD3 || a == 0xCF)
        return 0;
    if (a == 0xD8)
        return b == 0x9C ? UNSEEN : b >= 0xA1 ? 0 : ODD;
    if (a == 0xD7)
        return in(b, 0x90, 0xAA) ? 0 : ODD;
    if (a == 0xD9)
        return b <= 0x8A ? 0 : ODD;
    return a == 0xCE && b != 0x87 ? 0 : ODD;
}

/* One of three, of the block that has all kinds of signs. */
static inline int look_at_sign(byte b, byte c)
{
    if (b == 0x80)
        return in(c, 0x8B, 0x8F) || in(c, 0xAA, 0xAE) ? UNSEEN : c >= 0x90 ? 0 : ODD;
    if (b == 0x81)
        return c >= 0xA0 ? UNSEEN : 0;
    if (b == 0x82)
        return c >= 0xA0 ? 0 : ODD;
    return in(b, 0x86, 0x8B) || in(b, 0x94, 0x97) ? 0 : ODD;
}

static inline int look_at_three(byte a, byte b, byte c)
{
    if (in(a, 0xE5, 0xE9) || (a == 0xE4 && b >= 0xB8) || in(a, 0xEB, 0xEC) || (a == 0xEA && b >= 0xB0))
        return 0;
    if (a == 0xE2)
        return look_at_sign(b, c);
    if (a == 0xE3)
        return (b == 0x80 && c <= 0xA9) || b == 0x81 || b == 0x83 || (b == 0x82 && c != 0x99 && c != 0x9A) ? 0 : ODD;
    if (a == 0xED)
        return b <= 0x9D ? 0 : ODD;
    if (a == 0xEF)
        return (b == 0xBB && c == 0xBF) || (b == 0xBF && in(c, 0xB9, 0xBB)) ? UNSEEN : b == 0xBC || b == 0xBD ? 0 : ODD;
    return ODD;
}

static inline int look_at_four(byte a, byte b)
{
    return a == 0xF3 && b == 0xA0 ? UNSEEN : a == 0xF0 && b == 0x9F ? 0 : ODD;
}

/* Python has made it, so it is whole. */
static int look(const byte *at, const byte *end)
{
    int seen = 0, row = 0;
    const byte *odd_until = NULL;
    while (at < end) {
        uint64_t eight;
        int found = 0;
        while (end - at >= 8 && (memcpy(&eight, at, 8), (eight & 0x8080808080808080u) == 0))
            at += 8;
        while (at < end && (*at == 0xD0 || *at == 0xD1)) /* Cyrillic */
            at += 2;
        while (at < end && in(*at, 0xE5, 0xE9)) /* most of Chinese */
            at += 3;
        if (at == end)
            break;
        if (at != odd_until)
            row = 0;
        if (*at < 0x80) {
            at++;
        } else if (*at < 0xE0) {
            found = look_at_two(at[0], at[1]);
            at += 2;
        } else if (*at < 0xF0) {
            found = look_at_three(at[0], at[1], at[2]);
            at += 3;
        } else {
            found = look_at_four(at[0], at[1]);
            at += 4;
        }
        seen |= found;
        if (found & ODD) {
            odd_until = at;
            row += row <= MARKS_MOST;
            seen |= row > MARKS_MOST ? PILED : 0;
        }
    }
    return seen;
}

PyDoc_STRVAR(look_doc, "look(text) -> int\n\n1 if something in it is not seen, 2 if it may not be in normal form C, 8 if "
                       "more than 30 characters in a row may not be; 4 if there is half a character.");

static PyObject *look_of(PyObject *module, PyObject *text)
{
    (void)module;
    Py_ssize_t size;
    const char *data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        return PyLong_FromLong(HALF);
    }
    return data == NULL ? NULL : PyLong_FromLong(look((const byte *)data, (const byte *)data + size));
}

static PyMethodDef functions[] = {{"look", look_of, METH_O, look_doc}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_unseen", "The compiled part of gossamer.convert.clean.", 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__unseen(void)
{
    return PyModuleDef_Init(&definition);
}
