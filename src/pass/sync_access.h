/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes the operations of a placed program touch, as far as it can be known without running it
 * (00-model, 11.6): byte ranges of the on-chip memories, of global memory by argument. What is not known is
 * taken as everything. An operation that was lowered several times, because its function is called several
 * times, touches what all of them touch. */
#ifndef PTO_PASS_SYNC_ACCESS_H
#define PTO_PASS_SYNC_ACCESS_H

#include "base/vec.h"
#include "pass/code.h"
#include "program/value_map.h"

/* Memories are numbered: a pto_loc each, then global memory, an argument each. */
enum { PTO_SYNC_ARGUMENT = PTO_LOC_COUNT };

typedef struct pto_sync_access {
    int32_t memory; /* -1: global memory, any argument */
    bool write;
    uint8_t atomic; /* pto_scatter_atomic */
    uint64_t begin, end;
    int32_t next; /* of the same operation; -1 = none */
} pto_sync_access;

/* What one operation does. */
typedef struct pto_sync_use {
    pto_pipe pipe;
    bool drains;   /* every pipe has to be empty before it */
    int32_t first; /* access; -1 = none */
} pto_sync_use;

typedef struct pto_sync_uses {
    pto_arena *arena; /* with a failure handler */
    pto_value_map at; /* operation -> use */
    PTO_VEC(pto_sync_use) use;
    PTO_VEC(pto_sync_access) access;
    int32_t arguments; /* how many arguments the access numbers speak of */
} pto_sync_uses;

/* Adds what the operations of the code touch. */
void pto_sync_collect(pto_sync_uses *uses, const pto_code *code);
/* NULL when the operation touches nothing. */
const pto_sync_use *pto_sync_use_of(const pto_sync_uses *uses, const pto_operation *op);

#endif
