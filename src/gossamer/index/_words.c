/* The words of a text, each replaced by its terms, with a space between: see words.py, whose Python way gives the same.
 *
 * Terms are remembered in a table of bytes, so that a word that was met before costs no object. What the table does not
 * have is asked for by a call of Python. A word that finds no place near its own is not remembered, so that nobody can
 * write a page whose words all stand in each other's way. A chain of words (`utf-8`) is looked at once before it is read,
 * and is read as one word or as many. Time is linear in the length of the text.
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
enum { CHAIN_MOST = 8, PARTS_MOST = 8 }; /* words of a chain, parts of a word */
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

/* Left out of a word: what is not seen, and points of Hebrew and Arabic. */
static int unseen(Py_UCS4 c)
{
    if (c < 0x0591)
        return c == 0xAD;
    if (c < 0x0700)
        return (c <= 0x05C7 && c != 0x05BE && c != 0x05C0 && c != 0x05C3 && c != 0x05C6) || c == 0x061C ||
               (c >= 0x064B && c <= 0x065F) || c == 0x0670 || (c >= 0x06D6 && c <= 0x06DC) ||
               (c >= 0x06DF && c <= 0x06E4) || c == 0x06E7 || c == 0x06E8 || (c >= 0x06EA && c <= 0x06ED);
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

/* What stands between the words of a chain, as it is written in its name; 0 for anything else. */
static inline char connector(Py_UCS4 c)
{
    return c == '.' ? '.' : c == '-' || c == 0x2010 || c == 0x2011 ? '-' : 0;
}

/* Of ASCII that is in no word: may a word go on behind it? */
static inline int joins(Py_UCS4 c)
{
    return c == '.' || c == '-' || c == '+' || c == '#';
}

/* What may stand before the dot of a name that begins with one. */
static int opens(Py_UCS4 c)
{
    return c <= 0x20 || c == 0xA0 || (c < 128 && strchr("([{\"'`/*", (int)c) != NULL);
}

static const uint64_t PLAIN[2] = {0x03FF000000000000, 0x07FFFFFE87FFFFFE}; /* 0-9, A-Z, _ and a-z */

static inline int plain(Py_UCS4 c)
{
    return (int)(PLAIN[c >> 6] >> (c & 63) & 1);
}

static inline int in_word(Py_UCS4 c)
{
    return c < 128 ? plain(c) : !(c >= 0x0E00 && alone(c)) && (is_letter_or_digit(c) || clings(c));
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
    if (!size)
        return 1;
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

/* What is done with the stems of a text: they are written down, or the places of some of them are noted. */
typedef struct {
    buffer out, others; /* others stand behind the whole text */
    PyObject *places;   /* a list, when places are asked for: of begin, end, and which of the wanted ones it is */
    const buffer *wanted;
    Py_ssize_t count;
    const char *starts; /* for each ASCII character whether a wanted one begins with it, NULL when it tells nothing */
} sink;

static int no_memory(void)
{
    PyErr_NoMemory();
    return 0;
}

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

/* A place is noted once, with the first of its terms that is wanted. */
static int note(const sink *to, const char *stem, size_t size, const Py_ssize_t place[2])
{
    for (size_t begin = 0, end = 0; end <= size; end++) {
        if (end < size && stem[end] != ' ' && stem[end] != 0)
            continue;
        Py_ssize_t number = number_of(to, stem + begin, end - begin);
        begin = end + 1;
        if (number < 0)
            continue;
        PyObject *found = Py_BuildValue("nnn", place[0], place[1], number);
        int done = found && PyList_Append(to->places, found) == 0;
        Py_XDECREF(found);
        return done;
    }
    return 1;
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

/* The terms of a name in ASCII: see forms.py. All of them are in one buffer. */
typedef struct {
    buffer text;
    size_t ends[CHAIN_MOST * PARTS_MOST + CHAIN_MOST + 2]; /* of each term */
    size_t count, ordered;                                 /* how many there are, and how many of them are parts */
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
static int add_parts(stems *known, name *made, const char *link, size_t size, size_t tail)
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
    for (size_t each = 0; each < count; each++)
        if (!add_lower(known, made, link + bounds[2 * each], bounds[2 * each + 1] - bounds[2 * each], 1))
            return -1;
    return (int)count;
}

/* All terms of a name. */
static int add_name(stems *known, name *made, const char *word, size_t size)
{
    size_t dot = word[0] == '.', tail = word[size - 1] == '#' ? 1 : word[size - 1] == '+' ? 2 : 0;
    size_t end = size - tail, links = 0, several = 0, parts = 0;
    size_t bounds[2 * CHAIN_MOST]; /* of words that have several parts */
    int last = 0;
    for (size_t begin = dot, at = dot; at <= end; at++) {
        if (at < end && word[at] != '-' && word[at] != '.')
            continue;
        last = add_parts(known, made, word + begin, at - begin, at == end ? tail : 0);
        if (last < 0)
            return 0;
        if (last > 1) {
            bounds[2 * several] = begin;
            bounds[2 * several++ + 1] = at;
        }
        parts += (size_t)last;
        links++;
        begin = at + 1;
    }
    made->ordered = made->count;
    if (!parts)
        return 1;
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

/* A word that the table does not have. */
static int met_first(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    buffer found = {0};
    int done = terms_of(known, word, size, &found);
    const char *text = found.size ? found.at : "";
    if (done && !remember(known, word, size, text, found.size))
        done = no_memory();
    const char *apart = memchr(text, 0, found.size);
    if (done && to->places)
        done = note(to, text, found.size, place);
    else if (done)
        done = write_all(to, text, found.size, apart ? (size_t)(apart - text) : found.size);
    PyMem_Free(found.at);
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
            Py_ssize_t end = to->starts && now.begin < 0 && !to->starts[c] ? simple_end(text, length, at) : -1;
            at = end >= 0 ? end : grows_on(&now, text, length, at) - 1; /* one may be none of the wanted */
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
    sink to = {{0}, {0}, NULL, NULL, 0, NULL};
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
    sink to = {{0}, {0}, PyList_New(0), wanted, count, ((stems *)self)->same_start ? starts : NULL};
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
    PyObject *ask, *pieces = Py_None;
    Py_ssize_t most;
    int same_start = 0;
    static char *known_names[] = {"stem", "most", "same_start", "pieces", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "On|pO", known_names, &ask, &most, &same_start, &pieces))
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
