/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks, shadows and byte maps of the memories; what is reported. */
#include "check/checker.h"

#include "isa/isa.h"
#include "tile/tile.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------------------- */

pto_checker *pto_checker_create(const pto_check_options *options) {
    pto_checker *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->options = *options;
    memcpy(c->bytes, options->memory_bytes, sizeof c->bytes);
    c->options.memory_bytes = c->bytes;
    c->site = -1;
    if (!pto_check_maps_create(c)) {
        pto_checker_destroy(c);
        return NULL;
    }
    return c;
}

void pto_checker_destroy(pto_checker *c) {
    if (!c)
        return;
    for (int m = 0; m < PTO_CHECK_MEMORIES; m++)
        pto_shadow_release(&c->shadow[m]);
    pto_check_maps_release(c);
    for (int core = 0; core < PTO_CHECK_CORES; core++)
        for (int id = 0; id < PTO_CHECK_SIGNALS; id++)
            free(c->signals[core][id].one);
    free(c->wait);
    free(c->barrier);
    free(c->turns);
    free(c->place);
    free(c->place_of);
    free(c);
}

void pto_checker_begin(pto_checker *c) {
    c->core = 0;
    memset(c->issued, 0, sizeof c->issued);
    memset(c->before, 0, sizeof c->before);
    memset(c->fenced, 0, sizeof c->fenced);
    pto_check_sync_begin(c);
    c->scratch.end = 0;
    for (int m = 0; m < PTO_CHECK_MEMORIES; m++)
        pto_shadow_clear(&c->shadow[m]);
    pto_check_maps_begin(c);
    if (c->turns)
        memset(c->turns, 0, (size_t)c->turn_capacity * sizeof *c->turns);
    if (c->seen_count)
        memset(c->seen, 0, sizeof c->seen);
    c->seen_count = 0;
}

void pto_checker_block(pto_checker *c, uint32_t block) { c->block = block; }
void pto_checker_core(pto_checker *c, int core) { c->core = core; }

/* ---- places -------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void pto_checker_site(pto_checker *c, int32_t site) {
    c->site = site;
    c->file = NULL;
    c->line = 0;
}

static bool grow_places(pto_checker *c) {
    const int32_t wanted = c->place_capacity ? 2 * c->place_capacity : 128;
    void *places = realloc(c->place, (size_t)wanted * sizeof *c->place);
    if (!places)
        return false;
    c->place = places;
    int32_t *table = malloc(2 * (size_t)wanted * sizeof *table);
    if (!table)
        return false;
    free(c->place_of);
    c->place_of = table;
    c->place_capacity = wanted;
    memset(table, 0xff, 2 * (size_t)wanted * sizeof *table);
    for (int32_t i = 0; i < c->place_count; i++) {
        size_t at =
            (size_t)(mix((uintptr_t)c->place[i].file, (uint32_t)c->place[i].line) % (2 * (uint64_t)wanted));
        while (table[at] >= 0)
            at = (at + 1) % (2 * (size_t)wanted);
        table[at] = i;
    }
    return true;
}

void pto_checker_place(pto_checker *c, const char *file, int32_t line) {
    c->file = file;
    c->line = line;
    c->site = -1;
    if (!file || (c->place_count == c->place_capacity && !grow_places(c)))
        return;
    const size_t size = 2 * (size_t)c->place_capacity;
    size_t at = (size_t)(mix((uintptr_t)file, (uint32_t)line) % size);
    for (; c->place_of[at] >= 0; at = (at + 1) % size)
        if (c->place[c->place_of[at]].file == file && c->place[c->place_of[at]].line == line) {
            c->site = c->place_of[at];
            return;
        }
    c->place_of[at] = c->site = c->place_count;
    c->place[c->place_count].file = file;
    c->place[c->place_count++].line = line;
}

void pto_check_count_turn(pto_checker *c) {
    if (c->site < 0)
        return;
    if (c->site >= c->turn_capacity) {
        const int32_t wanted = c->site < 512 ? 1024 : 2 * c->site;
        uint32_t *grown = realloc(c->turns, (size_t)wanted * sizeof *grown);
        if (!grown)
            return;
        memset(grown + c->turn_capacity, 0, (size_t)(wanted - c->turn_capacity) * sizeof *grown);
        c->turns = grown;
        c->turn_capacity = wanted;
    }
    c->turns[c->site]++;
}

pto_check_access pto_check_here(const pto_checker *c, uint8_t lane) {
    return (pto_check_access){.number = 1,
                              .lane = lane,
                              .operand = -1,
                              .site = c->site,
                              .file = c->file,
                              .line = c->line,
                              .turn = c->site >= 0 && c->site < c->turn_capacity ? c->turns[c->site] : 0,
                              .block = c->block};
}

/* ---- reporting ----------------------------------------------------------------------------------- */

static uint64_t mix_place(uint64_t hash, const pto_check_access *a) {
    for (const char *at = a->file; at && *at; at++)
        hash = mix(hash, (unsigned char)*at);
    return mix(hash, a->file ? (uint32_t)a->line : (uint32_t)a->site);
}

static uint64_t key_of(const pto_check_finding *f) {
    uint64_t hash = 1;
    for (const char *at = f->rule; *at; at++)
        hash = mix(hash, (unsigned char)*at);
    hash = mix_place(mix_place(hash, &f->first), &f->second);
    hash = mix(hash, (uint8_t)f->second.operand);
    return hash ? hash : 1;
}

/* Counts; whether it is new in this block. */
static bool remember(pto_checker *c, const pto_check_finding *f) {
    for (size_t i = (size_t)(f->key % PTO_CHECK_SEEN), n = 0; n < PTO_CHECK_SEEN;
         i = (i + 1) % PTO_CHECK_SEEN, n++) {
        if (c->seen[i].key == f->key) {
            c->seen[i].count++;
            return false;
        }
        if (!c->seen[i].key) {
            c->seen[i].key = f->key;
            c->seen[i].count = 1;
            c->seen[i].rule = f->rule;
            c->seen_count++;
            return true;
        }
    }
    return false; /* full of other findings */
}

/* The rows and columns of the operand's elements that the bytes belong to. */
static void find_elements(const pto_tile *tile, pto_check_finding *f, uint64_t from) {
    const uint64_t bits = pto_dtype_bits(tile->type.dtype);
    const uint64_t begin = (f->begin - from) * 8, end = (f->end - from) * 8;
    for (int32_t r = 0; r < tile->type.rows; r++)
        for (int32_t col = 0; col < tile->type.cols; col++) {
            const uint64_t at = (uint64_t)pto_tile_offset(&tile->type, r, col) * bits;
            if (at + bits <= begin || at >= end)
                continue;
            if (!f->has_elements) {
                f->row[0] = f->row[1] = r;
                f->col[0] = f->col[1] = col;
                f->has_elements = true;
            }
            f->row[1] = r;
            f->col[0] = col < f->col[0] ? col : f->col[0];
            f->col[1] = col > f->col[1] ? col : f->col[1];
        }
}

static void draw_map(pto_checker *c, const pto_shadow_page *page, pto_shadow_piece *piece,
                     pto_check_finding *f) {
    const ptrdiff_t at = piece - page->piece, count = (ptrdiff_t)page->count;
    for (ptrdiff_t i = at > 2 ? at - 2 : 0; i < count && f->map_count < PTO_CHECK_NEIGHBOURS; i++) {
        pto_shadow_piece *p = &page->piece[i];
        if (p->count)
            f->map[f->map_count++] = (pto_check_neighbour){p->begin - c->base, p->end - c->base,
                                                           pto_shadow_access(p)[p->count - 1]};
    }
    const pto_check_access *list = pto_shadow_access(piece);
    for (uint32_t i = 0; i < piece->count; i++)
        if (list[i].write && list[i].number != f->first.number)
            f->writer = list[i];
}

void pto_check_tell(pto_checker *c, pto_check_finding *f, const pto_shadow_page *page,
                    pto_shadow_piece *piece) {
    f->key = key_of(f);
    if (!remember(c, f))
        return;
    if (f->memory >= 0 && f->memory != PTO_CHECK_GLOBAL && !f->has_elements && f->second.operand >= 0 &&
        c->operand_tile)
        find_elements(c->operand_tile, f,
                      f->memory == PTO_CHECK_STORAGE ? (uint64_t)(uintptr_t)c->operand_tile->data - c->base
                                                     : c->operand_tile->addr);
    if (piece)
        draw_map(c, page, piece, f);
    c->options.found(c->options.user, f);
}

/* ---- clocks -------------------------------------------------------------------------------------- */

static bool follows(const pto_checker *c, const pto_check_access *old, const pto_check_access *now) {
    if (old->lane == now->lane && old->number == now->number)
        return true; /* one operation */
    return old->number <= c->before[now->lane][old->lane];
}

void pto_check_start(pto_checker *c, pto_form form, pto_pipe pipe, const char *file, int32_t line) {
    const uint8_t lane = pto_check_lane(c, pipe);
    if (file)
        pto_checker_place(c, file, line);
    pto_check_count_turn(c);
    c->now = pto_check_here(c, lane);
    c->now.number = ++c->issued[lane];
    c->now.form = form;
    c->operand_tile = NULL;
    c->undefines = false;
    c->name = NULL;
    c->base = 0;
}

/* The operation is issued: on an ordered pipe the next one follows it; on cpu every later one of the core
 * does.
 */
void pto_check_finish(pto_checker *c) {
    const uint8_t lane = c->now.lane, core = (uint8_t)(lane / PTO_CHECK_PIPES * PTO_CHECK_PIPES);
    if (c->options.target == PTO_TARGET_CPU)
        for (int p = 0; p < PTO_CHECK_PIPES; p++)
            c->before[core + p][lane] = c->now.number;
    else if (pto_pipe_is_ordered(c->options.target, pto_check_pipe(&c->now)))
        c->before[lane][lane] = c->now.number;
}

/* ---- accesses ------------------------------------------------------------------------------------ */

static bool is_elementwise(pto_form form) {
    const char *family = pto_form_get(form)->family;
    return !strcmp(family, "elementwise") || !strcmp(family, "tile-scalar");
}

/* The flag that would order the two: one that is up and was set behind the first, else an id that the program
 * has not used between the two pipes. */
static void find_flag(const pto_checker *c, pto_check_finding *f) {
    const pto_check_flag *flags = c->flags[f->first.lane][f->dst];
    f->id = 0;
    while (f->signal < 15 && c->signals_used >> f->signal & 1)
        f->signal++;
    for (int id = PTO_CHECK_FLAGS; id-- > 0;)
        if (!(c->used[f->first.lane][f->dst] >> id & 1))
            f->id = id;
    for (int id = 0; id < PTO_CHECK_FLAGS && !f->set.number; id++)
        if (flags[id].up && flags[id].at[f->first.lane] >= f->first.number) {
            f->id = id;
            f->set = flags[id].set;
        }
}

static void race(pto_checker *c, int memory, const pto_shadow_page *page, pto_shadow_piece *piece,
                 const pto_check_access *old) {
    bool same_pipe = old->lane == c->now.lane;
    bool same_tile = same_pipe && old->tile && old->tile == c->now.tile && old->operand >= 0 &&
                     c->now.operand >= 0 && is_elementwise(old->form) && is_elementwise(c->now.form);
    bool same_core = old->lane / PTO_CHECK_PIPES == c->now.lane / PTO_CHECK_PIPES;
    pto_check_finding f = {.rule = same_tile    ? "PTO-E1103"
                                   : same_pipe  ? "PTO-E1102"
                                   : !same_core ? "PTO-E1105"
                                                : "PTO-E1101",
                           .first = *old,
                           .second = c->now,
                           .memory = memory,
                           .begin = piece->begin - c->base,
                           .end = piece->end - c->base,
                           .name = c->name,
                           .src = pto_check_pipe(old),
                           .dst = pto_check_pipe(&c->now),
                           .id = -1};
    if (same_core && !same_pipe)
        find_flag(c, &f);
    pto_check_tell(c, &f, page, piece);
}

/* The access meets those of a piece and takes its place among them. */
static void touch_piece(pto_checker *c, int memory, const pto_shadow_page *page, pto_shadow_piece *piece) {
    pto_check_access *list = pto_shadow_access(piece);
    uint32_t kept = 0;
    bool told = false;
    for (uint32_t i = 0; i < piece->count; i++) {
        const pto_check_access *old = &list[i];
        const bool hb = follows(c, old, &c->now);
        const bool conflict = (old->write || c->now.write) && !(old->atomic && old->atomic == c->now.atomic);
        if (conflict && !hb && !told) {
            race(c, memory, page, piece, old);
            told = true;
        }
        /* what the new access stands for needs no record of its own: a later one that follows it follows
         * both; but an atomic update conflicts with less than what it follows may */
        const bool covered =
            (hb || told) && (c->now.write || !old->write) && (!c->now.atomic || old->atomic == c->now.atomic);
        if (covered)
            continue;
        if (kept != i)
            list[kept] = *old;
        kept++;
    }
    piece->count = kept;
    pto_shadow_add(&c->shadow[memory], piece, &c->now);
}

static void touch(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    for (uint64_t stop; begin < end; begin = stop) {
        pto_shadow_page *page;
        pto_shadow_piece *piece = pto_shadow_cover(&c->shadow[memory], begin, end, &stop, &page);
        for (; piece && piece < page->piece + page->count && piece->begin < stop; piece++)
            touch_piece(c, memory, page, piece);
    }
}

void pto_check_touch(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    if (c->options.checks & PTO_CHECK_RACE)
        touch(c, memory, begin, end);
    if (memory == PTO_CHECK_GLOBAL) {
        if (c->options.global)
            c->options.global(c->options.global_user, begin, end, &c->now);
    } else if (pto_check_has_maps(c)) {
        pto_check_initialised(c, memory, begin, end);
    }
}

void pto_check_scratch(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    if (c->options.checks & PTO_CHECK_RACE)
        touch(c, (int)loc, begin, end);
    if (c->options.checks & PTO_CHECK_MEMORY)
        pto_check_clobber(c, loc, begin, end);
}

/* Nothing of these bytes is remembered. */
static void forget_accesses(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    for (uint64_t stop; begin < end; begin = stop) {
        pto_shadow_page *page;
        pto_shadow_piece *piece = pto_shadow_cover(&c->shadow[memory], begin, end, &stop, &page);
        for (; piece && piece < page->piece + page->count && piece->begin < stop; piece++)
            piece->count = 0;
    }
}

void pto_checker_forget(pto_checker *c, const void *storage, size_t bytes) {
    const uint64_t begin = (uint64_t)(uintptr_t)storage;
    if (pto_check_drop_storage(c, begin) && c->options.checks & PTO_CHECK_RACE)
        forget_accesses(c, PTO_CHECK_STORAGE, begin, begin + bytes);
}

void pto_checker_meet(pto_checker *c) {
    pto_check_fence(c, PTO_PIPE_ALL);
    pto_shadow_clear(&c->shadow[PTO_CHECK_GLOBAL]);
}

/* The findings of the block that have happened more than once. */
void pto_check_count_repeats(pto_checker *c) {
    for (int i = 0; i < PTO_CHECK_SEEN && c->seen_count; i++) {
        if (c->seen[i].count < 2)
            continue;
        const pto_check_finding f = {
            .rule = c->seen[i].rule, .key = c->seen[i].key, .repeats = c->seen[i].count - 1, .memory = -1};
        c->options.found(c->options.user, &f);
    }
}

static void visit_piece(pto_shadow_piece *piece,
                        void (*visit)(void *user, uint64_t begin, uint64_t end,
                                      const pto_check_access *access),
                        void *user) {
    /* the last read, the last write, the last atomic update of each kind */
    const pto_check_access *list = pto_shadow_access(piece), *last[2 + PTO_SCATTER_MIN] = {NULL};
    for (uint32_t k = 0; k < piece->count; k++)
        last[list[k].write ? 1 + list[k].atomic : 0] = &list[k];
    for (int i = 1 + PTO_SCATTER_MIN; i >= 0; i--)
        if (last[i])
            visit(user, piece->begin, piece->end, last[i]);
}

void pto_checker_each_global(const pto_checker *c,
                             void (*visit)(void *user, uint64_t begin, uint64_t end,
                                           const pto_check_access *access),
                             void *user) {
    const pto_shadow *shadow = &c->shadow[PTO_CHECK_GLOBAL];
    for (uint32_t i = 0; i < shadow->size; i++)
        for (uint32_t k = 0; shadow->page[i] && k < shadow->page[i]->count; k++)
            visit_piece(&shadow->page[i]->piece[k], visit, user);
}
