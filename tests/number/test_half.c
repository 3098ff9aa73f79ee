/* SPDX-License-Identifier: Apache-2.0 */
/* The fast half and bf16 conversions against the format table (which test_format and test_mpfr hold to
 * independent oracles): all codes, all gaps, random patterns, in a loop that the compiler may vectorise and
 * one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <gmp.h>
#include <mpfr.h>

#include <pto/number.h>

#include "number/format.h"
#include "number/half.h"

static uint64_t random_state = 0x2545F4914F6CDD1D;

static uint64_t next_random(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * UINT64_C(0x2545F4914F6CDD1D);
}

static void same(uint32_t got, uint64_t want, uint64_t source) {
    if (got == want)
        return;
    print_error("0x%llx: 0x%x, expected 0x%llx\n", (unsigned long long)source, got, (unsigned long long)want);
    fail();
}

static uint64_t encode(pto_format format, pto_number x, bool saturate) {
    return pto_number_encode(format, x, PTO_CAST_RINT, saturate);
}

static void test_widen_every_code(void **state) {
    (void)state;
    static uint16_t codes[65536];
    static float halves[65536], bf16s[65536], raw[65536];
    for (uint32_t i = 0; i < 65536; i++)
        codes[i] = (uint16_t)i;
    for (uint32_t i = 0; i < 65536; i++)
        halves[i] = pto_f32_from_f16(codes[i]);
    for (uint32_t i = 0; i < 65536; i++)
        bf16s[i] = pto_f32_from_bf16(codes[i]);
    for (uint32_t i = 0; i < 65536; i++)
        raw[i] = pto_f32_from_bf16_raw(codes[i]);
    for (uint32_t i = 0; i < 65536; i++) {
        same(pto_f32_bits(halves[i]), encode(PTO_FORMAT_F32, pto_number_decode(PTO_FORMAT_F16, i), false), i);
        same(pto_f32_bits(bf16s[i]), encode(PTO_FORMAT_F32, pto_number_decode(PTO_FORMAT_BF16, i), false), i);
        same(pto_f32_bits(raw[i]), i << 16, i);
    }
}

enum { BATCH = 4096 };

static void check_f32(const uint32_t *bits) {
    static float x[BATCH];
    static uint16_t half[BATCH], half_sat[BATCH], bf16[BATCH], bf16_sat[BATCH];
    memcpy(x, bits, sizeof x);
    for (int i = 0; i < BATCH; i++)
        half[i] = pto_f16_from_f32(x[i]);
    for (int i = 0; i < BATCH; i++)
        half_sat[i] = pto_f16_from_f32_sat(x[i]);
    for (int i = 0; i < BATCH; i++)
        bf16[i] = pto_bf16_from_f32(x[i]);
    for (int i = 0; i < BATCH; i++)
        bf16_sat[i] = pto_bf16_from_f32_sat(x[i]);
    for (int i = 0; i < BATCH; i++) {
        const pto_number value = pto_number_decode(PTO_FORMAT_F32, bits[i]);
        same(half[i], encode(PTO_FORMAT_F16, value, false), bits[i]);
        same(half_sat[i], encode(PTO_FORMAT_F16, value, true), bits[i]);
        same(bf16[i], encode(PTO_FORMAT_BF16, value, false), bits[i]);
        same(bf16_sat[i], encode(PTO_FORMAT_BF16, value, true), bits[i]);
        same(pto_f16_from_f32(x[i]), half[i], bits[i]);
        same(pto_bf16_from_f32(x[i]), bf16[i], bits[i]);
    }
}

/* Every upper half of a float with the lower halves at which rounding of half (13 bits) or bf16 (16 bits)
 * turns. */
static void test_narrow_every_gap(void **state) {
    (void)state;
    static const uint32_t low[] = {0x0000, 0x0001, 0x0FFF, 0x1000, 0x1001, 0x1FFF, 0x2FFF, 0x3000,
                                   0x5000, 0x7FFF, 0x8000, 0x8001, 0x9000, 0xB001, 0xF000, 0xFFFF};
    static uint32_t bits[BATCH];
    for (uint32_t top = 0; top < 65536; top += BATCH / 16) {
        for (uint32_t i = 0; i < BATCH; i++)
            bits[i] = (top + i / 16) << 16 | low[i % 16];
        check_f32(bits);
    }
}

static void test_narrow_random(void **state) {
    (void)state;
    static uint32_t bits[BATCH];
    for (int n = 0; n < 200; n++) {
        for (int i = 0; i < BATCH; i++) {
            const uint64_t r = next_random();
            bits[i] = (uint32_t)r;
            /* half of them in the range of half, subnormals and overflow included */
            if (r >> 63)
                bits[i] = (bits[i] & 0x807FFFFF) | (uint32_t)(96 + (r >> 40) % 52) << 23;
        }
        check_f32(bits);
    }
}

static void check_f64(const double *x) {
    static uint16_t half[BATCH], bf16[BATCH];
    for (int i = 0; i < BATCH; i++)
        half[i] = pto_f16_from_f64(x[i]);
    for (int i = 0; i < BATCH; i++)
        bf16[i] = pto_bf16_from_f64(x[i]);
    for (int i = 0; i < BATCH; i++) {
        same(half[i], encode(PTO_FORMAT_F16, pto_number_from_f64(x[i]), false), pto_f64_bits(x[i]));
        same(bf16[i], encode(PTO_FORMAT_BF16, pto_number_from_f64(x[i]), false), pto_f64_bits(x[i]));
        /* The step between, compared where it is defined: round to odd; Inf and NaN stay. */
        const uint64_t odd =
            pto_number_encode(PTO_FORMAT_F32, pto_number_from_f64(x[i]), PTO_CAST_ODD, false);
        const float got = pto_f32_odd_from_f64(x[i]);
        if (isnan(x[i])) {
            assert_true(isnan(got));
        } else {
            same(pto_f32_bits(got), odd, pto_f64_bits(x[i]));
        }
    }
}

static void test_from_double(void **state) {
    (void)state;
    static double x[BATCH];
    for (int n = 0; n < 150; n++) {
        for (int i = 0; i < BATCH; i++) {
            const uint64_t r = next_random();
            /* A tie of half or bf16 with something tiny on either side: where rounding twice goes wrong. */
            const pto_format format = r & 1 ? PTO_FORMAT_F16 : PTO_FORMAT_BF16;
            const double low = pto_number_to_f64(format, r >> 1 & 0x7FFF),
                         high = pto_number_to_f64(format, (r >> 1 & 0x7FFF) + 1);
            double v = low + (high - low) / 2;
            if (r >> 20 & 3)
                v = nextafter(v, r >> 20 & 1 ? 0 : INFINITY);
            if ((r >> 22 & 7) == 0)
                memcpy(&v, &r, sizeof v); /* now and then any pattern */
            x[i] = r >> 30 & 1 ? -v : v;
        }
        check_f64(x);
    }
    for (int i = 0; i < BATCH; i++)
        x[i] = 0;
    static const double special[] = {INFINITY,        NAN,         0x1p-1074,
                                     0x1p-150,        0x1.8p-150,  0x1p-149,
                                     0x1.fffffffp127, 0x1p128,     0x1.fffffffffffffp1023,
                                     65520,           65519.999999};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        x[2 * i] = special[i], x[2 * i + 1] = -special[i];
    const uint64_t signalling = UINT64_C(0x7FF0000000000001);
    memcpy(&x[100], &signalling, sizeof x[100]);
    check_f64(x);
}

/* x * y + z of half and bf16 operands: MPFR holds it exactly, one rounding must give the same code. */
static void check_fma(pto_format format, uint64_t r, mpfr_t exact) {
    uint64_t codes[3];
    for (int i = 0; i < 3; i++) {
        codes[i] = r >> 16 * i & 0xFFFF;
        const pto_number value = pto_number_decode(format, codes[i]);
        if (value.kind == PTO_NUMBER_INF || value.kind == PTO_NUMBER_NAN)
            return;
    }
    const double x = pto_number_to_f64(format, codes[0]), y = pto_number_to_f64(format, codes[1]),
                 z = pto_number_to_f64(format, codes[2]);
    const double sum = pto_f64_odd_sum(x * y, z);
    const uint32_t got = format == PTO_FORMAT_F16 ? pto_f16_from_f64(sum) : pto_bf16_from_f64(sum);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_mul_d(exact, exact, y, MPFR_RNDN);
    mpfr_add_d(exact, exact, z, MPFR_RNDN);
    if (mpfr_zero_p(exact))
        return; /* the sign of an exact zero is the FPU's business */
    /* Cut to 64 bits and a sticky bit, which the format table takes. */
    mpz_t significand;
    mpz_init(significand);
    long exponent = (long)mpfr_get_z_2exp(significand, exact);
    const long surplus = (long)mpz_sizeinbase(significand, 2) - 64;
    pto_number value = {PTO_NUMBER_FINITE, mpz_sgn(significand) < 0, false, 0, 0};
    mpz_abs(significand, significand);
    if (surplus > 0) {
        value.sticky = mpz_scan1(significand, 0) < (unsigned long)surplus;
        mpz_tdiv_q_2exp(significand, significand, (unsigned long)surplus);
        exponent += surplus;
    }
    mpz_export(&value.significand, NULL, -1, sizeof value.significand, 0, 0, significand);
    value.exponent = (int32_t)exponent;
    mpz_clear(significand);
    same(got, encode(format, value, false), r);
}

static void test_fused_multiply_add(void **state) {
    (void)state;
    mpfr_t exact;
    mpfr_init2(exact, 700);
    for (int i = 0; i < 300000; i++) {
        uint64_t r = next_random();
        if (r >> 63)
            r &= UINT64_C(0xFFF0FFF0FFF0FFFF) & ~UINT64_C(0xF); /* short significands: ties */
        check_fma(r >> 62 & 1 ? PTO_FORMAT_F16 : PTO_FORMAT_BF16, r, exact);
    }
    /* A bf16 tie that only a tiny addend breaks: 1.0078125 * 1.5 + 2^-100, and below. */
    check_fma(PTO_FORMAT_BF16, UINT64_C(0x0D803FC03F81), exact);
    check_fma(PTO_FORMAT_BF16, UINT64_C(0x8D803FC03F81), exact);
    mpfr_clear(exact);
    mpfr_free_cache();
}

/* The public functions are the same conversions by element type. */
static void test_public(void **state) {
    (void)state;
    assert_true(pto_half_to_float(0x3E00) == 1.5F);
    assert_int_equal(pto_half_from_float(65519.0F), 0x7BFF);
    assert_int_equal(pto_half_from_float(65520.0F), 0x7C00);
    assert_true(pto_bfloat16_to_float(0x3FC0) == 1.5F);
    assert_int_equal(pto_bfloat16_from_float(-0x1p-133F), 0x8001);
    assert_true(pto_number_to_double(PTO_E4M3, 0x7E) == 448.0);
    assert_true(pto_number_to_double(PTO_S4, 0xF) == -1.0);
    assert_true(pto_number_to_double(PTO_DTYPE_NONE, 5) == 0.0);
    assert_int_equal(pto_number_from_double(PTO_HIF8, 1.0625, PTO_CAST_NONE, true), 0x09);
    assert_int_equal(pto_number_from_double(PTO_E4M3, 1.0625, PTO_CAST_NONE, true), 0x38);
    assert_int_equal(pto_number_from_double(PTO_U8, 300.0, PTO_CAST_NONE, false), 44);
    assert_int_equal(pto_number_from_double(PTO_DTYPE_NONE, 1.0, PTO_CAST_NONE, true), 0);
    assert_int_equal(pto_number_convert(PTO_DTYPE_NONE, PTO_F32, 0x3F800000, PTO_CAST_NONE, PTO_SAT_ON), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widen_every_code),   cmocka_unit_test(test_narrow_every_gap),
        cmocka_unit_test(test_narrow_random),      cmocka_unit_test(test_from_double),
        cmocka_unit_test(test_fused_multiply_add), cmocka_unit_test(test_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
