/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the checks of one form: availability, operand kinds, tile types, element types, table rules. */
#include "isa/legality.h"

#include "isa/conv.h"
#include <pto/ops.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pto_legality_refuse(pto_legality *legality, const char *rule, int operand, const char *allowed,
                         const char *format, ...) {
    char found[256];
    va_list args;
    va_start(args, format);
    vsnprintf(found, sizeof found, format, args);
    va_end(args);
    const pto_rule_text *text = pto_rule_find(rule);
    if (!text || text->severity == PTO_ERROR)
        legality->failed = true;
    pto_refusal refusal = {.rule = rule, .operand = operand, .found = found, .allowed = allowed};
    legality->report(legality->user, &refusal);
}

static bool fits_memory(pto_legality *legality, const pto_tile_type *type, int operand) {
    uint32_t capacity = pto_loc_capacity(legality->target, type->loc);
    if (!capacity) {
        pto_legality_refuse(legality, "SA-0351", operand, "another memory or target", "%s on %s",
                            pto_loc_name(type->loc), pto_target_name(legality->target));
        return false;
    }
    if (legality->memory_bytes[type->loc])
        capacity = legality->memory_bytes[type->loc];
    if (pto_tile_type_bytes(type) > capacity) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at most %u bytes of %s", capacity, pto_loc_name(type->loc));
        pto_legality_refuse(legality,
                            legality->form && legality->form->op == PTO_OP_TASSIGN ? "SA-0352" : "PTO-E0315",
                            operand, allowed, "%llu bytes", (unsigned long long)pto_tile_type_bytes(type));
        return false;
    }
    return true;
}

/* A convolution tile: known dimensions, in a flat row that holds them (00-model, 7). */
static bool check_conv_type(pto_legality *legality, const pto_tile_type *type, int operand) {
    const pto_conv *conv = type->conv;
    if (!pto_conv_rank_fits(conv->layout, conv->rank)) {
        pto_legality_refuse(legality, "PTO-E0792", operand, "the dimensions of the layout",
                            "%d dimensions of %s", conv->rank, pto_layout_name(conv->layout));
        return false;
    }
    for (int32_t i = 0; i < conv->rank; i++)
        if (conv->shape[i] <= 0) {
            pto_legality_refuse(legality, "PTO-E0792", operand, "at least 1", "extent %d of dimension %d",
                                conv->shape[i], i);
            return false;
        }
    if (type->rows != 1 || type->slayout != PTO_NONE_BOX || type->blayout != PTO_ROW_MAJOR ||
        pto_conv_elements(conv) > type->cols) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "a flat row of at least %lld elements",
                 (long long)pto_conv_elements(conv));
        pto_legality_refuse(legality, "PTO-E0792", operand, allowed, "%d x %d", type->rows, type->cols);
        return false;
    }
    return fits_memory(legality, type, operand);
}

bool pto_legality_check_tile_type(pto_legality *legality, const pto_tile_type *type, int operand) {
    if (type->conv)
        return check_conv_type(legality, type, operand);
    unsigned bits = pto_dtype_bits(type->dtype);
    if (type->rows <= 0 || type->cols <= 0) {
        pto_legality_refuse(legality, "PTO-E0310", operand, "rows and columns of at least 1", "%d x %d",
                            type->rows, type->cols);
        return false;
    }
    if (type->valid_rows < PTO_DYNAMIC || type->valid_cols < PTO_DYNAMIC || type->valid_rows > type->rows ||
        type->valid_cols > type->cols) {
        char allowed[64];
        snprintf(allowed, sizeof allowed, "0..%d x 0..%d", type->rows, type->cols);
        pto_legality_refuse(legality, "PTO-E0310", operand, allowed, "valid %d x %d", type->valid_rows,
                            type->valid_cols);
        return false;
    }
    if (type->fractal != 512 && type->fractal != 1024 && type->fractal != 32) {
        pto_legality_refuse(legality, "PTO-E0311", operand, "512, 1024, 32", "%d", type->fractal);
        return false;
    }
    /* L5 and L3 count a 4-bit element as one byte (00-model, 3.4) */
    int64_t bytes = bits < 8 ? 1 : (int64_t)(bits / 8);
    if (type->slayout == PTO_NONE_BOX) {
        bool row_major = type->blayout == PTO_ROW_MAJOR;
        int64_t pitch = (row_major ? type->cols : type->rows) * bytes;
        if (pitch % 32) {
            pto_legality_refuse(legality, "PTO-E0314", operand, "a multiple of 32 bytes",
                                "%lld bytes (%d %s of %s)", (long long)pitch,
                                row_major ? type->cols : type->rows, row_major ? "columns" : "rows",
                                pto_dtype_name(type->dtype));
            return false;
        }
    } else {
        int32_t ir, ic;
        pto_tile_type_box(type, &ir, &ic);
        char allowed[48];
        if (type->cols % ic) {
            snprintf(allowed, sizeof allowed, "a multiple of %d", ic);
            pto_legality_refuse(legality, "PTO-E0312", operand, allowed, "%d columns", type->cols);
            return false;
        }
        bool nz = type->blayout == PTO_COL_MAJOR && type->slayout == PTO_BOX_ROW_MAJOR;
        bool waived = type->rows == 1 || (nz && (type->loc == PTO_LOC_VEC || type->fractal == 32));
        if (type->rows % ir && !waived) {
            snprintf(allowed, sizeof allowed, "a multiple of %d", ir);
            pto_legality_refuse(legality, "PTO-E0313", operand, allowed, "%d rows", type->rows);
            return false;
        }
    }
    return fits_memory(legality, type, operand);
}

static const char *kind_name(pto_operand_kind kind) {
    static const char *const names[] = {"nothing", "a tile", "a global tensor", "a scalar", "counts"};
    return names[kind];
}

static pto_operand_kind wanted_kind(const pto_operand_desc *desc) {
    if (desc->role == PTO_ROLE_SCALAR || desc->role == PTO_ROLE_ATTR)
        return PTO_OPERAND_SCALAR;
    if (desc->is_counts)
        return PTO_OPERAND_COUNTS;
    return desc->is_global ? PTO_OPERAND_GLOBAL : PTO_OPERAND_TILE;
}

static pto_dtype operand_dtype(const pto_legality_operand *operand) {
    switch (operand->kind) {
    case PTO_OPERAND_TILE:
        return operand->type.dtype;
    case PTO_OPERAND_GLOBAL:
        return operand->dtype;
    default:
        return PTO_DTYPE_NONE; /* scalars are converted (20, 2) */
    }
}

/* Extents known only at run time lie inside the capacity too. */
static void check_valid(pto_legality *legality, int i) {
    const pto_legality_operand *tile = &legality->operand[i];
    if (tile->valid_rows >= PTO_UNKNOWN && tile->valid_cols >= PTO_UNKNOWN &&
        tile->valid_rows <= tile->type.rows && tile->valid_cols <= tile->type.cols)
        return;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "0..%d x 0..%d", tile->type.rows, tile->type.cols);
    pto_legality_refuse(legality, "PTO-E0310", i, allowed, "valid %d x %d", tile->valid_rows,
                        tile->valid_cols);
}

static void check_kinds(pto_legality *legality) {
    const pto_form_desc *form = legality->form;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *desc = &form->operand[i];
        const pto_legality_operand *operand = &legality->operand[i];
        pto_operand_kind wanted = wanted_kind(desc);
        if (operand->kind == PTO_OPERAND_ABSENT) {
            if (!desc->optional && desc->role != PTO_ROLE_ATTR)
                pto_legality_refuse(legality, "PTO-E0305", i, kind_name(wanted), "nothing");
        } else if (operand->kind != wanted) {
            pto_legality_refuse(legality, "PTO-E0304", i, kind_name(wanted), "%s", kind_name(operand->kind));
        } else if (wanted == PTO_OPERAND_TILE && !pto_operand_takes_tile(desc, &operand->type)) {
            static const char *const words[] = {"a tile", "a convolution tile"};
            pto_legality_refuse(legality, "PTO-E0304", i, words[desc->conv == PTO_CONV_YES], "%s",
                                words[operand->type.conv != NULL]);
        } else if (wanted == PTO_OPERAND_TILE) {
            if (pto_legality_check_tile_type(legality, &operand->type, i))
                check_valid(legality, i);
        }
    }
}

static int variable_index(char variable) {
    static const char variables[] = "TSDABI";
    const char *p = variable ? strchr(variables, variable) : NULL;
    return p ? (int)(p - variables) : -1;
}

/* Equal types within a variable; returns the first operand of each in first[]. */
static void check_equal_types(pto_legality *legality, int first[6]) {
    for (int v = 0; v < 6; v++)
        first[v] = -1;
    for (int i = 0; i < legality->form->operand_count; i++) {
        const pto_operand_desc *desc = &legality->form->operand[i];
        pto_dtype dtype = operand_dtype(&legality->operand[i]);
        if (dtype == PTO_DTYPE_NONE)
            continue;
        if (desc->fixed_dtype != PTO_DTYPE_NONE && desc->fixed_dtype != dtype)
            pto_legality_refuse(legality, "PTO-E0302", i, pto_dtype_name(desc->fixed_dtype), "%s",
                                pto_dtype_name(dtype));
        int v = variable_index(desc->type_var);
        if (v < 0)
            continue;
        if (first[v] < 0) {
            first[v] = i;
        } else if (operand_dtype(&legality->operand[first[v]]) != dtype) {
            pto_dtype other = operand_dtype(&legality->operand[first[v]]);
            char allowed[96];
            snprintf(allowed, sizeof allowed, "%s, as %s", pto_dtype_name(other),
                     legality->form->operand[first[v]].name);
            pto_legality_refuse(legality, "PTO-E0303", i, allowed, "%s", pto_dtype_name(dtype));
        }
    }
}

static void check_types(pto_legality *legality) {
    const pto_form_desc *form = legality->form;
    int first[6];
    for (int i = 0; i < form->operand_count; i++)
        if (legality->operand[i].kind == PTO_OPERAND_TILE &&
            !pto_dtype_bits(legality->operand[i].type.dtype)) {
            pto_legality_refuse(legality, "PTO-E0302", i, "an element type", "a type that no tile has");
            return;
        }
    check_equal_types(legality, first);
    if (legality->failed || form->types_any[legality->target])
        return;
    const pto_type_combo *combo = form->types[legality->target];
    int count = form->type_count[legality->target];
    int best = 0, blame = -1;
    for (int c = 0; c < count; c++) {
        int matched = 0, wrong = -1;
        for (int v = 0; v < 6; v++) {
            if (first[v] < 0 || !combo[c].set[v])
                continue;
            if (combo[c].set[v] & 1u << operand_dtype(&legality->operand[first[v]]))
                matched++;
            else
                wrong = first[v];
        }
        if (wrong < 0)
            return;
        if (blame < 0 || matched > best) {
            best = matched;
            blame = wrong;
        }
    }
    if (blame >= 0)
        pto_legality_refuse(legality, "PTO-E0302", blame, form->type_text[legality->target], "%s",
                            pto_dtype_name(operand_dtype(&legality->operand[blame])));
}

bool pto_legality_check(pto_legality *legality) {
    const pto_form_desc *form = legality->form;
    legality->failed = false;
    if (!form->types_any[legality->target] && !form->type_count[legality->target]) {
        pto_legality_refuse(legality, "PTO-E0301", -1, NULL, "%s (%s) on %s", form->mnemonic, form->form,
                            pto_target_name(legality->target));
        return false;
    }
    check_kinds(legality);
    if (!legality->failed)
        check_types(legality);
    for (int i = 0; i < form->rule_count && !legality->failed; i++) {
        const pto_rule_use *use = &form->rules[i];
        if (use->targets & 1u << legality->target && use->check)
            use->check(legality, use);
    }
    return !legality->failed;
}
