/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPANDEXPDIF, TCOLEXPANDEXPDIF (part 20, 4.1): the difference rounded to the element type, then its
 * exponential rounded once; TROWEXPANDSUB followed by TEXP gives the same bits. */
#include "kernel/expand.h"
#include "kernel/reduce.h"
#include "kernel/vec_math.h"

static inline float expdif_of_f32(float x, float y) { return pto_expf(x - y); }

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
#pragma omp simd
        for (int i = 0; i < count; i++)
            e[i] = pto_expf(e[i]);
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

EXPAND_MAP(expdif_f32, float, expdif_of_f32)

static const expand_op expdif_op = {
    {[PTO_F16] = EXPAND_LOOPS(expdif_f16), [PTO_F32] = EXPAND_LOOPS(expdif_f32)}};

EXPAND_KERNELS(expdif)
