/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of the table in levels 2 and 3 and in generic form, by their compiled patterns (60, 3.9). */
#include "text/mlir.h"
#include <pto/ops.h>

#include <string.h>

/* ---- operand lists ------------------------------------------------------------------------- */

static bool parse_list(pto_text_parser *p, pto_operation *op, pto_mlir_group *group, pto_text_types *types,
                       pto_mlir_spans *type_spans) {
    bool paren = false;
    while (!pto_text_at(p, ')')) {
        if (p->token.kind == PTO_TOKEN_VALUE) {
            pto_span span;
            pto_value *value = pto_text_parse_use(p, "an operand", &span);
            pto_vec_push(p->arena, &group->values, value);
            pto_vec_push(p->arena, &group->spans, span);
        } else if (pto_text_at(p, '{') && op) {
            if (!pto_text_parse_attr_dict(p, op))
                return false;
        } else if (!pto_text_at(p, ':')) {
            return pto_text_fail(p, group->values.count ? "an operand, a type or ')'" : "an operand or ')'");
        }
        if (pto_text_accept(p, ':')) {
            paren = pto_text_accept(p, '(');
            /* `T, T` for all operands, or `T, %b : T` when the next operand follows its own type. */
            do {
                if (p->token.kind == PTO_TOKEN_VALUE && types->count)
                    break;
                uint32_t begin = p->token.begin;
                const pto_type *type = pto_text_parse_type(p);
                if (!type)
                    return false;
                pto_vec_push(p->arena, types, type);
                pto_vec_push(p->arena, type_spans, pto_text_since(p, begin));
            } while (pto_text_accept(p, ','));
            if (paren && !pto_text_expect(p, ')', "after the types"))
                return false;
            if (p->token.kind == PTO_TOKEN_VALUE)
                continue;
            break;
        }
        if (!pto_text_at(p, ')') && !pto_text_at(p, ':') && !pto_text_at(p, '{') &&
            !pto_text_expect(p, ',', "or ')' or ':'"))
            return false;
    }
    return pto_text_expect(p, ')', "after the operands");
}

static pto_mlir_scratch *scratch_of(pto_text_parser *p) {
    if (!p->scratch)
        p->scratch = pto_arena_new(p->arena, pto_mlir_scratch);
    return p->scratch;
}

bool pto_mlir_parse_group(pto_text_parser *p, const char *word, pto_operation *op, pto_mlir_group *group) {
    pto_text_types *types = &scratch_of(p)->types;
    pto_mlir_spans *type_spans = &p->scratch->type_spans;
    pto_vec_clear(&group->values);
    pto_vec_clear(&group->spans);
    pto_vec_clear(types);
    pto_vec_clear(type_spans);
    if (!pto_text_accept_word(p, word))
        return pto_text_fail(p, "'%s('", word);
    uint32_t begin = p->token.begin;
    if (!pto_text_expect(p, '(', "before the operands") || !parse_list(p, op, group, types, type_spans))
        return false;
    size_t count = group->values.count;
    if (types->count == 1 && count > 1) {
        /* Documented lines give one type for several tiles. */
        for (size_t i = 0; i < count; i++)
            if (pto_type_is_tile(group->values.data[i]->type))
                pto_text_check_type(p, group->values.data[i], group->spans.data[i], types->data[0],
                                    type_spans->data[0]);
            else if (group->values.data[i]->type)
                return pto_text_fail_at(p, "PTO-E0213", type_spans->data[0],
                                        "one type for %zu operands: that holds for tiles only", count);
        return true;
    }
    if (types->count != count)
        return pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "%zu operand%s, but %zu type%s",
                                count, count == 1 ? "" : "s", types->count, types->count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++)
        pto_text_check_type(p, group->values.data[i], group->spans.data[i], types->data[i],
                            type_spans->data[i]);
    return true;
}

/* ---- forms --------------------------------------------------------------------------------- */

static int pattern_count(const int8_t *list) {
    int n = 0;
    while (list[n] >= 0)
        n++;
    return n;
}

/* May the text leave operand `at` of the pattern out? Scratch that the table has as optional may always. */
static bool is_optional(const pto_form_desc *form, const pto_text_pattern *pattern, int at) {
    return ((pattern->optional_mask >> at) & 1) || form->operand[pattern->operand[at]].optional;
}

static int optional_count(const pto_form_desc *form, const pto_text_pattern *pattern) {
    int n = 0;
    for (int i = 0; pattern->operand[i] >= 0; i++)
        n += is_optional(form, pattern, i);
    return n;
}

/* Does the type stand where the schema has this operand? Unknown types fit. */
static bool kind_fits(const pto_operand_desc *desc, const pto_type *type) {
    if (!type)
        return true;
    if (desc->role == PTO_ROLE_SCALAR)
        return pto_type_is_scalar(type);
    if (desc->is_counts)
        return type->kind == PTO_TYPE_VECTOR;
    if (desc->is_global)
        return type->kind == PTO_TYPE_PARTITION_VIEW || type->kind == PTO_TYPE_TENSOR_VIEW ||
               type->kind == PTO_TYPE_MEMREF || type->kind == PTO_TYPE_PTR;
    return pto_type_is_tile(type) && (type->open || pto_operand_takes_tile(desc, &type->tile));
}

/* Text position of input i when `given` inputs are written: optional ones are filled from the left. */
static int position(const pto_form_desc *form, const pto_text_pattern *pattern, int given, int i) {
    int spare = given - (pattern_count(pattern->operand) - optional_count(form, pattern));
    for (int at = 0; pattern->operand[at] >= 0; at++) {
        if (is_optional(form, pattern, at)) {
            if (spare <= 0)
                continue;
            spare--;
        }
        if (i-- == 0)
            return at;
    }
    return -1;
}

static bool counts_fit(const pto_form_desc *form, const pto_text_pattern *pattern, size_t inputs,
                       size_t outputs) {
    size_t most = (size_t)pattern_count(pattern->operand);
    return outputs == (size_t)pattern_count(pattern->result) && inputs <= most &&
           inputs >= most - (size_t)optional_count(form, pattern);
}

static bool has_attr(const pto_form_desc *form, pto_str key) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == PTO_ROLE_ATTR &&
            pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
            return true;
    return false;
}

/* tmov with a table and without a mode is tmov.fp (60, 6.4), which every target has. */
static pto_form plain_form(pto_form form, const pto_operation *attrs) {
    bool mode = attrs && pto_operation_attr(attrs, "accToVecMode");
    return form == PTO_FORM_TMOV_FP_MODE && !mode ? PTO_FORM_TMOV_FP : form;
}

int pto_text_choose_form(pto_text_form text, int first, pto_value *const *inputs, size_t input_count,
                         pto_value *const *outputs, size_t output_count, const pto_operation *attrs) {
    int best = -1, best_misfits = 0;
    for (int f = first; f >= 0; f = pto_form_next_opcode(text, f)) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        const pto_text_pattern *pattern = &form->text[text];
        if (!counts_fit(form, pattern, input_count, output_count))
            continue;
        int misfits = 0;
        for (size_t i = 0; i < input_count; i++) {
            int at = position(form, pattern, (int)input_count, (int)i);
            misfits += !kind_fits(&form->operand[pattern->operand[at]], inputs[i]->type);
            /* An operand that is read and written stands on both sides. */
            for (size_t k = 0; outputs && k < output_count; k++)
                if (pattern->result[k] == pattern->operand[at])
                    misfits += inputs[i] == outputs[k] ? -1 : 100;
        }
        for (size_t k = 0; outputs && k < output_count; k++)
            misfits += !kind_fits(&form->operand[pattern->result[k]], outputs[k]->type);
        for (uint32_t i = 0; attrs && i < attrs->attr_count; i++)
            misfits += !has_attr(form, attrs->attr[i].name);
        /* Forms of the same kinds differ in the memory of the source. */
        if (input_count > 0 && pto_type_is_tile(inputs[0]->type) && !inputs[0]->type->open)
            misfits += !pto_form_takes(form, (int)inputs[0]->type->tile.loc);
        if (misfits < 100 && (best < 0 || misfits < best_misfits)) {
            best = f;
            best_misfits = misfits;
        }
    }
    return best < 0 ? best : (int)plain_form((pto_form)best, attrs);
}

void pto_text_place_inputs(pto_operation *op, pto_text_form text, pto_value *const *inputs,
                           const pto_span *spans, size_t input_count) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_text_pattern *pattern = &form->text[text];
    for (size_t i = 0; i < input_count; i++) {
        int at = pattern->operand[position(form, pattern, (int)input_count, (int)i)];
        op->operand[at] = inputs[i];
        op->operand_span[at] = spans[i];
    }
}

pto_operation *pto_text_new_instr(pto_text_parser *p, pto_form form, pto_span name) {
    const pto_form_desc *desc = pto_form_get(form);
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_INSTR, desc->operand_count, 0);
    op->form = form;
    op->name_span = name;
    return op;
}

static void no_form(pto_text_parser *p, int first, size_t inputs, size_t outputs, pto_span span) {
    const pto_form_desc *form = pto_form_get((pto_form)first);
    if (p->failed)
        return;
    pto_text_fail_at(p, "PTO-E0213", span, "%s does not take %zu input%s and %zu output%s", form->mnemonic,
                     inputs, inputs == 1 ? "" : "s", outputs, outputs == 1 ? "" : "s");
    if (p->stopped)
        return;
    pto_str allowed = {NULL, 0};
    for (int f = first; f >= 0; f = pto_form_next_opcode(PTO_TEXT_LEVEL2, f)) {
        const char *spelling = pto_form_get((pto_form)f)->text[PTO_TEXT_LEVEL2].spelling;
        allowed = pto_str_from(pto_arena_printf(p->arena, "%.*s%s%s", PTO_STR_ARG(allowed),
                                                allowed.len ? " or " : "", spelling));
    }
    pto_diag_allowed(p->diags, "%.*s", PTO_STR_ARG(allowed));
}

/* Moves the attributes that were read before the form was known. */
static void take_attrs(pto_text_parser *p, pto_operation *op, const pto_operation *gathered) {
    op->attr = gathered->attr;
    op->attr_count = gathered->attr_count;
    pto_text_check_attrs(p, op);
}

/* `pad_mode = ..` and its like behind pto.tload: read and dropped. */
static bool skip_clauses(pto_text_parser *p) {
    static const char *const clauses[] = {"pad_mode",        "pad_value",         "left_padding_num",
                                          "init_out_buffer", "right_padding_num", "init_condition"};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        if (!pto_text_at_word(p, clauses[i]))
            continue;
        uint32_t begin = p->token.begin;
        pto_text_take(p);
        if (!pto_text_expect(p, '=', "in the clause"))
            return false;
        if (p->token.kind == PTO_TOKEN_VALUE) {
            pto_span span;
            pto_value *value = pto_text_parse_use(p, NULL, &span);
            if (!pto_text_expect(p, ':', "before the type"))
                return false;
            const pto_type *type = pto_text_parse_type(p);
            if (!type)
                return false;
            pto_text_check_type(p, value, span, type, (pto_span){0, 0});
        } else if (!pto_text_parse_attr(p, NULL)) {
            return false;
        }
        pto_text_warn(p, "PTO-W0241", pto_text_since(p, begin), "%s has no effect", clauses[i]);
    }
    return true;
}

/* `%t, %addr : T -> T`: patterns that define a handle. */
static pto_operation *parse_defining(pto_text_parser *p, int first, pto_token opcode,
                                     pto_operation *gathered) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    uint32_t begin = p->token.begin;
    if (!pto_mlir_parse_uses(p, &values, &spans))
        return NULL;
    pto_span operands = pto_text_since(p, begin);
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, gathered))
        return NULL;
    if (!pto_text_expect(p, ':', "before the type"))
        return NULL;
    pto_text_types types = {0}, results = {0};
    begin = p->token.begin;
    if (pto_text_at(p, '(') ? !pto_text_parse_type_group(p, &types) : !pto_text_parse_types(p, &types))
        return NULL;
    pto_span type_span = pto_text_since(p, begin);
    if (!pto_text_expect_arrow(p, "before the type of the result") || !pto_text_parse_type_group(p, &results))
        return NULL;
    int form = pto_text_choose_form(PTO_TEXT_LEVEL2, first, values.data, values.count, NULL, results.count,
                                    gathered);
    if (form < 0) {
        no_form(p, first, values.count, results.count, operands);
        return NULL;
    }
    /* The type of the first operand alone, or of every one. */
    if (types.count != 1 && types.count != values.count) {
        pto_text_fail_at(p, "PTO-E0213", type_span, "%zu operands, but %zu types", values.count, types.count);
        return NULL;
    }
    for (size_t i = 0; i < types.count; i++)
        pto_text_check_type(p, values.data[i], spans.data[i], types.data[i], type_span);
    pto_operation *op = pto_text_new_instr(p, (pto_form)form, pto_text_span(opcode));
    pto_text_place_inputs(op, PTO_TEXT_LEVEL2, values.data, spans.data, values.count);
    op->result_count = (uint32_t)results.count;
    op->result = pto_arena_new_array(p->arena, pto_value *, results.count);
    for (uint32_t i = 0; i < op->result_count; i++)
        pto_operation_set_result(p->program, op, i, results.data[i], (pto_str){NULL, 0});
    take_attrs(p, op, gathered);
    pto_text_set_dialect(p, results.data[0]->kind == PTO_TYPE_TILE ? PTO_DIALECT_LEVEL1 : PTO_DIALECT_LEVEL2);
    return op;
}

/* pto.tgather and pto.tscatter between ranks (50, 9) */
static pto_operation *parse_collective(pto_text_parser *p, pto_op_kind kind, const pto_mlir_group *in,
                                       const pto_mlir_group *out, const pto_operation *gathered) {
    pto_operation *op = pto_mlir_make(p, kind, gathered->name_span, NULL, NULL, 0);
    pto_operation_resize(p->program, op, 2);
    op->operand[0] = in->values.data[0];
    op->operand[1] = out->values.data[0];
    op->operand_span[0] = in->spans.data[0];
    op->operand_span[1] = out->spans.data[0];
    op->attr = gathered->attr;
    op->attr_count = gathered->attr_count;
    return op;
}

pto_operation *pto_mlir_parse_instr(pto_text_parser *p, int first, pto_token opcode) {
    pto_mlir_scratch *scratch = scratch_of(p);
    pto_operation *gathered = &scratch->gathered; /* the attributes, until the form is known */
    *gathered = (pto_operation){.kind = PTO_OPK_INSTR,
                                .form = (pto_form)first,
                                .span = pto_text_span(opcode),
                                .name_span = pto_text_span(opcode)};
    const pto_text_pattern *bare = &pto_form_get((pto_form)first)->text[PTO_TEXT_LEVEL2];
    if (!pto_text_at_word(p, "ins") && bare->operand[0] < 0 && bare->result[0] < 0) {
        /* settings: attributes alone */
        pto_text_set_dialect(p, PTO_DIALECT_LEVEL2);
        if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, gathered))
            return NULL;
        pto_operation *op = pto_text_new_instr(p, (pto_form)first, pto_text_span(opcode));
        take_attrs(p, op, gathered);
        return op;
    }
    if (!pto_text_at_word(p, "ins"))
        return parse_defining(p, first, opcode, gathered);
    pto_text_set_dialect(p, PTO_DIALECT_LEVEL2);
    uint32_t begin = p->token.begin;
    pto_mlir_group *in = &scratch->in, *out = &scratch->out;
    pto_vec_clear(&out->values);
    if (!pto_mlir_parse_group(p, "ins", gathered, in))
        return NULL;
    if (pto_text_at_word(p, "outs") && !pto_mlir_parse_group(p, "outs", NULL, out))
        return NULL;
    pto_span span = pto_text_since(p, begin);
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, gathered))
        return NULL;
    pto_op_kind collective = pto_op_kind_of_group(opcode.text);
    if (collective != PTO_OPK_UNKNOWN && in->values.count == 1 && out->values.count == 1 &&
        (pto_type_is_group(in->values.data[0]->type) || pto_type_is_group(out->values.data[0]->type)))
        return parse_collective(p, collective, in, out, gathered);
    if (!strcmp(pto_form_get((pto_form)first)->mnemonic, "TLOAD") && !skip_clauses(p))
        return NULL;
    if (p->token.kind == PTO_TOKEN_ARROW) {
        pto_text_fail(p, "no tensor result: tiles are not tensors here");
        return NULL;
    }
    const pto_text_pattern *pattern = &pto_form_get((pto_form)first)->text[PTO_TEXT_LEVEL2];
    bool defines = pattern->spelling && pattern->spelling[0] == '%';
    if (defines && out->values.count == 0) {
        /* `pto.tassign ins(%tile, %addr : ..)`: the handle keeps its name. */
        int form = pto_text_choose_form(PTO_TEXT_LEVEL2, first, in->values.data, in->values.count, NULL, 1,
                                        gathered);
        if (form >= 0 && pto_form_get((pto_form)form)->operand[pattern->result[0]].role == PTO_ROLE_INOUT) {
            pto_operation *op = pto_text_new_instr(p, (pto_form)form, pto_text_span(opcode));
            pto_text_place_inputs(op, PTO_TEXT_LEVEL2, in->values.data, in->spans.data, in->values.count);
            take_attrs(p, op, gathered);
            return op;
        }
    }
    int form = pto_text_choose_form(PTO_TEXT_LEVEL2, first, in->values.data, in->values.count,
                                    out->values.data, out->values.count, gathered);
    if (form < 0) {
        no_form(p, first, in->values.count, out->values.count, span);
        return NULL;
    }
    pto_operation *op = pto_text_new_instr(p, (pto_form)form, pto_text_span(opcode));
    pto_text_place_inputs(op, PTO_TEXT_LEVEL2, in->values.data, in->spans.data, in->values.count);
    pattern = &pto_form_get((pto_form)form)->text[PTO_TEXT_LEVEL2];
    for (size_t i = 0; i < out->values.count; i++) {
        op->operand[pattern->result[i]] = out->values.data[i];
        op->operand_span[pattern->result[i]] = out->spans.data[i];
    }
    take_attrs(p, op, gathered);
    return op;
}

/* ---- generic form -------------------------------------------------------------------------- */

/* Forms whose scratch stands behind the destination in the IR. */
static bool destination_before_scratch(const pto_form_desc *form) {
    return !strcmp(form->mnemonic, "TRSQRT") || !strcmp(form->mnemonic, "TCVT");
}

/* tgather: src, dst, cdst, indices, tmp, kValue; tmrgsort of lists: srcs, dst, tmp, executed; tmov and
 * tstore: src, dst, then what else is read (60, 3.9). */
static bool irregular_order(const pto_form_desc *form, int8_t *order) {
    const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
    bool gather = !strcmp(form->mnemonic, "TGATHER") || !strcmp(form->mnemonic, "TMOV") ||
                  !strcmp(form->mnemonic, "TSTORE");
    int sources = 0, n = 0;
    while (pattern->operand[sources] >= 0)
        sources++;
    if (!gather && (strcmp(form->mnemonic, "TMRGSORT") != 0 || pattern->result[1] < 0))
        return false;
    int leading = gather ? 1 : sources - 1;
    for (int i = 0; i < leading; i++)
        order[n++] = pattern->operand[i];
    for (int i = 0; pattern->result[i] >= 0 && (gather || i == 0); i++)
        order[n++] = pattern->result[i];
    for (int scalars = 0; scalars < 2; scalars++)
        for (int i = leading; i < sources; i++)
            if ((form->operand[pattern->operand[i]].role == PTO_ROLE_SCALAR) == (scalars == 1))
                order[n++] = pattern->operand[i];
    if (!gather)
        order[n++] = pattern->result[1];
    order[n] = -1;
    return true;
}

void pto_mlir_ir_order(const pto_form_desc *form, int8_t order[PTO_MAX_OPERANDS + 1]) {
    if (irregular_order(form, order))
        return;
    const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
    bool defines = pattern->spelling && pattern->spelling[0] == '%';
    bool late = destination_before_scratch(form);
    int n = 0;
    for (int i = 0; pattern->operand[i] >= 0; i++)
        if (!late || form->operand[pattern->operand[i]].role != PTO_ROLE_TMP)
            order[n++] = pattern->operand[i];
    for (int i = 0; !defines && pattern->result[i] >= 0; i++)
        order[n++] = pattern->result[i];
    for (int i = 0; late && pattern->operand[i] >= 0; i++)
        if (form->operand[pattern->operand[i]].role == PTO_ROLE_TMP)
            order[n++] = pattern->operand[i];
    order[n] = -1;
}

/* Outputs among the operands, when operandSegmentSizes says so; -1 otherwise. */
static int outputs_of_segments(const pto_attr *sizes, size_t operands) {
    if (!sizes || sizes->kind != PTO_AV_DENSE || sizes->count != 3)
        return -1;
    int64_t sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (sizes->dense[i] < 0 || sizes->dense[i] > PTO_MAX_OPERANDS)
            return -1;
        sum += sizes->dense[i];
    }
    return (size_t)sum == operands ? (int)sizes->dense[2] : -1;
}

static bool is_in(const int8_t *list, int position) {
    for (int i = 0; list[i] >= 0; i++)
        if (list[i] == position)
            return true;
    return false;
}

pto_operation *pto_mlir_place_generic(pto_text_parser *p, int first, const pto_mlir_values *operands,
                                      const pto_mlir_spans *spans, uint32_t results, const pto_attr *sizes,
                                      const pto_operation *attrs) {
    pto_span name = attrs->name_span;
    int outputs = outputs_of_segments(sizes, operands->count);
    int best = -1, best_cost = 0;
    int8_t best_place[PTO_MAX_OPERANDS];
    for (int f = first; f >= 0; f = pto_form_next_opcode(PTO_TEXT_LEVEL2, f)) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
        bool defines = pattern->spelling && pattern->spelling[0] == '%';
        int out_count = defines ? 0 : pattern_count(pattern->result);
        /* tassign without a result is the same instruction on its own handle. */
        if (results && results != (defines ? (uint32_t)pattern_count(pattern->result) : 0))
            continue;
        if (!results && defines && form->operand[pattern->result[0]].role != PTO_ROLE_INOUT)
            continue;
        if (outputs >= 0 && outputs != out_count)
            continue;
        int inputs = (int)operands->count - out_count;
        if (inputs < 0 || !counts_fit(form, pattern, (size_t)inputs, (size_t)pattern_count(pattern->result)))
            continue;
        int8_t order[PTO_MAX_OPERANDS + 1], place[PTO_MAX_OPERANDS];
        pto_mlir_ir_order(form, order);
        int spare = inputs - (pattern_count(pattern->operand) - optional_count(form, pattern));
        int n = 0, cost = 0, absent = 0;
        for (int i = 0; order[i] >= 0; i++) {
            if (form->operand[order[i]].optional && !is_in(pattern->result, order[i]) && spare-- <= 0) {
                absent++;
                continue;
            }
            place[n] = order[i];
            cost += 16 * !kind_fits(&form->operand[order[i]], operands->data[n]->type);
            for (int k = 0; k < n; k++)
                if (place[k] == order[i])
                    cost += operands->data[k] == operands->data[n] ? -1 : 1000;
            n++;
        }
        cost += absent;
        for (uint32_t i = 0; i < attrs->attr_count; i++)
            cost += 4 * !has_attr(form, attrs->attr[i].name);
        if (operands->count && pto_type_is_tile(operands->data[0]->type) && !operands->data[0]->type->open)
            cost += 16 * !pto_form_takes(form, (int)operands->data[0]->type->tile.loc);
        if (cost < 1000 && (best < 0 || cost < best_cost)) {
            best = f;
            best_cost = cost;
            memcpy(best_place, place, sizeof place);
        }
    }
    if (best < 0) {
        no_form(p, first, operands->count, results, name);
        return NULL;
    }
    pto_operation *op = pto_text_new_instr(p, plain_form((pto_form)best, attrs), name);
    for (size_t i = 0; i < operands->count; i++) {
        op->operand[best_place[i]] = operands->data[i];
        op->operand_span[best_place[i]] = spans->data[i];
    }
    op->result_count = results;
    op->result = pto_arena_new_array(p->arena, pto_value *, results);
    return op;
}
