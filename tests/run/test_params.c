/* SPDX-License-Identifier: Apache-2.0 */
/* The shape that a program gives a parameter: extents that are numbers or parameters, several views. */
#include "support/program_testing.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

/* Shape of %p, the first parameter, in a function that makes views of these extents. */
static void expect_shape(const char *body, int rank, int64_t rows, int64_t cols) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "%%c1 = arith.constant 1 : index\n%%c4 = arith.constant 4 : index\n%%c8 = arith.constant 8 : index\n"
        "%%m = arith.index_cast %%k : i32 to index\n%%d = arith.addi %%n, %%c1 : index\n%s",
        body);
    char *whole = program_of("%p: !pto.ptr<f32>, %n: index, %k: i32", text);
    pto_program *program = parse_program(whole);
    pto_diag_list *diags = pto_diag_list_create();
    const pto_param *params;
    size_t count;
    assert_int_equal(pto_program_entry_params(program, NULL, &params, &count, diags), PTO_OK);
    assert_int_equal(count, 3);
    assert_int_equal(params[0].rank, rank);
    if (rank) {
        assert_int_equal(params[0].shape[0], rows);
        assert_int_equal(params[0].shape[1], cols);
    }
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    free(whole);
}

#define VIEW(name, rows, cols)                                                                               \
    "%" name " = pto.make_tensor_view %p, shape = [%" rows ", %" cols "], strides = [%" cols                 \
    ", %c1] : !pto.tensor_view<?x?xf32>\n"

static void shapes(void **state) {
    (void)state;
    expect_shape(VIEW("v", "c4", "c8"), 2, 4, 8);
    expect_shape(VIEW("v", "n", "c8"), 2, -2, 8);
    expect_shape(VIEW("v", "m", "n"), 2, -3, -2);
    expect_shape(VIEW("v", "d", "c8"), 0, 0, 0);
    expect_shape(VIEW("v", "c4", "c8") VIEW("w", "c8", "c8"), 2, 8, 8);
    expect_shape(VIEW("v", "n", "c8") VIEW("w", "n", "c8"), 2, -2, 8);
    expect_shape(VIEW("v", "n", "c8") VIEW("w", "n", "c4"), 0, 0, 0);
    expect_shape(VIEW("v", "n", "c8") VIEW("w", "c8", "c8"), 0, 0, 0);
    expect_shape(VIEW("v", "c8", "c8") VIEW("w", "n", "c8"), 0, 0, 0);
    expect_shape(VIEW("v", "n", "c8") VIEW("w", "d", "c8") VIEW("x", "n", "c8"), 0, 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
