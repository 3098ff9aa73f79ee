/* SPDX-License-Identifier: Apache-2.0 */
/* Mutation of synchronised programs: one flag, barrier, event or token is removed, retargeted or moved. The
 * race checker flags every mutant for which an explored schedule changes the outputs, and none in which a
 * brute-force happens-before relation finds nothing. PTO_MUTANTS (1000), PTO_MUTATION_SCHEDULES (12) and
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

/* Arguments and what they hold before a run. */
enum { ARGUMENTS = 12 };
typedef struct inputs {
    size_t count;
    pto_argument argument[ARGUMENTS];
    void *original[ARGUMENTS];
} inputs;

static void reset(inputs *in) {
    for (size_t i = 0; i < in->count; i++)
        if (in->argument[i].data)
            memcpy(in->argument[i].data, in->original[i], in->argument[i].bytes);
}

static void release(inputs *in) {
    for (size_t i = 0; i < in->count; i++) {
        free(in->argument[i].data);
        free(in->original[i]);
    }
    *in = (inputs){0};
}

static void take_buffer(inputs *in, size_t i, size_t bytes) {
    in->argument[i] = (pto_argument){.data = malloc(bytes + 1), .bytes = bytes};
    in->original[i] = calloc(bytes + 1, 1);
    assert_true(in->argument[i].data && in->original[i]);
}

/* Two arrays of f32. */
static void two_arrays(inputs *in) {
    *in = (inputs){.count = 2};
    for (size_t i = 0; i < 2; i++) {
        take_buffer(in, i, N * sizeof(float));
        for (int k = 0; k < N; k++)
            ((float *)in->original[i])[k] = i ? (float)(k % 7) : (float)(k % 61) - 25;
    }
}

static const char *entry; /* NULL = the only one */

/* What the three of them say of a program. */
typedef struct opinions {
    bool deep; /* the same is told without inputs, as far as they can be done without */
    bool legal, race, sync, differs, hangs;
    hb_verdict brute;
} opinions;

static bool has_prefix(const pto_diag_list *diags, const char *prefix) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
        if (d->severity == PTO_ERROR && d->rule && !strncmp(d->rule, prefix, strlen(prefix)))
            return true;
    return false;
}

/* What is told, and at which places; a sum that does not depend on the order. */
typedef struct told {
    size_t count;
    uint64_t sum;
} told;

static told list_told(const pto_diag_list *diags) {
    told t = {0};
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (!d->rule)
            continue;
        uint64_t hash = d->line * UINT64_C(131) + d->column;
        for (const char *at = d->rule; *at; at++)
            hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
        t.sum += hash * hash + hash;
        t.count++;
    }
    return t;
}

static bool same_without_inputs(pto_program *program, pto_target target, const told *run,
                                pto_diag_list *diags) {
    const pto_deep_options options = {
        .target = target, .has_target = true, .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC};
    if (pto_program_check_deep(program, &options, NULL, diags) != PTO_OK)
        fail_msg("%s", diag_text(diags));
    const told deep = list_told(diags);
    return pto_diag_has(diags, "PTO-W1130") || (deep.count == run->count && deep.sum == run->sum);
}

static opinions ask(const char *text, pto_target target, inputs *in, uint64_t schedules) {
    opinions o = {0};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), NULL, diags);
    assert_non_null(program);
    const pto_verify_options verify = {.target = target, .has_target = true};
    o.legal = !pto_diag_count(diags, PTO_ERROR) && pto_program_verify(program, &verify, diags) == PTO_OK;
    if (o.legal) {
        pto_run_options options = {.entry = entry,
                                   .target = target,
                                   .has_target = true,
                                   .threads = 1,
                                   .checks = PTO_CHECK_RACE | PTO_CHECK_SYNC};
        pto_diag_list_clear(diags);
        reset(in);
        if (pto_program_run(program, in->argument, in->count, &options, diags) != PTO_OK)
            fail_msg("%s\n%s", diag_text(diags), text);
        o.race = has_prefix(diags, "PTO-E110");
        o.sync = pto_diag_count(diags, PTO_ERROR) && !o.race;
        for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
            o.sync |= d->severity == PTO_ERROR && d->rule && strncmp(d->rule, "PTO-E110", 8) != 0;
        const told run_told = list_told(diags);
        pto_diag_list_clear(diags);
        o.deep = same_without_inputs(program, target, &run_told, diags);
        pto_diag_list_clear(diags);
        reset(in);
        o.brute = happens_before(program, entry, target, in->argument, in->count);
        options.checks = 0;
        pto_explore_result result;
        reset(in);
        pto_status status = pto_program_explore(program, in->argument, in->count, &options,
                                                &(pto_explore_options){.runs = schedules}, &result, diags);
        o.hangs = status == PTO_ERR_REFUSED;
        o.differs = result.differs;
        if (status != PTO_OK && !o.hangs) {
            print_error("%s\n", text);
            fail_msg("%s", pto_status_name(status));
        }
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

static void judge_mutant(tally *t, const char *text, pto_target target, inputs *in, uint64_t schedules) {
    opinions o = ask(text, target, in, schedules);
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
    if (!o.deep) {
        complain("without inputs something else is told", &o, text, target);
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

/* About `most` mutants of a program, from all over it. */
static tally mutate(const char *text, pto_target target, inputs *in, uint64_t schedules, long most) {
    tally t = {0};
    opinions o = ask(text, target, in, schedules);
    if (!o.legal || o.race || o.sync || o.differs || o.hangs || o.brute.races || o.brute.misuse) {
        complain("not a sound program", &o, text, target);
        fail();
    }
    long count = 0, taken = 0;
    sync_mutation mutation;
    sync_mutation_begin(&mutation, text);
    while (sync_mutation_next(&mutation))
        count++;
    sync_mutation_end(&mutation);
    sync_mutation_begin(&mutation, text);
    const char *mutant;
    for (long i = 0; (mutant = sync_mutation_next(&mutation)); i++)
        if (count <= most || i * most / count >= taken) {
            taken++;
            judge_mutant(&t, mutant, target, in, schedules);
        }
    sync_mutation_end(&mutation);
    return t;
}

/* A program without flags, with those that the synchronisation pass inserts; the caller frees it. NULL where
 * the target refuses the program. */
static pto_program *parse_for(const char *text, pto_target target) {
    pto_diag_list *diags = pto_diag_list_create();
    const pto_parse_options parse = {.target = target, .has_target = true};
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), &parse, diags);
    assert_true(program && !pto_diag_count(diags, PTO_ERROR));
    pto_diag_list_destroy(diags);
    return program;
}

static char *by_the_pass(const char *text, pto_target target, bool place) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = parse_for(text, target);
    const pto_verify_options verify = {.target = target, .has_target = true};
    text_buffer out = {0};
    if (pto_program_verify(program, &verify, diags) == PTO_OK) {
        if ((place && pto_program_pass(program, "place", &verify, diags) != PTO_OK) ||
            pto_program_pass(program, "sync", &verify, diags) != PTO_OK ||
            pto_program_print(program, PTO_DIALECT_LEVEL2, collect_text, &out, diags) != PTO_OK)
            fail_msg("%s", diag_text(diags));
    }
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
    return out.data;
}

/* Half of them ordered by brute force, with events and tokens, half by the pass. */
static void mutants_of_random_programs(void **state) {
    (void)state;
    const long programs = scale("PTO_MUTATION_PROGRAMS", 40), most = scale("PTO_MUTANTS", 1000);
    const uint64_t schedules = (uint64_t)scale("PTO_MUTATION_SCHEDULES", 12);
    for (int pass = 0; pass < 2; pass++) {
        tally sum = {0};
        inputs in;
        two_arrays(&in);
        for (long i = 0; i < programs; i++) {
            const pto_target target = i & 1 ? PTO_TARGET_A5 : PTO_TARGET_A2A3;
            char *bare = pass ? unordered_program((uint64_t)i) : NULL;
            char *text = pass ? by_the_pass(bare, target, false) : sync_program((uint64_t)i, target);
            assert_non_null(text);
            tally t = mutate(text, target, &in, schedules, (most / 2 - sum.mutants) / (programs - i) + 1);
            add(&sum, &t);
            free(text);
            free(bare);
        }
        release(&in);
        report(pass ? "random, ordered by the pass" : "random, ordered by brute force", programs, &sum,
               schedules);
    }
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
    inputs in;
    two_arrays(&in);
    opinions o = ask(text, PTO_TARGET_A2A3, &in, 100);
    release(&in);
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
    const uint64_t schedules = (uint64_t)scale("PTO_MUTATION_SCHEDULES", 12);
    tally sum = {0};
    inputs in;
    two_arrays(&in);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%sreturn\n}\n}\n", head, programs[i].body);
        tally t = mutate(text, programs[i].target, &in, schedules, scale("PTO_MUTANTS", 1000) / 10);
        add(&sum, &t);
    }
    release(&in);
    report("written by hand", 5, &sum, schedules);
}

/* ---- the examples, ordered by the pass ---------------------------------------------------------------- */

typedef struct example {
    const char *path, *entry;
    int64_t scalars[3];    /* of the integer parameters, in order */
    const char *from, *to; /* a bound that is made smaller */
    bool big;              /* a run takes milliseconds */
} example;

static const example examples[] = {
    {"softmax/softmax.pto", "softmax", {0}, "arith.constant 512 ", "arith.constant 4 ", false},
    {"layernorm/layernorm.pto", "layernorm", {32}, NULL, NULL, false},
    {"rmsnorm/rmsnorm.pto", "rmsnorm", {12}, NULL, NULL, false},
    {"topk/topk.pto", "topk", {2, 4096}, NULL, NULL, false},
    {"digits/digits.pto", "digits", {0}, NULL, NULL, true},
    {"conv/conv.pto", "conv", {0}, NULL, NULL, true},
    {"attention/attention.pto", "attention", {128}, NULL, NULL, true},
    {"gemm/gemm_f16.pto", "gemm", {128, 256, 512}, NULL, NULL, true},
    {"gemm/gemm_s8.pto", "gemm", {128, 256, 1024}, NULL, NULL, true},
    {"mxfp8/mxfp8.pto", "quantise_a", {128, 512}, NULL, NULL, true},
    {"mxfp8/mxfp8.pto", "quantise_b", {512, 256}, NULL, NULL, true},
    {"mxfp8/mxfp8.pto", "product", {128, 256, 512}, NULL, NULL, true},
};

static char *read_example(const example *e) {
    char path[1024];
    const char *source = getenv("SRC");
    snprintf(path, sizeof path, "%s/examples/%s", source ? source : ".", e->path);
    FILE *file = fopen(path, "r");
    if (!file)
        skip();
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    char *at = e->from ? strstr(text, e->from) : NULL;
    if (at) {
        memmove(at + strlen(e->to), at + strlen(e->from), strlen(at + strlen(e->from)) + 1);
        memcpy(at, e->to, strlen(e->to));
    }
    return text;
}

static void put_number(uint8_t *to, unsigned bits, uint64_t raw) {
    if (bits >= 8)
        for (unsigned i = 0; i < bits / 8; i++)
            to[i] = (uint8_t)(raw >> 8 * i);
}

/* Buffers as large as the program's views, small numbers in them. */
static void example_inputs(pto_program *program, const example *e, inputs *in) {
    const pto_param *params;
    size_t count;
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(pto_program_entry_params(program, e->entry, &params, &count, diags), PTO_OK);
    pto_diag_list_destroy(diags);
    assert_true(count <= ARGUMENTS);
    *in = (inputs){.count = count};
    size_t scalar = 0;
    for (size_t i = 0; i < count; i++)
        if (params[i].kind == PTO_PARAM_SCALAR) {
            in->argument[i].f = 0.125;
            if (!pto_dtype_is_float(params[i].dtype))
                in->argument[i].i = e->scalars[scalar++];
        }
    uint32_t random = 1;
    for (size_t i = 0; i < count; i++) {
        if (params[i].kind == PTO_PARAM_SCALAR)
            continue;
        const unsigned bits = pto_dtype_bits(params[i].dtype);
        size_t elements = params[i].rank ? 1 : 1 << 16;
        for (int d = 0; d < params[i].rank; d++)
            elements *= (size_t)(params[i].shape[d] < 0 ? in->argument[-1 - params[i].shape[d]].i
                                                        : params[i].shape[d]);
        take_buffer(in, i, elements * bits / 8);
        for (size_t k = 0; k < elements; k++) {
            random = random * 1664525u + 1013904223u;
            const int value = (int)(random >> 24) - 128;
            put_number((uint8_t *)in->original[i] + k * bits / 8, bits,
                       pto_dtype_is_float(params[i].dtype)
                           ? pto_number_from_double(params[i].dtype, value / 64.0, PTO_CAST_RINT, true)
                           : (uint64_t)(value / 16));
        }
    }
}

/* As they are, their flags left to the compiler, three blocks that take turns. */
static void examples_never_differ(void **state) {
    (void)state;
    const bool all = scale("PTO_MUTATION_PROGRAMS", 40) >= 500;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (int target = PTO_TARGET_CPU; target <= PTO_TARGET_A5; target++) {
            if ((examples[i].big && !all) ||
                (target == PTO_TARGET_A2A3 && strstr(examples[i].path, "mxfp8"))) /* a5 alone has the form */
                continue;
            char *text = read_example(&examples[i]);
            pto_program *program = parse_for(text, (pto_target)target);
            free(text);
            inputs in;
            example_inputs(program, &examples[i], &in);
            reset(&in);
            const pto_run_options options = {
                .entry = examples[i].entry, .target = (pto_target)target, .has_target = true, .blocks = 3};
            pto_diag_list *diags = pto_diag_list_create();
            pto_explore_result result;
            const pto_explore_options how = {.runs = all ? 100 : 4};
            if (pto_program_explore(program, in.argument, in.count, &options, &how, &result, diags) !=
                    PTO_OK ||
                result.differs)
                fail_msg("%s on %s: %s", examples[i].path, pto_target_name((pto_target)target),
                         diag_text(diags));
            pto_diag_list_destroy(diags);
            pto_program_destroy(program);
            release(&in);
        }
}

static void mutants_of_examples(void **state) {
    (void)state;
    const bool all = scale("PTO_MUTATION_PROGRAMS", 40) >= 500;
    const uint64_t schedules = all ? (uint64_t)scale("PTO_MUTATION_SCHEDULES", 12) : 3;
    tally sum = {0};
    long programs = 0;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (examples[i].big && !all)
            continue;
        for (int target = PTO_TARGET_A2A3; target <= PTO_TARGET_A5; target++) {
            char *text = read_example(&examples[i]);
            char *ordered = by_the_pass(text, (pto_target)target, true);
            free(text);
            if (!ordered)
                continue;
            entry = examples[i].entry;
            inputs in;
            pto_program *program = parse_program(ordered);
            example_inputs(program, &examples[i], &in);
            pto_program_destroy(program);
            tally t = mutate(ordered, (pto_target)target, &in, schedules, all ? 300 : 6);
            print_message("%s %s on %s: %ld mutants, %ld differ, %ld hang, %ld races told\n",
                          examples[i].path, entry, pto_target_name((pto_target)target), t.mutants, t.differ,
                          t.hang, t.flagged_race);
            add(&sum, &t);
            programs++;
            release(&in);
            free(ordered);
        }
    }
    entry = NULL;
    report("examples", programs, &sum, schedules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_is_not_all_of_them), cmocka_unit_test(mutants_of_written_programs),
        cmocka_unit_test(mutants_of_random_programs), cmocka_unit_test(examples_never_differ),
        cmocka_unit_test(mutants_of_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
