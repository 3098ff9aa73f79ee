/* SPDX-License-Identifier: Apache-2.0 */
/* TSCATTER by index and by mask (40, 4.6, 4.7). Every element of the destination's storage that gets no
 * value becomes 0. All tiles are flat row-major. */
#include "kernel/block_form.h"
#include "kernel/exact.h"
#include "kernel/select.h"

#include <string.h>

static inline size_t row_of(const pto_tile *tile, int32_t row) {
    return (size_t)row * (size_t)tile->type.cols;
}

static void clear(pto_tile *tile) { memset(tile->data, 0, (size_t)pto_tile_type_bytes(&tile->type)); }

/* ---- index form ---- */

static int64_t index_at(const pto_tile *idx, int32_t row, int32_t col) {
    const int64_t at = (int64_t)row_of(idx, row) + col;
    const uint64_t code = pto_exact_load(idx->data, idx->type.dtype, at);
    switch (idx->type.dtype) {
    case PTO_S8:
        return (int8_t)(uint8_t)code;
    case PTO_S16:
        return (int16_t)(uint16_t)code;
    case PTO_S32:
        return (int32_t)(uint32_t)code;
    default: /* a 64-bit number beyond the range of int64 is negative here, and out of range either way */
        return (int64_t)code;
    }
}

/* One element at a time: an index out of range is told and skipped. */
static void scatter_row_checked(const pto_kernel_call *call, pto_tile *dst, const pto_tile *src,
                                const pto_tile *idx, int32_t row) {
    const int64_t limit = (int64_t)dst->type.rows * dst->type.cols;
    for (int32_t c = 0; c < idx->valid_cols; c++) {
        const int64_t at = index_at(idx, row, c);
        if (at >= 0 && at < limit)
            pto_exact_store(dst->data, dst->type.dtype, at,
                            pto_exact_load(src->data, src->type.dtype, (int64_t)row_of(src, row) + c));
        else
            pto_report_index(call, "PTO-E0851", 2, at, row, c, limit);
    }
}

#define SCATTER(name, T, I, U)                                                                               \
    static bool name(T *restrict d, const T *restrict s, const I *restrict idx, int32_t n, int64_t limit) {  \
        uint32_t bad = 0;                                                                                    \
        const U last = (U)(limit - 1);                                                                       \
        _Pragma("omp simd reduction(| : bad)") for (int32_t i = 0; i < n; i++) bad |= (U)idx[i] > last;      \
        if (bad)                                                                                             \
            return false;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            d[(U)idx[i]] = s[i];                                                                             \
        return true;                                                                                         \
    }
#define SCATTERS(bits)                                                                                       \
    SCATTER(scatter_##bits##_s16, uint##bits##_t, int16_t, uint32_t)                                         \
    SCATTER(scatter_##bits##_u16, uint##bits##_t, uint16_t, uint32_t)                                        \
    SCATTER(scatter_##bits##_u32, uint##bits##_t, uint32_t, uint32_t)                                        \
    static bool scatter_##bits(void *d, const void *s, const void *idx, pto_dtype type, int32_t n,           \
                               int64_t limit) {                                                              \
        switch (type) {                                                                                      \
        case PTO_S16:                                                                                        \
            return scatter_##bits##_s16(d, s, idx, n, limit);                                                \
        case PTO_U16:                                                                                        \
            return scatter_##bits##_u16(d, s, idx, n, limit);                                                \
        case PTO_S32:                                                                                        \
        case PTO_U32:                                                                                        \
            return scatter_##bits##_u32(d, s, idx, n, limit);                                                \
        default:                                                                                             \
            return false; /* 8 and 64 bits, cpu only */                                                      \
        }                                                                                                    \
    }
SCATTERS(8)
SCATTERS(16)
SCATTERS(32)
SCATTERS(64)

PTO_KERNEL(tscatter) {
    if (call->host->block_form)
        return pto_block_form_scatter(call);
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1), *idx = pto_call_tile(call, 2);
    const unsigned bits = pto_dtype_bits(dst->type.dtype);
    const size_t idx_size = pto_dtype_bits(idx->type.dtype) / 8;
    bool (*const scatter)(void *, const void *, const void *, pto_dtype, int32_t, int64_t) =
        bits == 8    ? scatter_8
        : bits == 16 ? scatter_16
        : bits == 32 ? scatter_32
                     : scatter_64;
    clear(dst);
    for (int32_t r = 0; r < idx->valid_rows; r++) {
        const uint8_t *s = (const uint8_t *)src->data + row_of(src, r) * (bits / 8);
        const uint8_t *index = (const uint8_t *)idx->data + row_of(idx, r) * idx_size;
        if (bits < 8 || !scatter(dst->data, s, index, idx->type.dtype, idx->valid_cols,
                                 (int64_t)dst->type.rows * dst->type.cols))
            scatter_row_checked(call, dst, src, idx, r);
    }
    return PTO_OK;
}

/* ---- mask form ---- */

#define SPREAD(name, T)                                                                                      \
    static void name(void *dst, const void *src, int32_t period, int32_t n) {                                \
        T *restrict d = dst;                                                                                 \
        const T *restrict s = src;                                                                           \
        if (period == 2)                                                                                     \
            for (int32_t i = 0; i < n; i++)                                                                  \
                d[2 * i] = s[i];                                                                             \
        else                                                                                                 \
            for (int32_t i = 0; i < n; i++)                                                                  \
                d[4 * i] = s[i];                                                                             \
    }
SPREAD(spread_8, uint8_t)
SPREAD(spread_16, uint16_t)
SPREAD(spread_32, uint32_t)
SPREAD(spread_64, uint64_t)

PTO_KERNEL(tscatter_mask) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const int64_t pattern = pto_call_attr(call, 2);
    const bool by_row = pto_call_attr(call, 3) == PTO_SELECT_COL;
    const int32_t period = pto_mask_period(pattern), first = pto_mask_first(pattern);
    const unsigned bits = pto_dtype_bits(dst->type.dtype);
    const size_t size = bits / 8;
    void (*const spread)(void *, const void *, int32_t, int32_t) = bits == 8    ? spread_8
                                                                   : bits == 16 ? spread_16
                                                                   : bits == 32 ? spread_32
                                                                                : spread_64;
    clear(dst);
    for (int32_t r = 0; r < src->valid_rows && src->valid_cols; r++) {
        const uint8_t *s = (const uint8_t *)src->data + row_of(src, r) * size;
        const size_t to = by_row ? row_of(dst, r * period + first) : row_of(dst, r) + (size_t)first;
        uint8_t *d = (uint8_t *)dst->data + to * size;
        if (by_row || period == 1)
            memcpy(d, s, (size_t)src->valid_cols * size);
        else
            spread(d, s, period, src->valid_cols);
    }
    return PTO_OK;
}
