/* SPDX-License-Identifier: Apache-2.0 */
/* TQUANT to 8-bit integers and TDEQUANT (part 40, 2.1, 2.6): one multiplier and one offset a row.
 *
 * TQUANT multiplies; product and sum are rounded to f32 one after the other, then to the nearest integer
 * (ties to even), clamped; NaN gives 0. Clamping first changes nothing and keeps the integer inside of a
 * float. */
#include "kernel/block_form.h"
#include "kernel/kernel.h"
#include "number/half.h"
#include "number/small.h"
#include "tile/tile.h"
#include <pto/number.h>

/* Element (row, 0) of a tile of f32 parameters. */
static float parameter(const pto_tile *tile, int32_t row) {
    float value;
    memcpy(&value, (const char *)tile->data + pto_tile_offset(&tile->type, row, 0) * (int64_t)sizeof value,
           sizeof value);
    return value;
}

/* Of TQUANT: a5 reads word `row` of the storage; cpu repeats the last valid row. */
static float quant_parameter(const pto_kernel_call *call, const pto_tile *tile, int32_t row) {
    if (call->target == PTO_TARGET_A5) {
        float value;
        memcpy(&value, (const char *)tile->data + row * (int64_t)sizeof value, sizeof value);
        return value;
    }
    return parameter(tile, row < tile->valid_rows ? row : tile->valid_rows - 1);
}

/* The value as integer bits in the low part of the result. */
static inline uint32_t quantized(float value, float low, float high) {
    value = value < low ? low : value;
    value = value > high ? high : value;
    /* adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits */
    const uint32_t bits = pto_f32_bits(value + 0x1.8p23f);
    return value == value ? bits : 0;
}

static inline float flushed(float value, uint32_t normal) {
    const uint32_t bits = pto_f32_bits(value);
    return pto_f32_from_bits((bits & UINT32_C(0x7FFFFFFF)) < normal ? bits & UINT32_C(0x80000000) : bits);
}

/* Words first, then bytes: in one loop gcc shuffles masks. */
enum { CHUNK = 64 };
#define QUANTIZE(expression)                                                                                 \
    uint32_t word[CHUNK];                                                                                    \
    int32_t i = 0;                                                                                           \
    for (; i + CHUNK <= count; i += CHUNK) {                                                                 \
        _Pragma("omp simd") for (int k = 0; k < CHUNK; k++) {                                                \
            const float x = src[i + k];                                                                      \
            word[k] = expression;                                                                            \
        }                                                                                                    \
        _Pragma("omp simd") for (int k = 0; k < CHUNK; k++) dst[i + k] = (uint8_t)word[k];                   \
    }                                                                                                        \
    for (; i < count; i++) {                                                                                 \
        const float x = src[i];                                                                              \
        dst[i] = (uint8_t)(expression);                                                                      \
    }

static void quantize_symmetric(uint8_t *dst, const float *src, int32_t count, float scale, uint32_t normal) {
    QUANTIZE(quantized(flushed(flushed(x, normal) * scale, normal), -128.0f, 127.0f))
}

static void quantize_asymmetric(uint8_t *dst, const float *src, int32_t count, float scale, float offset,
                                uint32_t normal) {
    QUANTIZE(quantized(flushed(flushed(x, normal) * scale, normal) + offset, 0.0f, 255.0f))
}

/* Both tiles hold a row's elements side by side from its start on. */
static bool has_rows(const pto_tile *tile) {
    return tile->type.slayout == PTO_NONE_BOX &&
           (tile->type.blayout == PTO_ROW_MAJOR || tile->type.rows == 1);
}

static pto_status quantize(const pto_kernel_call *call, const pto_tile *offset, pto_quant_type type) {
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1),
                   *scale = pto_call_tile(call, 2);
    const bool rows = has_rows(dst) && has_rows(src), symmetric = type == PTO_QUANT_INT8_SYM;
    const uint32_t normal = call->numeric->flush_subnormals ? UINT32_C(0x00800000) : 0;
    uint8_t *to = dst->data;
    const float *from = src->data;
    for (int32_t r = 0; r < src->valid_rows && src->valid_cols; r++) {
        const float s = flushed(quant_parameter(call, scale, r), normal);
        const float o = symmetric ? 0.0f : flushed(quant_parameter(call, offset, r), normal);
        /* without rows element by element */
        const int32_t count = rows ? src->valid_cols : 1;
        for (int32_t c = 0; c < src->valid_cols; c += count) {
            uint8_t *d = to + pto_tile_offset(&dst->type, r, c);
            const float *x = from + pto_tile_offset(&src->type, r, c);
            if (symmetric)
                quantize_symmetric(d, x, count, s, normal);
            else
                quantize_asymmetric(d, x, count, s, o, normal);
        }
    }
    return PTO_OK;
}

PTO_KERNEL(tquant) { /* dst, src, scale, tmp, offset, quant_type */
    if (call->host->block_form)
        return pto_block_form_quantise(call);
    return quantize(call, pto_call_tile(call, 4), (pto_quant_type)pto_call_attr(call, 5));
}

/* ---- TDEQUANT -------------------------------------------------------------------------------------- */

#define DEQUANT(name, type, value)                                                                           \
    static void dequantize_##name(float *dst, const void *src, int32_t count, float scale, float offset,     \
                                  uint32_t normal) {                                                         \
        const type *x = src;                                                                                 \
        _Pragma("omp simd") for (int32_t i = 0; i < count; i++) {                                            \
            const float difference = flushed(flushed(value, normal) - offset, normal);                       \
            const uint32_t bits = pto_f32_bits(flushed(difference * scale, normal));                         \
            const bool nan = (bits & UINT32_C(0x7FFFFFFF)) > UINT32_C(0x7F800000);                           \
            dst[i] = pto_f32_from_bits(nan ? PTO_F32_NAN_BITS : bits);                                       \
        }                                                                                                    \
    }
DEQUANT(s8, int8_t, (float)x[i])
DEQUANT(u8, uint8_t, (float)x[i])
DEQUANT(s16, int16_t, (float)x[i])
DEQUANT(u16, uint16_t, (float)x[i])
DEQUANT(s32, int32_t, (float)x[i])
DEQUANT(u32, uint32_t, (float)x[i])
DEQUANT(s64, int64_t, (float)x[i])
DEQUANT(u64, uint64_t, (float)x[i])
DEQUANT(f16, uint16_t, pto_f32_from_f16(x[i]))
DEQUANT(bf16, uint16_t, pto_f32_from_bf16_raw(x[i]))
DEQUANT(f32, float, x[i])
DEQUANT(e4m3, uint8_t, pto_f32_from_e4m3(x[i]))
DEQUANT(e5m2, uint8_t, pto_f32_from_e5m2(x[i]))
DEQUANT(hif8, uint8_t, pto_f32_from_hif8(x[i]))
#undef DEQUANT

typedef void (*dequantizer)(float *dst, const void *src, int32_t count, float scale, float offset,
                            uint32_t normal);

/* NULL: converted element by element. */
static dequantizer dequantizer_of(pto_dtype dtype) {
    switch (dtype) {
    case PTO_S8:
        return dequantize_s8;
    case PTO_U8:
        return dequantize_u8;
    case PTO_S16:
        return dequantize_s16;
    case PTO_U16:
        return dequantize_u16;
    case PTO_S32:
        return dequantize_s32;
    case PTO_U32:
        return dequantize_u32;
    case PTO_S64:
        return dequantize_s64;
    case PTO_U64:
        return dequantize_u64;
    case PTO_F16:
        return dequantize_f16;
    case PTO_BF16:
        return dequantize_bf16;
    case PTO_F32:
        return dequantize_f32;
    case PTO_E4M3:
        return dequantize_e4m3;
    case PTO_E5M2:
        return dequantize_e5m2;
    case PTO_HIF8:
        return dequantize_hif8;
    default:
        return NULL;
    }
}

PTO_KERNEL(tdequant) { /* dst, src, scale, offset */
    if (call->host->block_form)
        return pto_block_form_dequantise(call);
    const pto_tile *dst = pto_call_tile(call, 0), *src = pto_call_tile(call, 1),
                   *scale = pto_call_tile(call, 2), *offset = pto_call_tile(call, 3);
    const pto_dtype dtype = src->type.dtype;
    const dequantizer run = dequantizer_of(dtype);
    const int32_t bits = (int32_t)pto_dtype_bits(dtype);
    const uint32_t normal = call->numeric->flush_subnormals ? UINT32_C(0x00800000) : 0;
    const int32_t count = run && has_rows(dst) && has_rows(src) ? src->valid_cols : 1;
    float *to = dst->data;
    for (int32_t r = 0; r < src->valid_rows && src->valid_cols; r++) {
        const float s = flushed(parameter(scale, r), normal), o = flushed(parameter(offset, r), normal);
        for (int32_t c = 0; c < src->valid_cols; c += count) {
            const int64_t at = pto_tile_offset(&src->type, r, c);
            const uint8_t *x = (const uint8_t *)src->data + at * bits / 8;
            float *d = to + pto_tile_offset(&dst->type, r, c);
            if (run) {
                run(d, x, count, s, o, normal);
                continue;
            }
            const uint64_t code = bits == 4 ? (uint64_t)(*x >> (at & 1) * 4 & 15) : *x;
            const uint32_t wide =
                (uint32_t)pto_number_convert(PTO_F32, dtype, code, PTO_CAST_RINT, PTO_SAT_OFF);
            const float value = pto_f32_from_bits(wide);
            dequantize_f32(d, &value, 1, s, o, normal);
        }
    }
    return PTO_OK;
}
