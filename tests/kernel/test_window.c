/* SPDX-License-Identifier: Apache-2.0 */
/* TEXTRACT, TINSERT, TMOV from acc, with and without quantisation: values on every route, type and target,
 * the rest of the destination and the source untouched. The rules: test_window_rules.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/memory.h"
#include "reference/quant.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <stdlib.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define INDEX(v) testing_int_operand(PTO_U16, v)
#define WORD(v) testing_int_operand(PTO_U64, (int64_t)(v))
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};

typedef enum action { EXTRACT, INSERT, MOVE } action;
typedef enum variant { PLAIN, TO_VEC, WORD_FORM, TABLE, TABLE_MODE, SPLIT } variant;

typedef struct route {
    pto_loc dst, src;
    pto_dtype to, from;
    testing_layout dst_layout, src_layout;
    int32_t row_unit, col_unit; /* of the indices and, where both are larger than 1, of the window */
    int32_t fractal;            /* 0 = 512 */
} route;

static int32_t up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }
static int32_t greatest(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t extent(testing_random *random, int32_t most) {
    return testing_below(random, 6) ? 1 + (int32_t)testing_below(random, (uint32_t)most) : 1;
}

static pto_tile_type type_of(testing_random *random, pto_loc loc, pto_dtype dtype, testing_layout layout,
                             int32_t rows, int32_t cols, int32_t fractal) {
    bool scale = fractal == 32;
    if (scale) {
        rows = up(rows, 16);
        cols = up(cols, 16);
    }
    pto_tile_type type = testing_type_around(scale ? NULL : random, loc, dtype, layout, rows, cols, 1);
    if (loc == PTO_LOC_ACC) {
        type.fractal = 1024;
        type.cols = up(type.cols, 16);
    } else if (fractal) {
        type.fractal = fractal;
    }
    return type;
}

static pto_status execute(pto_core *core, action act, variant kind, pto_tile *dst, pto_tile *src,
                          pto_tile *fp, uint64_t word, int32_t row, int32_t col, bool relu) {
    static const pto_form forms[3][6] = {
        {PTO_FORM_TEXTRACT, PTO_FORM_TEXTRACT_ACCTOVEC, PTO_FORM_TEXTRACT_PREQUANT, PTO_FORM_TEXTRACT_FP,
         PTO_FORM_TEXTRACT_FP_MODE, PTO_FORM_COUNT},
        {PTO_FORM_TINSERT, PTO_FORM_TINSERT_ACCTOVEC, PTO_FORM_TINSERT_PREQUANT, PTO_FORM_TINSERT_FP,
         PTO_FORM_TINSERT_FP_MODE, PTO_FORM_TINSERT_SPLIT},
        {PTO_FORM_TMOV, PTO_FORM_TMOV_ACCTOVEC, PTO_FORM_TMOV_PREQUANT, PTO_FORM_TMOV_FP,
         PTO_FORM_TMOV_FP_MODE, PTO_FORM_COUNT}};
    pto_operand operand[PTO_MAX_OPERANDS];
    int n = 0;
    operand[n++] = TILE(dst);
    operand[n++] = TILE(src);
    if (kind == WORD_FORM)
        operand[n++] = WORD(word);
    if (kind == TABLE || kind == TABLE_MODE)
        operand[n++] = TILE(fp);
    if (act != MOVE) { /* indices of 0 may be left out, but not behind a word */
        bool left_out = kind != WORD_FORM && (word & 1);
        operand[n++] = left_out && row == 0 && col == 0 ? (pto_operand){0} : INDEX(row);
        operand[n++] = left_out && col == 0 ? (pto_operand){0} : INDEX(col);
    }
    if (kind == TO_VEC || kind == WORD_FORM || kind == TABLE_MODE)
        operand[n++] = ATTR(0);
    operand[n++] = ATTR(kind == SPLIT ? 2 + (row & 1) : relu);
    return testing_execute(core, forms[act][kind], n, operand);
}

static void check(pto_core *core, testing_random *random, action act, variant kind, route r, bool relu) {
    int32_t rows = extent(random, 18), cols = extent(random, 34);
    bool cpu = pto_core_options(core)->target == CPU;
    bool boxes = r.row_unit > 1 && r.col_unit > 1;
    if (!cpu && r.col_unit > 1 && !boxes && r.row_unit == 1 && pto_dtype_bits(r.to) < 16)
        cols = pto_dtype_bits(r.to) == 4 ? up(cols, r.col_unit) : up(cols, 2); /* whole blocks; an even row */
    if (!cpu && r.src_layout == TESTING_ZN && r.src == PTO_LOC_VEC)
        rows = up(rows, r.row_unit);
    int32_t row = act == MOVE ? 0 : r.row_unit * (int32_t)testing_below(random, 3);
    int32_t col = act == MOVE ? 0 : r.col_unit * (int32_t)testing_below(random, 3);
    pto_tile_type small = act == EXTRACT
                              ? type_of(random, r.dst, r.to, r.dst_layout, rows, cols, r.fractal)
                              : type_of(random, r.src, r.from, r.src_layout, rows, cols, r.fractal);
    if (act == MOVE) { /* one capacity for both */
        small.rows = up(small.rows, 16);
        small.cols = up(small.cols, 32);
    }
    pto_tile_type large = small;
    if (act == EXTRACT)
        large = type_of(random, r.src, r.from, r.src_layout, row + small.rows, col + small.cols, r.fractal);
    else if (act == INSERT)
        large = type_of(random, r.dst, r.to, r.dst_layout, row + small.rows, col + small.cols, r.fractal);
    else
        large = testing_type_around(NULL, r.dst, r.to, r.dst_layout, small.rows, small.cols, 0);
    if (!cpu && act != MOVE && r.src_layout == TESTING_NZ && r.src == PTO_LOC_VEC) {
        small.rows = up(small.rows, 16);
        large.rows = up(greatest(large.rows, row + small.rows), 16);
    }
    if (!cpu && pto_dtype_bits(r.to) == 4 && r.src_layout == TESTING_ND) {
        small.cols = up(small.cols, 64);
        large.cols = up(greatest(large.cols, col + small.cols), 64);
    }
    large.valid_rows = large.valid_cols = small.valid_rows = small.valid_cols = PTO_DYNAMIC;
    pto_tile_type dst_type = act == EXTRACT ? small : large, src_type = act == EXTRACT ? large : small;
    pto_tile dst = testing_tile(core, random, dst_type, act == INSERT ? dst_type.rows : rows,
                                act == INSERT ? dst_type.cols : cols);
    pto_tile src = testing_tile(core, random, src_type, act == EXTRACT ? src_type.rows : rows,
                                act == EXTRACT ? src_type.cols : cols);
    pto_tile fp = {0};
    int32_t words = up(cols + (act == EXTRACT ? col : 0), 16);
    bool table = kind == TABLE || kind == TABLE_MODE, quant = table || kind == WORD_FORM;
    if (table) {
        fp = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, words), 1, words);
        for (int32_t c = 0; c < words; c++)
            testing_store(fp.data, PTO_U64, c, quant_word(random, r.to));
    }
    uint64_t word = quant_word(random, r.to);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    testing_expect(core, execute(core, act, kind, &dst, &src, &fp, word, row, col, relu), NULL, __FILE__,
                   __LINE__);
    int32_t dst_row = act == INSERT ? row : 0, dst_col = act == INSERT ? col : 0;
    int32_t src_row = act == EXTRACT ? row : 0, src_col = act == EXTRACT ? col : 0;
    for (int32_t i = 0; i < dst_type.rows; i++)
        for (int32_t j = 0; j < dst_type.cols; j++) {
            uint64_t want = testing_load(before, r.to, testing_offset(&dst_type, i, j));
            int32_t y = i - dst_row, x = j - dst_col;
            if (y >= 0 && x >= 0 && y < rows && x < cols) {
                uint64_t bits =
                    testing_load(source, r.from, testing_offset(&src_type, src_row + y, src_col + x));
                want = !quant && r.src != PTO_LOC_ACC ? bits
                       : !quant                       ? memory_fixpipe(r.to, r.from, bits, relu)
                                                      : quant_reference(r.to, r.from, bits,
                                                  table ? testing_load(fp.data, PTO_U64, src_col + x) : word,
                                                                        table, relu);
            }
            uint64_t have = testing_load(dst.data, r.to, testing_offset(&dst_type, i, j));
            if (have != want)
                fail_msg("action %d, variant %d, %s %s layout %d to %s %s layout %d, %d x %d at (%d, %d), "
                         "relu %d: "
                         "(%d, %d) is %llx, not %llx",
                         act, kind, pto_loc_name(r.src), pto_dtype_name(r.from), r.src_layout,
                         pto_loc_name(r.dst), pto_dtype_name(r.to), r.dst_layout, rows, cols, row, col, relu,
                         i, j, (unsigned long long)have, (unsigned long long)want);
        }
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src_type));
    free(before);
    free(source);
    pto_core_reset(core);
}

/* trials: all at the best level, a part of them at the others */
typedef void (*each_core)(pto_core *core, pto_target target, testing_random *random, int trials);

static void on_cores(each_core run) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 3; t++) {
            pto_core *core = testing_core(targets[t], level[l]);
            testing_random random = {31};
            run(core, targets[t], &random, l == levels - 1 ? 200 : 20);
            pto_core_destroy(core);
        }
}

/* ---- copies ---- */

static const pto_dtype every[] = {PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32, PTO_U32,
                                  PTO_S64,  PTO_U64,  PTO_F16,  PTO_BF16, PTO_F32, PTO_E4M3,
                                  PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_E2M1, PTO_E1M2};
enum { EVERY = sizeof every / sizeof *every };

/* cpu: any layout to any layout, indices anywhere */
static void any_layouts(pto_core *core, pto_target target, testing_random *random, int trials) {
    if (target != CPU)
        return;
    for (int d = 0; d < EVERY; d++)
        for (int a = 0; a < TESTING_LAYOUT_COUNT; a++)
            for (int b = 0; b < TESTING_LAYOUT_COUNT; b++)
                for (int trial = trials < 200 ? 2 : 0; trial < 3; trial++) {
                    route r = {PTO_LOC_VEC,       PTO_LOC_VEC,   every[d],      every[d], (testing_layout)b,
                               (testing_layout)a, 1 + trial * 2, 1 + trial * 4, 0};
                    check(core, random, EXTRACT, PLAIN, r, false);
                    check(core, random, INSERT, PLAIN, r, false);
                    r.dst = PTO_LOC_MAT;
                    check(core, random, INSERT, PLAIN, r, false);
                    for (int split = 0; split < 3; split++)
                        check(core, random, INSERT, SPLIT, r, false);
                    r.src = PTO_LOC_MAT;
                    r.dst = trial ? PTO_LOC_LEFT : PTO_LOC_RIGHT;
                    check(core, random, EXTRACT, PLAIN, r, false);
                }
}
static void test_any_layouts(void **state) {
    (void)state;
    on_cores(any_layouts);
}

static bool npu_type(pto_target target, pto_dtype dtype, bool vec, bool insert) {
    bool a5 = target == A5, small = pto_dtype_bits(dtype) <= 8 && pto_dtype_is_float(dtype);
    bool cube = dtype == PTO_S8 || dtype == PTO_F16 || dtype == PTO_BF16 || dtype == PTO_F32;
    if (small)
        return a5;
    if (!vec)
        return cube;
    return a5 && insert ? cube || dtype == PTO_S32 : pto_dtype_bits(dtype) < 64;
}

static void hardware_routes(pto_core *core, pto_target target, testing_random *random, int trials) {
    if (target == CPU)
        return;
    bool a5 = target == A5;
    for (int d = 0; d < EVERY; d++) {
        pto_dtype type = every[d];
        int32_t c0 = 256 / (int32_t)pto_dtype_bits(type), turned = pto_dtype_bits(type) <= 8 ? 32 : 16;
        for (int trial = 0; trial < trials; trial++) {
            bool other = trial & 1;
            if (npu_type(target, type, true, false) && (trial < 100 || !npu_type(target, type, false, false)))
                check(core, random, EXTRACT, PLAIN,
                      (route){PTO_LOC_VEC, PTO_LOC_VEC, type, type, other ? TESTING_NZ : TESTING_ND,
                              other ? TESTING_NZ : TESTING_ND, other ? 16 : 1, c0, 0},
                      false);
            if (npu_type(target, type, true, true)) {
                check(core, random, INSERT, PLAIN,
                      (route){PTO_LOC_VEC, PTO_LOC_VEC, type, type, other ? TESTING_NZ : TESTING_ND,
                              other ? TESTING_NZ : TESTING_ND, other ? 16 : 1, c0, 0},
                      false);
                if (a5)
                    check(core, random, INSERT, trial % 20 == 1 ? PLAIN : SPLIT,
                          (route){PTO_LOC_MAT, PTO_LOC_VEC, type, type, TESTING_NZ, TESTING_NZ, 16, c0, 0},
                          false);
                if (a5 && trial % 4 == 1)
                    check(core, random, INSERT, PLAIN,
                          (route){PTO_LOC_MAT, PTO_LOC_VEC, type, type, TESTING_ZN, TESTING_ZN, c0, 16, 0},
                          false);
            }
            if (!npu_type(target, type, false, false) || trial % 4 > 1)
                continue;
            testing_layout left = a5 ? TESTING_NZ : TESTING_ZZ;
            check(core, random, EXTRACT, PLAIN,
                  other ? (route){PTO_LOC_LEFT, PTO_LOC_MAT, type, type, left, TESTING_NZ, 16, c0, 0}
                        : (route){PTO_LOC_LEFT, PTO_LOC_MAT, type, type, left, TESTING_ZN,
                                  greatest(turned, c0), greatest(turned, 16), 0},
                  false);
            check(core, random, EXTRACT, PLAIN,
                  other ? (route){PTO_LOC_RIGHT, PTO_LOC_MAT, type, type, TESTING_ZN, TESTING_ZN, c0, 16, 0}
                        : (route){PTO_LOC_RIGHT, PTO_LOC_MAT, type, type, TESTING_ZN, TESTING_NZ,
                                  greatest(turned, 16), greatest(turned, c0), 0},
                  false);
            if (a5 && type == PTO_E8M0) {
                check(core, random, EXTRACT, PLAIN,
                      other ? (route){PTO_LOC_SCALE_LEFT, PTO_LOC_MAT, type, type, TESTING_ZZ, TESTING_ZZ, 16,
                                      2, 32}
                            : (route){PTO_LOC_SCALE_RIGHT, PTO_LOC_MAT, type, type, TESTING_NN, TESTING_NN, 2,
                                      16, 32},
                      false);
            }
        }
    }
}
static void test_hardware_routes(void **state) {
    (void)state;
    on_cores(hardware_routes);
}

/* cpu: an assignment between types */
static void test_assignment(void **state) {
    (void)state;
    pto_core *core = testing_core(CPU, PTO_SIMD_BEST);
    pto_tile src = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 4, 8), 4, 8);
    pto_tile half = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 2, 16), 2, 16);
    pto_tile integer = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 4, 8), 4, 8);
    half.type.valid_cols = half.valid_cols = 3;
    testing_set(&src, 1, 2, UINT32_C(0x3FC00000)); /* 1.5 */
    testing_set(&src, 2, 4, UINT32_C(0xC0600000)); /* -3.5 */
    TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT, TILE(&half), TILE(&src), INDEX(1), INDEX(2));
    assert_int_equal(testing_get(&half, 0, 0), 0x3E00);
    assert_int_equal(testing_get(&half, 1, 2), 0xC300);
    TESTING_ACCEPTED(core, PTO_FORM_TINSERT, TILE(&integer), TILE(&half), INDEX(2), INDEX(5));
    assert_int_equal(testing_get(&integer, 2, 5), 1);
    assert_int_equal((int32_t)testing_get(&integer, 3, 7), -3);
    pto_core_destroy(core);
}

/* Every type into every other: the loops against the conversion of single numbers. */
static uint64_t assigned(pto_dtype to, pto_dtype from, uint64_t bits) {
    const bool from_int = pto_dtype_is_int(from), to_int = pto_dtype_is_int(to);
    const unsigned unused = 64 - pto_dtype_bits(from);
    if (from_int && to_int) {
        const uint64_t wide =
            pto_dtype_is_signed(from) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
        return wide & (UINT64_MAX >> (64 - pto_dtype_bits(to)));
    }
    return pto_number_convert(to, from, bits, to_int ? PTO_CAST_TRUNC : PTO_CAST_NONE,
                              to_int ? PTO_SAT_ON : PTO_SAT_OFF);
}

static void every_assignment(pto_core *core, pto_target target, testing_random *random, int trials) {
    static const pto_dtype also[] = {PTO_S4};
    (void)trials;
    for (int a = 0; target == CPU && a <= EVERY; a++)
        for (int b = 0; b <= EVERY; b++) {
            const pto_dtype from = a < EVERY ? every[a] : also[0], to = b < EVERY ? every[b] : also[0];
            if (from == to)
                continue;
            const testing_layout layout = (a + b) % 2 ? TESTING_ND : TESTING_DN;
            pto_tile_type small = testing_type_around(random, PTO_LOC_VEC, from, TESTING_ND, 9, 130, 1);
            pto_tile_type large = testing_type_around(random, PTO_LOC_VEC, to, layout, 12, 140, 1);
            pto_tile src = testing_tile(core, random, small, 9, 130),
                     dst = testing_tile(core, random, large, 12, 140);
            TESTING_ACCEPTED(core, PTO_FORM_TINSERT, TILE(&dst), TILE(&src), INDEX(3), INDEX(10));
            for (int32_t r = 0; r < 9; r++)
                for (int32_t c = 0; c < 130; c++) {
                    const uint64_t bits = testing_get(&src, r, c), want = assigned(to, from, bits);
                    if (testing_get(&dst, r + 3, c + 10) != want)
                        fail_msg("%s %llx to %s: %llx, not %llx", pto_dtype_name(from),
                                 (unsigned long long)bits, pto_dtype_name(to),
                                 (unsigned long long)testing_get(&dst, r + 3, c + 10),
                                 (unsigned long long)want);
                }
            pto_core_reset(core);
        }
}
static void test_every_assignment(void **state) {
    (void)state;
    on_cores(every_assignment);
}

/* ---- out of the accumulator ---- */

static const struct {
    pto_dtype from, to;
    bool plain[3], word[3], table[3], table_mode[3];
} pairs[] = {{PTO_F32, PTO_F32, {1, 0, 1}, {0}, {0}, {0}},
             {PTO_F32, PTO_F16, {1, 1, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
             {PTO_F32, PTO_BF16, {1, 1, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
             {PTO_S32, PTO_S32, {1, 0, 1}, {0}, {0}, {0}},
             {PTO_F32, PTO_S8, {0}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}},
             {PTO_F32, PTO_U8, {0}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
             {PTO_F32, PTO_HIF8, {0}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
             {PTO_F32, PTO_E4M3, {0}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
             {PTO_S32, PTO_S8, {0}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}},
             {PTO_S32, PTO_U8, {0}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}},
             {PTO_S32, PTO_F16, {0}, {1, 1, 1}, {1, 1, 1}, {1, 0, 1}},
             {PTO_S32, PTO_S16, {0}, {1, 1, 0}, {1, 1, 0}, {1, 0, 0}},
             {PTO_S32, PTO_BF16, {0}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void accumulators(pto_core *core, pto_target target, testing_random *random, int trials) {
    for (int p = 0; p < PAIRS; p++)
        for (int act = 0; act < 3; act++)
            for (int kind = 0; kind < SPLIT; kind++) {
                bool word = kind == WORD_FORM, to_vec = kind == TO_VEC;
                const bool *have = kind == PLAIN || to_vec ? pairs[p].plain
                                   : word                  ? pairs[p].word
                                   : kind == TABLE         ? pairs[p].table
                                                           : pairs[p].table_mode;
                if (!have[target] || (to_vec && target == A2A3))
                    continue;
                for (int trial = 0; trial < trials; trial++) {
                    bool vec = to_vec || (target != A2A3 && trial % 4 == 1);
                    testing_layout layout = vec ? TESTING_ND : TESTING_NZ;
                    if (vec && act != EXTRACT && trial % 3 == 0)
                        layout = trial & 2 ? TESTING_DN : TESTING_NZ;
                    route r = {vec ? PTO_LOC_VEC : PTO_LOC_MAT,
                               PTO_LOC_ACC,
                               pairs[p].to,
                               pairs[p].from,
                               layout,
                               TESTING_NZ,
                               1 + (int32_t)testing_below(random, 4),
                               16,
                               0};
                    check(core, random, (action)act, (variant)kind, r, trial & 1);
                }
            }
}
static void test_accumulators(void **state) {
    (void)state;
    on_cores(accumulators);
}

/* The dual modes: this core is the first of two. */
static void test_halves(void **state) {
    (void)state;
    for (int t = 0; t < 3; t += 2) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BEST);
        testing_random random = {32};
        pto_tile src = testing_tile(core, &random, pto_tile_type_acc(PTO_F32, 32, 64), 32, 64);
        for (int mode = 2; mode < 4; mode++)
            for (int whole = 0; whole < 2; whole++) {
                int32_t rows = mode == 2 && !whole ? 16 : 32, cols = mode == 3 && !whole ? 32 : 64;
                pto_tile dst = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, rows, cols),
                                            rows, cols);
                TESTING_ACCEPTED(core, PTO_FORM_TMOV_ACCTOVEC, TILE(&dst), TILE(&src), ATTR(mode), ATTR(0));
                for (int32_t r = 0; r < rows; r++)
                    for (int32_t c = 0; c < cols; c++)
                        assert_int_equal(testing_get(&dst, r, c), testing_get(&src, r, c));
                if (whole)
                    continue;
                pto_tile out = testing_tile(core, NULL, dst.type, rows, cols);
                TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_ACCTOVEC, TILE(&out), TILE(&src), INDEX(0), INDEX(0),
                                 ATTR(mode), ATTR(0));
                assert_memory_equal(out.data, dst.data, (size_t)rows * (size_t)cols * 4);
                out = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 40, 72), 40, 72);
                TESTING_ACCEPTED(core, PTO_FORM_TINSERT_ACCTOVEC, TILE(&out), TILE(&src), INDEX(3), INDEX(5),
                                 ATTR(mode), ATTR(0));
                for (int32_t r = 0; r < 40; r++)
                    for (int32_t c = 0; c < 72; c++) {
                        bool in = r >= 3 && r < 3 + rows && c >= 5 && c < 5 + cols;
                        assert_int_equal(testing_get(&out, r, c), in ? testing_get(&src, r - 3, c - 5) : 0);
                    }
            }
        pto_core_destroy(core);
    }
}

/* ---- two windows ---- */

static void two_windows(pto_core *core, pto_target target, testing_random *random, int trials) {
    for (int d = 0; d < EVERY; d++) {
        pto_dtype type = every[d];
        if (target != CPU &&
            (!npu_type(target, type, true, true) ||
             (target == A2A3 && pto_dtype_is_int(type) && type != PTO_S8 && type != PTO_S32)))
            continue;
        for (int trial = 0; trial < trials; trial++) {
            testing_layout layout = target == CPU && trial & 1 ? TESTING_ND : TESTING_NZ;
            pto_tile src = testing_tile(
                core, random, testing_type_around(random, PTO_LOC_VEC, type, TESTING_ND, 20, 50, 1), 20, 50);
            pto_tile dst[2];
            int32_t at[2][2];
            void *before[2];
            for (int k = 0; k < 2; k++) {
                int32_t rows = extent(random, 16), cols = extent(random, 30);
                at[k][0] = (int32_t)testing_below(random, (uint32_t)(21 - rows));
                at[k][1] = (int32_t)testing_below(random, (uint32_t)(51 - cols));
                dst[k] = testing_tile(core, random,
                                      testing_type_around(random, PTO_LOC_VEC, type, layout, rows, cols, 1),
                                      rows, cols);
                before[k] = testing_snapshot(&dst[k]);
            }
            TESTING_ACCEPTED(core, PTO_FORM_TEXTRACT_TWO_WINDOWS, TILE(&dst[0]), TILE(&dst[1]), TILE(&src),
                             INDEX(at[0][0]), INDEX(at[0][1]), INDEX(at[1][0]), INDEX(at[1][1]));
            for (int k = 0; k < 2; k++) {
                for (int32_t r = 0; r < dst[k].valid_rows; r++)
                    for (int32_t c = 0; c < dst[k].valid_cols; c++)
                        assert_int_equal(testing_get(&dst[k], r, c),
                                         testing_get(&src, at[k][0] + r, at[k][1] + c));
                assert_true(testing_outside_unchanged(&dst[k], before[k]));
                free(before[k]);
            }
            pto_core_reset(core);
        }
    }
}
static void test_two_windows(void **state) {
    (void)state;
    on_cores(two_windows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_layouts),  cmocka_unit_test(test_hardware_routes),
        cmocka_unit_test(test_assignment),   cmocka_unit_test(test_every_assignment),
        cmocka_unit_test(test_accumulators), cmocka_unit_test(test_halves),
        cmocka_unit_test(test_two_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
