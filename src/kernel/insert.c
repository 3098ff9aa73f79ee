/* SPDX-License-Identifier: Apache-2.0 */
/* TINSERT and TINSERT_FP (part 30): the valid region of the source into a window of the destination. */
#include "kernel/kernel.h"
#include "kernel/window.h"

static pto_window window_at(const pto_kernel_call *call, const pto_tile *src, int row, int col) {
    return (pto_window){.rows = src->valid_rows,
                        .cols = src->valid_cols,
                        .dst_row = pto_window_index(call, row),
                        .dst_col = pto_window_index(call, col)};
}

/* dst, src, indexRow, indexCol, reluPreMode */
PTO_KERNEL(tinsert) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window_move(call, dst, src, window_at(call, src, 2, 3), pto_call_attr(call, 4) != 0);
    return PTO_OK;
}

/* dst, src, indexRow, indexCol, insertMode: cutting the transfer in pieces changes nothing */
PTO_KERNEL(tinsert_split) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window_move(call, dst, src, window_at(call, src, 2, 3), false);
    return PTO_OK;
}

/* dst, src, indexRow, indexCol, accToVecMode, reluPreMode: with a dual mode each vector core inserts its half
 * of the source */
PTO_KERNEL(tinsert_acc_to_vec) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window window = window_at(call, src, 2, 3);
    int64_t mode = pto_call_attr(call, 4);
    int32_t half = call->host->subblock ? 1 : 0;
    if (mode == PTO_SPLIT_M) {
        window.rows /= 2;
        window.src_row = half * window.rows;
    } else if (mode == PTO_SPLIT_N) {
        window.cols /= 2;
        window.src_col = half * window.cols;
    }
    pto_window_move(call, dst, src, window, pto_call_attr(call, 5) != 0);
    return PTO_OK;
}

/* The word of a column is that of the source. */
static pto_status quantised(const pto_kernel_call *call, uint64_t word, const pto_tile *fp, int relu) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_quant quant =
        pto_quant_of(call, dst->type.dtype, src->type.dtype, word, fp, pto_call_attr(call, relu) != 0);
    pto_quant_tell_sign(call, &quant, src->valid_cols);
    pto_window_quant(dst, src, window_at(call, src, 3, 4), &quant);
    return PTO_OK;
}

/* dst, src, preQuantScalar, indexRow, indexCol, accToVecMode, reluPreMode */
PTO_KERNEL(tinsert_quant) { return quantised(call, (uint64_t)pto_call_scalar(call, 2).i, NULL, 6); }
/* dst, src, fp, indexRow, indexCol, accToVecMode, reluPreMode */
PTO_KERNEL(tinsert_fp_mode) { return quantised(call, 0, pto_call_tile(call, 2), 6); }
/* dst, src, fp, indexRow, indexCol, reluPreMode */
PTO_KERNEL(tinsert_fp) { return quantised(call, 0, pto_call_tile(call, 2), 5); }
