/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of synchronisation, block numbers and debugging (60, 3.9.4, 3.10.6; 00-model, 11.2). */
#include "program/verify.h"

#include <string.h>

static bool concrete(pto_pipe pipe) { return pipe != PTO_PIPE_ALL; }

static void flag(pto_verifier *v, const pto_operation *op) {
    pto_pipe src, dst;
    bool src_ok = pto_fact_pipe(pto_operation_attr(op, "src_pipe"), &src) && concrete(src);
    bool dst_ok = pto_fact_pipe(pto_operation_attr(op, "dst_pipe"), &dst) && concrete(dst);
    if (!src_ok || !dst_ok)
        pto_verify_refuse(v, "PTO-E0416", op, op->span, src_ok ? "dst_pipe" : "src_pipe",
                          "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_FIX", "no such pipe");
    else if (src == dst)
        pto_verify_refuse(v, "PTO-E0416", op, op->span, "dst_pipe", "two different pipes", "%s twice",
                          pto_pipe_name(src));
    const pto_attr *event = pto_operation_attr(op, "event_id");
    static const char prefix[] = "EVENT_ID";
    bool event_ok = false;
    if (event && event->kind == PTO_AV_INT)
        event_ok = event->i >= 0 && event->i < 8;
    else if (event)
        event_ok = event->text.len == 9 && !memcmp(event->text.data, prefix, 8) &&
                   event->text.data[8] >= '0' && event->text.data[8] <= '7';
    if (!event_ok && op->operand_count == 0)
        pto_verify_refuse(v, "PTO-E0417", op, op->span, "event_id", "EVENT_ID0 to EVENT_ID7", "%.*s",
                          PTO_STR_ARG(event ? event->text : PTO_STR("nothing")));
}

static void block_number(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 0, 1))
        return;
    char words[PTO_TYPE_WORDS];
    if (pto_type_int_width(op->result[0]->type) < 32)
        pto_verify_refuse(v, "PTO-E0406", op, pto_verify_result_span(op, 0), NULL, "i64", "%s",
                          pto_type_words(op->result[0]->type, words));
}

void pto_verify_sync(pto_verifier *v, const pto_operation *op) {
    pto_pipe pipe;
    switch (op->kind) {
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
        flag(v, op);
        break;
    case PTO_OPK_BARRIER:
        if (!pto_fact_pipe(pto_operation_attr(op, "pipe"), &pipe))
            pto_verify_refuse(v, "PTO-E0416", op, op->span, "pipe", "a pipe of 00-model, 10", "no such pipe");
        break;
    case PTO_OPK_GET_BLOCK_IDX:
    case PTO_OPK_GET_BLOCK_NUM:
    case PTO_OPK_GET_SUBBLOCK_IDX:
    case PTO_OPK_GET_SUBBLOCK_NUM:
        block_number(v, op);
        break;
    case PTO_OPK_PRINT:
        if (pto_verify_counts(v, op, -1, 0)) {
            const pto_attr *format = pto_operation_attr(op, "format");
            if (!format || format->kind != PTO_AV_STRING || op->operand_count > 1)
                pto_verify_refuse(v, "PTO-E0404", op, op->span, "format", "a text and at most one scalar",
                                  "%u operands", op->operand_count);
            else if (op->operand_count == 1 && !pto_type_is_scalar(op->operand[0]->type))
                pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "a scalar",
                                  "another value");
        }
        break;
    default:
        break;
    }
}
