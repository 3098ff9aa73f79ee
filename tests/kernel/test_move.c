/* SPDX-License-Identifier: Apache-2.0 */
/* TMOV, TRESHAPE and TASSIGN: values, aliases, placement, and every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/memory.h"

#include <pto/number.h>
#include <pto/ops.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define ADDR(v) testing_int_operand(PTO_S64, v)
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};

/* ---- values ---- */

/* What a C++ assignment gives, with the choices of the kernel where C++ has none. */
static uint64_t converted(pto_dtype to, pto_dtype from, uint64_t bits) {
    double value = pto_number_to_double(from, bits);
    if (to == from)
        return bits;
    if (to == PTO_S32)
        return (uint32_t)(int32_t)(isnan(value)            ? 0
                                   : value >= 2147483648.  ? 2147483647.
                                   : value <= -2147483649. ? -2147483648.
                                                           : trunc(value));
    if (to == PTO_S8) /* from s32 only */
        return bits & 255;
    if (to == PTO_F32)
        return pto_number_from_double(PTO_F32, value, PTO_CAST_RINT, false);
    return pto_number_from_double(to, value, PTO_CAST_RINT, false);
}

static void check_move(pto_core *core, testing_random *random, pto_loc dst_loc, pto_loc src_loc, pto_dtype to,
                       pto_dtype from, testing_layout dst_layout, testing_layout src_layout, bool relu) {
    int32_t rows = 1 + (int32_t)testing_below(random, 40), cols = 1 + (int32_t)testing_below(random, 60);
    bool vec = dst_loc == PTO_LOC_VEC && src_loc == PTO_LOC_VEC;
    if (dst_loc == PTO_LOC_BIAS || dst_loc == PTO_LOC_SCALING)
        rows = 1;
    int32_t dst_rows = rows, dst_cols = cols;
    if (vec && testing_below(random, 2)) {
        dst_rows = 1 + (int32_t)testing_below(random, 40);
        dst_cols = 1 + (int32_t)testing_below(random, 60);
    }
    pto_tile_type src_type = testing_type_around(random, src_loc, from, src_layout, rows, cols, 1);
    pto_tile_type dst_type = testing_type_around(random, dst_loc, to, dst_layout, dst_rows, dst_cols,
                                                 dst_loc == PTO_LOC_BIAS ? 0 : 1);
    if (src_loc == PTO_LOC_ACC) {
        src_type.fractal = 1024;
        src_type.cols = (src_type.cols + 15) / 16 * 16;
    }
    pto_tile src = testing_tile(core, random, src_type, rows, cols);
    pto_tile dst = testing_tile(core, random, dst_type, dst_rows, dst_cols);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&dst), TILE(&src), ATTR(relu));
    for (int32_t r = 0; r < dst_type.rows; r++)
        for (int32_t c = 0; c < dst_type.cols; c++) {
            uint64_t want = testing_load(before, to, testing_offset(&dst_type, r, c));
            if (r < rows && c < cols && r < dst_rows && c < dst_cols) {
                uint64_t bits = testing_get(&src, r, c);
                want =
                    src_loc == PTO_LOC_ACC ? memory_fixpipe(to, from, bits, relu) : converted(to, from, bits);
            }
            if (testing_get(&dst, r, c) != want)
                fail_msg("%s %s to %s %s, layouts %d to %d, relu %d, at (%d, %d): %llx, not %llx",
                         pto_loc_name(src_loc), pto_dtype_name(from), pto_loc_name(dst_loc),
                         pto_dtype_name(to), src_layout, dst_layout, relu, r, c,
                         (unsigned long long)testing_get(&dst, r, c), (unsigned long long)want);
        }
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src_type));
    free(before);
    free(source);
    pto_core_reset(core);
}

static void test_moves(void **state) {
    (void)state;
    static const pto_dtype equal[] = {PTO_E2M1, PTO_U8, PTO_F16, PTO_F32, PTO_S64};
    static const pto_dtype changed[][2] = {{PTO_F16, PTO_F32}, {PTO_F32, PTO_BF16}, {PTO_S32, PTO_F32},
                                           {PTO_S8, PTO_S32},  {PTO_F32, PTO_S32},  {PTO_E4M3, PTO_F32}};
    static const pto_dtype out[][2] = {
        {PTO_F32, PTO_F32}, {PTO_F16, PTO_F32}, {PTO_BF16, PTO_F32}, {PTO_S32, PTO_S32}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(CPU, level[l]);
        testing_random random = {20};
        for (int from = 0; from < TESTING_LAYOUT_COUNT; from++)
            for (int to = 0; to < TESTING_LAYOUT_COUNT; to++) {
                testing_layout a = (testing_layout)from, b = (testing_layout)to;
                for (int d = 0; d < 5; d++) {
                    check_move(core, &random, PTO_LOC_VEC, PTO_LOC_VEC, equal[d], equal[d], b, a, false);
                    check_move(core, &random, PTO_LOC_MAT, PTO_LOC_VEC, equal[d], equal[d], b, a, false);
                    check_move(core, &random, PTO_LOC_LEFT, PTO_LOC_MAT, equal[d], equal[d], b, a, false);
                }
                for (int d = 0; d < 6; d++)
                    check_move(core, &random, PTO_LOC_VEC, PTO_LOC_VEC, changed[d][0], changed[d][1], b, a,
                               false);
            }
        for (int to = 0; to < TESTING_LAYOUT_COUNT; to++)
            for (int p = 0; p < 4; p++)
                for (int relu = 0; relu < 2; relu++) {
                    check_move(core, &random, PTO_LOC_VEC, PTO_LOC_ACC, out[p][0], out[p][1],
                               (testing_layout)to, TESTING_NZ, relu);
                    check_move(core, &random, PTO_LOC_MAT, PTO_LOC_ACC, out[p][0], out[p][1],
                               (testing_layout)to, TESTING_NZ, relu);
                }
        check_move(core, &random, PTO_LOC_BIAS, PTO_LOC_MAT, PTO_F32, PTO_F16, TESTING_ND, TESTING_ND, false);
        check_move(core, &random, PTO_LOC_SCALING, PTO_LOC_MAT, PTO_U64, PTO_U64, TESTING_ND, TESTING_ND,
                   false);
        pto_core_destroy(core);
    }
}

/* ---- rules of TMOV ---- */

static pto_tile_type of(pto_loc loc, pto_dtype dtype, testing_layout layout, int32_t rows, int32_t cols) {
    pto_tile_type type = testing_type(loc, dtype, layout, rows, cols);
    if (loc == PTO_LOC_ACC)
        type.fractal = 1024;
    if (loc == PTO_LOC_SCALE_LEFT || loc == PTO_LOC_SCALE_RIGHT)
        type.fractal = 32;
    return type;
}

static void move(pto_target target, const char *rule, pto_tile_type dst, pto_tile_type src, int64_t relu) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile to = testing_tile(core, NULL, dst, dst.valid_rows, dst.valid_cols);
    pto_tile from = testing_tile(core, NULL, src, src.valid_rows, src.valid_cols);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_TMOV, TILE(&to), TILE(&from), ATTR(relu));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

#define VEC(dtype, layout) of(PTO_LOC_VEC, dtype, layout, 32, 32)
#define MAT(dtype, layout) of(PTO_LOC_MAT, dtype, layout, 32, 32)
#define ACC(dtype) of(PTO_LOC_ACC, dtype, TESTING_NZ, 32, 32)
#define LEFT(dtype, layout) of(PTO_LOC_LEFT, dtype, layout, 32, 32)
#define RIGHT(dtype, layout) of(PTO_LOC_RIGHT, dtype, layout, 32, 32)

static void test_move_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != CPU, a2a3 = target == A2A3;
        testing_layout left = a2a3 ? TESTING_ZZ : TESTING_NZ;
        /* paths */
        move(target, NULL, VEC(PTO_F32, TESTING_ND), VEC(PTO_F32, TESTING_ND), 0);
        move(target, a2a3 ? "PTO-E0720" : NULL, MAT(PTO_F32, TESTING_ND), VEC(PTO_F32, TESTING_ND), 0);
        move(target, a2a3 ? "PTO-E0720" : NULL, VEC(PTO_F32, TESTING_ND), ACC(PTO_F32), 0);
        move(target, "PTO-E0720", VEC(PTO_F32, TESTING_ND), MAT(PTO_F32, TESTING_ND), 0);
        move(target, "PTO-E0720", MAT(PTO_F32, TESTING_NZ), LEFT(PTO_F32, left), 0);
        /* types */
        move(target, npu ? "PTO-E0721" : NULL, VEC(PTO_F16, TESTING_ND), VEC(PTO_F32, TESTING_ND), 0);
        move(target, NULL, LEFT(PTO_F16, left), MAT(PTO_F16, TESTING_NZ), 0);
        move(target, npu ? "PTO-E0721" : NULL, LEFT(PTO_S32, left), MAT(PTO_S32, TESTING_NZ), 0);
        move(target, a2a3 ? "PTO-E0721" : NULL, LEFT(PTO_E4M3, left), MAT(PTO_E4M3, TESTING_NZ), 0);
        move(target, NULL, MAT(PTO_F16, TESTING_NZ), ACC(PTO_F32), 1);
        move(target, a2a3 ? "PTO-E0721" : NULL, MAT(PTO_F32, TESTING_NZ), ACC(PTO_F32), 0);
        move(target, "PTO-E0721", MAT(PTO_S8, TESTING_NZ), ACC(PTO_S32), 0);
        move(target, "PTO-E0712", VEC(PTO_F32, TESTING_ND), VEC(PTO_F32, TESTING_ND), 1);
        move(target, "PTO-E0714", MAT(PTO_F16, TESTING_NZ), ACC(PTO_F32), 5);
        /* layouts */
        move(target, NULL, RIGHT(PTO_F16, TESTING_ZN), MAT(PTO_F16, TESTING_NZ), 0);
        move(target, NULL, RIGHT(PTO_F16, TESTING_ZN), MAT(PTO_F16, TESTING_ZN), 0);
        move(target, npu ? "PTO-E0722" : NULL, RIGHT(PTO_F16, TESTING_NZ), MAT(PTO_F16, TESTING_NZ), 0);
        move(target, npu ? "PTO-E0722" : NULL, RIGHT(PTO_F16, TESTING_ZN), MAT(PTO_F16, TESTING_ND), 0);
        move(target, npu ? "PTO-E0722" : NULL, LEFT(PTO_F16, a2a3 ? TESTING_NZ : TESTING_ZZ),
             MAT(PTO_F16, TESTING_NZ), 0);
        move(target, NULL, of(PTO_LOC_LEFT, PTO_F16, left, 1, 32),
             of(PTO_LOC_MAT, PTO_F16, TESTING_ND, 1, 32), 0);
        move(target, a2a3 ? "PTO-E0722" : NULL, VEC(PTO_F16, TESTING_NZ), VEC(PTO_F16, TESTING_ND), 0);
        move(target, npu ? (a2a3 ? "PTO-E0722" : "PTO-E0721") : NULL, VEC(PTO_S16, TESTING_NZ),
             VEC(PTO_S16, TESTING_ND), 0);
        move(target, npu ? "PTO-E0722" : NULL, VEC(PTO_F16, TESTING_DN), VEC(PTO_F16, TESTING_ND), 0);
        move(target, npu ? "PTO-E0722" : NULL, MAT(PTO_F16, TESTING_ND), ACC(PTO_F32), 0);
        /* shapes */
        pto_tile_type wide = of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 32, 40);
        move(target, a2a3 ? "PTO-E0723" : NULL, wide, VEC(PTO_F32, TESTING_ND), 0);
        wide = of(PTO_LOC_LEFT, PTO_F16, left, 32, 48);
        wide.valid_cols = 32;
        move(target, npu ? "PTO-E0723" : NULL, wide, MAT(PTO_F16, TESTING_NZ), 0);
        pto_tile_type less = LEFT(PTO_F16, left);
        less.valid_cols = 31;
        move(target, "PTO-E0323", less, MAT(PTO_F16, TESTING_NZ), 0);
        less = VEC(PTO_F32, TESTING_ND);
        less.valid_cols = 31;
        move(target, NULL, less, VEC(PTO_F32, TESTING_ND), 0);
        /* bias and scaling */
        pto_tile_type bias = of(PTO_LOC_BIAS, PTO_F32, TESTING_ND, 1, 32),
                      one = of(PTO_LOC_MAT, PTO_F16, TESTING_ND, 1, 32);
        move(target, NULL, bias, one, 0);
        one.dtype = PTO_BF16;
        move(target, a2a3 ? "PTO-E0721" : NULL, bias, one, 0);
        one.dtype = PTO_S32;
        move(target, npu ? "PTO-E0721" : NULL, bias, one, 0);
        move(target, target == A2A3 ? "PTO-E0724" : NULL, of(PTO_LOC_BIAS, PTO_F32, TESTING_ND, 1, 16),
             of(PTO_LOC_MAT, PTO_F16, TESTING_ND, 1, 16), 0);
        move(target, npu ? "PTO-E0724" : NULL, of(PTO_LOC_BIAS, PTO_F32, TESTING_ND, 1, 8),
             of(PTO_LOC_MAT, PTO_F32, TESTING_ND, 1, 8), 0);
        move(target, npu ? "PTO-E0723" : NULL, of(PTO_LOC_BIAS, PTO_F32, TESTING_ND, 2, 16),
             of(PTO_LOC_MAT, PTO_F32, TESTING_ND, 2, 16), 0);
        move(target, NULL, of(PTO_LOC_SCALING, PTO_U64, TESTING_ND, 1, 16),
             of(PTO_LOC_MAT, PTO_U64, TESTING_ND, 1, 16), 0);
        move(target, npu ? "PTO-E0724" : NULL, of(PTO_LOC_SCALING, PTO_U64, TESTING_ND, 1, 12),
             of(PTO_LOC_MAT, PTO_U64, TESTING_ND, 1, 12), 0);
        move(target, npu ? "PTO-E0721" : NULL, of(PTO_LOC_SCALING, PTO_F32, TESTING_ND, 1, 32),
             of(PTO_LOC_MAT, PTO_F32, TESTING_ND, 1, 32), 0);
        if (a2a3)
            continue;
        /* repacks and scales: a5 and cpu */
        move(target, NULL, MAT(PTO_F16, TESTING_ZN), VEC(PTO_F16, TESTING_ND), 0);
        pto_tile_type narrow = VEC(PTO_F16, TESTING_ZN);
        narrow.valid_cols = 16;
        move(target, npu ? "PTO-E0723" : NULL, narrow, VEC(PTO_F16, TESTING_ND), 0);
        pto_tile_type plus = VEC(PTO_F16, TESTING_NZ);
        plus.compact = PTO_COMPACT_ROW_PLUS_ONE;
        move(target, "PTO-E0725", plus, VEC(PTO_F16, TESTING_ND), 0);
        plus.rows = 33;
        move(target, NULL, plus, VEC(PTO_F16, TESTING_ND), 0);
        pto_tile_type scale = of(PTO_LOC_MAT, PTO_E8M0, TESTING_ZZ, 32, 4);
        scale.fractal = 32;
        move(target, NULL, of(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 32, 4), scale, 0);
        move(target, npu ? "PTO-E0722" : NULL, of(PTO_LOC_SCALE_RIGHT, PTO_E8M0, TESTING_NN, 32, 32),
             of(PTO_LOC_MAT, PTO_E8M0, TESTING_ND, 32, 32), 0);
    }
}

static void test_move_overlap(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile a = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16)), b = a;
        pto_tile c = pto_tile_make(of(PTO_LOC_VEC, PTO_S32, TESTING_ND, 8, 16));
        assert_int_equal(pto_tile_assign(core, &a, 64), PTO_OK);
        assert_int_equal(pto_tile_assign(core, &b, 64), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&a), TILE(&b));
        TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&a), TILE(&a));
        assert_int_equal(pto_tile_assign(core, &b, 96), PTO_OK);
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TMOV, TILE(&a), TILE(&b));
        assert_int_equal(pto_tile_assign(core, &b, 64 + 8 * 16 * 4), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&a), TILE(&b));
        if (targets[t] == CPU) { /* the same start, but another type */
            assert_int_equal(pto_tile_assign(core, &c, 64), PTO_OK);
            TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TMOV, TILE(&a), TILE(&c));
        }
        pto_core_destroy(core);
    }
}

/* ---- TRESHAPE ---- */

static void test_reshape(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        testing_random random = {21};
        pto_tile src = testing_tile(core, &random, of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16), 8, 16);
        pto_tile dst = pto_tile_make(of(PTO_LOC_VEC, PTO_U8, TESTING_DN, 64, 8));
        TESTING_ACCEPTED(core, PTO_FORM_TRESHAPE, TILE(&dst), TILE(&src));
        assert_ptr_equal(dst.data, src.data);
        assert_int_equal(dst.valid_rows, 64);
        testing_set(&dst, 63, 7, 0x5a); /* seen through both */
        assert_int_equal(testing_get(&src, 7, 15) >> 24, 0x5a);
        pto_tile placed = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16));
        assert_int_equal(pto_tile_assign(core, &placed, 4096), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TRESHAPE, TILE(&dst), TILE(&placed));
        assert_true(dst.assigned && dst.addr == 4096 && dst.data == placed.data);
        pto_tile mat = pto_tile_make(of(PTO_LOC_MAT, PTO_F32, TESTING_ND, 8, 16));
        TESTING_REFUSED(core, "PTO-E0740", PTO_FORM_TRESHAPE, TILE(&mat), TILE(&src));
        pto_tile longer = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 24));
        TESTING_REFUSED(core, "PTO-E0741", PTO_FORM_TRESHAPE, TILE(&longer), TILE(&src));
        pto_tile boxed = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_NZ, 16, 8));
        TESTING_REFUSED(core, "PTO-E0742", PTO_FORM_TRESHAPE, TILE(&boxed), TILE(&src));
        assert_null(boxed.data);
        pto_core_destroy(core);
    }
}

/* ---- TASSIGN ---- */

static void test_assign(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        int64_t capacity = pto_loc_capacity(targets[t], PTO_LOC_VEC);
        pto_tile a = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16)), b = a;
        TESTING_ACCEPTED(core, PTO_FORM_TASSIGN, TILE(&a), ADDR(0));
        TESTING_ACCEPTED(core, PTO_FORM_TASSIGN, TILE(&b), ADDR(capacity - 512));
        assert_true(a.assigned && b.assigned && b.addr == (uint64_t)capacity - 512);
        assert_int_equal((char *)b.data - (char *)a.data, capacity - 512);
        TESTING_REFUSED(core, "SA-0353", PTO_FORM_TASSIGN, TILE(&b), ADDR(capacity - 480));
        TESTING_REFUSED(core, "SA-0353", PTO_FORM_TASSIGN, TILE(&b), ADDR(-32));
        TESTING_REFUSED(core, "SA-0353", PTO_FORM_TASSIGN, TILE(&b), ADDR(INT64_MAX));
        TESTING_REFUSED(core, "SA-0354", PTO_FORM_TASSIGN, TILE(&b), ADDR(16));
        assert_int_equal(b.addr, capacity - 512); /* a refusal leaves the tile where it was */
        pto_tile huge = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1024, 128));
        TESTING_REFUSED(core, "SA-0352", PTO_FORM_TASSIGN, TILE(&huge), ADDR(0));
        pto_tile scale = pto_tile_make(of(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 32, 4));
        if (targets[t] == A2A3)
            TESTING_REFUSED(core, "SA-0351", PTO_FORM_TASSIGN, TILE(&scale), ADDR(0));
        else
            TESTING_ACCEPTED(core, PTO_FORM_TASSIGN, TILE(&scale), ADDR(0));
        /* 4-bit tiles count half a byte an element */
        pto_tile half = pto_tile_make(of(PTO_LOC_VEC, PTO_E2M1, TESTING_ND, 8, 64));
        TESTING_ACCEPTED(core, PTO_FORM_TASSIGN, TILE(&half), ADDR(capacity - 256));
        pto_core_destroy(core);
    }
    pto_options options = {.target = CPU, .auto_mode = true};
    pto_core *core = pto_core_create(&options);
    pto_tile tile = pto_tile_make(of(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 16));
    TESTING_ACCEPTED(core, PTO_FORM_TASSIGN, TILE(&tile), ADDR(64));
    assert_false(tile.assigned);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves),        cmocka_unit_test(test_move_rules),
        cmocka_unit_test(test_move_overlap), cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_assign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
