/* SPDX-License-Identifier: Apache-2.0 */
/* Mutation of synchronised programs: one flag, barrier, event or token is removed, retargeted or moved. The
 * race checker flags every mutant for which an explored schedule changes the outputs, and none in which a
 * brute-force happens-before relation finds nothing. PTO_MUTANTS (1500), PTO_MUTATION_SCHEDULES (20) and
 * PTO_MUTATION_PROGRAMS (40) set the size; the whole one is 10000 mutants or more, 200 schedules, 500
 * programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/happens_before.h"
#include "support/program_testing.h"
#include "support/sync_programs.h"
#include <pto/pto.h>

enum { N = 64 * 64 };

static long scale(const char *name, long usual) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

typedef struct tally {
    long mutants, illegal, flagged_race, flagged_sync, differ, hang, brute_races, brute_clean;
    long missed, false_alarms, disagree;
} tally;

typedef struct bench {
    float x[N], y[N];
    pto_argument arguments[2];
} bench;

static void fill(bench *b) {
    for (int i = 0; i < N; i++) {
        b->x[i] = (float)(i % 61) - 25;
        b->y[i] = (float)(i % 7);
    }
    b->arguments[0] = (pto_argument){.data = b->x, .bytes = sizeof b->x};
    b->arguments[1] = (pto_argument){.data = b->y, .bytes = sizeof b->y};
}

/* What the three of them say of a program. */
typedef struct opinions {
    bool legal, race, sync, differs, hangs;
    hb_verdict brute;
} opinions;

static bool has_prefix(const pto_diag_list *diags, const char *prefix) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
        if (d->severity == PTO_ERROR && d->rule && !strncmp(d->rule, prefix, strlen(prefix)))
            return true;
    return false;
}

static opinions ask(const char *text, pto_target target, uint64_t schedules) {
    static bench b;
    opinions o = {0};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), NULL, diags);
    assert_non_null(program);
    const pto_verify_options verify = {.target = target, .has_target = true};
    o.legal = !pto_diag_count(diags, PTO_ERROR) && pto_program_verify(program, &verify, diags) == PTO_OK;
    if (o.legal) {
        pto_run_options options = {
            .target = target, .has_target = true, .threads = 1, .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC};
        pto_diag_list_clear(diags);
        fill(&b);
        if (pto_program_run(program, b.arguments, 2, &options, diags) != PTO_OK)
            fail_msg("%s\n%s", diag_text(diags), text);
        o.race = has_prefix(diags, "PTO-E110");
        o.sync = pto_diag_count(diags, PTO_ERROR) && !o.race;
        for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
            o.sync |= d->severity == PTO_ERROR && d->rule && strncmp(d->rule, "PTO-E110", 8) != 0;
        pto_diag_list_clear(diags);
        fill(&b);
        o.brute = happens_before(program, target, b.arguments, 2);
        options.checks = 0;
        pto_explore_result result;
        fill(&b);
        pto_status status = pto_program_explore(program, b.arguments, 2, &options,
                                                &(pto_explore_options){.runs = schedules}, &result, diags);
        o.hangs = status == PTO_ERR_REFUSED;
        o.differs = result.differs;
        if (status != PTO_OK && !o.hangs)
            fail_msg("%s\n%s", pto_status_name(status), text);
    }
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
    return o;
}

static void complain(const char *what, const opinions *o, const char *text, pto_target target) {
    print_error("%s on %s: the checker tells %s%s, brute force %zu races (lines %u, %u) and %zu misuses, "
                "schedules %s\n%s\n",
                what, pto_target_name(target), o->race ? "a race " : "", o->sync ? "a flag" : "",
                o->brute.races, o->brute.first_line, o->brute.second_line, o->brute.misuse,
                o->hangs     ? "hang"
                : o->differs ? "differ"
                             : "agree",
                text);
}

static void judge_mutant(tally *t, const char *text, pto_target target, uint64_t schedules) {
    opinions o = ask(text, target, schedules);
    if (!o.legal) {
        t->illegal++;
        return;
    }
    t->mutants++;
    t->flagged_race += o.race;
    t->flagged_sync += o.sync;
    t->differ += o.differs;
    t->hang += o.hangs;
    t->brute_races += o.brute.races > 0;
    t->brute_clean += !o.brute.races && !o.brute.misuse;
    if ((o.differs || o.hangs) && !o.race && !o.sync) {
        complain("missed", &o, text, target);
        t->missed++;
    }
    if ((o.race || o.sync) && !o.brute.races && !o.brute.misuse) {
        complain("false alarm", &o, text, target);
        t->false_alarms++;
    }
    /* where the flags are sound the two relations are the same */
    if (!o.brute.misuse && !o.sync && o.race != (o.brute.races > 0)) {
        complain("disagreement", &o, text, target);
        t->disagree++;
    }
    /* what brute force calls sound never differs */
    if (!o.brute.misuse && !o.brute.races && (o.differs || o.hangs)) {
        complain("a schedule that the hardware is not free to choose", &o, text, target);
        t->disagree++;
    }
}

static void add(tally *sum, const tally *t) {
    sum->mutants += t->mutants;
    sum->illegal += t->illegal;
    sum->flagged_race += t->flagged_race;
    sum->flagged_sync += t->flagged_sync;
    sum->differ += t->differ;
    sum->hang += t->hang;
    sum->brute_races += t->brute_races;
    sum->brute_clean += t->brute_clean;
    sum->missed += t->missed;
    sum->false_alarms += t->false_alarms;
    sum->disagree += t->disagree;
}

static void report(const char *what, long programs, const tally *t, uint64_t schedules) {
    print_message(
        "%ld programs, %s: %ld mutants (%ld more are refused before they run), %llu schedules each:\n"
        "  outputs change: %ld, hang: %ld; the checker tells a race: %ld, a flag: %ld; brute force: %ld "
        "with a race, %ld without any fault\n  missed: %ld, false alarms: %ld, disagreements: %ld\n",
        programs, what, t->mutants, t->illegal, (unsigned long long)schedules, t->differ, t->hang,
        t->flagged_race, t->flagged_sync, t->brute_races, t->brute_clean, t->missed, t->false_alarms,
        t->disagree);
    assert_true(t->mutants > 0 && t->differ > 0 && t->brute_clean > 0);
    assert_int_equal(t->missed + t->false_alarms + t->disagree, 0);
}

/* The mutants of a program until there are `most`. */
static tally mutate(const char *text, pto_target target, uint64_t schedules, long most) {
    tally t = {0};
    opinions o = ask(text, target, schedules);
    if (!o.legal || o.race || o.sync || o.differs || o.hangs || o.brute.races || o.brute.misuse) {
        complain("not a sound program", &o, text, target);
        fail();
    }
    sync_mutation mutation;
    sync_mutation_begin(&mutation, text);
    for (const char *mutant; t.mutants < most && (mutant = sync_mutation_next(&mutation));)
        judge_mutant(&t, mutant, target, schedules);
    sync_mutation_end(&mutation);
    return t;
}

static void mutants_of_random_programs(void **state) {
    (void)state;
    const long programs = scale("PTO_MUTATION_PROGRAMS", 40), most = scale("PTO_MUTANTS", 1500);
    const uint64_t schedules = (uint64_t)scale("PTO_MUTATION_SCHEDULES", 20);
    tally sum = {0};
    for (long i = 0; i < programs; i++) {
        pto_target target = i & 1 ? PTO_TARGET_A5 : PTO_TARGET_A2A3;
        char *text = sync_program((uint64_t)i, target);
        tally t = mutate(text, target, schedules, (most - sum.mutants) / (programs - i) + 1);
        add(&sum, &t);
        free(text);
    }
    report("random", programs, &sum, schedules);
}

/* ---- written by hand: a pipelined loop, tokens, two cores -------------------------------------------- */

#define FLAG(op, a, b, id) "pto." op "_flag[<PIPE_" a ">, <PIPE_" b ">, <EVENT_ID" id ">]\n"
#define BOTH(a, b, id) FLAG("set", a, b, id) FLAG("wait", a, b, id)

static const char head[] =
    "!T = !pto.tile_buf<vec, 16x64xf32>\n!G = !pto.tensor_view<64x64xf32>\n"
    "!P = !pto.partition_tensor_view<16x64xf32>\n!M = !pto.tile_buf<mat, 16x64xf32>\nmodule {\n"
    "func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n%two = arith.constant 2 : index\n"
    "%four = arith.constant 4 : index\n"
    "%r = arith.constant 16 : index\n%n = arith.constant 64 : index\n"
    "%a0 = arith.constant 0 : i64\n%a1 = arith.constant 4096 : i64\n"
    "%gx = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !G\n"
    "%t = pto.alloc_tile addr = %a0 : !T\n%u = pto.alloc_tile addr = %a1 : !T\n%m = pto.alloc_tile addr = "
    "%a0 : !M\n";
#define ROWS                                                                                                 \
    "%row = arith.muli %i, %r : index\n"                                                                     \
    "%px = pto.partition_view %gx, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n"                      \
    "%py = pto.partition_view %gy, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n"

static const char pipelined[] = FLAG("set", "V", "MTE2", "0")
    FLAG("set", "MTE3", "V", "0") "scf.for %i = %z to %four step %one {\n" ROWS FLAG(
        "wait", "V", "MTE2", "0") "pto.tload ins(%px : !P) outs(%t : !T)\n" BOTH("MTE2", "V", "0")
        FLAG("wait", "MTE3", "V",
             "0") "pto.tadd ins(%t, %t : !T, !T) outs(%u : !T)\npto.barrier <PIPE_V>\n"
                  "pto.trelu ins(%u : !T) outs(%u : !T)\n" FLAG("set", "V", "MTE2", "0")
                      BOTH("V", "MTE3", "0") "pto.tstore ins(%u : !T) outs(%py : !P)\n" FLAG(
                          "set", "MTE3", "V", "0") "}\n" FLAG("wait", "V", "MTE2", "0")
                          FLAG("wait", "MTE3", "V", "0");

static const char with_tokens[] =
    "scf.for %i = %z to %four step %one {\n" ROWS
    "pto.get_buf[<TLOAD>, 0]\npto.tload ins(%px : !P) outs(%t : !T)\npto.rls_buf[<TLOAD>, 0]\n"
    "pto.get_buf[<TVEC>, 0]\npto.get_buf[<TVEC>, 1]\npto.trelu ins(%t : !T) outs(%u : !T)\n"
    "pto.barrier <PIPE_V>\npto.tadd ins(%u, %t : !T, !T) outs(%u : !T)\n"
    "pto.rls_buf[<TVEC>, 0]\npto.rls_buf[<TVEC>, 1]\n"
    "pto.get_buf[<TSTORE_VEC>, 1]\npto.tstore ins(%u : !T) outs(%py : !P)\npto.rls_buf[<TSTORE_VEC>, 1]\n}\n";

/* The vector core stores, the cube core copies, twice, with one id. */
static const char cores[] =
    "pto.section.vector {\nscf.for %i = %z to %two step %one {\n" ROWS FLAG("set", "MTE3", "MTE2", "1")
        FLAG("wait", "MTE3", "MTE2", "1") "pto.tload ins(%px : !P) outs(%t : !T)\n" BOTH(
            "MTE2", "MTE3",
            "0") "pto.tstore ins(%t : !T) outs(%py : !P)\npto.sync.set <PIPE_MTE3>, 3\n}\n}\n"
                 "pto.section.cube {\nscf.for %i = %z to %two step %one {\n" ROWS
                 "pto.sync.wait <PIPE_MTE2>, 3\n" BOTH(
                     "MTE3", "MTE2",
                     "0") "pto.tload ins(%py : !P) outs(%m : !M)\n" BOTH("MTE2", "MTE3",
                                                                         "0") "%last = arith.addi %r, %r : "
                                                                              "index\n%to = arith.addi "
                                                                              "%last, %row : index\n"
                                                                              "%po = pto.partition_view %gy, "
                                                                              "offsets = [%to, %z], sizes = "
                                                                              "[%r, %n] : !G -> !P\n"
                                                                              "pto.tstore ins(%m : !M) "
                                                                              "outs(%po : !P)\n}\n}\n";

/* The first wait of the cube core does not tell that the second store is done. */
static const char same_rows[] =
    "%c = arith.constant 0 : index\npto.section.vector {\nscf.for %i = %z to %two step %one {\n"
    "%row = arith.muli %i, %r : index\n"
    "%px = pto.partition_view %gx, offsets = [%row, %z], sizes = [%r, %n] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\npto.barrier <PIPE_ALL>\n"
    "pto.tload ins(%px : !P) outs(%t : !T)\n" BOTH(
        "MTE2", "MTE3",
        "0") "pto.tstore ins(%t : !T) outs(%py : !P)\npto.sync.set <PIPE_MTE3>, 3\n}\n}\n"
             "pto.section.cube {\npto.sync.wait <PIPE_MTE2>, 3\n"
             "%pz = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %n] : !G -> !P\n"
             "pto.tload ins(%pz : !P) outs(%m : !M)\n" BOTH(
                 "MTE2", "MTE3",
                 "0") "%po = pto.partition_view %gy, offsets = [%r, %z], sizes = [%r, %n] : !G -> !P\n"
                      "pto.tstore ins(%m : !M) outs(%po : !P)\npto.sync.wait <PIPE_MTE2>, 3\n}\n";

static void a_signal_is_not_all_of_them(void **state) {
    (void)state;
    char text[8192];
    snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, same_rows);
    opinions o = ask(text, PTO_TARGET_A2A3, 100);
    if (!o.race || !o.brute.races || !o.differs)
        complain("signals", &o, text, PTO_TARGET_A2A3);
    assert_true(o.race && o.brute.races && o.differs);
}

static void mutants_of_written_programs(void **state) {
    (void)state;
    static const struct {
        const char *body;
        pto_target target;
    } programs[] = {{pipelined, PTO_TARGET_A2A3},
                    {pipelined, PTO_TARGET_A5},
                    {with_tokens, PTO_TARGET_A2A3},
                    {with_tokens, PTO_TARGET_A5},
                    {cores, PTO_TARGET_A2A3}};
    const uint64_t schedules = (uint64_t)scale("PTO_MUTATION_SCHEDULES", 20);
    tally sum = {0};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, programs[i].body);
        tally t = mutate(text, programs[i].target, schedules, 1000);
        add(&sum, &t);
    }
    report("written by hand", 5, &sum, schedules);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_signal_is_not_all_of_them),
                                       cmocka_unit_test(mutants_of_written_programs),
                                       cmocka_unit_test(mutants_of_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
