/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by plain loops, written from part 40, 1.3 and 1.4: one fmaf per k, k ascending, the addend
 * first; s8 modulo 2^32. */
#ifndef PTO_TESTS_REFERENCE_MATMUL_H
#define PTO_TESTS_REFERENCE_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

#include <pto/types.h>

/* The value of an element's bits as float, exactly: f16, bf16, f32, e4m3, e5m2, hif8. */
float reference_matmul_value(pto_dtype dtype, uint64_t bits);

/* An f32 of `fraction` fraction bits next to these bits, ties to even or away; Inf and NaN as they are. */
uint32_t reference_matmul_round(uint32_t bits, int fraction, bool ties_away);

/* c = addend + a x b, dense row-major m x k, k x n, m x n; a and b hold bits of a_type and b_type, c and the
 * addend bits of f32, or of s32 for s8. addend NULL = zero. A NaN of c is the canonical one. flush: operands,
 * addend and result lose their subnormals (to a zero of their sign), the running sum does not. addend_last: a
 * float sum starts from +0 and the addend is added to it in the end. */
void reference_matmul(pto_dtype a_type, pto_dtype b_type, int m, int k, int n, const uint64_t *a,
                      const uint64_t *b, const uint32_t *addend, uint32_t *c, bool flush, bool addend_last);

#endif
