/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that place tiles and move nothing: TASSIGN (00-model, 9) and TRESHAPE (part 30). */
#include "kernel/kernel.h"

PTO_KERNEL(tassign) {
    pto_tile *tile = pto_call_tile(call, 0);
    if (call->host->auto_mode) /* the library places tiles */
        return PTO_OK;
    tile->addr = (uint64_t)pto_call_scalar(call, 1).i;
    tile->data = call->host->memory[tile->type.loc] + tile->addr;
    tile->assigned = true;
    return PTO_OK;
}

PTO_KERNEL(treshape) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    dst->data = src->data;
    dst->addr = src->addr;
    dst->assigned = src->assigned;
    return PTO_OK;
}
