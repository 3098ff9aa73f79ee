/* SPDX-License-Identifier: Apache-2.0 */
/* Modes 0 and 1 of TEPL: every operation on every type against the reference of part 70, with pads of every
 * kind, whole and partial valid regions, one tile in two places, reuse and release, at every SIMD level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N16 = 1, I8, F8, N16_WIDE };

typedef struct operation {
    const char *name, *reference;
    int tiles, types;
    bool scalar; /* RegSrc0 is the second operand */
} operation;

/* The tables of 70, 6.1 and 6.2. */
static const operation operations[] = {
    {"TADD", "TADD", 2, N16, false},        {"TSUB", "TSUB", 2, N16, false},
    {"TMUL", "TMUL", 2, N16, false},        {"TDIV", "TDIV", 2, N16, false},
    {"TREM", "TREM", 2, N16, false},        {"TFMOD", "TFMOD", 2, N16, false},
    {"TAND", "TAND", 2, I8, false},         {"TOR", "TOR", 2, I8, false},
    {"TXOR", "TXOR", 2, I8, false},         {"TSHL", "TSHL", 2, I8, false},
    {"TSHR", "TSHR", 2, I8, false},         {"TMAX", "TMAX", 2, N16, false},
    {"TMIN", "TMIN", 2, N16, false},        {"TPRELU", "TPRELU", 2, N16, false},
    {"TABS", "TABS", 1, N16, false},        {"TNOT", "TNOT", 1, I8, false},
    {"TNEG", "TNEG", 1, N16, false},        {"TEXP", "TEXP", 1, F8, false},
    {"TLOG", "TLOG", 1, F8, false},         {"TRECIP", "TRECIP", 1, F8, false},
    {"TSQRT", "TSQRT", 1, F8, false},       {"TRSQRT", "TRSQRT", 1, F8, false},
    {"TRELU", "TRELU", 1, N16, false},      {"TADDC", "TADDC", 3, N16, false},
    {"TSUBC", "TSUBC", 3, N16, false},      {"TFMA", "TFMA", 3, N16, false},
    {"TADDS", "TADD", 1, N16, true},        {"TSUBS", "TSUB", 1, N16, true},
    {"TMULS", "TMUL", 1, N16, true},        {"TDIVS", "TDIV", 1, N16, true},
    {"TREMS", "TREM", 1, N16, true},        {"TFMODS", "TFMOD", 1, N16, true},
    {"TANDS", "TAND", 1, I8, true},         {"TORS", "TOR", 1, I8, true},
    {"TXORS", "TXOR", 1, I8, true},         {"TSHLS", "TSHL", 1, I8, true},
    {"TSHRS", "TSHR", 1, I8, true},         {"TMAXS", "TMAX", 1, N16, true},
    {"TMINS", "TMIN", 1, N16, true},        {"TLRELU", "TLRELU", 1, N16, true},
    {"TADDSC", "TADDC", 2, N16_WIDE, true}, {"TSUBSC", "TSUBC", 2, N16_WIDE, true},
    {"TAXPY", "TFMA", 2, N16, true},
};

static bool accepts(int types, unsigned type) {
    const bool is_int = (type >= RB_S64 && type <= RB_S8) || (type >= RB_U64 && type <= RB_U8);
    const bool is_float = type <= RB_BF16 || type == RB_E4M3 || type == RB_E5M2;
    return types == I8   ? is_int
           : types == F8 ? is_float
                         : (is_int || is_float) && !(types == N16_WIDE && reference_block_bits(type) == 8);
}

static const char *const pads[] = {"Zero", "Max", "Min", "Null"};
static const struct {
    int32_t rows, cols, pitch;
} shapes[] = {{16, 32, 32}, {5, 7, 9}, {1, 33, 64}, {11, 24, 24}, {3, 1, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Library kernels of these are within an ulp of f32 in the form that both forms share; all else is exact. */
static bool is_close(const char *name, unsigned type, uint64_t got, uint64_t wanted) {
    const bool kernel = type == RB_FP32 || type == RB_FP16 || type == RB_BF16;
    if (!kernel || (strcmp(name, "TEXP") && strcmp(name, "TLOG")))
        return false;
    return !reference_block_is_nan(type, got) && (got - wanted + 1) <= 2;
}

static void avoid_zero_divisors(const operation *op, block_values *v, uint64_t *scalar) {
    if (reference_block_is_float(v->type) ||
        (strcmp(op->reference, "TDIV") && strcmp(op->reference, "TREM") && strcmp(op->reference, "TFMOD")))
        return;
    for (int i = 0; i < v->rows * v->cols; i++)
        v->code[i] += v->code[i] == 0;
    *scalar += *scalar == 0;
}

/* The operands of element (r, c) in the order of the reference. */
static uint64_t expected(const operation *op, const block_values *v[3], uint64_t scalar, int32_t r,
                         int32_t c) {
    uint64_t x[4] = {0};
    for (int i = 0; i < op->tiles; i++)
        x[i] = block_values_at(v[i], r, c);
    const unsigned type = v[0]->type;
    if (!strcmp(op->name, "TAXPY"))
        return reference_block("TFMA", type, scalar, x[1], x[0]);
    if (op->scalar)
        return reference_block(op->reference, type, x[0], scalar, x[1]);
    return reference_block(op->reference, type, x[0], x[1], x[2]);
}

static void try_one(const operation *op, unsigned type, int shape, unsigned pad, bool alias, bool reuse,
                    pto_simd_level level) {
    static block_values v[3];
    const block_values *operand[3];
    const int32_t rows = shapes[shape].rows, cols = shapes[shape].cols, pitch = shapes[shape].pitch;
    const int32_t height = rows + (pad & 1 ? 2 : 0); /* Row of sources is free */
    uint64_t scalar = block_random_code(type);
    block_bench b = block_bench_make(NULL, &(pto_block_profile){.simd = level});
    for (int i = 0; i < op->tiles; i++) {
        block_values_random(&v[i], type, height, pitch, rows, cols);
        avoid_zero_divisors(op, &v[i], &scalar);
        block_values_push(&b, BLOCK_U, &v[i]);
        operand[i] = &v[alias ? 0 : i];
    }
    pto_block_set_gpr(b.machine, 5, scalar);
    char text[256];
    int length = snprintf(text, sizeof text, "%s <%d, %d, %d, %s, %s>, ", op->name, (int)cols, (int)rows,
                          (int)pitch, reference_block_name(type), pads[pad]);
    for (int i = 0; i < op->tiles; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%sU#%d%s", i ? ", " : "",
                           alias ? op->tiles : op->tiles - i, reuse ? ".reuse" : "");
    snprintf(text + length, sizeof text - (size_t)length, "%s, ->M<8KB>\nC.BSTOP",
             op->scalar ? ", [a3]" : "");
    block_bench_run(&b, text);
    pto_block_tile dst, src;
    assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
    assert_int_equal(dst.type, type);
    assert_int_equal(dst.valid_rows, rows);
    assert_int_equal(dst.valid_cols, cols);
    assert_int_equal(dst.cols, pitch);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            const uint64_t got = block_tile_code(&dst, r, c), wanted = expected(op, operand, scalar, r, c);
            if (got != wanted && !is_close(op->name, type, got, wanted))
                fail_msg("%s level %d: (%d, %d) of 0x%llx 0x%llx 0x%llx, 0x%llx is 0x%llx, not 0x%llx", text,
                         level, (int)r, (int)c, (unsigned long long)block_values_at(operand[0], r, c),
                         (unsigned long long)(op->tiles > 1 ? block_values_at(operand[1], r, c) : 0),
                         (unsigned long long)(op->tiles > 2 ? block_values_at(operand[2], r, c) : 0),
                         (unsigned long long)scalar, (unsigned long long)got, (unsigned long long)wanted);
        }
    block_check_pad(&dst, pad, text);
    for (int i = 0; i < op->tiles; i++) /* what was named lives by .reuse, the others stay */
        assert_int_equal(pto_block_tile_at(b.machine, BLOCK_U, (unsigned)(op->tiles - i), &src),
                         reuse || (alias && i > 0));
    block_bench_drop(&b);
}

static void every_operation(void **state) {
    (void)state;
    const char *scale = getenv("PTO_BLOCK_ROUNDS");
    const int rounds = scale ? atoi(scale) : 1;
    int pairs = 0;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (unsigned type = 0; type < 32; type++) {
            if (!accepts(operations[o].types, type))
                continue;
            pairs++;
            for (int round = 0; round < rounds * SHAPES; round++) {
                const unsigned n = (unsigned)round + type + (unsigned)o;
                try_one(&operations[o], type, round % SHAPES, n & 3, n % 5 == 4, n & 4, block_level(n));
            }
        }
    print_message("%d pairs of operation and type\n", pairs);
}

/* What no table names is a fault of step 6. */
static void no_other_type(void **state) {
    (void)state;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (unsigned type = 0; type < 32; type++) {
            if (!reference_block_name(type) || accepts(operations[o].types, type))
                continue;
            char text[256], sources[32] = "U#1, U#2, U#3";
            sources[5 * operations[o].tiles - 2] = 0;
            snprintf(text, sizeof text, "%s <32, 16, %s>, %s%s, ->M<8KB>\nC.BSTOP", operations[o].name,
                     reference_block_name(type), sources, operations[o].scalar ? ", [a3]" : "");
            block_bench b = block_bench_make(text, NULL);
            assert_int_equal(pto_block_run(b.machine, 100), PTO_ERR_REFUSED);
            assert_string_equal(pto_block_last_fault(b.machine)->rule, "PTO-E1643");
            block_bench_drop(&b);
        }
}

/* ---- compare, select, fill ---- */

static const char *const modes[] = {"EQ", "NE", "LT", "GT", "LE", "GE"};

static void compare_and_select(void **state) {
    (void)state;
    static block_values a, x;
    for (unsigned type = 0; type < 32; type++)
        for (int round = 0; accepts(N16, type) && round < 24; round++) {
            const unsigned mode = (unsigned)round % 6, pad = (unsigned)round % 4;
            const int shape = round % SHAPES;
            const int32_t rows = shapes[shape].rows, cols = shapes[shape].cols, pitch = shapes[shape].pitch;
            const bool by_scalar = round & 1;
            char text[512];
            block_bench b =
                block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)round / 6)});
            block_values_random(&a, type, rows, pitch, rows, cols);
            block_values_random(&x, type, rows, pitch, rows, cols);
            for (int i = 0; i < rows * pitch; i += 3) /* equal ones, too */
                x.code[i] = a.code[i];
            block_values_push(&b, BLOCK_T, &a);
            block_values_push(&b, BLOCK_U, &x);
            const uint64_t scalar = x.code[0];
            pto_block_set_gpr(b.machine, 5, scalar);
            const char *name = reference_block_name(type);
            snprintf(text, sizeof text,
                     "TCMP%s.%s <%d, %d, %d, %s, %s>, T#1.reuse%s, ->N<512B>\n"
                     "TSEL%s <%d, %d, %d, %s, %s>, N#1.reuse, T#1%s, ->M<8KB>\n"
                     "TEXPANDS <%d, %d, %d, %s, %s>, [a3], ->U<8KB>\nC.BSTOP",
                     by_scalar ? "S" : "", modes[mode], (int)cols, (int)rows, (int)pitch, name, pads[pad],
                     by_scalar ? ", [a3]" : ", U#1.reuse", by_scalar ? "S" : "", (int)cols, (int)rows,
                     (int)pitch, name, pads[pad], by_scalar ? ", [a3]" : ", U#1", (int)cols, (int)rows,
                     (int)pitch, name, pads[pad]);
            block_bench_run(&b, text);
            pto_block_tile mask, chosen, filled;
            assert_true(pto_block_tile_at(b.machine, BLOCK_N, 1, &mask));
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &chosen));
            assert_true(pto_block_tile_at(b.machine, BLOCK_U, 1, &filled));
            assert_true(mask.predicate);
            for (int32_t r = 0; r < rows; r++)
                for (int32_t c = 0; c < cols; c++) {
                    const uint64_t p = block_values_at(&a, r, c),
                                   q = by_scalar ? scalar : block_values_at(&x, r, c);
                    const bool wanted = reference_block_compare(mode, type, p, q);
                    if (block_tile_code(&mask, r, c) != wanted ||
                        block_tile_code(&chosen, r, c) != (wanted ? p : q) ||
                        block_tile_code(&filled, r, c) != scalar)
                        fail_msg("%s: (%d, %d) of 0x%llx and 0x%llx", text, (int)r, (int)c,
                                 (unsigned long long)p, (unsigned long long)q);
                }
            block_check_pad(&mask, pad, text);
            block_check_pad(&chosen, pad, text);
            block_check_pad(&filled, pad, text);
            block_bench_drop(&b);
        }
}

/* ---- conversions among the types whose values the reference knows ---- */

static void conversions(void **state) {
    (void)state;
    static block_values a;
    for (unsigned src = 0; src < 32; src++)
        for (unsigned dst = 0; dst < 32; dst++) {
            if (!accepts(N16, src) || !accepts(F8, dst) || src == dst)
                continue;
            block_bench b = block_bench_make(NULL, NULL);
            block_values_random(&a, src, 9, 16, 9, 13);
            block_values_push(&b, BLOCK_T, &a);
            char text[256];
            snprintf(text, sizeof text, "TCVT <13, 9, 16, %s, %s, RNE, Max>, T#1, ->M<8KB>\nC.BSTOP",
                     reference_block_name(src), reference_block_name(dst));
            block_bench_run(&b, text);
            pto_block_tile out;
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &out));
            assert_int_equal(out.type, dst);
            for (int32_t r = 0; r < 9; r++)
                for (int32_t c = 0; c < 13; c++)
                    if (block_tile_code(&out, r, c) !=
                        reference_block_to_float(dst, src, block_values_at(&a, r, c)))
                        fail_msg("%s: 0x%llx became 0x%llx", text,
                                 (unsigned long long)block_values_at(&a, r, c),
                                 (unsigned long long)block_tile_code(&out, r, c));
            block_check_pad(&out, 1, text);
            block_bench_drop(&b);
        }
}

/* Every pair of element types converts; a copy of bits where both are one. */
static void every_pair_converts(void **state) {
    (void)state;
    static block_values a;
    for (unsigned src = 0; src < 32; src++)
        for (unsigned dst = 0; dst < 32; dst++) {
            if (!reference_block_name(src) || !reference_block_name(dst) || src == RB_FP32)
                continue;
            block_bench b = block_bench_make(NULL, NULL);
            block_values_random(&a, src, 4, 8, 4, 6);
            block_values_push(&b, BLOCK_T, &a);
            char text[256];
            snprintf(text, sizeof text, "TCVT <6, 4, 8, %s, %s, %s>, T#1, ->M<8KB>\nC.BSTOP",
                     reference_block_name(src), reference_block_name(dst), (src + dst) & 1 ? "RHB" : "RTZ");
            block_bench_run(&b, text);
            pto_block_tile out;
            assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &out));
            for (int32_t r = 0; r < 4 && src == dst; r++)
                for (int32_t c = 0; c < 6; c++)
                    assert_int_equal(block_tile_code(&out, r, c), block_values_at(&a, r, c));
            block_bench_drop(&b);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),     cmocka_unit_test(no_other_type),
        cmocka_unit_test(compare_and_select),  cmocka_unit_test(conversions),
        cmocka_unit_test(every_pair_converts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
