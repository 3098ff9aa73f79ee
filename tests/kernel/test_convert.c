/* SPDX-License-Identifier: Apache-2.0 */
/* Values of TCVT through the door at every SIMD level: every fast type pair, rounding mode and saturation
 * against the exact scalar conversion and against plain double arithmetic. 8- and 16-bit sources are
 * exhaustive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <pto/number.h>

#include "number/convert.h"
#include "reference/convert.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

enum { ROWS = 128, COLS = 512, COUNT = ROWS * COLS, CORES = 3 };

typedef struct state {
    pto_core *core[CORES];
    pto_tile storage[CORES][2]; /* of destination and source; every pair uses the same bytes */
    int cores;
} state;

static int set_up(void **context) {
    state *s = calloc(1, sizeof *s);
    const pto_simd_level *levels = testing_levels(&s->cores);
    for (int i = 0; i < s->cores; i++) {
        const pto_options options = {.simd = levels[i], .memory_bytes = {[PTO_LOC_VEC] = 1 << 20}};
        s->core[i] = pto_core_create(&options);
        assert_non_null(s->core[i]);
        for (int k = 0; k < 2; k++)
            s->storage[i][k] = testing_tile(s->core[i], NULL,
                                            pto_tile_type_make(PTO_LOC_VEC, PTO_S64, ROWS, COLS), ROWS, COLS);
    }
    *context = s;
    return 0;
}

static int tear_down(void **context) {
    state *s = *context;
    for (int i = 0; i < s->cores; i++)
        pto_core_destroy(s->core[i]);
    free(s);
    return 0;
}

static const pto_dtype dtypes[] = {PTO_F32,  PTO_F16,  PTO_BF16, PTO_S32,  PTO_S16,  PTO_S8,
                                   PTO_U8,   PTO_U16,  PTO_U32,  PTO_S64,  PTO_U64,  PTO_E4M3,
                                   PTO_E5M2, PTO_HIF8, PTO_E8M0, PTO_E2M1, PTO_E1M2, PTO_S4};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

/* ---- sources ---- */

static int sources_of(pto_dtype dtype, uint64_t *out, int limit) {
    const unsigned bits = pto_dtype_bits(dtype);
    if (bits <= 16) {
        const int count = 1 << bits;
        for (int i = 0; i < count; i++)
            out[i] = (uint64_t)i;
        return count;
    }
    int count = 0;
    /* around every power of two, near halves, and near the limits of every narrower format */
    for (int shift = 0; shift < (int)bits; shift++)
        for (int delta = -3; delta <= 3; delta++)
            for (int negative = 0; negative < 2; negative++) {
                if (dtype == PTO_F32)
                    continue;
                const uint64_t value = (UINT64_C(1) << shift) + (uint64_t)(int64_t)delta;
                out[count++] = negative ? 0 - value : value;
            }
    if (dtype == PTO_F32)
        for (uint32_t exponent = 0; exponent < 256; exponent++) {
            const bool interesting = exponent < 4 || exponent > 252 || (exponent > 96 && exponent < 168);
            if (!interesting && exponent % 16 > 0)
                continue;
            /* fractions: ends, halves, the last places kept and the first ones cut by f16, bf16 and integers
             */
            static const uint32_t heads[] = {0,        0x000800, 0x001000, 0x001800, 0x002000, 0x003000,
                                             0x004000, 0x008000, 0x010000, 0x018000, 0x400000, 0x600000,
                                             0x7EF000, 0x7F8000, 0x7FE000, 0x7FF000};
            for (int h = 0; h < 16; h++)
                for (int delta = -1; delta <= 1; delta++)
                    for (uint32_t sign = 0; sign < 2; sign++)
                        out[count++] =
                            sign << 31 | (((exponent << 23) + heads[h] + (uint32_t)delta) & 0x7FFFFFFF);
        }
    testing_random random = {dtype};
    while (count < limit) {
        uint64_t any = testing_bits(&random, dtype);
        if (dtype == PTO_F32 && count % 2) {
            /* exponents of integers, with few fraction bits now and then: ties */
            any = (testing_next(&random) & 0x807FFFFF) | (uint64_t)(120 + testing_below(&random, 48)) << 23;
            if (testing_below(&random, 2))
                any &= ~UINT64_C(0) << testing_below(&random, 24);
        } else if (dtype != PTO_F32 && count % 2) {
            any = any >> testing_below(&random, bits) << testing_below(&random, 8);
        }
        out[count++] = bits == 64 ? any : any & 0xFFFFFFFF;
    }
    for (int i = 0; i < count; i++)
        out[i] &= bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    return count;
}

/* ---- one pair ---- */

static pto_tile tile_of(pto_tile storage, pto_dtype dtype, int count) {
    const int cols = count < COLS ? count < 32 ? 32 : count : COLS;
    pto_tile tile = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, dtype, (count + cols - 1) / cols, cols));
    tile.data = storage.data;
    return tile;
}

static void convert_all(const state *s, pto_dtype dst, pto_dtype src, const uint64_t *in,
                        const uint64_t *expected, int count, int mode, int sat) {
    for (int i = 0; i < s->cores; i++) {
        pto_tile to = tile_of(s->storage[i][0], dst, count), from = tile_of(s->storage[i][1], src, count);
        for (int k = 0; k < count; k++)
            testing_store(from.data, src, k, in[k]);
        TESTING_ACCEPTED(s->core[i], PTO_FORM_TCVT, testing_tile_operand(&to), testing_tile_operand(&from),
                         testing_tile_operand(NULL), testing_int_operand(PTO_DTYPE_NONE, mode),
                         testing_int_operand(PTO_DTYPE_NONE, sat));
        for (int k = 0; k < count; k++) {
            const uint64_t got = testing_load(to.data, dst, k);
            if (got != expected[k])
                fail_msg("%s to %s, mode %d, sat %d, level %d: %llx gave %llx, not %llx", pto_dtype_name(src),
                         pto_dtype_name(dst), mode, sat, i, (unsigned long long)in[k],
                         (unsigned long long)got, (unsigned long long)expected[k]);
        }
    }
}

/* Pairs that a front end is likely to meet in bulk; the others go the scalar way of number/convert.h, which
 * has tests of its own. */
static bool is_fast(pto_dtype dst, pto_dtype src) { return dst != src && dst != PTO_E8M0 && src != PTO_E8M0; }

/* Every distinct rule on all sources; every spelling of it (modes that are not honoured, default saturation)
 * on a few. */
static void check_pair(const state *s, pto_dtype dst, pto_dtype src, const uint64_t *in, int count,
                       uint64_t *expected) {
    const pto_format to = pto_format_of_dtype(dst), from = pto_format_of_dtype(src);
    const bool both = reference_convert_knows(dst) && reference_convert_knows(src);
    const bool mode_matters = pto_dtype_is_float(src) || pto_dtype_is_float(dst);
    for (int mode = 0; mode <= 7; mode++)
        for (int sat = PTO_SAT_ON; sat <= PTO_SAT_DEFAULT; sat++) {
            const pto_cvt_rule rule = pto_cvt_resolve(to, from, (pto_round_mode)mode, (pto_sat_mode)sat);
            const bool alias =
                sat == PTO_SAT_DEFAULT || (int)rule.mode != mode || (!mode_matters && mode != PTO_CAST_RINT);
            const int n = (alias || !is_fast(dst, src)) && count > 256 ? 256 : count;
            const uint64_t *values = in + (count - n) / 2;
            for (int i = 0; i < n; i++) {
                expected[i] = pto_number_convert_by_rule(to, from, values[i], rule);
                if (both &&
                    expected[i] != reference_convert(dst, src, values[i], (int)rule.mode, rule.saturate))
                    fail_msg("%s to %s, mode %d, sat %d: of %llx the scalar conversion makes %llx",
                             pto_dtype_name(src), pto_dtype_name(dst), mode, sat,
                             (unsigned long long)values[i], (unsigned long long)expected[i]);
            }
            convert_all(s, dst, src, values, expected, n, mode, sat);
        }
}

static void check_source(void **context, pto_dtype src) {
    uint64_t *in = malloc(2 * COUNT * sizeof *in), *expected = in + COUNT;
    assert_non_null(in);
    const int count = sources_of(src, in, 16384);
    for (int d = 0; d < DTYPES; d++)
        check_pair(*context, dtypes[d], src, in, count, expected);
    free(in);
}

static void test_from_f32(void **context) { check_source(context, PTO_F32); }
static void test_from_f16(void **context) { check_source(context, PTO_F16); }
static void test_from_bf16(void **context) { check_source(context, PTO_BF16); }
static void test_from_wide_integers(void **context) {
    check_source(context, PTO_S32);
    check_source(context, PTO_U32);
    check_source(context, PTO_S64);
    check_source(context, PTO_U64);
}
static void test_from_s16_u16(void **context) {
    check_source(context, PTO_S16);
    check_source(context, PTO_U16);
}
static void test_from_small(void **context) {
    static const pto_dtype small[] = {PTO_S8, PTO_U8,   PTO_E4M3, PTO_E5M2, PTO_HIF8,
                                      PTO_S4, PTO_E2M1, PTO_E1M2, PTO_E8M0};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        check_source(context, small[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_f32),     cmocka_unit_test(test_from_f16),
        cmocka_unit_test(test_from_bf16),    cmocka_unit_test(test_from_wide_integers),
        cmocka_unit_test(test_from_s16_u16), cmocka_unit_test(test_from_small),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
