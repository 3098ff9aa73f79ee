/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution tiles: loads, stores, transposes, windows and fills in every pair of layouts, element by
 * element against the definitions of the layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/conv.h"
#include <pto/ops.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define L(name) PTO_LAYOUT_##name
enum { CPU = 1, A2A3 = 2, A5 = 4, SHAPES = 200 };

static const pto_dtype dtypes[] = {PTO_S8,  PTO_U8,   PTO_S16, PTO_U16,  PTO_S32, PTO_U32,
                                   PTO_F16, PTO_BF16, PTO_F32, PTO_E4M3, PTO_E5M2};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static bool has_type(pto_target target, pto_dtype dtype) {
    return target != PTO_TARGET_A2A3 || (dtype != PTO_E4M3 && dtype != PTO_E5M2);
}

static int32_t some(testing_random *random, uint32_t most) {
    return 1 + (int32_t)testing_below(random, most);
}

/* Copies look at no value: any bytes do. */
static void random_bytes(testing_random *random, void *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = testing_next(random);
        memcpy((char *)data + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
}

/* A convolution tile in a place of its own with random bytes, and what it held. */
typedef struct conv_tile {
    pto_conv conv;
    pto_tile tile;
    int64_t dims[6], elements;
    uint8_t *before;
} conv_tile;

static void open_tile(conv_tile *t, pto_core *core, testing_random *random, pto_loc loc, pto_dtype dtype,
                      pto_layout layout, int rank, const int64_t *dims) {
    int32_t shape[6];
    for (int i = 0; i < rank; i++) {
        shape[i] = (int32_t)dims[i];
        t->dims[i] = dims[i];
    }
    t->conv = pto_conv_make(layout, rank, shape);
    t->elements = pto_conv_elements(&t->conv);
    pto_tile_type type = pto_tile_type_conv(loc, dtype, &t->conv);
    type.cols += 32 * (int32_t)testing_below(random, 2); /* a buffer larger than the tensor */
    type.valid_cols = type.cols;
    t->tile = pto_tile_make(type);
    assert_int_equal(pto_tile_bind(core, &t->tile), PTO_OK);
    random_bytes(random, t->tile.data, (size_t)pto_tile_type_bytes(&type));
    t->before = testing_snapshot(&t->tile);
}

static void close_tile(conv_tile *t) { free(t->before); }

/* Everything in the tile is `want`, and what lies behind the tensor is as it was. */
static void check_tile(const conv_tile *t, const uint64_t *want, const char *what) {
    pto_dtype dtype = t->tile.type.dtype;
    for (int64_t i = 0; i < t->tile.type.cols; i++) {
        uint64_t expected = i < t->elements ? want[i] : testing_load(t->before, dtype, i);
        if (testing_load(t->tile.data, dtype, i) != expected)
            fail_msg("%s of %s: element %lld of %s", what, pto_dtype_name(dtype), (long long)i,
                     pto_layout_name(t->conv.layout));
    }
}

/* A tensor in global memory with gaps, filled at random. */
typedef struct tensor {
    pto_global global;
    int rank, first;
    int64_t elements;
    void *buffer, *before;
    size_t bytes;
} tensor;

static void open_tensor(tensor *t, testing_random *random, pto_dtype dtype, pto_layout layout, int rank,
                        const int64_t *dims, bool packed) {
    bool six = layout == L(NDC1HWC0);
    t->rank = six ? 5 : rank;
    t->first = t->rank == 4 ? 1 : 0;
    t->global = (pto_global){.dtype = dtype, .layout = layout, .shape = {1, 1, 1, 1, 1}};
    int64_t step = six ? dims[5] : 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->global.shape[t->first + i] = dims[i];
        t->global.stride[t->first + i] = step;
        step = step * dims[i] + (packed || testing_below(random, 3) ? 0 : testing_below(random, 9));
    }
    if (t->first)
        t->global.stride[0] = step;
    t->elements = step + 8;
    t->bytes = (size_t)t->elements * pto_dtype_bits(dtype) / 8;
    t->buffer = malloc(t->bytes);
    t->before = malloc(t->bytes);
    assert_true(t->buffer && t->before);
    random_bytes(random, t->buffer, t->bytes);
    memcpy(t->before, t->buffer, t->bytes);
    t->global.data = t->buffer;
    t->global.begin = t->buffer;
    t->global.end = (char *)t->buffer + t->bytes;
}

static void close_tensor(tensor *t) {
    free(t->buffer);
    free(t->before);
}

static int64_t tensor_offset(const tensor *t, const int64_t *index) {
    int64_t at = t->global.layout == L(NDC1HWC0) ? index[5] : 0;
    for (int i = 0; i < t->rank; i++)
        at += index[i] * t->global.stride[t->first + i];
    return at;
}

/* Calls `visit` for every element of a tensor by its meaning. */
#define EACH(t, x)                                                                                           \
    for (x.g = 0; x.g < (t).g; x.g++)                                                                        \
        for (x.n = 0; x.n < (t).n; x.n++)                                                                    \
            for (x.d = 0; x.d < (t).d; x.d++)                                                                \
                for (x.c = 0; x.c < (t).c; x.c++)                                                            \
                    for (x.h = 0; x.h < (t).h; x.h++)                                                        \
                        for (x.w = 0; x.w < (t).w; x.w++)

typedef struct pair {
    pto_layout to, from;
    int targets;
    bool five;
} pair;

static conv_tensor some_tensor(testing_random *random, pair p, int64_t c0) {
    bool deep = p.to == L(NDC1HWC0) || p.to == L(FRACTAL_Z_3D) || p.from == L(NCDHW);
    bool groups = p.from == L(GNCHW) || p.from == L(GNC1HWC0);
    bool fractal = p.to == L(FRACTAL_Z) || p.to == L(FRACTAL_Z_3D);
    bool many = fractal && testing_below(random, 2);
    uint32_t size = many ? 2 : testing_below(random, 8) ? 4 : 9;
    return (conv_tensor){.g = groups ? some(random, 2) : 1,
                         .n = some(random, many ? 33 : 2),
                         .d = deep ? some(random, 2) : 1,
                         .c = some(random, (uint32_t)c0 * 3 / 2),
                         .h = some(random, size),
                         .w = some(random, size)};
}

/* ---- TLOAD --------------------------------------------------------------------------------------- */

static const pair loads[] = {{L(NC1HWC0), L(NC1HWC0), CPU | A2A3 | A5, false},
                             {L(NDC1HWC0), L(NDC1HWC0), CPU | A2A3, false},
                             {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, false},
                             {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, true},
                             {L(FRACTAL_Z_3D), L(FRACTAL_Z_3D), CPU | A2A3, false},
                             {L(NC1HWC0), L(NHWC), CPU | A5, false},
                             {L(NC1HWC0), L(NCHW), CPU | A5, false},
                             {L(FRACTAL_Z), L(NCHW), CPU | A5, false},
                             {L(FRACTAL_Z), L(NCHW), CPU | A5, true},
                             {L(FRACTAL_Z_3D), L(NCDHW), CPU | A5, false},
                             {L(NDC1HWC0), L(NCDHW), CPU | A5, false}};
enum { LOADS = sizeof loads / sizeof *loads };

/* Copies between equal layouts: the tile is a corner of the tensor. */
static void check_copy(pto_core *core, pto_target target, testing_random *random, pair p, pto_dtype dtype,
                       bool store) {
    int64_t c0 = 256 / (int64_t)pto_dtype_bits(dtype), dims[6], outer[6];
    conv_tensor t = some_tensor(random, p, c0);
    int rank = conv_dims(p.to, p.five, t, c0, dims);
    for (int i = 0; i < rank; i++) {
        bool fixed = i == rank - 1 || (rank == 4 && i == 2) || (p.five && (i == 1 || i == 2)) ||
                     target == PTO_TARGET_A5;
        outer[i] = dims[i] + (fixed ? 0 : testing_below(random, 3));
    }
    tensor gm;
    conv_tile tile;
    open_tensor(&gm, random, dtype, p.from, rank, outer, false);
    open_tile(&tile, core, random,
              target == PTO_TARGET_CPU && testing_below(random, 2) ? PTO_LOC_VEC : PTO_LOC_MAT, dtype, p.to,
              rank, dims);
    uint64_t *want = malloc((size_t)tile.elements * sizeof *want);
    uint8_t *want_gm = malloc(gm.bytes);
    assert_true(want && want_gm);
    memcpy(want_gm, gm.before, gm.bytes);
    for (int64_t e = 0; e < tile.elements; e++) {
        int64_t index[6] = {0}, rest = e;
        for (int i = rank - 1; i >= 0; i--) {
            index[i] = rest % dims[i];
            rest /= dims[i];
        }
        int64_t at = tensor_offset(&gm, index);
        want[e] = testing_load(store ? tile.before : gm.before, dtype, store ? e : at);
        if (store)
            testing_store(want_gm, dtype, at, want[e]);
    }
    testing_expect(core,
                   store ? TESTING_EXECUTE(core, PTO_FORM_TSTORE_CONV, GLOBAL(&gm.global), TILE(&tile.tile))
                         : TESTING_EXECUTE(core, PTO_FORM_TLOAD_CONV, TILE(&tile.tile), GLOBAL(&gm.global)),
                   NULL, __FILE__, __LINE__);
    check_tile(&tile, want, store ? "store" : "load");
    assert_memory_equal(gm.buffer, want_gm, gm.bytes);
    free(want);
    free(want_gm);
    close_tile(&tile);
    close_tensor(&gm);
}

static void check_reorder(pto_core *core, testing_random *random, pair p, pto_dtype dtype) {
    int64_t c0 = 256 / (int64_t)pto_dtype_bits(dtype), from[6], to[6];
    conv_tensor t = some_tensor(random, p, c0), room = t, x;
    if (testing_below(random, 3) == 0) /* more channels than there are */
        room.c += c0;
    int from_rank = conv_dims(p.from, false, t, c0, from), rank = conv_dims(p.to, p.five, room, c0, to);
    bool fractal = p.to == L(FRACTAL_Z) || p.to == L(FRACTAL_Z_3D);
    if (fractal && !p.five)
        to[1] += testing_below(random, 2); /* more images */
    tensor gm;
    conv_tile tile;
    open_tensor(&gm, random, dtype, p.from, from_rank, from, fractal);
    open_tile(&tile, core, random, PTO_LOC_MAT, dtype, p.to, rank, to);
    uint64_t *want = calloc((size_t)tile.elements, sizeof *want);
    assert_non_null(want);
    EACH(t, x) {
        int64_t source[6], index[6];
        conv_index(p.from, false, t, c0, true, x, source);
        conv_index(p.to, p.five, room, c0, true, x, index);
        want[conv_dense(rank, to, index)] = testing_load(gm.before, dtype, tensor_offset(&gm, source));
    }
    testing_expect(core, TESTING_EXECUTE(core, PTO_FORM_TLOAD_CONV, TILE(&tile.tile), GLOBAL(&gm.global)),
                   NULL, __FILE__, __LINE__);
    check_tile(&tile, want, "load");
    assert_memory_equal(gm.buffer, gm.before, gm.bytes);
    free(want);
    close_tile(&tile);
    close_tensor(&gm);
}

/* Runs `check` SHAPES times for each type on each target of a pair: on cpu once at every level. */
#define FOR_EACH(pairs, count, has, call)                                                                    \
    do {                                                                                                     \
        int levels;                                                                                          \
        const pto_simd_level *level = testing_levels(&levels);                                               \
        for (int t = 0; t < PTO_TARGET_COUNT; t++)                                                           \
            for (int l = 0; l < levels; l++) {                                                               \
                pto_target target = (pto_target)t;                                                           \
                pto_core *core = testing_core(target, level[l]);                                             \
                testing_random state = {(uint64_t)t + 1}, *random = &state;                                  \
                for (int i = 0; i < (count); i++)                                                            \
                    for (int d = 0; d < DTYPES && (pairs)[i].targets >> t & 1; d++)                          \
                        for (int s = 0; s < 3 * SHAPES / (count) / levels + 1 && has; s++) {                 \
                            pair p = (pairs)[i];                                                             \
                            pto_dtype dtype = dtypes[d];                                                     \
                            call;                                                                            \
                            if (s % 32 == 0)                                                                 \
                                pto_core_reset(core);                                                        \
                        }                                                                                    \
                pto_core_destroy(core);                                                                      \
            }                                                                                                \
    } while (0)

static void test_loads(void **unused) {
    (void)unused;
    FOR_EACH(loads, LOADS, has_type(target, dtypes[d]),
             p.to == p.from ? check_copy(core, target, random, p, dtype, false)
                            : check_reorder(core, random, p, dtype));
}

static void test_stores(void **unused) {
    (void)unused;
    static const pair stores[] = {{L(NC1HWC0), L(NC1HWC0), CPU, false},
                                  {L(NDC1HWC0), L(NDC1HWC0), CPU, false}};
    FOR_EACH(stores, 2, true, check_copy(core, target, random, p, dtype, true));
}

/* ---- TTRANS -------------------------------------------------------------------------------------- */

static void check_transpose(pto_core *core, pto_target target, testing_random *random, pair p,
                            pto_dtype dtype) {
    int64_t bits = pto_dtype_bits(dtype), c0 = testing_below(random, 4) ? 256 / bits : 4, from[6], to[6];
    conv_tensor t = some_tensor(random, p, c0), room = t, x;
    bool back = p.to == L(NCHW) || p.to == L(GNCHW);
    if (target != PTO_TARGET_CPU && p.to == L(NC1HWC0)) /* planes of 32 bytes */
        t.w = room.w = 256 / bits;
    bool split = p.from == L(NC1HWC0) || p.from == L(GNC1HWC0);
    if (split)
        t.c = (t.c + c0 - 1) / c0 * c0; /* C of the source is C1 * C0 */
    room.c = back ? t.c - testing_below(random, (uint32_t)c0) : t.c + (testing_below(random, 3) ? 0 : c0);
    int from_rank = conv_dims(p.from, false, t, c0, from), rank = conv_dims(p.to, p.five, room, c0, to);
    conv_tile dst, src;
    open_tile(&dst, core, random, PTO_LOC_VEC, dtype, p.to, rank, to);
    open_tile(&src, core, random, PTO_LOC_VEC, dtype, p.from, from_rank, from);
    pto_tile tmp = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_S8, 1, 65536));
    uint64_t *want = calloc((size_t)dst.elements, sizeof *want);
    assert_non_null(want);
    conv_tensor common = t;
    common.c = t.c < room.c ? t.c : room.c;
    EACH(common, x) {
        int64_t source[6], index[6];
        conv_index(p.from, false, t, c0, false, x, source);
        conv_index(p.to, p.five, room, c0, false, x, index);
        want[conv_dense(rank, to, index)] =
            testing_load(src.before, dtype, conv_dense(from_rank, from, source));
    }
    testing_expect(core,
                   TESTING_EXECUTE(core, PTO_FORM_TTRANS_CONV, TILE(&dst.tile), TILE(&src.tile),
                                   TILE(target == PTO_TARGET_A2A3 ? &tmp : NULL)),
                   NULL, __FILE__, __LINE__);
    check_tile(&dst, want, "transpose");
    assert_memory_equal(src.tile.data, src.before, (size_t)pto_tile_type_bytes(&src.tile.type));
    free(want);
    close_tile(&dst);
    close_tile(&src);
}

static void test_transposes(void **unused) {
    (void)unused;
    static const pair transposes[] = {{L(NC1HWC0), L(NCHW), CPU | A2A3 | A5, false},
                                      {L(NCHW), L(NC1HWC0), CPU | A2A3, false},
                                      {L(GNC1HWC0), L(GNCHW), CPU | A2A3 | A5, false},
                                      {L(GNCHW), L(GNC1HWC0), CPU | A2A3, false},
                                      {L(FRACTAL_Z), L(NC1HWC0), CPU | A2A3 | A5, false},
                                      {L(FRACTAL_Z), L(NC1HWC0), CPU | A2A3 | A5, true},
                                      {L(FRACTAL_Z), L(GNC1HWC0), CPU | A2A3 | A5, false},
                                      {L(FRACTAL_Z_3D), L(NCDHW), CPU | A2A3, false}};
    FOR_EACH(transposes, 8, dtypes[d] != PTO_E4M3 && dtypes[d] != PTO_E5M2,
             check_transpose(core, target, random, p, dtype));
}

/* ---- TEXTRACT, TEXPANDS -------------------------------------------------------------------------- */

static void check_window(pto_core *core, pto_target target, testing_random *random, pair p, pto_dtype dtype) {
    int64_t c0 = 256 / (int64_t)pto_dtype_bits(dtype), dims[6];
    conv_tensor t = some_tensor(random, p, c0);
    int rank = conv_dims(p.to, p.five, t, c0, dims);
    conv_tile src;
    open_tile(&src, core, random, PTO_LOC_MAT, dtype, p.to, rank, dims);
    int64_t n = p.five ? t.n : dims[1] * 16, k = src.elements / n;
    bool cpu = target == PTO_TARGET_CPU;
    int64_t row = cpu ? testing_below(random, (uint32_t)k) : testing_below(random, (uint32_t)(k / c0)) * c0;
    int64_t col =
        cpu ? testing_below(random, (uint32_t)n) : testing_below(random, (uint32_t)((n + 15) / 16)) * 16;
    int32_t rows = some(random, (uint32_t)(k - row)), cols = some(random, (uint32_t)(n - col));
    if (testing_below(random, 8) == 0)
        rows = cols = 1;
    testing_layout layout = cpu ? (testing_layout)testing_below(random, TESTING_LAYOUT_COUNT) : TESTING_ZN;
    pto_tile_type type = testing_type_around(random, PTO_LOC_RIGHT, dtype, layout, rows, cols, 1);
    if (pto_tile_type_bytes(&type) > 65536) {
        close_tile(&src);
        return;
    }
    pto_tile dst = testing_tile(core, random, type, rows, cols);
    uint8_t *before = testing_snapshot(&dst);
    testing_expect(core,
                   TESTING_EXECUTE(core, PTO_FORM_TEXTRACT_CONV, TILE(&dst), TILE(&src.tile),
                                   testing_int_operand(PTO_U16, row), testing_int_operand(PTO_U16, col)),
                   NULL, __FILE__, __LINE__);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            int64_t kk = row + r, nn = col + c; /* [K / C0][N][C0], N split or not */
            uint64_t want = testing_load(src.before, dtype, (kk / c0 * n + nn) * c0 + kk % c0);
            assert_int_equal(testing_get(&dst, r, c), want);
        }
    assert_true(testing_outside_unchanged(&dst, before));
    free(before);
    close_tile(&src);
}

static void test_windows(void **unused) {
    (void)unused;
    static const pair windows[] = {{L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, false},
                                   {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, true},
                                   {L(FRACTAL_Z_3D), L(FRACTAL_Z_3D), CPU | A2A3 | A5, false}};
#define WINDOW_TYPE(d) ((d) == PTO_S8 || (d) == PTO_F16 || (d) == PTO_BF16 || (d) == PTO_F32)
    FOR_EACH(windows, 3,
             (target == PTO_TARGET_CPU || WINDOW_TYPE(dtypes[d]) || (target == PTO_TARGET_A5 && d > 8)),
             check_window(core, target, random, p, dtype));
}

/* fp4 boxes are 64 values wide. */
static void test_windows_of_small_floats(void **unused) {
    (void)unused;
    static const pto_dtype small[] = {PTO_E2M1, PTO_E1M2, PTO_E8M0, PTO_HIF8};
    static const pto_target on[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    testing_random random = {4};
    for (int t = 0; t < 2; t++) {
        pto_core *core = testing_core(on[t], PTO_SIMD_BEST);
        for (int d = 0; d < 4; d++)
            for (int s = 0; s < SHAPES + 10; s++) {
                check_window(core, on[t], &random, (pair){L(FRACTAL_Z), L(FRACTAL_Z), CPU | A5, false},
                             small[d]);
                pto_core_reset(core);
            }
        pto_core_destroy(core);
    }
}

static void check_fill(pto_core *core, testing_random *random, pair p, pto_dtype dtype) {
    int64_t c0 = 256 / (int64_t)pto_dtype_bits(dtype), dims[6];
    int rank = conv_dims(p.to, p.five, some_tensor(random, p, c0), c0, dims);
    conv_tile dst;
    open_tile(&dst, core, random, PTO_LOC_MAT, dtype, p.to, rank, dims);
    bool is_float = pto_dtype_is_float(dtype);
    int64_t value = (int64_t)testing_below(random, 100);
    pto_scalar scalar = {.dtype = is_float ? PTO_F32 : PTO_S64, .i = value, .f = 0.5};
    uint64_t bits = !is_float          ? (uint64_t)value
                    : dtype == PTO_F32 ? 0x3f000000
                    : dtype == PTO_F16 ? 0x3800
                                       : 0x3f00;
    uint64_t *want = malloc((size_t)dst.elements * sizeof *want);
    for (int64_t i = 0; i < dst.elements; i++)
        want[i] = bits;
    testing_expect(core,
                   TESTING_EXECUTE(core, PTO_FORM_TEXPANDS_CONV, TILE(&dst.tile),
                                   (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = scalar}),
                   NULL, __FILE__, __LINE__);
    check_tile(&dst, want, "fill");
    free(want);
    close_tile(&dst);
}

static void test_fills(void **unused) {
    (void)unused;
    static const pair fills[] = {{L(NC1HWC0), L(NC1HWC0), CPU | A2A3 | A5, false},
                                 {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, true},
                                 {L(FRACTAL_Z), L(FRACTAL_Z), CPU | A2A3 | A5, false},
                                 {L(NDC1HWC0), L(NDC1HWC0), CPU | A5, false},
                                 {L(FRACTAL_Z_3D), L(FRACTAL_Z_3D), CPU | A5, false},
                                 {L(NHWC), L(NHWC), CPU, false},
                                 {L(NCDHW), L(NCDHW), CPU, false}};
    FOR_EACH(fills, 7, d < 9, check_fill(core, random, p, dtype));
    static const pto_dtype wide[] = {PTO_S64, PTO_U64};
    static const pto_target on[] = {PTO_TARGET_CPU, PTO_TARGET_A5};
    testing_random state = {5};
    for (int t = 0; t < 2; t++) {
        pto_core *wide_core = testing_core(on[t], PTO_SIMD_BEST);
        for (int s = 0; s < 2 * SHAPES; s++) {
            check_fill(wide_core, &state, fills[s % 5], wide[s / 5 % 2]);
            pto_core_reset(wide_core);
        }
        pto_core_destroy(wide_core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_stores),
                                       cmocka_unit_test(test_transposes),
                                       cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_windows_of_small_floats),
                                       cmocka_unit_test(test_fills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
