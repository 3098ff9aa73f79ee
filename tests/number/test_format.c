/* SPDX-License-Identifier: Apache-2.0 */
/* Every code and every gap between neighbouring values of the small formats, against values built from the
 * definitions of part 10, 2 in long double and neighbours chosen by exact distance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "number/format.h"

/* What happens to a finite value out of range, and to Inf, without saturation. */
enum overflow { TO_INF_BY_MODE, TO_NAN, TO_MAX };

typedef struct layout {
    pto_format format;
    int exponent_bits, fraction_bits, bias, pad;
    enum overflow overflow;
    uint64_t inf, nan, max; /* inf 0: the format has none; nan: what NaN becomes */
    bool has_nan;
} layout;

static const layout layouts[] = {
    {PTO_FORMAT_TF32, 8, 10, 127, 13, TO_INF_BY_MODE, 0x7F800000, 0x7FC00000, 0x7F7FE000, true},
    {PTO_FORMAT_HF32, 8, 11, 127, 12, TO_INF_BY_MODE, 0x7F800000, 0x7FC00000, 0x7F7FF000, true},
    {PTO_FORMAT_FP19, 8, 10, 127, 0, TO_INF_BY_MODE, 0xFFull << 10, 0x1FFull << 9, (0xFFull << 10) - 1, true},
    {PTO_FORMAT_F16, 5, 10, 15, 0, TO_INF_BY_MODE, 0x7C00, 0x7E00, 0x7BFF, true},
    {PTO_FORMAT_BF16, 8, 7, 127, 0, TO_INF_BY_MODE, 0x7F80, 0x7FC0, 0x7F7F, true},
    {PTO_FORMAT_E5M2, 5, 2, 15, 0, TO_INF_BY_MODE, 0x7C, 0x7E, 0x7B, true},
    {PTO_FORMAT_E4M3, 4, 3, 7, 0, TO_NAN, 0, 0x7F, 0x7E, true},
    {PTO_FORMAT_E3M2, 3, 2, 3, 0, TO_MAX, 0, 0x1F, 0x1F, false},
    {PTO_FORMAT_E2M3, 2, 3, 1, 0, TO_MAX, 0, 0x1F, 0x1F, false},
    {PTO_FORMAT_E2M1, 2, 1, 1, 0, TO_MAX, 0, 0x7, 0x7, false},
    {PTO_FORMAT_E1M2, 1, 2, 1, 0, TO_MAX, 0, 0x7, 0x7, false},
    {PTO_FORMAT_HIF4, 1, 2, 1, 0, TO_MAX, 0, 0x7, 0x7, false},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const int modes[] = {PTO_CAST_NONE, PTO_CAST_RINT,  PTO_CAST_ROUND, PTO_CAST_FLOOR,
                            PTO_CAST_CEIL, PTO_CAST_TRUNC, PTO_CAST_ODD,   (int)PTO_CAST_HALF_UP};
enum { MODES = sizeof modes / sizeof *modes };

static long double magnitude_of(const layout *l, uint64_t code) {
    code >>= l->pad;
    const uint64_t steps = 1ull << l->fraction_bits, field = code / steps, fraction = code % steps;
    if (field == 0)
        return ldexpl((long double)fraction, 1 - l->bias - l->fraction_bits);
    return ldexpl(1 + (long double)fraction / (long double)steps, (int)field - l->bias);
}

static uint64_t sign_of(const layout *l) { return 1ull << (l->exponent_bits + l->fraction_bits + l->pad); }

/* Assertions of cmocka cost too much inside loops of millions: compare first. */
static void same_code(const char *what, double x, int mode, bool sat, uint64_t got, uint64_t want) {
    if (got == want)
        return;
    print_error("%s of %a, mode %d, saturate %d: 0x%llx, expected 0x%llx\n", what, x, mode, sat,
                (unsigned long long)got, (unsigned long long)want);
    fail();
}

static bool same_double(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void test_decode_every_code(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const layout *l = &layouts[i];
        for (uint64_t code = 0; code < 2 * sign_of(l); code += 1ull << l->pad) {
            const uint64_t magnitude = code % sign_of(l);
            double want = (double)magnitude_of(l, magnitude);
            if (l->inf && magnitude >= l->inf)
                want = magnitude == l->inf ? INFINITY : NAN;
            if (l->overflow == TO_NAN && magnitude == l->nan)
                want = NAN;
            if (code >= sign_of(l))
                want = -want;
            if (!same_double(pto_number_to_f64(l->format, code), want)) {
                print_error("%s 0x%llx\n", pto_format_describe(l->format)->name, (unsigned long long)code);
                fail();
            }
        }
    }
}

/* Bits above the code, and the low bits of tf32 and hf32, are masked on read. */
static void test_decode_masks(void **state) {
    (void)state;
    assert_true(pto_number_to_f64(PTO_FORMAT_E3M2, 0xC0 | 0x1F) == 28.0);
    assert_true(pto_number_to_f64(PTO_FORMAT_E2M3, 0xC0 | 0x1F) == 7.5);
    assert_true(pto_number_to_f64(PTO_FORMAT_E2M1, 0xF7) == 6.0);
    assert_true(pto_number_to_f64(PTO_FORMAT_S4, 0x18) == -8.0);
    assert_true(pto_number_to_f64(PTO_FORMAT_TF32, 0x3F801FFF) == 1.0);
    assert_true(pto_number_to_f64(PTO_FORMAT_HF32, 0x3F800FFF) == 1.0);
    assert_true(isinf(pto_number_to_f64(PTO_FORMAT_TF32, 0x7F801FFF)));
}

/* The code that a mode picks for x with low < |x| < high, by distances; odd: low has an odd last place. */
static bool picks_high(long double low, long double high, long double x, bool negative, bool low_is_odd,
                       int mode) {
    const long double below = x - low, above = high - x;
    if (below == 0)
        return false;
    switch (mode) {
    case PTO_CAST_ROUND:
        return below >= above;
    case PTO_CAST_FLOOR:
        return negative;
    case PTO_CAST_CEIL:
        return !negative;
    case PTO_CAST_TRUNC:
        return false;
    case PTO_CAST_ODD:
        return !low_is_odd;
    case (int)PTO_CAST_HALF_UP:
        return below > above || (below == above && !negative);
    default:
        return below > above || (below == above && low_is_odd);
    }
}

static uint64_t overflow_code(const layout *l, bool negative, int mode, bool saturate) {
    const uint64_t sign = negative ? sign_of(l) : 0;
    if (saturate || l->overflow == TO_MAX)
        return sign | l->max;
    if (l->overflow == TO_NAN)
        return sign | l->nan;
    const bool toward_zero =
        mode == PTO_CAST_TRUNC || mode == PTO_CAST_ODD || mode == (negative ? PTO_CAST_CEIL : PTO_CAST_FLOOR);
    return sign | (toward_zero ? l->max : l->inf);
}

static void check_gap(const layout *l, uint64_t code, double x) {
    const uint64_t next = code + (1ull << l->pad);
    const long double low = magnitude_of(l, code), high = magnitude_of(l, next);
    for (int negative = 0; negative < 2; negative++) {
        const pto_number value = pto_number_from_f64(negative ? -x : x);
        for (int m = 0; m < MODES; m++) {
            const bool up = picks_high(low, high, x, negative, code >> l->pad & 1, modes[m]);
            for (int sat = 0; sat < 2; sat++) {
                const uint64_t want = (up ? next : code) > l->max
                                          ? overflow_code(l, negative, modes[m], sat)
                                          : (up ? next : code) | (negative ? sign_of(l) : 0);
                same_code(pto_format_describe(l->format)->name, negative ? -x : x, modes[m], sat,
                          pto_number_encode(l->format, value, (pto_round_mode)modes[m], sat), want);
            }
        }
    }
}

static void test_encode_every_gap(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const layout *l = &layouts[i];
        const bool wide = l->exponent_bits + l->fraction_bits > 15;
        for (uint64_t n = 0; n <= l->max >> l->pad; n++) {
            /* The formats of more than 16 bits by sample, but around every power of two. */
            const uint64_t fraction = n & ((1ull << l->fraction_bits) - 1),
                           top = (1ull << l->fraction_bits) - 1;
            if (wide && fraction > 1 && fraction < top && n % 37 != 0)
                continue;
            const uint64_t code = n << l->pad;
            /* The step after the largest value is what the next code would be with one more exponent. */
            const double low = (double)magnitude_of(l, code),
                         high = (double)magnitude_of(l, code + (1ull << l->pad));
            const double middle = low + (high - low) / 2;
            const double points[] = {
                low,    nextafter(low, INFINITY),    low + (high - low) / 4, nextafter(middle, 0),
                middle, nextafter(middle, INFINITY), nextafter(high, 0)};
            for (size_t p = 0; p < sizeof points / sizeof *points; p++)
                check_gap(l, code, points[p]);
        }
    }
}

static void test_encode_out_of_range(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const layout *l = &layouts[i];
        const double limit = (double)magnitude_of(l, l->max + (1ull << l->pad));
        const double values[] = {
            limit, nextafter(limit, INFINITY), limit * 1.5, limit * 1024, 0x1p200, 0x1.8p1023, INFINITY};
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            for (int negative = 0; negative < 2; negative++) {
                for (int m = 0; m < MODES; m++) {
                    for (int sat = 0; sat < 2; sat++) {
                        const double x = negative ? -values[v] : values[v];
                        /* An infinite source is not rounded, so the mode does not matter. */
                        const int mode = isinf(x) ? PTO_CAST_RINT : modes[m];
                        same_code(pto_format_describe(l->format)->name, x, modes[m], sat,
                                  pto_number_encode_f64(l->format, x, (pto_round_mode)modes[m], sat),
                                  overflow_code(l, negative, mode, sat));
                    }
                }
            }
        }
        assert_int_equal(pto_number_encode_f64(l->format, NAN, PTO_CAST_RINT, true), l->nan);
        assert_int_equal(pto_number_encode_f64(l->format, -(double)NAN, PTO_CAST_RINT, false), l->nan);
        assert_int_equal(pto_number_encode_f64(l->format, -0.0, PTO_CAST_RINT, true), sign_of(l));
        assert_int_equal(pto_number_encode_f64(l->format, -0x1p-1074, PTO_CAST_RINT, true), sign_of(l));
        assert_int_equal(pto_number_encode_f64(l->format, 0x1p-1074, PTO_CAST_CEIL, true), 1u << l->pad);
    }
}

/* ---- hif8: values row by row of the table of 2.5 ---- */

static long double hif8_values[128];

static void fill_hif8(void) {
    hif8_values[0] = 0;
    for (int m = 1; m < 8; m++)
        hif8_values[m] = ldexpl(1, m - 23);
    for (int f = 0; f < 8; f++)
        hif8_values[0x08 + f] = 1 + f / 8.0L; /* 0001 fff */
    for (int x = 0; x < 2; x++) {
        for (int f = 0; f < 8; f++) {
            hif8_values[0x10 + 8 * x + f] = ldexpl(1 + f / 8.0L, x ? -1 : 1); /* 001 x fff */
            for (int e = 0; e < 2; e++) {                                     /* 01 x e fff */
                hif8_values[0x20 + 16 * x + 8 * e + f] = ldexpl(1 + f / 8.0L, x ? -(2 + e) : 2 + e);
            }
        }
        for (int e = 0; e < 4; e++) { /* 10 x ee ff */
            for (int f = 0; f < 4; f++) {
                hif8_values[0x40 + 16 * x + 4 * e + f] = ldexpl(1 + f / 4.0L, x ? -(4 + e) : 4 + e);
            }
        }
        for (int e = 0; e < 8; e++) { /* 11 x eee f */
            for (int f = 0; f < 2; f++) {
                hif8_values[0x60 + 16 * x + 2 * e + f] = ldexpl(1 + f / 2.0L, x ? -(8 + e) : 8 + e);
            }
        }
    }
}

static int by_hif8_value(const void *a, const void *b) {
    const long double x = hif8_values[*(const int *)a], y = hif8_values[*(const int *)b];
    return (x > y) - (x < y);
}

static void test_hif8(void **state) {
    (void)state;
    fill_hif8();
    int order[128], finite = 0;
    for (int code = 0; code < 256; code++) {
        const int payload = code & 0x7F;
        double want = (double)hif8_values[payload];
        if (payload == 0x6F)
            want = INFINITY;
        if (code & 0x80)
            want = payload ? -want : (double)NAN;
        assert_true(same_double(pto_number_to_f64(PTO_FORMAT_HIF8, (uint64_t)code), want));
        if (code < 0x80)
            order[code] = code;
        if (isfinite(want))
            finite++;
    }
    assert_int_equal(finite, 253);
    qsort(order, 128, sizeof *order,
          by_hif8_value); /* 0x6F stands at 1.5 * 2^15, where overflow begins to count */
    assert_int_equal(order[127], 0x6F);
    static const int plain[] = {PTO_CAST_ROUND, PTO_CAST_FLOOR, PTO_CAST_CEIL, PTO_CAST_TRUNC,
                                (int)PTO_CAST_HALF_UP};
    for (int i = 0; i < 127; i++) {
        const double low = (double)hif8_values[order[i]], high = (double)hif8_values[order[i + 1]];
        const double middle = low + (high - low) / 2;
        const double points[] = {low,    nextafter(low, INFINITY),    nextafter(middle, 0),
                                 middle, nextafter(middle, INFINITY), nextafter(high, 0)};
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            for (int negative = 0; negative < 2; negative++) {
                for (size_t m = 0; m < sizeof plain / sizeof *plain; m++) {
                    for (int sat = 0; sat < 2; sat++) {
                        const bool up = picks_high(low, high, points[p], negative, false, plain[m]);
                        int want = up ? order[i + 1] : order[i];
                        if (want == 0x6F && sat)
                            want = 0x6E;
                        if (want != 0 && negative)
                            want |= 0x80;
                        const double x = negative ? -points[p] : points[p];
                        same_code("hif8", x, plain[m], sat,
                                  pto_number_encode_f64(PTO_FORMAT_HIF8, x, (pto_round_mode)plain[m], sat),
                                  (uint64_t)want);
                    }
                }
            }
        }
    }
    static const double big[] = {40960, 49152, 65535, 65536, 0x1p100, INFINITY};
    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, big[i], PTO_CAST_ROUND, true), 0x6E);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, big[i], PTO_CAST_ROUND, false), 0x6F);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, -big[i], PTO_CAST_ROUND, true), 0xEE);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, -big[i], PTO_CAST_ROUND, false), 0xEF);
    }
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, NAN, PTO_CAST_ROUND, true), 0x80);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, -0.0, PTO_CAST_ROUND, true), 0x00);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_HIF8, 1.0, PTO_CAST_ROUND, true), 0x08);
}

/* ---- scales ---- */

static void test_e8m0(void **state) {
    (void)state;
    for (int code = 0; code < 255; code++) {
        assert_true(pto_number_to_f64(PTO_FORMAT_E8M0, (uint64_t)code) == ldexp(1, code - 127));
    }
    assert_true(isnan(pto_number_to_f64(PTO_FORMAT_E8M0, 0xFF)));
    static const double factors[] = {1.0, 0x1.0000000000001p0, 1.25, 0x1.6a09e667f3bccp0, 0x1.6a09e667f3bcdp0,
                                     1.75};
    for (int h = -130; h <= 130; h++) {
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            const bool exact = factors[f] == 1.0, above = (long double)factors[f] * factors[f] > 2;
            for (int m = 0; m < MODES; m++) {
                int r = h;
                if (!exact) {
                    switch (modes[m]) {
                    case PTO_CAST_FLOOR:
                        break;
                    case PTO_CAST_CEIL:
                        r = h + 1;
                        break;
                    case PTO_CAST_TRUNC:
                        r = h < 0 ? h + 1 : h;
                        break;
                    case PTO_CAST_ODD:
                        r = abs(h) % 2 ? h : h + 1;
                        break;
                    default:
                        r = above ? h + 1 : h;
                        break;
                    }
                }
                const bool low = h<-127, high = h> 127 || (h == 127 && !exact);
                const double x = ldexp(factors[f], h);
                same_code("e8m0", x, modes[m], true,
                          pto_number_encode_f64(PTO_FORMAT_E8M0, x, (pto_round_mode)modes[m], true),
                          low    ? 0x00
                          : high ? 0xFE
                                 : (uint64_t)(r + 127));
                same_code("e8m0", x, modes[m], false,
                          pto_number_encode_f64(PTO_FORMAT_E8M0, x, (pto_round_mode)modes[m], false),
                          low || high ? 0xFF : (uint64_t)(r + 127));
            }
        }
    }
    static const double invalid[] = {0.0, -0.0, -1.0, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E8M0, invalid[i], PTO_CAST_RINT, true), 0xFF);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E8M0, invalid[i], PTO_CAST_RINT, false), 0xFF);
    }
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E8M0, INFINITY, PTO_CAST_RINT, true), 0xFE);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E8M0, INFINITY, PTO_CAST_RINT, false), 0xFF);
}

static double e6m2_value(int code) { return ldexp(1 + code % 4 / 4.0, code / 4 - 48); }

static void test_e6m2(void **state) {
    (void)state;
    for (int code = 0; code < 255; code++) {
        const double low = e6m2_value(code), high = e6m2_value(code + 1), middle = (low + high) / 2;
        assert_true(pto_number_to_f64(PTO_FORMAT_E6M2, (uint64_t)code) == low);
        const int next = code == 254 ? 254 : code + 1;
        const int tie = code % 2 ? next : code;
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, low, PTO_CAST_RINT, true), code);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, nextafter(middle, 0), PTO_CAST_RINT, true),
                         code);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, middle, PTO_CAST_RINT, true), tie);
        assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, nextafter(middle, 1e9), PTO_CAST_RINT, true),
                         next);
    }
    assert_true(isnan(pto_number_to_f64(PTO_FORMAT_E6M2, 0xFF)));
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, NAN, PTO_CAST_RINT, true), 0xFF);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, INFINITY, PTO_CAST_RINT, true), 0xFE);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, 1e30, PTO_CAST_RINT, false), 0xFE);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, 0.0, PTO_CAST_RINT, true), 0);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, -3.0, PTO_CAST_RINT, true), 0);
    assert_int_equal(pto_number_encode_f64(PTO_FORMAT_E6M2, 0x1p-60, PTO_CAST_CEIL, true), 0);
}

/* The values that section 2.2 spells out. */
static void test_landmarks(void **state) {
    (void)state;
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6},
                        e1m2[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};
    for (uint64_t i = 0; i < 8; i++) {
        assert_true(pto_number_to_f64(PTO_FORMAT_E2M1, i) == e2m1[i]);
        assert_true(pto_number_to_f64(PTO_FORMAT_E2M1, i | 8) == -e2m1[i]);
        assert_true(pto_number_to_f64(PTO_FORMAT_E1M2, i) == e1m2[i]);
        assert_true(pto_number_to_f64(PTO_FORMAT_HIF4, i) == e1m2[i]);
    }
    assert_true(pto_number_to_f64(PTO_FORMAT_E4M3, 0x7E) == 448);
    assert_true(pto_number_to_f64(PTO_FORMAT_E5M2, 0x7B) == 57344);
    assert_true(pto_number_to_f64(PTO_FORMAT_E3M2, 0x1F) == 28);
    assert_true(pto_number_to_f64(PTO_FORMAT_E2M3, 0x1F) == 7.5);
    assert_true(pto_number_to_f64(PTO_FORMAT_F16, 0x7BFF) == 65504);
    assert_true(pto_number_to_f64(PTO_FORMAT_F32, 0x7F7FFFFF) == 0x1.fffffep127);
    assert_true(pto_number_to_f64(PTO_FORMAT_F32, 1) == 0x1p-149);
    assert_true(pto_number_to_f64(PTO_FORMAT_F64, 1) == 0x1p-1074);
    assert_true(pto_number_to_f64(PTO_FORMAT_S64, 1ull << 63) == -0x1p63);
    assert_true(pto_number_to_f64(PTO_FORMAT_U64, ~0ull) == 0x1p64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode_every_code),
        cmocka_unit_test(test_decode_masks),
        cmocka_unit_test(test_encode_every_gap),
        cmocka_unit_test(test_encode_out_of_range),
        cmocka_unit_test(test_hif8),
        cmocka_unit_test(test_e8m0),
        cmocka_unit_test(test_e6m2),
        cmocka_unit_test(test_landmarks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
