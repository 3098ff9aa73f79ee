/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise forms against the reference, see elementwise_testing.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "isa/isa.h"
#include "support/elementwise_testing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pto/number.h>

pto_operand elementwise_scalar(pto_dtype type, uint64_t code) {
    if (pto_dtype_is_float(type))
        return testing_float_operand(PTO_F64, pto_number_to_double(type, code));
    return testing_int_operand(type, (int64_t)code);
}

pto_core *elementwise_core(pto_target target, pto_simd_level level, const pto_numeric_options *options) {
    pto_options all = {.target = target, .simd = level};
    if (options)
        all.numeric = *options;
    pto_core *core = pto_core_create(&all);
    assert_non_null(core);
    return core;
}

/* A core that is kept from run to run: making one costs more than most runs. */
static pto_core *kept_core(pto_target target, pto_simd_level level, const pto_numeric_options *options) {
    static pto_core *cores[PTO_TARGET_COUNT][PTO_SIMD_AVX512 + 1];
    static int uses[PTO_TARGET_COUNT][PTO_SIMD_AVX512 + 1];
    static const pto_numeric_options none;
    pto_core **core = &cores[target][level];
    if (*core && memcmp(&pto_core_options(*core)->numeric, options ? options : &none, sizeof none) != 0) {
        pto_core_destroy(*core);
        *core = NULL;
    }
    if (!*core)
        *core = elementwise_core(target, level, options);
    if (uses[target][level]++ % 64 == 0)
        pto_core_reset(*core); /* drops the tiles of the runs before */
    return *core;
}

/* Two codes of a float type with the same sign, no further than one apart. */
static bool is_near(pto_dtype type, uint64_t found, uint64_t expected) {
    const double a = pto_number_to_double(type, found), b = pto_number_to_double(type, expected);
    return pto_dtype_is_float(type) && a == a && b == b && (a < 0) == (b < 0) &&
           (found == expected + 1 || found + 1 == expected);
}

/* The scratch tile behind the sources that a2a3 demands; the other targets run without. */
typedef enum elementwise_tmp {
    ELEMENTWISE_NO_TMP,
    ELEMENTWISE_TMP_EQUAL, /* type and valid region of dst */
    ELEMENTWISE_TMP_ROW,   /* a long row of dst's type */
    ELEMENTWISE_TMP_MASK   /* bytes, a row more than dst */
} elementwise_tmp;

static bool has_rule(const pto_form_desc *form, const char *name) {
    for (int i = 0; i < form->rule_count; i++)
        if (!strcmp(form->rules[i].name, name))
            return true;
    return false;
}

static elementwise_tmp tmp_of(pto_form id, pto_dtype type) {
    const pto_form_desc *form = pto_form_get(id);
    if (has_rule(form, "rem_tmp") || has_rule(form, "rems_tmp"))
        return ELEMENTWISE_TMP_ROW;
    if (has_rule(form, "prelu_tmp"))
        return ELEMENTWISE_TMP_MASK;
    if (has_rule(form, "pow_tmp"))
        return pto_dtype_is_float(type) ? ELEMENTWISE_TMP_EQUAL : ELEMENTWISE_NO_TMP;
    return has_rule(form, "tmp_given") ? ELEMENTWISE_TMP_EQUAL : ELEMENTWISE_NO_TMP;
}

static pto_tile scratch(pto_core *core, testing_random *random, elementwise_tmp kind, pto_dtype type,
                        int32_t rows, int32_t cols) {
    pto_tile_type shape = testing_type_around(random, PTO_LOC_VEC, type, TESTING_ND, rows, cols, 0);
    if (kind == ELEMENTWISE_TMP_ROW)
        shape = testing_type_around(random, PTO_LOC_VEC, type, TESTING_ND, 1, 512, 0);
    if (kind == ELEMENTWISE_TMP_MASK)
        shape = testing_type_around(random, PTO_LOC_VEC, PTO_U8, TESTING_ND, rows + 1, 128, 0);
    if (kind == ELEMENTWISE_TMP_ROW || kind == ELEMENTWISE_TMP_MASK)
        return testing_tile(core, random, shape, shape.rows, shape.cols);
    return testing_tile(core, random, shape, rows, cols);
}

/* Puts the operands in the order of the form; returns their number. */
static int arrange(const elementwise_case *test, pto_operand dst, const pto_operand src[3],
                   pto_operand scalar, pto_operand operands[5]) {
    int n = 0;
    operands[n++] = dst;
    switch (test->shape) {
    case ELEMENTWISE_UNARY:
        operands[n++] = src[0];
        break;
    case ELEMENTWISE_BINARY:
        operands[n++] = src[0];
        operands[n++] = src[1];
        break;
    case ELEMENTWISE_TILE_SCALAR:
        operands[n++] = src[0];
        operands[n++] = scalar;
        break;
    case ELEMENTWISE_SCALAR_TILE:
        operands[n++] = scalar;
        operands[n++] = src[0];
        break;
    case ELEMENTWISE_SCALAR:
        operands[n++] = scalar;
        break;
    case ELEMENTWISE_TERNARY:
        for (int k = 0; k < 3; k++)
            operands[n++] = src[k];
        break;
    case ELEMENTWISE_TILE_SCALAR_TILE:
        operands[n++] = src[0];
        operands[n++] = scalar;
        operands[n++] = src[1];
        break;
    }
    return n;
}

static uint64_t expect_one(const elementwise_case *test, pto_dtype type, const uint64_t src[3],
                           uint64_t value, uint64_t old, const pto_numeric_options *options) {
    uint64_t a = src[0], b = src[1], c = old;
    if (test->shape == ELEMENTWISE_SCALAR_TILE) {
        a = value;
        b = src[0];
    } else if (test->shape == ELEMENTWISE_TERNARY) {
        c = src[2];
    } else if (test->shape == ELEMENTWISE_TILE_SCALAR_TILE) {
        b = value;
        c = src[1];
    } else if (test->shape != ELEMENTWISE_BINARY) {
        b = value;
    }
    return reference_elementwise(test->op, type, a, b, c, options);
}

void elementwise_check(testing_random *random, const elementwise_case *test, pto_target target,
                       pto_dtype type, testing_layout layout, int32_t rows, int32_t cols,
                       elementwise_place place, const pto_numeric_options *options) {
    int levels;
    const pto_simd_level *level = testing_levels(&levels);
    const uint32_t slack = cols % 32 ? 2 : 0; /* whole blocks fill their tile */
    const size_t elements = (size_t)rows * (size_t)cols;
    uint64_t *expected = calloc(elements ? elements : 1, sizeof *expected);
    assert_non_null(expected);
    const int tiles = test->shape == ELEMENTWISE_TERNARY ? 4 : 3;
    pto_tile_type types[4];
    for (int t = 0; t < tiles; t++)
        types[t] = testing_type_around(random, PTO_LOC_VEC, type, layout, rows, cols, slack);
    testing_random start = *random;
    void *filled[4] = {NULL};
    for (int k = 0; k < levels; k++) {
        pto_core *core = kept_core(target, level[k], options);
        pto_tile tile[4]; /* dst, src0, src1, src2: the same at every level */
        for (int t = 0; t < tiles; t++) {
            tile[t] = testing_tile(core, k ? NULL : random, types[t], rows, cols);
            if (k)
                memcpy(tile[t].data, filled[t], (size_t)pto_tile_type_bytes(&types[t]));
            else
                filled[t] = testing_snapshot(&tile[t]);
        }
        if (k)
            *random = start; /* so are scalar and scratch */
        else
            start = *random;
        if (tiles < 4)
            tile[3] = tile[2];
        pto_tile *dst = &tile[0], *src[3] = {&tile[1], &tile[2], &tile[3]};
        if (place == ELEMENTWISE_IN_PLACE || place == ELEMENTWISE_ALL_ONE)
            dst = src[0];
        if (place == ELEMENTWISE_ALL_ONE)
            src[1] = src[2] = src[0];
        if (place == ELEMENTWISE_IN_PLACE_OF_1)
            dst = src[1];
        if (place == ELEMENTWISE_IN_PLACE_PITCH) {
            if (pto_tile_type_bytes(&dst->type) > pto_tile_type_bytes(&src[0]->type))
                src[0]->data = dst->data;
            else
                dst->data = src[0]->data;
        }
        uint64_t value = testing_bits(random, type);
        if (pto_dtype_is_float(type)) /* a NaN without payload: a scalar is a number */
            value = pto_number_from_double(type, pto_number_to_double(type, value), PTO_CAST_NONE, false);
        for (int32_t r = 0; k == 0 && r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                const uint64_t from[3] = {testing_get(src[0], r, c), testing_get(src[1], r, c),
                                          testing_get(src[2], r, c)};
                expected[r * cols + c] = expect_one(test, type, from, value, testing_get(dst, r, c), options);
            }
        const elementwise_tmp kind = tmp_of(test->form, type);
        const bool has_tmp = target == PTO_TARGET_A2A3 && kind != ELEMENTWISE_NO_TMP;
        pto_tile tmp = {0};
        if (has_tmp)
            tmp = scratch(core, random, kind, type, rows, cols);
        void *before = testing_snapshot(dst), *kept[3];
        for (int s = 0; s < 3; s++)
            kept[s] = testing_snapshot(src[s]);
        pto_operand operands[6], sources[3];
        for (int s = 0; s < 3; s++)
            sources[s] = testing_tile_operand(src[s]);
        int count =
            arrange(test, testing_tile_operand(dst), sources, elementwise_scalar(type, value), operands);
        if (has_tmp)
            operands[count++] = testing_tile_operand(&tmp);
        testing_expect(core, testing_execute(core, test->form, count, operands), NULL, __FILE__, __LINE__);
        for (int32_t r = 0; r < rows; r++)
            for (int32_t c = 0; c < cols; c++) {
                const uint64_t found = testing_get(dst, r, c), want = expected[r * cols + c];
                if (found != want && !(k == 0 && test->op == REFERENCE_POW && is_near(type, found, want)))
                    fail_msg(
                        "form %d op %d %s layout %d place %d level %d, %d x %d at (%d, %d): found %" PRIx64
                        ", expected %" PRIx64 "; scalar %" PRIx64 ", source %" PRIx64,
                        (int)test->form, (int)test->op, pto_dtype_name(type), (int)layout, (int)place,
                        (int)level[k], rows, cols, r, c, found, want, value,
                        testing_load(kept[0], type, testing_offset(&src[0]->type, r, c)));
                expected[r * cols + c] = found; /* every other level gives the same bits */
            }
        assert_true(testing_outside_unchanged(dst, before));
        for (int s = 0; s < 3; s++) {
            if (src[s]->data != dst->data)
                assert_memory_equal(src[s]->data, kept[s], (size_t)pto_tile_type_bytes(&src[s]->type));
            free(kept[s]);
        }
        free(before);
    }
    for (int t = 0; t < tiles; t++)
        free(filled[t]);
    free(expected);
}

/* May dst be a source there? */
static bool works_in_place(const pto_form_desc *form, pto_target target, pto_dtype type) {
    if (target != PTO_TARGET_A2A3)
        return true;
    return !has_rule(form, "not_in_place") && !has_rule(form, "overlap_none") &&
           !(has_rule(form, "not_in_place_float") && pto_dtype_is_float(type));
}

/* All variables of the combination may be this type. */
static bool accepts(const pto_type_combo *combo, pto_dtype type) {
    for (int v = 0; v < 6; v++)
        if (combo->set[v] && !(combo->set[v] >> type & 1))
            return false;
    return true;
}

void elementwise_sweep(testing_random *random, const elementwise_case *test, pto_dtype type, int turns,
                       const pto_numeric_options *options) {
    const pto_form_desc *form = pto_form_get(test->form);
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        const pto_target target = (pto_target)t;
        bool accepted = form->types_any[target];
        for (int i = 0; i < form->type_count[target]; i++)
            accepted |= accepts(&form->types[target][i], type);
        const bool npu = target != PTO_TARGET_CPU, in_place = works_in_place(form, target, type);
        for (int turn = 0; (accepted || !npu) && turn < turns; turn++) {
            const testing_layout layout =
                npu ? TESTING_ND : (testing_layout)testing_below(random, TESTING_LAYOUT_COUNT);
            const elementwise_place place =
                in_place ? (elementwise_place)testing_below(random, ELEMENTWISE_PLACE_COUNT)
                         : ELEMENTWISE_APART;
            int32_t rows = (int32_t)testing_below(random, 6), cols = (int32_t)testing_below(random, 45);
            if (turn == 0)
                rows = cols = 1;
            else if (turn % 16 == 1) /* the whole tile */
                cols = turn == 1 ? 256 : 64;
            if (target == PTO_TARGET_A2A3 && has_rule(form, "nonempty")) {
                rows += !rows;
                cols += !cols;
            }
            elementwise_check(random, test, target, type, layout, rows, cols, place, options);
        }
    }
}
