/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a shadowed memory. */
#include "check/shadow.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

void pto_shadow_clear(pto_shadow *s) {
    for (size_t i = 0; i < s->count; i++)
        free(s->piece[i].access);
    free(s->piece);
    *s = (pto_shadow){0};
}

/* Index of the first piece that ends behind `at`. */
static size_t find(const pto_shadow *s, uint64_t at) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->piece[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(pto_shadow *s, size_t at, pto_shadow_piece piece) {
    if (s->count == s->capacity) {
        size_t wanted = s->capacity ? s->capacity * 2 : 64;
        pto_shadow_piece *grown = realloc(s->piece, wanted * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return false;
        }
        s->piece = grown;
        s->capacity = wanted;
    }
    memmove(s->piece + at + 1, s->piece + at, (s->count - at) * sizeof *s->piece);
    s->piece[at] = piece;
    s->count++;
    return true;
}

/* Cuts piece i at an address inside of it. */
static bool cut(pto_shadow *s, size_t i, uint64_t at) {
    pto_shadow_piece right = s->piece[i];
    right.begin = at;
    right.capacity = right.count;
    right.access = NULL;
    if (right.count) {
        right.access = malloc(right.count * sizeof *right.access);
        if (!right.access) {
            s->failed = true;
            return false;
        }
        memcpy(right.access, s->piece[i].access, right.count * sizeof *right.access);
    }
    if (!insert(s, i + 1, right)) {
        free(right.access);
        return false;
    }
    s->piece[i].end = at;
    return true;
}

pto_shadow_piece *pto_shadow_cover(pto_shadow *s, uint64_t begin, uint64_t end) {
    size_t i = find(s, begin);
    if (i < s->count && s->piece[i].begin < begin) {
        if (!cut(s, i, begin))
            return NULL;
        i++;
    }
    size_t first = i;
    for (uint64_t at = begin; at < end; i++) {
        bool gap = i == s->count || s->piece[i].begin > at;
        if (gap) {
            uint64_t stop = i < s->count && s->piece[i].begin < end ? s->piece[i].begin : end;
            if (!insert(s, i, (pto_shadow_piece){.begin = at, .end = stop}))
                return NULL;
        } else if (s->piece[i].end > end && !cut(s, i, end)) {
            return NULL;
        }
        at = s->piece[i].end;
    }
    return &s->piece[first];
}

void pto_shadow_add(pto_shadow *s, pto_shadow_piece *p, const pto_check_access *access) {
    if (p->count == MOST) { /* the oldest read, else the oldest */
        uint32_t gone = 0;
        while (gone + 1 < p->count && p->access[gone].write)
            gone++;
        memmove(p->access + gone, p->access + gone + 1, (p->count - gone - 1) * sizeof *p->access);
        p->count--;
    }
    if (p->count == p->capacity) {
        uint32_t wanted = p->capacity ? p->capacity * 2 : 4;
        pto_check_access *grown = realloc(p->access, wanted * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return;
        }
        p->access = grown;
        p->capacity = wanted;
    }
    p->access[p->count++] = *access;
}
