/* SPDX-License-Identifier: Apache-2.0 */
/* The synchronisation pass from the outside: every function is cut into scopes, each is solved, and what they
 * need is noted at the operations of the program. */
#include "pass/sync.h"

#include "pass/sync_plan.h"
#include "pass/sync_scope.h"
#include "program/facts.h"
#include <pto/ops.h>

#include <stdlib.h>
#include <string.h>

/* ---- the program's own flags ---- */

static void find_manual(void *user, const pto_operation *op) {
    bool *manual = user;
    pto_sync_kind kind = pto_fact_sync(op).kind;
    bool between_cores = kind == PTO_SYNC_SIGNAL || kind == PTO_SYNC_AWAIT;
    *manual |= kind != PTO_SYNC_NOTHING && !between_cores;
    *manual |= op->kind == PTO_OPK_INSTR && op->form == PTO_FORM_TASSIGN;
}

bool pto_sync_is_automatic(const pto_program *program) {
    bool manual = pto_fact_has_addresses(program);
    pto_fact_walk(program->module, find_manual, &manual);
    return !manual;
}

typedef struct own_flags {
    uint8_t used[LANES][LANES]; /* a bit an event id */
    pto_value_map called;
    const pto_program *program;
} own_flags;

static void note_own(void *user, const pto_operation *op) {
    own_flags *own = user;
    const pto_operation *callee = op->kind == PTO_OPK_CALL ? pto_fact_callee(own->program, op) : NULL;
    if (callee)
        pto_value_map_set(&own->called, callee, 1);
    pto_sync_fact fact = pto_fact_sync(op);
    if (fact.kind != PTO_SYNC_SET && fact.kind != PTO_SYNC_WAIT)
        return;
    bool known = !fact.dynamic && fact.id >= 0 && fact.id < 8;
    uint8_t *used = &own->used[fact.src][fact.dst];
    *used = (uint8_t)(*used | (known ? 1u << fact.id : 0xffu));
}

/* ---- the plan ---- */

void pto_sync_plan_add(pto_sync_plan *plan, const pto_operation *at, bool behind, pto_sync_op op) {
    pto_value_map *map = behind ? &plan->after : &plan->before;
    int64_t *first = pto_value_map_find(map, at);
    op.next = -1;
    pto_vec_push(&plan->arena, &plan->op, op);
    int32_t made = (int32_t)plan->op.count - 1;
    if (!first) {
        pto_value_map_set(map, at, made);
        return;
    }
    int32_t last = (int32_t)*first;
    while (plan->op.data[last].next >= 0)
        last = plan->op.data[last].next;
    plan->op.data[last].next = made;
}

static pto_sync_op sync_op(const sync_scope *s, const sync_edge *e, bool set) {
    switch ((sync_edge_kind)e->kind) {
    case EDGE_BARRIER:
        return (pto_sync_op){
            .kind = PTO_SYNC_BARRIER, .src = (pto_pipe)s->pipe[e->src], .dst = PTO_PIPE_ALL, .core = -1};
    case EDGE_FENCE:
        return (pto_sync_op){.kind = PTO_SYNC_BARRIER, .src = PTO_PIPE_ALL, .dst = PTO_PIPE_ALL, .core = -1};
    default:
        return (pto_sync_op){.kind = set ? PTO_SYNC_SET : PTO_SYNC_WAIT,
                             .src = (pto_pipe)s->pipe[e->src],
                             .dst = (pto_pipe)s->pipe[e->dst],
                             .id = e->id,
                             .core = -1};
    }
}

/* Waits, then barriers, then sets, each in the order of their making. */
static void plan_list(pto_sync_plan *plan, const sync_scope *s, int32_t list, const pto_operation *at,
                      bool behind) {
    PTO_VEC(int32_t) items = {0}; /* lists are made back to front */
    for (int32_t i = list; i >= 0; i = s->item.data[i].next)
        pto_vec_push(&plan->arena, &items, i);
    for (int turn = 0; turn < 3; turn++) {
        for (size_t k = items.count; k-- > 0;) {
            const sync_item *item = &s->item.data[items.data[k]];
            const sync_edge *e = &s->edge.data[item->edge];
            bool flag = e->kind == EDGE_PAIR || e->kind == EDGE_CARRIED;
            if (!e->gone && turn == (flag ? (item->set ? 2 : 0) : 1))
                pto_sync_plan_add(plan, at, behind, sync_op(s, e, item->set));
        }
    }
}

static void plan_scope(pto_sync_plan *plan, const sync_scope *s) {
    for (size_t n = 0; n < s->node.count; n++) {
        const sync_node *node = &s->node.data[n];
        plan_list(plan, s, node->before, node->op, false);
        plan_list(plan, s, node->after, node->op, true);
    }
}

static void make(pto_sync_plan *plan, const pto_code *const *codes, size_t count) {
    const pto_program *program = codes[0]->program;
    pto_arena *arena = &plan->arena;
    pto_sync_uses uses = {.arena = arena, .at = {.arena = arena}};
    for (size_t i = 0; i < count; i++)
        pto_sync_collect(&uses, codes[i]);
    own_flags own = {.called = {.arena = arena}, .program = program};
    pto_fact_walk(program->module, note_own, &own);
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f)) {
        if (!pto_function_body(f))
            continue;
        bool called = pto_value_map_find(&own.called, f) != NULL;
        sync_scope *scope = pto_sync_scopes(arena, program, f, &uses, codes[0]->target, called);
        for (; scope; scope = scope->next) {
            pto_sync_solve(scope, own.used);
            plan_scope(plan, scope);
        }
    }
    pto_sync_plan_cores(plan, program, &uses);
}

static pto_status make_guarded(pto_sync_plan *plan, const pto_code *const *codes, size_t count) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    plan->arena.on_failure = &failure;
    make(plan, codes, count);
    return PTO_OK;
}

pto_status pto_sync_make(pto_sync_plan *plan, const pto_code *const *codes, size_t count) {
    *plan = (pto_sync_plan){0};
    pto_arena_init(&plan->arena, 0);
    plan->before.arena = plan->after.arena = &plan->arena;
    if (!count || codes[0]->target == PTO_TARGET_CPU)
        return PTO_OK; /* every operation of a core follows all earlier ones */
    pto_status status = make_guarded(plan, codes, count);
    plan->arena.on_failure = NULL;
    return status;
}

void pto_sync_release(pto_sync_plan *plan) { pto_arena_free(&plan->arena); }

int32_t pto_sync_at(const pto_sync_plan *plan, const pto_operation *op, bool behind) {
    const int64_t *first = pto_value_map_find(behind ? &plan->after : &plan->before, op);
    return first ? (int32_t)*first : -1;
}

/* ---- into the program ---- */

typedef struct inserter {
    const pto_sync_plan *plan;
    pto_program *program;
    const pto_attr *pipe[PTO_PIPE_COUNT], *event[8]; /* once they are made */
} inserter;

static const pto_attr *pipe_attr(inserter *in, pto_pipe pipe) {
    if (!in->pipe[pipe])
        in->pipe[pipe] = pto_attr_enum(in->program, PTO_STR("pipe"), pto_str_from(pto_pipe_name(pipe)));
    return in->pipe[pipe];
}

static const pto_attr *event_attr(inserter *in, int id) {
    static const char *const events[] = {"EVENT_ID0", "EVENT_ID1", "EVENT_ID2", "EVENT_ID3",
                                         "EVENT_ID4", "EVENT_ID5", "EVENT_ID6", "EVENT_ID7"};
    if (!in->event[id])
        in->event[id] = pto_attr_enum(in->program, PTO_STR("event"), pto_str_from(events[id]));
    return in->event[id];
}

static pto_operation *make_op(inserter *in, const pto_sync_op *op, pto_span span) {
    pto_program *program = in->program;
    static const pto_op_kind kinds[] = {[PTO_SYNC_SET] = PTO_OPK_SET_FLAG,
                                        [PTO_SYNC_WAIT] = PTO_OPK_WAIT_FLAG,
                                        [PTO_SYNC_BARRIER] = PTO_OPK_BARRIER,
                                        [PTO_SYNC_SIGNAL] = PTO_OPK_SYNC_SET,
                                        [PTO_SYNC_AWAIT] = PTO_OPK_SYNC_WAIT};
    pto_operation *made = pto_operation_create(program, kinds[op->kind], 0, 0);
    bool flag = op->kind == PTO_SYNC_SET || op->kind == PTO_SYNC_WAIT;
    made->span = made->name_span = span;
    pto_operation_set_attr(program, made, flag ? PTO_STR("src_pipe") : PTO_STR("pipe"),
                           pipe_attr(in, op->src));
    if (op->kind == PTO_SYNC_BARRIER)
        return made;
    if (!flag) {
        const pto_type *i32 = pto_type_int(program, 32, PTO_SIGNLESS);
        pto_operation_set_attr(program, made, PTO_STR("event_id"), pto_attr_int(program, op->id, i32));
        return made;
    }
    pto_operation_set_attr(program, made, PTO_STR("dst_pipe"), pipe_attr(in, op->dst));
    pto_operation_set_attr(program, made, PTO_STR("event_id"), event_attr(in, op->id & 7));
    return made;
}

/* The planned operations of one place, in front of `next`, or at the end of the block. */
static void insert_list(inserter *in, int32_t first, pto_block *block, pto_operation *next, pto_span span) {
    pto_program *program = in->program;
    pto_block *section = NULL;
    for (int32_t i = first; i >= 0; i = in->plan->op.data[i].next) {
        const pto_sync_op *op = &in->plan->op.data[i];
        pto_operation *made = make_op(in, op, span);
        if (op->core >= 0 && section) {
            pto_block_append(section, made);
            continue;
        }
        if (op->core >= 0) {
            pto_operation *around =
                pto_operation_create(program, op->core ? PTO_OPK_SECTION_VECTOR : PTO_OPK_SECTION_CUBE, 0, 0);
            around->span = around->name_span = span;
            section = pto_region_add_block(program, pto_operation_add_region(program, around));
            pto_block_append(section, made);
            made = around;
        }
        if (next)
            pto_block_insert_before(next, made);
        else
            pto_block_append(block, made);
    }
}

static void insert_block(inserter *in, pto_block *block) {
    for (pto_operation *op = block->first, *next; op; op = next) {
        next = op->next;
        insert_list(in, pto_sync_at(in->plan, op, false), block, op, op->span);
        insert_list(in, pto_sync_at(in->plan, op, true), block, next, op->span);
        for (uint32_t r = 0; r < op->region_count; r++)
            for (pto_block *inner = op->region[r]->first; inner; inner = inner->next)
                insert_block(in, inner);
    }
}

void pto_sync_insert(const pto_sync_plan *plan, pto_program *program) {
    inserter in = {.plan = plan, .program = program};
    for (uint32_t r = 0; r < program->module->region_count; r++)
        for (pto_block *block = program->module->region[r]->first; block; block = block->next)
            insert_block(&in, block);
}
