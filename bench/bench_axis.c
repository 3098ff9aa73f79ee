/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction of the axis and partial families on a tile of the size that programs use (128 x 256,
 * which lies in the second-level cache): its time, and the bytes that its operands hold a second next to a
 * copy of as many bytes. Sums and products of floats have an order (part 20, 3.1), which differs by target.
 *
 *     bench_axis [--level best|base|avx2|avx512] [--target cpu|a2a3|a5] [--quick] [ROWS COLUMNS]
 */
#include "limits.h"

#include "isa/isa.h"

#include <pto/core.h>
#include <pto/number.h>
#include <pto/ops.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TILES = 8 };
static const double GOAL = 0.4;

typedef struct bench_run {
    pto_core *core;
    pto_target target;
    bench_effort effort;
    pto_simd_level level;
    int rows, cols;
    int done, below;
} bench_run;

typedef struct execution {
    pto_core *core;
    pto_instr instr;
    pto_tile tile[MAX_TILES];
    size_t bytes; /* read and written, each byte once; scratch does not count */
} execution;

static void execute(void *context) {
    const execution *e = context;
    pto_core_execute(e->core, &e->instr);
}

static bool starts(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }

/* What a tile is by its instruction and position: whole, a column (row-reduced) or a row. */
typedef enum part { WHOLE, COLUMN, ROW } part;

static part part_of(const pto_form_desc *form, int position) {
    const char *name = form->mnemonic;
    const bool out = form->operand[position].role == PTO_ROLE_OUT;
    bool last = true; /* the last source is what is broadcast */
    for (int i = position + 1; i < form->operand_count; i++)
        last &= form->operand[i].role != PTO_ROLE_IN;
    if (starts(name, "TPA")) /* pairs, partial */
        return WHOLE;
    const bool row_wise = starts(name, "TROW"), expands = starts(name + 4, "EXPAND");
    const bool small = expands ? !out && last : out;
    return form->operand[position].role == PTO_ROLE_TMP || !small ? WHOLE : row_wise ? COLUMN : ROW;
}

/* Floats near 1 and -1, so that products of many neither leave the range nor become subnormal; integers
 * small. */
static void fill(pto_tile *tile) {
    uint32_t state = 12345;
    const size_t count = (size_t)tile->type.rows * (size_t)tile->type.cols;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t bits = state >> 8;
        const double value = (1 + ((double)bits / (1 << 24) - 0.5) / 16) * (bits & 1 ? 1 : -1);
        const uint64_t code = pto_dtype_is_float(tile->type.dtype)
                                  ? pto_number_from_double(tile->type.dtype, value, PTO_CAST_NONE, true)
                                  : bits & 31;
        const size_t size = pto_dtype_bits(tile->type.dtype) / 8;
        for (size_t b = 0; b < size; b++)
            ((uint8_t *)tile->data)[i * size + b] = (uint8_t)(code >> 8 * b);
    }
}

static bool make(bench_run *run, const pto_form_desc *form, pto_dtype dtype, execution *e) {
    *e = (execution){.core = run->core, .instr.form = (pto_form)(form - pto_form_table)};
    const bool one_type = starts(form->mnemonic, "TROWSUM") || starts(form->mnemonic, "TCOLSUM");
    for (int i = 0; i < form->operand_count && i < MAX_TILES; i++) {
        const pto_operand_desc *desc = &form->operand[i];
        if (desc->role == PTO_ROLE_ATTR) {
            if (!strcmp(desc->name, "isBinary"))
                e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = 1}};
            continue;
        }
        const part p = part_of(form, i);
        if (desc->role == PTO_ROLE_TMP && strstr(form->mnemonic, "EXPAND"))
            continue;
        const bool index = (desc->type_var == 'I' || desc->type_var == 'D') && !one_type;
        const pto_dtype type = index ? PTO_S32 : dtype;
        const int rows = p == ROW ? 1 : run->rows, cols = run->cols;
        e->tile[i] = pto_tile_make(p == COLUMN ? pto_tile_type_dn(PTO_LOC_VEC, type, rows, 1)
                                               : pto_tile_type_make(PTO_LOC_VEC, type, rows, cols));
        e->instr.operand[i] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &e->tile[i]};
        if (pto_tile_bind(run->core, &e->tile[i]) != PTO_OK)
            return false;
        fill(&e->tile[i]);
        if (desc->role != PTO_ROLE_TMP)
            e->bytes += (size_t)pto_tile_type_bytes(&e->tile[i].type);
    }
    return pto_core_verify(run->core, &e->instr) == PTO_OK &&
           pto_core_execute(run->core, &e->instr) == PTO_OK;
}

static void measure(bench_run *run, const pto_form_desc *form, pto_dtype dtype) {
    execution e;
    if (make(run, form, dtype, &e)) { /* else the target has it not for this type */
        const double seconds = bench_time(run->effort, execute, &e);
        const double limit = bench_copy_rate(run->effort, run->level, e.bytes);
        const double rate = (double)e.bytes / seconds, ratio = limit > 0 ? rate / limit : 0;
        printf("%-17s %-14s %-5s %4dx%-4d %8.3f us %8.1f GB/s %6.2f  %.2f%s\n", form->mnemonic, form->form,
               pto_dtype_name(dtype), run->rows, run->cols, seconds * 1e6, rate * 1e-9, ratio, GOAL,
               ratio >= GOAL ? "" : "  below");
        fflush(stdout);
        run->done++;
        run->below += ratio < GOAL;
    }
    pto_diag_list_clear(pto_core_diags(run->core));
    pto_core_reset(run->core);
}

int main(int argc, char **argv) {
    bench_run run = {.level = PTO_SIMD_BEST, .effort = {0.05, 2e-4}, .rows = 128, .cols = 256};
    int sizes = 0;
    for (int i = 1; i < argc; i++) {
        const int number = atoi(argv[i]);
        if (!strcmp(argv[i], "--quick"))
            run.effort = (bench_effort){0.005, 1e-4};
        else if (number >= 16 && number <= 4096 && number % 16 == 0 && sizes < 2)
            *(sizes++ ? &run.cols : &run.rows) = number;
        else if (!strcmp(argv[i], "--target") && i + 1 < argc &&
                 pto_target_from_name(argv[i + 1], &run.target))
            i++;
        else if (!strcmp(argv[i], "--level") && i + 1 < argc &&
                 bench_level_from_name(argv[i + 1], &run.level))
            i++;
        else {
            fprintf(
                stderr,
                "usage: %s [--level best|base|avx2|avx512] [--target cpu|a2a3|a5] [--quick] [ROWS COLUMNS]\n",
                argv[0]);
            return 2;
        }
    }
    if (run.level == PTO_SIMD_BEST)
        run.level = bench_best_level();
    const pto_options options = {.target = run.target, .simd = run.level};
    run.core = pto_core_create(&options);
    if (!run.core)
        return 1;
    printf("level %s, target %s; limit: a copy of as many bytes, read and written\n\n",
           bench_level_name(run.level), pto_target_name(run.target));
    static const pto_dtype types[] = {PTO_F32, PTO_F16, PTO_BF16};
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        for (size_t t = 0; t < 3 && (!strcmp(form->family, "axis") || !strcmp(form->family, "partial")); t++)
            measure(&run, form, types[t]);
    }
    printf("\n%d measured, %d below their goal\n", run.done, run.below);
    pto_core_destroy(run.core);
    return 0;
}
