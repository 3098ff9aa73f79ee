/* SPDX-License-Identifier: Apache-2.0 */
/* exp over runs of floats: pto_expf of vec_math.h with the instructions of a level, the same bits.
 *
 * AVX-512 scales by VSCALEFPS, which rounds the exact product once, as the two factors of pto_expf do, and
 * clamps with VRANGEPS: any end beyond +-104 gives the same Inf or zero. AVX2 adds n to the exponent where
 * every lane of a vector has a normal result and leaves the others to pto_expf. */
#ifndef PTO_KERNEL_LANES_EXP_H
#define PTO_KERNEL_LANES_EXP_H

#include "kernel/map_half.h"
#include "kernel/vec_math.h"

#if defined(PTO_LEVEL_AVX512)

static inline pto_lanes pto_exp_lanes(pto_lanes x) {
    enum { SMALLER_MAGNITUDE_SIGN_OF_X = 0x2 };
    const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    const __m512 y = _mm512_range_ps(x, pto_lanes_fill(128.0f), SMALLER_MAGNITUDE_SIGN_OF_X);
    const __m512 shifter = pto_lanes_fill(0x1.8p23f);
    const __m512 n = _mm512_fmadd_ps(y, pto_lanes_fill(0x1.715476p0f), shifter) - shifter;
    __m512 r = _mm512_fmadd_ps(n, pto_lanes_fill(-PTO_LN2_HEAD), y);
    r = _mm512_fmadd_ps(n, pto_lanes_fill(-PTO_LN2_TAIL), r);
    __m512 p = pto_lanes_fill(PTO_EXP_C6);
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C5));
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C4));
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C3));
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C2));
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(1.0f));
    p = _mm512_fmadd_ps(p, r, pto_lanes_fill(1.0f));
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32((int)PTO_F32_NAN_BITS));
    return _mm512_mask_scalef_ps(nan, number, p, n);
}

#elif defined(PTO_LEVEL_AVX2)

static inline pto_lanes pto_exp_lanes(pto_lanes x) {
    const __m256 magnitude = _mm256_andnot_ps(pto_lanes_fill(-0.0f), x);
    /* not below or equal: NaN too */
    const __m256 other = _mm256_cmp_ps(magnitude, pto_lanes_fill(87.0f), _CMP_NLE_UQ);
    if (!_mm256_testz_ps(other, other)) {
        float lane[PTO_LANES];
        _mm256_storeu_ps(lane, x);
        for (int i = 0; i < PTO_LANES; i++)
            lane[i] = pto_expf(lane[i]);
        return _mm256_loadu_ps(lane);
    }
    const __m256 shifter = pto_lanes_fill(0x1.8p23f);
    const __m256 shifted = _mm256_fmadd_ps(x, pto_lanes_fill(0x1.715476p0f), shifter);
    const __m256 n = shifted - shifter;
    __m256 r = _mm256_fmadd_ps(n, pto_lanes_fill(-PTO_LN2_HEAD), x);
    r = _mm256_fmadd_ps(n, pto_lanes_fill(-PTO_LN2_TAIL), r);
    __m256 p = pto_lanes_fill(PTO_EXP_C6);
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C5));
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C4));
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C3));
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(PTO_EXP_C2));
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(1.0f));
    p = _mm256_fmadd_ps(p, r, pto_lanes_fill(1.0f));
    const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), exponent));
}

#endif

/* The loop over a run: X_LANES and X are the argument at index i, as lanes and as a float. */
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
static inline pto_lanes pto_lanes_load(const float *from) {
    pto_lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}
static inline void pto_lanes_store(float *to, pto_lanes value) { memcpy(to, &value, sizeof value); }

/* Four vectors a turn: the loop's own instructions cost execution slots that the arithmetic fills. */
#define PTO_EXP_STEP(to, X_LANES)                                                                            \
    do {                                                                                                     \
        pto_lanes_store((to) + i, pto_exp_lanes(X_LANES));                                                   \
        i += PTO_LANES;                                                                                      \
    } while (0)
#define PTO_EXP_RUN(to, n, X_LANES, X)                                                                       \
    do {                                                                                                     \
        int64_t i = 0;                                                                                       \
        while (i + 4 * PTO_LANES <= (n)) {                                                                   \
            PTO_EXP_STEP(to, X_LANES);                                                                       \
            PTO_EXP_STEP(to, X_LANES);                                                                       \
            PTO_EXP_STEP(to, X_LANES);                                                                       \
            PTO_EXP_STEP(to, X_LANES);                                                                       \
        }                                                                                                    \
        while (i + PTO_LANES <= (n))                                                                         \
            PTO_EXP_STEP(to, X_LANES);                                                                       \
        for (; i < (n); i++)                                                                                 \
            (to)[i] = pto_expf(X);                                                                           \
    } while (0)
#else
#define PTO_EXP_RUN(to, n, X_LANES, X)                                                                       \
    do {                                                                                                     \
        _Pragma("omp simd") for (int64_t i = 0; i < (n); i++)(to)[i] = pto_expf(X);                          \
    } while (0)
#endif

#endif
