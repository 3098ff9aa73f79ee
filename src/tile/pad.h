/* SPDX-License-Identifier: Apache-2.0 */
/* Pad values (00-model, 3.6). */
#ifndef PTO_TILE_PAD_H
#define PTO_TILE_PAD_H

#include <pto/types.h>

/* Bits of the pad value for one element. A custom payload gives its low bits: 32, 16 or 8 by element size,
 * 0 for 8-byte elements; of 4-bit types it is a byte of two elements, `odd` chooses the high one. */
uint64_t pto_pad_bits(pto_pad pad, pto_dtype dtype, bool odd);

#endif
