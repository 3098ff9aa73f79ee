/* SPDX-License-Identifier: Apache-2.0 */
/* parse(print(p)) == p at level 2 and in generic form, and text -> bytecode -> text, for every program of the
 * cases, the examples and the test data that parses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "program/program.h"
#include "support/program_testing.h"

static char *read_file(const char *path, size_t *len) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    long size = ftell(in);
    rewind(in);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)size, in);
    fclose(in);
    return text;
}

static pto_program *parse(const char *text, size_t len, pto_diag_list *diags) {
    pto_parse_options options = {.keep_layouts = true};
    pto_program *program = pto_program_parse("p", text, len, &options, diags);
    if (program && !pto_diag_count(diags, PTO_ERROR))
        return program;
    pto_program_destroy(program);
    return NULL;
}

static struct { int programs, printed, encoded, wrong; } tally;

static void complain(const char *what, const char *text, size_t len) {
    tally.wrong++;
    if (tally.wrong < 6)
        print_error("%s:\n%.*s\n", what, (int)(len > 1500 ? 1500 : len), text);
}

static void check(const char *text, size_t len) {
    static const pto_dialect forms[] = {PTO_DIALECT_LEVEL2, PTO_DIALECT_GENERIC};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = parse(text, len, diags);
    pto_dialect own = program ? pto_program_dialect(program) : PTO_DIALECT_AS;
    if (program && own != PTO_DIALECT_AS && own != PTO_DIALECT_LEVEL1) {
        tally.programs++;
        for (int i = 0; i < 2; i++) {
            text_buffer out = {0};
            pto_diag_list_clear(diags);
            if (pto_program_print(program, forms[i], collect_text, &out, diags) != PTO_OK) {
                complain("does not print", text, len);
                free(out.data);
                continue;
            }
            pto_program *again = parse(out.data, out.len, diags);
            if (!again || !pto_program_equal(program, again))
                complain(pto_dialect_name(forms[i]), out.data, out.len);
            tally.printed++;
            pto_program_destroy(again);
            free(out.data);
        }
        text_buffer first = {0}, second = {0};
        pto_diag_list_clear(diags);
        pto_parse_options options = {.keep_layouts = true};
        if (pto_program_encode(program, NULL, collect_text, &first, diags) == PTO_OK) {
            pto_program *back = pto_program_decode("p", first.data, first.len, &options, diags);
            if (!back || pto_diag_count(diags, PTO_ERROR) ||
                pto_program_encode(back, NULL, collect_text, &second, diags) != PTO_OK ||
                first.len != second.len || memcmp(first.data, second.data, first.len) != 0)
                complain("bytecode", text, len);
            tally.encoded++;
            pto_program_destroy(back);
        } else if (!pto_diag_has(diags, "PTO-E0260")) {
            complain("does not encode", text, len);
        }
        free(first.data);
        free(second.data);
    }
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

static void every_program(void **state) {
    (void)state;
    const char *root = getenv("SRC");
    static const char *const patterns[] = {"%s/tests/data/cases/*.pto", "%s/tests/data/*.pto",
                                           "%s/examples/*/*.pto", "%s/tests/programs/*.pto",
                                           "%s/fuzz/corpus/text/*.pto"};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        char pattern[4096];
        glob_t files;
        snprintf(pattern, sizeof pattern, patterns[k], root ? root : ".");
        assert_int_equal(glob(pattern, 0, NULL, &files), 0);
        for (size_t f = 0; f < files.gl_pathc; f++) {
            size_t len;
            char *text = read_file(files.gl_pathv[f], &len);
            for (char *at = text; at;) {
                char *end = strstr(at, "// -----\n");
                check(at, end ? (size_t)(end - at) : strlen(at));
                at = end ? end + strlen("// -----\n") : NULL;
            }
            free(text);
        }
        globfree(&files);
    }
    print_message("%d programs: %d prints read again, %d encoded and decoded\n", tally.programs,
                  tally.printed, tally.encoded);
    assert_true(tally.programs > 900);
    assert_int_equal(tally.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
