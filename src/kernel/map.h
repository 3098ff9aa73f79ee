/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise kernels: one loop over a run of elements per element type, driven over the valid region of dst
 * (part 10, 1.2, 1.6).
 *
 * The loop macros make loops of the form pto_map_loop from a formula F(x, y) on one element; the compiler
 * vectorises them. name_tt takes two tiles, name_ts tile and value, name_st value and tile. dst may be the
 * same memory as a source, element for element: no restrict. */
#ifndef PTO_KERNEL_MAP_H
#define PTO_KERNEL_MAP_H

#include <string.h>

#include "kernel/exact.h"
#include "kernel/kernel.h"
#include "number/half.h"
#include "tile/tile.h"

/* n elements of dst from n elements of a and b; a value instead of a tile is one element at a or b. `extra`
 * is what the kernel passes through. */
typedef void (*pto_map_loop)(void *dst, const void *a, const void *b, int64_t n, const void *extra);

/* As pto_map_loop with a third source. */
typedef void (*pto_map_loop3)(void *dst, const void *a, const void *b, const void *c, int64_t n);

/* ---- loop templates ---- */

#define PTO_MAP_UNARY(name, T, F)                                                                            \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)b, (void)extra;                                                                                \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i]);                                  \
    }

#define PTO_MAP_TT(name, T, F)                                                                               \
    static void name##_tt(void *dst, const void *a, const void *b, int64_t n, const void *extra) {           \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y[i]);                            \
    }

#define PTO_MAP_TS(name, T, F)                                                                               \
    static void name##_ts(void *dst, const void *a, const void *b, int64_t n, const void *extra) {           \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        const T y = *(const T *)b;                                                                           \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y);                               \
    }

#define PTO_MAP_ST(name, T, F)                                                                               \
    static void name##_st(void *dst, const void *a, const void *b, int64_t n, const void *extra) {           \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T x = *(const T *)a;                                                                           \
        const T *y = b;                                                                                      \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x, y[i]);                               \
    }

#define PTO_MAP_BINARY(name, T, F) PTO_MAP_TT(name, T, F) PTO_MAP_TS(name, T, F)

/* Every NaN that arithmetic makes is the canonical one (1.5). */
static inline float pto_f32_canonical(float value) {
    return value == value ? value : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

/* ---- driver ---- */

static inline pto_map_input pto_map_tile(const pto_tile *tile) {
    return (pto_map_input){.type = &tile->type, .data = tile->data};
}
static inline pto_map_input pto_map_value(const uint64_t *code) { return (pto_map_input){.data = code}; }
static inline pto_map_input pto_map_none(void) { return (pto_map_input){.data = NULL}; }

/* Do element (r, c) of both tiles stand at one offset in bytes, for all r and c? */
static inline bool pto_map_same_walk(const pto_tile_type *a, const pto_tile_type *b) {
    if (pto_dtype_bits(a->dtype) != pto_dtype_bits(b->dtype))
        return false;
    if (a->slayout == PTO_NONE_BOX && b->slayout == PTO_NONE_BOX && a->blayout == b->blayout)
        return a->blayout == PTO_ROW_MAJOR ? a->cols == b->cols : a->rows == b->rows;
    return a->rows == b->rows && a->cols == b->cols;
}

/* ---- option: subnormals flushed, sign kept ---- */

static inline bool pto_map_flushes(const pto_kernel_call *call, pto_dtype type) {
    return call->numeric->flush_subnormals && (type == PTO_F32 || type == PTO_F16 || type == PTO_BF16);
}

static inline void pto_map_flush_32(uint32_t *bits, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        bits[i] &=
            (bits[i] & UINT32_C(0x7FFFFFFF)) < UINT32_C(0x00800000) ? UINT32_C(0x80000000) : UINT32_MAX;
}

static inline void pto_map_flush_16(uint16_t *bits, int64_t n, unsigned smallest_normal) {
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        bits[i] = (uint16_t)((bits[i] & 0x7FFFu) < smallest_normal ? bits[i] & 0x8000u : bits[i]);
}

static inline void pto_map_flush(void *data, pto_dtype type, int64_t n) {
    if (type == PTO_F32)
        pto_map_flush_32(data, n);
    else
        pto_map_flush_16(data, n, type == PTO_F16 ? 0x0400u : 0x0080u);
}

/* The valid region of a tile, in place. */
static inline void pto_map_flush_tile(pto_tile *tile) {
    const int64_t bytes = pto_dtype_bits(tile->type.dtype) / 8;
    const pto_tile_type *type = &tile->type;
    pto_runs runs;
    for (bool more = pto_runs_begin(&runs, &type, 1, tile->valid_rows, tile->valid_cols); more;
         more = pto_runs_next(&runs)) {
        for (int64_t k = 0; k < runs.count; k++) {
            const int64_t at =
                runs.start[0] + k / runs.inner * runs.outer_step[0] + k % runs.inner * runs.inner_step[0];
            pto_map_flush((uint8_t *)tile->data + at * bytes, type->dtype, runs.length);
        }
    }
}

/* Copies into scratch the inputs that dst would overwrite before they are read, or that are to be flushed. */
static inline bool pto_map_stage(const pto_kernel_call *call, const pto_tile *dst, pto_map_input *input,
                                 int count) {
    size_t size[3] = {0, 0, 0}, total = 0;
    for (int k = 0; k < count; k++) {
        const pto_tile_type *type = input[k].type;
        if (!type)
            continue;
        const bool overwritten = input[k].data == dst->data && !pto_map_same_walk(type, &dst->type);
        if (overwritten || pto_map_flushes(call, type->dtype))
            size[k] = ((size_t)pto_tile_type_bytes(type) + 63) / 64 * 64;
        total += size[k];
    }
    if (!total)
        return true;
    uint8_t *at = call->host->scratch(call->host->user, total);
    if (!at)
        return false;
    for (int k = 0; k < count; k++) {
        if (!size[k])
            continue;
        const pto_tile_type *type = input[k].type;
        const size_t bytes = (size_t)pto_tile_type_bytes(type);
        memcpy(at, input[k].data, bytes);
        if (pto_map_flushes(call, type->dtype))
            pto_map_flush(at, type->dtype, (int64_t)(bytes * 8 / pto_dtype_bits(type->dtype)));
        input[k].data = at;
        at += size[k];
    }
    return true;
}

/* One run of every operand: where its elements stand. A single value is where it was. */
typedef struct pto_map_place {
    void *dst;
    const void *in[3];
    int64_t n;
} pto_map_place;

typedef void (*pto_map_visit)(const pto_map_place *place, const void *user);

/* Visits the runs of the first rows and columns of dst. Inputs are staged by now; element types of 8 bits or
 * more. */
static inline void pto_map_visit_runs(pto_map_visit visit, const void *user, const pto_tile *dst,
                                      const pto_map_input *input, int count) {
    const pto_tile_type *types[4] = {&dst->type};
    int slot[3] = {-1, -1, -1}, tiles = 1;
    for (int k = 0; k < count; k++) {
        if (input[k].type) {
            slot[k] = tiles;
            types[tiles++] = input[k].type;
        }
    }
    pto_runs runs;
    for (bool more = pto_runs_begin(&runs, types, tiles, dst->valid_rows, dst->valid_cols); more;
         more = pto_runs_next(&runs)) {
        int64_t size[4];
        for (int t = 0; t < tiles; t++)
            size[t] = pto_dtype_bits(types[t]->dtype) / 8;
        for (int64_t outer = 0; outer * runs.inner < runs.count; outer++) {
            for (int64_t inner = 0; inner < runs.inner; inner++) {
                int64_t at[4];
                for (int t = 0; t < tiles; t++)
                    at[t] =
                        (runs.start[t] + outer * runs.outer_step[t] + inner * runs.inner_step[t]) * size[t];
                pto_map_place place = {.dst = (uint8_t *)dst->data + at[0], .n = runs.length};
                for (int k = 0; k < count; k++) {
                    const uint8_t *data = input[k].data;
                    place.in[k] = slot[k] < 0 ? data : data + at[slot[k]];
                }
                visit(&place, user);
            }
        }
    }
}

typedef struct pto_map_loop_call {
    pto_map_loop loop;
    pto_map_loop3 loop3;
    const void *extra;
} pto_map_loop_call;

static inline void pto_map_call_loop(const pto_map_place *place, const void *user) {
    const pto_map_loop_call *call = user;
    call->loop(place->dst, place->in[0], place->in[1], place->n, call->extra);
}

static inline void pto_map_call_loop3(const pto_map_place *place, const void *user) {
    const pto_map_loop_call *call = user;
    call->loop3(place->dst, place->in[0], place->in[1], place->in[2], place->n);
}

/* Runs the loop over the valid region of dst. */
static inline void pto_map_walk(pto_map_loop loop, pto_tile *dst, const pto_map_input input[2],
                                const void *extra) {
    pto_map_visit_runs(pto_map_call_loop, &(pto_map_loop_call){.loop = loop, .extra = extra}, dst, input, 2);
}

/* An operation: its loop for each element type that has one, the exact path for the others. */
typedef struct pto_map_op {
    pto_map_loop loop[PTO_ELEMENT_COUNT];
    pto_map_loop3 loop3[PTO_ELEMENT_COUNT]; /* instead of loop, for three sources */
    pto_exact_op exact;
    bool keeps_subnormals; /* works on bits, so the flush option does not apply */
    bool reads_dst;
} pto_map_op;

/* c: the third source of an operation that has one, else pto_map_none(). */
static inline pto_status pto_map_run3(const pto_kernel_call *call, const pto_map_op *op, pto_tile *dst,
                                      pto_map_input a, pto_map_input b, pto_map_input c) {
    const pto_dtype type = dst->type.dtype;
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return PTO_OK;
    pto_numeric_options kept = *call->numeric;
    kept.flush_subnormals = kept.flush_subnormals && !op->keeps_subnormals;
    pto_kernel_call effective = *call;
    effective.numeric = &kept;
    pto_map_input input[3] = {a, b, c};
    if (!pto_map_stage(&effective, dst, input, 3))
        return PTO_ERR_NOMEM;
    if (!op->loop[type] && !op->loop3[type]) {
        pto_exact_map(op->exact, dst, input);
        return PTO_OK;
    }
    const bool flushes = pto_map_flushes(&effective, type);
    uint64_t value[3];
    for (int k = 0; flushes && k < 3; k++) {
        if (input[k].type || !input[k].data)
            continue;
        memcpy(&value[k], input[k].data, sizeof value[k]);
        pto_map_flush(&value[k], type, 1);
        input[k].data = &value[k];
    }
    if (flushes && op->reads_dst)
        pto_map_flush_tile(dst);
    const pto_map_loop_call loops = {.loop = op->loop[type], .loop3 = op->loop3[type]};
    pto_map_visit_runs(loops.loop3 ? pto_map_call_loop3 : pto_map_call_loop, &loops, dst, input, 3);
    if (flushes)
        pto_map_flush_tile(dst);
    return PTO_OK;
}

static inline pto_status pto_map_run(const pto_kernel_call *call, const pto_map_op *op, pto_tile *dst,
                                     pto_map_input a, pto_map_input b) {
    return pto_map_run3(call, op, dst, a, b, pto_map_none());
}

#endif
