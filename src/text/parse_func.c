/* SPDX-License-Identifier: Apache-2.0 */
/* Modules, functions, calls (60, 3.2). */
#include "text/mlir.h"

#include <string.h>

void pto_mlir_check_symbols(pto_text_parser *p, const pto_operation *module) {
    const pto_block *body = module->region[0]->first;
    pto_map names;
    pto_map_init(&names, p->arena);
    for (pto_operation *op = body ? body->first : NULL; op; op = op->next) {
        const pto_attr *name = pto_operation_attr(op, "sym_name");
        if (!name)
            continue;
        bool fresh;
        pto_map_value *slot = pto_map_insert(&names, name->text, &fresh);
        if (fresh) {
            slot->pointer = op;
            continue;
        }
        pto_text_error(p, "PTO-E0215", op->name_span, "@%.*s is defined already", PTO_STR_ARG(name->text));
        const pto_operation *first = slot->pointer;
        if (!p->stopped)
            pto_diag_note(p->diags, pto_at(p->source, first->name_span.begin, first->name_span.end),
                          "the first definition is here");
    }
}

static pto_str symbol_name(pto_text_parser *p, pto_token token) {
    if (token.text.len < 2 || token.text.data[1] != '"')
        return pto_token_name(token);
    token.text = pto_str_slice(token.text, 1, token.text.len);
    return pto_text_unescape(p, token);
}

pto_operation *pto_mlir_parse_module(pto_text_parser *p, pto_span name) {
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_MODULE, 0, 0);
    op->name_span = name;
    if (p->token.kind == PTO_TOKEN_SYMBOL) {
        op->name_span = pto_text_span(p->token);
        pto_operation_set_attr(p->program, op, PTO_STR("sym_name"),
                               pto_attr_string(p->program, symbol_name(p, pto_text_take(p))));
    }
    if (pto_text_accept_word(p, "attributes") && !pto_text_parse_attr_dict(p, op))
        pto_text_recover(p);
    pto_region *region = pto_operation_add_region(p->program, op);
    if (!pto_mlir_parse_region(p, region, true, NULL))
        return NULL;
    if (!region->first)
        pto_region_add_block(p->program, region);
    if (region->first->next || region->first->arg_count)
        pto_text_fail_at(p, "PTO-E0213", op->name_span, "a module has one block without arguments");
    pto_mlir_check_symbols(p, op);
    return op;
}

typedef struct signature {
    pto_mlir_args args;
    PTO_VEC(const pto_attr *) arg_attrs;
    pto_text_types results;
    PTO_VEC(const pto_attr *) result_attrs;
    bool named, has_arg_attrs, has_result_attrs;
} signature;

static const pto_attr *optional_dict(pto_text_parser *p, bool *any) {
    if (!pto_text_at(p, '{'))
        return pto_attr_dict(p->program, NULL, 0);
    *any = true;
    return pto_text_parse_dict(p, NULL);
}

static bool parse_argument(pto_text_parser *p, signature *s) {
    pto_mlir_arg arg = {.span = pto_text_span(p->token)};
    if (p->token.kind == PTO_TOKEN_VALUE) {
        arg.name = pto_token_name(pto_text_take(p));
        s->named = true;
        if (!pto_text_expect(p, ':', "after the argument"))
            return false;
    } else if (s->named) {
        return pto_text_fail(p, "a named argument");
    }
    arg.type = pto_text_parse_type(p);
    const pto_attr *attrs = arg.type ? optional_dict(p, &s->has_arg_attrs) : NULL;
    if (!attrs)
        return false;
    pto_mlir_skip_loc(p);
    pto_vec_push(p->arena, &s->args, arg);
    pto_vec_push(p->arena, &s->arg_attrs, attrs);
    return true;
}

/* Only a result in parentheses may have attributes: behind a bare one the brace opens the body. */
static bool parse_result(pto_text_parser *p, signature *s, bool listed) {
    const pto_type *type = pto_text_parse_type(p);
    const pto_attr *attrs = NULL;
    if (type)
        attrs = listed ? optional_dict(p, &s->has_result_attrs) : pto_attr_dict(p->program, NULL, 0);
    if (!attrs)
        return false;
    pto_vec_push(p->arena, &s->results, type);
    pto_vec_push(p->arena, &s->result_attrs, attrs);
    return true;
}

static bool parse_signature(pto_text_parser *p, pto_operation *op, signature *s) {
    static const char *const visibilities[] = {"private", "public", "nested"};
    for (int i = 0; i < 3; i++)
        if (pto_text_accept_word(p, visibilities[i]))
            pto_operation_set_attr(p->program, op, PTO_STR("sym_visibility"),
                                   pto_attr_string(p->program, pto_str_from(visibilities[i])));
    if (p->token.kind != PTO_TOKEN_SYMBOL)
        return pto_text_fail(p, "the name of the function, @name");
    op->name_span = pto_text_span(p->token);
    pto_operation_set_attr(p->program, op, PTO_STR("sym_name"),
                           pto_attr_string(p->program, symbol_name(p, pto_text_take(p))));
    if (!pto_text_expect(p, '(', "before the arguments"))
        return false;
    while (!pto_text_at(p, ')'))
        if ((s->args.count && !pto_text_expect(p, ',', "between arguments")) || !parse_argument(p, s))
            return false;
    pto_text_take(p);
    if (pto_text_accept_kind(p, PTO_TOKEN_ARROW)) {
        if (pto_text_accept(p, '(')) {
            while (!pto_text_at(p, ')'))
                if ((s->results.count && !pto_text_expect(p, ',', "between results")) ||
                    !parse_result(p, s, true))
                    return false;
            pto_text_take(p);
        } else if (!parse_result(p, s, false)) {
            return false;
        }
    }
    return !pto_text_accept_word(p, "attributes") || pto_text_parse_attr_dict(p, op);
}

/* After an error in the signature: to the brace that opens the body, if there is one. */
static bool find_body(pto_text_parser *p) {
    p->failed = false;
    while (p->token.kind != PTO_TOKEN_END && !(pto_text_at(p, '{') && pto_text_peek(p).first)) {
        if (p->token.first && (pto_text_at_word(p, "func.func") || pto_text_at(p, '}')))
            return false;
        pto_text_take(p);
    }
    return pto_text_at(p, '{');
}

pto_operation *pto_mlir_parse_func(pto_text_parser *p, pto_span name) {
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_FUNC, 0, 0);
    op->name_span = name;
    signature s = {0};
    bool good = parse_signature(p, op, &s);
    pto_text_types inputs = {0};
    for (size_t i = 0; i < s.args.count; i++)
        pto_vec_push(p->arena, &inputs, s.args.data[i].type);
    pto_operation_set_attr(
        p->program, op, PTO_STR("function_type"),
        pto_attr_type(p->program, pto_type_function(p->program, inputs.data, (uint32_t)inputs.count,
                                                    s.results.data, (uint32_t)s.results.count)));
    if (s.has_arg_attrs)
        pto_operation_set_attr(p->program, op, PTO_STR("arg_attrs"),
                               pto_attr_array(p->program, s.arg_attrs.data, (uint32_t)s.arg_attrs.count));
    if (s.has_result_attrs)
        pto_operation_set_attr(
            p->program, op, PTO_STR("res_attrs"),
            pto_attr_array(p->program, s.result_attrs.data, (uint32_t)s.result_attrs.count));
    pto_region *region = pto_operation_add_region(p->program, op);
    if (!good && !find_body(p))
        return op; /* what follows is read as if the function had ended */
    if (!pto_text_at(p, '{'))
        return op;
    if (!s.named && s.args.count && good) {
        pto_text_fail_at(p, "PTO-E0201", op->name_span, "a function with a body names its arguments");
        return NULL;
    }
    bool lenient = p->lenient;
    p->lenient |= !good;
    bool ok = pto_mlir_parse_region(p, region, true, &s.args);
    p->lenient = lenient;
    return ok ? op : NULL;
}

pto_operation *pto_mlir_parse_return(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    /* In lines and at the end of a block nothing may follow; a value on the next line starts a statement. */
    bool has = p->token.kind == PTO_TOKEN_VALUE && !p->token.first;
    if (has && !pto_mlir_parse_uses(p, &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, kind, name, &values, &spans, 0);
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op))
        return NULL;
    if (!has)
        return op;
    uint32_t begin = p->token.begin;
    pto_text_types types = {0};
    if (!pto_text_expect(p, ':', "before the types") || !pto_text_parse_types(p, &types) ||
        !pto_mlir_check_types(p, op, 0, op->operand_count, &types, pto_text_since(p, begin)))
        return NULL;
    return op;
}

pto_operation *pto_mlir_parse_call(pto_text_parser *p, pto_span name) {
    if (p->token.kind != PTO_TOKEN_SYMBOL) {
        pto_text_fail(p, "the function, @name");
        return NULL;
    }
    pto_str callee = symbol_name(p, pto_text_take(p));
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    if (!pto_text_expect(p, '(', "before the arguments") || !pto_mlir_parse_uses(p, &values, &spans) ||
        !pto_text_expect(p, ')', "after the arguments"))
        return NULL;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_CALL, name, &values, &spans, 0);
    pto_operation_set_attr(p->program, op, PTO_STR("callee"), pto_attr_symbol(p->program, callee));
    if (pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op))
        return NULL;
    if (!pto_text_expect(p, ':', "before the type of the call"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_span span = pto_text_since(p, begin);
    if (type->kind != PTO_TYPE_FUNCTION || type->input_count != values.count) {
        pto_text_fail_at(p, type->kind == PTO_TYPE_FUNCTION ? "PTO-E0213" : "PTO-E0201", span,
                         "the type of a call is (inputs) -> results");
        return NULL;
    }
    for (uint32_t i = 0; i < type->input_count; i++)
        pto_text_check_type(p, op->operand[i], op->operand_span[i], type->inputs[i], span);
    op->result_count = type->result_count;
    op->result = pto_arena_new_array(p->arena, pto_value *, type->result_count);
    for (uint32_t i = 0; i < type->result_count; i++)
        pto_operation_set_result(p->program, op, i, type->results[i], (pto_str){NULL, 0});
    return op;
}
