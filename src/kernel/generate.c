/* SPDX-License-Identifier: Apache-2.0 */
/* TCI (40, 5.1) and TTRI (5.2). */
#include "kernel/exact.h"
#include "kernel/kernel.h"
#include "number/half.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <string.h>

/* ---- TCI ---- */

#define RAMP(name, T)                                                                                        \
    static void name(void *dst, uint64_t start, uint64_t step, int32_t n) {                                  \
        T *d = dst;                                                                                          \
        const T first = (T)start, by = (T)step;                                                              \
        _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] = (T)(first + (T)((T)i * by));              \
    }
RAMP(ramp_8, uint8_t)
RAMP(ramp_32, uint32_t)
RAMP(ramp_64, uint64_t)

/* uint16_t products would be int products, which may overflow. */
static void ramp_16(void *dst, uint64_t start, uint64_t step, int32_t n) {
    uint16_t *d = dst;
    const uint32_t first = (uint16_t)start, by = (uint16_t)step;
    _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] = (uint16_t)(first + (uint32_t)i * by);
}

/* start +- j rounded once: the sum in double is rounded to odd, so that a second rounding does no harm. */
static void ramp_float(pto_tile *dst, double start, double step, int32_t n) {
    const pto_dtype type = dst->type.dtype;
    for (int32_t i = 0; i < n; i++)
        pto_exact_store(dst->data, type, i, pto_exact_round(type, pto_f64_odd_sum(start, step * (double)i)));
}

/* The common case: the sums are exact in double. */
static void ramp_f32(float *d, double start, double step, int32_t n) {
    _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] = (float)(start + step * (double)i);
}

/* Halves and bf16: the sum is rounded to odd on the way to float, which leaves the second rounding right. */
static inline float odd_float(double value) {
    const float near = (float)value;
    const double back = (double)near;
    uint32_t bits = pto_f32_bits(near);
    const double a = back < 0.0 ? -back : back, b = value < 0.0 ? -value : value;
    bits -= a > b;
    bits |= a != b;
    return pto_f32_from_bits(bits);
}
#define RAMP_HALF(name)                                                                                      \
    static void ramp_##name(uint16_t *d, double start, double step, int32_t n) {                             \
        _Pragma("omp simd") for (int32_t i = 0; i < n; i++) d[i] =                                           \
            pto_##name##_from_f32(odd_float(start + step * (double)i));                                      \
    }
RAMP_HALF(f16)
RAMP_HALF(bf16)

PTO_KERNEL(tci) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_dtype type = dst->type.dtype;
    const bool descending = pto_call_attr(call, 2) != 0;
    const uint64_t start = pto_scalar_code(type, pto_call_scalar(call, 1));
    const uint64_t step = descending ? UINT64_MAX : 1;
    const int32_t n = dst->valid_cols;
    if (pto_dtype_is_float(type)) {
        const double from = pto_number_to_double(type, start), by = descending ? -1.0 : 1.0;
        const double size = from < 0.0 ? -from : from;
        const bool plain = size == 0.0 || (size >= 0x1p-10 && size < 0x1p60);
        if (type == PTO_F32 && plain)
            ramp_f32(dst->data, from, by, n);
        else if (type == PTO_F16 && plain)
            ramp_f16(dst->data, from, by, n);
        else if (type == PTO_BF16 && plain)
            ramp_bf16(dst->data, from, by, n);
        else
            ramp_float(dst, from, by, n);
        return PTO_OK;
    }
    switch (pto_dtype_bits(type)) {
    case 4:
        for (int32_t i = 0; i < n; i++)
            pto_exact_store(dst->data, type, i, (start + (uint64_t)i * step) & 15);
        break;
    case 8:
        ramp_8(dst->data, start, step, n);
        break;
    case 16:
        ramp_16(dst->data, start, step, n);
        break;
    case 32:
        ramp_32(dst->data, start, step, n);
        break;
    default:
        ramp_64(dst->data, start, step, n);
        break;
    }
    return PTO_OK;
}

/* (dst, start, tmp, descending): the scratch is the hardware's */
PTO_KERNEL(tci_tmp) {
    pto_instr plain = {.form = PTO_FORM_TCI};
    plain.operand[0] = call->instr->operand[0];
    plain.operand[1] = call->instr->operand[1];
    plain.operand[2] = call->instr->operand[3];
    pto_kernel_call inner = *call;
    inner.instr = &plain;
    return PTO_KERNEL_SYMBOL(tci)(&inner);
}

/* ---- TTRI ---- */

#define FILL(name, T)                                                                                        \
    static void name(void *dst, size_t from, size_t to, uint64_t value) {                                    \
        T *d = dst;                                                                                          \
        const T v = (T)value;                                                                                \
        _Pragma("omp simd") for (size_t i = from; i < to; i++) d[i] = v;                                     \
    }
FILL(fill_8, uint8_t)
FILL(fill_16, uint16_t)
FILL(fill_32, uint32_t)
FILL(fill_64, uint64_t)

PTO_KERNEL(ttri) {
    pto_tile *dst = pto_call_tile(call, 0);
    const int64_t diagonal = (int32_t)(uint32_t)(uint64_t)pto_call_scalar(call, 1).i;
    const bool upper = pto_call_attr(call, 2) != 0;
    const pto_dtype type = dst->type.dtype;
    const size_t size = pto_dtype_bits(type) / 8;
    const uint64_t one = pto_scalar_code(type, (pto_scalar){.dtype = PTO_S32, .i = 1});
    void (*const fill)(void *, size_t, size_t, uint64_t) = size == 1   ? fill_8
                                                           : size == 2 ? fill_16
                                                           : size == 4 ? fill_32
                                                                       : fill_64;
    const int64_t cols = dst->valid_cols;
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        /* lower: columns below `cut` are 1; upper: columns from `cut` on */
        int64_t cut = r + diagonal + !upper;
        cut = cut < 0 ? 0 : cut > cols ? cols : cut;
        uint8_t *d = (uint8_t *)dst->data + (size_t)r * (size_t)dst->type.cols * size;
        fill(d, 0, (size_t)cut, upper ? 0 : one);
        fill(d, (size_t)cut, (size_t)cols, upper ? one : 0);
    }
    return PTO_OK;
}
