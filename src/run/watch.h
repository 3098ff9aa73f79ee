/* SPDX-License-Identifier: Apache-2.0 */
/* Cores of kernels in C and C++ under the checkers: what launch and agent tell the watch. */
#ifndef PTO_RUN_WATCH_H
#define PTO_RUN_WATCH_H

#include "check/check.h"
#include <pto/check.h>

/* The watch of a process under PTO_CHECK; NULL = none. */
pto_watch *pto_watch_of_process(void);
/* Watches a core that runs kernels of a launch. */
pto_status pto_watch_launched(pto_watch *watch, pto_core *core);
/* Run number `run` of the launch begins on a watched core. */
void pto_watch_run(pto_core *core, uint32_t run);
/* All agents of the launch have met. */
void pto_watch_meet(pto_core *core);
/* All runs of a launch have ended: races between them. */
void pto_watch_launch_ended(pto_watch *watch);

/* The checker of the thread's current core, its place set to what pto_here said; NULL = not watched. */
pto_checker *pto_watch_checker(void);
/* Are flags its business, so that misuse is a finding and not an error? */
bool pto_watch_has_sync(void);

#endif
