/* The compiled twin of features.py, wording.py and network.py: the scores of all blocks of a page.
 *
 * What is summed over containers in Python for each block anew is computed here once for each container: blocks in a
 * row share theirs, so the last one of each level is remembered, with its part of the product. So a page takes a
 * fraction of the time; the result differs by rounding only.
 *
 * Input is an Outline, which our own scanner made: its numbers are in range. All sizes are known from the start.
 */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 6, LINKED = 6, PROSE, SHORT, ONE, MARKED, SUMS = MARKED + 4 };
enum { WORDS = 0, COMMAS = 2 };
enum { LEVELS = 5, SPANS = LEVELS + 2, FEATURES = 2 * SUMS, PLACES = 5 + LEVELS, ALIKE = 4, HEADINGS = 8 };
enum { DENSE = SPANS * FEATURES + PLACES + ALIKE + HEADINGS };
enum { WAYS = 3, POOLS = 3, AROUND = 3 + POOLS, ROUNDS = 2, BUCKETS = 4096 };
enum { BREAKS = 8, LINK = 16, PICTURE = 32, CONTROL = 64, RANK = 7 };
enum { SHORT_WORDS = 16, LONGEST_WORD = 64, WIDEST = 512 };

static const int POOLED[POOLS] = {1, 2, 4};

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FAST
#endif

typedef struct {
    const uint32_t *names, *words;
    const float *name_vectors, *word_vectors, *dense, *bags, *bias, *rounds, *pages, *round_bias, *out, *out_bias;
    int name_count, word_count, tag_count;
    int networks, width, vector;
} Weights;

typedef struct {
    const uint8_t *tags, *text;
    const int32_t *parents, *ends, *starts, *owners, *befores, *counts, *named;
    const uint32_t *names;
    const uint8_t *flags; /* by the number of a tag */
    int elements, runs, name_count;
} Outline;

typedef struct { /* for each element */
    int32_t *tops, *opened, *depths, *ranks, *lows, *highs, *ups;
    uint8_t *linked;
    uint64_t *looks;
    float *marks, *vectors;
} Elements;

typedef struct { /* for each block */
    int32_t *numbers, *firsts, *tops, *containers, *order;
    float *sums, *running, *state, *next, *root, *weighted;
    int count;
} Blocks;

typedef float Lane __attribute__((vector_size(64), aligned(4)));
enum { SLAB = 32 };

/* 32 columns of the next. They stay in registers, for two rows at a time. */
static inline void add_slab(float *out, const float *x, int size, const float *rows, int width)
{
    Lane *o = (Lane *)out, a = o[0], b = o[1], c = {0}, d = {0};
    int i = 0;
    for (; i + 2 <= size; i += 2, rows += 2 * width) {
        const Lane *r = (const Lane *)rows, *s = (const Lane *)(rows + width);
        a += x[i] * r[0], b += x[i] * r[1];
        c += x[i + 1] * s[0], d += x[i + 1] * s[1];
    }
    if (i < size) {
        const Lane *r = (const Lane *)rows;
        a += x[i] * r[0], b += x[i] * r[1];
    }
    o[0] = a + c, o[1] = b + d;
}

/* out[0..width) += the sum of x[i] times row i. */
FAST static void add_product(float *out, const float *x, int size, const float *rows, int width)
{
    int done = 0;
    for (; done + SLAB <= width; done += SLAB)
        add_slab(out + done, x, size, rows + done, width);
    for (int i = 0; i < size; i++)
        for (int j = done; j < width; j++)
            out[j] += x[i] * rows[(size_t)i * width + j];
}

/* Where in a sorted vocabulary the entries with given first bits begin. */
static void fill_buckets(int32_t *buckets, const uint32_t *vocabulary, int count)
{
    int at = 0;
    for (int bucket = 0; bucket <= BUCKETS; bucket++) {
        while (at < count && (int)(vocabulary[at] >> 20) < bucket)
            at++;
        buckets[bucket] = at;
    }
}

static int find(uint32_t hash, const uint32_t *vocabulary, const int32_t *buckets)
{
    int low = buckets[hash >> 20], high = buckets[(hash >> 20) + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (vocabulary[middle] < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < buckets[(hash >> 20) + 1] && vocabulary[low] == hash ? low : -1;
}

/* Everything that an element has from its parent. */
FAST static void walk_down(const Outline *page, const Weights *weights, Elements *all)
{
    int32_t buckets[BUCKETS + 1];
    int size = weights->networks * weights->vector, named = 0, opened = 0;
    fill_buckets(buckets, weights->names, weights->name_count);
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
            int number = find(page->names[named], weights->names, buckets);
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

static void span_features(const Blocks *blocks, int low, int high, float *out)
{
    const float *from = blocks->running + (size_t)low * SUMS, *to = blocks->running + (size_t)high * SUMS;
    const float *total = blocks->running + (size_t)blocks->count * SUMS;
    float words = to[WORDS] - from[WORDS], scale = 1 / (words + 0.1f);
    for (int j = 0; j < SUMS; j++) {
        float sum = to[j] - from[j], ratio = sum * scale;
        out[j] = logf(sum + 1);
        out[SUMS + j] = ratio < 4 ? ratio : 4;
    }
    out[SUMS + WORDS] = logf(words / (to[ONE] - from[ONE]) + 1);
    out[SUMS + PROSE] = (to[PROSE] - from[PROSE]) / (total[PROSE] + 1);
    out[SUMS + ONE] = words / (total[WORDS] + 1);
}

static const uint64_t *sorted_looks; /* for the next; we hold the interpreter's lock */
static int by_look(const void *a, const void *b)
{
    uint64_t left = sorted_looks[*(const int32_t *)a], right = sorted_looks[*(const int32_t *)b];
    return left < right ? -1 : left > right;
}

/* The blocks that look like each: how many they are and what is in them, for all. */
static int find_alike(const Outline *page, const Elements *all, Blocks *blocks, float *alike)
{
    int count = blocks->count;
    uint64_t *looks = malloc(count * sizeof *looks);
    if (looks == NULL)
        return -1;
    for (int i = 0; i < count; i++) {
        looks[i] = all->looks[page->owners[blocks->firsts[i]]];
        blocks->order[i] = i;
    }
    sorted_looks = looks;
    qsort(blocks->order, count, sizeof(int32_t), by_look);
    float total = blocks->running[(size_t)count * SUMS + PROSE] + 1;
    for (int first = 0, end; first < count; first = end) {
        float words = 0.1f, linked = 0, prose = 0;
        for (end = first; end < count && looks[blocks->order[end]] == looks[blocks->order[first]]; end++) {
            const float *sums = blocks->sums + (size_t)blocks->order[end] * SUMS;
            words += sums[WORDS];
            linked += sums[LINKED];
            prose += sums[PROSE];
        }
        float size = end - first;
        float found[ALIKE] = {logf(size), logf(words / size + 1), linked / words, prose / total};
        for (int i = first; i < end; i++)
            memcpy(alike + (size_t)blocks->order[i] * ALIKE, found, sizeof found);
    }
    free(looks);
    return 0;
}

static uint32_t letter(uint8_t byte)
{
    if (byte >= 'a' && byte <= 'z')
        return byte;
    if (byte >= 'A' && byte <= 'Z')
        return byte + 32;
    return byte > 0x80 && byte != 0xC2 && byte != 0xE2 ? byte : 0;
}

/* The words of a short block, each added to its vectors. */
static void add_words(const Outline *page, const Weights *weights, const int32_t *buckets, int from, int to, float *out)
{
    int size = weights->networks * weights->vector;
    for (int i = from; i < to;) {
        uint32_t hash = 0, power = 0x01000193, code;
        int length = 0;
        for (; i < to && (code = letter(page->text[i])) != 0; i++, length++) {
            hash += code * power;
            if (length < LONGEST_WORD - 1)
                power *= 0x01000193;
        }
        int number = length > 1 ? find(hash, weights->words, buckets) : -1;
        if (number >= 0)
            for (int j = 0; j < size; j++)
                out[j] += weights->word_vectors[(size_t)number * size + j];
        i += length == 0;
    }
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

typedef struct { /* what a container adds to the state of its blocks, for the last one of each level */
    int element[LEVELS];
    float part[LEVELS][WIDEST];
} Parts;

/* The vectors of several networks stand side by side, their matrices one after the other. */
static void add_bags(const Weights *weights, const float *vectors, int bag, float *out)
{
    int size = weights->vector, width = weights->width;
    for (int k = 0; k < weights->networks; k++) {
        const float *rows = weights->bags + ((size_t)k * (WAYS + 2) + bag) * size * width;
        add_product(out + k * width, vectors + k * size, size, rows, width);
    }
}

static void difference(const float *a, const float *b, int size, float *out)
{
    for (int j = 0; j < size; j++)
        out[j] = a[j] - b[j];
}

static const float *container_part(const Weights *weights, const Elements *all, const Blocks *blocks, int block, int level,
                                   Parts *parts)
{
    int element = blocks->containers[block * LEVELS + level];
    float *part = parts->part[level];
    if (parts->element[level] == element)
        return part;
    parts->element[level] = element;
    int wide = weights->networks * weights->width, size = weights->networks * weights->vector;
    float found[FEATURES], vectors[WIDEST];
    memset(part, 0, wide * sizeof(float));
    span_features(blocks, all->lows[element], all->highs[element], found);
    add_product(part, found, FEATURES, weights->dense + (size_t)(level + 1) * FEATURES * wide, wide);
    if (level < WAYS) {
        const float *own = all->vectors + (size_t)element * size;
        if (level + 1 < WAYS)
            difference(own, all->vectors + (size_t)blocks->containers[block * LEVELS + level + 1] * size, size, vectors);
        else
            memcpy(vectors, own, size * sizeof(float));
        add_bags(weights, vectors, level + 1, part);
    }
    return part;
}

static void place(const Elements *all, const Blocks *blocks, int block, float *out)
{
    float count = blocks->count, number = block;
    const float *running = blocks->running + (size_t)block * SUMS;
    const float *total = blocks->running + (size_t)blocks->count * SUMS;
    out[0] = number / count;
    out[1] = least(number, 40) / 40;
    out[2] = least(count - number, 40) / 40;
    out[3] = running[WORDS] / (total[WORDS] + 1);
    out[4] = running[PROSE] / (total[PROSE] + 1);
    for (int level = 0; level < LEVELS; level++) {
        int element = blocks->containers[block * LEVELS + level], low = all->lows[element];
        out[5 + level] = (number - low) / (all->highs[element] - low);
    }
}

typedef struct {
    int first, highest, last;
    float last_rank;
} Heads;

static void head(const Elements *all, const Blocks *blocks, int block, Heads *heads, float *out)
{
    int top = blocks->tops[block];
    float rank = least(all->ranks[top], 6);
    if (block == 0)
        heads->last_rank = rank;
    if (rank > 0) {
        heads->last = block;
        heads->last_rank = rank;
    }
    out[0] = logf(all->depths[top]);
    out[1] = rank / 6;
    out[2] = heads->last_rank / 6;
    out[3] = logf(block - heads->last + 1);
    out[4] = heads->highest > 0;
    out[5] = least(heads->highest, 4) / 4;
    out[6] = block < heads->first;
    out[7] = logf((block > heads->first ? block - heads->first : 0) + 1) / 3;
}

static Heads find_heads(const Elements *all, const Blocks *blocks)
{
    Heads heads = {0, 0, 0, 0};
    for (int i = blocks->count - 1; i >= 0; i--)
        if (all->ranks[blocks->tops[i]] >= 6) {
            heads.first = i;
            heads.highest++;
        }
    return heads;
}

/* What is known of every block alone. */
FAST static int begin(const Outline *page, const Weights *weights, const Elements *all, Blocks *blocks)
{
    int wide = weights->networks * weights->width, size = weights->networks * weights->vector;
    float found[FEATURES], other[PLACES + ALIKE + HEADINGS], base[WIDEST], vectors[WIDEST];
    float *alike = malloc((size_t)blocks->count * ALIKE * sizeof(float));
    Parts *parts = malloc(sizeof *parts);
    int32_t buckets[BUCKETS + 1];
    if (alike == NULL || parts == NULL || find_alike(page, all, blocks, alike) < 0) {
        free(alike);
        free(parts);
        return -1;
    }
    memset(parts->element, -1, sizeof parts->element);
    fill_buckets(buckets, weights->words, weights->word_count);
    memcpy(base, weights->bias, wide * sizeof(float));
    span_features(blocks, 0, blocks->count, found);
    add_product(base, found, FEATURES, weights->dense + (size_t)(SPANS - 1) * FEATURES * wide, wide);
    Heads heads = find_heads(all, blocks);
    for (int i = 0; i < blocks->count; i++) {
        float *state = blocks->state + (size_t)i * wide;
        memcpy(state, base, wide * sizeof(float));
        span_features(blocks, i, i + 1, found);
        add_product(state, found, FEATURES, weights->dense, wide);
        place(all, blocks, i, other);
        memcpy(other + PLACES, alike + (size_t)i * ALIKE, ALIKE * sizeof(float));
        head(all, blocks, i, &heads, other + PLACES + ALIKE);
        add_product(state, other, PLACES + ALIKE + HEADINGS, weights->dense + (size_t)SPANS * FEATURES * wide, wide);
        int run = blocks->firsts[i], container = blocks->containers[i * LEVELS];
        difference(all->vectors + (size_t)page->owners[run] * size, all->vectors + (size_t)container * size, size, vectors);
        add_bags(weights, vectors, 0, state);
        if (blocks->sums[(size_t)i * SUMS + WORDS] <= SHORT_WORDS) {
            int end = i + 1 < blocks->count ? blocks->firsts[i + 1] : page->runs;
            memset(vectors, 0, size * sizeof(float));
            add_words(page, weights, buckets, page->starts[run], page->starts[end], vectors);
            add_bags(weights, vectors, WAYS + 1, state);
        }
        for (int level = 0; level < LEVELS; level++) {
            const float *part = container_part(weights, all, blocks, i, level, parts);
            for (int j = 0; j < wide; j++)
                state[j] += part[j];
        }
        for (int j = 0; j < wide; j++)
            state[j] = state[j] > 0 ? state[j] : 0;
    }
    free(alike);
    free(parts);
    return 0;
}

/* States and their weights, summed from the start on. */
FAST static void sum_states(const Weights *weights, Blocks *blocks)
{
    int wide = weights->networks * weights->width;
    memset(blocks->weighted, 0, wide * sizeof(float));
    for (int i = 0; i < blocks->count; i++) {
        const float *state = blocks->state + (size_t)i * wide;
        float *sum = blocks->weighted + (size_t)(i + 1) * wide;
        float root = blocks->root[i + 1] - blocks->root[i];
        for (int j = 0; j < wide; j++)
            sum[j] = sum[j - wide] + root * state[j];
    }
}

/* One part of what is around a block, times the matrix of each network. */
static void add_around(const Weights *weights, int round, int part, const float *state, float *out)
{
    int width = weights->width;
    for (int k = 0; k < weights->networks; k++) {
        const float *rows = weights->rounds + (((size_t)round * weights->networks + k) * AROUND + part) * width * width;
        add_product(out + k * width, state + k * width, width, rows, width);
    }
}

FAST static void page_part(const Weights *weights, const Blocks *blocks, int round, float *out)
{
    int width = weights->width, wide = weights->networks * width;
    float both[2 * WIDEST], most[WIDEST] = {0};
    const float *total = blocks->weighted + (size_t)blocks->count * wide;
    for (int i = 0; i < blocks->count; i++) {
        const float *state = blocks->state + (size_t)i * wide;
        for (int j = 0; j < wide; j++)
            most[j] = state[j] > most[j] ? state[j] : most[j];
    }
    memcpy(out, weights->round_bias + (size_t)round * wide, wide * sizeof(float));
    for (int k = 0; k < weights->networks; k++) {
        for (int j = 0; j < width; j++) {
            both[j] = total[k * width + j] / blocks->root[blocks->count];
            both[width + j] = most[k * width + j];
        }
        const float *rows = weights->pages + ((size_t)round * weights->networks + k) * 2 * width * width;
        add_product(out + k * width, both, 2 * width, rows, width);
    }
}

static const float *pooled(const Weights *weights, const Elements *all, const Blocks *blocks, int round, int block,
                           int pool, Parts *parts)
{
    int element = blocks->containers[block * LEVELS + POOLED[pool] - 1], wide = weights->networks * weights->width;
    float *part = parts->part[pool], mean[WIDEST];
    if (parts->element[pool] == element)
        return part;
    parts->element[pool] = element;
    int low = all->lows[element], high = all->highs[element];
    float scale = 1 / (blocks->root[high] - blocks->root[low]);
    difference(blocks->weighted + (size_t)high * wide, blocks->weighted + (size_t)low * wide, wide, mean);
    for (int j = 0; j < wide; j++)
        mean[j] *= scale;
    memset(part, 0, wide * sizeof(float));
    add_around(weights, round, 3 + pool, mean, part);
    return part;
}

/* Every block looks around. */
FAST static int look_around(const Weights *weights, const Elements *all, Blocks *blocks, int round)
{
    int wide = weights->networks * weights->width;
    float base[WIDEST];
    Parts *parts = malloc(sizeof *parts);
    if (parts == NULL)
        return -1;
    memset(parts->element, -1, sizeof parts->element);
    sum_states(weights, blocks);
    page_part(weights, blocks, round, base);
    for (int i = 0; i < blocks->count; i++) {
        const float *state = blocks->state + (size_t)i * wide;
        float *next = blocks->next + (size_t)i * wide;
        memcpy(next, base, wide * sizeof(float));
        add_around(weights, round, 0, state, next);
        if (i > 0)
            add_around(weights, round, 1, state - wide, next);
        if (i + 1 < blocks->count)
            add_around(weights, round, 2, state + wide, next);
        for (int pool = 0; pool < POOLS; pool++) {
            const float *part = pooled(weights, all, blocks, round, i, pool, parts);
            for (int j = 0; j < wide; j++)
                next[j] += part[j];
        }
        for (int j = 0; j < wide; j++)
            next[j] = state[j] + (next[j] > 0 ? next[j] : 0);
    }
    float *swapped = blocks->state;
    blocks->state = blocks->next;
    blocks->next = swapped;
    free(parts);
    return 0;
}

static void finish(const Weights *weights, const Blocks *blocks, float *scores)
{
    int wide = weights->networks * weights->width;
    for (int i = 0; i < blocks->count; i++) {
        float sum = 0;
        for (int j = 0; j < wide; j++)
            sum += blocks->state[(size_t)i * wide + j] * weights->out[j];
        scores[i] = sum / weights->networks + weights->out_bias[0];
    }
}

static int run(const Outline *page, const Weights *weights, Elements *all, Blocks *blocks)
{
    walk_down(page, weights, all);
    split(page, all, blocks);
    find_ranges(page, blocks, all);
    find_containers(all, blocks);
    sum_up(page, all, blocks);
    blocks->root[0] = 0;
    for (int i = 0; i < blocks->count; i++)
        blocks->root[i + 1] = blocks->root[i] + sqrtf(blocks->sums[(size_t)i * SUMS + WORDS] + 1);
    if (begin(page, weights, all, blocks) < 0)
        return -1;
    for (int round = 0; round < ROUNDS; round++)
        if (look_around(weights, all, blocks, round) < 0)
            return -1;
    return 0;
}

/* One piece of memory, dealt out. Every size is a multiple of 8. */
static void *deal(char **at, size_t count, size_t size)
{
    void *dealt = *at;
    *at += (count * size + 7) / 8 * 8;
    return dealt;
}

static void deal_all(const Outline *page, int wide, int size, Elements *all, Blocks *blocks, char *at)
{
    size_t n = page->elements, m = page->runs;
    int32_t **whole[] = {&all->tops, &all->opened, &all->depths, &all->ranks, &all->lows, &all->highs, &all->ups};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = deal(&at, n, sizeof(int32_t));
    all->linked = deal(&at, n, 1);
    all->looks = deal(&at, n, sizeof(uint64_t));
    all->marks = deal(&at, 4 * n, sizeof(float));
    all->vectors = deal(&at, size * n, sizeof(float));
    int32_t **each[] = {&blocks->numbers, &blocks->firsts, &blocks->tops, &blocks->order};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        *each[i] = deal(&at, m, sizeof(int32_t));
    blocks->containers = deal(&at, LEVELS * m, sizeof(int32_t));
    blocks->sums = deal(&at, SUMS * m, sizeof(float));
    blocks->running = deal(&at, SUMS * (m + 1), sizeof(float));
    blocks->root = deal(&at, m + 1, sizeof(float));
    blocks->state = deal(&at, wide * m, sizeof(float));
    blocks->next = deal(&at, wide * m, sizeof(float));
    blocks->weighted = deal(&at, wide * (m + 1), sizeof(float));
}

static size_t memory(const Outline *page, int wide, int size)
{
    size_t n = page->elements + 2, m = page->runs + 2;
    return n * (7 * 4 + 1 + 8 + 16 + 4 * (size_t)size) + m * 4 * (4 + LEVELS + 2 * SUMS + 1 + 3 * (size_t)wide) + 512;
}

static PyObject *answer(const Outline *page, const Weights *weights)
{
    int wide = weights->networks * weights->width, size = weights->networks * weights->vector;
    Elements all;
    Blocks blocks;
    PyObject *found = NULL;
    char *space = malloc(memory(page, wide, size));
    if (space == NULL)
        return PyErr_NoMemory();
    deal_all(page, wide, size, &all, &blocks, space);
    if (run(page, weights, &all, &blocks) < 0)
        PyErr_NoMemory();
    else {
        finish(weights, &blocks, blocks.root);
        found = Py_BuildValue("y#y#", (char *)blocks.numbers, (Py_ssize_t)(page->runs * sizeof(int32_t)),
                              (char *)blocks.root, (Py_ssize_t)(blocks.count * sizeof(float)));
    }
    free(space);
    return found;
}

enum { OUTLINE_PARTS = 11, WEIGHT_PARTS = 12 };

/* Buffers of a tuple, as many as are wanted. They are let go by the caller in any case. */
static int hold(PyObject *parts, int count, Py_buffer *buffers, int *held)
{
    if (!PyTuple_Check(parts) || PyTuple_Size(parts) != count) {
        PyErr_SetString(PyExc_TypeError, "a tuple of other size was expected");
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(parts, i), buffers + i, PyBUF_SIMPLE) < 0)
            return -1;
        ++*held;
    }
    return 0;
}

static int items(const Py_buffer *buffer, int size)
{
    return (int)(buffer->len / size);
}

static Outline outline_of(const Py_buffer *parts)
{
    return (Outline){
        .tags = parts[0].buf, .parents = parts[1].buf, .ends = parts[2].buf, .text = parts[3].buf, .starts = parts[4].buf,
        .owners = parts[5].buf, .befores = parts[6].buf, .counts = parts[7].buf, .names = parts[8].buf,
        .named = parts[9].buf, .flags = parts[10].buf, .elements = items(parts, 1), .runs = items(parts + 5, 4),
        .name_count = items(parts + 8, 4),
    };
}

static Weights weights_of(const Py_buffer *parts, int networks, int width, int vector)
{
    int names = items(parts, 4);
    return (Weights){
        .names = parts[0].buf, .words = parts[1].buf, .name_vectors = parts[2].buf, .word_vectors = parts[3].buf,
        .dense = parts[4].buf, .bags = parts[5].buf, .bias = parts[6].buf, .rounds = parts[7].buf, .pages = parts[8].buf,
        .round_bias = parts[9].buf, .out = parts[10].buf, .out_bias = parts[11].buf, .name_count = names,
        .word_count = items(parts + 1, 4), .tag_count = items(parts + 2, 4 * networks * vector) - names,
        .networks = networks, .width = width, .vector = vector,
    };
}

/* The shapes that this was compiled for. */
static bool fits(const Py_buffer *parts, const Weights *weights)
{
    int wide = weights->networks * weights->width;
    return wide > 0 && wide <= WIDEST && weights->networks * weights->vector <= WIDEST &&
           parts[4].len == (Py_ssize_t)DENSE * wide * 4 &&
           parts[5].len == (Py_ssize_t)(WAYS + 2) * weights->vector * wide * 4 &&
           parts[7].len == (Py_ssize_t)ROUNDS * AROUND * weights->width * wide * 4;
}

static PyObject *scores(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *page, *learned, *found = NULL;
    int networks, width, vector, held = 0, held_weights = 0;
    Py_buffer parts[OUTLINE_PARTS], weights[WEIGHT_PARTS];
    if (!PyArg_ParseTuple(arguments, "OOiii:scores", &page, &learned, &networks, &width, &vector))
        return NULL;
    if (hold(page, OUTLINE_PARTS, parts, &held) == 0 && hold(learned, WEIGHT_PARTS, weights, &held_weights) == 0) {
        Outline outline = outline_of(parts);
        Weights model = weights_of(weights, networks, width, vector);
        if (!fits(weights, &model))
            PyErr_SetString(PyExc_ValueError, "these weights are of another shape");
        else
            found = answer(&outline, &model);
    }
    while (held > 0)
        PyBuffer_Release(parts + --held);
    while (held_weights > 0)
        PyBuffer_Release(weights + --held_weights);
    return found;
}

static PyMethodDef functions[] = {
    {"scores", scores, METH_VARARGS, "The block of each run, and the score of each block."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_score", "See network.py.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__score(void)
{
    return PyModule_Create(&definition);
}
