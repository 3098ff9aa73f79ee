/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table of this SIMD level, from the generated list. */
#include "kernel/table.h"

#define PTO_LEVEL_PASTE2(prefix, level) prefix##level
#define PTO_LEVEL_PASTE(prefix, level) PTO_LEVEL_PASTE2(prefix, level)

#if defined(PTO_LEVEL_AVX512)
#define PTO_THIS_LEVEL PTO_SIMD_AVX512
#elif defined(PTO_LEVEL_AVX2)
#define PTO_THIS_LEVEL PTO_SIMD_AVX2
#else
#define PTO_THIS_LEVEL PTO_SIMD_BASE
#endif

#define PTO_KERNEL_ROW(name) pto_status PTO_KERNEL_SYMBOL(name)(const pto_kernel_call *call);
#include "kernels.inc"
#undef PTO_KERNEL_ROW

extern const pto_kernel_table PTO_LEVEL_PASTE(pto_kernel_table_, PTO_SIMD_LEVEL_NAME);
const pto_kernel_table PTO_LEVEL_PASTE(pto_kernel_table_, PTO_SIMD_LEVEL_NAME) = {
    .level = PTO_THIS_LEVEL,
    .fn =
        {
#define PTO_KERNEL_ROW(name) [PTO_KERNEL_ID_##name] = PTO_KERNEL_SYMBOL(name),
#include "kernels.inc"
#undef PTO_KERNEL_ROW
        },
};
