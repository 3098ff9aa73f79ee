/* SPDX-License-Identifier: Apache-2.0 */
/* Programs executed: every form, control flow, addresses, faults, order over threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program_testing.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- one program in every form (60, 3.11) -------------------------------------------------------- */

static const char level2[] =
    "!T = !pto.tile_buf<vec, 24x40xf32>\n!G = !pto.tensor_view<24x40xf32>\n"
    "!P = !pto.partition_tensor_view<24x40xf32>\n"
    "module attributes {\"pto.target_arch\" = \"a3\"} {\n"
    "func.func @addrelu(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
    "%r = arith.constant 24 : index\n%c = arith.constant 40 : index\n"
    "%ga = pto.make_tensor_view %a, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%gb = pto.make_tensor_view %b, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%pa = pto.partition_view %ga, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%pb = pto.partition_view %gb, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%ta = pto.alloc_tile : !T\n%tb = pto.alloc_tile : !T\n"
    "pto.tload ins(%pa : !P) outs(%ta : !T)\npto.tload ins(%pb : !P) outs(%tb : !T)\n"
    "pto.tadd ins(%ta, %tb : !T, !T) outs(%ta : !T)\npto.trelu ins(%ta : !T) outs(%ta : !T)\n"
    "pto.tstore ins(%ta : !T) outs(%py : !P)\nreturn\n}\n}\n";

static const char level3[] =
    "!T = !pto.tile_buf<vec, 24x40xf32>\n!G = !pto.tensor_view<24x40xf32>\n"
    "!P = !pto.partition_tensor_view<24x40xf32>\n"
    "func.func @addrelu(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %y: !pto.ptr<f32>) {\n"
    "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
    "%r = arith.constant 24 : index\n%c = arith.constant 40 : index\n"
    "%k0 = arith.constant 0 : i64\n%k1 = arith.constant 3840 : i64\n"
    "%ga = pto.make_tensor_view %a, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%gb = pto.make_tensor_view %b, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%r, %c], strides = [%c, %one] : !G\n"
    "%pa = pto.partition_view %ga, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%pb = pto.partition_view %gb, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
    "%ta = pto.alloc_tile addr = %k0 : !T\n%tb = pto.alloc_tile addr = %k1 : !T\n"
    "pto.tload ins(%pa : !P) outs(%ta : !T)\npto.tload ins(%pb : !P) outs(%tb : !T)\n"
    "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\npto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\n"
    "pto.tadd ins(%ta, %tb : !T, !T) outs(%ta : !T)\npto.barrier <PIPE_V>\n"
    "pto.trelu ins(%ta : !T) outs(%ta : !T)\n"
    "pto.tstore ins(%ta : !T) outs(%py : !P)\nreturn\n}\n";

static const char level1[] = "!T = !pto.tile<vec, f32, 24, 40>\n!G = !pto.tensor_view<24x40xf32>\n"
                             "!P = !pto.partition_tensor_view<24x40xf32>\n"
                             "func.func @addrelu(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %y: !pto.ptr<f32>) {\n"
                             "%z = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
                             "%r = arith.constant 24 : index\n%c = arith.constant 40 : index\n"
                             "%ga = pto.make_tensor_view %a, shape = [%r, %c], strides = [%c, %one] : !G\n"
                             "%gb = pto.make_tensor_view %b, shape = [%r, %c], strides = [%c, %one] : !G\n"
                             "%gy = pto.make_tensor_view %y, shape = [%r, %c], strides = [%c, %one] : !G\n"
                             "%pa = pto.partition_view %ga, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                             "%pb = pto.partition_view %gb, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                             "%py = pto.partition_view %gy, offsets = [%z, %z], sizes = [%r, %c] : !G -> !P\n"
                             "%ta = pto.tload %pa : !P -> !T\n%tb = pto.tload %pb : !P -> !T\n"
                             "%s = pto.tadd %ta, %tb : (!T, !T) -> !T\n%q = pto.trelu %s : !T -> !T\n"
                             "pto.tstore %q, %py : (!T, !P) -> ()\nreturn\n}\n";

static const char pto_as[] = ".arg %a : !pto.memref<24x40xf32>\n.arg %b : !pto.memref<24x40xf32>\n"
                             ".arg %y : !pto.memref<24x40xf32>\n.const %z = 0 : index\n"
                             "%ta = tload %a[%z, %z] : (!pto.memref<24x40xf32>, index, index) -> "
                             "!pto.tile<vec, f32, 24, 40>\n"
                             "%tb = tload %b[%z, %z] : (!pto.memref<24x40xf32>, index, index) -> "
                             "!pto.tile<vec, f32, 24, 40>\n"
                             "%s = tadd %ta, %tb : !pto.tile<vec, f32, 24, 40>\n"
                             "%q = trelu %s : !pto.tile<vec, f32, 24, 40>\n"
                             "tstore %q, %y[%z, %z]\n";

static void every_form_gives_the_same(void **state) {
    (void)state;
    static const char *const forms[] = {level2, level3, level1, pto_as};
    static float a[24 * 40], b[24 * 40], y[24 * 40];
    for (int i = 0; i < 24 * 40; i++) {
        a[i] = (float)(i * 37 % 101) - 50.0f;
        b[i] = (float)(i * 11 % 53) - 26.0f;
    }
    const pto_argument arguments[3] = {{.data = a, .bytes = sizeof a, .read_only = true},
                                       {.data = b, .bytes = sizeof b, .read_only = true},
                                       {.data = y, .bytes = sizeof y}};
    for (size_t f = 0; f < COUNT(forms); f++) {
        memset(y, 0xff, sizeof y);
        run_text(forms[f], arguments, 3, NULL);
        for (int i = 0; i < 24 * 40; i++) {
            float sum = a[i] + b[i];
            assert_true(y[i] == (sum > 0 ? sum : 0.0f));
        }
    }
}

/* ---- scalars --------------------------------------------------------------------------------------- */

/* Runs scalar statements that end in %r of a type and gives the stored value. */
static void scalar(const char *type, const char *statements, void *result) {
    char body[2048];
    snprintf(body, sizeof body,
             "%s\n%%at = arith.constant 0 : index\npto.store_scalar %%r, %%o[%%at] : !pto.ptr<%s>, %s",
             statements, type, type);
    char args[64];
    snprintf(args, sizeof args, "%%o: !pto.ptr<%s>", type);
    char *text = program_of(args, body);
    const pto_argument argument = {.data = result, .bytes = 8};
    run_text(text, &argument, 1, NULL);
    free(text);
}

/* The operands come from memory, so that nothing is folded: %x and %y of type, from the buffer %p. */
static int64_t binary(const char *type, const char *op, int64_t x, int64_t y) {
    char body[1024], args[96];
    snprintf(args, sizeof args, "%%p: !pto.ptr<%s>, %%o: !pto.ptr<i64>", type);
    bool wide = !strcmp(type, "i64");
    snprintf(body, sizeof body,
             "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
             "%%x = pto.load_scalar %%p[%%c0] : !pto.ptr<%s> -> %s\n"
             "%%y = pto.load_scalar %%p[%%c1] : !pto.ptr<%s> -> %s\n"
             "%%v = %s %%x, %%y : %s\n%s%s%s"
             "pto.store_scalar %%%s, %%o[%%c0] : !pto.ptr<i64>, i64",
             type, type, type, type, op, type, wide ? "" : "%w = arith.extsi %v : ", wide ? "" : type,
             wide ? "" : " to i64\n", wide ? "v" : "w");
    char *text = program_of(args, body);
    int64_t out = 0x5555, wide_in[2] = {x, y};
    int32_t narrow_in[2] = {(int32_t)x, (int32_t)y};
    const pto_argument arguments[2] = {{.data = wide ? (void *)wide_in : (void *)narrow_in, .bytes = 16},
                                       {.data = &out, .bytes = 8}};
    if (!wide)
        assert_string_equal(type, "i32");
    run_text(text, arguments, 2, NULL);
    free(text);
    return out;
}

static void integers_wrap_and_divide(void **state) {
    (void)state;
    static const struct {
        const char *type, *op;
        int64_t x, y, want;
    } rows[] = {
        {"i32", "arith.addi", INT32_MAX, 1, INT32_MIN},
        {"i32", "arith.muli", 65536, 65536, 0},
        {"i32", "arith.subi", INT32_MIN, 1, INT32_MAX},
        {"i64", "arith.addi", INT64_MAX, 1, INT64_MIN},
        {"i32", "arith.divsi", -7, 2, -3},
        {"i32", "arith.remsi", -7, 2, -1},
        {"i32", "arith.floordivsi", -7, 2, -4},
        {"i32", "arith.ceildivsi", -7, 2, -3},
        {"i32", "arith.ceildivsi", 7, 2, 4},
        {"i32", "arith.divsi", INT32_MIN, -1, INT32_MIN},
        {"i64", "arith.divsi", INT64_MIN, -1, INT64_MIN},
        {"i32", "arith.divui", -2, 2, INT32_MAX},
        {"i32", "arith.remui", -1, 10, 4294967295 % 10},
        {"i32", "arith.ceildivui", 7, 2, 4},
        {"i32", "arith.shli", 1, 31, INT32_MIN},
        {"i32", "arith.shrsi", -8, 1, -4},
        {"i32", "arith.shrui", -8, 1, 0x7ffffffc},
        {"i32", "arith.minsi", -1, 1, -1},
        {"i32", "arith.minui", -1, 1, 1},
        {"i32", "arith.maxsi", -1, 1, 1},
        {"i32", "arith.maxui", -1, 1, -1},
        {"i32", "arith.andi", 12, 10, 8},
        {"i32", "arith.ori", 12, 10, 14},
        {"i32", "arith.xori", 12, 10, 6},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (binary(rows[i].type, rows[i].op, rows[i].x, rows[i].y) != rows[i].want)
            fail_msg("row %zu: %s", i, rows[i].op);
}

/* ---- extended operations ----------------------------------------------------------------------------- */

/* Pairs from %p become six words in %o: sum, carry, the halves of both products, all zero-extended. */
static char *extended_program(const char *type) {
    bool index = !strcmp(type, "index"), whole = !strcmp(type, "i64");
    static const char *const word[] = {"s", "c", "l", "h", "ul", "uh"};
    char body[4096];
    size_t len = (size_t)snprintf(
        body, sizeof body,
        "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%c2 = arith.constant 2 : index\n"
        "%%c6 = arith.constant 6 : index\nscf.for %%i = %%c0 to %%n step %%c1 {\n"
        "%%i0 = arith.muli %%i, %%c2 : index\n%%i1 = arith.addi %%i0, %%c1 : index\n"
        "%%o0 = arith.muli %%i, %%c6 : index\n"
        "%%a = pto.load_scalar %%p[%%i0] : !pto.ptr<i64> -> i64\n"
        "%%b = pto.load_scalar %%p[%%i1] : !pto.ptr<i64> -> i64\n");
    for (int k = 0; k < 2; k++)
        len += (size_t)snprintf(body + len, sizeof body - len, "%%%c = arith.%s %%%c : i64 to %s\n", "xy"[k],
                                index   ? "index_cast"
                                : whole ? "bitcast"
                                        : "trunci",
                                "ab"[k], type);
    len += (size_t)snprintf(body + len, sizeof body - len,
                            "%%s, %%c = arith.addui_extended %%x, %%y : %s, i1\n"
                            "%%l, %%h = arith.mulsi_extended %%x, %%y : %s\n"
                            "%%ul, %%uh = arith.mului_extended %%x, %%y : %s\n",
                            type, type, type);
    for (int k = 0; k < 6; k++)
        len += (size_t)snprintf(body + len, sizeof body - len,
                                "%%w%d = arith.%s %%%s : %s to i64\n%%k%d = arith.constant %d : index\n"
                                "%%at%d = arith.addi %%o0, %%k%d : index\n"
                                "pto.store_scalar %%w%d, %%o[%%at%d] : !pto.ptr<i64>, i64\n",
                                k,
                                k == 1  ? "extui"
                                : index ? "index_castui"
                                : whole ? "bitcast"
                                        : "extui",
                                word[k], k == 1 ? "i1" : type, k, k, k, k, k, k);
    snprintf(body + len, sizeof body - len, "}");
    return program_of("%p: !pto.ptr<i64>, %o: !pto.ptr<i64>, %n: index", body);
}

__extension__ typedef __int128 int128;

static uint64_t cut(uint64_t bits, unsigned width) {
    return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static void extended_operations_give_both_words(void **state) {
    (void)state;
    enum { PAIRS = 400 };
    static const struct {
        const char *type;
        unsigned width;
    } types[] = {{"i1", 1},   {"i8", 8},   {"i13", 13}, {"i16", 16},  {"i32", 32},
                 {"i33", 33}, {"i48", 48}, {"i64", 64}, {"index", 64}};
    static const uint64_t corners[] = {0,         1,          UINT64_MAX,        UINT64_C(1) << 63,
                                       INT64_MAX, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 31,
                                       0x80,      0x7f};
    static uint64_t in[2 * PAIRS], out[6 * PAIRS];
    uint64_t seed = 88172645463325252u;
    for (int i = 0; i < 2 * PAIRS; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; /* xorshift */
        in[i] = i < 200 ? corners[i % 2 ? i / 2 % 10 : i / 20] : seed >> (i % 5 * 13);
    }
    for (size_t t = 0; t < COUNT(types); t++) {
        unsigned width = types[t].width;
        char *text = extended_program(types[t].type);
        const pto_argument arguments[] = {
            {.data = in, .bytes = sizeof in}, {.data = out, .bytes = sizeof out}, {.i = PAIRS}};
        run_text(text, arguments, 3, NULL);
        free(text);
        for (int i = 0; i < PAIRS; i++) {
            uint64_t a = cut(in[2 * i], width), b = cut(in[2 * i + 1], width);
            int128 x = a, y = b;
            const int128 sum = x + y, product = (int128)((unsigned __int128)a * b);
            x -= a >> (width - 1) & 1 ? (int128)1 << width : 0;
            y -= b >> (width - 1) & 1 ? (int128)1 << width : 0;
            const int128 signed_product = x * y;
            const uint64_t want[6] = {cut((uint64_t)sum, width),
                                      (uint64_t)(sum >> width),
                                      cut((uint64_t)signed_product, width),
                                      cut((uint64_t)(signed_product >> width), width),
                                      cut((uint64_t)product, width),
                                      cut((uint64_t)((unsigned __int128)product >> width), width)};
            for (int k = 0; k < 6; k++)
                if (out[6 * i + k] != want[k])
                    fail_msg("%s, pair %d, word %d: %llx, not %llx", types[t].type, i, k,
                             (unsigned long long)out[6 * i + k], (unsigned long long)want[k]);
        }
    }
}

/* A symbol times a constant runs, in whatever spelling; anything else is refused. */
static void affine_maps(void **state) {
    (void)state;
    static const struct {
        const char *map;
        int64_t factor; /* 0: refused */
    } rows[] = {{"()[s0] -> (s0 * 16)", 16},
                {"()[s0]->(s0*-3)", -3},
                {"()[s0] -> (7 * s0)", 7},
                {"()[s0] -> (s0)", 1},
                {"()[x_1] -> (x_1 * 2)", 2},
                {" ( ) [ s ] -> ( s * 4 ) ", 4},
                {"()[s0] -> (s0 + 16)", 0},
                {"(d0)[] -> (d0 * 16)", 0},
                {"()[s0, s1] -> (s0 * s1)", 0},
                {"()[s0] -> (s0 * 16 + 1)", 0},
                {"()[s0] -> (s1 * 16)", 0},
                {"()[s0] -> (16)", 0},
                {"()[s0] -> (s0 * s0)", 0},
                {"()[s0] -> (s0 mod 4)", 0},
                {"()[s0] -> (s0 * 99999999999999999999)", 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "%%c0 = arith.constant 0 : index\n%%v = affine.apply affine_map<%s>()[%%n]\n"
                 "%%r = arith.index_cast %%v : index to i64\n"
                 "pto.store_scalar %%r, %%o[%%c0] : !pto.ptr<i64>, i64",
                 rows[i].map);
        char *text = program_of("%o: !pto.ptr<i64>, %n: index", body);
        int64_t out = 0;
        const pto_argument arguments[] = {{.data = &out, .bytes = 8}, {.i = 11}};
        if (rows[i].factor) {
            run_text(text, arguments, 2, NULL);
            assert_int_equal(out, 11 * rows[i].factor);
        } else {
            run_fails(text, arguments, 2, NULL, "PTO-E0912", 4);
        }
        free(text);
    }
    /* constants fold: a view may have such an extent */
    char *text =
        program_of("%o: !pto.ptr<i64>", "%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
                                        "%n = affine.apply affine_map<()[s0] -> (s0 * 16)>()[%c2]\n"
                                        "%v = pto.make_tensor_view %o, shape = [%n], strides = [%c1] : "
                                        "!pto.tensor_view<32xi64>");
    int64_t buffer[32] = {0};
    const pto_argument argument = {.data = buffer, .bytes = sizeof buffer};
    run_text(text, &argument, 1, NULL);
    free(text);
}

static void strides_of_views(void **state) {
    (void)state;
    static const char body[] =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
        "%v = pto.make_tensor_view %o, shape = [%c2, %c2], strides = [%n, %c1] : !pto.tensor_view<2x2xi64>\n"
        "%w = pto.partition_view %v, offsets = [%c0, %c1], sizes = [%c1, %c1] : !pto.tensor_view<2x2xi64> -> "
        "!pto.partition_tensor_view<1x1xi64>\n"
        "%s = pto.get_tensor_view_stride %v, %d : !pto.tensor_view<2x2xi64> -> index\n"
        "%r = arith.index_cast %s : index to i64\npto.store_scalar %r, %o[%c0] : !pto.ptr<i64>, i64";
    char *text = program_of("%o: !pto.ptr<i64>, %n: index, %d: index", body);
    int64_t out[32] = {0};
    pto_argument arguments[] = {{.data = out, .bytes = sizeof out}, {.i = 9}, {.i = 0}};
    run_text(text, arguments, 3, NULL);
    assert_int_equal(out[0], 9);
    arguments[2].i = 1;
    run_text(text, arguments, 3, NULL);
    assert_int_equal(out[0], 1);
    arguments[2].i = 2;
    run_fails(text, arguments, 3, NULL, "PTO-E0914", 8);
    arguments[2].i = -1;
    run_fails(text, arguments, 3, NULL, "PTO-E0914", 8);
    free(text);
}

static void floats_round_to_their_type(void **state) {
    (void)state;
    float f;
    scalar(
        "f32",
        "%a = arith.constant 16777216.0 : f32\n%b = arith.constant 1.0 : f32\n%r = arith.addf %a, %b : f32",
        &f);
    assert_true(f == 16777216.0f);
    uint16_t h;
    scalar("f16",
           "%a = arith.constant 2048.0 : f16\n%b = arith.constant 1.0 : f16\n%r = arith.addf %a, %b : f16",
           &h);
    assert_int_equal(h, 0x6800); /* 2048 in half: the sum is a tie that goes to even */
    scalar("f32",
           "%a = arith.constant 0x7FC00000 : f32\n%b = arith.constant 1.0 : f32\n"
           "%r = arith.maxnumf %a, %b : f32",
           &f);
    assert_true(f == 1.0f);
    scalar("f32",
           "%a = arith.constant 0x7FC00000 : f32\n%b = arith.constant 1.0 : f32\n"
           "%r = arith.maximumf %a, %b : f32",
           &f);
    assert_true(f != f);
    int32_t i;
    scalar("i32", "%a = arith.constant 3.0e10 : f32\n%r = arith.fptosi %a : f32 to i32", &i);
    assert_int_equal(i, INT32_MAX);
    scalar("i32", "%a = arith.constant -1.5 : f32\n%r = arith.bitcast %a : f32 to i32", &i);
    assert_int_equal((uint32_t)i, 0xbfc00000u);
}

/* ---- control flow ----------------------------------------------------------------------------------- */

static void loops_carry_values(void **state) {
    (void)state;
    int64_t v;
    /* a swap each turn: Fibonacci */
    scalar(
        "i64",
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c10 = arith.constant 10 : index\n"
        "%a = arith.constant 0 : i64\n%b = arith.constant 1 : i64\n"
        "%r, %s = scf.for %i = %c0 to %c10 step %c1 iter_args(%x = %a, %y = %b) -> (i64, i64) {\n"
        "%n = arith.addi %x, %y : i64\nscf.yield %y, %n : i64, i64\n}",
        &v);
    assert_int_equal(v, 55);
    scalar("i64",
           "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%a = arith.constant 7 : i64\n"
           "%r = scf.for %i = %c1 to %c0 step %c1 iter_args(%x = %a) -> (i64) {\n"
           "%n = arith.addi %x, %x : i64\nscf.yield %n : i64\n}",
           &v);
    assert_int_equal(v, 7);
    /* Collatz steps of 27 */
    scalar("i64",
           "%k0 = arith.constant 0 : i64\n%k1 = arith.constant 1 : i64\n%k2 = arith.constant 2 : i64\n"
           "%k3 = arith.constant 3 : i64\n%k27 = arith.constant 27 : i64\n"
           "%e, %r = scf.while (%x = %k27, %n = %k0) : (i64, i64) -> (i64, i64) {\n"
           "%go = arith.cmpi ne, %x, %k1 : i64\nscf.condition(%go) %x, %n : i64, i64\n} do {\n"
           "^bb0(%p: i64, %q: i64):\n%m = arith.remui %p, %k2 : i64\n%odd = arith.cmpi eq, %m, %k1 : i64\n"
           "%u = scf.if %odd -> (i64) {\n%t = arith.muli %p, %k3 : i64\n%t1 = arith.addi %t, %k1 : i64\n"
           "scf.yield %t1 : i64\n} else {\n%h = arith.divui %p, %k2 : i64\nscf.yield %h : i64\n}\n"
           "%w = arith.addi %q, %k1 : i64\nscf.yield %u, %w : i64, i64\n}",
           &v);
    assert_int_equal(v, 111);
}

static void calls_are_expanded(void **state) {
    (void)state;
    static const char text[] =
        "module {\nfunc.func private @twice(%x: i64) -> i64 {\n%d = arith.addi %x, %x : i64\n"
        "return %d : i64\n}\n"
        "func.func @main(%o: !pto.ptr<i64>, %v: i64) attributes {pto.entry} {\n"
        "%a = func.call @twice(%v) : (i64) -> i64\n"
        "%b = func.call @twice(%a) : (i64) -> i64\n%at = arith.constant 0 : index\n"
        "pto.store_scalar %b, %o[%at] : !pto.ptr<i64>, i64\nreturn\n}\n}\n";
    int64_t out = 0;
    const pto_argument arguments[2] = {{.data = &out, .bytes = 8}, {.i = 21}};
    run_text(text, arguments, 2, NULL);
    assert_int_equal(out, 84);
}

/* ---- tiles through loops -------------------------------------------------------------------------- */

#define TILE "!pto.tile<vec, f32, 1, 8>"
#define BUF "!pto.tile_buf<vec, 1x8xf32>"
#define VIEWS                                                                                                \
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"       \
    "%c3 = arith.constant 3 : index\n"                                                                       \
    "%gi = pto.make_tensor_view %i, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>\n"  \
    "%go = pto.make_tensor_view %o, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>\n"  \
    "%pi = pto.partition_view %gi, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<1x8xf32> -> " \
    "!pto.partition_tensor_view<1x8xf32>\n"                                                                  \
    "%po = pto.partition_view %go, offsets = [%c0, %c0], sizes = [%c1, %c8] : !pto.tensor_view<1x8xf32> -> " \
    "!pto.partition_tensor_view<1x8xf32>\n"
#define PART "!pto.partition_tensor_view<1x8xf32>"

static void run_tile_body(const char *body, float (*expect)(float)) {
    float in[8] = {1, -2, 3, 4.5f, -5, 6, 7, 0.25f}, out[8];
    memset(out, 0xff, sizeof out);
    const pto_argument arguments[2] = {{.data = in, .bytes = sizeof in}, {.data = out, .bytes = sizeof out}};
    char *text = program_of("%i: !pto.ptr<f32>, %o: !pto.ptr<f32>", body);
    run_text(text, arguments, 2, NULL);
    free(text);
    for (int k = 0; k < 8; k++)
        if (out[k] != expect(in[k]))
            fail_msg("element %d: %g, not %g", k, (double)out[k], (double)expect(in[k]));
}

static float times_eight(float x) { return x * 8; }
static float times_three(float x) { return x * 3; }
static float plus_four(float x) { return x + 4; }

static void tile_values_are_carried(void **state) {
    (void)state;
    /* the carried value is doubled three times */
    run_tile_body(VIEWS "%t = pto.tload %pi : " PART " -> " TILE "\n"
                        "%r = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %t) -> (" TILE ") {\n"
                        "%d = pto.tadd %x, %x : (" TILE ", " TILE ") -> " TILE "\nscf.yield %d : " TILE
                        "\n}\n"
                        "pto.tstore %r, %po : (" TILE ", " PART ") -> ()",
                  times_eight);
    /* values are immutable: t is still the loaded one behind the loop */
    run_tile_body(VIEWS "%t = pto.tload %pi : " PART " -> " TILE "\n"
                        "%r = scf.for %k = %c0 to %c1 step %c1 iter_args(%x = %t) -> (" TILE ") {\n"
                        "%d = pto.tadd %x, %x : (" TILE ", " TILE ") -> " TILE "\nscf.yield %d : " TILE
                        "\n}\n"
                        "%s = pto.tadd %r, %t : (" TILE ", " TILE ") -> " TILE "\n"
                        "pto.tstore %s, %po : (" TILE ", " PART ") -> ()",
                  times_three);
    /* handles swap: ping-pong of two buffers */
    run_tile_body(VIEWS "%a = pto.alloc_tile : " BUF "\n%b = pto.alloc_tile : " BUF "\n"
                        "%one = arith.constant 1.0 : f32\n%c4 = arith.constant 4 : index\n"
                        "pto.tload ins(%pi : " PART ") outs(%a : " BUF ")\n"
                        "%r, %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b) -> (" BUF
                        ", " BUF ") {\npto.tadds ins(%x, %one : " BUF ", f32) outs(%y : " BUF ")\n"
                        "scf.yield %y, %x : " BUF ", " BUF "\n}\n"
                        "pto.tstore ins(%r : " BUF ") outs(%po : " PART ")",
                  plus_four);
}

/* A tile value that a callee takes over is still the caller's. */
static void tiles_pass_through_calls(void **state) {
    (void)state;
    static const char text[] =
        "module {\nfunc.func private @acc(%a: " TILE ", %b: " TILE ") -> " TILE " {\n"
        "%r = pto.tmuladddst %b, %b, %a : (" TILE ", " TILE ", " TILE ") -> " TILE "\nreturn %r : " TILE
        "\n}\n"
        "func.func @main(%i: !pto.ptr<f32>, %o: !pto.ptr<f32>) attributes {pto.entry} {\n" VIEWS
        "%t = pto.tload %pi : " PART " -> " TILE "\n"
        "%u = func.call @acc(%t, %t) : (" TILE ", " TILE ") -> " TILE "\n"
        "%s = pto.tadd %u, %t : (" TILE ", " TILE ") -> " TILE "\n"
        "pto.tstore %s, %po : (" TILE ", " PART ") -> ()\nreturn\n}\n}\n";
    float in[8] = {1, -2, 3, 4.5f, -5, 6, 7, 0.25f}, out[8];
    const pto_argument arguments[2] = {{.data = in, .bytes = sizeof in}, {.data = out, .bytes = sizeof out}};
    run_text(text, arguments, 2, NULL);
    for (int k = 0; k < 8; k++)
        assert_true(out[k] == in[k] * in[k] + in[k] + in[k]);
}

/* PTO-AS: tile arguments are copied in and out; a manual address holds the argument from the start. */
static void tile_arguments_are_copied(void **state) {
    (void)state;
    static const char *const texts[] = {
        ".arg %a : " TILE "\n.arg %b : " TILE "\n.arg %d : " TILE "\n%d = tmuladddst %a, %b : " TILE "\n",
        ".arg %a : " TILE "\n.arg %b : " TILE "\n.arg %d : " TILE "\ntassign %a, @tile(0x1000)\n"
        "%d = tmuladddst %a, %b : " TILE "\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {2, 2, 2, 2, 3, 3, 3, 3};
        float d[8] = {10, 10, 10, 10, 10, 10, 10, 10};
        const pto_argument arguments[3] = {{.data = a, .bytes = sizeof a, .read_only = true},
                                           {.data = b, .bytes = sizeof b, .read_only = true},
                                           {.data = d, .bytes = sizeof d}};
        run_text(texts[i], arguments, 3, NULL);
        for (int k = 0; k < 8; k++)
            assert_true(d[k] == 10 + (float)(k + 1) * (k < 4 ? 2.0f : 3.0f));
    }
}

/* Scratch that the text leaves out is made where the target needs it (60, 2). */
static void scratch_is_made(void **state) {
    (void)state;
    static const char text[] = ".arg %x : !pto.memref<8x16xf32>\n.arg %y : !pto.memref<8x1xf32>\n"
                               ".const %z = 0 : index\n"
                               "%t = tload %x[%z, %z] : (!pto.memref<8x16xf32>, index, index) -> "
                               "!pto.tile<vec, f32, 8, 16>\n"
                               "%s = trowsum %t : !pto.tile<vec, f32, 8, 16> -> "
                               "!pto.tile<loc=vec, f32, 8, 1, ColMajor, NoneBox, None, Null>\n"
                               "tstore %s, %y[%z, %z]\n";
    static float x[128], y[8];
    for (int i = 0; i < 128; i++)
        x[i] = (float)(i % 7);
    const pto_argument arguments[2] = {{.data = x, .bytes = sizeof x}, {.data = y, .bytes = sizeof y}};
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_run_options options = {.target = (pto_target)t, .has_target = true};
        memset(y, 0, sizeof y);
        run_text(text, arguments, 2, &options);
        for (int r = 0; r < 8; r++) {
            float sum = 0;
            for (int c = 0; c < 16; c++)
                sum += x[r * 16 + c];
            assert_true(y[r] == sum);
        }
    }
}

/* Level 1: an accumulator carried through a loop keeps its storage, on every target. */
static void accumulators_are_carried(void **state) {
    (void)state;
#define MAT "!pto.tile<mat, f32, 16, 16, col_major, row_major>"
#define LEFT "!pto.tile<left, f32, 16, 16, col_major, row_major>"
#define RIGHT "!pto.tile<right, f32, 16, 16, row_major, col_major>"
#define ACC "!pto.tile<acc, f32, 16, 16, col_major, row_major, 1024>"
#define PV "!pto.partition_tensor_view<16x16xf32>"
    static const char body[] =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        "%c16 = arith.constant 16 : index\n"
        "%ga = pto.make_tensor_view %a, shape = [%c16, %c16], strides = [%c16, %c1] : "
        "!pto.tensor_view<16x16xf32>\n"
        "%gb = pto.make_tensor_view %b, shape = [%c16, %c16], strides = [%c16, %c1] : "
        "!pto.tensor_view<16x16xf32>\n"
        "%gc = pto.make_tensor_view %c, shape = [%c16, %c16], strides = [%c16, %c1] : "
        "!pto.tensor_view<16x16xf32>\n"
        "%pa = pto.partition_view %ga, offsets = [%c0, %c0], sizes = [%c16, %c16] : "
        "!pto.tensor_view<16x16xf32> -> " PV "\n%pb = pto.partition_view %gb, offsets = [%c0, %c0], sizes = "
        "[%c16, %c16] : !pto.tensor_view<16x16xf32> "
        "-> " PV "\n%pc = pto.partition_view %gc, offsets = [%c0, %c0], sizes = [%c16, %c16] : "
        "!pto.tensor_view<16x16xf32> -> " PV "\n"
        "%ma = pto.tload %pa : " PV " -> " MAT "\n%mb = pto.tload %pb : " PV " -> " MAT "\n"
        "%la = pto.tmov %ma : " MAT " -> " LEFT "\n%rb = pto.tmov %mb : " MAT " -> " RIGHT "\n"
        "%first = pto.tmatmul %la, %rb : (" LEFT ", " RIGHT ") -> " ACC "\n"
        "%sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%x = %first) -> (" ACC ") {\n"
        "%next = pto.tmatmul.acc %x, %la, %rb : (" ACC ", " LEFT ", " RIGHT ") -> " ACC "\n"
        "scf.yield %next : " ACC "\n}\n"
        "pto.tstore %sum, %pc : (" ACC ", " PV ") -> ()";
    char *text = program_of("%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %c: !pto.ptr<f32>", body);
    static float a[256], b[256], c[256];
    for (int i = 0; i < 256; i++) {
        a[i] = (float)(i * 5 % 7 - 3);
        b[i] = (float)(i * 3 % 11 - 5);
    }
    const pto_argument arguments[3] = {
        {.data = a, .bytes = sizeof a}, {.data = b, .bytes = sizeof b}, {.data = c, .bytes = sizeof c}};
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        pto_parse_options parse = {.target = (pto_target)t, .has_target = true};
        pto_run_options options = {.target = (pto_target)t, .has_target = true};
        pto_diag_list *diags = pto_diag_list_create();
        pto_program *program = pto_program_parse("matmul.pto", text, strlen(text), &parse, diags);
        memset(c, 0, sizeof c);
        pto_status status = pto_program_run(program, arguments, 3, &options, diags);
        if (status != PTO_OK)
            fail_msg("%s\n%s", pto_target_name((pto_target)t), diag_text(diags));
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 16; j++) {
                float dot = 0;
                for (int k = 0; k < 16; k++)
                    dot += a[i * 16 + k] * b[k * 16 + j];
                assert_true(c[i * 16 + j] == 4 * dot);
            }
        pto_program_destroy(program);
        pto_diag_list_destroy(diags);
    }
    free(text);
}

static void dynamic_extents_follow(void **state) {
    (void)state;
    float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0};
    static const char body[] =
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c8 = arith.constant 8 : index\n"
        "%t = pto.alloc_tile valid_row = %c1 valid_col = %n : !pto.tile_buf<vec, 1x8xf32, valid=?x?>\n"
        "%gi = pto.make_tensor_view %i, shape = [%c1, %n], strides = [%c8, %c1] : !pto.tensor_view<1x?xf32>\n"
        "%go = pto.make_tensor_view %o, shape = [%c1, %n], strides = [%c8, %c1] : !pto.tensor_view<1x?xf32>\n"
        "%pi = pto.partition_view %gi, offsets = [%c0, %c0], sizes = [%c1, %n] : !pto.tensor_view<1x?xf32> "
        "-> "
        "!pto.partition_tensor_view<1x?xf32>\n"
        "%po = pto.partition_view %go, offsets = [%c0, %c0], sizes = [%c1, %n] : !pto.tensor_view<1x?xf32> "
        "-> "
        "!pto.partition_tensor_view<1x?xf32>\n"
        "pto.tload ins(%pi : !pto.partition_tensor_view<1x?xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32, "
        "valid=?x?>)\n"
        "pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32, valid=?x?>) outs(%po : "
        "!pto.partition_tensor_view<1x?xf32>)";
    char *text = program_of("%i: !pto.ptr<f32>, %o: !pto.ptr<f32>, %n: index", body);
    pto_argument arguments[3] = {
        {.data = in, .bytes = sizeof in}, {.data = out, .bytes = sizeof out}, {.i = 5}};
    run_text(text, arguments, 3, NULL);
    for (int k = 0; k < 8; k++)
        assert_true(out[k] == (k < 5 ? in[k] : 0.0f));
    arguments[2].i = 9; /* beyond the capacity */
    run_fails(text, arguments, 3, NULL, "PTO-E0310", 6);
    free(text);
}

/* ---- faults ----------------------------------------------------------------------------------------- */

static void faults_are_named(void **state) {
    (void)state;
    int64_t buffer[4] = {0, 1, 70, 3};
    const pto_argument argument = {.data = buffer, .bytes = sizeof buffer};
    static const struct {
        const char *body, *rule;
        unsigned line;
    } rows[] = {
        {"%c0 = arith.constant 0 : index\n%x = pto.load_scalar %p[%c0] : !pto.ptr<i64> -> i64\n"
         "%d = arith.divsi %x, %x : i64",
         "PTO-E0903", 5},
        {"%c2 = arith.constant 2 : index\n%x = pto.load_scalar %p[%c2] : !pto.ptr<i64> -> i64\n"
         "%d = arith.shli %x, %x : i64",
         "PTO-E0904", 5},
        {"%c4 = arith.constant 4 : index\n%x = pto.load_scalar %p[%c4] : !pto.ptr<i64> -> i64", "PTO-E0913",
         4},
        {"%m = arith.constant -1 : index\n%q = pto.addptr %p, %m : !pto.ptr<i64> -> !pto.ptr<i64>\n"
         "%c0 = arith.constant 0 : index\n%x = pto.load_scalar %q[%c0] : !pto.ptr<i64> -> i64",
         "PTO-E0913", 6},
        {"pto.trap", "PTO-E0908", 3},
        {"%c0 = arith.constant 0 : index\n%x = pto.load_scalar %p[%c0] : !pto.ptr<i64> -> i64\n"
         "%s = arith.index_cast %x : i64 to index\nscf.for %i = %c0 to %c0 step %s {\n}",
         "PTO-E0905", 6},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = program_of("%p: !pto.ptr<i64>", rows[i].body);
        run_fails(text, &argument, 1, NULL, rows[i].rule, rows[i].line);
        free(text);
    }
}

static void bounds_are_kept(void **state) {
    (void)state;
    float in[8] = {0}, out[7] = {1, 1, 1, 1, 1, 1, 1};
    const pto_argument arguments[2] = {{.data = in, .bytes = sizeof in}, {.data = out, .bytes = sizeof out}};
    char *text = program_of("%i: !pto.ptr<f32>, %o: !pto.ptr<f32>",
                            VIEWS "%a = pto.alloc_tile : " BUF "\npto.tload ins(%pi : " PART
                                  ") outs(%a : " BUF ")\npto.tstore ins(%a : " BUF ") outs(%po : " PART ")");
    run_fails(text, arguments, 2, NULL, "PTO-E0901", 13);
    for (int k = 0; k < 7; k++)
        assert_true(out[k] == 1.0f); /* nothing was touched */
    run_fails(text, arguments, 1, NULL, "PTO-E0907", 0);
    free(text);
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static const char block_body[] =
    "%b = pto.get_block_idx\n%n = pto.get_block_num\n%at = arith.index_cast %b : i64 to index\n"
    "%k = arith.constant 1000 : i64\n%m = arith.muli %n, %k : i64\n%v = arith.addi %m, %b : i64\n"
    "pto.store_scalar %v, %o[%at] : !pto.ptr<i64>, i64\npto.print ins(\"block %d\", %b : i64)";

typedef struct printed {
    char text[1 << 14];
    size_t len;
    uint32_t last_done;
} printed;

static void take_text(void *user, const char *text, size_t len) {
    printed *p = user;
    assert_true(p->len + len < sizeof p->text);
    memcpy(p->text + p->len, text, len);
    p->len += len;
}

static void take_progress(void *user, const pto_run_progress *progress) {
    printed *p = user;
    assert_int_equal(progress->blocks_done, p->last_done + 1);
    assert_int_equal(progress->blocks, 64);
    p->last_done = progress->blocks_done;
}

static void blocks_print_in_order(void **state) {
    (void)state;
    char *text = program_of("%o: !pto.ptr<i64>", block_body);
    char want[1 << 12];
    size_t len = 0;
    for (int b = 0; b < 64; b++)
        len += (size_t)snprintf(want + len, sizeof want - len, "block %d\n", b);
    for (uint32_t threads = 1; threads <= 8; threads++) {
        int64_t out[64] = {0};
        printed p = {.len = 0};
        const pto_argument argument = {.data = out, .bytes = sizeof out};
        pto_run_options options = {.blocks = 64,
                                   .threads = threads,
                                   .print = take_text,
                                   .print_user = &p,
                                   .progress = take_progress,
                                   .progress_user = &p};
        run_text(text, &argument, 1, &options);
        for (int b = 0; b < 64; b++)
            assert_int_equal(out[b], 64000 + b);
        assert_int_equal(p.len, len);
        assert_memory_equal(p.text, want, len);
        assert_int_equal(p.last_done, 64);
    }
    free(text);
}

static void first_error_in_block_order(void **state) {
    (void)state;
    char *text = program_of("%o: !pto.ptr<i64>", block_body);
    int64_t out[37];
    const pto_argument argument = {.data = out, .bytes = sizeof out};
    for (uint32_t threads = 1; threads <= 8; threads++) {
        pto_run_options options = {.blocks = 64, .threads = threads};
        pto_program *program = parse_program(text);
        pto_diag_list *diags = pto_diag_list_create();
        assert_int_equal(pto_program_run(program, &argument, 1, &options, diags), PTO_ERR_REFUSED);
        const pto_diagnostic *d = pto_diag_first(diags);
        assert_string_equal(d->rule, "PTO-E0913");
        assert_non_null(strstr(d->found, "element 37 "));
        assert_int_equal(pto_diag_count(diags, PTO_ERROR), 1);
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
    }
    free(text);
}

static void cancelling_ends_a_loop(void **state) {
    (void)state;
    static const char body[] = "%t = arith.constant true\nscf.while : () -> () {\nscf.condition(%t)\n} do {\n"
                               "scf.yield\n}";
    char *text = program_of("", body);
    static volatile int cancel = 1;
    pto_run_options options = {.cancel = &cancel};
    pto_program *program = parse_program(text);
    assert_int_equal(pto_program_run(program, NULL, 0, &options, NULL), PTO_ERR_CANCELLED);
    pto_program_destroy(program);
    free(text);
}

/* On-chip memory is zero at the start of every block. */
static void blocks_start_with_zeroed_memory(void **state) {
    (void)state;
    static const char body[] =
        "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\n%c0 = arith.constant 0 : index\n"
        "%v = pto.tgetval ins(%t, %c0 : !pto.tile_buf<vec, 1x8xi32>, index) outs : i32\n"
        "%one = arith.constant 1 : i32\n%w = arith.addi %v, %one : i32\n"
        "pto.tsetval ins(%c0, %w : index, i32) outs(%t : !pto.tile_buf<vec, 1x8xi32>)\n"
        "%b = pto.get_block_idx\n%at = arith.index_cast %b : i64 to index\n"
        "pto.store_scalar %w, %o[%at] : !pto.ptr<i32>, i32";
    char *text = program_of("%o: !pto.ptr<i32>", body);
    int32_t out[16];
    memset(out, 0xff, sizeof out);
    const pto_argument argument = {.data = out, .bytes = sizeof out};
    pto_run_options options = {.blocks = 16, .threads = 3};
    run_text(text, &argument, 1, &options);
    for (int b = 0; b < 16; b++)
        assert_int_equal(out[b], 1);
    free(text);
}

/* ---- parameters ---------------------------------------------------------------------------------------- */

static void parameters_are_described(void **state) {
    (void)state;
    pto_program *program = parse_program(level2);
    const pto_param *params;
    size_t count;
    assert_int_equal(pto_program_entry_params(program, NULL, &params, &count, NULL), PTO_OK);
    assert_int_equal(count, 3);
    assert_string_equal(params[0].name, "a");
    assert_int_equal(params[0].kind, PTO_PARAM_POINTER);
    assert_int_equal(params[0].dtype, PTO_F32);
    assert_true(params[0].read && !params[0].written);
    assert_true(!params[2].read && params[2].written);
    assert_int_equal(params[2].rank, 2);
    assert_int_equal(params[2].shape[0], 24);
    assert_int_equal(params[2].shape[1], 40);
    assert_int_equal(pto_program_entry_params(program, "nothing", &params, &count, NULL), PTO_ERR_REFUSED);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_gives_the_same),
        cmocka_unit_test(integers_wrap_and_divide),
        cmocka_unit_test(extended_operations_give_both_words),
        cmocka_unit_test(affine_maps),
        cmocka_unit_test(strides_of_views),
        cmocka_unit_test(floats_round_to_their_type),
        cmocka_unit_test(loops_carry_values),
        cmocka_unit_test(calls_are_expanded),
        cmocka_unit_test(tile_values_are_carried),
        cmocka_unit_test(tiles_pass_through_calls),
        cmocka_unit_test(tile_arguments_are_copied),
        cmocka_unit_test(scratch_is_made),
        cmocka_unit_test(accumulators_are_carried),
        cmocka_unit_test(dynamic_extents_follow),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(blocks_print_in_order),
        cmocka_unit_test(first_error_in_block_order),
        cmocka_unit_test(cancelling_ends_a_loop),
        cmocka_unit_test(blocks_start_with_zeroed_memory),
        cmocka_unit_test(parameters_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
