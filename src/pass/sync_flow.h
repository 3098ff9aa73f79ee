/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a walk through a scope. For every lane: the operations of each lane that may not be done when
 * the next one of this lane starts ("open"). A flag carries what is open for its source when it is set to its
 * destination when that waits; what was issued in between stays open. Beside it, a shadow keeps for every
 * piece of memory the accesses that later ones may still conflict with. */
#ifndef PTO_PASS_SYNC_FLOW_H
#define PTO_PASS_SYNC_FLOW_H

#include "pass/sync_scope.h"

enum { ENTRIES = 64 }; /* of a piece: then accesses of one lane are taken together */

typedef struct sync_pending { /* a flag that is up */
    int32_t key;              /* edge, or below 0 a flag of the program */
    int32_t since;            /* node: what stands from here to the place of the wait was issued since */
} sync_pending;

/* A row is what is open of each lane: as many sets as there are lanes. */
typedef struct sync_state {
    int32_t lanes;
    sync_set *lane_row; /* a row a lane */
    sync_pending *flag;
    sync_set *flag_row; /* a row a flag */
    int32_t flags, room;
    struct sync_state *spare;
} sync_state;

static inline sync_set *sync_lane_row(const sync_state *s, int lane) { return s->lane_row + lane * s->lanes; }
static inline sync_set *sync_flag_row(const sync_state *s, int32_t flag) {
    return s->flag_row + flag * s->lanes;
}
static inline size_t sync_row_bytes(const sync_state *s) { return (size_t)s->lanes * sizeof(sync_set); }

typedef struct sync_entry {
    int32_t first, last; /* nodes of one lane; mostly one node */
    uint8_t lane;
    bool write;
    uint8_t atomic; /* pto_scatter_atomic */
} sync_entry;

typedef PTO_VEC(sync_entry) sync_piece;

/* The walk in front of a node of the outermost block. */
typedef struct sync_checkpoint {
    sync_state *at;
    PTO_VEC(int32_t) in; /* of each sync_entry its piece */
    PTO_VEC(sync_entry) shadow;
} sync_checkpoint;

struct sync_flow {
    sync_scope *s;
    sync_piece *piece;
    sync_state **head, **tail; /* by node: of loops */
    sync_set *clash;           /* by edge */
    size_t clashes, clash_room;
    PTO_VEC(int32_t) rows;
    sync_state *spare;
    uint32_t *stamp, stamps; /* by piece: the last visit */
    bool waits[LANES];       /* some wait was issued in this walk */
    sync_checkpoint **point; /* by node; NULL = none */
    int32_t saved;           /* the last one that was made */
    int32_t swept;           /* where done accesses were forgotten last */
    int32_t compare_from;    /* the walk may end where it meets a checkpoint from here on; NONE = never */
    bool extends;            /* makes edges of what nothing orders; else that ends the walk: broken */
    bool judges, saves;      /* notes which edges are needed; checkpoints */
    bool whole;              /* a walk through everything, which finds the clashes too */
    bool broken, stopped, met;
    int32_t added;
    uint64_t work, limit;
};

static inline int32_t sync_ordinal(int32_t node) { return 2 * node + 2; }

/* ---- sync_state.c ---- */

/* A copy that is the caller's; NULL: nothing is open, no flag is up. */
sync_state *sync_state_copy(sync_flow *f, const sync_state *from);
void sync_state_free(sync_flow *f, sync_state *s);
/* `into` becomes the content of `from`, which is freed. */
void sync_state_replace(sync_flow *f, sync_state *into, sync_state *from);
int32_t sync_state_flag(const sync_state *s, int32_t key); /* its number; NONE = down */
/* Both have their flags rebased to the same place. A flag that is up on one way only is none. Whether `into`
 * has grown. */
bool sync_state_join(sync_state *into, sync_state *from);
/* The place moves from `at` to another one, from where time is counted on. */
void sync_state_rebase(sync_flow *f, sync_state *s, int32_t at, int32_t to);
void sync_state_clear(sync_state *s);
/* What follows a wait on dst knows what `known` knew; issued from node `since` on to `until` is open still. A
 * wait on S holds every lane back. */
void sync_state_learn(const sync_flow *f, sync_state *s, int dst, const sync_set *known, int32_t since,
                      int32_t until);
/* Operation n is open from here on, for its own lane too if the pipe is not ordered. */
void sync_state_issue(const sync_flow *f, sync_state *s, int32_t n);
/* A wait itself may be open for the others: its flag may not be set again before it. */
void sync_state_wait(sync_flow *f, sync_state *s, int dst, int32_t at);
void sync_state_barrier(sync_state *s, int lane);
/* The items before or behind a node: waits, then barriers, then sets. */
void sync_state_items(sync_flow *f, sync_state *s, int32_t list, int32_t at);
/* A flag or barrier of the program. */
void sync_state_own_flag(sync_flow *f, sync_state *s, const sync_node *node, int32_t at);

/* ---- sync_shadow.c ---- */

/* The accesses of node n. One stands for the earlier ones that it follows on every way: those of its block,
 * before it. */
void sync_shadow_record(sync_flow *f, int32_t n);
/* Behind the loop or branch n: accesses in it that are done before whatever follows are forgotten. */
void sync_shadow_forget_piece(sync_flow *f, const sync_state *s, int32_t piece, int32_t begin);
void sync_shadow_forget(sync_flow *f, const sync_state *s, int32_t n);

#endif
