/* SPDX-License-Identifier: Apache-2.0 */
/* TLOAD and TSTORE (part 30): between global memory and tiles. */
#include "isa/extents.h"
#include "kernel/fixpipe.h"
#include "kernel/global_add.h"
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
            pto_global_add(dst, rect.dst + r * rect.dst_row + c * rect.dst_col, dst_type, value, mode.flush);
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
    pto_rects rects = {
        .dst_rows = pto_axis_global_rows(dst),
        .dst_cols = pto_axis_global_cols_of(dst, pto_layout_inner_width(dst->layout, dst->dtype, mode.acc)),
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
