/* The terms of words that were met before, in a table of bytes, so that such a word costs no object.
 *
 * What the table does not have is asked for by a call of Python. A word that finds no place near its own is not
 * remembered, so that nobody can write a page whose words all stand in each other's way.
 */

#ifndef GOSSAMER_REDUCER_TABLE_H
#define GOSSAMER_REDUCER_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { REACH = 8, SLOTS_LEAST = 1024 };
enum { LETTERS_MOST = 16 }; /* for each slot, of words that do not fit into theirs */

/* A slot is a line of the cache, for a line is what a look at the table costs. Words and stems stand there padded with
 * zeros, so that neither comparing nor copying one has to ask for its length. Where one of them is longer, both lie in
 * `letters`, and the slot has the beginning of the word. */
enum { INSIDE = 24 };
typedef struct {
    char word[INSIDE], stem[INSIDE];
    uint32_t at; /* in `letters` */
    uint32_t hash;
    uint16_t size, stem_size; /* no size when the slot is free */
    uint16_t ordered;         /* how much of the stem comes before a NUL, if there is one */
} slot;

typedef struct {
    char *at;
    size_t size, room;
} buffer;

typedef struct {
    PyObject_HEAD
    PyObject *ask;
    PyObject *pieces; /* names that have no parts whatever their capitals; NULL when names are asked for like words */
    Py_ssize_t most;
    int same_start; /* letters that a stem begins with like its word, but for capitals, where the word is ASCII */
    slot *slots;
    size_t count, room; /* room is a power of two */
    size_t turn;        /* whose place near its own a word takes that finds none free */
    buffer letters;
} stems;

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
    if (!size)
        return 1;
    if (!roomy(to, size))
        return 0;
    memcpy(to->at + to->size, from, size);
    to->size += size;
    return 1;
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
    const char *apart = memchr(letters[1], 0, sizes[1]);
    slot fresh = {.at = (uint32_t)known->letters.size, .size = (uint16_t)sizes[0], .stem_size = (uint16_t)sizes[1]};
    fresh.ordered = (uint16_t)(apart ? (size_t)(apart - letters[1]) : sizes[1]);
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

static int no_memory(void)
{
    PyErr_NoMemory();
    return 0;
}

/* Write down what Python says to a word. The call may change the table. */
static int ask(stems *known, const char *word, size_t size, buffer *to)
{
    PyObject *stem = PyObject_CallFunction(known->ask, "s#", word, (Py_ssize_t)size);
    Py_ssize_t length;
    const char *text = stem ? PyUnicode_AsUTF8AndSize(stem, &length) : NULL;
    int done = text != NULL;
    if (done && !add(to, text, (size_t)length))
        done = no_memory();
    Py_XDECREF(stem);
    return done;
}

#endif
