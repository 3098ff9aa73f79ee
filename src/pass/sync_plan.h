/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan grows. */
#ifndef PTO_PASS_SYNC_PLAN_H
#define PTO_PASS_SYNC_PLAN_H

#include "pass/sync.h"
#include "pass/sync_access.h"

/* Behind what is planned at the place already. */
void pto_sync_plan_add(pto_sync_plan *plan, const pto_operation *at, bool behind, pto_sync_op op);
/* sync_cores.c: what the cube and the vector core have to tell each other. */
void pto_sync_plan_cores(pto_sync_plan *plan, const pto_program *program, const pto_sync_uses *uses);

#endif
