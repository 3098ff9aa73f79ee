/* SPDX-License-Identifier: Apache-2.0 */
/* Every call form of the table on tiles of 64 rows and about 32 KB, so that two of them fill the first-level
 * cache and lie in the second, target cpu: its time, and the bytes that its operands hold a second next to a
 * copy of as many bytes. What does not move elements
 * (views, settings) and what computes more than it moves (products, sorts) is measured without a goal.
 *
 *     bench_table [--level best|base|avx2|avx512] [--quick] [--list] [--calls] [NAME ...]
 *
 * --calls shows the operands of every row.
 */
#include "limits.h"
#include "support/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct execution {
    pto_core *core;
    const pto_instr *instr;
    pto_status status;
} execution;

static void execute(void *context) {
    execution *e = context;
    e->status = pto_core_execute(e->core, e->instr);
}

/* Of several legal calls the one with most bytes; a row of the widest type has 512 bytes. */
static bool largest(configuration *best, testing_random *random, pto_form form, const pto_dtype var[6]) {
    enum { ROWS = 64, ROW_BITS = 4096 };
    unsigned widest = 0;
    for (int v = 0; v < 6; v++)
        if (var[v] != PTO_DTYPE_NONE && pto_dtype_bits(var[v]) > widest)
            widest = pto_dtype_bits(var[v]);
    const int32_t cols = widest ? (int32_t)(ROW_BITS / widest) : 128;
    size_t bytes = 0;
    configuration c;
    for (int tries = 0; tries < 12; tries++)
        if (configuration_find(&c, random, form, PTO_TARGET_CPU, var, ROWS, cols, NULL) &&
            (configuration_bytes(&c) > bytes || !tries)) {
            bytes = configuration_bytes(&c);
            *best = c;
            if (c.operand[0].tile.valid_rows == ROWS && c.operand[0].tile.valid_cols == cols)
                return true;
        }
    return bytes > 0 || pto_form_get(form)->operand_count == 0;
}

/* Scales by one: most other words make subnormal products, whose time is that of the processor's traps. */
static void with_plain_scale(configuration *c) {
    const int word = pto_form_operand_index(pto_form_get(c->form), "preQuantScalar");
    if (word >= 0)
        c->operand[word].scalar.i = (c->operand[word].scalar.i & ~INT64_C(0xFFFFFFFF)) | 0x3F800000;
}

static double goal_of(const pto_form_desc *form) {
    static const char *const families[] = {"elementwise", "tile-scalar", "axis",
                                           "partial",     "memory",      "quant"};
    if (form->pipes[0].pipe == PTO_PIPE_S)
        return 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (!strcmp(families[i], form->family))
            return 0.4;
    return 0;
}

typedef struct bench_run {
    pto_core *core;
    pto_simd_level level;
    bench_effort effort;
    int done, below, missing;
    bool calls; /* show the operands */
} bench_run;

static void measure(bench_run *run, const configuration *c, const char *types) {
    const pto_form_desc *form = pto_form_get(c->form);
    configuration_call call;
    configuration_start(c, run->core, 0, &call);
    pto_status status = pto_core_verify(run->core, &call.instr);
    execution e = {run->core, &call.instr, PTO_OK};
    if (status == PTO_OK)
        execute(&e);
    const size_t bytes = configuration_bytes(c);
    const double seconds = status == PTO_OK && e.status == PTO_OK ? bench_time(run->effort, execute, &e) : 0;
    const double rate = seconds > 0 ? (double)bytes / seconds : 0,
                 goal = bytes >= 8192 && seconds > 0 ? goal_of(form) : 0;
    const double limit = bytes ? bench_copy_rate(run->effort, run->level, bytes) : 0;
    const double ratio = limit > 0 ? rate / limit : 0;
    printf("%-18s %-16s %-12s %6zu B %9.3f us %8.2f GB/s %6.2f  %s\n", form->mnemonic, form->form, types,
           bytes, seconds * 1e6, rate * 1e-9, ratio,
           seconds <= 0    ? "refused"
           : goal <= 0     ? "-"
           : ratio >= goal ? "0.40"
                           : "0.40  below");
    if (run->calls) {
        char text[1024];
        configuration_text(c, text, sizeof text);
        printf("    %s\n", text);
    }
    fflush(stdout);
    run->done++;
    run->below += goal > 0 && ratio < goal;
    pto_diag_list_clear(pto_core_diags(run->core));
    configuration_end(&call);
    pto_core_reset(run->core);
}

/* One row for each width of the types that the form takes, at most four. */
static void measure_form(bench_run *run, pto_form f) {
    const pto_form_desc *form = pto_form_get(f);
    testing_random random = {f + UINT64_C(1)};
    pto_dtype var[6];
    bool explicit_types;
    unsigned widths[4];
    int rows = 0;
    for (int t = 0; rows < 4 && configuration_types(form, PTO_TARGET_CPU, t, var, &explicit_types); t++) {
        unsigned key = 0;
        char types[64] = "";
        for (int v = 0; v < 6; v++)
            if (var[v] != PTO_DTYPE_NONE) {
                key = key * 128 + pto_dtype_bits(var[v]) + 64 * pto_dtype_is_float(var[v]);
                snprintf(types + strlen(types), sizeof types - strlen(types), "%s%s", *types ? "," : "",
                         pto_dtype_name(var[v]));
            }
        bool seen = false;
        for (int i = 0; i < rows; i++)
            seen |= widths[i] == key;
        configuration c;
        if (seen || !largest(&c, &random, f, var))
            continue;
        widths[rows++] = key;
        with_plain_scale(&c);
        measure(run, &c, types);
    }
    if (!rows) {
        printf("%-18s %-16s no legal call\n", form->mnemonic, form->form);
        run->missing++;
    }
}

int main(int argc, char **argv) {
    bench_run run = {.level = PTO_SIMD_BEST, .effort = {0.02, 2e-4}};
    const char *name[32];
    int names = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            run.effort = (bench_effort){0.002, 5e-5};
        } else if (!strcmp(argv[i], "--calls")) {
            run.calls = true;
        } else if (!strcmp(argv[i], "--list")) {
            for (int f = 0; f < PTO_FORM_COUNT; f++)
                printf("%s %s\n", pto_form_get((pto_form)f)->mnemonic, pto_form_get((pto_form)f)->form);
            return 0;
        } else if (!strcmp(argv[i], "--level")) {
            if (i + 1 == argc || !bench_level_from_name(argv[++i], &run.level))
                return 2;
        } else if (*argv[i] == '-' || names == 32) {
            fprintf(stderr,
                    "usage: %s [--level best|base|avx2|avx512] [--quick] [--list] [--calls] [NAME ...]\n",
                    argv[0]);
            return 2;
        } else {
            name[names++] = argv[i];
        }
    }
    if (run.level == PTO_SIMD_BEST)
        run.level = bench_best_level();
    const pto_options options = {.simd = run.level};
    run.core = pto_core_create(&options);
    if (!run.core)
        return 1;
    printf("level %s; limit: a copy of as many bytes, read and written\n\n", bench_level_name(run.level));
    printf("%-18s %-16s %-12s %8s %12s %13s %6s  %s\n", "instruction", "form", "types", "bytes", "time",
           "rate", "ratio", "goal");
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        bool wanted = !names;
        for (int i = 0; i < names; i++)
            wanted |= !strcmp(pto_form_get((pto_form)f)->mnemonic, name[i]);
        if (wanted)
            measure_form(&run, (pto_form)f);
    }
    printf("\n%d measured, %d below their goal, %d forms without a call\n", run.done, run.below, run.missing);
    pto_core_destroy(run.core);
    return run.missing ? 1 : 0;
}
