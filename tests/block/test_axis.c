/* SPDX-License-Identifier: Apache-2.0 */
/* Mode 2 of TEPL: reductions, indices and broadcasts of every type against part 70, 9.4, with pads of every
 * kind and partial valid regions, at every SIMD level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/block.h"
#include "support/block_testing.h"

#include <stdio.h>
#include <string.h>

static const char *const pads[] = {"Zero", "Max", "Min", "Null"};
static const struct {
    int32_t rows, cols, pitch;
} shapes[] = {{16, 32, 32}, {5, 7, 9}, {1, 33, 64}, {11, 24, 24}, {3, 1, 2}, {20, 50, 50}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_float(unsigned type) { return type <= RB_BF16 || type == RB_E4M3 || type == RB_E5M2; }
static bool in_table(unsigned type) {
    return is_float(type) || (type >= RB_S64 && type <= RB_S8) || (type >= RB_U64 && type <= RB_U8);
}

/* One code of the value 1. */
static uint64_t one_of(unsigned type) {
    return is_float(type) ? reference_block_to_float(type, RB_S32, 1) : 1;
}

/* Element i of a line of the source. */
static uint64_t along(const block_values *v, bool rows, int32_t line, int32_t i) {
    return rows ? block_values_at(v, line, i) : block_values_at(v, i, line);
}

/* SUM MAX MIN PROD as 0..3 */
static uint64_t folded(int which, const block_values *v, bool rows, int32_t line, int32_t length) {
    static const char *const op[] = {"TADD", "TMAX", "TMIN", "TMUL"};
    uint64_t result = which == 0 ? 0 : which == 3 ? one_of(v->type) : along(v, rows, line, 0);
    if (which == 1 || which == 2) /* a line of NaN gives the canonical one */
        result = reference_block(op[which], v->type, result, result, 0);
    for (int32_t i = which == 1 || which == 2; i < length; i++)
        result = reference_block(op[which], v->type, result, along(v, rows, line, i), 0);
    return result;
}

static uint64_t index_of(bool minimum, const block_values *v, bool rows, int32_t line, int32_t length) {
    int32_t best = 0;
    for (int32_t i = 1; i < length; i++)
        if (reference_block_better(minimum, v->type, along(v, rows, line, best), along(v, rows, line, i)))
            best = i;
    return (uint64_t)best;
}

static void reductions(void **state) {
    (void)state;
    static block_values v;
    static const char *const names[] = {"SUM", "MAX", "MIN", "PROD", "ARGMAX", "ARGMIN"};
    for (unsigned type = 0; type < 32; type++)
        for (int which = 0; in_table(type) && which < 6; which++)
            for (int round = 0; round < 2 * SHAPES; round++) {
                const bool by_rows = round >= SHAPES;
                const unsigned pad = (unsigned)(round + which) % 4;
                const int32_t rows = shapes[round % SHAPES].rows, cols = shapes[round % SHAPES].cols,
                              pitch = shapes[round % SHAPES].pitch;
                const int32_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
                block_bench b =
                    block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)round)});
                block_values_random(&v, type, rows, pitch, rows, cols);
                block_values_push(&b, BLOCK_U, &v);
                char text[256];
                snprintf(text, sizeof text, "T%s%s <%d, %d, %d, %s, %s>, U#1, ->M<2KB>\nC.BSTOP",
                         by_rows ? "ROW" : "COL", names[which], (int)cols, (int)rows, (int)pitch,
                         reference_block_name(type), pads[pad]);
                block_bench_run(&b, text);
                pto_block_tile dst;
                assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
                assert_int_equal(dst.type, which < 4 ? type : RB_U32);
                assert_int_equal(dst.cols, by_rows ? 1 : pitch);
                assert_int_equal(dst.valid_cols, by_rows ? 1 : cols);
                assert_int_equal(dst.valid_rows, by_rows ? rows : 1);
                for (int32_t line = 0; line < lines; line++) {
                    const uint64_t got = block_tile_code(&dst, by_rows ? line : 0, by_rows ? 0 : line);
                    const uint64_t wanted = which < 4 ? folded(which, &v, by_rows, line, length)
                                                      : index_of(which == 5, &v, by_rows, line, length);
                    if (got != wanted)
                        fail_msg("%s: line %d is 0x%llx, not 0x%llx", text, (int)line,
                                 (unsigned long long)got, (unsigned long long)wanted);
                }
                block_check_pad(&dst, pad, text);
                assert_false(pto_block_tile_at(b.machine, BLOCK_U, 1, &dst));
                block_bench_drop(&b);
            }
}

static void broadcasts(void **state) {
    (void)state;
    static block_values a, v;
    static const char *const names[] = {"", "ADD", "SUB", "MUL", "DIV", "MAX", "MIN", "EXPDIF"};
    static const char *const ops[] = {"", "TADD", "TSUB", "TMUL", "TDIV", "TMAX", "TMIN", ""};
    for (unsigned type = 0; type < 32; type++)
        for (int which = 0; in_table(type) && which < (is_float(type) ? 8 : 7); which++)
            for (int round = 0; round < 2 * SHAPES; round++) {
                const bool by_rows = round >= SHAPES;
                const unsigned pad = (unsigned)(round + which) % 4;
                const int32_t rows = shapes[round % SHAPES].rows, cols = shapes[round % SHAPES].cols,
                              pitch = shapes[round % SHAPES].pitch;
                block_bench b =
                    block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)round)});
                block_values_random(&a, type, rows, pitch, rows, cols);
                if (by_rows)
                    block_values_random(&v, type, rows, 1, rows, 1);
                else
                    block_values_random(&v, type, 1, pitch, 1, cols);
                for (int i = 0; which == 4 && !is_float(type) && i < v.rows * v.cols; i++)
                    v.code[i] += v.code[i] == 0;
                block_values_push(&b, BLOCK_U, &a);
                block_values_push(&b, BLOCK_T, &v);
                char text[256];
                snprintf(text, sizeof text,
                         "T%sEXPAND%s <%d, %d, %d, %s, %s>, %sT#1.reuse, ->M<8KB>\nC.BSTOP",
                         by_rows ? "ROW" : "COL", names[which], (int)cols, (int)rows, (int)pitch,
                         reference_block_name(type), pads[pad], which ? "U#1.reuse, " : "");
                block_bench_run(&b, text);
                pto_block_tile dst;
                assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
                for (int32_t r = 0; r < rows; r++)
                    for (int32_t c = 0; c < cols; c++) {
                        const uint64_t x = block_values_at(&a, r, c),
                                       y = by_rows ? block_values_at(&v, r, 0) : block_values_at(&v, 0, c);
                        const uint64_t got = block_tile_code(&dst, r, c);
                        uint64_t wanted =
                            which ? which < 7 ? reference_block(ops[which], type, x, y, 0) : 0 : y;
                        uint64_t slack = 0;
                        if (which == 7) { /* the difference is an element, then its exponential */
                            wanted =
                                reference_block("TEXP", type, reference_block("TSUB", type, x, y, 0), 0, 0);
                            slack = type == RB_FP32 || type == RB_FP16 || type == RB_BF16;
                        }
                        if (got - wanted + slack > 2 * slack)
                            fail_msg("%s: (%d, %d) of 0x%llx and 0x%llx is 0x%llx, not 0x%llx", text, (int)r,
                                     (int)c, (unsigned long long)x, (unsigned long long)y,
                                     (unsigned long long)got, (unsigned long long)wanted);
                    }
                block_check_pad(&dst, pad, text);
                block_bench_drop(&b);
            }
}

/* exp(A - v) in FP32 from halves, widened first. */
static void wide_differences(void **state) {
    (void)state;
    static block_values a, v;
    for (int round = 0; round < 16; round++) {
        const unsigned type = round & 1 ? RB_FP16 : RB_BF16;
        const bool by_rows = round & 2;
        block_bench b =
            block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)round / 4)});
        block_values_random(&a, type, 9, 40, 9, 37);
        block_values_random(&v, type, by_rows ? 9 : 1, by_rows ? 1 : 40, by_rows ? 9 : 1, by_rows ? 1 : 37);
        block_values_push(&b, BLOCK_U, &a);
        block_values_push(&b, BLOCK_T, &v);
        char text[256];
        snprintf(text, sizeof text, "T%sEXPANDEXPDIF <37, 9, 40, %s, FP32, Min>, U#1, T#1, ->M<2KB>\nC.BSTOP",
                 by_rows ? "ROW" : "COL", reference_block_name(type));
        block_bench_run(&b, text);
        pto_block_tile dst;
        assert_true(pto_block_tile_at(b.machine, BLOCK_M, 1, &dst));
        assert_int_equal(dst.type, RB_FP32);
        for (int32_t r = 0; r < 9; r++)
            for (int32_t c = 0; c < 37; c++) {
                const uint64_t x = reference_block_to_float(RB_FP32, type, block_values_at(&a, r, c)),
                               y = reference_block_to_float(RB_FP32, type,
                                                            by_rows ? block_values_at(&v, r, 0)
                                                                    : block_values_at(&v, 0, c));
                const uint64_t wanted =
                    reference_block("TEXP", RB_FP32, reference_block("TSUB", RB_FP32, x, y, 0), 0, 0);
                assert_true(block_tile_code(&dst, r, c) - wanted + 1 <= 2);
            }
        block_check_pad(&dst, 2, text);
        block_bench_drop(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reductions),
        cmocka_unit_test(broadcasts),
        cmocka_unit_test(wide_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
