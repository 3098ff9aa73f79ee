/* SPDX-License-Identifier: Apache-2.0 */
/* TPRELU (10, 6.2), TLRELU (20, 2): src > 0 ? src : src * slope, so NaN stays NaN and a zero is multiplied;
 * and TSUBRELU (10, 7.2): relu of the rounded difference. */
#include "kernel/map_half.h"

/* ---- leaky relu; unsigned elements are positive or 0, which the product is too ---- */

/* x where it is positive, else the product, by masks: a choice of 8 or 16 bits is no vector instruction. */
#define LEAKY_NARROW(T, U, x, product)                                                                       \
    ((T)(((U)(x) & (U)(0 - (U)((x) > 0))) | ((U)(product) & (U)((U)((x) > 0) - 1))))
#define LEAKY_S8(x, y) LEAKY_NARROW(int8_t, uint8_t, x, (uint8_t)(x) * (uint8_t)(y))
#define LEAKY_S16(x, y) LEAKY_NARROW(int16_t, uint16_t, x, (uint32_t)(uint16_t)(x) * (uint16_t)(y))
#define LEAKY_S32(x, y) ((x) > 0 ? (x) : (int32_t)((uint32_t)(x) * (uint32_t)(y)))
#define LEAKY_S64(x, y) ((x) > 0 ? (x) : (int64_t)((uint64_t)(x) * (uint64_t)(y)))
#define LEAKY_UNSIGNED(x, y) ((void)(y), (x))
#define LEAKY_F32(x, y) ((x) > 0.0f ? (x) : pto_f32_canonical((x) * (y)))
#define LEAKY_ONE(x, y) ((x) > 0.0f ? (x) : (x) * (y))
#define LEAKY_LANES(x, y) pto_lanes_positive(x, x, (x) * (y))

PTO_MAP_BINARY(leaky_s8, int8_t, LEAKY_S8)
PTO_MAP_BINARY(leaky_s16, int16_t, LEAKY_S16)
PTO_MAP_BINARY(leaky_s32, int32_t, LEAKY_S32)
PTO_MAP_BINARY(leaky_s64, int64_t, LEAKY_S64)
PTO_MAP_BINARY(leaky_u8, uint8_t, LEAKY_UNSIGNED)
PTO_MAP_BINARY(leaky_u16, uint16_t, LEAKY_UNSIGNED)
PTO_MAP_BINARY(leaky_u32, uint32_t, LEAKY_UNSIGNED)
PTO_MAP_BINARY(leaky_u64, uint64_t, LEAKY_UNSIGNED)
PTO_MAP_BINARY(leaky_f32, float, LEAKY_F32)
PTO_HALF_TT(leaky, LEAKY_LANES, LEAKY_ONE)
PTO_HALF_TS(leaky, LEAKY_LANES, LEAKY_ONE)

#define OP_LEAKY(form)                                                                                       \
    static const pto_map_op leaky_##form = {.loop = {[PTO_S8] = leaky_s8_##form,                             \
                                                     [PTO_U8] = leaky_u8_##form,                             \
                                                     [PTO_S16] = leaky_s16_##form,                           \
                                                     [PTO_U16] = leaky_u16_##form,                           \
                                                     [PTO_S32] = leaky_s32_##form,                           \
                                                     [PTO_U32] = leaky_u32_##form,                           \
                                                     [PTO_S64] = leaky_s64_##form,                           \
                                                     [PTO_U64] = leaky_u64_##form,                           \
                                                     [PTO_F16] = leaky_f16_##form,                           \
                                                     [PTO_BF16] = leaky_bf16_##form,                         \
                                                     [PTO_F32] = leaky_f32_##form},                          \
                                            .exact = PTO_EXACT_LEAKY_RELU};
OP_LEAKY(tt)
OP_LEAKY(ts)

PTO_KERNEL(tprelu) {
    return pto_map_run(call, &leaky_tt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_tile(pto_call_tile(call, 2)));
}

PTO_KERNEL(tlrelu) {
    pto_tile *dst = pto_call_tile(call, 0);
    const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));
    return pto_map_run(call, &leaky_ts, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_value(&value));
}

/* ---- relu of a difference; integers wrap, those of unsigned types stay ---- */

#define POSITIVE(x) ((x) > 0 ? (x) : 0)
#define SUB_S8(x, y) ((int8_t)POSITIVE((int8_t)((x) - (y))))
#define SUB_S16(x, y) ((int16_t)POSITIVE((int16_t)((x) - (y))))
#define SUB_S32(x, y) POSITIVE((int32_t)((uint32_t)(x) - (uint32_t)(y)))
#define SUB_S64(x, y) POSITIVE((int64_t)((uint64_t)(x) - (uint64_t)(y)))
#define SUB_U8(x, y) ((uint8_t)((x) - (y)))
#define SUB_U16(x, y) ((uint16_t)((x) - (y)))
#define SUB(x, y) ((x) - (y))
#define SUB_F32(x, y) ((x) - (y) > 0.0f ? (x) - (y) : 0.0f)
#define SUB_LANES(x, y) pto_lanes_positive((x) - (y), (x) - (y), pto_lanes_fill(0.0f))

PTO_MAP_TT(sub_s8, int8_t, SUB_S8)
PTO_MAP_TT(sub_s16, int16_t, SUB_S16)
PTO_MAP_TT(sub_s32, int32_t, SUB_S32)
PTO_MAP_TT(sub_s64, int64_t, SUB_S64)
PTO_MAP_TT(sub_u8, uint8_t, SUB_U8)
PTO_MAP_TT(sub_u16, uint16_t, SUB_U16)
PTO_MAP_TT(sub_u32, uint32_t, SUB)
PTO_MAP_TT(sub_u64, uint64_t, SUB)
PTO_MAP_TT(sub_f32, float, SUB_F32)
PTO_HALF_TT(sub, SUB_LANES, SUB_F32)

/* The option that keeps NaN: plain loops do. */
static inline float keep_nan(float x) { return x > 0.0f || x != x ? x : 0.0f; }
#define KEEP_F32(x, y) pto_f32_canonical(keep_nan((x) - (y)))
#define KEEP_F16(x, y) pto_f16_from_f32(keep_nan(pto_f32_from_f16(x) - pto_f32_from_f16(y)))
#define KEEP_BF16(x, y) pto_bf16_from_f32(keep_nan(pto_f32_from_bf16(x) - pto_f32_from_bf16(y)))
PTO_MAP_TT(keep_f32, float, KEEP_F32)
PTO_MAP_TT(keep_f16, uint16_t, KEEP_F16)
PTO_MAP_TT(keep_bf16, uint16_t, KEEP_BF16)

#define OP_SUB(name, floats, exact_op)                                                                       \
    static const pto_map_op name = {.loop = {[PTO_S8] = sub_s8_tt,                                           \
                                             [PTO_U8] = sub_u8_tt,                                           \
                                             [PTO_S16] = sub_s16_tt,                                         \
                                             [PTO_U16] = sub_u16_tt,                                         \
                                             [PTO_S32] = sub_s32_tt,                                         \
                                             [PTO_U32] = sub_u32_tt,                                         \
                                             [PTO_S64] = sub_s64_tt,                                         \
                                             [PTO_U64] = sub_u64_tt,                                         \
                                             [PTO_F16] = floats##_f16_tt,                                    \
                                             [PTO_BF16] = floats##_bf16_tt,                                  \
                                             [PTO_F32] = floats##_f32_tt},                                   \
                                    .exact = exact_op};
OP_SUB(sub_relu, sub, PTO_EXACT_SUB_RELU)
OP_SUB(sub_relu_nan, keep, PTO_EXACT_SUB_RELU_NAN)

PTO_KERNEL(tsubrelu) {
    return pto_map_run(call, call->numeric->relu_keeps_nan ? &sub_relu_nan : &sub_relu,
                       pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_tile(pto_call_tile(call, 2)));
}
