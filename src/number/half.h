/* SPDX-License-Identifier: Apache-2.0 */
/* Fast conversions between half, bf16 and float for use inside kernel loops: nearest even, gradual underflow,
 * overflow to infinity or (_sat) to the largest finite value, every NaN to the canonical quiet NaN (part
 * 10, 1.5, 9.4). They give the bits of format.h.
 *
 * Plain C whose conditions are all selects, so that a loop over them vectorises at every SIMD level with the
 * same result (gcc needs -fno-trapping-math for it: it may then compute both sides of a select). They assume
 * the default rounding mode and no flushing of subnormals by the FPU. */
#ifndef PTO_NUMBER_HALF_H
#define PTO_NUMBER_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t pto_f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float pto_f32_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t pto_f64_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define PTO_F64_MAGNITUDE UINT64_C(0x7FFFFFFFFFFFFFFF)
#define PTO_F32_NAN_BITS UINT32_C(0x7FC00000)
#define PTO_F16_NAN_BITS UINT16_C(0x7E00)
#define PTO_BF16_NAN_BITS UINT16_C(0x7FC0)

/* ---- widening: exact ---- */

static inline float pto_f32_from_f16(uint16_t half) {
    const uint32_t magnitude = half & 0x7FFFu, shifted = magnitude << 13;
    const uint32_t normal = shifted + (UINT32_C(112) << 23); /* rebias 15 to 127 */
    /* Subnormal: 2^-14 * (1 + fraction) - 2^-14, an exact difference that the FPU normalises. */
    const float low = pto_f32_from_bits(shifted + UINT32_C(0x38800000)) - 0x1p-14f;
    uint32_t bits = magnitude < 0x0400u ? pto_f32_bits(low) : normal;
    bits = magnitude >= 0x7C00u ? UINT32_C(0x7F800000) : bits;
    bits |= (uint32_t)(half & 0x8000u) << 16;
    bits = magnitude > 0x7C00u ? PTO_F32_NAN_BITS : bits;
    return pto_f32_from_bits(bits);
}

static inline float pto_f32_from_bf16(uint16_t bf16) {
    const uint32_t bits = (uint32_t)bf16 << 16;
    return pto_f32_from_bits((bf16 & 0x7FFFu) > 0x7F80u ? PTO_F32_NAN_BITS : bits);
}

/* As pto_f32_from_bf16, but a NaN keeps its payload: for operands of arithmetic whose result is made
 * canonical anyway when it is narrowed. */
static inline float pto_f32_from_bf16_raw(uint16_t bf16) { return pto_f32_from_bits((uint32_t)bf16 << 16); }

/* ---- narrowing: one rounding to nearest even ---- */

/* limit: what a magnitude out of range becomes, 0x7C00 (Inf) or 0x7BFF (largest finite). */
static inline uint16_t pto_f16_from_f32_limit(float value, uint32_t limit) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    /* Normal result: rebias, then round the 13 lost bits; the carry may run into the exponent. */
    const uint32_t normal = (magnitude + UINT32_C(0xC8000FFF) + (magnitude >> 13 & 1u)) >> 13;
    /* Subnormal result: the last place of 0.5 is 2^-24, so the FPU rounds the sum to the grid of the
     * subnormals. */
    const uint32_t low = pto_f32_bits(pto_f32_from_bits(magnitude) + 0.5f) - UINT32_C(0x3F000000);
    uint32_t half = magnitude < UINT32_C(0x38800000) ? low : normal;
    half = magnitude >= UINT32_C(0x477FF000) ? limit : half; /* 65520 and above round out of range */
    half |= bits >> 16 & 0x8000u;
    half = magnitude > UINT32_C(0x7F800000) ? PTO_F16_NAN_BITS : half;
    return (uint16_t)half;
}

static inline uint16_t pto_f16_from_f32(float value) { return pto_f16_from_f32_limit(value, 0x7C00u); }
static inline uint16_t pto_f16_from_f32_sat(float value) { return pto_f16_from_f32_limit(value, 0x7BFFu); }

static inline uint16_t pto_bf16_from_f32(float value) {
    const uint32_t bits = pto_f32_bits(value);
    const uint32_t rounded = (bits + UINT32_C(0x7FFF) + (bits >> 16 & 1u)) >> 16;
    return (uint16_t)((bits & UINT32_C(0x7FFFFFFF)) > UINT32_C(0x7F800000) ? PTO_BF16_NAN_BITS : rounded);
}

static inline uint16_t pto_bf16_from_f32_sat(float value) {
    const uint32_t bits = pto_f32_bits(value), sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & UINT32_C(0x7FFFFFFF);
    uint32_t rounded = (magnitude + UINT32_C(0x7FFF) + (magnitude >> 16 & 1u)) >> 16;
    rounded = rounded > 0x7F7Fu ? 0x7F7Fu : rounded;
    return (uint16_t)(magnitude > UINT32_C(0x7F800000) ? PTO_BF16_NAN_BITS : rounded | sign);
}

/* ---- from double, for operations computed there ---- */

/* double to float, rounded to odd: narrowing the result once more gives what one rounding of the double would
 * have given. Overflow gives the largest finite value, infinity stays. */
static inline float pto_f32_odd_from_f64(double value) {
    const float nearest = (float)value;
    const uint32_t bits = pto_f32_bits(nearest);
    /* If something was lost and the last bit is even: one step toward value. As bit patterns without sign,
     * doubles order like their magnitudes. */
    const uint64_t exact = pto_f64_bits(value) & PTO_F64_MAGNITUDE;
    const uint64_t rounded = pto_f64_bits((double)nearest) & PTO_F64_MAGNITUDE;
    const uint32_t step = (uint32_t)((uint64_t)(exact > rounded) - (uint64_t)(exact < rounded));
    return pto_f32_from_bits(bits + (bits & 1u ? 0u : step));
}

static inline uint16_t pto_f16_from_f64(double value) {
    return pto_f16_from_f32(pto_f32_odd_from_f64(value));
}
static inline uint16_t pto_bf16_from_f64(double value) {
    return pto_bf16_from_f32(pto_f32_odd_from_f64(value));
}

/* a + b in double rounded to odd (neither overflows): with a = x * y exact in double, narrowing the result
 * gives a fused multiply-add of half or bf16 operands with a single rounding. */
static inline double pto_f64_odd_sum(double a, double b) {
    const double sum = a + b;
    const double from_b = sum - a, from_a = sum - from_b;
    const double error = (a - from_a) + (b - from_b); /* exact (two-sum); NaN if the sum is Inf or NaN */
    uint64_t bits = pto_f64_bits(sum);
    const uint64_t up = (error > 0.0) & (sum > 0.0), up_negative = (error < 0.0) & (sum < 0.0);
    const uint64_t down = (error < 0.0) & (sum > 0.0), down_negative = (error > 0.0) & (sum < 0.0);
    const uint64_t step = (up | up_negative) - (down | down_negative);
    bits += step & (0u - (~bits & 1u));
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

#endif
