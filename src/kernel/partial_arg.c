/* SPDX-License-Identifier: Apache-2.0 */
/* TPARTARGMAX, TPARTARGMIN (part 20, 6): where both sources are valid, the larger or smaller value and its
 * index, those of src1 (by option src0) on ties and where a NaN is
 * involved; elsewhere copies. Values are compared first, a
 * piece of a line at a time, then values and indices are selected. */
#include "kernel/partial.h"

enum { PIECE = 256 };

/* take[i] = 255 where x[i] is strictly better */
#define COMPARE(NAME, T, BETTER)                                                                             \
    static void NAME(uint8_t *take, const void *a, const void *b, int64_t n) {                               \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) take[i] = (BETTER) ? 255 : 0;                    \
    }
#define BOTH(type, T)                                                                                        \
    COMPARE(greater_##type, T, x[i] > y[i])                                                                  \
    COMPARE(less_##type, T, x[i] < y[i])
BOTH(s8, int8_t)
BOTH(u8, uint8_t)
BOTH(s16, int16_t)
BOTH(u16, uint16_t)
BOTH(s32, int32_t)
BOTH(u32, uint32_t)
BOTH(f32, float)

/* A 16-bit float as an integer of the same order, both zeros 0. */
static inline int16_t order(uint16_t bits) {
    const int16_t magnitude = (int16_t)(bits & 0x7FFF);
    return (int16_t)((int16_t)bits < 0 ? -magnitude : magnitude);
}
#define NUMBERS(infinity) (((x[i] & 0x7FFF) <= (infinity)) & ((y[i] & 0x7FFF) <= (infinity)))
COMPARE(greater_f16, uint16_t, NUMBERS(0x7C00) & (order(x[i]) > order(y[i])))
COMPARE(less_f16, uint16_t, NUMBERS(0x7C00) & (order(x[i]) < order(y[i])))
COMPARE(greater_bf16, uint16_t, NUMBERS(0x7F80) & (order(x[i]) > order(y[i])))
COMPARE(less_bf16, uint16_t, NUMBERS(0x7F80) & (order(x[i]) < order(y[i])))

typedef void (*compare)(uint8_t *take, const void *a, const void *b, int64_t n);
static const compare greater[PTO_DTYPE_COUNT] = {
    [PTO_S8] = greater_s8,   [PTO_U8] = greater_u8,     [PTO_S16] = greater_s16,
    [PTO_U16] = greater_u16, [PTO_S32] = greater_s32,   [PTO_U32] = greater_u32,
    [PTO_F16] = greater_f16, [PTO_BF16] = greater_bf16, [PTO_F32] = greater_f32};
static const compare less[PTO_DTYPE_COUNT] = {
    [PTO_S8] = less_s8,   [PTO_U8] = less_u8,     [PTO_S16] = less_s16,
    [PTO_U16] = less_u16, [PTO_S32] = less_s32,   [PTO_U32] = less_u32,
    [PTO_F16] = less_f16, [PTO_BF16] = less_bf16, [PTO_F32] = less_f32};

/* dst[i] = take[i] ? x[i] : y[i] */
#define SELECT(NAME, U)                                                                                      \
    static void NAME(void *dst, const void *a, const void *b, const uint8_t *take, int64_t n) {              \
        U *d = dst;                                                                                          \
        const U *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) {                                                \
            const U m = (U)(int8_t)take[i];                                                                  \
            d[i] = (U)((x[i] & m) | (y[i] & (U)~m));                                                         \
        }                                                                                                    \
    }
SELECT(select_8, uint8_t)
SELECT(select_16, uint16_t)
SELECT(select_32, uint32_t)
SELECT(select_64, uint64_t)

/* Three tiles of one kind, values or indices. */
typedef struct triple {
    pto_tile *dst;
    const pto_tile *src[2];
    const uint8_t *data[2]; /* copies of what a destination would overwrite */
    int64_t size;           /* bytes of an element */
    void (*select)(void *, const void *, const void *, const uint8_t *, int64_t);
} triple;

static triple triple_of(const pto_kernel_call *call, int first) {
    triple t = {.dst = pto_call_tile(call, first),
                .src = {pto_call_tile(call, first + 1), pto_call_tile(call, first + 2)}};
    t.size = pto_dtype_bits(t.dst->type.dtype) / 8;
    t.select = t.size == 1 ? select_8 : t.size == 2 ? select_16 : t.size == 4 ? select_32 : select_64;
    t.data[0] = t.src[0]->data;
    t.data[1] = t.src[1]->data;
    return t;
}

/* A source may start where its own destination does, and then at the same pitch needs no copy. */
static bool needs_copy(const triple *own, const triple *other, const pto_tile *src) {
    return src->data == other->dst->data ||
           (src->data == own->dst->data && !pto_map_same_walk(&src->type, &own->dst->type));
}

static bool stage(const pto_kernel_call *call, triple kind[2]) {
    size_t bytes[4], total = 0;
    for (int k = 0; k < 4; k++) {
        const pto_tile *src = kind[k / 2].src[k % 2];
        bytes[k] = needs_copy(&kind[k / 2], &kind[1 - k / 2], src)
                       ? ((size_t)pto_tile_type_bytes(&src->type) + 63) / 64 * 64
                       : 0;
        total += bytes[k];
    }
    if (!total)
        return true;
    uint8_t *at = call->host->scratch(call->host->user, total);
    if (!at)
        return false;
    for (int k = 0; k < 4; k++) {
        if (!bytes[k])
            continue;
        const pto_tile *src = kind[k / 2].src[k % 2];
        kind[k / 2].data[k % 2] = memcpy(at, src->data, (size_t)pto_tile_type_bytes(&src->type));
        at += bytes[k];
    }
    return true;
}

static uint8_t *line_of(const triple *kind, int64_t i) {
    return (uint8_t *)kind->dst->data + i * kind->dst->type.cols * kind->size;
}

static const uint8_t *source_of(const triple *kind, int k, int64_t i) {
    return kind->data[k] + i * kind->src[k]->type.cols * kind->size;
}

static pto_status run(const pto_kernel_call *call, const compare better[PTO_DTYPE_COUNT]) {
    triple kind[2] = {triple_of(call, 0), triple_of(call, 3)}; /* values, indices */
    const pto_tile *dst = kind[0].dst;
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    const int full = partial_full(dst, kind[0].src[0]);
    const pto_tile *small = kind[0].src[1 - full];
    const compare is_better = better[dst->type.dtype];
    /* the source that is taken only where it is strictly better */
    const int rival = call->numeric->partial_arg_first ? 1 : 0;
    if (rows == 0 || cols == 0)
        return PTO_OK;
    if (!stage(call, kind))
        return PTO_ERR_NOMEM;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t both = i < small->valid_rows ? small->valid_cols : 0;
        for (int64_t j = 0; j < both; j += PIECE) {
            const int64_t n = both - j < PIECE ? both - j : PIECE;
            uint8_t take[PIECE];
            is_better(take, source_of(&kind[0], rival, i) + j * kind[0].size,
                      source_of(&kind[0], 1 - rival, i) + j * kind[0].size, n);
            for (int k = 0; k < 2; k++)
                kind[k].select(line_of(&kind[k], i) + j * kind[k].size,
                               source_of(&kind[k], rival, i) + j * kind[k].size,
                               source_of(&kind[k], 1 - rival, i) + j * kind[k].size, take, n);
        }
        for (int k = 0; k < 2; k++) {
            uint8_t *to = line_of(&kind[k], i) + both * kind[k].size;
            const uint8_t *from = source_of(&kind[k], full, i) + both * kind[k].size;
            if (to != from)
                memcpy(to, from, (size_t)((cols - both) * kind[k].size));
        }
    }
    return PTO_OK;
}

PTO_KERNEL(tpartargmax) { return run(call, greater); }
PTO_KERNEL(tpartargmin) { return run(call, less); }
