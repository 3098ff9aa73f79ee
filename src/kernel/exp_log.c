/* SPDX-License-Identifier: Apache-2.0 */
/* TEXP and TLOG (part 10, 5). half and bf16 are the float result rounded once. */
#include "kernel/snapshot.h"
#include "kernel/vec_math.h"
#include "tile/tile.h"

/* A subnormal becomes a zero of its sign (option flush_subnormals). */
static inline uint32_t flush(uint32_t bits, uint32_t sign, uint32_t smallest_normal) {
    return (bits & (sign - 1u)) < smallest_normal ? bits & sign : bits;
}

static inline float f32_load(uint32_t bits) { return pto_f32_from_bits(bits); }
static inline uint32_t f32_store(float value) { return pto_f32_bits(value); }
static inline float f16_load(uint32_t bits) { return pto_f32_from_f16((uint16_t)bits); }
static inline uint32_t f16_store(float value) { return pto_f16_from_f32(value); }
static inline float bf16_load(uint32_t bits) { return pto_f32_from_bf16_raw((uint16_t)bits); }
static inline uint32_t bf16_store(float value) { return pto_bf16_from_f32(value); }

typedef void (*unary_run)(void *dst, const void *src, int64_t count);

/* Two loops of one operation on one element type: plain, and with subnormals flushed. */
#define UNARY_RUNS(operation, format, word, smallest_normal)                                                 \
    static void operation##_##format(void *dst, const void *src, int64_t count) {                            \
        word *to = dst;                                                                                      \
        const word *from = src;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < count; i++) to[i] =                                      \
            (word)format##_store(pto_##operation##f(format##_load(from[i])));                                \
    }                                                                                                        \
    static void operation##_##format##_flush(void *dst, const void *src, int64_t count) {                    \
        const uint32_t sign = 1u << (8 * sizeof(word) - 1);                                                  \
        word *to = dst;                                                                                      \
        const word *from = src;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < count; i++) {                                            \
            const float x = format##_load(flush(from[i], sign, smallest_normal));                            \
            to[i] = (word)flush(format##_store(pto_##operation##f(x)), sign, smallest_normal);               \
        }                                                                                                    \
    }

UNARY_RUNS(exp, f32, uint32_t, UINT32_C(0x00800000))
UNARY_RUNS(exp, f16, uint16_t, 0x0400u)
UNARY_RUNS(exp, bf16, uint16_t, 0x0080u)
UNARY_RUNS(log, f32, uint32_t, UINT32_C(0x00800000))
UNARY_RUNS(log, f16, uint16_t, 0x0400u)
UNARY_RUNS(log, bf16, uint16_t, 0x0080u)

enum { OPERAND_DST, OPERAND_SRC };

/* runs: f32, f16, bf16, then the same with flushing. */
static pto_status unary(const pto_kernel_call *call, const unary_run runs_of[6]) {
    const pto_tile *dst = pto_call_tile(call, OPERAND_DST), *src = pto_call_tile(call, OPERAND_SRC);
    const pto_dtype dtype = dst->type.dtype;
    const int which = (dtype == PTO_F32 ? 0 : dtype == PTO_F16 ? 1 : 2) + 3 * call->numeric->flush_subnormals;
    const int64_t size = pto_dtype_bits(dtype) / 8;
    const uint8_t *from = pto_source_data(call, dst, src);
    if (!from)
        return PTO_ERR_NOMEM;
    uint8_t *to = dst->data;
    pto_runs runs;
    const pto_tile_type *const types[] = {&dst->type, &src->type};
    if (!pto_runs_begin(&runs, types, 2, dst->valid_rows, dst->valid_cols))
        return PTO_OK;
    do {
        for (int64_t k = 0; k < runs.count; k++) {
            const int64_t outer = k / runs.inner, inner = k % runs.inner;
            runs_of[which](
                to + (runs.start[0] + outer * runs.outer_step[0] + inner * runs.inner_step[0]) * size,
                from + (runs.start[1] + outer * runs.outer_step[1] + inner * runs.inner_step[1]) * size,
                runs.length);
        }
    } while (pto_runs_next(&runs));
    return PTO_OK;
}

PTO_KERNEL(texp) {
    static const unary_run runs[6] = {exp_f32,       exp_f16,       exp_bf16,
                                      exp_f32_flush, exp_f16_flush, exp_bf16_flush};
    return unary(call, runs);
}

PTO_KERNEL(tlog) {
    static const unary_run runs[6] = {log_f32,       log_f16,       log_bf16,
                                      log_f32_flush, log_f16_flush, log_bf16_flush};
    return unary(call, runs);
}
