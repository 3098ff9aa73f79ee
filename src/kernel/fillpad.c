/* SPDX-License-Identifier: Apache-2.0 */
/* TFILLPAD, TFILLPAD_INPLACE, TFILLPAD_EXPAND (part 30): the valid region of the source, and the pad value in
 * every other element of the destination's capacity. */
#include "kernel/kernel.h"
#include "kernel/window.h"
#include "tile/pad.h"

/* A run of bytes by a pattern of whole elements; the last piece may overlap the one before. */
#define PIECES(size)                                                                                         \
    do {                                                                                                     \
        for (int64_t i = 0; i + (size) <= bytes; i += (size))                                                \
            memcpy(to + i, pattern, size);                                                                   \
        memcpy(to + bytes - (size), pattern, size);                                                          \
    } while (0)
static inline void fill_run(uint8_t *to, const uint64_t pattern[8], int64_t bytes) {
    if (bytes >= 64)
        PIECES(64);
    else if (bytes >= 16)
        PIECES(16);
    else if (bytes >= 4)
        PIECES(4);
    else
        for (int64_t i = 0; i < bytes; i++)
            to[i] = (uint8_t)(*pattern >> i * 8);
}
#undef PIECES

static void fill_rect(void *data, pto_rect r, unsigned bits, const uint64_t pattern[8]) {
    const int64_t size = bits / 8;
    uint8_t *to = (uint8_t *)data + r.dst * size;
    for (int64_t i = 0; i < r.rows; i++, to += r.dst_row * size)
        if (r.dst_col == 1)
            fill_run(to, pattern, r.cols * size);
        else
            for (int64_t c = 0; c < r.cols; c++)
                pto_element_set(to, bits, c * r.dst_col, *pattern);
}

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
    uint64_t pattern[8] = {value & (UINT64_MAX >> (64 - bits))};
    for (unsigned b = bits; b < 64; b *= 2)
        pattern[0] |= pattern[0] << b;
    for (int i = 1; i < 8; i++)
        pattern[i] = pattern[0];
    while (pto_rects_next(&rects, &rect)) {
        rect = pto_rect_turned(rect);
        if (rect.dst_col == 1 && rect.dst_row == rect.cols) { /* whole lines are one run */
            rect.cols *= rect.rows;
            rect.rows = 1;
        }
        fill_rect(tile->data, rect, bits, pattern);
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
