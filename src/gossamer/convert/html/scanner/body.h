/* Tree construction: in a body, and in drawings and formulas. */

#ifndef GOSSAMER_SCANNER_BODY_H
#define GOSSAMER_SCANNER_BODY_H

#include "telling.h"

static bool hides_links(span markup)
{
    for (size_t i = 0; i + 1 < markup.size; i++)
        if (markup.at[i] == '<' && lower(markup.at[i + 1]) == 'a')
            return true;
    return false;
}

static void start_raw(scanner *s, const token *tag)
{
    int flags = FLAGS[tag->tag];
    int32_t where = -1;
    if (!(flags & SILENT))
        push(s, tag);
    else if (flags & UNSEEN)
        add_node(s);
    else
        where = add_empty(s, tag);
    if (tag->tag == T_IFRAME)
        tell_pointer(s, tag, SRC, TITLE, PLACE_IFRAME, where);
    span text = raw_text(s, tag);
    if (tag->tag == T_TITLE)
        tell_title(s, text);
    else if (tag->tag == T_NOSCRIPT && !s->within_noscript && hides_links(text))
        s->noscript = text;
    if (!(flags & SILENT)) {
        say(s, text);
        pop(s);
    } else if (s->within_noscript && s->link >= 0) {
        odd(s); /* html.py does not take the text out there */
    }
    s->parted = true;
}

static bool has_raw_text(enum tag tag)
{
    return (FLAGS[tag] & SILENT) || tag == T_XMP;
}

/* After some elements what follows is not read as elsewhere, or formatting is not forgotten at the end. */
static bool leaks_from_template(enum tag tag)
{
    return tag == T_COL || tag == T_COLGROUP || (FLAGS[tag] & SCOPE && tag != T_TABLE) ||
           ACTIONS[tag] == DO_ODD;
}

/* Templates are read past: nothing in them is part of the page. */
static void skip_template(scanner *s)
{
    int depth = 1, drawings = 0;
    while (depth > 0 && s->verdict == FINE) {
        const byte *at = s->at < s->end ? memchr(s->at, '<', (size_t)(s->end - s->at)) : NULL;
        if (at == NULL || s->end - at < 3) {
            odd(s);
            return;
        }
        s->at = at;
        bool is_end = at[1] == '/';
        if (!is_letter(at[1 + is_end])) {
            if (drawings > 0 && at[1] == '!' && at[2] == '[')
                odd(s);
            else if (!skip_other_markup(s))
                s->at = at + 1;
            continue;
        }
        token tag;
        if (!read_tag(s, at + 1 + is_end, is_end, &tag)) {
            odd(s);
            return;
        }
        int step = is_end ? -1 : 1;
        if (tag.tag == T_TEMPLATE)
            depth += step;
        else if ((tag.tag == T_SVG || tag.tag == T_MATH) && (is_end || !tag.self_closing))
            drawings += step;
        else if (leaks_from_template(tag.tag))
            odd(s);
        else if (!is_end && has_raw_text(tag.tag)) {
            if (drawings != 0)
                odd(s);
            raw_text(s, &tag);
        }
    }
    if (drawings != 0)
        odd(s);
}

static void start_of_head(scanner *s, const token *tag)
{
    if (FLAGS[tag->tag] & SILENT) {
        start_raw(s, tag);
        return;
    }
    if (!(FLAGS[tag->tag] & UNSEEN)) {
        add_empty(s, tag);
        return;
    }
    add_node(s);
    if (tag->tag == T_TEMPLATE)
        skip_template(s);
    else if (tag->tag == T_LINK)
        tell_link(s, tag);
    else if (tag->tag == T_META)
        tell_meta(s, tag);
    else if (tag->tag == T_BASE)
        tell_base(s, tag);
}

/* li, dd and dt end the one before. */
static void end_item_before(scanner *s, enum tag a, enum tag b)
{
    for (int i = s->depth - 1; i > 0; i--) {
        enum tag each = s->stack[i].tag;
        if (each == a || each == b) {
            pop_to(s, i);
            return;
        }
        if (FLAGS[each] & SPECIAL && each != T_ADDRESS && each != T_DIV && each != T_P)
            return;
    }
}

static void start_table(scanner *s, const token *tag)
{
    if (s->quirks == QUIRKS_UNKNOWN && in_scope(s, T_P, SCOPE, T_BUTTON) >= 0)
        odd(s);
    if (s->quirks == QUIRKS_NO)
        close_p(s);
    push(s, tag);
    s->mode = IN_TABLE;
}

static void start_a(scanner *s, const token *tag)
{
    int before = last_listed(s, T_A);
    if (before >= 0) {
        end_formatting(s, tag);
        if (last_listed(s, T_A) >= 0)
            odd(s);
    }
    reopen_formatting(s);
    open_formatting(s, tag);
    if (s->verdict == FINE)
        tell_a(s, tag);
}

/* In a choice there is no other, and no field. */
static bool leave_select(scanner *s)
{
    int at = in_scope(s, T_SELECT, SCOPE, T_NONE);
    if (at >= 0)
        pop_to(s, at);
    return at >= 0;
}

static void start_empty(scanner *s, const token *tag)
{
    if (tag->tag == T_INPUT)
        leave_select(s);
    if (tag->tag != T_PARAM && tag->tag != T_SOURCE && tag->tag != T_TRACK)
        reopen_formatting(s);
    int32_t where = add_empty(s, tag);
    if (tag->tag == T_IMG || tag->tag == T_IMAGE)
        tell_picture(s, tag);
    else if (tag->tag == T_AREA)
        tell_pointer(s, tag, HREF, ALT, PLACE_AREA, where);
}

static void start_choice(scanner *s, const token *tag)
{
    if (in_scope(s, T_SELECT, SCOPE, T_NONE) >= 0)
        imply_ends(s, tag->tag == T_OPTION ? T_OPTGROUP : T_NONE);
    else if (is_current(s, T_OPTION))
        pop(s);
    reopen_formatting(s);
    push(s, tag);
}

static void start_drawing(scanner *s, const token *tag)
{
    reopen_formatting(s);
    push(s, tag)->foreign = true;
    if (tag->self_closing)
        pop(s);
}

static void start_preformatted(scanner *s, const token *tag)
{
    close_p(s);
    push(s, tag);
    if (tag->tag == T_PRE && s->left_out == 0)
        s->kept = true;
    s->newline_skipped = true;
}

static void start_in_body(scanner *s, const token *tag)
{
    enum action action = ACTIONS[tag->tag];
    switch (action) {
    case DO_ODD:
        odd(s);
        return;
    case DO_IGNORED:
        if (tag->tag == T_BODY)
            add_to_body(s, tag);
        return;
    case DO_ROOT:
        tell_language(s, tag);
        return;
    case DO_OF_HEAD:
        start_of_head(s, tag);
        return;
    case DO_LINK:
        start_a(s, tag);
        return;
    case DO_EMPTY:
        start_empty(s, tag);
        return;
    case DO_DRAWING:
        start_drawing(s, tag);
        return;
    case DO_TABLE:
        start_table(s, tag);
        return;
    case DO_CHOICE:
        start_choice(s, tag);
        return;
    case DO_PREFORMATTED:
        start_preformatted(s, tag);
        return;
    case DO_FORMATTING:
        reopen_formatting(s);
        if (tag->tag == T_NOBR && in_scope(s, T_NOBR, SCOPE, T_NONE) >= 0)
            odd(s);
        open_formatting(s, tag);
        return;
    case DO_RULE:
        close_p(s);
        if (in_scope(s, T_SELECT, SCOPE, T_NONE) >= 0)
            imply_ends(s, T_NONE);
        add_empty(s, tag);
        return;
    case DO_RAW:
        if (tag->tag == T_XMP) {
            close_p(s);
            reopen_formatting(s);
        } else if (tag->tag == T_TEXTAREA && is_waiting(s, s->listed)) {
            odd(s); /* lexbor opens it inside */
        }
        start_raw(s, tag);
        return;
    case DO_FORM:
        if (s->has_form)
            return;
        close_p(s);
        push(s, tag);
        s->has_form = true;
        s->form = s->depth - 1;
        return;
    case DO_SELECT:
        if (!leave_select(s)) {
            reopen_formatting(s);
            push(s, tag);
        }
        return;
    case DO_OBJECT:
        reopen_formatting(s);
        push(s, tag);
        list_marker(s);
        return;
    case DO_RUBY:
        if (in_scope(s, T_RUBY, SCOPE, T_NONE) >= 0)
            imply_ends(s, tag->tag == T_RP || tag->tag == T_RT ? T_RTC : T_NONE);
        push(s, tag);
        return;
    case DO_ITEM:
        end_item_before(s, T_LI, T_LI);
        close_p(s);
        break;
    case DO_TERM:
        end_item_before(s, T_DD, T_DT);
        close_p(s);
        break;
    case DO_HEADING:
        close_p(s);
        if (FLAGS[current(s)->tag] & HEADING)
            pop(s);
        break;
    case DO_CONTAINER:
        close_p(s);
        break;
    case DO_BUTTON: {
        int before = in_scope(s, T_BUTTON, SCOPE, T_NONE);
        if (before >= 0)
            pop_to(s, before);
        reopen_formatting(s);
        break;
    }
    case DO_ORDINARY:
        reopen_formatting(s);
        break;
    }
    push(s, tag);
}

static void end_heading(scanner *s)
{
    for (int i = s->depth - 1; i > 0; i--) {
        if (FLAGS[s->stack[i].tag] & HEADING) {
            pop_to(s, i);
            return;
        }
        if (FLAGS[s->stack[i].tag] & SCOPE)
            return;
    }
}

static void end_form(scanner *s)
{
    bool had = s->has_form;
    s->has_form = false;
    if (!had || s->form < 0)
        return;
    for (int i = s->depth - 1; i > s->form; i--)
        if (FLAGS[s->stack[i].tag] & SCOPE) {
            s->form = -1;
            return;
        }
    imply_ends(s, T_NONE);
    if (s->form == s->depth - 1)
        pop(s);
    else
        take_out(s, s->form);
}

static void end_in_scope(scanner *s, enum tag tag, int barriers)
{
    int at = in_scope(s, tag, barriers, T_NONE);
    if (at >= 0)
        pop_to(s, at);
}

static void end_p(scanner *s)
{
    if (in_scope(s, T_P, SCOPE, T_BUTTON) < 0)
        push_implied(s, T_P);
    close_p(s);
}

static void end_in_body(scanner *s, const token *tag)
{
    enum tag name = tag->tag;
    switch ((enum action)ACTIONS[name]) {
    case DO_CONTAINER:
        if (name == T_P)
            end_p(s);
        else
            end_in_scope(s, name, SCOPE);
        return;
    case DO_PREFORMATTED:
    case DO_BUTTON:
    case DO_TERM:
        end_in_scope(s, name, SCOPE);
        return;
    case DO_ITEM:
        end_in_scope(s, name, SCOPE | LIST);
        return;
    case DO_HEADING:
        end_heading(s);
        return;
    case DO_FORM:
        end_form(s);
        return;
    case DO_LINK:
    case DO_FORMATTING:
        end_formatting(s, tag);
        return;
    case DO_OBJECT: {
        int at = in_scope(s, name, SCOPE, T_NONE);
        if (at >= 0) {
            pop_to(s, at);
            forget_to_marker(s);
        }
        return;
    }
    case DO_ODD:
        odd(s);
        return;
    case DO_SELECT:
        end_in_scope(s, name, SCOPE);
        return;
    default:
        if (name == T_BR)
            start_empty(s, tag);
        else if (name == T_BODY || name == T_HTML)
            s->ended = in_scope(s, T_BODY, SCOPE, T_NONE) >= 0;
        else if (name != T_TEMPLATE)
            end_ordinary(s, tag);
    }
}

/* Inside svg and math. Where HTML begins again in there, the tree is the judge. */
static void start_in_drawing(scanner *s, const token *tag)
{
    static const char known[T_COUNT] = {
        [T_OTHER] = 1, [T_A] = 1,    [T_ANNOTATION_XML] = 1, [T_DESC] = 1,  [T_FOREIGNOBJECT] = 1,
        [T_IMAGE] = 1, [T_MI] = 1,   [T_MN] = 1,             [T_MO] = 1,    [T_MS] = 1,
        [T_MTEXT] = 1, [T_STYLE] = 1, [T_SVG] = 1,           [T_TITLE] = 1,
    };
    element *parent = current(s);
    if (!known[tag->tag] || FLAGS[parent->tag] & POINT ||
        (tag->tag == T_TITLE && parent->tag != T_SVG && !s->found->titled)) {
        odd(s);
        return;
    }
    element *opened = push(s, tag);
    opened->foreign = true;
    if (s->verdict != FINE)
        return;
    if (tag->tag == T_A)
        tell_a(s, tag);
    s->hushed = (FLAGS[tag->tag] & SILENT) && !s->within_noscript;
    if (tag->self_closing)
        pop(s);
}

static void end_in_drawing(scanner *s, const token *tag)
{
    for (int i = s->depth - 1; i > 0 && s->stack[i].foreign; i--) {
        if (same_name(&s->stack[i], tag)) {
            pop_to(s, i);
            return;
        }
    }
    odd(s);
}

#endif
