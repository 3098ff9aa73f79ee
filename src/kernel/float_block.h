/* SPDX-License-Identifier: Apache-2.0 */
/* Binary float operations that take several loops, a block at a time as float; and conditions as masks, which
 * GCC leaves as they are where it would make branches of selects. */
#ifndef PTO_KERNEL_FLOAT_BLOCK_H
#define PTO_KERNEL_FLOAT_BLOCK_H

#include "kernel/half_stages.h"

enum { PTO_FLOAT_BLOCK = 128 };
enum { PTO_F32_ONE = 0x3F800000, PTO_F32_INF = 0x7F800000, PTO_F32_SIGN_OFF = 0x7FFFFFFF };

/* All ones where it holds, for magnitudes below 2^31. */
static inline uint32_t pto_mask_below(uint32_t a, uint32_t b) { return (uint32_t)((int32_t)(a - b) >> 31); }
static inline uint32_t pto_mask_equal(uint32_t a, uint32_t b) {
    return (uint32_t)((int32_t)((a ^ b) - 1u) >> 31);
}
static inline uint32_t pto_mask_choose(uint32_t mask, uint32_t yes, uint32_t no) {
    return (mask & yes) | (~mask & no);
}

static inline void pto_float_load_f32(float *out, const void *in, int64_t count) {
    memcpy(out, in, (size_t)count * sizeof *out);
}
static inline void pto_float_store_f32(void *out, const float *in, int64_t count, bool saturate) {
    (void)saturate;
    memcpy(out, in, (size_t)count * sizeof *in);
}

/* A loop of pto_map_op: COMPUTE(out, x, y) works on whole blocks, out is neither x nor y; y is a run or one
 * value. An end shorter than a block is filled up with 1. */
#define PTO_FLOAT_BLOCK_LOOP(name, T, LOAD, STORE, COMPUTE, y_is_run)                                        \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *p = a, *q = b;                                                                              \
        float x[PTO_FLOAT_BLOCK], y[PTO_FLOAT_BLOCK], result[PTO_FLOAT_BLOCK];                               \
        LOAD(y, q, 1);                                                                                       \
        for (int i = 1; i < PTO_FLOAT_BLOCK; i++)                                                            \
            y[i] = y[0];                                                                                     \
        for (int64_t at = 0; at < n; at += PTO_FLOAT_BLOCK) {                                                \
            const int count = n - at < PTO_FLOAT_BLOCK ? (int)(n - at) : PTO_FLOAT_BLOCK;                    \
            LOAD(x, p + at, count);                                                                          \
            if (y_is_run)                                                                                    \
                LOAD(y, q + at, count);                                                                      \
            for (int i = count; i < PTO_FLOAT_BLOCK; i++)                                                    \
                x[i] = y[i] = 1.0f;                                                                          \
            COMPUTE(result, x, y);                                                                           \
            STORE(d + at, result, count, false);                                                             \
        }                                                                                                    \
    }
/* prefix_f32_tt and _ts, and so on for f16 and bf16. */
#define PTO_FLOAT_BLOCK_LOOPS(prefix, COMPUTE)                                                               \
    PTO_FLOAT_BLOCK_LOOP(prefix##_f32_tt, float, pto_float_load_f32, pto_float_store_f32, COMPUTE, true)     \
    PTO_FLOAT_BLOCK_LOOP(prefix##_f32_ts, float, pto_float_load_f32, pto_float_store_f32, COMPUTE, false)    \
    PTO_FLOAT_BLOCK_LOOP(prefix##_f16_tt, uint16_t, pto_half_load_f16, pto_half_store_f16, COMPUTE, true)    \
    PTO_FLOAT_BLOCK_LOOP(prefix##_f16_ts, uint16_t, pto_half_load_f16, pto_half_store_f16, COMPUTE, false)   \
    PTO_FLOAT_BLOCK_LOOP(prefix##_bf16_tt, uint16_t, pto_half_load_bf16, pto_half_store_bf16, COMPUTE, true) \
    PTO_FLOAT_BLOCK_LOOP(prefix##_bf16_ts, uint16_t, pto_half_load_bf16, pto_half_store_bf16, COMPUTE, false)

#endif
