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
    assert_int_equal(pto_program_encode(built, NULL, collect_text, &a, NULL), PTO_OK);
    assert_int_equal(pto_program_encode(parsed, NULL, collect_text, &b, NULL), PTO_OK);
    assert_int_equal(a.len, b.len);
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
BAD(left_open, (void)p)

static void bad_uses(void **state) {
    (void)state;
    void (*const uses[])(parts *) = {
        no_value,          two_types,       no_operation,   floats_wanted,     out_of_scope,
        part_that_decides, predicate,       cast_of_a_tile, too_large,         no_width,
        no_float,          no_element,      rank,           no_pointer,        no_view,
        no_rows,           addr_index,      valid_given,    scalar_for_tile,   tile_for_view,
        too_few,           too_many,        no_form,        no_attribute,      no_enum_value,
        wrong_kind,        end_nothing,     else_nothing,   condition,         no_else,
        yields_nothing,    yields_another,  crossed,        loop_by_operation, operand_count,
        result_missing,    second_function, call_of_none,   call_of_itself,    bad_name,
        bad_target,        left_open};
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
        cmocka_unit_test(loops),    cmocka_unit_test(tiles_and_instructions),  cmocka_unit_test(calls),
        cmocka_unit_test(bad_uses), cmocka_unit_test(rules_are_the_verifiers), cmocka_unit_test(no_builder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
