/* Attributes as they are written in a tag, and those among them by which outline.py knows an element. */

#ifndef GOSSAMER_SCANNER_ATTRIBUTES_H
#define GOSSAMER_SCANNER_ATTRIBUTES_H

#include "references.h"

/* The value of an attribute, from after its equals sign. Gives where it ends, or NULL if the document ends in it. */
static const byte *read_value(const byte *at, const byte *end, span *value)
{
    while (at < end && is_space(*at))
        at++;
    if (at == end)
        return NULL;
    if (*at == '"' || *at == '\'') {
        const byte *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
        if (quote == NULL)
            return NULL;
        *value = (span){at + 1, (size_t)(quote - at - 1)};
        return quote + 1;
    }
    const byte *from = at;
    while (at < end && !is_space(*at) && *at != '>')
        at++;
    *value = (span){from, (size_t)(at - from)};
    return at;
}

/* An attribute, from the first byte of its name. Its value is at NULL if it has none. */
static const byte *read_attribute(const byte *at, const byte *end, span *name, span *value)
{
    const byte *from = at++;
    while (at < end && !ends_name(*at) && *at != '=')
        at++;
    *name = (span){from, (size_t)(at - from)};
    *value = (span){NULL, 0};
    while (at < end && is_space(*at))
        at++;
    return at < end && *at == '=' ? read_value(at + 1, end, value) : at;
}

enum likeness { DIFFERENT, EQUAL, DOUBTFUL };
enum { COMPARED_MOST = 12, COMPARED_BYTES_MOST = 500 };

/* The attributes of a tag, without repetitions. Gives how many there are, or -1 if there are too many. */
static int listed_attributes(span written, span *names, span *values)
{
    int count = 0;
    const byte *at = written.at, *end = written.at + written.size;
    while (at != NULL && at < end) {
        if (is_space(*at) || *at == '/') {
            at++;
            continue;
        }
        if (count == COMPARED_MOST)
            return -1;
        at = read_attribute(at, end, &names[count], &values[count]);
        int known = 0;
        while (!same_ignoring_case(names[known], names[count]))
            known++;
        count += known == count;
    }
    return count;
}

/* Whether two tags have the same attributes, in any order. */
static enum likeness compared(span a, span b)
{
    if (a.size == b.size && memcmp(a.at, b.at, a.size) == 0)
        return EQUAL;
    if (a.size > COMPARED_BYTES_MOST || b.size > COMPARED_BYTES_MOST)
        return DOUBTFUL;
    span names[COMPARED_MOST], values[COMPARED_MOST], other_names[COMPARED_MOST], other_values[COMPARED_MOST];
    int count = listed_attributes(a, names, values), others = listed_attributes(b, other_names, other_values);
    if (count < 0 || others < 0 || memchr(a.at, '&', a.size) != NULL || memchr(b.at, '&', b.size) != NULL)
        return DOUBTFUL;
    int same = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < others; j++)
            same += same_ignoring_case(names[i], other_names[j]) && values[i].size == other_values[j].size &&
                    (values[i].size == 0 || memcmp(values[i].at, other_values[j].at, values[i].size) == 0);
    return same == count && same == others ? EQUAL : DIFFERENT;
}

static enum naming naming_of(span name)
{
    static const struct {
        span name;
        enum naming naming;
    } known[] = {
        {SPAN("id"), BY_ID},           {SPAN("role"), BY_ROLE},         {SPAN("class"), BY_CLASS},
        {SPAN("style"), BY_STYLE},     {SPAN("hidden"), BY_HIDDEN},     {SPAN("itemprop"), BY_ITEMPROP},
        {SPAN("itemtype"), BY_ITEMTYPE}, {SPAN("aria-hidden"), BY_ARIA_HIDDEN},
    };
    static const byte first[12] = {[2] = 1, [4] = 2, [5] = 3, [6] = 5, [8] = 6, [11] = 8};
    if (name.size >= sizeof first || first[name.size] == 0)
        return NAMING_COUNT;
    for (size_t i = first[name.size] - 1; i < sizeof known / sizeof *known && known[i].name.size == name.size; i++)
        if (same_ignoring_case(name, known[i].name))
            return known[i].naming;
    return NAMING_COUNT;
}

static bool ends_with(span name, span ending)
{
    return name.size > ending.size &&
           same_ignoring_case((span){name.at + name.size - ending.size, ending.size}, ending);
}

/* Whether an attribute holds a script, or an address that no browser goes to. */
static unsigned hints_of_attribute(span name, span value)
{
    static const span data = SPAN("data-"), protocol = SPAN("javascript:");
    static const span endings[] = {SPAN("href"), SPAN("url"), SPAN("link"), SPAN("uri")};
    unsigned hints = 0;
    if (name.size > 4 && (name.at[0] | 0x20) == 'o' && (name.at[1] | 0x20) == 'n')
        hints |= HINT_CODE;
    if (value.at != NULL && value.size > protocol.size && (value.at[0] | 0x20) == 'j' &&
        same_ignoring_case((span){value.at, protocol.size}, protocol))
        hints |= HINT_PROTOCOL;
    if (name.size > data.size && name.at[4] == '-' && same_ignoring_case((span){name.at, data.size}, data))
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            hints |= ends_with(name, endings[i]) ? HINT_DATA : 0;
    return hints;
}

/* Of attributes of the same name the first counts. */
static void note_naming(namings *noted, span name, span value)
{
    enum naming naming = naming_of(name);
    if (naming == NAMING_COUNT || noted->seen & 1u << naming)
        return;
    noted->seen |= 1u << naming;
    noted->values[noted->count] = value;
    noted->order[noted->count++] = naming;
}

#endif
