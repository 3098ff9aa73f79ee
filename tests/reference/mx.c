/* SPDX-License-Identifier: Apache-2.0 */
/* See mx.h. */
#include "reference/mx.h"
#include "reference/matmul.h"

#include <math.h>
#include <string.h>

static double value_of(pto_dtype dtype, uint8_t code) {
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6},
                        e1m2[] = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75};
    if (dtype != PTO_E2M1 && dtype != PTO_E1M2)
        return (double)reference_matmul_value(dtype, code);
    const double size = (dtype == PTO_E2M1 ? e2m1 : e1m2)[code & 7];
    return code & 8 ? -size : size;
}

static double scale_of(uint8_t code) { return code == 0xFF ? (double)NAN : ldexp(1, code - 127); }

void reference_mx_matmul(pto_dtype a_type, pto_dtype b_type, int m, int k, int n, const uint8_t *a,
                         const uint8_t *a_scale, const uint8_t *b, const uint8_t *b_scale,
                         const uint32_t *addend, uint32_t *c, bool addend_last) {
    const int groups = (k + 31) / 32;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float start = 0;
            if (addend)
                memcpy(&start, &addend[i * n + j], sizeof start);
            float sum = addend_last ? 0 : start;
            for (int p = 0; p < k; p++) {
                const double scale =
                    scale_of(a_scale[i * groups + p / 32]) * scale_of(b_scale[p / 32 * n + j]);
                sum = (float)((double)sum +
                              value_of(a_type, a[i * k + p]) * value_of(b_type, b[p * n + j]) * scale);
            }
            if (addend_last && addend)
                sum += start;
            memcpy(&c[i * n + j], &sum, sizeof sum);
            if (sum != sum)
                c[i * n + j] = UINT32_C(0x7FC00000);
        }
}
