/* What the parts of the scanner hand to each other, and how memory grows. */

#ifndef GOSSAMER_SCANNER_TYPES_H
#define GOSSAMER_SCANNER_TYPES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tags.h"
#include "white.h"

enum {
    DEPTH_MOST = 400,
    COMMENT_MOST = 2000, /* bytes of one that may name an address */
    LISTED_MOST = 60,
    EQUALS_MOST = 3, /* formatting elements of one name: of more than that, the standard drops some */
    TITLE_MOST = 2000,
    META_MOST = 2000,
    METAS_MOST = 500,
    ANCHOR_MOST = 500,
    REL_MOST = 200,
    SEARCHED_MOST = 50,
    NAMES_MOST = 32,
    NOTE_MOST = 2000, /* bytes */
    CUT_FIRST = 8, /* times the most: what is looked at before white space is collapsed */
    ANCHORS_MOST = 3900000, /* bytes; below the limit of links.py, which is the judge of such a page */
};

typedef struct {
    byte *at;
    size_t size, room;
} buffer;

typedef struct {
    size_t from, size;
} piece; /* of the buffer that all findings are in */

/* pointers.PLACES, and the bit beside them */
enum place { PLACE_A, PLACE_AREA, PLACE_IFRAME, PLACE_LINK, PLACE_REFRESH, PLACE_FRAME, MARK_NOFOLLOW = 8 };

typedef struct {
    piece href, anchor, rel;
    enum place place;
    int32_t where; /* the element of the outline that it is or stands in */
} pointer;

typedef struct {
    piece name, content;
} meta;

typedef struct {
    buffer tags, parents, text, starts, owners, befores, names, named, notes, note_starts, noted;
} outline; /* arrays of bytes, of text and of 32-bit numbers */

typedef struct {
    buffer bytes, text;
    outline outline;
    pointer *links;
    size_t linked, links_room, links_most;
    meta metas[METAS_MOST];
    size_t metas_found;
    piece title, base, language;
    size_t anchors_size;
    bool titled, based, languaged, links_cut;
    bool outlined; /* whether anybody wants the outline */
    unsigned hints;
    const byte *linked_at, *linked_end; /* attributes of the first script with JSON-LD, and the end of those of the last */
    Py_ssize_t linked_from, linked_to;  /* the same as places in the page */
} findings;

/* html.Hint: what is worth a closer look elsewhere. */
enum {
    HINT_NOSCRIPT = 1,
    HINT_TIME = 2,
    HINT_ITEM = 4,
    HINT_LINKED_DATA = 8,
    HINT_CODE = 16,
    HINT_DATA = 32,
    HINT_SCRIPT = 64,
    HINT_PROTOCOL = 128,
    HINT_COMMENT = 256,
    HINT_TEMPLATE = 512
};

enum verdict { FINE, ODD, NO_MEMORY };

enum mode {
    BEFORE_HEAD,
    IN_HEAD,
    AFTER_HEAD,
    IN_BODY,
    IN_TABLE,
    IN_CAPTION,
    IN_COLGROUP,
    IN_TBODY,
    IN_ROW,
    IN_CELL,
};

enum quirks { QUIRKS_NO, QUIRKS_YES, QUIRKS_UNKNOWN };

enum attribute {
    ALT,
    CHECKED,
    COLSPAN,
    CONTENT,
    DATA_SRC,
    HREF,
    HTTP_EQUIV,
    LANG,
    NAME,
    PROPERTY,
    REL,
    ROWSPAN,
    SRC,
    START,
    TITLE,
    TYPE,
    XLINK_HREF,
    ATTRIBUTE_COUNT
};

/* Attributes whose words an element is known by. */
enum naming {
    BY_ARIA_HIDDEN,
    BY_CLASS,
    BY_HIDDEN,
    BY_ID,
    BY_ITEMPROP,
    BY_ITEMTYPE,
    BY_ROLE,
    BY_STYLE,
    NAMING_COUNT
};

typedef struct {
    span values[NAMING_COUNT]; /* as written; `at` is NULL for one that has no value */
    enum naming order[NAMING_COUNT];
    int count;
    unsigned seen;
} namings;

typedef struct {
    uint32_t hashes[NAMES_MOST];
    int count;
} names; /* words that an element is known by */

typedef struct {
    enum tag tag;
    span name;
    bool self_closing;
    namings namings;
    span written; /* all of its attributes */
    span attributes[ATTRIBUTE_COUNT]; /* as written; `at` is NULL for one that is not there or has no value */
} token;

typedef struct {
    span name;
    enum tag tag;
    int listed; /* where it is in the list of formatting, or -1 */
    int link;   /* its number among the links, or -1 */
    bool foreign;
    bool ends_line;
    bool outlined;  /* it is in the outline */
    bool shut;      /* nothing in it is */
    int32_t number; /* in the outline: its own, or that of the element around it; -1 outside of the body */
    int32_t top;    /* the number of the block it is or stands in */
    size_t anchor_at, searched, links_before; /* how far the scanner was with these when it began, and the next */
    bool pictured;
} element;

typedef struct {
    span name, written;
    enum tag tag; /* T_OTHER for a marker */
    int open;     /* where it is on the stack, or -1 */
    int link;
    byte outlined;
    names names;
} formatting;

typedef struct {
    const byte *at, *end;
    findings *found;
    bool within_noscript;
    span noscript; /* markup of one that was met and has links; `at` is NULL if there is none */
    enum verdict verdict;
    enum mode mode;
    enum quirks quirks;
    bool begun; /* a doctype would come too late */
    bool ended; /* the body has; comments that follow are not in it */

    element stack[DEPTH_MOST];
    int depth;
    unsigned short opened[T_COUNT]; /* how many of each are on the stack */
    formatting list[LISTED_MOST];
    int listed;
    bool has_form;
    int form; /* where it is on the stack, or -1 */

    int left_out; /* how many open elements are not for reading */
    bool line_begun, kept, newline_skipped;
    size_t line_start;
    buffer gap; /* white space that stands between two words, if another one follows */
    bool gap_collapses;

    int link; /* the one that is open, or -1 */
    buffer anchor;
    size_t anchor_from; /* where its text begins */
    size_t searched;
    bool anchor_begun, pictured;
    bool in_doubt; /* whether its picture is the right one */
    piece picture;
    bool parted; /* text that follows is a node of its own */
    bool hushed; /* text that follows is the first child of a silent element of a drawing */

    int32_t where; /* in a noscript: the element of the outline it stands in */
    bool in_run;   /* text that follows belongs to the node that was last put into a run */
    int32_t blocks;
    buffer blank; /* white space that waits for words */
    int32_t blank_top, blank_blocks;
    unsigned body_names; /* what the body is known by */
    size_t moved; /* how many numbers had to be changed */

    buffer decoded, name;
} scanner;

static const unsigned short FLAGS[T_COUNT] = {
    0,
#define X(name, id, flags, action) flags,
    TAGS(X)
#undef X
};

static const unsigned char ACTIONS[T_COUNT] = {
    DO_ORDINARY,
#define X(name, id, flags, action) DO_##action,
    TAGS(X)
#undef X
};

#define SPAN(text) {(const byte *)(text), sizeof(text) - 1}

static const span NOTHING = SPAN("");

static const span NAMES[T_COUNT] = {
    SPAN(""),
#define X(name, id, flags, action) SPAN(name),
    TAGS(X)
#undef X
};

static void odd(scanner *s)
{
    if (s->verdict == FINE)
        s->verdict = ODD;
}

static bool make_room(scanner *s, buffer *b, size_t more)
{
    if (more <= b->room - b->size)
        return true;
    if (more > SIZE_MAX / 4 || b->size > SIZE_MAX / 4) {
        s->verdict = NO_MEMORY;
        return false;
    }
    size_t room = 2 * (b->size + more) + 64;
    byte *at = realloc(b->at, room);
    if (at == NULL) {
        s->verdict = NO_MEMORY;
        return false;
    }
    b->at = at;
    b->room = room;
    return true;
}

static inline void put(scanner *s, buffer *b, const byte *at, size_t size)
{
    if (size > 0 && make_room(s, b, size)) {
        memcpy(b->at + b->size, at, size);
        b->size += size;
    }
}

static inline void put_byte(scanner *s, buffer *b, byte value)
{
    put(s, b, &value, 1);
}

#endif
