/* SPDX-License-Identifier: Apache-2.0 */
/* TileOp blocks beside the library form: one operation on tiles of 8 KB, again and again, by the block
 * machine and by the verified instruction through the door; and simple scalar instructions. The goals: 0.8 of
 * the library form, 20 million scalar instructions a second.
 *
 *     bench_block [--quick] [NAME of an operation]
 */
#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pto/block.h>
#include <pto/ops.h>
#include <pto/pto.h>

enum { ROWS = 32, COLS = 64, TURNS = 200, MEMORY = 0x100000 };

/* A block on T#1, which its result replaces, and U#1 and M#1, which stay; the form with the same operands. */
typedef struct operation {
    const char *name, *line;
    pto_form form;
    int sources;
    bool scalar, column, row_result;
} operation;

static const operation operations[] = {
    {"TADD", "TADD <64, 32, FP32>, T#1, U#1.reuse, ->T<8KB>", PTO_FORM_TADD, 2, false, false, false},
    {"TMUL", "TMUL <64, 32, FP32>, T#1, U#1.reuse, ->T<8KB>", PTO_FORM_TMUL, 2, false, false, false},
    {"TRELU", "TRELU <64, 32, FP32>, T#1, ->T<8KB>", PTO_FORM_TRELU, 1, false, false, false},
    {"TADDS", "TADDS <64, 32, FP32>, T#1, [a1], ->T<8KB>", PTO_FORM_TADDS, 1, true, false, false},
    {"TEXP", "TEXP <64, 32, FP32>, U#1.reuse, ->T<8KB>", PTO_FORM_TEXP, 1, false, false, false},
    {"TSQRT", "TSQRT <64, 32, FP32>, T#1, ->T<8KB>", PTO_FORM_TSQRT, 1, false, false, false},
    {"TDIV", "TDIV <64, 32, FP32>, T#1, U#1.reuse, ->T<8KB>", PTO_FORM_TDIV, 2, false, false, false},
    {"TROWMAX", "TROWMAX <64, 32, FP32>, U#1.reuse, ->N<128B>", PTO_FORM_TROWMAX, 1, false, false, true},
    {"TROWEXPANDMUL", "TROWEXPANDMUL <64, 32, FP32>, T#1, M#1.reuse, ->T<8KB>", PTO_FORM_TROWEXPANDMUL, 1,
     false, true, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void fail(const char *what) {
    fprintf(stderr, "bench_block: %s\n", what);
    exit(1);
}

/* The least processor time of a call: what else the machine does counts little. */
static double cpu_time(bench_effort effort, void (*fn)(void *context), void *context) {
    double best = 0, all = 0;
    for (int turn = 0; turn < 5 || all < effort.seconds; turn++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        fn(context);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        all += seconds;
        best = !turn || seconds < best ? seconds : best;
    }
    return best;
}

/* ---- the machine ---- */

typedef struct program {
    pto_block_machine *machine;
    pto_block_image image;
    void *memory;
} program;

static program assemble(const char *text) {
    program p = {.machine = pto_block_machine_create(NULL), .memory = aligned_alloc(64, 1 << 16)};
    pto_source source;
    pto_diag_list *diags = pto_diag_list_create();
    pto_source_init(&source, "bench.s", text, strlen(text));
    if (!p.machine || !p.memory || pto_block_assemble(&source, NULL, diags, &p.image) != PTO_OK) {
        char message[1024];
        pto_diag_render_buffer(diags, NULL, message, sizeof message);
        fail(message);
    }
    float *x = p.memory;
    for (int i = 0; i < (1 << 14); i++)
        x[i] = i < ROWS * COLS ? 1.0f : 0.5f;
    if (pto_block_map(p.machine, MEMORY, p.memory, 1 << 16, false) != PTO_OK ||
        pto_block_load(p.machine, &p.image) != PTO_OK)
        fail("not loaded");
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
    return p;
}

static void drop(program *p) {
    pto_block_image_free(&p->image);
    pto_block_machine_destroy(p->machine);
    free(p->memory);
}

static void run_program(void *context) {
    program *p = context;
    pto_block_set_pc(p->machine, p->image.address);
    if (pto_block_run(p->machine, 0) != PTO_OK)
        fail(pto_block_last_fault(p->machine)->text);
}

/* Two tiles and a column are loaded, then the block comes TURNS times; what it pushes is released by a
 * store's like. */
static double block_seconds(bench_effort effort, const operation *o) {
    size_t room = 4096 + TURNS * 160;
    char *text = malloc(room);
    if (!text)
        fail("no memory");
    double seconds[2];
    for (int with = 0; with < 2; with++) {
        int n = snprintf(text, room,
                         "C.BSTART.STD FALL\nhl.lis 0x100000, ->a0\nhl.lis 0, ->a1\nhl.lis 0x3f800000, ->a2\n"
                         "TLOAD <64, 32, FP32>, [a0], ->U<8KB>\nTEXPANDS <64, 32, FP32>, [a2], ->T<8KB>\n"
                         "TLOAD <1, 32, FP32>, [a0], ->M<128B>\n");
        for (int i = 0; with && i < TURNS; i++)
            n += snprintf(text + n, room - (size_t)n, "%s\n", o->line);
        snprintf(text + n, room - (size_t)n, "C.BSTOP\n");
        program p = assemble(text);
        seconds[with] = cpu_time(effort, run_program, &p);
        drop(&p);
    }
    free(text);
    return (seconds[1] - seconds[0]) / TURNS;
}

/* ---- the library ---- */

typedef struct call {
    pto_core *core;
    pto_instr instr;
} call;

static void run_call(void *context) {
    call *c = context;
    for (int i = 0; i < TURNS; i++)
        if (pto_core_execute(c->core, &c->instr) != PTO_OK)
            fail("refused");
}

static double call_seconds(bench_effort effort, const operation *o) {
    call c = {.core = pto_core_create(&(pto_options){.target = PTO_TARGET_CPU})};
    pto_tile dst = pto_tile_make(o->row_result ? pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, ROWS, 1)
                                               : pto_tile_type_make(PTO_LOC_VEC, PTO_F32, ROWS, COLS)),
             a = pto_tile_make(pto_tile_type_make(PTO_LOC_VEC, PTO_F32, ROWS, COLS)), b = a,
             column = pto_tile_make(pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, ROWS, 1));
    if (!c.core || pto_tile_bind(c.core, &a) != PTO_OK || pto_tile_bind(c.core, &b) != PTO_OK ||
        pto_tile_bind(c.core, &column) != PTO_OK)
        fail("no core");
    for (int i = 0; i < ROWS * COLS; i++)
        ((float *)a.data)[i] = ((float *)b.data)[i] = 0.5f + (float)(i % 97) / 64;
    for (int i = 0; i < ROWS; i++)
        ((float *)column.data)[i] = 0.5f;
    c.instr.form = o->form;
    int n = 0;
    c.instr.operand[n++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &dst};
    c.instr.operand[n++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &a};
    if (o->sources == 2)
        c.instr.operand[n++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &b};
    if (o->column)
        c.instr.operand[n++] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &column};
    if (o->scalar)
        c.instr.operand[n++] =
            (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_F32, .f = 0.5}};
    if (pto_core_verify(c.core, &c.instr) != PTO_OK)
        fail("the library refuses it");
    double seconds = cpu_time(effort, run_call, &c) / TURNS;
    pto_core_destroy(c.core);
    return seconds;
}

int main(int argc, char **argv) {
    bench_effort effort = {.seconds = 0.3, .batch = 0.01};
    const char *name = NULL;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick"))
            effort.seconds = 0.05;
        else
            name = argv[i];
    int missed = 0;
    printf("%-16s %12s %12s  ratio  goal\n", "FP32, 32 x 64", "block", "library");
    for (int i = 0; i < OPERATIONS; i++) {
        if (name && strcmp(name, operations[i].name) != 0)
            continue;
        double block = block_seconds(effort, &operations[i]), library = call_seconds(effort, &operations[i]);
        bool below = library / block < 0.8;
        printf("%-16s %9.3f us %9.3f us   %4.2f  0.80%s\n", operations[i].name, 1e6 * block, 1e6 * library,
               library / block, below ? "  below" : "");
        missed += below;
    }
    if (name)
        return 0;
    program p = assemble("C.BSTART.STD FALL\nhl.lis 100000, ->a4\nL1: BSTART.STD COND, L1\naddi a0, 1, ->a0\n"
                         "add a0, a1, ->a2\nslli a2, 3, ->a3\nsub a3, a0, ->a5\nxori a5, 7, ->a6\n"
                         "subi a4, 1, ->a4\nsetc.ne a4, zero\nC.BSTART.STD FALL\nebreak 0\nC.BSTOP\n");
    uint64_t before = pto_block_instructions(p.machine);
    run_program(&p);
    double count = (double)(pto_block_instructions(p.machine) - before),
           rate = count / cpu_time(effort, run_program, &p);
    drop(&p);
    printf("\n%-16s %9.1f million a second, goal 20%s\n", "scalar", 1e-6 * rate,
           rate < 20e6 ? "  below" : "");
    missed += rate < 20e6;
    printf("\n%d below their goal\n", missed);
    return 0;
}
