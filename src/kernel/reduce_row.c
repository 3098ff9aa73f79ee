/* SPDX-License-Identifier: Apache-2.0 */
/* TROWMAX, TROWMIN (part 20, 3; N5). Maxima do not depend on the order, so rows are folded in the
 * integer domain, where they vectorise at every level and NaN and the sign of zero need no branch. */
#include "kernel/reduce_extreme.h"

/* ---- maximum, minimum ---- */

#define INTEGER_ROWS(NAME, U, S)                                                                             \
    static void NAME(void *dst, int64_t step, const void *src, int64_t pitch, int64_t rows, int64_t cols,    \
                     uint64_t bias, bool minimum) {                                                          \
        const U flip = (U)(bias ^ (minimum ? UINT64_MAX : 0));                                               \
        for (int64_t r = 0; r < rows; r++) {                                                                 \
            const U *x = (const U *)src + r * pitch;                                                         \
            S best = (S)(x[0] ^ flip);                                                                       \
            for (int64_t j = 1; j < cols; j++) {                                                             \
                const S key = (S)(x[j] ^ flip);                                                              \
                best = key > best ? key : best;                                                              \
            }                                                                                                \
            ((U *)dst)[r * step] = (U)((U)best ^ flip);                                                      \
        }                                                                                                    \
    }
INTEGER_ROWS(integer_rows_8, uint8_t, int8_t)
INTEGER_ROWS(integer_rows_16, uint16_t, int16_t)
INTEGER_ROWS(integer_rows_32, uint32_t, int32_t)
INTEGER_ROWS(integer_rows_64, uint64_t, int64_t)

#define FLOAT_ROWS(BITS)                                                                                     \
    static void float_rows_##BITS(void *dst, int64_t step, const void *src, int64_t pitch, int64_t rows,     \
                                  int64_t cols, bool minimum, bool flush, uint##BITS##_t infinity) {         \
        for (int64_t r = 0; r < rows; r++)                                                                   \
            ((uint##BITS##_t *)dst)[r * step] =                                                              \
                extreme_row_##BITS((const uint##BITS##_t *)src + r * pitch, cols, minimum, flush, infinity); \
    }
FLOAT_ROWS(16)
FLOAT_ROWS(32)

static pto_status extreme_rows(const pto_kernel_call *call, bool minimum) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t rows = src->valid_rows, cols = src->valid_cols, pitch = src->type.cols,
                  step = reduce_row_step(dst);
    const bool flush = call->numeric->flush_subnormals;
    const pto_dtype dtype = src->type.dtype;
    if (dtype == PTO_F32) {
        float_rows_32(dst->data, step, src->data, pitch, rows, cols, minimum, flush, UINT32_C(0x7F800000));
    } else if (dtype == PTO_F16 || dtype == PTO_BF16) {
        float_rows_16(dst->data, step, src->data, pitch, rows, cols, minimum, flush,
                      dtype == PTO_F16 ? 0x7C00u : 0x7F80u);
    } else if (extreme_is_exact(dtype)) {
        extreme_exactly(dst, src, true, minimum);
    } else if (extreme_is_small(dtype)) {
        for (int64_t r = 0; r < rows; r++) {
            extreme_value best = extreme_load(src->data, dtype, r * pitch);
            for (int64_t j = 1; j < cols; j++)
                best = extreme_better(best, extreme_load(src->data, dtype, r * pitch + j), minimum);
            extreme_store(dst->data, dtype, r * step, best);
        }
    } else {
        const unsigned bits = pto_dtype_bits(dtype);
        const uint64_t bias = pto_dtype_is_signed(dtype) ? 0 : UINT64_C(1) << (bits - 1);
        void (*fold)(void *, int64_t, const void *, int64_t, int64_t, int64_t, uint64_t, bool) =
            bits == 8    ? integer_rows_8
            : bits == 16 ? integer_rows_16
            : bits == 32 ? integer_rows_32
                         : integer_rows_64;
        fold(dst->data, step, src->data, pitch, rows, cols, bias, minimum);
    }
    extreme_of_numbers(call, dst, src, true, minimum);
    return PTO_OK;
}

PTO_KERNEL(trowmax) { return extreme_rows(call, false); }
PTO_KERNEL(trowmin) { return extreme_rows(call, true); }
