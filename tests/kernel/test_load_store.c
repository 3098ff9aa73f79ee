/* SPDX-License-Identifier: Apache-2.0 */
/* TLOAD and TSTORE: values of every element against the map of the specification, and every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/memory.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

#define TILE(t) testing_tile_operand(t)
#define GLOBAL(g) testing_global_operand(g)
#define ATTR(v) testing_int_operand(PTO_DTYPE_NONE, v)

static const pto_dtype dtypes[] = {PTO_S4,   PTO_E2M1, PTO_E1M2, PTO_S8,  PTO_U8,  PTO_E4M3,
                                   PTO_E5M2, PTO_E8M0, PTO_HIF8, PTO_S16, PTO_U16, PTO_F16,
                                   PTO_BF16, PTO_S32,  PTO_U32,  PTO_F32, PTO_S64, PTO_U64};
enum { DTYPES_TESTED = sizeof dtypes / sizeof *dtypes };

/* Pad values read off the table of 00-model, 3.6. */
static uint64_t pad_of(pto_pad pad, pto_dtype dtype, int32_t index) {
    unsigned bits = pto_dtype_bits(dtype);
    if (pad >> 32)
        return bits == 64 ? 0 : bits == 4 ? pad >> (4 * (index & 1)) & 15 : pad & ((UINT64_C(1) << bits) - 1);
    static const struct {
        pto_dtype dtype;
        uint64_t min, max;
    } table[] = {{PTO_F32, 0xff800000, 0x7f800000},
                 {PTO_F16, 0xfc00, 0x7c00},
                 {PTO_BF16, 0xff80, 0x7f80},
                 {PTO_S32, 0x80000000, 0x7fffffff},
                 {PTO_U32, 0, 0xffffffff},
                 {PTO_S16, 0x8000, 0x7fff},
                 {PTO_U16, 0, 0xffff},
                 {PTO_S8, 0x80, 0x7f},
                 {PTO_U8, 0, 0xff}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].dtype == dtype)
            return pad == PTO_PAD_MIN ? table[i].min : pad == PTO_PAD_MAX ? table[i].max : 0;
    return 0;
}

static int32_t up(int32_t value, int32_t unit) { return (value + unit - 1) / unit * unit; }

static void check_load(pto_core *core, testing_random *random, pto_dtype dtype, pto_layout layout,
                       testing_layout tile_layout) {
    static const pto_pad pads[] = {PTO_PAD_NULL, PTO_PAD_ZERO, PTO_PAD_MAX, PTO_PAD_MIN,
                                   PTO_PAD_CUSTOM(0xBF8123A6)};
    memory_tensor tensor = memory_tensor_make(random, dtype, layout);
    pto_loc loc = testing_below(random, 2) ? PTO_LOC_VEC : PTO_LOC_MAT;
    pto_tile_type type = testing_type_around(random, loc, dtype, tile_layout, tensor.rows, tensor.cols, 2);
    type.pad = pads[testing_below(random, 5)];
    pto_tile tile = testing_tile(core, random, type, tensor.rows, tensor.cols);
    uint8_t *before = testing_snapshot(&tile);
    TESTING_ACCEPTED(core, PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&tensor.global));
    int32_t block = 256 / (int32_t)pto_dtype_bits(dtype);
    for (int32_t r = 0; r < type.rows; r++)
        for (int32_t c = 0; c < type.cols; c++) {
            uint64_t want = testing_load(before, dtype, testing_offset(&type, r, c));
            bool nd = tile_layout == TESTING_ND && layout == PTO_LAYOUT_ND;
            bool dn = tile_layout == TESTING_DN && layout == PTO_LAYOUT_DN;
            if (r < tensor.rows && c < tensor.cols)
                want = testing_load(tensor.buffer, dtype, tensor.element[r * tensor.cols + c]);
            else if (type.pad != PTO_PAD_NULL && nd && r < tensor.rows && c < up(tensor.cols, block))
                want = pad_of(type.pad, dtype, c);
            else if (type.pad != PTO_PAD_NULL && dn && c < tensor.cols && r < up(tensor.rows, block))
                want = pad_of(type.pad, dtype, r);
            if (testing_get(&tile, r, c) != want)
                fail_msg("%s tensor layout %d, tile layout %d %dx%d valid %dx%d at (%d, %d)",
                         pto_dtype_name(dtype), layout, tile_layout, type.rows, type.cols, tensor.rows,
                         tensor.cols, r, c);
        }
    free(before);
    memory_tensor_free(&tensor);
}

static void test_loads(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        testing_random random = {10};
        for (int d = 0; d < DTYPES_TESTED; d++)
            for (int layout = 0; layout < 3; layout++)
                for (int tile = 0; tile < TESTING_LAYOUT_COUNT; tile++)
                    for (int trial = 0; trial < 4; trial++) {
                        check_load(core, &random, dtypes[d], (pto_layout)layout, (testing_layout)tile);
                        pto_core_reset(core);
                    }
        pto_core_destroy(core);
    }
}

static void check_store(pto_core *core, testing_random *random, pto_dtype dst, pto_dtype src, pto_loc loc,
                        pto_layout layout, testing_layout tile_layout, bool atomic, bool relu) {
    memory_tensor tensor = memory_tensor_make(random, dst, layout);
    pto_tile_type type = testing_type_around(random, loc, src, tile_layout, tensor.rows, tensor.cols, 2);
    if (loc == PTO_LOC_ACC) {
        type.fractal = 1024;
        type.cols = up(type.cols, 16);
    }
    pto_tile tile = testing_tile(core, random, type, tensor.rows, tensor.cols);
    void *want = memory_tensor_snapshot(&tensor);
    for (int32_t r = 0; r < tensor.rows; r++)
        for (int32_t c = 0; c < tensor.cols; c++) {
            int64_t at = tensor.element[r * tensor.cols + c];
            uint64_t value = testing_get(&tile, r, c);
            if (loc == PTO_LOC_ACC)
                value = memory_fixpipe(dst, src, value, relu);
            if (atomic)
                value = memory_sum(dst, testing_load(want, dst, at), value);
            testing_store(want, dst, at, value);
        }
    TESTING_ACCEPTED(core, PTO_FORM_TSTORE, GLOBAL(&tensor.global), TILE(&tile), ATTR(0), ATTR(atomic),
                     ATTR(relu));
    for (int64_t i = 0; i < tensor.elements; i++)
        if (testing_load(tensor.buffer, dst, i) != testing_load(want, dst, i))
            fail_msg("%s to %s, tile layout %d, tensor layout %d, atomic %d, relu %d: element %lld is %llx, "
                     "not %llx",
                     pto_dtype_name(src), pto_dtype_name(dst), tile_layout, layout, atomic, relu,
                     (long long)i, (unsigned long long)testing_load(tensor.buffer, dst, i),
                     (unsigned long long)testing_load(want, dst, i));
    free(want);
    memory_tensor_free(&tensor);
}

static void test_stores(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        testing_random random = {11};
        for (int d = 0; d < DTYPES_TESTED; d++)
            for (int layout = 0; layout < 3; layout++)
                for (int tile = 0; tile < TESTING_LAYOUT_COUNT; tile++)
                    for (int trial = 0; trial < 4; trial++) {
                        check_store(core, &random, dtypes[d], dtypes[d], trial ? PTO_LOC_VEC : PTO_LOC_MAT,
                                    (pto_layout)layout, (testing_layout)tile, false, false);
                        pto_core_reset(core);
                    }
        pto_core_destroy(core);
    }
}

static void test_stores_from_acc_and_atomic(void **state) {
    (void)state;
    static const pto_dtype pairs[][2] = {
        {PTO_F32, PTO_F32}, {PTO_F16, PTO_F32}, {PTO_BF16, PTO_F32}, {PTO_S32, PTO_S32}};
    static const pto_dtype added[] = {PTO_F16, PTO_BF16, PTO_F32, PTO_S8, PTO_S16, PTO_S32};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[l]);
        testing_random random = {12};
        for (int layout = 0; layout < 3; layout++)
            for (int trial = 0; trial < 5; trial++) {
                for (int p = 0; p < 4; p++)
                    for (int mode = 0; mode < 4; mode++) {
                        check_store(core, &random, pairs[p][0], pairs[p][1], PTO_LOC_ACC, (pto_layout)layout,
                                    TESTING_NZ, mode & 1, mode & 2);
                        pto_core_reset(core);
                    }
                for (int d = 0; d < 6; d++) {
                    check_store(core, &random, added[d], added[d], PTO_LOC_VEC, (pto_layout)layout,
                                (testing_layout)(trial % TESTING_LAYOUT_COUNT), true, false);
                    pto_core_reset(core);
                }
            }
        pto_core_destroy(core);
    }
}

/* ---- rules ---- */

static float buffer[1 << 16];

static pto_global tensor(pto_dtype dtype, pto_layout layout, int64_t s0, int64_t s1, int64_t s2, int64_t s3,
                         int64_t s4) {
    pto_global g = {.dtype = dtype,
                    .layout = layout,
                    .shape = {s0, s1, s2, s3, s4},
                    .data = buffer,
                    .begin = buffer,
                    .end = buffer + sizeof buffer / sizeof *buffer};
    int64_t next = 1;
    static const int orders[3][5] = {{4, 3, 2, 1, 0}, {3, 4, 2, 1, 0}, {4, 3, 2, 1, 0}};
    for (int k = 0; k < 5; k++) {
        g.stride[orders[layout][k]] = next;
        next *= g.shape[orders[layout][k]];
    }
    return g;
}

static void load(pto_target target, const char *rule, pto_tile_type type, int32_t vr, int32_t vc,
                 pto_global g) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    pto_tile tile = testing_tile(core, NULL, type, vr, vc);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&g));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void store(pto_target target, const char *rule, pto_tile_type type, int32_t vr, int32_t vc,
                  pto_global g, int64_t atomic, int64_t relu) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    type.valid_rows = type.valid_cols = PTO_DYNAMIC;
    pto_tile tile = testing_tile(core, NULL, type, vr, vc);
    pto_status status =
        TESTING_EXECUTE(core, PTO_FORM_TSTORE, GLOBAL(&g), TILE(&tile), ATTR(0), ATTR(atomic), ATTR(relu));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

#define ND(s3, s4) tensor(PTO_F32, PTO_LAYOUT_ND, 1, 1, 1, s3, s4)
#define DN(s3, s4) tensor(PTO_F32, PTO_LAYOUT_DN, 1, 1, 1, s3, s4)
static const pto_target targets[] = {PTO_TARGET_CPU, PTO_TARGET_A2A3, PTO_TARGET_A5};
#define CPU PTO_TARGET_CPU
#define A2A3 PTO_TARGET_A2A3
#define A5 PTO_TARGET_A5

static void test_load_rules_of_every_target(void **state) {
    (void)state;
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        pto_tile_type nd = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4, 16);
        load(target, NULL, nd, 4, 9, ND(4, 9));
        load(target, "PTO-E0703", nd, 4, 9, ND(4, 10));
        load(target, "PTO-E0703", nd, 3, 9, ND(4, 9));
        load(target, "PTO-E0324", nd, 0, 9, ND(4, 9));
        load(target, "PTO-E0705", nd, 4, 9, ND(0, 9));
        load(target, "PTO-E0705", nd, 4, 9, ND(-1, 9));
        load(target, "PTO-E0704", nd, 4, 9,
             (pto_global){
                 .dtype = PTO_F32, .layout = (pto_layout)3, .shape = {1, 1, 1, 4, 9}, .data = buffer});
        load(target, "PTO-E0328", nd, 4, 9, tensor(PTO_F16, PTO_LAYOUT_ND, 1, 1, 1, 4, 9));
        load(target, NULL, nd, 4, 9, tensor(PTO_S32, PTO_LAYOUT_ND, 2, 1, 2, 1, 9));
        load(target, "PTO-E0701", testing_type(PTO_LOC_RIGHT, PTO_F32, TESTING_ZN, 8, 16), 8, 16, ND(8, 16));
        load(target, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 16, 16), 16, 16, ND(16, 16));
        pto_global far = ND(4, 9);
        far.end = buffer + 35;
        load(target, "PTO-E0901", nd, 4, 9, far);
    }
}

static void test_load_rules_of_hardware(void **state) {
    (void)state;
    pto_tile_type nd = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 16);
    pto_tile_type nz = testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 16, 16);
    pto_tile_type zn = testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ZN, 16, 16);
    pto_tile_type nd8 = testing_type(PTO_LOC_VEC, PTO_S64, TESTING_ND, 16, 16);
    pto_tile_type nz8 = testing_type(PTO_LOC_VEC, PTO_S64, TESTING_NZ, 16, 16);
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != CPU;
        load(target, npu ? "PTO-E0704" : NULL, nd, 16, 16, DN(16, 16));
        load(target, target == A2A3 ? "PTO-E0704" : NULL, nz, 16, 16, DN(16, 16));
        load(target, NULL, zn, 16, 16, DN(16, 16));
        load(target, npu ? "PTO-E0704" : NULL, zn, 16, 16, ND(16, 16));
        load(target, target == A2A3 ? "PTO-E0704" : NULL, nz, 16, 16,
             tensor(PTO_F32, PTO_LAYOUT_ND, 1, 1, 2, 8, 16));
        load(target, NULL, nz, 16, 16, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 2, 1, 16, 8));
        load(target, npu ? "PTO-E0706" : NULL, nz, 16, 16, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 2, 2, 8, 8));
        load(target, npu ? "PTO-E0706" : NULL, nz, 16, 16, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 1, 1, 16, 16));
        pto_tile_type nz1024 = nz;
        nz1024.fractal = 1024;
        load(target, npu ? "PTO-E0704" : NULL, nz1024, 16, 16, ND(16, 16));
        load(target, NULL, nd8, 8, 8, tensor(PTO_U64, PTO_LAYOUT_ND, 1, 1, 1, 8, 8));
        load(target, npu ? "PTO-E0704" : NULL, nz8, 16, 16, tensor(PTO_U64, PTO_LAYOUT_NZ, 1, 4, 1, 16, 4));
        pto_tile_type padded = nd8;
        padded.pad = PTO_PAD_MAX;
        load(target, target == A5 ? "PTO-E0710" : NULL, padded, 8, 8,
             tensor(PTO_U64, PTO_LAYOUT_ND, 1, 1, 1, 8, 8));
        padded.pad = PTO_PAD_ZERO;
        load(target, NULL, padded, 8, 8, tensor(PTO_U64, PTO_LAYOUT_ND, 1, 1, 1, 8, 8));
        pto_global strided = ND(16, 16);
        strided.stride[4] = 2;
        strided.stride[3] = 32;
        load(target, npu ? "PTO-E0707" : NULL, nd, 16, 16, strided);
        load(target, target == A2A3 ? "PTO-E0702" : NULL,
             testing_type(PTO_LOC_VEC, PTO_E4M3, TESTING_ND, 4, 32), 4, 32,
             tensor(PTO_E4M3, PTO_LAYOUT_ND, 1, 1, 1, 4, 32));
        load(target, npu ? "PTO-E0702" : NULL, testing_type(PTO_LOC_VEC, PTO_S4, TESTING_ND, 4, 64), 4, 64,
             tensor(PTO_S4, PTO_LAYOUT_ND, 1, 1, 1, 4, 64));
        /* counts: rows of vec, bursts, lines of mat */
        pto_tile_type tall = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4096, 8);
        load(target, target == A2A3 ? "PTO-E0708" : NULL, tall, 2, 8, ND(2, 8));
        tall.rows = 4095;
        load(target, NULL, tall, 4095, 8, ND(4095, 8));
        pto_tile_type tall_mat = testing_type(PTO_LOC_MAT, PTO_U8, TESTING_ND, 16384, 32);
        load(target, NULL, tall_mat, 2, 32, tensor(PTO_U8, PTO_LAYOUT_ND, 1, 1, 1, 2, 32));
        load(target, target == A2A3 ? "PTO-E0708" : NULL, tall_mat, 4096, 32,
             tensor(PTO_U8, PTO_LAYOUT_ND, 1, 1, 1, 4096, 32));
        load(target, NULL, tall_mat, 4096, 32, tensor(PTO_U8, PTO_LAYOUT_ND, 1, 1, 2, 2048, 32));
        pto_tile_type mat = testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 16, 16);
        load(target, target == A2A3 ? "PTO-E0709" : NULL, mat, 16, 9, ND(16, 9));
        mat.rows = 1;
        load(target, NULL, mat, 1, 9, ND(1, 9));
    }
    /* the a2a3 repacking engine */
    pto_global pitched = ND(16, 16);
    pitched.begin = pitched.end = NULL;
    pitched.stride[3] = 65536;
    pitched.shape[3] = 1;
    load(A2A3, "PTO-E0708", testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 16, 16), 1, 16, pitched);
    pitched.stride[3] = 65535;
    load(A2A3, NULL, testing_type(PTO_LOC_MAT, PTO_F32, TESTING_NZ, 16, 16), 1, 16, pitched);
}

static void test_store_rules(void **state) {
    (void)state;
    pto_tile_type nd = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 16, 16);
    pto_tile_type mat = testing_type(PTO_LOC_MAT, PTO_F32, TESTING_ND, 16, 16);
    pto_tile_type acc = testing_type(PTO_LOC_ACC, PTO_F32, TESTING_NZ, 16, 32);
    acc.fractal = 1024;
    for (int t = 0; t < 3; t++) {
        pto_target target = targets[t];
        bool npu = target != CPU;
        store(target, NULL, nd, 16, 9, ND(16, 9), 0, 0);
        store(target, "PTO-E0703", nd, 16, 9, ND(16, 8), 0, 0);
        store(target, "PTO-E0324", nd, 16, 0, ND(16, 8), 0, 0);
        store(target, "PTO-E0705", nd, 16, 9, ND(16, 0), 0, 0);
        store(target, "PTO-E0701", testing_type(PTO_LOC_RIGHT, PTO_F32, TESTING_ZN, 8, 16), 8, 16, ND(8, 16),
              0, 0);
        store(target, target == A5 ? "PTO-E0701" : NULL, mat, 16, 16, ND(16, 16), 0, 0);
        store(target,
              target == A5     ? "PTO-E0701"
              : target == A2A3 ? "PTO-E0709"
                               : NULL,
              mat, 16, 9, ND(16, 9), 0, 0);
        store(target, "PTO-E0328", nd, 16, 9, tensor(PTO_F16, PTO_LAYOUT_ND, 1, 1, 1, 16, 9), 0, 0);
        store(target, "PTO-E0712", nd, 16, 9, ND(16, 9), 0, 1);
        store(target, "PTO-E0714", acc, 16, 9, ND(16, 9), 0, 2);
        store(target, "PTO-E0714", nd, 16, 9, ND(16, 9), 2, 0);
        store(target, "PTO-E0713", testing_type(PTO_LOC_VEC, PTO_U32, TESTING_ND, 16, 16), 16, 9,
              tensor(PTO_U32, PTO_LAYOUT_ND, 1, 1, 1, 16, 9), 1, 0);
        store(target, NULL, nd, 16, 9, ND(16, 9), 1, 0);
        pto_global fixed = ND(16, 9);
        fixed.read_only = true;
        store(target, "PTO-E0711", nd, 16, 9, fixed, 0, 0);
        store(target, npu ? "PTO-E0704" : NULL, nd, 16, 16, DN(16, 16), 0, 0);
        pto_tile_type line = testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 1, 16);
        store(target, NULL, line, 1, 16, DN(1, 16), 0, 0);
        store(target, npu ? "PTO-E0704" : NULL, testing_type(PTO_LOC_VEC, PTO_S64, TESTING_NZ, 16, 16), 16,
              16, tensor(PTO_S64, PTO_LAYOUT_NZ, 1, 4, 1, 16, 4), 0, 0);
        store(target, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_NZ, 16, 16), 16, 16,
              tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 2, 1, 16, 8), 0, 0);
        store(target, target == A2A3 ? "PTO-E0702" : NULL,
              testing_type(PTO_LOC_VEC, PTO_HIF8, TESTING_ND, 4, 32), 4, 32,
              tensor(PTO_HIF8, PTO_LAYOUT_ND, 1, 1, 1, 4, 32), 0, 0);
        pto_global strided = ND(16, 9);
        strided.stride[4] = 3;
        strided.stride[3] = 27;
        store(target, npu ? "PTO-E0707" : NULL, nd, 16, 9, strided, 0, 0);
        /* accumulators */
        store(target, NULL, acc, 16, 9, ND(16, 9), 0, 1);
        store(target, NULL, acc, 16, 9, tensor(PTO_BF16, PTO_LAYOUT_ND, 1, 1, 1, 16, 9), 0, 0);
        store(target, "PTO-E0702", acc, 16, 9, tensor(PTO_S32, PTO_LAYOUT_ND, 1, 1, 1, 16, 9), 0, 0);
        store(target, "PTO-E0702", acc, 16, 9, tensor(PTO_S8, PTO_LAYOUT_ND, 1, 1, 1, 16, 9), 0, 0);
        store(target, npu ? "PTO-E0704" : NULL, acc, 16, 9, DN(16, 9), 0, 0);
        store(target, target == A2A3 ? "PTO-E0704" : NULL, acc, 16, 9,
              tensor(PTO_F32, PTO_LAYOUT_ND, 1, 1, 2, 8, 9), 0, 0);
        store(target, NULL, acc, 16, 32, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 4, 1, 16, 8), 0, 0);
        store(target, NULL, acc, 16, 32, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 2, 1, 16, 16), 0, 0);
        store(target, npu ? "PTO-E0706" : NULL, acc, 16, 32, tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 8, 1, 16, 4),
              0, 0);
        store(target, npu ? "PTO-E0706" : NULL, acc, 16, 32, tensor(PTO_F16, PTO_LAYOUT_NZ, 1, 4, 1, 16, 8),
              0, 0);
        store(target, target == A2A3 ? "PTO-E0708" : NULL, acc, 16, 8,
              tensor(PTO_F32, PTO_LAYOUT_NZ, 1, 1, 1, 16, 8), 0, 0);
        pto_tile_type wide = acc;
        wide.cols = 4096;
        wide.rows = 1;
        store(target, npu ? "PTO-E0708" : NULL, wide, 1, 16, ND(1, 16), 0, 0);
        wide.cols = 4080;
        store(target, NULL, wide, 1, 16, ND(1, 16), 0, 0);
    }
    store(A2A3, "PTO-E0708", testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4096, 8), 4096, 8, ND(4096, 8), 0,
          0);
    store(A5, NULL, testing_type(PTO_LOC_VEC, PTO_F32, TESTING_ND, 4096, 8), 4096, 8, ND(4096, 8), 0, 0);
}

/* A refused load or store changes nothing. */
static void test_refusal_writes_nothing(void **state) {
    (void)state;
    pto_core *core = testing_core(PTO_TARGET_CPU, PTO_SIMD_BASE);
    testing_random random = {13};
    pto_tile_type type = testing_type_around(NULL, PTO_LOC_VEC, PTO_F32, TESTING_ND, 4, 8, 0);
    pto_tile tile = testing_tile(core, &random, type, 4, 8);
    void *before = testing_snapshot(&tile);
    pto_global g = ND(4, 8);
    g.end = buffer + 31;
    TESTING_REFUSED(core, "PTO-E0901", PTO_FORM_TLOAD, TILE(&tile), GLOBAL(&g));
    assert_memory_equal(before, tile.data, 4 * 8 * 4);
    memset(buffer, 0, 128);
    TESTING_REFUSED(core, "PTO-E0901", PTO_FORM_TSTORE, GLOBAL(&g), TILE(&tile));
    for (int i = 0; i < 32; i++)
        assert_true(buffer[i] == 0);
    free(before);
    pto_core_destroy(core);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_stores_from_acc_and_atomic),
        cmocka_unit_test(test_load_rules_of_every_target),
        cmocka_unit_test(test_load_rules_of_hardware),
        cmocka_unit_test(test_store_rules),
        cmocka_unit_test(test_refusal_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
