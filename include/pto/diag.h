/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: what is wrong, where, by which rule, what was found, what is allowed, how to fix it.
 *
 * The library never prints. It fills a list that the caller owns; the caller renders it as text or JSON.
 * A NULL list is accepted everywhere and swallows what is added.
 */
#ifndef PTO_DIAG_H
#define PTO_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pto/api.h>
#include <pto/status.h>

PTO_BEGIN_DECLS

/*
 * One input text. The bytes are borrowed and must outlive the source; the source must outlive every list that
 * has diagnostics in it. Not to be used by two threads at once: the line table is built at the first
 * question.
 */
typedef struct pto_source {
    const char *name; /* file name as shown to the user, borrowed */
    const char *text;
    size_t len;
    /* private: start offset of every line; where the last column was counted (keeps long lines linear) */
    uint32_t *lines;
    size_t line_count;
    size_t seen_offset;
    uint32_t seen_line, seen_column;
    bool shared, unlined; /* several threads ask; there was no memory for the lines */
} pto_source;

PTO_API void pto_source_init(pto_source *source, const char *name, const char *text, size_t len);
PTO_API void pto_source_release(pto_source *source);

/* From now on several threads may ask for places in it at once; what is asked for is no longer remembered. */
PTO_API void pto_source_share(pto_source *source);

/* 1-based line and column of a byte offset (clamped to the text); the column counts UTF-8 code points. */
PTO_API void pto_source_locate(pto_source *source, size_t offset, uint32_t *line, uint32_t *column);

/* The bytes of a 1-based line without its line end; len 0 for a line that is not there. */
PTO_API const char *pto_source_line(pto_source *source, uint32_t line, size_t *len);

typedef enum pto_severity { PTO_ERROR = 0, PTO_WARNING, PTO_NOTE, PTO_REMARK } pto_severity;
#define PTO_SEVERITY_COUNT 4

PTO_API const char *pto_severity_name(pto_severity severity); /* "error", "warning", "note", "remark" */

/* Where a diagnostic points: a span of a source, or a file, or an operand of a call; each part may be absent.
 */
typedef struct pto_where {
    pto_source *source;
    size_t begin, end;   /* bytes, end is behind the last; begin == end points between two bytes */
    const char *file;    /* used when there is no source */
    const char *operand; /* name of the operand, e.g. "dst" */
    uint32_t line;       /* of `file`, 1-based; 0 = not known */
} pto_where;

static inline pto_where pto_at(pto_source *source, size_t begin, size_t end) {
    pto_where where = {source, begin, end, NULL, NULL, 0};
    return where;
}
static inline pto_where pto_at_file(const char *file) {
    pto_where where = {NULL, 0, 0, file, NULL, 0};
    return where;
}
static inline pto_where pto_at_line(const char *file, uint32_t line) {
    pto_where where = {NULL, 0, 0, file, NULL, line};
    return where;
}
static inline pto_where pto_at_operand(const char *operand) {
    pto_where where = {NULL, 0, 0, NULL, operand, 0};
    return where;
}
static inline pto_where pto_nowhere(void) {
    pto_where where = {NULL, 0, 0, NULL, NULL, 0};
    return where;
}

typedef struct pto_diagnostic {
    pto_severity severity;
    const char *rule;              /* "PTO-E0312", or NULL */
    pto_where where;               /* strings owned by the list */
    uint32_t line, column;         /* 1-based; 0 when not known: a file that is no source has no column */
    uint32_t end_line, end_column; /* of `where.end` */
    const char *message;
    const char *found, *allowed, *target, *fix; /* each may be NULL */
    struct pto_diagnostic *notes;               /* attached notes in order, linked by `next` */
    struct pto_diagnostic *next;
} pto_diagnostic;

typedef struct pto_diag_list pto_diag_list;

/* NULL without memory. Destroy takes NULL. */
PTO_API pto_diag_list *pto_diag_list_create(void);
PTO_API void pto_diag_list_destroy(pto_diag_list *list);
PTO_API void pto_diag_list_clear(pto_diag_list *list);

/* At most this many of each severity are kept (200 at first; 0 means no cap); the rest are counted as
 * dropped. */
PTO_API void pto_diag_list_set_cap(pto_diag_list *list, size_t cap);

/*
 * Adds a diagnostic; all strings are copied. One with the same severity, rule, place and message as an
 * earlier one is swallowed. The calls below it speak of the diagnostic added last, and do nothing if that one
 * was not kept:
 *
 *     pto_diag_add(list, PTO_ERROR, "PTO-E0312", pto_at(source, b, e), "TRELU cannot take %s", type);
 *     pto_diag_found(list, "s64");
 *     pto_diag_allowed(list, "f16, f32, s32");
 *     pto_diag_target(list, "a5");
 *     pto_diag_fix(list, "convert with TCVT first");
 *     pto_diag_note(list, pto_at(source, b2, e2), "%%x is declared here");
 *
 * Returns whether it was kept.
 */
PTO_API bool pto_diag_add(pto_diag_list *list, pto_severity severity, const char *rule, pto_where where,
                          const char *format, ...) PTO_PRINTF(5, 6);
PTO_API bool pto_diag_add_v(pto_diag_list *list, pto_severity severity, const char *rule, pto_where where,
                            const char *format, va_list arguments) PTO_PRINTF(5, 0);
PTO_API void pto_diag_found(pto_diag_list *list, const char *format, ...) PTO_PRINTF(2, 3);
PTO_API void pto_diag_allowed(pto_diag_list *list, const char *format, ...) PTO_PRINTF(2, 3);
PTO_API void pto_diag_fix(pto_diag_list *list, const char *format, ...) PTO_PRINTF(2, 3);
PTO_API void pto_diag_target(pto_diag_list *list, const char *target);
PTO_API void pto_diag_note(pto_diag_list *list, pto_where where, const char *format, ...) PTO_PRINTF(3, 4);

/* Copies a diagnostic of another list with its notes to the end, unless it is a repeat. */
PTO_API void pto_diag_copy(pto_diag_list *list, const pto_diagnostic *diagnostic);
/* Copies what `from` keeps to the end of `list`, repeats swallowed. */
PTO_API void pto_diag_append(pto_diag_list *list, const pto_diag_list *from);

/* Puts the diagnostics into the order of their places: by source, then by position; those without a source
 * keep their order, in front. */
PTO_API void pto_diag_sort(pto_diag_list *list);

/* How many of a severity were added, without repeats, the dropped ones included. */
PTO_API size_t pto_diag_count(const pto_diag_list *list, pto_severity severity);
/* How many of all severities were not kept: the cap was reached or memory was out. */
PTO_API size_t pto_diag_dropped(const pto_diag_list *list);
/* True once the cap of errors is reached: a parser may stop. */
PTO_API bool pto_diag_full(const pto_diag_list *list);
/* The kept diagnostics, linked by `next` in the order in which they were added. */
PTO_API const pto_diagnostic *pto_diag_first(const pto_diag_list *list);
/* True if a kept diagnostic has this rule id. */
PTO_API bool pto_diag_has(const pto_diag_list *list, const char *rule);

/* Takes `len` bytes of rendered output; false stops the rendering. */
typedef bool (*pto_write_fn)(void *context, const char *data, size_t len);

typedef struct pto_render_options {
    bool color;     /* ANSI colours */
    unsigned width; /* columns of source text shown at most; 0 means 100, at least 20 */
} pto_render_options;

/* Text as a compiler prints it. `options` may be NULL. False if the callback stopped it. */
PTO_API bool pto_diag_render(const pto_diag_list *list, const pto_render_options *options, pto_write_fn write,
                             void *context);
/* One JSON array, one object per diagnostic, and a line end. Invalid UTF-8 becomes U+FFFD. */
PTO_API bool pto_diag_render_json(const pto_diag_list *list, pto_write_fn write, void *context);

/*
 * The same into a buffer, as snprintf does: writes at most capacity - 1 bytes and a NUL, returns the full
 * length. `buffer` may be NULL if `capacity` is 0.
 */
PTO_API size_t pto_diag_render_buffer(const pto_diag_list *list, const pto_render_options *options,
                                      char *buffer, size_t capacity);
PTO_API size_t pto_diag_render_json_buffer(const pto_diag_list *list, char *buffer, size_t capacity);

PTO_END_DECLS

#endif
