/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks over threads: a counter hands out block numbers, the first failing block in block order decides. */
#ifndef PTO_RUN_PARALLEL_H
#define PTO_RUN_PARALLEL_H

#include <pto/status.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct pto_parallel {
    uint32_t blocks, workers;
    /* Runs one block on worker 0..workers-1. After a failure no block with a higher number is started; lower
     * ones still run, so that the reported failure is the first in block order, whatever the number of
     * threads. */
    pto_status (*run)(void *user, uint32_t worker, uint32_t block);
    /* May be NULL. Called with exclusion, after run failed, on the worker's thread, whenever the block is the
     * lowest failed one so far: keep its report and drop an earlier one. */
    void (*failed)(void *user, uint32_t worker);
    /* May be NULL. Called with exclusion after each block that succeeded. */
    void (*done)(void *user, uint32_t blocks_done);
    /* May be NULL: a non-zero value ends the run, PTO_ERR_CANCELLED. */
    const volatile int *cancel;
    void *user;
} pto_parallel;

/* Workers for a wish (0 = all processors), at least 1 and at most `blocks`. */
uint32_t pto_parallel_workers(uint32_t threads, uint32_t blocks);
/* The status of the lowest failed block, else PTO_OK. Runs on the calling thread when there is one worker or
 * when no thread can be made. */
pto_status pto_parallel_run(const pto_parallel *parallel);

#endif
