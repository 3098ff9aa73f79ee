/* SPDX-License-Identifier: Apache-2.0 */
/* TFILLPAD, TFILLPAD_INPLACE, TFILLPAD_EXPAND (part 30): the valid region of the source, and the pad value in
 * every other element of the destination's capacity. */
#include "kernel/kernel.h"
#include "kernel/window.h"
#include "tile/pad.h"

#define FILL(bits)                                                                                           \
    static void fill##bits(void *data, pto_rect r, uint64_t value) {                                         \
        for (int64_t i = 0; i < r.rows; i++) {                                                               \
            pto_bits##bits *row = (pto_bits##bits *)data + r.dst + i * r.dst_row;                            \
            if (r.dst_col == 1) {                                                                            \
                _Pragma("omp simd") for (int64_t c = 0; c < r.cols; c++) row[c] = (uint##bits##_t)value;     \
            } else                                                                                           \
                for (int64_t c = 0; c < r.cols; c++)                                                         \
                    row[c * r.dst_col] = (uint##bits##_t)value;                                              \
        }                                                                                                    \
    }
FILL(8)
FILL(16)
FILL(32)
#undef FILL

/* Elements [row, row_end) x [col, col_end) of the capacity. */
static void fill(const pto_tile *tile, uint64_t value, int32_t row, int32_t row_end, int32_t col,
                 int32_t col_end) {
    pto_rects rects = pto_window_rects(tile, tile,
                                       (pto_window){.rows = row_end - row,
                                                    .cols = col_end - col,
                                                    .dst_row = row,
                                                    .dst_col = col,
                                                    .src_row = row,
                                                    .src_col = col});
    pto_rect rect;
    unsigned bits = pto_dtype_bits(tile->type.dtype);
    while (pto_rects_next(&rects, &rect)) {
        rect = pto_rect_turned(rect);
        if (rect.dst_col == 1 && rect.dst_row == rect.cols) { /* whole lines are one run */
            rect.cols *= rect.rows;
            rect.rows = 1;
        }
        (bits == 8 ? fill8 : bits == 16 ? fill16 : fill32)(tile->data, rect, value);
    }
}

static void copy_valid(const pto_kernel_call *call, const pto_tile *dst, const pto_tile *src) {
    if (dst->data != src->data) {
        /* types of one size: bits are copied */
        pto_tile bits = *src;
        bits.type.dtype = dst->type.dtype;
        pto_window_move(call, dst, &bits, (pto_window){.rows = src->valid_rows, .cols = src->valid_cols},
                        false);
    }
}

PTO_KERNEL(tfillpad) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return PTO_OK;
    uint64_t pad = pto_pad_bits(dst->type.pad, dst->type.dtype, false);
    copy_valid(call, dst, src);
    fill(dst, pad, 0, src->valid_rows, src->valid_cols, dst->type.cols);
    fill(dst, pad, src->valid_rows, dst->type.rows, 0, dst->type.cols);
    return PTO_OK;
}

/* dst, src, padValue: the boxes of a mat tile */
PTO_KERNEL(tfillpad_mat) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    const pto_tile_type *type = &dst->type;
    int32_t rows = src->valid_rows, cols = src->valid_cols, c0 = (int32_t)(256 / pto_dtype_bits(type->dtype));
    uint64_t pad = pto_pad_bits((pto_pad)pto_call_attr(call, 2), type->dtype, false);
    copy_valid(call, dst, src);
    if (type->compact == PTO_COMPACT_ROW_ALIGNED_PADDING) {
        int32_t row_end = (rows + 15) / 16 * 16, col_end = (cols + c0 - 1) / c0 * c0;
        fill(dst, pad, rows, row_end < type->rows ? row_end : type->rows, 0,
             col_end < type->cols ? col_end : type->cols);
        return PTO_OK;
    }
    fill(dst, pad, 0, rows, cols, type->cols);
    fill(dst, pad, rows, type->rows, 0, type->cols);
    return PTO_OK;
}
