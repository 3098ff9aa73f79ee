/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that place tiles and move nothing: TASSIGN (00-model, 9), TRESHAPE, TSUBVIEW and
 * TGET_SCALE_ADDR (part 30). */
#include "kernel/kernel.h"
#include "tile/tile.h"

static void place(const pto_kernel_call *call, pto_tile *tile, uint64_t addr) {
    tile->addr = addr;
    tile->data = call->host->memory[tile->type.loc] + tile->addr;
    tile->assigned = true;
    tile->room = 0;
}

PTO_KERNEL(tassign) {
    if (!call->host->auto_mode) /* otherwise the library places tiles */
        place(call, pto_call_tile(call, 0), (uint64_t)pto_call_scalar(call, 1).i);
    return PTO_OK;
}

PTO_KERNEL(treshape) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    dst->data = src->data;
    dst->addr = src->addr;
    dst->assigned = src->assigned;
    dst->room = src->room;
    return PTO_OK;
}

/* dst, src, rowIdx, colIdx */
PTO_KERNEL(tsubview) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    int64_t element =
        pto_tile_offset(&src->type, (int32_t)pto_call_scalar(call, 2).i, (int32_t)pto_call_scalar(call, 3).i);
    uint64_t offset = (uint64_t)element * pto_dtype_bits(src->type.dtype) / 8;
    uint64_t whole = src->room ? src->room : pto_tile_type_bytes(&src->type);
    dst->data = (uint8_t *)src->data + offset;
    dst->addr = src->addr + offset;
    dst->assigned = src->assigned;
    dst->room = whole - offset;
    return PTO_OK;
}

PTO_KERNEL(tget_scale_addr) {
    place(call, pto_call_tile(call, 0), pto_call_tile(call, 1)->addr >> 4);
    return PTO_OK;
}
