/* SPDX-License-Identifier: Apache-2.0 */
/* Branches between blocks, scf.index_switch and scf.execute_region (60, 3.3). */
#include "text/mlir.h"

#include <string.h>

typedef struct targets {
    PTO_VEC(pto_block *) blocks;
    pto_mlir_values values;
    pto_mlir_spans spans;
} targets;

/* `^b` or `^b(%a, %b : T, U)` */
static bool parse_target(pto_text_parser *p, targets *t) {
    if (p->token.kind != PTO_TOKEN_LABEL || !p->labels)
        return pto_text_fail(p, "a label, ^name");
    pto_vec_push(p->arena, &t->blocks, pto_mlir_label(p, pto_text_take(p)));
    if (!pto_text_accept(p, '('))
        return true;
    size_t first = t->values.count;
    if (!pto_mlir_parse_uses(p, &t->values, &t->spans) || !pto_text_expect(p, ':', "before the types"))
        return false;
    uint32_t begin = p->token.begin;
    pto_text_types types = {0};
    if (!pto_text_parse_types(p, &types))
        return false;
    if (types.count != t->values.count - first)
        return pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "%zu values, but %zu types",
                                t->values.count - first, types.count);
    for (size_t i = 0; i < types.count; i++)
        pto_text_check_type(p, t->values.data[first + i], t->spans.data[first + i], types.data[i],
                            pto_text_since(p, begin));
    return pto_text_expect(p, ')', "after the types");
}

static pto_operation *make(pto_text_parser *p, pto_op_kind kind, pto_span name, const targets *t) {
    pto_operation *op = pto_mlir_make(p, kind, name, &t->values, &t->spans, 0);
    op->successor = t->blocks.data;
    op->successor_count = (uint32_t)t->blocks.count;
    return op;
}

static bool push_operand(pto_text_parser *p, targets *t, const pto_type *type) {
    pto_span span;
    pto_value *value = pto_text_parse_use(p, "an operand", &span);
    if (!value)
        return false;
    pto_vec_push(p->arena, &t->values, value);
    pto_vec_push(p->arena, &t->spans, span);
    if (type)
        pto_text_check_type(p, value, span, type, (pto_span){0, 0});
    return true;
}

static pto_operation *branch(pto_text_parser *p, pto_span name) {
    targets t = {0};
    return parse_target(p, &t) ? make(p, PTO_OPK_CF_BR, name, &t) : NULL;
}

static pto_operation *conditional(pto_text_parser *p, pto_span name) {
    targets t = {0};
    if (!push_operand(p, &t, pto_type_int(p->program, 1, PTO_SIGNLESS)) ||
        !pto_text_expect(p, ',', "after the condition") || !parse_target(p, &t))
        return NULL;
    uint32_t first = (uint32_t)t.values.count - 1;
    if (!pto_text_expect(p, ',', "between the labels") || !parse_target(p, &t))
        return NULL;
    pto_operation *op = make(p, PTO_OPK_CF_COND_BR, name, &t);
    op->segment_count = 3;
    op->segment[0] = 1;
    op->segment[1] = first;
    op->segment[2] = op->operand_count - 1 - first;
    return op;
}

static pto_operation *multiway(pto_text_parser *p, pto_span name) {
    targets t = {0};
    PTO_VEC(int64_t) values = {0};
    PTO_VEC(int64_t) sizes = {0};
    if (!push_operand(p, &t, NULL) || !pto_text_expect(p, ':', "before the type of the flag"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_text_check_type(p, t.values.data[0], t.spans.data[0], type, pto_text_since(p, begin));
    if (!pto_text_expect(p, ',', "before the cases") || !pto_text_expect(p, '[', "before the cases"))
        return NULL;
    if (!pto_text_accept_word(p, "default"))
        return pto_text_fail(p, "'default: ^label'"), NULL;
    if (!pto_text_expect(p, ':', NULL) || !parse_target(p, &t))
        return NULL;
    uint32_t defaults = (uint32_t)t.values.count - 1;
    while (pto_text_accept(p, ',')) {
        int64_t value;
        size_t before = t.values.count;
        if (!pto_text_parse_int(p, &value) || !pto_text_expect(p, ':', "after the case") ||
            !parse_target(p, &t))
            return NULL;
        pto_vec_push(p->arena, &values, value);
        pto_vec_push(p->arena, &sizes, (int64_t)(t.values.count - before));
    }
    if (!pto_text_expect(p, ']', "after the cases"))
        return NULL;
    pto_operation *op = make(p, PTO_OPK_CF_SWITCH, name, &t);
    op->segment_count = 3;
    op->segment[0] = 1;
    op->segment[1] = defaults;
    op->segment[2] = op->operand_count - 1 - defaults;
    pto_operation_set_attr(p->program, op, PTO_STR("case_values"),
                           pto_attr_dense(p->program, type, values.data, (uint32_t)values.count));
    pto_operation_set_attr(p->program, op, PTO_STR("case_operand_segments"),
                           pto_attr_dense(p->program, pto_type_int(p->program, 32, PTO_SIGNLESS), sizes.data,
                                          (uint32_t)sizes.count));
    return op;
}

/* `-> T`, `-> (T, U)`, and of scf.index_switch `-> T, U` */
static bool parse_results(pto_text_parser *p, pto_operation *op, bool bare) {
    pto_text_types types = {0};
    if (pto_text_accept_kind(p, PTO_TOKEN_ARROW)) {
        bool list = bare && !pto_text_at(p, '(');
        if (!(list ? pto_text_parse_types(p, &types) : pto_text_parse_type_group(p, &types)))
            return false;
    }
    op->result_count = (uint32_t)types.count;
    op->result = pto_arena_new_array(p->arena, pto_value *, types.count);
    for (uint32_t i = 0; i < op->result_count; i++)
        pto_operation_set_result(p->program, op, i, types.data[i], (pto_str){NULL, 0});
    return true;
}

static bool parse_arm(pto_text_parser *p, pto_region *region) {
    if (!pto_mlir_parse_region(p, region, false, NULL))
        return false;
    if (!region->first)
        pto_region_add_block(p->program, region);
    return true;
}

static pto_operation *index_switch(pto_text_parser *p, pto_span name) {
    targets t = {0};
    if (!push_operand(p, &t, pto_type_index(p->program)))
        return NULL;
    pto_operation *op = make(p, PTO_OPK_SCF_INDEX_SWITCH, name, &t);
    if ((pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op)) || !parse_results(p, op, true))
        return NULL;
    pto_region *otherwise = pto_operation_add_region(p->program, op);
    PTO_VEC(int64_t) cases = {0};
    while (pto_text_accept_word(p, "case")) {
        int64_t value;
        if (cases.count == PTO_CASES_MAX)
            return pto_text_fail_at(p, "PTO-E0203", pto_text_span(p->token), "more than %d cases",
                                    PTO_CASES_MAX),
                   NULL;
        if (!pto_text_parse_int(p, &value) || !parse_arm(p, pto_operation_add_region(p->program, op)))
            return NULL;
        pto_vec_push(p->arena, &cases, value);
    }
    if (!pto_text_accept_word(p, "default"))
        return pto_text_fail(p, "'default' and its region"), NULL;
    if (!parse_arm(p, otherwise))
        return NULL;
    pto_operation_set_attr(p->program, op, PTO_STR("cases"),
                           pto_attr_dense(p->program, pto_type_int(p->program, 64, PTO_SIGNLESS), cases.data,
                                          (uint32_t)cases.count));
    return op;
}

static pto_operation *execute_region(pto_text_parser *p, pto_span name) {
    targets t = {0};
    pto_operation *op = make(p, PTO_OPK_SCF_EXECUTE_REGION, name, &t);
    if (!parse_results(p, op, false))
        return NULL;
    if (pto_text_accept_word(p, "no_inline"))
        pto_operation_set_attr(p->program, op, PTO_STR("no_inline"), pto_attr_unit(p->program));
    return parse_arm(p, pto_operation_add_region(p->program, op)) ? op : NULL;
}

pto_operation *pto_mlir_parse_flow(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    pto_operation *op = kind == PTO_OPK_CF_BR              ? branch(p, name)
                        : kind == PTO_OPK_CF_COND_BR       ? conditional(p, name)
                        : kind == PTO_OPK_CF_SWITCH        ? multiway(p, name)
                        : kind == PTO_OPK_SCF_INDEX_SWITCH ? index_switch(p, name)
                                                           : execute_region(p, name);
    return op && (!pto_text_at(p, '{') || pto_text_parse_attr_dict(p, op)) ? op : NULL;
}
