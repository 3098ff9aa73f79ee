/* SPDX-License-Identifier: Apache-2.0 */
/* The generic MLIR form as text (60, 3.2, 3.9.8). */
#include "text/mlir.h"
#include "text/print.h"

#include <string.h>

static bool is_prop(const pto_operation *op, pto_str name) {
    if (op->kind == PTO_OPK_INSTR) {
        const pto_form_desc *form = pto_form_get(op->form);
        for (int i = 0; i < form->operand_count; i++)
            if (form->operand[i].role == PTO_ROLE_ATTR &&
                pto_str_equal(name, pto_str_from(form->operand[i].attr_key)))
                return true;
        return false;
    }
    const pto_op_shape *shape = pto_op_shape_of(op->kind);
    for (const char *at = shape ? shape->props : ""; *at;) {
        size_t len = strcspn(at, " ");
        size_t bare = len - (at[len - 1] == '?');
        if (pto_str_equal(name, (pto_str){at, bare}))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

static void sizes(pto_text_printer *t, const uint32_t *segment, uint32_t count) {
    pto_print_text(t, "operandSegmentSizes = array<i32");
    for (uint32_t i = 0; i < count; i++)
        pto_sink_printf(&t->sink, "%s%u", i ? ", " : ": ", segment[i]);
    pto_sink_char(&t->sink, '>', 1);
}

static void case_values(pto_text_printer *t, const pto_attr *values) {
    pto_print_text(t, "case_values = dense<[");
    for (uint32_t i = 0; i < values->count; i++)
        pto_sink_printf(&t->sink, "%s%lld", i ? ", " : "", (long long)values->dense[i]);
    pto_sink_printf(&t->sink, "]> : tensor<%ux", values->count);
    pto_print_type(t, values->type);
    pto_sink_char(&t->sink, '>', 1);
}

/* Inherent attributes in `<{..}>`, the others in ` {..}`. */
static void props(pto_text_printer *t, const pto_operation *op, bool inherent, const uint32_t *segment,
                  uint32_t segment_count) {
    bool any = false;
    const char *open = inherent ? " <{" : " {";
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (is_prop(op, op->attr[i].name) != inherent)
            continue;
        pto_print_text(t, any ? ", " : open);
        any = true;
        if (op->kind == PTO_OPK_CF_SWITCH && pto_str_equal(op->attr[i].name, PTO_STR("case_values")))
            case_values(t, op->attr[i].value);
        else
            pto_text_print_named_attr(&t->sink, &op->attr[i]);
    }
    if (segment_count) {
        pto_print_text(t, any ? ", " : open);
        any = true;
        sizes(t, segment, segment_count);
    }
    if (any)
        pto_print_text(t, inherent ? "}>" : "}");
}

/* operandSegmentSizes of an instruction, where the dialect or an ambiguity asks for it. */
static uint32_t instr_segments(const pto_operation *op, uint32_t inputs, uint32_t outputs,
                               uint32_t *segment) {
    const pto_form_desc *form = pto_form_get(op->form);
    if (!strcmp(form->mnemonic, "TLOAD") || !strcmp(form->mnemonic, "TMOV")) {
        uint32_t count = form->mnemonic[1] == 'L' ? 6 : 4;
        memset(segment, 0, count * sizeof *segment);
        segment[0] = segment[1] = 1;
        if (count == 4 && inputs > 1) { /* tmov: fp or tmp, or a preQuant scalar */
            bool scalar = false;
            for (int i = 0; i < form->operand_count; i++)
                scalar |= form->operand[i].role == PTO_ROLE_SCALAR && op->operand[i];
            segment[scalar ? 3 : 2] = 1;
        }
        return count;
    }
    /* Two results without scratch look like one result with it. */
    bool scratch = false;
    for (int i = 0; i < form->operand_count; i++)
        scratch |= form->operand[i].role == PTO_ROLE_TMP && form->operand[i].optional && !op->operand[i];
    if (outputs < 2 || !scratch)
        return 0;
    segment[0] = inputs;
    segment[1] = 0;
    segment[2] = outputs;
    return 3;
}

void pto_print_generic(pto_text_printer *t, const pto_operation *op) {
    pto_value *values[PTO_MAX_OPERANDS];
    pto_value *const *operands = op->operand;
    uint32_t count = op->operand_count;
    uint32_t segment[8];
    uint32_t segment_count = op->segment_count;
    pto_str name = op->name;
    memcpy(segment, op->segment, sizeof segment);
    pto_print_results(t, op);
    if (op->kind == PTO_OPK_INSTR) {
        const pto_form_desc *form = pto_form_get(op->form);
        const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
        if (!pattern->opcode) {
            pto_print_refuse(t, op, "%s (%s) has no spelling in generic form", form->mnemonic, form->form);
            return;
        }
        int8_t order[PTO_MAX_OPERANDS + 1];
        pto_mlir_ir_order(form, order);
        count = pto_print_present(op, order, values);
        operands = values;
        uint32_t outputs = 0;
        for (int i = 0; pattern->result[i] >= 0; i++)
            outputs++;
        segment_count = instr_segments(op, count - outputs, outputs, segment);
        name = pto_str_from(pattern->opcode);
    } else if (op->kind == PTO_OPK_AS_CONST) {
        name = PTO_STR("arith.constant");
    } else if (op->kind == PTO_OPK_ALLOC_TILE && op->result[0]->type->tile.conv) {
        name = PTO_STR("pto.alloc_conv_tile");
    } else if (op->kind != PTO_OPK_UNKNOWN) {
        name = pto_str_from(pto_op_kind_name(op->kind));
    }
    pto_print_string(t, name);
    pto_sink_char(&t->sink, '(', 1);
    pto_print_values(t, operands, count);
    pto_sink_char(&t->sink, ')', 1);
    for (uint32_t i = 0; i < op->successor_count; i++) {
        pto_print_text(t, i ? ", " : "[");
        pto_print_label(t, op->successor[i]);
    }
    pto_print_text(t, op->successor_count ? "]" : "");
    props(t, op, true, segment, segment_count);
    for (uint32_t i = 0; i < op->region_count; i++) {
        pto_print_text(t, i ? ", " : " (");
        bool isolated = op->kind == PTO_OPK_MODULE || op->kind == PTO_OPK_FUNC;
        pto_print_region(t, op->region[i], isolated, true, false);
    }
    pto_print_text(t, op->region_count ? ")" : "");
    props(t, op, false, NULL, 0);
    pto_print_text(t, " : (");
    pto_print_value_types(t, operands, count);
    pto_print_text(t, ") -> ");
    bool bare = op->result_count == 1 && op->result[0]->type->kind != PTO_TYPE_FUNCTION;
    pto_print_text(t, bare ? "" : "(");
    pto_print_value_types(t, op->result, op->result_count);
    pto_print_text(t, bare ? "" : ")");
}
