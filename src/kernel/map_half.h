/* SPDX-License-Identifier: Apache-2.0 */
/* half and bf16 loops: operands are widened to float (exact), computed there and narrowed with one rounding.
 * That equals rounding the exact result once for + - * / and square root (part 10, 1.5).
 *
 * A formula is given twice: on floats for the plain loop, which the base level uses, and on lanes, the float
 * vectors of the AVX levels, whose instructions convert halves. Both give the same bits: narrowing makes
 * every NaN canonical. */
#ifndef PTO_KERNEL_MAP_HALF_H
#define PTO_KERNEL_MAP_HALF_H

#include "kernel/map.h"

#if defined(PTO_LEVEL_AVX512)
#include <immintrin.h>

enum { PTO_LANES = 16 };
typedef __m512 pto_lanes; /* + - * / and comparisons work on it */

static inline pto_lanes pto_lanes_fill(float value) { return _mm512_set1_ps(value); }
static inline pto_lanes pto_lanes_sqrt(pto_lanes value) { return _mm512_sqrt_ps(value); }
static inline pto_lanes pto_lanes_load_f16(const uint16_t *from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)from));
}
static inline pto_lanes pto_lanes_load_bf16(const uint16_t *from) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
static inline pto_lanes pto_lanes_canonical(pto_lanes value) {
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    return _mm512_mask_mov_ps(value, nan, _mm512_castsi512_ps(_mm512_set1_epi32((int)PTO_F32_NAN_BITS)));
}
/* Where a > 0, b; elsewhere, and where a is NaN, c. */
static inline pto_lanes pto_lanes_positive(pto_lanes a, pto_lanes b, pto_lanes c) {
    return _mm512_mask_mov_ps(c, _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ), b);
}
static inline pto_lanes pto_lanes_round_f16(pto_lanes value) {
    return _mm512_cvtph_ps(_mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}
static inline pto_lanes pto_lanes_round_bf16(pto_lanes value) {
    const __m512i bits = _mm512_castps_si512(pto_lanes_canonical(value));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
    return _mm512_castsi512_ps(_mm512_and_si512(rounded, _mm512_set1_epi32(-65536)));
}
static inline void pto_lanes_store_f16(uint16_t *to, pto_lanes value) {
    _mm256_storeu_si256((void *)to, _mm512_cvtps_ph(pto_lanes_canonical(value), _MM_FROUND_TO_NEAREST_INT));
}
static inline void pto_lanes_store_bf16(uint16_t *to, pto_lanes value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
    rounded = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q),
                                    _mm512_set1_epi32((int)PTO_F32_NAN_BITS));
    _mm256_storeu_si256((void *)to, _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
}

#elif defined(PTO_LEVEL_AVX2)
#include <immintrin.h>

enum { PTO_LANES = 8 };
typedef __m256 pto_lanes;

static inline pto_lanes pto_lanes_fill(float value) { return _mm256_set1_ps(value); }
static inline pto_lanes pto_lanes_sqrt(pto_lanes value) { return _mm256_sqrt_ps(value); }
static inline pto_lanes pto_lanes_load_f16(const uint16_t *from) {
    return _mm256_cvtph_ps(_mm_loadu_si128((const void *)from));
}
static inline pto_lanes pto_lanes_load_bf16(const uint16_t *from) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
static inline pto_lanes pto_lanes_canonical(pto_lanes value) {
    const __m256 nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
    return _mm256_blendv_ps(value, _mm256_castsi256_ps(_mm256_set1_epi32((int)PTO_F32_NAN_BITS)), nan);
}
static inline pto_lanes pto_lanes_positive(pto_lanes a, pto_lanes b, pto_lanes c) {
    return _mm256_blendv_ps(c, b, _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static inline pto_lanes pto_lanes_round_f16(pto_lanes value) {
    return _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}
static inline pto_lanes pto_lanes_round_bf16(pto_lanes value) {
    const __m256i bits = _mm256_castps_si256(pto_lanes_canonical(value));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    return _mm256_castsi256_ps(_mm256_and_si256(rounded, _mm256_set1_epi32(-65536)));
}
static inline void pto_lanes_store_f16(uint16_t *to, pto_lanes value) {
    _mm_storeu_si128((void *)to, _mm256_cvtps_ph(pto_lanes_canonical(value), _MM_FROUND_TO_NEAREST_INT));
}
static inline void pto_lanes_store_bf16(uint16_t *to, pto_lanes value) {
    const __m256i bits = _mm256_castps_si256(pto_lanes_canonical(value));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    const __m256i high = _mm256_srli_epi32(rounded, 16); /* the canonical NaN stays what it is */
    _mm_storeu_si128((void *)to,
                     _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
}
#endif

#define PTO_HALF_WIDEN_f16 pto_f32_from_f16
#define PTO_HALF_WIDEN_bf16 pto_f32_from_bf16_raw
#define PTO_HALF_NARROW_f16 pto_f16_from_f32
#define PTO_HALF_NARROW_bf16 pto_bf16_from_f32

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

/* A run by whole vectors, its end through a buffer of one vector. a and b are runs or single values. */
#define PTO_HALF_LOOP(name, format, LANES, ONE, a_is_run, b_is_run)                                          \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const uint16_t *p = a, *q = b;                                                                       \
        pto_lanes x = pto_lanes_fill((a_is_run) ? 0.0f : PTO_HALF_WIDEN_##format(*p));                       \
        pto_lanes y = pto_lanes_fill((b_is_run) ? 0.0f : PTO_HALF_WIDEN_##format(*q));                       \
        int64_t i = 0;                                                                                       \
        for (; i + PTO_LANES <= n; i += PTO_LANES) {                                                         \
            if (a_is_run)                                                                                    \
                x = pto_lanes_load_##format(p + i);                                                          \
            if (b_is_run)                                                                                    \
                y = pto_lanes_load_##format(q + i);                                                          \
            pto_lanes_store_##format(d + i, LANES(x, y));                                                    \
        }                                                                                                    \
        if (i == n)                                                                                          \
            return;                                                                                          \
        const size_t rest = (size_t)(n - i) * sizeof *d;                                                     \
        uint16_t in[PTO_LANES] = {0}, in2[PTO_LANES] = {0}, out[PTO_LANES];                                  \
        if (a_is_run)                                                                                        \
            x = pto_lanes_load_##format(memcpy(in, p + i, rest));                                            \
        if (b_is_run)                                                                                        \
            y = pto_lanes_load_##format(memcpy(in2, q + i, rest));                                           \
        pto_lanes_store_##format(out, LANES(x, y));                                                          \
        memcpy(d + i, out, rest);                                                                            \
    }

#else

#define PTO_HALF_LOOP(name, format, LANES, ONE, a_is_run, b_is_run)                                          \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const uint16_t *p = a, *q = b;                                                                       \
        const float fixed_x = (a_is_run) ? 0.0f : PTO_HALF_WIDEN_##format(*p);                               \
        const float fixed_y = (b_is_run) ? 0.0f : PTO_HALF_WIDEN_##format(*q);                               \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) {                                                \
            const float x = (a_is_run) ? PTO_HALF_WIDEN_##format(p[i]) : fixed_x;                            \
            const float y = (b_is_run) ? PTO_HALF_WIDEN_##format(q[i]) : fixed_y;                            \
            d[i] = PTO_HALF_NARROW_##format(ONE(x, y));                                                      \
        }                                                                                                    \
    }

#endif

/* f16 and bf16 loops of one formula F(x, y) for tiles and values; of F(x, unused) for one tile. */
#define PTO_HALF_UNARY(name, LANES, ONE)                                                                     \
    PTO_HALF_UNARY_LOOP(name##_f16, f16, LANES, ONE)                                                         \
    PTO_HALF_UNARY_LOOP(name##_bf16, bf16, LANES, ONE)
#define PTO_HALF_UNARY_LOOP(name, format, LANES, ONE)                                                        \
    PTO_HALF_LOOP(name##_of_two, format, LANES, ONE, true, false)                                            \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)b;                                                                                             \
        const uint16_t unused = 0;                                                                           \
        name##_of_two(dst, a, &unused, n, extra);                                                            \
    }
#define PTO_HALF_TT(name, LANES, ONE)                                                                        \
    PTO_HALF_LOOP(name##_f16_tt, f16, LANES, ONE, true, true)                                                \
    PTO_HALF_LOOP(name##_bf16_tt, bf16, LANES, ONE, true, true)
#define PTO_HALF_TS(name, LANES, ONE)                                                                        \
    PTO_HALF_LOOP(name##_f16_ts, f16, LANES, ONE, true, false)                                               \
    PTO_HALF_LOOP(name##_bf16_ts, bf16, LANES, ONE, true, false)
#define PTO_HALF_ST(name, LANES, ONE)                                                                        \
    PTO_HALF_LOOP(name##_f16_st, f16, LANES, ONE, false, true)                                               \
    PTO_HALF_LOOP(name##_bf16_st, bf16, LANES, ONE, false, true)

#endif
