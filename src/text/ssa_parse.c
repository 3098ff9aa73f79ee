/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one SSA statement as text: operands, attributes, signature (60, 1.2, 1.4, 1.5). */
#include "text/ssa.h"

#include <string.h>

/* ---- operands ----------------------------------------------------------------------------------- */

static bool at_number(const pto_text_parser *p) {
    return p->token.kind == PTO_TOKEN_INT || p->token.kind == PTO_TOKEN_FLOAT || pto_text_at(p, '-') ||
           pto_text_at_word(p, "true") || pto_text_at_word(p, "false");
}

static bool read_number(pto_text_parser *p, pto_ssa_item *item) {
    item->number = p->token.begin;
    if (pto_text_accept(p, '-') && p->token.kind != PTO_TOKEN_INT && p->token.kind != PTO_TOKEN_FLOAT)
        return pto_text_fail(p, "a number after '-'");
    item->is_float = p->token.kind == PTO_TOKEN_FLOAT;
    pto_text_take(p);
    return true;
}

static bool read_plain(pto_text_parser *p, pto_ssa_item *item, const char *what) {
    item->token = p->token;
    if (p->token.kind == PTO_TOKEN_VALUE && !(p->lines && p->token.first)) {
        item->kind = PTO_SSA_NAME;
        pto_text_take(p);
    } else if (at_number(p) && !(p->lines && p->token.first)) {
        item->kind = PTO_SSA_LITERAL;
        if (!read_number(p, item))
            return false;
    } else {
        return pto_text_fail(p, "%s", what);
    }
    item->end = p->last_end;
    return true;
}

/* `[%r, 0]` behind the name. */
static bool read_indices(pto_text_parser *p, pto_ssa_item *item) {
    uint32_t begin = p->token.begin;
    pto_text_take(p);
    item->index = pto_arena_new_array(p->arena, pto_ssa_item, PTO_SSA_INDEX_LIMIT);
    do {
        if (item->index_count == PTO_SSA_INDEX_LIMIT)
            return pto_text_fail_at(p, "PTO-E0213", (pto_span){begin, p->last_end}, "at most %d indices",
                                    PTO_SSA_INDEX_LIMIT);
        if (!read_plain(p, &item->index[item->index_count], "an index"))
            return false;
        item->index_count++;
    } while (pto_text_accept(p, ','));
    return pto_text_expect(p, ']', "after the indices");
}

/* `@tile(0x1000)` */
static bool read_address(pto_text_parser *p, pto_ssa_item *item) {
    item->kind = PTO_SSA_ADDRESS;
    item->token = pto_text_take(p);
    if (!pto_str_equal(pto_token_name(item->token), PTO_STR("tile")))
        return pto_text_fail_at(p, "PTO-E0201", pto_text_span(item->token),
                                "an address literal is written @tile(bytes)");
    if (!pto_text_expect(p, '(', "after @tile") || !at_number(p))
        return pto_text_fail(p, "a byte address");
    if (!read_number(p, item) || !pto_text_expect(p, ')', "after the address"))
        return false;
    item->end = p->last_end;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------------ */

/* Keys and values of the asm model (60, 1.5). */
static const struct {
    const char *key, *table_key;
} key_aliases[] = {{"cmp", "cmpMode"},  {"round", "rmode"},       {"rnd", "rmode"},
                   {"sat", "sat_mode"}, {"atomic", "atomicType"}, {"mask", "maskPattern"}};

static const struct {
    const char *key, *word, *value;
} value_aliases[] = {{"rmode", "rne", "RINT"},
                     {"rmode", "rz", "TRUNC"},
                     {"rmode", "rp", "CEIL"},
                     {"rmode", "rm", "FLOOR"},
                     {"atomicType", "none", "atomic_none"},
                     {"atomicType", "add", "atomic_add"}};

static bool form_has_key(const char *opcode, pto_text_form text, pto_str key) {
    size_t len = strlen(opcode);
    for (int f = pto_form_find_opcode(text, opcode, len); f >= 0; f = pto_form_next_opcode(text, f)) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        for (int i = 0; i < form->operand_count; i++)
            if (form->operand[i].role == PTO_ROLE_ATTR &&
                pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
                return true;
    }
    return false;
}

/* The enum of a key in any form of the opcode; NULL when there is none. */
static const pto_enum_desc *enum_of(const pto_ssa_statement *s, pto_str key) {
    const char *opcode = pto_form_get(s->op->form)->text[s->text].opcode;
    size_t len = strlen(opcode);
    for (int f = pto_form_find_opcode(s->text, opcode, len); f >= 0; f = pto_form_next_opcode(s->text, f)) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        for (int i = 0; i < form->operand_count; i++)
            if (form->operand[i].role == PTO_ROLE_ATTR &&
                pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
                return pto_enum_of_attr(form->operand[i].attr);
    }
    return NULL;
}

/* `#key=value`, an alias of `{key = value}`. */
static bool read_hash_attr(pto_text_parser *p, pto_ssa_statement *s) {
    pto_token hash = pto_text_take(p);
    pto_str key = pto_token_name(hash);
    pto_text_take(p); /* = */
    const char *opcode = pto_form_get(s->op->form)->text[s->text].opcode;
    if (!form_has_key(opcode, s->text, key)) {
        for (size_t i = 0; i < sizeof key_aliases / sizeof *key_aliases; i++)
            if (pto_str_equal(key, pto_str_from(key_aliases[i].key)))
                key = pto_str_from(key_aliases[i].table_key);
        if (pto_str_equal(key, PTO_STR("phase")))
            key = pto_text_at_word(p, "relu") ? PTO_STR("reluPreMode") : PTO_STR("stPhase");
    }
    pto_span span = pto_text_span(p->token);
    const pto_enum_desc *desc = enum_of(s, key);
    if (p->token.kind == PTO_TOKEN_WORD && desc) {
        pto_str value = p->token.text;
        if (pto_str_equal(key, PTO_STR("reluPreMode")) && pto_str_equal(value, PTO_STR("relu")))
            value = PTO_STR("normal_relu");
        for (size_t i = 0; i < sizeof value_aliases / sizeof *value_aliases; i++)
            if (pto_str_equal(key, pto_str_from(value_aliases[i].key)) &&
                pto_str_equal(value, pto_str_from(value_aliases[i].word)))
                value = pto_str_from(value_aliases[i].value);
        pto_text_take(p);
        const pto_attr *attr = pto_attr_enum(p->program, pto_str_from(desc->name), value);
        if (!attr) {
            pto_text_error(p, "PTO-E0233", span, "%.*s has no value '%.*s'", PTO_STR_ARG(key),
                           PTO_STR_ARG(value));
            return true;
        }
        pto_text_set_attr(p, s->op, pto_program_copy(p->program, key), attr, pto_text_span(hash), span);
        return true;
    }
    const pto_attr *attr = pto_text_parse_attr(p, desc);
    if (!attr)
        return false;
    pto_text_set_attr(p, s->op, pto_program_copy(p->program, key), attr, pto_text_span(hash), span);
    return true;
}

/* ---- statement ------------------------------------------------------------------------------------- */

static bool at_item(const pto_text_parser *p) {
    if (p->lines && p->token.first)
        return false;
    return p->token.kind == PTO_TOKEN_VALUE || p->token.kind == PTO_TOKEN_SYMBOL ||
           p->token.kind == PTO_TOKEN_HASH || at_number(p);
}

/* Where operands end, the next line may begin with the results of another statement. */
static bool begins_next(const pto_text_parser *p) {
    if (!p->token.first || p->token.kind != PTO_TOKEN_VALUE)
        return false;
    pto_lexer ahead = p->lexer;
    pto_token next = pto_lexer_next(&ahead);
    while (pto_token_is(next, ',')) {
        next = pto_lexer_next(&ahead);
        if (next.kind != PTO_TOKEN_VALUE)
            return false;
        next = pto_lexer_next(&ahead);
    }
    return pto_token_is(next, '=');
}

static bool read_items(pto_text_parser *p, pto_ssa_statement *s) {
    if (!at_item(p) || begins_next(p))
        return true;
    do {
        if (begins_next(p))
            return pto_text_fail(p, "an operand");
        if (p->token.kind == PTO_TOKEN_HASH && pto_token_is(pto_text_peek(p), '=')) {
            if (!read_hash_attr(p, s))
                return false;
            continue;
        }
        pto_ssa_item item = {0};
        if (p->token.kind == PTO_TOKEN_SYMBOL && !(p->lines && p->token.first)) {
            if (!read_address(p, &item))
                return false;
        } else {
            if (!read_plain(p, &item, "an operand"))
                return false;
            if (item.kind == PTO_SSA_NAME && pto_text_at(p, '[') && !(p->lines && p->token.first) &&
                !read_indices(p, &item))
                return false;
        }
        pto_vec_push(p->arena, &s->item, item);
        if (s->item.count > 64)
            return pto_text_fail_at(p, "PTO-E0213", pto_text_span(item.token), "too many operands");
        /* `#key=value` may follow without a comma. */
        while (p->token.kind == PTO_TOKEN_HASH && !p->token.first && pto_token_is(pto_text_peek(p), '='))
            if (!read_hash_attr(p, s))
                return false;
    } while (pto_text_accept(p, ','));
    return true;
}

static bool read_type(pto_text_parser *p, pto_ssa_types *types) {
    if (p->lines && p->token.first)
        return pto_text_fail(p, "a type");
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return false;
    pto_vec_push(p->arena, types, (pto_ssa_type){type, pto_text_since(p, begin)});
    if (types->count > 128)
        return pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "too many types");
    return true;
}

/* `T`, `T, T`, `(T, T)`, `()` */
static bool read_types(pto_text_parser *p, pto_ssa_types *types) {
    bool parens = pto_text_accept(p, '(');
    if (parens && pto_text_accept(p, ')'))
        return true;
    do {
        if (!read_type(p, types))
            return false;
    } while (pto_text_accept(p, ','));
    return !parens || pto_text_expect(p, ')', "after the types");
}

static bool read_signature(pto_text_parser *p, pto_ssa_statement *s) {
    if ((p->lines && p->token.first) || !pto_text_accept(p, ':'))
        return true;
    s->signature = true;
    if (!read_types(p, &s->operand_types))
        return false;
    if ((p->lines && p->token.first) || !pto_text_accept_kind(p, PTO_TOKEN_ARROW))
        return true;
    s->arrow = true;
    return read_types(p, &s->result_types);
}

bool pto_ssa_read(pto_text_parser *p, pto_ssa_statement *s) {
    const bool modes = pto_ssa_take_modes(p, s);
    if (!read_items(p, s))
        return false;
    /* mscatter.row has the table in front */
    if (modes && s->item.count > 1 && pto_form_get(s->op->form)->operand[0].is_global) {
        const pto_ssa_item table = s->item.data[0];
        s->item.data[0] = s->item.data[1];
        s->item.data[1] = table;
    }
    if (pto_text_at(p, '{') && !(p->lines && p->token.first) && !pto_text_parse_attr_dict(p, s->op))
        return false;
    if (!read_signature(p, s))
        return false;
    if (modes && s->operand_types.count > 1 && pto_form_get(s->op->form)->operand[0].is_global) {
        const pto_ssa_type table = s->operand_types.data[0];
        s->operand_types.data[0] = s->operand_types.data[1];
        s->operand_types.data[1] = table;
    }
    return true;
}
