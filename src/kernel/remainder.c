/* SPDX-License-Identifier: Apache-2.0 */
/* TREM TFMOD (10, 3.4, 3.5) and TREMS TFMODS (20, 2): exact remainders of floored and truncated division. x
 * rem 0 is NaN for floats, 0 and counted for integers. The precision attribute selects nothing. */
#include <math.h>

#include "kernel/map_half.h"
#include "kernel/zero_divisor.h"

/* ---- integers ---- */

/* As in division, the truncated quotient of narrow integers is exact in float, that of 32 bits in double. */
#define TRUNC_NARROW(name, T)                                                                                \
    static inline T name(T x, T y) {                                                                         \
        const float divisor = (float)(y == 0 ? 1 : y);                                                       \
        const int32_t quotient = (int32_t)((float)x / divisor);                                              \
        const T rest = (T)((int32_t)x - quotient * (int32_t)y);                                              \
        return (T)(y == 0 ? 0 : rest);                                                                       \
    }
TRUNC_NARROW(trunc_s8, int8_t)
TRUNC_NARROW(trunc_u8, uint8_t)
TRUNC_NARROW(trunc_s16, int16_t)

static inline uint16_t trunc_u16(uint16_t x, uint16_t y) {
    const uint32_t quotient = (uint32_t)(int32_t)((float)x / (float)(y == 0 ? 1 : y));
    return (uint16_t)(y == 0 ? 0 : x - quotient * y);
}

static inline int32_t trunc_s32(int32_t x, int32_t y) {
    const bool plain = y != 0 && y != -1;
    const int32_t quotient = (int32_t)((double)x / (double)(plain ? y : 1));
    return plain ? (int32_t)((uint32_t)x - (uint32_t)quotient * (uint32_t)y) : 0;
}

static inline uint32_t trunc_u32(uint32_t x, uint32_t y) { return y ? x % y : 0; }
static inline uint64_t trunc_u64(uint64_t x, uint64_t y) { return y ? x % y : 0; }
static inline int64_t trunc_s64(int64_t x, int64_t y) { return y && y != -1 ? x % y : 0; }

/* The floored remainder has the sign of y. */
#define FLOOR(name, trunc, T)                                                                                \
    static inline T name(T x, T y) {                                                                         \
        const T rest = trunc(x, y);                                                                          \
        return (T)(rest != 0 && (rest ^ y) < 0 ? rest + y : rest);                                           \
    }
FLOOR(floor_s8, trunc_s8, int8_t)
FLOOR(floor_s16, trunc_s16, int16_t)
FLOOR(floor_s32, trunc_s32, int32_t)
FLOOR(floor_s64, trunc_s64, int64_t)

PTO_MAP_BINARY(trunc_s8, int8_t, trunc_s8)
PTO_MAP_BINARY(trunc_u8, uint8_t, trunc_u8)
PTO_MAP_BINARY(trunc_s16, int16_t, trunc_s16)
PTO_MAP_BINARY(trunc_u16, uint16_t, trunc_u16)
PTO_MAP_BINARY(trunc_s32, int32_t, trunc_s32)
PTO_MAP_BINARY(trunc_u32, uint32_t, trunc_u32)
PTO_MAP_BINARY(trunc_s64, int64_t, trunc_s64)
PTO_MAP_BINARY(trunc_u64, uint64_t, trunc_u64)
PTO_MAP_BINARY(floor_s8, int8_t, floor_s8)
PTO_MAP_BINARY(floor_s16, int16_t, floor_s16)
PTO_MAP_BINARY(floor_s32, int32_t, floor_s32)
PTO_MAP_BINARY(floor_s64, int64_t, floor_s64)

/* ---- floats ---- */

enum { BLOCK = 128 };

/* fmod of floats. While the quotient has fewer than 30 bits its product with y is exact in double; a quotient
 * that double rounds up to an integer is one too large, and the rest then negative. Returns whether a larger
 * quotient was met: its rest is still to be found. */
static inline int fmod_block(float *rest, const float *x, const float *y) {
    int large = 0;
#pragma omp simd reduction(| : large)
    for (int i = 0; i < BLOCK; i++) {
        const double a = (double)__builtin_fabsf(x[i]), b = (double)__builtin_fabsf(y[i]);
        const double ratio = a / b;
        const bool fits = ratio < 0x1p29;
        const double quotient = (double)(int32_t)(fits ? ratio : 0.0);
        double left = a - quotient * b;
        left = left < 0.0 ? left + b : left;
        /* Inf divides nothing but leaves every finite x; 0 and NaN leave NaN */
        float result = b > 0x1.fffffep127 ? (float)a : (float)left;
        const bool valid = a <= 0x1.fffffep127 && b > 0.0;
        result = valid ? result : pto_f32_from_bits(PTO_F32_NAN_BITS);
        large |= valid & !fits;
        const uint32_t sign = valid ? pto_f32_bits(x[i]) & UINT32_C(0x80000000) : 0;
        rest[i] = pto_f32_from_bits(pto_f32_bits(result) | sign);
    }
    return large;
}

static inline void fmod_all(float *rest, const float *x, const float *y) {
    if (!fmod_block(rest, x, y))
        return;
    for (int i = 0; i < BLOCK; i++)
        if (!((double)__builtin_fabsf(x[i]) / (double)__builtin_fabsf(y[i]) < 0x1p29))
            rest[i] = pto_f32_canonical(fmodf(x[i], y[i])); /* exact at every level */
}

static inline void floor_block(float *rest, const float *y) {
#pragma omp simd
    for (int i = 0; i < BLOCK; i++) {
        const bool differ = (pto_f32_bits(rest[i]) ^ pto_f32_bits(y[i])) >> 31;
        const float moved = pto_f32_canonical(rest[i] + y[i]);
        rest[i] = differ && (rest[i] > 0.0f || rest[i] < 0.0f) ? moved : rest[i];
    }
}

/* By blocks, narrow floats as float: their remainders are exact there, and the floored sum is rounded once
 * more without harm (10, 1.5). An end shorter than a block is filled up with 1. */
#define AS_IS(x) (x)
#define FLOAT_LOOP(name, T, WIDEN, NARROW, floored, y_is_run)                                                \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *p = a, *q = b;                                                                              \
        float x[BLOCK], y[BLOCK], rest[BLOCK];                                                               \
        for (int i = 0; i < BLOCK; i++)                                                                      \
            y[i] = WIDEN(*q);                                                                                \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                          \
            const int count = n - at < BLOCK ? (int)(n - at) : BLOCK;                                        \
            for (int i = 0; i < count; i++)                                                                  \
                x[i] = WIDEN(p[at + i]);                                                                     \
            for (int i = 0; (y_is_run) && i < count; i++)                                                    \
                y[i] = WIDEN(q[at + i]);                                                                     \
            for (int i = count; i < BLOCK; i++)                                                              \
                x[i] = y[i] = 1.0f;                                                                          \
            fmod_all(rest, x, y);                                                                            \
            if (floored)                                                                                     \
                floor_block(rest, y);                                                                        \
            for (int i = 0; i < count; i++)                                                                  \
                d[at + i] = NARROW(rest[i]);                                                                 \
        }                                                                                                    \
    }
#define FLOAT_LOOPS(format, T, WIDEN, NARROW)                                                                \
    FLOAT_LOOP(trunc_##format##_tt, T, WIDEN, NARROW, false, true)                                           \
    FLOAT_LOOP(trunc_##format##_ts, T, WIDEN, NARROW, false, false)                                          \
    FLOAT_LOOP(floor_##format##_tt, T, WIDEN, NARROW, true, true)                                            \
    FLOAT_LOOP(floor_##format##_ts, T, WIDEN, NARROW, true, false)
FLOAT_LOOPS(f32, float, AS_IS, AS_IS)
FLOAT_LOOPS(f16, uint16_t, pto_f32_from_f16, pto_f16_from_f32)
FLOAT_LOOPS(bf16, uint16_t, pto_f32_from_bf16, pto_bf16_from_f32)

#define OPS(form)                                                                                            \
    static const pto_map_op trunc_##form = {.loop = {[PTO_S8] = trunc_s8_##form,                             \
                                                     [PTO_U8] = trunc_u8_##form,                             \
                                                     [PTO_S16] = trunc_s16_##form,                           \
                                                     [PTO_U16] = trunc_u16_##form,                           \
                                                     [PTO_S32] = trunc_s32_##form,                           \
                                                     [PTO_U32] = trunc_u32_##form,                           \
                                                     [PTO_S64] = trunc_s64_##form,                           \
                                                     [PTO_U64] = trunc_u64_##form,                           \
                                                     [PTO_F16] = trunc_f16_##form,                           \
                                                     [PTO_BF16] = trunc_bf16_##form,                         \
                                                     [PTO_F32] = trunc_f32_##form},                          \
                                            .exact = PTO_EXACT_TRUNC_REM};                                   \
    static const pto_map_op floor_##form = {.loop = {[PTO_S8] = floor_s8_##form,                             \
                                                     [PTO_U8] = trunc_u8_##form,                             \
                                                     [PTO_S16] = floor_s16_##form,                           \
                                                     [PTO_U16] = trunc_u16_##form,                           \
                                                     [PTO_S32] = floor_s32_##form,                           \
                                                     [PTO_U32] = trunc_u32_##form,                           \
                                                     [PTO_S64] = floor_s64_##form,                           \
                                                     [PTO_U64] = trunc_u64_##form,                           \
                                                     [PTO_F16] = floor_f16_##form,                           \
                                                     [PTO_BF16] = floor_bf16_##form,                         \
                                                     [PTO_F32] = floor_f32_##form},                          \
                                            .exact = PTO_EXACT_FLOOR_REM};
OPS(tt)
OPS(ts)

static pto_status by_tile(const pto_kernel_call *call, const pto_map_op *op) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *divisor = pto_call_tile(call, 2);
    if (pto_dtype_is_int(dst->type.dtype) && !pto_accepts_zeros(call, pto_zeros_of(divisor)))
        return PTO_ERR_REFUSED;
    return pto_map_run(call, op, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(divisor));
}

/* What the a2a3 hardware leaves in sources of s32 (10, 3.4): src0 went to float and back, src1 stays there.
 * Its tiles are row-major. */
static int32_t through_f32(int32_t value) {
    const float rounded = (float)value;
    return rounded >= 0x1p31f ? INT32_MAX : (int32_t)rounded;
}

static void clobber(const pto_kernel_call *call) {
    const pto_tile *src0 = pto_call_tile(call, 1), *src1 = pto_call_tile(call, 2);
    for (int32_t r = 0; r < src0->valid_rows; r++) {
        int32_t *x = (int32_t *)src0->data + (int64_t)r * src0->type.cols,
                *y = (int32_t *)src1->data + (int64_t)r * src1->type.cols;
        for (int32_t c = 0; c < src0->valid_cols; c++) {
            x[c] = through_f32(x[c]);
            y[c] = (int32_t)pto_f32_bits((float)through_f32(y[c]));
        }
    }
}

static pto_status by_scalar(const pto_kernel_call *call, const pto_map_op *op) {
    pto_tile *dst = pto_call_tile(call, 0);
    const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));
    const uint64_t elements = (uint64_t)dst->valid_rows * (uint64_t)dst->valid_cols;
    if (pto_dtype_is_int(dst->type.dtype) && value == 0 && !pto_accepts_zeros(call, elements))
        return PTO_ERR_REFUSED;
    return pto_map_run(call, op, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_value(&value));
}

PTO_KERNEL(trem) {
    const pto_status status = by_tile(call, &floor_tt);
    const bool s32 = pto_call_tile(call, 0)->type.dtype == PTO_S32;
    if (status == PTO_OK && s32 && call->numeric->clobber_sources && call->target == PTO_TARGET_A2A3)
        clobber(call);
    return status;
}
PTO_KERNEL(tfmod) { return by_tile(call, &trunc_tt); }
PTO_KERNEL(trems) { return by_scalar(call, &floor_ts); }
PTO_KERNEL(tfmods) { return by_scalar(call, &trunc_ts); }
