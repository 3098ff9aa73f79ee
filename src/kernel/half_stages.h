/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of half and bf16 to float and back, for kernels that work on a small float buffer. Exact one way,
 * nearest even the other; out of range gives Inf or, with saturate, the largest finite value, from infinities
 * too; every NaN becomes the canonical one. out and in may be equal only where the element sizes are. */
#ifndef PTO_KERNEL_HALF_STAGES_H
#define PTO_KERNEL_HALF_STAGES_H

#include "kernel/map_half.h"

#if defined(PTO_LEVEL_AVX512)
/* A NaN is the second argument of min and max, which they return. */
static inline pto_lanes pto_lanes_clamp(pto_lanes value, float limit) {
    const pto_lanes low = _mm512_max_ps(pto_lanes_fill(-limit), value);
    return _mm512_min_ps(pto_lanes_fill(limit), low);
}
#elif defined(PTO_LEVEL_AVX2)
static inline pto_lanes pto_lanes_clamp(pto_lanes value, float limit) {
    const pto_lanes low = _mm256_max_ps(pto_lanes_fill(-limit), value);
    return _mm256_min_ps(pto_lanes_fill(limit), low);
}
#endif

static void pto_half_load_f16(float *out, const void *in, int64_t count) {
    const uint16_t *from = in;
    int64_t i = 0;
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
    for (; i + PTO_LANES <= count; i += PTO_LANES) {
        const pto_lanes value = pto_lanes_canonical(pto_lanes_load_f16(from + i));
        memcpy(out + i, &value, sizeof value);
    }
    for (; i < count; i++)
        out[i] = pto_f32_from_f16(from[i]);
#else
    _Pragma("omp simd") for (i = 0; i < count; i++) out[i] = pto_f32_from_f16(from[i]);
#endif
}

static void pto_half_load_bf16(float *out, const void *in, int64_t count) {
    const uint16_t *from = in;
    _Pragma("omp simd") for (int64_t i = 0; i < count; i++) out[i] = pto_f32_from_bf16(from[i]);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#define PTO_HALF_STORE(format, max)                                                                          \
    static void pto_half_store_##format(void *out, const float *in, int64_t count, bool saturate) {          \
        uint16_t *to = out;                                                                                  \
        const float end = saturate ? (max) : __builtin_inff();                                               \
        int64_t i = 0;                                                                                       \
        for (; i + PTO_LANES <= count; i += PTO_LANES) {                                                     \
            pto_lanes value;                                                                                 \
            memcpy(&value, in + i, sizeof value);                                                            \
            pto_lanes_store_##format(to + i, pto_lanes_clamp(value, end));                                   \
        }                                                                                                    \
        for (; i < count; i++)                                                                               \
            to[i] = saturate ? pto_##format##_from_f32_sat(in[i]) : pto_##format##_from_f32(in[i]);          \
    }
#else
#define PTO_HALF_STORE(format, max)                                                                          \
    static void pto_half_store_##format(void *out, const float *in, int64_t count, bool saturate) {          \
        uint16_t *to = out;                                                                                  \
        if (saturate) {                                                                                      \
            _Pragma("omp simd") for (int64_t i = 0; i < count; i++) to[i] =                                  \
                pto_##format##_from_f32_sat(in[i]);                                                          \
        } else {                                                                                             \
            _Pragma("omp simd") for (int64_t i = 0; i < count; i++) to[i] = pto_##format##_from_f32(in[i]);  \
        }                                                                                                    \
    }
#endif
PTO_HALF_STORE(f16, 65504.0f)
PTO_HALF_STORE(bf16, 0x1.fep127f)

#endif
