/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to an accumulator element on its way out: ReLU, then the plain conversions of part 30, Q.1. */
#ifndef PTO_KERNEL_FIXPIPE_H
#define PTO_KERNEL_FIXPIPE_H

#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "number/half.h"

/* Loops over a rectangle; unit columns on both sides make a vector loop. */
#define PTO_FIXPIPE_LOOP(name, dst_bits, expression)                                                         \
    static inline void pto_fixpipe_##name(pto_bits##dst_bits *to, const pto_bits32 *from, pto_rect r,        \
                                          bool relu, bool keep_nan) {                                        \
        (void)relu, (void)keep_nan;                                                                          \
        for (int64_t i = 0; i < r.rows; i++) {                                                               \
            pto_bits##dst_bits *dst = to + r.dst + i * r.dst_row;                                            \
            const pto_bits32 *src = from + r.src + i * r.src_row;                                            \
            if (r.dst_col == 1 && r.src_col == 1) {                                                          \
                PTO_FIXPIPE_SIMD                                                                             \
                for (int64_t c = 0; c < r.cols; c++) {                                                       \
                    uint32_t x = src[c];                                                                     \
                    dst[c] = expression;                                                                     \
                }                                                                                            \
            } else {                                                                                         \
                for (int64_t c = 0; c < r.cols; c++) {                                                       \
                    uint32_t x = src[c * r.src_col];                                                         \
                    dst[c * r.dst_col] = expression;                                                         \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }
#define PTO_FIXPIPE_SIMD _Pragma("omp simd")

/* v > 0 ? v : +0, NaN and -0 included (part 30, Q.3); keep_nan: the option of part 10, 6.1. */
static inline uint32_t pto_fixpipe_relu_f32(uint32_t bits, bool relu, bool keep_nan) {
    bool nan = (bits & UINT32_C(0x7FFFFFFF)) > UINT32_C(0x7F800000);
    bool positive = !(bits >> 31) && !nan;
    uint32_t out = positive ? bits : 0;
    out = nan && keep_nan ? PTO_F32_NAN_BITS : out;
    return relu ? out : bits;
}
static inline uint32_t pto_fixpipe_relu_s32(uint32_t bits, bool relu) {
    return relu && bits >> 31 ? 0 : bits;
}

PTO_FIXPIPE_LOOP(f32, 32, pto_fixpipe_relu_f32(x, relu, keep_nan))
PTO_FIXPIPE_LOOP(s32, 32, pto_fixpipe_relu_s32(x, relu))
PTO_FIXPIPE_LOOP(f16, 16, pto_f16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, relu, keep_nan))))
PTO_FIXPIPE_LOOP(bf16, 16, pto_bf16_from_f32(pto_f32_from_bits(pto_fixpipe_relu_f32(x, relu, keep_nan))))
#undef PTO_FIXPIPE_LOOP
#undef PTO_FIXPIPE_SIMD

static inline uint32_t pto_fixpipe_element(uint32_t bits, pto_dtype dst_type, pto_dtype src_type, bool relu,
                                           bool keep_nan) {
    if (src_type != PTO_F32)
        return pto_fixpipe_relu_s32(bits, relu);
    bits = pto_fixpipe_relu_f32(bits, relu, keep_nan);
    return dst_type == PTO_F16    ? pto_f16_from_f32(pto_f32_from_bits(bits))
           : dst_type == PTO_BF16 ? pto_bf16_from_f32(pto_f32_from_bits(bits))
                                  : bits;
}

/* One rectangle of an accumulator of type src_type (f32 or s32) to elements of dst_type. */
static inline void pto_fixpipe_rect(void *dst, pto_dtype dst_type, const void *src, pto_dtype src_type,
                                    pto_rect rect, bool relu, bool keep_nan) {
    rect = pto_rect_turned(rect);
    if (src_type != PTO_F32)
        pto_fixpipe_s32(dst, src, rect, relu, keep_nan);
    else if (dst_type == PTO_F16)
        pto_fixpipe_f16(dst, src, rect, relu, keep_nan);
    else if (dst_type == PTO_BF16)
        pto_fixpipe_bf16(dst, src, rect, relu, keep_nan);
    else
        pto_fixpipe_f32(dst, src, rect, relu, keep_nan);
}

#endif
