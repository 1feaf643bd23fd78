/* The words of a text, each replaced by its stem, with a space between: see analysis.py, whose Python way gives the same.
 *
 * Stems are remembered in a table of bytes, so that a word that was met before costs no object. What the table does not
 * have is asked for by a call of Python. A word that finds no place near its own is not remembered, so that nobody can
 * write a page whose words all stand in each other's way. Time is linear in the length of the text.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tagged/letters.h"

enum { LONGEST = 64 }; /* characters of a word; what is longer is no word but a blob, and is left out */
enum { REACH = 8, SLOTS_LEAST = 1024 };
enum { LETTERS_MOST = 16 }; /* for each slot, of words that do not fit into theirs */

/* A slot is a line of the cache, for a line is what a look at the table costs. Words and stems stand there padded with
 * zeros, so that neither comparing nor copying one has to ask for its length. Where one of them is longer, both lie in
 * `letters`, and the slot has the beginning of the word. */
enum { INSIDE = 24 };
typedef struct {
    char word[INSIDE], stem[INSIDE];
    size_t at; /* in `letters` */
    uint32_t hash;
    uint16_t size, stem_size; /* no size when the slot is free */
} slot;

typedef struct {
    char *at;
    size_t size, room;
} buffer;

typedef struct {
    PyObject_HEAD
    PyObject *ask;
    Py_ssize_t most;
    int same_start; /* a stem begins like its word, but for capitals, where the word is ASCII */
    slot *slots;
    size_t count, room; /* room is a power of two */
    size_t turn;        /* whose place near its own a word takes that finds none free */
    buffer letters;
} stems;

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

static const uint64_t PLAIN[2] = {0x03FF000000000000, 0x07FFFFFE87FFFFFE}; /* 0-9, A-Z, _ and a-z */

static inline int plain(Py_UCS4 c)
{
    return (int)(PLAIN[c >> 6] >> (c & 63) & 1);
}

static inline int roomy(buffer *to, size_t size)
{
    if (to->room - to->size >= size)
        return 1;
    size_t room = 2 * to->room + size + 64;
    char *grown = PyMem_Realloc(to->at, room);
    if (!grown)
        return 0;
    to->at = grown;
    to->room = room;
    return 1;
}

static int add(buffer *to, const char *from, size_t size)
{
    if (!roomy(to, size))
        return 0;
    memcpy(to->at + to->size, from, size);
    to->size += size;
    return 1;
}

static size_t as_utf8(Py_UCS4 c, char *to)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3F));
        to[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3F));
    to[2] = (char)(0x80 | (c >> 6 & 0x3F));
    to[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

static inline uint32_t hashed(const char *word, size_t size)
{
    uint64_t hash = size, part;
    size_t at = 0;
    do {
        memcpy(&part, word + at, 8); /* the zeros behind it are of the word, too */
        hash = (hash ^ part) * 0xBF58476D1CE4E5B9u;
        hash ^= hash >> 29;
    } while ((at += 8) < size);
    return (uint32_t)(hash ^ hash >> 32);
}

static inline int alike(const char *one, const char *other)
{
    uint64_t parts[6];
    memcpy(parts, one, INSIDE);
    memcpy(parts + 3, other, INSIDE);
    return !((parts[0] ^ parts[3]) | (parts[1] ^ parts[4]) | (parts[2] ^ parts[5]));
}

/* Where a word is, or where it could be; NULL when there is no room near its place. */
static inline slot *slot_of(const stems *known, uint32_t hash, const char *word, size_t size)
{
    for (size_t step = 0; step < REACH; step++) {
        slot *here = &known->slots[(hash + step) & (known->room - 1)];
        if (!here->size)
            return here;
        if (here->hash == hash && here->size == size && alike(here->word, word) &&
            (size <= INSIDE || memcmp(known->letters.at + here->at, word, size) == 0))
            return here;
    }
    return NULL;
}

static const char NOTHING[INSIDE];

static int grow(stems *known)
{
    slot *old = known->slots;
    size_t room = known->room;
    slot *wider = PyMem_Calloc(2 * room, sizeof(slot));
    if (!wider)
        return 0;
    known->slots = wider;
    known->room = 2 * room;
    known->count = 0;
    for (size_t number = 0; number < room; number++) {
        slot *here = old[number].size ? slot_of(known, old[number].hash, NOTHING, 0) : NULL;
        if (here) {
            *here = old[number];
            known->count++;
        }
    }
    PyMem_Free(old);
    return 1;
}

/* Put a word into a free slot; 0 when there is no memory. */
static int fill(stems *known, slot *here, const char *letters[2], const size_t sizes[2])
{
    slot fresh = {.at = known->letters.size, .size = (uint16_t)sizes[0], .stem_size = (uint16_t)sizes[1]};
    memcpy(fresh.word, letters[0], INSIDE);
    memcpy(fresh.stem, letters[1], sizes[1] <= INSIDE ? sizes[1] : INSIDE);
    fresh.hash = hashed(letters[0], sizes[0]);
    if ((sizes[0] > INSIDE || sizes[1] > INSIDE) &&
        (!add(&known->letters, letters[0], sizes[0]) || !add(&known->letters, letters[1], sizes[1])))
        return 0;
    *here = fresh;
    known->count++;
    return 1;
}

static void forget_all(stems *known)
{
    memset(known->slots, 0, known->room * sizeof(slot));
    known->count = known->letters.size = 0;
}

/* The table grows up to its limit. From then on a new word takes the place of another near by, so that the common
 * ones, which come again at once, are nearly always there. */
static int remember(stems *known, const char *word, size_t size, const char *stem, size_t stem_size)
{
    if (known->letters.size >= LETTERS_MOST * known->room)
        forget_all(known);
    if (2 * known->count >= known->room && known->room < (size_t)known->most && !grow(known))
        return 0;
    uint32_t hash = hashed(word, size);
    slot *here = slot_of(known, hash, word, size);
    if ((here && here->size) || stem_size > UINT16_MAX)
        return 1;
    if (!here) {
        here = &known->slots[(hash + known->turn++ % REACH) & (known->room - 1)];
        known->count--;
    }
    return fill(known, here, (const char *[]){word, stem}, (const size_t[]){size, stem_size});
}

/* What is done with the stems of a text: they are written down, or the places of some of them are noted. */
typedef struct {
    buffer out;
    PyObject *places; /* a list, when places are asked for: of begin, end, and which of the wanted ones it is */
    const buffer *wanted;
    Py_ssize_t count;
    const char *starts; /* for each ASCII character whether a wanted one begins with it, NULL when it tells nothing */
} sink;

static int write_down(buffer *out, const char *stem, size_t size)
{
    if (!size || (add(out, stem, size) && add(out, " ", 1)))
        return 1;
    PyErr_NoMemory();
    return 0;
}

static int note(const sink *to, const char *stem, size_t size, const Py_ssize_t place[2])
{
    for (Py_ssize_t number = 0; number < to->count; number++) {
        if (to->wanted[number].size != size || memcmp(to->wanted[number].at, stem, size) != 0)
            continue;
        PyObject *found = Py_BuildValue("nnn", place[0], place[1], number);
        int done = found && PyList_Append(to->places, found) == 0;
        Py_XDECREF(found);
        return done;
    }
    return 1;
}

/* A word that the table does not have: ask for its stem. The call may change the table. */
static int met_first(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    PyObject *stem = PyObject_CallFunction(known->ask, "s#", word, (Py_ssize_t)size);
    Py_ssize_t length;
    const char *text = stem ? PyUnicode_AsUTF8AndSize(stem, &length) : NULL;
    int done = text != NULL;
    if (done && !remember(known, word, size, text, (size_t)length)) {
        PyErr_NoMemory();
        done = 0;
    }
    if (done)
        done = to->places ? note(to, text, (size_t)length, place) : write_down(&to->out, text, (size_t)length);
    Py_XDECREF(stem);
    return done;
}

static inline int take(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    const slot *here = slot_of(known, hashed(word, size), word, size);
    if (!here || !here->size)
        return met_first(known, word, size, place, to);
    const char *stem = here->stem_size <= INSIDE ? here->stem : known->letters.at + here->at + size;
    if (to->places)
        return note(to, stem, here->stem_size, place);
    buffer *out = &to->out;
    if (here->stem_size > INSIDE || !here->stem_size || out->room - out->size <= INSIDE)
        return write_down(out, stem, here->stem_size);
    memcpy(out->at + out->size, stem, INSIDE);
    out->size += here->stem_size;
    out->at[out->size++] = ' ';
    return 1;
}

/* A word that ends at a place, and begins anew. */
static inline int ended(stems *known, char *word, size_t size, Py_ssize_t letters, Py_ssize_t end, sink *to)
{
    if (!letters)
        return 1;
    const Py_ssize_t place[2] = {end - letters, end};
    int done = letters > LONGEST || take(known, word, size, place, to);
    memset(word, 0, INSIDE);
    if (size > INSIDE)
        memset(word, 0, size);
    return done;
}

/* The last character of an ASCII word that begins here, or -1 when it is not all ASCII. */
static inline Py_ssize_t ascii_end(const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    Py_UCS4 c = 0;
    while (++at < length && (c = text[at]) < 128 && plain(c))
        ;
    return at == length || c < 128 ? at - 1 : -1;
}

static int all_words(stems *known, const Py_UCS4 *text, Py_ssize_t length, sink *to)
{
    char word[4 * LONGEST + INSIDE] = {0};
    size_t size = 0;
    Py_ssize_t letters = 0; /* of the word so far; what is too long is only counted */
    for (Py_ssize_t at = 0; at < length; at++) {
        Py_UCS4 c = text[at];
        if (c < 128 && plain(c)) {
            Py_ssize_t end = to->starts && !letters && !to->starts[c] ? ascii_end(text, length, at) : -1;
            if (end >= 0)
                at = end; /* it cannot be one of the wanted */
            else if (letters++ < LONGEST)
                word[size++] = (char)c;
            continue;
        }
        int single = c >= 0x0E00 && alone(c);
        if (c >= 128 && !single && (is_letter_or_digit(c) || clings(c))) {
            if (letters++ < LONGEST)
                size += as_utf8(c, word + size);
            continue;
        }
        if (!ended(known, word, size, letters, at, to))
            return 0;
        size = single && is_letter_or_digit(c) ? as_utf8(c, word) : 0;
        if (size && !ended(known, word, size, 1, at + 1, to))
            return 0;
        size = 0;
        letters = 0;
    }
    return ended(known, word, size, letters, length, to);
}

static int words_of(stems *known, PyObject *text, sink *to)
{
    Py_ssize_t length = PyUnicode_GetLength(text);
    Py_UCS4 *characters = PyUnicode_AsUCS4Copy(text);
    int done = characters && know_letters(characters, length) && all_words(known, characters, length, to);
    PyMem_Free(characters);
    return done;
}

static PyObject *joined(PyObject *self, PyObject *text)
{
    sink to = {{0}, NULL, NULL, 0, NULL};
    PyObject *found = NULL;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text is needed");
        return NULL;
    }
    if (words_of((stems *)self, text, &to))
        found = PyUnicode_DecodeUTF8(to.out.size ? to.out.at : "", to.out.size ? (Py_ssize_t)to.out.size - 1 : 0, NULL);
    PyMem_Free(to.out.at);
    return found;
}

static int wanted_of(PyObject *terms, Py_ssize_t count, buffer *wanted, char starts[128])
{
    for (Py_ssize_t number = 0; number < count; number++) {
        Py_ssize_t size;
        const char *term = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(terms, number), &size);
        if (!term)
            return 0;
        wanted[number] = (buffer){(char *)term, (size_t)size, 0};
        if (size && (unsigned char)term[0] < 128)
            starts[(unsigned char)term[0]] = starts[toupper((unsigned char)term[0])] = 1;
    }
    return 1;
}

static PyObject *met(PyObject *self, PyObject *arguments)
{
    PyObject *text, *terms;
    if (!PyArg_ParseTuple(arguments, "UO!", &text, &PyTuple_Type, &terms))
        return NULL;
    Py_ssize_t count = PyTuple_Size(terms);
    buffer *wanted = PyMem_Calloc((size_t)count + 1, sizeof(buffer));
    char starts[128] = {0};
    sink to = {{0}, PyList_New(0), wanted, count, ((stems *)self)->same_start ? starts : NULL};
    if (!wanted || !to.places || !wanted_of(terms, count, wanted, starts) || !words_of((stems *)self, text, &to)) {
        Py_CLEAR(to.places);
        if (!PyErr_Occurred())
            PyErr_NoMemory();
    }
    PyMem_Free(wanted);
    return to.places;
}

static PyObject *created(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *ask;
    Py_ssize_t most;
    int same_start = 0;
    static char *known_names[] = {"stem", "most", "same_start", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "On|p", known_names, &ask, &most, &same_start))
        return NULL;
    stems *self = (stems *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->ask = Py_NewRef(ask);
    self->most = most > 0 ? most : 1;
    self->same_start = same_start;
    self->room = SLOTS_LEAST;
    self->slots = PyMem_Calloc(self->room, sizeof(slot));
    if (!self->slots) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void freed(PyObject *object)
{
    stems *self = (stems *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_XDECREF(self->ask);
    PyMem_Free(self->slots);
    PyMem_Free(self->letters.at);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {{"joined", joined, METH_O, "The stems of a text, with a space between."},
                                {"met", met, METH_VARARGS, "Where words with some of the stems stand in a text."},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot type_slots[] = {{Py_tp_new, created},
                                   {Py_tp_dealloc, freed},
                                   {Py_tp_methods, methods},
                                   {0, NULL}};
static PyType_Spec type_spec = {"gossamer.index._words.Stems", sizeof(stems), 0, Py_TPFLAGS_DEFAULT, type_slots};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_words", NULL, 0, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__words(void)
{
    PyObject *found = PyModule_Create(&module), *type = PyType_FromSpec(&type_spec);
    if (!found || !type || PyModule_AddObjectRef(found, "Stems", type) < 0)
        Py_CLEAR(found);
    Py_XDECREF(type);
    return found;
}
