/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes on chip were written: a bit a byte for every memory and for the storage of every unassigned
 * tile. */
#include "check/bits.h"
#include "check/checker.h"

#include "tile/tile.h"

#include <stdlib.h>
#include <string.h>

static uint64_t *map_of_bytes(uint64_t bytes) { return calloc((size_t)(bytes / 64 + 1), sizeof(uint64_t)); }

bool pto_check_maps_create(pto_checker *c) {
    for (int loc = 0; loc < PTO_LOC_COUNT && pto_check_has_maps(c); loc++)
        if (c->bytes[loc] && !(c->written[loc] = map_of_bytes(c->bytes[loc])))
            return false;
    return true;
}

static void drop_all_storage(pto_checker *c) {
    for (int i = 0; i < c->storage_count; i++)
        free(c->storage[i].written);
    c->storage_count = 0;
}

void pto_check_maps_release(pto_checker *c) {
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        free(c->written[loc]);
    free(c->clobbered);
    drop_all_storage(c);
    free(c->storage);
}

void pto_check_maps_begin(pto_checker *c) {
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        if (c->written[loc])
            pto_bits_clear(c->written[loc], c->written_begin[loc], c->written_end[loc]);
        c->written_begin[loc] = c->written_end[loc] = 0;
    }
    free(c->clobbered);
    c->clobbered = NULL;
    drop_all_storage(c);
}

/* ---- storage of unassigned tiles ------------------------------------------------------------------- */

/* The storage that holds an address; NULL = none. */
static pto_check_storage *storage_of(pto_checker *c, uint64_t at) {
    int low = 0, high = c->storage_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->storage[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->storage_count && c->storage[low].begin <= at ? &c->storage[low] : NULL;
}

static void add_storage(pto_checker *c, uint64_t begin, uint64_t end) {
    if (c->storage_count == c->storage_capacity) {
        const int wanted = c->storage_capacity ? 2 * c->storage_capacity : 16;
        pto_check_storage *grown = realloc(c->storage, (size_t)wanted * sizeof *grown);
        if (!grown)
            return;
        c->storage = grown;
        c->storage_capacity = wanted;
    }
    uint64_t *written = pto_check_has_maps(c) ? map_of_bytes(end - begin) : NULL;
    int at = c->storage_count++;
    for (; at > 0 && c->storage[at - 1].begin > begin; at--)
        c->storage[at] = c->storage[at - 1];
    c->storage[at] = (pto_check_storage){begin, end, written};
}

uint64_t pto_check_storage_base(pto_checker *c, const pto_tile *tile) {
    const uint64_t at = (uint64_t)(uintptr_t)tile->data;
    const pto_check_storage *storage = storage_of(c, at);
    if (!storage && !tile->room) {
        add_storage(c, at, at + pto_tile_type_bytes(&tile->type));
        storage = storage_of(c, at);
    }
    return storage ? storage->begin : at;
}

bool pto_check_drop_storage(pto_checker *c, uint64_t at) {
    pto_check_storage *s = storage_of(c, at);
    if (!s)
        return false;
    free(s->written);
    memmove(s, s + 1, (size_t)(c->storage + c->storage_count - s - 1) * sizeof *s);
    c->storage_count--;
    return true;
}

int pto_checker_tile_memory(pto_checker *c, const pto_tile *tile, uint64_t *at, uint64_t *base) {
    *base = 0;
    if (tile->assigned) {
        *at = tile->addr;
        return (int)tile->type.loc;
    }
    *at = (uint64_t)(uintptr_t)tile->data;
    *base = pto_check_storage_base(c, tile);
    return PTO_CHECK_STORAGE;
}

/* ---- reads and writes -------------------------------------------------------------------------------- */

/* The map of a range and where bit 0 of it stands; NULL when there is none that holds all of it. */
static uint64_t *map_of(pto_checker *c, int memory, uint64_t begin, uint64_t end, uint64_t *base) {
    *base = 0;
    if (begin >= end)
        return NULL;
    if (memory == PTO_CHECK_STORAGE) {
        const pto_check_storage *storage = storage_of(c, begin);
        *base = storage ? storage->begin : 0;
        return storage && end <= storage->end ? storage->written : NULL;
    }
    return memory < PTO_LOC_COUNT && end <= c->bytes[memory] ? c->written[memory] : NULL;
}

static void mark(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    uint64_t base, *map = map_of(c, memory, begin, end, &base);
    if (!map)
        return;
    pto_bits_set(map, begin - base, end - base);
    if (memory >= PTO_LOC_COUNT)
        return;
    if (memory == PTO_LOC_VEC && c->clobbered)
        pto_bits_clear(c->clobbered, begin, end);
    const bool first = c->written_end[memory] <= c->written_begin[memory];
    if (first || begin < c->written_begin[memory])
        c->written_begin[memory] = begin;
    if (first || end > c->written_end[memory])
        c->written_end[memory] = end;
}

/* Not only the first run of bad bytes: the elements of the operand that all of them up to `end` belong to. */
static void find_bad_elements(const pto_checker *c, int memory, const uint64_t *map, uint64_t base,
                              uint64_t end, bool bad, pto_check_finding *f) {
    const pto_tile *tile = c->operand_tile;
    const uint64_t first = f->begin + c->base - base, stop = f->end + c->base - base;
    if (!tile || tile->type.rows > 4096 || pto_bits_find(map, stop, end - base, bad) == end - base)
        return; /* one run: whoever tells it finds its elements */
    const uint64_t bits = pto_dtype_bits(tile->type.dtype);
    const uint64_t at = memory == PTO_CHECK_STORAGE ? (uint64_t)(uintptr_t)tile->data : tile->addr;
    uint64_t last = stop;
    for (int32_t r = 0; r < tile->valid_rows; r++)
        for (int32_t col = 0; col < tile->valid_cols; col++) {
            const uint64_t bit = (uint64_t)pto_tile_offset(&tile->type, r, col) * bits,
                           from = at - base + bit / 8, to = at - base + (bit + bits + 7) / 8;
            if (from < first || to > end - base || pto_bits_find(map, from, to, bad) == to)
                continue;
            if (!f->has_elements) {
                f->row[0] = f->row[1] = r;
                f->col[0] = f->col[1] = col;
                f->has_elements = true;
            }
            f->row[0] = r < f->row[0] ? r : f->row[0];
            f->row[1] = r > f->row[1] ? r : f->row[1];
            f->col[0] = col < f->col[0] ? col : f->col[0];
            f->col[1] = col > f->col[1] ? col : f->col[1];
            last = to > last ? to : last;
        }
    f->in_part = f->has_elements;
    f->end = base + last - c->base;
}

/* A read of bytes of which those that are `bad` in the map should not be read. */
static void tell_first(pto_checker *c, const char *rule, int memory, const uint64_t *map, uint64_t base,
                       uint64_t begin, uint64_t end, bool bad) {
    const uint64_t at = pto_bits_find(map, begin - base, end - base, bad);
    if (at == end - base)
        return;
    const uint64_t stop = pto_bits_find(map, at, end - base, !bad);
    pto_check_finding f = {.rule = rule,
                           .second = c->now,
                           .memory = memory,
                           .begin = base + at - c->base,
                           .end = base + stop - c->base,
                           .id = -1};
    find_bad_elements(c, memory, map, base, end, bad, &f);
    pto_check_tell(c, &f, NULL, NULL);
    mark(c, memory, begin, end); /* told once */
}

void pto_check_initialised(pto_checker *c, int memory, uint64_t begin, uint64_t end) {
    if (c->now.write && !c->undefines) {
        mark(c, memory, begin, end);
        return;
    }
    uint64_t base, *map = map_of(c, memory, begin, end, &base);
    if (c->now.write) {
        if (map)
            pto_bits_clear(map, begin - base, end - base);
        return;
    }
    if (map && c->options.checks & PTO_CHECK_INIT)
        tell_first(c, "PTO-E1120", memory, map, base, begin, end, false);
    if (map && memory == PTO_LOC_VEC && c->clobbered)
        tell_first(c, "PTO-E1142", memory, c->clobbered, 0, begin, end, true);
}

void pto_check_clobber(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    uint64_t base;
    const uint64_t *map = map_of(c, (int)loc, begin, end, &base);
    if (!map || loc != PTO_LOC_VEC)
        return;
    if (!c->clobbered && !(c->clobbered = map_of_bytes(c->bytes[loc])))
        return;
    for (uint64_t w = begin / 64; w * 64 < end; w++) /* where something was */
        c->clobbered[w] |= map[w] & pto_bits_mask(w, begin, end);
}

void pto_checker_copy(pto_checker *c, pto_loc loc, uint64_t to, uint64_t from, uint64_t bytes) {
    const uint64_t *map = c->written[loc];
    if (!map || to == from || from + bytes > c->bytes[loc] || to + bytes > c->bytes[loc])
        return;
    if (to < from + bytes && from < to + bytes) {
        mark(c, (int)loc, to, to + bytes);
        return;
    }
    pto_bits_clear(c->written[loc], to, to + bytes);
    for (uint64_t at = pto_bits_find(map, from, from + bytes, true), end; at < from + bytes;
         at = pto_bits_find(map, end, from + bytes, true)) {
        end = pto_bits_find(map, at, from + bytes, false);
        mark(c, (int)loc, to + (at - from), to + (end - from));
    }
}

void pto_checker_preset(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end) {
    mark(c, (int)loc, begin, end);
}
