/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in C and C++ under the checkers: a watch collects what the checkers of its cores find. */
#include "run/watch.h"

#include "check/heap.h"
#include "core/core.h"
#include "run/current.h"
#include "run/findings.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pto_watch {
    uint32_t checks;
    pto_findings findings;
    pto_check_heap heap;
    bool has_heap;
    pto_suppressions *own_suppressions;
    pto_diag_list *complaints; /* about the suppressions */
};

/* ---- places in source files ------------------------------------------------------------------------- */

static pto_where where(void *user, const pto_check_access *a) {
    (void)user;
    /* the facade's own lines, where an instruction chooses between forms, are no place in the program */
    const bool known = a->file && !strstr(a->file, "/pto/common/");
    pto_where w = known ? pto_at_line(a->file, (uint32_t)a->line) : pto_nowhere();
    if (a->operand >= 0)
        w.operand = pto_form_get(a->form)->operand[a->operand].name;
    return w;
}

static const char *title(void *user, const pto_check_access *a) {
    (void)user;
    return a->instr ? pto_form_get(a->form)->mnemonic : NULL;
}

static pto_status make(pto_watch *w, uint32_t checks, pto_suppressions *suppressions) {
    const pto_findings_words words = {.user = w, .where = where, .title = title, .source_code = true};
    w->checks = checks;
    return pto_findings_init(&w->findings, PTO_TARGET_CPU, &words, suppressions) ? PTO_OK : PTO_ERR_NOMEM;
}

pto_watch *pto_watch_create(uint32_t checks, pto_suppressions *suppressions) {
    pto_watch *w = calloc(1, sizeof *w);
    if (w && make(w, checks, suppressions) != PTO_OK) {
        free(w);
        return NULL;
    }
    return w;
}

void pto_watch_destroy(pto_watch *w) {
    if (!w)
        return;
    pto_findings_release(&w->findings);
    if (w->has_heap)
        pto_check_heap_release(&w->heap);
    pto_suppressions_destroy(w->own_suppressions);
    pto_diag_list_destroy(w->complaints);
    free(w);
}

size_t pto_watch_tell(pto_watch *w, pto_diag_list *diags) { return pto_findings_tell(&w->findings, diags); }

/* ---- cores -------------------------------------------------------------------------------------------- */

static void begin(pto_core *core) {
    pto_checker *c = core->watcher.checker;
    pto_checker_block(c, core->watcher.run);
    pto_checker_begin(c);
    core->watcher.phase = 0;
    core->watcher.open = true;
}

static void end(pto_core *core) {
    pto_watch *w = core->watcher.watch;
    if (!core->watcher.open)
        return;
    core->watcher.open = false;
    pto_checker_end(core->watcher.checker);
    if (core->watcher.in_launch && w->checks & PTO_CHECK_RACE)
        pto_findings_block(&w->findings, core->watcher.checker, core->watcher.phase);
}

static void reset(pto_core *core) {
    end(core);
    begin(core);
}

static void destroy(pto_core *core) {
    end(core);
    pto_checker_destroy(core->watcher.checker);
    core->watcher = (pto_core_watcher){0};
}

/* An instruction without a place of its own stands where pto_here said. */
static void before(void *checker, const pto_core *core, const pto_instr *instr) {
    if (!core->watcher.open)
        begin((pto_core *)(uintptr_t)core);
    pto_current *current = pto_current_state();
    if (!instr->file)
        pto_checker_place(checker, current->file, current->line);
    current->file = NULL;
    pto_checker_instr(checker, core, instr);
}

static void global_access(void *heap, uint64_t from, uint64_t to, const pto_check_access *access) {
    pto_check_heap_access(heap, from, to, access);
}

static pto_status attach(pto_watch *w, pto_core *core, bool in_launch) {
    uint64_t bytes[PTO_LOC_COUNT];
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
        bytes[loc] = core->memory_bytes[loc];
    /* where flags are the compiler's job, a core keeps the order of the program */
    const pto_target order = core->options.auto_mode ? PTO_TARGET_CPU : core->options.target;
    const pto_check_options options = {.target = order,
                                       .checks = w->checks,
                                       .memory_bytes = bytes,
                                       .one_core = true,
                                       .found = pto_findings_add,
                                       .user = &w->findings,
                                       .global = w->has_heap ? global_access : NULL,
                                       .global_user = &w->heap};
    if (core->watcher.checker)
        return PTO_ERR_USAGE;
    pto_checker *c = pto_checker_create(&options);
    if (!c)
        return PTO_ERR_NOMEM;
    const pto_status status = pto_core_add_observer(core, (pto_observer){.before = before, .user = c});
    if (status != PTO_OK) {
        pto_checker_destroy(c);
        return status;
    }
    pthread_mutex_lock(&w->findings.mutex);
    w->findings.target = core->options.target;
    pthread_mutex_unlock(&w->findings.mutex);
    core->watcher = (pto_core_watcher){
        .watch = w, .checker = c, .in_launch = in_launch, .reset = reset, .destroy = destroy};
    begin(core);
    return PTO_OK;
}

pto_status pto_watch_core(pto_watch *w, pto_core *core) { return attach(w, core, false); }
pto_status pto_watch_launched(pto_watch *w, pto_core *core) { return attach(w, core, true); }

void pto_watch_end(pto_core *core) {
    if (core && core->watcher.checker)
        end(core);
}

void pto_watch_run(pto_core *core, uint32_t run) {
    if (!core->watcher.checker)
        return;
    end(core);
    core->watcher.run = run;
    begin(core);
}

void pto_watch_meet(pto_core *core) {
    if (!core || !core->watcher.open)
        return;
    pto_watch *w = core->watcher.watch;
    if (core->watcher.in_launch && w->checks & PTO_CHECK_RACE)
        pto_findings_block(&w->findings, core->watcher.checker, core->watcher.phase);
    core->watcher.phase++;
    pto_checker_meet(core->watcher.checker);
}

void pto_watch_launch_ended(pto_watch *w) { pto_findings_between_blocks(&w->findings); }

void pto_here(const char *file, int line) {
    pto_current *current = pto_current_state();
    current->file = file;
    current->line = line;
}

pto_checker *pto_watch_checker(void) {
    pto_core *core = pto_core_existing();
    if (!core && pto_watch_of_process())
        core = pto_core_current();
    if (!core || !core->watcher.checker)
        return NULL;
    if (!core->watcher.open)
        begin(core);
    pto_current *current = pto_current_state();
    pto_checker_place(core->watcher.checker, current->file, current->line);
    current->file = NULL;
    return core->watcher.checker;
}

bool pto_watch_has_sync(void) {
    const pto_core *core = pto_core_existing();
    return core && core->watcher.watch && ((const pto_watch *)core->watcher.watch)->checks & PTO_CHECK_SYNC;
}

/* ---- a process ---------------------------------------------------------------------------------------- */

/* The second state of the library that no caller owns: set once, before main(), by programs under PTO_CHECK.
 */
static _Atomic(pto_watch *) of_process;

pto_watch *pto_watch_of_process(void) { return atomic_load_explicit(&of_process, memory_order_acquire); }
bool pto_check_process_on(void) { return pto_watch_of_process() != NULL; }

static void watch_new_core(pto_core *core) {
    pto_watch *w = pto_watch_of_process();
    const pto_current *current = pto_current_state();
    if (attach(w, core, current->team != NULL) == PTO_OK)
        pto_watch_run(core,
                      current->block * (current->subblocks ? current->subblocks : 1) + current->subblock);
}

pto_status pto_check_process(const char *checks, const char *suppressions) {
    uint32_t kinds;
    if (!pto_check_parse(checks, &kinds, NULL) || pto_check_process_on())
        return PTO_ERR_USAGE;
    if (!kinds)
        return PTO_OK;
    pto_watch *w = calloc(1, sizeof *w);
    if (!w)
        return PTO_ERR_NOMEM;
    w->complaints = pto_diag_list_create();
    if (suppressions)
        w->own_suppressions = pto_suppressions_load(suppressions, w->complaints);
    w->has_heap = pto_check_heap_init(&w->heap, kinds, pto_findings_add, &w->findings);
    if (make(w, kinds, w->own_suppressions) != PTO_OK) {
        pto_suppressions_destroy(w->own_suppressions);
        pto_diag_list_destroy(w->complaints);
        if (w->has_heap)
            pto_check_heap_release(&w->heap);
        free(w);
        return PTO_ERR_NOMEM;
    }
    atomic_store_explicit(&of_process, w, memory_order_release);
    pto_core_set_hook(watch_new_core);
    return PTO_OK;
}

size_t pto_check_process_tell(pto_diag_list *diags, bool at_exit) {
    pto_watch *w = pto_watch_of_process();
    if (!w)
        return 0;
    if (at_exit) {
        pto_watch_end(pto_core_existing());
        pto_check_heap_leaks(&w->heap);
    }
    if (w->complaints) {
        pto_diag_append(diags, w->complaints);
        pto_diag_list_clear(w->complaints);
    }
    return pto_watch_tell(w, diags);
}

/* ---- the host's buffers ---------------------------------------------------------------------------------
 */

static pto_check_heap *heap(void) {
    pto_watch *w = pto_watch_of_process();
    return w && w->has_heap ? &w->heap : NULL;
}

void *pto_check_malloc(size_t bytes, const char *file, int line) {
    if (heap())
        return pto_check_heap_make(heap(), bytes, file, line);
    const size_t rounded = (bytes / 64 + (bytes % 64 != 0)) * 64;
    void *data = rounded >= bytes ? aligned_alloc(64, rounded ? rounded : 64) : NULL;
    for (size_t i = 0; data && i < rounded; i++)
        ((char *)data)[i] = 0;
    return data;
}

void pto_check_free(void *buffer, const char *file, int line) {
    if (heap())
        pto_check_heap_free(heap(), buffer, file, line);
    else
        free(buffer);
}

void pto_check_host_write(const void *at, size_t bytes, const char *file, int line) {
    const uint64_t begin_at = (uint64_t)(uintptr_t)at;
    if (heap())
        pto_check_heap_host(heap(), begin_at, begin_at + bytes, true, file, line);
}

void pto_check_host_read(const void *at, size_t bytes, const char *file, int line) {
    const uint64_t begin_at = (uint64_t)(uintptr_t)at;
    if (heap())
        pto_check_heap_host(heap(), begin_at, begin_at + bytes, false, file, line);
}

void pto_check_bound(pto_global *global) {
    pto_check_buffer buffer;
    if (!heap() || !pto_check_heap_find(heap(), (uint64_t)(uintptr_t)global->data, &buffer))
        return;
    global->begin = (const void *)(uintptr_t)buffer.begin;
    global->end = (const void *)(uintptr_t)buffer.end;
}

void pto_check_element(const pto_tile *tile, size_t offset, size_t bytes, bool write, const char *file,
                       int line) {
    if (!pto_check_process_on())
        return;
    pto_here(file, line);
    pto_checker *c = pto_watch_checker();
    if (!c)
        return;
    uint64_t at, base;
    const int memory = pto_checker_tile_memory(c, tile, &at, &base);
    pto_checker_scalar(c, memory, at + offset, bytes, write, base, NULL);
}

void pto_check_forget(const void *storage, size_t bytes) {
    pto_core *core = pto_check_process_on() ? pto_core_existing() : NULL;
    if (core && core->watcher.checker)
        pto_checker_forget(core->watcher.checker, storage, bytes);
}
