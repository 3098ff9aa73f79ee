/* SPDX-License-Identifier: Apache-2.0 */
/* The dual modes of moves from acc: each of two vector cores takes its half, a lone one the first; the
 * extents that they demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)
#define INDEX(value) testing_int_operand(PTO_U16, value)

typedef enum route { MOVE, EXTRACT, INSERT } route;

/* One core of a block of `cores`; true when the run was refused or warned by `rule`. */
static void split_once(pto_target target, pto_simd_level level, testing_random *random, route kind,
                       uint32_t number, uint32_t cores, pto_dtype dtype, int trial) {
    pto_core *core = testing_core(target, level);
    assert_int_equal(pto_core_set_subblock(core, number, cores), PTO_OK);
    const bool by_rows = trial & 1;
    int32_t half_rows = trial ? 1 + (int32_t)testing_below(random, 20) : 1;
    int32_t half_cols =
        by_rows ? 1 + (int32_t)testing_below(random, 40) : 16 * (1 + (int32_t)testing_below(random, 3));
    int32_t rows = by_rows ? 2 * half_rows : half_rows, cols = by_rows ? half_cols : 2 * half_cols;
    if (target == PTO_TARGET_A5 && kind != MOVE) /* windows begin and end at boxes there */
        half_rows = 16, half_cols = 16, rows = by_rows ? 32 : 16, cols = by_rows ? 16 : 32;
    pto_tile_type from = testing_type_around(random, PTO_LOC_ACC, dtype, TESTING_NZ, rows, cols, 0);
    from.fractal = 1024;
    from.cols = (from.cols + 15) / 16 * 16;
    testing_layout layout = trial & 2 && target == PTO_TARGET_CPU ? TESTING_NZ : TESTING_ND;
    pto_tile_type to = testing_type_around(random, PTO_LOC_VEC, dtype, layout, half_rows, half_cols,
                                           target == PTO_TARGET_CPU);
    pto_tile src = testing_tile(core, random, from, rows, cols);
    pto_tile dst = testing_tile(core, random, to, half_rows, half_cols);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    const pto_operand mode = ATTR(by_rows ? 2 : 3);
    pto_status status =
        kind == MOVE ? TESTING_EXECUTE(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&dst), TILE(&src), mode, ATTR(0))
        : kind == EXTRACT ? TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&dst), TILE(&src),
                                            INDEX(0), INDEX(0), mode, ATTR(0))
                          : TESTING_EXECUTE(core, PTO_FORM_TINSERT_ACCTOVEC, TILE(&dst), TILE(&src), INDEX(0),
                                            INDEX(0), mode, ATTR(0));
    if (status != PTO_OK)
        testing_expect(core, status, NULL, __FILE__, __LINE__);
    const bool warned = pto_diag_has(pto_core_diags(core), "PTO-W0758");
    assert_int_equal(warned, kind == MOVE && cores == 1);
    const int32_t first_row = by_rows && number ? half_rows : 0,
                  first_col = !by_rows && number ? half_cols : 0;
    for (int32_t r = 0; r < to.rows; r++)
        for (int32_t c = 0; c < to.cols; c++) {
            uint64_t want = r < half_rows && c < half_cols
                                ? testing_get(&src, first_row + r, first_col + c)
                                : testing_load(before, dtype, testing_offset(&to, r, c));
            if (testing_get(&dst, r, c) != want)
                fail_msg("route %d core %u of %u %dx%d (%d, %d)", kind, number, cores, rows, cols, r, c);
        }
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&from));
    free(before);
    free(source);
    pto_core_destroy(core);
}

static void test_halves(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 2; t++)
            for (int kind = MOVE; kind <= INSERT; kind++) {
                testing_random random = {40};
                for (int trial = 0; trial < 200; trial++)
                    for (uint32_t core = 0; core < 3; core++)
                        split_once(targets[t], level[l], &random, (route)kind, core % 2, core < 2 ? 2 : 1,
                                   trial % 3 ? PTO_F32 : PTO_S32, trial);
            }
}

static void expect(uint32_t cores, const char *rule, int32_t rows, int32_t half) {
    pto_core *core = testing_core(PTO_TARGET_A5, PTO_SIMD_BASE);
    assert_int_equal(pto_core_set_subblock(core, cores - 1, cores), PTO_OK);
    pto_tile_type from = pto_tile_type_nz(PTO_LOC_ACC, PTO_F32, 32, 32);
    from.fractal = 1024;
    from.valid_rows = from.valid_cols = PTO_DYNAMIC;
    pto_tile src = pto_tile_make_valid(from, rows, 32);
    pto_tile_type to = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 32, 32);
    to.valid_rows = to.valid_cols = PTO_DYNAMIC;
    pto_tile dst = pto_tile_make_valid(to, half, 32);
    pto_status status =
        TESTING_EXECUTE(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&dst), TILE(&src), ATTR(2), ATTR(0));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void test_extents(void **state) {
    (void)state;
    expect(2, NULL, 32, 16);
    expect(2, "PTO-E0757", 32, 32); /* with two cores each takes a half */
    expect(1, NULL, 32, 32);
    expect(1, NULL, 32, 16);
    expect(1, "PTO-E0757", 32, 15);
    expect(2, "PTO-E0757", 31, 16);
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BASE);
    assert_int_equal(pto_core_set_subblock(core, 2, 2), PTO_ERR_USAGE);
    assert_int_equal(pto_core_set_subblock(core, 0, 0), PTO_ERR_USAGE);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_extents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
