/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPANDEXPDIF, TCOLEXPANDEXPDIF (part 20, 4.1): the difference rounded to the element type, then its
 * exponential rounded once; TROWEXPANDSUB followed by TEXP gives the same bits. */
#include "kernel/expand.h"
#include "kernel/reduce.h"
#include "kernel/lanes_exp.h"

static void expdif_f32_tt(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    const float *x = a, *y = b;
    float *to = dst;
    PTO_EXP_RUN(to, n, pto_lanes_load(x + i) - pto_lanes_load(y + i), x[i] - y[i]);
}
static void expdif_f32_ts(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    const float *x = a, y = *(const float *)b;
    float *to = dst;
    PTO_EXP_RUN(to, n, pto_lanes_load(x + i) - pto_lanes_fill(y), x[i] - y);
}
static void expdif_f32_st(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    const float x = *(const float *)a, *y = b;
    float *to = dst;
    PTO_EXP_RUN(to, n, pto_lanes_fill(x) - pto_lanes_load(y + i), x - y[i]);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

/* x - y rounded to half */
static inline pto_lanes half_difference(pto_lanes x, pto_lanes y) {
#if defined(PTO_LEVEL_AVX512)
    return _mm512_cvtph_ps(_mm512_cvtps_ph(x - y, _MM_FROUND_TO_NEAREST_INT));
#else
    return _mm256_cvtph_ps(_mm256_cvtps_ph(x - y, _MM_FROUND_TO_NEAREST_INT));
#endif
}
#define EXPDIF_LANES(x, y) pto_exp_lanes(half_difference(x, y))
#define EXPDIF(x, y) pto_expf(reduce_round_f16((x) - (y)))
PTO_HALF_LOOP(expdif_f16_tt, f16, EXPDIF_LANES, EXPDIF, true, true)
PTO_HALF_LOOP(expdif_f16_ts, f16, EXPDIF_LANES, EXPDIF, true, false)
PTO_HALF_LOOP(expdif_f16_st, f16, EXPDIF_LANES, EXPDIF, false, true)

#else

/* Halves go through floats in pieces: loops that do one step each vectorise. A step of 0 is a single value.
 */
PTO_INLINE void expdif_halves(uint16_t *dst, const uint16_t *a, const uint16_t *b, int64_t n, int a_step,
                              int b_step) {
    enum { PIECE = 128 };
    float x[PIECE], y[PIECE];
    if (!a_step)
        for (int i = 0; i < PIECE; i++)
            x[i] = pto_f32_from_f16(*a);
    if (!b_step)
        for (int i = 0; i < PIECE; i++)
            y[i] = pto_f32_from_f16(*b);
    for (int64_t start = 0; start < n; start += PIECE) {
        const int count = (int)(n - start < PIECE ? n - start : PIECE);
        float e[PIECE];
        if (a_step)
            reduce_widen_as(x, a + start, count, REDUCE_F16, false);
        if (b_step)
            reduce_widen_as(y, b + start, count, REDUCE_F16, false);
#pragma omp simd
        for (int i = 0; i < count; i++)
            e[i] = reduce_round_f16(x[i] - y[i]);
        PTO_EXP_RUN(e, count, pto_lanes_load(e + i), e[i]);
#pragma omp simd
        for (int i = 0; i < count; i++)
            dst[start + i] = pto_f16_from_f32(e[i]);
    }
}

static void expdif_f16_tt(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    expdif_halves(dst, a, b, n, 1, 1);
}
static void expdif_f16_ts(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    expdif_halves(dst, a, b, n, 1, 0);
}
static void expdif_f16_st(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    expdif_halves(dst, a, b, n, 0, 1);
}

#endif

static const expand_op expdif_op = {
    {[PTO_F16] = EXPAND_LOOPS(expdif_f16), [PTO_F32] = EXPAND_LOOPS(expdif_f32)}};

EXPAND_KERNELS(expdif)
