/* SPDX-License-Identifier: Apache-2.0 */
/* Extremes of the columns of floats, a block of columns at a time: rows are folded in fours, columns are the
 * vector lanes. */
#ifndef PTO_KERNEL_REDUCE_EXTREME_COL_H
#define PTO_KERNEL_REDUCE_EXTREME_COL_H

#include "kernel/reduce_extreme.h"

/* Columns of a block: their running values and some hundred rows of them stay in the first-level cache. */
enum { EXTREME_COLUMNS = 64 };

/* best[j] = the extreme of column j < n <= EXTREME_COLUMNS. As in EXTREME_ROW, least is looked at only where
 * a column has one sign. */
#define EXTREME_BLOCK(BITS)                                                                                  \
    PTO_INLINE void extreme_block_##BITS(const uint##BITS##_t *x, int64_t pitch, int64_t rows, int n,        \
                                         bool minimum, bool flush, uint##BITS##_t infinity,                  \
                                         uint##BITS##_t *best) {                                             \
        int##BITS##_t most[EXTREME_COLUMNS], least[EXTREME_COLUMNS];                                         \
        uint##BITS##_t most_bits[EXTREME_COLUMNS];                                                           \
        for (int j = 0; j < n; j++) {                                                                        \
            most[j] = (int##BITS##_t)x[j];                                                                   \
            most_bits[j] = x[j];                                                                             \
        }                                                                                                    \
        int64_t i = 1;                                                                                       \
        for (; i + 4 <= rows; i += 4) {                                                                      \
            const uint##BITS##_t *a = x + i * pitch, *b = a + pitch, *c = b + pitch, *d = c + pitch;         \
            _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                \
                const int##BITS##_t sa = (int##BITS##_t)a[j], sb = (int##BITS##_t)b[j];                      \
                const int##BITS##_t sc = (int##BITS##_t)c[j], sd = (int##BITS##_t)d[j];                      \
                const int##BITS##_t ab = sa > sb ? sa : sb, cd = sc > sd ? sc : sd;                          \
                const uint##BITS##_t uab = a[j] > b[j] ? a[j] : b[j], ucd = c[j] > d[j] ? c[j] : d[j];       \
                const int##BITS##_t s = ab > cd ? ab : cd;                                                   \
                const uint##BITS##_t u = uab > ucd ? uab : ucd;                                              \
                most[j] = s > most[j] ? s : most[j];                                                         \
                most_bits[j] = u > most_bits[j] ? u : most_bits[j];                                          \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++) {                                                                              \
            const uint##BITS##_t *a = x + i * pitch;                                                         \
            _Pragma("omp simd") for (int j = 0; j < n; j++) {                                                \
                most[j] = (int##BITS##_t)a[j] > most[j] ? (int##BITS##_t)a[j] : most[j];                     \
                most_bits[j] = a[j] > most_bits[j] ? a[j] : most_bits[j];                                    \
            }                                                                                                \
        }                                                                                                    \
        int one_sign = 0;                                                                                    \
        for (int j = 0; j < n; j++) {                                                                        \
            one_sign |= minimum ? (int##BITS##_t)most_bits[j] >= 0 : most[j] < 0;                            \
            least[j] = minimum ? -1 : 0; /* its sign alone */                                                \
        }                                                                                                    \
        if (one_sign) {                                                                                      \
            for (int j = 0; j < n; j++)                                                                      \
                least[j] = (int##BITS##_t)x[j];                                                              \
            for (i = 1; i < rows; i++) {                                                                     \
                const uint##BITS##_t *row = x + i * pitch;                                                   \
                _Pragma("omp simd") for (int j = 0; j < n; j++) least[j] =                                   \
                    (int##BITS##_t)row[j] < least[j] ? (int##BITS##_t)row[j] : least[j];                     \
            }                                                                                                \
        }                                                                                                    \
        for (int j = 0; j < n; j++)                                                                          \
            best[j] = extreme_finish_##BITS(most[j], least[j], most_bits[j], minimum, flush, infinity);      \
    }
EXTREME_BLOCK(16)
EXTREME_BLOCK(32)

#endif
