/* SPDX-License-Identifier: Apache-2.0 */
/* TGATHER by index, by mask and by comparison (40, 4.2 to 4.4); TGATHERB (4.5). All tiles are flat
 * row-major. */
#include "kernel/block_form.h"
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
    if (call->host->block_form)
        return pto_block_form_gather(call);
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
    int32_t n = pto_mask_count(pattern, src->valid_cols), rows = src->valid_rows;
    if (bits >= 8 && src->valid_cols == src->type.cols && src->type.cols % period == 0) {
        n *= rows; /* all rows are one */
        rows = rows > 0;
    }
    void (*const every)(void *, const void *, int32_t, int32_t) = bits == 8    ? every_8
                                                                  : bits == 16 ? every_16
                                                                  : bits == 32 ? every_32
                                                                               : every_64;
    size_t out = 0;
    for (int32_t r = 0; r < rows && n; r++, out += (size_t)n) {
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

/* ---- compare form ---- */

typedef union threshold {
    int64_t i;
    float f;
} threshold;

enum { MATCHES = 256 };

/* How many of n elements match; their indices, which begin with `base`, go to out unless it is NULL. */
#define MATCH(name, T, V, MEMBER, LOAD)                                                                      \
    static int32_t name(const void *src, int32_t n, threshold k, bool greater, uint32_t base,                \
                        uint32_t *out) {                                                                     \
        const T *s = src;                                                                                    \
        const V bound = (V)k.MEMBER;                                                                         \
        int32_t found = 0;                                                                                   \
        if (!out) {                                                                                          \
            for (int32_t i = 0; i < n; i++) {                                                                \
                const V x = LOAD(s[i]);                                                                      \
                found += greater ? x > bound : x == bound;                                                   \
            }                                                                                                \
            return found;                                                                                    \
        }                                                                                                    \
        for (int32_t i = 0; i < n; i += MATCHES) { /* without a branch that depends on the data */           \
            const int32_t m = n - i < MATCHES ? n - i : MATCHES;                                             \
            uint32_t index[MATCHES];                                                                         \
            int32_t here = 0;                                                                                \
            for (int32_t j = 0; j < m; j++) {                                                                \
                const V x = LOAD(s[i + j]);                                                                  \
                index[here] = base + (uint32_t)(i + j);                                                      \
                here += greater ? x > bound : x == bound;                                                    \
            }                                                                                                \
            memcpy(out + found, index, (size_t)here * sizeof *index);                                        \
            found += here;                                                                                   \
        }                                                                                                    \
        return found;                                                                                        \
    }
#define SELF(x) (x)
MATCH(match_s8, int8_t, int8_t, i, SELF)
MATCH(match_u8, uint8_t, uint8_t, i, SELF)
MATCH(match_s16, int16_t, int16_t, i, SELF)
MATCH(match_u16, uint16_t, uint16_t, i, SELF)
MATCH(match_s32, int32_t, int32_t, i, SELF)
MATCH(match_u32, uint32_t, uint32_t, i, SELF)
MATCH(match_f16, uint16_t, float, f, pto_f32_from_f16)
MATCH(match_f32, float, float, f, SELF)

typedef int32_t (*match_loop)(const void *, int32_t, threshold, bool, uint32_t, uint32_t *);

static match_loop match_of(pto_dtype type) {
    switch (type) {
    case PTO_S8:
        return match_s8;
    case PTO_U8:
        return match_u8;
    case PTO_S16:
        return match_s16;
    case PTO_U16:
        return match_u16;
    case PTO_S32:
        return match_s32;
    case PTO_U32:
        return match_u32;
    case PTO_F16:
        return match_f16;
    default:
        return match_f32;
    }
}

/* The threshold of a row in the element type of src: of a tile of integers its element `row`, else the
 * scalar. */
static threshold threshold_of(const pto_kernel_call *call, pto_dtype type, int32_t row) {
    const pto_tile *tile = pto_call_tile(call, 2);
    pto_scalar value = tile ? (pto_scalar){.dtype = tile->type.dtype} : pto_call_scalar(call, 2);
    if (tile) {
        const uint64_t code = pto_exact_load(tile->data, tile->type.dtype, row);
        switch (tile->type.dtype) {
        case PTO_S8:
            value.i = (int8_t)code;
            break;
        case PTO_S16:
            value.i = (int16_t)code;
            break;
        case PTO_S32:
            value.i = (int32_t)code;
            break;
        default:
            value.i = (int64_t)code;
            break;
        }
    }
    const uint64_t code = pto_scalar_code(type, value);
    if (type == PTO_F32)
        return (threshold){.f = pto_f32_from_bits((uint32_t)code)};
    if (type == PTO_F16)
        return (threshold){.f = pto_f32_from_f16((uint16_t)code)};
    return (threshold){.i = (int64_t)code}; /* cut to the type by the loop */
}

/* (dst, src, k, dstCount, tmp?, cmpMode, offset) */
PTO_KERNEL(tgather_compare) {
    pto_tile *dst = pto_call_tile(call, 0), *count = pto_call_tile(call, 3);
    const pto_tile *src = pto_call_tile(call, 1);
    const pto_dtype type = src->type.dtype;
    const size_t size = pto_dtype_bits(type) / 8;
    const bool greater = pto_call_attr(call, 5) == PTO_CMP_GT;
    const uint32_t offset = (uint32_t)pto_call_attr(call, 6);
    const match_loop match = match_of(type);
    const int32_t n = src->valid_cols;
    const uint8_t *s = src->data;
    for (int32_t r = 0; r < src->valid_rows && n > dst->valid_cols; r++) { /* is there room for all? */
        const int32_t found =
            match(s + row_of(src, r) * size, n, threshold_of(call, type, r), greater, 0, NULL);
        if (found > dst->valid_cols) {
            pto_report_index(call, "PTO-E0877", 0, found, r, 0, (int64_t)dst->valid_cols + 1);
            return PTO_ERR_REFUSED;
        }
    }
    for (int32_t r = 0; r < src->valid_rows; r++)
        ((uint32_t *)count->data)[r] = (uint32_t)match(
            s + row_of(src, r) * size, n, threshold_of(call, type, r), greater,
            offset + (uint32_t)r * (uint32_t)src->type.cols, (uint32_t *)dst->data + row_of(dst, r));
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
