/* SPDX-License-Identifier: Apache-2.0 */
/* TPOW (10, 3.6) and TPOWS (20, 2). Integers: b^e modulo 2^W; a negative exponent leaves only +1, -1 and 0.
 * Floats: the special cases of C's pow, other results within 1 ulp. Scratch is never used, the precision
 * attribute selects nothing. */
#include "kernel/map_half.h"

enum { BLOCK = 64 };

/* ---- integers: square and multiply over a block, as many steps as the largest exponent has bits ---- */

/* The sign bit: a comparison would be refused for unsigned types. */
#define NEGATIVE(x) ((x) >> (8 * sizeof(x) - 1) & 1)

/* U: an unsigned type in which the product is computed, at least 16 bits. */
#define INT_LOOP(name, T, U, is_signed, e_is_run)                                                            \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        for (int64_t at = 0; at < n; at += BLOCK) {                                                          \
            const int count = n - at < BLOCK ? (int)(n - at) : BLOCK;                                        \
            T base[BLOCK] = {0}, exponent[BLOCK] = {0};                                                      \
            U square[BLOCK], result[BLOCK], left[BLOCK];                                                     \
            memcpy(base, x + at, (size_t)count * sizeof(T));                                                 \
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
                const T one = (T)(base[i] == 1 ? 1 : base[i] != (T)-1 ? 0 : exponent[i] & 1 ? -1 : 1);       \
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

#define INT_LOOPS(type, T, U, is_signed)                                                                     \
    INT_LOOP(pow_##type##_tt, T, U, is_signed, true)                                                         \
    INT_LOOP(pow_##type##_ts, T, U, is_signed, false)
INT_LOOPS(s8, int8_t, uint16_t, true)
INT_LOOPS(u8, uint8_t, uint16_t, false)
INT_LOOPS(s16, int16_t, uint16_t, true)
INT_LOOPS(u16, uint16_t, uint16_t, false)
INT_LOOPS(s32, int32_t, uint32_t, true)
INT_LOOPS(u32, uint32_t, uint32_t, false)
INT_LOOPS(s64, int64_t, uint64_t, true)
INT_LOOPS(u64, uint64_t, uint64_t, false)

/* ---- floats ---- */

static inline double f64_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* |b| ^ e in double with a relative error below 2^-38, to be rounded once: 2 ^ (e log2 |b|), computed without
 * fused steps so that every level gives the same bits. b and e are finite, b is not 0; all steps are selects.
 */
static inline double power_magnitude(float base, float exponent) {
    /* |b| = 2^k m with m in [sqrt(1/2), sqrt(2)); log2 m = 2 / ln 2 * atanh((m - 1) / (m + 1)) */
    const uint64_t bits = pto_f64_bits((double)__builtin_fabsf(base));
    const uint64_t offset = bits - UINT64_C(0x3FE6A09E667F3BCD);
    const double k = (double)((int32_t)(uint32_t)(offset >> 52 ^ 0x800u) - 0x800);
    const double m = f64_from_bits((offset & UINT64_C(0xFFFFFFFFFFFFF)) + UINT64_C(0x3FE6A09E667F3BCD));
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    double p = 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
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
    double q = 1.0 / 39916800.0;
    q = q * r + 1.0 / 3628800.0;
    q = q * r + 1.0 / 362880.0;
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

/* The cases of C's pow, the first that holds (10, 3.6), written from the last to the first. */
static inline double power(float base, float exponent) {
    const float b = __builtin_fabsf(base), e = __builtin_fabsf(exponent), largest = 0x1.fffffep127f;
    const bool grows = (b > 1.0f) == (exponent > 0.0f);
    const bool integral = e >= 0x1p24f || (float)(int32_t)(e < 0x1p24f ? e : 0.0f) == e;
    const bool odd = e < 0x1p24f && integral && ((int32_t)(e < 0x1p24f ? e : 0.0f) & 1);
    const bool plain = b > 0.0f && b <= largest && e <= largest;
    const double inf = (double)__builtin_inff(), nan = (double)pto_f32_from_bits(PTO_F32_NAN_BITS);
    double result = power_magnitude(plain ? base : 1.0f, plain ? exponent : 1.0f);
    result = plain ? result : grows ? inf : 0.0; /* b is 0 or Inf, or e is Inf */
    result = odd && pto_f32_bits(base) >> 31 ? -result : result;
    result = plain && base < 0.0f && !integral ? nan : result;
    result = b == 1.0f && e > largest ? 1.0 : result;
    result = base != base || exponent != exponent ? nan : result;
    return exponent == 0.0f || base == 1.0f ? 1.0 : result;
}

static inline float f32_from_f64(double value) { return pto_f32_canonical((float)value); }
#define AS_IS(x) (x)

#define FLOAT_LOOP(format, T, WIDEN, NARROW)                                                                 \
    static void pow_##format##_tt(void *dst, const void *a, const void *b, int64_t n, const void *extra) {   \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = NARROW(power(WIDEN(x[i]), WIDEN(y[i])));  \
    }                                                                                                        \
    static void pow_##format##_ts(void *dst, const void *a, const void *b, int64_t n, const void *extra) {   \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        const float y = WIDEN(*(const T *)b);                                                                \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = NARROW(power(WIDEN(x[i]), y));            \
    }
FLOAT_LOOP(f32, float, AS_IS, f32_from_f64)
FLOAT_LOOP(f16, uint16_t, pto_f32_from_f16, pto_f16_from_f64)
FLOAT_LOOP(bf16, uint16_t, pto_f32_from_bf16, pto_bf16_from_f64)

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
