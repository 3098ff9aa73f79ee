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
    /* TROWSUM, TROWPROD, TCOLSUM (isBinary or not) and TCOLPROD are left folds in the type of the result on
     * every target, sums from +0, products from 1 (20, 3.1) */
    bool typed_fold;
    bool partial_arg_first;   /* TPARTARGMAX, TPARTARGMIN: src1 only where strictly better (20, 6) */
    bool convert_indefinite;  /* float to integer without saturation: NaN, Inf and what is out of range give
                               * the minimum of a signed, the maximum of an unsigned type (10, 9.8) */
    bool convert_ambient_off; /* what PTO_SAT_AMBIENT of TCVT means: OFF instead of ON (10, 9.1) */
    /* target a2a3: TADDDEQRELU and TREM of s32 leave in their sources, and TADDDEQRELU in its scratch, what
     * the hardware leaves there (10, 3.4, 7.4) */
    bool clobber_sources;
    /* TRANDOM counts as the a5 does behind the last chunk of a row; orders and counts words as the upstream
     * simulator does, which wins over the former (40, 5.4) */
    bool random_order_a5, random_order_cpu;
} pto_numeric_options;

/* The options by name, in order: NULL behind the last. *meaning, where asked for, is one clause. */
PTO_API const char *pto_numeric_option_name(size_t index, const char **meaning);
/* False when there is no such option. */
PTO_API bool pto_numeric_option_set(pto_numeric_options *options, const char *name, bool value);

typedef struct pto_options {
    pto_target target;
    bool auto_mode; /* TASSIGN is ignored, the library places tiles (00-model, 13) */
    pto_simd_level simd;
    pto_numeric_options numeric;
    uint32_t memory_bytes[PTO_LOC_COUNT]; /* 0 = capacity of the target; else this size (00-model, 14.1) */
} pto_options;

PTO_END_DECLS
#endif
