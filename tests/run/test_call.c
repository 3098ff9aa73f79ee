/* SPDX-License-Identifier: Apache-2.0 */
/* C macros whose arguments fit several forms, or an optional tile in several places: the legal reading is
 * taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pto/pto-inst.h>

#include "support/tile_testing.h"

#include <string.h>

static pto_tile make(pto_core *core, pto_tile_type type) {
    pto_tile tile = pto_tile_make(type);
    assert_int_equal(pto_tile_bind(core, &tile), PTO_OK);
    return tile;
}

static void set_float(pto_tile *tile, int row, int col, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    testing_set(tile, row, col, bits);
}

/* TQUANT(dst, src, scale, x): x is scratch for INT8_SYM, the offset for INT8_ASYM. */
static void test_quant(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST), *old = pto_core_set_current(core);
        const bool a2a3 = target == PTO_TARGET_A2A3;
        pto_tile src = make(core, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 64));
        pto_tile tmp = make(core, src.type),
                 wide = make(core, pto_tile_type_make(PTO_LOC_VEC, PTO_S8, 8, 64));
        pto_tile_type unsigned_type = wide.type;
        unsigned_type.dtype = PTO_U8;
        pto_tile narrow = make(core, unsigned_type);
        pto_tile scale = make(core, pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 8, 1));
        pto_tile offset = make(core, scale.type);
        for (int r = 0; r < 8; r++) {
            set_float(&scale, r, 0, 2);
            set_float(&offset, r, 0, 100);
            set_float(&src, r, 3, 7);
        }
        assert_int_equal(TQUANT(&wide, &src, &scale, &tmp, PTO_QUANT_INT8_SYM), PTO_OK);
        assert_int_equal(testing_get(&wide, 5, 3), 14);
        assert_int_equal(TQUANT(&narrow, &src, &scale, &tmp, &offset, PTO_QUANT_INT8_ASYM), PTO_OK);
        assert_int_equal(testing_get(&narrow, 5, 3), 114);
        testing_set(&narrow, 5, 3, 0);
        const pto_status three = TQUANT(&wide, &src, &scale, PTO_QUANT_INT8_SYM);
        assert_int_equal(three, a2a3 ? PTO_ERR_REFUSED : PTO_OK); /* a2a3 needs scratch */
        const pto_status four = TQUANT(&narrow, &src, &scale, &offset, PTO_QUANT_INT8_ASYM);
        assert_int_equal(four, a2a3 ? PTO_ERR_REFUSED : PTO_OK);
        assert_int_equal(testing_get(&narrow, 5, 3), a2a3 ? 0 : 114);
        pto_core_set_current(old);
        pto_core_destroy(core);
    }
}

/* TMATMUL_MX of six tiles: cIn is second, or the bias last. */
static void test_matmul_mx(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST), *old = pto_core_set_current(core);
    pto_tile a = make(core, pto_tile_type_left(PTO_TARGET_CPU, PTO_E4M3, 16, 64));
    pto_tile b = make(core, pto_tile_type_right(PTO_E4M3, 64, 16));
    pto_tile a_scale = make(core, pto_tile_type_left_scale(PTO_LOC_SCALE_LEFT, 16, 2));
    pto_tile b_scale = make(core, pto_tile_type_right_scale(PTO_LOC_SCALE_RIGHT, 2, 16));
    pto_tile dst = make(core, pto_tile_type_acc(PTO_F32, 16, 16)), c_in = make(core, dst.type);
    pto_tile bias = make(core, pto_tile_type_make(PTO_LOC_BIAS, PTO_F32, 1, 16));
    memset(a_scale.data, 128, 32); /* 2 */
    memset(b_scale.data, 127, 32);
    testing_set(&a, 1, 40, 0x38); /* 1 */
    testing_set(&b, 40, 2, 0x40); /* 2 */
    set_float(&c_in, 1, 2, 3);
    set_float(&bias, 0, 2, 5);
    static const float expected[] = {4, 7, 9};
    for (int i = 0; i < 3; i++) {
        const pto_status got = i == 0   ? TMATMUL_MX(&dst, &a, &a_scale, &b, &b_scale)
                               : i == 1 ? TMATMUL_MX(&dst, &c_in, &a, &a_scale, &b, &b_scale)
                                        : TMATMUL_MX(&dst, &a, &a_scale, &b, &b_scale, &bias);
        assert_int_equal(got, PTO_OK);
        const uint32_t bits = (uint32_t)testing_get(&dst, 1, 2);
        float value;
        memcpy(&value, &bits, sizeof value);
        assert_true(value == expected[i]);
    }
    pto_core_set_current(old);
    pto_core_destroy(core);
}

/* The indices of windows are 0 where a call leaves them out (30, TEXTRACT, TINSERT). */
static void test_indices(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST), *old = pto_core_set_current(core);
    pto_tile large = make(core, pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 8, 16));
    pto_tile small = make(core, pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 2, 8)),
             other = make(core, small.type);
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 16; c++)
            testing_set(&large, r, c, (uint64_t)(100 * r + c));
    assert_int_equal(TEXTRACT(&small, &large), PTO_OK);
    assert_int_equal(testing_get(&small, 1, 7), 107);
    assert_int_equal(TEXTRACT(&small, &large, 3), PTO_OK);
    assert_int_equal(testing_get(&small, 1, 7), 407);
    assert_int_equal(TEXTRACT(&small, &large, 3, 8), PTO_OK);
    assert_int_equal(testing_get(&small, 1, 7), 415);
    assert_int_equal(TEXTRACT(&small, &other, &large), PTO_OK);
    assert_int_equal(testing_get(&small, 1, 7), 107);
    assert_int_equal(testing_get(&other, 1, 7), 107);
    assert_int_equal(TEXTRACT(&small, &other, &large, 0, 1, 5), PTO_OK);
    assert_int_equal(testing_get(&small, 1, 7), 108);
    assert_int_equal(testing_get(&other, 1, 7), 607);
    assert_int_equal(TINSERT(&large, &other), PTO_OK);
    assert_int_equal(testing_get(&large, 1, 7), 607);
    assert_int_equal(testing_get(&large, 2, 7), 207);
    assert_int_equal(TINSERT(&large, &other, 2), PTO_OK);
    assert_int_equal(testing_get(&large, 3, 7), 607);
    /* a row outside of the source is an error and no column */
    assert_int_equal(TEXTRACT(&small, &large, 7, 0), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-E0762"));

    pto_tile acc = make(core, pto_tile_type_acc(PTO_F32, 16, 32)),
             fp = make(core, pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 32));
    pto_tile mat = make(core, pto_tile_type_nz(PTO_LOC_MAT, PTO_S8, 16, 32));
    set_float(&acc, 3, 4, 5);
    for (int c = 0; c < 32; c++) {
        const float factor = 2;
        uint32_t bits;
        memcpy(&bits, &factor, sizeof bits);
        testing_set(&fp, 0, c, bits | UINT64_C(1) << 46);
    }
    assert_int_equal(TEXTRACT_FP(&mat, &acc, &fp), PTO_OK);
    assert_int_equal(testing_get(&mat, 3, 4), 10);
    testing_set(&mat, 3, 4, 0);
    assert_int_equal(TINSERT_FP(&mat, &acc, &fp), PTO_OK);
    assert_int_equal(testing_get(&mat, 3, 4), 10);
    pto_core_set_current(old);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quant), cmocka_unit_test(test_matmul_mx),
                                       cmocka_unit_test(test_indices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
