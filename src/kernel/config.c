/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that set state of the core, and the one that does nothing (part 30). */
#include "kernel/kernel.h"
#include "number/half.h"

/* scale, out: the word of a scalar quantisation; bit 46 says that the result is signed */
PTO_KERNEL(set_quant_scalar) {
    uint64_t word = pto_f32_bits((float)pto_call_scalar(call, 0).f);
    if (pto_call_attr(call, 1) == PTO_S8)
        word |= UINT64_C(1) << 46;
    call->host->quant_scalar = word;
    return PTO_OK;
}

PTO_KERNEL(set_quant_vector) {
    call->host->quant_vector = pto_call_tile(call, 0)->data;
    return PTO_OK;
}

/* enable, mode; switching one format on switches the other off */
static pto_status set_cube_format(const pto_kernel_call *call, int bits) {
    call->host->cube_f32_bits = (uint8_t)(pto_call_attr(call, 0) ? bits : 0);
    call->host->cube_f32_round = (uint8_t)pto_call_attr(call, 1);
    return PTO_OK;
}

PTO_KERNEL(sethf32mode) { return set_cube_format(call, 11); }
PTO_KERNEL(settf32mode) { return set_cube_format(call, call->target == PTO_TARGET_A2A3 ? 11 : 10); }

/* A hint: nothing is read or written. */
PTO_KERNEL(tprefetch) {
    (void)call;
    return PTO_OK;
}
