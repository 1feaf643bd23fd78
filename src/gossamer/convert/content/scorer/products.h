/* Products of matrices that are a few numbers wide: nothing but these takes time. */

#ifndef GOSSAMER_SCORER_PRODUCTS_H
#define GOSSAMER_SCORER_PRODUCTS_H

#include "types.h"

/* What a register holds: a wider vector is kept in memory by the compiler, which takes three times as long. */
#if defined(__x86_64__)
enum { PIECE = 16 };
#else
enum { PIECE = 4 };
#endif
typedef float Piece __attribute__((vector_size(4 * PIECE), aligned(4)));
enum { LANE = 16, PIECES = LANE / PIECE, TILE = 6 };

typedef struct {
    float *at;
    size_t step; /* from one row to the next */
} Rows;

typedef struct {
    const float *at;
    int size, columns; /* columns are a multiple of LANE */
    size_t step;
} Matrix;

/* A few rows of 16 columns stay in registers, so that a weight that was read is used for all of them. */
static inline __attribute__((always_inline)) void add_tile(Rows out, Rows x, int rows, const Matrix *weights, int column)
{
    Piece sums[TILE][PIECES], row[PIECES];
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PIECES; p++)
            sums[r][p] = *(const Piece *)(out.at + r * out.step + column + p * PIECE);
    for (int i = 0; i < weights->size; i++) {
        for (int p = 0; p < PIECES; p++)
            row[p] = *(const Piece *)(weights->at + i * weights->step + column + p * PIECE);
        for (int r = 0; r < rows; r++)
            for (int p = 0; p < PIECES; p++)
                sums[r][p] += x.at[r * x.step + i] * row[p];
    }
    for (int r = 0; r < rows; r++)
        for (int p = 0; p < PIECES; p++)
            *(Piece *)(out.at + r * out.step + column + p * PIECE) = sums[r][p];
}

static Rows below(Rows rows, int count)
{
    return (Rows){rows.at + count * rows.step, rows.step};
}

/* out += x times the weights. */
FAST static void add_products(Rows out, Rows x, int rows, Matrix weights)
{
    for (; rows >= TILE; rows -= TILE, out = below(out, TILE), x = below(x, TILE))
        for (int column = 0; column < weights.columns; column += LANE)
            add_tile(out, x, TILE, &weights, column);
    for (; rows >= 2; rows -= 2, out = below(out, 2), x = below(x, 2))
        for (int column = 0; column < weights.columns; column += LANE)
            add_tile(out, x, 2, &weights, column);
    for (int column = 0; rows > 0 && column < weights.columns; column += LANE)
        add_tile(out, x, 1, &weights, column);
}

FAST static void add_row(float *out, const float *x, int size)
{
    for (int j = 0; j < size; j++)
        out[j] += x[j];
}

FAST static void add_weighted(float *out, const float *x, float weight, int size)
{
    for (int j = 0; j < size; j++)
        out[j] += weight * x[j];
}

FAST static void difference(const float *a, const float *b, int size, float *out)
{
    for (int j = 0; j < size; j++)
        out[j] = a[j] - b[j];
}

#endif
