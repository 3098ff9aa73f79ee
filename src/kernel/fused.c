/* SPDX-License-Identifier: Apache-2.0 */
/* TMULADDDST and TADDDEQRELU (10, 7.1, 7.4). */
#include "kernel/fma.h"

/* ---- TMULADDDST: dst = src0 * src1 + dst, one rounding; option "unfused": two ---- */

#define LOOP_MULADD(name, T, F)                                                                              \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y[i], d[i]);                      \
    }

LOOP_MULADD(muladd_8, uint8_t, PTO_MULADD_8)
LOOP_MULADD(muladd_16, uint16_t, PTO_MULADD_16)
LOOP_MULADD(muladd_32, uint32_t, PTO_MULADD)
LOOP_MULADD(muladd_64, uint64_t, PTO_MULADD)
LOOP_MULADD(muladd_f32, float, PTO_FMA_F32)
LOOP_MULADD(unfused_f32, float, PTO_UNFUSED_F32)
static void muladd_bf16(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    uint16_t *d = dst;
    const uint16_t *x = a, *y = b;
    PTO_FMA_BF16_RUN(n, d[i], PTO_FMA_AS_IS, x[i], y[i], d[i])
}

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

static void muladd_f16(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    uint16_t *d = dst;
    const uint16_t *x = a, *y = b;
    int64_t i = 0;
    for (; i + PTO_LANES <= n; i += PTO_LANES)
        pto_lanes_store_f16(d + i,
                            pto_fma_half_odd_lanes(pto_lanes_load_f16(x + i), pto_lanes_load_f16(y + i),
                                                   pto_lanes_load_f16(d + i)));
    for (; i < n; i++)
        d[i] = pto_fma_f16(x[i], y[i], d[i]);
}

#else
LOOP_MULADD(muladd_f16, uint16_t, pto_fma_f16)
#endif

/* The option is for comparing with the simulator: plain loops do. */
LOOP_MULADD(unfused_f16, uint16_t, pto_unfused_f16)
LOOP_MULADD(unfused_bf16, uint16_t, pto_unfused_bf16)

#define OP_MULADD(name)                                                                                      \
    static const pto_map_op name##_op = {.loop = {[PTO_S8] = muladd_8,                                       \
                                                  [PTO_U8] = muladd_8,                                       \
                                                  [PTO_S16] = muladd_16,                                     \
                                                  [PTO_U16] = muladd_16,                                     \
                                                  [PTO_S32] = muladd_32,                                     \
                                                  [PTO_U32] = muladd_32,                                     \
                                                  [PTO_S64] = muladd_64,                                     \
                                                  [PTO_U64] = muladd_64,                                     \
                                                  [PTO_F16] = name##_f16,                                    \
                                                  [PTO_BF16] = name##_bf16,                                  \
                                                  [PTO_F32] = name##_f32},                                   \
                                         .reads_dst = true

OP_MULADD(muladd), .exact = PTO_EXACT_MULADD
}
;
OP_MULADD(unfused), .exact = PTO_EXACT_MULADD_UNFUSED
}
;

PTO_KERNEL(tmuladddst) {
    return pto_map_run(call, call->numeric->unfused ? &unfused_op : &muladd_op, pto_call_tile(call, 0),
                       pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(pto_call_tile(call, 2)));
}

/* ---- TADDDEQRELU: half(max(0, (src0 + src1) * deqScale)) ---- */

/* The founding document's sequence, each step rounded to float. */
static inline float dequantise(uint32_t x, uint32_t y, float scale) {
    const float sum = (float)(int32_t)(x + y);
    return sum * 0x1p-17f * scale * 0x1p17f;
}

static inline uint16_t adddeqrelu_one(uint32_t x, uint32_t y, float scale) {
    const float value = dequantise(x, y, scale);
    return pto_f16_from_f32_sat(value > 0.0f ? value : 0.0f);
}

static inline uint16_t adddeqrelu_nan_one(uint32_t x, uint32_t y, float scale) {
    const float value = dequantise(x, y, scale);
    return pto_f16_from_f32_sat(value > 0.0f || value != value ? value : 0.0f);
}

static void adddeqrelu(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    uint16_t *d = dst;
    const uint32_t *x = a, *y = b;
    const float scale = *(const float *)extra;
    int64_t i = 0;
    /* max and min return their second operand when the first is NaN: NaN becomes +0. The limit 65504 before
     * the narrowing gives what saturating after it gives. */
#if defined(PTO_LEVEL_AVX512)
    const __m512 factor = _mm512_set1_ps(scale), limit = _mm512_set1_ps(65504.0f);
    const __m512 down = _mm512_set1_ps(0x1p-17f), up = _mm512_set1_ps(0x1p17f);
    for (; i + 16 <= n; i += 16) {
        const __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(x + i), _mm512_loadu_si512(y + i));
        const __m512 scaled = _mm512_mul_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), down), factor);
        const __m512 positive = _mm512_max_ps(_mm512_mul_ps(scaled, up), _mm512_setzero_ps());
        _mm256_storeu_si256((__m256i *)(void *)(d + i),
                            _mm512_cvtps_ph(_mm512_min_ps(positive, limit), _MM_FROUND_TO_NEAREST_INT));
    }
#elif defined(PTO_LEVEL_AVX2)
    const __m256 factor = _mm256_set1_ps(scale), limit = _mm256_set1_ps(65504.0f);
    const __m256 down = _mm256_set1_ps(0x1p-17f), up = _mm256_set1_ps(0x1p17f);
    for (; i + 8 <= n; i += 8) {
        const __m256i sum = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(x + i)),
                                             _mm256_loadu_si256((const __m256i *)(const void *)(y + i)));
        const __m256 scaled = _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), down), factor);
        const __m256 positive = _mm256_max_ps(_mm256_mul_ps(scaled, up), _mm256_setzero_ps());
        _mm_storeu_si128((__m128i *)(void *)(d + i),
                         _mm256_cvtps_ph(_mm256_min_ps(positive, limit), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
#pragma omp simd
    for (int64_t k = i; k < n; k++)
        d[k] = adddeqrelu_one(x[k], y[k], scale);
}

static void adddeqrelu_nan(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    uint16_t *d = dst;
    const uint32_t *x = a, *y = b;
    const float scale = *(const float *)extra;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        d[i] = adddeqrelu_nan_one(x[i], y[i], scale);
}

/* What the a2a3 hardware leaves behind (10, 7.4): the scaled sums in src0, their positive part in src1, zeros
 * in the scratch. Its tiles are row-major. */
static void clobber(const pto_kernel_call *call, float scale) {
    const pto_tile *dst = pto_call_tile(call, 0), *src0 = pto_call_tile(call, 1),
                   *src1 = pto_call_tile(call, 2), *tmp = pto_call_tile(call, 4);
    for (int32_t r = 0; r < dst->valid_rows; r++) {
        uint32_t *x = (uint32_t *)src0->data + (int64_t)r * src0->type.cols,
                 *y = (uint32_t *)src1->data + (int64_t)r * src1->type.cols;
        for (int32_t c = 0; c < dst->valid_cols; c++) {
            const float value = dequantise(x[c], y[c], scale);
            x[c] = pto_f32_bits(value);
            y[c] = pto_f32_bits(value > 0.0f ? value : 0.0f);
        }
        if (tmp)
            memset((uint32_t *)tmp->data + (int64_t)r * tmp->type.cols, 0, (size_t)dst->valid_cols * 4);
    }
}

PTO_KERNEL(tadddeqrelu) {
    pto_tile *dst = pto_call_tile(call, 0);
    uint64_t code = pto_scalar_code(PTO_F32, pto_call_scalar(call, 3));
    if (pto_map_flushes(call, PTO_F16))
        pto_map_flush(&code, PTO_F32, 1);
    const float scale = pto_f32_from_bits((uint32_t)code);
    pto_map_input input[2] = {pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(pto_call_tile(call, 2))};
    if (!pto_map_stage(call, dst, input, 2))
        return PTO_ERR_NOMEM;
    pto_map_walk(call->numeric->relu_keeps_nan ? adddeqrelu_nan : adddeqrelu, dst, input, &scale);
    if (pto_map_flushes(call, PTO_F16))
        pto_map_flush_tile(dst);
    if (call->numeric->clobber_sources && call->target == PTO_TARGET_A2A3)
        clobber(call, scale);
    return PTO_OK;
}
