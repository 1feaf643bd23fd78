/* tables.py: which tables hold data, and which are there for the layout only? */

#ifndef GOSSAMER_WRITER_TABLES_H
#define GOSSAMER_WRITER_TABLES_H

#include "kept.h"

static bool is_heading(enum name name)
{
    return name >= H1 && name <= H6;
}

/* A heading is one too, unless some cells are said to be heads. */
static bool has_sections(const page *p, int32_t table)
{
    bool headed = false, heads = false;
    for (int32_t i = table + 1; i < p->ends[table]; i++) {
        byte flags = p->flags[p->tags[i]];
        if (flags & NO_DATA)
            return true;
        headed |= is_heading(p->names[p->tags[i]]);
        heads |= (flags & HEAD_CELL) != 0;
    }
    return headed && !heads;
}

static int32_t paragraphs_in(const page *p, int32_t table)
{
    int32_t count = 0;
    for (int32_t i = table + 1; i < p->ends[table]; i++)
        count += (p->flags[p->tags[i]] & PARAGRAPH) != 0;
    return count;
}

/* The cell that an element is or stands in; the table if it is in none. */
static int32_t cell_of(const page *p, int32_t element)
{
    while (!(p->flags[p->tags[element]] & (CELL | HEAD_CELL | TABLE_ITSELF)))
        element = p->parents[element];
    return element;
}

static bool is_cell(const page *p, int32_t element)
{
    return p->flags[p->tags[element]] & (CELL | HEAD_CELL);
}

/* Everything is in document order, so the runs of a cell, and those of a row, stand side by side. */
static bool is_of_data(const page *p, const kept *k, int32_t table)
{
    if (has_sections(p, table))
        return false;
    int32_t rows = 0, cells = 0, row = -1, cell = -1, words = 0;
    range places = within(p, k, table);
    for (int32_t place = places.first; place < places.end; place++) {
        int32_t here = cell_of(p, k->owners[place]);
        if (!is_cell(p, here))
            continue;
        if (here != cell) {
            cells++;
            rows += p->parents[here] != row;
            words = 0;
            cell = here;
            row = p->parents[here];
        }
        words += k->words[place];
        if (words > CELL_WORDS_MOST)
            return false;
    }
    return rows >= 2 && 2 * cells >= 3 * rows && paragraphs_in(p, table) <= cells;
}

#endif
