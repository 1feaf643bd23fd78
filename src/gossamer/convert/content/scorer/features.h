/* features.py and marks.py: what can be said of a block. */

#ifndef GOSSAMER_SCORER_FEATURES_H
#define GOSSAMER_SCORER_FEATURES_H

#include "elements.h"

enum { LOGS = 4096 };
static float logs[LOGS]; /* of whole numbers, which all counts are */

static void fill_logs(void)
{
    for (int i = 0; i < LOGS; i++)
        logs[i] = logf((float)i + 1);
}

static float log_of_one_more(float count)
{
    return count < LOGS ? logs[(int)count] : logf(count + 1);
}

static void span_features(const Blocks *blocks, int low, int high, float *out)
{
    const float *from = blocks->running + (size_t)low * SUMS, *to = blocks->running + (size_t)high * SUMS;
    const float *total = blocks->running + (size_t)blocks->count * SUMS;
    float words = to[WORDS] - from[WORDS], scale = 1 / (words + 0.1f);
    for (int j = 0; j < SUMS; j++) {
        float sum = to[j] - from[j], ratio = sum * scale;
        out[j] = log_of_one_more(sum);
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
    blocks->groups = 0;
    for (int first = 0, end; first < count; first = end) {
        float words = 0.1f, linked = 0, prose = 0;
        for (end = first; end < count && looks[blocks->order[end]] == looks[blocks->order[first]]; end++) {
            const float *sums = blocks->sums + (size_t)blocks->order[end] * SUMS;
            words += sums[WORDS];
            linked += sums[LINKED];
            prose += sums[PROSE];
        }
        blocks->alike[blocks->groups++] = first;
        float size = end - first;
        float found[ALIKE] = {logf(size), logf(words / size + 1), linked / words, prose / total};
        for (int i = first; i < end; i++)
            memcpy(alike + (size_t)blocks->order[i] * ALIKE, found, sizeof found);
    }
    blocks->alike[blocks->groups] = count;
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
static void add_words(const Outline *page, const Weights *weights, int from, int to, float *out)
{
    int size = weights->vector;
    for (int i = from; i < to;) {
        uint32_t hash = 0, power = 0x01000193, code;
        int length = 0;
        for (; i < to && (code = letter(page->text[i])) != 0; i++, length++) {
            hash += code * power;
            if (length < LONGEST_WORD - 1)
                power *= 0x01000193;
        }
        int number = length > 1 ? find(hash, weights->words, weights->word_beginnings) : -1;
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

#endif
