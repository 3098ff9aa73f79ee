/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a context: target, arithmetic variants, SIMD level, memory sizes. */
#ifndef PTO_OPTIONS_H
#define PTO_OPTIONS_H

#include <pto/types.h>

PTO_BEGIN_DECLS

/* SIMD levels of the kernels. Results are bit-identical at every level. */
typedef enum pto_simd_level {
    PTO_SIMD_BEST = 0, /* the best of this machine */
    PTO_SIMD_BASE = 1,
    PTO_SIMD_AVX2 = 2,
    PTO_SIMD_AVX512 = 3
} pto_simd_level;

/* Arithmetic variants. All false = the readings of the specification. */
typedef struct pto_numeric_options {
    bool relu_keeps_nan;     /* relu(NaN) = NaN instead of +0 (10, 6.1) */
    bool unfused;            /* multiply-add rounds twice (10, 7.1) */
    bool flush_subnormals;   /* inputs and outputs of float arithmetic, sign kept (10, 1.5) */
    bool trap_zero_divisor;  /* integer division by zero is an error (10, 1.5) */
    bool matmul_addend_last; /* cIn and bias are added to the finished product (40, 1.4) */
} pto_numeric_options;

typedef struct pto_options {
    pto_target target;
    bool auto_mode; /* TASSIGN is ignored, the library places tiles (00-model, 13) */
    pto_simd_level simd;
    pto_numeric_options numeric;
    uint32_t memory_bytes[PTO_LOC_COUNT]; /* 0 = capacity of the target; else this size (00-model, 14.1) */
} pto_options;

PTO_END_DECLS
#endif
