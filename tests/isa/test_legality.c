/* SPDX-License-Identifier: Apache-2.0 */
/* Tile types and the rules that instructions share: refused just beyond the boundary, accepted at it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "isa/legality.h"
#include <pto/ops.h>

static char last_rule[16];

static void remember(void *user, const pto_refusal *refusal) {
    (void)user;
    snprintf(last_rule, sizeof last_rule, "%s", refusal->rule);
}

/* The rule that refuses a tile type on a target, "" = accepted. */
static const char *refusal_of(pto_target target, const pto_tile_type *type) {
    pto_legality legality = {.target = target, .report = remember};
    *last_rule = 0;
    bool ok = pto_legality_check_tile_type(&legality, type, 0);
    assert_int_equal(ok, *last_rule == 0);
    return last_rule;
}

static pto_tile_type flat(pto_dtype dtype, int32_t rows, int32_t cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

static void test_extents(void **state) {
    (void)state;
    pto_tile_type t = flat(PTO_F32, 1, 8);
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "");
    t.rows = 0;
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "PTO-E0310");
    t = flat(PTO_F32, 4, -8);
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "PTO-E0310");
    t = flat(PTO_F32, 4, 8);
    t.valid_rows = 4;
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "");
    t.valid_rows = 5;
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "PTO-E0310");
    t.valid_rows = PTO_DYNAMIC;
    t.valid_cols = 0;
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "");
    t.valid_cols = -2;
    assert_string_equal(refusal_of(PTO_TARGET_CPU, &t), "PTO-E0310");
}

static void test_fractal_and_32_bytes(void **state) {
    (void)state;
    pto_tile_type t = flat(PTO_F16, 3, 16);
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "");
    t.fractal = 256;
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "PTO-E0311");
    t = flat(PTO_F16, 16, 15);
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "PTO-E0314");
    t.blayout = PTO_COL_MAJOR; /* rows count now: 16 halves are 32 bytes */
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "");
    t.rows = t.valid_rows = 8;
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "PTO-E0314");
    /* a 4-bit element counts one byte: 32 columns are legal, 16 are not */
    t = flat(PTO_E2M1, 2, 32);
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "");
    t.cols = t.valid_cols = 16;
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "PTO-E0314");
}

static void test_boxes(void **state) {
    (void)state;
    pto_tile_type t = pto_tile_type_nz(PTO_LOC_MAT, PTO_F16, 32, 32);
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "");
    t.cols = t.valid_cols = 24;
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "PTO-E0312");
    t = pto_tile_type_nz(PTO_LOC_MAT, PTO_F16, 17, 32);
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "PTO-E0313");
    t.loc = PTO_LOC_VEC; /* Nz in vec may have any number of rows */
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "");
    t.slayout = PTO_BOX_COL_MAJOR; /* Nn may not */
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "PTO-E0313");
    t = pto_tile_type_right(PTO_S8, 48, 32);
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "PTO-E0313");
    t.rows = t.valid_rows = 1; /* one row is a vector in every layout */
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "");
}

static void test_capacity(void **state) {
    (void)state;
    pto_tile_type t = flat(PTO_F32, 48, 1024); /* 196608 bytes: all of the a2a3 UB */
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "");
    t.rows = 49;
    t.valid_rows = 49;
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "PTO-E0315");
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "");
    t = flat(PTO_E8M0, 16, 32);
    t.loc = PTO_LOC_SCALE_LEFT;
    assert_string_equal(refusal_of(PTO_TARGET_A2A3, &t), "SA-0351");
    assert_string_equal(refusal_of(PTO_TARGET_A5, &t), "");
}

/* TADD over three tiles at given addresses, all static knowledge. */
typedef struct add_case {
    pto_tile_type type[3];
    uint64_t addr[3];
    bool placed;
    bool same_value; /* dst and src0 are one tile */
} add_case;

static const char *refusal_of_add(pto_target target, const add_case *c) {
    pto_legality legality = {.form = pto_form_get(PTO_FORM_TADD), .target = target, .report = remember};
    static const char objects[3];
    for (int i = 0; i < 3; i++)
        legality.operand[i] = (pto_legality_operand){.kind = PTO_OPERAND_TILE,
                                                     .type = c->type[i],
                                                     .valid_rows = c->type[i].valid_rows,
                                                     .valid_cols = c->type[i].valid_cols,
                                                     .addr_known = c->placed,
                                                     .addr = c->addr[i],
                                                     .identity = &objects[c->same_value && i == 1 ? 0 : i]};
    *last_rule = 0;
    bool legal = pto_legality_check(&legality);
    assert_int_equal(legal, *last_rule == 0);
    return last_rule;
}

static void test_shared_rules(void **state) {
    (void)state;
    pto_tile_type t = flat(PTO_F32, 16, 16);
    add_case c = {.type = {t, t, t}, .addr = {0, 0x400, 0x800}, .placed = true};
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &c), "");
    /* element types */
    c.type[2].dtype = PTO_S32;
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &c), "PTO-E0303");
    c.type[2].dtype = PTO_F32;
    add_case u = c;
    for (int i = 0; i < 3; i++)
        u.type[i] = flat(PTO_U32, 16, 16);
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "PTO-E0302");
    assert_string_equal(refusal_of_add(PTO_TARGET_A5, &u), "");
    /* location */
    u = c;
    u.type[1].loc = PTO_LOC_MAT;
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &u), "PTO-E0320");
    /* layout: cpu wants a shared one, the hardware row-major */
    for (int i = 0; i < 3; i++)
        u.type[i] = pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 16, 16);
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &u), "");
    assert_string_equal(refusal_of_add(PTO_TARGET_A5, &u), "PTO-E0321");
    u.type[0] = t;
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &u), "PTO-E0322");
    /* valid regions; unknown extents never fail */
    u = c;
    u.type[1].valid_cols = 15;
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &u), "PTO-E0323");
    u.type[1].valid_cols = PTO_DYNAMIC;
    assert_string_equal(refusal_of_add(PTO_TARGET_CPU, &u), "");
    /* overlap: same start or none */
    u = c;
    u.addr[0] = 0x400;
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "");
    u.addr[0] = 0x420;
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "PTO-E0325");
    u.addr[0] = 0x800 - 0x3e0;
    u.addr[1] = 0x2000;
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "PTO-E0325");
    u.addr[0] = 0x800 - 0x400;
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "");
    u.placed = false;
    u.same_value = true;
    assert_string_equal(refusal_of_add(PTO_TARGET_A2A3, &u), "");
}

static void test_kinds(void **state) {
    (void)state;
    pto_tile_type t = flat(PTO_F32, 16, 16);
    pto_legality legality = {
        .form = pto_form_get(PTO_FORM_TRELU), .target = PTO_TARGET_CPU, .report = remember};
    legality.operand[0] =
        (pto_legality_operand){.kind = PTO_OPERAND_TILE, .type = t, .valid_rows = 16, .valid_cols = 16};
    *last_rule = 0;
    assert_false(pto_legality_check(&legality));
    assert_string_equal(last_rule, "PTO-E0305");
    legality.operand[1] = (pto_legality_operand){.kind = PTO_OPERAND_SCALAR};
    assert_false(pto_legality_check(&legality));
    assert_string_equal(last_rule, "PTO-E0304");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extents),      cmocka_unit_test(test_fractal_and_32_bytes),
        cmocka_unit_test(test_boxes),        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_shared_rules), cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
