/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of TQUANT and TDEQUANT (part 40, 2). */
#include "isa/axis.h"
#include "isa/rules_shared.h"

#include <stdio.h>

void pto_rule_quant_int8(pto_legality *, const pto_rule_use *);
void pto_rule_quant_layout(pto_legality *, const pto_rule_use *);
void pto_rule_quant_covers(pto_legality *, const pto_rule_use *);
void pto_rule_quant_parameters(pto_legality *, const pto_rule_use *);
void pto_rule_quant_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_dequant_parameters(pto_legality *, const pto_rule_use *);
void pto_rule_quant_mx_types(pto_legality *, const pto_rule_use *);
void pto_rule_quant_mx_shape(pto_legality *, const pto_rule_use *);
void pto_rule_quant_mx_outputs(pto_legality *, const pto_rule_use *);
void pto_rule_quant_mx_boxes(pto_legality *, const pto_rule_use *);

enum { DST = 0, SRC = 1, GROUP = 32 };

static int find(const pto_legality *legality, const char *name) {
    return pto_form_operand_index(legality->form, name);
}

/* The value of an attribute of the form, its default when it is absent; -1 when the form has none or when
 * it is unknown. */
static int64_t attribute(const pto_legality *legality, const char *name) {
    const int at = find(legality, name);
    if (at < 0)
        return -1;
    const pto_legality_operand *operand = &legality->operand[at];
    if (operand->kind == PTO_OPERAND_ABSENT)
        return legality->form->operand[at].attr_default;
    return operand->value_known ? operand->value.i : -1;
}

/* ---- INT8 ---- */

void pto_rule_quant_int8(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const int type_at = find(legality, "quant_type"), offset = find(legality, "offset");
    const int64_t type = attribute(legality, "quant_type");
    const pto_dtype dst = legality->operand[DST].type.dtype;
    const bool has_offset = legality->operand[offset].kind == PTO_OPERAND_TILE;
    if (type < 0)
        return;
    if (type != PTO_QUANT_INT8_SYM && type != PTO_QUANT_INT8_ASYM) {
        pto_legality_refuse(legality, "PTO-E0820", type_at, "INT8_SYM, INT8_ASYM", "quant type %lld",
                            (long long)type);
        return;
    }
    const bool symmetric = type == PTO_QUANT_INT8_SYM;
    if (dst != (symmetric ? PTO_S8 : PTO_U8))
        pto_legality_refuse(legality, "PTO-E0820", DST, symmetric ? "s8 for INT8_SYM" : "u8 for INT8_ASYM",
                            "%s", pto_dtype_name(dst));
    else if (symmetric == has_offset)
        pto_legality_refuse(legality, "PTO-E0820", offset,
                            symmetric ? "no offset for INT8_SYM" : "an offset for INT8_ASYM", "%s",
                            has_offset ? "an offset" : "nothing");
}

/* Data in rows; parameters are free. */
void pto_rule_quant_layout(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = DST; i <= SRC; i++)
        if (!pto_tile_type_is_flat_row_major(&legality->operand[i].type))
            pto_legality_refuse(legality, "PTO-E0321", i, "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(&legality->operand[i].type));
}

void pto_rule_quant_covers(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[DST], *src = &legality->operand[SRC];
    if (src->valid_rows <= dst->type.rows && src->valid_cols <= dst->type.cols)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least %d x %d", src->valid_rows, src->valid_cols);
    pto_legality_refuse(legality, "PTO-E0821", DST, allowed, "%d x %d", dst->type.rows, dst->type.cols);
}

/* quant_parameters(scale, offset): a2a3 expands a column, a5 reads consecutive words, cpu the first column.
 */
void pto_rule_quant_parameters(pto_legality *legality, const pto_rule_use *use) {
    const int32_t rows = legality->operand[SRC].valid_rows;
    for (int i = 0; i < use->arg_count; i++) {
        const pto_legality_operand *p = &legality->operand[use->arg[i]];
        if (p->kind != PTO_OPERAND_TILE)
            continue;
        const pto_tile_type *type = &p->type;
        char allowed[64];
        if (legality->target == PTO_TARGET_A2A3) {
            const bool column = type->blayout == PTO_COL_MAJOR && type->slayout == PTO_NONE_BOX;
            const bool shape = (p->valid_cols < 0 || p->valid_cols == 1) &&
                               (p->valid_rows < 0 || rows < 0 || p->valid_rows == rows);
            if (column && shape)
                continue;
            snprintf(allowed, sizeof allowed, "DN (col_major, none_box), %d x 1", rows);
        } else if (legality->target == PTO_TARGET_A5) {
            if (type->slayout == PTO_NONE_BOX && (int64_t)type->rows * type->cols >= rows)
                continue;
            snprintf(allowed, sizeof allowed, "no boxes, at least %d elements", rows);
        } else {
            if (p->valid_rows && p->valid_cols)
                continue;
            snprintf(allowed, sizeof allowed, "at least one row");
        }
        pto_legality_refuse(legality, "PTO-E0822", use->arg[i], allowed, "%s of %d x %d, valid %d x %d",
                            pto_tile_type_layout_name(type), type->rows, type->cols, p->valid_rows,
                            p->valid_cols);
    }
}

/* The product goes through a tile of src's bytes; the expansion of the parameters writes it first. */
void pto_rule_quant_tmp(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]], *src = &legality->operand[SRC];
    if (tmp->kind != PTO_OPERAND_TILE)
        return;
    pto_legality_require_tmp_bytes(legality, use->arg[0], pto_tile_type_bytes(&src->type));
    const uint64_t expanded = src->valid_rows > 0 ? pto_row_expand_tmp_bytes(src->valid_rows) : 0;
    if (!legality->failed && pto_tile_type_bytes(&tmp->type) < expanded) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "%llu bytes", (unsigned long long)expanded);
        pto_legality_refuse(legality, "PTO-W0823", use->arg[0], allowed, "%llu bytes",
                            (unsigned long long)pto_tile_type_bytes(&tmp->type));
    }
}

/* dequant_parameters(scale, offset): one value a row. */
void pto_rule_dequant_parameters(pto_legality *legality, const pto_rule_use *use) {
    const int32_t rows = legality->operand[SRC].valid_rows;
    const bool a5 = legality->target == PTO_TARGET_A5;
    for (int i = 0; i < use->arg_count; i++) {
        const pto_legality_operand *p = &legality->operand[use->arg[i]];
        if (rows <= p->type.rows && (!a5 || rows < 0 || p->valid_rows < 0 || p->valid_rows == rows))
            continue;
        char allowed[64];
        snprintf(allowed, sizeof allowed, "%s%d rows, as src", a5 ? "valid " : "at least ", rows);
        pto_legality_refuse(legality, "PTO-E0822", use->arg[i], allowed, "%d rows, valid %d", p->type.rows,
                            p->valid_rows);
    }
}

/* ---- MX ---- */

typedef struct mx_mode {
    int64_t alg; /* of pto_mx_quant_alg, -1 unknown */
    bool dn, interleave;
} mx_mode;

static mx_mode mode_of(const pto_legality *legality) {
    return (mx_mode){.alg = attribute(legality, "alg"),
                     .dn = attribute(legality, "axis") == PTO_GROUP_DN,
                     .interleave = attribute(legality, "interleave") > 0};
}

void pto_rule_quant_mx_types(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const mx_mode mode = mode_of(legality);
    const int exp = find(legality, "exp"), zz = find(legality, "exp_zz");
    const pto_dtype dst = legality->operand[DST].type.dtype;
    const bool fp4 = mode.alg == PTO_OCP_MXFP4_E2M1 || mode.alg == PTO_NV_MXFP4_E2M1;
    const bool known = mode.alg >= 0, nz = zz >= 0;
    if (known && (mode.alg > PTO_NV_MXFP4_E2M1 || (nz && mode.alg != PTO_OCP_MXFP8_E4M3))) {
        pto_legality_refuse(legality, "PTO-E0824", find(legality, "alg"),
                            nz ? "OcpMxFp8E4M3" : "MXFP8 and MXFP4 of OCP and NV", "algorithm %lld",
                            (long long)mode.alg);
        return;
    }
    if (known && (dst == PTO_E2M1) != fp4)
        pto_legality_refuse(legality, "PTO-E0824", DST, fp4 ? "e2m1 for MXFP4" : "e4m3 or s8 for MXFP8", "%s",
                            pto_dtype_name(dst));
    for (int i = 0; i < 2; i++) {
        const int at = i ? zz : exp;
        if (at < 0)
            continue;
        const pto_dtype dtype = legality->operand[at].type.dtype;
        if (dtype != PTO_U8 && dtype != PTO_E8M0)
            pto_legality_refuse(legality, "PTO-E0824", at, "u8 or e8m0", "%s", pto_dtype_name(dtype));
    }
}

static bool check_multiple(pto_legality *legality, const char *what, int32_t found, int32_t unit) {
    if (found < 0 || found % unit == 0)
        return true;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "a multiple of %d", unit);
    pto_legality_refuse(legality, "PTO-E0825", SRC, allowed, "%d %s", found, what);
    return false;
}

void pto_rule_quant_mx_shape(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    enum { MOST_ELEMENTS = 59461 };
    const mx_mode mode = mode_of(legality);
    const pto_legality_operand *src = &legality->operand[SRC];
    const pto_tile_type *type = &src->type, *dst = &legality->operand[DST].type;
    const int64_t elements = (int64_t)type->rows * type->cols;
    if (dst->rows != type->rows || dst->cols != type->cols) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%d x %d, as src", type->rows, type->cols);
        pto_legality_refuse(legality, "PTO-E0825", DST, allowed, "%d x %d", dst->rows, dst->cols);
        return;
    }
    if (!check_multiple(legality, "columns", type->cols, GROUP))
        return;
    if (mode.interleave && !mode.dn) {
        pto_legality_refuse(legality, "PTO-E0825", find(legality, "interleave"), "axis dn", "axis nd");
        return;
    }
    if (mode.dn) {
        const int32_t unit = mode.interleave ? 2 * GROUP : GROUP;
        if (check_multiple(legality, "rows", type->rows, unit))
            check_multiple(legality, "valid rows", src->valid_rows, unit);
        return;
    }
    if (legality->target != PTO_TARGET_A5)
        return;
    if (check_multiple(legality, "rows", type->rows, 16) && elements > MOST_ELEMENTS)
        pto_legality_refuse(legality, "PTO-E0825", SRC, "at most 59461 elements", "%lld",
                            (long long)elements);
}

static void require_capacity(pto_legality *legality, int operand, int64_t elements) {
    const pto_tile_type *type = &legality->operand[operand].type;
    if ((int64_t)type->rows * type->cols >= elements)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %lld elements", (long long)elements);
    pto_legality_refuse(legality, "PTO-E0826", operand, allowed, "%d x %d", type->rows, type->cols);
}

static void refuse_exponents(pto_legality *legality, int exp, int64_t rows, int64_t cols) {
    const pto_tile_type *type = &legality->operand[exp].type;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "%lld x %lld", (long long)rows, (long long)cols);
    pto_legality_refuse(legality, "PTO-E0826", exp, allowed, "%d x %d", type->rows, type->cols);
}

/* Where the exponents go, and the scratch beside them. */
void pto_rule_quant_mx_outputs(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const mx_mode mode = mode_of(legality);
    const pto_legality_operand *src = &legality->operand[SRC];
    const int at = find(legality, "exp"), max = find(legality, "max"), scaling = find(legality, "scaling");
    const pto_legality_operand *exp = &legality->operand[at];
    const int64_t rows = src->valid_rows, groups = src->type.cols / GROUP;
    for (int i = at; i <= scaling; i++)
        if (!pto_tile_type_is_flat_row_major(&legality->operand[i].type))
            pto_legality_refuse(legality, "PTO-E0321", i, "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(&legality->operand[i].type));
    if (legality->failed || rows < 0)
        return;
    if (mode.dn && mode.interleave) {
        const int64_t want_rows = src->type.rows / (2 * GROUP),
                      want_cols = (2 * src->type.cols + 31) / 32 * 32;
        const bool valid =
            (exp->valid_rows < 0 || exp->valid_rows == rows / (2 * GROUP)) &&
            (exp->valid_cols < 0 || src->valid_cols < 0 || exp->valid_cols == 2 * src->valid_cols);
        if (exp->type.rows != want_rows || exp->type.cols != want_cols)
            refuse_exponents(legality, at, want_rows, want_cols);
        else if (!valid)
            pto_legality_refuse(legality, "PTO-E0826", at, "valid rows / 64 x 2 * valid columns of src",
                                "%d x %d", exp->valid_rows, exp->valid_cols);
    } else if (mode.dn) {
        if (exp->type.cols != src->type.cols || exp->type.rows < rows / GROUP)
            refuse_exponents(legality, at, rows / GROUP, src->type.cols);
    } else if (exp->type.rows == 1) {
        require_capacity(legality, at, rows * groups);
    } else {
        const int64_t used = (src->valid_cols + GROUP - 1) / GROUP;
        if (exp->type.rows < rows || exp->type.cols < used)
            refuse_exponents(legality, at, rows, used);
    }
    const int64_t entries = mode.dn ? rows / GROUP * src->type.cols : rows * groups;
    require_capacity(legality, max, entries);
    require_capacity(legality, scaling, mode.dn ? entries : 2 * entries);
}

/* Exponents in boxes of 16 x 2. */
void pto_rule_quant_mx_boxes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *src = &legality->operand[SRC];
    const int zz = find(legality, "exp_zz");
    const int64_t mode = attribute(legality, "store_mode"), groups = (src->valid_cols + GROUP - 1) / GROUP;
    if (mode != PTO_VEC_STORE_NZ || src->valid_rows < 0 || src->valid_cols < 0)
        return;
    if (src->valid_rows % 16 || groups % 2)
        pto_legality_refuse(legality, "PTO-E0827", SRC, "16 rows and 2 groups or multiples of them",
                            "%d rows, %lld groups", src->valid_rows, (long long)groups);
    else
        require_capacity(legality, zz, src->valid_rows * groups);
}
