/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered text output into a callback, with the escapings for terminals and JSON. */
#ifndef PTO_BASE_SINK_H
#define PTO_BASE_SINK_H

#include <pto/diag.h>

#include "base/str.h"

typedef struct pto_sink {
    pto_write_fn write;
    void *context;
    bool failed; /* the callback said stop; nothing more is passed on */
    size_t used;
    char buffer[1024];
} pto_sink;

void pto_sink_init(pto_sink *sink, pto_write_fn write, void *context);
bool pto_sink_flush(pto_sink *sink); /* false if the callback ever failed */

void pto_sink_put(pto_sink *sink, const char *data, size_t len);
void pto_sink_text(pto_sink *sink, const char *text); /* NULL writes nothing */
void pto_sink_char(pto_sink *sink, char c, size_t times);
void pto_sink_printf(pto_sink *sink, const char *format, ...) PTO_PRINTF(2, 3); /* cut at 255 bytes */

/* For terminals: control characters, bidirectional overrides and invalid UTF-8 come out as U+FFFD. */
void pto_sink_safe(pto_sink *sink, const char *text);

/* A JSON string in quotes, or null for NULL. Invalid UTF-8 comes out as U+FFFD. */
void pto_sink_json(pto_sink *sink, const char *text);

/* Writer of snprintf's kind over a fixed buffer: pass as `write` with a pto_buffer as the context. */
typedef struct pto_buffer {
    char *data;
    size_t capacity;
    size_t len; /* bytes asked for so far, kept or not */
} pto_buffer;

bool pto_buffer_write(void *buffer, const char *data, size_t len);
size_t pto_buffer_finish(pto_buffer *buffer); /* terminates with NUL; returns len */

#endif
