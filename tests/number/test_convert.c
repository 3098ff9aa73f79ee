/* SPDX-License-Identifier: Apache-2.0 */
/* TCVT of one value: the pair table, its defaults, and the special values of part 10, 9.2 to 9.4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "number/convert.h"

#define NONE PTO_CAST_NONE
#define RINT PTO_CAST_RINT
#define ON PTO_SAT_ON
#define OFF PTO_SAT_OFF
#define DEFAULT PTO_SAT_DEFAULT

static uint64_t f32(double value) { return pto_number_encode_f64(PTO_FORMAT_F32, value, RINT, false); }
static uint64_t f16(double value) { return pto_number_encode_f64(PTO_FORMAT_F16, value, RINT, false); }
static uint64_t bf16(double value) { return pto_number_encode_f64(PTO_FORMAT_BF16, value, RINT, false); }
static uint64_t low(int64_t value, int bits) { return (uint64_t)value << (64 - bits) >> (64 - bits); }

#define assert_cvt(dst, src, bits, mode, sat, want)                                                          \
    assert_int_equal(pto_number_convert(PTO_##dst, PTO_##src, bits, mode, sat), want)

/* ---- the table ---- */

/* Column by column of the table in 9.2, typed from there; "/" separates what a row lists together. */
static const struct {
    const char *src, *dst;
    bool a2a3, a5;
    const char *modes; /* honoured: initials of RINT rOund Floor Ceil Trunc oDd */
    pto_round_mode mode;
    int sat; /* 1 ON, 0 OFF, -1: "-" */
} rows[] = {
    {"f32", "f32", true, true, "ROFCT", RINT, -1},
    {"f32", "f16", true, true, "ROFCTD", RINT, 1},
    {"f32", "bf16", true, true, "ROFCT", RINT, 1},
    {"f32", "s64/s32", true, true, "ROFCT", PTO_CAST_TRUNC, 1},
    {"f32", "s16", true, true, "ROFCT", PTO_CAST_TRUNC, 0},
    {"f32", "e4m3/e5m2", false, true, "", RINT, 1},
    {"f32", "hif8", false, true, "", PTO_CAST_ROUND, 1},
    {"f16", "f32", true, true, "", RINT, -1},
    {"f16", "s32", true, true, "ROFCT", PTO_CAST_TRUNC, 1},
    {"f16", "s16/s8/u8", true, true, "ROFCT", PTO_CAST_TRUNC, 0},
    {"f16", "s4", true, false, "ROFCT", RINT, 1},
    {"f16", "hif8", false, true, "", PTO_CAST_ROUND, 1},
    {"bf16", "f32", true, true, "", RINT, -1},
    {"bf16", "s32", true, true, "ROFCT", PTO_CAST_TRUNC, 1},
    {"bf16", "f16/e1m2/e2m1", false, true, "ROFCT", RINT, 1},
    {"s16", "f16", true, true, "ROFCT", RINT, -1},
    {"s16", "f32", true, true, "", RINT, -1},
    {"s16", "u8/u32", false, true, "", RINT, 1},
    {"s16", "s32", false, true, "", RINT, -1},
    {"s32", "f32", true, true, "ROFCT", RINT, -1},
    {"s32", "f16", true, false, "", RINT, 1},
    {"s32", "s16", true, true, "", RINT, 0},
    {"s32", "u16/u8", false, true, "", RINT, 1},
    {"s32", "s64", true, true, "", RINT, -1},
    {"u32", "u8/u16/s16", false, true, "", RINT, 1},
    {"s64", "f32", true, true, "ROFCT", RINT, -1},
    {"s64", "s32", true, true, "", RINT, 0},
    {"u8", "f16", true, true, "", RINT, -1},
    {"u8", "u16", false, true, "", RINT, -1},
    {"s8", "f16", true, true, "", RINT, -1},
    {"s8", "s16/s32", false, true, "", RINT, -1},
    {"s4", "f16", true, false, "", RINT, -1},
    {"e4m3/e5m2/hif8", "f32", false, true, "", RINT, -1},
    {"e1m2/e2m1", "bf16", false, true, "", RINT, -1},
};

static bool lists(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == '/' || at[length] == 0))
            return true;
    }
    return false;
}

static void test_pair_table(void **state) {
    (void)state;
    int found = 0;
    for (int src = PTO_DTYPE_NONE + 1; src < PTO_DTYPE_COUNT; src++) {
        for (int dst = PTO_DTYPE_NONE + 1; dst < PTO_DTYPE_COUNT; dst++) {
            const pto_format to = pto_format_of_dtype((pto_dtype)dst),
                             from = pto_format_of_dtype((pto_dtype)src);
            assert_true(to < PTO_FORMAT_COUNT && from < PTO_FORMAT_COUNT);
            bool a2a3 = false, a5 = false, has_row = false;
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                if (!lists(rows[i].src, pto_format_describe(from)->name))
                    continue;
                if (!lists(rows[i].dst, pto_format_describe(to)->name))
                    continue;
                assert_false(has_row);
                has_row = true;
                found++;
                a2a3 = rows[i].a2a3;
                a5 = rows[i].a5;
                for (int mode = 0; mode <= PTO_CAST_ODD; mode++) {
                    const pto_cvt_rule rule = pto_cvt_resolve(to, from, (pto_round_mode)mode, DEFAULT);
                    const bool honoured = mode && strchr(rows[i].modes, "?ROFCTD"[mode]);
                    assert_int_equal(rule.mode, honoured ? mode : (int)rows[i].mode);
                    assert_int_equal(rule.saturate, rows[i].sat == 1);
                    assert_true(pto_cvt_resolve(to, from, (pto_round_mode)mode, ON).saturate);
                    assert_false(pto_cvt_resolve(to, from, (pto_round_mode)mode, OFF).saturate);
                }
            }
            assert_int_equal(pto_cvt_available(PTO_TARGET_A2A3, (pto_dtype)dst, (pto_dtype)src), a2a3);
            assert_int_equal(pto_cvt_available(PTO_TARGET_A5, (pto_dtype)dst, (pto_dtype)src), a5);
            assert_true(pto_cvt_available(PTO_TARGET_CPU, (pto_dtype)dst, (pto_dtype)src));
        }
    }
    assert_int_equal(found, 48);
    assert_false(pto_cvt_available(PTO_TARGET_CPU, PTO_F32, PTO_DTYPE_NONE));
}

static void test_pairs_without_row(void **state) {
    (void)state;
    pto_cvt_rule rule = pto_cvt_resolve(PTO_FORMAT_S8, PTO_FORMAT_F32, NONE, DEFAULT);
    assert_true(rule.mode == PTO_CAST_TRUNC && rule.saturate);
    rule = pto_cvt_resolve(PTO_FORMAT_S8, PTO_FORMAT_F32, PTO_CAST_ODD, OFF);
    assert_true(rule.mode == PTO_CAST_ODD && !rule.saturate);
    rule = pto_cvt_resolve(PTO_FORMAT_BF16, PTO_FORMAT_F16, NONE, DEFAULT);
    assert_true(rule.mode == RINT && rule.saturate);
    rule = pto_cvt_resolve(PTO_FORMAT_E4M3, PTO_FORMAT_F16, PTO_CAST_CEIL, DEFAULT);
    assert_true(rule.mode == RINT && rule.saturate);
    rule = pto_cvt_resolve(PTO_FORMAT_HIF8, PTO_FORMAT_S32, PTO_CAST_CEIL, DEFAULT);
    assert_true(rule.mode == PTO_CAST_ROUND);
    rule = pto_cvt_resolve(PTO_FORMAT_E3M2, PTO_FORMAT_F32, PTO_CAST_HALF_UP, DEFAULT);
    assert_true(rule.mode == PTO_CAST_HALF_UP);
    rule = pto_cvt_resolve(PTO_FORMAT_U8, PTO_FORMAT_F64, NONE, DEFAULT);
    assert_true(rule.mode == PTO_CAST_TRUNC);
    /* A mode outside the enum acts as the default, too. */
    assert_true(pto_cvt_resolve(PTO_FORMAT_S8, PTO_FORMAT_F32, (pto_round_mode)99, ON).mode ==
                PTO_CAST_TRUNC);
    /* Same format: bits are copied, NaN payloads and all. */
    assert_cvt(F16, F16, 0x7C01, PTO_CAST_TRUNC, ON, 0x7C01);
    assert_cvt(F16, F16, 0x7C00, PTO_CAST_TRUNC, ON, 0x7C00);
    assert_cvt(E8M0, E8M0, 0xFF, NONE, ON, 0xFF);
    assert_cvt(S64, S64, 0x8000000000000001, NONE, ON, 0x8000000000000001);
}

/* ---- float to integer ---- */

static void test_float_to_integer(void **state) {
    (void)state;
    assert_cvt(S32, F32, f32(2.7), NONE, DEFAULT, 2);
    assert_cvt(S32, F32, f32(-2.7), NONE, DEFAULT, low(-2, 32));
    assert_cvt(S32, F32, f32(2.5), RINT, DEFAULT, 2);
    assert_cvt(S32, F32, f32(2.5), PTO_CAST_ROUND, DEFAULT, 3);
    assert_cvt(S32, F32, f32(-2.5), PTO_CAST_ROUND, DEFAULT, low(-3, 32));
    assert_cvt(S32, F32, f32(-2.5), PTO_CAST_FLOOR, DEFAULT, low(-3, 32));
    assert_cvt(S32, F32, f32(-2.5), PTO_CAST_CEIL, DEFAULT, low(-2, 32));
    assert_cvt(S32, F32, f32(2.9), PTO_CAST_ODD, DEFAULT, 2); /* not honoured: TRUNC */
    assert_cvt(S4, F16, f16(2.5), NONE, DEFAULT, 2);          /* the one pair that rounds by default */
    assert_cvt(S4, F16, f16(3.5), NONE, DEFAULT, 4);
    assert_cvt(S4, F16, f16(100), NONE, DEFAULT, 7);
    assert_cvt(S4, F16, f16(-100), NONE, DEFAULT, 8);
    assert_cvt(S4, F16, f16(21), NONE, OFF, 5);

    /* Saturation comes after rounding. */
    assert_cvt(S8, F16, f16(127.6), RINT, ON, 127);
    assert_cvt(S8, F16, f16(-128.5), RINT, ON, 0x80);
    assert_cvt(U8, F16, f16(-0.4), RINT, ON, 0);
    assert_cvt(U8, F16, f16(-0.4), PTO_CAST_FLOOR, ON, 0);
    assert_cvt(U8, F16, f16(-0.4), PTO_CAST_FLOOR, OFF, 0xFF);
    assert_cvt(U8, F16, f16(300), NONE, DEFAULT, 44); /* default OFF */
    assert_cvt(U8, F16, f16(300), NONE, ON, 255);
    assert_cvt(S16, F32, f32(40000), NONE, DEFAULT, low(-25536, 16));
    assert_cvt(S16, F32, f32(40000), NONE, ON, 32767);
    assert_cvt(S16, F32, f32(-40000), NONE, ON, 0x8000);

    /* OFF: through s32 for up to 16 bits, through s64 for 32 bits. */
    assert_cvt(S16, F32, f32(0x1p31 + 512), NONE, OFF, 0xFFFF);
    assert_cvt(S16, F32, f32(-0x1p31 - 512), NONE, OFF, 0);
    assert_cvt(S16, F32, f32(0x1p31 - 128), NONE, OFF, 0xFF80);
    assert_cvt(S32, F32, f32(0x1p31), NONE, OFF, 0x80000000);
    assert_cvt(S32, F32, f32(0x1p32 + 512), NONE, OFF, 512);
    assert_cvt(S32, F32, f32(-0x1p32 - 512), NONE, OFF, low(-512, 32));
    assert_cvt(S32, F32, f32(0x1p63), NONE, OFF, 0xFFFFFFFF);
    assert_cvt(S32, F32, f32(-0x1p70), NONE, OFF, 0);
    assert_cvt(U32, F32, f32(-1), NONE, OFF, 0xFFFFFFFF);
    assert_cvt(S32, F32, f32(0x1p31), NONE, DEFAULT, 0x7FFFFFFF);
    assert_cvt(S32, F32, f32(-0x1p31), NONE, DEFAULT, 0x80000000);
    assert_cvt(S32, F32, f32(0x1p31 - 128), NONE, DEFAULT, 0x7FFFFF80);

    /* 64-bit destinations saturate in both modes. */
    for (int sat = ON; sat <= (int)OFF; sat++) {
        const pto_sat_mode s = (pto_sat_mode)sat;
        assert_cvt(S64, F32, f32(0x1p63), NONE, s, INT64_MAX);
        assert_cvt(S64, F32, f32(-0x1p64), NONE, s, 1ull << 63);
        assert_cvt(S64, F32, f32(0x1p62), NONE, s, 1ull << 62);
        assert_cvt(U64, F32, f32(0x1p63), NONE, s, 1ull << 63);
        assert_cvt(U64, F32, f32(0x1p64), NONE, s, UINT64_MAX);
        assert_cvt(U64, F32, f32(-1), NONE, s, 0);
        assert_cvt(S64, F32, f32(INFINITY), NONE, s, INT64_MAX);
        assert_cvt(S64, F32, f32(-INFINITY), NONE, s, 1ull << 63);
        assert_cvt(U64, F32, f32(INFINITY), NONE, s, UINT64_MAX);
        assert_cvt(U64, F32, f32(-INFINITY), NONE, s, 0);
        assert_cvt(S64, F32, f32(NAN), NONE, s, 0);
    }
}

/* Inf and NaN to every integer type of up to 32 bits, from every float type that has them. */
static void test_special_to_integer(void **state) {
    (void)state;
    static const pto_format sources[] = {PTO_FORMAT_F64,  PTO_FORMAT_F32,  PTO_FORMAT_TF32,
                                         PTO_FORMAT_HF32, PTO_FORMAT_FP19, PTO_FORMAT_F16,
                                         PTO_FORMAT_BF16, PTO_FORMAT_E5M2, PTO_FORMAT_HIF8};
    static const pto_format signed_types[] = {PTO_FORMAT_S4, PTO_FORMAT_S8, PTO_FORMAT_S16, PTO_FORMAT_S32};
    static const pto_format unsigned_types[] = {PTO_FORMAT_U4, PTO_FORMAT_U8, PTO_FORMAT_U16, PTO_FORMAT_U32};
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
        const pto_format src = sources[s];
        const uint64_t inf = pto_number_encode_f64(src, INFINITY, RINT, false);
        const uint64_t minus_inf = pto_number_encode_f64(src, -INFINITY, RINT, false);
        const uint64_t nan = pto_number_encode_f64(src, NAN, RINT, false);
        for (int i = 0; i < 8; i++) {
            const pto_format dst = i < 4 ? signed_types[i] : unsigned_types[i - 4];
            const uint64_t all = low(-1, 4 << i % 4), top = all ^ all >> 1;
            const pto_cvt_rule on = pto_cvt_resolve(dst, src, NONE, ON);
            pto_cvt_rule off = pto_cvt_resolve(dst, src, NONE, OFF);
            assert_int_equal(pto_number_convert_by_rule(dst, src, inf, on), i < 4 ? all >> 1 : all);
            assert_int_equal(pto_number_convert_by_rule(dst, src, minus_inf, on), i < 4 ? top : 0);
            assert_int_equal(pto_number_convert_by_rule(dst, src, nan, on), 0);
            assert_int_equal(pto_number_convert_by_rule(dst, src, inf, off), all);
            assert_int_equal(pto_number_convert_by_rule(dst, src, minus_inf, off), 0);
            assert_int_equal(pto_number_convert_by_rule(dst, src, nan, off), 0);
            /* The indefinite value of the block form. */
            off.indefinite = true;
            assert_int_equal(pto_number_convert_by_rule(dst, src, inf, off), i < 4 ? top : all);
            assert_int_equal(pto_number_convert_by_rule(dst, src, minus_inf, off), i < 4 ? top : all);
            assert_int_equal(pto_number_convert_by_rule(dst, src, nan, off), i < 4 ? top : all);
        }
    }
}

static void test_indefinite(void **state) {
    (void)state;
    pto_cvt_rule rule = pto_cvt_resolve(PTO_FORMAT_S8, PTO_FORMAT_F32, RINT, OFF);
    rule.indefinite = true;
    static const struct {
        double value;
        uint64_t s8, u8;
    } cases[] = {{127.4, 127, 127},  {127.5, 0x80, 128}, {-128.5, 0x80, 0xFF}, {-129, 0x80, 0xFF},
                 {-0.4, 0, 0},       {-1, 0xFF, 0xFF},   {255.4, 0x80, 255},   {255.5, 0x80, 0xFF},
                 {1e30, 0x80, 0xFF}, {-0.0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_S8, PTO_FORMAT_F32, f32(cases[i].value), rule),
                         cases[i].s8);
        assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_U8, PTO_FORMAT_F32, f32(cases[i].value), rule),
                         cases[i].u8);
    }
    assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_U64, PTO_FORMAT_F32, f32(0x1p63), rule),
                     1ull << 63);
    assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_S64, PTO_FORMAT_F32, f32(0x1p62), rule),
                     1ull << 62);
    assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_U64, PTO_FORMAT_F32, f32(-1), rule), UINT64_MAX);
    assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_S64, PTO_FORMAT_F32, f32(0x1p63), rule),
                     1ull << 63);
    rule.saturate = true; /* has no effect then */
    assert_int_equal(pto_number_convert_by_rule(PTO_FORMAT_S8, PTO_FORMAT_F32, f32(1000), rule), 127);
}

/* ---- integer to integer: every pair, by plain C arithmetic ---- */

static const struct {
    pto_dtype type;
    int bits;
    bool is_signed;
} ints[] = {{PTO_S4, 4, true},    {PTO_S8, 8, true},    {PTO_U8, 8, false},
            {PTO_S16, 16, true},  {PTO_U16, 16, false}, {PTO_S32, 32, true},
            {PTO_U32, 32, false}, {PTO_S64, 64, true},  {PTO_U64, 64, false}};
enum { INTS = sizeof ints / sizeof *ints };

static void test_integer_to_integer(void **state) {
    (void)state;
    for (int s = 0; s < INTS; s++) {
        for (int e = 0; e <= 64; e++) {
            for (int offset = -3; offset <= 3; offset++) {
                const uint64_t bits = low(
                    (int64_t)((e == 64 ? 0u : UINT64_C(1) << e) + (uint64_t)(int64_t)offset), ints[s].bits);
                const bool negative = ints[s].is_signed && bits >> (ints[s].bits - 1);
                const __int128 value = (__int128)bits - (negative ? (__int128)1 << ints[s].bits : 0);
                for (int d = 0; d < INTS; d++) {
                    if (s == d)
                        continue;
                    const int width = ints[d].bits - ints[d].is_signed;
                    const __int128 max = ((__int128)1 << width) - 1, min = ints[d].is_signed ? -max - 1 : 0;
                    const __int128 clamped = value > max ? max : value < min ? min : value;
                    const uint64_t on = pto_number_convert(ints[d].type, ints[s].type, bits, NONE, ON);
                    const uint64_t off = pto_number_convert(ints[d].type, ints[s].type, bits, NONE, OFF);
                    if (on != low((int64_t)clamped, ints[d].bits) ||
                        off != low((int64_t)value, ints[d].bits)) {
                        print_error("%s to %s, 0x%llx\n",
                                    pto_format_describe(pto_format_of_dtype(ints[s].type))->name,
                                    pto_format_describe(pto_format_of_dtype(ints[d].type))->name,
                                    (unsigned long long)bits);
                        fail();
                    }
                }
            }
        }
    }
    assert_cvt(S16, S32, 40000, NONE, DEFAULT, 40000); /* wraps: the bits of -25536 */
    assert_cvt(U8, S16, low(-1, 16), NONE, DEFAULT, 0);
    assert_cvt(U32, S16, low(-1, 16), NONE, DEFAULT, 0);
    assert_cvt(U32, S16, low(-1, 16), NONE, OFF, 0xFFFFFFFF);
    assert_cvt(S32, S64, 0x123456789, NONE, DEFAULT, 0x23456789);
    assert_cvt(S16, U32, 0xFFFFFFFF, NONE, DEFAULT, 32767);
}

/* ---- integer to float ---- */

static void test_integer_to_float(void **state) {
    (void)state;
    /* 2^24 + 1 lies half way between two floats. */
    assert_cvt(F32, S32, 16777217, NONE, DEFAULT, f32(16777216));
    assert_cvt(F32, S32, 16777219, NONE, DEFAULT, f32(16777220));
    assert_cvt(F32, S32, 16777217, PTO_CAST_ROUND, DEFAULT, f32(16777218));
    assert_cvt(F32, S32, 16777217, PTO_CAST_CEIL, DEFAULT, f32(16777218));
    assert_cvt(F32, S32, low(-16777217, 32), PTO_CAST_CEIL, DEFAULT, f32(-16777216));
    assert_cvt(F32, S32, low(-16777217, 32), PTO_CAST_FLOOR, DEFAULT, f32(-16777218));
    assert_cvt(F32, S32, 0x80000000, NONE, DEFAULT, f32(-0x1p31));
    assert_cvt(F32, S32, 0x7FFFFFFF, PTO_CAST_TRUNC, DEFAULT, f32(2147483520));
    assert_cvt(F32, S64, 1ull << 63, NONE, DEFAULT, f32(-0x1p63));
    assert_cvt(F32, S64, INT64_MAX, NONE, DEFAULT, f32(0x1p63));
    assert_cvt(F32, S64, INT64_MAX, PTO_CAST_TRUNC, DEFAULT, f32(0x1.fffffep62));
    /* Through double this would round twice: 2^60 + 2^36 + 1 is above the half. */
    assert_cvt(F32, S64, (1ull << 60) + (1ull << 36) + 1, NONE, DEFAULT, f32(0x1.000002p60));
    assert_cvt(F32, U64, UINT64_MAX, NONE, DEFAULT, f32(0x1p64));
    assert_cvt(F16, S16, 32767, NONE, DEFAULT, f16(32768));
    assert_cvt(F16, S16, 32767, PTO_CAST_TRUNC, DEFAULT, f16(32752));
    assert_cvt(F16, S32, 65519, NONE, DEFAULT, 0x7BFF);
    assert_cvt(F16, S32, 65520, NONE, DEFAULT, 0x7BFF);
    assert_cvt(F16, S32, 65520, NONE, OFF, 0x7C00);
    assert_cvt(F16, S32, low(-65520, 32), NONE, OFF, 0xFC00);
    assert_cvt(F16, S32, 2049, PTO_CAST_CEIL, DEFAULT, f16(2048)); /* mode not honoured */
    assert_cvt(F32, S32, 0, PTO_CAST_FLOOR, DEFAULT, 0);
    assert_cvt(F16, S4, 0x8, NONE, DEFAULT, f16(-8));
    assert_cvt(F16, U8, 255, NONE, DEFAULT, f16(255));
    assert_cvt(F64, S64, 0x7FFFFFFFFFFFFFFF, NONE, DEFAULT, 0x43E0000000000000);
}

/* ---- float to float ---- */

static void test_float_to_float(void **state) {
    (void)state;
    static const struct {
        pto_dtype dst;
        double finite; /* out of range in dst */
        uint64_t sign, max, off, inf_off, nan;
    } cases[] = {
        {PTO_F16, 70000, 0x8000, 0x7BFF, 0x7C00, 0x7C00, 0x7E00},
        {PTO_BF16, 0x1.fffffep127, 0x8000, 0x7F7F, 0x7F80, 0x7F80, 0x7FC0},
        {PTO_E5M2, 65536, 0x80, 0x7B, 0x7C, 0x7C, 0x7E},
        {PTO_E4M3, 500, 0x80, 0x7E, 0x7F, 0x7F, 0x7F},
        {PTO_HIF8, 40960, 0x80, 0x6E, 0x6F, 0x6F, 0x80},
        {PTO_E2M1, 100, 0x8, 0x7, 0x7, 0x7, 0x7},
        {PTO_E1M2, 100, 0x8, 0x7, 0x7, 0x7, 0x7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int negative = 0; negative < 2; negative++) {
            const uint64_t sign = negative ? cases[i].sign : 0;
            const double finite = negative ? -cases[i].finite : cases[i].finite,
                         inf = negative ? -INFINITY : INFINITY;
            assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, f32(finite), NONE, DEFAULT),
                             sign | cases[i].max);
            assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, f32(finite), NONE, OFF),
                             sign | cases[i].off);
            assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, f32(inf), NONE, DEFAULT),
                             sign | cases[i].max);
            assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, f32(inf), NONE, OFF),
                             sign | cases[i].inf_off);
        }
        assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, 0xFF812345, NONE, ON), cases[i].nan);
        assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, 0x7F800001, NONE, OFF), cases[i].nan);
        assert_int_equal(pto_number_convert(cases[i].dst, PTO_F32, 0x80000000, NONE, ON),
                         cases[i].dst == PTO_HIF8 ? 0 : cases[i].sign);
    }
    /* Modes that forbid an infinity. */
    assert_cvt(F16, F32, f32(70000), PTO_CAST_TRUNC, OFF, 0x7BFF);
    assert_cvt(F16, F32, f32(70000), PTO_CAST_ODD, OFF, 0x7BFF);
    assert_cvt(F16, F32, f32(70000), PTO_CAST_FLOOR, OFF, 0x7BFF);
    assert_cvt(F16, F32, f32(-70000), PTO_CAST_FLOOR, OFF, 0xFC00);
    assert_cvt(F16, F32, f32(-70000), PTO_CAST_CEIL, OFF, 0xFBFF);
    /* fp8 and hif8 ignore the mode; hif8 rounds ties away, the others to even. */
    assert_cvt(E4M3, F32, f32(1.0625), PTO_CAST_CEIL, DEFAULT, 0x38);
    assert_cvt(HIF8, F32, f32(1.0625), PTO_CAST_TRUNC, DEFAULT, 0x09);
    /* bf16 to half: by value, one rounding. */
    assert_cvt(F16, BF16, bf16(1.5), NONE, DEFAULT, f16(1.5));
    assert_cvt(F16, BF16, bf16(0x1p-25), NONE, DEFAULT, 0);
    assert_cvt(F16, BF16, bf16(0x1.02p-25), NONE, DEFAULT, 1);
    /* ODD is honoured for fp32 to half, not for bf16. */
    assert_cvt(F16, F32, 0x3F800001, PTO_CAST_ODD, DEFAULT, 0x3C01);
    assert_cvt(BF16, F32, 0x3F800001, PTO_CAST_ODD, DEFAULT, 0x3F80);
    /* Widening: NaN becomes canonical, infinity stays one unless saturation is asked for. */
    assert_cvt(F32, F16, 0xFC01, NONE, DEFAULT, 0x7FC00000);
    assert_cvt(F32, F16, 0x7C00, NONE, DEFAULT, 0x7F800000);
    assert_cvt(F32, F16, 0xFC00, NONE, OFF, 0xFF800000);
    assert_cvt(F32, F16, 0x7C00, NONE, ON, 0x7F7FFFFF);
    assert_cvt(F32, BF16, 0x0001, NONE, DEFAULT, 0x00010000);
    assert_cvt(F32, E4M3, 0x7F, NONE, DEFAULT, 0x7FC00000);
    assert_cvt(F32, E5M2, 0x7C, NONE, DEFAULT, 0x7F800000);
    assert_cvt(F32, HIF8, 0x80, NONE, DEFAULT, 0x7FC00000);
    assert_cvt(BF16, E2M1, 0xF, NONE, DEFAULT, bf16(-6));
    assert_cvt(BF16, E1M2, 0x8, NONE, DEFAULT, 0x8000);
    assert_cvt(E2M1, BF16, bf16(2.5), NONE, DEFAULT, 0x4);
    assert_cvt(E2M1, BF16, bf16(2.5), PTO_CAST_ROUND, DEFAULT, 0x5);
    assert_cvt(E8M0, F32, f32(3.0), PTO_CAST_FLOOR, ON, 128);
}

/* fp32 to fp32 rounds to an integral value. */
static void test_round_to_integral(void **state) {
    (void)state;
    assert_cvt(F32, F32, f32(2.5), NONE, DEFAULT, f32(2));
    assert_cvt(F32, F32, f32(2.5), PTO_CAST_ROUND, DEFAULT, f32(3));
    assert_cvt(F32, F32, f32(-0.3), RINT, DEFAULT, 0x80000000);
    assert_cvt(F32, F32, f32(-0.3), PTO_CAST_FLOOR, DEFAULT, f32(-1));
    assert_cvt(F32, F32, f32(-0.3), PTO_CAST_CEIL, DEFAULT, 0x80000000);
    assert_cvt(F32, F32, f32(0x1p-149), PTO_CAST_CEIL, DEFAULT, f32(1));
    assert_cvt(F32, F32, f32(2.5), PTO_CAST_ODD, DEFAULT, f32(2)); /* not honoured */
    assert_cvt(F32, F32, f32(8388609), PTO_CAST_FLOOR, DEFAULT, f32(8388609));
    assert_cvt(F32, F32, f32(8388607.5), RINT, DEFAULT, f32(8388608));
    assert_cvt(F32, F32, 0x7F7FFFFF, RINT, ON, 0x7F7FFFFF);
    assert_cvt(F32, F32, 0xFF800000, RINT, ON, 0xFF800000);
    assert_cvt(F32, F32, 0xFF800001, RINT, ON, 0x7FC00000);
    assert_cvt(F32, F32, 0x80000000, RINT, ON, 0x80000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_table),        cmocka_unit_test(test_pairs_without_row),
        cmocka_unit_test(test_float_to_integer),  cmocka_unit_test(test_special_to_integer),
        cmocka_unit_test(test_indefinite),        cmocka_unit_test(test_integer_to_integer),
        cmocka_unit_test(test_integer_to_float),  cmocka_unit_test(test_float_to_float),
        cmocka_unit_test(test_round_to_integral),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
