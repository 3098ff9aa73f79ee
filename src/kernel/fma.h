/* SPDX-License-Identifier: Apache-2.0 */
/* x * y + z with one rounding, for each element type (10, 7.1), and with two: option "unfused". */
#ifndef PTO_KERNEL_FMA_H
#define PTO_KERNEL_FMA_H

#include "kernel/map_half.h"

#define PTO_MULADD_8(x, y, z) ((uint8_t)((unsigned)(x) * (y) + (z)))
#define PTO_MULADD_16(x, y, z) ((uint16_t)((unsigned)(x) * (y) + (z)))
#define PTO_MULADD(x, y, z) ((x) * (y) + (z))
#define PTO_FMA_F32(x, y, z) pto_f32_canonical(__builtin_fmaf(x, y, z))
#define PTO_UNFUSED_F32(x, y, z) pto_f32_canonical((x) * (y) + (z))
#define PTO_FMA_FROM_BF16(x) ((double)pto_f32_from_bf16_raw(x))
#define PTO_FMA_BF16(x, y, z)                                                                                \
    pto_bf16_from_f64(pto_f64_odd_sum(PTO_FMA_FROM_BF16(x) * PTO_FMA_FROM_BF16(y), PTO_FMA_FROM_BF16(z)))

/* x, y and z are halves, so the product is exact in float. The sum is rounded to odd there, from which
 * narrowing gives what one rounding of the exact sum gives: float has more than two digits beyond half's, and
 * no sum of this size is subnormal in float. */
static inline float pto_fma_half_odd(float x, float y, float z) {
    const float product = x * y, sum = product + z;
    const float from_z = sum - product, from_product = sum - from_z;
    const float error = (product - from_product) + (z - from_z); /* exact; NaN when the sum is Inf or NaN */
    const uint32_t bits = pto_f32_bits(sum);
    const uint32_t outward = pto_f32_bits(error) >> 31 == bits >> 31 ? 1u : UINT32_MAX;
    const bool steps = (error > 0.0f || error < 0.0f) && !(bits & 1u);
    return pto_f32_from_bits(steps ? bits + outward : bits);
}

/* Is the product of two bf16 numbers neither exact nor 0, Inf or NaN in float? Then only double will do. */
static inline uint32_t pto_fma_bf16_is_far(uint16_t x, uint16_t y) {
    const uint32_t a = x & 0x7FFFu, b = y & 0x7FFFu;
    const float product = pto_f32_from_bits(a << 16) * pto_f32_from_bits(b << 16);
    const uint32_t inside = pto_f32_bits(product) - UINT32_C(0x00800000) < UINT32_C(0x7F000000);
    return (inside ^ 1u) & (a - 1u < 0x7F7Fu) & (b - 1u < 0x7F7Fu);
}
static inline uint16_t pto_fma_bf16_near(uint16_t x, uint16_t y, uint16_t z) {
    return pto_bf16_from_f32(
        pto_fma_half_odd(pto_f32_from_bf16_raw(x), pto_f32_from_bf16_raw(y), pto_f32_from_bf16_raw(z)));
}

/* D = POST(X * Y + Z) for i = 0 .. n - 1 of bf16: in float, or, where a product of the piece does not fit it,
 * in double. X, Y and Z are expressions in i; D may be any of them. */
#define PTO_FMA_BF16_RUN(n, D, POST, X, Y, Z)                                                                \
    for (int64_t start = 0; start < (n); start += 256) {                                                     \
        const int64_t end = (n)-start < 256 ? (n) : start + 256;                                             \
        uint32_t far = 0;                                                                                    \
        _Pragma("omp simd reduction(| : far)") for (int64_t i = start; i < end; i++) far |=                  \
            pto_fma_bf16_is_far(X, Y);                                                                       \
        if (far) {                                                                                           \
            _Pragma("omp simd") for (int64_t i = start; i < end; i++) D = POST(PTO_FMA_BF16(X, Y, Z));       \
        } else {                                                                                             \
            _Pragma("omp simd") for (int64_t i = start; i < end; i++) D = POST(pto_fma_bf16_near(X, Y, Z));  \
        }                                                                                                    \
    }
#define PTO_FMA_AS_IS(x) (x)

static inline uint16_t pto_fma_f16(uint16_t x, uint16_t y, uint16_t z) {
    return pto_f16_from_f32(pto_fma_half_odd(pto_f32_from_f16(x), pto_f32_from_f16(y), pto_f32_from_f16(z)));
}

static inline uint16_t pto_unfused_f16(uint16_t x, uint16_t y, uint16_t z) {
    const uint16_t product = pto_f16_from_f32(pto_f32_from_f16(x) * pto_f32_from_f16(y));
    return pto_f16_from_f32(pto_f32_from_f16(product) + pto_f32_from_f16(z));
}
static inline uint16_t pto_unfused_bf16(uint16_t x, uint16_t y, uint16_t z) {
    const uint16_t product = pto_bf16_from_f32(pto_f32_from_bf16(x) * pto_f32_from_bf16(y));
    return pto_bf16_from_f32(pto_f32_from_bf16(product) + pto_f32_from_bf16(z));
}
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

typedef int32_t pto_lanes_int __attribute__((vector_size(PTO_LANES * sizeof(int32_t))));

static inline pto_lanes pto_fma_half_odd_lanes(pto_lanes x, pto_lanes y, pto_lanes z) {
    const pto_lanes product = x * y, sum = product + z, zero = pto_lanes_fill(0.0f);
    const pto_lanes from_z = sum - product, from_product = sum - from_z;
    const pto_lanes error = (product - from_product) + (z - from_z);
    const pto_lanes_int bits = (pto_lanes_int)sum;
    const pto_lanes_int inexact = (pto_lanes_int)(error > zero) | (pto_lanes_int)(error < zero);
    const pto_lanes_int outward = ((pto_lanes_int)error ^ bits) >> 31 | 1;
    const pto_lanes_int even = (bits & 1) - 1;
    return (pto_lanes)(bits + (outward & inexact & even));
}

#endif

#endif
