/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of scalar operations: constants, arith typing (60, 3.3). */
#include "program/verify.h"

static bool is_int(const pto_type *type) { return pto_type_int_width(type) != 0; }
static bool is_float(const pto_type *type) { return type->kind == PTO_TYPE_FLOAT; }
static unsigned bits_of(const pto_type *type) {
    return is_float(type) ? pto_dtype_bits(type->dtype) : pto_type_int_width(type);
}

static bool want(pto_verifier *v, const pto_operation *op, uint32_t i, bool ok, const char *allowed) {
    char found[PTO_TYPE_WORDS];
    if (!ok)
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, i), NULL, allowed, "%s",
                          pto_type_words(op->operand[i]->type, found));
    return ok;
}

static void want_result(pto_verifier *v, const pto_operation *op, bool ok, const char *allowed) {
    char found[PTO_TYPE_WORDS];
    if (!ok)
        pto_verify_refuse(v, "PTO-E0406", op, pto_verify_result_span(op, 0), NULL, allowed, "%s",
                          pto_type_words(op->result[0]->type, found));
}

/* All operands and the result have one type. */
static void same_types(pto_verifier *v, const pto_operation *op, int operands, bool floats) {
    if (!pto_verify_counts(v, op, operands, 1))
        return;
    const pto_type *type = op->operand[0]->type;
    if (!want(v, op, 0, floats ? is_float(type) : is_int(type),
              floats ? "a float" : "an integer of at most 64 bits or an index"))
        return;
    for (uint32_t i = 1; i < op->operand_count; i++)
        pto_verify_same_type(v, op, i, type);
    want_result(v, op, op->result[0]->type == type, "the type of the operands");
}

/* Two results: a sum and its carry, or the two halves of a product. */
static void extended(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 2, 2))
        return;
    const pto_type *type = op->operand[0]->type;
    if (!want(v, op, 0, is_int(type), "an integer of at most 64 bits or an index"))
        return;
    pto_verify_same_type(v, op, 1, type);
    want_result(v, op, op->result[0]->type == type, "the type of the operands");
    const pto_type *second = op->result[1]->type;
    bool carry = op->kind == PTO_OPK_ARITH_ADDUI_EXTENDED;
    if (carry ? second->kind == PTO_TYPE_INT && second->width == 1 : second == type)
        return;
    char found[PTO_TYPE_WORDS];
    pto_verify_refuse(v, "PTO-E0406", op, pto_verify_result_span(op, 1), NULL,
                      carry ? "i1" : "the type of the operands", "%s", pto_type_words(second, found));
}

static void compare(pto_verifier *v, const pto_operation *op, bool floats) {
    if (!pto_verify_counts(v, op, 2, 1))
        return;
    const pto_type *type = op->operand[0]->type;
    if (want(v, op, 0, floats ? is_float(type) : is_int(type), floats ? "a float" : "an integer"))
        pto_verify_same_type(v, op, 1, type);
    if (pto_fact_predicate(op) < 0)
        pto_verify_refuse(v, "PTO-E0426", op, op->name_span, "predicate",
                          floats ? "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true"
                                 : "eq ne slt sle sgt sge ult ule ugt uge",
                          "an unknown predicate");
    want_result(v, op, op->result[0]->type->kind == PTO_TYPE_INT && op->result[0]->type->width == 1, "i1");
}

static void select(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 3, 1))
        return;
    want(v, op, 0, op->operand[0]->type->kind == PTO_TYPE_INT && op->operand[0]->type->width == 1, "i1");
    const pto_type *type = op->operand[1]->type;
    pto_verify_same_type(v, op, 2, type);
    want_result(v, op, op->result[0]->type == type, "the type of the operands");
}

typedef enum cast_kind { CAST_WIDEN, CAST_NARROW, CAST_INDEX, CAST_BITS, CAST_ANY } cast_kind;

static void cast(pto_verifier *v, const pto_operation *op, bool from_float, bool to_float, cast_kind kind) {
    if (!pto_verify_counts(v, op, 1, 1))
        return;
    const pto_type *from = op->operand[0]->type, *to = op->result[0]->type;
    bool index = from->kind == PTO_TYPE_INDEX || to->kind == PTO_TYPE_INDEX;
    switch (kind) {
    case CAST_INDEX:
        if (want(v, op, 0, is_int(from), "an integer or an index"))
            want_result(v, op, is_int(to) && index && from != to, "index on exactly one side");
        return;
    case CAST_BITS:
        if (want(v, op, 0, bits_of(from) != 0 && from->kind != PTO_TYPE_INDEX, "an integer or a float"))
            want_result(v, op, bits_of(to) == bits_of(from) && to->kind != PTO_TYPE_INDEX, "equal bits");
        return;
    default:
        break;
    }
    if (!want(v, op, 0, from_float ? is_float(from) : is_int(from) && from->kind != PTO_TYPE_INDEX,
              from_float ? "a float" : "an integer"))
        return;
    bool kind_ok = to_float ? is_float(to) : is_int(to) && to->kind != PTO_TYPE_INDEX;
    bool width_ok =
        kind == CAST_ANY || (kind == CAST_WIDEN ? bits_of(to) > bits_of(from) : bits_of(to) < bits_of(from));
    want_result(v, op, kind_ok && width_ok,
                kind == CAST_WIDEN ? "a wider type" : (kind == CAST_NARROW ? "a narrower type" : "a scalar"));
}

static void constant(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 0, 1))
        return;
    pto_scalar scalar;
    if (op->result[0]->type->kind == PTO_TYPE_VECTOR)
        return; /* executed lists of tmrgsort: any dense value */
    if (!pto_fact_constant(op, &scalar)) {
        char words[PTO_TYPE_WORDS];
        pto_verify_refuse(v, "PTO-E0425", op, op->span, "value", pto_type_words(op->result[0]->type, words),
                          "a value that the type does not hold");
    }
}

void pto_verify_scalar(pto_verifier *v, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST:
        constant(v, op);
        break;
    case PTO_OPK_ARITH_CMPI:
        compare(v, op, false);
        break;
    case PTO_OPK_ARITH_CMPF:
        compare(v, op, true);
        break;
    case PTO_OPK_ARITH_SELECT:
        select(v, op);
        break;
    case PTO_OPK_ARITH_ADDUI_EXTENDED:
    case PTO_OPK_ARITH_MULSI_EXTENDED:
    case PTO_OPK_ARITH_MULUI_EXTENDED:
        extended(v, op);
        break;
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_EXTUI:
        cast(v, op, false, false, CAST_WIDEN);
        break;
    case PTO_OPK_ARITH_TRUNCI:
        cast(v, op, false, false, CAST_NARROW);
        break;
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_INDEX_CASTUI:
        cast(v, op, false, false, CAST_INDEX);
        break;
    case PTO_OPK_ARITH_EXTF:
        cast(v, op, true, true, CAST_WIDEN);
        break;
    case PTO_OPK_ARITH_TRUNCF:
        cast(v, op, true, true, CAST_NARROW);
        break;
    case PTO_OPK_ARITH_SITOFP:
    case PTO_OPK_ARITH_UITOFP:
        cast(v, op, false, true, CAST_ANY);
        break;
    case PTO_OPK_ARITH_FPTOSI:
    case PTO_OPK_ARITH_FPTOUI:
        cast(v, op, true, false, CAST_ANY);
        break;
    case PTO_OPK_ARITH_BITCAST:
        cast(v, op, false, false, CAST_BITS);
        break;
    case PTO_OPK_ARITH_NEGF:
        same_types(v, op, 1, true);
        break;
    case PTO_OPK_ARITH_ADDF:
    case PTO_OPK_ARITH_SUBF:
    case PTO_OPK_ARITH_MULF:
    case PTO_OPK_ARITH_DIVF:
    case PTO_OPK_ARITH_REMF:
    case PTO_OPK_ARITH_MINIMUMF:
    case PTO_OPK_ARITH_MAXIMUMF:
    case PTO_OPK_ARITH_MINNUMF:
    case PTO_OPK_ARITH_MAXNUMF:
        same_types(v, op, 2, true);
        break;
    default:
        if (op->kind >= PTO_OPK_ARITH_ADDI && op->kind <= PTO_OPK_ARITH_MAXUI)
            same_types(v, op, 2, false);
        else
            pto_verify_refuse(v, "PTO-E0401", op, op->name_span, NULL, NULL, "%s", pto_operation_title(op));
        break;
    }
}
