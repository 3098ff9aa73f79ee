/* SPDX-License-Identifier: Apache-2.0 */
/* TFUSEDMULADD, TFUSEDMULADDRELU (10, 7.1) and TAXPY (20, 2): products added to or with the old destination,
 * one rounding; option "unfused": two. */
#include "kernel/fma.h"

#define LOOP_FUSED(name, T, F)                                                                               \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], d[i], y[i]);                      \
    }

#define LOOP_AXPY(name, T, F)                                                                                \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        const T y = *(const T *)b;                                                                           \
        _Pragma("omp simd") for (int64_t i = 0; i < n; i++) d[i] = F(x[i], y, d[i]);                         \
    }

/* ---- relu of a result, +0 for NaN unless the option keeps it ---- */

static inline uint8_t relu_8(uint8_t x) { return (uint8_t)((int8_t)x > 0 ? x : 0); }
static inline uint16_t relu_16(uint16_t x) { return (uint16_t)((int16_t)x > 0 ? x : 0); }
static inline uint32_t relu_32(uint32_t x) { return (int32_t)x > 0 ? x : 0; }
static inline uint64_t relu_64(uint64_t x) { return (int64_t)x > 0 ? x : 0; }
static inline float relu_f32(float x) { return x > 0.0f ? x : 0.0f; }
static inline float relu_nan_f32(float x) { return x > 0.0f || x != x ? x : 0.0f; }
/* results: a NaN is the canonical one */
static inline uint16_t relu_f16(uint16_t x) { return (uint16_t)(x <= 0x7C00u ? x : 0); }
static inline uint16_t relu_nan_f16(uint16_t x) { return (uint16_t)(x < 0x8000u ? x : 0); }
static inline uint16_t relu_bf16(uint16_t x) { return (uint16_t)(x <= 0x7F80u ? x : 0); }
static inline uint16_t relu_nan_bf16(uint16_t x) { return (uint16_t)(x < 0x8000u ? x : 0); }

/* ---- formulas ---- */

#define RELU_8(x, y, z) relu_8(PTO_MULADD_8(x, y, z))
#define RELU_16(x, y, z) relu_16(PTO_MULADD_16(x, y, z))
#define RELU_32(x, y, z) relu_32(PTO_MULADD(x, y, z))
#define RELU_64(x, y, z) relu_64(PTO_MULADD(x, y, z))
#define RELU_F32(x, y, z) relu_f32(__builtin_fmaf(x, y, z))
#define RELU_NAN_F32(x, y, z) relu_nan_f32(PTO_FMA_F32(x, y, z))
#define RELU_UNFUSED_F32(x, y, z) relu_f32((x) * (y) + (z))
#define RELU_NAN_UNFUSED_F32(x, y, z) relu_nan_f32(PTO_UNFUSED_F32(x, y, z))
#define RELU_F16(x, y, z) relu_f16(pto_fma_f16(x, y, z))
#define RELU_NAN_F16(x, y, z) relu_nan_f16(pto_fma_f16(x, y, z))
#define RELU_UNFUSED_F16(x, y, z) relu_f16(pto_unfused_f16(x, y, z))
#define RELU_NAN_UNFUSED_F16(x, y, z) relu_nan_f16(pto_unfused_f16(x, y, z))
#define RELU_UNFUSED_BF16(x, y, z) relu_bf16(pto_unfused_bf16(x, y, z))
#define RELU_NAN_UNFUSED_BF16(x, y, z) relu_nan_bf16(pto_unfused_bf16(x, y, z))

LOOP_FUSED(fused_8, uint8_t, PTO_MULADD_8)
LOOP_FUSED(fused_16, uint16_t, PTO_MULADD_16)
LOOP_FUSED(fused_32, uint32_t, PTO_MULADD)
LOOP_FUSED(fused_64, uint64_t, PTO_MULADD)
LOOP_FUSED(fused_f32, float, PTO_FMA_F32)
LOOP_FUSED(fused_unfused_f32, float, PTO_UNFUSED_F32)
LOOP_FUSED(fused_unfused_f16, uint16_t, pto_unfused_f16)
LOOP_FUSED(fused_unfused_bf16, uint16_t, pto_unfused_bf16)

LOOP_FUSED(relu_s8, uint8_t, RELU_8)
LOOP_FUSED(relu_s16, uint16_t, RELU_16)
LOOP_FUSED(relu_s32, uint32_t, RELU_32)
LOOP_FUSED(relu_s64, uint64_t, RELU_64)
LOOP_FUSED(fused_relu_f32, float, RELU_F32)
LOOP_FUSED(fused_relu_unfused_f32, float, RELU_UNFUSED_F32)
LOOP_FUSED(fused_relu_unfused_f16, uint16_t, RELU_UNFUSED_F16)
LOOP_FUSED(fused_relu_unfused_bf16, uint16_t, RELU_UNFUSED_BF16)
LOOP_FUSED(fused_relu_nan_f32, float, RELU_NAN_F32)
LOOP_FUSED(fused_relu_nan_f16, uint16_t, RELU_NAN_F16)
LOOP_FUSED(fused_relu_nan_unfused_f32, float, RELU_NAN_UNFUSED_F32)
LOOP_FUSED(fused_relu_nan_unfused_f16, uint16_t, RELU_NAN_UNFUSED_F16)
LOOP_FUSED(fused_relu_nan_unfused_bf16, uint16_t, RELU_NAN_UNFUSED_BF16)

LOOP_AXPY(axpy_8, uint8_t, PTO_MULADD_8)
LOOP_AXPY(axpy_16, uint16_t, PTO_MULADD_16)
LOOP_AXPY(axpy_32, uint32_t, PTO_MULADD)
LOOP_AXPY(axpy_64, uint64_t, PTO_MULADD)
LOOP_AXPY(axpy_f32, float, PTO_FMA_F32)

#define LOOP_FUSED_BF16(name, POST)                                                                          \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const uint16_t *x = a, *y = b;                                                                       \
        PTO_FMA_BF16_RUN(n, d[i], POST, x[i], d[i], y[i])                                                    \
    }
LOOP_FUSED_BF16(fused_bf16, PTO_FMA_AS_IS)
LOOP_FUSED_BF16(fused_relu_bf16, relu_bf16)
LOOP_FUSED_BF16(fused_relu_nan_bf16, relu_nan_bf16)

static void axpy_bf16(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    uint16_t *d = dst;
    const uint16_t *x = a, y = *(const uint16_t *)b;
    PTO_FMA_BF16_RUN(n, d[i], PTO_FMA_AS_IS, x[i], y, d[i])
}

LOOP_AXPY(axpy_unfused_f32, float, PTO_UNFUSED_F32)
LOOP_AXPY(axpy_unfused_f16, uint16_t, pto_unfused_f16)
LOOP_AXPY(axpy_unfused_bf16, uint16_t, pto_unfused_bf16)

#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)

#define LANES_SAME(v) (v)
#define LANES_RELU(v) pto_lanes_positive(v, v, pto_lanes_fill(0.0f))

#define LOOP_FUSED_LANES(name, POST, ONE)                                                                    \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        uint16_t *d = dst;                                                                                   \
        const uint16_t *x = a, *y = b;                                                                       \
        int64_t i = 0;                                                                                       \
        for (; i + PTO_LANES <= n; i += PTO_LANES) {                                                         \
            const pto_lanes sum = pto_fma_half_odd_lanes(                                                    \
                pto_lanes_load_f16(x + i), pto_lanes_load_f16(d + i), pto_lanes_load_f16(y + i));            \
            pto_lanes_store_f16(d + i, POST(sum));                                                           \
        }                                                                                                    \
        for (; i < n; i++)                                                                                   \
            d[i] = ONE(x[i], d[i], y[i]);                                                                    \
    }
LOOP_FUSED_LANES(fused_f16, LANES_SAME, pto_fma_f16)
LOOP_FUSED_LANES(fused_relu_f16, LANES_RELU, RELU_F16)

static void axpy_f16(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    uint16_t *d = dst;
    const uint16_t *x = a, y = *(const uint16_t *)b;
    const pto_lanes factor = pto_lanes_fill(pto_f32_from_f16(y));
    int64_t i = 0;
    for (; i + PTO_LANES <= n; i += PTO_LANES)
        pto_lanes_store_f16(
            d + i, pto_fma_half_odd_lanes(pto_lanes_load_f16(x + i), factor, pto_lanes_load_f16(d + i)));
    for (; i < n; i++)
        d[i] = pto_fma_f16(x[i], y, d[i]);
}

#else
LOOP_FUSED(fused_f16, uint16_t, pto_fma_f16)
LOOP_FUSED(fused_relu_f16, uint16_t, RELU_F16)
LOOP_AXPY(axpy_f16, uint16_t, pto_fma_f16)
#endif

#define OP(name, ints, s8, s16, s32, s64, exact_op)                                                          \
    static const pto_map_op name##_op = {.loop = {[PTO_S8] = s8,                                             \
                                                  [PTO_U8] = ints##_8,                                       \
                                                  [PTO_S16] = s16,                                           \
                                                  [PTO_U16] = ints##_16,                                     \
                                                  [PTO_S32] = s32,                                           \
                                                  [PTO_U32] = ints##_32,                                     \
                                                  [PTO_S64] = s64,                                           \
                                                  [PTO_U64] = ints##_64,                                     \
                                                  [PTO_F16] = name##_f16,                                    \
                                                  [PTO_BF16] = name##_bf16,                                  \
                                                  [PTO_F32] = name##_f32},                                   \
                                         .exact = exact_op,                                                  \
                                         .reads_dst = true};
#define OP_PLAIN(name, ints, exact_op) OP(name, ints, ints##_8, ints##_16, ints##_32, ints##_64, exact_op)
#define OP_RELU(name, exact_op) OP(name, fused, relu_s8, relu_s16, relu_s32, relu_s64, exact_op)

OP_PLAIN(fused, fused, PTO_EXACT_FUSED_MULADD)
OP_PLAIN(fused_unfused, fused, PTO_EXACT_FUSED_MULADD_UNFUSED)
OP_RELU(fused_relu, PTO_EXACT_FUSED_MULADD_RELU)
OP_RELU(fused_relu_unfused, PTO_EXACT_FUSED_MULADD_RELU_UNFUSED)
OP_RELU(fused_relu_nan, PTO_EXACT_FUSED_MULADD_RELU_NAN)
OP_RELU(fused_relu_nan_unfused, PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED)
OP_PLAIN(axpy, axpy, PTO_EXACT_MULADD)
OP_PLAIN(axpy_unfused, axpy, PTO_EXACT_MULADD_UNFUSED)

PTO_KERNEL(tfusedmuladd) {
    return pto_map_run(call, call->numeric->unfused ? &fused_unfused_op : &fused_op, pto_call_tile(call, 0),
                       pto_map_tile(pto_call_tile(call, 1)), pto_map_tile(pto_call_tile(call, 2)));
}

PTO_KERNEL(tfusedmuladdrelu) {
    const bool unfused = call->numeric->unfused;
    const pto_map_op *op = unfused ? &fused_relu_unfused_op : &fused_relu_op;
    if (call->numeric->relu_keeps_nan)
        op = unfused ? &fused_relu_nan_unfused_op : &fused_relu_nan_op;
    return pto_map_run(call, op, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),
                       pto_map_tile(pto_call_tile(call, 2)));
}

/* f16 added to f32: the product of two halves is exact in float, so that the sum is the only rounding. */
static void axpy_mixed(void *dst, const void *a, const void *b, int64_t n, const void *extra) {
    (void)extra;
    float *d = dst;
    const uint16_t *x = a;
    const float y = pto_f32_from_f16(*(const uint16_t *)b);
    int64_t i = 0;
#if defined(PTO_LEVEL_AVX512) || defined(PTO_LEVEL_AVX2)
    const pto_lanes factor = pto_lanes_fill(y);
    for (; i + PTO_LANES <= n; i += PTO_LANES) {
        pto_lanes old;
        memcpy(&old, d + i, sizeof old);
        old = pto_lanes_canonical(pto_lanes_load_f16(x + i) * factor + old);
        memcpy(d + i, &old, sizeof old);
    }
#endif
    for (; i < n; i++)
        d[i] = pto_f32_canonical(pto_f32_from_f16(x[i]) * y + d[i]);
}

PTO_KERNEL(taxpy) {
    pto_tile *dst = pto_call_tile(call, 0);
    const pto_tile *src = pto_call_tile(call, 1);
    uint64_t value = pto_scalar_code(src->type.dtype, pto_call_scalar(call, 2));
    if (dst->type.dtype == src->type.dtype)
        return pto_map_run(call, call->numeric->unfused ? &axpy_unfused_op : &axpy_op, dst, pto_map_tile(src),
                           pto_map_value(&value));
    if (dst->valid_rows == 0 || dst->valid_cols == 0)
        return PTO_OK;
    pto_map_input input[3] = {pto_map_tile(src), pto_map_value(&value), pto_map_none()};
    if (!pto_map_stage(call, dst, input, 3))
        return PTO_ERR_NOMEM;
    const bool flushes = pto_map_flushes(call, PTO_F32);
    if (flushes) {
        pto_map_flush(&value, PTO_F16, 1);
        pto_map_flush_tile(dst);
    }
    pto_map_walk(axpy_mixed, dst, input, NULL);
    if (flushes)
        pto_map_flush_tile(dst);
    return PTO_OK;
}
