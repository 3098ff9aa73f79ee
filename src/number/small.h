/* SPDX-License-Identifier: Apache-2.0 */
/* Fast conversions between float and the 8- and 4-bit formats, for kernel loops: e4m3, e5m2, e2m1, e1m2 to
 * nearest even, hif8 to nearest with ties away (part 10, 2.2, 2.5, 9.3, 9.4). They give the bits of format.h.
 *
 * As in half.h: plain C of selects that vectorises (gcc: -fno-trapping-math), default FPU rounding, no
 * flushing. half and bf16 sources widen to float first, which is exact, so the value is still rounded once.
 * saturate must be the same for a whole loop; it picks what a value out of range becomes. pto_..._word gives
 * the code as a word: a loop that makes bytes of words in a second step is faster, for gcc carries the width
 * of a byte back into all selects. */
#ifndef PTO_NUMBER_SMALL_H
#define PTO_NUMBER_SMALL_H

#include <stdbool.h>

#include "half.h"

/* The nearest code of a format with f fraction bits (ties to even), without sign. limit: what everything
 * above max becomes. All arguments but value are constants at every call. */
static inline uint32_t pto_small_encode(uint32_t magnitude, uint32_t f, uint32_t bias, uint32_t max,
                                        uint32_t limit) {
    const uint32_t shift = 23 - f, smallest_normal = (128 - bias) << 23;
    const uint32_t even = magnitude >> shift & 1u;
    const uint32_t normal = ((magnitude + (1u << (shift - 1)) - 1u + even) >> shift) - ((127 - bias) << f);
    /* Subnormal: added to a float whose last place is the format's smallest value, the FPU does the rounding.
     */
    const uint32_t grid = (151 - bias - f) << 23;
    const uint32_t low = pto_f32_bits(pto_f32_from_bits(magnitude) + pto_f32_from_bits(grid)) - grid;
    const uint32_t code = magnitude < smallest_normal ? low : normal;
    return code > max ? limit : code;
}

/* The float of a code without sign, Inf and NaN not considered. */
static inline uint32_t pto_small_decode(uint32_t code, uint32_t f, uint32_t bias) {
    const uint32_t normal = (code << (23 - f)) + ((127 - bias) << 23);
    const float low = (float)(int32_t)code * pto_f32_from_bits((128 - bias - f) << 23);
    return code < 1u << f ? pto_f32_bits(low) : normal;
}

static inline uint32_t pto_e4m3_word(float value, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    uint32_t code = pto_small_encode(magnitude, 3, 7, 0x7E, saturate ? 0x7E : 0x7F) | (bits >> 24 & 0x80u);
    code = magnitude > UINT32_C(0x7F800000) ? 0x7Fu : code;
    return code;
}
static inline uint8_t pto_e4m3_from_f32(float value, bool saturate) {
    return (uint8_t)pto_e4m3_word(value, saturate);
}

static inline uint32_t pto_e5m2_word(float value, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    uint32_t code = pto_small_encode(magnitude, 2, 15, 0x7B, saturate ? 0x7B : 0x7C) | (bits >> 24 & 0x80u);
    code = magnitude > UINT32_C(0x7F800000) ? 0x7Eu : code;
    return code;
}
static inline uint8_t pto_e5m2_from_f32(float value, bool saturate) {
    return (uint8_t)pto_e5m2_word(value, saturate);
}

/* The 4-bit formats have no choice out of range; the code is in bits 3:0. */
static inline uint32_t pto_e2m1_word(float value) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    uint32_t code = pto_small_encode(magnitude, 1, 1, 0x7, 0x7) | (bits >> 28 & 0x8u);
    code = magnitude > UINT32_C(0x7F800000) ? 0x7u : code;
    return code;
}
static inline uint8_t pto_e2m1_from_f32(float value) { return (uint8_t)pto_e2m1_word(value); }

static inline uint32_t pto_e1m2_word(float value) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    uint32_t code = pto_small_encode(magnitude, 2, 1, 0x7, 0x7) | (bits >> 28 & 0x8u);
    code = magnitude > UINT32_C(0x7F800000) ? 0x7u : code;
    return code;
}
static inline uint8_t pto_e1m2_from_f32(float value) { return (uint8_t)pto_e1m2_word(value); }

static inline float pto_f32_from_e4m3(uint8_t code) {
    const uint32_t magnitude = code & 0x7Fu;
    const uint32_t bits = pto_small_decode(magnitude, 3, 7) | (uint32_t)(code & 0x80u) << 24;
    return pto_f32_from_bits(magnitude == 0x7F ? PTO_F32_NAN_BITS : bits);
}

static inline float pto_f32_from_e5m2(uint8_t code) {
    const uint32_t magnitude = code & 0x7Fu;
    uint32_t bits = pto_small_decode(magnitude, 2, 15);
    bits = magnitude == 0x7C ? UINT32_C(0x7F800000) : bits;
    bits |= (uint32_t)(code & 0x80u) << 24;
    return pto_f32_from_bits(magnitude > 0x7C ? PTO_F32_NAN_BITS : bits);
}

/* Bits 7:4 of a 4-bit code are ignored. */
static inline float pto_f32_from_e2m1(uint8_t code) {
    return pto_f32_from_bits(pto_small_decode(code & 0x7u, 1, 1) | (uint32_t)(code & 0x8u) << 28);
}

static inline float pto_f32_from_e1m2(uint8_t code) {
    return pto_f32_from_bits(pto_small_decode(code & 0x7u, 2, 1) | (uint32_t)(code & 0x8u) << 28);
}

/* x > limit as 0 or 1 by the sign of a difference: gcc makes branches of chains of selects, and masks, which
 * have to come back to vectors, of sums of comparisons. */
static inline int32_t pto_small_above(int32_t x, int32_t limit) {
    return (int32_t)((uint32_t)(limit - x) >> 31);
}

static inline uint32_t pto_hif8_word(float value, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t limit = saturate ? 0x6Eu : 0x6Fu;
    /* Ties away: add half of the last place and cut below. The half is 2^19 with 3 fraction bits, 2^20 with
     * 2, 2^21 with 1 and 2^22 with none. */
    const int32_t before = (int32_t)(magnitude >> 23) - 127, before_size = before < 0 ? -before : before;
    const int32_t coarse = pto_small_above(before_size, 3), coarser = pto_small_above(before_size, 7);
    const int32_t eighths = 1 + coarse + (coarser << 1) + (pto_small_above(-15, before) << 2);
    const uint32_t rounded = magnitude + ((uint32_t)eighths << 19);
    const int32_t exponent = (int32_t)(rounded >> 23) - 127, negative = (int32_t)((uint32_t)exponent >> 31);
    const int32_t size = exponent < 0 ? -exponent : exponent;
    const int32_t above_1 = pto_small_above(size, 1), above_3 = pto_small_above(size, 3),
                  above_7 = pto_small_above(size, 7);
    /* size and three fraction bits count through the payloads of a class; D3 and D4 drop one and two of the
     * bits. */
    const int32_t count = size << 3 | (int32_t)(rounded >> 20 & 7u);
#ifdef __AVX2__ /* shifts by counts of their own */
    const int32_t kept = count >> (above_3 + above_7);
#else
    const int32_t kept = count * (4 - 2 * above_3 - above_7) >> 2;
#endif
    const int32_t start = 8 + (above_1 << 3) + ((above_3 + above_7) << 5);
    const int32_t below_one = (0 - negative) & (8 + (above_1 << 3));
    const int32_t denormal = exponent > -22 ? exponent + 23 : 1; /* from 2^-23 on */
    uint32_t code = (uint32_t)(exponent < -15 ? denormal : kept + start + below_one);
    code = magnitude >= UINT32_C(0x47200000) ? limit : code; /* 40960 and above */
    code |= bits >> 24 & 0x80u;
    code = magnitude < UINT32_C(0x34000000) ? 0x00u : code; /* below 2^-23; zero has no sign */
    return magnitude > UINT32_C(0x7F800000) ? 0x80u : code;
}
static inline uint8_t pto_hif8_from_f32(float value, bool saturate) {
    return (uint8_t)pto_hif8_word(value, saturate);
}

static inline float pto_f32_from_hif8(uint8_t code) {
    const uint32_t p = code & 0x7Fu;
    const uint32_t wide = p >> 4 & 1u; /* sign of the exponent of D2, D3, D4 */
    /* size of the exponent, its sign and the fraction at the top of 23 bits, class by class from D4 down */
    uint32_t size = 8u + (p >> 1 & 7u), negative = wide, fraction = p << 22;
    size = p < 0x60 ? 4u + (p >> 2 & 3u) : size;
    fraction = p < 0x60 ? p << 21 : fraction;
    size = p < 0x40 ? 2u + (p >> 3 & 1u) : size;
    fraction = p < 0x40 ? p << 20 : fraction;
    size = p < 0x20 ? 1u : size;
    negative = p < 0x20 ? p >> 3 & 1u : negative;
    size = p < 0x10 ? 0u : size;
    uint32_t field = negative ? 127u - size : 127u + size;
    field = p < 0x08 ? 104u + p : field; /* 2^(p - 23) */
    fraction = p < 0x08 ? 0u : fraction;
    uint32_t bits = field << 23 | (fraction & 0x7FFFFFu);
    bits = p == 0x6F ? UINT32_C(0x7F800000) : bits;
    bits |= (uint32_t)(code & 0x80u) << 24;
    bits = p == 0 ? (code ? PTO_F32_NAN_BITS : 0u) : bits;
    return pto_f32_from_bits(bits);
}

#endif
