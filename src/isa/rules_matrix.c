/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of the matrix instructions (part 40, 1.1 to 1.6): memories, shapes, extents, layouts, addends. */
#include "isa/rules_shared.h"

#include <pto/ops.h>
#include <stdio.h>

void pto_rule_matmul_locations(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_shapes(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_extents(pto_legality *, const pto_rule_use *);
void pto_rule_gemv_extents(pto_legality *, const pto_rule_use *);
void pto_rule_gemv_rows(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_layouts(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_acc_in(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_acc_same_address(pto_legality *, const pto_rule_use *);
void pto_rule_matmul_bias(pto_legality *, const pto_rule_use *);
void pto_rule_mx_scales(pto_legality *, const pto_rule_use *);
void pto_rule_mx_depth(pto_legality *, const pto_rule_use *);
void pto_rule_mx_scale_address(pto_legality *, const pto_rule_use *);

/* Schema positions of the tiles of a form; -1 = the form has none. The destination is first in all. */
typedef struct matmul_places {
    int dst, a, b, c_in, bias;
} matmul_places;

static matmul_places places_of(const pto_legality *legality) {
    const pto_form_desc *form = legality->form;
    return (matmul_places){.dst = 0,
                           .a = pto_form_operand_index(form, "a"),
                           .b = pto_form_operand_index(form, "b"),
                           .c_in = pto_form_operand_index(form, "cIn"),
                           .bias = pto_form_operand_index(form, "bias")};
}

static void require_location(pto_legality *legality, int operand, pto_loc loc) {
    if (operand < 0 || legality->operand[operand].type.loc == loc)
        return;
    pto_legality_refuse(legality, "PTO-E0801", operand, pto_loc_name(loc), "%s",
                        pto_loc_name(legality->operand[operand].type.loc));
}

void pto_rule_matmul_locations(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    require_location(legality, at.dst, PTO_LOC_ACC);
    require_location(legality, at.c_in, PTO_LOC_ACC);
    require_location(legality, at.a, PTO_LOC_LEFT);
    require_location(legality, at.b, PTO_LOC_RIGHT);
    require_location(legality, at.bias, PTO_LOC_BIAS);
}

static void require_equal(pto_legality *legality, const char *rule, int operand, const char *what,
                          int32_t found, int reference, const char *of_what, int32_t allowed) {
    if (found < 0 || allowed < 0 || found == allowed)
        return;
    char text[96];
    snprintf(text, sizeof text, "%d, the %s of %s", allowed, of_what,
             legality->form->operand[reference].name);
    pto_legality_refuse(legality, rule, operand, text, "%d %s", found, what);
}

/* Capacities: a is M x K, b is K x N, dst is M x N. */
void pto_rule_matmul_shapes(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_tile_type *dst = &legality->operand[at.dst].type;
    const pto_tile_type *a = &legality->operand[at.a].type, *b = &legality->operand[at.b].type;
    require_equal(legality, "PTO-E0803", at.dst, "rows", dst->rows, at.a, "rows", a->rows);
    require_equal(legality, "PTO-E0803", at.b, "rows", b->rows, at.a, "columns", a->cols);
    require_equal(legality, "PTO-E0803", at.dst, "columns", dst->cols, at.b, "columns", b->cols);
}

static void require_extent(pto_legality *legality, int operand, const char *name, const char *what,
                           int32_t extent) {
    enum { LIMIT = 4095 };
    if (extent == 0 || extent > LIMIT) /* negative: unknown */
        pto_legality_refuse(legality, "PTO-E0805", operand, "1 to 4095", "%s = %d %s", name, extent, what);
}

/* m and k are the valid extents of a, n the valid columns of b; the other operands agree with them. */
void pto_rule_matmul_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *dst = &legality->operand[at.dst];
    const pto_legality_operand *a = &legality->operand[at.a], *b = &legality->operand[at.b];
    require_extent(legality, at.a, "m", "valid rows", a->valid_rows);
    require_extent(legality, at.a, "k", "valid columns", a->valid_cols);
    require_extent(legality, at.b, "n", "valid columns", b->valid_cols);
    if (legality->failed)
        return;
    require_equal(legality, "PTO-E0804", at.dst, "valid rows", dst->valid_rows, at.a, "valid rows",
                  a->valid_rows);
    require_equal(legality, "PTO-E0804", at.b, "valid rows", b->valid_rows, at.a, "valid columns",
                  a->valid_cols);
    require_equal(legality, "PTO-E0804", at.dst, "valid columns", dst->valid_cols, at.b, "valid columns",
                  b->valid_cols);
}

/* Multiplying a row vector, the unit reads one row of a left tile of one row or one box. */
void pto_rule_gemv_rows(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *dst = &legality->operand[at.dst], *a = &legality->operand[at.a];
    const bool npu = legality->target != PTO_TARGET_CPU;
    if (dst->valid_rows >= 0 && dst->valid_rows != 1)
        pto_legality_refuse(legality, "PTO-E0808", at.dst, "1 valid row", "%d", dst->valid_rows);
    if (a->valid_rows == 0 || (npu && a->valid_rows > 1))
        pto_legality_refuse(legality, "PTO-E0808", at.a, "1 valid row", "%d", a->valid_rows);
    if (npu && a->type.rows != 1 && a->type.rows != 16)
        pto_legality_refuse(legality, "PTO-E0808", at.a, "1 or 16 rows", "%d", a->type.rows);
}

/* k and n are the valid extents of b. */
void pto_rule_gemv_extents(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *dst = &legality->operand[at.dst];
    const pto_legality_operand *a = &legality->operand[at.a], *b = &legality->operand[at.b];
    require_extent(legality, at.b, "k", "valid rows", b->valid_rows);
    require_extent(legality, at.b, "n", "valid columns", b->valid_cols);
    if (legality->failed)
        return;
    require_equal(legality, "PTO-E0804", at.a, "valid columns", a->valid_cols, at.b, "valid rows",
                  b->valid_rows);
    require_equal(legality, "PTO-E0804", at.dst, "valid columns", dst->valid_cols, at.b, "valid columns",
                  b->valid_cols);
}

static void require_layout(pto_legality *legality, int operand, bool right, const char *allowed) {
    const pto_tile_type *type = &legality->operand[operand].type;
    if (!right)
        pto_legality_refuse(legality, "PTO-E0802", operand, allowed, "%s, fractal %d",
                            pto_tile_type_layout_name(type), type->fractal);
}

static void require_acc_layout(pto_legality *legality, int operand) {
    const pto_tile_type *type = &legality->operand[operand].type;
    require_layout(legality, operand,
                   type->blayout == PTO_COL_MAJOR && type->slayout == PTO_BOX_ROW_MAJOR &&
                       type->fractal == 1024,
                   "Nz (col_major, box row_major), fractal 1024");
}

/* Left is Zz on a2a3 and Nz on a5; cpu takes both. Right is Zn, accumulators are Nz of 16 x 16 boxes. */
void pto_rule_matmul_layouts(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    static const char *const left_allowed[PTO_TARGET_COUNT] = {
        [PTO_TARGET_CPU] = "Nz or Zz (box row_major), fractal 512",
        [PTO_TARGET_A2A3] = "Zz (row_major, box row_major), fractal 512",
        [PTO_TARGET_A5] = "Nz (col_major, box row_major), fractal 512"};
    const matmul_places at = places_of(legality);
    const pto_tile_type *a = &legality->operand[at.a].type, *b = &legality->operand[at.b].type;
    bool left_outer = legality->target == PTO_TARGET_CPU ||
                      (a->blayout == PTO_ROW_MAJOR) == (legality->target == PTO_TARGET_A2A3);
    require_layout(legality, at.a, left_outer && a->slayout == PTO_BOX_ROW_MAJOR && a->fractal == 512,
                   left_allowed[legality->target]);
    require_layout(legality, at.b,
                   b->blayout == PTO_ROW_MAJOR && b->slayout == PTO_BOX_COL_MAJOR && b->fractal == 512,
                   "Zn (row_major, box col_major), fractal 512");
    require_acc_layout(legality, at.dst);
}

/* cIn is an accumulator of dst's shape. */
void pto_rule_matmul_acc_in(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *dst = &legality->operand[at.dst], *c_in = &legality->operand[at.c_in];
    require_equal(legality, "PTO-E0803", at.c_in, "rows", c_in->type.rows, at.dst, "rows", dst->type.rows);
    require_equal(legality, "PTO-E0803", at.c_in, "columns", c_in->type.cols, at.dst, "columns",
                  dst->type.cols);
    require_equal(legality, "PTO-E0804", at.c_in, "valid rows", c_in->valid_rows, at.dst, "valid rows",
                  dst->valid_rows);
    require_equal(legality, "PTO-E0804", at.c_in, "valid columns", c_in->valid_cols, at.dst, "valid columns",
                  dst->valid_cols);
    require_acc_layout(legality, at.c_in);
}

/* The multiplier accumulates onto the destination's own contents; a cIn elsewhere would be ignored. */
void pto_rule_matmul_acc_same_address(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *dst = &legality->operand[at.dst], *c_in = &legality->operand[at.c_in];
    if (dst->identity && dst->identity == c_in->identity)
        return;
    /* Of two tiles that are not placed yet nothing is known; one with storage and one without never meet. */
    bool on_host = dst->host || c_in->host, on_chip = dst->addr_known && c_in->addr_known;
    bool same = on_host ? dst->host == c_in->host : !on_chip || dst->addr == c_in->addr;
    if (!same)
        pto_legality_refuse(legality, "PTO-E0806", at.c_in, "the address of dst", "another address");
}

void pto_rule_matmul_bias(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *b = &legality->operand[at.b], *bias = &legality->operand[at.bias];
    if (bias->type.rows != 1)
        pto_legality_refuse(legality, "PTO-E0807", at.bias, "1 row", "%d rows", bias->type.rows);
    else if (!pto_tile_type_is_flat_row_major(&bias->type))
        pto_legality_refuse(legality, "PTO-E0807", at.bias, "ND (row_major, none_box)", "%s",
                            pto_tile_type_layout_name(&bias->type));
    else if (b->valid_cols > bias->type.cols) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "at least %d columns, the valid columns of b", b->valid_cols);
        pto_legality_refuse(legality, "PTO-E0807", at.bias, allowed, "%d columns", bias->type.cols);
    }
}

/* ---- microscaled (1.6) ---- */

/* A scale tile of at least rows x cols valid elements. */
static void check_scale(pto_legality *legality, int operand, bool left, int32_t rows, int32_t cols) {
    const pto_legality_operand *scale = &legality->operand[operand];
    const pto_tile_type *type = &scale->type;
    const pto_loc loc = left ? PTO_LOC_SCALE_LEFT : PTO_LOC_SCALE_RIGHT;
    if (type->loc != loc && type->loc != PTO_LOC_SCALING) {
        pto_legality_refuse(legality, "PTO-E0810", operand, pto_loc_name(loc), "%s", pto_loc_name(type->loc));
        return;
    }
    const bool boxes = type->blayout == (left ? PTO_ROW_MAJOR : PTO_COL_MAJOR) &&
                       type->slayout == (left ? PTO_BOX_ROW_MAJOR : PTO_BOX_COL_MAJOR) && type->fractal == 32;
    if (!boxes && type->rows != 1) {
        pto_legality_refuse(legality, "PTO-E0810", operand, left ? "Zz, fractal 32" : "Nn, fractal 32",
                            "%s, fractal %d", pto_tile_type_layout_name(type), type->fractal);
        return;
    }
    const bool tall = scale->valid_rows < 0 || scale->valid_rows >= rows;
    const bool wide = scale->valid_cols < 0 || scale->valid_cols >= cols;
    if (tall && wide)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at least %d x %d", rows, cols);
    pto_legality_refuse(legality, "PTO-E0810", operand, allowed, "valid %d x %d", scale->valid_rows,
                        scale->valid_cols);
}

static bool is_gemv(const pto_legality *legality) { return legality->form->op == PTO_OP_TGEMV_MX; }

void pto_rule_mx_scales(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const matmul_places at = places_of(legality);
    const pto_legality_operand *a = &legality->operand[at.a], *b = &legality->operand[at.b];
    /* unknown extents ask for nothing */
    const int32_t groups = b->valid_rows < 0 ? 0 : (b->valid_rows + 31) / 32;
    check_scale(legality, at.a + 1, true, is_gemv(legality) ? 1 : a->valid_rows, groups);
    check_scale(legality, at.b + 1, false, groups, b->valid_cols);
}

void pto_rule_mx_depth(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const int at = places_of(legality).a;
    const pto_legality_operand *a = &legality->operand[at];
    const bool npu = legality->target != PTO_TARGET_CPU;
    if (a->type.cols % 64)
        pto_legality_refuse(legality, "PTO-E0811", at, "a multiple of 64", "%d columns", a->type.cols);
    else if (npu && a->valid_cols > 0 && a->valid_cols % 64)
        pto_legality_refuse(legality, "PTO-E0811", at, "a multiple of 64", "%d valid columns", a->valid_cols);
}

/* Of tiles whose addresses are known; a tile in scaling stands for one that is placed later. */
void pto_rule_mx_scale_address(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    enum { SHIFT = 4 };
    const matmul_places at = places_of(legality);
    for (int i = 0; i < 2; i++) {
        const int data = i ? at.b : at.a;
        const pto_legality_operand *operand = &legality->operand[data], *scale = &legality->operand[data + 1];
        if (!operand->addr_known || !scale->addr_known || scale->type.loc == PTO_LOC_SCALING ||
            scale->addr == operand->addr >> SHIFT)
            continue;
        char allowed[48];
        snprintf(allowed, sizeof allowed, "address 0x%llx", (unsigned long long)(operand->addr >> SHIFT));
        pto_legality_refuse(legality, "PTO-E0812", data + 1, allowed, "address 0x%llx",
                            (unsigned long long)scale->addr);
    }
}
