/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-AS and level 1 text: parse anything; what parses without errors prints, reads back the same, converts
 * to every form, and converts back. */
#include "base/sink.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool grow(void *context, const char *data, size_t len) {
    pto_buffer *text = context;
    if (text->len + len > text->capacity)
        return false;
    memcpy(text->data + text->len, data, len);
    text->len += len;
    return true;
}

/* What keeps every rule is the same program when its text is read again; other texts only must not harm. */
static void check_print(const pto_program *program, bool keeps_rules, pto_diag_list *diags) {
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE);
    pto_buffer buffer = {text, SIZE, 0};
    pto_dialect dialect = pto_program_dialect(program);
    /* The empty text has no form of its own. */
    if (text && pto_program_print(program, dialect, grow, &buffer, diags) == PTO_OK && buffer.len) {
        pto_diag_list *again_diags = pto_diag_list_create();
        pto_program *again = pto_program_parse("again", text, buffer.len, NULL, again_diags);
        bool same = again && !pto_diag_count(again_diags, PTO_ERROR) && pto_program_equal(program, again);
        if (keeps_rules && !same)
            abort();
        pto_diag_list_destroy(again_diags);
        pto_program_destroy(again);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096)
        return 0;
    pto_diag_list *diags = pto_diag_list_create();
    const pto_parse_options options = {.byte_limit = 16 << 20};
    pto_program *program = pto_program_parse("fuzz", (const char *)data, size, &options, diags);
    if (program && pto_diag_count(diags, PTO_ERROR) == 0) {
        const pto_verify_options verify = {.target = PTO_TARGET_CPU, .has_target = true};
        bool keeps_rules = pto_program_verify(program, &verify, diags) == PTO_OK;
        check_print(program, keeps_rules, diags);
        for (int dialect = 0; dialect <= PTO_DIALECT_GENERIC; dialect++) {
            pto_program *other = pto_program_convert(program, (pto_dialect)dialect, diags);
            if (!other)
                continue;
            check_print(other, keeps_rules && pto_program_dialect(program) == (pto_dialect)dialect, diags);
            pto_program_destroy(pto_program_convert(other, pto_program_dialect(program), diags));
            pto_program_destroy(other);
        }
        const pto_verify_options strict = {.target = PTO_TARGET_A2A3, .has_target = true};
        pto_program_verify(program, &strict, diags);
    }
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    return 0;
}
