/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements of its table an instruction with indices accesses (30, MGATHER, MSCATTER): for whoever must
 * know before it runs. */
#ifndef PTO_KERNEL_TABLE_RUNS_H
#define PTO_KERNEL_TABLE_RUNS_H

#include <pto/instr.h>

/* Runs of `length` elements; `at` counts elements from the tensor's base, in no order, some may come twice.
 */
typedef struct pto_table_runs {
    int64_t *at; /* the caller frees it */
    size_t count;
    int64_t length;
} pto_table_runs;

/* The indices are read as they are now; places out of range that the instruction skips, or that it would be
 * refused for, are none. False: the operand is no such table, its indices are not all there, or memory is
 * short. */
bool pto_table_runs_make(pto_table_runs *runs, const pto_instr *instr, int operand);

#endif
