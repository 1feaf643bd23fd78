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
        put_tag(&w->html, "\n<", to->at[i].name);
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

static void write_unit(writing *w, enum name name, range places, int32_t last)
{
    w->line.size = 0;
    if (name == PRE)
        put_as_is(w->spots, &w->line, &w->plain, places);
    else
        put_line(w->spots, &w->line, places, -1, " ");
    if (w->line.size == 0)
        return;
    go_to(w, last, name != DT);
    put_block(w);
    put_tag(&w->html, "\n<", name);
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

static void write_row(writing *w, int32_t row, range places)
{
    const page *p = w->spots->page;
    put_text(&w->html, "\n<tr>");
    for (int32_t cell = row + 1; cell < p->ends[row]; cell = p->ends[cell]) {
        if (!is_cell(p, cell))
            continue;
        const char *name = p->flags[p->tags[cell]] & CELL ? "td>" : "th>";
        put_text(&w->html, "<");
        put_text(&w->html, name);
        while (places.first < places.end && w->spots->kept->owners[places.first] < cell)
            places.first++;
        range own = {places.first, places.first};
        if (places.first < places.end)
            own = alike(w->spots, places, false);
        put_line(w->spots, &w->html, own, cell, "<br>");
        put_text(&w->html, "</");
        put_text(&w->html, name);
    }
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
    while (places.first < places.end) {
        int32_t cell = cell_of(p, w->spots->kept->owners[places.first]);
        range row = {places.first, places.first + 1};
        if (is_cell(p, cell)) {
            row = alike(w->spots, places, true);
            write_row(w, p->parents[cell], row);
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
                write_unit(w, at->unit.name, (range){place, end}, at->path);
        }
        place = end;
    }
    go(w, &(path){.count = 0});
}

#endif
