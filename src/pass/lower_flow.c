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
    int32_t caller = l->expansion;
    pto_vec_push(l->arena, &l->expansions, (pto_code_call){.caller = caller, .call = op});
    l->expansion = (int32_t)l->expansions.count;
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
    if (body->next) {
        int32_t *place = places(l, op->result, op->result_count);
        pto_lower_blocks(l, body->parent, PTO_OPK_RETURN, op->result_count, place);
        l->calls--;
        l->expansion = caller;
        return;
    }
    pto_lower_exit *exit = l->exit; /* its return is not the caller's */
    l->exit = NULL;
    pto_lower_block(l, body);
    l->exit = exit;
    l->calls--;
    l->expansion = caller;
    l->current = op;
    for (uint32_t i = 0; i < op->result_count && i < l->returned_count; i++)
        pto_lower_set(l, op->result[i], pto_lower_get(l, l->returned[i]));
    l->returned_count = 0;
}

/* ---- regions of several blocks ----------------------------------------------------------------- */

static void jump_to_block(pto_lowering *l, const pto_block *block) {
    pto_lower_exit *exit = l->exit;
    const int64_t *number = pto_value_map_find(&exit->tree->number, block);
    int32_t at =
        pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP, .extra = number ? (int32_t)*number : 0});
    pto_vec_push(l->arena, &exit->branches, at);
}

static void pass_and_jump(pto_lowering *l, const pto_operation *op, uint32_t successor, uint32_t from,
                          uint32_t count) {
    const pto_block *to = op->successor[successor];
    int32_t *target = pto_arena_array(l->arena, count + 1, sizeof *target);
    for (uint32_t i = 0; i < count; i++)
        target[i] = pto_lower_get(l, to->arg[i]);
    pto_lower_moves(l, count, count ? op->operand + from : NULL, target);
    jump_to_block(l, to);
}

static int32_t equals(pto_lowering *l, const pto_value *value, int64_t number) {
    int32_t constant = pto_lower_new_register(l, (pto_register){.i = number});
    int32_t dst = pto_lower_new_register(l, (pto_register){0});
    pto_lower_emit(l, (pto_code_op){.kind = PTO_OPK_ARITH_CMPI,
                                    .width = (uint8_t)pto_type_int_width(value->type),
                                    .dst = dst,
                                    .a = pto_lower_get(l, value),
                                    .b = constant});
    return pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP_UNLESS, .a = dst});
}

static void land(pto_lowering *l, int32_t branch) {
    if (!l->failed)
        l->ops.data[branch].extra = pto_lower_here(l);
}

static void lower_branch(pto_lowering *l, const pto_operation *op) {
    if (!l->exit)
        return;
    if (op->kind == PTO_OPK_CF_BR) {
        pass_and_jump(l, op, 0, 0, op->operand_count);
        return;
    }
    if (op->kind == PTO_OPK_CF_COND_BR) {
        int32_t unless = pto_lower_emit(
            l, (pto_code_op){.kind = PTO_CODE_JUMP_UNLESS, .a = pto_lower_get(l, op->operand[0])});
        pass_and_jump(l, op, 0, 1, op->segment[1]);
        land(l, unless);
        pass_and_jump(l, op, 1, 1 + op->segment[1], op->segment[2]);
        return;
    }
    const pto_attr *values = pto_operation_attr(op, "case_values");
    const pto_attr *sizes = pto_operation_attr(op, "case_operand_segments");
    uint32_t at = 1 + op->segment[1];
    for (uint32_t i = 0; i < values->count; i++) {
        uint32_t count = (uint32_t)sizes->dense[i];
        unsigned width = pto_type_int_width(op->operand[0]->type);
        bool zero_extended = pto_type_is_zero_extended(op->operand[0]->type);
        int32_t unless = equals(l, op->operand[0], pto_fact_wrap(values->dense[i], width, zero_extended));
        pass_and_jump(l, op, i + 1, at, count);
        land(l, unless);
        at += count;
    }
    pass_and_jump(l, op, 0, 1, op->segment[1]);
}

/* A return or a yield out of a region of several blocks. */
static void leave(pto_lowering *l, const pto_operation *op) {
    pto_lower_exit *exit = l->exit;
    uint32_t count = op->operand_count < exit->count ? op->operand_count : exit->count;
    pto_lower_moves(l, count, op->operand, exit->place);
    int32_t at = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP});
    pto_vec_push(l->arena, &exit->jumps, at);
}

void pto_lower_blocks(pto_lowering *l, const pto_region *region, pto_op_kind kind, uint32_t count,
                      int32_t *place) {
    pto_lower_exit exit = {.outer = l->exit, .kind = kind, .count = count, .place = place};
    exit.tree = pto_block_tree_make(l->arena, region);
    exit.begin = pto_arena_array(l->arena, exit.tree->count, sizeof *exit.begin);
    for (uint32_t b = 1; b < exit.tree->count; b++)
        places(l, exit.tree->order[b]->arg, exit.tree->order[b]->arg_count);
    l->exit = &exit;
    /* Blocks may be entered again: what is made among them lives as if made before, through all of them. */
    int32_t loop = enter_loop(l), outer = l->loops.data[loop].parent;
    size_t slots = l->slots.count;
    for (uint32_t b = 0; b < exit.tree->reached && !l->failed; b++) {
        exit.begin[b] = pto_lower_here(l);
        pto_lower_block(l, exit.tree->order[b]);
    }
    leave_loop(l);
    for (size_t s = slots; s < l->slots.count; s++)
        if (l->slots.data[s].loop == loop)
            l->slots.data[s].loop = outer;
    l->exit = exit.outer;
    if (l->failed)
        return;
    for (size_t i = 0; i < exit.branches.count; i++) {
        pto_code_op *jump = &l->ops.data[exit.branches.data[i]];
        jump->extra = exit.begin[jump->extra];
    }
    for (size_t i = 0; i < exit.jumps.count; i++)
        l->ops.data[exit.jumps.data[i]].extra = pto_lower_here(l);
}

static void lower_execute_region(pto_lowering *l, const pto_operation *op) {
    int32_t *place = places(l, op->result, op->result_count);
    const pto_block *body = body_of(op, 0);
    if (body->next)
        pto_lower_blocks(l, op->region[0], PTO_OPK_SCF_YIELD, op->result_count, place);
    else
        lower_arm(l, op, body, place);
}

static void lower_index_switch(pto_lowering *l, const pto_operation *op) {
    int32_t *place = places(l, op->result, op->result_count);
    const pto_attr *cases = pto_operation_attr(op, "cases");
    PTO_VEC(int32_t) ends = {0};
    for (uint32_t i = 0; i < cases->count; i++) {
        int32_t unless = equals(l, op->operand[0], cases->dense[i]);
        lower_arm(l, op, body_of(op, i + 1), place);
        int32_t end = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP});
        pto_vec_push(l->arena, &ends, end);
        land(l, unless);
    }
    lower_arm(l, op, body_of(op, 0), place);
    for (size_t i = 0; i < ends.count; i++)
        land(l, ends.data[i]);
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
    case PTO_OPK_SCF_INDEX_SWITCH:
        lower_index_switch(l, op);
        break;
    case PTO_OPK_SCF_EXECUTE_REGION:
        lower_execute_region(l, op);
        break;
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
        lower_branch(l, op);
        break;
    case PTO_OPK_RETURN:
        if (l->exit && op->parent && op->parent->parent->parent->kind == PTO_OPK_FUNC) {
            leave(l, op);
            break;
        }
        l->returned = op->operand;
        l->returned_count = op->operand_count;
        break;
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR: {
        size_t begin = l->ops.count;
        pto_lower_emit(
            l, (pto_code_op){.kind = PTO_CODE_CORE, .flag = 1, .a = op->kind == PTO_OPK_SECTION_VECTOR});
        pto_lower_block(l, body_of(op, 0)); /* one core is both (00-model, 12) */
        l->current = op;
        if (begin < l->ops.count)
            l->ops.data[begin].extra = (int32_t)l->ops.count;
        pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_CORE});
        break;
    }
    case PTO_OPK_SCF_YIELD:
        if (l->exit && op->parent->parent->first->next)
            leave(l, op);
        break;
    default: /* a yield of one block and conditions are read by their parents */
        break;
    }
}
