/* SPDX-License-Identifier: Apache-2.0 */
/* The current core and block of a thread. */
#include "run/current.h"

#include <pthread.h>

static _Thread_local pto_current state = {NULL, 0, 1};

/* A core made on demand dies with its thread. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own_core_key;
static bool key_made;

static void destroy_own(void *core) { pto_core_destroy(core); }
static void make_key(void) { key_made = pthread_key_create(&own_core_key, destroy_own) == 0; }

pto_core *pto_core_current(void) {
    if (state.core)
        return state.core;
    pthread_once(&once, make_key);
    if (!key_made)
        return NULL;
    pto_core *core = pthread_getspecific(own_core_key);
    if (!core && (core = pto_core_create(NULL)) && pthread_setspecific(own_core_key, core)) {
        pto_core_destroy(core);
        core = NULL;
    }
    return core;
}

pto_core *pto_core_set_current(pto_core *core) {
    pto_core *before = state.core;
    state.core = core;
    return before;
}

pto_current pto_current_swap(pto_current current) {
    pto_current before = state;
    state = current;
    return before;
}

uint32_t pto_block_idx(void) { return state.block; }
uint32_t pto_block_num(void) { return state.blocks; }
