/* SPDX-License-Identifier: Apache-2.0 */
#include "support/random_program.h"

#include "support/program_testing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 3 };

typedef struct generator {
    text_buffer text;
    uint64_t random;
    const random_program_options *options;
    int names;
    int depth, loops;      /* around the statement at hand */
    int counter[DEPTH];    /* names of the counters of the loops */
    int vec, mat, l0, acc; /* how many tiles of each */
    int vec_addr[8];       /* level 3 */
} generator;

uint64_t random_next(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

static uint32_t below(generator *g, uint32_t bound) { return random_below(&g->random, bound); }

static void __attribute__((format(printf, 2, 3))) put(generator *g, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (len < 0 || !collect_text(&g->text, line, (size_t)len))
        abort();
}

/* ---- tiles ----------------------------------------------------------------------------------------- */

static void tiles(generator *g, const char *name, const char *type, int count, int bytes, int step,
                  int room) {
    for (int i = 0; i < count; i++) {
        if (!g->options->addresses) {
            put(g, "%%%s%d = pto.alloc_tile : %s\n", name, i, type);
            continue;
        }
        /* two of three apart from the others, the third anywhere */
        int addr = below(g, 3) ? i * bytes : (int)below(g, (uint32_t)(room / step)) * step;
        if (name[0] == 'v')
            g->vec_addr[i] = addr;
        put(g, "%%a_%s%d = arith.constant %d : i64\n", name, i, addr);
        put(g, "%%%s%d = pto.alloc_tile addr = %%a_%s%d : %s\n", name, i, name, i, type);
    }
}

static const char head[] =
    "!V = !pto.tile_buf<vec, 16x16xf32>\n"
    "!M = !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>\n"
    "!L = !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>\n"
    "!R = !pto.tile_buf<right, 16x16xf16, slayout=col_major>\n"
    "!A = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>\n"
    "!G = !pto.tensor_view<64x16xf32>\n!H = !pto.tensor_view<64x16xf16>\n"
    "!P = !pto.partition_tensor_view<16x16xf32>\n!Q = !pto.partition_tensor_view<16x16xf16>\n"
    "module {\nfunc.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %h: !pto.ptr<f16>, %w: !pto.ptr<f32>, "
    "%n: index) attributes {pto.entry} {\n"
    "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%c2 = arith.constant 2 : index\n"
    "%c3 = arith.constant 3 : index\n%c16 = arith.constant 16 : index\n%c64 = arith.constant 64 : index\n"
    "%half = arith.constant 0.5 : f32\n"
    "%gx = pto.make_tensor_view %x, shape = [%c64, %c16], strides = [%c16, %c1] : !G\n"
    "%gy = pto.make_tensor_view %y, shape = [%c64, %c16], strides = [%c16, %c1] : !G\n"
    "%gw = pto.make_tensor_view %w, shape = [%c64, %c16], strides = [%c16, %c1] : !G\n"
    "%gh = pto.make_tensor_view %h, shape = [%c64, %c16], strides = [%c16, %c1] : !H\n";

static void allocate(generator *g) {
    g->vec = 3 + (int)below(g, 4);
    tiles(g, "v", "!V", g->vec, 1024, 256, 8192);
    if (g->options->vector_only)
        return;
    g->mat = 2 + (int)below(g, 2);
    g->l0 = 1 + (int)below(g, 2);
    g->acc = 1 + (int)below(g, 2);
    tiles(g, "m", "!M", g->mat, 512, 512, 2048);
    tiles(g, "l", "!L", g->l0, 512, 512, 1536);
    tiles(g, "r", "!R", g->l0, 512, 512, 1536);
    tiles(g, "a", "!A", g->acc, 1024, 1024, 3072);
}

/* ---- statements -------------------------------------------------------------------------------------- */

/* A window of 16 rows; returns its number. */
static int window(generator *g, char tensor) {
    int row = (int)below(g, 4), name = g->names++;
    put(g, "%%o%d = arith.constant %d : index\n", name, 16 * row);
    put(g, "%%p%d = pto.partition_view %%g%c, offsets = [%%o%d, %%c0], sizes = [%%c16, %%c16] : %s -> %s\n",
        name, tensor, name, tensor == 'h' ? "!H" : "!G", tensor == 'h' ? "!Q" : "!P");
    return name;
}

static int vec(generator *g) { return (int)below(g, (uint32_t)g->vec); }

/* A destination that lies on its source or apart from it. */
static int vec_beside(generator *g, int a, int b) {
    int first = vec(g);
    for (int i = 0; i < g->vec; i++) {
        int dst = (first + i) % g->vec;
        int x = abs(g->vec_addr[dst] - g->vec_addr[a]), y = abs(g->vec_addr[dst] - g->vec_addr[b]);
        if (!g->options->addresses || ((!x || x >= 1024) && (!y || y >= 1024)))
            return dst;
    }
    return -1;
}

static void load(generator *g) {
    static const char from[] = "xxxxyw";
    int p = window(g, from[below(g, sizeof from - 1)]);
    put(g, "pto.tload ins(%%p%d : !P) outs(%%v%d : !V)\n", p, vec(g));
}

static void compute(generator *g) {
    int a = vec(g), b = vec(g);
    switch (below(g, 4)) {
    case 0:
        put(g, "pto.trelu ins(%%v%d : !V) outs(%%v%d : !V)\n", a, vec_beside(g, a, a));
        break;
    case 1:
        put(g, "pto.tmuls ins(%%v%d, %%half : !V, f32) outs(%%v%d : !V)\n", a, vec_beside(g, a, a));
        break;
    case 2:
        put(g, "pto.texpands ins(%%half : f32) outs(%%v%d : !V)\n", b);
        break;
    default:
        if (vec_beside(g, a, b) < 0)
            b = a; /* in place at worst */
        put(g, "pto.tadd ins(%%v%d, %%v%d : !V, !V) outs(%%v%d : !V)\n", a, b, vec_beside(g, a, b));
        break;
    }
}

static void store(generator *g) {
    int p = window(g, 'y');
    put(g, "pto.tstore ins(%%v%d : !V) outs(%%p%d : !P)\n", vec(g), p);
}

static void scalar(generator *g) {
    if (below(g, 2)) {
        put(g, "%%s%d = pto.tgetval ins(%%v%d, %%c3 : !V, index) outs : f32\n", g->names, vec(g));
        put(g, "pto.tsetval ins(%%c2, %%s%d : index, f32) outs(%%v%d : !V)\n", g->names++, vec(g));
    } else {
        put(g, "pto.tsetval ins(%%c1, %%half : index, f32) outs(%%v%d : !V)\n", vec(g));
    }
}

/* One step of L1, L0 and the matrix unit. */
static void cube(generator *g) {
    uint32_t mat = below(g, (uint32_t)g->mat), l0 = below(g, (uint32_t)g->l0),
             acc = below(g, (uint32_t)g->acc);
    int p;
    switch (below(g, 6)) {
    case 0:
        p = window(g, 'h');
        put(g, "pto.tload ins(%%p%d : !Q) outs(%%m%u : !M)\n", p, mat);
        break;
    case 1:
        put(g, "pto.tmov ins(%%m%u : !M) outs(%%l%u : !L)\n", mat, l0);
        break;
    case 2:
        put(g, "pto.tmov ins(%%m%u : !M) outs(%%r%u : !R)\n", mat, l0);
        break;
    case 3:
        put(g, "pto.tmatmul ins(%%l%u, %%r%u : !L, !R) outs(%%a%u : !A)\n", l0, below(g, (uint32_t)g->l0),
            acc);
        break;
    case 4:
        put(g, "pto.tmatmul.acc ins(%%a%u, %%l%u, %%r%u : !A, !L, !R) outs(%%a%u : !A)\n", acc,
            below(g, (uint32_t)g->l0), l0, acc);
        break;
    default:
        p = window(g, 'w');
        put(g, "pto.tstore ins(%%a%u : !A) outs(%%p%d : !P)\n", acc, p);
        break;
    }
}

/* Two halves of a loop's work in two tiles in turn. */
static void double_buffer(generator *g) {
    int ping = vec(g), pong = vec(g);
    for (int turn = 0; turn < 2; turn++) {
        int tile = turn ? pong : ping, in = window(g, 'x'), out;
        put(g, "pto.tload ins(%%p%d : !P) outs(%%v%d : !V)\n", in, tile);
        put(g, "pto.tmuls ins(%%v%d, %%half : !V, f32) outs(%%v%d : !V)\n", tile, tile);
        out = window(g, 'y');
        put(g, "pto.tstore ins(%%v%d : !V) outs(%%p%d : !P)\n", tile, out);
    }
}

static void statements(generator *g, int count);

static void loop(generator *g, int inside) {
    static const char *const bounds[] = {"%n", "%n", "%c2", "%c3"};
    int name = g->names++;
    put(g, "scf.for %%i%d = %%c0 to %s step %%c1 {\n", name, bounds[below(g, 4)]);
    g->counter[g->loops++] = name;
    statements(g, inside);
    g->loops--;
    put(g, "}\n");
}

static void branch(generator *g, int inside) {
    int name = g->names++;
    if (g->loops && below(g, 2)) {
        put(g, "%%q%d = arith.remui %%i%d, %%c2 : index\n", name, g->counter[g->loops - 1]);
        put(g, "%%b%d = arith.cmpi eq, %%q%d, %%c0 : index\n", name, name);
    } else {
        put(g, "%%b%d = arith.cmpi slt, %%n, %%c2 : index\n", name);
    }
    put(g, "scf.if %%b%d {\n", name);
    statements(g, inside);
    if (below(g, 2)) {
        put(g, "} else {\n");
        statements(g, inside);
    }
    put(g, "}\n");
}

static void statements(generator *g, int count) {
    g->depth++;
    for (int i = 0; i < count; i++) {
        uint32_t kind = below(g, 20);
        if (kind < 3 && g->depth < DEPTH)
            loop(g, 2 + (int)below(g, 4));
        else if (kind < 5 && g->depth < DEPTH)
            branch(g, 1 + (int)below(g, 3));
        else if (kind < 6)
            double_buffer(g);
        else if (kind < 8)
            load(g);
        else if (kind < 10)
            store(g);
        else if (kind < 11)
            scalar(g);
        else if (kind < 16 || g->options->vector_only)
            compute(g);
        else
            cube(g);
    }
    g->depth--;
}

char *random_program(const random_program_options *options) {
    generator g = {.options = options, .random = options->seed * 2 + 1};
    for (int i = 0; i < 8; i++)
        random_next(&g.random);
    collect_text(&g.text, head, sizeof head - 1);
    allocate(&g);
    statements(&g, options->statements ? options->statements : 12);
    put(&g, "return\n}\n}\n");
    return g.text.data;
}
