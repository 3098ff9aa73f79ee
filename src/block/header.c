/* SPDX-License-Identifier: Apache-2.0 */
/* What the header of a tile block says that no run is needed to judge (70, 7.3, steps 5 and 6). */
#include "block/machine.h"

const char *pto_block_wrong_attribute(const pto_block_state *s) {
    const unsigned takes = s->op->attributes;
    const bool bytes = s->op->geometry == GEOMETRY_HISTOGRAM && s->op->types >> s->type & 1 && s->has_datr;
    return s->dr                                                                 ? "DR"
           : s->reg_dst                                                          ? "RegDst"
           : s->cmode && !(takes & DATR_CMODE)                                   ? "CMode"
           : s->rmode && !(takes & DATR_RMODE)                                   ? "RMode"
           : s->sat && !(takes & DATR_SAT)                                       ? "Sat"
           : s->canon && !(takes & DATR_CANON)                                   ? "Canon"
           : s->layout && !(takes & DATR_LAYOUT)                                 ? "Layout"
           : (s->pad == 1 || s->pad == 2) && !(takes & (DATR_PAD | DATR_BYTE))   ? "PadValue"
           : s->type2 != PTO_BLOCK_TYPE_NONE && s->type2 && !(takes & DATR_TYPE) ? "DataType"
           : s->canon && s->op->geometry == GEOMETRY_CONVERT                     ? "Canon" /* ACCCVT only */
           : bytes && s->pad >= pto_block_type_bits(s->type) / 8                 ? "ByteId"
                                                                                 : NULL;
}

unsigned pto_block_second_type(const pto_block_state *s) {
    return s->type2 == PTO_BLOCK_TYPE_NONE || !(s->op->attributes & DATR_TYPE) ? s->type : s->type2;
}

bool pto_block_second_type_fits(const pto_block_state *s) {
    const unsigned type = s->type, second = pto_block_second_type(s);
    switch (s->op->geometry) {
    case GEOMETRY_ROW_BROADCAST:
    case GEOMETRY_COL_BROADCAST: /* EXPDIF widens halves */
        return second == type || (second == BT_FP32 && (type == BT_FP16 || type == BT_BF16));
    case GEOMETRY_HISTOGRAM:
        return second == type || second == BT_U32;
    case GEOMETRY_QUANT:
        return second == BT_S8 || second == BT_U8;
    case GEOMETRY_DEQUANT:
        return second == BT_FP32 || s->type2 == PTO_BLOCK_TYPE_NONE;
    case GEOMETRY_MATMUL: /* factors of one class */
        return pto_block_type_bits(second) < 64 &&
               pto_block_type_is_float(second) == pto_block_type_is_float(type) &&
               (pto_block_type_is_float(type) ||
                pto_block_type_is_signed(second) == pto_block_type_is_signed(type));
    default:
        return true;
    }
}
