/* SPDX-License-Identifier: Apache-2.0 */
/* From the operations of a function to scopes: nodes in the order of the text, the bytes they touch cut into
 * pieces. */
#include "pass/sync_scope.h"

#include "program/facts.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    pto_arena *arena;
    const pto_program *program;
    const pto_sync_uses *uses;
    pto_target target;
    pto_value_map touching; /* functions: whether anything in them touches data */
    sync_scope *first, *last;
    bool again;   /* the block at hand may be entered again */
    bool seen[2]; /* a section of the cube, of the vector core */
} builder;

static void build_region(builder *b, const pto_region *region, bool clean);
static int32_t build_block(builder *b, sync_scope *s, const pto_block *block, int32_t around);

/* ---- functions ---- */

typedef struct search {
    builder *b;
    bool found;
} search;

static bool function_touches(builder *b, const pto_operation *function);

static void look_at(void *user, const pto_operation *op) {
    search *s = user;
    if (s->found)
        return;
    if (op->kind == PTO_OPK_CALL) {
        const pto_operation *callee = pto_fact_callee(s->b->program, op);
        s->found = callee && function_touches(s->b, callee);
    } else {
        s->found = pto_sync_use_of(s->b->uses, op) != NULL;
    }
}

static bool function_touches(builder *b, const pto_operation *function) {
    const int64_t *known = pto_value_map_find(&b->touching, function);
    if (known)
        return *known;
    pto_value_map_set(&b->touching, function, 0); /* a cycle is refused elsewhere */
    search s = {.b = b};
    pto_fact_walk(function, look_at, &s);
    pto_value_map_set(&b->touching, function, s.found);
    return s.found;
}

/* ---- flags of the program ---- */

/* Whether the operation is a flag or a barrier, and which. Tokens and signals between cores are no edges. */
static bool read_flag(const pto_operation *op, sync_node *node) {
    pto_sync_fact fact = pto_fact_sync(op);
    node->kind = SYNC_FLAG;
    node->flag = (uint8_t)fact.kind;
    node->src = (uint8_t)fact.src;
    node->dst = (uint8_t)fact.dst;
    node->id = !fact.dynamic && fact.id >= 0 && fact.id < 8 ? (int8_t)fact.id : NONE;
    return fact.kind == PTO_SYNC_SET || fact.kind == PTO_SYNC_WAIT || fact.kind == PTO_SYNC_BARRIER;
}

/* ---- nodes ---- */

static int32_t add_node(sync_scope *s, sync_node node, int32_t block, int32_t *last) {
    int32_t at = (int32_t)s->node.count;
    node.block = block;
    node.next = NONE;
    node.end = at + 1;
    node.before = node.after = node.row = NONE;
    pto_vec_push(s->arena, &s->node, node);
    if (*last >= 0)
        s->node.data[*last].next = at;
    else
        s->block.data[block].first = at;
    *last = at;
    return at;
}

/* Takes back a node that nothing was found in. */
static void drop_node(sync_scope *s, int32_t at, int32_t block, int32_t before, size_t blocks) {
    s->node.count = (size_t)at;
    s->block.count = blocks;
    if (before >= 0)
        s->node.data[before].next = NONE;
    else
        s->block.data[block].first = NONE;
}

static bool turns_once(const pto_operation *op) {
    int64_t from, to, step;
    return pto_fact_int(op->operand[0], &from) && pto_fact_int(op->operand[1], &to) &&
           pto_fact_int(op->operand[2], &step) && from >= 0 && from < to && step > 0;
}

/* A loop or a branch whose regions have one block each. */
static void build_compound(builder *b, sync_scope *s, const pto_operation *op, int32_t block, int32_t *last) {
    int32_t before = *last;
    size_t blocks = s->block.count;
    bool loop = op->kind == PTO_OPK_SCF_FOR;
    sync_node node = {.kind = loop ? SYNC_LOOP : SYNC_BRANCH, .op = op, .arm = NONE};
    node.always = loop ? turns_once(op) : op->kind != PTO_OPK_SCF_IF;
    int32_t at = add_node(s, node, block, last), arm = NONE, arms = 0;
    bool outer = b->again;
    b->again |= loop;
    for (uint32_t r = 0; r < op->region_count; r++) {
        const pto_block *body = op->region[r] ? op->region[r]->first : NULL;
        if (!body)
            continue;
        int32_t made = build_block(b, s, body, at);
        if (arm >= 0)
            s->block.data[arm].next = made;
        else
            s->node.data[at].arm = made;
        arm = made;
        arms++;
    }
    b->again = outer;
    s->node.data[at].end = (int32_t)s->node.count;
    if (op->kind == PTO_OPK_SCF_IF)
        s->node.data[at].always = arms == 2;
    if (s->node.data[at].end == at + 1) {
        drop_node(s, at, block, before, blocks);
        *last = before;
    } else {
        s->nested = true;
    }
}

static bool scopes_since(const builder *b, const sync_scope *last) { return b->last != last; }

/* What cannot be looked through: its inside is analysed on its own. */
static void build_fence(builder *b, sync_scope *s, const pto_operation *op, int32_t block, int32_t *last) {
    bool touches = false;
    if (op->kind == PTO_OPK_CALL) {
        const pto_operation *callee = pto_fact_callee(b->program, op);
        touches = callee && function_touches(b, callee);
    } else {
        const sync_scope *known = b->last;
        bool outer = b->again;
        for (uint32_t r = 0; r < op->region_count; r++) {
            bool loop = op->kind == PTO_OPK_SCF_WHILE, clean = !loop;
            if (op->kind == PTO_OPK_SECTION_CUBE || op->kind == PTO_OPK_SECTION_VECTOR) {
                bool *seen = &b->seen[op->kind == PTO_OPK_SECTION_VECTOR];
                clean = !outer && !*seen;
                *seen = true;
            }
            b->again = loop || outer;
            build_region(b, op->region[r], clean);
        }
        b->again = outer;
        touches = scopes_since(b, known);
    }
    if (!touches)
        return;
    sync_node node = {.kind = SYNC_FENCE, .lane = PTO_PIPE_ALL, .op = op, .arm = NONE};
    add_node(s, node, block, last);
    s->fenced = true;
}

static bool one_block_each(const pto_operation *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        if (op->region[r] && op->region[r]->first && op->region[r]->first->next)
            return false;
    return true;
}

static int32_t build_block(builder *b, sync_scope *s, const pto_block *block, int32_t around) {
    int32_t at = (int32_t)s->block.count, last = NONE;
    sync_block made = {.node = around, .first = NONE, .next = NONE, .begin = (int32_t)s->node.count};
    pto_vec_push(s->arena, &s->block, made);
    for (const pto_operation *op = block->first; op; op = op->next) {
        const pto_sync_use *use = pto_sync_use_of(b->uses, op);
        sync_node node = {.op = op, .arm = NONE};
        switch (op->kind) {
        case PTO_OPK_SCF_FOR:
        case PTO_OPK_SCF_IF:
        case PTO_OPK_SCF_INDEX_SWITCH:
        case PTO_OPK_SCF_EXECUTE_REGION:
            if (one_block_each(op))
                build_compound(b, s, op, at, &last);
            else
                build_fence(b, s, op, at, &last);
            break;
        case PTO_OPK_SCF_WHILE:
        case PTO_OPK_SECTION_CUBE:
        case PTO_OPK_SECTION_VECTOR:
        case PTO_OPK_CALL:
            build_fence(b, s, op, at, &last);
            break;
        default:
            if (use) {
                node.kind = SYNC_OP;
                node.lane = (uint8_t)use->pipe;
                node.drains = use->drains;
                add_node(s, node, at, &last);
            } else if (read_flag(op, &node)) {
                add_node(s, node, at, &last);
            }
            break;
        }
    }
    s->block.data[at].end = (int32_t)s->node.count;
    return at;
}

/* ---- pieces ---- */

typedef struct limit {
    int32_t memory;
    uint64_t at;
} limit;

static int by_place(const void *a, const void *b) {
    const limit *x = a, *y = b;
    if (x->memory != y->memory)
        return x->memory < y->memory ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static int32_t find_limit(const limit *limits, int32_t count, int32_t memory, uint64_t at) {
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        limit key = {memory, at};
        if (by_place(&limits[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Calls `visit` for each access of a node, those of any argument once an argument. */
static void each_access(const sync_scope *s, int32_t node,
                        void (*visit)(void *user, const pto_sync_access *access, int32_t memory),
                        void *user) {
    const pto_sync_use *use = pto_sync_use_of(s->uses, s->node.data[node].op);
    for (int32_t i = use->first; i >= 0; i = s->uses->access.data[i].next) {
        const pto_sync_access *access = &s->uses->access.data[i];
        if (access->memory >= 0) {
            visit(user, access, access->memory);
            continue;
        }
        for (int32_t a = 0; a < s->uses->arguments; a++)
            visit(user, access, PTO_SYNC_ARGUMENT + a);
    }
}

enum { RECENT = 256 };

typedef struct cutter {
    sync_scope *s;
    PTO_VEC(limit) limits;
    limit recent[RECENT];
    PTO_VEC(int32_t) memory; /* by span */
    bool *coarse;            /* by memory: one piece */
    uint64_t *touched;       /* by memory: pieces of all accesses */
    uint64_t *accesses;
} cutter;

/* The limits of a tile come again with every access: most of them are known. */
static void push_limit(cutter *c, limit l) {
    limit *recent = &c->recent[((l.at + (uint64_t)l.memory) * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
    if (recent->memory == l.memory && recent->at == l.at)
        return;
    *recent = l;
    pto_vec_push(c->s->arena, &c->limits, l);
}

static void note_limits(void *user, const pto_sync_access *access, int32_t memory) {
    cutter *c = user;
    push_limit(c, (limit){memory, access->begin});
    push_limit(c, (limit){memory, access->end});
}

static sync_span span_of(const cutter *c, const pto_sync_access *access, int32_t memory) {
    const limit *limits = c->limits.data;
    int32_t count = (int32_t)c->limits.count;
    sync_span span = {.write = access->write, .atomic = access->atomic};
    span.begin = find_limit(limits, count, memory, access->begin);
    span.end = find_limit(limits, count, memory, access->end);
    return span;
}

static void keep_span(void *user, const pto_sync_access *access, int32_t memory) {
    cutter *c = user;
    sync_span span = span_of(c, access, memory);
    c->touched[memory] += (uint64_t)(span.end - span.begin);
    c->accesses[memory]++;
    pto_vec_push(c->s->arena, &c->s->span, span);
    pto_vec_push(c->s->arena, &c->memory, memory);
}

static void each_op(cutter *c, void (*visit)(void *user, const pto_sync_access *access, int32_t memory)) {
    for (int32_t n = 0; n < (int32_t)c->s->node.count; n++) {
        sync_node *node = &c->s->node.data[n];
        if (node->kind != SYNC_OP)
            continue;
        node->span = (int32_t)c->s->span.count;
        each_access(c->s, n, visit, c);
        node->spans = (int32_t)c->s->span.count - node->span;
    }
}

/* Memory by memory; the limits of one are mostly in order already. */
static void sort_limits(pto_arena *arena, limit *limits, size_t count, int32_t memories) {
    size_t *end = pto_arena_array(arena, (size_t)memories + 1, sizeof *end);
    limit *sorted = pto_arena_array(arena, count + 1, sizeof *sorted);
    memset(end, 0, ((size_t)memories + 1) * sizeof *end);
    for (size_t i = 0; i < count; i++)
        end[limits[i].memory + 1]++;
    for (int32_t m = 0; m < memories; m++)
        end[m + 1] += end[m];
    for (size_t i = 0; i < count; i++)
        sorted[end[limits[i].memory]++] = limits[i];
    bool ordered = true;
    for (size_t i = 1; i < count && ordered; i++)
        ordered = by_place(&sorted[i - 1], &sorted[i]) <= 0;
    for (size_t m = 0, from = 0; m < (size_t)memories && !ordered; from = end[m++]) {
        bool in_order = true;
        for (size_t i = from + 1; i < end[m] && in_order; i++)
            in_order = sorted[i - 1].at <= sorted[i].at;
        if (!in_order)
            qsort(sorted + from, end[m] - from, sizeof *sorted, by_place);
    }
    if (count)
        memcpy(limits, sorted, count * sizeof *sorted);
}

/* Numbers the pieces. A memory whose accesses would fall into very many of them becomes one piece. */
static void cut(sync_scope *s) {
    int32_t memories = PTO_SYNC_ARGUMENT + s->uses->arguments;
    cutter c = {.s = s};
    memset(c.recent, 0xff, sizeof c.recent); /* no memory */
    c.coarse = pto_arena_array(s->arena, (size_t)memories, sizeof *c.coarse);
    c.touched = pto_arena_array(s->arena, (size_t)memories, sizeof *c.touched);
    c.accesses = pto_arena_array(s->arena, (size_t)memories, sizeof *c.accesses);
    pto_vec_reserve(s->arena, &s->span, s->node.count * 3);
    pto_vec_reserve(s->arena, &c.memory, s->node.count * 3);
    each_op(&c, note_limits);
    sort_limits(s->arena, c.limits.data, c.limits.count, memories);
    size_t kept = 0;
    for (size_t i = 0; i < c.limits.count; i++)
        if (!kept || by_place(&c.limits.data[kept - 1], &c.limits.data[i]))
            c.limits.data[kept++] = c.limits.data[i];
    c.limits.count = kept;
    each_op(&c, keep_span);
    for (int32_t m = 0; m < memories; m++)
        c.coarse[m] = c.touched[m] > c.accesses[m] * 32 + 4096;
    for (size_t i = 0; i < s->span.count; i++) {
        sync_span *span = &s->span.data[i];
        if (!c.coarse[c.memory.data[i]])
            continue;
        span->begin = find_limit(c.limits.data, (int32_t)kept, c.memory.data[i], 0);
        span->end = span->begin + 1;
    }
    s->pieces = (int32_t)kept + 1;
}

/* ---- scopes ---- */

/* The lane of a pipe, which gets one if it has none. */
static uint8_t lane_of(sync_scope *s, int8_t lane[LANES], uint8_t pipe) {
    if (lane[pipe] < 0) {
        s->pipe[s->lanes] = pipe;
        lane[pipe] = (int8_t)s->lanes++;
    }
    return (uint8_t)lane[pipe];
}

static void make_lanes(sync_scope *s) {
    int8_t lane[LANES];
    memset(lane, NONE, sizeof lane);
    for (size_t n = 0; n < s->node.count; n++) {
        sync_node *node = &s->node.data[n];
        if (node->kind == SYNC_OP || node->kind == SYNC_FENCE) {
            node->lane = lane_of(s, lane, node->lane);
        } else if (node->kind == SYNC_FLAG) {
            node->src = node->src == PTO_PIPE_ALL ? LANE_ALL : lane_of(s, lane, node->src);
            node->dst = node->dst == PTO_PIPE_ALL ? LANE_ALL : lane_of(s, lane, node->dst);
        }
    }
    /* A lane that orders nothing by itself: what is open for it is what a fence has to wait for. */
    for (uint8_t pipe = LANES; lane[PTO_PIPE_ALL] >= 0 && pipe-- > 0;)
        if (lane[pipe] < 0) {
            lane_of(s, lane, pipe);
            break;
        }
    s->fence = lane[PTO_PIPE_ALL];
    s->scalar = lane[PTO_PIPE_S];
}

static void number(sync_scope *s) {
    int32_t nodes = (int32_t)s->node.count, count[LANES] = {0};
    size_t row = (size_t)s->lanes * sizeof *s->count;
    s->count = pto_arena_array(s->arena, ((size_t)nodes + 1) * (size_t)s->lanes + 1, sizeof *s->count);
    for (int32_t n = 0; n < nodes; n++) {
        const sync_node *node = &s->node.data[n];
        memcpy(s->count + n * s->lanes, count, row);
        if (node->kind == SYNC_OP || node->kind == SYNC_FENCE)
            count[node->lane]++;
    }
    memcpy(s->count + nodes * s->lanes, count, row);
    for (int lane = 0; lane < s->lanes; lane++)
        s->lane_node[lane] = pto_arena_array(s->arena, (size_t)count[lane] + 1, sizeof(int32_t));
    for (int32_t n = 0; n < nodes; n++) {
        const sync_node *node = &s->node.data[n];
        if (node->kind == SYNC_OP || node->kind == SYNC_FENCE)
            s->lane_node[node->lane][sync_count(s, n, node->lane)] = n;
    }
}

/* Sections are cores of their own: when nothing stands beside them there is nothing to be ordered. */
static bool only_sections(const sync_scope *s) {
    for (size_t n = 0; n < s->node.count; n++) {
        const sync_node *node = &s->node.data[n];
        bool section = node->kind == SYNC_FENCE &&
                       (node->op->kind == PTO_OPK_SECTION_CUBE || node->op->kind == PTO_OPK_SECTION_VECTOR);
        if (!section && node->kind != SYNC_LOOP && node->kind != SYNC_BRANCH)
            return false;
    }
    return true;
}

static void build_scope(builder *b, const pto_block *block, bool clean) {
    sync_scope *s = pto_arena_new(b->arena, sync_scope);
    *s = (sync_scope){.arena = b->arena, .target = b->target, .uses = b->uses, .clean = clean};
    build_block(b, s, block, NONE);
    if (!s->node.count || only_sections(s))
        return;
    cut(s);
    make_lanes(s);
    number(s);
    if (b->last)
        b->last->next = s;
    else
        b->first = s;
    b->last = s;
}

static void build_region(builder *b, const pto_region *region, bool clean) {
    const pto_block *first = region ? region->first : NULL;
    bool many = first && first->next;
    bool outer = b->again;
    b->again |= many;
    for (const pto_block *block = first; block; block = block->next)
        build_scope(b, block, clean && block == first);
    b->again = outer;
}

sync_scope *pto_sync_scopes(pto_arena *arena, const pto_program *program, const pto_operation *function,
                            const pto_sync_uses *uses, pto_target target, bool called) {
    builder b = {.arena = arena,
                 .program = program,
                 .uses = uses,
                 .target = target,
                 .touching = {.arena = arena},
                 .again = called};
    for (uint32_t r = 0; r < function->region_count; r++)
        build_region(&b, function->region[r], true);
    return b.first;
}

/* ---- where nodes stand ---- */

int32_t pto_sync_ancestor(const sync_scope *s, int32_t block, int32_t node) {
    while (s->node.data[node].block != block)
        node = s->block.data[s->node.data[node].block].node;
    return node;
}

int32_t pto_sync_common(const sync_scope *s, int32_t a, int32_t b) {
    int32_t block = s->node.data[a].block;
    while (!sync_inside(s, block, b))
        block = s->node.data[s->block.data[block].node].block;
    return block;
}

int32_t pto_sync_loop(const sync_scope *s, int32_t block) {
    for (int32_t node = s->block.data[block].node; node >= 0;
         node = s->block.data[s->node.data[node].block].node)
        if (s->node.data[node].kind == SYNC_LOOP)
            return node;
    return NONE;
}
