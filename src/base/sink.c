/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered text output and its escapings. */
#include "base/sink.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void pto_sink_init(pto_sink *sink, pto_write_fn write, void *context) {
    sink->write = write;
    sink->context = context;
    sink->failed = false;
    sink->used = 0;
}

bool pto_sink_flush(pto_sink *sink) {
    if (sink->used && !sink->failed)
        sink->failed = !sink->write(sink->context, sink->buffer, sink->used);
    sink->used = 0;
    return !sink->failed;
}

void pto_sink_put(pto_sink *sink, const char *data, size_t len) {
    while (len) {
        size_t part = sizeof sink->buffer - sink->used;
        part = part < len ? part : len;
        memcpy(sink->buffer + sink->used, data, part);
        sink->used += part;
        data += part;
        len -= part;
        if (sink->used == sizeof sink->buffer)
            pto_sink_flush(sink);
    }
}

void pto_sink_text(pto_sink *sink, const char *text) {
    if (text)
        pto_sink_put(sink, text, strlen(text));
}

void pto_sink_char(pto_sink *sink, char c, size_t times) {
    while (times--)
        pto_sink_put(sink, &c, 1);
}

void pto_sink_printf(pto_sink *sink, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0)
        pto_sink_put(sink, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void put_code_point(pto_sink *sink, uint32_t code_point) {
    char bytes[4];
    pto_sink_put(sink, bytes, pto_utf8_encode(code_point, bytes));
}

void pto_sink_safe(pto_sink *sink, const char *text) {
    size_t len = text ? strlen(text) : 0;
    for (size_t i = 0; i < len;) {
        uint32_t code_point;
        i += pto_utf8_decode(text + i, len - i, &code_point, NULL);
        put_code_point(sink, pto_utf8_is_unsafe(code_point) ? PTO_UTF8_REPLACEMENT : code_point);
    }
}

void pto_sink_json(pto_sink *sink, const char *text) {
    if (!text) {
        pto_sink_text(sink, "null");
        return;
    }
    pto_sink_char(sink, '"', 1);
    size_t len = strlen(text);
    for (size_t i = 0; i < len;) {
        uint32_t code_point;
        i += pto_utf8_decode(text + i, len - i, &code_point, NULL);
        if (code_point == '"' || code_point == '\\')
            pto_sink_printf(sink, "\\%c", (int)code_point);
        else if (code_point == '\n')
            pto_sink_text(sink, "\\n");
        else if (code_point == '\t')
            pto_sink_text(sink, "\\t");
        else if (code_point < 0x20 || code_point == 0x7f)
            pto_sink_printf(sink, "\\u%04x", (unsigned)code_point);
        else
            put_code_point(sink, code_point);
    }
    pto_sink_char(sink, '"', 1);
}

bool pto_buffer_write(void *context, const char *data, size_t len) {
    pto_buffer *buffer = context;
    size_t room = buffer->capacity > buffer->len + 1 ? buffer->capacity - buffer->len - 1 : 0;
    if (room)
        memcpy(buffer->data + buffer->len, data, len < room ? len : room);
    buffer->len += len;
    return true;
}

size_t pto_buffer_finish(pto_buffer *buffer) {
    if (buffer->capacity)
        buffer->data[buffer->len < buffer->capacity ? buffer->len : buffer->capacity - 1] = '\0';
    return buffer->len;
}
