/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes an instruction accesses, on which pipe. */
#include "check/checker.h"

#include "isa/isa.h"
#include "kernel/table_runs.h"
#include "tile/global.h"
#include "tile/tile.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

static int memory_of(pto_checker *c, const pto_tile *tile, uint64_t *at) {
    return pto_checker_tile_memory(c, tile, at, &c->base);
}

/* The bytes of a rectangle of a tile. */
static void touch_tile(pto_checker *c, const pto_tile *tile, int32_t rows, int32_t cols) {
    uint64_t at;
    const int memory = memory_of(c, tile, &at);
    unsigned bits = pto_dtype_bits(tile->type.dtype);
    const pto_tile_type *types[] = {&tile->type};
    pto_runs runs;
    if (rows <= 0 || cols <= 0 || !pto_runs_begin(&runs, types, 1, rows, cols))
        return;
    do {
        for (int64_t k = 0; k < runs.count; k++) {
            uint64_t from = (uint64_t)(runs.start[0] + k / runs.inner * runs.outer_step[0] +
                                       k % runs.inner * runs.inner_step[0]);
            uint64_t begin = from * bits / 8, end = ((from + (uint64_t)runs.length) * bits + 7) / 8;
            pto_check_touch(c, memory, at + begin, at + end);
        }
    } while (pto_runs_next(&runs));
}

static void tile_operand(pto_checker *c, const pto_tile *tile, pto_role role, bool writes) {
    if (role == PTO_ROLE_TMP || (writes && pto_tile_write_fills(&tile->type))) {
        uint64_t bytes = pto_tile_type_bytes(&tile->type);
        if (tile->room && bytes > tile->room)
            bytes = tile->room;
        uint64_t at;
        const int memory = memory_of(c, tile, &at);
        pto_check_touch(c, memory, at, at + bytes);
        return;
    }
    touch_tile(c, tile, tile->valid_rows, tile->valid_cols);
}

/* The hardware moves whole elements. */
static void aligned(pto_checker *c, const pto_global *g, uint64_t size) {
    const uint64_t at = (uint64_t)(uintptr_t)g->data;
    if (size < 2 || at % size == 0)
        return;
    pto_check_finding f = {.rule = "PTO-E1141",
                           .second = c->now,
                           .memory = PTO_CHECK_GLOBAL,
                           .begin = at - c->base,
                           .end = at - c->base + size,
                           .name = c->name,
                           .id = -1};
    pto_check_tell(c, &f, NULL, NULL);
}

static void global_begin(pto_checker *c, const pto_global *g) {
    c->base = (uint64_t)(uintptr_t)(g->begin ? g->begin : g->data);
    c->name = g->name;
    if (c->options.checks & PTO_CHECK_MEMORY)
        aligned(c, g, pto_dtype_bits(g->dtype) / 8);
}

/* The dimensions of more than one element, the smallest stride first; how many. */
static int sort_dimensions(const pto_global *g, int64_t shape[5], int64_t stride[5]) {
    int count = 0;
    for (int d = 4; d >= 0; d--) {
        if (g->shape[d] == 1)
            continue;
        int at = count++;
        for (; at > 0 && stride[at - 1] > g->stride[d]; at--) {
            shape[at] = shape[at - 1];
            stride[at] = stride[at - 1];
        }
        shape[at] = g->shape[d];
        stride[at] = g->stride[d];
    }
    return count;
}

/* The elements of a global tensor, in runs as long as they are in memory, whatever the order of dimensions.
 */
static void global_operand(pto_checker *c, const pto_global *g) {
    const int64_t bits = pto_dtype_bits(g->dtype);
    for (int d = 0; d < 5; d++)
        if (g->shape[d] <= 0)
            return;
    global_begin(c, g);
    int64_t shape[5], stride[5], i[5] = {0}, run = 1;
    const int dims = sort_dimensions(g, shape, stride);
    int first = 0; /* dimensions below lie back to back and are one run */
    for (; first < dims && stride[first] == run; first++)
        run *= shape[first];
    for (;;) {
        int64_t at = 0;
        for (int d = first; d < dims; d++)
            at += i[d] * stride[d];
        const uint64_t begin = (uint64_t)(uintptr_t)g->data + (uint64_t)(at * bits / 8);
        pto_check_touch(c, PTO_CHECK_GLOBAL, begin, begin + (uint64_t)((run * bits + 7) / 8));
        int d = first;
        while (d < dims && ++i[d] == shape[d])
            i[d++] = 0;
        if (d == dims)
            break;
    }
}

/* ---- tables with indices ----------------------------------------------------------------------------- */

static int by_offset(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The elements of the table that the indices name; false: not known, it counts as a whole. */
static bool table_operand(pto_checker *c, const pto_instr *instr, int i) {
    pto_table_runs runs;
    if (c->options.no_data || !pto_table_runs_make(&runs, instr, i))
        return false;
    const pto_global *g = instr->operand[i].global;
    const int64_t bits = pto_dtype_bits(g->dtype);
    const uint64_t base = (uint64_t)(uintptr_t)g->data;
    global_begin(c, g);
    qsort(runs.at, runs.count, sizeof *runs.at, by_offset);
    for (size_t k = 0, next; k < runs.count; k = next) { /* what touches or overlaps is one */
        int64_t end = runs.at[k] + runs.length;
        for (next = k + 1; next < runs.count && runs.at[next] <= end; next++)
            end = runs.at[next] + runs.length;
        pto_check_touch(c, PTO_CHECK_GLOBAL, base + (uint64_t)(runs.at[k] * bits / 8),
                        base + (uint64_t)((end * bits + 7) / 8));
    }
    free(runs.at);
    return true;
}

pto_pipe pto_instr_pipe(const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    int loc[PTO_MAX_OPERANDS];
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        loc[i] = instr->operand[i].kind == PTO_OPERAND_TILE ? (int)instr->operand[i].tile->type.loc : -1;
    pto_pipe pipe = pto_form_execution_pipe(form, loc);
    return pto_form_drains(form, pipe) ? PTO_PIPE_ALL : pipe;
}

uint8_t pto_instr_atomic(const pto_instr *instr) {
    int at = pto_form_atomic_operand(pto_form_get(instr->form));
    if (at < 0 || instr->operand[at].kind != PTO_OPERAND_SCALAR)
        return PTO_SCATTER_REPLACE;
    return (uint8_t)(instr->operand[at].scalar.i & 3);
}

pto_unit pto_instr_unit(const pto_instr *instr, const void **acc) {
    const pto_form_desc *form = pto_form_get(instr->form);
    int64_t phase = 0;
    const pto_tile *written = NULL, *read = NULL;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand *operand = &instr->operand[i];
        const pto_role role = form->operand[i].role;
        if (form->operand[i].attr == PTO_ATTR_ST_PHASE && operand->kind == PTO_OPERAND_SCALAR)
            phase = operand->scalar.i;
        if (operand->kind != PTO_OPERAND_TILE || operand->tile->type.loc != PTO_LOC_ACC)
            continue;
        if (pto_role_writes(role))
            written = operand->tile;
        else if (pto_role_reads(role))
            read = operand->tile;
    }
    const pto_tile *tile = written ? written : read;
    if (!phase || !tile || (written && phase != PTO_PHASE_FINAL))
        return PTO_UNIT_NONE;
    *acc = tile->data;
    return written ? PTO_UNIT_SETS : PTO_UNIT_TAKES;
}

/* ---- the implicit scratch of a2a3 (00-model, 8.1) --------------------------------------------------- */

static const pto_tile *tile_at(const pto_instr *instr, int position) {
    const pto_operand *operand = &instr->operand[position];
    return position < PTO_MAX_OPERANDS && operand->kind == PTO_OPERAND_TILE ? operand->tile : NULL;
}

static bool extracts_odd_bytes(const pto_instr *instr, int window) {
    const pto_tile *dst = tile_at(instr, window);
    const pto_operand *column = &instr->operand[4 + 2 * window];
    return dst && column->kind == PTO_OPERAND_SCALAR && pto_dtype_bits(dst->type.dtype) == 8 &&
           dst->valid_cols % 2 == 1 && !(dst->valid_cols == 1 && dst->valid_rows == 1) &&
           column->scalar.i % 32 == 0;
}

static bool uses_implicit_scratch(const pto_instr *instr, const pto_form_desc *form) {
    bool expands = false;
    for (int i = 0; i < form->rule_count; i++) {
        if (!strcmp(form->rules[i].name, "extract_scratch"))
            return extracts_odd_bytes(instr, 0) || extracts_odd_bytes(instr, 1);
        expands |= !strcmp(form->rules[i].name, "row_expand_place");
    }
    const int tmp = expands ? pto_form_operand_index(form, "tmp") : -1;
    if (tmp < 0 || instr->operand[tmp].kind != PTO_OPERAND_ABSENT)
        return false;
    for (int i = 1; i <= 2; i++) {
        const pto_tile *tile = tile_at(instr, i);
        if (tile && tile->type.blayout == PTO_COL_MAJOR)
            return true;
    }
    return false;
}

/* ---- an instruction --------------------------------------------------------------------------------- */

static void operand_access(pto_checker *c, const pto_instr *instr, int i, bool write, uint8_t atomic) {
    const pto_operand *operand = &instr->operand[i];
    const bool tile = operand->kind == PTO_OPERAND_TILE && operand->tile->data;
    c->now.operand = (int8_t)i;
    c->now.write = write;
    c->now.atomic = operand->kind == PTO_OPERAND_GLOBAL ? atomic : 0;
    c->now.tile = tile ? operand->tile->data : NULL;
    c->operand_tile = tile ? operand->tile : NULL;
    c->base = 0;
    c->name = NULL;
    if (tile)
        tile_operand(c, operand->tile, pto_form_get(instr->form)->operand[i].role, write);
    else if (operand->kind == PTO_OPERAND_GLOBAL && !table_operand(c, instr, i))
        global_operand(c, operand->global);
}

static void scratch_access(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    c->now.operand = -1;
    c->now.write = true;
    c->now.atomic = 0;
    c->now.tile = NULL;
    c->operand_tile = NULL;
    c->base = 0;
    pto_check_scratch(c, loc, begin, end);
}

/* The cores whose memories its tiles lie in. */
static uint8_t cores_of(const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    unsigned cores = 0;
    for (int i = 0; i < form->operand_count; i++)
        if (instr->operand[i].kind == PTO_OPERAND_TILE)
            cores |= instr->operand[i].tile->type.loc == PTO_LOC_VEC ? 2 : 1;
    return (uint8_t)cores;
}

void pto_checker_instr(void *checker, const pto_core *core, const pto_instr *instr) {
    pto_checker *c = checker;
    const pto_form_desc *form = pto_form_get(instr->form);
    pto_pipe pipe = pto_instr_pipe(instr);
    (void)core;
    if (pipe == PTO_PIPE_ALL) {
        pto_check_fence(c, PTO_PIPE_ALL);
        pipe = PTO_PIPE_S;
    }
    const uint8_t atomic = pto_instr_atomic(instr);
    const void *acc;
    const pto_unit unit = pto_instr_unit(instr, &acc);
    bool views_only = pto_form_only_binds(form);
    if (unit == PTO_UNIT_TAKES)
        pto_check_take_unit(c, pipe, acc);
    pto_check_start(c, instr->form, pipe, instr->file, instr->line);
    c->now.instr = true;
    c->now.cores = cores_of(instr);
    c->undefines = instr->form == PTO_FORM_TPREFETCH;
    /* reads first: an operation does not race with itself, but it reads what was there before */
    for (int turn = 0; turn < 2 && !views_only; turn++) {
        for (int i = 0; i < form->operand_count; i++) {
            pto_role role = form->operand[i].role;
            if (turn ? pto_role_writes(role) : pto_role_reads(role))
                operand_access(c, instr, i, turn == 1, atomic);
        }
    }
    if (c->scratch.end) {
        scratch_access(c, c->scratch.loc, c->scratch.begin, c->scratch.end);
        c->scratch.end = 0;
    } else if (c->options.target == PTO_TARGET_A2A3 && uses_implicit_scratch(instr, form)) {
        scratch_access(c, PTO_LOC_VEC, 184 * 1024, 192 * 1024);
    }
    pto_check_finish(c);
    if (unit == PTO_UNIT_SETS)
        pto_check_set_unit(c, pipe, acc);
}

void pto_checker_scalar(pto_checker *c, int memory, uint64_t at, uint64_t bytes, bool write, uint64_t base,
                        const char *name) {
    pto_check_start(c, 0, PTO_PIPE_S, NULL, 0);
    c->now.write = write;
    c->base = base;
    c->name = name;
    pto_check_touch(c, memory, at, at + bytes);
    pto_check_finish(c);
}

void pto_checker_scratch(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    c->scratch.loc = loc;
    c->scratch.begin = begin;
    c->scratch.end = end;
}
