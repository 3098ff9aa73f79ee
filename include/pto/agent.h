/* SPDX-License-Identifier: Apache-2.0 */
/* The execution agent that a thread is: one vector or cube core of a block (00-model, 12). Its numbers, its
 * flags, and starting one thread an agent. What the C++ facade stands on. */
#ifndef PTO_AGENT_H
#define PTO_AGENT_H

#include <pto/launch.h>

PTO_BEGIN_DECLS

typedef struct pto_agent {
    uint32_t block, blocks;       /* number of the block, and how many the launch has; 0 of 1 outside */
    uint32_t subblock, subblocks; /* vector core inside the block; 0 of 1 outside */
    uint64_t cookie;              /* of the launcher, uninterpreted */
} pto_agent;

PTO_API pto_agent pto_agent_current(void);
PTO_API void pto_agent_set_current(pto_agent agent);

/* A flag of two pipes (00-model, 11.2): a latch, down at first. PTO_ERR_REFUSED with a diagnostic of the
 * current core: pipes or id that are none (E0416, E0417), set while up (E0920), wait for a flag that is down
 * (E0921: operations run in program order, so nobody would ever set it). */
PTO_API pto_status pto_agent_flag_set(pto_pipe src, pto_pipe dst, int id);
PTO_API pto_status pto_agent_flag_wait(pto_pipe src, pto_pipe dst, int id);
/* Later work of the pipe starts after all its earlier work, PTO_PIPE_ALL of all pipes: for the checkers,
 * since operations run in program order. No such pipe is refused (E0416). */
PTO_API pto_status pto_agent_pipe_barrier(pto_pipe pipe);
/* Cross-core signals of the block (00-model, 11.7), ids 0..31: counters. An agent that is cube and vector
 * core at once signals itself. A wait for a signal that has not come is refused (E0923). */
PTO_API pto_status pto_agent_signal(int id);
PTO_API pto_status pto_agent_signal_wait(int id);
/* The same with the pipe whose earlier work the signal is behind, and the one that the wait stalls (a2a3: the
 * whole core). The two above mean all of them. */
PTO_API pto_status pto_agent_signal_on(pto_pipe pipe, int id);
PTO_API pto_status pto_agent_signal_wait_on(pto_pipe pipe, int id);
/* Buffer tokens (00-model, 11.7), ids 0..31: get and release by a pipe; misuse is refused (E0925). */
PTO_API pto_status pto_agent_token_get(pto_pipe pipe, int id);
PTO_API pto_status pto_agent_token_release(pto_pipe pipe, int id);
/* All flags down, counters 0, tokens free. With `report`, a flag that is still up is refused first (E0922).
 */
PTO_API pto_status pto_agent_flags_end(bool report);
/* Adds a diagnostic of a rule of the catalogue to the current core's. `target` may be NULL. */
PTO_API void pto_agent_refuse(const char *rule, const char *what, const char *found, const char *allowed);

/* All agents of the launch meet (00-model, 11.4). PTO_ERR_REFUSED when one of them has ended (E0924). Alone,
 * it is met at once. */
PTO_API pto_status pto_agent_barrier(void);

/* Runs kernel(argument) once per block and subblock, each on a thread of its own without a current core, and
 * waits for all. blocks, subblocks 0 = 1. PTO_ERR_NOMEM when a thread cannot be made; the others still end.
 */
PTO_API pto_status pto_agent_launch(uint32_t blocks, uint32_t subblocks, void (*kernel)(void *argument),
                                    void *argument);

PTO_END_DECLS
#endif
