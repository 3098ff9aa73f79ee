/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to an accumulator element on its way out: ReLU, then the plain conversions of part 30, Q.1. */
#ifndef PTO_KERNEL_FIXPIPE_H
#define PTO_KERNEL_FIXPIPE_H

#include "kernel/kernel.h"
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

/* Loops over a rectangle. With unit columns on both sides a row goes in pieces of 16, the width of an
 * accumulator box, which are one or two vectors. */
#define PTO_FIXPIPE_LOOP(name, dst_bits, expression)                                                         \
    static inline void pto_fixpipe_##name(pto_bits##dst_bits *to, const pto_bits32 *from, pto_rect r,        \
                                          pto_fixpipe_mode mode) {                                           \
        bool unit = r.dst_col == 1 && r.src_col == 1;                                                        \
        for (int64_t i = 0; i < r.rows; i++) {                                                               \
            pto_bits##dst_bits *dst = to + r.dst + i * r.dst_row;                                            \
            const pto_bits32 *src = from + r.src + i * r.src_row;                                            \
            int64_t c = 0;                                                                                   \
            for (; unit && c + 16 <= r.cols; c += 16) {                                                      \
                PTO_FIXPIPE_SIMD                                                                             \
                for (int k = 0; k < 16; k++) {                                                               \
                    uint32_t x = src[c + k];                                                                 \
                    dst[c + k] = expression;                                                                 \
                }                                                                                            \
            }                                                                                                \
            for (; c < r.cols; c++) {                                                                        \
                uint32_t x = src[c * r.src_col];                                                             \
                dst[c * r.dst_col] = expression;                                                             \
            }                                                                                                \
        }                                                                                                    \
    }
#define PTO_FIXPIPE_SIMD _Pragma("omp simd")

PTO_FIXPIPE_LOOP(f32, 32, pto_fixpipe_relu_f32(x, mode))
PTO_FIXPIPE_LOOP(s32, 32, pto_fixpipe_relu_s32(x, mode))
PTO_FIXPIPE_LOOP(f16, 16, pto_f16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, mode))))
PTO_FIXPIPE_LOOP(bf16, 16, pto_bf16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, mode))))
#undef PTO_FIXPIPE_LOOP
#undef PTO_FIXPIPE_SIMD

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
    if (src_type != PTO_F32)
        pto_fixpipe_s32(dst, src, rect, mode);
    else if (dst_type == PTO_F16)
        pto_fixpipe_f16(dst, src, rect, mode);
    else if (dst_type == PTO_BF16)
        pto_fixpipe_bf16(dst, src, rect, mode);
    else
        pto_fixpipe_f32(dst, src, rect, mode);
}

#endif
