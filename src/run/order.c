/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of happens-before, made while a program is issued. */
#include "run/order.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 };

typedef struct pto_event_chunk {
    struct pto_event_chunk *next;
    max_align_t bytes[];
} pto_event_chunk;

typedef struct pto_event_edge {
    struct pto_event_edge *next;
    pto_event *to;
} pto_event_edge;

/* ---- memory -------------------------------------------------------------------------------------- */

void *pto_event_pool_take(pto_event_pool *pool, size_t bytes) {
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!pool->current || bytes > CHUNK - pool->used) {
        pto_event_chunk *next = pool->current ? pool->current->next : pool->first;
        if (!next) {
            next = malloc(sizeof *next + CHUNK);
            if (!next)
                return NULL;
            next->next = NULL;
            if (pool->current)
                pool->current->next = next;
            else
                pool->first = next;
        }
        pool->current = next;
        pool->used = 0;
    }
    void *taken = (uint8_t *)pool->current->bytes + pool->used;
    pool->used += bytes;
    return memset(taken, 0, bytes);
}

void pto_event_pool_rewind(pto_event_pool *pool) { pool->current = NULL; }

void pto_event_pool_free(pto_event_pool *pool) {
    while (pool->first) {
        pto_event_chunk *next = pool->first->next;
        free(pool->first);
        pool->first = next;
    }
    *pool = (pto_event_pool){0};
}

void pto_order_begin(pto_order *o, pto_target target, pto_event_pool *pool) {
    for (int core = 0; core < PTO_ORDER_CORES; core++)
        for (int pipe = 0; pipe < PTO_PIPE_COUNT; pipe++) {
            pto_order_lane *lane = &o->lane[core][pipe];
            *lane = (pto_order_lane){.open = lane->open, .open_capacity = lane->open_capacity};
        }
    memset(o->gate, 0, sizeof o->gate);
    memset(o->atomic, 0, sizeof o->atomic);
    memset(o->unit, 0, sizeof o->unit);
    memset(o->flag, 0, sizeof o->flag);
    memset(o->signal, 0, sizeof o->signal);
    memset(o->token, 0, sizeof o->token);
    o->target = target;
    o->marks = 0;
    o->pool = pool;
    o->failed = false;
}

void pto_order_release(pto_order *o) {
    for (int core = 0; core < PTO_ORDER_CORES; core++)
        for (int pipe = 0; pipe < PTO_PIPE_COUNT; pipe++)
            free(o->lane[core][pipe].open);
    *o = (pto_order){0};
}

/* ---- edges --------------------------------------------------------------------------------------- */

static void wait_for(pto_order *o, pto_event *later, pto_event *earlier) {
    if (!earlier || earlier->done || earlier == later)
        return;
    pto_event_edge *edge = pto_event_pool_take(o->pool, sizeof *edge);
    if (!edge) {
        o->failed = true;
        return;
    }
    *edge = (pto_event_edge){earlier->after, later};
    earlier->after = edge;
    later->waits++;
}

static pto_event *make(pto_order *o, const pto_event *like) {
    pto_event *event = pto_event_pool_take(o->pool, sizeof *event);
    if (!event) {
        o->failed = true;
        return NULL;
    }
    *event = *like;
    event->done = false;
    event->waits = 1; /* until it is settled */
    event->after = NULL;
    event->counter = NULL;
    event->next_await = NULL;
    return event;
}

static void open(pto_order *o, pto_order_lane *lane, pto_event *event) {
    if (lane->open_count == lane->open_capacity) {
        uint32_t wanted = lane->open_capacity ? lane->open_capacity * 2 : 16;
        pto_event **grown = realloc(lane->open, wanted * sizeof(pto_event *));
        if (!grown) {
            o->failed = true;
            return;
        }
        lane->open = grown;
        lane->open_capacity = wanted;
    }
    lane->open[lane->open_count++] = event;
}

/* A product with phase final sets the unit flag of its accumulator, a store with a phase takes it. */
static void unit_flag(pto_order *o, pto_event *event) {
    int i = 0;
    while (i < PTO_UNITS && o->unit[i].acc != event->acc)
        i++;
    if (event->unit == PTO_UNIT_TAKES) {
        if (i < PTO_UNITS)
            wait_for(o, event, o->unit[i].event);
        return;
    }
    if (i == PTO_UNITS)
        i = (int)(o->unit_count++ % PTO_UNITS);
    o->unit[i].acc = event->acc;
    o->unit[i].event = event;
}

pto_event *pto_order_issue(pto_order *o, const pto_event *like) {
    pto_event *event = make(o, like);
    if (!event)
        return NULL;
    pto_order_lane *lane = &o->lane[event->core][o->target == PTO_TARGET_CPU ? PTO_PIPE_S : event->pipe];
    wait_for(o, event, o->gate[event->core]);
    wait_for(o, event, lane->gate);
    if (o->target == PTO_TARGET_CPU || pto_pipe_is_ordered(o->target, (pto_pipe)event->pipe)) {
        wait_for(o, event, lane->last);
        lane->last = event;
    } else {
        open(o, lane, event);
    }
    if (event->unit)
        unit_flag(o, event);
    if (event->atomic) { /* the order of additions decides their rounding: it stays */
        wait_for(o, event, o->atomic[event->core]);
        o->atomic[event->core] = event;
    }
    return event;
}

/* Everything issued to a pipe so far. */
static void collect(pto_order *o, pto_event *event, pto_order_lane *lane) {
    wait_for(o, event, lane->gate);
    wait_for(o, event, lane->collector);
    wait_for(o, event, lane->last);
    for (uint32_t i = 0; i < lane->open_count; i++)
        wait_for(o, event, lane->open[i]);
    lane->open_count = 0;
    lane->collector = event;
}

static void collect_all(pto_order *o, pto_event *event) {
    for (int p = 0; p < PTO_PIPE_COUNT; p++)
        collect(o, event, &o->lane[event->core][p]);
}

/* Whatever is issued to a pipe later; a wait on S holds back the thread that issues. */
static void hold(pto_order *o, pto_event *event, pto_pipe pipe) {
    if (pipe == PTO_PIPE_S || pipe == PTO_PIPE_ALL) {
        wait_for(o, event, o->gate[event->core]);
        o->gate[event->core] = event;
        return;
    }
    pto_order_lane *lane = &o->lane[event->core][pipe];
    wait_for(o, event, o->gate[event->core]);
    wait_for(o, event, lane->gate);
    lane->gate = event;
}

static void take(pto_event *event, pto_counter *counter) {
    if (counter->count) {
        counter->count--;
        return;
    }
    event->waits++;
    event->is_await = true;
    if (counter->last)
        counter->last->next_await = event;
    else
        counter->first = event;
    counter->last = event;
}

static void barrier(pto_order *o, pto_event *event, pto_pipe pipe) {
    if (pipe != PTO_PIPE_ALL) {
        collect(o, event, &o->lane[event->core][pipe]);
        wait_for(o, event, o->gate[event->core]);
        /* a barrier of S holds back S, not the thread: it is in order anyway */
        if (pipe != PTO_PIPE_S)
            o->lane[event->core][pipe].gate = event;
        return;
    }
    collect_all(o, event);
    hold(o, event, PTO_PIPE_ALL);
}

static uint8_t lane_of(const pto_event *event, pto_pipe pipe) {
    return (uint8_t)(event->core * PTO_PIPE_COUNT + (int)pipe);
}

static void get_token(pto_order *o, pto_event *event, pto_pipe pipe, pto_order_token *token) {
    uint8_t lane = lane_of(event, pipe);
    if (token->held && token->lane != lane && !token->waiting) { /* its release is issued later */
        event->waits++;
        event->is_await = true;
        token->waiting = event;
    } else if (!token->held) {
        if (token->lane != lane)
            wait_for(o, event, token->release);
        token->held = true;
        token->lane = lane;
    }
    hold(o, event, pipe);
}

/* Of a pipe that does not hold it: nothing. */
static void release_token(pto_order *o, pto_event *event, pto_pipe pipe, pto_order_token *token) {
    collect(o, event, &o->lane[event->core][pipe]);
    if (!token->held || token->lane != lane_of(event, pipe))
        return;
    token->release = event;
    pto_event *next = token->waiting;
    token->waiting = NULL;
    token->held = next != NULL;
    if (!next)
        return;
    token->lane = lane_of(next, (pto_pipe)next->src);
    next->is_await = false;
    token->late = next;
    wait_for(o, next, event);
    pto_order_settle(o, next);
}

void pto_order_sync(pto_order *o, const pto_event *like, pto_code_sync kind, pto_pipe src, pto_pipe dst,
                    int64_t id) {
    bool flag = kind == PTO_SYNC_SET || kind == PTO_SYNC_WAIT,
         cross = kind == PTO_SYNC_SIGNAL || kind == PTO_SYNC_AWAIT;
    int64_t most = flag ? PTO_ORDER_FLAGS : PTO_ORDER_IDS;
    if (kind == PTO_SYNC_NOTHING || (o->target == PTO_TARGET_CPU && !cross) || id < 0 || id >= most)
        return;
    pto_event *event = make(o, like);
    if (!event)
        return;
    event->kind = PTO_EVENT_MARK;
    o->marks++;
    event->sync = kind;
    event->src = (uint8_t)src;
    event->dst = (uint8_t)dst;
    event->id = (int16_t)id;
    switch (kind) {
    case PTO_SYNC_SET:
        collect(o, event, &o->lane[event->core][src]);
        wait_for(o, event, o->gate[event->core]);
        event->counter = &o->flag[event->core][src][dst][id];
        event->counter->coming++;
        break;
    case PTO_SYNC_WAIT:
        hold(o, event, dst);
        take(event, &o->flag[event->core][src][dst][id]);
        break;
    case PTO_SYNC_BARRIER:
        barrier(o, event, src);
        break;
    case PTO_SYNC_GET:
        get_token(o, event, src, &o->token[id]);
        break;
    case PTO_SYNC_RELEASE:
        release_token(o, event, src, &o->token[id]);
        break;
    case PTO_SYNC_SIGNAL:
        if (src == PTO_PIPE_ALL || o->target == PTO_TARGET_CPU)
            collect_all(o, event);
        else
            collect(o, event, &o->lane[event->core][src]);
        wait_for(o, event, o->gate[event->core]);
        event->counter = &o->signal[o->one_core ? event->core : 1 - event->core][id];
        event->counter->coming++;
        break;
    case PTO_SYNC_AWAIT:
        hold(o, event, o->target == PTO_TARGET_A5 ? src : PTO_PIPE_ALL);
        take(event, &o->signal[event->core][id]);
        break;
    case PTO_SYNC_NOTHING:
        break;
    }
    pto_order_settle(o, event);
}

/* ---- done ---------------------------------------------------------------------------------------- */

void pto_order_settle(pto_order *o, pto_event *event) {
    if (--event->waits)
        return;
    if (event->kind == PTO_EVENT_MARK)
        pto_order_done(o, event);
    else
        o->ready(o->user, event);
}

void pto_order_done(pto_order *o, pto_event *event) {
    event->done = true;
    o->marks -= event->kind == PTO_EVENT_MARK;
    for (pto_event_edge *edge = event->after; edge; edge = edge->next)
        pto_order_settle(o, edge->to);
    pto_counter *counter = event->counter;
    if (!counter)
        return;
    counter->coming--;
    pto_event *first = counter->first;
    if (!first) {
        counter->count++;
        return;
    }
    counter->first = first->next_await;
    if (!counter->first)
        counter->last = NULL;
    first->is_await = false;
    pto_order_settle(o, first);
}

/* Every wait that is first in its queue. */
static void each_stuck(const pto_order *o, void (*visit)(void *user, const pto_event *event, bool nobody),
                       void *user) {
    for (int core = 0; core < PTO_ORDER_CORES; core++) {
        const pto_counter *counter = &o->flag[core][0][0][0];
        for (int i = 0; i < PTO_PIPE_COUNT * PTO_PIPE_COUNT * PTO_ORDER_FLAGS; i++)
            if (counter[i].first)
                visit(user, counter[i].first, !counter[i].coming);
        for (int id = 0; id < PTO_ORDER_IDS; id++)
            if (o->signal[core][id].first)
                visit(user, o->signal[core][id].first, !o->signal[core][id].coming);
    }
    for (int id = 0; id < PTO_ORDER_IDS; id++)
        if (o->token[id].waiting)
            visit(user, o->token[id].waiting, true);
        else if (o->token[id].late && !o->token[id].late->done)
            visit(user, o->token[id].late, false);
}

typedef struct search {
    const pto_event *best;
    bool nobody;
    int core, pipe; /* -1 = any */
} search;

static bool holds(const pto_event *event, int pipe) {
    int held = event->sync == PTO_SYNC_WAIT ? event->dst : event->src;
    return pipe < 0 || held == pipe || held == PTO_PIPE_S;
}

static void consider(void *user, const pto_event *event, bool nobody) {
    search *s = user;
    if ((s->core >= 0 && event->core != s->core) || !holds(event, s->pipe))
        return;
    bool first = !s->best || event->segment < s->best->segment ||
                 (event->segment == s->best->segment && event->site < s->best->site);
    if (nobody == s->nobody ? !first : !nobody)
        return;
    s->best = event;
    s->nobody = nobody;
}

const pto_event *pto_order_stuck(const pto_order *o) {
    search s = {.core = -1, .pipe = -1};
    each_stuck(o, consider, &s);
    return s.best;
}

const pto_event *pto_order_stuck_on(const pto_order *o, int core, int pipe) {
    search s = {.core = core, .pipe = pipe};
    each_stuck(o, consider, &s);
    return s.best;
}

/* ---- of the text --------------------------------------------------------------------------------- */

/* Signals that a core has got so far, a bit an id; an id that a register holds may be any. */
static uint32_t ids_of(const pto_code_op *op) {
    if (op->dst >= 0)
        return UINT32_MAX;
    return op->c >= 0 && op->c < PTO_ORDER_IDS ? UINT32_C(1) << op->c : 0;
}

bool pto_order_waits_early(const pto_code *code) {
    uint32_t given[PTO_ORDER_CORES] = {0}, missed[PTO_ORDER_CORES] = {0};
    int core = 0;
    for (int32_t i = 0; i < code->op_count; i++) {
        const pto_code_op *op = &code->op[i];
        if (op->kind == PTO_CODE_CORE)
            core = op->a;
        if (op->kind != PTO_CODE_SYNC)
            continue;
        if (op->flag == PTO_SYNC_AWAIT && !(given[core] & ids_of(op)))
            missed[core] |= ids_of(op);
        if (op->flag == PTO_SYNC_SIGNAL) {
            if (missed[1 - core] & ids_of(op))
                return true;
            given[1 - core] |= ids_of(op);
        }
    }
    return false;
}
