/* SPDX-License-Identifier: Apache-2.0 */
/* TEXPANDS (20, 2): the scalar's code into the valid region of a Vec tile, into all of a Mat tile. */
#include "kernel/map.h"

#define FILL(name, T)                                                                                        \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)b, (void)extra;                                                                                \
        T *d = dst;                                                                                          \
        const T value = *(const T *)a;                                                                       \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = value;                                    \
    }
FILL(fill_8, uint8_t)
FILL(fill_16, uint16_t)
FILL(fill_32, uint32_t)
FILL(fill_64, uint64_t)

PTO_KERNEL(texpands) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile_type *type = &dst->type;
    const unsigned bits = pto_dtype_bits(type->dtype);
    const uint64_t code = pto_scalar_code(type->dtype, pto_call_scalar(call, 1));
    const pto_map_loop fill = bits == 16 ? fill_16 : bits == 32 ? fill_32 : bits == 64 ? fill_64 : fill_8;
    if (type->loc != PTO_LOC_VEC || type->conv) { /* every physical element, whatever the layout */
        const uint64_t packed = bits == 4 ? code * 0x11 : code;
        const int64_t bytes =
            type->conv ? pto_conv_elements(type->conv) * bits / 8 : (int64_t)pto_tile_type_bytes(type);
        fill(dst->data, &packed, NULL, bits == 4 ? bytes : bytes / (bits / 8), NULL);
    } else if (bits == 4) {
        const pto_map_input input[3] = {pto_map_value(&code), pto_map_none(), pto_map_none()};
        pto_exact_map(PTO_EXACT_COPY, dst, input);
    } else {
        const pto_map_input input[2] = {pto_map_value(&code), pto_map_none()};
        pto_map_walk(fill, dst, input, NULL);
    }
    return PTO_OK;
}
