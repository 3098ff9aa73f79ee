/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target of the room emit: what verifies becomes C++ or is refused with a reason, the same text every
 * time. */
#include <pto/program.h>

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Length and a sum of what was written. */
typedef struct digest {
    size_t len;
    uint64_t sum;
} digest;

static bool add(void *context, const char *data, size_t len) {
    digest *d = context;
    for (size_t i = 0; i < len; i++)
        d->sum = (d->sum ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
    d->len += len;
    return true;
}

static bool ignore(void *context, const char *data, size_t len) {
    (void)context;
    (void)data;
    (void)len;
    return true;
}

static void emit(pto_program *program, pto_target target) {
    const pto_verify_options options = {.target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    digest first = {0}, second = {0};
    (void)pto_program_emit(program, PTO_LANGUAGE_BLOCK, &options, ignore, NULL, NULL);
    pto_status status = pto_program_emit(program, PTO_LANGUAGE_CPP, &options, add, &first, diags);
    if (status == PTO_ERR_REFUSED && !pto_diag_count(diags, PTO_ERROR))
        abort();
    if (status != PTO_OK && first.len)
        abort(); /* half a file */
    if (status == PTO_OK &&
        (pto_program_emit(program, PTO_LANGUAGE_CPP, &options, add, &second, NULL) != PTO_OK ||
         first.len != second.len || first.sum != second.sum))
        abort();
    pto_diag_list_destroy(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const pto_target target = (pto_target)(size % PTO_TARGET_COUNT);
    const pto_parse_options options = {.target = target, .has_target = true, .byte_limit = (size_t)1 << 26};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("fuzz.pto", (const char *)data, size, &options, diags);
    if (program && !pto_diag_count(diags, PTO_ERROR))
        emit(program, target);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
    return 0;
}
