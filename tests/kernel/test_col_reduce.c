/* SPDX-License-Identifier: Apache-2.0 */
/* TCOLSUM (both forms) TCOLMAX TCOLMIN against the reference on every target and level, and the rules of the
 * column forms. */
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
#define BINARY(b) testing_int_operand(PTO_DTYPE_NONE, b)

typedef struct sum_types {
    pto_target target;
    pto_dtype to, from;
} sum_types;

static void fill(testing_random *random, pto_tile *tile, bool special) {
    pto_dtype dtype = tile->type.dtype;
    for (int r = 0; r < tile->type.rows; r++)
        for (int c = 0; c < tile->type.cols; c++) {
            uint64_t bits = testing_bits(random, dtype);
            if (pto_dtype_is_float(dtype) && !special)
                while (!(fabs(reference_value(dtype, bits)) < 1000.0))
                    bits = testing_bits(random, dtype);
            testing_set(tile, r, c, bits);
        }
}

enum { SEQUENTIAL, WITH_TMP, TREE, MAXIMUM, MINIMUM, OPERATIONS };

static void run(pto_core *core, testing_random *random, sum_types types, int operation, int trial) {
    int rows = 1 + (int)testing_below(random, trial % 5 ? 12 : 70),
        cols = 1 + (int)testing_below(random, trial % 4 ? 50 : 600);
    while (rows * cols > 6000)
        cols = 1 + cols / 2;
    pto_tile src = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, types.from, TESTING_ND, rows, cols, 2), rows,
        cols);
    fill(random, &src, trial % 3 == 0);
    pto_tile dst = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, types.to, TESTING_ND, 1, cols, 2), 1, cols);
    pto_tile tmp = testing_tile(core, NULL, src.type, rows, cols);
    void *before = testing_snapshot(&dst);
    if (operation == SEQUENTIAL)
        TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM, T(&dst), T(&src));
    else if (operation <= TREE)
        TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&tmp),
                         BINARY(operation == TREE));
    else
        TESTING_ACCEPTED(core, operation == MAXIMUM ? PTO_FORM_TCOLMAX : PTO_FORM_TCOLMIN, T(&dst), T(&src));
    uint64_t *x = calloc((size_t)rows, sizeof *x);
    for (int c = 0; c < cols; c++) {
        for (int r = 0; r < rows; r++)
            x[r] = testing_get(&src, r, c);
        uint64_t want = operation >= MAXIMUM ? reference_extreme(operation == MINIMUM, types.from, x, rows)
                                             : reference_col_sum(types.target, operation == TREE, types.to,
                                                                 types.from, x, rows);
        if (testing_get(&dst, 0, c) != want)
            fail_msg("%s %s operation %d, %d rows, column %d: %llx, expected %llx",
                     pto_target_name(types.target), pto_dtype_name(types.from), operation, rows, c,
                     (unsigned long long)testing_get(&dst, 0, c), (unsigned long long)want);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    free(x);
    pto_core_reset(core);
}

static void test_sums(void **state) {
    (void)state;
    static const sum_types cases[] = {
        {PTO_TARGET_CPU, PTO_F32, PTO_F32},   {PTO_TARGET_CPU, PTO_F16, PTO_F16},
        {PTO_TARGET_CPU, PTO_BF16, PTO_BF16}, {PTO_TARGET_CPU, PTO_F32, PTO_F16},
        {PTO_TARGET_CPU, PTO_F32, PTO_BF16},  {PTO_TARGET_CPU, PTO_U8, PTO_U8},
        {PTO_TARGET_CPU, PTO_S64, PTO_S64},   {PTO_TARGET_A2A3, PTO_F32, PTO_F32},
        {PTO_TARGET_A2A3, PTO_F16, PTO_F16},  {PTO_TARGET_A2A3, PTO_S16, PTO_S16},
        {PTO_TARGET_A5, PTO_F32, PTO_F32},    {PTO_TARGET_A5, PTO_F16, PTO_F16},
        {PTO_TARGET_A5, PTO_BF16, PTO_BF16},  {PTO_TARGET_A5, PTO_S8, PTO_S8},
        {PTO_TARGET_A5, PTO_U32, PTO_U32},
    };
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            testing_random random = {11 + c};
            pto_core *core = testing_core(cases[c].target, levels[l]);
            for (int trial = 0; trial < 60; trial++)
                run(core, &random, cases[c], trial % 3, trial);
            pto_core_destroy(core);
        }
}

static void test_extremes(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, levels[l]);
        for (int dtype = PTO_S8; dtype < PTO_DTYPE_COUNT; dtype++) {
            testing_random random = {(uint64_t)dtype};
            for (int trial = 0; dtype != PTO_F64 && trial < 20; trial++)
                run(core, &random, (sum_types){PTO_TARGET_CPU, (pto_dtype)dtype, (pto_dtype)dtype},
                    trial % 2 ? MAXIMUM : MINIMUM, trial);
        }
        pto_core_destroy(core);
    }
}

static pto_tile tile(pto_dtype dtype, testing_layout layout, int rows, int cols, int valid_rows,
                     int valid_cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, layout, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, valid_rows, valid_cols);
}

static void test_reduce_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile src = tile(PTO_F32, TESTING_ND, 7, 16, 7, 16), dst = tile(PTO_F32, TESTING_ND, 1, 16, 1, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM, T(&dst), T(&src));
    pto_tile narrow = tile(PTO_F32, TESTING_ND, 1, 16, 1, 15), none = tile(PTO_F32, TESTING_ND, 1, 16, 0, 16);
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TCOLSUM, T(&narrow), T(&src));
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TCOLMAX, T(&none), T(&src));
    pto_tile two = tile(PTO_F32, TESTING_ND, 2, 16, 2, 16), column = tile(PTO_F32, TESTING_DN, 8, 16, 8, 16);
    assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TCOLMIN, T(&two), T(&src)), PTO_OK);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0603"));
    pto_diag_list_clear(pto_core_diags(core));
    TESTING_REFUSED(core, "PTO-E0601", PTO_FORM_TCOLSUM, T(&dst), T(&column));
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TCOLSUM, T(&src), T(&src));
    pto_tile empty = tile(PTO_F32, TESTING_ND, 7, 16, 0, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM, T(&dst), T(&empty));
    /* the tree: ceil(7 / 2) rows */
    pto_tile four = tile(PTO_F32, TESTING_ND, 4, 16, 4, 16), three = tile(PTO_F32, TESTING_ND, 3, 16, 3, 16);
    pto_tile thin = tile(PTO_F32, TESTING_ND, 4, 8, 4, 8), other = tile(PTO_S32, TESTING_ND, 4, 16, 4, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&four), BINARY(1));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&three), BINARY(0));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&three), BINARY(1));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&thin), BINARY(1));
    TESTING_REFUSED(core, "PTO-E0607", PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&other), BINARY(1));
    TESTING_REFUSED(core, "PTO-E0329", PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(NULL), BINARY(1));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(NULL), BINARY(0));
    pto_core_destroy(core);
    core = testing_core(PTO_TARGET_A5, PTO_SIMD_BEST);
    src.data = dst.data = three.data = NULL;
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(&three), BINARY(1));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLSUM_TMP_ISBINARY, T(&dst), T(&src), T(NULL), BINARY(1));
    pto_core_destroy(core);
}

static void test_expand_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile dst = tile(PTO_F32, TESTING_ND, 8, 16, 8, 16), src = dst,
             row = tile(PTO_F32, TESTING_ND, 1, 16, 1, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLEXPANDADD, T(&dst), T(&src), T(&row));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLEXPANDADD, T(&dst), T(&row), T(&src));
    pto_tile narrow = tile(PTO_F32, TESTING_ND, 1, 16, 1, 15), none = tile(PTO_F32, TESTING_ND, 1, 16, 0, 16);
    TESTING_REFUSED(core, "PTO-E0615", PTO_FORM_TCOLEXPANDADD, T(&dst), T(&src), T(&narrow));
    TESTING_REFUSED(core, "PTO-E0615", PTO_FORM_TCOLEXPANDADD, T(&dst), T(&src), T(&none));
    TESTING_REFUSED(core, "PTO-E0615", PTO_FORM_TCOLEXPANDADD, T(&dst), T(&row), T(&row));
    TESTING_REFUSED(core, "PTO-E0611", PTO_FORM_TCOLEXPANDADD, T(&dst), T(&src), T(&dst));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLEXPANDADD, T(&dst), T(&dst), T(&src));
    pto_tile one = tile(PTO_F32, TESTING_ND, 1, 16, 1, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLEXPANDADD, T(&one), T(&row), T(&one)); /* one row: any */
    pto_tile column = tile(PTO_F32, TESTING_DN, 8, 16, 8, 16);
    TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TCOLEXPANDADD, T(&dst), T(&column), T(&row));
    TESTING_REFUSED(core, "PTO-E0616", PTO_FORM_TCOLEXPAND, T(&dst), T(&narrow));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLEXPAND, T(&dst), T(&dst));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_extremes),
                                       cmocka_unit_test(test_reduce_rules),
                                       cmocka_unit_test(test_expand_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
