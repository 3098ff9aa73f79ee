/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of flags, barriers and tokens: they have no effect on the numbers of a run in program order
 * (00-model, 14.1), only the checkers look at them. */
#include "pass/lower.h"
#include "pass/sync.h"

static void emit(pto_lowering *l, const pto_sync_fact *sync) {
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_SYNC,
                                    .flag = (uint8_t)sync->kind,
                                    .a = (int32_t)sync->src,
                                    .b = (int32_t)sync->dst,
                                    .c = (int32_t)sync->id,
                                    .dst = sync->dynamic ? pto_lower_get(l, sync->dynamic) : -1});
}

void pto_lower_sync(pto_lowering *l, const pto_operation *op) {
    pto_sync_fact sync = pto_fact_sync(op);
    if (sync.kind != PTO_SYNC_NOTHING)
        emit(l, &sync);
}

void pto_lower_planned(pto_lowering *l, const pto_operation *op, bool behind) {
    int32_t section = -1; /* its first op */
    for (int32_t i = l->plan ? pto_sync_at(l->plan, op, behind) : -1; i >= 0; i = l->plan->op.data[i].next) {
        const pto_sync_op *planned = &l->plan->op.data[i];
        pto_sync_fact sync = {planned->kind, planned->src, planned->dst, planned->id, NULL};
        if (planned->core >= 0 && section < 0)
            section = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_CORE, .flag = 1, .a = planned->core});
        emit(l, &sync);
    }
    if (section < 0)
        return;
    if (!l->failed)
        l->ops.data[section].extra = pto_lower_here(l);
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_CORE});
}
