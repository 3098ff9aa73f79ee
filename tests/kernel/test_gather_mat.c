/* SPDX-License-Identifier: Apache-2.0 */
/* MGATHER into boxes in mat, indices in global memory: every mode, element by element, what is cleared, the
 * scratch tensor; its rules. */
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
#define ATTR(value) testing_int_operand(PTO_DTYPE_NONE, value)
#define NOTHING ((pto_operand){.kind = PTO_OPERAND_ABSENT})

static const int64_t modes[] = {PTO_GATHER_UNDEFINED, PTO_GATHER_CLAMP, PTO_GATHER_WRAP, PTO_GATHER_ZERO};

/* ND, with rows apart from each other. */
static pto_global make_global(pto_dtype dtype, int64_t planes, int64_t rows, int64_t cols, int64_t pitch,
                              void **buffer) {
    size_t bytes = (size_t)(planes * rows * pitch) * pto_dtype_bits(dtype) / 8;
    *buffer = calloc(1, bytes);
    return (pto_global){.dtype = dtype,
                        .layout = PTO_LAYOUT_ND,
                        .shape = {1, 1, planes, rows, cols},
                        .stride = {planes * rows * pitch, planes * rows * pitch, rows * pitch, pitch, 1},
                        .data = *buffer,
                        .begin = *buffer,
                        .end = (char *)*buffer + bytes};
}

/* -1: zero; -2: an error. */
static int64_t place_of(uint32_t index, int64_t mode, int64_t capacity) {
    if (index < capacity)
        return index;
    return mode == PTO_GATHER_CLAMP  ? capacity - 1
           : mode == PTO_GATHER_WRAP ? index % capacity
           : mode == PTO_GATHER_ZERO ? -1
                                     : -2;
}

static void gather_once(pto_core *core, testing_random *random, pto_dtype dtype, int trial) {
    const pto_target target = pto_core_options(core)->target;
    const bool cpu = target == PTO_TARGET_CPU, by_row = trial & 1;
    const bool scratch = cpu ? testing_below(random, 2) : !by_row;
    const int64_t mode = modes[trial / 2 % 4];
    int32_t rows = trial ? 1 + (int32_t)testing_below(random, 40) : 1,
            cols = trial ? 1 + (int32_t)testing_below(random, 50) : 1;
    testing_layout layout = cpu && trial % 5 == 0 ? TESTING_ND : TESTING_NZ;
    pto_tile dst = testing_tile(
        core, random, testing_type_around(random, PTO_LOC_MAT, dtype, layout, rows, cols, 1), rows, cols);
    void *table_buffer, *index_buffer, *scratch_buffer;
    const int64_t width = cols + (target == PTO_TARGET_A5 ? 0 : (int32_t)testing_below(random, 4));
    pto_global table = make_global(dtype, 1 + testing_below(random, 2), 1 + testing_below(random, 9), width,
                                   width + testing_below(random, 3), &table_buffer);
    const int64_t capacity = table.shape[2] * table.shape[3] * (by_row ? 1 : width);
    for (int64_t i = 0; i < table.stride[0]; i++)
        testing_store(table_buffer, dtype, i, testing_bits(random, dtype));
    static const pto_dtype types[] = {PTO_S32, PTO_U32, PTO_S64, PTO_U16};
    const pto_dtype itype = types[testing_below(random, cpu ? 4 : 2)];
    pto_global idx =
        by_row ? make_global(itype, 1, 1, rows + (int32_t)testing_below(random, 3), rows + 3, &index_buffer)
               : make_global(itype, 1, rows + (int32_t)testing_below(random, 2),
                             cols + (int32_t)testing_below(random, 2), cols + 2, &index_buffer);
    for (int64_t i = 0; i < idx.stride[0]; i++)
        testing_store(index_buffer, itype, i,
                      mode != PTO_GATHER_UNDEFINED && testing_below(random, 4) == 0
                          ? testing_bits(random, itype)
                          : testing_below(random, (uint32_t)capacity));
    if (mode == PTO_GATHER_UNDEFINED && trial % 16 == 0)
        testing_store(index_buffer, itype, 0, UINT64_MAX >> (64 - pto_dtype_bits(itype)));
    const int64_t room = (int64_t)dst.type.rows * dst.type.cols;
    pto_global image = make_global(dtype, 1, 1, room + testing_below(random, 3), room + 3, &scratch_buffer);
    memset(scratch_buffer, 0x5a, (size_t)(room + 3) * pto_dtype_bits(dtype) / 8);

    void *before = testing_snapshot(&dst);
    const size_t bytes = (size_t)pto_tile_type_bytes(&dst.type);
    uint8_t *want = malloc(bytes);
    memcpy(want, before, bytes);
    if (!by_row || mode == PTO_GATHER_ZERO)
        memset(want, 0, bytes);
    bool error = false;
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < cols; c++) {
            uint64_t bits = testing_load(index_buffer, itype, by_row ? r : r * idx.stride[3] + c);
            int64_t place = place_of((uint32_t)bits, mode, capacity);
            error |= place == -2;
            int64_t at = by_row ? place * table.stride[3] + c : place;
            testing_store(want, dtype, testing_offset(&dst.type, r, c),
                          place < 0 ? 0 : testing_load(table_buffer, dtype, at));
        }
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_MGATHER_L1, TILE(&dst), GLOBAL(&table), GLOBAL(&idx),
                                        scratch ? GLOBAL(&image) : NOTHING,
                                        ATTR(by_row ? PTO_COALESCE_ROW : PTO_COALESCE_ELEM), ATTR(mode),
                                        ATTR(target != PTO_TARGET_A2A3 && testing_below(random, 2)));
    testing_expect(core, status, error ? "PTO-E0853" : NULL, __FILE__, __LINE__);
    if (memcmp(dst.data, error ? before : want, bytes))
        fail_msg("%s %dx%d row %d mode %d", pto_dtype_name(dtype), rows, cols, by_row, (int)mode);
    const uint8_t *written = scratch_buffer;
    const size_t used = scratch && !by_row && !error ? bytes : 0;
    assert_memory_equal(written, want, used);
    for (size_t i = used; i < (size_t)(room + 3) * pto_dtype_bits(dtype) / 8; i++)
        assert_int_equal(written[i], 0x5a);
    free(before);
    free(want);
    free(table_buffer);
    free(index_buffer);
    free(scratch_buffer);
    pto_core_reset(core);
}

static void test_values(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_S8,   PTO_U8,  PTO_S16,  PTO_U16,  PTO_S32,  PTO_U32, PTO_F16,
                                      PTO_BF16, PTO_F32, PTO_E4M3, PTO_E5M2, PTO_HIF8, PTO_S64};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int l = 0; l < levels; l++)
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_core *core = testing_core((pto_target)t, level[l]);
            testing_random random = {37};
            int count = t == PTO_TARGET_CPU ? 13 : t == PTO_TARGET_A5 ? 12 : 9;
            for (int d = 0; d < count; d++)
                for (int trial = 0; trial < 200; trial++)
                    gather_once(core, &random, types[d], trial);
            pto_core_destroy(core);
        }
}

/* ---- rules ---- */

typedef struct setting {
    pto_tile_type dst;
    pto_global table, idx, scratch;
    bool has_scratch;
    int64_t coalesce, mode, exec;
} setting;

static float table_data[64 * 64];
static int32_t index_data[64 * 64];
static float scratch_data[32 * 32];

static setting usual(void) {
    setting s = {.dst = pto_tile_type_nz(PTO_LOC_MAT, PTO_F32, 16, 16)};
    s.table = pto_global_make_2d(table_data, PTO_F32, PTO_LAYOUT_ND, 64, 16, 64);
    s.idx = pto_global_make_2d(index_data, PTO_S32, PTO_LAYOUT_ND, 16, 16, 16);
    s.scratch = pto_global_make_2d(scratch_data, PTO_F32, PTO_LAYOUT_ND, 1, 256, 256);
    return s;
}

static void expect(pto_target target, const char *rule, setting s) {
    pto_core *core = testing_core(target, PTO_SIMD_BASE);
    pto_tile dst = pto_tile_make(s.dst);
    pto_status status = TESTING_EXECUTE(core, PTO_FORM_MGATHER_L1, TILE(&dst), GLOBAL(&s.table),
                                        GLOBAL(&s.idx), s.has_scratch ? GLOBAL(&s.scratch) : NOTHING,
                                        ATTR(s.coalesce), ATTR(s.mode), ATTR(s.exec));
    testing_expect(core, status, rule, __FILE__, __LINE__);
    pto_core_destroy(core);
}

static void test_rules(void **state) {
    (void)state;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        const pto_target target = (pto_target)t;
        const bool cpu = target == PTO_TARGET_CPU, a5 = target == PTO_TARGET_A5;
        const setting row = usual();
        setting elem = usual(), s;
        elem.coalesce = PTO_COALESCE_ELEM, elem.has_scratch = true;
        expect(target, NULL, row);
        expect(target, NULL, elem);
        s = row, s.has_scratch = true;
        expect(target, cpu ? NULL : "PTO-E0896", s);
        s = elem, s.has_scratch = false;
        expect(target, cpu ? NULL : "PTO-E0896", s);
        s = row, s.dst.loc = PTO_LOC_VEC;
        expect(target, "PTO-E0320", s);
        s = row, s.dst = pto_tile_type_make(PTO_LOC_MAT, PTO_F32, 16, 16);
        expect(target, cpu ? NULL : "PTO-E0893", s);
        s = row, s.table.layout = PTO_LAYOUT_DN;
        expect(target, cpu ? NULL : "PTO-E0893", s);
        s = row, s.table.dtype = PTO_S32;
        expect(target, cpu ? NULL : "PTO-E0303", s);
        s.table.dtype = PTO_F16;
        expect(target, "PTO-E0328", s);
        s = row, s.exec = 1;
        expect(target, cpu || a5 ? NULL : "PTO-E0894", s);
        s.exec = 2;
        expect(target, "PTO-E0894", s);
        s = row, s.mode = 4;
        expect(target, "PTO-E0894", s);
        s = row, s.idx.dtype = PTO_S16;
        expect(target, cpu ? NULL : "PTO-E0892", s);
        s.idx.dtype = PTO_F32;
        expect(target, "PTO-E0892", s);
        s = row, s.idx.shape[3] = 1;
        expect(target, NULL, s);
        s.idx.shape[4] = 15;
        expect(target, "PTO-E0891", s);
        s = elem, s.idx.shape[3] = 15;
        expect(target, "PTO-E0891", s);
        s = elem, s.idx.shape[4] = 15;
        expect(target, "PTO-E0891", s);
        s = row, s.table.shape[4] = 15;
        expect(target, "PTO-E0890", s);
        s = elem, s.scratch.shape[4] = 255;
        expect(target, "PTO-E0897", s);
        s = elem, s.scratch.dtype = PTO_S32;
        expect(target, "PTO-E0303", s);
        s = elem, s.scratch.read_only = true;
        expect(target, "PTO-E0711", s);
        s = elem, s.scratch.begin = scratch_data, s.scratch.end = scratch_data + 256;
        expect(target, NULL, s);
        s.scratch.stride[4] = -1, s.scratch.data = scratch_data + 255;
        expect(target, "PTO-E0901", s);
        s = row, s.idx.begin = index_data, s.idx.end = index_data + 256;
        expect(target, NULL, s);
        s.idx.shape[3] = 1, s.idx.stride[4] = -1, s.idx.data = index_data + 20;
        s.idx.end = index_data + 21;
        expect(target, "PTO-E0901", s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
