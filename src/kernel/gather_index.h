/* SPDX-License-Identifier: Apache-2.0 */
/* What MGATHER and MSCATTER share (30): indices of a run of places of a tile, resolved to places of the
 * table. Nothing outside of the table's buffer is ever named. */
#ifndef PTO_KERNEL_GATHER_INDEX_H
#define PTO_KERNEL_GATHER_INDEX_H

#include "kernel/exact.h"
#include "kernel/select.h"
#include "tile/global.h"
#include "tile/tile.h"

#include <string.h>

enum { PTO_TABLE_RUN = 256, PTO_TABLE_NONE = -1, PTO_TABLE_BAD = -2 };

typedef enum pto_table_oob {
    PTO_TABLE_ERROR,
    PTO_TABLE_CLAMP,
    PTO_TABLE_WRAP,
    PTO_TABLE_DROP /* no place: zero, or no write */
} pto_table_oob;

typedef struct pto_table {
    const pto_global *global;
    const pto_tile *idx;    /* the indices stand in a tile, */
    const pto_global *from; /* or in global memory */
    bool by_row, nz;
    pto_table_oob oob;
    int64_t capacity;  /* rows or elements */
    int64_t cols;      /* NZ: logical columns */
    int64_t low, high; /* element offsets that lie in the buffer */
    bool bounded;      /* some place may lie outside of it */
} pto_table;

static inline int64_t pto_table_product(const int64_t *extents, int count) {
    int64_t product = 1; /* an index has 32 bits: more does not matter */
    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(product, extents[i], &product))
            return INT64_MAX;
    return product;
}

/* Element offset of row or element k, column j (0 by element). */
static inline int64_t pto_table_offset(const pto_table *table, int64_t k, int64_t j) {
    if (table->nz)
        return table->by_row
                   ? pto_global_offset(table->global, (int32_t)k, (int32_t)j)
                   : pto_global_offset(table->global, (int32_t)(k / table->cols), (int32_t)(k % table->cols));
    if (!table->by_row)
        return k;
    return (int64_t)((uint64_t)k * (uint64_t)table->global->stride[3] +
                     (uint64_t)j * (uint64_t)table->global->stride[4]);
}

static inline bool pto_table_inside(const pto_table *table, int64_t k, int64_t j) {
    int64_t row = k, col = 0, offset = k;
    if (table->by_row && (__builtin_mul_overflow(k, table->global->stride[3], &row) ||
                          __builtin_mul_overflow(j, table->global->stride[4], &col) ||
                          __builtin_add_overflow(row, col, &offset)))
        return false;
    return offset >= table->low && offset <= table->high;
}

static inline pto_table pto_table_make(const pto_global *global, const pto_tile *idx, bool by_row,
                                       pto_table_oob oob, int64_t width) {
    pto_table table = {.global = global, .idx = idx, .by_row = by_row, .oob = oob};
    const int64_t *s = global->shape;
    table.nz = global->layout == PTO_LAYOUT_NZ;
    table.cols = table.nz ? s[0] * s[1] * s[4] : 1;
    table.capacity = !by_row ? pto_table_product(s, 5) : table.nz ? s[2] * s[3] : pto_table_product(s, 4);
    /* the door has seen that the elements of the tensor lie inside; an NZ place is one of them */
    if (table.nz || (!global->begin && !global->end))
        return table;
    const int64_t bits = pto_dtype_bits(global->dtype);
    const int64_t before = (const uint8_t *)global->data - (const uint8_t *)global->begin;
    table.low = -(before * 8 / bits);
    table.high = ((const uint8_t *)global->end - (const uint8_t *)global->data) * 8 / bits - 1;
    const int64_t last = table.capacity - 1, right = by_row ? width - 1 : 0;
    table.bounded = !pto_table_inside(&table, 0, 0) || !pto_table_inside(&table, last, 0) ||
                    !pto_table_inside(&table, 0, right) || !pto_table_inside(&table, last, right);
    return table;
}

static inline uint32_t pto_table_index(const void *data, pto_dtype dtype, int64_t at) {
    const uint64_t code = pto_exact_load(data, dtype, at);
    switch (dtype) { /* signed types widen with their sign, then 32 bits count */
    case PTO_S8:
        return (uint32_t)(int32_t)(int8_t)(uint8_t)code;
    case PTO_S16:
        return (uint32_t)(int32_t)(int16_t)(uint16_t)code;
    default:
        return (uint32_t)code;
    }
}

/* Indices of places (row, col ...) of the tile: by row the indices are read linearly from `row`. */
static inline void pto_table_load(const pto_table *table, int32_t row, int32_t col, int32_t n,
                                  uint32_t *index) {
    const pto_tile *idx = table->idx;
    if (table->from) {
        const pto_global *from = table->from;
        const int64_t *stride = from->stride, first = table->by_row ? row : row * stride[3] + col * stride[4],
                      step = table->by_row ? 1 : stride[4];
        for (int32_t i = 0; i < n; i++)
            index[i] = pto_table_index(from->data, from->dtype, first + i * step);
        return;
    }
    const bool flat =
        idx->type.slayout == PTO_NONE_BOX && (table->by_row || idx->type.blayout == PTO_ROW_MAJOR);
    const int64_t at = table->by_row ? row : (int64_t)row * idx->type.cols + col;
    if (flat && pto_dtype_bits(idx->type.dtype) == 32) {
        memcpy(index, (const uint32_t *)idx->data + at, (size_t)n * sizeof *index);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        index[i] = pto_table_index(idx->data, idx->type.dtype,
                                   flat ? at + i : pto_tile_offset(&idx->type, row, col + i));
}

static inline void pto_table_resolve(const pto_table *table, const uint32_t *index, int32_t n,
                                     int64_t *place) {
    const int64_t capacity = table->capacity;
    switch (table->oob) {
    case PTO_TABLE_CLAMP:
        for (int32_t i = 0; i < n; i++)
            place[i] = index[i] < capacity ? (int64_t)index[i] : capacity - 1;
        break;
    case PTO_TABLE_WRAP:
        for (int32_t i = 0; i < n; i++)
            place[i] = index[i] < capacity ? (int64_t)index[i] : (int64_t)index[i] % capacity;
        break;
    case PTO_TABLE_DROP:
        for (int32_t i = 0; i < n; i++)
            place[i] = index[i] < capacity ? (int64_t)index[i] : PTO_TABLE_NONE;
        break;
    default:
        for (int32_t i = 0; i < n; i++)
            place[i] = index[i] < capacity ? (int64_t)index[i] : PTO_TABLE_BAD;
        break;
    }
}

/* Every place is in range and in the buffer; else tells the first that is not. Before anything is written. */
static inline bool pto_table_check(const pto_kernel_call *call, const pto_table *table, int table_operand,
                                   int index_operand, int32_t rows, int32_t cols) {
    if (table->oob != PTO_TABLE_ERROR && !table->bounded)
        return true;
    uint32_t index[PTO_TABLE_RUN];
    int64_t place[PTO_TABLE_RUN];
    const int32_t lines = table->by_row ? 1 : rows, length = table->by_row ? rows : cols;
    for (int32_t r = 0; r < lines; r++)
        for (int32_t c = 0; c < length; c += PTO_TABLE_RUN) {
            const int32_t n = length - c < PTO_TABLE_RUN ? length - c : PTO_TABLE_RUN;
            pto_table_load(table, table->by_row ? c : r, table->by_row ? 0 : c, n, index);
            pto_table_resolve(table, index, n, place);
            for (int32_t i = 0; i < n; i++) {
                const int32_t row = table->by_row ? c + i : r, col = table->by_row ? 0 : c + i;
                if (place[i] == PTO_TABLE_BAD) {
                    pto_report_index(call, "PTO-E0853", index_operand, index[i], row, col, table->capacity);
                    return false;
                }
                const int64_t right = table->by_row ? cols - 1 : 0;
                if (table->bounded && place[i] >= 0 &&
                    (!pto_table_inside(table, place[i], 0) || !pto_table_inside(table, place[i], right))) {
                    pto_report_index(call, "PTO-E0901", table_operand, place[i], row, col, table->high + 1);
                    return false;
                }
            }
        }
    return true;
}

#endif
