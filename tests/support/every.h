/* SPDX-License-Identifier: Apache-2.0 */
/* A call form against its reference, over every combination of element types of every target: legal calls of
 * random shapes are found by search (configuration.h), executed at every level in turn, and all bytes of all
 * tiles compared: results where the reference writes, everything else unchanged. */
#ifndef PTO_TESTS_EVERY_H
#define PTO_TESTS_EVERY_H

#include "support/configuration.h"

typedef struct every_call {
    const configuration *c;
    const pto_form_desc *form;
    pto_target target;
    configuration_call call;
    /* by schema position: the tiles over copies of their bytes before the call, and as they must be after */
    pto_tile was[PTO_MAX_OPERANDS], want[PTO_MAX_OPERANDS];
} every_call;

/* The operand of this name; NULL when it is absent. */
const pto_tile *every_was(const every_call *call, const char *name);
pto_tile *every_want(every_call *call, const char *name);
/* A scalar or attribute, 0 when it is absent. */
int64_t every_attribute(const every_call *call, const char *name);

/* Writes what the instruction must leave into the tiles of every_want. */
typedef void (*every_reference)(every_call *call);

/* `trials` legal calls of each combination of types and target; the test fails when none is found for a
 * combination that the table names. Returns the calls compared. */
int every_compare(pto_form form, int trials, every_reference reference);

#endif
