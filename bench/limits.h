/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine can do at best, measured: the yardsticks of the benchmarks; and how to time. */
#ifndef PTO_BENCH_LIMITS_H
#define PTO_BENCH_LIMITS_H

#include <stddef.h>

#include <pto/options.h>

/* Effort of a measurement: repetitions go on for `seconds` in all, each at least `batch` seconds long. */
typedef struct bench_effort {
    double seconds, batch;
} bench_effort;

/* Best time in seconds of one call of fn(context): warmed up, batched, the fastest repetition. */
double bench_time(bench_effort effort, void (*fn)(void *context), void *context);

/* Bytes per second, read and written, of copying within a working set of `bytes` (half source, half
 * destination): the faster of memcpy and an unrolled loop with the vectors of the level. */
double bench_copy_rate(bench_effort effort, pto_simd_level level, size_t bytes);
/* Operations per second on registers alone, a multiply-add counting two: f32 fma (multiply and add where the
 * level has no fma), and s8 products as s16 pairs (pmaddwd and an addition). 0 = not known here. */
double bench_float_peak(bench_effort effort, pto_simd_level level);
double bench_int8_peak(bench_effort effort, pto_simd_level level);

/* The level that PTO_SIMD_BEST stands for on this machine, its name, and back (false: unknown name). */
pto_simd_level bench_best_level(void);
const char *bench_level_name(pto_simd_level level);
bool bench_level_from_name(const char *name, pto_simd_level *level);

/* What instructions compute that are bound by an operation and not by memory, as plain loops over arrays:
 * those that vectorise at a level, and calls of the C library. */
typedef enum bench_loop {
    BENCH_DIVIDE_F32,
    BENCH_DIVIDE_F64,
    BENCH_DIVIDE_S64,
    BENCH_SQRT_F32,
    BENCH_RSQRT_F32, /* 1 / sqrt(x) */
    BENCH_RSQRT_F64,
    BENCH_FMODF,
    BENCH_EXPF,
    BENCH_LOGF,
    BENCH_POWF,
    BENCH_POW_S32, /* by squaring */
    BENCH_LOOP_COUNT
} bench_loop;
const char *bench_loop_name(bench_loop loop);
/* Seconds that the loop takes for count elements. */
double bench_loop_time(bench_effort effort, pto_simd_level level, bench_loop loop, size_t count);

#endif
