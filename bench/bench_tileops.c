/* SPDX-License-Identifier: Apache-2.0 */
/* Time of single tile operations through the door, next to what the machine can do at best: a copy of the
 * same working set for what moves data, multiply-adds on registers for matrix products. Target cpu.
 *
 *     bench_tileops [--level best|base|avx2|avx512] [--json] [--quick]
 */
#include "limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pto/core.h>
#include <pto/ops.h>

enum { MAX_TILES = 5 };

/* What limits a case. */
typedef enum limit_kind { LIMIT_COPY, LIMIT_FLOAT, LIMIT_INT8, LIMIT_COUNT } limit_kind;

/* One measurement: an instruction, its operands, and what it moves or computes. */
typedef struct bench_case {
    const char *op, *types;
    int rows, cols, depth; /* depth: k of a matrix product, else 0 */
    pto_instr instr;
    pto_tile tile[MAX_TILES];
    pto_global global;
    void *buffer;      /* of the global tensor */
    size_t bytes;      /* read and written by one execution, each byte once */
    double operations; /* multiply-adds count two */
    limit_kind limit;
    double goal; /* ratio to reach */
} bench_case;

typedef struct bench_run {
    pto_core *core;
    pto_simd_level level;
    bench_effort effort;
    bool json;
    double float_peak, int8_peak;
    int done, below, failed;
} bench_run;

/* ---- building cases ---- */

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* Moderate numbers: floats in [-2, 2), integers small. */
static void fill(void *data, pto_dtype dtype, size_t count) {
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = next_random(&state) >> 8;
        const float value = (float)bits / (float)(1 << 22) - 2.0f;
        if (dtype == PTO_F32)
            memcpy((char *)data + 4 * i, &value, 4);
        else if (dtype == PTO_S32)
            memcpy((char *)data + 4 * i, &(int32_t){(int32_t)(bits & 0xFFFF) - 0x8000}, 4);
        else if (dtype == PTO_F16) /* exponents of 2^-8 to 2^0 */
            memcpy((char *)data + 2 * i, &(uint16_t){(uint16_t)((bits & 0x83FF) | (7 + bits % 9) << 10)}, 2);
        else if (pto_dtype_bits(dtype) == 8 || i % 2 == 0) /* 4-bit elements: two a byte */
            ((char *)data)[i * pto_dtype_bits(dtype) / 8] = (char)bits;
    }
}

static bool set_tile(bench_run *run, bench_case *c, int position, int slot, pto_tile_type type) {
    c->tile[slot] = pto_tile_make(type);
    c->instr.operand[position] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &c->tile[slot]};
    if (pto_tile_bind(run->core, &c->tile[slot]) != PTO_OK)
        return false;
    fill(c->tile[slot].data, type.dtype, (size_t)type.rows * (size_t)type.cols);
    c->bytes += (size_t)pto_tile_type_bytes(&type);
    return true;
}

static pto_tile_type vec(pto_dtype dtype, int rows, int cols) {
    return pto_tile_type_make(PTO_LOC_VEC, dtype, rows, cols);
}

static bool make_add(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TADD;
    const pto_tile_type type = vec(PTO_F32, c->rows, c->cols);
    return set_tile(run, c, 0, 0, type) && set_tile(run, c, 1, 1, type) && set_tile(run, c, 2, 2, type);
}

static bool make_relu(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TRELU;
    const pto_tile_type type = vec(PTO_F32, c->rows, c->cols);
    return set_tile(run, c, 0, 0, type) && set_tile(run, c, 1, 1, type);
}

static bool make_exp(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TEXP;
    const pto_tile_type type = vec(PTO_F32, c->rows, c->cols);
    return set_tile(run, c, 0, 0, type) && set_tile(run, c, 1, 1, type);
}

static bool make_adddeqrelu(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TADDDEQRELU;
    c->instr.operand[3] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_F32, .f = 0.001}};
    const pto_tile_type source = vec(PTO_S32, c->rows, c->cols);
    return set_tile(run, c, 0, 0, vec(PTO_F16, c->rows, c->cols)) && set_tile(run, c, 1, 1, source) &&
           set_tile(run, c, 2, 2, source);
}

static bool make_rowsum(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TROWSUM;
    return set_tile(run, c, 0, 0, pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, c->rows, 1)) &&
           set_tile(run, c, 1, 1, vec(PTO_F32, c->rows, c->cols));
}

static bool make_expdif(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TROWEXPANDEXPDIF;
    const pto_tile_type type = vec(PTO_F32, c->rows, c->cols);
    return set_tile(run, c, 0, 0, type) && set_tile(run, c, 1, 1, type) &&
           set_tile(run, c, 2, 2, pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, c->rows, 1));
}

static bool set_global(bench_case *c, int position) {
    const size_t bytes = (size_t)c->rows * (size_t)c->cols * 4;
    c->buffer = aligned_alloc(64, bytes);
    if (!c->buffer)
        return false;
    fill(c->buffer, PTO_F32, bytes / 4);
    c->global = pto_global_make_2d(c->buffer, PTO_F32, PTO_LAYOUT_ND, c->rows, c->cols, c->cols);
    c->global.begin = c->buffer;
    c->global.end = (char *)c->buffer + bytes;
    c->instr.operand[position] = (pto_operand){.kind = PTO_OPERAND_GLOBAL, .global = &c->global};
    c->bytes += bytes;
    return true;
}

static bool make_load(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TLOAD;
    return set_tile(run, c, 0, 0, vec(PTO_F32, c->rows, c->cols)) && set_global(c, 1);
}

static bool make_store(bench_run *run, bench_case *c) {
    c->instr.form = PTO_FORM_TSTORE;
    return set_global(c, 0) && set_tile(run, c, 1, 0, vec(PTO_F32, c->rows, c->cols));
}

static bool make_matmul(bench_run *run, bench_case *c, pto_dtype source, pto_dtype result) {
    c->instr.form = PTO_FORM_TMATMUL;
    c->operations = 2.0 * c->rows * c->cols * c->depth;
    return set_tile(run, c, 0, 0, pto_tile_type_acc(result, c->rows, c->cols)) &&
           set_tile(run, c, 1, 1, pto_tile_type_left(PTO_TARGET_CPU, source, c->rows, c->depth)) &&
           set_tile(run, c, 2, 2, pto_tile_type_right(source, c->depth, c->cols));
}

static bool make_matmul_f32(bench_run *run, bench_case *c) { return make_matmul(run, c, PTO_F32, PTO_F32); }
static bool make_matmul_f16(bench_run *run, bench_case *c) { return make_matmul(run, c, PTO_F16, PTO_F32); }
static bool make_matmul_s8(bench_run *run, bench_case *c) { return make_matmul(run, c, PTO_S8, PTO_S32); }

/* A scale for every 32 elements along the depth, all 1. */
static bool make_matmul_mx(bench_run *run, bench_case *c, pto_dtype source) {
    c->instr.form = PTO_FORM_TMATMUL_MX;
    c->operations = 2.0 * c->rows * c->cols * c->depth;
    const int groups = c->depth / 32;
    if (!set_tile(run, c, 0, 0, pto_tile_type_acc(PTO_F32, c->rows, c->cols)) ||
        !set_tile(run, c, 1, 1, pto_tile_type_left(PTO_TARGET_CPU, source, c->rows, c->depth)) ||
        !set_tile(run, c, 2, 2, pto_tile_type_left_scale(PTO_LOC_SCALE_LEFT, c->rows, groups)) ||
        !set_tile(run, c, 3, 3, pto_tile_type_right(source, c->depth, c->cols)) ||
        !set_tile(run, c, 4, 4, pto_tile_type_right_scale(PTO_LOC_SCALE_RIGHT, groups, c->cols)))
        return false;
    memset(c->tile[2].data, 127, (size_t)(c->rows * groups));
    memset(c->tile[4].data, 127, (size_t)(c->cols * groups));
    return true;
}

static bool make_mxfp8(bench_run *run, bench_case *c) { return make_matmul_mx(run, c, PTO_E4M3); }
static bool make_mxfp4(bench_run *run, bench_case *c) { return make_matmul_mx(run, c, PTO_E2M1); }

/* ---- measuring ---- */

typedef struct execution {
    pto_core *core;
    const pto_instr *instr;
} execution;

static void execute(void *context) {
    const execution *e = context;
    pto_core_execute(e->core, e->instr);
}

static void print_head(const bench_run *run) {
    static const char *const float_limits[] = {"", "multiply + add", "fma", "fma"};
    if (run->json) {
        printf("{\"level\": \"%s\", \"float_peak_gflops\": %.2f, \"int8_peak_gops\": %.2f, \"results\": [",
               bench_level_name(run->level), run->float_peak * 1e-9, run->int8_peak * 1e-9);
        return;
    }
    printf("level %s; on registers: f32 %s %.1f GFLOP/s, s8 multiply-add by pmaddwd %.1f GOP/s\n"
           "limit of the others: copy of the same working set, bytes read and written\n\n",
           bench_level_name(run->level), float_limits[run->level], run->float_peak * 1e-9,
           run->int8_peak * 1e-9);
    printf("%-17s %-12s %-12s %11s %16s %16s %6s  %s\n", "operation", "types", "shape", "time/op", "rate",
           "limit", "ratio", "goal");
}

static void print_result(bench_run *run, const bench_case *c, double seconds, double rate, double limit) {
    const char *unit = c->limit == LIMIT_COPY ? "GB/s" : c->limit == LIMIT_FLOAT ? "GFLOP/s" : "GOP/s";
    const double ratio = limit > 0 ? rate / limit : 0;
    const bool reached = c->goal <= 0 || ratio >= c->goal;
    char shape[32];
    if (c->depth)
        snprintf(shape, sizeof shape, "%dx%dx%d", c->rows, c->depth, c->cols);
    else
        snprintf(shape, sizeof shape, "%dx%d", c->rows, c->cols);
    if (run->json) {
        printf(
            "%s\n  {\"op\": \"%s\", \"types\": \"%s\", \"shape\": \"%s\", \"seconds\": %.4g, \"rate\": %.2f, "
            "\"limit\": %.2f, \"unit\": \"%s\", \"ratio\": %.3f, \"goal\": %.2f, \"reached\": %s}",
            run->done ? "," : "", c->op, c->types, shape, seconds, rate * 1e-9, limit * 1e-9, unit, ratio,
            c->goal, reached ? "true" : "false");
    } else {
        char goal[32] = "-";
        if (c->goal > 0)
            snprintf(goal, sizeof goal, "%.2f%s", c->goal, reached ? "" : "  below");
        printf("%-17s %-12s %-12s %8.3f us %8.1f %-7s %8.1f %-7s %6.2f  %s\n", c->op, c->types, shape,
               seconds * 1e6, rate * 1e-9, unit, limit * 1e-9, unit, ratio, goal);
    }
    fflush(stdout);
    run->done++;
    run->below += !reached;
}

static void measure(bench_run *run, bench_case *c, bool (*make)(bench_run *, bench_case *)) {
    bool ready = make(run, c) && pto_core_verify(run->core, &c->instr) == PTO_OK &&
                 pto_core_execute(run->core, &c->instr) == PTO_OK;
    if (ready) {
        execution e = {run->core, &c->instr};
        const double seconds = bench_time(run->effort, execute, &e);
        const double work = c->limit == LIMIT_COPY ? (double)c->bytes : c->operations;
        const double limit = c->limit == LIMIT_COPY    ? bench_copy_rate(run->effort, run->level, c->bytes)
                             : c->limit == LIMIT_FLOAT ? run->float_peak
                                                       : run->int8_peak;
        print_result(run, c, seconds, work / seconds, limit);
    } else {
        char text[1024];
        pto_diag_render_buffer(pto_core_diags(run->core), NULL, text, sizeof text);
        fprintf(stderr, "%s %s: not executed\n%s", c->op, c->types, text);
        run->failed++;
    }
    free(c->buffer);
    pto_core_reset(run->core);
}

static void measure_all(bench_run *run) {
    static const struct {
        const char *op, *types;
        bool (*make)(bench_run *, bench_case *);
        double goal;
    } tile_ops[] = {
        {"TADD", "f32", make_add, 0.6},     {"TRELU", "f32", make_relu, 0.6},
        {"TEXP", "f32", make_exp, 0.6},     {"TADDDEQRELU", "s32 > f16", make_adddeqrelu, 0.6},
        {"TROWSUM", "f32", make_rowsum, 0}, {"TROWEXPANDEXPDIF", "f32", make_expdif, 0},
        {"TLOAD", "f32", make_load, 0},     {"TSTORE", "f32", make_store, 0},
    };
    static const int shapes[][2] = {{64, 128}, {128, 128}};
    for (size_t i = 0; i < sizeof tile_ops / sizeof *tile_ops; i++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            bench_case c = {.op = tile_ops[i].op,
                            .types = tile_ops[i].types,
                            .rows = shapes[s][0],
                            .cols = shapes[s][1],
                            .goal = tile_ops[i].goal};
            measure(run, &c, tile_ops[i].make);
        }
    static const struct {
        const char *op, *types;
        bool (*make)(bench_run *, bench_case *);
        limit_kind limit;
        double goal;
    } products[] = {
        {"TMATMUL", "f32 > f32", make_matmul_f32, LIMIT_FLOAT, 0.5},
        {"TMATMUL", "f16 > f32", make_matmul_f16, LIMIT_FLOAT, 0},
        {"TMATMUL", "s8 > s32", make_matmul_s8, LIMIT_INT8, 0},
        {"TMATMUL_MX", "e4m3 > f32", make_mxfp8, LIMIT_FLOAT, 0.4},
        {"TMATMUL_MX", "e2m1 > f32", make_mxfp4, LIMIT_FLOAT, 0.4},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        bench_case c = {.op = products[i].op,
                        .types = products[i].types,
                        .rows = 128,
                        .cols = 128,
                        .depth = 128,
                        .limit = products[i].limit,
                        .goal = products[i].goal};
        measure(run, &c, products[i].make);
    }
}

int main(int argc, char **argv) {
    bench_run run = {.level = PTO_SIMD_BEST, .effort = {0.1, 2e-4}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) {
            run.json = true;
        } else if (!strcmp(argv[i], "--quick")) {
            run.effort = (bench_effort){0.01, 1e-4};
        } else if (strcmp(argv[i], "--level") || i + 1 == argc ||
                   !bench_level_from_name(argv[++i], &run.level)) {
            fprintf(stderr, "usage: %s [--level best|base|avx2|avx512] [--json] [--quick]\n", argv[0]);
            return 2;
        }
    }
    if (run.level == PTO_SIMD_BEST)
        run.level = bench_best_level();
    const pto_options options = {.simd = run.level};
    run.core = pto_core_create(&options);
    if (!run.core) {
        fprintf(stderr, "%s: level %s is not built or not in this machine\n", argv[0],
                bench_level_name(run.level));
        return 1;
    }
    run.float_peak = bench_float_peak(run.effort, run.level);
    run.int8_peak = bench_int8_peak(run.effort, run.level);
    print_head(&run);
    measure_all(&run);
    if (run.json)
        printf("\n], \"below\": %d, \"failed\": %d}\n", run.below, run.failed);
    else
        printf("\n%d measured, %d below their goal\n", run.done, run.below);
    pto_core_destroy(run.core);
    return run.failed ? 1 : 0;
}
