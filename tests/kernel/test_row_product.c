/* SPDX-License-Identifier: Apache-2.0 */
/* TROWPROD TCOLPROD against the reference in the order of each target, at every level, and the scratch of
 * TROWPROD. */
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

/* Factors around 1, so that products neither vanish nor overflow; special values in every other tile. */
static void fill(testing_random *random, pto_tile *tile, bool special) {
    const pto_dtype dtype = tile->type.dtype;
    for (int r = 0; r < tile->type.rows; r++)
        for (int c = 0; c < tile->type.cols; c++) {
            uint64_t bits = testing_bits(random, dtype);
            if (!pto_dtype_is_int(dtype) && !special)
                bits = reference_round(dtype, ldexp((double)(4096 + testing_below(random, 8192)), -13) *
                                                  (r % 2 ? -1 : 1));
            testing_set(tile, r, c, bits);
        }
}

static void run(pto_core *core, testing_random *random, pto_target target, pto_dtype dtype, bool columns,
                int trial) {
    static const int edges[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 257};
    int rows = 1 + (int)testing_below(random, trial % 9 ? 7 : 70),
        cols = trial % 2 ? edges[trial / 2 % 16] : 1 + (int)testing_below(random, trial % 8 ? 30 : 300);
    while (rows * cols > 3000)
        rows = 1 + rows / 2;
    pto_tile src = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 2), rows, cols);
    fill(random, &src, trial % 3 == 0);
    const int out_rows = columns ? 1 : rows, out_cols = columns ? cols : 1;
    pto_tile dst = testing_tile(core, random,
                                testing_type_around(random, PTO_LOC_VEC, dtype,
                                                    !columns && trial & 2 ? TESTING_DN : TESTING_ND, out_rows,
                                                    out_cols, columns ? 2 : 0),
                                out_rows, out_cols);
    pto_tile tmp = testing_tile(core, NULL, src.type, rows, cols);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    if (columns)
        TESTING_ACCEPTED(core, PTO_FORM_TCOLPROD, T(&dst), T(&src));
    else
        TESTING_ACCEPTED(core, PTO_FORM_TROWPROD, T(&dst), T(&src), T(&tmp));
    uint64_t *x = calloc((size_t)(rows + cols), sizeof *x);
    for (int k = 0; k < (columns ? cols : rows); k++) {
        const int count = columns ? rows : cols;
        for (int i = 0; i < count; i++)
            x[i] = columns ? testing_get(&src, i, k) : testing_get(&src, k, i);
        const uint64_t want = columns ? reference_col_product(target, dtype, x, count)
                                      : reference_row_product(target, dtype, x, count),
                       have = columns ? testing_get(&dst, 0, k) : testing_get(&dst, k, 0);
        if (have != want)
            fail_msg("%s %s %s %d x %d, %d: %llx, expected %llx", pto_target_name(target),
                     pto_dtype_name(dtype), columns ? "columns" : "rows", rows, cols, k,
                     (unsigned long long)have, (unsigned long long)want);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
    free(before);
    free(source);
    free(x);
    pto_core_reset(core);
}

static void run_target(pto_target target, const pto_dtype *dtypes, int dtype_count, bool columns) {
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++) {
        pto_core *core = testing_core(target, levels[l]);
        for (int d = 0; d < dtype_count; d++) {
            testing_random random = {(uint64_t)(31 * d + (int)target)};
            for (int trial = 0; trial < 200; trial++)
                run(core, &random, target, dtypes[d], columns, trial);
        }
        pto_core_destroy(core);
    }
}

static void test_rows(void **state) {
    (void)state;
    static const pto_dtype npu[] = {PTO_F16, PTO_F32, PTO_S16, PTO_S32},
                           cpu[] = {PTO_F16, PTO_BF16, PTO_F32, PTO_S8, PTO_U16, PTO_S64, PTO_E4M3, PTO_E2M1};
    run_target(PTO_TARGET_CPU, cpu, 8, false);
    run_target(PTO_TARGET_A2A3, npu, 4, false);
    run_target(PTO_TARGET_A5, npu, 4, false);
}

static void test_columns(void **state) {
    (void)state;
    static const pto_dtype cpu[] = {PTO_F16, PTO_F32, PTO_S8, PTO_U64, PTO_E5M2, PTO_S4},
                           a2a3[] = {PTO_F16, PTO_F32, PTO_S16, PTO_S32},
                           a5[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_S16, PTO_U16, PTO_S32, PTO_U32};
    run_target(PTO_TARGET_CPU, cpu, 6, true);
    run_target(PTO_TARGET_A2A3, a2a3, 4, true);
    run_target(PTO_TARGET_A5, a5, 7, true);
}

/* Subnormal factors and results become zeros of their sign. */
static void test_flush(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++) {
            pto_core *core = pto_core_create(&(pto_options){
                .target = (pto_target)target, .simd = levels[l], .numeric = {.flush_subnormals = true}});
            pto_tile_type many = testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_ND, 4, 8, 0),
                          one = testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 8, 0);
            pto_tile src = testing_tile(core, NULL, many, 4, 2), row = testing_tile(core, NULL, many, 4, 1),
                     tmp = testing_tile(core, NULL, many, 4, 8), col = testing_tile(core, NULL, one, 1, 2);
            static const float x[4][2] = {
                {-0x1p-140f, 0x1p100f}, {0x1p-80f, -0x1p-60f}, {0x1p-100f, 0x1p-26f}, {1.0f, 0x1p-130f}};
            static const float want[4] = {-0.0f, -0.0f, 0x1p-126f, 0.0f};
            for (int i = 0; i < 8; i++)
                testing_set(&src, i / 2, i % 2, reference_round(PTO_F32, x[i / 2][i % 2]));
            TESTING_ACCEPTED(core, PTO_FORM_TROWPROD, T(&row), T(&src), T(&tmp));
            for (int r = 0; r < 4; r++)
                assert_int_equal(testing_get(&row, r, 0), reference_round(PTO_F32, want[r]));
            TESTING_ACCEPTED(core, PTO_FORM_TCOLPROD, T(&col), T(&src));
            assert_int_equal(testing_get(&col, 0, 0), reference_round(PTO_F32, -0.0)); /* -0 * 2^-80 ... */
            assert_int_equal(testing_get(&col, 0, 1), reference_round(PTO_F32, -0.0));
            pto_core_destroy(core);
        }
}

/* One block of scratch for every type. */
static void test_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile dst = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 1)),
             src = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 8)),
             tmp = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 8)),
             other = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_S32, TESTING_ND, 1, 8)),
             column = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 1)),
             bf16 = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_BF16, TESTING_ND, 8, 16)),
             row = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 8)),
             bf16_row = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_BF16, TESTING_ND, 1, 16));
    TESTING_ACCEPTED(core, PTO_FORM_TROWPROD, T(&dst), T(&src), T(&tmp));
    TESTING_REFUSED(core, "PTO-E0329", PTO_FORM_TROWPROD, T(&dst), T(&src));
    TESTING_REFUSED(core, "PTO-E0607", PTO_FORM_TROWPROD, T(&dst), T(&src), T(&other));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWPROD, T(&dst), T(&src), T(&column));
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TROWPROD, T(&src), T(&src), T(&tmp));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLPROD, T(&row), T(&src));
    TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TCOLPROD, T(&bf16_row), T(&bf16));
    TESTING_REFUSED(core, "PTO-E0601", PTO_FORM_TCOLPROD, T(&column), T(&src));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_flush), cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
