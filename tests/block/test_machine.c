/* SPDX-License-Identifier: Apache-2.0 */
/* The block machine: whole programs against double references,
 * scalar instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include <pto/block.h>

enum { CODE = 0x1000, MEM = 0x100000, MEM_BYTES = 1 << 20 };

typedef struct bench {
    pto_block_machine *machine;
    uint8_t *memory;
} bench;

static bench make(const char *text) {
    bench b = {.machine = pto_block_machine_create(NULL), .memory = calloc(1, MEM_BYTES)};
    assert_non_null(b.machine);
    assert_int_equal(pto_block_map(b.machine, MEM, b.memory, MEM_BYTES, false), PTO_OK);
    pto_source source;
    pto_source_init(&source, "test.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    pto_block_image image;
    if (pto_block_assemble(&source, &(pto_block_options){.address = CODE}, diags, &image) != PTO_OK) {
        char message[1024];
        pto_diag_render_buffer(diags, NULL, message, sizeof message);
        fail_msg("%s", message);
    }
    assert_int_equal(pto_block_load(b.machine, &image), PTO_OK);
    pto_block_image_free(&image);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
    return b;
}

static void drop(bench *b) {
    pto_block_machine_destroy(b->machine);
    free(b->memory);
}

static void runs(bench *b) {
    const pto_status status = pto_block_run(b->machine, 10000000);
    if (status != PTO_OK) {
        const pto_block_fault_info *fault = pto_block_last_fault(b->machine);
        fail_msg("%s at 0x%llx: %s %s", pto_block_fault_name(fault->fault), (unsigned long long)fault->pc,
                 fault->rule, fault->text);
    }
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}
static float random_float(void) { return (float)((double)(int64_t)random_word() / 4611686018427387904.0); }

/* ---- flags ---- */

static unsigned flags_after(const char *op, const char *type, const void *a, const void *b) {
    char text[512];
    snprintf(text, sizeof text,
             "C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x100100, ->a1\n"
             "TLOAD <2, %s>, [a0], ->T<128B>\nTLOAD <2, %s>, [a1], ->U<128B>\n%s\nC.BSTOP",
             type, type, op);
    bench x = make(text);
    memcpy(x.memory, a, 16);
    memcpy(x.memory + 0x100, b, 16);
    runs(&x);
    const unsigned flags = pto_block_fflags(x.machine);
    drop(&x);
    return flags;
}

static void float_flags(void **state) {
    (void)state;
    static const uint32_t one[4] = {0x3f800000, 0x40000000}, zero[4] = {0x3f800000, 0},
                          inf[4] = {0x7f800000, 0x3f800000}, minus_inf[4] = {0xff800000, 0},
                          quiet[4] = {0x7fc00000, 0x7fc00001}, signalling[4] = {0x3f800000, 0x7f800001},
                          negative[4] = {0x3f800000, 0xbf800000}, large[4] = {0x7f000000, 0x7f000000};
    static const struct {
        const char *op;
        const uint32_t *a, *b;
        unsigned flags;
    } cases[] = {{"TADD <2, FP32>, T#1, U#1, ->M<128B>", one, zero, 0},
                 {"TADD <2, FP32>, T#1, U#1, ->M<128B>", inf, minus_inf, 1},
                 {"TSUB <2, FP32>, T#1, U#1, ->M<128B>", inf, minus_inf, 0},
                 {"TADD <2, FP32>, T#1, U#1, ->M<128B>", large, large, 0}, /* an overflow is neither */
                 {"TADD <2, FP32>, T#1, U#1, ->M<128B>", quiet, one, 0},
                 {"TADD <2, FP32>, T#1, U#1, ->M<128B>", one, signalling, 1},
                 {"TMUL <2, FP32>, T#1, U#1, ->M<128B>", minus_inf, zero, 0},
                 {"TMUL <2, FP32>, T#1, U#1, ->M<128B>", zero, minus_inf, 0},
                 {"TDIV <2, FP32>, T#1, U#1, ->M<128B>", one, zero, 2},
                 {"TDIV <2, FP32>, T#1, U#1, ->M<128B>", zero, zero, 1},
                 {"TREM <2, FP32>, T#1, U#1, ->M<128B>", one, zero, 1},
                 {"TMAX <2, FP32>, T#1, U#1, ->M<128B>", one, signalling, 1}, /* whose result is a number */
                 {"TMAX <2, FP32>, T#1, U#1, ->M<128B>", one, quiet, 0},
                 {"TCMP.EQ <2, FP32>, T#1, U#1, ->M<128B>", signalling, one, 1},
                 {"TRELU <2, FP32>, T#1, ->M<128B>", signalling, one, 1},
                 {"TABS <2, FP32>, T#1, ->M<128B>", signalling, one, 0},
                 {"TRECIP <2, FP32>, T#1, ->M<128B>", zero, one, 2},
                 {"TLOG <2, FP32>, T#1, ->M<128B>", zero, one, 2},
                 {"TLOG <2, FP32>, T#1, ->M<128B>", negative, one, 1},
                 {"TSQRT <2, FP32>, T#1, ->M<128B>", negative, one, 1},
                 {"TRSQRT <2, FP32>, T#1, ->M<128B>", minus_inf, one, 3},
                 {"TEXP <2, FP32>, T#1, ->M<128B>", minus_inf, one, 0},
                 {"TFMA <2, FP32>, T#1, U#1, T#1, ->M<128B>", inf, minus_inf, 1},
                 {"TROWSUM <2, FP32>, T#1, ->M<128B>", inf, one, 0},
                 {"TROWSUM <2, FP32>, T#1, ->M<128B>", signalling, one, 1},
                 {"TROWPROD <2, FP32>, T#1, ->M<128B>", minus_inf, one, 1}, /* -inf * 0 */
                 {"TROWMAX <2, FP32>, T#1, ->M<128B>", signalling, one, 1},
                 {"TCVT <2, 1, 2, FP32, S32>, T#1, ->M<128B>", signalling, one, 1},
                 {"TMATMUL <1, 1, 2, FP32>, T#1, T#2\nTEXPANDS <1, FP32>, [zero], ->M<128B>", one, zero, 0}};
    for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++) {
        const unsigned flags = flags_after(cases[i].op, "FP32", cases[i].a, cases[i].b);
        if (flags != cases[i].flags)
            fail_msg("%s (case %d): %u, not %u", cases[i].op, (int)i, flags, cases[i].flags);
    }
    static const uint16_t half_nan[8] = {0x3c00, 0x7c01}, halves[8] = {0x3c00, 0x3c00};
    static const uint8_t small_inf[16] = {0x3c, 0x7c}, small[16] = {0x3c, 0xfc};
    assert_int_equal(flags_after("TMIN <2, FP16>, T#1, U#1, ->M<128B>", "FP16", half_nan, halves), 1);
    assert_int_equal(flags_after("TADD <2, E5M2>, T#1, U#1, ->M<128B>", "E5M2", small_inf, small), 1);
    assert_int_equal(flags_after("TMUL <2, E5M2>, T#1, U#1, ->M<128B>", "E5M2", small_inf, small), 0);
    static const uint64_t doubles[2] = {0x3ff0000000000000, 0}, zeros[2] = {0, 0};
    assert_int_equal(flags_after("TDIV <2, FP64>, T#1, U#1, ->M<128B>", "FP64", doubles, zeros), 3);
}

/* ---- programs ---- */

static void loop_of_a_thousand(void **state) {
    (void)state;
    bench b =
        make("C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x140000, ->a1\nhl.lis 1000, ->a4\n"
             "L1: TLOAD <16, 4, FP32>, [a0], ->T<256B>\nTRELU <16, 4, FP32>, T#1, ->U<256B>\n"
             "TSTORE <16, 4, FP32>, U#1, [a1]\nBSTART.STD COND, L1\naddi a0, 256, ->a0\naddi a1, 256, ->a1\n"
             "subi a4, 1, ->a4\nsetc.ne a4, zero\nC.BSTART.STD FALL\nebreak 0\nC.BSTOP");
    float *x = (float *)(void *)b.memory, *y = (float *)(void *)(b.memory + 0x40000);
    for (int i = 0; i < 64000; i++)
        x[i] = random_float();
    runs(&b);
    for (int i = 0; i < 64000; i++)
        assert_true(y[i] == (x[i] > 0 ? x[i] : 0));
    uint64_t bytes;
    assert_int_equal(pto_block_live_tiles(b.machine, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(pto_block_pushes(b.machine, 0), 1000);
    assert_int_equal(pto_block_gpr(b.machine, 6), 0);
    assert_int_equal(pto_block_exit_code(b.machine), 0);
    drop(&b);
}

/* C = A B, 64 x 64 x 96 in tiles of 32, ACC over k. */
static void tiled_gemm(void **state) {
    (void)state;
    char text[4096] = "C.BSTART.STD FALL\nhl.lis 256, ->s1\nhl.lis 384, ->s2\n";
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 3; k++)
                snprintf(
                    text + strlen(text), sizeof text - strlen(text),
                    "C.BSTART.STD FALL\nhl.lis %d, ->a0\nhl.lis %d, ->a1\n"
                    "TLOAD <32, 32, FP32>, [a0, s2], ->T<4KB>\nTLOAD <32, 32, FP32>, [a1, s1], ->U<4KB>\n"
                    "TMATMUL%s <M:32, N:32, K:32, FP32>, T#1, U#1, ->ACC<4KB>\n",
                    MEM + i * 32 * 384 + k * 128, MEM + 0x10000 + k * 32 * 256 + j * 128, k ? ".ACC" : "");
            snprintf(
                text + strlen(text), sizeof text - strlen(text),
                "C.BSTART.STD FALL\nhl.lis %d, ->a2\nACCCVT NZ2ND, <Row:32, Col:32, FP32>, ACC, ->M<4KB>\n"
                "TSTORE <32, 32, FP32>, M#1, [a2, s1]\n",
                MEM + 0x20000 + i * 32 * 256 + j * 128);
        }
    strcat(text, "C.BSTOP");
    bench b = make(text);
    float *a = (float *)(void *)b.memory, *w = (float *)(void *)(b.memory + 0x10000),
          *c = (float *)(void *)(b.memory + 0x20000);
    for (int i = 0; i < 64 * 96; i++) {
        a[i] = random_float();
        w[i] = random_float();
    }
    runs(&b);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < 96; k++) {
                const double product = (double)a[96 * i + k] * (double)w[64 * k + j];
                sum += product;
                size += fabs(product);
            }
            assert_true(fabs((double)c[64 * i + j] - sum) <= 96 * 0x1p-24 * size);
        }
    assert_int_equal(pto_block_live_tiles(b.machine, NULL), 0);
    drop(&b);
}

static void row_softmax(void **state) {
    (void)state;
    bench b = make("C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x110000, ->a1\n"
                   "TLOAD <48, 40, FP32>, [a0], ->T<8KB>\n"
                   "TROWMAX <48, 40, FP32>, T#1.reuse, ->U<256B>\n"
                   "TROWEXPANDEXPDIF <48, 40, FP32>, T#1, U#1, ->T<8KB>\n"
                   "TROWSUM <48, 40, FP32>, T#1.reuse, ->U<256B>\n"
                   "TROWEXPANDDIV <48, 40, FP32>, T#1, U#1, ->M<8KB>\n"
                   "TSTORE <48, 40, FP32>, M#1, [a1]\nC.BSTOP");
    float *x = (float *)(void *)b.memory, *y = (float *)(void *)(b.memory + 0x10000);
    for (int i = 0; i < 48 * 40; i++)
        x[i] = 10 * random_float();
    runs(&b);
    for (int r = 0; r < 40; r++) {
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < 48; c++)
            most = (double)x[48 * r + c] > most ? (double)x[48 * r + c] : most;
        for (int c = 0; c < 48; c++)
            sum += exp((double)x[48 * r + c] - most);
        for (int c = 0; c < 48; c++)
            assert_true(fabs((double)y[48 * r + c] - exp((double)x[48 * r + c] - most) / sum) < 1e-6);
    }
    assert_int_equal(pto_block_live_tiles(b.machine, NULL), 0);
    drop(&b);
}

static void sort_and_merge(void **state) {
    (void)state;
    bench b = make("C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x100100, ->a1\nhl.lis 0x110000, ->a2\n"
                   "hl.lis 0x120000, ->a3\n"
                   "TLOAD <64, FP32>, [a0], ->T<256B>\nTSORT <64, FP32>, T#1, ->T<256B>, U<256B>\n"
                   "TSTORE <64, U32>, U#1, [a3]\n"
                   "TLOAD <64, FP32>, [a1], ->T<256B>\nTSORT <64, FP32>, T#1, ->T<256B>, U<256B>\n"
                   "TMRGSORT <128, FP32>, T#3, T#1, ->M<512B>\nTSTORE <128, FP32>, M#1, [a2]\nC.BSTOP");
    float *x = (float *)(void *)b.memory, *y = (float *)(void *)(b.memory + 0x10000);
    const uint32_t *index = (const uint32_t *)(const void *)(b.memory + 0x20000);
    for (int i = 0; i < 128; i++)
        x[i] = roundf(8 * random_float()) + (i == 17 ? NAN : 0);
    runs(&b);
    for (int i = 1; i < 128; i++)
        assert_true(y[i - 1] <= y[i] || isnan(y[i]));
    assert_true(isnan(y[127]));
    for (int i = 1; i < 63; i++)
        assert_true(x[index[i - 1]] < x[index[i]] ||
                    (x[index[i - 1]] == x[index[i]] && index[i - 1] < index[i]));
    drop(&b);
}

/* ---- values that differ from the library's ---- */

static void number_wins_over_nan(void **state) {
    (void)state;
    bench b = make("C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x100040, ->a1\nhl.lis 0x110000, ->a2\n"
                   "TLOAD <4, FP32>, [a0], ->T<128B>\nTLOAD <4, FP32>, [a1], ->U<128B>\n"
                   "TMAX <4, FP32>, T#1.reuse, U#1.reuse, ->M<128B>\nTSTORE <4, FP32>, M#1, [a2]\n"
                   "C.BSTART.STD FALL\naddi a2, 64, ->a2\n"
                   "TROWMIN <4, FP32>, T#1.reuse, ->M<128B>\nTSTORE <1, FP32>, M#1, [a2]\n"
                   "C.BSTART.STD FALL\naddi a2, 64, ->a2\n"
                   "TROWARGMAX <4, FP32>, T#1, ->M<128B>\nTSTORE <1, U32>, M#1, [a2]\nC.BSTOP");
    float *x = (float *)(void *)b.memory;
    const float a[4] = {NAN, 1, NAN, -0.0f}, c[4] = {2, NAN, NAN, 0.0f};
    memcpy(x, a, sizeof a);
    memcpy(b.memory + 64, c, sizeof c);
    runs(&b);
    const float *y = (const float *)(const void *)(b.memory + 0x10000);
    uint32_t bits[4];
    memcpy(bits, y, sizeof bits);
    assert_true(y[0] == 2 && y[1] == 1);
    assert_int_equal(bits[2], 0x7fc00000);
    assert_int_equal(bits[3], 0);
    assert_true(y[16] == 0 && signbit(y[16]));
    memcpy(bits, y + 32, sizeof bits[0]);
    assert_int_equal(bits[0], 1);
    drop(&b);
}

static void predicates(void **state) {
    (void)state;
    /* 5 columns: a row is not whole bytes */
    bench b = make("C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0x101000, ->a1\nhl.lis 0x110000, ->a2\n"
                   "TLOAD <5, 7, S32>, [a0], ->T<256B>\nTLOAD <5, 7, S32>, [a1], ->T<256B>\n"
                   "TCMP.GE <5, 7, S32>, T#2.reuse, T#1.reuse, ->N<128B>\n"
                   "TSEL <5, 7, S32>, N#1, T#2, T#1, ->U<256B>\nTSTORE <5, 7, S32>, U#1, [a2]\nC.BSTOP");
    int32_t *x = (int32_t *)(void *)b.memory;
    for (int i = 0; i < 2048; i++)
        x[i] = (int32_t)random_word() % 4;
    runs(&b);
    const int32_t *y = (const int32_t *)(const void *)(b.memory + 0x10000);
    for (int i = 0; i < 35; i++)
        assert_int_equal(y[i], x[i] >= x[1024 + i] ? x[i] : x[1024 + i]);
    drop(&b);
}

static void scalar_instructions(void **state) {
    (void)state;
    bench b = make("C.BSTART.STD FALL\n"
                   "hl.lis -5, ->a0\nhl.liu 0xfffffffb, ->a1\nhl.lui 3, ->a2\nlui 1, ->a3\n"
                   "addi zero, 7, ->t\naddi zero, 9, ->t\nc.add t#1, t#2, ->t\nc.movr t#1, ->a4\n"
                   "sub a0, a4.neg<<1, ->a5\nand a1, a4.not, ->a6\nsrai a0, 1, ->a7\n"
                   "mul a0, a4, ->s1\ndiv a0, a0, ->s2\nrem a4, a0, ->s3\nhl.lis 0x100000, ->s4\n"
                   "sdi a0, [s4, 8]\nlwui [s4, 8], ->s5\nlbi [s4, 9], ->s6\ncsel zero, a0, a4, ->s7\n"
                   "BSTART.STD CALL, fun\nC.BSTART.STD FALL\nebreak 3\n"
                   "fun: C.BSTART.STD RET\naddi zero, 77, ->x0\nC.BSTOP\n");
    runs(&b);
    static const struct {
        unsigned index;
        int64_t value;
    } expected[] = {{2, -5},         {3, 0xfffffffb}, {4, INT64_C(3) << 32},
                    {5, 4096},       {6, 16},         {7, 27},
                    {8, 0xffffffeb}, {9, -3},         {12, -80},
                    {13, 1},         {14, 1},         {16, 0xfffffffb},
                    {17, -1},        {18, 16},        {20, 77}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if ((int64_t)pto_block_gpr(b.machine, expected[i].index) != expected[i].value)
            fail_msg("r%u is %lld, not %lld", expected[i].index,
                     (long long)pto_block_gpr(b.machine, expected[i].index), (long long)expected[i].value);
    assert_int_equal(pto_block_exit_code(b.machine), 3);
    drop(&b);
}

/* Stepping and running, with and without plans, give one state. */
static void step_equals_run(void **state) {
    (void)state;
    static const char text[] =
        "TCI <16, 1, S32>, [a0, zero], ->T<128B>\nTADD <16, S32>, T#1.reuse, T#1, ->U<128B>\nC.BSTOP";
    bench a = make(text), b = make(text);
    runs(&a);
    pto_status status;
    while ((status = pto_block_step(b.machine)) == PTO_OK)
        ;
    assert_int_equal(status, PTO_ERR_CANCELLED);
    assert_int_equal(pto_block_instructions(a.machine), pto_block_instructions(b.machine));
    pto_block_tile x, y;
    assert_true(pto_block_tile_at(a.machine, 1, 1, &x) && pto_block_tile_at(b.machine, 1, 1, &y));
    assert_memory_equal(x.data, y.data, 64);
    assert_true(pto_block_tile_at(a.machine, 0, 1, &x)); /* any mention keeps it */
    drop(&a);
    drop(&b);
}

static void sixteen_deep(void **state) {
    (void)state;
    char text[2048] = "";
    for (int i = 0; i < 17; i++)
        strcat(text, "TCI <16, 1, S32>, [a0, zero], ->T<128B>\n");
    strcat(text, "C.BSTOP");
    bench b = make(text);
    runs(&b);
    assert_int_equal(pto_block_live_tiles(b.machine, NULL), 16);
    assert_int_equal(pto_block_pushes(b.machine, 0), 17);
    drop(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_flags),     cmocka_unit_test(loop_of_a_thousand),
        cmocka_unit_test(tiled_gemm),      cmocka_unit_test(row_softmax),
        cmocka_unit_test(sort_and_merge),  cmocka_unit_test(number_wins_over_nan),
        cmocka_unit_test(predicates),      cmocka_unit_test(scalar_instructions),
        cmocka_unit_test(step_equals_run), cmocka_unit_test(sixteen_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
