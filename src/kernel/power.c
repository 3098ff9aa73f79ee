/* SPDX-License-Identifier: Apache-2.0 */
/* TPOW (10, 3.6) and TPOWS (20, 2). Integers: b^e modulo 2^W; a negative exponent leaves only +1, -1 and 0.
 * Floats: the special cases of C's pow, other results within 1 ulp. Scratch is never used, the precision
 * attribute selects nothing. */
#include "kernel/float_block.h"

enum { BLOCK = 64 };

/* ---- integers: square and multiply over a block, as many steps as the largest exponent has bits ---- */

/* The sign bit: a comparison would be refused for unsigned types. */
#define NEGATIVE(x) ((x) >> (8 * sizeof(x) - 1) & 1)

/* U: the unsigned type in which the product is computed, at least 16 bits; W: that width with the sign of T.
 */
#define INT_LOOP(name, T, W, U, is_signed, e_is_run)                                                         \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                          \
            const int count = n - at < BLOCK ? (int)(n - at) : BLOCK;                                        \
            W base[BLOCK] = {0}, exponent[BLOCK] = {0};                                                      \
            U square[BLOCK], result[BLOCK], left[BLOCK];                                                     \
            for (int i = 0; i < count; i++)                                                                  \
                base[i] = x[at + i];                                                                         \
            for (int i = 0; i < count; i++)                                                                  \
                exponent[i] = (e_is_run) ? y[at + i] : *y;                                                   \
            U steps = 0;                                                                                     \
            for (int i = 0; i < BLOCK; i++) {                                                                \
                square[i] = (U)base[i];                                                                      \
                result[i] = 1;                                                                               \
                left[i] = (is_signed) && NEGATIVE(exponent[i]) ? 0 : (U)exponent[i];                         \
                steps |= left[i];                                                                            \
            }                                                                                                \
            for (; steps; steps = (U)(steps >> 1)) {                                                         \
                for (int i = 0; i < BLOCK; i++) {                                                            \
                    const U factor = left[i] & 1 ? square[i] : 1;                                            \
                    result[i] = (U)((MULTIPLIED(U))result[i] * factor);                                      \
                    square[i] = (U)((MULTIPLIED(U))square[i] * square[i]);                                   \
                    left[i] = (U)(left[i] >> 1);                                                             \
                }                                                                                            \
            }                                                                                                \
            for (int i = 0; (is_signed) && i < BLOCK; i++) {                                                 \
                const W one = (W)(base[i] == 1 ? 1 : base[i] != (W)-1 ? 0 : exponent[i] & 1 ? -1 : 1);       \
                result[i] = NEGATIVE(exponent[i]) ? (U)one : result[i];                                      \
            }                                                                                                \
            for (int i = 0; i < count; i++)                                                                  \
                d[at + i] = (T)result[i];                                                                    \
        }                                                                                                    \
    }
/* uint16_t would be promoted to int, whose product may overflow. */
#define MULTIPLIED(U) MULTIPLIED_##U
#define MULTIPLIED_uint16_t uint32_t
#define MULTIPLIED_uint32_t uint32_t
#define MULTIPLIED_uint64_t uint64_t

#define INT_LOOPS(type, T, W, U, is_signed)                                                                  \
    INT_LOOP(pow_##type##_tt, T, W, U, is_signed, true)                                                      \
    INT_LOOP(pow_##type##_ts, T, W, U, is_signed, false)
INT_LOOPS(s8, int8_t, int16_t, uint16_t, true)
INT_LOOPS(u8, uint8_t, uint16_t, uint16_t, false)
INT_LOOPS(s16, int16_t, int16_t, uint16_t, true)
INT_LOOPS(u16, uint16_t, uint16_t, uint16_t, false)
INT_LOOPS(s32, int32_t, int32_t, uint32_t, true)
INT_LOOPS(u32, uint32_t, uint32_t, uint32_t, false)
INT_LOOPS(s64, int64_t, int64_t, uint64_t, true)
INT_LOOPS(u64, uint64_t, uint64_t, uint64_t, false)

/* ---- floats: a block at a time, in loops of selects that vectorise ---- */

static inline double f64_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* |base| ^ exponent in double with a relative error below 2^-31, computed without fused steps so that every
 * level gives the same bits. Both are finite, base is not 0. */
static inline double power_magnitude(float base, float exponent) {
    /* |base| = 2^k m with m in [sqrt(1/2), sqrt(2)); log2 m = 2 / ln 2 * atanh((m - 1) / (m + 1)) */
    const uint64_t half_root = UINT64_C(0x3FE6A09E667F3BCD), fraction = UINT64_C(0xFFFFFFFFFFFFF);
    const uint64_t offset = pto_f64_bits((double)__builtin_fabsf(base)) - half_root;
    const uint64_t field = (offset + (UINT64_C(1023) << 52)) >> 52;
    const double k = f64_from_bits(field | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    const double m = f64_from_bits((offset & fraction) + half_root);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    const double log2 = k + 0x1.71547652b82fep+1 * (s * p);

    /* 2^t = 2^n e^(r ln 2); beyond the ends the rounded result is Inf or 0 anyway */
    double t = (double)exponent * log2;
    t = t > 200.0 ? 200.0 : t;
    t = t < -200.0 ? -200.0 : t;
    const double shifter = 0x1.8p52, shifted = t + shifter, n = shifted - shifter;
    const double r = (t - n) * 0x1.62e42fefa39efp-1;
    double q = 1.0 / 362880.0;
    q = q * r + 1.0 / 40320.0;
    q = q * r + 1.0 / 5040.0;
    q = q * r + 1.0 / 720.0;
    q = q * r + 1.0 / 120.0;
    q = q * r + 1.0 / 24.0;
    q = q * r + 1.0 / 6.0;
    q = q * r + 0.5;
    q = q * r + 1.0;
    q = q * r + 1.0;
    return q * f64_from_bits((pto_f64_bits(shifted) + 1023) << 52);
}

enum { F32_2_24 = 0x4B800000 };

/* The cases of C's pow, the first that holds (10, 3.6), written from the last to the first; magnitude is
 * |base| ^ exponent where both are finite and base is not 0. */
static inline float power_case(float base, float exponent, float magnitude) {
    const uint32_t x = pto_f32_bits(base), y = pto_f32_bits(exponent);
    const uint32_t b = x & PTO_F32_SIGN_OFF, e = y & PTO_F32_SIGN_OFF;
    const uint32_t large = ~pto_mask_below(e, F32_2_24); /* an even integer */
    const float small = pto_f32_from_bits(e & ~large);
    const int32_t whole = (int32_t)small;
    const uint32_t integral = pto_mask_equal(pto_f32_bits((float)whole - small) & PTO_F32_SIGN_OFF, 0);
    const uint32_t odd = ~large & integral & (0u - ((uint32_t)whole & 1u));
    const uint32_t negative = (uint32_t)((int32_t)x >> 31),
                   falls = (uint32_t)((int32_t)y >> 31) | pto_mask_equal(e, 0);
    const uint32_t plain =
        ~pto_mask_equal(b, 0) & pto_mask_below(b, PTO_F32_INF) & pto_mask_below(e, PTO_F32_INF);
    const uint32_t grows = pto_mask_below(PTO_F32_ONE, b) ^ falls;
    uint32_t result = pto_mask_choose(plain, pto_f32_bits(magnitude),
                                      grows & PTO_F32_INF); /* base is 0 or Inf, exponent Inf */
    result |= odd & x & ~(uint32_t)PTO_F32_SIGN_OFF;
    result = pto_mask_choose(plain & negative & ~integral, PTO_F32_NAN_BITS, result);
    result =
        pto_mask_choose(pto_mask_equal(b, PTO_F32_ONE) & pto_mask_equal(e, PTO_F32_INF), PTO_F32_ONE, result);
    result = pto_mask_choose(pto_mask_below(PTO_F32_INF, b) | pto_mask_below(PTO_F32_INF, e),
                             PTO_F32_NAN_BITS, result);
    return pto_f32_from_bits(pto_mask_choose(
        pto_mask_equal(e, 0) | (pto_mask_equal(b, PTO_F32_ONE) & ~negative), PTO_F32_ONE, result));
}

static void power_block(float *out, const float *x, const float *y) {
    double magnitude[PTO_FLOAT_BLOCK];
    float safe_base[PTO_FLOAT_BLOCK], safe_exponent[PTO_FLOAT_BLOCK];
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++) {
        const uint32_t b = pto_f32_bits(x[i]) & PTO_F32_SIGN_OFF, e = pto_f32_bits(y[i]) & PTO_F32_SIGN_OFF;
        safe_base[i] = pto_f32_from_bits(
            pto_mask_choose(~pto_mask_equal(b, 0) & pto_mask_below(b, PTO_F32_INF), b, PTO_F32_ONE));
        safe_exponent[i] = pto_f32_from_bits(pto_mask_below(e, PTO_F32_INF) & pto_f32_bits(y[i]));
    }
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++)
        magnitude[i] = power_magnitude(safe_base[i], safe_exponent[i]);
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++)
        out[i] = (float)magnitude[i];
#pragma omp simd
    for (int i = 0; i < PTO_FLOAT_BLOCK; i++)
        out[i] = power_case(x[i], y[i], out[i]);
}

/* Narrow floats: the result as float, rounded once more. */
PTO_FLOAT_BLOCK_LOOPS(pow, power_block)

#define OP(form)                                                                                             \
    static const pto_map_op pow_##form = {.loop = {[PTO_S8] = pow_s8_##form,                                 \
                                                   [PTO_U8] = pow_u8_##form,                                 \
                                                   [PTO_S16] = pow_s16_##form,                               \
                                                   [PTO_U16] = pow_u16_##form,                               \
                                                   [PTO_S32] = pow_s32_##form,                               \
                                                   [PTO_U32] = pow_u32_##form,                               \
                                                   [PTO_S64] = pow_s64_##form,                               \
                                                   [PTO_U64] = pow_u64_##form,                               \
                                                   [PTO_F16] = pow_f16_##form,                               \
                                                   [PTO_BF16] = pow_bf16_##form,                             \
                                                   [PTO_F32] = pow_f32_##form},                              \
                                          .exact = PTO_EXACT_POW};
OP(tt)
OP(ts)

PTO_KERNEL(tpow) {
    return pto_map_run(call, &pow_tt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_tile(pto_call_tile(call, 2)));
}

PTO_KERNEL(tpows) {
    pto_tile *dst = pto_call_tile(call, 0);
    const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));
    return pto_map_run(call, &pow_ts, dst, pto_map_tile(pto_call_tile(call, 1)), pto_map_value(&value));
}
