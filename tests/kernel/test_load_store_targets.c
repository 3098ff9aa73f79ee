/* SPDX-License-Identifier: Apache-2.0 */
/* TLOAD and TSTORE on the hardware targets: every legal pair of memory, tile and tensor layout, every element
 * type, 200 shapes each of type and target, element by element against the map of 00-model, 6.4; every other
 * pair refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
enum { SHAPES = 200, A2A3 = 1 << PTO_TARGET_A2A3, A5 = 1 << PTO_TARGET_A5 };

/* ---- what the tables of part 30 allow -------------------------------------------------------------- */

typedef struct pair {
    pto_loc loc;
    testing_layout tile;
    pto_layout tensor;
    int load, store; /* targets */
} pair;

static const pair pairs[] = {{PTO_LOC_VEC, TESTING_ND, PTO_LAYOUT_ND, A2A3 | A5, A2A3 | A5},
                             {PTO_LOC_VEC, TESTING_DN, PTO_LAYOUT_DN, A2A3 | A5, A2A3 | A5},
                             {PTO_LOC_VEC, TESTING_NZ, PTO_LAYOUT_NZ, A2A3 | A5, A2A3 | A5},
                             {PTO_LOC_MAT, TESTING_ND, PTO_LAYOUT_ND, A2A3 | A5, A2A3},
                             {PTO_LOC_MAT, TESTING_DN, PTO_LAYOUT_DN, A2A3 | A5, A2A3},
                             {PTO_LOC_MAT, TESTING_NZ, PTO_LAYOUT_NZ, A2A3 | A5, A2A3},
                             {PTO_LOC_MAT, TESTING_NZ, PTO_LAYOUT_ND, A2A3 | A5, 0},
                             {PTO_LOC_MAT, TESTING_NZ, PTO_LAYOUT_DN, A5, 0}, /* not 4-bit */
                             {PTO_LOC_MAT, TESTING_ZN, PTO_LAYOUT_DN, A2A3 | A5, 0}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const pto_dtype dtypes[] = {PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32, PTO_U32,
                                   PTO_S64,  PTO_U64,  PTO_F16,  PTO_BF16, PTO_F32, PTO_E4M3,
                                   PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_E2M1, PTO_E1M2};
enum { DTYPES = sizeof dtypes / sizeof *dtypes, STANDARD = 11 };

/* The targets on which a pair loads (or stores) a type. */
static int targets_of(const pair *p, int d, bool load) {
    int targets = load ? p->load : p->store;
    unsigned bits = pto_dtype_bits(dtypes[d]);
    bool plain = (p->tile == TESTING_ND && p->tensor == PTO_LAYOUT_ND) ||
                 (p->tile == TESTING_DN && p->tensor == PTO_LAYOUT_DN);
    if (d >= STANDARD)
        targets &= A5;
    if (bits == 64 && !plain)
        return 0;
    if (bits == 4 && p->tile == TESTING_NZ && p->tensor == PTO_LAYOUT_DN)
        return 0;
    return targets;
}

/* ---- tensors that the engines take ----------------------------------------------------------------- */

typedef struct tensor {
    pto_global global;
    int32_t rows, cols;
    int64_t elements;
    void *buffer;
} tensor;

static int64_t some(testing_random *random, uint32_t most) { return 1 + testing_below(random, most); }

static tensor make_tensor(testing_random *random, const pair *p, pto_target target, pto_dtype dtype) {
    unsigned bits = pto_dtype_bits(dtype);
    int64_t c0 = 256 / (int64_t)bits;
    tensor t = {.global = {.dtype = dtype, .layout = p->tensor}};
    int64_t *s = t.global.shape, *stride = t.global.stride;
    bool same = (int)p->tile == (int)p->tensor; /* ND, DN, NZ have the same numbers */
    bool batches = same || target == PTO_TARGET_A5;
    for (int d = 0; d < 3; d++)
        s[d] = batches ? some(random, 3) : 1;
    s[3] = some(random, 20);
    s[4] = some(random, 40);
    if (p->tensor == PTO_LAYOUT_NZ) {
        s[3] = 16;
        s[4] = c0;
    } else if (same && p->loc == PTO_LOC_MAT && target == PTO_TARGET_A2A3) { /* lines of 32-byte blocks */
        int inner = p->tensor == PTO_LAYOUT_ND ? 4 : 3;
        s[inner] = some(random, 3) * c0;
    }
    if (testing_below(random, 12) == 0 && p->tensor != PTO_LAYOUT_NZ && target == PTO_TARGET_A5)
        s[0] = s[1] = s[2] = s[3] = s[4] = 1;
    /* the innermost dimension is packed; in NZ whole fractals are; gaps elsewhere, even ones for half bytes
     */
    int order[5] = {4, 3, 2, 1, 0};
    if (p->tensor == PTO_LAYOUT_DN) {
        order[0] = 3;
        order[1] = 4;
    }
    int64_t next = 1;
    for (int k = 0; k < 5; k++) {
        stride[order[k]] = next;
        next *= s[order[k]];
        bool gap = k > 0 && !(p->tensor == PTO_LAYOUT_NZ && k < 2);
        if (k == 0 && p->tensor != PTO_LAYOUT_NZ)
            gap = true;
        next += gap && testing_below(random, 3) == 0 ? testing_below(random, 9) : 0;
    }
    t.elements = next + 16;
    size_t bytes = (size_t)(t.elements * bits + 7) / 8;
    t.buffer = malloc(bytes);
    assert_non_null(t.buffer);
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)t.buffer)[i] = (uint8_t)testing_next(random);
    t.global.data = t.buffer;
    t.global.begin = t.buffer;
    t.global.end = (char *)t.buffer + bytes;
    t.rows = (int32_t)(p->tensor == PTO_LAYOUT_DN   ? s[3]
                       : p->tensor == PTO_LAYOUT_NZ ? s[2] * s[3]
                                                    : s[0] * s[1] * s[2] * s[3]);
    t.cols = (int32_t)(p->tensor == PTO_LAYOUT_DN   ? s[0] * s[1] * s[2] * s[4]
                       : p->tensor == PTO_LAYOUT_NZ ? s[0] * s[1] * s[4]
                                                    : s[4]);
    return t;
}

/* Element of tile coordinate (r, c), by the first table of 00-model, 6.4. */
static int64_t element(const pto_global *g, int64_t r, int64_t c) {
    const int64_t *s = g->shape, *t = g->stride;
    switch (g->layout) {
    case PTO_LAYOUT_DN:
        return c / (s[1] * s[2] * s[4]) * t[0] + c / (s[2] * s[4]) % s[1] * t[1] + c / s[4] % s[2] * t[2] +
               r * t[3] + c % s[4] * t[4];
    case PTO_LAYOUT_NZ:
        return c / s[4] / s[1] * t[0] + c / s[4] % s[1] * t[1] + r / s[3] * t[2] + r % s[3] * t[3] +
               c % s[4] * t[4];
    default:
        return r / (s[1] * s[2] * s[3]) * t[0] + r / (s[2] * s[3]) % s[1] * t[1] + r / s[3] % s[2] * t[2] +
               r % s[3] * t[3] + c * t[4];
    }
}

static bool fits(pto_target target, const pto_tile_type *type) {
    return pto_tile_type_bytes(type) <= pto_loc_capacity(target, type->loc);
}

static void check(pto_core *core, pto_target target, testing_random *random, const pair *p, pto_dtype dtype,
                  bool load) {
    tensor t;
    pto_tile_type type;
    do {
        t = make_tensor(random, p, target, dtype);
        type = testing_type_around(random, p->loc, dtype, p->tile, t.rows, t.cols, 2);
        if (fits(target, &type))
            break;
        free(t.buffer);
    } while (true);
    pto_tile tile = testing_tile(core, random, type, t.rows, t.cols);
    uint8_t *tile_before = testing_snapshot(&tile);
    size_t bytes = (size_t)((const char *)t.global.end - (const char *)t.global.begin);
    uint8_t *memory = malloc(bytes);
    assert_non_null(memory);
    memcpy(memory, t.buffer, bytes);
    if (load)
        TESTING_ACCEPTED(core, PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&t.global));
    else
        TESTING_ACCEPTED(core, PTO_FORM_TSTORE, GLOBAL(&t.global), TILE(&tile), ATTR(0), ATTR(0), ATTR(0));
    for (int32_t r = 0; r < t.rows; r++)
        for (int32_t c = 0; c < t.cols; c++) {
            int64_t at = element(&t.global, r, c);
            if (load && testing_get(&tile, r, c) != testing_load(memory, dtype, at))
                fail_msg("load of %s at (%d, %d)", pto_dtype_name(dtype), r, c);
            if (!load)
                testing_store(memory, dtype, at, testing_get(&tile, r, c));
        }
    if (load)
        assert_true(testing_outside_unchanged(&tile, tile_before));
    else
        assert_memory_equal(tile.data, tile_before, (size_t)pto_tile_type_bytes(&type));
    assert_memory_equal(t.buffer, memory, bytes);
    free(memory);
    free(tile_before);
    free(t.buffer);
}

static void each(bool load) {
    for (int t = PTO_TARGET_A2A3; t <= PTO_TARGET_A5; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        testing_random random = {(uint64_t)t + 50 + load};
        for (int d = 0; d < DTYPES; d++) {
            int legal = 0;
            for (int i = 0; i < PAIRS; i++)
                legal += targets_of(&pairs[i], d, load) >> t & 1;
            assert_int_equal(legal > 0, t == PTO_TARGET_A5 || d < STANDARD);
            for (int i = 0; i < PAIRS; i++)
                for (int s = 0; s <= SHAPES / (legal ? legal : 1) && targets_of(&pairs[i], d, load) >> t & 1;
                     s++) {
                    check(core, (pto_target)t, &random, &pairs[i], dtypes[d], load);
                    if (s % 32 == 0)
                        pto_core_reset(core);
                }
            pto_core_reset(core);
        }
        pto_core_destroy(core);
    }
}

static void test_loads(void **state) {
    (void)state;
    each(true);
}

static void test_stores(void **state) {
    (void)state;
    each(false);
}

/* ---- all other pairs, and types -------------------------------------------------------------------- */

static void test_every_other_pair_is_refused(void **state) {
    (void)state;
    static uint8_t buffer[1 << 15];
    for (int t = PTO_TARGET_A2A3; t <= PTO_TARGET_A5; t++)
        for (int d = 0; d < DTYPES; d++)
            for (int mat = 0; mat < 2; mat++)
                for (int tile_layout = 0; tile_layout < TESTING_LAYOUT_COUNT; tile_layout++)
                    for (int layout = 0; layout < 3; layout++) {
                        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BASE);
                        pto_dtype dtype = dtypes[d];
                        int64_t c0 = 256 / (int64_t)pto_dtype_bits(dtype);
                        pto_loc loc = mat ? PTO_LOC_MAT : PTO_LOC_VEC;
                        pto_global g = pto_global_make_2d(buffer, dtype, (pto_layout)layout, 64, 64, 64);
                        if (layout == PTO_LAYOUT_NZ)
                            g = (pto_global){.dtype = dtype,
                                             .layout = PTO_LAYOUT_NZ,
                                             .shape = {1, 64 / c0, 4, 16, c0},
                                             .stride = {4096, 64 * c0, 16 * c0, c0, 1},
                                             .data = buffer};
                        pto_tile tile =
                            pto_tile_make(testing_type(loc, dtype, (testing_layout)tile_layout, 64, 64));
                        int load = 0, store = 0;
                        for (int i = 0; i < PAIRS; i++)
                            if (pairs[i].loc == loc && pairs[i].tile == (testing_layout)tile_layout &&
                                pairs[i].tensor == (pto_layout)layout) {
                                load = targets_of(&pairs[i], d, true);
                                store = targets_of(&pairs[i], d, false);
                            }
                        pto_status status = TESTING_EXECUTE(core, PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&g));
                        if ((status == PTO_OK) != (load >> t & 1))
                            fail_msg("load of %s into tile layout %d in %s from layout %d on %s",
                                     pto_dtype_name(dtype), tile_layout, pto_loc_name(loc), layout,
                                     pto_target_name((pto_target)t));
                        status = TESTING_EXECUTE(core, PTO_FORM_TSTORE, GLOBAL(&g), TILE(&tile));
                        if ((status == PTO_OK) != (store >> t & 1))
                            fail_msg("store of %s from tile layout %d in %s to layout %d on %s",
                                     pto_dtype_name(dtype), tile_layout, pto_loc_name(loc), layout,
                                     pto_target_name((pto_target)t));
                        pto_core_destroy(core);
                    }
}

/* AtomicAdd: the types of part 30 on every target, from every memory that stores. */
static void test_atomics(void **state) {
    (void)state;
    static const uint32_t added =
        1u << PTO_F16 | 1u << PTO_BF16 | 1u << PTO_F32 | 1u << PTO_S8 | 1u << PTO_S16 | 1u << PTO_S32;
    static uint8_t buffer[8192];
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        for (int d = 0; d < DTYPES; d++) {
            pto_core *core = testing_core((pto_target)t, PTO_SIMD_BASE);
            if (t == PTO_TARGET_A2A3 && d >= STANDARD) {
                pto_core_destroy(core);
                continue;
            }
            pto_tile tile = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, dtypes[d], 4, 64));
            pto_global g = pto_global_make_2d(buffer, dtypes[d], PTO_LAYOUT_ND, 4, 64, 64);
            testing_expect(core,
                           TESTING_EXECUTE(core, PTO_FORM_TSTORE, GLOBAL(&g), TILE(&tile), ATTR(0), ATTR(1)),
                           added >> dtypes[d] & 1 ? NULL : "PTO-E0713", __FILE__, __LINE__);
            pto_core_destroy(core);
        }
}

/* Counts at both sides of their limits that other tests do not reach. */
static void test_limits(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        bool npu = t != PTO_TARGET_CPU, a2a3 = t == PTO_TARGET_A2A3;
        pto_core *core = testing_core(target, PTO_SIMD_BASE);
        uint8_t *buffer = calloc(1, 1 << 20);
        /* rows of mat */
        for (int32_t rows = 16384; rows <= 16416; rows += 32) {
            pto_tile_type type = testing_type(PTO_LOC_MAT, PTO_U8, TESTING_DN, rows, 1);
            pto_tile tile = pto_tile_make_valid(type, 32, 1);
            pto_global g = pto_global_make_2d(buffer, PTO_U8, PTO_LAYOUT_DN, 32, 1, 32);
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&g)),
                           npu && rows > 16384 ? "PTO-E0708" : NULL, __FILE__, __LINE__);
        }
        /* a2a3: pitch 65535 of the repacking engine; extents of one batch */
        pto_tile nz = pto_tile_make(testing_type(PTO_LOC_MAT, PTO_U8, TESTING_NZ, 16, 32));
        for (int64_t pitch = 65535; pitch <= 65536; pitch++) {
            pto_global g = pto_global_make_2d(buffer, PTO_U8, PTO_LAYOUT_ND, 16, 32, pitch);
            testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TLOAD, TILE(&nz), GLOBAL(&g)),
                           a2a3 && pitch > 65535 ? "PTO-E0708" : NULL, __FILE__, __LINE__);
        }
        /* accumulators: rows into ND and into NZ */
        for (int32_t rows = 8192; rows <= 8208; rows += 16) {
            pto_options options = {.target = target, .memory_bytes = {[PTO_LOC_ACC] = 1 << 20}};
            pto_core *large = pto_core_create(&options);
            pto_tile acc = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, rows, 16), 16, 16);
            pto_global nd = pto_global_make_2d(buffer, PTO_F32, PTO_LAYOUT_ND, 16, 16, 16);
            pto_global fractal = {.dtype = PTO_F32,
                                  .layout = PTO_LAYOUT_NZ,
                                  .shape = {1, 1, 1, 16, 16},
                                  .stride = {256, 256, 256, 16, 1},
                                  .data = buffer};
            testing_expect(large, TESTING_EXECUTE(large, PTO_FORM_TSTORE, GLOBAL(&nd), TILE(&acc)),
                           npu && rows > 8192 ? "PTO-E0708" : NULL, __FILE__, __LINE__);
            testing_expect(large, TESTING_EXECUTE(large, PTO_FORM_TSTORE, GLOBAL(&fractal), TILE(&acc)), NULL,
                           __FILE__, __LINE__);
            pto_core_destroy(large);
        }
        free(buffer);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads), cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_every_other_pair_is_refused),
                                       cmocka_unit_test(test_atomics), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
