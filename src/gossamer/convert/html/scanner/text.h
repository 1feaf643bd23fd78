/* The words of a page: text.py, a line for each block. */

#ifndef GOSSAMER_SCANNER_TEXT_H
#define GOSSAMER_SCANNER_TEXT_H

#include "outline.h"

/* The text of a block is at an end, or not begun. */
static void end_line(scanner *s)
{
    if (s->left_out > 0)
        return;
    buffer *text = &s->found->text;
    if (s->kept && s->line_begun && s->verdict == FINE) {
        size_t from = s->line_start + (s->line_start > 0);
        size_t size = stripped_at_end((span){text->at + from, text->size - from}).size;
        text->size = size > 0 ? from + size : s->line_start;
    }
    s->kept = s->line_begun = s->gap_collapses = false;
    s->gap.size = 0;
}

static void begin_line(scanner *s)
{
    s->line_begun = true;
    s->line_start = s->found->text.size;
    if (s->line_start > 0)
        put_byte(s, &s->found->text, '\n');
}

static void put_as_it_is(scanner *s, span text)
{
    buffer *out = &s->found->text;
    if (!s->line_begun)
        begin_line(s);
    const byte *at = text.at, *end = text.at + text.size;
    for (const byte *odd_space; (odd_space = memchr(at, 0xC2, (size_t)(end - at))) != NULL;) {
        bool is_space = is_no_break_space(odd_space); /* two bytes, as the text is valid */
        put(s, out, at, (size_t)(odd_space - at) + (is_space ? 0 : 2));
        if (is_space)
            put_byte(s, out, ' ');
        at = odd_space + 2;
    }
    put(s, out, at, (size_t)(end - at));
}

/* text._collapsed: a gap between words becomes one space if there is a line end in it, or two spaces. */
static void widen_gap(scanner *s, const byte *at, size_t width)
{
    bool is_blank = *at == '\t' || is_no_break_space(at);
    byte plain = is_blank ? ' ' : *at;
    buffer *gap = &s->gap;
    if (plain == '\n' || (plain == ' ' && gap->size > 0 && gap->at[gap->size - 1] == ' '))
        s->gap_collapses = true;
    if (s->gap_collapses || !s->line_begun)
        return;
    if (is_blank)
        put_byte(s, gap, ' ');
    else
        put(s, gap, at, width);
}

static void close_gap(scanner *s)
{
    if (!s->line_begun)
        begin_line(s);
    else if (s->gap_collapses)
        put_byte(s, &s->found->text, ' ');
    else
        put(s, &s->found->text, s->gap.at, s->gap.size);
    s->gap.size = 0;
    s->gap_collapses = false;
}

static bool is_single_space(const byte *at, const byte *end)
{
    return *at == ' ' && end - at >= 2 && !MAYBE_WHITE[at[1]];
}

static void put_collapsed(scanner *s, span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    while (at < end) {
        size_t width = white(at, end);
        if (width > 0) {
            widen_gap(s, at, width);
            at += width;
            continue;
        }
        const byte *word = at;
        while (at < end && (!MAYBE_WHITE[*at] || is_single_space(at, end) || white(at, end) == 0))
            at++;
        close_gap(s);
        put(s, &s->found->text, word, (size_t)(at - word));
    }
}

/* Text that would become a text node of the body, or part of one. */
static void say(scanner *s, span text)
{
    if (text.size == 0 || s->hushed)
        return;
    if (s->link >= 0) {
        if (s->parted && s->anchor_begun)
            put_byte(s, &s->anchor, ' ');
        s->anchor_begun = true;
        put(s, &s->anchor, text.at, text.size);
    }
    s->parted = false;
    put_run(s, text);
    if (s->left_out > 0 || s->within_noscript)
        return;
    if (s->kept)
        put_as_it_is(s, text);
    else
        put_collapsed(s, text);
}

#endif
