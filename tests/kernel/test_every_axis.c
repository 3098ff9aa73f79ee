/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions, positions and broadcasts along an axis, and the partial instructions: every combination of
 * element types of every target against the reference, in calls that a search finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "support/every.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 200 };

/* The elements of row or column `line` of the source; free() it. */
static uint64_t *line_of(const pto_tile *src, bool column, int32_t line, int *count) {
    *count = column ? src->valid_rows : src->valid_cols;
    uint64_t *x = calloc((size_t)*count + 1, sizeof *x);
    assert_non_null(x);
    for (int32_t k = 0; k < *count; k++)
        x[k] = column ? testing_get(src, k, line) : testing_get(src, line, k);
    return x;
}

static uint64_t reduced(const every_call *call, const pto_tile *src, const pto_tile *dst, uint64_t *x,
                        int n) {
    switch ((int)call->c->form) {
    case PTO_FORM_TROWSUM:
        return reference_row_sum(call->target, dst->type.dtype, src->type.dtype, x, n);
    case PTO_FORM_TCOLSUM:
        return reference_col_sum(call->target, false, dst->type.dtype, src->type.dtype, x, n);
    case PTO_FORM_TCOLSUM_TMP_ISBINARY:
        return reference_col_sum(call->target, every_attribute(call, "isBinary"), dst->type.dtype,
                                 src->type.dtype, x, n);
    case PTO_FORM_TROWPROD:
        return reference_row_product(call->target, src->type.dtype, x, n);
    case PTO_FORM_TCOLPROD:
        return reference_col_product(call->target, src->type.dtype, x, n);
    default:
        return reference_extreme(call->c->form == PTO_FORM_TROWMIN || call->c->form == PTO_FORM_TCOLMIN,
                                 src->type.dtype, x, n);
    }
}

static bool by_column(const every_call *call) { return call->form->mnemonic[1] == 'C'; }

static void reduce(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    bool column = by_column(call);
    for (int32_t i = 0; i < (column ? src->valid_cols : src->valid_rows); i++) {
        int n;
        uint64_t *x = line_of(src, column, i, &n);
        testing_set(dst, column ? 0 : i, column ? i : 0, reduced(call, src, dst, x, n));
        free(x);
    }
}

static void arg(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *value = every_want(call, "dstVal"), *index = every_want(call, value ? "dstIdx" : "dst");
    bool column = by_column(call), minimum = call->form->mnemonic[9] == 'N' || call->form->mnemonic[8] == 'I';
    for (int32_t i = 0; i < (column ? src->valid_cols : src->valid_rows); i++) {
        int n;
        uint64_t *x = line_of(src, column, i, &n);
        int best = reference_arg(minimum, src->type.dtype, x, n);
        testing_set(index, column ? 0 : i, column ? i : 0, (uint64_t)best);
        if (value)
            testing_set(value, column ? 0 : i, column ? i : 0, x[best]);
        free(x);
    }
}

static void copy(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++)
            testing_set(dst, r, c, by_column(call) ? testing_get(src, 0, c) : testing_get(src, r, 0));
}

static bool same_extents(const pto_tile *a, const pto_tile *b) {
    return a->valid_rows == b->valid_rows && a->valid_cols == b->valid_cols;
}

/* Either source may be the expanded one (20, 4.1); src0 is the full one when both could be. By rows it is a
 * column of values, or a block of 32 bytes for every row. */
static void expand(every_call *call) {
    static const struct {
        pto_form form;
        reference_op op;
    } operations[] = {
        {PTO_FORM_TROWEXPANDADD, REFERENCE_ADD},       {PTO_FORM_TROWEXPANDSUB, REFERENCE_SUB},
        {PTO_FORM_TROWEXPANDMUL, REFERENCE_MUL},       {PTO_FORM_TROWEXPANDDIV, REFERENCE_DIV},
        {PTO_FORM_TROWEXPANDMAX, REFERENCE_MAX},       {PTO_FORM_TROWEXPANDMIN, REFERENCE_MIN},
        {PTO_FORM_TCOLEXPANDADD, REFERENCE_ADD},       {PTO_FORM_TCOLEXPANDSUB, REFERENCE_SUB},
        {PTO_FORM_TCOLEXPANDMUL, REFERENCE_MUL},       {PTO_FORM_TCOLEXPANDDIV, REFERENCE_DIV},
        {PTO_FORM_TCOLEXPANDMAX, REFERENCE_MAX},       {PTO_FORM_TCOLEXPANDMIN, REFERENCE_MIN},
        {PTO_FORM_TROWEXPANDEXPDIF, REFERENCE_EXPDIF}, {PTO_FORM_TCOLEXPANDEXPDIF, REFERENCE_EXPDIF},
    };
    reference_op op = REFERENCE_ADD;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].form == call->c->form)
            op = operations[i].op;
    const pto_tile *src[2] = {every_was(call, "src0"), every_was(call, "src1")};
    pto_tile *dst = every_want(call, "dst");
    bool column = by_column(call);
    int expanded = same_extents(src[0], dst) ? 1 : 0;
    const pto_tile *e = src[expanded], *full = src[1 - expanded];
    int32_t block = 256 / (int32_t)pto_dtype_bits(e->type.dtype);
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            uint64_t x = testing_get(full, r, c);
            uint64_t y = column               ? testing_get(e, 0, c)
                         : e->valid_cols == 1 ? testing_get(e, r, 0)
                                              : testing_get(e, r, c % block);
            uint64_t want = reference_binary(op, dst->type.dtype, expanded ? x : y, expanded ? y : x);
            if (op == REFERENCE_EXPDIF) { /* neighbours will do (10, N6: 1 ulp) */
                uint64_t have = testing_get(call->call.instr.operand[0].tile, r, c);
                if ((have > want ? have - want : want - have) <= 1)
                    want = have;
            }
            testing_set(dst, r, c, want);
        }
}

static bool is_valid(const pto_tile *tile, int32_t r, int32_t c) {
    return r < tile->valid_rows && c < tile->valid_cols;
}

static bool is_better(pto_dtype dtype, uint64_t a, uint64_t b, bool minimum) {
    if (!pto_dtype_is_int(dtype)) {
        double x = reference_value(dtype, a), y = reference_value(dtype, b);
        return minimum ? x < y : x > y;
    }
    return a != b && reference_binary(minimum ? REFERENCE_MIN : REFERENCE_MAX, dtype, a, b) == a;
}

static void part_arg(every_call *call) {
    const pto_tile *value[2] = {every_was(call, "src0Val"), every_was(call, "src1Val")},
                   *index[2] = {every_was(call, "src0Idx"), every_was(call, "src1Idx")};
    pto_tile *dst = every_want(call, "dstVal"), *dst_index = every_want(call, "dstIdx");
    bool minimum = call->c->form == PTO_FORM_TPARTARGMIN;
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            int from = 1;
            if (!is_valid(value[1], r, c))
                from = 0;
            else if (is_valid(value[0], r, c) && is_better(dst->type.dtype, testing_get(value[0], r, c),
                                                           testing_get(value[1], r, c), minimum))
                from = 0;
            testing_set(dst, r, c, testing_get(value[from], r, c));
            testing_set(dst_index, r, c, testing_get(index[from], r, c));
        }
}

static void every(const pto_form *forms, size_t count, every_reference reference) {
    int compared = 0;
    for (size_t i = 0; i < count; i++)
        compared += every_compare(forms[i], TRIALS, reference);
    printf("%d calls compared\n", compared);
}
#define EVERY(reference, ...)                                                                                \
    every((const pto_form[]){__VA_ARGS__}, sizeof((pto_form[]){__VA_ARGS__}) / sizeof(pto_form), reference)

static void test_reductions(void **state) {
    (void)state;
    EVERY(reduce, PTO_FORM_TROWSUM, PTO_FORM_TROWMAX, PTO_FORM_TROWMIN, PTO_FORM_TROWPROD, PTO_FORM_TCOLSUM,
          PTO_FORM_TCOLSUM_TMP_ISBINARY, PTO_FORM_TCOLMAX, PTO_FORM_TCOLMIN, PTO_FORM_TCOLPROD);
}

static void test_args(void **state) {
    (void)state;
    EVERY(arg, PTO_FORM_TROWARGMAX, PTO_FORM_TROWARGMAX_VALUE_INDEX, PTO_FORM_TROWARGMIN,
          PTO_FORM_TROWARGMIN_VALUE_INDEX, PTO_FORM_TCOLARGMAX, PTO_FORM_TCOLARGMAX_VALUE_INDEX,
          PTO_FORM_TCOLARGMIN, PTO_FORM_TCOLARGMIN_VALUE_INDEX);
}

static void test_copies(void **state) {
    (void)state;
    EVERY(copy, PTO_FORM_TROWEXPAND, PTO_FORM_TCOLEXPAND);
}

static void test_expansions(void **state) {
    (void)state;
    EVERY(expand, PTO_FORM_TROWEXPANDADD, PTO_FORM_TROWEXPANDSUB, PTO_FORM_TROWEXPANDMUL,
          PTO_FORM_TROWEXPANDDIV, PTO_FORM_TROWEXPANDMAX, PTO_FORM_TROWEXPANDMIN, PTO_FORM_TCOLEXPANDADD,
          PTO_FORM_TCOLEXPANDSUB, PTO_FORM_TCOLEXPANDMUL, PTO_FORM_TCOLEXPANDDIV, PTO_FORM_TCOLEXPANDMAX,
          PTO_FORM_TCOLEXPANDMIN, PTO_FORM_TROWEXPANDEXPDIF, PTO_FORM_TCOLEXPANDEXPDIF);
}

static void test_part_args(void **state) {
    (void)state;
    EVERY(part_arg, PTO_FORM_TPARTARGMAX, PTO_FORM_TPARTARGMIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reductions), cmocka_unit_test(test_args),
                                       cmocka_unit_test(test_copies), cmocka_unit_test(test_expansions),
                                       cmocka_unit_test(test_part_args)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
