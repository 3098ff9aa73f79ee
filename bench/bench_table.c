/* SPDX-License-Identifier: Apache-2.0 */
/* Every call form of the table on tiles of 64 rows and about 32 KB, target cpu: its time, and the bytes that
 * its operands hold a second next to two copies, of as many bytes and of 64 KB at least. The memories of a
 * core do not fit into a first-level cache (vec has 192 KB), so the second one is what a program meets, and
 * the goal is 0.4 of it. What divides, takes roots or calls a transcendental function is compared with a
 * plain loop that does just that for as many elements instead (limits.h). What does not move elements (views,
 * settings) and what computes more than it moves (products, sorts: bench_tileops, bench_irregular) is
 * measured without a goal.
 *
 *     bench_table [--level best|base|avx2|avx512] [--quick] [--list] [--calls] [NAME ...]
 *
 * --calls shows the operands of every row.
 */
#include "limits.h"
#include "support/configuration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 65536 }; /* bytes that the copy in the second-level cache moves at least */

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

/* The loop that an instruction is bound by; BENCH_LOOP_COUNT = none, memory. */
static bench_loop loop_of(const pto_form_desc *form, pto_dtype dtype) {
    static const struct {
        const char *name;
        bench_loop f32, half, s32, s64; /* half, s32: also narrower floats and integers, through f32 */
    } rows[] = {{"DIV", BENCH_DIVIDE_F32, BENCH_DIVIDE_F32, BENCH_DIVIDE_F64, BENCH_DIVIDE_S64},
                {"TRECIP", BENCH_DIVIDE_F32, BENCH_DIVIDE_F32, BENCH_DIVIDE_F64, BENCH_DIVIDE_S64},
                {"TREM", BENCH_FMODF, BENCH_FMODF, BENCH_DIVIDE_F64, BENCH_DIVIDE_S64},
                {"TFMOD", BENCH_FMODF, BENCH_FMODF, BENCH_DIVIDE_F64, BENCH_DIVIDE_S64},
                {"TSQRT", BENCH_SQRT_F32, BENCH_SQRT_F32, BENCH_LOOP_COUNT, BENCH_LOOP_COUNT},
                {"TRSQRT", BENCH_RSQRT_F64, BENCH_RSQRT_F32, BENCH_LOOP_COUNT, BENCH_LOOP_COUNT},
                {"TEXP", BENCH_EXPF, BENCH_EXPF, BENCH_LOOP_COUNT, BENCH_LOOP_COUNT},
                {"EXPDIF", BENCH_EXPF, BENCH_EXPF, BENCH_LOOP_COUNT, BENCH_LOOP_COUNT},
                {"TLOG", BENCH_LOGF, BENCH_LOGF, BENCH_LOOP_COUNT, BENCH_LOOP_COUNT},
                {"TPOW", BENCH_POWF, BENCH_POWF, BENCH_POW_S32, BENCH_POW_S32}};
    const unsigned bits = pto_dtype_bits(dtype);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = strstr(form->mnemonic, rows[i].name);
        if (!at || !strcmp(form->mnemonic, "TEXPANDS"))
            continue;
        if (pto_dtype_is_float(dtype))
            return bits == 32 ? rows[i].f32 : rows[i].half;
        if (bits <= 16 && rows[i].s32 == BENCH_DIVIDE_F64)
            return BENCH_DIVIDE_F32;
        return bits == 64 ? rows[i].s64 : rows[i].s32;
    }
    return BENCH_LOOP_COUNT;
}

typedef struct bench_run {
    pto_core *core;
    pto_simd_level level;
    bench_effort effort;
    int done, below, missing;
    bool calls; /* show the operands */
    double memory_rate;
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
    const double rate = seconds > 0 ? (double)bytes / seconds : 0;
    const double goal = bytes >= 8192 && seconds > 0 ? goal_of(form) : 0;
    const double same = bytes ? bench_copy_rate(run->effort, run->level, bytes) : 0;
    const double limit = bytes < MEMORY ? run->memory_rate : same;
    const configuration_tile *first = &c->operand[0].tile;
    const bench_loop loop = c->operand[0].present ? loop_of(form, first->dtype) : BENCH_LOOP_COUNT;
    double ratio = limit > 0 ? rate / limit : 0;
    if (loop != BENCH_LOOP_COUNT &&
        seconds > 0) /* where the loop is faster than memory, memory is the limit */
        ratio = fmax(ratio, bench_loop_time(run->effort, run->level, loop,
                                            (size_t)first->valid_rows * (size_t)first->valid_cols) /
                                seconds);
    printf("%-18s %-16s %-12s %6zu B %9.3f us %8.2f GB/s %6.2f %6.2f %-8s %s\n", form->mnemonic, form->form,
           types, bytes, seconds * 1e6, rate * 1e-9, same > 0 ? rate / same : 0, ratio,
           loop == BENCH_LOOP_COUNT ? "copy" : bench_loop_name(loop),
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
    run.memory_rate = bench_copy_rate(run.effort, run.level, MEMORY);
    printf("level %s; a copy of 64 KB: %.1f GB/s, read and written\n\n", bench_level_name(run.level),
           run.memory_rate * 1e-9);
    printf("%-18s %-16s %-12s %8s %12s %13s %6s %6s %-8s %s\n", "instruction", "form", "types", "bytes",
           "time", "rate", "same", "ratio", "limit", "goal");
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
