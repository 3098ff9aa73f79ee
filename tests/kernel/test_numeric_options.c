/* SPDX-License-Identifier: Apache-2.0 */
/* Numeric options that have no test beside their instructions: left folds in the type of the result, ties of
 * partial arg operations, the indefinite value and the ambient saturation of conversions, sources that a2a3
 * overwrites, subnormals of exponential differences; and the options by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define T(t) testing_tile_operand(t)

static pto_core *core_of(pto_target target, pto_simd_level level, pto_numeric_options numeric) {
    pto_core *core = pto_core_create(&(pto_options){.target = target, .simd = level, .numeric = numeric});
    assert_non_null(core);
    return core;
}

static pto_tile make(pto_core *core, testing_random *random, pto_dtype dtype, int rows, int cols) {
    return testing_tile(
        core, random, testing_type_around(random, PTO_LOC_VEC, dtype, TESTING_ND, rows, cols, 1), rows, cols);
}

/* ---- names ---- */

static void test_names(void **state) {
    (void)state;
    const char *meaning;
    size_t count = 0;
    for (const char *name; (name = pto_numeric_option_name(count, &meaning)); count++) {
        pto_numeric_options options;
        memset(&options, 0, sizeof options);
        assert_true(strlen(meaning) > 10);
        assert_true(pto_numeric_option_set(&options, name, true));
        uint8_t bytes[sizeof options];
        memcpy(bytes, &options, sizeof options);
        for (size_t i = 0; i < sizeof bytes; i++) /* in the order of the structure */
            assert_int_equal(bytes[i], i == count);
        assert_true(pto_numeric_option_set(&options, name, false));
        assert_false(pto_numeric_option_set(&options, "flush", true));
    }
    assert_int_equal(count, sizeof(pto_numeric_options));
    pto_numeric_options options = {.unfused = true};
    assert_true(pto_numeric_option_set(&options, "convert_indefinite", true));
    assert_true(options.convert_indefinite && options.unfused && !options.typed_fold);
}

/* ---- left folds ---- */

/* Sums from +0, products from 1, ascending, every step in the type of the result. */
static uint64_t fold(bool product, pto_dtype to, pto_dtype from, const uint64_t *x, int count) {
    uint64_t value = pto_dtype_is_int(to) ? product : reference_round(to, product ? 1.0 : 0.0);
    for (int i = 0; i < count; i++) {
        const uint64_t one = to == from ? x[i] : reference_round(to, reference_value(from, x[i]));
        value = reference_binary(product ? REFERENCE_MUL : REFERENCE_ADD, to, value, one);
    }
    return value;
}

static void fold_case(pto_core *core, testing_random *random, int form, pto_dtype to, pto_dtype from) {
    static const pto_form forms[] = {PTO_FORM_TROWSUM, PTO_FORM_TROWPROD, PTO_FORM_TCOLSUM, PTO_FORM_TCOLPROD,
                                     PTO_FORM_TCOLSUM_TMP_ISBINARY};
    const bool columns = form >= 2, product = form == 1 || form == 3;
    const int lines = 1 + (int)testing_below(random, 20),
              length = 1 + (int)testing_below(random, testing_below(random, 4) ? 20 : 300);
    const int rows = columns ? length : lines, cols = columns ? lines : length;
    pto_tile src = make(core, random, from, rows, cols),
             dst = make(core, random, to, columns ? 1 : rows, columns ? cols : 1),
             tmp = make(core, random, from, rows, cols);
    if (product && !pto_dtype_is_int(from)) /* so that products stay finite */
        for (int i = 0; i < rows * cols; i++)
            testing_set(&src, i / cols, i % cols,
                        reference_round(from, ldexp(3000.0 + (double)testing_below(random, 2000), -12)));
    void *before = testing_snapshot(&dst);
    if (form == 4)
        TESTING_ACCEPTED(core, forms[form], T(&dst), T(&src), T(&tmp),
                         testing_int_operand(PTO_DTYPE_NONE, 1));
    else if (columns)
        TESTING_ACCEPTED(core, forms[form], T(&dst), T(&src));
    else
        TESTING_ACCEPTED(core, forms[form], T(&dst), T(&src), T(&tmp));
    uint64_t x[300];
    for (int line = 0; line < lines; line++) {
        for (int i = 0; i < length; i++)
            x[i] = columns ? testing_get(&src, i, line) : testing_get(&src, line, i);
        const uint64_t want = fold(product, to, from, x, length),
                       found = columns ? testing_get(&dst, 0, line) : testing_get(&dst, line, 0);
        if (found != want)
            fail_msg("form %d %s to %s, %d x %d, line %d: %llx, expected %llx", form, pto_dtype_name(from),
                     pto_dtype_name(to), rows, cols, line, (unsigned long long)found,
                     (unsigned long long)want);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
}

static void test_typed_fold(void **state) {
    (void)state;
    static const struct {
        pto_dtype to, from;
        bool npu; /* has it in rows and columns */
    } types[] = {{PTO_F32, PTO_F32, true},   {PTO_F16, PTO_F16, true},   {PTO_BF16, PTO_BF16, false},
                 {PTO_S32, PTO_S32, true},   {PTO_S16, PTO_S16, true},   {PTO_F32, PTO_F16, false},
                 {PTO_F32, PTO_BF16, false}, {PTO_E4M3, PTO_E4M3, false}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int target = 0; target < PTO_TARGET_COUNT; target++) {
            pto_core *core = core_of((pto_target)target, level[l], (pto_numeric_options){.typed_fold = true});
            testing_random random = {61};
            for (size_t t = 0; t < sizeof types / sizeof *types; t++)
                for (int form = 0; form < 5; form++) {
                    const bool product = form == 1 || form == 3, small = types[t].to == PTO_E4M3;
                    if ((target && !types[t].npu) || (product && types[t].to != types[t].from) ||
                        (small && !product))
                        continue;
                    for (int turn = 0; turn < 60; turn++)
                        fold_case(core, &random, form, types[t].to, types[t].from);
                    pto_core_reset(core);
                }
            pto_core_destroy(core);
        }
}

/* ---- ties of partial arg operations ---- */

static void test_partial_arg_first(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_F32, PTO_F16};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int target = 0; target < PTO_TARGET_COUNT; target++) {
            pto_core *core =
                core_of((pto_target)target, level[l], (pto_numeric_options){.partial_arg_first = true});
            testing_random random = {62};
            for (int turn = 0; turn < 80; turn++) {
                const pto_dtype type = types[turn % 2];
                const bool minimum = turn & 2;
                const int rows = 1 + (int)testing_below(&random, 5),
                          cols = 1 + (int)testing_below(&random, 40);
                const int fewer = (int)testing_below(&random, (uint32_t)cols + 1);
                pto_tile value[3], index[3]; /* dst, src0, src1; src1 may be narrower */
                for (int k = 0; k < 3; k++) {
                    value[k] = make(core, &random, type, rows, k == 2 ? fewer : cols);
                    index[k] = make(core, &random, PTO_S32, rows, k == 2 ? fewer : cols);
                }
                for (int i = 0; i < rows * fewer; i += 2)
                    testing_set(&value[2], i / fewer, i % fewer,
                                testing_get(&value[1], i / fewer, i % fewer));
                TESTING_ACCEPTED(core, minimum ? PTO_FORM_TPARTARGMIN : PTO_FORM_TPARTARGMAX, T(&value[0]),
                                 T(&value[1]), T(&value[2]), T(&index[0]), T(&index[1]), T(&index[2]));
                for (int r = 0; r < rows; r++)
                    for (int c = 0; c < cols; c++) {
                        int from = 1;
                        if (c < fewer) {
                            const double a = reference_value(type, testing_get(&value[1], r, c)),
                                         b = reference_value(type, testing_get(&value[2], r, c));
                            from = (minimum ? b < a : b > a) ? 2 : 1;
                        }
                        assert_int_equal(testing_get(&value[0], r, c), testing_get(&value[from], r, c));
                        assert_int_equal(testing_get(&index[0], r, c), testing_get(&index[from], r, c));
                    }
            }
            pto_core_destroy(core);
        }
}

/* ---- conversions ---- */

static void convert(pto_core *core, pto_tile *dst, pto_tile *src, int mode, int sat) {
    TESTING_ACCEPTED(core, PTO_FORM_TCVT, T(dst), T(src), T(NULL), testing_int_operand(PTO_DTYPE_NONE, mode),
                     testing_int_operand(PTO_DTYPE_NONE, sat));
}

/* The integer that value is after rounding, or the indefinite one. */
static uint64_t indefinite(pto_dtype to, double value, int mode) {
    const int bits = (int)pto_dtype_bits(to);
    const bool is_signed = pto_dtype_is_signed(to);
    const double whole = mode == PTO_CAST_RINT    ? nearbyint(value)
                         : mode == PTO_CAST_FLOOR ? floor(value)
                         : mode == PTO_CAST_CEIL  ? ceil(value)
                                                  : trunc(value);
    const double limit = ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -limit : 0;
    const uint64_t mask = UINT64_MAX >> (64 - bits);
    if (!(whole < limit && whole >= least))
        return is_signed ? UINT64_C(1) << (bits - 1) : mask;
    return (uint64_t)(int64_t)whole & mask;
}

static void test_indefinite(void **state) {
    (void)state;
    static const pto_dtype types[][2] = {{PTO_F16, PTO_S8},  {PTO_F16, PTO_U8},  {PTO_F16, PTO_S16},
                                         {PTO_F16, PTO_S32}, {PTO_F16, PTO_S4},  {PTO_BF16, PTO_S32},
                                         {PTO_F32, PTO_S16}, {PTO_F32, PTO_S32}, {PTO_F32, PTO_U32}};
    static const int modes[] = {PTO_CAST_RINT, PTO_CAST_FLOOR, PTO_CAST_CEIL, PTO_CAST_TRUNC};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            pto_core *core =
                core_of(PTO_TARGET_CPU, level[l], (pto_numeric_options){.convert_indefinite = true});
            testing_random random = {63};
            const pto_dtype from = types[t][0], to = types[t][1];
            pto_tile src =
                         testing_tile(core, &random, pto_tile_type_make(PTO_LOC_VEC, from, 32, 256), 32, 256),
                     dst = testing_tile(core, &random, pto_tile_type_make(PTO_LOC_VEC, to, 32, 256), 32, 256);
            for (int i = 0; from == PTO_F32 && i < 4096; i++) /* around the limits */
                testing_store(src.data, from, i,
                              reference_round(from, ldexp((double)testing_below(&random, 1u << 20) - 0x1p19,
                                                          (int)testing_below(&random, 30) - 16)));
            for (int m = 0; m < 4; m++)
                for (int sat = PTO_SAT_ON; sat <= PTO_SAT_OFF; sat++) {
                    convert(core, &dst, &src, modes[m], sat);
                    for (int i = 0; i < 32 * 256; i++) {
                        const uint64_t code = testing_load(src.data, from, i),
                                       want = sat == PTO_SAT_OFF
                                                  ? indefinite(to, reference_value(from, code), modes[m])
                                                  : pto_number_convert(to, from, code,
                                                                       (pto_round_mode)modes[m], PTO_SAT_ON);
                        assert_int_equal(testing_load(dst.data, to, i), want);
                    }
                }
            /* other conversions are not concerned */
            pto_tile half =
                testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 32, 256), 32, 256);
            convert(core, &half, &src, PTO_CAST_RINT, PTO_SAT_OFF);
            for (int i = 0; i < 32 * 256; i++)
                assert_int_equal(testing_load(half.data, PTO_F16, i),
                                 pto_number_convert(PTO_F16, from, testing_load(src.data, from, i),
                                                    PTO_CAST_RINT, PTO_SAT_OFF));
            pto_core_destroy(core);
        }
}

static void test_ambient_saturation(void **state) {
    (void)state;
    static const pto_dtype types[][2] = {{PTO_F32, PTO_S16}, {PTO_F32, PTO_F16}, {PTO_F16, PTO_U8},
                                         {PTO_S32, PTO_S16}, {PTO_F32, PTO_S32}, {PTO_F32, PTO_F32}};
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (int off = 0; off < 2; off++) {
            pto_core *core =
                core_of((pto_target)target, PTO_SIMD_BEST, (pto_numeric_options){.convert_ambient_off = off});
            testing_random random = {64};
            for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
                const pto_dtype from = types[t][0], to = types[t][1];
                pto_tile src = testing_tile(core, &random, pto_tile_type_make(PTO_LOC_VEC, from, 16, 64), 16,
                                            64),
                         dst =
                             testing_tile(core, &random, pto_tile_type_make(PTO_LOC_VEC, to, 16, 64), 16, 64);
                for (int sat = PTO_SAT_ON; sat <= PTO_SAT_AMBIENT; sat++) {
                    const pto_sat_mode means = sat != PTO_SAT_AMBIENT ? (pto_sat_mode)sat
                                               : off                  ? PTO_SAT_OFF
                                                                      : PTO_SAT_ON;
                    convert(core, &dst, &src, PTO_CAST_NONE, sat);
                    for (int i = 0; i < 16 * 64; i++)
                        assert_int_equal(testing_load(dst.data, to, i),
                                         pto_number_convert(to, from, testing_load(src.data, from, i),
                                                            PTO_CAST_NONE, means));
                }
            }
            pto_core_destroy(core);
        }
    assert_int_equal(pto_number_convert(PTO_F16, PTO_F32, 0x7F800000, PTO_CAST_NONE, PTO_SAT_AMBIENT),
                     0x7BFF);
}

/* ---- sources that a2a3 overwrites ---- */

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* s32 to float and back, rounded to nearest even and saturated. */
static int32_t there_and_back(int32_t value) {
    const double rounded = reference_value(PTO_F32, reference_round(PTO_F32, (double)value));
    return rounded >= 0x1p31 ? INT32_MAX : (int32_t)rounded;
}

static void test_clobbered_sources(void **state) {
    (void)state;
    enum { ROWS = 5, COLS = 21 };
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int target = 0; target < PTO_TARGET_COUNT; target++)
            for (int on = 0; on < 2; on++) {
                const bool clobbers = on && target == PTO_TARGET_A2A3;
                pto_core *core =
                    core_of((pto_target)target, level[l], (pto_numeric_options){.clobber_sources = on});
                testing_random random = {65};
                pto_tile dst = make(core, &random, PTO_S32, ROWS, COLS),
                         half = make(core, &random, PTO_F16, ROWS, COLS),
                         a = make(core, &random, PTO_S32, ROWS, COLS),
                         b = make(core, &random, PTO_S32, ROWS, COLS),
                         tmp = make(core, &random, PTO_S32, ROWS, 256);
                uint64_t old[2][ROWS * COLS];
                for (int form = 0; form < 2; form++) {
                    void *kept[2] = {testing_snapshot(&a), testing_snapshot(&b)};
                    for (int i = 0; i < ROWS * COLS; i++) {
                        old[0][i] = testing_get(&a, i / COLS, i % COLS);
                        old[1][i] = testing_get(&b, i / COLS, i % COLS);
                    }
                    if (form == 0)
                        TESTING_ACCEPTED(core, PTO_FORM_TREM, T(&dst), T(&a), T(&b), T(&tmp));
                    else
                        TESTING_ACCEPTED(core, PTO_FORM_TADDDEQRELU, T(&half), T(&a), T(&b),
                                         testing_float_operand(PTO_F32, -0.001), T(&tmp));
                    for (int i = 0; i < ROWS * COLS; i++) {
                        const int32_t x = (int32_t)old[0][i], y = (int32_t)old[1][i];
                        uint32_t first = (uint32_t)x, second = (uint32_t)y;
                        if (clobbers && form == 0) {
                            first = (uint32_t)there_and_back(x);
                            second = float_bits((float)there_and_back(y));
                        } else if (clobbers) {
                            const float sum = (float)(int32_t)((uint32_t)x + (uint32_t)y);
                            const float down = sum * 0x1p-17f, scaled = down * -0.001f,
                                        value = scaled * 0x1p17f;
                            first = float_bits(value);
                            second = float_bits(value > 0 ? value : 0.0f);
                            assert_int_equal(testing_get(&tmp, i / COLS, i % COLS), 0);
                        }
                        assert_int_equal((uint32_t)testing_get(&a, i / COLS, i % COLS), first);
                        assert_int_equal((uint32_t)testing_get(&b, i / COLS, i % COLS), second);
                        if (form == 0 && y != 0) {
                            const int64_t rest = (int64_t)x % y,
                                          want = rest && (rest < 0) != (y < 0) ? rest + y : rest;
                            assert_int_equal((int32_t)testing_get(&dst, i / COLS, i % COLS), (int32_t)want);
                        }
                    }
                    assert_true(testing_outside_unchanged(&a, kept[0]));
                    assert_true(testing_outside_unchanged(&b, kept[1]));
                    free(kept[0]);
                    free(kept[1]);
                }
                pto_core_destroy(core);
            }
}

/* ---- subnormal exponentials ---- */

static void test_flushed_exponentials(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_F32, PTO_F16};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int flush = 0; flush < 2; flush++)
        for (int l = 0; l < levels; l++)
            for (int target = 0; target < PTO_TARGET_COUNT; target++)
                for (int trial = 0; trial < 24; trial++) {
                    const pto_dtype type = types[trial % 2];
                    const bool columns = trial & 2, swapped = trial & 4;
                    const double normal = type == PTO_F32 ? 0x1p-126 : 0x1p-14;
                    testing_random random = {(uint64_t)trial};
                    pto_core *core = core_of((pto_target)target, level[l],
                                             (pto_numeric_options){.flush_subnormals = flush});
                    const int rows = 2 + (int)testing_below(&random, 8),
                              cols = 2 + (int)testing_below(&random, 70);
                    pto_tile full = make(core, &random, type, rows, cols),
                             dst = make(core, &random, type, rows, cols);
                    pto_tile other = testing_tile(
                        core, NULL,
                        testing_type_around(NULL, PTO_LOC_VEC, type, columns ? TESTING_ND : TESTING_DN,
                                            columns ? 1 : rows, columns ? cols : 1, 0),
                        columns ? 1 : rows, columns ? cols : 1);
                    const double lowest = type == PTO_F32 ? -106 : -18, sign = swapped ? -1 : 1;
                    for (int i = 0; i < rows * cols; i++) /* results from nothing over subnormals to 1 */
                        testing_set(
                            &full, i / cols, i % cols,
                            reference_round(
                                type, sign * (lowest + (double)testing_below(&random, 4096) / 4096 * 14)));
                    for (int i = 0; i < (columns ? cols : rows);
                         i++) /* subnormals themselves count as zeros */
                        testing_set(&other, columns ? 0 : i, columns ? i : 0,
                                    testing_below(&random, 2) ? 0 : 1 + testing_below(&random, 100));
                    const pto_form form = columns ? PTO_FORM_TCOLEXPANDEXPDIF : PTO_FORM_TROWEXPANDEXPDIF;
                    if (swapped)
                        TESTING_ACCEPTED(core, form, T(&dst), T(&other), T(&full));
                    else
                        TESTING_ACCEPTED(core, form, T(&dst), T(&full), T(&other));
                    int below = 0;
                    for (int i = 0; i < rows * cols; i++) {
                        const double exact =
                            exp(sign * reference_value(type, testing_get(&full, i / cols, i % cols)));
                        const uint64_t found = testing_get(&dst, i / cols, i % cols),
                                       want = reference_round(type, exact);
                        const double value = reference_value(type, found);
                        if (flush && exact < normal * 0.999) {
                            assert_int_equal(found, 0);
                            below += value == 0 && want != 0;
                        } else if (!flush || exact > normal * 1.001) {
                            assert_true(found <= want + 1 && want <= found + 1);
                        } else {
                            assert_true(value == 0 || value >= normal);
                        }
                    }
                    if (flush && rows * cols > 100)
                        assert_true(below > 0);
                    pto_core_destroy(core);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_typed_fold),
        cmocka_unit_test(test_partial_arg_first),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_ambient_saturation),
        cmocka_unit_test(test_clobbered_sources),
        cmocka_unit_test(test_flushed_exponentials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
