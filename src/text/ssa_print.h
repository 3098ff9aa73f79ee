/* SPDX-License-Identifier: Apache-2.0 */
/* Printing of instructions as SSA statements: shared by PTO-AS and level 1. */
#ifndef PTO_TEXT_SSA_PRINT_H
#define PTO_TEXT_SSA_PRINT_H

#include "base/sink.h"
#include "text/ssa.h"

/* How the caller names values. */
typedef struct pto_ssa_printer {
    pto_sink *sink;
    pto_text_form text; /* PTO_TEXT_AS or PTO_TEXT_LEVEL1 */
    /* The name without %; the text of the literal when `literal` comes back true. */
    pto_str (*name)(void *user, const pto_operation *op, const pto_value *value, bool *literal);
    void *user;
} pto_ssa_printer;

/* `%d = op operands {attributes} : signature`, without line end. The form has a spelling in that text. */
void pto_ssa_print(const pto_ssa_printer *printer, const pto_operation *op);
/* Destination-passing: an out operand is given. Printed as at level 2, whatever stands around it. */
bool pto_ssa_has_destination(const pto_operation *op);
/* A whole PTO-AS program; PTO_ERR_REFUSED + PTO-E0250 when PTO-AS cannot hold it. */
pto_status pto_text_print_as(const pto_program *program, pto_sink *sink, pto_diag_list *diags);

#endif
