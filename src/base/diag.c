/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnostic list: adding, merging repeats, counting. */
#include <pto/diag.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define CAP_DEFAULT 200
#define MESSAGE_LIMIT 1024 /* bytes */

struct pto_diag_list {
    pto_arena
        arena; /* owns diagnostics and strings; no handler: a diagnostic that finds no memory is dropped */
    pto_diagnostic *first, *last;
    pto_diagnostic *open; /* the one added last, or NULL if that one was not kept */
    size_t cap;
    size_t kept[PTO_SEVERITY_COUNT], dropped[PTO_SEVERITY_COUNT];
};

const char *pto_severity_name(pto_severity severity) {
    static const char *const names[PTO_SEVERITY_COUNT] = {"error", "warning", "note", "remark"};
    return (unsigned)severity < PTO_SEVERITY_COUNT ? names[severity] : "error";
}

pto_diag_list *pto_diag_list_create(void) {
    pto_diag_list *list = calloc(1, sizeof *list);
    if (list) {
        pto_arena_init(&list->arena, 0);
        list->cap = CAP_DEFAULT;
    }
    return list;
}

void pto_diag_list_destroy(pto_diag_list *list) {
    if (list)
        pto_arena_free(&list->arena);
    free(list);
}

void pto_diag_list_clear(pto_diag_list *list) {
    if (!list)
        return;
    size_t cap = list->cap;
    pto_arena_free(&list->arena);
    memset(list, 0, sizeof *list);
    pto_arena_init(&list->arena, 0);
    list->cap = cap;
}

void pto_diag_list_set_cap(pto_diag_list *list, size_t cap) {
    if (list)
        list->cap = cap;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static const char *copy(pto_diag_list *list, const char *text) {
    return text ? pto_arena_strdup(&list->arena, pto_str_from(text)) : NULL;
}

static bool same(const pto_diagnostic *a, const pto_diagnostic *b) {
    return a->where.source == b->where.source && a->where.begin == b->where.begin &&
           a->where.end == b->where.end && a->where.line == b->where.line && a->severity == b->severity &&
           same_text(a->rule, b->rule) && same_text(a->where.file, b->where.file) &&
           same_text(a->where.operand, b->where.operand) && same_text(a->message, b->message);
}

/* Clamps the span to the text and finds its lines and columns. */
static void place(pto_diagnostic *d) {
    pto_source *source = d->where.source;
    if (!source) {
        d->line = d->where.line;
        return;
    }
    if (d->where.begin > source->len)
        d->where.begin = source->len;
    if (d->where.end > source->len)
        d->where.end = source->len;
    if (d->where.end < d->where.begin)
        d->where.end = d->where.begin;
    pto_source_locate(source, d->where.begin, &d->line, &d->column);
    pto_source_locate(source, d->where.end, &d->end_line, &d->end_column);
}

/* Copies a draft with its strings into the list's arena; NULL without memory. */
static pto_diagnostic *keep(pto_diag_list *list, const pto_diagnostic *draft) {
    pto_diagnostic *d = pto_arena_new(&list->arena, pto_diagnostic);
    if (!d)
        return NULL;
    *d = *draft;
    d->rule = copy(list, draft->rule);
    d->where.file = copy(list, draft->where.file);
    d->where.operand = copy(list, draft->where.operand);
    return d;
}

bool pto_diag_add_v(pto_diag_list *list, pto_severity severity, const char *rule, pto_where where,
                    const char *format, va_list arguments) {
    if (!list)
        return false;
    list->open = NULL;
    if ((unsigned)severity >= PTO_SEVERITY_COUNT)
        severity = PTO_ERROR;
    bool capped = list->cap && list->kept[severity] >= list->cap;
    pto_diagnostic draft = {.severity = severity, .rule = rule, .where = where};
    /* Formatted on the stack first: what is swallowed must not fill the arena. */
    char text[MESSAGE_LIMIT + 4];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0) {
        list->dropped[severity]++;
        return false;
    }
    if (length > MESSAGE_LIMIT) {
        /* cut between characters: a name in the message may be as long as the input */
        size_t end = MESSAGE_LIMIT;
        while (end > MESSAGE_LIMIT - 3 && ((unsigned char)text[end] & 0xc0) == 0x80)
            end--;
        memcpy(text + end, "...", 4);
    }
    draft.message = text;
    place(&draft);
    for (const pto_diagnostic *d = list->first; d; d = d->next)
        if (same(d, &draft))
            return false;
    if (capped) {
        list->dropped[severity]++;
        return false;
    }
    draft.message = copy(list, text);
    pto_diagnostic *d = draft.message ? keep(list, &draft) : NULL;
    if (!d) {
        list->dropped[severity]++;
        return false;
    }
    if (list->last)
        list->last->next = d;
    else
        list->first = d;
    list->last = list->open = d;
    list->kept[severity]++;
    return true;
}

bool pto_diag_add(pto_diag_list *list, pto_severity severity, const char *rule, pto_where where,
                  const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool kept = pto_diag_add_v(list, severity, rule, where, format, arguments);
    va_end(arguments);
    return kept;
}

/* The bodies of the setters differ in the member alone, and va_start must be in the variadic function itself.
 */
#define SET_FORMATTED(member)                                                                                \
    do {                                                                                                     \
        if (!list || !list->open)                                                                            \
            return;                                                                                          \
        va_list arguments;                                                                                   \
        va_start(arguments, format);                                                                         \
        list->open->member = pto_arena_vprintf(&list->arena, format, arguments);                             \
        va_end(arguments);                                                                                   \
    } while (0)

void pto_diag_found(pto_diag_list *list, const char *format, ...) { SET_FORMATTED(found); }

void pto_diag_allowed(pto_diag_list *list, const char *format, ...) { SET_FORMATTED(allowed); }

void pto_diag_fix(pto_diag_list *list, const char *format, ...) { SET_FORMATTED(fix); }

void pto_diag_target(pto_diag_list *list, const char *target) {
    if (list && list->open)
        list->open->target = copy(list, target);
}

void pto_diag_note(pto_diag_list *list, pto_where where, const char *format, ...) {
    if (!list || !list->open)
        return;
    pto_diagnostic draft = {.severity = PTO_NOTE, .where = where};
    va_list arguments;
    va_start(arguments, format);
    draft.message = pto_arena_vprintf(&list->arena, format, arguments);
    va_end(arguments);
    if (!draft.message)
        return;
    place(&draft);
    pto_diagnostic *note = keep(list, &draft);
    pto_diagnostic **end = &list->open->notes;
    while (*end)
        end = &(*end)->next;
    *end = note;
}

size_t pto_diag_count(const pto_diag_list *list, pto_severity severity) {
    if (!list || (unsigned)severity >= PTO_SEVERITY_COUNT)
        return 0;
    return list->kept[severity] + list->dropped[severity];
}

size_t pto_diag_dropped(const pto_diag_list *list) {
    size_t sum = 0;
    for (unsigned i = 0; list && i < PTO_SEVERITY_COUNT; i++)
        sum += list->dropped[i];
    return sum;
}

bool pto_diag_full(const pto_diag_list *list) {
    return list && list->cap && list->kept[PTO_ERROR] >= list->cap;
}

const pto_diagnostic *pto_diag_first(const pto_diag_list *list) { return list ? list->first : NULL; }

bool pto_diag_has(const pto_diag_list *list, const char *rule) {
    for (const pto_diagnostic *d = pto_diag_first(list); d; d = d->next)
        if (same_text(d->rule, rule))
            return true;
    return false;
}

void pto_diag_copy(pto_diag_list *list, const pto_diagnostic *d) {
    if (!pto_diag_add(list, d->severity, d->rule, d->where, "%s", d->message))
        return;
    if (d->found)
        pto_diag_found(list, "%s", d->found);
    if (d->allowed)
        pto_diag_allowed(list, "%s", d->allowed);
    if (d->fix)
        pto_diag_fix(list, "%s", d->fix);
    if (d->target)
        pto_diag_target(list, d->target);
    for (const pto_diagnostic *note = d->notes; note; note = note->next)
        pto_diag_note(list, note->where, "%s", note->message);
}

void pto_diag_append(pto_diag_list *list, const pto_diag_list *from) {
    if (!list || !from || list == from)
        return;
    for (const pto_diagnostic *d = from->first; d; d = d->next)
        pto_diag_copy(list, d);
}

/* Stable: a place that is not before stays behind. */
static bool is_before(const pto_diagnostic *a, const pto_diagnostic *b) {
    const pto_source *x = a->where.source, *y = b->where.source;
    if (!x || !y)
        return !x && y;
    return x == y && a->where.begin < b->where.begin;
}

static pto_diagnostic *merge(pto_diagnostic *a, pto_diagnostic *b) {
    pto_diagnostic *first = NULL, **end = &first;
    while (a && b) {
        pto_diagnostic **from = is_before(b, a) ? &b : &a;
        *end = *from;
        end = &(*from)->next;
        *from = *end;
    }
    *end = a ? a : b;
    return first;
}

void pto_diag_sort(pto_diag_list *list) {
    if (!list)
        return;
    /* bottom up: run[k] holds 2^k sorted diagnostics, older than those of run[k - 1] */
    pto_diagnostic *run[64] = {NULL};
    for (pto_diagnostic *d = list->first; d;) {
        pto_diagnostic *next = d->next;
        d->next = NULL;
        int k = 0;
        for (; run[k]; k++) {
            d = merge(run[k], d);
            run[k] = NULL;
        }
        run[k] = d;
        d = next;
    }
    pto_diagnostic *all = NULL;
    for (int k = 0; k < 64; k++)
        all = run[k] ? merge(run[k], all) : all;
    list->first = list->last = all;
    while (list->last && list->last->next)
        list->last = list->last->next;
    list->open = NULL;
}
