/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: lives that meet never share bytes, dead tiles make room, overflow is named (60, 4.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass/code.h"
#include "support/program_testing.h"

/* 64 KB each */
#define T "!pto.tile_buf<vec, 64x256xf32>"

static pto_status lower(pto_program *program, pto_code *code, pto_target target, pto_diag_list *diags) {
    return pto_lower(code, program, pto_program_entry(program, NULL, NULL), target, diags);
}

static pto_code_storage *storage_of(pto_code *code, const char *name) {
    for (int32_t i = 0; i < code->storage_count; i++)
        if (pto_str_equal(code->storage[i].name, pto_str_from(name)))
            return &code->storage[i];
    fail_msg("no tile %s", name);
    return NULL;
}

static bool overlap(const pto_code_storage *a, const pto_code_storage *b) {
    return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes;
}

/* A chain a -> b -> c -> d -> e of tiles, each dead after the next is made: two fit at a time. */
static void dead_tiles_make_room(void **state) {
    (void)state;
    char body[2048] = "";
    for (char c = 'a'; c <= 'f'; c++) {
        char line[64];
        snprintf(line, sizeof line, "%%%c = pto.alloc_tile : " T "\n", c);
        strcat(body, line);
    }
    for (char c = 'a'; c < 'f'; c++) {
        char line[128];
        snprintf(line, sizeof line, "pto.trelu ins(%%%c : " T ") outs(%%%c : " T ")\n", c, c + 1);
        strcat(body, line);
    }
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_code code;
    assert_int_equal(lower(program, &code, PTO_TARGET_A2A3, NULL), PTO_OK);
    for (char c = 'a'; c < 'f'; c++) {
        char name[2] = {c, 0}, next[2] = {(char)(c + 1), 0};
        pto_code_storage *x = storage_of(&code, name), *y = storage_of(&code, next);
        assert_false(overlap(x, y));
        assert_true(x->addr % 32 == 0 && x->addr + x->bytes <= 196608);
    }
    pto_code_release(&code);
    pto_program_destroy(program);
    free(text);
}

/* A tile made outside of a loop and used in it lives through the whole loop: x must not meet y. */
static void loops_keep_their_tiles(void **state) {
    (void)state;
    static const char body[] =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c4 = arith.constant 4 : index\n"
        "%x = pto.alloc_tile : " T "\n%y = pto.alloc_tile : " T "\n%z = pto.alloc_tile : " T "\n"
        "%w = pto.alloc_tile : " T "\n"
        "scf.for %i = %c0 to %c4 step %c1 {\n"
        "pto.trelu ins(%x : " T ") outs(%z : " T ")\n" /* x is read before y is written ... */
        "pto.trelu ins(%z : " T ") outs(%y : " T ")\n}\n"
        "pto.trelu ins(%w : " T ") outs(%w : " T ")";
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_code code;
    assert_int_equal(lower(program, &code, PTO_TARGET_A2A3, NULL), PTO_OK);
    pto_code_storage *x = storage_of(&code, "x"), *y = storage_of(&code, "y"), *z = storage_of(&code, "z");
    assert_false(overlap(x, y)); /* ... and again in the next turn */
    assert_false(overlap(x, z));
    assert_false(overlap(y, z));
    pto_code_release(&code);
    pto_program_destroy(program);
    free(text);
}

static void aliases_live_as_one(void **state) {
    (void)state;
    static const char body[] =
        "%x = pto.alloc_tile : " T "\n%y = pto.alloc_tile : " T "\n%z = pto.alloc_tile : " T "\n"
        "%v = pto.treshape %x : " T " -> !pto.tile_buf<vec, 256x64xf32>\n"
        "pto.trelu ins(%y : " T ") outs(%z : " T ")\n"
        "pto.trelu ins(%v : !pto.tile_buf<vec, 256x64xf32>) outs(%v : !pto.tile_buf<vec, 256x64xf32>)";
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_code code;
    assert_int_equal(lower(program, &code, PTO_TARGET_A2A3, NULL), PTO_OK);
    assert_false(overlap(storage_of(&code, "x"), storage_of(&code, "y")));
    assert_false(overlap(storage_of(&code, "x"), storage_of(&code, "z")));
    pto_code_release(&code);
    pto_program_destroy(program);
    free(text);
}

static void overflow_lists_the_tiles(void **state) {
    (void)state;
    static const char body[] =
        "%a = pto.alloc_tile : " T "\n%b = pto.alloc_tile : " T "\n%c = pto.alloc_tile : " T
        "\n%d = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
        "pto.tadd ins(%a, %b : " T ", " T ") outs(%c : " T ")\n"
        "%k = arith.constant 1.0 : f32\n"
        "pto.tadds ins(%d, %k : !pto.tile_buf<vec, 1x8xf32>, f32) outs(%d : "
        "!pto.tile_buf<vec, 1x8xf32>)\n"
        "pto.tadd ins(%a, %b : " T ", " T ") outs(%c : " T ")";
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_code code;
    pto_diag_list *diags = pto_diag_list_create();
    /* three of 64 KB fill 192 KB: one byte more does not fit */
    assert_int_equal(lower(program, &code, PTO_TARGET_A2A3, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0906", 0);
    int notes = 0;
    for (const pto_diagnostic *n = pto_diag_first(diags)->notes; n; n = n->next)
        notes++;
    assert_int_equal(notes, 4);
    pto_code_release(&code);
    pto_diag_list_clear(diags);
    const pto_verify_options check = {.target = PTO_TARGET_A2A3, .has_target = true};
    assert_int_equal(pto_program_verify(program, &check, diags), PTO_OK);
    assert_int_equal(pto_program_check(program, &check, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0906", 0);
    assert_int_equal(lower(program, &code, PTO_TARGET_A5, NULL), PTO_OK);
    pto_code_release(&code);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    free(text);
}

static void accumulators_are_aligned(void **state) {
    (void)state;
    static const char body[] =
        "%a = pto.alloc_tile : !pto.tile_buf<bias, 1x8xf32>\n%b = pto.alloc_tile : !pto.tile_buf<acc, "
        "16x16xf32, "
        "blayout=col_major, slayout=row_major, fractal=1024>\n%c = pto.alloc_tile : !pto.tile_buf<acc, "
        "16x16xf32, "
        "blayout=col_major, slayout=row_major, fractal=1024>\n"
        "%m = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>";
    char *text = program_of("", body);
    pto_program *program = parse_program(text);
    pto_code code;
    assert_int_equal(lower(program, &code, PTO_TARGET_A2A3, NULL), PTO_OK);
    for (int32_t i = 0; i < code.storage_count; i++)
        if (code.storage[i].loc == PTO_LOC_ACC)
            assert_int_equal(code.storage[i].addr % 512, 0);
    pto_code_release(&code);
    pto_program_destroy(program);
    free(text);
}

/* Calls expanded beyond the limit end with an error, not with the machine's memory. */
static void doubling_calls(const char *innermost) {
    size_t size = 1 << 16;
    char *text = malloc(size);
    size_t len = (size_t)snprintf(text, size,
                                  "module {\nfunc.func private @f0(%%p: i64) {\n"
                                  "%sreturn\n}\n",
                                  innermost);
    for (int i = 1; i <= 40; i++)
        len += (size_t)snprintf(text + len, size - len,
                                "func.func %s@f%d(%%p: i64)%s {\nfunc.call @f%d(%%p) : (i64) -> ()\n"
                                "func.call @f%d(%%p) : (i64) -> ()\nreturn\n}\n",
                                i == 40 ? "" : "private ", i, i == 40 ? " attributes {pto.entry}" : "", i - 1,
                                i - 1);
    snprintf(text + len, size - len, "}\n");
    pto_program *program = parse_program(text);
    pto_code code;
    pto_diag_list *diags = pto_diag_list_create();
    assert_int_equal(lower(program, &code, PTO_TARGET_CPU, diags), PTO_ERR_REFUSED);
    expect_rule(diags, "PTO-E0911", 0);
    pto_code_release(&code);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    free(text);
}

static void doubling_calls_are_bounded(void **state) {
    (void)state;
    doubling_calls("%q = arith.addi %p, %p : i64\n");
    doubling_calls("");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dead_tiles_make_room),     cmocka_unit_test(loops_keep_their_tiles),
        cmocka_unit_test(aliases_live_as_one),      cmocka_unit_test(overflow_lists_the_tiles),
        cmocka_unit_test(accumulators_are_aligned), cmocka_unit_test(doubling_calls_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
