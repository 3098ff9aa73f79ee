/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of intervals: every item lives from begin to end and wants `bytes` in one memory; two items whose
 * lives meet, both ends included, share no byte (60, 4.7). */
#ifndef PTO_PASS_PACK_H
#define PTO_PASS_PACK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pto_pack_item {
    int32_t begin, end; /* begin <= end */
    uint64_t bytes;     /* above 0 */
    uint64_t addr;      /* the result */
} pto_pack_item;

typedef struct pto_pack_result {
    bool fits;
    uint64_t peak; /* end of the highest item; 0 when it does not fit */
    uint64_t
        bound;     /* bytes of the fullest instant, each item rounded up to the alignment: no plan is lower */
    int32_t worst; /* an instant at which `bound` live */
} pto_pack_result;

/* Bytes that nothing may use. */
typedef struct pto_pack_range {
    uint64_t begin, end;
} pto_pack_range;

/* Places items at multiples of `align` below `limit` and outside of the taken ranges. Several greedy orders
 * are tried and the lowest peak wins; time is linear-log in the items and the pairs that meet. */
pto_pack_result pto_pack(pto_arena *arena, pto_pack_item *item, int32_t count, uint64_t align, uint64_t limit,
                         const pto_pack_range *taken, int32_t taken_count);

#endif
