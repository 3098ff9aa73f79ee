/* SPDX-License-Identifier: Apache-2.0 */
/* Level 1 text: SSA instructions inside functions, with loops and branches around them (60, 2). */
#include "ssa_testing.h"
#include <pto/ops.h>

#include <stdio.h>

#define T16 "!pto.tile<16x16xf32>"
#define CONV "!pto.conv_tile<mat, NC1HWC0, 1x2x4x4x8xf32, filter_h = 3>"

/* Every form of the table that has a level 1 spelling: a line made from its pattern parses to that form (or
 * one that reads the same), and prints to the same program. */
static void declare(char *text, const pto_form_desc *form, int position) {
    const pto_operand_desc *desc = &form->operand[position];
    const char *type = desc->role == PTO_ROLE_SCALAR ? "f32"
                       : desc->is_global             ? "!pto.partition_tensor_view<16x16xf32>"
                       : desc->conv == PTO_CONV_YES  ? CONV
                                                     : T16;
    sprintf(text + strlen(text), ".arg %%%s : %s\n", desc->name, type);
}

/* The instruction of a text that has one; TMOV with fp and TMOV_FP share a spelling and a meaning. */
static const pto_operation *last_instruction(const pto_program *program) {
    const pto_operation *found = NULL;
    const pto_block *body = pto_function_body(pto_program_first_function(program));
    for (const pto_operation *op = body->first; op; op = op->next)
        if (op->kind == PTO_OPK_INSTR)
            found = op;
    assert_non_null(found);
    return found;
}

static void one_form(const pto_form_desc *form, pto_text_form level) {
    const pto_text_pattern *pattern = &form->text[level];
    char text[4096] = "";
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++)
        declare(text, form, pattern->operand[i]);
    bool rmw = pattern->result[0] >= 0 && form->operand[pattern->result[0]].role == PTO_ROLE_INOUT;
    if (rmw)
        strcat(text, ".arg %acc : " T16 "\n");
    int results = 0;
    for (; results < 4 && pattern->result[results] >= 0; results++)
        sprintf(text + strlen(text), "%s%%r%d", results ? ", " : "", results);
    sprintf(text + strlen(text), "%s%s", results ? " = " : "", pattern->opcode);
    const char *before = " ";
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++, before = ", ")
        sprintf(text + strlen(text), "%s%%%s", before, form->operand[pattern->operand[i]].name);
    if (rmw)
        sprintf(text + strlen(text), "%s%%acc", before);
    bool bare = !results && pattern->operand[0] < 0; /* `name :` would be a label */
    strcat(text, bare ? "\n" : " : (");
    before = "";
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++, before = ", ") {
        const pto_operand_desc *desc = &form->operand[pattern->operand[i]];
        sprintf(text + strlen(text), "%s%s", before,
                desc->role == PTO_ROLE_SCALAR ? "f32"
                : desc->is_global             ? "!pto.partition_tensor_view<16x16xf32>"
                : desc->conv == PTO_CONV_YES  ? CONV
                                              : T16);
    }
    if (rmw)
        sprintf(text + strlen(text), "%s" T16, before);
    strcat(text, bare ? "" : ") -> (");
    for (int i = 0; i < results; i++)
        sprintf(text + strlen(text), "%s%s", i ? ", " : "",
                form->operand[pattern->result[i]].is_counts              ? "vector<4xi16>"
                : form->operand[pattern->result[i]].conv == PTO_CONV_YES ? CONV
                                                                         : T16);
    strcat(text, bare ? "" : ")\n");
    pto_program *program = ssa_parse_good(text);
    const pto_operation *op = last_instruction(program);
    assert_string_equal(pto_form_get(op->form)->text[level].opcode, pattern->opcode);
    /* what an operand is, a convolution tile or another, decides the form */
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].conv == PTO_CONV_YES)
            assert_ptr_equal(pto_form_get(op->form), form);
    assert_int_equal(op->result_count, results);
    assert_int_equal(op->acc != NULL, rmw);
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++) {
        /* Another form of the opcode may read the same line: then it names as many operands. */
        if (pto_form_get(op->form) != form)
            break;
        const pto_value *value = op->operand[pattern->operand[i]];
        assert_non_null(value);
        assert_int_equal(value->name.len, strlen(form->operand[pattern->operand[i]].name));
        assert_memory_equal(value->name.data, form->operand[pattern->operand[i]].name, value->name.len);
    }
    ssa_check_print(program);
    pto_program_destroy(program);
}

static void test_every_form(void **state) {
    (void)state;
    unsigned seen = 0;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        if (form->text[PTO_TEXT_LEVEL1].opcode && ++seen)
            one_form(form, PTO_TEXT_LEVEL1);
        if (form->text[PTO_TEXT_AS].opcode && ++seen)
            one_form(form, PTO_TEXT_AS);
    }
    assert_true(seen > 50);
}

static void test_function(void **state) {
    (void)state;
    /* 60, 3.11, level 1 body */
    pto_program *program =
        ssa_parse_good("!TT = !pto.tile<vec, f32, 24, 40>\n!G = !pto.tensor_view<24x40xf32>\n!P = "
                       "!pto.partition_tensor_view<24x40xf32>\n"
                       "module attributes {\"pto.target_arch\" = \"a3\"} {\n"
                       "func.func @addrelu(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %y: !pto.ptr<f32>) "
                       "attributes {pto.entry} {\n"
                       "  %z = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
                       "  %r = arith.constant 24 : index\n  %c = arith.constant 40 : index\n"
                       "  %ga = pto.make_tensor_view %a, shape = [%r, %c], strides = [%c, %one] : !G\n"
                       "  %gb = pto.make_tensor_view %b, shape = [%r, %c], strides = [%c, %one] : !G\n"
                       "  %gy = pto.make_tensor_view %y, shape = [%r, %c], strides = [%c, %one] : !G\n"
                       "  %pa = pto.partition_view %ga, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                       "  %pb = pto.partition_view %gb, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                       "  %py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                       "  %ta = pto.tload %pa : !P -> !pto.tile<vec, f32, 24, 40>\n"
                       "  %tb = pto.tload %pb : !P -> !TT\n"
                       "  %s = pto.tadd %ta, %tb : (!TT, !TT) -> !TT\n"
                       "  %q = pto.trelu %s : !TT -> !TT\n"
                       "  pto.tstore %q, %py : (!TT, !P) -> ()\n"
                       "  return\n}\n}\n");
    char names[1024];
    assert_string_equal(ssa_sequence(program, names), "TLOAD TLOAD TADD TRELU TSTORE ");
    assert_int_equal(pto_program_dialect(program), PTO_DIALECT_LEVEL1);
    ssa_verify_all(program);
    ssa_check_print(program);
    pto_program_destroy(program);
}

static void test_control_flow(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(
        "func.func @f(%a: " T16 ", %n: index, %p: i1) {\n"
        "  %z = arith.constant 0 : index\n  %one = arith.constant 1 : index\n"
        "  %r = scf.for %i = %z to %n step %one iter_args(%x = %a) -> (" T16 ") {\n"
        "    %y = pto.tadd %x, %a : (" T16 ", " T16 ") -> " T16 "\n"
        "    scf.yield %y : " T16 "\n  }\n"
        "  scf.if %p {\n    %w = pto.trelu %r : " T16 " -> " T16 "\n    pto.tprint %w : " T16 "\n  }\n"
        "  return\n}\n");
    ssa_check_print(program);
    char names[1024];
    assert_string_equal(ssa_sequence(program, names), "TADD TRELU TPRINT ");
    pto_program_destroy(program);
}

static void test_literals_and_lists(void **state) {
    (void)state;
    /* Every signature shape of PTO-AS parses at level 1 too. */
    static const char *const shapes[] = {": " T16, ": " T16 ", " T16, ": " T16 ", " T16 " -> " T16,
                                         ": (" T16 ", " T16 ") -> (" T16 ")", ""};
    pto_program *first = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[512];
        sprintf(text, "func.func @f(%%a: " T16 ") {\n %%d = pto.tadd %%a, %%a %s\n return\n}\n", shapes[i]);
        pto_program *program = ssa_parse_good(text);
        if (first) {
            assert_true(pto_program_equal(first, program));
            pto_program_destroy(program);
        } else {
            first = program;
        }
    }
    ssa_verify_all(first);
    pto_program_destroy(first);
}

static void test_errors(void **state) {
    (void)state;
#define IN_F(line) "func.func @f(%a: " T16 ", %s: f32) {\n " line "\n return\n}\n"
    ssa_expect_rule(IN_F("%d = pto.tadd %a, %q : (" T16 ", " T16 ") -> " T16), "PTO-E0210");
    ssa_expect_rule(IN_F("%a = pto.tadd %a, %a : (" T16 ", " T16 ") -> " T16), "PTO-E0211");
    ssa_expect_rule(IN_F("%d = pto.tadd %a, %a : (" T16 ", f32) -> " T16), "PTO-E0212");
    ssa_expect_rule(IN_F("%d = pto.tadd %a : (" T16 ") -> " T16), "PTO-E0213");
    ssa_expect_rule(IN_F("%d = pto.tadd %a, : (" T16 ") -> " T16), "PTO-E0201");
    ssa_expect_rule(IN_F("%d = pto.tadq %a, %a : " T16), "PTO-E0220");
    /* Both mistakes are found. */
    pto_diag_list *diags;
    pto_program *program =
        ssa_parse(IN_F("%d = pto.tadd %a, \n %e = pto.trelu %d : " T16 "\n %f = pto.texp %g"), &diags);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 2);
    assert_true(pto_diag_has(diags, "PTO-E0201"));
    assert_true(pto_diag_has(diags, "PTO-E0210"));
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),   cmocka_unit_test(test_function),
        cmocka_unit_test(test_control_flow), cmocka_unit_test(test_literals_and_lists),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
