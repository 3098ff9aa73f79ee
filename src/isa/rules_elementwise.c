/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the elementwise and tile-scalar families (parts 10 and 20, 2). */
#include "isa/rules_shared.h"

void pto_rule_tmp_covers(pto_legality *, const pto_rule_use *);
void pto_rule_tmp_given(pto_legality *, const pto_rule_use *);
void pto_rule_tmp_type(pto_legality *, const pto_rule_use *);
void pto_rule_not_in_place_float(pto_legality *, const pto_rule_use *);
void pto_rule_expands_location(pto_legality *, const pto_rule_use *);

/* tmp_covers(tmp, dst): the scratch's valid region holds dst's, where one is given */
void pto_rule_tmp_covers(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]];
    const pto_legality_operand *dst = &legality->operand[use->arg[1]];
    if (tmp->kind != PTO_OPERAND_TILE)
        return;
    const bool rows = tmp->valid_rows < 0 || dst->valid_rows < 0 || tmp->valid_rows >= dst->valid_rows;
    const bool cols = tmp->valid_cols < 0 || dst->valid_cols < 0 || tmp->valid_cols >= dst->valid_cols;
    if (!rows || !cols)
        pto_legality_refuse(legality, "PTO-E0500", use->arg[0], "the valid region of dst or more", "%d x %d",
                            tmp->valid_rows, tmp->valid_cols);
}

/* tmp_given(tmp): nobody could make the scratch tile, and the hardware uses it (10, 11.4) */
void pto_rule_tmp_given(pto_legality *legality, const pto_rule_use *use) {
    if (legality->explicit_tmp && legality->operand[use->arg[0]].kind == PTO_OPERAND_ABSENT)
        pto_legality_refuse(legality, "PTO-E0329", use->arg[0], "a scratch tile", "nothing");
}

/* tmp_type(tmp, dst): the scratch has dst's element type, where one is given */
void pto_rule_tmp_type(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]];
    const pto_dtype wanted = legality->operand[use->arg[1]].type.dtype;
    if (tmp->kind == PTO_OPERAND_TILE && tmp->type.dtype != wanted)
        pto_legality_refuse(legality, "PTO-E0303", use->arg[0], pto_dtype_name(wanted), "%s",
                            pto_dtype_name(tmp->type.dtype));
}

/* not_in_place_float(dst, src): integers run in a scalar loop there, which is safe in place (10, 1.6) */
void pto_rule_not_in_place_float(pto_legality *legality, const pto_rule_use *use) {
    if (pto_dtype_is_float(legality->operand[use->arg[0]].type.dtype))
        pto_rule_not_in_place(legality, use);
}

/* TEXPANDS fills Vec and Mat tiles; the NPUs address Vec tiles by rows and Mat tiles by 1..32767 blocks. */
void pto_rule_expands_location(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *type = &legality->operand[0].type;
    const bool npu = legality->target != PTO_TARGET_CPU;
    if (type->loc != PTO_LOC_VEC && type->loc != PTO_LOC_MAT) {
        pto_legality_refuse(legality, "PTO-E0501", 0, "vec, mat", "%s", pto_loc_name(type->loc));
    } else if (npu && type->loc == PTO_LOC_VEC && !pto_tile_type_is_flat_row_major(type)) {
        pto_legality_refuse(legality, "PTO-E0321", 0, "ND (row_major, none_box)", "%s",
                            pto_tile_type_layout_name(type));
    } else if (npu && type->loc == PTO_LOC_MAT && pto_tile_type_bytes(type) / 32 > 32767) {
        pto_legality_refuse(legality, "PTO-E0502", 0, "1..32767 blocks of 32 bytes", "%llu",
                            (unsigned long long)(pto_tile_type_bytes(type) / 32));
    }
}
