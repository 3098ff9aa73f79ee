/* SPDX-License-Identifier: Apache-2.0 */
/* TIMG2COL: every element against the formula of the specification, where feature map, padding and pad value
 * come from on each target, and every rule of the family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/conv.h"
#include <pto/functions.h>

#include <stdlib.h>
#include <string.h>

enum { SHAPES = 200 };
static const pto_dtype dtypes[] = {PTO_S8,  PTO_U8,  PTO_S16,  PTO_U16, PTO_S32,
                                   PTO_U32, PTO_F16, PTO_BF16, PTO_F32};
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static bool has_type(pto_target target, pto_dtype d) {
    return target != PTO_TARGET_A2A3 || d == PTO_S8 || d == PTO_F16 || d == PTO_BF16 || d == PTO_F32;
}

static int32_t some(testing_random *random, uint32_t most) {
    return 1 + (int32_t)testing_below(random, most);
}

/* A convolution at random that has an output. */
static pto_conv some_conv(testing_random *random, pto_dtype dtype, conv_geometry *g) {
    bool deep = testing_below(random, 4) == 0;
    int32_t c0 = 256 / (int32_t)pto_dtype_bits(dtype);
    for (;;) {
        *g = (conv_geometry){.n = some(random, 2),
                             .d = deep ? some(random, 2) : 1,
                             .c1 = some(random, 2),
                             .c0 = c0,
                             .h = some(random, 8),
                             .w = some(random, 8),
                             .kh = some(random, 3),
                             .kw = some(random, 4),
                             .stride_h = some(random, 3),
                             .stride_w = testing_below(random, 2) ? 1 : some(random, 3),
                             .dilation_h = testing_below(random, 3) ? 1 : some(random, 3),
                             .dilation_w = testing_below(random, 3) ? 1 : some(random, 3)};
        for (int i = 0; i < 4; i++)
            g->pad[i] = testing_below(random, 3) ? testing_below(random, 3) : 0;
        if (conv_outputs(g, true) >= 1 && conv_outputs(g, false) >= 1)
            break;
    }
    int32_t shape[6] = {(int32_t)g->n, (int32_t)g->c1, (int32_t)g->h, (int32_t)g->w, c0};
    if (deep) {
        int32_t with_d[6] = {(int32_t)g->n, (int32_t)g->d, (int32_t)g->c1, (int32_t)g->h, (int32_t)g->w, c0};
        memcpy(shape, with_d, sizeof shape);
    }
    pto_conv conv = pto_conv_make(deep ? PTO_LAYOUT_NDC1HWC0 : PTO_LAYOUT_NC1HWC0, deep ? 6 : 5, shape);
    conv.filter_h = (uint16_t)g->kh;
    conv.filter_w = (uint16_t)g->kw;
    conv.stride_h = (uint8_t)g->stride_h;
    conv.stride_w = (uint8_t)g->stride_w;
    conv.dilation_h = (uint8_t)g->dilation_h;
    conv.dilation_w = (uint8_t)g->dilation_w;
    for (int i = 0; i < 4; i++)
        conv.pad_list[i] = (uint8_t)g->pad[i];
    if (testing_below(random, 2)) { /* the same, said twice */
        conv.fmap_h = (uint16_t)g->h;
        conv.fmap_w = (uint16_t)g->w;
    }
    conv.pad_value = testing_bits(random, dtype);
    return conv;
}

typedef struct result {
    pto_tile dst;
    uint8_t *before;
    int64_t pos_m, pos_k;
} result;

static result some_result(pto_core *core, pto_target target, testing_random *random, pto_dtype dtype,
                          const conv_geometry *g) {
    int64_t m = g->n * g->d * conv_outputs(g, true) * conv_outputs(g, false);
    int64_t k = g->c1 * g->kh * g->kw * g->c0;
    int32_t rows = some(random, 40), cols = some(random, 70);
    if (testing_below(random, 10) == 0)
        rows = cols = 1;
    testing_layout layout = target == PTO_TARGET_A2A3 ? TESTING_ZZ : TESTING_NZ;
    if (target == PTO_TARGET_CPU && testing_below(random, 3) == 0)
        layout = TESTING_ZZ;
    pto_tile_type type = testing_type_around(random, PTO_LOC_LEFT, dtype, layout, rows, cols, 1);
    result r = {.dst = testing_tile(core, random, type, rows, cols)};
    r.before = testing_snapshot(&r.dst);
    /* positions inside, near and past the end; in K mostly whole blocks */
    r.pos_m = testing_below(random, (uint32_t)m + 3);
    r.pos_k = testing_below(random, 3) ? testing_below(random, (uint32_t)(k / g->c0) + 1) * g->c0
                                       : testing_below(random, (uint32_t)k + 3);
    return r;
}

static void check(const result *r, const conv_geometry *g, const pto_tile *src, const void *source,
                  uint64_t pad) {
    for (int32_t row = 0; row < r->dst.valid_rows; row++)
        for (int32_t col = 0; col < r->dst.valid_cols; col++) {
            int64_t at = conv_img2col(g, r->pos_m + row, r->pos_k + col);
            uint64_t want = at < 0 ? pad : testing_load(source, src->type.dtype, at);
            if (testing_get(&r->dst, row, col) != want)
                fail_msg("%s %d x %d at (%lld, %lld): element (%d, %d)", pto_dtype_name(src->type.dtype),
                         r->dst.valid_rows, r->dst.valid_cols, (long long)r->pos_m, (long long)r->pos_k, row,
                         col);
        }
    assert_true(testing_outside_unchanged(&r->dst, r->before));
}

static pto_tile source_tile(pto_core *core, testing_random *random, pto_dtype dtype, const pto_conv *conv) {
    pto_tile_type type = pto_tile_type_conv(PTO_LOC_MAT, dtype, conv);
    return testing_tile(core, random, type, 1, type.cols);
}

/* AUTO modes on every target, MANUAL ones on cpu: the tile says all. */
static void test_values(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        for (int l = 0; l < levels; l++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {(uint64_t)t + 5};
            for (int d = 0; d < DTYPES; d++)
                for (int s = 0; s < SHAPES / levels + 1 && has_type((pto_target)t, dtypes[d]); s++) {
                    conv_geometry g;
                    pto_conv conv = some_conv(&random, dtypes[d], &g);
                    pto_tile src = source_tile(core, &random, dtypes[d], &conv);
                    void *before = testing_snapshot(&src);
                    result r = some_result(core, (pto_target)t, &random, dtypes[d], &g);
                    int mode = (int)testing_below(&random, t == PTO_TARGET_CPU ? 4 : 2);
                    TESTING_ACCEPTED(core, PTO_FORM_TIMG2COL, testing_tile_operand(&r.dst),
                                     testing_tile_operand(&src), testing_int_operand(PTO_DTYPE_NONE, r.pos_m),
                                     testing_int_operand(PTO_DTYPE_NONE, r.pos_k),
                                     testing_int_operand(PTO_DTYPE_NONE, mode));
                    check(&r, &g, &src, before, conv.pad_value);
                    assert_memory_equal(src.data, before, (size_t)pto_tile_type_bytes(&src.type));
                    free(before);
                    free(r.before);
                    if (s % 16 == 0)
                        pto_core_reset(core);
                }
            pto_core_destroy(core);
        }
}

static uint64_t element(pto_dtype dtype, uint64_t bits) {
    unsigned n = pto_dtype_bits(dtype);
    return n == 64 ? bits : bits & ((UINT64_C(1) << n) - 1);
}

/* MANUAL modes: feature map, padding and pad value of another tile, through the registers of A or B. */
static void test_registers(void **state) {
    (void)state;
    for (int t = PTO_TARGET_A2A3; t <= PTO_TARGET_A5; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        testing_random random = {(uint64_t)t + 77};
        for (int d = 0; d < DTYPES; d++)
            for (int s = 0; s < SHAPES && has_type((pto_target)t, dtypes[d]); s++) {
                conv_geometry g, other;
                pto_conv conv = some_conv(&random, dtypes[d], &g),
                         set = some_conv(&random, dtypes[d], &other);
                pto_tile src = source_tile(core, &random, dtypes[d], &conv);
                pto_tile setter = source_tile(core, NULL, dtypes[d], &set);
                void *before = testing_snapshot(&src);
                int b = (int)testing_below(&random, 2), mode = PTO_FMATRIX_A_MANUAL + b;
                pto_core_reset(core);
                src = source_tile(core, NULL, dtypes[d], &conv);
                setter = source_tile(core, NULL, dtypes[d], &set);
                memcpy(src.data, before, (size_t)pto_tile_type_bytes(&src.type));
                /* a smaller feature map than the tile's stays in it */
                set.fmap_h = (uint16_t)some(&random, (uint32_t)g.h);
                set.fmap_w = (uint16_t)some(&random, (uint32_t)g.w);
                TESTING_ACCEPTED(core, PTO_FORM_SETFMATRIX, testing_tile_operand(&setter),
                                 testing_int_operand(PTO_DTYPE_NONE, mode));
                TESTING_ACCEPTED(core, PTO_FORM_SET_IMG2COL_PADDING, testing_tile_operand(&setter),
                                 testing_int_operand(PTO_DTYPE_NONE, mode));
                TESTING_ACCEPTED(core, PTO_FORM_SET_IMG2COL_RPT, testing_tile_operand(&setter),
                                 testing_int_operand(PTO_DTYPE_NONE, mode));
                conv_geometry live = g;
                live.h = set.fmap_h;
                live.w = set.fmap_w;
                memcpy(live.pad, other.pad, sizeof live.pad);
                result r = some_result(core, (pto_target)t, &random, dtypes[d], &g);
                pto_status status = pto_timg2col(core, &r.dst, &src, r.pos_m, r.pos_k, mode);
                if (conv_outputs(&live, true) < 1 || conv_outputs(&live, false) < 1) {
                    testing_expect(core, status, "PTO-E0798", __FILE__, __LINE__);
                } else {
                    testing_expect(core, status, NULL, __FILE__, __LINE__);
                    check(&r, &live, &src, before, element(dtypes[d], set.pad_value));
                }
                free(before);
                free(r.before);
            }
        pto_core_destroy(core);
    }
}

/* A 3 x 3 filter on a tile of 4 x 4, one output row of ones where the padding shows. */
typedef struct sample {
    pto_core *core;
    pto_conv conv, set;
    pto_tile src, setter, dst;
} sample;

static sample open_sample(pto_target target) {
    sample s = {.core = testing_core(target, PTO_SIMD_BEST)};
    s.conv = pto_conv_make(PTO_LAYOUT_NC1HWC0, 5, (const int32_t[]){1, 1, 4, 4, 16});
    s.conv.filter_h = s.conv.filter_w = 3;
    s.set = s.conv;
    s.set.pad_list[0] = s.set.pad_list[1] = s.set.pad_list[2] = s.set.pad_list[3] = 1;
    s.set.pad_value = 0x1234;
    s.set.fmap_h = s.set.fmap_w = 4;
    return s;
}

/* Tiles point into the sample, which has its place now. */
static void bind_sample(sample *s) {
    pto_target target = pto_core_options(s->core)->target;
    s->src = source_tile(s->core, NULL, PTO_F16, &s->conv);
    s->setter = source_tile(s->core, NULL, PTO_F16, &s->set);
    s->dst = testing_tile(s->core, NULL, pto_tile_type_left(target, PTO_F16, 16, 144), 16, 144);
}

static bool shows_padding(sample *s, int64_t mode, const char *rule) {
    pto_diag_list_clear(pto_core_diags(s->core));
    assert_int_equal(pto_timg2col(s->core, &s->dst, &s->src, 0, 0, mode), PTO_OK);
    assert_int_equal(pto_diag_has(pto_core_diags(s->core), "PTO-W0796"), rule != NULL);
    return testing_get(&s->dst, 0, 0) == 0x1234;
}

static void test_register_files(void **state) {
    (void)state;
    for (int t = PTO_TARGET_A2A3; t <= PTO_TARGET_A5; t++) {
        sample s = open_sample((pto_target)t);
        bind_sample(&s);
        /* nothing was set: the tile's own values, and a warning */
        assert_false(shows_padding(&s, PTO_FMATRIX_A_MANUAL, "PTO-W0796"));
        assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        shows_padding(&s, PTO_FMATRIX_A_MANUAL, "PTO-W0796");
        assert_int_equal(pto_set_img2col_padding(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        assert_true(shows_padding(&s, PTO_FMATRIX_A_MANUAL, NULL));
        /* file B has its own fmatrix; its padding is that of A on a2a3 alone */
        assert_false(shows_padding(&s, PTO_FMATRIX_B_MANUAL, "PTO-W0796"));
        assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_B_MANUAL), PTO_OK);
        assert_int_equal(shows_padding(&s, PTO_FMATRIX_B_MANUAL, t == PTO_TARGET_A5 ? "PTO-W0796" : NULL),
                         t == PTO_TARGET_A2A3);
        /* the setters do nothing in the AUTO modes; TIMG2COL sets there what it uses */
        pto_core_reset(s.core);
        bind_sample(&s);
        assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_A_AUTO), PTO_OK);
        assert_int_equal(pto_set_img2col_padding(s.core, &s.setter, PTO_FMATRIX_B_AUTO), PTO_OK);
        assert_false(shows_padding(&s, PTO_FMATRIX_A_MANUAL, "PTO-W0796"));
        assert_int_equal(pto_timg2col(s.core, &s.dst, &s.setter, 0, 0, PTO_FMATRIX_A_AUTO), PTO_OK);
        assert_true(shows_padding(&s, PTO_FMATRIX_A_MANUAL, NULL));
        /* a repetition is not modelled, wherever it comes from */
        s.set.repeat_time = 2;
        assert_int_equal(pto_set_img2col_rpt(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 0, 0, PTO_FMATRIX_A_MANUAL), "PTO-E0797",
                       __FILE__, __LINE__);
        s.set.repeat_time = 1;
        assert_int_equal(pto_set_img2col_rpt(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        assert_true(shows_padding(&s, PTO_FMATRIX_A_MANUAL, NULL));
        /* addresses past the tile: 4 rows of 5 */
        s.set.fmap_w = 5;
        assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 0, 0, PTO_FMATRIX_A_MANUAL), "PTO-E0798",
                       __FILE__, __LINE__);
        s.set.fmap_h = 3; /* 15 of 16 pixels */
        assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
        assert_true(shows_padding(&s, PTO_FMATRIX_A_MANUAL, NULL));
        pto_core_destroy(s.core);
    }
    /* cpu has no registers */
    sample s = open_sample(PTO_TARGET_CPU);
    bind_sample(&s);
    assert_int_equal(pto_setfmatrix(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
    assert_int_equal(pto_set_img2col_padding(s.core, &s.setter, PTO_FMATRIX_A_MANUAL), PTO_OK);
    assert_false(shows_padding(&s, PTO_FMATRIX_A_MANUAL, NULL));
    pto_core_destroy(s.core);
}

/* ---- rules --------------------------------------------------------------------------------------------- */

static void expect(sample *s, const char *rule, int line) {
    testing_expect(s->core, pto_timg2col(s->core, &s->dst, &s->src, 0, 0, PTO_FMATRIX_A_AUTO), rule, __FILE__,
                   line);
}
#define REFUSED(rule) expect(&s, rule, __LINE__)
#define ACCEPTED() expect(&s, NULL, __LINE__)

static void test_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        bool cpu = t == PTO_TARGET_CPU;
        sample s = open_sample((pto_target)t);
        bind_sample(&s);
        ACCEPTED();
        const pto_conv good = s.conv;
        s.conv.channel_size = 16;
        ACCEPTED();
        s.conv.channel_size = 17;
        REFUSED("PTO-E0797");
        s.conv = good;
        s.conv.transpose = true;
        REFUSED("PTO-E0797");
        s.conv = good;
        s.conv.dst_stride = 1;
        REFUSED("PTO-E0797");
        s.conv = good;
        s.conv.dst_m_position = 1;
        REFUSED("PTO-E0797");
        s.conv = good;
        s.conv.repeat_time = 0;
        ACCEPTED();
        s.conv.repeat_time = 2;
        REFUSED("PTO-E0797");
        s.conv = good;
        s.conv.stride_w = 0;
        REFUSED("PTO-E0798");
        s.conv = good;
        s.conv.dilation_h = 0;
        REFUSED("PTO-E0798");
        s.conv = good;
        s.conv.filter_h = 0;
        REFUSED("PTO-E0798");
        s.conv.filter_h = 4;
        ACCEPTED();
        s.conv.filter_h = 5;
        REFUSED("PTO-E0798");
        s.conv.pad_list[3] = 1;
        ACCEPTED();
        s.conv.filter_w = 511;
        s.conv.pad_list[0] = s.conv.pad_list[1] = 255;
        ACCEPTED();
        s.conv.filter_w = 512;
        s.conv.fmap_w = 300;
        REFUSED("PTO-E0798");
        s.conv = good;
        /* attributes */
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 65535, 65535, 0), NULL, __FILE__,
                       __LINE__);
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 65536, 0, 0), "PTO-E0779", __FILE__,
                       __LINE__);
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 0, -1, 0), "PTO-E0779", __FILE__,
                       __LINE__);
        testing_expect(s.core, pto_timg2col(s.core, &s.dst, &s.src, 0, 0, 4), "PTO-E0779", __FILE__,
                       __LINE__);
        testing_expect(s.core, pto_setfmatrix(s.core, &s.src, -1), "PTO-E0779", __FILE__, __LINE__);
        testing_expect(s.core, pto_set_img2col_rpt(s.core, &s.src, 4), "PTO-E0779", __FILE__, __LINE__);
        testing_expect(s.core, pto_set_img2col_padding(s.core, &s.src, 3), NULL, __FILE__, __LINE__);
        /* layouts: the destination of the target, the source in blocks of 32 bytes */
        pto_tile dst = s.dst;
        s.dst = testing_tile(
            s.core, NULL,
            testing_type(PTO_LOC_LEFT, PTO_F16, t == PTO_TARGET_A5 ? TESTING_ZZ : TESTING_NZ, 16, 144), 16,
            144);
        expect(&s, cpu ? NULL : "PTO-E0799", __LINE__);
        s.dst = testing_tile(s.core, NULL, testing_type(PTO_LOC_LEFT, PTO_F16, TESTING_ZN, 16, 144), 16, 144);
        REFUSED("PTO-E0799");
        pto_tile_type other = dst.type;
        other.fractal = 1024;
        s.dst = testing_tile(s.core, NULL, other, 16, 144);
        REFUSED("PTO-E0799");
        s.dst = testing_tile(s.core, NULL, pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 16, 144), 16, 144);
        REFUSED("PTO-E0795");
        s.dst = testing_tile(s.core, NULL, pto_tile_type_left((pto_target)t, PTO_BF16, 16, 144), 16, 144);
        REFUSED("PTO-E0303");
        s.dst = dst;
        pto_tile src = s.src;
        s.src = pto_tile_make(pto_tile_type_conv(PTO_LOC_VEC, PTO_F16, &s.conv));
        REFUSED("PTO-E0795");
        s.src = testing_tile(s.core, NULL, pto_tile_type_make(PTO_LOC_MAT, PTO_F16, 1, 256), 1, 256);
        REFUSED("PTO-E0304");
        s.src = src;
        s.conv = pto_conv_make(PTO_LAYOUT_NHWC, 4, (const int32_t[]){1, 4, 4, 16});
        REFUSED("PTO-E0793");
        s.conv = pto_conv_make(PTO_LAYOUT_NC1HWC0, 5, (const int32_t[]){1, 2, 4, 4, 8});
        expect(&s, cpu ? NULL : "PTO-E0794", __LINE__);
        s.conv = pto_conv_make(PTO_LAYOUT_NC1HWC0, 4, (const int32_t[]){1, 1, 4, 4});
        REFUSED("PTO-E0792");
        pto_core_destroy(s.core);
    }
    /* element types of the target */
    pto_conv conv = pto_conv_make(PTO_LAYOUT_NC1HWC0, 5, (const int32_t[]){1, 1, 4, 4, 32});
    static const char *const rules[PTO_TARGET_COUNT] = {NULL, "PTO-E0302", NULL};
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        pto_tile src = source_tile(core, NULL, PTO_U8, &conv);
        pto_tile dst = testing_tile(core, NULL, pto_tile_type_left((pto_target)t, PTO_U8, 16, 32), 16, 32);
        testing_expect(core, pto_timg2col(core, &dst, &src, 0, 0, 0), rules[t], __FILE__, __LINE__);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_register_files), cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
