/* SPDX-License-Identifier: Apache-2.0 */
/* TADDS TSUBS TMULS TMAXS TMINS TDIVS TEXPANDS against the reference, and how a scalar becomes an element. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>

static const elementwise_case cases[] = {
    {PTO_FORM_TADDS, REFERENCE_ADD, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TSUBS, REFERENCE_SUB, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TMULS, REFERENCE_MUL, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TMAXS, REFERENCE_MAX, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TMINS, REFERENCE_MIN, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TDIVS, REFERENCE_DIV, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TDIVS_SCALAR_TILE, REFERENCE_DIV, ELEMENTWISE_SCALAR_TILE},
    {PTO_FORM_TEXPANDS, REFERENCE_FILL, ELEMENTWISE_SCALAR},
};
enum { CASES = sizeof cases / sizeof *cases };

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {11};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int i = 0; is_tile_type((pto_dtype)t) && i < CASES; i++)
            elementwise_sweep(&random, &cases[i], (pto_dtype)t, 200, NULL);
}

static void flushed(void **state) {
    (void)state;
    testing_random random = {12};
    const pto_numeric_options flush = {.flush_subnormals = true};
    static const pto_dtype types[] = {PTO_F16, PTO_BF16, PTO_F32, PTO_S16};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < CASES; i++)
            elementwise_sweep(&random, &cases[i], types[t], 20, &flush);
}

/* What TEXPANDS writes for a scalar. */
static uint64_t expanded(pto_core *core, pto_dtype type, pto_operand scalar) {
    pto_tile tile = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, type, TESTING_ND, 1, 32), 1, 32);
    TESTING_ACCEPTED(core, PTO_FORM_TEXPANDS, testing_tile_operand(&tile), scalar);
    const uint64_t code = testing_get(&tile, 0, 0);
    for (int32_t c = 1; c < 32; c++)
        assert_int_equal(testing_get(&tile, 0, c), code);
    return code;
}

static void scalar_conversion(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    const struct {
        pto_dtype type;
        pto_operand scalar;
        uint64_t code;
    } rows[] = {
        /* integers: modulo 2^W */
        {PTO_S8, testing_int_operand(PTO_S64, 300), 44},
        {PTO_U8, testing_int_operand(PTO_S64, -1), 0xFF},
        {PTO_S4, testing_int_operand(PTO_S64, 0x27), 7},
        {PTO_S64, testing_int_operand(PTO_S64, INT64_MIN), UINT64_C(1) << 63},
        {PTO_U32, testing_int_operand(PTO_U64, -2), 0xFFFFFFFE},
        {PTO_U64, testing_int_operand(PTO_DTYPE_NONE, -2), UINT64_MAX - 1},
        /* floats: one rounding to nearest even, from double */
        {PTO_F16, testing_float_operand(PTO_F64, 1 + 0x1p-11), 0x3C00},
        {PTO_F16, testing_float_operand(PTO_F64, 1 + 0x1p-11 + 0x1p-40), 0x3C01},
        {PTO_F16, testing_float_operand(PTO_F32, 65520), 0x7C00},
        {PTO_BF16, testing_float_operand(PTO_F64, 1 + 0x1p-8 + 0x1p-50), 0x3F81},
        {PTO_F32, testing_float_operand(PTO_F64, 0.1), 0x3DCCCCCD},
        {PTO_F32, testing_float_operand(PTO_F64, -0.0), 0x80000000},
        {PTO_F32, testing_float_operand(PTO_DTYPE_NONE, 2.0), 0x40000000},
        {PTO_E4M3, testing_float_operand(PTO_F64, 17.0), 0x58},
        /* an integer into a float type is a number too */
        {PTO_F32, testing_int_operand(PTO_S64, 16777217), 0x4B800000},
        {PTO_F32, testing_int_operand(PTO_S64, (INT64_C(1) << 53) + (INT64_C(1) << 29) + 1), 0x5A000001},
        {PTO_F32, testing_int_operand(PTO_U64, -1), 0x5F800000},
        {PTO_F16, testing_int_operand(PTO_S32, -2049), 0xE800},
        /* a float into an integer type is truncated and saturated */
        {PTO_S32, testing_float_operand(PTO_F64, -3.9), 0xFFFFFFFD},
        {PTO_S8, testing_float_operand(PTO_F64, 1e9), 127},
        {PTO_U16, testing_float_operand(PTO_F64, -5), 0},
        {PTO_S16, testing_float_operand(PTO_F64, (double)NAN), 0},
        /* bits of a NaN */
        {PTO_F32, testing_float_operand(PTO_F64, (double)NAN), 0x7FC00000},
        {PTO_F16, testing_float_operand(PTO_F64, (double)-NAN), 0xFE00},
        {PTO_BF16, testing_float_operand(PTO_F64, (double)-NAN), 0xFFC0},
        {PTO_E5M2, testing_float_operand(PTO_F64, (double)NAN), 0x7E},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t code = expanded(core, rows[i].type, rows[i].scalar);
        if (code != rows[i].code)
            fail_msg("row %zu: %llx, expected %llx", i, (unsigned long long)code,
                     (unsigned long long)rows[i].code);
    }
    pto_core_destroy(core);
}

/* The whole of a Mat tile, valid or not; in every layout. */
static void expands_into_mat(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    testing_random random = {13};
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++) {
        if (!is_tile_type((pto_dtype)t))
            continue;
        for (int layout = 0; layout < TESTING_LAYOUT_COUNT; layout++) {
            const pto_tile_type type =
                testing_type_around(&random, PTO_LOC_MAT, (pto_dtype)t, (testing_layout)layout, 5, 7, 1);
            pto_tile tile = testing_tile(core, &random, type, 5, 7);
            TESTING_ACCEPTED(core, PTO_FORM_TEXPANDS, testing_tile_operand(&tile),
                             testing_int_operand(PTO_S64, 1));
            const uint64_t one = expanded(core, (pto_dtype)t, testing_int_operand(PTO_S64, 1));
            for (int32_t r = 0; r < type.rows; r++)
                for (int32_t c = 0; c < type.cols; c++)
                    assert_int_equal(testing_get(&tile, r, c), one);
        }
    }
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(flushed),
        cmocka_unit_test(scalar_conversion),
        cmocka_unit_test(expands_into_mat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
