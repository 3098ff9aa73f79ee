/* SPDX-License-Identifier: Apache-2.0 */
/* Every elementwise and tile-scalar form with every element type, and every pair of TCVT, on tiles of up to
 * 64 KB next to a copy of as many bytes. Target cpu, moderate numbers.
 *
 *     bench_elementwise [--level best|base|avx2|avx512] [--quick] [--below RATIO] [NAME ...]
 *
 * --below prints the rows under a ratio only. */
#include "limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pto/core.h>
#include <pto/number.h>
#include <pto/ops.h>

#include "isa/isa.h"

enum { TILE_BYTES = 65536, ROWS = 64 };

typedef struct bench_run {
    pto_core *core;
    pto_simd_level level;
    bench_effort effort;
    double below;
    int done, missed;
} bench_run;

static const pto_dtype types[] = {PTO_F32, PTO_F16, PTO_BF16, PTO_S32, PTO_U32, PTO_S16,
                                  PTO_U16, PTO_S8,  PTO_U8,   PTO_S64, PTO_U64};
enum { TYPES = sizeof types / sizeof *types };
static const pto_dtype cvt_types[] = {PTO_F32,  PTO_F16,  PTO_BF16, PTO_S64,  PTO_S32, PTO_S16,
                                      PTO_S8,   PTO_S4,   PTO_U64,  PTO_U32,  PTO_U16, PTO_U8,
                                      PTO_E4M3, PTO_E5M2, PTO_HIF8, PTO_E2M1, PTO_E1M2};
enum { CVT_TYPES = sizeof cvt_types / sizeof *cvt_types };

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* Floats in [1/8, 4) of both signs, integers of up to 100. */
static void fill(pto_tile *tile, uint32_t seed) {
    const pto_dtype type = tile->type.dtype;
    const unsigned bits = pto_dtype_bits(type);
    const size_t count = (size_t)tile->type.rows * (size_t)tile->type.cols;
    for (size_t i = 0; i < count; i++) {
        const uint32_t r = next_random(&seed) >> 8;
        uint64_t code = 1 + r % 100;
        if (pto_dtype_is_float(type))
            code = pto_number_from_double(type, (0.125 + r % 1000 / 258.0) * (r & 4096 ? -1 : 1),
                                          PTO_CAST_NONE, true);
        else if (pto_dtype_is_signed(type) && r & 4096)
            code = 0 - code;
        if (bits == 4)
            ((uint8_t *)tile->data)[i / 2] = (uint8_t)(r & 0x77);
        else
            memcpy((char *)tile->data + i * (bits / 8), &code, bits / 8);
    }
}

static size_t add_tile(bench_run *run, pto_instr *instr, pto_tile *tile, int position, pto_dtype type,
                       int cols) {
    *tile = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, type, ROWS, cols));
    instr->operand[position] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = tile};
    if (pto_tile_bind(run->core, tile) != PTO_OK)
        exit(1);
    fill(tile, 12345u + (uint32_t)position);
    return (size_t)ROWS * (size_t)cols * pto_dtype_bits(type) / 8;
}

static void execute(void *context) {
    const bench_run *run = ((void **)context)[0];
    pto_core_execute(run->core, ((void **)context)[1]);
}

static void measure(bench_run *run, pto_instr *instr, size_t bytes, const char *what) {
    const pto_form_desc *form = pto_form_get(instr->form);
    if (pto_core_verify(run->core, instr) != PTO_OK || pto_core_execute(run->core, instr) != PTO_OK) {
        pto_diag_list_clear(pto_core_diags(run->core));
        return; /* the form does not take these types */
    }
    void *context[] = {run, instr};
    const double seconds = bench_time(run->effort, execute, context), rate = (double)bytes / seconds;
    const double limit = bench_copy_rate(run->effort, run->level, bytes), ratio = rate / limit;
    run->done++;
    run->missed += ratio < 0.4;
    if (run->below > 0 && ratio >= run->below)
        return;
    printf("%-17s %-16s %-14s %7zu B %9.3f us %7.1f GB/s %7.1f GB/s %6.2f%s\n", form->mnemonic, form->form,
           what, bytes, seconds * 1e6, rate * 1e-9, limit * 1e-9, ratio, ratio < 0.4 ? "  below 0.40" : "");
    fflush(stdout);
}

/* The type of an operand whose own is free: packed masks are bytes. */
static pto_dtype type_of(const pto_operand_desc *operand, pto_dtype src, pto_dtype dst) {
    if (operand->fixed_dtype != PTO_DTYPE_NONE)
        return operand->fixed_dtype;
    return operand->type_var == 'D' ? dst : operand->type_var ? src : PTO_U8;
}

static void measure_types(bench_run *run, pto_form f, pto_dtype src, pto_dtype dst) {
    const pto_form_desc *form = pto_form_get(f);
    const unsigned widest =
        pto_dtype_bits(src) > pto_dtype_bits(dst) ? pto_dtype_bits(src) : pto_dtype_bits(dst);
    const int cols = TILE_BYTES / ROWS * 8 / (int)widest;
    pto_tile tile[PTO_MAX_OPERANDS];
    pto_instr instr = {.form = f};
    size_t bytes = 0;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *operand = &form->operand[i];
        if (operand->role == PTO_ROLE_ATTR || operand->role == PTO_ROLE_TMP)
            continue;
        if (operand->role == PTO_ROLE_SCALAR) {
            instr.operand[i] =
                (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_F64, .f = 3, .i = 3}};
            continue;
        }
        const bool mask = !operand->type_var && operand->fixed_dtype == PTO_DTYPE_NONE;
        const size_t size = add_tile(run, &instr, &tile[i], i, type_of(operand, src, dst), cols);
        bytes += mask ? size / 8 : size;
    }
    char what[32];
    snprintf(what, sizeof what, src == dst ? "%s" : "%s > %s", pto_dtype_name(src), pto_dtype_name(dst));
    measure(run, &instr, bytes, what);
    pto_core_reset(run->core);
}

static void measure_conversion(bench_run *run, pto_dtype src, pto_dtype dst, int mode, int sat) {
    static const char *const modes[] = {"", " RINT", " ROUND", " FLOOR", " CEIL", " TRUNC", " ODD"};
    const unsigned widest =
        pto_dtype_bits(src) > pto_dtype_bits(dst) ? pto_dtype_bits(src) : pto_dtype_bits(dst);
    const int cols = TILE_BYTES / ROWS * 8 / (int)(widest < 8 ? 8 : widest);
    pto_tile tile[2];
    pto_instr instr = {.form = PTO_FORM_TCVT};
    size_t bytes = add_tile(run, &instr, &tile[0], 0, dst, cols);
    bytes += add_tile(run, &instr, &tile[1], 1, src, cols);
    instr.operand[3] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = mode}};
    instr.operand[4] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = sat}};
    char what[32];
    snprintf(what, sizeof what, "%s>%s%s%s", pto_dtype_name(src), pto_dtype_name(dst), modes[mode],
             sat == PTO_SAT_OFF  ? " off"
             : sat == PTO_SAT_ON ? " on"
                                 : "");
    measure(run, &instr, bytes, what);
    pto_core_reset(run->core);
}

static void measure_form(bench_run *run, pto_form f) {
    if (f == PTO_FORM_TCVT) {
        for (int s = 0; s < CVT_TYPES; s++)
            for (int d = 0; d < CVT_TYPES; d++) {
                measure_conversion(run, cvt_types[s], cvt_types[d], PTO_CAST_NONE, PTO_SAT_DEFAULT);
                measure_conversion(run, cvt_types[s], cvt_types[d], PTO_CAST_ROUND, PTO_SAT_OFF);
            }
        return;
    }
    const pto_form_desc *form = pto_form_get(f);
    bool two = false; /* types of source and destination */
    for (int i = 0; i < form->operand_count; i++)
        two |= form->operand[i].type_var == 'D';
    for (int s = 0; s < TYPES; s++)
        for (int d = 0; d < TYPES; d++)
            if (two || s == d)
                measure_types(run, f, types[s], types[d]);
}

int main(int argc, char **argv) {
    bench_run run = {.level = PTO_SIMD_BEST, .effort = {0.02, 2e-4}};
    const char *name[32];
    int names = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            run.effort = (bench_effort){0.002, 5e-5};
        } else if (!strcmp(argv[i], "--level") && i + 1 < argc) {
            if (!bench_level_from_name(argv[++i], &run.level))
                return 2;
        } else if (!strcmp(argv[i], "--below") && i + 1 < argc) {
            run.below = atof(argv[++i]);
        } else if (*argv[i] == '-' || names == 32) {
            fprintf(stderr, "usage: %s [--level L] [--quick] [--below RATIO] [NAME ...]\n", argv[0]);
            return 2;
        } else {
            name[names++] = argv[i];
        }
    }
    if (run.level == PTO_SIMD_BEST)
        run.level = bench_best_level();
    run.core = pto_core_create(&(pto_options){.simd = run.level});
    if (!run.core)
        return 1;
    printf("level %s; limit: a copy of as many bytes, read and written\n\n", bench_level_name(run.level));
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        bool wanted =
            !names && (!strcmp(form->family, "elementwise") || !strcmp(form->family, "tile-scalar"));
        for (int i = 0; i < names; i++)
            wanted |= !strcmp(form->mnemonic, name[i]);
        if (wanted)
            measure_form(&run, (pto_form)f);
    }
    printf("\n%d measured, %d below 0.40\n", run.done, run.missed);
    pto_core_destroy(run.core);
    return 0;
}
