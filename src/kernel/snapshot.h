/* SPDX-License-Identifier: Apache-2.0 */
/* The snapshot rule (part 10, 1.6): a destination may start where a source does, and the source still counts
 * as read before anything is written. */
#ifndef PTO_KERNEL_SNAPSHOT_H
#define PTO_KERNEL_SNAPSHOT_H

#include "kernel/kernel.h"

#include <string.h>

/* Do both tiles hold every element at the same bytes, counted from their starts? Then an elementwise kernel
 * may run in place. */
static inline bool pto_tiles_congruent(const pto_tile_type *a, const pto_tile_type *b) {
    return pto_dtype_bits(a->dtype) == pto_dtype_bits(b->dtype) && a->rows == b->rows && a->cols == b->cols &&
           a->blayout == b->blayout && a->slayout == b->slayout && a->fractal == b->fractal;
}

/* Where to read src from: its own bytes or, when an elementwise walk would overwrite unread ones, a copy of
 * them in the scratch block of the call. NULL on exhaustion. */
static inline const void *pto_source_data(const pto_kernel_call *call, const pto_tile *dst,
                                          const pto_tile *src) {
    if (dst->data != src->data || pto_tiles_congruent(&dst->type, &src->type))
        return src->data;
    const size_t bytes = (size_t)pto_tile_type_bytes(&src->type);
    void *copy = call->host->scratch(call->host->user, bytes);
    if (copy)
        memcpy(copy, src->data, bytes);
    return copy;
}

#endif
