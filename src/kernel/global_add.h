/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic add to elements of global memory (part 30, TSTORE). */
#ifndef PTO_KERNEL_GLOBAL_ADD_H
#define PTO_KERNEL_GLOBAL_ADD_H

#include "kernel/strided.h"
#include "number/half.h"

/* a + b in a type: integers wrap, floats round once to nearest even. The sum of two halves or bf16 in f32,
 * rounded again, is the correctly rounded sum: f32 has more than twice their digits. */
static inline uint32_t pto_sum_bits(pto_dtype dtype, uint32_t a, uint32_t b, bool flush) {
    uint32_t exponent = dtype == PTO_F32 ? 0x7F800000u : dtype == PTO_F16 ? 0x7C00u : 0x7F80u, result;
    if (!pto_dtype_is_float(dtype))
        return a + b;
    uint32_t sign = dtype == PTO_F32 ? 0x80000000u : 0x8000u;
    if (flush) {
        a = a & exponent ? a : a & sign;
        b = b & exponent ? b : b & sign;
    }
    if (dtype == PTO_F16) {
        result = pto_f16_from_f32(pto_f32_from_f16((uint16_t)a) + pto_f32_from_f16((uint16_t)b));
    } else if (dtype == PTO_BF16) {
        result = pto_bf16_from_f32(pto_f32_from_bf16((uint16_t)a) + pto_f32_from_bf16((uint16_t)b));
    } else {
        float added = pto_f32_from_bits(a) + pto_f32_from_bits(b);
        result = added != added ? PTO_F32_NAN_BITS : pto_f32_bits(added);
    }
    return flush && !(result & exponent) ? result & sign : result;
}

/* Adds to one element of global memory, indivisibly: other cores run in other threads. An element that is not
 * aligned to its size, which no allocator and no array gives, is added to without that promise. */
#define PTO_ATOMIC_ADD(bits)                                                                                 \
    static inline void pto_atomic_add##bits(uint##bits##_t *at, pto_dtype dtype, uint32_t value,             \
                                            bool flush) {                                                    \
        if ((uintptr_t)at % sizeof *at) {                                                                    \
            pto_bits##bits *plain = (pto_bits##bits *)at;                                                    \
            *plain = (uint##bits##_t)pto_sum_bits(dtype, *plain, value, flush);                              \
            return;                                                                                          \
        }                                                                                                    \
        uint##bits##_t old = __atomic_load_n(at, __ATOMIC_RELAXED);                                          \
        while (!__atomic_compare_exchange_n(at, &old,                                                        \
                                            (uint##bits##_t)pto_sum_bits(dtype, old, value, flush), true,    \
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))                             \
            continue;                                                                                        \
    }
PTO_ATOMIC_ADD(8)
PTO_ATOMIC_ADD(16)
PTO_ATOMIC_ADD(32)
#undef PTO_ATOMIC_ADD

static inline void pto_global_add(void *data, int64_t index, pto_dtype dtype, uint32_t value, bool flush) {
    uint8_t *at = (uint8_t *)data + index * (pto_dtype_bits(dtype) / 8);
    switch (pto_dtype_bits(dtype)) {
    case 8:
        pto_atomic_add8(at, dtype, value, flush);
        break;
    case 16:
        pto_atomic_add16((uint16_t *)(void *)at, dtype, value, flush);
        break;
    default:
        pto_atomic_add32((uint32_t *)(void *)at, dtype, value, flush);
        break;
    }
}

#endif
