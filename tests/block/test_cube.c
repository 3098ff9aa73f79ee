/* SPDX-License-Identifier: Apache-2.0 */
/* Products of every type through ACC against plain loops (70, 9.6): TMATMUL and TGEMV, with bias,
 * accumulated, scaled; sorts and merges of both types; prefetches of every type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "number/element_types.h"
#include "number/format.h"
#include "reference/block.h"
#include "support/block_testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

typedef enum variant { PLAIN, BIAS, ACC, VARIANTS } variant;
static const char *const suffix[VARIANTS] = {"", ".BIAS", ".ACC"};

/* The value of a code, exact in float; formats are proved against MPFR in tests/number. */
static float float_of(unsigned type, uint64_t code) {
    static const pto_dtype dtype[32] = {
        [RB_FP32] = PTO_F32,  [RB_TF32] = PTO_TF32, [RB_HF32] = PTO_HF32, [RB_FP16] = PTO_F16,
        [RB_BF16] = PTO_BF16, [RB_HIF8] = PTO_HIF8, [RB_E4M3] = PTO_E4M3, [RB_E5M2] = PTO_E5M2,
        [RB_E3M2] = PTO_E3M2, [RB_E2M3] = PTO_E2M3, [RB_E2M1] = PTO_E2M1, [RB_E1M2] = PTO_E1M2,
        [RB_E8M0] = PTO_E8M0, [RB_HIF4] = PTO_HIF4};
    return (float)pto_number_to_f64(pto_format_of_dtype(dtype[type]), code);
}

static int64_t int_of(unsigned type, uint64_t code) {
    const unsigned bits = reference_block_bits(type);
    return reference_block_is_signed(type) && code >> (bits - 1) & 1 ? (int64_t)code - (INT64_C(1) << bits)
                                                                     : (int64_t)code;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != value ? 0x7FC00000u : bits;
}

/* Codes of moderate values where a scale must not overflow. */
static void moderate(block_values *v) {
    for (int i = 0; i < v->rows * v->cols; i++)
        while (!(fabsf(float_of(v->type, v->code[i])) < 0x1p40f) ||
               (float_of(v->type, v->code[i]) != 0 && fabsf(float_of(v->type, v->code[i])) < 0x1p-40f))
            v->code[i] = block_random_code(v->type);
}

static void scales(block_values *v) {
    for (int i = 0; i < v->rows * v->cols; i++)
        v->code[i] = 120 + block_random() % 15;
}

static void try_product(unsigned type, bool gemv, bool mx, variant kind, unsigned round) {
    static block_values a, b, sa, sb, bias;
    static uint32_t want[MOST * MOST];
    const bool is_float = reference_block_is_float(type);
    const unsigned acc = is_float ? RB_FP32 : reference_block_is_signed(type) ? RB_S32 : RB_U32;
    const unsigned bias_type = round & 1 ? acc : type;
    const int m = gemv ? 1 : 1 + (int)(block_random() % 20), n = 1 + (int)(block_random() % 20),
              k = 1 + (int)(block_random() % 40), groups = (k + 31) / 32;
    const int k_room = (k + 3) / 2 * 2, n_room = (n + 3) / 2 * 2; /* 4-bit elements stand in pairs */
    block_bench bench = block_bench_make(NULL, &(pto_block_profile){.simd = block_level(round)});
    block_values_random(&a, type, m, k_room, m, k_room);
    block_values_random(&b, type, k + 2, n_room, k + 1, n_room);
    if (mx) {
        moderate(&a);
        moderate(&b);
        block_values_random(&sa, RB_E8M0, m, groups, m, groups);
        block_values_random(&sb, RB_E8M0, groups, n, groups, n);
        scales(&sa);
        scales(&sb);
    }
    block_values_random(&bias, bias_type, 1, n_room, 1, n_room);
    if (kind == BIAS)
        block_values_push(&bench, BLOCK_T, &bias);
    block_values_push(&bench, BLOCK_U, &a);
    if (mx)
        block_values_push(&bench, BLOCK_U, &sa);
    block_values_push(&bench, BLOCK_U, &b);
    if (mx)
        block_values_push(&bench, BLOCK_U, &sb);
    char text[512], name[64], sources[64];
    const char *first = mx ? "U#4.reuse, U#3.reuse, U#2.reuse, U#1.reuse" : "U#2.reuse, U#1.reuse";
    snprintf(sources, sizeof sources, "%s%s", first, kind == BIAS ? ", T#1" : "");
    snprintf(name, sizeof name, "%s%s", gemv ? "TGEMV" : "TMATMUL", mx ? "MX" : "");
    int length = 0;
    if (kind == ACC)
        length = snprintf(text, sizeof text, "%s <%d, %d, %d, %s>, %s\n", name, m, n, k,
                          reference_block_name(type), sources);
    snprintf(text + length, sizeof text - (size_t)length,
             "%s%s <%d, %d, %d, %s>, %s\nACCCVT.NZ2ND <LB0:%d, LB1:%d, %s, %s>, ->M<8KB>\nC.BSTOP", name,
             suffix[kind], m, n, k, reference_block_name(type), sources, m, n, reference_block_name(acc),
             reference_block_name(acc));
    block_bench_run(&bench, text);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            float sum = 0;
            uint32_t whole = 0;
            if (kind == BIAS) {
                sum = is_float ? float_of(bias_type, block_values_at(&bias, 0, c)) : 0;
                whole = is_float ? 0 : (uint32_t)int_of(bias_type, block_values_at(&bias, 0, c));
            }
            for (int turn = 0; turn < (kind == ACC ? 2 : 1); turn++)
                for (int i = 0; i < k; i++) {
                    const uint64_t x = block_values_at(&a, r, i), y = block_values_at(&b, i, c);
                    if (!is_float)
                        whole += (uint32_t)int_of(type, x) * (uint32_t)int_of(type, y);
                    else if (mx)
                        sum =
                            fmaf(ldexpf(float_of(type, x), (int)block_values_at(&sa, r, i / 32) - 127),
                                 ldexpf(float_of(type, y), (int)block_values_at(&sb, i / 32, c) - 127), sum);
                    else
                        sum = fmaf(float_of(type, x), float_of(type, y), sum);
                }
            want[r * MOST + c] = is_float ? bits_of(sum) : whole;
        }
    pto_block_tile out;
    assert_true(pto_block_tile_at(bench.machine, BLOCK_M, 1, &out));
    assert_true(out.type == acc && out.valid_rows == m && out.valid_cols == n);
    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            uint32_t have = (uint32_t)block_tile_code(&out, r, c);
            if (have != want[r * MOST + c])
                fail_msg("%s: (%d, %d) is %x, not %x", text, r, c, have, want[r * MOST + c]);
        }
    block_bench_drop(&bench);
}

static void products(void **state) {
    (void)state;
    int count = 0;
    for (unsigned type = 0; type < 32; type++) {
        if (!reference_block_name(type) || reference_block_bits(type) == 64)
            continue;
        for (int gemv = 0; gemv < 2; gemv++)
            for (int mx = 0; mx < (reference_block_is_float(type) ? 2 : 1); mx++)
                for (int kind = 0; kind < VARIANTS; kind++)
                    for (unsigned round = 0; round < 12; round++, count++)
                        try_product(type, gemv, mx, (variant)kind, round);
    }
    print_message("%d products\n", count);
}

/* ---- sorts ---- */

/* NaN behind every number; stable. */
static bool comes_before(unsigned type, uint64_t x, uint64_t y) {
    if (reference_block_is_nan(type, x) || reference_block_is_nan(type, y))
        return !reference_block_is_nan(type, x) && reference_block_is_nan(type, y);
    return reference_block_compare(2, type, x, y);
}

static void sort(unsigned type, uint64_t *value, uint32_t *index, int count) {
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && comes_before(type, value[k], value[k - 1]); k--) {
            uint64_t v = value[k];
            uint32_t at = index[k];
            value[k] = value[k - 1];
            index[k] = index[k - 1];
            value[k - 1] = v;
            index[k - 1] = at;
        }
}

static void sorts_and_merges(void **state) {
    (void)state;
    static const unsigned types[] = {RB_FP32, RB_FP16};
    static block_values x[2];
    for (unsigned round = 0; round < 60; round++) {
        const unsigned type = types[round % 2];
        const int count[2] = {1 + (int)(block_random() % 32), 1 + (int)(block_random() % 32)};
        uint64_t value[64];
        uint32_t index[64];
        char text[512];
        block_bench bench = block_bench_make(NULL, NULL);
        int all = count[0] + count[1];
        for (int i = 0; i < 2; i++) {
            block_values_random(&x[i], type, 1, count[i], 1, count[i]);
            block_values_push(&bench, BLOCK_U, &x[i]);
        }
        snprintf(text, sizeof text,
                 "TSORT <%d, %s>, U#2, ->M<256B>, N<256B>\nTSORT <%d, %s>, U#1, ->M<256B>, N<256B>\n"
                 "TMRGSORT <%d, %s>, M#2.reuse, M#1.reuse, ->T<512B>\nC.BSTOP",
                 count[0], reference_block_name(type), count[1], reference_block_name(type), all,
                 reference_block_name(type));
        block_bench_run(&bench, text);
        uint64_t merged[64];
        int taken = 0;
        for (int i = 0; i < 2; i++) {
            pto_block_tile values, indices;
            assert_true(pto_block_tile_at(bench.machine, BLOCK_M, 2 - (unsigned)i, &values));
            assert_true(pto_block_tile_at(bench.machine, BLOCK_N, 2 - (unsigned)i, &indices));
            for (int k = 0; k < count[i]; k++) {
                value[k] = block_values_at(&x[i], 0, k);
                index[k] = (uint32_t)k;
            }
            sort(type, value, index, count[i]);
            for (int k = 0; k < count[i]; k++) {
                assert_int_equal(block_tile_code(&values, 0, k), value[k]);
                assert_int_equal(block_tile_code(&indices, 0, k), index[k]);
                merged[taken] = value[k];
                taken++;
            }
        }
        uint32_t unused[64] = {0};
        sort(type, merged, unused, all); /* stable: of equal ones the first list's first */
        pto_block_tile out;
        assert_true(pto_block_tile_at(bench.machine, BLOCK_T, 1, &out));
        for (int k = 0; k < all; k++)
            assert_int_equal(block_tile_code(&out, 0, k), merged[k]);
        block_bench_drop(&bench);
    }
}

/* ---- prefetches ---- */

static void prefetches(void **state) {
    (void)state;
    for (unsigned type = 0; type < 32; type++) {
        if (!reference_block_name(type))
            continue;
        char text[128];
        block_bench bench = block_bench_make(NULL, NULL);
        pto_block_set_gpr(bench.machine, 2, BLOCK_MEMORY);
        memset(bench.memory, 0x5A, 4096);
        snprintf(text, sizeof text, "TPREFETCH <16, 4, %s>, [a0]\nC.BSTOP", reference_block_name(type));
        block_bench_run(&bench, text);
        for (int i = 0; i < 4096; i++)
            assert_int_equal(bench.memory[i], 0x5A);
        assert_int_equal(pto_block_live_tiles(bench.machine, NULL), 0);
        block_bench_drop(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(sorts_and_merges),
                                       cmocka_unit_test(prefetches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
