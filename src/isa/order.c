/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/order.h"

#include <string.h>

bool pto_pipe_is_ordered(pto_target target, pto_pipe pipe) {
    switch (target) {
    case PTO_TARGET_A2A3:
        return pipe != PTO_PIPE_V && pipe != PTO_PIPE_MTE3;
    case PTO_TARGET_A5:
        return pipe != PTO_PIPE_MTE2 && pipe != PTO_PIPE_MTE3;
    default:
        return true;
    }
}

pto_pipe pto_form_execution_pipe(const pto_form_desc *form, const int loc[PTO_MAX_OPERANDS]) {
    int src = -1, dst = -1;
    for (int i = 0; i < form->operand_count; i++) {
        pto_role role = form->operand[i].role;
        if (role == PTO_ROLE_IN && src < 0)
            src = loc[i];
        if ((role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT) && dst < 0)
            dst = loc[i];
    }
    return pto_form_pipe(form, src, dst);
}

bool pto_form_drains(const pto_form_desc *form, pto_pipe pipe) {
    return pipe == PTO_PIPE_ALL || !strcmp(form->family, "debug");
}

bool pto_form_only_binds(const pto_form_desc *form) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].binds)
            return true;
    return false;
}

bool pto_role_reads(pto_role role) { return role == PTO_ROLE_IN || role == PTO_ROLE_INOUT; }

bool pto_role_writes(pto_role role) {
    return role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT || role == PTO_ROLE_TMP;
}

int pto_form_atomic_operand(const pto_form_desc *form) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].attr == PTO_ATTR_ATOMIC || form->operand[i].attr == PTO_ATTR_SCATTER_ATOMIC)
            return i;
    return -1;
}

bool pto_tile_write_fills(const pto_tile_type *type) {
    return type->pad != PTO_PAD_NULL || type->loc == PTO_LOC_MAT || type->slayout != PTO_NONE_BOX;
}
