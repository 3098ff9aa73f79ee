/* SPDX-License-Identifier: Apache-2.0 */
/* TPAIRREDUCESUM (part 20, 5): neighbours of a row are added, an odd last column to +0; the rest of the valid
 * row is +0. Integers wrap, floats round once. */
#include "kernel/exact.h"
#include "kernel/formulas.h"
#include "kernel/map_half.h"
#include "kernel/reduce.h"

enum { PIECE = 256 }; /* sums of one turn */

/* to[k] = from[2 k] + from[2 k + 1] */
#define PAIRS(NAME, T, F)                                                                                    \
    static void NAME(void *to, const void *from, int64_t pairs) {                                            \
        T *d = to;                                                                                           \
        const T *x = from;                                                                                   \
        _Pragma("omp simd") for (int64_t k = 0; k < pairs; k++) d[k] = F(x[2 * k], x[2 * k + 1]);            \
    }
PAIRS(pairs_8, uint8_t, PTO_ADD_8)
PAIRS(pairs_16, uint16_t, PTO_ADD_16)
PAIRS(pairs_32, uint32_t, PTO_ADD_32)
PAIRS(pairs_64, uint64_t, PTO_ADD_64)
PAIRS(pairs_f32, float, PTO_ADD_F32)

static void pairs_flushed(void *to, const void *from, int64_t pairs, reduce_format format) {
    const size_t bytes = format == REDUCE_F32 ? 4 : 2;
    for (int64_t start = 0; start < pairs; start += PIECE) {
        const int64_t n = pairs - start < PIECE ? pairs - start : PIECE;
        float x[2 * PIECE], sum[PIECE];
        reduce_widen(x, (const char *)from + (size_t)(2 * start) * bytes, 2 * n, format, true);
        for (int64_t k = 0; k < n; k++)
            sum[k] = x[2 * k] + x[2 * k + 1];
        reduce_narrow((char *)to + (size_t)start * bytes, 1, sum, n, format, true);
    }
}

/* Halves are summed as floats; the sum of two is exact enough to be rounded once. */
#define HALF_PAIRS(format)                                                                                   \
    static void pairs_##format(void *to, const void *from, int64_t pairs) {                                  \
        uint16_t *d = to;                                                                                    \
        const uint16_t *x = from;                                                                            \
        for (int64_t start = 0; start < pairs; start += PIECE) {                                             \
            const int64_t n = pairs - start < PIECE ? pairs - start : PIECE;                                 \
            uint16_t even[PIECE], odd[PIECE];                                                                \
            _Pragma("omp simd") for (int64_t k = 0; k < n; k++) {                                            \
                even[k] = x[2 * (start + k)];                                                                \
                odd[k] = x[2 * (start + k) + 1];                                                             \
            }                                                                                                \
            add_##format##_tt(d + start, even, odd, n, NULL);                                                \
        }                                                                                                    \
    }
PTO_HALF_TT(add, PTO_ADD_LANES, PTO_ADD_LANES)
HALF_PAIRS(f16)
HALF_PAIRS(bf16)

static void (*pairs_of(pto_dtype dtype))(void *, const void *, int64_t) {
    switch (dtype) {
    case PTO_F32:
        return pairs_f32;
    case PTO_F16:
        return pairs_f16;
    case PTO_BF16:
        return pairs_bf16;
    default:
        break;
    }
    const unsigned bits = pto_dtype_bits(dtype);
    return bits == 8 ? pairs_8 : bits == 16 ? pairs_16 : bits == 32 ? pairs_32 : pairs_64;
}

/* s4 and the 8- and 4-bit floats. What has no code for zero (e8m0) rounds it as every conversion does. */
static void pair_exact(const pto_tile *src, pto_tile *dst) {
    const pto_dtype dtype = src->type.dtype;
    const int64_t cols = src->valid_cols, half = (cols + 1) / 2;
    const uint64_t zero = pto_scalar_code(dtype, (pto_scalar){.dtype = PTO_S64});
    for (int64_t i = 0; i < src->valid_rows; i++)
        for (int64_t k = 0; k < cols; k++) {
            const int64_t from = i * src->type.cols + 2 * k;
            uint64_t code = zero;
            if (k < half)
                code =
                    pto_exact_apply(PTO_EXACT_ADD, dtype, pto_exact_load(src->data, dtype, from),
                                    2 * k + 1 < cols ? pto_exact_load(src->data, dtype, from + 1) : zero, 0);
            pto_exact_store(dst->data, dtype, i * dst->type.cols + k, code);
        }
}

PTO_KERNEL(tpairreducesum) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype dtype = src->type.dtype;
    const unsigned bits = pto_dtype_bits(dtype);
    const bool half = dtype == PTO_F16 || dtype == PTO_BF16;
    if (bits == 4 || (bits == 8 && pto_dtype_is_float(dtype))) {
        pair_exact(src, dst);
        return PTO_OK;
    }
    const int64_t cols = src->valid_cols, pairs = cols / 2, sums = (cols + 1) / 2;
    const size_t bytes = bits / 8;
    const bool flush = call->numeric->flush_subnormals && (half || dtype == PTO_F32);
    void (*add)(void *, const void *, int64_t) = pairs_of(dtype);
    for (int64_t i = 0; i < src->valid_rows; i++) {
        const char *from = (const char *)src->data + (size_t)(i * src->type.cols) * bytes;
        char *to = (char *)dst->data + (size_t)(i * dst->type.cols) * bytes;
        if (flush)
            pairs_flushed(to, from, pairs, reduce_format_of(dtype));
        else
            add(to, from, pairs);
        if (pairs < sums) { /* an odd last column */
            uint64_t last[2] = {0};
            memcpy(last, from + (size_t)(2 * pairs) * bytes, bytes);
            if (flush)
                pairs_flushed(to + (size_t)pairs * bytes, last, 1, reduce_format_of(dtype));
            else
                add(to + (size_t)pairs * bytes, last, 1);
        }
        memset(to + (size_t)sums * bytes, 0, (size_t)(cols - sums) * bytes);
    }
    return PTO_OK;
}
