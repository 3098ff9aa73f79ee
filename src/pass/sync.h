/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic synchronisation (60, 4.8; 00-model, 11.6): which flags and barriers a placed program misses. */
#ifndef PTO_PASS_SYNC_H
#define PTO_PASS_SYNC_H

#include "base/vec.h"
#include "pass/code.h"
#include "program/value_map.h"

typedef struct pto_sync_op {
    pto_sync_kind kind; /* SET, WAIT, BARRIER, SIGNAL or AWAIT */
    pto_pipe src, dst;  /* a barrier, a signal: src */
    int id;
    int core;     /* not -1: in a section of its own for the cube (0) or the vector core (1) */
    int32_t next; /* at the same place; -1 = none */
} pto_sync_op;

/* What is to be inserted before and behind operations. */
typedef struct pto_sync_plan {
    pto_arena arena;
    pto_value_map before, after; /* operation -> first op */
    PTO_VEC(pto_sync_op) op;
} pto_sync_plan;

/* Plans for everything that the codes hold: one a lowered entry, all of one program and target. Nothing on
 * target cpu. `plan` is to be released whatever the result. */
pto_status pto_sync_make(pto_sync_plan *plan, const pto_code *const *codes, size_t count);
void pto_sync_release(pto_sync_plan *plan);
/* pto_lower with what the plan inserts: flags and barriers that only the checkers look at. */
pto_status pto_lower_planning(pto_code *code, const pto_program *program, const pto_operation *entry,
                              pto_target target, const pto_sync_plan *plan, pto_diag_list *diags);
/* The first op before or behind the operation, -1 = none. */
int32_t pto_sync_at(const pto_sync_plan *plan, const pto_operation *op, bool behind);
/* Inserts the plan into the program of levels 2 or 3. The program's arena has a failure handler. */
void pto_sync_insert(const pto_sync_plan *plan, pto_program *program);
/* The program leaves flags to the compiler: it has neither flags nor barriers nor addresses. */
bool pto_sync_is_automatic(const pto_program *program);

#endif
