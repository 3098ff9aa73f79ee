/* SPDX-License-Identifier: Apache-2.0 */
/* TGATHER, TGATHERB, TSCATTER, TCI and TTRI, element by element, and their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "reference/irregular.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)

static const char *const patterns[] = {"", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"};
static const pto_dtype all[] = {PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32,
                                PTO_S64,  PTO_U64,  PTO_F16,  PTO_BF16, PTO_F32,  PTO_E4M3,
                                PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_S4,   PTO_E2M1, PTO_E1M2};
enum { ALL = sizeof all / sizeof *all, WHOLE_BYTES = ALL - 3 };

static pto_tile_type vec(pto_dtype dtype, int32_t rows, int32_t cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

/* Room for rows x cols, some columns more at random when `loose`. */
static pto_tile_type flat(testing_random *random, pto_dtype dtype, int32_t rows, int32_t cols, bool loose) {
    int32_t step = 256 / (int32_t)pto_dtype_bits(dtype);
    int32_t wide = (cols + step - 1) / step * step + (loose ? (int32_t)testing_below(random, 2) * step : 0);
    pto_tile_type type = vec(dtype, rows, wide ? wide : step);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return type;
}

static uint64_t lin(const pto_tile *tile, int64_t p) { return testing_load(tile->data, tile->type.dtype, p); }

static int64_t size_of(const pto_tile *tile) { return (int64_t)tile->type.rows * tile->type.cols; }

/* An index as the number that it is. */
static int64_t number(const pto_tile *idx, int32_t r, int32_t c) {
    uint64_t bits = testing_get(idx, r, c);
    unsigned width = pto_dtype_bits(idx->type.dtype);
    if (pto_dtype_is_signed(idx->type.dtype) && width < 64 && bits >> (width - 1) & 1)
        bits -= UINT64_C(1) << width;
    return (int64_t)bits;
}

static void fill_indices(testing_random *random, pto_tile *idx, int64_t limit, bool outside) {
    unsigned width = pto_dtype_bits(idx->type.dtype);
    unsigned digits = width - (pto_dtype_is_signed(idx->type.dtype) ? 1 : 0);
    uint64_t largest = UINT64_MAX >> (64 - digits);
    if (width == 64 || (uint64_t)limit - 1 < largest)
        largest = (uint64_t)limit - 1;
    for (int32_t r = 0; r < idx->type.rows; r++)
        for (int32_t c = 0; c < idx->type.cols; c++)
            testing_set(idx, r, c, testing_below(random, (uint32_t)largest + 1));
    if (outside && idx->valid_rows && idx->valid_cols)
        for (int i = 0; i < 3; i++)
            testing_set(idx, (int32_t)testing_below(random, (uint32_t)idx->valid_rows),
                        (int32_t)testing_below(random, (uint32_t)idx->valid_cols), testing_next(random));
}

static bool any_outside(const pto_tile *idx, int32_t rows, int32_t cols, int64_t limit) {
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if (number(idx, r, c) < 0 || number(idx, r, c) >= limit)
                return true;
    return false;
}

static bool reported(pto_core *core, const char *rule) {
    bool has = pto_diag_has(pto_core_diags(core), rule);
    pto_diag_list_clear(pto_core_diags(core));
    return has;
}

/* ---- index forms ---- */

static pto_dtype gather_index(testing_random *random, pto_target target, unsigned bits) {
    static const pto_dtype types[] = {PTO_S16, PTO_U16, PTO_S32, PTO_U32};
    bool narrow = bits <= 16 && target != PTO_TARGET_A2A3 && testing_below(random, 2);
    if (target == PTO_TARGET_A5 && bits == 8)
        narrow = true;
    return types[2 * !narrow + (int)testing_below(random, 2)];
}

static void gather_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    pto_target target = pto_core_options(core)->target;
    bool npu = target != PTO_TARGET_CPU;
    int32_t rows = 1 + (int32_t)testing_below(random, 6), cols = 1 + (int32_t)testing_below(random, 90);
    if (trial == 0)
        rows = cols = 1;
    int32_t from_cols = 1 + (int32_t)testing_below(random, 90);
    pto_dtype itype = gather_index(random, target, pto_dtype_bits(dtype));
    pto_tile src = testing_tile(core, random,
                                flat(random, dtype, 1 + (int32_t)testing_below(random, 6), from_cols, true),
                                1, from_cols);
    pto_tile_type to = flat(random, dtype, rows, cols, !npu), by = flat(random, itype, rows + 1, cols, !npu);
    if (npu) { /* all columns valid, in both */
        cols = to.cols > by.cols ? to.cols : by.cols;
        to.cols = by.cols = cols;
    }
    pto_tile dst = testing_tile(core, random, to, rows, cols),
             idx = testing_tile(core, random, by, rows + 1, cols);
    pto_tile tmp = testing_tile(core, random, flat(random, itype, rows + 1, cols, false), rows + 1, cols);
    fill_indices(random, &idx, size_of(&src), trial % 4 == 1);
    bool outside = any_outside(&idx, rows, cols, size_of(&src));
    void *before = testing_snapshot(&dst), *kept = testing_snapshot(&src), *kept_idx = testing_snapshot(&idx);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_TGATHER, TILE(&dst), TILE(&src), TILE(&idx),
                                        TILE(target == PTO_TARGET_A2A3 ? &tmp : NULL));
    assert_int_equal(status, PTO_OK);
    assert_int_equal(reported(core, "PTO-W0850"), outside);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            int64_t at = number(&idx, r, c);
            uint64_t want = at < 0 || at >= size_of(&src) ? 0 : lin(&src, at);
            if (testing_get(&dst, r, c) != want)
                fail_msg("%s %dx%d (%d, %d) index %lld", pto_dtype_name(dtype), rows, cols, r, c,
                         (long long)at);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    assert_memory_equal(src.data, kept, pto_tile_type_bytes(&src.type));
    assert_memory_equal(idx.data, kept_idx, pto_tile_type_bytes(&idx.type));
    free(before);
    free(kept);
    free(kept_idx);
    pto_core_reset(core);
}

static void scatter_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    static const pto_dtype wide[] = {PTO_S32, PTO_U32, PTO_S16, PTO_U16, PTO_S64, PTO_U64, PTO_S8, PTO_U8};
    bool npu = pto_core_options(core)->target != PTO_TARGET_CPU;
    unsigned bits = pto_dtype_bits(dtype);
    pto_dtype itype =
        wide[npu ? (bits <= 16 ? 2u : 0u) + testing_below(random, 2) : testing_below(random, 8)];
    int32_t rows = 1 + (int32_t)testing_below(random, 5), cols = 1 + (int32_t)testing_below(random, 70);
    if (trial == 0)
        rows = cols = 1;
    pto_tile src = testing_tile(core, random, flat(random, dtype, rows, cols, true), rows, cols);
    pto_tile idx = testing_tile(core, random, flat(random, itype, rows, cols, true), rows, cols);
    pto_tile dst = testing_tile(core, random,
                                flat(random, dtype, 1 + (int32_t)testing_below(random, 6),
                                     1 + (int32_t)testing_below(random, 90), true),
                                1, 1);
    fill_indices(random, &idx, size_of(&dst), trial % 4 == 1);
    bool outside = any_outside(&idx, rows, cols, size_of(&dst));
    uint64_t *want = calloc((size_t)size_of(&dst), sizeof *want);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            if (number(&idx, r, c) >= 0 && number(&idx, r, c) < size_of(&dst))
                want[number(&idx, r, c)] = testing_get(&src, r, c);
    void *kept = testing_snapshot(&src);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_TSCATTER, TILE(&dst), TILE(&src), TILE(&idx));
    assert_int_equal(status, outside ? PTO_ERR_REFUSED : PTO_OK);
    assert_int_equal(reported(core, "PTO-E0851"), outside);
    for (int64_t p = 0; p < size_of(&dst); p++)
        if (lin(&dst, p) != want[p])
            fail_msg("%s %dx%d by %s: element %lld", pto_dtype_name(dtype), rows, cols, pto_dtype_name(itype),
                     (long long)p);
    assert_memory_equal(src.data, kept, pto_tile_type_bytes(&src.type));
    free(want);
    free(kept);
    pto_core_reset(core);
}

static void blocks_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    int32_t each = 256 / (int32_t)pto_dtype_bits(dtype), rows = 1 + (int32_t)testing_below(random, 5);
    int32_t cols = trial ? 1 + (int32_t)testing_below(random, 5 * (uint32_t)each) : 1;
    pto_tile dst = testing_tile(core, random, flat(random, dtype, rows, cols, true), rows, cols);
    pto_tile src = testing_tile(core, random,
                                flat(random, dtype, 1 + (int32_t)testing_below(random, 5), cols, true), 1, 1);
    pto_tile offset =
        testing_tile(core, NULL, flat(random, PTO_U32, rows, (cols + each - 1) / each, true), rows, 1);
    uint32_t bytes = (uint32_t)pto_tile_type_bytes(&src.type);
    for (int64_t p = 0; p < size_of(&offset); p++)
        testing_store(offset.data, PTO_U32, p, 32 * testing_below(random, bytes / 32));
    static const uint32_t wrong[] = {4, UINT32_MAX - 31, 1};
    if (trial % 4 == 1)
        testing_store(offset.data, PTO_U32, (int64_t)testing_below(random, (uint32_t)rows) * offset.type.cols,
                      trial % 8 == 1 ? bytes : wrong[trial % 3]);
    void *before = testing_snapshot(&dst);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_TGATHERB, TILE(&dst), TILE(&src), TILE(&offset));
    bool outside = false;
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            uint32_t at = (uint32_t)lin(&offset, (int64_t)r * offset.type.cols + c / each);
            bool wrong_block = at % 32 || at >= bytes;
            outside |= wrong_block;
            uint64_t want = wrong_block ? testing_load(before, dtype, (int64_t)r * dst.type.cols + c)
                                        : lin(&src, (int64_t)(at / (pto_dtype_bits(dtype) / 8)) + c % each);
            assert_int_equal(testing_get(&dst, r, c), want);
        }
    assert_int_equal(status, outside ? PTO_ERR_REFUSED : PTO_OK);
    assert_int_equal(reported(core, "PTO-E0852"), outside);
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    pto_core_reset(core);
}

/* ---- mask forms ---- */

static void gather_mask_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    int pattern = 1 + (int)testing_below(random, 7), rows = 1 + (int)testing_below(random, 9),
        cols = 1 + (int)testing_below(random, 90);
    bool by_row = trial & 1 && pto_dtype_bits(dtype) < 64;
    pto_tile src = testing_tile(core, random, flat(random, dtype, rows, cols, true), rows, cols);
    uint64_t *want = calloc((size_t)(rows * cols), sizeof *want);
    int count = 0, height = 0;
    for (int r = 0; r < rows; r++) {
        bool taken = reference_selected(patterns[pattern], r);
        height += taken;
        for (int c = 0; c < cols; c++)
            if (by_row ? taken : reference_selected(patterns[pattern], c))
                want[count++] = testing_get(&src, r, c);
    }
    pto_tile_type to = flat(random, dtype, by_row ? height + 1 : rows + 1, cols, false);
    if (by_row)
        src = testing_tile(core, random, flat(random, dtype, rows, to.cols, false), rows, to.cols),
        cols = to.cols;
    if (by_row) { /* the same columns, all of them valid */
        count = 0;
        want = realloc(want, (size_t)(rows * cols) * sizeof *want);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < cols && reference_selected(patterns[pattern], r); c++)
                want[count++] = testing_get(&src, r, c);
    }
    pto_tile dst = testing_tile(core, random, to, to.rows, to.cols);
    void *before = testing_snapshot(&dst), *kept = testing_snapshot(&src);
    TESTING_ACCEPTED(core, PTO_FORM_TGATHER_MASK, TILE(&dst), TILE(&src), ATTR(pattern), ATTR(by_row));
    for (int64_t p = 0; p < size_of(&dst); p++)
        if (lin(&dst, p) != (p < count ? want[p] : testing_load(before, dtype, p)))
            fail_msg("%s %s %dx%d element %lld", pto_dtype_name(dtype), patterns[pattern], rows, cols,
                     (long long)p);
    assert_memory_equal(src.data, kept, pto_tile_type_bytes(&src.type));
    free(want);
    free(before);
    free(kept);
    pto_core_reset(core);
}

static void scatter_mask_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    int pattern = 1 + (int)testing_below(random, 7), period = (int)strlen(patterns[pattern]) - 1;
    if (pattern == 7)
        period = 1;
    else if (pattern <= 2)
        period = 2;
    int rows = 1 + (int)testing_below(random, 6), cols = 1 + (int)testing_below(random, 40);
    bool by_row = trial & 1;
    int to_rows = by_row ? rows * period : rows, to_cols = by_row ? cols : cols * period;
    pto_tile src = testing_tile(core, random, flat(random, dtype, rows, cols, true), rows, cols);
    pto_tile dst =
        testing_tile(core, random, flat(random, dtype, to_rows + 1, to_cols, true), to_rows, to_cols);
    TESTING_ACCEPTED(core, PTO_FORM_TSCATTER_MASK, TILE(&dst), TILE(&src), ATTR(pattern), ATTR(by_row));
    for (int r = 0; r < dst.type.rows; r++)
        for (int c = 0; c < dst.type.cols; c++) {
            uint64_t want = 0;
            if (r < to_rows && c < to_cols &&
                (period == 1 || reference_selected(patterns[pattern], by_row ? r : c)))
                want = testing_get(&src, by_row ? r / period : r, by_row ? c : c / period);
            if (testing_get(&dst, r, c) != want)
                fail_msg("%s %s %dx%d (%d, %d)", pto_dtype_name(dtype), patterns[pattern], rows, cols, r, c);
        }
    pto_core_reset(core);
}

/* ---- generators ---- */

static void ramp_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    int32_t cols = trial ? 1 + (int32_t)testing_below(random, 300) : 1;
    bool descending = trial & 1, is_float = pto_dtype_is_float(dtype);
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1,
             first = testing_bits(random, dtype) & mask;
    double start = is_float ? reference_value(dtype, first) : 0;
    if (is_float && trial % 3)
        start = reference_value(dtype,
                                first = reference_round(dtype, (double)testing_below(random, 400) / 8 - 20));
    pto_tile dst = testing_tile(core, random, flat(random, dtype, 1, cols, true), 1, cols);
    void *before = testing_snapshot(&dst);
    pto_operand value =
        is_float ? testing_float_operand(dtype, start) : testing_int_operand(dtype, (int64_t)first);
    TESTING_ACCEPTED(core, PTO_FORM_TCI, TILE(&dst), value, ATTR(descending));
    for (int32_t c = 0; c < cols; c++) {
        uint64_t want;
        if (!is_float) {
            want = (first + (descending ? 0 - (uint64_t)c : (uint64_t)c)) & mask;
        } else {
            /* the sum in double, its exact error by Knuth's two-sum; to odd, so that rounding again is
             * harmless */
            double by = descending ? -(double)c : (double)c, near = start + by, part = near - start;
            double error = (start - (near - part)) + (by - part);
            if (error != 0 && near - near == 0) {
                uint64_t code;
                memcpy(&code, &near, sizeof code);
                if (!(code & 1))
                    code += (near < 0) == (error < 0) ? 1 : UINT64_MAX;
                memcpy(&near, &code, sizeof near);
            }
            want = reference_round(dtype, near);
        }
        if (testing_get(&dst, 0, c) != want)
            fail_msg("%s from %a column %d: %llx, not %llx", pto_dtype_name(dtype), start, c,
                     (unsigned long long)testing_get(&dst, 0, c), (unsigned long long)want);
    }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    pto_core_reset(core);
}

static void triangle_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    static const int64_t extreme[] = {INT32_MIN, INT32_MAX};
    int32_t rows = 1 + (int32_t)testing_below(random, 20), cols = 1 + (int32_t)testing_below(random, 60);
    int64_t d = trial % 10 == 9 ? extreme[testing_below(random, 2)] : (int64_t)testing_below(random, 90) - 45;
    bool upper = trial & 1;
    pto_tile dst = testing_tile(core, random, flat(random, dtype, rows + 1, cols, true), rows, cols);
    void *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, PTO_FORM_TTRI, TILE(&dst), testing_int_operand(PTO_S32, d), ATTR(upper));
    uint64_t one = pto_dtype_is_float(dtype) ? reference_round(dtype, 1.0) : 1;
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++)
            assert_int_equal(testing_get(&dst, r, c), (upper ? c >= r + d : c <= r + d) ? one : 0);
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    pto_core_reset(core);
}

/* ---- runs ---- */

typedef void (*once)(pto_core *, testing_random *, pto_dtype, int);

static void run(once check, pto_target target, const pto_dtype *dtypes, int count) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(target, level[l]);
        testing_random random = {33};
        for (int d = 0; d < count; d++)
            for (int trial = 0; trial < 200; trial++)
                check(core, &random, dtypes[d], trial);
        pto_core_destroy(core);
    }
}

static const pto_dtype b124[] = {PTO_S8,   PTO_U8,  PTO_S16, PTO_U16, PTO_F16,
                                 PTO_BF16, PTO_S32, PTO_U32, PTO_F32};

static const pto_dtype bytes124[] = {PTO_S8,  PTO_U8,  PTO_S16,  PTO_U16,  PTO_F16,  PTO_BF16, PTO_S32,
                                     PTO_U32, PTO_F32, PTO_E4M3, PTO_E5M2, PTO_E8M0, PTO_HIF8};

static void test_index(void **state) {
    (void)state;
    run(gather_once, PTO_TARGET_CPU, all, ALL);
    run(gather_once, PTO_TARGET_A2A3, b124 + 2, 7);
    run(gather_once, PTO_TARGET_A5, all, WHOLE_BYTES);
    run(scatter_once, PTO_TARGET_CPU, all, ALL);
    run(scatter_once, PTO_TARGET_A2A3, b124, 9);
    run(scatter_once, PTO_TARGET_A5, all, 11);
    run(blocks_once, PTO_TARGET_CPU, bytes124, 13);
    run(blocks_once, PTO_TARGET_A2A3, bytes124, 13);
    run(blocks_once, PTO_TARGET_A5, bytes124, 13);
}

static void test_mask(void **state) {
    (void)state;
    run(gather_mask_once, PTO_TARGET_CPU, all, ALL);
    run(gather_mask_once, PTO_TARGET_A2A3, b124 + 2, 7);
    run(gather_mask_once, PTO_TARGET_A5, all, WHOLE_BYTES);
    run(scatter_mask_once, PTO_TARGET_CPU, all, WHOLE_BYTES);
    run(scatter_mask_once, PTO_TARGET_A2A3, b124, 9);
    run(scatter_mask_once, PTO_TARGET_A5, all, WHOLE_BYTES);
}

static void test_generators(void **state) {
    (void)state;
    static const pto_dtype triangle[] = {PTO_S8,  PTO_U8,  PTO_S16, PTO_U16,  PTO_S32, PTO_U32,
                                         PTO_S64, PTO_U64, PTO_F16, PTO_BF16, PTO_F32};
    static const pto_dtype shared[] = {PTO_S16, PTO_U16, PTO_S32, PTO_U32, PTO_F16, PTO_F32};
    run(ramp_once, PTO_TARGET_CPU, all, 11);
    run(ramp_once, PTO_TARGET_A2A3, b124 + 2, 7);
    run(ramp_once, PTO_TARGET_A5, shared, 4);
    run(triangle_once, PTO_TARGET_CPU, triangle, 11);
    run(triangle_once, PTO_TARGET_A2A3, shared, 6);
    run(triangle_once, PTO_TARGET_A5, triangle, 11);
}

/* ---- rules ---- */

#define EXPECT(target, rule, form, ...)                                                                      \
    do {                                                                                                     \
        pto_core *core = testing_core(target, PTO_SIMD_BASE);                                                \
        testing_expect(core, TESTING_EXECUTE(core, form, __VA_ARGS__), rule, __FILE__, __LINE__);            \
        pto_core_destroy(core);                                                                              \
    } while (0)
#define NEW(...) TILE(&(pto_tile[]){pto_tile_make(__VA_ARGS__)}[0])

static pto_tile_type valid(pto_tile_type type, int32_t rows, int32_t cols) {
    type.valid_rows = rows;
    type.valid_cols = cols;
    return type;
}

static void test_gather_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool cpu = target == PTO_TARGET_CPU, a2a3 = target == PTO_TARGET_A2A3, a5 = target == PTO_TARGET_A5,
             npu = !cpu;
        pto_tile_type f = vec(PTO_F32, 2, 16), i = vec(PTO_S32, 2, 16), h = vec(PTO_F16, 2, 16);
        EXPECT(target, NULL, PTO_FORM_TGATHER, NEW(f), NEW(f), NEW(i));
        EXPECT(target, "PTO-E0870", PTO_FORM_TGATHER, NEW(f), NEW(f), NEW(vec(PTO_S16, 2, 16)));
        EXPECT(target, "PTO-E0870", PTO_FORM_TGATHER, NEW(f), NEW(f), NEW(f));
        EXPECT(target, a2a3 ? "PTO-E0870" : NULL, PTO_FORM_TGATHER, NEW(h), NEW(h), NEW(vec(PTO_U16, 2, 16)));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TGATHER, NEW(vec(PTO_S8, 2, 32)),
               NEW(vec(PTO_S8, 2, 32)), NEW(vec(PTO_U16, 2, 32)));
        EXPECT(target,
               a2a3 ? "PTO-E0302"
               : a5 ? "PTO-E0870"
                    : NULL,
               PTO_FORM_TGATHER, NEW(vec(PTO_S8, 2, 32)), NEW(vec(PTO_S8, 2, 32)), NEW(vec(PTO_U32, 2, 32)));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TGATHER, NEW(vec(PTO_S64, 2, 16)),
               NEW(vec(PTO_S64, 2, 16)), NEW(i));
        EXPECT(target, a2a3 ? "PTO-E0302" : "PTO-E0870", PTO_FORM_TGATHER, NEW(vec(PTO_S64, 2, 16)),
               NEW(vec(PTO_S64, 2, 16)), NEW(vec(PTO_S16, 2, 16)));
        EXPECT(target, npu ? "PTO-E0872" : NULL, PTO_FORM_TGATHER, NEW(valid(f, 2, 15)), NEW(f), NEW(i));
        EXPECT(target, npu ? "PTO-E0872" : "PTO-E0871", PTO_FORM_TGATHER, NEW(f), NEW(f),
               NEW(valid(i, 2, 15)));
        EXPECT(target, "PTO-E0871", PTO_FORM_TGATHER, NEW(f), NEW(f), NEW(valid(i, 1, 16)));
        EXPECT(target, "PTO-E0303", PTO_FORM_TGATHER, NEW(f), NEW(vec(PTO_S32, 2, 16)), NEW(i));
        EXPECT(target, "PTO-E0321", PTO_FORM_TGATHER, NEW(f),
               NEW(pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 8, 16)), NEW(i));
        /* scratch: used for 2-byte data on a2a3 */
        EXPECT(target, a2a3 ? "PTO-E0329" : NULL, PTO_FORM_TGATHER, NEW(h), NEW(h), NEW(i));
        EXPECT(target, NULL, PTO_FORM_TGATHER, NEW(h), NEW(h), NEW(i), NEW(i));
        EXPECT(target, a2a3 ? "PTO-E0303" : NULL, PTO_FORM_TGATHER, NEW(h), NEW(h), NEW(i),
               NEW(vec(PTO_U32, 2, 16)));
        EXPECT(target, a2a3 ? "PTO-E0323" : NULL, PTO_FORM_TGATHER, NEW(h), NEW(h), NEW(i),
               NEW(valid(vec(PTO_S32, 2, 16), 1, 16)));
        EXPECT(target, a2a3 ? "PTO-E0330" : NULL, PTO_FORM_TGATHER, NEW(valid(vec(PTO_F16, 3, 16), 2, 16)),
               NEW(h), NEW(i), NEW(i));
        /* mask */
        pto_tile_type wide = vec(PTO_F32, 2, 32);
        EXPECT(target, NULL, PTO_FORM_TGATHER_MASK, NEW(f), NEW(wide), ATTR(1), ATTR(0));
        EXPECT(target, "PTO-E0874", PTO_FORM_TGATHER_MASK, NEW(valid(f, 1, 16)), NEW(wide), ATTR(1), ATTR(0));
        EXPECT(target, "PTO-E0872", PTO_FORM_TGATHER_MASK, NEW(valid(f, 2, 15)), NEW(wide), ATTR(1), ATTR(0));
        EXPECT(target, "PTO-E0873", PTO_FORM_TGATHER_MASK, NEW(f), NEW(wide), ATTR(0), ATTR(0));
        EXPECT(target, "PTO-E0873", PTO_FORM_TGATHER_MASK, NEW(f), NEW(wide), ATTR(8), ATTR(0));
        EXPECT(target, "PTO-E0873", PTO_FORM_TGATHER_MASK, NEW(f), NEW(wide), ATTR(1), ATTR(2));
        EXPECT(target, NULL, PTO_FORM_TGATHER_MASK, NEW(vec(PTO_F32, 1, 32)), NEW(wide), ATTR(1), ATTR(1));
        EXPECT(target, "PTO-E0874", PTO_FORM_TGATHER_MASK, NEW(vec(PTO_F32, 1, 32)), NEW(wide), ATTR(7),
               ATTR(1));
        EXPECT(target, "PTO-E0874", PTO_FORM_TGATHER_MASK, NEW(vec(PTO_F32, 1, 16)), NEW(wide), ATTR(1),
               ATTR(1));
        EXPECT(target, NULL, PTO_FORM_TGATHER_MASK, NEW(vec(PTO_U32, 2, 16)), NEW(wide), ATTR(2), ATTR(0));
        EXPECT(target, cpu ? "PTO-E0328" : "PTO-E0302", PTO_FORM_TGATHER_MASK, NEW(h), NEW(wide), ATTR(2),
               ATTR(0));
        EXPECT(target,
               a2a3 ? "PTO-E0302"
               : a5 ? "PTO-E0302"
                    : NULL,
               PTO_FORM_TGATHER_MASK, NEW(vec(PTO_S64, 1, 32)), NEW(vec(PTO_S64, 2, 32)), ATTR(1), ATTR(1));
        /* blocks */
        EXPECT(target, NULL, PTO_FORM_TGATHERB, NEW(vec(PTO_F32, 2, 64)), NEW(f), NEW(vec(PTO_U32, 2, 8)));
        EXPECT(target, "PTO-E0879", PTO_FORM_TGATHERB, NEW(vec(PTO_F32, 2, 72)), NEW(f),
               NEW(vec(PTO_U32, 2, 8)));
        EXPECT(target, "PTO-E0879", PTO_FORM_TGATHERB, NEW(vec(PTO_F32, 3, 64)), NEW(f),
               NEW(vec(PTO_U32, 2, 8)));
        EXPECT(target, "PTO-E0302", PTO_FORM_TGATHERB, NEW(vec(PTO_S64, 2, 16)), NEW(vec(PTO_S64, 2, 16)),
               NEW(vec(PTO_U32, 2, 8)));
        EXPECT(target, "PTO-E0302", PTO_FORM_TGATHERB, NEW(f), NEW(f), NEW(i));
    }
}

static void test_scatter_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool npu = target != PTO_TARGET_CPU, a2a3 = target == PTO_TARGET_A2A3;
        pto_tile_type f = vec(PTO_F32, 2, 16), i = vec(PTO_S32, 2, 16), b = vec(PTO_U8, 2, 32);
        EXPECT(target, NULL, PTO_FORM_TSCATTER, NEW(f), NEW(f), NEW(i));
        EXPECT(target, npu ? "PTO-E0870" : NULL, PTO_FORM_TSCATTER, NEW(f), NEW(f), NEW(vec(PTO_U16, 2, 16)));
        EXPECT(target, "PTO-E0870", PTO_FORM_TSCATTER, NEW(f), NEW(f), NEW(f));
        EXPECT(target, NULL, PTO_FORM_TSCATTER, NEW(b), NEW(b), NEW(vec(PTO_U16, 2, 32)));
        EXPECT(target, npu ? "PTO-E0870" : NULL, PTO_FORM_TSCATTER, NEW(b), NEW(b), NEW(vec(PTO_U32, 2, 32)));
        EXPECT(target, npu ? "PTO-E0870" : NULL, PTO_FORM_TSCATTER, NEW(b), NEW(b), NEW(b));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TSCATTER, NEW(vec(PTO_U64, 2, 16)),
               NEW(vec(PTO_U64, 2, 16)), NEW(i));
        EXPECT(target, "PTO-E0871", PTO_FORM_TSCATTER, NEW(f), NEW(valid(f, 2, 15)), NEW(i));
        EXPECT(target, "PTO-E0303", PTO_FORM_TSCATTER, NEW(f), NEW(i), NEW(i));
        EXPECT(target, NULL, PTO_FORM_TSCATTER_MASK, NEW(vec(PTO_F32, 2, 64)), NEW(f), ATTR(3), ATTR(0));
        EXPECT(target, "PTO-E0875", PTO_FORM_TSCATTER_MASK, NEW(vec(PTO_F32, 2, 56)), NEW(f), ATTR(3),
               ATTR(0));
        EXPECT(target, NULL, PTO_FORM_TSCATTER_MASK, NEW(vec(PTO_F32, 4, 16)), NEW(f), ATTR(1), ATTR(1));
        EXPECT(target, "PTO-E0875", PTO_FORM_TSCATTER_MASK, NEW(vec(PTO_F32, 4, 16)), NEW(f), ATTR(3),
               ATTR(1));
        EXPECT(target, NULL, PTO_FORM_TSCATTER_MASK, NEW(f), NEW(f));
        EXPECT(target, "PTO-E0873", PTO_FORM_TSCATTER_MASK, NEW(f), NEW(f), ATTR(9), ATTR(0));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TSCATTER_MASK, NEW(vec(PTO_U64, 2, 16)),
               NEW(vec(PTO_U64, 2, 16)));
        pto_core *core = testing_core(target, PTO_SIMD_BASE);
        pto_tile x = pto_tile_make(f);
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TSCATTER_MASK, TILE(&x), TILE(&x));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TGATHER, TILE(&x), TILE(&x), NEW(i));
        pto_core_destroy(core);
    }
}

static void test_generator_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool cpu = target == PTO_TARGET_CPU, a2a3 = target == PTO_TARGET_A2A3, a5 = target == PTO_TARGET_A5;
        pto_operand zero = testing_int_operand(PTO_S32, 0);
        EXPECT(target, NULL, PTO_FORM_TCI, NEW(vec(PTO_S32, 1, 16)), zero);
        EXPECT(target, "PTO-E0880", PTO_FORM_TCI, NEW(vec(PTO_S32, 2, 16)), zero);
        EXPECT(target, a5 ? "PTO-E0302" : NULL, PTO_FORM_TCI, NEW(vec(PTO_F32, 1, 16)), zero);
        EXPECT(target, cpu ? NULL : "PTO-E0302", PTO_FORM_TCI, NEW(vec(PTO_S8, 1, 32)), zero);
        EXPECT(target, NULL, PTO_FORM_TCI_TMP, NEW(vec(PTO_S32, 1, 16)), zero, NEW(vec(PTO_F32, 1, 192)));
        EXPECT(target, a2a3 ? "PTO-E0330" : NULL, PTO_FORM_TCI_TMP, NEW(vec(PTO_S32, 1, 16)), zero,
               NEW(vec(PTO_F32, 1, 184)));
        EXPECT(target, NULL, PTO_FORM_TCI_TMP, NEW(vec(PTO_S16, 1, 16)), zero, NEW(vec(PTO_F32, 1, 448)));
        EXPECT(target, a2a3 ? "PTO-E0330" : NULL, PTO_FORM_TCI_TMP, NEW(vec(PTO_S16, 1, 16)), zero,
               NEW(vec(PTO_F32, 1, 440)));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TCI_TMP, NEW(vec(PTO_S32, 1, 16)), zero,
               NEW(vec(PTO_F16, 1, 448)));
        EXPECT(target, cpu ? NULL : "PTO-E0302", PTO_FORM_TCI_TMP, NEW(vec(PTO_F32, 1, 16)), zero,
               NEW(vec(PTO_F32, 1, 448)));
        EXPECT(target, NULL, PTO_FORM_TTRI, NEW(vec(PTO_S32, 2, 16)), zero, ATTR(1));
        EXPECT(target, "PTO-E0881", PTO_FORM_TTRI, NEW(vec(PTO_S32, 2, 16)), zero, ATTR(2));
        EXPECT(target, "PTO-E0881", PTO_FORM_TTRI, NEW(vec(PTO_S32, 2, 16)), zero, ATTR(-1));
        EXPECT(target, a2a3 ? "PTO-E0302" : NULL, PTO_FORM_TTRI, NEW(vec(PTO_S8, 2, 32)), zero);
    }
    /* the scratch form counts as the other */
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BASE);
    pto_tile dst = pto_tile_make(vec(PTO_S16, 1, 16)), tmp = pto_tile_make(vec(PTO_F32, 1, 448));
    TESTING_ACCEPTED(core, PTO_FORM_TCI_TMP, TILE(&dst), testing_int_operand(PTO_S16, 5), TILE(&tmp),
                     ATTR(1));
    for (int c = 0; c < 16; c++)
        assert_int_equal(testing_get(&dst, 0, c), (uint16_t)(5 - c));
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),         cmocka_unit_test(test_mask),
        cmocka_unit_test(test_generators),    cmocka_unit_test(test_gather_rules),
        cmocka_unit_test(test_scatter_rules), cmocka_unit_test(test_generator_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
