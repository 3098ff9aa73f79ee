/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding against MPFR and GMP: random and directed sources (fp64, fp32, 64-bit integers, significand with
 * sticky) to every binary format and every integer format, all modes, saturation on and off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h>

#include "number/format.h"

typedef struct binary {
    pto_format format;
    int emin, emax, fraction_bits; /* emax: of the largest finite value */
    double below_top;              /* largest finite value in units of 2^emax */
    bool has_inf, has_nan;
} binary;

static const binary binaries[] = {
    {PTO_FORMAT_F64, -1022, 1023, 52, 0x1.fffffffffffffp0, true, true},
    {PTO_FORMAT_F32, -126, 127, 23, 0x1.fffffep0, true, true},
    {PTO_FORMAT_TF32, -126, 127, 10, 0x1.ffcp0, true, true},
    {PTO_FORMAT_HF32, -126, 127, 11, 0x1.ffep0, true, true},
    {PTO_FORMAT_FP19, -126, 127, 10, 0x1.ffcp0, true, true},
    {PTO_FORMAT_F16, -14, 15, 10, 0x1.ffcp0, true, true},
    {PTO_FORMAT_BF16, -126, 127, 7, 0x1.fep0, true, true},
    {PTO_FORMAT_E5M2, -14, 15, 2, 1.75, true, true},
    {PTO_FORMAT_E4M3, -6, 8, 3, 1.75, false, true},
    {PTO_FORMAT_E3M2, -2, 4, 2, 1.75, false, false},
    {PTO_FORMAT_E2M3, 0, 2, 3, 1.875, false, false},
    {PTO_FORMAT_E2M1, 0, 2, 1, 1.5, false, false},
    {PTO_FORMAT_E1M2, 0, 0, 2, 1.75, false, false},
};
enum { BINARIES = sizeof binaries / sizeof *binaries };

typedef struct integer {
    pto_format format;
    unsigned bits;
    bool is_signed;
} integer;

static const integer integers[] = {
    {PTO_FORMAT_S4, 4, true},    {PTO_FORMAT_U4, 4, false},   {PTO_FORMAT_S8, 8, true},
    {PTO_FORMAT_U8, 8, false},   {PTO_FORMAT_S16, 16, true},  {PTO_FORMAT_U16, 16, false},
    {PTO_FORMAT_S32, 32, true},  {PTO_FORMAT_U32, 32, false}, {PTO_FORMAT_S64, 64, true},
    {PTO_FORMAT_U64, 64, false},
};
enum { INTEGERS = sizeof integers / sizeof *integers };

static const int modes[] = {PTO_CAST_RINT,  PTO_CAST_ROUND, PTO_CAST_FLOOR,       PTO_CAST_CEIL,
                            PTO_CAST_TRUNC, PTO_CAST_ODD,   (int)PTO_CAST_HALF_UP};
enum { MODES = sizeof modes / sizeof *modes, PRECISION = 400 };

static uint64_t random_state = 0x853C49E6748FEA9B;

static uint64_t next_random(void) { /* xorshift64* */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

/* r = x rounded to an integer by mode; both may be the same variable. */
static void round_to_integer(mpfr_t r, const mpfr_t x, int mode) {
    mpfr_t half;
    switch (mode) {
    case PTO_CAST_ROUND:
        mpfr_round(r, x);
        break;
    case PTO_CAST_FLOOR:
        mpfr_floor(r, x);
        break;
    case PTO_CAST_CEIL:
        mpfr_ceil(r, x);
        break;
    case PTO_CAST_TRUNC:
        mpfr_trunc(r, x);
        break;
    case PTO_CAST_ODD:
        if (!mpfr_integer_p(x)) {
            /* The odd one of the two neighbours: 2 * floor(x / 2) + 1. */
            mpfr_div_2ui(r, x, 1, MPFR_RNDN);
            mpfr_floor(r, r);
            mpfr_mul_2ui(r, r, 1, MPFR_RNDN);
            mpfr_add_ui(r, r, 1, MPFR_RNDN);
        } else {
            mpfr_set(r, x, MPFR_RNDN);
        }
        break;
    case (int)PTO_CAST_HALF_UP:
        mpfr_init2(half, PRECISION);
        mpfr_set_d(half, 0.5, MPFR_RNDN);
        mpfr_add(half, x, half, MPFR_RNDN);
        mpfr_floor(r, half);
        mpfr_clear(half);
        break;
    default:
        mpfr_roundeven(r, x);
        break;
    }
}

static mpfr_t exact, scaled; /* work space of the oracle; set up in main */
static mpz_t whole, limit;

/* The value that encoding `exact` (finite, not 0) must give, as double; NaN included. */
static double expect_binary(const binary *b, int mode, bool saturate) {
    const bool negative = mpfr_signbit(exact) != 0;
    const long exponent = (long)mpfr_get_exp(exact) - 1; /* MPFR significands are in [1/2, 1) */
    const long unit = (exponent > b->emin ? exponent : b->emin) - b->fraction_bits;
    mpfr_mul_2si(scaled, exact, -unit, MPFR_RNDN);
    round_to_integer(scaled, scaled, mode);
    mpfr_mul_2si(scaled, scaled, unit, MPFR_RNDN);
    const double max = ldexp(b->below_top, b->emax);
    if (mpfr_cmpabs_ui(scaled, 0) == 0)
        return negative ? -0.0 : 0.0;
    if (mpfr_cmp_d(scaled, max) <= 0 && mpfr_cmp_d(scaled, -max) >= 0)
        return mpfr_get_d(scaled, MPFR_RNDN);
    const bool stays_finite =
        mode == PTO_CAST_TRUNC || mode == PTO_CAST_ODD || mode == (negative ? PTO_CAST_CEIL : PTO_CAST_FLOOR);
    if (saturate || !b->has_nan || (b->has_inf && stays_finite))
        return negative ? -max : max;
    if (b->has_inf)
        return negative ? -INFINITY : INFINITY;
    return NAN;
}

static uint64_t expect_integer(const integer *t, int mode, bool saturate) {
    round_to_integer(scaled, exact, mode);
    mpfr_get_z(whole, scaled, MPFR_RNDN);
    const bool clamp = saturate || t->bits == 64;
    const bool is_signed = clamp ? t->is_signed : true;
    const unsigned bits = clamp ? t->bits : t->bits == 32 ? 64 : 32;
    mpz_set_ui(limit, 1);
    mpz_mul_2exp(limit, limit, is_signed ? bits - 1 : bits);
    if (mpz_cmp(whole, limit) >= 0)
        mpz_sub_ui(whole, limit, 1);
    mpz_neg(limit, limit);
    if (!is_signed)
        mpz_set_ui(limit, 0);
    if (mpz_cmp(whole, limit) < 0)
        mpz_set(whole, limit);
    mpz_fdiv_r_2exp(whole, whole, t->bits); /* low bits of two's complement */
    uint64_t code = 0;
    mpz_export(&code, NULL, -1, sizeof code, 0, 0, whole);
    return code;
}

static void check_binary(const binary *b, pto_number x, int mode, bool saturate) {
    const double want = expect_binary(b, mode, saturate);
    const uint64_t code = pto_number_encode(b->format, x, (pto_round_mode)mode, saturate);
    const double got = pto_number_to_f64(b->format, code);
    if (isnan(want) ? isnan(got) : got == want && signbit(got) == signbit(want))
        return;
    mpfr_printf("%s mode %d saturate %d of %Ra: %a, expected %a\n", pto_format_describe(b->format)->name,
                mode, saturate, exact, got, want);
    fail();
}

static void check_integer(const integer *t, pto_number x, int mode, bool saturate) {
    const uint64_t want = expect_integer(t, mode, saturate);
    const uint64_t got = pto_number_encode(t->format, x, (pto_round_mode)mode, saturate);
    if (got == want)
        return;
    mpfr_printf("%s mode %d saturate %d of %Ra: 0x%lx, expected 0x%lx\n",
                pto_format_describe(t->format)->name, mode, saturate, exact, (unsigned long)got,
                (unsigned long)want);
    fail();
}

/* x and `exact` are the same finite value. Every mode of one format costs more than it finds: the random
 * tests take one format, mode and saturation a draw, the directed ones all. */
static void check_all(pto_number x) {
    for (int m = 0; m < MODES; m++) {
        for (int sat = 0; sat < 2; sat++) {
            for (int f = 0; f < BINARIES; f++)
                check_binary(&binaries[f], x, modes[m], sat);
            for (int f = 0; f < INTEGERS; f++)
                check_integer(&integers[f], x, modes[m], sat);
        }
    }
}

static void check_one(pto_number x) {
    const uint64_t r = next_random() >> 20;
    check_binary(&binaries[r % BINARIES], x, modes[(r >> 8) % MODES], r >> 16 & 1);
    check_integer(&integers[(r >> 17) % INTEGERS], x, modes[(r >> 24) % MODES], r >> 32 & 1);
}

/* A finite, non-zero double near the interesting range of some format: random exponent from -160 to 160 half
 * of the time, few significant bits half of the time so that ties are frequent. */
static double random_double(void) {
    const uint64_t r = next_random();
    uint64_t fraction = next_random() >> 12;
    if (r & 1)
        fraction &= ~UINT64_C(0) << (r >> 8 & 0x3F) % 53;
    if (r & 2)
        fraction ^= (r >> 16 & 1); /* just beside a tie */
    const uint64_t field = r & 4 ? (r >> 20) % 2047 : 1023 - 160 + (r >> 20) % 320;
    const uint64_t bits = r >> 63 << 63 | field << 52 | fraction;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x != 0 ? x : 1.0;
}

static void test_from_f64(void **state) {
    (void)state;
    for (int i = 0; i < 800000; i++) {
        const double x = random_double();
        mpfr_set_d(exact, x, MPFR_RNDN);
        check_one(pto_number_from_f64(x));
    }
}

static void test_from_f32(void **state) {
    (void)state;
    for (int i = 0; i < 600000; i++) {
        const uint32_t bits = (uint32_t)(next_random() >> 32);
        float x;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x) || x == 0)
            continue;
        mpfr_set_flt(exact, x, MPFR_RNDN);
        check_one(pto_number_from_f32(x));
    }
}

/* Thresholds of every format: largest value, half a step beyond it, smallest normal and subnormal, with
 * neighbours. */
static void test_thresholds(void **state) {
    (void)state;
    for (int f = 0; f < BINARIES; f++) {
        const binary *b = &binaries[f];
        const double max = ldexp(b->below_top, b->emax), step = ldexp(1, b->emax - b->fraction_bits);
        const double tiny = ldexp(1, b->emin - b->fraction_bits), normal = ldexp(1, b->emin);
        const double points[] = {max,    max + step / 2, max + step,       max * 0.75,
                                 tiny,   tiny / 2,       tiny * 1.5,       tiny / 4,
                                 normal, normal - tiny,  normal - tiny / 2};
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            for (int side = -1; side <= 1; side++) {
                for (int negative = 0; negative < 2; negative++) {
                    double x = points[p];
                    if (side)
                        x = nextafter(x, side < 0 ? 0 : INFINITY);
                    if (x == 0 || !isfinite(x))
                        continue;
                    if (negative)
                        x = -x;
                    mpfr_set_d(exact, x, MPFR_RNDN);
                    check_all(pto_number_from_f64(x));
                }
            }
        }
    }
}

/* Borders of the integers: powers of two and halves around them. */
static void test_integer_borders(void **state) {
    (void)state;
    for (int e = -3; e <= 70; e++) {
        static const double offsets[] = {-2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 2};
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            for (int negative = 0; negative < 2; negative++) {
                const double size = ldexp(1, e) + offsets[o], x = negative ? -size : size;
                if (x == 0)
                    continue;
                mpfr_set_d(exact, x, MPFR_RNDN);
                check_all(pto_number_from_f64(x));
                const double inward = nextafter(x, 0);
                mpfr_set_d(exact, inward, MPFR_RNDN);
                check_all(pto_number_from_f64(inward));
            }
        }
    }
}

static void test_from_integers(void **state) {
    (void)state;
    for (int e = 0; e < 64; e++) {
        for (int offset = -3; offset <= 3; offset++) {
            const uint64_t u = (UINT64_C(1) << e) + (uint64_t)(int64_t)offset;
            if (u == 0)
                continue;
            mpfr_set_uj(exact, u, MPFR_RNDN);
            check_all(pto_number_from_u64(u));
            mpfr_set_sj(exact, (int64_t)u, MPFR_RNDN);
            check_all(pto_number_from_s64((int64_t)u));
        }
    }
    for (int i = 0; i < 300000; i++) {
        const uint64_t u = (next_random() | 1) >> (next_random() >> 58);
        if (u == 0)
            continue;
        mpfr_set_uj(exact, u, MPFR_RNDN);
        check_one(pto_number_from_u64(u));
        mpfr_set_sj(exact, (int64_t)u, MPFR_RNDN);
        check_one(pto_number_from_s64((int64_t)u));
    }
}

/* Significand with sticky: the true value lies anywhere in the open gap; both of its ends must round alike.
 */
static void test_sticky(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const uint64_t r = next_random();
        uint64_t significand = next_random() | UINT64_C(1) << 62;
        if (r & 1)
            significand &= ~UINT64_C(0) << (r >> 8 & 0x3F) % 62;
        if (r & 2)
            significand |= (UINT64_C(1) << (r >> 8 & 0x3F) % 62) - 1;
        const int exponent = (int)(r >> 20 & 0xFF) - 190;
        const pto_number x = {PTO_NUMBER_FINITE, r >> 63, true, exponent, significand};
        if (exponent >= 0)
            continue;
        for (int end = 0; end < 2; end++) {
            /* significand + 2^-200 or + (1 - 2^-200) */
            mpfr_set_uj(exact, significand, MPFR_RNDN);
            mpfr_set_ui_2exp(scaled, 1, -200, MPFR_RNDN);
            if (end)
                mpfr_ui_sub(scaled, 1, scaled, MPFR_RNDN);
            mpfr_add(exact, exact, scaled, MPFR_RNDN);
            mpfr_mul_2si(exact, exact, exponent, MPFR_RNDN);
            if (x.negative)
                mpfr_neg(exact, exact, MPFR_RNDN);
            const uint64_t pick = r >> 40;
            check_binary(&binaries[pick % BINARIES], x, modes[(pick >> 8) % MODES], pick >> 16 & 1);
            check_integer(&integers[(pick >> 17) % INTEGERS], x, modes[(pick >> 8) % MODES], pick >> 16 & 1);
        }
    }
}

static void test_round_integral(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const double x = random_double();
        const int mode = modes[next_random() % MODES];
        mpfr_set_d(exact, x, MPFR_RNDN);
        round_to_integer(scaled, exact, mode);
        const pto_number r = pto_number_round_integral(pto_number_from_f64(x), (pto_round_mode)mode);
        const uint64_t bits = pto_number_encode(PTO_FORMAT_F64, r, PTO_CAST_RINT, false);
        const double got = pto_number_to_f64(PTO_FORMAT_F64, bits), want = mpfr_get_d(scaled, MPFR_RNDN);
        assert_true(got == want && (signbit(got) != 0) == (signbit(x) != 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_f64),       cmocka_unit_test(test_from_f32),
        cmocka_unit_test(test_thresholds),     cmocka_unit_test(test_integer_borders),
        cmocka_unit_test(test_from_integers),  cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_round_integral),
    };
    mpfr_init2(exact, PRECISION);
    mpfr_init2(scaled, PRECISION);
    mpz_init(whole);
    mpz_init(limit);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_clear(exact);
    mpfr_clear(scaled);
    mpz_clear(whole);
    mpz_clear(limit);
    mpfr_free_cache();
    return failed;
}
