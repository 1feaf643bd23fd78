/* The words of a text, each replaced by its terms, with a space between: see words.py, whose Python way gives the same.
 *
 * Terms are remembered (`table.h`). A chain of words (`utf-8`) is looked at once before it is read, and is read as one
 * word or as many. Time is linear in the length of the text.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>

#include "reducer/characters.h"
#include "reducer/names.h"
#include "reducer/table.h"

enum { SHORT = 7 };    /* letters; a word that has fewer may be stemmed to something that begins otherwise */
enum { PASSED = 512 }; /* words that have none of the wanted terms and are remembered: they fit into the next cache */

/* What is done with the stems of a text: they are written down, or the places of some of them are noted. */
typedef struct {
    buffer out, others; /* others stand behind the whole text */
    PyObject *places;   /* a list, when places are asked for: of begin, end, and which of the wanted ones it is */
    PyObject *names;    /* which of these are words of several terms */
    const buffer *wanted;
    Py_ssize_t count;
    const char *starts; /* for each ASCII character whether a wanted one begins with it, NULL when it tells nothing */
    const uint32_t *seconds; /* the same for what follows, a bit for each; NULL when that tells nothing */
    char (*passed)[INSIDE];
} sink;

static int write_down(buffer *out, const char *stem, size_t size)
{
    return !size || (add(out, stem, size) && add(out, " ", 1)) || no_memory();
}

static int write_all(sink *to, const char *stem, size_t size, size_t ordered)
{
    return write_down(&to->out, stem, ordered) &&
           (ordered == size || write_down(&to->others, stem + ordered + 1, size - ordered - 1));
}

/* Which of the wanted terms it is; -1 for none. */
static Py_ssize_t number_of(const sink *to, const char *term, size_t size)
{
    for (Py_ssize_t number = 0; size && number < to->count; number++)
        if (to->wanted[number].size == size && memcmp(to->wanted[number].at, term, size) == 0)
            return number;
    return -1;
}

/* The first of some terms that is wanted; -1 for none. */
static Py_ssize_t first_wanted(const sink *to, const char *stem, size_t size)
{
    for (size_t begin = 0, end = 0; end <= size; end++) {
        if (end < size && stem[end] != ' ' && stem[end] != 0)
            continue;
        Py_ssize_t number = number_of(to, stem + begin, end - begin);
        if (number >= 0)
            return number;
        begin = end + 1;
    }
    return -1;
}

static PyObject *numbers(Py_ssize_t begin, Py_ssize_t end, Py_ssize_t number)
{
    const Py_ssize_t values[3] = {begin, end, number};
    PyObject *found = PyTuple_New(3);
    for (int at = 0; found && at < 3; at++) {
        PyObject *value = PyLong_FromSsize_t(values[at]);
        if (!value || PyTuple_SetItem(found, at, value) < 0) /* it takes the value, whatever happens */
            Py_CLEAR(found);
    }
    return found;
}

static int append(PyObject *list, PyObject *item)
{
    int done = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return done;
}

/* A place is noted once, with the first of its terms that is wanted. */
static int note(const sink *to, const char *stem, size_t ordered, Py_ssize_t number, const Py_ssize_t place[2])
{
    if (memchr(stem, ' ', ordered) && !append(to->names, PyLong_FromSsize_t(PyList_Size(to->places))))
        return 0;
    return append(to->places, numbers(place[0], place[1], number));
}

/* A word that the table does not have. */
static int met_first(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    buffer found = {0};
    int done = terms_of(known, word, size, &found);
    const char *text = found.size ? found.at : "";
    if (done && !remember(known, word, size, text, found.size))
        done = no_memory();
    const char *apart = memchr(text, 0, found.size);
    size_t ordered = apart ? (size_t)(apart - text) : found.size;
    if (done && to->places) {
        Py_ssize_t number = first_wanted(to, text, found.size);
        done = number < 0 || note(to, text, ordered, number, place);
    } else if (done)
        done = write_all(to, text, found.size, ordered);
    PyMem_Free(found.at);
    return done;
}

static inline int take(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    uint32_t hash = hashed(word, size);
    char *passed = to->places && size <= INSIDE ? to->passed[hash % PASSED] : NULL;
    if (passed && alike(passed, word))
        return 1;
    const slot *here = slot_of(known, hash, word, size);
    if (!here || !here->size)
        return met_first(known, word, size, place, to);
    const char *stem = here->stem_size <= INSIDE ? here->stem : known->letters.at + here->at + size;
    if (to->places) {
        Py_ssize_t number = first_wanted(to, stem, here->stem_size);
        if (number < 0 && passed)
            memcpy(passed, word, INSIDE);
        return number < 0 || note(to, stem, here->ordered, number, place);
    }
    buffer *out = &to->out;
    if (here->ordered != here->stem_size || here->stem_size > INSIDE || !here->stem_size ||
        out->room - out->size <= INSIDE)
        return write_all(to, stem, here->stem_size, here->ordered);
    memcpy(out->at + out->size, stem, INSIDE);
    out->size += here->stem_size;
    out->at[out->size++] = ' ';
    return 1;
}

/* What is being read. */
typedef struct {
    char word[4 * LONGEST + INSIDE];
    size_t size;
    Py_ssize_t begin, last; /* where it begins, or -1, and where the last word of a chain does */
    int chained;
    Py_ssize_t apart; /* where a chain ends whose words stand alone */
} reading;

static inline void grows(reading *now, Py_ssize_t at, Py_UCS4 c)
{
    if (now->begin < 0)
        now->begin = now->last = at;
    if (at - now->begin < LONGEST)
        now->size += as_utf8(c, now->word + now->size);
}

/* The same for all ASCII that follows; where it ends. */
static inline Py_ssize_t grows_on(reading *now, const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    if (now->begin < 0)
        now->begin = now->last = at;
    size_t size = now->size;
    for (Py_ssize_t most = now->begin + LONGEST; at < length && text[at] < 128 && plain(text[at]); at++)
        if (at < most)
            now->word[size++] = (char)text[at];
    now->size = size;
    return at;
}

/* A word that ends at a place, and begins anew. */
static inline int ended(stems *known, reading *now, Py_ssize_t end, sink *to)
{
    const Py_ssize_t place[2] = {now->begin, end};
    int done = end - now->begin > LONGEST || take(known, now->word, now->size, place, to);
    memset(now->word, 0, INSIDE);
    if (now->size > INSIDE)
        memset(now->word, 0, now->size);
    now->size = 0;
    now->begin = -1;
    now->chained = 0;
    return done;
}

/* Whether a word goes on behind this sign. */
static inline int links(const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    return at + 1 < length && connector(text[at]) && in_word(text[at + 1]);
}

/* The last character of an ASCII word that begins here, or -1 when it may give other terms than one that begins so. */
static inline Py_ssize_t simple_end(const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    Py_UCS4 c = text[at];
    if (c == '_')
        return -1;
    while (++at < length && (c = text[at]) < 128 && plain(c) && c != '_' && (c < 'A' || c > 'Z'))
        ;
    if (at == length)
        return at - 1;
    return c < 128 && !plain(c) && c != '+' && c != '#' && !links(text, length, at) ? at - 1 : -1;
}

static inline uint32_t letter_bit(Py_UCS4 c)
{
    return (uint32_t)1 << (c & 31);
}

/* May the ASCII word from here to its last character give a wanted term? Its second letter stays as well, but for short
 * words such as dying. */
static inline int may_be_wanted(const sink *to, const Py_UCS4 *text, Py_ssize_t at, Py_ssize_t last)
{
    if (!to->starts[text[at]])
        return 0;
    if (!to->seconds || last == at || to->seconds[text[at] & 31] & letter_bit(text[at + 1]))
        return 1;
    Py_UCS4 c = text[last];
    return last - at < SHORT - 1 && (c == 'd' || c == 'g' || c == 's' || c == 'y');
}

/* The last character of a word that begins here and gives none of the wanted terms; -1 when it is not known. */
static inline Py_ssize_t passed_over(const sink *to, const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    Py_UCS4 next = at + 1 < length ? text[at + 1] : 0;
    if (to->starts[text[at]] && (!to->seconds || to->seconds[text[at] & 31] & letter_bit(next)))
        return -1; /* most of those that are wanted */
    Py_ssize_t last = simple_end(text, length, at);
    return last >= 0 && !may_be_wanted(to, text, at, last) ? last : -1;
}

/* How many characters behind a word belong to it. */
static Py_ssize_t tail(const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t last, Py_ssize_t at)
{
    if (at + 1 < length && text[at] == '+' && text[at + 1] == '+')
        return at + 2 == length || text[at + 2] != '+' ? 2 : 0;
    int letter = at - last == 1 && text[last] < 128 && isalpha((int)text[last]);
    return letter && at < length && text[at] == '#' && (at + 1 == length || !in_word(text[at + 1]));
}

/* Whether the chain whose first word ends here is a name. If it is none, its words stand alone. */
static int is_chain(reading *now, const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at)
{
    int words = 1;
    Py_ssize_t last = now->last;
    while (links(text, length, at)) {
        words += words <= CHAIN_MOST;
        last = ++at;
        while (at < length && (in_word(text[at]) || unseen(text[at])))
            at++;
    }
    int whole = words <= CHAIN_MOST && at + tail(text, length, last, at) - now->begin <= LONGEST;
    now->apart = whole ? now->apart : at;
    return whole;
}

/* Go on behind a word that ends before this place; where to, or -1 with an exception. */
static Py_ssize_t behind(stems *known, reading *now, const Py_UCS4 *text, Py_ssize_t length, Py_ssize_t at, sink *to)
{
    if (at >= now->apart && links(text, length, at) && (now->chained || is_chain(now, text, length, at))) {
        now->chained = 1;
        now->last = at + 1;
        now->word[now->size++] = connector(text[at]);
        return at + 1;
    }
    Py_ssize_t end = at + tail(text, length, now->last, at);
    for (; at < end; at++)
        grows(now, at, text[at]);
    return ended(known, now, end, to) ? end : -1;
}

static int all_words(stems *known, const Py_UCS4 *text, Py_ssize_t length, sink *to)
{
    reading now = {{0}, 0, -1, -1, 0, 0};
    for (Py_ssize_t at = 0; at < length; at++) {
        Py_UCS4 c = text[at];
        if (c < 128 && plain(c)) {
            Py_ssize_t last = to->starts && now.begin < 0 ? passed_over(to, text, length, at) : -1;
            at = last >= 0 ? last : grows_on(&now, text, length, at) - 1;
            continue;
        }
        if (c >= 128 && in_word(c)) {
            grows(&now, at, c);
            continue;
        }
        if (now.begin >= 0 && c < 128 && !joins(c)) {
            if (!ended(known, &now, at, to))
                return 0;
        } else if (now.begin >= 0) {
            if (c >= 128 && unseen(c))
                continue;
            Py_ssize_t next = behind(known, &now, text, length, at, to);
            if (next < 0)
                return 0;
            if (next > at) {
                at = next - 1;
                continue;
            }
        }
        if (c == '.' && at + 1 < length && text[at + 1] < 128 && isalpha((int)text[at + 1]) &&
            (!at || opens(text[at - 1]))) {
            grows(&now, at, c);
            now.last = at + 1;
        } else if (c >= 0x0E00 && alone(c) && is_letter_or_digit(c)) {
            grows(&now, at, c);
            if (!ended(known, &now, at + 1, to))
                return 0;
        }
    }
    return now.begin < 0 || behind(known, &now, text, length, length, to) >= 0;
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
    sink to = {.places = NULL};
    PyObject *found = NULL;
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text is needed");
        return NULL;
    }
    if (words_of((stems *)self, text, &to)) {
        int both = to.out.size && to.others.size;
        if ((both && !add(&to.out, "\0 ", 2)) || (to.others.size && !add(&to.out, to.others.at, to.others.size)))
            PyErr_NoMemory();
        else
            found = PyUnicode_DecodeUTF8(to.out.size ? to.out.at : "", to.out.size ? (Py_ssize_t)to.out.size - 1 : 0, NULL);
    }
    PyMem_Free(to.out.at);
    PyMem_Free(to.others.at);
    return found;
}

/* With what letters do wanted terms begin? */
typedef struct {
    char first[128];
    uint32_t second[32]; /* by the first letter, a bit for each */
} beginnings;

static int wanted_of(PyObject *terms, Py_ssize_t count, buffer *wanted, beginnings *with)
{
    for (Py_ssize_t number = 0; number < count; number++) {
        Py_ssize_t size;
        const char *term = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(terms, number), &size);
        if (!term)
            return 0;
        wanted[number] = (buffer){(char *)term, (size_t)size, 0};
        unsigned char c = size ? (unsigned char)term[0] : 128;
        if (c >= 128)
            continue;
        with->first[c] = with->first[toupper(c)] = 1;
        with->second[c & 31] |= size > 1 ? letter_bit((unsigned char)term[1]) : UINT32_MAX;
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
    char passed[PASSED][INSIDE] = {{0}};
    beginnings with = {{0}, {0}};
    int same = ((stems *)self)->same_start;
    sink to = {.places = PyList_New(0),
               .names = PyList_New(0),
               .wanted = wanted,
               .count = count,
               .starts = same > 0 ? with.first : NULL,
               .seconds = same > 1 ? with.second : NULL,
               .passed = passed};
    PyObject *found = NULL;
    if (wanted && to.places && to.names && wanted_of(terms, count, wanted, &with) &&
        words_of((stems *)self, text, &to))
        found = PyTuple_Pack(2, to.places, to.names);
    if (!found && !PyErr_Occurred())
        PyErr_NoMemory();
    Py_XDECREF(to.places);
    Py_XDECREF(to.names);
    PyMem_Free(wanted);
    return found;
}

static PyObject *created(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    PyObject *ask, *pieces = Py_None;
    Py_ssize_t most;
    int same_start = 0;
    static char *known_names[] = {"stem", "most", "same_start", "pieces", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "On|iO", known_names, &ask, &most, &same_start, &pieces))
        return NULL;
    if (pieces != Py_None && !PyFrozenSet_Check(pieces)) {
        PyErr_SetString(PyExc_TypeError, "a frozenset of names is needed");
        return NULL;
    }
    stems *self = (stems *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    self->ask = Py_NewRef(ask);
    self->pieces = pieces == Py_None ? NULL : Py_NewRef(pieces);
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
    Py_XDECREF(self->pieces);
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
