/* SPDX-License-Identifier: Apache-2.0 */
/* pto_launch: a C kernel over blocks. */
#include "core/core.h"
#include "run/current.h"
#include "isa/legality.h"
#include "run/parallel.h"
#include "run/schedule.h"
#include "run/watch.h"

#include <stdlib.h>

typedef struct launch {
    const pto_launch_options *options;
    void (*kernel)(void *argument);
    void *argument;
    uint32_t blocks, subblocks;
    pto_core **cores; /* one per worker, made by the worker */
    pto_diag_list *diags;
    pto_watch *watch; /* NULL = no checks */
} launch;

static pto_status run_block(void *user, uint32_t worker, uint32_t number) {
    launch *l = user;
    pto_core *core = l->cores[worker];
    if (core) {
        pto_core_reset(core);
    } else {
        core = l->cores[worker] = pto_core_make(&l->options->core);
        if (!core || (l->watch && pto_watch_launched(l->watch, core) != PTO_OK))
            return PTO_ERR_NOMEM;
    }
    pto_watch_run(core, number);
    const uint32_t subblock = number % l->subblocks;
    pto_core_set_subblock(core, subblock, l->subblocks);
    pto_current before = pto_current_swap((pto_current){.core = core,
                                                        .block = number / l->subblocks,
                                                        .blocks = l->blocks,
                                                        .subblock = subblock,
                                                        .subblocks = l->subblocks});
    l->kernel(l->argument);
    pto_current_swap(before);
    pto_watch_end(core);
    return pto_diag_count(pto_core_diags(core), PTO_ERROR) ? PTO_ERR_REFUSED : PTO_OK;
}

static void block_failed(void *user, uint32_t worker) {
    launch *l = user;
    if (l->cores[worker])
        pto_diag_append(l->diags, pto_core_diags(l->cores[worker]));
}

/* What has made a scheduled kernel fail. */
static void report_fault(const pto_machine *m, pto_diag_list *diags) {
    if (m->rule) {
        const pto_rule_text *text = pto_rule_find(m->rule);
        pto_diag_add(diags, PTO_ERROR, m->rule, pto_nowhere(), "%s",
                     text ? text->title : "the kernel failed");
        pto_diag_found(diags, "%s", m->found);
    }
    pto_diag_append(diags, pto_core_diags(m->core));
}

static pto_status launch_scheduled(const launch *l) {
    const pto_launch_options *options = l->options;
    if (options->checks)
        return PTO_ERR_USAGE;
    const pto_scheduler_options how = {.core = options->core,
                                       .blocks = l->blocks,
                                       .subblocks = l->subblocks,
                                       .kernel = l->kernel,
                                       .argument = l->argument};
    pto_scheduler *scheduler = pto_scheduler_create(NULL, &how, NULL);
    const pto_plan plan = {.schedule = options->schedule};
    const pto_status status = scheduler ? pto_scheduler_run(scheduler, &plan, NULL, NULL) : PTO_ERR_NOMEM;
    if (status == PTO_ERR_REFUSED && pto_scheduler_failed(scheduler))
        report_fault(pto_scheduler_failed(scheduler), l->diags);
    pto_scheduler_destroy(scheduler);
    return status;
}

pto_status pto_launch(const pto_launch_options *options, void (*kernel)(void *argument), void *argument,
                      pto_diag_list *diags) {
    launch l = {.options = options,
                .kernel = kernel,
                .argument = argument,
                .blocks = options->blocks ? options->blocks : 1,
                .subblocks = options->subblocks ? options->subblocks : 1,
                .diags = diags};
    uint32_t runs;
    if (__builtin_mul_overflow(l.blocks, l.subblocks, &runs))
        return PTO_ERR_USAGE;
    if (options->schedule.kind != PTO_SCHEDULE_PROGRAM)
        return launch_scheduled(&l);
    uint32_t workers = pto_parallel_workers(options->threads, runs);
    l.cores = calloc(workers, sizeof *l.cores);
    if (!l.cores)
        return PTO_ERR_NOMEM;
    if (options->checks && !(l.watch = pto_watch_create(options->checks, options->suppressions))) {
        free(l.cores);
        return PTO_ERR_NOMEM;
    }
    pto_watch *own = l.watch;
    if (!own)
        l.watch = pto_watch_of_process();
    pto_parallel parallel = {
        .blocks = runs, .workers = workers, .run = run_block, .failed = block_failed, .user = &l};
    pto_status status = pto_parallel_run(&parallel);
    for (uint32_t i = 0; i < workers; i++)
        pto_core_destroy(l.cores[i]);
    free(l.cores);
    if (l.watch)
        pto_watch_launch_ended(l.watch);
    if (options->findings)
        *options->findings = own ? pto_watch_tell(own, diags) : 0;
    else if (own)
        pto_watch_tell(own, diags);
    pto_watch_destroy(own);
    return status;
}
