/* SPDX-License-Identifier: Apache-2.0 */
/* TMOV (part 30): between on-chip memories, with the change of layout that the two tiles imply. */
#include "kernel/fixpipe.h"
#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "tile/axis.h"
#include <pto/number.h>

/* Conversions outside of the accumulator: what a C++ assignment does, made definite where C++ is not.
 * Integers keep their low bits, floats lose their fraction (out of range saturates, NaN gives 0), everything
 * else rounds to nearest with infinity on overflow. */
static uint64_t assigned(pto_dtype dst, pto_dtype src, uint64_t bits) {
    if (pto_dtype_is_int(dst) && pto_dtype_is_int(src)) {
        unsigned unused = 64 - pto_dtype_bits(src);
        return pto_dtype_is_signed(src) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
    }
    if (pto_dtype_is_int(dst))
        return pto_number_convert(dst, src, bits, PTO_CAST_TRUNC, PTO_SAT_ON);
    return pto_number_convert(dst, src, bits, PTO_CAST_NONE, PTO_SAT_OFF);
}

static void convert_rect(const pto_tile *dst, const pto_tile *src, pto_rect rect) {
    pto_dtype to = dst->type.dtype, from = src->type.dtype;
    unsigned to_bits = pto_dtype_bits(to), from_bits = pto_dtype_bits(from);
    for (int64_t r = 0; r < rect.rows; r++)
        for (int64_t c = 0; c < rect.cols; c++) {
            uint64_t bits =
                pto_element_get(src->data, from_bits, rect.src + r * rect.src_row + c * rect.src_col);
            pto_element_set(dst->data, to_bits, rect.dst + r * rect.dst_row + c * rect.dst_col,
                            assigned(to, from, bits));
        }
}

PTO_KERNEL(tmov) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    if (dst->data == src->data)
        return PTO_OK; /* one tile twice: the rules let nothing else overlap */
    bool acc = src->type.loc == PTO_LOC_ACC;
    pto_fixpipe_mode mode = pto_fixpipe_mode_of(pto_call_attr(call, 2) != 0, call->numeric->relu_keeps_nan);
    /* the extents are equal but for vec to vec, which moves what both have */
    int32_t rows = dst->valid_rows < src->valid_rows ? dst->valid_rows : src->valid_rows;
    int32_t cols = dst->valid_cols < src->valid_cols ? dst->valid_cols : src->valid_cols;
    pto_rects rects = {.dst_rows = pto_axis_tile_rows(&dst->type),
                       .dst_cols = pto_axis_tile_cols(&dst->type),
                       .src_rows = pto_axis_tile_rows(&src->type),
                       .src_cols = pto_axis_tile_cols(&src->type),
                       .rows = rows,
                       .cols = cols};
    pto_rect rect;
    while (pto_rects_next(&rects, &rect)) {
        if (acc)
            pto_fixpipe_rect(dst->data, dst->type.dtype, src->data, src->type.dtype, rect, mode);
        else if (dst->type.dtype == src->type.dtype)
            pto_copy_rect(dst->data, src->data, rect, pto_dtype_bits(dst->type.dtype));
        else
            convert_rect(dst, src, rect);
    }
    return PTO_OK;
}
