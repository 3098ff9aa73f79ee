/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values: scopes of functions and regions, uses, results (60, 1.3, 3.1). */
#include "text/parser.h"

#include <string.h>

#define RESULT_LIMIT 1024

void pto_text_push_scope(pto_text_parser *p, bool isolated) {
    pto_text_scope *scope = pto_arena_new(p->arena, pto_text_scope);
    scope->parent = p->scope;
    scope->isolated = isolated || !p->scope;
    if (scope->isolated) {
        scope->names = pto_arena_new(p->arena, pto_map);
        pto_map_init(scope->names, p->arena);
    } else {
        scope->names = p->scope->names;
    }
    p->scope = scope;
}

void pto_text_pop_scope(pto_text_parser *p) {
    pto_text_scope *scope = p->scope;
    for (size_t i = 0; i < scope->defined.count; i++)
        scope->defined.data[i]->value = NULL;
    p->scope = scope->parent;
}

static pto_text_name *find(pto_text_parser *p, pto_str name) {
    pto_map_value *slot = p->scope ? pto_map_find(p->scope->names, name) : NULL;
    return slot ? slot->pointer : NULL;
}

static void bind(pto_text_parser *p, pto_str name, pto_span span, pto_value *value) {
    pto_text_name *entry = find(p, name);
    bool known = entry != NULL;
    if (!known) {
        entry = pto_arena_new(p->arena, pto_text_name);
        pto_map_insert(p->scope->names, name, NULL)->pointer = entry;
    }
    if (!known || !entry->value)
        pto_vec_push(p->arena, &p->scope->defined, entry);
    entry->value = value;
    entry->span = span;
    value->span = span;
}

void pto_text_define(pto_text_parser *p, pto_str name, pto_span span, pto_value *value) {
    pto_text_name *entry = find(p, name);
    if (!entry || !entry->value) {
        bind(p, name, span, value);
        return;
    }
    pto_text_error(p, "PTO-E0211", span, "%%%.*s is defined already", PTO_STR_ARG(name));
    if (!p->stopped)
        pto_diag_note(p->diags, pto_at(p->source, entry->span.begin, entry->span.end),
                      "the first definition is here");
    value->span = span;
}

void pto_text_rebind(pto_text_parser *p, pto_str name, pto_span span, pto_value *value) {
    bind(p, name, span, value);
}

pto_value *pto_text_lookup(pto_text_parser *p, pto_str name) {
    pto_text_name *entry = find(p, name);
    return entry ? entry->value : NULL;
}

pto_value *pto_text_poison(pto_text_parser *p) { return pto_arena_new(p->arena, pto_value); }

static void undefined(pto_text_parser *p, pto_str name, pto_span span, const pto_text_name *old) {
    if (p->lenient)
        return;
    pto_text_error(p, "PTO-E0210", span, "%%%.*s is not defined%s", PTO_STR_ARG(name), old ? " here" : "");
    if (p->stopped)
        return;
    if (old) {
        pto_diag_note(p->diags, pto_at(p->source, old->span.begin, old->span.end),
                      "it is defined here, inside a region that has ended");
        return;
    }
    const pto_map *names = p->scope->names;
    PTO_VEC(pto_str) live = {0};
    for (size_t i = 0; i < names->capacity && live.count < 4096; i++) {
        const pto_map_slot *slot = &names->slots[i];
        if (slot->hash && ((pto_text_name *)slot->value.pointer)->value)
            pto_vec_push(p->arena, &live, slot->key);
    }
    int nearest = pto_str_nearest(name, live.data, live.count);
    if (nearest >= 0)
        pto_diag_fix(p->diags, "did you mean '%%%.*s'?", PTO_STR_ARG(live.data[nearest]));
}

pto_value *pto_text_use(pto_text_parser *p, pto_token token) {
    pto_str name = pto_token_name(token);
    if (!p->scope)
        pto_text_push_scope(p, true);
    pto_text_name *entry = find(p, name);
    if (!entry || !entry->value) {
        /* `%r` is the first result of `%r:2`. */
        char first[80];
        if (!memchr(name.data, '#', name.len) && name.len < sizeof first - 2) {
            memcpy(first, name.data, name.len);
            memcpy(first + name.len, "#0", 2);
            pto_text_name *head = find(p, (pto_str){first, name.len + 2});
            if (head && head->value)
                return head->value;
        }
        if (name.len > 2 && pto_str_ends_with(name, PTO_STR("#0"))) {
            pto_text_name *plain = find(p, pto_str_slice(name, 0, name.len - 2));
            if (plain && plain->value)
                return plain->value;
        }
    }
    if (entry && entry->value)
        return entry->value;
    undefined(p, name, pto_text_span(token), entry);
    /* One message for one name. */
    pto_value *poison = pto_text_poison(p);
    bind(p, name, entry ? entry->span : pto_text_span(token), poison);
    return poison;
}

pto_value *pto_text_parse_use(pto_text_parser *p, const char *what, pto_span *span) {
    if (p->token.kind != PTO_TOKEN_VALUE) {
        pto_text_fail(p, "%s", what ? what : "a value");
        return NULL;
    }
    pto_token token = pto_text_take(p);
    if (span)
        *span = pto_text_span(token);
    return pto_text_use(p, token);
}

bool pto_text_types_fit(const pto_type *definition, const pto_type *use) {
    if (definition == use || !definition || !use)
        return true;
    if (pto_type_is_tile(definition) && pto_type_is_tile(use))
        return definition->open || use->open || pto_text_conv_fits(definition, use);
    return definition->kind == use->kind && (definition->open || use->open);
}

void pto_text_check_type(pto_text_parser *p, const pto_value *value, pto_span span, const pto_type *type,
                         pto_span type_span) {
    if (!value || pto_text_types_fit(value->type, type))
        return;
    pto_text_error(p, "PTO-E0212", type_span.end > type_span.begin ? type_span : span,
                   "this is not the type of %.*s", (int)(span.end - span.begin),
                   p->source->text + span.begin);
    if (!p->stopped && value->span.end > value->span.begin)
        pto_diag_note(p->diags, pto_at(p->source, value->span.begin, value->span.end), "it is defined here");
}

bool pto_text_parse_results(pto_text_parser *p, pto_text_results *results) {
    *results = (pto_text_results){0};
    if (p->token.kind != PTO_TOKEN_VALUE)
        return true;
    do {
        if (p->token.kind != PTO_TOKEN_VALUE)
            return pto_text_fail(p, "the name of a result");
        pto_token token = pto_text_take(p);
        pto_str name = pto_token_name(token);
        if (memchr(name.data, '#', name.len))
            return pto_text_fail_at(p, "PTO-E0201", pto_text_span(token),
                                    "'#' selects a result at its use; a definition is written %%name:count");
        if (!pto_text_accept(p, ':')) {
            pto_vec_push(p->arena, results, (pto_text_result){name, pto_text_span(token)});
            continue;
        }
        pto_span count_span = pto_text_span(p->token);
        int64_t count;
        if (!pto_text_parse_int(p, &count))
            return false;
        if (count < 1 || count > RESULT_LIMIT)
            return pto_text_fail_at(p, "PTO-E0232", count_span, "the number of results is 1..%d",
                                    RESULT_LIMIT);
        for (int64_t i = 0; i < count; i++) {
            char *full = pto_arena_printf(p->arena, "%.*s#%d", PTO_STR_ARG(name), (int)i);
            pto_vec_push(p->arena, results, (pto_text_result){pto_str_from(full), pto_text_span(token)});
        }
    } while (pto_text_accept(p, ','));
    return pto_text_expect(p, '=', "after the results");
}

void pto_text_bind_results(pto_text_parser *p, const pto_text_results *results, pto_operation *op) {
    size_t named = results->count < op->result_count ? results->count : op->result_count;
    if (results->count && results->count != op->result_count)
        pto_text_error(p, "PTO-E0213",
                       (pto_span){results->data[0].span.begin, results->data[results->count - 1].span.end},
                       "the operation has %u result%s, but %zu name%s stand before it", op->result_count,
                       op->result_count == 1 ? "" : "s", results->count, results->count == 1 ? "" : "s");
    for (size_t i = 0; i < named; i++) {
        op->result[i]->name = results->data[i].name;
        pto_text_define(p, results->data[i].name, results->data[i].span, op->result[i]);
    }
    for (size_t i = named; i < results->count; i++)
        pto_text_define(p, results->data[i].name, results->data[i].span, pto_text_poison(p));
}

void pto_text_poison_results(pto_text_parser *p, const pto_text_results *results) {
    for (size_t i = 0; i < results->count; i++)
        pto_text_define(p, results->data[i].name, results->data[i].span, pto_text_poison(p));
}
