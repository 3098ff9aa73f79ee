/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the reductions and broadcasts along an axis and of the partial operations (part 20, 3, 4 and 6).
 */
#include "isa/axis.h"
#include "isa/rules_shared.h"
#include <pto/ops.h>

#include <stdio.h>

enum { BLOCK_BYTES = 32, VECTOR_BYTES = 256 };

static bool is_flat(const pto_tile_type *type) { return type->slayout == PTO_NONE_BOX; }

static bool is_single_column(const pto_tile_type *type) {
    return is_flat(type) && type->blayout == PTO_COL_MAJOR && type->cols == 1;
}

static int32_t element_bytes(const pto_tile_type *type) {
    int32_t bits = (int32_t)pto_dtype_bits(type->dtype);
    return bits < 8 ? 1 : bits / 8;
}

static int64_t round_up_div(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

static int first_with_role(const pto_form_desc *form, pto_role role) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == role)
            return i;
    return -1;
}

static const pto_legality_operand *source_of(const pto_legality *legality, int *position) {
    *position = first_with_role(legality->form, PTO_ROLE_IN);
    return &legality->operand[*position];
}

static bool is_column_arg(pto_op op) { return op == PTO_OP_TCOLARGMAX || op == PTO_OP_TCOLARGMIN; }

static bool is_row_arg(pto_op op) { return op == PTO_OP_TROWARGMAX || op == PTO_OP_TROWARGMIN; }

static bool is_arg(pto_op op) { return is_row_arg(op) || is_column_arg(op); }

/* ---- reductions ---- */

static void require_flat_source(pto_legality *legality, int src) {
    const pto_tile_type *type = &legality->operand[src].type;
    if (!pto_tile_type_is_flat_row_major(type))
        pto_legality_refuse(legality, "PTO-E0601", src, "ND", "%s", pto_tile_type_layout_name(type));
}

/* One destination: `kept` is its extent along the axis that stays, `reduced` along the other. */
static void require_extent(pto_legality *legality, int dst, const char *axis, int32_t kept,
                           int32_t source_kept, const char *other, int32_t reduced) {
    bool exact = is_arg(legality->form->op);
    char allowed[64];
    if (kept >= 0 && source_kept >= 0 && kept != source_kept) {
        snprintf(allowed, sizeof allowed, "%d valid %s, as src", source_kept, axis);
        pto_legality_refuse(legality, "PTO-E0602", dst, allowed, "%d valid %s", kept, axis);
    } else if (reduced == 0 || (reduced > 1 && exact)) {
        snprintf(allowed, sizeof allowed, "%s 1 valid %s", exact ? "exactly" : "at least", other);
        pto_legality_refuse(legality, "PTO-E0602", dst, allowed, "%d valid %s", reduced, other);
    } else if (reduced > 1) {
        snprintf(allowed, sizeof allowed, "1 valid %s", other);
        pto_legality_refuse(legality, "PTO-W0603", dst, allowed, "%d valid %s", reduced, other);
    }
}

static void require_nonempty_source(pto_legality *legality, int src) {
    const pto_legality_operand *operand = &legality->operand[src];
    if (operand->valid_rows == 0 || operand->valid_cols == 0)
        pto_legality_refuse(legality, "PTO-E0324", src, "at least 1 x 1", "%d x %d", operand->valid_rows,
                            operand->valid_cols);
}

void pto_rule_row_reduce_shape(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int position;
    const pto_legality_operand *src = source_of(legality, &position);
    require_flat_source(legality, position);
    require_nonempty_source(legality, position);
    for (int i = 0; i < position; i++) {
        const pto_legality_operand *dst = &legality->operand[i];
        if (!pto_tile_type_is_flat_row_major(&dst->type) && !is_single_column(&dst->type))
            pto_legality_refuse(legality, "PTO-E0601", i, "ND, or DN with Cols = 1", "%s with Cols = %d",
                                pto_tile_type_layout_name(&dst->type), dst->type.cols);
        require_extent(legality, i, "rows", dst->valid_rows, src->valid_rows, "columns", dst->valid_cols);
    }
}

void pto_rule_col_reduce_shape(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int position;
    const pto_legality_operand *src = source_of(legality, &position);
    require_flat_source(legality, position);
    if (is_arg(legality->form->op))
        require_nonempty_source(legality, position);
    /* an empty source of the others reduces to nothing: then only the columns must agree */
    bool empty = src->valid_rows == 0 || src->valid_cols == 0;
    for (int i = 0; i < position; i++) {
        const pto_legality_operand *dst = &legality->operand[i];
        if (!pto_tile_type_is_flat_row_major(&dst->type))
            pto_legality_refuse(legality, "PTO-E0601", i, "ND", "%s", pto_tile_type_layout_name(&dst->type));
        require_extent(legality, i, "columns", dst->valid_cols, src->valid_cols, "rows",
                       empty ? 1 : dst->valid_rows);
    }
}

/* The index types of an arg reduction: s32 and u32, in the value form also 16 bits beside 2-byte values; the
 * column form of a2a3 and a5 writes an index as wide as the value. */
static const char *index_types(const pto_legality *legality, bool value_form, int32_t value_bytes,
                               pto_dtype index) {
    const bool narrow = index == PTO_S16 || index == PTO_U16, wide = index == PTO_S32 || index == PTO_U32;
    const bool narrow_allowed = value_form && value_bytes == 2;
    const bool wide_allowed =
        !narrow_allowed || legality->target == PTO_TARGET_CPU || !is_column_arg(legality->form->op);
    if ((narrow && narrow_allowed) || (wide && wide_allowed))
        return NULL;
    return !wide_allowed ? "s16, u16" : narrow_allowed ? "s16, u16, s32, u32" : "s32, u32";
}

void pto_rule_arg_index(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int position;
    const pto_legality_operand *src = source_of(legality, &position);
    int index = position - 1;
    pto_dtype dtype = legality->operand[index].type.dtype;
    const char *allowed = index_types(legality, position == 2, element_bytes(&src->type), dtype);
    if (allowed) {
        pto_legality_refuse(legality, "PTO-E0604", index, allowed, "%s", pto_dtype_name(dtype));
        return;
    }
    int32_t extent = is_column_arg(legality->form->op) ? src->valid_rows : src->valid_cols;
    int32_t limit = dtype == PTO_S16 ? INT16_MAX : dtype == PTO_U16 ? UINT16_MAX : INT32_MAX;
    if (extent - 1 > limit)
        pto_legality_refuse(legality, "PTO-E0605", index,
                            dtype == PTO_S16 ? "at most 32767" : "at most 65535", "%d", extent - 1);
}

/* ---- scratch of the reductions ---- */

/* Row stride in elements of the tree of a row sum, of the running vector of a maximum (20, 3 TROWSUM). */
static int64_t row_fold_stride(pto_op op, int64_t cols, int64_t vector) {
    int64_t half = cols / vector / 2;
    return op == PTO_OP_TROWSUM && half > 1 ? half * vector : vector;
}

/* 20, 3 TROWARGMAX: first-level and second-level winners of a row. */
static int64_t row_arg_stride(int64_t cols, int64_t vector, int64_t block) {
    int64_t first = round_up_div(cols, vector), values = round_up_div(first, block) * block,
            pairs = round_up_div(2 * first, block) * block;
    if (cols <= vector * vector)
        return pairs + values;
    int64_t second = values + round_up_div(2 * round_up_div(first, vector), block) * block;
    return (pairs > second ? pairs : second) + 2;
}

static bool is_row_reduction(pto_op op) {
    return op == PTO_OP_TROWSUM || op == PTO_OP_TROWPROD || op == PTO_OP_TROWMAX || op == PTO_OP_TROWMIN ||
           is_row_arg(op);
}

static pto_axis_scratch scratch(pto_dtype dtype, int64_t rows, int64_t cols, int64_t block) {
    return (pto_axis_scratch){.used = true,
                              .dtype = dtype,
                              .rows = (int32_t)rows,
                              .cols = (int32_t)(round_up_div(cols, block) * block)};
}

static pto_axis_tile axis_tile(const pto_legality_operand *operand) {
    return (pto_axis_tile){&operand->type, operand->valid_rows, operand->valid_cols};
}

static pto_axis_scratch row_reduction_scratch(const pto_legality *legality) {
    const pto_axis_scratch none = {0};
    pto_op op = legality->form->op;
    int position;
    const pto_legality_operand *src = source_of(legality, &position);
    int64_t rows = src->valid_rows, cols = src->valid_cols, bytes = element_bytes(&src->type);
    int64_t block = BLOCK_BYTES / bytes, vector = VECTOR_BYTES / bytes;
    pto_dtype dtype = src->type.dtype;
    bool arg = is_row_arg(op);
    if (!arg && (!pto_dtype_is_float(dtype) || op == PTO_OP_TROWPROD))
        return scratch(dtype, 1, block, block);
    if (rows < 0 || cols < 0)
        return none;
    if (cols <= vector) /* two columns hold a value and an index */
        return arg && position == 2 ? scratch(dtype, rows, 2, block) : none;
    return scratch(dtype, rows, arg ? row_arg_stride(cols, vector, block) : row_fold_stride(op, cols, vector),
                   block);
}

/* 20, 3 TCOLARGMAX: one row of running winners, for halves that give an index alone also their converted
 * indices. */
static pto_axis_scratch column_arg_scratch(const pto_legality *legality) {
    int position;
    const pto_legality_operand *src = source_of(legality, &position);
    if (src->valid_rows == 0 || src->valid_cols <= 0)
        return (pto_axis_scratch){0};
    int64_t bytes = element_bytes(&src->type), block = BLOCK_BYTES / bytes, vector = VECTOR_BYTES / bytes;
    int64_t group = src->valid_cols >= vector ? vector : round_up_div(src->valid_cols, block) * block;
    return scratch(src->type.dtype, 1, (bytes == 2 && position == 1 ? 3 : 2) * group, block);
}

pto_axis_scratch pto_axis_scratch_of(const pto_legality *legality) {
    const pto_axis_scratch none = {0};
    pto_op op = legality->form->op;
    int position;
    if (legality->target != PTO_TARGET_A2A3 || first_with_role(legality->form, PTO_ROLE_TMP) < 0)
        return none;
    if (is_row_reduction(op))
        return row_reduction_scratch(legality);
    if (is_column_arg(op))
        return column_arg_scratch(legality);
    const pto_legality_operand *src = source_of(legality, &position);
    if (op == PTO_OP_TCOLSUM) {
        const pto_legality_operand *binary = &legality->operand[3];
        bool wanted = binary->kind == PTO_OPERAND_SCALAR && binary->value_known && binary->value.i;
        if (!wanted || src->valid_rows <= 0 || src->valid_cols <= 0)
            return none;
        return scratch(src->type.dtype, round_up_div(src->valid_rows, 2), src->valid_cols,
                       BLOCK_BYTES / element_bytes(&src->type));
    }
    return none; /* TROWEXPAND<op>: without a scratch tile the hardware has its own (20, 4.1) */
}

static void refuse_tmp_type(pto_legality *legality, int tmp, int as) {
    pto_dtype want = legality->operand[as].type.dtype, have = legality->operand[tmp].type.dtype;
    if (want != have)
        pto_legality_refuse(legality, "PTO-E0607", tmp, pto_dtype_name(want), "%s", pto_dtype_name(have));
}

static void require_tmp_shape(pto_legality *legality, int tmp, int64_t rows, int64_t cols) {
    const pto_tile_type *type = &legality->operand[tmp].type;
    if (pto_tile_type_is_flat_row_major(type) && type->rows >= rows && type->cols >= cols)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "ND, at least %lld x %lld", (long long)rows, (long long)cols);
    pto_legality_refuse(legality, "PTO-E0606", tmp, allowed, "%s, %d x %d", pto_tile_type_layout_name(type),
                        type->rows, type->cols);
}

static bool tmp_is_given(pto_legality *legality, int tmp, bool used) {
    if (legality->operand[tmp].kind == PTO_OPERAND_TILE)
        return true;
    if (used && legality->explicit_tmp)
        pto_legality_refuse(legality, "PTO-E0329", tmp, "a scratch tile", "nothing");
    return false;
}

/* a2a3 only */
void pto_rule_row_reduce_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int position, tmp = first_with_role(legality->form, PTO_ROLE_TMP);
    const pto_legality_operand *src = source_of(legality, &position);
    pto_axis_scratch need = pto_axis_scratch_of(legality);
    if (!tmp_is_given(legality, tmp, need.used))
        return;
    refuse_tmp_type(legality, tmp, position);
    if (!need.used || legality->failed)
        return;
    const pto_legality_operand *have = &legality->operand[tmp];
    int32_t vector = VECTOR_BYTES / element_bytes(&src->type);
    if (is_row_arg(legality->form->op) && src->valid_cols <= vector) {
        /* pairs (value, index): 2 R elements in one column, or two valid columns of R rows */
        bool column = is_single_column(&have->type) && have->type.rows >= 2 * need.rows;
        bool pairs = pto_tile_type_is_flat_row_major(&have->type) && have->type.rows >= need.rows &&
                     (have->valid_cols < 0 || have->valid_cols >= 2);
        if (column || pairs)
            return;
        char allowed[96];
        snprintf(allowed, sizeof allowed,
                 "DN with Cols = 1 and %d rows, or ND with %d rows and 2 valid columns", 2 * need.rows,
                 need.rows);
        pto_legality_refuse(legality, "PTO-E0606", tmp, allowed, "%s, %d x %d",
                            pto_tile_type_layout_name(&have->type), have->type.rows, have->type.cols);
        return;
    }
    int64_t cols = need.cols;
    if (is_row_arg(legality->form->op)) /* the exact minimum: the rounded one only makes a tile legal */
        cols = row_arg_stride(src->valid_cols, vector, BLOCK_BYTES / element_bytes(&src->type));
    require_tmp_shape(legality, tmp, need.rows, cols);
}

/* a2a3 only */
void pto_rule_col_arg_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    int position, tmp = first_with_role(legality->form, PTO_ROLE_TMP);
    source_of(legality, &position);
    pto_axis_scratch need = pto_axis_scratch_of(legality);
    if (!tmp_is_given(legality, tmp, need.used))
        return;
    refuse_tmp_type(legality, tmp, position);
    if (need.used && !legality->failed)
        require_tmp_shape(legality, tmp, need.rows, need.cols);
}

/* a2a3 and a5: the tree of isBinary */
void pto_rule_colsum_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    enum { DST, SRC, TMP, IS_BINARY };
    const pto_legality_operand *src = &legality->operand[SRC], *binary = &legality->operand[IS_BINARY];
    if (binary->kind != PTO_OPERAND_SCALAR || !binary->value_known || !binary->value.i ||
        src->valid_rows == 0 || src->valid_cols == 0)
        return;
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    if (!tmp_is_given(legality, TMP, a2a3))
        return;
    refuse_tmp_type(legality, TMP, SRC);
    int32_t cols = src->valid_cols < 0 ? 1 : src->valid_cols,
            rows = src->valid_rows < 0 ? 1 : src->valid_rows;
    if (!legality->failed)
        require_tmp_shape(legality, TMP, round_up_div(rows, 2), cols);
}

/* ---- broadcasts ---- */

static pto_axis_answer both(pto_axis_answer a, pto_axis_answer b) {
    if (a == PTO_AXIS_NO || b == PTO_AXIS_NO)
        return PTO_AXIS_NO;
    return a == PTO_AXIS_YES && b == PTO_AXIS_YES ? PTO_AXIS_YES : PTO_AXIS_UNKNOWN;
}

static pto_axis_answer equal_extent(int32_t a, int32_t b) {
    if (a < 0 || b < 0)
        return PTO_AXIS_UNKNOWN;
    return a == b ? PTO_AXIS_YES : PTO_AXIS_NO;
}

static pto_axis_answer is_full(pto_axis_tile tile, pto_axis_tile dst) {
    if (tile.type->blayout != PTO_ROW_MAJOR)
        return PTO_AXIS_NO;
    return both(equal_extent(tile.valid_rows, dst.valid_rows), equal_extent(tile.valid_cols, dst.valid_cols));
}

static pto_axis_answer is_row_expanded(pto_axis_tile tile, pto_axis_tile dst) {
    int32_t cols = tile.type->blayout == PTO_COL_MAJOR ? 1 : BLOCK_BYTES / element_bytes(tile.type);
    return both(equal_extent(tile.valid_rows, dst.valid_rows), equal_extent(tile.valid_cols, cols));
}

static pto_axis_answer is_col_expanded(pto_axis_tile tile, pto_axis_tile dst) {
    pto_axis_answer row = tile.valid_rows < 0    ? PTO_AXIS_UNKNOWN
                          : tile.valid_rows >= 1 ? PTO_AXIS_YES
                          : dst.valid_rows == 0  ? PTO_AXIS_YES /* nothing is read */
                                                 : PTO_AXIS_NO;
    return both(row, equal_extent(tile.valid_cols, dst.valid_cols));
}

/* src0 is full where it can be; the roles change without changing the order of the operation. */
static pto_expand_roles choose(pto_axis_answer first, pto_axis_answer second, pto_axis_tile src0,
                               pto_axis_tile src1) {
    if (first == PTO_AXIS_YES)
        return (pto_expand_roles){PTO_AXIS_YES, 0, src1.type->blayout == PTO_COL_MAJOR ? 1 : 2};
    if (first == PTO_AXIS_UNKNOWN || second == PTO_AXIS_UNKNOWN)
        return (pto_expand_roles){.answer = PTO_AXIS_UNKNOWN};
    return (pto_expand_roles){second, 1, src0.type->blayout == PTO_COL_MAJOR ? 1 : 2};
}

pto_expand_roles pto_row_expand_classify(pto_axis_tile dst, pto_axis_tile src0, pto_axis_tile src1) {
    return choose(both(is_full(src0, dst), is_row_expanded(src1, dst)),
                  both(is_full(src1, dst), is_row_expanded(src0, dst)), src0, src1);
}

pto_expand_roles pto_col_expand_classify(pto_axis_tile dst, pto_axis_tile src0, pto_axis_tile src1) {
    return choose(both(is_full(src0, dst), is_col_expanded(src1, dst)),
                  both(is_full(src1, dst), is_col_expanded(src0, dst)), src0, src1);
}

uint64_t pto_row_expand_tmp_bytes(int32_t rows) {
    /* 8 rows a repeat of 256 bytes; from 256 rows on in chunks of 30 repeats that reuse the buffer */
    if (rows >= 256)
        return 30 * 256;
    return rows > 0 ? (uint64_t)(rows + 7) / 8 * 256 : 0;
}

static pto_expand_roles row_roles(const pto_legality *legality) {
    return pto_row_expand_classify(axis_tile(&legality->operand[0]), axis_tile(&legality->operand[1]),
                                   axis_tile(&legality->operand[2]));
}

static void refuse_expand_in_place(pto_legality *legality, int expanded) {
    if (pto_legality_overlap(legality, 0, expanded) == PTO_OVERLAP_SAME_START)
        pto_legality_refuse(legality, "PTO-E0611", 0, "another tile", "the tile of %s",
                            legality->form->operand[expanded].name);
}

static void refuse_roles(pto_legality *legality, const char *rule) {
    const pto_legality_operand *dst = &legality->operand[0], *src0 = &legality->operand[1],
                               *src1 = &legality->operand[2];
    pto_legality_refuse(legality, rule, -1, NULL, "dst %d x %d, src0 %d x %d %s, src1 %d x %d %s",
                        dst->valid_rows, dst->valid_cols, src0->valid_rows, src0->valid_cols,
                        pto_tile_type_layout_name(&src0->type), src1->valid_rows, src1->valid_cols,
                        pto_tile_type_layout_name(&src1->type));
}

void pto_rule_row_expand_mode(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type;
    if (dst->blayout != PTO_ROW_MAJOR)
        pto_legality_refuse(legality, "PTO-E0321", 0, "ND (row_major, none_box)", "%s",
                            pto_tile_type_layout_name(dst));
    pto_expand_roles roles = row_roles(legality);
    if (roles.answer == PTO_AXIS_NO && !legality->failed)
        refuse_roles(legality, "PTO-E0610");
    if (roles.answer != PTO_AXIS_YES || roles.mode != 2 || legality->target == PTO_TARGET_CPU)
        return;
    const pto_tile_type *expanded = &legality->operand[2 - roles.full].type;
    int32_t block = BLOCK_BYTES / element_bytes(expanded);
    if (expanded->cols != block && legality->operand[2 - roles.full].valid_rows > 1) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d physical columns", block);
        pto_legality_refuse(legality, "PTO-W0614", 2 - roles.full, allowed, "%d", expanded->cols);
    }
}

void pto_rule_row_expand_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    enum { TMP = 3 };
    const pto_legality_operand *tmp = &legality->operand[TMP];
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    if (tmp->kind != PTO_OPERAND_TILE)
        return;
    pto_expand_roles roles = row_roles(legality);
    if (roles.answer == PTO_AXIS_YES && roles.mode == 2) {
        pto_legality_refuse(legality, a2a3 ? "PTO-E0612" : "PTO-W0612", TMP, "no scratch tile in mode 2",
                            "a scratch tile");
        return;
    }
    if (!a2a3)
        return;
    refuse_tmp_type(legality, TMP, 0);
    if (!pto_tile_type_is_flat_row_major(&tmp->type))
        pto_legality_refuse(legality, "PTO-E0606", TMP, "ND", "%s", pto_tile_type_layout_name(&tmp->type));
    int32_t rows = legality->operand[0].valid_rows;
    if (rows >= 0)
        pto_legality_require_tmp_bytes(legality, TMP, pto_row_expand_tmp_bytes(rows));
}

/* Where the operands lie: the destination apart from the expanded operand, all of them apart from the
 * implicit scratch. */
void pto_rule_row_expand_place(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_expand_roles roles = row_roles(legality);
    if (roles.answer != PTO_AXIS_YES)
        return;
    refuse_expand_in_place(legality, 2 - roles.full);
    const pto_legality_operand *operand = legality->operand;
    if (legality->target != PTO_TARGET_A2A3 || roles.mode != 1 || operand[3].kind == PTO_OPERAND_TILE ||
        operand[0].valid_rows == 0 || operand[0].valid_cols == 0)
        return;
    for (int i = 0; i < 3; i++) {
        uint64_t end = operand[i].addr + pto_tile_type_bytes(&operand[i].type);
        if (operand[i].addr_known && operand[i].addr < PTO_IMPLICIT_SCRATCH_END &&
            end > PTO_IMPLICIT_SCRATCH_BEGIN)
            pto_legality_refuse(legality, "PTO-E0613", i, "bytes below 188416, or a scratch tile",
                                "bytes %llu to %llu", (unsigned long long)operand[i].addr,
                                (unsigned long long)end - 1);
    }
}

void pto_rule_col_expand_shape(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    pto_expand_roles roles = pto_col_expand_classify(
        axis_tile(&legality->operand[0]), axis_tile(&legality->operand[1]), axis_tile(&legality->operand[2]));
    if (roles.answer == PTO_AXIS_NO)
        refuse_roles(legality, "PTO-E0615");
    else if (roles.answer == PTO_AXIS_YES && legality->operand[0].valid_rows > 1)
        refuse_expand_in_place(legality, 2 - roles.full);
}

void pto_rule_row_expand_copy(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    if (!pto_tile_type_is_flat_row_major(&dst->type))
        pto_legality_refuse(legality, "PTO-E0321", 0, "ND (row_major, none_box)", "%s",
                            pto_tile_type_layout_name(&dst->type));
    if (!is_flat(&src->type))
        pto_legality_refuse(legality, "PTO-E0321", 1, "a layout without boxes", "%s",
                            pto_tile_type_layout_name(&src->type));
    if (equal_extent(dst->valid_rows, src->valid_rows) == PTO_AXIS_NO) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d valid rows, as dst", dst->valid_rows);
        pto_legality_refuse(legality, "PTO-E0616", 1, allowed, "%d valid rows", src->valid_rows);
    }
    int32_t cols = src->type.valid_cols;
    if (legality->target == PTO_TARGET_A5 && cols != 1 && cols != PTO_DYNAMIC)
        pto_legality_refuse(legality, "PTO-E0617", 1, "1, or dynamic", "%d valid columns", cols);
    pto_overlap overlap = pto_legality_overlap(legality, 0, 1);
    if (overlap == PTO_OVERLAP_SHIFTED || (overlap == PTO_OVERLAP_SAME_START && dst->valid_cols > 1))
        pto_legality_refuse(legality, "PTO-E0325", 0, "no overlap", "shares bytes with src");
}

void pto_rule_col_expand_copy(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    if (equal_extent(dst->valid_cols, src->valid_cols) != PTO_AXIS_NO)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "%d valid columns, as dst", dst->valid_cols);
    pto_legality_refuse(legality, "PTO-E0616", 1, allowed, "%d valid columns", src->valid_cols);
}

/* ---- partial operations ---- */

/* Is the valid region of `operand` that of the destination; does it lie inside? */
static pto_axis_answer covers(const pto_legality *legality, int dst, int operand) {
    const pto_legality_operand *a = &legality->operand[dst], *b = &legality->operand[operand];
    return both(equal_extent(a->valid_rows, b->valid_rows), equal_extent(a->valid_cols, b->valid_cols));
}

static pto_axis_answer lies_inside(const pto_legality *legality, int dst, int operand) {
    const pto_legality_operand *a = &legality->operand[dst], *b = &legality->operand[operand];
    if ((a->valid_rows >= 0 && b->valid_rows > a->valid_rows) ||
        (a->valid_cols >= 0 && b->valid_cols > a->valid_cols))
        return PTO_AXIS_NO;
    return a->valid_rows >= 0 && a->valid_cols >= 0 && b->valid_rows >= 0 && b->valid_cols >= 0
               ? PTO_AXIS_YES
               : PTO_AXIS_UNKNOWN;
}

/* partial_cover(dst, src0, src1) */
void pto_rule_partial_cover(pto_legality *legality, const pto_rule_use *use) {
    const int dst = use->arg[0];
    const pto_legality_operand *operand = legality->operand;
    if (operand[dst].valid_rows == 0 || operand[dst].valid_cols == 0)
        return; /* nothing happens */
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at most %d x %d, as dst, and one source as large",
             operand[dst].valid_rows, operand[dst].valid_cols);
    for (int i = 1; i < 3; i++) {
        const int src = use->arg[i];
        if (lies_inside(legality, dst, src) == PTO_AXIS_NO) {
            pto_legality_refuse(legality, "PTO-E0618", src, allowed, "%d x %d", operand[src].valid_rows,
                                operand[src].valid_cols);
            return;
        }
    }
    if (covers(legality, dst, use->arg[1]) == PTO_AXIS_NO &&
        covers(legality, dst, use->arg[2]) == PTO_AXIS_NO)
        pto_legality_refuse(legality, "PTO-E0618", -1, allowed, "%d x %d and %d x %d",
                            operand[use->arg[1]].valid_rows, operand[use->arg[1]].valid_cols,
                            operand[use->arg[2]].valid_rows, operand[use->arg[2]].valid_cols);
}
