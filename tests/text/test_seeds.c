/* SPDX-License-Identifier: Apache-2.0 */
/* The text examples of the founding documents (TADDDEQRELU, TMULADDDST, TRELU, TROWEXPANDEXPDIF), letter for
 * letter, with their operands declared in front. */
#include "ssa_testing.h"

#include <math.h>
#include <stdio.h>

typedef struct example {
    const char *mnemonic;
    const char *args;    /* operands of the SSA lines */
    const char *handles; /* operands of the level 2 line */
    const char *synchronous, *level1, *level2;
    const char *automatic, *manual; /* listings */
    const char *assembly;           /* "PTO assembly form": both lines */
    pto_dtype result;               /* element type that the result must get */
} example;

static const example examples[] = {
    {"TADDDEQRELU",
     ".arg %src0 : !pto.tile<16x16xi32>\n.arg %src1 : !pto.tile<16x16xi32>\n.arg %deqScale : f32\n"
     ".arg %tmp : !pto.tile<16x16xi32>\n",
     ".arg %src0 : !pto.tile_buf<vec, 16x16xi32>\n.arg %src1 : !pto.tile_buf<vec, 16x16xi32>\n"
     ".arg %deqScale : f32\n.arg %tmp : !pto.tile_buf<vec, 16x16xi32>\n"
     "%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf16>\n",
     "%dst = tadddeqrelu %src0, %src1, %deqScale, %tmp : !pto.tile<...>, !pto.tile<...>, f32, "
     "!pto.tile<...>\n",
     "%dst = pto.tadddeqrelu %src0, %src1, %deqScale, %tmp : (!pto.tile<...>, !pto.tile<...>, f32, "
     "!pto.tile<...>) -> !pto.tile<...>\n",
     "pto.tadddeqrelu ins(%src0, %src1, %deqScale, %tmp : !pto.tile_buf<...>, !pto.tile_buf<...>, f32, "
     "!pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)\n",
     "# 自动模式: 由编译器/运行时负责资源放置与调度.\n"
     "%dst = pto.tadddeqrelu %src0, %src1, %deqScale, %tmp : (!pto.tile<...>, !pto.tile<...>, f32, "
     "!pto.tile<...>) -> !pto.tile<...>\n",
     "# 手动模式: 先显式绑定资源, 再发射指令.\n"
     "# 可选 (当该指令包含 tile 操作数时):\n"
     "# pto.tassign %arg0, @tile(0x0000)\n"
     "# pto.tassign %arg1, @tile(0x0800)\n"
     "# pto.tassign %tmp,  @tile(0x1000)\n"
     "%dst = pto.tadddeqrelu %src0, %src1, %deqScale, %tmp : (!pto.tile<...>, !pto.tile<...>, f32, "
     "!pto.tile<...>) -> !pto.tile<...>\n",
     "%dst = tadddeqrelu %src0, %src1, %deqScale, %tmp : !pto.tile<...>, !pto.tile<...>, f32, "
     "!pto.tile<...>\n"
     "# AS Level 2 (DPS)\n"
     "pto.tadddeqrelu ins(%src0, %src1, %deqScale, %tmp : !pto.tile_buf<...>, !pto.tile_buf<...>, f32, "
     "!pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)\n",
     PTO_F16},
    {"TMULADDDST",
     ".arg %src0 : !pto.tile<16x16xf32>\n.arg %src1 : !pto.tile<16x16xf32>\n.arg %dst : "
     "!pto.tile<16x16xf32>\n",
     ".arg %src0 : !pto.tile_buf<vec, 16x16xf32>\n.arg %src1 : !pto.tile_buf<vec, 16x16xf32>\n"
     ".arg %dst : !pto.tile_buf<vec, 16x16xf32>\n",
     "%dst = tmuladddst %src0, %src1 : !pto.tile<...>\n",
     "%dst = pto.tmuladddst %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>\n",
     "pto.tmuladddst ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : "
     "!pto.tile_buf<...>)\n",
     "# Auto mode: compiler/runtime-managed placement and scheduling.\n"
     "%dst = pto.tmuladddst %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>\n",
     "# Manual mode: resources must be bound explicitly before issuing the instruction.\n"
     "# Optional for tile operands:\n"
     "# pto.tassign %arg0, @tile(0x1000)\n"
     "# pto.tassign %arg1, @tile(0x2000)\n"
     "%dst = pto.tmuladddst %src0, %src1 : (!pto.tile<...>, !pto.tile<...>) -> !pto.tile<...>\n",
     "%dst = tmuladddst %src0, %src1 : !pto.tile<...>\n"
     "# AS Level 2 (DPS)\n"
     "pto.tmuladddst ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : "
     "!pto.tile_buf<...>)\n",
     PTO_F32},
    {"TRELU", ".arg %src : !pto.tile<16x16xf32>;\n",
     ".arg %src : !pto.tile_buf<vec, 16x16xf32>\n%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n",
     "%dst = trelu %src : !pto.tile<...>\n", "%dst = pto.trelu %src : !pto.tile<...> -> !pto.tile<...>\n",
     "pto.trelu ins(%src : !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)\n",
     "# Automatic mode: the compiler/runtime handles resource placement and scheduling.\n"
     "%dst = pto.trelu %src : !pto.tile<...> -> !pto.tile<...>\n",
     "# Manual mode: explicitly bind resources first, then issue the instruction.\n"
     "# Optional (when the instruction contains tile operands):\n"
     "# pto.tassign %arg0, @tile(0x1000)\n"
     "# pto.tassign %arg1, @tile(0x2000)\n"
     "%dst = pto.trelu %src : !pto.tile<...> -> !pto.tile<...>\n",
     "%dst = trelu %src : !pto.tile<...>\n"
     "# AS Level 2 (DPS)\n"
     "pto.trelu ins(%src : !pto.tile_buf<...>) outs(%dst : !pto.tile_buf<...>)\n",
     PTO_F32},
    /* mode 2: 32 bytes for every row of src1 */
    {"TROWEXPANDEXPDIF", ".arg %src0 : !pto.tile<16x16xf32>\n.arg %src1 : !pto.tile<16x8xf32>\n",
     ".arg %src0 : !pto.tile_buf<vec, 16x16xf32>\n.arg %src1 : !pto.tile_buf<vec, 16x8xf32>\n"
     "%dst = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n",
     "%dst = trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>\n",
     "%dst = pto.trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>\n",
     "pto.trowexpandexpdif ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : "
     "!pto.tile_buf<...>)\n",
     "# 自动模式：由编译器/运行时负责资源放置与调度。\n"
     "%dst = pto.trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>\n",
     "# 手动模式：先显式绑定资源，再发射指令。\n"
     "# 可选（当该指令包含 tile 操作数时）：\n"
     "# pto.tassign %arg0, @tile(0x1000)\n"
     "# pto.tassign %arg1, @tile(0x2000)\n"
     "%dst = pto.trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>\n",
     "%dst = trowexpandexpdif %src0, %src1 : !pto.tile<...>, !pto.tile<...> -> !pto.tile<...>\n"
     "# AS Level 2 (DPS)\n"
     "pto.trowexpandexpdif ins(%src0, %src1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%dst : "
     "!pto.tile_buf<...>)\n",
     PTO_F32},
};
#define EXAMPLES (sizeof examples / sizeof *examples)

static pto_program *parse_pair(const char *declarations, const char *lines) {
    char *text = malloc(strlen(declarations) + strlen(lines) + 1);
    strcpy(text, declarations);
    strcat(text, lines);
    pto_program *program = ssa_parse_good(text);
    free(text);
    return program;
}

/* The result has its type, everything else is reached from here. */
static void check(const example *e, pto_program *program, pto_dialect dialect) {
    assert_int_equal(pto_program_dialect(program), dialect);
    const pto_operation *op = ssa_find(program, e->mnemonic);
    const pto_type *type = op->result_count ? op->result[0]->type : op->operand[0]->type;
    assert_true(pto_type_is_tile(type));
    assert_false(type->open);
    assert_int_equal(type->tile.rows, 16);
    assert_int_equal(type->tile.cols, 16);
    assert_int_equal(type->tile.dtype, e->result);
    ssa_verify_all(program);
    ssa_check_print(program);
}

/* Through every other form and back: the same instructions, accepted by every target. */
static void convert(const example *e, const pto_program *program) {
    char before[1024], after[1024];
    ssa_sequence(program, before);
    (void)e;
    for (int dialect = 0; dialect <= PTO_DIALECT_GENERIC; dialect++) {
        pto_program *other = ssa_convert(program, (pto_dialect)dialect);
        assert_int_equal(pto_program_dialect(other), dialect);
        assert_string_equal(before, ssa_sequence(other, after));
        ssa_verify_all(other);
        ssa_check_print(other);
        pto_program *back = ssa_convert(other, pto_program_dialect(program));
        assert_string_equal(before, ssa_sequence(back, after));
        ssa_verify_all(back);
        pto_program_destroy(back);
        pto_program_destroy(other);
    }
}

static void test_synchronous(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        pto_program *program = parse_pair(examples[i].args, examples[i].synchronous);
        check(&examples[i], program, PTO_DIALECT_AS);
        convert(&examples[i], program);
        pto_program_destroy(program);
    }
}

static void test_level1(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        const char *const texts[] = {examples[i].level1, examples[i].automatic, examples[i].manual};
        for (size_t k = 0; k < 3; k++) {
            pto_program *program = parse_pair(examples[i].args, texts[k]);
            check(&examples[i], program, PTO_DIALECT_LEVEL1);
            convert(&examples[i], program);
            pto_program_destroy(program);
        }
    }
}

static void test_level2(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        pto_program *program = parse_pair(examples[i].handles, examples[i].level2);
        check(&examples[i], program, PTO_DIALECT_LEVEL2);
        convert(&examples[i], program);
        pto_program_destroy(program);
    }
}

/* The listing that shows the PTO-AS line and the level 2 line of one instruction. */
static void test_assembly_listing(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        pto_program *program = parse_pair(examples[i].args, examples[i].assembly);
        check(&examples[i], program, PTO_DIALECT_AS);
        char names[1024];
        assert_non_null(
            strstr(ssa_sequence(program, names) + strlen(examples[i].mnemonic), examples[i].mnemonic));
        pto_program *handles = ssa_convert(program, PTO_DIALECT_LEVEL2);
        ssa_verify_all(handles);
        ssa_check_print(handles);
        pto_program_destroy(handles);
        pto_program_destroy(program);
    }
}

/* Nothing says what the dots stand for: the text parses and prints with its dots, verification names the
 * operand. */
static void test_open(void **state) {
    (void)state;
    const char *text = ".arg %src : !pto.tile<...>\n%dst = trelu %src : !pto.tile<...>\n";
    pto_program *program = ssa_parse_good(text);
    ssa_check_print(program);
    char *printed = ssa_print_program(program, PTO_DIALECT_AS);
    assert_string_equal(printed, text);
    free(printed);
    assert_false(ssa_verify(program, PTO_TARGET_CPU, "PTO-E0403"));
    pto_program_destroy(program);
}

/* The value of a half that is zero or normal. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31;
    double value = exponent ? ldexp(1024 + (bits & 1023), exponent - 25) : 0;
    return bits >> 15 ? -value : value;
}

static double expected(const char *mnemonic, double x, double y, double z) {
    if (!strcmp(mnemonic, "TADDDEQRELU"))
        return fmax(0, (x + y) * 0.5);
    if (!strcmp(mnemonic, "TMULADDDST"))
        return x * y + z;
    return !strcmp(mnemonic, "TRELU") ? fmax(0, x) : exp(x - y);
}

/* Runs `program`, whose parameters are those of the example and the memory of the result. */
static void run(const example *e, pto_program *program) {
    union {
        float f[256];
        int32_t i[256];
    } in[3];
    union {
        float f[256];
        uint16_t h[256];
    } out = {.f = {0}};
    bool ints = e->result == PTO_F16, expdif = !strcmp(e->mnemonic, "TROWEXPANDEXPDIF");
    double value[3][256];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 256; i++) {
            /* src1 of the expansion: eight columns that are all the row's scalar */
            int number = k == 1 && expdif ? i / 8 % 16 - 8 : (i * (7 + k) + 3 * k) % 41 - 20;
            value[k][i] = number;
            if (ints)
                in[k].i[i] = number;
            else
                in[k].f[i] = (float)number;
        }
    pto_argument arguments[5] = {{.data = &in[0], .bytes = sizeof in[0]}};
    size_t count = 1;
    if (strcmp(e->mnemonic, "TRELU"))
        arguments[count++] = (pto_argument){.data = &in[1], .bytes = expdif ? 512 : 1024};
    if (ints)
        arguments[count++] = (pto_argument){.f = 0.5};
    if (ints || !strcmp(e->mnemonic, "TMULADDDST"))
        arguments[count++] = (pto_argument){.data = &in[2], .bytes = sizeof in[2]};
    arguments[count++] = (pto_argument){.data = &out, .bytes = ints ? 512 : 1024};
    pto_diag_list *diags = pto_diag_list_create();
    const pto_run_options options = {.blocks = 1, .threads = 1};
    pto_status status = pto_program_run(program, arguments, count, &options, diags);
    if (status != PTO_OK)
        pto_diag_render(diags, NULL, ssa_show_write, NULL);
    assert_int_equal(status, PTO_OK);
    pto_diag_list_destroy(diags);
    for (int i = 0; i < 256; i++) {
        double y = expdif ? value[1][i / 16 * 8] : value[1][i];
        double wanted = expected(e->mnemonic, value[0][i], y, value[2][i]);
        double found = ints ? half_value(out.h[i]) : (double)out.f[i];
        /* Integers are exact; the exponential is within an ulp or so. */
        assert_true(fabs(found - wanted) <= (expdif ? 2e-7 * wanted : 0));
    }
}

static void test_run(void **state) {
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s.arg %%out : !pto.memref<16x16x%s>\n%ststore %%dst, %%out[0, 0]\n",
                 examples[i].args, examples[i].result == PTO_F16 ? "f16" : "f32", examples[i].synchronous);
        pto_program *program = ssa_parse_good(text);
        run(&examples[i], program);
        for (int dialect = PTO_DIALECT_LEVEL1; dialect <= PTO_DIALECT_GENERIC; dialect++) {
            pto_program *other = ssa_convert(program, (pto_dialect)dialect);
            run(&examples[i], other);
            pto_program_destroy(other);
        }
        pto_program_destroy(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synchronous),      cmocka_unit_test(test_level1), cmocka_unit_test(test_level2),
        cmocka_unit_test(test_assembly_listing), cmocka_unit_test(test_open),   cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
