/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of TFILLPAD, TCONCAT, TINTERLEAVE, TDEINTERLEAVE, TPREFETCH, TGET_SCALE_ADDR and of the boxing of
 * scale exponents (part 30). */
#include "isa/dtype_set.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

static bool is_npu(const pto_legality *legality) { return legality->target != PTO_TARGET_CPU; }

/* ---- TFILLPAD: dst, src[, padValue] ---- */

void pto_rule_fillpad_pad(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if (legality->operand[0].type.pad == PTO_PAD_NULL)
        pto_legality_refuse(legality, "PTO-E0770", 0, "pad zero, max, min or custom", "pad null");
}

static void check_capacity(pto_legality *legality, bool larger) {
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    bool equal = dst->rows == src->rows && dst->cols == src->cols;
    if (equal || (larger && dst->rows >= src->rows && dst->cols >= src->cols))
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%s%d x %d, as src", larger ? "at least " : "", src->rows, src->cols);
    pto_legality_refuse(legality, "PTO-E0771", 0, allowed, "%d x %d", dst->rows, dst->cols);
}

void pto_rule_fillpad_capacity(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_capacity(legality, false);
}
void pto_rule_fillpad_expand(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_capacity(legality, true);
}

/* In place: one storage, else the valid region is copied as by TFILLPAD. */
void pto_rule_fillpad_in_place(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    pto_overlap overlap = pto_legality_overlap(legality, 0, 1);
    bool known = (dst->host && src->host) || (dst->addr_known && src->addr_known);
    if (overlap == PTO_OVERLAP_SHIFTED)
        pto_rule_overlap_same_start(legality, use);
    else if (overlap == PTO_OVERLAP_NONE && known)
        pto_legality_refuse(legality, "PTO-W0772", 0, "the storage of src", "another tile");
}

/* The mat form: boxes in mat, of one type, zero unless the target is cpu. */
void pto_rule_fillpad_mat(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    const pto_legality_operand *pad = &legality->operand[2];
    for (int i = 0; i < 2; i++) {
        const pto_tile_type *type = &legality->operand[i].type;
        if (type->loc != PTO_LOC_MAT) {
            pto_legality_refuse(legality, "PTO-E0773", i, "mat", "%s", pto_loc_name(type->loc));
            return;
        }
        if (type->blayout != PTO_COL_MAJOR || type->slayout != PTO_BOX_ROW_MAJOR) {
            pto_legality_refuse(legality, "PTO-E0773", i, "Nz", "%s", pto_tile_type_layout_name(type));
            return;
        }
        if (type->pad != PTO_PAD_NULL && type->pad != PTO_PAD_ZERO) {
            pto_legality_refuse(legality, "PTO-E0773", i, "pad null or zero", "pad 0x%llx",
                                (unsigned long long)type->pad);
            return;
        }
    }
    if (dst->dtype != src->dtype || dst->rows != src->rows || dst->cols != src->cols ||
        dst->fractal != src->fractal || dst->compact != src->compact)
        pto_legality_refuse(legality, "PTO-E0773", 0, "the type of src", "%s %d x %d",
                            pto_dtype_name(dst->dtype), dst->rows, dst->cols);
    else if (pad->value_known && (pad->value.i < 0 || pad->value.i > (is_npu(legality) ? 1 : 3)))
        pto_legality_refuse(legality, "PTO-E0773", 2,
                            is_npu(legality) ? "null, zero" : "null, zero, max, min", "%lld",
                            (long long)pad->value.i);
}

/* ---- TCONCAT ---- */

/* Rows of every tile equal those of the destination. */
void pto_rule_concat_rows(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int32_t rows = legality->operand[0].valid_rows;
    for (int i = 1; i < legality->form->operand_count; i++) {
        int32_t have = legality->operand[i].valid_rows;
        if (rows < 0 || have < 0 || have == rows || legality->operand[i].kind != PTO_OPERAND_TILE)
            continue;
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d rows, as dst", rows);
        pto_legality_refuse(legality, "PTO-E0323", i, allowed, "%d rows", have);
    }
}

/* dst, src0, src1: the plain form */
void pto_rule_concat_width(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0];
    int64_t a = legality->operand[1].valid_cols, b = legality->operand[2].valid_cols;
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    int64_t room = a2a3 ? dst->type.cols : dst->valid_cols;
    if (a < 0 || b < 0 || room < 0 || a + b == room || (a2a3 && a + b < room))
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%s%lld columns", a2a3 ? "at most " : "", (long long)room);
    pto_legality_refuse(legality, "PTO-E0774", 0, allowed, "%lld + %lld columns", (long long)a, (long long)b);
}

/* concat_index(index...): integers of up to 4 bytes, one type, a column. The first one is written where its
 * name is dstIdx: then it has that column alone. */
void pto_rule_concat_index(pto_legality *legality, const pto_rule_use *use) {
    const uint32_t set = DTYPES(PTO_S8) | DTYPES(PTO_U8) | DTYPES(PTO_S16) | DTYPES(PTO_U16) |
                         DTYPES(PTO_S32) | DTYPES(PTO_U32);
    for (int k = 0; k < use->arg_count; k++) {
        const pto_legality_operand *index = &legality->operand[use->arg[k]];
        bool written = legality->form->operand[use->arg[k]].role == PTO_ROLE_OUT;
        if (!dtype_in(index->type.dtype, set))
            pto_legality_refuse(legality, "PTO-E0775", use->arg[k], "s8 u8 s16 u16 s32 u32", "%s",
                                pto_dtype_name(index->type.dtype));
        else if (index->valid_cols == 0 || (written && index->valid_cols > 1))
            pto_legality_refuse(legality, "PTO-E0775", use->arg[k],
                                written ? "one valid column" : "at least one valid column", "%d",
                                index->valid_cols);
    }
}

/* ---- TINTERLEAVE, TDEINTERLEAVE ---- */

/* interleave_even(dst0): two sources make a stream that is cut in the middle of a pair otherwise */
void pto_rule_interleave_even(pto_legality *legality, const pto_rule_use *use) {
    int32_t cols = legality->operand[use->arg[0]].valid_cols;
    if (cols >= 0 && cols % 2)
        pto_legality_refuse(legality, "PTO-E0776", use->arg[0], "an even number of columns", "%d", cols);
}

/* dst1, dst0, src: twice as many columns in the source */
void pto_rule_deinterleave_one(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[1], *src = &legality->operand[2];
    pto_legality_require_valid(legality, 1, 0);
    if (legality->failed || dst->valid_rows < 0 || dst->valid_cols < 0 || src->valid_rows < 0 ||
        src->valid_cols < 0)
        return;
    if (src->valid_rows == dst->valid_rows && src->valid_cols == 2 * (int64_t)dst->valid_cols)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%d x %lld", dst->valid_rows, 2 * (long long)dst->valid_cols);
    pto_legality_refuse(legality, "PTO-E0777", 2, allowed, "%d x %d", src->valid_rows, src->valid_cols);
}

/* ---- TPREFETCH, TGET_SCALE_ADDR ---- */

/* prefetch_extents: of the tensor */
void pto_rule_prefetch_tensor(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int d = 0; d < 5; d++)
        if (legality->operand[1].shape[d] == 0 || legality->operand[1].shape[d] < PTO_UNKNOWN)
            pto_legality_refuse(legality, "PTO-E0705", 1, "at least 1", "extent %lld of dimension %d",
                                (long long)legality->operand[1].shape[d], d);
}

/* dst in the scale memory of the side of src */
void pto_rule_scale_side(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_loc dst = legality->operand[0].type.loc, src = legality->operand[1].type.loc;
    if ((src == PTO_LOC_LEFT && dst == PTO_LOC_SCALE_LEFT) ||
        (src == PTO_LOC_RIGHT && dst == PTO_LOC_SCALE_RIGHT))
        return;
    pto_legality_refuse(legality, "PTO-E0786", 0, "left to scale_left, right to scale_right", "%s to %s",
                        pto_loc_name(src), pto_loc_name(dst));
}

/* The payload has an address, and its sixteenth is a place for the scales. */
void pto_rule_scale_address(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    if (!src->addr_known) {
        if (src->host)
            pto_legality_refuse(legality, "PTO-E0787", 1, "a tile with an address", "no address");
        return;
    }
    uint64_t addr = src->addr >> 4, bytes = pto_tile_type_bytes(&dst->type);
    uint32_t capacity = legality->memory_bytes[dst->type.loc];
    if (!capacity)
        capacity = pto_loc_capacity(legality->target, dst->type.loc);
    if (addr % 32 || addr + bytes > capacity) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "a multiple of 32, up to %llu",
                 (unsigned long long)(capacity >= bytes ? capacity - bytes : 0));
        pto_legality_refuse(legality, "PTO-E0787", 1, allowed, "address %llu / 16 = %llu",
                            (unsigned long long)src->addr, (unsigned long long)addr);
    }
}

/* ---- TMOV of scale exponents: dst, src, tmp, grpAxis ---- */

void pto_rule_boxing_layout(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type;
    const pto_legality_operand *src = &legality->operand[1], *axis = &legality->operand[3];
    if (dst->loc != PTO_LOC_VEC && dst->loc != PTO_LOC_MAT)
        pto_legality_refuse(legality, "PTO-E0788", 0, "vec, mat", "%s", pto_loc_name(dst->loc));
    else if (dst->slayout != PTO_BOX_ROW_MAJOR)
        pto_legality_refuse(legality, "PTO-E0788", 0, "row-major boxes", "%s",
                            pto_tile_type_layout_name(dst));
    for (int i = 1; i < 3; i++)
        if (legality->operand[i].kind == PTO_OPERAND_TILE && legality->operand[i].type.loc != PTO_LOC_VEC)
            pto_legality_refuse(legality, "PTO-E0788", i, "vec", "%s",
                                pto_loc_name(legality->operand[i].type.loc));
    if (!pto_tile_type_is_flat_row_major(&src->type))
        pto_legality_refuse(legality, "PTO-E0788", 1, "ND", "%s", pto_tile_type_layout_name(&src->type));
    else if (is_npu(legality) && src->valid_cols >= 0 && src->valid_cols != src->type.cols)
        pto_legality_refuse(legality, "PTO-E0788", 1, "packed rows: all columns valid", "%d of %d",
                            src->valid_cols, src->type.cols);
    if (axis->value_known && axis->value.i != 0 && axis->value.i != 1)
        pto_legality_refuse(legality, "PTO-E0714", 3, "0, 1", "%lld", (long long)axis->value.i);
}

void pto_rule_boxing_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1],
                               *axis = &legality->operand[3];
    bool columns = !axis->value_known || axis->value.i != 0; /* pairs of columns: grpAxis 1, the default */
    int64_t rows = columns ? dst->valid_rows : src->valid_rows,
            cols = columns ? dst->valid_cols : src->valid_cols;
    if (rows < 0 || cols < 0)
        return;
    if (columns ? cols % 2 != 0 : rows % 2 != 0 || cols % 16 != 0) {
        pto_legality_refuse(legality, "PTO-E0789", columns ? 0 : 1,
                            columns ? "an even number of columns"
                                    : "an even number of rows, 16 columns a box",
                            "%lld x %lld", (long long)rows, (long long)cols);
        return;
    }
    if (columns) {
        pto_legality_require_valid(legality, 0, 1);
        if (legality->failed)
            return;
    }
    uint64_t bytes = columns ? (uint64_t)((rows + 15) / 16 * 16 * cols) : (uint64_t)(rows * cols);
    if (pto_tile_type_bytes(&dst->type) < bytes) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at least %llu bytes", (unsigned long long)bytes);
        pto_legality_refuse(legality, "PTO-E0789", 0, allowed, "%llu bytes",
                            (unsigned long long)pto_tile_type_bytes(&dst->type));
    }
    if (columns && legality->operand[2].kind == PTO_OPERAND_TILE)
        pto_legality_require_tmp_bytes(legality, 2, (uint64_t)(32 + (rows + 15) / 16 * (cols / 2)) * 2);
}
