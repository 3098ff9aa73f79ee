/* SPDX-License-Identifier: Apache-2.0 */
/* The order of sorted lists (40, 3): descending by value, NaN below -Inf, -0 equal to +0. */
#ifndef PTO_KERNEL_SORT_H
#define PTO_KERNEL_SORT_H

#include <stdint.h>

/* A structure of a sorted list: value in the low bytes of the first word, zeros above it. */
typedef struct pto_sort_pair {
    uint32_t value, index;
} pto_sort_pair;

/* Keys are signed numbers in the order of the values; no value but NaN has the lowest. */
static inline int32_t pto_sort_key_f32(uint32_t bits) {
    const int32_t magnitude = (int32_t)(bits & UINT32_C(0x7FFFFFFF));
    const int32_t key = bits >> 31 ? -magnitude : magnitude;
    return magnitude > 0x7F800000 ? INT32_MIN : key;
}

static inline int32_t pto_sort_key_f16(uint32_t bits) {
    const int32_t magnitude = (int32_t)(bits & 0x7FFF);
    const int32_t key = bits >> 15 & 1 ? -magnitude : magnitude;
    return magnitude > 0x7C00 ? INT32_MIN : key;
}

static inline int32_t pto_sort_key_bf16(uint32_t bits) { return pto_sort_key_f32(bits << 16); }
static inline int32_t pto_sort_key_s16(uint32_t bits) { return (int16_t)(uint16_t)bits; }
static inline int32_t pto_sort_key_s32(uint32_t bits) { return (int32_t)bits; }

#endif
