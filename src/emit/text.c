/* SPDX-License-Identifier: Apache-2.0 */
/* Growing C++ text, its lines, and the marks around definitions that may turn out to be unused. */
#include "emit/emit.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* \1 number \2 text \3: the text belongs to a value and goes with it. */
enum { MARK_BEGIN = 1, MARK_TEXT = 2, MARK_END = 3 };

void pto_emit_put(pto_arena *arena, pto_emit_text *text, const char *data, size_t len) {
    if (text->capacity - text->len < len + 1) {
        size_t wanted = (text->len + len + 1) * 2 + 256;
        text->data = pto_arena_grow(arena, text->data, text->capacity, wanted);
        text->capacity = wanted;
    }
    memcpy(text->data + text->len, data, len);
    text->len += len;
    text->data[text->len] = 0;
}

static void put(pto_emitter *e, const char *text) {
    pto_emit_put(e->arena, &e->fn->body, text, strlen(text));
}

static void put_indented(pto_emitter *e, const char *text) {
    for (int i = 0; i < e->fn->indent; i++)
        put(e, "    ");
    put(e, text);
    put(e, "\n");
}

void pto_emit_line(pto_emitter *e, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_indented(e, pto_arena_vprintf(e->arena, format, arguments));
    va_end(arguments);
}

void pto_emit_line_for(pto_emitter *e, int32_t number, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put(e, pto_arena_printf(e->arena, "%c%d%c", MARK_BEGIN, number, MARK_TEXT));
    put_indented(e, pto_arena_vprintf(e->arena, format, arguments));
    put(e, (const char[]){MARK_END, 0});
    va_end(arguments);
}

void pto_emit_directive(pto_emitter *e, const char *line) {
    put(e, line);
    put(e, "\n");
}

/* ---- definitions that nothing reads ---------------------------------------------------------------- */

/* A piece of a function's text; owner: the number in the name of the value that it defines, -1 = none. */
typedef struct piece {
    const char *data;
    size_t len;
    int owner;
    bool dropped;
} piece;
typedef PTO_VEC(piece) pieces;

static void split(pto_emitter *e, const pto_emit_text *text, pieces *out) {
    const char *p = text->data, *end = p ? p + text->len : NULL;
    while (p < end) {
        const char *mark = memchr(p, MARK_BEGIN, (size_t)(end - p));
        pto_vec_push(e->arena, out, (piece){p, (size_t)((mark ? mark : end) - p), -1, false});
        if (!mark)
            break;
        size_t number = 0;
        for (p = mark + 1; *p != MARK_TEXT; p++)
            number = number * 10 + (size_t)(*p - '0');
        const char *line = p + 1, *close = memchr(line, MARK_END, (size_t)(end - line));
        pto_vec_push(e->arena, out,
                     (piece){line, (size_t)(close - line), atoi(e->values.data[number].name + 1), false});
        p = close + 1;
    }
}

/* The number of the next name v1, v2, ... from *at on, 0 = there is none. */
static int next_name(const piece *in, size_t *at) {
    for (size_t i = *at; i < in->len; i++) {
        if (in->data[i] != 'v' || (i && (isalnum((unsigned char)in->data[i - 1]) || in->data[i - 1] == '_')))
            continue;
        int number = 0;
        size_t k = i + 1;
        for (; k < in->len && isdigit((unsigned char)in->data[k]) && number < INT_MAX / 10 - 1; k++)
            number = number * 10 + (in->data[k] - '0');
        if (number && (k == in->len || !(isalnum((unsigned char)in->data[k]) || in->data[k] == '_'))) {
            *at = k;
            return number;
        }
    }
    return 0;
}

static void count(const piece *in, int *uses, int names, int by) {
    size_t at = 0;
    for (int name; (name = next_name(in, &at));)
        if (name <= names && name != in->owner)
            uses[name] += by;
}

const char *pto_emit_finish_text(pto_emitter *e, const pto_emit_function *fn) {
    pieces all = {0};
    split(e, &fn->top, &all);
    split(e, &fn->body, &all);
    int *uses = pto_arena_array(e->arena, (size_t)fn->names + 1, sizeof *uses);
    for (size_t i = 0; i < all.count; i++)
        count(&all.data[i], uses, fn->names, 1);
    /* from the end: what a dropped line reads stands before it, or the next round finds it */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = all.count; i-- > 0;) {
            piece *own = &all.data[i];
            if (own->owner < 0 || own->dropped || uses[own->owner])
                continue;
            count(own, uses, fn->names, -1);
            own->dropped = changed = true;
        }
    }
    pto_emit_text out = {0};
    pto_emit_put(e->arena, &out, "", 0);
    for (size_t i = 0; i < all.count; i++)
        if (!all.data[i].dropped)
            pto_emit_put(e->arena, &out, all.data[i].data, all.data[i].len);
    return out.data;
}

void pto_emit_refuse(pto_emitter *e, const char *format, ...) {
    const pto_operation *op = e->current;
    const pto_source *source = e->program->source;
    if (e->failed)
        return;
    e->failed = true;
    const pto_rule_text *text = pto_rule_find("PTO-E0262");
    pto_diag_add(e->diags, PTO_ERROR, "PTO-E0262",
                 op && source ? pto_at(e->program->source, op->span.begin, op->span.end) : pto_nowhere(),
                 "%s", text ? text->title : "C++ cannot hold this");
    va_list arguments;
    va_start(arguments, format);
    pto_diag_found(e->diags, "%s", pto_arena_vprintf(e->arena, format, arguments));
    va_end(arguments);
    if (text && text->fix)
        pto_diag_fix(e->diags, "%s", text->fix);
}
