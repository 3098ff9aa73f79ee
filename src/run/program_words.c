/* SPDX-License-Identifier: Apache-2.0 */
/* Findings at the places of a program text: sites are operations of the flat code. */
#include "run/program_words.h"

#include "program/facts.h"

#include <string.h>

static const pto_operation *operation_of(const pto_code *code, const pto_check_access *a) {
    return a->site >= 0 && a->site < code->op_count ? code->origin[a->site] : NULL;
}

static pto_where where(void *user, const pto_check_access *a) {
    const pto_code *code = ((const pto_program_places *)user)->code;
    const pto_operation *op = operation_of(code, a);
    pto_span span = op ? op->span : (pto_span){0, 0};
    if (op && op->kind == PTO_OPK_INSTR && a->operand >= 0) {
        const pto_span at = pto_instr_span(op, a->operand);
        span = at.begin < at.end ? at : span;
    }
    pto_where w = code->program->source ? pto_at(code->program->source, span.begin, span.end) : pto_nowhere();
    if (op && op->kind == PTO_OPK_INSTR && a->operand >= 0)
        w.operand = pto_form_get(a->form)->operand[a->operand].name;
    return w;
}

static const char *title(void *user, const pto_check_access *a) {
    const pto_operation *op = operation_of(((const pto_program_places *)user)->code, a);
    return op ? (op->kind == PTO_OPK_INSTR ? pto_form_get(op->form)->mnemonic : pto_op_kind_name(op->kind))
              : NULL;
}

static const char *argument(void *user, uint64_t at, uint64_t *base) {
    const pto_program_places *places = user;
    for (int32_t i = 0; i < places->code->param_count; i++) {
        const uint64_t begin = (uint64_t)(uintptr_t)places->buffer[i].data;
        if (at >= begin && at < begin + places->buffer[i].bytes) {
            *base = begin;
            return places->buffer[i].name;
        }
    }
    return NULL;
}

pto_findings_words pto_program_words(const pto_program_places *places) {
    return (pto_findings_words){
        .user = (void *)(uintptr_t)places, .where = where, .title = title, .argument = argument};
}
