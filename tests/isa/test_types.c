/* SPDX-License-Identifier: Apache-2.0 */
/* Names, sizes, boxes and capacities against the tables of 00-model, 2, 3.3 and 8.1, typed in again here. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <pto/pto.h>

static void test_dtype_names_round_trip(void **state) {
    (void)state;
    for (int d = 1; d < PTO_DTYPE_COUNT; d++) {
        const char *name = pto_dtype_name((pto_dtype)d);
        assert_int_equal(pto_dtype_from_name(name, strlen(name)), d);
    }
    assert_int_equal(pto_dtype_from_name("ui16", 4), PTO_U16);
    assert_int_equal(pto_dtype_from_name("i32", 3), PTO_S32);
    assert_int_equal(pto_dtype_from_name("F32", 3), PTO_F32);
    assert_int_equal(pto_dtype_from_name("f3", 2), PTO_DTYPE_NONE);
    assert_int_equal(pto_dtype_from_name("", 0), PTO_DTYPE_NONE);
    assert_string_equal(pto_dtype_name((pto_dtype)99), "none");
}

static void test_dtype_bits(void **state) {
    (void)state;
    static const struct {
        pto_dtype dtype;
        unsigned bits;
        bool is_float, is_signed;
    } want[] = {{PTO_S8, 8, false, true},    {PTO_U8, 8, false, false},   {PTO_S16, 16, false, true},
                {PTO_U16, 16, false, false}, {PTO_S32, 32, false, true},  {PTO_U32, 32, false, false},
                {PTO_S64, 64, false, true},  {PTO_U64, 64, false, false}, {PTO_S4, 4, false, true},
                {PTO_F16, 16, true, true},   {PTO_BF16, 16, true, true},  {PTO_F32, 32, true, true},
                {PTO_E4M3, 8, true, true},   {PTO_E5M2, 8, true, true},   {PTO_E8M0, 8, true, false},
                {PTO_HIF8, 8, true, true},   {PTO_E2M1, 4, true, true},   {PTO_E1M2, 4, true, true}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(pto_dtype_bits(want[i].dtype), want[i].bits);
        assert_int_equal(pto_dtype_is_float(want[i].dtype), want[i].is_float);
        assert_int_equal(pto_dtype_is_int(want[i].dtype), !want[i].is_float);
        assert_int_equal(pto_dtype_is_signed(want[i].dtype), want[i].is_signed);
    }
}

static void test_targets(void **state) {
    (void)state;
    pto_target target = PTO_TARGET_CPU;
    assert_true(pto_target_from_name("A3", &target));
    assert_int_equal(target, PTO_TARGET_A2A3);
    assert_true(pto_target_from_name("a2a3", &target));
    assert_true(pto_target_from_name("a5", &target));
    assert_int_equal(target, PTO_TARGET_A5);
    assert_false(pto_target_from_name("a4", &target));
    assert_int_equal(target, PTO_TARGET_A5);
}

static void test_capacities(void **state) {
    (void)state;
    static const uint32_t kib[2][PTO_LOC_COUNT] = {{192, 512, 64, 64, 128, 1, 2, 0, 0},
                                                   {256, 512, 64, 64, 256, 4, 4, 4, 4}};
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        assert_int_equal(pto_loc_capacity(PTO_TARGET_A2A3, (pto_loc)loc), kib[0][loc] * 1024);
        assert_int_equal(pto_loc_capacity(PTO_TARGET_A5, (pto_loc)loc), kib[1][loc] * 1024);
        assert_int_equal(pto_loc_capacity(PTO_TARGET_CPU, (pto_loc)loc), kib[1][loc] * 1024);
    }
}

static void check_box(pto_dtype dtype, pto_slayout slayout, int32_t fractal, int32_t rows, int32_t cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, dtype, 64, 64);
    type.slayout = slayout;
    type.fractal = fractal;
    int32_t r, c;
    pto_tile_type_box(&type, &r, &c);
    assert_int_equal(r, rows);
    assert_int_equal(c, cols);
}

static void test_boxes(void **state) {
    (void)state;
    check_box(PTO_F32, PTO_NONE_BOX, 512, 1, 1);
    check_box(PTO_S8, PTO_BOX_ROW_MAJOR, 512, 16, 32);
    check_box(PTO_F16, PTO_BOX_ROW_MAJOR, 512, 16, 16);
    check_box(PTO_F32, PTO_BOX_ROW_MAJOR, 512, 16, 8);
    check_box(PTO_E2M1, PTO_BOX_ROW_MAJOR, 512, 16, 64);
    check_box(PTO_S8, PTO_BOX_COL_MAJOR, 512, 32, 16);
    check_box(PTO_F32, PTO_BOX_COL_MAJOR, 512, 8, 16);
    check_box(PTO_E1M2, PTO_BOX_COL_MAJOR, 512, 64, 16);
    check_box(PTO_F32, PTO_BOX_ROW_MAJOR, 1024, 16, 16);
    check_box(PTO_E8M0, PTO_BOX_ROW_MAJOR, 32, 16, 2);
    check_box(PTO_E8M0, PTO_BOX_COL_MAJOR, 32, 2, 16);
}

static void test_aliases_and_bytes(void **state) {
    (void)state;
    assert_int_equal(pto_tile_type_left(PTO_TARGET_A2A3, PTO_F16, 32, 32).blayout, PTO_ROW_MAJOR);
    assert_int_equal(pto_tile_type_left(PTO_TARGET_A5, PTO_F16, 32, 32).blayout, PTO_COL_MAJOR);
    pto_tile_type acc = pto_tile_type_acc(PTO_F32, 32, 32);
    assert_int_equal(acc.fractal, 1024);
    assert_int_equal(pto_tile_type_bytes(&acc), 4096);
    pto_tile_type fp4 = pto_tile_type_make(PTO_LOC_VEC, PTO_E2M1, 3, 64);
    assert_int_equal(pto_tile_type_bytes(&fp4), 96);
    pto_tile_type huge = pto_tile_type_make(PTO_LOC_VEC, PTO_S64, INT32_MAX, INT32_MAX);
    assert_true(pto_tile_type_bytes(&huge) > UINT64_C(1) << 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dtype_names_round_trip),
        cmocka_unit_test(test_dtype_bits),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_capacities),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_aliases_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
