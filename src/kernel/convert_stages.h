/* SPDX-License-Identifier: Apache-2.0 */
/* The vector loops of TCVT (part 10, 9.3, 9.4). A conversion from a float format is cut into up to three
 * stages over a small buffer: load widens exactly to float, round makes the floats integral by a rounding
 * mode, store narrows to the destination with its own saturation. Integers have direct loops. Every stage is
 * plain C of selects; `mode` arguments are constants at every call. All give the bits of
 * pto_number_convert_by_rule. */
#ifndef PTO_KERNEL_CONVERT_STAGES_H
#define PTO_KERNEL_CONVERT_STAGES_H

#include "kernel/half_stages.h"
#include "number/convert.h"
#include "number/small.h"

/* out and in may be the same array, never shifted against each other. */
typedef void (*pto_cvt_load)(float *out, const void *in, int64_t count);
typedef void (*pto_cvt_round)(float *out, const float *in, int64_t count);
typedef void (*pto_cvt_store)(void *out, const float *in, int64_t count, bool saturate);
typedef void (*pto_cvt_direct)(void *out, const void *in, int64_t count);

#define PTO_CVT_SIMD _Pragma("omp simd") for (int64_t i = 0; i < count; i++)

/* Does a magnitude go up from its truncation? above and tie say how the cut part compares with half a unit,
 * inexact whether there is one. All are 0 or 1. */
static inline uint32_t pto_cvt_up(pto_round_mode mode, uint32_t negative, uint32_t odd, uint32_t above,
                                  uint32_t tie, uint32_t inexact) {
    switch ((int)mode) {
    case PTO_CAST_ROUND:
        return above | tie;
    case PTO_CAST_FLOOR:
        return inexact & negative;
    case PTO_CAST_CEIL:
        return inexact & (negative ^ 1u);
    case PTO_CAST_TRUNC:
        return 0;
    case PTO_CAST_ODD:
        return inexact & (odd ^ 1u);
    case PTO_CAST_HALF_UP:
        return above | (tie & (negative ^ 1u));
    default:
        return above | (tie & odd);
    }
}

/* May a finite value out of range become Inf in this mode? (9.4, column OFF) */
static inline uint32_t pto_cvt_to_max(pto_round_mode mode, uint32_t negative) {
    switch ((int)mode) {
    case PTO_CAST_TRUNC:
    case PTO_CAST_ODD:
        return 1;
    case PTO_CAST_FLOOR:
        return negative ^ 1u;
    case PTO_CAST_CEIL:
        return negative;
    default:
        return 0;
    }
}

/* ---- load: exact widening ---- */

#define PTO_CVT_LOAD(name, type, convert)                                                                    \
    static void name(float *out, const void *in, int64_t count) {                                            \
        const type *from = in;                                                                               \
        PTO_CVT_SIMD out[i] = convert(from[i]);                                                              \
    }

#ifndef PTO_LEVEL_AVX512 /* convert_tables.h has others */
PTO_CVT_LOAD(pto_cvt_load_e4m3, uint8_t, pto_f32_from_e4m3)
PTO_CVT_LOAD(pto_cvt_load_e5m2, uint8_t, pto_f32_from_e5m2)
PTO_CVT_LOAD(pto_cvt_load_hif8, uint8_t, pto_f32_from_hif8)
#endif
/* 4-bit codes come unpacked, one a byte. */
PTO_CVT_LOAD(pto_cvt_load_e2m1, uint8_t, pto_f32_from_e2m1)
PTO_CVT_LOAD(pto_cvt_load_e1m2, uint8_t, pto_f32_from_e1m2)
static inline float pto_cvt_f32_from_s4(uint8_t code) { return (float)(int32_t)((code & 15u) ^ 8u) - 8.0f; }
PTO_CVT_LOAD(pto_cvt_load_s4, uint8_t, pto_cvt_f32_from_s4)
PTO_CVT_LOAD(pto_cvt_load_s16, int16_t, (float))
PTO_CVT_LOAD(pto_cvt_load_u16, uint16_t, (float))
PTO_CVT_LOAD(pto_cvt_load_s8, int8_t, (float))
PTO_CVT_LOAD(pto_cvt_load_u8, uint8_t, (float))

/* ---- s32 to float by mode ---- */

/* With the low byte cut off a magnitude is a float; adding the byte back rounds to nearest even and leaves an
 * exact error, from which every other mode follows. */
static inline float pto_cvt_f32_from_magnitude(uint32_t magnitude, uint32_t negative, pto_round_mode mode) {
    const float high = 256.0f * (float)(int32_t)(magnitude >> 8), low = (float)(int32_t)(magnitude & 255u);
    const float nearest = high + low, error = low - (nearest - high);
    const uint32_t bits = pto_f32_bits(nearest), less = error > 0.0f, more = error < 0.0f;
    const uint32_t cut = bits - more; /* truncated */
    const float unit = pto_f32_from_bits(cut + 1u) - pto_f32_from_bits(cut);
    const float rest = more ? error + unit : error;
    const uint32_t up =
        pto_cvt_up(mode, negative, cut & 1u, rest + rest > unit, rest + rest == unit, less | more);
    return pto_f32_from_bits((cut + up) | negative << 31);
}

static inline float pto_cvt_f32_from_s32(int32_t value, pto_round_mode mode) {
    const uint32_t negative = (uint32_t)value >> 31;
    return pto_cvt_f32_from_magnitude(negative ? 0u - (uint32_t)value : (uint32_t)value, negative, mode);
}

#define PTO_CVT_FROM_S32(name, mode)                                                                         \
    static void pto_cvt_s32_f32_##name(float *out, const void *in, int64_t count) {                          \
        const int32_t *from = in;                                                                            \
        PTO_CVT_SIMD out[i] = pto_cvt_f32_from_s32(from[i], mode);                                           \
    }

PTO_CVT_LOAD(pto_cvt_s32_f32_rint, int32_t, (float))
PTO_CVT_FROM_S32(round, PTO_CAST_ROUND)
PTO_CVT_FROM_S32(floor, PTO_CAST_FLOOR)
PTO_CVT_FROM_S32(ceil, PTO_CAST_CEIL)
PTO_CVT_FROM_S32(trunc, PTO_CAST_TRUNC)
PTO_CVT_FROM_S32(odd, PTO_CAST_ODD)
PTO_CVT_FROM_S32(half_up, PTO_CAST_HALF_UP)

/* ---- round: to an integral float ---- */

static inline float pto_cvt_integral(float value, pto_round_mode mode) {
    const uint32_t bits = pto_f32_bits(value), negative = bits >> 31;
    const float magnitude = pto_f32_from_bits(bits & UINT32_C(0x7FFFFFFF));
    /* Up to 2^23 the sum has integral places: nearest even, and the last bit tells odd from even. */
    const float shifted = magnitude + 0x1p23f, nearest = shifted - 0x1p23f;
    const float error = magnitude - nearest; /* exact */
    const uint32_t more = error < 0.0f;
    const float cut = more ? nearest - 1.0f : nearest;
    const float rest = magnitude - cut;
    const uint32_t odd = (pto_f32_bits(shifted) ^ more) & 1u;
    const uint32_t up = pto_cvt_up(mode, negative, odd, rest > 0.5f, rest == 0.5f, rest > 0.0f);
    float result = mode == PTO_CAST_RINT ? nearest : up ? cut + 1.0f : cut;
    result = magnitude < 0x1p23f ? result : magnitude;
    result = pto_f32_from_bits(pto_f32_bits(result) | (bits & UINT32_C(0x80000000)));
    return value != value ? pto_f32_from_bits(PTO_F32_NAN_BITS) : result;
}

#define PTO_CVT_ROUND(name, mode)                                                                            \
    static void pto_cvt_round_##name(float *out, const float *in, int64_t count) {                           \
        PTO_CVT_SIMD out[i] = pto_cvt_integral(in[i], mode);                                                 \
    }

#if defined(PTO_LEVEL_AVX512)
/* By the instruction; away from zero where half a unit or more was cut. */
static inline __m512 pto_cvt_integral_away(__m512 value) {
    const __m512 cut = _mm512_roundscale_ps(value, _MM_FROUND_TO_ZERO), sign = _mm512_set1_ps(-0.0f);
    const __m512 rest = _mm512_andnot_ps(sign, _mm512_sub_ps(value, cut));
    const __m512 one = _mm512_or_ps(_mm512_and_ps(sign, value), _mm512_set1_ps(1.0f));
    const __mmask16 up = _mm512_cmp_ps_mask(rest, _mm512_set1_ps(0.5f), _CMP_GE_OQ);
    return _mm512_mask_add_ps(cut, up, cut, one);
}
#define PTO_CVT_ROUND_LANES(name, mode, instruction)                                                         \
    static void pto_cvt_round_##name(float *out, const float *in, int64_t count) {                           \
        int64_t i = 0;                                                                                       \
        for (; i + 16 <= count; i += 16) {                                                                   \
            const __m512 value = _mm512_loadu_ps(in + i);                                                    \
            _mm512_storeu_ps(out + i, pto_lanes_canonical(instruction));                                     \
        }                                                                                                    \
        for (; i < count; i++)                                                                               \
            out[i] = pto_cvt_integral(in[i], mode);                                                          \
    }
PTO_CVT_ROUND_LANES(rint, PTO_CAST_RINT, _mm512_roundscale_ps(value, _MM_FROUND_TO_NEAREST_INT))
PTO_CVT_ROUND_LANES(round, PTO_CAST_ROUND, pto_cvt_integral_away(value))
PTO_CVT_ROUND_LANES(floor, PTO_CAST_FLOOR, _mm512_roundscale_ps(value, _MM_FROUND_TO_NEG_INF))
PTO_CVT_ROUND_LANES(ceil, PTO_CAST_CEIL, _mm512_roundscale_ps(value, _MM_FROUND_TO_POS_INF))
PTO_CVT_ROUND_LANES(trunc, PTO_CAST_TRUNC, _mm512_roundscale_ps(value, _MM_FROUND_TO_ZERO))
#else
PTO_CVT_ROUND(rint, PTO_CAST_RINT)
PTO_CVT_ROUND(round, PTO_CAST_ROUND)
PTO_CVT_ROUND(floor, PTO_CAST_FLOOR)
PTO_CVT_ROUND(ceil, PTO_CAST_CEIL)
PTO_CVT_ROUND(trunc, PTO_CAST_TRUNC)
#endif
PTO_CVT_ROUND(odd, PTO_CAST_ODD)
PTO_CVT_ROUND(half_up, PTO_CAST_HALF_UP)

/* ---- store: floats ---- */

static inline uint16_t pto_cvt_f16(float value, pto_round_mode mode, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), negative = bits >> 31, magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t tiny = magnitude < UINT32_C(0x38800000); /* subnormal result, in units of 2^-24 */
    const float size = pto_f32_from_bits(magnitude);
    const float shifted = size + 0.5f, error = size - (shifted - 0.5f);
    const uint32_t more = error < 0.0f;
    const float rest = more ? error + 0x1p-24f : error;
    const uint32_t cut = tiny ? pto_f32_bits(shifted) - UINT32_C(0x3F000000) - more
                              : (magnitude - (UINT32_C(112) << 23)) >> 13;
    const uint32_t lost = magnitude & 0x1FFFu;
    const uint32_t above = tiny ? rest > 0x1p-25f : lost > 0x1000u;
    const uint32_t tie = tiny ? rest == 0x1p-25f : lost == 0x1000u;
    const uint32_t inexact = tiny ? rest > 0.0f : lost != 0;
    uint32_t half = cut + pto_cvt_up(mode, negative, cut & 1u, above, tie, inexact);
    const uint32_t infinity = saturate ? 0x7BFFu : 0x7C00u;
    half = half > 0x7BFFu ? (pto_cvt_to_max(mode, negative) ? 0x7BFFu : infinity) : half;
    half = magnitude == UINT32_C(0x7F800000) ? infinity : half;
    half |= negative << 15;
    return (uint16_t)(magnitude > UINT32_C(0x7F800000) ? PTO_F16_NAN_BITS : half);
}

static inline uint16_t pto_cvt_bf16(float value, pto_round_mode mode, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), negative = bits >> 31, magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t cut = magnitude >> 16, lost = magnitude & 0xFFFFu;
    uint32_t code = cut + pto_cvt_up(mode, negative, cut & 1u, lost > 0x8000u, lost == 0x8000u, lost != 0);
    const uint32_t infinity = saturate ? 0x7F7Fu : 0x7F80u;
    code = code > 0x7F7Fu ? (pto_cvt_to_max(mode, negative) ? 0x7F7Fu : infinity) : code;
    code = magnitude == UINT32_C(0x7F800000) ? infinity : code;
    code |= negative << 15;
    return (uint16_t)(magnitude > UINT32_C(0x7F800000) ? PTO_BF16_NAN_BITS : code);
}

/* Codes are made as words, 64 at a time, and then narrowed: in one loop gcc shuffles masks of two widths. */
enum { PTO_CVT_WORDS = 64 };
#define PTO_CVT_STORE(name, type, expression)                                                                \
    static void name(void *out, const float *in, int64_t count, bool saturate) {                             \
        type *to = out;                                                                                      \
        int64_t start = 0;                                                                                   \
        for (; sizeof(type) < 4 && start + PTO_CVT_WORDS <= count; start += PTO_CVT_WORDS) {                 \
            uint32_t word[PTO_CVT_WORDS];                                                                    \
            _Pragma("omp simd") for (int64_t k = 0; k < PTO_CVT_WORDS; k++) {                                \
                const int64_t i = start + k;                                                                 \
                word[k] = (uint32_t)(expression);                                                            \
            }                                                                                                \
            _Pragma("omp simd") for (int64_t k = 0; k < PTO_CVT_WORDS; k++) to[start + k] = (type)word[k];   \
        }                                                                                                    \
        _Pragma("omp simd") for (int64_t i = start; i < count; i++) to[i] = (type)(expression);              \
    }
#define PTO_CVT_STORE_MODES(format)                                                                          \
    PTO_CVT_STORE(pto_cvt_store_##format##_round, uint16_t,                                                  \
                  pto_cvt_##format(in[i], PTO_CAST_ROUND, saturate))                                         \
    PTO_CVT_STORE(pto_cvt_store_##format##_floor, uint16_t,                                                  \
                  pto_cvt_##format(in[i], PTO_CAST_FLOOR, saturate))                                         \
    PTO_CVT_STORE(pto_cvt_store_##format##_ceil, uint16_t, pto_cvt_##format(in[i], PTO_CAST_CEIL, saturate)) \
    PTO_CVT_STORE(pto_cvt_store_##format##_trunc, uint16_t,                                                  \
                  pto_cvt_##format(in[i], PTO_CAST_TRUNC, saturate))                                         \
    PTO_CVT_STORE(pto_cvt_store_##format##_odd, uint16_t, pto_cvt_##format(in[i], PTO_CAST_ODD, saturate))   \
    PTO_CVT_STORE(pto_cvt_store_##format##_half_up, uint16_t,                                                \
                  pto_cvt_##format(in[i], PTO_CAST_HALF_UP, saturate))

PTO_CVT_STORE_MODES(f16)
PTO_CVT_STORE_MODES(bf16)

/* Saturation takes infinities only: nothing else is out of range. */
static inline float pto_cvt_f32_limited(float value, bool saturate) {
    const uint32_t bits = pto_f32_bits(value), infinite = (bits << 1) == UINT32_C(0xFF000000);
    return pto_f32_from_bits(bits - (infinite & (uint32_t)saturate));
}
PTO_CVT_STORE(pto_cvt_store_f32, float, pto_cvt_f32_limited(in[i], saturate))
PTO_CVT_STORE(pto_cvt_store_e4m3, uint8_t, pto_e4m3_word(in[i], saturate))
PTO_CVT_STORE(pto_cvt_store_e5m2, uint8_t, pto_e5m2_word(in[i], saturate))
PTO_CVT_STORE(pto_cvt_store_hif8, uint8_t, pto_hif8_word(in[i], saturate))

/* These saturate always. */
PTO_CVT_STORE(pto_cvt_store_e2m1, uint8_t, ((void)saturate, pto_e2m1_word(in[i])))
PTO_CVT_STORE(pto_cvt_store_e1m2, uint8_t, ((void)saturate, pto_e1m2_word(in[i])))

/* ---- store: integers, from integral floats or, to truncate, from any ---- */

static inline int32_t pto_cvt_s32_clamped(float value) {
    float inside = value < -0x1p31f ? -0x1p31f : value;
    inside = inside < 0x1p31f ? inside : 0.0f; /* NaN too */
    const int32_t result = (int32_t)inside;
    return value >= 0x1p31f ? INT32_MAX : result;
}

/* The low 32 bits of the value clamped to s64. */
static inline uint32_t pto_cvt_s32_wrapped(float value) {
    const uint32_t bits = pto_f32_bits(value), magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t big = magnitude >= UINT32_C(0x4F000000); /* 2^31 */
    const int32_t small = (int32_t)(big ? 0.0f : value);
    const uint32_t shift = big ? (magnitude >> 23) - 150u : 0u;
    uint32_t low = ((bits & UINT32_C(0x7FFFFF)) | UINT32_C(0x800000)) << (shift & 31u);
    low = shift > 31u ? 0u : low;
    low = bits >> 31 ? 0u - low : low;
    low = bits >= UINT32_C(0x5F000000) && bits <= UINT32_C(0x7F800000) ? UINT32_MAX : low; /* 2^63 */
    low = magnitude > UINT32_C(0x7F800000) ? 0u : low;
    return big ? low : (uint32_t)small;
}

static inline int64_t pto_cvt_s64_clamped(float value) {
    float inside = value < -0x1p63f ? -0x1p63f : value;
    inside = inside < 0x1p63f ? inside : 0.0f;
    const int64_t result = (int64_t)inside;
    return value >= 0x1p63f ? INT64_MAX : result;
}

static void pto_cvt_store_s32(void *out, const float *in, int64_t count, bool saturate) {
    int32_t *clamped = out;
    uint32_t *wrapped = out;
    if (saturate) {
        PTO_CVT_SIMD clamped[i] = pto_cvt_s32_clamped(in[i]);
    } else {
        PTO_CVT_SIMD wrapped[i] = pto_cvt_s32_wrapped(in[i]);
    }
}

/* Of at most 16 bits: clamped to s32, then to the type or cut. Where the conversion instruction cannot hold a
 * value it gives INT32_MIN: right for what is too small, and its low bits for NaN. */
#if defined(PTO_LEVEL_AVX512)
static inline __m512i pto_cvt_lanes_small(__m512 value, float min, float max, bool saturate) {
    if (saturate) {
        const __m512 inside = _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(min)), _mm512_set1_ps(max));
        return _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(value, value, _CMP_ORD_Q), inside);
    }
    const __mmask16 large = _mm512_cmp_ps_mask(value, _mm512_set1_ps(0x1p31f), _CMP_GE_OQ);
    return _mm512_mask_set1_epi32(_mm512_cvttps_epi32(value), large, INT32_MAX);
}
static inline void pto_cvt_narrow_1(void *to, __m512i v) { _mm_storeu_si128(to, _mm512_cvtepi32_epi8(v)); }
static inline void pto_cvt_narrow_2(void *to, __m512i v) {
    _mm256_storeu_si256(to, _mm512_cvtepi32_epi16(v));
}
#define PTO_CVT_STORE_LANES(type, min, max)                                                                  \
    for (; start + 16 <= count; start += 16) {                                                               \
        const __m512i v = pto_cvt_lanes_small(_mm512_loadu_ps(in + start), min, max, saturate);              \
        if (sizeof(type) == 1)                                                                               \
            pto_cvt_narrow_1(to + start, v);                                                                 \
        else                                                                                                 \
            pto_cvt_narrow_2(to + start, v);                                                                 \
    }
#else
#define PTO_CVT_STORE_LANES(type, min, max)
#endif
#define PTO_CVT_STORE_SMALL(name, type, min, max)                                                            \
    static void name(void *out, const float *in, int64_t count, bool saturate) {                             \
        type *to = out;                                                                                      \
        const int32_t low = saturate ? min : INT32_MIN, high = saturate ? max : INT32_MAX;                   \
        int64_t start = 0;                                                                                   \
        PTO_CVT_STORE_LANES(type, (float)(min), (float)(max))                                                \
        _Pragma("omp simd") for (int64_t i = start; i < count; i++) {                                        \
            int32_t value = pto_cvt_s32_clamped(in[i]);                                                      \
            value = value < low ? low : value;                                                               \
            value = value > high ? high : value;                                                             \
            to[i] = (type)value;                                                                             \
        }                                                                                                    \
    }

PTO_CVT_STORE_SMALL(pto_cvt_store_s16, int16_t, INT16_MIN, INT16_MAX)
PTO_CVT_STORE_SMALL(pto_cvt_store_u16, uint16_t, 0, UINT16_MAX)
PTO_CVT_STORE_SMALL(pto_cvt_store_s8, int8_t, INT8_MIN, INT8_MAX)
PTO_CVT_STORE_SMALL(pto_cvt_store_u8, uint8_t, 0, UINT8_MAX)
PTO_CVT_STORE_SMALL(pto_cvt_store_s4, uint8_t, -8, 7) /* the packing drops bits 7:4 */

static void pto_cvt_store_s64(void *out, const float *in, int64_t count, bool saturate) {
    (void)saturate; /* clamps in both modes */
    int64_t *to = out;
    PTO_CVT_SIMD to[i] = pto_cvt_s64_clamped(in[i]);
}

/* ---- packed 4-bit elements ---- */

/* count elements from element `first` of packed memory to bytes, and back; other nibbles stay. */
static void pto_cvt_unpack(uint8_t *out, const uint8_t *in, int64_t first, int64_t count) {
    int64_t done = 0;
    if (first & 1 && count > 0)
        out[done++] = in[first / 2] >> 4;
    const uint8_t *from = in + (first + done) / 2;
    const int64_t pairs = (count - done) / 2;
    uint8_t *to = out + done;
    _Pragma("omp simd") for (int64_t i = 0; i < pairs; i++) {
        to[2 * i] = from[i] & 15u;
        to[2 * i + 1] = from[i] >> 4;
    }
    if ((count - done) & 1)
        to[2 * pairs] = from[pairs] & 15u;
}

static void pto_cvt_pack(uint8_t *out, int64_t first, const uint8_t *in, int64_t count) {
    int64_t done = 0;
    if (first & 1 && count > 0) {
        uint8_t *byte = &out[first / 2];
        *byte = (uint8_t)((*byte & 15u) | (uint32_t)in[done++] << 4);
    }
    uint8_t *to = out + (first + done) / 2;
    const int64_t pairs = (count - done) / 2;
    const uint8_t *from = in + done;
    _Pragma("omp simd") for (int64_t i = 0; i < pairs; i++) to[i] =
        (uint8_t)((from[2 * i] & 15u) | (uint32_t)from[2 * i + 1] << 4);
    if ((count - done) & 1)
        to[pairs] = (uint8_t)((to[pairs] & 240u) | (from[2 * pairs] & 15u));
}

/* ---- integer to integer ---- */

/* wide holds every value of the source and the bounds; the cast to the type keeps the low bits. */
#define PTO_CVT_INTEGER(src, dst, src_type, dst_type, wide, min, max)                                        \
    static void pto_cvt_##src##_##dst##_clamp(void *out, const void *in, int64_t count) {                    \
        const src_type *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD {                                                                                       \
            wide value = from[i];                                                                            \
            value = value < (wide)(min) ? (wide)(min) : value;                                               \
            value = value > (wide)(max) ? (wide)(max) : value;                                               \
            to[i] = (dst_type)value;                                                                         \
        }                                                                                                    \
    }                                                                                                        \
    static void pto_cvt_##src##_##dst##_wrap(void *out, const void *in, int64_t count) {                     \
        const src_type *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (dst_type)from[i];                                                              \
    }

#define PTO_CVT_FROM_SIGNED(src, src_type, wide)                                                             \
    PTO_CVT_INTEGER(src, s8, src_type, int8_t, wide, INT8_MIN, INT8_MAX)                                     \
    PTO_CVT_INTEGER(src, u8, src_type, uint8_t, wide, 0, UINT8_MAX)                                          \
    PTO_CVT_INTEGER(src, s16, src_type, int16_t, wide, INT16_MIN, INT16_MAX)                                 \
    PTO_CVT_INTEGER(src, u16, src_type, uint16_t, wide, 0, UINT16_MAX)                                       \
    PTO_CVT_INTEGER(src, s32, src_type, int32_t, wide, INT32_MIN, INT32_MAX)                                 \
    PTO_CVT_INTEGER(src, s64, src_type, int64_t, int64_t, INT64_MIN, INT64_MAX)

/* To u32: INT32_MAX stands for all of a source that is not negative. */
PTO_CVT_FROM_SIGNED(s8, int8_t, int32_t)
PTO_CVT_INTEGER(s8, u32, int8_t, uint32_t, int32_t, 0, INT32_MAX)
PTO_CVT_FROM_SIGNED(u8, uint8_t, int32_t)
PTO_CVT_INTEGER(u8, u32, uint8_t, uint32_t, int32_t, 0, INT32_MAX)
PTO_CVT_FROM_SIGNED(s16, int16_t, int32_t)
PTO_CVT_INTEGER(s16, u32, int16_t, uint32_t, int32_t, 0, INT32_MAX)
PTO_CVT_FROM_SIGNED(u16, uint16_t, int32_t)
PTO_CVT_INTEGER(u16, u32, uint16_t, uint32_t, int32_t, 0, INT32_MAX)
PTO_CVT_FROM_SIGNED(s32, int32_t, int32_t)
PTO_CVT_INTEGER(s32, u32, int32_t, uint32_t, int32_t, 0, INT32_MAX)
PTO_CVT_FROM_SIGNED(s64, int64_t, int64_t)
PTO_CVT_INTEGER(s64, u32, int64_t, uint32_t, int64_t, 0, UINT32_MAX)

#define PTO_CVT_FROM_U32(dst, dst_type, max)                                                                 \
    static void pto_cvt_u32_##dst##_clamp(void *out, const void *in, int64_t count) {                        \
        const uint32_t *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (dst_type)(from[i] > (max) ? (max) : from[i]);                                  \
    }                                                                                                        \
    static void pto_cvt_u32_##dst##_wrap(void *out, const void *in, int64_t count) {                         \
        const uint32_t *from = in;                                                                           \
        dst_type *to = out;                                                                                  \
        PTO_CVT_SIMD to[i] = (dst_type)from[i];                                                              \
    }

PTO_CVT_FROM_U32(s8, int8_t, UINT32_C(0x7F))
PTO_CVT_FROM_U32(u8, uint8_t, UINT32_C(0xFF))
PTO_CVT_FROM_U32(s16, int16_t, UINT32_C(0x7FFF))
PTO_CVT_FROM_U32(u16, uint16_t, UINT32_C(0xFFFF))
PTO_CVT_FROM_U32(s32, int32_t, UINT32_C(0x7FFFFFFF))
PTO_CVT_FROM_U32(u32, uint32_t, UINT32_MAX)
PTO_CVT_FROM_U32(s64, int64_t, UINT32_MAX)

/* Nearest even by the FPU. */
static void pto_cvt_s64_f32_rint(float *out, const void *in, int64_t count) {
    const int64_t *from = in;
    PTO_CVT_SIMD out[i] = (float)from[i];
}

#endif
