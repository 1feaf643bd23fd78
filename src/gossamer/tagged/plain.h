/* tagged.plain: the words of tagged text. Here it is known that white space is single spaces, but for a pre. */

#ifndef GOSSAMER_TAGGED_PLAIN_H
#define GOSSAMER_TAGGED_PLAIN_H

#include "tagged/buffer.h"

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
    return 0;
}

typedef struct {
    buffer *out;
    size_t start; /* of the line, with the line end before it */
    bool begun;
    bool strange; /* something was met that is not written here */
} plainly;

/* A reference, by what is meant; where it ends. */
static const byte *put_reference(plainly *w, const byte *at, const byte *end)
{
    byte meant;
    size_t size = read_reference(at, end, &meant);
    w->strange |= size == 0;
    put_byte(w->out, meant);
    return at + (size > 0 ? size : 1);
}

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

/* A tag with attributes: `name` is its name and a space. */
static bool is_saying(const byte *at, size_t size, const char *name)
{
    return size > strlen(name) && memcmp(at, name, strlen(name)) == 0;
}

/* Names of tags, each with its length, so that most others are told from it by that and by their first letter. */
typedef struct {
    const char *text;
    size_t size;
} tag_name;

#define NAMED(text) {text, sizeof(text) - 1}

static bool is_one_of(const byte *at, size_t size, const tag_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].size == size && (byte)names[i].text[0] == *at && memcmp(at, names[i].text, size) == 0)
            return true;
    return false;
}

/* A tag that is for a part of a line, or begins a cell. */
static bool is_within(const byte *at, size_t size)
{
    static const tag_name within[] = {NAMED("a"),   NAMED("em"), NAMED("strong"), NAMED("code"), NAMED("sub"),
                                      NAMED("sup"), NAMED("td"), NAMED("th"),     NAMED("del"),  NAMED("math")};
    return is_saying(at, size, "a ") || is_saying(at, size, "img ") ||
           is_one_of(at, size, within, sizeof within / sizeof *within);
}

/* A tag that parts the words before and after it. */
static bool parts_lines(const byte *at, size_t size)
{
    static const tag_name lines[] = {
        NAMED("p"),  NAMED("li"), NAMED("ul"), NAMED("tr"),    NAMED("h2"), NAMED("h1"),
        NAMED("h3"), NAMED("dt"), NAMED("dd"), NAMED("dl"),    NAMED("ol"), NAMED("h4"),
        NAMED("h5"), NAMED("h6"), NAMED("br"), NAMED("table"), NAMED("pre"), NAMED("blockquote"),
    };
    return is_one_of(at, size, lines, sizeof lines / sizeof *lines) || is_saying(at, size, "ol ");
}

static const bool ENDS_WORDS[256] = {['<'] = true, ['&'] = true, ['\n'] = true, ['\t'] = true, ['\r'] = true, ['\f'] = true};

/* Without a branch for each, so that many bytes are looked at together. */
static bool has_spaces_together(const byte *at, const byte *end)
{
    size_t pairs = end > at ? (size_t)(end - at) - 1 : 0;
    byte met = 0;
    for (size_t i = 0; i < pairs; i++)
        met |= (byte)((at[i] == ' ') & (at[i + 1] == ' '));
    return met != 0;
}

/* Words, of which some have more than one space between. */
static void put_collapsed(buffer *out, const byte *at, const byte *end)
{
    for (; at < end; at++)
        if (*at != ' ' || at[-1] != ' ')
            put_byte(out, *at);
}

/* Words up to a tag or a line end, and a reference behind them. The first is no space. */
static const byte *put_words(plainly *w, const byte *at, const byte *end)
{
    const byte *begin = at;
    while (end - at >= 4 && !(ENDS_WORDS[at[0]] | ENDS_WORDS[at[1]] | ENDS_WORDS[at[2]] | ENDS_WORDS[at[3]]))
        at += 4;
    while (at < end && !ENDS_WORDS[*at])
        at++;
    if (has_spaces_together(begin, at))
        put_collapsed(w->out, begin, at);
    else
        put(w->out, begin, (size_t)(at - begin));
    if (at < end && *at == '&')
        return put_reference(w, at, end);
    if (at == begin) {
        w->strange = true;
        at++;
    }
    return at;
}

/* A pre as it is, from behind its tag; where it ends. */
static const byte *put_pre(plainly *w, const byte *at, const byte *end)
{
    end_words(w);
    begin_words(w);
    size_t before = w->out->size;
    while (at < end && *at != '<') {
        const byte *begin = at;
        while (at < end && *at != '<' && *at != '&')
            at++;
        put(w->out, begin, (size_t)(at - begin));
        if (at < end && *at == '&')
            at = put_reference(w, at, end);
    }
    w->strange |= end - at < 6 || memcmp(at, "</pre>", 6) != 0;
    if (w->out->size == before)
        w->out->size = w->start;
    w->begun = false;
    return at;
}

static const byte *put_tagged(plainly *w, const byte *at, const byte *end)
{
    const byte *close = memchr(at, '>', (size_t)(end - at));
    if (close == NULL) {
        w->strange = true;
        return end;
    }
    size_t size = (size_t)(close - at), named = size - (size > 0 && *at == '/');
    if (is_tag(at, size, "pre") || is_saying(at, size, "pre "))
        return put_pre(w, close + 1, end);
    if (is_tag(at, size, "/td") || is_tag(at, size, "/th"))
        end_cell(w);
    else if (parts_lines(close - named, named))
        end_words(w);
    else
        w->strange |= !is_within(close - named, named);
    return close + 1;
}

/* Whether all of it could be read. */
static bool put_plain(buffer *out, span html)
{
    plainly w = {out, 0, false, false};
    const byte *at = html.at, *end = html.at + html.size;
    while (at < end) {
        if (*at == '<') {
            at = put_tagged(&w, at + 1, end);
        } else if (*at == ' ' || *at == '\n') {
            put_space(&w);
            at++;
        } else {
            begin_words(&w);
            at = put_words(&w, at, end);
        }
    }
    end_words(&w);
    return !w.strange;
}

#endif
