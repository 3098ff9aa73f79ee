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

static bool by_column(const every_call *call) { return call->form->mnemonic[1] == 'C'; }

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_expansions),
                                       cmocka_unit_test(test_part_args)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
