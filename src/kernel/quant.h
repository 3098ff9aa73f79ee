/* SPDX-License-Identifier: Apache-2.0 */
/* Quantisation on the way out of the accumulator: scale, offset or shift by one parameter word for all
 * elements, or by one word per column (part 30, Q). Loops go over 16 columns at a time, the width of an
 * accumulator box, with the parameters of the columns in lanes. */
#ifndef PTO_KERNEL_QUANT_H
#define PTO_KERNEL_QUANT_H

#include "kernel/fixpipe.h"
#include "number/small.h"

#include <stdio.h>

/* A chunk is 16 columns wide; four rows of it fill the vectors, however small the elements are. */
enum { PTO_QUANT_COLS = 16, PTO_QUANT_ROWS = 4, PTO_QUANT_LANES = PTO_QUANT_COLS * PTO_QUANT_ROWS };

typedef struct pto_quant {
    pto_dtype dst, src;      /* src is f32 or s32; the pair selects the mode (Q.1) */
    const pto_bits64 *words; /* per column; NULL = `word` for all */
    uint64_t word;
    int64_t first; /* the word of column 0 */
    pto_fixpipe_mode relu;
} pto_quant;

/* The parameters of 16 columns, once for each row of a chunk. */
typedef struct pto_quant_lanes {
    float scale[PTO_QUANT_LANES], offset[PTO_QUANT_LANES], low[PTO_QUANT_LANES], high[PTO_QUANT_LANES];
    int32_t shift[PTO_QUANT_LANES];
    pto_fixpipe_mode relu;
    int32_t least; /* of a shifted value */
} pto_quant_lanes;

/* Vector words hold the top 19 bits of an f32. With exponent 0 the mantissa still has its leading one, except
 * that 0 is 0; exponent 255 is infinite whatever the mantissa. */
static inline float pto_quant_vector_scale(uint32_t word) {
    const uint32_t bits = word & UINT32_C(0xFFFFE000), exponent = bits & UINT32_C(0x7F800000);
    const uint32_t sign = bits & UINT32_C(0x80000000), mantissa = bits & UINT32_C(0x7FE000);
    const uint32_t low = mantissa ? sign | UINT32_C(0x400000) | mantissa >> 1 : 0;
    const uint32_t high = exponent == UINT32_C(0x7F800000) ? sign | UINT32_C(0x7F800000) : bits;
    return pto_f32_from_bits(exponent ? high : low);
}

/* Columns column..column+count-1; lanes past them repeat the last one. */
static inline void pto_quant_load(pto_quant_lanes *lanes, const pto_quant *quant, int64_t column,
                                  int64_t count) {
    const bool relu = quant->relu.relu != 0, vector = quant->words != NULL;
    uint32_t low[PTO_QUANT_COLS], high[PTO_QUANT_COLS];
    for (int k = 0; k < PTO_QUANT_COLS; k++) {
        const int64_t at = quant->first + column + (k < count ? k : count - 1);
        const uint64_t word = vector ? quant->words[at] : quant->word;
        low[k] = (uint32_t)word;
        high[k] = (uint32_t)(word >> 32);
    }
    _Pragma("omp simd") for (int k = 0; k < PTO_QUANT_COLS; k++) {
        const uint32_t is_signed = 0u - (high[k] >> 14 & 1);
        lanes->scale[k] = vector ? pto_quant_vector_scale(low[k]) : pto_f32_from_bits(low[k]);
        lanes->offset[k] = (float)(int32_t)(high[k] >> 5 & 511);
        lanes->low[k] = relu || !is_signed ? 0.0f : -128.0f;
        lanes->high[k] = is_signed ? 127.0f : 255.0f;
        lanes->shift[k] = (int32_t)(high[k] & 15) + 1;
    }
    for (int k = PTO_QUANT_COLS; k < PTO_QUANT_LANES; k += PTO_QUANT_COLS) {
        memcpy(lanes->scale + k, lanes->scale, PTO_QUANT_COLS * sizeof *lanes->scale);
        memcpy(lanes->offset + k, lanes->offset, PTO_QUANT_COLS * sizeof *lanes->offset);
        memcpy(lanes->low + k, lanes->low, PTO_QUANT_COLS * sizeof *lanes->low);
        memcpy(lanes->high + k, lanes->high, PTO_QUANT_COLS * sizeof *lanes->high);
        memcpy(lanes->shift + k, lanes->shift, PTO_QUANT_COLS * sizeof *lanes->shift);
    }
    lanes->relu = quant->relu;
    lanes->least = relu ? 0 : INT16_MIN;
}

static inline float pto_quant_relu(float y, pto_fixpipe_mode mode) {
    return pto_f32_from_bits(pto_fixpipe_relu_f32(pto_f32_bits(y), mode));
}

/* Clamped before it is rounded: the limits are integers. The sum with 3 * 2^22 rounds to nearest even. */
static inline uint32_t pto_quant_b8(float y, float offset, float low, float high) {
    float n = y + offset;
    n = n == n ? n : 0.0f;
    n = n < low ? low : n;
    n = n > high ? high : n;
    return (uint32_t)(int32_t)((n + 0x1.8p23f) - 0x1.8p23f);
}

static inline uint32_t pto_quant_shift(int32_t x, int32_t shift, int32_t least) {
    int32_t n = x >> shift;
    n = n < least ? least : n;
    n = n > INT16_MAX ? INT16_MAX : n;
    return (uint32_t)n;
}

/* Magnitudes past the largest finite half become it: all, or the finite ones. */
static inline float pto_quant_to_f16(float y, bool all) {
    const uint32_t bits = pto_f32_bits(y), magnitude = bits & UINT32_C(0x7FFFFFFF);
    const uint32_t end = UINT32_C(0x7F7FFFFF) + all;
    const uint32_t past = magnitude > UINT32_C(0x477FE000) && magnitude <= end ? UINT32_MAX : 0;
    return pto_f32_from_bits((bits & ~(past & UINT32_C(0x7FFFFFFF))) | (past & UINT32_C(0x477FE000)));
}

static inline uint32_t pto_quant_f32(float y, pto_fixpipe_mode mode) {
    return pto_fixpipe_relu_f32(y == y ? pto_f32_bits(y) : PTO_F32_NAN_BITS, mode);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
static inline void pto_quant_narrow_f16(uint16_t *to, const float *from) {
    for (int k = 0; k < PTO_QUANT_LANES; k += PTO_LANES) {
        pto_lanes value;
        memcpy(&value, from + k, sizeof value);
        pto_lanes_store_f16(to + k, value);
    }
}
#else
static inline void pto_quant_narrow_f16(uint16_t *to, const float *from) {
    _Pragma("omp simd") for (int k = 0; k < PTO_QUANT_LANES; k++) to[k] = pto_f16_from_f32(from[k]);
}
#endif

/* One chunk: up to 16 columns of a rectangle, whose parameters are in lanes. F and S are the product with the
 * scale for an f32 and an s32 source. The elements of a chunk are computed as `T` and then finished. */
#define PTO_QUANT_SIMD _Pragma("omp simd")
#define PTO_QUANT_CHUNKS(name, bits, T, expression, finish)                                                  \
    static inline void pto_quant_rows_##name(pto_bits##bits *to, const pto_bits32 *from, pto_rect r,         \
                                             const pto_quant_lanes *p) {                                     \
        bool whole = r.cols == PTO_QUANT_COLS && r.dst_col == 1 && r.src_col == 1;                           \
        uint32_t in[PTO_QUANT_LANES] = {0};                                                                  \
        T made[PTO_QUANT_LANES];                                                                             \
        for (int64_t i = 0; i < r.rows; i += PTO_QUANT_ROWS) {                                               \
            int64_t rows = r.rows - i < PTO_QUANT_ROWS ? r.rows - i : PTO_QUANT_ROWS;                        \
            for (int64_t j = 0; j < rows; j++) {                                                             \
                const pto_bits32 *src = from + r.src + (i + j) * r.src_row;                                  \
                if (whole)                                                                                   \
                    memcpy(in + j * PTO_QUANT_COLS, src, PTO_QUANT_COLS * sizeof *in);                       \
                else                                                                                         \
                    for (int64_t k = 0; k < r.cols; k++)                                                     \
                        in[j * PTO_QUANT_COLS + k] = src[k * r.src_col];                                     \
            }                                                                                                \
            PTO_QUANT_SIMD for (int k = 0; k < PTO_QUANT_LANES; k++) {                                       \
                uint32_t x = in[k];                                                                          \
                made[k] = (T)(expression);                                                                   \
            }                                                                                                \
            finish for (int64_t j = 0; j < rows; j++) {                                                      \
                pto_bits##bits *dst = to + r.dst + (i + j) * r.dst_row;                                      \
                if (whole)                                                                                   \
                    memcpy(dst, out + j * PTO_QUANT_COLS, PTO_QUANT_COLS * sizeof *out);                     \
                else                                                                                         \
                    for (int64_t k = 0; k < r.cols; k++)                                                     \
                        dst[k * r.dst_col] = out[j * PTO_QUANT_COLS + k];                                    \
            }                                                                                                \
        }                                                                                                    \
    }
/* Words first, then what they hold: in one loop gcc shuffles masks. */
#define PTO_QUANT_LOOP(name, bits, expression)                                                               \
    PTO_QUANT_CHUNKS(name, bits, uint32_t, expression, uint##bits##_t out[PTO_QUANT_LANES];                  \
                     PTO_QUANT_SIMD for (int k = 0; k < PTO_QUANT_LANES; k++) out[k] =                       \
                         (uint##bits##_t)made[k];)
#define PTO_QUANT_F16(name, expression)                                                                      \
    PTO_QUANT_CHUNKS(name, 16, float, expression, uint16_t out[PTO_QUANT_LANES];                             \
                     pto_quant_narrow_f16(out, made);)
#define PTO_QUANT_F (pto_f32_from_bits(x) * p->scale[k])
#define PTO_QUANT_S ((float)(int32_t)x * p->scale[k])

PTO_QUANT_LOOP(f32_b8, 8, pto_quant_b8(PTO_QUANT_F, p->offset[k], p->low[k], p->high[k]))
PTO_QUANT_LOOP(s32_b8, 8, pto_quant_b8(PTO_QUANT_S, p->offset[k], p->low[k], p->high[k]))
PTO_QUANT_F16(f32_f16, pto_quant_to_f16(pto_quant_relu(PTO_QUANT_F, p->relu), false))
PTO_QUANT_F16(s32_f16, pto_quant_to_f16(pto_quant_relu(PTO_QUANT_S, p->relu), true))
PTO_QUANT_LOOP(f32_bf16, 16, pto_bf16_from_f32(pto_quant_relu(PTO_QUANT_F, p->relu)))
PTO_QUANT_LOOP(s32_bf16, 16, pto_bf16_from_f32_sat(pto_quant_relu(PTO_QUANT_S, p->relu)))
PTO_QUANT_LOOP(s32_s16, 16, pto_quant_shift((int32_t)x, p->shift[k], p->least))
PTO_QUANT_LOOP(f32_f32, 32, pto_quant_f32(PTO_QUANT_F, p->relu))
PTO_QUANT_LOOP(f32_e4m3, 8, pto_e4m3_word(pto_quant_relu(PTO_QUANT_F, p->relu), true))
PTO_QUANT_LOOP(f32_hif8, 8, pto_hif8_word(pto_quant_relu(PTO_QUANT_F, p->relu), true))
#undef PTO_QUANT_CHUNKS
#undef PTO_QUANT_LOOP
#undef PTO_QUANT_F16
#undef PTO_QUANT_SIMD
#undef PTO_QUANT_F
#undef PTO_QUANT_S

static inline void pto_quant_chunk(void *dst, const void *src, pto_rect rect, const pto_quant *quant,
                                   const pto_quant_lanes *lanes) {
    bool f32 = quant->src == PTO_F32;
    switch (quant->dst) {
    case PTO_F16:
        (f32 ? pto_quant_rows_f32_f16 : pto_quant_rows_s32_f16)(dst, src, rect, lanes);
        break;
    case PTO_BF16:
        (f32 ? pto_quant_rows_f32_bf16 : pto_quant_rows_s32_bf16)(dst, src, rect, lanes);
        break;
    case PTO_S16:
        pto_quant_rows_s32_s16(dst, src, rect, lanes);
        break;
    case PTO_F32:
        pto_quant_rows_f32_f32(dst, src, rect, lanes);
        break;
    case PTO_E4M3:
        pto_quant_rows_f32_e4m3(dst, src, rect, lanes);
        break;
    case PTO_HIF8:
        pto_quant_rows_f32_hif8(dst, src, rect, lanes);
        break;
    default:
        (f32 ? pto_quant_rows_f32_b8 : pto_quant_rows_s32_b8)(dst, src, rect, lanes);
        break;
    }
}

/* One rectangle whose first column is column `column` of the quantised region. */
static inline void pto_quant_rect(void *dst, const void *src, pto_rect rect, const pto_quant *quant,
                                  int64_t column) {
    pto_quant_lanes lanes;
    for (int64_t c = 0; c < rect.cols; c += PTO_QUANT_COLS) {
        pto_rect chunk = rect;
        chunk.cols = rect.cols - c < PTO_QUANT_COLS ? rect.cols - c : PTO_QUANT_COLS;
        chunk.dst += c * rect.dst_col;
        chunk.src += c * rect.src_col;
        pto_quant_load(&lanes, quant, column + c, chunk.cols);
        pto_quant_chunk(dst, src, chunk, quant, &lanes);
    }
}

/* The quantisation of a call: `fp` is the tile of words, or NULL for the scalar word. */
static inline pto_quant pto_quant_of(const pto_kernel_call *call, pto_dtype dst, pto_dtype src, uint64_t word,
                                     const pto_tile *fp, bool relu) {
    return (pto_quant){.dst = dst,
                       .src = src,
                       .words = fp ? (const pto_bits64 *)fp->data : NULL,
                       .word = word,
                       .relu = pto_fixpipe_mode_of(relu, call->numeric->relu_keeps_nan)};
}

/* Tells the first of the words of `columns` columns whose sign is not that of the type (Q.2), as the rule of
 * the scalar word does; the tile of words is operand 2 in all forms. */
static inline void pto_quant_tell_sign(const pto_kernel_call *call, const pto_quant *quant, int64_t columns) {
    pto_kernel_finding *finding = &call->host->finding;
    const bool is_signed = quant->dst == PTO_S8;
    if (!quant->words || (!is_signed && quant->dst != PTO_U8))
        return;
    for (int64_t c = quant->first; c < quant->first + columns; c++)
        if ((quant->words[c] >> 46 & 1) != is_signed) {
            finding->rule = "PTO-W0755";
            finding->operand = 2;
            snprintf(finding->found, sizeof finding->found, "bit 46 of %d in word %lld", !is_signed,
                     (long long)c);
            snprintf(finding->allowed, sizeof finding->allowed, "%d", is_signed);
            return;
        }
}

#endif
