/* SPDX-License-Identifier: Apache-2.0 */
/* Masks without gaps (part 70, 3.1): bit e of a predicate tile is element e = r * Col + c, whatever Col is.
 */
#ifndef PTO_KERNEL_BITS_H
#define PTO_KERNEL_BITS_H

#include "kernel/kernel.h"

/* Bits from one row of a mask to the next. A tile of the library has whole bytes; the mask of a block is
 * given as bytes of so many columns as there are bits. */
static inline int64_t pto_mask_pitch(const pto_kernel_call *call, const pto_tile *mask) {
    return call->host->block_form ? mask->type.cols
                                  : (int64_t)mask->type.cols * pto_dtype_bits(mask->type.dtype);
}

/* n bits, those behind them 0, into zeros from bit `at` on. */
static inline void pto_bits_put(uint8_t *to, int64_t at, const uint8_t *bits, int64_t n) {
    const unsigned shift = (unsigned)(at & 7);
    for (int64_t k = 0; k < (n + 7) / 8; k++) {
        const unsigned moved = (unsigned)bits[k] << shift;
        to[at / 8 + k] = (uint8_t)(to[at / 8 + k] | moved);
        if (moved >> 8)
            to[at / 8 + k + 1] = (uint8_t)(to[at / 8 + k + 1] | moved >> 8);
    }
}

/* n bits from bit `at` on; what stands behind them in the last byte is not defined. */
static inline void pto_bits_take(uint8_t *bits, const uint8_t *from, int64_t at, int64_t n) {
    const unsigned shift = (unsigned)(at & 7);
    const int64_t last = (at + n - 1) / 8;
    for (int64_t k = 0; k < (n + 7) / 8; k++) {
        const unsigned low = from[at / 8 + k], high = at / 8 + k < last ? from[at / 8 + k + 1] : 0u;
        bits[k] = (uint8_t)((low | high << 8) >> shift);
    }
}

#endif
