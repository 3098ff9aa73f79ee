/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels written in C: the current core of a thread, and running a kernel over blocks. */
#ifndef PTO_LAUNCH_H
#define PTO_LAUNCH_H

#include <pto/core.h>
#include <pto/schedule.h>

PTO_BEGIN_DECLS

/* The core that the macros of <pto/pto-inst.h> execute on: the one set for this thread, else one of the
 * thread's own, made with default options (target cpu) at the first use and destroyed with the thread. NULL
 * without memory. */
PTO_API pto_core *pto_core_current(void);
/* Sets it for the calling thread and returns the one set before (NULL = none). The caller keeps ownership. */
PTO_API pto_core *pto_core_set_current(pto_core *core);
/* The same core, but none is made: NULL where the thread has none yet. */
PTO_API pto_core *pto_core_existing(void);
/* Gives the calling thread a core of its own with these options (NULL = default), in place of the one it had,
 * which is destroyed with all that tiles hold of it. NULL without memory: the former one stays. */
PTO_API pto_core *pto_core_make_own(const pto_options *options);

/* Number of the running block and of blocks of the launch (00-model, 12); 0 and 1 outside of a launch. */
PTO_API uint32_t pto_block_idx(void);
PTO_API uint32_t pto_block_num(void);
/* Number of the running vector core in its block, and how many the block has; 0 and 1 outside. */
PTO_API uint32_t pto_subblock_idx(void);
PTO_API uint32_t pto_subblock_num(void);

typedef struct pto_launch_options {
    pto_options core;   /* of every core */
    uint32_t blocks;    /* 0 = 1 */
    uint32_t threads;   /* 0 = all processors, at most one a run of the kernel */
    uint32_t subblocks; /* vector cores of a block, 0 = 1 */
    uint32_t checks;    /* pto_check_kind; what they find stands in `diags` as errors, the launch goes on */
    size_t *findings;   /* receives their number, advice not counted; may be NULL */
    struct pto_suppressions *suppressions; /* <pto/check.h>; borrowed, may be NULL */
    /* another order than the kernel's: it runs on a thread of its own that issues operations; not together
     * with checks. The kernel itself must not wait for other threads or for results other than through the
     * library. */
    pto_schedule schedule;
} pto_launch_options;

/* Runs kernel(argument) once per block and vector core of it, each on a core with zeroed memories, and waits
 * for all. A run that caused a refusal ends the launch: PTO_ERR_REFUSED with the diagnostics of the first
 * such run in `diags`. */
PTO_API pto_status pto_launch(const pto_launch_options *options, void (*kernel)(void *argument),
                              void *argument, pto_diag_list *diags);

PTO_END_DECLS
#endif
