/* SPDX-License-Identifier: Apache-2.0 */
/* The types field of a row: which element types the operands may have, per target. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* Order of pto_dtype in include/pto/types.h; checked against it by a static assertion in the output. */
static const char *const dtypes[] = {"none", "s8",   "u8",   "s16",  "u16",  "s32", "u32",
                                     "s64",  "u64",  "s4",   "f16",  "bf16", "f32", "f64",
                                     "e4m3", "e5m2", "e8m0", "hif8", "e2m1", "e1m2"};

static uint32_t type_set(int line, const char *name, size_t len) {
    static const struct {
        const char *name, *members;
    } groups[] = {
        {"ints", "s8 u8 s16 u16 s32 u32 s64 u64"},
        {"b1", "s8 u8 e4m3 e5m2 e8m0 hif8"},
        {"b2", "s16 u16 f16 bf16"},
        {"b4", "s32 u32 f32"},
        {"b8", "s64 u64"},
    };
    for (size_t i = 1; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strlen(dtypes[i]) == len && !strncmp(dtypes[i], name, len))
            return 1u << i;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        if (strlen(groups[g].name) == len && !strncmp(groups[g].name, name, len)) {
            uint32_t set = 0;
            char *members = gen_format("%s", groups[g].members);
            char *rest; /* the caller is itself splitting a string */
            for (char *m = strtok_r(members, " ", &rest); m; m = strtok_r(NULL, " ", &rest))
                set |= type_set(line, m, strlen(m));
            return set;
        }
    gen_fail(line, "unknown element type '%.*s'", (int)len, name);
}

/* "f32" or "{e4m3 e5m2}" (spaces were replaced by commas by the caller). */
static uint32_t parse_set(int line, const char *s, size_t len) {
    if (len > 1 && *s == '{' && s[len - 1] == '}') {
        uint32_t set = 0;
        char *copy = gen_format("%.*s", (int)(len - 2), s + 1);
        char *rest;
        for (char *t = strtok_r(copy, ",", &rest); t; t = strtok_r(NULL, ",", &rest))
            set |= type_set(line, t, strlen(t));
        return set;
    }
    return type_set(line, s, len);
}

static uint32_t vars_of(const gen_row *row) {
    uint32_t vars = 0;
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *o = &row->operand[i];
        if (strcmp(o->role, "attr") && strlen(o->type) == 1 && gen_var_index(*o->type) >= 0)
            vars |= 1u << gen_var_index(*o->type);
    }
    return vars;
}

enum { T, S, D, A, B, I };

static void add(gen_row *row, int target, gen_combo combo) {
    for (int i = 0; i < row->combo_count[target]; i++)
        if (!memcmp(&row->combo[target][i], &combo, sizeof combo))
            return;
    if (row->combo_count[target] == GEN_MAX_COMBOS)
        gen_fail(row->line, "%s: too many type combinations", row->mnemonic);
    row->combo[target][row->combo_count[target]++] = combo;
}

static void parse_code(gen_row *row, int target, const char *code) {
    uint32_t vars = vars_of(row);
    const char *arrow = strchr(code, '>');
    const char *end = code + strlen(code);
    if (!arrow) {
        /* every variable but an index has this very type: one combination per member */
        uint32_t set = parse_set(row->line, code, (size_t)(end - code));
        for (int d = 1; d < 32; d++)
            if (set & 1u << d) {
                gen_combo combo = {{0}};
                for (int v = 0; v < 6; v++)
                    if (vars & 1u << v && v != I)
                        combo.set[v] = 1u << d;
                add(row, target, combo);
            }
        return;
    }
    gen_combo combo = {{0}};
    const char *cross = memchr(code, 'x', (size_t)(arrow - code));
    combo.set[D] = parse_set(row->line, arrow + 1, (size_t)(end - arrow - 1));
    if (cross) {
        combo.set[A] = parse_set(row->line, code, (size_t)(cross - code));
        combo.set[B] = parse_set(row->line, cross + 1, (size_t)(arrow - cross - 1));
    } else {
        uint32_t source = parse_set(row->line, code, (size_t)(arrow - code));
        combo.set[S] = vars & 1u << S ? source : 0;
        combo.set[A] = vars & 1u << A ? source : 0;
        combo.set[B] = vars & 1u << B ? source : 0;
    }
    for (int v = 0; v < 6; v++) {
        if (!combo.set[v] != !(vars & 1u << v) && v != I)
            gen_fail(row->line, "%s: '%s' does not fit the type variables of the operands", row->mnemonic,
                     code);
    }
    add(row, target, combo);
}

void gen_types(gen_row *row, const char *field) {
    char *copy = gen_format("%s|", field);
    for (char *p = copy, depth = 0; *p; p++) { /* spaces inside braces would split a code */
        depth = (char)(depth + (*p == '{') - (*p == '}'));
        if (depth && *p == ' ')
            *p = ',';
    }
    char *p = copy;
    for (int target = 0; target < GEN_TARGETS; target++) {
        char *bar = strchr(p, '|');
        if (!bar)
            gen_fail(row->line, "%s: types has three columns: cpu | a2a3 | a5", row->mnemonic);
        *bar = 0;
        while (*p == ' ')
            p++;
        size_t n = strlen(p);
        while (n && p[n - 1] == ' ')
            p[--n] = 0;
        row->types[target] = gen_format("%s", p);
        for (char *comma = row->types[target]; (comma = strchr(comma, ',')); comma++)
            *comma = ' ';
        char *words = gen_format("%s", p);
        char *rest;
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
            if (!strcmp(w, "-"))
                continue;
            if (!strcmp(w, "any"))
                row->types_any[target] = true;
            else
                parse_code(row, target, w);
        }
        p = bar + 1;
    }
    /* target cpu accepts the union of the three columns */
    for (int target = GEN_A2A3; target < GEN_TARGETS; target++) {
        row->types_any[GEN_CPU] |= row->types_any[target];
        for (int i = 0; i < row->combo_count[target]; i++)
            add(row, GEN_CPU, row->combo[target][i]);
    }
}
