/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of calls and structured control flow. Calls are expanded where they stand: nothing recurses. */
#include "pass/lower.h"

static const pto_block *body_of(const pto_operation *op, uint32_t region) {
    return region < op->region_count && op->region[region] ? op->region[region]->first : NULL;
}

static int32_t enter_loop(pto_lowering *l) {
    pto_code_loop loop = {.parent = l->loop, .begin = pto_lower_here(l)};
    pto_vec_push(l->arena, &l->loops, loop);
    l->loop = (int32_t)l->loops.count - 1;
    return l->loop;
}

static void leave_loop(pto_lowering *l) {
    pto_code_loop *loop = &l->loops.data[l->loop];
    loop->end = pto_lower_here(l) - 1;
    l->loop = loop->parent;
}

/* Operands of the terminator, skipping the first `skip`. */
static pto_value *const *passed(const pto_block *block, pto_op_kind kind, uint32_t skip, uint32_t *count) {
    const pto_operation *last = block ? block->last : NULL;
    *count = last && last->kind == kind && last->operand_count >= skip ? last->operand_count - skip : 0;
    return *count ? last->operand + skip : NULL;
}

static int32_t *places(pto_lowering *l, pto_value *const *values, uint32_t count) {
    int32_t *place = pto_arena_array(l->arena, count + 1, sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        place[i] = pto_lower_place_for(l, values[i]);
    return place;
}

static void lower_for(pto_lowering *l, const pto_operation *op) {
    const pto_block *body = body_of(op, 0);
    uint32_t carried = op->operand_count - 3, yielded;
    int32_t *place = places(l, body->arg + 1, carried);
    pto_lower_moves(l, carried, op->operand + 3, place);
    int32_t counter = pto_lower_place_for(l, body->arg[0]);
    const pto_attr *flag = pto_operation_attr(op, "unsignedCmp");
    bool is_unsigned = pto_type_is_zero_extended(op->operand[0]->type) ||
                       (flag && flag->kind != PTO_AV_BOOL) || (flag && flag->i);
    pto_code_op loop = {.flag = is_unsigned,
                        .width = (uint8_t)pto_type_int_width(op->operand[0]->type),
                        .to = pto_type_is_zero_extended(op->operand[0]->type),
                        .dst = counter,
                        .a = pto_lower_get(l, op->operand[0]),
                        .b = pto_lower_get(l, op->operand[1]),
                        .c = pto_lower_get(l, op->operand[2])};
    enter_loop(l);
    loop.kind = PTO_CODE_FOR_BEGIN;
    int32_t begin = pto_lower_emit(l, loop);
    pto_lower_block(l, body);
    l->current = op;
    pto_value *const *values = passed(body, PTO_OPK_SCF_YIELD, 0, &yielded);
    pto_lower_moves(l, yielded < carried ? yielded : carried, values, place);
    loop.kind = PTO_CODE_FOR_NEXT;
    loop.extra = begin + 1;
    pto_lower_emit(l, loop);
    leave_loop(l);
    if (!l->failed)
        l->ops.data[begin].extra = pto_lower_here(l);
    for (uint32_t i = 0; i < op->result_count && i < carried; i++)
        pto_lower_set(l, op->result[i], place[i]);
}

static void lower_arm(pto_lowering *l, const pto_operation *op, const pto_block *block,
                      const int32_t *place) {
    uint32_t count;
    pto_lower_block(l, block);
    l->current = op;
    pto_value *const *values = passed(block, PTO_OPK_SCF_YIELD, 0, &count);
    pto_lower_moves(l, count < op->result_count ? count : op->result_count, values, place);
}

static void lower_if(pto_lowering *l, const pto_operation *op) {
    int32_t *place = places(l, op->result, op->result_count);
    int32_t condition = pto_lower_get(l, op->operand[0]);
    int32_t branch = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP_UNLESS, .a = condition});
    lower_arm(l, op, body_of(op, 0), place);
    const pto_block *other = body_of(op, 1);
    int32_t skip = other ? pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP}) : -1;
    if (!l->failed)
        l->ops.data[branch].extra = pto_lower_here(l);
    if (!other)
        return;
    lower_arm(l, op, other, place);
    if (!l->failed)
        l->ops.data[skip].extra = pto_lower_here(l);
}

static void lower_while(pto_lowering *l, const pto_operation *op) {
    const pto_block *before = body_of(op, 0), *after = body_of(op, 1);
    int32_t *carried = places(l, before->arg, before->arg_count);
    int32_t *passed_on = places(l, after->arg, after->arg_count);
    pto_lower_moves(l, op->operand_count, op->operand, carried);
    enter_loop(l);
    int32_t begin = pto_lower_here(l);
    pto_lower_block(l, before);
    l->current = op;
    uint32_t count;
    pto_value *const *values = passed(before, PTO_OPK_SCF_CONDITION, 1, &count);
    pto_lower_moves(l, count < after->arg_count ? count : after->arg_count, values, passed_on);
    int32_t condition = before->last ? pto_lower_get(l, before->last->operand[0]) : 0;
    int32_t branch = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP_UNLESS, .a = condition});
    pto_lower_block(l, after);
    l->current = op;
    values = passed(after, PTO_OPK_SCF_YIELD, 0, &count);
    pto_lower_moves(l, count < before->arg_count ? count : before->arg_count, values, carried);
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP, .extra = begin});
    leave_loop(l);
    if (!l->failed)
        l->ops.data[branch].extra = pto_lower_here(l);
    for (uint32_t i = 0; i < op->result_count && i < after->arg_count; i++)
        pto_lower_set(l, op->result[i], passed_on[i]);
}

static void lower_call(pto_lowering *l, const pto_operation *op) {
    const pto_operation *callee = pto_fact_callee(l->code->program, op);
    const pto_block *body = callee ? pto_function_body(callee) : NULL;
    if (!body || body->arg_count != op->operand_count) {
        pto_lower_refuse(l, "PTO-E0419", "no such function");
        return;
    }
    if (l->calls >= PTO_CODE_MAX_CALLS || ++l->expanded > PTO_CODE_MAX_OPS) {
        pto_lower_refuse(l, "PTO-E0911", "too many calls, or calls nested too deeply");
        return;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (op->operand[i]->type->kind == PTO_TYPE_TILE) {
            /* a value: the callee may take its storage over */
            int32_t place = pto_lower_place_for(l, body->arg[i]);
            pto_lower_moves(l, 1, &op->operand[i], &place);
        } else {
            pto_lower_set(l, body->arg[i], pto_lower_get(l, op->operand[i]));
        }
    }
    l->calls++;
    l->returned_count = 0;
    pto_lower_block(l, body);
    l->calls--;
    l->current = op;
    for (uint32_t i = 0; i < op->result_count && i < l->returned_count; i++)
        pto_lower_set(l, op->result[i], pto_lower_get(l, l->returned[i]));
    l->returned_count = 0;
}

void pto_lower_flow(pto_lowering *l, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_SCF_FOR:
        lower_for(l, op);
        break;
    case PTO_OPK_SCF_IF:
        lower_if(l, op);
        break;
    case PTO_OPK_SCF_WHILE:
        lower_while(l, op);
        break;
    case PTO_OPK_CALL:
        lower_call(l, op);
        break;
    case PTO_OPK_RETURN:
        l->returned = op->operand;
        l->returned_count = op->operand_count;
        break;
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
        pto_lower_block(l, body_of(op, 0)); /* one core is both (00-model, 12) */
        break;
    default: /* yield and condition are read by their parents */
        break;
    }
}
