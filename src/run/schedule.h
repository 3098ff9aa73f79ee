/* SPDX-License-Identifier: Apache-2.0 */
/* Executes code in an order that the hardware would be free to choose: on every core a thread walks the
 * control flow and issues operations to pipes, operands taken as they are then; a schedule chooses again and
 * again which thread walks on or which operation is executed next. Deterministic for a schedule. */
#ifndef PTO_RUN_SCHEDULE_H
#define PTO_RUN_SCHEDULE_H

#include "base/vec.h"
#include "run/machine.h"
#include "run/order.h"

/* One operation that was executed: the `number`-th that core `core` of run `run` issued. */
typedef struct pto_step {
    uint32_t run, number;
    uint8_t core, pipe;
    bool atomic;
    int32_t site;
} pto_step;

typedef PTO_VEC(pto_step) pto_step_list;

/* What to do: first `prefix`, as far as it can be followed; then by kind. With `hold` (and kind PROGRAM) the
 * operation *hold comes when so many others behind the prefix are done. */
typedef struct pto_plan {
    pto_schedule schedule;
    const pto_step *prefix;
    size_t prefix_count;
    const pto_step *hold;
    size_t hold_behind;
} pto_plan;

typedef struct pto_scheduler_options {
    pto_options core;
    uint32_t blocks, subblocks; /* both 1 or more */
    /* instead of code: a kernel in C */
    void (*kernel)(void *argument);
    void *argument;
    const volatile int *cancel;
    /* a run of the entry has ended: its text stands in the machine; may be NULL */
    void (*ended)(void *user, pto_machine *machine);
    void *user;
} pto_scheduler_options;

typedef struct pto_scheduler pto_scheduler;

/* NULL without memory. Of a kernel in C: code and buffers are NULL. */
pto_scheduler *pto_scheduler_create(const pto_code *code, const pto_scheduler_options *options,
                                    const pto_machine_buffer *buffers);
void pto_scheduler_destroy(pto_scheduler *scheduler);
/* Runs everything once. `steps` (may be NULL) receives the order of execution, allocated on `arena`. After
 * PTO_ERR_REFUSED pto_scheduler_failed tells which machine met the fault. */
pto_status pto_scheduler_run(pto_scheduler *scheduler, const pto_plan *plan, pto_step_list *steps,
                             pto_arena *arena);
pto_machine *pto_scheduler_failed(const pto_scheduler *scheduler);

#endif
