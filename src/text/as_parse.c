/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-AS programs: lines of directives and instructions (60, 1). */
#include "text/mlir.h"
#include "text/ssa.h"

#include <string.h>

/* `.const %c = 1 : index` */
static bool parse_const(pto_text_parser *p, pto_block *block) {
    uint32_t begin = p->token.begin;
    pto_span directive = pto_text_span(pto_text_take(p));
    if (p->token.kind != PTO_TOKEN_VALUE || p->token.first)
        return pto_text_fail(p, "the name of a constant");
    pto_token name = pto_text_take(p);
    if (!pto_text_expect(p, '=', "after the name"))
        return false;
    /* The type stands behind the number that it explains. */
    uint32_t number = p->token.begin;
    bool word = pto_text_at_word(p, "true") || pto_text_at_word(p, "false"),
         truth = pto_text_at_word(p, "true");
    if (!word)
        pto_text_accept(p, '-');
    if (!word && p->token.kind != PTO_TOKEN_INT && p->token.kind != PTO_TOKEN_FLOAT)
        return pto_text_fail(p, "a number");
    if (p->token.first)
        return pto_text_fail(p, "a number");
    pto_text_take(p);
    if (!pto_text_expect(p, ':', "before the type of the constant"))
        return false;
    pto_span type_span = pto_text_span(p->token);
    const pto_type *type = p->token.first ? NULL : pto_text_parse_type(p);
    if (!type)
        return pto_text_fail(p, "a type");
    const pto_attr *attr = NULL;
    if (!pto_type_is_scalar(type)) {
        pto_text_error(p, "PTO-E0233", type_span, "a constant has an integer, index or float type");
    } else if (word) {
        attr = pto_ssa_truth(p->program, truth, type);
    } else {
        pto_lexer lexer = p->lexer;
        pto_token token = p->token;
        uint32_t last_end = p->last_end;
        pto_text_seek(p, number);
        attr = pto_text_parse_number(p, type);
        if (p->failed)
            return false;
        if (!p->stopped) {
            p->lexer = lexer;
            p->token = token;
            p->last_end = last_end;
        }
    }
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_AS_CONST, 0, 1);
    op->span = pto_text_since(p, begin);
    op->name_span = directive;
    pto_value *value = pto_operation_set_result(p->program, op, 0, attr ? type : NULL, pto_token_name(name));
    if (attr)
        pto_operation_set_attr(p->program, op, PTO_STR("value"), attr);
    pto_text_define(p, pto_token_name(name), pto_text_span(name), value);
    pto_block_append(block, op);
    return true;
}

/* `tsync %e0, %e1` and `tsync #pto.op<TADD>` (60, 1.6). */
static bool parse_tsync(pto_text_parser *p, pto_block *block, pto_token opcode) {
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_TSYNC, 0, 0);
    op->name_span = pto_text_span(opcode);
    if (p->token.kind == PTO_TOKEN_HASH && !p->token.first) {
        pto_span span = pto_text_span(p->token);
        const pto_attr *attr = pto_text_parse_attr(p, NULL);
        if (!attr)
            return false;
        pto_text_set_attr(p, op, PTO_STR("op"), attr, span, pto_text_since(p, span.begin));
    } else {
        while (p->token.kind == PTO_TOKEN_VALUE && !p->token.first) {
            pto_span span;
            pto_value *value = pto_text_parse_use(p, "an event", &span);
            pto_operation_resize(p->program, op, op->operand_count + 1);
            op->operand[op->operand_count - 1] = value;
            op->operand_span[op->operand_count - 1] = span;
            /* Pages write events with and without commas. */
            pto_text_accept(p, ',');
        }
        if (op->operand_count && pto_text_accept(p, ':')) {
            pto_text_types types = {0};
            bool group = pto_text_at(p, '(');
            if (!(group ? pto_text_parse_type_group(p, &types) : pto_text_parse_types(p, &types)))
                return false;
            for (uint32_t i = 0; i < op->operand_count && i < types.count; i++)
                pto_text_check_type(p, op->operand[i], op->operand_span[i], types.data[i], (pto_span){0, 0});
        }
    }
    op->span = pto_text_since(p, opcode.begin);
    pto_block_append(block, op);
    return true;
}

/* `%e = tprefetch_async %src, %session` (60, 1.6): no instruction of the table, since it has no effect. */
static bool parse_prefetch(pto_text_parser *p, pto_block *block, pto_token opcode,
                           const pto_text_results *results) {
    pto_operation *op = pto_mlir_parse_syntax(p, PTO_OPK_TPREFETCH_ASYNC, pto_text_span(opcode));
    if (!op)
        return false;
    op->span = pto_text_since(p, opcode.begin);
    pto_block_append(block, op);
    if (results->count != 1)
        return pto_text_fail_at(p, "PTO-E0213", op->span, "tprefetch_async has one result, an event");
    const pto_text_result *event = &results->data[0];
    op->result[0]->name = event->name;
    pto_text_define(p, event->name, event->span, op->result[0]);
    return true;
}

static bool parse_instruction(pto_text_parser *p, pto_block *block, const pto_text_results *results) {
    if (p->token.kind != PTO_TOKEN_WORD || (results->count && p->token.first)) {
        if (results->count || p->token.kind == PTO_TOKEN_ERROR)
            return pto_text_fail(p, "an opcode");
        return pto_text_fail_at(p, "PTO-E0201", pto_text_span(p->token),
                                "a statement begins with a directive, a result or an opcode");
    }
    pto_token opcode = pto_text_take(p);
    pto_text_form text = pto_str_starts_with(opcode.text, PTO_STR("pto.")) ? PTO_TEXT_LEVEL1 : PTO_TEXT_AS;
    if (!results->count && pto_str_equal(opcode.text, PTO_STR("tsync")))
        return parse_tsync(p, block, opcode);
    if (pto_str_equal(opcode.text, PTO_STR("tprefetch_async")) ||
        pto_str_equal(opcode.text, PTO_STR("pto.tprefetch_async")))
        return parse_prefetch(p, block, opcode, results);
    pto_operation *op;
    /* The documents print the level 2 line of an instruction behind its PTO-AS line. */
    if (text == PTO_TEXT_LEVEL1 && !results->count && pto_text_at_word(p, "ins")) {
        int level2 = pto_form_find_opcode(PTO_TEXT_LEVEL2, opcode.text.data, opcode.text.len);
        if (level2 >= 0) {
            op = pto_mlir_parse_instr(p, level2, opcode);
            if (!op || p->failed)
                return false;
            op->span = pto_text_since(p, opcode.begin);
            pto_block_append(block, op);
            return true;
        }
    }
    int form = pto_ssa_find_opcode(text, opcode.text);
    if (form < 0) {
        pto_text_unknown_op(p, opcode.text, pto_text_span(opcode));
        p->failed = true;
        return false;
    }
    pto_ssa_statement s = {.text = text, .block = block, .opcode = opcode, .results = *results};
    s.op = pto_text_new_instr(p, (pto_form)form, pto_text_span(opcode));
    if (!pto_ssa_read(p, &s))
        return false;
    op = pto_ssa_build(p, &s);
    if (!op)
        return false;
    pto_block_append(block, op);
    return true;
}

static bool parse_statement(pto_text_parser *p, pto_block *block, pto_text_results *results) {
    if (p->token.kind == PTO_TOKEN_DOTWORD) {
        if (pto_str_equal(p->token.text, PTO_STR(".arg")))
            return pto_text_parse_arg(p);
        if (pto_str_equal(p->token.text, PTO_STR(".const")))
            return parse_const(p, block);
        return pto_text_fail(p, ".arg or .const");
    }
    /* `label:` has no effect. */
    if (p->token.kind == PTO_TOKEN_WORD && pto_token_is(pto_text_peek(p), ':')) {
        pto_text_take(p);
        pto_text_take(p);
        if (pto_text_at_end(p))
            return true;
    }
    return pto_text_parse_results(p, results) && parse_instruction(p, block, results);
}

/* Names of a failed statement are accepted in silence; those that are bound stay. */
static void poison(pto_text_parser *p, const pto_text_results *results) {
    for (size_t i = 0; i < results->count; i++)
        if (!pto_text_lookup(p, results->data[i].name))
            pto_text_define(p, results->data[i].name, results->data[i].span, pto_text_poison(p));
}

void pto_text_parse_as(pto_text_parser *p) {
    pto_text_set_dialect(p, PTO_DIALECT_AS);
    pto_operation *main = pto_text_main(p);
    pto_block *block = main ? pto_function_body(main) : NULL;
    if (!block)
        return;
    while (p->token.kind != PTO_TOKEN_END) {
        if (pto_text_accept(p, ';'))
            continue;
        uint32_t begin = p->token.begin, errors = p->errors;
        pto_operation *before = block->last;
        pto_text_results results = {0};
        bool good = parse_statement(p, block, &results) && !p->failed;
        if (good && (!pto_text_at_end(p) || (pto_text_at(p, '}') && !p->token.first)))
            good = pto_text_fail(p, "the end of the line");
        else if (!good)
            poison(p, &results);
        if (p->errors > errors && block->last != before)
            block->last->broken = true;
        if (good)
            continue;
        if (p->token.kind != PTO_TOKEN_END && (p->token.begin == begin || pto_text_at(p, '}')))
            pto_text_take(p);
        pto_text_recover(p);
    }
}
