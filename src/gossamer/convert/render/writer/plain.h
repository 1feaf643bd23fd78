/* tagged.plain: the words of tagged text. Here it is known that white space is single spaces, but for a pre. */

#ifndef GOSSAMER_WRITER_PLAIN_H
#define GOSSAMER_WRITER_PLAIN_H

#include "types.h"

typedef struct {
    const char *text;
    byte meant;
} reference;

static const reference REFERENCES[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#x27;", '\''},
};

static size_t read_reference(const byte *at, const byte *end, byte *meant)
{
    for (size_t i = 0; i < sizeof REFERENCES / sizeof *REFERENCES; i++) {
        size_t size = strlen(REFERENCES[i].text);
        if ((size_t)(end - at) >= size && memcmp(at, REFERENCES[i].text, size) == 0) {
            *meant = REFERENCES[i].meant;
            return size;
        }
    }
    *meant = *at;
    return 1;
}

typedef struct {
    buffer *out;
    size_t start; /* of the line, with the line end before it */
    bool begun;
} plainly;

static void end_words(plainly *w)
{
    if (!w->begun)
        return;
    size_t least = w->start + (w->start > 0);
    while (w->out->size > least && (w->out->at[w->out->size - 1] == ' ' || w->out->at[w->out->size - 1] == '\t'))
        w->out->size--;
    if (w->out->size == least)
        w->out->size = w->start;
    w->begun = false;
}

static void begin_words(plainly *w)
{
    if (w->begun)
        return;
    w->begun = true;
    w->start = w->out->size;
    if (w->start > 0)
        put_byte(w->out, '\n');
}

static byte last_byte(const plainly *w)
{
    return w->out->size > w->start + (w->start > 0) ? w->out->at[w->out->size - 1] : ' ';
}

static void put_space(plainly *w)
{
    byte last = w->begun ? last_byte(w) : ' ';
    if (last != ' ' && last != '\t')
        put_byte(w->out, ' ');
}

/* An empty cell counts, unless no other follows in its row. */
static void end_cell(plainly *w)
{
    begin_words(w);
    if (w->out->size > w->start + (w->start > 0) && w->out->at[w->out->size - 1] == ' ')
        w->out->size--;
    put_byte(w->out, '\t');
}

static bool is_tag(const byte *at, size_t size, const char *name)
{
    return strlen(name) == size && memcmp(at, name, size) == 0;
}

/* Whether a tag parts the words before and after it, as all do that are not for parts of a line. */
static bool parts_lines(const byte *at, size_t size)
{
    static const char *const within[] = {"a", "em", "strong", "code", "sub", "sup"};
    if (size > 0 && *at == '/')
        at++, size--;
    for (size_t i = 0; i < sizeof within / sizeof *within; i++)
        if (is_tag(at, size, within[i]))
            return false;
    return !(size > 2 && at[0] == 'a' && at[1] == ' ') && !is_tag(at, size, "td") && !is_tag(at, size, "th");
}

static const bool IN_WORDS[256] = {['<'] = true, ['&'] = true, ['\n'] = true};

/* Words as they stand, up to a tag or a line end, and a reference behind them. */
static const byte *put_words(buffer *out, const byte *at, const byte *end)
{
    const byte *begin = at;
    while (end - at >= 4 && !(IN_WORDS[at[0]] | IN_WORDS[at[1]] | IN_WORDS[at[2]] | IN_WORDS[at[3]]))
        at += 4;
    while (at < end && !IN_WORDS[*at])
        at++;
    put(out, begin, (size_t)(at - begin));
    if (at < end && *at == '&') {
        byte meant;
        at += read_reference(at, end, &meant);
        put_byte(out, meant);
    }
    return at;
}

/* A pre as it is, from behind its tag; where it ends. */
static const byte *put_pre(plainly *w, const byte *at, const byte *end)
{
    end_words(w);
    begin_words(w);
    size_t before = w->out->size;
    while (at < end && *at != '<')
        if (*at == '\n')
            put_byte(w->out, *at++);
        else
            at = put_words(w->out, at, end);
    if (w->out->size == before)
        w->out->size = w->start;
    w->begun = false;
    return at;
}

static const byte *put_tagged(plainly *w, const byte *at, const byte *end)
{
    const byte *close = memchr(at, '>', (size_t)(end - at));
    if (close == NULL)
        return end;
    size_t size = (size_t)(close - at);
    if (is_tag(at, size, "pre"))
        return put_pre(w, close + 1, end);
    if (is_tag(at, size, "/td") || is_tag(at, size, "/th"))
        end_cell(w);
    else if (parts_lines(at, size))
        end_words(w);
    return close + 1;
}

static void put_plain(buffer *out, span html)
{
    plainly w = {out, 0, false};
    const byte *at = html.at, *end = html.at + html.size;
    while (at < end) {
        if (*at == '<') {
            at = put_tagged(&w, at + 1, end);
        } else if (*at == ' ' || *at == '\n') {
            put_space(&w);
            at++;
        } else {
            begin_words(&w);
            at = put_words(out, at, end);
        }
    }
    end_words(&w);
}

#endif
