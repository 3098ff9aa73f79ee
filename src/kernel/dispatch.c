/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the kernel table of a SIMD level. Compiled once. */
#include "kernel/table.h"

extern const pto_kernel_table pto_kernel_table_base;
#ifdef PTO_HAVE_AVX2
extern const pto_kernel_table pto_kernel_table_avx2;
#endif
#ifdef PTO_HAVE_AVX512
extern const pto_kernel_table pto_kernel_table_avx512;
#endif

static const pto_kernel_table *level_table(pto_simd_level level) {
    switch (level) {
    case PTO_SIMD_BASE:
        return &pto_kernel_table_base;
#ifdef PTO_HAVE_AVX2
    case PTO_SIMD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &pto_kernel_table_avx2
                                                                               : NULL;
#endif
#ifdef PTO_HAVE_AVX512
    case PTO_SIMD_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("fma")
                   ? &pto_kernel_table_avx512
                   : NULL;
#endif
    default:
        return NULL;
    }
}

const pto_kernel_table *pto_kernel_table_get(pto_simd_level level) {
    if (level != PTO_SIMD_BEST)
        return level_table(level);
    const pto_kernel_table *table = level_table(PTO_SIMD_AVX512);
    if (!table)
        table = level_table(PTO_SIMD_AVX2);
    return table ? table : level_table(PTO_SIMD_BASE);
}
