/* spots.py: in which list, link or heading of the tagged text is what stands in an element of the page? */

#ifndef GOSSAMER_WRITER_SPOTS_H
#define GOSSAMER_WRITER_SPOTS_H

#include "tables.h"

typedef struct {
    const page *page;
    const kept *kept;
    spot *all;    /* for each element */
    bool *known;
    step *steps;
    int32_t step_count;
} spots;

static bool is_list(enum name name)
{
    return name == UL || name == OL || name == DL;
}

static enum name item_of(enum name list)
{
    return list == DL ? DD : LI;
}

static int32_t stepped(spots *s, int32_t before, enum name name, int32_t element)
{
    int depth = before < 0 ? 1 : s->steps[before].depth + 1;
    s->steps[s->step_count] = (step){before, depth, {name, element}};
    return s->step_count++;
}

static enum name last_of(const spots *s, int32_t path)
{
    return path < 0 ? NONE : s->steps[path].node.name;
}

/* Everything in a list stands in an item of it. */
static int32_t fitted(spots *s, int32_t path)
{
    enum name last = last_of(s, path);
    return is_list(last) ? stepped(s, path, item_of(last), -2 - s->steps[path].node.element) : path;
}

static int32_t path_into(spots *s, int32_t path, enum name name, int32_t element)
{
    enum name inner = last_of(s, path);
    int32_t longer, steps_before = s->step_count;
    if (is_list(name) || name == BLOCKQUOTE)
        longer = stepped(s, fitted(s, path), name, element);
    else if ((name == LI && (inner == UL || inner == OL)) || (name == DD && inner == DL))
        longer = stepped(s, path, name, element);
    else
        return path;
    if (s->steps[longer].depth <= DEEPEST)
        return longer;
    s->step_count = steps_before;
    return path;
}

static bool is_short(const spots *s, int32_t element)
{
    range places = within(s->page, s->kept, element);
    return places.end == places.first ||
           s->kept->ends[places.end - 1] - s->kept->starts[places.first] <= HEADING_MOST;
}

static bool is_unit(const spots *s, int32_t path, enum name name, int32_t element)
{
    if (name == TABLE)
        return is_of_data(s->page, s->kept, element);
    if (is_heading(name) || (name == DT && last_of(s, path) == DL))
        return is_short(s, element);
    return name == PRE;
}

/* In a heading or term nothing needs to be bold. */
static void mark(const spots *s, spot *at, enum name name, int32_t element)
{
    if ((name == A || name == IMG) && s->page->hrefs[element].at == NULL)
        return;
    for (int i = 0; i < at->marks.count; i++)
        if (at->marks.at[i].name == name)
            return;
    if (name == STRONG && (is_heading(at->unit.name) || at->unit.name == DT))
        return;
    at->marks.at[at->marks.count++] = (node){name, element};
}

/* What holds in an element, from what holds around it. */
static void enter(spots *s, spot *at, int32_t element)
{
    enum name name = s->page->names[s->page->tags[element]];
    if (name >= EM)
        mark(s, at, name, element);
    else if (name == PRE && at->unit.name == TABLE)
        mark(s, at, CODE, element);
    else if (name != NONE && at->unit.name == NONE) {
        at->path = path_into(s, at->path, name, element);
        if (is_unit(s, at->path, name, element))
            at->unit = (node){name, element};
    }
}

/* The spot of an element's own text. `passed` has room for all elements. */
static const spot *spot_at(spots *s, int32_t element, int32_t *passed)
{
    int32_t count = 0, above = element;
    while (above >= 0 && !s->known[above]) {
        passed[count++] = above;
        above = s->page->parents[above];
    }
    spot at = above >= 0 ? s->all[above] : (spot){.path = -1};
    while (count > 0) {
        int32_t next = passed[--count];
        enter(s, &at, next);
        s->all[next] = at;
        s->known[next] = true;
    }
    return &s->all[element];
}

/* A path, written out, with the item that belongs into a list. */
static path written_path(const spots *s, int32_t last, bool fitting)
{
    path found = {.count = last < 0 ? 0 : s->steps[last].depth};
    int at = found.count;
    if (fitting && is_list(last_of(s, last)))
        found.at[found.count++] = (node){item_of(last_of(s, last)), -2 - s->steps[last].node.element};
    for (; last >= 0; last = s->steps[last].before)
        found.at[--at] = s->steps[last].node;
    return found;
}

#endif
