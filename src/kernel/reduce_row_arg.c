/* SPDX-License-Identifier: Apache-2.0 */
/* TROWARGMAX, TROWARGMIN (part 20, 3): the lowest column of the largest or smallest element, +0 and -0 tie,
 * the first NaN wins. A row is read twice: for its extreme, folded in the integer domain, and for the first
 * place of it. Both passes are without a branch inside. */
#include "kernel/reduce_extreme.h"

/* The lowest j < count with (x[j] & mask) == want, or > want for `above`; count when there is none. */
#define FIRST(NAME, U, CHUNK)                                                                                \
    PTO_INLINE int64_t NAME(const U *x, int64_t count, U mask, U want, bool above) {                         \
        for (int64_t start = 0; start < count; start += (CHUNK)) {                                           \
            const int n = (int)(count - start < (CHUNK) ? count - start : (CHUNK));                          \
            const U none = (U)~0u;                                                                           \
            U first = none;                                                                                  \
            _Pragma("omp simd reduction(min : first)") for (int j = 0; j < n; j++) {                         \
                const U bits = (U)(x[start + j] & mask);                                                     \
                const U at = (above ? bits > want : bits == want) ? (U)j : none;                             \
                first = at < first ? at : first;                                                             \
            }                                                                                                \
            if (first != none)                                                                               \
                return start + (int64_t)first;                                                               \
        }                                                                                                    \
        return count;                                                                                        \
    }
FIRST(first_8, uint8_t, 128)
FIRST(first_16, uint16_t, 1024)
FIRST(first_32, uint32_t, 1024)
FIRST(first_64, uint64_t, 1024)
#ifdef PTO_ROW_SCAN
#define FIRST_16 scan_first_16
#define FIRST_32 scan_first_32
#else
#define FIRST_16(x, count, mask, want) first_16(x, count, mask, want, false)
#define FIRST_32(x, count, mask, want) first_32(x, count, mask, want, false)
#endif
#define FIRST_8(x, count, mask, want) first_8(x, count, mask, want, false)
#define FIRST_64(x, count, mask, want) first_64(x, count, mask, want, false)

#define INTEGER_ARG(NAME, U, S, FIRST_OF)                                                                    \
    static int64_t NAME(const void *row, int64_t cols, uint64_t bias, bool minimum) {                        \
        const U flip = (U)(bias ^ (minimum ? UINT64_MAX : 0));                                               \
        const U *x = row;                                                                                    \
        S best = (S)(x[0] ^ flip);                                                                           \
        for (int64_t j = 1; j < cols; j++) {                                                                 \
            const S key = (S)(x[j] ^ flip);                                                                  \
            best = key > best ? key : best;                                                                  \
        }                                                                                                    \
        return FIRST_OF(x, cols, (U) ~(U)0, (U)((U)best ^ flip));                                            \
    }
INTEGER_ARG(integer_arg_8, uint8_t, int8_t, FIRST_8)
INTEGER_ARG(integer_arg_16, uint16_t, int16_t, FIRST_16)
INTEGER_ARG(integer_arg_32, uint32_t, int32_t, FIRST_32)
INTEGER_ARG(integer_arg_64, uint64_t, int64_t, FIRST_64)

#define FLOAT_ARG(BITS, FIRST_OF)                                                                            \
    static int64_t float_arg_##BITS(const void *row, int64_t cols, uint##BITS##_t infinity, bool minimum) {  \
        const uint##BITS##_t *x = row, every = (uint##BITS##_t) ~(uint##BITS##_t)0, magnitude = every >> 1;  \
        const uint##BITS##_t best = extreme_row_##BITS(x, cols, minimum, false, infinity);                   \
        if ((uint##BITS##_t)(best & magnitude) > infinity)                                                   \
            return first_##BITS(x, cols, magnitude, infinity, true);                                         \
        return FIRST_OF(x, cols, best & magnitude ? every : magnitude, best & magnitude ? best : 0);         \
    }
FLOAT_ARG(16, FIRST_16)
FLOAT_ARG(32, FIRST_32)

static int64_t arg_of_row(const void *row, pto_dtype dtype, int64_t cols, bool minimum) {
    if (dtype == PTO_F32)
        return float_arg_32(row, cols, UINT32_C(0x7F800000), minimum);
    if (dtype == PTO_F16 || dtype == PTO_BF16)
        return float_arg_16(row, cols, dtype == PTO_F16 ? 0x7C00u : 0x7F80u, minimum);
    const unsigned bits = pto_dtype_bits(dtype);
    const uint64_t bias = pto_dtype_is_signed(dtype) ? 0 : UINT64_C(1) << (bits - 1);
    switch (bits) {
    case 8:
        return integer_arg_8(row, cols, bias, minimum);
    case 16:
        return integer_arg_16(row, cols, bias, minimum);
    case 32:
        return integer_arg_32(row, cols, bias, minimum);
    default:
        return integer_arg_64(row, cols, bias, minimum);
    }
}

static pto_status arg_rows(const pto_tile *src, pto_tile *index, pto_tile *value, bool minimum) {
    const size_t bytes = pto_dtype_bits(src->type.dtype) / 8;
    const bool narrow = pto_dtype_bits(index->type.dtype) == 16;
    for (int64_t r = 0; r < src->valid_rows; r++) {
        const char *row = (const char *)src->data + (size_t)(r * src->type.cols) * bytes;
        const int64_t best = arg_of_row(row, src->type.dtype, src->valid_cols, minimum),
                      at = r * reduce_row_step(index);
        if (narrow)
            ((uint16_t *)index->data)[at] = (uint16_t)best;
        else
            ((uint32_t *)index->data)[at] = (uint32_t)best;
        if (value)
            memcpy((char *)value->data + (size_t)(r * reduce_row_step(value)) * bytes,
                   row + (size_t)best * bytes, bytes);
    }
    return PTO_OK;
}

/* In the block form no NaN replaces a number, and every float has an order (70, 9.4). */
static pto_status arg_only(const pto_kernel_call *call, bool minimum) {
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype dtype = src->type.dtype;
    const bool loops =
        !pto_dtype_is_float(dtype) || dtype == PTO_F32 || dtype == PTO_F16 || dtype == PTO_BF16;
    if (!loops || (call->host->block_form && pto_dtype_is_float(dtype) && pto_exact_has_nan(src))) {
        pto_exact_arg(pto_call_tile(call, 0), src, true, minimum);
        return PTO_OK;
    }
    return arg_rows(src, pto_call_tile(call, 0), NULL, minimum);
}

#define KERNELS(name, minimum)                                                                               \
    PTO_KERNEL(name) { return arg_only(call, minimum); }                                                     \
    PTO_KERNEL(name##_value) {                                                                               \
        return arg_rows(pto_call_tile(call, 2), pto_call_tile(call, 1), pto_call_tile(call, 0), minimum);    \
    }
KERNELS(trowargmax, false)
KERNELS(trowargmin, true)
