/* SPDX-License-Identifier: Apache-2.0 */
/* TROWARGMAX TROWARGMIN TCOLARGMAX TCOLARGMIN in both forms against the reference, at every level; the index
 * types and the scratch of the column forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>

#define T(t) testing_tile_operand(t)

/* Many ties: values from a small set, special ones among them. */
static void fill(testing_random *random, pto_tile *tile, int trial) {
    const pto_dtype dtype = tile->type.dtype;
    uint64_t set[6];
    for (int i = 0; i < 6; i++)
        do
            set[i] = testing_bits(random, dtype);
        while (trial % 3 && pto_dtype_is_float(dtype) &&
               reference_value(dtype, set[i]) != reference_value(dtype, set[i]));
    for (int r = 0; r < tile->type.rows; r++)
        for (int c = 0; c < tile->type.cols; c++)
            testing_set(tile, r, c,
                        trial % 2
                            ? set[testing_below(random, trial % 4 == 1 ? 2 : 6)]
                            : (trial % 3 ? set[testing_below(random, 6)] : testing_bits(random, dtype)));
}

static const pto_form forms[2][2][2] = {{{PTO_FORM_TROWARGMAX, PTO_FORM_TROWARGMIN},
                                         {PTO_FORM_TROWARGMAX_VALUE_INDEX, PTO_FORM_TROWARGMIN_VALUE_INDEX}},
                                        {{PTO_FORM_TCOLARGMAX, PTO_FORM_TCOLARGMIN},
                                         {PTO_FORM_TCOLARGMAX_VALUE_INDEX, PTO_FORM_TCOLARGMIN_VALUE_INDEX}}};

static void run(pto_core *core, testing_random *random, pto_target target, pto_dtype dtype, bool columns,
                int trial) {
    const bool minimum = trial & 1, with_value = trial & 2;
    const unsigned bytes = pto_dtype_bits(dtype) / 8;
    int longest = trial % 16 == 5 ? 700 : trial % 4 ? 20 : 90;
    int along = 1 + (int)testing_below(random, (uint32_t)longest),
        across = 1 + (int)testing_below(random, trial % 8 == 3 ? 300 : 12);
    while (along * across > 3000)
        across = 1 + across / 2;
    const int rows = columns ? along : across, cols = columns ? across : along;
    pto_tile src = testing_tile(
        core, NULL, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 2), rows, cols);
    fill(random, &src, trial / 2);
    pto_dtype index_dtype = trial & 4 ? PTO_S32 : PTO_U32;
    if (with_value && bytes == 2 && (target != PTO_TARGET_CPU || trial & 8))
        index_dtype = trial & 4 ? PTO_S16 : PTO_U16;
    const int out_rows = columns ? 1 : rows, out_cols = columns ? cols : 1;
    const testing_layout layout = !columns && trial & 16 ? TESTING_DN : TESTING_ND;
    const uint32_t slack = layout == TESTING_DN ? 0 : 1;
    pto_tile value = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, dtype, layout, out_rows, out_cols, slack),
        out_rows, out_cols);
    pto_tile index =
        testing_tile(core, random,
                     testing_type_around(random, PTO_LOC_VEC, index_dtype, layout, out_rows, out_cols, slack),
                     out_rows, out_cols);
    const int tmp_rows = columns ? 1 : rows, tmp_cols = columns ? 800 : 48;
    pto_tile tmp = testing_tile(
        core, NULL, testing_type_around(NULL, PTO_LOC_VEC, dtype, TESTING_ND, tmp_rows, tmp_cols, 0),
        tmp_rows, tmp_cols);
    void *before_value = testing_snapshot(&value), *before_index = testing_snapshot(&index);
    const pto_form form = forms[columns][with_value][minimum];
    if (with_value)
        TESTING_ACCEPTED(core, form, T(&value), T(&index), T(&src), T(&tmp));
    else
        TESTING_ACCEPTED(core, form, T(&index), T(&src), T(&tmp));
    uint64_t *x = calloc((size_t)along, sizeof *x);
    for (int k = 0; k < across; k++) {
        for (int i = 0; i < along; i++)
            x[i] = columns ? testing_get(&src, i, k) : testing_get(&src, k, i);
        const int want = reference_arg(minimum, dtype, x, along);
        const uint64_t have = columns ? testing_get(&index, 0, k) : testing_get(&index, k, 0);
        if (have != (uint64_t)want)
            fail_msg("%s %s, %d x %d, %s %d: %llu, expected %d", pto_target_name(target),
                     pto_dtype_name(dtype), rows, cols, columns ? "column" : "row", k,
                     (unsigned long long)have, want);
        if (with_value)
            assert_int_equal(columns ? testing_get(&value, 0, k) : testing_get(&value, k, 0), x[want]);
    }
    assert_true(testing_outside_unchanged(&value, before_value));
    assert_true(testing_outside_unchanged(&index, before_index));
    free(before_value);
    free(before_index);
    free(x);
    pto_core_reset(core);
}

static void run_target(pto_target target, const pto_dtype *dtypes, int dtype_count, bool columns) {
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++) {
        pto_core *core = testing_core(target, levels[l]);
        for (int d = 0; d < dtype_count; d++) {
            testing_random random = {(uint64_t)(17 * d + (int)target)};
            for (int trial = 0; trial < 200; trial++)
                run(core, &random, target, dtypes[d], columns, trial);
        }
        pto_core_destroy(core);
    }
}

static void test_rows(void **state) {
    (void)state;
    static const pto_dtype cpu[] = {PTO_S8,  PTO_U8,  PTO_S16, PTO_U16,  PTO_S32, PTO_U32,
                                    PTO_S64, PTO_U64, PTO_F16, PTO_BF16, PTO_F32},
                           a2a3[] = {PTO_F16, PTO_F32, PTO_S16, PTO_S32};
    run_target(PTO_TARGET_CPU, cpu, 11, false);
    run_target(PTO_TARGET_A2A3, a2a3, 4, false);
}

static void test_columns(void **state) {
    (void)state;
    static const pto_dtype cpu[] = {PTO_S8,  PTO_U8,  PTO_S16,  PTO_U16, PTO_S32,  PTO_U32,  PTO_S64,
                                    PTO_U64, PTO_F16, PTO_BF16, PTO_F32, PTO_E4M3, PTO_E2M1, PTO_S4},
                           a2a3[] = {PTO_F16, PTO_F32, PTO_U16, PTO_U32};
    run_target(PTO_TARGET_CPU, cpu, 14, true);
    run_target(PTO_TARGET_A2A3, a2a3, 4, true);
}

static pto_tile tile(pto_dtype dtype, testing_layout layout, int rows, int cols, int valid_rows,
                     int valid_cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, layout, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, valid_rows, valid_cols);
}

static void test_shape_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_tile src = tile(PTO_F32, TESTING_ND, 8, 16, 8, 16), index = tile(PTO_S32, TESTING_ND, 1, 16, 1, 16),
             two = tile(PTO_S32, TESTING_ND, 2, 16, 2, 16), few = tile(PTO_S32, TESTING_ND, 1, 16, 1, 15),
             empty = tile(PTO_F32, TESTING_ND, 8, 16, 0, 16),
             column = tile(PTO_F32, TESTING_DN, 8, 16, 8, 16),
             value = tile(PTO_F32, TESTING_ND, 1, 16, 1, 16),
             values = tile(PTO_F32, TESTING_ND, 2, 16, 2, 16);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMIN, T(&index), T(&src));
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TCOLARGMIN, T(&two), T(&src));
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TCOLARGMIN, T(&few), T(&src));
    TESTING_REFUSED(core, "PTO-E0602", PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&values), T(&index), T(&src));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&value), T(&index), T(&src));
    TESTING_REFUSED(core, "PTO-E0324", PTO_FORM_TCOLARGMAX, T(&index), T(&empty));
    TESTING_REFUSED(core, "PTO-E0601", PTO_FORM_TCOLARGMAX, T(&index), T(&column));
    pto_tile single = tile(PTO_F32, TESTING_ND, 1, 16, 1, 16);
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&single), T(&index), T(&single));
    pto_tile byte = tile(PTO_S8, TESTING_ND, 1, 32, 1, 16);
    TESTING_REFUSED(core, "PTO-E0604", PTO_FORM_TCOLARGMAX, T(&byte), T(&src));
    /* the largest index is one less than the rows */
    pto_tile half_value = tile(PTO_F16, TESTING_ND, 1, 16, 1, 1),
             narrow = tile(PTO_S16, TESTING_ND, 1, 16, 1, 1);
    pto_options options = {.memory_bytes = {[PTO_LOC_VEC] = 4u << 20}};
    pto_core_destroy(core);
    core = pto_core_create(&options);
    pto_tile at = tile(PTO_F16, TESTING_ND, 32784, 16, 32768, 1),
             over = tile(PTO_F16, TESTING_ND, 32784, 16, 32769, 1);
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&half_value), T(&narrow), T(&at));
    TESTING_REFUSED(core, "PTO-E0605", PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&half_value), T(&narrow), T(&over));
    pto_core_destroy(core);
    /* a5: as wide as the value */
    core = testing_core(PTO_TARGET_A5, PTO_SIMD_BEST);
    pto_tile half = tile(PTO_F16, TESTING_ND, 8, 16, 8, 1), wide = tile(PTO_U32, TESTING_ND, 1, 16, 1, 1);
    half_value.data = narrow.data = NULL;
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&half_value), T(&narrow), T(&half));
    TESTING_REFUSED(core, "PTO-E0604", PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&half_value), T(&wide), T(&half));
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX, T(&wide), T(&half));
    TESTING_REFUSED(core, "PTO-E0604", PTO_FORM_TCOLARGMAX, T(&narrow), T(&half));
    pto_tile bytes = tile(PTO_S8, TESTING_ND, 8, 32, 8, 1),
             byte_value = tile(PTO_S8, TESTING_ND, 1, 32, 1, 1);
    wide.data = NULL;
    TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX, T(&wide), T(&bytes));
    TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TCOLARGMAX_VALUE_INDEX, T(&byte_value), T(&wide), T(&bytes));
    pto_core_destroy(core);
}

static void test_scratch_rules(void **state) {
    (void)state;
    /* g = V from V columns on, else whole blocks; 3 g for 2-byte sources without value, else 2 g */
    static const struct {
        pto_dtype dtype;
        int cols, with_value, need;
    } cases[] = {{PTO_F16, 1, 0, 48},    {PTO_F16, 17, 0, 96}, {PTO_F16, 128, 0, 384},
                 {PTO_F16, 300, 0, 384}, {PTO_F16, 17, 1, 64}, {PTO_F32, 63, 0, 128},
                 {PTO_F32, 9, 0, 32},    {PTO_F32, 9, 1, 32},  {PTO_U16, 127, 1, 256},
                 {PTO_U32, 200, 1, 128}};
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pto_dtype dtype = cases[i].dtype, other = dtype == PTO_F32 ? PTO_U32 : PTO_F32;
        const int block = 32 / (int)(pto_dtype_bits(dtype) / 8), cols = (cases[i].cols + 15) / 16 * 16;
        pto_tile src = tile(dtype, TESTING_ND, 4, cols, 4, cases[i].cols),
                 value = tile(dtype, TESTING_ND, 1, cols, 1, cases[i].cols),
                 index = tile(cases[i].with_value && pto_dtype_bits(dtype) == 16 ? PTO_U16 : PTO_U32,
                              TESTING_ND, 1, cols, 1, cases[i].cols);
        pto_tile enough = tile(dtype, TESTING_ND, 1, cases[i].need, 1, 1),
                 less = tile(dtype, TESTING_ND, 1, cases[i].need - block, 1, 1),
                 wrong = tile(other, TESTING_ND, 1, cases[i].need, 1, 1);
        if (cases[i].with_value) {
            const pto_form form = PTO_FORM_TCOLARGMIN_VALUE_INDEX;
            TESTING_ACCEPTED(core, form, T(&value), T(&index), T(&src), T(&enough));
            TESTING_REFUSED(core, "PTO-E0606", form, T(&value), T(&index), T(&src), T(&less));
            TESTING_REFUSED(core, "PTO-E0607", form, T(&value), T(&index), T(&src), T(&wrong));
            TESTING_REFUSED(core, "PTO-E0329", form, T(&value), T(&index), T(&src));
        } else {
            TESTING_ACCEPTED(core, PTO_FORM_TCOLARGMAX, T(&index), T(&src), T(&enough));
            TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TCOLARGMAX, T(&index), T(&src), T(&less));
            TESTING_REFUSED(core, "PTO-E0607", PTO_FORM_TCOLARGMAX, T(&index), T(&src), T(&wrong));
            TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TCOLARGMAX, T(&index), T(&src), T(&src));
        }
        pto_core_reset(core);
    }
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_shape_rules),
                                       cmocka_unit_test(test_scratch_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
