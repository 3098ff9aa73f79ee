/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the elementwise and tile-scalar families (parts 10 and 20, 2). */
#include "isa/rules_shared.h"

#include <stdio.h>

void pto_rule_tmp_covers(pto_legality *, const pto_rule_use *);
void pto_rule_tmp_given(pto_legality *, const pto_rule_use *);
void pto_rule_tmp_type(pto_legality *, const pto_rule_use *);
void pto_rule_not_in_place_float(pto_legality *, const pto_rule_use *);
void pto_rule_expands_location(pto_legality *, const pto_rule_use *);
void pto_rule_sources_apart(pto_legality *, const pto_rule_use *);
void pto_rule_rem_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_rems_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_pow_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_prelu_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_sel_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_axpy_types(pto_legality *, const pto_rule_use *);
void pto_rule_conv_in_place(pto_legality *, const pto_rule_use *);
void pto_rule_mask_written(pto_legality *, const pto_rule_use *);
void pto_rule_mask_read(pto_legality *, const pto_rule_use *);
void pto_rule_cmp_order(pto_legality *, const pto_rule_use *);
void pto_rule_cmp_halves(pto_legality *, const pto_rule_use *);
void pto_rule_shift_count(pto_legality *, const pto_rule_use *);

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

/* sources_apart(a, b, same): two sources without a common byte, or, where same is 1, the same tile */
void pto_rule_sources_apart(pto_legality *legality, const pto_rule_use *use) {
    const pto_overlap overlap = pto_legality_overlap(legality, use->arg[0], use->arg[1]);
    const bool same = use->arg[2] != 0;
    if (overlap == PTO_OVERLAP_SHIFTED || (overlap == PTO_OVERLAP_SAME_START && !same))
        pto_legality_refuse(legality, "PTO-E0509", use->arg[1],
                            same ? "the same tile, or no overlap" : "no overlap", "shares bytes with %s",
                            legality->form->operand[use->arg[0]].name);
}

/* ---- scratch that the a2a3 hardware uses ---- */

static void require_tmp_extents(pto_legality *legality, const char *rule, int tmp, int64_t rows,
                                int64_t cols) {
    const pto_legality_operand *have = &legality->operand[tmp];
    if ((have->valid_rows < 0 || have->valid_rows >= rows) &&
        (have->valid_cols < 0 || have->valid_cols >= cols))
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least %lld x %lld", (long long)rows, (long long)cols);
    pto_legality_refuse(legality, rule, tmp, allowed, "%d x %d", have->valid_rows, have->valid_cols);
}

/* rem_tmp(tmp, dst): one row for temporaries of the pitch P of dst, the compare mask behind it (10, 3.4) */
void pto_rule_rem_tmp(pto_legality *legality, const pto_rule_use *use) {
    const int64_t pitch = legality->operand[use->arg[1]].type.cols;
    if (pto_legality_is_tile(legality, use->arg[0]))
        require_tmp_extents(legality, "PTO-E0510", use->arg[0], 1, pitch + 2 * ((pitch + 63) / 64));
}

/* rems_tmp(tmp, dst): one row of the valid columns of dst (20, 2 TREMS) */
void pto_rule_rems_tmp(pto_legality *legality, const pto_rule_use *use) {
    const int32_t cols = legality->operand[use->arg[1]].valid_cols;
    if (pto_legality_is_tile(legality, use->arg[0]))
        require_tmp_extents(legality, "PTO-E0510", use->arg[0], 1, cols < 0 ? 0 : cols);
}

/* pow_tmp(tmp, dst): floats only; integers run in a scalar loop there (10, 3.6) */
void pto_rule_pow_tmp(pto_legality *legality, const pto_rule_use *use) {
    if (!pto_dtype_is_float(legality->operand[use->arg[1]].type.dtype))
        return;
    pto_rule_tmp_given(legality, use);
    pto_rule_tmp_type(legality, use);
    if (pto_legality_is_tile(legality, use->arg[0]) && !legality->failed)
        pto_legality_require_valid(legality, use->arg[1], use->arg[0]);
}

/* prelu_tmp(tmp, dst): bytes; a row with the mask of each row, and one row more (10, 6.2) */
void pto_rule_prelu_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]], *dst = &legality->operand[use->arg[1]];
    if (tmp->kind != PTO_OPERAND_TILE)
        return;
    if (tmp->type.dtype != PTO_U8) {
        pto_legality_refuse(legality, "PTO-E0302", use->arg[0], "u8", "%s", pto_dtype_name(tmp->type.dtype));
        return;
    }
    const int64_t lanes = 2048 / (int64_t)pto_dtype_bits(dst->type.dtype), cols = dst->valid_cols;
    const int64_t bytes = cols < 0 ? 0 : (cols + lanes - 1) / lanes * (lanes / 8);
    const bool rows = tmp->valid_rows < 0 || dst->valid_rows < 0 || tmp->valid_rows > dst->valid_rows;
    if (rows && tmp->type.cols >= bytes)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least %d rows of %lld bytes", dst->valid_rows + 1,
             (long long)bytes);
    pto_legality_refuse(legality, "PTO-E0511", use->arg[0], allowed, "%d rows of %d bytes", tmp->valid_rows,
                        tmp->type.cols);
}

/* sel_tmp(tmp): words, of which one block is used (10, 8.2) */
void pto_rule_sel_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]];
    if (tmp->kind == PTO_OPERAND_TILE && tmp->type.dtype != PTO_U32)
        pto_legality_refuse(legality, "PTO-E0302", use->arg[0], "u32", "%s", pto_dtype_name(tmp->type.dtype));
}

/* ---- conversions ---- */

/* axpy_types(dst, src): one type, or f16 accumulated in f32 */
void pto_rule_axpy_types(pto_legality *legality, const pto_rule_use *use) {
    const pto_dtype dst = legality->operand[use->arg[0]].type.dtype;
    const pto_dtype src = legality->operand[use->arg[1]].type.dtype;
    if (dst != src && !(dst == PTO_F32 && src == PTO_F16))
        pto_legality_refuse(legality, "PTO-E0513", use->arg[1], "the type of dst, or f16 for f32", "%s to %s",
                            pto_dtype_name(src), pto_dtype_name(dst));
}

/* conv_in_place(dst, source...): right, but the hardware walks both tiles at once (10, 1.6) */
void pto_rule_conv_in_place(pto_legality *legality, const pto_rule_use *use) {
    const unsigned dst = pto_dtype_bits(legality->operand[use->arg[0]].type.dtype);
    for (int i = 1; i < use->arg_count; i++) {
        const unsigned src = pto_dtype_bits(legality->operand[use->arg[i]].type.dtype);
        if (dst != src && pto_legality_overlap(legality, use->arg[0], use->arg[i]) == PTO_OVERLAP_SAME_START)
            pto_legality_refuse(legality, "PTO-W0331", use->arg[0], "another tile",
                                "%u to %u bits at one address", src, dst);
    }
}

/* ---- packed masks (10, 8.0) ---- */

static void require_mask(pto_legality *legality, int position, const char *types, bool type_fits) {
    const pto_tile_type *mask = &legality->operand[position].type;
    if (!type_fits)
        pto_legality_refuse(legality, "PTO-E0504", position, types, "%s", pto_dtype_name(mask->dtype));
    else if (!pto_tile_type_is_flat_row_major(mask))
        pto_legality_refuse(legality, "PTO-E0321", position, "ND (row_major, none_box)", "%s",
                            pto_tile_type_layout_name(mask));
}

static void require_mask_bytes(pto_legality *legality, int position, int64_t bytes) {
    const pto_tile_type *mask = &legality->operand[position].type;
    const int64_t have = (int64_t)mask->cols * pto_dtype_bits(mask->dtype) / 8;
    if (have >= bytes)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "rows of at least %lld bytes", (long long)bytes);
    pto_legality_refuse(legality, "PTO-E0506", position, allowed, "%lld bytes", (long long)have);
}

/* Bytes of a mask row that the target writes for C columns of data. */
static int64_t written_bytes(pto_target target, pto_dtype data, int64_t cols) {
    const int64_t bytes = (pto_dtype_bits(data) + 7) / 8, lanes = 256 / bytes;
    if (target == PTO_TARGET_A2A3)
        return (cols + lanes - 1) / lanes * (lanes / 8);
    if (target == PTO_TARGET_A5)
        return bytes == 2 || bytes == 4 ? (cols + 127) / 128 * 16 : (cols + 255) / 256 * 32;
    return (cols + 7) / 8;
}

/* mask_written(mask, data) */
void pto_rule_mask_written(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mask = &legality->operand[use->arg[0]],
                               *data = &legality->operand[use->arg[1]];
    const unsigned bits = pto_dtype_bits(mask->type.dtype);
    require_mask(legality, use->arg[0], "s8, u8, s32, u32",
                 pto_dtype_is_int(mask->type.dtype) && (bits == 8 || bits == 32));
    if (legality->failed)
        return;
    if (mask->valid_rows >= 0 && data->valid_rows >= 0 && mask->valid_rows != data->valid_rows) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d rows, as the data", data->valid_rows);
        pto_legality_refuse(legality, "PTO-E0505", use->arg[0], allowed, "%d rows", mask->valid_rows);
    } else if (data->valid_cols >= 0) {
        require_mask_bytes(legality, use->arg[0],
                           written_bytes(legality->target, data->type.dtype, data->valid_cols));
    }
}

/* mask_read(mask, data) */
void pto_rule_mask_read(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mask = &legality->operand[use->arg[0]],
                               *data = &legality->operand[use->arg[1]];
    require_mask(legality, use->arg[0], "an integer type of 8 bits or more",
                 pto_dtype_is_int(mask->type.dtype) && pto_dtype_bits(mask->type.dtype) >= 8);
    if (legality->failed)
        return;
    if (mask->valid_rows >= 0 && data->valid_rows >= 0 && mask->valid_rows < data->valid_rows) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at least %d rows, as the data", data->valid_rows);
        pto_legality_refuse(legality, "PTO-E0505", use->arg[0], allowed, "%d rows", mask->valid_rows);
    } else if (data->valid_cols >= 0) {
        require_mask_bytes(legality, use->arg[0], (data->valid_cols + 7) / 8);
    }
}

/* cmp_order(src, cmpMode): s32 compares for equality only (10, 8.1) */
void pto_rule_cmp_order(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[1]];
    if (legality->operand[use->arg[0]].type.dtype != PTO_S32 || mode->kind != PTO_OPERAND_SCALAR ||
        !mode->value_known)
        return;
    static const char *const names[] = {"lt", "le", "gt", "ge"};
    if (mode->value.i >= PTO_CMP_LT && mode->value.i <= PTO_CMP_GE)
        pto_legality_refuse(legality, "PTO-E0507", use->arg[1], "eq, ne", "%s on s32",
                            names[mode->value.i - PTO_CMP_LT]);
}

/* cmp_halves(src): 16-bit integers are compared as halves by that hardware, as integers here (20, 2 TCMPS) */
void pto_rule_cmp_halves(pto_legality *legality, const pto_rule_use *use) {
    const pto_dtype type = legality->operand[use->arg[0]].type.dtype;
    if (type == PTO_S16 || type == PTO_U16)
        pto_legality_refuse(legality, "PTO-W0508", use->arg[0], "s32, f16, f32", "%s", pto_dtype_name(type));
}

/* shift_count(scalar, dst): a literal; what a run brings counts modulo the width (20, 2 TSHLS) */
void pto_rule_shift_count(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *count = &legality->operand[use->arg[0]];
    const int64_t width = pto_dtype_bits(legality->operand[use->arg[1]].type.dtype);
    if (legality->run_time || count->kind != PTO_OPERAND_SCALAR || !count->value_known ||
        pto_dtype_is_float(count->value.dtype) || (count->value.i >= 0 && count->value.i < width))
        return;
    char allowed[32];
    snprintf(allowed, sizeof allowed, "0..%lld", (long long)width - 1);
    pto_legality_refuse(legality, "PTO-E0512", use->arg[0], allowed, "%lld", (long long)count->value.i);
}
