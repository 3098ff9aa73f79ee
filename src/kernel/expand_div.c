/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPANDDIV, TCOLEXPANDDIV (part 20, 4.1; N3, N4). Floats: the IEEE quotient. Integers truncate,
 * MIN / -1 = MIN, x / 0 = 0, counted; with the option "trap" refused before anything is written. The
 * precision attribute selects nothing: every quotient is correctly rounded. */
#include "kernel/expand.h"
#include "kernel/formulas.h"
#include "kernel/zero_divisor.h"

EXPAND_MAP(div_s8, int8_t, pto_div_s8)
EXPAND_MAP(div_u8, uint8_t, pto_div_u8)
EXPAND_MAP(div_s16, int16_t, pto_div_s16)
EXPAND_MAP(div_u16, uint16_t, pto_div_u16)
EXPAND_MAP(div_s32, int32_t, pto_div_s32)
EXPAND_MAP(div_u32, uint32_t, pto_div_u32)
EXPAND_MAP(div_f32, float, PTO_DIV_F32)
PTO_HALF_TT(div, PTO_DIV_LANES, PTO_DIV_LANES)
PTO_HALF_TS(div, PTO_DIV_LANES, PTO_DIV_LANES)
PTO_HALF_ST(div, PTO_DIV_LANES, PTO_DIV_LANES)

static const expand_op div_op = {PTO_EXACT_DIV,
                                 {[PTO_S8] = EXPAND_LOOPS(div_s8),
                                  [PTO_U8] = EXPAND_LOOPS(div_u8),
                                  [PTO_S16] = EXPAND_LOOPS(div_s16),
                                  [PTO_U16] = EXPAND_LOOPS(div_u16),
                                  [PTO_S32] = EXPAND_LOOPS(div_s32),
                                  [PTO_U32] = EXPAND_LOOPS(div_u32),
                                  [PTO_F16] = EXPAND_LOOPS(div_f16),
                                  [PTO_BF16] = EXPAND_LOOPS(div_bf16),
                                  [PTO_F32] = EXPAND_LOOPS(div_f32)}};

/* Zero elements of one row of the divisor, from element `first` on. */
static uint64_t zeros_of_row(const pto_tile *tile, int64_t first, int64_t count) {
    const unsigned bits = pto_dtype_bits(tile->type.dtype);
    const pto_map_loop loop = bits == 8 ? pto_zeros_8 : bits == 16 ? pto_zeros_16 : pto_zeros_32;
    uint64_t total = 0;
    loop(&total, NULL, (const uint8_t *)tile->data + first * (bits / 8), count, NULL);
    return total;
}

/* Divisions by zero are counted; false when they are to be refused. The divisor is src1. */
static bool accepts_zeros(const pto_kernel_call *call, pto_expand_roles roles, bool along_columns) {
    const pto_tile *dst = pto_call_tile(call, 0), *divisor = pto_call_tile(call, 2);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    if (pto_dtype_is_float(dst->type.dtype) || rows == 0 || cols == 0)
        return true;
    uint64_t count = 0;
    if (along_columns && roles.full == 0) {
        count = (uint64_t)rows * zeros_of_row(divisor, 0, cols);
    } else if (roles.full == 1) {
        for (int64_t i = 0; i < rows; i++)
            count += zeros_of_row(divisor, i * divisor->type.cols, cols);
    } else if (roles.mode == 1) {
        count = (uint64_t)cols * zeros_of_row(divisor, 0, rows);
    } else { /* the columns of the divisor repeat */
        const int64_t period = divisor->valid_cols;
        for (int64_t i = 0; i < rows; i++)
            count += (uint64_t)(cols / period) * zeros_of_row(divisor, i * divisor->type.cols, period) +
                     zeros_of_row(divisor, i * divisor->type.cols, cols % period);
    }
    return pto_accepts_zeros(call, count);
}

PTO_KERNEL(trowexpanddiv) {
    return accepts_zeros(call, expand_row_roles(call), false) ? expand_rows(call, &div_op) : PTO_ERR_REFUSED;
}
PTO_KERNEL(tcolexpanddiv) {
    return accepts_zeros(call, expand_col_roles(call), true) ? expand_columns(call, &div_op)
                                                             : PTO_ERR_REFUSED;
}
