/* SPDX-License-Identifier: Apache-2.0 */
/* Pad values by element type (00-model, 3.6). */
#include "tile/pad.h"

uint64_t pto_pad_bits(pto_pad pad, pto_dtype dtype, bool odd) {
    unsigned bits = pto_dtype_bits(dtype);
    if (pad >> 32) {
        uint64_t payload = pad & UINT32_MAX;
        if (bits == 4)
            return payload >> (odd ? 4 : 0) & 15;
        return bits > 32 ? 0 : payload & (UINT64_MAX >> (64 - bits));
    }
    if (pad != PTO_PAD_MAX && pad != PTO_PAD_MIN)
        return 0;
    bool max = pad == PTO_PAD_MAX;
    switch (dtype) {
    case PTO_F32:
        return max ? 0x7f800000 : 0xff800000;
    case PTO_F16:
        return max ? 0x7c00 : 0xfc00;
    case PTO_BF16:
        return max ? 0x7f80 : 0xff80;
    case PTO_S32:
        return max ? 0x7fffffff : 0x80000000;
    case PTO_S16:
        return max ? 0x7fff : 0x8000;
    case PTO_S8:
        return max ? 0x7f : 0x80;
    case PTO_U32:
        return max ? 0xffffffff : 0;
    case PTO_U16:
        return max ? 0xffff : 0;
    case PTO_U8:
        return max ? 0xff : 0;
    default:
        return 0;
    }
}
