/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise arithmetic on single codes, written from parts 10 and 20 of the specification with MPFR and
 * plain integers: what the kernels are compared with. */
#ifndef PTO_TESTS_REFERENCE_ELEMENTWISE_H
#define PTO_TESTS_REFERENCE_ELEMENTWISE_H

#include <pto/options.h>

typedef enum reference_op {
    REFERENCE_ADD,
    REFERENCE_SUB,
    REFERENCE_MUL,
    REFERENCE_DIV,
    REFERENCE_MAX,
    REFERENCE_MIN,
    REFERENCE_RECIP,
    REFERENCE_ABS,
    REFERENCE_NEG,
    REFERENCE_SQRT,
    REFERENCE_RSQRT,
    REFERENCE_RELU,
    REFERENCE_MULADD, /* a * b + c */
    REFERENCE_FILL    /* b */
} reference_op;

/* Codes in and out, right-aligned. options: NULL = the defaults. */
uint64_t reference_elementwise(reference_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c,
                               const pto_numeric_options *options);

/* TADDDEQRELU of one element, every step rounded to float by MPFR (10, 7.4). */
uint16_t reference_adddeqrelu(int32_t a, int32_t b, float scale, const pto_numeric_options *options);

#endif
