/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise forms against the reference, see elementwise_testing.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"

#include <inttypes.h>
#include <stdlib.h>

#include <pto/number.h>

pto_operand elementwise_scalar(pto_dtype type, uint64_t code) {
    if (pto_dtype_is_float(type))
        return testing_float_operand(PTO_F64, pto_number_to_double(type, code));
    return testing_int_operand(type, (int64_t)code);
}

pto_core *elementwise_core(pto_target target, pto_simd_level level, const pto_numeric_options *options) {
    pto_options all = {.target = target, .simd = level};
    if (options)
        all.numeric = *options;
    pto_core *core = pto_core_create(&all);
    assert_non_null(core);
    return core;
}

void elementwise_check(testing_random *random, const elementwise_case *test, pto_target target,
                       pto_dtype type, testing_layout layout, int32_t rows, int32_t cols,
                       elementwise_place place, const pto_numeric_options *options) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    const testing_random start = *random;
    for (int k = 0; k < levels; k++) {
        *random = start; /* the same tiles at every level */
        pto_core *core = elementwise_core(target, level[k], options);
        pto_tile tile[3]; /* dst, src0, src1 */
        for (int t = 0; t < 3; t++)
            tile[t] = testing_tile(core, random,
                                   testing_type_around(random, PTO_LOC_VEC, type, layout, rows, cols, 2),
                                   rows, cols);
        pto_tile *dst = &tile[0], *src[2] = {&tile[1], &tile[2]};
        if (place == ELEMENTWISE_IN_PLACE || place == ELEMENTWISE_ALL_ONE)
            dst = src[0];
        if (place == ELEMENTWISE_ALL_ONE)
            src[1] = src[0];
        if (place == ELEMENTWISE_IN_PLACE_OF_1)
            dst = src[1];
        if (place == ELEMENTWISE_IN_PLACE_PITCH) {
            if (pto_tile_type_bytes(&dst->type) > pto_tile_type_bytes(&src[0]->type))
                src[0]->data = dst->data;
            else
                dst->data = src[0]->data;
        }
        uint64_t value = testing_bits(random, type);
        if (pto_dtype_is_float(type)) /* a NaN without payload: a scalar is a number */
            value = pto_number_from_double(type, pto_number_to_double(type, value), PTO_CAST_NONE, false);
        const size_t elements = (size_t)rows * (size_t)cols;
        uint64_t *expected = calloc(elements ? elements : 1, sizeof *expected);
        assert_non_null(expected);
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                const uint64_t a = testing_get(src[0], r, c), b = testing_get(src[1], r, c);
                const bool first = test->shape == ELEMENTWISE_SCALAR_TILE;
                expected[r * cols + c] = reference_elementwise(test->op, type, first ? value : a,
                                                               test->shape == ELEMENTWISE_BINARY ? b
                                                               : first                           ? a
                                                                                                 : value,
                                                               testing_get(dst, r, c), options);
            }
        void *before = testing_snapshot(dst);
        const pto_operand d = testing_tile_operand(dst), s0 = testing_tile_operand(src[0]),
                          s1 = testing_tile_operand(src[1]), scalar = elementwise_scalar(type, value);
        switch (test->shape) {
        case ELEMENTWISE_UNARY:
            TESTING_ACCEPTED(core, test->form, d, s0);
            break;
        case ELEMENTWISE_BINARY:
            TESTING_ACCEPTED(core, test->form, d, s0, s1);
            break;
        case ELEMENTWISE_TILE_SCALAR:
            TESTING_ACCEPTED(core, test->form, d, s0, scalar);
            break;
        case ELEMENTWISE_SCALAR_TILE:
            TESTING_ACCEPTED(core, test->form, d, scalar, s0);
            break;
        case ELEMENTWISE_SCALAR:
            TESTING_ACCEPTED(core, test->form, d, scalar);
            break;
        }
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                const uint64_t found = testing_get(dst, r, c);
                if (found != expected[r * cols + c])
                    fail_msg(
                        "form %d op %d %s layout %d place %d level %d, %d x %d at (%d, %d): found %" PRIx64
                        ", expected %" PRIx64 "; scalar %" PRIx64,
                        (int)test->form, (int)test->op, pto_dtype_name(type), (int)layout, (int)place,
                        (int)level[k], rows, cols, r, c, found, expected[r * cols + c], value);
            }
        assert_true(testing_outside_unchanged(dst, before));
        free(before);
        free(expected);
        pto_core_destroy(core);
    }
}
