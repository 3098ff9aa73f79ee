/* SPDX-License-Identifier: Apache-2.0 */
/* Fills, selections by a mask and ramps: every combination of element types of every target against the
 * reference, in calls that a search finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/axis.h"
#include "reference/irregular.h"
#include "support/every.h"

#include <stdio.h>
#include <string.h>

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
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].dtype == dtype)
            return pad == PTO_PAD_MAX ? table[i].max : pad == PTO_PAD_MIN ? table[i].min : 0;
    return 0;
}

static void fillpad(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return;
    for (int32_t r = 0; r < dst->type.rows; r++)
        for (int32_t c = 0; c < dst->type.cols; c++)
            testing_set(dst, r, c,
                        r < src->valid_rows && c < src->valid_cols ? testing_get(src, r, c)
                                                                   : pad_of(dst->type.pad, dst->type.dtype));
}

/* The patterns of 40, 4.3, read right to left. */
static const char *const patterns[] = {"", "P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111"};

/* Selected elements one after another, in the order of the source, over the storage of the destination. */
static void gather_mask(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    const char *pattern = patterns[every_attribute(call, "maskPattern")];
    bool by_row = every_attribute(call, "axis");
    int64_t count = 0;
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            if (reference_selected(pattern, by_row ? r : c)) {
                testing_store(dst->data, dst->type.dtype, count, testing_get(src, r, c));
                count++;
            }
}

static void scatter_mask(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    int64_t number = every_attribute(call, "maskPattern");
    const char *pattern = patterns[number];
    bool by_row = every_attribute(call, "axis");
    int32_t period = number == 7 ? 1 : number <= 2 ? 2 : (int32_t)strlen(pattern) - 1;
    for (int32_t r = 0; r < dst->type.rows; r++)
        for (int32_t c = 0; c < dst->type.cols; c++) {
            int32_t from_row = by_row ? r / period : r, from_col = by_row ? c : c / period;
            bool taken = from_row < src->valid_rows && from_col < src->valid_cols &&
                         (period == 1 || reference_selected(pattern, by_row ? r : c));
            testing_set(dst, r, c, taken ? testing_get(src, from_row, from_col) : 0);
        }
}

/* start, start + 1, ... or downwards. The start is a scalar of the element type; those of the search are
 * small, so that a double holds the sums. */
static void ramp(every_call *call) {
    pto_tile *dst = every_want(call, "dst");
    pto_scalar start = call->call.instr.operand[pto_form_operand_index(call->form, "start")].scalar;
    bool descending = every_attribute(call, "descending");
    pto_dtype dtype = dst->type.dtype;
    double first = pto_dtype_is_float(dtype) ? reference_value(dtype, reference_round(dtype, start.f)) : 0;
    uint64_t mask = UINT64_MAX >> (64 - pto_dtype_bits(dtype));
    for (int32_t c = 0; c < dst->valid_cols; c++)
        testing_set(dst, 0, c,
                    pto_dtype_is_float(dtype)
                        ? reference_round(dtype, first + (descending ? -(double)c : (double)c))
                        : ((uint64_t)start.i + (uint64_t)(descending ? -(int64_t)c : c)) & mask);
}

static void transpose(every_call *call) {
    const pto_tile *src = every_was(call, "src");
    pto_tile *dst = every_want(call, "dst");
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            testing_set(dst, c, r, testing_get(src, r, c));
}

static void every(pto_form form, int trials, every_reference reference) {
    printf("%d calls compared\n", every_compare(form, trials, reference));
}

static void test_fillpad(void **state) {
    (void)state;
    every(PTO_FORM_TFILLPAD, 200, fillpad);
}
static void test_fillpad_inplace(void **state) {
    (void)state;
    every(PTO_FORM_TFILLPAD_INPLACE, 200, fillpad);
}
static void test_fillpad_expand(void **state) {
    (void)state;
    every(PTO_FORM_TFILLPAD_EXPAND, 200, fillpad);
}
static void test_gather_mask(void **state) {
    (void)state;
    every(PTO_FORM_TGATHER_MASK, 200, gather_mask);
}
static void test_scatter_mask(void **state) {
    (void)state;
    every(PTO_FORM_TSCATTER_MASK, 200, scatter_mask);
}
static void test_transpose(void **state) {
    (void)state;
    every(PTO_FORM_TTRANS, 200, transpose);
}
static void test_ramp(void **state) {
    (void)state;
    every(PTO_FORM_TCI_TMP, 200, ramp);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fillpad),        cmocka_unit_test(test_fillpad_inplace),
        cmocka_unit_test(test_fillpad_expand), cmocka_unit_test(test_gather_mask),
        cmocka_unit_test(test_scatter_mask),   cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_transpose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
