/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that change a program, by name: `place` writes the addresses that a run would choose, `sync` the
 * flags and barriers that it misses. */
#include "pass/sync.h"

#include "program/facts.h"

#include <stdlib.h>
#include <string.h>

typedef struct roots {
    const pto_program *program;
    pto_value_map called;
} roots;

static void note_call(void *user, const pto_operation *op) {
    roots *r = user;
    const pto_operation *callee = op->kind == PTO_OPK_CALL ? pto_fact_callee(r->program, op) : NULL;
    if (callee)
        pto_value_map_set(&r->called, callee, 1);
}

/* Every function that no other calls, lowered; those that are called are in them. */
typedef struct lowered {
    pto_code *code;
    const pto_code **each;
    size_t count;
} lowered;

static void release(lowered *all) {
    for (size_t i = 0; i < all->count; i++)
        pto_code_release(&all->code[i]);
    free(all->code);
    free(all->each);
    *all = (lowered){0};
}

static void release_kept(void *kept) {
    release(kept);
    free(kept);
}

/* A program that was placed runs as it was lowered to be placed. */
static void keep(pto_program *program, lowered *all) {
    lowered *kept = malloc(sizeof *kept);
    if (!kept)
        return;
    *kept = *all;
    *all = (lowered){0};
    program->kept = kept;
    program->release_kept = release_kept;
}

/* What was kept, for the caller to release; it is kept no more. */
static lowered take_kept(pto_program *program, bool unchanged, pto_target target) {
    lowered all = {0};
    if (program->kept) {
        all = *(lowered *)program->kept;
        free(program->kept);
        program->kept = NULL;
        if (!unchanged || !all.count || all.each[0]->target != target)
            release(&all);
    }
    return all;
}

static pto_status lower_roots(lowered *all, pto_program *program, pto_target target, pto_diag_list *diags) {
    roots r = {.program = program, .called = {.arena = program->arena}};
    size_t functions = 0;
    pto_fact_walk(program->module, note_call, &r);
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        functions++;
    all->code = calloc(functions + 1, sizeof *all->code);
    all->each = calloc(functions + 1, sizeof *all->each);
    if (!all->code || !all->each)
        return PTO_ERR_NOMEM;
    for (pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        if (!pto_function_body(f) || pto_value_map_find(&r.called, f))
            continue;
        all->each[all->count] = &all->code[all->count];
        pto_status status = pto_lower_recorded(&all->code[all->count++], program, f, target, diags);
        if (status != PTO_OK)
            return status;
    }
    return PTO_OK;
}

/* ---- sync ---- */

static pto_status synchronise(pto_program *program, const lowered *all) {
    pto_sync_plan plan;
    pto_status status = pto_sync_make(&plan, all->each, all->count);
    if (status == PTO_OK)
        pto_sync_insert(&plan, program);
    pto_sync_release(&plan);
    return status;
}

/* ---- place ---- */

typedef struct placer {
    pto_program *program;
    pto_value_map addr; /* tile -> address, or NOT_PLACED */
    pto_diag_list *diags;
    bool failed;
} placer;

static void refuse_place(placer *p, const pto_operation *op) {
    pto_where where =
        p->program->source ? pto_at(p->program->source, op->span.begin, op->span.end) : pto_nowhere();
    const pto_rule_text *text = pto_rule_find("PTO-E0250");
    pto_diag_add(p->diags, PTO_ERROR, "PTO-E0250", where, "pto.alloc_tile: %s",
                 text ? text->title : "refused");
    pto_diag_found(p->diags, "a tile that has another address in every call of its function");
    p->failed = true;
}

enum { NOT_PLACED = -1 };

/* Every tile that has no address yet. */
static void note_tile(void *user, const pto_operation *op) {
    placer *p = user;
    uint32_t first;
    if (op->kind == PTO_OPK_ALLOC_TILE && !pto_fact_segment(op, 0, &first))
        pto_value_map_set(&p->addr, op->result[0], NOT_PLACED);
}

static void note_places(placer *p, const pto_code *code) {
    for (int32_t i = 0; i < code->place_count; i++) {
        const pto_code_place *place = &code->place[i];
        int64_t *known = pto_value_map_find(&p->addr, place->key);
        int32_t storage = code->slot[place->slot].storage;
        if (!known || storage < 0)
            continue;
        int64_t addr = (int64_t)code->storage[storage].addr;
        if (*known != NOT_PLACED && *known != addr && !p->failed)
            refuse_place(p, ((const pto_value *)place->key)->def);
        *known = addr;
    }
}

static void give_address(placer *p, pto_operation *op) {
    const int64_t *addr = pto_value_map_find(&p->addr, op->result[0]);
    if (!addr || *addr == NOT_PLACED)
        return;
    pto_program *program = p->program;
    const pto_type *type = pto_type_int(program, 64, PTO_SIGNLESS);
    pto_operation *constant = pto_operation_create(program, PTO_OPK_ARITH_CONSTANT, 0, 1);
    constant->span = constant->name_span = op->span;
    pto_operation_set_attr(program, constant, PTO_STR("value"), pto_attr_int(program, *addr, type));
    pto_value *value = pto_operation_set_result(program, constant, 0, type, (pto_str){0});
    pto_block_insert_before(op, constant);
    uint32_t others = op->operand_count;
    pto_operation_resize(program, op, others + 1);
    for (uint32_t i = others; i > 0; i--) {
        op->operand[i] = op->operand[i - 1];
        op->operand_span[i] = op->operand_span[i - 1];
    }
    op->operand[0] = value;
    op->operand_span[0] = op->span;
    op->segment[0] = 1;
}

static void give_addresses(placer *p, pto_block *block) {
    for (pto_operation *op = block->first; op; op = op->next) {
        if (op->kind == PTO_OPK_ALLOC_TILE)
            give_address(p, op);
        for (uint32_t r = 0; r < op->region_count; r++)
            for (pto_block *inner = op->region[r]->first; inner; inner = inner->next)
                give_addresses(p, inner);
    }
}

static pto_status place(pto_program *program, const lowered *all, pto_diag_list *diags) {
    placer p = {.program = program, .addr = {.arena = program->arena}, .diags = diags};
    pto_fact_walk(program->module, note_tile, &p);
    for (size_t i = 0; i < all->count; i++)
        note_places(&p, all->each[i]);
    if (p.failed)
        return PTO_ERR_REFUSED;
    for (uint32_t r = 0; r < program->module->region_count; r++)
        for (pto_block *block = program->module->region[r]->first; block; block = block->next)
            give_addresses(&p, block);
    return PTO_OK;
}

/* ---- by name ---- */

static pto_status refuse_form(const pto_program *program, const char *pass, pto_diag_list *diags) {
    const pto_rule_text *text = pto_rule_find("PTO-E0250");
    pto_where where = program->source ? pto_at(program->source, 0, 0) : pto_nowhere();
    pto_diag_add(diags, PTO_ERROR, "PTO-E0250", where, "pass %s: %s", pass, text ? text->title : "refused");
    pto_diag_found(diags, "%s, which has neither addresses nor flags", pto_dialect_name(program->dialect));
    pto_diag_fix(diags, "convert it to level2 first");
    return PTO_ERR_REFUSED;
}

/* The frame that a failed allocation returns to. */
static pto_status change(pto_program *program, bool placing, pto_target target, lowered *all,
                         pto_diag_list *diags) {
    jmp_buf failure;
    jmp_buf *outer = program->arena->on_failure;
    if (setjmp(failure)) {
        program->arena->on_failure = outer;
        return PTO_ERR_NOMEM;
    }
    program->arena->on_failure = &failure;
    pto_status status = all->count ? PTO_OK : lower_roots(all, program, target, diags);
    if (status == PTO_OK)
        status = placing ? place(program, all, diags) : synchronise(program, all);
    program->arena->on_failure = outer;
    return status;
}

pto_status pto_program_pass(pto_program *program, const char *pass, const pto_verify_options *options,
                            pto_diag_list *diags) {
    bool placing = pass && !strcmp(pass, "place");
    if (!program || !pass || (!placing && strcmp(pass, "sync") != 0))
        return PTO_ERR_USAGE;
    pto_status status = pto_program_verify(program, options, diags);
    if (status != PTO_OK)
        return status;
    if (program->dialect == PTO_DIALECT_AS || program->dialect == PTO_DIALECT_LEVEL1)
        return refuse_form(program, pass, diags);
    pto_target target =
        pto_fact_target(program, options && options->has_target, options ? options->target : PTO_TARGET_CPU);
    const struct pto_program_verified verified = program->verified;
    lowered all = take_kept(program, verified.holds && !placing, target);
    status = change(program, placing, target, &all, diags);
    if (status == PTO_OK) /* what a pass writes keeps every rule */
        program->verified = verified;
    if (status == PTO_OK && placing && verified.holds)
        keep(program, &all);
    release(&all);
    return status;
}
