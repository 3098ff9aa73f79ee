/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks over pipes, shadows over memories. */
#include "check/check.h"

#include "check/shadow.h"
#include "isa/isa.h"
#include "tile/global.h"
#include "tile/tile.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

enum { FLAGS = 8, TOKENS = 32, SIGNALS = 32, SEEN = 4096 };

typedef uint32_t vector_clock[PTO_CHECK_LANES];

typedef struct flag {
    bool up;
    vector_clock at;
    pto_check_access set; /* who raised it */
} flag;

typedef struct token {
    bool held, released;
    uint8_t lane;
    vector_clock at;
    pto_check_access get;
} token;

typedef struct signal {
    uint32_t count;
    vector_clock at;
    pto_check_access set;
} signal;

struct pto_checker {
    pto_check_options options;
    int core;
    int32_t site;
    vector_clock issued;                  /* operations of each lane */
    vector_clock before[PTO_CHECK_LANES]; /* what precedes whatever is issued to a lane next */
    flag flags[PTO_CHECK_LANES][PTO_CHECK_PIPES][FLAGS];
    token tokens[TOKENS];
    signal signals[PTO_CHECK_CORES][SIGNALS];
    pto_shadow shadow[PTO_CHECK_MEMORIES];
    uint64_t bytes[PTO_LOC_COUNT];   /* of each memory */
    uint8_t *written[PTO_LOC_COUNT]; /* a byte a byte: was it ever written? */
    struct {
        pto_loc loc;
        uint64_t begin, end;
    } scratch;
    uint64_t seen[SEEN]; /* hashes of what was reported */
    /* of the operation at hand */
    pto_check_access now;
    uint64_t base; /* of the global operand */
    const char *name;
};

/* ---- life ---------------------------------------------------------------------------------------- */

pto_checker *pto_checker_create(const pto_check_options *options) {
    pto_checker *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->options = *options;
    memcpy(c->bytes, options->memory_bytes, sizeof c->bytes);
    c->options.memory_bytes = c->bytes;
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        if (!(options->checks & PTO_CHECK_INIT) || !options->memory_bytes[loc])
            continue;
        c->written[loc] = calloc(options->memory_bytes[loc], 1);
        if (!c->written[loc]) {
            pto_checker_destroy(c);
            return NULL;
        }
    }
    return c;
}

void pto_checker_destroy(pto_checker *c) {
    if (!c)
        return;
    for (int m = 0; m < PTO_CHECK_MEMORIES; m++)
        pto_shadow_clear(&c->shadow[m]);
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        free(c->written[loc]);
    free(c);
}

void pto_checker_begin(pto_checker *c) {
    c->core = 0;
    memset(c->issued, 0, sizeof c->issued);
    memset(c->before, 0, sizeof c->before);
    memset(c->flags, 0, sizeof c->flags);
    memset(c->tokens, 0, sizeof c->tokens);
    memset(c->signals, 0, sizeof c->signals);
    c->scratch.end = 0;
    for (int m = 0; m < PTO_CHECK_MEMORIES; m++)
        pto_shadow_clear(&c->shadow[m]);
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        if (c->written[loc])
            memset(c->written[loc], 0, c->options.memory_bytes[loc]);
}

void pto_checker_site(pto_checker *c, int32_t site) { c->site = site; }
void pto_checker_core(pto_checker *c, int core) { c->core = core; }

/* ---- reporting ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void tell(pto_checker *c, const pto_check_finding *f) {
    uint64_t hash = 1;
    for (const char *at = f->rule; *at; at++)
        hash = mix(hash, (unsigned char)*at);
    hash = mix(hash, (uint32_t)f->first.site);
    hash = mix(hash, (uint32_t)f->second.site);
    hash = mix(hash, (uint8_t)f->second.operand);
    if (!hash)
        hash = 1;
    for (size_t i = (size_t)(hash % SEEN), turns = 0; turns < SEEN; i = (i + 1) % SEEN, turns++) {
        if (c->seen[i] == hash)
            return;
        if (!c->seen[i]) {
            c->seen[i] = hash;
            break;
        }
    }
    c->options.found(c->options.user, f);
}

static pto_pipe pipe_of(const pto_check_access *a) { return (pto_pipe)(a->lane % PTO_CHECK_PIPES); }

/* ---- clocks -------------------------------------------------------------------------------------- */

bool pto_pipe_is_ordered(pto_target target, pto_pipe pipe) {
    switch (target) {
    case PTO_TARGET_A2A3:
        return pipe != PTO_PIPE_V && pipe != PTO_PIPE_MTE3;
    case PTO_TARGET_A5:
        return pipe != PTO_PIPE_MTE2 && pipe != PTO_PIPE_MTE3;
    default:
        return true;
    }
}

static void join(vector_clock into, const vector_clock from) {
    for (int i = 0; i < PTO_CHECK_LANES; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

static uint8_t lane_of(const pto_checker *c, pto_pipe pipe) {
    return (uint8_t)(c->core * PTO_CHECK_PIPES + (int)pipe);
}

/* All that precedes what follows everything issued to a lane so far. */
static void snapshot(const pto_checker *c, uint8_t lane, vector_clock out) {
    memcpy(out, c->before[lane], sizeof(vector_clock));
    out[lane] = c->issued[lane];
}

static bool follows(const pto_checker *c, const pto_check_access *old, const pto_check_access *now) {
    if (old->lane == now->lane && old->number == now->number)
        return true; /* one operation */
    if (c->options.target == PTO_TARGET_CPU && old->lane / PTO_CHECK_PIPES == now->lane / PTO_CHECK_PIPES)
        return true; /* every operation of a core follows all earlier ones */
    return old->number <= c->before[now->lane][old->lane];
}

static void start(pto_checker *c, pto_form form, pto_pipe pipe, const char *file, int32_t line) {
    uint8_t lane = lane_of(c, pipe);
    c->now = (pto_check_access){.lane = lane,
                                .number = ++c->issued[lane],
                                .form = form,
                                .operand = -1,
                                .site = c->site,
                                .file = file,
                                .line = line};
    c->name = NULL;
    c->base = 0;
}

/* The operation is issued: on an ordered pipe the next one follows it. */
static void finish(pto_checker *c) {
    if (pto_pipe_is_ordered(c->options.target, pipe_of(&c->now)))
        c->before[c->now.lane][c->now.lane] = c->now.number;
}

/* ---- accesses ------------------------------------------------------------------------------------ */

static bool is_elementwise(pto_form form) {
    const char *family = pto_form_get(form)->family;
    return !strcmp(family, "elementwise") || !strcmp(family, "tile-scalar");
}

static void race(pto_checker *c, int memory, uint64_t begin, uint64_t end, const pto_check_access *old) {
    bool same_pipe = old->lane == c->now.lane;
    bool same_tile = same_pipe && old->tile && old->tile == c->now.tile && old->operand >= 0 &&
                     c->now.operand >= 0 && is_elementwise(old->form) && is_elementwise(c->now.form);
    pto_check_finding f = {.rule = same_tile   ? "PTO-E1103"
                                   : same_pipe ? "PTO-E1102"
                                               : "PTO-E1101",
                           .first = *old,
                           .second = c->now,
                           .memory = memory,
                           .begin = begin - c->base,
                           .end = end - c->base,
                           .name = c->name,
                           .src = pipe_of(old),
                           .dst = pipe_of(&c->now),
                           .id = -1};
    tell(c, &f);
}

static void touch(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    pto_shadow *shadow = &c->shadow[memory];
    pto_shadow_piece *piece = begin < end ? pto_shadow_cover(shadow, begin, end) : NULL;
    for (; piece && piece < shadow->piece + shadow->count && piece->begin < end; piece++) {
        uint32_t kept = 0;
        bool told = false;
        for (uint32_t i = 0; i < piece->count; i++) {
            pto_check_access old = piece->access[i];
            bool hb = follows(c, &old, &c->now);
            bool conflict = (old.write || c->now.write) && !(old.atomic && c->now.atomic);
            if (conflict && !hb && !told) {
                race(c, memory, piece->begin, piece->end, &old);
                told = true;
            }
            /* what the new access stands for needs no record of its own: a later one that follows it follows
             * both */
            bool covered = (hb || told) && (c->now.write || !old.write);
            if (!covered)
                piece->access[kept++] = old;
        }
        piece->count = kept;
        pto_shadow_add(shadow, piece, &c->now);
    }
}

static void initialised(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    uint8_t *written = memory < PTO_LOC_COUNT ? c->written[memory] : NULL;
    if (!written || end > c->options.memory_bytes[memory] || begin >= end)
        return;
    if (c->now.write) {
        memset(written + begin, 1, (size_t)(end - begin));
        return;
    }
    const uint8_t *hole = memchr(written + begin, 0, (size_t)(end - begin));
    if (!hole)
        return;
    uint64_t at = (uint64_t)(hole - written), stop = at;
    while (stop < end && !written[stop])
        stop++;
    pto_check_finding f = {
        .rule = "PTO-E1120", .second = c->now, .memory = memory, .begin = at, .end = stop, .id = -1};
    tell(c, &f);
    memset(written + begin, 1, (size_t)(end - begin)); /* told once */
}

static void access(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    if (c->options.checks & PTO_CHECK_RACE)
        touch(c, memory, begin, end);
    if (c->options.checks & PTO_CHECK_INIT)
        initialised(c, memory, begin, end);
}

/* The bytes of a rectangle of a tile. */
static void touch_tile(pto_checker *c, const pto_tile *tile, int32_t rows, int32_t cols) {
    unsigned bits = pto_dtype_bits(tile->type.dtype);
    const pto_tile_type *types[] = {&tile->type};
    pto_runs runs;
    if (rows <= 0 || cols <= 0 || !pto_runs_begin(&runs, types, 1, rows, cols))
        return;
    do {
        for (int64_t k = 0; k < runs.count; k++) {
            uint64_t from = (uint64_t)(runs.start[0] + k / runs.inner * runs.outer_step[0] +
                                       k % runs.inner * runs.inner_step[0]);
            uint64_t begin = from * bits / 8, end = ((from + (uint64_t)runs.length) * bits + 7) / 8;
            access(c, (int)tile->type.loc, tile->addr + begin, tile->addr + end);
        }
    } while (pto_runs_next(&runs));
}

static bool fills_capacity(const pto_tile *tile) {
    return tile->type.pad != PTO_PAD_NULL || tile->type.loc == PTO_LOC_MAT ||
           tile->type.slayout != PTO_NONE_BOX;
}

static void tile_operand(pto_checker *c, const pto_tile *tile, pto_role role, bool writes) {
    if (role == PTO_ROLE_TMP || (writes && fills_capacity(tile))) {
        uint64_t bytes = pto_tile_type_bytes(&tile->type);
        if (tile->room && bytes > tile->room)
            bytes = tile->room;
        access(c, (int)tile->type.loc, tile->addr, tile->addr + bytes);
        return;
    }
    touch_tile(c, tile, tile->valid_rows, tile->valid_cols);
}

/* The elements of a global tensor, in runs along its innermost dimension of stride 1. */
static void global_operand(pto_checker *c, const pto_global *g) {
    int64_t bits = pto_dtype_bits(g->dtype), i[5] = {0};
    for (int d = 0; d < 5; d++)
        if (g->shape[d] <= 0)
            return;
    c->base = (uint64_t)(uintptr_t)(g->begin ? g->begin : g->data);
    c->name = g->name;
    /* inner dimensions that lie back to back are one run */
    int64_t run = 1;
    int dims = 5;
    while (dims > 0 && (g->shape[dims - 1] == 1 || g->stride[dims - 1] == run)) {
        run *= g->shape[dims - 1];
        dims--;
    }
    for (;;) {
        int64_t at = 0;
        for (int d = 0; d < dims; d++)
            at += i[d] * g->stride[d];
        uint64_t begin = (uint64_t)(uintptr_t)g->data + (uint64_t)(at * bits / 8);
        access(c, PTO_CHECK_GLOBAL, begin, begin + (uint64_t)((run * bits + 7) / 8));
        int d = dims - 1;
        while (d >= 0 && ++i[d] == g->shape[d])
            i[d--] = 0;
        if (d < 0)
            break;
    }
}

pto_pipe pto_instr_pipe(const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    int src = -1, dst = -1;
    for (int i = 0; i < form->operand_count; i++) {
        if (instr->operand[i].kind != PTO_OPERAND_TILE)
            continue;
        pto_role role = form->operand[i].role;
        int loc = (int)instr->operand[i].tile->type.loc;
        if (role == PTO_ROLE_IN && src < 0)
            src = loc;
        if ((role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT) && dst < 0)
            dst = loc;
    }
    return strcmp(form->family, "debug") != 0 ? pto_form_pipe(form, src, dst) : PTO_PIPE_ALL;
}

bool pto_instr_is_atomic(const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    for (int i = 0; i < form->operand_count; i++)
        if ((form->operand[i].attr == PTO_ATTR_ATOMIC || form->operand[i].attr == PTO_ATTR_SCATTER_ATOMIC) &&
            instr->operand[i].kind == PTO_OPERAND_SCALAR)
            return instr->operand[i].scalar.i != 0;
    return false;
}

void pto_checker_instr(void *checker, const pto_core *core, const pto_instr *instr) {
    pto_checker *c = checker;
    const pto_form_desc *form = pto_form_get(instr->form);
    pto_pipe pipe = pto_instr_pipe(instr);
    (void)core;
    if (pipe == PTO_PIPE_ALL) {
        pto_checker_barrier(c, PTO_PIPE_ALL);
        pipe = PTO_PIPE_S;
    }
    bool atomic = pto_instr_is_atomic(instr);
    bool views_only = false;
    for (int i = 0; i < form->operand_count; i++)
        views_only |= form->operand[i].binds;
    start(c, instr->form, pipe, instr->file, instr->line);
    /* reads first: an operation does not race with itself, but it reads what was there before */
    for (int turn = 0; turn < 2 && !views_only; turn++) {
        for (int i = 0; i < form->operand_count; i++) {
            const pto_operand *operand = &instr->operand[i];
            pto_role role = form->operand[i].role;
            bool reads = role == PTO_ROLE_IN || role == PTO_ROLE_INOUT;
            bool writes = role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT || role == PTO_ROLE_TMP;
            if (turn ? !writes : !reads)
                continue;
            c->now.operand = (int8_t)i;
            c->now.write = turn == 1;
            c->now.atomic = atomic && operand->kind == PTO_OPERAND_GLOBAL;
            c->now.tile = operand->kind == PTO_OPERAND_TILE ? operand->tile->data : NULL;
            c->base = 0;
            c->name = NULL;
            if (operand->kind == PTO_OPERAND_TILE && operand->tile->data)
                tile_operand(c, operand->tile, role, turn == 1);
            else if (operand->kind == PTO_OPERAND_GLOBAL)
                global_operand(c, operand->global);
        }
    }
    if (c->scratch.end) {
        c->now.operand = -1;
        c->now.write = true;
        c->now.tile = NULL;
        c->base = 0;
        if (c->options.checks & PTO_CHECK_RACE)
            touch(c, (int)c->scratch.loc, c->scratch.begin, c->scratch.end);
        c->scratch.end = 0;
    }
    finish(c);
}

void pto_checker_scalar(pto_checker *c, int memory, uint64_t at, uint64_t bytes, bool write, uint64_t base,
                        const char *name) {
    start(c, 0, PTO_PIPE_S, NULL, 0);
    c->now.write = write;
    c->base = base;
    c->name = name;
    access(c, memory, at, at + bytes);
    finish(c);
}

void pto_checker_scratch(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    c->scratch.loc = loc;
    c->scratch.begin = begin;
    c->scratch.end = end;
}

void pto_checker_preset(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    if (c->written[loc] && end <= c->options.memory_bytes[loc])
        memset(c->written[loc] + begin, 1, (size_t)(end - begin));
}

/* ---- flags and barriers --------------------------------------------------------------------------- */

static void sync_finding(pto_checker *c, const char *rule, const pto_check_access *first, pto_pipe src,
                         pto_pipe dst, int64_t id) {
    if (!(c->options.checks & PTO_CHECK_SYNC))
        return;
    pto_check_finding f = {.rule = rule,
                           .second = {.site = c->site, .operand = -1},
                           .src = src,
                           .dst = dst,
                           .id = (int)id,
                           .memory = -1};
    if (first)
        f.first = *first;
    tell(c, &f);
}

/* What follows a wait on a pipe: on S the issuing thread stalls, so everything issued later follows. */
static void order(pto_checker *c, uint8_t lane, const vector_clock at) {
    if (lane % PTO_CHECK_PIPES != PTO_PIPE_S) {
        join(c->before[lane], at);
        return;
    }
    for (int p = 0; p < PTO_CHECK_PIPES; p++)
        join(c->before[c->core * PTO_CHECK_PIPES + p], at);
}

void pto_checker_set_flag(pto_checker *c, pto_pipe src, pto_pipe dst, int64_t id) {
    if (id < 0 || id >= FLAGS) {
        sync_finding(c, "PTO-E0417", NULL, src, dst, id);
        return;
    }
    flag *f = &c->flags[lane_of(c, src)][dst][id];
    if (f->up)
        sync_finding(c, "PTO-E0920", &f->set, src, dst, id);
    vector_clock at;
    snapshot(c, lane_of(c, src), at);
    if (f->up)
        join(f->at, at);
    else
        memcpy(f->at, at, sizeof at);
    f->up = true;
    f->set = (pto_check_access){.number = 1, .site = c->site, .operand = -1, .lane = lane_of(c, src)};
}

void pto_checker_wait_flag(pto_checker *c, pto_pipe src, pto_pipe dst, int64_t id) {
    if (id < 0 || id >= FLAGS) {
        sync_finding(c, "PTO-E0417", NULL, src, dst, id);
        return;
    }
    flag *f = &c->flags[lane_of(c, src)][dst][id];
    if (!f->up) {
        sync_finding(c, "PTO-E0921", NULL, src, dst, id);
        return;
    }
    f->up = false;
    order(c, lane_of(c, dst), f->at);
}

void pto_checker_barrier(pto_checker *c, pto_pipe pipe) {
    if (pipe != PTO_PIPE_ALL) {
        uint8_t lane = lane_of(c, pipe);
        c->before[lane][lane] = c->issued[lane];
        return;
    }
    vector_clock all = {0};
    for (int p = 0; p < PTO_CHECK_PIPES; p++) {
        vector_clock at;
        snapshot(c, (uint8_t)(c->core * PTO_CHECK_PIPES + p), at);
        join(all, at);
    }
    for (int p = 0; p < PTO_CHECK_PIPES; p++)
        join(c->before[c->core * PTO_CHECK_PIPES + p], all);
}

void pto_checker_get_buf(pto_checker *c, pto_pipe pipe, int64_t id) {
    if (id < 0 || id >= TOKENS) {
        sync_finding(c, "PTO-E0925", NULL, pipe, pipe, id);
        return;
    }
    token *t = &c->tokens[id];
    uint8_t lane = lane_of(c, pipe);
    if (t->held)
        sync_finding(c, "PTO-E0925", &t->get, pipe, pipe, id);
    else if (t->released && t->lane != lane)
        order(c, lane, t->at);
    t->held = true;
    t->lane = lane;
    t->get = (pto_check_access){.number = 1, .site = c->site, .operand = -1, .lane = lane};
}

void pto_checker_rls_buf(pto_checker *c, pto_pipe pipe, int64_t id) {
    if (id < 0 || id >= TOKENS) {
        sync_finding(c, "PTO-E0925", NULL, pipe, pipe, id);
        return;
    }
    token *t = &c->tokens[id];
    uint8_t lane = lane_of(c, pipe);
    if (!t->held || t->lane != lane) {
        sync_finding(c, "PTO-E0925", t->held ? &t->get : NULL, pipe, pipe, id);
        return;
    }
    snapshot(c, lane, t->at);
    t->held = false;
    t->released = true;
}

void pto_checker_signal(pto_checker *c, pto_pipe pipe, int64_t id) {
    if (id < 0 || id >= SIGNALS) {
        sync_finding(c, "PTO-E0431", NULL, pipe, pipe, id);
        return;
    }
    signal *s = &c->signals[1 - c->core][id];
    vector_clock at;
    snapshot(c, lane_of(c, pipe), at);
    join(s->at, at);
    s->count++;
    s->set = (pto_check_access){.number = 1, .site = c->site, .operand = -1, .lane = lane_of(c, pipe)};
}

void pto_checker_await(pto_checker *c, pto_pipe pipe, int64_t id) {
    if (id < 0 || id >= SIGNALS) {
        sync_finding(c, "PTO-E0431", NULL, pipe, pipe, id);
        return;
    }
    signal *s = &c->signals[c->core][id];
    if (!s->count) {
        sync_finding(c, "PTO-E0923", NULL, pipe, pipe, id);
        return;
    }
    s->count--;
    if (c->options.target == PTO_TARGET_A5)
        order(c, lane_of(c, pipe), s->at);
    else
        order(c, lane_of(c, PTO_PIPE_S), s->at);
}

void pto_checker_end(pto_checker *c) {
    for (int lane = 0; lane < PTO_CHECK_LANES; lane++)
        for (int dst = 0; dst < PTO_CHECK_PIPES; dst++)
            for (int id = 0; id < FLAGS; id++) {
                const flag *f = &c->flags[lane][dst][id];
                if (!f->up)
                    continue;
                c->site = f->set.site;
                sync_finding(c, "PTO-E0922", NULL, (pto_pipe)(lane % PTO_CHECK_PIPES), (pto_pipe)dst, id);
            }
    for (int id = 0; id < TOKENS; id++)
        if (c->tokens[id].held) {
            c->site = c->tokens[id].get.site;
            sync_finding(c, "PTO-E0925", NULL, (pto_pipe)(c->tokens[id].lane % PTO_CHECK_PIPES), PTO_PIPE_ALL,
                         id);
        }
}

void pto_checker_each_global(const pto_checker *c,
                             void (*visit)(void *user, uint64_t begin, uint64_t end,
                                           const pto_check_access *access),
                             void *user) {
    const pto_shadow *shadow = &c->shadow[PTO_CHECK_GLOBAL];
    for (size_t i = 0; i < shadow->count; i++) {
        const pto_shadow_piece *piece = &shadow->piece[i];
        const pto_check_access *write = NULL, *read = NULL;
        for (uint32_t k = 0; k < piece->count; k++) {
            if (piece->access[k].write)
                write = &piece->access[k];
            else
                read = &piece->access[k];
        }
        if (write)
            visit(user, piece->begin, piece->end, write);
        if (read)
            visit(user, piece->begin, piece->end, read);
    }
}
