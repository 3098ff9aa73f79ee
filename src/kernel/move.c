/* SPDX-License-Identifier: Apache-2.0 */
/* TMOV and TMOV_FP (part 30): between on-chip memories, with the change of layout that the two tiles imply.
 */
#include "kernel/block_form.h"
#include "kernel/kernel.h"
#include "kernel/window.h"

/* dst, src, reluPreMode */
PTO_KERNEL(tmov) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    if (dst->data == src->data)
        return PTO_OK; /* one tile twice: the rules let nothing else overlap */
    /* the extents are equal but for vec to vec, which moves what both have */
    pto_window window = {.rows = dst->valid_rows < src->valid_rows ? dst->valid_rows : src->valid_rows,
                         .cols = dst->valid_cols < src->valid_cols ? dst->valid_cols : src->valid_cols};
    pto_window_move(call, dst, src, window, pto_call_attr(call, 2) != 0);
    return PTO_OK;
}

/* dst, src, accToVecMode, reluPreMode */
PTO_KERNEL(tmov_acc_to_vec) {
    if (call->host->block_form)
        return pto_block_form_acc_out(call);
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window window =
        pto_window_of_mode(call, dst, pto_call_attr(call, 2), src->valid_rows, src->valid_cols);
    pto_window_move(call, dst, src, window, pto_call_attr(call, 3) != 0);
    return PTO_OK;
}

static pto_status quantised(const pto_kernel_call *call, uint64_t word, const pto_tile *fp, int relu) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_window window = {.rows = src->valid_rows, .cols = src->valid_cols};
    pto_quant quant =
        pto_quant_of(call, dst->type.dtype, src->type.dtype, word, fp, pto_call_attr(call, relu) != 0);
    pto_quant_tell_sign(call, &quant, window.cols);
    pto_window_quant(dst, src, window, &quant);
    return PTO_OK;
}

/* dst, src, preQuantScalar, accToVecMode, reluPreMode; the dual modes do not quantise */
PTO_KERNEL(tmov_quant) { return quantised(call, (uint64_t)pto_call_scalar(call, 2).i, NULL, 4); }
/* dst, src, fp, accToVecMode, reluPreMode */
PTO_KERNEL(tmov_fp_mode) { return quantised(call, 0, pto_call_tile(call, 2), 4); }
/* dst, src, fp, reluPreMode */
PTO_KERNEL(tmov_fp) { return quantised(call, 0, pto_call_tile(call, 2), 3); }
