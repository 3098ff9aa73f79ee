/* SPDX-License-Identifier: Apache-2.0 */
/* The corpus, tests/programs/: programs of one topic each, with the expected verdict of every target in a
 * comment:
 *
 *     // expect: accept
 *     // expect a3: reject PTO-E0302 at 25:46, PTO-E0302 at 26:46
 *     // expect a5: accept with PTO-W0241 at 20:62
 *
 * Every error and warning is listed, in order. And tests/data/operations.list, the operations and attributes
 * of the specification (60, 3.3, 3.9, 3.9.8; opcodes of PTO-AS and level 1: 1.6, 2): each occurs in an
 * accepted program of the corpus in every form that the list names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include <pto/ops.h>
#include "support/corpus.h"
#include "support/program_testing.h"

enum { AS, LEVEL1, CUSTOM, GENERIC, FORMS };

static const char *const form_name[FORMS] = {"as", "level1", "custom", "generic"};

/* One line of operations.list: the forms it is wanted in, and where it was seen. */
typedef struct entry {
    char name[64], attr[64]; /* attr empty: the operation itself */
    bool wanted[FORMS], seen[FORMS];
} entry;

static struct {
    entry *entry;
    size_t count;
} list;

static struct { int files, programs, verdicts, wrong; } tally;

/* ---- verdicts ------------------------------------------------------------------------------ */

static void append(char text[CORPUS_VERDICT], const char *format, ...) {
    size_t len = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + len, CORPUS_VERDICT - len, format, arguments);
    va_end(arguments);
}

static void describe(const pto_diag_list *diags, char verdict[CORPUS_VERDICT]) {
    bool refused = pto_diag_count(diags, PTO_ERROR) > 0;
    const char *before = refused ? " " : " with ";
    snprintf(verdict, CORPUS_VERDICT, "%s", refused ? "reject" : "accept");
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next) {
        if (d->severity != PTO_ERROR && d->severity != PTO_WARNING)
            continue;
        uint32_t line = 0, column = 0;
        if (d->where.source)
            pto_source_locate(d->where.source, d->where.begin, &line, &column);
        append(verdict, "%s%s at %u:%u", before, d->rule ? d->rule : "?", line, column);
        before = ", ";
    }
}

static void judge(const char *path, const char *text, size_t len, pto_target target, const char *arch) {
    char want[CORPUS_VERDICT], got[CORPUS_VERDICT];
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options parse = {.target = target, .has_target = true};
    pto_verify_options verify = {.target = target, .has_target = true};
    pto_program *program = pto_program_parse("p", text, len, &parse, diags);
    assert_non_null(program);
    if (pto_diag_count(diags, PTO_ERROR))
        pto_program_verify(program, &verify, diags);
    else
        pto_program_check(program, &verify, diags);
    corpus_expected(text, arch, want);
    describe(diags, got);
    tally.verdicts++;
    if (strcmp(want, got) != 0) {
        tally.wrong++;
        print_error("%s, %s\n  expected %s\n  found    %s\n", path, arch, want[0] ? want : "nothing stated",
                    got);
    }
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

/* ---- coverage ------------------------------------------------------------------------------ */

static bool has_word(pto_str text, const char *word) {
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= text.len; i++)
        if (!memcmp(text.data + i, word, len))
            return true;
    return false;
}

static void see_operation(const pto_program *program, const pto_operation *op, int form) {
    const char *text = program->source->text;
    pto_str name = {text + op->name_span.begin, op->name_span.end - op->name_span.begin};
    pto_str statement = {text + op->span.begin, op->span.end - op->span.begin};
    char quoted[80];
    if (form >= CUSTOM && name.len && name.data[0] == '"') {
        form = GENERIC;
        name = (pto_str){name.data + 1, name.len - 2};
    }
    for (size_t i = 0; i < list.count; i++) {
        entry *e = &list.entry[i];
        const char *short_name =
            strrchr(e->name, '.') && !strncmp(e->name, "func.", 5) ? e->name + 5 : e->name;
        /* the place of these two is their symbol, or nothing */
        bool symbol =
            form != GENERIC && ((op->kind == PTO_OPK_MODULE && !strcmp(e->name, "builtin.module")) ||
                                (op->kind == PTO_OPK_FUNC && !strcmp(e->name, "func.func")));
        if (!symbol && !pto_str_equal(name, pto_str_from(e->name)) &&
            !pto_str_equal(name, pto_str_from(short_name)))
            continue;
        /* `name` = the word stands in the statement: what custom syntax drops */
        snprintf(quoted, sizeof quoted, "%s", e->attr);
        if (!e->attr[0] || pto_operation_attr(op, e->attr) ||
            (!op->region_count && has_word(statement, quoted)))
            e->seen[form] = true;
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const pto_block *block = op->region[r]->first; block; block = block->next)
            for (const pto_operation *o = block->first; o; o = o->next)
                see_operation(program, o, form == GENERIC ? CUSTOM : form);
}

static void see(const char *text, size_t len) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("p", text, len, NULL, diags);
    if (program && !pto_diag_count(diags, PTO_ERROR)) {
        pto_dialect dialect = pto_program_dialect(program);
        see_operation(program, program->module,
                      dialect == PTO_DIALECT_AS       ? AS
                      : dialect == PTO_DIALECT_LEVEL1 ? LEVEL1
                                                      : CUSTOM);
    }
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

static void read_list(const char *root) {
    char path[4096];
    size_t len;
    snprintf(path, sizeof path, "%s/tests/data/operations.list", root);
    char *text = corpus_read_file(path, &len);
    bool wanted[FORMS] = {0};
    char *lines = NULL, *words = NULL;
    for (char *line = strtok_r(text, "\n", &lines); line; line = strtok_r(NULL, "\n", &lines)) {
        if (line[0] == '#')
            continue;
        entry e = {0};
        if (line[0] == '[') {
            for (int f = 0; f < FORMS; f++)
                wanted[f] = strstr(line, form_name[f]) != NULL;
            continue;
        }
        memcpy(e.wanted, wanted, sizeof wanted);
        for (char *word = strtok_r(line, " ", &words); word; word = strtok_r(NULL, " ", &words)) {
            if (!e.name[0])
                snprintf(e.name, sizeof e.name, "%s", word);
            else
                snprintf(e.attr, sizeof e.attr, "%s", word);
            entry *grown = realloc(list.entry, (list.count + 1) * sizeof *grown);
            assert_non_null(grown);
            list.entry = grown;
            list.entry[list.count++] = e;
        }
    }
    free(text);
}

static bool listed(const char *name, const char *attr) {
    for (size_t i = 0; i < list.count; i++)
        if (!strcmp(list.entry[i].name, name) && !strcmp(list.entry[i].attr, attr))
            return true;
    print_error("operations.list lacks %s %s\n", name, attr);
    return false;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void judge_both(const char *path, const char *text, size_t len) {
    tally.programs++;
    judge(path, text, len, PTO_TARGET_A2A3, "a3");
    judge(path, text, len, PTO_TARGET_A5, "a5");
}

static void see_accepted(const char *path, const char *text, size_t len) {
    (void)path;
    if (strstr(text, ": accept"))
        see(text, len);
}

static void verdicts(void **state) {
    (void)state;
    tally.files = corpus_each(judge_both);
    print_message("%d programs in %d files, %d verdicts\n", tally.programs, tally.files, tally.verdicts);
    assert_true(tally.files >= 150);
    assert_int_equal(tally.wrong, 0);
}

/* The list names every operation that the library knows. */
static void list_is_complete(void **state) {
    (void)state;
    bool complete = true;
    for (pto_op_kind kind = PTO_OPK_MODULE; kind < PTO_OPK_COUNT; kind++)
        if (kind != PTO_OPK_AS_CONST)
            complete &= listed(pto_op_kind_name(kind), "");
    for (int f = 0; f < PTO_FORM_COUNT; f++) {
        const pto_form_desc *form = pto_form_get((pto_form)f);
        static const pto_text_form forms[] = {PTO_TEXT_AS, PTO_TEXT_LEVEL1, PTO_TEXT_LEVEL2};
        for (int t = 0; t < 3; t++) {
            const char *opcode = form->text[forms[t]].spelling ? form->text[forms[t]].opcode : NULL;
            if (opcode)
                complete &= listed(opcode, "");
        }
    }
    assert_true(complete);
}

static void every_operation(void **state) {
    (void)state;
    int lacking = 0, wanted = 0;
    corpus_each(see_accepted);
    for (size_t i = 0; i < list.count; i++)
        for (int f = 0; f < FORMS; f++) {
            const entry *e = &list.entry[i];
            wanted += e->wanted[f];
            if (e->wanted[f] && !e->seen[f]) {
                print_error("%s: no program has %s %s\n", form_name[f], e->name, e->attr);
                lacking++;
            }
        }
    print_message("%d operations and attributes in their forms, %d not covered\n", wanted, lacking);
    assert_int_equal(lacking, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts), cmocka_unit_test(list_is_complete),
                                       cmocka_unit_test(every_operation)};
    const char *root = getenv("SRC");
    read_list(root ? root : ".");
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    free(list.entry);
    return result;
}
