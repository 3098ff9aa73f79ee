/* SPDX-License-Identifier: Apache-2.0 */
/* What a synchronising operation does, whatever its spelling (00-model, 11; 60, 3.9.4). */
#include "program/facts.h"

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
static pto_sync_fact event(const pto_operation *op, bool record) {
    pto_pipe src = pipe_at(op, "src_op"), dst = pipe_at(op, "dst_op");
    if (src != dst)
        return (pto_sync_fact){record ? PTO_SYNC_SET : PTO_SYNC_WAIT, src, dst, event_id(op), NULL};
    return (pto_sync_fact){record ? PTO_SYNC_NOTHING : PTO_SYNC_BARRIER, src, PTO_PIPE_ALL, 0, NULL};
}

pto_pipe pto_fact_buffer_pipe(const pto_operation *op) {
    const pto_attr *endpoint = pto_operation_attr(op, "op_type"), *name = pto_operation_attr(op, "pipe");
    if (endpoint)
        return pto_attr_pipe(endpoint);
    for (int i = 0; name && name->kind == PTO_AV_STRING && i < PTO_PIPE_COUNT; i++)
        if (pto_str_equal(name->text, pto_str_from(pto_pipe_name((pto_pipe)i))))
            return (pto_pipe)i;
    return PTO_PIPE_COUNT;
}

pto_sync_fact pto_fact_sync(const pto_operation *op) {
    const pto_value *dynamic = op->operand_count ? op->operand[0] : NULL;
    switch (op->kind) {
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_SET_FLAG_DYN:
    case PTO_OPK_WAIT_FLAG:
    case PTO_OPK_WAIT_FLAG_DYN:
        return (pto_sync_fact){
            op->kind == PTO_OPK_SET_FLAG || op->kind == PTO_OPK_SET_FLAG_DYN ? PTO_SYNC_SET : PTO_SYNC_WAIT,
            pipe_at(op, "src_pipe"), pipe_at(op, "dst_pipe"), event_id(op), dynamic};
    case PTO_OPK_BARRIER:
        return (pto_sync_fact){PTO_SYNC_BARRIER, pipe_at(op, "pipe"), PTO_PIPE_ALL, 0, NULL};
    case PTO_OPK_BARRIER_SYNC:
        return (pto_sync_fact){PTO_SYNC_BARRIER, pipe_at(op, "op_type"), PTO_PIPE_ALL, 0, NULL};
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        return event(op, op->kind == PTO_OPK_RECORD_EVENT);
    case PTO_OPK_GET_BUF:
    case PTO_OPK_RLS_BUF:
        return (pto_sync_fact){op->kind == PTO_OPK_GET_BUF ? PTO_SYNC_GET : PTO_SYNC_RELEASE,
                               pto_fact_buffer_pipe(op), PTO_PIPE_ALL, number(op, "buf_id"), dynamic};
    case PTO_OPK_SYNC_SET:
    case PTO_OPK_SYNC_WAIT:
        return (pto_sync_fact){op->kind == PTO_OPK_SYNC_SET ? PTO_SYNC_SIGNAL : PTO_SYNC_AWAIT,
                               pipe_at(op, "pipe"), PTO_PIPE_ALL, number(op, "event_id"), dynamic};
    default:
        return (pto_sync_fact){PTO_SYNC_NOTHING, PTO_PIPE_ALL, PTO_PIPE_ALL, 0, NULL};
    }
}
