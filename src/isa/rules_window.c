/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of windows: TEXTRACT, TINSERT and TSUBVIEW (part 30). */
#include "isa/dtype_set.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

enum { CPU = 1 << PTO_TARGET_CPU, A2A3 = 1 << PTO_TARGET_A2A3, A5 = 1 << PTO_TARGET_A5 };

static bool is_layout(const pto_tile_type *type, const char *name) {
    const char *have = pto_tile_type_layout_name(type);
    return have[0] == name[0] && have[1] == name[1];
}

static bool same_layout(const pto_tile_type *a, const pto_tile_type *b) {
    return a->blayout == b->blayout && a->slayout == b->slayout &&
           (a->slayout == PTO_NONE_BOX || a->fractal == b->fractal);
}

static bool is_cpu(const pto_legality *legality) { return legality->target == PTO_TARGET_CPU; }
static bool is_a5(const pto_legality *legality) { return legality->target == PTO_TARGET_A5; }

/* An index operand; absent ones are 0, unknown ones PTO_UNKNOWN. */
static int64_t index_of(const pto_legality *legality, int operand) {
    const pto_legality_operand *index = &legality->operand[operand];
    if (index->kind == PTO_OPERAND_ABSENT)
        return 0;
    return index->value_known && index->value.i >= 0 ? index->value.i : PTO_UNKNOWN;
}

static unsigned bits_of(const pto_tile_type *type) { return pto_dtype_bits(type->dtype); }
/* Elements of 32 bytes; of a type without a size 1. */
static int64_t c0_of(const pto_tile_type *type) { return bits_of(type) ? (int64_t)(256 / bits_of(type)) : 1; }

/* ---- paths, types, layouts; extract and insert differ in a few of them ---- */

static unsigned path_targets(pto_loc src, pto_loc dst, bool extract) {
    if (src == PTO_LOC_VEC)
        return dst == PTO_LOC_VEC ? CPU | A2A3 | A5 : dst == PTO_LOC_MAT ? CPU | A5 : 0;
    if (src == PTO_LOC_ACC)
        return dst == PTO_LOC_MAT ? CPU | A2A3 | A5 : dst == PTO_LOC_VEC ? CPU | A5 : 0;
    if (src != PTO_LOC_MAT || !extract)
        return 0;
    return dst == PTO_LOC_LEFT || dst == PTO_LOC_RIGHT               ? CPU | A2A3 | A5
           : dst == PTO_LOC_SCALE_LEFT || dst == PTO_LOC_SCALE_RIGHT ? CPU | A5
                                                                     : 0;
}

static void check_path(pto_legality *legality, const pto_rule_use *use, bool extract) {
    pto_loc dst = legality->operand[use->arg[0]].type.loc, src = legality->operand[use->arg[1]].type.loc;
    if (path_targets(src, dst, extract) & 1u << legality->target)
        return;
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    const char *allowed = extract
                              ? (a2a3 ? "mat to left, right; acc to mat; vec to vec"
                                      : "mat to left, right, scale_left, scale_right; acc to mat, vec; vec "
                                        "to vec, mat")
                              : (a2a3 ? "acc to mat; vec to vec" : "acc to mat, vec; vec to vec, mat");
    pto_legality_refuse(legality, "PTO-E0760", use->arg[1], allowed, "%s to %s", pto_loc_name(src),
                        pto_loc_name(dst));
}

/* extract_path(dst, src), insert_path(dst, src) */
void pto_rule_extract_path(pto_legality *legality, const pto_rule_use *use) {
    check_path(legality, use, true);
}
void pto_rule_insert_path(pto_legality *legality, const pto_rule_use *use) {
    check_path(legality, use, false);
}

static bool acc_types(const pto_legality *legality, pto_dtype src, pto_dtype dst) {
    bool a2a3 = legality->target == PTO_TARGET_A2A3;
    if (src == PTO_F32)
        return dst == PTO_F16 || dst == PTO_BF16 || (dst == PTO_F32 && !a2a3);
    return src == PTO_S32 && dst == PTO_S32 && !a2a3;
}

#define CUBE_TYPES (DTYPES(PTO_S8) | DTYPES(PTO_F16) | DTYPES(PTO_BF16) | DTYPES(PTO_F32))

static void check_types(pto_legality *legality, const pto_rule_use *use, bool extract) {
    const pto_tile_type *dst = &legality->operand[use->arg[0]].type,
                        *src = &legality->operand[use->arg[1]].type;
    bool a5 = is_a5(legality), ok;
    const char *allowed;
    if (src->loc == PTO_LOC_ACC) {
        ok = acc_types(legality, src->dtype, dst->dtype);
        allowed =
            legality->target == PTO_TARGET_A2A3 ? "f32 to f16, bf16" : "f32 to f32, f16, bf16; s32 to s32";
    } else if (is_cpu(legality)) {
        return;
    } else {
        uint32_t set;
        if (src->loc == PTO_LOC_MAT) {
            set = CUBE_TYPES | (a5 ? DTYPES_SMALL_FLOAT : 0);
            allowed = a5 ? "equal types of s8 hif8 e5m2 e4m3 e8m0 f16 bf16 f32 e2m1 e1m2"
                         : "equal types of s8 f16 bf16 f32";
        } else if (extract || !a5) {
            set = DTYPES_STD9 | (a5 ? DTYPES_SMALL_FLOAT : 0);
            allowed = a5 ? "equal types of s8 u8 s16 u16 s32 u32 f16 bf16 f32 hif8 e4m3 e5m2 e8m0 e2m1 e1m2"
                         : "equal types of s8 u8 s16 u16 s32 u32 f16 bf16 f32";
        } else {
            set = CUBE_TYPES | DTYPES(PTO_S32) | DTYPES_SMALL_FLOAT;
            allowed = "equal types of f16 bf16 f32 s32 s8 hif8 e4m3 e5m2 e8m0 e2m1 e1m2";
        }
        ok = dst->dtype == src->dtype && dtype_in(src->dtype, set);
    }
    if (!ok)
        pto_legality_refuse(legality, "PTO-E0761", use->arg[0], allowed, "%s to %s",
                            pto_dtype_name(src->dtype), pto_dtype_name(dst->dtype));
}

/* extract_types(dst, src), insert_types(dst, src) */
void pto_rule_extract_types(pto_legality *legality, const pto_rule_use *use) {
    check_types(legality, use, true);
}
void pto_rule_insert_types(pto_legality *legality, const pto_rule_use *use) {
    check_types(legality, use, false);
}

static bool one_row_vector(const pto_tile_type *dst, const pto_tile_type *src) {
    return src->rows == 1 && dst->rows == 1 && is_layout(src, "ND");
}

/* NULL = accepted; else what is. */
static const char *extract_layouts(const pto_legality *legality, const pto_tile_type *dst,
                                   const pto_tile_type *src) {
    bool a5 = is_a5(legality);
    switch (dst->loc) {
    case PTO_LOC_LEFT:
        if (is_layout(dst, a5 ? "Nz" : "Zz") && dst->fractal == 512 &&
            (is_layout(src, "Nz") || is_layout(src, "Zn") || one_row_vector(dst, src)))
            return NULL;
        return a5 ? "Nz, Zn or one ND row to Nz with fractal 512"
                  : "Nz, Zn or one ND row to Zz with fractal 512";
    case PTO_LOC_RIGHT:
        return is_layout(dst, "Zn") && dst->fractal == 512 && (is_layout(src, "Nz") || is_layout(src, "Zn"))
                   ? NULL
                   : "Nz or Zn to Zn with fractal 512";
    case PTO_LOC_SCALE_LEFT:
        return is_layout(dst, "Zz") && dst->fractal == 32 && same_layout(dst, src) ? NULL
                                                                                   : "Zz to Zz, fractal 32";
    case PTO_LOC_SCALE_RIGHT:
        return is_layout(dst, "Nn") && dst->fractal == 32 && same_layout(dst, src) ? NULL
                                                                                   : "Nn to Nn, fractal 32";
    default:
        break;
    }
    if (src->loc == PTO_LOC_ACC) {
        if (dst->loc == PTO_LOC_MAT)
            return is_layout(src, "Nz") && is_layout(dst, "Nz") && dst->fractal == 512
                       ? NULL
                       : "Nz to Nz with fractal 512";
        return is_layout(src, "Nz") && is_layout(dst, "ND") ? NULL : "Nz to ND";
    }
    return same_layout(dst, src) && (is_layout(src, "ND") || is_layout(src, "Nz")) ? NULL
                                                                                   : "ND to ND, Nz to Nz";
}

static const char *insert_layouts(const pto_tile_type *dst, const pto_tile_type *src) {
    if (src->loc == PTO_LOC_ACC) {
        if (dst->loc == PTO_LOC_MAT)
            return is_layout(src, "Nz") && is_layout(dst, "Nz") && dst->fractal == 512
                       ? NULL
                       : "Nz to Nz with fractal 512";
        return is_layout(src, "Nz") && (is_layout(dst, "ND") || is_layout(dst, "DN") || is_layout(dst, "Nz"))
                   ? NULL
                   : "Nz to ND, DN or Nz";
    }
    bool zn = dst->loc == PTO_LOC_MAT && is_layout(src, "Zn");
    if (same_layout(dst, src) && (is_layout(src, "ND") || is_layout(src, "Nz") || zn))
        return NULL;
    return dst->loc == PTO_LOC_MAT ? "ND to ND, Nz to Nz, Zn to Zn" : "ND to ND, Nz to Nz";
}

static void refuse_layouts(pto_legality *legality, int dst, int src, const char *allowed) {
    const pto_tile_type *to = &legality->operand[dst].type, *from = &legality->operand[src].type;
    if (allowed)
        pto_legality_refuse(legality, "PTO-E0764", dst, allowed, "%s (fractal %d) to %s (fractal %d)",
                            pto_tile_type_layout_name(from), from->fractal, pto_tile_type_layout_name(to),
                            to->fractal);
}

/* extract_layout(dst, src), insert_layout(dst, src): the hardware targets */
void pto_rule_extract_layout(pto_legality *legality, const pto_rule_use *use) {
    refuse_layouts(legality, use->arg[0], use->arg[1],
                   extract_layouts(legality, &legality->operand[use->arg[0]].type,
                                   &legality->operand[use->arg[1]].type));
}
void pto_rule_insert_layout(pto_legality *legality, const pto_rule_use *use) {
    refuse_layouts(
        legality, use->arg[0], use->arg[1],
        insert_layouts(&legality->operand[use->arg[0]].type, &legality->operand[use->arg[1]].type));
}

/* extract_nd_nz(dst, src): the two-window form on hardware */
void pto_rule_extract_nd_nz(pto_legality *legality, const pto_rule_use *use) {
    const pto_tile_type *dst = &legality->operand[use->arg[0]].type,
                        *src = &legality->operand[use->arg[1]].type;
    refuse_layouts(legality, use->arg[0], use->arg[1],
                   is_layout(src, "ND") && is_layout(dst, "Nz") && dst->fractal == 512
                       ? NULL
                       : "ND to Nz with fractal 512");
}

/* ---- bounds ---- */

static bool index_ok(pto_legality *legality, int operand) {
    const pto_legality_operand *index = &legality->operand[operand];
    if (index->kind != PTO_OPERAND_SCALAR || !index->value_known ||
        (index->value.i >= 0 && index->value.i <= UINT16_MAX))
        return true;
    pto_legality_refuse(legality, "PTO-E0762", operand, "0 to 65535", "%lld", (long long)index->value.i);
    return false;
}

/* index + count <= limit, where all are known */
static bool inside(pto_legality *legality, const char *rule, int operand, int64_t index, int64_t count,
                   int64_t limit, const char *what) {
    if (index < 0 || count < 0 || limit < 0 || index + count <= limit)
        return true;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at most %lld", (long long)limit);
    pto_legality_refuse(legality, rule, operand, allowed, "%s %lld + %lld", what, (long long)index,
                        (long long)count);
    return false;
}

static void check_extract_bounds(pto_legality *legality, int dst_at, int src_at, int row_at, int col_at,
                                 bool capacities, int64_t rows, int64_t cols) {
    const pto_legality_operand *dst = &legality->operand[dst_at], *src = &legality->operand[src_at];
    if (!index_ok(legality, row_at) || !index_ok(legality, col_at))
        return;
    int64_t row = index_of(legality, row_at), col = index_of(legality, col_at);
    if (capacities && (!inside(legality, "PTO-E0762", src_at, row, dst->type.rows, src->type.rows, "row") ||
                       !inside(legality, "PTO-E0762", src_at, col, dst->type.cols, src->type.cols, "column")))
        return;
    if (!inside(legality, "PTO-E0762", src_at, row, rows, src->type.rows, "row") ||
        !inside(legality, "PTO-E0762", src_at, col, cols, src->type.cols, "column"))
        return;
    if (inside(legality, "PTO-W0763", src_at, row, rows, src->valid_rows, "row"))
        inside(legality, "PTO-W0763", src_at, col, cols, src->valid_cols, "column");
}

/* extract_bounds(dst, src, indexRow, indexCol[, accToVecMode]): the window lies in the source. */
void pto_rule_extract_bounds(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    bool npu = !is_cpu(legality), vec = src->type.loc == PTO_LOC_VEC && dst->type.loc == PTO_LOC_VEC;
    int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    if (use->arg_count > 4 && legality->operand[use->arg[4]].value_known) {
        int64_t mode = legality->operand[use->arg[4]].value.i;
        rows = mode == 2 && rows >= 0 ? 2 * rows : rows;
        cols = mode == 3 && cols >= 0 ? 2 * cols : cols;
    }
    if (npu && vec) {
        bool a5_nz = is_a5(legality) && is_layout(&dst->type, "Nz");
        if ((!a5_nz && dst->type.rows > src->type.rows) || dst->type.cols > src->type.cols) {
            char allowed[48];
            snprintf(allowed, sizeof allowed, "at most %d x %d", src->type.rows, src->type.cols);
            pto_legality_refuse(legality, "PTO-E0762", use->arg[0], allowed, "%d x %d", dst->type.rows,
                                dst->type.cols);
            return;
        }
    }
    check_extract_bounds(legality, use->arg[0], use->arg[1], use->arg[2], use->arg[3], npu && !vec, rows,
                         cols);
}

/* extract_window(dst, src, indexRow, indexCol): one of two windows, by valid extents */
void pto_rule_extract_window(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]];
    check_extract_bounds(legality, use->arg[0], use->arg[1], use->arg[2], use->arg[3], false, dst->valid_rows,
                         dst->valid_cols);
}

/* insert_bounds(dst, src, indexRow, indexCol[, accToVecMode]): of a dual mode one half */
void pto_rule_insert_bounds(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    if (!index_ok(legality, use->arg[2]) || !index_ok(legality, use->arg[3]))
        return;
    if (!is_cpu(legality) && src->type.loc == PTO_LOC_VEC &&
        (src->type.rows > dst->type.rows || src->type.cols > dst->type.cols)) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at most %d x %d", dst->type.rows, dst->type.cols);
        pto_legality_refuse(legality, "PTO-E0762", use->arg[1], allowed, "%d x %d", src->type.rows,
                            src->type.cols);
        return;
    }
    int32_t rows = src->valid_rows, cols = src->valid_cols;
    const pto_legality_operand *mode = use->arg_count > 4 ? &legality->operand[use->arg[4]] : NULL;
    if (mode && mode->kind != PTO_OPERAND_ABSENT && (!mode->value_known || mode->value.i == 2))
        rows = rows < 0 ? rows : rows / 2;
    if (mode && mode->kind != PTO_OPERAND_ABSENT && (!mode->value_known || mode->value.i == 3))
        cols = cols < 0 ? cols : cols / 2;
    if (inside(legality, "PTO-E0762", use->arg[0], index_of(legality, use->arg[2]), rows, dst->type.rows,
               "row"))
        inside(legality, "PTO-E0762", use->arg[0], index_of(legality, use->arg[3]), cols, dst->type.cols,
               "column");
}

/* ---- alignment: the hardware targets ---- */

static bool multiple(pto_legality *legality, int operand, int64_t value, int64_t unit, const char *what) {
    if (value < 0 || value % unit == 0)
        return true;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "a multiple of %lld", (long long)unit);
    pto_legality_refuse(legality, "PTO-E0765", operand, allowed, "%s %lld", what, (long long)value);
    return false;
}

static void check_cube_window(pto_legality *legality, const pto_rule_use *use, int64_t row, int64_t col) {
    const pto_tile_type *dst = &legality->operand[use->arg[0]].type,
                        *src = &legality->operand[use->arg[1]].type;
    int64_t c0 = c0_of(src);
    if (dst->loc == PTO_LOC_SCALE_LEFT || dst->loc == PTO_LOC_SCALE_RIGHT) {
        bool left = dst->loc == PTO_LOC_SCALE_LEFT;
        if (multiple(legality, use->arg[2], row, left ? 16 : 2, "row"))
            multiple(legality, use->arg[3], col, left ? 2 : 16, "column");
        return;
    }
    if (src->slayout == PTO_NONE_BOX) { /* one row for a matrix-vector product */
        int64_t unit = 4096 / (int64_t)bits_of(src);
        if (multiple(legality, use->arg[1], src->cols, unit, "columns") &&
            multiple(legality, use->arg[0], dst->cols, unit, "columns"))
            multiple(legality, use->arg[3], col, unit, "column");
        return;
    }
    bool straight = is_layout(src, dst->loc == PTO_LOC_LEFT ? "Nz" : "Zn"), nz = is_layout(src, "Nz");
    int64_t turned = bits_of(src) <= 8 ? 32 : 16;
    if (multiple(legality, use->arg[2], row, !straight ? turned : nz ? 16 : c0, "row"))
        multiple(legality, use->arg[3], col, !straight ? turned : nz ? c0 : 16, "column");
}

/* extract_alignment(dst, src, indexRow, indexCol) */
void pto_rule_extract_alignment(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    int64_t row = index_of(legality, use->arg[2]), col = index_of(legality, use->arg[3]);
    int64_t bits = bits_of(&dst->type), c0 = c0_of(&dst->type), vr = dst->valid_rows, vc = dst->valid_cols;
    bool a5 = is_a5(legality), nd = is_layout(&dst->type, "ND");
    if (src->type.loc == PTO_LOC_MAT) {
        check_cube_window(legality, use, row, col);
        return;
    }
    if (src->type.loc != PTO_LOC_VEC)
        return;
    if (dst->type.loc == PTO_LOC_MAT) {
        if (!nd)
            return;
        if (col > 0 || (vc >= 0 && (vc != dst->type.cols || vc != src->type.cols)) ||
            (vc >= 0 && src->valid_cols >= 0 && vc != src->valid_cols))
            pto_legality_refuse(legality, "PTO-E0765", use->arg[0], "whole rows of both tiles",
                                "%lld of %d columns", (long long)vc, src->type.cols);
        else if (vr >= 0 && vc >= 0)
            multiple(legality, use->arg[0], vr * vc * bits / 8, 32, "bytes");
        return;
    }
    if (vr == 1 && vc == 1)
        return;
    if (nd && !a5) {
        if (multiple(legality, use->arg[3], col, c0, "column") && vc >= 0)
            multiple(legality, use->arg[0], vc * bits / 8, 2, "bytes of a row");
    } else if (nd && bits == 4) {
        if (multiple(legality, use->arg[3], col, c0, "column") &&
            multiple(legality, use->arg[0], vc, c0, "columns") &&
            multiple(legality, use->arg[0], dst->type.cols, c0, "columns"))
            multiple(legality, use->arg[1], src->type.cols, c0, "columns");
    } else if (!nd) {
        if (multiple(legality, use->arg[3], col, c0, "column") && !a5 &&
            multiple(legality, use->arg[2], row, 16, "row") &&
            multiple(legality, use->arg[0], dst->type.rows, 16, "rows"))
            multiple(legality, use->arg[1], src->type.rows, 16, "rows");
    }
}

/* insert_alignment(dst, src, indexRow, indexCol) */
void pto_rule_insert_alignment(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *dst = &legality->operand[use->arg[0]], *src = &legality->operand[use->arg[1]];
    int64_t row = index_of(legality, use->arg[2]), col = index_of(legality, use->arg[3]);
    int64_t bits = bits_of(&dst->type), c0 = c0_of(&dst->type), vr = src->valid_rows, vc = src->valid_cols;
    bool a5 = is_a5(legality);
    if (src->type.loc != PTO_LOC_VEC || (vr == 1 && vc == 1 && dst->type.loc == PTO_LOC_VEC))
        return;
    if (is_layout(&src->type, "Zn")) {
        if (multiple(legality, use->arg[2], row, c0, "row"))
            multiple(legality, use->arg[1], vr, c0, "rows");
        return;
    }
    if (is_layout(&src->type, "Nz")) {
        if (multiple(legality, use->arg[3], col, c0, "column") && !a5)
            multiple(legality, use->arg[2], row, 16, "row");
        return;
    }
    if (!a5) {
        if (multiple(legality, use->arg[3], col, c0, "column") && vc >= 0)
            multiple(legality, use->arg[1], vc * bits / 8, 2, "bytes of a row");
    } else if (dst->type.loc == PTO_LOC_MAT) {
        if (multiple(legality, use->arg[1], vc, c0, "columns") && bits == 4)
            multiple(legality, use->arg[3], col, 2, "column");
    } else if (bits == 4) {
        if (multiple(legality, use->arg[3], col, 2, "column"))
            multiple(legality, use->arg[1], vc, 2, "columns");
    }
}

/* insert_split_form(dst, src, insertMode): Nz from vec to mat, in 2 or 4 pieces */
void pto_rule_insert_pieces(pto_legality *legality, const pto_rule_use *use) {
    const pto_tile_type *dst = &legality->operand[use->arg[0]].type,
                        *src = &legality->operand[use->arg[1]].type;
    const pto_legality_operand *mode = &legality->operand[use->arg[2]];
    if (mode->value_known && mode->value.i != 2 && mode->value.i != 3)
        pto_legality_refuse(legality, "PTO-E0714", use->arg[2], "split2 2, split4 3", "%lld",
                            (long long)mode->value.i);
    else if (src->loc != PTO_LOC_VEC || dst->loc != PTO_LOC_MAT)
        pto_legality_refuse(legality, "PTO-E0760", use->arg[1], "vec to mat", "%s to %s",
                            pto_loc_name(src->loc), pto_loc_name(dst->loc));
    else if (!is_cpu(legality) && !is_layout(src, "Nz"))
        refuse_layouts(legality, use->arg[0], use->arg[1], "Nz to Nz");
}

/* extract_scratch(dst, src, indexCol): the window of an odd number of bytes goes through vec [184K, 192K). */
void pto_rule_extract_scratch(pto_legality *legality, const pto_rule_use *use) {
    const uint64_t begin = 184 * 1024, end = 192 * 1024;
    const pto_legality_operand *dst = &legality->operand[use->arg[0]];
    int64_t col = index_of(legality, use->arg[2]);
    if (bits_of(&dst->type) != 8 || dst->valid_cols < 0 || dst->valid_cols % 2 == 0 || col < 0 || col % 32 ||
        (dst->valid_cols == 1 && dst->valid_rows == 1))
        return;
    for (int i = 0; i < 3; i++) {
        const pto_legality_operand *tile = &legality->operand[i];
        if (tile->kind == PTO_OPERAND_TILE && tile->addr_known && tile->addr < end &&
            tile->addr + pto_tile_type_bytes(&tile->type) > begin)
            pto_legality_refuse(legality, "PTO-E0766", i, "vec bytes 0 to 188415", "bytes %llu to %llu",
                                (unsigned long long)tile->addr,
                                (unsigned long long)(tile->addr + pto_tile_type_bytes(&tile->type) - 1));
    }
}

/* ---- TSUBVIEW: dst, src, rowIdx, colIdx ---- */

void pto_rule_subview_layout(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *dst = &legality->operand[0].type, *src = &legality->operand[1].type;
    bool rows_first = src->blayout == PTO_ROW_MAJOR;
    int32_t have = rows_first ? dst->cols : dst->rows, want = rows_first ? src->cols : src->rows;
    if (dst->loc != src->loc)
        pto_legality_refuse(legality, "PTO-E0780", 0, pto_loc_name(src->loc), "%s", pto_loc_name(dst->loc));
    else if (!same_layout(dst, src))
        pto_legality_refuse(legality, "PTO-E0780", 0, pto_tile_type_layout_name(src), "%s",
                            pto_tile_type_layout_name(dst));
    else if (have != want) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d %s, as src", want, rows_first ? "columns" : "rows");
        pto_legality_refuse(legality, "PTO-E0780", 0, allowed, "%d", have);
    }
}

void pto_rule_subview_bounds(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[0], *src = &legality->operand[1];
    if (!index_ok(legality, 2) || !index_ok(legality, 3))
        return;
    int64_t row = index_of(legality, 2), col = index_of(legality, 3);
    int64_t rows = dst->valid_rows, cols = dst->valid_cols;
    /* the first element of an empty view lies in the source, too */
    if (!inside(legality, "PTO-E0781", 0, row, rows == 0 ? 1 : rows, src->type.rows, "row") ||
        !inside(legality, "PTO-E0781", 0, col, cols == 0 ? 1 : cols, src->type.cols, "column"))
        return;
    if (inside(legality, "PTO-W0782", 0, row, rows, src->valid_rows, "row"))
        inside(legality, "PTO-W0782", 0, col, cols, src->valid_cols, "column");
}

void pto_rule_subview_alignment(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_tile_type *src = &legality->operand[1].type;
    int64_t row = index_of(legality, 2), col = index_of(legality, 3), unit_row = 1, unit_col = 1;
    if (src->slayout != PTO_NONE_BOX) {
        int32_t ir, ic;
        pto_tile_type_box(src, &ir, &ic);
        unit_row = src->rows == 1 ? 1 : ir;
        unit_col = ic;
    } else if (src->blayout == PTO_ROW_MAJOR) {
        unit_col = c0_of(src);
    } else {
        unit_row = c0_of(src);
    }
    const int64_t index[2] = {row, col}, unit[2] = {unit_row, unit_col};
    for (int i = 0; i < 2; i++)
        if (index[i] >= 0 && index[i] % unit[i]) {
            char allowed[48];
            snprintf(allowed, sizeof allowed, "a multiple of %lld", (long long)unit[i]);
            pto_legality_refuse(legality, "PTO-E0783", 2 + i, allowed, "%lld", (long long)index[i]);
        }
}
