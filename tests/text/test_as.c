/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-AS: lexical rules, grammar, signatures, attributes, old values, errors (60, 1). */
#include "ssa_testing.h"

#include <stdio.h>

#define ARGS                                                                                                 \
    ".arg %a : !pto.tile<16x16xf32>\n.arg %b : !pto.tile<16x16xf32>\n.arg %c : !pto.tile<16x16xf32>\n"

/* Both texts are the same program. */
static void same(const char *text, const char *canonical) {
    pto_program *x = ssa_parse_good(text), *y = ssa_parse_good(canonical);
    if (!pto_program_equal(x, y)) {
        char *printed = ssa_print_program(x, PTO_DIALECT_AS);
        print_message("differs:\n%s-- from\n%s", printed, canonical);
        free(printed);
    }
    assert_true(pto_program_equal(x, y));
    assert_int_equal(pto_program_dialect(x), PTO_DIALECT_AS);
    ssa_check_print(x);
    pto_program_destroy(x);
    pto_program_destroy(y);
}

static void test_whole_program(void **state) {
    (void)state;
    /* 60, 3.11 */
    pto_program *program = ssa_parse_good(
        ".arg %a : !pto.memref<24x40xf32>\n.arg %b : !pto.memref<24x40xf32>\n.arg %y : "
        "!pto.memref<24x40xf32>\n"
        ".const %z = 0 : index\n"
        "%ta = tload %a[%z, %z] : (!pto.memref<...>, index, index) -> !pto.tile<vec, f32, 24, 40>\n"
        "%tb = tload %b[0, 0] : !pto.memref<24x40xf32> -> !pto.tile<vec, f32, 24, 40>\n"
        "%s = tadd %ta, %tb : !pto.tile<vec, f32, 24, 40>\n"
        "%q = trelu %s : !pto.tile<...>\n"
        "tstore %q, %y[%z, %z]\n");
    char names[1024];
    assert_string_equal(ssa_sequence(program, names), "TLOAD TLOAD TADD TRELU TSTORE ");
    const pto_operation *load = ssa_find(program, "TLOAD"), *store = ssa_find(program, "TSTORE");
    assert_int_equal(load->index_count, 2);
    assert_ptr_equal(load->index[0], load->index[1]);
    assert_int_equal(store->index_count, 2);
    assert_int_equal(store->result_count, 0);
    assert_int_equal(ssa_find(program, "TRELU")->result[0]->type->tile.cols, 40);
    ssa_verify_all(program);
    ssa_check_print(program);
    pto_program_destroy(program);
}

static void test_lexical(void **state) {
    (void)state;
    const char *plain =
        ARGS "%d = tadd %a, %b : !pto.tile<16x16xf32>\n%e = trelu %d : !pto.tile<16x16xf32>\n";
    same(ARGS "%d = tadd %a, %b : !pto.tile<16x16xf32>;\n%e = trelu %d : !pto.tile<16x16xf32> ;\n", plain);
    same(ARGS "%d = tadd %a, %b : !pto.tile<16x16xf32>; %e = trelu %d\n", plain);
    same(ARGS "  # a comment\n%d = tadd %a, %b // another\n\n\n\t%e = trelu %d : !pto.tile<...>", plain);
    same(ARGS "start: %d = tadd %a, %b\nnext:\n%e = trelu %d\n", plain);
    same(ARGS "%1 = tadd %a, %b\r\n%2.x = trelu %1\r\n", plain);
    same(ARGS "# cmp<x> first on its line is a comment here\n%d = tadd %a, %b\n%e = trelu %d\n", plain);
}

static void test_signatures(void **state) {
    (void)state;
#define T16 "!pto.tile<16x16xf32>"
    const char *plain = ARGS "%d = tadd %a, %b\n";
    same(ARGS "%d = tadd %a, %b : " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : " T16 ", " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : " T16 ", " T16 ", " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : " T16 " -> " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : " T16 ", " T16 " -> " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : (" T16 ", " T16 ") -> " T16 "\n", plain);
    same(ARGS "%d = tadd %a, %b : (" T16 ", " T16 ") -> (" T16 ")\n", plain);
    same(ARGS "%d = tadd %a, %b : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>\n", plain);
    const char *scalar = ARGS ".arg %s : f32\n%d = tadds %a, %s\n";
    same(ARGS ".arg %s : f32\n%d = tadds %a, %s : " T16 ", f32\n", scalar);
    same(ARGS ".arg %s : f32\n%d = tadds %a, %s : " T16 ", f32, " T16 "\n", scalar);
    same(ARGS ".arg %s : f32\n%d = tadds %a, %s : " T16 "\n", scalar);
    same(ARGS ".arg %s : f32\n%d = tadds %a, %s : (" T16 ", f32) -> " T16 "\n", scalar);
    /* A list with one type more than operands ends with the result type. */
    pto_program *program = ssa_parse_good(".arg %s : f32\n%d = texpands %s : f32, !pto.tile<8x8xf32>\n");
    assert_int_equal(ssa_find(program, "TEXPANDS")->result[0]->type->tile.rows, 8);
    ssa_verify_all(program);
    ssa_check_print(program);
    pto_program_destroy(program);
    ssa_expect_rule(ARGS "%d = tadd %a, %b : " T16 ", " T16 ", " T16 ", " T16 "\n", "PTO-E0213");
    ssa_expect_rule(ARGS "%d = tadd %a, %b : !pto.tile<8x16xf32>, " T16 "\n", "PTO-E0212");
    ssa_expect_rule(ARGS "%d = tadd %a, %b : " T16 ", " T16 " -> !pt.other<...>\n", "PTO-E0212");
    ssa_expect_rule(ARGS ".arg %s : f32\n%d = tadds %a, %s : " T16 ", i32\n", "PTO-E0212");
    ssa_expect_rule(ARGS "%d = tadd %a, %b : (" T16 ", " T16 ") -> (" T16 ", " T16 ")\n", "PTO-E0213");
}

static void test_two_forms_of_tdivs(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(ARGS ".arg %s : f32\n%d = tdivs %a, %s\n%e = tdivs %s, %a : f32, " T16 "\n");
    const pto_operation *first = ssa_find(program, "TDIVS");
    assert_int_not_equal(first->form, first->next->form);
    assert_int_equal(first->result[0]->type->tile.rows, 16);
    assert_int_equal(first->next->result[0]->type->tile.rows, 16);
    ssa_verify_all(program);
    ssa_check_print(program);
    pto_program_destroy(program);
}

static void test_literals(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(ARGS "%d = tadds %a, 2.5 : " T16 ", f32\n"
                                               "%e = tmuls %d, -1.0 : (" T16 ", f32) -> " T16 "\n"
                                               "%f = tadds %e, 0x3F800000 : " T16 ", f32\n");
    static const double wanted[] = {2.5, -1.0, 1.0};
    const pto_operation *op = ssa_find(program, "TADDS");
    for (int i = 0; i < 3; i++) {
        while (op->kind != PTO_OPK_INSTR)
            op = op->next;
        const pto_attr *number = pto_operation_attr(op->operand[2]->def, "value");
        assert_true(number->f == wanted[i]);
        op = op->next;
    }
    ssa_check_print(program);
    /* Literals are printed where they stand. */
    char *text = ssa_print_program(program, PTO_DIALECT_AS);
    assert_null(strstr(text, ".const"));
    free(text);
    pto_program_destroy(program);
}

static void test_constants(void **state) {
    (void)state;
    pto_program *program =
        ssa_parse_good(".const %i = -3 : i32\n.const %x = 0x10 : index\n.const %f = 1.5e1 : f32\n"
                       ".const %h = 0x3F800000 : f32\n.const %t = true : i1\n");
    const pto_operation *op = pto_function_body(pto_program_first_function(program))->first;
    assert_int_equal(pto_operation_attr(op, "value")->i, -3);
    assert_int_equal(pto_operation_attr(op->next, "value")->i, 16);
    assert_true(pto_operation_attr(op->next->next, "value")->f == 15.0);
    assert_true(pto_operation_attr(op->next->next->next, "value")->f == 1.0);
    assert_int_equal(pto_operation_attr(op->next->next->next->next, "value")->i, 1);
    ssa_check_print(program);
    pto_program_destroy(program);
    ssa_expect_rule(".const %i = 300 : i8\n", "PTO-E0232");
    ssa_expect_rule(".const %i = 1.5 : i32\n", "PTO-E0233");
    ssa_expect_rule(".const %i = 1 : !pto.tile<8x8xf32>\n", "PTO-E0233");
    ssa_expect_rule(".const %i = : i32\n", "PTO-E0201");
    ssa_expect_rule(".const %i = 1\n", "PTO-E0201");
    ssa_expect_rule(".data %i = 1 : i32\n.arg %a : f32\n", "PTO-E0201");
}

static void test_attributes(void **state) {
    (void)state;
    const char *plain =
        ARGS "%d = tcvt %a {rmode = #pto.round_mode<CAST_RINT>} : " T16 " -> !pto.tile<16x16xi32>\n"
             "%e = tcvt %a {rmode = #pto.round_mode<CAST_FLOOR>} : " T16 " -> !pto.tile<16x16xi32>\n";
    same(plain, plain);
    same(ARGS "%d = tcvt %a {rmode = #pto<round_mode cast_rint>} : " T16 " -> !pto.tile<16x16xi32>\n"
              "%e = tcvt %a #rmode=floor : " T16 " -> !pto.tile<16x16xi32>\n",
         plain);
    same(ARGS "%d = tcvt %a, #rmode=CAST_RINT : " T16 " -> !pto.tile<16x16xi32>\n"
              "%e = tcvt %a, #round=rm : " T16 " -> !pto.tile<16x16xi32>\n",
         plain);
    ssa_expect_rule(ARGS "%d = tcvt %a {rmode = #pto.round_mode<CAST_UP>} : " T16
                         " -> !pto.tile<16x16xi32>\n",
                    "PTO-E0233");
    ssa_expect_rule(ARGS "%d = tcvt %a #rmode=sideways : " T16 " -> !pto.tile<16x16xi32>\n", "PTO-E0233");
    ssa_expect_rule(ARGS "%d = tcvt %a {rmode = #pto.round_mode<FLOOR>, rmode = #pto.round_mode<CEIL>}\n",
                    "PTO-E0234");
}

static void test_destination_first(void **state) {
    (void)state;
    same(ARGS "tadd %d, %a, %b\n%e = trelu %d\n", ARGS "%d = tadd %a, %b\n%e = trelu %d\n");
    same(ARGS "tadd %d, %a, %b : " T16 ", " T16 ", " T16 "\n", ARGS "%d = tadd %a, %b\n");
    ssa_expect_rule(ARGS "tadd %a, %b\n", "PTO-E0213");
}

static void test_old_values(void **state) {
    (void)state;
    /* %c is the old value by its name, %d by the last operand */
    const char *text = ARGS ".arg %d : " T16 "\n%c = tmuladddst %a, %b : " T16 "\n"
                            "%e = tmuladddst %a, %b, %d : " T16 "\n%f = tadd %c, %e\n";
    pto_program *program = ssa_parse_good(text);
    const pto_operation *first = ssa_find(program, "TMULADDDST"), *second = first->next;
    const pto_block *body = pto_function_body(pto_program_first_function(program));
    assert_ptr_equal(first->acc, body->arg[2]);
    assert_ptr_equal(second->acc, body->arg[3]);
    assert_ptr_equal(second->next->operand[1], first->result[0]);
    ssa_verify_all(program);
    ssa_check_print(program);
    char *printed = ssa_print_program(program, PTO_DIALECT_AS);
    assert_non_null(strstr(printed, "%c = tmuladddst %a, %b : "));
    assert_non_null(strstr(printed, "%e = tmuladddst %a, %b, %d : "));
    free(printed);
    pto_program_destroy(program);
    /* No old value: an error of verification. */
    program = ssa_parse_good(ARGS "%d = tmuladddst %a, %b : " T16 "\n");
    assert_false(ssa_verify(program, PTO_TARGET_CPU, "PTO-E0423"));
    pto_program_destroy(program);
    /* The old value may not be used under its own name afterwards. */
    program = ssa_parse_good(ARGS "%d = tmuladddst %a, %b, %c : " T16 "\n%e = tadd %c, %d\n");
    assert_false(ssa_verify(program, PTO_TARGET_CPU, "PTO-E0422"));
    pto_program_destroy(program);
}

static void test_names(void **state) {
    (void)state;
    ssa_expect_rule(ARGS "%d = tadd %a, %nothing\n", "PTO-E0210");
    ssa_expect_rule(ARGS "%d = tadd %a, %b\n%d = tadd %a, %b\n", "PTO-E0211");
    ssa_expect_rule(ARGS "%a = tadd %a, %b\n", "PTO-E0211");
    ssa_expect_rule(ARGS ".arg %a : f32\n", "PTO-E0211");
    ssa_expect_rule(ARGS "%d = tad %a, %b\n", "PTO-E0220");
    ssa_expect_rule(ARGS "%d, %e = tadd %a, %b\n", "PTO-E0213");
    ssa_expect_rule(ARGS "%d = tadd %a\n", "PTO-E0213");
    ssa_expect_rule(ARGS "%d = tadd %a, %b, %c\n", "PTO-E0213");
    ssa_expect_rule(ARGS "%d = tadd %a, %b[0, 0]\n", "PTO-E0213");
    ssa_expect_rule(".arg %m : !pto.memref<8x8xf32>\n%d = tload %m[0, 0, 0, 0, 0, 0] : !pto.tile<8x8xf32>\n",
                    "PTO-E0213");
}

static void test_tmov_routes(void **state) {
    (void)state;
    static const char *const texts[] = {ARGS "%d = tmov.v2v %a : " T16 "\n",
                                        ARGS "%d = pto.tmov.v2v %a : " T16 "\n"};
    for (int i = 0; i < 2; i++) {
        pto_program *program = ssa_parse_good(texts[i]);
        ssa_verify_all(program);
        ssa_check_print(program);
        char *text = ssa_print_program(program, pto_program_dialect(program));
        assert_non_null(strstr(text, "tmov.v2v"));
        free(text);
        pto_program_destroy(program);
    }
    ssa_expect_rule(ARGS "%d = tmov.x2y %a : " T16 "\n", "PTO-E0220");
}

#define TABLE_ARGS                                                                                           \
    ".arg %d : " T16 "\n.arg %m : !pto.memref<32x16xf32>\n.arg %i : !pto.tile<16x16xi32>\n"                  \
    ".arg %r : !pto.tile<1x16xi32>\n"

static int64_t mode_of(const pto_operation *op, const char *key) {
    const pto_attr *attr = pto_operation_attr(op, key);
    if (!attr)
        return 0;
    const pto_enum_value *value = pto_enum_value_find(pto_enum_find(attr->enum_kind), attr->text);
    return value ? value->number : -1;
}

static void test_table_modes(void **state) {
    (void)state;
    static const struct {
        const char *line, *oob;
        int64_t coalesce, mode, atomic;
    } lines[] = {
        {"mgather.row %d, %m, %r\n", "gatherOob", 0, 0, 0},
        {"mgather.elem %d, %m, %i\n", "gatherOob", 1, 0, 0},
        {"mgather.elem.clamp %d, %m, %i\n", "gatherOob", 1, 1, 0},
        {"mgather.row.wrap %d, %m, %r\n", "gatherOob", 0, 2, 0},
        {"mgather.elem.zero %d, %m, %i\n", "gatherOob", 1, 3, 0},
        {"mscatter.row %m, %d, %r\n", "scatterOob", 0, 0, 0},
        {"mscatter.elem.skip %m, %d, %i\n", "scatterOob", 1, 1, 0},
        {"mscatter.elem.clamp.atomic_max %m, %d, %i\n", "scatterOob", 1, 2, 2},
        {"mscatter.row.atomic_add %m, %d, %r\n", "scatterOob", 0, 0, 1},
        {"mscatter.elem.atomic_min.wrap %m, %d, %i\n", "scatterOob", 1, 3, 3},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", TABLE_ARGS, lines[i].line);
        pto_program *program = ssa_parse_good(text);
        assert_true(ssa_verify(program, PTO_TARGET_CPU, NULL));
        const pto_operation *op = pto_function_body(pto_program_first_function(program))->first;
        assert_int_equal(mode_of(op, "coalesce"), lines[i].coalesce);
        assert_int_equal(mode_of(op, lines[i].oob), lines[i].mode);
        assert_int_equal(mode_of(op, "scatterAtomicOp"), lines[i].atomic);
        ssa_check_print(program);
        pto_program_destroy(program);
    }
    ssa_expect_rule(TABLE_ARGS "mgather.skip %d, %m, %i\n", "PTO-E0220");
    ssa_expect_rule(TABLE_ARGS "mgather.elem.skip %d, %m, %i\n", "PTO-E0220");
    ssa_expect_rule(TABLE_ARGS "mscatter.elem.zero %m, %d, %i\n", "PTO-E0220");
}

static void test_tsync(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(
        ".arg %e : !pto.event\n.arg %f : !pto.event\ntsync %e, %f\ntsync %e %f\ntsync #pto.op<TADD>\n");
    const pto_operation *op = pto_function_body(pto_program_first_function(program))->first;
    assert_int_equal(op->operand_count, 2);
    assert_int_equal(op->next->operand_count, 2);
    assert_int_equal(op->next->next->operand_count, 0);
    ssa_check_print(program);
    pto_program_destroy(program);
}

/* Every mistake of a file is found in one run, and only the mistakes. */
static void test_recovery(void **state) {
    (void)state;
    pto_diag_list *diags;
    pto_program *program = ssa_parse(ARGS "%d = tadd %a, \n"          /* operand missing */
                                          "%e = trelu %d : " T16 "\n" /* uses the name of a failed line */
                                          "%f = frobnicate %a\n"      /* unknown */
                                          "%g = tadd %a, %zz\n"       /* undefined */
                                          "%h = tadd %a, %zz\n"       /* said once */
                                          "} %x\n"                    /* nothing is open */
                                          "%i = tcvt %a {rmode = } : " T16 "\n"
                                          ".arg %k\n"
                                          "%j = trelu %a : !pto.tile<8x8xqqq>\n"
                                          "%l = trelu %a extra\n"
                                          "%m = tadd %f, %l\n",
                                     &diags);
    static const uint32_t lines[] = {4, 6, 7, 9, 10, 11, 12, 13};
    size_t at = 0;
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (d->severity != PTO_ERROR)
            continue;
        if (at >= sizeof lines / sizeof *lines || d->line != lines[at])
            pto_diag_render(diags, NULL, ssa_show_write, NULL);
        assert_true(at < sizeof lines / sizeof *lines);
        assert_int_equal(d->line, lines[at]);
        at++;
    }
    assert_int_equal(at, sizeof lines / sizeof *lines);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_program), cmocka_unit_test(test_lexical),
        cmocka_unit_test(test_signatures),    cmocka_unit_test(test_two_forms_of_tdivs),
        cmocka_unit_test(test_literals),      cmocka_unit_test(test_constants),
        cmocka_unit_test(test_attributes),    cmocka_unit_test(test_destination_first),
        cmocka_unit_test(test_old_values),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_recovery),      cmocka_unit_test(test_tmov_routes),
        cmocka_unit_test(test_tsync),         cmocka_unit_test(test_table_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
