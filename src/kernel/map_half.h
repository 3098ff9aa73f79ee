/* SPDX-License-Identifier: Apache-2.0 */
/* half and bf16 through float loops: chunks are widened (exact), computed by the float loop of the operation
 * and narrowed with one rounding. That equals rounding the exact result once for + - * / and square root
 * (part 10, 1.5). Where the processor converts halves itself, its instructions replace the plain loops; the
 * bits are the same because float loops give canonical NaNs only. */
#ifndef PTO_KERNEL_MAP_HALF_H
#define PTO_KERNEL_MAP_HALF_H

#include "kernel/map.h"

#if defined(__F16C__) && !defined(PTO_LEVEL_BASE)
#include <immintrin.h>
#endif

/* Elements of a chunk: a few buffers of floats that stay in the first cache. */
enum { PTO_HALF_CHUNK = 512 };

static inline void pto_widen_f16(float *out, const uint16_t *in, int64_t n) {
    int64_t i = 0;
#if defined(PTO_LEVEL_AVX512)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(out + i,
                         _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(in + i))));
#elif defined(PTO_LEVEL_AVX2)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
#else
#pragma omp simd
    for (int64_t k = 0; k < n; k++)
        out[k] = pto_f32_from_f16(in[k]);
    i = n;
#endif
    for (; i < n; i++)
        out[i] = pto_f32_from_f16(in[i]);
}

/* NaNs in `in` are canonical. */
static inline void pto_narrow_f16(uint16_t *out, const float *in, int64_t n) {
    int64_t i = 0;
#if defined(PTO_LEVEL_AVX512)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(out + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(PTO_LEVEL_AVX2)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#else
#pragma omp simd
    for (int64_t k = 0; k < n; k++)
        out[k] = pto_f16_from_f32(in[k]);
    i = n;
#endif
    for (; i < n; i++)
        out[i] = pto_f16_from_f32(in[i]);
}

static inline void pto_widen_bf16(float *out, const uint16_t *in, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        out[i] = pto_f32_from_bf16_raw(in[i]);
}

static inline void pto_narrow_bf16(uint16_t *out, const float *in, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        out[i] = pto_bf16_from_f32(in[i]);
}

typedef void (*pto_widen_fn)(float *out, const uint16_t *in, int64_t n);
typedef void (*pto_narrow_fn)(uint16_t *out, const float *in, int64_t n);

typedef enum pto_half_input { PTO_HALF_RUN, PTO_HALF_VALUE, PTO_HALF_NONE } pto_half_input;

/* Inlined into each loop with constant arguments. */
static inline __attribute__((always_inline)) void
pto_half_map(pto_widen_fn widen, pto_narrow_fn narrow, pto_map_loop loop, uint16_t *dst, const uint16_t *a,
             pto_half_input a_kind, const uint16_t *b, pto_half_input b_kind, int64_t n) {
    _Alignas(64) float x[PTO_HALF_CHUNK], y[PTO_HALF_CHUNK];
    x[0] = y[0] = 0.0f;
    if (a_kind == PTO_HALF_VALUE)
        widen(x, a, 1);
    if (b_kind == PTO_HALF_VALUE)
        widen(y, b, 1);
    float *result = a_kind == PTO_HALF_RUN ? x : y;
    for (int64_t done = 0; done < n; done += PTO_HALF_CHUNK) {
        const int64_t count = n - done < PTO_HALF_CHUNK ? n - done : PTO_HALF_CHUNK;
        if (a_kind == PTO_HALF_RUN)
            widen(x, a + done, count);
        if (b_kind == PTO_HALF_RUN)
            widen(y, b + done, count);
        loop(result, x, y, count, NULL);
        narrow(dst + done, result, count);
    }
}

#define PTO_HALF_LOOP(name, loop, a_kind, b_kind, format)                                                    \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        pto_half_map(pto_widen_##format, pto_narrow_##format, loop, dst, a, PTO_HALF_##a_kind, b,            \
                     PTO_HALF_##b_kind, n);                                                                  \
    }

/* f16 and bf16 loops beside the loops name_f32, name_f32_tt, ... */
#define PTO_HALF_UNARY(name)                                                                                 \
    PTO_HALF_LOOP(name##_f16, name##_f32, RUN, NONE, f16)                                                    \
    PTO_HALF_LOOP(name##_bf16, name##_f32, RUN, NONE, bf16)
#define PTO_HALF_TT(name)                                                                                    \
    PTO_HALF_LOOP(name##_f16_tt, name##_f32_tt, RUN, RUN, f16)                                               \
    PTO_HALF_LOOP(name##_bf16_tt, name##_f32_tt, RUN, RUN, bf16)
#define PTO_HALF_TS(name)                                                                                    \
    PTO_HALF_LOOP(name##_f16_ts, name##_f32_ts, RUN, VALUE, f16)                                             \
    PTO_HALF_LOOP(name##_bf16_ts, name##_f32_ts, RUN, VALUE, bf16)
#define PTO_HALF_ST(name)                                                                                    \
    PTO_HALF_LOOP(name##_f16_st, name##_f32_st, VALUE, RUN, f16)                                             \
    PTO_HALF_LOOP(name##_bf16_st, name##_f32_st, VALUE, RUN, bf16)

#endif
