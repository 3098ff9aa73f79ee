/* SPDX-License-Identifier: Apache-2.0 */
/* The verdicts of the released MLIR assembler on a thousand small programs (tests/data/cases/verdicts.pto),
 * for both targets. With --ptoas-compat ours is the same, except where tests/data/cases/verdicts.differences
 * names the case and the rule of ours that overrules; a line there that is no difference any more fails too.
 * With --ptoas-only no rule of an instruction overrules: only the spellings that we accept beyond the
 * assembler's remain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pto/pto.h>

typedef struct difference {
    char name[16], target[4], rule[16];
    bool used;
} difference;

static struct {
    difference *line;
    size_t count;
} known;

static char *read_data(const char *name, size_t *len) {
    char path[4096];
    const char *root = getenv("SRC");
    snprintf(path, sizeof path, "%s/tests/data/cases/%s", root ? root : ".", name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)size, in);
    assert_int_equal(*len, size);
    fclose(in);
    return text;
}

static void read_differences(void) {
    size_t len;
    char *text = read_data("verdicts.differences", &len);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#')
            continue;
        difference *grown = realloc(known.line, (known.count + 1) * sizeof *grown);
        assert_non_null(grown);
        known.line = grown;
        difference *d = &known.line[known.count++];
        memset(d, 0, sizeof *d);
        if (sscanf(line, "%15s %3s %15s", d->name, d->target, d->rule) != 3)
            fail_msg("no line of the form CASE TARGET RULE: %s", line);
    }
    free(text);
}

static difference *find(const char *name, const char *target) {
    for (size_t i = 0; i < known.count; i++)
        if (!strcmp(known.line[i].name, name) && !strcmp(known.line[i].target, target))
            return &known.line[i];
    return NULL;
}

/* Refused? `rule` receives the first error's. */
static bool refused(const char *text, size_t len, pto_target target, pto_ptoas ptoas, char rule[16]) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options parse = {.target = target, .has_target = true};
    pto_verify_options verify = {.target = target, .has_target = true, .ptoas = ptoas};
    pto_program *program = pto_program_parse("case", text, len, &parse, diags);
    assert_non_null(program);
    pto_status status = pto_program_verify(program, &verify, diags);
    bool bad = status != PTO_OK || pto_diag_count(diags, PTO_ERROR) > 0;
    rule[0] = '\0';
    for (const pto_diagnostic *d = pto_diag_first(diags); bad && d && !rule[0]; d = d->next)
        if (d->severity == PTO_ERROR)
            snprintf(rule, 16, "%s", d->rule);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    return bad;
}

static struct { int cases, same, alone, overruled, lenient, wrong; } tally;

static void judge(const char *name, const char *arch, pto_target target, bool rejects, const char *text,
                  size_t len) {
    char rule[16], alone[16];
    bool ours = refused(text, len, target, PTO_PTOAS_ADD, rule);
    bool only = refused(text, len, target, PTO_PTOAS_ONLY, alone);
    difference *d = find(name, arch);
    tally.cases++;
    if (ours == rejects) {
        tally.same++;
    } else if (d && !strcmp(d->rule, ours ? rule : "accepted")) {
        d->used = true;
        tally.overruled += ours;
        tally.lenient += !ours;
    } else {
        tally.wrong++;
        print_error("%s %s %s\n", name, arch, ours ? rule : "accepted");
    }
    /* Alone, the assembler's checks refuse nothing that it accepts but what no text of ours can say. */
    if (only && !rejects && strcmp(alone, "PTO-E0412") != 0 && strcmp(alone, "PTO-E0416") != 0) {
        tally.wrong++;
        print_error("%s %s is accepted by the assembler, with --ptoas-only refused by %s\n", name, arch,
                    alone);
    }
    tally.alone += only == rejects;
}

static void verdicts(void **state) {
    (void)state;
    size_t len;
    char *text = read_data("verdicts.pto", &len);
    read_differences();
    for (const char *at = text; at && *at;) {
        const char *end = strstr(at, "// -----\n");
        size_t size = end ? (size_t)(end - at) : strlen(at);
        char name[16], a3[8], a5[8];
        if (sscanf(at, "// case %15[0-9a-z]: a3=%7s a5=%7s", name, a3, a5) == 3) {
            judge(name, "a3", PTO_TARGET_A2A3, !strcmp(a3, "reject"), at, size);
            judge(name, "a5", PTO_TARGET_A5, !strcmp(a5, "reject"), at, size);
        }
        at = end ? end + strlen("// -----\n") : NULL;
    }
    for (size_t i = 0; i < known.count; i++)
        if (!known.line[i].used) {
            tally.wrong++;
            print_error("no difference any more: %s %s %s\n", known.line[i].name, known.line[i].target,
                        known.line[i].rule);
        }
    print_message(
        "%d verdicts: %d as stated, %d refused by a rule of ours, %d spellings accepted beyond; alone %d\n",
        tally.cases, tally.same, tally.overruled, tally.lenient, tally.alone);
    free(text);
    free(known.line);
    assert_int_equal(tally.cases, 2 * 1061);
    assert_int_equal(tally.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
