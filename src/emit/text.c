/* SPDX-License-Identifier: Apache-2.0 */
/* Growing C++ text, its lines, and the marks around definitions that may turn out to be unused. */
#include "emit/emit.h"

#include <stdarg.h>
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

const char *pto_emit_finish_text(pto_emitter *e, const pto_emit_text *text) {
    pto_emit_text out = {0};
    pto_emit_put(e->arena, &out, "", 0);
    const char *p = text->data, *end = text->data + text->len;
    while (p && p < end) {
        const char *mark = memchr(p, MARK_BEGIN, (size_t)(end - p));
        pto_emit_put(e->arena, &out, p, (size_t)((mark ? mark : end) - p));
        if (!mark)
            break;
        size_t number = 0;
        for (p = mark + 1; *p != MARK_TEXT; p++)
            number = number * 10 + (size_t)(*p - '0');
        const char *line = p + 1;
        const char *close = memchr(line, MARK_END, (size_t)(end - line));
        if (e->values.data[number].used)
            pto_emit_put(e->arena, &out, line, (size_t)(close - line));
        p = close + 1;
    }
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
