/* network.py: every block begins with what is known of it alone, and then looks around twice. */

#ifndef GOSSAMER_SCORER_NETWORK_H
#define GOSSAMER_SCORER_NETWORK_H

#include "features.h"
#include "products.h"

typedef struct {
    const Outline *page;
    const Weights *weights;
    const Elements *all;
    Blocks *blocks;
    int width, vector;
} Scoring;

typedef struct {
    int first, end;
} Stretch; /* of blocks */

/* Blocks in a row that share their container of a level. What it adds to them is computed once. */
static Stretch stretch(const Blocks *blocks, int first, int level)
{
    int element = blocks->containers[first * LEVELS + level], end = first + 1;
    while (end < blocks->count && blocks->containers[end * LEVELS + level] == element)
        end++;
    return (Stretch){first, end};
}

typedef void (*Filling)(const Scoring *s, int level, const Stretch *stretches, int count, Rows parts);

/* For each container of a level: its part, added to the rows of its blocks. */
static void add_containers(const Scoring *s, int level, float *out, Filling fill, int which)
{
    float parts[TILE][WIDEST];
    Stretch stretches[TILE];
    for (int block = 0; block < s->blocks->count;) {
        int count = 0;
        for (; count < TILE && block < s->blocks->count; count++) {
            stretches[count] = stretch(s->blocks, block, level);
            block = stretches[count].end;
            memset(parts[count], 0, (size_t)s->width * sizeof(float));
        }
        fill(s, which, stretches, count, (Rows){parts[0], WIDEST});
        for (int i = 0; i < count; i++)
            for (int j = stretches[i].first; j < stretches[i].end; j++)
                add_row(out + (size_t)j * s->width, parts[i], s->width);
    }
}

static void add_bags(const Scoring *s, Rows out, Rows vectors, int rows, int bag)
{
    const float *matrix = s->weights->bags + (size_t)bag * s->vector * s->width;
    add_products(out, vectors, rows, (Matrix){matrix, s->vector, s->width, (size_t)s->width});
}

static Matrix dense(const Scoring *s, int from, int size)
{
    return (Matrix){s->weights->dense + (size_t)from * s->width, size, s->width, (size_t)s->width};
}

/* What is in a container, and the tags and names on the way from the next one down to it. */
static void fill_container(const Scoring *s, int level, const Stretch *stretches, int count, Rows parts)
{
    float found[TILE][FEATURES], ways[TILE][WIDEST];
    for (int i = 0; i < count; i++) {
        const int32_t *containers = s->blocks->containers + stretches[i].first * LEVELS + level;
        const float *own = s->all->vectors + (size_t)containers[0] * s->vector;
        span_features(s->blocks, s->all->lows[containers[0]], s->all->highs[containers[0]], found[i]);
        if (level + 1 < WAYS)
            difference(own, s->all->vectors + (size_t)containers[1] * s->vector, s->vector, ways[i]);
        else
            memcpy(ways[i], own, (size_t)s->vector * sizeof(float));
    }
    add_products(parts, (Rows){found[0], FEATURES}, count, dense(s, (level + 1) * FEATURES, FEATURES));
    if (level < WAYS)
        add_bags(s, parts, (Rows){ways[0], WIDEST}, count, level + 1);
}

enum { OTHERS = PLACES + ALIKE + HEADINGS };

typedef struct {
    float *alike;
    Heads heads;
} Known;

/* Features, the way down from the innermost container, and the words, for a few blocks. */
static void begin_blocks(const Scoring *s, Known *known, int first, int count)
{
    float found[TILE][FEATURES], others[TILE][OTHERS], ways[TILE][WIDEST], words[TILE][WIDEST];
    const Blocks *blocks = s->blocks;
    for (int i = 0; i < count; i++) {
        int block = first + i, run = blocks->firsts[block], container = blocks->containers[block * LEVELS];
        span_features(blocks, block, block + 1, found[i]);
        place(s->all, blocks, block, others[i]);
        memcpy(others[i] + PLACES, known->alike + (size_t)block * ALIKE, ALIKE * sizeof(float));
        head(s->all, blocks, block, &known->heads, others[i] + PLACES + ALIKE);
        const float *vectors = s->all->vectors;
        difference(vectors + (size_t)s->page->owners[run] * s->vector, vectors + (size_t)container * s->vector, s->vector, ways[i]);
        memset(words[i], 0, (size_t)s->vector * sizeof(float));
        if (blocks->sums[(size_t)block * SUMS + WORDS] <= SHORT_WORDS) {
            int end = block + 1 < blocks->count ? blocks->firsts[block + 1] : s->page->runs;
            add_words(s->page, s->weights, s->page->starts[run], s->page->starts[end], words[i]);
        }
    }
    Rows state = {blocks->state + (size_t)first * s->width, (size_t)s->width};
    add_products(state, (Rows){found[0], FEATURES}, count, dense(s, 0, FEATURES));
    add_products(state, (Rows){others[0], OTHERS}, count, dense(s, SPANS * FEATURES, OTHERS));
    add_bags(s, state, (Rows){ways[0], WIDEST}, count, 0);
    add_bags(s, state, (Rows){words[0], WIDEST}, count, WAYS + 1);
}

static void fill_rows(float *rows, const float *row, int count, int width)
{
    size_t size = (size_t)width * sizeof(float), all = (size_t)count * size;
    memcpy(rows, row, size);
    for (size_t done = size; done < all; done *= 2)
        memcpy((char *)rows + done, rows, done < all - done ? done : all - done);
}

FAST static void cut_below_zero(float *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = numbers[i] > 0 ? numbers[i] : 0;
}

/* What is known of every block alone. */
static int begin(const Scoring *s)
{
    float base[WIDEST], found[FEATURES];
    Blocks *blocks = s->blocks;
    Known known = {.alike = malloc((size_t)blocks->count * ALIKE * sizeof(float))};
    if (known.alike == NULL || find_alike(s->page, s->all, blocks, known.alike) < 0) {
        free(known.alike);
        return -1;
    }
    known.heads = find_heads(s->all, blocks);
    memcpy(base, s->weights->bias, (size_t)s->width * sizeof(float));
    span_features(blocks, 0, blocks->count, found);
    add_products((Rows){base, 0}, (Rows){found, 0}, 1, dense(s, (SPANS - 1) * FEATURES, FEATURES));
    fill_rows(blocks->state, base, blocks->count, s->width);
    for (int first = 0; first < blocks->count; first += TILE)
        begin_blocks(s, &known, first, blocks->count - first < TILE ? blocks->count - first : TILE);
    for (int level = 0; level < LEVELS; level++)
        add_containers(s, level, blocks->state, fill_container, level);
    cut_below_zero(blocks->state, (size_t)blocks->count * s->width);
    free(known.alike);
    return 0;
}

/* States and their weights, summed from the start on. */
FAST static void sum_states(const Weights *weights, Blocks *blocks)
{
    int width = weights->width;
    memset(blocks->weighted, 0, width * sizeof(float));
    for (int i = 0; i < blocks->count; i++) {
        const float *state = blocks->state + (size_t)i * width;
        float *sum = blocks->weighted + (size_t)(i + 1) * width;
        float root = blocks->root[i + 1] - blocks->root[i];
        for (int j = 0; j < width; j++)
            sum[j] = sum[j - width] + root * state[j];
    }
}

/* One part of what is around blocks, times its matrix in a round. */
static void add_around(const Scoring *s, Rows out, Rows x, int rows, int round, int part)
{
    const float *matrix = s->weights->rounds + (size_t)(round * AROUND + part) * s->width * s->width;
    add_products(out, x, rows, (Matrix){matrix, s->width, s->width, (size_t)s->width});
}

/* The average of the states in a container. `which` counts the pools of both rounds. */
static void fill_pool(const Scoring *s, int which, const Stretch *stretches, int count, Rows parts)
{
    float means[TILE][WIDEST];
    const Blocks *blocks = s->blocks;
    int level = POOLED[which % POOLS] - 1;
    for (int i = 0; i < count; i++) {
        int element = blocks->containers[stretches[i].first * LEVELS + level];
        int low = s->all->lows[element], high = s->all->highs[element];
        float scale = 1 / (blocks->root[high] - blocks->root[low]);
        difference(blocks->weighted + (size_t)high * s->width, blocks->weighted + (size_t)low * s->width, s->width, means[i]);
        for (int j = 0; j < s->width; j++)
            means[i][j] *= scale;
    }
    add_around(s, parts, (Rows){means[0], WIDEST}, count, which / POOLS, 3 + which % POOLS);
}

/* The average of blocks that look alike, times its matrix, added to each of them. */
static void add_alike(const Scoring *s, int round)
{
    const Blocks *blocks = s->blocks;
    float means[TILE][WIDEST], parts[TILE][WIDEST];
    for (int first = 0; first < blocks->groups; first += TILE) {
        int count = blocks->groups - first < TILE ? blocks->groups - first : TILE;
        for (int i = 0; i < count; i++) {
            const int32_t *group = blocks->alike + first + i;
            float all = 0;
            memset(means[i], 0, (size_t)s->width * sizeof(float));
            memset(parts[i], 0, (size_t)s->width * sizeof(float));
            for (int at = group[0]; at < group[1]; at++) {
                int block = blocks->order[at];
                float root = blocks->root[block + 1] - blocks->root[block];
                add_weighted(means[i], blocks->state + (size_t)block * s->width, root, s->width);
                all += root;
            }
            for (int j = 0; j < s->width; j++)
                means[i][j] /= all;
        }
        add_around(s, (Rows){parts[0], WIDEST}, (Rows){means[0], WIDEST}, count, round, 3 + POOLS);
        for (int i = 0; i < count; i++)
            for (int at = blocks->alike[first + i]; at < blocks->alike[first + i + 1]; at++)
                add_row(blocks->next + (size_t)blocks->order[at] * s->width, parts[i], s->width);
    }
}

/* The average and the maximum of the states of a page. */
FAST static void pool_page(const Weights *weights, const Blocks *blocks, float *both)
{
    int width = weights->width;
    float *most = both + width;
    memset(most, 0, (size_t)width * sizeof(float));
    const float *total = blocks->weighted + (size_t)blocks->count * width;
    for (int j = 0; j < width; j++)
        both[j] = total[j] / blocks->root[blocks->count];
    for (int i = 0; i < blocks->count; i++) {
        const float *state = blocks->state + (size_t)i * width;
        for (int j = 0; j < width; j++)
            most[j] = state[j] > most[j] ? state[j] : most[j];
    }
}

static void page_part(const Weights *weights, const Blocks *blocks, int round, float *out)
{
    int width = weights->width;
    float both[2 * WIDEST];
    pool_page(weights, blocks, both);
    memcpy(out, weights->round_bias + (size_t)round * width, width * sizeof(float));
    const float *matrix = weights->pages + (size_t)round * 2 * width * width;
    add_products((Rows){out, 0}, (Rows){both, 0}, 1, (Matrix){matrix, 2 * width, width, (size_t)width});
}

FAST static void step(float *next, const float *state, size_t count)
{
    for (size_t i = 0; i < count; i++)
        next[i] = state[i] + (next[i] > 0 ? next[i] : 0);
}

/* Every block looks around: at itself, at those before and after it, at those like it, at its containers and the page. */
static void look_around(const Scoring *s, int round)
{
    Blocks *blocks = s->blocks;
    int count = blocks->count;
    float base[WIDEST];
    Rows state = {blocks->state, (size_t)s->width}, next = {blocks->next, (size_t)s->width};
    sum_states(s->weights, blocks);
    page_part(s->weights, blocks, round, base);
    fill_rows(blocks->next, base, count, s->width);
    add_around(s, next, state, count, round, 0);
    add_around(s, below(next, 1), state, count - 1, round, 1);
    add_around(s, next, below(state, 1), count - 1, round, 2);
    for (int pool = 0; pool < POOLS; pool++)
        add_containers(s, POOLED[pool] - 1, blocks->next, fill_pool, round * POOLS + pool);
    add_alike(s, round);
    step(blocks->next, blocks->state, (size_t)count * s->width);
    float *swapped = blocks->state;
    blocks->state = blocks->next;
    blocks->next = swapped;
}

FAST static void finish(const Weights *weights, const Blocks *blocks, float *scores)
{
    int width = weights->width;
    for (int i = 0; i < blocks->count; i++) {
        Piece sums = {0};
        float sum = 0;
        for (int j = 0; j < width; j += PIECE)
            sums += *(const Piece *)(blocks->state + (size_t)i * width + j) * *(const Piece *)(weights->out + j);
        for (int j = 0; j < PIECE; j++)
            sum += sums[j];
        scores[i] = sum + weights->out_bias[0];
    }
}

static const float SHARED = 0.3f; /* as in neural.py */
enum { ALIKE_LEAST = 3 };

/* A share of a score is from the blocks that look alike, where there are some. `root`: the weight of each block. */
static void smooth(const Blocks *blocks, const float *root, float *scores)
{
    for (int group = 0; group < blocks->groups; group++) {
        int first = blocks->alike[group], end = blocks->alike[group + 1];
        double sum = 0, all = 0;
        for (int at = first; at < end && end - first >= ALIKE_LEAST; at++) {
            sum += (double)root[blocks->order[at]] * scores[blocks->order[at]];
            all += root[blocks->order[at]];
        }
        for (int at = first; at < end && all > 0; at++) {
            float *score = scores + blocks->order[at];
            *score = (1 - SHARED) * *score + SHARED * (float)(sum / all);
        }
    }
}

#endif
