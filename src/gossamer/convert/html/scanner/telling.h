/* What is read from the attributes of elements. */

#ifndef GOSSAMER_SCANNER_TELLING_H
#define GOSSAMER_SCANNER_TELLING_H

#include "markup.h"

static void tell_title(scanner *s, span text)
{
    findings *found = s->found;
    if (found->titled || s->within_noscript)
        return;
    found->titled = true;
    found->title = keep_words(s, decoded(s, text, false), TITLE_MOST);
}

static bool is_address(span href)
{
    return href.size > 0 && href.at[0] != '#';
}

static void tell_pointer(scanner *s, const token *tag, enum attribute address, enum attribute title, enum place place,
                         int32_t where)
{
    span href = without_blanks(value(s, tag, address));
    if (!is_address(href) || s->within_noscript)
        return;
    int link = add_link(s, href, NOTHING, place, where);
    if (link < 0)
        return;
    if (place != PLACE_IFRAME)
        s->found->links[link].rel = keep_types(s, value(s, tag, REL));
    s->found->links[link].anchor = keep_anchor(s, value(s, tag, title));
}

/* Whether one of some words is among those of a text. */
static bool has_word(span text, const char *const *words)
{
    const byte *at = text.at, *end = text.at + text.size;
    while (at < end) {
        const byte *from = at;
        while (at < end && white(at, end) == 0)
            at++;
        for (const char *const *word = words; *word != NULL; word++)
            if (is_word((span){from, (size_t)(at - from)}, *word))
                return true;
        at += at < end;
    }
    return false;
}

static void tell_link(scanner *s, const token *tag)
{
    static const char *const followed[] = {"canonical", "alternate", "next", "prev", "previous", NULL};
    static const char *const styles[] = {"stylesheet", NULL};
    span rel = value(s, tag, REL);
    if (!is_ascii(rel)) {
        odd(s);
        return;
    }
    rel = beginning(rel, REL_MOST);
    if (has_word(rel, followed) && !has_word(rel, styles))
        tell_pointer(s, tag, HREF, TITLE, PLACE_LINK, current(s)->number);
}

static const byte *past_spaces(const byte *at, const byte *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

/* refresh.parse: the address that a refresh leads to, if it has one. */
static span refresh_address(span content)
{
    const byte *end = content.at + content.size, *at = past_spaces(content.at, end), *number = at;
    while (at < end && (is_digit(*at) || *at == '.'))
        at++;
    const byte *after = past_spaces(at, end);
    if (at == number || after == end || (after == at && *after != ';' && *after != ','))
        return NOTHING;
    at = *after == ';' || *after == ',' ? past_spaces(after + 1, end) : after;
    if (begins_with(at, end, "url")) {
        const byte *sign = past_spaces(at + 3, end);
        if (sign < end && *sign == '=')
            at = past_spaces(sign + 1, end);
    }
    if (at < end && (*at == '"' || *at == '\'')) {
        const byte *quote = memchr(at + 1, *at, (size_t)(end - at - 1));
        end = quote == NULL ? end : quote;
        at++;
    }
    return (span){at, (size_t)(end - at)};
}

static void tell_refresh(scanner *s, const token *tag)
{
    span address = refresh_address(value(s, tag, CONTENT));
    buffer *out = &s->anchor; /* where nothing is outside of links */
    if (s->link >= 0)
        odd(s);
    out->size = 0;
    for (size_t i = 0; i < address.size; i++)
        if (address.at[i] != '\t' && address.at[i] != '\n' && address.at[i] != '\r')
            put_byte(s, out, address.at[i]);
    address = without_blanks((span){out->at, out->size});
    if (address.size > 0)
        add_link(s, address, NOTHING, PLACE_REFRESH, current(s)->number);
}

static void tell_meta(scanner *s, const token *tag)
{
    findings *found = s->found;
    if (s->within_noscript)
        return;
    span equivalent = value(s, tag, HTTP_EQUIV);
    if (!is_ascii(equivalent)) {
        odd(s);
        return;
    }
    if (is_word(without_blanks(equivalent), "refresh"))
        tell_refresh(s, tag);
    span name = value(s, tag, NAME);
    if (name.size == 0)
        name = value(s, tag, PROPERTY);
    if (name.size == 0 || found->metas_found == METAS_MOST)
        return;
    meta *told = &found->metas[found->metas_found++];
    told->name = keep(s, stripped(name));
    told->content = keep(s, beginning(value(s, tag, CONTENT), META_MOST));
}

static void tell_base(scanner *s, const token *tag)
{
    if (s->found->based || s->within_noscript || tag->attributes[HREF].at == NULL)
        return;
    s->found->based = true;
    s->found->base = keep(s, value(s, tag, HREF));
}

static void tell_language(scanner *s, const token *tag)
{
    if (s->found->languaged || s->within_noscript || tag->attributes[LANG].size == SIZE_MAX)
        return;
    s->found->languaged = true;
    s->found->language = keep(s, value(s, tag, LANG));
}

/* A picture tells what a link without text is about. */
static void tell_picture(scanner *s, const token *tag)
{
    if (s->link < 0 || s->pictured || s->searched > SEARCHED_MOST)
        return;
    span alternative = value(s, tag, ALT);
    if (alternative.size > 0) {
        s->pictured = true;
        s->picture = keep_anchor(s, alternative);
    }
}

/* A link begins with the element that was opened last. */
static void tell_a(scanner *s, const token *tag)
{
    span href = value(s, tag, HREF);
    if (href.size == 0)
        href = value(s, tag, XLINK_HREF);
    href = without_blanks(href);
    if (!is_address(href))
        return;
    int link = add_link(s, href, NOTHING, PLACE_A, current(s)->number);
    if (link >= 0)
        s->found->links[link].rel = keep_types(s, value(s, tag, REL));
    begin_link(s, current(s), link);
}

#endif
