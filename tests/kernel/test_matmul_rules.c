/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the matrix instructions (part 40, 1.1 to 1.5): each refused, and accepted at its boundary, per
 * target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

/* Tiles of a legal product of 20 x 24 x 28 elements; tests change one thing at a time. */
typedef struct operands {
    pto_core *core;
    pto_tile dst, c_in, a, b, bias;
} operands;

static pto_tile_type dynamic(pto_tile_type type) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

static pto_tile make(pto_tile_type type, int rows, int cols) {
    return pto_tile_make_valid(dynamic(type), rows, cols);
}

static operands setup(pto_core *core, pto_dtype source, pto_dtype result) {
    const pto_target target = pto_core_options(core)->target;
    pto_core_reset(core);
    return (operands){.core = core,
                      .dst = make(pto_tile_type_acc(result, 32, 32), 20, 28),
                      .c_in = make(pto_tile_type_acc(result, 32, 32), 20, 28),
                      .a = make(pto_tile_type_left(target, source, 32, 32), 20, 24),
                      .b = make(pto_tile_type_right(source, 32, 32), 24, 28),
                      .bias = make(pto_tile_type_make(PTO_LOC_BIAS, result, 1, 32), 1, 28)};
}

static operands f32(pto_core *core) { return setup(core, PTO_F32, PTO_F32); }

#define OPERAND(tile) testing_tile_operand(&o.tile)
#define PLAIN(o) (o).core, PTO_FORM_TMATMUL, OPERAND(dst), OPERAND(a), OPERAND(b)
#define ACC(o) (o).core, PTO_FORM_TMATMUL_ACC, OPERAND(dst), OPERAND(c_in), OPERAND(a), OPERAND(b)
#define ACC_SAME(o) (o).core, PTO_FORM_TMATMUL_ACC, OPERAND(dst), OPERAND(dst), OPERAND(a), OPERAND(b)
#define ACC_IN_PLACE(o) (o).core, PTO_FORM_TMATMUL_ACC_IN_PLACE, OPERAND(dst), OPERAND(a), OPERAND(b)
#define BIAS(o) (o).core, PTO_FORM_TMATMUL_BIAS, OPERAND(dst), OPERAND(a), OPERAND(b), OPERAND(bias)
#define REFUSED2(rule, core, form, ...) TESTING_REFUSED(core, rule, form, __VA_ARGS__)
#define REFUSED(rule, ...) REFUSED2(rule, __VA_ARGS__)
#define ACCEPTED(...) TESTING_ACCEPTED(__VA_ARGS__)

typedef void (*target_test)(pto_core *core, pto_target target);
static void on_each_target(target_test test) {
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        test(core, (pto_target)target);
        pto_core_destroy(core);
    }
}

static void types(pto_core *core, pto_target target) {
    static const pto_dtype good[][2] = {
        {PTO_S8, PTO_S32}, {PTO_F16, PTO_F32}, {PTO_BF16, PTO_F32}, {PTO_F32, PTO_F32}};
    static const pto_dtype bad[][2] = {{PTO_S8, PTO_F32},  {PTO_F16, PTO_F16}, {PTO_U8, PTO_S32},
                                       {PTO_F32, PTO_S32}, {PTO_S16, PTO_S32}, {PTO_BF16, PTO_BF16}};
    static const pto_dtype small[][2] = {{PTO_E4M3, PTO_E4M3},
                                         {PTO_E4M3, PTO_E5M2},
                                         {PTO_E5M2, PTO_E4M3},
                                         {PTO_E5M2, PTO_E5M2},
                                         {PTO_HIF8, PTO_HIF8}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        operands o = setup(core, good[i][0], good[i][1]);
        ACCEPTED(PLAIN(o));
        ACCEPTED(ACC_SAME(o));
        ACCEPTED(ACC_IN_PLACE(o));
        ACCEPTED(BIAS(o));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        operands o = setup(core, bad[i][0], bad[i][1]);
        REFUSED("PTO-E0302", PLAIN(o));
        REFUSED("PTO-E0302", ACC_SAME(o));
        REFUSED("PTO-E0302", ACC_IN_PLACE(o));
        REFUSED("PTO-E0302", BIAS(o));
    }
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        operands o = setup(core, small[i][0], PTO_F32);
        o.b = make(pto_tile_type_right(small[i][1], 32, 32), 24, 28);
        if (target == PTO_TARGET_A2A3) {
            REFUSED("PTO-E0302", PLAIN(o));
            REFUSED("PTO-E0302", ACC_IN_PLACE(o));
            REFUSED("PTO-E0302", BIAS(o));
        } else {
            ACCEPTED(PLAIN(o));
            ACCEPTED(ACC_IN_PLACE(o));
            ACCEPTED(BIAS(o));
        }
    }
    operands o = setup(core, PTO_F16, PTO_F32);
    o.b = make(pto_tile_type_right(PTO_BF16, 32, 32), 24, 28);
    REFUSED("PTO-E0302", PLAIN(o));
    o = setup(core, PTO_HIF8, PTO_F32);
    o.b = make(pto_tile_type_right(PTO_E4M3, 32, 32), 24, 28);
    REFUSED("PTO-E0302", PLAIN(o));
    o = f32(core);
    o.bias = make(pto_tile_type_make(PTO_LOC_BIAS, PTO_F16, 1, 32), 1, 28);
    REFUSED("PTO-E0303", BIAS(o)); /* an f16 bias for an f32 result */
    o = f32(core);
    o.c_in = make(pto_tile_type_acc(PTO_S32, 32, 32), 20, 28);
    REFUSED("PTO-E0303", ACC(o));
}

static void locations(pto_core *core, pto_target target) {
    (void)target;
    operands o = f32(core);
    o.dst.type.loc = PTO_LOC_MAT;
    REFUSED("PTO-E0801", PLAIN(o));
    REFUSED("PTO-E0801", ACC_IN_PLACE(o));
    o = f32(core);
    o.a.type.loc = PTO_LOC_RIGHT;
    REFUSED("PTO-E0801", PLAIN(o));
    o = f32(core);
    o.b.type.loc = PTO_LOC_LEFT;
    REFUSED("PTO-E0801", PLAIN(o));
    o = f32(core);
    o.c_in.type.loc = PTO_LOC_VEC;
    REFUSED("PTO-E0801", ACC(o));
    o = f32(core);
    o.bias.type.loc = PTO_LOC_VEC;
    REFUSED("PTO-E0801", BIAS(o));
    o = f32(core);
    ACCEPTED(BIAS(o));
}

static void layouts(pto_core *core, pto_target target) {
    operands o = f32(core);
    o.a.type.blayout = PTO_COL_MAJOR; /* Nz */
    if (target == PTO_TARGET_A2A3)
        REFUSED("PTO-E0802", PLAIN(o));
    else
        ACCEPTED(PLAIN(o));
    o = f32(core);
    o.a.type.blayout = PTO_ROW_MAJOR; /* Zz */
    if (target == PTO_TARGET_A5)
        REFUSED("PTO-E0802", PLAIN(o));
    else
        ACCEPTED(PLAIN(o));
    o = f32(core);
    o.a.type.slayout = PTO_NONE_BOX;
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.a.type.slayout = PTO_BOX_COL_MAJOR;
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.a.type.fractal = 1024;
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.b.type.blayout = PTO_COL_MAJOR; /* Nn */
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.b.type.slayout = PTO_BOX_ROW_MAJOR; /* Zz */
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.b.type.fractal = 1024;
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.dst.type.fractal = 512;
    REFUSED("PTO-E0802", PLAIN(o));
    REFUSED("PTO-E0802", ACC_IN_PLACE(o));
    o = f32(core);
    o.dst.type.blayout = PTO_ROW_MAJOR;
    REFUSED("PTO-E0802", PLAIN(o));
    o = f32(core);
    o.c_in.type.fractal = 512;
    REFUSED("PTO-E0802", ACC(o));
}

static void shapes(pto_core *core, pto_target target) {
    operands o = f32(core);
    o.dst = make(pto_tile_type_acc(PTO_F32, 48, 32), 20, 28);
    REFUSED("PTO-E0803", PLAIN(o));
    o = f32(core);
    o.dst = make(pto_tile_type_acc(PTO_F32, 32, 48), 20, 28);
    REFUSED("PTO-E0803", PLAIN(o));
    o = f32(core);
    o.a = make(pto_tile_type_left(target, PTO_F32, 32, 24), 20, 24);
    REFUSED("PTO-E0803", PLAIN(o));
    o.b = make(pto_tile_type_right(PTO_F32, 24, 32), 24, 28);
    ACCEPTED(PLAIN(o));
    o = f32(core);
    o.c_in = make(pto_tile_type_acc(PTO_F32, 32, 48), 20, 28);
    REFUSED("PTO-E0803", ACC(o));
    o = f32(core);
    o.c_in = make(pto_tile_type_acc(PTO_F32, 48, 32), 20, 28);
    REFUSED("PTO-E0803", ACC(o));
    /* one-row tiles are plain vectors */
    o = f32(core);
    o.a = make(pto_tile_type_left(target, PTO_F32, 1, 32), 1, 24);
    o.dst.valid_rows = 1;
    REFUSED("PTO-E0803", PLAIN(o));
    o.dst = make(pto_tile_type_acc(PTO_F32, 1, 32), 1, 28);
    ACCEPTED(PLAIN(o));
}

static void valid_regions(pto_core *core, pto_target target) {
    (void)target;
    operands o = f32(core);
    o.dst.valid_rows = 21;
    REFUSED("PTO-E0804", PLAIN(o));
    o.a.valid_rows = 21;
    ACCEPTED(PLAIN(o));
    o = f32(core);
    o.b.valid_rows = 23;
    REFUSED("PTO-E0804", PLAIN(o));
    o.a.valid_cols = 23;
    ACCEPTED(PLAIN(o));
    o = f32(core);
    o.b.valid_cols = 32;
    REFUSED("PTO-E0804", ACC_IN_PLACE(o));
    o.dst.valid_cols = 32;
    ACCEPTED(ACC_IN_PLACE(o));
    o = f32(core);
    o.c_in.valid_rows = 19;
    REFUSED("PTO-E0804", ACC(o));
    o = f32(core);
    o.c_in.valid_cols = 27;
    REFUSED("PTO-E0804", ACC(o));
}

static void extents(pto_core *core, pto_target target) {
    operands o = f32(core);
    o.a.valid_rows = o.dst.valid_rows = 0;
    REFUSED("PTO-E0805", PLAIN(o));
    o.a.valid_rows = o.dst.valid_rows = 1;
    ACCEPTED(PLAIN(o));
    o = f32(core);
    o.a.valid_cols = o.b.valid_rows = 0;
    REFUSED("PTO-E0805", PLAIN(o));
    o.a.valid_cols = o.b.valid_rows = 1;
    ACCEPTED(PLAIN(o));
    o = f32(core);
    o.b.valid_cols = o.dst.valid_cols = 0;
    REFUSED("PTO-E0805", BIAS(o));
    o.b.valid_cols = o.dst.valid_cols = 1;
    ACCEPTED(BIAS(o));

    pto_options options = {.target = target};
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        options.memory_bytes[loc] = 1 << 20;
    pto_core *wide = pto_core_create(&options);
    assert_non_null(wide);
    for (int long_extent = 4095; long_extent <= 4096; long_extent++)
        for (int which = 0; which < 3; which++) {
            const int m = which == 0 ? long_extent : 2, k = which == 1 ? long_extent : 2;
            const int n = which == 2 ? long_extent : 2;
            const int rows = which == 0 ? 4096 : 16, depth = which == 1 ? 4096 : 32,
                      cols = which == 2 ? 4096 : 16;
            pto_core_reset(wide);
            o = (operands){.core = wide,
                           .dst = make(pto_tile_type_acc(PTO_S32, rows, cols), m, n),
                           .a = make(pto_tile_type_left(target, PTO_S8, rows, depth), m, k),
                           .b = make(pto_tile_type_right(PTO_S8, depth, cols), k, n)};
            if (long_extent > 4095)
                REFUSED("PTO-E0805", PLAIN(o));
            else
                ACCEPTED(PLAIN(o));
        }
    pto_core_destroy(wide);
}

static void acc_addresses(pto_core *core, pto_target target) {
    const bool npu = target != PTO_TARGET_CPU;
    operands o = f32(core);
    assert_int_equal(pto_tile_bind(core, &o.dst), PTO_OK);
    assert_int_equal(pto_tile_bind(core, &o.c_in), PTO_OK);
    if (npu)
        REFUSED("PTO-E0806", ACC(o));
    else
        ACCEPTED(ACC(o));
    o.c_in.data = o.dst.data; /* another name of one tile */
    ACCEPTED(ACC(o));
    o = f32(core); /* the result has no storage yet, so it will not be that of cIn */
    assert_int_equal(pto_tile_bind(core, &o.c_in), PTO_OK);
    if (npu)
        REFUSED("PTO-E0806", ACC(o));
    o = f32(core);
    assert_int_equal(pto_tile_assign(core, &o.dst, 8192), PTO_OK);
    assert_int_equal(pto_tile_assign(core, &o.c_in, 8192), PTO_OK);
    ACCEPTED(ACC(o));
    assert_int_equal(pto_tile_assign(core, &o.c_in, 4096), PTO_OK);
    if (npu)
        REFUSED("PTO-E0806", ACC(o));
    else
        ACCEPTED(ACC(o)); /* ends where dst begins */
    assert_int_equal(pto_tile_assign(core, &o.c_in, 4096 + 32), PTO_OK);
    REFUSED("PTO-E0325", ACC(o)); /* overlaps dst, shifted */
}

static void biases(pto_core *core, pto_target target) {
    (void)target;
    operands o = f32(core);
    o.bias = make(pto_tile_type_make(PTO_LOC_BIAS, PTO_F32, 2, 32), 1, 28);
    REFUSED("PTO-E0807", BIAS(o));
    o = f32(core);
    o.bias.type.blayout = PTO_COL_MAJOR;
    o.bias.type.slayout = PTO_BOX_ROW_MAJOR;
    REFUSED("PTO-E0807", BIAS(o));
    o = f32(core);
    o.bias = make(pto_tile_type_make(PTO_LOC_BIAS, PTO_F32, 1, 24), 1, 24);
    REFUSED("PTO-E0807", BIAS(o)); /* 28 columns are needed */
    o.b.valid_cols = o.dst.valid_cols = 25;
    REFUSED("PTO-E0807", BIAS(o));
    o.b.valid_cols = o.dst.valid_cols = 24;
    ACCEPTED(BIAS(o));
}

#define GEMV(o) (o).core, PTO_FORM_TGEMV, OPERAND(dst), OPERAND(a), OPERAND(b)
#define GEMV_ACC(o) (o).core, PTO_FORM_TGEMV_ACC, OPERAND(dst), OPERAND(c_in), OPERAND(a), OPERAND(b)
#define GEMV_ACC_SAME(o) (o).core, PTO_FORM_TGEMV_ACC, OPERAND(dst), OPERAND(dst), OPERAND(a), OPERAND(b)
#define GEMV_BIAS(o) (o).core, PTO_FORM_TGEMV_BIAS, OPERAND(dst), OPERAND(a), OPERAND(b), OPERAND(bias)

/* A legal row times matrix: 1 x 24 x 28, the left tile of `rows` rows. */
static operands row_vector(pto_core *core, int rows) {
    operands o = setup(core, PTO_F32, PTO_F32);
    o.a = make(pto_tile_type_left(pto_core_options(core)->target, PTO_F32, rows, 32), 1, 24);
    o.dst = make(pto_tile_type_acc(PTO_F32, rows, 32), 1, 28);
    o.c_in = make(pto_tile_type_acc(PTO_F32, rows, 32), 1, 28);
    return o;
}

static void gemv(pto_core *core, pto_target target) {
    const bool npu = target != PTO_TARGET_CPU;
    for (int rows = 1; rows <= 16; rows += 15) {
        operands o = row_vector(core, rows);
        ACCEPTED(GEMV(o));
        ACCEPTED(GEMV_ACC_SAME(o));
        ACCEPTED(GEMV_BIAS(o));
    }
    operands o = row_vector(core, 32);
    if (npu)
        REFUSED("PTO-E0808", GEMV(o));
    else
        ACCEPTED(GEMV(o));
    o = row_vector(core, 16);
    o.a.valid_rows = 2;
    if (npu)
        REFUSED("PTO-E0808", GEMV_BIAS(o));
    else
        ACCEPTED(GEMV_BIAS(o));
    o.a.valid_rows = 0;
    REFUSED("PTO-E0808", GEMV(o));
    o = row_vector(core, 16);
    o.dst.valid_rows = 2;
    REFUSED("PTO-E0808", GEMV(o));
    o.a.valid_rows = 2;
    REFUSED("PTO-E0808", GEMV(o));
    o = row_vector(core, 16);
    o.dst = make(pto_tile_type_acc(PTO_F32, 1, 32), 1, 28);
    REFUSED("PTO-E0803", GEMV(o)); /* rows of dst and a */
    o = row_vector(core, 16);
    o.a.valid_cols = 23;
    REFUSED("PTO-E0804", GEMV(o));
    o.b.valid_rows = 23;
    ACCEPTED(GEMV(o));
    o.b.valid_rows = o.a.valid_cols = 0;
    REFUSED("PTO-E0805", GEMV(o));
    o.b.valid_rows = o.a.valid_cols = 1;
    ACCEPTED(GEMV(o));
    o.b.valid_cols = 27;
    REFUSED("PTO-E0804", GEMV(o));
    o.dst.valid_cols = o.b.valid_cols = 0;
    REFUSED("PTO-E0805", GEMV_BIAS(o));
    o.dst.valid_cols = o.b.valid_cols = 1;
    ACCEPTED(GEMV_BIAS(o));
    o = row_vector(core, 16);
    o.c_in.valid_cols = 27;
    REFUSED("PTO-E0804", GEMV_ACC(o));
    o.c_in.valid_cols = 28;
    assert_int_equal(pto_tile_bind(core, &o.dst), PTO_OK);
    assert_int_equal(pto_tile_bind(core, &o.c_in), PTO_OK);
    if (npu)
        REFUSED("PTO-E0806", GEMV_ACC(o));
    else
        ACCEPTED(GEMV_ACC(o));
    o = row_vector(core, 16);
    o.bias.type.blayout = PTO_COL_MAJOR;
    o.bias.type.slayout = PTO_BOX_ROW_MAJOR;
    REFUSED("PTO-E0807", GEMV_BIAS(o));
    o = row_vector(core, 16);
    o.a.type.loc = PTO_LOC_MAT;
    REFUSED("PTO-E0801", GEMV(o));
    o = row_vector(core, 16);
    o.b.type.blayout = PTO_COL_MAJOR;
    REFUSED("PTO-E0802", GEMV(o));
    o = row_vector(core, 16);
    o.dst = make(pto_tile_type_acc(PTO_S32, 16, 32), 1, 28);
    REFUSED("PTO-E0302", GEMV(o));
}

#define TARGET_TEST(name)                                                                                    \
    static void test_##name(void **state) {                                                                  \
        (void)state;                                                                                         \
        on_each_target(name);                                                                                \
    }
TARGET_TEST(types)
TARGET_TEST(locations)
TARGET_TEST(layouts)
TARGET_TEST(shapes)
TARGET_TEST(valid_regions)
TARGET_TEST(extents)
TARGET_TEST(acc_addresses)
TARGET_TEST(biases)
TARGET_TEST(gemv)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_locations),
        cmocka_unit_test(test_layouts),       cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_valid_regions), cmocka_unit_test(test_extents),
        cmocka_unit_test(test_acc_addresses), cmocka_unit_test(test_biases),
        cmocka_unit_test(test_gemv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
