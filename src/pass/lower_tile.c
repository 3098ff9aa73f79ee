/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of pointers, views and tile handles (60, 3.9.1). */
#include "pass/lower.h"
#include <pto/ops.h>

/* Registers of a run of operands; returns where they start in the list. */
static int32_t registers(pto_lowering *l, pto_value *const *values, uint32_t count) {
    int32_t start = (int32_t)l->list.count;
    for (uint32_t i = 0; i < count; i++) {
        int32_t reg = pto_lower_get(l, values[i]);
        pto_vec_push(l->arena, &l->list, reg);
    }
    return start;
}

static void make_tensor_view(pto_lowering *l, const pto_operation *op) {
    uint32_t s, t, rank = pto_fact_segment(op, 1, &s);
    if (pto_fact_segment(op, 2, &t) != rank || rank < 1 || rank > 5) {
        pto_lower_refuse(l, "PTO-E0410", NULL);
        return;
    }
    pto_view_facts facts;
    pto_fact_view(op->result[0], &facts);
    int32_t start = registers(l, op->operand + s, rank);
    registers(l, op->operand + t, rank);
    pto_code_op code = {.kind = (uint16_t)op->kind,
                        .a = pto_lower_get(l, op->operand[0]),
                        .b = (int32_t)rank,
                        .c = (int32_t)facts.layout,
                        .extra = start};
    code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
}

static void partition_view(pto_lowering *l, const pto_operation *op) {
    uint32_t o, s, count = pto_fact_segment(op, 1, &o);
    if (pto_fact_segment(op, 2, &s) != count || count < 1 || count > 5) {
        pto_lower_refuse(l, "PTO-E0410", NULL);
        return;
    }
    int32_t start = registers(l, op->operand + o, count);
    registers(l, op->operand + s, count);
    pto_code_op code = {.kind = (uint16_t)op->kind,
                        .a = pto_lower_get(l, op->operand[0]),
                        .b = (int32_t)count,
                        .extra = start};
    code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
}

static void alloc_tile(pto_lowering *l, const pto_operation *op) {
    const pto_tile_type *type = &op->result[0]->type->tile;
    uint32_t first;
    int32_t slot = pto_lower_new_tile(l, type, op->result[0]->name);
    pto_lower_set(l, op->result[0], slot);
    pto_code_op valid = {.kind = PTO_CODE_SET_VALID, .dst = slot, .a = -1, .b = -1};
    if (pto_fact_segment(op, 1, &first))
        valid.a = pto_lower_get(l, op->operand[first]);
    if (pto_fact_segment(op, 2, &first))
        valid.b = pto_lower_get(l, op->operand[first]);
    if (valid.a >= 0 || valid.b >= 0)
        pto_lower_emit(l, valid);
    if (!pto_fact_segment(op, 0, &first))
        return;
    pto_code_storage *storage = &l->storages.data[l->slots.data[slot].storage];
    storage->fixed = true;
    int64_t addr;
    if (pto_fact_int(op->operand[first], &addr)) {
        storage->addr = (uint64_t)addr;
        return;
    }
    /* an address that is computed: the tile is assigned while running */
    l->slots.data[slot].varies = true;
    l->code->assigns = true;
    pto_code_instr instr = {.form = PTO_FORM_TASSIGN, .changes = slot};
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        instr.slot[i] = -1;
    instr.slot[0] = slot;
    instr.operand[0].kind = PTO_OPERAND_TILE;
    instr.slot[1] = pto_lower_get(l, op->operand[first]);
    instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_S64}};
    pto_vec_push(l->arena, &l->instrs, instr);
    pto_lower_touch(l, slot);
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_INSTR, .extra = (int32_t)l->instrs.count - 1});
}

/* The handle of a subset addresses with the pitch of its source; its own extents are the valid region. */
static void subset(pto_lowering *l, const pto_operation *op) {
    int32_t source = pto_lower_get(l, op->operand[0]);
    const pto_tile_type *cut = &op->result[0]->type->tile, type = pto_fact_handle_type(op->result[0]);
    int32_t slot = pto_lower_new_handle(l, &type);
    pto_lower_set(l, op->result[0], slot);
    pto_lower_alias(l, slot, source);
    pto_code_op code = {.kind = (uint16_t)op->kind, .dst = slot, .a = source};
    code.b = pto_lower_get(l, op->operand[1]);
    code.c = pto_lower_get(l, op->operand[2]);
    code.extra = (int32_t)l->list.count;
    pto_vec_push(l->arena, &l->list, cut->rows);
    pto_vec_push(l->arena, &l->list, cut->cols);
    pto_lower_touch(l, source);
    pto_lower_touch(l, slot);
    pto_lower_emit(l, code);
}

static void bitcast(pto_lowering *l, const pto_operation *op) {
    int32_t source = pto_lower_get(l, op->operand[0]);
    const pto_tile_type type = pto_fact_handle_type(op->result[0]);
    int32_t slot = pto_lower_new_handle(l, &type);
    pto_lower_set(l, op->result[0], slot);
    pto_lower_alias(l, slot, source);
    pto_lower_touch(l, source);
    pto_lower_touch(l, slot);
    pto_lower_emit(l, (pto_code_op){.kind = (uint16_t)op->kind, .dst = slot, .a = source});
}

void pto_lower_tile_op(pto_lowering *l, const pto_operation *op) {
    pto_code_op code = {.kind = (uint16_t)op->kind};
    switch (op->kind) {
    case PTO_OPK_MAKE_TENSOR_VIEW:
        make_tensor_view(l, op);
        return;
    case PTO_OPK_PARTITION_VIEW:
        partition_view(l, op);
        return;
    case PTO_OPK_ALLOC_TILE:
        alloc_tile(l, op);
        return;
    case PTO_OPK_SUBSET:
        subset(l, op);
        return;
    case PTO_OPK_BITCAST:
        bitcast(l, op);
        return;
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
        code.c = op->operand[0]->type->rank;
        break;
    case PTO_OPK_LOAD_SCALAR:
        code.dtype = (uint8_t)op->operand[0]->type->dtype;
        break;
    case PTO_OPK_STORE_SCALAR:
        code.dtype = (uint8_t)op->operand[0]->type->dtype;
        break;
    case PTO_OPK_TSETVAL:
    case PTO_OPK_TGETVAL:
        code.dtype = (uint8_t)op->operand[0]->type->tile.dtype;
        break;
    default:
        break;
    }
    code.a = pto_lower_get(l, op->operand[0]);
    code.b = op->operand_count > 1 ? pto_lower_get(l, op->operand[1]) : -1;
    if (op->operand_count > 2)
        code.c = pto_lower_get(l, op->operand[2]);
    if (op->kind == PTO_OPK_SET_VALIDSHAPE) {
        code = (pto_code_op){.kind = PTO_CODE_SET_VALID, .dst = code.a, .a = code.b, .b = code.c};
        l->slots.data[code.dst].varies = true;
    } else if (pto_type_is_tile(op->operand[0]->type)) {
        pto_lower_touch(l, code.a);
    }
    if (op->result_count)
        code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
}
