/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL_MX and TGEMV_MX against plain loops, and their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/mx.h"
#include "support/tile_testing.h"

#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

enum { MAX_MN = 48, MAX_K = 192 };
typedef enum mx_form { PLAIN, ACC, BIAS, MX_FORMS } mx_form;

typedef struct product {
    pto_target target;
    pto_dtype a_type, b_type;
    mx_form form;
    bool gemv, addend_last;
    int m, k, n;
    uint8_t a[MAX_MN * MAX_K], b[MAX_K * MAX_MN], a_scale[MAX_MN * MAX_K], b_scale[MAX_K * MAX_MN];
    uint32_t addend[MAX_MN * MAX_MN], expected[MAX_MN * MAX_MN];
} product;

static const pto_dtype pairs[][2] = {{PTO_E4M3, PTO_E4M3}, {PTO_E4M3, PTO_E5M2}, {PTO_E5M2, PTO_E4M3},
                                     {PTO_E5M2, PTO_E5M2}, {PTO_E1M2, PTO_E1M2}, {PTO_E1M2, PTO_E2M1},
                                     {PTO_E2M1, PTO_E1M2}, {PTO_E2M1, PTO_E2M1}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/* Any, or near the greatest that f32 takes; sums among subnormals of f32; ordinary. */
static uint8_t scale_code(testing_random *random, int kind, bool left) {
    const uint32_t any = testing_below(random, 256);
    if (testing_below(random, 200) == 0)
        return 0xFF;
    return (uint8_t)(kind == 0   ? (left ? any : 236 + any % 19)
                     : kind == 2 ? (left ? any % 24 : 100 + any % 32)
                                 : 120 + any % 16);
}

static void fill(testing_random *random, product *p) {
    const bool fp4 = pto_dtype_bits(p->a_type) == 4;
    const int groups = (p->k + 31) / 32, kind = (int)testing_below(random, 4);
    for (int i = 0; i < p->m * p->k; i++)
        p->a[i] = (uint8_t)(testing_next(random) & (fp4 ? 15 : kind == 1 ? 0xFF : 0xBF));
    for (int i = 0; i < p->k * p->n; i++)
        p->b[i] = (uint8_t)(testing_next(random) & (fp4 ? 15 : kind == 1 ? 0xFF : 0xBF));
    for (int i = 0; i < p->m * groups; i++)
        p->a_scale[i] = scale_code(random, kind, true);
    for (int i = 0; i < groups * p->n; i++)
        p->b_scale[i] = scale_code(random, kind, false);
    for (int i = 0; i < p->m * p->n; i++)
        p->addend[i] =
            p->form == BIAS && i >= p->n ? p->addend[i - p->n] : (uint32_t)testing_bits(random, PTO_F32);
    reference_mx_matmul(p->a_type, p->b_type, p->m, p->k, p->n, p->a, p->a_scale, p->b, p->b_scale,
                        p->form == PLAIN ? NULL : p->addend, p->expected, p->addend_last);
}

static pto_tile tile_of(pto_core *core, testing_random *random, pto_tile_type type, int rows, int cols) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, random, type, rows, cols);
}

static pto_tile_type boxed(pto_loc loc, pto_dtype dtype, testing_layout layout, int fractal, int rows,
                           int cols) {
    pto_tile_type type = testing_type(loc, dtype, layout, rows, cols);
    type.fractal = fractal;
    return type;
}

static void put(pto_tile *tile, const uint8_t *values, int rows, int cols) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            testing_set(tile, r, c, values[r * cols + c]);
}

static void run(pto_core *core, testing_random *random, const product *p) {
    const int groups = (p->k + 31) / 32;
    const bool zz = p->target == PTO_TARGET_CPU && testing_below(random, 2);
    const bool one_row = p->m == 1 && testing_below(random, 2);
    const int rows = one_row ? 1 : round_up(p->m, 16), cols = round_up(p->n, 16);
    const int depth = round_up(p->k, 64) + 64 * (int)testing_below(random, 2);
    pto_tile a =
        tile_of(core, random, boxed(PTO_LOC_LEFT, p->a_type, zz ? TESTING_ZZ : TESTING_NZ, 512, rows, depth),
                p->m, p->k);
    pto_tile b =
        tile_of(core, random, boxed(PTO_LOC_RIGHT, p->b_type, TESTING_ZN, 512, depth, cols), p->k, p->n);
    pto_tile a_scale =
        tile_of(core, random, boxed(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 32, rows, round_up(groups, 2)),
                p->m, groups);
    pto_tile b_scale =
        tile_of(core, random, boxed(PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_NN, 32, round_up(groups, 2), cols),
                groups, p->n);
    pto_tile dst =
        tile_of(core, random, boxed(PTO_LOC_ACC, PTO_F32, TESTING_NZ, 1024, rows, cols), p->m, p->n);
    pto_tile other =
        tile_of(core, random, boxed(PTO_LOC_ACC, PTO_F32, TESTING_NZ, 1024, rows, cols), p->m, p->n);
    pto_tile bias = tile_of(core, random, testing_type(PTO_LOC_BIAS, PTO_F32, TESTING_ND, 1, cols), 1, p->n);
    put(&a, p->a, p->m, p->k);
    put(&b, p->b, p->k, p->n);
    put(&a_scale, p->a_scale, p->m, groups);
    put(&b_scale, p->b_scale, groups, p->n);
    pto_tile *c_in = p->target == PTO_TARGET_CPU && testing_below(random, 2) ? &other : &dst;
    for (int r = 0; r < (p->form == BIAS ? 1 : p->m); r++)
        for (int c = 0; c < p->n; c++)
            testing_set(p->form == BIAS ? &bias : c_in, r, c, p->addend[r * p->n + c]);
    void *before = testing_snapshot(&dst);
    static const pto_form forms[2][MX_FORMS] = {
        {PTO_FORM_TMATMUL_MX, PTO_FORM_TMATMUL_MX_ACC, PTO_FORM_TMATMUL_MX_BIAS},
        {PTO_FORM_TGEMV_MX, PTO_FORM_TGEMV_MX_ACC, PTO_FORM_TGEMV_MX_BIAS}};
    const pto_form form = forms[p->gemv][p->form];
    const pto_operand d = testing_tile_operand(&dst), x = testing_tile_operand(&a),
                      y = testing_tile_operand(&b), sx = testing_tile_operand(&a_scale),
                      sy = testing_tile_operand(&b_scale);
    if (p->form == PLAIN)
        TESTING_ACCEPTED(core, form, d, x, sx, y, sy, testing_int_operand(PTO_DTYPE_NONE, 2));
    else if (p->form == ACC)
        TESTING_ACCEPTED(core, form, d, testing_tile_operand(c_in), x, sx, y, sy);
    else
        TESTING_ACCEPTED(core, form, d, x, sx, y, sy, testing_tile_operand(&bias));
    for (int r = 0; r < p->m; r++)
        for (int c = 0; c < p->n; c++) {
            const uint32_t found = (uint32_t)testing_get(&dst, r, c), want = p->expected[r * p->n + c];
            if (found != want)
                fail_msg("%s x %s, form %d, %d x %d x %d, (%d, %d): %08x instead of %08x",
                         pto_dtype_name(p->a_type), pto_dtype_name(p->b_type), (int)p->form, p->m, p->k, p->n,
                         r, c, found, want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    static int runs;
    if (++runs % 32 == 0)
        pto_core_reset(core);
}

static int extent(testing_random *random, int limit) {
    return 1 + (int)testing_below(random, testing_below(random, 3) ? (uint32_t)limit : 5);
}

/* The targets share the shapes: the numbers do not depend on them. */
static void products(bool addend_last, int turns) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {21};
    product *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target += PTO_TARGET_A5 - PTO_TARGET_CPU) {
        pto_core *core[4];
        for (int l = 0; l < levels; l++) {
            pto_options options = {
                .target = (pto_target)target, .simd = level[l], .numeric.matmul_addend_last = addend_last};
            core[l] = pto_core_create(&options);
            assert_non_null(core[l]);
        }
        for (int turn = 0; turn < turns; turn++)
            for (int pair = 0; pair < PAIRS; pair++)
                for (int form = 0; form < 2 * MX_FORMS; form++) {
                    p->target = (pto_target)target;
                    p->a_type = pairs[pair][0];
                    p->b_type = pairs[pair][1];
                    p->form = (mx_form)(form / 2);
                    p->gemv = form % 2;
                    p->addend_last = addend_last;
                    p->m = p->gemv ? 1 : extent(&random, 20);
                    p->n = extent(&random, 32);
                    p->k = target == PTO_TARGET_CPU ? extent(&random, 100)
                                                    : 64 * (1 + (int)testing_below(&random, 2));
                    fill(&random, p);
                    for (int l = 0; l < levels; l++)
                        run(core[l], &random, p);
                }
        for (int l = 0; l < levels; l++)
            pto_core_destroy(core[l]);
    }
    free(p);
}

static void test_products(void **state) {
    (void)state;
    products(false, 200);
}

static void test_addend_last(void **state) {
    (void)state;
    products(true, 5);
}

/* ---- rules ---- */

typedef struct operands {
    pto_tile dst, a, a_scale, b, b_scale, bias;
} operands;

static pto_tile make(pto_tile_type type, int rows, int cols) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, rows, cols);
}

/* 20 x 64 x 28, or one row of it. */
static operands setup(pto_core *core, bool gemv) {
    pto_core_reset(core);
    const int m = gemv ? 1 : 20, rows = gemv ? 16 : 32;
    return (operands){.dst = make(pto_tile_type_acc(PTO_F32, rows, 32), m, 28),
                      .a = make(boxed(PTO_LOC_LEFT, PTO_E4M3, TESTING_NZ, 512, rows, 128), m, 64),
                      .a_scale = make(boxed(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 32, rows, 4), m, 2),
                      .b = make(pto_tile_type_right(PTO_E5M2, 128, 32), 64, 28),
                      .b_scale = make(boxed(PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_NN, 32, 4, 32), 2, 28),
                      .bias = make(pto_tile_type_make(PTO_LOC_BIAS, PTO_F32, 1, 32), 1, 28)};
}

static void check(pto_core *core, bool gemv, operands *o, const char *rule) {
    const pto_operand d = testing_tile_operand(&o->dst), x = testing_tile_operand(&o->a),
                      sx = testing_tile_operand(&o->a_scale), y = testing_tile_operand(&o->b),
                      sy = testing_tile_operand(&o->b_scale), bias = testing_tile_operand(&o->bias);
    testing_expect(core,
                   TESTING_EXECUTE(core, gemv ? PTO_FORM_TGEMV_MX : PTO_FORM_TMATMUL_MX, d, x, sx, y, sy),
                   rule, __FILE__, __LINE__);
    testing_expect(
        core,
        TESTING_EXECUTE(core, gemv ? PTO_FORM_TGEMV_MX_ACC : PTO_FORM_TMATMUL_MX_ACC, d, d, x, sx, y, sy),
        rule, __FILE__, __LINE__);
    testing_expect(core,
                   TESTING_EXECUTE(core, gemv ? PTO_FORM_TGEMV_MX_BIAS : PTO_FORM_TMATMUL_MX_BIAS, d, x, sx,
                                   y, sy, bias),
                   rule, __FILE__, __LINE__);
}

static void rules_of(pto_core *core, pto_target target, bool gemv) {
    const bool a5 = target == PTO_TARGET_A5;
    operands o = setup(core, gemv);
    if (target == PTO_TARGET_A2A3) {
        check(core, gemv, &o, "PTO-E0301");
        return;
    }
    check(core, gemv, &o, NULL);
    o.a.type.dtype = PTO_HIF8;
    check(core, gemv, &o, "PTO-E0302");
    o = setup(core, gemv);
    o.a_scale.type.dtype = PTO_U8;
    check(core, gemv, &o, "PTO-E0302");
    o = setup(core, gemv);
    o.a.type.dtype = PTO_E2M1; /* with an 8-bit float */
    check(core, gemv, &o, "PTO-E0302");
    o = setup(core, gemv);
    o.a_scale.type.loc = PTO_LOC_SCALE_RIGHT;
    check(core, gemv, &o, "PTO-E0810");
    o.a_scale.type.loc = PTO_LOC_SCALING;
    check(core, gemv, &o, NULL);
    o = setup(core, gemv);
    o.b_scale.type.loc = PTO_LOC_SCALE_LEFT;
    check(core, gemv, &o, "PTO-E0810");
    o = setup(core, gemv);
    o.a_scale.valid_cols = 1;
    check(core, gemv, &o, "PTO-E0810");
    o = setup(core, gemv);
    o.a_scale.valid_rows = gemv ? 0 : 19;
    check(core, gemv, &o, "PTO-E0810");
    o = setup(core, gemv);
    o.b_scale.valid_rows = 1;
    check(core, gemv, &o, "PTO-E0810");
    o.b_scale.valid_rows = 4;
    o.b_scale.valid_cols = 27;
    check(core, gemv, &o, "PTO-E0810");
    o.b_scale.valid_cols = 32;
    check(core, gemv, &o, NULL);
    o.b_scale = make(boxed(PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_ZZ, 32, 16, 32), 2, 28);
    check(core, gemv, &o, "PTO-E0810");
    o = setup(core, gemv);
    o.a.valid_cols = o.b.valid_rows = 63;
    check(core, gemv, &o, a5 ? "PTO-E0811" : NULL);
    o = setup(core, gemv);
    o.a = make(boxed(PTO_LOC_LEFT, PTO_E4M3, TESTING_NZ, 512, o.a.type.rows, 96), o.a.valid_rows, 64);
    o.b = make(pto_tile_type_right(PTO_E5M2, 96, 32), 64, 28);
    check(core, gemv, &o, "PTO-E0811");
    o = setup(core, gemv);
    assert_int_equal(pto_tile_assign(core, &o.a, 8192), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &o.a_scale, 512), PTO_OK);
    check(core, gemv, &o, NULL);
    assert_int_equal(pto_tile_assign(core, &o.a_scale, 544), PTO_OK);
    check(core, gemv, &o, a5 ? "PTO-E0812" : NULL);
    o = setup(core, gemv);
    assert_int_equal(pto_tile_assign(core, &o.b, 16384), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &o.b_scale, 0), PTO_OK);
    check(core, gemv, &o, a5 ? "PTO-E0812" : NULL);
    o = setup(core, gemv);
    o.dst.valid_cols = 27;
    check(core, gemv, &o, "PTO-E0804");
    o = setup(core, gemv);
    o.dst.valid_rows = 2;
    check(core, gemv, &o, gemv ? "PTO-E0808" : "PTO-E0804");
}

static void test_rules(void **state) {
    (void)state;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        rules_of(core, (pto_target)target, false);
        rules_of(core, (pto_target)target, true);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_addend_last),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
