/* SPDX-License-Identifier: Apache-2.0 */
/* TABS TNEG TSQRT TRSQRT TRELU (10, 3.7, 5, 6.1). */
#include "kernel/map_half.h"

static pto_status run(const pto_kernel_call *call, const pto_map_op *op) {
    return pto_map_run(call, op, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_none());
}

/* ---- sign: floats change one bit, NaN included; integers wrap ---- */

#define ABS_8(x) ((uint8_t)((x)&0x80u ? 0u - (x) : (x)))
#define ABS_16(x) ((uint16_t)((x)&0x8000u ? 0u - (x) : (x)))
#define ABS_32(x) ((x) >> 31 ? 0u - (x) : (x))
#define ABS_64(x) ((x) >> 63 ? 0u - (x) : (x))
#define ABS_HALF(x) ((uint16_t)((x)&0x7FFFu))
#define ABS_F32(x) ((x)&UINT32_C(0x7FFFFFFF))
#define SAME(x) (x)
#define NEG_8(x) ((uint8_t)(0u - (x)))
#define NEG_16(x) ((uint16_t)(0u - (x)))
#define NEG(x) (0u - (x))
#define NEG_HALF(x) ((uint16_t)((x) ^ 0x8000u))
#define NEG_F32(x) ((x) ^ UINT32_C(0x80000000))

PTO_MAP_UNARY(abs_8, uint8_t, ABS_8)
PTO_MAP_UNARY(abs_16, uint16_t, ABS_16)
PTO_MAP_UNARY(abs_32, uint32_t, ABS_32)
PTO_MAP_UNARY(abs_64, uint64_t, ABS_64)
PTO_MAP_UNARY(abs_half, uint16_t, ABS_HALF)
PTO_MAP_UNARY(abs_f32, uint32_t, ABS_F32)
PTO_MAP_UNARY(same_8, uint8_t, SAME)
PTO_MAP_UNARY(same_16, uint16_t, SAME)
PTO_MAP_UNARY(same_32, uint32_t, SAME)
PTO_MAP_UNARY(same_64, uint64_t, SAME)
PTO_MAP_UNARY(neg_8, uint8_t, NEG_8)
PTO_MAP_UNARY(neg_16, uint16_t, NEG_16)
PTO_MAP_UNARY(neg_32, uint32_t, NEG)
PTO_MAP_UNARY(neg_64, uint64_t, NEG)
PTO_MAP_UNARY(neg_half, uint16_t, NEG_HALF)
PTO_MAP_UNARY(neg_f32, uint32_t, NEG_F32)

#define OP_SIGN(name, unsigned_name)                                                                         \
    static const pto_map_op name##_op = {.loop = {[PTO_S8] = name##_8,                                       \
                                                  [PTO_U8] = unsigned_name##_8,                              \
                                                  [PTO_S16] = name##_16,                                     \
                                                  [PTO_U16] = unsigned_name##_16,                            \
                                                  [PTO_S32] = name##_32,                                     \
                                                  [PTO_U32] = unsigned_name##_32,                            \
                                                  [PTO_S64] = name##_64,                                     \
                                                  [PTO_U64] = unsigned_name##_64,                            \
                                                  [PTO_F16] = name##_half,                                   \
                                                  [PTO_BF16] = name##_half,                                  \
                                                  [PTO_F32] = name##_f32},                                   \
                                         .keeps_subnormals = true

OP_SIGN(abs, same), .exact = PTO_EXACT_ABS
}
;
OP_SIGN(neg, neg), .exact = PTO_EXACT_NEG
}
;

PTO_KERNEL(tabs) { return run(call, &abs_op); }
PTO_KERNEL(tneg) { return run(call, &neg_op); }

/* ---- roots ---- */

/* Computed in double and rounded once more. Tests compare every significand with exact integers: the result
 * is the correctly rounded one. For halves float is wide enough, tested for every code. */
static inline float rsqrt_f32_one(float x) {
    return pto_f32_canonical((float)(1.0 / __builtin_sqrt((double)x)));
}

#define SQRT(x) __builtin_sqrtf(x)
#define SQRT_F32(x) pto_f32_canonical(SQRT(x))
#define SQRT_ONE(x, y) ((void)(y), SQRT(x))
#define SQRT_LANES(x, y) ((void)(y), pto_lanes_sqrt(x))
#define RSQRT_ONE(x, y) ((void)(y), 1.0f / SQRT(x))
#define RSQRT_LANES(x, y) ((void)(y), pto_lanes_fill(1.0f) / pto_lanes_sqrt(x))

PTO_MAP_UNARY(sqrt_f32, float, SQRT_F32)
PTO_MAP_UNARY(rsqrt_f32, float, rsqrt_f32_one)
PTO_HALF_UNARY(sqrt, SQRT_LANES, SQRT_ONE)
PTO_HALF_UNARY(rsqrt, RSQRT_LANES, RSQRT_ONE)

static const pto_map_op sqrt_op = {
    .loop = {[PTO_F16] = sqrt_f16, [PTO_BF16] = sqrt_bf16, [PTO_F32] = sqrt_f32}, .exact = PTO_EXACT_SQRT};
static const pto_map_op rsqrt_op = {
    .loop = {[PTO_F16] = rsqrt_f16, [PTO_BF16] = rsqrt_bf16, [PTO_F32] = rsqrt_f32},
    .exact = PTO_EXACT_RSQRT};

PTO_KERNEL(tsqrt) { return run(call, &sqrt_op); }
/* In the block form both zeros give +Inf (70, 9.2); nothing else is negative. */
PTO_KERNEL(trsqrt) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_status status = run(call, &rsqrt_op);
    return status == PTO_OK && call->host->block_form
               ? pto_map_run(call, &abs_op, dst, pto_map_tile(dst), pto_map_none())
               : status;
}

/* ---- relu: x > 0 ? x : +0, so NaN gives +0 unless the option keeps it ---- */

#define RELU(x) ((x) > 0 ? (x) : 0)
#define RELU_NAN_F32(x) pto_f32_canonical((x) > 0.0f || (x) != (x) ? (x) : 0.0f)
#define RELU_F16(x) ((int16_t)((x) > 0 && (x) <= 0x7C00 ? (x) : 0))
#define RELU_BF16(x) ((int16_t)((x) > 0 && (x) <= 0x7F80 ? (x) : 0))
#define RELU_NAN_F16(x) ((int16_t)(((x)&0x7FFF) > 0x7C00 ? PTO_F16_NAN_BITS : RELU(x)))
#define RELU_NAN_BF16(x) ((int16_t)(((x)&0x7FFF) > 0x7F80 ? PTO_BF16_NAN_BITS : RELU(x)))

PTO_MAP_UNARY(relu_s8, int8_t, RELU)
PTO_MAP_UNARY(relu_s16, int16_t, RELU)
PTO_MAP_UNARY(relu_s32, int32_t, RELU)
PTO_MAP_UNARY(relu_s64, int64_t, RELU)
PTO_MAP_UNARY(relu_f16, int16_t, RELU_F16)
PTO_MAP_UNARY(relu_bf16, int16_t, RELU_BF16)
PTO_MAP_UNARY(relu_f32, float, RELU)
PTO_MAP_UNARY(relu_nan_f16, int16_t, RELU_NAN_F16)
PTO_MAP_UNARY(relu_nan_bf16, int16_t, RELU_NAN_BF16)
PTO_MAP_UNARY(relu_nan_f32, float, RELU_NAN_F32)

#define OP_RELU(name)                                                                                        \
    static const pto_map_op name##_op = {.loop = {[PTO_S8] = relu_s8,                                        \
                                                  [PTO_U8] = same_8,                                         \
                                                  [PTO_S16] = relu_s16,                                      \
                                                  [PTO_U16] = same_16,                                       \
                                                  [PTO_S32] = relu_s32,                                      \
                                                  [PTO_U32] = same_32,                                       \
                                                  [PTO_S64] = relu_s64,                                      \
                                                  [PTO_U64] = same_64,                                       \
                                                  [PTO_F16] = name##_f16,                                    \
                                                  [PTO_BF16] = name##_bf16,                                  \
                                                  [PTO_F32] = name##_f32}

OP_RELU(relu), .exact = PTO_EXACT_RELU
}
;
OP_RELU(relu_nan), .exact = PTO_EXACT_RELU_NAN
}
;

PTO_KERNEL(trelu) { return run(call, call->numeric->relu_keeps_nan ? &relu_nan_op : &relu_op); }
