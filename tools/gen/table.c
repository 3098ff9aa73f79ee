/* SPDX-License-Identifier: Apache-2.0 */
/* Reads src/isa/instructions.def. The format stands at the top of that file. */
#include "gen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *table_path;

static _Noreturn void fail(const char *path, int line, const char *format, va_list args) {
    fprintf(stderr, "%s:%d: error: ", path, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(1);
}

_Noreturn void gen_fail(int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(table_path, line, format, args);
}

_Noreturn void gen_fail_in(const char *path, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fail(path, line, format, args);
}

/* The table lives as long as the process; the list keeps it reachable for leak checkers. */
void *gen_alloc(size_t size) {
    static struct link {
        struct link *next;
        max_align_t data[];
    } * all;
    struct link *link = calloc(1, sizeof *link + size);
    if (!link)
        gen_fail(0, "out of memory");
    link->next = all;
    all = link;
    return link->data;
}

char *gen_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *s = gen_alloc((size_t)n + 1);
    va_start(args, format);
    vsnprintf(s, (size_t)n + 1, format, args);
    va_end(args);
    return s;
}

char *gen_lower(const char *s) {
    char *t = gen_format("%s", s);
    for (char *p = t; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return t;
}

int gen_operand_index(const gen_row *row, const char *name, size_t len) {
    for (int i = 0; i < row->operand_count; i++)
        if (strlen(row->operand[i].name) == len && !strncmp(row->operand[i].name, name, len))
            return i;
    return -1;
}

int gen_var_index(char var) {
    const char *vars = "TSDABI";
    const char *p = strchr(vars, var);
    return var && p ? (int)(p - vars) : -1;
}

/* One white-space separated word; parentheses keep commas and spaces inside a word. */
static char *next_word(char **cursor) {
    char *p = *cursor;
    while (*p == ' ' || *p == '\t')
        p++;
    if (!*p)
        return NULL;
    char *start = p;
    int depth = 0;
    for (; *p && (depth || (*p != ' ' && *p != '\t')); p++)
        depth += (*p == '(') - (*p == ')');
    *cursor = *p ? p + 1 : p;
    *p = 0;
    return start;
}

static void parse_operands(gen_row *row, char *field) {
    static const char *const roles[] = {"out",  "inout", "in",   "tmp", "view", "scalar",
                                        "attr", "gin",   "gout", "cin", "cout", "bind"};
    for (char *word; (word = next_word(&field));) {
        if (row->operand_count == GEN_MAX_OPERANDS)
            gen_fail(row->line, "%s: more than %d operands", row->mnemonic, GEN_MAX_OPERANDS);
        gen_operand *o = &row->operand[row->operand_count++];
        char *role = strchr(word, ':');
        char *type = role ? strchr(role + 1, ':') : NULL;
        if (!type)
            gen_fail(row->line, "%s: operand '%s' is not name:role:type", row->mnemonic, word);
        *role++ = 0;
        *type++ = 0;
        o->name = word;
        o->role = role;
        o->type = type;
        size_t len = strlen(word);
        if (len && word[len - 1] == '?') {
            word[len - 1] = 0;
            o->optional = true;
        }
        bool known = false;
        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
            known |= !strcmp(roles[i], role);
        if (!known)
            gen_fail(row->line, "%s: unknown role '%s'", row->mnemonic, role);
        if (!strcmp(role, "attr")) {
            char *value = strchr(type, '=');
            char *key = value ? strchr(value, ':') : NULL;
            if (!key)
                gen_fail(row->line, "%s: attribute '%s' is not kind=default:key", row->mnemonic, word);
            *value++ = 0;
            *key++ = 0;
            o->attr_default = value;
            o->attr_key = key;
        }
    }
}

static unsigned parse_targets(int line, const char *s) {
    unsigned set = 0;
    char *copy = gen_format("%s", s);
    for (char *t = strtok(copy, ","); t; t = strtok(NULL, ",")) {
        if (!strcmp(t, "cpu"))
            set |= 1u << GEN_CPU;
        else if (!strcmp(t, "a2a3"))
            set |= 1u << GEN_A2A3;
        else if (!strcmp(t, "a5"))
            set |= 1u << GEN_A5;
        else if (!strcmp(t, "npu"))
            set |= 1u << GEN_A2A3 | 1u << GEN_A5;
        else
            gen_fail(line, "unknown target '%s'", t);
    }
    return set;
}

static char *trim(char *s) {
    while (*s == ' ' || *s == '\t')
        s++;
    size_t n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\n' || s[n - 1] == '\r'))
        s[--n] = 0;
    return s;
}

/* `ruleset NAME = rules` and `rule NAME = what it demands`, collected before the rows that use them. */
typedef struct definition {
    char *name, *body;
} definition;
static definition rulesets[32], rule_texts[512];
static int ruleset_count, rule_text_count;

static void define(definition *list, int *count, int size, char *s, int line) {
    char *eq = strchr(s, '=');
    if (!eq || *count == size)
        gen_fail(line, "a definition is NAME = text");
    *eq = 0;
    list[(*count)++] = (definition){trim(s), trim(eq + 1)};
}

static const char *rule_text(const char *name) {
    for (int i = 0; i < rule_text_count; i++)
        if (!strcmp(rule_texts[i].name, name))
            return rule_texts[i].body;
    return NULL;
}

static void parse_rules(gen_row *row, char *field) {
    for (char *word; (word = next_word(&field));) {
        if (*word == '$') {
            char *body = NULL;
            for (int i = 0; i < ruleset_count; i++)
                if (!strcmp(rulesets[i].name, word + 1))
                    body = gen_format("%s", rulesets[i].body);
            if (!body)
                gen_fail(row->line, "unknown ruleset '%s'", word);
            parse_rules(row, body);
            continue;
        }
        if (row->rule_count == GEN_MAX_RULES)
            gen_fail(row->line, "%s: too many rules", row->mnemonic);
        gen_rule *r = &row->rule[row->rule_count++];
        r->targets = 7;
        char *at = strchr(word, '@');
        if (at) {
            *at = 0;
            r->targets = parse_targets(row->line, at + 1);
        }
        char *open = strchr(word, '(');
        if (open) {
            char *close = strrchr(open, ')');
            if (!close)
                gen_fail(row->line, "rule '%s' lacks ')'", word);
            *open = *close = 0;
            for (char *a = strtok(open + 1, ", "); a; a = strtok(NULL, ", ")) {
                if (r->arg_count == 6)
                    gen_fail(row->line, "rule '%s' has too many arguments", word);
                int value = isdigit((unsigned char)*a) ? atoi(a) : gen_operand_index(row, a, strlen(a));
                if (value < 0)
                    gen_fail(row->line, "rule '%s': %s has no operand '%s'", word, row->mnemonic, a);
                r->arg[r->arg_count++] = value;
            }
        }
        r->name = word;
        r->text = rule_text(word);
        if (!r->text)
            gen_fail(row->line, "rule '%s' has no `rule %s = ...` line that says what it demands", word,
                     word);
    }
}

typedef struct field {
    const char *key;
    char *value;
} field;

/* Fields are read first and parsed in a fixed order, since rules and texts name operands. */
static void finish_row(gen_row *row, field *fields, int count) {
    char *rules = NULL, *types = NULL, *operands = NULL;
    for (int i = 0; i < count; i++) {
        const char *k = fields[i].key;
        char *v = fields[i].value;
        char **slot = !strcmp(k, "summary")    ? &row->summary
                      : !strcmp(k, "spec")     ? &row->spec
                      : !strcmp(k, "family")   ? &row->family
                      : !strcmp(k, "notes")    ? &row->notes
                      : !strcmp(k, "kernel")   ? &row->kernel
                      : !strcmp(k, "block")    ? &row->block
                      : !strcmp(k, "pipe")     ? &row->pipe
                      : !strcmp(k, "cpp")      ? &row->cpp
                      : !strcmp(k, "as")       ? &row->text_field[GEN_AS]
                      : !strcmp(k, "level1")   ? &row->text_field[GEN_LEVEL1]
                      : !strcmp(k, "level2")   ? &row->text_field[GEN_LEVEL2]
                      : !strcmp(k, "operands") ? &operands
                      : !strcmp(k, "types")    ? &types
                      : !strcmp(k, "rules")    ? &rules
                                               : NULL;
        if (!slot)
            gen_fail(row->line, "%s: unknown field '%s'", row->mnemonic, k);
        if (*slot)
            gen_fail(row->line, "%s: field '%s' given twice", row->mnemonic, k);
        *slot = v;
    }
    if (!operands || !types || !row->summary || !row->spec || !row->family || !row->pipe)
        gen_fail(row->line, "%s: operands, types, summary, spec, family and pipe are required",
                 row->mnemonic);
    parse_operands(row, gen_format("%s", operands));
    gen_types(row, types);
    if (rules)
        parse_rules(row, gen_format("%s", rules));
    if (!row->kernel)
        row->kernel = gen_lower(row->mnemonic);
    gen_texts(row);
}

static char *form_id(const gen_table *table, const gen_row *row) {
    for (int i = 0; i < table->op_count; i++)
        if (!strcmp(table->op[i], row->mnemonic)) {
            char *id = gen_format("%s_%s", row->mnemonic, row->form), *w = id;
            for (char *p = id; *p; p++)
                if (isalnum((unsigned char)*p))
                    *w++ = (char)toupper((unsigned char)*p);
                else if (w[-1] != '_')
                    *w++ = '_';
            *w = 0;
            return id;
        }
    return row->mnemonic;
}

static void add_row(gen_table *table, gen_row *row, field *fields, int count) {
    finish_row(row, fields, count);
    row->id = form_id(table, row);
    int op = 0;
    while (op < table->op_count && strcmp(table->op[op], row->mnemonic))
        op++;
    if (op == table->op_count) {
        table->op[op] = row->mnemonic;
        table->op_first[op] = table->row_count;
        table->op_count++;
    } else if (op != table->op_count - 1) {
        gen_fail(row->line, "the forms of %s must stand together", row->mnemonic);
    }
    table->op_forms[op]++;
    row->op = op;
    for (int i = 0; i < table->row_count; i++)
        if (!strcmp(table->row[i].id, row->id))
            gen_fail(row->line, "%s: form '%s' given twice", row->mnemonic, row->form);
    table->row_count++;
}

gen_table gen_read(const char *path) {
    table_path = path;
    gen_table table = {.row = gen_alloc(GEN_MAX_ROWS * sizeof(gen_row)),
                       .op = gen_alloc(GEN_MAX_ROWS * sizeof(char *)),
                       .op_first = gen_alloc(GEN_MAX_ROWS * sizeof(int)),
                       .op_forms = gen_alloc(GEN_MAX_ROWS * sizeof(int))};
    FILE *in = fopen(path, "r");
    if (!in)
        gen_fail(0, "cannot be read");
    char buffer[2048];
    field fields[32];
    int field_count = 0;
    gen_row *row = NULL;
    for (int line = 1; fgets(buffer, sizeof buffer, in); line++) {
        bool indented = *buffer == ' ' || *buffer == '\t';
        char *s = trim(gen_format("%s", buffer));
        if (!*s || *s == '#')
            continue;
        if (!strncmp(s, "ruleset ", 8)) {
            define(rulesets, &ruleset_count, 32, s + 8, line);
            continue;
        }
        if (!strncmp(s, "rule ", 5)) {
            define(rule_texts, &rule_text_count, 512, s + 5, line);
            continue;
        }
        char *space = s + strcspn(s, " \t");
        char *rest = *space ? trim(space + 1) : space;
        *space = 0;
        if (!indented) {
            if (row)
                add_row(&table, row, fields, field_count);
            if (table.row_count == GEN_MAX_ROWS)
                gen_fail(line, "too many rows");
            row = &table.row[table.row_count];
            row->line = line;
            row->mnemonic = s;
            row->form = rest;
            field_count = 0;
        } else {
            if (!row || field_count == 32)
                gen_fail(line, "a field without a row");
            fields[field_count++] = (field){s, rest};
        }
    }
    if (row)
        add_row(&table, row, fields, field_count);
    fclose(in);
    return table;
}
