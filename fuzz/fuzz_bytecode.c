/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target of the bytecode reader: no file may harm; what it reads is written to the same program again.
 */
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    char *data;
    size_t len;
} bytes;

static bool collect(void *context, const char *data, size_t len) {
    bytes *b = context;
    char *grown = realloc(b->data, b->len + len + 1);
    if (!grown)
        return false;
    memcpy(grown + b->len, data, len);
    b->data = grown;
    b->len += len;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    pto_parse_options options = {.byte_limit = 64 << 20, .keep_layouts = true};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_decode("fuzz", data, size, &options, diags);
    bytes out = {0};
    if (program && !pto_diag_count(diags, PTO_ERROR) &&
        pto_program_encode(program, NULL, collect, &out, diags) == PTO_OK) {
        pto_program *again = pto_program_decode("again", out.data, out.len, &options, diags);
        bytes second = {0};
        if (!again || pto_diag_count(diags, PTO_ERROR) ||
            pto_program_encode(again, NULL, collect, &second, diags) != PTO_OK || second.len != out.len ||
            memcmp(second.data, out.data, out.len) != 0) {
            char text[2048];
            pto_diag_render_buffer(diags, NULL, text, sizeof text);
            fprintf(stderr, "%s\n", text);
            abort();
        }
        pto_program_destroy(again);
        free(second.data);
    }
    free(out.data);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
    return 0;
}
