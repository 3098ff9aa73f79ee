/* SPDX-License-Identifier: Apache-2.0 */
/* TROWSUM TROWMAX TROWMIN TROWARGMAX against the reference, on every target and level, and their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"

#include <pto/functions.h>

#include <math.h>
#include <stdlib.h>

/* Rows of mixed magnitudes; special values in every other tile only, since one NaN hides an order. */
static void fill(testing_random *random, pto_tile *tile, bool special) {
    pto_dtype dtype = tile->type.dtype;
    for (int r = 0; r < tile->type.rows; r++)
        for (int c = 0; c < tile->type.cols; c++) {
            uint64_t bits = testing_bits(random, dtype);
            if (pto_dtype_is_float(dtype) && !special)
                while (!(fabs(reference_value(dtype, bits)) < 1000.0))
                    bits = testing_bits(random, dtype);
            testing_set(tile, r, c, bits);
        }
}

static void expect_row(const pto_tile *dst, int row, uint64_t want, pto_target target, pto_simd_level level,
                       int cols) {
    uint64_t have = testing_get(dst, row, 0);
    if (have != want)
        fail_msg("%s level %d %s, %d columns, row %d: %llx, expected %llx", pto_target_name(target),
                 (int)level, pto_dtype_name(dst->type.dtype), cols, row, (unsigned long long)have,
                 (unsigned long long)want);
}

typedef struct sum_types {
    pto_target target;
    pto_dtype to, from;
} sum_types;

static int random_cols(testing_random *random, int trial) {
    static const int edges[] = {1,   2,   3,   4,   5,   7,   63,  64,  65,  127,
                                128, 129, 130, 192, 193, 255, 256, 257, 300, 511};
    return trial % 2 ? edges[testing_below(random, 20)] : 1 + (int)testing_below(random, 700);
}

static void run_sum(pto_core *core, testing_random *random, sum_types types, pto_simd_level level,
                    int trial) {
    int rows = 1 + (int)testing_below(random, trial % 5 ? 20 : 140), cols = random_cols(random, trial);
    while (rows * cols > 12000)
        cols = 1 + cols / 2;
    pto_tile src = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, types.from, TESTING_ND, rows, cols, 2), rows,
        cols);
    fill(random, &src, trial % 3 == 0);
    pto_tile_type to =
        testing_type_around(random, PTO_LOC_VEC, types.to, trial & 2 ? TESTING_ND : TESTING_DN, rows, 1, 0);
    pto_tile dst = testing_tile(core, random, to, rows, 1);
    pto_tile tmp = testing_tile(core, NULL, src.type, rows, cols);
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, testing_tile_operand(&dst), testing_tile_operand(&src),
                     testing_tile_operand(&tmp));
    uint64_t *x = calloc((size_t)cols, sizeof *x);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++)
            x[c] = testing_get(&src, r, c);
        expect_row(&dst, r, reference_row_sum(types.target, types.to, types.from, x, cols), types.target,
                   level, cols);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    free(x);
    pto_core_reset(core);
}

static void test_sum(void **state) {
    (void)state;
    static const sum_types cases[] = {
        {PTO_TARGET_CPU, PTO_F32, PTO_F32},   {PTO_TARGET_CPU, PTO_F16, PTO_F16},
        {PTO_TARGET_CPU, PTO_BF16, PTO_BF16}, {PTO_TARGET_CPU, PTO_F32, PTO_F16},
        {PTO_TARGET_CPU, PTO_F32, PTO_BF16},  {PTO_TARGET_CPU, PTO_S32, PTO_S16},
        {PTO_TARGET_CPU, PTO_S16, PTO_S16},   {PTO_TARGET_CPU, PTO_S32, PTO_S32},
        {PTO_TARGET_CPU, PTO_U64, PTO_U64},   {PTO_TARGET_A2A3, PTO_F32, PTO_F32},
        {PTO_TARGET_A2A3, PTO_F16, PTO_F16},  {PTO_TARGET_A2A3, PTO_S16, PTO_S16},
        {PTO_TARGET_A2A3, PTO_S32, PTO_S32},  {PTO_TARGET_A5, PTO_F32, PTO_F32},
        {PTO_TARGET_A5, PTO_F16, PTO_F16},    {PTO_TARGET_A5, PTO_S64, PTO_S64},
    };
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            testing_random random = {7 + c};
            pto_core *core = testing_core(cases[c].target, levels[l]);
            for (int trial = 0; trial < 40; trial++)
                run_sum(core, &random, cases[c], levels[l], trial);
            pto_core_destroy(core);
        }
}

static void run_extreme(pto_core *core, testing_random *random, pto_dtype dtype, pto_simd_level level,
                        int trial) {
    static const pto_form forms[] = {PTO_FORM_TROWMAX,    PTO_FORM_TROWMIN,
                                     PTO_FORM_TROWARGMAX, PTO_FORM_TROWARGMAX_VALUE_INDEX,
                                     PTO_FORM_TROWARGMIN, PTO_FORM_TROWARGMIN_VALUE_INDEX};
    int rows = 1 + (int)testing_below(random, 12),
        cols = 1 + (int)testing_below(random, trial % 4 ? 40 : 300);
    bool arg = pto_dtype_is_int(dtype) || dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F32;
    arg = arg && dtype != PTO_S4;
    pto_tile src = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 1), rows, cols);
    fill(random, &src, trial % 2 == 0);
    uint64_t *x = calloc((size_t)cols, sizeof *x);
    for (int f = 0; f < (arg ? 6 : 2); f++) {
        pto_tile_type type =
            testing_type_around(random, PTO_LOC_VEC, dtype, trial & 1 ? TESTING_ND : TESTING_DN, rows, 1, 0);
        pto_tile_type index_type = testing_type_around(random, PTO_LOC_VEC, trial & 4 ? PTO_S32 : PTO_U32,
                                                       trial & 2 ? TESTING_ND : TESTING_DN, rows, 1, 0);
        pto_tile value = testing_tile(core, random, type, rows, 1),
                 index = testing_tile(core, random, index_type, rows, 1);
        void *before = testing_snapshot(&value);
        if (f < 2)
            TESTING_ACCEPTED(core, forms[f], testing_tile_operand(&value), testing_tile_operand(&src));
        else if (f % 2 == 0)
            TESTING_ACCEPTED(core, forms[f], testing_tile_operand(&index), testing_tile_operand(&src));
        else
            TESTING_ACCEPTED(core, forms[f], testing_tile_operand(&value), testing_tile_operand(&index),
                             testing_tile_operand(&src));
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++)
                x[c] = testing_get(&src, r, c);
            if (f < 2)
                expect_row(&value, r, reference_extreme(f == 1, dtype, x, cols), PTO_TARGET_CPU, level, cols);
            if (f < 2)
                continue;
            int best = reference_arg(f >= 4, dtype, x, cols);
            expect_row(&index, r, (uint64_t)best, PTO_TARGET_CPU, level, cols);
            if (f % 2)
                expect_row(&value, r, x[best], PTO_TARGET_CPU, level, cols);
        }
        assert_true(testing_outside_unchanged(&value, before));
        free(before);
    }
    free(x);
    pto_core_reset(core);
}

static void test_extreme(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, levels[l]);
        for (int dtype = PTO_S8; dtype < PTO_DTYPE_COUNT; dtype++) {
            testing_random random = {(uint64_t)dtype};
            for (int trial = 0; dtype != PTO_F64 && trial < 30; trial++)
                run_extreme(core, &random, (pto_dtype)dtype, levels[l], trial);
        }
        pto_core_destroy(core);
    }
}

/* ---- rules ---- */

static pto_tile tile(pto_dtype dtype, testing_layout layout, int rows, int cols, int valid_rows,
                     int valid_cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, layout, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, valid_rows, valid_cols);
}
#define T(t) testing_tile_operand(t)

static void test_shape_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_tile src = tile(PTO_F32, TESTING_ND, 8, 16, 8, 16), dst = tile(PTO_F32, TESTING_DN, 8, 1, 8, 1);
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src));
    pto_tile wide = tile(PTO_F32, TESTING_DN, 8, 2, 8, 1);
    TESTING_REFUSED(core, "PTO-E0601", PTO_FORM_TROWSUM, T(&wide), T(&src));
    pto_tile column = tile(PTO_F32, TESTING_DN, 16, 8, 8, 8);
    TESTING_REFUSED(core, "PTO-E0601", PTO_FORM_TROWMAX, T(&dst), T(&column));
    pto_tile short_dst = tile(PTO_F32, TESTING_DN, 8, 1, 7, 1);
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TROWSUM, T(&short_dst), T(&src));
    pto_tile none = tile(PTO_F32, TESTING_DN, 8, 1, 8, 0);
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TROWMIN, T(&none), T(&src));
    pto_tile empty = tile(PTO_F32, TESTING_ND, 8, 16, 8, 0);
    TESTING_REFUSED(core, "PTO-E0324", PTO_FORM_TROWSUM, T(&dst), T(&empty));
    pto_tile two = tile(PTO_F32, TESTING_ND, 8, 8, 8, 2);
    assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TROWSUM, T(&two), T(&src)), PTO_OK);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0603"));
    pto_diag_list_clear(pto_core_diags(core));
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TROWSUM, T(&src), T(&src));
    /* arg: exactly one column, 32-bit index, 16-bit in the value form of 2-byte sources */
    pto_tile index2 = tile(PTO_S32, TESTING_ND, 8, 8, 8, 2), index = tile(PTO_S32, TESTING_ND, 8, 8, 8, 1);
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TROWARGMAX, T(&index2), T(&src));
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX, T(&index), T(&src));
    pto_tile half = tile(PTO_F16, TESTING_ND, 8, 16, 8, 16), value = tile(PTO_F16, TESTING_ND, 8, 16, 8, 1);
    pto_tile narrow = tile(PTO_U16, TESTING_ND, 8, 16, 8, 1),
             value32 = tile(PTO_F32, TESTING_ND, 8, 16, 8, 1);
    TESTING_REFUSED(core, "PTO-E0604", PTO_FORM_TROWARGMAX, T(&narrow), T(&half));
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value), T(&narrow), T(&half));
    TESTING_REFUSED(core, "PTO-E0604", PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value32), T(&narrow), T(&src));
    pto_tile at = tile(PTO_F16, TESTING_ND, 1, 32784, 1, 32768),
             over = tile(PTO_F16, TESTING_ND, 1, 32784, 1, 32769);
    pto_tile one = tile(PTO_F16, TESTING_ND, 1, 16, 1, 1), index16 = tile(PTO_S16, TESTING_ND, 1, 16, 1, 1);
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&one), T(&index16), T(&at));
    TESTING_REFUSED(core, "PTO-E0605", PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&one), T(&index16), T(&over));
    pto_core_destroy(core);
}

static void test_tmp_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile dst = tile(PTO_F32, TESTING_DN, 8, 1, 8, 1), src = tile(PTO_F32, TESTING_ND, 8, 320, 8, 64);
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src)); /* one register: no scratch */
    src.valid_cols = 65;
    TESTING_REFUSED(core, "PTO-E0329", PTO_FORM_TROWSUM, T(&dst), T(&src));
    pto_tile tmp = tile(PTO_F32, TESTING_ND, 8, 64, 8, 64), low = tile(PTO_F32, TESTING_ND, 7, 128, 7, 128);
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src), T(&tmp));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWSUM, T(&dst), T(&src), T(&low));
    src.valid_cols = 255; /* 3 repeats and a tail: one slot */
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src), T(&tmp));
    src.valid_cols = 256; /* 4 repeats: two slots */
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWSUM, T(&dst), T(&src), T(&tmp));
    TESTING_ACCEPTED(core, PTO_FORM_TROWMAX, T(&dst), T(&src), T(&tmp));
    pto_tile tmp2 = tile(PTO_F32, TESTING_ND, 8, 128, 8, 128),
             other = tile(PTO_S32, TESTING_ND, 8, 128, 8, 128);
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&dst), T(&src), T(&tmp2));
    TESTING_REFUSED(core, "PTO-E0607", PTO_FORM_TROWSUM, T(&dst), T(&src), T(&other));
    TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TROWSUM, T(&dst), T(&src), T(&src));
    pto_tile idst = tile(PTO_S32, TESTING_DN, 8, 1, 8, 1), isrc = tile(PTO_S32, TESTING_ND, 8, 8, 8, 1);
    pto_tile itmp = tile(PTO_S32, TESTING_ND, 1, 8, 1, 8);
    TESTING_REFUSED(core, "PTO-E0329", PTO_FORM_TROWSUM, T(&idst), T(&isrc));
    TESTING_ACCEPTED(core, PTO_FORM_TROWSUM, T(&idst), T(&isrc), T(&itmp));
    /* arg, 65 columns: R1 = 2, stride (ceil(4/8) + ceil(2/8)) * 8 = 16 */
    src.valid_cols = 65;
    pto_tile index = tile(PTO_S32, TESTING_DN, 8, 1, 8, 1), value = tile(PTO_F32, TESTING_DN, 8, 1, 8, 1);
    pto_tile t8 = tile(PTO_F32, TESTING_ND, 8, 8, 8, 8), t16 = tile(PTO_F32, TESTING_ND, 8, 16, 8, 16);
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWARGMAX, T(&index), T(&src), T(&t8));
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX, T(&index), T(&src), T(&t16));
    src.valid_cols = 64;
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX, T(&index), T(&src));
    TESTING_REFUSED(core, "PTO-E0329", PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value), T(&index), T(&src));
    pto_tile pairs = tile(PTO_F32, TESTING_DN, 16, 1, 16, 1), few = tile(PTO_F32, TESTING_DN, 8, 1, 8, 1);
    TESTING_ACCEPTED(core, PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value), T(&index), T(&src), T(&pairs));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWARGMAX_VALUE_INDEX, T(&value), T(&index), T(&src),
                    T(&few));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum), cmocka_unit_test(test_extreme),
                                       cmocka_unit_test(test_shape_rules), cmocka_unit_test(test_tmp_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
