/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of the block form (part 70, 9.6), see block_form.h: integers of any width here, floats of
 * any format by way of f32 on the matrix kernel; the way out of the accumulator. */
#include "kernel/block_form.h"

#include "kernel/exact.h"
#include "number/convert.h"
#include "number/half.h"
#include "tile/tile.h"

#include <math.h>

static uint64_t at(const pto_tile *tile, int32_t row, int32_t col) {
    return pto_exact_load(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col));
}
static void put(pto_tile *tile, int32_t row, int32_t col, uint64_t code) {
    pto_exact_store(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col), code);
}

static uint32_t integer_at(const pto_tile *tile, int32_t row, int32_t col) {
    const unsigned bits = pto_dtype_bits(tile->type.dtype);
    uint64_t code = at(tile, row, col);
    if (pto_dtype_is_signed(tile->type.dtype) && code >> (bits - 1) & 1)
        code |= UINT64_MAX << (bits - 1);
    return (uint32_t)code;
}

void pto_block_form_multiply(pto_tile *dst, const pto_tile *a, const pto_tile *b) {
    const int32_t depth = a->valid_cols;
    for (int32_t i = 0; i < dst->valid_rows; i++) {
        uint32_t *row = (uint32_t *)dst->data + (int64_t)i * dst->type.cols;
        for (int32_t k = 0; k < depth; k++) {
            const uint32_t factor = integer_at(a, i, k);
            for (int32_t j = 0; j < dst->valid_cols; j++)
                row[j] += factor * integer_at(b, k, j);
        }
    }
}

void pto_block_form_widen(pto_tile *dst, const pto_tile *src, const pto_tile *scale, bool by_rows) {
    const pto_format format = pto_format_of_dtype(src->type.dtype);
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            float value = (float)pto_number_to_f64(format, at(src, r, c));
            if (scale) {
                const uint64_t power = by_rows ? at(scale, r / 32, c) : at(scale, r, c / 32);
                value = power == 255 ? NAN : ldexpf(value, (int)power - 127);
            }
            put(dst, r, c, pto_f32_bits(value));
        }
}

/* ---- out of the accumulator ---- */

static uint64_t scaled(const pto_tile *acc, int32_t r, int32_t c, const uint64_t *scale) {
    const uint64_t code = at(acc, r, c);
    if (!scale)
        return code;
    return acc->type.dtype == PTO_F32 ? pto_exact_apply(PTO_EXACT_MUL, PTO_F32, code, *scale, 0)
                                      : (uint32_t)code * (uint32_t)*scale;
}

pto_status pto_block_form_acc_out(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0), *most = pto_call_tile(call, 2);
    const pto_tile *acc = pto_call_tile(call, 1);
    const bool has_scale = call->instr->operand[3].kind == PTO_OPERAND_SCALAR;
    const uint64_t factor = has_scale ? (uint64_t)pto_call_scalar(call, 3).i : 0;
    const pto_format to = pto_format_of_dtype(dst->type.dtype), from = pto_format_of_dtype(acc->type.dtype);
    const pto_cvt_rule rule = pto_cvt_resolve(to, from, (pto_round_mode)pto_call_scalar(call, 4).i,
                                              (pto_sat_mode)pto_call_scalar(call, 5).i);
    for (int32_t r = 0; r < acc->valid_rows; r++) {
        uint64_t best = 0;
        for (int32_t c = 0; c < acc->valid_cols; c++) {
            uint64_t code = scaled(acc, r, c, has_scale ? &factor : NULL);
            if (to != from) /* one type on both sides is a copy here, not TCVT's rounding to whole numbers */
                code = pto_number_convert_by_rule(to, from, code, rule);
            put(dst, r, c, code);
            best = c && most ? pto_exact_apply(PTO_EXACT_NUMBER_MAX, dst->type.dtype, best, code, 0) : code;
        }
        if (most)
            put(most, r, 0, best);
    }
    return PTO_OK;
}
