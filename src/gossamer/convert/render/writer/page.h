/* page.py: the runs of a page that are kept become tagged text. */

#ifndef GOSSAMER_WRITER_PAGE_H
#define GOSSAMER_WRITER_PAGE_H

#include "lines.h"

typedef struct {
    spots *spots;
    buffer html, line, plain;
    path open;
    bool begun[DEEPEST + 1]; /* for each of those, whether something stands in it */
} writing;

static void put_block(writing *w)
{
    if (w->open.count > 0)
        w->begun[w->open.count - 1] = true;
}

/* Where the page has no item, the one that is open will do. */
static bool will_do(node open, node wanted)
{
    return open.name == wanted.name && (open.element == wanted.element || wanted.element < 0);
}

/* A list may say with what number it begins, and a pre in what language it is. */
static void put_opened(writing *w, node begun)
{
    span said = begun.element >= 0 ? w->spots->page->hrefs[begun.element] : (span){NULL, 0};
    if (said.at == NULL || (begun.name != OL && begun.name != PRE)) {
        put_tag(&w->html, "\n<", begun.name);
        return;
    }
    put_text(&w->html, begun.name == OL ? "\n<ol start=\"" : "\n<pre lang=\"");
    put_escaped(&w->html, said, QUOTED);
    put_text(&w->html, "\">");
}

/* Close and open lists, items and quotes. */
static void go(writing *w, const path *to)
{
    int same = 0;
    while (same < w->open.count && same < to->count && will_do(w->open.at[same], to->at[same]))
        same++;
    while (w->open.count > same)
        put_tag(&w->html, "</", w->open.at[--w->open.count].name);
    for (int i = same; i < to->count; i++) {
        put_block(w);
        put_opened(w, to->at[i]);
        w->open.at[w->open.count] = to->at[i];
        w->begun[w->open.count++] = false;
    }
}

static void go_to(writing *w, int32_t last, bool fitting)
{
    path to = written_path(w->spots, last, fitting);
    go(w, &to);
}

/* The first paragraph of an item needs no tag. */
static void write_paragraph(writing *w, range places, int32_t last)
{
    w->line.size = 0;
    put_line(w->spots, &w->line, places, -1, " ");
    if (w->line.size == 0)
        return;
    go_to(w, last, true);
    int open = w->open.count;
    bool bare = open > 0 && (w->open.at[open - 1].name == LI || w->open.at[open - 1].name == DD) && !w->begun[open - 1];
    put_block(w);
    put_text(&w->html, bare ? "" : "\n<p>");
    put(&w->html, w->line.at, w->line.size);
    put_text(&w->html, bare ? "" : "</p>");
}

static void write_unit(writing *w, node unit, range places, int32_t last)
{
    enum name name = unit.name;
    w->line.size = 0;
    if (name == PRE)
        put_as_is(w->spots, &w->line, &w->plain, places);
    else
        put_line(w->spots, &w->line, places, -1, " ");
    if (w->line.size == 0)
        return;
    go_to(w, last, name != DT);
    put_block(w);
    put_opened(w, unit);
    put(&w->html, w->line.at, w->line.size);
    put_tag(&w->html, "</", name);
}

/* The runs from one on that stand in the same cell, or row. */
static range alike(const spots *s, range places, bool by_row)
{
    const page *p = s->page;
    int32_t first = cell_of(p, s->kept->owners[places.first]), end = places.first + 1;
    for (; end < places.end; end++) {
        int32_t other = cell_of(p, s->kept->owners[end]);
        if (is_cell(p, other) && other != first && !(by_row && p->parents[other] == p->parents[first]))
            break;
    }
    return (range){places.first, end};
}

/* Cells of rows above that go on, by column. */
typedef struct {
    int32_t left; /* rows */
    bool head;
    byte text[SPANNED_MOST];
    size_t size;
} spanned;

/* How many rows and columns a cell spans: two numbers, with a space between. */
static void read_spans(span said, int32_t *rows, int32_t *columns)
{
    int32_t *numbers[] = {rows, columns};
    const byte *at = said.at, *end = said.at + said.size;
    for (int i = 0; i < 2; i++) {
        *numbers[i] = 0;
        for (; at < end && *at >= '0' && *at <= '9' && *numbers[i] < SPANNED_MOST; at++)
            *numbers[i] = *numbers[i] * 10 + (*at - '0');
        at += at < end;
        *numbers[i] = *numbers[i] > 0 ? *numbers[i] : 1;
    }
}

static void put_cell(buffer *html, bool head, const byte *text, size_t size)
{
    put_text(html, head ? "<th>" : "<td>");
    put(html, text, size);
    put_text(html, head ? "</th>" : "</td>");
}

/* The cells that go on from a column: up to the first that does not, or all. Gives the next column. */
static int put_spanned(buffer *html, spanned *above, int column, bool all)
{
    for (; column < COLUMNS_MOST && (all || above[column].left > 0); column++)
        if (above[column].left > 0) {
            above[column].left--;
            put_cell(html, above[column].head, above[column].text, above[column].size);
        }
    return column;
}

/* A cell that was written goes on below, and to the right. */
static int span_cell(buffer *html, spanned *above, int column, span said, bool head, span text)
{
    int32_t rows, columns;
    read_spans(said, &rows, &columns);
    for (int32_t i = 0; i < columns && column < COLUMNS_MOST; i++, column++) {
        bool first = i == 0;
        if (!first)
            put_cell(html, head, NULL, 0);
        size_t size = first && text.size <= SPANNED_MOST ? text.size : 0;
        above[column].left = rows - 1;
        above[column].head = head;
        above[column].size = size;
        if (size > 0)
            memcpy(above[column].text, text.at, size);
    }
    return column;
}

static void write_row(writing *w, int32_t row, range places, spanned *above)
{
    const page *p = w->spots->page;
    int column = 0;
    put_text(&w->html, "\n<tr>");
    for (int32_t cell = row + 1; cell < p->ends[row]; cell = p->ends[cell]) {
        if (!is_cell(p, cell))
            continue;
        bool head = !(p->flags[p->tags[cell]] & CELL);
        column = put_spanned(&w->html, above, column, false);
        w->line.size = 0;
        while (places.first < places.end && w->spots->kept->owners[places.first] < cell)
            places.first++;
        range own = {places.first, places.first};
        if (places.first < places.end)
            own = alike(w->spots, places, false);
        put_line(w->spots, &w->line, own, cell, "<br>");
        put_cell(&w->html, head, w->line.at, w->line.size);
        column = span_cell(&w->html, above, column, p->hrefs[cell], head, (span){w->line.at, w->line.size});
    }
    put_spanned(&w->html, above, column, true);
    put_text(&w->html, "</tr>");
}

static void write_caption(writing *w, int32_t table, range places)
{
    int32_t first = places.first;
    while (first < places.end && is_cell(w->spots->page, cell_of(w->spots->page, w->spots->kept->owners[first])))
        first++;
    if (first == places.end)
        return;
    put_block(w);
    put_text(&w->html, "\n<p>");
    put_line(w->spots, &w->html, (range){first, places.end}, table, " ");
    put_text(&w->html, "</p>");
}

static void write_table(writing *w, int32_t table, int32_t last)
{
    const page *p = w->spots->page;
    range places = within(p, w->spots->kept, table);
    go_to(w, last, true);
    write_caption(w, table, places);
    put_block(w);
    put_text(&w->html, "\n<table>");
    spanned above[COLUMNS_MOST];
    for (int i = 0; i < COLUMNS_MOST; i++)
        above[i].left = 0;
    while (places.first < places.end) {
        int32_t cell = cell_of(p, w->spots->kept->owners[places.first]);
        range row = {places.first, places.first + 1};
        if (is_cell(p, cell)) {
            row = alike(w->spots, places, true);
            write_row(w, p->parents[cell], row, above);
        }
        places.first = row.end;
    }
    put_text(&w->html, "\n</table>");
}

static void write_all(writing *w)
{
    const kept *k = w->spots->kept;
    for (int32_t place = 0; place < k->count;) {
        const spot *at = &w->spots->all[k->owners[place]];
        int32_t end = place + 1;
        if (at->unit.name == NONE) {
            while (end < k->count && !k->parted[end])
                end++;
            write_paragraph(w, (range){place, end}, at->path);
        } else {
            int32_t last = within(w->spots->page, k, at->unit.element).end;
            end = last > end ? last : end;
            if (at->unit.name == TABLE)
                write_table(w, at->unit.element, at->path);
            else
                write_unit(w, at->unit, (range){place, end}, at->path);
        }
        place = end;
    }
    go(w, &(path){.count = 0});
}

#endif
