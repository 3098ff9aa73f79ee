/* SPDX-License-Identifier: Apache-2.0 */
/* arith and scf (60, 3.3). */
#include "text/mlir.h"

#include <stdio.h>
#include <string.h>

const char *const pto_mlir_cmpi[10] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
const char *const pto_mlir_cmpf[16] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                       "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

pto_mlir_arith pto_mlir_arith_class(pto_op_kind kind) {
    switch (kind) {
    case PTO_OPK_ARITH_CONSTANT:
        return PTO_ARITH_CONST;
    case PTO_OPK_ARITH_CMPI:
    case PTO_OPK_ARITH_CMPF:
        return PTO_ARITH_COMPARE;
    case PTO_OPK_ARITH_SELECT:
        return PTO_ARITH_CHOOSE;
    case PTO_OPK_ARITH_NEGF:
        return PTO_ARITH_UNARY;
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_EXTUI:
    case PTO_OPK_ARITH_TRUNCI:
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_INDEX_CASTUI:
    case PTO_OPK_ARITH_EXTF:
    case PTO_OPK_ARITH_TRUNCF:
    case PTO_OPK_ARITH_SITOFP:
    case PTO_OPK_ARITH_UITOFP:
    case PTO_OPK_ARITH_FPTOSI:
    case PTO_OPK_ARITH_FPTOUI:
    case PTO_OPK_ARITH_BITCAST:
        return PTO_ARITH_CAST;
    default: {
        const char *name = pto_op_kind_syntax(kind) ? NULL : pto_op_kind_name(kind);
        return name && !strncmp(name, "arith.", 6) ? PTO_ARITH_BINARY : PTO_ARITH_NOT;
    }
    }
}

/* Arithmetic flags: the word in custom syntax, the attribute, and what may stand in the brackets (60, 3.3).
 */
static const struct {
    const char *word, *key, *known;
} arith_flags[] = {
    {"overflow", "overflowFlags", " none nsw nuw "},
    {"fastmath", "fastmath", " none reassoc nnan ninf nsz arcp contract afn fast "},
};
enum { FLAG_KINDS = sizeof arith_flags / sizeof *arith_flags, FLAG_TEXT = 128 };

static bool known_flag(const char *known, pto_str flag) {
    char word[16] = " ";
    if (!flag.len || flag.len > sizeof word - 3)
        return false;
    memcpy(word + 1, flag.data, flag.len);
    memcpy(word + 1 + flag.len, " ", 2);
    return strstr(known, word);
}

/* `a,b>` behind the bracket, as `#arith.WORD<a, b>`; NULL when it is anything else. */
static const pto_attr *canonical_flags(pto_program *program, int kind, pto_str list) {
    char text[FLAG_TEXT];
    int len = snprintf(text, sizeof text, "#arith.%s<", arith_flags[kind].word);
    for (size_t i = 0, begin = 0; i < list.len; i++) {
        bool last = list.data[i] == '>';
        if (list.data[i] != ',' && !last)
            continue;
        pto_str flag = pto_str_trim(pto_str_slice(list, begin, i));
        if (!known_flag(arith_flags[kind].known, flag) || len + (int)flag.len + 4 > FLAG_TEXT)
            return NULL;
        len +=
            snprintf(text + len, sizeof text - (size_t)len, "%.*s%s", PTO_STR_ARG(flag), last ? ">" : ", ");
        if (last)
            return i + 1 == list.len ? pto_attr_opaque(program, (pto_str){text, (size_t)len}) : NULL;
        begin = i + 1;
    }
    return NULL;
}

bool pto_mlir_check_flags(pto_text_parser *p, pto_operation *op) {
    for (int i = 0; i < FLAG_KINDS; i++) {
        const pto_attr *attr = pto_operation_attr(op, arith_flags[i].key);
        if (!attr)
            continue;
        char prefix[FLAG_TEXT];
        size_t len = (size_t)snprintf(prefix, sizeof prefix, "#arith.%s<", arith_flags[i].word);
        const pto_attr *canonical = NULL;
        if (attr->kind == PTO_AV_OPAQUE && pto_str_starts_with(attr->text, (pto_str){prefix, len}))
            canonical = canonical_flags(p->program, i, pto_str_slice(attr->text, len, attr->text.len));
        if (!canonical)
            return pto_text_fail_at(p, "PTO-E0233", op->name_span, "%s is #arith.%s<..> with some of:%s",
                                    arith_flags[i].key, arith_flags[i].word, arith_flags[i].known);
        pto_operation_set_attr(p->program, op, pto_str_from(arith_flags[i].key), canonical);
    }
    return true;
}

/* `overflow<nsw, nuw>` and `fastmath<fast>` behind the operands. */
static bool parse_flags(pto_text_parser *p, pto_operation *op) {
    for (int i = 0; i < FLAG_KINDS; i++) {
        if (!pto_text_at_word(p, arith_flags[i].word))
            continue;
        pto_text_take(p);
        if (!pto_text_expect(p, '<', "before the flags"))
            return false;
        uint32_t begin = p->token.begin;
        char list[FLAG_TEXT] = "";
        int len = 0;
        do {
            if (p->token.kind != PTO_TOKEN_WORD)
                return pto_text_fail(p, "a flag");
            pto_str flag = pto_text_take(p).text;
            if (len + (int)flag.len + 2 > FLAG_TEXT)
                return pto_text_fail(p, "fewer flags");
            len +=
                snprintf(list + len, sizeof list - (size_t)len, "%s%.*s", len ? "," : "", PTO_STR_ARG(flag));
        } while (pto_text_accept(p, ','));
        pto_span span = pto_text_since(p, begin);
        if (!pto_text_expect(p, '>', "after the flags"))
            return false;
        list[len++] = '>';
        const pto_attr *attr = canonical_flags(p->program, i, (pto_str){list, (size_t)len});
        if (!attr)
            return pto_text_fail_at(p, "PTO-E0233", span, "the flags are some of:%s", arith_flags[i].known);
        pto_operation_set_attr(p->program, op, pto_str_from(arith_flags[i].key), attr);
    }
    return true;
}

static pto_operation *parse_constant(pto_text_parser *p, pto_span name) {
    pto_operation *op = pto_mlir_make(p, PTO_OPK_ARITH_CONSTANT, name, NULL, NULL, 1);
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_attr *value = pto_text_parse_attr(p, NULL);
    if (!value)
        return NULL;
    const pto_type *type =
        value->kind == PTO_AV_BOOL ? pto_type_int(p->program, 1, PTO_SIGNLESS) : value->type;
    if (!type || value->kind == PTO_AV_TYPE || value->kind == PTO_AV_DENSE) {
        pto_text_fail_at(p, "PTO-E0233", pto_text_since(p, begin), "a constant is a number with its type");
        return NULL;
    }
    pto_operation_set_attr(p->program, op, PTO_STR("value"), value);
    pto_operation_set_result(p->program, op, 0, type, (pto_str){NULL, 0});
    return op;
}

static bool parse_predicate(pto_text_parser *p, pto_op_kind kind, int64_t *number) {
    pto_token token = p->token;
    if (token.kind != PTO_TOKEN_WORD)
        return pto_text_fail(p, "a predicate");
    const char *const *names = kind == PTO_OPK_ARITH_CMPI ? pto_mlir_cmpi : pto_mlir_cmpf;
    int count = kind == PTO_OPK_ARITH_CMPI ? 10 : 16;
    for (*number = 0; *number < count; ++*number)
        if (pto_token_is_word(token, names[*number])) {
            pto_text_take(p);
            return pto_text_expect(p, ',', "after the predicate");
        }
    return pto_text_fail_at(p, "PTO-E0233", pto_text_span(token), "'%.*s' is no predicate of %s",
                            PTO_STR_ARG(token.text), pto_op_kind_name(kind));
}

pto_operation *pto_mlir_parse_arith(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    pto_mlir_arith class = pto_mlir_arith_class(kind);
    if (class == PTO_ARITH_CONST)
        return parse_constant(p, name);
    int64_t predicate = 0;
    if (class == PTO_ARITH_COMPARE && !parse_predicate(p, kind, &predicate))
        return NULL;
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    uint32_t begin = p->token.begin;
    if (!pto_mlir_parse_uses(p, &values, &spans))
        return NULL;
    size_t wanted = class == PTO_ARITH_CHOOSE                             ? 3
                    : class == PTO_ARITH_UNARY || class == PTO_ARITH_CAST ? 1
                                                                          : 2;
    if (values.count != wanted) {
        if (!values.count)
            pto_text_fail(p, "an operand");
        else
            pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "%s has %zu operand%s, not %zu",
                             pto_op_kind_name(kind), wanted, wanted == 1 ? "" : "s", values.count);
        return NULL;
    }
    pto_operation *op = pto_mlir_make(p, kind, name, &values, &spans, 1);
    if (class == PTO_ARITH_COMPARE)
        pto_operation_set_attr(p->program, op, PTO_STR("predicate"),
                               pto_attr_int(p->program, predicate, NULL));
    if (!parse_flags(p, op) || (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op)) ||
        !pto_mlir_check_flags(p, op) || !pto_text_expect(p, ':', "before the type"))
        return NULL;
    uint32_t type_begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_span type_span = pto_text_since(p, type_begin);
    const pto_type *i1 = pto_type_int(p->program, 1, PTO_SIGNLESS);
    const pto_type *result = class == PTO_ARITH_COMPARE ? i1 : type;
    for (uint32_t i = 0; i < op->operand_count; i++)
        pto_text_check_type(p, op->operand[i], op->operand_span[i],
                            class == PTO_ARITH_CHOOSE && i == 0 ? i1 : type, type_span);
    if (class == PTO_ARITH_CAST) {
        if (!pto_text_accept_word(p, "to")) {
            pto_text_fail(p, "'to' and the type of the result");
            return NULL;
        }
        result = pto_text_parse_type(p);
        if (!result)
            return NULL;
    }
    pto_operation_set_result(p->program, op, 0, result, (pto_str){NULL, 0});
    return op;
}

/* ---- scf ----------------------------------------------------------------------------------- */

void pto_mlir_close_with_yield(pto_text_parser *p, pto_region *region) {
    pto_block *block = region->last;
    if (!block || (block->last && block->last->kind == PTO_OPK_SCF_YIELD))
        return;
    pto_operation *yield = pto_operation_create(p->program, PTO_OPK_SCF_YIELD, 0, 0);
    yield->span = yield->name_span = (pto_span){p->last_end - 1, p->last_end};
    pto_block_append(block, yield);
}

static void set_results(pto_text_parser *p, pto_operation *op, const pto_text_types *types) {
    op->result_count = (uint32_t)types->count;
    op->result = pto_arena_new_array(p->arena, pto_value *, types->count);
    for (uint32_t i = 0; i < op->result_count; i++)
        pto_operation_set_result(p->program, op, i, types->data[i], (pto_str){NULL, 0});
}

/* `(%x = %init, ...)` */
static bool parse_inits(pto_text_parser *p, pto_mlir_args *args, pto_mlir_values *values,
                        pto_mlir_spans *spans) {
    if (!pto_text_expect(p, '(', "before the arguments"))
        return false;
    while (!pto_text_at(p, ')')) {
        if (spans->count && pto_text_at(p, ',') && args->count)
            pto_text_take(p);
        pto_mlir_arg arg = {.span = pto_text_span(p->token)};
        if (p->token.kind != PTO_TOKEN_VALUE)
            return pto_text_fail(p, "'%%argument = %%init'");
        arg.name = pto_token_name(pto_text_take(p));
        pto_span span;
        if (!pto_text_expect(p, '=', "after the argument"))
            return false;
        pto_value *init = pto_text_parse_use(p, "the initial value", &span);
        if (!init)
            return false;
        arg.type = init->type;
        pto_vec_push(p->arena, args, arg);
        pto_vec_push(p->arena, values, init);
        pto_vec_push(p->arena, spans, span);
        if (!pto_text_at(p, ',') && !pto_text_at(p, ')'))
            return pto_text_fail(p, "',' or ')'");
    }
    pto_text_take(p);
    return true;
}

static bool parse_bound(pto_text_parser *p, const char *word, pto_mlir_values *values,
                        pto_mlir_spans *spans) {
    if (word && !pto_text_accept_word(p, word))
        return pto_text_fail(p, "'%s'", word);
    pto_span span;
    pto_value *value = pto_text_parse_use(p, "a bound of the loop", &span);
    if (!value)
        return false;
    pto_vec_push(p->arena, values, value);
    pto_vec_push(p->arena, spans, span);
    return true;
}

static pto_operation *parse_for(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_mlir_args args = {0};
    bool is_unsigned = pto_text_accept_word(p, "unsigned");
    pto_mlir_arg induction = {.span = pto_text_span(p->token)};
    if (p->token.kind != PTO_TOKEN_VALUE) {
        pto_text_fail(p, "the induction variable");
        return NULL;
    }
    induction.name = pto_token_name(pto_text_take(p));
    if (!pto_text_expect(p, '=', "after the induction variable") || !parse_bound(p, NULL, &values, &spans) ||
        !parse_bound(p, "to", &values, &spans) || !parse_bound(p, "step", &values, &spans))
        return NULL;
    pto_vec_push(p->arena, &args, induction);
    pto_text_types types = {0};
    if (pto_text_accept_word(p, "iter_args")) {
        pto_mlir_args iters = {0};
        if (!parse_inits(p, &iters, &values, &spans) || !pto_text_expect_arrow(p, "before the result types"))
            return NULL;
        uint32_t begin = p->token.begin;
        if (!pto_text_parse_type_group(p, &types))
            return NULL;
        if (types.count != iters.count) {
            pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "%zu arguments, but %zu types",
                             iters.count, types.count);
            return NULL;
        }
        for (size_t i = 0; i < iters.count; i++) {
            pto_text_check_type(p, values.data[3 + i], spans.data[3 + i], types.data[i],
                                pto_text_since(p, begin));
            iters.data[i].type = types.data[i];
            pto_vec_push(p->arena, &args, iters.data[i]);
        }
    }
    const pto_type *type = pto_type_index(p->program);
    pto_span type_span = {0, 0};
    if (pto_text_accept(p, ':')) {
        type_span = pto_text_span(p->token);
        type = pto_text_parse_type(p);
        if (!type)
            return NULL;
    }
    for (int i = 0; i < 3; i++)
        pto_text_check_type(p, values.data[i], spans.data[i], type, type_span);
    args.data[0].type = type;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_SCF_FOR, name, &values, &spans, 0);
    if (is_unsigned)
        pto_operation_set_attr(p->program, op, PTO_STR("unsignedCmp"), pto_attr_unit(p->program));
    set_results(p, op, &types);
    pto_region *region = pto_operation_add_region(p->program, op);
    if (!pto_mlir_parse_region(p, region, false, &args))
        return NULL;
    pto_mlir_close_with_yield(p, region);
    return !pto_text_at(p, '{') || pto_text_parse_attr_dict(p, op) ? op : NULL;
}

static pto_operation *parse_if(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_span span;
    pto_value *condition = pto_text_parse_use(p, "a condition", &span);
    if (!condition)
        return NULL;
    pto_text_check_type(p, condition, span, pto_type_int(p->program, 1, PTO_SIGNLESS), (pto_span){0, 0});
    pto_vec_push(p->arena, &values, condition);
    pto_vec_push(p->arena, &spans, span);
    pto_operation *op = pto_mlir_make(p, PTO_OPK_SCF_IF, name, &values, &spans, 0);
    pto_text_types types = {0};
    if (pto_text_accept_kind(p, PTO_TOKEN_ARROW) && !pto_text_parse_type_group(p, &types))
        return NULL;
    set_results(p, op, &types);
    pto_mlir_args none = {0};
    pto_region *then_region = pto_operation_add_region(p->program, op);
    pto_region *else_region = pto_operation_add_region(p->program, op);
    if (!pto_mlir_parse_region(p, then_region, false, &none))
        return NULL;
    pto_mlir_close_with_yield(p, then_region);
    if (pto_text_accept_word(p, "else")) {
        if (!pto_mlir_parse_region(p, else_region, false, &none))
            return NULL;
        pto_mlir_close_with_yield(p, else_region);
    }
    return !pto_text_at(p, '{') || pto_text_parse_attr_dict(p, op) ? op : NULL;
}

static pto_operation *parse_while(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_mlir_args args = {0};
    if (pto_text_at(p, '(') && !parse_inits(p, &args, &values, &spans))
        return NULL;
    if (!pto_text_expect(p, ':', "before the type of the loop"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_span span = pto_text_since(p, begin);
    if (type->kind != PTO_TYPE_FUNCTION || type->input_count != args.count) {
        pto_text_fail_at(p, "PTO-E0213", span, "the type of the loop is (arguments) -> results");
        return NULL;
    }
    pto_text_types types = {0};
    for (uint32_t i = 0; i < type->input_count; i++) {
        pto_text_check_type(p, values.data[i], spans.data[i], type->inputs[i], span);
        args.data[i].type = type->inputs[i];
    }
    for (uint32_t i = 0; i < type->result_count; i++)
        pto_vec_push(p->arena, &types, type->results[i]);
    pto_operation *op = pto_mlir_make(p, PTO_OPK_SCF_WHILE, name, &values, &spans, 0);
    set_results(p, op, &types);
    if (!pto_mlir_parse_region(p, pto_operation_add_region(p->program, op), false, &args))
        return NULL;
    if (!pto_text_accept_word(p, "do")) {
        pto_text_fail(p, "'do' and the body of the loop");
        return NULL;
    }
    pto_region *body = pto_operation_add_region(p->program, op);
    pto_span body_span = pto_text_span(p->token);
    if (!pto_mlir_parse_region(p, body, false, NULL))
        return NULL;
    if (!body->first)
        pto_region_add_block(p->program, body);
    if (body->first->next || op->region[0]->first->next) {
        pto_text_fail_at(p, "PTO-E0213", body_span, "a region of scf.while has one block");
        return NULL;
    }
    return !pto_text_at(p, '{') || pto_text_parse_attr_dict(p, op) ? op : NULL;
}

static pto_operation *parse_condition(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_span span;
    if (!pto_text_expect(p, '(', "before the condition"))
        return NULL;
    pto_value *condition = pto_text_parse_use(p, "a condition", &span);
    if (!condition || !pto_text_expect(p, ')', "after the condition"))
        return NULL;
    pto_text_check_type(p, condition, span, pto_type_int(p->program, 1, PTO_SIGNLESS), (pto_span){0, 0});
    pto_vec_push(p->arena, &values, condition);
    pto_vec_push(p->arena, &spans, span);
    bool has = p->token.kind == PTO_TOKEN_VALUE && !p->token.first;
    if (has && !pto_mlir_parse_uses(p, &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_SCF_CONDITION, name, &values, &spans, 0);
    if (!has)
        return op;
    uint32_t begin = p->token.begin;
    pto_text_types types = {0};
    if (!pto_text_expect(p, ':', "before the types") || !pto_text_parse_types(p, &types) ||
        !pto_mlir_check_types(p, op, 1, op->operand_count - 1, &types, pto_text_since(p, begin)))
        return NULL;
    return op;
}

pto_operation *pto_mlir_parse_scf(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    switch (kind) {
    case PTO_OPK_SCF_FOR:
        return parse_for(p, name);
    case PTO_OPK_SCF_IF:
        return parse_if(p, name);
    case PTO_OPK_SCF_WHILE:
        return parse_while(p, name);
    case PTO_OPK_SCF_CONDITION:
        return parse_condition(p, name);
    default: /* yield is written as return is */
        return pto_mlir_parse_return(p, kind, name);
    }
}
