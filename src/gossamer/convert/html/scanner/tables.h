/* Tree construction: in tables. */

#ifndef GOSSAMER_SCANNER_TABLES_H
#define GOSSAMER_SCANNER_TABLES_H

#include "body.h"

static void reset_mode(scanner *s)
{
    for (int i = s->depth - 1; i > 0; i--) {
        switch (s->stack[i].tag) {
        case T_TD:
        case T_TH:
            s->mode = IN_CELL;
            return;
        case T_TR:
            s->mode = IN_ROW;
            return;
        case T_TBODY:
        case T_THEAD:
        case T_TFOOT:
            s->mode = IN_TBODY;
            return;
        case T_CAPTION:
            s->mode = IN_CAPTION;
            return;
        case T_COLGROUP:
            s->mode = IN_COLGROUP;
            return;
        case T_TABLE:
            s->mode = IN_TABLE;
            return;
        default:
            break;
        }
    }
    s->mode = IN_BODY;
}

static bool is_group(enum tag tag)
{
    return tag == T_TBODY || tag == T_THEAD || tag == T_TFOOT;
}

static bool is_cell(enum tag tag)
{
    return tag == T_TD || tag == T_TH;
}

static bool is_part(enum tag tag) /* what begins only directly in a table */
{
    return tag == T_CAPTION || tag == T_COL || tag == T_COLGROUP || is_group(tag);
}

static bool end_table(scanner *s)
{
    int at = in_table_scope(s, T_TABLE);
    if (at < 0)
        return false;
    pop_to(s, at);
    reset_mode(s);
    return true;
}

static void open_cell(scanner *s, const token *tag)
{
    pop_until_one_of(s, T_TR, T_TR, T_TR);
    push(s, tag);
    list_marker(s);
    s->mode = IN_CELL;
}

static void close_cell(scanner *s)
{
    while (s->depth > 1 && !is_current(s, T_TD) && !is_current(s, T_TH))
        pop(s);
    pop(s);
    forget_to_marker(s);
    s->mode = IN_ROW;
}

static void close_row(scanner *s)
{
    pop_until_one_of(s, T_TR, T_TR, T_TR);
    if (is_current(s, T_TR))
        pop(s);
    s->mode = IN_TBODY;
}

static void close_group(scanner *s)
{
    pop_until_one_of(s, T_TBODY, T_THEAD, T_TFOOT);
    if (!is_current(s, T_TABLE))
        pop(s);
    s->mode = IN_TABLE;
}

static void close_caption(scanner *s)
{
    int at = in_table_scope(s, T_CAPTION);
    if (at < 0) {
        odd(s);
        return;
    }
    pop_to(s, at);
    forget_to_marker(s);
    s->mode = IN_TABLE;
}

/* These and the next: whether the tag is to be looked at again, in the mode there is now. */
static bool start_in_table(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_TR || is_cell(name)) {
        push_implied(s, T_TBODY);
        s->mode = IN_TBODY;
        return true;
    }
    if (name == T_COL) {
        push_implied(s, T_COLGROUP);
        s->mode = IN_COLGROUP;
        return true;
    }
    if (is_part(name)) {
        push(s, tag);
        s->mode = is_group(name) ? IN_TBODY : name == T_CAPTION ? IN_CAPTION : IN_COLGROUP;
        if (name == T_CAPTION)
            list_marker(s);
    } else if (name == T_TABLE) {
        return end_table(s);
    } else if (name == T_STYLE || name == T_SCRIPT || name == T_TEMPLATE) {
        start_of_head(s, tag);
    } else if (name == T_FORM) {
        if (!s->has_form) {
            add_empty(s, tag);
            s->has_form = true;
            s->form = -1;
        }
    } else if (name == T_INPUT && is_word(value(s, tag, TYPE), "hidden")) {
        add_empty(s, tag);
    } else if (name == T_HTML) {
        tell_language(s, tag);
    } else if (name == T_BODY) {
        add_to_body(s, tag);
    } else if (name != T_HEAD) {
        odd(s); /* it leaves the table */
    }
    return false;
}

static bool end_in_table(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    enum action action = ACTIONS[name];
    if (name == T_TABLE)
        end_table(s);
    else if (name == T_P || name == T_BR || action == DO_LINK || action == DO_FORMATTING || action == DO_ODD)
        odd(s);
    else if (name == T_FORM)
        end_form(s);
    return false;
}

static bool start_in_group(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_TR || is_cell(name)) {
        pop_until_one_of(s, T_TBODY, T_THEAD, T_TFOOT);
        if (name == T_TR)
            push(s, tag);
        else
            push_implied(s, T_TR);
        s->mode = IN_ROW;
        return name != T_TR;
    }
    if (is_part(name)) {
        close_group(s);
        return true;
    }
    return start_in_table(s, tag);
}

static bool end_in_group(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_TABLE) {
        close_group(s);
        return true;
    }
    if (is_group(name)) {
        if (in_table_scope(s, name) >= 0)
            close_group(s);
        return false;
    }
    return end_in_table(s, tag);
}

static bool start_in_row(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (is_cell(name)) {
        open_cell(s, tag);
        return false;
    }
    if (name == T_TR || is_part(name)) {
        close_row(s);
        return true;
    }
    return start_in_table(s, tag);
}

static bool end_in_row(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_TR || name == T_TABLE || (is_group(name) && in_table_scope(s, name) >= 0)) {
        close_row(s);
        return name != T_TR;
    }
    return is_group(name) ? false : end_in_table(s, tag);
}

static bool start_in_cell(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (name == T_TR || is_cell(name) || is_part(name)) {
        close_cell(s);
        return true;
    }
    start_in_body(s, tag);
    return false;
}

static bool end_in_cell(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    if (is_cell(name)) {
        if (in_table_scope(s, name) >= 0)
            close_cell(s);
        return false;
    }
    if (name == T_TABLE || name == T_TR || is_group(name)) {
        if (in_table_scope(s, name) < 0)
            return false;
        close_cell(s);
        return true;
    }
    if (name != T_CAPTION && name != T_COL && name != T_COLGROUP)
        end_in_body(s, tag);
    return false;
}

static bool tag_in_caption(scanner *s, const token *tag, bool is_end)
{
    enum tag name = tag->tag;
    if (is_end ? name == T_TABLE : name == T_TR || is_cell(name) || is_part(name)) {
        close_caption(s);
        return true;
    }
    if (!is_end)
        start_in_body(s, tag);
    else if (name == T_CAPTION)
        close_caption(s);
    else if (name != T_TR && !is_cell(name) && !is_part(name))
        end_in_body(s, tag);
    return false;
}

static bool tag_in_colgroup(scanner *s, const token *tag, bool is_end)
{
    enum tag name = tag->tag;
    if (!is_end && name == T_COL) {
        add_empty(s, tag);
        return false;
    }
    if ((is_end && name == T_COL) || name == T_TEMPLATE || name == T_HTML) {
        if (!is_end)
            odd(s);
        return false;
    }
    pop(s);
    s->mode = IN_TABLE;
    return !(is_end && name == T_COLGROUP);
}

#endif
