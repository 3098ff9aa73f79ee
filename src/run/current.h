/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread-local state of the library: the core and the agent that the calling thread runs. It exists
 * because the C macros and the C++ facade name no core. */
#ifndef PTO_RUN_CURRENT_H
#define PTO_RUN_CURRENT_H

#include <pto/launch.h>

struct pto_team;

typedef struct pto_current {
    pto_core *core;
    uint32_t block, blocks;
    uint32_t subblock, subblocks; /* subblocks 0 = 1 */
    uint64_t cookie;
    struct pto_team *team;                        /* of pto_agent_launch */
    uint8_t flag[PTO_PIPE_COUNT][PTO_PIPE_COUNT]; /* latches from pipe to pipe, a bit an id */
    uint32_t signal[32];                          /* cross-core counters */
    uint8_t holder[32];                           /* buffer tokens: pipe + 1, 0 = free */
    const char *file;                             /* of the next operation (pto_here); NULL = not known */
    int32_t line;
} pto_current;

/* Of the calling thread. */
pto_current *pto_current_state(void);
/* The thread's vector core number becomes that of its core. */
void pto_current_tell_core(pto_core *core);
/* Sets it and returns the former one. */
pto_current pto_current_swap(pto_current current);

#endif
