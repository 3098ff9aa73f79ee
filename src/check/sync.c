/* SPDX-License-Identifier: Apache-2.0 */
/* Flags, events and barriers, buffer tokens, signals between cores (00-model, 11.2, 11.7). */
#include "check/checker.h"

#include <stdlib.h>
#include <string.h>

void pto_check_sync_begin(pto_checker *c) {
    memset(c->flags, 0, sizeof c->flags);
    memset(c->used, 0, sizeof c->used);
    memset(c->tokens, 0, sizeof c->tokens);
    memset(c->unit, 0, sizeof c->unit);
    c->signals_used = 0;
    for (int core = 0; core < PTO_CHECK_CORES; core++)
        for (int id = 0; id < PTO_CHECK_SIGNALS; id++)
            c->signals[core][id].count = 0;
    c->wait_count = c->barrier_count = 0;
}

static void finding_at(pto_checker *c, const char *rule, const pto_check_access *first,
                       const pto_check_access *second, pto_pipe src, pto_pipe dst, int64_t id) {
    if (!(c->options.checks & PTO_CHECK_SYNC))
        return;
    pto_check_finding f = {
        .rule = rule, .second = *second, .src = src, .dst = dst, .id = (int)id, .memory = -1};
    if (first)
        f.first = *first;
    pto_check_tell(c, &f, NULL, NULL);
}

static void sync_finding(pto_checker *c, const char *rule, const pto_check_access *first, pto_pipe src,
                         pto_pipe dst, int64_t id) {
    const pto_check_access here = pto_check_here(c, pto_check_lane(c, src));
    finding_at(c, rule, first, &here, src, dst, id);
}

/* ---- clocks -------------------------------------------------------------------------------------- */

static void join(pto_check_clock into, const pto_check_clock from) {
    for (int i = 0; i < PTO_CHECK_LANES; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* All that precedes what follows everything issued to a lane so far. */
static void snapshot(const pto_checker *c, uint8_t lane, pto_check_clock out) {
    memcpy(out, c->before[lane], sizeof(pto_check_clock));
    out[lane] = c->issued[lane];
}

/* What follows a wait on a pipe: on S the issuing thread stalls, so everything issued later follows. */
static void order(pto_checker *c, uint8_t lane, const pto_check_clock at) {
    if (lane % PTO_CHECK_PIPES != PTO_PIPE_S) {
        join(c->before[lane], at);
        return;
    }
    for (int p = 0; p < PTO_CHECK_PIPES; p++)
        join(c->before[c->core * PTO_CHECK_PIPES + p], at);
}

/* ---- waits that found nothing --------------------------------------------------------------------- */

/* With the set that it took, NULL = none, and the wait that this one stands behind. */
static void add_wait(pto_checker *c, const pto_check_wait *wait, const pto_check_access *set, int behind) {
    if (set && c->wait[behind].met) /* what held it back is gone */
        return;
    if (c->wait_count == 1024)
        return;
    if (c->wait_count == c->wait_capacity) {
        const int wanted = c->wait_capacity ? 2 * c->wait_capacity : 16;
        pto_check_wait *grown = realloc(c->wait, (size_t)wanted * sizeof *grown);
        if (!grown)
            return;
        c->wait = grown;
        c->wait_capacity = wanted;
    }
    pto_check_wait *w = &c->wait[c->wait_count++];
    *w = *wait;
    w->behind = behind;
    w->taken = set != NULL;
    if (set)
        w->set = *set;
}

/* The wait that holds back whatever is issued to a lane now; -1 = none. */
static int held_by(const pto_checker *c, uint8_t lane) {
    for (int i = c->wait_count; i-- > 0;) {
        const pto_check_wait *w = &c->wait[i];
        const bool same_core = c->options.one_core || w->lane / PTO_CHECK_PIPES == lane / PTO_CHECK_PIPES;
        if (!w->met && (w->lane == lane || (w->whole_core && same_core)))
            return i;
    }
    return -1;
}

/* A set that is not held back meets a wait, and with it those whose sets stood behind that. */
static void meet(pto_checker *c, int wait) {
    c->wait[wait].met = true;
    for (int i = 0; i < c->wait_count; i++)
        if (!c->wait[i].met && c->wait[i].behind == wait)
            meet(c, i);
}

/* Does a set from this lane serve a wait that came before it? */
static bool serves(pto_checker *c, bool signal, uint8_t lane, uint8_t waiting, pto_pipe dst, int id) {
    for (int i = 0; i < c->wait_count; i++) {
        pto_check_wait *w = &c->wait[i];
        if (w->behind != -2 || w->signal != signal || w->id != id ||
            (signal ? w->lane / PTO_CHECK_PIPES != waiting / PTO_CHECK_PIPES
                    : w->src != (pto_pipe)(lane % PTO_CHECK_PIPES) || w->dst != dst ||
                          w->lane / PTO_CHECK_PIPES != lane / PTO_CHECK_PIPES))
            continue;
        w->set = pto_check_here(c, lane);
        w->behind = held_by(c, lane);
        if (w->behind < 0)
            meet(c, i);
        return true;
    }
    return false;
}

static void tell_cycle(pto_checker *c, int start) {
    pto_check_finding f = {.rule = "PTO-E1110",
                           .second = c->wait[start].at,
                           .src = c->wait[start].src,
                           .dst = c->wait[start].dst,
                           .id = c->wait[start].id,
                           .memory = -1};
    int at = start;
    do {
        if (f.cycle_count + 1 < PTO_CHECK_NEIGHBOURS) {
            f.cycle[f.cycle_count++] = c->wait[at].at;
            f.cycle[f.cycle_count++] = c->wait[at].set;
        }
        at = c->wait[at].behind;
    } while (at != start);
    f.first = c->wait[c->wait[start].behind].at;
    pto_check_tell(c, &f, NULL, NULL);
}

/* A wait whose set never came is told; so is a circle of waits, once, at its first; those behind either are
 * its consequence. A set that came late was issued behind its wait: the order of the program is not that of
 * the pipes. */
static void tell_waits(pto_checker *c) {
    for (int i = 0; i < c->wait_count; i++) {
        const pto_check_wait *w = &c->wait[i];
        int at = i, lowest = i, steps = 0;
        while (!w->met && at >= 0 && steps++ <= c->wait_count) {
            at = c->wait[at].behind;
            lowest = at >= 0 && at < lowest ? at : lowest;
            if (at == i)
                break;
        }
        if (!w->met && at == i) {
            if (lowest == i && c->options.checks & PTO_CHECK_SYNC)
                tell_cycle(c, i);
        } else if (!w->taken && (w->met || w->behind == -2)) {
            finding_at(c, w->signal ? "PTO-E0923" : "PTO-E0921", w->met ? &w->set : NULL, &w->at, w->src,
                       w->dst, w->id);
        }
    }
}

/* ---- flags --------------------------------------------------------------------------------------- */

void pto_checker_set_flag(pto_checker *c, pto_pipe src, pto_pipe dst, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_FLAGS) {
        sync_finding(c, "PTO-E0417", NULL, src, dst, id);
        return;
    }
    const uint8_t lane = pto_check_lane(c, src);
    c->used[lane][dst] |= (uint8_t)(1u << id);
    if (serves(c, false, lane, lane, dst, (int)id))
        return;
    pto_check_flag *f = &c->flags[lane][dst][id];
    if (f->up)
        sync_finding(c, "PTO-E0920", &f->set, src, dst, id);
    pto_check_clock at;
    snapshot(c, lane, at);
    if (f->up)
        join(f->at, at);
    else
        memcpy(f->at, at, sizeof at);
    f->up = true;
    f->behind = held_by(c, lane);
    f->set = pto_check_here(c, lane);
}

void pto_checker_wait_flag(pto_checker *c, pto_pipe src, pto_pipe dst, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_FLAGS) {
        sync_finding(c, "PTO-E0417", NULL, src, dst, id);
        return;
    }
    const uint8_t lane = pto_check_lane(c, dst);
    pto_check_flag *f = &c->flags[pto_check_lane(c, src)][dst][id];
    if (!f->up || f->behind >= 0) {
        const pto_check_wait wait = {.at = pto_check_here(c, lane),
                                     .lane = lane,
                                     .whole_core = dst == PTO_PIPE_S,
                                     .src = src,
                                     .dst = dst,
                                     .id = (int)id};
        add_wait(c, &wait, f->up ? &f->set : NULL, f->up ? f->behind : -2);
    }
    if (!f->up)
        return;
    f->up = false;
    order(c, lane, f->at);
}

/* ---- unit flags ---------------------------------------------------------------------------------- */

static int unit_of(const pto_checker *c, const void *acc) {
    for (int i = 0; i < PTO_UNITS; i++)
        if (c->unit[i].acc == acc)
            return i;
    return -1;
}

void pto_check_set_unit(pto_checker *c, pto_pipe pipe, const void *acc) {
    int i = unit_of(c, acc);
    if (i < 0)
        i = (int)(c->unit_count++ % PTO_UNITS);
    c->unit[i].acc = acc;
    snapshot(c, pto_check_lane(c, pipe), c->unit[i].at);
}

void pto_check_take_unit(pto_checker *c, pto_pipe pipe, const void *acc) {
    const int i = unit_of(c, acc);
    if (i >= 0)
        order(c, pto_check_lane(c, pipe), c->unit[i].at);
}

/* ---- barriers ------------------------------------------------------------------------------------ */

static void note_barrier(pto_checker *c, pto_pipe pipe, bool useful) {
    int i = 0;
    while (i < c->barrier_count && (c->barrier[i].at.site != c->site || c->barrier[i].pipe != pipe))
        i++;
    if (i < c->barrier_count) {
        c->barrier[i].useful |= useful;
        return;
    }
    if (i == 1024)
        return;
    if (i == c->barrier_capacity) {
        const int wanted = i ? 2 * i : 16;
        pto_check_barrier *grown = realloc(c->barrier, (size_t)wanted * sizeof *grown);
        if (!grown)
            return;
        c->barrier = grown;
        c->barrier_capacity = wanted;
    }
    c->barrier[c->barrier_count++] =
        (pto_check_barrier){pto_check_here(c, pto_check_lane(c, pipe)), pipe, useful};
}

bool pto_check_fence(pto_checker *c, pto_pipe pipe) {
    const bool all = pipe == PTO_PIPE_ALL;
    bool useful = false;
    pto_check_clock joined = {0};
    for (int p = 0; p < PTO_CHECK_PIPES; p++) {
        if (!all && p != (int)pipe)
            continue;
        const uint8_t lane = pto_check_lane(c, (pto_pipe)p);
        useful |= c->issued[lane] > c->fenced[lane];
        c->fenced[lane] = c->issued[lane];
        pto_check_clock at;
        snapshot(c, lane, at);
        join(joined, at);
        c->before[lane][lane] = c->issued[lane];
    }
    for (int p = 0; p < PTO_CHECK_PIPES && all; p++)
        join(c->before[c->core * PTO_CHECK_PIPES + p], joined);
    return useful;
}

void pto_checker_barrier(pto_checker *c, pto_pipe pipe) {
    pto_check_count_turn(c);
    const bool useful = pto_check_fence(c, pipe);
    if (c->options.checks & PTO_CHECK_SYNC && c->site >= 0)
        note_barrier(c, pipe, useful);
}

void pto_checker_own_barrier(pto_checker *c, pto_pipe pipe) {
    pto_check_count_turn(c);
    pto_check_fence(c, pipe);
}

static void tell_barriers(pto_checker *c) {
    for (int i = 0; i < c->barrier_count; i++) {
        const pto_check_barrier *b = &c->barrier[i];
        pto_check_finding f = {.rule = "PTO-W1111",
                               .second = b->at,
                               .src = b->pipe,
                               .dst = b->pipe,
                               .id = -1,
                               .memory = -1,
                               .retracted = b->useful};
        pto_check_tell(c, &f, NULL, NULL);
    }
}

/* ---- tokens -------------------------------------------------------------------------------------- */

void pto_checker_get_buf(pto_checker *c, pto_pipe pipe, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_TOKENS) {
        sync_finding(c, "PTO-E0925", NULL, pipe, pipe, id);
        return;
    }
    pto_check_token *t = &c->tokens[id];
    uint8_t lane = pto_check_lane(c, pipe);
    if (t->held)
        sync_finding(c, "PTO-E0925", &t->get, pipe, pipe, id);
    else if (t->released && t->lane != lane)
        order(c, lane, t->at);
    t->held = true;
    t->lane = lane;
    t->get = pto_check_here(c, lane);
}

void pto_checker_rls_buf(pto_checker *c, pto_pipe pipe, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_TOKENS) {
        sync_finding(c, "PTO-E0925", NULL, pipe, pipe, id);
        return;
    }
    pto_check_token *t = &c->tokens[id];
    uint8_t lane = pto_check_lane(c, pipe);
    if (!t->held || t->lane != lane) {
        sync_finding(c, "PTO-E0925", t->held ? &t->get : NULL, pipe, pipe, id);
        return;
    }
    snapshot(c, lane, t->at);
    t->held = false;
    t->released = true;
}

/* ---- signals ------------------------------------------------------------------------------------- */

void pto_checker_signal(pto_checker *c, pto_pipe pipe, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_SIGNALS) {
        sync_finding(c, "PTO-E0431", NULL, pipe, pipe, id);
        return;
    }
    c->signals_used |= UINT32_C(1) << id;
    const uint8_t lane = pto_check_lane(c, pipe);
    const int to = c->options.one_core ? 0 : 1 - c->core;
    if (serves(c, true, lane, (uint8_t)(to * PTO_CHECK_PIPES), pipe, (int)id))
        return;
    pto_check_signal *s = &c->signals[to][id];
    if (s->count == s->capacity) {
        const uint32_t wanted = s->capacity ? s->capacity * 2 : 8;
        pto_check_signal_one *grown = realloc(s->one, wanted * sizeof *grown);
        if (!grown)
            return;
        s->one = grown;
        s->capacity = wanted;
    }
    pto_check_signal_one *one = &s->one[s->count++];
    snapshot(c, lane, one->at);
    one->behind = held_by(c, lane);
    one->set = pto_check_here(c, lane);
}

/* What a wait knows: one of the signals has come, whichever. Those of one pipe come in order: it is the
 * first. */
static void take_signal(pto_check_signal *s, pto_check_clock known) {
    memcpy(known, s->one[0].at, sizeof(pto_check_clock));
    for (uint32_t k = 1; k < s->count; k++)
        for (int i = 0; i < PTO_CHECK_LANES; i++)
            known[i] = s->one[k].at[i] < known[i] ? s->one[k].at[i] : known[i];
    memmove(s->one, s->one + 1, --s->count * sizeof *s->one);
}

void pto_checker_await(pto_checker *c, pto_pipe pipe, int64_t id) {
    pto_check_count_turn(c);
    if (id < 0 || id >= PTO_CHECK_SIGNALS) {
        sync_finding(c, "PTO-E0431", NULL, pipe, pipe, id);
        return;
    }
    const bool whole_core = c->options.target != PTO_TARGET_A5;
    const uint8_t lane = pto_check_lane(c, whole_core ? PTO_PIPE_S : pipe);
    pto_check_signal *s = &c->signals[c->core][id];
    const bool held = s->count && s->one[0].behind >= 0;
    if (!s->count || held) {
        const pto_check_wait wait = {.at = pto_check_here(c, lane),
                                     .lane = lane,
                                     .signal = true,
                                     .whole_core = whole_core,
                                     .src = pipe,
                                     .dst = pipe,
                                     .id = (int)id};
        add_wait(c, &wait, s->count ? &s->one[0].set : NULL, held ? s->one[0].behind : -2);
    }
    if (!s->count)
        return;
    pto_check_clock known;
    take_signal(s, known);
    order(c, lane, known);
}

/* ---- the end ------------------------------------------------------------------------------------- */

void pto_checker_end(pto_checker *c) {
    tell_waits(c);
    for (int lane = 0; lane < PTO_CHECK_LANES; lane++)
        for (int dst = 0; dst < PTO_CHECK_PIPES; dst++)
            for (int id = 0; id < PTO_CHECK_FLAGS; id++) {
                const pto_check_flag *f = &c->flags[lane][dst][id];
                if (f->up)
                    finding_at(c, "PTO-E0922", NULL, &f->set, (pto_pipe)(lane % PTO_CHECK_PIPES),
                               (pto_pipe)dst, id);
            }
    for (int id = 0; id < PTO_CHECK_TOKENS; id++)
        if (c->tokens[id].held)
            finding_at(c, "PTO-E0925", NULL, &c->tokens[id].get,
                       (pto_pipe)(c->tokens[id].lane % PTO_CHECK_PIPES), PTO_PIPE_ALL, id);
    if (c->options.checks & PTO_CHECK_SYNC)
        tell_barriers(c);
    pto_check_count_repeats(c);
}
