/* SPDX-License-Identifier: Apache-2.0 */
/* TROWPROD. Integers wrap, so their order is free. Float products have the order of the target (part 20,
 * 3.1): ascending on cpu; on a2a3 the lanes of a 32-byte block, then these in order; on a5 the lanes of a
 * register, then its halves. Every node is rounded to the element type. */
#include "kernel/exact.h"
#include "kernel/reduce_lanes.h"

/* The products of lanes 0, 1, ... `vector` - 1 of one row: x[l] x[l + vector] x[l + 2 vector] ... from 1. */
PTO_INLINE void lane_products(const float *x, int64_t cols, int vector, reduce_format format, bool flush,
                              float *out) {
    for (int l = 0; l < vector; l++)
        out[l] = 1.0f;
    for (int64_t j = 0; j < cols; j += vector)
        node_run(out, out, x + j, (int)(cols - j < vector ? cols - j : vector), REDUCE_PRODUCT, format,
                 flush);
}

/* Lane i times lane i + n, n = V / 2, V / 4 ... 1. */
PTO_INLINE float halving_product(float *x, int vector, reduce_format format, bool flush) {
    for (int n = vector / 2; n >= 1; n /= 2)
        node_run(x, x, x + n, n, REDUCE_PRODUCT, format, flush);
    return x[0];
}

enum { MAX_VECTOR = 128, HALF_BLOCK = 16 };

PTO_INLINE void product_block_as(pto_target target, const float *x, int64_t pitch, int64_t cols, int rows,
                                 reduce_format format, bool flush, float *out) {
    const int vector = format == REDUCE_F32 ? 64 : 128, block = vector / 8;
    if (target == PTO_TARGET_CPU) {
        fold_block_as(x, pitch, cols, rows, REDUCE_PRODUCT, format, flush, out);
    } else if (target == PTO_TARGET_A2A3) {
        float lane[BLOCK_ROWS * HALF_BLOCK];
        for (int r = 0; r < rows; r++)
            lane_products(x + r * pitch, cols, block, format, flush, lane + r * block);
        /* the last stage in float: halves are rounded once, at the end */
        fold_block_as(lane, block, block, rows, REDUCE_PRODUCT, REDUCE_F32, flush && format == REDUCE_F32,
                      out);
    } else {
        for (int r = 0; r < rows; r++) {
            float lane[MAX_VECTOR];
            lane_products(x + r * pitch, cols, vector, format, flush, lane);
            out[r] = halving_product(lane, vector, format, flush);
        }
    }
}

static void product_block(pto_target target, const float *x, int64_t pitch, int64_t cols, int rows,
                          reduce_format format, bool flush, float *out) {
    if (flush)
        product_block_as(target, x, pitch, cols, rows, format, true, out);
    else if (format == REDUCE_F32)
        product_block_as(target, x, pitch, cols, rows, REDUCE_F32, false, out);
    else if (format == REDUCE_F16)
        product_block_as(target, x, pitch, cols, rows, REDUCE_F16, false, out);
    else
        product_block_as(target, x, pitch, cols, rows, REDUCE_BF16, false, out);
}

/* The ascending products of halves. */
static void multiply_halves(const uint16_t *x, int64_t pitch, int64_t cols, int rows, reduce_format format,
                            float *out) {
    if (format == REDUCE_F16)
        fold_halves_as(x, pitch, cols, rows, REDUCE_PRODUCT, REDUCE_F16, REDUCE_F16, out);
    else
        fold_halves_as(x, pitch, cols, rows, REDUCE_PRODUCT, REDUCE_BF16, REDUCE_BF16, out);
}

static pto_status multiply_float_rows(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const bool flush = call->numeric->flush_subnormals;
    const reduce_format format = reduce_format_of(src->type.dtype);
    const pto_target target = reduce_order(call);
    const int64_t rows = src->valid_rows, cols = src->valid_cols, pitch = src->type.cols,
                  step = reduce_row_step(dst);
    const size_t bytes = pto_dtype_bits(src->type.dtype) / 8;
    const bool strips = format != REDUCE_F32 && !flush && target == PTO_TARGET_CPU;
    const bool widens = !strips && (format != REDUCE_F32 || flush);
    const int64_t block = rows < BLOCK_ROWS ? rows : BLOCK_ROWS, staged = (cols + 15) / 16 * 16;
    float *stage = NULL;
    if (widens) {
        stage = reduce_scratch(call, (size_t)(block * staged) * sizeof *stage);
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
            multiply_halves((const uint16_t *)(const void *)from, pitch, cols, count, format, out);
        else
            product_block(target, x, widens ? staged : pitch, cols, count, format, flush, out);
        reduce_narrow((char *)dst->data + (size_t)(r * step) * bytes, step, out, count, format, flush);
    }
    return PTO_OK;
}

#define INTEGER_ROWS(NAME, T, WIDE)                                                                          \
    static void NAME(void *dst, int64_t step, const void *src, int64_t pitch, int64_t rows, int64_t cols) {  \
        T *to = dst;                                                                                         \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const T *x = (const T *)src + r * pitch;                                                         \
            T product = 1;                                                                                   \
            for (int64_t j = 0; j < cols; j++)                                                               \
                product = (T)((WIDE)product * x[j]);                                                         \
            to[r * step] = product;                                                                          \
        }                                                                                                    \
    }
INTEGER_ROWS(multiply_rows_8, uint8_t, uint32_t)
INTEGER_ROWS(multiply_rows_16, uint16_t, uint32_t)
INTEGER_ROWS(multiply_rows_32, uint32_t, uint32_t)
INTEGER_ROWS(multiply_rows_64, uint64_t, uint64_t)

/* s4 and the 8- and 4-bit floats */
static void multiply_exact_rows(const pto_tile *src, pto_tile *dst) {
    const pto_dtype dtype = src->type.dtype;
    const uint64_t one = pto_scalar_code(dtype, (pto_scalar){.dtype = PTO_S64, .i = 1});
    for (int64_t r = 0; r < src->valid_rows; r++) {
        uint64_t product = one;
        for (int64_t j = 0; j < src->valid_cols; j++)
            product = pto_exact_apply(PTO_EXACT_MUL, dtype, product,
                                      pto_exact_load(src->data, dtype, r * src->type.cols + j), 0);
        pto_exact_store(dst->data, dtype, r * reduce_row_step(dst), product);
    }
}

PTO_KERNEL(trowprod) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype dtype = src->type.dtype;
    const unsigned bits = pto_dtype_bits(dtype);
    if (dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16)
        return multiply_float_rows(call);
    if (bits == 4 || pto_dtype_is_float(dtype)) {
        multiply_exact_rows(src, dst);
        return PTO_OK;
    }
    void (*multiply)(void *, int64_t, const void *, int64_t, int64_t, int64_t) =
        bits == 8    ? multiply_rows_8
        : bits == 16 ? multiply_rows_16
        : bits == 32 ? multiply_rows_32
                     : multiply_rows_64;
    multiply(dst->data, reduce_row_step(dst), src->data, src->type.cols, src->valid_rows, src->valid_cols);
    return PTO_OK;
}
