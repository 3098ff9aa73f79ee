/* SPDX-License-Identifier: Apache-2.0 */
/* TSTORE with a quantisation word and TSTORE_FP: every pair of types on every target, values, untouched
 * memory, and the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/memory.h"
#include "reference/quant.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define WORD(v) testing_int_operand(PTO_U64, (int64_t)(v))
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};

/* The pairs of Q.1 with the targets that store them, by scalar and by vector words. */
static const struct {
    pto_dtype src, dst;
    bool scalar[3], vector[3];
} pairs[] = {{PTO_F32, PTO_S8, {1, 1, 1}, {1, 1, 1}},   {PTO_F32, PTO_U8, {1, 1, 1}, {1, 1, 1}},
             {PTO_F32, PTO_F16, {1, 0, 1}, {1, 0, 1}},  {PTO_F32, PTO_BF16, {1, 0, 1}, {1, 0, 1}},
             {PTO_F32, PTO_HIF8, {1, 0, 1}, {1, 0, 1}}, {PTO_F32, PTO_E4M3, {1, 0, 1}, {1, 0, 1}},
             {PTO_F32, PTO_F32, {1, 0, 1}, {1, 0, 1}},  {PTO_S32, PTO_S8, {1, 1, 1}, {1, 1, 1}},
             {PTO_S32, PTO_U8, {1, 1, 1}, {1, 1, 1}},   {PTO_S32, PTO_F16, {1, 1, 1}, {1, 1, 1}},
             {PTO_S32, PTO_BF16, {1, 0, 1}, {1, 0, 1}}, {PTO_S32, PTO_S16, {0, 0, 0}, {0, 0, 0}}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static int32_t up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

static pto_tile acc_tile(pto_core *core, testing_random *random, pto_dtype dtype, int32_t rows, int32_t cols,
                         int32_t slack) {
    pto_tile_type type =
        pto_tile_type_acc(dtype, up(rows, 16) + 16 * (slack & 1), up(cols, 16) + 16 * (slack >> 1));
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, random, type, rows, cols);
}

static pto_tile words_tile(pto_core *core, testing_random *random, pto_dtype dst, int32_t count) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, up(count, 16));
    pto_tile tile = testing_tile(core, NULL, type, 1, type.cols);
    for (int32_t c = 0; c < type.cols; c++)
        testing_store(tile.data, PTO_U64, c, quant_word(random, dst));
    return tile;
}

static void check(pto_core *core, testing_random *random, int pair, bool vector, pto_layout layout,
                  bool atomic, bool relu) {
    pto_dtype to = pairs[pair].dst, from = pairs[pair].src;
    bool plain = layout == PTO_LAYOUT_ND && pto_core_options(core)->target != CPU;
    memory_tensor tensor = {0};
    pto_global matrix;
    int32_t rows, cols, pitch = 0;
    if (plain) { /* what hardware stores: rows of packed elements */
        rows = testing_below(random, 8) ? 1 + (int32_t)testing_below(random, 40) : 1;
        cols = testing_below(random, 8) ? 1 + (int32_t)testing_below(random, 60) : 1;
        pitch = cols + (int32_t)testing_below(random, 5);
        tensor.elements = (int64_t)rows * pitch;
        tensor.buffer = calloc((size_t)tensor.elements, 8);
        assert_non_null(tensor.buffer);
        for (int64_t i = 0; i < tensor.elements; i++)
            testing_store(tensor.buffer, to, i, testing_bits(random, to));
        matrix = pto_global_make_2d(tensor.buffer, to, PTO_LAYOUT_ND, rows, cols, pitch);
    } else {
        tensor = memory_tensor_make(random, to, layout);
        rows = tensor.rows;
        cols = tensor.cols;
        matrix = tensor.global;
    }
    pto_tile src = acc_tile(core, random, from, rows, cols, (int32_t)testing_below(random, 4));
    pto_tile fp = words_tile(core, random, to, cols);
    uint64_t word = quant_word(random, to);
    uint64_t *want = malloc((size_t)tensor.elements * sizeof *want);
    void *source = testing_snapshot(&src);
    assert_non_null(want);
    for (int64_t i = 0; i < tensor.elements; i++)
        want[i] = testing_load(tensor.buffer, to, i);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            int64_t at = plain ? (int64_t)r * pitch + c : tensor.element[(int64_t)r * cols + c];
            uint64_t value = quant_reference(to, from, testing_get(&src, r, c),
                                             vector ? testing_load(fp.data, PTO_U64, c) : word, vector, relu);
            want[at] = atomic ? memory_sum(to, want[at], value) : value;
        }
    if (vector)
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE_FP, GLOBAL(&matrix), TILE(&src), TILE(&fp), ATTR(atomic),
                         ATTR(relu));
    else
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE_PREQUANT, GLOBAL(&matrix), TILE(&src), WORD(word), ATTR(0),
                         ATTR(atomic), ATTR(relu));
    for (int64_t i = 0; i < tensor.elements; i++)
        if (testing_load(tensor.buffer, to, i) != want[i])
            fail_msg(
                "%s to %s, vector %d, layout %d, atomic %d, relu %d, %d x %d: element %lld is %llx, not %llx",
                pto_dtype_name(from), pto_dtype_name(to), vector, layout, atomic, relu, rows, cols,
                (long long)i, (unsigned long long)testing_load(tensor.buffer, to, i),
                (unsigned long long)want[i]);
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
    free(source);
    free(want);
    if (plain)
        free(tensor.buffer);
    else
        memory_tensor_free(&tensor);
    pto_core_reset(core);
}

static bool has_atomic(pto_dtype dtype) {
    return dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F32 || dtype == PTO_S8;
}

static void test_values(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 3; t++) {
            pto_core *core = testing_core(targets[t], level[l]);
            testing_random random = {30};
            for (int p = 0; p < PAIRS; p++)
                for (int vector = 0; vector < 2; vector++) {
                    if (!(vector ? pairs[p].vector : pairs[p].scalar)[t])
                        continue;
                    for (int trial = 0; trial < 200; trial++)
                        check(core, &random, p, vector,
                              targets[t] == CPU ? (pto_layout)(trial % 3) : PTO_LAYOUT_ND,
                              has_atomic(pairs[p].dst) && trial % 5 == 0, trial & 1);
                }
            pto_core_destroy(core);
        }
}

static void test_types(void **state) {
    (void)state;
    float buffer[64 * 64];
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        for (int p = 0; p < PAIRS; p++) {
            pto_tile src = acc_tile(core, NULL, pairs[p].src, 16, 16, 0);
            pto_tile fp =
                testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 16), 1, 16);
            pto_global dst = pto_global_make_2d(buffer, pairs[p].dst, PTO_LAYOUT_ND, 16, 16, 16);
            uint64_t word = (uint64_t)(pairs[p].dst == PTO_S8) << 46;
            testing_expect(
                core, TESTING_EXECUTE(core, PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&src), WORD(word)),
                pairs[p].scalar[t] ? NULL : "PTO-E0302", __FILE__, __LINE__);
            testing_expect(core,
                           TESTING_EXECUTE(core, PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&src), TILE(&fp)),
                           pairs[p].vector[t] ? NULL : "PTO-E0302", __FILE__, __LINE__);
        }
        pto_core_destroy(core);
    }
}

static void test_rules(void **state) {
    (void)state;
    uint8_t buffer[64 * 64];
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_global dst = pto_global_make_2d(buffer, PTO_S8, PTO_LAYOUT_ND, 16, 20, 32);
        pto_tile acc = acc_tile(core, NULL, PTO_F32, 16, 20, 0);
        pto_tile vec = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 24), 16, 24);
        vec.valid_cols = vec.type.valid_cols = 20;
        pto_tile_type row = pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 32);
        row.valid_cols = PTO_DYNAMIC;
        pto_tile fp = testing_tile(core, NULL, row, 1, 20);
        const uint64_t word = UINT64_C(1) << 46;
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(word));
        TESTING_REFUSED(core, "PTO-E0751", PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&vec), WORD(word));
        /* the sign of the word: a warning */
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(0)),
                         PTO_OK);
        assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0755"));
        pto_diag_list_clear(pto_core_diags(core));
        /* of a word of the table too, wherever it stands among those that are used */
        for (int agrees = 0; agrees < 2; agrees++) {
            for (int c = 0; c < 20; c++)
                testing_set(&fp, 0, c, word);
            testing_set(&fp, 0, 19, agrees ? word : 0);
            assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&fp)),
                             PTO_OK);
            assert_int_equal(pto_diag_has(pto_core_diags(core), "PTO-W0755"), !agrees);
            pto_diag_list_clear(pto_core_diags(core));
        }
        /* the table */
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&fp));
        fp.valid_cols = 19;
        TESTING_REFUSED(core, "PTO-E0753", PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&fp));
        pto_tile wrong = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U64, 1, 32), 1, 32);
        TESTING_REFUSED(core, "PTO-E0752", PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&wrong));
        wrong = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_F32, 1, 32), 1, 32);
        TESTING_REFUSED(core, "PTO-E0752", PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&wrong));
        wrong = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_S64, 2, 32), 2, 32);
        TESTING_REFUSED(core, "PTO-E0752", PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&wrong));
        pto_tile placed = pto_tile_make(pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 32));
        assert_int_equal(pto_tile_assign(core, &placed, 128), PTO_OK);
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&placed));
        assert_int_equal(pto_tile_assign(core, &placed, 96), PTO_OK);
        testing_expect(core,
                       TESTING_EXECUTE(core, PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&placed)),
                       targets[t] == A2A3 ? "PTO-E0754" : NULL, __FILE__, __LINE__);
        /* what every store refuses */
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(word),
                        ATTR(1));
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(word),
                        ATTR(0), ATTR(2));
        TESTING_REFUSED(core, "PTO-E0714", PTO_FORM_TSTORE_FP, GLOBAL(&dst), TILE(&acc), TILE(&placed),
                        ATTR(0), ATTR(2));
        dst.dtype = PTO_U8;
        TESTING_REFUSED(core, "PTO-E0713", PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(0),
                        ATTR(0), ATTR(1));
        dst.dtype = PTO_S8;
        dst.shape[4] = 19;
        TESTING_REFUSED(core, "PTO-E0703", PTO_FORM_TSTORE_PREQUANT, GLOBAL(&dst), TILE(&acc), WORD(word));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
