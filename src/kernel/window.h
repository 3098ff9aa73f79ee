/* SPDX-License-Identifier: Apache-2.0 */
/* Moving a window of one tile into a window of another, with the change of layout that the two tiles imply
 * and what the way out of the accumulator adds (part 30, TMOV, TEXTRACT, TINSERT). */
#ifndef PTO_KERNEL_WINDOW_H
#define PTO_KERNEL_WINDOW_H

#include "kernel/quant.h"
#include "tile/axis.h"
#include <pto/number.h>

/* The dual modes of AccToVecMode. */
enum { PTO_SPLIT_M = 2, PTO_SPLIT_N = 3 };

typedef struct pto_window {
    int32_t rows, cols;
    int32_t dst_row, dst_col, src_row, src_col; /* the first element on either side */
} pto_window;

/* `count` elements one behind the other, converted as a C++ assignment does, made definite where C++ is not.
 * Integers keep their low bits, floats lose their fraction (out of range saturates, NaN gives 0), everything
 * else rounds to nearest with infinity on overflow. In convert.c. */
#define pto_assign_line PTO_KERNEL_SYMBOL(assign_line)
void pto_assign_line(pto_dtype dst, pto_dtype src, void *to, const void *from, int64_t count);

/* Through blocks of 256 elements, whose rows lie one behind the other. */
static inline void pto_assign_rect(const pto_tile *dst, const pto_tile *src, pto_rect rect) {
    enum { BLOCK = 256 };
    _Alignas(64) uint64_t in[BLOCK], out[BLOCK];
    const pto_dtype to = dst->type.dtype, from = src->type.dtype;
    const pto_rect r = pto_rect_turned(rect);
    const int64_t wide = r.cols < BLOCK ? r.cols : BLOCK, high = wide ? BLOCK / wide : 1;
    for (int64_t i = 0; i < r.rows; i += high)
        for (int64_t c = 0; c < r.cols; c += wide) {
            const int64_t rows = r.rows - i < high ? r.rows - i : high,
                          cols = r.cols - c < wide ? r.cols - c : wide;
            const int64_t dst_at = r.dst + i * r.dst_row + c * r.dst_col,
                          src_at = r.src + i * r.src_row + c * r.src_col;
            pto_copy_rect(in, src->data, (pto_rect){rows, cols, 0, cols, 1, src_at, r.src_row, r.src_col},
                          pto_dtype_bits(from));
            pto_assign_line(to, from, out, in, rows * cols);
            pto_copy_rect(dst->data, out, (pto_rect){rows, cols, dst_at, r.dst_row, r.dst_col, 0, cols, 1},
                          pto_dtype_bits(to));
        }
}

/* An index operand; 0 when it is not given. */
static inline int32_t pto_window_index(const pto_kernel_call *call, int i) {
    return call->instr->operand[i].kind == PTO_OPERAND_SCALAR ? (int32_t)pto_call_scalar(call, i).i : 0;
}

static inline pto_rects pto_window_rects(const pto_tile *dst, const pto_tile *src, pto_window window) {
    return (pto_rects){.dst_rows = pto_axis_tile_rows(&dst->type),
                       .dst_cols = pto_axis_tile_cols(&dst->type),
                       .src_rows = pto_axis_tile_rows(&src->type),
                       .src_cols = pto_axis_tile_cols(&src->type),
                       .rows = window.rows,
                       .cols = window.cols,
                       .dst_row = window.dst_row,
                       .dst_col = window.dst_col,
                       .src_row = window.src_row,
                       .src_col = window.src_col};
}

/* Without quantisation; relu counts for a source in acc only. */
static inline void pto_window_move(const pto_kernel_call *call, const pto_tile *dst, const pto_tile *src,
                                   pto_window window, bool relu) {
    bool acc = src->type.loc == PTO_LOC_ACC;
    pto_fixpipe_mode mode = pto_fixpipe_mode_of(relu, call->numeric->relu_keeps_nan);
    pto_rects rects = pto_window_rects(dst, src, window);
    pto_rect rect;
    while (pto_rects_next(&rects, &rect)) {
        if (acc)
            pto_fixpipe_rect(dst->data, dst->type.dtype, src->data, src->type.dtype, rect, mode);
        else if (dst->type.dtype == src->type.dtype)
            pto_copy_rect(dst->data, src->data, rect, pto_dtype_bits(dst->type.dtype));
        else
            pto_assign_rect(dst, src, rect);
    }
}

/* quant->first is the word of the window's first column. */
static inline void pto_window_quant(const pto_tile *dst, const pto_tile *src, pto_window window,
                                    const pto_quant *quant) {
    pto_rects rects = pto_window_rects(dst, src, window);
    pto_rect rect;
    for (int64_t column = rects.col; pto_rects_next(&rects, &rect); column = rects.col)
        pto_quant_rect(dst->data, src->data, rect, quant, column);
}

/* The part of the source that a move from acc to a vector core's tile takes: with a dual mode the destination
 * may hold one half, of the rows (split m) or of the columns (split n); `subblock` says which one. */
static inline pto_window pto_window_of_mode(const pto_kernel_call *call, const pto_tile *dst, int64_t mode,
                                            int32_t rows, int32_t cols) {
    pto_window window = {.rows = rows, .cols = cols};
    int32_t half = call->host->subblock ? 1 : 0;
    if (mode == PTO_SPLIT_M && dst->valid_rows * 2 == rows) {
        window.rows = dst->valid_rows;
        window.src_row = half * dst->valid_rows;
    } else if (mode == PTO_SPLIT_N && dst->valid_cols * 2 == cols) {
        window.cols = dst->valid_cols;
        window.src_col = half * dst->valid_cols;
    }
    return window;
}

#endif
