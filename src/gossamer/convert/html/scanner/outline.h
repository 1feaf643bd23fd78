/* The outline of a page, as outline.py makes it: its elements, the runs of its text and the words of its names. */

#ifndef GOSSAMER_SCANNER_OUTLINE_H
#define GOSSAMER_SCANNER_OUTLINE_H

#include "attributes.h"

enum { MOVED_MOST = 20000000, COUNTED = 6 };

/* outline.TAGS, but for the first. */
#define OUTLINED(X)                                                                                                   \
    X(A) X(ABBR) X(ADDRESS) X(ARTICLE) X(ASIDE) X(AUDIO) X(B) X(BLOCKQUOTE) X(BODY) X(BR) X(BUTTON) X(CANVAS)         \
    X(CAPTION) X(CENTER) X(CITE) X(CODE) X(COL) X(COLGROUP) X(DD) X(DEL) X(DETAILS) X(DFN) X(DIALOG) X(DIR) X(DIV)    \
    X(DL) X(DT) X(EM) X(FIELDSET) X(FIGCAPTION) X(FIGURE) X(FONT) X(FOOTER) X(FORM) X(FRAMESET) X(H1) X(H2) X(H3)     \
    X(H4) X(H5) X(H6) X(HEADER) X(HGROUP) X(HR) X(I) X(IFRAME) X(IMG) X(INPUT) X(INS) X(KBD) X(LABEL) X(LEGEND)       \
    X(LI) X(MAIN) X(MARK) X(MENU) X(NAV) X(OBJECT) X(OL) X(OPTGROUP) X(OPTION) X(P) X(PICTURE) X(PRE) X(Q) X(S)       \
    X(SAMP) X(SEARCH) X(SECTION) X(SELECT) X(SMALL) X(SPAN) X(STRIKE) X(STRONG) X(SUB) X(SUMMARY) X(SUP) X(SVG)       \
    X(TABLE) X(TBODY) X(TD) X(TEXTAREA) X(TFOOT) X(TH) X(THEAD) X(TIME) X(TR) X(TT) X(U) X(UL) X(VAR) X(VIDEO) \
    X(MATH)

enum outlined {
    N_OTHER,
#define X(id) N_##id,
    OUTLINED(X)
#undef X
};

static const byte OUTLINED_AS[T_COUNT] = {
#define X(id) [T_##id] = N_##id,
    OUTLINED(X)
#undef X
};

static void put_number(scanner *s, buffer *b, int32_t value)
{
    put(s, b, (const byte *)&value, sizeof value);
}

static int32_t *numbers(const buffer *b)
{
    return (int32_t *)(void *)b->at;
}

static size_t count_of(const buffer *b)
{
    return b->size / sizeof(int32_t);
}

/* ---- names ---- */

static void add_hash(names *known, byte kind, span word)
{
    uint32_t hash = (2166136261u ^ kind) * 16777619u;
    for (size_t i = 0; i < word.size; i++)
        hash = (hash ^ lower(word.at[i])) * 16777619u;
    known->hashes[known->count++] = hash;
}

static bool is_capital(byte c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_small(byte c)
{
    return (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* Words of two bytes and more: capitals and the small letters after them. */
static void add_words(names *known, byte kind, span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    while (at < end && known->count < NAMES_MOST) {
        const byte *from = at;
        while (at < end && is_capital(*at))
            at++;
        while (at < end && is_small(*at))
            at++;
        if (at - from > 1)
            add_hash(known, kind, (span){from, (size_t)(at - from)});
        at += at == from;
    }
}

static span last_part(span address)
{
    while (address.size > 0 && address.at[address.size - 1] == '/')
        address.size--;
    for (size_t i = address.size; i > 0; i--)
        if (address.at[i - 1] == '/')
            return (span){address.at + i, address.size - i};
    return address;
}

static const byte *past_white(const byte *at, const byte *end)
{
    for (size_t width; (width = white(at, end)) > 0;)
        at += width;
    return at;
}

/* Whether a style says display: none. */
static bool hides(span style)
{
    const byte *at = style.at, *end = style.at + style.size;
    for (; end - at >= 12; at++) {
        if (lower(*at) != 'd' || !begins_with(at, end, "display"))
            continue;
        const byte *colon = past_white(at + 7, end);
        if (colon < end && *colon == ':' && begins_with(past_white(colon + 1, end), end, "none"))
            return true;
    }
    return false;
}

static names names_of(scanner *s, const namings *noted)
{
    names known;
    known.count = 0;
    for (int i = 0; s->found->outlined && i < noted->count && known.count < NAMES_MOST; i++) {
        span text = noted->values[i].at == NULL ? NOTHING : decoded_into(s, &s->name, noted->values[i], true);
        bool hidden = false;
        switch (noted->order[i]) {
        case BY_CLASS:
        case BY_ID:
            add_words(&known, 'c', text);
            break;
        case BY_ROLE:
            add_words(&known, 'r', text);
            break;
        case BY_ITEMPROP:
            add_words(&known, 'i', text);
            break;
        case BY_ITEMTYPE:
            add_words(&known, 'i', last_part(text));
            break;
        case BY_HIDDEN:
            hidden = true;
            break;
        case BY_ARIA_HIDDEN:
            hidden = is_word(stripped(text), "true");
            break;
        default:
            hidden = hides(text);
        }
        if (hidden)
            add_hash(&known, 'h', (span)SPAN("hidden"));
    }
    return known;
}

static void put_names(scanner *s, int32_t element, const names *known)
{
    put(s, &s->found->outline.names, (const byte *)known->hashes, (size_t)known->count * sizeof *known->hashes);
    for (int i = 0; i < known->count; i++)
        put_number(s, &s->found->outline.named, element);
}

/* ---- notes ---- */

/* One letter says what is noted; see outline.py. What is empty or long is not. */
static void put_note(scanner *s, int32_t element, byte kind, span text)
{
    outline *o = &s->found->outline;
    if (text.size > NOTE_MOST)
        return;
    put_number(s, &o->noted, element);
    put_number(s, &o->note_starts, (int32_t)o->notes.size);
    put_byte(s, &o->notes, kind);
    put(s, &o->notes, text.at, text.size);
    if (o->notes.size > INT32_MAX / 2)
        odd(s);
}

static void note_value(scanner *s, int32_t element, byte kind, const token *tag, enum attribute name)
{
    span text = value(s, tag, name);
    if (text.size > 0)
        put_note(s, element, kind, text);
}

static bool is_said(const token *tag, enum attribute name)
{
    return tag->attributes[name].size != SIZE_MAX;
}

static void note_picture(scanner *s, int32_t element, const token *tag)
{
    span address = value(s, tag, SRC);
    bool is_here = address.size > 0 && !begins_with(address.at, address.at + address.size, "data:");
    note_value(s, element, 'a', tag, ALT);
    note_value(s, element, 's', tag, is_here ? SRC : DATA_SRC);
}

/* What an element says beside its names, where that is needed to write it down. */
static void note_element(scanner *s, int32_t element, const token *tag)
{
    static const span tex = SPAN("annotation");
    switch (tag->tag) {
    case T_IMG:
    case T_IMAGE:
        note_picture(s, element, tag);
        return;
    case T_INPUT:
        if (is_word(value(s, tag, TYPE), "checkbox"))
            put_note(s, element, is_said(tag, CHECKED) ? 'x' : 'o', NOTHING);
        return;
    case T_OL:
        note_value(s, element, 'n', tag, START);
        return;
    case T_TD:
    case T_TH:
        note_value(s, element, 'c', tag, COLSPAN);
        note_value(s, element, 'r', tag, ROWSPAN);
        return;
    case T_MATH:
        put_note(s, element, 'm', NOTHING);
        return;
    case T_OTHER:
        if (tag->name.size == tex.size && same_ignoring_case(tag->name, tex))
            put_note(s, element, 't', NOTHING);
        return;
    default:
        return;
    }
}

/* ---- elements ---- */

static int32_t add_element(scanner *s, int32_t parent, byte outlined)
{
    outline *o = &s->found->outline;
    if (o->tags.size >= INT32_MAX / 8)
        odd(s);
    int32_t number = (int32_t)o->tags.size;
    put_byte(s, &o->tags, outlined);
    put_number(s, &o->parents, parent);
    return number;
}

/* Where an element that begins stands in the outline; the element around it is NULL for the root. */
static void outline_element(scanner *s, element *begun, const element *around, byte outlined)
{
    int flags = FLAGS[begun->tag];
    bool is_body = begun->tag == T_BODY;
    begun->number = around == NULL ? s->where : around->number;
    begun->top = around == NULL ? -1 : around->top;
    begun->shut = true;
    if (!s->found->outlined || s->within_noscript || around == NULL || (is_body ? around->number >= 0 : around->shut || flags & UNSEEN))
        return;
    begun->number = add_element(s, around->number, outlined);
    begun->outlined = true;
    begun->shut = flags & SHUT;
    if (flags & BLOCK) {
        begun->top = begun->number;
        s->blocks++;
    }
}

static int32_t shifted(int32_t number, int32_t at, int32_t count)
{
    return number >= at ? number + count : number;
}

/* Make room for elements that stand before others, and before the runs that have so many before them. All that is
 * known by its number gets a new one.
 */
static void insert_elements(scanner *s, int32_t at, int32_t count, int32_t before)
{
    outline *o = &s->found->outline;
    int32_t size = (int32_t)o->tags.size;
    for (int32_t i = 0; i < count; i++)
        add_element(s, 0, N_OTHER);
    if (s->verdict != FINE)
        return;
    int32_t *parents = numbers(&o->parents), *owners = numbers(&o->owners), *befores = numbers(&o->befores);
    memmove(o->tags.at + at + count, o->tags.at + at, (size_t)(size - at));
    for (int32_t i = size - 1; i >= at; i--)
        parents[i + count] = shifted(parents[i], at, count);
    for (size_t i = count_of(&o->owners); i > 0 && befores[i - 1] >= before; i--) {
        befores[i - 1] += count;
        owners[i - 1] = shifted(owners[i - 1], at, count);
    }
    for (size_t i = count_of(&o->named); i > 0 && numbers(&o->named)[i - 1] >= at; i--)
        numbers(&o->named)[i - 1] += count;
    for (size_t i = count_of(&o->noted); i > 0 && numbers(&o->noted)[i - 1] >= at; i--)
        numbers(&o->noted)[i - 1] += count;
    for (size_t i = 0; i < s->found->linked; i++)
        s->found->links[i].where = shifted(s->found->links[i].where, at, count);
    for (int i = 0; i < s->depth; i++) {
        s->stack[i].number = shifted(s->stack[i].number, at, count);
        s->stack[i].top = shifted(s->stack[i].top, at, count);
    }
    s->blank_top = shifted(s->blank_top, at, count);
}

/* Names of an element that is not the last go before those of the elements after it. */
static void insert_names(scanner *s, int32_t element, const names *known)
{
    outline *o = &s->found->outline;
    size_t before = count_of(&o->named), from = before, added = (size_t)known->count;
    put_names(s, element, known);
    if (s->verdict != FINE || added == 0)
        return;
    while (from > 0 && numbers(&o->named)[from - 1] > element)
        from--;
    int32_t *hashes = numbers(&o->names), *named = numbers(&o->named);
    memmove(hashes + from + added, hashes + from, (before - from) * sizeof *hashes);
    memmove(named + from + added, named + from, (before - from) * sizeof *named);
    memcpy(hashes + from, known->hashes, added * sizeof *hashes);
    for (size_t i = 0; i < added; i++)
        named[from + i] = element;
}

/* Attributes of a second body tag are those of the body, if it has none of their names. */
static void add_to_body(scanner *s, const token *tag)
{
    const outline *o = &s->found->outline;
    namings added = {.count = 0};
    if (!s->found->outlined || s->within_noscript)
        return;
    for (int i = 0; i < tag->namings.count; i++)
        if (!(s->body_names & 1u << tag->namings.order[i])) {
            added.values[added.count] = tag->namings.values[i];
            added.order[added.count++] = tag->namings.order[i];
        }
    if (added.count == 0)
        return;
    s->body_names |= tag->namings.seen;
    names known = names_of(s, &added);
    int room = NAMES_MOST;
    for (size_t i = 0; room > 0 && i < count_of(&o->named) && numbers(&o->named)[i] == 0; i++)
        room--;
    if (known.count > room)
        known.count = room;
    insert_names(s, 0, &known);
}

/* Formatting begins a second time, where room was made for it. */
static void fill_element(scanner *s, int32_t element, int32_t parent, const formatting *again)
{
    s->found->outline.tags.at[element] = again->outlined;
    numbers(&s->found->outline.parents)[element] = parent;
    insert_names(s, element, &again->names);
}

/* All that stands in an element directly stands in another one now, its first child. */
static void hand_down(scanner *s, int32_t element)
{
    outline *o = &s->found->outline;
    int32_t *parents = numbers(&o->parents), *owners = numbers(&o->owners), *befores = numbers(&o->befores);
    for (int32_t i = (int32_t)o->tags.size - 1; i > element + 1; i--)
        if (parents[i] == element)
            parents[i] = element + 1;
    for (size_t i = count_of(&o->owners); i > 0 && befores[i - 1] > element; i--)
        if (owners[i - 1] == element)
            owners[i - 1] = element + 1;
}

/* ---- runs ---- */

static bool is_outline_space(const byte *at, const byte *end, size_t *width)
{
    *width = *at >= 0x1C && *at < 0x20 ? 0 : white(at, end);
    return *width > 0;
}

static bool is_without_words(span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    for (size_t width; at < end && is_outline_space(at, end, &width);)
        at += width;
    return at == end;
}

static bool goes_on(const outline *o, int32_t owner)
{
    size_t runs = count_of(&o->owners);
    return runs > 0 && numbers(&o->owners)[runs - 1] == owner &&
           numbers(&o->befores)[runs - 1] == (int32_t)o->tags.size;
}

/* Text of the body, or a part of it. White space waits for words: a block that begins or ends before them drops it. */
static void put_run(scanner *s, span text)
{
    outline *o = &s->found->outline;
    const element *here = &s->stack[s->depth - 1];
    if (here->shut)
        return;
    if (!s->in_run) {
        if (s->blank_top != here->top || s->blank_blocks != s->blocks)
            s->blank.size = 0;
        if (is_without_words(text)) {
            put(s, &s->blank, text.at, text.size);
            s->blank_top = here->top;
            s->blank_blocks = s->blocks;
            return;
        }
        if (!goes_on(o, here->number)) {
            put_number(s, &o->starts, (int32_t)o->text.size);
            put_number(s, &o->owners, here->number);
            put_number(s, &o->befores, (int32_t)o->tags.size);
        }
        put(s, &o->text, s->blank.at, s->blank.size);
        s->blank.size = 0;
        s->in_run = true;
    }
    put(s, &o->text, text.at, text.size);
    if (o->text.size > INT32_MAX / 2)
        odd(s);
}

#endif
