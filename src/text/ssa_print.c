/* SPDX-License-Identifier: Apache-2.0 */
/* Prints one instruction as an SSA statement (60, 1.2, 2). */
#include "text/ssa_print.h"
#include "program/facts.h"
#include "text/print.h"
#include <pto/ops.h>

#include <string.h>

typedef PTO_VEC(const pto_value *) value_list;

static bool print_value(const pto_ssa_printer *p, const pto_operation *op, const pto_value *value) {
    bool literal = false;
    pto_str name = p->name(p->user, op, value, &literal);
    if (!literal)
        pto_sink_char(p->sink, '%', 1);
    pto_sink_put(p->sink, name.data, name.len);
    return literal;
}

/* Schema scalars that stand as indices of the operand before them. */
static bool is_index(const pto_form_desc *form, const pto_text_pattern *pattern, int position) {
    if (pattern->indexed < 0 || form->operand[pattern->indexed].is_global ||
        form->operand[position].role != PTO_ROLE_SCALAR)
        return false;
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++)
        if (pattern->operand[i] == position)
            return false;
    return true;
}

static void print_indices(const pto_ssa_printer *p, const pto_operation *op,
                          const pto_text_pattern *pattern) {
    const pto_form_desc *form = pto_form_get(op->form);
    const char *before = "[";
    bool any = false;
    for (uint32_t i = 0; i < op->index_count; i++, before = ", ", any = true) {
        pto_sink_text(p->sink, before);
        print_value(p, op, op->index[i]);
    }
    for (int i = 0; i < form->operand_count; i++) {
        if (!is_index(form, pattern, i) || (uint32_t)i >= op->operand_count || !op->operand[i])
            continue;
        pto_sink_text(p->sink, before);
        print_value(p, op, op->operand[i]);
        before = ", ";
        any = true;
    }
    if (any)
        pto_sink_char(p->sink, ']', 1);
}

/* PTO-AS writes `#pto.cmp<EQ>` and `#pto.round_mode<CAST_FLOOR>` (60, 1.5). */
static void print_enum(const pto_ssa_printer *p, const pto_attr *attr) {
    if (!attr->enum_kind.len) { /* a word that no enum is known to have */
        pto_sink_put(p->sink, attr->text.data, attr->text.len);
        return;
    }
    pto_sink_printf(p->sink, "#pto.%.*s<", PTO_STR_ARG(attr->enum_kind));
    if (pto_str_equal(attr->enum_kind, PTO_STR("cmp"))) {
        for (size_t i = 0; i < attr->text.len; i++) {
            char c = attr->text.data[i];
            pto_sink_char(p->sink, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c, 1);
        }
    } else {
        /* RINT and CAST_RINT are two values of the dialect. */
        if (pto_str_equal(attr->enum_kind, PTO_STR("round_mode")) &&
            !pto_str_starts_with(attr->text, PTO_STR("CAST_")) && !pto_str_equal(attr->text, PTO_STR("RINT")))
            pto_sink_text(p->sink, "CAST_");
        pto_sink_put(p->sink, attr->text.data, attr->text.len);
    }
    pto_sink_char(p->sink, '>', 1);
}

static void print_attrs(const pto_ssa_printer *p, const pto_operation *op) {
    if (!op->attr_count)
        return;
    if (p->text != PTO_TEXT_AS) {
        pto_sink_char(p->sink, ' ', 1);
        pto_text_print_attrs(p->sink, op);
        return;
    }
    const char *before = " {";
    for (uint32_t i = 0; i < op->attr_count; i++, before = ", ") {
        pto_sink_text(p->sink, before);
        const pto_attr *value = op->attr[i].value;
        if (value->kind == PTO_AV_ENUM) {
            pto_text_print_key(p->sink, op->attr[i].name);
            pto_sink_text(p->sink, " = ");
            print_enum(p, value);
        } else {
            pto_text_print_named_attr(p->sink, &op->attr[i]);
        }
    }
    pto_sink_char(p->sink, '}', 1);
}

/* One type says it all: every operand is a tile of the type of every result. */
static const pto_type *one_type(const pto_operation *op, const value_list *operands) {
    if (!op->result_count || !operands->count || op->index_count)
        return NULL;
    const pto_type *type = op->result[0]->type;
    if (!pto_type_is_tile(type))
        return NULL;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->result[i]->type != type)
            return NULL;
    for (size_t i = 0; i < operands->count; i++)
        if (operands->data[i]->type != type)
            return NULL;
    return type;
}

static void print_type_list(const pto_ssa_printer *p, const pto_type *const *types, size_t count,
                            bool parens) {
    if (parens)
        pto_sink_char(p->sink, '(', 1);
    for (size_t i = 0; i < count; i++) {
        if (i)
            pto_sink_text(p->sink, ", ");
        pto_text_print_type(p->sink, types[i]);
    }
    if (parens)
        pto_sink_char(p->sink, ')', 1);
}

static void print_signature(const pto_ssa_printer *p, const pto_operation *op, const value_list *operands) {
    const pto_type *types[PTO_MAX_OPERANDS + 1];
    size_t count = 0;
    const pto_type *one = one_type(op, operands);
    if (!operands->count && !op->result_count)
        return;
    pto_sink_text(p->sink, " : ");
    if (one && p->text == PTO_TEXT_AS) {
        pto_text_print_type(p->sink, one);
        return;
    }
    for (size_t i = 0; i < operands->count && i < PTO_MAX_OPERANDS + 1; i++)
        types[count++] = operands->data[i]->type;
    /* A PTO-AS instruction without results has a plain list. */
    bool arrow = op->result_count > 0 || p->text == PTO_TEXT_LEVEL1;
    print_type_list(p, types, count, arrow && count != 1);
    if (!arrow)
        return;
    pto_sink_text(p->sink, " -> ");
    count = 0;
    for (uint32_t i = 0; i < op->result_count && i < PTO_MAX_OPERANDS; i++)
        types[count++] = op->result[i]->type;
    print_type_list(p, types, count, count != 1);
}

static bool same_name(const pto_ssa_printer *p, const pto_operation *op, const pto_value *a,
                      const pto_value *b) {
    bool literal;
    pto_str first = p->name(p->user, op, a, &literal);
    /* The caller may keep one buffer for all names. */
    char copy[256];
    if (first.len > sizeof copy)
        return false;
    memcpy(copy, first.data, first.len);
    size_t len = first.len;
    return pto_str_equal((pto_str){copy, len}, p->name(p->user, op, b, &literal));
}

bool pto_ssa_has_destination(const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count && (uint32_t)i < op->operand_count; i++)
        if (op->operand[i] &&
            (form->operand[i].role == PTO_ROLE_OUT || form->operand[i].role == PTO_ROLE_INOUT) &&
            !form->operand[i].is_global && op->form != PTO_FORM_TASSIGN)
            return true;
    return false;
}

static void print_group(const pto_ssa_printer *p, const pto_operation *op, const char *open,
                        const int8_t *positions, const pto_operation *attrs) {
    const pto_type *types[PTO_MAX_OPERANDS];
    size_t count = 0;
    pto_sink_text(p->sink, open);
    for (int i = 0; i < PTO_MAX_OPERANDS && positions[i] >= 0; i++) {
        if ((uint32_t)positions[i] >= op->operand_count || !op->operand[positions[i]])
            continue;
        pto_sink_text(p->sink, count ? ", " : "");
        print_value(p, op, op->operand[positions[i]]);
        types[count++] = op->operand[positions[i]]->type;
    }
    if (attrs && attrs->attr_count) {
        pto_sink_char(p->sink, ' ', 1);
        pto_text_print_attrs(p->sink, attrs);
    }
    pto_sink_text(p->sink, " : ");
    print_type_list(p, types, count, false);
    pto_sink_char(p->sink, ')', 1);
}

/* A level 2 instruction among SSA statements, as the documents print them. */
static void print_destination_passing(const pto_ssa_printer *p, const pto_operation *op) {
    const pto_text_pattern *pattern = &pto_form_get(op->form)->text[PTO_TEXT_LEVEL2];
    int8_t results[sizeof pattern->result];
    memcpy(results, pattern->result, sizeof pattern->result);
    pto_sink_text(p->sink, pattern->opcode);
    print_group(p, op, " ins(", pattern->operand, pattern->attr_in_ins ? op : NULL);
    print_group(p, op, " outs(", results, NULL);
    if (!pattern->attr_in_ins && op->attr_count) {
        pto_sink_char(p->sink, ' ', 1);
        pto_text_print_attrs(p->sink, op);
    }
}

void pto_ssa_print(const pto_ssa_printer *p, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_text_pattern *pattern = &form->text[p->text];
    if (pto_ssa_has_destination(op) && form->text[PTO_TEXT_LEVEL2].opcode) {
        print_destination_passing(p, op);
        return;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        pto_sink_text(p->sink, i ? ", %" : "%");
        bool literal;
        pto_str name = p->name(p->user, op, op->result[i], &literal);
        pto_sink_put(p->sink, name.data, name.len);
    }
    if (op->result_count)
        pto_sink_text(p->sink, " = ");
    /* tmov.m2l and its like keep their spelling. */
    if (op->name.len && pto_str_starts_with(op->name, pto_str_from(pattern->opcode)))
        pto_sink_put(p->sink, op->name.data, op->name.len);
    else
        pto_sink_text(p->sink, pattern->opcode);
    const pto_value *storage[PTO_MAX_OPERANDS + 1];
    value_list operands = {.data = storage, .capacity = PTO_MAX_OPERANDS + 1};
    const char *before = " ";
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++) {
        int position = pattern->operand[i];
        const pto_value *value = (uint32_t)position < op->operand_count ? op->operand[position] : NULL;
        if (!value)
            continue;
        pto_sink_text(p->sink, before);
        before = ", ";
        print_value(p, op, value);
        operands.data[operands.count++] = value;
        if (position == pattern->indexed)
            print_indices(p, op, pattern);
    }
    /* Without %acc the result name itself names the old value (60, 2). */
    if (op->acc && !(op->result_count && same_name(p, op, op->acc, op->result[0]))) {
        pto_sink_text(p->sink, before);
        print_value(p, op, op->acc);
        operands.data[operands.count++] = op->acc;
    }
    print_attrs(p, op);
    print_signature(p, op, &operands);
}
