/* SPDX-License-Identifier: Apache-2.0 */
/* TCVT on tiles: layouts, capacities, packed 4-bit elements, in place, defaults, and its rules on every
 * target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pto/number.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

static const pto_dtype dtypes[] = {PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32,
                                   PTO_S64,  PTO_U64,  PTO_S4,   PTO_F16,  PTO_BF16, PTO_F32,
                                   PTO_E4M3, PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_E2M1, PTO_E1M2};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static pto_status convert(pto_core *core, pto_tile *dst, pto_tile *src, pto_tile *tmp, int mode, int sat) {
    const pto_operand operands[] = {testing_tile_operand(dst), testing_tile_operand(src),
                                    testing_tile_operand(tmp), testing_int_operand(PTO_DTYPE_NONE, mode),
                                    testing_int_operand(PTO_DTYPE_NONE, sat)};
    return testing_execute(core, PTO_FORM_TCVT, 5, operands);
}

/* 9.2, the columns a2a3 and a5. */
typedef struct pair {
    pto_dtype src, dst;
    bool a2a3, a5;
} pair;
static const pair pairs[] = {
    {PTO_F32, PTO_F32, 1, 1},  {PTO_F32, PTO_F16, 1, 1},   {PTO_F32, PTO_BF16, 1, 1},
    {PTO_F32, PTO_S64, 1, 1},  {PTO_F32, PTO_S32, 1, 1},   {PTO_F32, PTO_S16, 1, 1},
    {PTO_F32, PTO_E4M3, 0, 1}, {PTO_F32, PTO_E5M2, 0, 1},  {PTO_F32, PTO_HIF8, 0, 1},
    {PTO_F16, PTO_F32, 1, 1},  {PTO_F16, PTO_S32, 1, 1},   {PTO_F16, PTO_S16, 1, 1},
    {PTO_F16, PTO_S8, 1, 1},   {PTO_F16, PTO_U8, 1, 1},    {PTO_F16, PTO_S4, 1, 0},
    {PTO_F16, PTO_HIF8, 0, 1}, {PTO_BF16, PTO_F32, 1, 1},  {PTO_BF16, PTO_S32, 1, 1},
    {PTO_BF16, PTO_F16, 0, 1}, {PTO_BF16, PTO_E1M2, 0, 1}, {PTO_BF16, PTO_E2M1, 0, 1},
    {PTO_S16, PTO_F16, 1, 1},  {PTO_S16, PTO_F32, 1, 1},   {PTO_S16, PTO_U8, 0, 1},
    {PTO_S16, PTO_U32, 0, 1},  {PTO_S16, PTO_S32, 0, 1},   {PTO_S32, PTO_F32, 1, 1},
    {PTO_S32, PTO_F16, 1, 0},  {PTO_S32, PTO_S16, 1, 1},   {PTO_S32, PTO_U16, 0, 1},
    {PTO_S32, PTO_U8, 0, 1},   {PTO_S32, PTO_S64, 1, 1},   {PTO_U32, PTO_U8, 0, 1},
    {PTO_U32, PTO_U16, 0, 1},  {PTO_U32, PTO_S16, 0, 1},   {PTO_S64, PTO_F32, 1, 1},
    {PTO_S64, PTO_S32, 1, 1},  {PTO_U8, PTO_F16, 1, 1},    {PTO_U8, PTO_U16, 0, 1},
    {PTO_S8, PTO_F16, 1, 1},   {PTO_S8, PTO_S16, 0, 1},    {PTO_S8, PTO_S32, 0, 1},
    {PTO_S4, PTO_F16, 1, 0},   {PTO_E4M3, PTO_F32, 0, 1},  {PTO_E5M2, PTO_F32, 0, 1},
    {PTO_HIF8, PTO_F32, 0, 1}, {PTO_E1M2, PTO_BF16, 0, 1}, {PTO_E2M1, PTO_BF16, 0, 1},
};

static bool has_pair(pto_target target, pto_dtype dst, pto_dtype src) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].src == src && pairs[i].dst == dst)
            return target == PTO_TARGET_CPU || (target == PTO_TARGET_A2A3 ? pairs[i].a2a3 : pairs[i].a5);
    return target == PTO_TARGET_CPU;
}

/* ---- layouts ---- */

static pto_tile_type type_around(testing_random *random, pto_dtype dtype, testing_layout layout, int rows,
                                 int cols) {
    pto_tile_type type = testing_type_around(random, PTO_LOC_VEC, dtype, layout, rows, cols, 2);
    const bool packed = pto_dtype_bits(dtype) == 4;
    if (packed && layout == TESTING_ND) /* the 32-byte rule counts a byte an element */
        type.cols = (type.cols + 31) / 32 * 32;
    if (packed && layout == TESTING_DN)
        type.rows = (type.rows + 31) / 32 * 32;
    return type;
}

/* One random conversion. In place: both tiles begin in the larger of the two storages. */
static void run(pto_core *core, testing_random *random, pto_dtype to, pto_dtype from, testing_layout layout,
                int rows, int cols, bool in_place) {
    const int mode = (int)testing_below(random, 7), sat = (int)testing_below(random, 3);
    pto_tile src = testing_tile(core, random, type_around(random, from, layout, rows, cols), rows, cols);
    pto_tile dst = testing_tile(core, random, type_around(random, to, layout, rows, cols), rows, cols);
    uint64_t *expected = calloc((size_t)rows * (size_t)cols + 1, sizeof *expected);
    assert_non_null(expected);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            expected[r * cols + c] = pto_number_convert(to, from, testing_get(&src, r, c),
                                                        (pto_round_mode)mode, (pto_sat_mode)sat);
    void *source = src.data;
    if (in_place) {
        const uint64_t dst_bytes = pto_tile_type_bytes(&dst.type), src_bytes = pto_tile_type_bytes(&src.type);
        if (dst_bytes >= src_bytes) {
            memcpy(dst.data, src.data, (size_t)src_bytes);
            src.data = dst.data;
        } else {
            dst.data = src.data;
        }
    }
    void *before = testing_snapshot(&dst), *kept = testing_snapshot(&src);
    const pto_status status = convert(core, &dst, &src, NULL, mode, sat);
    testing_expect(core, status, NULL, __FILE__, __LINE__);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            if (testing_get(&dst, r, c) != expected[r * cols + c])
                fail_msg(
                    "%s to %s, layout %d, %d x %d, mode %d, sat %d, in place %d, at %d, %d: %llx, not %llx",
                    pto_dtype_name(from), pto_dtype_name(to), (int)layout, rows, cols, mode, sat, in_place, r,
                    c, (unsigned long long)testing_get(&dst, r, c),
                    (unsigned long long)expected[r * cols + c]);
    assert_true(testing_outside_unchanged(&dst, before));
    if (source != dst.data)
        assert_memory_equal(source, kept, (size_t)pto_tile_type_bytes(&src.type));
    free(before);
    free(kept);
    free(expected);
}

/* Every pair that a target has, 200 shapes from none to whole tiles, on target cpu in every layout. */
static void test_layouts(void **context) {
    (void)context;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {5};
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core[4];
        for (int l = 0; l < levels; l++)
            core[l] = testing_core((pto_target)target, level[l]);
        for (int s = 0; s < DTYPES; s++)
            for (int d = 0; d < DTYPES; d++) {
                if (!has_pair((pto_target)target, dtypes[d], dtypes[s]))
                    continue;
                for (int round = 0; round < 200; round++) {
                    testing_layout layout = (testing_layout)testing_below(&random, TESTING_LAYOUT_COUNT);
                    if (round % 2 || target != PTO_TARGET_CPU)
                        layout = TESTING_ND;
                    int rows = (int)testing_below(&random, 5) + 2 * (layout > TESTING_DN),
                        cols = (int)testing_below(&random, round % 20 ? 40 : 90);
                    if (round == 0)
                        rows = cols = 1;
                    else if (round % 10 == 1)
                        cols = 64;
                    run(core[round % levels], &random, dtypes[d], dtypes[s], layout, rows, cols,
                        round % 3 == 0);
                }
                for (int l = 0; l < levels; l++)
                    pto_core_reset(core[l]);
            }
        for (int l = 0; l < levels; l++)
            pto_core_destroy(core[l]);
    }
}

/* ---- defaults: the numbers of 9.2 ---- */

static uint64_t convert_one(pto_dtype to, pto_dtype from, uint64_t bits, int attributes, int mode, int sat) {
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_tile src = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, from, 1, 32), 1, 32);
    pto_tile dst = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, to, 1, 32), 1, 32);
    testing_set(&src, 0, 31, bits);
    const pto_operand operands[] = {testing_tile_operand(&dst), testing_tile_operand(&src),
                                    testing_tile_operand(NULL), testing_int_operand(PTO_DTYPE_NONE, mode),
                                    testing_int_operand(PTO_DTYPE_NONE, sat)};
    testing_expect(core, testing_execute(core, PTO_FORM_TCVT, 2 + attributes, operands), NULL, __FILE__,
                   __LINE__);
    const uint64_t result = testing_get(&dst, 0, 31);
    pto_core_destroy(core);
    return result;
}

static void test_defaults(void **context) {
    (void)context;
    enum { PLAIN = 0, WITH = 3 };
    const uint64_t minus_1_5 = 0xBFC00000, e5 = 0x47C35000, half = 0x3F000000;
    assert_int_equal(convert_one(PTO_S32, PTO_F32, minus_1_5, PLAIN, 0, 0), 0xFFFFFFFF); /* TRUNC */
    assert_int_equal(convert_one(PTO_S32, PTO_F32, minus_1_5, WITH, PTO_CAST_RINT, 2), 0xFFFFFFFE);
    assert_int_equal(convert_one(PTO_S16, PTO_F32, e5, PLAIN, 0, 0), 100000 & 0xFFFF); /* OFF */
    assert_int_equal(convert_one(PTO_S16, PTO_F32, e5, WITH, 0, PTO_SAT_ON), 0x7FFF);
    assert_int_equal(convert_one(PTO_F16, PTO_F32, e5, PLAIN, 0, 0), 0x7BFF); /* ON */
    assert_int_equal(convert_one(PTO_F16, PTO_F32, e5, WITH, 0, PTO_SAT_OFF), 0x7C00);
    assert_int_equal(convert_one(PTO_F32, PTO_F32, minus_1_5, PLAIN, 0, 0), 0xC0000000); /* RINT */
    assert_int_equal(convert_one(PTO_F32, PTO_F32, half, WITH, PTO_CAST_ROUND, 2), 0x3F800000);
    assert_int_equal(convert_one(PTO_F32, PTO_F32, half, WITH, PTO_CAST_ODD, 2), 0); /* not honoured */
    assert_int_equal(convert_one(PTO_S16, PTO_S32, 70000, PLAIN, 0, 0), 70000 & 0xFFFF);
    assert_int_equal(convert_one(PTO_U8, PTO_S32, 70000, PLAIN, 0, 0), 255);
    assert_int_equal(convert_one(PTO_F32, PTO_F16, 0xFC00, PLAIN, 0, 0), 0xFF800000);
    assert_int_equal(convert_one(PTO_F32, PTO_F16, 0xFC00, WITH, 0, PTO_SAT_ON), 0xFF7FFFFF);
    assert_int_equal(convert_one(PTO_E2M1, PTO_BF16, 0x40C8, PLAIN, 0, 0), 7); /* 6.25 */
}

/* ---- the narrowing path that other libraries follow (9.5) ---- */

/* Its steps, one after the other: round and saturate to s32, keep 16 bits; for s8 keep 8 of them. */
static uint64_t wrapped(pto_dtype to, double value, int mode) {
    double whole = trunc(value);
    if (mode == PTO_CAST_RINT)
        whole = nearbyint(value);
    else if (mode == PTO_CAST_ROUND)
        whole = round(value);
    else if (mode == PTO_CAST_FLOOR)
        whole = floor(value);
    else if (mode == PTO_CAST_CEIL)
        whole = ceil(value);
    int32_t narrow = 0;
    if (whole == whole)
        narrow = whole >= 0x1p31 ? INT32_MAX : whole < -0x1p31 ? INT32_MIN : (int32_t)whole;
    const uint32_t half = (uint32_t)narrow & 0xFFFF;
    return to == PTO_S8 ? half & 0x00FF : half;
}

/* Every half, and floats around the limits of all integers: with and without scratch, saturation off by
 * default and by name; with saturation on, the limits of the type. */
static void test_wrapping_path(void **context) {
    (void)context;
    enum { ROWS = 128, COLS = 512, COUNT = ROWS * COLS };
    static const pto_dtype ways[][2] = {{PTO_F32, PTO_S16}, {PTO_F16, PTO_S16}, {PTO_F16, PTO_S8}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    static uint64_t code[COUNT];
    for (int w = 0; w < 3; w++) {
        const pto_dtype from = ways[w][0], to = ways[w][1];
        testing_random random = {77};
        for (int i = 0; i < COUNT; i++) {
            const uint64_t any = testing_next(&random);
            code[i] = (uint64_t)i;
            if (from == PTO_F32) /* exponents of 2^-2 to 2^33, and anything */
                code[i] = i % 4 ? (any & 0x807FFFFF) | (uint64_t)(125 + testing_below(&random, 36)) << 23
                                : testing_bits(&random, from);
            if (from == PTO_F32 && i % 8 > 4) /* integers and halves */
                code[i] &= ~UINT64_C(0) << (22 - testing_below(&random, 18));
        }
        for (int target = 0; target < PTO_TARGET_COUNT; target++)
            for (int l = 0; l < levels; l++) {
                const pto_options options = {.target = (pto_target)target,
                                             .simd = level[l],
                                             .memory_bytes = {[PTO_LOC_VEC] = 1 << 20}};
                pto_core *core = pto_core_create(&options);
                assert_non_null(core);
                pto_tile src =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, from, ROWS, COLS), ROWS, COLS);
                pto_tile dst =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, to, ROWS, COLS), ROWS, COLS);
                pto_tile tmp =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 1, 2048), 1, 2048);
                for (int i = 0; i < COUNT; i++)
                    testing_store(src.data, from, i, code[i]);
                for (int mode = PTO_CAST_NONE; mode <= PTO_CAST_ODD; mode++)
                    for (int variant = 0; variant < 5; variant++) {
                        static const int sat_of[] = {PTO_SAT_OFF, PTO_SAT_DEFAULT, PTO_SAT_OFF,
                                                     PTO_SAT_DEFAULT, PTO_SAT_ON};
                        const bool on = variant == 4, has_tmp = variant < 2;
                        testing_expect(
                            core, convert(core, &dst, &src, has_tmp ? &tmp : NULL, mode, sat_of[variant]),
                            NULL, __FILE__, __LINE__);
                        for (int i = 0; i < COUNT; i++) {
                            const double value = pto_number_to_double(from, code[i]);
                            const double limit = to == PTO_S8 ? 127 : 32767;
                            const double inside = value != value ? 0 : fmin(fmax(value, -limit - 1), limit);
                            const uint64_t want = wrapped(to, on ? inside : value, mode);
                            const uint64_t found = testing_load(dst.data, to, i);
                            if (found != want)
                                fail_msg("%s to %s of %g, mode %d, variant %d: %llx, not %llx",
                                         pto_dtype_name(from), pto_dtype_name(to), value, mode, variant,
                                         (unsigned long long)found, (unsigned long long)want);
                        }
                    }
                pto_core_destroy(core);
            }
    }
}

/* ---- rules ---- */

static void test_pairs(void **context) {
    (void)context;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        for (int s = 0; s < DTYPES; s++)
            for (int d = 0; d < DTYPES; d++) {
                const bool legal = has_pair((pto_target)target, dtypes[d], dtypes[s]);
                pto_tile src =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, dtypes[s], 1, 32), 1, 32);
                pto_tile dst =
                    testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, dtypes[d], 1, 32), 1, 32);
                testing_expect(core, convert(core, &dst, &src, NULL, 1, 2), legal ? NULL : "PTO-E0550",
                               __FILE__, __LINE__);
            }
        pto_core_destroy(core);
    }
}

static bool warned(pto_core *core, pto_tile *dst, pto_tile *src) {
    assert_int_equal(convert(core, dst, src, NULL, 0, 2), PTO_OK);
    const bool found = pto_diag_has(pto_core_diags(core), "PTO-W0331");
    pto_diag_list_clear(pto_core_diags(core));
    return found;
}

static void test_in_place_warning(void **context) {
    (void)context;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        pto_tile f32 = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 2, 32), 2, 32);
        pto_tile f16 = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 2, 32), 2, 32);
        assert_false(warned(core, &f16, &f32));
        f16.data = f32.data;
        assert_int_equal(warned(core, &f16, &f32), target != PTO_TARGET_CPU);
        pto_tile s32 = f32;
        s32.type.dtype = PTO_S32;
        assert_false(warned(core, &s32, &f32));
        /* any other overlap is an error */
        s32.data = (char *)f32.data + 32;
        testing_expect(core, convert(core, &s32, &f32, NULL, 0, 2), "PTO-E0325", __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

typedef struct scratch_case {
    pto_dtype src, dst;
    int rows, cols, src_cols;
    int bytes; /* needed on a2a3 with saturation off: 9.5 */
} scratch_case;

static void test_scratch(void **context) {
    (void)context;
    static const scratch_case cases[] = {
        {PTO_F32, PTO_S16, 1, 64, 64, 256}, {PTO_F32, PTO_S16, 4, 256, 256, 1024},
        {PTO_F32, PTO_S16, 5, 20, 32, 608}, {PTO_F32, PTO_S16, 3, 72, 128, 1056},
        {PTO_F16, PTO_S16, 4, 17, 32, 96},  {PTO_F16, PTO_S16, 4, 256, 256, 256},
        {PTO_F16, PTO_S8, 2, 16, 32, 160},  {PTO_F16, PTO_S8, 2, 64, 64, 256},
        {PTO_F32, PTO_S32, 2, 64, 64, 0},   {PTO_F16, PTO_U8, 2, 64, 64, 0},
    };
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const scratch_case *c = &cases[i];
            pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
            pto_tile_type src_type = pto_tile_type_make(PTO_LOC_VEC, c->src, c->rows, c->src_cols);
            pto_tile_type dst_type = pto_tile_type_make(PTO_LOC_VEC, c->dst, c->rows, 256);
            src_type.valid_cols = dst_type.valid_cols = PTO_DYNAMIC;
            pto_tile src = testing_tile(core, NULL, src_type, c->rows, c->cols);
            pto_tile dst = testing_tile(core, NULL, dst_type, c->rows, c->cols);
            const int enough = c->bytes ? c->bytes : 32;
            pto_tile tmp =
                testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 1, enough), 1, enough);
            testing_expect(core, convert(core, &dst, &src, &tmp, 0, PTO_SAT_OFF), NULL, __FILE__, __LINE__);
            testing_expect(core, convert(core, &dst, &src, NULL, 0, PTO_SAT_OFF), NULL, __FILE__, __LINE__);
            if (enough > 32) {
                pto_tile small = testing_tile(
                    core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_U8, 1, enough - 32), 1, enough - 32);
                const char *rule = target == PTO_TARGET_A2A3 ? "PTO-E0330" : NULL;
                testing_expect(core, convert(core, &dst, &src, &small, 0, PTO_SAT_OFF), rule, __FILE__,
                               __LINE__);
                testing_expect(core, convert(core, &dst, &src, &small, 0, PTO_SAT_DEFAULT), rule, __FILE__,
                               __LINE__);
                testing_expect(core, convert(core, &dst, &src, &small, 0, PTO_SAT_ON), NULL, __FILE__,
                               __LINE__);
            }
            tmp.data = dst.data;
            testing_expect(core, convert(core, &dst, &src, &tmp, 0, PTO_SAT_OFF), "PTO-E0326", __FILE__,
                           __LINE__);
            pto_core_destroy(core);
        }
}

static void test_shared_rules(void **context) {
    (void)context;
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core = testing_core((pto_target)target, PTO_SIMD_BEST);
        const bool cpu = target == PTO_TARGET_CPU;
        pto_tile a = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 32, 32), 32, 32);
        pto_tile b = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 32, 32), 32, 32);
        pto_tile dn =
            testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 32, 32), 32, 32);
        pto_tile mat = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_MAT, PTO_F32, 32, 32), 32, 32);
        pto_tile_type dynamic = a.type;
        dynamic.valid_rows = PTO_DYNAMIC;
        pto_tile fewer = testing_tile(core, NULL, dynamic, 31, 32);
        testing_expect(core, convert(core, &b, &a, NULL, 0, 2), NULL, __FILE__, __LINE__);
        testing_expect(core, convert(core, &b, &dn, NULL, 0, 2), cpu ? "PTO-E0322" : "PTO-E0321", __FILE__,
                       __LINE__);
        testing_expect(core, convert(core, &b, &mat, NULL, 0, 2), "PTO-E0320", __FILE__, __LINE__);
        testing_expect(core, convert(core, &b, &fewer, NULL, 0, 2), "PTO-E0323", __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),          cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_wrapping_path),    cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_in_place_warning), cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_shared_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
