/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLSUM, TCOLMAX, TCOLMIN (part 20, 3): rows are folded element by element, a block of columns at a time,
 * in the order of the target; columns are the vector lanes. */
#include "kernel/reduce_extreme.h"

enum { COLUMNS = 256 }; /* of a block: its running values stay in the first-level cache */

/* ---- float sums ---- */

typedef struct column_block {
    const pto_tile *src;
    int64_t rows, first; /* valid rows; first column */
    int count;           /* columns */
} column_block;

PTO_INLINE float load(const column_block *block, int64_t row, int j, reduce_format from, bool flush) {
    const int64_t at = row * block->src->type.cols + block->first + j;
    if (from == REDUCE_F32) {
        const float x = ((const float *)block->src->data)[at];
        return flush ? reduce_flush(x, from) : x;
    }
    const uint16_t bits = ((const uint16_t *)block->src->data)[at];
    const float x = from == REDUCE_F16 ? pto_f32_from_f16(bits) : pto_f32_from_bf16_raw(bits);
    return flush ? reduce_flush(x, from) : x;
}

/* Ascending; a5 adds the rows after the first in pairs. `to` rounds every node. */
PTO_INLINE void sum_rows_as(const column_block *block, pto_target target, reduce_format from,
                            reduce_format to, bool flush, float *sum) {
    const int n = block->count;
    int64_t i = target == PTO_TARGET_CPU ? 0 : 1;
#pragma omp simd
    for (int j = 0; j < n; j++)
        sum[j] = i ? load(block, 0, j, from, flush) : 0.0f;
    if (target == PTO_TARGET_A5) {
        for (; i + 2 <= block->rows; i += 2)
#pragma omp simd
            for (int j = 0; j < n; j++) {
                const float pair = reduce_round(
                    load(block, i, j, from, flush) + load(block, i + 1, j, from, flush), to, flush);
                sum[j] = reduce_round(sum[j] + pair, to, flush);
            }
    } else {
        for (; i + 4 <= block->rows; i += 4)
#pragma omp simd
            for (int j = 0; j < n; j++) {
                float s = reduce_round(sum[j] + load(block, i, j, from, flush), to, flush);
                s = reduce_round(s + load(block, i + 1, j, from, flush), to, flush);
                s = reduce_round(s + load(block, i + 2, j, from, flush), to, flush);
                sum[j] = reduce_round(s + load(block, i + 3, j, from, flush), to, flush);
            }
    }
    for (; i < block->rows; i++)
#pragma omp simd
        for (int j = 0; j < n; j++)
            sum[j] = reduce_round(sum[j] + load(block, i, j, from, flush), to, flush);
}

/* t[to] = t[a] + t[b], rows of n values */
PTO_INLINE void add_slots(float *t, int n, int64_t to, int64_t a, int64_t b, reduce_format format,
                          bool flush) {
    float *out = t + to * n;
    const float *x = t + a * n, *y = t + b * n;
#pragma omp simd
    for (int j = 0; j < n; j++)
        out[j] = reduce_round(x[j] + y[j], format, flush);
}

/* The tree of isBinary; t has room for half of the rows. An odd row goes to slot 0, on a5 to the last one. */
PTO_INLINE void sum_tree_as(const column_block *block, pto_target target, reduce_format from,
                            reduce_format to, bool flush, float *t, float *sum) {
    const int n = block->count;
    const bool last = target == PTO_TARGET_A5;
    int64_t slots = block->rows / 2;
    if (slots == 0) { /* a5 adds the single row to +0 */
        for (int j = 0; j < n; j++)
            sum[j] = load(block, 0, j, from, flush) + (last ? 0.0f : -0.0f);
        return;
    }
    for (int64_t i = 0; i < slots; i++) {
        float *out = t + i * n;
#pragma omp simd
        for (int j = 0; j < n; j++)
            out[j] = reduce_round(load(block, 2 * i, j, from, flush) + load(block, 2 * i + 1, j, from, flush),
                                  to, flush);
    }
    if (block->rows & 1) {
        float *out = t + (last ? slots - 1 : 0) * n;
#pragma omp simd
        for (int j = 0; j < n; j++)
            out[j] = reduce_round(out[j] + load(block, block->rows - 1, j, from, flush), to, flush);
    }
    for (int64_t half; slots > 1; slots = half) {
        half = slots / 2;
        for (int64_t i = 0; i < half; i++)
            add_slots(t, n, i, 2 * i, 2 * i + 1, to, flush);
        if (slots & 1) {
            const int64_t slot = last ? half - 1 : 0;
            add_slots(t, n, slot, slot, slots - 1, to, flush);
        }
    }
    memcpy(sum, t, (size_t)n * sizeof *sum);
}

PTO_INLINE void sum_block_as(const column_block *block, pto_target target, reduce_format from,
                             reduce_format to, bool flush, float *tree, float *sum) {
    if (tree)
        sum_tree_as(block, target, from, to, flush, tree, sum);
    else
        sum_rows_as(block, target, from, to, flush, sum);
}

static void sum_block(const column_block *block, pto_target target, reduce_format from, reduce_format to,
                      bool flush, float *tree, float *sum) {
    if (flush)
        sum_block_as(block, target, from, to, true, tree, sum);
    else if (from == REDUCE_F32)
        sum_block_as(block, target, REDUCE_F32, REDUCE_F32, false, tree, sum);
    else if (from == REDUCE_F16 && to == REDUCE_F16)
        sum_block_as(block, target, REDUCE_F16, REDUCE_F16, false, tree, sum);
    else if (from == REDUCE_F16)
        sum_block_as(block, target, REDUCE_F16, REDUCE_F32, false, tree, sum);
    else if (to == REDUCE_BF16)
        sum_block_as(block, target, REDUCE_BF16, REDUCE_BF16, false, tree, sum);
    else
        sum_block_as(block, target, REDUCE_BF16, REDUCE_F32, false, tree, sum);
}

static pto_status sum_float_columns(const pto_kernel_call *call, bool binary) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const bool flush = call->numeric->flush_subnormals;
    const reduce_format from = reduce_format_of(src->type.dtype), to = reduce_format_of(dst->type.dtype);
    const size_t bytes = pto_dtype_bits(dst->type.dtype) / 8;
    const int64_t rows = src->valid_rows, cols = src->valid_cols;
    const bool copies =
        rows == 1 && (binary ? call->target != PTO_TARGET_A5 : call->target != PTO_TARGET_CPU);
    if (copies && from == to && !flush) { /* the row itself, NaN payloads included */
        memcpy(dst->data, src->data, (size_t)cols * bytes);
        return PTO_OK;
    }
    float *tree = NULL;
    if (binary) {
        const int64_t width = cols < COLUMNS ? cols : COLUMNS;
        tree = reduce_scratch(call, (size_t)((rows / 2 + 1) * width) * sizeof *tree);
        if (!tree)
            return PTO_ERR_NOMEM;
    }
    for (int64_t first = 0; first < cols; first += COLUMNS) {
        float sum[COLUMNS];
        const column_block block = {src, rows, first, (int)(cols - first < COLUMNS ? cols - first : COLUMNS)};
        sum_block(&block, call->target, from, to, flush, tree, sum);
        reduce_narrow((char *)dst->data + (size_t)first * bytes, 1, sum, block.count, to, flush);
    }
    return PTO_OK;
}

/* ---- integer sums: wrap, any order ---- */

#define INTEGER_SUM(NAME, U)                                                                                 \
    static void NAME(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols) {                \
        U *sum = dst;                                                                                        \
        const U *x = src;                                                                                    \
        memcpy(sum, x, (size_t)cols * sizeof *sum);                                                          \
        for (int64_t i = 1; i < rows; i++) {                                                                 \
            const U *row = x + i * pitch;                                                                    \
            _Pragma("omp simd") for (int64_t j = 0; j < cols; j++) sum[j] = (U)(sum[j] + row[j]);            \
        }                                                                                                    \
    }
INTEGER_SUM(integer_sum_8, uint8_t)
INTEGER_SUM(integer_sum_16, uint16_t)
INTEGER_SUM(integer_sum_32, uint32_t)
INTEGER_SUM(integer_sum_64, uint64_t)

static pto_status sum_columns(const pto_kernel_call *call, bool binary) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    if (src->valid_rows == 0 || src->valid_cols == 0)
        return PTO_OK;
    if (pto_dtype_is_float(src->type.dtype))
        return sum_float_columns(call, binary);
    const unsigned bits = pto_dtype_bits(src->type.dtype);
    void (*sum)(void *, const void *, int64_t, int64_t, int64_t) = bits == 8    ? integer_sum_8
                                                                   : bits == 16 ? integer_sum_16
                                                                   : bits == 32 ? integer_sum_32
                                                                                : integer_sum_64;
    sum(dst->data, src->data, src->type.cols, src->valid_rows, src->valid_cols);
    return PTO_OK;
}

PTO_KERNEL(tcolsum) { return sum_columns(call, false); }
PTO_KERNEL(tcolsum_binary) { return sum_columns(call, pto_call_attr(call, 3) != 0); }

/* ---- maximum, minimum ---- */

#define INTEGER_COLUMNS(NAME, U, S)                                                                          \
    static void NAME(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols, uint64_t bias,   \
                     bool minimum) {                                                                         \
        const U flip = (U)(bias ^ (minimum ? UINT64_MAX : 0));                                               \
        U *best = dst;                                                                                       \
        const U *x = src;                                                                                    \
        memcpy(best, x, (size_t)cols * sizeof *best);                                                        \
        for (int64_t i = 1; i < rows; i++) {                                                                 \
            const U *row = x + i * pitch;                                                                    \
            _Pragma("omp simd") for (int64_t j = 0; j < cols; j++) {                                         \
                const S a = (S)(best[j] ^ flip), b = (S)(row[j] ^ flip);                                     \
                best[j] = (U)((U)(b > a ? b : a) ^ flip);                                                    \
            }                                                                                                \
        }                                                                                                    \
    }
INTEGER_COLUMNS(integer_columns_8, uint8_t, int8_t)
INTEGER_COLUMNS(integer_columns_16, uint16_t, int16_t)
INTEGER_COLUMNS(integer_columns_32, uint32_t, int32_t)
INTEGER_COLUMNS(integer_columns_64, uint64_t, int64_t)

#define FLOAT_COLUMNS(NAME, U, S, FINISH)                                                                    \
    static void NAME(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols, bool minimum,    \
                     bool flush, U infinity) {                                                               \
        for (int64_t first = 0; first < cols; first += COLUMNS) {                                            \
            const int n = (int)(cols - first < COLUMNS ? cols - first : COLUMNS);                            \
            const U *x = (const U *)src + first;                                                             \
            S most[COLUMNS], least[COLUMNS];                                                                 \
            U most_bits[COLUMNS];                                                                            \
            for (int j = 0; j < n; j++) {                                                                    \
                most[j] = least[j] = (S)x[j];                                                                \
                most_bits[j] = x[j];                                                                         \
            }                                                                                                \
            for (int64_t i = 1; i < rows; i++) {                                                             \
                const U *row = x + i * pitch;                                                                \
                _Pragma("omp simd") for (int j = 0; j < n; j++) {                                            \
                    const U u = row[j];                                                                      \
                    const S s = (S)u;                                                                        \
                    most[j] = s > most[j] ? s : most[j];                                                     \
                    least[j] = s < least[j] ? s : least[j];                                                  \
                    most_bits[j] = u > most_bits[j] ? u : most_bits[j];                                      \
                }                                                                                            \
            }                                                                                                \
            for (int j = 0; j < n; j++)                                                                      \
                ((U *)dst)[first + j] = FINISH(most[j], least[j], most_bits[j], minimum, flush, infinity);   \
        }                                                                                                    \
    }
FLOAT_COLUMNS(float_columns_16, uint16_t, int16_t, extreme_finish_16)
FLOAT_COLUMNS(float_columns_32, uint32_t, int32_t, extreme_finish_32)

static pto_status extreme_columns(const pto_kernel_call *call, bool minimum) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t rows = src->valid_rows, cols = src->valid_cols, pitch = src->type.cols;
    const bool flush = call->numeric->flush_subnormals;
    const pto_dtype dtype = src->type.dtype;
    if (rows == 0 || cols == 0)
        return PTO_OK;
    if (dtype == PTO_F32) {
        float_columns_32(dst->data, src->data, pitch, rows, cols, minimum, flush, UINT32_C(0x7F800000));
    } else if (dtype == PTO_F16 || dtype == PTO_BF16) {
        float_columns_16(dst->data, src->data, pitch, rows, cols, minimum, flush,
                         dtype == PTO_F16 ? 0x7C00u : 0x7F80u);
    } else if (extreme_is_small(dtype)) {
        for (int64_t j = 0; j < cols; j++) {
            extreme_value best = extreme_load(src->data, dtype, j);
            for (int64_t i = 1; i < rows; i++)
                best = extreme_better(best, extreme_load(src->data, dtype, i * pitch + j), minimum);
            extreme_store(dst->data, dtype, j, best);
        }
    } else {
        const unsigned bits = pto_dtype_bits(dtype);
        const uint64_t bias = pto_dtype_is_signed(dtype) ? 0 : UINT64_C(1) << (bits - 1);
        void (*fold)(void *, const void *, int64_t, int64_t, int64_t, uint64_t, bool) =
            bits == 8    ? integer_columns_8
            : bits == 16 ? integer_columns_16
            : bits == 32 ? integer_columns_32
                         : integer_columns_64;
        fold(dst->data, src->data, pitch, rows, cols, bias, minimum);
    }
    return PTO_OK;
}

PTO_KERNEL(tcolmax) { return extreme_columns(call, false); }
PTO_KERNEL(tcolmin) { return extreme_columns(call, true); }
