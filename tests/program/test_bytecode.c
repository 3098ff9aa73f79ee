/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-BC: the bytes of the released encoder both ways (tests/data/cases/bytecode.pto), text -> bytecode ->
 * text, what version 0 cannot hold, and files that are cut short or changed anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include "support/program_testing.h"

static pto_program *parse(const char *text, size_t len) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options options = {.keep_layouts = true};
    pto_program *program = pto_program_parse("case", text, len, &options, diags);
    if (!program || pto_diag_count(diags, PTO_ERROR)) {
        fail_msg("%s\n%.*s", diag_text(diags), (int)len, text);
    }
    pto_diag_list_destroy(diags);
    return program;
}

static text_buffer encode(const pto_program *program) {
    pto_diag_list *diags = pto_diag_list_create();
    text_buffer out = {0};
    if (pto_program_encode(program, NULL, collect_text, &out, diags) != PTO_OK) {
        fail_msg("%s", diag_text(diags));
    }
    pto_diag_list_destroy(diags);
    return out;
}

static pto_program *decode(const void *bytes, size_t len) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options options = {.keep_layouts = true};
    pto_program *program = pto_program_decode("case", bytes, len, &options, diags);
    if (!program || pto_diag_count(diags, PTO_ERROR)) {
        fail_msg("%s", diag_text(diags));
    }
    pto_diag_list_destroy(diags);
    return program;
}

/* ---- the released encoder ------------------------------------------------------------------------- */

static char *cases(size_t *len) {
    char path[4096];
    const char *root = getenv("SRC");
    snprintf(path, sizeof path, "%s/tests/data/cases/bytecode.pto", root ? root : ".");
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

static int nibble(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t unhex(const char *hex, uint8_t *out) {
    size_t n = 0;
    for (; nibble(hex[0]) >= 0 && nibble(hex[1]) >= 0; hex += 2)
        out[n++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
    return n;
}

static void each_case(void (*check)(const char *text, size_t len, const uint8_t *bytes, size_t size)) {
    size_t len;
    char *text = cases(&len);
    uint8_t *bytes = malloc(len);
    assert_non_null(bytes);
    int count = 0;
    for (char *at = text; at;) {
        char *end = strstr(at, "// -----\n");
        const char *hex = strstr(at, "// bytes ");
        if (hex && (!end || hex < end)) {
            size_t size = unhex(hex + 9, bytes);
            check(at, end ? (size_t)(end - at) : strlen(at), bytes, size);
            count++;
        }
        at = end ? end + 9 : NULL;
    }
    assert_int_equal(count, 81);
    free(bytes);
    free(text);
}

static void both_ways(const char *text, size_t len, const uint8_t *bytes, size_t size) {
    pto_program *written = parse(text, len), *read = decode(bytes, size);
    text_buffer out = encode(written);
    if (out.len != size || memcmp(out.data, bytes, size) != 0)
        fail_msg("other bytes for %.*s", (int)len, text);
    text_buffer again = encode(read);
    assert_int_equal(again.len, size);
    assert_memory_equal(again.data, bytes, size);
    free(out.data);
    free(again.data);
    pto_program_destroy(written);
    pto_program_destroy(read);
}

static void released_encoder(void **state) {
    (void)state;
    each_case(both_ways);
}

/* ---- broken files --------------------------------------------------------------------------------- */

/* Never a crash, and never a program without a message and without bytes that are its own. */
static void survive(const uint8_t *bytes, size_t size) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_decode("case", bytes, size, NULL, diags);
    assert_true(program || pto_diag_count(diags, PTO_ERROR) > 0);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

static void damaged(const char *text, size_t len, const uint8_t *bytes, size_t size) {
    (void)text;
    (void)len;
    static int turn;
    if (++turn % 4)
        return;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    for (size_t cut = 0; cut < size; cut++) { /* cut short: refused by the container itself */
        pto_diag_list *diags = pto_diag_list_create();
        assert_null(pto_program_decode("case", bytes, cut, NULL, diags));
        assert_true(pto_diag_has(diags, "PTO-E0261"));
        pto_diag_list_destroy(diags);
    }
    for (size_t i = 0; i < size; i++) {
        static const uint8_t masks[] = {0x01, 0x80, 0xff};
        for (int m = 0; m < 3; m++) {
            memcpy(copy, bytes, size);
            copy[i] ^= masks[m];
            survive(copy, size);
        }
    }
    free(copy);
}

static void broken_files(void **state) {
    (void)state;
    each_case(damaged);
}

/* ---- text, bytecode, text -------------------------------------------------------------------------- */

static const char wide[] =
    "module attributes {pto.target_arch = \"a3\"} {\n"
    "func.func private @g(!pto.ptr<f32>) -> f32\n"
    "func.func @f(%p: !pto.ptr<f32>, %n: index) attributes {pto.entry} {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c1b = arith.constant 1 : index\n"
    "  %a = arith.constant 4096 : i64\n  %t = arith.constant true\n  %m = arith.constant -1 : i8\n"
    "  %h = arith.constant 1.5 : f16\n  %d = arith.constant 0.1 : f64\n  %q = arith.constant 0x7FC00001 : "
    "f32\n"
    "  %s = scf.for %i = %c0 to %n step %c1 iter_args(%x = %q) -> (f32) {\n"
    "    %u = arith.cmpi ult, %i, %n : index\n"
    "    %y = scf.if %u -> (f32) {\n      %z = arith.addf %x, %x fastmath<fast> : f32\n      scf.yield %z : "
    "f32\n"
    "    } else {\n      scf.yield %x : f32\n    }\n"
    "    scf.yield %y : f32\n  }\n"
    "  %tile = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>\n"
    "  %dyn = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x32xf32, valid=?x32>\n"
    "  pto.tcvt ins(%tile {rmode = #pto<round_mode RINT>} : !pto.tile_buf<vec, 16x32xf32>) outs(%tile : "
    "!pto.tile_buf<vec, 16x32xf32>)\n"
    "  pto.record_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TVEC>, <EVENT_ID3>]\n"
    "  pto.wait_event[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, <EVENT_ID3>]\n"
    "  %w = func.call @g(%p) : (!pto.ptr<f32>) -> f32\n"
    "  return\n}\n}\n";

static void identity(void **state) {
    (void)state;
    pto_program *program = parse(wide, strlen(wide));
    text_buffer out = encode(program);
    pto_program *back = decode(out.data, out.len);
    text_buffer again = encode(back);
    assert_int_equal(out.len, again.len);
    assert_memory_equal(out.data, again.data, out.len);
    /* the same program but for attributes that are written out: a second turn changes nothing */
    pto_program *third = decode(again.data, again.len);
    assert_true(pto_program_equal(back, third));
    free(out.data);
    free(again.data);
    pto_program_destroy(program);
    pto_program_destroy(back);
    pto_program_destroy(third);
}

static void refused(const char *text, bool strict) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = parse(text, strlen(text));
    pto_encode_options options = {.strict = strict};
    text_buffer out = {0};
    assert_int_equal(pto_program_encode(program, &options, collect_text, &out, diags), PTO_ERR_REFUSED);
    assert_true(pto_diag_has(diags, "PTO-E0260"));
    assert_int_equal(out.len, 0);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

static void what_version_0_lacks(void **state) {
    (void)state;
    refused("func.func @f() {\n  cf.br ^a\n^a:\n  return\n}\n", false);
    refused("module {\nmodule {\n}\n}\n", false);
    /* only with the generic operation */
    refused(
        "func.func @f(%a: i64) {\n%t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>\nreturn\n}\n",
        true);
    refused("func.func @f(%a: index) {\n%x = arith.cmpi ult, %a, %a : index\nreturn\n}\n", true);
    refused("func.func @f(%a: f32) {\n%x = arith.addf %a, %a : f32\nreturn\n}\n", true);
    refused("func.func @f(%a: f32) -> f32 {\nreturn %a : f32\n}\n", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(released_encoder), cmocka_unit_test(broken_files),
                                       cmocka_unit_test(identity), cmocka_unit_test(what_version_0_lacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
