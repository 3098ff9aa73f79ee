/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL, TGEMV and their ACC and BIAS forms against plain loops: every type, target, layout and SIMD level,
 * bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/matmul.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

enum { MAX_MN = 80, MAX_K = 160 };

typedef enum product_form {
    PLAIN,
    ACC,
    ACC_SAME,
    ACC_IN_PLACE,
    BIAS,
    GEMV,
    GEMV_ACC,
    GEMV_ACC_SAME,
    GEMV_BIAS,
    FORM_COUNT
} product_form;

static bool is_gemv(product_form form) { return form >= GEMV; }
static bool has_bias(product_form form) { return form == BIAS || form == GEMV_BIAS; }
static bool has_c_in(product_form form) { return form == ACC || form == GEMV_ACC; }
static bool has_addend(product_form form) { return form != PLAIN && form != GEMV; }

/* One product: operands by element, row by row, and the expected result. */
typedef struct product {
    pto_target target;
    pto_dtype a_type, b_type, c_type;
    product_form form;
    int m, k, n;
    bool flush, addend_last;
    int fraction; /* of f32 operands as the cube reads them, 0 = all of it */
    bool ties_away;
    uint64_t a[MAX_MN * MAX_K], b[MAX_K * MAX_MN];
    uint32_t addend[MAX_MN * MAX_MN], expected[MAX_MN * MAX_MN];
} product;

static const pto_dtype pairs[][2] = {{PTO_F32, PTO_F32},   {PTO_F16, PTO_F16},   {PTO_BF16, PTO_BF16},
                                     {PTO_S8, PTO_S8},     {PTO_E4M3, PTO_E4M3}, {PTO_E4M3, PTO_E5M2},
                                     {PTO_E5M2, PTO_E4M3}, {PTO_E5M2, PTO_E5M2}, {PTO_HIF8, PTO_HIF8}};
enum { PAIRS = sizeof pairs / sizeof *pairs, PAIRS_A2A3 = 4 };

static int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/* Kinds of data: ordinary numbers with a special one here and there; anything; products near the smallest
 * numbers of the result. */
typedef enum data_kind { ORDINARY, ANYTHING, TINY, DATA_KINDS } data_kind;

static uint64_t element(testing_random *random, pto_dtype dtype, data_kind kind) {
    const uint64_t any = testing_next(random);
    if (kind == ANYTHING || dtype == PTO_S8 || testing_below(random, 400) == 0)
        return testing_bits(random, dtype);
    if (dtype == PTO_F32) {
        const uint32_t exponent = (kind == TINY ? 46 : 120) + testing_below(random, 14);
        return (any & UINT32_C(0x807FFFFF)) | exponent << 23;
    }
    if (dtype == PTO_BF16)
        return (any & 0x807F) | (uint64_t)((kind == TINY ? 46 : 120) + testing_below(random, 14)) << 7;
    if (dtype == PTO_F16)
        return kind == TINY ? any & 0x87FF : (any & 0x83FF) | (uint64_t)(8 + testing_below(random, 14)) << 10;
    return any & (kind == TINY ? 0x8F : 0xBF);
}

/* What the cube makes of f32 operands. Subnormals that are flushed never come so far. */
static void round_operands(uint64_t *to, const uint64_t *from, int count, const product *p) {
    for (int i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)from[i];
        const bool flushed = p->flush && (bits & UINT32_C(0x7F800000)) == 0;
        to[i] = flushed ? bits : reference_matmul_round(bits, p->fraction, p->ties_away);
    }
}

/* Fractions at and next to the ties of 10 and 11 bits. */
static void put_ties(testing_random *random, uint64_t *values, int count) {
    static const uint32_t low[] = {0x1000, 0x0800, 0x1800, 0x0FFF, 0x1001, 0x07FF, 0x0801, 0x17FF};
    for (int i = 0; i < count; i++)
        if (testing_below(random, 2))
            values[i] = (values[i] & ~UINT64_C(0x1FFF)) | low[testing_below(random, 8)];
}

static void fill(testing_random *random, product *p) {
    const data_kind kind = (data_kind)testing_below(random, DATA_KINDS);
    for (int i = 0; i < p->m * p->k; i++)
        p->a[i] = element(random, p->a_type, kind);
    for (int i = 0; i < p->k * p->n; i++)
        p->b[i] = element(random, p->b_type, kind);
    const bool integer = p->c_type == PTO_S32;
    for (int i = 0; i < (has_bias(p->form) ? 1 : p->m) * p->n; i++)
        p->addend[i] = (uint32_t)(integer ? testing_bits(random, PTO_S32)
                                          : element(random, PTO_F32, kind == ANYTHING ? ANYTHING : ORDINARY));
    if (has_bias(p->form)) /* the reference takes one addend per element */
        for (int i = p->n; i < p->m * p->n; i++)
            p->addend[i] = p->addend[i - p->n];
    const uint64_t *a = p->a, *b = p->b;
    static uint64_t rounded_a[MAX_MN * MAX_K], rounded_b[MAX_K * MAX_MN];
    if (p->fraction && p->a_type == PTO_F32) {
        put_ties(random, p->a, p->m * p->k);
        put_ties(random, p->b, p->k * p->n);
        round_operands(rounded_a, p->a, p->m * p->k, p);
        round_operands(rounded_b, p->b, p->k * p->n, p);
        a = rounded_a;
        b = rounded_b;
    }
    reference_matmul(p->a_type, p->b_type, p->m, p->k, p->n, a, b, has_addend(p->form) ? p->addend : NULL,
                     p->expected, p->flush, p->addend_last);
}

static void put(pto_tile *tile, const uint64_t *values) {
    for (int r = 0; r < tile->valid_rows; r++)
        for (int c = 0; c < tile->valid_cols; c++)
            testing_set(tile, r, c, values[r * tile->valid_cols + c]);
}

static void put_words(pto_tile *tile, const uint32_t *values) {
    for (int r = 0; r < tile->valid_rows; r++)
        for (int c = 0; c < tile->valid_cols; c++)
            testing_set(tile, r, c, values[r * tile->valid_cols + c]);
}

static pto_tile tile_of(pto_core *core, testing_random *random, pto_tile_type type, int rows, int cols) {
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, random, type, rows, cols);
}

static pto_tile_type acc_type(pto_dtype dtype, int rows, int cols) {
    pto_tile_type type = testing_type(PTO_LOC_ACC, dtype, TESTING_NZ, rows, cols);
    type.fractal = 1024;
    return type;
}

/* Runs the product on a core, in tiles of random capacity full of other data, and compares. */
static void run(pto_core *core, testing_random *random, const product *p) {
    const int a_box = 256 / (int)pto_dtype_bits(p->a_type), b_box = 256 / (int)pto_dtype_bits(p->b_type);
    const int k_unit = a_box > b_box ? a_box : b_box;
    const bool one_row = p->m == 1 && testing_below(random, 2);
    const int more_rows = is_gemv(p->form) && p->target != PTO_TARGET_CPU ? 0 : (int)testing_below(random, 2);
    const int rows = one_row ? 1 : round_up(p->m, 16) + 16 * more_rows;
    const int depth = round_up(p->k, k_unit) + k_unit * (int)testing_below(random, 2);
    const int cols = round_up(p->n, 16) + 16 * (int)testing_below(random, 2);
    const bool zz = p->target == PTO_TARGET_A2A3 || (p->target == PTO_TARGET_CPU && testing_below(random, 2));

    pto_tile a =
        tile_of(core, random,
                testing_type(PTO_LOC_LEFT, p->a_type, zz ? TESTING_ZZ : TESTING_NZ, rows, depth), p->m, p->k);
    pto_tile b =
        tile_of(core, random, testing_type(PTO_LOC_RIGHT, p->b_type, TESTING_ZN, depth, cols), p->k, p->n);
    pto_tile dst = tile_of(core, random, acc_type(p->c_type, rows, cols), p->m, p->n);
    pto_tile c_in = tile_of(core, random, acc_type(p->c_type, rows, cols), p->m, p->n);
    const int bias_cols = round_up(p->n, 8);
    pto_tile bias =
        tile_of(core, random, testing_type(PTO_LOC_BIAS, p->c_type, TESTING_ND, 1, bias_cols), 1, p->n);
    put(&a, p->a);
    put(&b, p->b);
    put_words(has_c_in(p->form) ? &c_in : has_bias(p->form) ? &bias : &dst, p->addend);
    if (is_gemv(p->form) && p->target == PTO_TARGET_CPU)
        a.valid_rows = 1 + (int)testing_below(random, (uint32_t)rows); /* the first row is read */
    void *before = testing_snapshot(&dst);

    const pto_operand d = testing_tile_operand(&dst), x = testing_tile_operand(&a),
                      y = testing_tile_operand(&b);
    switch (p->form) {
    case PLAIN:
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL, d, x, y);
        break;
    case ACC:
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL_ACC, d, testing_tile_operand(&c_in), x, y);
        break;
    case ACC_SAME:
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL_ACC, d, d, x, y);
        break;
    case ACC_IN_PLACE:
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL_ACC_IN_PLACE, d, x, y,
                         testing_int_operand(PTO_DTYPE_NONE, 2));
        break;
    case GEMV:
        TESTING_ACCEPTED(core, PTO_FORM_TGEMV, d, x, y, testing_int_operand(PTO_DTYPE_NONE, 3));
        break;
    case GEMV_ACC:
        TESTING_ACCEPTED(core, PTO_FORM_TGEMV_ACC, d, testing_tile_operand(&c_in), x, y);
        break;
    case GEMV_ACC_SAME:
        TESTING_ACCEPTED(core, PTO_FORM_TGEMV_ACC, d, d, x, y);
        break;
    case GEMV_BIAS:
        TESTING_ACCEPTED(core, PTO_FORM_TGEMV_BIAS, d, x, y, testing_tile_operand(&bias));
        break;
    default:
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL_BIAS, d, x, y, testing_tile_operand(&bias));
        break;
    }
    for (int r = 0; r < p->m; r++)
        for (int c = 0; c < p->n; c++) {
            const uint32_t found = (uint32_t)testing_get(&dst, r, c), want = p->expected[r * p->n + c];
            if (found != want)
                fail_msg("%s x %s on %s, form %d, %d x %d x %d, (%d, %d): %08x instead of %08x",
                         pto_dtype_name(p->a_type), pto_dtype_name(p->b_type), pto_target_name(p->target),
                         (int)p->form, p->m, p->k, p->n, r, c, found, want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    static int runs;
    if (++runs % 64 == 0) /* gives the storage back, at the price of clearing the memories */
        pto_core_reset(core);
}

static int extent(testing_random *random, int limit) {
    return 1 + (int)testing_below(random, testing_below(random, 3) ? (uint32_t)limit : 9);
}

/* How the cube is told to read f32, and what follows on target cpu and a5, and on a2a3. */
typedef struct cube_mode {
    pto_form form;
    bool enable;
    pto_round_mode round;
    int fraction, fraction_a2a3;
} cube_mode;

static void set_cube_mode(pto_core *core, const cube_mode *mode) {
    TESTING_ACCEPTED(core, mode->form, testing_int_operand(PTO_DTYPE_NONE, mode->enable),
                     testing_int_operand(PTO_DTYPE_NONE, mode->round));
}

/* The numbers do not depend on the target, so the turns share the targets among them. Of the types, the first
 * `pair_count` take part; mode NULL = as a core begins. */
static void random_products(pto_numeric_options numeric, int turns, int pair_count, const cube_mode *mode) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {4 + (uint64_t)turns};
    product *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int target = 0; target < PTO_TARGET_COUNT; target++) {
        pto_core *core[4];
        for (int l = 0; l < levels; l++) {
            pto_options options = {.target = (pto_target)target, .simd = level[l], .numeric = numeric};
            core[l] = pto_core_create(&options);
            assert_non_null(core[l]);
        }
        const int available = target == PTO_TARGET_A2A3 ? PAIRS_A2A3 : PAIRS;
        for (int turn = 0; turn < turns; turn++)
            for (int pair = 0; pair < (available < pair_count ? available : pair_count); pair++)
                for (int form = 0; form < FORM_COUNT; form++) {
                    if (has_c_in((product_form)form) && target != PTO_TARGET_CPU)
                        continue;
                    p->target = (pto_target)target;
                    p->a_type = pairs[pair][0];
                    p->b_type = pairs[pair][1];
                    p->c_type = p->a_type == PTO_S8 ? PTO_S32 : PTO_F32;
                    p->form = (product_form)form;
                    p->flush = numeric.flush_subnormals;
                    p->addend_last = numeric.matmul_addend_last;
                    p->m = is_gemv(p->form) ? 1 : testing_below(&random, 6) ? extent(&random, 30) : 1;
                    p->k = extent(&random, 60);
                    p->n = extent(&random, 50);
                    p->fraction = !mode                       ? 0
                                  : target == PTO_TARGET_A2A3 ? mode->fraction_a2a3
                                                              : mode->fraction;
                    p->ties_away = mode && mode->round == PTO_CAST_ROUND;
                    fill(&random, p);
                    for (int l = 0; l < levels; l++) {
                        if (mode) /* a reset forgets it */
                            set_cube_mode(core[l], mode);
                        run(core[l], &random, p);
                    }
                }
        for (int l = 0; l < levels; l++)
            pto_core_destroy(core[l]);
    }
    free(p);
}

static void test_random_products(void **state) {
    (void)state;
    random_products((pto_numeric_options){0}, 90, PAIRS, NULL);
}

static void test_flushed_subnormals(void **state) {
    (void)state;
    random_products((pto_numeric_options){.flush_subnormals = true}, 5, PAIRS, NULL);
}

static void test_addend_last(void **state) {
    (void)state;
    random_products((pto_numeric_options){.matmul_addend_last = true}, 5, PAIRS, NULL);
    random_products((pto_numeric_options){.matmul_addend_last = true, .flush_subnormals = true}, 2, PAIRS,
                    NULL);
}

static void test_f32_in_the_cube(void **state) {
    (void)state;
    static const cube_mode modes[] = {{PTO_FORM_SETHF32MODE, true, PTO_CAST_ROUND, 11, 11},
                                      {PTO_FORM_SETHF32MODE, true, PTO_CAST_RINT, 11, 11},
                                      {PTO_FORM_SETTF32MODE, true, PTO_CAST_ROUND, 10, 11},
                                      {PTO_FORM_SETTF32MODE, true, PTO_CAST_RINT, 10, 11},
                                      {PTO_FORM_SETTF32MODE, false, PTO_CAST_RINT, 0, 0}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        random_products((pto_numeric_options){0}, i < 4 ? 20 : 4, i ? 1 : 2, &modes[i]);
        random_products((pto_numeric_options){.flush_subnormals = true}, 3, 1, &modes[i]);
    }
}

/* 1 + 2^-11 + 2^-13 times 1 through a sequence of modes: the last one counts, until a reset. */
static void test_cube_modes_follow_each_other(void **state) {
    (void)state;
    enum { FULL = 0x3F801400, HF32 = 0x3F801000, TF32 = 0x3F802000 };
    static const struct {
        cube_mode mode;
        uint32_t found;
    } steps[] = {{{PTO_FORM_SETTF32MODE, true, PTO_CAST_RINT, 0, 0}, TF32},
                 {{PTO_FORM_SETHF32MODE, true, PTO_CAST_RINT, 0, 0}, HF32},
                 {{PTO_FORM_SETHF32MODE, false, PTO_CAST_RINT, 0, 0}, FULL},
                 {{PTO_FORM_SETHF32MODE, true, PTO_CAST_ROUND, 0, 0}, HF32},
                 {{PTO_FORM_SETTF32MODE, false, PTO_CAST_ROUND, 0, 0}, FULL},
                 {{PTO_FORM_SETTF32MODE, true, PTO_CAST_ROUND, 0, 0}, TF32}};
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_tile a = tile_of(core, NULL, testing_type(PTO_LOC_LEFT, PTO_F32, TESTING_NZ, 16, 8), 1, 1);
    pto_tile b = tile_of(core, NULL, testing_type(PTO_LOC_RIGHT, PTO_F32, TESTING_ZN, 8, 16), 1, 1);
    pto_tile dst = tile_of(core, NULL, acc_type(PTO_F32, 16, 16), 1, 1);
    testing_set(&a, 0, 0, FULL);
    testing_set(&b, 0, 0, 0x3F800000);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        set_cube_mode(core, &steps[i].mode);
        TESTING_ACCEPTED(core, PTO_FORM_TMATMUL, testing_tile_operand(&dst), testing_tile_operand(&a),
                         testing_tile_operand(&b));
        assert_int_equal(testing_get(&dst, 0, 0), steps[i].found);
    }
    pto_core_reset(core);
    a = tile_of(core, NULL, a.type, 1, 1);
    b = tile_of(core, NULL, b.type, 1, 1);
    dst = tile_of(core, NULL, dst.type, 1, 1);
    testing_set(&a, 0, 0, FULL);
    testing_set(&b, 0, 0, 0x3F800000);
    TESTING_ACCEPTED(core, PTO_FORM_TMATMUL, testing_tile_operand(&dst), testing_tile_operand(&a),
                     testing_tile_operand(&b));
    assert_int_equal(testing_get(&dst, 0, 0), FULL);
    pto_core_destroy(core);
}

/* Every remainder of rows and columns by the blocks of the kernel. */
static void test_all_remainders(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {8};
    product *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        for (int i = 1; i <= 50; i++) {
            *p = (product){
                .a_type = i % 2 ? PTO_F32 : PTO_S8, .form = PLAIN, .m = i, .k = 1 + i % 19, .n = 51 - i};
            p->b_type = p->a_type;
            p->c_type = i % 2 ? PTO_F32 : PTO_S32;
            fill(&random, p);
            run(core, &random, p);
            p->n = i;
            fill(&random, p);
            run(core, &random, p);
        }
        pto_core_destroy(core);
    }
    free(p);
}

/* Chains whose order, start and fusing can be told from the result, worked out by hand. */
static void test_the_chain(void **state) {
    (void)state;
    static const struct {
        product_form form;
        int k;
        float a[4], b[4], addend, expected;
    } cases[] = {
        /* addend first: 2^24 swallows each 1; last would give 2^24 + 2 */
        {BIAS, 2, {1, 1}, {1, 1}, 0x1p24f, 0x1p24f},
        {ACC_SAME, 2, {1, 1}, {1, 1}, 0x1p24f, 0x1p24f},
        {ACC_IN_PLACE, 3, {1, 1, 1}, {1, 1, 1}, 0x1p24f, 0x1p24f},
        /* k ascending: 1 is lost in 2^25, which leaves again; then 1 stays */
        {PLAIN, 4, {1, 0x1p25f, -0x1p25f, 1}, {1, 1, 1, 1}, 0, 1},
        {PLAIN, 4, {0x1p25f, -0x1p25f, 1, 1}, {1, 1, 1, 1}, 0, 2},
        /* fused: the square of 1 + 2^-12 keeps its last bit */
        {PLAIN, 3, {-1, -0x1p-11f, 0x1.001p0f}, {1, 1, 0x1.001p0f}, 0, 0x1p-24f},
        /* from +0: a product of -0 gives +0 */
        {PLAIN, 1, {-1}, {0}, 0, 0},
        /* and -0 in the bias stays */
        {BIAS, 1, {-1}, {0}, -0.0f, -0.0f},
    };
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {5};
    product *p = malloc(sizeof *p);
    assert_non_null(p);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            *p = (product){.a_type = PTO_F32,
                           .b_type = PTO_F32,
                           .c_type = PTO_F32,
                           .form = cases[i].form,
                           .m = 1,
                           .k = cases[i].k,
                           .n = 1};
            for (int q = 0; q < p->k; q++) {
                uint32_t bits;
                memcpy(&bits, &cases[i].a[q], sizeof bits);
                p->a[q] = bits;
                memcpy(&bits, &cases[i].b[q], sizeof bits);
                p->b[q] = bits;
            }
            memcpy(p->addend, &cases[i].addend, sizeof *p->addend);
            memcpy(p->expected, &cases[i].expected, sizeof *p->expected);
            run(core, &random, p);
        }
        pto_core_destroy(core);
    }
    free(p);
}

/* The largest depth, extreme bytes, and sums that leave s32: modulo 2^32. */
static void test_integers_wrap(void **state) {
    (void)state;
    enum { K = 4095 };
    static const int8_t values[][2] = {{-128, -128}, {127, 127}, {-128, 127}};
    static const uint32_t starts[] = {0x7FFFFFFF, 0x80000000, 0};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_A5, level[l]);
        pto_tile a = tile_of(core, NULL, testing_type(PTO_LOC_LEFT, PTO_S8, TESTING_NZ, 16, 4096), 3, K);
        pto_tile b = tile_of(core, NULL, testing_type(PTO_LOC_RIGHT, PTO_S8, TESTING_ZN, 4096, 16), K, 5);
        pto_tile dst = tile_of(core, NULL, acc_type(PTO_S32, 16, 16), 3, 5);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
                memset(a.data, values[v][0], 16 * 4096);
                memset(b.data, values[v][1], 16 * 4096);
                for (int i = 0; i < 15; i++)
                    testing_set(&dst, i / 5, i % 5, starts[s]);
                TESTING_ACCEPTED(core, PTO_FORM_TMATMUL_ACC_IN_PLACE, testing_tile_operand(&dst),
                                 testing_tile_operand(&a), testing_tile_operand(&b));
                const uint32_t want = starts[s] + (uint32_t)(K * values[v][0] * values[v][1]);
                for (int i = 0; i < 15; i++)
                    assert_int_equal((uint32_t)testing_get(&dst, i / 5, i % 5), want);
            }
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_chain),       cmocka_unit_test(test_random_products),
        cmocka_unit_test(test_all_remainders),  cmocka_unit_test(test_flushed_subnormals),
        cmocka_unit_test(test_integers_wrap),   cmocka_unit_test(test_addend_last),
        cmocka_unit_test(test_f32_in_the_cube), cmocka_unit_test(test_cube_modes_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
