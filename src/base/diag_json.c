/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics as JSON, for editors: every key is always there, null where there is nothing to say. */
#include <pto/diag.h>

#include "base/sink.h"

static void text_member(pto_sink *sink, const char *key, const char *text) {
    pto_sink_printf(sink, "\"%s\": ", key);
    pto_sink_json(sink, text);
    pto_sink_text(sink, ", ");
}

static void number_member(pto_sink *sink, const char *key, bool known, size_t value) {
    if (known)
        pto_sink_printf(sink, "\"%s\": %zu, ", key, value);
    else
        pto_sink_printf(sink, "\"%s\": null, ", key);
}

static void put_one(pto_sink *sink, const pto_diagnostic *d) {
    const pto_where *where = &d->where;
    bool placed = where->source != NULL;
    pto_sink_text(sink, "{");
    text_member(sink, "severity", pto_severity_name(d->severity));
    text_member(sink, "rule", d->rule);
    text_member(sink, "file", placed ? where->source->name : where->file);
    number_member(sink, "line", placed || d->line, d->line);
    number_member(sink, "column", placed, d->column);
    number_member(sink, "endLine", placed, d->end_line);
    number_member(sink, "endColumn", placed, d->end_column);
    number_member(sink, "begin", placed, where->begin);
    number_member(sink, "end", placed, where->end);
    text_member(sink, "operand", where->operand);
    text_member(sink, "message", d->message);
    text_member(sink, "found", d->found);
    text_member(sink, "allowed", d->allowed);
    text_member(sink, "target", d->target);
    text_member(sink, "fix", d->fix);
    pto_sink_text(sink, "\"notes\": [");
    for (const pto_diagnostic *note = d->notes; note; note = note->next) {
        put_one(sink, note);
        if (note->next)
            pto_sink_text(sink, ", ");
    }
    pto_sink_text(sink, "]}");
}

bool pto_diag_render_json(const pto_diag_list *list, pto_write_fn write, void *context) {
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    const char *between = "\n";
    pto_sink_text(&sink, "[");
    for (const pto_diagnostic *d = pto_diag_first(list); d && !sink.failed; d = d->next) {
        pto_sink_text(&sink, between);
        put_one(&sink, d);
        between = ",\n";
    }
    size_t dropped = pto_diag_dropped(list);
    if (dropped) {
        pto_sink_text(&sink, between);
        pto_diagnostic more = {.severity = PTO_NOTE, .message = "too many errors: the rest is not shown"};
        put_one(&sink, &more);
    }
    pto_sink_text(&sink, between[0] == ',' || dropped ? "\n]\n" : "]\n");
    return pto_sink_flush(&sink);
}

size_t pto_diag_render_json_buffer(const pto_diag_list *list, char *buffer, size_t capacity) {
    pto_buffer out = {buffer, capacity, 0};
    pto_diag_render_json(list, pto_buffer_write, &out);
    return pto_buffer_finish(&out);
}
