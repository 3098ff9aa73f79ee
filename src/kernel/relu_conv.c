/* SPDX-License-Identifier: Apache-2.0 */
/* TADDRELUCONV TSUBRELUCONV (10, 7.3): the sum in the source type, rounded once, its relu, and a saturating
 * conversion to nearest even. s16 sums are exact. NaN becomes 0; with the option that keeps it, f16 keeps it.
 */
#include "kernel/map_half.h"

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#include <immintrin.h>
#endif

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))

/* ---- f32 to f16 ---- */

static inline uint16_t half_of(float value) { return pto_f16_from_f32_sat(value > 0.0f ? value : 0.0f); }
static inline uint16_t half_or_nan_of(float value) {
    return pto_f16_from_f32_sat(value > 0.0f || value != value ? value : 0.0f);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#define LANES_TO_F16(OP)                                                                                     \
    const pto_lanes limit = pto_lanes_fill(65504.0f), zero = pto_lanes_fill(0.0f);                           \
    for (; i + PTO_LANES <= n; i += PTO_LANES) {                                                             \
        pto_lanes p, q;                                                                                      \
        memcpy(&p, x + i, sizeof p);                                                                         \
        memcpy(&q, y + i, sizeof q);                                                                         \
        const pto_lanes sum = OP(p, q), relu = pto_lanes_positive(sum, sum, zero);                           \
        pto_lanes_store_f16(d + i, pto_lanes_positive(limit - relu, relu, limit));                           \
    }
#else
#define LANES_TO_F16(OP)
#endif

#define LOOP_F32_F16(name, OP)                                                                               \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const float *x = a, *y = b;                                                                          \
        int64_t i = 0;                                                                                       \
        LANES_TO_F16(OP)                                                                                     \
        for (; i < n; i++)                                                                                   \
            d[i] = half_of(OP(x[i], y[i]));                                                                  \
    }                                                                                                        \
    static void name##_nan(void *dst, const void *a, const void *b, int64_t n, const void *extra) {          \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const float *x = a, *y = b;                                                                          \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = half_or_nan_of(OP(x[i], y[i]));           \
    }
LOOP_F32_F16(add_f32_f16, ADD)
LOOP_F32_F16(sub_f32_f16, SUB)

/* ---- f16 to s8 ---- */

/* value is at most 127: added to 1.5 * 2^23 it is rounded to an integer, which stands in the low bits. */
static inline uint8_t byte_of(float value) {
    const float positive = value > 0.0f ? value : 0.0f, least = positive < 127.0f ? positive : 127.0f;
    return (uint8_t)pto_f32_bits(least + 0x1.8p23f);
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
#define LANES_TO_S8(OP)                                                                                      \
    const pto_lanes limit = pto_lanes_fill(127.0f), zero = pto_lanes_fill(0.0f);                             \
    const pto_lanes shifter = pto_lanes_fill(0x1.8p23f);                                                     \
    for (; i + 4 * PTO_LANES <= n; i += 4 * PTO_LANES) {                                                     \
        uint32_t bits[4 * PTO_LANES];                                                                        \
        for (int k = 0; k < 4; k++) {                                                                        \
            const int64_t at = i + k * PTO_LANES;                                                            \
            const pto_lanes exact = OP(pto_lanes_load_f16(x + at), pto_lanes_load_f16(y + at));              \
            const pto_lanes sum = pto_lanes_round_f16(exact), relu = pto_lanes_positive(sum, sum, zero);     \
            const pto_lanes shifted = pto_lanes_positive(limit - relu, relu, limit) + shifter;               \
            memcpy(bits + k * PTO_LANES, &shifted, sizeof shifted);                                          \
        }                                                                                                    \
        for (int k = 0; k < 4 * PTO_LANES; k++)                                                              \
            d[i + k] = (uint8_t)bits[k];                                                                     \
    }
#else
#define LANES_TO_S8(OP)
#endif

#define LOOP_F16_S8(name, OP)                                                                                \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint8_t *d = dst;                                                                                    \
        const uint16_t *x = a, *y = b;                                                                       \
        int64_t i = 0;                                                                                       \
        LANES_TO_S8(OP)                                                                                      \
        for (; i < n; i++) {                                                                                 \
            const float exact = OP(pto_f32_from_f16(x[i]), pto_f32_from_f16(y[i]));                          \
            d[i] = byte_of(pto_f32_from_f16(pto_f16_from_f32(exact)));                                       \
        }                                                                                                    \
    }
LOOP_F16_S8(add_f16_s8, ADD)
LOOP_F16_S8(sub_f16_s8, SUB)

/* ---- s16 to s8 ---- */

static inline int8_t clamped(int32_t value) { return (int8_t)(value < 0 ? 0 : value > 127 ? 127 : value); }

/* Sums that saturate at 16 bits end in the same bytes. */
#if defined(PTO_LEVEL_AVX512)
#define WIDE_ADD _mm512_adds_epi16
#define WIDE_SUB _mm512_subs_epi16
#define LANES_S16_S8(OP)                                                                                     \
    for (; i + 32 <= n; i += 32) {                                                                           \
        __m512i sum = WIDE_##OP(_mm512_loadu_si512(x + i), _mm512_loadu_si512(y + i));                       \
        sum = _mm512_max_epi16(_mm512_setzero_si512(), _mm512_min_epi16(sum, _mm512_set1_epi16(127)));       \
        _mm256_storeu_si256((void *)(d + i), _mm512_cvtepi16_epi8(sum));                                     \
    }
#elif defined(PTO_LEVEL_AVX2)
#define WIDE_ADD _mm256_adds_epi16
#define WIDE_SUB _mm256_subs_epi16
#define WIDE_LOAD(at) _mm256_loadu_si256((const void *)(at))
#define LANES_S16_S8(OP)                                                                                     \
    for (; i + 32 <= n; i += 32) {                                                                           \
        const __m256i most = _mm256_set1_epi16(127);                                                         \
        const __m256i p = _mm256_min_epi16(WIDE_##OP(WIDE_LOAD(x + i), WIDE_LOAD(y + i)), most);             \
        const __m256i q = _mm256_min_epi16(WIDE_##OP(WIDE_LOAD(x + i + 16), WIDE_LOAD(y + i + 16)), most);   \
        const __m256i halves = _mm256_packus_epi16(p, q);                                                    \
        _mm256_storeu_si256((void *)(d + i), _mm256_permute4x64_epi64(halves, 0xD8));                        \
    }
#else
#define LANES_S16_S8(OP)
#endif
#define LOOP_S16_S8(name, OP)                                                                                \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        int8_t *d = dst;                                                                                     \
        const int16_t *x = a, *y = b;                                                                        \
        int64_t i = 0;                                                                                       \
        LANES_S16_S8(OP)                                                                                     \
        for (; i < n; i++)                                                                                   \
            d[i] = clamped(OP(x[i], y[i]));                                                                  \
    }
LOOP_S16_S8(add_s16_s8, ADD)
LOOP_S16_S8(sub_s16_s8, SUB)

static pto_status run(const pto_kernel_call *call, pto_map_loop f32_f16, pto_map_loop f16_s8,
                      pto_map_loop s16_s8) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_dtype from = pto_call_tile(call, 1)->type.dtype;
    pto_map_input input[3] = {pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(pto_call_tile(call, 2)),
                              pto_map_none()};
    if (!pto_map_stage(call, dst, input, 3))
        return PTO_ERR_NOMEM;
    pto_map_walk(from == PTO_F32 ? f32_f16 : from == PTO_F16 ? f16_s8 : s16_s8, dst, input, NULL);
    if (pto_map_flushes(call, dst->type.dtype))
        pto_map_flush_tile(dst);
    return PTO_OK;
}

PTO_KERNEL(taddreluconv) {
    return run(call, call->numeric->relu_keeps_nan ? add_f32_f16_nan : add_f32_f16, add_f16_s8, add_s16_s8);
}
PTO_KERNEL(tsubreluconv) {
    return run(call, call->numeric->relu_keeps_nan ? sub_f32_f16_nan : sub_f32_f16, sub_f16_s8, sub_s16_s8);
}
