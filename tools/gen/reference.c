/* SPDX-License-Identifier: Apache-2.0 */
/* What the reference pages need beyond the rows: the blocks of src/isa/reference, and which refusals a rule
 * function can give, read off its source. */
#define _POSIX_C_SOURCE 200809L
#include "gen.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

/* ---- blocks --------------------------------------------------------------------------- */

static char *trimmed(char *s) {
    s += strspn(s, " \t");
    for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
        s[n - 1] = 0;
    return s;
}

static void add_line(char **field, const char *line, const char *end) {
    *field = gen_format("%s%s%s", *field ? *field : "", line, end);
}

static void read_blocks(gen_table *table, const char *path) {
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    char buffer[2048];
    gen_doc *doc = NULL;
    for (int line = 1; fgets(buffer, sizeof buffer, in); line++) {
        bool indented = *buffer == ' ';
        char *s = trimmed(gen_format("%s", buffer));
        if (!*s || *s == '#')
            continue;
        if (!indented) {
            int op = 0;
            while (op < table->op_count && strcmp(table->op[op], s) != 0)
                op++;
            if (op == table->op_count || table->doc[op].formula)
                gen_fail_in(path, line, "'%s' is no instruction, or has a block already", s);
            doc = &table->doc[op];
            continue;
        }
        size_t length = strcspn(s, " ");
        char *rest = trimmed(s + length);
        if (s[length])
            s[length] = 0;
        char **field = !doc                     ? NULL
                       : !strcmp(s, "formula")  ? &doc->formula
                       : !strcmp(s, "text")     ? &doc->text
                       : !strcmp(s, "scratch")  ? &doc->scratch
                       : !strcmp(s, "example")  ? &doc->examples
                       : !strcmp(s, "continue") ? &doc->examples
                                                : NULL;
        if (!field || !*rest)
            gen_fail_in(path, line, "'%s' is no field of a block", s);
        if (!strcmp(s, "continue")) { /* of the example: one line there */
            size_t n = *field ? strlen(*field) : 0;
            if (n)
                (*field)[n - 1] = 0;
            add_line(field, " ", "");
        }
        add_line(field, rest, "\n");
    }
    fclose(in);
}

/* ---- ids of rules ---------------------------------------------------------------------------- */

enum { MAX_FUNCTIONS = 1024 };
typedef struct function {
    char *name, *body, *ids;
    const char *file;
    bool visited, shared; /* shared: may be called from other files */
} function;
static function functions[MAX_FUNCTIONS];
static int function_count;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The word before the first parenthesis. */
static char *defined_name(const char *line) {
    const char *open = strchr(line, '(');
    if (!open || open == line)
        return NULL;
    const char *start = open;
    while (start > line && is_word(start[-1]))
        start--;
    return start < open ? gen_format("%.*s", (int)(open - start), start) : NULL;
}

/* A definition begins in column 0 and ends with a brace in column 0, or on its line. */
static void read_functions(const char *path) {
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    char buffer[2048], *head = NULL;
    function *open = NULL;
    while (fgets(buffer, sizeof buffer, in)) {
        if (open) {
            open->body = gen_format("%s%s", open->body, buffer);
            if (*buffer == '}')
                open = NULL;
            continue;
        }
        if (isalpha((unsigned char)*buffer))
            head = gen_format("%s", buffer);
        else if (*buffer == ' ' && head) /* parameters on a second line */
            head = gen_format("%s%s", head, buffer);
        else
            head = NULL;
        if (!head || !strchr(buffer, '{'))
            continue;
        char *name = defined_name(head);
        if (name && function_count < MAX_FUNCTIONS) {
            function *f = &functions[function_count++];
            *f = (function){
                .name = name, .body = head, .file = path, .shared = strncmp(head, "static ", 7) != 0};
            if (!strchr(buffer, '}'))
                open = f;
        }
        head = NULL;
    }
    fclose(in);
}

static void add_id(char **ids, const char *id, size_t length) {
    char *word = gen_format("%.*s", (int)length, id);
    if (!strstr(*ids, word))
        *ids = gen_format("%s%s%s", *ids, **ids ? " " : "", word);
}

static const function *called(const function *from, const char *name, size_t length) {
    for (int i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        if (strlen(f->name) == length && !strncmp(f->name, name, length) &&
            (f->shared || !strcmp(f->file, from->file)))
            return f;
    }
    return NULL;
}

/* Ids in the body of a function and of what it calls, in order of appearance. */
static void collect(function *f, char **ids) {
    if (f->visited)
        return;
    f->visited = true;
    for (const char *p = strchr(f->body, '{'); p && *p; p++) {
        if (!strncmp(p, "\"PTO-", 5) || !strncmp(p, "\"SA-", 4)) {
            size_t n = strcspn(p + 1, "\"");
            add_id(ids, p + 1, n);
            p += n + 1;
        } else if (is_word(*p) && !is_word(p[-1])) {
            size_t n = 1;
            while (is_word(p[n]))
                n++;
            const function *next = called(f, p, n);
            if (next)
                collect(&functions[next - functions], ids);
            p += n - 1;
        }
    }
}

static char *ids_of(const char *rule) {
    char *name = gen_format("pto_rule_%s", rule), *ids = gen_format("%s", "");
    for (int i = 0; i < function_count; i++)
        functions[i].visited = false;
    for (int i = 0; i < function_count; i++)
        if (!strcmp(functions[i].name, name))
            collect(&functions[i], &ids);
    return ids;
}

void gen_reference(gen_table *table) {
    table->doc = gen_alloc((size_t)table->op_count * sizeof *table->doc);
    glob_t files;
    if (!glob(gen_format("%s/src/isa/reference/*.def", table->root), 0, NULL, &files)) {
        for (size_t f = 0; f < files.gl_pathc; f++)
            read_blocks(table, gen_format("%s", files.gl_pathv[f]));
        globfree(&files);
    }
    if (!glob(gen_format("%s/src/isa/rules_*.c", table->root), 0, NULL, &files)) {
        for (size_t f = 0; f < files.gl_pathc; f++)
            read_functions(gen_format("%s", files.gl_pathv[f]));
        globfree(&files);
    }
    for (int i = 0; i < table->row_count; i++)
        for (int r = 0; r < table->row[i].rule_count; r++)
            table->row[i].rule[r].ids = ids_of(table->row[i].rule[r].name);
}
