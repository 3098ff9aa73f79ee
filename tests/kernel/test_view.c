/* SPDX-License-Identifier: Apache-2.0 */
/* TSUBVIEW, TALIAS, TGET_SCALE_ADDR, TPREFETCH, the settings of quantisation and of the cube, and the boxing
 * of scale exponents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/core.h"
#include "reference/memory.h"
#include <pto/ops.h>

#include <stdlib.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define INDEX(v) testing_int_operand(PTO_U16, v)
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};

#define EXPECT(core, rule, form, ...)                                                                        \
    testing_expect(core, TESTING_EXECUTE(core, form, __VA_ARGS__), rule, __FILE__, __LINE__)

/* ---- TSUBVIEW ---- */

static int32_t up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

/* Every element of the view is the element of the tile, for reading and for writing. */
static void check_view(pto_core *core, testing_random *random, pto_dtype dtype, testing_layout layout) {
    int32_t c0 = 256 / (int32_t)pto_dtype_bits(dtype);
    bool boxes = layout >= TESTING_NZ, rows_in_box = layout == TESTING_NZ || layout == TESTING_ZZ;
    int32_t unit_row = boxes ? (rows_in_box ? 16 : c0) : layout == TESTING_DN ? c0 : 1;
    int32_t unit_col = boxes ? (rows_in_box ? c0 : 16) : layout == TESTING_ND ? c0 : 1;
    int32_t rows = 1 + (int32_t)testing_below(random, 30), cols = 1 + (int32_t)testing_below(random, 40);
    int32_t row = unit_row * (int32_t)testing_below(random, 3),
            col = unit_col * (int32_t)testing_below(random, 3);
    pto_tile_type type =
        testing_type_around(random, PTO_LOC_VEC, dtype, layout, up(row + rows, 2), up(col + cols, 2), 1);
    if (type.rows == 1) /* one row has no layout */
        type.rows = boxes ? up(2, unit_row) : 2;
    pto_tile src = testing_tile(core, random, type, type.rows, type.cols);
    pto_tile view = pto_tile_make_valid(type, rows, cols);
    TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(row), INDEX(col));
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if (testing_get(&view, r, c) != testing_get(&src, row + r, col + c))
                fail_msg("%s layout %d, %d x %d at (%d, %d) of %d x %d: element (%d, %d)",
                         pto_dtype_name(dtype), layout, rows, cols, row, col, type.rows, type.cols, r, c);
    uint64_t other = testing_get(&view, rows - 1, cols - 1) ^ 1;
    testing_set(&view, rows - 1, cols - 1, other);
    assert_int_equal(testing_get(&src, row + rows - 1, col + cols - 1), other);
    pto_core_reset(core);
}

static void test_subview_values(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        testing_random random = {34};
        for (int d = 1; d < PTO_DTYPE_COUNT; d++)
            for (int trial = 0; trial < 216 && d != PTO_F64; trial++)
                check_view(core, &random, (pto_dtype)d, (testing_layout)(trial % TESTING_LAYOUT_COUNT));
        pto_core_destroy(core);
    }
}

static void test_subview_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 32);
        pto_tile src = pto_tile_make(type);
        assert_int_equal(pto_tile_assign(core, &src, 1024), PTO_OK);
        type.valid_rows = 4;
        type.valid_cols = 8;
        pto_tile view = pto_tile_make(type);
        TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(12), INDEX(24));
        assert_true(view.assigned);
        assert_int_equal(view.addr, 1024 + (12 * 32 + 24) * 4);
        TESTING_REFUSED(core, "PTO-E0781", PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(13), INDEX(24));
        TESTING_REFUSED(core, "PTO-E0762", PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(-1), INDEX(0));
        TESTING_REFUSED(core, "PTO-E0783", PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(0), INDEX(4));
        TESTING_REFUSED(core, "PTO-E0781", PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(0), INDEX(32));
        pto_tile wrong = view;
        wrong.type.cols = 16; /* another pitch */
        TESTING_REFUSED(core, "PTO-E0780", PTO_FORM_TSUBVIEW, TILE(&wrong), TILE(&src), INDEX(0), INDEX(0));
        wrong.type = pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 16, 32);
        TESTING_REFUSED(core, "PTO-E0780", PTO_FORM_TSUBVIEW, TILE(&wrong), TILE(&src), INDEX(0), INDEX(0));
        wrong.type = type;
        wrong.type.loc = PTO_LOC_MAT;
        TESTING_REFUSED(core, "PTO-E0780", PTO_FORM_TSUBVIEW, TILE(&wrong), TILE(&src), INDEX(0), INDEX(0));
        wrong.type = type;
        wrong.type.dtype = PTO_F16;
        TESTING_REFUSED(core, "PTO-E0328", PTO_FORM_TSUBVIEW, TILE(&wrong), TILE(&src), INDEX(0), INDEX(0));
        wrong.type.dtype = PTO_S32;
        TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&wrong), TILE(&src), INDEX(0), INDEX(0));
        src.type.valid_rows = src.valid_rows = 5;
        TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(1), INDEX(0));
        assert_int_equal(
            TESTING_EXECUTE(core, PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(2), INDEX(0)), PTO_OK);
        assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0782"));
        pto_diag_list_clear(pto_core_diags(core));
        pto_tile nz =
            testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F16, TESTING_NZ, 32, 32), 32, 32);
        pto_tile box = pto_tile_make(nz.type);
        box.type.valid_rows = box.type.valid_cols = box.valid_rows = box.valid_cols = 16;
        TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&box), TILE(&nz), INDEX(16), INDEX(16));
        TESTING_REFUSED(core, "PTO-E0783", PTO_FORM_TSUBVIEW, TILE(&box), TILE(&nz), INDEX(8), INDEX(16));
        TESTING_REFUSED(core, "PTO-E0783", PTO_FORM_TSUBVIEW, TILE(&box), TILE(&nz), INDEX(16), INDEX(8));
        pto_core_destroy(core);
    }
}

/* A view whose capacity reaches past its tile is read and written in its valid region only. */
static void test_overhang(void **state) {
    (void)state;
    pto_core *core = testing_core(CPU, PTO_SIMD_BASE);
    pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 32);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    pto_tile src = testing_tile(core, NULL, type, 16, 32);
    pto_tile whole = testing_tile(core, NULL, type, 16, 32), other = testing_tile(core, NULL, type, 3, 5);
    pto_tile view = pto_tile_make_valid(type, 8, 32), again = pto_tile_make_valid(type, 4, 32);
    TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&view), TILE(&src), INDEX(8), INDEX(0));
    TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&view), TILE(&whole));
    TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&again), TILE(&view), INDEX(4), INDEX(0));
    TESTING_ACCEPTED(core, PTO_FORM_TMOV, TILE(&again), TILE(&whole));
    view.valid_rows = 9; /* grown later */
    TESTING_REFUSED(core, "PTO-E0785", PTO_FORM_TMOV, TILE(&view), TILE(&whole));
    TESTING_REFUSED(core, "PTO-E0785", PTO_FORM_TMOV, TILE(&whole), TILE(&view));
    view.valid_rows = 8;
    view.type.pad = PTO_PAD_ZERO;
    TESTING_REFUSED(core, "PTO-E0785", PTO_FORM_TFILLPAD, TILE(&view), TILE(&other));
    again.valid_rows = 5;
    TESTING_REFUSED(core, "PTO-E0785", PTO_FORM_TMOV, TILE(&again), TILE(&other));
    pto_core_destroy(core);
}

/* Views of one tile overlap where their valid windows do. */
static void test_windows_apart(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 32);
        pto_tile src = testing_tile(core, NULL, type, 16, 32);
        type.valid_rows = type.valid_cols = 8;
        static const struct {
            int row[2], col[2];
            bool apart;
        } cases[] = {{{0, 8}, {0, 0}, true},  {{0, 7}, {0, 0}, false}, {{0, 0}, {0, 8}, true},
                     {{4, 4}, {16, 8}, true}, {{0, 4}, {8, 0}, true},  {{0, 4}, {8, 8}, false},
                     {{0, 4}, {0, 24}, true}, {{0, 8}, {24, 0}, true}, {{0, 7}, {24, 24}, false}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            for (int swap = 0; swap < 2; swap++) {
                pto_tile view[2] = {pto_tile_make(type), pto_tile_make(type)};
                for (int k = 0; k < 2; k++)
                    TESTING_ACCEPTED(core, PTO_FORM_TSUBVIEW, TILE(&view[k]), TILE(&src),
                                     INDEX(cases[i].row[k]), INDEX(cases[i].col[k]));
                EXPECT(core, cases[i].apart ? NULL : "PTO-E0325", PTO_FORM_TMOV, TILE(&view[swap]),
                       TILE(&view[1 - swap]));
            }
        pto_core_destroy(core);
    }
}

static void test_alias(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile src = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 16), 8, 16);
        pto_tile dst = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 16, 32));
        TESTING_ACCEPTED(core, PTO_FORM_TALIAS, TILE(&dst), TILE(&src));
        assert_ptr_equal(dst.data, src.data);
        dst.type.rows = dst.type.valid_rows = dst.valid_rows = 15;
        TESTING_REFUSED(core, "PTO-E0741", PTO_FORM_TALIAS, TILE(&dst), TILE(&src));
        dst.type = pto_tile_type_make(PTO_LOC_MAT, PTO_F32, 8, 16);
        dst.valid_rows = 8;
        dst.valid_cols = 16;
        TESTING_REFUSED(core, "PTO-E0740", PTO_FORM_TALIAS, TILE(&dst), TILE(&src));
        pto_core_destroy(core);
    }
}

/* ---- settings ---- */

static void test_scale_address(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile left = pto_tile_make(pto_tile_type_left(targets[t], PTO_E4M3, 16, 64));
        pto_tile scale = pto_tile_make(testing_type(PTO_LOC_SCALE_LEFT, PTO_E8M0, TESTING_ZZ, 16, 2));
        scale.type.fractal = 32;
        if (targets[t] == A2A3) {
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TGET_SCALE_ADDR, TILE(&scale), TILE(&left));
            pto_core_destroy(core);
            continue;
        }
        assert_int_equal(pto_tile_assign(core, &left, 1024), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TGET_SCALE_ADDR, TILE(&scale), TILE(&left));
        assert_int_equal(scale.addr, 64);
        pto_tile again = pto_tile_make(scale.type);
        assert_int_equal(pto_tile_assign(core, &again, 64), PTO_OK);
        assert_ptr_equal(again.data, scale.data);
        assert_int_equal(pto_tile_assign(core, &left, 256), PTO_OK);
        TESTING_REFUSED(core, "PTO-E0787", PTO_FORM_TGET_SCALE_ADDR, TILE(&scale), TILE(&left));
        pto_tile loose = testing_tile(core, NULL, left.type, 16, 64);
        TESTING_REFUSED(core, "PTO-E0787", PTO_FORM_TGET_SCALE_ADDR, TILE(&scale), TILE(&loose));
        pto_tile right = pto_tile_make(pto_tile_type_right(PTO_E4M3, 64, 16));
        assert_int_equal(pto_tile_assign(core, &right, 1024), PTO_OK);
        TESTING_REFUSED(core, "PTO-E0786", PTO_FORM_TGET_SCALE_ADDR, TILE(&scale), TILE(&right));
        pto_core_destroy(core);
    }
}

static void test_settings(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        TESTING_ACCEPTED(core, PTO_FORM_SET_QUANT_SCALAR, testing_float_operand(PTO_F32, -0.25),
                         ATTR(PTO_S8));
        assert_true(core->host.quant_scalar == (UINT64_C(1) << 46 | UINT64_C(0xBE800000)));
        TESTING_ACCEPTED(core, PTO_FORM_SET_QUANT_SCALAR, testing_float_operand(PTO_F32, 2), ATTR(PTO_F16));
        assert_true(core->host.quant_scalar == UINT64_C(0x40000000));
        TESTING_REFUSED(core, "PTO-E0790", PTO_FORM_SET_QUANT_SCALAR, testing_float_operand(PTO_F32, 2),
                        ATTR(PTO_S32));
        pto_tile fp = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 16), 1, 16);
        TESTING_ACCEPTED(core, PTO_FORM_SET_QUANT_VECTOR, TILE(&fp));
        assert_ptr_equal(core->host.quant_vector, fp.data);
        pto_tile vec = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U64, 1, 16), 1, 16);
        TESTING_REFUSED(core, "PTO-E0752", PTO_FORM_SET_QUANT_VECTOR, TILE(&vec));
        TESTING_ACCEPTED(core, PTO_FORM_SETTF32MODE, ATTR(1), ATTR(PTO_CAST_RINT));
        assert_int_equal(core->host.cube_f32_bits, targets[t] == A2A3 ? 11 : 10);
        assert_int_equal(core->host.cube_f32_round, PTO_CAST_RINT);
        TESTING_ACCEPTED(core, PTO_FORM_SETHF32MODE, ATTR(1), ATTR(PTO_CAST_ROUND));
        assert_int_equal(core->host.cube_f32_bits, 11);
        TESTING_ACCEPTED(core, PTO_FORM_SETTF32MODE, ATTR(0));
        assert_int_equal(core->host.cube_f32_bits, 0);
        TESTING_REFUSED(core, "PTO-E0791", PTO_FORM_SETHF32MODE, ATTR(1), ATTR(PTO_CAST_FLOOR));
        TESTING_REFUSED(core, "PTO-E0791", PTO_FORM_SETTF32MODE, ATTR(1), ATTR(PTO_CAST_TRUNC));
        pto_core_reset(core);
        assert_true(core->host.quant_scalar == 0 && !core->host.quant_vector &&
                    core->host.cube_f32_round == 0);
        pto_core_destroy(core);
    }
}

static void test_prefetch(void **state) {
    (void)state;
    float data[32] = {0};
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile vec = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8), 4, 8);
        pto_tile mat = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_MAT, PTO_F32, 4, 8), 4, 8);
        pto_global src = pto_global_make_2d(data, PTO_F32, PTO_LAYOUT_ND, 2, 3, 8);
        src.read_only = true;
        TESTING_ACCEPTED(core, PTO_FORM_TPREFETCH, TILE(&vec), GLOBAL(&src));
        TESTING_REFUSED(core, "PTO-E0320", PTO_FORM_TPREFETCH, TILE(&mat), GLOBAL(&src));
        src.shape[3] = 0;
        TESTING_REFUSED(core, "PTO-E0705", PTO_FORM_TPREFETCH, TILE(&vec), GLOBAL(&src));
        pto_core_destroy(core);
    }
}

/* ---- scale exponents to boxes ---- */

static void check_boxing(pto_core *core, testing_random *random, pto_dtype dtype, int axis) {
    int32_t rows = 1 + (int32_t)testing_below(random, 50),
            cols = 32 * (1 + (int32_t)testing_below(random, 3));
    if (axis == 0)
        rows = up(rows, 2);
    pto_tile src = testing_tile(core, random, pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols), rows, cols);
    pto_tile_type type = axis ? testing_type(PTO_LOC_VEC, dtype, TESTING_ZZ, up(rows, 16), cols)
                              : testing_type(PTO_LOC_VEC, dtype, TESTING_ZZ, cols, rows);
    type.fractal = 32;
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    if (testing_below(random, 2))
        type.loc = PTO_LOC_MAT;
    pto_tile dst = testing_tile(core, random, type, axis ? rows : cols, axis ? cols : rows);
    pto_tile tmp = testing_tile(core, random, pto_tile_type_make(PTO_LOC_VEC, dtype, 1, 8192), 1, 8192);
    uint8_t *source = testing_snapshot(&src);
    TESTING_ACCEPTED(core, PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src), TILE(&tmp), ATTR(axis));
    const uint8_t *out = dst.data;
    if (axis) {
        for (int32_t rb = 0; rb < (rows + 15) / 16; rb++)
            for (int32_t c = 0; c < cols / 2; c++)
                for (int32_t d = 0; d < 16; d++)
                    for (int32_t q = 0; q < 2; q++)
                        assert_int_equal(out[((rb * (cols / 2) + c) * 16 + d) * 2 + q],
                                         16 * rb + d < rows ? source[(16 * rb + d) * cols + 2 * c + q] : 0);
    } else {
        for (int32_t cb = 0; cb < cols / 16; cb++)
            for (int32_t p = 0; p < rows / 2; p++)
                for (int32_t q = 0; q < 16; q++)
                    for (int32_t d = 0; d < 2; d++)
                        assert_int_equal(out[((cb * (rows / 2) + p) * 16 + q) * 2 + d],
                                         source[(2 * p + d) * cols + 16 * cb + q]);
    }
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
    free(source);
    pto_core_reset(core);
}

static void test_boxing(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_U8, PTO_HIF8, PTO_E8M0};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 3; t += 2) {
            pto_core *core = testing_core(targets[t], level[l]);
            testing_random random = {35};
            for (int d = 0; d < 3; d++)
                for (int trial = 0; trial < 200; trial++)
                    check_boxing(core, &random, types[d], trial & 1);
            pto_core_destroy(core);
        }
}

static void test_boxing_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ZZ, 32, 64);
        type.fractal = 32;
        type.valid_rows = type.valid_cols = PTO_DYNAMIC;
        pto_tile_type flat = pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 32, 64);
        flat.valid_rows = flat.valid_cols = PTO_DYNAMIC;
        pto_tile dst = testing_tile(core, NULL, type, 20, 64), src = testing_tile(core, NULL, flat, 20, 64);
        pto_tile tmp = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 1, 192), 1, 192);
        if (targets[t] == A2A3) {
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src),
                            TILE(&tmp));
            pto_core_destroy(core);
            continue;
        }
        bool npu = targets[t] != CPU;
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src),
                         TILE(&tmp)); /* (32 + 2 * 32) * 2 */
        tmp.type.cols = tmp.type.valid_cols = tmp.valid_cols = 160;
        TESTING_REFUSED(core, "PTO-E0330", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src), TILE(&tmp));
        TESTING_ACCEPTED(core, PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src), TILE(&tmp), ATTR(0));
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src), TILE(&tmp),
                        ATTR(2));
        src.valid_rows = 19;
        TESTING_REFUSED(core, "PTO-E0789", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src), TILE(&tmp),
                        ATTR(0));
        src.valid_rows = 20;
        src.valid_cols = 63;
        dst.valid_cols = 63;
        EXPECT(core, npu ? "PTO-E0788" : "PTO-E0789", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&src),
               TILE(&tmp));
        src.valid_cols = dst.valid_cols = 64;
        pto_tile nd = testing_tile(core, NULL, flat, 20, 64);
        TESTING_REFUSED(core, "PTO-E0788", PTO_FORM_TMOV_SCALE_BOXING, TILE(&nd), TILE(&src), TILE(&tmp));
        pto_tile zn = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ZZ, 32, 64), 32, 64);
        TESTING_REFUSED(core, "PTO-E0788", PTO_FORM_TMOV_SCALE_BOXING, TILE(&dst), TILE(&zn), TILE(&tmp));
        type.rows = 16;
        pto_tile small = testing_tile(core, NULL, type, 16, 64);
        TESTING_REFUSED(core, "PTO-E0789", PTO_FORM_TMOV_SCALE_BOXING, TILE(&small), TILE(&src), TILE(&tmp),
                        ATTR(0));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TMOV_SCALE_BOXING, TILE(&small), TILE(&src), TILE(&tmp),
                        ATTR(1));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subview_values), cmocka_unit_test(test_subview_rules),
        cmocka_unit_test(test_overhang),       cmocka_unit_test(test_windows_apart),
        cmocka_unit_test(test_alias),          cmocka_unit_test(test_scale_address),
        cmocka_unit_test(test_settings),       cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_boxing),         cmocka_unit_test(test_boxing_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
