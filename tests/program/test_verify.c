/* SPDX-License-Identifier: Apache-2.0 */
/* Verification: each rule of program structure is broken once, and accepted at its border. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include "support/program_testing.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define T "!pto.tile_buf<vec, 16x16xf32>"
#define DYN "!pto.tile_buf<vec, 16x16xf32, valid=?x?>"
#define C                                                                                                    \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c16 = arith.constant 16 : index\n"     \
    "%c17 = arith.constant 17 : index\n"

typedef struct row {
    const char *args, *body, *rule; /* rule NULL: accepted */
    unsigned line;
    pto_target target;
} row;

/* The first line of a body is line 3; C takes four. */
static const row rows[] = {
    /* tiles */
    {"", "%t = pto.alloc_tile : " T, NULL, 0, PTO_TARGET_A5},
    {"", "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x15xf32>", "PTO-E0314", 3, PTO_TARGET_CPU},
    {"", "%t = pto.alloc_tile : !pto.tile_buf<vec, 512x128xf32>", "PTO-E0315", 3, PTO_TARGET_A2A3},
    {"", "%t = pto.alloc_tile : !pto.tile_buf<vec, 512x128xf32>", NULL, 0, PTO_TARGET_A5},
    {"", "%t = pto.alloc_tile : " DYN, "PTO-E0409", 3, PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile valid_row = %c1 valid_col = %c16 : " DYN, NULL, 0, PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile valid_row = %c1 valid_col = %c17 : " DYN, "PTO-E0310", 7, PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile valid_row = %c1 : " T, "PTO-E0409", 7, PTO_TARGET_CPU},
    /* addresses */
    {"", "%a = arith.constant 32 : i64\n%t = pto.alloc_tile addr = %a : " T, NULL, 0, PTO_TARGET_CPU},
    {"", "%a = arith.constant 16 : i64\n%t = pto.alloc_tile addr = %a : " T, "SA-0354", 4, PTO_TARGET_CPU},
    {"", "%a = arith.constant 195584 : i64\n%t = pto.alloc_tile addr = %a : " T, NULL, 0, PTO_TARGET_A2A3},
    {"", "%a = arith.constant 195616 : i64\n%t = pto.alloc_tile addr = %a : " T, "SA-0353", 4,
     PTO_TARGET_A2A3},
    {"", "%a = arith.constant -32 : i64\n%t = pto.alloc_tile addr = %a : " T, "SA-0353", 4, PTO_TARGET_CPU},
    {"", "%a = arith.constant 32 : i64\n%t = pto.alloc_tile addr = %a : " T "\n%u = pto.alloc_tile : " T,
     "PTO-E0415", 5, PTO_TARGET_CPU},
    /* set_validshape, bitcast, subset */
    {"",
     C "%t = pto.alloc_tile valid_row = %c1 valid_col = %c1 : " DYN
       "\npto.set_validshape %t, %c16, %c0 : " DYN,
     NULL, 0, PTO_TARGET_CPU},
    {"",
     C "%t = pto.alloc_tile valid_row = %c1 valid_col = %c1 : " DYN
       "\npto.set_validshape %t, %c17, %c0 : " DYN,
     "PTO-E0310", 8, PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile : " T "\npto.set_validshape %t, %c1, %c1 : " T, "PTO-E0413", 8,
     PTO_TARGET_CPU},
    {"", "%t = pto.alloc_tile : " T "\n%u = pto.bitcast %t : " T " -> !pto.tile_buf<vec, 16x16xi32>", NULL, 0,
     PTO_TARGET_CPU},
    {"", "%t = pto.alloc_tile : " T "\n%u = pto.bitcast %t : " T " -> !pto.tile_buf<vec, 8x32xi32>",
     "PTO-E0414", 4, PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile : " T "\n%u = pto.subset %t[%c0, %c0] sizes [8, 16] : " T, NULL, 0,
     PTO_TARGET_CPU},
    {"", C "%t = pto.alloc_tile : " T "\n%u = pto.subset %t[%c16, %c0] sizes [8, 16] : " T, "PTO-E0412", 8,
     PTO_TARGET_CPU},
    /* views */
    {"%p: !pto.ptr<f32>",
     C "%v = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : "
       "!pto.tensor_view<16x16xf32>\n"
       "%w = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<16x16xf32> "
       "-> "
       "!pto.partition_tensor_view<16x16xf32>",
     NULL, 0, PTO_TARGET_CPU},
    {"%p: !pto.ptr<f32>",
     C "%v = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : "
       "!pto.tensor_view<16x16xf32>\n"
       "%w = pto.partition_view %v, offsets = [%c1, %c0], sizes = [%c16, %c16] : !pto.tensor_view<16x16xf32> "
       "-> "
       "!pto.partition_tensor_view<16x16xf32>",
     "PTO-E0411", 8, PTO_TARGET_CPU},
    {"%p: !pto.ptr<f16>",
     C "%v = pto.make_tensor_view %p, shape = [%c16, %c16], strides = [%c16, %c1] : "
       "!pto.tensor_view<16x16xf32>",
     "PTO-E0405", 7, PTO_TARGET_CPU},
    {"%p: !pto.ptr<f32>",
     C
     "%v = pto.make_tensor_view %p, shape = [%c16, %c17], strides = [%c17, %c1] {layout = #pto.layout<dn>} : "
     "!pto.tensor_view<16x17xf32>",
     "PTO-E0418", 7, PTO_TARGET_CPU},
    /* scalars */
    {"", C "%s = arith.addi %c0, %c1 : index", NULL, 0, PTO_TARGET_CPU},
    {"%x: i32", "%y = arith.index_cast %x : i32 to i64", "PTO-E0406", 3, PTO_TARGET_CPU},
    {"%x: i32", "%y = arith.trunci %x : i32 to i64", "PTO-E0406", 3, PTO_TARGET_CPU},
    {"%x: i64", "%y = arith.trunci %x : i64 to i8", NULL, 0, PTO_TARGET_CPU},
    {"%x: i32", "%y, %z = arith.addui_extended %x, %x : i32, i1", NULL, 0, PTO_TARGET_CPU},
    {"%x: i32", "%y, %z = arith.addui_extended %x, %x : i32, i32", "PTO-E0406", 3, PTO_TARGET_CPU},
    {"%x: f32", "%y, %z = arith.addui_extended %x, %x : f32, i1", "PTO-E0405", 3, PTO_TARGET_CPU},
    {"%x: index", "%y, %z = arith.mulsi_extended %x, %x : index", NULL, 0, PTO_TARGET_CPU},
    {"%x: f32", "%y, %z = arith.mului_extended %x, %x : f32", "PTO-E0405", 3, PTO_TARGET_CPU},
    {"%x: i32", "%y, %z = \"arith.mului_extended\"(%x, %x) : (i32, i32) -> (i32, i64)", "PTO-E0406", 3,
     PTO_TARGET_CPU},
    {"%x: i32", "%y, %z = \"arith.mulsi_extended\"(%x, %x) : (i32, i32) -> (i64, i32)", "PTO-E0406", 3,
     PTO_TARGET_CPU},
    {"%p: !pto.ptr<f32>",
     C "%v = pto.make_tensor_view %p, shape = [%c16], strides = [%c1] : !pto.tensor_view<16xf32>\n"
       "%s = pto.get_tensor_view_stride %v, %c0 : !pto.tensor_view<16xf32> -> index",
     NULL, 0, PTO_TARGET_CPU},
    {"%p: !pto.ptr<f32>", C "%s = pto.get_tensor_view_stride %p, %c0 : !pto.ptr<f32> -> index", "PTO-E0405",
     7, PTO_TARGET_CPU},
    {"%p: !pto.ptr<f32>",
     C "%v = pto.make_tensor_view %p, shape = [%c16], strides = [%c1] : !pto.tensor_view<16xf32>\n"
       "%s = pto.get_tensor_view_stride %v, %c0 : !pto.tensor_view<16xf32> -> i32",
     "PTO-E0406", 8, PTO_TARGET_CPU},
    /* control flow */
    {"", C "scf.for %i = %c0 to %c16 step %c0 {\n}", "PTO-E0905", 7, PTO_TARGET_CPU},
    {"", C "scf.for %i = %c0 to %c16 step %c1 {\n}", NULL, 0, PTO_TARGET_CPU},
    /* flags */
    {"", "pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID7>]", NULL, 0, PTO_TARGET_CPU},
    {"", "pto.set_flag[<PIPE_V>, <PIPE_V>, <EVENT_ID0>]", "PTO-E0416", 3, PTO_TARGET_CPU},
    {"", "pto.wait_flag[<PIPE_ALL>, <PIPE_V>, <EVENT_ID0>]", "PTO-E0416", 3, PTO_TARGET_CPU},
    /* instructions: the one legality, at the operand */
    {"",
     "%t = pto.alloc_tile : " T "\n%u = pto.alloc_tile : !pto.tile_buf<vec, 16x16xi64>\n"
     "pto.trelu ins(%u : !pto.tile_buf<vec, 16x16xi64>) outs(%u : !pto.tile_buf<vec, 16x16xi64>)",
     "PTO-E0302", 5, PTO_TARGET_A2A3},
    {"",
     "%t = pto.alloc_tile : " T "\n%u = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf32>\n"
     "pto.tadd ins(%t, %u : " T ", !pto.tile_buf<mat, 16x16xf32>) outs(%t : " T ")",
     "PTO-E0320", 5, PTO_TARGET_CPU},
    {"",
     C "%t = pto.alloc_tile : " T "\n%u = pto.alloc_tile valid_row = %c1 valid_col = %c16 : " DYN
       "\npto.trelu ins(%u : " DYN ") outs(%t : " T ")",
     "PTO-E0323", 9, PTO_TARGET_CPU},
    {"%n: index",
     "%t = pto.alloc_tile : " T "\n%u = pto.alloc_tile valid_row = %n valid_col = %n : " DYN
     "\npto.trelu ins(%u : " DYN ") outs(%t : " T ")",
     NULL, 0, PTO_TARGET_CPU},
    {"",
     "%a = arith.constant 0 : i64\n%b = arith.constant 512 : i64\n%t = pto.alloc_tile addr = %a : " T
     "\n%u = pto.alloc_tile addr = %b : " T "\npto.trelu ins(%t : " T ") outs(%u : " T ")",
     "PTO-E0325", 7, PTO_TARGET_CPU},
    {"",
     "%a = arith.constant 0 : i64\n%t = pto.alloc_tile addr = %a : " T "\n%u = pto.alloc_tile addr = %a : " T
     "\npto.trelu ins(%t : " T ") outs(%u : " T ")",
     NULL, 0, PTO_TARGET_CPU},
    /* tassign at level 2 */
    {"", "%a = arith.constant 0 : i64\n%t = pto.alloc_tile : " T "\n%u = pto.tassign %t, %a : " T " -> " T,
     "PTO-E0424", 5, PTO_TARGET_CPU},
};

static void each_rule_once(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = program_of(rows[i].args, rows[i].body);
        pto_program *program = parse_program(text);
        pto_diag_list *diags = pto_diag_list_create();
        pto_verify_options options = {.target = rows[i].target, .has_target = true};
        pto_status status = pto_program_verify(program, &options, diags);
        if (rows[i].rule) {
            if (status != PTO_ERR_REFUSED)
                fail_msg("row %zu accepted:\n%s", i, text);
            expect_rule(diags, rows[i].rule, rows[i].line);
            if (pto_diag_count(diags, PTO_ERROR) != 1)
                fail_msg("row %zu: more than one error\n%s", i, diag_text(diags));
        } else if (status != PTO_OK) {
            fail_msg("row %zu refused:\n%s", i, diag_text(diags));
        }
        assert_int_equal(pto_program_verify(program, &options, NULL), status);
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
        free(text);
    }
}

static void all_errors_in_one_run(void **state) {
    (void)state;
    static const char body[] = "%c0 = arith.constant 0 : index\n"
                               "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x15xf32>\n"
                               "pto.set_flag[<PIPE_V>, <PIPE_V>, <EVENT_ID0>]\n"
                               "scf.for %i = %c0 to %c0 step %c0 {\n}\n"
                               "%y = arith.constant 1 : i32\n%z = arith.trunci %y : i32 to i64";
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_program_verify(program, NULL, diags), PTO_ERR_REFUSED);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 4);
    expect_rule(diags, "PTO-E0314", 4);
    expect_rule(diags, "PTO-E0416", 5);
    expect_rule(diags, "PTO-E0905", 6);
    expect_rule(diags, "PTO-E0406", 9);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    free(text);
}

static void refuse_text(const char *text, const char *rule, unsigned line) {
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_program_verify(program, NULL, diags), PTO_ERR_REFUSED);
    expect_rule(diags, rule, line);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

static void accept_text(const char *text) {
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    if (pto_program_verify(program, NULL, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

#define V "!pto.tile<vec, f32, 16, 16>"

static void read_modify_write_in_ssa(void **state) {
    (void)state;
    /* the last operand is the old value */
    accept_text(".arg %a : " V "\n.arg %b : " V "\n.arg %c : " V "\n%d = tmuladddst %a, %b, %c : " V "\n");
    /* or the tile bound to the name so far */
    accept_text(".arg %a : " V "\n.arg %b : " V "\n.arg %d : " V "\n%d = tmuladddst %a, %b : " V "\n");
    /* neither */
    refuse_text(".arg %a : " V "\n.arg %b : " V "\n%d = tmuladddst %a, %b : " V "\n", "PTO-E0423", 3);
    /* the old value is gone */
    refuse_text(".arg %a : " V "\n.arg %b : " V "\n.arg %c : " V "\n%d = tmuladddst %a, %b, %c : " V
                "\n%e = trelu %c : " V "\n",
                "PTO-E0422", 5);
}

static void open_types_name_the_operand(void **state) {
    (void)state;
    refuse_text(".arg %a : !pto.tile<...>\n%d = trelu %a : !pto.tile<...>\n", "PTO-E0403", 2);
    refuse_text(".arg %a : !pto.memref<...>\n", "PTO-E0403", 1);
    accept_text(".arg %a : " V "\n%d = trelu %a : !pto.tile<...>\n");
}

static void calls_and_entries(void **state) {
    (void)state;
    refuse_text("module {\nfunc.func @a() {\nfunc.call @b() : () -> ()\nreturn\n}\n"
                "func.func @b() {\nfunc.call @a() : () -> ()\nreturn\n}\n}\n",
                "PTO-E0420", 2);
    refuse_text(
        "module {\nfunc.func private @a()\nfunc.func @b() {\nfunc.call @a() : () -> ()\nreturn\n}\n}\n",
        "PTO-E0419", 4);
}

/* 00-model, 8.1: a tile in [184K, 192K) beside a TROWEXPAND<op> of mode 1 without tmp. */
static void implicit_scratch(void **state) {
    (void)state;
    static const char body[] =
        "%%a = arith.constant 0 : i64\n%%b = arith.constant 1024 : i64\n%%c = arith.constant %s : i64\n"
        "%%t = pto.alloc_tile addr = %%a : !pto.tile_buf<vec, 8x8xf32>\n"
        "%%s = pto.alloc_tile addr = %%b : !pto.tile_buf<vec, 8x1xf32, blayout=col_major>\n"
        "%%x = pto.alloc_tile addr = %%c : !pto.tile_buf<vec, 8x8xf32>\n"
        "pto.trowexpandadd ins(%%t, %%s : !pto.tile_buf<vec, 8x8xf32>, !pto.tile_buf<vec, 8x1xf32, "
        "blayout=col_major>) outs(%%t : !pto.tile_buf<vec, 8x8xf32>)";
    static const char *const addresses[2] = {"188160", "188416"};
    for (int i = 0; i < 2; i++) {
        char lines[2048];
        snprintf(lines, sizeof lines, body, addresses[i]);
        char *text = program_of("", lines);
        pto_program *program = parse_program(text);
        for (int t = 0; t < PTO_TARGET_COUNT; t++) {
            pto_diag_list *diags = pto_diag_list_create();
            pto_verify_options options = {.target = (pto_target)t, .has_target = true};
            pto_status status = pto_program_verify(program, &options, diags);
            bool refused = i == 1 && t == PTO_TARGET_A2A3;
            if ((status == PTO_OK) == refused)
                fail_msg("%s on %s\n%s", addresses[i], pto_target_name((pto_target)t), diag_text(diags));
            if (refused)
                expect_rule(diags, "PTO-E0428", 8);
            pto_diag_list_destroy(diags);
        }
        pto_program_destroy(program);
        free(text);
    }
}

/* What no text can hold: built by hand. */
static void built_programs(void **state) {
    (void)state;
    pto_program *program = pto_program_create(0);
    pto_block *top = program->module->region[0]->first;
    pto_operation *function = pto_operation_create(program, PTO_OPK_FUNC, 0, 0);
    pto_operation_set_attr(program, function, PTO_STR("sym_name"), pto_attr_string(program, PTO_STR("f")));
    pto_block *body = pto_region_add_block(program, pto_operation_add_region(program, function));
    pto_block_append(top, function);
    const pto_type *i64 = pto_type_int(program, 64, PTO_SIGNLESS);
    pto_operation *use = pto_operation_create(program, PTO_OPK_ARITH_ADDI, 2, 1);
    pto_operation *constant = pto_operation_create(program, PTO_OPK_ARITH_CONSTANT, 0, 1);
    pto_operation_set_attr(program, constant, PTO_STR("value"), pto_attr_int(program, 1, i64));
    pto_value *one = pto_operation_set_result(program, constant, 0, i64, PTO_STR("one"));
    pto_operation_set_result(program, use, 0, i64, PTO_STR("sum"));
    use->operand[0] = use->operand[1] = one;
    pto_block_append(body, use); /* before the definition */
    pto_block_append(body, constant);
    pto_operation *wide = pto_operation_create(program, PTO_OPK_ARITH_CONSTANT, 0, 1);
    pto_operation_set_attr(program, wide, PTO_STR("value"), pto_attr_int(program, 256, NULL));
    pto_operation_set_result(program, wide, 0, pto_type_int(program, 8, PTO_SIGNLESS), PTO_STR("w"));
    pto_block_append(body, wide);
    pto_operation *unknown = pto_operation_create(program, PTO_OPK_UNKNOWN, 0, 0);
    unknown->name = PTO_STR("other.thing");
    pto_block_append(body, unknown);
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_program_verify(program, NULL, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0402", 0); /* use before definition */
    expect_rule(diags, "PTO-E0401", 0); /* unknown operation */
    expect_rule(diags, "PTO-E0425", 0); /* 256 as i8 */
    expect_rule(diags, "PTO-E0407", 0); /* no return */
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

/* The verdict does not depend on what the caller's list holds already, or on there being one. */
static void same_verdict_twice(void **state) {
    (void)state;
    const char text[] =
        "module {\n func.func @f() {\n %t = pto.alloc_tile : !pto.tile_buf<vec, 16x15xf32>\n return\n }\n}\n";
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("twice.pto", text, sizeof text - 1, NULL, diags);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pto_program_verify(program, NULL, diags), PTO_ERR_REFUSED);
        assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
    }
    assert_int_equal(pto_program_verify(program, NULL, NULL), PTO_ERR_REFUSED);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_once),           cmocka_unit_test(all_errors_in_one_run),
        cmocka_unit_test(read_modify_write_in_ssa), cmocka_unit_test(open_types_name_the_operand),
        cmocka_unit_test(calls_and_entries),        cmocka_unit_test(implicit_scratch),
        cmocka_unit_test(built_programs),           cmocka_unit_test(same_verdict_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
