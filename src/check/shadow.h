/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow of a memory: pages, found by address; in each, disjoint pieces in order of address with the accesses
 * that a later one may conflict with. A range that crosses pages is a piece in each of them. Memory: a piece
 * has room for PTO_SHADOW_OWN accesses and at most PTO_SHADOW_MOST, 48 bytes each. */
#ifndef PTO_CHECK_SHADOW_H
#define PTO_CHECK_SHADOW_H

#include "check/check.h"

enum { PTO_SHADOW_PAGE_BITS = 16, PTO_SHADOW_OWN = 2, PTO_SHADOW_MOST = 64 };

typedef struct pto_shadow_piece {
    uint64_t begin, end;
    uint32_t count, capacity; /* capacity 0: in own */
    pto_check_access *more;
    pto_check_access own[PTO_SHADOW_OWN];
} pto_shadow_piece;

typedef struct pto_shadow_page {
    uint64_t number;
    pto_shadow_piece *piece;
    uint32_t count, capacity;
} pto_shadow_page;

typedef struct pto_shadow {
    pto_shadow_page **page; /* hash table */
    uint32_t count, size;   /* size 0 or a power of two */
    bool failed;            /* no memory: pieces may be missing */
} pto_shadow;

static inline pto_check_access *pto_shadow_access(pto_shadow_piece *piece) {
    return piece->capacity ? piece->more : piece->own;
}

void pto_shadow_release(pto_shadow *shadow);
/* Forgets all accesses; pages are kept for the next block. */
void pto_shadow_clear(pto_shadow *shadow);
/* The part of [begin, end) that lies in the page of `begin`: its end goes to *stop, its page to *page. The
 * pieces from the one returned to that end cover it exactly: they are cut and made as needed. NULL without
 * memory. */
pto_shadow_piece *pto_shadow_cover(pto_shadow *shadow, uint64_t begin, uint64_t end, uint64_t *stop,
                                   pto_shadow_page **page);
/* Adds an access to a piece; beyond the most the oldest read goes. */
void pto_shadow_add(pto_shadow *shadow, pto_shadow_piece *piece, const pto_check_access *access);

#endif
