/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of the matrix kernel: lanes of 32 bits that hold floats, or pairs of s16 and their s32 sums.
 * Every level gives the same bits: the float step is one fused multiply-add per lane, the integer step
 * adds two exact products modulo 2^32. Intrinsics, because accumulators must stay in registers and the fused
 * step must be one instruction where the machine has it; the last variant is the plain loop. */
#ifndef PTO_KERNEL_MATMUL_VEC_H
#define PTO_KERNEL_MATMUL_VEC_H

#include <stdint.h>

#include "number/half.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Words and halves of memory that was written as another type. */
typedef uint32_t __attribute__((may_alias)) vec_word;
typedef int16_t __attribute__((may_alias)) vec_half;

/* VEC_LANES: lanes of a vector. VEC_ROWS x VEC_COLS vectors of accumulators fit into the registers. `lanes`
 * of a partial access is 1..VEC_LANES; lanes behind are neither read nor written in memory. */
#if defined(__AVX512BW__)

enum { VEC_LANES = 16, VEC_ROWS = 8, VEC_COLS = 2 };
typedef __m512i vec;

static inline __mmask16 vec_mask(int lanes) { return (__mmask16)((1u << lanes) - 1u); }
static inline vec vec_zero(void) { return _mm512_setzero_si512(); }
static inline vec vec_load(const vec_word *p) { return _mm512_loadu_si512(p); }
static inline vec vec_load_part(const vec_word *p, int lanes) {
    return _mm512_maskz_loadu_epi32(vec_mask(lanes), p);
}
static inline void vec_store_part(vec_word *p, vec v, int lanes) {
    _mm512_mask_storeu_epi32(p, vec_mask(lanes), v);
}
static inline vec vec_broadcast(const vec_word *p) { return _mm512_set1_epi32((int32_t)*p); }
static inline vec vec_fma(vec a, vec b, vec sum) {
    return _mm512_castps_si512(
        _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), _mm512_castsi512_ps(sum)));
}
static inline vec vec_dot(vec a, vec b, vec sum) { return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)); }
static inline vec vec_canonical(vec v) {
    const __m512 f = _mm512_castsi512_ps(v);
    const __mmask16 nan = _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q);
    return _mm512_mask_set1_epi32(v, nan, (int32_t)PTO_F32_NAN_BITS);
}

#elif defined(__AVX2__)

enum { VEC_LANES = 8, VEC_ROWS = 6, VEC_COLS = 2 };
typedef __m256i vec;

static inline __m256i vec_mask(int lanes) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline vec vec_zero(void) { return _mm256_setzero_si256(); }
static inline vec vec_load(const vec_word *p) { return _mm256_loadu_si256((const __m256i *)(const void *)p); }
static inline vec vec_load_part(const vec_word *p, int lanes) {
    return _mm256_maskload_epi32((const int *)(const void *)p, vec_mask(lanes));
}
static inline void vec_store_part(vec_word *p, vec v, int lanes) {
    _mm256_maskstore_epi32((int *)(void *)p, vec_mask(lanes), v);
}
static inline vec vec_broadcast(const vec_word *p) { return _mm256_set1_epi32((int32_t)*p); }
static inline vec vec_fma(vec a, vec b, vec sum) {
    return _mm256_castps_si256(
        _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(sum)));
}
static inline vec vec_dot(vec a, vec b, vec sum) { return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
static inline vec vec_canonical(vec v) {
    const __m256 f = _mm256_castsi256_ps(v), nan = _mm256_cmp_ps(f, f, _CMP_UNORD_Q);
    const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)PTO_F32_NAN_BITS));
    return _mm256_castps_si256(_mm256_blendv_ps(f, quiet, nan));
}

#else

enum { VEC_LANES = 4 };

#if defined(__ARM_NEON)

enum { VEC_ROWS = 8, VEC_COLS = 2 };
typedef uint32x4_t vec;

static inline vec vec_broadcast(const vec_word *p) { return vdupq_n_u32(*p); }
static inline vec vec_fma(vec a, vec b, vec sum) {
    return vreinterpretq_u32_f32(
        vfmaq_f32(vreinterpretq_f32_u32(sum), vreinterpretq_f32_u32(a), vreinterpretq_f32_u32(b)));
}
static inline vec vec_dot(vec a, vec b, vec sum) {
    const int16x8_t x = vreinterpretq_s16_u32(a), y = vreinterpretq_s16_u32(b);
    const int32x4_t low = vmull_s16(vget_low_s16(x), vget_low_s16(y)), high = vmull_high_s16(x, y);
    return vaddq_u32(sum, vreinterpretq_u32_s32(vpaddq_s32(low, high)));
}
static inline vec vec_canonical(vec v) {
    const float32x4_t f = vreinterpretq_f32_u32(v);
    return vbslq_u32(vceqq_f32(f, f), v, vdupq_n_u32(PTO_F32_NAN_BITS));
}

#else

enum { VEC_ROWS = 4, VEC_COLS = 2 };
typedef uint32_t vec __attribute__((vector_size(16)));
typedef float vec_floats __attribute__((vector_size(16)));

static inline vec vec_broadcast(const vec_word *p) { return (vec){*p, *p, *p, *p}; }

#ifdef __SSE2__
typedef int64_t vec_longs __attribute__((vector_size(16)));

/* x + y rounded to odd, as pto_f64_odd_sum. */
static inline __m128d vec_odd_sum(__m128d x, __m128d y) {
    const __m128d total = x + y, from_y = total - x, from_x = total - from_y, zero = {0, 0};
    const __m128d error = (x - from_x) + (y - from_y);
    const vec_longs bits = (vec_longs)total, one = {1, 1};
    const vec_longs above = (vec_longs)(error > zero);
    const vec_longs inexact = above | (vec_longs)(error < zero);      /* not for Inf and NaN */
    const vec_longs step = (above ^ (vec_longs)(total > zero)) | one; /* away from zero: 1, toward: -1 */
    const vec_longs even = (bits & one) - one;
    return (__m128d)(bits + (step & inexact & even));
}
/* The product is exact in double and the sum is rounded to odd there, so narrowing it rounds once: the bits
 * of fmaf from what every machine has, and faster than calling it. */
static inline vec vec_fma(vec a, vec b, vec sum) {
    const __m128 x = (__m128)a, y = (__m128)b, z = (__m128)sum;
    const __m128d low = vec_odd_sum(_mm_cvtps_pd(x) * _mm_cvtps_pd(y), _mm_cvtps_pd(z));
    const __m128d high = vec_odd_sum(_mm_cvtps_pd(_mm_movehl_ps(x, x)) * _mm_cvtps_pd(_mm_movehl_ps(y, y)),
                                     _mm_cvtps_pd(_mm_movehl_ps(z, z)));
    return (vec)_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}
static inline vec vec_dot(vec a, vec b, vec sum) { return sum + (vec)_mm_madd_epi16((__m128i)a, (__m128i)b); }
#else
static inline vec vec_fma(vec a, vec b, vec sum) {
    for (int i = 0; i < VEC_LANES; i++)
        sum[i] = pto_f32_bits(
            __builtin_fmaf(pto_f32_from_bits(a[i]), pto_f32_from_bits(b[i]), pto_f32_from_bits(sum[i])));
    return sum;
}
static inline vec vec_dot(vec a, vec b, vec sum) {
    for (int i = 0; i < VEC_LANES; i++) {
        const int32_t low = (int16_t)(a[i] & 0xFFFFu) * (int16_t)(b[i] & 0xFFFFu);
        const int32_t high = (int16_t)(a[i] >> 16) * (int16_t)(b[i] >> 16);
        sum[i] += (uint32_t)low + (uint32_t)high;
    }
    return sum;
}
#endif

static inline vec vec_canonical(vec v) {
    const vec_floats f = (vec_floats)v;
    const vec is_number = (vec)(f == f),
              quiet = {PTO_F32_NAN_BITS, PTO_F32_NAN_BITS, PTO_F32_NAN_BITS, PTO_F32_NAN_BITS};
    return (v & is_number) | (quiet & ~is_number);
}

#endif

static inline vec vec_zero(void) {
    static const vec_word zero = 0;
    return vec_broadcast(&zero);
}
static inline vec vec_load(const vec_word *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vec vec_load_part(const vec_word *p, int lanes) {
    vec v = vec_zero();
    memcpy(&v, p, (size_t)lanes * sizeof *p);
    return v;
}
static inline void vec_store_part(vec_word *p, vec v, int lanes) { memcpy(p, &v, (size_t)lanes * sizeof *p); }

#endif

/* Sixteen rows of `units` (a multiple of 4) words, `pitch` apart, become `units` rows of sixteen words,
 * `step` apart. */
static inline void vec_transpose16(vec_word *to, int64_t step, const vec_word *from, int64_t pitch,
                                   int units) {
#if defined(__AVX512BW__)
    for (int u = 0; u < units; u += 4) {
        __m512i v[4]; /* 128-bit lane L of v[j]: row 4L + j */
        for (int j = 0; j < 4; j++) {
            const vec_word *p = from + j * pitch + u;
            v[j] = _mm512_castsi128_si512(_mm_loadu_si128((const void *)p));
            v[j] = _mm512_inserti32x4(v[j], _mm_loadu_si128((const void *)(p + 4 * pitch)), 1);
            v[j] = _mm512_inserti32x4(v[j], _mm_loadu_si128((const void *)(p + 8 * pitch)), 2);
            v[j] = _mm512_inserti32x4(v[j], _mm_loadu_si128((const void *)(p + 12 * pitch)), 3);
        }
        const __m512i a = _mm512_unpacklo_epi32(v[0], v[1]), b = _mm512_unpackhi_epi32(v[0], v[1]);
        const __m512i c = _mm512_unpacklo_epi32(v[2], v[3]), d = _mm512_unpackhi_epi32(v[2], v[3]);
        _mm512_storeu_si512(to + (u + 0) * step, _mm512_unpacklo_epi64(a, c));
        _mm512_storeu_si512(to + (u + 1) * step, _mm512_unpackhi_epi64(a, c));
        _mm512_storeu_si512(to + (u + 2) * step, _mm512_unpacklo_epi64(b, d));
        _mm512_storeu_si512(to + (u + 3) * step, _mm512_unpackhi_epi64(b, d));
    }
#elif defined(__AVX2__)
    for (int half = 0; half < 16; half += 8)
        for (int u = 0; u < units; u += 4) {
            __m256i v[4]; /* 128-bit lane L of v[j]: row half + 4L + j */
            for (int j = 0; j < 4; j++) {
                const vec_word *p = from + (half + j) * pitch + u;
                v[j] = _mm256_castsi128_si256(_mm_loadu_si128((const void *)p));
                v[j] = _mm256_inserti128_si256(v[j], _mm_loadu_si128((const void *)(p + 4 * pitch)), 1);
            }
            const __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpackhi_epi32(v[0], v[1]);
            const __m256i c = _mm256_unpacklo_epi32(v[2], v[3]), d = _mm256_unpackhi_epi32(v[2], v[3]);
            vec_word *t = to + u * step + half;
            _mm256_storeu_si256((void *)(t + 0 * step), _mm256_unpacklo_epi64(a, c));
            _mm256_storeu_si256((void *)(t + 1 * step), _mm256_unpackhi_epi64(a, c));
            _mm256_storeu_si256((void *)(t + 2 * step), _mm256_unpacklo_epi64(b, d));
            _mm256_storeu_si256((void *)(t + 3 * step), _mm256_unpackhi_epi64(b, d));
        }
#else
    for (int u = 0; u < units; u++)
        for (int j = 0; j < 16; j++)
            to[u * step + j] = from[j * pitch + u];
#endif
}

#endif
