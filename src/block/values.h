/* SPDX-License-Identifier: Apache-2.0 */
/* Where values of the block form differ from the library's (70, 11), and types that a kernel has no loop for:
 * the same kernels, composed. */
#ifndef PTO_BLOCK_VALUES_H
#define PTO_BLOCK_VALUES_H

#include "block/execute.h"

/* Can the operation run on the element type? */
bool pto_block_value_type(const pto_block_op *op, unsigned type);
/* Does the operation need a composition on this type? Then it runs, into destination 0. */
bool pto_block_is_composed(const pto_block_job *job);
bool pto_block_run_composed(pto_block_job *job);
/* Maxima and minima with NaN among the sources: a number wins over a NaN (9.1, 9.4). */
void pto_block_number_wins(pto_block_job *job);

#endif
