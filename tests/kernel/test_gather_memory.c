/* SPDX-License-Identifier: Apache-2.0 */
/* MGATHER and MSCATTER: every mode, element by element; nothing outside of the table; their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "reference/irregular.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)

enum { ERROR, DROP, CLAMP, WRAP };
static const int64_t gather_mode[] = {PTO_GATHER_UNDEFINED, PTO_GATHER_ZERO, PTO_GATHER_CLAMP,
                                      PTO_GATHER_WRAP};
static const int64_t scatter_mode[] = {PTO_SCATTER_UNDEFINED, PTO_SCATTER_SKIP, PTO_SCATTER_CLAMP,
                                       PTO_SCATTER_WRAP};

/* A strided ND or an NZ table inside a larger buffer. */
typedef struct table {
    pto_global global;
    void *buffer;
    size_t bytes;
    int64_t rows, cols, elements;
} table;

static table make_table(testing_random *random, pto_dtype dtype, bool nz, int32_t cols, bool dense) {
    table t = {.global = {.dtype = dtype, .layout = nz ? PTO_LAYOUT_NZ : PTO_LAYOUT_ND}};
    int64_t *s = t.global.shape, *stride = t.global.stride;
    if (nz) {
        s[0] = 1 + testing_below(random, 2);
        s[4] = 256 / (int64_t)pto_dtype_bits(dtype);
        s[1] = (cols + s[4] - 1) / s[4];
        s[2] = 1 + testing_below(random, 3);
        s[3] = 16;
    } else {
        s[0] = s[1] = 1;
        s[2] = 1 + testing_below(random, 2);
        s[3] = 1 + testing_below(random, 9);
        s[4] = cols;
    }
    stride[4] = 1;
    stride[3] = s[4] + (dense || nz ? 0 : (int64_t)testing_below(random, 5));
    for (int d = 2; d >= 0; d--)
        stride[d] = stride[d + 1] * s[d + 1];
    t.rows = nz ? s[2] * s[3] : s[2] * s[3];
    t.cols = nz ? s[0] * s[1] * s[4] : cols;
    t.elements = s[0] * s[1] * s[2] * s[3] * s[4];
    int64_t before = testing_below(random, 5), after = testing_below(random, 5);
    int64_t span = s[0] * stride[0] + before + after;
    t.bytes = (size_t)span * pto_dtype_bits(dtype) / 8;
    t.buffer = malloc(t.bytes);
    for (int64_t i = 0; i < span; i++)
        testing_store(t.buffer, dtype, i, testing_bits(random, dtype));
    t.global.begin = t.buffer;
    t.global.end = (uint8_t *)t.buffer + t.bytes;
    t.global.data = (uint8_t *)t.buffer + (size_t)before * pto_dtype_bits(dtype) / 8;
    return t;
}

/* Element number, from the table's start, of place k and column j. */
static int64_t element_of(const table *t, bool by_row, int64_t k, int64_t j) {
    const int64_t *s = t->global.shape, *stride = t->global.stride;
    if (t->global.layout == PTO_LAYOUT_NZ) {
        int64_t row = by_row ? k : k / t->cols, col = by_row ? j : k % t->cols;
        int64_t block = col / s[4];
        return block / s[1] * stride[0] + block % s[1] * stride[1] + row / 16 * stride[2] +
               row % 16 * stride[3] + col % s[4] * stride[4];
    }
    return by_row ? k * stride[3] + j * stride[4] : k;
}

static uint32_t index_of(const pto_tile *idx, bool by_row, int32_t r, int32_t c) {
    uint64_t bits = by_row ? testing_load(idx->data, idx->type.dtype, r) : testing_get(idx, r, c);
    unsigned width = pto_dtype_bits(idx->type.dtype);
    if (pto_dtype_is_signed(idx->type.dtype) && width < 64 && bits >> (width - 1) & 1)
        bits -= UINT64_C(1) << width;
    return (uint32_t)bits;
}

/* The place that an index means; -1 none, -2 an error. */
static int64_t place_of(uint32_t index, int mode, int64_t capacity) {
    if (index < capacity)
        return index;
    return mode == CLAMP ? capacity - 1 : mode == WRAP ? index % capacity : mode == DROP ? -1 : -2;
}

typedef struct setting {
    pto_target target;
    bool by_row, nz;
    int mode;
    int32_t rows, cols;
    pto_tile tile, idx;
    table table;
    int64_t capacity;
} setting;

static setting make_setting(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    setting s = {.target = pto_core_options(core)->target, .by_row = trial & 1, .mode = trial / 2 % 4};
    bool a2a3 = s.target == PTO_TARGET_A2A3, a5 = s.target == PTO_TARGET_A5, cpu = s.target == PTO_TARGET_CPU;
    s.nz = !a5 && trial / 8 % 3 == 0;
    s.rows = trial ? 1 + (int32_t)testing_below(random, 20) : 1;
    s.cols = trial ? 1 + (int32_t)testing_below(random, 50) : 1;
    testing_layout layout = s.nz ? TESTING_NZ : TESTING_ND;
    if (!a2a3 && !s.nz && trial % 5 == 0)
        layout = TESTING_DN;
    s.table = make_table(random, dtype, s.nz, s.cols + (a5 ? 0 : (int32_t)testing_below(random, 4)), false);
    s.capacity = s.by_row ? s.table.rows : s.table.elements;
    s.tile =
        testing_tile(core, random, testing_type_around(random, PTO_LOC_VEC, dtype, layout, s.rows, s.cols, 1),
                     s.rows, s.cols);
    static const pto_dtype types[] = {PTO_S32, PTO_U32, PTO_S16, PTO_U16, PTO_S64, PTO_S8};
    pto_dtype itype = types[testing_below(random, cpu ? 6 : 2)];
    bool column = s.by_row ? !a2a3 && testing_below(random, 2) : !a2a3 && trial % 7 == 0;
    int32_t idx_rows = s.by_row ? (column ? s.rows : 1) : s.rows,
            idx_cols = s.by_row ? (column ? 1 : s.rows) : s.cols;
    s.idx = testing_tile(core, NULL,
                         testing_type_around(random, PTO_LOC_VEC, itype, column ? TESTING_DN : TESTING_ND,
                                             idx_rows, idx_cols, s.by_row ? 0 : 1),
                         idx_rows, idx_cols);
    uint64_t most = pto_dtype_bits(itype) == 8 ? 127 : pto_dtype_bits(itype) == 16 ? 32767 : UINT32_MAX;
    if ((uint64_t)s.capacity - 1 < most)
        most = (uint64_t)s.capacity - 1;
    for (int32_t r = 0; r < s.idx.type.rows; r++)
        for (int32_t c = 0; c < s.idx.type.cols; c++) {
            uint64_t value = testing_below(random, (uint32_t)most + 1);
            if (s.mode != ERROR && testing_below(random, 4) == 0)
                value = testing_bits(random, itype);
            testing_set(&s.idx, r, c, value);
        }
    if (s.mode == ERROR && trial % 16 == 0) /* one index that is out of range, where the type can say so */
        testing_set(&s.idx, 0, 0, UINT64_MAX >> (64 - pto_dtype_bits(itype)));
    return s;
}

static bool has_error(const setting *s) {
    for (int32_t r = 0; r < s->rows; r++)
        for (int32_t c = 0; c < (s->by_row ? 1 : s->cols); c++)
            if (place_of(index_of(&s->idx, s->by_row, r, c), s->mode, s->capacity) == -2)
                return true;
    return false;
}

static void gather_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    setting s = make_setting(core, random, dtype, trial);
    void *before = testing_snapshot(&s.tile), *table_before = malloc(s.table.bytes);
    memcpy(table_before, s.table.buffer, s.table.bytes);
    bool error = has_error(&s);
    pto_status status =
        TESTING_EXECUTE(core, PTO_FORM_MGATHER, TILE(&s.tile), GLOBAL(&s.table.global), TILE(&s.idx),
                        ATTR(s.by_row ? PTO_COALESCE_ROW : PTO_COALESCE_ELEM), ATTR(gather_mode[s.mode]));
    testing_expect(core, status, error ? "PTO-E0853" : NULL, __FILE__, __LINE__);
    if (error)
        assert_memory_equal(before, s.tile.data, pto_tile_type_bytes(&s.tile.type));
    for (int32_t r = 0; r < s.rows && !error; r++)
        for (int32_t c = 0; c < s.cols; c++) {
            int64_t place = place_of(index_of(&s.idx, s.by_row, r, c), s.mode, s.capacity);
            uint64_t want = place < 0 ? 0
                                      : testing_load(s.table.global.data, dtype,
                                                     element_of(&s.table, s.by_row, place, c));
            if (testing_get(&s.tile, r, c) != want)
                fail_msg("%s %dx%d row %d mode %d (%d, %d)", pto_dtype_name(dtype), s.rows, s.cols, s.by_row,
                         s.mode, r, c);
        }
    assert_true(testing_outside_unchanged(&s.tile, before));
    assert_memory_equal(table_before, s.table.buffer, s.table.bytes);
    free(before);
    free(table_before);
    free(s.table.buffer);
    pto_core_reset(core);
}

static uint64_t meet(pto_dtype dtype, int64_t op, uint64_t old, uint64_t x) {
    if (op == PTO_SCATTER_REPLACE)
        return x;
    if (!pto_dtype_is_float(dtype)) {
        unsigned bits = pto_dtype_bits(dtype);
        if (op == PTO_SCATTER_ADD)
            return (old + x) & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1);
        uint64_t flip = pto_dtype_is_signed(dtype) ? UINT64_C(1) << (bits - 1) : 0;
        bool greater = (x ^ flip) > (old ^ flip);
        return greater == (op == PTO_SCATTER_MAX) ? x : old;
    }
    if (op == PTO_SCATTER_ADD)
        return reference_binary(REFERENCE_ADD, dtype, old, x);
    if (isnan(reference_value(dtype, x)))
        return old;
    if (isnan(reference_value(dtype, old)))
        return x;
    return reference_binary(op == PTO_SCATTER_MAX ? REFERENCE_MAX : REFERENCE_MIN, dtype, old, x);
}

static void scatter_once(pto_core *core, testing_random *random, pto_dtype dtype, int64_t op, int trial) {
    setting s = make_setting(core, random, dtype, trial);
    uint8_t *want = malloc(s.table.bytes);
    memcpy(want, s.table.buffer, s.table.bytes);
    void *before = testing_snapshot(&s.tile);
    bool error = has_error(&s);
    void *base = want + ((uint8_t *)s.table.global.data - (uint8_t *)s.table.buffer);
    for (int32_t r = 0; r < s.rows && !error; r++)
        for (int32_t c = 0; c < s.cols; c++) {
            int64_t place = place_of(index_of(&s.idx, s.by_row, r, c), s.mode, s.capacity);
            if (place < 0)
                continue;
            int64_t at = element_of(&s.table, s.by_row, place, c);
            testing_store(base, dtype, at,
                          meet(dtype, op, testing_load(base, dtype, at), testing_get(&s.tile, r, c)));
        }
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_MSCATTER, GLOBAL(&s.table.global), TILE(&s.tile),
                                        TILE(&s.idx), ATTR(s.by_row ? PTO_COALESCE_ROW : PTO_COALESCE_ELEM),
                                        ATTR(op), ATTR(scatter_mode[s.mode]), ATTR(testing_below(random, 2)));
    testing_expect(core, status, error ? "PTO-E0853" : NULL, __FILE__, __LINE__);
    if (memcmp(want, s.table.buffer, s.table.bytes))
        fail_msg("%s %dx%d row %d mode %d op %d", pto_dtype_name(dtype), s.rows, s.cols, s.by_row, s.mode,
                 (int)op);
    assert_memory_equal(before, s.tile.data, pto_tile_type_bytes(&s.tile.type));
    free(before);
    free(want);
    free(s.table.buffer);
    pto_core_reset(core);
}

static const pto_dtype types[] = {PTO_S8,   PTO_U8,  PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32, PTO_F16,
                                  PTO_BF16, PTO_F32, PTO_E4M3, PTO_E5M2, PTO_HIF8, PTO_S64};

static bool has_atomic(pto_target target, pto_dtype dtype, int64_t op) {
    if (op == PTO_SCATTER_REPLACE)
        return true;
    if (target == PTO_TARGET_CPU)
        return dtype != PTO_E4M3; /* tested where the reference has the arithmetic */
    bool word = dtype == PTO_S32 || dtype == PTO_F32, half = dtype == PTO_F16 || dtype == PTO_BF16;
    if (op != PTO_SCATTER_ADD)
        return target == PTO_TARGET_A5 && (word || dtype == PTO_U32);
    return word || half || (target == PTO_TARGET_A5 ? dtype == PTO_U32 : dtype == PTO_S8 || dtype == PTO_S16);
}

static void test_values(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {36};
            int count = t == PTO_TARGET_CPU ? 13 : t == PTO_TARGET_A5 ? 12 : 9;
            for (int d = 0; d < count; d++)
                for (int trial = 0; trial < 200; trial++) {
                    gather_once(core, &random, types[d], trial);
                    int64_t op = trial % 3 ? PTO_SCATTER_REPLACE : testing_below(&random, 4);
                    if (has_atomic((pto_target)t, types[d], op))
                        scatter_once(core, &random, types[d], op, trial);
                }
            pto_core_destroy(core);
        }
}

/* A place that the shape allows but the buffer does not have: told, and nothing is touched. */
static void test_buffer_end(void **state) {
    (void)state;
    float buffer[64];
    for (int i = 0; i < 64; i++)
        buffer[i] = (float)i;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BEST);
    pto_global global = pto_global_make_2d(buffer, PTO_F32, PTO_LAYOUT_ND, 8, 8, 8);
    global.begin = buffer;
    global.end = buffer + 16;
    global.stride[3] = 0; /* eight times one row: 64 elements by count, 8 in the buffer */
    pto_tile dst = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 1, 8));
    pto_tile idx = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_U32, 1, 8));
    assert_int_equal(pto_tile_bind(core, &dst), PTO_OK);
    assert_int_equal(pto_tile_bind(core, &idx), PTO_OK);
    for (int c = 0; c < 8; c++)
        testing_set(&idx, 0, c, (uint64_t)c + 8);
    TESTING_ACCEPTED(core, PTO_FORM_MGATHER, TILE(&dst), GLOBAL(&global), TILE(&idx),
                     ATTR(PTO_COALESCE_ELEM));
    assert_memory_equal(dst.data, buffer + 8, 32);
    testing_set(&idx, 0, 3, 16);
    TESTING_REFUSED(core, "PTO-E0901", PTO_FORM_MGATHER, TILE(&dst), GLOBAL(&global), TILE(&idx),
                    ATTR(PTO_COALESCE_ELEM));
    TESTING_REFUSED(core, "PTO-E0901", PTO_FORM_MGATHER, TILE(&dst), GLOBAL(&global), TILE(&idx),
                    ATTR(PTO_COALESCE_ELEM), ATTR(PTO_GATHER_CLAMP));
    TESTING_REFUSED(core, "PTO-E0901", PTO_FORM_MSCATTER, GLOBAL(&global), TILE(&dst), TILE(&idx),
                    ATTR(PTO_COALESCE_ELEM), ATTR(0), ATTR(PTO_SCATTER_SKIP));
    for (int i = 0; i < 64; i++)
        assert_true(buffer[i] == (float)i);
    pto_core_destroy(core);
}

/* ---- rules ---- */

typedef struct call {
    pto_tile_type tile, idx;
    pto_global global;
    int64_t coalesce, mode;
} call;

static float storage[4096];

static call plain(pto_dtype dtype) {
    call c = {.tile = pto_tile_type_make(PTO_LOC_VEC, dtype, 8, 64), .coalesce = PTO_COALESCE_ROW};
    c.idx = pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 1, 8);
    c.global = pto_global_make_2d(storage, dtype, PTO_LAYOUT_ND, 16, 64, 64);
    return c;
}

static void gather(pto_target target, const char *rule, call c) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile tile = pto_tile_make(c.tile), idx = pto_tile_make(c.idx);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_MGATHER, TILE(&tile), GLOBAL(&c.global), TILE(&idx),
                                        ATTR(c.coalesce), ATTR(c.mode));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void scatter(pto_target target, const char *rule, call c, int64_t op, int64_t conflict) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile tile = pto_tile_make(c.tile), idx = pto_tile_make(c.idx);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_MSCATTER, GLOBAL(&c.global), TILE(&tile), TILE(&idx),
                                        ATTR(c.coalesce), ATTR(op), ATTR(c.mode), ATTR(conflict));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void both(pto_target target, const char *rule, call c) {
    gather(target, rule, c);
    scatter(target, rule, c, 0, 1);
}

static void test_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool cpu = target == PTO_TARGET_CPU, a2a3 = target == PTO_TARGET_A2A3, a5 = target == PTO_TARGET_A5,
             npu = !cpu;
        call ok = plain(PTO_F32), c = ok;
        both(target, NULL, ok);
        c.idx.dtype = PTO_U16, c.idx.cols = 16;
        both(target, npu ? "PTO-E0892" : NULL, c);
        c.idx.dtype = PTO_F32;
        both(target, "PTO-E0892", c);
        c = ok, c.idx = pto_tile_type_dn(PTO_LOC_VEC, PTO_S32, 8, 1);
        both(target, a2a3 ? "PTO-E0891" : NULL, c);
        c = ok, c.idx.valid_cols = 7;
        both(target, "PTO-E0891", c);
        c = ok, c.idx = pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 8, 64);
        both(target, "PTO-E0891", c);
        c.coalesce = PTO_COALESCE_ELEM;
        both(target, NULL, c);
        c.idx.valid_rows = 7;
        both(target, "PTO-E0891", c);
        c = ok, c.global.dtype = PTO_S32;
        both(target, npu ? "PTO-E0303" : NULL, c);
        c.global.dtype = PTO_F16;
        both(target, "PTO-E0328", c);
        c = ok, c.global.shape[4] = 63;
        both(target, "PTO-E0890", c);
        c.global.shape[4] = 65;
        both(target, a5 ? "PTO-E0890" : NULL, c);
        c = ok, c.global.shape[2] = 0;
        both(target, "PTO-E0890", c);
        c = ok, c.tile.loc = PTO_LOC_MAT;
        both(target, "PTO-E0320", c);
        c = ok, c.coalesce = 2;
        both(target, "PTO-E0894", c);
        c = ok, c.mode = 4;
        both(target, "PTO-E0894", c);
        c.mode = 3;
        both(target, NULL, c);
        c = ok, c.global.layout = PTO_LAYOUT_DN;
        both(target, npu ? "PTO-E0893" : NULL, c);
        c = ok, c.tile = pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, 8, 64);
        both(target, a2a3 ? "PTO-E0893" : NULL, c);
        c = ok, c.tile = pto_tile_type_nz(PTO_LOC_VEC, PTO_F32, 16, 64),
        c.idx = pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 1, 16);
        both(target, npu ? "PTO-E0893" : NULL, c);
        c.global.layout = PTO_LAYOUT_NZ;
        const int64_t shape[5] = {1, 8, 2, 16, 8}, stride[5] = {2048, 256, 128, 8, 1};
        memcpy(c.global.shape, shape, sizeof shape);
        memcpy(c.global.stride, stride, sizeof stride);
        both(target, a5 ? "PTO-E0893" : NULL, c);
        c.global.shape[3] = 8;
        both(target, npu ? "PTO-E0893" : NULL, c);
        c = ok, c.idx = pto_tile_type_make(PTO_LOC_VEC, PTO_S32, 8, 64), c.coalesce = PTO_COALESCE_ELEM;
        c.idx = pto_tile_type_dn(PTO_LOC_VEC, PTO_S32, 8, 64);
        both(target, a2a3 ? "PTO-E0893" : NULL, c);
        both(target, npu ? "PTO-E0302" : NULL, plain(PTO_S64));
        both(target, a2a3 ? "PTO-E0302" : NULL, plain(PTO_E4M3));
        /* atomics and the rest of MSCATTER */
        for (int64_t op = 0; op < 4; op++)
            for (int d = 0; d < (a5 ? 10 : 9); d++)
                scatter(target, has_atomic(target, types[d], op) || cpu ? NULL : "PTO-E0895", plain(types[d]),
                        op, 0);
        scatter(target, "PTO-E0894", ok, 4, 0);
        scatter(target, "PTO-E0894", ok, 0, 2);
        c = ok, c.global.read_only = true;
        gather(target, NULL, c);
        scatter(target, "PTO-E0711", c, 0, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_buffer_end),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
