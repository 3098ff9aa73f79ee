/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/pipe_orders.h"
#include "support/random_program.h"

enum { SLOTS = 4, PIPES = 8, IDS = 8, VALUES = 1 << 14 };

/* ---- memories: a word for every 32 bytes ------------------------------------------------------------ */

enum { AREA = 320, VEC = 0, MAT, LEFT, RIGHT, ACC, GLOBAL, AREAS = GLOBAL + 4 };

typedef struct range {
    int area, begin, end; /* words */
} range;

typedef enum event_kind { OPERATION, SET, WAIT, BARRIER } event_kind;

typedef struct event {
    event_kind kind;
    int pipe, to, id; /* to: of flags */
    int flag;         /* number of the operation among all flags and barriers of the text */
    int set;          /* of a wait: its set */
    int reads, writes;
    range read[SLOTS], written[SLOTS];
} event;

struct pipe_trace {
    pto_target target;
    event *event;
    int count, capacity;
};

static event *add_event(pipe_trace *t, event_kind kind, int pipe) {
    if (t->count == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 64;
        t->event = realloc(t->event, (size_t)t->capacity * sizeof *t->event);
        assert_non_null(t->event);
    }
    event *e = &t->event[t->count++];
    *e = (event){.kind = kind, .pipe = pipe, .set = -1, .flag = -1};
    return e;
}

/* ---- control flow ------------------------------------------------------------------------------------- */

typedef struct walker {
    pipe_trace *trace;
    const pto_value *key[VALUES]; /* open hashing: the values of index and i64 */
    int64_t number[VALUES];
    int flags; /* of the text so far, see number_flags */
    const pto_operation *flag_op[VALUES];
    int up[PIPES][PIPES][IDS]; /* event + 1 */
} walker;

static int64_t *place(walker *w, const pto_value *value) {
    size_t i = (size_t)((uintptr_t)value >> 4) % VALUES;
    while (w->key[i] && w->key[i] != value)
        i = (i + 1) % VALUES;
    w->key[i] = value;
    return &w->number[i];
}

static int64_t value_of(walker *w, const pto_value *value) { return *place(w, value); }

static bool named(const pto_operation *op, const char *name) {
    const char *own =
        op->kind == PTO_OPK_INSTR ? pto_form_get(op->form)->mnemonic : pto_op_kind_name(op->kind);
    return own && !strcmp(own, name);
}

static range tile_range(walker *w, const pto_value *tile) {
    static const int area[] = {[PTO_LOC_VEC] = VEC,
                               [PTO_LOC_MAT] = MAT,
                               [PTO_LOC_LEFT] = LEFT,
                               [PTO_LOC_RIGHT] = RIGHT,
                               [PTO_LOC_ACC] = ACC};
    const pto_tile_type *type = &tile->type->tile;
    const pto_operation *def = tile->def;
    assert_true(def && named(def, "pto.alloc_tile") && def->operand_count == 1);
    int begin = (int)(value_of(w, def->operand[0]) / 32);
    int bytes = type->rows * type->cols * (int)pto_dtype_bits(type->dtype) / 8;
    range r = {area[type->loc], begin, begin + bytes / 32};
    assert_true(r.end <= AREA);
    return r;
}

/* All 16 columns of some rows of a tensor of 16 columns. */
static range window_range(walker *w, const pto_value *view) {
    const pto_operation *part = view->def, *whole = part->operand[0]->def;
    assert_true(named(part, "pto.partition_view") && named(whole, "pto.make_tensor_view"));
    const pto_value *argument = whole->operand[0];
    static const int area[] = {0, 1, 2, 3};
    int bytes = 16 * (int)pto_dtype_bits(view->type->dtype) / 8, row = (int)value_of(w, part->operand[1]);
    assert_true(argument->block && argument->index < 4 && value_of(w, part->operand[3]) == 16);
    return (range){GLOBAL + area[argument->index], row * bytes / 32, (row + 16) * bytes / 32};
}

static void reads(event *e, range r) { e->read[e->reads++] = r; }
static void writes(event *e, range r) { e->written[e->writes++] = r; }

/* The instructions of the generator: pipe, operands that are read; operand 0 is written. */
static void instruction(walker *w, const pto_operation *op) {
    event *e = add_event(w->trace, OPERATION, PTO_PIPE_V);
    const pto_value *first = op->operand[0];
    if (named(op, "TLOAD")) {
        e->pipe = PTO_PIPE_MTE2;
        reads(e, window_range(w, op->operand[1]));
        writes(e, tile_range(w, first));
    } else if (named(op, "TSTORE")) {
        e->pipe = op->operand[1]->type->tile.loc == PTO_LOC_ACC ? PTO_PIPE_FIX : PTO_PIPE_MTE3;
        reads(e, tile_range(w, op->operand[1]));
        writes(e, window_range(w, first));
    } else {
        if (named(op, "TMATMUL") || named(op, "TMATMUL_ACC"))
            e->pipe = PTO_PIPE_M;
        else if (named(op, "TMOV"))
            e->pipe = PTO_PIPE_MTE1;
        else
            assert_true(named(op, "TRELU") || named(op, "TMULS") || named(op, "TEXPANDS") ||
                        named(op, "TADD"));
        writes(e, tile_range(w, first));
        for (uint32_t i = 1; i < op->operand_count; i++)
            if (op->operand[i] && pto_type_is_tile(op->operand[i]->type))
                reads(e, tile_range(w, op->operand[i]));
        if (named(op, "TMATMUL_ACC") && op->operand_count == 3)
            reads(e, tile_range(w, first));
    }
}

/* One element, 4 bytes: the word that it lies in is read and, by tsetval, written. */
static void element(walker *w, const pto_operation *op) {
    event *e = add_event(w->trace, OPERATION, PTO_PIPE_S);
    range r = tile_range(w, op->operand[0]);
    r.begin += (int)(value_of(w, op->operand[1]) * 4 / 32);
    r.end = r.begin + 1;
    reads(e, r);
    if (named(op, "pto.tsetval"))
        writes(e, r);
}

static int pipe_attr(const pto_operation *op, const char *key) {
    const pto_attr *attr = pto_operation_attr(op, key);
    assert_non_null(attr);
    for (int p = 0; p < PIPES; p++)
        if (pto_str_equal(attr->text, pto_str_from(pto_pipe_name((pto_pipe)p))))
            return p;
    fail_msg("no pipe");
    return 0;
}

static int flag_number(walker *w, const pto_operation *op) {
    for (int i = 0; i < w->flags; i++)
        if (w->flag_op[i] == op)
            return i;
    assert_true(w->flags < VALUES);
    w->flag_op[w->flags] = op;
    return w->flags++;
}

static void flag(walker *w, const pto_operation *op) {
    bool barrier = named(op, "pto.barrier"), set = named(op, "pto.set_flag");
    event *e = add_event(w->trace, barrier ? BARRIER : (set ? SET : WAIT), 0);
    e->flag = flag_number(w, op);
    if (barrier) {
        e->pipe = pipe_attr(op, "pipe");
        return;
    }
    int from = pipe_attr(op, "src_pipe"), to = pipe_attr(op, "dst_pipe");
    const pto_attr *id = pto_operation_attr(op, "event_id");
    e->id = id->text.data[id->text.len - 1] - '0';
    e->pipe = set ? from : to;
    e->to = set ? to : from; /* the other one */
    int *up = &w->up[from][to][e->id];
    if (set) {
        if (*up)
            fail_msg("a flag is set twice");
        *up = w->trace->count;
    } else {
        if (!*up)
            fail_msg("a flag is waited for that nobody has set");
        e->set = *up - 1;
        *up = 0;
    }
}

static void walk(walker *w, const pto_block *block);

static void scalar(walker *w, const pto_operation *op) {
    int64_t a = op->operand_count > 0 ? value_of(w, op->operand[0]) : 0;
    int64_t b = op->operand_count > 1 ? value_of(w, op->operand[1]) : 0, r = 0;
    if (named(op, "arith.constant")) {
        const pto_attr *value = pto_operation_attr(op, "value");
        if (!value || value->kind != PTO_AV_INT)
            return;
        r = value->i;
    } else if (named(op, "arith.remui")) {
        r = a % b;
    } else if (named(op, "arith.cmpi")) {
        const pto_attr *how = pto_operation_attr(op, "predicate");
        assert_non_null(how);
        bool equal = how->kind == PTO_AV_INT ? how->i == 0 : pto_str_equal(how->text, PTO_STR("eq"));
        r = equal ? a == b : a < b; /* eq or slt */
    } else {
        return;
    }
    *place(w, op->result[0]) = r;
}

static void walk_operation(walker *w, const pto_operation *op) {
    if (op->kind == PTO_OPK_INSTR) {
        instruction(w, op);
    } else if (named(op, "scf.for")) {
        const pto_block *body = op->region[0]->first;
        int64_t to = value_of(w, op->operand[1]), step = value_of(w, op->operand[2]);
        for (int64_t i = value_of(w, op->operand[0]); i < to; i += step) {
            *place(w, body->arg[0]) = i;
            walk(w, body);
        }
    } else if (named(op, "scf.if")) {
        uint32_t arm = value_of(w, op->operand[0]) ? 0 : 1;
        if (arm < op->region_count && op->region[arm]->first)
            walk(w, op->region[arm]->first);
    } else if (named(op, "pto.set_flag") || named(op, "pto.wait_flag") || named(op, "pto.barrier")) {
        flag(w, op);
    } else if (named(op, "pto.tsetval") || named(op, "pto.tgetval")) {
        element(w, op);
    } else {
        scalar(w, op);
    }
}

static void walk(walker *w, const pto_block *block) {
    for (const pto_operation *op = block->first; op; op = op->next)
        walk_operation(w, op);
}

/* Every flag and barrier gets its number by its place in the text. */
static void number_flags(walker *w, const pto_block *block) {
    for (const pto_operation *op = block->first; op; op = op->next) {
        if (named(op, "pto.set_flag") || named(op, "pto.wait_flag") || named(op, "pto.barrier"))
            flag_number(w, op);
        for (uint32_t r = 0; r < op->region_count; r++)
            if (op->region[r]->first)
                number_flags(w, op->region[r]->first);
    }
}

static pipe_trace *trace(const pto_program *program, pto_target target, int64_t n, int *flags) {
    walker *w = calloc(1, sizeof *w);
    pipe_trace *t = calloc(1, sizeof *t);
    assert_true(w && t);
    w->trace = t;
    t->target = target;
    const pto_block *body = pto_function_body(pto_program_first_function(program));
    number_flags(w, body);
    *flags = w->flags;
    *place(w, body->arg[4]) = n;
    walk(w, body);
    for (int i = 0; i < PIPES * PIPES * IDS; i++)
        if (w->up[i / (PIPES * IDS)][i / IDS % PIPES][i % IDS])
            fail_msg("a flag is left up");
    free(w);
    return t;
}

pipe_trace *pipe_trace_make(const pto_program *program, pto_target target, int64_t n) {
    int flags;
    return trace(program, target, n, &flags);
}

void pipe_trace_free(pipe_trace *t) {
    free(t->event);
    free(t);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static int root_of(const int *parent, int i) {
    while (parent[i] != i)
        i = parent[i];
    return i;
}

int pipe_groups(const pto_program *program, pto_target target, const int64_t *n, int count,
                int **group_of_flag) {
    int flags = 0, *parent = NULL, groups = 0;
    bool *seen = NULL;
    for (int k = 0; k < count; k++) {
        pipe_trace *t = trace(program, target, n[k], &flags);
        if (!parent) {
            parent = calloc((size_t)flags + 1, sizeof *parent);
            seen = calloc((size_t)flags + 1, sizeof *seen);
            assert_true(parent && seen);
            for (int i = 0; i < flags; i++)
                parent[i] = i;
        }
        for (int i = 0; i < t->count; i++) {
            if (t->event[i].flag >= 0)
                seen[t->event[i].flag] = true;
            if (t->event[i].kind != WAIT)
                continue;
            int a = root_of(parent, t->event[i].flag);
            parent[a] = root_of(parent, t->event[t->event[i].set].flag);
        }
        pipe_trace_free(t);
    }
    int *group = calloc((size_t)flags + 1, sizeof *group);
    assert_non_null(group);
    group[flags] = -2;
    for (int i = 0; i < flags; i++) /* what was never executed has no group */
        group[i] = -1;
    for (int i = 0; i < flags; i++)
        if (seen[i] && root_of(parent, i) == i)
            group[i] = groups++;
    for (int i = 0; i < flags; i++)
        if (seen[i])
            group[i] = group[root_of(parent, i)];
    free(parent);
    free(seen);
    *group_of_flag = group;
    return groups;
}

/* ---- performing ------------------------------------------------------------------------------------------
 */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

typedef struct machine {
    uint64_t word[AREAS][AREA];
    uint64_t scalar; /* what S has read */
    bool up[PIPES][PIPES][IDS], misused;
} machine;

static machine *make_machine(void) {
    machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int a = 0; a < AREAS; a++)
        for (int i = 0; i < AREA; i++)
            m->word[a][i] = mix((uint64_t)a, (uint64_t)i);
    return m;
}

static void perform(machine *m, const event *e, int number) {
    if (e->kind == SET || e->kind == WAIT) {
        bool *up = e->kind == SET ? &m->up[e->pipe][e->to][e->id] : &m->up[e->to][e->pipe][e->id];
        m->misused |= *up == (e->kind == SET);
        *up = e->kind == SET;
    }
    if (e->kind != OPERATION)
        return;
    uint64_t hash = (uint64_t)number;
    for (int i = 0; i < e->reads; i++)
        for (int k = e->read[i].begin; k < e->read[i].end; k++)
            hash = mix(hash, m->word[e->read[i].area][k]);
    for (int i = 0; i < e->writes; i++)
        for (int k = e->written[i].begin; k < e->written[i].end; k++) {
            uint64_t *word = &m->word[e->written[i].area][k];
            *word = mix(*word, hash);
        }
    if (!e->writes)
        m->scalar = mix(m->scalar, hash);
}

static pipe_result finish(machine *m) {
    pipe_result result = {.hash = m->scalar, .misused = m->misused};
    for (int a = 0; a < AREAS; a++)
        for (int i = 0; i < AREA; i++)
            result.hash = mix(result.hash, m->word[a][i]);
    free(m);
    return result;
}

pipe_result pipe_program_order(const pipe_trace *t) {
    machine *m = make_machine();
    int number = 0;
    for (int i = 0; i < t->count; i++)
        perform(m, &t->event[i], t->event[i].kind == OPERATION ? number++ : 0);
    return finish(m);
}

/* ---- orders
 * -------------------------------------------------------------------------------------------------- */

typedef struct arrow {
    int to, next;
} arrow;

typedef struct order {
    const pipe_trace *trace;
    bool *there;
    int *first, *missing; /* arrows from an event; arrows into it that are not done */
    arrow *arrow;
    int arrows, capacity;
    /* issued so far: the last event that later ones of the pipe wait for, what a set has to wait for */
    int gate[PIPES], stop; /* stop: for all pipes */
    int *open[PIPES], opened[PIPES], last[PIPES];
} order;

static void before(order *o, int from, int to) {
    if (from < 0)
        return;
    if (o->arrows == o->capacity) {
        o->capacity = o->capacity ? 2 * o->capacity : 256;
        o->arrow = realloc(o->arrow, (size_t)o->capacity * sizeof *o->arrow);
        assert_non_null(o->arrow);
    }
    o->arrow[o->arrows] = (arrow){to, o->first[from]};
    o->first[from] = o->arrows++;
    o->missing[to]++;
}

static bool keeps_order(pto_target target, int pipe) {
    if (target == PTO_TARGET_A2A3)
        return pipe != PTO_PIPE_V && pipe != PTO_PIPE_MTE3;
    return pipe != PTO_PIPE_MTE2 && pipe != PTO_PIPE_MTE3;
}

/* Everything issued to the pipe precedes `to`, which then stands for all of it. */
static void close_pipe(order *o, int pipe, int to) {
    for (int k = 0; k < o->opened[pipe]; k++)
        before(o, o->open[pipe][k], to);
    o->opened[pipe] = 0;
}

/* Edges E1 to E3 of the event: what it follows, what follows it. */
static void issue(order *o, int i) {
    const event *e = &o->trace->event[i];
    int p = e->pipe;
    bool all = e->kind == BARRIER && p == PTO_PIPE_ALL;
    before(o, o->stop, i);
    if (!all)
        before(o, o->gate[p], i);
    switch (e->kind) {
    case OPERATION:
        if (keeps_order(o->trace->target, p))
            before(o, o->last[p], i);
        o->last[p] = i;
        o->open[p][o->opened[p]++] = i;
        break;
    case SET:
        close_pipe(o, p, i);
        o->open[p][o->opened[p]++] = i;
        break;
    case WAIT:
        if (o->there[e->set])
            before(o, e->set, i);
        o->gate[p] = i;
        o->open[p][o->opened[p]++] = i;
        if (p == PTO_PIPE_S)
            o->stop = i;
        break;
    case BARRIER:
        for (int k = 0; k < PIPES; k++)
            if (all || k == p)
                close_pipe(o, k, i);
        for (int k = 0; k < PIPES; k++)
            if (all || k == p)
                o->open[k][o->opened[k]++] = i;
        if (all)
            o->stop = i;
        else
            o->gate[p] = i;
        break;
    }
}

/* A heap of events that may be performed, the highest urgency on top. */
typedef struct heap {
    int *event, count;
    const uint32_t *urgency;
} heap;

static void push(heap *h, int added) {
    int i = h->count++;
    for (; i && h->urgency[h->event[(i - 1) / 2]] < h->urgency[added]; i = (i - 1) / 2)
        h->event[i] = h->event[(i - 1) / 2];
    h->event[i] = added;
}

static int pop(heap *h) {
    int top = h->event[0], last = h->event[--h->count], i = 0;
    for (int child; (child = 2 * i + 1) < h->count; i = child) {
        if (child + 1 < h->count && h->urgency[h->event[child + 1]] > h->urgency[h->event[child]])
            child++;
        if (h->urgency[h->event[child]] <= h->urgency[last])
            break;
        h->event[i] = h->event[child];
    }
    h->event[i] = last;
    return top;
}

/* Half of the orders favour pipes, half single events; most of both some early or late part. */
static void choose_urgency(const pipe_trace *t, uint64_t seed, uint32_t *urgency) {
    uint64_t random = seed * 2 + 1;
    uint32_t pipe[PIPES];
    for (int i = 0; i < 6; i++)
        random_next(&random);
    for (int p = 0; p < PIPES; p++)
        pipe[p] = random_below(&random, 1u << 20);
    uint32_t noise = 1u << (seed % 2 ? 14 + random_below(&random, 6) : 22);
    bool backwards = random_below(&random, 2);
    for (int i = 0; i < t->count; i++) {
        urgency[i] = pipe[t->event[i].pipe] + random_below(&random, noise);
        if (backwards && seed % 2)
            urgency[i] += (uint32_t)i * 64;
    }
}

pipe_result pipe_random_order(const pipe_trace *t, uint64_t seed, int missing, const int *group_of_flag) {
    size_t n = (size_t)t->count + 1;
    order o = {.trace = t, .stop = -1};
    o.there = calloc(n, sizeof *o.there);
    o.first = calloc(n, sizeof *o.first);
    o.missing = calloc(n, sizeof *o.missing);
    uint32_t *urgency = calloc(n, sizeof *urgency);
    int *number = calloc(n, sizeof *number);
    heap h = {.event = calloc(n, sizeof *h.event), .urgency = urgency};
    assert_true(o.there && o.first && o.missing && urgency && number && h.event);
    for (int p = 0; p < PIPES; p++) {
        o.open[p] = calloc(n, sizeof *o.open[p]);
        assert_non_null(o.open[p]);
        o.gate[p] = o.last[p] = -1;
    }
    for (int i = 0, next = 0; i < t->count; i++) {
        const event *e = &t->event[i];
        o.first[i] = -1;
        number[i] = e->kind == OPERATION ? next++ : 0;
        o.there[i] = missing < 0 || e->flag < 0 || group_of_flag[e->flag] != missing;
        if (o.there[i])
            issue(&o, i);
    }
    choose_urgency(t, seed, urgency);
    for (int i = 0; i < t->count; i++)
        if (o.there[i] && !o.missing[i])
            push(&h, i);
    machine *m = make_machine();
    while (h.count) {
        int i = pop(&h);
        perform(m, &t->event[i], number[i]);
        for (int k = o.first[i]; k >= 0; k = o.arrow[k].next)
            if (!--o.missing[o.arrow[k].to])
                push(&h, o.arrow[k].to);
    }
    for (int p = 0; p < PIPES; p++)
        free(o.open[p]);
    free(o.there);
    free(o.first);
    free(o.missing);
    free(o.arrow);
    free(urgency);
    free(number);
    free(h.event);
    return finish(m);
}
