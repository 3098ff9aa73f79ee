/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread-local state of the library: the core and the block that the calling thread runs. It exists
 * because the C macros and the C++ facade name no core. */
#ifndef PTO_RUN_CURRENT_H
#define PTO_RUN_CURRENT_H

#include <pto/launch.h>

/* Sets core and block of the calling thread and returns the former ones. */
typedef struct pto_current {
    pto_core *core;
    uint32_t block, blocks;
} pto_current;
pto_current pto_current_swap(pto_current current);

#endif
