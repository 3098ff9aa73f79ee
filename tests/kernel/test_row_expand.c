/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND, TROWEXPAND<op>, TCOLEXPAND, TCOLEXPAND<op> against the reference: both modes, both roles, in
 * place, every target and level; and the rules of the row forms, scratch included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>

#define T(t) testing_tile_operand(t)

static const pto_form row_forms[] = {PTO_FORM_TROWEXPANDADD,   PTO_FORM_TROWEXPANDSUB, PTO_FORM_TROWEXPANDMUL,
                                     PTO_FORM_TROWEXPANDDIV,   PTO_FORM_TROWEXPANDMAX, PTO_FORM_TROWEXPANDMIN,
                                     PTO_FORM_TROWEXPANDEXPDIF};
static const pto_form col_forms[] = {PTO_FORM_TCOLEXPANDADD,   PTO_FORM_TCOLEXPANDSUB, PTO_FORM_TCOLEXPANDMUL,
                                     PTO_FORM_TCOLEXPANDDIV,   PTO_FORM_TCOLEXPANDMAX, PTO_FORM_TCOLEXPANDMIN,
                                     PTO_FORM_TCOLEXPANDEXPDIF};
static const pto_dtype dtypes[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_S8, PTO_U8,
                                   PTO_S16, PTO_U16, PTO_S32,  PTO_U32};

/* Equal, or, for EXPDIF, finite neighbours (N6: 1 ulp). */
static bool matches(int op, uint64_t have, uint64_t want) {
    uint64_t distance = have > want ? have - want : want - have;
    return distance <= (op == REFERENCE_EXPDIF ? 1u : 0u);
}

typedef enum broadcast { SCALAR_A_ROW, BLOCK_A_ROW, ROW } broadcast;

static void run(pto_core *core, testing_random *random, int op, pto_dtype dtype, broadcast how, int trial) {
    int rows = 1 + (int)testing_below(random, trial % 8 ? 6 : 40),
        cols = 1 + (int)testing_below(random, trial % 3 ? 40 : 150);
    int block = 32 / (int)(pto_dtype_bits(dtype) / 8);
    bool swapped = trial & 1, in_place = trial & 2;
    pto_tile_type full_type = testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 2);
    pto_tile full = testing_tile(core, random, full_type, rows, cols);
    int expanded_rows = how == ROW ? 1 + trial % 3 : rows, expanded_cols = how == SCALAR_A_ROW ? 1
                                                                           : how == ROW        ? cols
                                                                                               : block;
    if (how == ROW && swapped && expanded_rows == rows)
        expanded_rows++; /* else src0 would be the full operand */
    if (how == BLOCK_A_ROW && swapped && cols == block)
        return;
    testing_layout layout = how == SCALAR_A_ROW ? TESTING_DN : TESTING_ND;
    pto_tile_type expanded_type =
        testing_type_around(random, PTO_LOC_VEC, dtype, layout, expanded_rows, expanded_cols, how == ROW);
    pto_tile expanded = testing_tile(core, random, expanded_type, expanded_rows, expanded_cols);
    pto_tile dst = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 1), rows, cols);
    uint64_t *a = calloc((size_t)(rows * cols), sizeof *a);
    for (int i = 0; i < rows * cols; i++)
        a[i] = testing_get(&full, i / cols, i % cols);
    if (in_place) { /* another pitch, as long as it fits into the storage of the full operand */
        if (pto_tile_type_bytes(&dst.type) <= pto_tile_type_bytes(&full.type))
            dst.data = full.data;
        else
            dst = full;
    }
    void *before = testing_snapshot(&dst);
    pto_form form = how == ROW ? col_forms[op] : row_forms[op];
    if (swapped)
        TESTING_ACCEPTED(core, form, T(&dst), T(&expanded), T(&full));
    else
        TESTING_ACCEPTED(core, form, T(&dst), T(&full), T(&expanded));
    for (int i = 0; i < rows * cols; i++) {
        int r = i / cols, c = i % cols;
        uint64_t e = testing_get(&expanded, how == ROW ? 0 : r,
                                 how == ROW            ? c
                                 : how == SCALAR_A_ROW ? 0
                                                       : c % block);
        uint64_t want = reference_binary((reference_op)op, dtype, swapped ? e : a[i], swapped ? a[i] : e);
        uint64_t have = testing_get(&dst, r, c);
        if (!matches(op, have, want))
            fail_msg("op %d %s mode %d trial %d (%d, %d) %llx %llx: %llx, expected %llx", op,
                     pto_dtype_name(dtype), (int)how, trial, r, c, (unsigned long long)a[i],
                     (unsigned long long)e, (unsigned long long)have, (unsigned long long)want);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    free(a);
    pto_core_reset(core);
}

static void test_operations(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, levels[l]);
        for (int op = 0; op < 7; op++)
            for (int d = 0; d < (op == REFERENCE_EXPDIF ? 2 : 9); d++)
                for (int how = 0; how < 3; how++) {
                    testing_random random = {(uint64_t)(100 * op + 10 * d + how)};
                    for (int trial = 0; trial < 16; trial++)
                        run(core, &random, op, dtypes[d], (broadcast)how, trial);
                }
        pto_core_destroy(core);
    }
}

/* TROWEXPANDEXPDIF of every level gives the same bits. */
static void test_levels_agree(void **state) {
    (void)state;
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int d = 0; d < 2; d++) {
        uint64_t *first = calloc(64 * 100, sizeof *first);
        for (int l = 0; l < count; l++) {
            testing_random random = {5};
            pto_core *core = testing_core(PTO_TARGET_A5, levels[l]);
            pto_tile_type type = testing_type_around(&random, PTO_LOC_VEC, dtypes[d], TESTING_ND, 64, 100, 0);
            pto_tile src = testing_tile(core, &random, type, 64, 100),
                     dst = testing_tile(core, &random, type, 64, 100);
            pto_tile value =
                testing_tile(core, &random, testing_type(PTO_LOC_VEC, dtypes[d], TESTING_DN, 64, 1), 64, 1);
            TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&value));
            for (int i = 0; i < 6400; i++) {
                uint64_t bits = testing_get(&dst, i / 100, i % 100);
                if (l == 0)
                    first[i] = bits;
                assert_int_equal(bits, first[i]);
            }
            pto_core_destroy(core);
        }
        free(first);
    }
}

static void test_copies(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    testing_random random = {3};
    for (int dtype = PTO_S8; dtype < PTO_DTYPE_COUNT; dtype++)
        for (int trial = 0; dtype != PTO_F64 && trial < 12; trial++) {
            int rows = 1 + (int)testing_below(&random, 20), cols = 1 + (int)testing_below(&random, 70);
            bool row_form = trial & 1;
            testing_layout layout = row_form && trial & 2 ? TESTING_DN : TESTING_ND;
            int src_rows = row_form ? rows : 1 + trial % 3, src_cols = row_form ? 1 + trial % 2 : cols;
            pto_tile src = testing_tile(
                core, &random,
                testing_type_around(&random, PTO_LOC_VEC, (pto_dtype)dtype, layout, src_rows, src_cols, 1),
                src_rows, src_cols);
            pto_tile dst = testing_tile(
                core, &random,
                testing_type_around(&random, PTO_LOC_VEC, (pto_dtype)dtype, TESTING_ND, rows, cols, 1), rows,
                cols);
            void *before = testing_snapshot(&dst);
            TESTING_ACCEPTED(core, row_form ? PTO_FORM_TROWEXPAND : PTO_FORM_TCOLEXPAND, T(&dst), T(&src));
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < cols; c++)
                    assert_int_equal(testing_get(&dst, r, c),
                                     testing_get(&src, row_form ? r : 0, row_form ? 0 : c));
            assert_true(testing_outside_unchanged(&dst, before));
            free(before);
            pto_core_reset(core);
        }
    /* one column onto itself at another pitch */
    pto_tile column = testing_tile(
        core, &random, testing_type_around(NULL, PTO_LOC_VEC, PTO_S32, TESTING_DN, 16, 8, 0), 16, 1);
    pto_tile onto = testing_tile(
        core, NULL, testing_type_around(NULL, PTO_LOC_VEC, PTO_S32, TESTING_ND, 16, 8, 0), 16, 1);
    uint64_t want[16];
    for (int r = 0; r < 16; r++)
        want[r] = testing_get(&column, r, 0);
    onto.data = column.data;
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPAND, T(&onto), T(&column));
    for (int r = 0; r < 16; r++)
        assert_int_equal(testing_get(&onto, r, 0), want[r]);
    onto.valid_cols = 2;
    TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TROWEXPAND, T(&onto), T(&column));
    pto_core_destroy(core);
}

static pto_tile tile(pto_dtype dtype, testing_layout layout, int rows, int cols, int valid_rows,
                     int valid_cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, layout, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, valid_rows, valid_cols);
}

static void test_special_values(void **state) {
    (void)state;
    /* x - s with s = x, -inf, +inf, both infinite; overflow, underflow (20, TROWEXPANDEXPDIF) */
    static const float x[] = {1, -INFINITY, 0, 0, INFINITY, 100, -200, NAN},
                       s[] = {1, 0, INFINITY, -INFINITY, INFINITY, 0, 0, 0},
                       want[] = {1, 0, 0, INFINITY, NAN, INFINITY, 0, NAN};
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_tile src = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 8, 8), 8, 8),
             dst = src, value;
    dst.data = NULL;
    value = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 1), 8, 1);
    for (int r = 0; r < 8; r++) {
        for (int c = 0; c < 8; c++)
            testing_set(&src, r, c, reference_round(PTO_F32, x[r]));
        testing_set(&value, r, 0, reference_round(PTO_F32, s[r]));
    }
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&value));
    for (int i = 0; i < 64; i++)
        assert_int_equal(testing_get(&dst, i / 8, i % 8), reference_round(PTO_F32, want[i / 8]));
    pto_core_destroy(core);
}

static void test_zero_divisors(void **state) {
    (void)state;
    for (int trap = 0; trap < 2; trap++) {
        pto_options options = {.numeric = {.trap_zero_divisor = trap}};
        pto_core *core = pto_core_create(&options);
        pto_tile src = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_S32, TESTING_ND, 8, 16), 8, 16);
        pto_tile dst = testing_tile(core, NULL, src.type, 8, 16);
        pto_tile value = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_S32, TESTING_DN, 8, 1), 8, 1);
        for (int i = 0; i < 128; i++) {
            testing_set(&src, i / 16, i % 16, 0x80000000u);
            testing_set(&dst, i / 16, i % 16, 77);
        }
        for (int r = 0; r < 8; r++)
            testing_set(&value, r, 0, r == 3 ? 0 : 0xFFFFFFFFu);
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TROWEXPANDDIV, T(&dst), T(&src), T(&value)),
                         trap ? PTO_ERR_REFUSED : PTO_OK);
        assert_int_equal(pto_core_zero_divisors(core), 16);
        for (int i = 0; i < 128; i++)
            assert_int_equal(testing_get(&dst, i / 16, i % 16), trap ? 77 : i / 16 == 3 ? 0 : 0x80000000u);
        pto_core_destroy(core);
    }
}

static void test_mode_rules(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_A5, PTO_SIMD_BEST);
    pto_tile dst = tile(PTO_F32, TESTING_ND, 16, 64, 16, 64), src = tile(PTO_F32, TESTING_ND, 16, 64, 16, 64);
    pto_tile one = tile(PTO_F32, TESTING_DN, 16, 1, 16, 1), block = tile(PTO_F32, TESTING_ND, 16, 8, 16, 8);
    pto_tile seven = tile(PTO_F32, TESTING_ND, 16, 8, 16, 7), few = tile(PTO_F32, TESTING_DN, 16, 1, 15, 1);
    pto_tile two = tile(PTO_F32, TESTING_DN, 16, 2, 16, 2), tmp = tile(PTO_F32, TESTING_ND, 1, 8, 1, 8);
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one),
                     T(&tmp)); /* a5: any scratch */
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&block), T(&src));
    TESTING_REFUSED(core, "PTO-E0610", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&seven));
    TESTING_REFUSED(core, "PTO-E0610", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&few));
    TESTING_REFUSED(core, "PTO-E0610", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&two));
    TESTING_REFUSED(core, "PTO-E0610", PTO_FORM_TROWEXPANDADD, T(&dst), T(&src), T(&src));
    assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&block), T(&tmp)),
                     PTO_OK);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0612"));
    pto_tile wide = tile(PTO_F32, TESTING_ND, 16, 16, 16, 8);
    assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TROWEXPANDADD, T(&dst), T(&src), T(&wide)), PTO_OK);
    assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0614"));
    pto_diag_list_clear(pto_core_diags(core));
    pto_tile column = tile(PTO_F32, TESTING_DN, 16, 64, 16, 64);
    TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TROWEXPANDADD, T(&column), T(&src), T(&one));
    pto_tile dst8 = tile(PTO_F32, TESTING_ND, 16, 8, 16, 8), src8 = dst8;
    TESTING_REFUSED(core, "PTO-E0611", PTO_FORM_TROWEXPANDADD, T(&dst8), T(&src8), T(&dst8));
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDADD, T(&dst8), T(&dst8), T(&src8));
    pto_tile copy = tile(PTO_F32, TESTING_ND, 16, 8, 15, 1);
    TESTING_REFUSED(core, "PTO-E0616", PTO_FORM_TROWEXPAND, T(&dst), T(&copy));
    pto_tile stiff = pto_tile_make(testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 8));
    TESTING_REFUSED(core, "PTO-E0617", PTO_FORM_TROWEXPAND, T(&dst), T(&stiff));
    pto_core_destroy(core);
}

/* The scratch of mode 1 on a2a3: exact sizes, and the implicit one. */
static void test_scratch_rules(void **state) {
    (void)state;
    static const struct {
        int rows, bytes;
    } sizes[] = {{1, 256},    {7, 256},    {8, 256},    {9, 512},    {64, 2048},  {128, 4096},
                 {239, 7680}, {240, 7680}, {241, 7936}, {248, 7936}, {249, 8192}, {255, 8192},
                 {256, 7680}, {473, 7680}, {480, 7680}, {481, 7680}};
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int rows = sizes[i].rows, padded = (rows + 15) / 16 * 16, bytes = sizes[i].bytes;
        pto_tile dst = tile(PTO_F16, TESTING_ND, rows, 16, rows, 16), src = dst,
                 one = tile(PTO_F16, TESTING_DN, padded, 1, rows, 1);
        pto_tile tmp = tile(PTO_F16, TESTING_ND, bytes / 32, 16, 1, 1),
                 less = tile(PTO_F16, TESTING_ND, bytes / 32 - 1, 16, 1, 1);
        TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one));
        TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&tmp));
        TESTING_REFUSED(core, "PTO-E0330", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&less));
        pto_core_reset(core);
    }
    pto_tile dst = tile(PTO_F32, TESTING_ND, 8, 8, 8, 8), src = dst,
             one = tile(PTO_F32, TESTING_DN, 8, 1, 8, 1), block = src;
    pto_tile tmp = tile(PTO_F32, TESTING_ND, 8, 8, 8, 8), other = tile(PTO_S32, TESTING_ND, 8, 8, 8, 8),
             dn = tile(PTO_F32, TESTING_DN, 8, 8, 8, 8);
    TESTING_REFUSED(core, "PTO-E0612", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&block), T(&tmp));
    TESTING_REFUSED(core, "PTO-E0607", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&other));
    TESTING_REFUSED(core, "PTO-E0606", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&dn));
    TESTING_REFUSED(core, "PTO-E0326", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&src));
    /* 256 bytes that end where the implicit scratch begins, and one block further */
    assert_int_equal(pto_tile_assign(core, &dst, 188416 - 256), PTO_OK);
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one));
    assert_int_equal(pto_tile_assign(core, &dst, 188416 - 224), PTO_OK);
    TESTING_REFUSED(core, "PTO-E0613", PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one));
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one), T(&tmp));
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&block));
    pto_core_destroy(core);
    core = testing_core(PTO_TARGET_A5, PTO_SIMD_BEST);
    dst.data = src.data = one.data = NULL;
    assert_int_equal(pto_tile_assign(core, &dst, 188416), PTO_OK);
    TESTING_ACCEPTED(core, PTO_FORM_TROWEXPANDEXPDIF, T(&dst), T(&src), T(&one));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),    cmocka_unit_test(test_levels_agree),
        cmocka_unit_test(test_copies),        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_zero_divisors), cmocka_unit_test(test_mode_rules),
        cmocka_unit_test(test_scratch_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
