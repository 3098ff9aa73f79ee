/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values, and lines, as text. */
#include "text/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pto_print_scope {
    pto_print_scope *parent;
    bool isolated;
    pto_map outer; /* names in use outside, when isolated */
    uint32_t outer_number;
    PTO_VEC(pto_str) mine;
};

void pto_print_text(pto_text_printer *t, const char *text) { pto_sink_text(&t->sink, text); }
void pto_print_str(pto_text_printer *t, pto_str text) { pto_sink_put(&t->sink, text.data, text.len); }

void pto_print_newline(pto_text_printer *t) {
    pto_sink_char(&t->sink, '\n', 1);
    pto_sink_char(&t->sink, ' ', (size_t)t->indent * 2);
}

void pto_print_refuse(pto_text_printer *t, const pto_operation *op, const char *format, ...) {
    pto_source *source = t->program->source;
    va_list arguments;
    va_start(arguments, format);
    pto_diag_add_v(t->diags, PTO_ERROR, "PTO-E0250",
                   source && op ? pto_at(source, op->name_span.begin, op->name_span.end) : pto_nowhere(),
                   format, arguments);
    va_end(arguments);
    t->failed = true;
}

/* ---- names --------------------------------------------------------------------------------- */

void pto_print_push_scope(pto_text_printer *t, bool isolated) {
    pto_print_scope *scope = pto_arena_new(&t->arena, pto_print_scope);
    scope->parent = t->scope;
    scope->isolated = isolated;
    if (isolated) {
        scope->outer = t->used;
        scope->outer_number = t->next_number;
        pto_map_init(&t->used, &t->arena);
        t->next_number = 0;
    }
    t->scope = scope;
}

void pto_print_pop_scope(pto_text_printer *t) {
    pto_print_scope *scope = t->scope;
    if (scope->isolated) {
        t->used = scope->outer;
        t->next_number = scope->outer_number;
    } else {
        for (size_t i = 0; i < scope->mine.count; i++)
            pto_map_find(&t->used, scope->mine.data[i])->number = 0;
    }
    t->scope = scope->parent;
}

static bool is_used(const pto_text_printer *t, pto_str name) {
    const pto_map_value *slot = pto_map_find(&t->used, name);
    return slot && slot->number;
}

static void use(pto_text_printer *t, pto_str name) {
    pto_map_insert(&t->used, name, NULL)->number = 1;
    if (t->scope)
        pto_vec_push(&t->arena, &t->scope->mine, name);
}

static void remember(pto_text_printer *t, const pto_value *value, pto_str name) {
    const pto_value **key = pto_arena_alloc(&t->arena, sizeof *key);
    *key = value;
    pto_str *copy = pto_arena_new(&t->arena, pto_str);
    *copy = name;
    pto_map_insert(&t->names, (pto_str){(const char *)key, sizeof *key}, NULL)->pointer = copy;
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

/* What the name of a value may be in every form: a letter first or digits alone, no sigils inside. */
static pto_str clean(pto_text_printer *t, pto_str name) {
    bool digits = name.len > 0, good = name.len > 0;
    for (size_t i = 0; i < name.len; i++) {
        digits = digits && name.data[i] >= '0' && name.data[i] <= '9';
        good = good && is_name_char(name.data[i]);
    }
    good = good && (digits || !(name.data[0] >= '0' && name.data[0] <= '9'));
    if (good || name.len == 0)
        return name;
    char *out = pto_arena_alloc(&t->arena, name.len + 2);
    out[0] = '_';
    for (size_t i = 0; i < name.len; i++)
        out[i + 1] = is_name_char(name.data[i]) ? name.data[i] : '_';
    bool prefix =
        !((name.data[0] >= 'a' && name.data[0] <= 'z') || (name.data[0] >= 'A' && name.data[0] <= 'Z'));
    return prefix ? (pto_str){out, name.len + 1} : (pto_str){out + 1, name.len};
}

/* A name that is free: the wish, a number when there is none, or the wish with a number behind. */
static pto_str free_name(pto_text_printer *t, pto_str wish) {
    if (wish.len && !is_used(t, wish))
        return wish;
    for (uint32_t i = wish.len ? 0 : t->next_number;; i++) {
        char *text = wish.len ? pto_arena_printf(&t->arena, "%.*s_%u", PTO_STR_ARG(wish), i)
                              : pto_arena_printf(&t->arena, "%u", i);
        if (is_used(t, pto_str_from(text)))
            continue;
        if (!wish.len)
            t->next_number = i + 1;
        return pto_str_from(text);
    }
}

static bool is_named(const pto_text_printer *t, const pto_value *value) {
    return pto_map_find(&t->names, (pto_str){(const char *)&value, sizeof value}) != NULL;
}

void pto_print_name_value(pto_text_printer *t, const pto_value *value) {
    if (is_named(t, value))
        return;
    pto_str name = free_name(t, clean(t, value->name));
    use(t, name);
    remember(t, value, name);
}

/* Length of the base when the results are base#0 .. base#n-1; 0 otherwise. */
static size_t group_base(const pto_operation *op) {
    pto_str first = op->result_count > 1 ? op->result[0]->name : (pto_str){NULL, 0};
    if (!pto_str_ends_with(first, PTO_STR("#0")))
        return 0;
    size_t base = first.len - 2;
    for (uint32_t i = 0; i < op->result_count; i++) {
        char number[16];
        int len = snprintf(number, sizeof number, "#%u", i);
        pto_str name = op->result[i]->name;
        if (name.len != base + (size_t)len || memcmp(name.data, first.data, base) ||
            memcmp(name.data + base, number, (size_t)len))
            return 0;
    }
    return base;
}

void pto_print_name_results(pto_text_printer *t, const pto_operation *op) {
    if (op->result_count && is_named(t, op->result[0]))
        return;
    size_t base = group_base(op);
    if (!base) {
        for (uint32_t i = 0; i < op->result_count; i++)
            pto_print_name_value(t, op->result[i]);
        return;
    }
    pto_str name = free_name(t, clean(t, pto_str_slice(op->result[0]->name, 0, base)));
    use(t, name);
    for (uint32_t i = 0; i < op->result_count; i++)
        remember(t, op->result[i],
                 pto_str_from(pto_arena_printf(&t->arena, "%.*s#%u", PTO_STR_ARG(name), i)));
}

void pto_print_results(pto_text_printer *t, const pto_operation *op) {
    pto_print_name_results(t, op);
    if (!op->result_count)
        return;
    if (group_base(op)) {
        const pto_value *key = op->result[0];
        const pto_str *name = pto_map_find(&t->names, (pto_str){(const char *)&key, sizeof key})->pointer;
        pto_sink_char(&t->sink, '%', 1);
        pto_print_str(t, pto_str_slice(*name, 0, name->len - 2));
        pto_sink_printf(&t->sink, ":%u", op->result_count);
    } else {
        pto_print_values(t, op->result, op->result_count);
    }
    pto_print_text(t, " = ");
}

pto_str pto_print_name_of(const pto_text_printer *t, const pto_value *value) {
    const pto_map_value *slot =
        value ? pto_map_find(&t->names, (pto_str){(const char *)&value, sizeof value}) : NULL;
    return slot ? *(const pto_str *)slot->pointer : PTO_STR("undefined");
}

void pto_print_value(pto_text_printer *t, const pto_value *value) {
    pto_sink_char(&t->sink, '%', 1);
    pto_print_str(t, pto_print_name_of(t, value));
}

void pto_print_values(pto_text_printer *t, pto_value *const *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_value(t, values[i]);
    }
}

void pto_print_value_types(pto_text_printer *t, pto_value *const *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_type(t, values[i]->type);
    }
}
