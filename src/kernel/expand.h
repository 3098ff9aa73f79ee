/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND<op> and TCOLEXPAND<op>: the drivers (part 20, 4.1). The operation keeps the order src0, src1
 * whichever of them is broadcast. */
#ifndef PTO_KERNEL_EXPAND_H
#define PTO_KERNEL_EXPAND_H

#include "isa/axis.h"
#include "kernel/map_half.h"

/* The loops of an operation on one element type: two runs, run and value, value and run. */
typedef struct expand_loops {
    pto_map_loop tt, ts, st;
} expand_loops;
typedef struct expand_op {
    pto_exact_op exact; /* of the element types without loops, in the block form */
    expand_loops type[PTO_ELEMENT_COUNT];
} expand_op;

#define EXPAND_LOOPS(name)                                                                                   \
    { name##_tt, name##_ts, name##_st }
#define EXPAND_MAP(name, T, F) PTO_MAP_BINARY(name, T, F) PTO_MAP_ST(name, T, F)

static inline pto_axis_tile expand_tile(const pto_tile *tile) {
    return (pto_axis_tile){&tile->type, tile->valid_rows, tile->valid_cols};
}

/* A block names the vector last. */
static const pto_expand_roles expand_block_roles = {.full = 0, .mode = 1};

static inline pto_expand_roles expand_row_roles(const pto_kernel_call *call) {
    if (call->host->block_form)
        return expand_block_roles;
    return pto_row_expand_classify(expand_tile(pto_call_tile(call, 0)), expand_tile(pto_call_tile(call, 1)),
                                   expand_tile(pto_call_tile(call, 2)));
}

static inline pto_expand_roles expand_col_roles(const pto_kernel_call *call) {
    if (call->host->block_form)
        return expand_block_roles;
    return pto_col_expand_classify(expand_tile(pto_call_tile(call, 0)), expand_tile(pto_call_tile(call, 1)),
                                   expand_tile(pto_call_tile(call, 2)));
}

/* How a broadcast runs over dst, decided once. */
typedef struct expand_walk {
    pto_tile *dst;
    const uint8_t *full, *expanded;           /* staged where dst overwrites them or they are to be flushed */
    int64_t full_pitch, expanded_pitch, size; /* elements, elements, bytes of an element */
    bool swapped;                             /* src0 is the expanded operand */
    expand_loops loops;
} expand_walk;

static inline bool expand_begin(const pto_kernel_call *call, const expand_op *op, int full,
                                expand_walk *walk) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *expanded = pto_call_tile(call, 2 - full), *whole = pto_call_tile(call, 1 + full);
    pto_map_input input[2] = {pto_map_tile(whole), pto_map_tile(expanded)};
    if (!pto_map_stage(call, dst, input, 2))
        return false;
    *walk = (expand_walk){.dst = dst,
                          .full = input[0].data,
                          .expanded = input[1].data,
                          .full_pitch = whole->type.cols,
                          .expanded_pitch = expanded->type.blayout == PTO_COL_MAJOR ? 1 : expanded->type.cols,
                          .size = pto_dtype_bits(dst->type.dtype) / 8,
                          .swapped = full == 1,
                          .loops = op->type[dst->type.dtype]};
    return true;
}

/* count elements of row i from column j on against a run of the expanded operand */
static inline void expand_run(const expand_walk *walk, int64_t i, int64_t j, int64_t count,
                              const void *other) {
    uint8_t *to = (uint8_t *)walk->dst->data + (i * walk->dst->type.cols + j) * walk->size;
    const uint8_t *from = walk->full + (i * walk->full_pitch + j) * walk->size;
    if (walk->swapped)
        walk->loops.tt(to, other, from, count, NULL);
    else
        walk->loops.tt(to, from, other, count, NULL);
}

static inline void expand_value(const expand_walk *walk, int64_t i, int64_t count, const void *value) {
    uint8_t *to = (uint8_t *)walk->dst->data + i * walk->dst->type.cols * walk->size;
    const uint8_t *from = walk->full + i * walk->full_pitch * walk->size;
    if (walk->swapped)
        walk->loops.st(to, value, from, count, NULL);
    else
        walk->loops.ts(to, from, value, count, NULL);
}

static inline pto_status expand_end(const pto_kernel_call *call, pto_tile *dst) {
    if (pto_map_flushes(call, dst->type.dtype))
        pto_map_flush_tile(dst);
    return PTO_OK;
}

/* An element type that no loop has. */
static inline bool expand_is_exact(const pto_kernel_call *call, const expand_op *op) {
    return !op->type[pto_call_tile(call, 0)->type.dtype].tt;
}

static inline pto_status expand_exactly(const pto_kernel_call *call, const expand_op *op, bool by_rows) {
    pto_exact_expand(op->exact, pto_call_tile(call, 0), pto_call_tile(call, 1), pto_call_tile(call, 2),
                     by_rows);
    return PTO_OK;
}

static inline pto_status expand_rows(const pto_kernel_call *call, const expand_op *op) {
    if (expand_is_exact(call, op))
        return expand_exactly(call, op, true);
    pto_tile *dst = pto_call_tile(call, 0);
    const int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    const pto_expand_roles roles = expand_row_roles(call);
    expand_walk walk;
    if (rows == 0 || cols == 0)
        return PTO_OK;
    if (!expand_begin(call, op, roles.full, &walk))
        return PTO_ERR_NOMEM;
    if (roles.mode == 1) {
        for (int64_t i = 0; i < rows; i++)
            expand_value(&walk, i, cols, walk.expanded + i * walk.size);
        return expand_end(call, dst);
    }
    enum { BLOCK = 32, BLOCKS = 32 }; /* the block of the row, repeated */
    const int64_t reach = BLOCK * BLOCKS / walk.size;
    for (int64_t i = 0; i < rows; i++) {
        _Alignas(64) uint8_t pattern[BLOCK * BLOCKS];
        const int64_t used =
            cols * walk.size < (int64_t)sizeof pattern ? cols * walk.size : (int64_t)sizeof pattern;
        for (int64_t at = 0; at < used; at += BLOCK)
            memcpy(pattern + at, walk.expanded + i * walk.expanded_pitch * walk.size, BLOCK);
        for (int64_t j = 0; j < cols; j += reach)
            expand_run(&walk, i, j, cols - j < reach ? cols - j : reach, pattern);
    }
    return expand_end(call, dst);
}

static inline pto_status expand_columns(const pto_kernel_call *call, const expand_op *op) {
    if (expand_is_exact(call, op))
        return expand_exactly(call, op, false);
    pto_tile *dst = pto_call_tile(call, 0);
    expand_walk walk;
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return PTO_OK;
    if (!expand_begin(call, op, expand_col_roles(call).full, &walk))
        return PTO_ERR_NOMEM;
    for (int64_t i = 0; i < dst->valid_rows; i++)
        expand_run(&walk, i, 0, dst->valid_cols, walk.expanded);
    return expand_end(call, dst);
}

#define EXPAND_KERNELS(name)                                                                                 \
    PTO_KERNEL(trowexpand##name) { return expand_rows(call, &name##_op); }                                   \
    PTO_KERNEL(tcolexpand##name) { return expand_columns(call, &name##_op); }

#endif
