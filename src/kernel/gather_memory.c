/* SPDX-License-Identifier: Apache-2.0 */
/* MGATHER into vec, and into boxes in mat (30, MGATHER). */
#include "kernel/gather_index.h"

static const pto_table_oob modes[] = {PTO_TABLE_ERROR, PTO_TABLE_CLAMP, PTO_TABLE_WRAP, PTO_TABLE_DROP};

static bool flat_rows(const pto_tile *tile) {
    return tile->type.blayout == PTO_ROW_MAJOR && tile->type.slayout == PTO_NONE_BOX &&
           pto_dtype_bits(tile->type.dtype) >= 8;
}

/* A destination that overlaps its indices changes them after they were checked: what leaves the buffer then
 * reads as zero. */
static void settle(const pto_table *table, int64_t *place, int32_t n, int64_t right) {
    if (!table->bounded)
        return;
    for (int32_t i = 0; i < n; i++)
        if (place[i] >= 0 &&
            (!pto_table_inside(table, place[i], 0) || !pto_table_inside(table, place[i], right)))
            place[i] = PTO_TABLE_NONE;
}

/* n elements from the offsets `from` (nowhere: zero) to the offsets `to`, or to d[0..n-1]. */
#define TAKE(name, T)                                                                                        \
    static void name(void *dst, const int64_t *to, const void *base, const int64_t *from, int32_t n) {       \
        T *d = dst;                                                                                          \
        const T *s = base;                                                                                   \
        if (to)                                                                                              \
            for (int32_t i = 0; i < n; i++)                                                                  \
                d[to[i]] = from[i] == PTO_TABLE_NOWHERE ? 0 : s[from[i]];                                    \
        else                                                                                                 \
            for (int32_t i = 0; i < n; i++)                                                                  \
                d[i] = from[i] == PTO_TABLE_NOWHERE ? 0 : s[from[i]];                                        \
    }                                                                                                        \
    static void name##_plain(void *dst, const void *base, const uint32_t *index, int32_t n) {                \
        T *restrict d = dst;                                                                                 \
        const T *restrict s = base;                                                                          \
        const int32_t *restrict at = (const int32_t *)index; /* see pto_table_plain */                       \
        for (int32_t i = 0; i < n; i++)                                                                      \
            d[i] = s[at[i]];                                                                                 \
    }
TAKE(take_8, uint8_t)
TAKE(take_16, uint16_t)
TAKE(take_32, uint32_t)
TAKE(take_64, uint64_t)

/* Two elements a byte: `to` is always given. */
static void take_4(void *dst, const int64_t *to, const void *base, const int64_t *from, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        pto_exact_store(dst, PTO_S4, to[i],
                        from[i] == PTO_TABLE_NOWHERE ? 0 : pto_exact_load(base, PTO_S4, from[i]) & 15);
}

typedef struct take_loops {
    void (*run)(void *, const int64_t *, const void *, const int64_t *, int32_t);
    void (*plain)(void *, const void *, const uint32_t *, int32_t);
} take_loops;

static take_loops loops_of(pto_dtype dtype) {
    switch (pto_dtype_bits(dtype)) {
    case 4:
        return (take_loops){take_4, NULL};
    case 8:
        return (take_loops){take_8, take_8_plain};
    case 16:
        return (take_loops){take_16, take_16_plain};
    case 32:
        return (take_loops){take_32, take_32_plain};
    default:
        return (take_loops){take_64, take_64_plain};
    }
}

static void *row_of(const pto_tile *dst, int32_t row, int32_t col) {
    return (uint8_t *)dst->data +
           ((size_t)row * (size_t)dst->type.cols + (size_t)col) * (pto_dtype_bits(dst->type.dtype) / 8);
}

/* Row `row` of dst from row `place` of the table, element by element. */
static void take_row(const pto_tile *dst, const pto_table *table, const pto_table_columns *columns,
                     const pto_table_axes *axes, int32_t row, int64_t place) {
    const take_loops take = loops_of(dst->type.dtype);
    for (int32_t c = 0; c < dst->valid_cols; c += PTO_TABLE_RUN) {
        const int32_t left = dst->valid_cols - c, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
        int64_t from[PTO_TABLE_RUN], to[PTO_TABLE_RUN];
        pto_table_row_run(table, axes, place, c, n, from);
        pto_table_tile_run(columns, dst, row, c, n, to);
        take.run(dst->data, to, table->global->data, from, n);
    }
}

static void rows(const pto_tile *dst, const pto_table *table) {
    const size_t size = pto_dtype_bits(dst->type.dtype) / 8, width = (size_t)dst->valid_cols * size;
    const bool copies = flat_rows(dst) && !table->nz && table->global->stride[4] == 1;
    pto_table_columns columns;
    columns.count = 0;
    pto_table_axes axes;
    axes.kept = false;
    if (!copies) {
        pto_table_tile_columns(&columns, dst);
        pto_table_axes_make(&axes, table, (int64_t)dst->valid_rows * dst->valid_cols);
    }
    for (int32_t first = 0; first < dst->valid_rows; first += PTO_TABLE_RUN) {
        const int32_t left = dst->valid_rows - first, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
        uint32_t index[PTO_TABLE_RUN];
        int64_t place[PTO_TABLE_RUN];
        pto_table_load(table, first, 0, n, index);
        pto_table_resolve(table, index, n, place);
        settle(table, place, n, dst->valid_cols - 1);
        for (int32_t i = 0; i < n; i++) {
            const int32_t r = first + i;
            if (!copies)
                take_row(dst, table, &columns, &axes, r, place[i]);
            else if (place[i] < 0)
                memset(row_of(dst, r, 0), 0, width);
            else
                memcpy(row_of(dst, r, 0),
                       (const uint8_t *)table->global->data +
                           pto_table_offset(table, place[i], 0) * (int64_t)size,
                       width);
        }
    }
}

static void elements(const pto_tile *dst, const pto_table *table) {
    const take_loops take = loops_of(dst->type.dtype);
    const bool flat = flat_rows(dst);
    pto_table_columns columns;
    columns.count = 0;
    pto_table_axes axes;
    axes.kept = false;
    if (!flat)
        pto_table_tile_columns(&columns, dst);
    pto_table_axes_make(&axes, table, (int64_t)dst->valid_rows * dst->valid_cols);
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c += PTO_TABLE_RUN) {
            const int32_t left = dst->valid_cols - c, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
            uint32_t index[PTO_TABLE_RUN];
            int64_t place[PTO_TABLE_RUN], to[PTO_TABLE_RUN];
            pto_table_load(table, r, c, n, index);
            if (flat && !table->nz && pto_table_plain(table, index, n)) {
                take.plain(row_of(dst, r, c), table->global->data, index, n);
                continue;
            }
            pto_table_resolve(table, index, n, place);
            settle(table, place, n, 0);
            pto_table_element_run(table, &axes, n, place);
            if (!flat)
                pto_table_tile_run(&columns, dst, r, c, n, to);
            take.run(flat ? row_of(dst, r, c) : dst->data, flat ? NULL : to, table->global->data, place, n);
        }
}

PTO_KERNEL(mgather) {
    const pto_tile *dst = pto_call_tile(call, 0), *idx = pto_call_tile(call, 2);
    if (!dst->valid_rows || !dst->valid_cols)
        return PTO_OK;
    const pto_table table =
        pto_table_make(pto_call_global(call, 1), idx, pto_call_attr(call, 3) == PTO_COALESCE_ROW,
                       modes[pto_call_attr(call, 4)], dst->valid_cols);
    if (!pto_table_check(call, &table, 1, 2, dst->valid_rows, dst->valid_cols))
        return PTO_ERR_REFUSED;
    if (table.by_row)
        rows(dst, &table);
    else
        elements(dst, &table);
    return PTO_OK;
}

/* Elements 0..count-1 from the tensor's base lie in its buffer; else told. */
static bool line_inside(const pto_kernel_call *call, int operand, int64_t count) {
    const pto_global *global = pto_call_global(call, operand);
    if (!global->begin && !global->end)
        return true;
    const int64_t bits = pto_dtype_bits(global->dtype);
    const int64_t room = ((const uint8_t *)global->end - (const uint8_t *)global->data) * 8 / bits;
    if (count <= room)
        return true;
    pto_report_index(call, "PTO-E0901", operand, count - 1, 0, 0, room);
    return false;
}

/* (dst, table, idx, scratch?, coalesce, oob, exec). By row with zeroes, and by element, the whole tile is
 * cleared first; by element its bytes then stand in the scratch tensor too. */
PTO_KERNEL(mgather_mat) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const pto_global *scratch = pto_call_global(call, 3);
    const size_t bytes = (size_t)pto_tile_type_bytes(&dst->type);
    pto_table table =
        pto_table_make(pto_call_global(call, 1), NULL, pto_call_attr(call, 4) == PTO_COALESCE_ROW,
                       modes[pto_call_attr(call, 5)], dst->valid_cols);
    table.from = pto_call_global(call, 2);
    if (!dst->valid_rows || !dst->valid_cols)
        return PTO_OK;
    if ((table.by_row && !line_inside(call, 2, dst->valid_rows)) ||
        (scratch && !line_inside(call, 3, (int64_t)dst->type.rows * dst->type.cols)) ||
        !pto_table_check(call, &table, 1, 2, dst->valid_rows, dst->valid_cols))
        return PTO_ERR_REFUSED;
    if (!table.by_row || table.oob == PTO_TABLE_DROP)
        memset(dst->data, 0, bytes);
    if (table.by_row)
        rows(dst, &table);
    else
        elements(dst, &table);
    if (scratch && !table.by_row)
        memcpy(scratch->data, dst->data, bytes);
    return PTO_OK;
}
