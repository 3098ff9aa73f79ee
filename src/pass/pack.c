/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy packing of intervals: in order of birth with the best gap, and by decreasing size or area with the
 * lowest gap; the items that meet one are found in a tree of latest ends over the items in order of birth. */
#include "pass/pack.h"

#include <stdlib.h>
#include <string.h>

typedef struct packing {
    pto_pack_item *item; /* in order of birth */
    int32_t count;
    uint64_t align, limit;
    const pto_pack_range *taken;
    int32_t taken_count;
    int32_t leaves;  /* a power of two */
    int32_t *latest; /* tree: latest end of the placed items below; -1 = none */
    pto_pack_range *range;
    int32_t *stack;
} packing;

static uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

/* ---- the bound ---------------------------------------------------------------------------------- */

typedef struct event {
    int64_t at; /* twice the instant; an end counts behind the births of its instant */
    int64_t bytes;
} event;

static int by_time(const void *a, const void *b) {
    const event *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void find_bound(pto_arena *arena, const packing *p, pto_pack_result *result) {
    event *events = pto_arena_array(arena, (size_t)p->count * 2 + 1, sizeof *events);
    for (int32_t i = 0; i < p->count; i++) {
        int64_t bytes = (int64_t)round_up(p->item[i].bytes, p->align);
        events[2 * i] = (event){(int64_t)p->item[i].begin * 2, bytes};
        events[2 * i + 1] = (event){(int64_t)p->item[i].end * 2 + 1, -bytes};
    }
    qsort(events, (size_t)p->count * 2, sizeof *events, by_time);
    int64_t live = 0;
    for (int32_t i = 0; i < 2 * p->count; i++) {
        live += events[i].bytes;
        if (live > (int64_t)result->bound) {
            result->bound = (uint64_t)live;
            result->worst = (int32_t)(events[i].at / 2);
        }
    }
}

/* ---- gaps --------------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b) {
    const pto_pack_range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The address for `bytes` beside ranges sorted by begin: the lowest gap, or the smallest that holds them. */
static bool find_gap(const packing *p, const pto_pack_range *range, int32_t count, uint64_t bytes, bool best,
                     uint64_t *addr) {
    uint64_t at = 0, smallest = UINT64_MAX;
    bool found = false;
    for (int32_t k = 0; k <= count; k++) {
        uint64_t end = k < count ? range[k].begin : p->limit;
        if (end > p->limit)
            end = p->limit;
        /* what lies above the last range is open: any gap below it is smaller */
        uint64_t size = end > at ? end - at : 0;
        if (size >= bytes && (k < count ? size < smallest : !found)) {
            *addr = at;
            smallest = size;
            found = true;
            if (!best || size == bytes)
                return true;
        }
        if (k < count && range[k].end > at)
            at = round_up(range[k].end, p->align);
    }
    return found;
}

/* ---- in order of birth ---------------------------------------------------------------------------- */

typedef struct active {
    uint64_t begin, end;
    int32_t last; /* instant */
} active;

static bool pack_by_birth(packing *p, active *live) {
    int32_t n = 0;
    for (int32_t i = 0; i < p->count; i++) {
        pto_pack_item *item = &p->item[i];
        int32_t kept = 0, r = 0;
        for (int32_t k = 0; k < n; k++)
            if (live[k].last >= item->begin)
                live[kept++] = live[k];
        n = kept;
        for (int32_t k = 0; k < n; k++)
            p->range[r++] = (pto_pack_range){live[k].begin, live[k].end};
        if (p->taken_count) {
            memcpy(p->range + r, p->taken, (size_t)p->taken_count * sizeof *p->range);
            r += p->taken_count;
            qsort(p->range, (size_t)r, sizeof *p->range, by_begin);
        }
        if (!find_gap(p, p->range, r, item->bytes, true, &item->addr))
            return false;
        int32_t at = n++;
        while (at > 0 && live[at - 1].begin > item->addr) {
            live[at] = live[at - 1];
            at--;
        }
        live[at] = (active){item->addr, item->addr + item->bytes, item->end};
    }
    return true;
}

/* ---- by decreasing weight ------------------------------------------------------------------------- */

static void set_placed(packing *p, int32_t i) {
    int32_t node = p->leaves + i;
    p->latest[node] = p->item[i].end;
    for (node /= 2; node; node /= 2)
        p->latest[node] =
            p->latest[2 * node] > p->latest[2 * node + 1] ? p->latest[2 * node] : p->latest[2 * node + 1];
}

/* Ranges of the placed items that meet item i. */
static int32_t meeting(packing *p, int32_t i) {
    const pto_pack_item *own = &p->item[i];
    int32_t low = 0, high = p->count, n = 0, depth = 0;
    while (low < high) { /* the first that is born behind its end */
        int32_t middle = low + (high - low) / 2;
        if (p->item[middle].begin <= own->end)
            low = middle + 1;
        else
            high = middle;
    }
    p->stack[depth++] = 1;
    while (depth) {
        int32_t node = p->stack[--depth];
        if (p->latest[node] < own->begin)
            continue;
        if (node >= p->leaves) {
            const pto_pack_item *other = &p->item[node - p->leaves];
            if (node - p->leaves < low)
                p->range[n++] = (pto_pack_range){other->addr, other->addr + other->bytes};
            continue;
        }
        /* leftmost item below the right child */
        int32_t left = 2 * node + 1;
        while (left < p->leaves)
            left *= 2;
        if (left - p->leaves < low)
            p->stack[depth++] = 2 * node + 1;
        p->stack[depth++] = 2 * node;
    }
    return n;
}

typedef struct weight {
    uint64_t first, second;
    int32_t item;
} weight;

static int by_weight(const void *a, const void *b) {
    const weight *x = a, *y = b;
    if (x->first != y->first)
        return x->first > y->first ? -1 : 1;
    if (x->second != y->second)
        return x->second > y->second ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static bool pack_by_weight(packing *p, weight *order, bool area, bool best) {
    for (int32_t i = 0; i < p->count; i++) {
        uint64_t length = (uint64_t)((int64_t)p->item[i].end - p->item[i].begin) + 1;
        uint64_t bytes = p->item[i].bytes;
        order[i] = area ? (weight){bytes * length, bytes, i} : (weight){bytes, length, i};
    }
    qsort(order, (size_t)p->count, sizeof *order, by_weight);
    for (int32_t node = 0; node < 2 * p->leaves; node++)
        p->latest[node] = -1;
    for (int32_t k = 0; k < p->count; k++) {
        int32_t i = order[k].item, n = meeting(p, i);
        if (p->taken_count)
            memcpy(p->range + n, p->taken, (size_t)p->taken_count * sizeof *p->range);
        n += p->taken_count;
        qsort(p->range, (size_t)n, sizeof *p->range, by_begin);
        if (!find_gap(p, p->range, n, p->item[i].bytes, best, &p->item[i].addr))
            return false;
        set_placed(p, i);
    }
    return true;
}

/* ---- the best of them ----------------------------------------------------------------------------- */

static int by_life(const void *a, const void *b) {
    const pto_pack_item *const *x = a, *const *y = b;
    if ((*x)->begin != (*y)->begin)
        return (*x)->begin < (*y)->begin ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static void keep_lower(const packing *p, uint64_t *kept, pto_pack_result *result) {
    uint64_t peak = 0;
    for (int32_t i = 0; i < p->count; i++)
        if (p->item[i].addr + p->item[i].bytes > peak)
            peak = p->item[i].addr + p->item[i].bytes;
    if (result->fits && peak >= result->peak)
        return;
    result->fits = true;
    result->peak = peak;
    for (int32_t i = 0; i < p->count; i++)
        kept[i] = p->item[i].addr;
}

pto_pack_result pto_pack(pto_arena *arena, pto_pack_item *item, int32_t count, uint64_t align, uint64_t limit,
                         const pto_pack_range *taken, int32_t taken_count) {
    pto_pack_result result = {0};
    size_t n = (size_t)count + 1;
    packing p = {.count = count,
                 .align = align,
                 .limit = limit,
                 .taken = taken,
                 .taken_count = taken_count,
                 .leaves = 1};
    while (p.leaves < count)
        p.leaves *= 2;
    pto_pack_item **sorted = pto_arena_array(arena, n, sizeof *sorted);
    p.item = pto_arena_array(arena, n, sizeof *p.item);
    for (int32_t i = 0; i < count; i++)
        sorted[i] = &item[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_life);
    for (int32_t i = 0; i < count; i++)
        p.item[i] = *sorted[i];
    find_bound(arena, &p, &result);
    if (result.bound > round_up(limit, align))
        return result; /* no plan can fit */
    p.latest = pto_arena_array(arena, 2 * (size_t)p.leaves, sizeof *p.latest);
    p.stack = pto_arena_array(arena, 128, sizeof *p.stack);
    p.range = pto_arena_array(arena, n + (size_t)taken_count, sizeof *p.range);
    uint64_t *kept = pto_arena_array(arena, n, sizeof *kept);
    void *spare =
        pto_arena_array(arena, n, sizeof(weight) > sizeof(active) ? sizeof(weight) : sizeof(active));
    if (pack_by_birth(&p, spare))
        keep_lower(&p, kept, &result);
    for (int turn = 0; turn < 4 && (!result.fits || result.peak > result.bound); turn++)
        if (pack_by_weight(&p, spare, turn & 1, turn & 2))
            keep_lower(&p, kept, &result);
    for (int32_t i = 0; result.fits && i < count; i++)
        sorted[i]->addr = kept[i];
    return result;
}
