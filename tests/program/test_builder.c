/* SPDX-License-Identifier: Apache-2.0 */
/* <pto/builder.h>: a built program is the parsed one, and goes wherever that goes; bad uses are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include "support/program_testing.h"
#include <pto/pto.h>

/* ---- identity -------------------------------------------------------------------------------------------
 */

static void same_as(pto_program *built, const char *text) {
    pto_program *parsed = parse_program(text);
    assert_non_null(built);
    assert_true(pto_program_equal(built, parsed));
    static const pto_dialect forms[] = {PTO_DIALECT_LEVEL2, PTO_DIALECT_GENERIC};
    for (int i = 0; i < 2; i++) {
        text_buffer a = {0}, b = {0};
        assert_int_equal(pto_program_print(built, forms[i], collect_text, &a, NULL), PTO_OK);
        assert_int_equal(pto_program_print(parsed, forms[i], collect_text, &b, NULL), PTO_OK);
        assert_string_equal(a.data, b.data);
        free(a.data);
        free(b.data);
    }
    text_buffer a = {0}, b = {0};
    /* successors have no bytes (60, 5.3) */
    pto_status expected = strstr(text, "^bb1") ? PTO_ERR_REFUSED : PTO_OK;
    assert_int_equal(pto_program_encode(built, NULL, collect_text, &a, NULL), expected);
    assert_int_equal(pto_program_encode(parsed, NULL, collect_text, &b, NULL), expected);
    assert_int_equal(a.len, b.len);
    if (a.len)
        assert_memory_equal(a.data, b.data, a.len);
    free(a.data);
    free(b.data);
    pto_program_destroy(parsed);
}

/* The first value is named by its parameter, the others by the printer. */
static void loops(void **state) {
    (void)state;
    pto_builder *b = pto_builder_create(NULL);
    pto_value *arg[2], *sum, *chosen, *total, *at, *inside, *last;
    pto_build_target(b, PTO_TARGET_A5);
    const pto_build_param params[] = {{"o", pto_build_ptr_type(b, PTO_S32)}, {"n", pto_build_index_type(b)}};
    const pto_type *i32 = pto_build_int_type(b, 32);
    pto_build_function(b, "f", true, params, 2, arg);
    pto_value *zero = pto_build_index(b, 0), *one = pto_build_index(b, 1);
    pto_value *start = pto_build_int(b, i32, -7);
    pto_value *i = pto_build_for(b, zero, arg[1], one, 1, &start, &sum);
    pto_value *x = pto_build_cast(b, "arith.index_cast", i, i32);
    pto_value *odd = pto_build_compare(b, "slt", sum, x);
    pto_build_if(b, odd, 1, &i32);
    pto_value *more = pto_build_arith(b, "arith.addi", sum, x);
    pto_build_else(b, 1, &more);
    pto_value *less = pto_build_arith(b, "arith.subi", sum, x);
    pto_build_end_if(b, 1, &less, &chosen);
    pto_build_end_for(b, 1, &chosen, &total);
    pto_value *limit = pto_build_int(b, i32, 100);
    pto_build_while(b, 1, &total, &at);
    pto_value *below = pto_build_compare(b, "slt", at, limit);
    pto_build_do(b, below, 1, &at, &inside);
    pto_value *twice = pto_build_arith(b, "arith.addi", inside, limit);
    pto_build_end_while(b, 1, &twice, &last);
    pto_build_operation(b, "pto.store_scalar", (pto_value *[]){arg[0], zero, last}, 3, NULL, NULL, 0);
    pto_build_end_function(b);
    pto_program *built = pto_builder_finish(b);
    same_as(built, "module attributes {pto.target_arch = \"a5\"} {\n"
                   "  func.func @f(%o: !pto.ptr<i32>, %n: index) attributes {pto.entry} {\n"
                   "    %0 = arith.constant 0 : index\n    %1 = arith.constant 1 : index\n"
                   "    %2 = arith.constant -7 : i32\n"
                   "    %3 = scf.for %4 = %0 to %n step %1 iter_args(%5 = %2) -> (i32) {\n"
                   "      %6 = arith.index_cast %4 : index to i32\n"
                   "      %7 = arith.cmpi slt, %5, %6 : i32\n"
                   "      %8 = scf.if %7 -> (i32) {\n"
                   "        %9 = arith.addi %5, %6 : i32\n        scf.yield %9 : i32\n"
                   "      } else {\n"
                   "        %10 = arith.subi %5, %6 : i32\n        scf.yield %10 : i32\n      }\n"
                   "      scf.yield %8 : i32\n    }\n"
                   "    %11 = arith.constant 100 : i32\n"
                   "    %12 = scf.while (%13 = %3) : (i32) -> i32 {\n"
                   "      %14 = arith.cmpi slt, %13, %11 : i32\n"
                   "      scf.condition(%14) %13 : i32\n"
                   "    } do {\n    ^bb0(%15: i32):\n"
                   "      %16 = arith.addi %15, %11 : i32\n      scf.yield %16 : i32\n    }\n"
                   "    pto.store_scalar %12, %o[%0] : !pto.ptr<i32>, i32\n"
                   "    return\n  }\n}\n");
    int32_t out = 0;
    const pto_argument arguments[] = {{.data = &out, .bytes = sizeof out}, {.i = 5}};
    assert_int_equal(pto_program_run(built, arguments, 2, NULL, NULL), PTO_OK);
    int32_t expected = -7;
    for (int k = 0; k < 5; k++)
        expected = expected < k ? expected + k : expected - k;
    while (expected < 100)
        expected += 100;
    assert_int_equal(out, expected);
    pto_program_destroy(built);
}

static void tiles_and_instructions(void **state) {
    (void)state;
    pto_builder *b = pto_builder_create(NULL);
    const pto_build_param params[] = {{"p", pto_build_ptr_type(b, PTO_F32)}, {"n", pto_build_index_type(b)}};
    pto_value *arg[2];
    pto_build_function(b, "g", true, params, 2, arg);
    pto_value *c0 = pto_build_index(b, 0), *c1 = pto_build_index(b, 1), *c16 = pto_build_index(b, 16);
    pto_value *c32 = pto_build_index(b, 32), *addr = pto_build_int(b, pto_build_int_type(b, 64), 4096);
    pto_value *view =
        pto_build_tensor_view(b, arg[0], 2, (pto_value *[]){arg[1], c32}, (pto_value *[]){c32, c1});
    pto_value *part = pto_build_partition(b, view, 2, (pto_value *[]){c0, c0}, (pto_value *[]){c16, c32});
    pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 16, 32);
    pto_value *t = pto_build_tile(b, &type, addr, NULL, NULL);
    pto_tile_type open = type;
    open.valid_rows = open.valid_cols = PTO_DYNAMIC;
    pto_value *addr2 = pto_build_int(b, pto_build_int_type(b, 64), 8192);
    pto_value *u = pto_build_tile(b, &open, addr2, c16, c32);
    pto_tile_type bytes = pto_tile_type_make(PTO_LOC_VEC, PTO_S8, 16, 32);
    pto_value *addr3 = pto_build_int(b, pto_build_int_type(b, 64), 16384);
    pto_value *mask = pto_build_tile(b, &bytes, addr3, NULL, NULL);
    pto_value *half = pto_build_float(b, PTO_F32, 0.5);
    assert_int_equal(pto_build_section(b, true), PTO_OK);
    assert_int_equal(pto_build_instr(b, PTO_FORM_TLOAD, (pto_value *[]){t, part}, 2, NULL, 0), PTO_OK);
    pto_build_operation(b, "pto.set_flag", NULL, 0, NULL,
                        (pto_build_attr[]){PTO_BUILD_WORD("src_pipe", "PIPE_MTE2"),
                                           PTO_BUILD_WORD("dst_pipe", "PIPE_V"),
                                           PTO_BUILD_WORD("event_id", "EVENT_ID1")},
                        3);
    pto_build_operation(b, "pto.wait_flag", NULL, 0, NULL,
                        (pto_build_attr[]){PTO_BUILD_WORD("src_pipe", "PIPE_MTE2"),
                                           PTO_BUILD_WORD("dst_pipe", "PIPE_V"),
                                           PTO_BUILD_WORD("event_id", "EVENT_ID1")},
                        3);
    pto_build_instr(b, PTO_FORM_TMULS, (pto_value *[]){u, t, half}, 3, NULL, 0);
    pto_build_instr(b, PTO_FORM_TCMP, (pto_value *[]){mask, t, t}, 3,
                    (pto_build_attr[]){PTO_BUILD_WORD("cmpMode", "lt")}, 1);
    pto_tile_type wide = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 64);
    pto_value *r = pto_build_reshape(b, t, &wide);
    assert_non_null(r);
    pto_build_end_section(b);
    pto_build_end_function(b);
    assert_int_equal(pto_builder_status(b), PTO_OK);
    pto_program *built = pto_builder_finish(b);
    same_as(built,
            "module {\n  func.func @g(%p: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
            "    %0 = arith.constant 0 : index\n    %1 = arith.constant 1 : index\n"
            "    %2 = arith.constant 16 : index\n    %3 = arith.constant 32 : index\n"
            "    %4 = arith.constant 4096 : i64\n"
            "    %5 = pto.make_tensor_view %p, shape = [%n, %3], strides = [%3, %1] : "
            "!pto.tensor_view<?x32xf32>\n"
            "    %6 = pto.partition_view %5, offsets = [%0, %0], sizes = [%2, %3] : "
            "!pto.tensor_view<?x32xf32> -> "
            "!pto.partition_tensor_view<16x32xf32>\n"
            "    %7 = pto.alloc_tile addr = %4 : !pto.tile_buf<vec, 16x32xf32>\n"
            "    %8 = arith.constant 8192 : i64\n"
            "    %9 = pto.alloc_tile addr = %8 valid_row = %2 valid_col = %3 : !pto.tile_buf<vec, 16x32xf32, "
            "valid=?x?>\n"
            "    %10 = arith.constant 16384 : i64\n"
            "    %11 = pto.alloc_tile addr = %10 : !pto.tile_buf<vec, 16x32xi8>\n"
            "    %12 = arith.constant 5.0e-01 : f32\n"
            "    pto.section.vector {\n"
            "      pto.tload ins(%6 : !pto.partition_tensor_view<16x32xf32>) outs(%7 : !pto.tile_buf<vec, "
            "16x32xf32>)\n"
            "      pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]\n"
            "      pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]\n"
            "      pto.tmuls ins(%7, %12 : !pto.tile_buf<vec, 16x32xf32>, f32) outs(%9 : !pto.tile_buf<vec, "
            "16x32xf32, valid=?x?>)\n"
            "      pto.tcmp ins(%7, %7 {cmpMode = #pto<cmp lt>} : !pto.tile_buf<vec, 16x32xf32>, "
            "!pto.tile_buf<vec, 16x32xf32>) outs(%11 : !pto.tile_buf<vec, 16x32xi8>)\n"
            "      %13 = pto.treshape %7 : !pto.tile_buf<vec, 16x32xf32> -> !pto.tile_buf<vec, 8x64xf32>\n"
            "    }\n    return\n  }\n}\n");
    assert_int_equal(pto_program_check(built, NULL, NULL), PTO_OK);
    text_buffer code = {0};
    assert_int_equal(pto_program_emit(built, PTO_LANGUAGE_CPP, NULL, collect_text, &code, NULL), PTO_OK);
    assert_non_null(strstr(code.data, "TCMP("));
    free(code.data);
    pto_program_destroy(built);
}

static void calls(void **state) {
    (void)state;
    pto_builder *b = pto_builder_create(NULL);
    const pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F16, 8, 16);
    const pto_build_param params[] = {{"t", pto_build_tile_type(b, &type)}};
    pto_value *arg, *t;
    pto_build_function(b, "twice", false, params, 1, &arg);
    pto_build_instr(b, PTO_FORM_TADD, (pto_value *[]){arg, arg, arg}, 3, NULL, 0);
    pto_build_end_function(b);
    pto_build_function(b, "main", true, NULL, 0, NULL);
    t = pto_build_tile(b, &type, NULL, NULL, NULL);
    assert_int_equal(pto_build_name(b, t, "tile"), PTO_OK);
    assert_int_equal(pto_build_call(b, "twice", &t, 1), PTO_OK);
    pto_build_end_function(b);
    pto_program *built = pto_builder_finish(b);
    same_as(built,
            "module {\n  func.func @twice(%t: !pto.tile_buf<vec, 8x16xf16>) {\n"
            "    pto.tadd ins(%t, %t : !pto.tile_buf<vec, 8x16xf16>, !pto.tile_buf<vec, 8x16xf16>) outs(%t : "
            "!pto.tile_buf<vec, 8x16xf16>)\n    return\n  }\n"
            "  func.func @main() attributes {pto.entry} {\n"
            "    %tile = pto.alloc_tile : !pto.tile_buf<vec, 8x16xf16>\n"
            "    func.call @twice(%tile) : (!pto.tile_buf<vec, 8x16xf16>) -> ()\n    return\n  }\n}\n");
    assert_int_equal(pto_program_run(built, NULL, 0, NULL, NULL), PTO_OK);
    pto_program_destroy(built);
}

/* Every kind of control flow, rebuilt from its text; a function of several blocks returns from two of them.
 */
static const char flow_text[] =
    "module {\n"
    "  func.func @outside(i32) -> i32 attributes {pto.aicore}\n"
    "  func.func @pick(%x: i32, %c: i1) -> i32 attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
    "    %0 = arith.constant 3 : i32\n"
    "    cf.cond_br %c, ^bb1(%x : i32), ^bb2\n"
    "  ^bb1(%1: i32):\n"
    "    %2 = arith.muli %1, %0 : i32\n"
    "    return %2 : i32\n"
    "  ^bb2:\n"
    "    cf.switch %x : i32, [\n      default: ^bb1(%0 : i32),\n      7: ^bb3(%x, %0 : i32, i32),\n      -1: "
    "^bb4\n    ]\n"
    "  ^bb3(%3: i32, %4: i32):\n"
    "    %5 = arith.subi %3, %4 : i32\n"
    "    return %5 : i32\n"
    "  ^bb4:\n"
    "    cf.br ^bb3(%0, %x : i32, i32)\n"
    "  }\n"
    "  func.func @main(%o: !pto.ptr<i32>, %i: index, %x: i32, %c: i1) attributes {pto.entry} {\n"
    "    %0 = arith.constant 0 : index\n"
    "    %1 = func.call @pick(%x, %c) : (i32, i1) -> i32\n"
    "    %2, %3 = scf.index_switch %i -> i32, index\n"
    "    case 2 {\n"
    "      %more = arith.addi %1, %x : i32\n"
    "      scf.yield %more, %i : i32, index\n"
    "    }\n"
    "    case -5 {\n"
    "      scf.yield %x, %0 : i32, index\n"
    "    }\n"
    "    default {\n"
    "      %one = arith.constant 1 : index\n"
    "      scf.yield %1, %one : i32, index\n"
    "    }\n"
    "    %4 = scf.execute_region -> i32 {\n"
    "      cf.cond_br %c, ^bb1, ^bb2(%2 : i32)\n"
    "    ^bb1:\n"
    "      %5 = arith.addi %2, %2 : i32\n"
    "      cf.br ^bb2(%5 : i32)\n"
    "    ^bb2(%6: i32):\n"
    "      scf.yield %6 : i32\n"
    "    }\n"
    "    scf.execute_region no_inline {\n"
    "      scf.if %c {\n"
    "        pto.store_scalar %4, %o[%3] : !pto.ptr<i32>, i32\n"
    "      }\n"
    "      scf.yield\n"
    "    }\n"
    "    %7, %8 = arith.addui_extended %4, %1 : i32, i1\n"
    "    %9 = arith.select %8, %4, %7 : i32\n"
    "    scf.for unsigned %10 = %0 to %3 step %3 {\n"
    "      pto.store_scalar %9, %o[%0] : !pto.ptr<i32>, i32\n"
    "    }\n"
    "    return\n  }\n}\n";

static void build_pick(pto_builder *b, const pto_type *i32, const pto_type *i1) {
    const pto_build_param params[] = {{"x", i32}, {"c", i1}};
    const pto_type *const two[] = {i32, i32};
    const pto_build_attr kind[] = {PTO_BUILD_WORD("pto.kernel_kind", "vector")};
    pto_value *arg[2], *one, *pair[2];
    pto_build_function(b, "pick", false, params, 2, arg);
    pto_build_set_attrs(b, kind, 1);
    assert_int_equal(pto_build_function_results(b, &i32, 1), PTO_OK);
    pto_value *three = pto_build_int(b, i32, 3);
    pto_block *b1 = pto_build_block(b, &i32, 1, &one), *b2 = pto_build_block(b, NULL, 0, NULL);
    pto_block *b3 = pto_build_block(b, two, 2, pair), *b4 = pto_build_block(b, NULL, 0, NULL);
    pto_build_cond_branch(b, arg[1], &(pto_build_successor){b1, 1, &arg[0]},
                          &(pto_build_successor){b2, 0, NULL});
    /* in any order */
    pto_build_enter_block(b, b4);
    pto_build_branch(b, &(pto_build_successor){b3, 2, (pto_value *[]){three, arg[0]}});
    pto_build_enter_block(b, b2);
    pto_build_switch(b, arg[0], &(pto_build_successor){b1, 1, &three}, 2, (const int64_t[]){7, -1},
                     (const pto_build_successor[]){{b3, 2, (pto_value *[]){arg[0], three}}, {b4, 0, NULL}});
    pto_build_enter_block(b, b1);
    pto_value *product = pto_build_arith(b, "arith.muli", one, three);
    pto_build_return(b, &product, 1);
    pto_build_enter_block(b, b3);
    pto_value *difference = pto_build_arith(b, "arith.subi", pair[0], pair[1]);
    pto_build_return(b, &difference, 1);
    assert_int_equal(pto_build_end_function(b), PTO_OK);
}

static void build_main(pto_builder *b, const pto_type *i32, const pto_type *i1) {
    const pto_type *const chosen_types[] = {i32, pto_build_index_type(b)};
    const pto_type *const sum_types[] = {i32, i1};
    const pto_build_param params[] = {
        {"o", pto_build_ptr_type(b, PTO_S32)}, {"i", chosen_types[1]}, {"x", i32}, {"c", i1}};
    pto_value *arg[4], *picked, *chosen[2], *region, *in, *sum[2];
    pto_build_function(b, "main", true, params, 4, arg);
    pto_value *zero = pto_build_index(b, 0);
    assert_int_equal(pto_build_call_results(b, "pick", (pto_value *[]){arg[2], arg[3]}, 2, &picked), PTO_OK);
    pto_build_index_switch(b, arg[1], 2, chosen_types);
    pto_build_case(b, 2);
    pto_value *more = pto_build_arith(b, "arith.addi", picked, arg[2]);
    pto_build_name(b, more, "more");
    pto_build_yield(b, 2, (pto_value *[]){more, arg[1]});
    pto_build_case(b, -5);
    pto_build_yield(b, 2, (pto_value *[]){arg[2], zero});
    pto_build_default(b);
    pto_value *one = pto_build_index(b, 1);
    pto_build_name(b, one, "one");
    pto_build_yield(b, 2, (pto_value *[]){picked, one});
    assert_int_equal(pto_build_end_index_switch(b, chosen), PTO_OK);
    pto_build_execute_region(b, 1, &i32);
    pto_block *b1 = pto_build_block(b, NULL, 0, NULL), *b2 = pto_build_block(b, &i32, 1, &in);
    pto_build_cond_branch(b, arg[3], &(pto_build_successor){b1, 0, NULL},
                          &(pto_build_successor){b2, 1, chosen});
    pto_build_enter_block(b, b1);
    pto_value *twice = pto_build_arith(b, "arith.addi", chosen[0], chosen[0]);
    pto_build_branch(b, &(pto_build_successor){b2, 1, &twice});
    pto_build_enter_block(b, b2);
    pto_build_yield(b, 1, &in);
    assert_int_equal(pto_build_end_execute_region(b, &region), PTO_OK);
    const pto_build_attr whole[] = {{.key = "no_inline", .kind = PTO_BUILD_ATTR_UNIT}};
    pto_build_execute_region(b, 0, NULL);
    pto_build_set_attrs(b, whole, 1);
    pto_build_if(b, arg[3], 0, NULL);
    pto_build_operation(b, "pto.store_scalar", (pto_value *[]){arg[0], chosen[1], region}, 3, NULL, NULL, 0);
    pto_build_end_if(b, 0, NULL, NULL);
    pto_build_yield(b, 0, NULL);
    pto_build_end_execute_region(b, NULL);
    assert_int_equal(pto_build_operation_results(b, "arith.addui_extended", (pto_value *[]){region, picked},
                                                 2, sum_types, 2, NULL, 0, sum),
                     PTO_OK);
    pto_value *last =
        pto_build_operation(b, "arith.select", (pto_value *[]){sum[1], region, sum[0]}, 3, i32, NULL, 0);
    const pto_build_attr plain[] = {{.key = "unsignedCmp", .kind = PTO_BUILD_ATTR_UNIT}};
    pto_build_for(b, zero, chosen[1], chosen[1], 0, NULL, NULL);
    pto_build_set_attrs(b, plain, 1);
    pto_build_operation(b, "pto.store_scalar", (pto_value *[]){arg[0], zero, last}, 3, NULL, NULL, 0);
    pto_build_end_for(b, 0, NULL, NULL);
    assert_int_equal(pto_build_end_function(b), PTO_OK);
}

static void blocks_and_arms(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    pto_builder *b = pto_builder_create(diags);
    const pto_type *i32 = pto_build_int_type(b, 32), *i1 = pto_build_int_type(b, 1);
    const pto_build_attr device[] = {{.key = "pto.aicore", .kind = PTO_BUILD_ATTR_UNIT}};
    pto_build_declaration(b, "outside", &(pto_build_param){NULL, i32}, 1, &i32, 1);
    pto_build_set_attrs(b, device, 1);
    build_pick(b, i32, i1);
    build_main(b, i32, i1);
    pto_program *built = pto_builder_finish(b);
    if (!built)
        fail_msg("%s", diag_text(diags));
    same_as(built, flow_text);
    assert_int_equal(pto_program_verify(built, NULL, diags), PTO_OK);
    pto_diag_list_destroy(diags);
    pto_program_destroy(built);
}

/* A definition that does not dominate is the verifier's. */
static void dominance_is_the_verifiers(void **state) {
    (void)state;
    for (int good = 0; good < 2; good++) {
        pto_builder *b = pto_builder_create(NULL);
        pto_build_function(b, "f", true, NULL, 0, NULL);
        pto_value *yes = pto_build_int(b, pto_build_int_type(b, 1), 1);
        pto_block *left = pto_build_block(b, NULL, 0, NULL), *right = pto_build_block(b, NULL, 0, NULL);
        const pto_build_successor to_left = {left, 0, NULL}, to_right = {right, 0, NULL};
        pto_build_cond_branch(b, yes, &to_left, &to_right);
        pto_build_enter_block(b, left);
        pto_value *inside = pto_build_index(b, 1);
        pto_build_branch(b, &to_right);
        pto_build_enter_block(b, right);
        pto_build_compare(b, "eq", good ? yes : inside, good ? yes : inside);
        pto_build_end_function(b);
        pto_program *built = pto_builder_finish(b);
        assert_non_null(built);
        pto_diag_list *diags = pto_diag_list_create();
        assert_int_equal(pto_program_verify(built, NULL, diags), good ? PTO_OK : PTO_ERR_REFUSED);
        if (!good)
            expect_rule(diags, "PTO-E0402", 0);
        pto_diag_list_destroy(diags);
        pto_program_destroy(built);
    }
}

/* What only the target refuses is the verifier's: the program exists. */
static void rules_are_the_verifiers(void **state) {
    (void)state;
    pto_builder *b = pto_builder_create(NULL);
    const pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_S16, 16, 16);
    pto_build_function(b, "f", true, NULL, 0, NULL);
    pto_value *t = pto_build_tile(b, &type, NULL, NULL, NULL);
    pto_build_instr(b, PTO_FORM_TRELU, (pto_value *[]){t, t}, 2, NULL, 0);
    pto_build_end_function(b);
    pto_program *built = pto_builder_finish(b);
    assert_non_null(built);
    pto_diag_list *diags = pto_diag_list_create();
    const pto_verify_options options = {.target = PTO_TARGET_A2A3, .has_target = true};
    assert_int_equal(pto_program_verify(built, &options, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0302", 0);
    pto_diag_list_destroy(diags);
    pto_program_destroy(built);
}

/* ---- bad uses
 * ------------------------------------------------------------------------------------------------ */

/* A function is open; `index` is a value of it, `tile` a tile, `behind` a value of a loop that has ended. */
typedef struct parts {
    pto_builder *b;
    pto_value *index, *tile, *pointer, *behind, *flag;
} parts;
#define BAD(name, ...)                                                                                       \
    static void name(parts *p) { __VA_ARGS__; }
BAD(no_value, pto_build_arith(p->b, "arith.addi", p->index, NULL))
BAD(two_types, pto_build_arith(p->b, "arith.addi", p->index, p->flag))
BAD(no_operation, pto_build_arith(p->b, "arith.nothing", p->index, p->index))
BAD(floats_wanted, pto_build_arith(p->b, "arith.addf", p->index, p->index))
BAD(out_of_scope, pto_build_arith(p->b, "arith.addi", p->behind, p->index))
BAD(part_that_decides, pto_build_while(p->b, 0, NULL, NULL); pto_value *v = pto_build_index(p->b, 1);
    pto_value *c = pto_build_compare(p->b, "eq", v, v); pto_build_do(p->b, c, 0, NULL, NULL);
    pto_build_arith(p->b, "arith.addi", v, v))
BAD(predicate, pto_build_compare(p->b, "less", p->index, p->index))
BAD(cast_of_a_tile, pto_build_cast(p->b, "arith.index_cast", p->tile, pto_build_index_type(p->b)))
BAD(too_large, pto_build_int(p->b, pto_build_int_type(p->b, 8), 256))
BAD(no_width, pto_build_int_type(p->b, 65))
BAD(no_float, pto_build_float_type(p->b, PTO_S8))
BAD(no_element, pto_build_ptr_type(p->b, PTO_DTYPE_COUNT))
BAD(rank, pto_build_tensor_view(p->b, p->pointer, 6, &p->index, &p->index))
BAD(no_pointer, pto_build_tensor_view(p->b, p->index, 1, &p->index, &p->index))
BAD(no_view, pto_build_partition(p->b, p->pointer, 1, &p->index, &p->index))
BAD(no_rows, pto_tile_type t = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 0, 8);
    pto_build_tile(p->b, &t, NULL, NULL, NULL))
BAD(addr_index, pto_tile_type t = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 8);
    pto_build_tile(p->b, &t, p->index, NULL, NULL))
BAD(valid_given, pto_tile_type t = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 8);
    pto_build_tile(p->b, &t, NULL, p->index, NULL))
BAD(scalar_for_tile,
    pto_build_instr(p->b, PTO_FORM_TADD, (pto_value *[]){p->tile, p->tile, p->index}, 3, NULL, 0))
BAD(tile_for_view, pto_build_instr(p->b, PTO_FORM_TLOAD, (pto_value *[]){p->tile, p->tile}, 2, NULL, 0))
BAD(too_few, pto_build_instr(p->b, PTO_FORM_TADD, (pto_value *[]){p->tile}, 1, NULL, 0))
BAD(too_many, pto_build_instr(p->b, PTO_FORM_TRELU, (pto_value *[]){p->tile, p->tile, p->tile}, 3, NULL, 0))
BAD(no_form, pto_build_instr(p->b, PTO_FORM_COUNT, NULL, 0, NULL, 0))
BAD(no_attribute, pto_build_instr(p->b, PTO_FORM_TRELU, (pto_value *[]){p->tile, p->tile}, 2,
                                  (pto_build_attr[]){PTO_BUILD_INT("colour", 1)}, 1))
BAD(no_enum_value, pto_build_instr(p->b, PTO_FORM_TCVT, (pto_value *[]){p->tile, p->tile}, 2,
                                   (pto_build_attr[]){PTO_BUILD_WORD("rmode", "sideways")}, 1))
BAD(wrong_kind, pto_build_instr(p->b, PTO_FORM_TCVT, (pto_value *[]){p->tile, p->tile}, 2,
                                (pto_build_attr[]){PTO_BUILD_INT("rmode", 1)}, 1))
BAD(end_nothing, pto_build_end_for(p->b, 0, NULL, NULL))
BAD(else_nothing, pto_build_else(p->b, 0, NULL))
BAD(condition, pto_build_if(p->b, p->index, 0, NULL))
BAD(no_else, pto_build_if(p->b, p->flag, 1, (const pto_type *const[]){pto_build_index_type(p->b)});
    pto_build_end_if(p->b, 1, &p->index, &p->index))
BAD(yields_nothing, pto_value *c; pto_build_for(p->b, p->index, p->index, p->index, 1, &p->index, &c);
    pto_build_end_for(p->b, 0, NULL, NULL))
BAD(yields_another, pto_value *c; pto_build_for(p->b, p->index, p->index, p->index, 1, &p->index, &c);
    pto_build_end_for(p->b, 1, &p->flag, &c))
BAD(crossed, pto_build_section(p->b, true); pto_build_end_function(p->b))
BAD(loop_by_operation,
    pto_build_operation(p->b, "scf.for", (pto_value *[]){p->index, p->index, p->index}, 3, NULL, NULL, 0))
BAD(operand_count, pto_build_operation(p->b, "pto.trap", &p->index, 1, NULL, NULL, 0))
BAD(result_missing, pto_build_operation(p->b, "pto.get_block_idx", NULL, 0, NULL, NULL, 0))
BAD(second_function, pto_build_function(p->b, "g", false, NULL, 0, NULL))
BAD(call_of_none, pto_build_call(p->b, "nobody", NULL, 0))
BAD(call_of_itself, pto_build_call(p->b, "f", NULL, 0))
BAD(bad_name, pto_build_name(p->b, p->tile, "a b"))
BAD(bad_target, pto_build_target(p->b, PTO_TARGET_COUNT))
BAD(results_late, const pto_type *t = pto_build_index_type(p->b); pto_build_function_results(p->b, &t, 1))
BAD(return_of_nothing, pto_build_return(p->b, &p->index, 1))
BAD(return_in_a_loop, pto_build_for(p->b, p->index, p->index, p->index, 0, NULL, NULL);
    pto_build_return(p->b, NULL, 0))
BAD(behind_the_return, pto_build_return(p->b, NULL, 0); pto_build_index(p->b, 1))
BAD(behind_a_branch,
    pto_build_branch(p->b, &(pto_build_successor){pto_build_block(p->b, NULL, 0, NULL), 0, NULL});
    pto_build_instr(p->b, PTO_FORM_TRELU, (pto_value *[]){p->tile, p->tile}, 2, NULL, 0))
BAD(block_without_end, pto_build_block(p->b, NULL, 0, NULL); pto_build_end_function(p->b))
BAD(block_twice, pto_block *k = pto_build_block(p->b, NULL, 0, NULL); pto_build_enter_block(p->b, k);
    pto_build_return(p->b, NULL, 0); pto_build_enter_block(p->b, k))
BAD(block_in_a_loop, pto_build_for(p->b, p->index, p->index, p->index, 0, NULL, NULL);
    pto_build_block(p->b, NULL, 0, NULL))
BAD(block_of_no_type, pto_value *v; pto_build_block(p->b, (const pto_type *const[]){NULL}, 1, &v))
BAD(branch_to_nothing, pto_build_branch(p->b, NULL))
BAD(branch_to_no_block, pto_build_branch(p->b, &(pto_build_successor){NULL, 0, NULL}))
BAD(branch_passes_too_much,
    pto_build_branch(p->b, &(pto_build_successor){pto_build_block(p->b, NULL, 0, NULL), 1, &p->index}))
BAD(branch_passes_another, const pto_type *t = pto_build_index_type(p->b); pto_value * v;
    pto_block *k = pto_build_block(p->b, &t, 1, &v);
    pto_build_branch(p->b, &(pto_build_successor){k, 1, &p->flag}))
BAD(branch_out, pto_block *k = pto_build_block(p->b, NULL, 0, NULL); pto_build_execute_region(p->b, 0, NULL);
    pto_build_branch(p->b, &(pto_build_successor){k, 0, NULL}))
BAD(branch_on_an_index, pto_block *k = pto_build_block(p->b, NULL, 0, NULL);
    pto_build_cond_branch(p->b, p->index, &(pto_build_successor){k, 0, NULL},
                          &(pto_build_successor){k, 0, NULL}))
BAD(switch_on_a_tile, pto_block *k = pto_build_block(p->b, NULL, 0, NULL);
    pto_build_switch(p->b, p->tile, &(pto_build_successor){k, 0, NULL}, 0, NULL, NULL))
BAD(yield_in_a_function, pto_build_yield(p->b, 0, NULL))
BAD(yields_too_few, const pto_type *t = pto_build_index_type(p->b); pto_build_execute_region(p->b, 1, &t);
    pto_build_yield(p->b, 0, NULL))
BAD(region_without_yield, pto_build_execute_region(p->b, 0, NULL); pto_build_end_execute_region(p->b, NULL))
BAD(result_of_no_type, pto_build_execute_region(p->b, 1, (const pto_type *const[]){NULL}))
BAD(switch_on_a_flag, pto_build_index_switch(p->b, p->flag, 0, NULL))
BAD(no_case, pto_build_index_switch(p->b, p->index, 0, NULL); pto_build_index(p->b, 1))
BAD(no_default, pto_build_index_switch(p->b, p->index, 0, NULL); pto_build_case(p->b, 1);
    pto_build_yield(p->b, 0, NULL); pto_build_end_index_switch(p->b, NULL))
BAD(case_without_yield, pto_build_index_switch(p->b, p->index, 0, NULL); pto_build_case(p->b, 1);
    pto_build_default(p->b))
BAD(behind_the_default, pto_build_index_switch(p->b, p->index, 0, NULL); pto_build_default(p->b);
    pto_build_yield(p->b, 0, NULL); pto_build_case(p->b, 1))
BAD(
    too_many_cases, pto_build_index_switch(p->b, p->index, 0, NULL); for (int i = 0; i < 257; i++) {
        pto_build_case(p->b, i);
        pto_build_yield(p->b, 0, NULL);
    })
BAD(no_place_for_results, const pto_type *t = pto_build_index_type(p->b);
    pto_build_execute_region(p->b, 1, &t); pto_build_yield(p->b, 1, &p->index);
    pto_build_end_execute_region(p->b, NULL))
BAD(results_not_returned, pto_build_end_function(p->b); const pto_type *t = pto_build_index_type(p->b);
    pto_build_function(p->b, "g", false, NULL, 0, NULL); pto_build_function_results(p->b, &t, 1);
    pto_build_end_function(p->b))
BAD(one_result_of_two, pto_value *v; const pto_type *t = pto_build_index_type(p->b);
    pto_build_operation_results(p->b, "arith.addui_extended", (pto_value *[]){p->index, p->index}, 2, &t, 1,
                                NULL, 0, &v))
BAD(attribute_of_no_form,
    pto_build_instr(p->b, PTO_FORM_TRELU, (pto_value *[]){p->tile, p->tile}, 2, NULL, 0);
    pto_build_set_attrs(p->b, (pto_build_attr[]){PTO_BUILD_INT("colour", 1)}, 1))
BAD(result_of_an_addition,
    pto_build_instr_result(p->b, PTO_FORM_TADD, (pto_value *[]){NULL, p->tile, p->tile}, 3, NULL, 0, NULL))
BAD(view_of_no_type,
    pto_build_instr_result(p->b, PTO_FORM_TALIAS, (pto_value *[]){NULL, p->tile}, 2, NULL, 0, NULL))
BAD(view_into_a_tile, const pto_tile_type t = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 8);
    pto_build_instr_result(p->b, PTO_FORM_TALIAS, (pto_value *[]){p->tile, p->tile}, 2, NULL, 0, &t))
BAD(left_open, (void)p)

static void bad_uses(void **state) {
    (void)state;
    void (*const uses[])(parts *) = {no_value,
                                     two_types,
                                     no_operation,
                                     floats_wanted,
                                     out_of_scope,
                                     part_that_decides,
                                     predicate,
                                     cast_of_a_tile,
                                     too_large,
                                     no_width,
                                     no_float,
                                     no_element,
                                     rank,
                                     no_pointer,
                                     no_view,
                                     no_rows,
                                     addr_index,
                                     valid_given,
                                     scalar_for_tile,
                                     tile_for_view,
                                     too_few,
                                     too_many,
                                     no_form,
                                     no_attribute,
                                     no_enum_value,
                                     wrong_kind,
                                     end_nothing,
                                     else_nothing,
                                     condition,
                                     no_else,
                                     yields_nothing,
                                     yields_another,
                                     crossed,
                                     loop_by_operation,
                                     operand_count,
                                     result_missing,
                                     second_function,
                                     call_of_none,
                                     call_of_itself,
                                     bad_name,
                                     bad_target,
                                     results_late,
                                     return_of_nothing,
                                     return_in_a_loop,
                                     behind_the_return,
                                     behind_a_branch,
                                     block_without_end,
                                     block_twice,
                                     block_in_a_loop,
                                     block_of_no_type,
                                     branch_to_nothing,
                                     branch_to_no_block,
                                     branch_passes_too_much,
                                     branch_passes_another,
                                     branch_out,
                                     branch_on_an_index,
                                     switch_on_a_tile,
                                     yield_in_a_function,
                                     yields_too_few,
                                     region_without_yield,
                                     result_of_no_type,
                                     switch_on_a_flag,
                                     no_case,
                                     no_default,
                                     case_without_yield,
                                     behind_the_default,
                                     too_many_cases,
                                     no_place_for_results,
                                     results_not_returned,
                                     one_result_of_two,
                                     attribute_of_no_form,
                                     result_of_an_addition,
                                     view_of_no_type,
                                     view_into_a_tile,
                                     left_open};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        pto_diag_list *diags = pto_diag_list_create();
        parts p = {.b = pto_builder_create(diags)};
        const pto_build_param params[] = {{"p", pto_build_ptr_type(p.b, PTO_F32)}};
        const pto_tile_type type = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 8, 8);
        pto_build_function(p.b, "f", true, params, 1, &p.pointer);
        p.index = pto_build_index(p.b, 1);
        p.tile = pto_build_tile(p.b, &type, NULL, NULL, NULL);
        p.flag = pto_build_compare(p.b, "eq", p.index, p.index);
        pto_build_for(p.b, p.index, p.index, p.index, 0, NULL, NULL);
        p.behind = pto_build_index(p.b, 2);
        pto_build_end_for(p.b, 0, NULL, NULL);
        assert_int_equal(pto_builder_status(p.b), PTO_OK);
        uses[i](&p);
        if (uses[i] != left_open) {
            assert_int_equal(pto_builder_status(p.b), PTO_ERR_REFUSED);
            /* from now on nothing happens */
            assert_null(pto_build_index(p.b, 3));
            assert_int_equal(pto_build_section(p.b, true), PTO_ERR_REFUSED);
            assert_int_equal(pto_build_end_function(p.b), PTO_ERR_REFUSED);
        }
        assert_null(pto_builder_finish(p.b));
        assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
        expect_rule(diags, "PTO-E0263", 0);
        pto_diag_list_destroy(diags);
    }
}

static void no_builder(void **state) {
    (void)state;
    pto_builder_destroy(NULL);
    assert_null(pto_builder_finish(NULL));
    assert_int_equal(pto_builder_status(NULL), PTO_ERR_USAGE);
    assert_null(pto_build_index_type(NULL));
    assert_null(pto_build_index(NULL, 1));
    assert_null(pto_build_for(NULL, NULL, NULL, NULL, 0, NULL, NULL));
    assert_int_equal(pto_build_end_function(NULL), PTO_ERR_USAGE);
    assert_int_equal(pto_build_end_section(NULL), PTO_ERR_USAGE);
    assert_int_equal(pto_build_instr(NULL, PTO_FORM_TADD, NULL, 0, NULL, 0), PTO_ERR_USAGE);
    pto_builder *b = pto_builder_create(NULL); /* outside of a function */
    assert_null(pto_build_index(b, 1));
    assert_int_equal(pto_builder_status(b), PTO_ERR_REFUSED);
    pto_builder_destroy(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),
        cmocka_unit_test(tiles_and_instructions),
        cmocka_unit_test(calls),
        cmocka_unit_test(bad_uses),
        cmocka_unit_test(rules_are_the_verifiers),
        cmocka_unit_test(no_builder),
        cmocka_unit_test(blocks_and_arms),
        cmocka_unit_test(dominance_is_the_verifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
