/* SPDX-License-Identifier: Apache-2.0 */
/* Source texts: from byte offsets to lines and columns. */
#include <stdlib.h>
#include <string.h>

#include <pto/diag.h>

#include "base/utf8.h"

void pto_source_init(pto_source *source, const char *name, const char *text, size_t len) {
    memset(source, 0, sizeof *source);
    source->name = name;
    source->text = text;
    /* Lines and columns are 32 bits wide; what lies behind is not looked at. */
    source->len = !text ? 0 : len < UINT32_MAX ? len : UINT32_MAX - 1;
}

void pto_source_release(pto_source *source) {
    free(source->lines);
    memset(source, 0, sizeof *source);
}

static const char *next_line_end(const pto_source *source, size_t from) {
    return from < source->len ? memchr(source->text + from, '\n', source->len - from) : NULL;
}

/* Without memory the table stays empty and every question scans the text. */
static bool have_lines(pto_source *source) {
    if (source->lines || source->unlined)
        return source->lines != NULL;
    size_t count = 1;
    const char *end;
    for (size_t at = 0; (end = next_line_end(source, at)); at = (size_t)(end - source->text) + 1)
        count++;
    uint32_t *lines = malloc(count * sizeof *lines);
    if (!lines)
        return false;
    lines[0] = 0;
    size_t i = 1;
    for (size_t at = 0; (end = next_line_end(source, at)); at = (size_t)(end - source->text) + 1)
        lines[i++] = (uint32_t)(end - source->text) + 1;
    source->lines = lines;
    source->line_count = count;
    return true;
}

/* Index of the line that holds an offset, and where that line starts. */
static size_t line_of(pto_source *source, size_t offset, size_t *start) {
    if (!have_lines(source)) {
        size_t line = 0, at = 0;
        const char *end;
        while ((end = next_line_end(source, at)) && (size_t)(end - source->text) < offset) {
            at = (size_t)(end - source->text) + 1;
            line++;
        }
        *start = at;
        return line;
    }
    size_t low = 0, high = source->line_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *start = source->lines[low];
    return low;
}

void pto_source_share(pto_source *source) {
    if (!source->shared)
        source->unlined = !have_lines(source);
    source->shared = true;
}

void pto_source_locate(pto_source *source, size_t offset, uint32_t *line, uint32_t *column) {
    if (offset > source->len)
        offset = source->len;
    size_t at;
    *line = (uint32_t)line_of(source, offset, &at) + 1;
    *column = 1;
    if (!source->shared && source->seen_line == *line && source->seen_offset <= offset) {
        at = source->seen_offset;
        *column = source->seen_column;
    }
    while (at < offset) {
        uint32_t code_point;
        size_t size = pto_utf8_decode(source->text + at, source->len - at, &code_point, NULL);
        /* An offset inside a code point has the column of that code point. */
        if (at + size > offset)
            break;
        at += size;
        ++*column;
    }
    if (source->shared)
        return;
    source->seen_line = *line;
    source->seen_offset = at;
    source->seen_column = *column;
}

const char *pto_source_line(pto_source *source, uint32_t line, size_t *len) {
    *len = 0;
    if (line == 0)
        return "";
    size_t start = 0;
    if (have_lines(source)) {
        if (line > source->line_count)
            return "";
        start = source->lines[line - 1];
    } else {
        for (uint32_t i = 1; i < line; i++) {
            const char *end = next_line_end(source, start);
            if (!end)
                return "";
            start = (size_t)(end - source->text) + 1;
        }
    }
    if (start >= source->len)
        return "";
    const char *end = next_line_end(source, start);
    size_t stop = end ? (size_t)(end - source->text) : source->len;
    if (stop > start && source->text[stop - 1] == '\r')
        stop--;
    *len = stop - start;
    return source->text + start;
}
