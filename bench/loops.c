/* SPDX-License-Identifier: Apache-2.0 */
/* The plain loops of limits.h. Those that vectorise exist once per SIMD level, by target attributes. */
#include "levels.h"
#include "limits.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct loop_job {
    size_t count;
    const void *x, *y;
    void *z;
} loop_job;

#define KEEP(job) __asm__ volatile("" : : "r"((job)->z) : "memory")
#define LOOP(name, attribute, T, expression)                                                                 \
    attribute static void name(void *context) {                                                              \
        const loop_job *job = context;                                                                       \
        const T *restrict x = job->x, *restrict y = job->y;                                                  \
        T *restrict z = job->z;                                                                              \
        for (size_t i = 0; i < job->count; i++)                                                              \
            z[i] = expression;                                                                               \
        (void)y;                                                                                             \
        KEEP(job);                                                                                           \
    }

LEVELS(divide_f32, float, x[i] / y[i])
LEVELS(divide_f64, double, x[i] / y[i])
LEVELS(divide_s64, int64_t, x[i] / y[i])
LEVELS(sqrt_f32, float, sqrtf(x[i]))
LEVELS(rsqrt_f32, float, 1.0f / sqrtf(x[i]))
LEVELS(rsqrt_f64, double, 1.0 / sqrt(x[i]))
LOOP(fmod_base, , float, fmodf(x[i], y[i]))
LOOP(exp_base, , float, expf(x[i]))
LOOP(log_base, , float, logf(x[i]))
LOOP(pow_base, , float, powf(x[i], y[i]))

static int32_t power(uint32_t base, uint32_t exponent) {
    uint32_t result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        result *= exponent & 1 ? base : 1;
    return (int32_t)result;
}
LOOP(power_base, , int32_t, power((uint32_t)x[i], (uint32_t)y[i]))

#define SAME(name)                                                                                           \
    { name, name, name, name }
static const struct {
    const char *name;
    enum { F32, F64, S32, S64 } type;
    void (*level[4])(void *); /* by pto_simd_level */
} loops[BENCH_LOOP_COUNT] = {[BENCH_DIVIDE_F32] = {"f32 /", F32, OF_LEVEL(divide_f32)},
                             [BENCH_DIVIDE_F64] = {"f64 /", F64, OF_LEVEL(divide_f64)},
                             [BENCH_DIVIDE_S64] = {"s64 /", S64, OF_LEVEL(divide_s64)},
                             [BENCH_SQRT_F32] = {"sqrtf", F32, OF_LEVEL(sqrt_f32)},
                             [BENCH_RSQRT_F32] = {"1/sqrtf", F32, OF_LEVEL(rsqrt_f32)},
                             [BENCH_RSQRT_F64] = {"1/sqrt", F64, OF_LEVEL(rsqrt_f64)},
                             [BENCH_FMODF] = {"fmodf", F32, SAME(fmod_base)},
                             [BENCH_EXPF] = {"expf", F32, SAME(exp_base)},
                             [BENCH_LOGF] = {"logf", F32, SAME(log_base)},
                             [BENCH_POWF] = {"powf", F32, SAME(pow_base)},
                             [BENCH_POW_S32] = {"s32 pow", S32, SAME(power_base)}};

const char *bench_loop_name(bench_loop loop) { return loops[loop].name; }

/* Numbers of about 1 to 9, integers of 1 to 9. */
static void fill(void *data, int type, size_t count) {
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const uint32_t whole = 1 + (state >> 24) % 9;
        const double value = whole + (double)(state >> 8 & 0xFFFF) / 65536.0;
        if (type == F32)
            ((float *)data)[i] = (float)value;
        else if (type == F64)
            ((double *)data)[i] = value;
        else if (type == S32)
            ((int32_t *)data)[i] = (int32_t)whole;
        else
            ((int64_t *)data)[i] = (int64_t)whole << 32;
    }
}

double bench_loop_time(bench_effort effort, pto_simd_level level, bench_loop loop, size_t count) {
    const size_t bytes = (count * 8 + 63) / 64 * 64;
    char *block = aligned_alloc(64, 3 * bytes);
    if (!block || !count) {
        free(block);
        return 0;
    }
    fill(block, loops[loop].type, count);
    fill(block + bytes, loops[loop].type, count);
    loop_job job = {count, block, block + bytes, block + 2 * bytes};
    const double seconds = bench_time(effort, loops[loop].level[level], &job);
    free(block);
    return seconds;
}
