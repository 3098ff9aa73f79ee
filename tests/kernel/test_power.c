/* SPDX-License-Identifier: Apache-2.0 */
/* TPOW TPOWS against MPFR (within 1 ulp, special cases exactly) and exact integers: every element type,
 * layout and way of working in place, on every target; every pair of special values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <stdlib.h>

#include <pto/number.h>

static const elementwise_case cases[] = {
    {PTO_FORM_TPOW, REFERENCE_POW, ELEMENTWISE_BINARY},
    {PTO_FORM_TPOWS, REFERENCE_POW, ELEMENTWISE_TILE_SCALAR},
};
static const pto_dtype float_types[] = {PTO_F32, PTO_F16, PTO_BF16};

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {51};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int i = 0; is_tile_type((pto_dtype)t) && i < 2; i++)
            elementwise_sweep(&random, &cases[i], (pto_dtype)t, 200, NULL);
    const pto_numeric_options flush = {.flush_subnormals = true};
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 2; i++)
            elementwise_sweep(&random, &cases[i], float_types[t], 10, &flush);
}

/* Each special value to the power of each; exactly. */
static void special_values(void **state) {
    (void)state;
    static const double values[] = {0.0,    -0.0,    1.0,      -1.0,      0.5,  -0.5,   2.0,  -2.0,
                                    3.0,    -3.0,    1.5,      -1.5,      4.0,  1024.0, 1e-9, -1e-9,
                                    1000.0, -1000.0, 0x1p-149, -0x1p-149, 1e38, 255.,   256., 257.,
                                    1e30,   -1e30,   0,        0,         0};
    enum { COUNT = sizeof values / sizeof *values };
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int t = 0; t < 3; t++) {
        uint64_t code[COUNT];
        for (int i = 0; i < COUNT; i++)
            code[i] = pto_number_from_double(float_types[t], values[i], PTO_CAST_NONE, false);
        const uint64_t one = pto_number_from_double(float_types[t], 1e300, PTO_CAST_NONE, false); /* Inf */
        const uint64_t sign = UINT64_C(1) << (pto_dtype_bits(float_types[t]) - 1);
        code[COUNT - 3] = one;
        code[COUNT - 2] = one | sign;
        code[COUNT - 1] = one | 1; /* NaN */
        for (int k = 0; k < levels; k++) {
            pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
            const pto_tile_type type = testing_type(PTO_LOC_VEC, float_types[t], TESTING_ND, COUNT, 32);
            pto_tile dst = testing_tile(core, NULL, type, COUNT, 32),
                     base = testing_tile(core, NULL, type, COUNT, 32),
                     power = testing_tile(core, NULL, type, COUNT, 32);
            for (int32_t r = 0; r < COUNT; r++)
                for (int32_t c = 0; c < COUNT; c++) {
                    testing_set(&base, r, c, code[r]);
                    testing_set(&power, r, c, code[c]);
                }
            TESTING_ACCEPTED(core, PTO_FORM_TPOW, testing_tile_operand(&dst), testing_tile_operand(&base),
                             testing_tile_operand(&power));
            for (int32_t r = 0; r < COUNT; r++)
                for (int32_t c = 0; c < COUNT; c++) {
                    const uint64_t want =
                        reference_elementwise(REFERENCE_POW, float_types[t], code[r], code[c], 0, NULL);
                    const uint64_t found = testing_get(&dst, r, c);
                    const bool moderate = r > 3 && r < COUNT - 3 && c > 1 && c < COUNT - 3;
                    if (found != want && !(moderate && (found == want + 1 || found + 1 == want)))
                        fail_msg("%s: %g ^ %g gives %llx, expected %llx", pto_dtype_name(float_types[t]),
                                 values[r], values[c], (unsigned long long)found, (unsigned long long)want);
                }
            pto_core_destroy(core);
        }
    }
}

/* A sweep of bases near 1 and of results over the whole range, 1 ulp. */
static void accuracy(void **state) {
    (void)state;
    testing_random random = {52};
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    const pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 1024);
    pto_tile dst = testing_tile(core, NULL, type, 16, 1024), base = testing_tile(core, NULL, type, 16, 1024),
             power = testing_tile(core, NULL, type, 16, 1024);
    for (int32_t r = 0; r < 16; r++)
        for (int32_t c = 0; c < 1024; c++) {
            const uint64_t any = testing_next(&random), more = testing_next(&random);
            testing_set(&base, r, c, (r & 1 ? 0x3F7FF000 + any % 0x1800 : 0x3F000000 + any % 0x2000000));
            testing_set(&power, r, c,
                        (more & 0x807FFFFF) | (uint64_t)(r & 1 ? 130 + more % 20 : 122 + more % 12) << 23);
        }
    TESTING_ACCEPTED(core, PTO_FORM_TPOW, testing_tile_operand(&dst), testing_tile_operand(&base),
                     testing_tile_operand(&power));
    for (int32_t r = 0; r < 16; r++)
        for (int32_t c = 0; c < 1024; c++) {
            const uint64_t b = testing_get(&base, r, c), e = testing_get(&power, r, c),
                           found = testing_get(&dst, r, c),
                           want = reference_elementwise(REFERENCE_POW, PTO_F32, b, e, 0, NULL);
            if (found != want && found != want + 1 && found + 1 != want)
                fail_msg("%llx ^ %llx gives %llx, expected %llx", (unsigned long long)b,
                         (unsigned long long)e, (unsigned long long)found, (unsigned long long)want);
        }
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(special_values),
        cmocka_unit_test(accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
