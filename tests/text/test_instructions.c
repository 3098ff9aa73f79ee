/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of the table in level 2 and in generic form, written here from its schema, with and without its
 * optional operands and with every attribute. */
#include "text_test.h"
#include <pto/ops.h>

/* Text under construction. */
typedef struct line {
    char text[4096];
    size_t len;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    l->len += (size_t)vsnprintf(l->text + l->len, sizeof l->text - l->len, format, arguments);
    va_end(arguments);
    assert_true(l->len < sizeof l->text);
}

/* The source lives where the form takes it from: that tells forms of the same operands apart. */
static const char *type_of(const pto_form_desc *form, const pto_operand_desc *operand) {
    static const char *const types[] = {"!pto.tile_buf<vec, 16x32xf32>", "!pto.tile_buf<mat, 16x32xf32>",
                                        "!pto.tile_buf<left, 16x32xf32>", "!pto.tile_buf<right, 16x32xf32>",
                                        "!pto.tile_buf<acc, 16x32xf32>"};
    int loc = form->pipes[0].src_loc;
    if (operand->role == PTO_ROLE_IN && !operand->is_global && !strcmp(operand->name, "src") && loc >= 0)
        return types[loc];
    if (operand->conv == PTO_CONV_YES)
        return "!pto.conv_tile<mat, NC1HWC0, 1x2x4x4x8xf32, filter_h = 3>";
    if (operand->is_counts)
        return "vector<4xi16>";
    if (operand->role == PTO_ROLE_SCALAR)
        return operand->fixed_dtype == PTO_S64 ? "i64" : "f32";
    return operand->is_global ? "!pto.partition_tensor_view<16x32xf32>" : "!pto.tile_buf<vec, 16x32xf32>";
}

static bool is_text_operand(const pto_operand_desc *o) { return o->role != PTO_ROLE_ATTR; }

/* `%a, %b attrs : T, T` of the positions of a pattern. */
static void add_group(line *l, const pto_form_desc *form, const int8_t *positions, uint8_t optional_mask,
                      bool optional, const char *attrs) {
    for (int pass = 0; pass < 2; pass++) {
        bool first = true;
        if (pass)
            add(l, "%s : ", attrs);
        for (int i = 0; positions[i] >= 0; i++) {
            const pto_operand_desc *o = &form->operand[positions[i]];
            if (((optional_mask >> i) & 1) && !optional)
                continue;
            if (pass)
                add(l, "%s%s", first ? "" : ", ", type_of(form, o));
            else
                add(l, "%s%%%s", first ? "" : ", ", o->name);
            first = false;
        }
    }
}

static const char *attr_value(pto_attr_kind kind) {
    switch (kind) {
    case PTO_ATTR_BOOL:
        return "true";
    case PTO_ATTR_INT:
        return "3 : i32";
    case PTO_ATTR_ROUND_MODE:
        return "#pto<round_mode FLOOR>";
    case PTO_ATTR_SAT_MODE:
        return "#pto<saturation_mode OFF>";
    case PTO_ATTR_CMP_MODE:
        return "#pto<cmp lt>";
    case PTO_ATTR_ST_PHASE:
        return "#pto<st_phase final>";
    case PTO_ATTR_ATOMIC:
        return "#pto<atomic_type atomic_add>";
    case PTO_ATTR_RELU:
        return "#pto<relu_pre_mode normal_relu>";
    case PTO_ATTR_ACC_TO_VEC:
        return "#pto.acc_to_vec_mode<dual_mode_split_m>";
    case PTO_ATTR_PRECISION:
        return "#pto<precision high>";
    case PTO_ATTR_PRINT_FORMAT:
        return "#pto<print_format Width10_Precision6>";
    case PTO_ATTR_MASK_PATTERN:
        return "#pto.mask_pattern<P0010>";
    case PTO_ATTR_SELECT_AXIS:
        return "#pto<select_axis col>";
    case PTO_ATTR_COALESCE:
        return "#pto<coalesce elem>";
    case PTO_ATTR_GATHER_OOB:
        return "#pto<gather_oob wrap>";
    case PTO_ATTR_SCATTER_OOB:
        return "#pto<scatter_oob skip>";
    case PTO_ATTR_SCATTER_ATOMIC:
        return "#pto<scatter_atomic_op max>";
    case PTO_ATTR_SCATTER_CONFLICT:
        return "#pto<scatter_conflict last>";
    case PTO_ATTR_PAD_VALUE:
        return "#pto.pad_value<max>";
    case PTO_ATTR_INSERT_MODE:
        return "#pto<insert_mode split4>";
    case PTO_ATTR_DTYPE:
        return "f16";
    case PTO_ATTR_FMATRIX:
        return "#pto<fmatrix b_auto>";
    case PTO_ATTR_QUANT_TYPE:
        return "#pto<quant_type INT8_ASYM>";
    case PTO_ATTR_MX_QUANT_ALG:
        return "#pto<mx_quant_alg OcpMxFp4E2M1>";
    case PTO_ATTR_GROUP_AXIS:
        return "#pto<group_axis dn>";
    case PTO_ATTR_VEC_STORE_MODE:
        return "#pto<vec_store_mode nz>";
    case PTO_ATTR_NONE:
        break;
    }
    fail();
    return "";
}

static void write_form(line *l, const pto_form_desc *form, bool optional, bool attributes) {
    const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
    char attrs[512] = "";
    bool any = false, outputs = pattern->result[0] >= 0, results = pattern->spelling[0] == '%';
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *o = &form->operand[i];
        if (o->role == PTO_ROLE_ATTR && attributes) {
            snprintf(attrs + strlen(attrs), sizeof attrs - strlen(attrs), "%s%s = %s", any ? ", " : " {",
                     o->attr_key, attr_value(o->attr));
            any = true;
        }
    }
    if (any)
        strcat(attrs, "}");
    add(l, "func.func @f(");
    bool first = true;
    for (int i = 0; i < form->operand_count; i++)
        if (is_text_operand(&form->operand[i])) {
            add(l, "%s%%%s: %s", first ? "" : ", ", form->operand[i].name, type_of(form, &form->operand[i]));
            first = false;
        }
    add(l, ") {\n  ");
    if (results) {
        add(l, "%%new = %s ", pattern->opcode);
        first = true;
        for (int i = 0; pattern->operand[i] >= 0; i++, first = false)
            add(l, "%s%%%s", first ? "" : ", ", form->operand[pattern->operand[i]].name);
        add(l, " : %s -> %s", type_of(form, &form->operand[pattern->operand[0]]),
            "!pto.tile_buf<vec, 32x16xf32>");
    } else {
        add(l, "%s ins(", pattern->opcode);
        if (pattern->operand[0] >= 0)
            add_group(l, form, pattern->operand, pattern->optional_mask, optional,
                      pattern->attr_in_ins ? attrs : "");
        add(l, ")");
        if (outputs) {
            add(l, " outs(");
            add_group(l, form, pattern->result, 0, true, "");
            add(l, ")");
        }
        add(l, "%s", pattern->attr_in_ins ? "" : attrs);
    }
    add(l, "\n  return\n}\n");
}

/* Without attributes a line is read as the first form of its operands; the others say the same by default. */
static bool same_line(pto_form a, pto_form b) {
    if (a == PTO_FORM_TMOV_FP && b == PTO_FORM_TMOV_FP_MODE) /* tmov with a table and no mode is tmov.fp */
        return true;
    const pto_text_pattern *x = &pto_form_get(a)->text[PTO_TEXT_LEVEL2],
                           *y = &pto_form_get(b)->text[PTO_TEXT_LEVEL2];
    int i = 0, k = 0;
    while (x->operand[i] >= 0 && y->operand[i] >= 0)
        i++;
    while (x->result[k] >= 0 && y->result[k] >= 0)
        k++;
    return !strcmp(x->opcode, y->opcode) && x->operand[i] == y->operand[i] && x->result[k] == y->result[k];
}

static void every_form_round_trips(void **state) {
    (void)state;
    for (int f = 0; f < PTO_FORM_COUNT; f++)
        for (int variant = 0; variant < 4; variant++) {
            const pto_form_desc *form = pto_form_get((pto_form)f);
            if (!form->text[PTO_TEXT_LEVEL2].opcode)
                continue;
            line l = {.len = 0};
            bool optional = variant & 1;
            /* tcolsum {isBinary} without scratch, tprint of either kind and so on: the form must come back.
             */
            write_form(&l, form, optional, variant & 2);
            pto_program *program = text_parse(l.text, l.len);
            pto_operation *op = pto_function_body(pto_program_first_function(program))->first;
            assert_int_equal(op->kind, PTO_OPK_INSTR);
            if (!(variant & 2) && same_line(op->form, (pto_form)f)) {
                pto_program_destroy(program);
                continue;
            }
            if (op->form != (pto_form)f) {
                fprintf(stderr, "%s\nread as %s %s, not %s\n", l.text, pto_form_get(op->form)->mnemonic,
                        pto_form_get(op->form)->form, form->form);
                fail();
            }
            /* Operands stand at their schema positions: the names are those of the schema. */
            for (uint32_t i = 0; i < op->operand_count; i++)
                if (op->operand[i])
                    assert_true(pto_str_equal(op->operand[i]->name,
                                              pto_str_from(pto_form_get(op->form)->operand[i].name)));
            pto_program_destroy(program);
            text_round_trip(l.text);
        }
}

/* Values of attributes are those of pto/types.h for the executor. */
static void attributes_have_isa_values(void **state) {
    (void)state;
    const char *source =
        "func.func @f(%a: !pto.tile_buf<...>) {\n"
        " pto.tcvt ins(%a {rmode = #pto.round_mode<cast_ceil>, sat_mode = #pto<saturation_mode off>} : "
        "!pto.tile_buf<...>) outs(%a : !pto.tile_buf<...>)\n"
        " pto.tcvt ins(%a {rmode = #pto<round_mode CAST_RINT>} : !pto.tile_buf<...>) outs(%a : "
        "!pto.tile_buf<...>)\n return\n}";
    pto_program *program = text_parse(source, strlen(source));
    pto_operation *op = pto_function_body(pto_program_first_function(program))->first;
    int64_t value;
    assert_true(pto_attr_isa_value(PTO_ATTR_ROUND_MODE, pto_operation_attr(op, "rmode"), &value));
    assert_int_equal(value, PTO_CAST_CEIL);
    assert_true(pto_attr_isa_value(PTO_ATTR_SAT_MODE, pto_operation_attr(op, "sat_mode"), &value));
    assert_int_equal(value, PTO_SAT_OFF);
    assert_false(pto_attr_isa_value(PTO_ATTR_BOOL, pto_operation_attr(op, "rmode"), &value));
    assert_true(pto_attr_isa_value(PTO_ATTR_ROUND_MODE, pto_operation_attr(op->next, "rmode"), &value));
    assert_int_equal(value, PTO_CAST_RINT);
    pto_program_destroy(program);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_round_trips),
        cmocka_unit_test(attributes_have_isa_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
