/* SPDX-License-Identifier: Apache-2.0 */
/* String views, numbers from and to text in any locale, edit distance, UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "base/str.h"
#include "base/utf8.h"

static void views_compare_and_slice(void **state) {
    (void)state;
    pto_str s = PTO_STR("  tile_buf ");
    assert_true(pto_str_equal(pto_str_trim(s), PTO_STR("tile_buf")));
    assert_true(pto_str_equal(pto_str_trim(PTO_STR(" \t\n")), pto_str_from(NULL)));
    assert_true(pto_str_starts_with(PTO_STR("!pto.tile"), PTO_STR("!pto.")));
    assert_false(pto_str_starts_with(PTO_STR("!p"), PTO_STR("!pto.")));
    assert_true(pto_str_ends_with(PTO_STR("a.pto"), PTO_STR(".pto")));
    assert_false(pto_str_ends_with(PTO_STR("pto"), PTO_STR(".pto")));
    assert_true(pto_str_equal_ignore_case(PTO_STR("TRelu"), PTO_STR("trELU")));
    assert_false(pto_str_equal_ignore_case(PTO_STR("@"), PTO_STR("`")));
    assert_true(pto_str_compare(PTO_STR("ab"), PTO_STR("abc")) < 0);
    assert_true(pto_str_compare(PTO_STR("\xff"), PTO_STR("a")) > 0);
    assert_int_equal(pto_str_compare(pto_str_from(NULL), PTO_STR("")), 0);
    assert_true(pto_str_equal(pto_str_slice(s, 2, 6), PTO_STR("tile")));
    assert_int_equal(pto_str_slice(s, 9, 3).len, 0);
    assert_int_equal(pto_str_slice(s, 0, 900).len, s.len);
}

static void signed_integers_reach_both_ends(void **state) {
    (void)state;
    static const struct {
        const char *text;
        pto_parse result;
        int64_t value;
    } rows[] = {
        {"0", PTO_PARSE_OK, 0},
        {"-0", PTO_PARSE_OK, 0},
        {"+17", PTO_PARSE_OK, 17},
        {"9223372036854775807", PTO_PARSE_OK, INT64_MAX},
        {"9223372036854775808", PTO_PARSE_RANGE, INT64_MAX},
        {"-9223372036854775808", PTO_PARSE_OK, INT64_MIN},
        {"-9223372036854775809", PTO_PARSE_RANGE, INT64_MIN},
        {"99999999999999999999999", PTO_PARSE_RANGE, INT64_MAX},
        {"0x7fffffffffffffff", PTO_PARSE_OK, INT64_MAX},
        {"-0X8000000000000000", PTO_PARSE_OK, INT64_MIN},
        {"0xffffffffffffffff", PTO_PARSE_RANGE, INT64_MAX},
        {"", PTO_PARSE_SYNTAX, 0},
        {"-", PTO_PARSE_SYNTAX, 0},
        {"0x", PTO_PARSE_SYNTAX, 0},
        {"1 ", PTO_PARSE_SYNTAX, 0},
        {" 1", PTO_PARSE_SYNTAX, 0},
        {"1f", PTO_PARSE_SYNTAX, 0},
        {"--1", PTO_PARSE_SYNTAX, 0},
        {"99999999999999999999999z", PTO_PARSE_SYNTAX, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t value = 42;
        assert_int_equal(pto_str_parse_i64(pto_str_from(rows[i].text), &value), rows[i].result);
        assert_true(value == rows[i].value);
    }
}

static void unsigned_integers_reach_both_ends(void **state) {
    (void)state;
    uint64_t value;
    assert_int_equal(pto_str_parse_u64(PTO_STR("18446744073709551615"), &value), PTO_PARSE_OK);
    assert_true(value == UINT64_MAX);
    assert_int_equal(pto_str_parse_u64(PTO_STR("18446744073709551616"), &value), PTO_PARSE_RANGE);
    assert_true(value == UINT64_MAX);
    assert_int_equal(pto_str_parse_u64(PTO_STR("0xFFFFFFFFFFFFFFFF"), &value), PTO_PARSE_OK);
    assert_true(value == UINT64_MAX);
    assert_int_equal(pto_str_parse_u64(PTO_STR("0x10000000000000000"), &value), PTO_PARSE_RANGE);
    assert_int_equal(pto_str_parse_u64(PTO_STR("-1"), &value), PTO_PARSE_RANGE);
    assert_true(value == 0);
    assert_int_equal(pto_str_parse_u64(PTO_STR("-0"), &value), PTO_PARSE_OK);
}

static void floats_follow_the_c_locale_everywhere(void **state) {
    (void)state;
    /* A locale with a decimal comma, if the system has one; "C" is tested in any case. */
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        double d;
        float f;
        char text[PTO_FORMAT_SIZE];
        assert_int_equal(pto_str_parse_f64(PTO_STR("-2.5e3"), &d), PTO_PARSE_OK);
        assert_true(d == -2500.0);
        assert_int_equal(pto_str_parse_f64(PTO_STR("2,5"), &d), PTO_PARSE_SYNTAX);
        assert_int_equal(pto_str_parse_f32(PTO_STR("0x1.8p-1"), &f), PTO_PARSE_OK);
        assert_true(f == 0.75f);
        assert_true(pto_str_equal(pto_format_f64(0.1, text), PTO_STR("0.1")));
    }
    setlocale(LC_ALL, "C");
}

static void float_edges(void **state) {
    (void)state;
    double d;
    float f;
    assert_int_equal(pto_str_parse_f64(PTO_STR("1e400"), &d), PTO_PARSE_RANGE);
    assert_true(isinf(d) && d > 0);
    assert_int_equal(pto_str_parse_f32(PTO_STR("-3.5e38"), &f), PTO_PARSE_RANGE);
    assert_true(isinf(f) && f < 0);
    assert_int_equal(pto_str_parse_f64(PTO_STR("1e-400"), &d), PTO_PARSE_OK);
    assert_true(d == 0.0);
    assert_int_equal(pto_str_parse_f64(PTO_STR("-INF"), &d), PTO_PARSE_OK);
    assert_true(isinf(d) && d < 0);
    assert_int_equal(pto_str_parse_f64(PTO_STR("nan"), &d), PTO_PARSE_OK);
    assert_true(isnan(d));
    assert_int_equal(pto_str_parse_f64(PTO_STR("-0.0"), &d), PTO_PARSE_OK);
    assert_true(d == 0.0 && signbit(d));
    /* 1 + 2^-24 + 2^-60: to double first and then to float would round down to 1. */
    assert_int_equal(pto_str_parse_f32(PTO_STR("0x1.000001000000001p0"), &f), PTO_PARSE_OK);
    assert_true(f == 1.0f + 0x1p-23f);
    static const char *const bad[] = {"",   ".",  "e5",     "1e",   "1e+",  "0x",  "0x.p1", "1.2.3", " 1",
                                      "1 ", "1f", "nan(1)", "infi", "0x1p", "--1", "1e5.0", "+",     "1_0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(pto_str_parse_f64(pto_str_from(bad[i]), &d), PTO_PARSE_SYNTAX);
    static const char *const good[] = {"1.", ".5", "5", "1E5", "0X1P4", "0x.8", "+infinity"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(pto_str_parse_f64(pto_str_from(good[i]), &d), PTO_PARSE_OK);
    char digits[401];
    memset(digits, '0', 400);
    digits[400] = '7';
    assert_int_equal(pto_str_parse_f64((pto_str){digits, 401}, &d), PTO_PARSE_OK);
    assert_true(d == 7.0);
}

static void formatted_floats_read_back(void **state) {
    (void)state;
    char text[PTO_FORMAT_SIZE];
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double d, back;
        memcpy(&d, &seed, sizeof d);
        pto_str s = pto_format_f64(d, text);
        assert_int_equal(pto_str_parse_f64(s, &back), PTO_PARSE_OK);
        assert_true(isnan(d) ? isnan(back) : memcmp(&d, &back, sizeof d) == 0);
        uint32_t high = (uint32_t)(seed >> 32);
        float f, fback;
        memcpy(&f, &high, sizeof f);
        s = pto_format_f32(f, text);
        assert_int_equal(pto_str_parse_f32(s, &fback), PTO_PARSE_OK);
        assert_true(isnan(f) ? isnan(fback) : memcmp(&f, &fback, sizeof f) == 0);
    }
    assert_true(pto_str_equal(pto_format_f32(0.1f, text), PTO_STR("0.1")));
    assert_true(pto_str_equal(pto_format_f64(-HUGE_VAL, text), PTO_STR("-inf")));
    assert_true(pto_str_equal(pto_format_f64(-0.0, text), PTO_STR("-0")));
}

/* The definition, written as a recursion: an independent reference. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m) {
    if (n == 0 || m == 0)
        return (unsigned)(n + m);
    unsigned best = distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    unsigned other = distance(a, n - 1, b, m) + 1;
    best = other < best ? other : best;
    other = distance(a, n, b, m - 1) + 1;
    best = other < best ? other : best;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        other = distance(a, n - 2, b, m - 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

static void edit_distance_is_the_definition(void **state) {
    (void)state;
    uint32_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        char a[5], b[5];
        for (int k = 0; k < 5; k++) {
            seed = seed * 1664525u + 1013904223u;
            a[k] = (char)('a' + (seed >> 20) % 3);
            b[k] = (char)('a' + (seed >> 24) % 3);
        }
        size_t n = (seed >> 8) % 6, m = (seed >> 12) % 6;
        unsigned want = distance(a, n, b, m);
        for (unsigned limit = 0; limit < 6; limit++)
            assert_int_equal(pto_str_distance((pto_str){a, n}, (pto_str){b, m}, limit),
                             want > limit ? limit + 1 : want);
    }
    char wide[64];
    memset(wide, 'x', sizeof wide);
    assert_int_equal(pto_str_distance((pto_str){wide, 64}, (pto_str){wide, 64}, 3), 4);
    assert_int_equal(pto_str_distance((pto_str){wide, 63}, (pto_str){wide, 63}, 3), 0);
}

static void nearest_name_is_a_hint_only_when_near(void **state) {
    (void)state;
    const pto_str names[] = {PTO_STR("trelu"), PTO_STR("tadd"), PTO_STR("taddrelu"), PTO_STR("tmul")};
    assert_int_equal(pto_str_nearest(PTO_STR("TREUL"), names, 4), 0);
    assert_int_equal(pto_str_nearest(PTO_STR("tad"), names, 4), 1);
    assert_int_equal(pto_str_nearest(PTO_STR("taddrlu"), names, 4), 2);
    assert_int_equal(pto_str_nearest(PTO_STR("softmax"), names, 4), -1);
    assert_int_equal(pto_str_nearest(PTO_STR("x"), names, 4), -1);
    assert_int_equal(pto_str_nearest(PTO_STR(""), names, 4), -1);
}

static void utf8_round_trips_and_refuses_the_rest(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        char bytes[4];
        uint32_t back;
        bool valid;
        size_t size = pto_utf8_encode(c, bytes);
        if (pto_utf8_decode(bytes, size, &back, &valid) != size || back != c || !valid)
            fail_msg("code point %x", (unsigned)c);
        if (size > 1 && (pto_utf8_decode(bytes, size - 1, &back, &valid) != 1 || valid))
            fail_msg("cut code point %x", (unsigned)c);
    }
    static const char *const bad[] = {"\x80",         "\xc0\x80",         "\xc1\xbf",         "\xe0\x80\x80",
                                      "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff",
                                      "\xc3("};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t c;
        bool valid;
        assert_int_equal(pto_utf8_decode(bad[i], strlen(bad[i]), &c, &valid), 1);
        assert_int_equal(c, PTO_UTF8_REPLACEMENT);
        assert_false(valid);
    }
    assert_int_equal(pto_utf8_width('a'), 1);
    assert_int_equal(pto_utf8_width(0x301), 0);
    assert_int_equal(pto_utf8_width(0x4e00), 2);
    assert_true(pto_utf8_is_unsafe(0x1b));
    assert_true(pto_utf8_is_unsafe(0x202e));
    assert_false(pto_utf8_is_unsafe(0xe9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare_and_slice),
        cmocka_unit_test(signed_integers_reach_both_ends),
        cmocka_unit_test(unsigned_integers_reach_both_ends),
        cmocka_unit_test(floats_follow_the_c_locale_everywhere),
        cmocka_unit_test(float_edges),
        cmocka_unit_test(formatted_floats_read_back),
        cmocka_unit_test(edit_distance_is_the_definition),
        cmocka_unit_test(nearest_name_is_a_hint_only_when_near),
        cmocka_unit_test(utf8_round_trips_and_refuses_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
