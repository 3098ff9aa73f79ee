/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of a program of which every byte has to be written: fresh arguments under the init checker. */
#ifndef PTO_RUN_OUTPUTS_H
#define PTO_RUN_OUTPUTS_H

#include "check/heap.h"
#include "run/machine.h"
#include "run/suppress.h"

/* The fresh ones of `count` buffers; false without memory. The heap is released by pto_check_heap_release. */
bool pto_outputs_watch(pto_check_heap *heap, const pto_machine_buffer *buffers, size_t count);
/* Tells the bytes that nobody wrote at the parameter's place in the text, and returns how many outputs have
 * some. `values` are the parameters. */
size_t pto_outputs_tell(pto_check_heap *heap, const pto_program *program, pto_value *const *values,
                        const pto_machine_buffer *buffers, size_t count, const pto_suppressions *suppressions,
                        pto_diag_list *diags);

#endif
