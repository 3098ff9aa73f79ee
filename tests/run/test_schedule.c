/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of execution other than the program's: a correct program gives the same bytes in all of them, a race
 * that matters shows, the two operations and the schedule that are told make it again (00-model, 11.6). */
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

enum { N = 64 * 64 };

static const char head[] =
    "!T = !pto.tile_buf<vec, 16x64xf32>\n!G = !pto.tensor_view<64x64xf32>\n"
    "!P = !pto.partition_tensor_view<16x64xf32>\nmodule {\n"
    "func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n%four = arith.constant 4 : index\n"
    "%r = arith.constant 16 : index\n%n = arith.constant 64 : index\n"
    "%a0 = arith.constant 0 : i64\n%a1 = arith.constant 4096 : i64\n"
    "%gx = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%t = pto.alloc_tile addr = %a0 : !T\n%u = pto.alloc_tile addr = %a1 : !T\n"
    "%px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\n"
    "%block = pto.get_block_idx\n%b = arith.index_cast %block : i64 to index\n"
    "%own = arith.muli %b, %r : index\n"
    "%ox = pto.partition_view %gx, offsets = [%own, %z], sizes = [%r, %n] : !G -> !P\n"
    "%oy = pto.partition_view %gy, offsets = [%own, %z], sizes = [%r, %n] : !G -> !P\n";
enum { LINE = 24 }; /* of the first line of a body */

#define FLAG(op, a, b, id) "pto." op "_flag[<PIPE_" a ">, <PIPE_" b ">, <EVENT_ID" id ">]\n"
#define BOTH(a, b, id) FLAG("set", a, b, id) FLAG("wait", a, b, id)
#define LOAD "pto.tload ins(%px : !P) outs(%t : !T)\n"
#define RELU "pto.trelu ins(%t : !T) outs(%u : !T)\n"
#define STORE "pto.tstore ins(%u : !T) outs(%py : !P)\n"

typedef struct bench {
    float x[N], y[N];
    pto_program *program;
    pto_diag_list *diags;
    pto_run_options options;
} bench;

static bench *open_bench(const char *body, pto_target target, uint32_t blocks) {
    char text[16384];
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, body);
    b->program = parse_program(text);
    b->diags = pto_diag_list_create();
    b->options = (pto_run_options){.target = target, .has_target = true, .blocks = blocks};
    return b;
}

static void close_bench(bench *b) {
    pto_program_destroy(b->program);
    pto_diag_list_destroy(b->diags);
    free(b);
}

/* Runs with a schedule; the outputs stand in b->y. */
static pto_status run(bench *b, const char *schedule) {
    for (int i = 0; i < N; i++) {
        b->x[i] = (float)(i % 97) - 40;
        b->y[i] = -1;
    }
    pto_argument arguments[] = {{.data = b->x, .bytes = sizeof b->x}, {.data = b->y, .bytes = sizeof b->y}};
    assert_true(pto_schedule_parse(schedule, &b->options.schedule));
    pto_diag_list_clear(b->diags);
    return pto_program_run(b->program, arguments, 2, &b->options, b->diags);
}

static pto_explore_result explore(bench *b, uint64_t runs) {
    pto_explore_result result;
    pto_argument arguments[] = {{.data = b->x, .bytes = sizeof b->x}, {.data = b->y, .bytes = sizeof b->y}};
    b->options.schedule = (pto_schedule){0};
    run(b, "program");
    for (int i = 0; i < N; i++)
        b->y[i] = -1;
    pto_diag_list_clear(b->diags);
    pto_status status = pto_program_explore(b->program, arguments, 2, &b->options,
                                            &(pto_explore_options){.runs = runs}, &result, b->diags);
    if (status != PTO_OK)
        fail_msg("%s\n%s", pto_status_name(status), diag_text(b->diags));
    for (int i = 0; i < N; i++) /* inputs again */
        assert_true(b->y[i] == -1.0f);
    return result;
}

static void never_differs(const char *body, pto_target target, uint32_t blocks) {
    bench *b = open_bench(body, target, blocks);
    pto_explore_result result = explore(b, 100);
    if (result.differs)
        fail_msg("%s\n%s", body, diag_text(b->diags));
    assert_int_equal(result.runs, 100);
    close_bench(b);
}

/* Differs, by this rule, at this line of the body and at `earlier`; the schedule that is told shows it again.
 */
static void differs(const char *body, pto_target target, uint32_t blocks, const char *rule, unsigned line,
                    unsigned earlier) {
    char words[64], note[64];
    bench *b = open_bench(body, target, blocks);
    pto_explore_result result = explore(b, 100);
    if (!result.differs)
        fail_msg("never differs:\n%s", body);
    expect_rule(b->diags, rule, line ? line + LINE - 1 : 0);
    snprintf(note, sizeof note, "test.pto:%u:", earlier + LINE - 1);
    if (earlier && !strstr(diag_text(b->diags), note))
        fail_msg("no %s in\n%s", note, diag_text(b->diags));
    static float program[N];
    assert_int_equal(run(b, "program"), PTO_OK);
    memcpy(program, b->y, sizeof program);
    pto_schedule_words(&result.schedule, words, sizeof words);
    if (run(b, words) == PTO_OK && !memcmp(program, b->y, sizeof program))
        fail_msg("%s does not show it:\n%s", words, body);
    close_bench(b);
}

/* ---- tests ----------------------------------------------------------------------------------------- */

static const char correct[] = LOAD BOTH("MTE2", "V", "0") RELU BOTH("V", "MTE3", "0") STORE;
static const char all_rows[] = FLAG("set", "V", "MTE2", "0")
    FLAG("set", "MTE3", "V",
         "0") "scf.for %i = %z to %four step %one {\n"
              "%row = arith.muli %i, %r : index\n"
              "%qx = pto.partition_view %gx, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n"
              "%qy = pto.partition_view %gy, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n" FLAG(
                  "wait", "V", "MTE2", "0") "pto.tload ins(%qx : !P) outs(%t : !T)\n" BOTH("MTE2", "V", "0")
                  FLAG("wait", "MTE3", "V",
                       "0") "pto.tadd ins(%t, %t : !T, !T) outs(%u : !T)\npto.barrier <PIPE_V>\n"
                            "pto.trelu ins(%u : !T) outs(%u : !T)\n" FLAG("set", "V", "MTE2", "0")
                                BOTH("V", "MTE3", "0") "pto.tstore ins(%u : !T) outs(%qy : !P)\n" FLAG(
                                    "set", "MTE3", "V", "0") "}\n" FLAG("wait", "V", "MTE2", "0")
                                    FLAG("wait", "MTE3", "V", "0");

static void a_correct_program_never_differs(void **state) {
    (void)state;
    for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target++) {
        never_differs(correct, (pto_target)target, 1);
        never_differs(all_rows, (pto_target)target, 1);
    }
    /* cpu: every operation of a core follows all earlier ones */
    never_differs(LOAD RELU STORE, PTO_TARGET_CPU, 1);
}

static void a_race_shows(void **state) {
    (void)state;
    const pto_target a2a3 = PTO_TARGET_A2A3, a5 = PTO_TARGET_A5;
    differs(LOAD RELU BOTH("V", "MTE3", "0") STORE, a5, 1, "PTO-E1101", 2, 1);
    differs(LOAD BOTH("MTE2", "V", "0") RELU STORE, a5, 1, "PTO-E1101", 5, 4);
    /* the flag of another id, of another pipe */
    differs(LOAD FLAG("set", "MTE2", "V", "0") FLAG("wait", "MTE2", "V", "0") FLAG("set", "V", "MTE3", "0")
                RELU FLAG("set", "V", "MTE3", "1") FLAG("wait", "V", "MTE3", "0")
                    STORE FLAG("wait", "V", "MTE3", "1"),
            a5, 1, "PTO-E1101", 8, 5);
    /* V of a2a3 keeps no order, that of a5 does */
    static const char two[] = LOAD BOTH(
        "MTE2", "V", "0") "pto.tadd ins(%t, %t : !T, !T) outs(%t : !T)\n" RELU BOTH("V", "MTE3", "0") STORE;
    differs(two, a2a3, 1, "PTO-E1103", 5, 4);
    never_differs(two, a5, 1);
    /* MTE2 of a5 keeps no order, that of a2a3 does */
    static const char loads[] =
        "%pz = pto.partition_view %gx, offsets = [%r, %z], sizes = [%r, %n] : !G -> !P\n"
        "pto.tload ins(%pz : !P) outs(%t : !T)\n" LOAD BOTH("MTE2", "V", "0") RELU BOTH("V", "MTE3", "0")
            STORE;
    differs(loads, a5, 1, "PTO-E1102", 3, 2);
    never_differs(loads, a2a3, 1);
}

static void tokens_and_scalars(void **state) {
    (void)state;
    const pto_target a5 = PTO_TARGET_A5;
    never_differs("pto.get_buf[<TLOAD>, 1]\n" LOAD "pto.rls_buf[<TLOAD>, 1]\npto.get_buf[<TVEC>, 1]\n" RELU
                  "pto.rls_buf[<TVEC>, 1]\n" BOTH("V", "MTE3", "0") STORE,
                  a5, 1);
    differs("pto.get_buf[<TLOAD>, 1]\n" LOAD "pto.rls_buf[<TLOAD>, 1]\npto.get_buf[<TVEC>, 2]\n" RELU
            "pto.rls_buf[<TVEC>, 2]\n" BOTH("V", "MTE3", "0") STORE,
            a5, 1, "PTO-E1101", 5, 2);
    /* a scalar that decides: read when its pipe has it, or before the load */
    static const char decides[] =
        "%v = pto.tgetval ins(%t, %z : !T, index) outs : f32\n"
        "%c = arith.constant 0.0 : f32\n%big = arith.cmpf ogt, %v, %c : f32\n"
        "scf.if %big {\n" RELU "} else {\npto.tadd ins(%t, %t : !T, !T) outs(%u : !T)\n}\n";
    char body[4096];
    snprintf(body, sizeof body, "%s%s%s%s", LOAD BOTH("MTE2", "S", "0") BOTH("MTE2", "V", "0"), decides,
             BOTH("V", "MTE3", "0"), STORE);
    never_differs(body, a5, 1);
    /* without the flag to S the path may be another one, and the operations that are issued with it */
    snprintf(body, sizeof body, "%s%s%s%s",
             "%k = arith.constant 3.0 : f32\npto.tsetval ins(%z, %k : index, f32) outs(%t : !T)\n" BOTH(
                 "S", "MTE2", "0") LOAD BOTH("MTE2", "V", "0"),
             decides, BOTH("V", "MTE3", "0"), STORE);
    differs(body, a5, 1, "PTO-E1101", 8, 5);
    /* an element that S stores, a vector instruction reads it */
    snprintf(
        body, sizeof body, "%s",
        LOAD BOTH("MTE2", "S", "0") BOTH(
            "MTE2", "V",
            "0") "%k = arith.constant 3.0 : f32\npto.tsetval ins(%z, %k : index, f32) outs(%t : !T)\n" RELU
            BOTH("V", "MTE3", "0") STORE);
    differs(body, a5, 1, "PTO-E1101", 8, 7);
}

static void blocks_take_turns(void **state) {
    (void)state;
    static const char own[] = "pto.tload ins(%ox : !P) outs(%t : !T)\n" BOTH("MTE2", "V", "0")
        RELU BOTH("V", "MTE3", "0") "pto.tstore ins(%u : !T) outs(%oy : !P)\n";
    static const char shared[] =
        "pto.tload ins(%ox : !P) outs(%t : !T)\n" BOTH("MTE2", "V", "0") RELU BOTH("V", "MTE3", "0") STORE;
    for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target++) {
        never_differs(own, (pto_target)target, 4);
        differs(shared, (pto_target)target, 4, "PTO-E1104", 7, 7);
    }
}

/* What the vector core stores the cube core loads: a signal has to tie them, wherever the sections stand. */
static void two_cores(void **state) {
    (void)state;
    static const char vector[] =
        "pto.section.vector {\n" LOAD BOTH("MTE2", "MTE3", "0") "pto.tstore ins(%t : !T) outs(%py : !P)\n";
    static const char cube[] =
        "%m = pto.alloc_tile addr = %a0 : !pto.tile_buf<mat, 16x64xf32>\n"
        "%to = pto.partition_view %gy, offsets = [%r, %z], sizes = [%r, %n] : !G -> !P\n"
        "pto.tload ins(%py : !P) outs(%m : !pto.tile_buf<mat, 16x64xf32>)\n" BOTH(
            "MTE2", "MTE3", "0") "pto.tstore ins(%m : !pto.tile_buf<mat, 16x64xf32>) outs(%to : !P)\n}\n";
    static const char set[] = "pto.sync.set <PIPE_MTE3>, 3\n", early[] = "pto.sync.set <PIPE_MTE2>, 3\n",
                      wait[] = "pto.sync.wait <PIPE_MTE2>, 3\n";
    char v[2048], c[2048], body[4096];
    for (int cube_first = 0; cube_first < 2; cube_first++) {
        snprintf(v, sizeof v, "%s%s}\n", vector, set);
        snprintf(c, sizeof c, "pto.section.cube {\n%s%s", wait, cube);
        snprintf(body, sizeof body, "%s%s", cube_first ? c : v, cube_first ? v : c);
        never_differs(body, PTO_TARGET_A2A3, 1);
        for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A2A3; target++) { /* cores take turns */
            bench *b = open_bench(body, (pto_target)target, 1);
            assert_int_equal(run(b, "program"), PTO_OK);
            assert_memory_equal(b->y, b->x, 1024 * sizeof *b->y);
            assert_memory_equal(b->y + 1024, b->x, 1024 * sizeof *b->y);
            close_bench(b);
        }
        snprintf(v, sizeof v, "%s%s}\n", vector, early); /* signals before the store is done */
        snprintf(body, sizeof body, "%s%s", v, c);
        differs(body, PTO_TARGET_A2A3, 1, "PTO-E1105", 0, 0);
        snprintf(v, sizeof v, "%s}\n", vector);
        snprintf(c, sizeof c, "pto.section.cube {\n%s", cube);
        snprintf(body, sizeof body, "%s%s", cube_first ? c : v, cube_first ? v : c);
        differs(body, PTO_TARGET_A2A3, 1, "PTO-E1105", 0, 0);
        snprintf(c, sizeof c, "pto.section.cube {\n%s%s", wait, cube); /* nobody signals */
        snprintf(body, sizeof body, "%s%s", c, v);
        bench *b = open_bench(body, PTO_TARGET_A2A3, 1);
        assert_int_equal(run(b, "random:5"), PTO_ERR_REFUSED);
        expect_rule(b->diags, "PTO-E0923", LINE + 1);
        close_bench(b);
    }
}

static void nobody_sets(void **state) {
    (void)state;
    bench *b = open_bench(LOAD FLAG("wait", "MTE2", "V", "0") RELU, PTO_TARGET_A5, 1);
    assert_int_equal(run(b, "random:1"), PTO_ERR_REFUSED);
    expect_rule(b->diags, "PTO-E0921", LINE + 1);
    close_bench(b);
    /* each waits for the other */
    b = open_bench(FLAG("wait", "V", "MTE2", "0") FLAG("set", "MTE2", "V", "0") FLAG("wait", "MTE2", "V", "0")
                       FLAG("set", "V", "MTE2", "0"),
                   PTO_TARGET_A5, 1);
    assert_int_equal(run(b, "adversarial"), PTO_ERR_REFUSED);
    expect_rule(b->diags, "PTO-E0921", LINE);
    close_bench(b);
    /* a wait before its set in the text, on another pipe, is none */
    never_differs(FLAG("wait", "MTE2", "V", "0") LOAD FLAG("set", "MTE2", "V", "0")
                      RELU BOTH("V", "MTE3", "0") STORE,
                  PTO_TARGET_A5, 1);
}

static void the_same_seed_is_the_same_order(void **state) {
    (void)state;
    static float first[N];
    bench *b = open_bench("pto.tload ins(%ox : !P) outs(%t : !T)\n" RELU STORE, PTO_TARGET_A2A3, 4);
    bool varies = false;
    static float before[N];
    for (int seed = 0; seed < 20; seed++) {
        char words[32];
        snprintf(words, sizeof words, "random:%d", seed);
        assert_int_equal(run(b, words), PTO_OK);
        memcpy(first, b->y, sizeof first);
        assert_int_equal(run(b, words), PTO_OK);
        assert_memory_equal(first, b->y, sizeof first);
        varies |= seed && memcmp(before, first, sizeof first);
        memcpy(before, first, sizeof first);
    }
    assert_true(varies);
    close_bench(b);
}

static void texts(void **state) {
    (void)state;
    static const char *const good[] = {"program", "adversarial", "adversarial:12", "random:0",
                                       "random:18446744073709551615:3"};
    static const char *const bad[] = {
        "",          "random",  "random:",      "random:-1",    "random:1x", "random:1:0",
        "random:1:", "Program", "adversarial:", "adversarial7", "program:3", "random:18446744073709551616"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char words[64];
        pto_schedule schedule;
        assert_true(pto_schedule_parse(good[i], &schedule));
        pto_schedule_words(&schedule, words, sizeof words);
        assert_string_equal(words, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pto_schedule schedule;
        if (pto_schedule_parse(bad[i], &schedule))
            fail_msg("'%s' is taken", bad[i]);
    }
    bench *b = open_bench(correct, PTO_TARGET_A5, 1);
    b->options.checks = PTO_CHECK_RACE;
    assert_int_equal(run(b, "adversarial"), PTO_ERR_USAGE);
    close_bench(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correct_program_never_differs),
        cmocka_unit_test(a_race_shows),
        cmocka_unit_test(tokens_and_scalars),
        cmocka_unit_test(blocks_take_turns),
        cmocka_unit_test(two_cores),
        cmocka_unit_test(nobody_sets),
        cmocka_unit_test(the_same_seed_is_the_same_order),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
