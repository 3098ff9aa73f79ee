/* SPDX-License-Identifier: Apache-2.0 */
/* TDIV TRECIP and TDIVS in both orders (10, 3.2, 3.3; 20, 2 TDIVS). Floats: the IEEE quotient. Integers
 * truncate, MIN / -1 = MIN, and x / 0 = 0, counted; with the option "trap" refused before anything is written
 * (10, 1.5). The precision attribute selects nothing: every quotient is correctly rounded. */
#include "kernel/formulas.h"
#include "kernel/map_half.h"
#include "kernel/zero_divisor.h"

#define LOOPS(T, type)                                                                                       \
    PTO_MAP_BINARY(div_##type, T, pto_div_##type)                                                            \
    PTO_MAP_ST(div_##type, T, pto_div_##type)

LOOPS(int8_t, s8)
LOOPS(uint8_t, u8)
LOOPS(int16_t, s16)
LOOPS(uint16_t, u16)
LOOPS(int32_t, s32)
LOOPS(uint32_t, u32)
LOOPS(int64_t, s64)
LOOPS(uint64_t, u64)
PTO_MAP_BINARY(div_f32, float, PTO_DIV_F32)
PTO_MAP_ST(div_f32, float, PTO_DIV_F32)
PTO_HALF_TT(div, PTO_DIV_LANES, PTO_DIV_LANES)
PTO_HALF_TS(div, PTO_DIV_LANES, PTO_DIV_LANES)
PTO_HALF_ST(div, PTO_DIV_LANES, PTO_DIV_LANES)

#define OP(form)                                                                                             \
    static const pto_map_op div_##form = {.loop = {[PTO_S8] = div_s8_##form,                                 \
                                                   [PTO_U8] = div_u8_##form,                                 \
                                                   [PTO_S16] = div_s16_##form,                               \
                                                   [PTO_U16] = div_u16_##form,                               \
                                                   [PTO_S32] = div_s32_##form,                               \
                                                   [PTO_U32] = div_u32_##form,                               \
                                                   [PTO_S64] = div_s64_##form,                               \
                                                   [PTO_U64] = div_u64_##form,                               \
                                                   [PTO_F16] = div_f16_##form,                               \
                                                   [PTO_BF16] = div_bf16_##form,                             \
                                                   [PTO_F32] = div_f32_##form},                              \
                                          .exact = PTO_EXACT_DIV};
OP(tt)
OP(ts)
OP(st)

/* ---- kernels ---- */

PTO_KERNEL(tdiv) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *divisor = pto_call_tile(call, 2);
    if (pto_dtype_is_int(dst->type.dtype) && !pto_accepts_zeros(call, pto_zeros_of(divisor)))
        return PTO_ERR_REFUSED;
    return pto_map_run(call, &div_tt, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(divisor));
}

static pto_status divide_scalar(const pto_kernel_call *call, pto_scalar scalar, const pto_tile *divisor) {
    pto_tile *dst = pto_call_tile(call, 0);
    if (pto_dtype_is_int(dst->type.dtype) && !pto_accepts_zeros(call, pto_zeros_of(divisor)))
        return PTO_ERR_REFUSED;
    const uint64_t value = pto_scalar_code(dst->type.dtype, scalar);
    return pto_map_run(call, &div_st, dst, pto_map_value(&value), pto_map_tile(divisor));
}

PTO_KERNEL(trecip) {
    return divide_scalar(call, (pto_scalar){.dtype = PTO_S64, .i = 1}, pto_call_tile(call, 1));
}

PTO_KERNEL(tdivs_scalar) { return divide_scalar(call, pto_call_scalar(call, 1), pto_call_tile(call, 2)); }

PTO_KERNEL(tdivs) {
    pto_tile *dst = pto_call_tile(call, 0);
    const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));
    const uint64_t elements = (uint64_t)dst->valid_rows * (uint64_t)dst->valid_cols;
    if (pto_dtype_is_int(dst->type.dtype) && value == 0 && !pto_accepts_zeros(call, elements))
        return PTO_ERR_REFUSED;
    return pto_map_run(call, &div_ts, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_value(&value));
}
