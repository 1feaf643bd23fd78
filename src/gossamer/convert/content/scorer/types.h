/* What the parts of the scorer hand to each other. */

#ifndef GOSSAMER_SCORER_TYPES_H
#define GOSSAMER_SCORER_TYPES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 6, LINKED = 6, PROSE, SHORT, ONE, MARKED, SUMS = MARKED + 4 };
enum { WORDS = 0, COMMAS = 2 };
enum { LEVELS = 5, SPANS = LEVELS + 2, FEATURES = 2 * SUMS, PLACES = 5 + LEVELS, ALIKE = 4, HEADINGS = 8 };
enum { DENSE = SPANS * FEATURES + PLACES + ALIKE + HEADINGS };
enum { WAYS = 3, POOLS = 3, AROUND = 4 + POOLS, ROUNDS = 2, FIRST_BITS = 12 };
enum { BREAKS = 8, LINK = 16, PICTURE = 32, CONTROL = 64, RANK = 7 };
enum { SHORT_WORDS = 16, LONGEST_WORD = 64, WIDEST = 128 };

static const int POOLED[POOLS] = {1, 2, 4};

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define FAST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FAST
#endif

typedef struct {
    const uint32_t *names, *words;
    const int32_t *name_beginnings, *word_beginnings;
    const float *name_vectors, *word_vectors, *dense, *bags, *bias, *rounds, *pages, *round_bias, *out, *out_bias;
    int tag_count;
    int width, vector; /* of a state, and of what was learned of a tag, name or word */
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
    int32_t *numbers, *firsts, *tops, *containers;
    int32_t *order; /* by their looks, those that look alike side by side */
    int32_t *alike; /* where in that order each group of them begins, and one past the last */
    int groups;
    float *sums, *running, *state, *next, *root, *weighted;
    int count;
} Blocks;

#endif
