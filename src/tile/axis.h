/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional copies between any two layouts. The offset of (row, col) is a sum of a function of the row
 * and one of the column in every tile layout (00-model, 4) and in every tensor layout (00-model, 6.4), and
 * each function is a mixed-radix number: digits of an extent and a step. Cutting both axes at the digits of
 * either side gives rectangles in which both sides are plain strided arrays. */
#ifndef PTO_TILE_AXIS_H
#define PTO_TILE_AXIS_H

#include <pto/instr.h>

enum { PTO_AXIS_DIGITS = 6 };
typedef struct pto_axis {
    int count; /* 1..PTO_AXIS_DIGITS, innermost first; the last digit has no end */
    struct {
        int64_t extent, step; /* step in elements */
    } digit[PTO_AXIS_DIGITS];
} pto_axis;

/* How the element offset depends on the row, and on the column. */
pto_axis pto_axis_tile_rows(const pto_tile_type *type);
pto_axis pto_axis_tile_cols(const pto_tile_type *type);
pto_axis pto_axis_global_rows(const pto_global *global);
pto_axis pto_axis_global_cols(const pto_global *global);
/* The columns of NDC1HWC0, whose shape does not show how many elements stand at an index. */
pto_axis pto_axis_global_cols_of(const pto_global *global, int64_t inner);
/* Any digits, innermost first, at most PTO_AXIS_DIGITS of an extent other than 1. */
pto_axis pto_axis_of(const int64_t *extent, const int64_t *step, int count);

/* A rectangle of elements, strided on both sides. Offsets and steps in elements. */
typedef struct pto_rect {
    int64_t rows, cols;
    int64_t dst, dst_row, dst_col; /* first element, step to the next row, to the next column */
    int64_t src, src_row, src_col;
} pto_rect;

/* The rectangles that make up rows x cols, in row-major order. */
typedef struct pto_rects {
    pto_axis dst_rows, dst_cols, src_rows, src_cols;
    int32_t rows, cols;
    int32_t dst_row, dst_col, src_row, src_col; /* coordinates of the first element on either side */
    int32_t row, col;                           /* where the next rectangle starts */
    int64_t dst_at, src_at, height;             /* what all rectangles that start in `row` have in common */
} pto_rects;

/* Set the four axes, the extents and what is not 0 of the first coordinates, the rest zero; false when no
 * rectangle is left. */
bool pto_rects_next(pto_rects *rects, pto_rect *rect);

#endif
