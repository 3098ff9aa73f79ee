/* SPDX-License-Identifier: Apache-2.0 */
/* What the order of operations on one core hangs on (00-model, 10.1, 11.6): the pipe that executes a form,
 * the pipes that keep their order, which operands are read and written. The race checker asks it of executed
 * instructions, the synchronisation pass of programs. */
#ifndef PTO_ISA_ORDER_H
#define PTO_ISA_ORDER_H

#include "isa/isa.h"

/* Edge E1: a later operation of the pipe follows an earlier one. */
bool pto_pipe_is_ordered(pto_target target, pto_pipe pipe);
/* The pipe of a form whose operands lie in the given memories (a pto_loc each, -1 = no tile): the memories of
 * the first tile source and of the destination decide. PTO_PIPE_ALL: every pipe is drained first. */
pto_pipe pto_form_execution_pipe(const pto_form_desc *form, const int loc[PTO_MAX_OPERANDS]);
/* Every earlier operation of the core is done before one of the form starts; it then counts as one of S. */
bool pto_form_drains(const pto_form_desc *form, pto_pipe pipe);
/* Some operand is placed by the instruction itself: it touches no data. */
bool pto_form_only_binds(const pto_form_desc *form);
bool pto_role_reads(pto_role role);
bool pto_role_writes(pto_role role);
/* The attribute that makes the write to global memory an atomic addition when it is not 0; -1 = none. */
int pto_form_atomic_operand(const pto_form_desc *form);
/* Values of the attribute PTO_ATTR_ST_PHASE (00-model, 11.5). */
enum { PTO_PHASE_UNSPECIFIED = 0, PTO_PHASE_PARTIAL = 2, PTO_PHASE_FINAL = 3 };
/* A write through the type reaches beyond the valid region: padding, boxes, L1 blocks. */
bool pto_tile_write_fills(const pto_tile_type *type);

#endif
