/* SPDX-License-Identifier: Apache-2.0 */
/* Global tensors: element addresses and bounds (00-model, 6). */
#ifndef PTO_TILE_GLOBAL_H
#define PTO_TILE_GLOBAL_H

#include <pto/instr.h>

/* Element index of tile coordinate (row, col): the map of 00-model, 6.4 for ND, DN and NZ. */
int64_t pto_global_offset(const pto_global *global, int32_t row, int32_t col);
/* Rows and columns that the map covers (00-model, 6.4, second table); of NDC1HWC0 blocks of C0 columns. */
void pto_global_extents(pto_layout layout, const int64_t shape[5], int64_t *rows, int64_t *cols);

/* The first element outside of the argument's buffer: its index in the tensor, its element number
 * relative to the buffer's start, and the last element of the buffer. */
typedef struct pto_global_fault {
    int64_t index[5];
    int64_t element, last;
} pto_global_fault;

/* True when every element of the tensor lies in [begin, end), or when no bounds are set. Overflow-safe
 * for any shape and stride. */
bool pto_global_in_bounds(const pto_global *global, pto_global_fault *fault);
/* The same where `inner` consecutive elements stand at every index (isa/extents.h); 0 counts as 1. */
bool pto_global_in_bounds_of(const pto_global *global, int64_t inner, pto_global_fault *fault);

#endif
