/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target of the text room: no input may harm; what parses prints in every form that holds it, and the
 * print of a form parses to the same program. */
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    char *data;
    size_t len, capacity;
} text;

static bool collect(void *context, const char *data, size_t len) {
    text *t = context;
    if (t->capacity - t->len < len) {
        size_t capacity = (t->len + len) * 2;
        char *grown = realloc(t->data, capacity);
        if (!grown)
            return false;
        t->data = grown;
        t->capacity = capacity;
    }
    memcpy(t->data + t->len, data, len);
    t->len += len;
    return true;
}

static bool swallow(void *context, const char *data, size_t len) {
    (void)context;
    (void)data;
    (void)len;
    return true;
}

/* A program that keeps every rule is the same when its text is read again; any other text only must not harm.
 */
static void round_trip(const pto_program *program, pto_dialect dialect, bool keeps_rules,
                       const pto_parse_options *options) {
    pto_diag_list *diags = pto_diag_list_create();
    text printed = {0};
    pto_status status = pto_program_print(program, dialect, collect, &printed, diags);
    if (status == PTO_OK) {
        pto_program *again = pto_program_parse("again", printed.data, printed.len, options, diags);
        /* Another form may not be able to say mixed lines, nor the type of every number of an attribute. */
        bool promised = keeps_rules && pto_program_dialect(program) == dialect;
        if (promised && (!again || pto_diag_count(diags, PTO_ERROR) || !pto_program_equal(program, again))) {
            fprintf(stderr, "printed as %s:\n%.*s\n", pto_dialect_name(dialect), (int)printed.len,
                    printed.data);
            abort();
        }
        pto_program_destroy(again);
    } else if (status != PTO_ERR_LIMIT && status != PTO_ERR_NOMEM && !pto_diag_count(diags, PTO_ERROR)) {
        abort(); /* refused without a reason */
    }
    free(printed.data);
    pto_diag_list_destroy(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const pto_parse_options options = {.target = size % 2 ? PTO_TARGET_A5 : PTO_TARGET_A2A3,
                                       .has_target = true,
                                       .byte_limit = (size_t)1 << 26};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("fuzz.pto", (const char *)data, size, &options, diags);
    pto_diag_render(diags, NULL, swallow, NULL);
    pto_diag_render_json(diags, swallow, NULL);
    if (program && pto_diag_count(diags, PTO_ERROR)) {
        /* what stands of it is verified all the same */
        pto_verify_options verify = {.target = options.target, .has_target = true};
        pto_program_verify(program, &verify, diags);
    } else if (program) {
        pto_verify_options verify = {.target = options.target, .has_target = true};
        pto_diag_list *found = pto_diag_list_create();
        pto_status verified = pto_program_verify(program, &verify, found);
        static const pto_dialect dialects[] = {PTO_DIALECT_LEVEL2, PTO_DIALECT_GENERIC, PTO_DIALECT_LEVEL1,
                                               PTO_DIALECT_AS};
        for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
            round_trip(program, dialects[i], verified == PTO_OK, &options);
        pto_diag_list_destroy(found);
    }
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    return 0;
}
