/* SPDX-License-Identifier: Apache-2.0 */
/* Subsets of tiles: their elements, through further subsets and bitcasts, and the same verdict before and
 * during a run (60, 3.9.1, 3.10.1). */
#include "support/program_testing.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, COLS = 32 };

/* Loads x, takes %u from %t by `body`, stores a window of rows x cols of it. */
static void stored(const char *body, int rows, int cols, int32_t *out) {
    static const char frame[] =
        "!T = !pto.tile_buf<vec, 16x32xi32>\n"
        "func.func @main(%%x: !pto.ptr<i32>, %%y: !pto.ptr<i32>) {\n"
        "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%c2 = arith.constant 2 : index\n"
        "%%c8 = arith.constant 8 : index\n%%c16 = arith.constant 16 : index\n%%c32 = arith.constant 32 : "
        "index\n"
        "%%rows = arith.constant %d : index\n%%cols = arith.constant %d : index\n"
        "%%xs = pto.make_tensor_view %%x, shape = [%%c16, %%c32], strides = [%%c32, %%c1] : "
        "!pto.tensor_view<16x32xi32>\n"
        "%%ys = pto.make_tensor_view %%y, shape = [%%rows, %%cols], strides = [%%cols, %%c1] : "
        "!pto.tensor_view<%dx%dxi32>\n"
        "%%xp = pto.partition_view %%xs, offsets = [%%c0, %%c0], sizes = [%%c16, %%c32] : "
        "!pto.tensor_view<16x32xi32> -> !pto.partition_tensor_view<16x32xi32>\n"
        "%%yp = pto.partition_view %%ys, offsets = [%%c0, %%c0], sizes = [%%rows, %%cols] : "
        "!pto.tensor_view<%dx%dxi32> -> !pto.partition_tensor_view<%dx%dxi32>\n"
        "%%t = pto.alloc_tile : !T\n"
        "pto.tload ins(%%xp : !pto.partition_tensor_view<16x32xi32>) outs(%%t : !T)\n"
        "%s"
        "pto.tstore ins(%%u : !pto.tile_buf<vec, %dx%dxi32>) outs(%%yp : "
        "!pto.partition_tensor_view<%dx%dxi32>)\n"
        "return\n}\n";
    static char text[4096];
    snprintf(text, sizeof text, frame, rows, cols, rows, cols, rows, cols, rows, cols, body, rows, cols, rows,
             cols);
    int32_t x[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = i;
    const pto_argument arguments[] = {{.data = x, .bytes = sizeof x, .read_only = true},
                                      {.data = out, .bytes = (size_t)(rows * cols) * sizeof *out}};
    run_text(text, arguments, 2, NULL);
}

static void expect_window(const int32_t *out, int rows, int cols, int row, int col) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            assert_int_equal(out[r * cols + c], (row + r) * COLS + col + c);
}

static void elements_of_the_source(void **state) {
    (void)state;
    int32_t out[ROWS * COLS];
    stored("%u = pto.subset %t[%c2, %c8] sizes [4, 16] : !T\n", 4, 16, out);
    expect_window(out, 4, 16, 2, 8);
    stored("%s = pto.subset %t[%c2, %c8] sizes [8, 16] : !T\n"
           "%u = pto.subset %s[%c1, %c8] sizes [4, 8] : !pto.tile_buf<vec, 8x16xi32>\n",
           4, 8, out);
    expect_window(out, 4, 8, 3, 16);
    stored("%s = pto.subset %t[%c2, %c8] sizes [1, 16] : !T\n"
           "%u = pto.subset %s[%c0, %c8] sizes [1, 8] : !pto.tile_buf<vec, 1x16xi32>\n",
           1, 8, out);
    expect_window(out, 1, 8, 2, 16);
    stored("%s = pto.subset %t[%c2, %c8] sizes [4, 16] : !T\n"
           "%b = pto.bitcast %s : !pto.tile_buf<vec, 4x16xi32> -> !pto.tile_buf<vec, 4x16xf32>\n"
           "%u = pto.bitcast %b : !pto.tile_buf<vec, 4x16xf32> -> !pto.tile_buf<vec, 4x16xi32>\n",
           4, 16, out);
    expect_window(out, 4, 16, 2, 8);
}

/* A move between capacities: of one row it fits, of several the pitch of the source is the capacity. */
static void one_verdict(void **state) {
    (void)state;
    static const char frame[] =
        "%%c0 = arith.constant 0 : index\n%%t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xi32>\n"
        "%%s = pto.subset %%t[%%c0, %%c0] sizes [%d, 16] : !pto.tile_buf<vec, 16x32xi32>\n"
        "%%u = pto.alloc_tile : !pto.tile_buf<vec, %dx16xi32>\n"
        "pto.tmov ins(%%s : !pto.tile_buf<vec, %dx16xi32>) outs(%%u : !pto.tile_buf<vec, "
        "%dx16xi32>)\n";
    for (int rows = 1; rows <= 8; rows += 7) {
        char body[1024];
        snprintf(body, sizeof body, frame, rows, rows, rows, rows);
        char *text = program_of("", body);
        pto_program *program = parse_program(text);
        free(text);
        pto_diag_list *diags = pto_diag_list_create();
        const pto_verify_options verify = {.target = PTO_TARGET_A2A3, .has_target = true};
        const pto_run_options run = {.target = PTO_TARGET_A2A3, .has_target = true};
        assert_int_equal(pto_program_verify(program, &verify, diags), rows == 1 ? PTO_OK : PTO_ERR_REFUSED);
        if (rows > 1)
            expect_rule(diags, "PTO-E0723", 7);
        pto_diag_list_clear(diags);
        assert_int_equal(pto_program_run(program, NULL, 0, &run, diags),
                         rows == 1 ? PTO_OK : PTO_ERR_REFUSED);
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_the_source),
        cmocka_unit_test(one_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
