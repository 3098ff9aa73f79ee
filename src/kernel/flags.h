/* SPDX-License-Identifier: Apache-2.0 */
/* The IEEE flags that float operations of the block form raise (part 70, 9): invalid by a signalling NaN
 * among the operands or by an operation without a value; division by zero. Compiled once. */
#ifndef PTO_KERNEL_FLAGS_H
#define PTO_KERNEL_FLAGS_H

#include "kernel/exact.h"

enum { PTO_FLAG_INVALID = 1, PTO_FLAG_ZERO_DIVISOR = 2 };

/* Infinities or NaN in the valid region of an ND tile? Always true for formats of 8 bits. */
bool pto_flags_special(const pto_tile *tile);

/* How the operands of an operation lie: b beside a, or across it as a column or a row. */
typedef enum pto_flags_shape { PTO_FLAGS_BESIDE, PTO_FLAGS_COLUMN, PTO_FLAGS_ROW } pto_flags_shape;

/* op over the valid region of a; b and c by their inputs (one value, a tile, or nothing). COPY: signalling
 * NaN only; DIV without b: the reciprocal. */
unsigned pto_flags_map(pto_exact_op op, const pto_tile *a, pto_map_input b, pto_map_input c,
                       pto_flags_shape shape);
/* A fold of every row or column from `initial`. */
unsigned pto_flags_fold(pto_exact_op op, const pto_tile *src, bool by_rows, uint64_t initial);
/* acc = what it held before (addend, may be NULL) + a x b: NaN that no operand explains. */
unsigned pto_flags_product(const pto_tile *acc, const pto_tile *addend, const pto_tile *a, const pto_tile *b);

#endif
