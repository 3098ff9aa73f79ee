/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressions of findings. */
#include "run/suppress.h"

#include "isa/legality.h"
#include <pto/io.h>

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *kind, *pattern; /* in the text */
} entry;

struct pto_suppressions {
    char *text;
    entry *entry;
    size_t count;
};

const char *pto_check_kind_of_rule(const char *rule) {
    static const struct {
        const char *prefix, *kind;
    } kinds[] = {{"PTO-E110", "race"}, {"PTO-E112", "init"}, {"PTO-E114", "memory"}, {"PTO-E115", "memory"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(rule, kinds[i].prefix, strlen(kinds[i].prefix)))
            return kinds[i].kind;
    return !strncmp(rule, "PTO-E09", 7) && strncmp(rule, "PTO-E092", 8) ? "memory" : "sync";
}

static bool is_kind(const char *kind) {
    static const char *const kinds[] = {"memory", "init", "race", "sync", "all"};
    for (int i = 0; i < 5; i++)
        if (!strcmp(kind, kinds[i]))
            return true;
    return pto_rule_find(kind) != NULL;
}

static bool refuse(const char *name, uint32_t line, const char *text, pto_diag_list *diags) {
    const pto_rule_text *rule = pto_rule_find("PTO-E0157");
    pto_diag_add(diags, PTO_ERROR, "PTO-E0157", pto_at_line(name, line), "%s", rule ? rule->title : "");
    pto_diag_found(diags, "%s", text);
    pto_diag_allowed(diags, "memory, init, race, sync, all or a rule id, then a colon and a pattern");
    return false;
}

/* One line, NUL-terminated. */
static bool parse_line(pto_suppressions *s, char *line, const char *name, uint32_t number,
                       pto_diag_list *diags) {
    char *comment = strchr(line, '#');
    if (comment)
        *comment = 0;
    line += strspn(line, " \t\r");
    size_t len = strlen(line);
    while (len && strchr(" \t\r", line[len - 1]))
        line[--len] = 0;
    if (!len)
        return true;
    char *colon = strchr(line, ':');
    if (!colon || !colon[1])
        return refuse(name, number, line, diags);
    *colon = 0;
    if (!is_kind(line))
        return refuse(name, number, line, diags);
    s->entry[s->count++] = (entry){line, colon + 1};
    return true;
}

pto_suppressions *pto_suppressions_parse(const char *name, const char *text, size_t len,
                                         pto_diag_list *diags) {
    pto_suppressions *s = calloc(1, sizeof *s);
    size_t lines = 1;
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    if (s) {
        s->text = malloc(len + 1);
        s->entry = calloc(lines, sizeof *s->entry);
    }
    if (!s || !s->text || !s->entry) {
        pto_suppressions_destroy(s);
        return NULL;
    }
    if (len)
        memcpy(s->text, text, len);
    s->text[len] = 0;
    uint32_t number = 1;
    for (char *at = s->text; at < s->text + len; number++) {
        char *end = memchr(at, '\n', (size_t)(s->text + len - at));
        char *next = end ? end + 1 : s->text + len;
        if (end)
            *end = 0;
        if (!parse_line(s, at, name, number, diags)) {
            pto_suppressions_destroy(s);
            return NULL;
        }
        at = next;
    }
    return s;
}

pto_suppressions *pto_suppressions_load(const char *path, pto_diag_list *diags) {
    char *text;
    size_t len;
    if (pto_file_read(path, (size_t)1 << 24, &text, &len, diags) != PTO_OK)
        return NULL;
    pto_suppressions *s = pto_suppressions_parse(path, text, len, diags);
    free(text);
    return s;
}

void pto_suppressions_destroy(pto_suppressions *s) {
    if (!s)
        return;
    free(s->text);
    free(s->entry);
    free(s);
}

/* * stands for anything; a pattern without one may stand anywhere in the name, as in LSan. */
static bool fits(const char *pattern, const char *name) {
    const char *star = NULL, *again = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            again = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool pto_suppressions_match(const pto_suppressions *s, const char *rule, const char *const *names,
                            size_t count) {
    for (size_t i = 0; s && i < s->count; i++) {
        const entry *e = &s->entry[i];
        if (strcmp(e->kind, "all") && strcmp(e->kind, rule) &&
            strcmp(e->kind, pto_check_kind_of_rule(rule)) != 0)
            continue;
        for (size_t n = 0; n < count; n++)
            if (names[n] &&
                (strchr(e->pattern, '*') ? fits(e->pattern, names[n]) : strstr(names[n], e->pattern) != NULL))
                return true;
    }
    return false;
}

bool pto_check_parse(const char *text, uint32_t *checks, const char **wrong) {
    static const struct {
        const char *name;
        uint32_t kind;
    } kinds[] = {{"none", 0},
                 {"init", PTO_CHECK_INIT},
                 {"race", PTO_CHECK_RACE},
                 {"sync", PTO_CHECK_SYNC},
                 {"memory", PTO_CHECK_MEMORY},
                 {"all", PTO_CHECK_ALL}};
    *checks = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        size_t k = 0;
        while (k < 6 && (strlen(kinds[k].name) != length || strncmp(kinds[k].name, at, length) != 0))
            k++;
        if (k == 6) {
            if (wrong)
                *wrong = at;
            return false;
        }
        *checks |= kinds[k].kind;
        at += length;
        if (!*at)
            return true;
    }
}
