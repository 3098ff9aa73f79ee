/* SPDX-License-Identifier: Apache-2.0 */
/* Partial operations (part 20, 6): which of two sources is as large as the destination, and how a valid
 * region that is smaller lies in it. */
#ifndef PTO_KERNEL_PARTIAL_H
#define PTO_KERNEL_PARTIAL_H

#include "kernel/map.h"

/* Flat layouts, seen as `outer` lines of `inner` neighbouring elements: rows of ND, columns of DN. */
typedef struct partial_shape {
    int64_t outer, inner;
} partial_shape;

static inline bool partial_is_flat(const pto_tile *tile) { return tile->type.slayout == PTO_NONE_BOX; }

static inline partial_shape partial_valid(const pto_tile *tile) {
    const bool rows_first = tile->type.blayout == PTO_ROW_MAJOR;
    return (partial_shape){rows_first ? tile->valid_rows : tile->valid_cols,
                           rows_first ? tile->valid_cols : tile->valid_rows};
}

/* Elements from one line to the next. */
static inline int64_t partial_pitch(const pto_tile *tile) {
    return tile->type.blayout == PTO_ROW_MAJOR ? tile->type.cols : tile->type.rows;
}

/* Number of the source as large as dst; the other one lies inside of it. */
static inline int partial_full(const pto_tile *dst, const pto_tile *src0) {
    return src0->valid_rows == dst->valid_rows && src0->valid_cols == dst->valid_cols ? 0 : 1;
}

#endif
