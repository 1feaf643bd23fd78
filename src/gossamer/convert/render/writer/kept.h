/* kept.py: the runs of a page that are kept, one after the other, and what stands between them. */

#ifndef GOSSAMER_WRITER_KEPT_H
#define GOSSAMER_WRITER_KEPT_H

#include "types.h"

enum { WORDS = 0, COUNTED = 6 };

typedef struct { /* for each element */
    int32_t *blocks, *breaks; /* how many begin before it; one more entry for the end */
    int32_t *block, *meaning; /* the nearest, itself or around it, that is a block, and that means something */
} around;

static void look_around(const page *p, around *a)
{
    a->blocks[0] = a->breaks[0] = 0;
    for (int32_t i = 0; i < p->elements; i++) {
        byte flags = p->flags[p->tags[i]];
        a->blocks[i + 1] = a->blocks[i] + ((flags & BLOCK) != 0);
        a->breaks[i + 1] = a->breaks[i] + ((flags & BREAK) != 0);
        a->block[i] = (flags & BLOCK) || i == 0 ? i : a->block[p->parents[i]];
        a->meaning[i] = !(flags & NOTHING) || i == 0 ? i : a->meaning[p->parents[i]];
    }
}

static void keep_first(const page *p, const around *a, kept *k, int32_t run)
{
    k->starts[k->count] = p->starts[run];
    k->owners[k->count] = a->meaning[p->owners[run]];
    k->befores[k->count] = p->befores[run];
    k->words[k->count] = 0;
    k->count++;
}

/* Runs that only a span or the like parts are one. */
static void keep_runs(const page *p, const around *a, kept *k)
{
    int32_t last = -1;
    for (int32_t run = 0; run < p->runs; run++) {
        if (!p->keep[run])
            continue;
        int32_t steps = 0, breaks = 0;
        bool parted = false;
        if (last >= 0) {
            int32_t from = p->befores[last], to = p->befores[run];
            steps = run - last;
            breaks = a->breaks[to] - a->breaks[from];
            parted = a->blocks[to] > a->blocks[from] || breaks > 1 || a->block[p->owners[run]] != a->block[p->owners[last]];
        }
        if (last < 0 || steps != 1 || parted || breaks > 0 || a->meaning[p->owners[run]] != a->meaning[p->owners[last]]) {
            k->steps[k->count] = steps;
            k->breaks[k->count] = breaks;
            k->parted[k->count] = parted;
            keep_first(p, a, k, run);
        }
        k->ends[k->count - 1] = p->starts[run + 1];
        k->words[k->count - 1] += p->counts[(size_t)run * COUNTED + WORDS];
        last = run;
    }
}

static span text_of(const page *p, const kept *k, int32_t place)
{
    return (span){p->text + k->starts[place], (size_t)(k->ends[place] - k->starts[place])};
}

/* The first place whose number is not below a bound. */
static int32_t first_from(const int32_t *sorted, int32_t count, int32_t bound)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (sorted[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct {
    int32_t first, end;
} range;

/* The places of the runs that stand in an element. */
static range within(const page *p, const kept *k, int32_t element)
{
    int32_t first = first_from(k->befores, k->count, element + 1), end = first_from(k->befores, k->count, p->ends[element]);
    if (end < first)
        end = first;
    while (end < k->count && k->owners[end] >= element && k->owners[end] < p->ends[element])
        end++;
    return (range){first, end};
}

#endif
