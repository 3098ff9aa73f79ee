/* SPDX-License-Identifier: Apache-2.0 */
/* Every example with automatic synchronisation: the text with its flags is legal, gives the same bits, and
 * the race and flag checkers find nothing, on a2a3 and a5. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program_testing.h"

enum { PARAMETERS = 16 };

typedef struct example {
    const char *path, *entry;
    bool only_a5;
    int64_t scalars[4]; /* in the order of the parameters */
} example;

static const example examples[] = {
    {"attention/attention.pto", NULL, false, {256}},
    {"conv/conv.pto", NULL, false, {0}},
    {"digits/digits.pto", NULL, false, {0}},
    {"gemm/gemm_f16.pto", NULL, false, {256, 256, 512}},
    {"gemm/gemm_s8.pto", NULL, false, {256, 256, 1024}},
    {"layernorm/layernorm.pto", NULL, false, {16}},
    {"mxfp8/mxfp8.pto", "quantise_a", true, {128, 512}},
    {"mxfp8/mxfp8.pto", "quantise_b", true, {512, 512}},
    {"mxfp8/mxfp8.pto", "product", true, {256, 512, 512}},
    {"rmsnorm/rmsnorm.pto", NULL, false, {16}},
    {"softmax/softmax.pto", NULL, false, {0}},
    {"topk/topk.pto", NULL, false, {2, 4096}},
};

static char *read_text(const char *path) {
    char name[512];
    snprintf(name, sizeof name, "%s/examples/%s", getenv("SRC") ? getenv("SRC") : ".", path);
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("no %s", name);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static pto_program *parse_for(const char *text, pto_target target) {
    pto_parse_options options = {.target = target, .has_target = true};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("example.pto", text, strlen(text), &options, diags);
    if (!program || pto_diag_count(diags, PTO_ERROR))
        fail_msg("%s", diag_text(diags));
    pto_diag_list_destroy(diags);
    return program;
}

static void fill(uint8_t *data, size_t bytes, pto_dtype dtype, uint32_t seed) {
    for (size_t i = 0; i < bytes; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = (uint8_t)(seed >> 24);
        /* small numbers, no infinities: the exponent's byte is that of about 1 */
        if (dtype == PTO_F32 && i % 4 == 3)
            data[i] = (uint8_t)(0x3e + (seed >> 31) * 0x80);
        if (dtype == PTO_F16 && i % 2 == 1)
            data[i] = (uint8_t)(0x30 + (seed >> 31) * 0x80);
    }
}

/* The arguments of an entry by the shapes that the program gives them. */
static size_t make_arguments(const example *e, pto_program *program, pto_argument *argument) {
    const pto_param *param;
    size_t count;
    int scalar = 0;
    assert_int_equal(pto_program_entry_params(program, e->entry, &param, &count, NULL), PTO_OK);
    assert_true(count <= PARAMETERS);
    for (size_t i = 0; i < count; i++)
        if (param[i].kind == PTO_PARAM_SCALAR) {
            argument[i] = (pto_argument){.i = e->scalars[scalar], .f = 0.01};
            scalar += param[i].dtype != PTO_F32;
        }
    for (size_t i = 0; i < count; i++) {
        size_t elements = 1;
        if (param[i].kind == PTO_PARAM_SCALAR)
            continue;
        for (int d = 0; d < param[i].rank; d++) {
            int64_t extent = param[i].shape[d];
            elements *= (size_t)(extent < 0 ? argument[-1 - extent].i : extent);
        }
        argument[i].bytes = (param[i].rank ? elements : 1 << 20) * pto_dtype_bits(param[i].dtype) / 8;
        argument[i].data = aligned_alloc(64, (argument[i].bytes + 63) / 64 * 64);
        assert_non_null(argument[i].data);
        fill(argument[i].data, argument[i].bytes, param[i].dtype, (uint32_t)i);
    }
    return count;
}

static void run_both(const example *e, pto_target target) {
    char *text = read_text(e->path);
    pto_program *plain = parse_for(text, target), *flagged = parse_for(text, target);
    pto_diag_list *diags = pto_diag_list_create();
    pto_verify_options verify = {.target = target, .has_target = true};
    if (pto_program_pass(flagged, "sync", &verify, diags) != PTO_OK)
        fail_msg("%s: %s", e->path, diag_text(diags));
    text_buffer printed = {0};
    assert_int_equal(pto_program_print(flagged, PTO_DIALECT_LEVEL2, collect_text, &printed, NULL), PTO_OK);
    pto_program *again = parse_for(printed.data, target);
    pto_argument a[PARAMETERS] = {0}, b[PARAMETERS] = {0};
    size_t count = make_arguments(e, plain, a), findings = 0;
    make_arguments(e, again, b);
    pto_run_options options = {
        .entry = e->entry, .target = target, .has_target = true, .findings = &findings};
    if (pto_program_run(plain, a, count, &options, diags) != PTO_OK)
        fail_msg("%s: %s", e->path, diag_text(diags));
    options.checks = PTO_CHECK_RACE | PTO_CHECK_SYNC;
    if (pto_program_run(again, b, count, &options, diags) != PTO_OK || findings)
        fail_msg("%s with flags: %s", e->path, diag_text(diags));
    /* the automatic flags of a run are the same */
    if (pto_program_run(plain, a, count, &options, diags) != PTO_OK || findings)
        fail_msg("%s: %s", e->path, diag_text(diags));
    options.checks = 0;
    if (pto_program_run(again, b, count, &options, diags) != PTO_OK)
        fail_msg("%s: %s", e->path, diag_text(diags));
    for (size_t i = 0; i < count; i++)
        if (a[i].data && memcmp(a[i].data, b[i].data, a[i].bytes) != 0)
            fail_msg("%s: other bits in argument %d", e->path, (int)i);
    for (size_t i = 0; i < count; i++) {
        free(a[i].data);
        free(b[i].data);
    }
    pto_program_destroy(plain);
    pto_program_destroy(flagged);
    pto_program_destroy(again);
    pto_diag_list_destroy(diags);
    free(printed.data);
    free(text);
}

static void every_example(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        if (!examples[i].only_a5)
            run_both(&examples[i], PTO_TARGET_A2A3);
        run_both(&examples[i], PTO_TARGET_A5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
