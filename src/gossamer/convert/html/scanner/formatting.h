/* Which formatting goes on in the next block, and what is closed in the wrong order. */

#ifndef GOSSAMER_SCANNER_FORMATTING_H
#define GOSSAMER_SCANNER_FORMATTING_H

#include "elements.h"

static void list_marker(scanner *s)
{
    if (s->listed == LISTED_MOST) {
        odd(s);
        return;
    }
    s->list[s->listed++] = (formatting){.name = NOTHING, .written = NOTHING, .tag = T_OTHER, .open = -1, .link = -1};
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

/* Formatting that was not closed goes on in the next block. A link that does is a new link. */
static void reopen_formatting(scanner *s)
{
    int first = s->listed;
    while (is_waiting(s, first))
        first--;
    for (int i = first; i < s->listed && s->verdict == FINE; i++) {
        formatting *each = &s->list[i];
        element *again = push_as(s, each->tag, each->name, each->outlined);
        if (again->outlined)
            put_names(s, again->number, &each->names);
        again->listed = i;
        each->open = s->depth - 1;
        if (each->link >= 0 && s->verdict == FINE)
            begin_link(s, again, copy_link(s, each->link, s->found->linked, again->number));
    }
}

static int last_listed(scanner *s, enum tag tag)
{
    for (int i = s->listed - 1; i >= 0 && s->list[i].tag != T_OTHER; i--)
        if (s->list[i].tag == tag)
            return i;
    return -1;
}

/* Of equal formatting elements only three are opened again. False if it takes too long to see whether these are. */
static bool forget_fourth(scanner *s, const token *tag)
{
    int equals = 0, first = -1, same = 0;
    for (int i = s->listed - 1; i >= 0 && s->list[i].tag != T_OTHER; i--)
        same += s->list[i].tag == tag->tag;
    for (int i = s->listed - 1; same >= EQUALS_MOST && i >= 0 && s->list[i].tag != T_OTHER; i--) {
        if (s->list[i].tag != tag->tag)
            continue;
        enum likeness likeness = compared(s->list[i].written, tag->written);
        if (likeness == DOUBTFUL)
            return false;
        if (likeness == EQUAL) {
            equals++;
            first = i;
        }
    }
    if (equals >= EQUALS_MOST)
        forget(s, first);
    return true;
}

static void open_formatting(scanner *s, const token *tag)
{
    if (!forget_fourth(s, tag) || s->listed == LISTED_MOST) {
        odd(s);
        return;
    }
    element *begun = push_as(s, tag->tag, tag->name, outlined_as(tag));
    begun->listed = s->listed;
    formatting *added = &s->list[s->listed++];
    *added = (formatting){.name = tag->name, .written = tag->written, .tag = tag->tag, .link = -1};
    added->open = s->depth - 1;
    added->outlined = outlined_as(tag);
    added->names = names_of(s, &tag->namings);
    if (begun->outlined)
        put_names(s, begun->number, &added->names);
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
    const element *around = &s->stack[which - 1];
    s->stack[which] = *around;
    s->stack[which].name = again->name;
    s->stack[which].tag = again->tag;
    s->stack[which].listed = listed;
    s->stack[which].link = -1;
    s->stack[which].foreign = s->stack[which].ends_line = false;
    s->stack[which].number += !around->shut;
    s->list[listed] = *again;
    s->list[listed].open = which;
    s->opened[again->tag]++;
}

/* The same in the outline: formatting that was opened in between, and the formatting itself, begin a second time. */
static void outline_move(scanner *s, int which, int block)
{
    if (s->stack[which].shut)
        return;
    outline *o = &s->found->outline;
    s->moved += o->tags.size - (size_t)s->stack[block].number + s->found->linked;
    if (s->moved > MOVED_MOST) {
        odd(s);
        return;
    }
    int32_t between = block - which - 1, first = s->stack[block].number, parent = s->stack[which - 1].number;
    insert_elements(s, first, between, first + 1);
    insert_elements(s, first + between + 1, 1, first + between + 1);
    if (s->verdict != FINE)
        return;
    for (int32_t i = 0; i < between; i++) {
        element *each = &s->stack[which + 1 + i];
        fill_element(s, first + i, parent, &s->list[each->listed]);
        each->top = s->stack[which - 1].top;
        parent = each->number = first + i;
    }
    numbers(&o->parents)[first + between] = parent;
    hand_down(s, first + between);
    fill_element(s, first + between + 1, first + between, &s->list[s->stack[which].listed]);
}

/* Formatting ends while a block in it is open: it ends before that block and begins again within. What was opened
 * in between goes on around the block, or ends. Text stays in order.
 */
static void move_formatting(scanner *s, int which, int block)
{
    formatting moved = s->list[which];
    int bookmark = which, count = 0;
    bool is_next = true;
    for (int i = block - 1; i > moved.open; i--) {
        element *each = &s->stack[i];
        bool is_forgotten = ++count > 3 && each->listed >= 0; /* where lexbor has its own rules */
        if (is_forgotten || each->foreign || each->ends_line || FLAGS[each->tag] & LEFT_OUT || each->link >= 0) {
            odd(s);
            return;
        }
        if (each->listed < 0) {
            take_out(s, i);
            block--;
        } else if (is_next) {
            bookmark = each->listed + 1;
            is_next = false;
        }
    }
    outline_move(s, moved.open, block);
    int link = s->stack[moved.open].link;
    if (link >= 0)
        link = moved.link = split_link(s, block);
    else if (s->link >= 0)
        look_further(s, (size_t)(block - moved.open));
    take_out(s, moved.open);
    s->list[which].open = -1;
    forget(s, which);
    open_within(s, block, &moved, bookmark - (which < bookmark));
    if (s->verdict == FINE)
        s->stack[block].link = link;
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
        move_formatting(s, which, block);
    }
}

#endif
