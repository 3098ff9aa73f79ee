/* SPDX-License-Identifier: Apache-2.0 */
/* TRANDOM against known answers and a plain Philox; THISTOGRAM by counting; their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/irregular.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)
#define WORD(value) testing_int_operand(PTO_U32, (int64_t)(value))

static pto_tile_type dynamic(pto_tile_type type) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

static pto_tile_type vec(pto_dtype dtype, int32_t rows, int32_t cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

/* ---- TRANDOM ---- */

static pto_status draw(pto_core *core, pto_tile *dst, const uint32_t k[2], const uint32_t c[4], int rounds) {
    return TESTING_EXECUTE(core, PTO_FORM_TRANDOM, TILE(dst), WORD(k[0]), WORD(k[1]), WORD(c[0]), WORD(c[1]),
                           WORD(c[2]), WORD(c[3]), ATTR(rounds));
}

/* The vectors of 40, 5.4. */
static void test_known_answers(void **state) {
    (void)state;
    static const struct {
        uint32_t key[2], counter[4];
        int rounds;
        uint32_t word[4];
    } known[] = {
        {{0, 0}, {0, 0, 0, 0}, 10, {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}},
        {{~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}, 10, {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}},
        {{0, 0}, {0, 0, 0, 0}, 7, {0x5F6FB709, 0x0D893F64, 0x4F121F81, 0x4F730A48}},
        {{0, 0}, {1, 0, 0, 0}, 10, {0xF8E4CCA4, 0x5CB200DB, 0xB1A574EB, 0x097EFF67}},
    };
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_A5, level[l]);
        for (int i = 0; i < 4; i++) {
            uint32_t word[4];
            reference_philox(known[i].key, known[i].counter, known[i].rounds, word);
            assert_memory_equal(word, known[i].word, sizeof word);
            pto_tile dst = pto_tile_make(vec(PTO_U32, 1, 8));
            assert_int_equal(draw(core, &dst, known[i].key, known[i].counter, known[i].rounds), PTO_OK);
            assert_memory_equal(dst.data, known[i].word, sizeof word);
        }
        pto_core_destroy(core);
    }
}

static void add_to_counter(uint32_t c[4], uint32_t n) {
    uint64_t carry = n;
    for (int i = 0; i < 4; i++) {
        carry += c[i];
        c[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

typedef enum random_order { PORTABLE, A5, CPU } random_order;

static void draw_once(pto_core *core, testing_random *random, random_order order, int trial) {
    int32_t rows = 1 + (int32_t)testing_below(random, 3),
            cols = trial ? 1 + (int32_t)testing_below(random, 700) : 1;
    int rounds = trial & 1 ? 7 : 10;
    uint32_t key[2] = {(uint32_t)testing_next(random), (uint32_t)testing_next(random)}, counter[4];
    for (int i = 0; i < 4; i++) /* carries through several words, often */
        counter[i] = testing_below(random, 2) ? UINT32_MAX - testing_below(random, 300)
                                              : (uint32_t)testing_next(random);
    pto_tile_type type = dynamic(vec(trial & 2 ? PTO_U32 : PTO_S32, rows + 1, (cols + 7) / 8 * 8 + 8));
    pto_tile dst = testing_tile(core, random, type, rows, cols);
    void *before = testing_snapshot(&dst);
    assert_int_equal(draw(core, &dst, key, counter, rounds), PTO_OK);
    uint32_t at[4];
    memcpy(at, counter, sizeof at);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c += 256) {
            int32_t n = cols - c < 256 ? cols - c : 256;
            for (int32_t e = 0; e < n; e++) {
                uint32_t lane[4], word[4];
                memcpy(lane, at, sizeof lane);
                add_to_counter(lane, (uint32_t)(order == CPU ? e % 64 : e / 4));
                reference_philox(key, lane, rounds, word);
                uint32_t want = word[order == CPU ? e / 64 : e % 4];
                if (testing_get(&dst, r, c + e) != want)
                    fail_msg("order %d, %dx%d (%d, %d)", (int)order, rows, cols, r, c + e);
            }
            if (order == CPU)
                add_to_counter(at, (uint32_t)type.cols / 4);
            else if (order == A5)
                add_to_counter(at, c + 256 < cols ? 64 : (uint32_t)(cols - 1) % 64 + 1);
            else
                add_to_counter(at, c + 256 < cols ? 64 : ((uint32_t)n + 3) / 4);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    pto_core_reset(core);
}

static void test_orders(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 2; t++)
            for (int order = 0; order < 3; order++) {
                pto_options options = {.target = targets[t], .simd = level[l]};
                options.numeric.random_order_a5 = order == A5;
                options.numeric.random_order_cpu = order == CPU;
                pto_core *core = pto_core_create(&options);
                assert_non_null(core);
                testing_random random = {34};
                for (int trial = 0; trial < (order == PORTABLE ? 200 : 60); trial++)
                    draw_once(core, &random, (random_order)order, trial);
                pto_core_destroy(core);
            }
}

/* ---- THISTOGRAM ---- */

static void count_once(pto_core *core, testing_random *random, int trial) {
    bool wide = trial & 1;
    int size = wide ? 4 : 2, byte = (int)testing_below(random, (uint32_t)size);
    int32_t rows = 1 + (int32_t)testing_below(random, 3),
            cols = trial < 2 ? 1 : 1 + (int32_t)testing_below(random, trial % 8 ? 60 : 300);
    pto_dtype dtype = wide ? PTO_U32 : PTO_U16;
    pto_tile src =
        testing_tile(core, random, dynamic(vec(dtype, rows, (cols + 15) / 16 * 16 + 16)), rows, cols);
    pto_tile dst = testing_tile(core, random, dynamic(vec(PTO_U32, rows + 1, 256)), rows, 256);
    pto_tile_type filter = wide ? vec(PTO_U8, 3, 32) : pto_tile_type_dn(PTO_LOC_VEC, PTO_U8, 32, 1);
    pto_tile idx = testing_tile(core, random, filter, filter.rows, filter.cols);
    for (int i = 0; i < filter.rows; i++)
        testing_set(&idx, i, 0, testing_below(random, 2));
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            uint64_t x = 0;
            for (int b = 0; b < size; b++) /* high bytes that the filter often selects */
                x |= (uint64_t)testing_below(random, b == byte ? 256 : 2) << 8 * b;
            testing_set(&src, r, c, x);
        }
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_THISTOGRAM, TILE(&dst), TILE(&src), TILE(&idx), ATTR(byte));
    for (int32_t r = 0; r < rows; r++)
        for (int n = 0; n < 256; n++) {
            uint32_t want = 0;
            for (int32_t c = 0; c < cols; c++) {
                uint64_t x = testing_get(&src, r, c);
                bool selected = true;
                if (!wide && byte == 0)
                    selected = (x >> 8) == testing_get(&idx, r, 0);
                for (int b = 3; wide && b > byte; b--)
                    selected &= (x >> 8 * b & 255) == testing_get(&idx, 3 - b, 0);
                want += selected && (int)(x >> 8 * byte & 255) <= n;
            }
            if (testing_get(&dst, r, n) != want)
                fail_msg("byte %d of row %d: bin %d", byte, r, n);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    if (!wide) { /* the other spelling */
        void *first = testing_snapshot(&dst);
        TESTING_ACCEPTED(core, PTO_FORM_THISTOGRAM, TILE(&dst), TILE(&src), TILE(&idx), ATTR(1), ATTR(byte));
        assert_memory_equal(first, dst.data, pto_tile_type_bytes(&dst.type));
        free(first);
    }
    free(before);
    pto_core_reset(core);
}

static void test_histogram(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 2; t++) {
            pto_core *core = testing_core(targets[t], level[l]);
            testing_random random = {35};
            for (int trial = 0; trial < 400; trial++)
                count_once(core, &random, trial);
            pto_core_destroy(core);
        }
}

/* ---- rules ---- */

static void histogram_rule(pto_target target, const char *rule, pto_tile_type dst, pto_tile_type src,
                           pto_tile_type idx, int byte) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile d = pto_tile_make(dst), s = pto_tile_make(src), i = pto_tile_make(idx);
    testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_THISTOGRAM, TILE(&d), TILE(&s), TILE(&i), ATTR(byte)),
                   rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void test_rules(void **state) {
    (void)state;
    static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    static const uint32_t zero[4] = {0};
    pto_tile_type half = vec(PTO_U16, 4, 16), word = vec(PTO_U32, 4, 16), bins = vec(PTO_U32, 4, 256);
    pto_tile_type column = pto_tile_type_dn(PTO_LOC_VEC, PTO_U8, 32, 1), bytes = vec(PTO_U8, 3, 32);
    for (int t = 0; t < 2; t++) {
        pto_target target = targets[t];
        histogram_rule(target, NULL, bins, half, column, 0);
        histogram_rule(target, NULL, bins, word, bytes, 0);
        histogram_rule(target, NULL, bins, word, vec(PTO_U8, 2, 32), 1);
        histogram_rule(target, "PTO-E0883", bins, word, vec(PTO_U8, 2, 32), 0);
        histogram_rule(target, "PTO-E0883", bins, half, bytes, 0);
        pto_tile_type few = column;
        few.valid_rows = 3;
        histogram_rule(target, "PTO-E0883", bins, half, few, 0);
        histogram_rule(target, "PTO-E0884", bins, half, column, 2);
        histogram_rule(target, "PTO-E0884", bins, half, column, -1);
        histogram_rule(target, NULL, bins, word, bytes, 3);
        histogram_rule(target, "PTO-E0884", bins, word, bytes, 4);
        histogram_rule(target, "PTO-E0882", vec(PTO_U32, 3, 256), half, column, 0);
        histogram_rule(target, "PTO-E0882", vec(PTO_U32, 4, 248), half, column, 0);
        histogram_rule(target, target == PTO_TARGET_A5 ? "PTO-E0882" : NULL, vec(PTO_U32, 4, 264), half,
                       column, 0);
        histogram_rule(target, "PTO-E0302", vec(PTO_S32, 4, 256), half, column, 0);
        histogram_rule(target, "PTO-E0302", bins, vec(PTO_S16, 4, 16), column, 0);
        pto_core *core = testing_core(target, PTO_SIMD_BASE);
        pto_tile dst = pto_tile_make(vec(PTO_U32, 1, 8)), floats = pto_tile_make(vec(PTO_F32, 1, 8));
        testing_expect(core, draw(core, &dst, zero, zero, 7), NULL, __FILE__, __LINE__);
        testing_expect(core, draw(core, &dst, zero, zero, 8), "PTO-E0885", __FILE__, __LINE__);
        testing_expect(core, draw(core, &floats, zero, zero, 7), "PTO-E0302", __FILE__, __LINE__);
        pto_core_destroy(core);
    }
    pto_core *cpu = testing_core(PTO_TARGET_CPU, PTO_SIMD_BASE);
    pto_tile counts = pto_tile_make(bins), s = pto_tile_make(word), i = pto_tile_make(bytes);
    TESTING_REFUSED(cpu, "PTO-E0884", PTO_FORM_THISTOGRAM, TILE(&counts), TILE(&s), TILE(&i), ATTR(1),
                    ATTR(1));
    pto_core_destroy(cpu);
    histogram_rule(PTO_TARGET_A2A3, "PTO-E0301", bins, half, column, 0);
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BASE);
    pto_tile dst = pto_tile_make(vec(PTO_U32, 1, 8));
    testing_expect(core, draw(core, &dst, zero, zero, 7), "PTO-E0301", __FILE__, __LINE__);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
