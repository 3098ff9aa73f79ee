/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow in C++ (60, 6.2): for, while, if, switch where the program is structured, labels and goto
 * where it has blocks. */
#include "emit/emit.h"

#include <inttypes.h>
#include <string.h>

static const pto_block *body_of(const pto_operation *op, uint32_t region) {
    return region < op->region_count && op->region[region] ? op->region[region]->first : NULL;
}

/* Operands of the terminator, skipping the first `skip`. */
static pto_value *const *passed(const pto_block *block, pto_op_kind kind, uint32_t skip, uint32_t *count) {
    const pto_operation *last = block ? block->last : NULL;
    *count = last && last->kind == kind && last->operand_count >= skip ? last->operand_count - skip : 0;
    return *count ? last->operand + skip : NULL;
}

/* What follows goes into a text of its own, so that variables found on the way can be declared before it. */
static pto_emit_text set_aside(pto_emitter *e) {
    pto_emit_text before = e->fn->body;
    e->fn->body = (pto_emit_text){0};
    return before;
}
static void put_back(pto_emitter *e, pto_emit_text before, uint32_t count, const pto_emit_place *place) {
    pto_emit_text inner = e->fn->body;
    e->fn->body = before;
    pto_emit_declare_places(e, count, place);
    if (inner.len)
        pto_emit_put(e->arena, &e->fn->body, inner.data, inner.len);
}

/* Results are the variables of other values from now on. */
static void same_variables(pto_emitter *e, const pto_operation *op, const pto_emit_place *place) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (place[i].at >= 0)
            pto_value_map_set(&e->at, op->result[i], place[i].at);
}

static void arm(pto_emitter *e, const pto_operation *op, const pto_block *block, pto_op_kind end,
                uint32_t skip, uint32_t wanted, pto_emit_place *place) {
    uint32_t count;
    e->fn->indent++;
    pto_emit_block(e, block);
    e->current = op;
    pto_value *const *values = passed(block, end, skip, &count);
    pto_emit_moves(e, count < wanted ? count : wanted, values, place);
    e->fn->indent--;
}

/* ---- structured -------------------------------------------------------------------------------------- */

static void write_for(pto_emitter *e, const pto_operation *op) {
    const pto_block *body = body_of(op, 0);
    uint32_t carried = op->operand_count - 3;
    pto_emit_place *place = pto_emit_places(e, body->arg + 1, carried);
    pto_emit_text before = set_aside(e);
    pto_emit_moves(e, carried, op->operand + 3, place);
    const pto_type *type = op->operand[0]->type;
    const pto_attr *flag = pto_operation_attr(op, "unsignedCmp");
    bool is_unsigned =
        pto_type_is_zero_extended(type) || (flag && flag->kind != PTO_AV_BOOL) || (flag && flag->i);
    const char *name = pto_emit_scalar_type(e, type);
    bool direct = !is_unsigned && pto_type_int_width(type) == 64;
    int32_t counter = pto_emit_new(e, body->arg[0], name);
    const char *i = e->values.data[counter].name;
    const char *from = pto_emit_name(e, op->operand[0]), *to = pto_emit_name(e, op->operand[1]);
    const char *step = pto_emit_name(e, op->operand[2]);
    int64_t number;
    if (!pto_fact_int(op->operand[2], &number))
        pto_emit_line(e, "if (%s %s 0)\n%*s    trap();", step, is_unsigned ? "==" : "<=", e->fn->indent * 4,
                      "");
    if (direct) {
        pto_emit_line(e, "for (int64_t %s = %s; %s < %s; %s += %s) {", i, from, i, to, i, step);
    } else {
        /* counted in 64 bits: a narrow counter would wrap at the last step */
        const char *wide = is_unsigned ? "uint64_t" : "int64_t";
        const char *cast =
            pto_type_int_width(type) == 1
                ? "uint64_t"
                : pto_arena_printf(e->arena, "%sint%u_t", is_unsigned ? "u" : "", pto_type_int_width(type));
        const char *c = pto_arena_printf(e->arena, "i%s", i + 1);
        pto_emit_line(
            e, "for (%s %s = static_cast<%s>(%s); %s < static_cast<%s>(%s); %s += static_cast<%s>(%s)) {",
            wide, c, cast, from, c, cast, to, c, cast, step);
        e->fn->indent++;
        pto_emit_variable(e, counter, pto_arena_printf(e->arena, "static_cast<%s>(%s)", name, c));
        e->fn->indent--;
    }
    arm(e, op, body, PTO_OPK_SCF_YIELD, 0, carried, place);
    pto_emit_line(e, "}");
    put_back(e, before, carried, place);
    same_variables(e, op, place);
}

static void write_if(pto_emitter *e, const pto_operation *op) {
    pto_emit_place *place = pto_emit_places(e, op->result, op->result_count);
    pto_emit_text before = set_aside(e);
    pto_emit_line(e, "if (%s) {", pto_emit_name(e, op->operand[0]));
    arm(e, op, body_of(op, 0), PTO_OPK_SCF_YIELD, 0, op->result_count, place);
    if (body_of(op, 1)) {
        pto_emit_line(e, "} else {");
        arm(e, op, body_of(op, 1), PTO_OPK_SCF_YIELD, 0, op->result_count, place);
    }
    pto_emit_line(e, "}");
    put_back(e, before, op->result_count, place);
}

static void write_while(pto_emitter *e, const pto_operation *op) {
    const pto_block *head = body_of(op, 0), *tail = body_of(op, 1);
    pto_emit_place *carried = pto_emit_places(e, head->arg, head->arg_count);
    pto_emit_place *passed_on = pto_emit_places(e, tail->arg, tail->arg_count);
    pto_emit_text before = set_aside(e);
    pto_emit_moves(e, op->operand_count, op->operand, carried);
    pto_emit_line(e, "while (true) {");
    arm(e, op, head, PTO_OPK_SCF_CONDITION, 1, tail->arg_count, passed_on);
    e->fn->indent++;
    if (head->last && head->last->operand_count)
        pto_emit_line(e, "if (!%s)\n%*s    break;", pto_emit_name(e, head->last->operand[0]),
                      e->fn->indent * 4, "");
    e->fn->indent--;
    arm(e, op, tail, PTO_OPK_SCF_YIELD, 0, head->arg_count, carried);
    pto_emit_line(e, "}");
    pto_emit_text inner = e->fn->body;
    e->fn->body = before;
    pto_emit_declare_places(e, head->arg_count, carried);
    pto_emit_declare_places(e, tail->arg_count, passed_on);
    pto_emit_put(e->arena, &e->fn->body, inner.data, inner.len);
    same_variables(e, op, passed_on);
}

static void write_switch(pto_emitter *e, const pto_operation *op) {
    const pto_attr *cases = pto_operation_attr(op, "cases");
    pto_emit_place *place = pto_emit_places(e, op->result, op->result_count);
    pto_emit_text before = set_aside(e);
    pto_emit_line(e, "switch (%s) {", pto_emit_name(e, op->operand[0]));
    for (uint32_t i = 0; i <= cases->count; i++) {
        if (i < cases->count)
            pto_emit_line(e, "case %" PRId64 ": {", cases->dense[i]);
        else
            pto_emit_line(e, "default: {");
        arm(e, op, body_of(op, i < cases->count ? i + 1 : 0), PTO_OPK_SCF_YIELD, 0, op->result_count, place);
        pto_emit_line(e, "    break;");
        pto_emit_line(e, "}");
    }
    pto_emit_line(e, "}");
    put_back(e, before, op->result_count, place);
}

static void section(pto_emitter *e, const pto_operation *op) {
    bool vector = op->kind == PTO_OPK_SECTION_VECTOR;
    pto_emit_directive(e, vector ? "#if defined(__DAV_VEC__)" : "#if defined(__DAV_CUBE__)");
    pto_emit_line(e, "{");
    e->fn->indent++;
    if (vector) {
        pto_emit_line(e, "set_mask_norm();");
        pto_emit_line(e, "set_vector_mask(-1, -1);");
    }
    pto_emit_block(e, body_of(op, 0));
    e->fn->indent--;
    pto_emit_line(e, "}");
    pto_emit_directive(e, "#endif");
}

/* ---- blocks ----------------------------------------------------------------------------------------------
 */

static void jump_to(pto_emitter *e, const pto_block *block) {
    const pto_emit_exit *exit = e->fn->exit;
    const int64_t *number = pto_value_map_find(&exit->tree->number, block);
    pto_emit_line(e, "goto L%d;", exit->first_label + (number ? (int)*number : 0));
}

static pto_emit_place *arguments_of(pto_emitter *e, const pto_block *block) {
    pto_emit_place *place = pto_emit_places(e, block->arg, block->arg_count);
    for (uint32_t i = 0; i < block->arg_count; i++) {
        const int64_t *at = pto_value_map_find(&e->at, block->arg[i]);
        place[i].at = at ? (int32_t)*at : -1;
    }
    return place;
}

static void pass_and_jump(pto_emitter *e, const pto_operation *op, uint32_t successor, uint32_t from,
                          uint32_t count) {
    const pto_block *to = op->successor[successor];
    pto_emit_place *place = arguments_of(e, to);
    bool fresh[64] = {0};
    for (uint32_t i = 0; i < count && i < 64; i++)
        fresh[i] = place[i].at < 0;
    pto_emit_moves(e, count, count ? op->operand + from : NULL, place);
    for (uint32_t i = 0; i < count && i < 64 && !e->failed; i++)
        if (fresh[i])
            pto_emit_variable(e, place[i].at, NULL);
    if (count > 64)
        pto_emit_refuse(e, "a block of more than 64 arguments");
    jump_to(e, to);
}

static void write_branch(pto_emitter *e, const pto_operation *op) {
    if (op->kind == PTO_OPK_CF_BR) {
        pass_and_jump(e, op, 0, 0, op->operand_count);
        return;
    }
    const char *name = pto_emit_name(e, op->operand[0]);
    if (op->kind == PTO_OPK_CF_COND_BR) {
        pto_emit_line(e, "if (%s) {", name);
        e->fn->indent++;
        pass_and_jump(e, op, 0, 1, op->segment[1]);
        e->fn->indent--;
        pto_emit_line(e, "}");
        pass_and_jump(e, op, 1, 1 + op->segment[1], op->segment[2]);
        return;
    }
    const pto_attr *values = pto_operation_attr(op, "case_values");
    const pto_attr *sizes = pto_operation_attr(op, "case_operand_segments");
    const pto_type *type = op->operand[0]->type;
    uint32_t at = 1 + op->segment[1];
    for (uint32_t i = 0; i < values->count; i++) {
        int64_t number =
            pto_fact_wrap(values->dense[i], pto_type_int_width(type), pto_type_is_zero_extended(type));
        uint32_t count = (uint32_t)sizes->dense[i];
        pto_emit_line(e, "if (%s == static_cast<%s>(%" PRId64 "ll)) {", name, pto_emit_scalar_type(e, type),
                      number);
        e->fn->indent++;
        pass_and_jump(e, op, i + 1, at, count);
        e->fn->indent--;
        pto_emit_line(e, "}");
        at += count;
    }
    pass_and_jump(e, op, 0, 1, op->segment[1]);
}

/* The blocks of a region; yields go to `place` and to the end, a return returns. */
static void write_blocks(pto_emitter *e, const pto_region *region, uint32_t count, pto_emit_place *place) {
    pto_emit_exit exit = {.outer = e->fn->exit, .region = region, .count = count, .place = place};
    exit.tree = pto_block_tree_make(e->arena, region);
    exit.first_label = e->fn->labels + 1;
    e->fn->labels += (int)exit.tree->count + 1;
    e->fn->exit = &exit;
    for (uint32_t b = 0; b < exit.tree->reached && !e->failed; b++) {
        if (b)
            pto_emit_directive(e, pto_arena_printf(e->arena, "L%d:;", exit.first_label + (int)b));
        pto_emit_block(e, exit.tree->order[b]);
    }
    if (exit.leaves)
        pto_emit_directive(e, pto_arena_printf(e->arena, "L%d:;", exit.first_label + (int)exit.tree->count));
    e->fn->exit = exit.outer;
}

static void execute_region(pto_emitter *e, const pto_operation *op) {
    const pto_block *body = body_of(op, 0);
    pto_emit_place *place = pto_emit_places(e, op->result, op->result_count);
    pto_emit_text before = set_aside(e);
    pto_emit_line(e, "{");
    if (body->next) {
        e->fn->indent++;
        write_blocks(e, op->region[0], op->result_count, place);
        e->fn->indent--;
    } else {
        arm(e, op, body, PTO_OPK_SCF_YIELD, 0, op->result_count, place);
    }
    pto_emit_line(e, "}");
    put_back(e, before, op->result_count, place);
}

/* A yield out of a region of several blocks. */
static void leave(pto_emitter *e, const pto_operation *op) {
    pto_emit_exit *exit = e->fn->exit;
    if (!exit || op->parent->parent != exit->region)
        return;
    uint32_t count = op->operand_count < exit->count ? op->operand_count : exit->count;
    pto_emit_moves(e, count, op->operand, exit->place);
    pto_emit_line(e, "goto L%d;", exit->first_label + (int)exit->tree->count);
    exit->leaves = true;
}

/* ---- functions
 * ---------------------------------------------------------------------------------------------- */

void pto_emit_give(pto_emitter *e) {
    if (e->fn->give)
        pto_emit_line(e, "%.*s", (int)strlen(e->fn->give) - 1, e->fn->give);
}

static void write_return(pto_emitter *e, const pto_operation *op) {
    pto_emit_function *fn = e->fn;
    pto_emit_give(e);
    if (!op->operand_count) {
        if (fn->flat)
            pto_emit_line(e, "return;");
        return;
    }
    if (!fn->result) {
        fn->result = pto_emit_places(e, NULL, op->operand_count);
        fn->result_count = op->operand_count;
    }
    /* the variables of a return exist for their types alone */
    const char *values = "";
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const pto_emit_value value = *pto_emit_get(e, op->operand[i]);
        if (value.view) {
            pto_emit_refuse(e, "a function that returns a view");
            return;
        }
        if (fn->result[i].at < 0) {
            fn->result[i].at = pto_emit_new(e, NULL, value.type);
            e->values.data[fn->result[i].at].tile = value.tile;
        } else if (strcmp(e->values.data[fn->result[i].at].type, value.type) != 0) {
            pto_emit_refuse(e, "a function that returns %s and %s", e->values.data[fn->result[i].at].type,
                            value.type);
        }
        values = pto_arena_printf(e->arena, "%s%s%s", values, i ? ", " : "", value.name);
    }
    pto_emit_line(e, op->operand_count > 1 ? "return {%s};" : "return %s;", values);
}

static int32_t expansion_of(pto_emitter *e, const pto_operation *op) {
    const int64_t *first = pto_value_map_find(&e->call_of, op);
    for (int32_t i = first ? (int32_t)*first : -1; i >= 0; i = e->next_call[i])
        if (e->code->call[i].caller == e->fn->expansion)
            return i + 1;
    return -1;
}

static void write_call(pto_emitter *e, const pto_operation *op) {
    const pto_operation *callee = pto_fact_callee(e->program, op);
    int32_t expansion = expansion_of(e, op);
    if (!callee || expansion < 0) {
        pto_emit_refuse(e, "a call of no known function");
        return;
    }
    const char *arguments = "";
    for (uint32_t i = 0; i < op->operand_count; i++)
        arguments =
            pto_arena_printf(e->arena, "%s%s%s", arguments, i ? ", " : "", pto_emit_name(e, op->operand[i]));
    /* what a result of the callee is, its returns tell */
    pto_emit_place *result = NULL;
    size_t at = pto_emit_write_function(e, callee, expansion, op->operand, &result);
    if (e->failed)
        return;
    e->current = op;
    const char *call = pto_arena_printf(e->arena, "%s(%s)", e->functions.data[at].name, arguments);
    if (!op->result_count) {
        pto_emit_line(e, "%s;", call);
        return;
    }
    const char *names = "";
    for (uint32_t i = 0; i < op->result_count; i++) {
        const pto_emit_value given = e->values.data[result[i].at];
        int32_t number = pto_emit_new(e, op->result[i], given.type);
        e->values.data[number].tile = given.tile;
        if (op->result_count == 1 && !e->fn->flat)
            pto_emit_line(e, "[[maybe_unused]] %s = %s;",
                          pto_emit_declare(e, given.type, e->values.data[number].name), call);
        else
            pto_emit_variable(e, number, NULL);
        names = pto_arena_printf(e->arena, "%s%s%s", names, i ? ", " : "", e->values.data[number].name);
    }
    if (op->result_count > 1)
        pto_emit_line(e, "std::tie(%s) = %s;", names, call);
    else if (e->fn->flat)
        pto_emit_line(e, "%s = %s;", names, call);
}

void pto_emit_blocks(pto_emitter *e, const pto_region *region) { write_blocks(e, region, 0, NULL); }

void pto_emit_flow(pto_emitter *e, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_SCF_FOR:
        write_for(e, op);
        break;
    case PTO_OPK_SCF_IF:
        write_if(e, op);
        break;
    case PTO_OPK_SCF_WHILE:
        write_while(e, op);
        break;
    case PTO_OPK_SCF_INDEX_SWITCH:
        write_switch(e, op);
        break;
    case PTO_OPK_SCF_EXECUTE_REGION:
        execute_region(e, op);
        break;
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
        section(e, op);
        break;
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
        write_branch(e, op);
        break;
    case PTO_OPK_CALL:
        write_call(e, op);
        break;
    case PTO_OPK_RETURN:
        write_return(e, op);
        break;
    case PTO_OPK_SCF_YIELD:
        leave(e, op);
        break;
    default: /* conditions are read by their parents */
        break;
    }
}
