/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as TileOp blocks: random straight-line programs of loads, arithmetic, broadcasts, conversions,
 * comparisons, products and stores give the bytes of a run on target cpu, the text assembles and pto check
 * finds nothing; and what is refused, at both sides of each boundary. PTO_BLOCK_PROGRAMS (600) sets their
 * number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/block_testing.h"
#include "support/program_testing.h"
#include "support/tile_testing.h"

enum { AREA = 1 << 17, INPUTS = 3, TILES = 8 }; /* bytes of an argument */

/* ---- random programs ---- */

typedef struct kernel {
    text_buffer text;
    testing_random random;
    int32_t rows, cols;
    pto_dtype dtype;
    const char *name; /* of the type */
    bool is_float;
    bool tame;           /* floats without NaN: extremes may be taken, nothing may grow */
    bool written[TILES]; /* %t0.. whole tiles */
    bool has_column, has_row, has_mask;
    int stored;
    int blocks; /* instructions so far */
} kernel;

static void add(kernel *k, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    collect_text(&k->text, line, (size_t)length);
}

static int pick(kernel *k, int count) { return (int)testing_below(&k->random, (uint32_t)count); }

static int some_written(kernel *k) {
    int t = pick(k, TILES);
    while (!k->written[t])
        t = (t + 1) % TILES;
    return t;
}

static const struct {
    pto_dtype dtype;
    const char *name;
} types[] = {{PTO_F32, "f32"}, {PTO_F16, "f16"}, {PTO_BF16, "bf16"}, {PTO_S32, "i32"}, {PTO_S16, "i16"},
             {PTO_S8, "i8"},   {PTO_U8, "ui8"},  {PTO_U32, "ui32"},  {PTO_U16, "ui16"}};
enum { TYPES = sizeof types / sizeof *types };

static void load(kernel *k) {
    int t = pick(k, TILES), from = pick(k, INPUTS), row = pick(k, 4), col = pick(k, 4);
    add(k, "%%o%d = arith.constant %d : index\n%%q%d = arith.constant %d : index\n", k->blocks, row,
        k->blocks, col);
    add(k,
        "%%p%d = pto.partition_view %%v%d, offsets = [%%o%d, %%q%d], sizes = [%%rows, %%cols] : !m -> !p\n",
        k->blocks, from, k->blocks, k->blocks);
    add(k, "pto.tload ins(%%p%d : !p) outs(%%t%d : !t)\n", k->blocks, t);
    k->written[t] = true;
}

static void store(kernel *k, int t) {
    add(k, "%%s%d = arith.constant %d : index\n", k->blocks, k->stored++ * k->rows);
    add(k, "%%z%d = pto.partition_view %%out, offsets = [%%s%d, %%c0], sizes = [%%rows, %%cols] : !w -> !p\n",
        k->blocks, k->blocks);
    add(k, "pto.tstore ins(%%t%d : !t) outs(%%z%d : !p)\n", t, k->blocks);
}

static void compute(kernel *k) {
    static const char *const two[] = {"tadd", "tsub", "tmul", "tadd"};
    static const char *const bits[] = {"tand", "tor", "txor", "tshl", "tshr"};
    static const char *const one_float[] = {"texp",   "tlog", "tsqrt", "trsqrt",
                                            "trecip", "tabs", "tneg",  "trelu"};
    static const char *const scalar[] = {"tadds", "tsubs", "tmuls"};
    int a = some_written(k), b = some_written(k), d = pick(k, TILES);
    int kind = pick(k, 12);
    if (k->tame && kind < 2)
        kind = 3;
    else if (k->is_float && !k->tame && (kind == 5 || kind == 6))
        kind = 2;
    switch (kind) {
    case 0:
    case 1:
        add(k, "pto.%s ins(%%t%d, %%t%d : !t, !t) outs(%%t%d : !t)\n", two[pick(k, 4)], a, b, d);
        break;
    case 2:
        if (k->is_float)
            add(k, "pto.%s ins(%%t%d : !t) outs(%%t%d : !t)\n",
                one_float[k->tame ? 5 + pick(k, 3) : pick(k, 8)], a, d);
        else
            add(k, "pto.%s ins(%%t%d, %%t%d : !t, !t) outs(%%t%d : !t)\n", bits[pick(k, 5)], a, b, d);
        break;
    case 3:
        add(k, "pto.%s ins(%%t%d, %%k : !t, %s) outs(%%t%d : !t)\n", scalar[k->tame ? 2 : pick(k, 3)], a,
            k->name, d);
        break;
    case 4:
        add(k, "pto.texpands ins(%%k : %s) outs(%%t%d : !t)\n", k->name, d);
        break;
    case 5: /* a column: exact in any order */
        if (k->is_float && pick(k, 2))
            add(k, "pto.trowmax ins(%%t%d, %%scratch : !t, !t) outs(%%column : !c)\n", a);
        else if (k->dtype == PTO_S32 || k->dtype == PTO_S16)
            add(k, "pto.trowsum ins(%%t%d, %%scratch : !t, !t) outs(%%column : !c)\n", a);
        else
            add(k, "pto.trowmin ins(%%t%d, %%scratch : !t, !t) outs(%%column : !c)\n", a);
        k->has_column = true;
        return;
    case 6:
        add(k, "pto.tcolmax ins(%%t%d : !t) outs(%%row : !r)\n", a);
        k->has_row = true;
        return;
    case 7:
        if (!k->has_column || k->tame)
            return;
        add(k, "pto.trowexpandsub ins(%%t%d, %%column : !t, !c) outs(%%t%d : !t)\n", a, d);
        break;
    case 8:
        if (!k->has_row)
            return;
        if (!k->tame && pick(k, 2))
            add(k, "pto.tcolexpandadd ins(%%t%d, %%row : !t, !r) outs(%%t%d : !t)\n", a, d);
        else
            add(k, "pto.tcolexpand ins(%%row : !r) outs(%%t%d : !t)\n", d);
        break;
    case 9:
        add(k, "pto.tmov ins(%%t%d : !t) outs(%%t%d : !t)\n", a, a == d ? (d + 1) % TILES : d);
        d = a == d ? (d + 1) % TILES : d;
        break;
    case 10:
        add(k, "pto.tcmp ins(%%t%d, %%t%d {cmpMode = #pto<cmp %s>} : !t, !t) outs(%%mask : !mask)\n", a, b,
            ((const char *const[]){"eq", "ne", "lt", "le", "gt", "ge"})[pick(k, 6)]);
        k->has_mask = true;
        return;
    default:
        if (!k->has_mask)
            return;
        add(k, "pto.tsel ins(%%mask, %%t%d, %%t%d, %%scratch : !mask, !t, !t, !t) outs(%%t%d : !t)\n", a, b,
            d);
        break;
    }
    k->written[d] = true;
}

static char *random_kernel(uint64_t seed, kernel *k) {
    *k = (kernel){.random = {seed}};
    int type = pick(k, TYPES);
    k->dtype = types[type].dtype;
    k->name = types[type].name;
    k->is_float = pto_dtype_is_float(k->dtype);
    k->tame = k->is_float && pick(k, 2);
    int unit = 256 / (int)pto_dtype_bits(k->dtype);
    k->rows = 1 + pick(k, 16);
    k->cols = 1 + pick(k, 40);
    int capacity = (k->cols + unit - 1) / unit * unit, column = (k->rows + unit - 1) / unit * unit;
    int mask = ((k->cols + 7) / 8 + 31) / 32 * 32;
    add(k,
        "!m = !pto.tensor_view<?x?x%s>\n!w = !pto.tensor_view<?x?x%s>\n!p = "
        "!pto.partition_tensor_view<%dx%dx%s>\n",
        k->name, k->name, k->rows, k->cols, k->name);
    add(k, "!t = !pto.tile_buf<vec, %dx%dx%s, valid=%dx%d>\n", k->rows, capacity, k->name, k->rows, k->cols);
    add(k, "!c = !pto.tile_buf<vec, %dx1x%s, valid=%dx1, blayout=col_major>\n", column, k->name, k->rows);
    add(k, "!r = !pto.tile_buf<vec, 1x%dx%s, valid=1x%d>\n!mask = !pto.tile_buf<vec, %dx%dxui8>\n", capacity,
        k->name, k->cols, k->rows, mask);
    add(k,
        "module {\nfunc.func @kernel(%%x: !pto.ptr<%s>, %%y: !pto.ptr<%s>, %%u: !pto.ptr<%s>, %%o: "
        "!pto.ptr<%s>) attributes "
        "{pto.entry} {\n",
        k->name, k->name, k->name, k->name);
    add(k,
        "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%rows = arith.constant %d : "
        "index\n"
        "%%cols = arith.constant %d : index\n%%height = arith.constant 64 : index\n%%width = arith.constant "
        "48 : index\n"
        "%%many = arith.constant 400 : index\n",
        k->rows, k->cols);
    add(k, k->is_float ? "%%k = arith.constant 0.75 : %s\n" : "%%k = arith.constant 3 : %s\n", k->name);
    for (int i = 0; i < INPUTS; i++)
        add(k,
            "%%v%d = pto.make_tensor_view %%%c, shape = [%%height, %%width], strides = [%%width, %%c1] : "
            "!m\n",
            i, "xyu"[i]);
    add(k, "%%out = pto.make_tensor_view %%o, shape = [%%many, %%cols], strides = [%%cols, %%c1] : !w\n");
    for (int t = 0; t < TILES; t++)
        add(k, "%%t%d = pto.alloc_tile : !t\n", t);
    add(k, "%%column = pto.alloc_tile : !c\n%%row = pto.alloc_tile : !r\n%%scratch = pto.alloc_tile : "
           "!t\n%%mask = pto.alloc_tile : !mask\n");
    int instructions = 3 + pick(k, 30);
    for (k->blocks = 0; k->blocks < instructions; k->blocks++)
        if (k->blocks < 2 || pick(k, 6) == 0)
            load(k);
        else if (pick(k, 7) == 0)
            store(k, some_written(k));
        else
            compute(k);
    store(k, some_written(k));
    add(k, "return\n}\n}\n");
    return k->text.data;
}

/* ---- both ways ---- */

/* Ordinary numbers: NaN and zero divisors may differ, and PTO-W0265 says where. */
static void fill_area(testing_random *random, pto_dtype dtype, void *data) {
    for (int64_t i = 0; i < AREA / (int64_t)(pto_dtype_bits(dtype) / 8); i++) {
        uint64_t bits = testing_next(random);
        if (dtype == PTO_F32)
            bits = (bits & 0x80ffffff) | 0x3f000000;
        else if (dtype == PTO_F16)
            bits = (bits & 0x87ff) | 0x3800;
        else if (dtype == PTO_BF16)
            bits = (bits & 0x80ff) | 0x3f00;
        testing_store(data, dtype, i, bits);
    }
}

static char *blocks_of(const char *text, pto_diag_list *diags) {
    text_buffer out = {0};
    pto_program *program = parse_program(text);
    pto_status status = pto_program_emit(program, PTO_LANGUAGE_BLOCK, NULL, collect_text, &out, diags);
    pto_program_destroy(program);
    if (status != PTO_OK) {
        free(out.data);
        return NULL;
    }
    return out.data;
}

static void check_blocks(const char *text) {
    pto_source source;
    pto_block_image image;
    pto_diag_list *diags = pto_diag_list_create();
    pto_source_init(&source, "kernel.s", text, strlen(text));
    if (pto_block_assemble(&source, NULL, diags, &image) != PTO_OK ||
        pto_block_check(&image, &source, diags) != PTO_OK || pto_diag_first(diags)) {
        fprintf(stderr, "%s\n%s\n", text, diag_text(diags));
        fail();
    }
    pto_block_image_free(&image);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
}

/* Runs a text of four pointers as it is and as blocks; returns its lines. */
static int run_both(const char *text, pto_dtype dtype, uint64_t seed) {
    testing_random random = {seed};
    pto_diag_list *diags = pto_diag_list_create();
    char *blocks = blocks_of(text, diags);
    if (!blocks) {
        fprintf(stderr, "%s\n%s\n", text, diag_text(diags));
        fail();
    }
    check_blocks(blocks);
    block_bench bench = block_bench_make(NULL, &(pto_block_profile){.simd = block_level((unsigned)seed)});
    pto_argument argument[4] = {0};
    for (int i = 0; i < 4; i++) {
        argument[i] = (pto_argument){.data = malloc(AREA), .bytes = AREA};
        assert_non_null(argument[i].data);
        fill_area(&random, dtype, argument[i].data);
        memcpy(bench.memory + i * AREA, argument[i].data, AREA);
        pto_block_set_gpr(bench.machine, 2 + (unsigned)i, BLOCK_MEMORY + (uint64_t)i * AREA);
    }
    run_text(text, argument, 4, NULL);
    block_bench_run(&bench, blocks);
    for (int i = 0; i < 4; i++) {
        if (memcmp(argument[i].data, bench.memory + i * AREA, AREA)) {
            fprintf(stderr, "argument %d differs\n%s\n%s\n", i, text, blocks);
            fail();
        }
        free(argument[i].data);
    }
    int lines = 0;
    for (const char *p = blocks; (p = strchr(p, '\n')); p++)
        lines++;
    block_bench_drop(&bench);
    pto_diag_list_destroy(diags);
    free(blocks);
    return lines;
}

static void random_programs(void **state) {
    (void)state;
    const char *number = getenv("PTO_BLOCK_PROGRAMS");
    long programs = number ? strtol(number, NULL, 10) : 600, lines = 0;
    for (long i = 0; i < programs; i++) {
        kernel k;
        char *text = random_kernel((uint64_t)i + 1, &k);
        lines += run_both(text, k.dtype, (uint64_t)i);
        free(text);
    }
    print_message("%ld programs, %ld lines of blocks\n", programs, lines);
}

/* ---- what random programs do not have ---- */

#define HEAD                                                                                                 \
    "module {\nfunc.func @kernel(%x: !pto.ptr<f16>, %y: !pto.ptr<f16>, %u: !pto.ptr<f32>, %o: "              \
    "!pto.ptr<f32>) "                                                                                        \
    "attributes {pto.entry} {\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"             \
    "%c16 = arith.constant 16 : index\n%c32 = arith.constant 32 : index\n%c64 = arith.constant 64 : index\n"

/* A product over two halves of k, out of ACC, and on as a vector tile. */
static const char products[] =
    "!xv = !pto.tensor_view<16x64xf16>\n!yv = !pto.tensor_view<64x16xf16>\n!ov = "
    "!pto.tensor_view<16x16xf32>\n"
    "!xp = !pto.partition_tensor_view<16x32xf16>\n!yp = !pto.partition_tensor_view<32x16xf16>\n"
    "!op = !pto.partition_tensor_view<16x16xf32>\n"
    "!xm = !pto.tile_buf<mat, 16x32xf16, blayout=col_major, slayout=row_major>\n"
    "!ym = !pto.tile_buf<mat, 32x16xf16, blayout=col_major, slayout=row_major>\n"
    "!xl = !pto.tile_buf<left, 16x32xf16, blayout=col_major, slayout=row_major>\n"
    "!yr = !pto.tile_buf<right, 32x16xf16, slayout=col_major>\n"
    "!acc = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n" HEAD
    "%xs = pto.make_tensor_view %x, shape = [%c16, %c64], strides = [%c64, %c1] : !xv\n"
    "%ys = pto.make_tensor_view %y, shape = [%c64, %c16], strides = [%c16, %c1] : !yv\n"
    "%os = pto.make_tensor_view %o, shape = [%c16, %c16], strides = [%c16, %c1] : !ov\n"
    "%x0 = pto.partition_view %xs, offsets = [%c0, %c0], sizes = [%c16, %c32] : !xv -> !xp\n"
    "%x1 = pto.partition_view %xs, offsets = [%c0, %c32], sizes = [%c16, %c32] : !xv -> !xp\n"
    "%y0 = pto.partition_view %ys, offsets = [%c0, %c0], sizes = [%c32, %c16] : !yv -> !yp\n"
    "%y1 = pto.partition_view %ys, offsets = [%c32, %c0], sizes = [%c32, %c16] : !yv -> !yp\n"
    "%op = pto.partition_view %os, offsets = [%c0, %c0], sizes = [%c16, %c16] : !ov -> !op\n"
    "%xm = pto.alloc_tile : !xm\n%ym = pto.alloc_tile : !ym\n%xl = pto.alloc_tile : !xl\n%yr = "
    "pto.alloc_tile : !yr\n"
    "%sum = pto.alloc_tile : !acc\n"
    "pto.tload ins(%x0 : !xp) outs(%xm : !xm)\npto.tload ins(%y0 : !yp) outs(%ym : !ym)\n"
    "pto.tmov ins(%xm : !xm) outs(%xl : !xl)\npto.tmov ins(%ym : !ym) outs(%yr : !yr)\n"
    "pto.tmatmul ins(%xl, %yr : !xl, !yr) outs(%sum : !acc)\n"
    "pto.tload ins(%x1 : !xp) outs(%xm : !xm)\npto.tload ins(%y1 : !yp) outs(%ym : !ym)\n"
    "pto.tmov ins(%xm : !xm) outs(%xl : !xl)\npto.tmov ins(%ym : !ym) outs(%yr : !yr)\n"
    "pto.tmatmul.acc ins(%sum, %xl, %yr : !acc, !xl, !yr) outs(%sum : !acc)\n"
    "pto.tstore ins(%sum : !acc) outs(%op : !op)\nreturn\n}\n}\n";

/* Conversions both ways, a sum into what is there, a transposition, a column of constants. */
static const char conversions[] =
    "!hv = !pto.tensor_view<16x32xf16>\n!fv = !pto.tensor_view<32x16xf32>\n!hp = "
    "!pto.partition_tensor_view<16x32xf16>\n"
    "!fp = !pto.partition_tensor_view<32x16xf32>\n!h = !pto.tile_buf<vec, 16x32xf16>\n!f = "
    "!pto.tile_buf<vec, 16x32xf32>\n"
    "!i = !pto.tile_buf<vec, 16x32xi32>\n!ft = !pto.tile_buf<vec, 32x16xf32>\n" HEAD
    "%hs = pto.make_tensor_view %x, shape = [%c16, %c32], strides = [%c32, %c1] : !hv\n"
    "%fs = pto.make_tensor_view %o, shape = [%c32, %c16], strides = [%c16, %c1] : !fv\n"
    "%hp = pto.partition_view %hs, offsets = [%c0, %c0], sizes = [%c16, %c32] : !hv -> !hp\n"
    "%fp = pto.partition_view %fs, offsets = [%c0, %c0], sizes = [%c32, %c16] : !fv -> !fp\n"
    "%h = pto.alloc_tile : !h\n%f = pto.alloc_tile : !f\n%i = pto.alloc_tile : !i\n%ft = pto.alloc_tile : "
    "!ft\n"
    "%tmp = pto.alloc_tile : !ft\n%k = arith.constant 100.0 : f32\n%a = arith.constant 1.5 : f32\n"
    "pto.tload ins(%hp : !hp) outs(%h : !h)\n"
    "pto.tcvt ins(%h {rmode = #pto<round_mode RINT>} : !h) outs(%f : !f)\n"
    "pto.tmuls ins(%f, %k : !f, f32) outs(%f : !f)\n"
    "pto.tcvt ins(%f {rmode = #pto<round_mode FLOOR>} : !f) outs(%i : !i)\n"
    "pto.tcvt ins(%i {rmode = #pto<round_mode RINT>} : !i) outs(%f : !f)\n"
    "pto.taxpy ins(%f, %a : !f, f32) outs(%f : !f)\n"
    "pto.ttrans ins(%f, %tmp : !f, !ft) outs(%ft : !ft)\n"
    "pto.tstore ins(%ft : !ft) outs(%fp : !fp)\nreturn\n}\n}\n";

static void fixed_programs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        run_both(products, PTO_F16, seed);
        run_both(conversions, PTO_F16, seed);
    }
}

/* `count` tiles loaded, then all stored, the first one last: 16 a queue are in reach. */
static char *many_tiles(int count) {
    text_buffer t = {0};
    char line[2048];
#define LINE(...) collect_text(&t, line, (size_t)snprintf(line, sizeof line, __VA_ARGS__))
    LINE("!v = !pto.tensor_view<?x8xf32>\n!p = !pto.partition_tensor_view<1x8xf32>\n!t = !pto.tile_buf<vec, "
         "1x8xf32>\n%s%%c8 = arith.constant 8 : index\n%%n = arith.constant 4096 : index\n",
         HEAD);
    LINE("%%us = pto.make_tensor_view %%u, shape = [%%n, %%c8], strides = [%%c8, %%c1] : !v\n"
         "%%os = pto.make_tensor_view %%o, shape = [%%n, %%c8], strides = [%%c8, %%c1] : !v\n");
    for (int i = 0; i < count; i++)
        LINE("%%i%d = arith.constant %d : index\n%%t%d = pto.alloc_tile : !t\n"
             "%%p%d = pto.partition_view %%us, offsets = [%%i%d, %%c0], sizes = [%%c1, %%c8] : !v -> !p\n"
             "%%q%d = pto.partition_view %%os, offsets = [%%i%d, %%c0], sizes = [%%c1, %%c8] : !v -> !p\n"
             "pto.tload ins(%%p%d : !p) outs(%%t%d : !t)\n",
             i, i, i, i, i, i, i, i, i);
    for (int i = count; i-- > 0;)
        LINE("pto.tstore ins(%%t%d : !t) outs(%%q%d : !p)\n", i, i);
    LINE("return\n}\n}\n");
#undef LINE
    return t.data;
}

static void refused(const char *text, const char *rule) {
    pto_diag_list *diags = pto_diag_list_create();
    char *blocks = blocks_of(text, diags);
    if (blocks || !pto_diag_has(diags, rule))
        fail_msg("not refused with %s: %s\n%s", rule, text, diag_text(diags));
    free(blocks);
    pto_diag_list_destroy(diags);
}

static void queues_reach_so_far(void **state) {
    (void)state;
    char *most = many_tiles(64), *more = many_tiles(65);
    run_both(most, PTO_F32, 1);
    refused(more, "PTO-E0264");
    free(most);
    free(more);
}

/* A kernel of one f32 tile: load, the line at hand, store. */
static char *one_line(const char *tile, const char *part, const char *line) {
    text_buffer t = {0};
    char text[4096];
    int length = snprintf(
        text, sizeof text,
        "!v = !pto.tensor_view<16x64xf32>\n!p = !pto.partition_tensor_view<%s>\n!t = !pto.tile_buf<vec, %s>\n"
        "!c = !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n%s"
        "%%vs = pto.make_tensor_view %%u, shape = [%%c16, %%c64], strides = [%%c64, %%c1] : !v\n"
        "%%p = pto.partition_view %%vs, offsets = [%%c0, %%c0], sizes = [%%c16, %%c32] : !v -> !p\n"
        "%%t = pto.alloc_tile : !t\n%%s = pto.alloc_tile : !t\n%%w = pto.alloc_tile : !t\n%%c = "
        "pto.alloc_tile : !c\n"
        "pto.tload ins(%%p : !p) outs(%%t : !t)\n%s\npto.tstore ins(%%t : !t) outs(%%p : !p)\nreturn\n}\n}\n",
        part, tile, HEAD, line);
    collect_text(&t, text, (size_t)length);
    return t.data;
}

static void accepted_line(const char *line, const char *warning) {
    pto_diag_list *diags = pto_diag_list_create();
    char *text = one_line("16x32xf32", "16x32xf32", line), *blocks = blocks_of(text, diags);
    if (!blocks || pto_diag_has(diags, "PTO-W0265") != (warning != NULL))
        fail_msg("%s\n%s", text, diag_text(diags));
    check_blocks(blocks);
    free(blocks);
    free(text);
    pto_diag_list_destroy(diags);
}

static void refused_line(const char *line) {
    char *text = one_line("16x32xf32", "16x32xf32", line);
    refused(text, "PTO-E0264");
    free(text);
}

static void both_sides_of_the_rules(void **state) {
    (void)state;
    accepted_line("pto.trelu ins(%t : !t) outs(%t : !t)", NULL);
    refused_line("pto.trelu ins(%s : !t) outs(%t : !t)"); /* nothing has written it */
    accepted_line("pto.tmax ins(%t, %t : !t, !t) outs(%t : !t)", "PTO-W0265");
    accepted_line("pto.trowmax ins(%t, %w : !t, !t) outs(%c : !c)\npto.trowexpandsub ins(%t, %c : !t, !c) "
                  "outs(%t : !t)",
                  "PTO-W0265");
    refused_line("pto.trowsum ins(%t, %w : !t, !t) outs(%c : !c)\npto.trowexpandsub ins(%t, %c : !t, !c) "
                 "outs(%t : !t)");
    refused_line("scf.for %i = %c0 to %c16 step %c1 {\npto.trelu ins(%t : !t) outs(%t : !t)\n}");
    refused_line("pto.texp ins(%t : !t) outs(%t : !t) {precision = high}");
    accepted_line("pto.texp ins(%t : !t) outs(%t : !t)", NULL);
    /* a window, and a tile with another valid region than the memory */
    char *other = one_line("16x64xf32, valid=16x32", "16x32xf32", "pto.trelu ins(%t : !t) outs(%t : !t)");
    pto_diag_list *diags = pto_diag_list_create();
    char *blocks = blocks_of(other, diags);
    assert_non_null(blocks);
    free(blocks);
    free(other);
    pto_diag_list_destroy(diags);
    /* a tile as a parameter, too many parameters, a program in an SSA form */
    refused("func.func @f(%x: !pto.tile_buf<vec, 8x8xf32>) attributes {pto.entry} {\nreturn\n}\n",
            "PTO-E0264");
    refused("func.func @f(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32, %i: i32) "
            "attributes {pto.entry} {\nreturn\n}\n",
            "PTO-E0264");
    refused(".arg %x : !pto.memref<8x8xf32>\n%0 = tload %x[0, 0] : (!pto.memref<8x8xf32>, index, index) -> "
            "!pto.tile<vec, f32, 8, 8>\n",
            "PTO-E0264");
    diags = pto_diag_list_create();
    blocks = blocks_of("func.func @f(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32) "
                       "attributes {pto.entry} {\nreturn\n}\n",
                       diags);
    assert_non_null(blocks);
    free(blocks);
    pto_diag_list_destroy(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(fixed_programs),
                                       cmocka_unit_test(queues_reach_so_far),
                                       cmocka_unit_test(both_sides_of_the_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
