/* SPDX-License-Identifier: Apache-2.0 */
/* TEXP and TLOG (part 10, 5). half and bf16 are the float result rounded once. */
#include "kernel/half_stages.h"
#include "kernel/lanes_exp.h"
#include "kernel/snapshot.h"
#include "kernel/vec_math.h"

enum { OPERAND_DST, OPERAND_SRC };
enum { CHUNK = 512 };

typedef void (*float_loop)(float *to, const float *from, int64_t count);

static void exp_loop(float *to, const float *from, int64_t count) {
    PTO_EXP_RUN(to, count, pto_lanes_load(from + i), from[i]);
}

static void log_loop(float *to, const float *from, int64_t count) {
    _Pragma("omp simd") for (int64_t i = 0; i < count; i++) to[i] = pto_logf(from[i]);
}

/* A subnormal becomes a zero of its sign (option flush_subnormals). */
static void flush_floats(float *to, const float *from, int64_t count, float smallest_normal) {
    _Pragma("omp simd") for (int64_t i = 0; i < count; i++) {
        const float zero = __builtin_copysignf(0.0f, from[i]);
        to[i] = __builtin_fabsf(from[i]) < smallest_normal ? zero : from[i];
    }
}

static void flush_halves(uint16_t *to, int64_t count, uint32_t smallest_normal) {
    _Pragma("omp simd") for (int64_t i = 0; i < count; i++) to[i] =
        (uint16_t)((to[i] & 0x7FFFu) < smallest_normal ? to[i] & 0x8000u : to[i]);
}

static void run_floats(float_loop loop, bool flush, float *to, const float *from, int64_t count) {
    if (!flush) {
        loop(to, from, count);
        return;
    }
    flush_floats(to, from, count, 0x1p-126f);
    loop(to, to, count);
    flush_floats(to, to, count, 0x1p-126f);
}

static void run_halves(float_loop loop, pto_dtype dtype, bool flush, uint16_t *to, const uint16_t *from,
                       int64_t count) {
    const bool f16 = dtype == PTO_F16;
    _Alignas(64) float buffer[CHUNK];
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t n = count - i < CHUNK ? count - i : CHUNK;
        if (f16)
            pto_half_load_f16(buffer, from + i, n);
        else
            pto_half_load_bf16(buffer, from + i, n);
        if (flush)
            flush_floats(buffer, buffer, n, f16 ? 0x1p-14f : 0x1p-126f);
        loop(buffer, buffer, n);
        if (f16)
            pto_half_store_f16(to + i, buffer, n, false);
        else
            pto_half_store_bf16(to + i, buffer, n, false);
        if (flush) /* what is subnormal after rounding */
            flush_halves(to + i, n, f16 ? 0x0400u : 0x0080u);
    }
}

static pto_status unary(const pto_kernel_call *call, float_loop loop, pto_exact_op exact) {
    pto_tile *dst = pto_call_tile(call, OPERAND_DST);
    const pto_tile *src = pto_call_tile(call, OPERAND_SRC);
    const pto_dtype dtype = dst->type.dtype;
    if (dtype != PTO_F32 && dtype != PTO_F16 && dtype != PTO_BF16) { /* in the block form */
        const pto_map_input input[3] = {pto_map_tile(src), pto_map_none(), pto_map_none()};
        pto_exact_map(exact, dst, input);
        return PTO_OK;
    }
    const bool flush = call->numeric->flush_subnormals;
    const void *from = pto_source_data(call, dst, src);
    if (!from)
        return PTO_ERR_NOMEM;
    void *to = dst->data;
    pto_runs runs;
    const pto_tile_type *const types[] = {&dst->type, &src->type};
    if (!pto_runs_begin(&runs, types, 2, dst->valid_rows, dst->valid_cols))
        return PTO_OK;
    do {
        for (int64_t k = 0; k < runs.count; k++) {
            const int64_t outer = k / runs.inner, inner = k % runs.inner;
            const int64_t start = runs.start[0] + outer * runs.outer_step[0] + inner * runs.inner_step[0];
            const int64_t first = runs.start[1] + outer * runs.outer_step[1] + inner * runs.inner_step[1];
            if (dtype == PTO_F32)
                run_floats(loop, flush, (float *)to + start, (const float *)from + first, runs.length);
            else
                run_halves(loop, dtype, flush, (uint16_t *)to + start, (const uint16_t *)from + first,
                           runs.length);
        }
    } while (pto_runs_next(&runs));
    return PTO_OK;
}

PTO_KERNEL(texp) { return unary(call, exp_loop, PTO_EXACT_EXP); }

PTO_KERNEL(tlog) { return unary(call, log_loop, PTO_EXACT_LOG); }
