/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a shadowed memory. */
#include "check/shadow.h"

#include <stdlib.h>
#include <string.h>

static void empty(pto_shadow_page *page) {
    for (uint32_t i = 0; i < page->count; i++)
        if (page->piece[i].capacity)
            free(page->piece[i].more);
    page->count = 0;
}

void pto_shadow_clear(pto_shadow *s) {
    for (uint32_t i = 0; i < s->size; i++)
        if (s->page[i])
            empty(s->page[i]);
}

void pto_shadow_release(pto_shadow *s) {
    pto_shadow_clear(s);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->page[i]) {
            free(s->page[i]->piece);
            free(s->page[i]);
        }
    free(s->page);
    *s = (pto_shadow){0};
}

/* ---- pages --------------------------------------------------------------------------------------- */

static uint32_t slot_of(const pto_shadow *s, uint64_t number) {
    uint32_t at = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (s->size - 1);
    while (s->page[at] && s->page[at]->number != number)
        at = (at + 1) & (s->size - 1);
    return at;
}

static bool grow_table(pto_shadow *s) {
    pto_shadow old = *s;
    s->size = old.size ? 2 * old.size : 16;
    s->page = calloc(s->size, sizeof(pto_shadow_page *));
    if (!s->page) {
        *s = old;
        return false;
    }
    for (uint32_t i = 0; i < old.size; i++)
        if (old.page[i])
            s->page[slot_of(s, old.page[i]->number)] = old.page[i];
    free(old.page);
    return true;
}

static pto_shadow_page *page_of(pto_shadow *s, uint64_t number) {
    if (s->count * 2 >= s->size && !grow_table(s))
        return NULL;
    const uint32_t at = slot_of(s, number);
    if (!s->page[at]) {
        s->page[at] = calloc(1, sizeof(pto_shadow_page));
        if (!s->page[at])
            return NULL;
        s->page[at]->number = number;
        s->count++;
    }
    return s->page[at];
}

/* ---- pieces -------------------------------------------------------------------------------------- */

/* Index of the first piece that ends behind `at`. */
static uint32_t find(const pto_shadow_page *page, uint64_t at) {
    uint32_t low = 0, high = page->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (page->piece[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Makes room for an empty piece. */
static pto_shadow_piece *insert(pto_shadow_page *page, uint32_t at, uint64_t begin, uint64_t end) {
    if (page->count == page->capacity) {
        const uint32_t wanted = page->capacity ? page->capacity * 2 : 8;
        pto_shadow_piece *grown = realloc(page->piece, wanted * sizeof *grown);
        if (!grown)
            return NULL;
        page->piece = grown;
        page->capacity = wanted;
    }
    memmove(page->piece + at + 1, page->piece + at, (page->count - at) * sizeof *page->piece);
    page->count++;
    pto_shadow_piece *piece = &page->piece[at];
    piece->begin = begin;
    piece->end = end;
    piece->count = piece->capacity = 0;
    return piece;
}

/* Cuts piece i at an address inside of it. */
static bool cut(pto_shadow_page *page, uint32_t i, uint64_t at) {
    pto_shadow_piece *right = insert(page, i + 1, at, page->piece[i].end);
    if (!right)
        return false;
    pto_shadow_piece *left = &page->piece[i];
    if (left->capacity) {
        right->more = malloc(left->capacity * sizeof *right->more);
        if (!right->more)
            return false;
        right->capacity = left->capacity;
    }
    right->count = left->count;
    memcpy(pto_shadow_access(right), pto_shadow_access(left), left->count * sizeof *left->own);
    left->end = at;
    return true;
}

static pto_shadow_piece *cover(pto_shadow_page *page, uint64_t begin, uint64_t end) {
    uint32_t i = find(page, begin);
    if (i < page->count && page->piece[i].begin < begin) {
        if (!cut(page, i, begin))
            return NULL;
        i++;
    }
    const uint32_t first = i;
    for (uint64_t at = begin; at < end; i++) {
        if (i == page->count || page->piece[i].begin > at) {
            const uint64_t stop = i < page->count && page->piece[i].begin < end ? page->piece[i].begin : end;
            if (!insert(page, i, at, stop))
                return NULL;
        } else if (page->piece[i].end > end && !cut(page, i, end)) {
            return NULL;
        }
        at = page->piece[i].end;
    }
    return &page->piece[first];
}

pto_shadow_piece *pto_shadow_cover(pto_shadow *s, uint64_t begin, uint64_t end, uint64_t *stop,
                                   pto_shadow_page **page) {
    const uint64_t number = begin >> PTO_SHADOW_PAGE_BITS;
    const uint64_t next = (number + 1) << PTO_SHADOW_PAGE_BITS;
    *stop = end < next ? end : next;
    *page = page_of(s, number);
    pto_shadow_piece *piece = *page ? cover(*page, begin, *stop) : NULL;
    s->failed |= !piece;
    return piece;
}

void pto_shadow_add(pto_shadow *s, pto_shadow_piece *p, const pto_check_access *access) {
    pto_check_access *list = pto_shadow_access(p);
    if (p->count == PTO_SHADOW_MOST) { /* the oldest read, else the oldest */
        uint32_t gone = 0;
        while (gone + 1 < p->count && list[gone].write)
            gone++;
        memmove(list + gone, list + gone + 1, (p->count - gone - 1) * sizeof *list);
        p->count--;
    }
    if (p->count == (p->capacity ? p->capacity : PTO_SHADOW_OWN)) {
        const uint32_t wanted = p->count * 2;
        pto_check_access *grown = realloc(p->capacity ? p->more : NULL, wanted * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return;
        }
        if (!p->capacity)
            memcpy(grown, p->own, p->count * sizeof *grown);
        p->more = grown;
        p->capacity = wanted;
    }
    pto_shadow_access(p)[p->count++] = *access;
}
