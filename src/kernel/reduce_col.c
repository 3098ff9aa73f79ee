/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLMAX, TCOLMIN (part 20, 3): rows are folded element by element, a block of columns at a time; columns
 * are the vector lanes. */
#include "kernel/reduce_extreme_col.h"

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

#define FLOAT_COLUMNS(BITS)                                                                                  \
    static void float_columns_##BITS(void *dst, const void *src, int64_t pitch, int64_t rows, int64_t cols,  \
                                     bool minimum, bool flush, uint##BITS##_t infinity) {                    \
        for (int64_t first = 0; first < cols; first += EXTREME_COLUMNS) {                                    \
            uint##BITS##_t *best = (uint##BITS##_t *)dst + first;                                            \
            const uint##BITS##_t *x = (const uint##BITS##_t *)src + first;                                   \
            if (cols - first >= EXTREME_COLUMNS)                                                             \
                extreme_block_##BITS(x, pitch, rows, EXTREME_COLUMNS, minimum, flush, infinity, best);       \
            else                                                                                             \
                extreme_block_##BITS(x, pitch, rows, (int)(cols - first), minimum, flush, infinity, best);   \
        }                                                                                                    \
    }
FLOAT_COLUMNS(16)
FLOAT_COLUMNS(32)

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
    } else if (extreme_is_exact(dtype)) {
        extreme_exactly(dst, src, false, minimum);
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
    extreme_of_numbers(call, dst, src, false, minimum);
    return PTO_OK;
}

PTO_KERNEL(tcolmax) { return extreme_columns(call, false); }
PTO_KERNEL(tcolmin) { return extreme_columns(call, true); }
