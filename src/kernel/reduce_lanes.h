/* SPDX-License-Identifier: Apache-2.0 */
/* Row reductions with rows in vector lanes: rows are transposed four columns at a time, so that the order
 * inside of a row stays. */
#ifndef PTO_KERNEL_REDUCE_LANES_H
#define PTO_KERNEL_REDUCE_LANES_H

#include "kernel/map_half.h"
#include "kernel/reduce.h"

/* ---- LANES rows at once ---- */

#if defined(PTO_LEVEL_AVX512)
enum { LANES = 16 };
#elif defined(PTO_LEVEL_AVX2)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
#ifdef PTO_REDUCE_F16C
enum { CONVERTS_F16 = 1 }; /* faster than moving bits */
#else
enum { CONVERTS_F16 = 0 };
#endif
enum { QUADS = LANES / 4, GROUPS = 4, BLOCK_ROWS = LANES * GROUPS };

typedef float quad __attribute__((vector_size(16)));
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_words __attribute__((vector_size(4 * LANES)));

PTO_INLINE quad load_quad(const float *from) {
    quad q;
    memcpy(&q, from, sizeof q);
    return q;
}

/* Quad p of the result is 4 columns of row q + 4 p. */
PTO_INLINE lanes gather_rows(const float *from, int64_t pitch) {
#if defined(PTO_LEVEL_AVX512)
    /* masked broadcasts are loads, where insertions would go through the port of the shuffles */
    __m512 rows = _mm512_castps128_ps512(_mm_loadu_ps(from));
    rows = _mm512_mask_broadcast_f32x4(rows, 0x00F0, _mm_loadu_ps(from + 4 * pitch));
    rows = _mm512_mask_broadcast_f32x4(rows, 0x0F00, _mm_loadu_ps(from + 8 * pitch));
    return (lanes)_mm512_mask_broadcast_f32x4(rows, 0xF000, _mm_loadu_ps(from + 12 * pitch));
#elif defined(PTO_LEVEL_AVX2)
    return __builtin_shufflevector(load_quad(from), load_quad(from + 4 * pitch), 0, 1, 2, 3, 4, 5, 6, 7);
#else
    (void)pitch;
    return load_quad(from);
#endif
}

/* Interleaves the low or high halves of every quad; joins low or high pairs. */
#if defined(PTO_LEVEL_AVX512)
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_PAIR(a, b)                                                                                      \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif defined(PTO_LEVEL_AVX2)
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

/* column[k], lane 4 p + q = row q + 4 p, column k: a 4 x 4 transposition in every quad. Lane l is row l. */
PTO_INLINE void load_columns(const float *from, int64_t pitch, lanes column[4]) {
    const lanes r0 = gather_rows(from, pitch), r1 = gather_rows(from + pitch, pitch);
    const lanes r2 = gather_rows(from + 2 * pitch, pitch), r3 = gather_rows(from + 3 * pitch, pitch);
    const lanes low01 = LOW(r0, r1), high01 = HIGH(r0, r1), low23 = LOW(r2, r3), high23 = HIGH(r2, r3);
    column[0] = LOW_PAIR(low01, low23);
    column[1] = HIGH_PAIR(low01, low23);
    column[2] = LOW_PAIR(high01, high23);
    column[3] = HIGH_PAIR(high01, high23);
}

#if !defined(PTO_LEVEL_AVX512) && !defined(PTO_LEVEL_AVX2)
typedef uint16_t half_words __attribute__((vector_size(2 * LANES)));

/* yes where the mask is all ones, else no */
PTO_INLINE words choose(signed_words mask, words yes, words no) {
    return ((words)mask & yes) | (~(words)mask & no);
}

/* pto_f32_from_f16 and reduce_round_f16 in lanes */
PTO_INLINE lanes widen_f16(words half) {
    const words magnitude = half & 0x7FFFu, shifted = magnitude << 13;
    const words low = (words)((lanes)(shifted + 0x38800000u) - 0x1p-14f);
    words bits = choose(magnitude < 0x0400u, low, shifted + (112u << 23));
    bits = choose(magnitude >= 0x7C00u, shifted | 0x7F800000u, bits);
    return (lanes)(bits | (half & 0x8000u) << 16);
}
PTO_INLINE lanes round_f16(lanes x) {
    const words bits = (words)x, magnitude = bits & 0x7FFFFFFFu;
    const words normal = (magnitude + 0xFFFu + (magnitude >> 13 & 1u)) & 0xFFFFE000u;
    words r = choose(magnitude < 0x38800000u, (words)(((lanes)magnitude + 0.5f) - 0.5f), normal);
    r = choose(magnitude >= 0x477FF000u, (words){0} + 0x7F800000u, r);
    r = choose(magnitude > 0x7F800000u, (words){0} + PTO_F32_NAN_BITS, r);
    return (lanes)(r | (bits & 0x80000000u));
}
#endif

PTO_INLINE lanes round_lanes(lanes x, reduce_format format, bool flush) {
    if (format == REDUCE_F32 && !flush)
        return x;
#if defined(PTO_LEVEL_AVX512)
    if (format == REDUCE_F16 && !flush)
        return (lanes)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
#elif defined(PTO_LEVEL_AVX2)
    if (format == REDUCE_F16 && !flush)
        return (lanes)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
#else
    if (format == REDUCE_F16 && !flush)
        return round_f16(x);
#endif
    if (format == REDUCE_BF16 && !flush) {
        /* a NaN comes from elements or is the processor's: its low half is 0, and rounding leaves it alone */
        const words bits = (words)x;
        return (lanes)((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u);
    }
    float value[LANES];
    memcpy(value, &x, sizeof value);
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        value[l] = reduce_round(value[l], format, flush);
    memcpy(&x, value, sizeof value);
    return x;
}

/* LANES elements of `format` at `from`; flush as reduce_widen. */
PTO_INLINE lanes load_lanes(const void *from, reduce_format format, bool flush) {
    lanes x;
    if (format == REDUCE_F32 && !flush) {
        memcpy(&x, from, sizeof x);
        return x;
    }
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
    if (!flush)
        return (lanes)(format == REDUCE_F16 ? pto_lanes_load_f16(from) : pto_lanes_load_bf16(from));
#else
    if (!flush) {
        half_words h;
        memcpy(&h, from, sizeof h);
        const words wide = __builtin_convertvector(h, words);
        return format == REDUCE_F16 ? widen_f16(wide) : (lanes)(wide << 16);
    }
#endif
    float value[LANES];
    reduce_widen_as(value, from, LANES, format, flush);
    memcpy(&x, value, sizeof x);
    return x;
}

/* ---- ascending folds of many rows ---- */

PTO_INLINE lanes reduce_node_lanes(reduce_op op, lanes a, lanes b, reduce_format format, bool flush) {
    return round_lanes(op == REDUCE_SUM ? a + b : a * b, format, flush);
}
PTO_INLINE float reduce_identity(reduce_op op) { return op == REDUCE_SUM ? 0.0f : 1.0f; }

/* out[l] = x[l] op y[l], rounded; out may be x. */
PTO_INLINE void node_run(float *out, const float *x, const float *y, int n, reduce_op op,
                         reduce_format format, bool flush) {
    int l = 0;
    for (; l + LANES <= n; l += LANES) {
        lanes a, b;
        memcpy(&a, x + l, sizeof a);
        memcpy(&b, y + l, sizeof b);
        a = reduce_node_lanes(op, a, b, format, flush);
        memcpy(out + l, &a, sizeof a);
    }
    for (; l < n; l++)
        out[l] = reduce_node(op, x[l], y[l], format, flush);
}

/* GROUP * LANES rows more of out; independent groups hide the latency of the chain. */
PTO_INLINE void fold_rows(const float *from, int64_t pitch, int64_t cols, int groups, reduce_op op,
                          reduce_format format, bool flush, float *out) {
    lanes fold[GROUPS];
    memcpy(fold, out, (size_t)groups * sizeof fold[0]);
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4)
        for (int g = 0; g < groups; g++) {
            lanes column[4];
            load_columns(from + g * LANES * pitch + j, pitch, column);
            for (int k = 0; k < 4; k++)
                fold[g] = reduce_node_lanes(op, fold[g], column[k], format, flush);
        }
    memcpy(out, fold, (size_t)groups * sizeof fold[0]);
    for (; j < cols; j++)
        for (int r = 0; r < groups * LANES; r++)
            out[r] = reduce_node(op, out[r], from[r * pitch + j], format, flush);
}

PTO_INLINE void fold_row(const float *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                         reduce_format format, bool flush, float *out) {
    for (int64_t j = 0; j < cols; j++)
        for (int r = 0; r < rows; r++)
            out[r] = reduce_node(op, out[r], from[r * pitch + j], format, flush);
}

/* out[r] = the fold of row r from out[r] on, every node rounded to `format`. */
PTO_INLINE void fold_more(const float *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                          reduce_format format, bool flush, float *out) {
    int r = 0;
    for (; r + BLOCK_ROWS <= rows; r += BLOCK_ROWS)
        fold_rows(from + r * pitch, pitch, cols, GROUPS, op, format, flush, out + r);
    for (; r + 2 * LANES <= rows; r += 2 * LANES)
        fold_rows(from + r * pitch, pitch, cols, 2, op, format, flush, out + r);
    for (; r + LANES <= rows; r += LANES)
        fold_rows(from + r * pitch, pitch, cols, 1, op, format, flush, out + r);
    for (; r + 4 <= rows; r += 4)
        fold_row(from + r * pitch, pitch, cols, 4, op, format, flush, out + r);
    for (; r < rows; r++)
        fold_row(from + r * pitch, pitch, cols, 1, op, format, flush, out + r);
}

/* The fold of row r from the identity. */
PTO_INLINE void fold_block_as(const float *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                              reduce_format format, bool flush, float *out) {
    for (int r = 0; r < rows; r++)
        out[r] = reduce_identity(op);
    fold_more(from, pitch, cols, rows, op, format, flush, out);
}

/* Columns in pairs: rows of halves are transposed as 32-bit words, whose low half is the first column of a
 * pair. A bf16 half is the upper half of its float; an f16 half moved by 3 bits is its float times 2^-112, so
 * that the sum of these, too, is 2^-112 of the sum: exact in every step that is, for both have the same 24
 * bits. */
PTO_INLINE void fold_pairs(const uint16_t *from, int64_t pitch, int64_t cols, int groups, reduce_op op,
                           reduce_format halves, reduce_format format, words *largest, float *out) {
    lanes fold[GROUPS];
    memcpy(fold, out, (size_t)groups * sizeof fold[0]);
    for (int64_t j = 0; j + 8 <= cols; j += 8)
        for (int g = 0; g < groups; g++) {
            lanes column[4];
            load_columns((const float *)(const void *)(from + g * LANES * pitch + j), pitch / 2, column);
            for (int k = 0; k < 4; k++) {
                const words pair = (words)column[k];
                words low = pair << 16, high = pair & 0xFFFF0000u;
                if (halves == REDUCE_F16) {
                    low = (words)((signed_words)low >> 3) & 0x8FFFE000u;
                    high = (words)((signed_words)pair >> 3) & 0x8FFFE000u;
                    *largest |= (pair & 0x7C007C00u) + 0x04000400u; /* bit 15 and 31: no number */
                }
                fold[g] = reduce_node_lanes(op, fold[g], (lanes)low, format, false);
                fold[g] = reduce_node_lanes(op, fold[g], (lanes)high, format, false);
            }
        }
    memcpy(out, fold, (size_t)groups * sizeof fold[0]);
}

/* Whole groups of LANES rows with an even pitch and 8 columns or more; the rows done. */
PTO_INLINE int fold_paired_rows(const uint16_t *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                                reduce_format halves, reduce_format format, float *out) {
    int r = 0;
    for (int groups = GROUPS; groups && pitch % 2 == 0 && cols >= 8; groups /= 2)
        for (; r + groups * LANES <= rows; r += groups * LANES) {
            words largest = {0};
            const uint16_t *x = from + r * pitch;
            if (groups == GROUPS)
                fold_pairs(x, pitch, cols, GROUPS, op, halves, format, &largest, out + r);
            else if (groups == 2)
                fold_pairs(x, pitch, cols, 2, op, halves, format, &largest, out + r);
            else
                fold_pairs(x, pitch, cols, 1, op, halves, format, &largest, out + r);
            if (halves != REDUCE_F16)
                continue;
            uint32_t infinite = 0;
            for (int l = 0; l < LANES; l++)
                infinite |= largest[l] & 0x80008000u;
            if (infinite)
                return r;
            for (int l = 0; l < groups * LANES; l++)
                out[r + l] *= 0x1p112f;
        }
    return r;
}

/* The same of elements of 16 bits, widened a strip of columns at a time: rows and strip fit the first-level
 * cache. At most BLOCK_ROWS rows. */
PTO_INLINE void fold_halves_as(const uint16_t *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                               reduce_format halves, reduce_format format, float *out) {
    enum { STRIP = 2 * LANES };
    float strip[BLOCK_ROWS * STRIP];
    for (int r = 0; r < rows; r++)
        out[r] = reduce_identity(op);
    int64_t j = 0;
    if (halves == REDUCE_BF16 || (op == REDUCE_SUM && !CONVERTS_F16)) {
        const int paired = fold_paired_rows(from, pitch, cols, rows, op, halves, format, out);
        for (int r = 0; r < paired; r++)
            for (j = cols / 8 * 8; j < cols; j++) {
                float x;
                reduce_widen_as(&x, from + r * pitch + j, 1, halves, false);
                out[r] = reduce_node(op, out[r], x, format, false);
            }
        from += paired * pitch;
        out += paired;
        rows -= paired;
        for (int r = 0; r < rows; r++) /* of a group that was given up */
            out[r] = reduce_identity(op);
        j = 0;
    }
    for (; j + STRIP <= cols; j += STRIP) {
        for (int r = 0; r < rows; r++) {
            const lanes a = load_lanes(from + r * pitch + j, halves, false),
                        b = load_lanes(from + r * pitch + j + LANES, halves, false);
            memcpy(strip + r * STRIP, &a, sizeof a);
            memcpy(strip + r * STRIP + LANES, &b, sizeof b);
        }
        fold_more(strip, STRIP, STRIP, rows, op, format, false, out);
    }
    if (j == cols)
        return;
    for (int r = 0; r < rows; r++)
        reduce_widen_as(strip + r * STRIP, from + r * pitch + j, cols - j, halves, false);
    fold_more(strip, STRIP, cols - j, rows, op, format, false, out);
}

/* The loops are compiled for floats and halves; the others are slower. */
PTO_INLINE void fold_block(const float *from, int64_t pitch, int64_t cols, int rows, reduce_op op,
                           reduce_format format, bool flush, float *out) {
    if (format == REDUCE_F32 && !flush)
        fold_block_as(from, pitch, cols, rows, op, REDUCE_F32, false, out);
    else if (format == REDUCE_F16 && !flush)
        fold_block_as(from, pitch, cols, rows, op, REDUCE_F16, false, out);
    else
        fold_block_as(from, pitch, cols, rows, op, format, flush, out);
}

#endif
