/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that exist once per SIMD level, by target attributes: LEVELS(name, ...) makes name_base, name_avx2
 * and name_avx512 out of LOOP(name, attribute, ...), OF_LEVEL(name) lists them by pto_simd_level. */
#ifndef PTO_BENCH_LEVELS_H
#define PTO_BENCH_LEVELS_H

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma")))
#ifdef __clang__
#define AVX512 __attribute__((target("avx512f")))
#else
#define AVX512 __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#define LEVELS(name, ...)                                                                                    \
    LOOP(name##_base, , __VA_ARGS__)                                                                         \
    LOOP(name##_avx2, AVX2, __VA_ARGS__)                                                                     \
    LOOP(name##_avx512, AVX512, __VA_ARGS__)
#define OF_LEVEL(name)                                                                                       \
    { name##_base, name##_base, name##_avx2, name##_avx512 }
#else
#define LEVELS(name, ...) LOOP(name##_base, , __VA_ARGS__)
#define OF_LEVEL(name)                                                                                       \
    { name##_base, name##_base, name##_base, name##_base }
#endif

#endif
