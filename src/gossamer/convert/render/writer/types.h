/* What the parts of the writer hand to each other. */

#ifndef GOSSAMER_WRITER_TYPES_H
#define GOSSAMER_WRITER_TYPES_H

#include "convert/html/scanner/white.h"
#include "tagged/buffer.h"

/* twin.NAMES: elements of tagged text. The first is none. */
enum name {
    NONE,
    H1,
    H6 = H1 + 5,
    DT,
    PRE,
    TABLE,
    UL,
    OL,
    DL,
    LI,
    DD,
    BLOCKQUOTE,
    EM,
    STRONG,
    CODE,
    SUB,
    SUP,
    A,
    DEL,
    IMG,
    MATH,
    NAME_COUNT
};

static const char *const NAMES[NAME_COUNT] = {
    "",   "h1", "h2", "h3", "h4",         "h5", "h6",     "dt",   "pre", "table", "ul",
    "ol", "dl", "li", "dd", "blockquote", "em", "strong", "code", "sub", "sup",   "a",
    "del", "img", "math",
};

/* twin.FLAGS: what else there is to know of an element of a page. */
enum { BLOCK = 1, BREAK = 2, NOTHING = 4, NO_DATA = 8, PARAGRAPH = 16, CELL = 32, HEAD_CELL = 64, TABLE_ITSELF = 128 };

enum {
    DEEPEST = 32,        /* lists and quotes in each other */
    MARKS_MOST = 9,      /* there is one of each name at most */
    HEADING_MOST = 1000, /* bytes */
    CELL_WORDS_MOST = 150,
    COLUMNS_MOST = 64,
    SPANNED_MOST = 200, /* bytes of a cell that is written again for every row that it spans, and rows */
};

typedef struct {
    enum name name;
    int32_t element; /* of the page; below 0 if it has none */
} node;

typedef struct {
    node at[DEEPEST + 1];
    int count;
} path; /* lists, items and quotes, from the outermost on */

typedef struct {
    int32_t before; /* the step that it follows, or -1 */
    int depth;
    node node;
} step; /* the end of a path: those of many elements begin alike */

typedef struct {
    node at[MARKS_MOST];
    int count;
} marks; /* links, emphasis and the like */

typedef struct {
    int32_t path; /* its last step, or -1 */
    node unit;    /* a heading, a term, a pre or a table, which are written as a whole; none has no name */
    marks marks;
} spot;

typedef struct { /* an Outline, and what is kept of it */
    const byte *tags, *text, *keep;
    const byte *names, *flags; /* by the number of a tag */
    const int32_t *parents, *ends, *starts, *owners, *befores, *counts;
    span *hrefs; /* for each element: where it points to, or what else it says of itself */
    int32_t elements, runs;
} page;

typedef struct { /* for each kept run that is not one with the run before it */
    int32_t *starts, *ends, *owners, *befores, *words, *steps, *breaks;
    bool *parted;
    int32_t count;
} kept;

static void put_text(buffer *b, const char *text)
{
    put(b, text, strlen(text));
}

static void put_tag(buffer *b, const char *before, enum name name)
{
    put_text(b, before);
    put_text(b, NAMES[name]);
    put_byte(b, '>');
}

#endif
