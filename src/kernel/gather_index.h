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
static const int64_t PTO_TABLE_NOWHERE = INT64_MIN; /* as an offset: strides may make others negative */

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

/* n indices, `step` apart from element `at` on; signed types widen with their sign, then 32 bits count. */
#define PTO_TABLE_WIDEN(T)                                                                                   \
    do {                                                                                                     \
        const T *from = (const T *)data + at;                                                                \
        if (step == 1)                                                                                       \
            for (int32_t i = 0; i < n; i++)                                                                  \
                index[i] = (uint32_t)(int32_t)from[i];                                                       \
        else                                                                                                 \
            for (int32_t i = 0; i < n; i++)                                                                  \
                index[i] = (uint32_t)(int32_t)from[i * step];                                                \
    } while (0)
static inline void pto_table_widen(const void *data, pto_dtype dtype, int64_t at, int64_t step, int32_t n,
                                   uint32_t *index) {
    switch (dtype) {
    case PTO_S8:
        PTO_TABLE_WIDEN(int8_t);
        break;
    case PTO_U8:
        PTO_TABLE_WIDEN(uint8_t);
        break;
    case PTO_S16:
        PTO_TABLE_WIDEN(int16_t);
        break;
    case PTO_U16:
        PTO_TABLE_WIDEN(uint16_t);
        break;
    case PTO_S32:
    case PTO_U32:
        PTO_TABLE_WIDEN(int32_t);
        break;
    default:
        for (int32_t i = 0; i < n; i++)
            index[i] = (uint32_t)pto_exact_load(data, dtype, at + i * step);
        break;
    }
}
#undef PTO_TABLE_WIDEN

/* Indices of places (row, col ...) of the tile: by row the indices are read linearly from `row`. */
static inline void pto_table_load(const pto_table *table, int32_t row, int32_t col, int32_t n,
                                  uint32_t *index) {
    const pto_tile *idx = table->idx;
    if (table->from) {
        const pto_global *from = table->from;
        const int64_t *stride = from->stride, first = table->by_row ? row : row * stride[3] + col * stride[4],
                      step = table->by_row ? 1 : stride[4];
        pto_table_widen(from->data, from->dtype, first, step, n, index);
        return;
    }
    if (idx->type.slayout == PTO_NONE_BOX) {
        const bool row_major = idx->type.blayout == PTO_ROW_MAJOR;
        const int64_t at = table->by_row ? row : pto_tile_offset(&idx->type, row, col);
        pto_table_widen(idx->data, idx->type.dtype, at, table->by_row || row_major ? 1 : idx->type.rows, n,
                        index);
        return;
    }
    for (int32_t i = 0; i < n; i++)
        pto_table_widen(idx->data, idx->type.dtype, pto_tile_offset(&idx->type, row, col + i), 1, 1,
                        index + i);
}

/* The same without a copy where the indices stand as they are needed; nothing may write to them meanwhile. */
static inline const uint32_t *pto_table_view(const pto_table *table, int32_t row, int32_t col, int32_t n,
                                             uint32_t buffer[PTO_TABLE_RUN]) {
    const pto_tile *idx = table->idx;
    if (idx && pto_dtype_bits(idx->type.dtype) == 32 && idx->type.slayout == PTO_NONE_BOX &&
        (table->by_row || idx->type.blayout == PTO_ROW_MAJOR))
        return (const uint32_t *)idx->data + (table->by_row ? row : (int64_t)row * idx->type.cols + col);
    pto_table_load(table, row, col, n, buffer);
    return buffer;
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
            place[i] = index[i] < capacity ? (int64_t)index[i] : index[i] % (uint32_t)capacity;
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

/* ---- runs: offsets of many elements at once ---- */

/* The offset of an element is a function of its row plus one of its column, in tiles and in tensors: those of
 * the columns are worked out once for all rows. */
enum { PTO_TABLE_KEPT = 1024 };
typedef struct pto_table_columns {
    int32_t count; /* columns whose offset is kept */
    int64_t at[PTO_TABLE_KEPT];
} pto_table_columns;

static inline void pto_table_tile_columns(pto_table_columns *columns, const pto_tile *tile) {
    columns->count = tile->valid_cols < PTO_TABLE_KEPT ? tile->valid_cols : PTO_TABLE_KEPT;
    for (int32_t c = 0; c < columns->count; c++)
        columns->at[c] = pto_tile_offset(&tile->type, 0, c);
}

/* Offsets of n elements of a row from `col` on, which is a multiple of PTO_TABLE_RUN. */
static inline void pto_table_tile_run(const pto_table_columns *columns, const pto_tile *tile, int32_t row,
                                      int32_t col, int32_t n, int64_t *at) {
    const int64_t first = pto_tile_offset(&tile->type, row, 0);
    if (col + n <= columns->count)
        for (int32_t i = 0; i < n; i++)
            at[i] = first + columns->at[col + i];
    else
        for (int32_t i = 0; i < n; i++)
            at[i] = pto_tile_offset(&tile->type, row, col + i);
}

/* The same of the table, for NZ: its rows and columns, or by row its columns alone. */
typedef struct pto_table_axes {
    bool kept;
    int64_t row[PTO_TABLE_KEPT], col[PTO_TABLE_KEPT];
} pto_table_axes;

static inline void pto_table_axes_make(pto_table_axes *axes, const pto_table *table, int64_t elements) {
    const int64_t rows = table->nz && !table->by_row && table->cols ? table->capacity / table->cols : 0;
    axes->kept = table->nz && table->capacity <= UINT32_MAX && rows <= PTO_TABLE_KEPT &&
                 table->cols <= PTO_TABLE_KEPT && rows + table->cols <= elements;
    for (int32_t r = 0; axes->kept && r < rows; r++)
        axes->row[r] = pto_global_offset(table->global, r, 0);
    for (int32_t c = 0; axes->kept && c < table->cols; c++)
        axes->col[c] = pto_global_offset(table->global, 0, c);
}

/* By row: offsets of columns col.. of row k of the table. */
static inline void pto_table_row_run(const pto_table *table, const pto_table_axes *axes, int64_t k,
                                     int32_t col, int32_t n, int64_t *at) {
    const bool kept = axes->kept && k >= 0 && col + n <= table->cols;
    const int64_t first = kept ? pto_table_offset(table, k, 0) : 0;
    for (int32_t i = 0; i < n; i++)
        at[i] = k < 0  ? PTO_TABLE_NOWHERE
                : kept ? first + axes->col[col + i]
                       : pto_table_offset(table, k, col + i);
}

/* By element: places become offsets, PTO_TABLE_NOWHERE where there is none. */
static inline void pto_table_element_run(const pto_table *table, const pto_table_axes *axes, int32_t n,
                                         int64_t *place) {
    const uint32_t cols = (uint32_t)table->cols;
    for (int32_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)place[i];
        place[i] = place[i] < 0 ? PTO_TABLE_NOWHERE
                   : !table->nz ? place[i]
                   : axes->kept ? axes->row[k / cols] + axes->col[k % cols]
                                : pto_table_offset(table, place[i], 0);
    }
}

/* Are all indices of the run places of a table that lies in its buffer as a whole? */
static inline bool pto_table_plain(const pto_table *table, const uint32_t *index, int32_t n) {
    uint32_t most = 0;
#pragma omp simd reduction(max : most)
    for (int32_t i = 0; i < n; i++)
        most = index[i] > most ? index[i] : most;
    return !table->bounded && most < table->capacity && most <= INT32_MAX;
}

/* Every place is in range and in the buffer; else tells the first that is not. Before anything is written. */
static inline bool pto_table_check(const pto_kernel_call *call, const pto_table *table, int table_operand,
                                   int index_operand, int32_t rows, int32_t cols) {
    if (table->oob != PTO_TABLE_ERROR && !table->bounded)
        return true;
    uint32_t buffer[PTO_TABLE_RUN];
    int64_t place[PTO_TABLE_RUN];
    const int32_t lines = table->by_row ? 1 : rows, length = table->by_row ? rows : cols;
    for (int32_t r = 0; r < lines; r++)
        for (int32_t c = 0; c < length; c += PTO_TABLE_RUN) {
            const int32_t n = length - c < PTO_TABLE_RUN ? length - c : PTO_TABLE_RUN;
            const uint32_t *index =
                pto_table_view(table, table->by_row ? c : r, table->by_row ? 0 : c, n, buffer);
            if (pto_table_plain(table, index, n))
                continue;
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
