/* SPDX-License-Identifier: Apache-2.0 */
/* Every format of up to 20 significant bits against MPFR: the value of every code, and the rounding between
 * every two neighbouring values (of tf32, hf32 and fp19: a sample of them) in every mode, with and without
 * saturation, from f64 and from f32. Prints how many cases each format and mode had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "number/format.h"

enum { PRECISION = 128, MODES = 8 };
static const int modes[MODES] = {PTO_CAST_NONE, PTO_CAST_RINT,  PTO_CAST_ROUND, PTO_CAST_FLOOR,
                                 PTO_CAST_CEIL, PTO_CAST_TRUNC, PTO_CAST_ODD,   (int)PTO_CAST_HALF_UP};

typedef enum family { BINARY, TAPERED, POWER, SCALE, INTEGER } family;

/* A format as part 10, 2 describes it. */
typedef struct format {
    pto_format id;
    family family;
    int bits, exponent_bits, fraction_bits, bias;
    int unused;            /* low bits of the code that are always 0 */
    bool has_inf, has_nan; /* BINARY */
    int emax;              /* exponent of the largest finite value */
    double largest;        /* in units of 2^emax */
    uint64_t nan;          /* what a NaN becomes */
} format;

static const format formats[] = {
    {PTO_FORMAT_TF32, BINARY, 32, 8, 10, 127, 13, true, true, 127, 0x1.ffcp0, 0x7FC00000},
    {PTO_FORMAT_HF32, BINARY, 32, 8, 11, 127, 12, true, true, 127, 0x1.ffep0, 0x7FC00000},
    {PTO_FORMAT_FP19, BINARY, 19, 8, 10, 127, 0, true, true, 127, 0x1.ffcp0, 0x3FE00},
    {PTO_FORMAT_F16, BINARY, 16, 5, 10, 15, 0, true, true, 15, 0x1.ffcp0, 0x7E00},
    {PTO_FORMAT_BF16, BINARY, 16, 8, 7, 127, 0, true, true, 127, 0x1.fep0, 0x7FC0},
    {PTO_FORMAT_E5M2, BINARY, 8, 5, 2, 15, 0, true, true, 15, 1.75, 0x7E},
    {PTO_FORMAT_E4M3, BINARY, 8, 4, 3, 7, 0, false, true, 8, 1.75, 0x7F},
    {PTO_FORMAT_E3M2, BINARY, 6, 3, 2, 3, 0, false, false, 4, 1.75, 0x1F},
    {PTO_FORMAT_E2M3, BINARY, 6, 2, 3, 1, 0, false, false, 2, 1.875, 0x1F},
    {PTO_FORMAT_E2M1, BINARY, 4, 2, 1, 1, 0, false, false, 2, 1.5, 0x7},
    {PTO_FORMAT_E1M2, BINARY, 4, 1, 2, 1, 0, false, false, 0, 1.75, 0x7},
    {PTO_FORMAT_HIF4, BINARY, 4, 1, 2, 1, 0, false, false, 0, 1.75, 0x7},
    {PTO_FORMAT_HIF8, TAPERED, 8, 0, 0, 0, 0, true, true, 15, 1, 0x80},
    {PTO_FORMAT_E8M0, POWER, 8, 8, 0, 127, 0, false, true, 127, 1, 0xFF},
    {PTO_FORMAT_E6M2, SCALE, 8, 6, 2, 48, 0, false, true, 15, 1.5, 0xFF},
    {PTO_FORMAT_S4, INTEGER, 4, 0, 0, 1, 0, false, false, 0, 7, 0},
    {PTO_FORMAT_U4, INTEGER, 4, 0, 0, 0, 0, false, false, 0, 15, 0},
    {PTO_FORMAT_S8, INTEGER, 8, 0, 0, 1, 0, false, false, 0, 127, 0},
    {PTO_FORMAT_U8, INTEGER, 8, 0, 0, 0, 0, false, false, 0, 255, 0},
    {PTO_FORMAT_S16, INTEGER, 16, 0, 0, 1, 0, false, false, 0, 32767, 0},
    {PTO_FORMAT_U16, INTEGER, 16, 0, 0, 0, 0, false, false, 0, 65535, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static uint64_t decoded[FORMATS], encoded[FORMATS][MODES];

static mpfr_t exact, scaled, work; /* set up in main */

static double largest_of(const format *f) { return ldexp(f->largest, f->emax); }
static bool is_signed_integer(const format *f) { return f->family == INTEGER && f->bias; }

/* ---- values of codes, exactly ---- */

/* (-1)^negative * units * 2^exponent */
static double value_of(bool negative, uint64_t units, long exponent) {
    mpfr_set_ui_2exp(work, units, exponent, MPFR_RNDN);
    const double size = mpfr_get_d(work, MPFR_RNDN); /* every value of these formats is a double */
    return negative ? -size : size;
}

static double hif8_value(uint64_t code) {
    const bool negative = code >> 7;
    const unsigned p = code & 0x7F;
    if (p == 0)
        return negative ? (double)NAN : 0.0;
    if (p == 0x6F)
        return negative ? -INFINITY : INFINITY;
    if (p < 0x08)
        return value_of(negative, 1, (long)p - 23);
    /* the prefix tells how many bits the exponent's magnitude has behind its leading one */
    static const struct {
        unsigned first, width, fraction;
    } classes[] = {{0x60, 3, 1}, {0x40, 2, 2}, {0x20, 1, 3}, {0x10, 0, 3}};
    for (int c = 0; c < 4; c++) {
        if (p < classes[c].first)
            continue;
        const unsigned fraction = p & ((1u << classes[c].fraction) - 1), rest = p >> classes[c].fraction;
        const unsigned size = 1u << classes[c].width | (rest & ((1u << classes[c].width) - 1));
        const long exponent = rest >> classes[c].width & 1 ? -(long)size : (long)size;
        return value_of(negative, 1u << classes[c].fraction | fraction, exponent - (long)classes[c].fraction);
    }
    return value_of(negative, 8 | (p & 7), -3);
}

static double defined_value(const format *f, uint64_t code) {
    const uint64_t fraction_end = UINT64_C(1) << f->fraction_bits;
    switch (f->family) {
    case TAPERED:
        return hif8_value(code);
    case POWER:
        return code == 0xFF ? (double)NAN : value_of(false, 1, (long)code - f->bias);
    case SCALE:
        return code == 0xFF ? (double)NAN : value_of(false, 4 + code % 4, (long)(code / 4) - f->bias - 2);
    case INTEGER:
        if (is_signed_integer(f) && code >> (f->bits - 1))
            return -value_of(false, (UINT64_C(1) << f->bits) - code, 0);
        return value_of(false, code, 0);
    default: {
        const uint64_t significant = code >> f->unused, fraction = significant % fraction_end;
        const uint64_t field = significant / fraction_end % (UINT64_C(1) << f->exponent_bits);
        const bool negative = code >> (f->bits - 1);
        if (f->has_inf && field == (UINT64_C(1) << f->exponent_bits) - 1)
            return fraction ? (double)NAN : negative ? -INFINITY : INFINITY;
        if (f->has_nan && !f->has_inf && (code & 0x7F) == f->nan)
            return (double)NAN;
        if (field == 0)
            return value_of(negative, fraction, 1 - f->bias - f->fraction_bits);
        return value_of(negative, fraction_end + fraction, (long)field - f->bias - f->fraction_bits);
    }
    }
}

static bool same_value(double a, double b) {
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void test_value_of_every_code(void **state) {
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        const uint64_t codes = UINT64_C(1) << (f->bits - f->unused);
        for (uint64_t n = 0; n < codes; n++) {
            const uint64_t code = n << f->unused;
            const double want = defined_value(f, code), got = pto_number_to_f64(f->id, code);
            if (!same_value(got, want))
                fail_msg("%s 0x%llx: %a, expected %a", pto_format_describe(f->id)->name,
                         (unsigned long long)code, got, want);
            /* and back, in every mode: a value of the format is not rounded */
            for (int m = 0; m < MODES && isfinite(want); m++) {
                const uint64_t back = pto_number_encode_f64(f->id, want, (pto_round_mode)modes[m], false);
                if (back != code)
                    fail_msg("%s 0x%llx comes back as 0x%llx in mode %d", pto_format_describe(f->id)->name,
                             (unsigned long long)code, (unsigned long long)back, modes[m]);
            }
            decoded[i]++;
        }
    }
}

/* ---- rounding ---- */

/* scaled rounded to an integer by mode */
static void round_scaled(int mode) {
    switch (mode) {
    case PTO_CAST_ROUND:
        mpfr_round(scaled, scaled);
        break;
    case PTO_CAST_FLOOR:
        mpfr_floor(scaled, scaled);
        break;
    case PTO_CAST_CEIL:
        mpfr_ceil(scaled, scaled);
        break;
    case PTO_CAST_TRUNC:
        mpfr_trunc(scaled, scaled);
        break;
    case PTO_CAST_ODD: /* the odd one of two neighbours: 2 * floor(x / 2) + 1 */
        if (!mpfr_integer_p(scaled)) {
            mpfr_div_2ui(scaled, scaled, 1, MPFR_RNDN);
            mpfr_floor(scaled, scaled);
            mpfr_mul_2ui(scaled, scaled, 1, MPFR_RNDN);
            mpfr_add_ui(scaled, scaled, 1, MPFR_RNDN);
        }
        break;
    case (int)PTO_CAST_HALF_UP:
        mpfr_add_d(scaled, scaled, 0.5, MPFR_RNDN);
        mpfr_floor(scaled, scaled);
        break;
    default:
        mpfr_roundeven(scaled, scaled);
        break;
    }
}

/* `exact`, finite and not 0, rounded to multiples of 2^unit. */
static double rounded(long unit, int mode) {
    mpfr_mul_2si(scaled, exact, -unit, MPFR_RNDN);
    round_scaled(mode);
    mpfr_mul_2si(scaled, scaled, unit, MPFR_RNDN);
    return mpfr_get_d(scaled, MPFR_RNDN);
}

static long floor_log2(void) { return (long)mpfr_get_exp(exact) - 1; }

/* What a value out of range becomes. */
static double overflow(const format *f, bool negative, int mode, bool saturate) {
    const bool finite =
        mode == PTO_CAST_TRUNC || mode == PTO_CAST_ODD || mode == (negative ? PTO_CAST_CEIL : PTO_CAST_FLOOR);
    const double limit = saturate || !f->has_nan || (f->has_inf && finite) ? largest_of(f)
                         : f->has_inf                                      ? INFINITY
                                                                           : NAN;
    return negative ? -limit : limit;
}

static double expect_binary(const format *f, int mode, bool saturate) {
    const bool negative = mpfr_signbit(exact) != 0;
    const long lowest = 1 - f->bias, exponent = floor_log2();
    const double value = rounded((exponent > lowest ? exponent : lowest) - f->fraction_bits, mode);
    if (fabs(value) > largest_of(f))
        return overflow(f, negative, mode, saturate);
    return copysign(value, negative ? -1 : 1);
}

static double expect_hif8(const format *f, int mode, bool saturate) {
    const bool negative = mpfr_signbit(exact) != 0;
    const long exponent = floor_log2() > -22 ? floor_log2() : -22, size = labs(exponent);
    const long fraction = exponent > 15 ? 1 : exponent < -15 ? 0 : size <= 3 ? 3 : size <= 7 ? 2 : 1;
    const double value = rounded(exponent - fraction, mode);
    if (fabs(value) > largest_of(f))
        return overflow(f, negative, mode, saturate);
    return value == 0 ? 0.0 : value;
}

/* 10, 9.6; NaN where the table says 0xFF */
static double expect_e8m0(int mode, bool saturate) {
    if (mpfr_signbit(exact))
        return NAN;
    const long h = floor_log2();
    mpfr_set_ui_2exp(work, 1, h, MPFR_RNDN);
    const bool is_power = mpfr_equal_p(work, exact) != 0;
    if (h < -127)
        return saturate ? 0x1p-127 : (double)NAN;
    if (h > 127 || (h == 127 && !is_power))
        return saturate ? 0x1p127 : (double)NAN;
    mpfr_sqr(scaled, exact, MPFR_RNDN);
    const bool nearer_above = mpfr_cmp_ui_2exp(scaled, 1, 2 * h + 1) >= 0;
    const bool up = !is_power && (mode == PTO_CAST_FLOOR   ? false
                                  : mode == PTO_CAST_CEIL  ? true
                                  : mode == PTO_CAST_TRUNC ? h < 0
                                  : mode == PTO_CAST_ODD   ? h % 2 == 0
                                                           : nearer_above);
    return ldexp(1, (int)h + up);
}

static double expect_e6m2(const format *f, int mode) {
    if (mpfr_signbit(exact) || floor_log2() < -48)
        return 0x1p-48;
    return fmin(rounded(floor_log2() - 2, mode), largest_of(f));
}

static double expect_integer(const format *f, int mode, bool saturate) {
    const double value = rounded(0, mode), two = ldexp(1, f->bits);
    if (saturate)
        return fmax(fmin(value, f->largest), is_signed_integer(f) ? -f->largest - 1 : 0) + 0.0;
    double low = fmod(fmax(fmin(value, 0x1p31 - 1), -0x1p31), two); /* through s32 */
    low += low < 0 ? two : 0;
    return (is_signed_integer(f) && low > f->largest ? low - two : low) + 0.0;
}

static double expect(const format *f, int mode, bool saturate) {
    switch (f->family) {
    case TAPERED:
        return expect_hif8(f, mode, saturate);
    case POWER:
        return expect_e8m0(mode, saturate);
    case SCALE:
        return expect_e6m2(f, mode);
    case INTEGER:
        return expect_integer(f, mode, saturate);
    default:
        return expect_binary(f, mode, saturate);
    }
}

static void compare(const format *f, double x, int mode, bool saturate, uint64_t code, double want) {
    const double got = pto_number_to_f64(f->id, code);
    if (same_value(got, want) &&
        (!isnan(want) || (code | (UINT64_C(1) << (f->bits - 1))) == (f->nan | UINT64_C(1) << (f->bits - 1))))
        return;
    fail_msg("%s of %a, mode %d, saturate %d: 0x%llx = %a, expected %a", pto_format_describe(f->id)->name, x,
             mode, saturate, (unsigned long long)code, got, want);
}

/* x, finite and not 0, and -x from double, and from float where it is one. */
static void check(int i, double x) {
    const format *f = &formats[i];
    for (int negative = 0; negative < 2; negative++, x = -x) {
        const float narrow = (float)x;
        const bool is_float = (double)narrow == x;
        const pto_number source[2] = {pto_number_from_f64(x), pto_number_from_f32(narrow)};
        mpfr_set_d(exact, x, MPFR_RNDN);
        for (int m = 0; m < MODES; m++)
            for (int saturate = 0; saturate < 2; saturate++) {
                const double want = expect(f, modes[m], saturate);
                for (int s = 0; s < 1 + is_float; s++) {
                    const uint64_t code =
                        pto_number_encode(f->id, source[s], (pto_round_mode)modes[m], saturate);
                    compare(f, x, modes[m], saturate, code, want);
                    encoded[i][m]++;
                }
            }
    }
}

/* Ends, middle and what lies next to them in float and in double. */
static void check_gap(int i, double low, double high) {
    const double middle = low + (high - low) / 2;
    const float floats[] = {nextafterf((float)low, INFINITY), nextafterf((float)middle, 0),
                            nextafterf((float)middle, INFINITY), nextafterf((float)high, 0)};
    const double doubles[] = {low, middle, nextafter(middle, 0), nextafter(middle, INFINITY)};
    for (int p = 0; p < 4; p++) {
        if (isfinite(floats[p]) && (double)floats[p] > low && (double)floats[p] < high)
            check(i, (double)floats[p]);
        /* a float next to a half of an integer of 16 bits is near enough */
        if (doubles[p] != 0 && (p < 2 || formats[i].family != INTEGER))
            check(i, doubles[p]);
    }
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_rounding_between_all_values(void **state) {
    (void)state;
    static double values[1 << 16];
    for (int i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        if (f->bits > 16) { /* both ends of every exponent, and some between */
            const uint64_t fractions = UINT64_C(1) << f->fraction_bits, end = fractions * 255;
            for (uint64_t n = 0; n < end; n++)
                if (n % fractions < 2 || n % fractions > fractions - 3 || n % 97 == 0)
                    check_gap(i, defined_value(f, n << f->unused),
                              n + 1 < end ? defined_value(f, (n + 1) << f->unused) : 0x1p128);
            continue;
        }
        size_t count = 0;
        for (uint64_t code = 0; code < UINT64_C(1) << f->bits; code++) {
            const double value = defined_value(f, code);
            if (isfinite(value) && !signbit(value))
                values[count++] = value;
        }
        qsort(values, count, sizeof *values, by_value);
        for (size_t n = 0; n + 1 < count; n++)
            check_gap(i, values[n], values[n + 1]);
        /* behind the largest value, as if there were one more, and below the smallest */
        const double top = values[count - 1], step = top - values[count - 2];
        check_gap(i, top, top + step);
        check_gap(i, top + step, top + 2 * step);
        if (values[0] > 0)
            check_gap(i, values[0] / 2, values[0]);
        static const double far[] = {0x1p-1074, 0x1p-1022,      0x1p-149, 0x1p-126, 0x1p15,
                                     0x1p16,    0x1p17,         0x1p31,   0x1p32,   0x1p33,
                                     0x1p127,   0x1.fffffep127, 0x1p128,  0x1p200,  0x1.fffffffffffffp1023};
        for (size_t n = 0; n < sizeof far / sizeof *far; n++)
            check(i, far[n]);
    }
}

/* Zeros, infinities and NaNs of both kinds of source. */
static void test_special_values(void **state) {
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        for (int m = 0; m < MODES; m++)
            for (int saturate = 0; saturate < 2; saturate++)
                for (int negative = 0; negative < 2; negative++)
                    for (int from_float = 0; from_float < 2; from_float++) {
                        const double sign = negative ? -1.0 : 1.0, inf = sign * INFINITY;
                        const pto_round_mode mode = (pto_round_mode)modes[m];
                        const uint64_t zero_code =
                            pto_number_encode(f->id,
                                              from_float ? pto_number_from_f32((float)(sign * 0.0))
                                                         : pto_number_from_f64(sign * 0.0),
                                              mode, saturate);
                        const uint64_t inf_code = pto_number_encode(
                            f->id, from_float ? pto_number_from_f32((float)inf) : pto_number_from_f64(inf),
                            mode, saturate);
                        const uint64_t nan_code =
                            pto_number_encode(f->id,
                                              from_float ? pto_number_from_f32((float)(sign * NAN))
                                                         : pto_number_from_f64(sign * NAN),
                                              mode, saturate);
                        double zero = f->family == BINARY ? sign * 0.0 : 0.0, end;
                        if (f->family == POWER)
                            zero = NAN; /* 9.6: no zero */
                        if (f->family == SCALE)
                            zero = 0x1p-48;
                        if (f->family == INTEGER)
                            end = !saturate              ? (negative               ? 0.0
                                                            : is_signed_integer(f) ? -1.0
                                                                                   : f->largest)
                                  : !negative            ? f->largest
                                  : is_signed_integer(f) ? -f->largest - 1
                                                         : 0.0;
                        else if (f->family == POWER)
                            end = negative || !saturate ? (double)NAN : 0x1p127;
                        else if (f->family == SCALE)
                            end = negative ? 0x1p-48 : largest_of(f);
                        else
                            end = overflow(f, negative, PTO_CAST_RINT, saturate); /* exact: no mode matters */
                        compare(f, sign * 0.0, modes[m], saturate, zero_code, zero);
                        compare(f, inf, modes[m], saturate, inf_code, end);
                        assert_int_equal(nan_code, f->nan);
                        encoded[i][m] += 3;
                    }
    }
}

static int print_counts(void **state) {
    (void)state;
    static const char *const names[MODES] = {"NONE", "RINT",  "ROUND", "FLOOR",
                                             "CEIL", "TRUNC", "ODD",   "half up"};
    print_message("%-6s %8s", "format", "codes");
    for (int m = 0; m < MODES; m++)
        print_message(" %9s", names[m]);
    print_message("\n");
    uint64_t total = 0;
    for (int i = 0; i < FORMATS; i++) {
        print_message("%-6s %8llu", pto_format_describe(formats[i].id)->name, (unsigned long long)decoded[i]);
        for (int m = 0; m < MODES; m++) {
            print_message(" %9llu", (unsigned long long)encoded[i][m]);
            total += encoded[i][m];
        }
        print_message("\n");
    }
    print_message("%llu roundings\n", (unsigned long long)total);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_of_every_code),
        cmocka_unit_test(test_rounding_between_all_values),
        cmocka_unit_test(test_special_values),
    };
    mpfr_inits2(PRECISION, exact, scaled, work, (mpfr_ptr)0);
    const int failed = cmocka_run_group_tests(tests, NULL, print_counts);
    mpfr_clears(exact, scaled, work, (mpfr_ptr)0);
    mpfr_free_cache();
    return failed;
}
