/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a scope as a data flow. For every lane: the operations of each lane that may not be done when
 * the next one of this lane starts ("open"). A flag carries what is open for its source when it is set to its
 * destination when that waits; what was issued in between stays open. Branches and loops join by union, loops
 * until nothing changes. Beside it, a shadow keeps for every piece of memory the accesses that later ones may
 * still conflict with. */
#include "pass/sync_scope.h"

#include "isa/order.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 64 }; /* of a piece: then accesses of one lane are taken together */

typedef struct row {
    sync_set open[LANES];
} row;

typedef struct pending { /* a flag that is up */
    int32_t key;         /* edge, or below 0 a flag of the program */
    int32_t since;       /* node: what stands from here to the place of the wait was issued since */
    row at;
} pending;

typedef struct state {
    row lane[LANES];
    pending *flag;
    int32_t flags, room;
    struct state *spare;
} state;

typedef struct entry {
    int32_t first, last; /* nodes of one lane; mostly one node */
    uint8_t lane;
    bool write, atomic;
} entry;

typedef PTO_VEC(entry) piece;

struct sync_flow {
    sync_scope *s;
    piece *piece;
    state **head, **tail; /* by node: of loops */
    sync_set *clash;      /* by edge */
    size_t clashes;
    PTO_VEC(int32_t) rows;
    state *spare;
    bool waits[LANES]; /* some wait was issued in this walk */
    bool extends, broken, stopped;
    int32_t added;
    uint64_t work, limit;
};

/* ---- states -------------------------------------------------------------------------------------- */

static state *copy_state(sync_flow *f, const state *from) {
    state *to = f->spare;
    if (to)
        f->spare = to->spare;
    else
        to = pto_arena_new(f->s->arena, state);
    pending *flag = to->flag;
    int32_t room = to->room;
    if (!from) {
        *to = (state){.flag = flag, .room = room};
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

static void give_back(sync_flow *f, state *s) {
    s->spare = f->spare;
    f->spare = s;
}

/* into becomes the content of from, which is given back. */
static void replace(sync_flow *f, state *into, state *from) {
    state keep = *into;
    *into = *from;
    *from = keep;
    give_back(f, from);
}

static pending *find_pending(state *s, int32_t key) {
    for (int32_t i = 0; i < s->flags; i++)
        if (s->flag[i].key == key)
            return &s->flag[i];
    return NULL;
}

static bool join_row(row *into, const row *from) {
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
static bool join_state(state *into, state *from) {
    bool changed = false;
    for (int p = 0; p < LANES; p++)
        changed |= join_row(&into->lane[p], &from->lane[p]);
    int32_t kept = 0;
    for (int32_t i = 0; i < into->flags; i++) {
        const pending *other = find_pending(from, into->flag[i].key);
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
static void rebase(sync_flow *f, state *s, int32_t at, int32_t to) {
    for (int32_t i = 0; i < s->flags; i++) {
        pending *p = &s->flag[i];
        for (int q = 0; q < LANES; q++)
            if (p->since <= at && issues(f, q, p->since, at)) /* waits may stand at `at` itself */
                sync_set_add(&p->at.open[q], 2 * p->since + 1, 2 * at + 1);
        p->since = to;
    }
}

static void clear(state *s) {
    for (int p = 0; p < LANES; p++)
        for (int q = 0; q < LANES; q++)
            s->lane[p].open[q].count = 0;
}

/* ---- flags and barriers --------------------------------------------------------------------------- */

static void set_flag(sync_flow *f, state *s, int32_t key, int src, int32_t at) {
    pending *p = find_pending(s, key);
    if (p) { /* set twice: what either leaves open */
        join_row(&p->at, &s->lane[src]);
        return;
    }
    if (s->flags == s->room) {
        int32_t room = s->room ? s->room * 2 : 8;
        pending *grown = pto_arena_array(f->s->arena, (size_t)room, sizeof *grown);
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
static void learn(state *s, int dst, const row *known, int32_t since, int32_t until) {
    for (int p = 0; p < LANES; p++) {
        if (p != dst && dst != PTO_PIPE_S)
            continue;
        for (int q = 0; q < LANES; q++)
            if (s->lane[p].open[q].count)
                sync_set_meet(&s->lane[p].open[q], &known->open[q], 2 * since + 1, 2 * until + 1);
    }
}

/* The operation or wait joins what is open, together with the one before it if that is open. */
static void open_up(const sync_flow *f, sync_set *set, int lane, int32_t node, int32_t at) {
    int32_t count = f->s->count[node][lane];
    int32_t before = count ? 2 * f->s->lane_node[lane][count - 1] + 2 : at;
    sync_set_append(set, before < at ? before : at, at);
}

/* The wait itself may be open for the others: a flag may not be set again before it. */
static void issue_wait(sync_flow *f, state *s, int dst, int32_t at) {
    for (int p = 0; p < LANES; p++)
        if (p != dst)
            open_up(f, &s->lane[p].open[dst], dst, at, 2 * at + 1);
    f->waits[dst] = true;
}

static void wait_flag(sync_flow *f, state *s, int32_t key, int dst, int32_t at) {
    pending *p = find_pending(s, key);
    if (!p)
        return;
    learn(s, dst, &p->at, p->since, at);
    *p = s->flag[--s->flags];
    issue_wait(f, s, dst, at);
}

static void barrier(state *s, int lane) {
    if (lane == PTO_PIPE_ALL)
        clear(s);
    else
        s->lane[lane].open[lane].count = 0;
}

/* Waits, then barriers, then sets. */
static void apply_items(sync_flow *f, state *s, int32_t list, int32_t at) {
    for (int turn = 0; turn < 3; turn++) {
        for (int32_t i = list; i >= 0; i = f->s->item.data[i].next) {
            const sync_item *item = &f->s->item.data[i];
            const sync_edge *e = &f->s->edge.data[item->edge];
            bool flag = e->kind == EDGE_PAIR || e->kind == EDGE_CARRIED;
            if (e->gone || turn != (flag ? (item->set ? 2 : 0) : 1))
                continue;
            if (!flag) {
                barrier(s, e->kind == EDGE_FENCE ? PTO_PIPE_ALL : e->src);
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

static void apply_own_flag(sync_flow *f, state *s, const sync_node *node, int32_t at) {
    int32_t key = -1 - ((node->src * LANES + node->dst) * 8 + node->id);
    if (node->flag == PTO_SYNC_BARRIER)
        barrier(s, node->src);
    else if (node->id == NONE)
        return; /* which one is not known: no edge */
    else if (node->flag == PTO_SYNC_SET)
        set_flag(f, s, key, node->src, at);
    else
        wait_flag(f, s, key, node->dst, at);
}

/* ---- rows: what was open behind a node -------------------------------------------------------------- */

static void keep_row(sync_flow *f, const row *r) {
    for (int q = 0; q < LANES; q++) {
        pto_vec_push(f->s->arena, &f->rows, r->open[q].count);
        for (int32_t i = 0; i < r->open[q].count; i++) {
            pto_vec_push(f->s->arena, &f->rows, r->open[q].at[i].low);
            pto_vec_push(f->s->arena, &f->rows, r->open[q].at[i].high);
        }
    }
}

static void keep_rows(sync_flow *f, const state *s, int32_t n) {
    sync_node *node = &f->s->node.data[n];
    node->row = (int32_t)f->rows.count;
    if (node->kind == SYNC_OP)
        keep_row(f, &s->lane[node->lane]);
    else
        for (int p = 0; p < LANES; p++)
            keep_row(f, &s->lane[p]);
}

/* For a set on the lane behind the node. */
static row row_behind(const sync_flow *f, int32_t n, int lane) {
    const sync_node *node = &f->s->node.data[n];
    const int32_t *at = f->rows.data + node->row;
    row r = {0};
    for (int p = node->kind == SYNC_OP ? lane : 0; p <= lane; p++)
        for (int q = 0; q < LANES; q++) {
            r.open[q].count = *at++;
            for (int32_t i = 0; i < r.open[q].count; i++, at += 2)
                r.open[q].at[i] = (sync_interval){at[0], at[1]};
        }
    r.open[lane].count = 0;
    return r;
}

/* ---- dependences that nothing orders ------------------------------------------------------------------ */

static int32_t ordinal(int32_t node) { return 2 * node + 2; }

/* The last operation of the lane up to an ordinal. */
static int32_t node_at(const sync_flow *f, int lane, int32_t at) {
    return f->s->lane_node[lane][f->s->count[at / 2][lane] - 1];
}

/* A barrier before n for what stands outside of loops around n: before the outermost of these. */
static int32_t out_of_loops(const sync_scope *s, int32_t block, int32_t n) {
    int32_t at = n;
    for (int32_t b = s->node.data[n].block; b != block;) {
        int32_t around = s->block.data[b].node;
        if (s->node.data[around].kind == SYNC_LOOP)
            at = around;
        b = s->node.data[around].block;
    }
    return at;
}

static void order_pair(sync_flow *f, state *s, sync_edge e, int32_t n) {
    const sync_scope *scope = f->s;
    row known = row_behind(f, e.from, e.src);
    int32_t since = scope->node.data[e.from].end;
    learn(s, e.dst, &known, since, e.to == n ? n : scope->node.data[e.to].end);
    issue_wait(f, s, e.dst, n);
}

/* The edge from F, of which some execution is open, to n; and what n knows by it. */
static void order(sync_flow *f, state *s, int32_t from, int32_t n) {
    sync_scope *scope = f->s;
    const sync_node *first = &scope->node.data[from], *second = &scope->node.data[n];
    int src = first->lane, dst = second->lane;
    sync_edge e = {.src = (uint8_t)src, .dst = (uint8_t)dst, .from = from, .to = n, .home = NONE, .id = NONE};
    if (src == LANE_FENCE) {
        e.kind = EDGE_FENCE;
        e.to = NONE;
        for (int p = 0; p < LANES; p++)
            sync_set_remove(&s->lane[p].open[src], ordinal(from), ordinal(from));
        f->added += pto_sync_add_edge(scope, e);
        return;
    }
    int32_t block = pto_sync_common(scope, from, n);
    bool before = from < n && pto_sync_ancestor(scope, block, from) != pto_sync_ancestor(scope, block, n);
    int32_t loop = before ? NONE : pto_sync_loop(scope, block);
    if (!before && loop >= 0)
        block = scope->node.data[loop].arm;
    if (src == dst) {
        e.kind = EDGE_BARRIER;
        e.from = NONE;
        e.to = out_of_loops(scope, block, n);
        barrier(s, src);
    } else if (!before && loop < 0) { /* does not happen: an operation follows itself only in loops */
        e.kind = EDGE_FENCE;
        e.from = NONE;
        clear(s);
    } else {
        e.from = pto_sync_ancestor(scope, block, from);
        e.to = pto_sync_ancestor(scope, block, n);
        e.kind = e.from < e.to ? EDGE_PAIR : EDGE_CARRIED;
        e.home = e.kind == EDGE_CARRIED ? loop : NONE;
        if (before) {
            order_pair(f, s, e, n);
        } else {
            int32_t behind = scope->node.data[e.from].end;
            for (int p = 0; p < LANES; p++)
                if (p == dst || dst == PTO_PIPE_S)
                    sync_set_remove(&s->lane[p].open[src], e.kind == EDGE_PAIR ? 0 : 2 * n + 1, 2 * behind);
        }
    }
    f->added += pto_sync_add_edge(scope, e);
}

typedef struct needs {
    int32_t node[2][LANES]; /* the last of each lane before the operation in the text, and from it on */
    bool any;
} needs;

static void find_needs(sync_flow *f, const state *s, int32_t n, needs *found) {
    const sync_node *node = &f->s->node.data[n];
    const row *open = &s->lane[node->lane];
    memset(found->node, 0xff, sizeof found->node);
    found->any = false;
    if (open->open[LANE_FENCE].count) {
        int32_t last = open->open[LANE_FENCE].at[open->open[LANE_FENCE].count - 1].high;
        found->node[0][LANE_FENCE] = node_at(f, LANE_FENCE, last);
        found->any = true;
        return;
    }
    for (int32_t k = node->span; k < node->span + node->spans; k++) {
        const sync_span *span = &f->s->span.data[k];
        for (int32_t p = span->begin; p < span->end; p++) {
            const piece *at = &f->piece[p];
            f->work += at->count;
            for (size_t i = 0; i < at->count; i++) {
                const entry *e = &at->data[i];
                if ((!e->write && !span->write) || (e->atomic && span->atomic) || !open->open[e->lane].count)
                    continue;
                int32_t last = sync_set_last(&open->open[e->lane], ordinal(e->first), ordinal(e->last));
                if (last < 0)
                    continue;
                int32_t from = e->first == e->last ? e->first : node_at(f, e->lane, last);
                int turn = from >= n;
                if (from > found->node[turn][e->lane])
                    found->node[turn][e->lane] = from;
                found->any = true;
            }
        }
    }
}

/* The latest first: what it knows, n knows too. */
static void order_all(sync_flow *f, state *s, int32_t n, needs *found) {
    const row *open = &s->lane[f->s->node.data[n].lane];
    for (int turn = 0; turn < 2; turn++) {
        for (;;) {
            int best = NONE;
            for (int q = 0; q < LANES; q++)
                if (found->node[turn][q] >= 0 && (best < 0 || found->node[turn][q] > found->node[turn][best]))
                    best = q;
            if (best < 0)
                break;
            int32_t from = found->node[turn][best], at = ordinal(from);
            found->node[turn][best] = NONE;
            if (sync_set_last(&open->open[best], at, at) >= 0)
                order(f, s, from, n);
        }
    }
}

/* ---- the shadow -----------------------------------------------------------------------------------------
 */

static bool same_kind(const entry *a, const entry *b) {
    return a->lane == b->lane && a->write == b->write && a->atomic == b->atomic;
}

static void gather(piece *at) {
    size_t kept = 0;
    for (size_t i = 0; i < at->count; i++) {
        size_t k = 0;
        while (k < kept && !same_kind(&at->data[k], &at->data[i]))
            k++;
        if (k == kept) {
            at->data[kept++] = at->data[i];
            continue;
        }
        entry *into = &at->data[k];
        into->first = at->data[i].first < into->first ? at->data[i].first : into->first;
        into->last = at->data[i].last > into->last ? at->data[i].last : into->last;
    }
    at->count = kept;
}

/* An access stands for the earlier ones that it follows on every way: those of its block, before it. */
static void record(sync_flow *f, int32_t n) {
    const sync_scope *s = f->s;
    const sync_node *node = &s->node.data[n];
    int32_t begin = s->block.data[node->block].begin;
    for (int32_t k = node->span; k < node->span + node->spans; k++) {
        const sync_span *span = &s->span.data[k];
        entry now = {.first = n, .last = n, .lane = node->lane, .write = span->write, .atomic = span->atomic};
        for (int32_t p = span->begin; p < span->end; p++) {
            piece *at = &f->piece[p];
            size_t kept = 0;
            bool known = false;
            for (size_t i = 0; i < at->count; i++) {
                const entry *e = &at->data[i];
                bool earlier = e->first >= begin && e->last < n;
                bool covered = span->atomic || e->atomic ? same_kind(e, &now)
                                                         : span->write || (!e->write && e->lane == now.lane);
                known |= same_kind(e, &now) && e->first <= n && n <= e->last;
                if (!(earlier && covered))
                    at->data[kept++] = *e;
            }
            at->count = kept;
            if (!known)
                pto_vec_push(s->arena, at, now);
            if (at->count > ENTRIES)
                gather(at);
        }
    }
}

/* ---- the walk ---------------------------------------------------------------------------------------------
 */

static void walk_block(sync_flow *f, state *s, int32_t block);

static void issue(sync_flow *f, state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    bool ordered = node->lane != LANE_FENCE && pto_pipe_is_ordered(f->s->target, (pto_pipe)node->lane);
    for (int p = 0; p < LANES; p++)
        if (p != node->lane || !ordered)
            open_up(f, &s->lane[p].open[node->lane], node->lane, n, ordinal(n));
}

static void walk_op(sync_flow *f, state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    needs found;
    f->work += 8;
    if (node->drains)
        clear(s);
    for (int turn = 0; turn < 4; turn++) {
        find_needs(f, s, n, &found);
        if (!found.any)
            break;
        if (!f->extends) {
            f->broken = true;
            return;
        }
        order_all(f, s, n, &found);
    }
    issue(f, s, n);
    record(f, n);
}

static void walk_fence(sync_flow *f, state *s, int32_t n) {
    bool open = false;
    for (int p = 0; p < LANES; p++)
        for (int q = 0; q < LANES; q++) /* odd ordinals alone are waits, which need no barrier */
            open |= p != LANE_FENCE && s->lane[p].open[q].count > 0;
    if (open && !f->extends) {
        f->broken = true;
        return;
    }
    if (open)
        f->added += pto_sync_add_edge(
            f->s, (sync_edge){.kind = EDGE_FENCE, .from = NONE, .to = n, .home = NONE, .id = NONE});
    clear(s);
    issue(f, s, n);
}

static void walk_loop(sync_flow *f, state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    int32_t body = n + 1;
    bool changed = true;
    rebase(f, s, n, body);
    if (!f->head[n])
        f->head[n] = copy_state(f, s);
    else
        changed = join_state(f->head[n], s);
    while (changed && !f->broken && !f->stopped) {
        state *turn = copy_state(f, f->head[n]);
        walk_block(f, turn, node->arm);
        node = &f->s->node.data[n];
        rebase(f, turn, node->end, body);
        changed = join_state(f->head[n], turn);
        if (f->tail[n])
            give_back(f, f->tail[n]);
        f->tail[n] = turn;
    }
    replace(f, s, copy_state(f, node->always ? f->tail[n] : f->head[n]));
    for (int32_t i = 0; i < s->flags; i++)
        s->flag[i].since = node->end;
}

static void walk_branch(sync_flow *f, state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    int32_t end = node->end;
    state *out = NULL;
    rebase(f, s, n, end);
    if (!node->always)
        out = copy_state(f, s);
    for (int32_t arm = node->arm; arm >= 0 && !f->broken; arm = f->s->block.data[arm].next) {
        state *way = copy_state(f, s);
        for (int32_t i = 0; i < way->flags; i++)
            way->flag[i].since = f->s->block.data[arm].begin;
        walk_block(f, way, arm);
        rebase(f, way, f->s->block.data[arm].end, end);
        if (out) {
            join_state(out, way);
            give_back(f, way);
        } else {
            out = way;
        }
    }
    if (out)
        replace(f, s, out);
}

static void walk_block(sync_flow *f, state *s, int32_t block) {
    for (int32_t n = f->s->block.data[block].first; n >= 0; n = f->s->node.data[n].next) {
        if (f->broken || f->stopped)
            return;
        f->stopped = ++f->work > f->limit;
        apply_items(f, s, f->s->node.data[n].before, n);
        const sync_node *node = &f->s->node.data[n];
        switch ((sync_kind)node->kind) {
        case SYNC_OP:
            walk_op(f, s, n);
            break;
        case SYNC_LOOP:
            walk_loop(f, s, n);
            break;
        case SYNC_BRANCH:
            walk_branch(f, s, n);
            break;
        case SYNC_FENCE:
            walk_fence(f, s, n);
            break;
        case SYNC_FLAG:
            apply_own_flag(f, s, node, n);
            break;
        }
        if (f->extends && node->kind != SYNC_FLAG)
            keep_rows(f, s, n);
        node = &f->s->node.data[n];
        apply_items(f, s, node->after, node->end);
    }
}

/* ---- the outside
 * -------------------------------------------------------------------------------------------- */

static void walk(sync_flow *f, bool extends) {
    sync_scope *s = f->s;
    for (int32_t p = 0; p < s->pieces; p++)
        pto_vec_clear(&f->piece[p]);
    for (size_t n = 0; n < s->node.count; n++) {
        for (state **at = &f->head[n]; at; at = at == &f->head[n] ? &f->tail[n] : NULL) {
            if (*at)
                give_back(f, *at);
            *at = NULL;
        }
    }
    if (f->clashes < s->edge.count)
        f->clash = pto_arena_array(s->arena, s->edge.count * 2, sizeof *f->clash);
    f->clashes = s->edge.count;
    if (f->clashes)
        memset(f->clash, 0, f->clashes * sizeof *f->clash);
    pto_vec_clear(&f->rows);
    f->extends = extends;
    f->broken = false;
    f->added = 0;
    memset(f->waits, 0, sizeof f->waits);
    state *start = copy_state(f, NULL);
    memset(start->lane, 0, sizeof start->lane);
    start->flags = 0;
    walk_block(f, start, 0);
    give_back(f, start);
}

sync_flow *pto_sync_flow_make(sync_scope *s) {
    sync_flow *f = pto_arena_new(s->arena, sync_flow);
    size_t nodes = s->node.count;
    f->s = s;
    f->piece = pto_arena_array(s->arena, (size_t)s->pieces, sizeof *f->piece);
    f->head = pto_arena_array(s->arena, nodes, sizeof(state *));
    f->tail = pto_arena_array(s->arena, nodes, sizeof(state *));
    f->limit = 20000000 + 2000 * (uint64_t)nodes;
    return f;
}

bool pto_sync_flow_extend(sync_flow *f, int32_t *added) {
    walk(f, true);
    *added = f->added;
    return !f->stopped;
}

bool pto_sync_flow_holds(sync_flow *f) {
    walk(f, false);
    return !f->broken && !f->stopped;
}

const sync_set *pto_sync_flow_clash(const sync_flow *f, int32_t edge) { return &f->clash[edge]; }

uint64_t pto_sync_flow_work(const sync_flow *f) { return f->work; }
