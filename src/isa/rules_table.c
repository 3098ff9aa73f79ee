/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of MGATHER and MSCATTER (part 30), THISTOGRAM and TRANDOM (part 40, 5.3, 5.4). */
#include "isa/rules_shared.h"

#include <stdio.h>

void pto_rule_histogram_shape(pto_legality *, const pto_rule_use *);
void pto_rule_histogram_byte(pto_legality *, const pto_rule_use *);
void pto_rule_histogram_filter(pto_legality *, const pto_rule_use *);
void pto_rule_random_rounds(pto_legality *, const pto_rule_use *);
void pto_rule_table_types(pto_legality *, const pto_rule_use *);
void pto_rule_table_index(pto_legality *, const pto_rule_use *);
void pto_rule_table_extents(pto_legality *, const pto_rule_use *);
void pto_rule_table_layout(pto_legality *, const pto_rule_use *);
void pto_rule_gather_modes(pto_legality *, const pto_rule_use *);
void pto_rule_gather_mat(pto_legality *, const pto_rule_use *);
void pto_rule_gather_exec(pto_legality *, const pto_rule_use *);
void pto_rule_gather_form(pto_legality *, const pto_rule_use *);
void pto_rule_gather_scratch(pto_legality *, const pto_rule_use *);
void pto_rule_scatter_modes(pto_legality *, const pto_rule_use *);
void pto_rule_scatter_atomic(pto_legality *, const pto_rule_use *);

static bool differs(int32_t a, int32_t b) { return a >= 0 && b >= 0 && a != b; }

static bool number_of(const pto_legality *legality, int operand, int64_t *value) {
    const pto_legality_operand *o = &legality->operand[operand];
    *value = o->kind == PTO_OPERAND_ABSENT ? legality->form->operand[operand].attr_default : o->value.i;
    return o->kind == PTO_OPERAND_ABSENT || o->value_known;
}

/* ---- THISTOGRAM, TRANDOM ---- */

/* The counted byte: isMSB, where given, stands for byte 1 or 0. */
static bool counted_byte(const pto_legality *legality, int byte_operand, int msb_operand, int64_t *byte) {
    int64_t msb;
    if (!number_of(legality, msb_operand, &msb))
        return false;
    *byte = msb;
    return msb >= 0 || number_of(legality, byte_operand, byte);
}

/* histogram_byte(src, byte, isMSB) */
void pto_rule_histogram_byte(pto_legality *legality, const pto_rule_use *use) {
    const int64_t size = pto_dtype_bits(legality->operand[use->arg[0]].type.dtype) / 8;
    int64_t byte, msb;
    if (number_of(legality, use->arg[2], &msb) && (msb > 1 || (msb >= 0 && size != 2))) {
        pto_legality_refuse(legality, "PTO-E0884", use->arg[2], size == 2 ? "0 or 1" : "byte = 0..3", "%lld",
                            (long long)msb);
        return;
    }
    if (counted_byte(legality, use->arg[1], use->arg[2], &byte) && (byte < 0 || byte >= size))
        pto_legality_refuse(legality, "PTO-E0884", use->arg[1], size == 2 ? "0..1" : "0..3", "%lld",
                            (long long)byte);
}

/* histogram_shape(dst, src) */
void pto_rule_histogram_shape(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    for (int i = 0; i < 2; i++) {
        const pto_tile_type *type = &legality->operand[use->arg[i]].type;
        if (!pto_tile_type_is_flat_row_major(type))
            pto_legality_refuse(legality, "PTO-E0882", use->arg[i], "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(type));
    }
    if (differs(dst->valid_rows, src->valid_rows))
        pto_legality_refuse(legality, "PTO-E0882", use->arg[0], "the valid rows of src", "%d rows",
                            dst->valid_rows);
    const bool exact = legality->target == PTO_TARGET_A5;
    if (dst->type.cols < 256 || (exact && dst->type.cols != 256) ||
        (dst->valid_cols >= 0 && dst->valid_cols < 256))
        pto_legality_refuse(legality, "PTO-E0882", use->arg[0],
                            exact ? "256 columns" : "at least 256 valid columns", "%d of %d columns",
                            dst->valid_cols, dst->type.cols);
}

/* histogram_filter(idx, src, byte, isMSB) */
void pto_rule_histogram_filter(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *idx = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    int64_t byte;
    if (!counted_byte(legality, use->arg[2], use->arg[3], &byte))
        return;
    char allowed[64];
    int64_t rows = 3 - byte;
    if (pto_dtype_bits(src->type.dtype) == 16) {
        rows = src->valid_rows;
        if (idx->type.blayout != PTO_COL_MAJOR || idx->type.slayout != PTO_NONE_BOX || idx->type.cols != 1)
            pto_legality_refuse(legality, "PTO-E0883", use->arg[0], "one column, column-major",
                                "%s of %d columns", pto_tile_type_layout_name(&idx->type), idx->type.cols);
    }
    if (idx->type.rows < rows || (idx->valid_rows >= 0 && idx->valid_rows < rows)) {
        snprintf(allowed, sizeof allowed, "at least %lld rows", (long long)rows);
        pto_legality_refuse(legality, "PTO-E0883", use->arg[0], allowed, "%d rows", idx->valid_rows);
    }
}

/* random_rounds(rounds) */
void pto_rule_random_rounds(pto_legality *legality, const pto_rule_use *use) {
    int64_t rounds;
    if (number_of(legality, use->arg[0], &rounds) && rounds != 7 && rounds != 10)
        pto_legality_refuse(legality, "PTO-E0885", use->arg[0], "7 or 10", "%lld", (long long)rounds);
}

/* ---- MGATHER, MSCATTER ---- */

/* table_types(tile, table) */
void pto_rule_table_types(pto_legality *legality, const pto_rule_use *use) {
    const pto_dtype tile = legality->operand[use->arg[0]].type.dtype,
                    table = legality->operand[use->arg[1]].dtype;
    char allowed[48];
    if (pto_dtype_bits(tile) != pto_dtype_bits(table)) {
        snprintf(allowed, sizeof allowed, "%u bits, as the tile", pto_dtype_bits(tile));
        pto_legality_refuse(legality, "PTO-E0328", use->arg[1], allowed, "%u bits", pto_dtype_bits(table));
    } else if (legality->target != PTO_TARGET_CPU && tile != table) {
        pto_legality_refuse(legality, "PTO-E0303", use->arg[1], pto_dtype_name(tile), "%s",
                            pto_dtype_name(table));
    }
}

/* The index tensor has an index for every row, or one at every place. */
static void index_tensor(pto_legality *legality, int operand, const pto_legality_operand *tile,
                         int64_t coalesce) {
    const int64_t *shape = legality->operand[operand].shape;
    char allowed[64];
    if (coalesce == PTO_COALESCE_ELEM) {
        snprintf(allowed, sizeof allowed, "at least %d x %d", tile->valid_rows, tile->valid_cols);
        if ((shape[3] >= 0 && shape[3] < tile->valid_rows) || (shape[4] >= 0 && shape[4] < tile->valid_cols))
            pto_legality_refuse(legality, "PTO-E0891", operand, allowed, "%lld x %lld", (long long)shape[3],
                                (long long)shape[4]);
        return;
    }
    int64_t elements = 1;
    for (int d = 0; d < 5; d++) {
        if (shape[d] < 0)
            return;
        if (__builtin_mul_overflow(elements, shape[d], &elements))
            elements = INT32_MAX;
    }
    snprintf(allowed, sizeof allowed, "at least %d indices", tile->valid_rows);
    if (elements < tile->valid_rows)
        pto_legality_refuse(legality, "PTO-E0891", operand, allowed, "%lld", (long long)elements);
}

/* table_index(idx, tile, coalesce); idx is a tile or a tensor */
void pto_rule_table_index(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *idx = &legality->operand[use->arg[0]],
                               *tile = &legality->operand[use->arg[1]];
    const bool tensor = idx->kind == PTO_OPERAND_GLOBAL;
    const pto_dtype type = tensor ? idx->dtype : idx->type.dtype;
    const unsigned bits = pto_dtype_is_int(type) ? pto_dtype_bits(type) : 0;
    const bool cpu = legality->target == PTO_TARGET_CPU;
    if (cpu ? bits < 8 : bits != 32) {
        pto_legality_refuse(legality, "PTO-E0892", use->arg[0], cpu ? "an integer type" : "s32 u32", "%s",
                            pto_dtype_name(type));
        return;
    }
    int64_t coalesce;
    if (!number_of(legality, use->arg[2], &coalesce))
        return;
    if (tensor) {
        index_tensor(legality, use->arg[0], tile, coalesce);
        return;
    }
    char allowed[64];
    if (coalesce == PTO_COALESCE_ELEM) {
        snprintf(allowed, sizeof allowed, "%d x %d", tile->valid_rows, tile->valid_cols);
        if (differs(idx->valid_rows, tile->valid_rows) || differs(idx->valid_cols, tile->valid_cols))
            pto_legality_refuse(legality, "PTO-E0891", use->arg[0], allowed, "%d x %d", idx->valid_rows,
                                idx->valid_cols);
        return;
    }
    const bool column = idx->type.blayout == PTO_COL_MAJOR && legality->target != PTO_TARGET_A2A3;
    const bool flat = idx->type.slayout == PTO_NONE_BOX && (column || idx->type.blayout == PTO_ROW_MAJOR);
    const int32_t across = column ? idx->valid_cols : idx->valid_rows;
    const int32_t along = column ? idx->valid_rows : idx->valid_cols;
    if (flat && !differs(across, 1) && !differs(along, tile->valid_rows))
        return;
    snprintf(allowed, sizeof allowed, "a row-major row%s of %d",
             legality->target == PTO_TARGET_A2A3 ? "" : " or column-major column", tile->valid_rows);
    pto_legality_refuse(legality, "PTO-E0891", use->arg[0], allowed, "%s, %d x %d",
                        pto_tile_type_layout_name(&idx->type), idx->valid_rows, idx->valid_cols);
}

/* table_extents(table, tile, coalesce) */
void pto_rule_table_extents(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *table = &legality->operand[use->arg[0]],
                               *tile = &legality->operand[use->arg[1]];
    int64_t coalesce, cols = 1;
    for (int d = 0; d < 5; d++)
        if (table->shape[d] == 0) {
            pto_legality_refuse(legality, "PTO-E0890", use->arg[0], "extents of at least 1", "extent %d is 0",
                                d);
            return;
        }
    if (!number_of(legality, use->arg[2], &coalesce) || coalesce != PTO_COALESCE_ROW || tile->valid_cols < 0)
        return;
    static const int nz_cols[] = {0, 1, 4};
    for (int i = table->layout == PTO_LAYOUT_NZ ? 0 : 2; i < 3; i++) {
        const int64_t extent = table->shape[nz_cols[i]];
        if (extent < 0 || cols > INT32_MAX)
            return;
        cols *= extent > INT32_MAX ? INT32_MAX : extent;
    }
    const bool exact = legality->target == PTO_TARGET_A5;
    if (tile->valid_cols > cols || (exact && tile->valid_cols != cols)) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%s%lld columns", exact ? "" : "at most ", (long long)cols);
        pto_legality_refuse(legality, "PTO-E0890", use->arg[1], allowed, "%d columns", tile->valid_cols);
    }
}

static bool is_nz(const pto_tile_type *type) {
    return type->blayout == PTO_COL_MAJOR && type->slayout == PTO_BOX_ROW_MAJOR && type->fractal == 512;
}

/* table_layout(tile, table, idx) */
void pto_rule_table_layout(pto_legality *legality, const pto_rule_use *use) {
    const pto_tile_type *tile = &legality->operand[use->arg[0]].type,
                        *idx = &legality->operand[use->arg[2]].type;
    const pto_legality_operand *table = &legality->operand[use->arg[1]];
    const bool a5 = legality->target == PTO_TARGET_A5;
    if (a5 ? idx->slayout != PTO_NONE_BOX : !pto_tile_type_is_flat_row_major(idx))
        pto_legality_refuse(legality, "PTO-E0893", use->arg[2], a5 ? "ND or DN" : "ND", "%s",
                            pto_tile_type_layout_name(idx));
    if (table->layout == PTO_LAYOUT_NZ && !a5) {
        const int64_t inner = 256 / (int64_t)pto_dtype_bits(tile->dtype);
        if (!is_nz(tile))
            pto_legality_refuse(legality, "PTO-E0893", use->arg[0], "Nz, as the table", "%s",
                                pto_tile_type_layout_name(tile));
        if ((table->shape[3] >= 0 && table->shape[3] != 16) ||
            (table->shape[4] >= 0 && table->shape[4] != inner))
            pto_legality_refuse(legality, "PTO-E0893", use->arg[1], "boxes of 16 rows x 32 bytes",
                                "%lld x %lld", (long long)table->shape[3], (long long)table->shape[4]);
    } else if (table->layout != PTO_LAYOUT_ND) {
        pto_legality_refuse(legality, "PTO-E0893", use->arg[1], a5 ? "ND" : "ND or NZ", "%s",
                            table->layout == PTO_LAYOUT_DN ? "DN" : "NZ");
    } else if (a5 ? tile->slayout != PTO_NONE_BOX : !pto_tile_type_is_flat_row_major(tile)) {
        pto_legality_refuse(legality, "PTO-E0893", use->arg[0], a5 ? "ND or DN" : "ND", "%s",
                            pto_tile_type_layout_name(tile));
    }
}

static void check_mode(pto_legality *legality, int operand, int64_t last) {
    int64_t mode;
    char allowed[24];
    snprintf(allowed, sizeof allowed, "0..%lld", (long long)last);
    if (number_of(legality, operand, &mode) && (mode < 0 || mode > last))
        pto_legality_refuse(legality, "PTO-E0894", operand, allowed, "%lld", (long long)mode);
}

/* gather_modes(coalesce, gatherOob) */
void pto_rule_gather_modes(pto_legality *legality, const pto_rule_use *use) {
    check_mode(legality, use->arg[0], PTO_COALESCE_ELEM);
    check_mode(legality, use->arg[1], PTO_GATHER_ZERO);
}

/* gather_mat(dst, table) */
void pto_rule_gather_mat(pto_legality *legality, const pto_rule_use *use) {
    const pto_tile_type *dst = &legality->operand[use->arg[0]].type;
    const pto_legality_operand *table = &legality->operand[use->arg[1]];
    if (dst->loc != PTO_LOC_MAT)
        pto_legality_refuse(legality, "PTO-E0320", use->arg[0], "mat", "%s", pto_loc_name(dst->loc));
    if (legality->target == PTO_TARGET_CPU)
        return;
    if (!is_nz(dst))
        pto_legality_refuse(legality, "PTO-E0893", use->arg[0], "Nz", "%s", pto_tile_type_layout_name(dst));
    if (table->layout != PTO_LAYOUT_ND)
        pto_legality_refuse(legality, "PTO-E0893", use->arg[1], "ND", "%s",
                            table->layout == PTO_LAYOUT_DN ? "DN" : "NZ");
}

/* gather_exec(gatherExec) */
void pto_rule_gather_exec(pto_legality *legality, const pto_rule_use *use) {
    check_mode(legality, use->arg[0], legality->target != PTO_TARGET_A2A3);
}

/* gather_form(coalesce, scratch) */
void pto_rule_gather_form(pto_legality *legality, const pto_rule_use *use) {
    const bool scratch = legality->operand[use->arg[1]].kind != PTO_OPERAND_ABSENT;
    int64_t coalesce;
    if (number_of(legality, use->arg[0], &coalesce) && (coalesce == PTO_COALESCE_ELEM) != scratch)
        pto_legality_refuse(legality, "PTO-E0896", use->arg[0],
                            scratch ? "elem, with a scratch tensor" : "row, without a scratch tensor", "%s",
                            coalesce == PTO_COALESCE_ELEM ? "elem" : "row");
}

/* gather_scratch(scratch, dst) */
void pto_rule_gather_scratch(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *scratch = &legality->operand[use->arg[0]];
    const pto_tile_type *dst = &legality->operand[use->arg[1]].type;
    if (scratch->kind == PTO_OPERAND_ABSENT)
        return;
    if (scratch->dtype != dst->dtype)
        pto_legality_refuse(legality, "PTO-E0303", use->arg[0], pto_dtype_name(dst->dtype), "%s",
                            pto_dtype_name(scratch->dtype));
    if (scratch->read_only)
        pto_legality_refuse(legality, "PTO-E0711", use->arg[0], "a tensor that may be written",
                            "a read-only tensor");
    int64_t elements = 1;
    const int64_t need = (int64_t)dst->rows * dst->cols;
    for (int d = 0; d < 5; d++) {
        if (scratch->shape[d] < 0)
            return;
        if (__builtin_mul_overflow(elements, scratch->shape[d], &elements))
            elements = INT64_MAX / 2;
    }
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %lld elements", (long long)need);
    if (elements < need)
        pto_legality_refuse(legality, "PTO-E0897", use->arg[0], allowed, "%lld", (long long)elements);
}

/* scatter_modes(coalesce, scatterAtomicOp, scatterOob, conflict) */
void pto_rule_scatter_modes(pto_legality *legality, const pto_rule_use *use) {
    check_mode(legality, use->arg[0], PTO_COALESCE_ELEM);
    check_mode(legality, use->arg[1], PTO_SCATTER_MIN);
    check_mode(legality, use->arg[2], PTO_SCATTER_WRAP);
    check_mode(legality, use->arg[3], PTO_SCATTER_DEFAULT);
}

/* scatter_atomic(src, scatterAtomicOp) */
void pto_rule_scatter_atomic(pto_legality *legality, const pto_rule_use *use) {
    const pto_dtype type = legality->operand[use->arg[0]].type.dtype;
    int64_t op;
    if (!number_of(legality, use->arg[1], &op) || op == PTO_SCATTER_REPLACE ||
        legality->target == PTO_TARGET_CPU)
        return;
    const bool word = type == PTO_S32 || type == PTO_F32, half = type == PTO_F16 || type == PTO_BF16;
    const char *allowed;
    bool legal;
    if (op != PTO_SCATTER_ADD) {
        legal = legality->target == PTO_TARGET_A5 && (word || type == PTO_U32);
        allowed = legality->target == PTO_TARGET_A5 ? "s32 u32 f32" : "no max or min";
    } else if (legality->target == PTO_TARGET_A5) {
        legal = word || half || type == PTO_U32;
        allowed = "s32 u32 f16 bf16 f32";
    } else {
        legal = word || half || type == PTO_S8 || type == PTO_S16;
        allowed = "s8 s16 s32 f16 bf16 f32";
    }
    if (!legal)
        pto_legality_refuse(legality, "PTO-E0895", use->arg[0], allowed, "%s", pto_dtype_name(type));
}
