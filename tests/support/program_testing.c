/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and running small programs for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program_testing.h"

bool collect_text(void *context, const char *data, size_t len) {
    text_buffer *b = context;
    if (b->capacity - b->len < len + 1) {
        b->capacity = (b->len + len + 1) * 2;
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
    return true;
}

const char *diag_text(const pto_diag_list *diags) {
    static char text[1 << 16];
    pto_diag_render_buffer(diags, NULL, text, sizeof text);
    return text;
}

pto_program *parse_program(const char *text) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", text, strlen(text), NULL, diags);
    assert_non_null(program);
    if (pto_diag_count(diags, PTO_ERROR))
        fail_msg("%s", diag_text(diags));
    pto_diag_list_destroy(diags);
    return program;
}

void expect_rule(const pto_diag_list *diags, const char *rule, unsigned line) {
    for (const pto_diagnostic *d = pto_diag_first(diags); d; d = d->next)
        if (d->rule && !strcmp(d->rule, rule) && (!line || d->line == line))
            return;
    fail_msg("no %s at line %u:\n%s", rule, line, diag_text(diags));
}

char *program_of(const char *args, const char *body) {
    static const char form[] = "module {\nfunc.func @main(%s) {\n%s\nreturn\n}\n}\n";
    size_t size = sizeof form + strlen(args) + strlen(body);
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, form, args, body);
    return text;
}

void run_text(const char *text, const pto_argument *arguments, size_t count, const pto_run_options *options) {
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    pto_status status = pto_program_run(program, arguments, count, options, diags);
    if (status != PTO_OK)
        fail_msg("%s\n%s", pto_status_name(status), diag_text(diags));
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

void run_fails(const char *text, const pto_argument *arguments, size_t count, const pto_run_options *options,
               const char *rule, unsigned line) {
    pto_program *program = parse_program(text);
    pto_diag_list *diags = pto_diag_list_create();
    pto_status status = pto_program_run(program, arguments, count, options, diags);
    assert_int_equal(status, PTO_ERR_REFUSED);
    expect_rule(diags, rule, line);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}
