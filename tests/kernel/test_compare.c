/* SPDX-License-Identifier: Apache-2.0 */
/* TCMP TCMPS TSEL TSELS against plain comparisons of numbers: every element type, mode, layout, mask type and
 * way of working in place; every pair of special values; bits and bytes outside of the valid columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "support/elementwise_testing.h"

#include <stdlib.h>
#include <string.h>

#include <pto/number.h>
#include <pto/ops.h>

static bool is_tile_type(pto_dtype type) { return type != PTO_DTYPE_NONE && type != PTO_F64; }

/* -1, 0, 1, or 2 for unordered */
static int order_of(pto_dtype type, uint64_t a, uint64_t b) {
    if (pto_dtype_is_int(type)) {
        const uint64_t sign = pto_dtype_is_signed(type) ? UINT64_C(1) << (pto_dtype_bits(type) - 1) : 0;
        a ^= sign;
        b ^= sign;
        return (a > b) - (a < b);
    }
    const double x = pto_number_to_double(type, a), y = pto_number_to_double(type, b);
    return x != x || y != y ? 2 : (x > y) - (x < y);
}

static bool holds(int mode, int order) {
    switch (mode) {
    case PTO_CMP_NE:
        return order != 0;
    case PTO_CMP_LT:
        return order == -1;
    case PTO_CMP_LE:
        return order == -1 || order == 0;
    case PTO_CMP_GT:
        return order == 1;
    case PTO_CMP_GE:
        return order == 1 || order == 0;
    default: /* unknown modes act as EQ */
        return order == 0;
    }
}

static uint64_t flushed(pto_dtype type, uint64_t code) {
    const unsigned fraction = type == PTO_F32 ? 23 : type == PTO_F16 ? 10 : type == PTO_BF16 ? 7 : 0;
    const uint64_t sign = UINT64_C(1) << (pto_dtype_bits(type) - 1);
    return fraction && !((code & (sign - 1)) >> fraction) ? code & sign : code;
}

static bool mask_bit(const void *data, const pto_tile_type *type, int32_t r, int32_t c) {
    const size_t pitch = (size_t)type->cols * pto_dtype_bits(type->dtype) / 8;
    return ((const uint8_t *)data)[(size_t)r * pitch + (size_t)c / 8] >> c % 8 & 1;
}

typedef enum compare_form { TILES, SCALAR, THRESHOLD, COMPARE_FORMS } compare_form;

static bool accepts(pto_form form, pto_target target, pto_dtype type) {
    const pto_form_desc *desc = pto_form_get(form);
    bool accepted = desc->types_any[target];
    for (int i = 0; i < desc->type_count[target]; i++)
        accepted |= desc->types[target][i].set[0] >> type & 1;
    return accepted;
}

static void check_compare(uint64_t seed, pto_target target, pto_dtype type, compare_form form, bool flush) {
    static const pto_form forms[] = {PTO_FORM_TCMP, PTO_FORM_TCMPS, PTO_FORM_TCMPS_TILE};
    static const pto_dtype masks[] = {PTO_U8, PTO_S8, PTO_U32, PTO_S32};
    if (!accepts(forms[form], target, type))
        return;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    const pto_numeric_options numeric = {.flush_subnormals = flush};
    for (int k = 0; k < levels; k++) {
        testing_random random = {seed};
        pto_core *core = elementwise_core(target, level[k], &numeric);
        const int32_t rows = (int32_t)testing_below(&random, 5), cols = (int32_t)testing_below(&random, 80);
        int mode = (int)testing_below(&random, target == PTO_TARGET_CPU ? 7 : 6);
        if (target == PTO_TARGET_A2A3 && type == PTO_S32)
            mode &= 1;
        const testing_layout layout = target == PTO_TARGET_CPU
                                          ? (testing_layout)testing_below(&random, TESTING_LAYOUT_COUNT)
                                          : TESTING_ND;
        pto_tile src[2];
        for (int i = 0; i < 2; i++)
            src[i] = testing_tile(core, &random,
                                  testing_type_around(&random, PTO_LOC_VEC, type, layout, rows, cols, 2),
                                  rows, cols);
        if (form == THRESHOLD && !(rows && cols)) {
            src[1] = testing_tile(core, &random, testing_type(PTO_LOC_VEC, type, TESTING_ND, 1, 64), 1, 64);
        } else if (form == TILES) /* often equal */
            for (int32_t r = 0; r < rows; r++)
                for (int32_t c = 0; c < cols; c++)
                    if (testing_below(&random, 3) == 0)
                        testing_set(&src[1], r, c, testing_get(&src[0], r, c));
        const pto_dtype packed = masks[testing_below(&random, 4)];
        pto_tile_type shape = testing_type_around(&random, PTO_LOC_VEC, packed, TESTING_ND, rows, 32, 1);
        pto_tile dst = testing_tile(core, &random, shape, rows, (int32_t)testing_below(&random, 33));
        const bool in_place = testing_below(&random, 4) == 0 &&
                              pto_tile_type_bytes(&shape) <= pto_tile_type_bytes(&src[0].type);
        if (in_place)
            dst.data = src[0].data;
        uint64_t value = testing_bits(&random, type);
        if (rows && cols && testing_below(&random, 2))
            value = testing_get(&src[0], 0, 0);
        if (pto_dtype_is_float(type))
            value = pto_number_from_double(type, pto_number_to_double(type, value), PTO_CAST_NONE, false);
        uint8_t *before = testing_snapshot(&dst);
        void *from[2] = {testing_snapshot(&src[0]), testing_snapshot(&src[1])};
        const pto_operand second =
            form == SCALAR ? elementwise_scalar(type, value) : testing_tile_operand(&src[1]);
        assert_int_equal(TESTING_EXECUTE(core, forms[form], testing_tile_operand(&dst),
                                         testing_tile_operand(&src[0]), second,
                                         testing_int_operand(PTO_DTYPE_NONE, mode)),
                         PTO_OK);
        /* the expected bytes of the whole tile */
        const size_t pitch = (size_t)shape.cols * pto_dtype_bits(packed) / 8;
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < (cols + 7) / 8 * 8; c++) {
                bool bit = false;
                if (c < cols) {
                    uint64_t a = testing_load(from[0], type, testing_offset(&src[0].type, r, c)), b = value;
                    if (form == TILES)
                        b = testing_load(from[1], type, testing_offset(&src[1].type, r, c));
                    if (form == THRESHOLD)
                        b = testing_load(from[1], type, 0);
                    bit = holds(mode, flush ? order_of(type, flushed(type, a), flushed(type, b))
                                            : order_of(type, a, b));
                }
                uint8_t *byte = &before[(size_t)r * pitch + (size_t)c / 8];
                *byte = (uint8_t)((*byte & ~(1u << c % 8)) | (unsigned)bit << c % 8);
            }
        const size_t bytes = (size_t)pto_tile_type_bytes(&shape);
        if (memcmp(dst.data, before, bytes))
            fail_msg("%s form %d mode %d target %d level %d layout %d, %d x %d, seed %llu",
                     pto_dtype_name(type), (int)form, mode, (int)target, (int)level[k], (int)layout, rows,
                     cols, (unsigned long long)seed);
        for (int i = 0; i < 2; i++) {
            if (src[i].data != dst.data)
                assert_memory_equal(src[i].data, from[i], (size_t)pto_tile_type_bytes(&src[i].type));
            free(from[i]);
        }
        free(before);
        pto_core_destroy(core);
    }
}

static void compares(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int form = 0; is_tile_type((pto_dtype)t) && form < COMPARE_FORMS; form++) {
            for (int turn = 0; turn < 200; turn++)
                check_compare(seed++, PTO_TARGET_CPU, (pto_dtype)t, (compare_form)form, turn % 8 == 7);
            for (int turn = 0; turn < 400; turn++)
                check_compare(seed++, turn & 1 ? PTO_TARGET_A2A3 : PTO_TARGET_A5, (pto_dtype)t,
                              (compare_form)form, false);
        }
}

/* Every code of f16 and bf16 with special ones, in one long row: blocks and their ends. */
static void every_half_code(void **state) {
    (void)state;
    static const pto_dtype types[] = {PTO_F16, PTO_BF16};
    static const uint16_t special[] = {0x8000, 1, 0xFC00, 0x7F81};
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int k = 0; k < levels; k++)
        for (int t = 0; t < 2; t++) {
            pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
            pto_tile src =
                testing_tile(core, NULL, testing_type(PTO_LOC_VEC, types[t], TESTING_ND, 64, 1024), 64, 1024);
            pto_tile dst =
                testing_tile(core, NULL, testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ND, 64, 128), 64, 128);
            uint16_t *codes = src.data;
            for (uint32_t i = 0; i < 65536; i++)
                codes[i] = (uint16_t)i;
            for (size_t s = 0; s < sizeof special / sizeof *special; s++)
                for (int mode = 0; mode < 6; mode++) {
                    pto_tile value = testing_tile(
                        core, NULL, testing_type(PTO_LOC_VEC, types[t], TESTING_ND, 1, 16), 1, 16);
                    testing_set(&value, 0, 0, special[s]);
                    TESTING_ACCEPTED(core, PTO_FORM_TCMPS_TILE, testing_tile_operand(&dst),
                                     testing_tile_operand(&src), testing_tile_operand(&value),
                                     testing_int_operand(PTO_DTYPE_NONE, mode));
                    for (uint32_t i = 0; i < 65536; i++)
                        if (mask_bit(dst.data, &dst.type, (int32_t)(i / 1024), (int32_t)(i % 1024)) !=
                            holds(mode, order_of(types[t], i, special[s])))
                            fail_msg("%s: %04x mode %d %04x", pto_dtype_name(types[t]), i, mode, special[s]);
                }
            pto_core_destroy(core);
        }
}

static void check_select(uint64_t seed, pto_target target, pto_dtype type, bool scalar) {
    static const pto_dtype masks[] = {PTO_U8, PTO_S8, PTO_U16, PTO_S32, PTO_U32, PTO_S64, PTO_U64};
    const pto_form form = scalar ? PTO_FORM_TSELS : PTO_FORM_TSEL;
    if (!accepts(form, target, type))
        return;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    for (int k = 0; k < levels; k++) {
        testing_random random = {seed};
        const pto_numeric_options numeric = {.flush_subnormals = seed & 1}; /* concerns no copy */
        pto_core *core = elementwise_core(target, level[k], &numeric);
        const int32_t rows = (int32_t)testing_below(&random, 5), cols = (int32_t)testing_below(&random, 90);
        const testing_layout layout = target == PTO_TARGET_CPU
                                          ? (testing_layout)testing_below(&random, TESTING_LAYOUT_COUNT)
                                          : TESTING_ND;
        pto_tile tile[3]; /* dst, src0, src1 */
        for (int i = 0; i < 3; i++)
            tile[i] = testing_tile(core, &random,
                                   testing_type_around(&random, PTO_LOC_VEC, type, layout, rows, cols, 2),
                                   rows, cols);
        const pto_tile_type shape =
            testing_type_around(&random, PTO_LOC_VEC, masks[testing_below(&random, 7)], TESTING_ND,
                                rows + (int32_t)testing_below(&random, 2), 32, 1);
        pto_tile mask = testing_tile(core, &random, shape, shape.rows, (int32_t)testing_below(&random, 33));
        const uint32_t place = testing_below(&random, 6); /* dst on src0, on src1, on the mask, or apart */
        if (place == 0)
            tile[0] = tile[1];
        else if (place <= 2 && pto_tile_type_bytes(&tile[0].type) <= pto_tile_type_bytes(&tile[place].type))
            tile[0].data = tile[place].data;
        else if (place == 3 && pto_tile_type_bytes(&tile[0].type) <= pto_tile_type_bytes(&shape))
            tile[0].data = mask.data;
        const pto_dtype word = scalar ? type : PTO_U32;
        pto_tile tmp = testing_tile(
            core, &random, testing_type_around(&random, PTO_LOC_VEC, word, TESTING_ND, 1, 1, 0), 1, 1);
        uint64_t value = testing_bits(&random, type);
        if (pto_dtype_is_float(type))
            value = pto_number_from_double(type, pto_number_to_double(type, value), PTO_CAST_NONE, false);
        void *before[3], *bits = testing_snapshot(&mask);
        for (int i = 0; i < 3; i++)
            before[i] = testing_snapshot(&tile[i]);
        const pto_operand d = testing_tile_operand(&tile[0]), m = testing_tile_operand(&mask),
                          a = testing_tile_operand(&tile[1]),
                          scratch = testing_tile_operand(target == PTO_TARGET_A2A3 ? &tmp : NULL);
        if (scalar)
            TESTING_ACCEPTED(core, form, d, m, a, scratch, elementwise_scalar(type, value));
        else
            TESTING_ACCEPTED(core, form, d, m, a, testing_tile_operand(&tile[2]), scratch);
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                uint64_t want =
                    scalar ? value : testing_load(before[2], type, testing_offset(&tile[2].type, r, c));
                if (mask_bit(bits, &shape, r, c))
                    want = testing_load(before[1], type, testing_offset(&tile[1].type, r, c));
                if (testing_get(&tile[0], r, c) != want)
                    fail_msg("%s scalar %d layout %d place %u level %d, %d x %d at (%d, %d), seed %llu",
                             pto_dtype_name(type), scalar, (int)layout, place, (int)level[k], rows, cols, r,
                             c, (unsigned long long)seed);
            }
        assert_true(testing_outside_unchanged(&tile[0], before[0]));
        if (mask.data != tile[0].data)
            assert_memory_equal(mask.data, bits, (size_t)pto_tile_type_bytes(&shape));
        for (int i = 0; i < 3; i++) {
            if (tile[i].data != tile[0].data)
                assert_memory_equal(tile[i].data, before[i], (size_t)pto_tile_type_bytes(&tile[i].type));
            free(before[i]);
        }
        free(bits);
        pto_core_destroy(core);
    }
}

static void selects(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int t = PTO_DTYPE_NONE; t < PTO_DTYPE_COUNT; t++)
        for (int scalar = 0; is_tile_type((pto_dtype)t) && scalar < 2; scalar++) {
            for (int turn = 0; turn < 200; turn++)
                check_select(seed++, PTO_TARGET_CPU, (pto_dtype)t, scalar);
            for (int turn = 0; turn < 400; turn++)
                check_select(seed++, turn & 1 ? PTO_TARGET_A2A3 : PTO_TARGET_A5, (pto_dtype)t, scalar);
        }
}

/* Longer than a block, and the snapshot of a mask under the destination. */
static void long_rows(void **state) {
    (void)state;
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    testing_random random = {77};
    for (int k = 0; k < levels; k++) {
        pto_core *core = testing_core(PTO_TARGET_CPU, level[k]);
        const pto_tile_type wide = testing_type(PTO_LOC_VEC, PTO_U8, TESTING_ND, 3, 1312);
        pto_tile a = testing_tile(core, &random, wide, 3, 1312),
                 b = testing_tile(core, &random, wide, 3, 1312),
                 m = testing_tile(core, &random, wide, 3, 1312);
        uint8_t *bits = testing_snapshot(&m);
        TESTING_ACCEPTED(core, PTO_FORM_TSEL, testing_tile_operand(&m), testing_tile_operand(&m),
                         testing_tile_operand(&a), testing_tile_operand(&b));
        for (int32_t r = 0; r < 3; r++)
            for (int32_t c = 0; c < 1312; c++)
                assert_int_equal(testing_get(&m, r, c),
                                 testing_get(mask_bit(bits, &wide, r, c) ? &a : &b, r, c));
        free(bits);
        pto_core_destroy(core);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compares),
        cmocka_unit_test(every_half_code),
        cmocka_unit_test(selects),
        cmocka_unit_test(long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
