/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of convolution tiles: every pair of layouts on every target, and both sides of every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/conv.h"
#include <pto/functions.h>

#include <stdlib.h>
#include <string.h>

#define L(name) PTO_LAYOUT_##name
#define EXPECT(core, status, rule) testing_expect(core, status, rule, __FILE__, __LINE__)

static pto_scalar index_of(int64_t i) { return (pto_scalar){.dtype = PTO_U16, .i = i}; }

/* A dense tensor over a buffer that is large enough for every one of these tests. */
static uint8_t buffer[1 << 20];
static pto_global tensor(pto_dtype dtype, pto_layout layout, int count, const int64_t *shape) {
    pto_global g = {.dtype = dtype,
                    .layout = layout,
                    .shape = {1, 1, 1, 1, 1},
                    .stride = {1, 1, 1, 1, 1},
                    .data = buffer,
                    .begin = buffer,
                    .end = buffer + sizeof buffer};
    int64_t step = layout == L(NDC1HWC0) ? 256 / (int64_t)pto_dtype_bits(dtype) : 1;
    for (int i = count - 1; i >= 0; i--) {
        g.shape[5 - count + i] = shape[i];
        g.stride[5 - count + i] = step;
        step *= shape[i];
    }
    return g;
}
#define TENSOR(dtype, layout, ...)                                                                           \
    tensor(dtype, layout, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),                         \
           (const int64_t[]){__VA_ARGS__})

static pto_conv conv(pto_layout layout, int rank, const int32_t *shape) {
    return pto_conv_make(layout, rank, shape);
}
#define CONV(layout, ...)                                                                                    \
    conv(layout, (int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (const int32_t[]){__VA_ARGS__})

static pto_tile tile(pto_loc loc, pto_dtype dtype, const pto_conv *of) {
    return pto_tile_make(pto_tile_type_conv(loc, dtype, of));
}

static const pto_layout layouts[] = {L(NC1HWC0), L(NDC1HWC0), L(GNC1HWC0),  L(NCHW),        L(GNCHW),
                                     L(NCDHW),   L(NHWC),     L(FRACTAL_Z), L(FRACTAL_Z_3D)};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static pto_conv whole(pto_layout layout) {
    int64_t dims[6];
    int32_t shape[6];
    int rank = conv_dims(layout, false, (conv_tensor){1, 16, 1, 16, 2, 16}, 16, dims);
    for (int i = 0; i < rank; i++)
        shape[i] = (int32_t)dims[i];
    return pto_conv_make(layout, rank, shape);
}

/* The lists of part 30, TLOAD, TSTORE and TTRANS; cpu takes what any target takes. */
static bool loads(pto_target target, pto_layout to, pto_layout from) {
    bool same = to == from;
    bool both = same && (to == L(NC1HWC0) || to == L(FRACTAL_Z));
    bool a2a3 = both || (same && (to == L(NDC1HWC0) || to == L(FRACTAL_Z_3D)));
    bool a5 = both || (to == L(NC1HWC0) && (from == L(NHWC) || from == L(NCHW))) ||
              (to == L(FRACTAL_Z) && from == L(NCHW)) ||
              ((to == L(FRACTAL_Z_3D) || to == L(NDC1HWC0)) && from == L(NCDHW));
    return target == PTO_TARGET_A2A3 ? a2a3 : target == PTO_TARGET_A5 ? a5 : a2a3 || a5;
}

static bool transposes(pto_target target, pto_layout to, pto_layout from) {
    bool a5 = (to == L(NC1HWC0) && from == L(NCHW)) || (to == L(GNC1HWC0) && from == L(GNCHW)) ||
              (to == L(FRACTAL_Z) && (from == L(NC1HWC0) || from == L(GNC1HWC0)));
    bool more = (to == L(NCHW) && from == L(NC1HWC0)) || (to == L(GNCHW) && from == L(GNC1HWC0)) ||
                (to == L(FRACTAL_Z_3D) && from == L(NCDHW));
    return a5 || (more && target != PTO_TARGET_A5);
}

static void test_pairs(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_target target = (pto_target)t;
        pto_core *core = testing_core(target, PTO_SIMD_BEST);
        pto_tile tmp = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_S8, 1, 65536));
        for (int i = 0; i < LAYOUTS; i++)
            for (int k = 0; k < LAYOUTS; k++) {
                pto_layout to = layouts[i], from = layouts[k];
                pto_conv a = whole(to), b = whole(from);
                pto_tile mat = tile(PTO_LOC_MAT, PTO_F16, &a), dst = tile(PTO_LOC_VEC, PTO_F16, &a),
                         src = tile(PTO_LOC_VEC, PTO_F16, &b);
                int64_t shape[6];
                for (int d = 0; d < b.rank; d++)
                    shape[d] = b.shape[d];
                pto_global g = tensor(PTO_F16, from, b.rank == 6 ? 5 : b.rank, shape);
                EXPECT(core, pto_tload_conv(core, &mat, &g), loads(target, to, from) ? NULL : "PTO-E0793");
                EXPECT(core, pto_ttrans_conv(core, &dst, &src, &tmp),
                       transposes(target, to, from) ? NULL : "PTO-E0793");
                bool stores = to == from && (to == L(NC1HWC0) || to == L(NDC1HWC0));
                pto_tile out = tile(PTO_LOC_MAT, PTO_F16, &a);
                EXPECT(core, pto_tstore_conv(core, &g, &out),
                       t != PTO_TARGET_CPU ? "PTO-E0301"
                       : stores            ? NULL
                                           : "PTO-E0793");
                pto_core_reset(core);
                tmp.data = NULL;
            }
        for (int i = 0; i < LAYOUTS; i++) { /* TEXPANDS and ordinary layouts */
            pto_conv a = whole(layouts[i]);
            pto_tile dst = tile(PTO_LOC_MAT, PTO_F16, &a);
            pto_layout l = layouts[i];
            bool fills = t == PTO_TARGET_CPU || l == L(NC1HWC0) || l == L(FRACTAL_Z) ||
                         (t == PTO_TARGET_A5 && (l == L(NDC1HWC0) || l == L(FRACTAL_Z_3D)));
            EXPECT(core, pto_texpands_conv(core, &dst, (pto_scalar){.dtype = PTO_F16}),
                   fills ? NULL : "PTO-E0793");
            pto_global nd = TENSOR(PTO_F16, L(ND), 16, 16);
            EXPECT(core, pto_tload_conv(core, &dst, &nd), "PTO-E0793");
        }
        pto_core_destroy(core);
    }
}

/* ---- TLOAD --------------------------------------------------------------------------------------- */

static void test_load_extents(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        bool a5 = t == PTO_TARGET_A5, a2a3 = t == PTO_TARGET_A2A3, cpu = t == PTO_TARGET_CPU;
        /* the tile lies in the tensor; on a5 it is all of it */
        pto_conv a = CONV(L(NC1HWC0), 2, 2, 3, 4, 16);
        pto_tile dst = tile(PTO_LOC_MAT, PTO_F16, &a);
        for (int d = 0; d < 5; d++)
            for (int64_t more = -1; more <= 1; more++) {
                int64_t shape[5] = {2, 2, 3, 4, 16};
                shape[d] += more;
                pto_global g = tensor(PTO_F16, L(NC1HWC0), 5, shape);
                bool good = more == 0 || (more > 0 && !a5 && d < 4);
                EXPECT(core, pto_tload_conv(core, &dst, &g), good ? NULL : "PTO-E0794");
                if (cpu)
                    EXPECT(core, pto_tstore_conv(core, &g, &dst), good ? NULL : "PTO-E0794");
            }
        pto_global empty = TENSOR(PTO_F16, L(NC1HWC0), 0, 2, 3, 4, 16);
        EXPECT(core, pto_tload_conv(core, &dst, &empty), "PTO-E0705");
        if (cpu)
            EXPECT(core, pto_tstore_conv(core, &empty, &dst), "PTO-E0705");
        /* H and W of five-dimensional FRACTAL_Z */
        pto_conv z = CONV(L(FRACTAL_Z), 2, 3, 4, 20, 16);
        dst = tile(PTO_LOC_MAT, PTO_F16, &z);
        for (int d = 0; d < 5; d++) {
            int64_t shape[5] = {2, 3, 4, 20, 16};
            shape[d]++;
            pto_global g = tensor(PTO_F16, L(FRACTAL_Z), 5, shape);
            EXPECT(core, pto_tload_conv(core, &dst, &g), !a5 && (d == 0 || d == 3) ? NULL : "PTO-E0794");
        }
        /* four dimensions stand behind a leading 1 */
        pto_conv z4 = CONV(L(FRACTAL_Z), 6, 2, 16, 16);
        dst = tile(PTO_LOC_MAT, PTO_F16, &z4);
        pto_global good = TENSOR(PTO_F16, L(FRACTAL_Z), 1, 6, 2, 16, 16),
                   batch = TENSOR(PTO_F16, L(FRACTAL_Z), 2, 6, 2, 16, 16);
        EXPECT(core, pto_tload_conv(core, &dst, &good), NULL);
        EXPECT(core, pto_tload_conv(core, &dst, &batch), "PTO-E0794");
        /* widths of the hardware: C0 of 32 bytes, N0 of 16 */
        pto_conv half = CONV(L(NC1HWC0), 2, 2, 3, 4, 8), n0 = CONV(L(FRACTAL_Z), 6, 2, 8, 16);
        pto_global of_half = TENSOR(PTO_F16, L(NC1HWC0), 2, 2, 3, 4, 8),
                   of_n0 = TENSOR(PTO_F16, L(FRACTAL_Z), 6, 2, 8, 16);
        dst = tile(PTO_LOC_MAT, PTO_F16, &half);
        EXPECT(core, pto_tload_conv(core, &dst, &of_half), cpu ? NULL : "PTO-E0794");
        dst = tile(PTO_LOC_MAT, PTO_F16, &n0);
        EXPECT(core, pto_tload_conv(core, &dst, &of_n0), cpu ? NULL : "PTO-E0794");
        /* element types and memories */
        pto_conv wide = CONV(L(NC1HWC0), 1, 1, 3, 4, 4), bytes = CONV(L(NC1HWC0), 1, 1, 3, 4, 32);
        pto_global of_wide = TENSOR(PTO_S64, L(NC1HWC0), 1, 1, 3, 4, 4),
                   of_bytes = TENSOR(PTO_E4M3, L(NC1HWC0), 1, 1, 3, 4, 32);
        dst = tile(PTO_LOC_MAT, PTO_S64, &wide);
        EXPECT(core, pto_tload_conv(core, &dst, &of_wide), cpu ? NULL : "PTO-E0702");
        dst = tile(PTO_LOC_MAT, PTO_S8, &bytes);
        EXPECT(core, pto_tload_conv(core, &dst, &of_bytes), a2a3 ? "PTO-E0702" : NULL);
        of_bytes.dtype = PTO_F16;
        EXPECT(core, pto_tload_conv(core, &dst, &of_bytes), "PTO-E0328");
        dst = tile(PTO_LOC_VEC, PTO_F16, &a);
        pto_global whole_a = TENSOR(PTO_F16, L(NC1HWC0), 2, 2, 3, 4, 16);
        EXPECT(core, pto_tload_conv(core, &dst, &whole_a), cpu ? NULL : "PTO-E0795");
        dst = tile(PTO_LOC_LEFT, PTO_F16, &a);
        EXPECT(core, pto_tload_conv(core, &dst, &whole_a), "PTO-E0795");
        EXPECT(core, pto_tload(core, &dst, &whole_a), "PTO-E0304");
        pto_tile flat = pto_tile_make(pto_tile_type_make(PTO_LOC_MAT, PTO_F16, 16, 16));
        EXPECT(core, pto_tload_conv(core, &flat, &whole_a), "PTO-E0304");
        pto_global of_layout = TENSOR(PTO_F16, L(NC1HWC0), 1, 1, 1, 16, 16);
        EXPECT(core, pto_tload(core, &flat, &of_layout), "PTO-E0704");
        if (cpu) {
            dst = tile(PTO_LOC_MAT, PTO_F16, &a);
            whole_a.read_only = true;
            EXPECT(core, pto_tstore_conv(core, &whole_a, &dst), "PTO-E0711");
        }
        pto_core_destroy(core);
    }
}

static void test_reorders(void **state) {
    (void)state;
    for (int t = PTO_TARGET_CPU; t <= PTO_TARGET_A5; t += PTO_TARGET_A5) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        pto_conv a = CONV(L(NC1HWC0), 2, 2, 3, 4, 16);
        pto_tile dst = tile(PTO_LOC_MAT, PTO_F16, &a);
        static const struct {
            int64_t n, h, w, c;
            bool good;
        } cases[] = {{2, 3, 4, 32, true},  {2, 3, 4, 17, true},  {2, 3, 4, 1, true},   {2, 3, 4, 33, false},
                     {1, 3, 4, 32, false}, {3, 3, 4, 32, false}, {2, 2, 4, 32, false}, {2, 3, 5, 32, false}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            pto_global nhwc = TENSOR(PTO_F16, L(NHWC), 1, cases[i].n, cases[i].h, cases[i].w, cases[i].c),
                       nchw = TENSOR(PTO_F16, L(NCHW), cases[i].n, cases[i].c, cases[i].h, cases[i].w);
            EXPECT(core, pto_tload_conv(core, &dst, &nhwc), cases[i].good ? NULL : "PTO-E0794");
            EXPECT(core, pto_tload_conv(core, &dst, &nchw), cases[i].good ? NULL : "PTO-E0794");
        }
        /* FRACTAL_Z: images up to N1 * 16, blocks a multiple of H * W, H packed */
        pto_conv z = CONV(L(FRACTAL_Z), 24, 2, 16, 16);
        dst = tile(PTO_LOC_MAT, PTO_F16, &z);
        pto_global n32 = TENSOR(PTO_F16, L(NCHW), 32, 32, 3, 4), n33 = TENSOR(PTO_F16, L(NCHW), 33, 32, 3, 4),
                   odd = TENSOR(PTO_F16, L(NCHW), 8, 16, 5, 4), gap = n32;
        EXPECT(core, pto_tload_conv(core, &dst, &n32), NULL);
        EXPECT(core, pto_tload_conv(core, &dst, &n33), "PTO-E0794");
        EXPECT(core, pto_tload_conv(core, &dst, &odd), "PTO-E0794");
        gap.stride[3]++;
        EXPECT(core, pto_tload_conv(core, &dst, &gap), "PTO-E0707");
        pto_core_destroy(core);
    }
}

/* ---- TTRANS -------------------------------------------------------------------------------------- */

static void test_transpose_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        bool cpu = t == PTO_TARGET_CPU, a2a3 = t == PTO_TARGET_A2A3;
        pto_conv to = CONV(L(NC1HWC0), 2, 2, 2, 8, 16), from = CONV(L(NCHW), 2, 32, 2, 8);
        pto_tile dst = tile(PTO_LOC_VEC, PTO_F16, &to), src = tile(PTO_LOC_VEC, PTO_F16, &from);
        /* H * W * ceil(C0 / 16) * 16 elements of scratch on a2a3 */
        pto_tile tmp = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 16, 16)),
                 small = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 15, 16));
        EXPECT(core, pto_ttrans_conv(core, &dst, &src, &tmp), NULL);
        EXPECT(core, pto_ttrans_conv(core, &dst, &src, &small), a2a3 ? "PTO-E0330" : NULL);
        EXPECT(core, pto_ttrans_conv(core, &dst, &src, NULL), a2a3 ? "PTO-E0329" : NULL);
        EXPECT(core, pto_ttrans_conv(core, &dst, &src, &src), "PTO-E0304");
        /* planes of whole 32-byte blocks on the hardware */
        pto_conv to7 = CONV(L(NC1HWC0), 2, 2, 2, 7, 16), from7 = CONV(L(NCHW), 2, 32, 2, 7);
        pto_tile dst7 = tile(PTO_LOC_VEC, PTO_F16, &to7), src7 = tile(PTO_LOC_VEC, PTO_F16, &from7);
        EXPECT(core, pto_ttrans_conv(core, &dst7, &src7, &tmp), cpu ? NULL : "PTO-E0794");
        /* extents */
        static const struct {
            int32_t n, c, h, w;
            bool good;
        } cases[] = {{2, 17, 2, 8, true},
                     {2, 33, 2, 8, false},
                     {1, 32, 2, 8, false},
                     {2, 32, 1, 8, false},
                     {2, 32, 2, 16, false}};
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            pto_conv other = CONV(L(NCHW), cases[i].n, cases[i].c, cases[i].h, cases[i].w);
            pto_tile x = tile(PTO_LOC_VEC, PTO_F16, &other);
            EXPECT(core, pto_ttrans_conv(core, &dst, &x, &tmp), cases[i].good ? NULL : "PTO-E0794");
        }
        /* C0 of 32 bytes, or of 4 elements */
        pto_conv four = CONV(L(NC1HWC0), 2, 8, 2, 8, 4), eight = CONV(L(NC1HWC0), 2, 4, 2, 8, 8);
        pto_tile x = tile(PTO_LOC_VEC, PTO_F16, &four), y = tile(PTO_LOC_VEC, PTO_F16, &eight);
        EXPECT(core, pto_ttrans_conv(core, &x, &src, &tmp), NULL);
        EXPECT(core, pto_ttrans_conv(core, &y, &src, &tmp), cpu ? NULL : "PTO-E0794");
        pto_conv z = CONV(L(FRACTAL_Z), 32, 1, 16, 16);
        pto_tile fractal = tile(PTO_LOC_VEC, PTO_F16, &z);
        EXPECT(core, pto_ttrans_conv(core, &fractal, &dst, &tmp), NULL);
        EXPECT(core, pto_ttrans_conv(core, &fractal, &x, &tmp), "PTO-E0794"); /* another C0 */
        pto_conv z_odd = CONV(L(FRACTAL_Z), 33, 1, 16, 16);
        pto_tile odd = tile(PTO_LOC_VEC, PTO_F16, &z_odd);
        EXPECT(core, pto_ttrans_conv(core, &odd, &dst, &tmp), "PTO-E0794");
        /* memory, element size, overlap */
        pto_tile mat = tile(PTO_LOC_MAT, PTO_F16, &to);
        EXPECT(core, pto_ttrans_conv(core, &mat, &src, &tmp), "PTO-E0320");
        pto_conv floats = CONV(L(NCHW), 2, 16, 2, 8);
        pto_tile f32 = tile(PTO_LOC_VEC, PTO_F32, &floats);
        EXPECT(core, pto_ttrans_conv(core, &dst, &f32, &tmp), "PTO-E0328");
        pto_tile bf16 = tile(PTO_LOC_VEC, PTO_BF16, &from);
        EXPECT(core, pto_ttrans_conv(core, &dst, &bf16, &tmp), NULL);
        pto_tile a = tile(PTO_LOC_VEC, PTO_F16, &to), b = tile(PTO_LOC_VEC, PTO_F16, &from);
        assert_int_equal(pto_tile_assign(core, &a, 65536), PTO_OK);
        assert_int_equal(pto_tile_assign(core, &b, 65536 + 1024), PTO_OK);
        EXPECT(core, pto_ttrans_conv(core, &a, &b, &tmp), "PTO-E0325");
        assert_int_equal(pto_tile_assign(core, &b, 65536 + 2048), PTO_OK);
        EXPECT(core, pto_ttrans_conv(core, &a, &b, &tmp), NULL);
        pto_core_destroy(core);
    }
    /* scratch of the other forms on a2a3: the way back, and the three-dimensional one */
    pto_core *core = testing_core(PTO_TARGET_A2A3, PTO_SIMD_BEST);
    pto_conv nchw = CONV(L(NCHW), 2, 32, 2, 7), split = CONV(L(NC1HWC0), 2, 2, 2, 7, 16);
    pto_tile dst = tile(PTO_LOC_VEC, PTO_F16, &nchw), src = tile(PTO_LOC_VEC, PTO_F16, &split);
    pto_tile exact = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 16, 16)), /* C0 * 16 */
        less = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 15, 16));
    EXPECT(core, pto_ttrans_conv(core, &dst, &src, &exact), NULL);
    EXPECT(core, pto_ttrans_conv(core, &dst, &src, &less), "PTO-E0330");
    pto_conv z3 = CONV(L(FRACTAL_Z_3D), 28, 1, 16, 16), ncdhw = CONV(L(NCDHW), 2, 16, 2, 2, 7);
    dst = tile(PTO_LOC_VEC, PTO_F16, &z3);
    src = tile(PTO_LOC_VEC, PTO_F16, &ncdhw);
    exact = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 56, 16)); /* 2 * N * C1 * C0 * H * W */
    less = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 55, 16));
    EXPECT(core, pto_ttrans_conv(core, &dst, &src, &exact), NULL);
    EXPECT(core, pto_ttrans_conv(core, &dst, &src, &less), "PTO-E0330");
    pto_core_destroy(core);
}

/* ---- TEXTRACT, TEXPANDS, TASSIGN ------------------------------------------------------------------ */

static void test_window_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_core *core = testing_core((pto_target)t, PTO_SIMD_BEST);
        bool cpu = t == PTO_TARGET_CPU;
        pto_conv z = CONV(L(FRACTAL_Z), 4, 3, 16, 16); /* K 64, N 48 */
        pto_tile src = tile(PTO_LOC_MAT, PTO_F16, &z);
        pto_tile dst = pto_tile_make(pto_tile_type_right(PTO_F16, 32, 32));
        EXPECT(core, pto_textract_conv(core, &dst, &src, index_of(32), index_of(16)), NULL);
        EXPECT(core, pto_textract_conv(core, &dst, &src, index_of(48), index_of(16)), "PTO-E0762");
        EXPECT(core, pto_textract_conv(core, &dst, &src, index_of(32), index_of(32)), "PTO-E0762");
        EXPECT(core, pto_textract_conv(core, &dst, &src, index_of(8), index_of(0)), cpu ? NULL : "PTO-E0765");
        EXPECT(core, pto_textract_conv(core, &dst, &src, index_of(0), index_of(8)), cpu ? NULL : "PTO-E0765");
        pto_tile nz = pto_tile_make(testing_type(PTO_LOC_RIGHT, PTO_F16, TESTING_NZ, 32, 32));
        EXPECT(core, pto_textract_conv(core, &nz, &src, index_of(0), index_of(0)), cpu ? NULL : "PTO-E0764");
        pto_tile left = pto_tile_make(pto_tile_type_left((pto_target)t, PTO_F16, 32, 32));
        EXPECT(core, pto_textract_conv(core, &left, &src, index_of(0), index_of(0)), "PTO-E0795");
        pto_tile vec = tile(PTO_LOC_VEC, PTO_F16, &z);
        EXPECT(core, pto_textract_conv(core, &dst, &vec, index_of(0), index_of(0)), "PTO-E0795");
        pto_conv split = CONV(L(NC1HWC0), 1, 2, 3, 4, 16);
        pto_tile other = tile(PTO_LOC_MAT, PTO_F16, &split);
        EXPECT(core, pto_textract_conv(core, &dst, &other, index_of(0), index_of(0)), "PTO-E0793");
        pto_conv narrow = CONV(L(FRACTAL_Z), 4, 3, 16, 8);
        pto_tile eight = tile(PTO_LOC_MAT, PTO_F16, &narrow);
        pto_tile small = pto_tile_make(pto_tile_type_right(PTO_F16, 16, 16));
        EXPECT(core, pto_textract_conv(core, &small, &eight, index_of(0), index_of(0)),
               cpu ? NULL : "PTO-E0794");
        pto_tile f32 = pto_tile_make(pto_tile_type_right(PTO_F32, 32, 32));
        EXPECT(core, pto_textract_conv(core, &f32, &src, index_of(0), index_of(0)), "PTO-E0303");
        /* an ordinary window does not take the tile */
        EXPECT(core, pto_textract(core, &dst, &src, index_of(0), index_of(0), 0), "PTO-E0304");
        /* u16 is no type of the hardware */
        pto_tile u16 = tile(PTO_LOC_MAT, PTO_U16, &z),
                 right = pto_tile_make(pto_tile_type_right(PTO_U16, 32, 32));
        EXPECT(core, pto_textract_conv(core, &right, &u16, index_of(0), index_of(0)),
               cpu ? NULL : "PTO-E0302");
        pto_core_destroy(core);
    }
}

static void test_fill_and_place(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_options options = {.target = (pto_target)t, .memory_bytes = {[PTO_LOC_MAT] = 2 << 20}};
        pto_core *core = pto_core_create(&options);
        assert_non_null(core);
        bool cpu = t == PTO_TARGET_CPU;
        pto_conv most = CONV(L(NC1HWC0), 1, 1, 217, 151, 16), more = CONV(L(NC1HWC0), 1, 1, 128, 256, 16);
        pto_tile a = tile(PTO_LOC_MAT, PTO_F16, &most),
                 b = tile(PTO_LOC_MAT, PTO_F16, &more); /* 32767, 32768 blocks */
        EXPECT(core, pto_texpands_conv(core, &a, (pto_scalar){.dtype = PTO_F32, .f = 1}), NULL);
        EXPECT(core, pto_texpands_conv(core, &b, (pto_scalar){.dtype = PTO_F32, .f = 1}),
               cpu ? NULL : "PTO-E0768");
        pto_conv odd = CONV(L(NC1HWC0), 1, 1, 1, 1, 8);
        pto_tile c = tile(PTO_LOC_MAT, PTO_F16, &odd); /* half a block */
        EXPECT(core, pto_texpands_conv(core, &c, (pto_scalar){.dtype = PTO_F32, .f = 1}),
               cpu ? NULL : "PTO-E0768");
        pto_tile vec = tile(PTO_LOC_VEC, PTO_F16, &odd);
        EXPECT(core, pto_texpands_conv(core, &vec, (pto_scalar){.dtype = PTO_F32, .f = 1}),
               cpu ? NULL : "PTO-E0795");
        /* TASSIGN places either kind */
        pto_conv place = CONV(L(NC1HWC0), 1, 1, 2, 2, 16);
        pto_tile d = tile(PTO_LOC_MAT, PTO_F16, &place);
        EXPECT(core, pto_tassign(core, &d, (pto_scalar){.dtype = PTO_S64, .i = 64}), NULL);
        assert_true(d.assigned && d.addr == 64);
        EXPECT(core, pto_tassign(core, &d, (pto_scalar){.dtype = PTO_S64, .i = 8}), "SA-0354");
        EXPECT(core, pto_tassign(core, &d, (pto_scalar){.dtype = PTO_S64, .i = 2 << 20}), "SA-0353");
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),        cmocka_unit_test(test_load_extents),
        cmocka_unit_test(test_reorders),     cmocka_unit_test(test_transpose_rules),
        cmocka_unit_test(test_window_rules), cmocka_unit_test(test_fill_and_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
