/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion between the forms: what is the same, what is refused (60, 0, 2). */
#include "ssa_testing.h"

#define T16 "!pto.tile<16x16xf32>"
#define B16 "!pto.tile_buf<vec, 16x16xf32>"

static const char addrelu[] =
    ".arg %a : !pto.memref<48x80xf32>\n.arg %b : !pto.memref<48x80xf32>\n.arg %y : !pto.memref<48x80xf32>\n"
    ".const %z = 8 : index\n"
    "%ta = tload %a[%z, 0] : !pto.memref<48x80xf32> -> !pto.tile<24x40xf32>\n"
    "%tb = tload %b[24, 40] : !pto.memref<48x80xf32> -> !pto.tile<24x40xf32>\n"
    "%s = tadd %ta, %tb\n%q = trelu %s\ntstore %q, %y[%z, %z]\n";

/* Same instructions, accepted, printable, and stable: converting to and fro again changes nothing more. */
static void to_and_fro(const pto_program *program) {
    char before[1024], after[1024];
    ssa_sequence(program, before);
    for (int dialect = 0; dialect <= PTO_DIALECT_GENERIC; dialect++) {
        pto_program *other = ssa_convert(program, (pto_dialect)dialect);
        assert_string_equal(before, ssa_sequence(other, after));
        ssa_verify_all(other);
        ssa_check_print(other);
        pto_program *back = ssa_convert(other, pto_program_dialect(program));
        assert_string_equal(before, ssa_sequence(back, after));
        pto_program *again = ssa_convert(back, (pto_dialect)dialect);
        pto_program *second = ssa_convert(again, pto_program_dialect(program));
        assert_true(pto_program_equal(back, second));
        pto_program_destroy(second);
        pto_program_destroy(again);
        pto_program_destroy(back);
        pto_program_destroy(other);
    }
}

static void test_memory(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(addrelu);
    to_and_fro(program);
    pto_program *level1 = ssa_convert(program, PTO_DIALECT_LEVEL1);
    pto_program *back = ssa_convert(level1, PTO_DIALECT_AS);
    assert_true(pto_program_equal(program, back));
    const pto_block *body = pto_function_body(pto_program_first_function(level1));
    assert_int_equal(body->arg[0]->type->kind, PTO_TYPE_PTR);
    const pto_operation *view = ssa_find(level1, "TLOAD")->operand[1]->def;
    assert_int_equal(view->kind, PTO_OPK_PARTITION_VIEW);
    assert_int_equal(view->result[0]->type->dim[0], 24);
    assert_int_equal(view->result[0]->type->dim[1], 40);
    const pto_operation *whole = view->operand[0]->def;
    assert_int_equal(whole->kind, PTO_OPK_MAKE_TENSOR_VIEW);
    assert_int_equal(whole->result[0]->type->dim[0], 48);
    pto_program_destroy(back);
    pto_program_destroy(level1);
    pto_program_destroy(program);
}

/* Windows at (0, 0) need no indices; an old value may follow the source directly (30, TEXTRACT; 60, 2). */
static void test_windows(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(".arg %a : !pto.memref<16x16xf32>\n.arg %y : !pto.memref<16x16xf32>\n"
                       "%t = tload %a[0, 0] : !pto.memref<16x16xf32> -> " T16 "\n"
                       "%w = textract %t : " T16 " -> !pto.tile<8x8xf32>\n"
                       "%u = tinsert %w, %t\n"
                       "%u = tinsert %w[8, 8]\n"
                       "tstore %u, %y[0, 0]\n");
    const pto_operation *insert = ssa_find(program, "TINSERT");
    assert_ptr_equal(insert->acc, ssa_find(program, "TEXTRACT")->operand[1]);
    assert_null(insert->operand[2]);
    assert_null(insert->operand[3]);
    assert_non_null(insert->next);
    to_and_fro(program);
    pto_program_destroy(program);
    ssa_expect_rule(".arg %t : " T16 "\n%w = textract %t[1] : " T16 " -> !pto.tile<8x8xf32>\n", "PTO-E0213");
    program = ssa_parse_good("!t = !pto.tile<16x16xf32>\nfunc.func @main(%t: !t, %f: !t) {\n"
                             "%c = arith.constant 2 : index\n"
                             "%a = pto.textract %t : !t -> !t\n%b = pto.textract %t, %c : (!t, index) -> !t\n"
                             "%d, %e = pto.textract %t : !t -> (!t, !t)\nreturn\n}\n");
    ssa_check_print(program);
    char sequence[1024];
    assert_string_equal(ssa_sequence(program, sequence), "TEXTRACT TEXTRACT TEXTRACT ");
    pto_program_destroy(program);
}

/* TPREFETCH_ASYNC has a spelling of its own in the SSA forms (60, 1.6). */
static void test_prefetch(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(".arg %a : !pto.memref<16x16xf32>\n.arg %s : !pto.async_session\n"
                       "%e = tprefetch_async %a, %s\n"
                       "%f = tprefetch_async %a, %s : (!pto.memref<16x16xf32>, !pto.async_session) -> "
                       "!pto.async_event\n"
                       "%t = tload %a[0, 0] : !pto.memref<16x16xf32> -> " T16 "\n");
    to_and_fro(program);
    pto_program *level1 = ssa_convert(program, PTO_DIALECT_LEVEL1);
    char *text = ssa_print_program(level1, PTO_DIALECT_LEVEL1);
    assert_non_null(strstr(text, "%e = pto.tprefetch_async %"));
    free(text);
    pto_program *back = ssa_convert(level1, PTO_DIALECT_AS);
    assert_true(pto_program_equal(program, back));
    pto_program_destroy(back);
    pto_program_destroy(level1);
    pto_program_destroy(program);
    ssa_expect_rule(".arg %a : !pto.memref<16x16xf32>\n.arg %s : !pto.async_session\n"
                    "tprefetch_async %a, %s\n",
                    "PTO-E0213");
    program =
        ssa_parse_good(".arg %a : !pto.memref<16x16xf32>\n.arg %s : i32\n%e = tprefetch_async %a, %s\n");
    assert_false(ssa_verify(program, PTO_TARGET_CPU, "PTO-E0435"));
    pto_program_destroy(program);
}

/* Every tile result has a handle of its own, made in front of its instruction. */
static void test_handles(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(addrelu);
    pto_program *level2 = ssa_convert(program, PTO_DIALECT_LEVEL2);
    const pto_operation *add = ssa_find(level2, "TADD"), *relu = ssa_find(level2, "TRELU");
    assert_int_equal(add->result_count, 0);
    assert_int_equal(add->operand[0]->def->kind, PTO_OPK_ALLOC_TILE);
    assert_ptr_equal(add->operand[0], relu->operand[1]);
    assert_ptr_not_equal(add->operand[0], add->operand[1]);
    assert_int_equal(add->operand[0]->type->kind, PTO_TYPE_TILE_BUF);
    pto_program_destroy(level2);
    pto_program_destroy(program);
}

static void test_old_values(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(".arg %a : " T16 "\n%c = trelu %a\n%c = tmuladddst %a, %a\n%d = texp %c\n");
    to_and_fro(program);
    pto_program *level2 = ssa_convert(program, PTO_DIALECT_LEVEL2);
    /* The result has the storage of the old value. */
    assert_ptr_equal(ssa_find(level2, "TMULADDDST")->operand[0], ssa_find(level2, "TRELU")->operand[0]);
    assert_ptr_equal(ssa_find(level2, "TMULADDDST")->operand[0], ssa_find(level2, "TEXP")->operand[1]);
    pto_program_destroy(level2);
    pto_program_destroy(program);
}

static void test_matrix_accumulation(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(".arg %a : !pto.tile<left, 16x16xf16, blayout=col_major, slayout=row_major>\n"
                       ".arg %b : !pto.tile<right, 16x16xf16, slayout=col_major>\n"
                       "%c = tmatmul %a, %b : !pto.tile<...>, !pto.tile<...> -> "
                       "!pto.tile<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n"
                       "%d = tmatmul.acc %c, %a, %b\n");
    pto_program *level2 = ssa_convert(program, PTO_DIALECT_LEVEL2);
    const pto_operation *acc = ssa_find(level2, "TMATMUL_ACC");
    assert_int_equal(pto_form_get(acc->form)->operand[0].role, PTO_ROLE_INOUT);
    assert_ptr_equal(acc->operand[0], ssa_find(level2, "TMATMUL")->operand[0]);
    ssa_check_print(level2);
    pto_program *back = ssa_convert(level2, PTO_DIALECT_AS);
    assert_ptr_equal(ssa_find(back, "TMATMUL_ACC")->operand[1], ssa_find(back, "TMATMUL")->result[0]);
    pto_program_destroy(back);
    pto_program_destroy(level2);
    pto_program_destroy(program);
}

static void test_handle_written_twice(void **state) {
    (void)state;
    /* the level 2 program of 60, 3.11 writes %ta three times */
    pto_program *program = ssa_parse_good("func.func @f(%a: " B16 ") {\n %t = pto.alloc_tile : " B16 "\n"
                                          " pto.tadd ins(%a, %a : " B16 ", " B16 ") outs(%t : " B16 ")\n"
                                          " pto.tadd ins(%t, %a : " B16 ", " B16 ") outs(%t : " B16 ")\n"
                                          " pto.trelu ins(%t : " B16 ") outs(%t : " B16
                                          ")\n pto.tprint ins(%t : " B16 ")\n return\n}\n");
    pto_program *level1 = ssa_convert(program, PTO_DIALECT_LEVEL1);
    const pto_operation *first = ssa_find(level1, "TADD"), *second = first->next, *relu = second->next;
    assert_ptr_equal(second->operand[1], first->result[0]);
    assert_ptr_equal(relu->operand[1], second->result[0]);
    assert_ptr_equal(relu->next->operand[0], relu->result[0]);
    ssa_verify_all(level1);
    ssa_check_print(level1);
    pto_program_destroy(level1);
    to_and_fro(program);
    pto_program_destroy(program);
}

static void refused(const char *text, pto_dialect dialect) {
    pto_program *program = ssa_parse_good(text);
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *result = pto_program_convert(program, dialect, diags);
    if (result)
        print_message("not refused:\n%s", text);
    assert_null(result);
    assert_true(pto_diag_has(diags, "PTO-E0250"));
    assert_true(pto_diag_first(diags)->line > 0);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

#define IN_F(lines) "func.func @f(%a: " B16 ", %p: i1) {\n " lines "\n return\n}\n"

static void test_refusals(void **state) {
    (void)state;
    /* read before written, the caller's tile, parts, addresses, flags, writes into a region's outside */
    refused(IN_F("%t = pto.alloc_tile : " B16 "\n pto.trelu ins(%t : " B16 ") outs(%t : " B16 ")"),
            PTO_DIALECT_LEVEL1);
    refused(IN_F("pto.trelu ins(%a : " B16 ") outs(%a : " B16 ")"), PTO_DIALECT_LEVEL1);
    refused(IN_F("%i = arith.constant 0 : index\n %s = pto.subset %a[%i, %i] sizes [8, 16] : " B16),
            PTO_DIALECT_LEVEL1);
    refused(IN_F("%k = arith.constant 0 : i64\n %t = pto.alloc_tile addr = %k : " B16), PTO_DIALECT_LEVEL1);
    refused(IN_F("pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]"), PTO_DIALECT_LEVEL1);
    refused(IN_F("pto.barrier <PIPE_V>"), PTO_DIALECT_AS);
    refused(IN_F("%t = pto.alloc_tile : " B16 "\n scf.if %p {\n pto.trelu ins(%a : " B16 ") outs(%t : " B16
                 ")\n }"),
            PTO_DIALECT_LEVEL1);
    /* PTO-AS has no control flow and one function */
    refused(IN_F("scf.if %p {\n pto.tprint ins(%a : " B16 ")\n }"), PTO_DIALECT_AS);
    refused("func.func @f() {\n return\n}\nfunc.func @g() {\n return\n}\n", PTO_DIALECT_AS);
    refused(IN_F("%b = pto.get_block_idx"), PTO_DIALECT_AS);
    /* open types and unknown extents have no handle and no view */
    refused(".arg %a : !pto.tile<...>\n%b = trelu %a\n", PTO_DIALECT_LEVEL2);
    refused(".arg %a : !pto.memref<?x80xf32>\n%b = tload %a[0, 0] : !pto.tile<8x8xf32>\n",
            PTO_DIALECT_LEVEL1);
    refused(".arg %a : !pto.memref<80xf32>\n%b = tload %a[0] : !pto.tile<8x8xf32>\n", PTO_DIALECT_LEVEL1);
    refused(".arg %a : !pto.memref<80x80xf32>\n%b = tload %a[0, 0, 0] : !pto.tile<8x8xf32>\n",
            PTO_DIALECT_LEVEL2);
}

/* All refusals of a program come in one run. */
static void test_all_refusals(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(IN_F("pto.barrier <PIPE_V>\n pto.barrier <PIPE_MTE2>"));
    pto_diag_list *diags = pto_diag_list_create();
    assert_null(pto_program_convert(program, PTO_DIALECT_LEVEL1, diags));
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 2);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

/* y = relu(a + b) on windows of three 48 x 80 matrices; y keeps its 7.0 outside the window. */
static void run(pto_program *program, float *y) {
    static float a[48 * 80], b[48 * 80];
    for (int i = 0; i < 48 * 80; i++) {
        a[i] = (float)(i % 97) - 48.0f;
        b[i] = (float)(i % 31) * -0.5f;
        y[i] = 7.0f;
    }
    const pto_argument arguments[] = {{.data = a, .bytes = sizeof a, .read_only = true},
                                      {.data = b, .bytes = sizeof b, .read_only = true},
                                      {.data = y, .bytes = sizeof a}};
    pto_diag_list *diags = pto_diag_list_create();
    const pto_run_options options = {.blocks = 1, .threads = 1};
    pto_status status = pto_program_run(program, arguments, 3, &options, diags);
    if (status != PTO_OK)
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    assert_int_equal(status, PTO_OK);
    pto_diag_list_destroy(diags);
    for (int r = 0; r < 48; r++)
        for (int c = 0; c < 80; c++) {
            bool inside = r >= 8 && r < 32 && c >= 8 && c < 48;
            float sum = 0.0f;
            if (inside)
                sum = a[r * 80 + c - 8] + b[(r - 8 + 24) * 80 + c - 8 + 40];
            assert_true(y[r * 80 + c] == (!inside ? 7.0f : sum > 0 ? sum : 0.0f));
        }
}

static void test_same_results(void **state) {
    (void)state;
    static float y[48 * 80];
    pto_program *program = ssa_parse_good(addrelu);
    run(program, y);
    for (int dialect = 0; dialect <= PTO_DIALECT_GENERIC; dialect++) {
        pto_program *other = ssa_convert(program, (pto_dialect)dialect);
        run(other, y);
        pto_program *back = ssa_convert(other, PTO_DIALECT_AS);
        run(back, y);
        pto_program_destroy(back);
        pto_program_destroy(other);
    }
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_same_results),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_old_values),
        cmocka_unit_test(test_matrix_accumulation),
        cmocka_unit_test(test_handle_written_twice),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_all_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
