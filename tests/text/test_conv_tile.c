/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution tiles in every text form: the type with its parameters, its allocation, and who accepts it. */
#include "ssa_testing.h"
#include "text_test.h"

static const char all[] =
    "fmap_h = 7, fmap_w = 8, filter_h = 3, filter_w = 2, dilation_h = 2, dilation_w = 3, "
    "stride_h = 4, stride_w = 5, channel_size = 32, repeat_stride = 9, repeat_time = 2, "
    "repeat_mode = 1, dst_stride = 6, dst_m_position = 11, pad_list = [1, 2, 3, 255], "
    "pad_value = -1.5, transpose = true";

static const pto_conv *conv_of(const pto_value *value) {
    assert_true(pto_type_is_tile(value->type) && !value->type->open);
    assert_non_null(value->type->tile.conv);
    return value->type->tile.conv;
}

static const pto_operation *body_of(const pto_program *program) {
    return pto_function_body(pto_program_first_function(program))->first;
}

static void check_all(const pto_conv *c) {
    assert_int_equal(c->layout, PTO_LAYOUT_NC1HWC0);
    assert_int_equal(c->rank, 5);
    const int32_t shape[5] = {1, 2, 7, 8, 16};
    assert_memory_equal(c->shape, shape, sizeof shape);
    assert_true(c->fmap_h == 7 && c->fmap_w == 8 && c->filter_h == 3 && c->filter_w == 2);
    assert_true(c->dilation_h == 2 && c->dilation_w == 3 && c->stride_h == 4 && c->stride_w == 5);
    assert_true(c->channel_size == 32 && c->repeat_stride == 9 && c->repeat_time == 2 && c->repeat_mode == 1);
    assert_true(c->dst_stride == 6 && c->dst_m_position == 11 && c->transpose);
    assert_memory_equal(c->pad_list, ((uint8_t[]){1, 2, 3, 255}), 4);
    assert_int_equal(c->pad_value, 0xbe00); /* -1.5 in f16 */
}

/* Parameters as attributes of the allocation, in the type, or both; a use may leave them out. */
static void test_allocation(void **state) {
    (void)state;
    char text[2048];
    static const char plain[] = "!pto.conv_tile<mat, NC1HWC0, 1x2x7x8x16xf16>";
    static const char *const formats[] = {"func.func @f() {\n %%c = pto.alloc_conv_tile {%s} : %s\n "
                                          "pto.setfmatrix ins(%%c : %s) outs()\n return\n}",
                                          "func.func @f() {\n %%c = \"pto.alloc_conv_tile\"() "
                                          "<{operandSegmentSizes = array<i32: 0, 0, 0>}> {%s} : () -> "
                                          "%s\n \"pto.setfmatrix\"(%%c) : (%s) -> ()\n return\n}"};
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, i ? formats[1] : formats[0], all, plain, plain);
        pto_program *program = text_parse(text, strlen(text));
        const pto_operation *op = body_of(program);
        check_all(conv_of(op->result[0]));
        assert_int_equal(op->attr_count, 0);
        assert_int_equal(op->kind, PTO_OPK_ALLOC_TILE);
        assert_int_equal(op->result[0]->type->tile.cols, 1 * 2 * 7 * 8 * 16);
        pto_program_destroy(program);
        text_round_trip(text);
    }
    snprintf(text, sizeof text,
             "func.func @f(%%a: !pto.conv_tile<mat, nc1hwc0, 1x2x7x8x16xf16, %s>) {\n"
             " pto.setfmatrix ins(%%a : %s) outs()\n return\n}",
             all, plain);
    pto_program *program = text_parse(text, strlen(text));
    check_all(conv_of(pto_function_body(pto_program_first_function(program))->arg[0]));
    pto_program_destroy(program);
    text_round_trip(text);
}

static void test_level2_print(void **state) {
    (void)state;
    static const char text[] = "func.func @f() {\n %k = arith.constant 64 : i64\n"
                               " %c = pto.alloc_conv_tile addr = %k {filter_h = 3 : i32, note = \"x\"} : "
                               "!pto.conv_tile<mat, NDC1HWC0, 1x2x2x3x4x8xf32>\n"
                               " pto.set_img2col_rpt ins(%c : !pto.conv_tile<mat, NDC1HWC0, "
                               "1x2x2x3x4x8xf32>) outs() {fmatrix = b_manual}\n"
                               " return\n}";
    pto_program *program = text_parse(text, strlen(text));
    char *printed = text_print(program, PTO_DIALECT_LEVEL2);
    assert_non_null(strstr(printed, "%c = pto.alloc_conv_tile addr = %k {filter_h = 3, note = \"x\"} : "
                                    "!pto.conv_tile<mat, NDC1HWC0, 1x2x2x3x4x8xf32>\n"));
    assert_non_null(strstr(printed,
                           "pto.set_img2col_rpt ins(%c : !pto.conv_tile<mat, NDC1HWC0, 1x2x2x3x4x8xf32>) "
                           "{fmatrix = #pto<fmatrix b_manual>}"));
    free(printed);
    pto_program_destroy(program);
    text_round_trip(text);
}

/* Integers are bits of a float; NaN and infinities come back. */
static void test_pad_values(void **state) {
    (void)state;
    static const struct {
        const char *type, *written;
        uint64_t bits;
    } cases[] = {{"f16", "1.0", 0x3c00},       {"f16", "0x7C00", 0x7c00}, {"f16", "32256", 0x7e00},
                 {"f16", "0.1 : f16", 0x2e66}, {"bf16", "-2.0", 0xc000},  {"f32", "1.0", 0x3f800000},
                 {"i8", "-1", 0xff},           {"i8", "-128", 0x80},      {"ui8", "255", 0xff},
                 {"i32", "-2", 0xfffffffe},    {"ui16", "65535", 0xffff}, {"f8E4M3FN", "1.0", 0x38}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "func.func @f() {\n %%c = pto.alloc_conv_tile {pad_value = %s} : "
                 "!pto.conv_tile<mat, NC1HWC0, 1x1x1x1x32x%s>\n return\n}",
                 cases[i].written, cases[i].type);
        pto_program *program = text_parse(text, strlen(text));
        assert_int_equal(conv_of(body_of(program)->result[0])->pad_value, cases[i].bits);
        pto_program_destroy(program);
        text_round_trip(text);
    }
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *type, *rule;
    } types[] = {{"<mat, NC1HWC0, 1x1x1x1x?xf16>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x1x1x1xf16>", "PTO-E0231"},
                 {"<mat, NC1HWC1, 1x1x1x1x16xf16>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xindex>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, filter = 3>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, filter_h = 65536>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, stride_h = 256>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, stride_h = -1>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, stride_h = 1.0>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, pad_list = [1, 2, 3]>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, pad_list = [1, 2, 3, 256]>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, transpose = 1>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x32xi8, pad_value = 256>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x32xi8, pad_value = 1.0>", "PTO-E0231"},
                 {"<gm, NC1HWC0, 1x1x1x1x16xf16>", "PTO-E0201"},
                 {"<mat, 1x1x1x1x16xf16>", "PTO-E0231"},
                 {"<mat, NC1HWC0, 1x1x1x1x16xf16, filter_h>", "PTO-E0201"}};
    char text[512];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        snprintf(text, sizeof text, "func.func @f(%%a: !pto.conv_tile%s) {\n return\n}", types[i].type);
        ssa_expect_rule(text, types[i].rule);
    }
    /* allocations make their own kind; a use has the type of its definition or no parameters */
    ssa_expect_rule(
        "func.func @f() {\n %c = pto.alloc_tile : !pto.conv_tile<mat, NC1HWC0, 1x1x1x1x16xf16>\n return\n}",
        "PTO-E0212");
    ssa_expect_rule("func.func @f() {\n %c = pto.alloc_conv_tile : !pto.tile_buf<mat, 16x16xf16>\n return\n}",
                    "PTO-E0212");
    ssa_expect_rule(
        "func.func @f() {\n %c = pto.alloc_conv_tile {stride_h = 256} : !pto.conv_tile<mat, NC1HWC0, "
        "1x1x1x1x16xf16>\n return\n}",
        "PTO-E0231");
    static const char use[] =
        "func.func @f() {\n %%c = pto.alloc_conv_tile {filter_h = 3} : !pto.conv_tile<mat, NC1HWC0, "
        "1x2x1x1x16xf16>\n pto.setfmatrix ins(%%c : !pto.conv_tile<%s>) outs()\n return\n}";
    static const char *const others[] = {"mat, NC1HWC0, 1x2x1x1x16xf16, filter_h = 2",
                                         "mat, NC1HWC0, 1x1x2x1x16xf16", "vec, NC1HWC0, 1x2x1x1x16xf16",
                                         "mat, NC1HWC0, 1x2x1x1x16xbf16", "mat, GNC1HWC0, 1x1x2x1x1x16xf16"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(text, sizeof text, use, others[i]);
        ssa_expect_rule(text, "PTO-E0212");
    }
    snprintf(text, sizeof text, use, "mat, NC1HWC0, 1x2x1x1x16xf16, filter_h = 3");
    pto_program_destroy(text_parse(text, strlen(text)));
}

/* Older and upper-case spellings, and the documented operand without a convolution tile. */
static void test_spellings(void **state) {
    (void)state;
    static const char *const names[] = {"setfmatrix",          "SETFMATRIX",          "tsetfmatrix",
                                        "TSETFMATRIX",         "set_img2col_rpt",     "tset_img2col_rpt",
                                        "SET_IMG2COL_PADDING", "tset_img2col_padding"};
    char text[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(
            text, sizeof text,
            "func.func @f(%%a: !pto.fmatrix_config) {\n pto.%s %%a : !pto.fmatrix_config -> ()\n return\n}",
            names[i]);
        pto_program *program = ssa_parse_good(text);
        const pto_operation *op = body_of(program);
        assert_int_equal(op->kind, PTO_OPK_INSTR);
        assert_string_equal(pto_form_get(op->form)->form, "conv");
        pto_program_destroy(program);
        snprintf(text, sizeof text,
                 ".arg %%a : !pto.conv_tile<mat, NC1HWC0, 1x1x1x1x16xf16>\n%s%s %%a {fmatrix = b_auto}\n",
                 i % 2 ? "pto." : "", names[i]);
        program = ssa_parse_good(text);
        int64_t mode;
        assert_true(
            pto_attr_isa_value(PTO_ATTR_FMATRIX, pto_operation_attr(body_of(program), "fmatrix"), &mode));
        assert_int_equal(mode, PTO_FMATRIX_B_AUTO);
        ssa_check_print(program);
        pto_program_destroy(program);
    }
}

/* In SSA text the type of the result says that it is a convolution tile. */
static void test_results(void **state) {
    (void)state;
    pto_program *program = ssa_parse_good(
        ".arg %m : !pto.memref<1x2x4x4x8xf32>\n.arg %n : !pto.memref<16x16xf32>\n.const %z = 0 : index\n"
        ".const %one = 1.0 : f32\n"
        "%c = tload %m[%z, %z, %z, %z, %z] : !pto.memref<1x2x4x4x8xf32> -> !pto.conv_tile<mat, NC1HWC0, "
        "1x2x4x4x8xf32, filter_h = 3>\n"
        "%t = tload %n[%z, %z] : !pto.memref<16x16xf32> -> !pto.tile<vec, 16x16xf32>\n"
        "%e = texpands %one : f32 -> !pto.conv_tile<mat, NC1HWC0, 1x2x4x4x8xf32>\n"
        "%f = texpands %one : f32 -> !pto.tile<vec, 16x16xf32>\n"
        "%l = timg2col %c {posM = 2, posK = 8, fmatrix = a_auto} : !pto.conv_tile<mat, NC1HWC0, "
        "1x2x4x4x8xf32, "
        "filter_h = 3> -> !pto.tile<left, 16x32xf32, blayout=col_major, slayout=row_major>\n"
        "tstore %c, %m[%z, %z, %z, %z, %z]\n");
    static const char *const forms[] = {"conv", "tile", "conv", "tile", "tile", "conv"};
    size_t n = 0;
    for (const pto_operation *op = body_of(program); op; op = op->next) {
        if (op->kind != PTO_OPK_INSTR)
            continue;
        assert_string_equal(pto_form_get(op->form)->form, forms[n++]);
        if (op->result_count) /* values, not handles */
            assert_int_equal(op->result[0]->type->kind, PTO_TYPE_TILE);
    }
    assert_int_equal(n, 6);
    assert_true(ssa_verify(program, PTO_TARGET_CPU, NULL));
    assert_false(ssa_verify(program, PTO_TARGET_A5, "PTO-E0301")); /* the store */
    ssa_check_print(program);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocation), cmocka_unit_test(test_level2_print),
                                       cmocka_unit_test(test_pad_values), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_spellings),  cmocka_unit_test(test_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
