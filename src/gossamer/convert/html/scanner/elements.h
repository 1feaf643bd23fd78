/* Which elements are open, and what a link has said so far. */

#ifndef GOSSAMER_SCANNER_ELEMENTS_H
#define GOSSAMER_SCANNER_ELEMENTS_H

#include "text.h"

static element *current(scanner *s)
{
    return &s->stack[s->depth - 1];
}

static bool is_current(scanner *s, enum tag tag)
{
    return current(s)->tag == tag && !current(s)->foreign;
}

/* An element or comment begins: text around it is parted. */
static void add_node(scanner *s)
{
    s->parted = true;
    s->hushed = s->in_run = false;
    s->searched++;
}

static element *push_as(scanner *s, enum tag tag, span name, byte outlined)
{
    if (s->depth == DEPTH_MOST) {
        odd(s);
        return current(s);
    }
    add_node(s);
    if (FLAGS[tag] & BLOCK)
        end_line(s);
    if (FLAGS[tag] & LEFT_OUT)
        s->left_out++;
    s->opened[tag]++;
    element *begun = &s->stack[s->depth++];
    *begun = (element){
        .name = name,
        .tag = tag,
        .listed = -1,
        .link = -1,
        .ends_line = FLAGS[tag] & BLOCK,
        .anchor_at = s->anchor.size,
        .searched = s->searched,
        .links_before = s->found->linked,
        .pictured = s->pictured,
    };
    outline_element(s, begun, s->depth > 1 ? begun - 1 : NULL, outlined);
    return begun;
}

static void push_implied(scanner *s, enum tag tag)
{
    push_as(s, tag, NAMES[tag], OUTLINED_AS[tag]);
}

/* A link that points nowhere is none in the outline. */
static byte outlined_as(const token *tag)
{
    return tag->tag == T_A && tag->attributes[HREF].size == SIZE_MAX ? N_OTHER : OUTLINED_AS[tag->tag];
}

static void name_element(scanner *s, const element *begun, const token *tag)
{
    if (!begun->outlined)
        return;
    note_element(s, begun->number, tag);
    if (tag->namings.count == 0)
        return;
    const names known = names_of(s, &tag->namings);
    put_names(s, begun->number, &known);
}

static element *push(scanner *s, const token *tag)
{
    element *begun = push_as(s, tag->tag, tag->name, outlined_as(tag));
    name_element(s, begun, tag);
    return begun;
}

/* An element that has no content. Gives its number in the outline. */
static int32_t add_empty(scanner *s, const token *tag)
{
    add_node(s);
    if (FLAGS[tag->tag] & BLOCK)
        end_line(s);
    element begun = {.tag = tag->tag};
    outline_element(s, &begun, current(s), tag->tag == T_IMAGE ? N_IMG : outlined_as(tag));
    name_element(s, &begun, tag);
    return begun.number;
}

/* The text of the open link as far as it goes, or else its picture. */
static void tell_anchor(scanner *s, size_t to, bool pictured)
{
    pointer *link = &s->found->links[s->link];
    s->found->anchors_size += to - s->anchor_from;
    if (s->found->anchors_size > ANCHORS_MOST)
        odd(s);
    if (to > s->anchor_from)
        link->anchor = keep_anchor(s, (span){s->anchor.at + s->anchor_from, to - s->anchor_from});
    if (link->anchor.size == 0 && s->in_doubt)
        odd(s);
    if (link->anchor.size == 0 && pictured)
        link->anchor = s->picture;
}

static void end_link(scanner *s)
{
    tell_anchor(s, s->anchor.size, s->pictured);
    s->link = -1;
}

/* A link begins, if it has a number: what follows is its text. */
static void begin_link(scanner *s, element *opened, int link)
{
    if (s->link >= 0)
        odd(s);
    if (link < 0 || s->verdict != FINE)
        return;
    opened->link = s->link = link;
    if (opened->listed >= 0)
        s->list[opened->listed].link = link;
    s->anchor.size = s->anchor_from = 0;
    s->searched = 1;
    s->anchor_begun = s->pictured = s->in_doubt = false;
}

/* There are more elements in the open link than were counted, so that its picture may be another. */
static void look_further(scanner *s, size_t more)
{
    s->searched += more;
    if (s->searched > SEARCHED_MOST)
        s->in_doubt = true;
}

/* The open link ends before a block and begins again in it: it becomes two. Gives the number of the second. */
static int split_link(scanner *s, int block)
{
    const element at = s->stack[block];
    if (s->found->linked == s->found->links_most) {
        odd(s);
        return -1;
    }
    tell_anchor(s, at.anchor_at, at.pictured);
    int link = copy_link(s, s->link, at.links_before, at.number + !at.shut);
    s->link = link;
    s->anchor_from = at.anchor_at;
    s->in_doubt = at.pictured || s->searched > SEARCHED_MOST;
    s->pictured = s->pictured && !at.pictured;
    s->searched -= at.searched - 1;
    for (int i = block + 1; i < s->depth; i++) {
        s->stack[i].searched -= at.searched - 1;
        s->stack[i].links_before++;
        s->stack[i].pictured = s->stack[i].pictured && !at.pictured;
    }
    return link;
}

static void pop(scanner *s)
{
    element *last = current(s);
    if (last->ends_line)
        end_line(s);
    if (FLAGS[last->tag] & LEFT_OUT)
        s->left_out--;
    if (last->listed >= 0)
        s->list[last->listed].open = -1;
    if (last->link >= 0)
        end_link(s);
    if (s->form == s->depth - 1)
        s->form = -1;
    s->opened[last->tag]--;
    s->depth--;
    s->parted = true;
    s->hushed = s->in_run = false;
}

/* Close an element before those that were opened in it. */
static void take_out(scanner *s, int which)
{
    element *taken = &s->stack[which];
    if (taken->listed >= 0)
        s->list[taken->listed].open = -1;
    if (s->form == which)
        s->form = -1;
    else if (s->form > which)
        s->form--;
    s->opened[taken->tag]--;
    taken[1].ends_line |= taken->ends_line; /* what follows that one is outside of this one too */
    s->depth--;
    for (int i = which; i < s->depth; i++) {
        s->stack[i] = s->stack[i + 1];
        if (s->stack[i].listed >= 0)
            s->list[s->stack[i].listed].open = i;
    }
}

static void pop_to(scanner *s, int depth)
{
    while (s->depth > depth)
        pop(s);
}

/* Where the last open element of that name is, if above it is none of these kinds and no `barrier`. */
static int in_scope(scanner *s, enum tag tag, int barriers, enum tag barrier)
{
    if (s->opened[tag] == 0)
        return -1;
    for (int i = s->depth - 1; i >= 0; i--) {
        enum tag each = s->stack[i].tag;
        if (each == tag && !s->stack[i].foreign)
            return i;
        if (FLAGS[each] & barriers || each == barrier)
            return -1;
    }
    return -1;
}

static int in_table_scope(scanner *s, enum tag tag)
{
    return in_scope(s, tag, 0, T_TABLE);
}

static void imply_ends(scanner *s, enum tag but)
{
    while (FLAGS[current(s)->tag] & IMPLIED && current(s)->tag != but)
        pop(s);
}

static void close_p(scanner *s)
{
    int at = in_scope(s, T_P, SCOPE, T_BUTTON);
    if (at >= 0)
        pop_to(s, at);
}

static void pop_until_one_of(scanner *s, enum tag a, enum tag b, enum tag c)
{
    while (s->depth > 1 && !is_current(s, a) && !is_current(s, b) && !is_current(s, c) && !is_current(s, T_TABLE))
        pop(s);
}

static bool same_name(const element *open, const token *tag)
{
    return open->tag == tag->tag && (open->tag != T_OTHER || same_ignoring_case(open->name, tag->name));
}

static void end_ordinary(scanner *s, const token *tag)
{
    for (int i = s->depth - 1; i > 0; i--) {
        if (same_name(&s->stack[i], tag)) {
            pop_to(s, i);
            return;
        }
        if (FLAGS[s->stack[i].tag] & SPECIAL)
            return;
    }
}

#endif
