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

/* ---- loops for the types of the table; other types go element by element ---- */

static inline uint16_t add_f16(uint16_t a, uint16_t b) {
    return pto_f16_from_f32(pto_f32_from_f16(a) + pto_f32_from_f16(b));
}
static inline uint16_t add_bf16(uint16_t a, uint16_t b) {
    return pto_bf16_from_f32(pto_f32_from_bf16(a) + pto_f32_from_bf16(b));
}
static inline uint32_t add_f32(uint32_t a, uint32_t b) {
    const float sum = pto_f32_from_bits(a) + pto_f32_from_bits(b);
    return sum == sum ? pto_f32_bits(sum) : PTO_F32_NAN_BITS;
}
/* Codes of floats in the order of their values, -0 below +0; what follows a NaN is above infinity. */
#define FLOAT_ORDER(name, T, SIGN, INFINITE)                                                                 \
    static inline T key_##name(T x) { return x & (SIGN) ? (T)~x : (T)(x | (SIGN)); }                         \
    static inline bool nan_##name(T x) { return (x & (T) ~(SIGN)) > (INFINITE); }                            \
    static inline T max_##name(T a, T b) {                                                                   \
        return nan_##name(b) ? a : nan_##name(a) || key_##name(b) > key_##name(a) ? b : a;                   \
    }                                                                                                        \
    static inline T min_##name(T a, T b) {                                                                   \
        return nan_##name(b) ? a : nan_##name(a) || key_##name(b) < key_##name(a) ? b : a;                   \
    }
FLOAT_ORDER(f16, uint16_t, 0x8000u, 0x7C00u)
FLOAT_ORDER(bf16, uint16_t, 0x8000u, 0x7F80u)
FLOAT_ORDER(f32, uint32_t, 0x80000000u, 0x7F800000u)

/* n elements from the offsets `from` (NULL: one behind the other) to the offsets `to`, in this order; plain:
 * to places that all exist. */
#define PUT(name, T, COMBINE)                                                                                \
    static void put_##name(void *table, const int64_t *to, const void *src, const int64_t *from,             \
                           int32_t n) {                                                                      \
        T *t = table;                                                                                        \
        const T *s = src;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            if (to[i] != PTO_TABLE_NOWHERE)                                                                  \
                t[to[i]] = (T)COMBINE(t[to[i]], s[from ? from[i] : i]);                                      \
    }                                                                                                        \
    static void put_##name##_plain(void *table, const uint32_t *to, const void *src, int32_t n) {            \
        T *t = table;                                                                                        \
        const T *s = src;                                                                                    \
        for (int32_t i = 0; i < n; i++)                                                                      \
            t[to[i]] = (T)COMBINE(t[to[i]], s[i]);                                                           \
    }
#define REPLACE(old, x) (x)
#define ADD(old, x) ((old) + (x))
#define MAX(old, x) ((old) > (x) ? (old) : (x))
#define MIN(old, x) ((old) < (x) ? (old) : (x))
#define PUT_INTEGER(type, T) PUT(max_##type, T, MAX) PUT(min_##type, T, MIN)
#define PUT_FLOAT(type, T)                                                                                   \
    PUT(add_##type, T, add_##type) PUT(max_##type, T, max_##type) PUT(min_##type, T, min_##type)
PUT(8, uint8_t, REPLACE)
PUT(16, uint16_t, REPLACE)
PUT(32, uint32_t, REPLACE)
PUT(64, uint64_t, REPLACE)
PUT(add_8, uint8_t, ADD)
PUT(add_16, uint16_t, ADD)
PUT(add_32, uint32_t, ADD)
PUT_INTEGER(s8, int8_t)
PUT_INTEGER(u8, uint8_t)
PUT_INTEGER(s16, int16_t)
PUT_INTEGER(u16, uint16_t)
PUT_INTEGER(s32, int32_t)
PUT_INTEGER(u32, uint32_t)
PUT_FLOAT(f16, uint16_t)
PUT_FLOAT(bf16, uint16_t)
PUT_FLOAT(f32, uint32_t)

typedef struct put_loops {
    void (*run)(void *, const int64_t *, const void *, const int64_t *, int32_t);
    void (*plain)(void *, const uint32_t *, const void *, int32_t);
} put_loops;

#define LOOPS(name)                                                                                          \
    { put_##name, put_##name##_plain }

/* Without loops: element by element. */
static put_loops loops_of(pto_dtype dtype, int64_t op) {
    static const put_loops none = {NULL, NULL}, replace[] = {LOOPS(8), LOOPS(16), LOOPS(32), LOOPS(64)};
    static const struct {
        pto_dtype dtype;
        put_loops add, max, min;
    } loops[] = {{PTO_S8, LOOPS(add_8), LOOPS(max_s8), LOOPS(min_s8)},
                 {PTO_U8, LOOPS(add_8), LOOPS(max_u8), LOOPS(min_u8)},
                 {PTO_S16, LOOPS(add_16), LOOPS(max_s16), LOOPS(min_s16)},
                 {PTO_U16, LOOPS(add_16), LOOPS(max_u16), LOOPS(min_u16)},
                 {PTO_S32, LOOPS(add_32), LOOPS(max_s32), LOOPS(min_s32)},
                 {PTO_U32, LOOPS(add_32), LOOPS(max_u32), LOOPS(min_u32)},
                 {PTO_F16, LOOPS(add_f16), LOOPS(max_f16), LOOPS(min_f16)},
                 {PTO_BF16, LOOPS(add_bf16), LOOPS(max_bf16), LOOPS(min_bf16)},
                 {PTO_F32, LOOPS(add_f32), LOOPS(max_f32), LOOPS(min_f32)}};
    if (op == PTO_SCATTER_REPLACE) {
        const unsigned bits = pto_dtype_bits(dtype);
        return bits == 8    ? replace[0]
               : bits == 16 ? replace[1]
               : bits == 32 ? replace[2]
               : bits == 64 ? replace[3]
                            : none;
    }
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (loops[i].dtype == dtype)
            return op == PTO_SCATTER_ADD ? loops[i].add : op == PTO_SCATTER_MAX ? loops[i].max : loops[i].min;
    return none;
}

/* ---- by row, by element ---- */

typedef struct scatter {
    const pto_table *table;
    const pto_tile *src;
    int64_t op;
    put_loops loop;
    bool flat; /* a row of src is one piece */
    pto_table_columns columns;
    pto_table_axes axes;
} scatter;

static const uint8_t *row_of(const pto_tile *src, int32_t row, int32_t col) {
    return (const uint8_t *)src->data +
           ((size_t)row * (size_t)src->type.cols + (size_t)col) * (pto_dtype_bits(src->type.dtype) / 8);
}

/* n elements of a row of src to offsets of the table. */
static void put_run(const scatter *s, int32_t row, int32_t col, int32_t n, const int64_t *to) {
    int64_t from[PTO_TABLE_RUN];
    if (s->loop.run && s->flat) {
        s->loop.run(s->table->global->data, to, row_of(s->src, row, col), NULL, n);
        return;
    }
    pto_table_tile_run(&s->columns, s->src, row, col, n, from);
    if (s->loop.run) {
        s->loop.run(s->table->global->data, to, s->src->data, from, n);
        return;
    }
    const pto_dtype type = s->src->type.dtype;
    for (int32_t i = 0; i < n; i++) {
        if (to[i] == PTO_TABLE_NOWHERE)
            continue;
        const uint64_t old = s->op ? pto_exact_load(s->table->global->data, type, to[i]) : 0;
        const uint64_t x = pto_exact_load(s->src->data, type, from[i]);
        pto_exact_store(s->table->global->data, type, to[i], combine(s->op, type, old, x));
    }
}

static void rows(const scatter *s) {
    const pto_table *table = s->table;
    const pto_tile *src = s->src;
    const size_t size = pto_dtype_bits(src->type.dtype) / 8;
    const bool copies = s->loop.run && s->flat && !s->op && !table->nz && table->global->stride[4] == 1;
    for (int32_t r = 0; r < src->valid_rows; r++) {
        uint32_t index;
        int64_t place, to[PTO_TABLE_RUN];
        pto_table_load(table, r, 0, 1, &index);
        pto_table_resolve(table, &index, 1, &place);
        if (place < 0)
            continue;
        if (copies) {
            memcpy((uint8_t *)table->global->data + pto_table_offset(table, place, 0) * (int64_t)size,
                   row_of(src, r, 0), (size_t)src->valid_cols * size);
            continue;
        }
        for (int32_t c = 0; c < src->valid_cols; c += PTO_TABLE_RUN) {
            const int32_t left = src->valid_cols - c, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
            pto_table_row_run(table, &s->axes, place, c, n, to);
            put_run(s, r, c, n, to);
        }
    }
}

static void elements(const scatter *s) {
    const pto_table *table = s->table;
    const pto_tile *src = s->src;
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c += PTO_TABLE_RUN) {
            const int32_t left = src->valid_cols - c, n = left < PTO_TABLE_RUN ? left : PTO_TABLE_RUN;
            uint32_t buffer[PTO_TABLE_RUN];
            int64_t place[PTO_TABLE_RUN];
            const uint32_t *index = pto_table_view(table, r, c, n, buffer);
            if (s->loop.plain && s->flat && !table->nz && pto_table_plain(table, index, n)) {
                s->loop.plain(table->global->data, index, row_of(src, r, c), n);
                continue;
            }
            pto_table_resolve(table, index, n, place);
            pto_table_element_run(table, &s->axes, n, place);
            put_run(s, r, c, n, place);
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
    scatter s = {.table = &table, .src = src, .op = pto_call_attr(call, 4)};
    s.loop = loops_of(src->type.dtype, s.op);
    s.flat = src->type.blayout == PTO_ROW_MAJOR && src->type.slayout == PTO_NONE_BOX;
    if (!s.flat || !s.loop.run)
        pto_table_tile_columns(&s.columns, src);
    pto_table_axes_make(&s.axes, &table, (int64_t)src->valid_rows * src->valid_cols);
    if (table.by_row)
        rows(&s);
    else
        elements(&s);
    return PTO_OK;
}
