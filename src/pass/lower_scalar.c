/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of scalar operations: constants stand in registers, the rest is one op each. */
#include "pass/lower.h"

static int32_t constant(pto_lowering *l, const pto_operation *op) {
    pto_scalar scalar = {0};
    pto_register value = {0};
    if (op->result[0]->type->kind != PTO_TYPE_VECTOR && !pto_fact_constant(op, &scalar))
        pto_lower_refuse(l, "PTO-E0425", NULL);
    if (op->result[0]->type->kind == PTO_TYPE_FLOAT)
        value.f = scalar.f;
    else
        value.i = scalar.i;
    return pto_lower_new_register(l, value);
}

/* The folded value of an integer operation, when its operands are constants. */
static bool folded(pto_lowering *l, const pto_operation *op) {
    int64_t number;
    if (op->result_count != 1 || !pto_fact_int(op->result[0], &number))
        return false;
    pto_lower_set(l, op->result[0], pto_lower_new_register(l, (pto_register){.i = number}));
    return true;
}

static void arith(pto_lowering *l, const pto_operation *op) {
    if (folded(l, op))
        return;
    const pto_type *from = op->operand[op->kind == PTO_OPK_ARITH_SELECT ? 1 : 0]->type;
    const pto_type *to = op->result[0]->type;
    pto_code_op code = {.kind = (uint16_t)op->kind,
                        .width = (uint8_t)pto_type_int_width(from),
                        .to = (uint8_t)pto_type_int_width(to),
                        .dtype = (uint8_t)(to->kind == PTO_TYPE_FLOAT ? to->dtype : from->dtype)};
    if (op->kind == PTO_OPK_ARITH_CMPI || op->kind == PTO_OPK_ARITH_CMPF)
        code.flag = (uint8_t)pto_fact_predicate(op);
    else
        code.flag = to->kind != PTO_TYPE_FLOAT && pto_type_is_zero_extended(to);
    if (op->kind == PTO_OPK_ARITH_BITCAST)
        code.c = (int32_t)(from->kind == PTO_TYPE_FLOAT ? from->dtype : PTO_DTYPE_NONE);
    code.a = pto_lower_get(l, op->operand[0]);
    if (op->operand_count > 1)
        code.b = pto_lower_get(l, op->operand[1]);
    if (op->operand_count > 2)
        code.c = pto_lower_get(l, op->operand[2]);
    code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
}

/* The lower word as if there were no other, then the upper one: the carry of a sum. */
static void extended(pto_lowering *l, const pto_operation *op) {
    const pto_type *type = op->operand[0]->type, *upper = op->result[1]->type;
    bool sum = op->kind == PTO_OPK_ARITH_ADDUI_EXTENDED;
    pto_code_op code = {.kind = (uint16_t)(sum ? PTO_OPK_ARITH_ADDI : PTO_OPK_ARITH_MULI),
                        .width = (uint8_t)pto_type_int_width(type),
                        .to = (uint8_t)pto_type_int_width(type),
                        .dtype = (uint8_t)type->dtype,
                        .flag = pto_type_is_zero_extended(type),
                        .a = pto_lower_get(l, op->operand[0]),
                        .b = pto_lower_get(l, op->operand[1])};
    code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
    code.kind = (uint16_t)op->kind;
    code.to = (uint8_t)pto_type_int_width(upper);
    code.flag = pto_type_is_zero_extended(upper);
    code.dst = pto_lower_place_for(l, op->result[1]);
    pto_lower_emit(l, code);
}

static void affine_apply(pto_lowering *l, const pto_operation *op) {
    int64_t factor;
    if (folded(l, op))
        return;
    if (!pto_fact_affine_factor(op, &factor)) {
        pto_lower_refuse(l, "PTO-E0912", "a map that is no symbol times a constant");
        return;
    }
    pto_code_op code = {
        .kind = PTO_OPK_ARITH_MULI, .width = 64, .to = 64, .a = pto_lower_get(l, op->operand[0])};
    code.b = pto_lower_new_register(l, (pto_register){.i = factor});
    code.dst = pto_lower_place_for(l, op->result[0]);
    pto_lower_emit(l, code);
}

/* A select of tiles or views is a choice of handles. */
static void select(pto_lowering *l, const pto_operation *op) {
    const pto_type *type = op->result[0]->type;
    if (pto_type_is_scalar(type)) {
        arith(l, op);
        return;
    }
    int32_t place = pto_lower_place_for(l, op->result[0]);
    int32_t condition = pto_lower_get(l, op->operand[0]);
    int32_t branch = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP_UNLESS, .a = condition});
    pto_lower_moves(l, 1, &op->operand[1], &place);
    int32_t skip = pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_JUMP});
    if (!l->failed)
        l->ops.data[branch].extra = pto_lower_here(l);
    pto_lower_moves(l, 1, &op->operand[2], &place);
    if (!l->failed)
        l->ops.data[skip].extra = pto_lower_here(l);
}

void pto_lower_scalar(pto_lowering *l, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_ARITH_CONSTANT:
    case PTO_OPK_AS_CONST:
        pto_lower_set(l, op->result[0], constant(l, op));
        break;
    case PTO_OPK_ARITH_SELECT:
        select(l, op);
        break;
    case PTO_OPK_ARITH_ADDUI_EXTENDED:
    case PTO_OPK_ARITH_MULSI_EXTENDED:
    case PTO_OPK_ARITH_MULUI_EXTENDED:
        extended(l, op);
        break;
    case PTO_OPK_AFFINE_APPLY:
        affine_apply(l, op);
        break;
    case PTO_OPK_GET_BLOCK_IDX:
    case PTO_OPK_GET_BLOCK_NUM:
    case PTO_OPK_GET_SUBBLOCK_IDX:
    case PTO_OPK_GET_SUBBLOCK_NUM: {
        int32_t dst = pto_lower_place_for(l, op->result[0]);
        pto_lower_emit(l, (pto_code_op){.kind = (uint16_t)op->kind, .dst = dst});
        break;
    }
    case PTO_OPK_PRINT: {
        const pto_type *type = op->operand_count ? op->operand[0]->type : NULL;
        pto_code_op code = {.kind = (uint16_t)op->kind, .a = -1};
        if (type) {
            code.a = pto_lower_get(l, op->operand[0]);
            code.flag = type->kind == PTO_TYPE_FLOAT;
        }
        pto_lower_emit(l, code);
        break;
    }
    case PTO_OPK_TRAP:
        pto_lower_emit(l, (pto_code_op){.kind = (uint16_t)op->kind});
        break;
    default:
        if (op->kind >= PTO_OPK_ARITH_ADDI && op->kind <= PTO_OPK_ARITH_BITCAST) {
            arith(l, op);
        } else {
            pto_lower_refuse(l, "PTO-E0912", pto_op_kind_name(op->kind));
        }
        break;
    }
}
