/* SPDX-License-Identifier: Apache-2.0 */
/* TTRANS (part 30): dst[j, i] = src[i, j]. */
#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "tile/axis.h"

PTO_KERNEL(ttrans) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_rects rects = {.dst_rows = pto_axis_tile_cols(&dst->type), /* the row of src is the column of dst */
                       .dst_cols = pto_axis_tile_rows(&dst->type),
                       .src_rows = pto_axis_tile_rows(&src->type),
                       .src_cols = pto_axis_tile_cols(&src->type),
                       .rows = src->valid_rows,
                       .cols = src->valid_cols};
    pto_rect rect;
    while (pto_rects_next(&rects, &rect))
        pto_copy_rect(dst->data, src->data, rect, pto_dtype_bits(src->type.dtype));
    return PTO_OK;
}
