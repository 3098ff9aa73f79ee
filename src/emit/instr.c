/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of the table as calls of the C++ facade (60, 6.4): the overload of the form that takes the
 * operands at hand, with the template arguments that say something. */
#include "emit/calls.h"
#include "emit/emit.h"

#include "isa/conv.h"
#include "tile/global.h"

#include <inttypes.h>
#include <pto/ops.h>
#include <string.h>

typedef struct call {
    const pto_operation *op;
    const pto_form_desc *form;
    const pto_cpp_form *cpp;
    const char *name[PTO_MAX_OPERANDS]; /* argument; NULL = absent */
    const char *type[PTO_MAX_OPERANDS];
    const pto_emit_view *view[PTO_MAX_OPERANDS];
    int64_t attr[PTO_MAX_OPERANDS];
    bool says[PTO_MAX_OPERANDS]; /* the attribute has another value than its default */
} call;

/* ---- operands -------------------------------------------------------------------------------------- */

static const pto_value *first_tile(const pto_operation *op, const pto_form_desc *form) {
    for (int i = 0; i < form->operand_count; i++) {
        const pto_value *value = pto_instr_value(op, i);
        if (value && pto_type_is_tile(value->type))
            return value;
    }
    return NULL;
}

static pto_emit_dim valid_extent(pto_emitter *e, const pto_emit_value *tile, bool rows) {
    int32_t extent = rows ? tile->tile.valid_rows : tile->tile.valid_cols;
    if (extent >= 0)
        return (pto_emit_dim){NULL, extent};
    return (pto_emit_dim){pto_arena_printf(e->arena, "%s.GetValid%s()", tile->name, rows ? "Row" : "Col"), 0};
}

/* The window of a view at indices, as large as the valid region of the tile. */
static void window(pto_emitter *e, const pto_operation *op, const pto_value *tile, pto_emit_view *view) {
    const pto_emit_value *into = pto_emit_get(e, tile);
    for (uint32_t i = 0; i < op->index_count && i < 5; i++) {
        int d = (int)(5 - (op->index_count > 5 ? 5 : op->index_count) + i);
        pto_emit_dim at = pto_emit_dim_of(e, op->index[i]);
        if (!at.text && !at.number)
            continue;
        const char *step = pto_emit_dim_text(e, view->stride[d]), *text = pto_emit_dim_text(e, at);
        if (view->stride[d].text || view->stride[d].number != 1)
            text = pto_arena_printf(e->arena, "%s * %s", text, step);
        view->offset = view->offset ? pto_arena_printf(e->arena, "%s + %s", view->offset, text) : text;
    }
    if (into->tile.conv) {
        int64_t shape[5], extent[5];
        for (int d = 0; d < 5; d++) {
            shape[d] = view->shape[d].number;
            if (view->shape[d].text || shape[d] < 0)
                pto_emit_refuse(e, "a convolution tile in a tensor of open extents");
        }
        pto_conv_window(into->tile.conv, view->layout, shape, extent);
        for (int d = 0; d < 5; d++)
            view->shape[d] = (pto_emit_dim){NULL, extent[d]};
        return;
    }
    for (int d = 0; d < 3; d++)
        view->shape[d] = (pto_emit_dim){NULL, 1};
    view->shape[3] = valid_extent(e, into, true);
    view->shape[4] = valid_extent(e, into, false);
}

/* The view as this instruction sees it. */
static const pto_emit_value *view_operand(pto_emitter *e, const pto_operation *op, const pto_value *value) {
    const pto_value *tile = first_tile(op, pto_form_get(op->form));
    const pto_emit_value *known = pto_emit_get(e, value);
    pto_view_facts facts;
    if (!known->view)
        pto_emit_refuse(e, "a view that C++ does not have");
    if (e->failed || !tile || !pto_fact_view(value, &facts))
        return known;
    pto_layout layout = pto_fact_layout_for(&facts, &tile->type->tile);
    if (!op->index_count && layout == facts.layout)
        return known;
    pto_emit_view *seen = pto_arena_new(e->arena, pto_emit_view);
    *seen = *known->view;
    seen->layout = layout;
    if (op->index_count)
        window(e, op, tile, seen);
    int32_t number = pto_emit_new(e, NULL, "");
    pto_emit_view_variable(e, number, seen);
    return &e->values.data[number];
}

static void argument(pto_emitter *e, call *c, int i, const pto_value *value) {
    const pto_emit_value *known = pto_type_is_tile(value->type) || pto_type_is_scalar(value->type)
                                      ? pto_emit_get(e, value)
                                      : view_operand(e, c->op, value);
    c->name[i] = known->name;
    c->type[i] = known->type;
    c->view[i] = known->view;
}

static void scratch(pto_emitter *e, call *c, int i) {
    int32_t slot = pto_emit_slot(e, c->op, i);
    if (slot < 0)
        return;
    int32_t number = pto_emit_new_tile(e, NULL, &e->code->slot[slot].tile.type);
    pto_emit_assign(e, number, slot);
    c->name[i] = e->values.data[number].name;
    c->type[i] = e->values.data[number].type;
}

/* The tile of a result. In destination-passing text it is a view of a source that the instruction places; in
 * SSA text it has storage of its own, or that of the value that it takes over. */
static void result(pto_emitter *e, call *c, int i, const pto_value *value) {
    bool binds = c->form->operand[i].binds && i == 0;
    const pto_value *old = i == 0 && !binds ? pto_instr_old_value(c->op) : NULL;
    int32_t slot = pto_emit_slot(e, value, 0), number;
    if (old && pto_emit_slot(e, old, 0) == slot) {
        pto_emit_get(e, old);
        number = (int32_t)*pto_value_map_find(&e->at, old);
        pto_value_map_set(&e->at, value, number);
    } else {
        number = pto_emit_new_tile(e, value, &value->type->tile);
        if (!binds && slot >= 0)
            pto_emit_assign(e, number, slot);
    }
    c->name[i] = e->values.data[number].name;
    c->type[i] = e->values.data[number].type;
}

/* Dynamic extents of SSA results follow the first source (30, TLOAD). */
static void result_extents(pto_emitter *e, const call *c, int32_t number) {
    const pto_tile_type *type = &e->values.data[number].tile;
    if (type->valid_rows >= 0 && type->valid_cols >= 0)
        return;
    for (int i = 0; i < c->form->operand_count; i++) {
        if (c->form->operand[i].role != PTO_ROLE_IN || !c->name[i])
            continue;
        if (!c->form->operand[i].is_global) {
            pto_emit_valid(e, number, pto_arena_printf(e->arena, "%s.GetValidRow()", c->name[i]),
                           pto_arena_printf(e->arena, "%s.GetValidCol()", c->name[i]));
            return;
        }
        const pto_emit_view *view = c->view[i];
        int64_t shape[5], rows, cols;
        bool known = true, flat = view->layout == PTO_LAYOUT_ND || view->layout == PTO_LAYOUT_DN;
        for (int d = 0; d < 5; d++) {
            known &= !view->shape[d].text;
            shape[d] = view->shape[d].number;
            flat &= d > 2 || (!view->shape[d].text && shape[d] == 1);
        }
        if (known) {
            pto_global_extents(view->layout, shape, &rows, &cols);
            pto_emit_valid(e, number, pto_arena_printf(e->arena, "%" PRId64, rows),
                           pto_arena_printf(e->arena, "%" PRId64, cols));
        } else if (flat) {
            pto_emit_valid(e, number, pto_emit_dim_text(e, view->shape[3]),
                           pto_emit_dim_text(e, view->shape[4]));
        } else {
            pto_emit_refuse(e, "a result whose extents follow a view of more than two open dimensions");
        }
        return;
    }
}

static void counts(pto_emitter *e, call *c, int i) {
    int32_t number = pto_emit_new(e, NULL, "MrgSortExecutedNumList");
    pto_emit_variable(e, number, NULL);
    c->name[i] = e->values.data[number].name;
    c->type[i] = "MrgSortExecutedNumList";
}

static void operands(pto_emitter *e, call *c) {
    const pto_operation *op = c->op;
    for (int i = 0; i < c->form->operand_count; i++) {
        int k = pto_instr_result(op, i);
        if (k >= 0 && !c->form->operand[i].is_counts)
            result(e, c, i, op->result[k]);
    }
    for (int i = 0; i < c->form->operand_count && !e->failed; i++) {
        const pto_operand_desc *desc = &c->form->operand[i];
        bool given = (uint32_t)i < op->operand_count && op->operand[i];
        if (desc->role == PTO_ROLE_ATTR) {
            pto_fact_attr(op, i, &c->attr[i]);
            c->says[i] = c->attr[i] != desc->attr_default;
            c->name[i] = desc->attr == PTO_ATTR_DTYPE
                             ? pto_emit_element((pto_dtype)c->attr[i])
                             : pto_emit_enumerator(e, c->cpp->attr_type[i], c->attr[i]);
        } else if (desc->is_counts) {
            counts(e, c, i);
        } else if (given) {
            argument(e, c, i, op->operand[i]);
        } else if (!c->name[i]) {
            scratch(e, c, i);
        }
    }
    for (int i = 0; i < c->form->operand_count && !e->failed; i++) {
        int k = pto_instr_result(op, i);
        if (k >= 0 && !c->form->operand[i].is_counts && !c->form->operand[i].binds)
            result_extents(e, c, (int32_t)*pto_value_map_find(&e->at, op->result[k]));
    }
}

/* ---- the overload ------------------------------------------------------------------------------------ */

static unsigned absent(const call *c) {
    unsigned set = 0;
    for (int i = 0; i < c->form->operand_count; i++) {
        const pto_operand_desc *desc = &c->form->operand[i];
        /* a saturation of TCVT has its parameter only where it is given */
        bool attr = desc->attr == PTO_ATTR_SAT_MODE && !(c->cpp->is_template & 1u << i) && !c->says[i];
        set |= (desc->role != PTO_ROLE_ATTR && !c->name[i]) || attr ? 1u << i : 0;
    }
    return set;
}

/* How many explicit template arguments the overload needs here; -1 when it does not fit. */
static int arguments_of(const call *c, const pto_cpp_call *overload) {
    unsigned listed = 0;
    int needed = 0;
    for (int k = 0; k < overload->entry_count; k++) {
        int i = overload->entry[k];
        listed |= 1u << i;
        /* types of operands are deduced, unless an attribute behind them must be written */
        if (c->form->operand[i].role == PTO_ROLE_ATTR && (!(overload->defaulted & 1u << k) || c->says[i]))
            needed = k + 1;
    }
    for (int i = 0; i < c->form->operand_count; i++)
        if (c->says[i] && (c->cpp->is_template & 1u << i) && !(listed & 1u << i))
            return -1;
    return needed;
}

static const pto_cpp_call *choose(const call *c, int *arguments) {
    const pto_cpp_call *best = NULL;
    unsigned left_out = absent(c);
    for (int k = 0; k < c->cpp->call_count; k++) {
        const pto_cpp_call *overload = &c->cpp->call[k];
        int needed = overload->left_out == left_out ? arguments_of(c, overload) : -1;
        if (needed >= 0 && (!best || needed < *arguments)) {
            best = overload;
            *arguments = needed;
        }
    }
    return best;
}

/* Where two forms take the same kinds of operands without scratch, C++ has the one: scratch tells the other.
 * The tile has storage of its own, nothing reads it. */
static const pto_cpp_call *choose_with_scratch(pto_emitter *e, call *c, int *arguments) {
    const pto_cpp_call *overload = choose(c, arguments);
    int source = 0;
    while (source < c->form->operand_count &&
           (c->form->operand[source].role != PTO_ROLE_IN || !c->type[source]))
        source++;
    for (int i = 0; i < c->form->operand_count && !overload && source < c->form->operand_count; i++) {
        if (c->form->operand[i].role != PTO_ROLE_TMP || c->name[i])
            continue;
        int32_t number = pto_emit_new(e, NULL, c->type[source]);
        pto_emit_variable(e, number, NULL);
        c->name[i] = e->values.data[number].name;
        c->type[i] = c->type[source];
        overload = choose(c, arguments);
    }
    return overload;
}

static void regular(pto_emitter *e, call *c) {
    int explicit_count = 0;
    const pto_cpp_call *overload = choose_with_scratch(e, c, &explicit_count);
    if (!overload) {
        pto_emit_refuse(e, "%s (%s) with these operands and attributes", c->form->mnemonic, c->form->form);
        return;
    }
    const char *text = c->form->mnemonic;
    for (int k = 0; k < explicit_count; k++) {
        int i = overload->entry[k];
        bool is_attr = c->form->operand[i].role == PTO_ROLE_ATTR;
        text = pto_arena_printf(e->arena, "%s%s%s", text, k ? ", " : "<", is_attr ? c->name[i] : c->type[i]);
    }
    text = pto_arena_printf(e->arena, "%s%s(", text, explicit_count ? ">" : "");
    const char *comma = "";
    for (int i = 0; i < c->form->operand_count; i++) {
        unsigned bit = 1u << i;
        if ((overload->left_out & bit) ||
            (c->form->operand[i].role == PTO_ROLE_ATTR && (c->cpp->is_template & bit)))
            continue;
        text = pto_arena_printf(e->arena, "%s%s%s%s", text, comma, c->cpp->by_pointer & bit ? "&" : "",
                                c->name[i]);
        comma = ", ";
    }
    pto_emit_line(e, "%s);", text);
}

/* ---- calls that the facade writes by hand (include/pto/common/pto_instr.hpp, memory.hpp) ------------------
 */

static void assign(pto_emitter *e, call *c) {
    const pto_operation *op = c->op;
    if (op->result_count == 1) { /* a handle of its own */
        const pto_emit_value source = *pto_emit_get(e, op->operand[0]);
        int32_t number = pto_emit_new(e, op->result[0], source.type);
        e->values.data[number].tile = source.tile;
        pto_emit_variable(e, number, source.name);
        c->name[0] = e->values.data[number].name;
    }
    pto_emit_line(e, "TASSIGN(%s, %s);", c->name[0], c->name[1]);
}

static bool by_hand(pto_emitter *e, call *c) {
    const char *const *n = c->name, *const *t = c->type;
    switch (c->op->form) {
    case PTO_FORM_TFILLPAD:
        pto_emit_line(e, "TFILLPAD(%s, %s);", n[0], n[1]);
        return true;
    case PTO_FORM_TFILLPAD_MAT:
        pto_emit_line(e, "TFILLPAD<%s, %s>(%s, %s);", t[0], n[2], n[0], n[1]);
        return true;
    case PTO_FORM_TRANDOM:
        pto_emit_line(e,
                      "TRANDOM<%" PRId64 ">(%s, {static_cast<uint32_t>(%s), static_cast<uint32_t>(%s)}, "
                      "{static_cast<uint32_t>(%s), static_cast<uint32_t>(%s), static_cast<uint32_t>(%s), "
                      "static_cast<uint32_t>(%s)});",
                      c->attr[7], n[0], n[1], n[2], n[3], n[4], n[5], n[6]);
        return true;
    case PTO_FORM_TGATHER_COMPARE:
    case PTO_FORM_TGATHER_COMPARE_SCALAR:
        if (!n[4])
            return false;
        pto_emit_line(e, "TGATHER<%s, %s, %s, %s, %s, %s>(%s, %s, %s, %s, %s, %" PRId64 ");", t[0], t[1],
                      t[2], t[3], t[4], n[5], n[0], n[1], n[2], n[3], n[4], c->attr[6]);
        return true;
    default:
        return false;
    }
}

void pto_emit_instr(pto_emitter *e, const pto_operation *op) {
    call c = {.op = op, .form = pto_form_get(op->form), .cpp = &pto_cpp_table[op->form]};
    if (op->form == PTO_FORM_TASSIGN) {
        c.name[0] = pto_emit_name(e, op->operand[0]);
        c.name[1] = pto_emit_name(e, op->operand[1]);
        assign(e, &c);
        return;
    }
    operands(e, &c);
    if (e->failed || (!c.cpp->call_count && by_hand(e, &c)))
        return;
    regular(e, &c);
}
