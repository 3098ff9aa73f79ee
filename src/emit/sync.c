/* SPDX-License-Identifier: Apache-2.0 */
/* Flags, barriers, tokens and signals between cores in C++ (60, 6.5). */
#include "emit/emit.h"

#include <inttypes.h>

static void signal(pto_emitter *e, const char *pipe, const char *id, bool fixpipe) {
    if (e->target != PTO_TARGET_A5) {
        pto_emit_line(e, "ffts_cross_core_sync(%s, getFFTSMsg(2, static_cast<uint64_t>(%s)));", pipe, id);
        return;
    }
    pto_emit_line(e, "set_intra_block(%s, static_cast<int>(%s));", pipe, id);
    if (fixpipe)
        pto_emit_line(e, "set_intra_block(%s, static_cast<int>(%s) + 16);", pipe, id);
}

static void write_sync(pto_emitter *e, pto_sync_fact sync) {
    const char *pipe = pto_pipe_name(sync.src);
    const char *id =
        sync.dynamic ? pto_emit_name(e, sync.dynamic) : pto_arena_printf(e->arena, "%" PRId64, sync.id);
    const char *event = sync.dynamic ? pto_arena_printf(e->arena, "static_cast<event_t>(%s)", id)
                                     : pto_arena_printf(e->arena, "EVENT_ID%s", id);
    switch (sync.kind) {
    case PTO_SYNC_SET:
    case PTO_SYNC_WAIT:
        pto_emit_line(e, "%s_flag(%s, %s, %s);", sync.kind == PTO_SYNC_SET ? "set" : "wait", pipe,
                      pto_pipe_name(sync.dst), event);
        break;
    case PTO_SYNC_BARRIER:
        pto_emit_line(e, "pipe_barrier(%s);", pipe);
        break;
    case PTO_SYNC_GET:
    case PTO_SYNC_RELEASE:
        pto_emit_line(e, "%s_buf(%s, %s, 0);", sync.kind == PTO_SYNC_GET ? "get" : "rls", pipe, id);
        break;
    case PTO_SYNC_SIGNAL:
        signal(e, pipe, id, sync.src == PTO_PIPE_FIX);
        break;
    case PTO_SYNC_AWAIT:
        if (e->target == PTO_TARGET_A5)
            pto_emit_line(e, "wait_intra_block(%s, static_cast<int>(%s));", pipe, id);
        else
            pto_emit_line(e, "wait_flag_dev(static_cast<int>(%s));", id);
        break;
    case PTO_SYNC_NOTHING:
        break;
    }
}

void pto_emit_sync(pto_emitter *e, const pto_operation *op) { write_sync(e, pto_fact_sync(op)); }

void pto_emit_planned(pto_emitter *e, const pto_operation *op, bool behind) {
    for (int32_t i = e->plan ? pto_sync_at(e->plan, op, behind) : -1; i >= 0; i = e->plan->op.data[i].next) {
        const pto_sync_op *planned = &e->plan->op.data[i];
        write_sync(e, (pto_sync_fact){planned->kind, planned->src, planned->dst, planned->id, NULL});
    }
}
