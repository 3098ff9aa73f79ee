/* SPDX-License-Identifier: Apache-2.0 */
/* Runs visit every element of a rectangle exactly once, at the same coordinates in every tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include "tile/tile.h"

#include <stdlib.h>

/* coordinates[offset] = row * cols + col */
static int32_t *invert(const pto_tile_type *type) {
    int32_t *map = malloc((size_t)type->rows * (size_t)type->cols * sizeof *map);
    assert_non_null(map);
    for (int32_t r = 0; r < type->rows; r++)
        for (int32_t c = 0; c < type->cols; c++)
            map[testing_offset(type, r, c)] = r * type->cols + c;
    return map;
}

/* Returns the number of runs. */
static int64_t check(const pto_tile_type *types, int tiles, int32_t rows, int32_t cols) {
    const pto_tile_type *pointers[PTO_RUNS_MAX];
    int32_t *inverse[PTO_RUNS_MAX];
    for (int t = 0; t < tiles; t++) {
        pointers[t] = &types[t];
        inverse[t] = invert(&types[t]);
    }
    uint8_t *seen = calloc((size_t)rows * (size_t)cols, 1);
    assert_non_null(seen);
    pto_runs runs;
    int64_t total = 0, visited = 0;
    for (bool more = pto_runs_begin(&runs, pointers, tiles, rows, cols); more; more = pto_runs_next(&runs)) {
        assert_true(runs.length > 0 && runs.inner > 0 && runs.count % runs.inner == 0);
        total += runs.count;
        for (int64_t k = 0; k < runs.count; k++)
            for (int32_t e = 0; e < runs.length; e++) {
                int32_t row = -1, col = -1;
                for (int t = 0; t < tiles; t++) {
                    int64_t offset = runs.start[t] + k / runs.inner * runs.outer_step[t] +
                                     k % runs.inner * runs.inner_step[t] + e;
                    assert_true(offset >= 0 && offset < (int64_t)types[t].rows * types[t].cols);
                    int32_t at = inverse[t][offset];
                    int32_t r = at / types[t].cols, c = at % types[t].cols;
                    if (t == 0) {
                        row = r;
                        col = c;
                    }
                    assert_int_equal(r, row);
                    assert_int_equal(c, col);
                }
                assert_true(row < rows && col < cols);
                assert_int_equal(seen[row * cols + col]++, 0);
                visited++;
            }
    }
    assert_int_equal(visited, (int64_t)rows * cols);
    for (int t = 0; t < tiles; t++)
        free(inverse[t]);
    free(seen);
    return total;
}

static void test_random_rectangles(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_S4, PTO_U8, PTO_F16, PTO_F32, PTO_S64};
    testing_random random = {2};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int layout = 0; layout < TESTING_LAYOUT_COUNT; layout++)
            for (int trial = 0; trial < 40; trial++) {
                int32_t rows = 1 + (int32_t)testing_below(&random, 50),
                        cols = 1 + (int32_t)testing_below(&random, 80);
                if (trial % 8 == 0)
                    rows = 1;
                if (trial % 8 == 1)
                    cols = 1;
                int tiles = 1 + (int)testing_below(&random, PTO_RUNS_MAX);
                pto_tile_type types[PTO_RUNS_MAX];
                for (int t = 0; t < tiles; t++) {
                    types[t] = testing_type_around(&random, PTO_LOC_VEC, dtypes[d], (testing_layout)layout,
                                                   rows, cols, trial % 3 ? 2 : 0);
                    if (rows == 1 && testing_below(&random, 2) && layout != TESTING_DN)
                        types[t].rows = 1; /* one-row tiles beside others */
                }
                check(types, tiles, rows, cols);
            }
}

static void test_scale_and_accumulator_boxes(void **state) {
    (void)state;
    testing_random random = {3};
    for (int layout = TESTING_NZ; layout < TESTING_LAYOUT_COUNT; layout++)
        for (int trial = 0; trial < 40; trial++) {
            pto_tile_type types[2];
            int32_t rows = 1 + (int32_t)testing_below(&random, 48),
                    cols = 1 + (int32_t)testing_below(&random, 48);
            for (int t = 0; t < 2; t++) {
                types[t] =
                    testing_type(PTO_LOC_MAT, t ? PTO_F16 : PTO_F32, (testing_layout)layout, 48, 48 + 16 * t);
                types[t].fractal = trial & 1 ? 1024 : 32;
            }
            check(types, 2, rows, cols);
        }
}

static void test_full_width_is_one_run(void **state) {
    (void)state;
    for (int layout = 0; layout < TESTING_LAYOUT_COUNT; layout++) {
        pto_tile_type types[2];
        types[0] = types[1] = testing_type(PTO_LOC_VEC, PTO_F32, (testing_layout)layout, 32, 64);
        assert_int_equal(check(types, 2, 32, 64), 1);
    }
    pto_tile_type nd = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 64);
    assert_int_equal(check(&nd, 1, 5, 64), 1);
    assert_int_equal(check(&nd, 1, 5, 63), 5);
    pto_tile_type nz = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_NZ, 32, 64);
    assert_int_equal(check(&nz, 1, 31, 64), 8);      /* one run a column block */
    assert_int_equal(check(&nz, 1, 31, 63), 7 + 31); /* and the rows of the last one */
}

static void test_empty_rectangle(void **state) {
    (void)state;
    pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 8);
    const pto_tile_type *pointer = &type;
    pto_runs runs;
    assert_false(pto_runs_begin(&runs, &pointer, 1, 0, 8));
    assert_false(pto_runs_begin(&runs, &pointer, 1, 8, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rectangles),
        cmocka_unit_test(test_scale_and_accumulator_boxes),
        cmocka_unit_test(test_full_width_is_one_run),
        cmocka_unit_test(test_empty_rectangle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
