/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND: bit copies of a column or a row (part 20, 4). */
#include "kernel/kernel.h"

#include <string.h>

#define FILL_ROWS(NAME, U)                                                                                   \
    static void NAME(void *dst, int64_t pitch, const void *column, int64_t step, int64_t rows,               \
                     int64_t cols) {                                                                         \
        for (int64_t i = 0; i < rows; i++) {                                                                 \
            U *to = (U *)dst + i * pitch;                                                                    \
            const U value = ((const U *)column)[i * step];                                                   \
            for (int64_t j = 0; j < cols; j++)                                                               \
                to[j] = value;                                                                               \
        }                                                                                                    \
    }
FILL_ROWS(fill_rows_8, uint8_t)
FILL_ROWS(fill_rows_16, uint16_t)
FILL_ROWS(fill_rows_32, uint32_t)
FILL_ROWS(fill_rows_64, uint64_t)

static uint8_t load_nibble(const uint8_t *bytes, int64_t index) {
    return (uint8_t)(bytes[index / 2] >> (index & 1 ? 4 : 0) & 15);
}

/* count nibbles from `index` on get the value */
static void fill_nibbles(uint8_t *bytes, int64_t index, int64_t count, uint8_t value) {
    for (int64_t k = index; k < index + count; k++) {
        const unsigned shift = k & 1 ? 4 : 0;
        bytes[k / 2] = (uint8_t)((bytes[k / 2] & ~(15u << shift)) | (unsigned)value << shift);
    }
}

PTO_KERNEL(trowexpand) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols, pitch = dst->type.cols;
    const int64_t step = src->type.blayout == PTO_COL_MAJOR ? 1 : src->type.cols;
    const unsigned bits = pto_dtype_bits(dst->type.dtype);
    if (rows == 0 || cols == 0 || src->valid_cols == 0)
        return PTO_OK;
    const void *column = src->data;
    if (src->data == dst->data && step != pitch) { /* one column onto itself at another pitch: snapshot */
        const size_t bytes = (size_t)((rows - 1) * step + 1) * bits / 8 + 1;
        void *copy = call->host->scratch(call->host->user, bytes);
        if (!copy)
            return PTO_ERR_NOMEM;
        memcpy(copy, src->data, ((size_t)((rows - 1) * step + 1) * bits + 7) / 8);
        column = copy;
    }
    if (bits == 4) {
        for (int64_t i = 0; i < rows; i++)
            fill_nibbles(dst->data, i * pitch, cols, load_nibble(column, i * step));
    } else {
        void (*fill)(void *, int64_t, const void *, int64_t, int64_t, int64_t) = bits == 8    ? fill_rows_8
                                                                                 : bits == 16 ? fill_rows_16
                                                                                 : bits == 32 ? fill_rows_32
                                                                                              : fill_rows_64;
        fill(dst->data, pitch, column, step, rows, cols);
    }
    return PTO_OK;
}

PTO_KERNEL(tcolexpand) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols, pitch = dst->type.cols;
    const unsigned bits = pto_dtype_bits(dst->type.dtype);
    if (rows == 0 || cols == 0 || src->valid_rows == 0)
        return PTO_OK;
    /* src row 0 may be dst row 0; no later row of dst reaches back into it */
    for (int64_t i = src->data == dst->data ? 1 : 0; i < rows; i++) {
        if (bits != 4) {
            memcpy((char *)dst->data + (size_t)(i * pitch) * (bits / 8), src->data,
                   (size_t)cols * (bits / 8));
            continue;
        }
        uint8_t *to = (uint8_t *)dst->data + i * pitch / 2; /* the pitch of 4-bit tiles is even */
        memcpy(to, src->data, (size_t)(cols / 2));
        if (cols & 1)
            fill_nibbles(to, cols - 1, 1, load_nibble(src->data, cols - 1));
    }
    return PTO_OK;
}
