/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of instructions of the table: operands become slots, SSA results get tiles, scratch that the text
 * leaves out is made where the target uses it (60, 2). */
#include "pass/lower.h"
#include <pto/ops.h>

/* Forms whose destination becomes a view of their source. */
static bool is_alias(const pto_operation *op) {
    const pto_operand_desc *dst = &pto_form_get(op->form)->operand[0];
    return dst->binds && dst->role == PTO_ROLE_OUT && op->form != PTO_FORM_TGET_SCALE_ADDR;
}

static int32_t sharing_slot(pto_lowering *l, int32_t old, const pto_tile_type *type) {
    pto_code_slot *slots = l->slots.data;
    const pto_tile_type *t = &slots[old].tile.type;
    bool same = t->rows == type->rows && t->cols == type->cols && t->valid_rows == type->valid_rows &&
                t->valid_cols == type->valid_cols;
    if (same || slots[old].storage < 0)
        return old;
    int32_t storage = slots[old].storage;
    int32_t slot = pto_lower_new_handle(l, type);
    l->slots.data[slot].storage = storage;
    l->slots.data[slot].varies = type->valid_rows < 0 || type->valid_cols < 0;
    pto_lower_alias(l, slot, old);
    return slot;
}

/* The tile that an SSA result becomes. */
static int32_t result_slot(pto_lowering *l, const pto_operation *op, int position, const pto_value *result) {
    const pto_tile_type *type = &result->type->tile;
    const pto_value *old = position == 0 ? pto_instr_old_value(op) : NULL;
    int32_t slot;
    if (pto_form_get(op->form)->operand[position].binds && position == 0 && op->form != PTO_FORM_TASSIGN)
        slot = pto_lower_new_handle(l, type);
    else if (old)
        slot = sharing_slot(l, pto_lower_get(l, old), type);
    else
        slot = pto_lower_new_tile(l, type, result->name);
    pto_lower_set(l, result, slot);
    return slot;
}

/* A dynamic extent of an SSA result follows the first tile source, or the view (30, TLOAD). */
static void result_extents(pto_lowering *l, const pto_operation *op, int32_t slot,
                           const pto_code_instr *instr) {
    const pto_tile *tile = &l->slots.data[slot].tile;
    if (tile->type.valid_rows >= 0 && tile->type.valid_cols >= 0)
        return;
    l->slots.data[slot].varies = true;
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count; i++) {
        if (form->operand[i].role != PTO_ROLE_IN || instr->slot[i] < 0)
            continue;
        bool view = form->operand[i].is_global;
        if (!view)
            pto_lower_touch(l, instr->slot[i]);
        pto_lower_emit(l, (pto_code_op){.kind = (uint16_t)(view ? PTO_CODE_VIEW_VALID : PTO_CODE_COPY_VALID),
                                        .dst = slot,
                                        .a = instr->slot[i]});
        return;
    }
}

static const pto_value *tile_of(const pto_operation *op, const pto_form_desc *form) {
    for (int i = 0; i < form->operand_count; i++) {
        const pto_value *value = pto_instr_value(op, i);
        if (value && pto_type_is_tile(value->type))
            return value;
    }
    return NULL;
}

/* The view as this instruction sees it: a window at indices, or a one-column view under the tile's layout. */
static int32_t view_slot(pto_lowering *l, const pto_operation *op, const pto_value *value) {
    int32_t slot = pto_lower_get(l, value);
    const pto_value *tile = tile_of(op, pto_form_get(op->form));
    pto_view_facts facts;
    if (!tile || !pto_fact_view(value, &facts))
        return slot;
    if (op->index_count) {
        int32_t window = pto_lower_new_view(l, value->type), start = (int32_t)l->list.count;
        for (uint32_t i = 0; i < op->index_count && i < 5; i++) {
            int32_t reg = pto_lower_get(l, op->index[i]);
            pto_vec_push(l->arena, &l->list, reg);
        }
        pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_INDEX_VIEW,
                                        .dst = window,
                                        .a = slot,
                                        .b = pto_lower_get(l, tile),
                                        .c = (int32_t)op->index_count,
                                        .flag = (uint8_t)pto_fact_layout_for(&facts, &tile->type->tile),
                                        .extra = start});
        return window;
    }
    pto_layout layout = pto_fact_layout_for(&facts, &tile->type->tile);
    if (layout == facts.layout)
        return slot;
    int32_t labelled = pto_lower_new_view(l, value->type);
    pto_lower_emit(
        l, (pto_code_op){.kind = PTO_CODE_LABEL_VIEW, .dst = labelled, .a = slot, .c = (int32_t)layout});
    return labelled;
}

static void scalar_operand(pto_lowering *l, const pto_value *value, pto_operand *operand, int32_t *reg,
                           bool *is_float) {
    operand->kind = PTO_OPERAND_SCALAR;
    operand->scalar = (pto_scalar){.dtype = pto_type_dtype(value->type)};
    *is_float = value->type->kind == PTO_TYPE_FLOAT;
    if (*is_float ? pto_fact_float(value, &operand->scalar.f) : pto_fact_int(value, &operand->scalar.i))
        return;
    *reg = pto_lower_get(l, value);
}

static void operand(pto_lowering *l, const pto_operation *op, int i, pto_code_instr *instr) {
    const pto_operand_desc *desc = &pto_form_get(op->form)->operand[i];
    if (desc->role == PTO_ROLE_ATTR) {
        int64_t number = 0;
        if (!pto_fact_attr(op, i, &number))
            pto_lower_refuse(l, "PTO-E0426", desc->name);
        instr->operand[i] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = number}};
        l->code->has_atomics |=
            (desc->attr == PTO_ATTR_ATOMIC || desc->attr == PTO_ATTR_SCATTER_ATOMIC) && number != 0;
        return;
    }
    if (desc->is_counts)
        return; /* no operation of a program reads counts */
    bool given = (uint32_t)i < op->operand_count && op->operand[i];
    const pto_value *value = given ? op->operand[i] : NULL;
    if (value && pto_type_is_tile(value->type)) {
        instr->operand[i].kind = PTO_OPERAND_TILE;
        instr->slot[i] = pto_lower_get(l, value);
    } else if (value && pto_type_is_scalar(value->type)) {
        scalar_operand(l, value, &instr->operand[i], &instr->slot[i], &instr->is_float[i]);
    } else if (value) {
        instr->operand[i].kind = PTO_OPERAND_GLOBAL;
        instr->slot[i] = view_slot(l, op, value);
    }
    pto_tile_type scratch;
    if (!given && pto_instr_scratch_type(l->code->program, l->code->target, op, i, &scratch)) {
        instr->operand[i].kind = PTO_OPERAND_TILE;
        instr->slot[i] = pto_lower_new_tile(l, &scratch, PTO_STR("scratch"));
        pto_lower_record(l, op, i, instr->slot[i]);
    }
}

/* A constant address of an argument or a fresh tile is where it lives from the start. */
static void assign(pto_lowering *l, const pto_operation *op, int32_t slot, pto_code_instr *instr) {
    pto_code_slot *s = &l->slots.data[slot];
    int64_t addr;
    instr->changes = slot;
    if (instr->slot[1] >= 0 || !pto_fact_int(op->operand[1], &addr)) {
        l->code->assigns = true;
        s->varies = s->reset = true;
        return;
    }
    if (s->storage >= 0 && !l->storages.data[s->storage].fixed) {
        l->storages.data[s->storage].fixed = true;
        l->storages.data[s->storage].addr = (uint64_t)addr;
    } else if (s->storage < 0 || l->storages.data[s->storage].addr != (uint64_t)addr) {
        l->code->assigns = true;
        s->varies = s->reset = true;
    }
}

void pto_lower_instr(pto_lowering *l, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    pto_code_instr instr = {.form = op->form, .changes = -1};
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        instr.slot[i] = -1;
    /* sources before results: a rebound name reads the old value; the results' tiles exist before windows */
    for (int i = 0; i < form->operand_count; i++) {
        int result = pto_instr_result(op, i);
        if (result < 0 || form->operand[i].is_counts)
            continue;
        instr.operand[i].kind = PTO_OPERAND_TILE;
        instr.slot[i] = result_slot(l, op, i, op->result[result]);
    }
    for (int i = 0; i < form->operand_count; i++)
        if (instr.slot[i] < 0)
            operand(l, op, i, &instr);
    if (l->failed)
        return;
    for (int i = 0; i < form->operand_count; i++)
        if (pto_instr_result(op, i) >= 0 && !form->operand[i].is_counts && !is_alias(op))
            result_extents(l, op, instr.slot[i], &instr);
    bool binds = form->operand[0].binds && op->form != PTO_FORM_TASSIGN;
    if (binds && instr.slot[0] >= 0 && instr.slot[1] >= 0) {
        if (is_alias(op))
            pto_lower_alias(l, instr.slot[0], instr.slot[1]);
        instr.changes = instr.slot[0];
        l->slots.data[instr.slot[0]].varies = true;
    }
    if (op->form == PTO_FORM_TASSIGN) {
        if (op->result_count == 1) {
            /* `%u = tassign %t, %a`: a handle of its own */
            int32_t fresh = pto_lower_new_handle(l, &op->result[0]->type->tile);
            pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_MOVE_TILE, .dst = fresh, .a = instr.slot[0]});
            pto_lower_set(l, op->result[0], fresh);
            instr.slot[0] = fresh;
        }
        assign(l, op, instr.slot[0], &instr);
    }
    l->code->implicit_scratch |= pto_instr_uses_implicit_scratch(op);
    for (int i = 0; i < form->operand_count; i++)
        if (instr.operand[i].kind == PTO_OPERAND_TILE)
            pto_lower_touch(l, instr.slot[i]);
    pto_vec_push(l->arena, &l->instrs, instr);
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_INSTR, .extra = (int32_t)l->instrs.count - 1});
}
