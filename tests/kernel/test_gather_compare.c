/* SPDX-License-Identifier: Apache-2.0 */
/* TGATHER by comparison: indices and counts element by element, thresholds of every kind; its rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/tile_testing.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)
#define NOTHING ((pto_operand){.kind = PTO_OPERAND_ABSENT})

static pto_tile_type dynamic(pto_tile_type type) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

/* The integer k as a number of the type: modulo 2^W, or rounded by way of the nearest f32 or f16. */
static double threshold_value(pto_dtype dtype, int64_t k) {
    switch (dtype) {
    case PTO_S8:
        return (int8_t)k;
    case PTO_U8:
        return (uint8_t)k;
    case PTO_S16:
        return (int16_t)k;
    case PTO_U16:
        return (uint16_t)k;
    case PTO_S32:
        return (int32_t)k;
    case PTO_U32:
        return (uint32_t)k;
    case PTO_F16:
        return reference_value(PTO_F16, pto_number_from_double(PTO_F16, (double)k, PTO_CAST_RINT, false));
    default:
        return (double)(float)k;
    }
}

static double value_of(pto_dtype dtype, uint64_t bits) {
    switch (dtype) {
    case PTO_S8:
        return (int8_t)bits;
    case PTO_S16:
        return (int16_t)bits;
    case PTO_S32:
        return (int32_t)bits;
    case PTO_F16:
    case PTO_F32:
        return reference_value(dtype, bits);
    default:
        return (double)bits;
    }
}

static void compare_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    const pto_target target = pto_core_options(core)->target;
    const bool scalar = trial % 4 == 1;
    const bool greater = !(target == PTO_TARGET_A2A3 && dtype == PTO_S32) && trial & 1;
    const int32_t rows = trial ? 1 + (int32_t)testing_below(random, 8) : 1,
                  cols = trial ? 1 + (int32_t)testing_below(random, 300) : 1;
    const unsigned bits = pto_dtype_bits(dtype);
    pto_tile src = testing_tile(core, random,
                                dynamic(pto_tile_type_make(PTO_LOC_VEC, dtype, rows, (cols + 31) / 32 * 32)),
                                rows, cols);
    static const pto_dtype kinds[3][4] = {{PTO_S32, PTO_S16, PTO_U8, PTO_U32},
                                          {PTO_S32, PTO_U32, PTO_S32, PTO_U32},
                                          {PTO_U16, PTO_U32, PTO_U16, PTO_U32}};
    const pto_dtype kind = kinds[target == PTO_TARGET_CPU    ? 0
                                 : target == PTO_TARGET_A2A3 ? 1
                                                             : 2][testing_below(random, 4)];
    pto_tile k = testing_tile(core, random, pto_tile_type_make(PTO_LOC_VEC, kind, 1, 32), 1, 32);
    int64_t bound[8];
    for (int32_t r = 0; r < rows; r++) {
        uint64_t code = testing_bits(random, kind);
        if (testing_below(random, 2))
            code = testing_below(random, 4);
        testing_set(&k, 0, r, code);
        code = testing_get(&k, 0, r);
        bound[r] = kind == PTO_S32 ? (int32_t)code : kind == PTO_S16 ? (int16_t)code : (int64_t)code;
    }
    double limit[8];
    for (int32_t r = 0; r < rows; r++)
        limit[r] = threshold_value(dtype, bound[scalar ? 0 : r]);
    for (int32_t r = 0; r < rows; r++) /* equal elements, often */
        for (int32_t c = 0; c < cols; c++)
            if (testing_below(random, 3) == 0) {
                const double x = limit[r];
                testing_set(&src, r, c,
                            pto_dtype_is_float(dtype) ? pto_number_from_double(dtype, x, PTO_CAST_RINT, false)
                                                      : (uint64_t)(int64_t)x & (UINT64_MAX >> (64 - bits)));
            }
    int32_t most = 0, found[8] = {0};
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < cols; c++) {
            const double x = value_of(dtype, testing_get(&src, r, c));
            found[r] += greater ? x > limit[r] : x == limit[r];
        }
        most = found[r] > most ? found[r] : most;
    }
    int32_t room = trial % 3 ? cols : most ? most - (int32_t)testing_below(random, 2) : 1;
    if (room == 0)
        room = 1;
    const bool error = most > room;
    const pto_dtype itype = trial & 2 ? PTO_U32 : PTO_S32;
    pto_tile dst = testing_tile(
        core, random, dynamic(pto_tile_type_make(PTO_LOC_VEC, itype, rows + 1, (room + 7) / 8 * 8 + 8)), rows,
        room);
    pto_tile count = testing_tile(core, random,
                                  trial & 4 ? dynamic(pto_tile_type_dn(PTO_LOC_VEC, itype, 16, 1))
                                            : dynamic(pto_tile_type_make(PTO_LOC_VEC, itype, 1, 16)),
                                  trial & 4 ? rows : 1, trial & 4 ? 1 : rows);
    pto_tile tmp = testing_tile(core, random, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 1024), 16, 1024);
    void *before = testing_snapshot(&dst), *counts = testing_snapshot(&count),
         *source = testing_snapshot(&src);
    const uint32_t offset = (uint32_t)testing_next(random);
    pto_scalar s = {.dtype = dtype};
    if (pto_dtype_is_float(dtype))
        s.f = limit[0];
    else
        s.i = (int64_t)limit[0];
    const pto_operand threshold = scalar ? (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = s} : TILE(&k);
    pto_status status = TESTING_EXECUTE(
        core, scalar ? PTO_FORM_TGATHER_COMPARE_SCALAR : PTO_FORM_TGATHER_COMPARE, TILE(&dst), TILE(&src),
        threshold, TILE(&count), target == PTO_TARGET_A2A3 || trial & 1 ? TILE(&tmp) : NOTHING,
        ATTR(greater ? PTO_CMP_GT : PTO_CMP_EQ), ATTR(offset));
    testing_expect(core, status, error ? "PTO-E0877" : NULL, __FILE__, __LINE__);
    if (error) {
        assert_memory_equal(before, dst.data, pto_tile_type_bytes(&dst.type));
        assert_memory_equal(counts, count.data, pto_tile_type_bytes(&count.type));
    }
    for (int32_t r = 0; r < rows && !error; r++) {
        int32_t n = 0;
        for (int32_t c = 0; c < cols; c++) {
            const double x = value_of(dtype, testing_get(&src, r, c));
            if (greater ? x > limit[r] : x == limit[r]) {
                const uint32_t want = offset + (uint32_t)(r * src.type.cols + c);
                if (testing_get(&dst, r, n++) != want)
                    fail_msg("%s %s %dx%d (%d, %d)", pto_dtype_name(dtype), greater ? "gt" : "eq", rows, cols,
                             r, c);
            }
        }
        assert_int_equal(testing_load(count.data, itype, r), n);
        for (; n < room; n++) /* what is behind them stays */
            assert_int_equal(testing_get(&dst, r, n),
                             testing_load(before, itype, testing_offset(&dst.type, r, n)));
    }
    assert_true(testing_outside_unchanged(&dst, before));
    assert_true(testing_outside_unchanged(&count, counts));
    assert_memory_equal(source, src.data, pto_tile_type_bytes(&src.type));
    free(before);
    free(counts);
    free(source);
    pto_core_reset(core);
}

static void test_values(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_S32, PTO_F16, PTO_F32, PTO_S8, PTO_U8, PTO_S16, PTO_U16, PTO_U32};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {41};
            for (int d = 0; d < (t == PTO_TARGET_A2A3 ? 3 : 8); d++)
                for (int trial = 0; trial < 400; trial++)
                    compare_once(core, &random, types[d], trial);
            pto_core_destroy(core);
        }
}

typedef struct setting {
    pto_tile_type dst, src, k, count, tmp;
    bool has_tmp;
    int64_t mode;
} setting;

static void expect(pto_target target, const char *rule, setting s) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile dst = pto_tile_make(s.dst), src = pto_tile_make(s.src), k = pto_tile_make(s.k),
             count = pto_tile_make(s.count), tmp = pto_tile_make(s.tmp);
    pto_status status =
        TESTING_EXECUTE(core, PTO_FORM_TGATHER_COMPARE, TILE(&dst), TILE(&src), TILE(&k), TILE(&count),
                        s.has_tmp ? TILE(&tmp) : NOTHING, ATTR(s.mode), ATTR(0));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static pto_tile_type vec(pto_dtype dtype, int32_t rows, int32_t cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

static void test_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        const pto_target target = (pto_target)t;
        const bool cpu = target == PTO_TARGET_CPU, a5 = target == PTO_TARGET_A5,
                   a2a3 = target == PTO_TARGET_A2A3;
        /* a2a3: 32 x 32 of masks, 4 x 8 x 64 of the ramp, 256 of thresholds: 3328 bytes */
        const setting ok = {.dst = vec(PTO_S32, 8, 64),
                            .src = vec(PTO_F32, 8, 64),
                            .k = vec(PTO_U32, 1, 8),
                            .count = vec(PTO_S32, 1, 8),
                            .tmp = vec(PTO_F32, 32, 32),
                            .has_tmp = true};
        setting s = ok;
        expect(target, NULL, s);
        s.mode = PTO_CMP_GT;
        expect(target, NULL, s);
        s.mode = PTO_CMP_NE;
        expect(target, "PTO-E0876", s);
        s.mode = PTO_CMP_GT, s.src.dtype = PTO_S32;
        expect(target, a2a3 ? "PTO-E0876" : NULL, s);
        s.mode = PTO_CMP_EQ;
        expect(target, NULL, s);
        s = ok, s.has_tmp = false;
        expect(target, a2a3 ? "PTO-E0329" : NULL, s);
        s = ok, s.tmp = vec(PTO_F32, 1, 640); /* 640 + 2048 + 256 > 2560 */
        expect(target, a2a3 ? "PTO-E0330" : NULL, s);
        s.tmp = vec(PTO_F32, 1, 768); /* 768 + 2048 + 256 = 3072 */
        expect(target, NULL, s);
        s = ok, s.src.cols = s.src.valid_cols = 256, s.dst.cols = s.dst.valid_cols = 256,
        s.tmp = vec(PTO_F32, 1024, 24);
        expect(target, a2a3 ? "PTO-E0877" : NULL, s);
        s = ok, s.k.dtype = PTO_S16, s.k.cols = s.k.valid_cols = 16;
        expect(target, cpu ? NULL : "PTO-E0870", s);
        s.k.dtype = PTO_U16;
        expect(target, a2a3 ? "PTO-E0870" : NULL, s);
        s = ok, s.k.dtype = PTO_S32;
        expect(target, a5 ? "PTO-E0870" : NULL, s);
        s.k.dtype = PTO_F32;
        expect(target, "PTO-E0870", s);
        s = ok, s.dst.dtype = s.count.dtype = PTO_F32;
        expect(target, "PTO-E0870", s);
        s = ok, s.count.dtype = PTO_U32;
        expect(target, "PTO-E0303", s);
        s = ok, s.dst.rows = s.dst.valid_rows = 7;
        expect(target, "PTO-E0877", s);
        s = ok, s.src.rows = s.src.valid_rows = s.dst.rows = s.dst.valid_rows = 9,
        s.tmp = vec(PTO_F32, 32, 64);
        expect(target, "PTO-E0877", s); /* 8 thresholds */
        s.k = vec(PTO_U32, 1, 16);
        expect(target, "PTO-E0877", s); /* 8 counts */
        s.count = vec(PTO_S32, 2, 8);
        expect(target, NULL, s);
        s = ok, s.src = pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 8, 64);
        expect(target, "PTO-E0321", s);
        s = ok, s.k.loc = PTO_LOC_MAT;
        expect(target, "PTO-E0320", s);
        s = ok, s.src = vec(PTO_BF16, 8, 64);
        expect(target, "PTO-E0302", s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
