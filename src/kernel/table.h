/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a SIMD level, one for each kernel name of the instruction table. */
#ifndef PTO_KERNEL_TABLE_H
#define PTO_KERNEL_TABLE_H

#include "kernel/kernel.h"

enum {
#define PTO_KERNEL_ROW(name) PTO_KERNEL_ID_##name,
#include "kernels.inc" /* generated: one PTO_KERNEL_ROW per kernel name of the table */
#undef PTO_KERNEL_ROW
    PTO_KERNEL_COUNT
};

/* Indexed by pto_kernel_id. */
typedef struct pto_kernel_table {
    pto_simd_level level;
    pto_kernel_fn fn[PTO_KERNEL_COUNT];
} pto_kernel_table;

/* The table of a level, or of the best level of this machine for PTO_SIMD_BEST; NULL when the
 * build or the machine lacks the level. */
const pto_kernel_table *pto_kernel_table_get(pto_simd_level level);

#endif
