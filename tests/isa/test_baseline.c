/* SPDX-License-Identifier: Apache-2.0 */
/* The table against the coverage baseline of the specification, tests/data/instructions.tsv: operands,
 * attributes, element types per target, pipe, block selector, and that each spelling of the baseline is one
 * that the table's pattern reads. Every difference is named with its reason in
 * tests/data/instructions.differences; a line there that matches nothing fails too. */
#include "support/baseline.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { MAX_LINES = 1024, MAX_WORDS = 512 };

static baseline_row rows[MAX_LINES];
static int row_count;
static baseline_difference list[MAX_LINES];
static int list_count;
static uint32_t seen[PTO_FORM_COUNT]; /* operands of a form that some row of the baseline has */
static bool covered[PTO_FORM_COUNT];
static int unexplained;

static void load(const char *name, void (*line)(char *)) {
    char path[1024], buffer[4096];
    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("SRC") ? getenv("SRC") : ".", name);
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s cannot be read", path);
    while (fgets(buffer, sizeof buffer, in)) {
        buffer[strcspn(buffer, "\n")] = 0;
        if (*buffer && *buffer != '#')
            line(buffer);
    }
    fclose(in);
}

/* Cuts a line at each separator; returns the number of fields, which are copies. */
static int cut(char *line, char separator, const char **field, int max) {
    int count = 0;
    for (char *p = baseline_copy(line), *end; p && count < max; p = end ? end + 1 : NULL) {
        end = strchr(p, separator);
        if (end)
            *end = 0;
        while (*p == ' ')
            p++;
        for (size_t n = strlen(p); n && p[n - 1] == ' '; n--)
            p[n - 1] = 0;
        field[count++] = p;
    }
    return count;
}

static void take_row(char *line) {
    const char *field[BASELINE_COLUMNS];
    assert_int_equal(cut(line, '\t', field, BASELINE_COLUMNS), BASELINE_COLUMNS);
    if (strcmp(field[0], "mnemonic") != 0)
        memcpy(rows[row_count++].column, field, sizeof field);
    assert_true(row_count < MAX_LINES);
}

static void take_difference(char *line) {
    baseline_difference *d = &list[list_count++];
    assert_true(list_count < MAX_LINES);
    int count = cut(line, '|', d->field, BASELINE_FIELDS);
    static const struct {
        const char *kind;
        int fields;
    } kinds[] = {{"family", 3}, {"absent", 4}, {"extra", 4}, {"same", 5}, {"differs", 5}};
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known |= !strcmp(kinds[i].kind, d->field[0]) && count == kinds[i].fields;
    if (!known || strlen(d->field[count - 1]) < 5)
        fail_msg("instructions.differences: '%s' is no line with a reason", line);
}

/* A trailing * stands for any end. */
static bool fits(const char *pattern, const char *name) {
    size_t n = strlen(pattern);
    return n && pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1) : !strcmp(pattern, name);
}

/* The line `kind | mnemonic | form | field`; NULL = any. Counts as used. */
static const baseline_difference *listed(const char *kind, const char *mnemonic, const char *form,
                                         const char *field) {
    const baseline_difference *found = NULL;
    for (int i = 0; i < list_count; i++) {
        baseline_difference *d = &list[i];
        if (!strcmp(d->field[0], kind) && fits(d->field[1], mnemonic) && (!form || fits(d->field[2], form)) &&
            (!field || fits(d->field[3], field))) {
            d->used = true;
            found = d;
        }
    }
    return found;
}

__attribute__((format(printf, 4, 5))) static void differ(const char *mnemonic, const char *form,
                                                         const char *field, const char *format, ...) {
    if (listed("differs", mnemonic, form, field))
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "differs | %s | %s | %s | ", mnemonic, form, field);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    unexplained++;
}

static const pto_form_desc *find_form(const char *mnemonic, const char *name) {
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        if (!strcmp(form->mnemonic, mnemonic) && !strcmp(form->form, name))
            return form;
    }
    return NULL;
}

/* ---- one row --------------------------------------------------------------------------------- */

static void compare_operands(const baseline_row *row, const pto_form_desc *form) {
    const char *mnemonic = row->column[BASELINE_MNEMONIC], *name = row->column[BASELINE_FORM];
    baseline_operands want;
    if (!baseline_read_operands(row->column[BASELINE_OPERANDS], &want))
        fail_msg("%s %s: operands of the baseline not understood", mnemonic, name);
    uint32_t *bits = &seen[form - pto_form_table];
    int next = 0;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        if (o->role == PTO_ROLE_ATTR) {
            for (int k = 0; k < want.attribute_count; k++)
                if (baseline_attribute_is(want.attribute[k], o)) {
                    want.attribute[k] = NULL;
                    *bits |= 1u << i;
                    break;
                }
            for (int k = 0; k < want.attribute_count; k++) /* compact */
                if (!want.attribute[k])
                    want.attribute[k--] = want.attribute[--want.attribute_count];
        } else if (next < want.count && baseline_operand_is(&want.operand[next], o)) {
            next++;
            *bits |= 1u << i;
        } else if (!o->optional) {
            differ(mnemonic, name, "operands", "%s is not where the baseline has %s", o->name,
                   next < want.count ? want.operand[next].name : "nothing");
            *bits |= 1u << i;
            return;
        }
    }
    if (next < want.count)
        differ(mnemonic, name, "operands", "%s is no operand of the table", want.operand[next].name);
    for (int k = 0; k < want.attribute_count; k++)
        differ(mnemonic, name, "attributes", "%s is no attribute of the table", want.attribute[k]);
}

static void compare_sets(const baseline_row *row, const char *field, const char *want, const char *have,
                         bool (*expand)(const char *, baseline_words *)) {
    baseline_words a = {.count = 0}, b = {.count = 0};
    if (!expand(want, &a) || !expand(have, &b) || !baseline_same_words(&a, &b))
        differ(row->column[BASELINE_MNEMONIC], row->column[BASELINE_FORM], field, "%s, not %s", have, want);
}

/* The pipes of a form in the words of the baseline. */
static void pipe_text(const pto_form_desc *form, char *text, size_t size) {
    static const char *const locs[] = {"Vec",  "Mat",     "Left",      "Right",     "Acc",
                                       "Bias", "Scaling", "ScaleLeft", "ScaleRight"};
    *text = 0;
    for (int i = 0; i < form->pipe_count; i++) {
        const pto_pipe_use *use = &form->pipes[i];
        char word[64];
        const char *src = use->src_loc >= 0 ? locs[use->src_loc] : "",
                   *dst = use->dst_loc >= 0 ? locs[use->dst_loc] : "";
        snprintf(word, sizeof word, "%s%s%s%s%s", src, *src && *dst ? ">" : "", dst, *src || *dst ? ":" : "",
                 pto_pipe_name(use->pipe) + strlen("PIPE_"));
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? "; " : "", word);
    }
}

static void compare_text(const baseline_row *row, const pto_form_desc *form, int t) {
    static const char *const names[] = {"as", "level1", "level2"};
    const char *want = row->column[BASELINE_AS + t], *have = form->text[t].spelling;
    const char *mnemonic = row->column[BASELINE_MNEMONIC], *name = row->column[BASELINE_FORM];
    if (!strcmp(want, "-")) {
        if (have)
            differ(mnemonic, name, names[t], "%s, which the baseline does not spell", have);
        return;
    }
    baseline_spelling instance, pattern;
    if (!have || !baseline_read_spelling(want, &instance) || !baseline_read_spelling(have, &pattern) ||
        !baseline_spelling_fits(&pattern, &instance, form))
        differ(mnemonic, name, names[t], "%s, not %s", have ? have : "nothing", want);
}

static void compare_row(const baseline_row *row, const pto_form_desc *form) {
    compare_operands(row, form);
    static const char *const types[] = {"types cpu", "types a2a3", "types a5"};
    for (int t = 0; t < PTO_TARGET_COUNT; t++)
        compare_sets(row, types[t], row->column[BASELINE_CPU + t], form->type_text[t], baseline_types);
    char pipes[1024];
    pipe_text(form, pipes, sizeof pipes);
    compare_sets(row, "pipe", row->column[BASELINE_PIPE], pipes, baseline_pipes);
    /* Of rows that are one form in the table, one has the selector. */
    const char *block = form->block ? form->block : "-", *want = row->column[BASELINE_BLOCK];
    bool merged = strcmp(row->column[BASELINE_FORM], form->form) != 0;
    if (strcmp(want, block) != 0 && !(merged && !strcmp(want, "-")))
        differ(row->column[BASELINE_MNEMONIC], row->column[BASELINE_FORM], "block", "%s, not %s", block,
               want);
    for (int t = 0; t < PTO_TEXT_FORM_COUNT; t++)
        compare_text(row, form, t);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void test_every_row_is_in_the_table(void **state) {
    (void)state;
    assert_true(row_count > 300);
    for (int i = 0; i < row_count; i++) {
        const char *mnemonic = rows[i].column[BASELINE_MNEMONIC], *name = rows[i].column[BASELINE_FORM];
        const pto_form_desc *form = find_form(mnemonic, name);
        if (!form && listed("absent", mnemonic, name, NULL))
            continue;
        const baseline_difference *same = form ? NULL : listed("same", mnemonic, name, NULL);
        if (same)
            form = find_form(mnemonic, same->field[3]);
        if (form) {
            covered[form - pto_form_table] = true;
            compare_row(&rows[i], form);
        } else if (!listed("family", rows[i].column[BASELINE_FAMILY], NULL, NULL)) {
            fprintf(stderr, "absent | %s | %s | \n", mnemonic, name);
            unexplained++;
        }
    }
    assert_int_equal(unexplained, 0);
}

static void test_every_form_is_in_the_baseline(void **state) {
    (void)state;
    unexplained = 0;
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        if (!covered[f]) {
            if (!listed("extra", form->mnemonic, form->form, NULL)) {
                fprintf(stderr, "extra | %s | %s | \n", form->mnemonic, form->form);
                unexplained++;
            }
            continue;
        }
        for (int i = 0; i < form->operand_count; i++)
            if (!(seen[f] & 1u << i))
                differ(form->mnemonic, form->form, "extra", "the baseline has no %s", form->operand[i].name);
    }
    assert_int_equal(unexplained, 0);
}

static void test_no_line_of_the_list_is_stale(void **state) {
    (void)state;
    int stale = 0;
    for (int i = 0; i < list_count; i++)
        if (!list[i].used) {
            fprintf(stderr, "instructions.differences: nothing matches %s | %s | %s\n", list[i].field[0],
                    list[i].field[1], list[i].field[2]);
            stale++;
        }
    assert_int_equal(stale, 0);
}

int main(void) {
    load("instructions.tsv", take_row);
    load("instructions.differences", take_difference);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_in_the_table),
        cmocka_unit_test(test_every_form_is_in_the_baseline),
        cmocka_unit_test(test_no_line_of_the_list_is_stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
