/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a form with elementwise operands over random tiles and compares it with the reference. */
#ifndef PTO_TESTS_ELEMENTWISE_TESTING_H
#define PTO_TESTS_ELEMENTWISE_TESTING_H

#include "reference/elementwise.h"
#include "support/tile_testing.h"

typedef enum elementwise_shape {
    ELEMENTWISE_UNARY,           /* dst, src */
    ELEMENTWISE_BINARY,          /* dst, src0, src1; the reference's c is the old dst */
    ELEMENTWISE_TILE_SCALAR,     /* dst, src, scalar */
    ELEMENTWISE_SCALAR_TILE,     /* dst, scalar, src */
    ELEMENTWISE_SCALAR,          /* dst, scalar */
    ELEMENTWISE_TERNARY,         /* dst, src0, src1, src2; the reference's c is src2 */
    ELEMENTWISE_TILE_SCALAR_TILE /* dst, src0, scalar, src1; the reference's c is src1 */
} elementwise_shape;

typedef struct elementwise_case {
    pto_form form;
    reference_op op;
    elementwise_shape shape;
} elementwise_case;

/* Whose bytes dst is. */
typedef enum elementwise_place {
    ELEMENTWISE_APART,
    ELEMENTWISE_IN_PLACE,       /* the tile of the first source */
    ELEMENTWISE_IN_PLACE_OF_1,  /* of the second */
    ELEMENTWISE_IN_PLACE_PITCH, /* the bytes of the first, with another pitch */
    ELEMENTWISE_ALL_ONE,        /* one tile everywhere */
    ELEMENTWISE_PLACE_COUNT
} elementwise_place;

/* One random run on a target, at every SIMD level: all levels must give the reference's bits, and leave what
 * is outside of the valid region alone. options may be NULL. */
void elementwise_check(testing_random *random, const elementwise_case *test, pto_target target,
                       pto_dtype type, testing_layout layout, int32_t rows, int32_t cols,
                       elementwise_place place, const pto_numeric_options *options);

/* `turns` runs on every target that accepts the type: random extents from none to whole tiles, places as the
 * target allows them, on target cpu every layout. */
void elementwise_sweep(testing_random *random, const elementwise_case *test, pto_dtype type, int turns,
                       const pto_numeric_options *options);

/* A scalar operand with exactly this code of the type. */
pto_operand elementwise_scalar(pto_dtype type, uint64_t code);

/* A core with numeric options at a level; the test fails when there is none. */
pto_core *elementwise_core(pto_target target, pto_simd_level level, const pto_numeric_options *options);

#endif
