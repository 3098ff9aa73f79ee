/* SPDX-License-Identifier: Apache-2.0 */
/* TMATMUL_MX and TGEMV_MX (part 40, 1.6): a scale 2^(e - 127) for every 32 elements along k of each side.
 *
 * A step adds the exact product of two scaled elements to the sum in double and narrows the sum to f32, k
 * ascending, from +0, cIn or the bias. That is one fused multiply-add in f32: the product has at most 8
 * significant bits, so the double is inexact only where product and sum are 2^28 or more apart, and there
 * both roundings give the greater of them. A scaled element is exact in f32 too unless it overflows; a scale
 * that great takes the steps as they are written. A NaN of the result is canonical. */
#include "kernel/kernel.h"
#include "kernel/map_half.h"
#include "kernel/matmul_block.h"
#include "number/half.h"
#include "number/small.h"
#include "tile/tile.h"

enum {
    MX_GROUP = 32,
    MX_SEGMENT = 32,      /* bytes, of 32 or 64 elements */
    MX_MOST_GROUPS = 128, /* of 4095 elements */
    MX_WIDE = 16
};

/* An operand with its scales. `at` is a row of the left or a column of the right one; the offset of an
 * element is a function of `at` plus one of k, which is kept for every segment and every group. */
typedef struct mx_side {
    const pto_tile *tile, *scale;
    bool left;
    int64_t segment[MX_MOST_GROUPS], group[MX_MOST_GROUPS];
} mx_side;
typedef struct mx_operands {
    mx_side left, right;
} mx_operands;

static int segment_elements(pto_dtype dtype) { return pto_dtype_bits(dtype) == 4 ? 64 : 32; }

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

/* A code is a half after shifts, too small by a power of two, subnormals included; the instruction that
 * widens halves does the rest. */
#define HALF_OF_E4M3(c) (((c)&0x7F) == 0x7F ? 0x7E00 : ((c)&0x80) << 8 | ((c)&0x7F) << 7) /* 2^-8 */
#define HALF_OF_E5M2(c) ((c) << 8)
#define HALF_OF_E2M1(c) (((c)&8) << 12 | ((c)&7) << 9) /* 2^-14 */
#define HALF_OF_E1M2(c) (((c)&8) << 12 | ((c)&7) << 8) /* 2^-14 */
#define HALVES(name, HALF)                                                                                   \
    static void halves_of_##name(uint16_t *to, const uint8_t *from) {                                        \
        _Pragma("omp simd") for (int i = 0; i < MX_SEGMENT; i++) to[i] = (uint16_t)HALF(from[i]);            \
    }
#define HALF_PAIRS(name, HALF)                                                                               \
    static void halves_of_##name(uint16_t *to, const uint8_t *from) {                                        \
        uint32_t pair[MX_SEGMENT];                                                                           \
        _Pragma("omp simd") for (int i = 0; i < MX_SEGMENT; i++) {                                           \
            const uint32_t low = from[i], high = low >> 4;                                                   \
            pair[i] = HALF(low) | HALF(high) << 16;                                                          \
        }                                                                                                    \
        memcpy(to, pair, sizeof pair);                                                                       \
    }
HALVES(e4m3, HALF_OF_E4M3)
HALVES(e5m2, HALF_OF_E5M2)
HALF_PAIRS(e2m1, HALF_OF_E2M1)
HALF_PAIRS(e1m2, HALF_OF_E1M2)

/* 32 bytes of codes: 32 or 64 values. */
static void decode(pto_dtype dtype, float *to, const uint8_t *from) {
    uint16_t half[2 * MX_SEGMENT];
    float factor = 1.0f;
    switch (dtype) {
    case PTO_E4M3:
        halves_of_e4m3(half, from);
        factor = 0x1p8f;
        break;
    case PTO_E5M2:
        halves_of_e5m2(half, from);
        break;
    default:
        (dtype == PTO_E2M1 ? halves_of_e2m1 : halves_of_e1m2)(half, from);
        factor = 0x1p14f;
        break;
    }
    const pto_lanes scale = pto_lanes_fill(factor);
    for (int i = 0; i < segment_elements(dtype); i += PTO_LANES) {
        const pto_lanes value = pto_lanes_load_f16(half + i) * scale;
        memcpy(to + i, &value, sizeof value);
    }
}

#else

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

#endif

static int64_t place(const pto_tile *tile, bool left, int at, int k) {
    return pto_tile_offset(&tile->type, left ? at : k, left ? k : at);
}

static void side_begin(mx_side *side, const pto_tile *tile, const pto_tile *scale, bool left, int k) {
    const int step = segment_elements(tile->type.dtype);
    side->tile = tile;
    side->scale = scale;
    side->left = left;
    for (int i = 0; i * step < k; i++)
        side->segment[i] = place(tile, left, 0, i * step);
    for (int g = 0; g * MX_GROUP < k; g++)
        side->group[g] = place(scale, left, 0, g);
}

/* A row or column: the codes of segment i begin at codes + segment[i] elements, the scale of group g stands
 * at scales[group[g]]. */
typedef struct mx_line {
    int64_t first;
    const uint8_t *scales;
} mx_line;

static mx_line line_at(const mx_side *side, int at) {
    return (mx_line){place(side->tile, side->left, at, 0),
                     (const uint8_t *)side->scale->data + place(side->scale, side->left, at, 0)};
}

static const uint8_t *codes_of(const mx_side *side, const mx_line *line, int segment) {
    const int64_t offset = line->first + side->segment[segment];
    return (const uint8_t *)side->tile->data +
           (pto_dtype_bits(side->tile->type.dtype) == 4 ? offset / 2 : offset);
}

static float scale_f32(uint32_t code) {
    return pto_f32_from_bits(code == 0xFF ? PTO_F32_NAN_BITS : code ? code << 23 : UINT32_C(0x00400000));
}

/* Whether every scaled element is finite in f32, or stands for no number anyway. */
static bool fits_f32(const mx_side *side, int count, int groups) {
    const pto_dtype dtype = side->tile->type.dtype;
    const int greatest = dtype == PTO_E4M3 ? 8 : dtype == PTO_E5M2 ? 15 : dtype == PTO_E2M1 ? 2 : 0;
    for (int at = 0; at < count; at++) {
        const mx_line line = line_at(side, at);
        for (int g = 0; g < groups; g++) {
            const int code = line.scales[side->group[g]];
            if (code > 254 - greatest && code != 0xFF)
                return false;
        }
    }
    return true;
}

/* ---- in f32 ---- */

/* Segment i of a line, `count` elements of it, scaled. */
static void scaled(float *to, const mx_side *side, const mx_line *line, int i, int count) {
    const pto_dtype dtype = side->tile->type.dtype;
    decode(dtype, to, codes_of(side, line, i));
    const int64_t *group = side->group + i * (segment_elements(dtype) / MX_GROUP);
    for (int first = 0; first < count; first += MX_GROUP) {
        const float s = scale_f32(line->scales[group[first / MX_GROUP]]);
#pragma omp simd
        for (int j = 0; j < MX_GROUP; j++)
            to[first + j] *= s;
    }
}

static void pack_left(vec_word *to, const mx_side *left, int m, int k) {
    const int step = segment_elements(left->tile->type.dtype);
    float value[2 * MX_SEGMENT];
    for (int row = 0; row < m; row++) {
        const mx_line line = line_at(left, row);
        for (int col = 0; col < k; col += step) {
            const int count = k - col < step ? k - col : step;
            scaled(value, left, &line, col / step, count);
            for (int i = 0; i < count; i += MATMUL_LEFT_UNITS)
                memcpy(to + ((int64_t)(col + i) / MATMUL_LEFT_UNITS * m + row) * MATMUL_LEFT_UNITS, value + i,
                       MATMUL_LEFT_UNITS * sizeof *to);
        }
    }
}

/* A panel from col on; of columns from n on it holds unspecified numbers. */
static void pack_right(vec_word *to, const mx_side *right, int col, int n, int k) {
    const int step = segment_elements(right->tile->type.dtype);
    const int cols = n - col < MATMUL_PANEL ? n - col : MATMUL_PANEL;
    mx_line line[MATMUL_PANEL];
    for (int c = 0; c < cols; c++)
        line[c] = line_at(right, col + c);
    vec_word staged[16 * 2 * MX_SEGMENT] = {0};
    for (int row = 0; row < k; row += step, to += (int64_t)step * MATMUL_PANEL)
        for (int c = 0; c < cols; c += 16) {
            for (int j = 0; j < 16 && c + j < cols; j++) {
                float value[2 * MX_SEGMENT];
                scaled(value, right, &line[c + j], row / step, k - row < step ? k - row : step);
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
    pack_left(scratch + panel, &o->left, job->m, k);
    job->a = scratch + panel;
    job->a_block = (int64_t)job->m * MATMUL_LEFT_UNITS;
    job->a_group = MATMUL_BOX / 4;
    for (int col = 0; col < job->n; col += MATMUL_PANEL) {
        pack_right(scratch, &o->right, col, job->n, k);
        for (int part = 0; part < MATMUL_PANEL && col + part < job->n; part += VEC_LANES * VEC_COLS)
            float_panel(job, scratch + part, col + part);
    }
    return PTO_OK;
}

/* ---- as it is written ---- */

static double scale_f64(uint64_t code) {
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
static void scaled_f64(double *to, int64_t pitch, const mx_side *side, int at, int count) {
    const pto_dtype dtype = side->tile->type.dtype;
    const int step = segment_elements(dtype);
    const mx_line line = line_at(side, at);
    float value[2 * MX_SEGMENT];
    for (int k = 0; k < count; k++) {
        if (k % step == 0)
            decode(dtype, value, codes_of(side, &line, k / step));
        to[k * pitch] = (double)value[k % step] * scale_f64(line.scales[side->group[k / MX_GROUP]]);
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
            scaled_f64(b + j, MX_WIDE, &o->right, col + j, k);
        for (int row = 0; row < job->m; row++) {
            scaled_f64(a, 1, &o->left, row, k);
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
    const pto_tile *left = pto_call_tile(call, a), *right = pto_call_tile(call, a + 2);
    job.m = rows ? rows : left->valid_rows;
    job.n = right->valid_cols;
    job.units = right->valid_rows;
    mx_operands o;
    side_begin(&o.left, left, pto_call_tile(call, a + 1), true, job.units);
    side_begin(&o.right, right, pto_call_tile(call, a + 3), false, job.units);
    job.c = dst->data;
    job.c_panel = (int64_t)dst->type.rows * 16;
    job.addend_last = job.addend && call->numeric->matmul_addend_last;
    job.normal = call->numeric->flush_subnormals ? UINT32_C(0x00800000) : 0;
    const int groups = (job.units + MX_GROUP - 1) / MX_GROUP;
    return fits_f32(&o.left, job.m, groups) && fits_f32(&o.right, job.n, groups)
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
