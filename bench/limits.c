/* SPDX-License-Identifier: Apache-2.0 */
/* See limits.h. Every loop exists once per SIMD level, by target attributes. */
#include "limits.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pto/core.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double batch_time(void (*fn)(void *), void *context, long calls) {
    const double start = now();
    for (long i = 0; i < calls; i++)
        fn(context);
    return now() - start;
}

double bench_time(bench_effort effort, void (*fn)(void *context), void *context) {
    long calls = 1;
    double took = batch_time(fn, context, calls);
    while (took < effort.batch) { /* also the warm-up */
        calls *= 2;
        took = batch_time(fn, context, calls);
    }
    double best = took, spent = 0;
    for (int i = 0; i < 5 || spent < effort.seconds; i++) {
        took = batch_time(fn, context, calls);
        spent += took;
        best = took < best ? took : best;
    }
    return best / (double)calls;
}

/* ---- copying ---- */

typedef struct copy_job {
    char *to;
    const char *from;
    size_t bytes; /* a multiple of 512 */
} copy_job;

/* noinline and the opaque pointer keep the compiler from seeing through repeated copies. */
static void copy_memcpy(void *context) {
    const copy_job *job = context;
    memcpy(job->to, job->from, job->bytes);
    __asm__ volatile("" : : "r"(job->to) : "memory");
}

#if defined(__x86_64__)

#define COPY_LOOP(name, target_level, type, load, store)                                                     \
    __attribute__((target(target_level))) static void name(void *context) {                                  \
        const copy_job *job = context;                                                                       \
        for (size_t i = 0; i < job->bytes; i += 8 * sizeof(type)) {                                          \
            const void *from = job->from + i;                                                                \
            void *to = job->to + i;                                                                          \
            const type v0 = load((const type *)from), v1 = load((const type *)from + 1);                     \
            const type v2 = load((const type *)from + 2), v3 = load((const type *)from + 3);                 \
            const type v4 = load((const type *)from + 4), v5 = load((const type *)from + 5);                 \
            const type v6 = load((const type *)from + 6), v7 = load((const type *)from + 7);                 \
            store((type *)to, v0);                                                                           \
            store((type *)to + 1, v1);                                                                       \
            store((type *)to + 2, v2);                                                                       \
            store((type *)to + 3, v3);                                                                       \
            store((type *)to + 4, v4);                                                                       \
            store((type *)to + 5, v5);                                                                       \
            store((type *)to + 6, v6);                                                                       \
            store((type *)to + 7, v7);                                                                       \
        }                                                                                                    \
    }
COPY_LOOP(copy_base, "sse2", __m128i, _mm_load_si128, _mm_store_si128)
COPY_LOOP(copy_avx2, "avx2", __m256i, _mm256_load_si256, _mm256_store_si256)
COPY_LOOP(copy_avx512, "avx512f", __m512i, _mm512_load_si512, _mm512_store_si512)

static void (*copy_loop(pto_simd_level level))(void *) {
    return level == PTO_SIMD_AVX512 ? copy_avx512 : level == PTO_SIMD_AVX2 ? copy_avx2 : copy_base;
}

#else

static void (*copy_loop(pto_simd_level level))(void *) {
    (void)level;
    return copy_memcpy;
}

#endif

double bench_copy_rate(bench_effort effort, pto_simd_level level, size_t bytes) {
    const size_t half = (bytes / 2 + 511) / 512 * 512;
    /* the halves lie apart by no multiple of 4 KB, or loads would wait for stores that they do not meet */
    char *block = aligned_alloc(4096, (2 * half + 4096 + 1024 + 4095) / 4096 * 4096);
    if (!block)
        return 0;
    memset(block, 1, 2 * half + 4096);
    const size_t gap = half % 4096 < 1024 ? 2048 : 0;
    copy_job job = {.to = block + half + gap, .from = block, .bytes = half};
    const double plain = bench_time(effort, copy_memcpy, &job);
    const double loop = bench_time(effort, copy_loop(level), &job);
    free(block);
    return 2.0 * (double)half / (loop < plain ? loop : plain);
}

/* ---- arithmetic on registers ---- */

enum { CHAINS = 12, TURNS = 1000 };

#if defined(__x86_64__)

#define CHAINS_OF(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define DECLARE(i) a##i = set1(i + 1),
#define STEP(i) a##i = step(a##i, x, y);
#define KEEP(i) __asm__ volatile("" : : REGISTER(a##i));

/* TURNS times one step on each of CHAINS independent values, which the compiler must keep. */
#define PEAK_LOOP(name, target_level, type)                                                                  \
    __attribute__((target(target_level))) static void name(void *context) {                                  \
        (void)context;                                                                                       \
        type CHAINS_OF(DECLARE) x = set1(0), y = set1(1);                                                    \
        __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y)); /* not constants */                         \
        for (int turn = 0; turn < TURNS; turn++) {                                                           \
            CHAINS_OF(STEP)                                                                                  \
        }                                                                                                    \
        CHAINS_OF(KEEP)                                                                                      \
    }
#define REGISTER(v) "x"(v)

#define set1(v) _mm_set1_ps((float)(v))
#define step(a, x, y) _mm_add_ps(_mm_mul_ps(a, x), y)
PEAK_LOOP(float_base, "sse2", __m128)
#undef set1
#undef step
#define set1(v) _mm256_set1_ps((float)(v))
#define step(a, x, y) _mm256_fmadd_ps(a, x, y)
PEAK_LOOP(float_avx2, "avx2,fma", __m256)
#undef set1
#undef step
#define set1(v) _mm_set1_epi16((short)(v))
#define step(a, x, y) _mm_add_epi32(_mm_madd_epi16(a, y), x)
PEAK_LOOP(int8_base, "sse2", __m128i)
#undef set1
#undef step
#define set1(v) _mm256_set1_epi16((short)(v))
#define step(a, x, y) _mm256_add_epi32(_mm256_madd_epi16(a, y), x)
PEAK_LOOP(int8_avx2, "avx2", __m256i)
#undef set1
#undef step
#undef REGISTER
#define REGISTER(v) "v"(v)
#define set1(v) _mm512_set1_ps((float)(v))
#define step(a, x, y) _mm512_fmadd_ps(a, x, y)
PEAK_LOOP(float_avx512, "avx512f", __m512)
#undef set1
#undef step
#define set1(v) _mm512_set1_epi16((short)(v))
#define step(a, x, y) _mm512_add_epi32(_mm512_madd_epi16(a, y), x)
PEAK_LOOP(int8_avx512, "avx512f,avx512bw", __m512i)
#undef set1
#undef step

static int lanes(pto_simd_level level) {
    return level == PTO_SIMD_AVX512 ? 16 : level == PTO_SIMD_AVX2 ? 8 : 4;
}

double bench_float_peak(bench_effort effort, pto_simd_level level) {
    void (*const loop)(void *) = level == PTO_SIMD_AVX512 ? float_avx512
                                 : level == PTO_SIMD_AVX2 ? float_avx2
                                                          : float_base;
    return 2.0 * lanes(level) * CHAINS * TURNS / bench_time(effort, loop, NULL);
}

double bench_int8_peak(bench_effort effort, pto_simd_level level) {
    void (*const loop)(void *) = level == PTO_SIMD_AVX512 ? int8_avx512
                                 : level == PTO_SIMD_AVX2 ? int8_avx2
                                                          : int8_base;
    return 4.0 * lanes(level) * CHAINS * TURNS / bench_time(effort, loop, NULL);
}

#elif defined(__aarch64__)
#include <arm_neon.h>

static void float_neon(void *context) {
    (void)context;
    float32x4_t a[CHAINS];
    const float32x4_t x = vdupq_n_f32(0.5f);
    for (int i = 0; i < CHAINS; i++)
        a[i] = vdupq_n_f32((float)i);
    for (int turn = 0; turn < TURNS; turn++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            a[i] = vfmaq_f32(x, a[i], x);
    for (int i = 0; i < CHAINS; i++)
        __asm__ volatile("" : : "w"(a[i]));
}

double bench_float_peak(bench_effort effort, pto_simd_level level) {
    (void)level;
    return 2.0 * 4 * CHAINS * TURNS / bench_time(effort, float_neon, NULL);
}

double bench_int8_peak(bench_effort effort, pto_simd_level level) {
    (void)effort, (void)level;
    return 0;
}

#else

double bench_float_peak(bench_effort effort, pto_simd_level level) {
    (void)effort, (void)level;
    return 0;
}

double bench_int8_peak(bench_effort effort, pto_simd_level level) {
    (void)effort, (void)level;
    return 0;
}

#endif

/* ---- levels ---- */

static const char *const level_names[] = {"best", "base", "avx2", "avx512"};

pto_simd_level bench_best_level(void) {
    for (int level = PTO_SIMD_AVX512; level > PTO_SIMD_BASE; level--) {
        const pto_options options = {.simd = (pto_simd_level)level};
        pto_core *core = pto_core_create(&options);
        pto_core_destroy(core);
        if (core)
            return (pto_simd_level)level;
    }
    return PTO_SIMD_BASE;
}

const char *bench_level_name(pto_simd_level level) { return level_names[level]; }

bool bench_level_from_name(const char *name, pto_simd_level *level) {
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, level_names[i])) {
            *level = (pto_simd_level)i;
            return true;
        }
    return false;
}
