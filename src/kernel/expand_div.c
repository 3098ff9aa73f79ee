/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPANDDIV, TCOLEXPANDDIV (part 20, 4.1; N3, N4). Floats: the IEEE quotient. Integers truncate,
 * MIN / -1 = MIN, x / 0 = 0, counted; with the option "trap" refused before anything is written. The
 * precision attribute selects nothing: every quotient is correctly rounded. */
#include "kernel/expand.h"
#include "kernel/formulas.h"

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

static const expand_op div_op = {{[PTO_S8] = EXPAND_LOOPS(div_s8),
                                  [PTO_U8] = EXPAND_LOOPS(div_u8),
                                  [PTO_S16] = EXPAND_LOOPS(div_s16),
                                  [PTO_U16] = EXPAND_LOOPS(div_u16),
                                  [PTO_S32] = EXPAND_LOOPS(div_s32),
                                  [PTO_U32] = EXPAND_LOOPS(div_u32),
                                  [PTO_F16] = EXPAND_LOOPS(div_f16),
                                  [PTO_BF16] = EXPAND_LOOPS(div_bf16),
                                  [PTO_F32] = EXPAND_LOOPS(div_f32)}};

static bool is_zero(const pto_tile *tile, int64_t index) {
    const uint8_t *data = tile->data;
    switch (pto_dtype_bits(tile->type.dtype)) {
    case 8:
        return data[index] == 0;
    case 16:
        return ((const uint16_t *)tile->data)[index] == 0;
    default:
        return ((const uint32_t *)tile->data)[index] == 0;
    }
}

/* Zero elements of a source with that element pitch, column j standing for column j of dst modulo `period`.
 */
static uint64_t count_zeros(const pto_tile *tile, int64_t pitch, int64_t rows, int64_t cols, int64_t period) {
    uint64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            count += is_zero(tile, i * pitch + j % period);
    return count;
}

/* Divisions by zero are counted; false when they are to be refused. The divisor is src1. */
static bool accepts_zeros(const pto_kernel_call *call, pto_expand_roles roles, bool along_columns) {
    const pto_tile *dst = pto_call_tile(call, 0), *divisor = pto_call_tile(call, 2);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    if (pto_dtype_is_float(dst->type.dtype) || rows == 0 || cols == 0)
        return true;
    uint64_t count;
    if (roles.full == 1)
        count = count_zeros(divisor, divisor->type.cols, rows, cols, cols);
    else if (along_columns)
        count = count_zeros(divisor, 0, rows, cols, cols);
    else if (roles.mode == 1)
        count = count_zeros(divisor, 1, rows, cols, 1);
    else
        count = count_zeros(divisor, divisor->type.cols, rows, cols, divisor->valid_cols);
    call->host->zero_divisors += count;
    return !count || !call->numeric->trap_zero_divisor;
}

PTO_KERNEL(trowexpanddiv) {
    return accepts_zeros(call, expand_row_roles(call), false) ? expand_rows(call, &div_op) : PTO_ERR_REFUSED;
}
PTO_KERNEL(tcolexpanddiv) {
    return accepts_zeros(call, expand_col_roles(call), true) ? expand_columns(call, &div_op)
                                                             : PTO_ERR_REFUSED;
}
