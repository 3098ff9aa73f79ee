/* SPDX-License-Identifier: Apache-2.0 */
/* TQUANT to the MX formats (part 40, 2.2 to 2.4): groups of 32 elements share an exponent.
 *
 * The greatest magnitude of a group is found among bit patterns without sign, so a NaN wins over Inf; from it
 * follow the shared exponent and the power of two that the elements are multiplied by. Rows hold groups side
 * by side (ND), or a group is 32 rows of one column (DN). max and scaling are scratch of the hardware: their
 * contents are unspecified afterwards, and nothing is written there. */
#include "kernel/kernel.h"
#include "kernel/map_half.h"
#include "number/half.h"
#include "number/small.h"
#include "tile/tile.h"

enum { GROUP = 32 };

typedef struct mx_job {
    pto_dtype dtype; /* of the source: f32, f16, bf16 */
    bool fp4, nv;
    bool round_product; /* the product is rounded to bf16 before it is encoded */
} mx_job;

typedef struct mx_shared {
    uint8_t exponent;
    float multiplier;
} mx_shared;

/* The greatest pattern as the f32 magnitude that the exponent is taken from. */
static uint32_t magnitude_of(const mx_job *job, uint32_t pattern) {
    if (job->dtype == PTO_F32)
        return pattern;
    if (job->dtype == PTO_BF16)
        return pattern << 16;
    const uint32_t wide = pto_f32_bits(pto_f32_from_f16((uint16_t)pattern));
    return job->nv ? wide : wide & UINT32_C(0xFFFF0000); /* OCP cuts to bf16 */
}

static mx_shared shared_ocp(const mx_job *job, uint32_t magnitude) {
    const uint32_t e_max = job->fp4 ? 2 : 8, biased = magnitude >> 23;
    if (magnitude > UINT32_C(0x7F800000))
        return (mx_shared){0xFF, pto_f32_from_bits(PTO_F32_NAN_BITS)};
    if (biased <= e_max)
        return (mx_shared){0, 0x1p127f};
    const uint32_t exponent = biased - e_max;
    return (mx_shared){(uint8_t)exponent, pto_f32_from_bits((254 - exponent) << 23)};
}

static mx_shared shared_nv(const mx_job *job, uint32_t magnitude) {
    const float descale = job->fp4 ? (float)(1.0 / 6.0) : (float)(1.0 / 448.0);
    const uint32_t d = pto_f32_bits(pto_f32_from_bits(magnitude) * descale);
    const uint32_t biased = d >> 23, mantissa = d & UINT32_C(0x007FFFFF);
    if (d > UINT32_C(0x7F800000))
        return (mx_shared){0xFF, pto_f32_from_bits(PTO_F32_NAN_BITS)};
    if (d == UINT32_C(0x7F800000))
        return (mx_shared){0xFE, 0x1p-127f};
    const bool up = biased == 0 ? mantissa > UINT32_C(0x400000) : mantissa != 0 && biased < 254;
    const uint32_t exponent = biased + up, field = 254 - exponent;
    return (mx_shared){(uint8_t)exponent, field ? pto_f32_from_bits(field << 23) : 0x1p-127f};
}

static mx_shared shared_of(const mx_job *job, uint32_t pattern) {
    const uint32_t magnitude = magnitude_of(job, pattern);
    return job->nv ? shared_nv(job, magnitude) : shared_ocp(job, magnitude);
}

/* ---- elements: always blocks of 32, the loops have constant length ---- */

/* The greatest magnitude of a group along a row. */
static uint32_t greatest(const mx_job *job, const void *src) {
    uint32_t most = 0;
    if (job->dtype == PTO_F32) {
        const uint32_t *x = src;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < GROUP; i++) {
            const uint32_t v = x[i] & UINT32_C(0x7FFFFFFF);
            most = v > most ? v : most;
        }
    } else {
        const uint16_t *x = src;
        uint16_t half = 0;
#pragma omp simd reduction(max : half)
        for (int i = 0; i < GROUP; i++) {
            const uint16_t v = x[i] & 0x7FFF;
            half = v > half ? v : half;
        }
        most = half;
    }
    return most;
}

static void widen(const mx_job *job, float *to, const void *src) {
    const uint16_t *half = src;
    if (job->dtype == PTO_F32) {
        memcpy(to, src, GROUP * sizeof *to);
    } else if (job->dtype == PTO_BF16) {
#pragma omp simd
        for (int i = 0; i < GROUP; i++)
            to[i] = pto_f32_from_bf16_raw(half[i]);
    } else {
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
        for (int i = 0; i < GROUP; i += PTO_LANES) {
            const pto_lanes wide = pto_lanes_load_f16(half + i);
            memcpy(to + i, &wide, sizeof wide);
        }
#else
#pragma omp simd
        for (int i = 0; i < GROUP; i++)
            to[i] = pto_f32_from_f16(half[i]);
#endif
    }
}

/* Codes of 32 products; 4-bit codes one a byte. */
static void encode(const mx_job *job, uint8_t *code, float *value, const float *multiplier) {
#pragma omp simd
    for (int i = 0; i < GROUP; i++)
        value[i] *= multiplier[i];
    if (job->round_product) {
#pragma omp simd
        for (int i = 0; i < GROUP; i++)
            value[i] = pto_f32_from_bf16(pto_bf16_from_f32(value[i]));
    }
    uint32_t wide[GROUP]; /* selects of words, then bytes: in one loop gcc shuffles masks */
    if (job->fp4) {
#pragma omp simd
        for (int i = 0; i < GROUP; i++)
            wide[i] = pto_e2m1_word(value[i]);
    } else {
#pragma omp simd
        for (int i = 0; i < GROUP; i++)
            wide[i] = pto_e4m3_word(value[i], true);
    }
#pragma omp simd
    for (int i = 0; i < GROUP; i++)
        code[i] = (uint8_t)wide[i];
}

/* Stores the first `count` codes at an element offset that is a multiple of 32. */
static void put_codes(const mx_job *job, void *dst, int64_t offset, const uint8_t *code, int count) {
    uint8_t *to = (uint8_t *)dst + (job->fp4 ? offset / 2 : offset);
    if (!job->fp4) {
        if (count == GROUP)
            memcpy(to, code, GROUP);
        else
            memcpy(to, code, (size_t)count);
        return;
    }
    if (count == GROUP) {
#pragma omp simd
        for (int i = 0; i < GROUP / 2; i++)
            to[i] = (uint8_t)(code[2 * i] | code[2 * i + 1] << 4);
        return;
    }
    for (int i = 0; i < count / 2; i++)
        to[i] = (uint8_t)(code[2 * i] | code[2 * i + 1] << 4);
    if (count % 2)
        to[count / 2] = (uint8_t)((to[count / 2] & 0xF0) | code[count - 1]);
}

static int element_bytes(const mx_job *job) { return job->dtype == PTO_F32 ? 4 : 2; }

/* ---- groups along a row ---- */

/* The flat form (one row of exponents) covers the capacity of a row and counts what lies behind the valid
 * columns as zero; the other form writes the valid columns and the exponents of their groups. */
static void quantize_nd(const mx_job *job, const pto_tile *dst, const pto_tile *src, const pto_tile *exp) {
    const int32_t cols = src->type.cols, valid = src->valid_cols;
    const bool flat = exp->type.rows == 1;
    const int32_t groups = flat ? cols / GROUP : (valid + GROUP - 1) / GROUP;
    const int64_t exp_pitch = flat ? cols / GROUP : exp->type.cols;
    const int bytes = element_bytes(job);
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t g = 0; g < groups; g++) {
            const int64_t offset = (int64_t)r * cols + g * GROUP;
            const char *from = (const char *)src->data + offset * bytes;
            const int32_t left = valid - g * GROUP, count = left < 0 ? 0 : left > GROUP ? GROUP : left;
            uint32_t part[GROUP]; /* a partial group, filled up with zeros */
            if (count < GROUP) {
                memset(part, 0, sizeof part);
                memcpy(part, from, (size_t)(count * bytes));
                from = (const char *)part;
            }
            const mx_shared shared = shared_of(job, greatest(job, from));
            float value[GROUP], multiplier[GROUP];
            uint8_t code[GROUP];
            for (int i = 0; i < GROUP; i++)
                multiplier[i] = shared.multiplier;
            widen(job, value, from);
            encode(job, code, value, multiplier);
            if (count < GROUP) /* 0 * NaN is no zero code */
                memset(code + count, 0, (size_t)(GROUP - count));
            put_codes(job, dst->data, offset, code, flat ? GROUP : count);
            ((uint8_t *)exp->data)[r * exp_pitch + g] = shared.exponent;
        }
}

/* ---- groups along a column ---- */

/* The greatest magnitudes of 32 columns. */
static void greatest_of_columns(const mx_job *job, uint32_t *most, const char *src, int64_t pitch,
                                int count) {
    uint32_t part[GROUP] = {0};
    memset(most, 0, GROUP * sizeof *most);
    for (int r = 0; r < GROUP; r++, src += pitch) {
        const void *from = src;
        if (count < GROUP) {
            memcpy(part, src, (size_t)(count * element_bytes(job)));
            from = part;
        }
        if (job->dtype == PTO_F32) {
            const uint32_t *x = from;
#pragma omp simd
            for (int i = 0; i < GROUP; i++) {
                const uint32_t v = x[i] & UINT32_C(0x7FFFFFFF);
                most[i] = v > most[i] ? v : most[i];
            }
        } else {
            const uint16_t *x = from;
#pragma omp simd
            for (int i = 0; i < GROUP; i++) {
                const uint32_t v = x[i] & UINT32_C(0x7FFF);
                most[i] = v > most[i] ? v : most[i];
            }
        }
    }
}

static void quantize_dn(const mx_job *job, const pto_tile *dst, const pto_tile *src, const pto_tile *exp,
                        bool interleave) {
    const int32_t cols = src->type.cols, valid = src->valid_cols;
    const int bytes = element_bytes(job);
    const int64_t pitch = (int64_t)cols * bytes;
    uint8_t *exponents = exp->data;
    for (int32_t p = 0; p < src->valid_rows / GROUP; p++)
        for (int32_t c = 0; c < valid; c += GROUP) {
            const int count = valid - c < GROUP ? valid - c : GROUP;
            const int64_t first = (int64_t)p * GROUP * cols + c;
            const char *from = (const char *)src->data + first * bytes;
            uint32_t most[GROUP];
            float multiplier[GROUP];
            greatest_of_columns(job, most, from, pitch, count);
            for (int i = 0; i < count; i++) {
                const mx_shared shared = shared_of(job, most[i]);
                multiplier[i] = shared.multiplier;
                const int64_t at = interleave ? (int64_t)(p / 2) * exp->type.cols + 2 * (c + i) + p % 2
                                              : (int64_t)p * exp->type.cols + c + i;
                exponents[at] = shared.exponent;
            }
            for (int i = count; i < GROUP; i++)
                multiplier[i] = 0.0f;
            uint32_t part[GROUP] = {0};
            for (int r = 0; r < GROUP; r++) {
                const char *row = from + r * pitch;
                if (count < GROUP) {
                    memcpy(part, row, (size_t)(count * bytes));
                    row = (const char *)part;
                }
                float value[GROUP];
                uint8_t code[GROUP];
                widen(job, value, row);
                encode(job, code, value, multiplier);
                put_codes(job, dst->data, first + (int64_t)r * cols, code, count);
            }
        }
}

/* ---- the forms ---- */

static pto_status quantize(const pto_kernel_call *call, pto_mx_quant_alg alg, pto_group_axis axis,
                           bool interleave) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1),
                   *exp = pto_call_tile(call, 2);
    mx_job job = {.dtype = src->type.dtype,
                  .fp4 = alg == PTO_OCP_MXFP4_E2M1 || alg == PTO_NV_MXFP4_E2M1,
                  .nv = alg == PTO_NV_MXFP8_E4M3 || alg == PTO_NV_MXFP4_E2M1};
    job.round_product = job.dtype == PTO_BF16 && (job.fp4 || axis == PTO_GROUP_ND);
    if (!src->valid_rows || !src->valid_cols)
        return PTO_OK;
    if (axis == PTO_GROUP_ND)
        quantize_nd(&job, dst, src, exp);
    else
        quantize_dn(&job, dst, src, exp, interleave);
    return PTO_OK;
}

PTO_KERNEL(tquant_mx) { /* dst, src, exp, max, scaling, axis, alg, interleave */
    return quantize(call, (pto_mx_quant_alg)pto_call_attr(call, 6), (pto_group_axis)pto_call_attr(call, 5),
                    pto_call_attr(call, 7) != 0);
}

/* The exponents once more, in boxes of 16 rows x 2 groups, one box behind the other along a row of boxes. */
PTO_KERNEL(tquant_mx_nz) { /* dst, src, exp, max, scaling, exp_zz, alg, store_mode */
    const pto_tile *src = pto_call_tile(call, 1), *exp = pto_call_tile(call, 2), *zz = pto_call_tile(call, 5);
    const pto_status status = quantize(call, PTO_OCP_MXFP8_E4M3, PTO_GROUP_ND, false);
    if (status != PTO_OK || pto_call_attr(call, 7) != PTO_VEC_STORE_NZ)
        return status;
    const int32_t groups = (src->valid_cols + GROUP - 1) / GROUP;
    const int64_t pitch = exp->type.rows == 1 ? src->type.cols / GROUP : exp->type.cols;
    const uint8_t *from = exp->data;
    uint8_t *to = zz->data;
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t g = 0; g < groups; g++)
            to[((r / 16 * (int64_t)(groups / 2) + g / 2) * 16 + r % 16) * 2 + g % 2] = from[r * pitch + g];
    return PTO_OK;
}
