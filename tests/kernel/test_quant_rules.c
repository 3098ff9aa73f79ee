/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of TQUANT and TDEQUANT (part 40, 2): each refused, and accepted at its boundary, per target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"

#include <pto/ops.h>

typedef struct operands {
    pto_tile dst, src, scale, tmp, offset, exp, max, scaling, zz;
    bool with_tmp, with_offset, interleave;
    int64_t type, axis, alg, mode;
} operands;

static pto_tile flat(pto_dtype dtype, int rows, int cols, int valid_rows, int valid_cols) {
    return pto_tile_make_valid(pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols), valid_rows, valid_cols);
}

static pto_tile column(int rows, int valid) {
    return pto_tile_make_valid(pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, rows, 1), valid, 1);
}

static void expect(pto_core *core, pto_status status, const char *rule, int line) {
    testing_expect(core, status, rule, __FILE__, line);
}

/* ---- INT8 ---- */

static operands int8(void) {
    return (operands){.dst = flat(PTO_S8, 16, 64, 12, 50),
                      .src = flat(PTO_F32, 16, 64, 12, 50),
                      .tmp = flat(PTO_F32, 16, 64, 16, 64),
                      .scale = column(16, 12),
                      .offset = column(16, 12),
                      .with_tmp = true,
                      .type = PTO_QUANT_INT8_SYM};
}

static void quant(pto_core *core, operands *o, const char *rule, int line) {
    expect(core,
           TESTING_EXECUTE(core, PTO_FORM_TQUANT, testing_tile_operand(&o->dst),
                           testing_tile_operand(&o->src), testing_tile_operand(&o->scale),
                           testing_tile_operand(o->with_tmp ? &o->tmp : NULL),
                           testing_tile_operand(o->with_offset ? &o->offset : NULL),
                           testing_int_operand(PTO_DTYPE_NONE, o->type)),
           rule, line);
}
#define QUANT(rule) quant(core, &o, rule, __LINE__)

static void int8_rules(pto_core *core, pto_target target) {
    const bool a2a3 = target == PTO_TARGET_A2A3, a5 = target == PTO_TARGET_A5;
    operands o = int8();
    QUANT(NULL);
    o.with_tmp = false;
    QUANT(a2a3 ? "PTO-E0329" : NULL);
    o = int8();
    o.with_offset = true;
    QUANT("PTO-E0820");
    o.type = PTO_QUANT_INT8_ASYM;
    QUANT("PTO-E0820"); /* makes u8 */
    o.dst.type.dtype = PTO_U8;
    QUANT(NULL);
    o.with_offset = false;
    QUANT("PTO-E0820");
    o.type = PTO_QUANT_INT8_SYM;
    QUANT("PTO-E0820");
    o.type = PTO_QUANT_MXFP8;
    QUANT("PTO-E0820");
    o = int8();
    o.src = flat(PTO_F16, 16, 64, 12, 50);
    QUANT("PTO-E0302");
    o = int8();
    o.dst.type.dtype = PTO_S16;
    QUANT("PTO-E0302");
    o = int8();
    o.scale.type.dtype = PTO_S32;
    QUANT("PTO-E0302");
    o = int8();
    o.src.type.loc = PTO_LOC_MAT;
    QUANT("PTO-E0320");
    o = int8();
    o.src.type.blayout = PTO_COL_MAJOR;
    QUANT(target == PTO_TARGET_CPU ? NULL : "PTO-E0321");
    o = int8();
    o.dst = flat(PTO_S8, 11, 64, 11, 50);
    QUANT("PTO-E0821");
    o.dst = flat(PTO_S8, 12, 64, 12, 10); /* the capacity counts */
    QUANT(NULL);
    o.dst = flat(PTO_S8, 12, 32, 12, 32);
    QUANT("PTO-E0821");
    o = int8();
    o.scale = flat(PTO_F32, 12, 8, 12, 1);
    QUANT(a2a3 ? "PTO-E0822" : NULL);
    o.scale = flat(PTO_F32, 1, 16, 1, 12);
    QUANT(a2a3 ? "PTO-E0822" : NULL);
    o.scale = flat(PTO_F32, 1, 8, 1, 8);
    QUANT(a2a3 || a5 ? "PTO-E0822" : NULL); /* 12 words are needed */
    o.scale = column(16, 11);
    QUANT(a2a3 ? "PTO-E0822" : NULL);
    o.scale = column(16, 0);
    QUANT(a5 ? NULL : "PTO-E0822");
    o = int8();
    o.tmp = flat(PTO_F32, 15, 64, 15, 64);
    QUANT(a2a3 ? "PTO-E0330" : NULL);
    o = int8();
    assert_int_equal(pto_tile_bind(core, &o.src), PTO_OK);
    o.dst.data = o.src.data;
    QUANT("PTO-E0325");
    o = int8();
    assert_int_equal(pto_tile_bind(core, &o.src), PTO_OK);
    o.tmp.data = o.src.data;
    QUANT("PTO-E0326");
    /* few short rows: a warning, the call runs */
    o = (operands){.dst = flat(PTO_S8, 1, 32, 1, 32),
                   .src = flat(PTO_F32, 1, 32, 1, 32),
                   .tmp = flat(PTO_F32, 1, 32, 1, 32),
                   .scale = column(8, 1),
                   .with_tmp = true,
                   .type = PTO_QUANT_INT8_SYM};
    for (int cols = 32; cols <= 64; cols += 32) {
        o.tmp = flat(PTO_F32, 1, cols, 1, cols);
        const pto_status status =
            TESTING_EXECUTE(core, PTO_FORM_TQUANT, testing_tile_operand(&o.dst), testing_tile_operand(&o.src),
                            testing_tile_operand(&o.scale), testing_tile_operand(&o.tmp));
        assert_int_equal(status, PTO_OK);
        assert_int_equal(pto_diag_has(pto_core_diags(core), "PTO-W0823"), a2a3 && cols == 32);
        pto_diag_list_clear(pto_core_diags(core));
    }
}

/* ---- TDEQUANT ---- */

static operands dequant(void) {
    return (operands){.dst = flat(PTO_F32, 16, 64, 12, 50),
                      .src = flat(PTO_S8, 16, 64, 12, 50),
                      .scale = flat(PTO_F32, 16, 8, 12, 1),
                      .offset = flat(PTO_F32, 12, 8, 12, 8)};
}

static void run_dequant(pto_core *core, operands *o, const char *rule, int line) {
    expect(core,
           TESTING_EXECUTE(core, PTO_FORM_TDEQUANT, testing_tile_operand(&o->dst),
                           testing_tile_operand(&o->src), testing_tile_operand(&o->scale),
                           testing_tile_operand(&o->offset)),
           rule, line);
}
#define DEQUANT(rule) run_dequant(core, &o, rule, __LINE__)

static void dequant_rules(pto_core *core, pto_target target) {
    const bool cpu = target == PTO_TARGET_CPU, a5 = target == PTO_TARGET_A5;
    operands o = dequant();
    DEQUANT(NULL);
    o.src.type.dtype = PTO_U8;
    DEQUANT(cpu ? NULL : "PTO-E0302");
    o = dequant();
    o.dst.type.dtype = PTO_S32;
    DEQUANT("PTO-E0302");
    o = dequant();
    o.dst.valid_cols = 49;
    DEQUANT("PTO-E0323");
    o = dequant();
    o.src.type.blayout = PTO_COL_MAJOR;
    o.src.type.rows = 64;
    DEQUANT(cpu ? NULL : "PTO-E0321");
    o = dequant();
    o.scale.valid_rows = 11;
    DEQUANT(a5 ? "PTO-E0822" : NULL);
    o = dequant();
    o.offset = flat(PTO_F32, 11, 8, 11, 8);
    DEQUANT("PTO-E0822");
    o = dequant();
    o.offset.type.loc = PTO_LOC_MAT;
    DEQUANT("PTO-E0320");
    o = dequant();
    assert_int_equal(pto_tile_bind(core, &o.dst), PTO_OK);
    o.src.data = o.dst.data;
    DEQUANT("PTO-E0325");
}

/* ---- MX ---- */

/* 16 x 128 in rows of 4 groups, 90 of the columns valid; exponents in a row each. */
static operands nd(void) {
    return (operands){.dst = flat(PTO_E4M3, 16, 128, 12, 90),
                      .src = flat(PTO_F32, 16, 128, 12, 90),
                      .exp = flat(PTO_U8, 12, 32, 12, 3),
                      .max = flat(PTO_F32, 1, 48, 1, 1),
                      .scaling = flat(PTO_F32, 1, 96, 1, 1),
                      .axis = PTO_GROUP_ND,
                      .alg = PTO_OCP_MXFP8_E4M3};
}

/* 128 x 64 in columns, 64 rows valid. */
static operands dn(bool interleave) {
    return (operands){.dst = flat(PTO_E4M3, 128, 64, 64, 50),
                      .src = flat(PTO_BF16, 128, 64, 64, 50),
                      .exp = interleave ? flat(PTO_U8, 2, 128, 1, 100) : flat(PTO_U8, 2, 64, 2, 50),
                      .max = flat(PTO_BF16, 2, 64, 2, 64),
                      .scaling = flat(PTO_BF16, 2, 64, 2, 64),
                      .axis = PTO_GROUP_DN,
                      .alg = PTO_OCP_MXFP8_E4M3,
                      .interleave = interleave};
}

static void run_mx(pto_core *core, operands *o, const char *rule, int line) {
    expect(core,
           TESTING_EXECUTE(core, PTO_FORM_TQUANT_MX, testing_tile_operand(&o->dst),
                           testing_tile_operand(&o->src), testing_tile_operand(&o->exp),
                           testing_tile_operand(&o->max), testing_tile_operand(&o->scaling),
                           testing_int_operand(PTO_DTYPE_NONE, o->axis),
                           testing_int_operand(PTO_DTYPE_NONE, o->alg),
                           testing_int_operand(PTO_DTYPE_NONE, o->interleave)),
           rule, line);
}
#define MX(rule) run_mx(core, &o, rule, __LINE__)

static void mx_rules(pto_core *core, pto_target target) {
    const bool a5 = target == PTO_TARGET_A5;
    operands o = nd();
    if (target == PTO_TARGET_A2A3) {
        MX("PTO-E0301");
        return;
    }
    MX(NULL);
    o.alg = PTO_HIF4;
    MX("PTO-E0824");
    o.alg = PTO_NV_MXFP4_E2M1;
    MX("PTO-E0824");
    o.dst.type.dtype = PTO_E2M1;
    MX(a5 ? "PTO-E0302" : NULL); /* f32 to e2m1 */
    o.src.type.dtype = o.max.type.dtype = o.scaling.type.dtype = PTO_F16;
    MX(NULL);
    o.alg = PTO_NV_MXFP8_E4M3;
    MX("PTO-E0824");
    o = nd();
    o.exp.type.dtype = PTO_S8;
    MX("PTO-E0824");
    o.exp.type.dtype = PTO_E8M0;
    MX(NULL);
    o = nd();
    o.max.type.dtype = PTO_F16;
    MX("PTO-E0303");
    o = nd();
    o.dst = flat(PTO_E4M3, 16, 160, 12, 90);
    MX("PTO-E0825");
    o = nd();
    o.src = flat(PTO_F32, 16, 104, 12, 90);
    o.dst = flat(PTO_E4M3, 16, 104, 12, 90);
    MX("PTO-E0314"); /* a row of dst is no multiple of 32 bytes, so C is never wrong alone */
    o = nd();
    o.src = flat(PTO_F32, 12, 128, 12, 90);
    o.dst = flat(PTO_E4M3, 12, 128, 12, 90);
    MX(a5 ? "PTO-E0825" : NULL);
    o = nd();
    o.src = flat(PTO_BF16, 16, 3712, 1, 40); /* 59392 elements */
    o.dst = flat(PTO_E4M3, 16, 3712, 1, 40);
    o.max = flat(PTO_BF16, 1, 128, 1, 1);
    o.scaling = flat(PTO_BF16, 1, 256, 1, 1);
    MX(NULL);
    o.src = flat(PTO_BF16, 16, 3744, 1, 40);
    o.dst = flat(PTO_E4M3, 16, 3744, 1, 40);
    MX(a5 ? "PTO-E0825" : NULL);
    o = nd();
    o.dst.valid_cols = 89;
    MX("PTO-E0323");
    o = nd();
    o.exp = flat(PTO_U8, 11, 32, 11, 3);
    MX("PTO-E0826");
    o.exp = flat(PTO_U8, 1, 64, 1, 1); /* 12 rows of 4 */
    MX(NULL);
    o.exp = flat(PTO_U8, 1, 32, 1, 1);
    MX("PTO-E0826");
    o = nd();
    o.max = flat(PTO_F32, 1, 40, 1, 1);
    MX("PTO-E0826");
    o = nd();
    o.scaling = flat(PTO_F32, 1, 88, 1, 1);
    MX("PTO-E0826");
    o = nd();
    o.interleave = true;
    MX("PTO-E0825");
    o = nd();
    assert_int_equal(pto_tile_bind(core, &o.src), PTO_OK);
    o.max.data = o.src.data;
    MX("PTO-E0325");

    o = dn(false);
    MX(NULL);
    o.src.valid_rows = o.dst.valid_rows = 48;
    MX("PTO-E0825");
    o.src.valid_rows = o.dst.valid_rows = 96;
    MX("PTO-E0826"); /* three rows of exponents */
    o = dn(false);
    o.exp = flat(PTO_U8, 2, 96, 2, 50);
    MX("PTO-E0826");
    o = dn(false);
    o.max = flat(PTO_BF16, 1, 64, 1, 64);
    MX("PTO-E0826");
    o = dn(false);
    o.src = flat(PTO_BF16, 80, 64, 64, 50);
    o.dst = flat(PTO_E4M3, 80, 64, 64, 50);
    MX("PTO-E0825");
    o = dn(true);
    MX(NULL);
    o.exp.valid_cols = 99;
    MX("PTO-E0826");
    o = dn(true);
    o.exp = flat(PTO_U8, 1, 128, 1, 100);
    MX("PTO-E0826");
    o = dn(true);
    o.src.valid_rows = o.dst.valid_rows = 96;
    MX("PTO-E0825");
    o = dn(true);
    o.src = flat(PTO_BF16, 96, 64, 64, 50);
    o.dst = flat(PTO_E4M3, 96, 64, 64, 50);
    MX("PTO-E0825");
}

static void run_nz(pto_core *core, operands *o, const char *rule, int line) {
    expect(core,
           TESTING_EXECUTE(core, PTO_FORM_TQUANT_MX_NZ, testing_tile_operand(&o->dst),
                           testing_tile_operand(&o->src), testing_tile_operand(&o->exp),
                           testing_tile_operand(&o->max), testing_tile_operand(&o->scaling),
                           testing_tile_operand(&o->zz), testing_int_operand(PTO_DTYPE_NONE, o->alg),
                           testing_int_operand(PTO_DTYPE_NONE, o->mode)),
           rule, line);
}
#define NZ(rule) run_nz(core, &o, rule, __LINE__)

static void nz_rules(pto_core *core, pto_target target) {
    operands o = {.dst = flat(PTO_E4M3, 16, 128, 16, 64),
                  .src = flat(PTO_F32, 16, 128, 16, 64),
                  .exp = flat(PTO_U8, 16, 32, 16, 3),
                  .max = flat(PTO_F32, 1, 64, 1, 1),
                  .scaling = flat(PTO_F32, 1, 128, 1, 1),
                  .zz = flat(PTO_U8, 1, 32, 1, 32),
                  .alg = PTO_OCP_MXFP8_E4M3,
                  .mode = PTO_VEC_STORE_NZ};
    if (target != PTO_TARGET_CPU) {
        NZ("PTO-E0301");
        return;
    }
    NZ(NULL);
    o.src.valid_cols = o.dst.valid_cols = 65;
    NZ("PTO-E0827");
    o.mode = PTO_VEC_STORE_ND;
    NZ(NULL);
    o.mode = PTO_VEC_STORE_NZ;
    o.src.valid_cols = o.dst.valid_cols = 128;
    NZ("PTO-E0826");
    o.zz = flat(PTO_U8, 1, 64, 1, 32);
    NZ(NULL);
    o.src.valid_rows = o.dst.valid_rows = 15;
    NZ("PTO-E0827");
    o.src.valid_rows = o.dst.valid_rows = 16;
    o.alg = PTO_NV_MXFP8_E4M3;
    NZ("PTO-E0824");
}

typedef void (*target_test)(pto_core *core, pto_target target);
static void on_each_target(target_test test) {
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        test(core, (pto_target)target);
        pto_core_destroy(core);
    }
}
#define TARGET_TEST(name)                                                                                    \
    static void test_##name(void **state) {                                                                  \
        (void)state;                                                                                         \
        on_each_target(name);                                                                                \
    }
TARGET_TEST(int8_rules)
TARGET_TEST(dequant_rules)
TARGET_TEST(mx_rules)
TARGET_TEST(nz_rules)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int8_rules),
        cmocka_unit_test(test_dequant_rules),
        cmocka_unit_test(test_mx_rules),
        cmocka_unit_test(test_nz_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
