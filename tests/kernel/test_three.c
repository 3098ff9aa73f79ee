/* SPDX-License-Identifier: Apache-2.0 */
/* TADDC TSUBC TADDSC TSUBSC TPRELU TLRELU TSUBRELU TFUSEDMULADD TFUSEDMULADDRELU TAXPY against the reference:
 * every element type, layout and way of working in place, the options, every target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <stdlib.h>

static const elementwise_case cases[] = {
    {PTO_FORM_TADDC, REFERENCE_ADD_ADD, ELEMENTWISE_TERNARY},
    {PTO_FORM_TSUBC, REFERENCE_SUB_ADD, ELEMENTWISE_TERNARY},
    {PTO_FORM_TADDSC, REFERENCE_ADD_ADD, ELEMENTWISE_TILE_SCALAR_TILE},
    {PTO_FORM_TSUBSC, REFERENCE_SUB_ADD, ELEMENTWISE_TILE_SCALAR_TILE},
    {PTO_FORM_TPRELU, REFERENCE_LEAKY_RELU, ELEMENTWISE_BINARY},
    {PTO_FORM_TLRELU, REFERENCE_LEAKY_RELU, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TSUBRELU, REFERENCE_SUB_RELU, ELEMENTWISE_BINARY},
    {PTO_FORM_TFUSEDMULADD, REFERENCE_FUSED_MULADD, ELEMENTWISE_BINARY},
    {PTO_FORM_TFUSEDMULADDRELU, REFERENCE_FUSED_MULADD_RELU, ELEMENTWISE_BINARY},
    {PTO_FORM_TAXPY, REFERENCE_AXPY, ELEMENTWISE_TILE_SCALAR},
};
enum { CASES = sizeof cases / sizeof *cases };

static const pto_dtype float_types[] = {PTO_F16, PTO_BF16, PTO_F32};

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {31};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++) {
        for (int i = 0; is_tile_type((pto_dtype)t) && i < CASES; i++)
            elementwise_sweep(&random, &cases[i], (pto_dtype)t, 200, NULL);
    }
}

static void options(void **state) {
    (void)state;
    testing_random random = {32};
    static const pto_numeric_options all[] = {{.flush_subnormals = true},
                                              {.unfused = true},
                                              {.relu_keeps_nan = true},
                                              {.relu_keeps_nan = true, .unfused = true}};
    for (int o = 0; o < 4; o++)
        for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
            for (int i = 0; is_tile_type((pto_dtype)t) && i < CASES; i++)
                elementwise_sweep(&random, &cases[i], (pto_dtype)t, 5, &all[o]);
}

static void long_runs(void **state) {
    (void)state;
    testing_random random = {33};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < CASES; i++) {
            elementwise_check(&random, &cases[i], PTO_TARGET_CPU, float_types[t], TESTING_ND, 3, 307,
                              ELEMENTWISE_APART, NULL);
            elementwise_check(&random, &cases[i], PTO_TARGET_CPU, float_types[t], TESTING_ND, 8, 512,
                              ELEMENTWISE_IN_PLACE, NULL);
        }
}

/* ---- TAXPY of halves into floats ---- */

static void axpy_mixed(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int turn = 0; turn < 200; turn++)
        for (int k = 0; k < levels; k++)
            for (int target = 0; target < PTO_TARGET_COUNT; target++) {
                testing_random random = {1000u + (unsigned)turn};
                pto_core *core = testing_core((pto_target)target, level[k]);
                const int32_t rows = 1 + (int32_t)testing_below(&random, 5),
                              cols = 1 + (int32_t)testing_below(&random, 70);
                pto_tile dst = testing_tile(
                    core, &random,
                    testing_type_around(&random, PTO_LOC_VEC, PTO_F32, TESTING_ND, rows, cols, 1), rows,
                    cols);
                pto_tile src = testing_tile(
                    core, &random,
                    testing_type_around(&random, PTO_LOC_VEC, PTO_F16, TESTING_ND, rows, cols, 1), rows,
                    cols);
                if (turn % 4 == 3 && pto_tile_type_bytes(&dst.type) >= pto_tile_type_bytes(&src.type))
                    src.data = dst.data; /* one start address: the source as it was */
                const uint64_t factor = testing_bits(&random, PTO_F16) & 0xFBFF; /* no NaN, no Inf */
                void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
                TESTING_ACCEPTED(core, PTO_FORM_TAXPY, testing_tile_operand(&dst), testing_tile_operand(&src),
                                 elementwise_scalar(PTO_F16, factor));
                for (int32_t r = 0; r < rows; r++)
                    for (int32_t c = 0; c < cols; c++) {
                        const uint64_t half = testing_load(source, PTO_F16, testing_offset(&src.type, r, c));
                        const uint64_t product = reference_product_f32(half, factor);
                        const uint64_t old = testing_load(before, PTO_F32, testing_offset(&dst.type, r, c));
                        assert_int_equal(
                            testing_get(&dst, r, c),
                            reference_elementwise(REFERENCE_ADD, PTO_F32, product, old, 0, NULL));
                    }
                assert_true(testing_outside_unchanged(&dst, before));
                free(before);
                free(source);
                pto_core_destroy(core);
            }
}

/* ---- TADDRELUCONV TSUBRELUCONV ---- */

static void relu_conv(void **state) {
    (void)state;
    static const pto_dtype from[] = {PTO_F32, PTO_F16, PTO_S16}, to[] = {PTO_F16, PTO_S8, PTO_S8};
    static const pto_numeric_options all[] = {{0}, {.relu_keeps_nan = true}, {.flush_subnormals = true}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int turn = 0; turn < 3 * 2 * 330; turn++)
        for (int k = 0; k < levels; k++) {
            const int pair = turn % 3;
            const bool subtracts = turn / 3 % 2;
            const pto_numeric_options *numeric = turn < 900 ? &all[0] : &all[1 + turn / 6 % 2];
            testing_random random = {2000u + (unsigned)turn};
            const pto_target target = (pto_target)(turn / 6 % PTO_TARGET_COUNT);
            pto_core *core = elementwise_core(target, level[k], numeric);
            const testing_layout layout = target == PTO_TARGET_CPU && turn % 5 == 0 ? TESTING_DN : TESTING_ND;
            const int32_t rows = 1 + (int32_t)testing_below(&random, 5),
                          cols = 1 + (int32_t)testing_below(&random, 99);
            pto_tile tile[3];
            for (int i = 0; i < 3; i++)
                tile[i] = testing_tile(core, &random,
                                       testing_type_around(&random, PTO_LOC_VEC, i ? from[pair] : to[pair],
                                                           layout, rows, cols, 1),
                                       rows, cols);
            const int place = turn / 7 % 4; /* apart, on the first source, on the second, both sources one */
            if (place == 3)
                tile[2] = tile[1];
            else if (place && pto_tile_type_bytes(&tile[0].type) <= pto_tile_type_bytes(&tile[place].type))
                tile[0].data = tile[place].data;
            void *before = testing_snapshot(&tile[0]), *a = testing_snapshot(&tile[1]),
                 *b = testing_snapshot(&tile[2]);
            pto_diag_list_clear(pto_core_diags(core));
            assert_int_equal(TESTING_EXECUTE(core, subtracts ? PTO_FORM_TSUBRELUCONV : PTO_FORM_TADDRELUCONV,
                                             testing_tile_operand(&tile[0]), testing_tile_operand(&tile[1]),
                                             testing_tile_operand(&tile[2])),
                             PTO_OK);
            for (int32_t r = 0; r < rows; r++)
                for (int32_t c = 0; c < cols; c++) {
                    const uint64_t x = testing_load(a, from[pair], testing_offset(&tile[1].type, r, c));
                    const uint64_t y = testing_load(b, from[pair], testing_offset(&tile[2].type, r, c));
                    const uint64_t want = reference_relu_conv(from[pair], subtracts, x, y, numeric);
                    const uint64_t found = testing_get(&tile[0], r, c);
                    if (found != want)
                        fail_msg("pair %d %s: %llx and %llx give %llx, expected %llx", pair,
                                 subtracts ? "sub" : "add", (unsigned long long)x, (unsigned long long)y,
                                 (unsigned long long)found, (unsigned long long)want);
                }
            assert_true(testing_outside_unchanged(&tile[0], before));
            free(before);
            free(a);
            free(b);
            pto_core_destroy(core);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(options),
        cmocka_unit_test(long_runs),
        cmocka_unit_test(axpy_mixed),
        cmocka_unit_test(relu_conv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
