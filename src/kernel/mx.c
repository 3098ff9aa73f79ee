/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL_MX and TGEMV_MX (part 40, 1.6): a scale 2^(e - 127) for every 32 elements along k of each side.
 *
 * A step adds the exact product of two scaled elements to the sum in double and narrows the sum to f32, k
 * ascending, from +0, cIn or the bias. That is one fused multiply-add in f32: the product has at most 8
 * significant bits, so the double is inexact only where product and sum are 2^28 or more apart, and there
 * both roundings give the greater of them. A scaled element is exact in f32 too unless it overflows; a scale
 * that great takes the steps as they are written. A NaN of the result is canonical. */
#include "kernel/kernel.h"
#include "kernel/matmul_block.h"
#include "number/half.h"
#include "number/small.h"
#include "tile/tile.h"

enum { MX_GROUP = 32, MX_SEGMENT = 32 /* bytes, of 32 or 64 elements */, MX_WIDE = 16 };

/* The operands of a call. */
typedef struct mx_operands {
    const pto_tile *left, *left_scale, *right, *right_scale;
} mx_operands;

static int segment_elements(pto_dtype dtype) { return pto_dtype_bits(dtype) == 4 ? 64 : 32; }

/* 32 bytes of codes: 32 or 64 values. */
static void decode(pto_dtype dtype, float *to, const uint8_t *from) {
    switch (dtype) {
    case PTO_E4M3:
#pragma omp simd
        for (int i = 0; i < MX_SEGMENT; i++)
            to[i] = pto_f32_from_e4m3(from[i]);
        break;
    case PTO_E5M2:
#pragma omp simd
        for (int i = 0; i < MX_SEGMENT; i++)
            to[i] = pto_f32_from_e5m2(from[i]);
        break;
    case PTO_E2M1:
#pragma omp simd
        for (int i = 0; i < MX_SEGMENT; i++) {
            to[2 * i] = pto_f32_from_e2m1(from[i]);
            to[2 * i + 1] = pto_f32_from_e2m1((uint8_t)(from[i] >> 4));
        }
        break;
    default: /* PTO_E1M2 */
#pragma omp simd
        for (int i = 0; i < MX_SEGMENT; i++) {
            to[2 * i] = pto_f32_from_e1m2(from[i]);
            to[2 * i + 1] = pto_f32_from_e1m2((uint8_t)(from[i] >> 4));
        }
        break;
    }
}

static const uint8_t *element(const pto_tile *tile, int row, int col) {
    return (const uint8_t *)tile->data +
           pto_tile_offset(&tile->type, row, col) * pto_dtype_bits(tile->type.dtype) / 8;
}

static uint8_t scale_code(const pto_tile *scale, int row, int col) {
    return ((const uint8_t *)scale->data)[pto_tile_offset(&scale->type, row, col)];
}

static float scale_f32(const pto_tile *scale, int row, int col) {
    const uint32_t code = scale_code(scale, row, col);
    return pto_f32_from_bits(code == 0xFF ? PTO_F32_NAN_BITS : code ? code << 23 : UINT32_C(0x00400000));
}

/* Whether every scaled element is finite in f32, or stands for no number anyway. */
static bool fits_f32(const pto_tile *tile, const pto_tile *scale, int rows, int cols) {
    const pto_dtype dtype = tile->type.dtype;
    const int greatest = dtype == PTO_E4M3 ? 8 : dtype == PTO_E5M2 ? 15 : dtype == PTO_E2M1 ? 2 : 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            const int code = scale_code(scale, r, c);
            if (code > 254 - greatest && code != 0xFF)
                return false;
        }
    return true;
}

/* ---- in f32 ---- */

/* One segment of a row or column of `count` elements, its groups scaled from (row, col) on. */
static void scaled(float *to, const pto_tile *tile, const pto_tile *scale, bool left, int row, int col,
                   int count) {
    const pto_dtype dtype = tile->type.dtype;
    decode(dtype, to, element(tile, row, col));
    for (int first = 0; first < count; first += MX_GROUP) {
        const float s = left ? scale_f32(scale, row, (col + first) / MX_GROUP)
                             : scale_f32(scale, (row + first) / MX_GROUP, col);
#pragma omp simd
        for (int i = 0; i < MX_GROUP; i++)
            to[first + i] *= s;
    }
}

static void pack_left(vec_word *to, const mx_operands *o, int m, int k) {
    const int step = segment_elements(o->left->type.dtype);
    float value[2 * MX_SEGMENT];
    for (int row = 0; row < m; row++)
        for (int col = 0; col < k; col += step) {
            const int count = k - col < step ? k - col : step;
            scaled(value, o->left, o->left_scale, true, row, col, count);
            for (int i = 0; i < count; i += MATMUL_LEFT_UNITS)
                memcpy(to + ((int64_t)(col + i) / MATMUL_LEFT_UNITS * m + row) * MATMUL_LEFT_UNITS, value + i,
                       MATMUL_LEFT_UNITS * sizeof *to);
        }
}

/* A panel from col on; of columns from n on it holds unspecified numbers. */
static void pack_right(vec_word *to, const mx_operands *o, int col, int n, int k) {
    const int step = segment_elements(o->right->type.dtype);
    const int cols = n - col < MATMUL_PANEL ? n - col : MATMUL_PANEL;
    vec_word staged[16 * 2 * MX_SEGMENT] = {0};
    for (int row = 0; row < k; row += step, to += (int64_t)step * MATMUL_PANEL)
        for (int c = 0; c < cols; c += 16) {
            for (int j = 0; j < 16 && c + j < cols; j++) {
                float value[2 * MX_SEGMENT];
                scaled(value, o->right, o->right_scale, false, row, col + c + j,
                       k - row < step ? k - row : step);
                memcpy(staged + j * step, value, (size_t)step * sizeof *staged);
            }
            vec_transpose16(to + c, MATMUL_PANEL, staged, step, step);
        }
}

static pto_status multiply_f32(const pto_kernel_call *call, const mx_operands *o, matmul_job *job) {
    const int k = job->units;
    const size_t panel = (size_t)matmul_round_up(k, 64) * MATMUL_PANEL;
    const size_t left = (size_t)job->m * (size_t)matmul_round_up(k, MATMUL_LEFT_UNITS);
    vec_word *scratch = call->host->scratch(call->host->user, (panel + left) * sizeof *scratch);
    if (!scratch)
        return PTO_ERR_NOMEM;
    pack_left(scratch + panel, o, job->m, k);
    job->a = scratch + panel;
    job->a_block = (int64_t)job->m * MATMUL_LEFT_UNITS;
    job->a_group = MATMUL_BOX / 4;
    for (int col = 0; col < job->n; col += MATMUL_PANEL) {
        pack_right(scratch, o, col, job->n, k);
        for (int part = 0; part < MATMUL_PANEL && col + part < job->n; part += VEC_LANES * VEC_COLS)
            float_panel(job, scratch + part, col + part);
    }
    return PTO_OK;
}

/* ---- as it is written ---- */

static double scale_f64(const pto_tile *scale, int row, int col) {
    const uint64_t code = scale_code(scale, row, col);
    const uint64_t bits = code == 0xFF ? UINT64_C(0x7FF8000000000000) : (code + 896) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float addend_at(const matmul_job *job, int row, int col) {
    if (!job->addend || col >= job->n)
        return 0.0f;
    const vec_word *p = job->addend + row * job->addend_row + col / 16 * job->addend_panel + col % 16;
    return pto_f32_from_bits(matmul_flush(*p, job->normal));
}

/* `count` scaled elements along k of a row of the left or a column of the right operand, `pitch` apart. */
static void scaled_f64(double *to, int64_t pitch, const pto_tile *tile, const pto_tile *scale, bool left,
                       int at, int count) {
    const pto_dtype dtype = tile->type.dtype;
    const int step = segment_elements(dtype);
    for (int k = 0; k < count; k++) {
        float value[2 * MX_SEGMENT];
        if (k % step == 0)
            decode(dtype, value, left ? element(tile, at, k) : element(tile, k, at));
        const double s = left ? scale_f64(scale, at, k / MX_GROUP) : scale_f64(scale, k / MX_GROUP, at);
        to[k * pitch] = (double)value[k % step] * s;
    }
}

static pto_status multiply_f64(const pto_kernel_call *call, const mx_operands *o, const matmul_job *job) {
    const int k = job->units;
    double *b = call->host->scratch(call->host->user, (size_t)(MX_WIDE + 1) * (size_t)k * sizeof *b);
    if (!b)
        return PTO_ERR_NOMEM;
    double *a = b + (int64_t)MX_WIDE * k;
    memset(b, 0, (size_t)MX_WIDE * (size_t)k * sizeof *b);
    for (int col = 0; col < job->n; col += MX_WIDE) {
        const int cols = job->n - col < MX_WIDE ? job->n - col : MX_WIDE;
        for (int j = 0; j < cols; j++)
            scaled_f64(b + j, MX_WIDE, o->right, o->right_scale, false, col + j, k);
        for (int row = 0; row < job->m; row++) {
            scaled_f64(a, 1, o->left, o->left_scale, true, row, k);
            double sum[MX_WIDE];
            for (int j = 0; j < MX_WIDE; j++)
                sum[j] = job->addend_last ? 0.0 : (double)addend_at(job, row, col + j);
            for (int i = 0; i < k; i++)
#pragma omp simd
                for (int j = 0; j < MX_WIDE; j++)
                    sum[j] = (double)(float)(sum[j] + a[i] * b[(int64_t)i * MX_WIDE + j]);
            vec_word *to = job->c + row * 16 + col / 16 * job->c_panel;
            for (int j = 0; j < cols; j++) {
                const float value =
                    job->addend_last ? (float)sum[j] + addend_at(job, row, col + j) : (float)sum[j];
                to[j] = value == value ? matmul_flush(pto_f32_bits(value), job->normal) : PTO_F32_NAN_BITS;
            }
        }
    }
    return PTO_OK;
}

/* ---- the forms ---- */

/* Schema positions: dst is first, `a` and what follows it are a, aScale, b, bScale. rows: 0 = those of a. */
static pto_status multiply(const pto_kernel_call *call, matmul_job job, int a, int rows) {
    const pto_tile *dst = pto_call_tile(call, 0);
    const mx_operands o = {.left = pto_call_tile(call, a),
                           .left_scale = pto_call_tile(call, a + 1),
                           .right = pto_call_tile(call, a + 2),
                           .right_scale = pto_call_tile(call, a + 3)};
    job.m = rows ? rows : o.left->valid_rows;
    job.n = o.right->valid_cols;
    job.units = o.right->valid_rows;
    job.c = dst->data;
    job.c_panel = (int64_t)dst->type.rows * 16;
    job.addend_last = job.addend && call->numeric->matmul_addend_last;
    job.normal = call->numeric->flush_subnormals ? UINT32_C(0x00800000) : 0;
    const int groups = (job.units + MX_GROUP - 1) / MX_GROUP;
    return fits_f32(o.left, o.left_scale, job.m, groups) && fits_f32(o.right, o.right_scale, groups, job.n)
               ? multiply_f32(call, &o, &job)
               : multiply_f64(call, &o, &job);
}

PTO_KERNEL(tmatmul_mx) { /* dst, a, aScale, b, bScale */
    return multiply(call, (matmul_job){0}, 1, 0);
}

PTO_KERNEL(tmatmul_mx_acc) { /* dst, cIn, a, aScale, b, bScale */
    return multiply(call, from_tile(pto_call_tile(call, 1)), 2, 0);
}

PTO_KERNEL(tmatmul_mx_bias) { /* dst, a, aScale, b, bScale, bias */
    return multiply(call, from_bias(pto_call_tile(call, 5)), 1, 0);
}

PTO_KERNEL(tgemv_mx) { return multiply(call, (matmul_job){0}, 1, 1); }

PTO_KERNEL(tgemv_mx_acc) { return multiply(call, from_tile(pto_call_tile(call, 1)), 2, 1); }

PTO_KERNEL(tgemv_mx_bias) { return multiply(call, from_bias(pto_call_tile(call, 5)), 1, 1); }
