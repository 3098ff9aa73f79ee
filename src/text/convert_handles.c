/* SPDX-License-Identifier: Apache-2.0 */
/* Level 1 to level 2 (60, 2): every tile result becomes a handle that its instruction writes. A result that
 * takes over the storage of an old value is written to the handle of that value. */
#include "text/convert_carried.h"
#include "text/ssa.h"
#include <pto/ops.h>

#include <string.h>

/* The form that reads and writes its destination, of the instruction whose form names the old value `cIn`. */
static int in_place_form(const pto_form_desc *form) {
    const pto_op_desc *op = &pto_op_table[form->op];
    for (int i = 0; i < op->form_count; i++) {
        const pto_form_desc *other = pto_form_get((pto_form)((int)op->first_form + i));
        if (other != form && other->operand_count == form->operand_count - 1 &&
            other->operand[0].role == PTO_ROLE_INOUT && pto_form_operand_index(other, "cIn") < 0)
            return (int)op->first_form + i;
    }
    return -1;
}

/* Moves the operands of `copy` to the positions of another form, by name. */
static void change_form(pto_converter *c, pto_operation *copy, pto_form to) {
    const pto_form_desc *old = pto_form_get(copy->form), *form = pto_form_get(to);
    pto_value **operand = pto_arena_new_array(c->arena, pto_value *, form->operand_count);
    pto_span *span = pto_arena_new_array(c->arena, pto_span, form->operand_count);
    for (int i = 0; i < old->operand_count && (uint32_t)i < copy->operand_count; i++) {
        int position = pto_form_operand_index(form, old->operand[i].name);
        if (position < 0)
            continue;
        operand[position] = copy->operand[i];
        span[position] = copy->operand_span[i];
    }
    copy->form = to;
    copy->operand = operand;
    copy->operand_span = span;
    copy->operand_count = form->operand_count;
}

bool pto_convert_stays_result(const pto_form_desc *form, int position) {
    const int8_t *result = form->text[PTO_TEXT_LEVEL2].result;
    const char *spelling = form->text[PTO_TEXT_LEVEL2].spelling;
    for (int i = 0; i < 4 && result[i] >= 0; i++)
        if (result[i] == position)
            return spelling && spelling[0] == '%';
    return false;
}

const pto_type *pto_convert_handle_type(pto_converter *c, const pto_value *value) {
    const pto_type *type = value->type;
    if (!type || type->open)
        pto_convert_refuse(c, value->span, "the type of %%%.*s is open: its parameters are not given",
                           PTO_STR_ARG(value->name));
    else if (pto_type_is_tile(type) &&
             (type->tile.valid_rows == PTO_DYNAMIC || type->tile.valid_cols == PTO_DYNAMIC))
        pto_convert_refuse(c, value->span, "the valid extents of %%%.*s are not known",
                           PTO_STR_ARG(value->name));
    return pto_convert_type(c, type);
}

bool pto_convert_describe(const pto_operation *op, pto_legality *legality) {
    const pto_form_desc *form = pto_form_get(op->form);
    bool known = true;
    legality->form = form;
    for (int k = 0; k < form->operand_count; k++) {
        const pto_value *value = pto_instr_value(op, k);
        pto_legality_operand *operand = &legality->operand[k];
        *operand = (pto_legality_operand){.kind = PTO_OPERAND_ABSENT};
        if (form->operand[k].role == PTO_ROLE_ATTR) {
            int64_t number;
            if (pto_fact_attr(op, k, &number))
                *operand = (pto_legality_operand){
                    .kind = PTO_OPERAND_SCALAR, .value_known = true, .value = {.i = number}};
        } else if (value && value->type && pto_type_is_tile(value->type)) {
            known = known && !value->type->open;
            *operand = (pto_legality_operand){.kind = PTO_OPERAND_TILE,
                                              .type = value->type->tile,
                                              .valid_rows = value->type->tile.valid_rows,
                                              .valid_cols = value->type->tile.valid_cols,
                                              .identity = value};
        } else if (value && form->operand[k].is_counts) {
            *operand = (pto_legality_operand){.kind = PTO_OPERAND_COUNTS};
        } else if (value && value->type) {
            *operand = (pto_legality_operand){.kind = PTO_OPERAND_SCALAR,
                                              .value = {.dtype = pto_type_dtype(value->type)}};
        }
    }
    return known;
}

/* A scratch tile that level 2 shows and the text left out. */
static void add_scratch(pto_converter *c, pto_operation *copy, pto_block *into) {
    const pto_form_desc *form = pto_form_get(copy->form);
    for (int i = 0; i < form->operand_count; i++) {
        if (form->operand[i].role != PTO_ROLE_TMP || form->operand[i].optional || copy->operand[i])
            continue;
        pto_legality legality = {.target = PTO_TARGET_A2A3};
        bool known = pto_convert_describe(copy, &legality);
        pto_tile_type type;
        if (!known || !pto_fact_scratch_type(&legality, i, &type))
            continue; /* level 2 may leave it out as well; verification says what is wrong */
        const pto_type *handle = pto_type_tile(c->to, PTO_TYPE_TILE_BUF, &type, NULL);
        pto_operation *last = into->last;
        pto_value *scratch = pto_convert_alloc(c, into, handle, PTO_STR("tmp"), copy->name_span);
        /* In front of the instruction, which is the last of the block. */
        pto_block_remove(scratch->def);
        pto_block_insert_before(last, scratch->def);
        copy->operand[i] = scratch;
    }
}

/* What level 2 hands in for counts: a vector that is there before, which nothing reads (60, 3.9.3). */
static pto_value *counts(pto_converter *c, pto_block *into, const pto_type *type, const pto_value *result) {
    pto_operation *op = pto_operation_create(c->to, PTO_OPK_ARITH_CONSTANT, 0, 1);
    op->span = op->name_span = result->span;
    pto_value *value = pto_operation_set_result(c->to, op, 0, type, pto_program_copy(c->to, result->name));
    value->span = result->span;
    pto_attr *zeros = pto_arena_new(c->arena, pto_attr);
    *zeros = *pto_attr_opaque(c->to, PTO_STR("dense<0>"));
    zeros->type = type;
    pto_operation_set_attr(c->to, op, PTO_STR("value"), zeros);
    pto_block_append(into, op);
    return value;
}

static void instruction(pto_converter *c, const pto_operation *op, pto_block *into) {
    const pto_form_desc *form = pto_form_get(op->form);
    if (!form->text[PTO_TEXT_LEVEL2].opcode) {
        pto_convert_refuse(c, op->span, "%s has no level 2 spelling", form->mnemonic);
        return;
    }
    pto_operation *copy = pto_convert_plain(c, op, into);
    copy->name = (pto_str){NULL, 0};
    if (copy->operand_count < form->operand_count)
        pto_operation_resize(c->to, copy, form->operand_count);
    const pto_value *old = pto_instr_old_value(op);
    bool taken_over = false;
    uint32_t kept = 0;
    for (int i = 0; i < form->operand_count; i++) {
        int k = pto_instr_result(op, i);
        if (k < 0)
            continue;
        const pto_value *result = op->result[k];
        if (pto_convert_stays_result(form, i)) {
            copy->result[kept] = copy->result[k];
            copy->result[kept]->index = kept;
            kept++;
            continue;
        }
        pto_value *handle;
        if (k == 0 && old) {
            handle = pto_convert_value(c, old);
            taken_over = pto_form_operand_index(form, "cIn") >= 0;
        } else {
            const pto_type *type = pto_convert_handle_type(c, result);
            if (!type)
                return;
            handle = pto_convert_assigned(c->state, result);
            if (!handle) {
                handle = form->operand[i].is_counts
                             ? counts(c, into, type, result)
                             : pto_convert_alloc(c, into, type, result->name, result->span);
                pto_block_remove(handle->def);
                pto_block_insert_before(copy, handle->def);
            }
        }
        copy->operand[i] = handle;
        copy->operand_span[i] = result->span;
        pto_convert_map(c, result, handle);
    }
    copy->result_count = kept;
    copy->acc = NULL;
    if (form->op == PTO_OP_TASSIGN && !copy->result_count && copy->operand[0]) {
        /* `pto.tassign %t, %addr` places the handle: level 2 gives it a new name. */
        copy->result = pto_arena_new_array(c->arena, pto_value *, 1);
        copy->result_count = 1;
        pto_value *placed =
            pto_operation_set_result(c->to, copy, 0, copy->operand[0]->type, copy->operand[0]->name);
        pto_convert_map(c, op->operand[0], placed);
    }
    int in_place = taken_over ? in_place_form(form) : -1;
    if (in_place >= 0)
        change_form(c, copy, (pto_form)in_place);
    add_scratch(c, copy, into);
}

static bool is_tile(const pto_value *value) { return value && value->type && pto_type_is_tile(value->type); }

static void operation(pto_converter *c, const pto_operation *op, pto_block *into) {
    if (op->kind == PTO_OPK_INSTR) {
        instruction(c, op, into);
        return;
    }
    if (pto_carries(op)) {
        pto_convert_carrier(c, c->state, op, into);
        return;
    }
    if (pto_convert_terminator(c, c->state, op, into))
        return;
    if (op->successor_count)
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (is_tile(op->operand[i])) {
                /* what a branch writes may be read on another way */
                pto_convert_refuse(c, op->operand_span ? op->operand_span[i] : op->span,
                                   "a tile that %s passes on has no one handle", pto_op_kind_name(op->kind));
                return;
            }
    if (op->kind == PTO_OPK_CALL) {
        for (uint32_t i = 0; i < op->result_count; i++)
            if (is_tile(op->result[i])) {
                pto_convert_refuse(c, op->span, "a function that returns a tile has no level 2 form");
                return;
            }
    }
    pto_convert_whole(c, op, into);
}

void pto_convert_to_handles(pto_converter *c) {
    pto_carried carried;
    pto_carried_look(&carried, c->arena, c->from->module);
    c->state = &carried;
    c->operation = operation;
    c->tile_kind = PTO_TYPE_TILE_BUF;
    pto_convert_block(c, c->from->module->region[0]->first, c->to->module->region[0]->first);
}
