/* SPDX-License-Identifier: Apache-2.0 */
/* Microscaled matrix products by plain loops, written from part 40, 1.6. */
#ifndef PTO_TESTS_REFERENCE_MX_H
#define PTO_TESTS_REFERENCE_MX_H

#include <stdbool.h>
#include <stdint.h>

#include <pto/types.h>

/* c = addend + (a * a_scale) x (b * b_scale), dense row-major m x k, m x ceil(k / 32), k x n, ceil(k / 32) x
 * n, m x n. a and b are codes, scales e8m0, c and the addend bits of f32; addend NULL = zero. A NaN of c is
 * the canonical one. */
void reference_mx_matmul(pto_dtype a_type, pto_dtype b_type, int m, int k, int n, const uint8_t *a,
                         const uint8_t *a_scale, const uint8_t *b, const uint8_t *b_scale,
                         const uint32_t *addend, uint32_t *c, bool addend_last);

#endif
