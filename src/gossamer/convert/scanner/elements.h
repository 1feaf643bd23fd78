/* Which elements are open, and which formatting goes on in the next block. */

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
    s->hushed = false;
    s->searched++;
}

static element *push(scanner *s, enum tag tag, span name)
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
    s->stack[s->depth] = (element){name, tag, -1, -1, false, FLAGS[tag] & BLOCK};
    return &s->stack[s->depth++];
}

static void push_implied(scanner *s, enum tag tag)
{
    push(s, tag, NAMES[tag]);
}

/* An element that has no content. */
static void add_empty(scanner *s, enum tag tag)
{
    add_node(s);
    if (FLAGS[tag] & BLOCK)
        end_line(s);
}

static void end_link(scanner *s)
{
    pointer *link = &s->found->links[s->link];
    s->found->anchors_size += s->anchor.size;
    if (s->found->anchors_size > ANCHORS_MOST)
        odd(s);
    if (s->anchor_begun)
        link->anchor = keep_anchor(s, (span){s->anchor.at, s->anchor.size});
    if (link->anchor.size == 0 && s->pictured)
        link->anchor = s->picture;
    s->link = -1;
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
    s->hushed = false;
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

static void list_marker(scanner *s)
{
    if (s->listed == LISTED_MOST) {
        odd(s);
        return;
    }
    s->list[s->listed++] = (formatting){NOTHING, NOTHING, T_OTHER, -1, -1};
}

static void forget_to_marker(scanner *s)
{
    while (s->listed > 0) {
        formatting *last = &s->list[--s->listed];
        if (last->open >= 0)
            s->stack[last->open].listed = -1;
        if (last->tag == T_OTHER)
            return;
    }
}

static void forget(scanner *s, int which)
{
    if (s->list[which].open >= 0)
        s->stack[s->list[which].open].listed = -1;
    s->listed--;
    for (int i = which; i < s->listed; i++) {
        s->list[i] = s->list[i + 1];
        if (s->list[i].open >= 0)
            s->stack[s->list[i].open].listed = i;
    }
}

/* Whether the formatting before that one in the list was not closed, and is not open either. */
static bool is_waiting(scanner *s, int next)
{
    return next > 0 && s->list[next - 1].tag != T_OTHER && s->list[next - 1].open < 0;
}

/* Formatting that was not closed goes on in the next block. A link that does would become two. */
static void reopen_formatting(scanner *s)
{
    int first = s->listed;
    while (is_waiting(s, first))
        first--;
    for (int i = first; i < s->listed && s->verdict == FINE; i++) {
        formatting *each = &s->list[i];
        if (each->link >= 0) {
            odd(s);
            return;
        }
        element *again = push(s, each->tag, each->name);
        again->listed = i;
        each->open = s->depth - 1;
    }
}

static int last_listed(scanner *s, enum tag tag)
{
    for (int i = s->listed - 1; i >= 0 && s->list[i].tag != T_OTHER; i--)
        if (s->list[i].tag == tag)
            return i;
    return -1;
}

/* Of equal formatting elements only three are opened again. False if it takes more than a look to see if these are. */
static bool forget_fourth(scanner *s, const token *tag)
{
    int equals = 0, others = 0, first = -1;
    for (int i = s->listed - 1; i >= 0 && s->list[i].tag != T_OTHER; i--) {
        const formatting *each = &s->list[i];
        if (each->tag != tag->tag)
            continue;
        if (each->written.size == tag->written.size &&
            memcmp(each->written.at, tag->written.at, tag->written.size) == 0) {
            equals++;
            first = i;
        } else if (each->written.size > 0 && tag->written.size > 0) {
            others++;
        }
    }
    if (equals + others < EQUALS_MOST)
        return true;
    if (others == 0)
        forget(s, first);
    return others == 0;
}

static void open_formatting(scanner *s, const token *tag)
{
    if (!forget_fourth(s, tag) || s->listed == LISTED_MOST) {
        odd(s);
        return;
    }
    push(s, tag->tag, tag->name)->listed = s->listed;
    s->list[s->listed++] = (formatting){tag->name, tag->written, tag->tag, s->depth - 1, -1};
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

/* The first block in an open element; -1 if there is none. */
static int first_block(scanner *s, int within)
{
    for (int i = within + 1; i < s->depth; i++)
        if (FLAGS[s->stack[i].tag] & SPECIAL)
            return i;
    return -1;
}

static bool is_in_scope(scanner *s, int which)
{
    for (int i = which + 1; i < s->depth; i++)
        if (FLAGS[s->stack[i].tag] & SCOPE)
            return false;
    return true;
}

static void open_within(scanner *s, int which, const formatting *again, int listed)
{
    if (s->depth == DEPTH_MOST || s->listed == LISTED_MOST) {
        odd(s);
        return;
    }
    for (int i = s->depth++; i > which; i--) {
        s->stack[i] = s->stack[i - 1];
        if (s->stack[i].listed >= 0)
            s->list[s->stack[i].listed].open = i;
    }
    if (s->form >= which)
        s->form++;
    for (int i = s->listed++; i > listed; i--) {
        s->list[i] = s->list[i - 1];
        if (s->list[i].open >= 0)
            s->stack[s->list[i].open].listed = i;
    }
    s->stack[which] = (element){again->name, again->tag, listed, -1, false, false};
    s->list[listed] = *again;
    s->list[listed].open = which;
    s->opened[again->tag]++;
}

/* Formatting ends while a block in it is open: it ends before that block and begins again within. What was opened
 * in between goes on around the block, or ends. Text stays in order, but links would be cloned.
 */
static void move_formatting(scanner *s, int which, int block)
{
    const formatting moved = s->list[which];
    int bookmark = which, count = 0;
    bool is_next = true;
    for (int i = block - 1; i > moved.open; i--) {
        element *each = &s->stack[i];
        if (each->foreign || each->ends_line || FLAGS[each->tag] & LEFT_OUT || each->link >= 0) {
            odd(s);
            return;
        }
        if (++count > 3 && each->listed >= 0) {
            if (each->listed < bookmark)
                bookmark--;
            which -= each->listed < which;
            forget(s, each->listed);
        }
        if (each->listed < 0) {
            take_out(s, i);
            block--;
        } else if (is_next) {
            bookmark = each->listed + 1;
            is_next = false;
        }
    }
    take_out(s, moved.open);
    s->list[which].open = -1;
    forget(s, which);
    open_within(s, block, &moved, bookmark - (which < bookmark));
}

/* The standard's adoption agency. */
static void end_formatting(scanner *s, const token *tag)
{
    if (is_current(s, tag->tag) && current(s)->listed < 0) {
        pop(s);
        return;
    }
    for (int round = 0; round < 8 && s->verdict == FINE; round++) {
        int which = last_listed(s, tag->tag);
        if (which < 0) {
            if (round == 0)
                end_ordinary(s, tag);
            return;
        }
        int at = s->list[which].open;
        if (at >= 0 && !is_in_scope(s, at))
            return;
        int block = at < 0 ? -1 : first_block(s, at);
        if (block < 0) {
            forget(s, which);
            if (at >= 0)
                pop_to(s, at);
            return;
        }
        if (s->link >= 0)
            odd(s);
        else
            move_formatting(s, which, block);
    }
}

#endif
