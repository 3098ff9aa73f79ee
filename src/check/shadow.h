/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow of a memory: disjoint pieces in order of address, each with the accesses that a later one may
 * conflict with. */
#ifndef PTO_CHECK_SHADOW_H
#define PTO_CHECK_SHADOW_H

#include "check/check.h"

typedef struct pto_shadow_piece {
    uint64_t begin, end;
    uint32_t count, capacity;
    pto_check_access *access;
} pto_shadow_piece;

typedef struct pto_shadow {
    pto_shadow_piece *piece;
    size_t count, capacity;
    bool failed; /* no memory: pieces may be missing */
} pto_shadow;

void pto_shadow_clear(pto_shadow *shadow);
/* The first piece of [begin, end); the pieces from it on cover the range exactly: they are cut and made as
 * needed. NULL without memory. */
pto_shadow_piece *pto_shadow_cover(pto_shadow *shadow, uint64_t begin, uint64_t end);
/* Adds an access to a piece; beyond 64 the oldest read goes. */
void pto_shadow_add(pto_shadow *shadow, pto_shadow_piece *piece, const pto_check_access *access);

#endif
