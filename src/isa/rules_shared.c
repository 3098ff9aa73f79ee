/* SPDX-License-Identifier: Apache-2.0 */
/* Rules shared by the instruction families: location, layout, valid regions, overlap, scratch. */
#include "isa/rules_shared.h"

#include <stdio.h>

bool pto_legality_is_tile(const pto_legality *legality, int operand) {
    return legality->operand[operand].kind == PTO_OPERAND_TILE;
}

static bool is_written(pto_role role) { return role == PTO_ROLE_OUT || role == PTO_ROLE_INOUT; }

bool pto_tile_type_is_flat_row_major(const pto_tile_type *type) {
    return type->blayout == PTO_ROW_MAJOR && type->slayout == PTO_NONE_BOX;
}

const char *pto_tile_type_layout_name(const pto_tile_type *type) {
    bool row = type->blayout == PTO_ROW_MAJOR;
    switch (type->slayout) {
    case PTO_NONE_BOX:
        return row ? "ND" : "DN";
    case PTO_BOX_ROW_MAJOR:
        return row ? "Zz" : "Nz";
    default:
        return row ? "Zn" : "Nn";
    }
}

/* Bytes from the start of a tile to the end of what belongs to it: of a view its valid window. */
static uint64_t extent_bytes(const pto_legality_operand *tile) {
    const pto_tile_type *type = &tile->type;
    if (!tile->view || type->slayout != PTO_NONE_BOX || tile->valid_rows < 0 || tile->valid_cols < 0)
        return pto_tile_type_bytes(type);
    if (tile->valid_rows == 0 || tile->valid_cols == 0)
        return 0;
    bool rows_first = type->blayout == PTO_ROW_MAJOR;
    uint64_t pitch = (uint64_t)(rows_first ? type->cols : type->rows);
    uint64_t lines = (uint64_t)(rows_first ? tile->valid_rows : tile->valid_cols);
    uint64_t last = (uint64_t)(rows_first ? tile->valid_cols : tile->valid_rows);
    return ((lines - 1) * pitch + last) * pto_dtype_bits(type->dtype) / 8;
}

/* Do the valid windows of two flat tiles of one pitch, of which one is a view, share elements? y begins
 * `bytes` after x; true also where that cannot be told. */
static bool windows_meet(const pto_legality_operand *x, const pto_legality_operand *y, uint64_t bytes) {
    const pto_tile_type *a = &x->type, *b = &y->type;
    unsigned bits = pto_dtype_bits(a->dtype);
    bool rows_first = a->blayout == PTO_ROW_MAJOR;
    bool comparable = (x->view || y->view) && a->slayout == PTO_NONE_BOX && b->slayout == PTO_NONE_BOX &&
                      a->blayout == b->blayout && bits == pto_dtype_bits(b->dtype) && bits >= 8 &&
                      (rows_first ? a->cols == b->cols : a->rows == b->rows) && bytes % (bits / 8) == 0 &&
                      x->valid_rows >= 0 && x->valid_cols >= 0 && y->valid_rows >= 0 && y->valid_cols >= 0;
    if (!comparable)
        return true;
    int64_t pitch = rows_first ? a->cols : a->rows, distance = (int64_t)(bytes / (bits / 8));
    int64_t line = distance / pitch, at = distance % pitch;
    int64_t lines = rows_first ? x->valid_rows : x->valid_cols,
            width = rows_first ? x->valid_cols : x->valid_rows;
    int64_t other = rows_first ? y->valid_cols : y->valid_rows;
    /* y lies `at` elements behind x in a line, or pitch - at before it in the next */
    return (line < lines && at < width) || (line + 1 < lines && at + other > pitch);
}

pto_overlap pto_legality_overlap(const pto_legality *legality, int a, int b) {
    const pto_legality_operand *x = &legality->operand[a], *y = &legality->operand[b];
    if (x->kind != PTO_OPERAND_TILE || y->kind != PTO_OPERAND_TILE || x->type.loc != y->type.loc)
        return PTO_OVERLAP_NONE;
    if (x->identity && x->identity == y->identity)
        return PTO_OVERLAP_SAME_START;
    bool on_host = x->host && y->host;
    if (!on_host && (!x->addr_known || !y->addr_known))
        return PTO_OVERLAP_NONE;
    uint64_t x_begin = on_host ? (uint64_t)(uintptr_t)x->host : x->addr;
    uint64_t y_begin = on_host ? (uint64_t)(uintptr_t)y->host : y->addr;
    if (x_begin == y_begin)
        return PTO_OVERLAP_SAME_START;
    uint64_t x_end = x_begin + extent_bytes(x), y_end = y_begin + extent_bytes(y);
    if (x_begin >= y_end || y_begin >= x_end)
        return PTO_OVERLAP_NONE;
    bool meet =
        x_begin < y_begin ? windows_meet(x, y, y_begin - x_begin) : windows_meet(y, x, x_begin - y_begin);
    return meet ? PTO_OVERLAP_SHIFTED : PTO_OVERLAP_NONE;
}

void pto_rule_in_vec(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = 0; i < legality->form->operand_count; i++)
        if (pto_legality_is_tile(legality, i) && legality->operand[i].type.loc != PTO_LOC_VEC)
            pto_legality_refuse(legality, "PTO-E0320", i, "vec", "%s",
                                pto_loc_name(legality->operand[i].type.loc));
}

void pto_rule_flat_row_major(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = 0; i < legality->form->operand_count; i++)
        if (pto_legality_is_tile(legality, i) && !pto_tile_type_is_flat_row_major(&legality->operand[i].type))
            pto_legality_refuse(legality, "PTO-E0321", i, "ND (row_major, none_box)", "%s",
                                pto_tile_type_layout_name(&legality->operand[i].type));
}

void pto_rule_no_box(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    for (int i = 0; i < legality->form->operand_count; i++)
        if (pto_legality_is_tile(legality, i) && legality->operand[i].type.slayout != PTO_NONE_BOX)
            pto_legality_refuse(legality, "PTO-E0321", i, "a layout without boxes", "%s",
                                pto_tile_type_layout_name(&legality->operand[i].type));
}

/* same_layout(operand...), or without arguments every tile but scratch. */
void pto_rule_same_layout(pto_legality *legality, const pto_rule_use *use) {
    int first = -1;
    const int count = use->arg_count ? use->arg_count : legality->form->operand_count;
    for (int k = 0; k < count; k++) {
        const int i = use->arg_count ? use->arg[k] : k;
        if (!pto_legality_is_tile(legality, i) || legality->form->operand[i].role == PTO_ROLE_TMP)
            continue;
        const pto_tile_type *type = &legality->operand[i].type;
        if (first < 0) {
            first = i;
            continue;
        }
        const pto_tile_type *other = &legality->operand[first].type;
        if (type->blayout != other->blayout || type->slayout != other->slayout ||
            (type->slayout != PTO_NONE_BOX && type->fractal != other->fractal))
            pto_legality_refuse(legality, "PTO-E0322", i, pto_tile_type_layout_name(other), "%s",
                                pto_tile_type_layout_name(type));
    }
}

void pto_legality_require_valid(pto_legality *legality, int reference, int operand) {
    const pto_legality_operand *want = &legality->operand[reference], *have = &legality->operand[operand];
    bool rows = want->valid_rows < 0 || have->valid_rows < 0 || want->valid_rows == have->valid_rows;
    bool cols = want->valid_cols < 0 || have->valid_cols < 0 || want->valid_cols == have->valid_cols;
    if (rows && cols)
        return;
    char allowed[96];
    snprintf(allowed, sizeof allowed, "%d x %d, as %s", want->valid_rows, want->valid_cols,
             legality->form->operand[reference].name);
    pto_legality_refuse(legality, "PTO-E0323", operand, allowed, "%d x %d", have->valid_rows,
                        have->valid_cols);
}

/* valid_equal(reference, operand...), or without arguments the destination against every tile source. */
void pto_rule_valid_equal(pto_legality *legality, const pto_rule_use *use) {
    if (use->arg_count) {
        for (int i = 1; i < use->arg_count; i++)
            if (pto_legality_is_tile(legality, use->arg[i]))
                pto_legality_require_valid(legality, use->arg[0], use->arg[i]);
        return;
    }
    for (int i = 1; i < legality->form->operand_count; i++)
        if (pto_legality_is_tile(legality, i) && legality->form->operand[i].role == PTO_ROLE_IN)
            pto_legality_require_valid(legality, 0, i);
}

void pto_rule_nonempty(pto_legality *legality, const pto_rule_use *use) {
    for (int i = 0; i < use->arg_count; i++) {
        const pto_legality_operand *operand = &legality->operand[use->arg[i]];
        if (operand->kind == PTO_OPERAND_TILE && (operand->valid_rows == 0 || operand->valid_cols == 0))
            pto_legality_refuse(legality, "PTO-E0324", use->arg[i], "at least 1 x 1", "%d x %d",
                                operand->valid_rows, operand->valid_cols);
    }
}

static void check_overlap(pto_legality *legality, bool same_start_allowed) {
    const pto_form_desc *form = legality->form;
    for (int i = 0; i < form->operand_count; i++) {
        pto_role role = form->operand[i].role;
        if (!is_written(role) && role != PTO_ROLE_TMP)
            continue;
        for (int k = 0; k < form->operand_count; k++) {
            if (k == i ||
                (k < i && (is_written(form->operand[k].role) || form->operand[k].role == PTO_ROLE_TMP)))
                continue;
            pto_overlap overlap = pto_legality_overlap(legality, i, k);
            if (overlap == PTO_OVERLAP_NONE)
                continue;
            bool tmp = role == PTO_ROLE_TMP || form->operand[k].role == PTO_ROLE_TMP;
            bool both_written = is_written(role) && is_written(form->operand[k].role);
            if (tmp)
                pto_legality_refuse(legality, "PTO-E0326", role == PTO_ROLE_TMP ? i : k, "bytes of its own",
                                    "shares bytes with %s", form->operand[role == PTO_ROLE_TMP ? k : i].name);
            else if (overlap == PTO_OVERLAP_SHIFTED || both_written || !same_start_allowed)
                pto_legality_refuse(legality, "PTO-E0325", i,
                                    same_start_allowed && !both_written
                                        ? "no overlap, or the same start address"
                                        : "no overlap",
                                    "shares bytes with %s", form->operand[k].name);
        }
    }
}

void pto_rule_overlap_same_start(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_overlap(legality, true);
}

void pto_rule_overlap_none(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    check_overlap(legality, false);
}

/* not_in_place(dst, source...) */
void pto_rule_not_in_place(pto_legality *legality, const pto_rule_use *use) {
    for (int i = 1; i < use->arg_count; i++)
        if (pto_legality_overlap(legality, use->arg[0], use->arg[i]) == PTO_OVERLAP_SAME_START)
            pto_legality_refuse(legality, "PTO-E0327", use->arg[0], "another tile", "the tile of %s",
                                legality->form->operand[use->arg[i]].name);
}

void pto_rule_element_size_equal(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    unsigned bits[2];
    for (int i = 0; i < 2; i++) {
        const pto_legality_operand *operand = &legality->operand[i];
        bits[i] = pto_dtype_bits(operand->kind == PTO_OPERAND_TILE ? operand->type.dtype : operand->dtype);
    }
    if (bits[0] != bits[1]) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "%u bits, as %s", bits[0], legality->form->operand[0].name);
        pto_legality_refuse(legality, "PTO-E0328", 1, allowed, "%u bits", bits[1]);
    }
}

/* tmp_bytes(tmp, bytes): a scratch tile of at least so many bytes, where one is given */
void pto_rule_tmp_bytes(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *tmp = &legality->operand[use->arg[0]];
    if (tmp->kind == PTO_OPERAND_TILE)
        pto_legality_require_tmp_bytes(legality, use->arg[0], (uint64_t)use->arg[1]);
}

void pto_legality_require_tmp_bytes(pto_legality *legality, int operand, uint64_t bytes) {
    uint64_t have = pto_tile_type_bytes(&legality->operand[operand].type);
    if (have >= bytes)
        return;
    char allowed[48];
    snprintf(allowed, sizeof allowed, "at least %llu bytes", (unsigned long long)bytes);
    pto_legality_refuse(legality, "PTO-E0330", operand, allowed, "%llu bytes", (unsigned long long)have);
}
