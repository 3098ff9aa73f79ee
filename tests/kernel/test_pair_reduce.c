/* SPDX-License-Identifier: Apache-2.0 */
/* TPAIRREDUCESUM against sums of neighbours computed in double, on every target and level; its rules and the
 * flush option. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>

#define T(t) testing_tile_operand(t)

static uint64_t flushed(pto_dtype dtype, uint64_t bits) {
    const unsigned mantissa = dtype == PTO_F32   ? 23
                              : dtype == PTO_F16 ? 10
                                                 : 7,
                   width = pto_dtype_bits(dtype);
    const uint64_t sign = bits & UINT64_C(1) << (width - 1);
    return (bits ^ sign) >> mantissa ? bits : sign;
}

static void run(pto_core *core, testing_random *random, pto_dtype dtype, bool flush, int trial) {
    const int rows = 1 + (int)testing_below(random, trial % 7 ? 6 : 40),
              cols = 1 + (int)testing_below(random, trial % 5   ? 40
                                                    : trial % 2 ? 300
                                                                : 1100);
    pto_tile src = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 2), rows, cols);
    pto_tile dst = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 2), rows, cols);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    TESTING_ACCEPTED(core, PTO_FORM_TPAIRREDUCESUM, T(&dst), T(&src));
    const uint64_t zero = pto_dtype_is_int(dtype) ? 0 : reference_round(dtype, 0.0);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            uint64_t want = zero;
            if (2 * c < cols) {
                uint64_t a = testing_get(&src, r, 2 * c),
                         b = 2 * c + 1 < cols ? testing_get(&src, r, 2 * c + 1) : zero;
                if (flush) {
                    a = flushed(dtype, a);
                    b = flushed(dtype, b);
                }
                want = reference_binary(REFERENCE_ADD, dtype, a, b);
                if (flush)
                    want = flushed(dtype, want);
            }
            if (testing_get(&dst, r, c) != want)
                fail_msg("%s %d x %d (%d, %d): %llx, expected %llx", pto_dtype_name(dtype), rows, cols, r, c,
                         (unsigned long long)testing_get(&dst, r, c), (unsigned long long)want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
    free(before);
    free(source);
    pto_core_reset(core);
}

static void test_values(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_F16, PTO_F32,  PTO_BF16, PTO_S8,   PTO_U16, PTO_S32,
                                       PTO_U64, PTO_E4M3, PTO_E5M2, PTO_E2M1, PTO_S4};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++)
            for (int d = 0; d < (target == PTO_TARGET_CPU ? 11 : 2); d++) {
                pto_core *core = testing_core((pto_target)target, levels[l]);
                testing_random random = {(uint64_t)(d + 40)};
                for (int trial = 0; trial < 200; trial++)
                    run(core, &random, dtypes[d], false, trial);
                pto_core_destroy(core);
            }
}

static void test_flush(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_F16, PTO_BF16, PTO_F32};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int d = 0; d < 3; d++) {
            pto_core *core =
                pto_core_create(&(pto_options){.simd = levels[l], .numeric = {.flush_subnormals = true}});
            testing_random random = {(uint64_t)(d + 90)};
            for (int trial = 0; trial < 100; trial++)
                run(core, &random, dtypes[d], true, trial);
            pto_core_destroy(core);
        }
}

static void test_rules(void **state) {
    (void)state;
    for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile_type type = testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16, 0);
        pto_tile src = testing_tile(core, NULL, type, 8, 16), dst = testing_tile(core, NULL, type, 8, 16),
                 narrow = testing_tile(core, NULL, type, 8, 15), low = testing_tile(core, NULL, type, 7, 16),
                 empty = testing_tile(core, NULL, type, 8, 0), none = testing_tile(core, NULL, type, 8, 0),
                 column = testing_tile(core, NULL,
                                       testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 16, 0),
                                       8, 16),
                 integer = testing_tile(core, NULL,
                                        testing_type_around(NULL, PTO_LOC_VEC, PTO_S32, TESTING_ND, 8, 16, 0),
                                        8, 16);
        TESTING_ACCEPTED(core, PTO_FORM_TPAIRREDUCESUM, T(&dst), T(&src));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPAIRREDUCESUM, T(&narrow), T(&src));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPAIRREDUCESUM, T(&low), T(&src));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TPAIRREDUCESUM, T(&src), T(&src));
        TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TPAIRREDUCESUM, T(&dst), T(&column));
        TESTING_REFUSED(core, "PTO-E0303", PTO_FORM_TPAIRREDUCESUM, T(&dst), T(&integer));
        TESTING_ACCEPTED(core, PTO_FORM_TPAIRREDUCESUM, T(&empty), T(&none));
        pto_tile same = testing_tile(core, NULL, integer.type, 8, 16);
        if (target == PTO_TARGET_CPU)
            TESTING_ACCEPTED(core, PTO_FORM_TPAIRREDUCESUM, T(&same), T(&integer));
        else
            TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPAIRREDUCESUM, T(&same), T(&integer));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_flush),
                                       cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
