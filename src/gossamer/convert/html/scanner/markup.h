/* Tags and their attributes, comments, and the ends of elements that hold no markup. */

#ifndef GOSSAMER_SCANNER_MARKUP_H
#define GOSSAMER_SCANNER_MARKUP_H

#include "formatting.h"

static const span ATTRIBUTES[ATTRIBUTE_COUNT] = {
    [ALT] = SPAN("alt"), [CHECKED] = SPAN("checked"), [COLSPAN] = SPAN("colspan"),
    [CONTENT] = SPAN("content"), [DATA_SRC] = SPAN("data-src"), [HREF] = SPAN("href"),
    [HTTP_EQUIV] = SPAN("http-equiv"), [LANG] = SPAN("lang"), [NAME] = SPAN("name"),
    [PROPERTY] = SPAN("property"), [REL] = SPAN("rel"), [ROWSPAN] = SPAN("rowspan"),
    [SRC] = SPAN("src"), [START] = SPAN("start"), [TITLE] = SPAN("title"), [TYPE] = SPAN("type"), [XLINK_HREF] = SPAN("xlink:href"),
};

enum { TAG_SLOTS = 512, TAG_NAME_MOST = 14 };
static byte tag_slots[TAG_SLOTS]; /* filled once */

static size_t tag_slot(span name)
{
    uint32_t hash = (uint32_t)name.size;
    for (size_t i = 0; i < name.size; i++)
        hash = hash * 31 + lower(name.at[i]);
    return (hash ^ hash >> 9) % TAG_SLOTS;
}

static void fill_tag_slots(void)
{
    for (enum tag tag = 1; tag < T_COUNT; tag++) {
        size_t slot = tag_slot(NAMES[tag]);
        while (tag_slots[slot] != T_OTHER && tag_slots[slot] != tag)
            slot = (slot + 1) % TAG_SLOTS;
        tag_slots[slot] = (byte)tag;
    }
}

static enum tag tag_named(span name)
{
    if (name.size > TAG_NAME_MOST)
        return T_OTHER;
    size_t slot = tag_slot(name);
    while (tag_slots[slot] != T_OTHER && !same_ignoring_case(name, NAMES[tag_slots[slot]]))
        slot = (slot + 1) % TAG_SLOTS;
    return tag_slots[slot];
}

static void note_attribute(token *tag, span name, span value)
{
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) {
        if (name.size == ATTRIBUTES[i].size && same_ignoring_case(name, ATTRIBUTES[i])) {
            if (tag->attributes[i].size == SIZE_MAX)
                tag->attributes[i] = value;
            return;
        }
    }
}

/* A tag, from its name on. False if the document ends in it; then it is none. */
static bool read_tag(scanner *s, const byte *at, bool is_end, token *tag)
{
    const byte *end = s->end, *from = at;
    while (at < end && !ends_name(*at))
        at++;
    tag->name = (span){from, (size_t)(at - from)};
    tag->tag = tag_named(tag->name);
    tag->written = NOTHING;
    tag->namings.count = 0;
    tag->namings.seen = 0;
    const byte *attributes = NULL;
    bool telling = !is_end && FLAGS[tag->tag] & TELLS;
    for (int i = 0; telling && i < ATTRIBUTE_COUNT; i++)
        tag->attributes[i] = (span){NULL, SIZE_MAX};
    for (;;) {
        from = at;
        while (at < end && (is_space(*at) || *at == '/'))
            at++;
        if (at == end)
            return false;
        if (*at == '>') {
            tag->self_closing = at > from && at[-1] == '/';
            if (attributes != NULL)
                tag->written = (span){attributes, (size_t)(from - attributes)};
            s->at = at + 1;
            return true;
        }
        if (attributes == NULL)
            attributes = at;
        span name, value;
        if ((at = read_attribute(at, end, &name, &value)) == NULL)
            return false;
        if (telling)
            note_attribute(tag, name, value);
        if (!is_end) {
            note_naming(&tag->namings, name, value);
            s->found->hints |= hints_of_attribute(name, value);
        }
    }
}

static bool is_end_tag_of(const byte *at, const byte *end, span name)
{
    return (size_t)(end - at) >= name.size + 3 && at[1] == '/' && ends_name(at[2 + name.size]) &&
           same_ignoring_case((span){at + 2, name.size}, name);
}

/* Where the text ends of an element that holds no markup: before its end tag. NULL if there is none. */
static const byte *raw_end(const byte *at, const byte *end, span name)
{
    while (at < end && (at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        if (is_end_tag_of(at, end, name))
            return at;
        at++;
    }
    return NULL;
}

/* Scripts have a history: what looks like a comment in them may hide the end tag of a script within. */
static const byte *script_end(const byte *at, const byte *end)
{
    const span name = NAMES[T_SCRIPT];
    enum { PLAIN, ESCAPED, DOUBLY_ESCAPED } state = PLAIN;
    for (; at < end; at++) {
        size_t left = (size_t)(end - at);
        if (state == PLAIN && (at = memchr(at, '<', left)) == NULL)
            return NULL;
        left = (size_t)(end - at);
        if (*at == '-') {
            if (left >= 3 && at[1] == '-' && at[2] == '>')
                state = PLAIN;
        } else if (*at != '<') {
            continue;
        } else if (state == PLAIN && left >= 4 && memcmp(at, "<!--", 4) == 0) {
            state = ESCAPED;
            at++; /* its dashes may be those of its end */
        } else if (is_end_tag_of(at, end, name)) {
            if (state != DOUBLY_ESCAPED)
                return at;
            state = ESCAPED;
        } else if (state == ESCAPED && left >= 8 && begins_with(at + 1, end, "script") && ends_name(at[7])) {
            state = DOUBLY_ESCAPED;
        }
    }
    return NULL;
}

/* The text of an element that holds no markup, which is read to its end. */
static span raw_text(scanner *s, const token *tag)
{
    const byte *from = s->at;
    const byte *to = tag->tag == T_SCRIPT ? script_end(from, s->end) : raw_end(from, s->end, tag->name);
    token end_tag;
    if (to == NULL)
        to = s->at = s->end;
    else if (!read_tag(s, to + 2, true, &end_tag))
        s->at = s->end;
    return (span){from, (size_t)(to - from)};
}

static const byte *past(const byte *at, const byte *end, byte mark)
{
    const byte *found = at < end ? memchr(at, mark, (size_t)(end - at)) : NULL;
    return found == NULL ? end : found + 1;
}

static const byte *past_comment(const byte *at, const byte *end) /* from after its opening */
{
    if (at < end && *at == '>')
        return at + 1;
    if (end - at >= 2 && at[0] == '-' && at[1] == '>')
        return at + 2;
    while (at < end && (at = memchr(at, '-', (size_t)(end - at))) != NULL) {
        if (end - at >= 3 && at[1] == '-' && at[2] == '>')
            return at + 3;
        if (end - at >= 4 && at[1] == '-' && at[2] == '!' && at[3] == '>')
            return at + 4;
        at++;
    }
    return end;
}

/* A comment, or what is taken for one. False if it is text. */
static bool skip_other_markup(scanner *s)
{
    const byte *at = s->at, *end = s->end;
    if (at[1] == '/') {
        if (end - at < 3)
            return false;
        s->at = past(at + 2, end, '>');
        return true;
    }
    if (at[1] != '!' && at[1] != '?')
        return false;
    bool is_comment = end - at >= 4 && at[1] == '!' && at[2] == '-' && at[3] == '-';
    s->at = is_comment ? past_comment(at + 4, end) : past(at + 2, end, '>');
    size_t size = (size_t)(s->at - at);
    if (is_comment && size < COMMENT_MOST && memchr(at, '/', size) != NULL && memchr(at, '.', size) != NULL)
        s->found->hints |= HINT_COMMENT;
    return true;
}

#endif
