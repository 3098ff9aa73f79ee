/* SPDX-License-Identifier: Apache-2.0 */
/* Element addresses of every layout against a walk through the storage, and the examples of 00-model, 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include "tile/tile.h"

static void check_all(const pto_tile_type *type) {
    for (int32_t r = 0; r < type->rows; r++)
        for (int32_t c = 0; c < type->cols; c++)
            if (pto_tile_offset(type, r, c) != testing_offset(type, r, c))
                fail_msg("%s %dx%d fractal %d, layout %d/%d at (%d, %d): %lld, walk %lld",
                         pto_dtype_name(type->dtype), type->rows, type->cols, type->fractal, type->blayout,
                         type->slayout, r, c, (long long)pto_tile_offset(type, r, c),
                         (long long)testing_offset(type, r, c));
}

static void test_every_layout_and_size(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_S4,   PTO_E2M1, PTO_U8,  PTO_E4M3, PTO_F16,
                                       PTO_BF16, PTO_F32,  PTO_S32, PTO_S64};
    testing_random random = {1};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int layout = 0; layout < TESTING_LAYOUT_COUNT; layout++)
            for (int trial = 0; trial < 12; trial++) {
                int32_t rows = 1 + (int32_t)testing_below(&random, trial < 6 ? 20 : 70);
                int32_t cols = 1 + (int32_t)testing_below(&random, trial < 6 ? 20 : 150);
                if (trial == 0)
                    rows = 1;
                pto_tile_type type = testing_type_around(&random, PTO_LOC_VEC, dtypes[d],
                                                         (testing_layout)layout, rows, cols, 2);
                check_all(&type);
                if (trial == 0) { /* a one-row tile is a plain vector */
                    type.rows = 1;
                    check_all(&type);
                    assert_int_equal(pto_tile_offset(&type, 0, type.cols - 1), type.cols - 1);
                }
            }
}

static void test_accumulator_and_scale_boxes(void **state) {
    (void)state;
    for (int layout = TESTING_NZ; layout < TESTING_LAYOUT_COUNT; layout++)
        for (int32_t rows = 16; rows <= 64; rows += 16)
            for (int32_t cols = 16; cols <= 64; cols += 16) {
                pto_tile_type type = testing_type(PTO_LOC_ACC, PTO_F32, (testing_layout)layout, rows, cols);
                type.fractal = 1024;
                check_all(&type);
                type.dtype = PTO_E8M0;
                type.fractal = 32;
                check_all(&type);
            }
}

static void test_worked_examples(void **state) {
    (void)state;
    static const struct {
        pto_loc loc;
        pto_dtype dtype;
        testing_layout layout;
        int32_t fractal, rows, cols, r, c;
        int64_t offset;
    } examples[] = {
        {PTO_LOC_VEC, PTO_F32, TESTING_ND, 512, 4, 8, 2, 3, 19},
        {PTO_LOC_VEC, PTO_F32, TESTING_DN, 512, 8, 2, 5, 1, 13},
        {PTO_LOC_MAT, PTO_F16, TESTING_NZ, 512, 32, 32, 17, 18, 786},
        {PTO_LOC_MAT, PTO_F16, TESTING_ZN, 512, 32, 32, 17, 18, 801},
        {PTO_LOC_LEFT, PTO_F16, TESTING_ZZ, 512, 32, 64, 17, 18, 1298},
        {PTO_LOC_RIGHT, PTO_S8, TESTING_ZN, 512, 64, 32, 33, 17, 1569},
        {PTO_LOC_MAT, PTO_F32, TESTING_NZ, 512, 16, 16, 3, 9, 153},
        {PTO_LOC_ACC, PTO_F32, TESTING_NZ, 1024, 32, 32, 17, 18, 786},
        {PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 32, 32, 4, 17, 3, 99},
        {PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_NN, 32, 4, 32, 3, 17, 99},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        pto_tile_type type = testing_type(examples[i].loc, examples[i].dtype, examples[i].layout,
                                          examples[i].rows, examples[i].cols);
        type.fractal = examples[i].fractal;
        assert_int_equal(pto_tile_offset(&type, examples[i].r, examples[i].c), examples[i].offset);
    }
    /* Nz of 17 rows has a pitch of 17 rows */
    pto_tile_type odd = testing_type(PTO_LOC_VEC, PTO_F16, TESTING_NZ, 17, 32);
    assert_int_equal(pto_tile_offset(&odd, 0, 16), 17 * 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layout_and_size),
        cmocka_unit_test(test_accumulator_and_scale_boxes),
        cmocka_unit_test(test_worked_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
