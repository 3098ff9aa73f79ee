/* SPDX-License-Identifier: Apache-2.0 */
/* TREM TFMOD TREMS TFMODS against exact remainders of MPFR and integers: every element type, layout and way
 * of working in place, on every target; large quotients; zero divisors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

static const elementwise_case cases[] = {
    {PTO_FORM_TREM, REFERENCE_REM, ELEMENTWISE_BINARY},
    {PTO_FORM_TFMOD, REFERENCE_FMOD, ELEMENTWISE_BINARY},
    {PTO_FORM_TREMS, REFERENCE_REM, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TFMODS, REFERENCE_FMOD, ELEMENTWISE_TILE_SCALAR},
};
enum { CASES = sizeof cases / sizeof *cases };

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {41};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int i = 0; is_tile_type((pto_dtype)t) && i < CASES; i++)
            elementwise_sweep(&random, &cases[i], (pto_dtype)t, (pto_dtype)t == PTO_E8M0 ? 20 : 200, NULL);
}

static void flushed(void **state) {
    (void)state;
    testing_random random = {42};
    const pto_numeric_options flush = {.flush_subnormals = true};
    static const pto_dtype types[] = {PTO_F16, PTO_BF16, PTO_F32};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < CASES; i++)
            elementwise_sweep(&random, &cases[i], types[t], 20, &flush);
}

/* Random patterns: quotients of every size, in runs longer than a block. */
static void any_bits(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_F32, PTO_BF16, PTO_F16};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int k = 0; k < levels; k++)
        for (int t = 0; t < 3; t++)
            for (int i = 0; i < 2; i++) {
                testing_random random = {43};
                pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
                const pto_tile_type type = testing_type(PTO_LOC_VEC, types[t], TESTING_ND, 5, 1008);
                pto_tile dst = testing_tile(core, NULL, type, 5, 1008),
                         a = testing_tile(core, NULL, type, 5, 1008),
                         b = testing_tile(core, NULL, type, 5, 1008);
                for (int32_t r = 0; r < 5; r++)
                    for (int32_t c = 0; c < 1008; c++) {
                        testing_set(&a, r, c, testing_next(&random));
                        testing_set(&b, r, c, testing_next(&random));
                    }
                TESTING_ACCEPTED(core, cases[i].form, testing_tile_operand(&dst), testing_tile_operand(&a),
                                 testing_tile_operand(&b));
                for (int32_t r = 0; r < 5; r++)
                    for (int32_t c = 0; c < 1008; c++)
                        assert_int_equal(testing_get(&dst, r, c),
                                         reference_elementwise(cases[i].op, types[t], testing_get(&a, r, c),
                                                               testing_get(&b, r, c), 0, NULL));
                pto_core_destroy(core);
            }
}

static void zero_divisors(void **state) {
    (void)state;
    for (int trap = 0; trap < 2; trap++) {
        const pto_numeric_options numeric = {.trap_zero_divisor = trap};
        pto_core *core = elementwise_core(PTO_TARGET_CPU, PTO_SIMD_BEST, &numeric);
        testing_random random = {44};
        const pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_S16, TESTING_ND, 4, 16);
        pto_tile dst = testing_tile(core, &random, type, 4, 16),
                 src = testing_tile(core, &random, type, 4, 16),
                 divisor = testing_tile(core, NULL, type, 4, 16);
        for (int32_t r = 0; r < 4; r++)
            for (int32_t c = 0; c < 16; c++)
                testing_set(&divisor, r, c, r == 2 && c > 12 ? 0 : 5);
        void *before = testing_snapshot(&dst);
        const pto_operand d = testing_tile_operand(&dst), s = testing_tile_operand(&src),
                          z = testing_tile_operand(&divisor), zero = testing_int_operand(PTO_S64, 0);
        uint64_t count = 0;
        for (int i = 0; i < CASES; i++) {
            const bool scalar = cases[i].shape == ELEMENTWISE_TILE_SCALAR;
            pto_diag_list_clear(pto_core_diags(core));
            assert_int_equal(TESTING_EXECUTE(core, cases[i].form, d, s, scalar ? zero : z),
                             trap ? PTO_ERR_REFUSED : PTO_OK);
            count += scalar ? 64 : 3;
            assert_int_equal(pto_core_zero_divisors(core), count);
            if (trap) {
                assert_true(pto_diag_has(pto_core_diags(core), "PTO-E0503"));
                assert_memory_equal(dst.data, before, (size_t)pto_tile_type_bytes(&type));
            } else {
                assert_int_equal(testing_get(&dst, 2, 13), 0);
            }
        }
        free(before);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(flushed),
        cmocka_unit_test(any_bits),
        cmocka_unit_test(zero_divisors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
