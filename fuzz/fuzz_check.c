/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers: any sequence of loads, vector operations, stores, flags, barriers, tokens, signals and scalar
 * accesses, on tiles anywhere in a small memory and on tiles without an address. What `init` tells is
 * compared with a plain array of bytes; races are told of operations that the sequence has, and the same
 * twice. */
#include "check/check.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 4096, STORAGE = 4, STORAGE_BYTES = 512 };

typedef struct model {
    uint8_t written[MEMORY], storage_written[STORAGE][STORAGE_BYTES];
    bool unwritten; /* the operation at hand reads what nobody wrote */
    int32_t site, told_site;
    uint64_t findings, hash;
} model;

static void found(void *user, const pto_check_finding *f) {
    model *m = user;
    if (f->repeats)
        return;
    if (!strcmp(f->rule, "PTO-E1120")) {
        if (f->begin >= f->end || f->second.site != m->site)
            abort();
        m->told_site = m->site;
    }
    if (!strncmp(f->rule, "PTO-E11", 7) && (f->second.site > m->site || f->first.site > m->site))
        abort();
    m->findings++;
    m->hash = m->hash * 31 + (uint64_t)f->second.site * 7 + (uint64_t)f->first.site + f->begin;
}

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static unsigned take(input *in) {
    if (!in->size)
        return 0;
    in->size--;
    return *in->data++;
}

static uint8_t storage[STORAGE][STORAGE_BYTES];
static uint8_t global_memory[1 << 15];

/* 1 to 8 rows of 8 to 32 columns of s8 with a valid region, in memory or in storage of its own. */
static pto_tile make_tile(input *in) {
    const unsigned shape = take(in), place = take(in);
    const int32_t rows = 1 + (int32_t)(shape & 7), cols = 8 * (1 + (int32_t)(shape >> 3 & 3));
    pto_tile tile = {.type = {.loc = PTO_LOC_VEC,
                              .dtype = PTO_S8,
                              .rows = rows,
                              .cols = cols,
                              .valid_rows = PTO_DYNAMIC,
                              .valid_cols = PTO_DYNAMIC,
                              .fractal = 512},
                     .valid_rows = rows - (int32_t)(shape >> 5 & 1),
                     .valid_cols = cols - (int32_t)(shape >> 6 & 1)};
    static uint8_t memory[MEMORY + 256];
    if (place & 1) {
        tile.data = storage[place >> 1 & (STORAGE - 1)];
        /* every tile of a storage has its size: what a first one would reserve */
        tile.type.rows = 8;
        tile.type.cols = 32;
    } else {
        tile.addr = (uint64_t)(place >> 1) * 32 % (MEMORY - 256);
        tile.data = memory + tile.addr;
        tile.assigned = true;
    }
    return tile;
}

static uint8_t *bytes_of(model *m, const pto_tile *tile) {
    if (tile->assigned)
        return m->written + tile->addr;
    return m->storage_written[((const uint8_t *)tile->data - storage[0]) / STORAGE_BYTES];
}

static void expect_read(model *m, const pto_tile *tile) {
    const uint8_t *map = bytes_of(m, tile);
    for (int32_t r = 0; r < tile->valid_rows; r++)
        for (int32_t c = 0; c < tile->valid_cols; c++)
            m->unwritten |= !map[r * tile->type.cols + c];
}

static void mark(model *m, const pto_tile *tile, bool reads_too) {
    uint8_t *map = bytes_of(m, tile);
    (void)reads_too;
    for (int32_t r = 0; r < tile->valid_rows; r++)
        memset(map + r * tile->type.cols, 1, (size_t)tile->valid_cols);
}

static void one_instr(pto_checker *c, model *m, input *in, unsigned kind) {
    pto_tile a = make_tile(in), b = make_tile(in);
    pto_global global = {.dtype = PTO_S8,
                         .shape = {1, 1, 1, 8, 16},
                         .stride = {0, 0, 0, 16 * (1 + take(in) % 16), 1},
                         .data = global_memory + 64 * take(in)};
    pto_instr instr = {0};
    const pto_operand tile_a = {.kind = PTO_OPERAND_TILE, .tile = &a},
                      tile_b = {.kind = PTO_OPERAND_TILE, .tile = &b};
    const pto_operand tensor = {.kind = PTO_OPERAND_GLOBAL, .global = &global};
    switch (kind) {
    case 0:
        instr.form = PTO_FORM_TLOAD;
        instr.operand[0] = tile_a;
        instr.operand[1] = tensor;
        break;
    case 1:
        instr.form = PTO_FORM_TSTORE;
        instr.operand[0] = tensor;
        instr.operand[1] = tile_b;
        break;
    default:
        instr.form = PTO_FORM_TRELU;
        instr.operand[0] = tile_a;
        instr.operand[1] = tile_b;
    }
    m->unwritten = false;
    m->told_site = -1;
    if (kind)
        expect_read(m, &b);
    pto_checker_instr(c, NULL, &instr);
    if (m->unwritten != (m->told_site == m->site))
        abort();
    if (kind) /* told once */
        mark(m, &b, true);
    if (kind != 1)
        mark(m, &a, false);
}

static void one_step(pto_checker *c, model *m, input *in) {
    const unsigned op = take(in), src = take(in) % PTO_PIPE_COUNT, dst = take(in) % PTO_PIPE_COUNT;
    const int64_t id = (int64_t)(take(in) % 10) - 1;
    pto_checker_site(c, ++m->site);
    if (op & 64)
        pto_checker_core(c, (int)(op >> 7));
    switch (op % 16) {
    case 6:
        pto_checker_set_flag(c, (pto_pipe)src, (pto_pipe)dst, id);
        break;
    case 7:
        pto_checker_wait_flag(c, (pto_pipe)src, (pto_pipe)dst, id);
        break;
    case 8:
        pto_checker_barrier(c, (pto_pipe)src);
        break;
    case 9:
        pto_checker_get_buf(c, (pto_pipe)src, id);
        break;
    case 10:
        pto_checker_rls_buf(c, (pto_pipe)src, id);
        break;
    case 11:
        pto_checker_signal(c, (pto_pipe)src, id);
        break;
    case 12:
        pto_checker_await(c, (pto_pipe)src, id);
        break;
    case 13: {
        const unsigned which = take(in) % STORAGE;
        pto_checker_forget(c, storage[which], STORAGE_BYTES);
        memset(m->storage_written[which], 0, STORAGE_BYTES);
        break;
    }
    case 14:
        pto_checker_meet(c);
        break;
    default:
        one_instr(c, m, in, op % 3);
    }
}

static void visit(void *user, uint64_t begin, uint64_t end, const pto_check_access *access) {
    if (begin >= end || access->operand < 0)
        abort();
    *(uint64_t *)user += end - begin;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096 || size < 2)
        return 0;
    static model m;
    uint64_t hash = 0, memory_bytes[PTO_LOC_COUNT] = {[PTO_LOC_VEC] = MEMORY};
    const pto_check_options options = {.target = (pto_target)(data[0] % PTO_TARGET_COUNT),
                                       .checks = PTO_CHECK_ALL,
                                       .memory_bytes = memory_bytes,
                                       .one_core = data[1] & 1,
                                       .found = found,
                                       .user = &m};
    pto_checker *c = pto_checker_create(&options);
    if (!c)
        abort();
    for (int turn = 0; turn < 2; turn++) { /* the second block of a checker is as the first */
        input in = {data + 2, size - 2};
        m = (model){.site = -1};
        pto_checker_block(c, (uint32_t)turn);
        pto_checker_begin(c);
        while (in.size)
            one_step(c, &m, &in);
        pto_checker_end(c);
        uint64_t bytes = 0;
        pto_checker_each_global(c, visit, &bytes);
        m.hash = m.hash * 31 + bytes;
        if (turn && m.hash != hash)
            abort();
        hash = m.hash;
    }
    pto_checker_destroy(c);
    return 0;
}
