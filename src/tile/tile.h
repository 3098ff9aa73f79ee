/* SPDX-License-Identifier: Apache-2.0 */
/* Element addresses of tiles and their iteration by contiguous runs (00-model, 3.3, 4). */
#ifndef PTO_TILE_TILE_H
#define PTO_TILE_TILE_H

#include <pto/instr.h>

/* Offset in elements of (row, col) from the tile's start, 0 <= row < rows, 0 <= col < cols of the
 * type (00-model, 4). Byte offset = offset * bits / 8; 4-bit types: nibble = offset & 1. */
int64_t pto_tile_offset(const pto_tile_type *type, int32_t row, int32_t col);

/* A rectangle of elements common to up to four tiles of one layout class, cut into equal runs of
 * consecutive elements: run k of operand t starts at start[t] + (k / inner) * outer_step[t] +
 * (k % inner) * inner_step[t] elements. Kernels call pto_runs_begin, then process `count` runs of
 * `length` elements, and repeat while pto_runs_next gives another group (boxed layouts whose last box is
 * partly valid need two groups; flat layouts always one). The row-major full-width case is one run. */
enum { PTO_RUNS_MAX = 4 };
typedef struct pto_runs {
    int tiles;
    int32_t length; /* elements of a run */
    int64_t count;  /* runs in this group */
    int64_t inner;  /* runs per inner loop */
    int64_t start[PTO_RUNS_MAX], inner_step[PTO_RUNS_MAX], outer_step[PTO_RUNS_MAX];
    const pto_tile_type *type[PTO_RUNS_MAX];
    int32_t rows, cols; /* the rectangle */
    int32_t stage;
} pto_runs;

/* All tiles share blayout, slayout and box (their capacities may differ). False when rows or cols is 0. */
bool pto_runs_begin(pto_runs *runs, const pto_tile_type *const *types, int tiles, int32_t rows, int32_t cols);
bool pto_runs_next(pto_runs *runs);

#endif
