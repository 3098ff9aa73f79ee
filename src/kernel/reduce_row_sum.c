/* SPDX-License-Identifier: Apache-2.0 */
/* TROWSUM. Integers wrap, so their order is free. Float sums have the order of the target (part 20, 3.1):
 * rows go through vector lanes, transposed four columns at a time, so that the order inside of a row stays.
 */
#include "kernel/reduce_lanes.h"

#include <string.h>

/* ---- HA: the addition inside one vector register ---- */

/* Adjacent pairs, an odd last value moves up unchanged, until one is left: the subtrees of 4, 8, 16 ...
 * columns that are complete lie on a stack, as the digits of a binary counter. */
PTO_INLINE lanes tree_lanes(const float *from, int64_t pitch, int count, reduce_format format, bool flush) {
    enum { DEPTH = 8 }; /* 128 columns are 32 leaves */
    lanes stack[DEPTH];
    int depth = 0;
    for (int leaf = 0; leaf * 4 < count; leaf++) {
        lanes column[4], sum;
        if (count - leaf * 4 >= 4) {
            load_columns(from + leaf * 4, pitch, column);
            const lanes left = round_lanes(column[0] + column[1], format, flush);
            sum = round_lanes(left + round_lanes(column[2] + column[3], format, flush), format, flush);
        } else { /* 1 to 3 columns */
            float value[LANES];
            for (int l = 0; l < LANES; l++) {
                const float *row = from + l * pitch + leaf * 4;
                value[l] = row[0];
                if (count - leaf * 4 > 1)
                    value[l] = reduce_round(row[0] + row[1], format, flush);
                if (count - leaf * 4 > 2)
                    value[l] = reduce_round(value[l] + row[2], format, flush);
            }
            memcpy(&sum, value, sizeof sum);
        }
        for (int n = leaf; n & 1; n >>= 1)
            sum = round_lanes(stack[--depth] + sum, format, flush);
        stack[depth++] = sum;
    }
    lanes sum = stack[--depth];
    while (depth)
        sum = round_lanes(stack[--depth] + sum, format, flush);
    return sum;
}

/* HA of `count` columns of one row, in place. */
PTO_INLINE float tree_row(float *x, int count, reduce_format format, bool flush) {
    for (int n = count; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i < n / 2; i++)
            x[i] = reduce_round(x[2 * i] + x[2 * i + 1], format, flush);
        if (n & 1)
            x[n / 2] = x[n - 1];
    }
    return x[0];
}

enum { MAX_VECTOR = 128 }; /* elements of a 256-byte register of halves */

/* out[r] (+)= HA of row r. */
PTO_INLINE void tree_block_as(const float *from, int64_t pitch, int count, int rows, bool add,
                              reduce_format format, bool flush, float *out) {
    int r = 0;
    for (; r + LANES <= rows; r += LANES) {
        lanes sum = tree_lanes(from + r * pitch, pitch, count, format, flush);
        if (add) {
            lanes old;
            memcpy(&old, out + r, sizeof old);
            sum = round_lanes(old + sum, format, flush);
        }
        memcpy(out + r, &sum, sizeof sum);
    }
    for (; r < rows; r++) {
        float copy[MAX_VECTOR];
        memcpy(copy, from + r * pitch, (size_t)count * sizeof *copy);
        const float sum = tree_row(copy, count, format, flush);
        out[r] = add ? reduce_round(out[r] + sum, format, flush) : sum;
    }
}

static void tree_block(const float *from, int64_t pitch, int count, int rows, bool add, reduce_format format,
                       bool flush, float *out) {
    if (format == REDUCE_F32 && !flush)
        tree_block_as(from, pitch, count, rows, add, REDUCE_F32, false, out);
    else if (format == REDUCE_F16 && !flush)
        tree_block_as(from, pitch, count, rows, add, REDUCE_F16, false, out);
    else
        tree_block_as(from, pitch, count, rows, add, format, flush, out);
}

/* ---- a2a3: the lane-wise part of the tree of 3.2 ---- */

/* x has more than `vector` columns; out gets `vector` lanes. slots: room for half of x. */
PTO_INLINE void lane_tree_as(const float *x, int64_t cols, int vector, reduce_format format, bool flush,
                             float *slots, float *out) {
    const int64_t repeats = cols / vector, tail = cols % vector;
    int64_t n = repeats / 2;
    float *t = n > 1 ? slots : out;
    if (n == 0)
        memcpy(t, x, (size_t)vector * sizeof *t);
    for (int64_t k = 0; k < n; k++) {
        const float *a = x + 2 * k * vector;
        float *to = t + k * vector;
        node_run(to, a, a + vector, vector, REDUCE_SUM, format, flush);
    }
    if (n > 0 && repeats & 1) {
        const float *last = x + (repeats - 1) * vector;
        node_run(t, t, last, vector, REDUCE_SUM, format, flush);
    }
    const float *rest = x + repeats * vector;
    node_run(t, t, rest, (int)tail, REDUCE_SUM, format, flush);
    if (n <= 1)
        return;
    for (; n > 1; n /= 2) {
        for (int64_t i = 0; i < n / 2; i++)
            node_run(t + i * vector, t + 2 * i * vector, t + (2 * i + 1) * vector, vector, REDUCE_SUM, format,
                     flush);
        if (n & 1)
            node_run(t + (n / 2 - 1) * vector, t + (n / 2 - 1) * vector, t + (n - 1) * vector, vector,
                     REDUCE_SUM, format, flush);
    }
    memcpy(out, t, (size_t)vector * sizeof *out);
}

static void lane_tree(const float *x, int64_t cols, int vector, reduce_format format, bool flush,
                      float *slots, float *out) {
    if (format == REDUCE_F32 && !flush)
        lane_tree_as(x, cols, 64, REDUCE_F32, false, slots, out);
    else if (format == REDUCE_F16 && !flush)
        lane_tree_as(x, cols, 128, REDUCE_F16, false, slots, out);
    else
        lane_tree_as(x, cols, vector, format, flush, slots, out);
}

/* ---- float rows ---- */

static void add_block(const pto_kernel_call *call, reduce_format format, reduce_format result, const float *x,
                      int64_t pitch, int64_t cols, int rows, float *stage, float *out) {
    const bool flush = call->numeric->flush_subnormals;
    const int vector = format == REDUCE_F32 ? 64 : 128;
    if (call->numeric->typed_fold) {
        fold_block(x, pitch, cols, rows, REDUCE_SUM, result, flush, out);
    } else if (call->target == PTO_TARGET_CPU) {
        fold_block(x, pitch, cols, rows, REDUCE_SUM, REDUCE_F32, flush, out);
    } else if (call->target == PTO_TARGET_A2A3) {
        if (cols > vector) {
            float *slots = stage + BLOCK_ROWS * vector;
            for (int r = 0; r < rows; r++)
                lane_tree(x + r * pitch, cols, vector, format, flush, slots, stage + r * vector);
            tree_block(stage, vector, vector, rows, false, format, flush, out);
        } else {
            tree_block(x, pitch, (int)cols, rows, false, format, flush, out);
        }
    } else {
        for (int r = 0; r < rows; r++)
            out[r] = 0.0f;
        for (int64_t j = 0; j < cols; j += vector)
            tree_block(x + j, pitch, (int)(cols - j < vector ? cols - j : vector), rows, true, format, flush,
                       out);
    }
}

/* The ascending sums of halves, in float. */
static void sum_halves(const uint16_t *x, int64_t pitch, int64_t cols, int rows, reduce_format format,
                       float *out) {
    if (format == REDUCE_F16)
        fold_halves_as(x, pitch, cols, rows, REDUCE_SUM, REDUCE_F16, REDUCE_F32, out);
    else
        fold_halves_as(x, pitch, cols, rows, REDUCE_SUM, REDUCE_BF16, REDUCE_F32, out);
}

static pto_status sum_float_rows(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const bool flush = call->numeric->flush_subnormals;
    const reduce_format format = reduce_format_of(src->type.dtype),
                        result = reduce_format_of(dst->type.dtype);
    const int64_t rows = src->valid_rows, cols = src->valid_cols, pitch = src->type.cols,
                  step = reduce_row_step(dst);
    const size_t bytes = pto_dtype_bits(src->type.dtype) / 8,
                 result_bytes = pto_dtype_bits(dst->type.dtype) / 8;
    const bool strips =
        format != REDUCE_F32 && !flush && !call->numeric->typed_fold && call->target == PTO_TARGET_CPU;
    const bool widens = !strips && (format != REDUCE_F32 || flush);
    const int64_t most = widens ? 2 * LANES : BLOCK_ROWS, /* what is staged stays in the first-level cache */
        block = rows < most ? rows : most, staged = (cols + 15) / 16 * 16;
    /* widened rows; then for a2a3 the lanes of a block and the slots of one row */
    const int64_t wide = widens ? block * staged : 0,
                  tree = BLOCK_ROWS * MAX_VECTOR + staged / 2 + MAX_VECTOR;
    float *stage = NULL;
    if (widens || call->target == PTO_TARGET_A2A3) {
        stage = reduce_scratch(call, (size_t)(wide + tree) * sizeof *stage);
        if (!stage)
            return PTO_ERR_NOMEM;
    }
    for (int64_t r = 0; r < rows; r += block) {
        const int count = (int)(rows - r < block ? rows - r : block);
        const char *from = (const char *)src->data + (size_t)(r * pitch) * bytes;
        const float *x = (const float *)(const void *)from;
        if (widens) {
            for (int i = 0; i < count; i++)
                reduce_widen(stage + i * staged, from + (size_t)(i * pitch) * bytes, cols, format, flush);
            x = stage;
        }
        float out[BLOCK_ROWS];
        if (strips)
            sum_halves((const uint16_t *)(const void *)from, pitch, cols, count, format, out);
        else
            add_block(call, format, result, x, widens ? staged : pitch, cols, count,
                      stage ? stage + wide : NULL, out);
        reduce_narrow((char *)dst->data + (size_t)(r * step) * result_bytes, step, out, count, result, flush);
    }
    return PTO_OK;
}

/* ---- integer rows: wrapping sums in the result type ---- */

/* No pragma: integer sums vectorise without. */
#define INTEGER_ROWS(NAME, FROM, TO)                                                                         \
    static void NAME(void *dst, int64_t step, const void *src, int64_t pitch, int64_t rows, int64_t cols) {  \
        TO *to = dst;                                                                                        \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const FROM *x = (const FROM *)src + r * pitch;                                                   \
            TO sum = 0;                                                                                      \
            for (int64_t j = 0; j < cols; j++)                                                               \
                sum = (TO)(sum + (TO)x[j]);                                                                  \
            to[r * step] = sum;                                                                              \
        }                                                                                                    \
    }
INTEGER_ROWS(sum_rows_8, uint8_t, uint8_t)
INTEGER_ROWS(sum_rows_16, uint16_t, uint16_t)
INTEGER_ROWS(sum_rows_32, uint32_t, uint32_t)
INTEGER_ROWS(sum_rows_64, uint64_t, uint64_t)

/* s16 to s32: biased values are summed modulo 2^32 and the bias is taken back. */
static void sum_rows_16_32(void *dst, int64_t step, const void *src, int64_t pitch, int64_t rows,
                           int64_t cols) {
    uint32_t *to = dst;
    for (int64_t r = 0; r < rows; r++) {
        const uint16_t *x = (const uint16_t *)src + r * pitch;
        uint32_t sum = 0;
        for (int64_t j = 0; j < cols; j++)
            sum += x[j] ^ 0x8000u;
        to[r * step] = sum - (uint32_t)cols * 0x8000u;
    }
}

PTO_KERNEL(trowsum) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype dtype = src->type.dtype;
    if (dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16)
        return sum_float_rows(call);
    if (pto_dtype_is_float(dtype)) { /* in the block form */
        const uint64_t zero = 0;
        pto_exact_fold(PTO_EXACT_ADD, dst, src, true, &zero);
        return PTO_OK;
    }
    const unsigned bits = pto_dtype_bits(src->type.dtype), result_bits = pto_dtype_bits(dst->type.dtype);
    void (*sum)(void *, int64_t, const void *, int64_t, int64_t, int64_t) = bits == 8    ? sum_rows_8
                                                                            : bits == 16 ? sum_rows_16
                                                                            : bits == 32 ? sum_rows_32
                                                                                         : sum_rows_64;
    if (bits == 16 && result_bits == 32)
        sum = sum_rows_16_32;
    sum(dst->data, reduce_row_step(dst), src->data, src->type.cols, src->valid_rows, src->valid_cols);
    return PTO_OK;
}
