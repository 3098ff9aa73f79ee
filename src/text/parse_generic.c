/* SPDX-License-Identifier: Apache-2.0 */
/* Operations in generic form, and what custom syntax guarantees of them (60, 3.2, 3.9.8). */
#include "text/mlir.h"

#include <string.h>

static bool has_prop(const char *props, pto_str name, bool *required) {
    for (const char *at = props; at && *at;) {
        size_t len = strcspn(at, " ");
        bool optional = at[len - 1] == '?';
        if (pto_str_equal(name, (pto_str){at, len - optional})) {
            *required = !optional;
            return true;
        }
        at += len + (at[len] == ' ');
    }
    return false;
}

static bool kind_fits(const pto_operation *op, pto_str key, const pto_attr *value) {
    static const struct {
        const char *key;
        pto_attr_value_kind kind;
    } kinds[] = {
        {"sym_name", PTO_AV_STRING}, {"function_type", PTO_AV_TYPE}, {"sym_visibility", PTO_AV_STRING},
        {"arg_attrs", PTO_AV_ARRAY}, {"res_attrs", PTO_AV_ARRAY},    {"callee", PTO_AV_SYMBOL},
        {"format", PTO_AV_STRING},   {"predicate", PTO_AV_INT},      {"overflowFlags", PTO_AV_OPAQUE},
        {"fastmath", PTO_AV_OPAQUE}, {"unsignedCmp", PTO_AV_UNIT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (pto_str_equal(key, pto_str_from(kinds[i].key)) && value->kind != kinds[i].kind)
            return false;
    if (pto_str_equal(key, PTO_STR("function_type")))
        return value->type->kind == PTO_TYPE_FUNCTION;
    if (pto_str_equal(key, PTO_STR("predicate")))
        return value->i >= 0 && value->i < (op->kind == PTO_OPK_ARITH_CMPI ? 10 : 16);
    if (op->kind == PTO_OPK_SUBSET && pto_str_equal(key, PTO_STR("sizes"))) {
        if (value->kind != PTO_AV_ARRAY || value->count != 2)
            return value->kind == PTO_AV_DENSE && value->count == 2;
        return value->items[0]->kind == PTO_AV_INT && value->items[1]->kind == PTO_AV_INT;
    }
    return true;
}

/* `dense<[1, 5]> : tensor<2xi32>` of a cf.switch in generic form, as the numbers it holds. */
static void read_case_values(pto_text_parser *p, pto_operation *op) {
    const pto_attr *attr = pto_operation_attr(op, "case_values");
    if (!attr || attr->kind != PTO_AV_OPAQUE || !pto_str_starts_with(attr->text, PTO_STR("dense<")))
        return;
    PTO_VEC(int64_t) values = {0};
    const char *at = attr->text.data + 6, *end = attr->text.data + attr->text.len;
    while (at < end && *at != '>') {
        bool negative = *at == '-';
        int64_t value = 0;
        at += negative;
        if (at >= end || *at < '0' || *at > '9') {
            at++;
            continue;
        }
        for (; at < end && *at >= '0' && *at <= '9' && value < INT64_MAX / 16; at++)
            value = value * 10 + (*at - '0');
        pto_vec_push(p->arena, &values, negative ? -value : value);
    }
    const pto_type *type =
        op->operand_count ? op->operand[0]->type : pto_type_int(p->program, 32, PTO_SIGNLESS);
    pto_operation_set_attr(p->program, op, PTO_STR("case_values"),
                           pto_attr_dense(p->program, type, values.data, (uint32_t)values.count));
}

/* Numbers of successors, cases and their operands. */
static bool check_flow(pto_text_parser *p, pto_operation *op) {
    pto_span at = op->name_span;
    if (op->kind == PTO_OPK_CF_BR && op->successor_count != 1)
        return pto_text_fail_at(p, "PTO-E0213", at, "cf.br has one successor");
    if (op->kind == PTO_OPK_CF_COND_BR && op->successor_count != 2)
        return pto_text_fail_at(p, "PTO-E0213", at, "cf.cond_br has two successors");
    if (op->kind == PTO_OPK_SCF_INDEX_SWITCH) {
        const pto_attr *cases = pto_operation_attr(op, "cases");
        if (!cases || cases->kind != PTO_AV_DENSE || cases->count + 1 != op->region_count)
            return pto_text_fail_at(p, "PTO-E0213", at,
                                    "scf.index_switch has a region for the default and each case");
        if (cases->type != pto_type_int(p->program, 64, PTO_SIGNLESS))
            return pto_text_fail_at(p, "PTO-E0233", at, "'cases' is an array of i64");
        for (uint32_t i = 0; i < op->region_count; i++)
            if (!op->region[i]->first)
                return pto_text_fail_at(p, "PTO-E0213", at, "a region of scf.index_switch has one block");
    }
    if (op->kind == PTO_OPK_SCF_EXECUTE_REGION && !op->region[0]->first)
        return pto_text_fail_at(p, "PTO-E0213", at, "scf.execute_region has a block");
    if (op->kind != PTO_OPK_CF_SWITCH)
        return true;
    read_case_values(p, op);
    const pto_attr *values = pto_operation_attr(op, "case_values");
    const pto_attr *sizes = pto_operation_attr(op, "case_operand_segments");
    bool fits = values && sizes && values->kind == PTO_AV_DENSE && sizes->kind == PTO_AV_DENSE &&
                sizes->type == pto_type_int(p->program, 32, PTO_SIGNLESS) && values->count == sizes->count &&
                op->successor_count == values->count + 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; fits && i < sizes->count; i++) {
        fits = sizes->dense[i] >= 0 && sizes->dense[i] <= UINT16_MAX;
        sum += fits ? (uint64_t)sizes->dense[i] : 0;
    }
    if (!fits || op->segment_count != 3 || sum != op->segment[2])
        return pto_text_fail_at(p, "PTO-E0213", at, "cf.switch has a label and its operands for each case");
    return true;
}

bool pto_mlir_check_props(pto_text_parser *p, const pto_operation *op) {
    for (const char *prop = pto_op_shape_of(op->kind)->props; *prop;) {
        size_t len = strcspn(prop, " ");
        if (prop[len - 1] != '?') {
            char text[32] = {0};
            memcpy(text, prop, len < sizeof text ? len : sizeof text - 1);
            if (!pto_operation_attr(op, text))
                return pto_text_fail_at(p, "PTO-E0233", op->name_span, "%s needs the attribute '%s'",
                                        pto_op_kind_name(op->kind), text);
        }
        prop += len + (prop[len] == ' ');
    }
    return true;
}

/* What custom syntax guarantees, for operations that came in generic form. */
static bool check_structure(pto_text_parser *p, pto_operation *op) {
    const pto_op_shape *shape = pto_op_shape_of(op->kind);
    if (!shape)
        return true;
    pto_span at = op->name_span;
    const char *name = pto_op_kind_name(op->kind);
    if (op->operand_count < (uint32_t)shape->operand_min ||
        (shape->operand_max >= 0 && op->operand_count > (uint32_t)shape->operand_max))
        return pto_text_fail_at(p, "PTO-E0213", at, "%s does not take %u operands", name, op->operand_count);
    if (op->result_count < (uint32_t)shape->result_min ||
        (shape->result_max >= 0 && op->result_count > (uint32_t)shape->result_max))
        return pto_text_fail_at(p, "PTO-E0213", at, "%s does not give %u results", name, op->result_count);
    if (shape->regions == PTO_OP_ANY_REGIONS ? !op->region_count : op->region_count != shape->regions)
        return pto_text_fail_at(p, "PTO-E0213", at, "%s has %u regions, not %u", name, shape->regions,
                                op->region_count);
    if (!check_flow(p, op))
        return false;
    bool branches =
        op->kind == PTO_OPK_CF_BR || op->kind == PTO_OPK_CF_COND_BR || op->kind == PTO_OPK_CF_SWITCH;
    if (op->successor_count && !branches)
        return pto_text_fail_at(p, "PTO-E0213", at, "%s has no successors", name);
    const char *props = shape->props;
    if (!pto_mlir_check_props(p, op))
        return false;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        bool required;
        if (has_prop(props, op->attr[i].name, &required) &&
            !kind_fits(op, op->attr[i].name, op->attr[i].value))
            return pto_text_fail_at(p, "PTO-E0233", at, "the attribute '%.*s' of %s is of the wrong kind",
                                    PTO_STR_ARG(op->attr[i].name), name);
    }
    const pto_block *first = op->region_count ? op->region[0]->first : NULL;
    if (op->kind == PTO_OPK_SCF_FOR &&
        (op->result_count != op->operand_count - 3 || !first || first->arg_count != op->result_count + 1))
        return pto_text_fail_at(p, "PTO-E0213", at,
                                "the arguments and results of scf.for do not match its operands");
    if (op->kind == PTO_OPK_SCF_IF && !first)
        return pto_text_fail_at(p, "PTO-E0213", at, "scf.if has a block in its first region");
    if (op->kind == PTO_OPK_SCF_WHILE &&
        (!first || !op->region[1]->first || first->arg_count != op->operand_count))
        return pto_text_fail_at(p, "PTO-E0213", at, "the arguments of scf.while do not match its operands");
    if ((op->kind == PTO_OPK_SCF_FOR || op->kind == PTO_OPK_SCF_IF || op->kind == PTO_OPK_SCF_WHILE) &&
        (first->next || (op->region_count > 1 && op->region[1]->first && op->region[1]->first->next)))
        return pto_text_fail_at(p, "PTO-E0213", at, "a region of %s has one block", name);
    if ((op->kind == PTO_OPK_SECTION_CUBE || op->kind == PTO_OPK_SECTION_VECTOR) &&
        (!first || first->next || first->arg_count))
        return pto_text_fail_at(p, "PTO-E0213", at, "%s has one block without arguments", name);
    bool buffer = op->kind == PTO_OPK_GET_BUF || op->kind == PTO_OPK_RLS_BUF;
    if (buffer && !op->operand_count && !pto_operation_attr(op, "buf_id"))
        return pto_text_fail_at(p, "PTO-E0233", at, "%s needs the attribute 'buf_id'", name);
    bool counts = op->kind == PTO_OPK_GET_BLOCK_IDX || op->kind == PTO_OPK_GET_BLOCK_NUM ||
                  op->kind == PTO_OPK_GET_SUBBLOCK_IDX || op->kind == PTO_OPK_GET_SUBBLOCK_NUM;
    if (counts && op->result[0]->type != pto_type_int(p->program, 64, PTO_SIGNLESS))
        return pto_text_fail_at(p, "PTO-E0212", at, "%s gives an i64", name);
    if (op->kind == PTO_OPK_MODULE) {
        if (!first)
            pto_region_add_block(p->program, op->region[0]);
        else if (first->next || first->arg_count)
            return pto_text_fail_at(p, "PTO-E0213", at, "a module has one block without arguments");
        for (const pto_operation *o = first ? first->first : NULL; o; o = o->next)
            if (o->kind != PTO_OPK_FUNC && o->kind != PTO_OPK_MODULE)
                return pto_text_fail_at(p, "PTO-E0201", o->name_span, "a module holds functions and modules");
        pto_mlir_check_symbols(p, op);
    }
    if (op->kind == PTO_OPK_FUNC) {
        const pto_type *type = pto_operation_attr(op, "function_type")->type;
        const pto_attr *seen = pto_operation_attr(op, "sym_visibility");
        if (seen && !pto_str_equal(seen->text, PTO_STR("private")) &&
            !pto_str_equal(seen->text, PTO_STR("public")) && !pto_str_equal(seen->text, PTO_STR("nested")))
            return pto_text_fail_at(p, "PTO-E0233", at, "sym_visibility is private, public or nested");
        bool same = !first || first->arg_count == type->input_count;
        for (uint32_t i = 0; same && first && i < type->input_count; i++)
            same = first->arg[i]->type == type->inputs[i];
        if (!same)
            return pto_text_fail_at(p, "PTO-E0212", at, "function_type is not the type of the arguments");
        const char *const lists[] = {"arg_attrs", "res_attrs"};
        for (int k = 0; k < 2; k++) {
            const pto_attr *list = pto_operation_attr(op, lists[k]);
            bool fits = !list || list->count == (k ? type->result_count : type->input_count);
            for (uint32_t i = 0; list && fits && i < list->count; i++)
                fits = list->items[i]->kind == PTO_AV_DICT;
            if (!fits)
                return pto_text_fail_at(p, "PTO-E0233", at, "%s is no list of dictionaries, one each",
                                        lists[k]);
        }
    }
    if (op->kind == PTO_OPK_ARITH_CONSTANT || op->kind == PTO_OPK_AS_CONST) {
        const pto_attr *value = pto_operation_attr(op, "value");
        const pto_type *type = op->result[0]->type;
        bool fits = value->kind == PTO_AV_BOOL ? type->kind == PTO_TYPE_INT && type->width == 1
                                               : (value->kind == PTO_AV_INT || value->kind == PTO_AV_FLOAT ||
                                                  value->kind == PTO_AV_OPAQUE) &&
                                                     value->type == type;
        if (!fits)
            return pto_text_fail_at(p, "PTO-E0212", at, "the value of the constant is not of its type");
    }
    if (shape->segments) {
        uint32_t sum = 0;
        bool single = true; /* groups that hold at most one operand */
        for (uint32_t i = 0; i < op->segment_count; i++) {
            sum += op->segment[i];
            single &= op->segment[i] <= 1;
        }
        bool fits = op->segment_count == shape->segments && sum == op->operand_count;
        bool leads = op->kind == PTO_OPK_MAKE_TENSOR_VIEW || op->kind == PTO_OPK_PARTITION_VIEW ||
                     op->kind == PTO_OPK_CF_COND_BR || op->kind == PTO_OPK_CF_SWITCH ||
                     op->kind == PTO_OPK_MEMREF_SUBVIEW || op->kind == PTO_OPK_MEMREF_REINTERPRET_CAST;
        fits = fits && (leads ? op->segment[0] == 1 : op->kind == PTO_OPK_POINTER_CAST || single);
        if (!fits)
            return pto_text_fail_at(p, "PTO-E0213", at,
                                    "operandSegmentSizes of %s does not match its operands", name);
    }
    return true;
}

/* Without sizes all groups are empty (60, 3.9). */
static void take_segments(pto_operation *op, const pto_attr *sizes, uint32_t groups) {
    op->segment_count = 0;
    if (!sizes && !op->operand_count)
        op->segment_count = groups;
    if (!sizes || sizes->kind != PTO_AV_DENSE || sizes->count > 8)
        return;
    for (uint32_t i = 0; i < sizes->count; i++) {
        if (sizes->dense[i] < 0 || sizes->dense[i] > UINT16_MAX)
            return;
        op->segment[i] = (uint32_t)sizes->dense[i];
    }
    op->segment_count = sizes->count;
}

/* What pto.tload carries beyond source and destination has no effect (60, 3.9.1), here as in custom syntax.
 */
static void drop_clauses(pto_text_parser *p, pto_operation *op, pto_mlir_values *operands) {
    static const char *const keys[] = {"pad_mode", "init_out_buffer"};
    for (int i = 0; i < 2; i++)
        if (pto_operation_attr(op, keys[i])) {
            pto_operation_remove_attr(op, keys[i]);
            pto_text_warn(p, "PTO-W0241", op->name_span, "%s has no effect", keys[i]);
        }
    if (operands->count <= 2)
        return;
    pto_text_warn(p, "PTO-W0241", op->name_span, "padding operands have no effect");
    operands->count = 2;
}

pto_operation *pto_mlir_parse_generic(pto_text_parser *p) {
    pto_token name_token = pto_text_take(p);
    pto_str name = pto_text_unescape(p, name_token);
    pto_span name_span = pto_text_span(name_token);
    pto_op_kind kind = pto_op_kind_find(name);
    int form = kind == PTO_OPK_UNKNOWN ? pto_form_find_opcode(PTO_TEXT_LEVEL2, name.data, name.len) : -1;
    if (kind == PTO_OPK_UNKNOWN && form < 0 && pto_str_starts_with(name, PTO_STR("pto."))) {
        pto_text_unknown_op(p, name, name_span);
        return NULL;
    }
    /* Attributes and regions are gathered before the operands have their types. */
    pto_operation *op = pto_operation_create(p->program, form >= 0 ? PTO_OPK_INSTR : kind, 0, 0);
    op->name_span = name_span;
    if (form >= 0)
        op->form = (pto_form)form;
    else if (kind == PTO_OPK_UNKNOWN)
        op->name = name;
    pto_mlir_values operands = {0};
    pto_mlir_spans spans = {0};
    if (!pto_text_expect(p, '(', "after the name of the operation") ||
        !pto_mlir_parse_uses(p, &operands, &spans) || !pto_text_expect(p, ')', "after the operands"))
        return NULL;
    if (pto_text_accept(p, '[')) {
        PTO_VEC(pto_block *) successors = {0};
        do {
            if (p->token.kind != PTO_TOKEN_LABEL || !p->labels) {
                pto_text_fail(p, "a label");
                return NULL;
            }
            pto_vec_push(p->arena, &successors, pto_mlir_label(p, pto_text_take(p)));
        } while (pto_text_accept(p, ','));
        if (!pto_text_expect(p, ']', "after the successors"))
            return NULL;
        op->successor = successors.data;
        op->successor_count = (uint32_t)successors.count;
    }
    if (pto_text_accept(p, '<') &&
        (!pto_text_parse_attr_dict(p, op) || !pto_text_expect(p, '>', "after the properties")))
        return NULL;
    if (pto_text_accept(p, '(')) {
        do {
            if (op->region_count == 16)
                return pto_text_fail_at(p, "PTO-E0203", pto_text_span(p->token), "more than 16 regions"),
                       NULL;
            if (!pto_mlir_parse_region(p, pto_operation_add_region(p->program, op), kind == PTO_OPK_FUNC,
                                       NULL))
                return NULL;
        } while (pto_text_accept(p, ','));
        if (!pto_text_expect(p, ')', "after the regions"))
            return NULL;
    }
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op))
        return NULL;
    if (!pto_text_expect(p, ':', "before the type of the operation"))
        return NULL;
    uint32_t type_begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_span type_span = pto_text_since(p, type_begin);
    if (type->kind != PTO_TYPE_FUNCTION)
        return pto_text_fail_at(p, "PTO-E0201", type_span, "the type of an operation is (inputs) -> results"),
               NULL;
    if (type->input_count != operands.count)
        return pto_text_fail_at(p, "PTO-E0213", type_span, "%zu operands, but %u types", operands.count,
                                type->input_count),
               NULL;
    for (uint32_t i = 0; i < type->input_count; i++)
        pto_text_check_type(p, operands.data[i], spans.data[i], type->inputs[i], type_span);
    if (!type->result_count && (kind == PTO_OPK_SCF_FOR || kind == PTO_OPK_SCF_IF))
        for (uint32_t r = 0; r < op->region_count; r++)
            if (op->region[r]->first == op->region[r]->last)
                pto_mlir_close_with_yield(p, op->region[r]);
    const pto_attr *sizes = pto_operation_attr(op, "operandSegmentSizes");
    for (uint32_t i = 0; i < type->input_count && pto_op_kind_of_group(name) != PTO_OPK_UNKNOWN; i++)
        if (pto_type_is_group(type->inputs[i])) {
            op->kind = kind = pto_op_kind_of_group(name);
            form = -1;
        }
    if (form >= 0) {
        if (op->region_count || op->successor_count)
            return pto_text_fail_at(p, "PTO-E0213", name_span, "an instruction has no regions"), NULL;
        if (pto_str_equal(name, PTO_STR("pto.tload")))
            drop_clauses(p, op, &operands);
        pto_operation *instr =
            pto_mlir_place_generic(p, form, &operands, &spans, type->result_count, sizes, op);
        if (!instr)
            return NULL;
        instr->attr = op->attr;
        instr->attr_count = op->attr_count;
        pto_text_check_attrs(p, instr);
        op = instr;
    } else {
        pto_operation_resize(p->program, op, (uint32_t)operands.count);
        for (uint32_t i = 0; i < op->operand_count; i++) {
            op->operand[i] = operands.data[i];
            op->operand_span[i] = spans.data[i];
        }
        op->result_count = type->result_count;
        op->result = pto_arena_new_array(p->arena, pto_value *, type->result_count);
        const pto_op_shape *shape = pto_op_shape_of(kind);
        if (shape && shape->segments) {
            take_segments(op, sizes, shape->segments);
            pto_operation_remove_attr(op, "operandSegmentSizes");
        } else if (shape) { /* other dialect versions write it where the number of operands decides */
            pto_operation_remove_attr(op, "operandSegmentSizes");
        }
    }
    for (uint32_t i = 0; i < type->result_count; i++)
        pto_operation_set_result(
            p->program, op, i,
            kind == PTO_OPK_ALLOC_TILE ? pto_text_conv_take_attrs(p, op, type->results[i]) : type->results[i],
            (pto_str){NULL, 0});
    if (!p->dialect_known)
        pto_text_set_dialect(p, PTO_DIALECT_GENERIC);
    return check_structure(p, op) && pto_mlir_check_memref(p, op) && pto_mlir_check_flags(p, op) ? op : NULL;
}
