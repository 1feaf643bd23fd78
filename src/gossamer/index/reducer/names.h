/* forms.py: the terms of a name in ASCII, `HTTPServer` or `utf-8`.
 *
 * Its parts are words that the table nearly always has, so a name that is met first costs one call of Python.
 */

#ifndef GOSSAMER_REDUCER_NAMES_H
#define GOSSAMER_REDUCER_NAMES_H

#include <ctype.h>

#include "table.h"

enum { LONGEST = 64 }; /* characters of a word; what is longer is no word but a blob, and is left out */
enum { CHAIN_MOST = 8, PARTS_MOST = 8 }; /* words of a chain, parts of a word */

/* The terms of a name in ASCII: see forms.py. All of them are in one buffer. */
typedef struct {
    buffer text;
    size_t ends[CHAIN_MOST * PARTS_MOST + CHAIN_MOST + 2]; /* of each term */
    size_t count, ordered;                                 /* how many there are, and how many of them are parts */
    uint8_t spans[CHAIN_MOST * PARTS_MOST][2];             /* where each part begins and ends */
    size_t parts;                                          /* how many it has, also those without a term */
} name;

static inline int lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline int upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline int digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Small letters and digits: what is left has no stem of its own. */
static int has_signs(const char *text, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (!lower(text[at]) && !digit(text[at]))
            return 1;
    return 0;
}

static int is_repeated(const name *made, size_t begin)
{
    size_t size = made->text.size - begin;
    for (size_t number = 0, from = 0; number < made->count; from = made->ends[number++])
        if (made->ends[number] - from == size && memcmp(made->text.at + from, made->text.at + begin, size) == 0)
            return 1;
    return 0;
}

/* Add the term of a text, which is padded with zeros. Parts are words like others, and are remembered; each of the
 * others is there once. */
static int add_term(stems *known, name *made, const char *text, size_t size, int part)
{
    size_t begin = made->text.size;
    const slot *here = has_signs(text, size) ? NULL : slot_of(known, hashed(text, size), text, size);
    if (has_signs(text, size)) {
        if (!add(&made->text, text, size))
            return no_memory();
    } else if (here && here->size) {
        const char *stem = here->stem_size <= INSIDE ? here->stem : known->letters.at + here->at + size;
        if (!add(&made->text, stem, here->stem_size))
            return no_memory();
    } else if (!ask(known, text, size, &made->text)) {
        return 0;
    } else {
        size_t length = made->text.size - begin;
        if (part && !remember(known, text, size, length ? made->text.at + begin : "", length))
            return no_memory();
    }
    if (made->text.size == begin || (!part && is_repeated(made, begin)))
        made->text.size = begin;
    else
        made->ends[made->count++] = made->text.size;
    return 1;
}

/* In small letters, with zeros behind. */
static int add_lower(stems *known, name *made, const char *from, size_t size, int part)
{
    char text[LONGEST + INSIDE] = {0};
    for (size_t at = 0; at < size; at++)
        text[at] = (char)tolower((unsigned char)from[at]);
    return add_term(known, made, text, size, part);
}

/* A name in one piece: without what stands between its parts. Numbers keep their dots. */
static int add_whole(stems *known, name *made, const char *from, size_t size)
{
    char text[LONGEST + INSIDE] = {0};
    size_t length = 0;
    for (size_t at = 0; at < size; at++) {
        int dotted = from[at] == '.' && at && at + 1 < size && digit(from[at - 1]) && digit(from[at + 1]);
        if (dotted || (from[at] != '.' && from[at] != '-' && from[at] != '_'))
            text[length++] = (char)tolower((unsigned char)from[at]);
    }
    return add_term(known, made, text, length, 0);
}

/* Whether a part begins here, within a run of letters and digits: see _SEAM of forms.py. */
static int is_seam(const char *run, size_t size, size_t at)
{
    if (!upper(run[at]))
        return 0;
    if (lower(run[at - 1]))
        return 1;
    int plural = at + 1 < size && run[at + 1] == 's' && !(at + 2 < size && lower(run[at + 2]));
    return at + 1 < size && lower(run[at + 1]) && !plural;
}

/* Where the parts of a word begin and end; how many there are, or more than PARTS_MOST. */
static size_t parts_of(const char *link, size_t size, size_t bounds[2 * PARTS_MOST])
{
    size_t count = 0;
    for (size_t at = 0, begin = 0; at <= size; at++) {
        int gap = at == size || link[at] == '_';
        size_t end = begin;
        while (end < size && link[end] != '_')
            end++;
        if (at > begin && (gap || is_seam(link + begin, end - begin, at - begin))) {
            if (count == PARTS_MOST)
                return count + 1;
            bounds[2 * count] = begin;
            bounds[2 * count++ + 1] = at;
            begin = at;
        }
        if (gap)
            begin = at + 1;
    }
    return count;
}

static int is_piece(const stems *known, const char *link, size_t size)
{
    char text[LONGEST];
    for (size_t at = 0; at < size; at++)
        text[at] = (char)tolower((unsigned char)link[at]);
    PyObject *word = PyUnicode_FromStringAndSize(text, (Py_ssize_t)size);
    int found = word ? PySet_Contains(known->pieces, word) : -1;
    Py_XDECREF(word);
    return found;
}

/* The parts of a word of a chain; how many, or -1 with an exception. */
static int add_parts(stems *known, name *made, const char *word, const char *link, size_t size, size_t tail)
{
    size_t bounds[2 * PARTS_MOST];
    size_t count = parts_of(link, size, bounds);
    int piece = count > 1 && count <= PARTS_MOST ? is_piece(known, link, size) : 0;
    if (piece < 0)
        return -1;
    if (piece || count > PARTS_MOST) {
        bounds[0] = 0;
        bounds[1] = size;
        count = 1;
    }
    if (count && size == 1)
        bounds[1] += tail; /* C++ and C# */
    for (size_t each = 0; each < count; each++) {
        size_t before = made->count, begin = bounds[2 * each], end = bounds[2 * each + 1];
        if (!add_lower(known, made, link + begin, end - begin, 1))
            return -1;
        made->parts++;
        if (made->count > before) {
            made->spans[before][0] = (uint8_t)(link - word + begin);
            made->spans[before][1] = (uint8_t)(link - word + end);
        }
    }
    return (int)count;
}

/* What the words of a chain are. */
typedef struct {
    size_t dot, tail;              /* characters before the first and behind the last */
    size_t links, several;         /* how many there are, and how many of them have several parts */
    size_t bounds[2 * CHAIN_MOST]; /* of these */
    int last;                      /* parts of the last */
} chain;

/* The parts of a name; 0 with an exception. */
static int add_all_parts(stems *known, name *made, const char *word, size_t size, chain *of)
{
    of->dot = word[0] == '.';
    of->tail = word[size - 1] == '#' ? 1 : word[size - 1] == '+' ? 2 : 0;
    size_t end = size - of->tail;
    for (size_t begin = of->dot, at = begin; at <= end; at++) {
        if (at < end && word[at] != '-' && word[at] != '.')
            continue;
        of->last = add_parts(known, made, word, word + begin, at - begin, at == end ? of->tail : 0);
        if (of->last < 0)
            return 0;
        if (of->last > 1) {
            of->bounds[2 * of->several] = begin;
            of->bounds[2 * of->several++ + 1] = at;
        }
        of->links++;
        begin = at + 1;
    }
    made->ordered = made->count;
    return 1;
}

/* All terms of a name. */
static int add_name(stems *known, name *made, const char *word, size_t size)
{
    chain of = {.last = 0};
    if (!add_all_parts(known, made, word, size, &of) || !made->parts)
        return !PyErr_Occurred();
    size_t dot = of.dot, tail = of.tail, end = size - tail, links = of.links, parts = made->parts;
    size_t several = of.several, *bounds = of.bounds;
    int last = of.last;
    for (size_t each = 0; each < several; each++)
        if (!add_whole(known, made, word + bounds[2 * each], bounds[2 * each + 1] - bounds[2 * each]))
            return 0;
    int alone = links == 1 && end - dot == 1; /* the sign is in the part */
    if ((links > 1 || (tail && last && !alone)) && !add_whole(known, made, word + dot, (last ? size : end) - dot))
        return 0;
    size_t first = dot;
    while (first < end && word[first] != '-' && word[first] != '.')
        first++;
    int outer = links == 1 && parts == 1 && (word[0] == '_' || word[end - 1] == '_');
    return !(dot || outer) || add_lower(known, made, word, first, 0);
}

/* The terms of a name as Python would give them: those in order, and the others behind a NUL. */
static int written(const name *made, buffer *to)
{
    for (size_t number = 0, from = 0; number < made->count; from = made->ends[number++]) {
        const char *before = number == made->ordered ? "" : " "; /* with its NUL */
        int needed = number || !made->ordered;
        if ((needed && !add(to, before, 1)) || !add(to, made->text.at + from, made->ends[number] - from))
            return no_memory();
    }
    return 1;
}

/* Whether a word has parts that are to be looked for: ASCII, with a capital that is not the first letter, or a sign. */
static int is_name(const char *word, size_t size)
{
    int found = 0;
    for (size_t at = 0; at < size; at++) {
        if ((unsigned char)word[at] >= 128)
            return 0;
        found |= !lower(word[at]) && !digit(word[at]) && (at || !upper(word[at]));
    }
    return found;
}

static int terms_of(stems *known, const char *word, size_t size, buffer *to)
{
    if (!known->pieces || !is_name(word, size))
        return ask(known, word, size, to);
    name made = {{0}, {0}, 0, 0};
    int done = add_name(known, &made, word, size) && written(&made, to);
    PyMem_Free(made.text.at);
    return done;
}

#endif
