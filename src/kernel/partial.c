/* SPDX-License-Identifier: Apache-2.0 */
/* TPARTADD TPARTMUL TPARTMAX TPARTMIN (part 20, 6): the operation where both sources are valid, a bit copy of
 * the one that is valid elsewhere. One source is as large as dst, the other lies inside of it. */
#include "kernel/formulas.h"
#include "kernel/map_half.h"
#include "kernel/partial.h"

#define NUMBERS(name, NAME)                                                                                  \
    PTO_MAP_TT(name##_8, uint8_t, NAME##_8)                                                                  \
    PTO_MAP_TT(name##_16, uint16_t, NAME##_16)                                                               \
    PTO_MAP_TT(name##_32, uint32_t, NAME##_32)                                                               \
    PTO_MAP_TT(name##_64, uint64_t, NAME##_64)                                                               \
    PTO_MAP_TT(name##_f32, float, NAME##_F32)                                                                \
    PTO_HALF_TT(name, NAME##_LANES, NAME##_LANES)                                                            \
    static const pto_map_op name##_op = {.loop = {[PTO_S8] = name##_8_tt,                                    \
                                                  [PTO_U8] = name##_8_tt,                                    \
                                                  [PTO_S16] = name##_16_tt,                                  \
                                                  [PTO_U16] = name##_16_tt,                                  \
                                                  [PTO_S32] = name##_32_tt,                                  \
                                                  [PTO_U32] = name##_32_tt,                                  \
                                                  [PTO_S64] = name##_64_tt,                                  \
                                                  [PTO_U64] = name##_64_tt,                                  \
                                                  [PTO_F16] = name##_f16_tt,                                 \
                                                  [PTO_BF16] = name##_bf16_tt,                               \
                                                  [PTO_F32] = name##_f32_tt}};
NUMBERS(add, PTO_ADD)
NUMBERS(mul, PTO_MUL)

#define EXTREMES(name, NAME)                                                                                 \
    PTO_MAP_TT(name##_s8, int8_t, PTO_##NAME)                                                                \
    PTO_MAP_TT(name##_u8, uint8_t, PTO_##NAME)                                                               \
    PTO_MAP_TT(name##_s16, int16_t, PTO_##NAME)                                                              \
    PTO_MAP_TT(name##_u16, uint16_t, PTO_##NAME)                                                             \
    PTO_MAP_TT(name##_s32, int32_t, PTO_##NAME)                                                              \
    PTO_MAP_TT(name##_u32, uint32_t, PTO_##NAME)                                                             \
    PTO_MAP_TT(name##_s64, int64_t, PTO_##NAME)                                                              \
    PTO_MAP_TT(name##_u64, uint64_t, PTO_##NAME)                                                             \
    FLOATS(name, name, PTO_##NAME)                                                                           \
    FLOATS(name, number_##name, PTO_NUMBER_##NAME)
#define FLOATS(name, floats, NAME)                                                                           \
    PTO_MAP_TT(floats##_f16, int16_t, NAME##_F16)                                                            \
    PTO_MAP_TT(floats##_bf16, int16_t, NAME##_BF16)                                                          \
    PTO_MAP_TT(floats##_f32, float, NAME##_F32)                                                              \
    static const pto_map_op floats##_op = {.loop = {[PTO_S8] = name##_s8_tt,                                 \
                                                    [PTO_U8] = name##_u8_tt,                                 \
                                                    [PTO_S16] = name##_s16_tt,                               \
                                                    [PTO_U16] = name##_u16_tt,                               \
                                                    [PTO_S32] = name##_s32_tt,                               \
                                                    [PTO_U32] = name##_u32_tt,                               \
                                                    [PTO_S64] = name##_s64_tt,                               \
                                                    [PTO_U64] = name##_u64_tt,                               \
                                                    [PTO_F16] = floats##_f16_tt,                             \
                                                    [PTO_BF16] = floats##_bf16_tt,                           \
                                                    [PTO_F32] = floats##_f32_tt}};
EXTREMES(max, MAX)
EXTREMES(min, MIN)

/* ---- the sources and where they are read ---- */

typedef struct partial {
    pto_tile *dst;
    const pto_tile *tile[2];
    const uint8_t *data[2]; /* copies of what dst would overwrite */
    int full;
    bool flush;
    pto_map_loop loop;
    int64_t size; /* bytes of an element */
} partial;

/* always: dst overwrites the smaller source before that is read */
static bool stage(const pto_kernel_call *call, partial *p, bool always) {
    size_t bytes[2] = {0};
    for (int k = 0; k < 2; k++) {
        const pto_tile *tile = p->tile[k];
        const bool overwritten = tile->data == p->dst->data &&
                                 ((always && k != p->full) || !pto_map_same_walk(&tile->type, &p->dst->type));
        bytes[k] = overwritten ? ((size_t)pto_tile_type_bytes(&tile->type) + 63) / 64 * 64 : 0;
        p->data[k] = tile->data;
    }
    if (!bytes[0] && !bytes[1])
        return true;
    uint8_t *at = call->host->scratch(call->host->user, bytes[0] + bytes[1]);
    if (!at)
        return false;
    for (int k = 0; k < 2; k++) {
        if (!bytes[k])
            continue;
        p->data[k] = memcpy(at, p->data[k], (size_t)pto_tile_type_bytes(&p->tile[k]->type));
        at += bytes[k];
    }
    return true;
}

/* n elements of the operation; under the flush option by pieces whose copies are flushed. */
static void combine(const partial *p, void *dst, const void *a, const void *b, int64_t n) {
    if (!p->flush) {
        p->loop(dst, a, b, n, NULL);
        return;
    }
    enum { PIECE = 256, WIDEST = 4 };
    const pto_dtype dtype = p->dst->type.dtype;
    for (int64_t at = 0; at < n; at += PIECE) {
        const int64_t count = n - at < PIECE ? n - at : PIECE;
        _Alignas(64) uint8_t x[PIECE * WIDEST], y[PIECE * WIDEST];
        memcpy(x, (const uint8_t *)a + at * p->size, (size_t)(count * p->size));
        memcpy(y, (const uint8_t *)b + at * p->size, (size_t)(count * p->size));
        pto_map_flush(x, dtype, count);
        pto_map_flush(y, dtype, count);
        p->loop(x, x, y, count, NULL);
        pto_map_flush(x, dtype, count);
        memcpy((uint8_t *)dst + at * p->size, x, (size_t)(count * p->size));
    }
}

static void combine_lines(const partial *p) {
    const partial_shape all = partial_valid(p->dst), both = partial_valid(p->tile[1 - p->full]);
    const int64_t size = p->size, dst_pitch = partial_pitch(p->dst) * size,
                  pitch[2] = {partial_pitch(p->tile[0]) * size, partial_pitch(p->tile[1]) * size};
    for (int64_t i = 0; i < all.outer; i++) {
        uint8_t *to = (uint8_t *)p->dst->data + i * dst_pitch;
        const uint8_t *a = p->data[0] + i * pitch[0], *b = p->data[1] + i * pitch[1], *rest = p->full ? b : a;
        const int64_t n = i < both.outer ? both.inner : 0;
        if (n)
            combine(p, to, a, b, n);
        if (to != rest)
            memcpy(to + n * size, rest + n * size, (size_t)((all.inner - n) * size));
    }
}

/* ---- boxed layouts: a copy of the larger source, then the operation on the corner of the smaller one ----
 */

static void copy_run(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    const partial *p = extra;
    (void)b;
    if (dst != a)
        memcpy(dst, a, (size_t)(n * p->size));
}

static void combine_run(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    combine(extra, dst, a, b, n);
}

static void combine_boxes(const partial *p) {
    const pto_map_input input[2] = {{&p->tile[0]->type, p->data[0]}, {&p->tile[1]->type, p->data[1]}},
                        whole[2] = {input[p->full], pto_map_none()};
    pto_map_walk(copy_run, p->dst, whole, p);
    pto_tile corner = *p->dst;
    corner.valid_rows = p->tile[1 - p->full]->valid_rows;
    corner.valid_cols = p->tile[1 - p->full]->valid_cols;
    pto_map_walk(combine_run, &corner, input, p);
}

static pto_status run(const pto_kernel_call *call, const pto_map_op *op) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src0 = pto_call_tile(call, 1), *src1 = pto_call_tile(call, 2);
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return PTO_OK;
    const int full = partial_full(dst, src0);
    if (full == 0 && partial_full(dst, src1) == 0)
        return pto_map_run(call, op, dst, pto_map_tile(src0), pto_map_tile(src1));
    const bool flat = partial_is_flat(dst);
    partial p = {.dst = dst,
                 .tile = {src0, src1},
                 .full = full,
                 .flush = pto_map_flushes(call, dst->type.dtype),
                 .loop = op->loop[dst->type.dtype],
                 .size = pto_dtype_bits(dst->type.dtype) / 8};
    if (!stage(call, &p, !flat))
        return PTO_ERR_NOMEM;
    if (flat)
        combine_lines(&p);
    else
        combine_boxes(&p);
    return PTO_OK;
}

PTO_KERNEL(tpartadd) { return run(call, &add_op); }
PTO_KERNEL(tpartmul) { return run(call, &mul_op); }
PTO_KERNEL(tpartmax) { return run(call, call->host->block_form ? &number_max_op : &max_op); }
PTO_KERNEL(tpartmin) { return run(call, call->host->block_form ? &number_min_op : &min_op); }
