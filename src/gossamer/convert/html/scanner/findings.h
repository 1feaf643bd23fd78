/* What was found in a page, as links.py would write it. */

#ifndef GOSSAMER_SCANNER_FINDINGS_H
#define GOSSAMER_SCANNER_FINDINGS_H

#include "characters.h"

static piece keep(scanner *s, span text)
{
    piece kept = {s->found->bytes.size, text.size};
    put(s, &s->found->bytes, text.at, text.size);
    return kept;
}

/* Words of the first characters of a text with one space between them. */
static piece keep_words(scanner *s, span text, size_t most)
{
    buffer *bytes = &s->found->bytes;
    text = beginning(text, CUT_FIRST * most);
    size_t from = bytes->size;
    const byte *at = text.at, *end = text.at + text.size;
    while (at < end) {
        size_t width = white(at, end);
        if (width > 0) {
            at += width;
            continue;
        }
        const byte *word = at;
        while (at < end && white(at, end) == 0)
            at++;
        if (bytes->size > from)
            put_byte(s, bytes, ' ');
        put(s, bytes, word, (size_t)(at - word));
    }
    if (s->verdict != FINE)
        return (piece){0, 0};
    bytes->size = from + beginning((span){bytes->at + from, bytes->size - from}, most).size;
    return (piece){from, bytes->size - from};
}

/* links._collapsed */
static piece keep_anchor(scanner *s, span text)
{
    text = stripped(text);
    for (size_t i = 0; i < text.size; i++) {
        byte c = text.at[i];
        bool more = i + 1 < text.size;
        if (c == '\n' || c == '\t' || (c == ' ' && more && text.at[i + 1] == ' ') ||
            (c == 0xC2 && more && text.at[i + 1] == 0xA0))
            return keep_words(s, text, ANCHOR_MOST);
    }
    return keep(s, beginning(text, ANCHOR_MOST));
}

static void lower_kept(scanner *s, piece kept)
{
    for (size_t i = 0; s->verdict == FINE && i < kept.size; i++)
        s->found->bytes.at[kept.from + i] = lower(s->found->bytes.at[kept.from + i]);
}

/* links._types. Only Python knows the small letters of all scripts. */
static piece keep_types(scanner *s, span rel)
{
    if (!is_ascii(rel)) {
        odd(s);
        return (piece){0, 0};
    }
    piece kept = keep_words(s, beginning(rel, REL_MOST), REL_MOST);
    lower_kept(s, kept);
    return kept;
}

/* Make room for one link more. False if there are enough, or no memory. */
static bool has_room_for_link(scanner *s)
{
    findings *found = s->found;
    if (found->linked == found->links_most) {
        found->links_cut = true;
        return false;
    }
    if (found->linked == found->links_room) {
        size_t room = 2 * found->links_room + 64;
        pointer *links = realloc(found->links, room * sizeof *links);
        if (links == NULL) {
            s->verdict = NO_MEMORY;
            return false;
        }
        found->links = links;
        found->links_room = room;
    }
    return true;
}

/* The number of a new link, or -1 if there are enough. */
static int add_link(scanner *s, span href, span rel, enum place place, int32_t where)
{
    if (!has_room_for_link(s))
        return -1;
    findings *found = s->found;
    found->links[found->linked] = (pointer){keep(s, href), {0, 0}, keep_types(s, rel), place, where};
    return (int)found->linked++;
}

/* The same link once more, without its text, before the link that has that number now. */
static int copy_link(scanner *s, int which, size_t number, int32_t where)
{
    if (!has_room_for_link(s))
        return -1;
    findings *found = s->found;
    pointer copy = found->links[which];
    copy.anchor = (piece){0, 0};
    copy.where = where;
    memmove(found->links + number + 1, found->links + number, (found->linked - number) * sizeof copy);
    found->links[number] = copy;
    found->linked++;
    return (int)number;
}

#endif
