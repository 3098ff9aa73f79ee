/* SPDX-License-Identifier: Apache-2.0 */
/* TCONCAT (part 30): rows of two tiles behind each other, whole or by the byte counts of index tiles. */
#include "kernel/kernel.h"
#include "kernel/window.h"
#include "tile/tile.h"

/* dst, src0, src1 */
PTO_KERNEL(tconcat) {
    const pto_tile *dst = pto_call_tile(call, 0), *a = pto_call_tile(call, 1), *b = pto_call_tile(call, 2);
    pto_window_move(call, dst, a, (pto_window){.rows = a->valid_rows, .cols = a->valid_cols}, false);
    pto_window_move(call, dst, b,
                    (pto_window){.rows = b->valid_rows, .cols = b->valid_cols, .dst_col = a->valid_cols},
                    false);
    return PTO_OK;
}

/* Elements that an index tile asks for in a row: its bytes in units of its own size; never negative. */
static int64_t count_of(const pto_tile *index, int32_t row) {
    unsigned bits = pto_dtype_bits(index->type.dtype);
    uint64_t value = pto_element_get(index->data, bits, pto_tile_offset(&index->type, row, 0));
    if (pto_dtype_is_signed(index->type.dtype) && value >> (bits - 1))
        return 0;
    return (int64_t)(value / (bits / 8));
}

/* Columns past the capacity of the source have nothing to give. */
static void copy_row(const pto_kernel_call *call, const pto_tile *dst, const pto_tile *src, int32_t row,
                     int64_t col, int64_t count) {
    if (count > src->type.cols)
        count = src->type.cols;
    if (count <= 0)
        return;
    if (dst->type.slayout == PTO_NONE_BOX && dst->type.blayout == PTO_ROW_MAJOR &&
        src->type.slayout == PTO_NONE_BOX && src->type.blayout == PTO_ROW_MAJOR &&
        pto_dtype_bits(dst->type.dtype) >= 8) {
        size_t size = pto_dtype_bits(dst->type.dtype) / 8;
        memcpy((uint8_t *)dst->data + ((int64_t)row * dst->type.cols + col) * (int64_t)size,
               (const uint8_t *)src->data + (int64_t)row * src->type.cols * (int64_t)size,
               (size_t)count * size);
        return;
    }
    pto_window_move(
        call, dst, src,
        (pto_window){
            .rows = 1, .cols = (int32_t)count, .dst_row = row, .dst_col = (int32_t)col, .src_row = row},
        false);
}

static pto_status indexed(const pto_kernel_call *call, const pto_tile *dst_index, const pto_tile *index0,
                          const pto_tile *index1) {
    const pto_tile *dst = pto_call_tile(call, 0), *a = pto_call_tile(call, 1), *b = pto_call_tile(call, 2);
    int64_t width = dst->valid_cols;
    unsigned bits = pto_dtype_bits(index0->type.dtype);
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        int64_t k0 = count_of(index0, r), k1 = count_of(index1, r);
        int64_t n0 = k0 < width ? k0 : width, n1 = k1 < width - n0 ? k1 : width - n0;
        copy_row(call, dst, a, r, 0, n0);
        copy_row(call, dst, b, r, n0, n1);
        if (dst_index) {
            int64_t total = k0 + k1 < width ? k0 + k1 : width;
            pto_element_set(dst_index->data, bits, pto_tile_offset(&dst_index->type, r, 0),
                            (uint64_t)(total * (bits / 8)));
        }
    }
    return PTO_OK;
}

/* dst, src0, src1, src0Idx, src1Idx */
PTO_KERNEL(tconcat_index) { return indexed(call, NULL, pto_call_tile(call, 3), pto_call_tile(call, 4)); }
/* dst, src0, src1, dstIdx, src0Idx, src1Idx */
PTO_KERNEL(tconcat_index_out) {
    return indexed(call, pto_call_tile(call, 3), pto_call_tile(call, 4), pto_call_tile(call, 5));
}
