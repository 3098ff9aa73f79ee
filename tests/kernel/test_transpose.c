/* SPDX-License-Identifier: Apache-2.0 */
/* TTRANS: every element, and every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>

#define TILE(t) testing_tile_operand(t)

static void check(pto_core *core, testing_random *random, pto_dtype dst_type, pto_dtype src_type,
                  testing_layout dst_layout, testing_layout src_layout) {
    int32_t rows = 1 + (int32_t)testing_below(random, 70), cols = 1 + (int32_t)testing_below(random, 70);
    int32_t more_rows = (int32_t)testing_below(random, 3), more_cols = (int32_t)testing_below(random, 3);
    pto_tile src = testing_tile(core, random,
                                testing_type_around(random, PTO_LOC_VEC, src_type, src_layout, rows, cols, 1),
                                rows, cols);
    pto_tile_type to =
        testing_type_around(random, PTO_LOC_VEC, dst_type, dst_layout, cols + more_rows, rows + more_cols, 1);
    pto_tile dst = testing_tile(core, random, to, cols + more_rows, rows + more_cols);
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_TTRANS, TILE(&dst), TILE(&src));
    for (int32_t r = 0; r < to.rows; r++)
        for (int32_t c = 0; c < to.cols; c++) {
            uint64_t want = r < cols && c < rows ? testing_get(&src, c, r)
                                                 : testing_load(before, dst_type, testing_offset(&to, r, c));
            if (testing_get(&dst, r, c) != want)
                fail_msg("%s, layouts %d to %d, %dx%d at (%d, %d)", pto_dtype_name(src_type), src_layout,
                         dst_layout, rows, cols, r, c);
        }
    free(before);
    pto_core_reset(core);
}

static void test_values(void **state) {
    (void)state;
    static const pto_dtype dtypes[][2] = {
        {PTO_E2M1, PTO_E2M1}, {PTO_U8, PTO_S8}, {PTO_F16, PTO_U16}, {PTO_F32, PTO_F32}, {PTO_S64, PTO_U64}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        testing_random random = {30};
        for (int d = 0; d < 5; d++) {
            for (int trial = 0; trial < 20; trial++)
                check(core, &random, dtypes[d][0], dtypes[d][1], TESTING_ND, TESTING_ND);
            for (int from = 0; from < TESTING_LAYOUT_COUNT; from++)
                for (int to = 0; to < TESTING_LAYOUT_COUNT; to++)
                    check(core, &random, dtypes[d][0], dtypes[d][1], (testing_layout)to,
                          (testing_layout)from);
        }
        pto_core_destroy(core);
    }
}

static void transpose(pto_target target, const char *rule, pto_tile_type dst, pto_tile_type src,
                      pto_tile_type *tmp) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile to = testing_tile(core, NULL, dst, dst.valid_rows, dst.valid_cols);
    pto_tile from = testing_tile(core, NULL, src, src.valid_rows, src.valid_cols), scratch;
    if (tmp)
        scratch = testing_tile(core, NULL, *tmp, tmp->valid_rows, tmp->valid_cols);
    pto_status status =
        TESTING_EXECUTE(core, PTO_FORM_TTRANS, TILE(&to), TILE(&from), TILE(tmp ? &scratch : NULL));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void test_rules(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A2A3, PTO_TARGET_A5};
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != PTO_TARGET_CPU, a2a3 = target == PTO_TARGET_A2A3;
        pto_tile_type src = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 32);
        pto_tile_type dst = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 16);
        pto_tile_type tmp = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 16); /* 32 columns x 16 rows */
        transpose(target, NULL, dst, src, &tmp);
        transpose(target, a2a3 ? "PTO-E0329" : NULL, dst, src, NULL);
        pto_tile_type small = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 31, 16);
        transpose(target, a2a3 ? "PTO-E0330" : NULL, dst, src, &small);
        pto_tile_type odd =
            testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 24); /* pitch without scratch */
        transpose(target, NULL, odd, src, NULL);
        pto_tile_type few = dst;
        few.valid_rows = 31;
        transpose(target, "PTO-E0730", few, src, &tmp);
        few = dst;
        few.valid_cols = 15;
        transpose(target, "PTO-E0730", few, src, &tmp);
        pto_tile_type half = testing_type(PTO_LOC_VEC, PTO_F16, TESTING_ND, 32, 16);
        transpose(target, "PTO-E0328", half, src, &tmp);
        pto_tile_type mat = dst;
        mat.loc = PTO_LOC_MAT;
        transpose(target, "PTO-E0320", mat, src, &tmp);
        pto_tile_type dn = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 16, 32);
        transpose(target, npu ? "PTO-E0321" : NULL, dst, dn, &tmp);
        pto_tile_type wide_src = testing_type(PTO_LOC_VEC, PTO_S64, TESTING_ND, 16, 32);
        pto_tile_type wide_dst = testing_type(PTO_LOC_VEC, PTO_S64, TESTING_ND, 32, 16);
        transpose(target, npu ? "PTO-E0721" : NULL, wide_dst, wide_src, &tmp);
        pto_tile_type big = testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ND, 256, 256);
        big.valid_rows = big.valid_cols = 32;
        pto_tile_type big_dst = testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ND, 32, 32);
        transpose(target, target == PTO_TARGET_A5 ? "PTO-E0731" : NULL, big_dst, big, &tmp);
        big.rows = 255;
        transpose(target, NULL, big_dst, big, &tmp);
    }
}

static void test_overlap(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BASE);
    pto_tile src = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 16)), dst = src,
             tmp = src;
    assert_int_equal(pto_tile_assign(core, &src, 0), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &dst, 0), PTO_OK);
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TTRANS, TILE(&dst), TILE(&src));
    assert_int_equal(pto_tile_assign(core, &dst, 1024), PTO_OK);
    TESTING_ACCEPTED(core, PTO_FORM_TTRANS, TILE(&dst), TILE(&src));
    assert_int_equal(pto_tile_assign(core, &tmp, 512), PTO_OK);
    TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TTRANS, TILE(&dst), TILE(&src), TILE(&tmp));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
