/* blocks.py and paths.py: what an element has from those around it, and which blocks stand in it. */

#ifndef GOSSAMER_SCORER_ELEMENTS_H
#define GOSSAMER_SCORER_ELEMENTS_H

#include "types.h"

/* `beginnings`: where in a sorted vocabulary those with given first bits begin. */
static int find(uint32_t hash, const uint32_t *vocabulary, const int32_t *beginnings)
{
    const int32_t *bounds = beginnings + (hash >> (32 - FIRST_BITS));
    int low = bounds[0], high = bounds[1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (vocabulary[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bounds[1] && vocabulary[low] == hash ? low : -1;
}

/* Everything that an element has from its parent. */
FAST static void walk_down(const Outline *page, const Weights *weights, Elements *all)
{
    int size = weights->vector, named = 0, opened = 0;
    for (int i = 0; i < page->elements; i++) {
        int parent = page->parents[i], tag = page->tags[i], flags = page->flags[tag];
        bool breaks = flags & BREAKS, inner = parent >= 0;
        opened += breaks;
        all->opened[i] = opened;
        all->tops[i] = breaks || !inner ? i : all->tops[parent];
        all->depths[i] = 1 + (inner ? all->depths[parent] : 0);
        all->ranks[i] = (flags & RANK) + (inner ? all->ranks[parent] : 0);
        all->linked[i] = (flags & LINK) != 0 || (inner && all->linked[parent]);
        uint64_t look = (uint64_t)(tag + 1) * UINT64_C(0x9E3779B97F4A7C15);
        float *vector = all->vectors + (size_t)i * size;
        const float *above = inner ? all->vectors + (size_t)parent * size : NULL;
        const float *own = weights->name_vectors + (size_t)tag * size;
        for (int j = 0; j < size; j++)
            vector[j] = own[j] + (above ? above[j] : 0);
        for (; named < page->name_count && page->named[named] == i; named++) {
            look += page->names[named] * UINT64_C(0xC2B2AE3D27D4EB4F);
            int number = find(page->names[named], weights->names, weights->name_beginnings);
            if (number < 0)
                continue;
            own = weights->name_vectors + (size_t)(weights->tag_count + number) * size;
            for (int j = 0; j < size; j++)
                vector[j] += own[j];
        }
        look = (look ^ (look >> 31)) * UINT64_C(0x94D049BB133111EB);
        all->looks[i] = look + (inner ? all->looks[parent] : 0);
        float *marks = all->marks + 4 * (size_t)i, *before = i ? marks - 4 : NULL;
        marks[0] = 1 + (before ? before[0] : 0);
        marks[1] = ((flags & PICTURE) != 0) + (before ? before[1] : 0);
        marks[2] = ((flags & CONTROL) != 0) + (before ? before[2] : 0);
        marks[3] = ((flags & RANK) != 0) + (before ? before[3] : 0);
    }
}

static void split(const Outline *page, const Elements *all, Blocks *blocks)
{
    int count = 0, last_top = -1, last_opened = -1;
    for (int i = 0; i < page->runs; i++) {
        int top = all->tops[page->owners[i]], opened = all->opened[page->befores[i] - 1];
        if (top != last_top || opened != last_opened) {
            blocks->firsts[count] = i;
            blocks->tops[count++] = top;
        }
        last_top = top;
        last_opened = opened;
        blocks->numbers[i] = count - 1;
    }
    blocks->count = count;
}

/* Which blocks stand in which element, and the nearest ancestor with more. */
static void find_ranges(const Outline *page, const Blocks *blocks, Elements *all)
{
    for (int i = 0; i < page->elements; i++) {
        all->lows[i] = INT32_MAX;
        all->highs[i] = 0;
    }
    for (int i = 0; i < page->runs; i++) {
        int owner = page->owners[i], number = blocks->numbers[i];
        if (number < all->lows[owner])
            all->lows[owner] = number;
        if (number >= all->highs[owner])
            all->highs[owner] = number + 1;
    }
    for (int i = page->elements - 1; i > 0; i--) {
        int parent = page->parents[i];
        if (all->lows[i] < all->lows[parent])
            all->lows[parent] = all->lows[i];
        if (all->highs[i] > all->highs[parent])
            all->highs[parent] = all->highs[i];
    }
    all->ups[0] = 0;
    for (int i = 1; i < page->elements; i++) {
        int parent = page->parents[i];
        bool more = all->highs[parent] - all->lows[parent] > all->highs[i] - all->lows[i];
        all->ups[i] = more || parent == 0 ? parent : all->ups[parent];
    }
}

static void find_containers(const Elements *all, Blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++) {
        int at = blocks->tops[i];
        at = all->highs[at] - all->lows[at] > 1 ? at : all->ups[at];
        for (int level = 0; level < LEVELS; level++, at = all->ups[at])
            blocks->containers[i * LEVELS + level] = at;
    }
}

static void sum_up(const Outline *page, const Elements *all, Blocks *blocks)
{
    float *running = blocks->running;
    memset(running, 0, SUMS * sizeof(float));
    const float *before = NULL;
    for (int i = 0; i < blocks->count; i++) {
        float *sums = blocks->sums + (size_t)i * SUMS;
        memset(sums, 0, SUMS * sizeof(float));
        int end = i + 1 < blocks->count ? blocks->firsts[i + 1] : page->runs;
        for (int run = blocks->firsts[i]; run < end; run++) {
            const int32_t *counts = page->counts + (size_t)run * COUNTS;
            for (int j = 0; j < COUNTS; j++)
                sums[j] += counts[j];
            if (all->linked[page->owners[run]])
                sums[LINKED] += counts[WORDS];
        }
        float words = sums[WORDS], rest = words - sums[LINKED];
        if (words >= 8 && 2 * rest > words)
            sums[PROSE] = (rest < 100 ? rest : 100) + 10 * sums[COMMAS];
        sums[SHORT] = words <= 4;
        sums[ONE] = 1;
        const float *marks = all->marks + 4 * (size_t)(page->befores[blocks->firsts[i]] - 1);
        for (int j = 0; j < 4; j++)
            sums[MARKED + j] = marks[j] - (before ? before[j] : 0);
        before = marks;
        for (int j = 0; j < SUMS; j++)
            running[(size_t)(i + 1) * SUMS + j] = running[(size_t)i * SUMS + j] + sums[j];
    }
}

/* The block of each run, and whether it stands in a heading, for who wants no more. `space` has room for three numbers
 * for each element. */
static void number_runs(const Outline *page, int32_t *space, int32_t *numbers, uint8_t *headings)
{
    int32_t *tops = space, *opened = tops + page->elements, *ranks = opened + page->elements;
    int count = 0, last_top = -1, last_opened = -1;
    for (int i = 0; i < page->elements; i++) {
        int parent = page->parents[i], flags = page->flags[page->tags[i]];
        opened[i] = (i > 0 ? opened[i - 1] : 0) + ((flags & BREAKS) != 0);
        tops[i] = (flags & BREAKS) || parent < 0 ? i : tops[parent];
        ranks[i] = (flags & RANK) | (parent < 0 ? 0 : ranks[parent]);
    }
    for (int i = 0; i < page->runs; i++) {
        int top = tops[page->owners[i]], open = opened[page->befores[i] - 1];
        count += top != last_top || open != last_opened;
        last_top = top;
        last_opened = open;
        numbers[i] = count - 1;
        headings[i] = ranks[page->owners[i]] != 0;
    }
}

#endif
