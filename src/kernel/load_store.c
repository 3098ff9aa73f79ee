/* SPDX-License-Identifier: Apache-2.0 */
/* TLOAD and TSTORE (part 30): between global memory and tiles. */
#include "kernel/fixpipe.h"
#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "tile/axis.h"
#include "tile/pad.h"

/* ---- TLOAD ---- */

/* The 32-byte tails: after the last valid column of an ND tile, after the last valid row of a DN tile. */
static void fill_tails(const pto_tile *tile, pto_layout layout) {
    const pto_tile_type *type = &tile->type;
    bool row_major = type->blayout == PTO_ROW_MAJOR;
    if (type->pad == PTO_PAD_NULL || type->slayout != PTO_NONE_BOX ||
        layout != (row_major ? PTO_LAYOUT_ND : PTO_LAYOUT_DN))
        return;
    unsigned bits = pto_dtype_bits(type->dtype);
    int64_t block = 256 / bits, pitch = row_major ? type->cols : type->rows;
    int64_t lines = row_major ? tile->valid_rows : tile->valid_cols;
    int64_t begin = row_major ? tile->valid_cols : tile->valid_rows;
    int64_t end = (begin + block - 1) / block * block;
    if (end > pitch) /* a 4-bit row may be half a block long */
        end = pitch;
    uint64_t even = pto_pad_bits(type->pad, type->dtype, false),
             odd = pto_pad_bits(type->pad, type->dtype, true);
    for (int64_t line = 0; line < lines; line++)
        for (int64_t i = begin; i < end; i++)
            pto_element_set(tile->data, bits, line * pitch + i, (i & 1) ? odd : even);
}

PTO_KERNEL(tload) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const pto_global *src = pto_call_global(call, 1);
    pto_rects rects = {.dst_rows = pto_axis_tile_rows(&dst->type),
                       .dst_cols = pto_axis_tile_cols(&dst->type),
                       .src_rows = pto_axis_global_rows(src),
                       .src_cols = pto_axis_global_cols(src),
                       .rows = dst->valid_rows,
                       .cols = dst->valid_cols};
    pto_rect rect;
    unsigned bits = pto_dtype_bits(dst->type.dtype);
    while (pto_rects_next(&rects, &rect))
        pto_copy_rect(dst->data, src->data, rect, bits);
    fill_tails(dst, src->layout);
    return PTO_OK;
}

/* ---- TSTORE ---- */

/* a + b in a type: integers wrap, floats round once to nearest even. The sum of two halves or bf16 in f32,
 * rounded again, is the correctly rounded sum: f32 has more than twice their digits. */
static uint32_t sum(pto_dtype dtype, uint32_t a, uint32_t b, bool flush) {
    uint32_t exponent = dtype == PTO_F32 ? 0x7F800000u : dtype == PTO_F16 ? 0x7C00u : 0x7F80u, result;
    if (!pto_dtype_is_float(dtype))
        return a + b;
    uint32_t sign = dtype == PTO_F32 ? 0x80000000u : 0x8000u;
    if (flush) {
        a = a & exponent ? a : a & sign;
        b = b & exponent ? b : b & sign;
    }
    if (dtype == PTO_F16) {
        result = pto_f16_from_f32(pto_f32_from_f16((uint16_t)a) + pto_f32_from_f16((uint16_t)b));
    } else if (dtype == PTO_BF16) {
        result = pto_bf16_from_f32(pto_f32_from_bf16((uint16_t)a) + pto_f32_from_bf16((uint16_t)b));
    } else {
        float added = pto_f32_from_bits(a) + pto_f32_from_bits(b);
        result = added != added ? PTO_F32_NAN_BITS : pto_f32_bits(added);
    }
    return flush && !(result & exponent) ? result & sign : result;
}

/* Adds to one element of global memory, indivisibly: other cores run in other threads. An element that is not
 * aligned to its size, which no allocator and no array gives, is added to without that promise. */
#define ATOMIC_ADD(bits)                                                                                     \
    static void atomic_add##bits(uint##bits##_t *at, pto_dtype dtype, uint32_t value, bool flush) {          \
        if ((uintptr_t)at % sizeof *at) {                                                                    \
            pto_bits##bits *plain = (pto_bits##bits *)at;                                                    \
            *plain = (uint##bits##_t)sum(dtype, *plain, value, flush);                                       \
            return;                                                                                          \
        }                                                                                                    \
        uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED);                                          \
        while (!__atomic_compare_exchange_n(at, &old, (uint##bits##_t)sum(dtype, old, value, flush), true,   \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))                             \
            continue;                                                                                        \
    }
ATOMIC_ADD(8)
ATOMIC_ADD(16)
ATOMIC_ADD(32)

static void add_element(void *data, int64_t index, pto_dtype dtype, uint32_t value, bool flush) {
    uint8_t *at = (uint8_t *)data + index * (pto_dtype_bits(dtype) / 8);
    switch (pto_dtype_bits(dtype)) {
    case 8:
        atomic_add8(at, dtype, value, flush);
        break;
    case 16:
        atomic_add16((uint16_t *)(void *)at, dtype, value, flush);
        break;
    default:
        atomic_add32((uint32_t *)(void *)at, dtype, value, flush);
        break;
    }
}

typedef struct store_mode {
    bool acc, atomic, flush;
    pto_fixpipe_mode fixpipe;
} store_mode;

static void add_rect(void *dst, pto_dtype dst_type, const pto_tile *src, pto_rect rect, store_mode mode) {
    unsigned src_bits = pto_dtype_bits(src->type.dtype);
    for (int64_t r = 0; r < rect.rows; r++)
        for (int64_t c = 0; c < rect.cols; c++) {
            int64_t from = rect.src + r * rect.src_row + c * rect.src_col;
            uint32_t value = (uint32_t)pto_element_get(src->data, src_bits, from);
            if (mode.acc)
                value = pto_fixpipe_element(value, dst_type, src->type.dtype, mode.fixpipe);
            add_element(dst, rect.dst + r * rect.dst_row + c * rect.dst_col, dst_type, value, mode.flush);
        }
}

PTO_KERNEL(tstore) {
    const pto_global *dst = pto_call_global(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    store_mode mode = {.acc = src->type.loc == PTO_LOC_ACC,
                       .atomic = pto_call_attr(call, 3) != 0,
                       .flush = call->numeric->flush_subnormals,
                       .fixpipe =
                           pto_fixpipe_mode_of(pto_call_attr(call, 4) != 0, call->numeric->relu_keeps_nan)};
    pto_rects rects = {.dst_rows = pto_axis_global_rows(dst),
                       .dst_cols = pto_axis_global_cols(dst),
                       .src_rows = pto_axis_tile_rows(&src->type),
                       .src_cols = pto_axis_tile_cols(&src->type),
                       .rows = src->valid_rows,
                       .cols = src->valid_cols};
    pto_rect rect;
    unsigned bits = pto_dtype_bits(src->type.dtype);
    while (pto_rects_next(&rects, &rect)) {
        if (mode.atomic)
            add_rect(dst->data, dst->dtype, src, rect, mode);
        else if (mode.acc)
            pto_fixpipe_rect(dst->data, dst->dtype, src->data, src->type.dtype, rect, mode.fixpipe);
        else
            pto_copy_rect(dst->data, src->data, rect, bits);
    }
    return PTO_OK;
}
