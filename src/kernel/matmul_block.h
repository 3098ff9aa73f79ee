/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a matrix product: sums of VEC_ROWS x VEC_COLS vectors stay in registers for the whole k, one step
 * a unit of matmul_pack.h. Each element of the result is one chain, the addend first, k ascending. */
#ifndef PTO_KERNEL_MATMUL_BLOCK_H
#define PTO_KERNEL_MATMUL_BLOCK_H

#include "kernel/matmul_pack.h"

/* One product, described for the blocks. Addresses of c and of the addend: a block of 16 columns, a row. */
typedef struct matmul_job {
    int m, n, units; /* units along k */
    bool integer;
    bool addend_last; /* the option: the chain starts from +0 and the addend follows */
    const vec_word *a;
    int64_t a_block;        /* words between blocks of 8 units */
    int64_t a_group;        /* words between groups of 16 rows; rows of a group are 8 words apart */
    vec_word *c;            /* rows of 16 words */
    int64_t c_panel;        /* words between blocks of 16 columns */
    const vec_word *addend; /* NULL = +0 */
    int64_t addend_row, addend_panel;
    uint32_t normal; /* flush addend and result below this magnitude; 0 = keep */
} matmul_job;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE int lanes_at(const matmul_job *job, int col) {
    const int left = job->n - col;
    return left < VEC_LANES ? left : VEC_LANES;
}

ALWAYS_INLINE vec load_addend(const matmul_job *job, int row, int col) {
    const vec_word *p = job->addend + row * job->addend_row + col / 16 * job->addend_panel + col % 16;
    if (!job->normal)
        return vec_load_part(p, lanes_at(job, col));
    vec_word flushed[VEC_LANES] = {0};
    for (int i = 0; i < lanes_at(job, col); i++)
        flushed[i] = matmul_flush(p[i], job->normal);
    return vec_load(flushed);
}

ALWAYS_INLINE vec first_of_chain(const matmul_job *job, int row, int col) {
    return job->addend && !job->addend_last ? load_addend(job, row, col) : vec_zero();
}

ALWAYS_INLINE void store_result(const matmul_job *job, vec v, int row, int col) {
    if (job->addend_last) {
        const vec_word one = UINT32_C(0x3F800000);
        v = vec_fma(v, vec_broadcast(&one), load_addend(job, row, col));
    }
    vec_word *p = job->c + row * 16 + col / 16 * job->c_panel + col % 16;
    const int lanes = lanes_at(job, col);
    vec_store_part(p, job->integer ? v : vec_canonical(v), lanes);
    if (job->normal)
        for (int i = 0; i < lanes; i++)
            p[i] = matmul_flush(p[i], job->normal);
}

/* One unit along k of a block: every sum gets one product. */
ALWAYS_INLINE void multiply_unit(vec sum[VEC_ROWS][VEC_COLS], const vec_word *a, const vec_word *b, int rows,
                                 int cols, bool integer) {
    vec right[VEC_COLS];
#pragma GCC unroll 4
    for (int c = 0; c < cols; c++)
        right[c] = vec_load(b + c * VEC_LANES);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++) {
        const vec left = vec_broadcast(a + r * MATMUL_LEFT_UNITS);
#pragma GCC unroll 4
        for (int c = 0; c < cols; c++)
            sum[r][c] = integer ? vec_dot(left, right[c], sum[r][c]) : vec_fma(left, right[c], sum[r][c]);
    }
}

/* rows x cols vectors of the result; b is the packed panel at column col. The last three are constants. */
ALWAYS_INLINE void multiply_block(const matmul_job *job, const vec_word *b, int row, int col, int rows,
                                  int cols, bool integer) {
    vec sum[VEC_ROWS][VEC_COLS];
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int c = 0; c < cols; c++)
            sum[r][c] = first_of_chain(job, row + r, col + c * VEC_LANES);
    const vec_word *a = job->a + row / 16 * job->a_group + row % 16 * MATMUL_LEFT_UNITS;
    int units = job->units;
    for (; units >= MATMUL_LEFT_UNITS; units -= MATMUL_LEFT_UNITS, a += job->a_block)
#pragma GCC unroll 1
        for (int u = 0; u < MATMUL_LEFT_UNITS; u++, b += MATMUL_PANEL)
            multiply_unit(sum, a + u, b, rows, cols, integer);
#pragma GCC unroll 1
    for (int u = 0; u < units; u++, b += MATMUL_PANEL)
        multiply_unit(sum, a + u, b, rows, cols, integer);
#pragma GCC unroll 8
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int c = 0; c < cols; c++)
            store_result(job, sum[r][c], row + r, col + c * VEC_LANES);
}

/* All rows of one panel: blocks of VEC_ROWS, then what is left by powers of two. */
ALWAYS_INLINE void multiply_panel(const matmul_job *job, const vec_word *b, int col, int cols, bool integer) {
    int row = 0;
    for (; row + VEC_ROWS <= job->m; row += VEC_ROWS)
        multiply_block(job, b, row, col, VEC_ROWS, cols, integer);
    if (VEC_ROWS > 4 && job->m - row >= 4) {
        multiply_block(job, b, row, col, 4, cols, integer);
        row += 4;
    }
    if (job->m - row >= 2) {
        multiply_block(job, b, row, col, 2, cols, integer);
        row += 2;
    }
    if (job->m - row == 1)
        multiply_block(job, b, row, col, 1, cols, integer);
}

static inline void float_panel(const matmul_job *job, const vec_word *b, int col) {
    if (job->n - col > VEC_LANES)
        multiply_panel(job, b, col, VEC_COLS, false);
    else
        multiply_panel(job, b, col, 1, false);
}

static inline void integer_panel(const matmul_job *job, const vec_word *b, int col) {
    if (job->n - col > VEC_LANES)
        multiply_panel(job, b, col, VEC_COLS, true);
    else
        multiply_panel(job, b, col, 1, true);
}

_Static_assert(VEC_COLS == 2, "a panel is one or two vectors");

/* Where the accumulator tile `addend` (of dst's capacity), or the one row of a bias, is found. */
static inline matmul_job from_tile(const pto_tile *addend) {
    return (matmul_job){
        .addend = addend->data, .addend_row = 16, .addend_panel = (int64_t)addend->type.rows * 16};
}
static inline matmul_job from_bias(const pto_tile *bias) {
    return (matmul_job){.addend = bias->data, .addend_row = 0, .addend_panel = 16};
}

#endif
