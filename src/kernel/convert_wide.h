/* SPDX-License-Identifier: Apache-2.0 */
/* More vector loops of TCVT (see convert_stages.h): u32 and 64-bit integers to and from floats, u64 and s4
 * between integers, 4-bit floats by every mode. */
#ifndef PTO_KERNEL_CONVERT_WIDE_H
#define PTO_KERNEL_CONVERT_WIDE_H

#include "kernel/convert_stages.h"

/* ---- u32 to float by mode ---- */

#define PTO_CVT_FROM_U32_MODE(name, mode)                                                                    \
    static void pto_cvt_u32_f32_##name(float *out, const void *in, int64_t count) {                          \
        const uint32_t *from = in;                                                                           \
        PTO_CVT_SIMD out[i] = pto_cvt_f32_from_magnitude(from[i], 0, mode);                                  \
    }
PTO_CVT_FROM_U32_MODE(rint, PTO_CAST_RINT)
PTO_CVT_FROM_U32_MODE(round, PTO_CAST_ROUND)
PTO_CVT_FROM_U32_MODE(floor, PTO_CAST_FLOOR)
PTO_CVT_FROM_U32_MODE(ceil, PTO_CAST_CEIL)
PTO_CVT_FROM_U32_MODE(trunc, PTO_CAST_TRUNC)
PTO_CVT_FROM_U32_MODE(odd, PTO_CAST_ODD)
PTO_CVT_FROM_U32_MODE(half_up, PTO_CAST_HALF_UP)

/* ---- 64-bit integers to float by mode ---- */

static inline double pto_cvt_f64_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Both halves are exact in double; their sum, rounded to odd, rounds to float as the integer itself. */
static inline float pto_cvt_f32_from_64(uint64_t magnitude, uint32_t negative, pto_round_mode mode) {
    const uint64_t two_52 = UINT64_C(0x4330000000000000), two_84 = UINT64_C(0x4530000000000000);
    const double high = pto_cvt_f64_from_bits(two_84 | magnitude >> 32) - 0x1p84;
    const double low = pto_cvt_f64_from_bits(two_52 | (magnitude & UINT32_MAX)) - 0x1p52;
    const double sum = high + low, rest = low - (sum - high); /* high is 0 or the larger one */
    const uint64_t sum_bits = pto_f64_bits(sum);
    const uint64_t inexact = rest != 0.0, less = rest < 0.0;
    /* truncated, and the last bit set where something was lost */
    const double odd = pto_cvt_f64_from_bits((sum_bits - less) | inexact);
    const float nearest = (float)odd;
    const double error = odd - (double)nearest;
    const uint32_t bits = pto_f32_bits(nearest), more = error < 0.0, cut = bits - more;
    const double unit = (double)pto_f32_from_bits(cut + 1u) - (double)pto_f32_from_bits(cut);
    const double part = more ? error + unit : error;
    const uint32_t up =
        pto_cvt_up(mode, negative, cut & 1u, part + part > unit, part + part == unit, part > 0.0);
    const uint32_t result = mode == PTO_CAST_RINT ? bits : cut + up;
    return pto_f32_from_bits(result | negative << 31);
}

#define PTO_CVT_FROM_64(name, mode)                                                                          \
    static void pto_cvt_u64_f32_##name(float *out, const void *in, int64_t count) {                          \
        const uint64_t *from = in;                                                                           \
        PTO_CVT_SIMD out[i] = pto_cvt_f32_from_64(from[i], 0, mode);                                         \
    }
#define PTO_CVT_FROM_S64(name, mode)                                                                         \
    static void pto_cvt_s64_f32_by_##name(float *out, const void *in, int64_t count) {                       \
        const uint64_t *from = in;                                                                           \
        PTO_CVT_SIMD {                                                                                       \
            const uint64_t sign = 0 - (from[i] >> 63);                                                       \
            out[i] = pto_cvt_f32_from_64((from[i] ^ sign) - sign, (uint32_t)(from[i] >> 63), mode);          \
        }                                                                                                    \
    }
#define PTO_CVT_FROM_BOTH_64(name, mode)                                                                     \
    PTO_CVT_FROM_64(name, mode)                                                                              \
    PTO_CVT_FROM_S64(name, mode)
PTO_CVT_FROM_64(rint, PTO_CAST_RINT) /* of s64: the FPU does it */
PTO_CVT_FROM_BOTH_64(round, PTO_CAST_ROUND)
PTO_CVT_FROM_BOTH_64(floor, PTO_CAST_FLOOR)
PTO_CVT_FROM_BOTH_64(ceil, PTO_CAST_CEIL)
PTO_CVT_FROM_BOTH_64(trunc, PTO_CAST_TRUNC)
PTO_CVT_FROM_BOTH_64(odd, PTO_CAST_ODD)
PTO_CVT_FROM_BOTH_64(half_up, PTO_CAST_HALF_UP)

/* ---- float to u32, u64 ---- */

static inline uint32_t pto_cvt_u32_clamped(float value) {
    const uint32_t large = value >= 0x1p31f;
    float inside = large ? value - 0x1p31f : value;
    inside = inside > 0.0f ? inside : 0.0f; /* NaN too */
    inside = inside < 0x1p31f ? inside : 0.0f;
    const uint32_t result = (uint32_t)(int32_t)inside + (large << 31);
    return value >= 0x1p32f ? UINT32_MAX : result;
}

static void pto_cvt_store_u32(void *out, const float *in, int64_t count, bool saturate) {
    uint32_t *to = out;
    if (saturate) {
        PTO_CVT_SIMD to[i] = pto_cvt_u32_clamped(in[i]);
    } else {
        PTO_CVT_SIMD to[i] = pto_cvt_s32_wrapped(in[i]);
    }
}

static inline uint64_t pto_cvt_u64_clamped(float value) {
    const uint64_t large = value >= 0x1p63f;
    float inside = large ? value - 0x1p63f : value;
    inside = inside > 0.0f ? inside : 0.0f;
    inside = inside < 0x1p63f ? inside : 0.0f;
    const uint64_t result = (uint64_t)(int64_t)inside + (large << 63);
    return value >= 0x1p64f ? UINT64_MAX : result;
}

static void pto_cvt_store_u64(void *out, const float *in, int64_t count, bool saturate) {
    (void)saturate; /* clamps in both modes */
    uint64_t *to = out;
    PTO_CVT_SIMD to[i] = pto_cvt_u64_clamped(in[i]);
}

/* ---- u64 between integers ---- */

#define PTO_CVT_TO_U64(src, src_type, positive)                                                              \
    static void pto_cvt_##src##_u64_clamp(void *out, const void *in, int64_t count) {                        \
        const src_type *from = in;                                                                           \
        uint64_t *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (positive) ? (uint64_t)from[i] : 0;                                             \
    }                                                                                                        \
    static void pto_cvt_##src##_u64_wrap(void *out, const void *in, int64_t count) {                         \
        const src_type *from = in;                                                                           \
        uint64_t *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (uint64_t)from[i];                                                              \
    }
PTO_CVT_TO_U64(s8, int8_t, from[i] > 0)
PTO_CVT_TO_U64(u8, uint8_t, true)
PTO_CVT_TO_U64(s16, int16_t, from[i] > 0)
PTO_CVT_TO_U64(u16, uint16_t, true)
PTO_CVT_TO_U64(s32, int32_t, from[i] > 0)
PTO_CVT_TO_U64(u32, uint32_t, true)
PTO_CVT_TO_U64(s64, int64_t, from[i] > 0)
PTO_CVT_TO_U64(u64, uint64_t, true)

#define PTO_CVT_FROM_U64(dst, dst_type, max)                                                                 \
    static void pto_cvt_u64_##dst##_clamp(void *out, const void *in, int64_t count) {                        \
        const uint64_t *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (dst_type)(from[i] > (max) ? (max) : from[i]);                                  \
    }                                                                                                        \
    static void pto_cvt_u64_##dst##_wrap(void *out, const void *in, int64_t count) {                         \
        const uint64_t *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (dst_type)from[i];                                                              \
    }
PTO_CVT_FROM_U64(s8, int8_t, UINT64_C(0x7F))
PTO_CVT_FROM_U64(u8, uint8_t, UINT64_C(0xFF))
PTO_CVT_FROM_U64(s16, int16_t, UINT64_C(0x7FFF))
PTO_CVT_FROM_U64(u16, uint16_t, UINT64_C(0xFFFF))
PTO_CVT_FROM_U64(s32, int32_t, UINT64_C(0x7FFFFFFF))
PTO_CVT_FROM_U64(u32, uint32_t, UINT64_C(0xFFFFFFFF))
PTO_CVT_FROM_U64(s64, int64_t, UINT64_C(0x7FFFFFFFFFFFFFFF))

/* ---- s4 between integers: its bytes are s8 with a sign, the packing drops bits 7:4 ---- */

PTO_CVT_INTEGER(s8, s4, int8_t, int8_t, int32_t, -8, 7)
PTO_CVT_INTEGER(u8, s4, uint8_t, int8_t, int32_t, -8, 7)
PTO_CVT_INTEGER(s16, s4, int16_t, int8_t, int32_t, -8, 7)
PTO_CVT_INTEGER(u16, s4, uint16_t, int8_t, int32_t, -8, 7)
PTO_CVT_INTEGER(s32, s4, int32_t, int8_t, int32_t, -8, 7)
PTO_CVT_INTEGER(s64, s4, int64_t, int8_t, int64_t, -8, 7)
PTO_CVT_FROM_U32(s4, int8_t, UINT32_C(7))
PTO_CVT_FROM_U64(s4, int8_t, UINT64_C(7))

static inline void pto_cvt_extend_s4(uint8_t *codes, int64_t count) {
    PTO_CVT_SIMD codes[i] = (uint8_t)((codes[i] ^ 8u) - 8u);
}

static void pto_cvt_copy_bytes(void *out, const void *in, int64_t count) { memcpy(out, in, (size_t)count); }

/* ---- 4-bit floats by every mode ---- */

/* In e2m1 a unit is 1/2, from 2 on 1, from 4 on 2; in e1m2 1/4. */
static inline uint8_t pto_cvt_fp4(float value, bool two_exponent_bits, pto_round_mode mode) {
    const uint32_t bits = pto_f32_bits(value), negative = bits >> 31, magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t most = UINT32_C(0x41000000); /* 8; for NaN too */
    const uint32_t size = magnitude < most ? magnitude : most;
    /* thresholds 2 and 4 by the sign of a difference, which no branch can replace */
    const uint32_t step = ((UINT32_C(0x3FFFFFFF) - size) >> 31) + ((UINT32_C(0x407FFFFF) - size) >> 31);
    const uint32_t first = two_exponent_bits ? 2 * step : 0;
    const uint32_t scale = two_exponent_bits ? UINT32_C(0x40000000) - (step << 23) : UINT32_C(0x40800000);
    const float units = pto_f32_from_bits(size) * pto_f32_from_bits(scale);
    const int32_t cut = (int32_t)units;
    const float rest = units - (float)cut;
    uint32_t code = (uint32_t)cut + first;
    code += pto_cvt_up(mode, negative, code & 1u, rest > 0.5f, rest == 0.5f, rest > 0.0f);
    code = code < 7u ? code : 7u;
    const uint32_t is_number = (magnitude - UINT32_C(0x7F800001)) >> 31;
    return (uint8_t)(code | (negative & is_number) << 3);
}

#define PTO_CVT_FP4(format, name, mode)                                                                      \
    static void pto_cvt_store_##format##_##name(void *out, const float *in, int64_t count, bool saturate) {  \
        (void)saturate;                                                                                      \
        uint8_t *to = out;                                                                                   \
        PTO_CVT_SIMD to[i] = pto_cvt_fp4(in[i], PTO_CVT_IS_##format, mode);                                  \
    }
#define PTO_CVT_IS_e2m1 true
#define PTO_CVT_IS_e1m2 false
#define PTO_CVT_FP4_MODES(format)                                                                            \
    PTO_CVT_FP4(format, round, PTO_CAST_ROUND)                                                               \
    PTO_CVT_FP4(format, floor, PTO_CAST_FLOOR)                                                               \
    PTO_CVT_FP4(format, ceil, PTO_CAST_CEIL)                                                                 \
    PTO_CVT_FP4(format, trunc, PTO_CAST_TRUNC)                                                               \
    PTO_CVT_FP4(format, odd, PTO_CAST_ODD)                                                                   \
    PTO_CVT_FP4(format, half_up, PTO_CAST_HALF_UP)
PTO_CVT_FP4_MODES(e2m1)
PTO_CVT_FP4_MODES(e1m2)

#endif
