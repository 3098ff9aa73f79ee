/* SPDX-License-Identifier: Apache-2.0 */
/* The cube and the vector core of a block run at the same time and meet in global memory
 * (00-model, 8.3, 11.7). A section whose data the other core touches, too, is handed over: it drains its
 * pipes and signals, and the other core waits for that before it goes on. So such sections follow each other
 * in the order of the text. Programs that signal themselves are left alone. */
#include "pass/sync_scope.h"

#include "pass/sync_plan.h"
#include "program/facts.h"

typedef struct cores {
    pto_sync_plan *plan;
    const pto_sync_uses *uses;
    bool (*touched)[2][2]; /* by argument: by core, read or written */
    bool signals;          /* the program has signals of its own */
} cores;

static int core_of(const pto_operation *op) { return op->kind == PTO_OPK_SECTION_VECTOR; }

static bool is_section(const pto_operation *op) {
    return op->kind == PTO_OPK_SECTION_CUBE || op->kind == PTO_OPK_SECTION_VECTOR;
}

/* Calls `visit` for the arguments that an operation touches. */
static bool each_argument(const cores *c, const pto_operation *op, int core,
                          bool (*visit)(const cores *c, int32_t argument, int core, bool write)) {
    const pto_sync_use *use = pto_sync_use_of(c->uses, op);
    for (int32_t i = use ? use->first : NONE; i >= 0; i = c->uses->access.data[i].next) {
        const pto_sync_access *access = &c->uses->access.data[i];
        for (int32_t a = 0; a < c->uses->arguments; a++)
            if ((access->memory < 0 || access->memory == PTO_SYNC_ARGUMENT + a) &&
                visit(c, a, core, access->write))
                return true;
    }
    return false;
}

static bool note(const cores *c, int32_t argument, int core, bool write) {
    c->touched[argument][core][write] = true;
    return false;
}

static bool meets(const cores *c, int32_t argument, int core, bool write) {
    const bool *other = c->touched[argument][1 - core];
    return other[1] || (write && other[0]);
}

static void note_block(cores *c, const pto_block *block, int core) {
    for (const pto_operation *op = block->first; op; op = op->next) {
        pto_sync_kind kind = pto_fact_sync(op).kind;
        c->signals |= kind == PTO_SYNC_SIGNAL || kind == PTO_SYNC_AWAIT;
        each_argument(c, op, core, note);
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const pto_block *inner = op->region[r]->first; inner; inner = inner->next)
                note_block(c, inner, is_section(op) ? core_of(op) : core);
    }
}

static bool block_meets(const cores *c, const pto_block *block, int core) {
    for (const pto_operation *op = block->first; op; op = op->next) {
        if (each_argument(c, op, core, meets))
            return true;
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const pto_block *inner = op->region[r]->first; inner; inner = inner->next)
                if (block_meets(c, inner, core))
                    return true;
    }
    return false;
}

static void hand_over(cores *c, const pto_operation *section) {
    enum { ID = 0 };
    int core = core_of(section);
    const pto_block *body = section->region[0]->first;
    const pto_sync_op drain = {
        .kind = PTO_SYNC_BARRIER, .src = PTO_PIPE_ALL, .dst = PTO_PIPE_ALL, .core = NONE};
    pto_sync_op op = drain;
    pto_sync_plan_add(c->plan, body->last, true, op);
    op = (pto_sync_op){.kind = PTO_SYNC_SIGNAL,
                       .src = core ? PTO_PIPE_MTE3 : PTO_PIPE_FIX,
                       .dst = PTO_PIPE_ALL,
                       .id = ID,
                       .core = NONE};
    pto_sync_plan_add(c->plan, body->last, true, op);
    op.kind = PTO_SYNC_AWAIT;
    op.src = PTO_PIPE_MTE2;
    op.core = 1 - core;
    pto_sync_plan_add(c->plan, section, true, op);
    op = drain;
    op.core = 1 - core;
    pto_sync_plan_add(c->plan, section, true, op);
}

static void hand_over_block(cores *c, const pto_block *block) {
    for (const pto_operation *op = block->first; op; op = op->next) {
        const pto_block *body = is_section(op) ? op->region[0]->first : NULL;
        if (body && body->last && !body->next && block_meets(c, body, core_of(op)))
            hand_over(c, op);
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const pto_block *inner = op->region[r]->first; inner; inner = inner->next)
                hand_over_block(c, inner);
    }
}

void pto_sync_plan_cores(pto_sync_plan *plan, const pto_program *program, const pto_sync_uses *uses) {
    cores c = {.plan = plan, .uses = uses};
    c.touched = pto_arena_array(&plan->arena, (size_t)uses->arguments + 1, sizeof *c.touched);
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        for (const pto_block *b = pto_function_body(f); b; b = b->next)
            note_block(&c, b, 0);
    if (c.signals)
        return;
    for (const pto_operation *f = pto_program_first_function(program); f; f = pto_program_next_function(f))
        for (const pto_block *b = pto_function_body(f); b; b = b->next)
            hand_over_block(&c, b);
}
