/* learned.py: which blocks are kept, by their scores. */

#ifndef GOSSAMER_SCORER_CHOICE_H
#define GOSSAMER_SCORER_CHOICE_H

#include "types.h"

static const float DOUBT = 0.5f, BETWEEN_LEAST = -2.5f; /* as in learned.py, like the next */
enum { BETWEEN_MOST = 4 };
static const double HARDLY_ANYTHING = 1e-9;

/* Half of the F1 that is to be expected of blocks that are likelier than `least`. */
static double half_f1(const float *chances, const float *words, int count, double least)
{
    double right = 0, size = 0, wanted = HARDLY_ANYTHING;
    for (int i = 0; i < count; i++) {
        double words_here = words[i] + 1, right_here = chances[i] * words_here;
        bool is_kept = chances[i] > least;
        wanted += right_here;
        right += is_kept ? right_here : 0;
        size += is_kept ? words_here : 0;
    }
    return right / (size + wanted);
}

/* A few blocks that are missing between two others are taken too, unless one of them is no good. */
static void fill_gaps(const float *scores, int count, uint8_t *kept)
{
    int gap = count; /* as if there were none */
    for (int i = 0; i < count; i++) {
        if (kept[i]) {
            if (gap <= i && i - gap <= BETWEEN_MOST)
                memset(kept + gap, 1, (size_t)(i - gap));
            gap = i + 1;
        } else if (scores[i] <= BETWEEN_LEAST)
            gap = count;
    }
}

static void choose(const float *scores, const float *words, int count, float calm, float *chances, uint8_t *kept)
{
    int best = 0;
    for (int i = 0; i < count; i++) {
        chances[i] = (1 + tanhf((scores[i] / calm - DOUBT) / 2)) / 2;
        best = scores[i] > scores[best] ? i : best;
    }
    double least = 0, better;
    while ((better = half_f1(chances, words, count, least)) > least)
        least = better;
    for (int i = 0; i < count; i++)
        kept[i] = chances[i] > least || i == best;
    fill_gaps(scores, count, kept);
}

#endif
