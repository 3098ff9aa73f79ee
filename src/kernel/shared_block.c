/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, row gathers and quantisation of the block form, see block_form.h. */
#include "kernel/block_form.h"

#include "kernel/exact.h"
#include "number/half.h"
#include "tile/tile.h"

#include <string.h>

static uint64_t at(const pto_tile *tile, int32_t row, int32_t col) {
    return pto_exact_load(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col));
}
static void put(pto_tile *tile, int32_t row, int32_t col, uint64_t code) {
    pto_exact_store(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col), code);
}

/* ---- sorting ---- */

/* Keys that order as the values do, NaN last in either direction; -0 and +0 are equal. */
static uint32_t key_of(pto_dtype type, uint64_t code, bool descending) {
    const float value =
        type == PTO_F32 ? pto_f32_from_bits((uint32_t)code) : pto_f32_from_f16((uint16_t)code);
    if (value != value)
        return UINT32_MAX;
    uint32_t bits = pto_f32_bits(value + 0.0f);
    bits = bits >> 31 ? ~bits : bits | UINT32_C(0x80000000);
    return descending ? ~bits : bits;
}

enum { MAX_GROUP = 64 };

/* Key, then index: equal keys keep their order. */
static void sort_group(const pto_tile *src, int32_t row, int32_t first, int32_t count, bool descending,
                       uint64_t *pair) {
    for (int32_t i = 0; i < count; i++) {
        const uint64_t key = key_of(src->type.dtype, at(src, row, first + i), descending);
        const uint64_t one = key << 32 | (uint32_t)i;
        int32_t place = i;
        for (; place > 0 && pair[place - 1] > one; place--)
            pair[place] = pair[place - 1];
        pair[place] = one;
    }
}

pto_status pto_block_form_sort(const pto_kernel_call *call) {
    pto_tile *values = pto_call_tile(call, 0), *indices = pto_call_tile(call, 1);
    const pto_tile *src = pto_call_tile(call, 2);
    const int32_t group = (int32_t)pto_call_scalar(call, 3).i;
    const bool descending = pto_call_scalar(call, 4).i != 0;
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t first = 0; first < src->valid_cols; first += group) {
            const int32_t n = src->valid_cols - first < group ? src->valid_cols - first : group;
            uint64_t pair[MAX_GROUP];
            sort_group(src, r, first, n, descending, pair);
            for (int32_t i = 0; i < n; i++) {
                const int32_t index = (int32_t)(pair[i] & (MAX_GROUP - 1));
                put(values, r, first + i, at(src, r, first + index));
                put(indices, r, first + i, (uint64_t)index);
            }
        }
    return PTO_OK;
}

pto_status pto_block_form_merge(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src[2] = {pto_call_tile(call, 1), pto_call_tile(call, 2)};
    const bool descending = pto_call_scalar(call, 3).i != 0;
    const pto_dtype type = dst->type.dtype;
    int32_t taken[2] = {0, 0};
    for (int32_t c = 0; c < dst->valid_cols; c++) {
        const bool rest[2] = {taken[0] < src[0]->valid_cols, taken[1] < src[1]->valid_cols};
        const int second = !rest[0] || (rest[1] && key_of(type, at(src[1], 0, taken[1]), descending) <
                                                       key_of(type, at(src[0], 0, taken[0]), descending));
        put(dst, 0, c, at(src[second], 0, taken[second]));
        taken[second]++;
    }
    return PTO_OK;
}

/* ---- rows by an index for each element ---- */

pto_status pto_block_form_gather(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1), *rows = pto_call_tile(call, 2);
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++)
            put(dst, r, c, at(src, (int32_t)at(rows, r, c), c));
    return PTO_OK;
}

pto_status pto_block_form_scatter(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1), *rows = pto_call_tile(call, 2);
    memset(dst->data, 0, (size_t)pto_tile_type_bytes(&dst->type));
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            put(dst, (int32_t)at(rows, r, c), c, at(src, r, c));
    return PTO_OK;
}

/* ---- quantisation by one scale and one zero point ---- */

pto_status pto_block_form_quantise(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const float scale = (float)pto_call_scalar(call, 2).f;
    const int64_t zero = pto_call_scalar(call, 3).i, most = dst->type.dtype == PTO_S8 ? 127 : 255,
                  least = most - 255, far = INT64_C(1) << 40;
    const pto_round_mode mode = (pto_round_mode)pto_call_scalar(call, 4).i;
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            const float x = pto_f32_from_bits((uint32_t)at(src, r, c)) * scale;
            int64_t q = (int64_t)pto_number_encode(PTO_FORMAT_S64, pto_number_from_f32(x), mode, true);
            q = (q > far ? far : q < -far ? -far : q) + zero;
            put(dst, r, c, (uint64_t)(q < least ? least : q > most ? most : q) & 255);
        }
    return PTO_OK;
}

pto_status pto_block_form_dequantise(const pto_kernel_call *call) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    const float scale = (float)pto_call_scalar(call, 2).f;
    const int64_t zero = pto_call_scalar(call, 3).i;
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            const uint64_t code = at(src, r, c);
            const int64_t q = src->type.dtype == PTO_S8 ? (int8_t)(uint8_t)code : (int64_t)code;
            const float x = (float)(q - zero) * scale;
            put(dst, r, c, x == x ? pto_f32_bits(x) : PTO_F32_NAN_BITS);
        }
    return PTO_OK;
}
