/* SPDX-License-Identifier: Apache-2.0 */
/* The current core and block of a thread. */
#include "run/current.h"

#include <pthread.h>

static _Thread_local pto_current state = {.blocks = 1};

pto_current *pto_current_state(void) { return &state; }

/* A core made on demand dies with its thread. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t own_core_key;
static bool key_made;

static void destroy_own(void *core) { pto_core_destroy(core); }
static void make_key(void) { key_made = pthread_key_create(&own_core_key, destroy_own) == 0; }

static pto_core *own_core(void) {
    pthread_once(&once, make_key);
    return key_made ? pthread_getspecific(own_core_key) : NULL;
}

pto_core *pto_core_existing(void) { return state.core ? state.core : own_core(); }

pto_core *pto_core_make_own(const pto_options *options) {
    pto_core *former = own_core(), *core = key_made ? pto_core_create(options) : NULL;
    if (core && pthread_setspecific(own_core_key, core)) {
        pto_core_destroy(core);
        core = NULL;
    }
    if (core)
        pto_core_destroy(former);
    pto_current_tell_core(core);
    return core;
}

pto_core *pto_core_current(void) {
    pto_core *core = pto_core_existing();
    return core ? core : pto_core_make_own(NULL);
}

void pto_current_tell_core(pto_core *core) {
    if (core && state.subblock < pto_subblock_num())
        pto_core_set_subblock(core, state.subblock, pto_subblock_num());
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
uint32_t pto_subblock_idx(void) { return state.subblock; }
uint32_t pto_subblock_num(void) { return state.subblocks ? state.subblocks : 1; }
