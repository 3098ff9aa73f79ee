/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a scheduler: what schedule.c executes and choose.c chooses from. */
#ifndef PTO_RUN_SCHEDULER_H
#define PTO_RUN_SCHEDULER_H

#include "core/core.h"
#include "run/coroutine.h"
#include "run/schedule.h"

enum {
    PTO_SCHEDULER_BLOCKS = 64, /* runs that are on their way at once */
    PTO_SCHEDULER_WINDOW = 256 /* operations that a thread may be ahead */
};

/* What an event does, its operands as they were when it was issued. */
typedef struct pto_work {
    struct pto_work *next, *next_made; /* free ones; all */
    bool taken;
    pto_instr instr;
    pto_tile tile[PTO_MAX_OPERANDS];
    pto_global global[PTO_MAX_OPERANDS];
    pto_core_registers registers;
    pto_machine_element element;
    void (*call)(void *data);
    void *data;
    max_align_t own[4]; /* the copy of it, when the caller does not wait */
    char *text;
    size_t len;
} pto_work;

/* The thread of one core. */
typedef struct pto_walker {
    pto_machine machine;
    pto_core_registers registers; /* while it does not walk */
    bool live;                    /* not at its end yet */
    bool draining;                /* until nothing is pending */
    pto_event *blocked;           /* the load whose value it needs */
    pto_event *latest;            /* what it has issued last */
    struct pto_scheduler *scheduler;
    pto_core_issuer issuer; /* of a kernel in C, with its thread */
    pto_coroutine *coroutine;
    uint32_t issued, pending;
    uint32_t priority[PTO_PIPE_COUNT]; /* of choose.c */
} pto_walker;

/* A run of the entry on the cores of its block. */
typedef struct pto_block_slot {
    bool active;
    uint32_t run;
    pto_walker walker[PTO_ORDER_CORES];
    pto_order order;
} pto_block_slot;

struct pto_scheduler {
    const pto_code *code; /* NULL: a kernel in C */
    const pto_machine_buffer *buffer;
    pto_target target;
    bool keeps_order; /* runs start in their order: they add atomically, or might */
    bool dropping;    /* kernels run to their end, nothing of them is executed any more */
    pto_scheduler_options options;
    int cores; /* 1, or 2 when the code has vector sections */
    uint32_t runs, slots;
    pto_block_slot **slot;
    pto_event_pool pool;
    pto_work *free_work, *all_work;
    pto_machine_issue issue;
    /* of the run at hand */
    pto_plan plan;
    uint64_t random;
    int style; /* of a random schedule */
    uint32_t walk_first;
    pto_event **ready;
    size_t ready_count, ready_capacity;
    uint32_t started, ended;      /* runs */
    uint32_t first_run, last_run; /* all before and behind them have begun */
    uint8_t *begun;               /* a run a byte */
    size_t followed, behind;      /* of the prefix; executed behind it */
    uint64_t executed;
    pto_machine *failed;
    bool no_memory;
};

/* The slot of a run that is on its way, or NULL. */
pto_block_slot *pto_scheduler_slot(const pto_scheduler *scheduler, uint32_t run);
/* Can the thread issue something? */
bool pto_walker_can_walk(const pto_walker *walker, const pto_order *order);

typedef enum pto_choice_kind {
    PTO_CHOICE_NONE,
    PTO_CHOICE_START,
    PTO_CHOICE_WALK,
    PTO_CHOICE_EXECUTE
} pto_choice_kind;
typedef struct pto_choice {
    pto_choice_kind kind;
    uint32_t run; /* START */
    pto_block_slot *slot;
    pto_walker *walker; /* WALK */
    size_t ready;       /* EXECUTE: its index */
} pto_choice;

/* A plan begins. */
void pto_choose_begin(pto_scheduler *scheduler);
/* What comes next; NONE: nothing can. */
pto_choice pto_choose(pto_scheduler *scheduler);

#endif
