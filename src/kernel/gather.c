/* SPDX-License-Identifier: Apache-2.0 */
/* TGATHER by index, by mask and by comparison (40, 4.2 to 4.4); TGATHERB (4.5). All tiles are flat
 * row-major. */
#include "kernel/exact.h"
#include "kernel/select.h"
#include "number/half.h"

#include <string.h>

static inline size_t row_of(const pto_tile *tile, int32_t row) {
    return (size_t)row * (size_t)tile->type.cols;
}

static int64_t capacity(const pto_tile *tile) { return (int64_t)tile->type.rows * tile->type.cols; }

/* ---- index form ---- */

static int64_t index_at(const pto_tile *idx, int32_t row, int32_t col) {
    const size_t at = row_of(idx, row) + (size_t)col;
    switch (idx->type.dtype) {
    case PTO_S16:
        return ((const int16_t *)idx->data)[at];
    case PTO_U16:
        return ((const uint16_t *)idx->data)[at];
    case PTO_S32:
        return ((const int32_t *)idx->data)[at];
    default:
        return ((const uint32_t *)idx->data)[at];
    }
}

/* One element at a time: rows with an index out of range, which gives 0, and 4-bit elements. */
static void gather_row_checked(const pto_kernel_call *call, pto_tile *dst, const pto_tile *src,
                               const pto_tile *idx, int32_t row) {
    const int64_t limit = capacity(src);
    for (int32_t c = 0; c < dst->valid_cols; c++) {
        const int64_t at = index_at(idx, row, c);
        const bool inside = at >= 0 && at < limit;
        if (!inside)
            pto_report_index(call, "PTO-W0850", 2, at, row, c, limit);
        pto_exact_store(dst->data, dst->type.dtype, (int64_t)row_of(dst, row) + c,
                        inside ? pto_exact_load(src->data, src->type.dtype, at) : 0);
    }
}

/* False when an index is out of range; nothing is written then. Indices come as unsigned: a negative one is
 * larger than any tile, but for 16 bits, which the callers widen. */
#define GATHER(name, T, I, U)                                                                                \
    static bool name(T *restrict d, const T *restrict s, const I *restrict idx, int32_t n, int64_t limit) {  \
        uint32_t bad = 0;                                                                                    \
        const U last = (U)(limit - 1);                                                                       \
        _Pragma("omp simd reduction(| : bad)") for (int32_t i = 0; i < n; i++) bad |= (U)idx[i] > last;      \
        if (bad)                                                                                             \
            return false;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            d[i] = s[(U)idx[i]];                                                                             \
        return true;                                                                                         \
    }
#define GATHERS(bits)                                                                                        \
    GATHER(gather_##bits##_s16, uint##bits##_t, int16_t, uint32_t)                                           \
    GATHER(gather_##bits##_u16, uint##bits##_t, uint16_t, uint32_t)                                          \
    GATHER(gather_##bits##_u32, uint##bits##_t, uint32_t, uint32_t)                                          \
    static bool gather_##bits(void *d, const void *s, const void *idx, pto_dtype type, int32_t n,            \
                              int64_t limit) {                                                               \
        return type == PTO_S16   ? gather_##bits##_s16(d, s, idx, n, limit)                                  \
               : type == PTO_U16 ? gather_##bits##_u16(d, s, idx, n, limit)                                  \
                                 : gather_##bits##_u32(d, s, idx, n, limit);                                 \
    }
GATHERS(8)
GATHERS(16)
GATHERS(32)
GATHERS(64)

PTO_KERNEL(tgather) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1), *idx = pto_call_tile(call, 2);
    const unsigned bits = pto_dtype_bits(dst->type.dtype);
    const size_t idx_size = pto_dtype_bits(idx->type.dtype) / 8;
    bool (*const gather)(void *, const void *, const void *, pto_dtype, int32_t, int64_t) =
        bits == 8    ? gather_8
        : bits == 16 ? gather_16
        : bits == 32 ? gather_32
                     : gather_64;
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        uint8_t *d = (uint8_t *)dst->data + row_of(dst, r) * (bits / 8);
        const uint8_t *index = (const uint8_t *)idx->data + row_of(idx, r) * idx_size;
        if (bits < 8 || !gather(d, src->data, index, idx->type.dtype, dst->valid_cols, capacity(src)))
            gather_row_checked(call, dst, src, idx, r);
    }
    return PTO_OK;
}

/* ---- mask form ---- */

#define EVERY(name, T)                                                                                       \
    static void name(void *dst, const void *src, int32_t period, int32_t n) {                                \
        T *restrict d = dst;                                                                                 \
        const T *restrict s = src;                                                                           \
        if (period == 2)                                                                                     \
            _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] = s[2 * i];                             \
        else                                                                                                 \
            _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] = s[4 * i];                             \
    }
EVERY(every_8, uint8_t)
EVERY(every_16, uint16_t)
EVERY(every_32, uint32_t)
EVERY(every_64, uint64_t)

/* The selected columns of every row, one stream into the storage of dst. */
static void gather_columns(pto_tile *dst, const pto_tile *src, int64_t pattern) {
    const unsigned bits = pto_dtype_bits(src->type.dtype);
    const size_t size = bits / 8;
    const int32_t period = pto_mask_period(pattern), first = pto_mask_first(pattern);
    const int32_t n = pto_mask_count(pattern, src->valid_cols);
    void (*const every)(void *, const void *, int32_t, int32_t) = bits == 8    ? every_8
                                                                  : bits == 16 ? every_16
                                                                  : bits == 32 ? every_32
                                                                               : every_64;
    size_t out = 0;
    for (int32_t r = 0; r < src->valid_rows && n; r++, out += (size_t)n) {
        const size_t from = row_of(src, r) + (size_t)first;
        if (bits < 8)
            for (int32_t i = 0; i < n; i++)
                pto_exact_store(dst->data, dst->type.dtype, (int64_t)out + i,
                                pto_exact_load(src->data, src->type.dtype, (int64_t)from + i * period));
        else if (period == 1)
            memcpy((uint8_t *)dst->data + out * size, (const uint8_t *)src->data + from * size,
                   (size_t)n * size);
        else
            every((uint8_t *)dst->data + out * size, (const uint8_t *)src->data + from * size, period, n);
    }
}

static void gather_rows(pto_tile *dst, const pto_tile *src, int64_t pattern) {
    const unsigned bits = pto_dtype_bits(src->type.dtype);
    int32_t out = 0;
    for (int32_t r = pto_mask_first(pattern); r < src->valid_rows; r += pto_mask_period(pattern), out++) {
        const size_t to = row_of(dst, out), from = row_of(src, r);
        if (bits < 8)
            for (int32_t c = 0; c < src->valid_cols; c++)
                pto_exact_store(dst->data, dst->type.dtype, (int64_t)to + c,
                                pto_exact_load(src->data, src->type.dtype, (int64_t)from + c));
        else
            memcpy((uint8_t *)dst->data + to * (bits / 8), (const uint8_t *)src->data + from * (bits / 8),
                   (size_t)src->valid_cols * (bits / 8));
    }
}

PTO_KERNEL(tgather_mask) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t pattern = pto_call_attr(call, 2);
    if (pto_call_attr(call, 3) == PTO_SELECT_COL)
        gather_rows(dst, src, pattern);
    else
        gather_columns(dst, src, pattern);
    return PTO_OK;
}

/* ---- blocks of 32 bytes ---- */

enum { BLOCK = 32 };

PTO_KERNEL(tgatherb) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1), *offset = pto_call_tile(call, 2);
    const size_t size = pto_dtype_bits(dst->type.dtype) / 8;
    const size_t bytes = (size_t)pto_tile_type_bytes(&src->type), width = (size_t)dst->valid_cols * size;
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        uint8_t *d = (uint8_t *)dst->data + row_of(dst, r) * size;
        const uint32_t *at = (const uint32_t *)offset->data + row_of(offset, r);
        for (size_t b = 0; b * BLOCK < width; b++) {
            const size_t n = width - b * BLOCK < BLOCK ? width - b * BLOCK : BLOCK;
            if (at[b] % BLOCK || bytes < BLOCK || at[b] > bytes - BLOCK) {
                pto_report_index(call, "PTO-E0852", 2, at[b], r, (int32_t)b, (int64_t)bytes - BLOCK + 1);
                continue;
            }
            if (n == BLOCK)
                memcpy(d + b * BLOCK, (const uint8_t *)src->data + at[b], BLOCK);
            else
                memcpy(d + b * BLOCK, (const uint8_t *)src->data + at[b], n);
        }
    }
    return PTO_OK;
}
