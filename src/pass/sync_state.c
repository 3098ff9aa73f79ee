/* SPDX-License-Identifier: Apache-2.0 */
#include "pass/sync_flow.h"

#include <string.h>

/* ---- states ---- */

sync_state *sync_state_copy(sync_flow *f, const sync_state *from) {
    sync_state *to = f->spare;
    if (to)
        f->spare = to->spare;
    else
        to = pto_arena_new(f->s->arena, sync_state);
    sync_pending *flag = to->flag;
    int32_t room = to->room;
    if (!from) {
        *to = (sync_state){.flag = flag, .room = room};
        return to;
    }
    if (room < from->flags) {
        room = from->flags * 2;
        flag = pto_arena_array(f->s->arena, (size_t)room, sizeof *flag);
    }
    if (from->flags)
        memcpy(flag, from->flag, (size_t)from->flags * sizeof *flag);
    memcpy(to->lane, from->lane, sizeof to->lane);
    to->flags = from->flags;
    to->flag = flag;
    to->room = room;
    to->spare = NULL;
    return to;
}

void sync_state_free(sync_flow *f, sync_state *s) {
    s->spare = f->spare;
    f->spare = s;
}

/* into becomes the content of from, which is given back. */
void sync_state_replace(sync_flow *f, sync_state *into, sync_state *from) {
    sync_state keep = *into;
    *into = *from;
    *from = keep;
    sync_state_free(f, from);
}

sync_pending *sync_state_flag(const sync_state *s, int32_t key) {
    for (int32_t i = 0; i < s->flags; i++)
        if (s->flag[i].key == key)
            return &s->flag[i];
    return NULL;
}

static bool join_row(sync_row *into, const sync_row *from) {
    bool changed = false;
    for (int q = 0; q < LANES; q++) {
        if (!from->open[q].count || sync_set_equal(&into->open[q], &from->open[q]))
            continue;
        sync_set before = into->open[q];
        sync_set_join(&into->open[q], &from->open[q]);
        changed |= !sync_set_equal(&before, &into->open[q]);
    }
    return changed;
}

/* Both have their flags rebased to the same place. A flag that is up on one way only is none. */
bool sync_state_join(sync_state *into, sync_state *from) {
    bool changed = false;
    for (int p = 0; p < LANES; p++)
        changed |= join_row(&into->lane[p], &from->lane[p]);
    int32_t kept = 0;
    for (int32_t i = 0; i < into->flags; i++) {
        const sync_pending *other = sync_state_flag(from, into->flag[i].key);
        if (!other) {
            changed = true;
            continue;
        }
        changed |= join_row(&into->flag[i].at, &other->at);
        if (kept != i)
            into->flag[kept] = into->flag[i];
        kept++;
    }
    into->flags = kept;
    return changed;
}

/* Whether the lane has operations or waits from one place to the other. */
static bool issues(const sync_flow *f, int lane, int32_t from, int32_t to) {
    return f->waits[lane] || f->s->count[from][lane] != f->s->count[to][lane];
}

/* The place moves from `at` to another one, from where time is counted on. */
void sync_state_rebase(sync_flow *f, sync_state *s, int32_t at, int32_t to) {
    for (int32_t i = 0; i < s->flags; i++) {
        sync_pending *p = &s->flag[i];
        for (int q = 0; q < LANES; q++)
            if (p->since <= at && issues(f, q, p->since, at)) /* waits may stand at `at` itself */
                sync_set_add(&p->at.open[q], 2 * p->since + 1, 2 * at + 1);
        p->since = to;
    }
}

void sync_state_clear(sync_state *s) {
    for (int p = 0; p < LANES; p++)
        for (int q = 0; q < LANES; q++)
            s->lane[p].open[q].count = 0;
}

/* ---- flags and barriers ---- */

static void set_flag(sync_flow *f, sync_state *s, int32_t key, int src, int32_t at) {
    sync_pending *p = sync_state_flag(s, key);
    if (p) { /* set twice: what either leaves open */
        join_row(&p->at, &s->lane[src]);
        return;
    }
    if (s->flags == s->room) {
        int32_t room = s->room ? s->room * 2 : 8;
        sync_pending *grown = pto_arena_array(f->s->arena, (size_t)room, sizeof *grown);
        if (s->flags)
            memcpy(grown, s->flag, (size_t)s->flags * sizeof *grown);
        s->flag = grown;
        s->room = room;
    }
    p = &s->flag[s->flags++];
    p->key = key;
    p->since = at;
    p->at = s->lane[src];
    p->at.open[src].count = 0; /* everything issued to src is done */
}

/* What follows a wait on dst knows what `known` knew; issued from node `since` on to `until` is open still. A
 * wait on S holds every lane back. */
void sync_state_learn(sync_state *s, int dst, const sync_row *known, int32_t since, int32_t until) {
    for (int p = 0; p < LANES; p++) {
        if (p != dst && dst != PTO_PIPE_S)
            continue;
        for (int q = 0; q < LANES; q++)
            if (s->lane[p].open[q].count)
                sync_set_meet(&s->lane[p].open[q], &known->open[q], 2 * since + 1, 2 * until + 1);
    }
}

/* The operation or wait joins what is open, together with the one before it if that is open. */
void sync_state_open(const sync_flow *f, sync_set *set, int lane, int32_t node, int32_t at) {
    int32_t count = f->s->count[node][lane];
    int32_t before = count ? 2 * f->s->lane_node[lane][count - 1] + 2 : at;
    sync_set_append(set, before < at ? before : at, at);
}

/* The wait itself may be open for the others: a flag may not be set again before it. */
void sync_state_wait(sync_flow *f, sync_state *s, int dst, int32_t at) {
    for (int p = 0; p < LANES; p++)
        if (p != dst)
            sync_state_open(f, &s->lane[p].open[dst], dst, at, 2 * at + 1);
    f->waits[dst] = true;
}

static void wait_flag(sync_flow *f, sync_state *s, int32_t key, int dst, int32_t at) {
    sync_pending *p = sync_state_flag(s, key);
    if (!p)
        return;
    sync_state_learn(s, dst, &p->at, p->since, at);
    *p = s->flag[--s->flags];
    sync_state_wait(f, s, dst, at);
}

void sync_state_barrier(sync_state *s, int lane) {
    if (lane == PTO_PIPE_ALL)
        sync_state_clear(s);
    else
        s->lane[lane].open[lane].count = 0;
}

/* Whether the wait or barrier at its very operation is all that orders the pair that it was made for. */
static bool is_needed(const sync_flow *f, const sync_state *s, int32_t list, int32_t edge, int32_t at) {
    const sync_edge *own = &f->s->edge.data[edge];
    sync_set open = s->lane[own->dst].open[own->src];
    if (own->second != at || own->to != at)
        return false;
    for (int32_t i = list; i >= 0; i = f->s->item.data[i].next) {
        const sync_item *item = &f->s->item.data[i];
        const sync_edge *e = &f->s->edge.data[item->edge];
        if (e->gone || item->edge == edge || item->set)
            continue;
        if (e->kind == EDGE_FENCE)
            return false;
        const sync_pending *p = e->kind == EDGE_BARRIER ? NULL : sync_state_flag(s, item->edge);
        if (p && (e->dst == own->dst || e->dst == PTO_PIPE_S))
            sync_set_meet(&open, &p->at.open[own->src], 2 * p->since + 1, 2 * at + 1);
    }
    return sync_set_last(&open, 2 * own->first + 2, 2 * own->first + 2) >= 0;
}

/* Waits, then barriers, then sets. */
void sync_state_items(sync_flow *f, sync_state *s, int32_t list, int32_t at) {
    for (int32_t i = f->judges ? list : NONE; i >= 0; i = f->s->item.data[i].next) {
        sync_edge *e = &f->s->edge.data[f->s->item.data[i].edge];
        if (!e->gone && !f->s->item.data[i].set && !e->needed && e->kind != EDGE_FENCE)
            e->needed = is_needed(f, s, list, f->s->item.data[i].edge, at);
    }
    for (int turn = 0; turn < 3; turn++) {
        for (int32_t i = list; i >= 0; i = f->s->item.data[i].next) {
            const sync_item *item = &f->s->item.data[i];
            const sync_edge *e = &f->s->edge.data[item->edge];
            bool flag = e->kind == EDGE_PAIR || e->kind == EDGE_CARRIED;
            if (e->gone || turn != (flag ? (item->set ? 2 : 0) : 1))
                continue;
            if (!flag) {
                sync_state_barrier(s, e->kind == EDGE_FENCE ? PTO_PIPE_ALL : e->src);
            } else if (item->set) {
                if ((size_t)item->edge < f->clashes)
                    sync_set_join(&f->clash[item->edge], &s->lane[e->src].open[e->dst]);
                set_flag(f, s, item->edge, e->src, at);
            } else {
                wait_flag(f, s, item->edge, e->dst, at);
            }
        }
    }
}

void sync_state_own_flag(sync_flow *f, sync_state *s, const sync_node *node, int32_t at) {
    int32_t key = -1 - ((node->src * LANES + node->dst) * 8 + node->id);
    if (node->flag == PTO_SYNC_BARRIER)
        sync_state_barrier(s, node->src);
    else if (node->id == NONE)
        return; /* which one is not known: no edge */
    else if (node->flag == PTO_SYNC_SET)
        set_flag(f, s, key, node->src, at);
    else
        wait_flag(f, s, key, node->dst, at);
}
