/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers: a correct program is silent, every flag and barrier that is taken out of it is missed, and on
 * random programs the first race is the one that a closure over the happens-before relation finds
 * (00-model, 11.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/check.h"
#include "support/program_testing.h"
#include <pto/ops.h>
#include <pto/pto.h>

/* ---- programs ------------------------------------------------------------------------------------ */

static const char head[] =
    "!T = !pto.tile_buf<vec, 16x64xf32>\n!G = !pto.tensor_view<64x64xf32>\n"
    "!P = !pto.partition_tensor_view<16x64xf32>\nmodule {\n"
    "func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n%four = arith.constant 4 : index\n"
    "%r = arith.constant 16 : index\n%n = arith.constant 64 : index\n"
    "%a0 = arith.constant 0 : i64\n%a1 = arith.constant 4096 : i64\n"
    "%gx = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%t = pto.alloc_tile addr = %a0 : !T\n%u = pto.alloc_tile addr = %a1 : !T\n";

static const char *const piped[] = {
    "pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n",
    "pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]\n",
    "scf.for %i = %z to %four step %one {\n%row = arith.muli %i, %r : index\n"
    "%px = pto.partition_view %gx, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n",
    "pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n",
    "pto.tload ins(%px : !P) outs(%t : !T)\n",
    "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n",
    "pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n",
    "pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]\n",
    "pto.tadd ins(%t, %t : !T, !T) outs(%u : !T)\n",
    "pto.barrier <PIPE_V>\n",
    "pto.trelu ins(%u : !T) outs(%u : !T)\n",
    "pto.set_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n",
    "pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n",
    "pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]\n",
    "pto.tstore ins(%u : !T) outs(%py : !P)\n",
    "pto.set_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]\n",
    "}\n",
    "pto.wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]\n",
    "pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]\n",
};
enum { LINES = sizeof piped / sizeof *piped };

static pto_suppressions *shared_suppressions;
static char told_text[1 << 16];

static size_t check_text(const char *text, pto_target target, uint32_t blocks, uint32_t checks,
                         pto_diag_list *diags) {
    float *x = calloc(64 * 64, sizeof *x), *y = calloc(64 * 64, sizeof *y);
    assert_true(x && y);
    size_t findings = 0;
    pto_argument arguments[] = {{.data = x, .bytes = 16384}, {.data = y, .bytes = 16384}};
    pto_run_options options = {.target = target,
                               .has_target = true,
                               .blocks = blocks,
                               .checks = checks,
                               .findings = &findings,
                               .suppressions = shared_suppressions};
    pto_program *program = parse_program(text);
    pto_status status = pto_program_run(program, arguments, 2, &options, diags);
    if (status != PTO_OK)
        fail_msg("%s", diag_text(diags));
    /* rendered while the program, whose text it shows, is there */
    snprintf(told_text, sizeof told_text, "%s", diag_text(diags));
    pto_program_destroy(program);
    free(x);
    free(y);
    return findings;
}

static char *text_without(int missing) {
    static char text[8192];
    strcpy(text, head);
    for (int i = 0; i < LINES; i++)
        if (i != missing)
            strcat(text, piped[i]);
    strcat(text, "return\n}\n}\n");
    return text;
}

static void a_correct_program_is_silent(void **state) {
    (void)state;
    for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target++) {
        pto_diag_list *diags = pto_diag_list_create();
        size_t findings = check_text(text_without(-1), (pto_target)target, 1, PTO_CHECK_ALL, diags);
        if (findings)
            fail_msg("%s", told_text);
        pto_diag_list_destroy(diags);
    }
}

static bool is_sync(const char *line) { return strstr(line, "_flag") || strstr(line, "barrier"); }

static void every_missing_line_is_told(void **state) {
    (void)state;
    for (int i = 0; i < LINES; i++) {
        if (!is_sync(piped[i]))
            continue;
        pto_diag_list *diags = pto_diag_list_create();
        bool barrier = strstr(piped[i], "barrier") != NULL;
        size_t a2a3 = check_text(text_without(i), PTO_TARGET_A2A3, 1, PTO_CHECK_ALL, diags);
        if (!a2a3)
            fail_msg("nothing is told without %s", piped[i]);
        if (barrier)
            assert_true(pto_diag_has(diags, "PTO-E1103"));
        pto_diag_list_clear(diags);
        /* on a5 the vector pipe keeps its order */
        assert_int_equal(check_text(text_without(i), PTO_TARGET_A5, 1, PTO_CHECK_ALL, diags) == 0, barrier);
        pto_diag_list_destroy(diags);
    }
}

static void told(const char *body, pto_target target, uint32_t blocks, uint32_t checks, const char *rule,
                 unsigned line) {
    char text[8192];
    snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, body);
    pto_diag_list *diags = pto_diag_list_create();
    size_t findings = check_text(text, target, blocks, checks, diags);
    if (!rule) {
        if (findings)
            fail_msg("%s", told_text);
    } else {
        if (!findings)
            fail_msg("%s is not told of:\n%s", rule, body);
        expect_rule(diags, rule, line ? line + 16 : 0);
    }
    pto_diag_list_destroy(diags);
}

#define VIEW                                                                                                 \
    "%px = pto.partition_view %gx, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\n"                        \
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\n"
#define FLAG(op, a, b, id) "pto." op "_flag[<PIPE_" a ">, <PIPE_" b ">, <EVENT_ID" id ">]\n"

static void findings_by_kind(void **state) {
    (void)state;
    const pto_target a2a3 = PTO_TARGET_A2A3, a5 = PTO_TARGET_A5;
    /* bytes that nobody wrote */
    told("pto.trelu ins(%t : !T) outs(%u : !T)\n", a5, 1, PTO_CHECK_INIT, "PTO-E1120", 1);
    told("%k = arith.constant 1.0 : f32\npto.texpands ins(%k : f32) outs(%t : !T)\n"
         "pto.trelu ins(%t : !T) outs(%u : !T)\n",
         a5, 1, PTO_CHECK_ALL, NULL, 0);
    /* flags */
    told(FLAG("wait", "V", "MTE3", "3"), a5, 1, PTO_CHECK_SYNC, "PTO-E0921", 1);
    told(FLAG("set", "V", "MTE3", "3") FLAG("set", "V", "MTE3", "3") FLAG("wait", "V", "MTE3", "3"), a5, 1,
         PTO_CHECK_SYNC, "PTO-E0920", 2);
    told(FLAG("set", "V", "MTE3", "3"), a5, 1, PTO_CHECK_SYNC, "PTO-E0922", 1);
    told("%k = arith.constant 9 : index\npto.set_flag_dyn[<PIPE_V>, <PIPE_MTE2>, %k]\n", a5, 1,
         PTO_CHECK_SYNC, "PTO-E0417", 2);
    /* another id is another flag */
    told(VIEW
         "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "V", "0") FLAG("set", "MTE2", "V", "1")
             FLAG("wait", "MTE2", "V", "1") "pto.trelu ins(%t : !T) outs(%u : !T)\n" FLAG("wait", "MTE2", "V",
                                                                                          "0"),
         a5, 1, PTO_CHECK_ALL, NULL, 0);
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "MTE3", "0")
             FLAG("wait", "MTE2", "MTE3", "0") "pto.trelu ins(%t : !T) outs(%u : !T)\n",
         a5, 1, PTO_CHECK_RACE, "PTO-E1101", 6);
    /* a chain over a third pipe orders as well */
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "MTE3", "0")
             FLAG("wait", "MTE2", "MTE3", "0") FLAG("set", "MTE3", "V", "0")
                 FLAG("wait", "MTE3", "V", "0") "pto.trelu ins(%t : !T) outs(%u : !T)\n",
         a5, 1, PTO_CHECK_ALL, NULL, 0);
    /* events are flags, on one pipe a barrier */
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n"
              "pto.record_event[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, <EVENT_ID0>]\n"
              "pto.wait_event[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, <EVENT_ID0>]\n"
              "pto.trelu ins(%t : !T) outs(%u : !T)\n",
         a2a3, 1, PTO_CHECK_ALL, NULL, 0);
    /* MTE2 of a5 keeps no order: two loads of one tile */
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\npto.tload ins(%px : !P) outs(%t : !T)\n", a5, 1,
         PTO_CHECK_RACE, "PTO-E1102", 4);
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\npto.tload ins(%px : !P) outs(%t : !T)\n", a2a3, 1,
         PTO_CHECK_RACE, NULL, 0);
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\npto.barrier <PIPE_MTE2>\n"
              "pto.tload ins(%px : !P) outs(%t : !T)\n",
         a5, 1, PTO_CHECK_RACE, NULL, 0);
    /* buffer tokens */
    told("pto.rls_buf[<TVEC>, 3]\n", a5, 1, PTO_CHECK_SYNC, "PTO-E0925", 1);
    told("pto.get_buf[<TVEC>, 3]\npto.get_buf[<TVEC>, 3]\npto.rls_buf[<TVEC>, 3]\n", a5, 1, PTO_CHECK_SYNC,
         "PTO-E0925", 2);
    told(VIEW "pto.get_buf[<TLOAD>, 1]\npto.tload ins(%px : !P) outs(%t : !T)\npto.rls_buf[<TLOAD>, 1]\n"
              "pto.get_buf[<TVEC>, 1]\npto.trelu ins(%t : !T) outs(%u : !T)\npto.rls_buf[<TVEC>, 1]\n",
         a5, 1, PTO_CHECK_ALL, NULL, 0);
    /* blocks: all store the same rows */
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "MTE3", "0")
             FLAG("wait", "MTE2", "MTE3", "0") "pto.tstore ins(%t : !T) outs(%py : !P)\n",
         a5, 3, PTO_CHECK_RACE, "PTO-E1104", 6);
    told(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "MTE3", "0")
             FLAG("wait", "MTE2", "MTE3", "0") "pto.tstore ins(%t : !T) outs(%py : !P)\n",
         a5, 1, PTO_CHECK_ALL, NULL, 0);
}

/* ---- planted faults, both places --------------------------------------------------------------------- */

static bool has_both(const pto_diag_list *diags, const char *rule, unsigned second, unsigned first) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (strcmp(d->rule, rule) != 0 || d->line != second)
            continue;
        bool found = !first;
        for (const pto_diagnostic *note = d->notes; note; note = note->next)
            found |= note->line == first;
        if (found)
            return true;
    }
    return false;
}

static int planted;

/* Without line `missing` of the pipeline the rule is told at line `second`, with a note at line `first` (-1 =
 * none); lines are those of `piped`, wherever they come to stand. */
static void without(int missing, pto_target target, const char *rule, int second, int first) {
    unsigned line[LINES], at = 1;
    for (const char *c = head; *c; c++)
        at += *c == '\n';
    for (int i = 0; i < LINES; i++) {
        line[i] = at;
        for (const char *c = piped[i]; *c && i != missing; c++)
            at += *c == '\n';
    }
    pto_diag_list *diags = pto_diag_list_create();
    if (!check_text(text_without(missing), target, 1, PTO_CHECK_ALL, diags) ||
        !has_both(diags, rule, line[second], first < 0 ? 0 : line[first]))
        fail_msg("without %s%s is not told at line %u with line %u:\n%s", piped[missing], rule, line[second],
                 first < 0 ? 0 : line[first], told_text);
    pto_diag_list_destroy(diags);
    planted++;
}

/* The text with `fault` in the place of its one @ is told; with `good` it is silent. Lines are those of the
 * body with the fault. */
static void swapped_in(const char *body, const char *good, const char *fault, pto_target target,
                       uint32_t blocks, const char *rule, unsigned second, unsigned first) {
    for (int turn = 0; turn < 2; turn++) {
        char text[8192];
        const char *at = strchr(body, '@');
        const int before = (int)(at - body);
        snprintf(text, sizeof text, "%s%.*s%s%sreturn\n}\n}\n", head, before, body, turn ? fault : good,
                 at + 1);
        pto_diag_list *diags = pto_diag_list_create();
        const size_t findings = check_text(text, target, blocks, PTO_CHECK_ALL, diags);
        if (!turn && findings)
            fail_msg("not silent without the fault:\n%s", told_text);
        if (turn && (!findings || !has_both(diags, rule, second + 16, first ? first + 16 : 0)))
            fail_msg("%s is not told at line %u with line %u of:\n%s%s", rule, second, first, body,
                     told_text);
        pto_diag_list_destroy(diags);
    }
    planted++;
}

static void planted_in(const char *body, const char *fault, pto_target target, uint32_t blocks,
                       const char *rule, unsigned second, unsigned first) {
    swapped_in(body, "", fault, target, blocks, rule, second, first);
}

static void every_planted_fault_is_told(void **state) {
    (void)state;
    const pto_target a2a3 = PTO_TARGET_A2A3, a5 = PTO_TARGET_A5;
    without(0, a2a3, "PTO-E1110", 3, 6);
    without(1, a2a3, "PTO-E1110", 7, 13);
    without(3, a2a3, "PTO-E1101", 4, 8);
    without(3, a5, "PTO-E1102", 4, 4);
    without(5, a2a3, "PTO-E0921", 6, -1);
    without(6, a2a3, "PTO-E1101", 8, 4);
    without(6, a5, "PTO-E0920", 5, 5);
    without(7, a2a3, "PTO-E1101", 8, 14);
    without(9, a2a3, "PTO-E1103", 10, 8);
    without(11, a2a3, "PTO-E0921", 17, -1);
    without(12, a5, "PTO-E0921", 13, -1);
    without(13, a5, "PTO-E1101", 14, 10);
    without(15, a5, "PTO-E0921", 18, -1);
    without(17, a5, "PTO-E0922", 11, -1);
    without(18, a5, "PTO-E0922", 15, -1);
    static const char relu[] = VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "V", "0")
        FLAG("wait", "MTE2", "V", "0") "@pto.trelu ins(%t : !T) outs(%u : !T)\n";
    planted_in(relu, "pto.trelu ins(%u : !T) outs(%u : !T)\n", a5, 1, "PTO-E1120", 6, 0);
    planted_in(relu, "pto.tload ins(%px : !P) outs(%t : !T)\n", a2a3, 1, "PTO-E1101", 7, 6);
    planted_in(relu, FLAG("wait", "MTE2", "V", "0"), a5, 1, "PTO-E0921", 6, 0);
    planted_in(relu, FLAG("set", "MTE2", "V", "3"), a5, 1, "PTO-E0922", 6, 0);
    planted_in(relu, "pto.get_buf[<TVEC>, 3]\npto.get_buf[<TVEC>, 3]\n", a5, 1, "PTO-E0925", 7, 6);
    planted_in(relu, "pto.get_buf[<TVEC>, 3]\n", a5, 1, "PTO-E0925", 6, 0);
    planted_in(relu, "pto.sync.wait <PIPE_V>, 4\n", a5, 1, "PTO-E0923", 6, 0);
    planted_in(relu, "%k = arith.constant 9 : index\npto.set_flag_dyn[<PIPE_V>, <PIPE_MTE2>, %k]\n", a5, 1,
               "PTO-E0417", 7, 0);
    planted_in(relu,
               FLAG("wait", "V", "MTE3", "0") FLAG("wait", "MTE3", "V", "0") FLAG("set", "V", "MTE3", "0")
                   FLAG("set", "MTE3", "V", "0"),
               a5, 1, "PTO-E1110", 6, 7);
    /* both cores of the block: each waits for the signal that the other sends behind its wait */
    planted_in("@",
               "pto.section.cube {\npto.sync.wait <PIPE_MTE2>, 1\npto.sync.set <PIPE_FIX>, 2\n}\n"
               "pto.section.vector {\npto.sync.wait <PIPE_MTE2>, 2\npto.sync.set <PIPE_MTE3>, 1\n}\n",
               a2a3, 1, "PTO-E1110", 2, 6);
    planted_in(VIEW "pto.tload ins(%px : !P) outs(%t : !T)\n@", "pto.tload ins(%px : !P) outs(%t : !T)\n", a5,
               1, "PTO-E1102", 4, 3);
    /* the cube core loads what the vector core stores: before the signal, or behind it */
    planted_in(VIEW "%a = arith.constant 0 : i64\n"
                    "%m = pto.alloc_tile addr = %a : !pto.tile_buf<mat, 16x64xf32, blayout=col_major, "
                    "slayout=row_major>\n"
                    "pto.section.cube {\n"
                    "pto.tload ins(%py : !P) outs(%m : !pto.tile_buf<mat, 16x64xf32, blayout=col_major, "
                    "slayout=row_major>)\n"
                    "pto.sync.set <PIPE_MTE2>, 1\n"
                    "@}\n"
                    "pto.section.vector {\n%k = arith.constant 1.0 : f32\n"
                    "pto.texpands ins(%k : f32) outs(%t : !T)\n" FLAG("set", "V", "MTE3", "0")
                        FLAG("wait", "V", "MTE3", "0") "pto.sync.wait <PIPE_MTE3>, 1\n"
                                                       "pto.tstore ins(%t : !T) outs(%py : !P)\n}\n",
               "pto.tload ins(%py : !P) outs(%m : !pto.tile_buf<mat, 16x64xf32, blayout=col_major, "
               "slayout=row_major>)\n",
               a2a3, 1, "PTO-E1105", 16, 8);
    print_message("%d planted faults in programs, every one told\n", planted);
}

/* What authors get wrong in texts: each fault beside its correction. */
static void authors_faults_are_told(void **state) {
    (void)state;
    const pto_target a2a3 = PTO_TARGET_A2A3, a5 = PTO_TARGET_A5;
    planted = 0;
#define STORED                                                                                               \
    VIEW "%k = arith.constant 1.0 : f32\npto.texpands ins(%k : f32) outs(%t : !T)\n" FLAG(                   \
        "set", "V", "MTE3", "0") FLAG("wait", "V", "MTE3", "0") "pto.tstore ins(%t : !T) outs(%py : !P)\n"
    /* the id of the set counts turns, that of the wait does not */
    swapped_in(VIEW "scf.for %i = %z to %four step %one {\npto.tload ins(%px : !P) outs(%t : !T)\n"
                    "pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %i]\n"
                    "pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_V>, @]\npto.trelu ins(%t : !T) outs(%u : !T)\n"
                    "pto.barrier <PIPE_ALL>\n}\n",
               "%i", "%z", a5, 1, "PTO-E0921", 6, 0);
    /* a buffer for every turn but one: the address of the load runs ahead of that of the reader */
    swapped_in(VIEW "%two = arith.constant 2 : index\n%size = arith.constant 4096 : index\n"
                    "scf.for %i = %z to %four step %one {\n%next = arith.addi %i, %one : index\n"
                    "%b = arith.remui @, %two : index\n%bytes = arith.muli %b, %size : index\n"
                    "%at = arith.index_cast %bytes : index to i64\n%w = pto.alloc_tile addr = %at : !T\n"
                    "%mine = arith.remui %i, %two : index\n%from = arith.muli %mine, %size : index\n"
                    "%there = arith.index_cast %from : index to i64\n"
                    "%v = pto.alloc_tile addr = %there : !T\npto.tload ins(%px : !P) outs(%w : !T)\n"
                    "pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %b]\n"
                    "pto.wait_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %b]\n"
                    "pto.trelu ins(%v : !T) outs(%v : !T)\npto.barrier <PIPE_ALL>\n}\n",
               "%i", "%next", a5, 1, "PTO-E1120", 18, 0);
    /* in one arm of a branch only */
    swapped_in(VIEW "scf.for %i = %z to %four step %one {\npto.tload ins(%px : !P) outs(%t : !T)\n"
                    "%even = arith.cmpi eq, %i, @ : index\nscf.if %even {\n" FLAG("set", "MTE2", "V", "0")
                        FLAG("wait", "MTE2", "V",
                             "0") "}\npto.trelu ins(%t : !T) outs(%u : !T)\npto.barrier <PIPE_ALL>\n}\n",
               "%i", "%one", a5, 1, "PTO-E1101", 10, 4);
    /* the same bytes by another name and type */
    swapped_in(STORED "%w = pto.bitcast %t : !T -> !pto.tile_buf<vec, 16x64xi32>\n"
                      "%n1 = arith.constant 7 : i32\n@"
                      "pto.texpands ins(%n1 : i32) outs(%w : !pto.tile_buf<vec, 16x64xi32>)\n",
               "pto.barrier <PIPE_ALL>\n", "pto.barrier <PIPE_V>\n", a5, 1, "PTO-E1101", 11, 7);
    /* half of it: the rows that the store does not read, or one of those that it reads */
    swapped_in(VIEW "%k = arith.constant 1.0 : f32\npto.texpands ins(%k : f32) outs(%t : !T)\n"
                    "%eight = arith.constant 8 : index\n%seven = arith.constant 7 : index\n"
                    "%ph = pto.partition_view %gy, offsets = [%z, %z], sizes = [%eight, %n] : !G -> "
                    "!pto.partition_tensor_view<8x64xf32>\n"
                    "%up = pto.subset %t[%z, %z] sizes [8, 64] : !T\n"
                    "%down = pto.subset %t[@, %z] sizes [8, 64] : !T\n" FLAG("set", "V", "MTE3", "0")
                        FLAG("wait", "V", "MTE3",
                             "0") "pto.tstore ins(%up : !pto.tile_buf<vec, 8x64xf32>) outs(%ph : "
                                  "!pto.partition_tensor_view<8x64xf32>)\n"
                                  "pto.texpands ins(%k : f32) outs(%down : !pto.tile_buf<vec, 8x64xf32>)\n",
               "%eight", "%seven", a5, 1, "PTO-E1101", 13, 12);
    /* a prefetch is no load */
    swapped_in(VIEW "pto.@ ins(%px : !P) outs(%t : !T)\n" FLAG("set", "MTE2", "V", "0")
                   FLAG("wait", "MTE2", "V", "0") "pto.trelu ins(%t : !T) outs(%u : !T)\n",
               "tload", "tprefetch", a5, 1, "PTO-E1120", 6, 0);
    /* blocks that update the same rows: additions, or additions and a plain store */
    swapped_in(
        VIEW
        "%k = arith.constant 1.0 : f32\npto.texpands ins(%k : f32) outs(%t : !T)\n"
        "%block = pto.get_block_idx\n%b = arith.index_cast %block : i64 to index\n"
        "%first = arith.cmpi eq, %b, %z : index\n" FLAG("set", "V", "MTE3", "0")
            FLAG("wait", "V", "MTE3",
                 "0") "scf.if %first {\n"
                      "pto.tstore ins(%t : !T) outs(%py : !P) {atomicType = #pto<atomic_type @>}\n"
                      "pto.barrier <PIPE_MTE3>\n}\n"
                      "pto.tstore ins(%t : !T) outs(%py : !P) {atomicType = #pto<atomic_type atomic_add>}\n",
        "atomic_add", "atomic_none", a2a3, 3, "PTO-E1104", 14, 11);
    print_message("%d more planted faults in programs, every one told\n", planted);
}

/* ---- reports ------------------------------------------------------------------------------------------ */

/* The elements, the turn of the loop, the memory around, the line to insert. */
static void a_report_says_all(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    check_text(text_without(7), PTO_TARGET_A2A3, 1, PTO_CHECK_RACE, diags);
    const pto_diagnostic *d = pto_diag_first(diags);
    while (d && strcmp(d->rule, "PTO-E1101") != 0)
        d = d->next;
    assert_non_null(d);
    assert_non_null(strstr(d->found, "rows 0 to 15, columns 0 to 63"));
    assert_non_null(strstr(d->found, "vec bytes 4096 to 8191"));
    assert_non_null(strstr(d->fix, "pto.wait_flag[<PIPE_MTE3>, <PIPE_V>, <EVENT_ID0>]"));
    const char *text = told_text;
    assert_non_null(strstr(text, "turn 1; the later one in turn 2"));
    assert_non_null(strstr(text, "memory around: "));
    assert_non_null(strstr(text, "met 3 times"));
    pto_diag_list_destroy(diags);
}

/* The same words in the same order, whatever the threads. */
static void reports_do_not_depend_on_threads(void **state) {
    (void)state;
    char *first = NULL;
    for (int turn = 0; turn < 4; turn++) {
        pto_diag_list *diags = pto_diag_list_create();
        check_text(text_without(6), PTO_TARGET_A2A3, 7, PTO_CHECK_ALL, diags);
        const char *text = told_text;
        if (!first)
            first = strdup(text);
        assert_string_equal(text, first);
        pto_diag_list_destroy(diags);
    }
    free(first);
}

static void suppressed_findings_are_not_told(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool silent;
    } cases[] = {{"race:TADD\n", true},    {"race:T*D\n", true},     {"PTO-E1101:*\n", true},
                 {"all:test.pto\n", true}, {"race:TMUL\n", false},   {"init:*\n", false},
                 {"# race:*\n", false},    {"sync:*\nrace:*", true}, {"race:%x\n", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pto_diag_list *diags = pto_diag_list_create();
        pto_suppressions *suppressions =
            pto_suppressions_parse("ignore", cases[i].text, strlen(cases[i].text), diags);
        assert_non_null(suppressions);
        shared_suppressions = suppressions;
        const size_t findings = check_text(text_without(6), PTO_TARGET_A2A3, 1, PTO_CHECK_RACE, diags);
        shared_suppressions = NULL;
        if ((findings == 0) != cases[i].silent)
            fail_msg("%s: %zu findings\n%s", cases[i].text, findings, told_text);
        pto_suppressions_destroy(suppressions);
        pto_diag_list_destroy(diags);
    }
}

/* ---- random programs against a closure ------------------------------------------------------------- */

enum { NODES = 60, TILES = 8 };
enum { NODE_OP, NODE_SET, NODE_WAIT, NODE_BARRIER };

typedef struct node {
    int kind, pipe, other, id;
    int read, write; /* tiles; -1 = none */
} node;

static uint64_t next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static const int pipes[3] = {PTO_PIPE_MTE2, PTO_PIPE_V, PTO_PIPE_MTE3};
static const uint64_t tile_at[TILES] = {0,     4096,  2048,  8192,
                                        12288, 16384, 20480, 24576}; /* the third overlaps two */
static bool meet(int a, int b) {
    return a >= 0 && b >= 0 && tile_at[a] < tile_at[b] + 4096 && tile_at[b] < tile_at[a] + 4096;
}

static int random_nodes(uint64_t *state, node *list) {
    int count = 0, up[3][3] = {{0}};
    while (count < NODES) {
        node n = {.kind = NODE_OP, .read = -1, .write = -1};
        int p = (int)(next(state) % 3), q = (int)(next(state) % 3), kind = (int)(next(state) % 8);
        n.pipe = p;
        n.other = q;
        if (kind < 4) {
            if (p != 0)
                n.read = (int)(next(state) % TILES);
            if (p != 2)
                n.write = (int)(next(state) % TILES);
        } else if (kind < 6 && p != q && !up[p][q]) {
            n.kind = NODE_SET;
            up[p][q] = 1;
        } else if (kind == 6 && p != q && up[p][q]) {
            n.kind = NODE_WAIT;
            up[p][q] = 0;
        } else if (kind == 7) {
            n.kind = NODE_BARRIER;
        } else {
            continue;
        }
        list[count++] = n;
    }
    return count;
}

static bool ordered(pto_target target, int p) {
    return target == PTO_TARGET_A2A3 ? pipes[p] == PTO_PIPE_MTE2 : pipes[p] == PTO_PIPE_V;
}

/* The first operation that races with an earlier one; -1 = none. */
static int closure(const node *list, int count, pto_target target) {
    static bool before[NODES][NODES];
    memset(before, 0, sizeof before);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < j; i++) {
            const node *a = &list[i], *b = &list[j];
            /* the pipe at whose place in the queue a node stands */
            int pa = a->kind == NODE_WAIT ? a->other : a->pipe,
                pb = b->kind == NODE_WAIT ? b->other : b->pipe;
            /* a set and a barrier follow what was issued before them, a wait and a barrier hold what comes */
            bool follows = a->kind != NODE_SET && (b->kind == NODE_SET || b->kind == NODE_BARRIER);
            bool holds = a->kind == NODE_WAIT || a->kind == NODE_BARRIER;
            bool both_ops = a->kind == NODE_OP && b->kind == NODE_OP;
            if (pa == pb && (follows || holds || (both_ops && ordered(target, pa))))
                before[i][j] = true;
            /* a set and the wait that consumes it: the first behind it */
            bool pair =
                a->kind == NODE_SET && b->kind == NODE_WAIT && a->pipe == b->pipe && a->other == b->other;
            for (int k = i + 1; pair && k < j; k++)
                pair = !(list[k].kind == NODE_WAIT && list[k].pipe == a->pipe && list[k].other == a->other);
            before[i][j] |= pair;
        }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < count; i++)
            for (int j = 0; before[i][k] && j < count; j++)
                before[i][j] |= before[k][j];
    for (int j = 0; j < count; j++)
        for (int i = 0; i < j; i++) {
            const node *a = &list[i], *b = &list[j];
            if (a->kind != NODE_OP || b->kind != NODE_OP || before[i][j])
                continue;
            if (meet(a->write, b->write) || meet(a->write, b->read) || meet(a->read, b->write))
                return j;
        }
    return -1;
}

static void note_first(void *user, const pto_check_finding *finding) {
    int *first = user;
    if (*first < 0)
        *first = finding->second.site;
}

static pto_tile tile_of(int i) {
    static uint8_t memory[65536];
    pto_tile tile = {.type = {.loc = PTO_LOC_VEC,
                              .dtype = PTO_F32,
                              .rows = 16,
                              .cols = 64,
                              .valid_rows = 16,
                              .valid_cols = 64,
                              .fractal = 512},
                     .valid_rows = 16,
                     .valid_cols = 64,
                     .data = memory + tile_at[i],
                     .addr = tile_at[i],
                     .assigned = true};
    return tile;
}

static void issue(pto_checker *c, const node *n) {
    static float global_memory[2][16 * 64];
    /* loads read one tensor, stores write another: only tiles can race, and stores with stores */
    pto_global global = {.dtype = PTO_F32,
                         .shape = {1, 1, 1, 16, 64},
                         .stride = {1024, 1024, 1024, 64, 1},
                         .data = global_memory[n->pipe == 2]};
    pto_tile read = tile_of(n->read < 0 ? 0 : n->read), write = tile_of(n->write < 0 ? 0 : n->write);
    pto_instr instr = {.form = n->pipe == 0   ? PTO_FORM_TLOAD
                               : n->pipe == 1 ? PTO_FORM_TRELU
                                              : PTO_FORM_TSTORE};
    if (n->pipe == 0) {
        instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &write};
        instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &global};
    } else if (n->pipe == 1) {
        instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &write};
        instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &read};
    } else {
        static float stores[NODES * 64][1024];
        static int turn;
        global.data = stores[turn++ % (NODES * 64)]; /* every store has bytes of its own */
        instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &global};
        instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &read};
    }
    pto_checker_instr(c, NULL, &instr);
}

static void the_first_race_is_that_of_the_closure(void **state) {
    (void)state;
    uint64_t seed = 3;
    int with = 0, without = 0;
    uint64_t bytes[PTO_LOC_COUNT] = {0};
    for (int trial = 0; trial < 4000; trial++) {
        node list[NODES];
        int count = random_nodes(&seed, list);
        count = 4 + (int)(next(&seed) % 24);
        pto_target target = trial & 1 ? PTO_TARGET_A5 : PTO_TARGET_A2A3;
        int first = -1;
        pto_check_options options = {.target = target,
                                     .checks = PTO_CHECK_RACE,
                                     .memory_bytes = bytes,
                                     .found = note_first,
                                     .user = &first};
        pto_checker *c = pto_checker_create(&options);
        assert_non_null(c);
        pto_checker_begin(c);
        for (int i = 0; i < count; i++) {
            const node *n = &list[i];
            pto_checker_site(c, i);
            if (n->kind == NODE_OP)
                issue(c, n);
            else if (n->kind == NODE_SET)
                pto_checker_set_flag(c, (pto_pipe)pipes[n->pipe], (pto_pipe)pipes[n->other], 0);
            else if (n->kind == NODE_WAIT)
                pto_checker_wait_flag(c, (pto_pipe)pipes[n->pipe], (pto_pipe)pipes[n->other], 0);
            else
                pto_checker_barrier(c, (pto_pipe)pipes[n->pipe]);
        }
        pto_checker_destroy(c);
        int wanted = closure(list, count, target);
        if (first != wanted)
            fail_msg("trial %d: the checker tells %d, the closure %d", trial, first, wanted);
        with += wanted >= 0;
        without += wanted < 0;
    }
    print_message("%d random programs with a race, %d without\n", with, without);
    assert_true(with > 100 && without > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_correct_program_is_silent),
                                       cmocka_unit_test(every_missing_line_is_told),
                                       cmocka_unit_test(findings_by_kind),
                                       cmocka_unit_test(every_planted_fault_is_told),
                                       cmocka_unit_test(authors_faults_are_told),
                                       cmocka_unit_test(a_report_says_all),
                                       cmocka_unit_test(reports_do_not_depend_on_threads),
                                       cmocka_unit_test(suppressed_findings_are_not_told),
                                       cmocka_unit_test(the_first_race_is_that_of_the_closure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
