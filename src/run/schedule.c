/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that issue, events that are executed when they are chosen. */
#include "run/schedule.h"

#include "isa/isa.h"
#include "run/current.h"
#include "run/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- issuing ------------------------------------------------------------------------------------- */

static pto_block_slot *slot_of(pto_scheduler *s, const pto_machine *m) {
    return pto_scheduler_slot(s, (uint32_t)m->run);
}

pto_block_slot *pto_scheduler_slot(const pto_scheduler *s, uint32_t run) {
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->slot[i]->active && s->slot[i]->run == run)
            return s->slot[i];
    return NULL;
}

static pto_work *take_work(pto_scheduler *s) {
    pto_work *work = s->free_work;
    if (work) {
        s->free_work = work->next;
    } else {
        work = malloc(sizeof *work);
        if (!work) {
            s->no_memory = true;
            return NULL;
        }
        work->next_made = s->all_work;
        s->all_work = work;
    }
    work->text = NULL;
    work->taken = true;
    return work;
}

static void give_work(pto_scheduler *s, pto_work *work) {
    free(work->text);
    work->text = NULL;
    work->taken = false;
    work->next = s->free_work;
    s->free_work = work;
}

/* The event of what the machine stands at. */
static pto_event like(const pto_machine *m, pto_event_kind kind, pto_pipe pipe) {
    return (pto_event){.kind = (uint8_t)kind,
                       .core = (uint8_t)m->core_number,
                       .pipe = (uint8_t)pipe,
                       .run = (uint32_t)m->run,
                       .site = m->at,
                       .segment = m->segment};
}

static pto_event *put(pto_scheduler *s, pto_machine *m, pto_event event, pto_work *work) {
    pto_block_slot *slot = slot_of(s, m);
    pto_walker *walker = &slot->walker[m->core_number];
    event.number = ++walker->issued;
    event.work = work;
    m->pause = true;
    pto_event *issued = walker->latest = pto_order_issue(&slot->order, &event);
    if (!issued) {
        s->no_memory = true;
        give_work(s, work);
        return NULL;
    }
    walker->pending++;
    pto_order_settle(&slot->order, issued);
    return issued;
}

static void capture(pto_work *work, const pto_instr *instr) {
    work->instr = *instr;
    for (int i = 0; i < PTO_MAX_OPERANDS; i++) {
        pto_operand *operand = &work->instr.operand[i];
        int same = 0;
        while (same < i &&
               (instr->operand[same].kind != operand->kind ||
                (operand->kind == PTO_OPERAND_TILE ? instr->operand[same].tile != operand->tile
                                                   : operand->kind != PTO_OPERAND_GLOBAL ||
                                                         instr->operand[same].global != operand->global)))
            same++;
        if (operand->kind == PTO_OPERAND_TILE) {
            work->tile[i] = *operand->tile;
            operand->tile = &work->tile[same];
        } else if (operand->kind == PTO_OPERAND_GLOBAL) {
            work->global[i] = *operand->global;
            operand->global = &work->global[same];
        }
    }
}

/* S sets registers and handles; what it sets goes with the instructions issued later. */
static bool writes_bytes(const pto_instr *instr) {
    const pto_form_desc *form = pto_form_get(instr->form);
    for (int i = 0; i < form->operand_count; i++) {
        pto_role role = form->operand[i].role;
        bool data =
            instr->operand[i].kind == PTO_OPERAND_TILE || instr->operand[i].kind == PTO_OPERAND_GLOBAL;
        if (data && !form->operand[i].binds &&
            (role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT || role == PTO_ROLE_TMP))
            return true;
    }
    return false;
}

static pto_status execute_now(pto_core *core, const pto_instr *instr) {
    const pto_core_issuer *issuer = core->issuer;
    core->issuer = NULL;
    pto_status status = pto_core_execute(core, instr);
    core->issuer = issuer;
    return status;
}

static pto_status issue_instr(void *user, pto_machine *m, const pto_instr *instr) {
    pto_scheduler *s = user;
    pto_pipe pipe = pto_instr_pipe(instr);
    if (pipe == PTO_PIPE_S && !writes_bytes(instr))
        return execute_now(m->core, instr);
    if (pipe == PTO_PIPE_ALL) {
        pto_event drained = like(m, PTO_EVENT_MARK, PTO_PIPE_ALL);
        pto_order_sync(&slot_of(s, m)->order, &drained, PTO_SYNC_BARRIER, PTO_PIPE_ALL, PTO_PIPE_ALL, 0);
        pipe = PTO_PIPE_S;
    }
    pto_work *work = take_work(s);
    if (!work)
        return PTO_ERR_NOMEM;
    capture(work, instr);
    work->registers = pto_core_get_registers(m->core);
    pto_event event = like(m, PTO_EVENT_INSTR, pipe);
    event.atomic = pto_instr_atomic(instr) != 0;
    event.unit = (uint8_t)pto_instr_unit(instr, &event.acc);
    return put(s, m, event, work) ? PTO_OK : PTO_ERR_NOMEM;
}

static pto_status issue_sync(void *user, pto_machine *m, pto_code_sync kind, pto_pipe src, pto_pipe dst,
                             int64_t id) {
    pto_scheduler *s = user;
    pto_order *order = &slot_of(s, m)->order;
    pto_event event = like(m, PTO_EVENT_MARK, src);
    pto_order_sync(order, &event, kind, src, dst, id);
    m->pause = true;
    return order->failed ? PTO_ERR_NOMEM : PTO_OK;
}

static pto_status issue_element(void *user, pto_machine *m, const pto_machine_element *element) {
    pto_scheduler *s = user;
    pto_work *work = take_work(s);
    if (!work)
        return PTO_ERR_NOMEM;
    work->element = *element;
    pto_event *event = put(s, m, like(m, PTO_EVENT_ELEMENT, PTO_PIPE_S), work);
    if (!event)
        return PTO_ERR_NOMEM;
    if (!element->store)
        slot_of(s, m)->walker[m->core_number].blocked = event;
    return PTO_OK;
}

static pto_status issue_print(void *user, pto_machine *m, const char *text, size_t len) {
    pto_scheduler *s = user;
    pto_work *work = take_work(s);
    if (!work)
        return PTO_ERR_NOMEM;
    work->text = malloc(len + 1);
    work->len = len;
    if (!work->text) {
        give_work(s, work);
        return PTO_ERR_NOMEM;
    }
    memcpy(work->text, text, len);
    return put(s, m, like(m, PTO_EVENT_PRINT, PTO_PIPE_S), work) ? PTO_OK : PTO_ERR_NOMEM;
}

static void drain(void *user, pto_machine *m) {
    pto_walker *walker = &slot_of(user, m)->walker[m->core_number];
    walker->draining = m->pause = m->again = walker->pending > 0;
}

/* ---- executing ----------------------------------------------------------------------------------- */

static void is_ready(void *user, pto_event *event) {
    pto_scheduler *s = user;
    if (s->ready_count == s->ready_capacity) {
        size_t wanted = s->ready_capacity ? s->ready_capacity * 2 : 64;
        pto_event **grown = realloc(s->ready, wanted * sizeof(pto_event *));
        if (!grown) {
            s->no_memory = true;
            return;
        }
        s->ready = grown;
        s->ready_capacity = wanted;
    }
    s->ready[s->ready_count++] = event;
}

static pto_status perform(pto_walker *walker, const pto_event *event) {
    pto_work *work = event->work;
    pto_machine *m = &walker->machine;
    switch ((pto_event_kind)event->kind) {
    case PTO_EVENT_INSTR: {
        if (m->code)
            pto_core_set_print(m->core, pto_machine_print, m);
        pto_core_registers now = pto_core_get_registers(m->core);
        pto_core_set_registers(m->core, &work->registers);
        pto_status status = execute_now(m->core, &work->instr);
        pto_core_set_registers(m->core, &now);
        if (m->code && status == PTO_OK && pto_diag_first(pto_core_diags(m->core)))
            pto_machine_keep_warnings(m, event->site);
        return status;
    }
    case PTO_EVENT_ELEMENT:
        pto_machine_move_element(&work->element);
        break;
    case PTO_EVENT_CALL:
        work->call(work->data);
        break;
    case PTO_EVENT_PRINT:
        pto_machine_print(m, work->text, work->len);
        break;
    case PTO_EVENT_MARK:
        break;
    }
    return PTO_OK;
}

static pto_status execute(pto_scheduler *s, size_t index, pto_step_list *steps, pto_arena *arena) {
    pto_event *event = s->ready[index];
    s->ready[index] = s->ready[--s->ready_count];
    pto_block_slot *slot = pto_scheduler_slot(s, event->run);
    pto_walker *walker = &slot->walker[event->core];
    pto_step step = {.run = event->run,
                     .number = event->number,
                     .core = event->core,
                     .pipe = event->pipe,
                     .atomic = event->atomic,
                     .site = event->site};
    if (steps && !pto_vec_push(arena, steps, step))
        return PTO_ERR_NOMEM;
    pto_status status = perform(walker, event);
    if (status != PTO_OK) {
        walker->machine.fault = event->site;
        s->failed = &walker->machine;
        return status;
    }
    s->executed++;
    give_work(s, event->work);
    event->work = NULL;
    walker->pending--;
    if (walker->blocked == event)
        walker->blocked = NULL;
    if (!walker->pending)
        walker->draining = false;
    pto_order_done(&slot->order, event);
    return PTO_OK;
}

/* ---- kernels in C -------------------------------------------------------------------------------- */

/* Behind what a kernel has issued: the scheduler's turn. */
static pto_status pass_turn(pto_walker *w, pto_status status) {
    if (w->machine.pause) {
        w->machine.pause = false;
        pto_coroutine_yield(w->coroutine);
    }
    return w->scheduler->dropping ? PTO_ERR_CANCELLED : status;
}

/* A variable of the kernel is written: it may be gone later. */
static bool writes_counts(const pto_instr *instr) {
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        if (instr->operand[i].kind == PTO_OPERAND_COUNTS && instr->operand[i].counts)
            return true;
    return false;
}

static pto_status kernel_instr(void *user, pto_core *core, const pto_instr *instr) {
    pto_walker *w = user;
    (void)core;
    if (w->scheduler->dropping)
        return PTO_ERR_CANCELLED;
    pto_status status = issue_instr(w->scheduler, &w->machine, instr);
    if (w->machine.pause && writes_counts(instr))
        w->blocked = w->latest;
    return pass_turn(w, status);
}

static pto_status kernel_element(void *user, void (*call)(void *data), void *data, size_t bytes, bool wait) {
    pto_walker *w = user;
    pto_scheduler *s = w->scheduler;
    pto_work *work = s->dropping ? NULL : take_work(s);
    if (!work || bytes > sizeof work->own) {
        if (work)
            give_work(s, work);
        return s->dropping ? PTO_ERR_CANCELLED : PTO_ERR_NOMEM;
    }
    work->call = call;
    work->data = wait ? data : memcpy(work->own, data, bytes);
    pto_event *event = put(s, &w->machine, like(&w->machine, PTO_EVENT_CALL, PTO_PIPE_S), work);
    if (event && wait)
        w->blocked = event;
    return pass_turn(w, event ? PTO_OK : PTO_ERR_NOMEM);
}

static pto_status kernel_sync(void *user, int kind, pto_pipe src, pto_pipe dst, int64_t id) {
    pto_walker *w = user;
    if (w->scheduler->dropping)
        return PTO_ERR_CANCELLED;
    return pass_turn(w, issue_sync(w->scheduler, &w->machine, (pto_code_sync)kind, src, dst, id));
}

static void run_kernel(void *user) {
    pto_walker *w = user;
    const pto_scheduler_options *o = &w->scheduler->options;
    const uint32_t run = (uint32_t)w->machine.run;
    pto_current before = pto_current_swap((pto_current){.core = w->machine.core,
                                                        .block = run / o->subblocks,
                                                        .blocks = o->blocks,
                                                        .subblock = run % o->subblocks,
                                                        .subblocks = o->subblocks});
    o->kernel(o->argument);
    pto_current_swap(before);
}

static bool make_kernel(pto_scheduler *s, pto_walker *w) {
    w->scheduler = s;
    w->issuer = (pto_core_issuer){w, kernel_instr, kernel_element, kernel_sync};
    w->machine.core = pto_core_make(&s->options.core);
    w->machine.warnings = pto_diag_list_create();
    return w->machine.core && w->machine.warnings;
}

static bool begin_kernel(pto_scheduler *s, pto_walker *w, uint32_t run) {
    pto_machine *m = &w->machine;
    m->run = run;
    m->block = run / s->options.subblocks;
    m->subblock = run % s->options.subblocks;
    m->at = -1;
    m->rule = NULL;
    m->pause = false;
    m->core->issuer = NULL;
    pto_core_reset(m->core);
    pto_core_set_subblock(m->core, (uint32_t)m->subblock, s->options.subblocks);
    m->core->issuer = &w->issuer;
    w->coroutine = pto_coroutine_create(run_kernel, w);
    return w->coroutine != NULL;
}

static pto_status resume_kernel(pto_walker *w) {
    w->machine.ended = !pto_coroutine_resume(w->coroutine);
    return pto_diag_count(pto_core_diags(w->machine.core), PTO_ERROR) ? PTO_ERR_REFUSED : PTO_OK;
}

static void end_kernel(pto_walker *w) {
    pto_coroutine_destroy(w->coroutine);
    w->coroutine = NULL;
}

/* After a fault: every kernel runs to its end without effect. */
static void drop_kernels(pto_scheduler *s) {
    s->dropping = true;
    for (uint32_t i = 0; !s->code && i < s->slots; i++)
        end_kernel(&s->slot[i]->walker[0]);
    s->dropping = false;
}

/* ---- walking ------------------------------------------------------------------------------------- */

bool pto_walker_can_walk(const pto_walker *w, const pto_order *order) {
    return w->live && !w->blocked && !w->draining && w->pending < PTO_SCHEDULER_WINDOW &&
           order->marks < 2 * PTO_SCHEDULER_WINDOW;
}

static pto_status start(pto_scheduler *s, pto_block_slot *slot, uint32_t run) {
    slot->active = true;
    slot->run = run;
    s->begun[run] = 1;
    s->started++;
    pto_order_begin(&slot->order, s->target, &s->pool);
    slot->order.one_core = !s->code;
    slot->order.ready = is_ready;
    slot->order.user = s;
    for (int core = 0; core < s->cores; core++) {
        pto_walker *walker = &slot->walker[core];
        walker->machine.text_len = 0;
        walker->blocked = NULL;
        walker->draining = false;
        walker->live = true;
        walker->issued = walker->pending = 0;
        memset(walker->priority, 0, sizeof walker->priority);
        walker->machine.used = core ? false : walker->machine.used; /* one memory: cleaned once */
        if (s->code)
            pto_machine_begin(&walker->machine, run);
        else if (!begin_kernel(s, walker, run))
            return PTO_ERR_NOMEM;
        walker->registers = pto_core_get_registers(walker->machine.core);
    }
    return PTO_OK;
}

static pto_status walk(pto_scheduler *s, pto_walker *walker) {
    pto_machine *m = &walker->machine;
    pto_core_set_registers(m->core, &walker->registers);
    pto_status status = s->code ? pto_machine_go_on(m) : resume_kernel(walker);
    walker->registers = pto_core_get_registers(m->core);
    if (status != PTO_OK)
        s->failed = m;
    else if (m->ended)
        walker->live = false;
    return status;
}

static void end_if_done(pto_scheduler *s, pto_block_slot *slot) {
    for (int core = 0; core < s->cores; core++)
        if (slot->walker[core].live || slot->walker[core].pending)
            return;
    if (slot->order.marks)
        return; /* a pipe waits for ever */
    pto_machine *m = &slot->walker[0].machine;
    if (s->code)
        pto_machine_end(m);
    else
        end_kernel(&slot->walker[0]);
    if (s->cores > 1) {
        const pto_machine *vector = &slot->walker[1].machine;
        pto_machine_print(m, vector->text, vector->text_len);
        for (const pto_diagnostic *d = pto_diag_first(vector->warnings); d; d = d->next)
            pto_diag_copy(m->warnings, d);
        pto_diag_list_clear(vector->warnings);
    }
    if (s->options.ended)
        s->options.ended(s->options.user, m);
    slot->active = false;
    s->ended++;
}

/* "PIPE_V waits for flag 0 of PIPE_MTE2, PIPE_MTE2 waits for flag 0 of PIPE_V", along a circle. */
static void words_of_hang(const pto_order *order, const pto_event *event, char *words, size_t size) {
    size_t len = 0;
    bool met[PTO_PIPE_COUNT] = {false};
    while (event && len < size) {
        bool flag = event->sync == PTO_SYNC_WAIT;
        int pipe = flag ? event->dst : event->src;
        if (met[pipe])
            return;
        met[pipe] = true;
        const char *comma = len ? ", " : "", *who = pto_pipe_name((pto_pipe)pipe);
        int more = flag ? snprintf(words + len, size - len, "%s%s waits for flag %d of %s", comma, who,
                                   event->id, pto_pipe_name((pto_pipe)event->src))
                        : snprintf(words + len, size - len, "%s%s waits for %s %d", comma, who,
                                   event->sync == PTO_SYNC_GET ? "token" : "signal", event->id);
        len += more > 0 ? (size_t)more : 0;
        event = flag ? pto_order_stuck_on(order, event->core, event->src) : NULL;
    }
}

/* Nothing can go on: somebody waits for what nobody sets. */
static pto_status hang(pto_scheduler *s) {
    const pto_event *event = NULL;
    pto_block_slot *slot = NULL;
    for (uint32_t i = 0; i < s->slots; i++) {
        const pto_event *stuck = s->slot[i]->active ? pto_order_stuck(&s->slot[i]->order) : NULL;
        if (stuck && (!event || stuck->run < event->run)) {
            event = stuck;
            slot = s->slot[i];
        }
    }
    if (!event)
        return PTO_ERR_INTERNAL;
    pto_machine *m = s->failed = &slot->walker[event->core].machine;
    m->fault = event->site;
    char words[sizeof m->found] = "";
    words_of_hang(&slot->order, event, words, sizeof words);
    return pto_machine_fail(m,
                            event->sync == PTO_SYNC_WAIT  ? "PTO-E0921"
                            : event->sync == PTO_SYNC_GET ? "PTO-E0925"
                                                          : "PTO-E0923",
                            NULL, "%s", words);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static void reset(pto_scheduler *s) {
    for (uint32_t i = 0; i < s->slots; i++) {
        pto_block_slot *slot = s->slot[i];
        slot->active = false;
        for (int core = 0; core < s->cores; core++) {
            pto_diag_list_clear(pto_core_diags(slot->walker[core].machine.core));
            pto_diag_list_clear(slot->walker[core].machine.warnings);
        }
    }
    pto_event_pool_rewind(&s->pool);
    s->ready_count = 0;
    s->started = s->ended = 0;
    s->first_run = 0;
    s->last_run = s->runs - 1;
    memset(s->begun, 0, s->runs);
    s->failed = NULL;
    s->no_memory = false;
    s->followed = s->behind = 0;
    s->executed = 0;
}

static pto_status take_turns(pto_scheduler *s, pto_step_list *steps, pto_arena *arena) {
    while (s->ended < s->runs) {
        pto_status status = PTO_OK;
        pto_choice choice = pto_choose(s);
        switch (choice.kind) {
        case PTO_CHOICE_NONE:
            return hang(s);
        case PTO_CHOICE_START:
            status = start(s, choice.slot, choice.run);
            break;
        case PTO_CHOICE_WALK:
            status = walk(s, choice.walker);
            break;
        case PTO_CHOICE_EXECUTE:
            status = execute(s, choice.ready, steps, arena);
            break;
        }
        if (status != PTO_OK)
            return status;
        if (s->no_memory || (choice.slot && choice.slot->order.failed))
            return PTO_ERR_NOMEM;
        if (s->options.cancel && *s->options.cancel)
            return PTO_ERR_CANCELLED;
        end_if_done(s, choice.slot);
    }
    return PTO_OK;
}

/* Work that was issued and never executed, after a fault. */
static void drop_pending(pto_scheduler *s) {
    for (struct pto_work *work = s->all_work; work; work = work->next_made)
        if (work->taken)
            give_work(s, work);
}

pto_status pto_scheduler_run(pto_scheduler *s, const pto_plan *plan, pto_step_list *steps, pto_arena *arena) {
    reset(s);
    s->plan = *plan;
    if (steps)
        pto_vec_clear(steps);
    pto_choose_begin(s);
    pto_status status = take_turns(s, steps, arena);
    drop_kernels(s);
    drop_pending(s);
    return status;
}

pto_machine *pto_scheduler_failed(const pto_scheduler *s) { return s->failed; }

/* ---- life ---------------------------------------------------------------------------------------- */

static bool has_vector_core(const pto_code *code) {
    for (int32_t i = 0; i < code->op_count; i++)
        if (code->op[i].kind == PTO_CODE_CORE && code->op[i].flag && code->op[i].a)
            return true;
    return false;
}

static pto_block_slot *make_slot(pto_scheduler *s) {
    pto_block_slot *slot = calloc(1, sizeof *slot);
    bool ok = slot != NULL;
    for (int core = 0; ok && core < s->cores; core++) {
        pto_machine *m = &slot->walker[core].machine;
        ok = s->code ? pto_machine_create(m, s->code, &s->options.core, s->buffer)
                     : make_kernel(s, &slot->walker[core]);
        m->blocks = s->options.blocks;
        m->subblocks = s->options.subblocks;
        m->runs = s->runs;
        m->cancel = s->options.cancel;
        m->issue = &s->issue;
        m->core_number = core;
        if (ok && core)
            pto_machine_share(m, slot->walker[0].machine.core);
    }
    if (ok)
        return slot;
    for (int core = 0; slot && core < s->cores; core++)
        pto_machine_destroy(&slot->walker[core].machine);
    free(slot);
    return NULL;
}

pto_scheduler *pto_scheduler_create(const pto_code *code, const pto_scheduler_options *options,
                                    const pto_machine_buffer *buffers) {
    pto_scheduler *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->code = code;
    s->buffer = buffers;
    s->options = *options;
    s->target = code ? code->target : options->core.target;
    s->keeps_order = !code || code->has_atomics;
    s->cores = code && has_vector_core(code) ? 2 : 1;
    s->issue = (pto_machine_issue){.user = s,
                                   .instr = issue_instr,
                                   .sync = issue_sync,
                                   .element = issue_element,
                                   .print = issue_print,
                                   .drain = drain};
    bool ok = !__builtin_mul_overflow(options->blocks, options->subblocks, &s->runs);
    uint32_t wanted = s->runs < PTO_SCHEDULER_BLOCKS ? s->runs : PTO_SCHEDULER_BLOCKS;
    s->begun = ok ? calloc(s->runs, 1) : NULL;
    s->slot = ok ? calloc(wanted, sizeof(pto_block_slot *)) : NULL;
    for (; s->begun && s->slot && s->slots < wanted; s->slots++) {
        s->slot[s->slots] = make_slot(s);
        if (!s->slot[s->slots])
            break; /* with little memory: fewer */
    }
    if (s->slots)
        return s;
    pto_scheduler_destroy(s);
    return NULL;
}

void pto_scheduler_destroy(pto_scheduler *s) {
    if (!s)
        return;
    for (uint32_t i = 0; i < s->slots; i++) {
        for (int core = s->cores; core-- > 0;)
            pto_machine_destroy(&s->slot[i]->walker[core].machine);
        pto_order_release(&s->slot[i]->order);
        free(s->slot[i]);
    }
    while (s->all_work) {
        pto_work *next = s->all_work->next_made;
        free(s->all_work->text);
        free(s->all_work);
        s->all_work = next;
    }
    pto_event_pool_free(&s->pool);
    free(s->slot);
    free(s->begun);
    free(s->ready);
    free(s);
}
