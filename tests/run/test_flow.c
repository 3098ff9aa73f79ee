/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of several blocks, switches and regions: run, printed and read again, refused where they break
 * SSA form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program_testing.h"
#include <pto/pto.h>

static const char flow[] =
    "module {\n"
    "func.func @fact(%n: index) -> index {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  cf.br ^head(%n, %c1 : index, index)\n"
    "^head(%i: index, %acc: index):\n"
    "  %done = arith.cmpi eq, %i, %c0 : index\n"
    "  cf.cond_br %done, ^exit(%acc : index), ^body\n"
    "^body:\n"
    "  %next = arith.muli %acc, %i : index\n  %less = arith.subi %i, %c1 : index\n"
    "  cf.br ^head(%less, %next : index, index)\n"
    "^exit(%r: index):\n  return %r : index\n}\n"
    "func.func @main(%p: !pto.ptr<i64>, %k: index) attributes {pto.entry} {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
    "  %f = func.call @fact(%k) : (index) -> index\n"
    "  %v = arith.index_cast %f : index to i64\n"
    "  pto.store_scalar %v, %p[%c0] : !pto.ptr<i64>, i64\n"
    "  %s = scf.index_switch %k -> i64\n"
    "  case 3 {\n    %a = arith.constant 33 : i64\n    scf.yield %a : i64\n  }\n"
    "  case 5 {\n    %a = arith.constant 55 : i64\n    scf.yield %a : i64\n  }\n"
    "  default {\n    %a = arith.constant -1 : i64\n    scf.yield %a : i64\n  }\n"
    "  pto.store_scalar %s, %p[%c1] : !pto.ptr<i64>, i64\n"
    "  %x = scf.execute_region -> i64 {\n"
    "    %w = arith.index_cast %k : index to i32\n"
    "    cf.switch %w : i32, [default: ^bb1(%s : i64), 4: ^bb2, 5: ^bb3(%v, %v : i64, i64)]\n"
    "  ^bb1(%q: i64):\n    scf.yield %q : i64\n"
    "  ^bb2:\n    %four = arith.constant 44 : i64\n    scf.yield %four : i64\n"
    "  ^bb3(%y: i64, %z: i64):\n    %sum = arith.addi %y, %z : i64\n    scf.yield %sum : i64\n  }\n"
    "  pto.store_scalar %x, %p[%c2] : !pto.ptr<i64>, i64\n"
    "  return\n}\n}\n";

static void expect_values(const char *text, int64_t k) {
    int64_t out[3] = {0}, fact = 1;
    for (int64_t i = 2; i <= k; i++)
        fact *= i;
    int64_t chosen = k == 3 ? 33 : k == 5 ? 55 : -1;
    int64_t switched = k == 4 ? 44 : k == 5 ? 2 * fact : chosen;
    pto_argument arguments[] = {{.data = out, .bytes = sizeof out}, {.i = k}};
    run_text(text, arguments, 2, NULL);
    assert_int_equal(out[0], fact);
    assert_int_equal(out[1], chosen);
    assert_int_equal(out[2], switched);
}

static bool append(void *context, const char *text, size_t len) {
    strncat(context, text, len);
    return true;
}

/* Printed in each form, read again: the same program, the same values. */
static void values_in_every_form(void **state) {
    (void)state;
    static const pto_dialect forms[] = {PTO_DIALECT_LEVEL2, PTO_DIALECT_GENERIC};
    for (int64_t k = 0; k <= 8; k++)
        expect_values(flow, k);
    for (int i = 0; i < 2; i++) {
        char text[16384] = "";
        pto_diag_list *diags = pto_diag_list_create();
        pto_program *program = parse_program(flow);
        assert_int_equal(pto_program_print(program, forms[i], append, text, diags), PTO_OK);
        for (int64_t k = 3; k <= 6; k++)
            expect_values(text, k);
        char again[16384] = "";
        pto_program *second = parse_program(text);
        assert_int_equal(pto_program_print(second, forms[i], append, again, diags), PTO_OK);
        assert_string_equal(text, again);
        pto_program_destroy(program);
        pto_program_destroy(second);
        pto_diag_list_destroy(diags);
    }
}

/* A tile that is loaded before a loop of blocks and stored behind it keeps its bytes through the loop. */
static void tiles_over_blocks(void **state) {
    (void)state;
    static const char text[] =
        "!T = !pto.tile_buf<vec, 192x128xf32>\n"
        "module {\nfunc.func @main(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {\n"
        "  %z = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
        "  %r = arith.constant 192 : index\n  %c = arith.constant 128 : index\n"
        "  %half = arith.constant 0.5 : f32\n"
        "  %gx = pto.make_tensor_view %x, shape = [%r, %c], strides = [%c, %one] : "
        "!pto.tensor_view<192x128xf32>\n"
        "  %gy = pto.make_tensor_view %y, shape = [%r, %c], strides = [%c, %one] : "
        "!pto.tensor_view<192x128xf32>\n"
        "  %px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%r, %c] : "
        "!pto.tensor_view<192x128xf32> -> "
        "!pto.partition_tensor_view<192x128xf32>\n"
        "  %py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %c] : "
        "!pto.tensor_view<192x128xf32> -> "
        "!pto.partition_tensor_view<192x128xf32>\n"
        "  %keep = pto.alloc_tile : !T\n  %work = pto.alloc_tile : !T\n"
        "  pto.tload ins(%px : !pto.partition_tensor_view<192x128xf32>) outs(%keep : !T)\n"
        "  cf.br ^head(%z : index)\n"
        "^head(%i: index):\n"
        "  %more = arith.cmpi slt, %i, %n : index\n"
        "  cf.cond_br %more, ^body, ^exit\n"
        "^body:\n"
        "  pto.tadds ins(%keep, %half : !T, f32) outs(%work : !T)\n"
        "  pto.tadds ins(%work, %half : !T, f32) outs(%keep : !T)\n"
        "  %next = arith.addi %i, %one : index\n"
        "  cf.br ^head(%next : index)\n"
        "^exit:\n"
        "  pto.tstore ins(%keep : !T) outs(%py : !pto.partition_tensor_view<192x128xf32>)\n"
        "  return\n}\n}\n";
    enum { COUNT = 192 * 128 };
    float *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y);
    assert_true(x && y);
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i % 97);
    pto_argument arguments[] = {
        {.data = x, .bytes = COUNT * sizeof *x}, {.data = y, .bytes = COUNT * sizeof *y}, {.i = 7}};
    pto_run_options options = {.target = PTO_TARGET_A5, .has_target = true};
    run_text(text, arguments, 3, &options);
    for (int i = 0; i < COUNT; i++)
        assert_true(y[i] == x[i] + 7.0f);
    free(x);
    free(y);
}

static void refused(const char *rule, unsigned line, const char *body) {
    char *text = program_of("%c: i1, %k: i32", body);
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), NULL, diags);
    assert_non_null(program);
    pto_program_verify(program, NULL, diags);
    expect_rule(diags, rule, line);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    free(text);
}

static void breaks_of_form(void **state) {
    (void)state;
    /* the definition does not dominate the use */
    refused("PTO-E0402", 8,
            "cf.cond_br %c, ^a, ^b\n^a:\n%x = arith.constant 1 : i32\ncf.br ^b\n^b:\n%y = arith.addi %x, %x "
            ": i32\n");
    refused("PTO-E0408", 3, "cf.br ^a(%k : i32)\n^a:\n");
    refused("PTO-E0405", 3, "cf.br ^a(%k : i32)\n^a(%x: i64):\n");
    refused("PTO-E0407", 5, "cf.br ^a\n^a:\n%x = arith.constant 1 : i32\n^b:\n");
    refused("PTO-E0214", 3, "cf.br ^nowhere\n");
    refused("PTO-E0408", 3, "cf.switch %k : i32, [default: ^a, 1: ^a, 1: ^a]\n^a:\n");
    refused(
        "PTO-E0408", 6,
        "%i = arith.constant 1 : index\n%r = scf.index_switch %i -> i32\ncase 1 {\nscf.yield\n}\ndefault {\n"
        "scf.yield %k : i32\n}\n");
    refused("PTO-E0407", 3, "scf.execute_region {\n%x = arith.constant 1 : i32\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_in_every_form),
                                       cmocka_unit_test(tiles_over_blocks), cmocka_unit_test(breaks_of_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
