/* SPDX-License-Identifier: Apache-2.0 */
/* Level 2 to level 1 (60, 2): a handle becomes the values that are written to it, one after the other. That
 * needs tiles that are written whole before they are read, in the block that owns them; anything else is
 * refused. */
#include "text/convert.h"
#include "text/ssa.h"
#include <pto/ops.h>

#include <string.h>

typedef struct handle {
    const pto_block *owner; /* where it may be written */
    pto_value *value;       /* the value that it holds now; NULL = unknown */
    bool argument;          /* the caller's tile */
    bool shared;            /* an alias of another handle */
    bool consumed;          /* its value was taken over by another */
} handle;

static handle *find(const pto_converter *c, const pto_value *tile) {
    const int64_t *found = pto_value_map_find(c->state, tile);
    return found ? (handle *)(intptr_t)*found : NULL;
}

static handle *add(pto_converter *c, const pto_value *tile, const pto_block *owner, pto_value *value) {
    handle *h = pto_arena_new(c->arena, handle);
    h->owner = owner;
    h->value = value;
    pto_value_map_set(c->state, tile, (int64_t)(intptr_t)h);
    return h;
}

static pto_span span_of(const pto_operation *op, int position) {
    if (op->operand_span && op->operand_span[position].end > op->operand_span[position].begin)
        return op->operand_span[position];
    return op->span;
}

/* The value that a tile operand holds; NULL after a refusal. */
static pto_value *read_tile(pto_converter *c, const pto_operation *op, int position) {
    const pto_value *tile = op->operand[position];
    handle *h = find(c, tile);
    if (!h)
        return pto_convert_value(c, tile); /* a value already */
    if (h->value)
        return h->value;
    pto_convert_refuse(c, span_of(op, position),
                       h->consumed ? "%%%.*s is read after its value was taken over"
                                   : "%%%.*s is read before it is written whole",
                       PTO_STR_ARG(tile->name));
    return NULL;
}

/* May the handle be written here? */
static bool may_write(pto_converter *c, const pto_operation *op, int position, const handle *h,
                      bool takes_over) {
    const pto_value *tile = op->operand[position];
    if (h->owner != op->parent)
        pto_convert_refuse(c, span_of(op, position), "%%%.*s is written inside a region that it outlives",
                           PTO_STR_ARG(tile->name));
    else if (h->shared)
        pto_convert_refuse(c, span_of(op, position), "%%%.*s shares its bytes with another tile",
                           PTO_STR_ARG(tile->name));
    else if (h->argument && !takes_over)
        pto_convert_refuse(c, span_of(op, position), "%%%.*s is the caller's tile: SSA text cannot write it",
                           PTO_STR_ARG(tile->name));
    else
        return true;
    return false;
}

/* The form that names the old value, of the instruction whose form reads and writes its destination. */
static int named_form(const pto_form_desc *form) {
    const pto_op_desc *op = &pto_op_table[form->op];
    for (int i = 0; i < op->form_count; i++) {
        const pto_form_desc *other = pto_form_get((pto_form)((int)op->first_form + i));
        if (other != form && other->operand_count == form->operand_count + 1 &&
            pto_form_operand_index(other, "cIn") >= 0)
            return (int)op->first_form + i;
    }
    return -1;
}

static bool may_be_undefined(const pto_form_desc *form) {
    return !strcmp(form->mnemonic, "TINSERT") || !strcmp(form->mnemonic, "TINSERT_FP");
}

static void instruction(pto_converter *c, const pto_operation *op, pto_block *into) {
    const pto_form_desc *form = pto_form_get(op->form), *old_form = form;
    int named = -1;
    if (!form->text[PTO_TEXT_LEVEL1].opcode) {
        named = named_form(form);
        if (named < 0) {
            pto_convert_refuse(c, op->span, "%s (%s) has no level 1 spelling", form->mnemonic, form->form);
            return;
        }
        form = pto_form_get((pto_form)named);
    }
    if (form->op == PTO_OP_TASSIGN) {
        pto_convert_refuse(c, op->span, "an explicit address has no SSA form");
        return;
    }
    pto_operation *copy = pto_operation_create(c->to, PTO_OPK_INSTR, form->operand_count, 0);
    copy->form = named >= 0 ? (pto_form)named : op->form;
    copy->span = op->span;
    copy->name_span = op->name_span;
    pto_convert_attrs(c, op, copy);
    /* Inputs first: an instruction may read what it writes. */
    const pto_value *out[4];
    int out_position[4];
    uint32_t outs = 0;
    handle *taken = NULL;
    for (int i = 0; i < old_form->operand_count && (uint32_t)i < op->operand_count; i++) {
        const pto_operand_desc *desc = &old_form->operand[i];
        const pto_value *value = op->operand[i];
        int position = pto_form_operand_index(form, desc->name);
        if (!value || position < 0 || desc->role == PTO_ROLE_ATTR)
            continue;
        bool writes = desc->role == PTO_ROLE_OUT || desc->role == PTO_ROLE_INOUT;
        if (writes && !desc->is_global && value->type && pto_type_is_tile(value->type)) {
            handle *h = find(c, value);
            if (!h || outs == 4 || !may_write(c, op, i, h, desc->role == PTO_ROLE_INOUT)) {
                if (!c->failed)
                    pto_convert_refuse(c, span_of(op, i), "%%%.*s is a value that cannot be written again",
                                       PTO_STR_ARG(value->name));
                return;
            }
            out[outs] = value;
            out_position[outs++] = position;
            if (desc->role == PTO_ROLE_INOUT && !(may_be_undefined(form) && !h->value)) {
                pto_value *old = read_tile(c, op, i);
                if (!old)
                    return;
                if (named >= 0)
                    copy->operand[pto_form_operand_index(form, "cIn")] = old;
                else
                    copy->acc = old;
            }
        } else if (desc->is_counts) { /* a result of its own; what level 2 hands in is read by nothing */
            if (outs < 4) {
                out[outs] = value;
                out_position[outs++] = position;
            }
        } else if (desc->role == PTO_ROLE_TMP) {
            /* The text omits scratch; what the tile held is lost. */
            handle *h = find(c, value);
            if (h)
                h->value = NULL;
        } else if (value->type && pto_type_is_tile(value->type)) {
            copy->operand[position] = read_tile(c, op, i);
            if (!copy->operand[position])
                return;
            if (!strcmp(desc->name, "cIn"))
                taken = find(c, value);
        } else {
            copy->operand[position] = pto_convert_value(c, value);
        }
        copy->operand_span[position] = op->operand_span ? op->operand_span[i] : op->span;
    }
    /* Results of destination-passing text are aliases: treshape. */
    copy->result_count = outs + op->result_count;
    copy->result = pto_arena_new_array(c->arena, pto_value *, copy->result_count);
    if (taken) {
        taken->value = NULL;
        taken->consumed = true;
    }
    for (uint32_t k = 0; k < outs; k++) {
        pto_value *value = pto_operation_set_result(c->to, copy, k, pto_convert_type(c, out[k]->type),
                                                    pto_program_copy(c->to, out[k]->name));
        value->span = op->operand_span ? op->operand_span[out_position[k]] : op->span;
        handle *h = find(c, out[k]);
        if (!h)
            continue;
        h->value = value;
        h->consumed = false;
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
        const pto_value *old = op->result[k];
        pto_value *value = pto_operation_set_result(c->to, copy, outs + k, pto_convert_type(c, old->type),
                                                    pto_program_copy(c->to, old->name));
        value->span = old->span;
        pto_convert_map(c, old, value);
        if (!pto_type_is_tile(old->type))
            continue;
        add(c, old, op->parent, value)->shared = true;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            handle *source = op->operand[i] ? find(c, op->operand[i]) : NULL;
            if (source)
                source->shared = true;
        }
    }
    pto_block_append(into, copy);
}

static void allocation(pto_converter *c, const pto_operation *op) {
    const pto_value *tile = op->result[0];
    if (op->operand_count) {
        uint32_t first;
        bool addr = pto_fact_segment(op, 0, &first) != 0;
        pto_convert_refuse(c, op->span, "%%%.*s has %s, which SSA text cannot say", PTO_STR_ARG(tile->name),
                           addr ? "an explicit address" : "valid extents known at run time only");
        return;
    }
    add(c, tile, op->parent, NULL);
}

static void function(pto_converter *c, const pto_operation *op, pto_block *into) {
    pto_operation *copy = pto_convert_plain(c, op, into);
    const pto_block *body = pto_function_body(op);
    for (uint32_t i = 0; body && i < body->arg_count; i++)
        if (pto_type_is_tile(body->arg[i]->type))
            add(c, body->arg[i], body, NULL)->argument = true;
    /* The handles of the arguments hold the arguments, which are made with the region. */
    pto_convert_regions(c, op, copy);
}

static bool touches_tiles(const pto_operation *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i] && op->operand[i]->type && pto_type_is_tile(op->operand[i]->type))
            return true;
    return false;
}

static void operation(pto_converter *c, const pto_operation *op, pto_block *into) {
    if (!op->prev && op->parent && op->parent->parent && op->parent->parent->parent &&
        op->parent->parent->parent->kind == PTO_OPK_FUNC) {
        for (uint32_t i = 0; i < op->parent->arg_count; i++) {
            handle *h = find(c, op->parent->arg[i]);
            if (h && h->argument)
                h->value = pto_convert_value(c, op->parent->arg[i]);
        }
    }
    const char *name = pto_op_kind_name(op->kind);
    switch (op->kind) {
    case PTO_OPK_INSTR:
        instruction(c, op, into);
        return;
    case PTO_OPK_FUNC:
        function(c, op, into);
        return;
    case PTO_OPK_ALLOC_TILE:
        allocation(c, op);
        return;
    case PTO_OPK_BITCAST:
    case PTO_OPK_SUBSET:
    case PTO_OPK_SET_VALIDSHAPE:
    case PTO_OPK_TSETVAL:
        pto_convert_refuse(c, op->span, "%s changes or aliases a part of a tile: SSA text has no form for it",
                           name);
        return;
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
    case PTO_OPK_BARRIER:
    case PTO_OPK_BARRIER_SYNC:
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        pto_convert_refuse(c, op->span, "%s: SSA text has no explicit synchronisation", name);
        return;
    case PTO_OPK_TGETVAL: {
        pto_value *tile = read_tile(c, op, 0);
        if (!tile)
            return;
        pto_operation *copy = pto_convert_plain(c, op, into);
        copy->operand[0] = tile;
        return;
    }
    default:
        break;
    }
    if (touches_tiles(op)) {
        pto_convert_refuse(c, op->span, "%s passes a tile on: SSA text has no handles",
                           name ? name : "the operation");
        return;
    }
    pto_convert_whole(c, op, into);
}

void pto_convert_to_values(pto_converter *c) {
    pto_value_map handles = {.arena = c->arena};
    c->state = &handles;
    c->operation = operation;
    c->tile_kind = PTO_TYPE_TILE;
    pto_convert_block(c, c->from->module->region[0]->first, c->to->module->region[0]->first);
}
