/* SPDX-License-Identifier: Apache-2.0 */
/* Mask patterns, and how kernels report an index out of range (40, 4). */
#ifndef PTO_KERNEL_SELECT_H
#define PTO_KERNEL_SELECT_H

#include "kernel/kernel.h"

#include <stdio.h>

/* Positions p with p % period == first are selected (40, 4.1). */
static inline int32_t pto_mask_period(int64_t pattern) {
    return pattern <= PTO_MASK_P1010 ? 2 : pattern <= PTO_MASK_P1000 ? 4 : 1;
}
static inline int32_t pto_mask_first(int64_t pattern) {
    return pattern <= PTO_MASK_P1010   ? (int32_t)pattern - 1
           : pattern <= PTO_MASK_P1000 ? (int32_t)pattern - 3
                                       : 0;
}
static inline int32_t pto_mask_count(int64_t pattern, int32_t length) {
    const int32_t period = pto_mask_period(pattern), first = pto_mask_first(pattern);
    return length > first ? (length - first + period - 1) / period : 0;
}

/* The first index out of range is told; later ones are not. */
static inline void pto_report_index(const pto_kernel_call *call, const char *rule, int operand, int64_t index,
                                    int32_t row, int32_t col, int64_t limit) {
    pto_kernel_finding *finding = &call->host->finding;
    if (finding->rule)
        return;
    finding->rule = rule;
    finding->operand = operand;
    snprintf(finding->found, sizeof finding->found, "%lld at (%d, %d)", (long long)index, (int)row, (int)col);
    snprintf(finding->allowed, sizeof finding->allowed, "0..%lld", (long long)(limit - 1));
}

#endif
