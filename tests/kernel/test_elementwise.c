/* SPDX-License-Identifier: Apache-2.0 */
/* TADD TSUB TMUL TDIV TMAX TMIN TABS TNEG TRECIP TSQRT TRSQRT TRELU against the reference: every element
 * type, layout and way of working in place; every code of the 16-bit floats; every significand of TRSQRT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const elementwise_case arithmetic[] = {
    {PTO_FORM_TADD, REFERENCE_ADD, ELEMENTWISE_BINARY},
    {PTO_FORM_TSUB, REFERENCE_SUB, ELEMENTWISE_BINARY},
    {PTO_FORM_TMUL, REFERENCE_MUL, ELEMENTWISE_BINARY},
    {PTO_FORM_TDIV, REFERENCE_DIV, ELEMENTWISE_BINARY},
    {PTO_FORM_TMAX, REFERENCE_MAX, ELEMENTWISE_BINARY},
    {PTO_FORM_TMIN, REFERENCE_MIN, ELEMENTWISE_BINARY},
    {PTO_FORM_TRECIP, REFERENCE_RECIP, ELEMENTWISE_UNARY},
    {PTO_FORM_TABS, REFERENCE_ABS, ELEMENTWISE_UNARY},
    {PTO_FORM_TNEG, REFERENCE_NEG, ELEMENTWISE_UNARY},
    {PTO_FORM_TRELU, REFERENCE_RELU, ELEMENTWISE_UNARY},
};
static const elementwise_case roots[] = {
    {PTO_FORM_TSQRT, REFERENCE_SQRT, ELEMENTWISE_UNARY},
    {PTO_FORM_TRSQRT, REFERENCE_RSQRT, ELEMENTWISE_UNARY},
};
enum { ARITHMETIC = sizeof arithmetic / sizeof *arithmetic };

static const pto_dtype float_types[] = {PTO_F16, PTO_BF16, PTO_F32};

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {1};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int i = 0; is_tile_type((pto_dtype)t) && i < ARITHMETIC; i++)
            elementwise_sweep(&random, &arithmetic[i], (pto_dtype)t, 200, NULL);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < 2; i++)
            elementwise_sweep(&random, &roots[i], float_types[t], 200, NULL);
}

static void options(void **state) {
    (void)state;
    testing_random random = {2};
    const pto_numeric_options flush = {.flush_subnormals = true}, keep = {.relu_keeps_nan = true};
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < ARITHMETIC; i++)
            elementwise_sweep(&random, &arithmetic[i], float_types[t], 10, &flush);
        for (int i = 0; i < 2; i++)
            elementwise_sweep(&random, &roots[i], float_types[t], 10, &flush);
    }
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        if (is_tile_type((pto_dtype)t))
            elementwise_sweep(&random, &arithmetic[ARITHMETIC - 1], (pto_dtype)t, 10, &keep);
}

/* Longer runs than a vector loop's start and end. */
static void long_runs(void **state) {
    (void)state;
    testing_random random = {3};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int i = 0; is_tile_type((pto_dtype)t) && i < ARITHMETIC; i++)
            elementwise_check(&random, &arithmetic[i], PTO_TARGET_CPU, (pto_dtype)t, TESTING_ND, 3, 307,
                              ELEMENTWISE_APART, NULL);
    for (int t = 0; t < 3; t++) /* where rounding has much to do */
        for (int i = 0; i < 6; i++)
            elementwise_check(&random, &arithmetic[i], PTO_TARGET_CPU, float_types[t], TESTING_ND, 16, 512,
                              ELEMENTWISE_APART, NULL);
}

/* Every code of a 16-bit float through a unary form, at every level. */
static void check_codes(const elementwise_case *test, pto_dtype type) {
    uint16_t *expected = malloc(65536 * sizeof *expected);
    assert_non_null(expected);
    for (uint32_t code = 0; code < 65536; code++)
        expected[code] = (uint16_t)reference_elementwise(test->op, type, code, 0, 0, NULL);
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int k = 0; k < levels; k++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
        pto_tile tile =
            testing_tile(core, NULL, testing_type(PTO_LOC_VEC, type, TESTING_ND, 128, 512), 128, 512);
        uint16_t *codes = tile.data;
        for (uint32_t code = 0; code < 65536; code++)
            codes[code] = (uint16_t)code;
        TESTING_ACCEPTED(core, test->form, testing_tile_operand(&tile), testing_tile_operand(&tile));
        for (uint32_t code = 0; code < 65536; code++)
            if (codes[code] != expected[code])
                fail_msg("form %d %s of %04x: %04x, expected %04x", (int)test->form, pto_dtype_name(type),
                         code, codes[code], expected[code]);
        pto_core_destroy(core);
    }
    free(expected);
}

static void every_half_code(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        for (int i = 6; i < ARITHMETIC; i++)
            check_codes(&arithmetic[i], float_types[t]);
        for (int i = 0; i < 2; i++)
            check_codes(&roots[i], float_types[t]);
    }
}

/* Is y the float nearest to 1 / sqrt(x)? With x = m 2^e and y = n 2^f the midpoints (n - 1/2) 2^f and
 * (n + 1/2) 2^f lie on both sides: (n -+ 1/2)^2 m 2^(e + 2f) is less and more than 1. */
static bool is_nearest_rsqrt(float x, float y) {
    int e, f;
    uint64_t m = (uint64_t)ldexpf(frexpf(x, &e), 24), n = (uint64_t)ldexpf(frexpf(y, &f), 24);
    e -= 24;
    f -= 24;
    if (e & 1) {
        m *= 2;
        e--;
    }
    const int shift = 2 - e - 2 * f;
    const unsigned __int128 one = (unsigned __int128)4 << shift; /* in quarter units, (4n)^2 m */
    const uint64_t below = n == 1u << 23 ? 1 : 2;                /* a power of two has half a gap below */
    const unsigned __int128 low = (unsigned __int128)((4 * n - below) * (4 * n - below)) * m;
    const unsigned __int128 high = (unsigned __int128)((4 * n + 2) * (4 * n + 2)) * m;
    return low < one && one < high;
}

/* Two binades hold every significand with both parities of the exponent; subnormals have fewer digits. */
static void every_significand_of_rsqrt(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    enum { COUNT = 16384 };
    pto_tile tile =
        testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 512), 32, 512);
    float *values = tile.data;
    static float from[COUNT];
    for (uint32_t first = 0x3F800000; first < 0x40800000; first += COUNT) {
        for (uint32_t i = 0; i < COUNT; i++) {
            const uint32_t bits = first + i;
            memcpy(&from[i], &bits, sizeof bits);
        }
        memcpy(values, from, sizeof from);
        TESTING_ACCEPTED(core, PTO_FORM_TRSQRT, testing_tile_operand(&tile), testing_tile_operand(&tile));
        for (uint32_t i = 0; i < COUNT; i++)
            if (!is_nearest_rsqrt(from[i], values[i]))
                fail_msg("rsqrt of %a: %a", (double)from[i], (double)values[i]);
    }
    pto_core_destroy(core);
}

static void zero_divisors(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_S8,  PTO_U8,  PTO_S16, PTO_U16, PTO_S32,
                                      PTO_U32, PTO_S64, PTO_U64, PTO_S4};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int trap = 0; trap < 2; trap++) {
            const pto_numeric_options numeric = {.trap_zero_divisor = trap};
            pto_core *core = elementwise_core(PTO_TARGET_CPU, PTO_SIMD_BEST, &numeric);
            testing_random random = {4};
            const pto_tile_type type = testing_type(PTO_LOC_VEC, types[t], TESTING_DN, 64, 5);
            pto_tile dst = testing_tile(core, &random, type, 64, 5), src = dst, divisor = dst;
            src.data = divisor.data = NULL;
            assert_int_equal(pto_tile_bind(core, &src), PTO_OK);
            assert_int_equal(pto_tile_bind(core, &divisor), PTO_OK);
            for (int32_t r = 0; r < 64; r++)
                for (int32_t c = 0; c < 5; c++) {
                    testing_set(&src, r, c, 7);
                    testing_set(&divisor, r, c, r % 16 == 3 && c == 2 ? 0 : 2);
                }
            void *before = testing_snapshot(&dst);
            const pto_operand d = testing_tile_operand(&dst), s = testing_tile_operand(&src),
                              z = testing_tile_operand(&divisor);
            const pto_operand seven = testing_int_operand(PTO_S64, 7), zero = testing_int_operand(PTO_S64, 0);
            const pto_status wanted = trap ? PTO_ERR_REFUSED : PTO_OK;
            assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TDIV, d, s, z), wanted);
            assert_int_equal(pto_core_zero_divisors(core), 4);
            if (trap)
                assert_memory_equal(dst.data, before, (size_t)pto_tile_type_bytes(&type));
            else
                assert_int_equal(testing_get(&dst, 3, 2), 0);
            if (trap)
                assert_true(pto_diag_has(pto_core_diags(core), "PTO-E0503"));
            assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TRECIP, d, z), wanted);
            assert_int_equal(pto_core_zero_divisors(core), 8);
            assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TDIVS_SCALAR_TILE, d, seven, z), wanted);
            assert_int_equal(pto_core_zero_divisors(core), 12);
            assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TDIVS, d, s, zero), wanted);
            assert_int_equal(pto_core_zero_divisors(core), 12 + 64 * 5);
            if (trap)
                assert_memory_equal(dst.data, before, (size_t)pto_tile_type_bytes(&type));
            free(before);
            pto_core_destroy(core);
        }
    /* a float quotient is no zero divisor */
    const pto_numeric_options trap = {.trap_zero_divisor = true};
    pto_core *core = elementwise_core(PTO_TARGET_CPU, PTO_SIMD_BEST, &trap);
    pto_tile tile = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 8), 1, 8);
    TESTING_ACCEPTED(core, PTO_FORM_TRECIP, testing_tile_operand(&tile), testing_tile_operand(&tile));
    assert_int_equal(testing_get(&tile, 0, 0), 0x7F800000);
    assert_int_equal(pto_core_zero_divisors(core), 0);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(options),
        cmocka_unit_test(long_runs),
        cmocka_unit_test(every_half_code),
        cmocka_unit_test(every_significand_of_rsqrt),
        cmocka_unit_test(zero_divisors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
