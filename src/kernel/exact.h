/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise arithmetic on single codes: every operation exact and rounded once (part 10, 1.5). The slow
 * path for the 8- and 4-bit element types and those of blocks, and the conversion of scalar operands.
 * Compiled once, not per level. */
#ifndef PTO_KERNEL_EXACT_H
#define PTO_KERNEL_EXACT_H

#include "number/element_types.h"
#include "number/format.h"
#include <pto/instr.h>

typedef enum pto_exact_op {
    PTO_EXACT_ADD,
    PTO_EXACT_SUB,
    PTO_EXACT_MUL,
    PTO_EXACT_DIV, /* integer x / 0 = 0 */
    PTO_EXACT_MAX,
    PTO_EXACT_MIN,
    PTO_EXACT_ABS,
    PTO_EXACT_NEG,
    PTO_EXACT_RELU,
    PTO_EXACT_RELU_NAN, /* keeps NaN */
    PTO_EXACT_MULADD,   /* a * b + c, one rounding */
    PTO_EXACT_MULADD_UNFUSED,
    PTO_EXACT_FUSED_MULADD, /* a * c + b, one rounding */
    PTO_EXACT_FUSED_MULADD_UNFUSED,
    PTO_EXACT_FUSED_MULADD_RELU,
    PTO_EXACT_FUSED_MULADD_RELU_UNFUSED,
    PTO_EXACT_FUSED_MULADD_RELU_NAN,
    PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED,
    PTO_EXACT_SUB_RELU,
    PTO_EXACT_SUB_RELU_NAN,
    PTO_EXACT_LEAKY_RELU, /* a > 0 ? a : a * b */
    PTO_EXACT_ADD_ADD,    /* (a + b) + c, two roundings */
    PTO_EXACT_SUB_ADD,    /* (a - b) + c, two roundings */
    PTO_EXACT_FLOOR_REM,  /* sign of b; integer x rem 0 = 0 */
    PTO_EXACT_TRUNC_REM,  /* sign of a */
    PTO_EXACT_POW,
    PTO_EXACT_NUMBER_MAX, /* as MAX and MIN, but a number wins over a NaN (70, 9.1) */
    PTO_EXACT_NUMBER_MIN,
    PTO_EXACT_SQRT, /* from here to LOG: floats only */
    PTO_EXACT_RSQRT,
    PTO_EXACT_EXP,
    PTO_EXACT_LOG,
    PTO_EXACT_AND, /* from here to SHR: integers only */
    PTO_EXACT_OR,
    PTO_EXACT_XOR,
    PTO_EXACT_NOT,
    PTO_EXACT_SHL, /* counts modulo the width */
    PTO_EXACT_SHR,
    PTO_EXACT_COPY /* a */
} pto_exact_op;

/* An input of an elementwise loop: a tile, whose bytes may have been staged elsewhere, or one value. */
typedef struct pto_map_input {
    const pto_tile_type *type; /* NULL: data is one value of the element type; unused input: data NULL too */
    const void *data;
} pto_map_input;

/* A result of arithmetic, rounded to nearest: e4m3 overflows into a NaN, and that is the canonical one
 * (10, 1.5). */
uint64_t pto_exact_round(pto_dtype type, double value);
/* One element: codes in and out, right-aligned. Accepts s4 and every float. */
uint64_t pto_exact_apply(pto_exact_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c);

/* The operation over the valid region of dst, of a, b and c of dst's element type; c without data is the old
 * element of dst. */
void pto_exact_map(pto_exact_op op, pto_tile *dst, const pto_map_input input[3]);

/* RSQRT, EXP or LOG of x as a code of the format: rounded once from some 100 bits. */
uint64_t pto_exact_function(pto_exact_op op, pto_format format, double x);

/* A vector across a tile: dst(r, c) = full(r, c) op v, v the element of its row or of its column. */
void pto_exact_expand(pto_exact_op op, pto_tile *dst, const pto_tile *full, const pto_tile *vector,
                      bool by_rows);
/* The fold of each row or column in order, every step an element: from `initial`, or from element 0 (NULL).
 */
void pto_exact_fold(pto_exact_op op, pto_tile *dst, const pto_tile *src, bool by_rows,
                    const uint64_t *initial);
/* The index of the extreme of each row or column, as dst's integers: only what is better replaces what was
 * before. A number is better than a NaN, which replaces nothing (70, 9.4). */
void pto_exact_arg(pto_tile *dst, const pto_tile *src, bool by_rows, bool minimum);
/* Does the valid region hold a NaN? */
bool pto_exact_has_nan(const pto_tile *tile);

/* Element `index` (in elements) of packed storage. */
uint64_t pto_exact_load(const void *data, pto_dtype type, int64_t index);
void pto_exact_store(void *data, pto_dtype type, int64_t index, uint64_t code);

/* A scalar operand as a code of the element type (20, 2): integers modulo 2^W; numbers into a float type
 * rounded once to nearest even, NaN with its sign and leading payload; numbers into an integer type truncated
 * and saturated, NaN to 0. */
uint64_t pto_scalar_code(pto_dtype type, pto_scalar scalar);

#endif
