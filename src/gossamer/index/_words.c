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
    int marking;        /* places are asked for */
    buffer places;      /* of begin, end, and which of the wanted ones it is, each an int32_t */
    PyObject *parts;    /* what tells where the wanted parts of a name stand in it */
    const Py_UCS4 *text; /* that is being read */
    Py_ssize_t before;   /* how many characters come before it */
    Py_ssize_t earlier;  /* and before the part that is looked through */
    const buffer *wanted;
    Py_ssize_t count;
    const char *starts; /* for each ASCII character whether a wanted one begins with it, NULL when it tells nothing */
    const uint32_t *seconds; /* the same for what follows, a bit for each; NULL when that tells nothing */
    int is_signed;           /* a wanted one begins with a sign, or with a letter that is not ASCII */
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

static int note_place(sink *to, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t number)
{
    Py_ssize_t at = to->earlier + to->before;
    const int32_t place[3] = {(int32_t)(at + begin), (int32_t)(at + end), (int32_t)number};
    return add(&to->places, (const char *)place, sizeof place) || no_memory();
}

/* Where the wanted parts of a name stand, as Python says; all of it, if none is there. */
static int note_asked(sink *to, const Py_ssize_t place[2], Py_ssize_t number)
{
    int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? -1 : 1;
    const char *letters = (const char *)(to->text + place[0]);
    PyObject *word = PyUnicode_DecodeUTF32(letters, 4 * (place[1] - place[0]), "surrogatepass", &order), *parts = NULL;
    if (word)
        parts = PyObject_CallFunctionObjArgs(to->parts, word, NULL);
    int done = parts && PyTuple_Check(parts);
    if (parts && !done)
        PyErr_SetString(PyExc_TypeError, "a tuple of places is needed");
    Py_ssize_t count = done ? PyTuple_Size(parts) : 0, first, last, which;
    if (done && !count)
        done = note_place(to, place[0], place[1], number);
    for (Py_ssize_t at = 0; done && at < count; at++)
        done = PyArg_ParseTuple(PyTuple_GetItem(parts, at), "nnn", &first, &last, &which) &&
               note_place(to, place[0] + first, place[0] + last, which);
    Py_XDECREF(word);
    Py_XDECREF(parts);
    return done;
}

/* The same for a name in ASCII, which is taken apart here. */
static int note_parts(stems *known, sink *to, const char *word, size_t size, const Py_ssize_t place[2], Py_ssize_t all)
{
    name made = {.count = 0};
    chain of = {.last = 0};
    int done = add_all_parts(known, &made, word, size, &of), some = 0;
    for (size_t each = 0, from = 0; done && made.parts > 1 && each < made.ordered; from = made.ends[each++]) {
        Py_ssize_t number = number_of(to, made.text.at + from, made.ends[each] - from);
        if (number < 0)
            continue;
        some = 1;
        done = note_place(to, place[0] + made.spans[each][0], place[0] + made.spans[each][1], number);
    }
    PyMem_Free(made.text.at);
    return done && (some || note_place(to, place[0], place[1], all));
}

/* A place is noted once, with the first of its terms that is wanted. */
static int note(stems *known, sink *to, const char *word, size_t size, const char *stem, size_t ordered,
                Py_ssize_t number, const Py_ssize_t place[2])
{
    if (!memchr(stem, ' ', ordered))
        return note_place(to, place[0], place[1], number);
    int is_plain = known->pieces && is_name(word, size) && size == (size_t)(place[1] - place[0]); /* nothing is left out */
    return is_plain ? note_parts(known, to, word, size, place, number) : note_asked(to, place, number);
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
    if (done && to->marking) {
        Py_ssize_t number = first_wanted(to, text, found.size);
        done = number < 0 || note(known, to, word, size, text, ordered, number, place);
    } else if (done)
        done = write_all(to, text, found.size, ordered);
    PyMem_Free(found.at);
    return done;
}

static inline int take(stems *known, const char *word, size_t size, const Py_ssize_t place[2], sink *to)
{
    uint32_t hash = hashed(word, size);
    char *passed = to->marking && size <= INSIDE ? to->passed[hash % PASSED] : NULL;
    if (passed && alike(passed, word))
        return 1;
    const slot *here = slot_of(known, hash, word, size);
    if (!here || !here->size)
        return met_first(known, word, size, place, to);
    const char *stem = here->stem_size <= INSIDE ? here->stem : known->letters.at + here->at + size;
    if (to->marking) {
        Py_ssize_t number = first_wanted(to, stem, here->stem_size);
        if (number < 0 && passed)
            memcpy(passed, word, INSIDE);
        return number < 0 || note(known, to, word, size, stem, here->ordered, number, place);
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

/* All words from a place on, before which no word begins that goes on there. */
static int all_words(stems *known, const Py_UCS4 *text, Py_ssize_t from, Py_ssize_t length, sink *to)
{
    reading now = {{0}, 0, -1, -1, 0, 0};
    to->text = text;
    for (Py_ssize_t at = from; at < length; at++) {
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
    int done = characters && know_letters(characters, length) && all_words(known, characters, 0, length, to);
    PyMem_Free(characters);
    return done;
}

/* ---------------------------------------------------------------- a look from afar
 *
 * Most words of a text are none of those that are wanted, and most of these need not be read. Between ASCII signs that
 * no word goes on behind, a text is islands. Of one that is a plain word its first letters tell whether it is read. */

enum { SMALL = 1, CAPITAL = 2, SIGN = 4, WIDE = 8 }; /* 0 is between islands */

typedef struct {
    Py_ssize_t further;  /* bytes before here that begin no character */
    Py_UCS4 *characters; /* an island, and what stands before it */
    size_t room;
} sea;

static const unsigned char *kinds(void)
{
    static unsigned char known[256];
    if (known[255])
        return known;
    for (int c = 0; c < 256; c++)
        if (c >= 128)
            known[c] = WIDE;
        else if (joins((Py_UCS4)c) || c == '_')
            known[c] = SIGN;
        else if (plain((Py_UCS4)c))
            known[c] = c >= 'A' && c <= 'Z' ? CAPITAL : SMALL;
    return known;
}

static Py_ssize_t further_in(const unsigned char *at, const unsigned char *end)
{
    Py_ssize_t further = 0;
    for (; at < end; at++)
        further += (*at & 0xC0) == 0x80;
    return further;
}

/* A character of well-formed UTF-8. */
static inline Py_UCS4 decoded(const unsigned char **at)
{
    const unsigned char *here = *at;
    int more = *here < 0x80 ? 0 : *here < 0xE0 ? 1 : *here < 0xF0 ? 2 : 3;
    Py_UCS4 c = more ? (Py_UCS4)(*here & (0x3F >> more)) : *here;
    for (int step = 1; step <= more; step++)
        c = c << 6 | (here[step] & 0x3F);
    *at += more + 1;
    return c;
}

/* An island, read with care. */
static int read_island(stems *known, sea *here, const unsigned char *begin, const unsigned char *end,
                       const unsigned char *start, sink *to)
{
    size_t size = (size_t)(end - begin) + 1;
    if (size > here->room) {
        Py_UCS4 *wider = PyMem_Realloc(here->characters, 2 * size * sizeof(Py_UCS4));
        if (!wider)
            return no_memory();
        here->characters = wider;
        here->room = 2 * size;
    }
    Py_ssize_t from = begin > start, length = from;
    if (from)
        here->characters[0] = begin[-1]; /* it is ASCII */
    to->before = begin - start - here->further - from;
    while (begin < end)
        here->characters[length++] = decoded(&begin);
    return know_letters(here->characters, length) && all_words(known, here->characters, from, length, to);
}

/* A word of letters and digits in ASCII. */
static int take_plain(stems *known, const unsigned char *begin, const unsigned char *end, Py_ssize_t at, sink *to)
{
    char word[LONGEST + INSIDE] = {0};
    const Py_ssize_t place[2] = {at, at + (end - begin)};
    if (end - begin > LONGEST)
        return 1;
    memcpy(word, begin, (size_t)(end - begin));
    to->before = 0;
    return take(known, word, (size_t)(end - begin), place, to);
}

/* May a plain word have a wanted stem? */
static inline int promises(const sink *to, const unsigned char *begin, const unsigned char *end)
{
    if (!to->starts[*begin])
        return 0;
    if (!to->seconds || end - begin == 1 || to->seconds[*begin & 31] & letter_bit(begin[1]))
        return 1;
    unsigned char c = end[-1];
    return end - begin < SHORT && (c == 'd' || c == 'g' || c == 's' || c == 'y');
}

/* May a part of a name begin here and have a wanted stem, or what is made of all parts from here on? */
static int may_begin(const sink *to, const unsigned char *kind, const unsigned char *at, const unsigned char *end)
{
    if (!to->starts[*at] || !to->seconds)
        return to->starts[*at];
    int letters = 1;
    for (const unsigned char *next = at + 1; next < end && letters < SHORT; next++) {
        unsigned char c = (unsigned char)tolower(*next);
        if (kind[c] == SIGN)
            continue;
        if ((letters == 1 && to->seconds[*at & 31] & letter_bit(c)) || c == 'd' || c == 'g' || c == 's' || c == 'y')
            return 1;
        letters++;
    }
    return letters == 1;
}

/* The same for a name in ASCII: a part begins behind a sign, and with a capital. */
static int promises_within(const sink *to, const unsigned char *kind, const unsigned char *at, const unsigned char *end)
{
    for (int begins = 1; at < end; at++) {
        int is_sign = kind[*at] == SIGN;
        if (!is_sign && (begins || kind[*at] == CAPITAL) && may_begin(to, kind, at, end))
            return 1;
        begins = is_sign;
    }
    return to->is_signed;
}

/* What may be of interest in the next bytes: signs within words, other letters, and first letters of wanted words.
 * All is told without a branch, so that many bytes are looked at together. */
enum { SEEN = 512, FIRSTS_MOST = 8 };

typedef struct {
    unsigned char bytes[SEEN + 2], found[SEEN], begins[SEEN]; /* with a byte before and one behind */
    const unsigned char *from, *end;
    unsigned char firsts[FIRSTS_MOST]; /* in small letters */
    int count;                         /* of these, or more than there is room for */
} glance;

static inline unsigned char lettered(unsigned char c)
{
    return (unsigned char)(((unsigned char)((c | 0x20) - 'a') < 26) | ((unsigned char)(c - '0') < 10));
}

static void glance_at(glance *now, const unsigned char *start, const unsigned char *from, const unsigned char *end)
{
    size_t size = (size_t)(end - from) < SEEN ? (size_t)(end - from) : SEEN;
    now->from = from;
    now->end = from + size;
    now->bytes[0] = from > start ? from[-1] : 0;
    memcpy(now->bytes + 1, from, size);
    memset(now->bytes + 1 + size, 0, SEEN + 1 - size);
    if (now->end < end)
        now->bytes[1 + size] = *now->end;
    const unsigned char *bytes = now->bytes;
    for (size_t at = 0; at < SEEN; at++) {
        unsigned char before = bytes[at], c = bytes[at + 1], next = bytes[at + 2];
        unsigned char goes_on = lettered(next) | (next == '_') | (next >> 7);
        unsigned char linked = ((c == '.') | (c == '-')) & goes_on;
        unsigned char seam = ((unsigned char)(c - 'A') < 26) & lettered(before);
        now->found[at] = (c >> 7) | (c == '_') | (c == '+') | (c == '#') | linked | seam;
        now->begins[at] = lettered(c) & (lettered(before) ^ 1);
    }
    for (int first = 0; first < now->count && now->count <= FIRSTS_MOST; first++) {
        unsigned char letter = now->firsts[first];
        for (size_t at = 0; at < SEEN; at++)
            now->found[at] |= now->begins[at] & ((bytes[at + 1] | 0x20) == letter);
    }
    for (size_t at = 0; now->count > FIRSTS_MOST && at < SEEN; at++)
        now->found[at] |= now->begins[at];
}

static glance glance_for(const sink *to)
{
    glance now = {.count = 0};
    for (int c = 0; c < 128; c++)
        if (to->starts[c] && (lower((char)c) || digit((char)c))) {
            if (now.count < FIRSTS_MOST)
                now.firsts[now.count] = (unsigned char)(c | 0x20);
            now.count++;
        }
    if (to->is_signed)
        now.count = FIRSTS_MOST + 1;
    return now;
}

/* The first place of interest; the end if there is none. */
static const unsigned char *next_of_interest(glance *now, const unsigned char *start, const unsigned char *at,
                                             const unsigned char *end)
{
    while (at < end) {
        if (at < now->from || at >= now->end)
            glance_at(now, start, at, end);
        const unsigned char *found = now->found + (at - now->from), *last = now->found + (now->end - now->from);
        uint64_t eight;
        for (; last - found >= 8 && (memcpy(&eight, found, 8), !eight); found += 8)
            ;
        while (found < last && !*found)
            found++;
        at = now->from + (found - now->found);
        if (found < last)
            return at;
    }
    return end;
}

static int from_afar(stems *known, const unsigned char *start, Py_ssize_t size, sink *to)
{
    const unsigned char *kind = kinds(), *at = start, *end = start + size;
    sea here = {0, NULL, 0};
    glance now = glance_for(to);
    int done = 1;
    while (done && (at = next_of_interest(&now, start, at, end)) < end) {
        const unsigned char *begin = at;
        while (begin > start && kind[begin[-1]])
            begin--;
        unsigned met = 0;
        for (at = begin; at < end && kind[*at]; at++)
            met |= at > begin && kind[*at] == CAPITAL ? SIGN : kind[*at];
        const unsigned char *first = begin, *last = at;
        if (met & SIGN) { /* a sentence that ends, or a dash before a word */
            while (last > first && (last[-1] == '.' || last[-1] == '-'))
                last--;
            while (first < last && *first == '-')
                first++;
            met = 0;
            for (const unsigned char *each = first; each < last; each++)
                met |= each > first && kind[*each] == CAPITAL ? SIGN : kind[*each];
        }
        if (met & WIDE || (met & SIGN && promises_within(to, kind, first, last)))
            done = read_island(known, &here, begin, at, start, to);
        else if (met && met < SIGN && promises(to, first, last))
            done = take_plain(known, first, last, first - start - here.further, to);
        if (met & WIDE)
            here.further += further_in(begin, at);
    }
    PyMem_Free(here.characters);
    return done;
}

/* So many characters further on. Where nothing is told by ASCII alone, they are counted in blocks. */
static const unsigned char *beyond(const unsigned char *at, Py_ssize_t characters)
{
    enum { BLOCK = 64 };
    while (characters >= BLOCK) {
        characters -= BLOCK - further_in(at, at + BLOCK);
        at += BLOCK;
    }
    for (; characters > 0 || (*at & 0xC0) == 0x80; at++)
        characters -= (*at & 0xC0) != 0x80;
    return at;
}

/* The places in a part of a text. */
static int places_in(stems *known, PyObject *text, Py_ssize_t start, Py_ssize_t end, sink *to)
{
    Py_ssize_t size, length = PyUnicode_GetLength(text);
    end = end < length ? end : length;
    if (start < 0 || start > end || end > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a part of the text is needed, of not too many characters");
        return 0;
    }
    to->earlier = start;
    const unsigned char *all = to->starts ? (const unsigned char *)PyUnicode_AsUTF8AndSize(text, &size) : NULL;
    if (all) {
        const unsigned char *begin = size == length ? all + start : beyond(all, start);
        const unsigned char *stop = size == length ? all + end : end == length ? all + size : beyond(begin, end - start);
        return from_afar(known, begin, stop - begin, to);
    }
    PyErr_Clear(); /* half a character, which UTF-8 does not have */
    PyObject *part = PyUnicode_Substring(text, start, end);
    int done = part && words_of(known, part, to);
    Py_XDECREF(part);
    return done;
}

static PyObject *joined(PyObject *self, PyObject *text)
{
    sink to = {.marking = 0};
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
    int is_signed;
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
        with->is_signed |= c >= 128 || !isalnum(c);
        if (c >= 128)
            continue;
        with->first[c] = with->first[toupper(c)] = 1;
        int is_plain = size > 1 && (unsigned char)term[1] < 128 && isalnum((unsigned char)term[1]);
        with->second[c & 31] |= is_plain ? letter_bit((unsigned char)term[1]) : UINT32_MAX;
    }
    return 1;
}

static PyObject *met(PyObject *self, PyObject *arguments)
{
    PyObject *text, *terms, *parts;
    Py_ssize_t start = 0, end = PY_SSIZE_T_MAX;
    if (!PyArg_ParseTuple(arguments, "UO!O|nn", &text, &PyTuple_Type, &terms, &parts, &start, &end))
        return NULL;
    Py_ssize_t count = PyTuple_Size(terms);
    buffer *wanted = PyMem_Calloc((size_t)count + 1, sizeof(buffer));
    char passed[PASSED][INSIDE] = {{0}};
    beginnings with = {{0}, {0}, 0};
    int same = ((stems *)self)->same_start;
    sink to = {.marking = 1,
               .parts = parts,
               .wanted = wanted,
               .count = count,
               .starts = same > 0 ? with.first : NULL,
               .seconds = same > 1 ? with.second : NULL,
               .passed = passed};
    PyObject *found = NULL;
    int known = wanted && wanted_of(terms, count, wanted, &with);
    to.is_signed = with.is_signed;
    if (known && places_in((stems *)self, text, start, end, &to))
        found = PyBytes_FromStringAndSize(to.places.size ? to.places.at : "", (Py_ssize_t)to.places.size);
    if (!found && !PyErr_Occurred())
        PyErr_NoMemory();
    PyMem_Free(to.places.at);
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
