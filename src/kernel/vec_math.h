/* SPDX-License-Identifier: Apache-2.0 */
/* exp and log of float for kernel loops (part 10, 1.5 and 5).
 *
 * Plain C whose conditions are selects, so that loops over it vectorise; every fused step is written as fma,
 * so that all SIMD levels give the same bits. Largest error over all floats, subnormal arguments and results
 * included: exp 0.91 ulp, log 0.89 ulp. Arguments that the operation calls special give the canonical NaN,
 * Inf or zero exactly. They assume rounding to nearest and no flushing of subnormals by the FPU. */
#ifndef PTO_KERNEL_VEC_MATH_H
#define PTO_KERNEL_VEC_MATH_H

#include "number/half.h"

/* ln 2 as the sum of a 15-bit head, whose multiples by an exponent are exact, and a tail. */
#define PTO_LN2_HEAD 0x1.62e4p-1f
#define PTO_LN2_TAIL 0x1.7f7d1cp-20f

/* A minimax fit of (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2. */
#define PTO_EXP_C2 0x1.fffffcp-2f
#define PTO_EXP_C3 0x1.555490p-3f
#define PTO_EXP_C4 0x1.5558f6p-5f
#define PTO_EXP_C5 0x1.123a8ep-7f
#define PTO_EXP_C6 0x1.6a2312p-10f

static inline float pto_expf(float x) {
    /* Beyond these ends the result is Inf or +0 anyway; NaN passes both selects. */
    float y = x > 89.0f ? 89.0f : x;
    y = y < -104.0f ? -104.0f : y;

    /* y = n ln 2 + r, |r| <= ln 2 / 2. Adding 1.5 * 2^23 leaves n in the low bits. */
    const float shifter = 0x1.8p23f;
    const float shifted = __builtin_fmaf(y, 0x1.715476p0f, shifter);
    const float n = shifted - shifter;
    float r = __builtin_fmaf(n, -PTO_LN2_HEAD, y);
    r = __builtin_fmaf(n, -PTO_LN2_TAIL, r);

    /* e^r = 1 + r + r^2 (C2 + ...) */
    float p = PTO_EXP_C6;
    p = __builtin_fmaf(p, r, PTO_EXP_C5);
    p = __builtin_fmaf(p, r, PTO_EXP_C4);
    p = __builtin_fmaf(p, r, PTO_EXP_C3);
    p = __builtin_fmaf(p, r, PTO_EXP_C2);
    p = __builtin_fmaf(p, r, 1.0f);
    p = __builtin_fmaf(p, r, 1.0f);

    /* 2^n in two normal factors: the first product is exact, the second rounds a subnormal result. */
    const uint32_t biased = pto_f32_bits(shifted) - pto_f32_bits(shifter) + 256u;
    const uint32_t half = biased >> 1;
    const float scale0 = pto_f32_from_bits((half - 1u) << 23);
    const float scale1 = pto_f32_from_bits((biased - half - 1u) << 23);
    const float result = p * scale0 * scale1;
    return x != x ? pto_f32_from_bits(PTO_F32_NAN_BITS) : result;
}

static inline float pto_logf(float x) {
    /* x = 2^k m with m in [2/3, 4/3), so that k ln 2 and ln m never cancel. */
    const uint32_t low_end = UINT32_C(0x3F2AAAAB);
    const float normal = x < 0x1p-126f ? x * 0x1p23f : x;
    const float k0 = x < 0x1p-126f ? -151.0f : -128.0f;
    const uint32_t offset = pto_f32_bits(normal) - low_end + (UINT32_C(128) << 23);
    const float k = (float)(int32_t)(offset >> 23) + k0;
    const float f = pto_f32_from_bits((offset & UINT32_C(0x7FFFFF)) + low_end) - 1.0f;

    /* ln(1 + f) = f - f^2 / 2 + f^3 p(f), p a minimax fit. */
    float p = -0x1.08055cp-3f;
    p = __builtin_fmaf(p, f, 0x1.1e66b0p-3f);
    p = __builtin_fmaf(p, f, -0x1.f31152p-4f);
    p = __builtin_fmaf(p, f, 0x1.1ed71ap-3f);
    p = __builtin_fmaf(p, f, -0x1.559dcap-3f);
    p = __builtin_fmaf(p, f, 0x1.99d028p-3f);
    p = __builtin_fmaf(p, f, -0x1.fffef0p-3f);
    p = __builtin_fmaf(p, f, 0x1.555506p-2f);
    p = __builtin_fmaf(p, f, -0.5f);

    /* k * head is exact and larger than f unless k = 0: low is what the sum of the two lost. */
    const float power = k * PTO_LN2_HEAD;
    const float high = power + f;
    float low = f - (high - power);
    low = __builtin_fmaf(k, PTO_LN2_TAIL, low);
    float result = high + __builtin_fmaf(f * f, p, low);

    result = x == 0.0f ? -__builtin_inff() : result;
    result = x > 0x1.fffffep127f ? x : result;
    return x >= 0.0f ? result : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

#endif
