/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics as a compiler prints them: place, message, source line, caret, what was found and what is
 * allowed. */
#include <stdio.h>
#include <string.h>

#include <pto/diag.h>

#include "base/sink.h"
#include "base/utf8.h"

#define TAB_STOP 8
#define WIDTH_DEFAULT 100
#define WIDTH_LEAST 20
#define ELLIPSIS "..."

typedef struct printer {
    pto_sink sink;
    bool color;
    size_t width;
} printer;

typedef enum ink { INK_PLAIN, INK_PLACE, INK_GUTTER, INK_CARET, INK_LABEL, INK_SEVERITY } ink;

static void use_ink(printer *p, ink which, pto_severity severity) {
    static const char *const codes[] = {"\x1b[0m", "\x1b[1m", "\x1b[34m", "\x1b[1;32m", "\x1b[1m"};
    static const char *const by_severity[PTO_SEVERITY_COUNT] = {"\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m",
                                                                "\x1b[1;32m"};
    if (p->color)
        pto_sink_text(&p->sink, which == INK_SEVERITY ? by_severity[severity] : codes[which]);
}

static void label(printer *p, size_t gutter, const char *name, const char *text, const char *target) {
    if (!text)
        return;
    pto_sink_char(&p->sink, ' ', gutter);
    use_ink(p, INK_LABEL, PTO_ERROR);
    pto_sink_printf(&p->sink, "%s: ", name);
    use_ink(p, INK_PLAIN, PTO_ERROR);
    pto_sink_safe(&p->sink, text);
    if (target) {
        pto_sink_text(&p->sink, " (target ");
        pto_sink_safe(&p->sink, target);
        pto_sink_text(&p->sink, ")");
    }
    pto_sink_char(&p->sink, '\n', 1);
}

/* The part of a line that is shown, in bytes, and the columns that the marked span takes within it. */
typedef struct window {
    const char *line;
    size_t from, to;          /* bytes of the line shown */
    size_t mark, mark_end;    /* display columns of the span, relative to the window, mark_end > mark */
    bool cut_left, cut_right; /* text was left out on that side */
} window;

static size_t step(const char *line, size_t len, size_t at, size_t column, uint32_t *code_point,
                   size_t *wide) {
    size_t size = pto_utf8_decode(line + at, len - at, code_point, NULL);
    if (*code_point == '\t') {
        *wide = TAB_STOP - column % TAB_STOP;
    } else {
        if (pto_utf8_is_unsafe(*code_point))
            *code_point = PTO_UTF8_REPLACEMENT;
        *wide = pto_utf8_width(*code_point);
    }
    return size;
}

/* Walks from w->from until the width is used up, and notes the columns of the span. False if its begin lies
 * behind. */
static bool measure(window *w, size_t len, size_t begin, size_t end, size_t width) {
    size_t column = 0, at = w->from;
    bool seen = false;
    w->mark_end = 0;
    while (at < len) {
        uint32_t code_point;
        size_t wide, size = step(w->line, len, at, column, &code_point, &wide);
        if (column + wide > width)
            break;
        if (!seen && at + size > begin) {
            w->mark = column;
            seen = true;
        }
        column += wide;
        if (at < end)
            w->mark_end = column;
        at += size;
    }
    if (!seen)
        w->mark = column;
    if (w->mark_end <= w->mark)
        w->mark_end = w->mark + 1;
    w->cut_left = w->from > 0;
    w->cut_right = at < len;
    w->to = at;
    return seen || begin == at;
}

static size_t code_point_start(const char *line, size_t at) {
    for (int i = 0; i < 3 && at > 0 && ((unsigned char)line[at] & 0xc0u) == 0x80u; i++)
        at--;
    return at;
}

/* `begin` and `end` are byte offsets in the line, begin <= end; both may lie behind it. */
static window choose_window(const char *line, size_t len, size_t begin, size_t end, size_t width) {
    window w = {.line = line};
    if (begin > len)
        begin = len;
    if (end > len)
        end = len;
    /* A short line or an early caret: show from the start. Else keep half a window in front of the caret. */
    if (len > width && begin > width * 6 / 10)
        w.from = code_point_start(line, begin - width / 2);
    /* Tabs and wide characters may still push the caret out. */
    if (!measure(&w, len, begin, end, width)) {
        w.from = begin < len ? code_point_start(line, begin) : begin;
        measure(&w, len, begin, end, width);
    }
    return w;
}

static void show_line(printer *p, const window *w) {
    size_t column = 0;
    for (size_t at = w->from; at < w->to;) {
        uint32_t code_point;
        size_t wide, size = step(w->line, w->to, at, column, &code_point, &wide);
        if (code_point == '\t') {
            pto_sink_char(&p->sink, ' ', wide);
        } else {
            char bytes[4];
            pto_sink_put(&p->sink, bytes, pto_utf8_encode(code_point, bytes));
        }
        column += wide;
        at += size;
    }
}

static void show_snippet(printer *p, const pto_diagnostic *d, size_t gutter) {
    size_t len;
    const char *line = pto_source_line(d->where.source, d->line, &len);
    /* The line of an empty place behind the text has no bytes and so no address in it. */
    size_t start = len ? (size_t)(line - d->where.source->text) : d->where.begin;
    size_t begin = d->where.begin - start;
    size_t end = d->end_line == d->line ? d->where.end - start : len;
    window w = choose_window(line, len, begin, end > begin ? end : begin, p->width);

    use_ink(p, INK_GUTTER, PTO_ERROR);
    pto_sink_printf(&p->sink, "%*lu | ", (int)gutter - 1, (unsigned long)d->line);
    use_ink(p, INK_PLAIN, PTO_ERROR);
    if (w.cut_left)
        pto_sink_text(&p->sink, ELLIPSIS);
    show_line(p, &w);
    if (w.cut_right)
        pto_sink_text(&p->sink, ELLIPSIS);
    pto_sink_char(&p->sink, '\n', 1);

    pto_sink_char(&p->sink, ' ', gutter);
    use_ink(p, INK_GUTTER, PTO_ERROR);
    pto_sink_text(&p->sink, "| ");
    pto_sink_char(&p->sink, ' ', w.mark + (w.cut_left ? strlen(ELLIPSIS) : 0));
    use_ink(p, INK_CARET, PTO_ERROR);
    pto_sink_char(&p->sink, '^', 1);
    pto_sink_char(&p->sink, '~', w.mark_end - w.mark - 1);
    use_ink(p, INK_PLAIN, PTO_ERROR);
    pto_sink_char(&p->sink, '\n', 1);
}

static void show_one(printer *p, const pto_diagnostic *d) {
    const pto_where *where = &d->where;
    const char *file = where->source ? where->source->name : where->file;
    use_ink(p, INK_PLACE, PTO_ERROR);
    if (file) {
        pto_sink_safe(&p->sink, file);
        if (where->source)
            pto_sink_printf(&p->sink, ":%lu:%lu", (unsigned long)d->line, (unsigned long)d->column);
        else if (d->line)
            pto_sink_printf(&p->sink, ":%lu", (unsigned long)d->line);
        pto_sink_text(&p->sink, ": ");
    }
    use_ink(p, INK_SEVERITY, d->severity);
    pto_sink_printf(&p->sink, "%s: ", pto_severity_name(d->severity));
    use_ink(p, INK_PLAIN, PTO_ERROR);
    /* With a source the caret names the operand; without one only its name can. */
    if (where->operand && !where->source) {
        pto_sink_text(&p->sink, "operand '");
        pto_sink_safe(&p->sink, where->operand);
        pto_sink_text(&p->sink, "': ");
    }
    pto_sink_safe(&p->sink, d->message);
    if (d->rule) {
        pto_sink_text(&p->sink, " [");
        pto_sink_safe(&p->sink, d->rule);
        pto_sink_text(&p->sink, "]");
    }
    pto_sink_char(&p->sink, '\n', 1);

    size_t gutter = 6;
    for (uint32_t n = d->line; n >= 100000; n /= 10)
        gutter++;
    if (where->source)
        show_snippet(p, d, gutter);
    label(p, gutter, "found", d->found, NULL);
    if (d->allowed)
        label(p, gutter, "allowed", d->allowed, d->target);
    else
        label(p, gutter, "target", d->target, NULL);
    label(p, gutter, "fix", d->fix, NULL);
    for (const pto_diagnostic *note = d->notes; note; note = note->next)
        show_one(p, note);
}

bool pto_diag_render(const pto_diag_list *list, const pto_render_options *options, pto_write_fn write,
                     void *context) {
    printer p = {.color = options && options->color,
                 .width = options && options->width ? options->width : WIDTH_DEFAULT};
    if (p.width < WIDTH_LEAST)
        p.width = WIDTH_LEAST;
    pto_sink_init(&p.sink, write, context);
    for (const pto_diagnostic *d = pto_diag_first(list); d && !p.sink.failed; d = d->next)
        show_one(&p, d);
    size_t dropped = pto_diag_dropped(list);
    if (dropped) {
        use_ink(&p, INK_SEVERITY, PTO_NOTE);
        pto_sink_text(&p.sink, "note: ");
        use_ink(&p, INK_PLAIN, PTO_ERROR);
        pto_sink_printf(&p.sink, "too many errors: %zu more not shown\n", dropped);
    }
    return pto_sink_flush(&p.sink);
}

size_t pto_diag_render_buffer(const pto_diag_list *list, const pto_render_options *options, char *buffer,
                              size_t capacity) {
    pto_buffer out = {buffer, capacity, 0};
    pto_diag_render(list, options, pto_buffer_write, &out);
    return pto_buffer_finish(&out);
}
