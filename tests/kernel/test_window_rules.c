/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of TEXTRACT, TINSERT and of TMOV with quantisation or for a vector core, per target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define INDEX(v) testing_int_operand(PTO_U16, v)
#define WORD(v) testing_int_operand(PTO_U64, (int64_t)(v))
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};

static pto_tile_type of(pto_loc loc, pto_dtype dtype, testing_layout layout, int32_t rows, int32_t cols) {
    pto_tile_type type = testing_type(loc, dtype, layout, rows, cols);
    if (loc == PTO_LOC_ACC)
        type.fractal = 1024;
    if (loc == PTO_LOC_SCALE_LEFT || loc == PTO_LOC_SCALE_RIGHT)
        type.fractal = 32;
    return type;
}
#define VEC(dtype, layout, rows, cols) of(PTO_LOC_VEC, dtype, layout, rows, cols)
#define MAT(dtype, layout, rows, cols) of(PTO_LOC_MAT, dtype, layout, rows, cols)
#define ACC(dtype, rows, cols) of(PTO_LOC_ACC, dtype, TESTING_NZ, rows, cols)
#define LEFT(dtype, layout, rows, cols) of(PTO_LOC_LEFT, dtype, layout, rows, cols)
#define RIGHT(dtype, layout, rows, cols) of(PTO_LOC_RIGHT, dtype, layout, rows, cols)

static pto_tile_type valid(pto_tile_type type, int32_t rows, int32_t cols) {
    type.valid_rows = rows;
    type.valid_cols = cols;
    return type;
}

static void run(pto_target target, const char *rule, pto_form form, pto_tile_type dst, pto_tile_type src,
                int64_t row, int64_t col, int64_t last, int line) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile to = testing_tile(core, NULL, dst, dst.valid_rows, dst.valid_cols);
    pto_tile from = testing_tile(core, NULL, src, src.valid_rows, src.valid_cols);
    pto_status status =
        TESTING_EXECUTE(core, form, TILE(&to), TILE(&from), INDEX(row), INDEX(col), ATTR(last));
    testing_expect(core, status, rule, __FILE__, line);
    pto_core_destroy(core);
}
#define X(target, rule, dst, src, row, col)                                                                  \
    run(target, rule, PTO_FORM_TEXTRACT, dst, src, row, col, 0, __LINE__)
#define I(target, rule, dst, src, row, col)                                                                  \
    run(target, rule, PTO_FORM_TINSERT, dst, src, row, col, 0, __LINE__)

static void test_extract(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != CPU, a2a3 = target == A2A3, a5 = target == A5;
        testing_layout left = a2a3 ? TESTING_ZZ : TESTING_NZ;
        pto_tile_type nd = VEC(PTO_F32, TESTING_ND, 16, 32), part = VEC(PTO_F32, TESTING_ND, 8, 16);
        /* paths */
        X(target, NULL, part, nd, 8, 16);
        X(target, a2a3 ? "PTO-E0760" : NULL, MAT(PTO_F32, TESTING_ND, 8, 32), nd, 8, 0);
        X(target, a2a3 ? "PTO-E0760" : NULL, part, ACC(PTO_F32, 16, 32), 0, 0);
        X(target, "PTO-E0760", part, MAT(PTO_F32, TESTING_NZ, 16, 32), 0, 0);
        X(target, "PTO-E0760", MAT(PTO_F32, TESTING_NZ, 16, 32), LEFT(PTO_F32, left, 16, 32), 0, 0);
        /* types */
        X(target, npu ? "PTO-E0761" : NULL, VEC(PTO_F16, TESTING_ND, 8, 16), nd, 0, 0);
        X(target, npu ? "PTO-E0761" : NULL, VEC(PTO_S64, TESTING_ND, 8, 16), VEC(PTO_S64, TESTING_ND, 8, 16),
          0, 0);
        X(target, a2a3 ? "PTO-E0761" : NULL, VEC(PTO_E4M3, TESTING_ND, 8, 32),
          VEC(PTO_E4M3, TESTING_ND, 8, 32), 0, 0);
        X(target, NULL, LEFT(PTO_F16, left, 16, 16), MAT(PTO_F16, TESTING_NZ, 32, 32), 16, 16);
        X(target, npu ? "PTO-E0761" : NULL, LEFT(PTO_S32, left, 16, 16), MAT(PTO_S32, TESTING_NZ, 32, 32), 16,
          16);
        X(target, NULL, MAT(PTO_F16, TESTING_NZ, 16, 16), ACC(PTO_F32, 16, 32), 0, 16);
        X(target, a2a3 ? "PTO-E0761" : NULL, MAT(PTO_F32, TESTING_NZ, 16, 16), ACC(PTO_F32, 16, 32), 0, 16);
        X(target, "PTO-E0761", MAT(PTO_S8, TESTING_NZ, 16, 32), ACC(PTO_S32, 16, 32), 0, 0);
        run(target, "PTO-E0712", PTO_FORM_TEXTRACT, part, nd, 0, 0, 1, __LINE__);
        run(target, "PTO-E0714", PTO_FORM_TEXTRACT, part, nd, 0, 0, 2, __LINE__);
        run(target, NULL, PTO_FORM_TEXTRACT, MAT(PTO_F16, TESTING_NZ, 16, 16), ACC(PTO_F32, 16, 32), 0, 16, 1,
            __LINE__);
        /* bounds */
        X(target, "PTO-E0762", part, nd, 9, 16);
        X(target, "PTO-E0762", part, nd, 8, 24);
        X(target, "PTO-E0762", part, nd, -1, 0);
        X(target, "PTO-E0762", part, nd, 0, 65536);
        X(target, npu ? "PTO-E0762" : NULL, valid(VEC(PTO_F32, TESTING_ND, 17, 32), 4, 4), nd, 0, 0);
        X(target, NULL, valid(part, 4, 2), nd, 12, 24);
        X(target, npu ? "PTO-E0762" : NULL, valid(LEFT(PTO_F16, left, 32, 32), 16, 16),
          MAT(PTO_F16, TESTING_NZ, 32, 32), 16, 16);
        X(target, npu ? "PTO-E0762" : NULL, valid(MAT(PTO_F16, TESTING_NZ, 32, 16), 16, 16),
          ACC(PTO_F32, 32, 16), 16, 0);
        X(target, a2a3 ? "PTO-E0762" : NULL, valid(VEC(PTO_F16, TESTING_NZ, 32, 16), 16, 16),
          VEC(PTO_F16, TESTING_NZ, 16, 16), 0, 0); /* a5: columns only */
        /* layouts */
        X(target, npu ? "PTO-E0764" : NULL, VEC(PTO_F32, TESTING_DN, 8, 16), VEC(PTO_F32, TESTING_DN, 8, 16),
          0, 0);
        X(target, npu ? "PTO-E0764" : NULL, VEC(PTO_F16, TESTING_NZ, 16, 16),
          VEC(PTO_F16, TESTING_ND, 16, 16), 0, 0);
        X(target, npu ? "PTO-E0764" : NULL, LEFT(PTO_F16, a2a3 ? TESTING_NZ : TESTING_ZZ, 16, 16),
          MAT(PTO_F16, TESTING_NZ, 16, 16), 0, 0);
        X(target, npu ? "PTO-E0764" : NULL, RIGHT(PTO_F16, TESTING_NZ, 16, 16),
          MAT(PTO_F16, TESTING_NZ, 16, 16), 0, 0);
        X(target, npu ? "PTO-E0764" : NULL, RIGHT(PTO_F16, TESTING_ZN, 16, 16),
          MAT(PTO_F16, TESTING_ND, 16, 16), 0, 0);
        X(target, npu ? "PTO-E0764" : NULL, MAT(PTO_F16, TESTING_ND, 16, 16), ACC(PTO_F32, 16, 16), 0, 0);
        if (!a2a3)
            X(target, a5 ? "PTO-E0764" : NULL, VEC(PTO_F16, TESTING_NZ, 16, 16), ACC(PTO_F32, 16, 16), 0, 0);
        /* alignment: vec */
        X(target, a2a3 ? "PTO-E0765" : NULL, valid(part, 4, 4), nd, 1, 1);
        X(target, NULL, valid(part, 4, 4), nd, 1, 8);
        X(target, NULL, valid(part, 1, 1), nd, 1, 1);
        pto_tile_type bytes = VEC(PTO_U8, TESTING_ND, 8, 32);
        X(target, a2a3 ? "PTO-E0765" : NULL, valid(bytes, 2, 3), bytes, 0, 0);
        X(target, NULL, valid(bytes, 2, 4), bytes, 0, 0);
        pto_tile_type nz = VEC(PTO_F16, TESTING_NZ, 32, 32), box = VEC(PTO_F16, TESTING_NZ, 16, 16);
        X(target, npu ? "PTO-E0765" : NULL, box, nz, 0, 8);
        X(target, a2a3 ? "PTO-E0765" : NULL, box, nz, 8, 16);
        X(target, NULL, box, nz, 16, 16);
        X(target, a2a3 ? "PTO-E0765" : NULL, VEC(PTO_F16, TESTING_NZ, 8, 16), nz, 16, 16);
        X(target, a2a3 ? "PTO-E0765" : NULL, box, VEC(PTO_F16, TESTING_NZ, 33, 32), 16, 16);
        /* alignment: cube */
        pto_tile_type mat = MAT(PTO_F16, TESTING_NZ, 32, 32), turned = MAT(PTO_F16, TESTING_ZN, 32, 32);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_F16, left, 16, 16), mat, 8, 16);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_F16, left, 16, 16), mat, 16, 8);
        X(target, npu ? "PTO-E0765" : NULL, RIGHT(PTO_F16, TESTING_ZN, 16, 16), turned, 8, 16);
        X(target, NULL, LEFT(PTO_F16, left, 16, 16), turned, 16, 16);
        pto_tile_type single = MAT(PTO_F32, TESTING_NZ, 32, 32);
        X(target, NULL, LEFT(PTO_F32, left, 16, 8), single, 16, 8);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_F32, left, 16, 8), single, 16, 4);
        X(target, NULL, RIGHT(PTO_F32, TESTING_ZN, 8, 16), MAT(PTO_F32, TESTING_ZN, 32, 32), 8, 16);
        X(target, npu ? "PTO-E0765" : NULL, RIGHT(PTO_F32, TESTING_ZN, 8, 16),
          MAT(PTO_F32, TESTING_NZ, 32, 32), 8, 16);
        pto_tile_type s8 = MAT(PTO_S8, TESTING_ZN, 64, 64);
        X(target, NULL, LEFT(PTO_S8, left, 32, 32), s8, 32, 32);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_S8, left, 32, 32), s8, 32, 16);
        pto_tile_type gemv = MAT(PTO_F16, TESTING_ND, 1, 512);
        X(target, NULL, LEFT(PTO_F16, left, 1, 256), gemv, 0, 256);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_F16, left, 1, 256), gemv, 0, 128);
        X(target, npu ? "PTO-E0765" : NULL, LEFT(PTO_F16, left, 1, 128), gemv, 0, 256);
        if (a2a3)
            continue;
        pto_tile_type scale = of(PTO_LOC_MAT, PTO_E8M0, TESTING_ZZ, 32, 8);
        scale.fractal = 32;
        X(target, NULL, of(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 16, 4), scale, 16, 2);
        X(target, npu ? "PTO-E0765" : NULL, of(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 16, 4), scale, 8, 2);
        X(target, npu ? "PTO-E0765" : NULL, of(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 16, 4), scale, 16,
          1);
        X(target, npu ? "PTO-E0764" : NULL, of(PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_NN, 16, 16),
          MAT(PTO_E8M0, TESTING_NZ, 16, 32), 0, 0);
        /* vec to mat: whole rows */
        X(target, a5 ? "PTO-E0765" : NULL, MAT(PTO_F32, TESTING_ND, 8, 16), nd, 0, 16);
        X(target, a5 ? "PTO-E0765" : NULL, valid(MAT(PTO_F32, TESTING_ND, 8, 32), 8, 16), nd, 0, 0);
        X(target, NULL, MAT(PTO_F16, TESTING_NZ, 16, 16), VEC(PTO_F16, TESTING_NZ, 32, 32), 3, 5);
        /* 4-bit windows on a5: 32 bytes */
        pto_tile_type nibbles = VEC(PTO_E2M1, TESTING_ND, 8, 128);
        X(target, NULL, valid(nibbles, 2, 64), nibbles, 0, 64);
        X(target, a5 ? "PTO-E0765" : NULL, valid(nibbles, 2, 32), nibbles, 0, 64);
        X(target, a5 ? "PTO-E0765" : NULL, valid(nibbles, 2, 64), nibbles, 0, 32);
    }
}

static void test_warnings(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile src = testing_tile(core, NULL, valid(VEC(PTO_F32, TESTING_ND, 16, 32), 9, 32), 9, 32);
        pto_tile dst = testing_tile(core, NULL, VEC(PTO_F32, TESTING_ND, 8, 16), 8, 16);
        TESTING_EXECUTE(core, PTO_FORM_TEXTRACT, TILE(&dst), TILE(&src), INDEX(1), INDEX(0));
        assert_int_equal(pto_diag_count(pto_core_diags(core), PTO_WARNING), 0);
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TEXTRACT, TILE(&dst), TILE(&src), INDEX(2), INDEX(0)),
                         PTO_OK);
        assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0763"));
        pto_diag_list_clear(pto_core_diags(core));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TEXTRACT, TILE(&dst), TILE(&dst), INDEX(0), INDEX(0));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TINSERT, TILE(&dst), TILE(&dst), INDEX(0), INDEX(0));
        pto_core_destroy(core);
    }
}

static void test_insert(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != CPU, a2a3 = target == A2A3, a5 = target == A5;
        pto_tile_type nd = VEC(PTO_F32, TESTING_ND, 16, 32), part = VEC(PTO_F32, TESTING_ND, 8, 16);
        I(target, NULL, nd, part, 8, 16);
        I(target, a2a3 ? "PTO-E0760" : NULL, MAT(PTO_F32, TESTING_ND, 16, 32), part, 8, 0);
        I(target, a2a3 ? "PTO-E0760" : NULL, nd, ACC(PTO_F32, 16, 16), 0, 16);
        I(target, NULL, MAT(PTO_F16, TESTING_NZ, 32, 32), ACC(PTO_F32, 16, 16), 3, 5);
        I(target, "PTO-E0760", LEFT(PTO_F16, a2a3 ? TESTING_ZZ : TESTING_NZ, 16, 16),
          MAT(PTO_F16, TESTING_NZ, 16, 16), 0, 0);
        /* types */
        I(target, npu ? "PTO-E0761" : NULL, VEC(PTO_F16, TESTING_ND, 16, 32), part, 0, 0);
        I(target, a5 ? "PTO-E0761" : NULL, VEC(PTO_U32, TESTING_ND, 16, 32), VEC(PTO_U32, TESTING_ND, 8, 16),
          0, 0);
        I(target, a2a3 ? "PTO-E0761" : NULL, VEC(PTO_HIF8, TESTING_ND, 16, 32),
          VEC(PTO_HIF8, TESTING_ND, 8, 32), 0, 0);
        I(target, "PTO-E0761", MAT(PTO_S8, TESTING_NZ, 16, 32), ACC(PTO_S32, 16, 32), 0, 0);
        run(target, "PTO-E0712", PTO_FORM_TINSERT, nd, part, 0, 0, 1, __LINE__);
        /* bounds */
        I(target, "PTO-E0762", nd, part, 9, 16);
        I(target, "PTO-E0762", nd, part, 8, 24);
        I(target, "PTO-E0762", nd, part, -1, 0);
        I(target, NULL, nd, valid(part, 3, 4), 13, 24);
        I(target, npu ? "PTO-E0762" : NULL, nd, valid(VEC(PTO_F32, TESTING_ND, 17, 32), 4, 4), 0, 0);
        /* layouts */
        I(target, npu ? "PTO-E0764" : NULL, VEC(PTO_F32, TESTING_DN, 16, 32), VEC(PTO_F32, TESTING_DN, 8, 16),
          0, 0);
        I(target, npu ? "PTO-E0764" : NULL, VEC(PTO_F16, TESTING_ZN, 16, 32),
          VEC(PTO_F16, TESTING_ZN, 16, 16), 0, 0);
        I(target, npu ? "PTO-E0764" : NULL, MAT(PTO_F16, TESTING_ZN, 16, 32), ACC(PTO_F32, 16, 16), 0, 0);
        /* alignment */
        I(target, a2a3 ? "PTO-E0765" : NULL, nd, part, 1, 1);
        I(target, NULL, nd, valid(part, 1, 1), 1, 1);
        I(target, a2a3 ? "PTO-E0765" : NULL, VEC(PTO_S8, TESTING_ND, 8, 64),
          valid(VEC(PTO_S8, TESTING_ND, 4, 32), 4, 3), 0, 0);
        pto_tile_type nz = VEC(PTO_F16, TESTING_NZ, 32, 32), box = VEC(PTO_F16, TESTING_NZ, 16, 16);
        I(target, npu ? "PTO-E0765" : NULL, nz, box, 0, 8);
        I(target, a2a3 ? "PTO-E0765" : NULL, nz, box, 8, 16);
        I(target, NULL, nz, box, 16, 16);
        if (a2a3)
            continue;
        I(target, a5 ? "PTO-E0765" : NULL, MAT(PTO_F32, TESTING_ND, 16, 32), valid(part, 8, 12), 0, 0);
        I(target, NULL, MAT(PTO_F32, TESTING_ND, 16, 32), part, 1, 3);
        pto_tile_type zn = MAT(PTO_F16, TESTING_ZN, 32, 32);
        I(target, NULL, zn, VEC(PTO_F16, TESTING_ZN, 16, 16), 16, 5);
        I(target, a5 ? "PTO-E0765" : NULL, zn, VEC(PTO_F16, TESTING_ZN, 16, 16), 8, 0);
        I(target, a5 ? "PTO-E0765" : NULL, zn, valid(VEC(PTO_F16, TESTING_ZN, 16, 16), 15, 16), 0, 0);
        pto_tile_type nibbles = VEC(PTO_E1M2, TESTING_ND, 8, 128);
        I(target, NULL, nibbles, valid(nibbles, 2, 6), 0, 4);
        I(target, a5 ? "PTO-E0765" : NULL, nibbles, valid(nibbles, 2, 5), 0, 4);
        I(target, a5 ? "PTO-E0765" : NULL, nibbles, valid(nibbles, 2, 6), 0, 3);
        /* in pieces */
        run(target, NULL, PTO_FORM_TINSERT_SPLIT, MAT(PTO_F16, TESTING_NZ, 32, 32), box, 0, 16, 2, __LINE__);
        run(target, NULL, PTO_FORM_TINSERT_SPLIT, MAT(PTO_F16, TESTING_NZ, 32, 32), box, 0, 16, 3, __LINE__);
        run(target, "PTO-E0714", PTO_FORM_TINSERT_SPLIT, MAT(PTO_F16, TESTING_NZ, 32, 32), box, 0, 16, 4,
            __LINE__);
        run(target, "PTO-E0760", PTO_FORM_TINSERT_SPLIT, nz, box, 0, 16, 2, __LINE__);
        run(target, a5 ? "PTO-E0764" : NULL, PTO_FORM_TINSERT_SPLIT, MAT(PTO_F32, TESTING_ND, 16, 32), part,
            0, 0, 2, __LINE__);
    }
    run(A2A3, "PTO-E0301", PTO_FORM_TINSERT_SPLIT, MAT(PTO_F16, TESTING_NZ, 32, 32),
        VEC(PTO_F16, TESTING_NZ, 16, 16), 0, 16, 2, __LINE__);
}

/* ---- the way out of acc ---- */

static void test_modes(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile acc = testing_tile(core, NULL, ACC(PTO_F32, 32, 64), 32, 64);
        pto_tile whole = testing_tile(core, NULL, VEC(PTO_F32, TESTING_ND, 32, 64), 32, 64);
        if (targets[t] == A2A3) {
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&acc));
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&whole), TILE(&acc), INDEX(0),
                            INDEX(0));
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TINSERT_ACCTOVEC, TILE(&whole), TILE(&acc), INDEX(0),
                            INDEX(0));
            pto_core_destroy(core);
            continue;
        }
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&acc), ATTR(1));
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&acc), ATTR(4));
        TESTING_REFUSED(core, "PTO-E0751", PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&whole), ATTR(1));
        pto_tile mat = testing_tile(core, NULL, MAT(PTO_F32, TESTING_NZ, 32, 64), 32, 64);
        TESTING_REFUSED(core, "PTO-E0756", PTO_FORM_TMOV_ACCTOVEC, TILE(&mat), TILE(&acc), ATTR(1));
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&acc), ATTR(2));
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&whole), TILE(&acc), ATTR(2)),
                         PTO_OK);
        assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0758"));
        pto_diag_list_clear(pto_core_diags(core));
        pto_tile half = testing_tile(core, NULL, VEC(PTO_F32, TESTING_ND, 16, 64), 16, 64);
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&half), TILE(&acc), ATTR(2));
        TESTING_REFUSED(core, "PTO-E0757", PTO_FORM_TMOV_ACCTOVEC, TILE(&half), TILE(&acc), ATTR(3));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TMOV_ACCTOVEC, TILE(&half), TILE(&acc), ATTR(0));
        pto_tile f16 = testing_tile(core, NULL, VEC(PTO_F16, TESTING_ND, 16, 64), 16, 64);
        TESTING_REFUSED(core, "PTO-E0756", PTO_FORM_TMOV_ACCTOVEC, TILE(&f16), TILE(&acc), ATTR(2));
        pto_tile dn = testing_tile(core, NULL, VEC(PTO_F32, TESTING_DN, 16, 64), 16, 64);
        TESTING_REFUSED(core, "PTO-E0756", PTO_FORM_TMOV_ACCTOVEC, TILE(&dn), TILE(&acc), ATTR(2));
        /* columns of 32 bits split at 32, rows at 2 */
        pto_tile narrow = testing_tile(core, NULL, valid(ACC(PTO_F32, 32, 48), 31, 48), 31, 48);
        pto_tile third = testing_tile(core, NULL, VEC(PTO_F32, TESTING_ND, 31, 24), 31, 24);
        TESTING_REFUSED(core, "PTO-E0757", PTO_FORM_TMOV_ACCTOVEC, TILE(&third), TILE(&narrow), ATTR(3));
        TESTING_REFUSED(core, "PTO-E0757", PTO_FORM_TMOV_ACCTOVEC, TILE(&third), TILE(&narrow), ATTR(2));
        TESTING_REFUSED(core, "PTO-E0757", PTO_FORM_TINSERT_ACCTOVEC, TILE(&whole), TILE(&narrow), INDEX(0),
                        INDEX(0), ATTR(3));
        TESTING_REFUSED(core, "PTO-E0757", PTO_FORM_TINSERT_ACCTOVEC, TILE(&whole), TILE(&narrow), INDEX(0),
                        INDEX(0), ATTR(2));
        /* TEXTRACT splits twice the destination */
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&half), TILE(&acc), INDEX(0), INDEX(0),
                         ATTR(2));
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&half), TILE(&acc), INDEX(1),
                        INDEX(0), ATTR(2));
        pto_tile quarter = testing_tile(core, NULL, VEC(PTO_F32, TESTING_ND, 8, 64), 8, 64);
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&quarter), TILE(&acc), INDEX(0),
                                       INDEX(0), ATTR(2)),
                       targets[t] == A5 ? "PTO-E0757" : NULL, __FILE__, __LINE__);
        /* quantised: no dual mode, and only into vec */
        pto_tile s8 = testing_tile(core, NULL, VEC(PTO_S8, TESTING_ND, 32, 64), 32, 64);
        pto_tile box = testing_tile(core, NULL, MAT(PTO_S8, TESTING_NZ, 32, 64), 32, 64);
        const uint64_t word = UINT64_C(1) << 46;
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_PREQUANT, TILE(&s8), TILE(&acc), WORD(word), ATTR(1));
        TESTING_REFUSED(core, "PTO-E0756", PTO_FORM_TMOV_PREQUANT, TILE(&s8), TILE(&acc), WORD(word),
                        ATTR(2));
        TESTING_REFUSED(core, "PTO-E0756", PTO_FORM_TMOV_PREQUANT, TILE(&box), TILE(&acc), WORD(word),
                        ATTR(1));
        pto_core_destroy(core);
    }
}

static void test_quantised(void **state) {
    (void)state;
    const uint64_t word = UINT64_C(1) << 46;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        bool npu = targets[t] != CPU, a2a3 = targets[t] == A2A3;
        pto_tile acc = testing_tile(core, NULL, ACC(PTO_F32, 32, 64), 32, 64);
        pto_tile dst = testing_tile(core, NULL, MAT(PTO_S8, TESTING_NZ, 32, 64), 32, 64);
        pto_tile half = testing_tile(core, NULL, MAT(PTO_S8, TESTING_NZ, 16, 32), 16, 32);
        pto_tile mat = testing_tile(core, NULL, MAT(PTO_F32, TESTING_NZ, 32, 64), 32, 64);
        pto_tile fp = testing_tile(core, NULL, of(PTO_LOC_SCALING, PTO_U64, TESTING_ND, 1, 64), 1, 64);
        pto_tile few = testing_tile(core, NULL, of(PTO_LOC_SCALING, PTO_U64, TESTING_ND, 1, 32), 1, 32);
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_PREQUANT, TILE(&dst), TILE(&acc), WORD(word));
        TESTING_REFUSED(core, "PTO-E0751", PTO_FORM_TMOV_PREQUANT, TILE(&dst), TILE(&mat), WORD(word));
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_FP, TILE(&dst), TILE(&acc), TILE(&fp));
        TESTING_REFUSED(core, "PTO-E0753", PTO_FORM_TMOV_FP, TILE(&dst), TILE(&acc), TILE(&few));
        TESTING_REFUSED(core, "PTO-E0752", PTO_FORM_TMOV_FP, TILE(&dst), TILE(&acc), TILE(&mat));
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TMOV_FP_MODE, TILE(&dst), TILE(&acc), TILE(&fp)),
                       a2a3 ? "PTO-E0301" : NULL, __FILE__, __LINE__);
        /* TEXTRACT: words from the index on, in units of 16 */
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_FP, TILE(&half), TILE(&acc), TILE(&few), INDEX(0), INDEX(0));
        TESTING_REFUSED(core, "PTO-E0753", PTO_FORM_TEXTRACT_FP, TILE(&half), TILE(&acc), TILE(&few),
                        INDEX(0), INDEX(16));
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_FP, TILE(&half), TILE(&acc), TILE(&fp), INDEX(0), INDEX(16));
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_FP, TILE(&half), TILE(&acc), TILE(&fp),
                                       INDEX(0), INDEX(8)),
                       npu ? "PTO-E0767" : NULL, __FILE__, __LINE__);
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TEXTRACT_PREQUANT, TILE(&half), TILE(&acc), WORD(word),
                        INDEX(17), INDEX(0));
        TESTING_REFUSED(core, "PTO-E0751", PTO_FORM_TEXTRACT_PREQUANT, TILE(&half), TILE(&mat), WORD(word),
                        INDEX(0), INDEX(0));
        /* TINSERT: words of the source's columns */
        pto_tile acc_half = testing_tile(core, NULL, ACC(PTO_F32, 16, 32), 16, 32);
        TESTING_ACCEPTED(core, PTO_FORM_TINSERT_FP, TILE(&dst), TILE(&acc_half), TILE(&few), INDEX(5),
                         INDEX(7));
        TESTING_REFUSED(core, "PTO-E0753", PTO_FORM_TINSERT_FP, TILE(&dst), TILE(&acc), TILE(&few), INDEX(0),
                        INDEX(0));
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TINSERT_PREQUANT, TILE(&dst), TILE(&acc_half), WORD(word),
                        INDEX(17), INDEX(0));
        /* pairs of Q.1 */
        pto_tile u8 = testing_tile(core, NULL, MAT(PTO_U8, TESTING_NZ, 32, 64), 32, 64);
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TMOV_PREQUANT, TILE(&u8), TILE(&acc), WORD(0)),
                       a2a3 ? "PTO-E0302" : NULL, __FILE__, __LINE__);
        pto_tile s16 = testing_tile(core, NULL, MAT(PTO_S16, TESTING_NZ, 32, 64), 32, 64);
        pto_tile s32 = testing_tile(core, NULL, ACC(PTO_S32, 32, 64), 32, 64);
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TMOV_PREQUANT, TILE(&s16), TILE(&acc), WORD(0));
        testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TMOV_PREQUANT, TILE(&s16), TILE(&s32), WORD(0)),
                       targets[t] == A5 ? "PTO-E0302" : NULL, __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

static void test_two_windows(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        bool npu = targets[t] != CPU;
        pto_tile src = testing_tile(core, NULL, VEC(PTO_S8, TESTING_ND, 16, 64), 16, 64);
        pto_tile a = testing_tile(core, NULL, valid(VEC(PTO_S8, TESTING_NZ, 16, 32), 4, 7), 4, 7), b = a;
        b.data = NULL;
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&a), TILE(&b), TILE(&src), INDEX(12),
                         INDEX(57), INDEX(0), INDEX(1));
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&a), TILE(&b), TILE(&src),
                        INDEX(13), INDEX(57), INDEX(0), INDEX(1));
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&a), TILE(&b), TILE(&src),
                        INDEX(0), INDEX(0), INDEX(0), INDEX(58));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&a), TILE(&a), TILE(&src),
                        INDEX(0), INDEX(0), INDEX(0), INDEX(0));
        pto_tile nd = testing_tile(core, NULL, VEC(PTO_S8, TESTING_ND, 16, 32), 16, 32);
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&a), TILE(&nd), TILE(&src),
                                       INDEX(0), INDEX(0), INDEX(0), INDEX(0)),
                       npu ? "PTO-E0764" : NULL, __FILE__, __LINE__);
        /* the implicit scratch of a2a3 */
        pto_tile high = pto_tile_make(a.type);
        assert_int_equal(pto_tile_assign(core, &high, 188 * 1024), PTO_OK);
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&high), TILE(&b), TILE(&src),
                                       INDEX(0), INDEX(32), INDEX(0), INDEX(1)),
                       targets[t] == A2A3 ? "PTO-E0766" : NULL, __FILE__, __LINE__);
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&high), TILE(&b), TILE(&src), INDEX(0),
                         INDEX(31), INDEX(0), INDEX(1));
        assert_int_equal(pto_tile_assign(core, &high, 184 * 1024 - 512), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&high), TILE(&b), TILE(&src), INDEX(0),
                         INDEX(32), INDEX(0), INDEX(1));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extract),   cmocka_unit_test(test_warnings),
                                       cmocka_unit_test(test_insert),    cmocka_unit_test(test_modes),
                                       cmocka_unit_test(test_quantised), cmocka_unit_test(test_two_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
