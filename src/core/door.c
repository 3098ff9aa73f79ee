/* SPDX-License-Identifier: Apache-2.0 */
/* The door: every instruction of every front end is executed here and nowhere else. */
#include "core/core.h"
#include "isa/extents.h"
#include "kernel/table.h"
#include "tile/global.h"
#include "tile/tile.h"
#include <pto/ops.h>

#include <stdio.h>

void pto_core_describe(const pto_core *core, const pto_instr *instr, pto_legality *legality) {
    legality->form = pto_form_get(instr->form);
    legality->target = core->options.target;
    legality->explicit_tmp = true;
    legality->run_time = true;
    legality->subblocks = core->subblocks;
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        legality->memory_bytes[loc] = core->options.memory_bytes[loc];
    for (int i = 0; i < legality->form->operand_count; i++) {
        const pto_operand *from = &instr->operand[i];
        pto_legality_operand *to = &legality->operand[i];
        *to = (pto_legality_operand){.kind = from->kind};
        switch (from->kind) {
        case PTO_OPERAND_TILE:
            to->type = from->tile->type;
            to->valid_rows = from->tile->valid_rows;
            to->valid_cols = from->tile->valid_cols;
            to->view = from->tile->room != 0;
            to->addr_known = from->tile->assigned;
            to->addr = from->tile->addr;
            to->host = from->tile->data;
            to->identity = from->tile;
            break;
        case PTO_OPERAND_GLOBAL:
            to->dtype = from->global->dtype;
            to->layout = from->global->layout;
            for (int d = 0; d < 5; d++) {
                /* at run time nothing is unknown: a negative extent is as wrong as an empty one */
                to->shape[d] = from->global->shape[d] < 0 ? 0 : from->global->shape[d];
                to->stride[d] = from->global->stride[d];
            }
            to->read_only = from->global->read_only;
            break;
        case PTO_OPERAND_SCALAR:
            to->value_known = true;
            to->value = from->scalar;
            break;
        case PTO_OPERAND_COUNTS:
        case PTO_OPERAND_ABSENT:
            break;
        }
    }
}

typedef struct report_context {
    pto_core *core;
    const pto_instr *instr;
} report_context;

static void add_place(pto_core *core, const pto_instr *instr) {
    if (instr->file)
        pto_diag_note(core->diags, pto_at_line(instr->file, instr->line > 0 ? (uint32_t)instr->line : 0),
                      "in the %s of line %d", pto_form_get(instr->form)->mnemonic, (int)instr->line);
}

static void report(void *user, const pto_refusal *refusal) {
    const report_context *context = user;
    const pto_form_desc *form = pto_form_get(context->instr->form);
    const pto_rule_text *rule = pto_rule_find(refusal->rule);
    pto_diag_list *diags = context->core->diags;
    const char *operand = refusal->operand >= 0 ? form->operand[refusal->operand].name : NULL;
    pto_diag_add(diags, rule ? rule->severity : PTO_ERROR, refusal->rule, pto_at_operand(operand), "%s: %s",
                 form->mnemonic, rule ? rule->title : "refused");
    pto_diag_found(diags, "%s", refusal->found);
    if (refusal->allowed)
        pto_diag_allowed(diags, "%s", refusal->allowed);
    pto_diag_target(diags, pto_target_name(context->core->options.target));
    if (rule && rule->fix)
        pto_diag_fix(diags, "%s", rule->fix);
    add_place(context->core, context->instr);
}

/* The bytes that a global operand spans lie inside the buffer of its argument. */
static bool global_in_bounds(pto_core *core, const pto_instr *instr, int i) {
    const pto_global *global = instr->operand[i].global;
    pto_global_fault fault;
    const pto_form_desc *form = pto_form_get(instr->form);
    bool from_acc = false;
    for (int k = 0; k < form->operand_count; k++)
        from_acc |= form->operand[k].role == PTO_ROLE_IN && instr->operand[k].kind == PTO_OPERAND_TILE &&
                    instr->operand[k].tile->type.loc == PTO_LOC_ACC;
    if (pto_global_in_bounds_of(global, pto_layout_inner_width(global->layout, global->dtype, from_acc),
                                &fault))
        return true;
    pto_diag_add(core->diags, PTO_ERROR, "PTO-E0901", pto_at_operand(form->operand[i].name),
                 "%s: access outside of argument %s", form->mnemonic,
                 global->name ? global->name : "(unnamed)");
    pto_diag_found(core->diags, "index (%lld, %lld, %lld, %lld, %lld), element %lld",
                   (long long)fault.index[0], (long long)fault.index[1], (long long)fault.index[2],
                   (long long)fault.index[3], (long long)fault.index[4], (long long)fault.element);
    pto_diag_allowed(core->diags, "elements 0..%lld", (long long)fault.last);
    add_place(core, instr);
    return false;
}

/* A view's capacity may reach past the end of its tile: what the instruction accesses may not. Instructions
 * that fill a capacity write tiles with a pad, in mat or in boxes. */
static bool view_in_bounds(pto_core *core, const pto_instr *instr, int i) {
    const pto_tile *tile = instr->operand[i].tile;
    const pto_form_desc *form = pto_form_get(instr->form);
    pto_role role = form->operand[i].role;
    uint64_t bytes = pto_tile_type_bytes(&tile->type);
    bool fills = (role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT) &&
                 (tile->type.pad != PTO_PAD_NULL || tile->type.loc == PTO_LOC_MAT ||
                  tile->type.slayout != PTO_NONE_BOX);
    if (role != PTO_ROLE_TMP && !fills) {
        int64_t last = tile->valid_rows > 0 && tile->valid_cols > 0
                           ? pto_tile_offset(&tile->type, tile->valid_rows - 1, tile->valid_cols - 1) + 1
                           : 0;
        bytes = ((uint64_t)last * pto_dtype_bits(tile->type.dtype) + 7) / 8;
    }
    if (bytes <= tile->room)
        return true;
    const pto_rule_text *rule = pto_rule_find("PTO-E0785");
    pto_diag_add(core->diags, PTO_ERROR, "PTO-E0785", pto_at_operand(form->operand[i].name), "%s: %s",
                 form->mnemonic, rule->title);
    pto_diag_found(core->diags, "%llu bytes", (unsigned long long)bytes);
    pto_diag_allowed(core->diags, "%llu bytes to the end of the tile", (unsigned long long)tile->room);
    add_place(core, instr);
    return false;
}

/* What a view reaches past the end of its tile belongs to somebody else: told first, since which rule about
 * overlaps it breaks depends on who that is. */
static bool is_legal(pto_core *core, const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand *operand = &instr->operand[i];
        if (operand->kind == PTO_OPERAND_TILE && operand->tile->data && operand->tile->room &&
            !form->operand[i].binds && !view_in_bounds(core, instr, i))
            return false;
    }
    report_context context = {core, instr};
    pto_legality legality = {.report = report, .user = &context};
    pto_core_describe(core, instr, &legality);
    return pto_legality_check(&legality);
}

static pto_status bind_operands(pto_core *core, const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    for (int i = 0; i < form->operand_count; i++) {
        if (form->operand[i].binds)
            continue;
        const pto_operand *operand = &instr->operand[i];
        if (operand->kind == PTO_OPERAND_TILE && !operand->tile->data) {
            pto_status status = pto_tile_bind(core, operand->tile);
            if (status != PTO_OK)
                return status;
        } else if (operand->kind == PTO_OPERAND_TILE && operand->tile->room &&
                   !view_in_bounds(core, instr, i)) {
            return PTO_ERR_REFUSED;
        } else if (operand->kind == PTO_OPERAND_GLOBAL && !global_in_bounds(core, instr, i)) {
            return PTO_ERR_REFUSED;
        }
    }
    return PTO_OK;
}

pto_status pto_core_verify(pto_core *core, pto_instr *instr) {
    if ((unsigned)instr->form >= PTO_FORM_COUNT)
        return PTO_ERR_USAGE;
    if (!is_legal(core, instr))
        return PTO_ERR_REFUSED;
    pto_status status = bind_operands(core, instr);
    instr->verified = status == PTO_OK;
    return status;
}

static pto_status report_finding(pto_core *core, const pto_instr *instr, pto_status status) {
    const pto_kernel_finding *finding = &core->host.finding;
    report_context context = {core, instr};
    report(&context, &(pto_refusal){.rule = finding->rule,
                                    .operand = finding->operand,
                                    .found = finding->found,
                                    .allowed = *finding->allowed ? finding->allowed : NULL});
    const pto_rule_text *rule = pto_rule_find(finding->rule);
    return status == PTO_OK && rule && rule->severity == PTO_ERROR ? PTO_ERR_REFUSED : status;
}

/* bench/door_bare.c compiles this file once more without the hooks, to show what they cost while nobody
 * watches. */
#ifndef PTO_DOOR_HOOKS
#define PTO_DOOR_HOOKS true
#endif

pto_status pto_core_execute(pto_core *core, const pto_instr *instr) {
    if ((unsigned)instr->form >= PTO_FORM_COUNT)
        return PTO_ERR_USAGE;
    if (!instr->verified && !is_legal(core, instr))
        return PTO_ERR_REFUSED;
    pto_status status = bind_operands(core, instr);
    if (status != PTO_OK)
        return status;
    if (PTO_DOOR_HOOKS && core->issuer)
        return core->issuer->instr(core->issuer->user, core, instr);
    for (int i = 0; PTO_DOOR_HOOKS && i < core->observer_count; i++)
        if (core->observer[i].before)
            core->observer[i].before(core->observer[i].user, core, instr);
    const pto_kernel_call call = {.instr = instr,
                                  .target = core->options.target,
                                  .numeric = &core->options.numeric,
                                  .host = &core->host};
    pto_kernel_fn kernel = core->kernels->fn[pto_form_get(instr->form)->kernel];
    const uint64_t zeros_before = core->host.zero_divisors;
    core->host.finding.rule = NULL;
    status = kernel(&call);
    if (core->host.finding.rule)
        status = report_finding(core, instr, status);
    if (status == PTO_ERR_REFUSED && core->host.zero_divisors != zeros_before) { /* the option traps them */
        report_context context = {core, instr};
        report(&context, &(pto_refusal){.rule = "PTO-E0503", .operand = -1, .found = "a divisor of 0"});
    }
    for (int i = 0; PTO_DOOR_HOOKS && i < core->observer_count; i++)
        if (core->observer[i].after)
            core->observer[i].after(core->observer[i].user, core, instr);
    return status;
}
