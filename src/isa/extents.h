/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns that the coordinate map of a tensor layout covers (00-model, 6.4, second table). */
#ifndef PTO_ISA_EXTENTS_H
#define PTO_ISA_EXTENTS_H

#include <pto/types.h>

/* -1 where an extent that counts is unknown (negative), INT64_MAX where the product is larger. `c0` is the
 * inner width of NDC1HWC0, which its shape does not show. */
void pto_layout_extents(pto_layout layout, const int64_t shape[5], int64_t c0, int64_t *rows, int64_t *cols);
/* That width: 32 bytes of the element type; 16 for s32 that comes from the accumulator. 0 for other layouts.
 */
int64_t pto_layout_inner_width(pto_layout layout, pto_dtype dtype, bool from_acc);

#endif
