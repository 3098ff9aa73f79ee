/* SPDX-License-Identifier: Apache-2.0 */
/* TSTORE of ordinary tiles into convolution layouts (00-model, 6.4): every element of the tensor against the
 * coordinate that the table of the specification gives it, its value being that of a store into ND. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/tile_testing.h"
#include <pto/functions.h>

#include <stdlib.h>
#include <string.h>

#define L(name) PTO_LAYOUT_##name
static const pto_layout layouts[] = {L(NC1HWC0), L(NDC1HWC0), L(NHWC), L(NCHW), L(NCDHW)};

/* Row and column of index i (with `in` behind it) of a tensor of shape s. */
static void coordinate(pto_layout layout, const int64_t *s, const int64_t *i, int64_t c0, int64_t in,
                       int64_t *r, int64_t *c) {
    switch (layout) {
    case L(NC1HWC0):
        *r = (i[0] * s[2] + i[2]) * s[3] + i[3];
        *c = i[1] * s[4] + i[4];
        break;
    case L(NDC1HWC0):
        *r = (i[0] * s[3] + i[3]) * s[4] + i[4];
        *c = (i[1] * s[2] + i[2]) * c0 + in;
        break;
    case L(NHWC):
        *r = (i[1] * s[2] + i[2]) * s[3] + i[3];
        *c = i[4];
        break;
    case L(NCHW):
        *r = (i[1] * s[3] + i[3]) * s[4] + i[4];
        *c = i[2];
        break;
    default:
        *r = ((i[0] * s[2] + i[2]) * s[3] + i[3]) * s[4] + i[4];
        *c = i[1];
        break;
    }
}

typedef enum form { PLAIN, ATOMIC, WORD, TABLE } form;

static pto_status store(pto_core *core, form f, pto_global *g, pto_tile *src, pto_tile *fp) {
    switch (f) {
    case PLAIN:
    case ATOMIC:
        return pto_tstore(core, g, src, 0, f == ATOMIC, 0);
    case WORD: /* scale 1 */
        return pto_tstore_prequant(
            core, g, src, (pto_scalar){.dtype = PTO_U64, .i = 0x3f800000 | INT64_C(1) << 46}, 0, 0, 0);
    default:
        return pto_tstore_fp(core, g, src, fp, 0, 0);
    }
}

static void check(pto_core *core, testing_random *random, form f, pto_layout layout, pto_loc loc,
                  pto_dtype from, pto_dtype to) {
    bool acc = loc == PTO_LOC_ACC;
    int64_t c0 = acc && to == PTO_S32 ? 16 : 256 / (int64_t)pto_dtype_bits(to), inner = 1;
    pto_global g = {.dtype = to, .layout = layout};
    int64_t *s = g.shape;
    for (int d = 0; d < 5; d++)
        s[d] = 1 + testing_below(random, 3);
    if (layout == L(NC1HWC0))
        s[4] = c0;
    else if (layout == L(NDC1HWC0))
        inner = c0;
    else
        s[layout == L(NHWC) ? 4 : layout == L(NCHW) ? 2 : 1] = 1 + testing_below(random, 40);
    if (layout == L(NHWC) || layout == L(NCHW))
        s[0] = 1;
    int64_t step = inner, rows = 0, cols = 0;
    for (int d = 4; d >= 0; d--) {
        g.stride[d] = step;
        step = step * s[d] + (testing_below(random, 3) ? 0 : testing_below(random, 5));
    }
    int64_t last[5] = {s[0] - 1, s[1] - 1, s[2] - 1, s[3] - 1, s[4] - 1};
    coordinate(layout, s, last, c0, inner - 1, &rows, &cols);
    rows++;
    cols++;
    size_t bytes = (size_t)(step + 8) * pto_dtype_bits(to) / 8,
           dense = (size_t)(rows * cols) * pto_dtype_bits(to) / 8;
    uint8_t *memory = malloc(bytes), *want = malloc(bytes), *flat = calloc(1, dense);
    assert_true(memory && want && flat);
    for (size_t i = 0; i < bytes; i++)
        memory[i] = f == ATOMIC ? 0 : (uint8_t)testing_next(random);
    memcpy(want, memory, bytes);
    g.data = memory;
    g.begin = memory;
    g.end = memory + bytes;
    testing_layout tile_layout =
        acc ? TESTING_NZ : (testing_layout)testing_below(random, TESTING_LAYOUT_COUNT);
    pto_tile_type type = testing_type_around(random, loc, from, tile_layout, (int32_t)rows, (int32_t)cols, 1);
    pto_tile src = testing_tile(core, random, type, (int32_t)rows, (int32_t)cols);
    if (f == WORD || f == TABLE || f == ATOMIC) /* small numbers */
        for (int32_t r = 0; r < type.rows; r++)
            for (int32_t c = 0; c < type.cols; c++)
                testing_set(&src, r, c,
                            from == PTO_F32 ? 0x40000000 + (testing_next(random) & 0xffffff)
                                            : testing_below(random, 100));
    pto_tile fp = testing_tile(core, NULL, pto_tile_type_make(PTO_LOC_SCALING, PTO_U64, 1, 512), 1, 512);
    for (int32_t c = 0; c < 512; c++) /* scales of 1 to 16 */
        testing_set(&fp, 0, c, 0x3f800000 + ((uint64_t)c << 16) + (UINT64_C(1) << 46));
    pto_global nd = pto_global_make_2d(flat, to, L(ND), rows, cols, cols);
    testing_expect(core, store(core, f, &nd, &src, &fp), NULL, __FILE__, __LINE__);
    testing_expect(core, store(core, f, &g, &src, &fp), NULL, __FILE__, __LINE__);
    int64_t i[5], in;
    for (i[0] = 0; i[0] < s[0]; i[0]++)
        for (i[1] = 0; i[1] < s[1]; i[1]++)
            for (i[2] = 0; i[2] < s[2]; i[2]++)
                for (i[3] = 0; i[3] < s[3]; i[3]++)
                    for (i[4] = 0; i[4] < s[4]; i[4]++)
                        for (in = 0; in < inner; in++) {
                            int64_t at = in, r, c;
                            for (int d = 0; d < 5; d++)
                                at += i[d] * g.stride[d];
                            coordinate(layout, s, i, c0, in, &r, &c);
                            testing_store(want, to, at, testing_load(flat, to, r * cols + c));
                        }
    if (memcmp(memory, want, bytes))
        fail_msg("%s from %s in %s to %s", pto_layout_name(layout), pto_dtype_name(from), pto_loc_name(loc),
                 pto_dtype_name(to));
    free(memory);
    free(want);
    free(flat);
}

static void test_values(void **state) {
    (void)state;
    static const struct {
        form f;
        pto_loc loc;
        pto_dtype from, to;
    } cases[] = {{PLAIN, PTO_LOC_ACC, PTO_F32, PTO_F32},  {PLAIN, PTO_LOC_ACC, PTO_F32, PTO_F16},
                 {PLAIN, PTO_LOC_ACC, PTO_F32, PTO_BF16}, {PLAIN, PTO_LOC_ACC, PTO_S32, PTO_S32},
                 {ATOMIC, PTO_LOC_ACC, PTO_F32, PTO_F32}, {ATOMIC, PTO_LOC_ACC, PTO_S32, PTO_S32},
                 {WORD, PTO_LOC_ACC, PTO_F32, PTO_S8},    {WORD, PTO_LOC_ACC, PTO_S32, PTO_F16},
                 {TABLE, PTO_LOC_ACC, PTO_F32, PTO_S8},   {TABLE, PTO_LOC_ACC, PTO_S32, PTO_F16},
                 {PLAIN, PTO_LOC_VEC, PTO_F32, PTO_F32},  {PLAIN, PTO_LOC_MAT, PTO_S8, PTO_S8},
                 {PLAIN, PTO_LOC_VEC, PTO_U16, PTO_F16},  {PLAIN, PTO_LOC_VEC, PTO_S64, PTO_U64}};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        testing_random random = {31};
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
                for (int s = 0; s < 70; s++) {
                    check(core, &random, cases[k].f, layouts[i], cases[k].loc, cases[k].from, cases[k].to);
                    if (s % 16 == 0)
                        pto_core_reset(core);
                }
        pto_core_destroy(core);
    }
}

/* ---- rules --------------------------------------------------------------------------------------- */

static uint8_t buffer[1 << 16];

static pto_global tensor(pto_dtype dtype, pto_layout layout, const int64_t shape[5], int64_t inner) {
    pto_global g = {
        .dtype = dtype, .layout = layout, .data = buffer, .begin = buffer, .end = buffer + sizeof buffer};
    for (int d = 4; d >= 0; d--) {
        g.shape[d] = shape[d];
        g.stride[d] = inner;
        inner *= shape[d];
    }
    return g;
}

static void test_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        bool cpu = t == PTO_TARGET_CPU, a5 = t == PTO_TARGET_A5;
        pto_tile acc = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, 16, 16), 6, 16);
        pto_tile vec = pto_tile_make_valid(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 16), 6, 16);
        static const struct {
            pto_layout layout;
            int64_t shape[5], inner;
            bool on_a5;
        } good[] = {{L(NC1HWC0), {1, 1, 2, 3, 16}, 1, false},
                    {L(NDC1HWC0), {1, 1, 2, 2, 3}, 8, false},
                    {L(NHWC), {1, 1, 2, 3, 16}, 1, true},
                    {L(NCHW), {1, 1, 16, 2, 3}, 1, true},
                    {L(NCDHW), {1, 16, 1, 2, 3}, 1, true}};
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            pto_global g = tensor(PTO_F32, good[i].layout, good[i].shape, good[i].inner);
            bool fits = cpu || good[i].on_a5 == a5;
            testing_expect(core, pto_tstore(core, &g, &acc, 0, 0, 0), fits ? NULL : "PTO-E0704", __FILE__,
                           __LINE__);
            testing_expect(core, pto_tstore(core, &g, &vec, 0, 0, 0), cpu ? NULL : "PTO-E0704", __FILE__,
                           __LINE__);
            if (!fits)
                continue;
            /* rows and columns of the tile are those of the tensor */
            pto_global more = g;
            more.shape[3]++;
            testing_expect(core, pto_tstore(core, &more, &acc, 0, 0, 0), "PTO-E0703", __FILE__, __LINE__);
            more = g;
            more.shape[4] = 0;
            testing_expect(core, pto_tstore(core, &more, &acc, 0, 0, 0), "PTO-E0705", __FILE__, __LINE__);
            /* a leading dimension that the layout does not have */
            more = g;
            more.shape[0] = 2;
            bool leading = good[i].layout == L(NHWC) || good[i].layout == L(NCHW);
            testing_expect(core, pto_tstore(core, &more, &acc, 0, 0, 0), leading ? "PTO-E0704" : "PTO-E0703",
                           __FILE__, __LINE__);
            /* a gap between rows of W: the a5 fixpipe cannot write it */
            int h = good[i].layout == L(NHWC) ? 2 : 3;
            pto_global gap = g;
            gap.stride[h]++;
            testing_expect(core, pto_tstore(core, &gap, &acc, 0, 0, 0), a5 ? "PTO-E0707" : NULL, __FILE__,
                           __LINE__);
            /* capacity of whole blocks of 16 columns; the innermost stride */
            gap = g;
            gap.stride[4] *= 2;
            bool inner = good[i].layout != L(NDC1HWC0);
            testing_expect(core, pto_tstore(core, &gap, &acc, 0, 0, 0), !cpu && inner ? "PTO-E0707" : NULL,
                           __FILE__, __LINE__);
        }
        if (a5) { /* N of NCHW and D of NCDHW are 1 */
            pto_tile twelve = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, 16, 16), 12, 16);
            pto_global nchw = tensor(PTO_F32, L(NCHW), (const int64_t[]){1, 2, 16, 2, 3}, 1);
            pto_global ncdhw = tensor(PTO_F32, L(NCDHW), (const int64_t[]){1, 16, 2, 2, 3}, 1);
            pto_global nhwc = tensor(PTO_F32, L(NHWC), (const int64_t[]){1, 2, 2, 3, 16}, 1);
            testing_expect(core, pto_tstore(core, &nchw, &twelve, 0, 0, 0), "PTO-E0704", __FILE__, __LINE__);
            testing_expect(core, pto_tstore(core, &ncdhw, &twelve, 0, 0, 0), "PTO-E0704", __FILE__, __LINE__);
            testing_expect(core, pto_tstore(core, &nhwc, &twelve, 0, 0, 0), NULL, __FILE__, __LINE__);
        }
        if (t == PTO_TARGET_A2A3) { /* widths of NC1HWC0: 8 or 16 of f32 */
            for (int64_t width = 4; width <= 32; width *= 2) {
                pto_tile wide = pto_tile_make_valid(pto_tile_type_acc(PTO_F32, 16, 32), 6, (int32_t)width);
                pto_global g = tensor(PTO_F32, L(NC1HWC0), (const int64_t[]){1, 1, 2, 3, width}, 1);
                testing_expect(core, pto_tstore(core, &g, &wide, 0, 0, 0),
                               width == 8 || width == 16 ? NULL : "PTO-E0706", __FILE__, __LINE__);
            }
        }
        /* NDC1HWC0 is as wide as its C0, which the shape does not show: of s32 from acc 16 */
        pto_tile s32 = pto_tile_make_valid(pto_tile_type_acc(PTO_S32, 16, 32), 6, 32);
        pto_global g = tensor(PTO_S32, L(NDC1HWC0), (const int64_t[]){1, 1, 2, 2, 3}, 16);
        testing_expect(core, pto_tstore(core, &g, &s32, 0, 0, 0), a5 ? "PTO-E0704" : NULL, __FILE__,
                       __LINE__);
        /* and its last element lies C0 behind the last index */
        if (cpu) {
            g.end = buffer + 2 * 2 * 3 * 16 * 4;
            testing_expect(core, pto_tstore(core, &g, &s32, 0, 0, 0), NULL, __FILE__, __LINE__);
            g.end = buffer + 2 * 2 * 3 * 16 * 4 - 4;
            testing_expect(core, pto_tstore(core, &g, &s32, 0, 0, 0), "PTO-E0901", __FILE__, __LINE__);
        }
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
