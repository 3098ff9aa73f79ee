/* SPDX-License-Identifier: Apache-2.0 */
/* TEXTRACT and TEXTRACT_FP (part 30): a window of the source, of the size of the destination's valid region.
 */
#include "kernel/kernel.h"
#include "kernel/window.h"

static pto_window window_at(const pto_kernel_call *call, const pto_tile *dst, int row, int col) {
    return (pto_window){.rows = dst->valid_rows,
                        .cols = dst->valid_cols,
                        .src_row = pto_window_index(call, row),
                        .src_col = pto_window_index(call, col)};
}

/* dst, src, indexRow, indexCol, reluPreMode */
PTO_KERNEL(textract) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window_move(call, dst, src, window_at(call, dst, 2, 3), pto_call_attr(call, 4) != 0);
    return PTO_OK;
}

/* dst, src, indexRow, indexCol, accToVecMode, reluPreMode: with a dual mode the window begins a region twice
 * the size of the destination, of which each vector core takes its half */
PTO_KERNEL(textract_acc_to_vec) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window window = window_at(call, dst, 2, 3);
    int64_t mode = pto_call_attr(call, 4);
    if (mode == PTO_SPLIT_M && call->host->subblock)
        window.src_row += dst->valid_rows;
    if (mode == PTO_SPLIT_N && call->host->subblock)
        window.src_col += dst->valid_cols;
    pto_window_move(call, dst, src, window, pto_call_attr(call, 5) != 0);
    return PTO_OK;
}

/* The word of a column is that of the source. */
static pto_status quantised(const pto_kernel_call *call, uint64_t word, const pto_tile *fp, int relu) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window window = window_at(call, dst, 3, 4);
    pto_quant quant =
        pto_quant_of(call, dst->type.dtype, src->type.dtype, word, fp, pto_call_attr(call, relu) != 0);
    quant.first = window.src_col;
    pto_quant_tell_sign(call, &quant, window.cols);
    pto_window_quant(dst, src, window, &quant);
    return PTO_OK;
}

/* dst, src, preQuantScalar, indexRow, indexCol, accToVecMode, reluPreMode */
PTO_KERNEL(textract_quant) { return quantised(call, (uint64_t)pto_call_scalar(call, 2).i, NULL, 6); }
/* dst, src, fp, indexRow, indexCol, accToVecMode, reluPreMode */
PTO_KERNEL(textract_fp_mode) { return quantised(call, 0, pto_call_tile(call, 2), 6); }
/* dst, src, fp, indexRow, indexCol, reluPreMode */
PTO_KERNEL(textract_fp) { return quantised(call, 0, pto_call_tile(call, 2), 5); }

/* dst0, dst1, src, indexRow0, indexCol0, indexRow1, indexCol1 */
PTO_KERNEL(textract_two) {
    const pto_tile *src = pto_call_tile(call, 2);
    for (int i = 0; i < 2; i++) {
        const pto_tile *dst = pto_call_tile(call, i);
        pto_window_move(call, dst, src, window_at(call, dst, 3 + 2 * i, 4 + 2 * i), false);
    }
    return PTO_OK;
}
