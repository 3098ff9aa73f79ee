/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the SSA forms share: parse, print, verify, compare. */
#ifndef PTO_TESTS_TEXT_SSA_TESTING_H
#define PTO_TESTS_TEXT_SSA_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sink.h"
#include "program/program.h"

static inline bool ssa_show_write(void *context, const char *data, size_t len) {
    (void)context;
    print_message("%.*s", (int)len, data);
    return true;
}

/* Parses; *diags is the caller's to destroy after the program. */
static inline pto_program *ssa_parse(const char *text, pto_diag_list **diags) {
    *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), NULL, *diags);
    assert_non_null(program);
    return program;
}

/* Parses a text that has no errors. */
static inline pto_program *ssa_parse_good(const char *text) {
    pto_diag_list *diags;
    pto_program *program = ssa_parse(text, &diags);
    if (pto_diag_count(diags, PTO_ERROR))
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 0);
    pto_diag_list_destroy(diags);
    return program;
}

/* The text has an error of this rule. */
static inline void ssa_expect_rule(const char *text, const char *rule) {
    pto_diag_list *diags;
    pto_program *program = ssa_parse(text, &diags);
    if (!pto_diag_has(diags, rule))
        print_message("no %s in:\n%s", rule, text);
    assert_true(pto_diag_has(diags, rule));
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

/* The printed program; free it. */
static inline char *ssa_print_program(const pto_program *program, pto_dialect dialect) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_buffer buffer = {NULL, 0, 0};
    pto_status status = pto_program_print(program, dialect, pto_buffer_write, &buffer, diags);
    if (status != PTO_OK)
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    assert_int_equal(status, PTO_OK);
    size_t len = pto_buffer_finish(&buffer);
    char *text = malloc(len + 1);
    buffer = (pto_buffer){text, len + 1, 0};
    assert_int_equal(pto_program_print(program, dialect, pto_buffer_write, &buffer, diags), PTO_OK);
    pto_buffer_finish(&buffer);
    pto_diag_list_destroy(diags);
    return text;
}

/* parse(print(x)) == x in its own form. */
static inline void ssa_check_print(const pto_program *program) {
    char *text = ssa_print_program(program, pto_program_dialect(program));
    pto_program *again = ssa_parse_good(text);
    if (!pto_program_equal(program, again))
        print_message("not the same again:\n%s", text);
    assert_true(pto_program_equal(program, again));
    assert_int_equal(pto_program_dialect(program), pto_program_dialect(again));
    char *second = ssa_print_program(again, pto_program_dialect(again));
    assert_string_equal(text, second);
    free(second);
    free(text);
    pto_program_destroy(again);
}

/* Verified for a target; true when it is accepted. `rule`, when not NULL, must be among the refusals. */
static inline bool ssa_verify(pto_program *program, pto_target target, const char *rule) {
    pto_diag_list *diags = pto_diag_list_create();
    const pto_verify_options options = {.target = target, .has_target = true};
    pto_status status = pto_program_verify(program, &options, diags);
    if (status != PTO_OK && !rule)
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    if (rule)
        assert_true(pto_diag_has(diags, rule));
    pto_diag_list_destroy(diags);
    return status == PTO_OK;
}

static inline void ssa_verify_all(pto_program *program) {
    for (int target = 0; target < PTO_TARGET_COUNT; target++)
        assert_true(ssa_verify(program, (pto_target)target, NULL));
}

static inline pto_program *ssa_convert(const pto_program *program, pto_dialect dialect) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *result = pto_program_convert(program, dialect, diags);
    if (!result)
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    assert_non_null(result);
    pto_diag_list_destroy(diags);
    return result;
}

/* The mnemonics of the instructions in order, blank separated. */
static inline void ssa_list_block(const pto_block *block, char *out, size_t size) {
    for (const pto_operation *op = block->first; op; op = op->next) {
        if (op->kind == PTO_OPK_INSTR && strlen(out) + 32 < size) {
            strcat(out, pto_form_get(op->form)->mnemonic);
            strcat(out, " ");
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const pto_block *b = op->region[r]->first; b; b = b->next)
                ssa_list_block(b, out, size);
    }
}
static inline const char *ssa_sequence(const pto_program *program, char out[1024]) {
    out[0] = '\0';
    ssa_list_block(program->module->region[0]->first, out, 1024);
    return out;
}

/* The first operation of a mnemonic in the entry block of the first function. */
static inline const pto_operation *ssa_find(const pto_program *program, const char *mnemonic) {
    const pto_block *body = pto_function_body(pto_program_first_function(program));
    for (const pto_operation *op = body->first; op; op = op->next)
        if (op->kind == PTO_OPK_INSTR && !strcmp(pto_form_get(op->form)->mnemonic, mnemonic))
            return op;
    fail_msg("no %s", mnemonic);
    return NULL;
}

#endif
