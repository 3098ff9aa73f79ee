/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic synchronisation (60, 4.8): what is inserted into small programs, that the result parses, verifies
 * and prints again, and that the race checker finds nothing in it. */
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

static const char head[] =
    "!T = !pto.tile_buf<vec, 16x64xf32>\n!G = !pto.tensor_view<64x64xf32>\n"
    "!P = !pto.partition_tensor_view<16x64xf32>\nmodule {\n"
    "func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n%four = arith.constant 4 : index\n"
    "%r = arith.constant 16 : index\n%w = arith.constant 64 : index\n"
    "%gx = pto.make_tensor_view %x, shape = [%w, %w], strides = [%w, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%w, %w], strides = [%w, %one] : !G\n"
    "%px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%r, %w] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %w] : !G -> !P\n"
    "%t = pto.alloc_tile : !T\n%u = pto.alloc_tile : !T\n";

#define LOAD "pto.tload ins(%px : !P) outs(%t : !T)\n"
#define RELU "pto.trelu ins(%t : !T) outs(%u : !T)\n"
#define AGAIN "pto.trelu ins(%u : !T) outs(%u : !T)\n"
#define STORE "pto.tstore ins(%u : !T) outs(%py : !P)\n"

static pto_program *synchronised(const char *body, pto_target target) {
    char text[8192];
    snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, body);
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    pto_verify_options options = {.target = target, .has_target = true};
    if (pto_program_pass(program, "sync", &options, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    pto_diag_list_destroy(diags);
    return program;
}

/* Flags and barriers of the text in short: s(MTE2,V)0 w(MTE2,V)0 b(V), operations by their first two letters
 * behind pto., braces of loops and branches. */
static void shorten(const char *text, char *out) {
    static const struct {
        const char *word, *mark;
    } marks[] = {{"pto.set_flag[", "s"}, {"pto.wait_flag[", "w"}, {"pto.barrier <", "b"},
                 {"pto.tload", "LOAD"},  {"pto.trelu", "RELU"},   {"pto.tstore", "STORE"},
                 {"scf.for", "{"},       {"scf.if", "("},         {"} else {", "|"},
                 {"}\n", "}"},           {"func.call", "CALL"}};
    const char *body = strstr(text, "%u = pto.alloc_tile");
    for (const char *line = strchr(body, '\n') + 1; line && *line; line = strchr(line, '\n') + 1) {
        size_t len = strcspn(line, "\n");
        if (!strncmp(line + strspn(line, " "), "return", 6))
            break;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            const char *at = strstr(line, marks[i].word);
            if (!at || at >= line + len + 1)
                continue;
            out += sprintf(out, "%s", marks[i].mark);
            for (const char *pipe = at; marks[i].mark[0] >= 'b' && marks[i].mark[0] <= 'w' && pipe;) {
                pipe = strstr(pipe, "<");
                if (!pipe || pipe > line + len)
                    break;
                pipe += !strncmp(pipe + 1, "PIPE_", 5) ? 6 : 9;
                size_t n = strcspn(pipe, ">");
                out += sprintf(out, " %.*s", (int)n, pipe);
            }
            *out++ = ';';
            break;
        }
    }
    *out = 0;
}

/* The flags of the text are enough for the race checker, and used as they should be. */
static void runs_clean(const char *text, pto_target target, int64_t n) {
    static float x[64 * 64], y[64 * 64];
    size_t findings = 0;
    pto_argument arguments[] = {{.data = x, .bytes = sizeof x}, {.data = y, .bytes = sizeof y}, {.i = n}};
    pto_run_options options = {.target = target,
                               .has_target = true,
                               .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC,
                               .findings = &findings};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = parse_program(text);
    pto_status status = pto_program_run(program, arguments, 3, &options, diags);
    if (status != PTO_OK || findings)
        fail_msg("n = %d\n%s", (int)n, diag_text(diags));
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

static void expect(const char *body, pto_target target, const char *wanted) {
    pto_program *program = synchronised(body, target);
    text_buffer text = {0};
    assert_int_equal(pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &text, NULL), PTO_OK);
    char found[4096];
    shorten(text.data, found);
    if (strcmp(found, wanted) != 0)
        fail_msg("\nfound  %s\nwanted %s", found, wanted);
    /* the text stands for the same program, which is legal; a second time there is nothing to do */
    pto_program *again = parse_program(text.data);
    assert_true(pto_program_equal(program, again));
    pto_verify_options options = {.target = target, .has_target = true};
    assert_int_equal(pto_program_pass(again, "sync", &options, NULL), PTO_OK);
    assert_true(pto_program_equal(program, again));
    pto_program_destroy(again);
    for (int64_t n = 0; n < 4; n++)
        runs_clean(text.data, target, n);
    pto_program_destroy(program);
    free(text.data);
}

static void straight_code(void **state) {
    (void)state;
    static const char body[] = LOAD RELU AGAIN STORE;
    expect(body, PTO_TARGET_A2A3, "LOAD;s MTE2 V 0;w MTE2 V 0;RELU;b V;RELU;s V MTE3 0;w V MTE3 0;STORE;");
    expect(body, PTO_TARGET_A5, "LOAD;s MTE2 V 0;w MTE2 V 0;RELU;RELU;s V MTE3 0;w V MTE3 0;STORE;");
    expect(body, PTO_TARGET_CPU, "LOAD;RELU;RELU;STORE;");
}

/* The classic pipeline: what the next turn must not overtake is carried by flags around the loop. */
static void loops_carry_flags(void **state) {
    (void)state;
    expect(
        "scf.for %i = %z to %n step %one {\n" LOAD RELU STORE "}\n", PTO_TARGET_A5,
        "s V MTE2 0;s MTE3 V 0;{;w V MTE2 0;LOAD;s MTE2 V 0;w MTE3 V 0;w MTE2 V 0;RELU;s V MTE2 0;s V MTE3 0;"
        "w V MTE3 0;STORE;s MTE3 V 0;};w V MTE2 0;w MTE3 V 0;");
}

/* What only the surroundings of a loop ask for stands outside of it, though the loop may not turn at all. */
static void waits_leave_loops(void **state) {
    (void)state;
    expect(LOAD "scf.for %i = %z to %n step %one {\n" RELU "}\n" STORE, PTO_TARGET_A5,
           "LOAD;s MTE2 V 0;w MTE2 V 0;{;RELU;};s V MTE3 0;w V MTE3 0;STORE;");
    expect(LOAD "scf.for %i = %z to %n step %one {\n" RELU "}\n" LOAD, PTO_TARGET_A2A3,
           "LOAD;s MTE2 V 0;w MTE2 V 0;{;b V;RELU;};s V MTE2 0;w V MTE2 0;LOAD;");
}

#define COMPARE "%c = arith.cmpi slt, %n, %four : index\n"

static void branches(void **state) {
    (void)state;
    expect(LOAD COMPARE "scf.if %c {\n" RELU "}\n" STORE, PTO_TARGET_A5,
           "LOAD;s MTE2 V 0;w MTE2 V 0;(;RELU;};s V MTE3 0;w V MTE3 0;STORE;");
    expect(COMPARE "scf.if %c {\n" LOAD "} else {\n" RELU "}\n" STORE, PTO_TARGET_A5,
           "(;LOAD;|;RELU;};s V MTE3 0;w V MTE3 0;STORE;");
}

/* What the analysis does not look through is bracketed by barriers, and begins with everything done. */
static void fences(void **state) {
    (void)state;
    static const char loop[] = LOAD
        "%e = scf.while (%i = %z) : (index) -> index {\n"
        "%c = arith.cmpi slt, %i, %n : index\nscf.condition(%c) %i : index\n} do {\n"
        "^bb0(%k: index):\n" RELU "%next = arith.addi %k, %one : index\nscf.yield %next : index\n}\n" STORE;
    expect(loop, PTO_TARGET_A2A3, "LOAD;b ALL;b ALL;RELU;};b ALL;STORE;");
    static const char blocks[] =
        LOAD "scf.execute_region {\ncf.br ^a\n^a:\n" RELU "cf.br ^b\n^b:\n" AGAIN "scf.yield\n}\n" STORE;
    expect(blocks, PTO_TARGET_A5, "LOAD;b ALL;b ALL;RELU;b ALL;RELU;};b ALL;STORE;");
}

/* Ids 0 and 1 of the program's own flags are not given again; what its flags order is ordered. */
static void own_flags_count(void **state) {
    (void)state;
    expect(LOAD "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n"
                "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n" RELU STORE,
           PTO_TARGET_A5, "LOAD;s MTE2 V 0;w MTE2 V 0;RELU;s V MTE3 0;w V MTE3 0;STORE;");
    expect(LOAD "pto.set_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n"
                "pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE3>, <EVENT_ID0>]\n"
                "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n"
                "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n" LOAD RELU,
           PTO_TARGET_A2A3,
           "LOAD;s MTE2 MTE3 0;w MTE2 MTE3 0;s MTE2 V 0;w MTE2 V 0;LOAD;s MTE2 V 1;w MTE2 V 1;RELU;");
    expect(LOAD "pto.barrier <PIPE_ALL>\n" RELU STORE, PTO_TARGET_A2A3,
           "LOAD;b ALL;RELU;s V MTE3 0;w V MTE3 0;STORE;");
}

/* More loads under way than there are ids: the ninth wait becomes a barrier in its place. */
static void ids_run_out(void **state) {
    (void)state;
    char body[4096] = "", wanted[2048] = "";
    for (int i = 0; i < 10; i++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "%%t%d = pto.alloc_tile : !T\npto.tload ins(%%px : !P) outs(%%t%d : !T)\n", i, i);
    for (int i = 0; i < 10; i++)
        snprintf(body + strlen(body), sizeof body - strlen(body),
                 "pto.trelu ins(%%t%d : !T) outs(%%t%d : !T)\n", i, i);
    for (int i = 0; i < 10; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted),
                 i < 8 ? "LOAD;s MTE2 V %d;" : "LOAD;", i);
    for (int i = 0; i < 10; i++)
        snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted),
                 i < 8 ? "w MTE2 V %d;RELU;" : (i == 8 ? "b ALL;RELU;" : "RELU;"), i);
    expect(body, PTO_TARGET_A5, wanted);
}

/* What sections of the two cores exchange through a tensor is handed over by signals. */
static void sections(void **state) {
    (void)state;
    static const char body[] =
        "scf.for %i = %z to %n step %one {\npto.section.cube {\n"
        "%m = pto.alloc_tile : !pto.tile_buf<mat, 16x64xf32, blayout=col_major, slayout=row_major>\n"
        "pto.tload ins(%py : !P) outs(%m : !pto.tile_buf<mat, 16x64xf32, blayout=col_major, "
        "slayout=row_major>)\n}\n"
        "pto.section.vector {\n" LOAD RELU STORE "}\n}\n";
    pto_program *program = synchronised(body, PTO_TARGET_A2A3);
    text_buffer text = {0};
    assert_int_equal(pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &text, NULL), PTO_OK);
    int signals = 0, waits = 0;
    for (const char *at = text.data; (at = strstr(at, "pto.sync.set")); at++)
        signals++;
    for (const char *at = text.data; (at = strstr(at, "pto.sync.wait")); at++)
        waits++;
    assert_int_equal(signals, 2);
    assert_int_equal(waits, 2);
    for (int64_t n = 0; n < 4; n++)
        runs_clean(text.data, PTO_TARGET_A2A3, n);
    pto_program_destroy(program);
    free(text.data);
}

/* A function that is called runs between barriers, whatever its flags. */
static void calls(void **state) {
    (void)state;
    static const char text[] =
        "!T = !pto.tile_buf<vec, 16x64xf32>\n!P = !pto.partition_tensor_view<16x64xf32>\n"
        "!G = !pto.tensor_view<64x64xf32>\nmodule {\nfunc.func @g(%p: !P, %t: !T) {\n"
        "pto.tload ins(%p : !P) outs(%t : !T)\npto.trelu ins(%t : !T) outs(%t : !T)\nreturn\n}\n"
        "func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
        "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n%r = arith.constant 16 : index\n"
        "%w = arith.constant 64 : index\n"
        "%gx = pto.make_tensor_view %x, shape = [%w, %w], strides = [%w, %one] : !G\n"
        "%gy = pto.make_tensor_view %y, shape = [%w, %w], strides = [%w, %one] : !G\n"
        "%px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%r, %w] : !G -> !P\n"
        "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %w] : !G -> !P\n"
        "%t = pto.alloc_tile : !T\n%u = pto.alloc_tile : !T\n"
        "scf.for %i = %z to %n step %one {\n"
        "func.call @g(%px, %t) : (!P, !T) -> ()\nfunc.call @g(%py, %u) : (!P, !T) -> ()\n"
        "pto.tadd ins(%t, %u : !T, !T) outs(%u : !T)\npto.tstore ins(%u : !T) outs(%py : "
        "!P)\n}\nreturn\n}\n}\n";
    for (int target = PTO_TARGET_A2A3; target <= PTO_TARGET_A5; target++) {
        pto_verify_options options = {.target = (pto_target)target, .has_target = true};
        pto_program *program = parse_program(text);
        assert_int_equal(pto_program_pass(program, "sync", &options, NULL), PTO_OK);
        text_buffer printed = {0};
        assert_int_equal(pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &printed, NULL),
                         PTO_OK);
        for (int64_t n = 0; n < 4; n++)
            runs_clean(printed.data, (pto_target)target, n);
        pto_program_destroy(program);
        free(printed.data);
    }
}

/* SSA text has no flags: the pass is refused there, by name. */
static void ssa_is_refused(void **state) {
    (void)state;
    pto_program *program = parse_program(
        ".arg %x : !pto.memref<16x64xf32>\n.arg %y : !pto.memref<16x64xf32>\n"
        "%t = tload %x[0, 0] : (!pto.memref<16x64xf32>, index, index) -> !pto.tile<vec, f32, 16, 64>\n"
        "tstore %t, %y[0, 0] : (!pto.tile<vec, f32, 16, 64>, !pto.memref<16x64xf32>, index, index)\n");
    pto_diag_list *diags = pto_diag_list_create();
    pto_verify_options options = {.target = PTO_TARGET_A5, .has_target = true};
    assert_int_equal(pto_program_pass(program, "sync", &options, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0250", 0);
    assert_int_equal(pto_program_pass(program, "fuse", &options, diags), PTO_ERR_USAGE);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(straight_code),
                                       cmocka_unit_test(loops_carry_flags),
                                       cmocka_unit_test(waits_leave_loops),
                                       cmocka_unit_test(branches),
                                       cmocka_unit_test(fences),
                                       cmocka_unit_test(own_flags_count),
                                       cmocka_unit_test(ids_run_out),
                                       cmocka_unit_test(sections),
                                       cmocka_unit_test(calls),
                                       cmocka_unit_test(ssa_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
