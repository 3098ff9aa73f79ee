/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and broadcasts along an axis, one element at a time in the words of part 20: every node of a
 * float sum is computed in double and rounded by the exact number room, integers in 64 bits. Values are bit
 * patterns. */
#ifndef PTO_TESTS_REFERENCE_AXIS_H
#define PTO_TESTS_REFERENCE_AXIS_H

#include <pto/types.h>

#include <stdbool.h>

typedef enum reference_op {
    REFERENCE_ADD,
    REFERENCE_SUB,
    REFERENCE_MUL,
    REFERENCE_DIV,
    REFERENCE_MAX,
    REFERENCE_MIN,
    REFERENCE_EXPDIF
} reference_op;

/* The value as double: exact but for 64-bit integers. */
double reference_value(pto_dtype dtype, uint64_t bits);
uint64_t reference_round(pto_dtype dtype, double value);
/* EXPDIF: exp in double, rounded once. */
uint64_t reference_binary(reference_op op, pto_dtype dtype, uint64_t a, uint64_t b);
/* The sum of x[0..count) in the order of the target (20, 3.1). x is overwritten. */
uint64_t reference_row_sum(pto_target target, pto_dtype to, pto_dtype from, uint64_t *x, int count);
uint64_t reference_col_sum(pto_target target, bool binary, pto_dtype to, pto_dtype from, uint64_t *x,
                           int count);
uint64_t reference_extreme(bool minimum, pto_dtype dtype, const uint64_t *x, int count);
/* The product of x[0..count) in the order of the target (20, 3.1). x is overwritten. */
uint64_t reference_row_product(pto_target target, pto_dtype dtype, uint64_t *x, int count);
uint64_t reference_col_product(pto_target target, pto_dtype dtype, uint64_t *x, int count);
/* Position of the extreme: the lowest on ties, the first NaN. */
int reference_arg(bool minimum, pto_dtype dtype, const uint64_t *x, int count);

#endif
