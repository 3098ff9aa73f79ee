/* SPDX-License-Identifier: Apache-2.0 */
/* Maxima and minima (part 20, N5): any NaN gives the canonical NaN, -0 < +0. */
#ifndef PTO_KERNEL_REDUCE_EXTREME_H
#define PTO_KERNEL_REDUCE_EXTREME_H

#include "kernel/exact.h"
#include "kernel/reduce.h"
#include "kernel/row_scan.h"
#include "number/format.h"

#include <math.h>
#include <string.h>

/* Three integer folds over the bit patterns of floats hold both extremes. Seen as signed integers, positive
 * floats (the patterns from 0 up) lie above all negative ones and keep their order, negative ones are
 * reversed: most >= 0: there is a positive float and most is the largest float; else least is (the smallest
 * magnitude); least < 0: there is a negative float and the largest unsigned pattern is the smallest float;
 * else least is. A NaN of either sign is the end of its range and so shows in most or in most_bits. */
#define EXTREME_FINISH(NAME, U, S, NAN_OF)                                                                   \
    PTO_INLINE U NAME(S most, S least, U most_bits, bool minimum, bool flush, U infinity) {                  \
        const U sign = (U)((U)1 << (8 * sizeof(U) - 1));                                                     \
        if ((most >= 0 && (U)most > infinity) || most_bits > (U)(sign | infinity))                           \
            return NAN_OF;                                                                                   \
        U result = minimum ? (least < 0 ? most_bits : (U)least) : (most >= 0 ? (U)most : (U)least);          \
        /* below the smallest normal number: its pattern is the lowest exponent bit */                       \
        const U smallest = (U)(infinity & (U)(0 - infinity));                                                \
        if (flush && (U)(result & (U)~sign) < smallest)                                                      \
            result &= sign;                                                                                  \
        return result;                                                                                       \
    }
EXTREME_FINISH(extreme_finish_16, uint16_t, int16_t,
               infinity == 0x7C00 ? PTO_F16_NAN_BITS : PTO_BF16_NAN_BITS)
EXTREME_FINISH(extreme_finish_32, uint32_t, int32_t, PTO_F32_NAN_BITS)

/* The extreme of a row. Only where every element has the other sign least is asked for, so that two folds of
 * the three mostly do. */
#ifdef PTO_ROW_SCAN
#define EXTREME_MOST(BITS) scan_most_##BITS(x, cols, &most, &most_bits)
#else
#define EXTREME_MOST(BITS)                                                                                   \
    for (int64_t j = 0; j < cols; j++) {                                                                     \
        const int##BITS##_t s = (int##BITS##_t)x[j];                                                         \
        most = s > most ? s : most;                                                                          \
        most_bits = x[j] > most_bits ? x[j] : most_bits;                                                     \
    }
#endif
#define EXTREME_ROW(BITS)                                                                                    \
    PTO_INLINE uint##BITS##_t extreme_row_##BITS(const uint##BITS##_t *x, int64_t cols, bool minimum,        \
                                                 bool flush, uint##BITS##_t infinity) {                      \
        int##BITS##_t most = (int##BITS##_t)x[0], least = most;                                              \
        uint##BITS##_t most_bits = x[0];                                                                     \
        EXTREME_MOST(BITS);                                                                                  \
        if (minimum ? (int##BITS##_t)most_bits >= 0 : most < 0)                                              \
            for (int64_t j = 1; j < cols; j++)                                                               \
                least = (int##BITS##_t)x[j] < least ? (int##BITS##_t)x[j] : least;                           \
        else                                                                                                 \
            least = minimum ? -1 : 0; /* its sign alone is looked at */                                      \
        return extreme_finish_##BITS(most, least, most_bits, minimum, flush, infinity);                      \
    }
EXTREME_ROW(16)
EXTREME_ROW(32)

/* ---- 8- and 4-bit formats: one value at a time ---- */

typedef struct extreme_value {
    double value;
    uint8_t code;
} extreme_value;

static inline bool extreme_is_small(pto_dtype dtype) {
    return pto_dtype_bits(dtype) == 4 || (pto_dtype_bits(dtype) == 8 && pto_dtype_is_float(dtype));
}

/* ---- types that only blocks have, and their rule for NaN (70, 9.4) ---- */

static inline bool extreme_is_exact(pto_dtype dtype) {
    return dtype == PTO_F64 || dtype == PTO_TF32 || dtype == PTO_HF32;
}

static inline void extreme_exactly(pto_tile *dst, const pto_tile *src, bool by_rows, bool minimum) {
    pto_exact_fold(minimum ? PTO_EXACT_NUMBER_MIN : PTO_EXACT_NUMBER_MAX, dst, src, by_rows, NULL);
}

/* In the block form a number wins over a NaN: where one shows, all is folded again. */
static inline void extreme_of_numbers(const pto_kernel_call *call, pto_tile *dst, const pto_tile *src,
                                      bool by_rows, bool minimum) {
    if (call->host->block_form && pto_dtype_is_float(src->type.dtype) && pto_exact_has_nan(dst))
        extreme_exactly(dst, src, by_rows, minimum);
}

static inline extreme_value extreme_load(const void *data, pto_dtype dtype, int64_t index) {
    const uint8_t *bytes = data;
    const bool packed = pto_dtype_bits(dtype) == 4;
    uint8_t code = bytes[packed ? index / 2 : index];
    if (packed)
        code = (uint8_t)(code >> (index & 1 ? 4 : 0) & 15);
    const pto_format format = pto_format_of_dtype(dtype);
    const double value = pto_number_to_f64(format, code);
    if (value != value)
        code = (uint8_t)pto_format_describe(format)->nan_code;
    return (extreme_value){value, code};
}

static inline void extreme_store(void *data, pto_dtype dtype, int64_t index, extreme_value best) {
    uint8_t *bytes = data;
    if (pto_dtype_bits(dtype) == 4) {
        const unsigned shift = index & 1 ? 4 : 0;
        bytes[index / 2] = (uint8_t)((bytes[index / 2] & ~(15u << shift)) | (unsigned)best.code << shift);
    } else {
        bytes[index] = best.code;
    }
}

static inline extreme_value extreme_better(extreme_value a, extreme_value b, bool minimum) {
    if (a.value != a.value)
        return a;
    bool less = a.value < b.value || (a.value == b.value && signbit(a.value) && !signbit(b.value));
    bool greater = a.value > b.value || (a.value == b.value && !signbit(a.value) && signbit(b.value));
    return b.value != b.value || (minimum ? greater : less) ? b : a;
}

#endif
