/* SPDX-License-Identifier: Apache-2.0 */
/* TSTORE with a quantisation scalar and TSTORE_FP (part 30, TSTORE, Q). */
#include "kernel/global_add.h"
#include "kernel/kernel.h"
#include "kernel/quant.h"
#include "tile/axis.h"

/* Every element of a rectangle is quantised in a chunk of its row and added. */
static void add_rect(const pto_global *dst, const pto_tile *src, pto_rect rect, const pto_quant *quant,
                     int64_t column, bool flush) {
    unsigned bits = pto_dtype_bits(dst->dtype);
    pto_quant_lanes lanes;
    uint64_t stage[PTO_QUANT_COLS];
    for (int64_t c = 0; c < rect.cols; c += PTO_QUANT_COLS) {
        int64_t count = rect.cols - c < PTO_QUANT_COLS ? rect.cols - c : PTO_QUANT_COLS;
        pto_quant_load(&lanes, quant, column + c, count);
        for (int64_t r = 0; r < rect.rows; r++) {
            pto_rect row = {.rows = 1,
                            .cols = count,
                            .dst_col = 1,
                            .src = rect.src + r * rect.src_row + c * rect.src_col,
                            .src_col = rect.src_col};
            pto_quant_chunk(stage, src->data, row, quant, &lanes);
            for (int64_t k = 0; k < count; k++)
                pto_global_add(dst->data, rect.dst + r * rect.dst_row + (c + k) * rect.dst_col, dst->dtype,
                               (uint32_t)pto_element_get(stage, bits, k), flush);
        }
    }
}

static pto_status store(const pto_kernel_call *call, const pto_quant *quant, bool atomic) {
    const pto_global *dst = pto_call_global(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    pto_rects rects = {.dst_rows = pto_axis_global_rows(dst),
                       .dst_cols = pto_axis_global_cols(dst),
                       .src_rows = pto_axis_tile_rows(&src->type),
                       .src_cols = pto_axis_tile_cols(&src->type),
                       .rows = src->valid_rows,
                       .cols = src->valid_cols};
    pto_rect rect;
    for (int64_t column = 0; pto_rects_next(&rects, &rect); column = rects.col) {
        if (atomic)
            add_rect(dst, src, rect, quant, column, call->numeric->flush_subnormals);
        else
            pto_quant_rect(dst->data, src->data, rect, quant, column);
    }
    return PTO_OK;
}

/* dst, src, preQuantScalar, stPhase, atomicType, reluPreMode */
PTO_KERNEL(tstore_quant) {
    pto_quant quant = pto_quant_of(call, pto_call_global(call, 0)->dtype, pto_call_tile(call, 1)->type.dtype,
                                   (uint64_t)pto_call_scalar(call, 2).i, NULL, pto_call_attr(call, 5) != 0);
    return store(call, &quant, pto_call_attr(call, 4) != 0);
}

/* dst, src, fp, atomicType, reluPreMode */
PTO_KERNEL(tstore_fp) {
    pto_quant quant = pto_quant_of(call, pto_call_global(call, 0)->dtype, pto_call_tile(call, 1)->type.dtype,
                                   0, pto_call_tile(call, 2), pto_call_attr(call, 4) != 0);
    pto_quant_tell_sign(call, &quant, pto_call_tile(call, 1)->valid_cols);
    return store(call, &quant, pto_call_attr(call, 3) != 0);
}
