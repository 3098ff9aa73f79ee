/* SPDX-License-Identifier: Apache-2.0 */
/* TPARTADD TPARTMUL TPARTMAX TPARTMIN TPARTARGMAX TPARTARGMIN: unequal valid regions, in place, layouts,
 * every target and level, against one element at a time; their rules and the flush option. */
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

static const struct {
    pto_form form;
    reference_op op;
} operations[] = {{PTO_FORM_TPARTADD, REFERENCE_ADD},
                  {PTO_FORM_TPARTMUL, REFERENCE_MUL},
                  {PTO_FORM_TPARTMAX, REFERENCE_MAX},
                  {PTO_FORM_TPARTMIN, REFERENCE_MIN}};

static uint64_t flushed(pto_dtype dtype, uint64_t bits) {
    const unsigned mantissa = dtype == PTO_F32   ? 23
                              : dtype == PTO_F16 ? 10
                                                 : 7,
                   width = pto_dtype_bits(dtype);
    const uint64_t sign = bits & UINT64_C(1) << (width - 1);
    return (bits ^ sign) >> mantissa ? bits : sign;
}

/* Extents of the smaller source: equal, fewer rows, fewer columns, both, none. */
static void shrink(testing_random *random, int trial, int rows, int cols, int *less_rows, int *less_cols) {
    const int kind = trial % 6;
    *less_rows = kind == 1 || kind >= 3 ? (int)testing_below(random, (uint32_t)rows + 1) : rows;
    *less_cols = kind >= 2 && kind != 5 ? (int)testing_below(random, (uint32_t)cols + 1) : cols;
}

/* The elements of a tile's valid region, row by row. */
static uint64_t *contents(const pto_tile *tile) {
    const int rows = tile->valid_rows, cols = tile->valid_cols;
    uint64_t *x = calloc((size_t)(rows * cols) + 1, sizeof *x);
    for (int i = 0; i < rows * cols; i++)
        x[i] = testing_get(tile, i / cols, i % cols);
    return x;
}

static bool is_valid(const pto_tile *tile, int r, int c) {
    return r < tile->valid_rows && c < tile->valid_cols;
}

static pto_tile make(pto_core *core, testing_random *random, pto_dtype dtype, testing_layout layout, int rows,
                     int cols) {
    const int least_rows = rows ? rows : 1, least_cols = cols ? cols : 1;
    return testing_tile(core, random,
                        testing_type_around(random, PTO_LOC_VEC, dtype, layout, least_rows, least_cols, 2),
                        rows, cols);
}

static void run(pto_core *core, testing_random *random, int operation, pto_dtype dtype, testing_layout layout,
                bool flush, int trial) {
    const int rows = 1 + (int)testing_below(random, trial % 13 ? 7 : 30),
              cols = 1 + (int)testing_below(random, trial % 11 ? 20 : 300);
    int less_rows, less_cols;
    shrink(random, trial, rows, cols, &less_rows, &less_cols);
    pto_tile full = make(core, random, dtype, layout, rows, cols),
             small = make(core, random, dtype, layout, less_rows, less_cols),
             dst = make(core, random, dtype, layout, rows, cols);
    if (layout != TESTING_ND && layout != TESTING_DN &&
        trial % 2) /* one capacity, so that in place is common */
        small = testing_tile(core, random, full.type, less_rows, less_cols);
    const int place = trial / 6 % 3; /* dst apart, on the full source, on the smaller one */
    pto_tile *host = place == 1 ? &full : &small;
    if (place) {
        if (trial % 2)
            dst.type = host->type; /* else another pitch, where it fits */
        if (dst.type.rows < rows || dst.type.cols < cols ||
            pto_tile_type_bytes(&dst.type) > pto_tile_type_bytes(&host->type))
            return;
        dst.data = host->data;
    }
    pto_tile *src[2] = {trial & 8 ? &small : &full, trial & 8 ? &full : &small};
    uint64_t *x[2] = {contents(src[0]), contents(src[1])};
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, operations[operation].form, T(&dst), T(src[0]), T(src[1]));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            uint64_t value[2] = {0};
            for (int k = 0; k < 2; k++)
                if (is_valid(src[k], r, c))
                    value[k] = x[k][r * src[k]->valid_cols + c];
            uint64_t want;
            if (!is_valid(src[0], r, c))
                want = value[1];
            else if (!is_valid(src[1], r, c))
                want = value[0];
            else if (flush)
                want = flushed(dtype, reference_binary(operations[operation].op, dtype,
                                                       flushed(dtype, value[0]), flushed(dtype, value[1])));
            else
                want = reference_binary(operations[operation].op, dtype, value[0], value[1]);
            if (testing_get(&dst, r, c) != want)
                fail_msg(
                    "operation %d %s layout %d trial %d, %d x %d and %d x %d (%d, %d): %llx, expected %llx",
                    operation, pto_dtype_name(dtype), (int)layout, trial, rows, cols, less_rows, less_cols, r,
                    c, (unsigned long long)testing_get(&dst, r, c), (unsigned long long)want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    for (int k = 0; k < 2; k++) {
        if (src[k]->data != dst.data)
            for (int i = 0; i < src[k]->valid_rows * src[k]->valid_cols; i++)
                assert_int_equal(testing_get(src[k], i / src[k]->valid_cols, i % src[k]->valid_cols),
                                 x[k][i]);
        free(x[k]);
    }
    free(before);
    pto_core_reset(core);
}

static void test_values(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_F16, PTO_F32, PTO_S16, PTO_S32, PTO_BF16, PTO_S8,
                                       PTO_U8,  PTO_U16, PTO_U32, PTO_S64, PTO_U64};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++)
            for (int operation = 0; operation < 4; operation++)
                for (int d = 0; d < (target == PTO_TARGET_A2A3 ? 4 : operation == 1 ? 9 : 11); d++) {
                    pto_core *core = testing_core((pto_target)target, levels[l]);
                    testing_random random = {(uint64_t)(100 * operation + d)};
                    for (int trial = 0; trial < 200; trial++)
                        run(core, &random, operation, dtypes[d], TESTING_ND, false, trial);
                    for (int trial = 0; target == PTO_TARGET_CPU && trial < 90; trial++)
                        run(core, &random, operation, dtypes[d], (testing_layout)(1 + trial % 5), false,
                            trial / 5);
                    pto_core_destroy(core);
                }
}

/* Copies keep subnormals, results and what they are computed from do not. */
static void test_flush(void **state) {
    (void)state;
    static const pto_dtype dtypes[] = {PTO_F16, PTO_BF16, PTO_F32};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int d = 0; d < 3; d++) {
            pto_core *core =
                pto_core_create(&(pto_options){.simd = levels[l], .numeric = {.flush_subnormals = true}});
            testing_random random = {(uint64_t)d};
            for (int trial = 0; trial < 160; trial++)
                run(core, &random, trial % 4, dtypes[d],
                    trial % 5 == 0   ? TESTING_NZ
                    : trial % 5 == 1 ? TESTING_DN
                                     : TESTING_ND,
                    true, trial / 4);
            pto_core_destroy(core);
        }
}

static bool is_better(pto_dtype dtype, uint64_t a, uint64_t b, bool minimum) {
    if (!pto_dtype_is_int(dtype)) {
        const double x = reference_value(dtype, a), y = reference_value(dtype, b);
        return minimum ? x < y : x > y;
    }
    return a != b && reference_binary(minimum ? REFERENCE_MIN : REFERENCE_MAX, dtype, a, b) == a;
}

static void run_arg(pto_core *core, testing_random *random, pto_dtype dtype, pto_dtype index_dtype,
                    int trial) {
    const bool minimum = trial & 1;
    const int rows = 1 + (int)testing_below(random, trial % 9 ? 8 : 30),
              cols = 1 + (int)testing_below(random, trial % 11 ? 20 : 400);
    int less_rows, less_cols;
    shrink(random, trial, rows, cols, &less_rows, &less_cols);
    /* values, indices; full, small, dst */
    pto_tile tile[2][3];
    for (int kind = 0; kind < 2; kind++) {
        const pto_dtype type = kind ? index_dtype : dtype;
        tile[kind][0] = make(core, random, type, TESTING_ND, rows, cols);
        tile[kind][1] = make(core, random, type, TESTING_ND, less_rows, less_cols);
        tile[kind][2] = make(core, random, type, TESTING_ND, rows, cols);
        const int place = (trial / 6 + kind * (trial / 18)) % 3;
        const pto_tile *host = place == 1 ? &tile[kind][0] : &tile[kind][1];
        if (place && host->type.rows >= rows && host->type.cols >= cols)
            tile[kind][2] = pto_tile_make_valid(host->type, rows, cols), tile[kind][2].data = host->data;
    }
    for (int i = 0; trial % 2 && i < less_rows * less_cols; i += 2) { /* ties */
        const int r = i / less_cols, c = i % less_cols;
        testing_set(&tile[0][1], r, c, testing_get(&tile[0][0], r, c));
    }
    const int first = trial & 8 ? 1 : 0; /* which of full, small is src0 */
    uint64_t *x[2][2];
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < 2; k++)
            x[kind][k] = contents(&tile[kind][k ? 1 - first : first]);
    void *before[2] = {testing_snapshot(&tile[0][2]), testing_snapshot(&tile[1][2])};
    TESTING_ACCEPTED(core, minimum ? PTO_FORM_TPARTARGMIN : PTO_FORM_TPARTARGMAX, T(&tile[0][2]),
                     T(&tile[0][first]), T(&tile[0][1 - first]), T(&tile[1][2]), T(&tile[1][first]),
                     T(&tile[1][1 - first]));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const pto_tile *src0 = &tile[0][first], *src1 = &tile[0][1 - first];
            const bool v0 = is_valid(src0, r, c), v1 = is_valid(src1, r, c);
            const int at[2] = {r * src0->valid_cols + c, r * src1->valid_cols + c};
            const int from = !v1                                                         ? 0
                             : !v0                                                       ? 1
                             : is_better(dtype, x[0][0][at[0]], x[0][1][at[1]], minimum) ? 0
                                                                                         : 1;
            for (int kind = 0; kind < 2; kind++)
                if (testing_get(&tile[kind][2], r, c) != x[kind][from][at[from]])
                    fail_msg("%s %s trial %d, %d x %d and %d x %d (%d, %d) %s", pto_dtype_name(dtype),
                             pto_dtype_name(index_dtype), trial, rows, cols, less_rows, less_cols, r, c,
                             kind ? "index" : "value");
        }
    for (int kind = 0; kind < 2; kind++) {
        assert_true(testing_outside_unchanged(&tile[kind][2], before[kind]));
        free(before[kind]);
        free(x[kind][0]);
        free(x[kind][1]);
    }
    pto_core_reset(core);
}

static void test_args(void **state) {
    (void)state;
    static const struct {
        pto_dtype value, index;
        bool npu;
    } pairs[] = {{PTO_F16, PTO_S16, true},  {PTO_F16, PTO_U16, true},  {PTO_F16, PTO_S32, true},
                 {PTO_F16, PTO_U32, true},  {PTO_F32, PTO_S32, true},  {PTO_F32, PTO_U32, true},
                 {PTO_BF16, PTO_S8, false}, {PTO_S8, PTO_U64, false},  {PTO_U8, PTO_U8, false},
                 {PTO_S16, PTO_S16, false}, {PTO_S32, PTO_S64, false}, {PTO_F32, PTO_U16, false}};
    int count;
    const pto_simd_level *levels = testing_levels(&count);
    for (int l = 0; l < count; l++)
        for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++)
            for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
                if (target != PTO_TARGET_CPU && !pairs[p].npu)
                    continue;
                pto_core *core = testing_core((pto_target)target, levels[l]);
                testing_random random = {p};
                for (int trial = 0; trial < 200; trial++)
                    run_arg(core, &random, pairs[p].value, pairs[p].index, trial);
                pto_core_destroy(core);
            }
}

/* A value destination on an index source and the other way round: sources count as read before. */
static void test_crossed(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    testing_random random = {1};
    const pto_tile_type type[2] = {testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4, 8),
                                   testing_type(PTO_LOC_VEC, PTO_S32, TESTING_ND, 4, 8)};
    pto_tile v0 = testing_tile(core, &random, type[0], 4, 8), v1 = testing_tile(core, &random, type[0], 4, 8),
             i0 = testing_tile(core, &random, type[1], 4, 8), i1 = testing_tile(core, &random, type[1], 4, 8);
    pto_tile value = v0, index = i0;
    value.data = i1.data;
    index.data = v0.data;
    uint64_t *x[4] = {contents(&v0), contents(&v1), contents(&i0), contents(&i1)};
    TESTING_ACCEPTED(core, PTO_FORM_TPARTARGMAX, T(&value), T(&v0), T(&v1), T(&index), T(&i0), T(&i1));
    for (int i = 0; i < 32; i++) {
        const bool take = is_better(PTO_F32, x[0][i], x[1][i], false);
        assert_int_equal(testing_get(&value, i / 8, i % 8), x[take ? 0 : 1][i]);
        assert_int_equal(testing_get(&index, i / 8, i % 8), x[take ? 2 : 3][i]);
    }
    for (int k = 0; k < 4; k++)
        free(x[k]);
    pto_core_destroy(core);
}

static pto_tile tile(pto_dtype dtype, testing_layout layout, int rows, int cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, layout, 16, 16);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return pto_tile_make_valid(type, rows, cols);
}

static void test_rules(void **state) {
    (void)state;
    for (int target = PTO_TARGET_CPU; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile dst = tile(PTO_F32, TESTING_ND, 8, 8), full = tile(PTO_F32, TESTING_ND, 8, 8),
                 low = tile(PTO_F32, TESTING_ND, 7, 8), narrow = tile(PTO_F32, TESTING_ND, 8, 7),
                 high = tile(PTO_F32, TESTING_ND, 9, 8), wide = tile(PTO_F32, TESTING_ND, 8, 9),
                 empty = tile(PTO_F32, TESTING_ND, 0, 0), column = tile(PTO_F32, TESTING_DN, 8, 8),
                 none = tile(PTO_F32, TESTING_ND, 0, 8);
        TESTING_ACCEPTED(core, PTO_FORM_TPARTADD, T(&dst), T(&low), T(&full));
        TESTING_ACCEPTED(core, PTO_FORM_TPARTADD, T(&dst), T(&full), T(&narrow));
        TESTING_ACCEPTED(core, PTO_FORM_TPARTMIN, T(&dst), T(&full), T(&empty));
        TESTING_ACCEPTED(core, PTO_FORM_TPARTMAX, T(&none), T(&full), T(&high));
        TESTING_REFUSED(core, "PTO-E0618", PTO_FORM_TPARTADD, T(&dst), T(&low), T(&narrow)); /* L-shaped */
        TESTING_REFUSED(core, "PTO-E0618", PTO_FORM_TPARTMUL, T(&dst), T(&full), T(&high));
        TESTING_REFUSED(core, "PTO-E0618", PTO_FORM_TPARTMUL, T(&dst), T(&wide), T(&full));
        TESTING_REFUSED(core, "PTO-E0618", PTO_FORM_TPARTMIN, T(&dst), T(&low), T(&low));
        TESTING_REFUSED(core, target == PTO_TARGET_CPU ? "PTO-E0322" : "PTO-E0321", PTO_FORM_TPARTADD,
                        T(&dst), T(&full), T(&column));
        pto_tile index = tile(PTO_S32, TESTING_ND, 8, 8), full_index = tile(PTO_S32, TESTING_ND, 8, 8),
                 low_index = tile(PTO_S32, TESTING_ND, 7, 8), bad = tile(PTO_S32, TESTING_ND, 8, 7),
                 column_index = tile(PTO_S32, TESTING_DN, 8, 8);
        TESTING_ACCEPTED(core, PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low), T(&index), T(&full_index),
                         T(&low_index));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low), T(&index),
                        T(&full_index), T(&bad));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPARTARGMIN, T(&dst), T(&full), T(&low), T(&bad),
                        T(&full_index), T(&low_index));
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPARTARGMIN, T(&dst), T(&full), T(&low), T(&index),
                        T(&bad), T(&low_index));
        TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low), T(&index),
                        T(&column_index), T(&low_index));
        TESTING_REFUSED(core, "PTO-E0618", PTO_FORM_TPARTARGMAX, T(&dst), T(&low), T(&low), T(&index),
                        T(&low_index), T(&low_index));
        pto_tile on_value = index;
        on_value.data = dst.data;
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low), T(&on_value),
                        T(&full_index), T(&low_index));
        pto_tile narrow_index = tile(PTO_S16, TESTING_ND, 8, 8), narrow_low = tile(PTO_S16, TESTING_ND, 7, 8),
                 narrow_full = tile(PTO_S16, TESTING_ND, 8, 8);
        if (target == PTO_TARGET_CPU)
            TESTING_ACCEPTED(core, PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low), T(&narrow_index),
                             T(&narrow_full), T(&narrow_low));
        else
            TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPARTARGMAX, T(&dst), T(&full), T(&low),
                            T(&narrow_index), T(&narrow_full), T(&narrow_low));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_flush),
                                       cmocka_unit_test(test_args), cmocka_unit_test(test_crossed),
                                       cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
