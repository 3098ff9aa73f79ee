/* SPDX-License-Identifier: Apache-2.0 */
/* TFILLPAD, TFILLPAD_INPLACE, TFILLPAD_EXPAND, TCONCAT, TINTERLEAVE, TDEINTERLEAVE, TPACK: values over the
 * whole capacity, and the rules. */
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
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5
static const pto_target targets[] = {CPU, A2A3, A5};
static const pto_dtype std9[] = {PTO_S8,  PTO_U8,  PTO_S16,  PTO_U16, PTO_S32,
                                 PTO_U32, PTO_F16, PTO_BF16, PTO_F32};
static const pto_dtype small[] = {PTO_S8,   PTO_U8,  PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32, PTO_F16,
                                  PTO_BF16, PTO_F32, PTO_E4M3, PTO_E5M2, PTO_E8M0, PTO_HIF8};
static const pto_dtype every[] = {PTO_S8,   PTO_U8,   PTO_S16,  PTO_U16,  PTO_S32, PTO_U32,
                                  PTO_S64,  PTO_U64,  PTO_F16,  PTO_BF16, PTO_F32, PTO_E4M3,
                                  PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_E2M1, PTO_E1M2};
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static int32_t extent(testing_random *random, int32_t most) {
    return testing_below(random, 6) ? 1 + (int32_t)testing_below(random, (uint32_t)most) : 1;
}

/* trials: all at the best level, a part of them at the others */
static void on_cores(void (*run)(pto_core *core, pto_target target, testing_random *random, int trials)) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < 3; t++) {
            pto_core *core = testing_core(targets[t], level[l]);
            testing_random random = {33};
            run(core, targets[t], &random, l == levels - 1 ? 200 : 20);
            pto_core_destroy(core);
        }
}

static uint64_t before_at(const void *before, const pto_tile *tile, int32_t r, int32_t c) {
    return testing_load(before, tile->type.dtype, testing_offset(&tile->type, r, c));
}

static void expect(const pto_tile *tile, int32_t r, int32_t c, uint64_t want, const char *what) {
    if (testing_get(tile, r, c) != want)
        fail_msg("%s %s %d x %d of %d x %d: (%d, %d) is %llx, not %llx", what,
                 pto_dtype_name(tile->type.dtype), tile->valid_rows, tile->valid_cols, tile->type.rows,
                 tile->type.cols, r, c, (unsigned long long)testing_get(tile, r, c),
                 (unsigned long long)want);
}

/* ---- TFILLPAD ---- */

/* Pad values of 00-model, 3.6, written down again. */
static uint64_t pad_of(pto_pad pad, pto_dtype dtype) {
    static const struct {
        pto_dtype dtype;
        uint32_t min, max;
    } table[] = {{PTO_F32, 0xff800000, 0x7f800000},
                 {PTO_F16, 0xfc00, 0x7c00},
                 {PTO_BF16, 0xff80, 0x7f80},
                 {PTO_S32, 0x80000000, 0x7fffffff},
                 {PTO_U32, 0, 0xffffffff},
                 {PTO_S16, 0x8000, 0x7fff},
                 {PTO_U16, 0, 0xffff},
                 {PTO_S8, 0x80, 0x7f},
                 {PTO_U8, 0, 0xff}};
    if (pad >> 32)
        return pad & UINT32_MAX & (UINT64_MAX >> (64 - pto_dtype_bits(dtype)));
    for (int i = 0; i < COUNT(table); i++)
        if (table[i].dtype == dtype)
            return pad == PTO_PAD_MAX ? table[i].max : pad == PTO_PAD_MIN ? table[i].min : 0;
    return 0;
}

static void check_fill(pto_core *core, testing_random *random, pto_form form, pto_dtype dtype,
                       testing_layout layout) {
    static const pto_pad pads[] = {PTO_PAD_ZERO, PTO_PAD_MAX, PTO_PAD_MIN, PTO_PAD_CUSTOM(0xBF8123A6)};
    static const pto_dtype others[] = {PTO_U8, PTO_U16, PTO_U32};
    bool in_place = form == PTO_FORM_TFILLPAD_INPLACE, expand = form == PTO_FORM_TFILLPAD_EXPAND;
    int32_t rows = (int32_t)testing_below(random, 12), cols = (int32_t)testing_below(random, 34);
    unsigned bits = pto_dtype_bits(dtype);
    pto_dtype from = testing_below(random, 4) ? dtype : others[bits == 8 ? 0 : bits == 16 ? 1 : 2];
    pto_tile_type src_type = testing_type_around(random, PTO_LOC_VEC, from, layout, rows, cols, 2);
    pto_tile_type dst_type = src_type;
    if (expand)
        dst_type = testing_type_around(random, PTO_LOC_VEC, dtype, layout, src_type.rows, src_type.cols, 2);
    dst_type.dtype = dtype;
    dst_type.pad = pads[testing_below(random, 4)];
    pto_tile src = testing_tile(core, random, src_type, rows, cols);
    pto_tile dst =
        testing_tile(core, random, dst_type, testing_below(random, 9) ? dst_type.rows : 0, dst_type.cols);
    if (in_place)
        dst.data = src.data;
    void *source = testing_snapshot(&src), *before = testing_snapshot(&dst);
    TESTING_ACCEPTED(core, form, TILE(&dst), TILE(&src));
    for (int32_t r = 0; r < dst_type.rows; r++)
        for (int32_t c = 0; c < dst_type.cols; c++)
            expect(&dst, r, c,
                   dst.valid_rows == 0    ? before_at(before, &dst, r, c)
                   : r < rows && c < cols ? before_at(source, &src, r, c)
                                          : pad_of(dst_type.pad, dtype),
                   "fillpad");
    if (!in_place)
        assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src_type));
    free(source);
    free(before);
    pto_core_reset(core);
}

static void fills(pto_core *core, pto_target target, testing_random *random, int trials) {
    for (int d = 0; d < COUNT(small); d++)
        for (int trial = 0; trial < trials; trial++) {
            testing_layout layout =
                target == CPU ? (testing_layout)(trial % TESTING_LAYOUT_COUNT) : TESTING_ND;
            check_fill(core, random, PTO_FORM_TFILLPAD, small[d], layout);
            check_fill(core, random, PTO_FORM_TFILLPAD_INPLACE, small[d], layout);
            check_fill(core, random, PTO_FORM_TFILLPAD_EXPAND, small[d], layout);
        }
}
static void test_fills(void **state) {
    (void)state;
    on_cores(fills);
}

static void mat_fills(pto_core *core, pto_target target, testing_random *random, int trials) {
    for (int d = 0; d < COUNT(small); d++)
        for (int trial = 0; trial < trials; trial++) {
            pto_dtype dtype = small[d];
            int32_t rows = extent(random, 40), cols = extent(random, 60),
                    c0 = 256 / (int32_t)pto_dtype_bits(dtype);
            pto_tile_type type = testing_type_around(random, PTO_LOC_MAT, dtype, TESTING_NZ, rows, cols, 2);
            bool in_place = trial & 1, rows_only = trial % 3 == 0;
            int pad = target == CPU ? trial % 4 : trial % 2;
            type.compact = rows_only ? PTO_COMPACT_ROW_ALIGNED_PADDING : PTO_COMPACT_NULL;
            pto_tile src = testing_tile(core, random, type, rows, cols);
            pto_tile dst = in_place ? src : testing_tile(core, random, type, rows, cols);
            void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
            TESTING_ACCEPTED(core, PTO_FORM_TFILLPAD_MAT, TILE(&dst), TILE(&src), ATTR(pad));
            for (int32_t r = 0; r < type.rows; r++)
                for (int32_t c = 0; c < type.cols; c++) {
                    bool valid = r < rows && c < cols;
                    bool filled =
                        rows_only ? r >= rows && r < (rows + 15) / 16 * 16 && c < (cols + c0 - 1) / c0 * c0
                                  : !valid;
                    expect(&dst, r, c,
                           valid    ? before_at(source, &src, r, c)
                           : filled ? pad_of((pto_pad)pad, dtype)
                                    : before_at(before, &dst, r, c),
                           "fillpad mat");
                }
            free(before);
            free(source);
            pto_core_reset(core);
        }
}
static void test_mat_fills(void **state) {
    (void)state;
    on_cores(mat_fills);
}

static pto_tile flat(pto_core *core, pto_dtype dtype, int32_t rows, int32_t cols, int32_t valid_rows,
                     int32_t valid_cols) {
    pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    return testing_tile(core, NULL, type, valid_rows, valid_cols);
}

#define EXPECT(core, rule, form, ...)                                                                        \
    testing_expect(core, TESTING_EXECUTE(core, form, __VA_ARGS__), rule, __FILE__, __LINE__)

static void test_fill_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        bool npu = targets[t] != CPU;
        pto_tile src = flat(core, PTO_F32, 8, 16, 3, 5), dst = flat(core, PTO_F32, 8, 16, 8, 16);
        TESTING_REFUSED(core, "PTO-E0770", PTO_FORM_TFILLPAD, TILE(&dst), TILE(&src));
        TESTING_REFUSED(core, "PTO-E0770", PTO_FORM_TFILLPAD_EXPAND, TILE(&dst), TILE(&src));
        dst.type.pad = PTO_PAD_ZERO;
        TESTING_ACCEPTED(core, PTO_FORM_TFILLPAD, TILE(&dst), TILE(&src));
        pto_tile tall = flat(core, PTO_F32, 9, 16, 9, 16);
        tall.type.pad = PTO_PAD_ZERO;
        TESTING_REFUSED(core, "PTO-E0771", PTO_FORM_TFILLPAD, TILE(&tall), TILE(&src));
        TESTING_ACCEPTED(core, PTO_FORM_TFILLPAD_EXPAND, TILE(&tall), TILE(&src));
        src.type.pad = PTO_PAD_ZERO;
        TESTING_REFUSED(core, "PTO-E0771", PTO_FORM_TFILLPAD_EXPAND, TILE(&src), TILE(&tall));
        TESTING_REFUSED(core, "PTO-E0771", PTO_FORM_TFILLPAD_INPLACE, TILE(&tall), TILE(&src));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TFILLPAD, TILE(&src), TILE(&src));
        TESTING_ACCEPTED(core, PTO_FORM_TFILLPAD_INPLACE, TILE(&src), TILE(&src));
        /* in place elsewhere: a warning, and the valid region is copied */
        assert_int_equal(TESTING_EXECUTE(core, PTO_FORM_TFILLPAD_INPLACE, TILE(&dst), TILE(&src)), PTO_OK);
        assert_true(pto_diag_has(pto_core_diags(core), "PTO-W0772"));
        pto_diag_list_clear(pto_core_diags(core));
        pto_tile a = flat(core, PTO_F32, 8, 16, 3, 5), b = a;
        a.type.pad = PTO_PAD_MAX;
        assert_int_equal(pto_tile_assign(core, &a, 64), PTO_OK);
        assert_int_equal(pto_tile_assign(core, &b, 128), PTO_OK);
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TFILLPAD_INPLACE, TILE(&a), TILE(&b));
        /* types: of one size up to 4 bytes */
        pto_tile half = flat(core, PTO_F16, 8, 16, 3, 5), wide = flat(core, PTO_S64, 8, 16, 3, 5);
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TFILLPAD, TILE(&dst), TILE(&half));
        wide.type.pad = PTO_PAD_ZERO;
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TFILLPAD, TILE(&wide), TILE(&wide));
        /* layout */
        pto_tile dn = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 16), 8, 16),
                 dn2 = dn;
        dn2.data = NULL;
        dn2.type.pad = PTO_PAD_ZERO;
        EXPECT(core, npu ? "PTO-E0321" : NULL, PTO_FORM_TFILLPAD, TILE(&dn2), TILE(&dn));
        EXPECT(core, npu ? "PTO-E0321" : "PTO-E0322", PTO_FORM_TFILLPAD, TILE(&dn2), TILE(&src));
        /* mat */
        pto_tile mat =
            testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 32, 16), 32, 16);
        TESTING_REFUSED(core, "PTO-E0320", PTO_FORM_TFILLPAD, TILE(&mat), TILE(&mat));
        TESTING_REFUSED(core, "PTO-E0773", PTO_FORM_TFILLPAD_MAT, TILE(&dst), TILE(&src));
        TESTING_ACCEPTED(core, PTO_FORM_TFILLPAD_MAT, TILE(&mat), TILE(&mat));
        EXPECT(core, npu ? "PTO-E0773" : NULL, PTO_FORM_TFILLPAD_MAT, TILE(&mat), TILE(&mat), ATTR(2));
        TESTING_REFUSED(core, "PTO-E0773", PTO_FORM_TFILLPAD_MAT, TILE(&mat), TILE(&mat), ATTR(4));
        pto_tile zn =
            testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ZN, 32, 16), 32, 16);
        TESTING_REFUSED(core, "PTO-E0773", PTO_FORM_TFILLPAD_MAT, TILE(&zn), TILE(&zn));
        pto_tile padded = mat;
        padded.type.pad = PTO_PAD_MAX;
        TESTING_REFUSED(core, "PTO-E0773", PTO_FORM_TFILLPAD_MAT, TILE(&padded), TILE(&mat));
        pto_tile half_mat =
            testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_S32, TESTING_NZ, 32, 16), 32, 16);
        TESTING_REFUSED(core, "PTO-E0303", PTO_FORM_TFILLPAD_MAT, TILE(&half_mat), TILE(&mat));
        pto_tile taller =
            testing_tile(core, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 48, 16), 48, 16);
        TESTING_REFUSED(core, "PTO-E0773", PTO_FORM_TFILLPAD_MAT, TILE(&taller), TILE(&mat));
        pto_core_destroy(core);
    }
}

/* ---- TCONCAT ---- */

static void concats(pto_core *core, pto_target target, testing_random *random, int trials) {
    static const pto_dtype indices[] = {PTO_S8, PTO_U8, PTO_S16, PTO_U16, PTO_S32, PTO_U32};
    const pto_dtype *types = target == CPU ? every : std9;
    int count = target == CPU ? COUNT(every) : COUNT(std9);
    for (int d = 0; d < count; d++)
        for (int trial = 0; trial < 4 * trials; trial++) {
            int32_t rows = extent(random, 10), n[2] = {extent(random, 24), extent(random, 24)};
            int form = trial % 4; /* plain, plain, index, index out */
            testing_layout layout[3];
            for (int k = 0; k < 3; k++)
                layout[k] = target == CPU && trial % 3
                                ? (testing_layout)testing_below(random, TESTING_LAYOUT_COUNT)
                                : TESTING_ND;
            int32_t width = form < 2 ? n[0] + n[1] : extent(random, 60);
            pto_tile dst = testing_tile(
                core, random, testing_type_around(random, PTO_LOC_VEC, types[d], layout[0], rows, width, 1),
                rows, width);
            if (target == A2A3 && trial % 8 == 1)
                dst.valid_cols = 1 + (int32_t)testing_below(random, (uint32_t)width);
            pto_tile src[2], index[2], out;
            void *before = testing_snapshot(&dst), *source[2];
            pto_dtype type = indices[testing_below(random, 6)];
            int32_t unit = (int32_t)pto_dtype_bits(type) / 8;
            for (int k = 0; k < 2; k++) {
                src[k] = testing_tile(
                    core, random,
                    testing_type_around(random, PTO_LOC_VEC, types[d], layout[1 + k], rows, n[k], 1), rows,
                    n[k]);
                source[k] = testing_snapshot(&src[k]);
                index[k] = testing_tile(core, random,
                                        testing_type_around(random, PTO_LOC_VEC, type,
                                                            target == CPU && k ? TESTING_DN : TESTING_ND,
                                                            rows, 1, 0),
                                        rows, 1);
                for (int32_t r = 0; r < rows; r++)
                    if (testing_below(random, 5)) /* else anything */
                        testing_set(&index[k], r, 0, testing_below(random, 40u * (uint32_t)unit));
            }
            out =
                testing_tile(core, random,
                             testing_type_around(random, PTO_LOC_VEC, type, TESTING_ND, rows, 1, 0), rows, 1);
            void *out_before = testing_snapshot(&out);
            if (form < 2)
                TESTING_ACCEPTED(core, PTO_FORM_TCONCAT, TILE(&dst), TILE(&src[0]), TILE(&src[1]));
            else if (form == 2)
                TESTING_ACCEPTED(core, PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&src[0]), TILE(&src[1]),
                                 TILE(&index[0]), TILE(&index[1]));
            else
                TESTING_ACCEPTED(core, PTO_FORM_TCONCAT_INDEX_OUT, TILE(&dst), TILE(&src[0]), TILE(&src[1]),
                                 TILE(&out), TILE(&index[0]), TILE(&index[1]));
            for (int32_t r = 0; r < dst.type.rows; r++) {
                int64_t take[2] = {n[0], n[1]};
                if (form >= 2 && r < rows) {
                    int64_t k[2];
                    for (int i = 0; i < 2; i++) {
                        int64_t value = (int64_t)testing_get(&index[i], r, 0);
                        if (pto_dtype_is_signed(type) && value >> (8 * unit - 1))
                            value = 0;
                        k[i] = value / unit;
                    }
                    take[0] = k[0] < width ? k[0] : width;
                    take[1] = k[1] < width - take[0] ? k[1] : width - take[0];
                    if (form == 3) {
                        int64_t total = k[0] + k[1] < width ? k[0] + k[1] : width;
                        assert_int_equal(testing_get(&out, r, 0),
                                         (uint64_t)(total * unit) & (UINT64_MAX >> (64 - 8 * unit)));
                    }
                }
                for (int32_t c = 0; c < dst.type.cols; c++) {
                    uint64_t want = before_at(before, &dst, r, c);
                    int which = c >= take[0];
                    int64_t at = which ? c - take[0] : c;
                    if (r < rows && c < take[0] + take[1] && at < src[which].type.cols)
                        want = before_at(source[which], &src[which], r, (int32_t)at);
                    expect(&dst, r, c, want, "concat");
                }
            }
            assert_true(testing_outside_unchanged(&out, out_before));
            for (int k = 0; k < 2; k++) {
                assert_memory_equal(src[k].data, source[k], (size_t)pto_tile_type_bytes(&src[k].type));
                free(source[k]);
            }
            free(before);
            free(out_before);
            pto_core_reset(core);
        }
}
static void test_concats(void **state) {
    (void)state;
    on_cores(concats);
}

static void test_concat_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        bool npu = targets[t] != CPU, a2a3 = targets[t] == A2A3;
        pto_tile dst = flat(core, PTO_F32, 4, 16, 4, 12), a = flat(core, PTO_F32, 4, 8, 4, 7),
                 b = flat(core, PTO_F32, 4, 8, 4, 5), index = flat(core, PTO_S32, 4, 8, 4, 1),
                 index2 = flat(core, PTO_S32, 4, 8, 4, 2), out = flat(core, PTO_S32, 4, 8, 4, 1);
        TESTING_ACCEPTED(core, PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        b.valid_cols = 6;
        EXPECT(core, a2a3 ? NULL : "PTO-E0774", PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        a.valid_cols = b.valid_cols = 8;
        EXPECT(core, a2a3 ? NULL : "PTO-E0774", PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        dst.type.cols = 8;
        dst.valid_cols = 8;
        TESTING_REFUSED(core, "PTO-E0774", PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        a.valid_rows = 3;
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        a.valid_rows = 4;
        TESTING_ACCEPTED(core, PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b), TILE(&index),
                         TILE(&index2));
        TESTING_ACCEPTED(core, PTO_FORM_TCONCAT_INDEX_OUT, TILE(&dst), TILE(&a), TILE(&b), TILE(&out),
                         TILE(&index), TILE(&index2));
        out.valid_cols = 2;
        TESTING_REFUSED(core, "PTO-E0775", PTO_FORM_TCONCAT_INDEX_OUT, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&out), TILE(&index), TILE(&index2));
        pto_tile real = flat(core, PTO_F32, 4, 8, 4, 1), wide = flat(core, PTO_S64, 4, 8, 4, 1);
        TESTING_REFUSED(core, "PTO-E0775", PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&real), TILE(&real));
        TESTING_REFUSED(core, "PTO-E0775", PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&wide), TILE(&wide));
        TESTING_REFUSED(core, "PTO-E0303", PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&index), TILE(&wide));
        index.valid_cols = 0;
        TESTING_REFUSED(core, "PTO-E0775", PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&index), TILE(&index2));
        index.valid_cols = 1;
        index.valid_rows = 3;
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TCONCAT_INDEX, TILE(&dst), TILE(&a), TILE(&b),
                        TILE(&index), TILE(&index2));
        b.valid_cols = 0;
        TESTING_ACCEPTED(core, PTO_FORM_TCONCAT, TILE(&dst), TILE(&a), TILE(&b));
        TESTING_REFUSED(core, "PTO-E0325", PTO_FORM_TCONCAT, TILE(&dst), TILE(&dst), TILE(&b));
        pto_tile w = flat(core, PTO_S64, 4, 16, 4, 12), wa = flat(core, PTO_S64, 4, 8, 4, 7),
                 wb = flat(core, PTO_S64, 4, 8, 4, 5);
        EXPECT(core, npu ? "PTO-E0302" : NULL, PTO_FORM_TCONCAT, TILE(&w), TILE(&wa), TILE(&wb));
        pto_tile dn = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 12), 8, 12);
        pto_tile da = flat(core, PTO_F32, 8, 8, 8, 7), db = flat(core, PTO_F32, 8, 8, 8, 5);
        EXPECT(core, npu ? "PTO-E0321" : NULL, PTO_FORM_TCONCAT, TILE(&dn), TILE(&da), TILE(&db));
        pto_core_destroy(core);
    }
}

/* ---- TINTERLEAVE, TDEINTERLEAVE ---- */

static void interleaves(pto_core *core, pto_target target, testing_random *random, int trials) {
    if (target == A2A3)
        return;
    for (int d = 0; d < COUNT(std9); d++)
        for (int trial = 0; trial < 3 * trials; trial++) {
            int form = trial % 3;
            int32_t rows = extent(random, 16), w = form == 2 ? extent(random, 60) : 2 * extent(random, 40);
            pto_tile tile[4]; /* dst0, dst1, src0, src1 */
            void *before[4];
            for (int k = 0; k < 4; k++) {
                int32_t cols = form == 2 && k == 2 ? 2 * w : w;
                tile[k] = testing_tile(
                    core, random,
                    testing_type_around(random, PTO_LOC_VEC, std9[d], TESTING_ND, rows, cols, 2), rows, cols);
                before[k] = testing_snapshot(&tile[k]);
            }
            if (form == 2)
                TESTING_ACCEPTED(core, PTO_FORM_TDEINTERLEAVE_ONE, TILE(&tile[1]), TILE(&tile[0]),
                                 TILE(&tile[2]));
            else
                TESTING_EXECUTE(core, form ? PTO_FORM_TDEINTERLEAVE : PTO_FORM_TINTERLEAVE, TILE(&tile[1]),
                                TILE(&tile[0]), TILE(&tile[3]), TILE(&tile[2]));
            for (int32_t r = 0; r < rows; r++)
                for (int32_t s = 0; s < 2 * w; s++) { /* element s of the stream */
                    uint64_t have, want;
                    if (form == 0) {
                        have = s < w ? testing_get(&tile[0], r, s) : testing_get(&tile[1], r, s - w);
                        want = testing_get(&tile[2 + s % 2], r, s / 2);
                    } else {
                        want = form == 2 || s < w ? testing_get(&tile[2], r, s)
                                                  : testing_get(&tile[3], r, s - w);
                        have = testing_get(&tile[s % 2], r, s / 2);
                    }
                    if (have != want)
                        fail_msg("form %d, %s %d x %d, row %d, stream %d: %llx, not %llx", form,
                                 pto_dtype_name(std9[d]), rows, w, r, s, (unsigned long long)have,
                                 (unsigned long long)want);
                }
            for (int k = 0; k < 4; k++) {
                if (k < 2)
                    assert_true(testing_outside_unchanged(&tile[k], before[k]));
                else
                    assert_memory_equal(tile[k].data, before[k], (size_t)pto_tile_type_bytes(&tile[k].type));
                free(before[k]);
            }
            pto_core_reset(core);
        }
}
static void test_interleaves(void **state) {
    (void)state;
    on_cores(interleaves);
}

static void test_interleave_rules(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile a = flat(core, PTO_F32, 4, 16, 4, 6), b = flat(core, PTO_F32, 4, 16, 4, 6),
                 c = flat(core, PTO_F32, 4, 16, 4, 6), d = flat(core, PTO_F32, 4, 16, 4, 6),
                 wide = flat(core, PTO_F32, 4, 16, 4, 12);
        const pto_form forms[] = {PTO_FORM_TINTERLEAVE, PTO_FORM_TDEINTERLEAVE};
        if (targets[t] == A2A3) {
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TINTERLEAVE, TILE(&a), TILE(&b), TILE(&c), TILE(&d));
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TDEINTERLEAVE, TILE(&a), TILE(&b), TILE(&c),
                            TILE(&d));
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TDEINTERLEAVE_ONE, TILE(&a), TILE(&b), TILE(&wide));
            TESTING_REFUSED(core, "PTO-E0301", PTO_FORM_TPACK, TILE(&a), TILE(&b));
            pto_core_destroy(core);
            continue;
        }
        for (int f = 0; f < 2; f++) {
            TESTING_ACCEPTED(core, forms[f], TILE(&a), TILE(&b), TILE(&c), TILE(&d));
            TESTING_REFUSED(core, "PTO-E0325", forms[f], TILE(&a), TILE(&b), TILE(&c), TILE(&a));
            TESTING_REFUSED(core, "PTO-E0325", forms[f], TILE(&a), TILE(&a), TILE(&c), TILE(&d));
            TESTING_ACCEPTED(core, forms[f], TILE(&a), TILE(&b), TILE(&c), TILE(&c));
            a.valid_cols = 5;
            TESTING_REFUSED(core, "PTO-E0323", forms[f], TILE(&a), TILE(&b), TILE(&c), TILE(&d));
            b.valid_cols = c.valid_cols = d.valid_cols = 5;
            TESTING_REFUSED(core, "PTO-E0776", forms[f], TILE(&a), TILE(&b), TILE(&c), TILE(&d));
            a.valid_cols = b.valid_cols = c.valid_cols = d.valid_cols = 6;
        }
        TESTING_ACCEPTED(core, PTO_FORM_TDEINTERLEAVE_ONE, TILE(&a), TILE(&b), TILE(&wide));
        wide.valid_cols = 11;
        TESTING_REFUSED(core, "PTO-E0777", PTO_FORM_TDEINTERLEAVE_ONE, TILE(&a), TILE(&b), TILE(&wide));
        wide.valid_cols = 12;
        wide.valid_rows = 3;
        TESTING_REFUSED(core, "PTO-E0777", PTO_FORM_TDEINTERLEAVE_ONE, TILE(&a), TILE(&b), TILE(&wide));
        a.valid_cols = b.valid_cols = 5; /* odd is allowed */
        wide.valid_rows = 4;
        wide.valid_cols = 10;
        TESTING_ACCEPTED(core, PTO_FORM_TDEINTERLEAVE_ONE, TILE(&a), TILE(&b), TILE(&wide));
        pto_tile dn = testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_DN, 8, 6), 8, 6);
        TESTING_REFUSED(core, "PTO-E0321", PTO_FORM_TINTERLEAVE, TILE(&a), TILE(&b), TILE(&c), TILE(&dn));
        pto_tile long1 = flat(core, PTO_S64, 4, 16, 4, 6), long2 = flat(core, PTO_S64, 4, 16, 4, 6);
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TINTERLEAVE, TILE(&long1), TILE(&long2), TILE(&long1),
                        TILE(&long2));
        pto_core_destroy(core);
    }
}

/* ---- TPACK ---- */

static void packs(pto_core *core, pto_target target, testing_random *random, int trials) {
    if (target == A2A3)
        return;
    for (int s = 0; s < COUNT(small); s++)
        for (int d = 0; d < COUNT(small); d++) {
            unsigned from = pto_dtype_bits(small[s]), to = pto_dtype_bits(small[d]);
            for (int trial = 0; from > to && trial < trials; trial++) {
                int32_t rows = extent(random, 8), cols = extent(random, 40);
                pto_tile src = testing_tile(
                    core, random,
                    testing_type_around(random, PTO_LOC_VEC, small[s], TESTING_ND, rows, cols, 2), rows,
                    cols);
                pto_tile_type type =
                    testing_type_around(random, PTO_LOC_VEC, small[d], TESTING_ND, rows, cols, 2);
                bool in_place =
                    trial % 3 == 0 && pto_tile_type_bytes(&type) <= pto_tile_type_bytes(&src.type);
                pto_tile dst = testing_tile(core, random, type, rows, cols);
                if (in_place)
                    dst.data = src.data;
                void *before = testing_snapshot(&dst), *source = testing_snapshot(&src);
                TESTING_ACCEPTED(core, PTO_FORM_TPACK, TILE(&dst), TILE(&src));
                for (int32_t r = 0; r < type.rows; r++)
                    for (int32_t c = 0; c < type.cols; c++)
                        expect(&dst, r, c,
                               r < rows && c < cols
                                   ? before_at(source, &src, r, c) & (UINT64_MAX >> (64 - to))
                                   : before_at(before, &dst, r, c),
                               "pack");
                if (!in_place)
                    assert_memory_equal(src.data, source, (size_t)pto_tile_type_bytes(&src.type));
                free(before);
                free(source);
                pto_core_reset(core);
            }
        }
}
static void test_packs(void **state) {
    (void)state;
    on_cores(packs);
    for (int t = 0; t < 3; t += 2) {
        pto_core *core = testing_core(targets[t], PTO_SIMD_BASE);
        pto_tile s32 = flat(core, PTO_S32, 4, 32, 4, 6), s16 = flat(core, PTO_S16, 4, 32, 4, 6),
                 s8 = flat(core, PTO_S8, 4, 32, 4, 6), s64 = flat(core, PTO_S64, 4, 32, 4, 6);
        TESTING_ACCEPTED(core, PTO_FORM_TPACK, TILE(&s16), TILE(&s32));
        TESTING_ACCEPTED(core, PTO_FORM_TPACK, TILE(&s8), TILE(&s16));
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPACK, TILE(&s16), TILE(&s8));
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPACK, TILE(&s32), TILE(&s32));
        TESTING_REFUSED(core, "PTO-E0302", PTO_FORM_TPACK, TILE(&s32), TILE(&s64));
        s32.valid_cols = 5;
        TESTING_REFUSED(core, "PTO-E0323", PTO_FORM_TPACK, TILE(&s16), TILE(&s32));
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fills),
                                       cmocka_unit_test(test_mat_fills),
                                       cmocka_unit_test(test_fill_rules),
                                       cmocka_unit_test(test_concats),
                                       cmocka_unit_test(test_concat_rules),
                                       cmocka_unit_test(test_interleaves),
                                       cmocka_unit_test(test_interleave_rules),
                                       cmocka_unit_test(test_packs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
