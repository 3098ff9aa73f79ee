/* SPDX-License-Identifier: Apache-2.0 */
/* TREM TFMOD (10, 3.4, 3.5) and TREMS TFMODS (20, 2): exact remainders of floored and truncated division. x
 * rem 0 is NaN for floats, 0 and counted for integers. The precision attribute selects nothing. */
#include <math.h>

#include "kernel/float_block.h"
#include "kernel/formulas.h"
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

static inline uint32_t trunc_u32(uint32_t x, uint32_t y) { return y ? x - pto_div_u32(x, y) * y : 0; }
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

/* Is the quotient one of finite numbers? */
static inline uint32_t is_plain(uint32_t a, uint32_t b) {
    return pto_mask_below(a, PTO_F32_INF) & pto_mask_below(b, PTO_F32_INF) & ~pto_mask_equal(b, 0);
}

/* fmod of floats. A quotient below 2^28, rounded to an integer, has an exact product with y in double; where
 * it was rounded up the rest is negative and y too small. The others are found one by one. */
static inline void fmod_block(float *rest, const float *x, const float *y) {
    float a[PTO_FLOAT_BLOCK], b[PTO_FLOAT_BLOCK];
    double exact[PTO_FLOAT_BLOCK], most = 0.0;
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++) {
        const uint32_t u = pto_f32_bits(x[i]) & PTO_F32_SIGN_OFF, v = pto_f32_bits(y[i]) & PTO_F32_SIGN_OFF;
        const uint32_t plain = is_plain(u, v);
        a[i] = pto_f32_from_bits(plain & u);
        b[i] = pto_f32_from_bits(pto_mask_choose(plain, v, PTO_F32_ONE));
    }
#pragma omp simd reduction(max : most)
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++) {
        const double ratio = (double)a[i] / (double)b[i], fits = ratio < 0x1p28 ? ratio : 0.0;
        const double quotient = (fits + 0x1p52) - 0x1p52, left = (double)a[i] - quotient * (double)b[i];
        exact[i] = left < 0.0 ? left + (double)b[i] : left;
        most = ratio > most ? ratio : most;
    }
    if (most >= 0x1p28)
        for (int i = 0; i < PTO_FLOAT_BLOCK; i++)
            if ((double)a[i] / (double)b[i] >= 0x1p28)
                exact[i] = (double)fmodf(a[i], b[i]); /* exact at every level */
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++)
        rest[i] = (float)exact[i];
        /* Inf divides nothing but leaves every finite x; what else is not plain leaves NaN */
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++) {
        const uint32_t bits = pto_f32_bits(x[i]), u = bits & PTO_F32_SIGN_OFF,
                       v = pto_f32_bits(y[i]) & PTO_F32_SIGN_OFF;
        const uint32_t plain = is_plain(u, v),
                       kept = pto_mask_below(u, PTO_F32_INF) & pto_mask_equal(v, PTO_F32_INF);
        const uint32_t size =
            pto_mask_choose(plain, pto_f32_bits(rest[i]), pto_mask_choose(kept, u, PTO_F32_NAN_BITS));
        rest[i] = pto_f32_from_bits(size | ((plain | kept) & bits & ~(uint32_t)PTO_F32_SIGN_OFF));
    }
}

static inline void floor_block(float *rest, const float *y) {
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++) {
        const uint32_t bits = pto_f32_bits(rest[i]), size = bits & PTO_F32_SIGN_OFF;
        const uint32_t differ = (uint32_t)((int32_t)(bits ^ pto_f32_bits(y[i])) >> 31);
        const uint32_t moves = differ & ~pto_mask_equal(size, 0) & pto_mask_below(size, PTO_F32_INF);
        rest[i] = pto_f32_from_bits(pto_mask_choose(moves, pto_f32_bits(rest[i] + y[i]), bits));
    }
}

static inline void floor_rest_block(float *rest, const float *x, const float *y) {
    fmod_block(rest, x, y);
    floor_block(rest, y);
}

/* Narrow floats as float: their remainders are exact there, and the floored sum is rounded once more without
 * harm (10, 1.5). */
PTO_FLOAT_BLOCK_LOOPS(trunc, fmod_block)
PTO_FLOAT_BLOCK_LOOPS(floor, floor_rest_block)

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
