/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization element by element, written from part 40, 2: numbers in double, codes by search. */
#ifndef PTO_TESTS_REFERENCE_TQUANT_H
#define PTO_TESTS_REFERENCE_TQUANT_H

#include <stdbool.h>
#include <stdint.h>

#include <pto/types.h>

/* 2.1: the integer of x * scale (+ offset where asymmetric). */
int reference_quant_int8(float x, float scale, float offset, bool asymmetric);
/* 2.6: bits of the result; a NaN is the canonical one. value: the source as f32. */
uint32_t reference_dequant(float value, float scale, float offset);

/* 2.2: exponent and multiplier of a group of `count` sources, `step` elements apart, given as bits of dtype
 * (f32, f16, bf16). A NaN multiplier is a NaN. */
typedef struct reference_mx {
    uint8_t exponent;
    float multiplier;
} reference_mx;
reference_mx reference_mx_group(pto_dtype dtype, pto_mx_quant_alg alg, const uint32_t *bits, int count,
                                int step);
/* The code (e4m3, or e2m1 in bits 3:0) of one source of the group. nd: the groups lie along rows. */
uint8_t reference_mx_code(pto_dtype dtype, pto_mx_quant_alg alg, bool nd, uint32_t bits, float multiplier);

#endif
