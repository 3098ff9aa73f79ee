/* SPDX-License-Identifier: Apache-2.0 */
/* What must be done before what (00-model, 11.6, 11.7): the operations of one block as events, in the order
 * in which they are issued, each with the events that it has to wait for. Pipes are queues; flags, barriers,
 * tokens and signals are events without an effect of their own, done as soon as they can be.
 *
 * A gate holds back what is issued to its pipe later (a wait, a barrier); a collector waits for everything
 * that was issued to its pipe before (a set, a release, a barrier). */
#ifndef PTO_RUN_ORDER_H
#define PTO_RUN_ORDER_H

#include "check/check.h"
#include "pass/code.h"

enum { PTO_ORDER_CORES = 2, PTO_ORDER_FLAGS = 8, PTO_ORDER_IDS = 32 };

typedef enum pto_event_kind {
    PTO_EVENT_MARK, /* no effect */
    PTO_EVENT_INSTR,
    PTO_EVENT_ELEMENT,
    PTO_EVENT_CALL,
    PTO_EVENT_PRINT
} pto_event_kind;

typedef struct pto_event {
    uint8_t kind, core, pipe;
    bool done, atomic;
    uint8_t unit;                 /* pto_unit, */
    const void *acc;              /* of this accumulator */
    bool is_await;                /* completes by taking one of a counter */
    pto_code_sync sync;           /* of a mark that is no instruction */
    uint8_t src, dst;             /* pipes of a flag */
    int16_t id;                   /* of a flag, token or signal */
    uint32_t number;              /* in order of issue on its core, from 1; marks have none */
    uint32_t run;                 /* of the entry */
    int32_t site;                 /* op of the code */
    int64_t segment;              /* sections begun before it: with the number its place in program order */
    uint32_t waits;               /* for so many */
    struct pto_event_edge *after; /* events that wait for it */
    struct pto_counter *counter;  /* that it adds to when it is done */
    struct pto_event *next_await; /* behind it in a counter's queue */
    void *work;                   /* of the scheduler */
} pto_event;

/* Memory of events: everything at once is taken back. */
typedef struct pto_event_pool {
    struct pto_event_chunk *first, *current;
    size_t used;
} pto_event_pool;
void *pto_event_pool_take(pto_event_pool *pool, size_t bytes); /* zeroed; NULL without memory */
void pto_event_pool_rewind(pto_event_pool *pool);
void pto_event_pool_free(pto_event_pool *pool);

/* How many sets or signals are done and not taken, or who waits for the next. */
typedef struct pto_counter {
    uint32_t count, coming; /* coming: issued, not done */
    pto_event *first, *last;
} pto_counter;

typedef struct pto_order_lane {
    pto_event *gate, *collector, *last;
    pto_event **open; /* issued behind the collector, on a pipe without order */
    uint32_t open_count, open_capacity;
} pto_order_lane;

typedef struct pto_order_token {
    pto_event *release, *waiting;
    pto_event *late; /* the last get that was issued before the release it waits for */
    uint8_t lane;
    bool held;
} pto_order_token;

typedef struct pto_order {
    pto_target target;
    pto_event_pool *pool;
    /* called when everything that an event waits for is done; marks are done at once and never told */
    void (*ready)(void *user, pto_event *event);
    void *user;
    bool one_core;  /* cube and vector core at once: it signals itself */
    bool failed;    /* no memory */
    uint32_t marks; /* that are not done */
    pto_order_lane lane[PTO_ORDER_CORES][PTO_PIPE_COUNT];
    pto_event *gate[PTO_ORDER_CORES]; /* of all pipes of the core */
    pto_event *atomic[PTO_ORDER_CORES];
    struct { /* the last products with phase final */
        const void *acc;
        pto_event *event;
    } unit[PTO_UNITS];
    uint32_t unit_count; /* ever */
    pto_counter flag[PTO_ORDER_CORES][PTO_PIPE_COUNT][PTO_PIPE_COUNT][PTO_ORDER_FLAGS];
    pto_counter signal[PTO_ORDER_CORES][PTO_ORDER_IDS];
    pto_order_token token[PTO_ORDER_IDS];
} pto_order;

void pto_order_begin(pto_order *order, pto_target target, pto_event_pool *pool);
void pto_order_release(pto_order *order);
/* Issues an operation with an effect to a pipe; its fields other than those of the order are a copy of
 * `like`'s. NULL without memory. The caller calls pto_order_settle when the event is complete. */
pto_event *pto_order_issue(pto_order *order, const pto_event *like);
/* Everything that an event waits for is known. */
void pto_order_settle(pto_order *order, pto_event *event);
/* Issues a flag, barrier, token or signal; `like` gives core and place. Ids out of range have no effect. */
void pto_order_sync(pto_order *order, const pto_event *like, pto_code_sync kind, pto_pipe src, pto_pipe dst,
                    int64_t id);
/* An operation has been executed: who waited for it may come. */
void pto_order_done(pto_order *order, pto_event *event);
/* Who waits for ever when nothing can go on: for a flag, signal or token that nobody sets, else any wait of a
 * circle; of those the first in program order. NULL = none. */
const pto_event *pto_order_stuck(const pto_order *order);
/* Does the text have a core wait for a signal that the other core gives only further down? Executed as it
 * stands, such code would go on with what is not there yet: the cores have to take turns. */
bool pto_order_waits_early(const pto_code *code);
/* The wait that holds back a pipe of a core, or NULL. */
const pto_event *pto_order_stuck_on(const pto_order *order, int core, int pipe);

#endif
