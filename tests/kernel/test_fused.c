/* SPDX-License-Identifier: Apache-2.0 */
/* TMULADDDST rounds once; TADDDEQRELU follows the sequence of its founding document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const elementwise_case muladd = {PTO_FORM_TMULADDDST, REFERENCE_MULADD, ELEMENTWISE_BINARY};

static void muladd_every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {21};
    const pto_numeric_options variants[] = {{0}, {.unfused = true}, {.flush_subnormals = true}};
    for (int t = PTO_DTYPE_NONE + 1; t < PTO_DTYPE_COUNT; t++)
        for (int v = 0; t != PTO_F64 && v < 3; v++)
            elementwise_sweep(&random, &muladd, (pto_dtype)t, v ? 10 : 200, &variants[v]);
}

/* Triples of a 16-bit float whose product ends near half a unit of the addend, where a second rounding shows.
 */
static void near_tie(testing_random *random, pto_dtype type, uint16_t code[3]) {
    const unsigned fraction = type == PTO_F16 ? 10 : 7, bias = type == PTO_F16 ? 15 : 127;
    const unsigned largest = 2 * bias - 1;
    const unsigned addend = 1 + testing_below(random, largest);
    const int product = (int)addend - (int)fraction - 1 + (int)testing_below(random, 3) - 1;
    const int left = (int)testing_below(random, largest);
    int right = product - left + (int)bias;
    right = right < 0 ? 0 : right > (int)largest ? (int)largest : right;
    const unsigned field[3] = {(unsigned)left, (unsigned)right, addend};
    for (int i = 0; i < 3; i++) {
        uint32_t f = testing_below(random, 1u << fraction);
        if (testing_below(random, 2))
            f = f & 1 ? f & 3 : (1u << fraction) - 1 - (f >> 1 & 3); /* next to a power of two */
        code[i] = (uint16_t)(testing_below(random, 2) << 15 | field[i] << fraction | f);
    }
}

static void muladd_rounds_once(void **state) {
    (void)state;
    enum { ROWS = 16, COLS = 512, COUNT = ROWS * COLS, TURNS = 12 };
    testing_random random = {22};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    static uint16_t triple[COUNT][3], expected[COUNT];
    for (int t = 0; t < 2; t++) {
        const pto_dtype type = t ? PTO_BF16 : PTO_F16;
        unsigned second_rounding_shows = 0;
        const pto_numeric_options unfused = {.unfused = true};
        for (int turn = 0; turn < TURNS; turn++) {
            for (int i = 0; i < COUNT; i++) {
                near_tie(&random, type, triple[i]);
                expected[i] = (uint16_t)reference_elementwise(REFERENCE_MULADD, type, triple[i][0],
                                                              triple[i][1], triple[i][2], NULL);
                second_rounding_shows +=
                    expected[i] != reference_elementwise(REFERENCE_MULADD, type, triple[i][0], triple[i][1],
                                                         triple[i][2], &unfused);
            }
            for (int k = 0; k < levels; k++) {
                pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
                pto_tile tile[3];
                for (int n = 0; n < 3; n++) {
                    tile[n] = testing_tile(
                        core, NULL, testing_type(PTO_LOC_VEC, type, TESTING_ND, ROWS, COLS), ROWS, COLS);
                    for (int i = 0; i < COUNT; i++)
                        ((uint16_t *)tile[n].data)[i] = triple[i][n];
                }
                TESTING_ACCEPTED(core, PTO_FORM_TMULADDDST, testing_tile_operand(&tile[2]),
                                 testing_tile_operand(&tile[0]), testing_tile_operand(&tile[1]));
                for (int i = 0; i < COUNT; i++)
                    if (((uint16_t *)tile[2].data)[i] != expected[i])
                        fail_msg("%s level %d: %04x * %04x + %04x = %04x, expected %04x",
                                 pto_dtype_name(type), (int)level[k], triple[i][0], triple[i][1],
                                 triple[i][2], ((uint16_t *)tile[2].data)[i], expected[i]);
                pto_core_destroy(core);
            }
        }
        assert_true(second_rounding_shows > COUNT * TURNS / 100); /* the triples do test something */
    }
}

/* ---- TADDDEQRELU ---- */

static int32_t interesting_sum_part(testing_random *random) {
    switch (testing_below(random, 6)) {
    case 0:
        return 0;
    case 1:
        return INT32_MIN;
    case 2:
        return INT32_MAX;
    case 3:
        return (int32_t)testing_below(random, 64) - 32;
    case 4:
        return (1 << 24) + (int32_t)testing_below(random, 8);
    default:
        return (int32_t)(uint32_t)testing_next(random);
    }
}

static float interesting_scale(testing_random *random) {
    static const float values[] = {0.0f,     -0.0f,    1.0f,     -1.0f,     INFINITY,   -INFINITY,
                                   NAN,      3e38f,    -3e38f,   0x1p-149f, 0x1p-126f,  0x1p-24f,
                                   65519.0f, 65504.0f, 65520.0f, 0x1p-25f,  0x1.8p-25f, 1.0f / 3.0f};
    if (testing_below(random, 2))
        return values[testing_below(random, sizeof values / sizeof *values)];
    return ldexpf((float)(int32_t)(uint32_t)testing_next(random), -(int)testing_below(random, 70));
}

static void check_adddeqrelu(testing_random *random, pto_target target, int32_t rows, int32_t cols, int place,
                             const pto_numeric_options *options) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    const testing_random start = *random;
    for (int k = 0; k < levels; k++) {
        *random = start;
        pto_core *core = elementwise_core(target, level[k], options);
        pto_tile tile[4]; /* dst, src0, src1, tmp */
        for (int t = 0; t < 4; t++) {
            const pto_dtype type = t ? PTO_S32 : PTO_F16;
            tile[t] = testing_tile(core, random,
                                   testing_type_around(random, PTO_LOC_VEC, type, TESTING_ND, rows, cols, 2),
                                   rows, cols);
        }
        if (place) { /* the bytes of the larger one */
            pto_tile *src = &tile[place];
            if (pto_tile_type_bytes(&src->type) > pto_tile_type_bytes(&tile[0].type))
                tile[0].data = src->data;
            else
                src->data = tile[0].data;
        }
        const float scale = interesting_scale(random);
        uint16_t *expected = calloc((size_t)rows * (size_t)cols, sizeof *expected);
        assert_non_null(expected);
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                const int32_t a = interesting_sum_part(random), b = interesting_sum_part(random);
                testing_set(&tile[1], r, c, (uint32_t)a);
                testing_set(&tile[2], r, c, (uint32_t)b);
                expected[r * cols + c] = reference_adddeqrelu(a, b, scale, options);
            }
        void *before[4];
        for (int t = 0; t < 4; t++)
            before[t] = testing_snapshot(&tile[t]);
        TESTING_ACCEPTED(core, PTO_FORM_TADDDEQRELU, testing_tile_operand(&tile[0]),
                         testing_tile_operand(&tile[1]), testing_tile_operand(&tile[2]),
                         testing_float_operand(PTO_F32, (double)scale), testing_tile_operand(&tile[3]));
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++)
                if (testing_get(&tile[0], r, c) != expected[r * cols + c])
                    fail_msg("level %d scale %a: %04x, expected %04x", (int)level[k], (double)scale,
                             (unsigned)testing_get(&tile[0], r, c), expected[r * cols + c]);
        assert_true(testing_outside_unchanged(&tile[0], before[0]));
        for (int t = 1; t < 4; t++) { /* the sources survive, the scratch tile is not touched */
            if (t != place)
                assert_memory_equal(tile[t].data, before[t], (size_t)pto_tile_type_bytes(&tile[t].type));
        }
        for (int t = 0; t < 4; t++)
            free(before[t]);
        free(expected);
        pto_core_destroy(core);
    }
}

static void adddeqrelu(void **state) {
    (void)state;
    testing_random random = {23};
    const pto_numeric_options variants[] = {{0}, {.relu_keeps_nan = true}, {.flush_subnormals = true}};
    for (int turn = 0; turn < 420; turn++) {
        const pto_target target = (pto_target)testing_below(&random, PTO_TARGET_COUNT);
        const int place = target == PTO_TARGET_A2A3 ? 0 : (int)testing_below(&random, 3);
        const int32_t rows = 1 + (int32_t)testing_below(&random, 6),
                      cols = 1 + (int32_t)testing_below(&random, 90);
        check_adddeqrelu(&random, target, rows, cols, place, &variants[turn % 3]);
    }
}

/* The narrowing at every half and its midpoints: scale 2^-13 puts the sums there. */
static void adddeqrelu_rounds_to_even_and_saturates(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    static const struct {
        int32_t sum;
        float scale;
        uint16_t half;
    } rows[] = {
        {2049, 1, 0x6800},
        {2051, 1, 0x6802},
        {65519, 1, 0x7BFF},
        {65520, 1, 0x7BFF},
        {INT32_MAX, 1, 0x7BFF},
        {1, INFINITY, 0x7BFF},
        {0, INFINITY, 0},
        {1, NAN, 0},
        {-5, 1, 0},
        {-5, -1, 0x4500},
        {1, 0x1p-24f, 0x0001},
        {1, 0x1p-25f, 0x0000},
        {3, 0x1p-25f, 0x0002},
        {1, 0x1.000002p-25f, 1},
        {0, -1, 0},
        {16777217, 0x1p-14f, 0x6400},
        {INT32_MIN, -1, 0x7BFF},
        {1, 3e38f, 0x7BFF},
    };
    for (int k = 0; k < levels; k++) {
        pto_core *core = testing_core(PTO_TARGET_A5, level[k]);
        pto_tile dst = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F16, TESTING_ND, 1, 64), 1, 64);
        pto_tile a = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_S32, TESTING_ND, 1, 64), 1, 64);
        pto_tile b = testing_tile(core, NULL, a.type, 1, 64);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            for (int32_t c = 0; c < 64; c++) { /* wraps back to the sum */
                testing_set(&a, 0, c, (uint32_t)rows[i].sum + 0x7FFFFFFFu);
                testing_set(&b, 0, c, 0x80000001u);
            }
            TESTING_ACCEPTED(core, PTO_FORM_TADDDEQRELU, testing_tile_operand(&dst), testing_tile_operand(&a),
                             testing_tile_operand(&b), testing_float_operand(PTO_F32, (double)rows[i].scale));
            for (int32_t c = 0; c < 64; c++)
                if (testing_get(&dst, 0, c) != rows[i].half)
                    fail_msg("row %zu: %04x, expected %04x", i, (unsigned)testing_get(&dst, 0, c),
                             rows[i].half);
        }
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muladd_every_type_layout_and_place),
        cmocka_unit_test(muladd_rounds_once),
        cmocka_unit_test(adddeqrelu),
        cmocka_unit_test(adddeqrelu_rounds_to_even_and_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
