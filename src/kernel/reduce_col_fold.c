/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLSUM, TCOLPROD (part 20, 3): rows are folded element by element, a block of columns at a time, in the
 * order of the target; columns are the vector lanes. */
#include "kernel/exact.h"
#include "kernel/reduce_lanes.h"

enum { COLUMNS = 256 }; /* of a block: its running values stay in the first-level cache */

/* ---- floats ---- */

typedef struct column_block {
    const pto_tile *src;
    int64_t rows, first; /* valid rows; first column */
    int count;           /* columns */
} column_block;

PTO_INLINE const void *address(const column_block *block, int64_t row, int j, reduce_format from) {
    const int64_t at = row * block->src->type.cols + block->first + j;
    return (const char *)block->src->data + at * (from == REDUCE_F32 ? 4 : 2);
}

PTO_INLINE float load(const column_block *block, int64_t row, int j, reduce_format from, bool flush) {
    float x;
    reduce_widen_as(&x, address(block, row, j, from), 1, from, flush);
    return x;
}

/* Ascending from the first row, sums on cpu from +0; a5 combines the rows after the first in pairs. `to`
 * rounds every node. `groups` vectors of columns from j on stay in registers; their chains overlap. */
PTO_INLINE void fold_lanes(const column_block *block, int j, int groups, pto_target target, reduce_op op,
                           reduce_format from, reduce_format to, bool flush, float *fold) {
    enum { MOST = 8 };
    lanes value[MOST];
    const int64_t rows = block->rows, size = from == REDUCE_F32 ? 4 : 2, vector = LANES * size,
                  pitch = block->src->type.cols * size;
    const char *at = address(block, 0, j, from);
    int64_t i = target == PTO_TARGET_CPU && op == REDUCE_SUM ? 0 : 1;
    for (int g = 0; g < groups; g++)
        value[g] = i ? load_lanes(at + g * vector, from, flush) : (lanes){0};
    at += i * pitch;
    if (target == PTO_TARGET_A5)
        for (; i + 2 <= rows; i += 2, at += 2 * pitch)
            for (int g = 0; g < groups; g++) {
                const lanes a = load_lanes(at + g * vector, from, flush),
                            b = load_lanes(at + pitch + g * vector, from, flush);
                value[g] = reduce_node_lanes(op, value[g], reduce_node_lanes(op, a, b, to, flush), to, flush);
            }
    for (; i < rows; i++, at += pitch)
        for (int g = 0; g < groups; g++)
            value[g] = reduce_node_lanes(op, value[g], load_lanes(at + g * vector, from, flush), to, flush);
    memcpy(fold + j, value, (size_t)groups * sizeof value[0]);
}

PTO_INLINE float fold_one(const column_block *block, int j, pto_target target, reduce_op op,
                          reduce_format from, reduce_format to, bool flush) {
    int64_t i = target == PTO_TARGET_CPU && op == REDUCE_SUM ? 0 : 1;
    float value = i ? load(block, 0, j, from, flush) : 0.0f;
    if (target == PTO_TARGET_A5)
        for (; i + 2 <= block->rows; i += 2)
            value = reduce_node(op, value,
                                reduce_node(op, load(block, i, j, from, flush),
                                            load(block, i + 1, j, from, flush), to, flush),
                                to, flush);
    for (; i < block->rows; i++)
        value = reduce_node(op, value, load(block, i, j, from, flush), to, flush);
    return value;
}

PTO_INLINE void fold_rows_as(const column_block *block, pto_target target, reduce_op op, reduce_format from,
                             reduce_format to, bool flush, float *fold) {
    int j = 0;
    for (; to != REDUCE_F32 && j + 8 * LANES <= block->count; j += 8 * LANES) /* rounding makes long chains */
        fold_lanes(block, j, 8, target, op, from, to, flush, fold);
    for (; j + 4 * LANES <= block->count; j += 4 * LANES)
        fold_lanes(block, j, 4, target, op, from, to, flush, fold);
    for (; j + LANES <= block->count; j += LANES)
        fold_lanes(block, j, 1, target, op, from, to, flush, fold);
    for (; j < block->count; j++)
        fold[j] = fold_one(block, j, target, op, from, to, flush);
}

/* t[to] = t[a] + t[b], rows of n values */
PTO_INLINE void add_slots(float *t, int n, int64_t to, int64_t a, int64_t b, reduce_format format,
                          bool flush) {
    node_run(t + to * n, t + a * n, t + b * n, n, REDUCE_SUM, format, flush);
}

/* out[j] = x[j] + row[j], or the sum of two rows without x */
PTO_INLINE void add_row(const column_block *block, const float *x, int64_t first, int64_t second,
                        reduce_format from, reduce_format to, bool flush, float *out) {
    const int count = block->count, size = from == REDUCE_F32 ? 4 : 2;
    const char *one = address(block, first, 0, from), *two = address(block, second, 0, from);
    int j = 0;
    for (; j + LANES <= count; j += LANES) {
        lanes a;
        if (x)
            memcpy(&a, x + j, sizeof a);
        else
            a = load_lanes(one + j * size, from, flush);
        a = reduce_node_lanes(REDUCE_SUM, a, load_lanes(two + j * size, from, flush), to, flush);
        memcpy(out + j, &a, sizeof a);
    }
    for (; j < count; j++)
        out[j] = reduce_node(REDUCE_SUM, x ? x[j] : load(block, first, j, from, flush),
                             load(block, second, j, from, flush), to, flush);
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
    for (int64_t i = 0; i < slots; i++)
        add_row(block, NULL, 2 * i, 2 * i + 1, from, to, flush, t + i * n);
    if (block->rows & 1) {
        float *out = t + (last ? slots - 1 : 0) * n;
        add_row(block, out, 0, block->rows - 1, from, to, flush, out);
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

PTO_INLINE void fold_columns_as(const column_block *block, pto_target target, reduce_op op,
                                reduce_format from, reduce_format to, bool flush, float *tree, float *fold) {
    if (tree)
        sum_tree_as(block, target, from, to, flush, tree, fold);
    else if (op == REDUCE_SUM)
        fold_rows_as(block, target, REDUCE_SUM, from, to, flush, fold);
    else
        fold_rows_as(block, target, REDUCE_PRODUCT, from, to, flush, fold);
}

static void fold_column_block(const column_block *block, pto_target target, reduce_op op, reduce_format from,
                              reduce_format to, bool flush, float *tree, float *fold) {
    if (flush)
        fold_columns_as(block, target, op, from, to, true, tree, fold);
    else if (from == REDUCE_F32)
        fold_columns_as(block, target, op, REDUCE_F32, REDUCE_F32, false, tree, fold);
    else if (from == REDUCE_F16 && to == REDUCE_F16)
        fold_columns_as(block, target, op, REDUCE_F16, REDUCE_F16, false, tree, fold);
    else if (from == REDUCE_F16)
        fold_columns_as(block, target, op, REDUCE_F16, REDUCE_F32, false, tree, fold);
    else if (to == REDUCE_BF16)
        fold_columns_as(block, target, op, REDUCE_BF16, REDUCE_BF16, false, tree, fold);
    else
        fold_columns_as(block, target, op, REDUCE_BF16, REDUCE_F32, false, tree, fold);
}

static pto_status fold_float_columns(const pto_kernel_call *call, reduce_op op, bool binary) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const bool flush = call->numeric->flush_subnormals;
    const reduce_format from = reduce_format_of(src->type.dtype), to = reduce_format_of(dst->type.dtype);
    const size_t bytes = pto_dtype_bits(dst->type.dtype) / 8;
    const int64_t rows = src->valid_rows, cols = src->valid_cols;
    const bool typed_fold = call->numeric->typed_fold;
    const pto_target target = reduce_order(call);
    binary = binary && !typed_fold;
    const bool computes =
        typed_fold || (op == REDUCE_SUM && target == (binary ? PTO_TARGET_A5 : PTO_TARGET_CPU));
    if (rows == 1 && !computes && from == to && !flush) { /* the row itself, NaN payloads included */
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
        fold_column_block(&block, target, op, from, to, flush, tree, fold);
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
static void multiply_exact_columns(const pto_tile *src, pto_tile *dst, bool from_one) {
    const pto_dtype dtype = src->type.dtype;
    const uint64_t one = pto_scalar_code(dtype, (pto_scalar){.dtype = PTO_S64, .i = 1});
    for (int64_t j = 0; j < src->valid_cols; j++) {
        uint64_t product = from_one ? one : pto_exact_load(src->data, dtype, j);
        for (int64_t i = from_one ? 0 : 1; i < src->valid_rows; i++)
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
    if (op == REDUCE_SUM && pto_dtype_is_float(dtype)) { /* in the block form */
        const uint64_t zero = 0;
        pto_exact_fold(PTO_EXACT_ADD, dst, src, false, &zero);
        return PTO_OK;
    }
    if (pto_dtype_bits(dtype) == 4 || pto_dtype_is_float(dtype))
        multiply_exact_columns(src, dst, call->numeric->typed_fold);
    else
        integer_fold_of(op, pto_dtype_bits(dtype))(dst->data, src->data, src->type.cols, src->valid_rows,
                                                   src->valid_cols);
    return PTO_OK;
}

PTO_KERNEL(tcolsum) { return fold_columns(call, REDUCE_SUM, false); }
PTO_KERNEL(tcolsum_binary) { return fold_columns(call, REDUCE_SUM, pto_call_attr(call, 3) != 0); }
PTO_KERNEL(tcolprod) { return fold_columns(call, REDUCE_PRODUCT, false); }
