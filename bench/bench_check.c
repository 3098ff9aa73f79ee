/* SPDX-License-Identifier: Apache-2.0 */
/* What the checkers cost: the example programs without them, with `race` and with all, on one thread, and one
 * small instruction through the door. The goals are 3 and 5 times. What they cost while they are off: the
 * door beside the same one compiled without hooks.
 *
 *     bench_check [DIRECTORY of the examples] [--quick]
 */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pto/pto.h>

enum { MAX_PARAMS = 12 };

typedef struct scalar_value {
    const char *name;
    int64_t value;
} scalar_value;

typedef struct bench_program {
    const char *file;
    uint32_t blocks;
    scalar_value scalar[4];
} bench_program;

static const bench_program programs[] = {
    {"softmax/softmax.pto", 16, {{0}}},
    {"attention/attention.pto", 16, {{"n", 1024}}},
    {"layernorm/layernorm.pto", 16, {{"n", 2048}}},
    {"rmsnorm/rmsnorm.pto", 16, {{"n", 1024}}},
    {"gemm/gemm_f16.pto", 16, {{"m", 1024}, {"n", 1024}, {"k", 1024}}},
    {"gemm/gemm_s8.pto", 16, {{"m", 1024}, {"n", 1024}, {"k", 1024}}},
    {"topk/topk.pto", 8, {{"n", 16}, {"width", 8192}}},
    {"conv/conv.pto", 7, {{0}}},
};

typedef struct run {
    pto_program *program;
    pto_argument argument[MAX_PARAMS];
    size_t count;
    pto_run_options options;
    pto_status status;
    size_t findings;
} run;

static int64_t value_of(const bench_program *p, const char *name) {
    for (int i = 0; i < 4 && p->scalar[i].name; i++)
        if (!strcmp(p->scalar[i].name, name))
            return p->scalar[i].value;
    return 1;
}

/* Elements of a parameter; extents that are scalar parameters stand as their negative position. */
static size_t elements_of(const bench_program *p, const pto_param *params, const pto_param *param) {
    size_t count = 1;
    for (int d = 0; d < param->rank; d++) {
        const int64_t extent = param->shape[d];
        count *= (size_t)(extent < 0 ? value_of(p, params[-1 - extent].name) : extent);
    }
    return param->rank ? count : (size_t)1 << 22;
}

static bool make_arguments(const bench_program *p, run *r, pto_diag_list *diags) {
    const pto_param *params;
    if (pto_program_entry_params(r->program, NULL, &params, &r->count, diags) != PTO_OK ||
        r->count > MAX_PARAMS)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        pto_argument *a = &r->argument[i];
        if (params[i].kind == PTO_PARAM_SCALAR) {
            a->i = value_of(p, params[i].name);
            continue;
        }
        a->bytes = elements_of(p, params, &params[i]) * (pto_dtype_bits(params[i].dtype) + 7) / 8;
        a->data = calloc(a->bytes + 64, 1);
        if (!a->data)
            return false;
        /* small positive halves or floats, whatever they are read as */
        for (size_t k = 0; k < a->bytes / 2; k++)
            ((uint16_t *)a->data)[k] = (uint16_t)(0x3800 + k * 7 % 512);
    }
    return true;
}

static void execute(void *context) {
    run *r = context;
    r->options.findings = &r->findings;
    r->status = pto_program_run(r->program, r->argument, r->count, &r->options, NULL);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the processor, which others on the machine do not lengthen: the fastest of many runs. */
static double time_of(run *r, bench_effort effort, uint32_t checks) {
    double best = 1e9;
    r->options.checks = checks;
    execute(r);
    for (double spent = 0; spent < effort.seconds;) {
        const double start = processor_seconds();
        execute(r);
        const double seconds = processor_seconds() - start;
        best = seconds < best ? seconds : best;
        spent += seconds;
    }
    return best;
}

static int measure(const char *directory, const bench_program *p, pto_target target, bench_effort effort) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, p->file);
    pto_diag_list *diags = pto_diag_list_create();
    char *text = NULL;
    size_t len = 0;
    run r = {.options = {.target = target, .has_target = true, .blocks = p->blocks, .threads = 1}};
    bool ok = pto_file_read(path, (size_t)1 << 20, &text, &len, diags) == PTO_OK;
    if (ok) {
        const pto_parse_options parse = {.target = target, .has_target = true};
        r.program = pto_program_parse(path, text, len, &parse, diags);
        ok = r.program && make_arguments(p, &r, diags);
    }
    int slow = 0;
    if (ok) {
        const double off = time_of(&r, effort, 0), race = time_of(&r, effort, PTO_CHECK_RACE),
                     all = time_of(&r, effort, PTO_CHECK_ALL);
        ok = r.status == PTO_OK && !r.findings;
        slow = race > 3 * off || all > 5 * off;
        printf("%-26s %-5s %9.3f ms %9.3f ms %5.2fx %9.3f ms %5.2fx%s\n", p->file, pto_target_name(target),
               1e3 * off, 1e3 * race, race / off, 1e3 * all, all / off, slow ? "  above the goal" : "");
    }
    if (!ok) {
        static char report[4096];
        pto_diag_render_buffer(diags, NULL, report, sizeof report);
        fprintf(stderr, "%s: not run, or not silent\n%s", path, report);
        slow = 1;
    }
    for (size_t i = 0; i < r.count; i++)
        free(r.argument[i].data);
    pto_program_destroy(r.program);
    free(text);
    pto_diag_list_destroy(diags);
    return slow;
}

/* ---- the door ---- */

typedef struct door {
    pto_core *core;
    pto_tile tile[1];
} door;

static void pass(void *context) {
    door *d = context;
    pto_tadd(d->core, d->tile, d->tile, d->tile);
}

static void measure_door(bench_effort effort) {
    static const struct {
        const char *name;
        uint32_t checks;
    } rows[] = {{"not watched", 0}, {"race", PTO_CHECK_RACE}, {"all", PTO_CHECK_ALL}};
    double first = 0;
    for (int i = 0; i < 3; i++) {
        pto_watch *watch = rows[i].checks ? pto_watch_create(rows[i].checks, NULL) : NULL;
        door d = {pto_core_create(&(pto_options){.target = PTO_TARGET_A5}),
                  {pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, 1, 8))}};
        if (!d.core || (watch && pto_watch_core(watch, d.core) != PTO_OK))
            return;
        pto_tile_assign(d.core, d.tile, 0);
        pto_texpands(d.core, d.tile, (pto_scalar){.dtype = PTO_F32, .f = 1});
        const double seconds = bench_time(effort, pass, &d);
        first = i ? first : seconds;
        printf("TADD of 1x8 through the door, %-12s %8.1f ns %5.2fx\n", rows[i].name, 1e9 * seconds,
               seconds / first);
        pto_core_destroy(d.core);
        pto_watch_destroy(watch);
    }
}

#ifndef PTO_BENCH_SHARED
/* door_bare.c */
pto_status bench_bare_execute(pto_core *core, const pto_instr *instr);

typedef struct issue {
    pto_core *core;
    pto_instr instr;
    pto_status (*door)(pto_core *core, const pto_instr *instr);
} issue;

static void go_through(void *context) {
    issue *i = context;
    i->door(i->core, &i->instr);
}

/* Checkers off: the door as it is beside the same door compiled without hooks, in turns, the fastest of
 * each. An instruction that was verified before, and one that is verified each time. */
static void measure_off(bench_effort effort) {
    static const struct {
        const char *name;
        int32_t rows, cols;
    } size[] = {{"1x8", 1, 8}, {"8 KB", 32, 64}};
    for (int k = 0; k < 4; k++) {
        const bool verified = k & 1;
        issue i = {.core = pto_core_create(&(pto_options){.target = PTO_TARGET_A5}),
                   .instr = {.form = PTO_FORM_TADD}};
        pto_tile tile[3];
        if (!i.core)
            return;
        for (int t = 0; t < 3; t++) {
            tile[t] =
                pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, size[k / 2].rows, size[k / 2].cols));
            pto_tile_assign(i.core, &tile[t], 8192u * (uint32_t)t);
            i.instr.operand[t] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &tile[t]};
        }
        if (verified && pto_core_verify(i.core, &i.instr) != PTO_OK)
            return;
        double best[2] = {1, 1};
        for (int turn = 0; turn < 12; turn++) {
            i.door = turn % 2 ? bench_bare_execute : pto_core_execute;
            const double seconds =
                bench_time((bench_effort){effort.seconds / 6, effort.batch}, go_through, &i);
            best[turn % 2] = seconds < best[turn % 2] ? seconds : best[turn % 2];
        }
        printf("TADD of %-4s %-14s %8.1f ns, door without hooks %8.1f ns %6.3fx\n", size[k / 2].name,
               verified ? "verified," : "", 1e9 * best[0], 1e9 * best[1], best[0] / best[1]);
        pto_core_destroy(i.core);
    }
}
#endif

int main(int argc, char **argv) {
    const char *directory = "examples";
    bench_effort effort = {0.5, 0.01};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick"))
            effort = (bench_effort){0.05, 0.002};
        else
            directory = argv[i];
    }
    printf("%-26s %-5s %12s %12s %6s %12s %6s\n", "program", "on", "no checks", "race", "", "all", "");
    int slow = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        slow += measure(directory, &programs[i], PTO_TARGET_A2A3, effort);
        slow += measure(directory, &programs[i], PTO_TARGET_A5, effort);
    }
    measure_door(effort);
#ifndef PTO_BENCH_SHARED
    measure_off(effort);
#endif
    printf("%d above their goal\n", slow);
    return 0;
}
