/* SPDX-License-Identifier: Apache-2.0 */
/* What the reduction kernels share: float elements as float values, and rounding a sum to its element type
 * (part 20, 3.1). Everything is inline with constant arguments, so that a loop is compiled per format. */
#ifndef PTO_KERNEL_REDUCE_H
#define PTO_KERNEL_REDUCE_H

#include "kernel/kernel.h"
#include "number/half.h"

#include <stddef.h>
#include <string.h>

#if defined(PTO_LEVEL_AVX2) || defined(PTO_LEVEL_AVX512)
#include <immintrin.h>
#define PTO_REDUCE_F16C 1
#endif

#define PTO_INLINE static inline __attribute__((always_inline))

/* Element formats of float sums. */
typedef enum reduce_format { REDUCE_F32, REDUCE_F16, REDUCE_BF16 } reduce_format;

static inline reduce_format reduce_format_of(pto_dtype dtype) {
    return dtype == PTO_F16 ? REDUCE_F16 : dtype == PTO_BF16 ? REDUCE_BF16 : REDUCE_F32;
}

/* A float rounded to half and back, as pto_f16_from_f32 does. */
PTO_INLINE float reduce_round_f16(float x) {
    const uint32_t bits = pto_f32_bits(x), magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t normal = (magnitude + UINT32_C(0xFFF) + (magnitude >> 13 & 1u)) & UINT32_C(0xFFFFE000);
    /* the last place of 0.5 is that of the subnormals, 2^-24 */
    const uint32_t low = pto_f32_bits((pto_f32_from_bits(magnitude) + 0.5f) - 0.5f);
    uint32_t r = magnitude < UINT32_C(0x38800000) ? low : normal;
    r = magnitude >= UINT32_C(0x477FF000) ? UINT32_C(0x7F800000) : r;
    r = magnitude > UINT32_C(0x7F800000) ? PTO_F32_NAN_BITS : r;
    return pto_f32_from_bits(r | (bits & UINT32_C(0x80000000)));
}

/* Subnormals of the format to zero, sign kept. */
PTO_INLINE float reduce_flush(float x, reduce_format format) {
    const float smallest = format == REDUCE_F16 ? 0x1p-14f : 0x1p-126f;
    const uint32_t sign = pto_f32_bits(x) & UINT32_C(0x80000000);
    return __builtin_fabsf(x) < smallest ? pto_f32_from_bits(sign) : x;
}

/* One node of a sum "in T": rounded to the format, still a float. A NaN is made canonical at the end. */
PTO_INLINE float reduce_round(float x, reduce_format format, bool flush) {
    float r = x;
    if (format == REDUCE_F16)
        r = reduce_round_f16(x);
    else if (format == REDUCE_BF16)
        r = pto_f32_from_bf16_raw(pto_bf16_from_f32(x));
    return flush ? reduce_flush(r, format) : r;
}

typedef enum reduce_op { REDUCE_SUM, REDUCE_PRODUCT } reduce_op;

/* One node of a fold. */
PTO_INLINE float reduce_node(reduce_op op, float a, float b, reduce_format format, bool flush) {
    return reduce_round(op == REDUCE_SUM ? a + b : a * b, format, flush);
}

/* count elements of `format` as floats. */
PTO_INLINE void reduce_widen_as(float *out, const void *from, int64_t count, reduce_format format,
                                bool flush) {
    const float *f32 = from;
    const uint16_t *u16 = from;
    int64_t start = 0;
#ifdef PTO_REDUCE_F16C
    if (format == REDUCE_F16 && !flush) /* the conversion of the processor, exact as ours */
        for (; start + 8 <= count; start += 8)
            _mm256_storeu_ps(out + start, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(u16 + start))));
#endif
#pragma omp simd
    for (int64_t i = start; i < count; i++) {
        float x = format == REDUCE_F32   ? f32[i]
                  : format == REDUCE_F16 ? pto_f32_from_f16(u16[i])
                                         : pto_f32_from_bf16_raw(u16[i]);
        out[i] = flush ? reduce_flush(x, format) : x;
    }
}

static inline void reduce_widen(float *out, const void *from, int64_t count, reduce_format format,
                                bool flush) {
    if (flush) {
        if (format == REDUCE_F32)
            reduce_widen_as(out, from, count, REDUCE_F32, true);
        else if (format == REDUCE_F16)
            reduce_widen_as(out, from, count, REDUCE_F16, true);
        else
            reduce_widen_as(out, from, count, REDUCE_BF16, true);
    } else if (format == REDUCE_F32) {
        reduce_widen_as(out, from, count, REDUCE_F32, false);
    } else if (format == REDUCE_F16) {
        reduce_widen_as(out, from, count, REDUCE_F16, false);
    } else {
        reduce_widen_as(out, from, count, REDUCE_BF16, false);
    }
}

PTO_INLINE void reduce_narrow_as(void *out, int64_t step, const float *from, int64_t count,
                                 reduce_format format, bool flush) {
    float *f32 = out;
    uint16_t *u16 = out;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        const float x = flush ? reduce_round(from[i], format, true) : from[i]; /* flushed after rounding */
        if (format == REDUCE_F32)
            f32[i * step] = x != x ? pto_f32_from_bits(PTO_F32_NAN_BITS) : x;
        else
            u16[i * step] = format == REDUCE_F16 ? pto_f16_from_f32(x) : pto_bf16_from_f32(x);
    }
}

/* count values of `format` held as floats to elements `step` apart; a NaN becomes canonical. */
static inline void reduce_narrow(void *out, int64_t step, const float *from, int64_t count,
                                 reduce_format format, bool flush) {
    if (flush || step != 1)
        reduce_narrow_as(out, step, from, count, format, flush);
    else if (format == REDUCE_F32)
        reduce_narrow_as(out, 1, from, count, REDUCE_F32, false);
    else if (format == REDUCE_F16)
        reduce_narrow_as(out, 1, from, count, REDUCE_F16, false);
    else
        reduce_narrow_as(out, 1, from, count, REDUCE_BF16, false);
}

/* Elements between result i and result i + 1 of a row reduction: ND, or DN with one column. */
static inline int64_t reduce_row_step(const pto_tile *dst) {
    return dst->type.blayout == PTO_COL_MAJOR ? 1 : dst->type.cols;
}

/* The target whose order of floats applies; the order of cpu is the typed left fold (20, 3.1). */
static inline pto_target reduce_order(const pto_kernel_call *call) {
    return call->numeric->typed_fold ? PTO_TARGET_CPU : call->target;
}

static inline void *reduce_scratch(const pto_kernel_call *call, size_t bytes) {
    return call->host->scratch(call->host->user, bytes);
}

#endif
