/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLSUM, TCOLPROD (part 20, 3): rows are folded element by element, a block of columns at a time, in the
 * order of the target; columns are the vector lanes. */
#include "kernel/exact.h"
#include "kernel/reduce.h"

enum { COLUMNS = 256 }; /* of a block: its running values stay in the first-level cache */

/* ---- floats ---- */

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

/* Ascending from the first row, sums on cpu from +0; a5 combines the rows after the first in pairs. `to`
 * rounds every node. */
PTO_INLINE void fold_rows_as(const column_block *block, pto_target target, reduce_op op, reduce_format from,
                             reduce_format to, bool flush, float *sum) {
    const int n = block->count;
    int64_t i = target == PTO_TARGET_CPU && op == REDUCE_SUM ? 0 : 1;
#pragma omp simd
    for (int j = 0; j < n; j++)
        sum[j] = i ? load(block, 0, j, from, flush) : 0.0f;
    if (target == PTO_TARGET_A5) {
        for (; i + 2 <= block->rows; i += 2)
#pragma omp simd
            for (int j = 0; j < n; j++) {
                const float pair = reduce_node(op, load(block, i, j, from, flush),
                                               load(block, i + 1, j, from, flush), to, flush);
                sum[j] = reduce_node(op, sum[j], pair, to, flush);
            }
    } else {
        for (; i + 4 <= block->rows; i += 4)
#pragma omp simd
            for (int j = 0; j < n; j++) {
                float s = reduce_node(op, sum[j], load(block, i, j, from, flush), to, flush);
                s = reduce_node(op, s, load(block, i + 1, j, from, flush), to, flush);
                s = reduce_node(op, s, load(block, i + 2, j, from, flush), to, flush);
                sum[j] = reduce_node(op, s, load(block, i + 3, j, from, flush), to, flush);
            }
    }
    for (; i < block->rows; i++)
#pragma omp simd
        for (int j = 0; j < n; j++)
            sum[j] = reduce_node(op, sum[j], load(block, i, j, from, flush), to, flush);
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

PTO_INLINE void fold_block_as(const column_block *block, pto_target target, reduce_op op, reduce_format from,
                              reduce_format to, bool flush, float *tree, float *fold) {
    if (tree)
        sum_tree_as(block, target, from, to, flush, tree, fold);
    else if (op == REDUCE_SUM)
        fold_rows_as(block, target, REDUCE_SUM, from, to, flush, fold);
    else
        fold_rows_as(block, target, REDUCE_PRODUCT, from, to, flush, fold);
}

static void fold_block(const column_block *block, pto_target target, reduce_op op, reduce_format from,
                       reduce_format to, bool flush, float *tree, float *fold) {
    if (flush)
        fold_block_as(block, target, op, from, to, true, tree, fold);
    else if (from == REDUCE_F32)
        fold_block_as(block, target, op, REDUCE_F32, REDUCE_F32, false, tree, fold);
    else if (from == REDUCE_F16 && to == REDUCE_F16)
        fold_block_as(block, target, op, REDUCE_F16, REDUCE_F16, false, tree, fold);
    else if (from == REDUCE_F16)
        fold_block_as(block, target, op, REDUCE_F16, REDUCE_F32, false, tree, fold);
    else if (to == REDUCE_BF16)
        fold_block_as(block, target, op, REDUCE_BF16, REDUCE_BF16, false, tree, fold);
    else
        fold_block_as(block, target, op, REDUCE_BF16, REDUCE_F32, false, tree, fold);
}

static pto_status fold_float_columns(const pto_kernel_call *call, reduce_op op, bool binary) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const bool flush = call->numeric->flush_subnormals;
    const reduce_format from = reduce_format_of(src->type.dtype), to = reduce_format_of(dst->type.dtype);
    const size_t bytes = pto_dtype_bits(dst->type.dtype) / 8;
    const int64_t rows = src->valid_rows, cols = src->valid_cols;
    const bool adds_zero = op == REDUCE_SUM && call->target == (binary ? PTO_TARGET_A5 : PTO_TARGET_CPU);
    if (rows == 1 && !adds_zero && from == to && !flush) { /* the row itself, NaN payloads included */
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
        float fold[COLUMNS];
        const column_block block = {src, rows, first, (int)(cols - first < COLUMNS ? cols - first : COLUMNS)};
        fold_block(&block, call->target, op, from, to, flush, tree, fold);
        reduce_narrow((char *)dst->data + (size_t)first * bytes, 1, fold, block.count, to, flush);
    }
    return PTO_OK;
}

/* ---- integers wrap, any order ---- */

#define INTEGER_FOLD(NAME, U, WIDE, OP)                                                                      \
    static void NAME(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols) {                \
        U *fold = dst;                                                                                       \
        const U *x = src;                                                                                    \
        memcpy(fold, x, (size_t)cols * sizeof *fold);                                                        \
        for (int64_t i = 1; i < rows; i++) {                                                                 \
            const U *row = x + i * pitch;                                                                    \
            _Pragma("omp simd") for (int64_t j = 0; j < cols; j++) fold[j] = (U)((WIDE)fold[j] OP row[j]);   \
        }                                                                                                    \
    }
INTEGER_FOLD(sum_8, uint8_t, uint32_t, +)
INTEGER_FOLD(sum_16, uint16_t, uint32_t, +)
INTEGER_FOLD(sum_32, uint32_t, uint32_t, +)
INTEGER_FOLD(sum_64, uint64_t, uint64_t, +)
INTEGER_FOLD(product_8, uint8_t, uint32_t, *)
INTEGER_FOLD(product_16, uint16_t, uint32_t, *)
INTEGER_FOLD(product_32, uint32_t, uint32_t, *)
INTEGER_FOLD(product_64, uint64_t, uint64_t, *)

typedef void (*integer_fold)(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols);

static integer_fold integer_fold_of(reduce_op op, unsigned bits) {
    const bool sum = op == REDUCE_SUM;
    switch (bits) {
    case 8:
        return sum ? sum_8 : product_8;
    case 16:
        return sum ? sum_16 : product_16;
    case 32:
        return sum ? sum_32 : product_32;
    default:
        return sum ? sum_64 : product_64;
    }
}

/* Products of s4 and of the 8- and 4-bit floats. */
static void multiply_exact_columns(const pto_tile *src, pto_tile *dst) {
    const pto_dtype dtype = src->type.dtype;
    for (int64_t j = 0; j < src->valid_cols; j++) {
        uint64_t product = pto_exact_load(src->data, dtype, j);
        for (int64_t i = 1; i < src->valid_rows; i++)
            product = pto_exact_apply(PTO_EXACT_MUL, dtype, product,
                                      pto_exact_load(src->data, dtype, i * src->type.cols + j), 0);
        pto_exact_store(dst->data, dtype, j, product);
    }
}

static pto_status fold_columns(const pto_kernel_call *call, reduce_op op, bool binary) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype dtype = src->type.dtype;
    if (src->valid_rows == 0 || src->valid_cols == 0)
        return PTO_OK;
    if (dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16)
        return fold_float_columns(call, op, binary);
    if (pto_dtype_bits(dtype) == 4 || pto_dtype_is_float(dtype))
        multiply_exact_columns(src, dst);
    else
        integer_fold_of(op, pto_dtype_bits(dtype))(dst->data, src->data, src->type.cols, src->valid_rows,
                                                   src->valid_cols);
    return PTO_OK;
}

PTO_KERNEL(tcolsum) { return fold_columns(call, REDUCE_SUM, false); }
PTO_KERNEL(tcolsum_binary) { return fold_columns(call, REDUCE_SUM, pto_call_attr(call, 3) != 0); }
PTO_KERNEL(tcolprod) { return fold_columns(call, REDUCE_PRODUCT, false); }
