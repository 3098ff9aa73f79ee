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
    PTO_EXACT_COPY, {[PTO_F16] = EXPAND_LOOPS(expdif_f16), [PTO_F32] = EXPAND_LOOPS(expdif_f32)}};

/* ---- the block form: every float type, and f32 from halves that are widened first (70, 9.4) ---- */

static void expdif_exactly(const pto_kernel_call *call, bool by_rows) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_map_input input[3] = {pto_map_tile(dst), pto_map_none(), pto_map_none()};
    pto_exact_expand(PTO_EXACT_SUB, dst, pto_call_tile(call, 1), pto_call_tile(call, 2), by_rows);
    pto_exact_map(PTO_EXACT_EXP, dst, input);
}

static void widen(float *to, const uint16_t *from, int64_t count, pto_dtype dtype) {
    reduce_widen_as(to, from, count, dtype == PTO_F16 ? REDUCE_F16 : REDUCE_BF16, false);
}

static pto_status expdif_widened(const pto_kernel_call *call, bool by_rows) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *full = pto_call_tile(call, 1), *vector = pto_call_tile(call, 2);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols, length = by_rows ? rows : cols;
    float *row = call->host->scratch(call->host->user, (size_t)(cols + length) * sizeof *row);
    if (!row)
        return PTO_ERR_NOMEM;
    float *v = row + cols;
    widen(v, vector->data, length, full->type.dtype);
    for (int64_t r = 0; r < rows; r++) {
        float *to = (float *)dst->data + r * dst->type.cols;
        widen(row, (const uint16_t *)full->data + r * full->type.cols, cols, full->type.dtype);
        (by_rows ? expdif_f32_ts : expdif_f32_tt)(to, row, by_rows ? v + r : v, cols, NULL);
    }
    return PTO_OK;
}

static pto_status expdif(const pto_kernel_call *call, bool by_rows) {
    if (pto_call_tile(call, 0)->type.dtype != pto_call_tile(call, 1)->type.dtype)
        return expdif_widened(call, by_rows);
    if (expand_is_exact(call, &expdif_op)) {
        expdif_exactly(call, by_rows);
        return PTO_OK;
    }
    return by_rows ? expand_rows(call, &expdif_op) : expand_columns(call, &expdif_op);
}

PTO_KERNEL(trowexpandexpdif) { return expdif(call, true); }
PTO_KERNEL(tcolexpandexpdif) { return expdif(call, false); }
