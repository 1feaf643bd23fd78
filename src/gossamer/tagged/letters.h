/* Which characters are letters or digits? Those that Python says are: str.isalnum, remembered for 256 at a time.
 *
 * Python's own tables are not part of the limited API, and a look at what is remembered costs less than one at them.
 */

#ifndef GOSSAMER_TAGGED_LETTERS_H
#define GOSSAMER_TAGGED_LETTERS_H

#include <stdbool.h>
#include <stdlib.h>

enum { LETTERS_BITS = 8, LETTERS_BLOCK = 1 << LETTERS_BITS, LETTERS_BLOCKS = 0x110000 >> LETTERS_BITS };

static bool *letters_known[LETTERS_BLOCKS]; /* filled as they are met */

/* Whether Python holds it for one; below 0 with an exception. */
static int ask_letter(Py_UCS4 c)
{
    PyObject *text = PyUnicode_FromOrdinal((int)c);
    PyObject *answer = text == NULL ? NULL : PyObject_CallMethod(text, "isalnum", NULL);
    int is_letter = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(text);
    Py_XDECREF(answer);
    return is_letter;
}

/* All of a block; NULL with an exception. */
static const bool *learn_letters(Py_UCS4 block)
{
    bool *known = malloc(LETTERS_BLOCK * sizeof *known);
    for (int i = 0; known != NULL && i < LETTERS_BLOCK; i++) {
        int is_letter = ask_letter(block << LETTERS_BITS | (Py_UCS4)i);
        if (is_letter < 0) {
            free(known);
            return NULL;
        }
        known[i] = is_letter != 0;
    }
    if (known == NULL)
        PyErr_NoMemory();
    return letters_known[block] = known;
}

/* Whatever is in a text, so that nothing can fail when it is asked for. False with an exception. */
static bool know_letters(const Py_UCS4 *text, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length; i++)
        if (text[i] >= 0x80 && letters_known[text[i] >> LETTERS_BITS] == NULL &&
            learn_letters(text[i] >> LETTERS_BITS) == NULL)
            return false;
    return true;
}

/* Of a character that is not ASCII. */
static inline bool is_letter_or_digit(Py_UCS4 c)
{
    return letters_known[c >> LETTERS_BITS][c & (LETTERS_BLOCK - 1)];
}

#endif
