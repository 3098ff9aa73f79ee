/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks over POSIX threads. */
#include "run/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct shared {
    const pto_parallel *parallel;
    atomic_uint next;
    atomic_uint lowest_failed; /* blocks = none */
    pthread_mutex_t mutex;     /* guards what follows and the callbacks */
    pto_status status;
    uint32_t done;
} shared;

typedef struct worker {
    shared *shared;
    uint32_t number;
    pthread_t thread;
} worker;

uint32_t pto_parallel_workers(uint32_t threads, uint32_t blocks) {
    if (!threads) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        threads = online > 0 ? (uint32_t)online : 1;
    }
    if (threads > blocks)
        threads = blocks;
    return threads ? threads : 1;
}

static void *work(void *argument) {
    const worker *self = argument;
    shared *s = self->shared;
    const pto_parallel *p = s->parallel;
    for (;;) {
        uint32_t block = atomic_fetch_add(&s->next, 1);
        if (block >= p->blocks || block > atomic_load(&s->lowest_failed))
            return NULL;
        bool cancelled = p->cancel && *p->cancel;
        pto_status status = cancelled ? PTO_ERR_CANCELLED : p->run(p->user, self->number, block);
        pthread_mutex_lock(&s->mutex);
        if (status == PTO_OK) {
            s->done++;
            if (p->done)
                p->done(p->user, s->done);
        } else if (block < atomic_load(&s->lowest_failed)) {
            atomic_store(&s->lowest_failed, block);
            s->status = status;
            if (p->failed && !cancelled)
                p->failed(p->user, self->number);
        }
        pthread_mutex_unlock(&s->mutex);
    }
}

pto_status pto_parallel_run(const pto_parallel *parallel) {
    shared s = {.parallel = parallel, .status = PTO_OK};
    atomic_init(&s.next, 0);
    atomic_init(&s.lowest_failed, parallel->blocks);
    worker *workers = calloc(parallel->workers, sizeof *workers);
    if (!workers || pthread_mutex_init(&s.mutex, NULL)) {
        free(workers);
        return PTO_ERR_NOMEM;
    }
    uint32_t started = 1; /* worker 0 is the calling thread */
    for (uint32_t i = 0; i < parallel->workers; i++)
        workers[i] = (worker){.shared = &s, .number = i};
    while (started < parallel->workers &&
           !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
        started++;
    work(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&s.mutex);
    free(workers);
    return s.status;
}
