/* SPDX-License-Identifier: Apache-2.0 */
/* THISTOGRAM (40, 5.3): cumulative counts of one byte, of the elements whose higher bytes equal the filter.
 */
#include "kernel/kernel.h"
#include "tile/tile.h"

#include <string.h>

enum { BINS = 256 };

/* Two tables in turn: equal neighbours would wait for each other's count. */
#define COUNT(name, T)                                                                                       \
    static void name(const void *src, int32_t n, unsigned shift, uint32_t mask, uint32_t want,               \
                     uint32_t count[2][BINS]) {                                                              \
        const T *x = src;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            count[i & 1][x[i] >> shift & 255u] += (x[i] & mask) == want;                                     \
    }
COUNT(count_16, uint16_t)
COUNT(count_32, uint32_t)

static uint32_t filter_byte(const pto_tile *idx, int32_t row) {
    return ((const uint8_t *)idx->data)[pto_tile_offset(&idx->type, row, 0)];
}

PTO_KERNEL(thistogram) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1),
                   *idx = pto_call_tile(call, 2);
    const int64_t msb = pto_call_attr(call, 4);
    const int byte = (int)(msb >= 0 ? msb : pto_call_attr(call, 3)),
              size = src->type.dtype == PTO_U16 ? 2 : 4;
    uint32_t mask = 0, want = 0; /* the bytes above the counted one */
    for (int b = size - 1; b > byte; b--) {
        mask |= UINT32_C(255) << 8 * b;
        if (size == 4)
            want |= filter_byte(idx, 3 - b) << 8 * b;
    }
    for (int32_t r = 0; r < src->valid_rows; r++) {
        uint32_t count[2][BINS] = {{0}};
        const uint8_t *x = (const uint8_t *)src->data + (size_t)r * (size_t)src->type.cols * (size_t)size;
        if (size == 2 && byte == 0)
            want = filter_byte(idx, r) << 8;
        (size == 2 ? count_16 : count_32)(x, src->valid_cols, 8u * (unsigned)byte, mask, want, count);
        uint32_t *out = (uint32_t *)dst->data + (size_t)r * (size_t)dst->type.cols;
        uint32_t sum = 0;
        for (int b = 0; b < BINS; b++)
            out[b] = sum += count[0][b] + count[1][b];
    }
    return PTO_OK;
}
