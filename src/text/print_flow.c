/* SPDX-License-Identifier: Apache-2.0 */
/* Branches, scf.index_switch and scf.execute_region as text (60, 3.3). */
#include "text/print.h"

void pto_print_label(pto_text_printer *t, const pto_block *block) {
    uint32_t n = 0;
    for (const pto_block *b = block->parent->first; b && b != block; b = b->next)
        n++;
    pto_sink_printf(&t->sink, "^bb%u", n);
}

static void target(pto_text_printer *t, const pto_operation *op, uint32_t successor, uint32_t from,
                   uint32_t count) {
    pto_print_label(t, op->successor[successor]);
    if (!count)
        return;
    pto_sink_char(&t->sink, '(', 1);
    pto_print_values(t, op->operand + from, count);
    pto_print_text(t, " : ");
    pto_print_value_types(t, op->operand + from, count);
    pto_sink_char(&t->sink, ')', 1);
}

static void multiway(pto_text_printer *t, const pto_operation *op) {
    const pto_attr *values = pto_operation_attr(op, "case_values");
    const pto_attr *sizes = pto_operation_attr(op, "case_operand_segments");
    uint32_t at = 1 + op->segment[1];
    pto_print_value(t, op->operand[0]);
    pto_print_text(t, " : ");
    pto_print_type(t, op->operand[0]->type);
    pto_print_text(t, ", [default: ");
    target(t, op, 0, 1, op->segment[1]);
    for (uint32_t i = 0; i < values->count; i++) {
        uint32_t count = (uint32_t)sizes->dense[i];
        pto_sink_printf(&t->sink, ", %lld: ", (long long)values->dense[i]);
        target(t, op, i + 1, at, count);
        at += count;
    }
    pto_sink_char(&t->sink, ']', 1);
}

static void results(pto_text_printer *t, const pto_operation *op) {
    if (!op->result_count)
        return;
    pto_print_text(t, " -> (");
    pto_print_value_types(t, op->result, op->result_count);
    pto_sink_char(&t->sink, ')', 1);
}

bool pto_print_flow(pto_text_printer *t, const pto_operation *op) {
    static const char cases_key[] = "cases";
    switch (op->kind) {
    case PTO_OPK_CF_BR:
        pto_print_text(t, "cf.br ");
        target(t, op, 0, 0, op->operand_count);
        pto_print_attr_dict(t, op, NULL);
        return true;
    case PTO_OPK_CF_COND_BR:
        pto_print_text(t, "cf.cond_br ");
        pto_print_value(t, op->operand[0]);
        pto_print_text(t, ", ");
        target(t, op, 0, 1, op->segment[1]);
        pto_print_text(t, ", ");
        target(t, op, 1, 1 + op->segment[1], op->segment[2]);
        pto_print_attr_dict(t, op, NULL);
        return true;
    case PTO_OPK_CF_SWITCH:
        pto_print_text(t, "cf.switch ");
        multiway(t, op);
        pto_print_attr_dict(t, op, "case_values case_operand_segments");
        return true;
    case PTO_OPK_SCF_INDEX_SWITCH: {
        const pto_attr *cases = pto_operation_attr(op, cases_key);
        pto_print_text(t, "scf.index_switch ");
        pto_print_value(t, op->operand[0]);
        pto_print_attr_dict(t, op, cases_key);
        if (op->result_count) {
            pto_print_text(t, " -> ");
            pto_print_value_types(t, op->result, op->result_count);
        }
        for (uint32_t i = 0; i < cases->count; i++) {
            pto_sink_printf(&t->sink, " case %lld ", (long long)cases->dense[i]);
            pto_print_region(t, op->region[i + 1], false, false, false);
        }
        pto_print_text(t, " default ");
        pto_print_region(t, op->region[0], false, false, false);
        return true;
    }
    case PTO_OPK_SCF_EXECUTE_REGION:
        pto_print_text(t, "scf.execute_region");
        results(t, op);
        pto_print_text(t, pto_operation_attr(op, "no_inline") ? " no_inline " : " ");
        pto_print_region(t, op->region[0], false, false, false);
        pto_print_attr_dict(t, op, "no_inline");
        return true;
    default:
        return false;
    }
}
