/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to an accumulator element on its way out: ReLU, then the plain conversions of part 30, Q.1. */
#ifndef PTO_KERNEL_FIXPIPE_H
#define PTO_KERNEL_FIXPIPE_H

#include "kernel/kernel.h"
#include "kernel/map_half.h"
#include "kernel/strided.h"
#include "number/half.h"

/* ReLU as masks, so that one loop serves all: `relu` is all ones or zero, `nan` the bits of a NaN that is
 * kept. */
typedef struct pto_fixpipe_mode {
    uint32_t relu, nan;
} pto_fixpipe_mode;

static inline pto_fixpipe_mode pto_fixpipe_mode_of(bool relu, bool keep_nan) {
    return (pto_fixpipe_mode){relu ? UINT32_MAX : 0, relu && keep_nan ? PTO_F32_NAN_BITS : 0};
}

/* v > 0 ? v : +0, NaN and -0 included (part 30, Q.3); keeping NaN is the option of part 10, 6.1. */
static inline uint32_t pto_fixpipe_relu_f32(uint32_t bits, pto_fixpipe_mode mode) {
    uint32_t nan = (bits & UINT32_C(0x7FFFFFFF)) > UINT32_C(0x7F800000) ? UINT32_MAX : 0;
    uint32_t negative = 0u - (bits >> 31);
    return (bits & ~((negative | nan) & mode.relu)) | (nan & mode.nan);
}
static inline uint32_t pto_fixpipe_relu_s32(uint32_t bits, pto_fixpipe_mode mode) {
    return bits & ~((0u - (bits >> 31)) & mode.relu);
}

/* `count` elements in a row, a constant where the call is inlined; the two sides do not overlap. */
#define PTO_FIXPIPE_SIMD _Pragma("omp simd")
#define PTO_FIXPIPE_RUN(name, dst_bits, expression)                                                          \
    static inline void pto_fixpipe_run_##name(pto_bits##dst_bits *dst, const pto_bits32 *src, int count,     \
                                              pto_fixpipe_mode mode) {                                       \
        PTO_FIXPIPE_SIMD                                                                                     \
        for (int k = 0; k < count; k++) {                                                                    \
            uint32_t x = src[k];                                                                             \
            dst[k] = expression;                                                                             \
        }                                                                                                    \
    }
PTO_FIXPIPE_RUN(f32, 32, pto_fixpipe_relu_f32(x, mode))
PTO_FIXPIPE_RUN(s32, 32, pto_fixpipe_relu_s32(x, mode))
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
/* b where either is NaN, and where both are zeros. */
#if defined(PTO_LEVEL_AVX512)
static inline pto_lanes pto_fixpipe_max(pto_lanes a, pto_lanes b) { return _mm512_max_ps(a, b); }
#else
static inline pto_lanes pto_fixpipe_max(pto_lanes a, pto_lanes b) { return _mm256_max_ps(a, b); }
#endif
/* The instructions that narrow; they make every NaN that is kept canonical. */
static inline pto_lanes pto_fixpipe_lanes(const pto_bits32 *src, pto_fixpipe_mode mode) {
    const pto_lanes zero = pto_lanes_fill(0);
    pto_lanes value;
    memcpy(&value, src, sizeof value);
    if (mode.relu && mode.nan)
        value = pto_fixpipe_max(zero, value) + zero;
    else if (mode.relu)
        value = pto_fixpipe_max(value, zero);
    return value;
}
#define PTO_FIXPIPE_NARROW(name)                                                                             \
    static inline void pto_fixpipe_run_##name(pto_bits16 *dst, const pto_bits32 *src, int count,             \
                                              pto_fixpipe_mode mode) {                                       \
        int k = 0;                                                                                           \
        for (; k + PTO_LANES <= count; k += PTO_LANES)                                                       \
            pto_lanes_store_##name((void *)(dst + k), pto_fixpipe_lanes(src + k, mode));                     \
        for (; k < count; k++)                                                                               \
            dst[k] = pto_##name##_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(src[k], mode)));           \
    }
PTO_FIXPIPE_NARROW(f16)
PTO_FIXPIPE_NARROW(bf16)
#undef PTO_FIXPIPE_NARROW
#else
PTO_FIXPIPE_RUN(f16, 16, pto_f16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, mode))))
PTO_FIXPIPE_RUN(bf16, 16, pto_bf16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, mode))))
#endif
#undef PTO_FIXPIPE_RUN
#undef PTO_FIXPIPE_SIMD

/* Loops over a rectangle. With unit columns on both sides a row goes in pieces of 16, the width of an
 * accumulator box, or of 8, that of a box of words, which are one or two vectors. Otherwise 16 x 16 elements
 * at a time go through a block, in rows, and are transposed on their way in or out of it. */
#define PTO_FIXPIPE_LOOP(name, dst_bits)                                                                     \
    static inline void pto_fixpipe_rows_##name(pto_bits##dst_bits *to, const pto_bits32 *from, pto_rect r,   \
                                               pto_fixpipe_mode mode) {                                      \
        if (r.cols == 16) { /* a box */                                                                      \
            for (int64_t i = 0; i < r.rows; i++)                                                             \
                pto_fixpipe_run_##name(to + r.dst + i * r.dst_row, from + r.src + i * r.src_row, 16, mode);  \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t i = 0; i < r.rows; i++) {                                                               \
            pto_bits##dst_bits *dst = to + r.dst + i * r.dst_row;                                            \
            const pto_bits32 *src = from + r.src + i * r.src_row;                                            \
            int64_t c = 0;                                                                                   \
            for (; c + 16 <= r.cols; c += 16)                                                                \
                pto_fixpipe_run_##name(dst + c, src + c, 16, mode);                                          \
            for (; c + 8 <= r.cols; c += 8)                                                                  \
                pto_fixpipe_run_##name(dst + c, src + c, 8, mode);                                           \
            for (; c < r.cols; c++)                                                                          \
                pto_fixpipe_run_##name(dst + c, src + c, 1, mode);                                           \
        }                                                                                                    \
    }                                                                                                        \
    static inline void pto_fixpipe_##name(void *to, const void *from, pto_rect r, pto_fixpipe_mode mode) {   \
        if (r.dst_col == 1 && r.src_col == 1) {                                                              \
            pto_fixpipe_rows_##name(to, from, r, mode);                                                      \
            return;                                                                                          \
        }                                                                                                    \
        uint32_t in[256];                                                                                    \
        uint##dst_bits##_t out[256];                                                                         \
        for (int64_t i = 0; i < r.rows; i += 16)                                                             \
            for (int64_t c = 0; c < r.cols; c += 16) {                                                       \
                int64_t rows = r.rows - i < 16 ? r.rows - i : 16, cols = r.cols - c < 16 ? r.cols - c : 16;  \
                int64_t dst = r.dst + i * r.dst_row + c * r.dst_col;                                         \
                int64_t src = r.src + i * r.src_row + c * r.src_col;                                         \
                pto_copy_rect(in, from, (pto_rect){rows, cols, 0, 16, 1, src, r.src_row, r.src_col}, 32);    \
                pto_fixpipe_rows_##name(out, in, (pto_rect){rows, cols, 0, 16, 1, 0, 16, 1}, mode);          \
                pto_copy_rect(to, out, (pto_rect){rows, cols, dst, r.dst_row, r.dst_col, 0, 16, 1},          \
                              dst_bits);                                                                     \
            }                                                                                                \
    }
PTO_FIXPIPE_LOOP(f32, 32)
PTO_FIXPIPE_LOOP(s32, 32)
PTO_FIXPIPE_LOOP(f16, 16)
PTO_FIXPIPE_LOOP(bf16, 16)
#undef PTO_FIXPIPE_LOOP

static inline uint32_t pto_fixpipe_element(uint32_t bits, pto_dtype dst_type, pto_dtype src_type,
                                           pto_fixpipe_mode mode) {
    if (src_type != PTO_F32)
        return pto_fixpipe_relu_s32(bits, mode);
    bits = pto_fixpipe_relu_f32(bits, mode);
    return dst_type == PTO_F16    ? pto_f16_from_f32(pto_f32_from_bits(bits))
           : dst_type == PTO_BF16 ? pto_bf16_from_f32(pto_f32_from_bits(bits))
                                  : bits;
}

/* One rectangle of an accumulator of type src_type (f32 or s32) to elements of dst_type. */
static inline void pto_fixpipe_rect(void *dst, pto_dtype dst_type, const void *src, pto_dtype src_type,
                                    pto_rect rect, pto_fixpipe_mode mode) {
    rect = pto_rect_turned(rect);
    if (!mode.relu && dst_type != PTO_F16 && dst_type != PTO_BF16)
        pto_copy_rect(dst, src, rect, 32);
    else if (src_type != PTO_F32)
        pto_fixpipe_s32(dst, src, rect, mode);
    else if (dst_type == PTO_F16)
        pto_fixpipe_f16(dst, src, rect, mode);
    else if (dst_type == PTO_BF16)
        pto_fixpipe_bf16(dst, src, rect, mode);
    else
        pto_fixpipe_f32(dst, src, rect, mode);
}

#endif
