/* lines.py: kept runs as lines of tagged text, with the links and the emphasis in them. */

#ifndef GOSSAMER_WRITER_LINES_H
#define GOSSAMER_WRITER_LINES_H

#include "spots.h"

static const char *const ESCAPED[256] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;"};
static const char *const QUOTED[256] = {
    ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#x27;",
};

/* Text with some bytes written as references. */
static void put_escaped(buffer *out, span text, const char *const *references)
{
    size_t done = 0;
    for (size_t i = 0; i < text.size; i++)
        if (references[text.at[i]] != NULL) {
            put(out, text.at + done, i - done);
            put_text(out, references[text.at[i]]);
            done = i + 1;
        }
    put(out, text.at + done, text.size - done);
}

/* MAYBE_WHITE, and what is escaped. */
static const bool IN_FLOW[256] = {
    ['\t'] = true, ['\n'] = true, [0x0B] = true, ['\f'] = true, ['\r'] = true, [0x1C] = true,
    [0x1D] = true, [0x1E] = true, [0x1F] = true, [' '] = true,  [0xC2] = true, [0xE1] = true,
    [0xE2] = true, [0xE3] = true, ['&'] = true,  ['<'] = true,  ['>'] = true,
};

/* How far bytes go that can be copied: those that are not special, and single spaces between them. */
static const byte *past_ordinary(const byte *at, const byte *end)
{
    while (at < end && (!IN_FLOW[*at] || (*at == ' ' && end - at > 1 && !IN_FLOW[at[1]])))
        at++;
    return at;
}

/* White space as single spaces: also where the line went on with some. */
static void put_flowing(buffer *line, size_t from, span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    while (at < end) {
        size_t width = white(at, end);
        if (width > 0) {
            if (line->size > from && line->at[line->size - 1] != ' ')
                put_byte(line, ' ');
            at += width;
        } else if (ESCAPED[*at] != NULL) {
            put_text(line, ESCAPED[*at++]);
        } else {
            const byte *begin = at;
            at = past_ordinary(at + 1, end);
            put(line, begin, (size_t)(at - begin));
        }
    }
}

static bool is_blank(span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    for (size_t width; at < end && (width = white(at, end)) > 0;)
        at += width;
    return at == end;
}

static void open_mark(const page *p, buffer *line, node mark)
{
    if (mark.name != A) {
        put_tag(line, "<", mark.name);
        return;
    }
    put_text(line, "<a href=\"");
    put_escaped(line, p->hrefs[mark.element], QUOTED);
    put_text(line, "\">");
}

/* A picture, with the text that stands for it. */
static void put_picture(const page *p, buffer *line, node picture, span text)
{
    const byte *at = text.at, *end = text.at + text.size;
    put_text(line, "<img src=\"");
    put_escaped(line, p->hrefs[picture.element], QUOTED);
    put_text(line, "\" alt=\"");
    size_t from = line->size;
    while (at < end) {
        size_t width = white(at, end);
        if (width > 0 && line->size > from && line->at[line->size - 1] != ' ')
            put_byte(line, ' ');
        if (width == 0)
            put_escaped(line, (span){at, 1}, QUOTED);
        at += width > 0 ? width : 1;
    }
    if (line->size > from && line->at[line->size - 1] == ' ')
        line->size--;
    put_text(line, "\">");
}

static void close_marks(buffer *line, const marks *open, int from)
{
    for (int i = open->count; i > from; i--)
        put_tag(line, "</", open->at[i - 1].name);
}

static int in_common(const marks *a, const marks *b)
{
    int count = 0;
    while (count < a->count && count < b->count && a->at[count].name == b->at[count].name &&
           a->at[count].element == b->at[count].element)
        count++;
    return count;
}

static void put_gap(const kept *k, buffer *line, size_t from, int32_t place, const char *joint)
{
    const char *gap = k->parted[place] ? joint : k->breaks[place] ? "<br>" : k->steps[place] == 1 ? "" : " ";
    if (*gap != ' ')
        put_text(line, gap);
    else if (line->size > from && line->at[line->size - 1] != ' ')
        put_byte(line, ' ');
}

/* Runs as one line, with the joint where a block begins or ends. Only those of a cell, if one is given. */
static void put_line(const spots *s, buffer *line, range places, int32_t cell, const char *joint)
{
    const page *p = s->page;
    const kept *k = s->kept;
    marks open = {.count = 0};
    size_t from = line->size;
    for (int32_t place = places.first; place < places.end; place++) {
        span text = text_of(p, k, place);
        if ((cell >= 0 && cell_of(p, k->owners[place]) != cell) || is_blank(text))
            continue;
        marks of_run = s->all[k->owners[place]].marks, *wanted = &of_run;
        bool is_picture = wanted->count > 0 && wanted->at[wanted->count - 1].name == IMG;
        wanted->count -= is_picture;
        int same = in_common(&open, wanted);
        close_marks(line, &open, same);
        if (line->size > from)
            put_gap(k, line, from, place, joint);
        for (int i = same; i < wanted->count; i++)
            open_mark(p, line, wanted->at[i]);
        if (is_picture)
            put_picture(p, line, wanted->at[wanted->count], text);
        else
            put_flowing(line, from, text);
        open = *wanted;
    }
    close_marks(line, &open, 0);
    if (line->size > from && line->at[line->size - 1] == ' ')
        line->size--;
}

/* Runs whose lines and spaces count. `plain` is for them before they are escaped. */
static void put_as_is(const spots *s, buffer *out, buffer *plain, range places)
{
    const kept *k = s->kept;
    plain->size = 0;
    for (int32_t place = places.first; place < places.end; place++) {
        if (place > places.first && k->parted[place]) {
            if (plain->size > 0 && plain->at[plain->size - 1] != '\n')
                put_byte(plain, '\n');
        } else if (place > places.first)
            for (int32_t i = 0; i < k->breaks[place]; i++)
                put_byte(plain, '\n');
        span text = text_of(s->page, k, place);
        put(plain, text.at, text.size);
    }
    span text = {plain->at, plain->size};
    while (text.size > 0 && *text.at == '\n')
        text.at++, text.size--;
    put_escaped(out, stripped_at_end(text), ESCAPED);
}

#endif
