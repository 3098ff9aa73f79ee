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
    REFERENCE_FILL,   /* b */
    REFERENCE_AND,    /* bits: integers only */
    REFERENCE_OR,
    REFERENCE_XOR,
    REFERENCE_NOT,
    REFERENCE_SHL,
    REFERENCE_SHR,
    REFERENCE_ADD_ADD, /* (a + b) + c, rounded twice */
    REFERENCE_SUB_ADD,
    REFERENCE_FUSED_MULADD, /* a * c + b */
    REFERENCE_FUSED_MULADD_RELU,
    REFERENCE_SUB_RELU,
    REFERENCE_LEAKY_RELU, /* a > 0 ? a : a * b */
    REFERENCE_AXPY,       /* a * b + c: MULADD with a scalar */
    REFERENCE_REM,        /* floored */
    REFERENCE_FMOD,       /* truncated */
    REFERENCE_POW
} reference_op;

/* Codes in and out, right-aligned. options: NULL = the defaults. */
uint64_t reference_elementwise(reference_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c,
                               const pto_numeric_options *options);

/* TADDDEQRELU of one element, every step rounded to float by MPFR (10, 7.4). */
uint16_t reference_adddeqrelu(int32_t a, int32_t b, float scale, const pto_numeric_options *options);

/* TADDRELUCONV and TSUBRELUCONV of one element (10, 7.3): from f32 to f16, from f16 or s16 to s8. */
uint64_t reference_relu_conv(pto_dtype from, bool subtracts, uint64_t a, uint64_t b,
                             const pto_numeric_options *options);

/* The product of two halves, which is exact in f32, as its code. */
uint64_t reference_product_f32(uint64_t a, uint64_t b);

#endif
