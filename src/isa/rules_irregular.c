/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of sorting, gather, scatter and generators (part 40, 3 to 5). */
#include "isa/rules_shared.h"

#include <stdio.h>

void pto_rule_sort32_shape(pto_legality *, const pto_rule_use *);
void pto_rule_sort32_tail(pto_legality *, const pto_rule_use *);
void pto_rule_sort32_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_merge_row(pto_legality *, const pto_rule_use *);
void pto_rule_merge_blocks(pto_legality *, const pto_rule_use *);
void pto_rule_merge_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_gather_index_type(pto_legality *, const pto_rule_use *);
void pto_rule_scatter_index_type(pto_legality *, const pto_rule_use *);
void pto_rule_valid_covers(pto_legality *, const pto_rule_use *);
void pto_rule_full_width(pto_legality *, const pto_rule_use *);
void pto_rule_gather_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_gather_compare(pto_legality *, const pto_rule_use *);
void pto_rule_gather_compare_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_mask_known(pto_legality *, const pto_rule_use *);
void pto_rule_gather_mask(pto_legality *, const pto_rule_use *);
void pto_rule_scatter_mask(pto_legality *, const pto_rule_use *);
void pto_rule_gather_blocks(pto_legality *, const pto_rule_use *);
void pto_rule_one_row(pto_legality *, const pto_rule_use *);
void pto_rule_ci_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_tri_side(pto_legality *, const pto_rule_use *);

/* Unknown numbers fit. */
static bool differs(int32_t a, int32_t b) { return a >= 0 && b >= 0 && a != b; }
static bool below(int32_t a, int32_t b) { return a >= 0 && b >= 0 && a < b; }

static bool scalar_known(const pto_legality *legality, int operand, int64_t *value) {
    const pto_legality_operand *o = &legality->operand[operand];
    if (o->kind == PTO_OPERAND_ABSENT)
        *value = legality->form->operand[operand].attr_default;
    else
        *value = o->value.i;
    return o->kind == PTO_OPERAND_ABSENT || o->value_known;
}

/* Elements of dst that one structure of a sorted list takes. */
static int32_t pair_elements(const pto_legality_operand *tile) {
    return 64 / (int32_t)pto_dtype_bits(tile->type.dtype);
}

/* ---- sorting (3) ---- */

/* sort32_shape(dst, src, idx, tmp?) */
void pto_rule_sort32_shape(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    const pto_legality_operand *idx = &legality->operand[use->arg[2]];
    char allowed[64];
    if (differs(dst->valid_rows, src->valid_rows)) {
        snprintf(allowed, sizeof allowed, "%d rows, as src", src->valid_rows);
        pto_legality_refuse(legality, "PTO-E0860", use->arg[0], allowed, "%d rows", dst->valid_rows);
    }
    if ((differs(idx->valid_rows, src->valid_rows) && idx->valid_rows != 1) ||
        differs(idx->valid_cols, src->valid_cols)) {
        snprintf(allowed, sizeof allowed, "%d or 1 x %d", src->valid_rows, src->valid_cols);
        pto_legality_refuse(legality, "PTO-E0861", use->arg[2], allowed, "%d x %d", idx->valid_rows,
                            idx->valid_cols);
    }
    if (src->valid_cols < 0)
        return;
    const bool padded = use->arg_count > 3;
    const int64_t pairs = padded ? ((int64_t)src->valid_cols + 31) / 32 * 32 : src->valid_cols;
    if (dst->type.cols < pairs * pair_elements(dst)) {
        snprintf(allowed, sizeof allowed, "at least %lld columns", (long long)(pairs * pair_elements(dst)));
        pto_legality_refuse(legality, "PTO-E0862", use->arg[0], allowed, "%d columns", dst->type.cols);
    }
}

/* sort32_tail(src): whole blocks without scratch */
void pto_rule_sort32_tail(pto_legality *legality, const pto_rule_use *use) {
    const int32_t cols = legality->operand[use->arg[0]].valid_cols;
    if (cols > 0 && cols % 32)
        pto_legality_refuse(legality, "PTO-E0863", use->arg[0], "a multiple of 32 columns", "%d columns",
                            cols);
}

/* sort32_tmp(src, tmp): a row of whole blocks, or one block when a row takes more than one call */
void pto_rule_sort32_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *src = &legality->operand[use->arg[0]];
    if (src->valid_cols < 0)
        return;
    const uint64_t size = pto_dtype_bits(src->type.dtype) / 8, cols = (uint64_t)src->valid_cols;
    const uint64_t limit = legality->target == PTO_TARGET_A2A3 ? 8160 : 8160 / size;
    pto_legality_require_tmp_bytes(legality, use->arg[1],
                                   (cols <= limit ? (cols + 31) / 32 * 32 : 32) * size);
}

/* merge_row(tile...): one row each */
void pto_rule_merge_row(pto_legality *legality, const pto_rule_use *use) {
    for (int i = 0; i < use->arg_count; i++) {
        const pto_legality_operand *tile = &legality->operand[use->arg[i]];
        if (tile->kind == PTO_OPERAND_TILE && tile->type.rows != 1)
            pto_legality_refuse(legality, "PTO-E0865", use->arg[i], "1 row", "%d rows", tile->type.rows);
    }
}

/* merge_blocks(dst, src, blockLen) */
void pto_rule_merge_blocks(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    char allowed[64];
    if (below(dst->type.cols, src->valid_cols)) {
        snprintf(allowed, sizeof allowed, "at least %d columns", src->valid_cols);
        pto_legality_refuse(legality, "PTO-E0862", use->arg[0], allowed, "%d columns", dst->type.cols);
    }
    int64_t length;
    if (!scalar_known(legality, use->arg[2], &length))
        return;
    if (length <= 0 || length % 64 || length > INT32_MAX) {
        pto_legality_refuse(legality, "PTO-E0866", use->arg[2], "a multiple of 64, at least 64", "%lld",
                            (long long)length);
        return;
    }
    if (src->valid_cols < 0)
        return;
    const int64_t repeat = src->valid_cols / (4 * length);
    if (src->valid_cols % (4 * length) || repeat == 0) {
        snprintf(allowed, sizeof allowed, "a multiple of %lld columns", (long long)(4 * length));
        pto_legality_refuse(legality, "PTO-E0867", use->arg[1], allowed, "%d columns", src->valid_cols);
    } else if (legality->target == PTO_TARGET_A2A3 && repeat > 255) {
        pto_legality_refuse(legality, "PTO-E0867", use->arg[1], "at most 255 groups of four blocks",
                            "%lld groups", (long long)repeat);
    }
}

/* merge_tmp(tmp, src0): room for all sources; every tile of the call fits into the memory at once */
void pto_rule_merge_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]];
    int64_t cols = 0;
    uint64_t bytes = 0;
    for (int i = 0; i < legality->form->operand_count; i++) {
        if (!pto_legality_is_tile(legality, i))
            continue;
        bytes += pto_tile_type_bytes(&legality->operand[i].type);
        if (i >= use->arg[1])
            cols += legality->operand[i].type.cols;
    }
    if (tmp->kind != PTO_OPERAND_TILE)
        return;
    char allowed[64];
    if (tmp->type.cols < cols) {
        snprintf(allowed, sizeof allowed, "at least %lld columns", (long long)cols);
        pto_legality_refuse(legality, "PTO-E0868", use->arg[0], allowed, "%d columns", tmp->type.cols);
    }
    uint32_t memory = legality->memory_bytes[PTO_LOC_VEC];
    if (!memory)
        memory = pto_loc_capacity(legality->target, PTO_LOC_VEC);
    if (legality->target != PTO_TARGET_CPU && bytes >= memory) {
        snprintf(allowed, sizeof allowed, "less than %u bytes in all", (unsigned)memory);
        pto_legality_refuse(legality, "PTO-E0869", -1, allowed, "%llu bytes", (unsigned long long)bytes);
    }
}

/* ---- gather and scatter (4) ---- */

static void refuse_index(pto_legality *legality, int operand, const char *allowed) {
    pto_legality_refuse(legality, "PTO-E0870", operand, allowed, "%s",
                        pto_dtype_name(legality->operand[operand].type.dtype));
}

/* gather_index_type(dst, indices) */
void pto_rule_gather_index_type(pto_legality *legality, const pto_rule_use *use) {
    const unsigned data = pto_dtype_bits(legality->operand[use->arg[0]].type.dtype);
    const pto_dtype type = legality->operand[use->arg[1]].type.dtype;
    const unsigned bits = pto_dtype_is_int(type) ? pto_dtype_bits(type) : 0;
    switch (legality->target) {
    case PTO_TARGET_A2A3:
        if (bits != 32)
            refuse_index(legality, use->arg[1], "s32 u32");
        break;
    case PTO_TARGET_A5:
        if (data == 8 && bits != 16)
            refuse_index(legality, use->arg[1], "s16 u16 with 8-bit data");
        else if (data > 16 && bits != 32)
            refuse_index(legality, use->arg[1], "s32 u32");
        else if (bits != 16 && bits != 32)
            refuse_index(legality, use->arg[1], "s16 u16 s32 u32");
        break;
    default:
        if (bits != 32 && (bits != 16 || data > 16))
            refuse_index(legality, use->arg[1], data > 16 ? "s32 u32" : "s16 u16 s32 u32");
        break;
    }
}

/* scatter_index_type(dst, indexes): as wide as 2- and 4-byte data; 2 bytes for 1, 4 bytes for 8 */
void pto_rule_scatter_index_type(pto_legality *legality, const pto_rule_use *use) {
    const unsigned data = pto_dtype_bits(legality->operand[use->arg[0]].type.dtype);
    const pto_dtype type = legality->operand[use->arg[1]].type.dtype;
    if (!pto_dtype_is_int(type) || pto_dtype_bits(type) < 8)
        refuse_index(legality, use->arg[1], "an integer type of 8 bits or more");
    else if (legality->target != PTO_TARGET_CPU && pto_dtype_bits(type) != (data <= 16 ? 16u : 32u))
        refuse_index(legality, use->arg[1], data <= 16 ? "s16 u16" : "s32 u32");
}

/* valid_covers(outer, inner): the valid region of outer holds inner's */
void pto_rule_valid_covers(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *outer = &legality->operand[use->arg[0]];
    const pto_legality_operand *inner = &legality->operand[use->arg[1]];
    if (!below(outer->valid_rows, inner->valid_rows) && !below(outer->valid_cols, inner->valid_cols))
        return;
    char allowed[96];
    snprintf(allowed, sizeof allowed, "at least %d x %d, as %s", inner->valid_rows, inner->valid_cols,
             legality->form->operand[use->arg[1]].name);
    pto_legality_refuse(legality, "PTO-E0871", use->arg[0], allowed, "%d x %d", outer->valid_rows,
                        outer->valid_cols);
}

/* full_width(tile...): valid columns = columns */
void pto_rule_full_width(pto_legality *legality, const pto_rule_use *use) {
    for (int i = 0; i < use->arg_count; i++) {
        const pto_legality_operand *tile = &legality->operand[use->arg[i]];
        if (!differs(tile->valid_cols, tile->type.cols))
            continue;
        char allowed[48];
        snprintf(allowed, sizeof allowed, "all %d columns valid", tile->type.cols);
        pto_legality_refuse(legality, "PTO-E0872", use->arg[i], allowed, "%d", tile->valid_cols);
    }
}

/* gather_tmp(dst, indices, tmp): index type and valid region of the indices; 2-byte data goes through it */
void pto_rule_gather_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]];
    const pto_legality_operand *idx = &legality->operand[use->arg[1]], *tmp = &legality->operand[use->arg[2]];
    const bool used = pto_dtype_bits(dst->type.dtype) == 16;
    if (tmp->kind != PTO_OPERAND_TILE) {
        if (used && legality->explicit_tmp)
            pto_legality_refuse(legality, "PTO-E0329", use->arg[2], "a tile", "nothing");
        return;
    }
    if (tmp->type.dtype != idx->type.dtype) {
        pto_legality_refuse(legality, "PTO-E0303", use->arg[2], pto_dtype_name(idx->type.dtype), "%s",
                            pto_dtype_name(tmp->type.dtype));
        return;
    }
    pto_legality_require_valid(legality, use->arg[1], use->arg[2]);
    if (used)
        pto_legality_require_tmp_bytes(legality, use->arg[2],
                                       4 * (uint64_t)dst->type.rows * (uint64_t)dst->type.cols);
}

/* A threshold or a count for every row, one behind the other. */
static void one_a_row(pto_legality *legality, int operand, const pto_legality_operand *src) {
    const pto_tile_type *type = &legality->operand[operand].type;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %d elements without boxes", src->valid_rows);
    if (type->slayout != PTO_NONE_BOX || (int64_t)type->rows * type->cols < src->valid_rows)
        pto_legality_refuse(legality, "PTO-E0877", operand, allowed, "%s, %d x %d",
                            pto_tile_type_layout_name(type), type->rows, type->cols);
}

static void threshold_type(pto_legality *legality, int operand) {
    const pto_dtype type = legality->operand[operand].type.dtype;
    const unsigned bits = pto_dtype_bits(type);
    const bool integer = pto_dtype_is_int(type) && bits >= 8 && bits <= 32;
    if (legality->target == PTO_TARGET_A2A3 && (!integer || bits != 32))
        refuse_index(legality, operand, "s32 u32");
    else if (legality->target == PTO_TARGET_A5 && type != PTO_U16 && type != PTO_U32)
        refuse_index(legality, operand, "u16 u32");
    else if (!integer)
        refuse_index(legality, operand, "an integer of 8 to 32 bits");
}

/* gather_compare(dst, src, k, dstCount, cmpMode) */
void pto_rule_gather_compare(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    for (int i = 0; i < 2; i++)
        if (!pto_tile_type_is_flat_row_major(&legality->operand[use->arg[i]].type))
            pto_legality_refuse(legality, "PTO-E0321", use->arg[i], "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(&legality->operand[use->arg[i]].type));
    if (dst->type.dtype != PTO_S32 && dst->type.dtype != PTO_U32)
        refuse_index(legality, use->arg[0], "s32 u32");
    else if (legality->operand[use->arg[3]].type.dtype != dst->type.dtype)
        pto_legality_refuse(legality, "PTO-E0303", use->arg[3], pto_dtype_name(dst->type.dtype), "%s",
                            pto_dtype_name(legality->operand[use->arg[3]].type.dtype));
    if (pto_legality_is_tile(legality, use->arg[2])) {
        threshold_type(legality, use->arg[2]);
        one_a_row(legality, use->arg[2], src);
    }
    one_a_row(legality, use->arg[3], src);
    if (below(dst->valid_rows, src->valid_rows))
        pto_legality_refuse(legality, "PTO-E0877", use->arg[0], "the valid rows of src", "%d rows",
                            dst->valid_rows);
    int64_t mode;
    const bool only_equal = legality->target == PTO_TARGET_A2A3 && src->type.dtype == PTO_S32;
    if (scalar_known(legality, use->arg[4], &mode) && mode != PTO_CMP_EQ &&
        (only_equal || mode != PTO_CMP_GT))
        pto_legality_refuse(legality, "PTO-E0876", use->arg[4], only_equal ? "eq" : "eq or gt", "%lld",
                            (long long)mode);
}

/* gather_compare_tmp(src, tmp): masks of the pitch of tmp, the ramp, the thresholds */
void pto_rule_gather_compare_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *src = &legality->operand[use->arg[0]], *tmp = &legality->operand[use->arg[1]];
    if (tmp->kind != PTO_OPERAND_TILE) {
        if (legality->explicit_tmp)
            pto_legality_refuse(legality, "PTO-E0329", use->arg[1], "a tile", "nothing");
        return;
    }
    const uint64_t size = pto_dtype_bits(src->type.dtype) / 8;
    const int64_t step = size == 4 ? 64 : 128;
    const int64_t pitch = src->valid_cols < 0 ? 0 : (src->valid_cols + step - 1) / step * (step / 8);
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %lld columns", (long long)pitch);
    if (tmp->type.cols < pitch)
        pto_legality_refuse(legality, "PTO-E0877", use->arg[1], allowed, "%d columns", tmp->type.cols);
    const uint64_t thresholds = ((uint64_t)src->type.rows * size + 255) / 256 * 256;
    pto_legality_require_tmp_bytes(legality, use->arg[1],
                                   (uint64_t)tmp->type.rows * (uint64_t)tmp->type.cols +
                                       4 * (uint64_t)src->type.rows * (uint64_t)src->type.cols + thresholds);
}

/* mask_known(pattern, axis) */
void pto_rule_mask_known(pto_legality *legality, const pto_rule_use *use) {
    int64_t pattern, axis;
    if (scalar_known(legality, use->arg[0], &pattern) &&
        (pattern < PTO_MASK_P0101 || pattern > PTO_MASK_P1111))
        pto_legality_refuse(legality, "PTO-E0873", use->arg[0], "1..7", "%lld", (long long)pattern);
    if (scalar_known(legality, use->arg[1], &axis) && axis != PTO_SELECT_ROW && axis != PTO_SELECT_COL)
        pto_legality_refuse(legality, "PTO-E0873", use->arg[1], "row or col", "%lld", (long long)axis);
}

static int32_t mask_period(int64_t pattern) {
    return pattern <= PTO_MASK_P1010 ? 2 : pattern <= PTO_MASK_P1000 ? 4 : 1;
}

static int64_t mask_count(int64_t pattern, int32_t length) {
    const int32_t period = mask_period(pattern);
    const int32_t first = period == 1 ? 0 : (int32_t)pattern - (period == 2 ? 1 : 3);
    return length > first ? (length - first + period - 1) / period : 0;
}

/* gather_mask(dst, src, pattern, axis): room for what is selected */
void pto_rule_gather_mask(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    int64_t pattern, axis;
    if (!scalar_known(legality, use->arg[2], &pattern) || !scalar_known(legality, use->arg[3], &axis))
        return;
    char allowed[64];
    if (axis == PTO_SELECT_COL) {
        if (legality->target == PTO_TARGET_A5 && pto_dtype_bits(dst->type.dtype) == 64)
            pto_legality_refuse(legality, "PTO-E0302", use->arg[0], "b1 b2 b4 along the columns", "%s",
                                pto_dtype_name(dst->type.dtype));
        if (dst->valid_rows < 0 || src->valid_rows < 0)
            return;
        const int64_t rows = mask_count(pattern, src->valid_rows);
        if (dst->valid_rows < rows || differs(dst->valid_cols, src->valid_cols)) {
            snprintf(allowed, sizeof allowed, "at least %lld rows of %d columns", (long long)rows,
                     src->valid_cols);
            pto_legality_refuse(legality, "PTO-E0874", use->arg[0], allowed, "%d x %d", dst->valid_rows,
                                dst->valid_cols);
        }
        return;
    }
    if (dst->valid_rows < 0 || src->valid_rows < 0 || src->valid_cols < 0)
        return;
    const int64_t count = mask_count(pattern, src->valid_cols) * src->valid_rows;
    const int64_t room = (int64_t)dst->valid_rows * dst->type.cols;
    if (room < count) {
        snprintf(allowed, sizeof allowed, "room for %lld elements", (long long)count);
        pto_legality_refuse(legality, "PTO-E0874", use->arg[0], allowed, "%lld elements", (long long)room);
    }
}

/* scatter_mask(dst, src, pattern, axis): one axis grows by the period, the other stays */
void pto_rule_scatter_mask(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    int64_t pattern, axis;
    if (!scalar_known(legality, use->arg[2], &pattern) || !scalar_known(legality, use->arg[3], &axis))
        return;
    int32_t rows = src->valid_rows, cols = src->valid_cols;
    int32_t *grown = axis == PTO_SELECT_COL ? &rows : &cols;
    if (*grown > INT32_MAX / 4)
        return;
    *grown = *grown < 0 ? *grown : *grown * mask_period(pattern);
    if (!differs(dst->valid_rows, rows) && !differs(dst->valid_cols, cols))
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%d x %d", rows, cols);
    pto_legality_refuse(legality, "PTO-E0875", use->arg[0], allowed, "%d x %d", dst->valid_rows,
                        dst->valid_cols);
}

/* gather_blocks(dst, offset): an offset for every block of 32 bytes */
void pto_rule_gather_blocks(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]];
    const pto_legality_operand *offset = &legality->operand[use->arg[1]];
    if (dst->valid_rows < 0 || dst->valid_cols < 0)
        return;
    const int32_t each = 256 / (int32_t)pto_dtype_bits(dst->type.dtype);
    const int32_t blocks = dst->valid_cols / each + (dst->valid_cols % each != 0);
    if (offset->type.rows >= dst->valid_rows && offset->type.cols >= blocks)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %d x %d", dst->valid_rows, blocks);
    pto_legality_refuse(legality, "PTO-E0879", use->arg[1], allowed, "%d x %d", offset->type.rows,
                        offset->type.cols);
}

/* ---- generators (5) ---- */

/* one_row(dst) */
void pto_rule_one_row(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]];
    if (dst->type.rows != 1)
        pto_legality_refuse(legality, "PTO-E0880", use->arg[0], "1 row", "%d rows", dst->type.rows);
}

/* ci_tmp(dst, tmp): elements of 4 bytes, 768 bytes of them for 4-byte results, 1792 for 2-byte ones */
void pto_rule_ci_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *tmp = &legality->operand[use->arg[1]];
    if (pto_dtype_bits(tmp->type.dtype) != 32) {
        pto_legality_refuse(legality, "PTO-E0302", use->arg[1], "an element type of 4 bytes", "%s",
                            pto_dtype_name(tmp->type.dtype));
        return;
    }
    pto_legality_require_tmp_bytes(legality, use->arg[1], pto_dtype_bits(dst->type.dtype) == 16 ? 1792 : 768);
}

/* tri_side(upperOrLower) */
void pto_rule_tri_side(pto_legality *legality, const pto_rule_use *use) {
    int64_t side;
    if (scalar_known(legality, use->arg[0], &side) && side != 0 && side != 1)
        pto_legality_refuse(legality, "PTO-E0881", use->arg[0], "0 (lower) or 1 (upper)", "%lld",
                            (long long)side);
}
