/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a scope as a data flow: branches and loops join by union, loops until nothing changes. */
#include "pass/sync_flow.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows: what was open behind a node ---- */

static void keep_row(sync_flow *f, const sync_set *row) {
    for (int q = 0; q < f->s->lanes; q++) {
        pto_vec_push(f->s->arena, &f->rows, row[q].count);
        for (int32_t i = 0; i < row[q].count; i++) {
            pto_vec_push(f->s->arena, &f->rows, row[q].at[i].low);
            pto_vec_push(f->s->arena, &f->rows, row[q].at[i].high);
        }
    }
}

static void keep_rows(sync_flow *f, const sync_state *s, int32_t n) {
    sync_node *node = &f->s->node.data[n];
    node->row = (int32_t)f->rows.count;
    if (node->kind == SYNC_OP)
        keep_row(f, sync_lane_row(s, node->lane));
    else
        for (int p = 0; p < s->lanes; p++)
            keep_row(f, sync_lane_row(s, p));
}

/* For a set on the lane behind the node. */
static void row_behind(const sync_flow *f, int32_t n, int lane, sync_set row[LANES]) {
    const sync_node *node = &f->s->node.data[n];
    const int32_t *at = f->rows.data + node->row;
    for (int p = node->kind == SYNC_OP ? lane : 0; p <= lane; p++)
        for (int q = 0; q < f->s->lanes; q++) {
            row[q].count = *at++;
            for (int32_t i = 0; i < row[q].count; i++, at += 2)
                row[q].at[i] = (sync_interval){at[0], at[1]};
        }
    row[lane].count = 0;
}

/* ---- dependences that nothing orders ---- */

/* The last operation of the lane up to an ordinal. */
static int32_t node_at(const sync_flow *f, int lane, int32_t at) {
    return f->s->lane_node[lane][sync_count(f->s, at / 2, lane) - 1];
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

/* An edge that was there when the walk began and still does not order n: some set was too small for what it
 * should hold. A barrier of everything empties them all. */
static void add_edge(sync_flow *f, sync_edge e, int32_t n) {
    int32_t known = pto_sync_add_edge(f->s, e);
    if (known < 0 || (size_t)known >= f->clashes) {
        f->added += known < 0;
        return;
    }
    sync_edge fence = {.kind = EDGE_FENCE, .from = NONE, .to = n, .home = NONE, .id = NONE, .kept = true};
    f->added += pto_sync_add_edge(f->s, fence) < 0;
}

static void order_pair(sync_flow *f, sync_state *s, sync_edge e, int32_t n) {
    const sync_scope *scope = f->s;
    sync_set known[LANES];
    row_behind(f, e.from, e.src, known);
    int32_t since = scope->node.data[e.from].end;
    sync_state_learn(f, s, e.dst, known, since, e.to == n ? n : scope->node.data[e.to].end);
    sync_state_wait(f, s, e.dst, n);
}

/* The edge from F, of which some execution is open, to n; and what n knows by it. */
static void order(sync_flow *f, sync_state *s, int32_t from, int32_t n) {
    sync_scope *scope = f->s;
    const sync_node *first = &scope->node.data[from], *second = &scope->node.data[n];
    int src = first->lane, dst = second->lane;
    sync_edge e = {.src = (uint8_t)src,
                   .dst = (uint8_t)dst,
                   .from = from,
                   .to = n,
                   .home = NONE,
                   .id = NONE,
                   .first = from,
                   .second = n};
    if (src == scope->fence) {
        e.kind = EDGE_FENCE;
        e.to = NONE;
        for (int p = 0; p < s->lanes; p++)
            sync_set_remove(&sync_lane_row(s, p)[src], sync_ordinal(from), sync_ordinal(from));
        add_edge(f, e, n);
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
        sync_state_barrier(s, src);
    } else if (!before && loop < 0) { /* does not happen: an operation follows itself only in loops */
        e.kind = EDGE_FENCE;
        e.from = NONE;
        sync_state_clear(s);
    } else {
        e.from = pto_sync_ancestor(scope, block, from);
        e.to = pto_sync_ancestor(scope, block, n);
        e.kind = e.from < e.to ? EDGE_PAIR : EDGE_CARRIED;
        e.home = e.kind == EDGE_CARRIED ? loop : NONE;
        if (before) {
            order_pair(f, s, e, n);
        } else {
            int32_t behind = scope->node.data[e.from].end;
            for (int p = 0; p < s->lanes; p++)
                if (p == dst || dst == scope->scalar)
                    sync_set_remove(&sync_lane_row(s, p)[src], e.kind == EDGE_PAIR ? 0 : 2 * n + 1,
                                    2 * behind);
        }
    }
    add_edge(f, e, n);
}

typedef struct needs {
    int32_t node[2][LANES]; /* the last of each lane before the operation in the text, and from it on */
    bool any;
} needs;

/* The last operation of the entry that is open; NONE. Between operations a set may hold waits. */
static int32_t last_open(const sync_flow *f, const sync_set *open, const sync_entry *e) {
    int32_t high = sync_ordinal(e->last);
    for (;;) {
        int32_t at = sync_set_last(open, sync_ordinal(e->first), high);
        if (at < 0 || e->first == e->last)
            return at < 0 ? NONE : e->first;
        int32_t node = node_at(f, e->lane, at);
        if (sync_ordinal(node) == at || sync_set_last(open, sync_ordinal(node), sync_ordinal(node)) >= 0)
            return node;
        high = sync_ordinal(node) - 1;
    }
}

static void find_needs(sync_flow *f, const sync_state *s, int32_t n, needs *found) {
    const sync_node *node = &f->s->node.data[n];
    const sync_set *open = sync_lane_row(s, node->lane);
    const int fence = f->s->fence;
    memset(found->node, 0xff, sizeof found->node);
    found->any = false;
    if (fence >= 0 && open[fence].count) {
        found->node[0][fence] = node_at(f, fence, open[fence].at[open[fence].count - 1].high);
        found->any = true;
        return;
    }
    uint32_t lanes = 0; /* of which something is open */
    for (int q = 0; q < s->lanes; q++)
        lanes |= open[q].count ? 1u << q : 0;
    for (int32_t k = node->span; lanes && k < node->span + node->spans; k++) {
        const sync_span *span = &f->s->span.data[k];
        for (int32_t p = span->begin; p < span->end; p++) {
            const sync_piece *at = &f->piece[p];
            f->work += at->count;
            for (size_t i = 0; i < at->count; i++) {
                const sync_entry *e = &at->data[i];
                if (!(lanes >> e->lane & 1) || (!e->write && !span->write) ||
                    (e->atomic && e->atomic == span->atomic))
                    continue;
                int32_t from = last_open(f, &open[e->lane], e);
                if (from < 0)
                    continue;
                int turn = from >= n;
                if (from > found->node[turn][e->lane])
                    found->node[turn][e->lane] = from;
                found->any = true;
            }
        }
    }
}

/* The latest first: what it knows, n knows too. */
static void order_all(sync_flow *f, sync_state *s, int32_t n, needs *found) {
    const sync_set *open = sync_lane_row(s, f->s->node.data[n].lane);
    for (int turn = 0; turn < 2; turn++) {
        for (;;) {
            int best = NONE;
            for (int q = 0; q < s->lanes; q++)
                if (found->node[turn][q] >= 0 && (best < 0 || found->node[turn][q] > found->node[turn][best]))
                    best = q;
            if (best < 0)
                break;
            int32_t from = found->node[turn][best], at = sync_ordinal(from);
            found->node[turn][best] = NONE;
            if (sync_set_last(&open[best], at, at) >= 0)
                order(f, s, from, n);
        }
    }
}

/* ---- the walk ---- */

static void walk_block(sync_flow *f, sync_state *s, int32_t block);

static void walk_op(sync_flow *f, sync_state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    needs found;
    f->work += 8;
    if (node->drains)
        sync_state_clear(s);
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
    sync_state_issue(f, s, n);
    sync_shadow_record(f, n);
}

static void walk_fence(sync_flow *f, sync_state *s, int32_t n) {
    bool open = false;
    for (int p = 0; p < s->lanes; p++)
        for (int q = 0; q < s->lanes; q++) /* odd ordinals alone are waits, which need no barrier */
            open |= p != f->s->fence && sync_lane_row(s, p)[q].count > 0;
    if (open && !f->extends) {
        f->broken = true;
        return;
    }
    if (open)
        add_edge(f, (sync_edge){.kind = EDGE_FENCE, .from = NONE, .to = n, .home = NONE, .id = NONE}, n);
    sync_state_clear(s);
    sync_state_issue(f, s, n);
}

static void walk_loop(sync_flow *f, sync_state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    int32_t body = n + 1;
    bool changed = true;
    sync_state_rebase(f, s, n, body);
    if (!f->head[n])
        f->head[n] = sync_state_copy(f, s);
    else
        changed = sync_state_join(f->head[n], s);
    if (!changed) /* nothing new can be found in there, but it happens again */
        for (int32_t in = body; in < node->end; in++)
            sync_shadow_record(f, in);
    while (changed && !f->broken && !f->stopped) {
        sync_state *turn = sync_state_copy(f, f->head[n]);
        walk_block(f, turn, node->arm);
        node = &f->s->node.data[n];
        sync_state_rebase(f, turn, node->end, body);
        changed = sync_state_join(f->head[n], turn);
        if (f->tail[n])
            sync_state_free(f, f->tail[n]);
        f->tail[n] = turn;
    }
    sync_state_replace(f, s, sync_state_copy(f, node->always ? f->tail[n] : f->head[n]));
    for (int32_t i = 0; i < s->flags; i++)
        s->flag[i].since = node->end;
}

static void walk_branch(sync_flow *f, sync_state *s, int32_t n) {
    const sync_node *node = &f->s->node.data[n];
    int32_t end = node->end;
    sync_state *out = NULL;
    sync_state_rebase(f, s, n, end);
    if (!node->always)
        out = sync_state_copy(f, s);
    for (int32_t arm = node->arm; arm >= 0 && !f->broken; arm = f->s->block.data[arm].next) {
        sync_state *way = sync_state_copy(f, s);
        for (int32_t i = 0; i < way->flags; i++)
            way->flag[i].since = f->s->block.data[arm].begin;
        walk_block(f, way, arm);
        sync_state_rebase(f, way, f->s->block.data[arm].end, end);
        if (out) {
            sync_state_join(out, way);
            sync_state_free(f, way);
        } else {
            out = way;
        }
    }
    if (out)
        sync_state_replace(f, s, out);
}

static void pass_point(sync_flow *f, const sync_state *s, int32_t n);

/* The nodes of a block from n on. */
static void walk_nodes(sync_flow *f, sync_state *s, int32_t n) {
    for (bool outermost = n >= 0 && f->s->node.data[n].block == 0; n >= 0; n = f->s->node.data[n].next) {
        if (outermost)
            pass_point(f, s, n);
        if (f->broken || f->stopped || f->met)
            return;
        f->stopped = ++f->work > f->limit;
        sync_state_items(f, s, f->s->node.data[n].before, n);
        const sync_node *node = &f->s->node.data[n];
        switch ((sync_kind)node->kind) {
        case SYNC_OP:
            walk_op(f, s, n);
            break;
        case SYNC_LOOP:
            walk_loop(f, s, n);
            sync_shadow_forget(f, s, n);
            break;
        case SYNC_BRANCH:
            walk_branch(f, s, n);
            sync_shadow_forget(f, s, n);
            break;
        case SYNC_FENCE:
            walk_fence(f, s, n);
            break;
        case SYNC_FLAG:
            sync_state_own_flag(f, s, node, n);
            break;
        }
        if (f->extends && node->kind != SYNC_FLAG)
            keep_rows(f, s, n);
        node = &f->s->node.data[n];
        sync_state_items(f, s, node->after, node->end);
    }
}

static void walk_block(sync_flow *f, sync_state *s, int32_t block) {
    walk_nodes(f, s, f->s->block.data[block].first);
}

/* ---- checkpoints: walking a part anew ---- */

/* Accesses that are done before whatever follows are looked at no more. */
static void forget_done(sync_flow *f, const sync_state *s) {
    for (int32_t p = 0; p < f->s->pieces; p++)
        if (f->piece[p].count)
            sync_shadow_forget_piece(f, s, p, 0);
}

static void save_point(sync_flow *f, const sync_state *s, int32_t n) {
    sync_checkpoint *c = f->point[n];
    if (!c)
        c = f->point[n] = pto_arena_new(f->s->arena, sync_checkpoint);
    else
        sync_state_free(f, c->at);
    c->at = sync_state_copy(f, s);
    pto_vec_clear(&c->in);
    pto_vec_clear(&c->shadow);
    for (int32_t p = 0; p < f->s->pieces; p++)
        for (size_t i = 0; i < f->piece[p].count; i++) {
            pto_vec_push(f->s->arena, &c->in, p);
            pto_vec_push(f->s->arena, &c->shadow, f->piece[p].data[i]);
        }
}

static bool same_row(const sync_set *a, const sync_set *b, int32_t lanes) {
    for (int q = 0; q < lanes; q++)
        if (!sync_set_equal(&a[q], &b[q]))
            return false;
    return true;
}

/* What is open is open here as well. */
static bool meets_point(const sync_flow *f, const sync_state *s, const sync_checkpoint *c) {
    if (s->flags != c->at->flags)
        return false;
    for (int p = 0; p < s->lanes; p++)
        if (sync_count(f->s, (int32_t)f->s->node.count, p) &&
            !same_row(sync_lane_row(s, p), sync_lane_row(c->at, p), s->lanes))
            return false;
    for (int32_t i = 0; i < s->flags; i++) {
        int32_t other = sync_state_flag(c->at, s->flag[i].key);
        if (other < 0 || c->at->flag[other].since != s->flag[i].since ||
            !same_row(sync_flag_row(s, i), sync_flag_row(c->at, other), s->lanes))
            return false;
    }
    return true;
}

static void start_loops(sync_flow *f, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i++) {
        if (f->head[i])
            sync_state_free(f, f->head[i]);
        if (f->tail[i])
            sync_state_free(f, f->tail[i]);
        f->head[i] = f->tail[i] = NULL;
    }
}

/* In front of a node of the outermost block. */
static void pass_point(sync_flow *f, const sync_state *s, int32_t n) {
    enum { EVERY = 8, SWEEP = 16, MOST = 512 };
    const sync_node *node = &f->s->node.data[n];
    bool compound = node->kind == SYNC_LOOP || node->kind == SYNC_BRANCH;
    if (compound)
        start_loops(f, n, node->end);
    int32_t count = (int32_t)f->s->node.count;
    if (n - f->swept >= SWEEP + count / MOST) {
        forget_done(f, s);
        f->swept = n;
    }
    if (f->compare_from >= 0 && n >= f->compare_from && f->point[n] && meets_point(f, s, f->point[n]))
        f->met = true;
    else if (f->saves && (f->point[n] || n == 0 || n - f->saved >= EVERY + count / MOST)) {
        save_point(f, s, n);
        f->saved = n;
    }
}

static void walk_from(sync_flow *f, int32_t n) {
    const sync_checkpoint *c = f->point[n];
    for (int32_t p = 0; p < f->s->pieces; p++)
        pto_vec_clear(&f->piece[p]);
    for (size_t i = 0; i < c->shadow.count; i++)
        pto_vec_push(f->s->arena, &f->piece[c->in.data[i]], c->shadow.data[i]);
    f->broken = f->met = false;
    f->saved = f->swept = n;
    sync_state *start = sync_state_copy(f, c->at);
    walk_nodes(f, start, n);
    sync_state_free(f, start);
}

bool pto_sync_flow_drop(sync_flow *f, int32_t edge) {
    sync_edge *e = &f->s->edge.data[edge];
    int32_t from = e->kind == EDGE_CARRIED ? e->home : (e->kind == EDGE_PAIR ? e->from : e->to);
    int32_t to = e->kind == EDGE_CARRIED ? e->home : e->to;
    if (from < 0 || to < 0 || f->stopped)
        return false;
    from = pto_sync_ancestor(f->s, 0, from);
    while (from > 0 && !f->point[from])
        from--;
    if (!f->point[from])
        return false;
    e->gone = true;
    f->compare_from = f->s->node.data[pto_sync_ancestor(f->s, 0, to)].end;
    walk_from(f, from);
    e->gone = !f->broken && !f->stopped;
    if (e->gone && !f->met) { /* more is open from here on than was noted */
        f->compare_from = NONE;
        f->saves = true;
        walk_from(f, from);
        f->saves = false;
    }
    f->compare_from = NONE;
    f->met = false;
    return e->gone;
}

/* ---- the outside ---- */

static void walk(sync_flow *f, bool extends) {
    sync_scope *s = f->s;
    for (int32_t p = 0; p < s->pieces; p++)
        pto_vec_clear(&f->piece[p]);
    if (f->clash_room < s->edge.count) {
        f->clash_room = s->edge.count + s->edge.count / 4;
        f->clash = pto_arena_array(s->arena, f->clash_room, sizeof *f->clash);
    }
    f->clashes = s->edge.count;
    if (f->clashes)
        memset(f->clash, 0, f->clashes * sizeof *f->clash);
    pto_vec_clear(&f->rows);
    f->extends = extends;
    f->broken = f->met = false;
    f->compare_from = NONE;
    f->saved = f->swept = 0;
    f->added = 0;
    memset(f->waits, 0, sizeof f->waits);
    sync_state *start = sync_state_copy(f, NULL);
    f->whole = true;
    walk_block(f, start, 0);
    f->whole = false;
    sync_state_free(f, start);
}

sync_flow *pto_sync_flow_make(sync_scope *s) {
    sync_flow *f = pto_arena_new(s->arena, sync_flow);
    size_t nodes = s->node.count;
    f->s = s;
    f->piece = pto_arena_array(s->arena, (size_t)s->pieces, sizeof *f->piece);
    f->stamp = pto_arena_array(s->arena, (size_t)s->pieces, sizeof *f->stamp);
    f->head = pto_arena_array(s->arena, nodes, sizeof(sync_state *));
    f->point = pto_arena_array(s->arena, nodes, sizeof *f->point);
    f->tail = pto_arena_array(s->arena, nodes, sizeof(sync_state *));
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

bool pto_sync_flow_judge(sync_flow *f) {
    for (size_t i = 0; i < f->s->edge.count; i++)
        f->s->edge.data[i].needed = false;
    f->judges = f->saves = true;
    bool holds = pto_sync_flow_holds(f);
    f->judges = f->saves = false;
    return holds;
}

const sync_set *pto_sync_flow_clash(const sync_flow *f, int32_t edge) { return &f->clash[edge]; }

uint64_t pto_sync_flow_work(const sync_flow *f) { return f->work; }
