/* SPDX-License-Identifier: Apache-2.0 */
/* TAND TOR TXOR TNOT TSHL TSHR and TANDS TORS TXORS TSHLS TSHRS against the reference: every integer type,
 * layout and way of working in place, on every target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/elementwise_testing.h"
#include <pto/ops.h>

static const elementwise_case cases[] = {
    {PTO_FORM_TAND, REFERENCE_AND, ELEMENTWISE_BINARY},
    {PTO_FORM_TOR, REFERENCE_OR, ELEMENTWISE_BINARY},
    {PTO_FORM_TXOR, REFERENCE_XOR, ELEMENTWISE_BINARY},
    {PTO_FORM_TNOT, REFERENCE_NOT, ELEMENTWISE_UNARY},
    {PTO_FORM_TSHL, REFERENCE_SHL, ELEMENTWISE_BINARY},
    {PTO_FORM_TSHR, REFERENCE_SHR, ELEMENTWISE_BINARY},
    {PTO_FORM_TANDS, REFERENCE_AND, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TORS, REFERENCE_OR, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TXORS, REFERENCE_XOR, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TSHLS, REFERENCE_SHL, ELEMENTWISE_TILE_SCALAR},
    {PTO_FORM_TSHRS, REFERENCE_SHR, ELEMENTWISE_TILE_SCALAR},
};
enum { CASES = sizeof cases / sizeof *cases };

static const pto_dtype types[] = {PTO_S8, PTO_U8, PTO_S16, PTO_U16, PTO_S32, PTO_U32, PTO_S64, PTO_U64};
enum { TYPES = sizeof types / sizeof *types };

static void every_type_layout_and_place(void **state) {
    (void)state;
    testing_random random = {21};
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < CASES; i++)
            elementwise_sweep(&random, &cases[i], types[t], 200, NULL);
}

/* Longer runs than a vector loop's start and end, and a full memory. */
static void long_runs(void **state) {
    (void)state;
    testing_random random = {22};
    for (int t = 0; t < TYPES; t++)
        for (int i = 0; i < CASES; i++) {
            elementwise_check(&random, &cases[i], PTO_TARGET_CPU, types[t], TESTING_ND, 3, 307,
                              ELEMENTWISE_APART, NULL);
            const pto_numeric_options flush = {.flush_subnormals = true}; /* concerns no bits */
            elementwise_check(&random, &cases[i], PTO_TARGET_CPU, types[t], TESTING_ND, 5, 96,
                              ELEMENTWISE_IN_PLACE, &flush);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_place),
        cmocka_unit_test(long_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
