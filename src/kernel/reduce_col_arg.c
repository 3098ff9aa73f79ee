/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLARGMAX, TCOLARGMIN (part 20, 3): the lowest row of the largest or smallest element of every column, +0
 * and -0 tie, the first NaN wins. Columns are the vector lanes. Of integers a lane keeps the best key and its
 * row, which is as wide as the key and so counts within a group of rows; the extreme of floats is searched
 * once it is known. */
#include "kernel/exact.h"
#include "kernel/reduce_extreme_col.h"

enum { COLUMNS = 256 }; /* of a block: its running values stay in the first-level cache */

/* ---- integers: the element as a key, the largest wins; `flip` biases and, for minima, inverts ---- */

/* One row more for n columns: x against the best so far. */
#define TAKE(U, S, bits, row)                                                                                \
    do {                                                                                                     \
        const S key = (S)((bits) ^ flip);                                                                    \
        const bool better = key > b;                                                                         \
        a = better ? (U)(row) : a;                                                                           \
        b = better ? key : b;                                                                                \
    } while (0)

/* Rows [0, rows) of n columns: best[j] and at[j], rows <= GROUP. */
#define ARG_GROUP(NAME, U, S, GROUP)                                                                         \
    PTO_INLINE void NAME##_group(const U *x, int64_t pitch, int rows, int n, U flip, S *best, U *at) {       \
        _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                    \
            best[j] = (S)(x[j] ^ flip);                                                                      \
            at[j] = 0;                                                                                       \
        }                                                                                                    \
        int i = 1;                                                                                           \
        for (; i + 4 <= rows; i += 4) {                                                                      \
            const U *r0 = x + i * pitch, *r1 = r0 + pitch, *r2 = r1 + pitch, *r3 = r2 + pitch;               \
            _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                \
                S b = best[j];                                                                               \
                U a = at[j];                                                                                 \
                TAKE(U, S, r0[j], i);                                                                        \
                TAKE(U, S, r1[j], i + 1);                                                                    \
                TAKE(U, S, r2[j], i + 2);                                                                    \
                TAKE(U, S, r3[j], i + 3);                                                                    \
                best[j] = b;                                                                                 \
                at[j] = a;                                                                                   \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++) {                                                                              \
            const U *row = x + i * pitch;                                                                    \
            _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                \
                S b = best[j];                                                                               \
                U a = at[j];                                                                                 \
                TAKE(U, S, row[j], i);                                                                       \
                best[j] = b;                                                                                 \
                at[j] = a;                                                                                   \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void NAME(const void *src, int64_t pitch, int64_t rows, int n, uint64_t flips, uint32_t *index) { \
        const U flip = (U)flips;                                                                             \
        S best[COLUMNS];                                                                                     \
        for (int64_t first = 0; first < rows; first += (GROUP)) {                                            \
            const int count = (int)(rows - first < (GROUP) ? rows - first : (GROUP));                        \
            S key[COLUMNS];                                                                                  \
            U at[COLUMNS];                                                                                   \
            NAME##_group((const U *)src + first * pitch, pitch, count, n, flip, key, at);                    \
            for (int j = 0; j < n; j++) {                                                                    \
                const bool better = first == 0 || key[j] > best[j];                                          \
                index[j] = better ? (uint32_t)first + (uint32_t)at[j] : index[j];                            \
                best[j] = better ? key[j] : best[j];                                                         \
            }                                                                                                \
        }                                                                                                    \
    }
ARG_GROUP(arg_int8, uint8_t, int8_t, 256)
ARG_GROUP(arg_int16, uint16_t, int16_t, 32768)
ARG_GROUP(arg_int32, uint32_t, int32_t, 32768)
ARG_GROUP(arg_int64, uint64_t, int64_t, 32768)

/* ---- floats: the extreme of every column, then its first row ---- */

/* Rows are searched by equality after a mask, which is the magnitude where the extreme is a zero; a match
 * counts the rows from it to the end of the group, so that the first one is the largest. Columns with a NaN
 * are searched alone. */
#define ARG_FLOATS(NAME, BITS, INFINITE)                                                                     \
    PTO_INLINE void NAME##_block(const uint##BITS##_t *x, int64_t pitch, int64_t rows, int n, bool minimum,  \
                                 uint32_t *index) {                                                          \
        enum { GROUP = 32768 };                                                                              \
        const uint##BITS##_t every = (uint##BITS##_t) ~(uint##BITS##_t)0, magnitude = every >> 1;            \
        uint##BITS##_t want[EXTREME_COLUMNS], mask[EXTREME_COLUMNS], left[EXTREME_COLUMNS];                  \
        extreme_block_##BITS(x, pitch, rows, n, minimum, false, INFINITE, want);                             \
        for (int j = 0; j < n; j++) {                                                                        \
            mask[j] = want[j] & magnitude ? every : magnitude;                                               \
            want[j] &= mask[j];                                                                              \
            index[j] = UINT32_MAX;                                                                           \
        }                                                                                                    \
        for (int64_t first = 0; first < rows; first += GROUP) {                                              \
            const int64_t count = rows - first < GROUP ? rows - first : GROUP;                               \
            memset(left, 0, sizeof left);                                                                    \
            int64_t i = 0;                                                                                   \
            for (; i + 4 <= count; i += 4) {                                                                 \
                const uint##BITS##_t *a = x + (first + i) * pitch, *b = a + pitch, *c = b + pitch,           \
                                     *d = c + pitch;                                                         \
                const uint##BITS##_t rest = (uint##BITS##_t)(count - i);                                     \
                _Pragma("omp simd") for (int j = 0; j < n; j++) {                                            \
                    const uint##BITS##_t found = left[j], m = mask[j], w = want[j];                          \
                    uint##BITS##_t here = (d[j] & m) == w ? (uint##BITS##_t)(rest - 3) : 0;                  \
                    here = (c[j] & m) == w ? (uint##BITS##_t)(rest - 2) : here;                              \
                    here = (b[j] & m) == w ? (uint##BITS##_t)(rest - 1) : here;                              \
                    here = (a[j] & m) == w ? rest : here;                                                    \
                    left[j] = found > here ? found : here;                                                   \
                }                                                                                            \
            }                                                                                                \
            for (; i < count; i++) {                                                                         \
                const uint##BITS##_t *a = x + (first + i) * pitch, rest = (uint##BITS##_t)(count - i);       \
                _Pragma("omp simd") for (int j = 0; j < n; j++) {                                            \
                    const uint##BITS##_t here = (a[j] & mask[j]) == want[j] ? rest : 0;                      \
                    left[j] = left[j] > here ? left[j] : here;                                               \
                }                                                                                            \
            }                                                                                                \
            for (int j = 0; j < n; j++)                                                                      \
                index[j] =                                                                                   \
                    index[j] == UINT32_MAX && left[j] ? (uint32_t)(first + count) - left[j] : index[j];      \
        }                                                                                                    \
        int nan = 0;                                                                                         \
        for (int j = 0; j < n; j++)                                                                          \
            nan |= (uint##BITS##_t)(want[j] & magnitude) > INFINITE;                                         \
        for (int j = 0; nan && j < n; j++) {                                                                 \
            int64_t i = 0;                                                                                   \
            if ((uint##BITS##_t)(want[j] & magnitude) <= INFINITE)                                           \
                continue;                                                                                    \
            while ((uint##BITS##_t)(x[i * pitch + j] & magnitude) <= INFINITE)                               \
                i++;                                                                                         \
            index[j] = (uint32_t)i;                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static void NAME(const void *src, int64_t pitch, int64_t rows, int n, uint64_t flip, uint32_t *index) {  \
        const uint##BITS##_t *x = src;                                                                       \
        int j = 0;                                                                                           \
        for (; j + EXTREME_COLUMNS <= n; j += EXTREME_COLUMNS)                                               \
            NAME##_block(x + j, pitch, rows, EXTREME_COLUMNS, flip != 0, index + j);                         \
        if (j < n)                                                                                           \
            NAME##_block(x + j, pitch, rows, n - j, flip != 0, index + j);                                   \
    }
ARG_FLOATS(arg_f32, 32, UINT32_C(0x7F800000))
ARG_FLOATS(arg_f16, 16, 0x7C00)
ARG_FLOATS(arg_bf16, 16, 0x7F80)

typedef void (*arg_block)(const void *src, int64_t pitch, int64_t rows, int n, uint64_t flip,
                          uint32_t *index);

static arg_block block_of(pto_dtype dtype) {
    if (dtype == PTO_F32)
        return arg_f32;
    if (dtype == PTO_F16 || dtype == PTO_BF16)
        return dtype == PTO_F16 ? arg_f16 : arg_bf16;
    const unsigned bits = pto_dtype_bits(dtype);
    return bits == 8 ? arg_int8 : bits == 16 ? arg_int16 : bits == 32 ? arg_int32 : arg_int64;
}

static void store_index(pto_tile *index, int64_t at, uint32_t row) {
    if (pto_dtype_bits(index->type.dtype) == 16)
        ((uint16_t *)index->data)[at] = (uint16_t)row;
    else
        ((uint32_t *)index->data)[at] = row;
}

/* s4 and the 8- and 4-bit floats */
static void arg_small_columns(const pto_tile *src, pto_tile *index, pto_tile *value, bool minimum) {
    const pto_dtype dtype = src->type.dtype;
    for (int64_t j = 0; j < src->valid_cols; j++) {
        double best = extreme_load(src->data, dtype, j).value;
        int64_t at = 0;
        for (int64_t i = 1; i < src->valid_rows && best == best; i++) {
            const double x = extreme_load(src->data, dtype, i * src->type.cols + j).value;
            if (x != x || (minimum ? x < best : x > best)) {
                best = x;
                at = i;
            }
        }
        store_index(index, j, (uint32_t)at);
        if (value)
            pto_exact_store(value->data, dtype, j, pto_exact_load(src->data, dtype, at * src->type.cols + j));
    }
}

#define GATHER(NAME, U)                                                                                      \
    static void NAME(void *out, const void *from, int64_t pitch, const uint32_t *index, int n) {             \
        for (int j = 0; j < n; j++)                                                                          \
            ((U *)out)[j] = ((const U *)from)[(int64_t)index[j] * pitch + j];                                \
    }
GATHER(gather_8, uint8_t)
GATHER(gather_16, uint16_t)
GATHER(gather_32, uint32_t)
GATHER(gather_64, uint64_t)

static pto_status arg_columns(const pto_tile *src, pto_tile *index, pto_tile *value, bool minimum) {
    const pto_dtype dtype = src->type.dtype;
    if (extreme_is_small(dtype)) {
        arg_small_columns(src, index, value, minimum);
        return PTO_OK;
    }
    const unsigned bits = pto_dtype_bits(dtype);
    const uint64_t bias =
        pto_dtype_is_float(dtype) || pto_dtype_is_signed(dtype) ? 0 : UINT64_C(1) << (bits - 1);
    const arg_block arg = block_of(dtype);
    void (*gather)(void *, const void *, int64_t, const uint32_t *, int) = bits == 8    ? gather_8
                                                                           : bits == 16 ? gather_16
                                                                           : bits == 32 ? gather_32
                                                                                        : gather_64;
    for (int64_t first = 0; first < src->valid_cols; first += COLUMNS) {
        const int n = (int)(src->valid_cols - first < COLUMNS ? src->valid_cols - first : COLUMNS);
        const char *from = (const char *)src->data + (size_t)first * (bits / 8);
        uint32_t row[COLUMNS];
        arg(from, src->type.cols, src->valid_rows, n, bias ^ (minimum ? UINT64_MAX : 0), row);
        if (value)
            gather((char *)value->data + (size_t)first * (bits / 8), from, src->type.cols, row, n);
        for (int j = 0; j < n; j++)
            store_index(index, first + j, row[j]);
    }
    return PTO_OK;
}

/* In the block form no NaN replaces a number, and every float has an order (70, 9.4). */
static pto_status arg_only(const pto_kernel_call *call, bool minimum) {
    const pto_tile *src = pto_call_tile(call, 1);
    if (call->host->block_form && pto_dtype_is_float(src->type.dtype) &&
        (extreme_is_exact(src->type.dtype) || pto_exact_has_nan(src))) {
        pto_exact_arg(pto_call_tile(call, 0), src, false, minimum);
        return PTO_OK;
    }
    return arg_columns(src, pto_call_tile(call, 0), NULL, minimum);
}

#define KERNELS(name, minimum)                                                                               \
    PTO_KERNEL(name) { return arg_only(call, minimum); }                                                     \
    PTO_KERNEL(name##_value) {                                                                               \
        return arg_columns(pto_call_tile(call, 2), pto_call_tile(call, 1), pto_call_tile(call, 0), minimum); \
    }
KERNELS(tcolargmax, false)
KERNELS(tcolargmin, true)
