/* SPDX-License-Identifier: Apache-2.0 */
/* Levels 2 and 3 and the generic form: the program of 60, 3.11, every operation of the IR, spellings of types
 * and attributes, forms of files. */
#include "text_test.h"

static char *read_file(const char *name, size_t *len) {
    const char *root = getenv("SRC");
    char path[4096];
    snprintf(path, sizeof path, "%s/fuzz/corpus/text/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s is not there\n", path);
        fail();
    }
    char *data = malloc(1 << 16);
    assert_non_null(data);
    *len = fread(data, 1, (1 << 16) - 1, file);
    data[*len] = '\0';
    fclose(file);
    return data;
}

/* Type as printed, from a type as written. */
static void expect_type(const char *written, const char *printed) {
    char source[1024], want[1024];
    snprintf(source, sizeof source, "func.func private @f(%s)\n", written);
    snprintf(want, sizeof want, "module {\n  func.func private @f(%s)\n}\n", printed);
    pto_program *program = text_parse(source, strlen(source));
    char *got = text_print(program, PTO_DIALECT_LEVEL2);
    assert_string_equal(got, want);
    free(got);
    pto_program_destroy(program);
    text_round_trip(source);
}

static void the_program_of_the_specification(void **state) {
    (void)state;
    size_t len;
    char *source = read_file("level2.pto", &len);
    pto_program *program = text_parse(source, len);
    assert_int_equal(pto_program_dialect(program), PTO_DIALECT_LEVEL2);
    pto_target target;
    assert_true(pto_program_target(program, &target));
    assert_int_equal(target, PTO_TARGET_A2A3);
    pto_operation *entry = pto_program_entry(program, NULL, NULL);
    assert_non_null(entry);
    assert_true(pto_str_equal(pto_function_name(entry), PTO_STR("addrelu")));
    char *printed = text_print(program, PTO_DIALECT_LEVEL2);
    /* Letter for letter, once the aliases are written out. */
    static const char *const lines[] = {
        "module attributes {pto.target_arch = \"a3\"} {\n",
        "  func.func @addrelu(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes "
        "{pto.entry} {\n",
        "    %z = arith.constant 0 : index\n",
        "    %ga = pto.make_tensor_view %a, shape = [%r, %c], strides = [%c, %one] : "
        "!pto.tensor_view<24x40xf32>\n",
        "    %pa = pto.partition_view %ga, offsets = [%z, %z], sizes = [%r, %c] : "
        "!pto.tensor_view<24x40xf32> -> "
        "!pto.partition_tensor_view<24x40xf32>\n",
        "    %ta = pto.alloc_tile : !pto.tile_buf<vec, 24x40xf32>\n",
        "    pto.tload ins(%pa : !pto.partition_tensor_view<24x40xf32>) outs(%ta : !pto.tile_buf<vec, "
        "24x40xf32>)\n",
        "    pto.tadd ins(%ta, %tb : !pto.tile_buf<vec, 24x40xf32>, !pto.tile_buf<vec, 24x40xf32>) outs(%ta "
        ": "
        "!pto.tile_buf<vec, 24x40xf32>)\n",
        "    return\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(printed, lines[i]));
    free(printed);
    pto_program_destroy(program);
    text_round_trip(source);
    /* The generic form of the corpus is the same program. */
    char *generic = read_file("generic.pto", &len);
    pto_program *a = text_parse(source, strlen(source)), *b = text_parse(generic, len);
    assert_int_equal(pto_program_dialect(b), PTO_DIALECT_GENERIC);
    assert_true(pto_program_equal(a, b));
    pto_program_destroy(a);
    pto_program_destroy(b);
    free(generic);
    free(source);
}

static void every_operation_round_trips(void **state) {
    (void)state;
    size_t len;
    char *source = read_file("all_ops.pto", &len);
    text_round_trip(source);
    free(source);
    source = read_file("lines_level2.pto", &len);
    text_round_trip(source);
    free(source);
    static const char *const binaries[] = {
        "addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi",
        "andi", "ori",  "xori", "shli",  "shrsi", "shrui", "minsi", "minui",     "maxsi",     "maxui"};
    static const char *const floats[] = {"addf",     "subf",     "mulf",    "divf",   "remf",
                                         "minimumf", "maximumf", "minnumf", "maxnumf"};
    static const char *const casts[][3] = {
        {"extsi", "i32", "i64"},        {"extui", "i32", "i64"},          {"trunci", "i32", "i8"},
        {"index_cast", "i32", "index"}, {"index_castui", "i32", "index"}, {"sitofp", "i32", "f32"},
        {"uitofp", "i32", "f32"},       {"bitcast", "i32", "f32"},        {"extf", "f32", "f64"},
        {"truncf", "f32", "f16"},       {"fptosi", "f32", "i32"},         {"fptoui", "f32", "i32"}};
    char text[512];
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        snprintf(text, sizeof text, "func.func @f(%%a: i32) {\n%%b = arith.%s %%a, %%a : i32\nreturn\n}",
                 binaries[i]);
        text_round_trip(text);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        snprintf(text, sizeof text, "func.func @f(%%a: f32) {\n%%b = arith.%s %%a, %%a : f32\nreturn\n}",
                 floats[i]);
        text_round_trip(text);
    }
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++) {
        snprintf(text, sizeof text, "func.func @f(%%a: %s) {\n%%b = arith.%s %%a : %s to %s\nreturn\n}",
                 casts[i][1], casts[i][0], casts[i][1], casts[i][2]);
        text_round_trip(text);
    }
}

static void types_have_one_canonical_spelling(void **state) {
    (void)state;
    static const char vec[] = "!pto.tile_buf<vec, 16x32xf32>";
    expect_type("!pto.tile_buf<vec, 16x32xf32, valid=16x32, blayout=row_major, slayout=none_box, "
                "fractal=512, pad=0, compact=0>",
                vec);
    expect_type("!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=32, v_row=16, v_col=32, blayout=row_major, "
                "slayout=none_box, fractal=512, pad=0>",
                vec);
    expect_type(
        "!pto.tile_buf<loc=vec, dtype=f32, rows=16, cols=32, v_row=?, v_col=-1, blayout=\"col_major\", "
        "slayout=row_major, fractal=1024, pad=3, compact=1>",
        "!pto.tile_buf<vec, 16x32xf32, valid=?x?, blayout=col_major, slayout=row_major, fractal=1024, pad=3, "
        "compact=1>");
    expect_type("!pto.tile_buf<acc, 0x8xui8, slayout=col_major, valid=0x4>",
                "!pto.tile_buf<acc, 0x8xui8, valid=0x4, slayout=col_major>");
    expect_type("!pto.tile_buf<...>", "!pto.tile_buf<...>");
    expect_type("!pto.tile<...>", "!pto.tile<...>");
    expect_type("!pto.tile<16x16xf32>", "!pto.tile<16x16xf32>");
    expect_type("!pto.tile<f32, 16, 16>", "!pto.tile<16x16xf32>");
    expect_type("!pto.tile<loc=vec, f32, 16, 16, RowMajor, NoneBox, None, Zero>",
                "!pto.tile<vec, 16x16xf32, pad=1>");
    expect_type("!pto.tile<acc, f32, 16, 32, ColMajor, RowMajor, 1024, 2>",
                "!pto.tile<acc, 16x32xf32, blayout=col_major, slayout=row_major, fractal=1024, pad=2>");
    expect_type("!pto.tensor_view<?x32xbf16>", "!pto.tensor_view<?x32xbf16>");
    expect_type("!pto.tensor_view<f32>", "!pto.tensor_view<f32>");
    expect_type("!pto.partition_tensor_view<1x2x3x4x5xsi16>", "!pto.partition_tensor_view<1x2x3x4x5xsi16>");
    expect_type("!pto.tensor_view<0x4xf32>", "!pto.tensor_view<0x4xf32>");
    expect_type("!pto.ptr<f16, gm>", "!pto.ptr<f16>");
    expect_type("!pto.ptr<f16, ub>", "!pto.ptr<f16, ub>");
    expect_type("memref<4x?xf32, strided<[?, 1], offset: ?>, 1>",
                "memref<4x?xf32, strided<[?, 1], offset: ?>, 1>");
    expect_type("!pto.memref<16x16xf16>", "!pto.memref<16x16xf16>");
    expect_type("!pto.memref<...>", "!pto.memref<...>");
    expect_type("!pto.event", "!pto.event");
    expect_type("!pto.async_session", "!pto.async_session");
    expect_type("vector<4xi16>", "vector<4xi16>");
    expect_type("(i1, f8E5M2) -> (index, f8E4M3FNUZ)", "(i1, f8E5M2) -> (index, f8E4M3FNUZ)");
    expect_type("!other.type<a, <b> -> c>", "!other.type<a, <b> -> c>");
    expect_type("f8e4m3", "f8E4M3FN");
    expect_type("none", "none");
}

static const pto_tile_type *first_tile(const char *source, pto_target target, bool has_target,
                                       pto_program **program) {
    pto_parse_options options = {.target = target, .has_target = has_target};
    *program = pto_program_parse("t", source, strlen(source), &options, NULL);
    return &pto_operation_attr(pto_program_first_function(*program), "function_type")->type->inputs[0]->tile;
}

/* 60, 3.4: the blayout of loc=left is the target's. */
static void left_tiles_follow_the_target(void **state) {
    (void)state;
    const char *plain =
        "func.func private @f(!pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>)";
    const char *a5 = "!T = !pto.tile_buf<left, 16x16xf16, slayout=row_major>\nmodule attributes "
                     "{\"pto.target_arch\" = \"A5\"} {\n"
                     "func.func private @f(!T)\n}";
    pto_program *program;
    assert_int_equal(first_tile(plain, PTO_TARGET_A2A3, true, &program)->blayout, PTO_ROW_MAJOR);
    pto_program_destroy(program);
    assert_int_equal(first_tile(plain, PTO_TARGET_A5, true, &program)->blayout, PTO_COL_MAJOR);
    pto_program_destroy(program);
    assert_int_equal(first_tile(plain, PTO_TARGET_CPU, false, &program)->blayout, PTO_COL_MAJOR);
    pto_program_destroy(program);
    assert_int_equal(first_tile(a5, PTO_TARGET_CPU, false, &program)->blayout, PTO_COL_MAJOR);
    pto_program_destroy(program);
    /* The caller's target goes before the text's. */
    assert_int_equal(first_tile(a5, PTO_TARGET_A2A3, true, &program)->blayout, PTO_ROW_MAJOR);
    pto_program_destroy(program);
}

static const pto_attr *constant(const char *text, pto_program **program) {
    char source[256];
    snprintf(source, sizeof source, "func.func @f() {\n%%x = arith.constant %s\nreturn\n}", text);
    *program = text_parse(source, strlen(source));
    text_round_trip(source);
    return pto_operation_attr(pto_function_body(pto_program_first_function(*program))->first, "value");
}

static void numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t i;
    } integers[] = {{"0xff : i8", -1},
                    {"255 : i8", -1},
                    {"255 : ui8", 255},
                    {"-128 : si8", -128},
                    {"7", 7},
                    {"-1 : index", -1},
                    {"true", 1},
                    {"1 : i1", 1},
                    {"false", 0},
                    {"9223372036854775807 : i64", INT64_MAX},
                    {"-9223372036854775808 : i64", INT64_MIN},
                    {"18446744073709551615 : ui64", -1}};
    static const struct {
        const char *text;
        double f;
    } floats[] = {{"1.5 : f32", 1.5},
                  {"0x3F800000 : f32", 1.0},
                  {"-2.5E-4 : f64", -2.5e-4},
                  {"1.0e+3", 1000.0},
                  {"0x3C00 : f16", 1.0},
                  {"0x7F800000 : f32", (double)__builtin_inff()},
                  {"0.1 : f32", (double)0.1f},
                  {"-0.0 : f32", -0.0},
                  {"0x4049000000000000 : f64", 50.0}};
    pto_program *program;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        assert_int_equal(constant(integers[i].text, &program)->i, integers[i].i);
        pto_program_destroy(program);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        double got = constant(floats[i].text, &program)->f;
        assert_memory_equal(&got, &floats[i].f, sizeof got);
        pto_program_destroy(program);
    }
    assert_int_equal(constant("0x7FC00123 : f32", &program)->i, 0x7fc00123);
    pto_program_destroy(program);
}

static bool same(const char *a, const char *b) {
    pto_program *x = text_parse(a, strlen(a)), *y = text_parse(b, strlen(b));
    bool equal = pto_program_equal(x, y);
    pto_program_destroy(x);
    pto_program_destroy(y);
    return equal;
}

#define F(line) "func.func @f(%a: !pto.tile_buf<vec, 16x32xf32>, %s: f32, %i: i32) {\n" line "\nreturn\n}\n"
#define T "!pto.tile_buf<vec, 16x32xf32>"

static void spellings_mean_the_same(void **state) {
    (void)state;
    assert_true(same(F("pto.tadd ins(%a, %a : " T ", " T ") outs(%a : " T ")"),
                     F("tadd ins(%a, %a : " T ") outs(%a : " T ")")));
    assert_true(same(F("pto.tadd ins(%a, %a : " T ", " T ") outs(%a : " T ")"),
                     F("pto.tadd ins(%a, %a : (" T ", " T ")) outs(%a : " T ")")));
    assert_true(same(F("pto.tadds ins(%a, %s : " T ", f32) outs(%a : " T ")"),
                     F("pto.tadds ins(%a : " T ", %s : f32) outs(%a : " T ")")));
    assert_true(same(F("pto.tcvt ins(%a {rmode = #pto<round_mode RINT>} : " T ") outs(%a : " T ")"),
                     F("pto.tcvt ins(%a : " T ") outs(%a : " T ") {rmode = #pto.round_mode<rint>}")));
    assert_true(same(F("pto.barrier <PIPE_V>"), F("pto.barrier #pto.pipe<pipe_v>")));
    assert_true(same(F("pto.barrier <PIPE_V>"), F("pto.pipe_barrier \"PIPE_V\"")));
    assert_true(
        same(F("pto.barrier <PIPE_V>"), F("\"pto.barrier\"() <{pipe = #pto.pipe<PIPE_V>}> : () -> ()")));
    assert_true(same(F("pto.barrier <PIPE_V>"), "// c\nmodule {\n#x = #pto.pipe<PIPE_V>\n" F(
                                                    "pto.barrier #x loc(unknown)") "}\n// -----\n"));
    assert_false(same(F("pto.barrier <PIPE_V>"), F("pto.barrier <PIPE_S>")));
    assert_false(same(F("pto.tdivs ins(%a, %s : " T ", f32) outs(%a : " T ")"),
                      F("pto.tdivs ins(%s, %a : f32, " T ") outs(%a : " T ")")));
    assert_false(same(F("%x = arith.addi %i, %i : i32"), F("%x = arith.subi %i, %i : i32")));
    assert_false(same(F("%x = arith.constant 1 : i32"), F("%x = arith.constant 2 : i32")));
    assert_false(same(F("%x = arith.addi %i, %i : i32\n%y = arith.addi %x, %i : i32"),
                      F("%x = arith.addi %i, %i : i32\n%y = arith.addi %i, %x : i32")));
    assert_false(same(F(""), F("return")));
}

/* A value may be named as another one elsewhere: what is printed must not mix them up. */
static void printed_names_are_unique(void **state) {
    (void)state;
    const char *source = F(
        "%0 = arith.constant 1 : i32\nscf.for %k = %i to %i step %i : i32 {\n%x = arith.constant 1 : i32\n}\n"
        "%x = arith.constant 2 : i32\n%r:2 = \"a.b\"() : () -> (i32, i32)\n\"a.c\"(%r#1, %r) : (i32, i32) -> "
        "()");
    text_round_trip(source);
    pto_program *program = text_parse(source, strlen(source));
    for (pto_operation *op = pto_function_body(pto_program_first_function(program))->first; op; op = op->next)
        for (uint32_t i = 0; i < op->result_count; i++)
            op->result[i]->name = (pto_str){NULL, 0};
    pto_function_body(pto_program_first_function(program))->arg[0]->name = PTO_STR("s");
    char *printed = text_print(program, PTO_DIALECT_LEVEL2);
    pto_program *again = text_parse(printed, strlen(printed));
    assert_true(pto_program_equal(program, again));
    free(printed);
    pto_program_destroy(again);
    pto_program_destroy(program);
}

static void entries(void **state) {
    (void)state;
    pto_diag_list *diags = pto_diag_list_create();
    const char *two = "func.func @f() {\nreturn\n}\nfunc.func @g() attributes {pto.entry} "
                      "{\nreturn\n}\nfunc.func private @h()\n";
    pto_program *program = text_parse(two, strlen(two));
    assert_true(pto_str_equal(pto_function_name(pto_program_entry(program, NULL, diags)), PTO_STR("g")));
    assert_true(pto_str_equal(pto_function_name(pto_program_entry(program, "f", diags)), PTO_STR("f")));
    assert_int_equal(pto_diag_count(diags, PTO_ERROR), 0);
    assert_null(pto_program_entry(program, "h", diags));
    assert_true(pto_diag_has(diags, "PTO-E0429"));
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    diags = pto_diag_list_create();
    const char *none = "module {\nmodule @a {\nfunc.func @f() {\nreturn\n}\n}\nmodule @b {\nfunc.func @g() "
                       "{\nreturn\n}\n}\n}\n";
    program = text_parse(none, strlen(none));
    assert_null(pto_program_entry(program, NULL, diags));
    assert_true(pto_diag_has(diags, "PTO-E0429"));
    assert_non_null(pto_program_entry(program, "g", diags));
    pto_diag_list_destroy(diags);
    pto_program_destroy(program);
    text_round_trip(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_of_the_specification),
        cmocka_unit_test(every_operation_round_trips),
        cmocka_unit_test(types_have_one_canonical_spelling),
        cmocka_unit_test(left_tiles_follow_the_target),
        cmocka_unit_test(numbers),
        cmocka_unit_test(spellings_mean_the_same),
        cmocka_unit_test(printed_names_are_unique),
        cmocka_unit_test(entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
