/* SPDX-License-Identifier: Apache-2.0 */
#include "run/coroutine.h"

#include <pthread.h>
#include <stdlib.h>

struct pto_coroutine {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t turned;
    bool its_turn, ended, dropped;
    void (*body)(void *argument);
    void *argument;
};

/* The mutex is held. */
static void wait_for_turn(pto_coroutine *c, bool its_turn) {
    while (c->its_turn != its_turn)
        pthread_cond_wait(&c->turned, &c->mutex);
}

static void pass_turn(pto_coroutine *c, bool its_turn) {
    c->its_turn = its_turn;
    pthread_cond_signal(&c->turned);
}

static void *run(void *argument) {
    pto_coroutine *c = argument;
    pthread_mutex_lock(&c->mutex);
    wait_for_turn(c, true);
    pthread_mutex_unlock(&c->mutex);
    if (!c->dropped)
        c->body(c->argument);
    pthread_mutex_lock(&c->mutex);
    c->ended = true;
    pass_turn(c, false);
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

pto_coroutine *pto_coroutine_create(void (*body)(void *argument), void *argument) {
    pto_coroutine *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->body = body;
    c->argument = argument;
    bool mutex = !pthread_mutex_init(&c->mutex, NULL), cond = !pthread_cond_init(&c->turned, NULL);
    if (mutex && cond && !pthread_create(&c->thread, NULL, run, c))
        return c;
    if (mutex)
        pthread_mutex_destroy(&c->mutex);
    if (cond)
        pthread_cond_destroy(&c->turned);
    free(c);
    return NULL;
}

bool pto_coroutine_resume(pto_coroutine *c) {
    pthread_mutex_lock(&c->mutex);
    pass_turn(c, true);
    wait_for_turn(c, false);
    bool goes_on = !c->ended;
    pthread_mutex_unlock(&c->mutex);
    return goes_on;
}

void pto_coroutine_yield(pto_coroutine *c) {
    pthread_mutex_lock(&c->mutex);
    pass_turn(c, false);
    wait_for_turn(c, true);
    pthread_mutex_unlock(&c->mutex);
}

void pto_coroutine_destroy(pto_coroutine *c) {
    if (!c)
        return;
    if (!c->ended) {
        c->dropped = true;
        pto_coroutine_resume(c);
    }
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->turned);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}
