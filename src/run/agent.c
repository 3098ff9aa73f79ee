/* SPDX-License-Identifier: Apache-2.0 */
/* Agents: flags, cross-core counters and tokens of a thread, the barrier of a launch, a thread an agent. */
#include <pto/agent.h>
#include "core/core.h"
#include "isa/legality.h"
#include "program/facts.h"
#include "run/current.h"
#include "run/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 32, EVENTS = 8 };

typedef struct pto_team {
    pthread_mutex_t mutex;
    pthread_cond_t met;
    uint32_t agents, ended, waiting;
    uint64_t generation;
} team;

pto_agent pto_agent_current(void) {
    const pto_current *c = pto_current_state();
    return (pto_agent){c->block, c->blocks, c->subblock, c->subblocks ? c->subblocks : 1, c->cookie};
}

void pto_agent_set_current(pto_agent agent) {
    pto_current *c = pto_current_state();
    c->block = agent.block;
    c->blocks = agent.blocks ? agent.blocks : 1;
    c->subblock = agent.subblock;
    c->subblocks = agent.subblocks;
    c->cookie = agent.cookie;
    pto_current_tell_core(pto_core_existing());
}

void pto_agent_refuse(const char *rule, const char *what, const char *found, const char *allowed) {
    pto_core *core = pto_core_current();
    if (!core)
        return;
    const pto_rule_text *text = pto_rule_find(rule);
    pto_diag_list *diags = pto_core_diags(core);
    pto_diag_add(diags, text ? text->severity : PTO_ERROR, rule, pto_nowhere(), "%s: %s", what,
                 text ? text->title : "refused");
    pto_diag_found(diags, "%s", found);
    if (allowed)
        pto_diag_allowed(diags, "%s", allowed);
    if (text && text->fix)
        pto_diag_fix(diags, "%s", text->fix);
}

static bool concrete(pto_pipe pipe) { return (unsigned)pipe < PTO_PIPE_COUNT && pipe != PTO_PIPE_ALL; }

static const char *name_of(pto_pipe pipe) {
    return (unsigned)pipe < PTO_PIPE_COUNT ? pto_pipe_name(pipe) : "no pipe";
}

static pto_status refuse_flag(const char *rule, const char *what, pto_pipe src, pto_pipe dst, int id,
                              const char *allowed) {
    char found[96];
    snprintf(found, sizeof found, "%s -> %s, id %d", name_of(src), name_of(dst), id);
    pto_agent_refuse(rule, what, found, allowed);
    return PTO_ERR_REFUSED;
}

/* The latches of a pair of pipes, a bit an id; NULL when the pair or the id is none. */
static uint8_t *latches(const char *what, pto_pipe src, pto_pipe dst, int id) {
    if (!concrete(src) || !concrete(dst) || src == dst)
        refuse_flag("PTO-E0416", what, src, dst, id, "two different pipes of S V M MTE1 MTE2 MTE3 FIX");
    else if (id < 0 || id >= EVENTS)
        refuse_flag("PTO-E0417", what, src, dst, id, "EVENT_ID0 to EVENT_ID7");
    else
        return &pto_current_state()->flag[src][dst];
    return NULL;
}

/* The issuer of the thread's core takes a flag, barrier, token or signal: its own order says what waits. */
static bool is_issued(pto_sync_kind kind, pto_pipe src, pto_pipe dst, int id, pto_status *status) {
    const pto_core *core = pto_core_existing();
    const pto_core_issuer *issuer = core ? core->issuer : NULL;
    if (issuer)
        *status = issuer->sync(issuer->user, (int)kind, src, dst, id);
    return issuer != NULL;
}

pto_status pto_agent_flag_set(pto_pipe src, pto_pipe dst, int id) {
    pto_status status;
    uint8_t *up = latches("set_flag", src, dst, id);
    if (!up)
        return PTO_ERR_REFUSED;
    if (is_issued(PTO_SYNC_SET, src, dst, id, &status))
        return status;
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_set_flag(checker, src, dst, id);
    if (*up >> id & 1 && !pto_watch_has_sync())
        return refuse_flag("PTO-E0920", "set_flag", src, dst, id, "a wait between two sets");
    *up = (uint8_t)(*up | 1u << id);
    return PTO_OK;
}

pto_status pto_agent_flag_wait(pto_pipe src, pto_pipe dst, int id) {
    pto_status status;
    uint8_t *up = latches("wait_flag", src, dst, id);
    if (!up)
        return PTO_ERR_REFUSED;
    if (is_issued(PTO_SYNC_WAIT, src, dst, id, &status))
        return status;
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_wait_flag(checker, src, dst, id);
    if (!(*up >> id & 1) && !pto_watch_has_sync())
        return refuse_flag("PTO-E0921", "wait_flag", src, dst, id, "a set before the wait");
    *up = (uint8_t)(*up & ~(1u << id));
    return PTO_OK;
}

pto_status pto_agent_pipe_barrier(pto_pipe pipe) {
    if ((unsigned)pipe >= PTO_PIPE_COUNT) {
        char found[32];
        snprintf(found, sizeof found, "%d", (int)pipe);
        pto_agent_refuse("PTO-E0416", "pipe_barrier", found, "PIPE_S to PIPE_ALL");
        return PTO_ERR_REFUSED;
    }
    pto_status status;
    if (is_issued(PTO_SYNC_BARRIER, pipe, PTO_PIPE_ALL, 0, &status))
        return status;
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_barrier(checker, pipe);
    return PTO_OK;
}

static pto_status refuse_id(const char *rule, const char *what, int id, const char *allowed) {
    char found[32];
    snprintf(found, sizeof found, "id %d", id);
    pto_agent_refuse(rule, what, found, allowed);
    return PTO_ERR_REFUSED;
}

pto_status pto_agent_signal(int id) { return pto_agent_signal_on(PTO_PIPE_ALL, id); }
pto_status pto_agent_signal_wait(int id) { return pto_agent_signal_wait_on(PTO_PIPE_S, id); }

pto_status pto_agent_signal_on(pto_pipe pipe, int id) {
    if (id < 0 || id >= TOKENS)
        return refuse_id("PTO-E0417", "cross-core signal", id, "0 to 31");
    pto_status status;
    if (is_issued(PTO_SYNC_SIGNAL, pipe, PTO_PIPE_ALL, id, &status))
        return status;
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_signal(checker, pipe, id);
    pto_current_state()->signal[id]++;
    return PTO_OK;
}

pto_status pto_agent_signal_wait_on(pto_pipe pipe, int id) {
    if (id < 0 || id >= TOKENS)
        return refuse_id("PTO-E0417", "cross-core wait", id, "0 to 31");
    pto_status status;
    if (is_issued(PTO_SYNC_AWAIT, pipe, PTO_PIPE_ALL, id, &status))
        return status;
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_await(checker, pipe, id);
    uint32_t *count = &pto_current_state()->signal[id];
    if (!*count && checker && pto_watch_has_sync())
        return PTO_OK;
    if (!*count)
        return refuse_id("PTO-E0923", "cross-core wait", id, "a signal before the wait");
    --*count;
    return PTO_OK;
}

pto_status pto_agent_token_get(pto_pipe pipe, int id) {
    if (id < 0 || id >= TOKENS || !concrete(pipe))
        return refuse_id("PTO-E0925", "get_buf", id, "ids 0 to 31, one pipe");
    pto_status status;
    if (is_issued(PTO_SYNC_GET, pipe, PTO_PIPE_ALL, id, &status))
        return status;
    uint8_t *holder = &pto_current_state()->holder[id];
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_get_buf(checker, pipe, id);
    if (*holder && !pto_watch_has_sync())
        return refuse_id("PTO-E0925", "get_buf", id, "a token that is free");
    *holder = (uint8_t)((unsigned)pipe + 1);
    return PTO_OK;
}

pto_status pto_agent_token_release(pto_pipe pipe, int id) {
    if (id < 0 || id >= TOKENS || !concrete(pipe))
        return refuse_id("PTO-E0925", "rls_buf", id, "ids 0 to 31, one pipe");
    pto_status status;
    if (is_issued(PTO_SYNC_RELEASE, pipe, PTO_PIPE_ALL, id, &status))
        return status;
    uint8_t *holder = &pto_current_state()->holder[id];
    pto_checker *checker = pto_watch_checker();
    if (checker)
        pto_checker_rls_buf(checker, pipe, id);
    if (*holder != (uint8_t)((unsigned)pipe + 1) && !pto_watch_has_sync())
        return refuse_id("PTO-E0925", "rls_buf", id, "a token that the pipe holds");
    *holder = 0;
    return PTO_OK;
}

pto_status pto_agent_flags_end(bool report) {
    pto_current *c = pto_current_state();
    pto_status status = PTO_OK;
    if (pto_watch_has_sync()) { /* told at the end of the core's run, with the place of the set */
        pto_watch_end(pto_core_existing());
        report = false;
    }
    for (int src = 0; src < PTO_PIPE_COUNT && report; src++)
        for (int dst = 0; dst < PTO_PIPE_COUNT; dst++)
            for (int id = 0; id < EVENTS; id++)
                if (c->flag[src][dst] >> id & 1)
                    status = refuse_flag("PTO-E0922", "end of the kernel", (pto_pipe)src, (pto_pipe)dst, id,
                                         "a wait for every set");
    memset(c->flag, 0, sizeof c->flag);
    memset(c->signal, 0, sizeof c->signal);
    memset(c->holder, 0, sizeof c->holder);
    return status;
}

/* ---- launch ---- */

pto_status pto_agent_barrier(void) {
    team *t = pto_current_state()->team;
    pto_status status;
    if (!t && is_issued(PTO_SYNC_BARRIER, PTO_PIPE_ALL, PTO_PIPE_ALL, 0, &status))
        return status;
    if (!t) {
        pto_watch_meet(pto_core_existing());
        return PTO_OK;
    }
    pthread_mutex_lock(&t->mutex);
    uint64_t generation = t->generation;
    if (++t->waiting == t->agents) {
        t->generation++;
        t->waiting = 0;
        pthread_cond_broadcast(&t->met);
    }
    /* whoever has ended comes no more: everybody still waiting is told */
    while (t->generation == generation && !t->ended)
        pthread_cond_wait(&t->met, &t->mutex);
    bool met = t->generation != generation;
    pthread_mutex_unlock(&t->mutex);
    if (met) {
        pto_watch_meet(pto_core_existing());
        return PTO_OK;
    }
    pto_agent_refuse("PTO-E0924", "SYNCALL", "an agent that has ended", "the same number in every agent");
    return PTO_ERR_REFUSED;
}

typedef struct agent_thread {
    pthread_t thread;
    pto_current current;
    team *team;
    void (*kernel)(void *argument);
    void *argument;
} agent_thread;

static void end_agent(team *t) {
    pthread_mutex_lock(&t->mutex);
    t->ended++;
    pthread_cond_broadcast(&t->met);
    pthread_mutex_unlock(&t->mutex);
}

static void *run_agent(void *argument) {
    agent_thread *self = argument;
    pto_current before = pto_current_swap(self->current);
    self->kernel(self->argument);
    pto_current_swap(before);
    end_agent(self->team);
    return NULL;
}

pto_status pto_agent_launch(uint32_t blocks, uint32_t subblocks, void (*kernel)(void *argument),
                            void *argument) {
    blocks = blocks ? blocks : 1;
    subblocks = subblocks ? subblocks : 1;
    uint64_t count = (uint64_t)blocks * subblocks;
    if (count > 65536)
        return PTO_ERR_LIMIT;
    agent_thread *agents = calloc((size_t)count, sizeof *agents);
    team t = {.agents = (uint32_t)count};
    if (!agents || pthread_mutex_init(&t.mutex, NULL)) {
        free(agents);
        return PTO_ERR_NOMEM;
    }
    pto_status status = pthread_cond_init(&t.met, NULL) ? PTO_ERR_NOMEM : PTO_OK;
    uint64_t started = 0;
    for (; status == PTO_OK && started < count; started++) {
        agent_thread *agent = &agents[started];
        *agent = (agent_thread){.team = &t, .kernel = kernel, .argument = argument};
        agent->current = (pto_current){.block = (uint32_t)(started / subblocks),
                                       .blocks = blocks,
                                       .subblock = (uint32_t)(started % subblocks),
                                       .subblocks = subblocks,
                                       .team = &t};
        if (pthread_create(&agent->thread, NULL, run_agent, agent)) {
            status = PTO_ERR_NOMEM;
            end_agent(&t);
            break;
        }
    }
    for (uint64_t i = 0; i < started; i++)
        pthread_join(agents[i].thread, NULL);
    if (pto_watch_of_process())
        pto_watch_launch_ended(pto_watch_of_process());
    pthread_cond_destroy(&t.met);
    pthread_mutex_destroy(&t.mutex);
    free(agents);
    return status;
}
