/* SPDX-License-Identifier: Apache-2.0 */
/* TMOV of scale exponents into boxes of 16 x 2 bytes (part 30, TMOV, X -> ZZ). */
#include "kernel/kernel.h"
#include "kernel/strided.h"

/* dst, src, tmp, grpAxis. The bytes of the result do not depend on how dst is declared. */
PTO_KERNEL(tmov_scale) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1);
    const uint8_t *from = src->data;
    uint8_t *to = dst->data;
    int64_t pitch = src->type.cols;
    if (pto_call_attr(call, 3) == 0) { /* pairs of rows side by side, 16 columns below each other */
        int64_t pairs = src->valid_rows / 2, blocks = src->valid_cols / 16;
        for (int64_t block = 0; block < blocks; block++)
            for (int64_t p = 0; p < pairs; p++, to += 32) {
                const uint8_t *upper = from + 2 * p * pitch + 16 * block, *lower = upper + pitch;
                _Pragma("omp simd") for (int q = 0; q < 16; q++) {
                    to[2 * q] = upper[q];
                    to[2 * q + 1] = lower[q];
                }
            }
        return PTO_OK;
    }
    /* pairs of bytes are elements of 16 bits, and a block of 16 rows is transposed */
    int64_t rows = dst->valid_rows, pairs = dst->valid_cols / 2;
    for (int64_t row = 0; row < rows; row += 16) {
        int64_t count = rows - row < 16 ? rows - row : 16, first = row * pairs;
        pto_rect rect = {.rows = pairs,
                         .cols = count,
                         .dst = first,
                         .dst_row = 16,
                         .dst_col = 1,
                         .src = row * (pitch / 2),
                         .src_row = 1,
                         .src_col = pitch / 2};
        pto_copy_rect(to, from, rect, 16);
        for (int64_t c = 0; c < pairs && count < 16; c++) /* rows past the last are 0 */
            memset(to + 2 * (first + c * 16 + count), 0, (size_t)(2 * (16 - count)));
    }
    return PTO_OK;
}
