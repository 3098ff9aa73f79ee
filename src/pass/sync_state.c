/* SPDX-License-Identifier: Apache-2.0 */
#include "pass/sync_flow.h"

#include "isa/order.h"

#include <string.h>

/* ---- states ---- */

static void copy_flags(sync_state *to, const sync_state *from) {
    to->flags = from->flags;
    if (from->flags) {
        memcpy(to->flag, from->flag, (size_t)from->flags * sizeof *to->flag);
        memcpy(to->flag_row, from->flag_row, (size_t)from->flags * sync_row_bytes(to));
    }
}

static void make_room(sync_flow *f, sync_state *s, int32_t flags) {
    const sync_state old = *s;
    s->room = flags < 4 ? 8 : flags * 2;
    s->flag = pto_arena_array(f->s->arena, (size_t)s->room, sizeof *s->flag);
    s->flag_row = pto_arena_array(f->s->arena, (size_t)(s->room * s->lanes), sizeof *s->flag_row);
    copy_flags(s, &old);
}

sync_state *sync_state_copy(sync_flow *f, const sync_state *from) {
    sync_state *to = f->spare;
    if (to) {
        f->spare = to->spare;
    } else {
        to = pto_arena_new(f->s->arena, sync_state);
        to->lanes = f->s->lanes;
        to->lane_row = pto_arena_array(f->s->arena, (size_t)(to->lanes * to->lanes + 1), sizeof(sync_set));
    }
    to->spare = NULL;
    to->flags = 0;
    if (!from) {
        sync_state_clear(to);
        return to;
    }
    if (to->room < from->flags)
        make_room(f, to, from->flags);
    copy_flags(to, from);
    memcpy(to->lane_row, from->lane_row, (size_t)to->lanes * sync_row_bytes(to));
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

int32_t sync_state_flag(const sync_state *s, int32_t key) {
    for (int32_t i = 0; i < s->flags; i++)
        if (s->flag[i].key == key)
            return i;
    return NONE;
}

static bool join_row(sync_set *into, const sync_set *from, int32_t lanes) {
    bool changed = false;
    for (int q = 0; q < lanes; q++) {
        if (!from[q].count || sync_set_equal(&into[q], &from[q]))
            continue;
        sync_set before = into[q];
        sync_set_join(&into[q], &from[q]);
        changed |= !sync_set_equal(&before, &into[q]);
    }
    return changed;
}

/* The flag `from` in the place of another one. */
static void move_flag(sync_state *s, int32_t to, int32_t from) {
    if (to == from)
        return;
    s->flag[to] = s->flag[from];
    memcpy(sync_flag_row(s, to), sync_flag_row(s, from), sync_row_bytes(s));
}

/* Both have their flags rebased to the same place. A flag that is up on one way only is none. */
bool sync_state_join(sync_state *into, sync_state *from) {
    bool changed = false;
    for (int p = 0; p < into->lanes; p++)
        changed |= join_row(sync_lane_row(into, p), sync_lane_row(from, p), into->lanes);
    int32_t kept = 0;
    for (int32_t i = 0; i < into->flags; i++) {
        int32_t other = sync_state_flag(from, into->flag[i].key);
        if (other < 0) {
            changed = true;
            continue;
        }
        changed |= join_row(sync_flag_row(into, i), sync_flag_row(from, other), into->lanes);
        move_flag(into, kept++, i);
    }
    into->flags = kept;
    return changed;
}

/* Whether the lane has operations or waits from one place to the other. */
static bool issues(const sync_flow *f, int lane, int32_t from, int32_t to) {
    return f->waits[lane] || sync_count(f->s, from, lane) != sync_count(f->s, to, lane);
}

/* The place moves from `at` to another one, from where time is counted on. */
void sync_state_rebase(sync_flow *f, sync_state *s, int32_t at, int32_t to) {
    for (int32_t i = 0; i < s->flags; i++) {
        sync_pending *p = &s->flag[i];
        for (int q = 0; q < s->lanes; q++)
            if (p->since <= at && issues(f, q, p->since, at)) /* waits may stand at `at` itself */
                sync_set_add(&sync_flag_row(s, i)[q], 2 * p->since + 1, 2 * at + 1);
        p->since = to;
    }
}

void sync_state_clear(sync_state *s) {
    for (int p = 0; p < s->lanes * s->lanes; p++)
        s->lane_row[p].count = 0;
}

/* ---- flags and barriers ---- */

static void set_flag(sync_flow *f, sync_state *s, int32_t key, int src, int32_t at) {
    int32_t flag = sync_state_flag(s, key);
    if (flag >= 0) { /* set twice: what either leaves open */
        join_row(sync_flag_row(s, flag), sync_lane_row(s, src), s->lanes);
        return;
    }
    if (s->flags == s->room)
        make_room(f, s, s->flags);
    flag = s->flags++;
    s->flag[flag] = (sync_pending){.key = key, .since = at};
    memcpy(sync_flag_row(s, flag), sync_lane_row(s, src), sync_row_bytes(s));
    sync_flag_row(s, flag)[src].count = 0; /* everything issued to src is done */
}

/* What follows a wait on dst knows what `known` knew; issued from node `since` on to `until` is open still. A
 * wait on S holds every lane back. */
void sync_state_learn(const sync_flow *f, sync_state *s, int dst, const sync_set *known, int32_t since,
                      int32_t until) {
    for (int p = 0; p < s->lanes; p++) {
        if (p != dst && dst != f->s->scalar)
            continue;
        sync_set *row = sync_lane_row(s, p);
        for (int q = 0; q < s->lanes; q++)
            if (row[q].count)
                sync_set_meet(&row[q], &known[q], 2 * since + 1, 2 * until + 1);
    }
}

/* The operation or wait joins what is open for every lane but one, together with the one before it if that is
 * open. */
static void open_for(const sync_flow *f, sync_state *s, int lane, int32_t node, int32_t at, int but) {
    int32_t count = sync_count(f->s, node, lane);
    int32_t before = count ? 2 * f->s->lane_node[lane][count - 1] + 2 : at;
    sync_set *set = s->lane_row + lane;
    for (int p = 0; p < s->lanes; p++, set += s->lanes)
        if (p != but)
            sync_set_append(set, before < at ? before : at, at);
}

void sync_state_issue(const sync_flow *f, sync_state *s, int32_t n) {
    const sync_scope *scope = f->s;
    int lane = scope->node.data[n].lane;
    bool ordered = lane != scope->fence && pto_pipe_is_ordered(scope->target, (pto_pipe)scope->pipe[lane]);
    open_for(f, s, lane, n, sync_ordinal(n), ordered ? lane : NONE);
}

/* The wait itself may be open for the others: a flag may not be set again before it. */
void sync_state_wait(sync_flow *f, sync_state *s, int dst, int32_t at) {
    open_for(f, s, dst, at, 2 * at + 1, dst);
    f->waits[dst] = true;
}

static void wait_flag(sync_flow *f, sync_state *s, int32_t key, int dst, int32_t at) {
    int32_t flag = sync_state_flag(s, key);
    if (flag < 0)
        return;
    sync_state_learn(f, s, dst, sync_flag_row(s, flag), s->flag[flag].since, at);
    move_flag(s, flag, --s->flags);
    sync_state_wait(f, s, dst, at);
}

void sync_state_barrier(sync_state *s, int lane) {
    if (lane == LANE_ALL)
        sync_state_clear(s);
    else
        sync_lane_row(s, lane)[lane].count = 0;
}

/* Whether the wait or barrier at its very operation is all that orders the pair that it was made for. */
static bool is_needed(const sync_flow *f, const sync_state *s, int32_t list, int32_t edge, int32_t at) {
    const sync_edge *own = &f->s->edge.data[edge];
    sync_set open = sync_lane_row(s, own->dst)[own->src];
    if (own->second != at || own->to != at)
        return false;
    for (int32_t i = list; i >= 0; i = f->s->item.data[i].next) {
        const sync_item *item = &f->s->item.data[i];
        const sync_edge *e = &f->s->edge.data[item->edge];
        if (e->gone || item->edge == edge || item->set)
            continue;
        if (e->kind == EDGE_FENCE)
            return false;
        int32_t flag = e->kind == EDGE_BARRIER ? NONE : sync_state_flag(s, item->edge);
        if (flag >= 0 && (e->dst == own->dst || e->dst == f->s->scalar))
            sync_set_meet(&open, &sync_flag_row(s, flag)[own->src], 2 * s->flag[flag].since + 1, 2 * at + 1);
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
                sync_state_barrier(s, e->kind == EDGE_FENCE ? LANE_ALL : e->src);
            } else if (item->set) {
                if (f->whole && (size_t)item->edge < f->clashes)
                    sync_set_join(&f->clash[item->edge], &sync_lane_row(s, e->src)[e->dst]);
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
