/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the synchronisation pass: a scope is a block of the program with the loops and branches in
 * it, analysed as one; what it cannot look into (calls, other loops, sections) is a fence.
 *
 * Operations and waits have ordinals in the order of the text: node n has 2n + 2, a wait in front of it
 * 2n + 1. */
#ifndef PTO_PASS_SYNC_SCOPE_H
#define PTO_PASS_SYNC_SCOPE_H

#include "pass/sync_access.h"
#include "pass/sync_set.h"

/* A scope has a lane for each pipe that occurs in it, and one for its fences. */
enum { LANES = PTO_PIPE_COUNT, LANE_ALL = LANES, NONE = -1 };

typedef enum sync_kind {
    SYNC_OP,
    SYNC_LOOP,   /* one arm */
    SYNC_BRANCH, /* any number of arms, of which one is taken */
    SYNC_FENCE,  /* anything may happen in there; every pipe is empty before and after */
    SYNC_FLAG    /* a flag or barrier of the program */
} sync_kind;

typedef struct sync_node {
    uint8_t kind;
    uint8_t lane; /* a pipe until the lanes are numbered, as src and dst */
    bool drains;
    bool always;  /* a loop that turns at least once, a branch that has an arm for every case */
    int32_t next; /* in its block */
    int32_t end;  /* behind the last node inside of it */
    int32_t block, arm;
    const pto_operation *op;
    int32_t span, spans;   /* pieces that it touches: sync_span */
    int32_t before, after; /* items that the pass puts there */
    int32_t row;           /* what is open behind it, in rows */
    uint8_t flag;          /* SYNC_FLAG: pto_code_sync */
    uint8_t src, dst;      /* lanes; LANE_ALL */
    int8_t id;             /* NONE: not known */
} sync_node;

typedef struct sync_block {
    int32_t node; /* around it; NONE = the scope */
    int32_t first, next;
    int32_t begin, end; /* nodes in it, those inside of them too */
} sync_block;

/* Consecutive pieces of one access. A piece is a range of bytes that all accesses of the scope touch whole
 * or not at all. */
typedef struct sync_span {
    int32_t begin, end;
    bool write;
    uint8_t atomic; /* pto_scatter_atomic */
} sync_span;

/* What the pass inserts. */
typedef enum sync_edge_kind {
    EDGE_PAIR,    /* set behind `from`, wait before `to`, in one block */
    EDGE_CARRIED, /* into the next turn of a loop: one set more before `home`, one wait more behind it */
    EDGE_BARRIER, /* of pipe src before `to` */
    EDGE_FENCE    /* barrier of all pipes, before `to` or (to = NONE) behind `from` */
} sync_edge_kind;

typedef struct sync_edge {
    uint8_t kind, src, dst; /* lanes */
    bool gone;
    bool kept;   /* stays, whatever follows */
    bool needed; /* found by a walk: nothing else orders the pair below */
    int8_t id;   /* of the event */
    int32_t from, to, home;
    int32_t first, second; /* the operations that it was made for */
} sync_edge;

typedef struct sync_item {
    int32_t edge, next;
    bool set; /* else the wait, or the barrier */
} sync_item;

typedef struct sync_scope {
    pto_arena *arena;
    pto_target target;
    const pto_sync_uses *uses;
    int32_t lanes;
    uint8_t pipe[LANES]; /* by lane; of the fences PTO_PIPE_ALL */
    int fence, scalar;   /* lanes of the fences and of PTO_PIPE_S; NONE */
    bool clean;          /* nothing can be open at its beginning; else it begins with a barrier */
    PTO_VEC(sync_node) node;
    PTO_VEC(sync_block) block;
    PTO_VEC(sync_span) span;
    PTO_VEC(sync_edge) edge;
    PTO_VEC(sync_item) item;
    int32_t pieces;
    int32_t *count;            /* by node, and behind the last: operations of each lane before it */
    int32_t *lane_node[LANES]; /* by operation of the lane: its node */
    bool nested;               /* there are loops or branches */
    bool fenced;               /* there are fences */
    struct sync_scope *next;
} sync_scope;

/* Operations of the lane before the node. */
static inline int32_t sync_count(const sync_scope *s, int32_t node, int lane) {
    return s->count[node * s->lanes + lane];
}

/* sync_tree.c: the scopes of a function, chained; NULL when nothing is to be done. `called`: by another
 * function, which empties the pipes of its core before and after. */
sync_scope *pto_sync_scopes(pto_arena *arena, const pto_program *program, const pto_operation *function,
                            const pto_sync_uses *uses, pto_target target, bool called);
static inline bool sync_inside(const sync_scope *s, int32_t block, int32_t node) {
    return node >= s->block.data[block].begin && node < s->block.data[block].end;
}
/* The node of the block that is or holds `node`. */
int32_t pto_sync_ancestor(const sync_scope *s, int32_t block, int32_t node);
/* The innermost block that holds both. */
int32_t pto_sync_common(const sync_scope *s, int32_t a, int32_t b);
/* The innermost loop around a block; NONE. */
int32_t pto_sync_loop(const sync_scope *s, int32_t block);
/* NONE, or the number of the same edge, which is there already. */
int32_t pto_sync_add_edge(sync_scope *s, sync_edge edge);
/* Rebuilds the items from the edges that are left. */
void pto_sync_attach(sync_scope *s);

/* sync_flow.c: walks through the scope with all of its edges. */
typedef struct sync_flow sync_flow;
sync_flow *pto_sync_flow_make(sync_scope *s);
/* Walks; every dependence that no edge orders gets one, which `added` counts. False when it took too long. */
bool pto_sync_flow_extend(sync_flow *flow, int32_t *added);
/* Walks; whether every dependence is ordered. */
bool pto_sync_flow_holds(sync_flow *flow);
/* The same, and marks the edges that are surely needed. */
bool pto_sync_flow_judge(sync_flow *flow);
/* Behind pto_sync_flow_judge: takes the edge out if all is ordered without it, and says so. */
bool pto_sync_flow_drop(sync_flow *flow, int32_t edge);
/* Behind a walk: the waits of lane dst that a set of the edge may overtake. */
const sync_set *pto_sync_flow_clash(const sync_flow *flow, int32_t edge);
uint64_t pto_sync_flow_work(const sync_flow *flow); /* operations looked at so far */

/* sync_edges.c: fills edge[] so that everything is ordered, and gives the flags ids that are free. used:
 * ids of the program's own flags. */
void pto_sync_solve(sync_scope *s, const uint8_t used[LANES][LANES]);

#endif
