/* SPDX-License-Identifier: Apache-2.0 */
/* TQUANT and TDEQUANT against plain loops: every type, mode, target and SIMD level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/matmul.h"
#include "reference/tquant.h"
#include "support/tile_testing.h"

#include <pto/ops.h>

#include <pto/number.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = 200 };

static float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int extent(testing_random *random, int limit) {
    return 1 + (int)testing_below(random, testing_below(random, 3) ? (uint32_t)limit : 5);
}

static int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

static pto_tile tile(pto_core *core, testing_random *random, pto_dtype dtype, int rows, int cols,
                     int valid_rows, int valid_cols) {
    pto_tile_type type = testing_type(PTO_LOC_VEC, dtype, TESTING_ND, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, random, type, valid_rows, valid_cols);
}

/* Parameters of a row: ordinary, with a special one now and then. */
static void fill_parameters(testing_random *random, pto_tile *column, float typical) {
    for (int r = 0; r < column->valid_rows; r++) {
        const float value = typical * (0.5f + (float)testing_below(random, 1000) / 500.0f);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (testing_below(random, 12) == 0)
            bits = (uint32_t)testing_bits(random, PTO_F32);
        testing_set(column, r, 0, bits);
    }
}

typedef void (*case_run)(pto_core *core, testing_random *random, pto_target target);

static void on_all_levels(uint64_t seed, unsigned targets, int shapes, case_run run) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        if (!(targets & 1u << target))
            continue;
        for (int l = 0; l < levels; l++) {
            pto_core *core = testing_core((pto_target)target, level[l]);
            for (int shape = 0; shape < shapes; shape++) {
                testing_random random = {seed + (uint64_t)shape * 1000 + (uint64_t)target};
                run(core, &random, (pto_target)target);
                if (shape % 16 == 15)
                    pto_core_reset(core);
            }
            pto_core_destroy(core);
        }
    }
}

enum { CPU = 1 << PTO_TARGET_CPU, A2A3 = 1 << PTO_TARGET_A2A3, A5 = 1 << PTO_TARGET_A5 };

/* ---- INT8 ---- */

static uint64_t quant_source(testing_random *random) {
    if (testing_below(random, 8) == 0)
        return testing_bits(random, PTO_F32);
    /* halves are frequent: ties */
    const float value =
        ((float)testing_below(random, 1200) - 600.0f) / (testing_below(random, 2) ? 2.0f : 7.0f);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void run_int8(pto_core *core, testing_random *random, pto_target target) {
    const bool asymmetric = testing_below(random, 2);
    int rows = extent(random, 40), cols = extent(random, 200);
    const int pitch = round_up(cols, 32) + 32 * (int)testing_below(random, 2);
    pto_tile src = tile(core, random, PTO_F32, rows + 1, pitch, rows, cols);
    pto_tile dst = tile(core, random, asymmetric ? PTO_U8 : PTO_S8, rows + 2, pitch, rows, cols);
    pto_tile tmp = tile(core, random, PTO_F32, rows + 1, pitch < 256 ? 256 : pitch, rows, cols);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            testing_set(&src, r, c, quant_source(random));
    pto_tile parameter[2];
    for (int i = 0; i < 2; i++) {
        pto_tile_type type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, round_up(rows, 8), 1);
        if (target == PTO_TARGET_CPU && testing_below(random, 2))
            type = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, rows, 8);
        type.valid_rows = type.valid_cols = PTO_DYNAMIC;
        parameter[i] = testing_tile(core, random, type, rows, 1);
        fill_parameters(random, &parameter[i], i ? 20.0f : 1.0f);
        if (testing_below(random, 2)) /* exact, so that ties remain ties */
            for (int r = 0; r < rows; r++)
                testing_set(&parameter[i], r, 0, i ? UINT32_C(0x42000000) : UINT32_C(0x3F800000));
    }
    int used = rows; /* cpu repeats the last parameter */
    if (target == PTO_TARGET_CPU && testing_below(random, 4) == 0)
        parameter[0].valid_rows = parameter[1].valid_rows = used =
            1 + (int)testing_below(random, (uint32_t)rows);
    void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
    const pto_operand type =
        testing_int_operand(PTO_DTYPE_NONE, asymmetric ? PTO_QUANT_INT8_ASYM : PTO_QUANT_INT8_SYM);
    pto_tile *offset = asymmetric ? &parameter[1] : NULL;
    const bool scratch = target == PTO_TARGET_A2A3 || testing_below(random, 2);
    TESTING_ACCEPTED(core, PTO_FORM_TQUANT, testing_tile_operand(&dst), testing_tile_operand(&src),
                     testing_tile_operand(&parameter[0]), testing_tile_operand(scratch ? &tmp : NULL),
                     testing_tile_operand(offset), type);
    for (int r = 0; r < rows; r++) {
        const int p = r < used ? r : used - 1;
        const float s = as_float((uint32_t)testing_get(&parameter[0], p, 0));
        const float o = as_float((uint32_t)testing_get(&parameter[1], p, 0));
        for (int c = 0; c < cols; c++) {
            const float x = as_float((uint32_t)testing_get(&src, r, c));
            const int want = reference_quant_int8(x, s, o, asymmetric);
            if ((uint8_t)testing_get(&dst, r, c) != (uint8_t)want)
                fail_msg("%g * %g + %g: %d instead of %d", (double)x, (double)s, (double)o,
                         (int)testing_get(&dst, r, c), want);
        }
    }
    assert_true(testing_outside_unchanged(&dst, before));
    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
    free(before);
    free(source);
}

static void test_int8(void **state) {
    (void)state;
    on_all_levels(1, CPU | A2A3 | A5, 240, run_int8);
}

/* ---- TDEQUANT ---- */

static pto_dtype dequant_type;

static void run_dequant(pto_core *core, testing_random *random, pto_target target) {
    (void)target;
    const int rows = extent(random, 24), cols = extent(random, 100), pitch = round_up(cols, 64);
    pto_tile src = tile(core, random, dequant_type, rows, pitch, rows, cols);
    pto_tile dst = tile(core, random, PTO_F32, rows + 1, pitch + 32, rows, cols);
    pto_tile scale = tile(core, random, PTO_F32, rows, 8, rows, 1 + (int)testing_below(random, 8));
    pto_tile_type column = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, round_up(rows, 8), 1);
    column.valid_rows = column.valid_cols = PTO_DYNAMIC;
    pto_tile offset = testing_tile(core, random, column, rows, 1);
    fill_parameters(random, &scale, 0.1f);
    fill_parameters(random, &offset, 30.0f);
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_TDEQUANT, testing_tile_operand(&dst), testing_tile_operand(&src),
                     testing_tile_operand(&scale), testing_tile_operand(&offset));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const uint64_t bits = testing_get(&src, r, c);
            float value;
            if (dequant_type == PTO_S64)
                value = (float)(int64_t)bits;
            else if (dequant_type == PTO_U64)
                value = (float)bits;
            else
                value = (float)pto_number_to_double(dequant_type, bits);
            const uint32_t want = reference_dequant(value, as_float((uint32_t)testing_get(&scale, r, 0)),
                                                    as_float((uint32_t)testing_get(&offset, r, 0)));
            if ((uint32_t)testing_get(&dst, r, c) != want)
                fail_msg("%s %llx: %08x instead of %08x", pto_dtype_name(dequant_type),
                         (unsigned long long)bits, (unsigned)testing_get(&dst, r, c), want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
}

static void test_dequant(void **state) {
    (void)state;
    for (int dtype = 1; dtype < PTO_DTYPE_COUNT; dtype++) {
        if (dtype == PTO_F64)
            continue;
        dequant_type = (pto_dtype)dtype;
        const bool npu = dtype == PTO_S8 || dtype == PTO_S16;
        on_all_levels(2, npu ? CPU | A2A3 | A5 : CPU, SHAPES, run_dequant);
    }
}

/* ---- MX ---- */

typedef struct mx_case {
    pto_dtype src, dst;
    pto_mx_quant_alg alg;
} mx_case;
static const mx_case mx_cases[] = {
    {PTO_F32, PTO_E4M3, PTO_OCP_MXFP8_E4M3},  {PTO_F16, PTO_S8, PTO_OCP_MXFP8_E4M3},
    {PTO_BF16, PTO_E4M3, PTO_OCP_MXFP8_E4M3}, {PTO_F32, PTO_S8, PTO_NV_MXFP8_E4M3},
    {PTO_F16, PTO_E4M3, PTO_NV_MXFP8_E4M3},   {PTO_BF16, PTO_S8, PTO_NV_MXFP8_E4M3},
    {PTO_F16, PTO_E2M1, PTO_OCP_MXFP4_E2M1},  {PTO_BF16, PTO_E2M1, PTO_OCP_MXFP4_E2M1},
    {PTO_F16, PTO_E2M1, PTO_NV_MXFP4_E2M1},   {PTO_BF16, PTO_E2M1, PTO_NV_MXFP4_E2M1},
    {PTO_F32, PTO_E2M1, PTO_OCP_MXFP4_E2M1},  {PTO_F32, PTO_E2M1, PTO_NV_MXFP4_E2M1}}; /* the last two: cpu */
enum { MX_CASES = sizeof mx_cases / sizeof *mx_cases };
static const mx_case *mx;

enum { MAX_ROWS = 128, MAX_COLS = 160 };
static uint32_t mx_source[MAX_ROWS * MAX_COLS];

/* Groups of like magnitude, with specials in some of them only. */
static void fill_source(testing_random *random, pto_tile *src) {
    const int kind = (int)testing_below(random, 4);
    const bool half = src->type.dtype == PTO_F16;
    for (int r = 0; r < src->valid_rows; r++)
        for (int c = 0; c < src->valid_cols; c++) {
            const uint64_t any = testing_next(random);
            const unsigned fraction = half ? 10 : src->type.dtype == PTO_BF16 ? 7 : 23;
            const unsigned center = kind == 0 ? 1 : kind == 1 ? (half ? 20 : 240) : (half ? 12 : 120);
            uint64_t bits = (any & ((UINT64_C(1) << fraction) - 1)) |
                            (uint64_t)(center + testing_below(random, 8)) << fraction |
                            (any >> 63) << (half ? 15 : fraction + 8);
            if (kind == 3 || testing_below(random, 300) == 0)
                bits = testing_bits(random, src->type.dtype);
            testing_set(src, r, c, bits);
        }
}

static void read_source(const pto_tile *src) {
    for (int r = 0; r < src->valid_rows; r++)
        for (int c = 0; c < src->valid_cols; c++)
            mx_source[r * MAX_COLS + c] = (uint32_t)testing_get(src, r, c);
}

static void check_code(const pto_tile *dst, bool nd, int r, int c, reference_mx group) {
    const uint8_t want =
        reference_mx_code(mx->src, mx->alg, nd, mx_source[r * MAX_COLS + c], group.multiplier);
    const unsigned found = (unsigned)testing_get(dst, r, c);
    if (found != want)
        fail_msg("%s, algorithm %d, %s: source %x, exponent %u: %02x instead of %02x",
                 pto_dtype_name(mx->src), (int)mx->alg, nd ? "nd" : "dn", mx_source[r * MAX_COLS + c],
                 group.exponent, found, want);
}

/* Scratch and outputs of a call. */
typedef struct mx_tiles {
    pto_tile src, dst, exp, max, scaling, zz;
} mx_tiles;

static void execute(pto_core *core, mx_tiles *t, pto_group_axis axis, bool interleave) {
    TESTING_ACCEPTED(core, PTO_FORM_TQUANT_MX, testing_tile_operand(&t->dst), testing_tile_operand(&t->src),
                     testing_tile_operand(&t->exp), testing_tile_operand(&t->max),
                     testing_tile_operand(&t->scaling), testing_int_operand(PTO_DTYPE_NONE, axis),
                     testing_int_operand(PTO_DTYPE_NONE, mx->alg),
                     testing_int_operand(PTO_DTYPE_NONE, interleave));
}

static void execute_nz(pto_core *core, mx_tiles *t) {
    TESTING_ACCEPTED(core, PTO_FORM_TQUANT_MX_NZ, testing_tile_operand(&t->dst),
                     testing_tile_operand(&t->src), testing_tile_operand(&t->exp),
                     testing_tile_operand(&t->max), testing_tile_operand(&t->scaling),
                     testing_tile_operand(&t->zz), testing_int_operand(PTO_DTYPE_NONE, PTO_OCP_MXFP8_E4M3),
                     testing_int_operand(PTO_DTYPE_NONE, PTO_VEC_STORE_NZ));
}

static void run_rows(pto_core *core, testing_random *random, pto_target target, bool nz) {
    const int rows = nz ? 16 * (1 + (int)testing_below(random, 2)) : extent(random, 20);
    int valid = extent(random, 130);
    if (nz)
        valid = 33 + (int)testing_below(random, 32);
    const int cols = round_up(valid, 32) + 32 * (int)testing_below(random, 2);
    const int capacity = target == PTO_TARGET_A5 ? round_up(rows, 16) : rows + (int)testing_below(random, 3);
    const bool flat = testing_below(random, 2);
    const int in_row = cols / 32, groups = (valid + 31) / 32;
    mx_tiles t = {.src = tile(core, random, mx->src, capacity, cols, rows, valid),
                  .dst = tile(core, random, mx->dst, capacity, cols, rows, valid),
                  .max = tile(core, random, mx->src, 1, round_up(rows * in_row, 16), 1, 1),
                  .scaling = tile(core, random, mx->src, 1, round_up(2 * rows * in_row, 16), 1, 1),
                  .zz = tile(core, random, PTO_U8, 1, round_up(rows * in_row, 32), 1, 1)};
    t.exp = flat ? tile(core, random, PTO_U8, 1, round_up(rows * in_row, 32), 1, 1)
                 : tile(core, random, PTO_E8M0, rows + 1, 32, rows, groups);
    fill_source(random, &t.src);
    read_source(&t.src);
    void *before = testing_snapshot(&t.dst), *exp_before = testing_snapshot(&t.exp),
         *source = testing_snapshot(&t.src);
    if (nz)
        execute_nz(core, &t);
    else
        execute(core, &t, PTO_GROUP_ND, false);
    uint8_t *exponents = t.exp.data;
    for (int r = 0; r < rows; r++) {
        for (int g = 0; g < (flat ? in_row : groups); g++) {
            const int count = valid - 32 * g > 32 ? 32 : valid - 32 * g;
            const reference_mx group = reference_mx_group(mx->src, mx->alg, &mx_source[r * MAX_COLS + 32 * g],
                                                          count < 0 ? 0 : count, 1);
            const int at = flat ? r * in_row + g : r * t.exp.type.cols + g;
            assert_int_equal(exponents[at], group.exponent);
            if (nz && g < groups) {
                const int box = r / 16 * (groups / 2) + g / 2;
                assert_int_equal(((uint8_t *)t.zz.data)[box * 32 + r % 16 * 2 + g % 2], group.exponent);
            }
            ((uint8_t *)exp_before)[at] = group.exponent;
            for (int c = 0; c < count; c++)
                check_code(&t.dst, true, r, 32 * g + c, group);
        }
        if (flat) /* the columns behind are zero codes */
            for (int c = valid; c < cols; c++) {
                assert_int_equal(testing_get(&t.dst, r, c), 0);
                testing_store(before, mx->dst, (int64_t)r * cols + c, 0);
            }
    }
    assert_true(testing_outside_unchanged(&t.dst, before));
    assert_memory_equal(t.exp.data, exp_before, (size_t)pto_tile_type_bytes(&t.exp.type));
    assert_memory_equal(t.src.data, source, (size_t)pto_tile_type_bytes(&t.src.type));
    free(before);
    free(exp_before);
    free(source);
}

static void run_nd(pto_core *core, testing_random *random, pto_target target) {
    run_rows(core, random, target, false);
}
static void run_nz(pto_core *core, testing_random *random, pto_target target) {
    run_rows(core, random, target, true);
}

static void run_dn(pto_core *core, testing_random *random, pto_target target) {
    (void)target;
    const bool interleave = testing_below(random, 2);
    const int unit = interleave ? 64 : 32, rows = unit * (1 + (int)testing_below(random, 2));
    const int capacity = rows < MAX_ROWS && testing_below(random, 2) ? rows + unit : rows;
    const int valid = extent(random, 70), cols = round_up(valid, 32);
    mx_tiles t = {.src = tile(core, random, mx->src, capacity, cols, rows, valid),
                  .dst = tile(core, random, mx->dst, capacity, cols, rows, valid),
                  .max = tile(core, random, mx->src, capacity / 32, cols, 1, 1),
                  .scaling = tile(core, random, mx->src, capacity / 32, cols, 1, 1)};
    t.exp = interleave ? tile(core, random, PTO_U8, capacity / 64, 2 * cols, rows / 64, 2 * valid)
                       : tile(core, random, PTO_U8, capacity / 32, cols, rows / 32, valid);
    fill_source(random, &t.src);
    read_source(&t.src);
    void *before = testing_snapshot(&t.dst), *exp_before = testing_snapshot(&t.exp);
    execute(core, &t, PTO_GROUP_DN, interleave);
    for (int p = 0; p < rows / 32; p++)
        for (int c = 0; c < valid; c++) {
            const reference_mx group =
                reference_mx_group(mx->src, mx->alg, &mx_source[32 * p * MAX_COLS + c], 32, MAX_COLS);
            const uint64_t found =
                interleave ? testing_get(&t.exp, p / 2, 2 * c + p % 2) : testing_get(&t.exp, p, c);
            assert_int_equal(found, group.exponent);
            for (int r = 0; r < 32; r++)
                check_code(&t.dst, false, 32 * p + r, c, group);
        }
    assert_true(testing_outside_unchanged(&t.dst, before));
    assert_true(testing_outside_unchanged(&t.exp, exp_before));
    free(before);
    free(exp_before);
}

static void test_mx(void **state) {
    (void)state;
    for (int i = 0; i < MX_CASES; i++) {
        mx = &mx_cases[i];
        const bool cpu_only = i >= MX_CASES - 2;
        on_all_levels(3, cpu_only ? CPU : CPU | A5, SHAPES + 20, run_nd);
        on_all_levels(4, cpu_only ? CPU : CPU | A5, 20, run_dn);
    }
}

/* The form with boxes knows only the OCP exponent of MXFP8. */
static void test_mx_nz(void **state) {
    (void)state;
    static const pto_dtype from[] = {PTO_F32, PTO_F16, PTO_BF16}, to[] = {PTO_E4M3, PTO_S8};
    for (int i = 0; i < 6; i++) {
        const mx_case one = {from[i % 3], to[i / 3], PTO_OCP_MXFP8_E4M3};
        mx = &one;
        on_all_levels(5, CPU, SHAPES, run_nz);
    }
}

/* Numbers worked out by hand from the tables. */
static void test_mx_by_hand(void **state) {
    (void)state;
    static const struct {
        pto_mx_quant_alg alg;
        float greatest;
        uint8_t exponent, code;
    } cases[] = {
        {PTO_OCP_MXFP8_E4M3, 1.0f, 119, 0x78},  /* 2^8 = 256 */
        {PTO_OCP_MXFP8_E4M3, 1.99f, 119, 0x7E}, /* 509 saturates to 448 */
        {PTO_OCP_MXFP8_E4M3, 0.0f, 0, 0},
        {PTO_OCP_MXFP8_E4M3, INFINITY, 247, 0x7E},
        {PTO_OCP_MXFP8_E4M3, NAN, 255, 0x7F},
        {PTO_NV_MXFP8_E4M3, 1.0f, 119, 0x78}, /* 1 / 448 lies between 2^-9 and 2^-8 */
        {PTO_NV_MXFP8_E4M3, INFINITY, 254, 0x7E},
        {PTO_OCP_MXFP4_E2M1, 1.0f, 125, 6},  /* 4 */
        {PTO_OCP_MXFP4_E2M1, 1.75f, 125, 7}, /* 7 clamps to 6 */
        {PTO_OCP_MXFP4_E2M1, INFINITY, 253, 7},
        {PTO_NV_MXFP4_E2M1, NAN, 255, 7},
    };
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool fp4 = cases[i].alg >= PTO_OCP_MXFP4_E2M1;
        mx_tiles t = {.src = tile(core, NULL, PTO_F32, 1, 32, 1, 32),
                      .dst = tile(core, NULL, fp4 ? PTO_E2M1 : PTO_E4M3, 1, 32, 1, 32),
                      .exp = tile(core, NULL, PTO_U8, 1, 32, 1, 1),
                      .max = tile(core, NULL, PTO_F32, 1, 8, 1, 1),
                      .scaling = tile(core, NULL, PTO_F32, 1, 8, 1, 2)};
        uint32_t bits;
        memcpy(&bits, &cases[i].greatest, sizeof bits);
        testing_set(&t.src, 0, 31, bits);
        const mx_case one = {PTO_F32, t.dst.type.dtype, cases[i].alg};
        mx = &one;
        execute(core, &t, PTO_GROUP_ND, false);
        assert_int_equal(testing_get(&t.exp, 0, 0), cases[i].exponent);
        assert_int_equal(testing_get(&t.dst, 0, 31), cases[i].code);
    }
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int8),  cmocka_unit_test(test_dequant),    cmocka_unit_test(test_mx),
        cmocka_unit_test(test_mx_nz), cmocka_unit_test(test_mx_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
