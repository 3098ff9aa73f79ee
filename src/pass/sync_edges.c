/* SPDX-License-Identifier: Apache-2.0 */
/* From dependences to flags: edges are added until the walk finds everything ordered, those that turn out to
 * be superfluous are taken out, and event ids are given so that no flag is set again before it was waited
 * for, however far a pipe runs ahead. What finds no id becomes a barrier of all pipes in its place. */
#include "pass/sync_scope.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 24, EVENTS = 8 };

/* ---- edges and items ---- */

static bool same_edge(const sync_edge *a, const sync_edge *b) {
    return a->kind == b->kind && a->src == b->src && a->dst == b->dst && a->from == b->from && a->to == b->to;
}

static void put(sync_scope *s, int32_t *list, int32_t edge, bool set) {
    pto_vec_push(s->arena, &s->item, (sync_item){.edge = edge, .next = *list, .set = set});
    *list = (int32_t)s->item.count - 1;
}

static void attach(sync_scope *s, int32_t edge) {
    const sync_edge *e = &s->edge.data[edge];
    sync_node *node = s->node.data;
    switch ((sync_edge_kind)e->kind) {
    case EDGE_CARRIED:
        put(s, &node[e->home].before, edge, true);
        put(s, &node[e->home].after, edge, false);
        /* fall through */
    case EDGE_PAIR:
        put(s, &node[e->from].after, edge, true);
        put(s, &node[e->to].before, edge, false);
        break;
    case EDGE_BARRIER:
        put(s, &node[e->to].before, edge, false);
        break;
    case EDGE_FENCE:
        put(s, e->to >= 0 ? &node[e->to].before : &node[e->from].after, edge, false);
        break;
    }
}

int32_t pto_sync_add_edge(sync_scope *s, sync_edge edge) {
    int32_t list = edge.to >= 0 ? s->node.data[edge.to].before : s->node.data[edge.from].after;
    for (int32_t i = list; i >= 0; i = s->item.data[i].next) {
        const sync_edge *other = &s->edge.data[s->item.data[i].edge];
        if (!other->gone && same_edge(other, &edge))
            return s->item.data[i].edge;
    }
    pto_vec_push(s->arena, &s->edge, edge);
    attach(s, (int32_t)s->edge.count - 1);
    return NONE;
}

void pto_sync_attach(sync_scope *s) {
    size_t kept = 0;
    for (size_t n = 0; n < s->node.count; n++)
        s->node.data[n].before = s->node.data[n].after = NONE;
    pto_vec_clear(&s->item);
    for (size_t i = 0; i < s->edge.count; i++)
        if (!s->edge.data[i].gone)
            s->edge.data[kept++] = s->edge.data[i];
    s->edge.count = kept;
    for (size_t i = 0; i < kept; i++)
        attach(s, (int32_t)i);
}

/* ---- which edges ---- */

/* Adds edges until everything is ordered. */
static bool extend(sync_flow *flow) {
    for (int round = 0; round < ROUNDS; round++) {
        int32_t added;
        if (!pto_sync_flow_extend(flow, &added))
            return false;
        if (!added)
            return true;
    }
    return false;
}

/* An edge between two operations of one block, found where it is needed. */
static bool is_plain(const sync_scope *s, const sync_edge *e) {
    const sync_node *node = s->node.data;
    return !e->kept &&
           ((e->kind == EDGE_PAIR && node[e->from].kind == SYNC_OP && node[e->to].kind == SYNC_OP) ||
            (e->kind == EDGE_BARRIER && node[e->to].kind == SYNC_OP));
}

static int weight(const sync_scope *s, const sync_edge *e) {
    if (is_plain(s, e))
        return 3;
    return e->kind == EDGE_CARRIED ? 2 : (e->kind == EDGE_PAIR ? 1 : 0);
}

/* Behind pto_sync_flow_judge: takes out what the others make superfluous, edges that were hoisted first, as
 * far as time allows. Whether anything was taken out. */
static bool prune(sync_scope *s, sync_flow *flow) {
    bool dropped = false;
    const uint64_t most = pto_sync_flow_work(flow) + 100000 + 20 * s->node.count;
    for (int turn = 0; turn < 4; turn++) {
        for (size_t i = s->edge.count; i-- > 0;) {
            const sync_edge *e = &s->edge.data[i];
            if (e->kept || e->needed || weight(s, e) != turn)
                continue;
            if (pto_sync_flow_work(flow) > most)
                break;
            dropped |= pto_sync_flow_drop(flow, (int32_t)i);
        }
    }
    if (dropped)
        pto_sync_attach(s);
    return dropped;
}

/* Whether all was found and, once more without finding anything, is ordered. */
static bool find_edges(sync_scope *s, sync_flow *flow, int round) {
    enum { LARGE = 2000 };
    int32_t added;
    if (!s->nested && !s->fenced) /* found at once */
        return pto_sync_flow_extend(flow, &added) &&
               (pto_sync_flow_holds(flow) || (extend(flow) && pto_sync_flow_holds(flow)));
    if (round && s->node.count > LARGE) /* what barriers have made superfluous may stay */
        return extend(flow) && pto_sync_flow_holds(flow);
    if (!pto_sync_flow_extend(flow, &added))
        return false;
    /* edges in front of loops may have made later ones superfluous: find these anew */
    for (size_t i = 0; i < s->edge.count; i++)
        s->edge.data[i].gone = is_plain(s, &s->edge.data[i]);
    pto_sync_attach(s);
    if (!pto_sync_flow_extend(flow, &added))
        return false;
    if (!pto_sync_flow_judge(flow) && (!extend(flow) || !pto_sync_flow_judge(flow)))
        return false;
    return !prune(s, flow) || pto_sync_flow_holds(flow) || (extend(flow) && pto_sync_flow_holds(flow));
}

/* ---- event ids ---- */

/* The places between which the flag is up or on its way. */
static void reach_of(const sync_scope *s, const sync_edge *e, int32_t *begin, int32_t *end) {
    *begin = e->kind == EDGE_CARRIED ? e->home : s->node.data[e->from].end;
    *end = e->kind == EDGE_CARRIED ? s->node.data[e->home].end : e->to;
}

/* Whether a set of the edge `later` may overtake a wait of the other. */
static bool overtakes(const sync_scope *s, const sync_flow *flow, int32_t later, const sync_edge *e) {
    const sync_set *open = pto_sync_flow_clash(flow, later);
    int32_t at = 2 * e->to + 1;
    if (sync_set_last(open, at, at) >= 0)
        return true;
    if (e->kind != EDGE_CARRIED)
        return false;
    at = 2 * s->node.data[e->home].end + 1;
    return sync_set_last(open, at, at) >= 0;
}

/* Two edges want one id. `drained`: a node before which all pipes will be empty, NONE = none. */
static bool may_share(const sync_scope *s, const sync_flow *flow, int32_t a, int32_t b, int32_t drained) {
    int32_t a_begin, a_end, b_begin, b_end;
    const sync_edge *x = &s->edge.data[a], *y = &s->edge.data[b];
    reach_of(s, x, &a_begin, &a_end);
    reach_of(s, y, &b_begin, &b_end);
    bool between =
        drained >= a_end && drained <= b_begin && sync_inside(s, s->node.data[drained].block, b_begin);
    return (a_end < b_begin || b_end < a_begin || between) && (between || !overtakes(s, flow, b, x)) &&
           !overtakes(s, flow, a, y);
}

static bool crosses_fence(const sync_scope *s, const sync_edge *e) {
    int32_t begin, end;
    reach_of(s, e, &begin, &end);
    if (!s->fenced)
        return false;
    int32_t last = sync_count(s, end < (int32_t)s->node.count ? end : (int32_t)s->node.count, s->fence);
    return sync_count(s, begin, s->fence) != last;
}

/* The flag outlives one turn of the loop around its own. False: there is none. */
static bool move_home(sync_scope *s, sync_edge *e) {
    if (e->kind != EDGE_CARRIED)
        return false;
    int32_t outer = pto_sync_loop(s, s->node.data[e->home].block);
    if (outer < 0)
        return false;
    e->home = outer;
    return true;
}

/* In place of a flag: a barrier of everything where it would have waited. Flags that are up across it are
 * found anew if they are needed besides. */
static void to_barrier(sync_scope *s, int32_t edge) {
    sync_edge *e = &s->edge.data[edge];
    int32_t to = e->to, block = s->node.data[to].block;
    *e = (sync_edge){.kind = EDGE_FENCE, .from = NONE, .to = to, .home = NONE, .id = NONE, .kept = true};
    for (size_t i = 0; i < s->edge.count; i++) {
        sync_edge *other = &s->edge.data[i];
        if (other->kind == EDGE_PAIR && s->node.data[other->to].block == block && other->from < to &&
            other->to >= to)
            other->gone = true;
    }
}

/* The edges of an id, in the order of the text. */
typedef struct taken {
    int32_t edge;
    int32_t end; /* no edge of the id up to this one reaches farther */
} taken;

typedef struct numbering {
    sync_scope *s;
    const sync_flow *flow;
    const uint8_t (*used)[LANES];
    PTO_VEC(taken) taken[LANES][LANES][EVENTS];
    int32_t drained; /* the last node before which a barrier was put for want of ids */
} numbering;

/* Edges that end before the place `horizon` are out of reach of the edge: they neither overlap it nor can a
 * set of the one overtake a wait of the other. */
static int32_t horizon(const numbering *n, int32_t edge) {
    const sync_scope *s = n->s;
    const sync_edge *e = &s->edge.data[edge];
    const sync_set *open = pto_sync_flow_clash(n->flow, edge);
    int32_t begin, end;
    reach_of(s, e, &begin, &end);
    if (open->count && open->at[0].low / 2 < begin)
        begin = open->at[0].low / 2;
    int32_t drained = n->drained;
    if (drained >= 0 && s->node.data[drained].block == 0 && begin < drained &&
        drained <= pto_sync_ancestor(s, 0, e->to))
        begin = drained;
    for (int32_t loop = pto_sync_loop(s, s->node.data[e->to].block); loop >= 0;
         loop = pto_sync_loop(s, s->node.data[loop].block))
        if (loop < begin)
            begin = loop;
    return begin;
}

static bool id_is_free(const numbering *n, int32_t edge, int id, int32_t from) {
    const sync_edge *e = &n->s->edge.data[edge];
    const taken *list = n->taken[e->src][e->dst][id].data;
    for (size_t i = n->taken[e->src][e->dst][id].count; i-- > 0 && list[i].end >= from;)
        if (!may_share(n->s, n->flow, list[i].edge, edge, n->drained))
            return false;
    return true;
}

static bool number_edge(numbering *n, int32_t edge) {
    sync_edge *e = &n->s->edge.data[edge];
    int32_t from = horizon(n, edge), begin;
    taken now = {.edge = edge};
    reach_of(n->s, e, &begin, &now.end);
    for (int id = 0; id < EVENTS; id++) {
        if (n->used[n->s->pipe[e->src]][n->s->pipe[e->dst]] >> id & 1 || !id_is_free(n, edge, id, from))
            continue;
        e->id = (int8_t)id;
        size_t count = n->taken[e->src][e->dst][id].count;
        if (count && n->taken[e->src][e->dst][id].data[count - 1].end > now.end)
            now.end = n->taken[e->src][e->dst][id].data[count - 1].end;
        pto_vec_push(n->s->arena, &n->taken[e->src][e->dst][id], now);
        return true;
    }
    return false;
}

/* A barrier of everything before the loop of a carried edge frees the ids of all flags that are down there.
 */
static bool drain_before(numbering *n, int32_t edge) {
    sync_scope *s = n->s;
    const sync_edge *e = &s->edge.data[edge];
    int32_t old = n->drained;
    if (e->kind != EDGE_CARRIED)
        return false;
    n->drained = e->home;
    if (number_edge(n, edge)) {
        sync_edge fence = {
            .kind = EDGE_FENCE, .from = NONE, .to = e->home, .home = NONE, .id = NONE, .kept = true};
        pto_sync_add_edge(s, fence);
        return true;
    }
    n->drained = old;
    return false;
}

typedef struct order_key {
    int32_t begin, edge;
} order_key;

static int by_begin(const void *a, const void *b) {
    const order_key *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Gives ids; whether all edges stayed as they are. */
static bool give_ids(sync_scope *s, const sync_flow *flow, const uint8_t used[LANES][LANES]) {
    numbering *n = pto_arena_new(s->arena, numbering);
    order_key *order = pto_arena_array(s->arena, s->edge.count + 1, sizeof *order);
    size_t count = 0;
    bool same = true;
    *n = (numbering){.s = s, .flow = flow, .used = used, .drained = NONE};
    for (size_t i = 0; i < s->edge.count; i++) {
        sync_edge *e = &s->edge.data[i];
        if (e->kind != EDGE_PAIR && e->kind != EDGE_CARRIED)
            continue;
        order[count].edge = (int32_t)i;
        int32_t end;
        reach_of(s, e, &order[count++].begin, &end);
    }
    if (count)
        qsort(order, count, sizeof *order, by_begin);
    for (size_t i = 0; i < count; i++) {
        int32_t edge = order[i].edge;
        sync_edge *e = &s->edge.data[edge];
        if (e->gone)
            continue;
        bool looped = pto_sync_loop(s, s->node.data[e->to].block) >= 0;
        bool overtaken = looped && overtakes(s, flow, edge, e);
        if (!crosses_fence(s, e) && !overtaken && number_edge(n, edge))
            continue;
        same = false;
        if (overtaken ? move_home(s, e) : !crosses_fence(s, e) && drain_before(n, edge))
            continue;
        to_barrier(s, edge);
        n->drained = s->edge.data[edge].to;
    }
    return same;
}

/* ---- all of it ---- */

static void begin_with_barrier(sync_scope *s) {
    const sync_node *node = s->node.data;
    bool there = node->kind == SYNC_FLAG && node->flag == PTO_SYNC_BARRIER && node->src == LANE_ALL;
    if (s->clean || there)
        return;
    sync_edge first = {.kind = EDGE_FENCE, .from = NONE, .to = 0, .home = NONE, .id = NONE, .kept = true};
    pto_sync_add_edge(s, first);
}

/* When the analysis takes too long: every pipe is drained before everything. */
static void drain_always(sync_scope *s) {
    s->edge.count = 0;
    pto_sync_attach(s);
    for (size_t n = 0; n < s->node.count; n++) {
        const sync_node *node = &s->node.data[n];
        sync_edge e = {.kind = EDGE_FENCE, .from = NONE, .to = (int32_t)n, .home = NONE, .id = NONE};
        if (node->kind == SYNC_OP || node->kind == SYNC_FENCE)
            pto_sync_add_edge(s, e);
        e.from = (int32_t)n;
        e.to = NONE;
        if (node->kind == SYNC_FENCE)
            pto_sync_add_edge(s, e);
    }
}

void pto_sync_solve(sync_scope *s, const uint8_t used[LANES][LANES]) {
    begin_with_barrier(s);
    sync_flow *flow = pto_sync_flow_make(s);
    for (int round = 0; round < ROUNDS; round++) {
        if (!find_edges(s, flow, round))
            break;
        if (give_ids(s, flow, used))
            return;
        pto_sync_attach(s);
    }
    drain_always(s);
}
