/* SPDX-License-Identifier: Apache-2.0 */
/* TEXP and TLOG through the door at every SIMD level: half and bf16 exhaustively against MPFR, float on a
 * sweep against double; special values, flushing, layouts, in place, element types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

typedef struct operation {
    pto_form form;
    double (*in_double)(double);
    int (*in_mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
} operation;
static const operation operations[] = {{PTO_FORM_TEXP, exp, mpfr_exp}, {PTO_FORM_TLOG, log, mpfr_log}};

enum { COUNT = 1 << 14 };

/* One pass of `bits` through the operation; the levels must agree. */
static void execute(const operation *op, pto_dtype dtype, const uint32_t *in, uint32_t *out, int count,
                    bool flush) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    uint32_t *first = malloc((size_t)count * sizeof *first);
    assert_non_null(first);
    for (int l = 0; l < levels; l++) {
        const pto_options options = {.simd = level[l], .numeric.flush_subnormals = flush};
        pto_core *core = pto_core_create(&options);
        assert_non_null(core);
        const pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, dtype, count / 64, 64);
        pto_tile src = testing_tile(core, NULL, type, count / 64, 64);
        pto_tile dst = testing_tile(core, NULL, type, count / 64, 64);
        for (int i = 0; i < count; i++)
            testing_store(src.data, dtype, i, in[i]);
        TESTING_ACCEPTED(core, op->form, testing_tile_operand(&dst), testing_tile_operand(&src));
        for (int i = 0; i < count; i++) {
            out[i] = (uint32_t)testing_load(dst.data, dtype, i);
            if (l == 0)
                first[i] = out[i];
            else if (out[i] != first[i])
                fail_msg("%x: level %d gives %x, not %x", in[i], (int)level[l], out[i], first[i]);
        }
        pto_core_destroy(core);
    }
    free(first);
}

/* ---- half and bf16 ---- */

typedef struct small_format {
    pto_dtype dtype;
    int fraction, emin, emax;
    uint32_t infinity, nan;
} small_format;
static const small_format small_formats[] = {{PTO_F16, 10, -14, 15, 0x7C00, 0x7E00},
                                             {PTO_BF16, 7, -126, 127, 0x7F80, 0x7FC0}};

static double small_value(const small_format *f, uint32_t bits) {
    const uint32_t magnitude = bits & 0x7FFF, field = magnitude >> f->fraction;
    const uint32_t fraction = magnitude & ((1u << f->fraction) - 1);
    double value;
    if (magnitude > f->infinity)
        value = (double)NAN;
    else if (magnitude == f->infinity)
        value = (double)INFINITY;
    else if (field == 0)
        value = ldexp(fraction, f->emin - f->fraction);
    else
        value = ldexp(fraction + (double)(1u << f->fraction), (int)field - 1 + f->emin - f->fraction);
    return bits & 0x8000 ? -value : value;
}

/* Correctly rounded result; mpfr's exponent range is that of the format. */
static uint32_t small_result(const small_format *f, const operation *op, double x, mpfr_t argument,
                             mpfr_t result) {
    mpfr_set_d(argument, x, MPFR_RNDN);
    int inexact = op->in_mpfr(result, argument, MPFR_RNDN);
    inexact = mpfr_check_range(result, inexact, MPFR_RNDN);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    const double value = mpfr_get_d(result, MPFR_RNDN);
    if (isnan(value))
        return f->nan;
    const uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (isinf(value))
        return f->infinity | sign;
    const double size = fabs(value);
    if (size < ldexp(1, f->emin))
        return sign | (uint32_t)ldexp(size, f->fraction - f->emin);
    int exponent;
    const double fraction = frexp(size, &exponent);
    const uint32_t field = (uint32_t)(exponent - f->emin);
    return sign |
           ((field << f->fraction) + (uint32_t)(ldexp(fraction, f->fraction + 1) - ldexp(1, f->fraction)));
}

static void test_small_formats(void **context) {
    (void)context;
    for (int which = 0; which < 2; which++)
        for (int o = 0; o < 2; o++) {
            const small_format *f = &small_formats[which];
            int different = 0;
            mpfr_t argument, result;
            mpfr_init2(argument, 53);
            mpfr_init2(result, f->fraction + 1);
            const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
            for (uint32_t base = 0; base < 65536; base += COUNT) {
                static uint32_t in[COUNT], out[COUNT];
                for (uint32_t i = 0; i < COUNT; i++)
                    in[i] = base + i;
                execute(&operations[o], f->dtype, in, out, COUNT, false);
                mpfr_set_emin(f->emin - f->fraction + 1);
                mpfr_set_emax(f->emax + 1);
                for (uint32_t i = 0; i < COUNT; i++) {
                    const uint32_t want =
                        small_result(f, &operations[o], small_value(f, in[i]), argument, result);
                    different += want != out[i];
                    /* neighbours of one sign are neighbouring codes */
                    if (out[i] != want && (out[i] == f->nan || want == f->nan || out[i] - want + 1 > 2))
                        fail_msg("%s %s of %x is %x, not %x", pto_dtype_name(f->dtype), o ? "log" : "exp",
                                 in[i], out[i], want);
                }
                mpfr_set_emin(emin);
                mpfr_set_emax(emax);
            }
            mpfr_clears(argument, result, (mpfr_ptr)NULL);
            mpfr_free_cache();
            print_message("%s of %s: %d of 65536 not correctly rounded\n", o ? "log" : "exp",
                          pto_dtype_name(f->dtype), different);
            assert_in_range(different, 0, 16);
        }
}

/* ---- float ---- */

static float f32_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Distance of a float from the true result in units of its last place there; huge when only one of them is
 * special. */
static double error_in_ulps(uint32_t got_bits, double want) {
    const float got = f32_of(got_bits), rounded = (float)want;
    if (isnan(want))
        return got_bits == 0x7FC00000 ? 0 : 1e9;
    if (isinf(want) || (isinf(got) && isinf(rounded)))
        return f32_bits(got) == f32_bits(rounded) ? 0 : 1e9;
    int exponent;
    frexp(want, &exponent);
    const int unit = want == 0 || exponent - 24 < -149 ? -149 : exponent - 24;
    const double value = isinf(got) ? copysign(0x1p128, (double)got) : (double)got;
    return ldexp(fabs(value - want), -unit);
}

static void test_float_sweep(void **context) {
    (void)context;
    static uint32_t in[COUNT], out[COUNT];
    for (int o = 0; o < 2; o++) {
        double worst = 0;
        uint32_t at = 0, next = 0;
        for (int pass = 0; pass < 61; pass++) {
            for (int i = 0; i < COUNT; i++) {
                in[i] = next;
                next += 4369; /* odd: sixty passes go through all exponents evenly */
            }
            if (pass == 60) { /* the ends of exp, and the neighbourhood of 1 for log */
                for (uint32_t i = 0; i < COUNT; i++) {
                    static const float centres[] = {1.0f, 88.72284f, -87.33655f, -103.97208f};
                    in[i] = f32_bits(centres[i % 4]) + i / 4 - COUNT / 8;
                }
            }
            execute(&operations[o], PTO_F32, in, out, COUNT, false);
            for (int i = 0; i < COUNT; i++) {
                const double x = (double)f32_of(in[i]);
                /* the sign of libm's NaN says nothing */
                const double error = error_in_ulps(out[i], operations[o].in_double(x));
                if (error > worst) {
                    worst = error;
                    at = in[i];
                }
            }
        }
        print_message("%s of f32: at most %.4f ulp, at %a\n", o ? "log" : "exp", worst, (double)f32_of(at));
        assert_true(worst < (o ? 0.80 : 0.82)); /* of this sweep; of all floats 0.89 and 0.91 */
    }
}

typedef struct special {
    int operation;
    uint32_t in, out;
} special;

static void test_special_values(void **context) {
    (void)context;
    const uint32_t infinity = 0x7F800000, minus = 0x80000000, nan = 0x7FC00000, one = 0x3F800000;
    const special cases[] = {
        {0, 0, one},
        {0, minus, one},
        {0, infinity, infinity},
        {0, infinity | minus, 0},
        {0, 0x7F800001, nan},
        {0, 0xFFC12345, nan},
        {0, 0x42B17218, infinity},   /* just above ln of the largest float */
        {0, 0x42B17217, 0x7F7FFF84}, /* the last finite one */
        {0, 0xC2CFF1B5, 0},          /* below ln 2^-150 */
        {0, 0xC2CFF1B4, 1},          /* above it */
        {0, 1, one},
        {0, 0x7F7FFFFF, infinity},
        {0, 0xFF7FFFFF, 0},
        {1, one, 0},
        {1, 0, infinity | minus},
        {1, minus, infinity | minus},
        {1, infinity, infinity},
        {1, infinity | minus, nan},
        {1, minus | one, nan},
        {1, minus | 1, nan},
        {1, 0xFF800001, nan},
        {1, 0x7FFFFFFF, nan},
        {1, 1, 0xC2CE8ED0}, /* ln 2^-149 */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t in[64], out[64];
        for (int i = 0; i < 64; i++)
            in[i] = cases[c].in;
        execute(&operations[cases[c].operation], PTO_F32, in, out, 64, false);
        for (int i = 0; i < 64; i++)
            if (out[i] != cases[c].out)
                fail_msg("case %d: %x gives %x, not %x", (int)c, in[i], out[i], cases[c].out);
    }
}

static void test_flushing(void **context) {
    (void)context;
    static const struct {
        pto_dtype dtype;
        special s;
    } cases[] = {
        {PTO_F32, {1, 0x007FFFFF, 0xFF800000}}, {PTO_F32, {1, 0x807FFFFF, 0xFF800000}},
        {PTO_F32, {1, 0x00800000, 0xC2AEAC50}}, {PTO_F32, {0, 0xC2AEAC51, 0}}, /* below 2^-126 */
        {PTO_F16, {1, 0x03FF, 0xFC00}},         {PTO_F16, {1, 0x83FF, 0xFC00}},
        {PTO_F16, {1, 0x0400, 0xC8DA}},         {PTO_F16, {0, 0xC8E0, 0}},  /* e^-9.75 < 2^-14 */
        {PTO_BF16, {1, 0x007F, 0xFF80}},        {PTO_BF16, {0, 0xC2B0, 0}}, /* e^-88 */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t in[64], out[64];
        for (int i = 0; i < 64; i++)
            in[i] = cases[c].s.in;
        execute(&operations[cases[c].s.operation], cases[c].dtype, in, out, 64, true);
        for (int i = 0; i < 64; i++)
            if (out[i] != cases[c].s.out)
                fail_msg("case %d: %x gives %x, not %x", (int)c, in[i], out[i], cases[c].s.out);
        execute(&operations[cases[c].s.operation], cases[c].dtype, in, out, 64, false);
        const bool normal = (cases[c].s.in & 0x7FFFFFFF) == 0x00800000 || cases[c].s.in == 0x0400;
        assert_int_equal(out[0] == cases[c].s.out, normal);
    }
}

/* ---- tiles ---- */

static void test_tiles(void **context) {
    (void)context;
    static const pto_dtype dtypes[] = {PTO_F32, PTO_F16, PTO_BF16};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {11};
    for (int round = 0; round < 4000; round++) {
        const pto_target target = (pto_target)(round / 4 % PTO_TARGET_COUNT);
        const bool cpu = target == PTO_TARGET_CPU;
        pto_core *core = testing_core(target, level[round % levels]);
        const operation *op = &operations[round / 2 % 2];
        const pto_dtype dtype = dtypes[testing_below(&random, cpu ? 3 : 2)];
        const testing_layout layout =
            cpu ? (testing_layout)testing_below(&random, TESTING_LAYOUT_COUNT) : TESTING_ND;
        const uint32_t most = round % 16 ? 12 : 40;
        const int rows = !cpu + (int)testing_below(&random, most),
                  cols = !cpu + (int)testing_below(&random, round % 8 ? 24 : 70);
        pto_tile src =
            testing_tile(core, &random,
                         testing_type_around(&random, PTO_LOC_VEC, dtype, layout, rows, cols, 2), rows, cols);
        pto_tile_type type = testing_type_around(&random, PTO_LOC_VEC, dtype, layout, rows, cols, 2);
        if (rows == 1 && layout != TESTING_ND && layout != TESTING_DN)
            type.rows = src.type.rows; /* a single row has a layout of its own */
        pto_tile dst = testing_tile(core, &random, type, rows, cols);
        pto_tile flat = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, dtype, 40, 80), 40, 80);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                testing_set(&flat, r, c, testing_get(&src, r, c));
        const int place = (int)testing_below(&random, 3);
        if (place == 1) /* in place */
            dst = src;
        pto_tile shifted = src;
        if (place == 2) { /* at the address of the source with its own pitch */
            void *old = dst.data;
            if (pto_tile_type_bytes(&dst.type) >= pto_tile_type_bytes(&src.type)) {
                memcpy(old, src.data, (size_t)pto_tile_type_bytes(&src.type));
                shifted.data = old;
            }
        }
        void *before = testing_snapshot(&dst);
        TESTING_ACCEPTED(core, op->form, testing_tile_operand(&dst), testing_tile_operand(&shifted));
        assert_true(testing_outside_unchanged(&dst, before));
        free(before);
        TESTING_ACCEPTED(core, op->form, testing_tile_operand(&flat), testing_tile_operand(&flat));
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols; c++)
                assert_int_equal(testing_get(&dst, r, c), testing_get(&flat, r, c));
        pto_core_destroy(core);
    }
}

static void test_element_types(void **context) {
    (void)context;
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int o = 0; o < 2; o++)
            for (int dtype = PTO_S8; dtype < PTO_F64; dtype++) {
                if (dtype == PTO_S4)
                    continue;
                pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
                pto_tile tile =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, (pto_dtype)dtype, 2, 32), 2, 32);
                const bool known =
                    dtype == PTO_F32 || dtype == PTO_F16 || (dtype == PTO_BF16 && target == PTO_TARGET_CPU);
                if (known)
                    TESTING_ACCEPTED(core, operations[o].form, testing_tile_operand(&tile),
                                     testing_tile_operand(&tile));
                else
                    TESTING_REFUSED(core, "PTO-E0302", operations[o].form, testing_tile_operand(&tile),
                                    testing_tile_operand(&tile));
                pto_core_destroy(core);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_formats),  cmocka_unit_test(test_float_sweep),
        cmocka_unit_test(test_special_values), cmocka_unit_test(test_flushing),
        cmocka_unit_test(test_tiles),          cmocka_unit_test(test_element_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
