/* SPDX-License-Identifier: Apache-2.0 */
/* What comes before every execution of a program, and what is said when it fails. */
#ifndef PTO_RUN_PREPARE_H
#define PTO_RUN_PREPARE_H

#include "run/machine.h"

/* Verifies, matches the arguments, lowers and places; `synchronise`: a program that leaves flags to the
 * compiler gets them. The buffers live in the code, which is to be released
 * whatever the result. */
pto_status pto_run_prepare(pto_program *program, const pto_argument *arguments, size_t count,
                           const pto_run_options *options, bool synchronise, pto_code *code,
                           pto_machine_buffer **buffers, pto_diag_list *diags);
/* What a machine met, at the operation's place in the text; `report` holds nothing else afterwards. */
void pto_run_report_fault(const pto_machine *machine, pto_diag_list *report);

#endif
