/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong in a text is found by its rule and at its place, once, and reading goes on behind it. */
#include "text_test.h"

/* Between the marks « and » the error is expected; the marks are taken out of the text. */
static void expect(const char *rule, const char *marked) {
    char source[2048];
    size_t len = 0, begin = 0, end = 0;
    for (const char *at = marked; *at;) {
        if (!strncmp(at, "«", 2) || !strncmp(at, "»", 2)) {
            if (!strncmp(at, "«", 2))
                begin = len;
            else
                end = len;
            at += 2;
        } else {
            source[len++] = *at++;
        }
    }
    source[len] = '\0';
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", source, len, NULL, diags);
    assert_non_null(program);
    const pto_diagnostic *first = pto_diag_first(diags);
    while (first && first->severity != PTO_ERROR)
        first = first->next;
    if (!first || !first->rule || strcmp(first->rule, rule) || first->where.begin != begin ||
        first->where.end != end || pto_diag_count(diags, PTO_ERROR) != 1) {
        fprintf(stderr, "%s at %zu-%zu expected in:\n%s\n", rule, begin, end, source);
        if (first)
            fprintf(stderr, "found at %zu-%zu\n", first->where.begin, first->where.end);
        text_show(diags);
        fail();
    }
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

#define T "!pto.tile_buf<vec, 16x32xf32>"
#define BODY(lines) "func.func @f(%a: " T ", %s: f32) {\n" lines "\n  return\n}\n"

static void names(void **state) {
    (void)state;
    expect("PTO-E0210", BODY("pto.trelu ins(«%b» : " T ") outs(%a : " T ")"));
    /* one message for one name */
    expect("PTO-E0210", BODY("pto.tadd ins(«%b», %b : " T ", " T ") outs(%b : " T ")"));
    expect("PTO-E0211", BODY("«%s» = arith.constant 1 : i32"));
    expect("PTO-E0210", BODY("%c = arith.constant true\nscf.if %c {\n%x = arith.constant 1 : i32\n}\n"
                             "%y = arith.addi «%x», %x : i32"));
    expect("PTO-E0210", "func.func @f() {\n%x = arith.constant 1 : i32\nreturn\n}\nfunc.func @g() {\n"
                        "%y = arith.addi «%x», %x : i32\nreturn\n}\n");
    expect("PTO-E0213", BODY("«%x, %y» = arith.constant 1 : i32"));
    expect("PTO-E0215", "func.func @f() {\nreturn\n}\nfunc.func «@f»() {\nreturn\n}\n");
    expect("PTO-E0215", "!A = i32\n«!A» = i64\n" BODY(""));
    expect("PTO-E0214", BODY("%x = arith.constant 1 : «!B»"));
    expect("PTO-E0214", "func.func @f() {\n\"a.b\"()[«^no»] : () -> ()\n}\n");
    /* what a failed statement defines is not missed later */
    expect("PTO-E0201", BODY("%x = arith.constant «:» i32\n%y = arith.addi %x, %x : i32"));
}

static void types(void **state) {
    (void)state;
    expect("PTO-E0212", BODY("pto.trelu ins(%a : «!pto.tile_buf<vec, 16x32xf16>») outs(%a : " T ")"));
    expect("PTO-E0230", "func.func @f(%a: «!pto.tilebuf»<vec, 1x8xf32>) {\nreturn\n}\n");
    expect("PTO-E0230", "func.func @f(%a: !pto.tile_buf<left, 16x64x«hif4»>) {\nreturn\n}\n");
    expect("PTO-E0230", "func.func @f(%a: «q32») {\n%x = arith.addi %b, %b : i32\nreturn\n}\n");
    expect("PTO-E0231", "!T = !pto.tile_buf<«vek», 16x32xf32>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, «16x32x2x»f32>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, «?x32x»f32>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, 16x32xf32, fractal=«7»>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, 16x32xf32, pad=«4»>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, 16x32xf32, pad=1, «pad»=1>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, 16x32xf32, «blayuot»=row_major>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<vec, 16x32xf32, blayout=«diagonal»>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=32, v_row=«-2», v_col=32, "
                        "blayout=row_major, slayout=none_box, fractal=512, pad=0>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<loc=vec, dtype=f32, «cols»=16, rows=32, v_row=2, v_col=32, "
                        "blayout=row_major, slayout=none_box, fractal=512, pad=0>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=32«>»\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tensor_view<1x1x1x1x1x«1x»f32>\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.tensor_view<4x«!pto.ptr<f32>»>\n" BODY(""));
    expect("PTO-E0232", "!T = !pto.tensor_view<«99999999999999999999»xf32>\n" BODY(""));
    expect("PTO-E0232", "!T = «i99999999»\n" BODY(""));
    expect("PTO-E0231", "!T = !pto.ptr<f32, «hbm»>\n" BODY(""));
}

static void values(void **state) {
    (void)state;
    expect("PTO-E0232", BODY("%x = arith.constant «300» : i8"));
    expect("PTO-E0232", BODY("%x = arith.constant «-129» : si8"));
    expect("PTO-E0232", BODY("%x = arith.constant «-1» : ui8"));
    expect("PTO-E0232", BODY("%x = arith.constant «123456789012345678901234567890» : i64"));
    expect("PTO-E0232", BODY("%x = arith.constant «0x1FFFFFFFF» : f32"));
    expect("PTO-E0233", BODY("%x = arith.constant «1.5» : i32"));
    expect("PTO-E0233", BODY("%x = arith.cmpi «less», %s, %s : i32"));
    expect("PTO-E0233", BODY("pto.barrier <«PIPE_X»>"));
    expect("PTO-E0233", BODY("pto.set_flag[<PIPE_V>, «#pto.event<EVENT_ID0>», <EVENT_ID0>]"));
    expect("PTO-E0233", BODY("pto.tcvt ins(%a {rmode = #pto<round_mode «UP»>} : " T ") outs(%a : " T ")"));
    expect("PTO-E0233", BODY("pto.tcvt ins(%a {rmode = «#pto<cmp eq>»} : " T ") outs(%a : " T ")"));
    expect("PTO-E0234", BODY("pto.barrier <PIPE_V> {a, «a» = 1}"));
}

static void operations(void **state) {
    (void)state;
    expect("PTO-E0220", BODY("«pto.trelo» ins(%a : " T ") outs(%a : " T ")"));
    expect("PTO-E0220", BODY("«arith.frob» %s : f32"));
    expect("PTO-E0220", BODY("«\"pto.frob\"»(%s) : (f32) -> ()"));
    expect("PTO-E0221", BODY("%v = «pto.vlds» %a : " T));
    expect("PTO-E0213", BODY("pto.tadd «ins(%a : " T ") outs(%a : " T ")»"));
    expect("PTO-E0213", BODY("pto.tadd ins«(%a, %a : " T ", " T ", " T ")» outs(%a : " T ")"));
    expect("PTO-E0213", BODY("%x = arith.addf «%s» : f32"));
    expect("PTO-E0213", BODY("«\"pto.tadd\"»(%a) : (" T ") -> ()"));
    expect("PTO-E0213", BODY("\"pto.tadd\"(%a) : «() -> ()»"));
    expect("PTO-E0213",
           BODY("%t = «\"pto.alloc_tile\"»(%s) <{operandSegmentSizes = array<i32: 0, 0, 0>}> : (f32) -> " T));
    expect("PTO-E0233", BODY("«\"pto.barrier\"»() : () -> ()"));
    expect("PTO-E0201", "func.func @f(%a: f32) {\n  pto.tadd ins(%a«» \n  return\n}\n");
    expect("PTO-E0201", "func.func @f(%a: f32) {\n  return\n}\n«}»\n");
    expect("PTO-E0202", BODY("pto.print ins(«\"x, %s : f32)»"));
    expect("PTO-E0202", BODY("%x = arith.constant «`» : i32"));
    expect("PTO-E0205", "func.func @f(%a: f32) «{»\n  return\n");
}

static void all_errors_of_a_file_in_one_run(void **state) {
    (void)state;
    const char *source = "module {\n"
                         "  func.func @f(%a: i32) {\n"
                         "    %x = arith.constant : i32\n"
                         "    %y = arith.addi %x, %nope : i32\n"
                         "    foo.bar {\n"
                         "      %inner = arith.constant 1 : i32\n"
                         "    }\n"
                         "    pto.barrier <PIPE_Q>\n"
                         "    return\n"
                         "  }\n"
                         "  func.func @g(%a: i33x) {\n"
                         "    pto.barier <PIPE_V>\n"
                         "    return\n"
                         "  }\n"
                         "}\n";
    const char *const rules[] = {"PTO-E0201", "PTO-E0210", "PTO-E0220",
                                 "PTO-E0233", "PTO-E0230", "PTO-E0220"};
    const uint32_t lines[] = {3, 4, 5, 8, 11, 12};
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", source, strlen(source), NULL, diags);
    const pto_diagnostic *d = pto_diag_first(diags);
    for (size_t i = 0; i < 6; i++, d = d->next) {
        if (!d || strcmp(d->rule, rules[i]) || d->line != lines[i])
            text_show(diags);
        assert_non_null(d);
        assert_string_equal(d->rule, rules[i]);
        assert_int_equal(d->line, lines[i]);
    }
    assert_null(d);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
}

static bool has_rule(const char *source, size_t len, const pto_parse_options *options, const char *rule) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = pto_program_parse("test.pto", source, len, options, diags);
    bool has = pto_diag_has(diags, rule);
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    return has;
}

/* Whatever nests, ends at the limit and not with the stack. */
static void nesting_is_bounded(void **state) {
    (void)state;
    static const char *const parts[][3] = {
        {"func.func @f() {\n%c = arith.constant true\n", "scf.if %c {\n", ""},
        {"!T = ", "(", ""},
        {"!T = ", "!pto.ptr<", ""},
        {"#a = ", "[", ""},
        {"#a = ", "{x = ", ""},
        {"", "module {\n", ""},
        {"", "\"builtin.module\"() ({\n", ""},
        {"#a = ", "#pto.x<", ""},
        {"!T = ", "!pto.vreg<", ""},
        {"", ".arg %x : !pto.tile<(", ""},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        text_buffer t = {0};
        text_write(&t, parts[i][0], strlen(parts[i][0]));
        for (int k = 0; k < 10000; k++)
            text_write(&t, parts[i][1], strlen(parts[i][1]));
        pto_diag_list *diags = pto_diag_list_create();
        pto_parse_options deep = {.depth_limit = UINT32_MAX};
        for (int k = 0; k < 2; k++) {
            pto_program *program = pto_program_parse("deep", t.data, t.len, k ? &deep : NULL, diags);
            assert_true(pto_diag_count(diags, PTO_ERROR) > 0);
            pto_diag_list_clear(diags);
            pto_program_destroy(program);
        }
        pto_diag_list_destroy(diags);
        if (i < 6)
            assert_true(has_rule(t.data, t.len, NULL, "PTO-E0203"));
        free(t.data);
    }
}

static void limits_and_binaries(void **state) {
    (void)state;
    pto_parse_options small = {.byte_limit = 20000};
    text_buffer t = {0};
    for (int k = 0; k < 1000; k++)
        text_write(&t, "%a = arith.constant 1 : i32\n", 28);
    assert_true(has_rule(t.data, t.len, &small, "PTO-E0203"));
    free(t.data);
    small.byte_limit = 200000;
    assert_true(has_rule("mod\0ule", 7, NULL, "PTO-E0204"));
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *empty = pto_program_parse("empty", NULL, 0, NULL, diags);
    assert_non_null(empty);
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 0);
    pto_diag_list_destroy(diags);
    pto_program_destroy(empty);
    /* nobody listens */
    pto_program *program = pto_program_parse(NULL, "}}}}", 4, NULL, NULL);
    pto_program_destroy(program);
}

static void a_text_may_end_anywhere(void **state) {
    (void)state;
    const char *source =
        "!T = !pto.tile_buf<vec, 16x32xf32, valid=8x?>\nmodule attributes {a = [1 : i32, \"x\"]} {\n"
        "func.func @f(%a: !T {b}, %n: index) -> (i32, f32) attributes {pto.entry} {\n"
        "%r:2 = \"a.b\"(%a)[^l] <{c = array<i32: 1, 2>}> ({\n^bb0(%x: i32):\n}) {d} : (!T) -> (i32, f32) "
        "loc(\"f\":1:2)\n^l:\n"
        "%s = pto.subset %a[%n, %n] sizes [8, 16] : !T\n"
        "pto.tcvt ins(%a {rmode = #pto<round_mode CEIL>} : !T) outs(%a : !T)\n"
        "pto.set_flag[<PIPE_V>, <PIPE_S>, <EVENT_ID0>]\n"
        "%w = scf.for %i = %n to %n step %n iter_args(%z = %n) -> (index) {\nscf.yield %z : index\n}\n"
        "return %r#0, %r#1 : i32, f32\n}\n}\n";
    size_t len = strlen(source);
    for (size_t i = 0; i <= len; i++) {
        pto_diag_list *diags = pto_diag_list_create();
        /* An exact copy, so that a reader that goes too far is seen. */
        char *copy = malloc(i ? i : 1);
        assert_non_null(copy);
        memcpy(copy, source, i);
        pto_program *program = pto_program_parse("cut", copy, i, NULL, diags);
        assert_non_null(program);
        assert_true(pto_diag_count(diags, PTO_ERROR) <= 6);
        free(copy);
        pto_diag_list_destroy(diags);
        pto_program_destroy(program);
    }
    pto_program_destroy(text_parse(source, len));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(types),
        cmocka_unit_test(values),
        cmocka_unit_test(operations),
        cmocka_unit_test(all_errors_of_a_file_in_one_run),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(limits_and_binaries),
        cmocka_unit_test(a_text_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
