/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of flags, barriers and tokens: they have no effect on the numbers of a run in program order
 * (00-model, 14.1), only the checkers look at them. */
#include "pass/lower.h"

static void emit(pto_lowering *l, pto_code_sync kind, pto_pipe src, pto_pipe dst, int64_t id,
                 const pto_value *dynamic) {
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_SYNC,
                                    .flag = (uint8_t)kind,
                                    .a = (int32_t)src,
                                    .b = (int32_t)dst,
                                    .c = (int32_t)id,
                                    .dst = dynamic ? pto_lower_get(l, dynamic) : -1});
}

static pto_pipe pipe_at(const pto_operation *op, const char *key) {
    const pto_attr *attr = pto_operation_attr(op, key);
    pto_pipe pipe = PTO_PIPE_ALL;
    if (attr && !pto_fact_pipe(attr, &pipe))
        pipe = pto_attr_pipe(attr);
    return pipe < PTO_PIPE_COUNT ? pipe : PTO_PIPE_ALL;
}

static int64_t event_id(const pto_operation *op) {
    const pto_attr *attr = pto_operation_attr(op, "event_id");
    if (attr && attr->kind == PTO_AV_INT)
        return attr->i;
    return attr && attr->text.len == 9 ? attr->text.data[8] - '0' : 0;
}

static int64_t number(const pto_operation *op, const char *key) {
    const pto_attr *attr = pto_operation_attr(op, key);
    return attr && attr->kind == PTO_AV_INT ? attr->i : 0;
}

/* An event between two pipes is a flag; on one pipe its wait is a barrier (00-model, 11.1). */
static void event(pto_lowering *l, const pto_operation *op, bool record) {
    pto_pipe src = pipe_at(op, "src_op"), dst = pipe_at(op, "dst_op");
    if (src != dst)
        emit(l, record ? PTO_SYNC_SET : PTO_SYNC_WAIT, src, dst, event_id(op), NULL);
    else if (!record)
        emit(l, PTO_SYNC_BARRIER, src, src, 0, NULL);
}

void pto_lower_sync(pto_lowering *l, const pto_operation *op) {
    const pto_value *dynamic = op->operand_count ? op->operand[0] : NULL;
    switch (op->kind) {
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_SET_FLAG_DYN:
        emit(l, PTO_SYNC_SET, pipe_at(op, "src_pipe"), pipe_at(op, "dst_pipe"), event_id(op), dynamic);
        break;
    case PTO_OPK_WAIT_FLAG:
    case PTO_OPK_WAIT_FLAG_DYN:
        emit(l, PTO_SYNC_WAIT, pipe_at(op, "src_pipe"), pipe_at(op, "dst_pipe"), event_id(op), dynamic);
        break;
    case PTO_OPK_BARRIER:
        emit(l, PTO_SYNC_BARRIER, pipe_at(op, "pipe"), PTO_PIPE_ALL, 0, NULL);
        break;
    case PTO_OPK_BARRIER_SYNC:
        emit(l, PTO_SYNC_BARRIER, pipe_at(op, "op_type"), PTO_PIPE_ALL, 0, NULL);
        break;
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        event(l, op, op->kind == PTO_OPK_RECORD_EVENT);
        break;
    case PTO_OPK_GET_BUF:
    case PTO_OPK_RLS_BUF:
        emit(l, op->kind == PTO_OPK_GET_BUF ? PTO_SYNC_GET : PTO_SYNC_RELEASE, pipe_at(op, "op_type"),
             PTO_PIPE_ALL, number(op, "buf_id"), NULL);
        break;
    case PTO_OPK_SYNC_SET:
    case PTO_OPK_SYNC_WAIT:
        emit(l, op->kind == PTO_OPK_SYNC_SET ? PTO_SYNC_SIGNAL : PTO_SYNC_AWAIT, pipe_at(op, "pipe"),
             PTO_PIPE_ALL, number(op, "event_id"), dynamic);
        break;
    default:
        break;
    }
}
