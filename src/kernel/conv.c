/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution tiles: TLOAD, TSTORE, TTRANS and TEXTRACT of them (part 30; 00-model, 7). */
#include "kernel/conv_copy.h"
#include "kernel/kernel.h"

static void clear(const pto_tile *tile) {
    uint64_t bits = (uint64_t)pto_conv_elements(tile->type.conv) * pto_dtype_bits(tile->type.dtype);
    memset(tile->data, 0, (size_t)(bits / 8));
    if (bits % 8)
        pto_nibble_set(tile->data, (int64_t)(bits / 4 - 1), 0);
}

/* Writes a whole tile: what the other side lacks of its channels and images becomes zero. */
static void fill(const pto_tile *dst, const pto_conv_map *to, const void *src, const pto_conv_map *from) {
    if (pto_conv_map_n(from) < pto_conv_map_n(to) || pto_conv_map_c(from) < pto_conv_map_c(to))
        clear(dst);
    pto_conv_copy_common(dst->data, to, src, from, pto_dtype_bits(dst->type.dtype));
}

static pto_conv_map tensor_map(const pto_global *tensor, const pto_conv *tile) {
    pto_conv_map map;
    pto_conv_map_tensor(tensor->layout, tensor->shape, tensor->stride, tile->rank,
                        tile->shape[tile->rank - 1], &map);
    return map;
}

PTO_KERNEL(tload_conv) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const pto_global *src = pto_call_global(call, 1);
    pto_conv_map to = pto_conv_map_tile(dst->type.conv), from = tensor_map(src, dst->type.conv);
    if (to.blocks && !from.blocks)
        pto_conv_map_split(&to, &from, false);
    fill(dst, &to, src->data, &from);
    return PTO_OK;
}

PTO_KERNEL(tstore_conv) {
    const pto_global *dst = pto_call_global(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    pto_conv_map to = tensor_map(dst, src->type.conv), from = pto_conv_map_tile(src->type.conv);
    pto_conv_copy_common(dst->data, &to, src->data, &from, pto_dtype_bits(src->type.dtype));
    return PTO_OK;
}

PTO_KERNEL(ttrans_conv) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_conv_map to = pto_conv_map_tile(dst->type.conv), from = pto_conv_map_tile(src->type.conv);
    if (to.blocks)
        pto_conv_map_split(&to, &from, true);
    fill(dst, &to, src->data, &from);
    return PTO_OK;
}

/* A window of the K x N matrix that a fractal tile is: k = block * C0 + c0. */
PTO_KERNEL(textract_conv) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    pto_conv_map map = pto_conv_map_tile(src->type.conv);
    int64_t c0 = map.extent[PTO_CONV_C0], n = pto_conv_map_n(&map);
    const int64_t k_extent[] = {c0, INT64_MAX}, k_step[] = {1, n * c0}, n_extent[] = {n}, n_step[] = {c0};
    pto_rects rects = {.dst_rows = pto_axis_tile_rows(&dst->type),
                       .dst_cols = pto_axis_tile_cols(&dst->type),
                       .src_rows = pto_axis_of(k_extent, k_step, 2),
                       .src_cols = pto_axis_of(n_extent, n_step, 1),
                       .src_row = (int32_t)pto_call_scalar(call, 2).i,
                       .src_col = (int32_t)pto_call_scalar(call, 3).i,
                       .rows = dst->valid_rows,
                       .cols = dst->valid_cols};
    pto_rect rect;
    while (pto_rects_next(&rects, &rect))
        pto_copy_rect(dst->data, src->data, rect, pto_dtype_bits(dst->type.dtype));
    return PTO_OK;
}
