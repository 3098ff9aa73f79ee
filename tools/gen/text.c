/* SPDX-License-Identifier: Apache-2.0 */
/* Text spellings: the regular patterns of 60, 1.6 to 3.9, and the exceptions that a row writes out. */
#include "gen.h"

#include <ctype.h>
#include <string.h>

static bool is(const gen_operand *o, const char *role) { return !strcmp(o->role, role); }
static bool is_output(const gen_operand *o) {
    return is(o, "out") || is(o, "inout") || is(o, "view") || is(o, "bind") || is(o, "cout");
}

/* The regular pattern of a form. PTO-AS never shows scratch; level 1 and 2 show it as optional. */
static char *regular(const gen_row *row, int text) {
    char *results = gen_format("%s", ""), *inputs = gen_format("%s", ""), *attrs = gen_format("%s", "");
    char *op = gen_format("%s%s", text == GEN_AS ? "" : "pto.", gen_lower(row->mnemonic));
    for (int i = 0; i < row->operand_count; i++) {
        const gen_operand *o = &row->operand[i];
        if (is(o, "attr")) {
            attrs = gen_format("%s%s%s", attrs, *attrs ? ", " : "", o->attr_key);
        } else if (is_output(o)) {
            results = gen_format("%s%s%%%s", results, *results ? ", " : "", o->name);
        } else if (is(o, "tmp")) {
            if (text != GEN_AS)
                inputs = o->optional ? gen_format("%s[, %%%s]", inputs, o->name)
                                     : gen_format("%s, %%%s", inputs, o->name);
        } else {
            inputs = gen_format("%s%s%%%s", inputs, *inputs ? ", " : "", o->name);
        }
    }
    if (*attrs)
        attrs = gen_format(" {%s}", attrs);
    if (text == GEN_LEVEL2)
        return gen_format("%s ins(%s)%s%s%s%s", op, inputs, *results ? " outs(" : "", results,
                          *results ? ")" : "", attrs);
    return gen_format("%s%s%s %s%s", results, *results ? " = " : "", op, inputs, attrs);
}

static void take_operand(gen_row *row, gen_text *t, char **p, bool optional, bool result) {
    char *start = *p + 1;
    size_t len = strspn(start, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    int i = gen_operand_index(row, start, len);
    if (i < 0)
        gen_fail(row->line, "%s: the text names '%%%.*s', which is no operand", row->mnemonic, (int)len,
                 start);
    *p = start + len;
    if (result) {
        t->result[t->result_count++] = i;
        return;
    }
    if (optional)
        t->optional_mask |= 1u << t->operand_count;
    t->operand[t->operand_count++] = i;
    if (**p == '[' && (*p)[1] == '%') { /* %view[%r, %c] */
        t->indexed = i;
        *p = strchr(*p, ']') + 1;
    }
}

static void compile(gen_row *row, int text) {
    gen_text *t = &row->text[text];
    t->indexed = -1;
    if (row->text_field[text] && !strcmp(row->text_field[text], "-"))
        return;
    t->spelling = row->text_field[text] ? row->text_field[text] : regular(row, text);
    char *p = gen_format("%s", t->spelling);
    char *eq = strstr(p, " = ");
    if (eq) {
        while (p < eq) {
            if (*p == '%')
                take_operand(row, t, &p, false, true);
            else
                p++;
        }
        p = eq + 3;
    }
    size_t len = strcspn(p, " ");
    t->opcode = gen_format("%.*s", (int)len, p);
    p += len;
    bool outs = false, optional = false;
    int paren = 0;
    while (*p) {
        if (!strncmp(p, " outs(", 6)) {
            outs = true;
            p += 6;
        } else if (*p == '%') {
            take_operand(row, t, &p, optional, outs);
        } else if (*p == '{') {
            t->attr_in_ins = paren > 0 && !outs;
            p++;
            while (*p && *p != '}') {
                size_t n = strcspn(p, ",} ");
                for (int i = 0; n && i < row->operand_count; i++)
                    if (is(&row->operand[i], "attr") && strlen(row->operand[i].attr_key) == n &&
                        !strncmp(row->operand[i].attr_key, p, n))
                        t->attr[t->attr_count++] = i;
                p += n ? n : 1;
            }
        } else {
            optional = *p == '[' ? true : *p == ']' ? false : optional;
            paren += (*p == '(') - (*p == ')');
            p++;
        }
    }
}

void gen_texts(gen_row *row) {
    for (int text = 0; text < GEN_TEXTS; text++)
        compile(row, text);
}
