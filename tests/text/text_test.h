/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the text room share: parsing with a diagnostic list, printing into memory, round trips.
 */
#ifndef PTO_TESTS_TEXT_TEST_H
#define PTO_TESTS_TEXT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"

typedef struct text_buffer {
    char *data;
    size_t len, capacity;
} text_buffer;

static inline bool text_write(void *context, const char *data, size_t len) {
    text_buffer *t = context;
    if (t->capacity - t->len < len + 1) {
        t->capacity = (t->len + len + 1) * 2;
        t->data = realloc(t->data, t->capacity);
        assert_non_null(t->data);
    }
    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
    return true;
}

static inline void text_show(const pto_diag_list *diags) {
    char buffer[4096];
    pto_diag_render_buffer(diags, NULL, buffer, sizeof buffer);
    fprintf(stderr, "%s\n", buffer);
}

/* A program without errors. */
static inline pto_program *text_parse(const char *source, size_t len) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", source, len, NULL, diags);
    if (!program || pto_diag_count(diags, PTO_ERROR)) {
        text_show(diags);
        fprintf(stderr, "%.*s\n", (int)len, source);
        fail();
    }
    pto_diag_list_destroy(diags);
    return program;
}

/* Owned by the caller. */
static inline char *text_print(const pto_program *program, pto_dialect dialect) {
    pto_diag_list *diags = pto_diag_list_create();
    text_buffer out = {0};
    pto_status status = pto_program_print(program, dialect, text_write, &out, diags);
    if (status != PTO_OK)
        text_show(diags);
    assert_int_equal(status, PTO_OK);
    pto_diag_list_destroy(diags);
    return out.data;
}

/* parse(print(x)) == x in both forms, and the print of the print is the print. */
static inline void text_round_trip(const char *source) {
    pto_program *program = text_parse(source, strlen(source));
    for (pto_dialect dialect = PTO_DIALECT_LEVEL2; dialect <= PTO_DIALECT_GENERIC; dialect++) {
        char *printed = text_print(program, dialect);
        pto_program *again = text_parse(printed, strlen(printed));
        if (!pto_program_equal(program, again)) {
            fprintf(stderr, "not equal after printing as %s:\n%s", pto_dialect_name(dialect), printed);
            fail();
        }
        char *twice = text_print(again, dialect);
        assert_string_equal(printed, twice);
        free(twice);
        free(printed);
        pto_program_destroy(again);
    }
    pto_program_destroy(program);
}

#endif
