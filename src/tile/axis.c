/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of tiles and global tensors, and the common cutting of two of them. */
#include "tile/axis.h"

#include "isa/extents.h"

/* Appends a digit; one of extent 1 adds nothing, one that continues its predecessor becomes part of it. */
static void add(pto_axis *axis, int64_t extent, int64_t step) {
    int64_t reach;
    if (extent == 1)
        return;
    if (axis->count &&
        !__builtin_mul_overflow(axis->digit[axis->count - 1].extent, axis->digit[axis->count - 1].step,
                                &reach) &&
        reach == step && extent != INT64_MAX &&
        !__builtin_mul_overflow(axis->digit[axis->count - 1].extent, extent, &reach)) {
        axis->digit[axis->count - 1].extent = reach;
        return;
    }
    axis->digit[axis->count].extent = extent;
    axis->digit[axis->count++].step = step;
}

/* The outermost digit has no end: indices never leave the extents. */
static pto_axis finish(pto_axis axis) {
    if (!axis.count)
        axis.digit[axis.count++].step = 0;
    axis.digit[axis.count - 1].extent = INT64_MAX;
    return axis;
}

static pto_axis two_digits(int64_t inner, int64_t inner_step, int64_t count, int64_t outer_step) {
    pto_axis axis = {0};
    add(&axis, inner, inner_step);
    add(&axis, count, outer_step);
    return finish(axis);
}

pto_axis pto_axis_tile_rows(const pto_tile_type *type) {
    int64_t rows = type->rows, cols = type->cols;
    bool outer_row = type->blayout == PTO_ROW_MAJOR;
    if (rows == 1 || type->slayout == PTO_NONE_BOX)
        return two_digits(rows, outer_row ? cols : 1, 1, 0);
    int32_t ir, ic;
    pto_tile_type_box(type, &ir, &ic);
    int64_t boxes = (rows + ir - 1) / ir;
    return two_digits(ir, type->slayout == PTO_BOX_ROW_MAJOR ? ic : 1, boxes,
                      outer_row ? cols * ir : (int64_t)ir * ic);
}

pto_axis pto_axis_tile_cols(const pto_tile_type *type) {
    int64_t rows = type->rows, cols = type->cols;
    bool outer_row = type->blayout == PTO_ROW_MAJOR;
    if (rows == 1)
        return two_digits(cols, 1, 1, 0);
    if (type->slayout == PTO_NONE_BOX)
        return two_digits(cols, outer_row ? 1 : rows, 1, 0);
    int32_t ir, ic;
    pto_tile_type_box(type, &ir, &ic);
    return two_digits(ic, type->slayout == PTO_BOX_ROW_MAJOR ? 1 : ir, cols / ic,
                      outer_row ? (int64_t)ir * ic : rows * ic);
}

/* The dimensions of a tensor that one axis walks, innermost first. */
static pto_axis of_dims(const pto_global *global, const int *dims, int count) {
    pto_axis axis = {0};
    for (int k = 0; k < count; k++)
        add(&axis, global->shape[dims[k]], global->stride[dims[k]]);
    return finish(axis);
}

pto_axis pto_axis_global_rows(const pto_global *global) {
    switch (global->layout) {
    case PTO_LAYOUT_DN:
        return of_dims(global, (const int[]){3}, 1);
    case PTO_LAYOUT_NZ:
        return of_dims(global, (const int[]){3, 2}, 2);
    case PTO_LAYOUT_NC1HWC0:
        return of_dims(global, (const int[]){3, 2, 0}, 3);
    case PTO_LAYOUT_NDC1HWC0:
        return of_dims(global, (const int[]){4, 3, 0}, 3);
    case PTO_LAYOUT_NHWC:
        return of_dims(global, (const int[]){3, 2, 1}, 3);
    case PTO_LAYOUT_NCHW:
        return of_dims(global, (const int[]){4, 3, 1}, 3);
    case PTO_LAYOUT_NCDHW:
        return of_dims(global, (const int[]){4, 3, 2, 0}, 4);
    case PTO_LAYOUT_MX_A_ZZ:
        return of_dims(global, (const int[]){3, 1}, 2);
    case PTO_LAYOUT_MX_A_ND:
        return of_dims(global, (const int[]){2}, 1);
    case PTO_LAYOUT_MX_A_DN:
        return of_dims(global, (const int[]){3}, 1);
    case PTO_LAYOUT_MX_B_NN:
    case PTO_LAYOUT_MX_B_ND:
        return of_dims(global, (const int[]){4, 2}, 2);
    case PTO_LAYOUT_MX_B_DN:
        return of_dims(global, (const int[]){4, 3}, 2);
    default:
        return of_dims(global, (const int[]){3, 2, 1, 0}, 4);
    }
}

pto_axis pto_axis_global_cols(const pto_global *global) {
    switch (global->layout) {
    case PTO_LAYOUT_DN:
        return of_dims(global, (const int[]){4, 2, 1, 0}, 4);
    case PTO_LAYOUT_NZ:
        return of_dims(global, (const int[]){4, 1, 0}, 3);
    case PTO_LAYOUT_NC1HWC0:
        return of_dims(global, (const int[]){4, 1}, 2);
    case PTO_LAYOUT_NDC1HWC0:
        return pto_axis_global_cols_of(global, pto_layout_inner_width(global->layout, global->dtype, false));
    case PTO_LAYOUT_NCHW:
        return of_dims(global, (const int[]){2}, 1);
    case PTO_LAYOUT_NCDHW:
        return of_dims(global, (const int[]){1}, 1);
    case PTO_LAYOUT_MX_A_ZZ:
    case PTO_LAYOUT_MX_A_DN:
        return of_dims(global, (const int[]){4, 2}, 2);
    case PTO_LAYOUT_MX_A_ND:
        return of_dims(global, (const int[]){4, 3}, 2);
    case PTO_LAYOUT_MX_B_NN:
        return of_dims(global, (const int[]){3, 1}, 2);
    case PTO_LAYOUT_MX_B_ND:
        return of_dims(global, (const int[]){3}, 1);
    case PTO_LAYOUT_MX_B_DN:
        return of_dims(global, (const int[]){2}, 1);
    default:
        return of_dims(global, (const int[]){4}, 1);
    }
}

pto_axis pto_axis_global_cols_of(const pto_global *global, int64_t inner) {
    if (global->layout != PTO_LAYOUT_NDC1HWC0)
        return pto_axis_global_cols(global);
    const int64_t extent[] = {inner, global->shape[2], global->shape[1]},
                  step[] = {1, global->stride[2], global->stride[1]};
    return pto_axis_of(extent, step, 3);
}

pto_axis pto_axis_of(const int64_t *extent, const int64_t *step, int count) {
    pto_axis axis = {0};
    for (int k = 0; k < count; k++)
        add(&axis, extent[k], step[k]);
    return finish(axis);
}

/* Offset at an index, and how many indices from there on lie in the innermost digit. */
static int64_t offset_at(const pto_axis *axis, int64_t index, int64_t *length) {
    int64_t offset = 0, rest = index;
    *length = INT64_MAX;
    for (int d = 0; d + 1 < axis->count; d++) {
        const int64_t extent = axis->digit[d].extent;
        /* most numbers fit in 32 bits, which divide much faster */
        const int64_t quotient = (uint64_t)(rest | extent) <= UINT32_MAX
                                     ? (int64_t)((uint32_t)rest / (uint32_t)extent)
                                     : rest / extent;
        const int64_t digit = rest - quotient * extent;
        offset += digit * axis->digit[d].step;
        if (d == 0)
            *length = extent - digit;
        rest = quotient;
    }
    return offset + rest * axis->digit[axis->count - 1].step;
}

static int64_t least(int64_t a, int64_t b, int64_t c) {
    int64_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

bool pto_rects_next(pto_rects *rects, pto_rect *rect) {
    if (rects->row >= rects->rows || rects->cols <= 0)
        return false;
    int64_t dst_length, src_length;
    if (rects->col == 0) {
        rects->dst_at = offset_at(&rects->dst_rows, (int64_t)rects->dst_row + rects->row, &dst_length);
        rects->src_at = offset_at(&rects->src_rows, (int64_t)rects->src_row + rects->row, &src_length);
        rects->height = least(dst_length, src_length, rects->rows - rects->row);
    }
    rect->rows = rects->height;
    rect->dst =
        rects->dst_at + offset_at(&rects->dst_cols, (int64_t)rects->dst_col + rects->col, &dst_length);
    rect->src =
        rects->src_at + offset_at(&rects->src_cols, (int64_t)rects->src_col + rects->col, &src_length);
    rect->cols = least(dst_length, src_length, rects->cols - rects->col);
    rect->dst_row = rects->dst_rows.digit[0].step;
    rect->src_row = rects->src_rows.digit[0].step;
    rect->dst_col = rects->dst_cols.digit[0].step;
    rect->src_col = rects->src_cols.digit[0].step;
    rects->col += (int32_t)rect->cols;
    if (rects->col == rects->cols) {
        rects->col = 0;
        rects->row += (int32_t)rects->height;
    }
    return true;
}
