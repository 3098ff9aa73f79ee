/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as TileOp blocks on NaN, infinities, zeros and zero divisors: an operation that PTO-W0265 does not
 * tell of gives the same bytes in both forms, one that it tells of differs, and only so: the block has the
 * number where the library has NaN, +Inf where it has -Inf, or a fault where it has 0. And three of them word
 * for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/block_testing.h"
#include "support/program_testing.h"
#include "support/tile_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AREA = 1 << 14, ROWS = 6, COLS = 10, PITCH = 48, ARGUMENTS = 4 };

typedef struct element_type {
    pto_dtype dtype;
    const char *name, *one, *special; /* constants: an ordinary one, a NaN or zero */
    unsigned exponent;                /* bits of the exponent and the fraction of floats */
    unsigned fraction;
} element_type;

static const element_type types[] = {{PTO_F32, "f32", "0.75", "0x7FC00001", 8, 23},
                                     {PTO_F16, "f16", "0.75", "0x7E01", 5, 10},
                                     {PTO_BF16, "bf16", "0.75", "0x7FC1", 8, 7},
                                     {PTO_S32, "i32", "3", "0", 0, 0},
                                     {PTO_S16, "i16", "3", "0", 0, 0},
                                     {PTO_S8, "i8", "3", "0", 0, 0},
                                     {PTO_U32, "ui32", "3", "0", 0, 0},
                                     {PTO_U16, "ui16", "3", "0", 0, 0},
                                     {PTO_U8, "ui8", "3", "0", 0, 0}};
enum { TYPES = sizeof types / sizeof *types };

static bool is_nan(const element_type *type, uint64_t code) {
    const uint64_t all = (UINT64_C(1) << type->exponent) - 1;
    return type->exponent && (code >> type->fraction & all) == all &&
           (code & ((UINT64_C(1) << type->fraction) - 1));
}

/* One in four a NaN, an infinity, a zero, the least number; otherwise about 1. Integers: one in four a zero.
 */
static uint64_t some_code(const element_type *type, testing_random *random) {
    const uint64_t word = testing_next(random), sign = (word >> 60 & 1) << (type->exponent + type->fraction);
    const uint64_t fraction = word & ((UINT64_C(1) << type->fraction) - 1);
    const uint64_t all = ((UINT64_C(1) << type->exponent) - 1) << type->fraction;
    if (!type->exponent)
        return word >> 32 & 3 ? word : 0;
    switch (word >> 32 & 15) {
    case 0:
        return sign | all | fraction | 1;
    case 1:
        return sign | all;
    case 2:
        return sign;
    case 3:
        return sign | 1;
    default:
        return sign | ((UINT64_C(1) << (type->exponent - 1)) - 1) << type->fraction | fraction;
    }
}

/* ---- one kernel ---- */

/* What the line of an operation gives: a tile, a column, a row, positions in a column or a row. */
typedef enum result { TILE, COLUMN, ROW, COLUMN_INDEX, ROW_INDEX } result;

typedef struct operation {
    const char *line; /* TYPE stands for the element type */
    result result;
} operation;

#define TWO(op)                                                                                              \
    { "pto." op " ins(%a, %b : !t, !t) outs(%d : !t)", TILE }
#define ONE(op)                                                                                              \
    { "pto." op " ins(%a : !t) outs(%d : !t)", TILE }
#define SCALAR(op)                                                                                           \
    { "pto." op " ins(%a, %k : !t, TYPE) outs(%d : !t)", TILE }
#define BY_COLUMN(op)                                                                                        \
    { "pto." op " ins(%a, %c : !t, !c) outs(%d : !t)", TILE }
#define BY_ROW(op)                                                                                           \
    { "pto." op " ins(%a, %r : !t, !r) outs(%d : !t)", TILE }
#define TO_COLUMN(op)                                                                                        \
    { "pto." op " ins(%a, %d : !t, !t) outs(%cd : !c)", COLUMN }
#define TO_ROW(op)                                                                                           \
    { "pto." op " ins(%a : !t) outs(%rd : !r)", ROW }
#define TO_COLUMN_INDEX(op)                                                                                  \
    { "pto." op " ins(%a, %d : !t, !t) outs(%ci : !ci)", COLUMN_INDEX }
#define TO_ROW_INDEX(op)                                                                                     \
    { "pto." op " ins(%a, %d : !t, !t) outs(%ri : !ri)", ROW_INDEX }
#define COMPARED(mode)                                                                                       \
    {                                                                                                        \
        "pto.tcmp ins(%a, %b {cmpMode = #pto<cmp " mode ">} : !t, !t) outs(%mask : !mask)\n"                 \
        "pto.tsel ins(%mask, %a, %b, %e : !mask, !t, !t, !t) outs(%d : !t)",                                 \
            TILE                                                                                             \
    }
static const operation operations[] = {
    TWO("tadd"),
    TWO("tsub"),
    TWO("tmul"),
    TWO("tdiv"),
    TWO("trem"),
    TWO("tfmod"),
    TWO("tand"),
    TWO("tor"),
    TWO("txor"),
    TWO("tshl"),
    TWO("tshr"),
    TWO("tmax"),
    TWO("tmin"),
    TWO("tprelu"),
    ONE("tabs"),
    ONE("tneg"),
    ONE("tnot"),
    ONE("texp"),
    ONE("tlog"),
    ONE("trecip"),
    ONE("tsqrt"),
    ONE("trsqrt"),
    ONE("trelu"),
    {"pto.taddc ins(%a, %b, %e : !t, !t, !t) outs(%d : !t)", TILE},
    {"pto.tsubc ins(%a, %b, %e : !t, !t, !t) outs(%d : !t)", TILE},
    {"pto.tmuladddst ins(%a, %b : !t, !t) outs(%d : !t)", TILE},
    {"pto.taxpy ins(%a, %k : !t, TYPE) outs(%d : !t)", TILE},
    {"pto.taddsc ins(%a, %k, %b : !t, TYPE, !t) outs(%d : !t)", TILE},
    {"pto.tsubsc ins(%a, %k, %b : !t, TYPE, !t) outs(%d : !t)", TILE},
    {"pto.texpands ins(%k : TYPE) outs(%d : !t)", TILE},
    SCALAR("tadds"),
    SCALAR("tsubs"),
    SCALAR("tmuls"),
    SCALAR("tdivs"),
    SCALAR("trems"),
    SCALAR("tfmods"),
    SCALAR("tands"),
    SCALAR("tors"),
    SCALAR("txors"),
    SCALAR("tshls"),
    SCALAR("tshrs"),
    SCALAR("tmaxs"),
    SCALAR("tmins"),
    SCALAR("tlrelu"),
    COMPARED("eq"),
    COMPARED("ne"),
    COMPARED("lt"),
    COMPARED("gt"),
    COMPARED("le"),
    COMPARED("ge"),
    TO_COLUMN("trowsum"),
    TO_COLUMN("trowprod"),
    TO_COLUMN("trowmax"),
    TO_COLUMN("trowmin"),
    TO_ROW("tcolsum"),
    TO_ROW("tcolprod"),
    TO_ROW("tcolmax"),
    TO_ROW("tcolmin"),
    TO_COLUMN_INDEX("trowargmax"),
    TO_COLUMN_INDEX("trowargmin"),
    TO_ROW_INDEX("tcolargmax"),
    TO_ROW_INDEX("tcolargmin"),
    {"pto.trowexpand ins(%c : !c) outs(%d : !t)", TILE},
    {"pto.tcolexpand ins(%r : !r) outs(%d : !t)", TILE},
    BY_COLUMN("trowexpandadd"),
    BY_COLUMN("trowexpandsub"),
    BY_COLUMN("trowexpandmul"),
    BY_COLUMN("trowexpanddiv"),
    BY_COLUMN("trowexpandmax"),
    BY_COLUMN("trowexpandmin"),
    BY_COLUMN("trowexpandexpdif"),
    BY_ROW("tcolexpandadd"),
    BY_ROW("tcolexpandsub"),
    BY_ROW("tcolexpandmul"),
    BY_ROW("tcolexpanddiv"),
    BY_ROW("tcolexpandmax"),
    BY_ROW("tcolexpandmin"),
    BY_ROW("tcolexpandexpdif"),
    {"pto.tcvt ins(%a {rmode = #pto<round_mode RINT>} : !t) outs(%ti : !ti)\n"
     "pto.tstore ins(%ti : !ti) outs(%zi : !pi)",
     TILE},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void add(text_buffer *t, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert_true(length < (int)sizeof line);
    collect_text(t, line, (size_t)length);
}

static void add_line(text_buffer *t, const char *line, const char *type) {
    for (const char *at; (at = strstr(line, "TYPE")); line = at + 4)
        add(t, "%.*s%s", (int)(at - line), line, type);
    add(t, "%s\n", line);
}

/* x and y in, o (and u, 32-bit integers) out. */
static char *kernel_of(const operation *op, const element_type *type, const char *constant) {
    text_buffer t = {0};
    const int unit = 256 / (int)pto_dtype_bits(type->dtype), capacity = (COLS + unit - 1) / unit * unit,
              height = (ROWS + unit - 1) / unit * unit;
    const char *n = type->name;
    add(&t, "!v = !pto.tensor_view<?x?x%s>\n!vi = !pto.tensor_view<?x?xi32>\n", n);
    add(&t,
        "!p = !pto.partition_tensor_view<6x10x%s>\n!pc = !pto.partition_tensor_view<6x1x%s>\n"
        "!pr = !pto.partition_tensor_view<1x10x%s>\n",
        n, n, n);
    add(&t, "!pi = !pto.partition_tensor_view<6x10xi32>\n!pci = !pto.partition_tensor_view<6x1xi32>\n"
            "!pri = !pto.partition_tensor_view<1x10xi32>\n");
    add(&t, "!t = !pto.tile_buf<vec, 6x%dx%s, valid=6x10>\n!ti = !pto.tile_buf<vec, 6x%dxi32, valid=6x10>\n",
        capacity, n, capacity < 16 ? 16 : capacity);
    add(&t, "!c = !pto.tile_buf<vec, %dx1x%s, valid=6x1, blayout=col_major>\n", height, n);
    add(&t, "!r = !pto.tile_buf<vec, 1x%dx%s, valid=1x10>\n!mask = !pto.tile_buf<vec, 6x32xui8>\n", capacity,
        n);
    add(&t, "!ci = !pto.tile_buf<vec, 8x1xi32, valid=6x1, blayout=col_major>\n"
            "!ri = !pto.tile_buf<vec, 1x16xi32, valid=1x10>\n");
    add(&t,
        "module {\nfunc.func @kernel(%%x: !pto.ptr<%s>, %%y: !pto.ptr<%s>, %%u: !pto.ptr<i32>, %%o: "
        "!pto.ptr<%s>) attributes {pto.entry} {\n",
        n, n, n);
    static const int numbers[] = {0, 1, 6, 8, 10, 12, 16, 48};
    for (int i = 0; i < 8; i++)
        add(&t, "%%c%d = arith.constant %d : index\n", numbers[i], numbers[i]);
    add(&t, "%%k = arith.constant %s : %s\n", constant, n);
    for (int i = 0; i < 4; i++)
        add(&t, "%%v%c = pto.make_tensor_view %%%c, shape = [%%c16, %%c48], strides = [%%c48, %%c1] : !v%s\n",
            "xyuo"[i], "xyuo"[i], i == 2 ? "i" : "");
    static const struct {
        const char *name, *view, *row, *col, *sizes, *from, *type;
    } parts[] = {{"pa", "vx", "c0", "c0", "%c6, %c10", "!v", "!p"},
                 {"pb", "vy", "c0", "c0", "%c6, %c10", "!v", "!p"},
                 {"pc", "vy", "c0", "c12", "%c6, %c1", "!v", "!pc"},
                 {"pr", "vy", "c8", "c0", "%c1, %c10", "!v", "!pr"},
                 {"pe", "vx", "c8", "c0", "%c6, %c10", "!v", "!p"},
                 {"z", "vo", "c0", "c0", "%c6, %c10", "!v", "!p"},
                 {"zc", "vo", "c0", "c0", "%c6, %c1", "!v", "!pc"},
                 {"zr", "vo", "c0", "c0", "%c1, %c10", "!v", "!pr"},
                 {"zi", "vu", "c0", "c0", "%c6, %c10", "!vi", "!pi"},
                 {"zci", "vu", "c0", "c0", "%c6, %c1", "!vi", "!pci"},
                 {"zri", "vu", "c0", "c0", "%c1, %c10", "!vi", "!pri"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add(&t, "%%%s = pto.partition_view %%%s, offsets = [%%%s, %%%s], sizes = [%s] : %s -> %s\n",
            parts[i].name, parts[i].view, parts[i].row, parts[i].col, parts[i].sizes, parts[i].from,
            parts[i].type);
    static const char *const tiles[][2] = {{"a", "t"},   {"b", "t"},       {"d", "t"},   {"e", "t"},
                                           {"ti", "ti"}, {"c", "c"},       {"cd", "c"},  {"r", "r"},
                                           {"rd", "r"},  {"mask", "mask"}, {"ci", "ci"}, {"ri", "ri"}};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        add(&t, "%%%s = pto.alloc_tile : !%s\n", tiles[i][0], tiles[i][1]);
    add(&t, "pto.tload ins(%%pa : !p) outs(%%a : !t)\npto.tload ins(%%pb : !p) outs(%%b : !t)\n"
            "pto.tload ins(%%pe : !p) outs(%%e : !t)\npto.tload ins(%%pe : !p) outs(%%d : !t)\n"
            "pto.tload ins(%%pc : !pc) outs(%%c : !c)\npto.tload ins(%%pr : !pr) outs(%%r : !r)\n");
    add_line(&t, op->line, n);
    static const char *const stores[] = {"%d : !t) outs(%z : !p)", "%cd : !c) outs(%zc : !pc)",
                                         "%rd : !r) outs(%zr : !pr)", "%ci : !ci) outs(%zci : !pci)",
                                         "%ri : !ri) outs(%zri : !pri)"};
    add(&t, "pto.tstore ins(%s\nreturn\n}\n}\n", stores[op->result]);
    return t.data;
}

/* ---- both forms ---- */

static char *blocks_of(const char *text, pto_diag_list *diags) {
    text_buffer out = {0};
    pto_program *program = parse_program(text);
    const pto_status status = pto_program_emit(program, PTO_LANGUAGE_BLOCK, NULL, collect_text, &out, diags);
    pto_program_destroy(program);
    if (status != PTO_OK) {
        free(out.data);
        return NULL;
    }
    return out.data;
}

typedef struct outcome {
    _Alignas(64) uint8_t kernel[ARGUMENTS][AREA];
    uint8_t block[ARGUMENTS][AREA];
    bool faults, differs;
} outcome;

/* The memory is filled already, in both. */
static void run_both(const char *text, const char *blocks, outcome *o) {
    block_bench bench = block_bench_make(NULL, NULL);
    pto_argument argument[ARGUMENTS];
    for (int i = 0; i < ARGUMENTS; i++) {
        argument[i] = (pto_argument){.data = o->kernel[i], .bytes = AREA};
        memcpy(bench.memory + i * AREA, o->kernel[i], AREA);
        pto_block_set_gpr(bench.machine, 2 + (unsigned)i, BLOCK_MEMORY + (uint64_t)i * AREA);
    }
    run_text(text, argument, ARGUMENTS, NULL);
    block_bench_load(&bench, blocks);
    o->faults = pto_block_run(bench.machine, 10000) != PTO_OK;
    if (o->faults && strcmp(pto_block_last_fault(bench.machine)->rule, "PTO-E1650"))
        fail_msg("%s: %s", blocks, pto_block_last_fault(bench.machine)->text);
    for (int i = 0; i < ARGUMENTS; i++)
        memcpy(o->block[i], bench.memory + i * AREA, AREA);
    o->differs = o->faults || memcmp(o->kernel, o->block, sizeof o->kernel);
    block_bench_drop(&bench);
}

static uint64_t at(const element_type *type, const void *area, int r, int c) {
    return testing_load(area, type->dtype, (int64_t)r * PITCH + c);
}

/* How the two results differ where PTO-W0265 says that they do. */
static void explain(const operation *op, const element_type *type, const outcome *o, const char *text) {
    if (o->faults) { /* an integer division: the library has gone on, the block has stored nothing */
        assert_int_equal(type->exponent, 0);
        return;
    }
    if (op->result >= COLUMN_INDEX) /* another position: that of a NaN in the library, of a number here */
        for (int i = 0; i < (op->result == COLUMN_INDEX ? ROWS : COLS); i++) {
            const bool column = op->result == COLUMN_INDEX;
            int32_t library, block;
            memcpy(&library, o->kernel[2] + 4 * (column ? i * PITCH : i), 4);
            memcpy(&block, o->block[2] + 4 * (column ? i * PITCH : i), 4);
            if (library != block &&
                (!is_nan(type, at(type, o->kernel[0], column ? i : library, column ? library : i)) ||
                 is_nan(type, at(type, o->kernel[0], column ? i : block, column ? block : i))))
                fail_msg("%s: line %d has position %d, the block %d", text, i, (int)library, (int)block);
        }
    else
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < PITCH; c++) {
                const uint64_t library = at(type, o->kernel[3], r, c), block = at(type, o->block[3], r, c);
                if (strstr(op->line, "trsqrt") && library != block) { /* of -0 */
                    const uint64_t sign = UINT64_C(1) << (type->exponent + type->fraction);
                    assert_int_equal(at(type, o->kernel[0], r, c), sign);
                    assert_int_equal(library, block | sign);
                } else if (library != block && (!is_nan(type, library) || is_nan(type, block)))
                    fail_msg("%s: (%d, %d) is 0x%llx, the block has 0x%llx", text, r, c,
                             (unsigned long long)library, (unsigned long long)block);
            }
}

/* A difference that nobody told of. */
static void tell(const operation *op, const element_type *type, const outcome *o, const char *blocks) {
    for (int i = 2; i < ARGUMENTS; i++)
        for (int k = 0; k < AREA / 4; k++) {
            const pto_dtype dtype = i == 2 ? PTO_S32 : type->dtype;
            if ((size_t)k * pto_dtype_bits(dtype) / 8 < AREA &&
                testing_load(o->kernel[i], dtype, k) != testing_load(o->block[i], dtype, k))
                fail_msg("%s of %s: 0x%llx and 0x%llx are 0x%llx, the block has 0x%llx\n%s", op->line,
                         type->name, (unsigned long long)testing_load(o->kernel[0], type->dtype, k),
                         (unsigned long long)testing_load(o->kernel[1], type->dtype, k),
                         (unsigned long long)testing_load(o->kernel[i], dtype, k),
                         (unsigned long long)testing_load(o->block[i], dtype, k), blocks);
        }
    fail_msg("%s of %s: a fault that nobody told of\n%s", op->line, type->name, blocks);
}

/* Told of or not: the number of runs that differed. */
static int try_kernel(const operation *op, const element_type *type, const char *constant, int *told) {
    static outcome o;
    char *text = kernel_of(op, type, constant);
    pto_diag_list *diags = pto_diag_list_create();
    char *blocks = blocks_of(text, diags);
    int differing = 0;
    *told = -1;
    if (!blocks) { /* the types of the library, or sums of floats */
        free(text);
        pto_diag_list_destroy(diags);
        return 0;
    }
    *told = pto_diag_has(diags, "PTO-W0265");
    for (uint64_t seed = 0; seed < 4; seed++) {
        testing_random random = {seed};
        memset(&o, 0, sizeof o);
        for (int i = 0; i < ARGUMENTS; i++)
            for (int k = 0; k < 16 * PITCH; k++)
                testing_store(o.kernel[i], type->dtype, k, some_code(type, &random));
        run_both(text, blocks, &o);
        if (o.differs && !*told)
            tell(op, type, &o, blocks);
        if (o.differs)
            explain(op, type, &o, text);
        differing += o.differs;
    }
    if (*told && !differing)
        fail_msg("these do not differ:\n%s\n%s", text, blocks);
    free(blocks);
    free(text);
    pto_diag_list_destroy(diags);
    return differing;
}

static void told_where_they_differ(void **state) {
    (void)state;
    int kernels = 0, warned = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        int accepted = 0;
        for (int k = 0; k < TYPES; k++)
            for (int special = 0; special < 2; special++) {
                int told;
                try_kernel(&operations[i], &types[k], special ? types[k].special : types[k].one, &told);
                accepted += told >= 0;
                warned += told > 0;
            }
        kernels += accepted;
        if (!accepted)
            fail_msg("no type: %s", operations[i].line);
    }
    print_message("%d kernels, %d with a warning\n", kernels, warned);
}

/* ---- word for word ---- */

typedef struct golden {
    const char *type, *line, *blocks;
    uint32_t a[8], b[8], library[8], block[8];
    bool faults;
} golden;

enum { NOT = 0x55555555 }; /* what stood there before */

#define GOLDEN_KERNEL                                                                                        \
    "!v = !pto.tensor_view<1x8x%s>\n!p = !pto.partition_tensor_view<1x8x%s>\n!t = !pto.tile_buf<vec, "       \
    "1x8x%s>\n"                                                                                              \
    "func.func @kernel(%%x: !pto.ptr<%s>, %%y: !pto.ptr<%s>, %%o: !pto.ptr<%s>) attributes {pto.entry} {\n"  \
    "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%c8 = arith.constant 8 : index\n"    \
    "%%vx = pto.make_tensor_view %%x, shape = [%%c1, %%c8], strides = [%%c8, %%c1] : !v\n"                   \
    "%%vy = pto.make_tensor_view %%y, shape = [%%c1, %%c8], strides = [%%c8, %%c1] : !v\n"                   \
    "%%vo = pto.make_tensor_view %%o, shape = [%%c1, %%c8], strides = [%%c8, %%c1] : !v\n"                   \
    "%%px = pto.partition_view %%vx, offsets = [%%c0, %%c0], sizes = [%%c1, %%c8] : !v -> !p\n"              \
    "%%py = pto.partition_view %%vy, offsets = [%%c0, %%c0], sizes = [%%c1, %%c8] : !v -> !p\n"              \
    "%%po = pto.partition_view %%vo, offsets = [%%c0, %%c0], sizes = [%%c1, %%c8] : !v -> !p\n"              \
    "%%a = pto.alloc_tile : !t\n%%b = pto.alloc_tile : !t\n%%d = pto.alloc_tile : !t\n"                      \
    "pto.tload ins(%%px : !p) outs(%%a : !t)\npto.tload ins(%%py : !p) outs(%%b : !t)\n"                     \
    "%s\npto.tstore ins(%%d : !t) outs(%%po : !p)\nreturn\n}\n"
enum { GOLDEN_LINE = 19 }; /* of the operation */

#define MAXIMUM                                                                                              \
    "# kernel: a0 = %x, a1 = %y, a2 = %o\n"                                                                  \
    "TLOAD <LB0:8, LB1:1, FP32>, [a0], ->T<128B>\nTLOAD <LB0:8, LB1:1, FP32>, [a1], ->T<128B>\n"             \
    "TMAX <LB0:8, LB1:1, FP32>, T#2, T#1, ->T<128B>\nTSTORE <LB0:8, LB1:1, FP32>, T#1, [a2]\nC.BSTOP\n"
#define QUOTIENT                                                                                             \
    "# kernel: a0 = %x, a1 = %y, a2 = %o\n"                                                                  \
    "TLOAD <LB0:8, LB1:1, S32>, [a0], ->T<128B>\nTLOAD <LB0:8, LB1:1, S32>, [a1], ->T<128B>\n"               \
    "TDIV <LB0:8, LB1:1, S32>, T#2, T#1, ->T<128B>\nTSTORE <LB0:8, LB1:1, S32>, T#1, [a2]\nC.BSTOP\n"
#define ROOT                                                                                                 \
    "# kernel: a0 = %x, a1 = %y, a2 = %o\n"                                                                  \
    "TLOAD <LB0:8, LB1:1, FP32>, [a0], ->T<128B>\nTRSQRT <LB0:8, LB1:1, FP32>, T#1, ->T<128B>\n"             \
    "TSTORE <LB0:8, LB1:1, FP32>, T#1, [a2]\nC.BSTOP\n"
static const golden goldens[] = {
    /* a number wins over a NaN in the block (70, 9.1), a NaN over a number in the library (10, 1.5) */
    {"f32",
     "pto.tmax ins(%a, %b : !t, !t) outs(%d : !t)",
     MAXIMUM,
     {0x7fc00001, 0x3f800000, 0x7fc00000, 0x80000000, 0x40a00000, 0xff800000, 0x7f800001, 0x40000000},
     {0x40000000, 0x7fc00000, 0xffc00000, 0x00000000, 0xc0a00000, 0x7f800000, 0x40400000, 0xffc12345},
     {0x7fc00000, 0x7fc00000, 0x7fc00000, 0x00000000, 0x40a00000, 0x7f800000, 0x7fc00000, 0x7fc00000},
     {0x40000000, 0x3f800000, 0x7fc00000, 0x00000000, 0x40a00000, 0x7f800000, 0x40400000, 0x40000000},
     false},
    /* a zero divisor is a fault before effects (70, 9.1), 0 in the library (10, 1.5); MIN / -1 wraps in both
     */
    {"i32",
     "pto.tdiv ins(%a, %b : !t, !t) outs(%d : !t)",
     QUOTIENT,
     {7, (uint32_t)-7, 7, (uint32_t)-7, 0x80000000, 0x80000000, 0, 0x7fffffff},
     {2, 2, (uint32_t)-2, (uint32_t)-2, (uint32_t)-1, 1, 5, 0x80000000},
     {3, (uint32_t)-3, (uint32_t)-3, 3, 0x80000000, 0x80000000, 0, 0},
     {3, (uint32_t)-3, (uint32_t)-3, 3, 0x80000000, 0x80000000, 0, 0},
     false},
    {"i32",
     "pto.tdiv ins(%a, %b : !t, !t) outs(%d : !t)",
     QUOTIENT,
     {7, 8, 9, 10, 11, 12, 13, 0},
     {1, 2, 3, 5, 11, 6, 1, 0},
     {7, 4, 3, 2, 1, 2, 13, 0},
     {NOT, NOT, NOT, NOT, NOT, NOT, NOT, NOT},
     true},
    /* 1 / sqrt(-0): +Inf by 70, 9.2, -Inf by 10, 5 */
    {"f32",
     "pto.trsqrt ins(%a : !t) outs(%d : !t)",
     ROOT,
     {0x80000000, 0x00000000, 0x7f800000, 0xff800000, 0x40800000, 0x7fc12345, 0xbf800000, 0x3f800000},
     {0},
     {0xff800000, 0x7f800000, 0x00000000, 0x7fc00000, 0x3f000000, 0x7fc00000, 0x7fc00000, 0x3f800000},
     {0x7f800000, 0x7f800000, 0x00000000, 0x7fc00000, 0x3f000000, 0x7fc00000, 0x7fc00000, 0x3f800000},
     false},
};

static void same_codes(const golden *g, const char *form, const void *found, const uint32_t *wanted) {
    for (int i = 0; i < 8; i++) {
        uint32_t code;
        memcpy(&code, (const uint8_t *)found + 4 * i, 4);
        if (code != wanted[i])
            fail_msg("%s, %s: element %d is %08x, not %08x", g->line, form, i, code, wanted[i]);
    }
}

static void word_for_word(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        const golden *g = &goldens[i];
        static _Alignas(64) uint32_t memory[3][16];
        char text[4096];
        snprintf(text, sizeof text, GOLDEN_KERNEL, g->type, g->type, g->type, g->type, g->type, g->type,
                 g->line);
        pto_diag_list *diags = pto_diag_list_create();
        char *blocks = blocks_of(text, diags);
        assert_non_null(blocks);
        assert_string_equal(blocks, g->blocks);
        const pto_diagnostic *told = pto_diag_first(diags);
        assert_non_null(told);
        assert_string_equal(told->rule, "PTO-W0265");
        assert_int_equal(told->line, GOLDEN_LINE);
        assert_null(told->next);
        memcpy(memory[0], g->a, 32);
        memcpy(memory[1], g->b, 32);
        for (int k = 0; k < 8; k++)
            memory[2][k] = NOT;
        block_bench bench = block_bench_make(NULL, NULL);
        pto_argument argument[3];
        for (int k = 0; k < 3; k++) {
            argument[k] = (pto_argument){.data = memory[k], .bytes = sizeof *memory};
            memcpy(bench.memory + 4096 * k, memory[k], sizeof *memory);
            pto_block_set_gpr(bench.machine, 2 + (unsigned)k, BLOCK_MEMORY + 4096 * (uint64_t)k);
        }
        run_text(text, argument, 3, NULL);
        same_codes(g, "library", memory[2], g->library);
        block_bench_load(&bench, blocks);
        assert_int_equal(pto_block_run(bench.machine, 1000), g->faults ? PTO_ERR_REFUSED : PTO_OK);
        if (g->faults)
            assert_string_equal(pto_block_last_fault(bench.machine)->rule, "PTO-E1650");
        same_codes(g, "block", bench.memory + 8192, g->block);
        block_bench_drop(&bench);
        free(blocks);
        pto_diag_list_destroy(diags);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_where_they_differ),
        cmocka_unit_test(word_for_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
