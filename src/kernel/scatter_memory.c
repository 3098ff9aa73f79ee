/* SPDX-License-Identifier: Apache-2.0 */
/* MSCATTER (30, MSCATTER): element by element in row-major order, so the last of equal places wins and
 * atomics add up in that order. */
#include "kernel/gather_index.h"
#include "number/half.h"
#include <pto/number.h>

static const pto_table_oob modes[] = {PTO_TABLE_ERROR, PTO_TABLE_DROP, PTO_TABLE_CLAMP, PTO_TABLE_WRAP};

static bool is_nan(pto_dtype type, uint64_t code) {
    const double value = pto_dtype_is_float(type) ? pto_number_to_double(type, code) : 0.0;
    return value != value;
}

/* What the table holds after x meets old; a NaN is no maximum and no minimum. */
static uint64_t combine(int64_t op, pto_dtype type, uint64_t old, uint64_t x) {
    if (op == PTO_SCATTER_REPLACE)
        return x;
    if (op == PTO_SCATTER_ADD)
        return pto_exact_apply(PTO_EXACT_ADD, type, old, x, 0);
    if (is_nan(type, x))
        return old;
    if (is_nan(type, old))
        return x;
    return pto_exact_apply(op == PTO_SCATTER_MAX ? PTO_EXACT_MAX : PTO_EXACT_MIN, type, old, x, 0);
}

static void put(const pto_table *table, int64_t op, int64_t place, int64_t j, const pto_tile *src,
                int32_t row, int32_t col) {
    const pto_dtype type = src->type.dtype;
    const int64_t at = pto_table_offset(table, place, j);
    const uint64_t x = pto_exact_load(src->data, type, pto_tile_offset(&src->type, row, col));
    const uint64_t old = op ? pto_exact_load(table->global->data, type, at) : 0;
    pto_exact_store(table->global->data, type, at, combine(op, type, old, x));
}

/* n elements of one row of src; by element place[i] each, by row the columns from place[0]. */
#define PUT(name, T, COMBINE)                                                                                \
    static void name(void *table, const void *src, const int64_t *place, int32_t n) {                        \
        T *t = table;                                                                                        \
        const T *s = src;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            if (place[i] >= 0)                                                                               \
                t[place[i]] = COMBINE(t[place[i]], s[i]);                                                    \
    }
#define REPLACE(old, x) (x)
#define ADD_32(old, x) ((old) + (x))
static inline float add_float(float a, float b) {
    const float sum = a + b;
    return sum == sum ? sum : pto_f32_from_bits(PTO_F32_NAN_BITS);
}
PUT(put_8, uint8_t, REPLACE)
PUT(put_16, uint16_t, REPLACE)
PUT(put_32, uint32_t, REPLACE)
PUT(put_64, uint64_t, REPLACE)
PUT(add_32, uint32_t, ADD_32)
PUT(add_f32, float, add_float)

typedef void (*put_loop)(void *, const void *, const int64_t *, int32_t);

static put_loop loop_of(const pto_tile *src, int64_t op) {
    const bool flat = src->type.blayout == PTO_ROW_MAJOR && src->type.slayout == PTO_NONE_BOX;
    if (flat && op == PTO_SCATTER_ADD)
        return src->type.dtype == PTO_F32                                 ? add_f32
               : src->type.dtype == PTO_S32 || src->type.dtype == PTO_U32 ? add_32
                                                                          : NULL;
    if (!flat || op)
        return NULL;
    switch (pto_dtype_bits(src->type.dtype)) {
    case 8:
        return put_8;
    case 16:
        return put_16;
    case 32:
        return put_32;
    case 64:
        return put_64;
    default:
        return NULL;
    }
}

static const uint8_t *row_of(const pto_tile *src, int32_t row, int32_t col) {
    return (const uint8_t *)src->data +
           ((size_t)row * (size_t)src->type.cols + (size_t)col) * (pto_dtype_bits(src->type.dtype) / 8);
}

static void rows(const pto_table *table, const pto_tile *src, int64_t op) {
    const size_t size = pto_dtype_bits(src->type.dtype) / 8;
    const bool copies = loop_of(src, op) && !op && !table->nz && table->global->stride[4] == 1;
    for (int32_t r = 0; r < src->valid_rows; r++) {
        uint32_t index;
        int64_t place;
        pto_table_load(table, r, 0, 1, &index);
        pto_table_resolve(table, &index, 1, &place);
        if (place < 0)
            continue;
        if (copies)
            memcpy((uint8_t *)table->global->data + pto_table_offset(table, place, 0) * (int64_t)size,
                   row_of(src, r, 0), (size_t)src->valid_cols * size);
        else
            for (int32_t c = 0; c < src->valid_cols; c++)
                put(table, op, place, c, src, r, c);
    }
}

static void elements(const pto_table *table, const pto_tile *src, int64_t op) {
    const put_loop loop = table->nz ? NULL : loop_of(src, op);
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c += PTO_TABLE_RUN) {
            const int32_t left = src->valid_cols - c, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
            uint32_t index[PTO_TABLE_RUN];
            int64_t place[PTO_TABLE_RUN];
            pto_table_load(table, r, c, n, index);
            pto_table_resolve(table, index, n, place);
            if (loop)
                loop(table->global->data, row_of(src, r, c), place, n);
            else
                for (int32_t i = 0; i < n; i++)
                    if (place[i] >= 0)
                        put(table, op, place[i], 0, src, r, c + i);
        }
}

/* (table, src, idx, coalesce, atomic, oob, conflict): one order serves every conflict policy. */
PTO_KERNEL(mscatter) {
    const pto_tile *src = pto_call_tile(call, 1), *idx = pto_call_tile(call, 2);
    if (!src->valid_rows || !src->valid_cols)
        return PTO_OK;
    const pto_table table =
        pto_table_make(pto_call_global(call, 0), idx, pto_call_attr(call, 3) == PTO_COALESCE_ROW,
                       modes[pto_call_attr(call, 5)], src->valid_cols);
    if (!pto_table_check(call, &table, 0, 2, src->valid_rows, src->valid_cols))
        return PTO_ERR_REFUSED;
    if (table.by_row)
        rows(&table, src, pto_call_attr(call, 4));
    else
        elements(&table, src, pto_call_attr(call, 4));
    return PTO_OK;
}
