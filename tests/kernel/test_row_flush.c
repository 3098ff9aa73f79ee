/* SPDX-License-Identifier: Apache-2.0 */
/* The option that flushes subnormals on reductions and broadcasts along an axis: inputs, every node and
 * results lose them, signs stay. Arg reductions copy and compare what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>

#define T(t) testing_tile_operand(t)

static const pto_dtype dtypes[] = {PTO_F32, PTO_F16, PTO_BF16};

static uint64_t flushed(pto_dtype dtype, uint64_t bits) {
    const unsigned mantissa = dtype == PTO_F32   ? 23
                              : dtype == PTO_F16 ? 10
                                                 : 7,
                   width = pto_dtype_bits(dtype);
    const uint64_t sign = bits & UINT64_C(1) << (width - 1);
    return (bits ^ sign) >> mantissa ? bits : sign;
}

static pto_core *core_of(pto_target target, pto_simd_level level) {
    return pto_core_create(
        &(pto_options){.target = target, .simd = level, .numeric = {.flush_subnormals = true}});
}

/* Values around the smallest normal number: subnormals, and sums and differences that become some. */
static void fill(testing_random *random, pto_tile *tile) {
    const pto_dtype dtype = tile->type.dtype;
    const int least = dtype == PTO_F16 ? -14 : -126;
    for (int r = 0; r < tile->type.rows; r++)
        for (int c = 0; c < tile->type.cols; c++) {
            const double value = ldexp((double)testing_below(random, 4096) - 2048, least - 10);
            testing_set(tile, r, c, reference_round(dtype, value));
        }
}

static pto_tile make(pto_core *core, testing_random *random, pto_dtype dtype, testing_layout layout, int rows,
                     int cols) {
    pto_tile tile = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, dtype, layout, rows, cols, 0), rows, cols);
    fill(random, &tile);
    return tile;
}

static uint64_t node(reference_op op, pto_dtype dtype, uint64_t a, uint64_t b) {
    return flushed(dtype, reference_binary(op, dtype, flushed(dtype, a), flushed(dtype, b)));
}

/* Sums of target cpu: rows in float, columns in the element type, ascending from +0. */
static uint64_t ascending_sum(pto_dtype dtype, bool in_float, const uint64_t *x, int count) {
    const pto_dtype type = in_float ? PTO_F32 : dtype;
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum = node(REFERENCE_ADD, type, sum,
                   reference_round(type, reference_value(dtype, flushed(dtype, x[i]))));
    return flushed(dtype, reference_round(dtype, reference_value(type, sum)));
}

static uint64_t extreme(bool minimum, pto_dtype dtype, uint64_t *x, int count) {
    for (int i = 0; i < count; i++)
        x[i] = flushed(dtype, x[i]);
    return reference_extreme(minimum, dtype, x, count);
}

static void test_reductions(void **state) {
    (void)state;
    static const pto_form forms[2][3] = {{PTO_FORM_TROWSUM, PTO_FORM_TROWMAX, PTO_FORM_TROWMIN},
                                         {PTO_FORM_TCOLSUM, PTO_FORM_TCOLMAX, PTO_FORM_TCOLMIN}};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int trial = 0; trial < 120; trial++) {
            const pto_dtype dtype = dtypes[trial % 3];
            testing_random random = {(uint64_t)trial};
            pto_core *core = core_of(PTO_TARGET_CPU, levels[l]);
            const bool columns = trial & 1;
            const int rows = 1 + (int)testing_below(&random, 40), cols = 1 + (int)testing_below(&random, 140);
            pto_tile src = make(core, &random, dtype, TESTING_ND, rows, cols),
                     dst = make(core, &random, dtype, TESTING_ND, columns ? 1 : rows, columns ? cols : 1);
            uint64_t x[140];
            for (int f = 0; f < 3; f++) {
                TESTING_ACCEPTED(core, forms[columns][f], T(&dst), T(&src));
                const int n = columns ? rows : cols;
                for (int k = 0; k < (columns ? cols : rows); k++) {
                    for (int i = 0; i < n; i++)
                        x[i] = columns ? testing_get(&src, i, k) : testing_get(&src, k, i);
                    const uint64_t want =
                        f == 0 ? ascending_sum(dtype, !columns, x, n) : extreme(f == 2, dtype, x, n);
                    assert_int_equal(columns ? testing_get(&dst, 0, k) : testing_get(&dst, k, 0), want);
                }
            }
            pto_core_destroy(core);
        }
}

/* The trees of the other targets, where two elements are one node in every order. */
static void test_pairs_of_targets(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int target = PTO_TARGET_A2A3; target < PTO_TARGET_COUNT; target++)
            for (int d = 0; d < 2; d++) {
                testing_random random = {(uint64_t)(d + 7)};
                pto_core *core = core_of((pto_target)target, levels[l]);
                pto_tile src = make(core, &random, dtypes[d], TESTING_ND, 70, 2),
                         dst = make(core, &random, dtypes[d], TESTING_ND, 70, 1),
                         rows = make(core, &random, dtypes[d], TESTING_ND, 2, 70),
                         sums = make(core, &random, dtypes[d], TESTING_ND, 1, 70);
                TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src));
                TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM, T(&sums), T(&rows));
                for (int k = 0; k < 70; k++) {
                    uint64_t want =
                        node(REFERENCE_ADD, dtypes[d], testing_get(&src, k, 0), testing_get(&src, k, 1));
                    if (target == PTO_TARGET_A5) /* adds it to +0 */
                        want = node(REFERENCE_ADD, dtypes[d], 0, want);
                    assert_int_equal(testing_get(&dst, k, 0), want);
                    assert_int_equal(
                        testing_get(&sums, 0, k),
                        node(REFERENCE_ADD, dtypes[d], testing_get(&rows, 0, k), testing_get(&rows, 1, k)));
                }
                pto_core_destroy(core);
            }
}

static void test_broadcasts(void **state) {
    (void)state;
    static const pto_form row_forms[] = {PTO_FORM_TROWEXPANDADD, PTO_FORM_TROWEXPANDSUB,
                                         PTO_FORM_TROWEXPANDMUL, PTO_FORM_TROWEXPANDDIV,
                                         PTO_FORM_TROWEXPANDMAX, PTO_FORM_TROWEXPANDMIN},
                          col_forms[] = {PTO_FORM_TCOLEXPANDADD, PTO_FORM_TCOLEXPANDSUB,
                                         PTO_FORM_TCOLEXPANDMUL, PTO_FORM_TCOLEXPANDDIV,
                                         PTO_FORM_TCOLEXPANDMAX, PTO_FORM_TCOLEXPANDMIN};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int trial = 0; trial < 108; trial++) {
            const pto_dtype dtype = dtypes[trial % 3];
            const int op = trial / 3 % 6;
            const bool columns = trial & 1;
            testing_random random = {(uint64_t)trial};
            pto_core *core = core_of(PTO_TARGET_A5, levels[l]);
            const int rows = 2 + (int)testing_below(&random, 20), cols = 2 + (int)testing_below(&random, 90);
            pto_tile src = make(core, &random, dtype, TESTING_ND, rows, cols),
                     other = make(core, &random, dtype, columns ? TESTING_ND : TESTING_DN, columns ? 1 : rows,
                                  columns ? cols : 1),
                     dst = make(core, &random, dtype, TESTING_ND, rows, cols);
            TESTING_ACCEPTED(core, columns ? col_forms[op] : row_forms[op], T(&dst), T(&src), T(&other));
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++)
                    assert_int_equal(testing_get(&dst, r, c),
                                     node((reference_op)op, dtype, testing_get(&src, r, c),
                                          columns ? testing_get(&other, 0, c) : testing_get(&other, r, 0)));
            pto_core_destroy(core);
        }
}

static void test_args_keep(void **state) {
    (void)state;
    pto_core *core = core_of(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_tile src = testing_tile(core, NULL,
                                testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_ND, 2, 8, 0), 2, 8),
             value = testing_tile(core, NULL, src.type, 2, 1),
             index = testing_tile(core, NULL,
                                  testing_type_around(NULL, PTO_LOC_VEC, PTO_S32, TESTING_ND, 2, 8, 0), 2, 1);
    testing_set(&src, 0, 5, 3);
    testing_set(&src, 1, 6, 1);
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value), T(&index), T(&src));
    for (int r = 0; r < 2; r++) {
        assert_int_equal(testing_get(&index, r, 0), 5 + r);
        assert_int_equal(testing_get(&value, r, 0), r ? 1 : 3);
    }
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reductions),
                                       cmocka_unit_test(test_pairs_of_targets),
                                       cmocka_unit_test(test_broadcasts), cmocka_unit_test(test_args_keep)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
