/* SPDX-License-Identifier: Apache-2.0 */
/* Copying a rectangle of elements between two strided arrays; what loads, stores, moves and transposes
 * have in common. Arrays of global memory may lie at any byte address. */
#ifndef PTO_KERNEL_STRIDED_H
#define PTO_KERNEL_STRIDED_H

#include "tile/axis.h"

#include <string.h>

/* Elements of any alignment and any effective type. */
typedef uint8_t pto_bits8 __attribute__((may_alias));
typedef uint16_t pto_bits16 __attribute__((aligned(1), may_alias));
typedef uint32_t pto_bits32 __attribute__((aligned(1), may_alias));
typedef uint64_t pto_bits64 __attribute__((aligned(1), may_alias));

static inline uint64_t pto_nibble_get(const void *data, int64_t index) {
    uint8_t byte = ((const uint8_t *)data)[index >> 1];
    return index & 1 ? byte >> 4 : byte & 15;
}

static inline void pto_nibble_set(void *data, int64_t index, uint64_t bits) {
    uint8_t *byte = (uint8_t *)data + (index >> 1);
    *byte = (uint8_t)(index & 1 ? (*byte & 15) | bits << 4 : (*byte & 240) | (bits & 15));
}

/* Any element by its number; bits is 4, 8, 16, 32 or 64. */
static inline uint64_t pto_element_get(const void *data, unsigned bits, int64_t index) {
    switch (bits) {
    case 4:
        return pto_nibble_get(data, index);
    case 8:
        return ((const pto_bits8 *)data)[index];
    case 16:
        return ((const pto_bits16 *)data)[index];
    case 32:
        return ((const pto_bits32 *)data)[index];
    default:
        return ((const pto_bits64 *)data)[index];
    }
}

static inline void pto_element_set(void *data, unsigned bits, int64_t index, uint64_t value) {
    switch (bits) {
    case 4:
        pto_nibble_set(data, index, value);
        break;
    case 8:
        ((pto_bits8 *)data)[index] = (uint8_t)value;
        break;
    case 16:
        ((pto_bits16 *)data)[index] = (uint16_t)value;
        break;
    case 32:
        ((pto_bits32 *)data)[index] = (uint32_t)value;
        break;
    default:
        ((pto_bits64 *)data)[index] = value;
        break;
    }
}

/* Makes the columns the inner loop where the rows are the closer elements. */
static inline pto_rect pto_rect_turned(pto_rect rect) {
    bool unit_cols = rect.dst_col == 1 && rect.src_col == 1;
    bool unit_rows = rect.dst_row == 1 && rect.src_row == 1;
    bool turn = !unit_cols && (unit_rows || rect.cols == 1 || (rect.dst_row == 1 && rect.rows > 1));
    if (!turn)
        return rect;
    return (pto_rect){rect.cols,    rect.rows, rect.dst,     rect.dst_col,
                      rect.dst_row, rect.src,  rect.src_col, rect.src_row};
}

/* Rows of `bytes` bytes; the sizes of a box row are constants, so that a row is one or two vectors. */
static inline void pto_copy_rows(uint8_t *dst, const uint8_t *src, int64_t rows, size_t bytes,
                                 int64_t dst_step, int64_t src_step) {
    if (rows == 1 || (dst_step == (int64_t)bytes && src_step == (int64_t)bytes)) {
        memcpy(dst, src, (size_t)rows * bytes);
        return;
    }
    switch (bytes) {
    case 32:
        for (int64_t r = 0; r < rows; r++)
            memcpy(dst + r * dst_step, src + r * src_step, 32);
        break;
    case 64:
        for (int64_t r = 0; r < rows; r++)
            memcpy(dst + r * dst_step, src + r * src_step, 64);
        break;
    default:
        for (int64_t r = 0; r < rows; r++)
            memcpy(dst + r * dst_step, src + r * src_step, bytes);
        break;
    }
}

/* Transposes a block of side x side elements in vectors of 16 bytes: every stage interleaves vector i with
 * vector i + side / 2, and after log2(side) stages rows have become columns. */
#define PTO_TRANSPOSE_BLOCK(bits, side, low, high)                                                           \
    static inline void pto_transpose_block##bits(pto_bits##bits *dst, int64_t dst_step,                      \
                                                 const pto_bits##bits *src, int64_t src_step) {              \
        typedef uint##bits##_t vector __attribute__((vector_size(16)));                                      \
        vector a[side], b[side];                                                                             \
        for (int i = 0; i < (side); i++)                                                                     \
            memcpy(&a[i], src + i * src_step, 16);                                                           \
        for (int stage = 1; stage < (side); stage *= 2) {                                                    \
            for (int i = 0; i < (side) / 2; i++) {                                                           \
                b[2 * i] = __builtin_shufflevector(a[i], a[i + (side) / 2], low);                            \
                b[2 * i + 1] = __builtin_shufflevector(a[i], a[i + (side) / 2], high);                       \
            }                                                                                                \
            memcpy(a, b, sizeof a);                                                                          \
        }                                                                                                    \
        for (int i = 0; i < (side); i++)                                                                     \
            memcpy(dst + i * dst_step, &a[i], 16);                                                           \
    }
#define PTO_LOW8 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define PTO_HIGH8 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define PTO_LOW16 0, 8, 1, 9, 2, 10, 3, 11
#define PTO_HIGH16 4, 12, 5, 13, 6, 14, 7, 15
#define PTO_LOW32 0, 4, 1, 5
#define PTO_HIGH32 2, 6, 3, 7
#define PTO_LOW64 0, 2
#define PTO_HIGH64 1, 3
PTO_TRANSPOSE_BLOCK(8, 16, PTO_LOW8, PTO_HIGH8)
PTO_TRANSPOSE_BLOCK(16, 8, PTO_LOW16, PTO_HIGH16)
#undef PTO_TRANSPOSE_BLOCK

/* The same with named vectors: arrays this small end up in memory. */
static inline void pto_transpose_block32(pto_bits32 *dst, int64_t dst_step, const pto_bits32 *src,
                                         int64_t src_step) {
    typedef uint32_t vector __attribute__((vector_size(16)));
    vector a0, a1, a2, a3;
    memcpy(&a0, src, 16);
    memcpy(&a1, src + src_step, 16);
    memcpy(&a2, src + 2 * src_step, 16);
    memcpy(&a3, src + 3 * src_step, 16);
    vector b0 = __builtin_shufflevector(a0, a2, PTO_LOW32), b1 = __builtin_shufflevector(a0, a2, PTO_HIGH32);
    vector b2 = __builtin_shufflevector(a1, a3, PTO_LOW32), b3 = __builtin_shufflevector(a1, a3, PTO_HIGH32);
    a0 = __builtin_shufflevector(b0, b2, PTO_LOW32);
    a1 = __builtin_shufflevector(b0, b2, PTO_HIGH32);
    a2 = __builtin_shufflevector(b1, b3, PTO_LOW32);
    a3 = __builtin_shufflevector(b1, b3, PTO_HIGH32);
    memcpy(dst, &a0, 16);
    memcpy(dst + dst_step, &a1, 16);
    memcpy(dst + 2 * dst_step, &a2, 16);
    memcpy(dst + 3 * dst_step, &a3, 16);
}

static inline void pto_transpose_block64(pto_bits64 *dst, int64_t dst_step, const pto_bits64 *src,
                                         int64_t src_step) {
    typedef uint64_t vector __attribute__((vector_size(16)));
    vector a0, a1;
    memcpy(&a0, src, 16);
    memcpy(&a1, src + src_step, 16);
    vector low = __builtin_shufflevector(a0, a1, PTO_LOW64),
           high = __builtin_shufflevector(a0, a1, PTO_HIGH64);
    memcpy(dst, &low, 16);
    memcpy(dst + dst_step, &high, 16);
}

/* dst[r * dst_row + c * dst_col] = src[r * src_row + c * src_col]. Where columns are close in dst and rows in
 * src, whole blocks are transposed in registers. */
#define PTO_COPY_STRIDED(bits)                                                                               \
    static inline void pto_copy_elements##bits(pto_bits##bits *dst, const pto_bits##bits *src,               \
                                               const pto_rect *rect, int64_t r0, int64_t r1, int64_t c0,     \
                                               int64_t c1) {                                                 \
        for (int64_t r = r0; r < r1; r++)                                                                    \
            for (int64_t c = c0; c < c1; c++)                                                                \
                dst[r * rect->dst_row + c * rect->dst_col] = src[r * rect->src_row + c * rect->src_col];     \
    }                                                                                                        \
    static inline void pto_copy_strided##bits(pto_bits##bits *dst, const pto_bits##bits *src,                \
                                              const pto_rect *rect) {                                        \
        enum { SIDE = 128 / (bits) };                                                                        \
        int64_t rows = 0, cols = 0; /* what whole blocks cover */                                            \
        if (rect->dst_col == 1 && rect->src_row == 1) {                                                      \
            rows = rect->rows / SIDE * SIDE;                                                                 \
            cols = rect->cols / SIDE * SIDE;                                                                 \
        }                                                                                                    \
        /* four blocks side by side read whole cache lines of src */                                         \
        for (int64_t r4 = 0; r4 < rows; r4 += 4 * SIDE)                                                      \
            for (int64_t c = 0; c < cols; c += SIDE)                                                         \
                for (int64_t r = r4; r < rows && r < r4 + 4 * SIDE; r += SIDE)                               \
                    pto_transpose_block##bits(dst + r * rect->dst_row + c, rect->dst_row,                    \
                                              src + r + c * rect->src_col, rect->src_col);                   \
        pto_copy_elements##bits(dst, src, rect, 0, rows, cols, rect->cols);                                  \
        pto_copy_elements##bits(dst, src, rect, rows, rect->rows, 0, rect->cols);                            \
    }
PTO_COPY_STRIDED(8)
PTO_COPY_STRIDED(16)
PTO_COPY_STRIDED(32)
PTO_COPY_STRIDED(64)
#undef PTO_COPY_STRIDED

static inline void pto_copy_nibbles(void *dst, const void *src, pto_rect r) {
    bool bytes = r.dst_col == 1 && r.src_col == 1 && !((r.dst | r.src) & 1) &&
                 (r.rows == 1 || !((r.dst_row | r.src_row) & 1));
    int64_t done = 0;
    if (bytes) {
        done = r.cols & ~INT64_C(1);
        if (done)
            pto_copy_rows((uint8_t *)dst + r.dst / 2, (const uint8_t *)src + r.src / 2, r.rows,
                          (size_t)(done / 2), r.dst_row / 2, r.src_row / 2);
    }
    for (int64_t i = 0; i < r.rows && done < r.cols; i++)
        for (int64_t c = done; c < r.cols; c++)
            pto_nibble_set(dst, r.dst + i * r.dst_row + c * r.dst_col,
                           pto_nibble_get(src, r.src + i * r.src_row + c * r.src_col));
}

/* Copies one rectangle of elements of `bits` bits. The arrays do not overlap, or are the same elements. */
static inline void pto_copy_rect(void *dst, const void *src, pto_rect rect, unsigned bits) {
    rect = pto_rect_turned(rect);
    if (bits == 4) {
        pto_copy_nibbles(dst, src, rect);
        return;
    }
    int64_t size = bits / 8;
    uint8_t *to = (uint8_t *)dst + rect.dst * size;
    const uint8_t *from = (const uint8_t *)src + rect.src * size;
    if ((rect.dst_col == 1 && rect.src_col == 1) || rect.cols == 1) {
        pto_copy_rows(to, from, rect.rows, (size_t)(rect.cols * size), rect.dst_row * size,
                      rect.src_row * size);
        return;
    }
    switch (bits) {
    case 8:
        pto_copy_strided8((pto_bits8 *)to, (const pto_bits8 *)from, &rect);
        break;
    case 16:
        pto_copy_strided16((pto_bits16 *)to, (const pto_bits16 *)from, &rect);
        break;
    case 32:
        pto_copy_strided32((pto_bits32 *)to, (const pto_bits32 *)from, &rect);
        break;
    default:
        pto_copy_strided64((pto_bits64 *)to, (const pto_bits64 *)from, &rect);
        break;
    }
}

#endif
