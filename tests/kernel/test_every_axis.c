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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reductions), cmocka_unit_test(test_args)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
