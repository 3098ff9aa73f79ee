/* SPDX-License-Identifier: Apache-2.0 */
/* TLOAD of scale tensors in the MX layouts (00-model, 6.3, 6.4), TMOV on to the scale memories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"

#include <pto/ops.h>
#include "tile/global.h"

#include <stdlib.h>
#include <string.h>

static const pto_layout layouts[] = {PTO_LAYOUT_MX_A_ZZ, PTO_LAYOUT_MX_A_ND, PTO_LAYOUT_MX_A_DN,
                                     PTO_LAYOUT_MX_B_NN, PTO_LAYOUT_MX_B_ND, PTO_LAYOUT_MX_B_DN};
enum { LAYOUTS = 6, ROWS = 64, COLS = 64 };

static bool is_left(pto_layout layout) { return layout <= PTO_LAYOUT_MX_A_ZZ; }

/* The view of 6.3 for rows x cols scales. */
static pto_global view_of(pto_layout layout, void *data, int64_t rows, int64_t cols) {
    const int64_t rc = rows * cols;
    pto_global g = {.dtype = PTO_E8M0, .layout = layout, .data = data};
    const int64_t table[LAYOUTS][10] = {{1, rows / 16, cols / 2, 16, 2, rc, cols * 16, 32, 2, 1},
                                        {1, 1, rows, cols / 2, 2, rc, rc, cols, 2, 1},
                                        {1, 1, cols / 2, rows, 2, rc, rc, rows * 2, 2, 1},
                                        {1, cols / 16, rows / 2, 16, 2, rc, rows * 16, 32, 2, 1},
                                        {1, 1, rows / 2, cols, 2, rc, rc, cols * 2, 2, 1},
                                        {1, 1, cols, rows / 2, 2, rc, rc, rows, 2, 1}};
    for (int i = 0; i < LAYOUTS; i++)
        if (layouts[i] == layout)
            for (int d = 0; d < 5; d++) {
                g.shape[d] = table[i][d];
                g.stride[d] = table[i][d + 5];
            }
    return g;
}

/* Where (r, c) lies in the packed view, written out by hand per layout. */
static int64_t packed(pto_layout layout, int64_t rows, int64_t cols, int64_t r, int64_t c) {
    switch (layout) {
    case PTO_LAYOUT_MX_A_ZZ:
        return r / 16 * (16 * cols) + c / 2 * 32 + r % 16 * 2 + c % 2;
    case PTO_LAYOUT_MX_A_ND:
        return r * cols + c;
    case PTO_LAYOUT_MX_A_DN:
        return c / 2 * (2 * rows) + 2 * r + c % 2;
    case PTO_LAYOUT_MX_B_NN:
        return c / 16 * (16 * rows) + r / 2 * 32 + c % 16 * 2 + r % 2;
    case PTO_LAYOUT_MX_B_ND:
        return r / 2 * (2 * cols) + 2 * c + r % 2;
    default:
        return c * rows + r;
    }
}

static pto_tile scale_tile(pto_core *core, testing_random *random, pto_loc loc, bool left, int rows,
                           int cols) {
    pto_tile_type type = left ? pto_tile_type_left_scale(loc, (rows + 15) / 16 * 16, (cols + 1) / 2 * 2)
                              : pto_tile_type_right_scale(loc, (rows + 1) / 2 * 2, (cols + 15) / 16 * 16);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, random, type, rows, cols);
}

static void test_loads(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    uint8_t *data = malloc(ROWS * COLS);
    assert_non_null(data);
    testing_random random = {31};
    for (int i = 0; i < ROWS * COLS; i++)
        data[i] = (uint8_t)testing_next(&random);
    for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target += PTO_TARGET_A5 - PTO_TARGET_CPU)
        for (int l = 0; l < levels; l++) {
            pto_core *core = testing_core((pto_target)target, level[l]);
            for (int turn = 0; turn < 200; turn++)
                for (int i = 0; i < LAYOUTS; i++) {
                    const pto_layout layout = layouts[i];
                    const bool left = is_left(layout);
                    const int64_t row_unit = layout == PTO_LAYOUT_MX_A_ZZ ? 16 : left ? 1 : 2;
                    const int64_t col_unit = layout == PTO_LAYOUT_MX_B_NN ? 16 : left ? 2 : 1;
                    const int64_t rows = row_unit * (1 + testing_below(&random, (uint32_t)(ROWS / row_unit)));
                    const int64_t cols = col_unit * (1 + testing_below(&random, (uint32_t)(COLS / col_unit)));
                    int valid_rows = 1 + (int)testing_below(&random, (uint32_t)rows);
                    int valid_cols = 1 + (int)testing_below(&random, (uint32_t)cols);
                    if (target == PTO_TARGET_A5 && left)
                        valid_cols += valid_cols % 2;
                    if (target == PTO_TARGET_A5 && !left)
                        valid_rows += valid_rows % 2;
                    pto_global g = view_of(layout, data, rows, cols);
                    pto_tile mat = scale_tile(core, &random, PTO_LOC_MAT, left, valid_rows, valid_cols);
                    pto_tile scale =
                        scale_tile(core, &random, left ? PTO_LOC_SCALE_LEFT : PTO_LOC_SCALE_RIGHT, left,
                                   valid_rows, valid_cols);
                    void *before = testing_snapshot(&mat);
                    TESTING_ACCEPTED(core, PTO_FORM_TLOAD, testing_tile_operand(&mat),
                                     testing_global_operand(&g));
                    TESTING_ACCEPTED(core, PTO_FORM_TMOV, testing_tile_operand(&scale),
                                     testing_tile_operand(&mat));
                    for (int r = 0; r < valid_rows; r++)
                        for (int c = 0; c < valid_cols; c++) {
                            const int64_t at = packed(layout, rows, cols, r, c);
                            assert_int_equal(testing_get(&mat, r, c), data[at]);
                            assert_int_equal(testing_get(&scale, r, c), data[at]);
                            assert_int_equal(pto_global_offset(&g, r, c), at);
                        }
                    assert_true(testing_outside_unchanged(&mat, before));
                    free(before);
                    if (turn % 16 == 15)
                        pto_core_reset(core);
                }
            pto_core_destroy(core);
        }
    free(data);
}

static void test_rules(void **state) {
    (void)state;
    uint8_t data[64 * 64] = {0};
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool a5 = target == PTO_TARGET_A5, cpu = target == PTO_TARGET_CPU;
        for (int i = 0; i < LAYOUTS; i++) {
            const bool left = is_left(layouts[i]), boxed = i % 3 == 0;
            pto_global g = view_of(layouts[i], data, 32, 32);
            pto_tile mat = scale_tile(core, NULL, PTO_LOC_MAT, left, 32, 32);
#define LOAD(rule)                                                                                           \
    testing_expect(                                                                                          \
        core, TESTING_EXECUTE(core, PTO_FORM_TLOAD, testing_tile_operand(&mat), testing_global_operand(&g)), \
        rule, __FILE__, __LINE__)
            LOAD(cpu || a5 ? NULL : "PTO-E0702");
            pto_tile vec = scale_tile(core, NULL, PTO_LOC_VEC, left, 32, 32);
            TESTING_REFUSED(core, cpu || a5 ? "PTO-E0704" : "PTO-E0702", PTO_FORM_TSTORE,
                            testing_global_operand(&g), testing_tile_operand(&vec));
            if (!cpu && !a5)
                continue;
            g.shape[4] = 1;
            LOAD("PTO-E0813");
            g.shape[4] = 2;
            g.shape[0] = 2;
            LOAD("PTO-E0813");
            g.shape[0] = 1;
            g.shape[boxed ? 3 : 1] += 1;
            LOAD("PTO-E0813");
            g = view_of(layouts[i], data, 32, 32);
            mat.valid_rows = 31;
            LOAD(a5 && !left ? "PTO-E0813" : NULL);
            mat.valid_rows = 32;
            mat.valid_cols = 31;
            LOAD(a5 && left ? "PTO-E0813" : NULL);
            mat = scale_tile(core, NULL, PTO_LOC_MAT, left, 48, 32);
            LOAD("PTO-E0703");
            mat = scale_tile(core, NULL, PTO_LOC_MAT, left, 32, 48);
            LOAD("PTO-E0703");
            mat = scale_tile(core, NULL, PTO_LOC_MAT, !left, 32, 32);
            LOAD(a5 ? "PTO-E0704" : NULL);
            mat = scale_tile(core, NULL, PTO_LOC_VEC, left, 32, 32);
            LOAD(a5 ? "PTO-E0704" : NULL);
            mat = scale_tile(core, NULL, PTO_LOC_MAT, left, 32, 32);
            mat.type.dtype = PTO_U8;
            LOAD(a5 ? "PTO-E0704" : NULL);
        }
        /* HIF4_A_ZZ and HIF4_B_NN (00, 7: codes 10 and 11) are loaded on none of these targets */
        for (int code = 10; code <= 11; code++) {
            pto_global g = view_of(PTO_LAYOUT_MX_A_ZZ, data, 32, 32);
            g.layout = (pto_layout)code;
            pto_tile mat = scale_tile(core, NULL, PTO_LOC_MAT, true, 32, 32);
            LOAD(cpu || a5 ? "PTO-E0704" : "PTO-E0702");
        }
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
