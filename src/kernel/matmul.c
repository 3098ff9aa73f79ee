/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL, TGEMV and their ACC and BIAS forms (part 40, 1.3 to 1.5).
 *
 * Every element of the result is one chain: the addend (+0, cIn or the bias), then a fused multiply-add per
 * k, k ascending, each rounded to f32; s8 products add up modulo 2^32 in any order. So vectors run over
 * columns, blocks of VEC_ROWS x VEC_COLS vectors keep their sums in registers for the whole k, and every
 * level gives the same bits. A NaN of the result is canonical: which payload an fma keeps depends on the
 * machine.
 *
 * The accumulator's 16 x 16 boxes hold 16 columns of a row side by side, so it is read and written in place.
 * The right operand is packed panel by panel, the left one only where it is not f32 in the right order. */
#include "kernel/kernel.h"
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

static void float_panel(const matmul_job *job, const vec_word *b, int col) {
    if (job->n - col > VEC_LANES)
        multiply_panel(job, b, col, VEC_COLS, false);
    else
        multiply_panel(job, b, col, 1, false);
}

static void integer_panel(const matmul_job *job, const vec_word *b, int col) {
    if (job->n - col > VEC_LANES)
        multiply_panel(job, b, col, VEC_COLS, true);
    else
        multiply_panel(job, b, col, 1, true);
}

_Static_assert(VEC_COLS == 2, "a panel is one or two vectors");

/* Where the left operand can stay as it is: f32 whose blocks of rows never cross a box. */
static bool use_left_as_is(matmul_job *job, const pto_tile *left, const matmul_format *format) {
    const pto_tile_type *type = &left->type;
    const bool nz = type->blayout == PTO_COL_MAJOR || type->rows == 1;
    if (!matmul_is_as_is(format) || (!nz && 16 % VEC_ROWS != 0))
        return false;
    job->a = left->data;
    job->a_block = nz ? (int64_t)type->rows * MATMUL_LEFT_UNITS : MATMUL_BOX / 4;
    job->a_group = nz ? MATMUL_BOX / 4 : (int64_t)type->cols * 16;
    return true;
}

/* dst = addend + left x right, the first m rows; the addend's place stands in the job. */
static pto_status multiply(const pto_kernel_call *call, matmul_job *job, int m, const pto_tile *dst,
                           const pto_tile *left, const pto_tile *right) {
    const int k = right->valid_rows, n = right->valid_cols;
    const bool flush = call->numeric->flush_subnormals;
    matmul_format a = matmul_format_of(left->type.dtype, flush);
    matmul_format b = matmul_format_of(right->type.dtype, flush);
    if (a.dtype == PTO_F32 && call->host->cube_f32_bits) {
        a.dropped = b.dropped = (uint8_t)(23 - call->host->cube_f32_bits);
        a.ties_away = b.ties_away = call->host->cube_f32_round == PTO_CAST_ROUND;
    }
    job->m = m;
    job->n = n;
    job->units = (k + a.per_unit - 1) / a.per_unit;
    job->integer = a.dtype == PTO_S8;
    job->addend_last = call->numeric->matmul_addend_last && job->addend && !job->integer;
    job->normal = flush && !job->integer ? UINT32_C(0x00800000) : 0;
    job->c = dst->data;
    job->c_panel = (int64_t)dst->type.rows * 16;

    const bool as_is = use_left_as_is(job, left, &a);
    const int64_t panel_words = (int64_t)matmul_round_up(k, 32) * MATMUL_PANEL;
    const int64_t left_words = as_is ? 0 : (int64_t)m * matmul_round_up(job->units, MATMUL_LEFT_UNITS);
    vec_word *scratch =
        call->host->scratch(call->host->user, (size_t)(panel_words + left_words) * sizeof *scratch);
    if (!scratch)
        return PTO_ERR_NOMEM;
    if (!as_is) {
        vec_word *packed = scratch + panel_words;
        matmul_pack_left(packed, left, &a, m, k);
        job->a = packed;
        job->a_block = (int64_t)m * MATMUL_LEFT_UNITS;
        job->a_group = MATMUL_BOX / 4;
    }
    for (int col = 0; col < n; col += MATMUL_PANEL) {
        matmul_pack_right(scratch, right, &b, col, n - col < MATMUL_PANEL ? n - col : MATMUL_PANEL, k);
        /* with short vectors a panel is wider than a block */
        for (int part = 0; part < MATMUL_PANEL && col + part < n; part += VEC_LANES * VEC_COLS) {
            if (job->integer)
                integer_panel(job, scratch + part, col + part);
            else
                float_panel(job, scratch + part, col + part);
        }
    }
    return PTO_OK;
}

/* Where the accumulator tile `addend` (of dst's capacity), or the one row of a bias, is found. */
static matmul_job from_tile(const pto_tile *addend) {
    return (matmul_job){
        .addend = addend->data, .addend_row = 16, .addend_panel = (int64_t)addend->type.rows * 16};
}
static matmul_job from_bias(const pto_tile *bias) {
    return (matmul_job){.addend = bias->data, .addend_row = 0, .addend_panel = 16};
}

PTO_KERNEL(tmatmul) {
    matmul_job job = {0};
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

PTO_KERNEL(tmatmul_acc) {
    matmul_job job = from_tile(pto_call_tile(call, 1));
    const pto_tile *left = pto_call_tile(call, 2);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 3));
}

PTO_KERNEL(tmatmul_acc_in_place) {
    matmul_job job = from_tile(pto_call_tile(call, 0));
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

PTO_KERNEL(tmatmul_bias) {
    matmul_job job = from_bias(pto_call_tile(call, 3));
    const pto_tile *left = pto_call_tile(call, 1);
    return multiply(call, &job, left->valid_rows, pto_call_tile(call, 0), left, pto_call_tile(call, 2));
}

/* A row vector times a matrix: m is 1 whatever the left tile holds below its first row. */
PTO_KERNEL(tgemv) {
    matmul_job job = {0};
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 1), pto_call_tile(call, 2));
}

PTO_KERNEL(tgemv_acc) {
    matmul_job job = from_tile(pto_call_tile(call, 1));
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 2), pto_call_tile(call, 3));
}

PTO_KERNEL(tgemv_bias) {
    matmul_job job = from_bias(pto_call_tile(call, 3));
    return multiply(call, &job, 1, pto_call_tile(call, 0), pto_call_tile(call, 1), pto_call_tile(call, 2));
}
