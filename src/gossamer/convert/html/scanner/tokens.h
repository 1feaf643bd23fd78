/* Tree construction: which rules hold where; and the walk over a document. */

#ifndef GOSSAMER_SCANNER_TOKENS_H
#define GOSSAMER_SCANNER_TOKENS_H

#include "tables.h"

static void open_body(scanner *s)
{
    push_implied(s, T_BODY);
    s->mode = IN_BODY;
}

static bool start_before_body(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_HTML) {
        tell_language(s, tag);
        return false;
    }
    if (name == T_HEAD) {
        if (s->mode == BEFORE_HEAD)
            s->mode = IN_HEAD;
        return false;
    }
    if (ACTIONS[name] == DO_OF_HEAD || (name == T_NOSCRIPT && s->mode != AFTER_HEAD)) {
        if (s->mode == BEFORE_HEAD)
            s->mode = IN_HEAD;
        start_of_head(s, tag);
        return false;
    }
    if (name != T_BODY) {
        open_body(s);
        return true;
    }
    push(s, tag);
    s->body_names = tag->namings.seen;
    s->mode = IN_BODY;
    return false;
}

static bool end_before_body(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_HEAD && s->mode != AFTER_HEAD) {
        s->mode = AFTER_HEAD;
        return false;
    }
    if (name != T_BODY && name != T_HTML && name != T_BR)
        return false;
    open_body(s);
    return true;
}

static bool start(scanner *s, const token *tag)
{
    switch (s->mode) {
    case BEFORE_HEAD:
    case IN_HEAD:
    case AFTER_HEAD:
        return start_before_body(s, tag);
    case IN_BODY:
        start_in_body(s, tag);
        return false;
    case IN_TABLE:
        return start_in_table(s, tag);
    case IN_CAPTION:
        return tag_in_caption(s, tag, false);
    case IN_COLGROUP:
        return tag_in_colgroup(s, tag, false);
    case IN_TBODY:
        return start_in_group(s, tag);
    case IN_ROW:
        return start_in_row(s, tag);
    case IN_CELL:
        return start_in_cell(s, tag);
    }
    return false;
}

static bool end(scanner *s, const token *tag)
{
    switch (s->mode) {
    case BEFORE_HEAD:
    case IN_HEAD:
    case AFTER_HEAD:
        return end_before_body(s, tag);
    case IN_BODY:
        end_in_body(s, tag);
        return false;
    case IN_TABLE:
        return end_in_table(s, tag);
    case IN_CAPTION:
        return tag_in_caption(s, tag, true);
    case IN_COLGROUP:
        return tag_in_colgroup(s, tag, true);
    case IN_TBODY:
        return end_in_group(s, tag);
    case IN_ROW:
        return end_in_row(s, tag);
    case IN_CELL:
        return end_in_cell(s, tag);
    }
    return false;
}

static bool holds(span text, span word)
{
    for (size_t i = 0; i + word.size <= text.size; i++)
        if (memcmp(text.at + i, word.at, word.size) == 0)
            return true;
    return false;
}

static unsigned hints_of(const token *tag)
{
    static const span linked_data = SPAN("ld+json"), source = SPAN("src=");
    unsigned hints = tag->namings.seen & 1u << BY_ITEMPROP ? HINT_ITEM : 0;
    if (tag->tag == T_NOSCRIPT)
        hints |= HINT_NOSCRIPT;
    else if (tag->tag == T_TIME)
        hints |= HINT_TIME;
    else if (tag->tag == T_TEMPLATE)
        hints |= HINT_TEMPLATE;
    else if (tag->tag == T_SCRIPT && holds(tag->written, linked_data))
        hints |= HINT_LINKED_DATA;
    else if (tag->tag == T_SCRIPT && !holds(tag->written, source))
        hints |= HINT_SCRIPT;
    return hints;
}

static void note_hints(scanner *s, const token *tag)
{
    unsigned hints = hints_of(tag);
    s->found->hints |= hints;
    if (hints & HINT_LINKED_DATA) {
        findings *found = s->found;
        span written = tag->written;
        if (found->linked_at == NULL || written.at < found->linked_at)
            found->linked_at = written.at;
        if (found->linked_end == NULL || written.at + written.size > found->linked_end)
            found->linked_end = written.at + written.size;
    }
}

static void take_tag(scanner *s, bool is_end)
{
    token tag;
    if (!read_tag(s, s->at + 1 + is_end, is_end, &tag)) {
        s->at = s->end;
        return;
    }
    if (!is_end)
        note_hints(s, &tag);
    s->begun = true;
    s->ended = s->ended && tag.tag == T_HTML && !is_end;
    if (current(s)->foreign) {
        if (is_end)
            end_in_drawing(s, &tag);
        else
            start_in_drawing(s, &tag);
        return;
    }
    while (s->verdict == FINE && (is_end ? end(s, &tag) : start(s, &tag)))
        ;
}

static bool is_blank(span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!is_space(text.at[i]))
            return false;
    return true;
}

static void take_text(scanner *s, span raw)
{
    span text = decoded(s, raw, false);
    if (s->newline_skipped && text.size > 0 && text.at[0] == '\n')
        text.at++, text.size--;
    s->newline_skipped = false;
    if (current(s)->foreign) {
        if (FLAGS[current(s)->tag] & POINT && is_waiting(s, s->listed))
            odd(s);
        say(s, text);
        return;
    }
    if (s->mode < IN_BODY) {
        if (is_blank(text))
            return;
        s->begun = true;
        while (is_space(text.at[0])) /* that is not in the body */
            text.at++, text.size--;
        open_body(s);
    } else if (s->mode >= IN_TABLE && s->mode != IN_CELL && s->mode != IN_CAPTION) {
        if (!is_blank(text))
            odd(s);
        else
            say(s, text);
        return;
    }
    s->ended = s->ended && is_blank(text);
    if (text.size > 0)
        reopen_formatting(s);
    say(s, text);
}

/* Which rules hold for a table in a paragraph. Of doctypes that are no longer written only the usual are known. */
static enum quirks quirks_of(span doctype)
{
    static const struct {
        const char *public_identifier;
        enum quirks alone, with_address;
    } known[] = {
        {"-//w3c//dtd html 4.01//en", QUIRKS_NO, QUIRKS_NO},
        {"-//w3c//dtd html 4.01 transitional//en", QUIRKS_YES, QUIRKS_NO},
        {"-//w3c//dtd html 4.0 transitional//en", QUIRKS_YES, QUIRKS_YES},
        {"-//w3c//dtd html 3.2//en", QUIRKS_YES, QUIRKS_YES},
        {"-//w3c//dtd html 3.2 final//en", QUIRKS_YES, QUIRKS_YES},
        {"-//w3c//dtd xhtml 1.0 strict//en", QUIRKS_NO, QUIRKS_NO},
        {"-//w3c//dtd xhtml 1.0 transitional//en", QUIRKS_NO, QUIRKS_NO},
        {"-//w3c//dtd xhtml 1.1//en", QUIRKS_NO, QUIRKS_NO},
    };
    const byte *at = doctype.at, *end = doctype.at + doctype.size;
    while (at < end && is_space(*at))
        at++;
    if (!begins_with(at, end, "html"))
        return QUIRKS_UNKNOWN;
    for (at += 4; at < end && is_space(*at);)
        at++;
    if (at == end)
        return at[-1] == 'l' || at[-1] == 'L' || is_space(at[-1]) ? QUIRKS_NO : QUIRKS_UNKNOWN;
    if (!is_space(at[-1]) || !begins_with(at, end, "public"))
        return QUIRKS_UNKNOWN;
    for (at += 6; at < end && is_space(*at);)
        at++;
    if (at == end || *at != '"')
        return QUIRKS_UNKNOWN;
    const byte *identifier = at + 1, *quote = memchr(identifier, '"', (size_t)(end - identifier));
    if (quote == NULL)
        return QUIRKS_UNKNOWN;
    for (at = quote + 1; at < end && is_space(*at);)
        at++;
    bool with_address = at < end;
    if (with_address && (!begins_with(at, end, "\"http://") || at == quote + 1 ||
                         memchr(at + 1, '"', (size_t)(end - at - 1)) != end - 1))
        return QUIRKS_UNKNOWN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_word((span){identifier, (size_t)(quote - identifier)}, known[i].public_identifier))
            return with_address ? known[i].with_address : known[i].alone;
    return QUIRKS_UNKNOWN;
}

static void take_cdata(scanner *s)
{
    const byte *from = s->at + 9;
    for (const byte *at = from; s->end - at >= 3; at++) {
        if (at[0] == ']' && at[1] == ']' && at[2] == '>') {
            s->at = at + 3;
            say(s, (span){from, (size_t)(at - from)});
            return;
        }
    }
    odd(s);
}

/* Comments, doctypes and the like, and tags. False if what stands here is text. */
static bool take_markup(scanner *s)
{
    const byte *at = s->at;
    if (s->end - at < 2)
        return false;
    bool is_end = at[1] == '/' && s->end - at > 2;
    if (is_letter(at[1 + is_end])) {
        s->newline_skipped = false;
        take_tag(s, is_end);
        return true;
    }
    if (current(s)->foreign && s->end - at >= 9 && memcmp(at, "<![CDATA[", 9) == 0) {
        take_cdata(s);
        return true;
    }
    if (!skip_other_markup(s))
        return false;
    if (begins_with(at, s->end, "<!doctype")) {
        if (!s->begun)
            s->quirks = s->at[-1] == '>' ? quirks_of((span){at + 9, (size_t)(s->at - at - 10)}) : QUIRKS_UNKNOWN;
        s->begun = true;
    } else if (is_end && at[2] == '>') {
        return true; /* nothing at all */
    } else if (!s->ended) {
        add_node(s);
    }
    s->newline_skipped = false;
    return true;
}

static const byte *text_end(scanner *s)
{
    for (const byte *at = s->at + 1; at < s->end; at++) {
        at = memchr(at, '<', (size_t)(s->end - at));
        if (at == NULL)
            return s->end;
        if (s->end - at < 2)
            return s->end;
        byte next = at[1];
        if (is_letter(next) || next == '!' || next == '?' || (next == '/' && s->end - at > 2))
            return at;
    }
    return s->end;
}

/* To the end of a document, or to a noscript whose markup waits to be read. */
static void walk(scanner *s)
{
    while (s->at < s->end && s->verdict == FINE && s->noscript.at == NULL) {
        if (*s->at == '<' && take_markup(s))
            continue;
        const byte *from = s->at;
        s->at = text_end(s);
        take_text(s, (span){from, (size_t)(s->at - from)});
    }
}

static void begin(scanner *s, findings *found, span data)
{
    memset(s, 0, sizeof *s);
    s->at = data.at;
    s->end = data.at + data.size;
    s->found = found;
    s->link = s->form = s->where = -1;
    s->quirks = QUIRKS_YES;
}

static void finish(scanner *s)
{
    if (s->mode < IN_BODY && s->verdict == FINE)
        open_body(s);
    if (s->verdict == FINE)
        pop_to(s, 0);
}

static void let_go(scanner *s)
{
    free(s->gap.at);
    free(s->blank.at);
    free(s->anchor.at);
    free(s->decoded.at);
    free(s->name.at);
}

/* We run no scripts, so links for readers without them are for us. One in another is not read. */
static void scan_noscript(scanner *s)
{
    scanner *inner = malloc(sizeof *inner);
    if (inner == NULL) {
        s->verdict = NO_MEMORY;
        return;
    }
    begin(inner, s->found, s->noscript);
    s->noscript = (span){NULL, 0};
    inner->within_noscript = true;
    inner->where = current(s)->number;
    push_implied(inner, T_HTML);
    walk(inner);
    finish(inner);
    if (inner->verdict != FINE)
        s->verdict = inner->verdict;
    let_go(inner);
    free(inner);
}

static void scan_document(scanner *s, findings *found, span data)
{
    begin(s, found, data);
    push_implied(s, T_HTML);
    walk(s);
    while (s->noscript.at != NULL && s->verdict == FINE) {
        scan_noscript(s);
        walk(s);
    }
    finish(s);
}

#endif
