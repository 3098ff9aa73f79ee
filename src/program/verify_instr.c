/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of instructions of the table: what is statically known goes to the one legality. */
#include "program/verify.h"

#include "isa/conv.h"
#include <pto/ops.h>

#include <stdio.h>
#include <string.h>

typedef struct instr_report {
    pto_verifier *v;
    const pto_operation *op;
} instr_report;

static void report(void *user, const pto_refusal *refusal) {
    instr_report *r = user;
    const pto_form_desc *form = pto_form_get(r->op->form);
    const char *name = refusal->operand >= 0 ? form->operand[refusal->operand].name : NULL;
    pto_verify_refuse(r->v, refusal->rule, r->op, pto_instr_span(r->op, refusal->operand), name,
                      refusal->allowed, "%s", refusal->found);
    const pto_value *value = refusal->operand >= 0 ? pto_instr_value(r->op, refusal->operand) : NULL;
    if (value && pto_type_is_tile(value->type)) {
        const pto_value *root = pto_fact_tile_root(value);
        if (root && (!root->def || root->def->kind == PTO_OPK_ALLOC_TILE))
            pto_verify_note_value(r->v, root);
    }
}

/* Valid extents that are certain at this operation: static ones, or constants given to alloc_tile when no
 * set_validshape changes the tile. */
static void known_extents(pto_verifier *v, const pto_value *tile, pto_legality_operand *operand) {
    const pto_tile_type *type = &tile->type->tile;
    operand->valid_rows = type->valid_rows >= 0 ? type->valid_rows : PTO_UNKNOWN;
    operand->valid_cols = type->valid_cols >= 0 ? type->valid_cols : PTO_UNKNOWN;
    if (!tile->def || tile->def->kind != PTO_OPK_ALLOC_TILE || pto_value_map_find(&v->resized, tile))
        return;
    uint32_t first;
    int64_t number;
    if (type->valid_rows < 0 && pto_fact_segment(tile->def, 1, &first) &&
        pto_fact_int(tile->def->operand[first], &number) && number >= 0 && number <= type->rows)
        operand->valid_rows = (int32_t)number;
    if (type->valid_cols < 0 && pto_fact_segment(tile->def, 2, &first) &&
        pto_fact_int(tile->def->operand[first], &number) && number >= 0 && number <= type->cols)
        operand->valid_cols = (int32_t)number;
}

static bool describe_tile(pto_verifier *v, const pto_value *value, pto_legality_operand *operand) {
    if (value->type->open)
        return false;
    operand->kind = PTO_OPERAND_TILE;
    operand->type = pto_fact_handle_type(value);
    known_extents(v, value, operand);
    operand->addr_known = pto_fact_tile_addr(value, &operand->addr);
    const pto_value *root = pto_fact_tile_root(value);
    bool subset = root && root->def && root->def->kind == PTO_OPK_SUBSET;
    operand->identity = subset ? NULL : root;
    return true;
}

static void describe_view(const pto_operation *op, const pto_value *value, pto_legality *legality,
                          int position, const pto_value *tile) {
    pto_legality_operand *operand = &legality->operand[position];
    pto_view_facts facts;
    pto_fact_view(value, &facts);
    operand->kind = PTO_OPERAND_GLOBAL;
    operand->dtype = facts.dtype;
    operand->layout = tile ? pto_fact_layout_for(&facts, &tile->type->tile) : facts.layout;
    memcpy(operand->shape, facts.shape, sizeof operand->shape);
    memcpy(operand->stride, facts.stride, sizeof operand->stride);
    if (op->index_count && tile && tile->type->tile.conv) {
        int64_t shape[5];
        memcpy(shape, operand->shape, sizeof shape);
        pto_conv_window(tile->type->tile.conv, operand->layout, shape, operand->shape);
    } else if (op->index_count && tile) {
        /* view[r, c]: the window of the tile's valid region that begins there */
        for (int d = 0; d < 3; d++)
            operand->shape[d] = 1;
        operand->shape[3] = tile->type->tile.valid_rows;
        operand->shape[4] = tile->type->tile.valid_cols;
    }
}

/* Tile of the instruction that a view meets. */
static const pto_value *partner_tile(const pto_operation *op, int position) {
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_value *value = i == position ? NULL : pto_instr_value(op, i);
        if (value && pto_type_is_tile(value->type) && !value->type->open)
            return value;
    }
    return NULL;
}

static bool describe(pto_verifier *v, const pto_operation *op, pto_legality *legality, int position) {
    const pto_operand_desc *desc = &legality->form->operand[position];
    pto_legality_operand *operand = &legality->operand[position];
    *operand = (pto_legality_operand){.kind = PTO_OPERAND_ABSENT};
    if (desc->role == PTO_ROLE_ATTR) {
        int64_t number;
        if (!pto_fact_attr(op, position, &number)) {
            const char *key = desc->attr_key ? desc->attr_key : desc->name;
            pto_verify_refuse(v, "PTO-E0426", op, op->span, key, NULL, "a value that %s does not have", key);
            return false;
        }
        operand->kind = PTO_OPERAND_SCALAR;
        operand->value_known = true;
        operand->value = (pto_scalar){.i = number};
        return true;
    }
    const pto_value *value = pto_instr_value(op, position);
    if (!value)
        return true;
    if (!value->type) {
        pto_verify_refuse(v, "PTO-E0404", op, op->span, desc->name, "a value with a type", "no type");
        return false;
    }
    if (pto_type_is_tile(value->type))
        return describe_tile(v, value, operand);
    if (desc->is_counts && value->type->kind == PTO_TYPE_VECTOR)
        return true; /* nothing reads it: as good as absent */
    pto_view_facts facts;
    if (pto_fact_view(value, &facts)) {
        describe_view(op, value, legality, position, partner_tile(op, position));
        return true;
    }
    if (!pto_type_is_scalar(value->type)) {
        char words[PTO_TYPE_WORDS];
        pto_verify_refuse(v, "PTO-E0405", op, pto_instr_span(op, position), desc->name,
                          "a tile, a view or a scalar", "%s", pto_type_words(value->type, words));
        return false;
    }
    operand->kind = PTO_OPERAND_SCALAR;
    operand->value.dtype = pto_type_dtype(value->type);
    operand->value_known = value->type->kind == PTO_TYPE_FLOAT ? pto_fact_float(value, &operand->value.f)
                                                               : pto_fact_int(value, &operand->value.i);
    return true;
}

/* Strict: a scalar has the element type of the tile that it meets (60, 3.10.7). */
static void check_strict(pto_verifier *v, const pto_operation *op, const pto_legality *legality) {
    for (int i = 0; i < legality->form->operand_count; i++) {
        const pto_operand_desc *desc = &legality->form->operand[i];
        if (desc->role != PTO_ROLE_SCALAR || !desc->type_var ||
            legality->operand[i].kind != PTO_OPERAND_SCALAR)
            continue;
        for (int t = 0; t < legality->form->operand_count; t++) {
            if (legality->form->operand[t].type_var != desc->type_var ||
                legality->operand[t].kind != PTO_OPERAND_TILE)
                continue;
            pto_dtype wanted = legality->operand[t].type.dtype, found = legality->operand[i].value.dtype;
            if (wanted != found)
                pto_verify_refuse(v, "PTO-E0427", op, pto_instr_span(op, i), desc->name,
                                  pto_dtype_name(wanted), "%s", pto_dtype_name(found));
            break;
        }
    }
}

/* SSA: a read-modify-write result takes the storage of an old value, which must be there and fit (60, 2). */
static bool check_old_value(pto_verifier *v, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    if (form->operand[0].role != PTO_ROLE_INOUT || pto_instr_result(op, 0) != 0 ||
        op->form == PTO_FORM_TASSIGN)
        return true;
    if (!op->acc) {
        if (form->op == PTO_OP_TINSERT || form->op == PTO_OP_TINSERT_FP)
            return true; /* into a fresh, undefined tile */
        pto_verify_refuse(v, "PTO-E0423", op, op->name_span, form->operand[0].name,
                          "a last operand %acc, or a result name that is bound to a tile", "no old value");
        return false;
    }
    if (op->acc->type == op->result[0]->type)
        return true;
    char found[PTO_TYPE_WORDS], allowed[PTO_TYPE_WORDS];
    const char *words = pto_type_words(op->result[0]->type, allowed);
    pto_verify_refuse(v, "PTO-E0405", op, op->span, "acc", words, "%s", pto_type_words(op->acc->type, found));
    return false;
}

static bool check_tassign(pto_verifier *v, const pto_operation *op) {
    bool explicit_form = v->program->dialect == PTO_DIALECT_AS || v->program->dialect == PTO_DIALECT_LEVEL1;
    if (!explicit_form && !v->has_addresses) {
        pto_verify_refuse(v, "PTO-E0424", op, op->name_span, NULL, "level 3: every alloc_tile has an address",
                          "tassign at level 2");
        return false;
    }
    return true;
}

/* Tiles whose type parameters nobody gave: each named once, at its first use; results that lack them only
 * because an operand does are not named. */
static bool check_open(pto_verifier *v, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    bool open = false;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < form->operand_count; i++) {
            const pto_value *value = pto_instr_value(op, i);
            bool result = pto_instr_result(op, i) >= 0;
            if (!value || result != (pass == 1) || !pto_type_is_tile(value->type) || !value->type->open)
                continue;
            if (!pto_value_map_find(&v->open, value) && !(result && open)) {
                pto_verify_refuse(v, "PTO-E0403", op, pto_instr_span(op, i), form->operand[i].name,
                                  "a tile type with its parameters", "%%%.*s: <...>",
                                  PTO_STR_ARG(value->name));
                pto_verify_note_value(v, value);
            }
            pto_value_map_set(&v->open, value, 1);
            open = true;
        }
    }
    return !open;
}

static void ignore(void *user, const pto_refusal *refusal) {
    (void)user;
    (void)refusal;
}

/* The type of an operand breaks a rule by itself: its definition has said so. */
static bool stands_on_refused(const pto_operation *op, const pto_legality *legality) {
    pto_legality trial = *legality;
    trial.report = ignore;
    for (int i = 0; i < legality->form->operand_count; i++)
        if (legality->operand[i].kind == PTO_OPERAND_TILE && pto_instr_result(op, i) < 0 &&
            (uint32_t)i < op->operand_count && op->operand[i] &&
            !pto_legality_check_tile_type(&trial, &legality->operand[i].type, i))
            return true;
    return false;
}

/* `view[i, j]` of PTO-AS (60, 1.2) */
static bool check_indices(pto_verifier *v, const pto_operation *op) {
    char words[PTO_TYPE_WORDS];
    bool good = true;
    for (uint32_t i = 0; i < op->index_count; i++)
        if (!pto_type_int_width(op->index[i]->type)) {
            pto_verify_refuse(v, "PTO-E0405", op, op->span, NULL, "an index", "%s",
                              pto_type_words(op->index[i]->type, words));
            good = false;
        }
    return good;
}

void pto_verify_instr(pto_verifier *v, const pto_operation *op) {
    if ((unsigned)op->form >= PTO_FORM_COUNT) {
        pto_verify_refuse(v, "PTO-E0401", op, op->name_span, NULL, NULL, "an unknown form");
        return;
    }
    const pto_form_desc *form = pto_form_get(op->form);
    bool known = op->operand_count <= form->operand_count;
    if (!known)
        pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL, NULL, "%u operands for %u",
                          op->operand_count, form->operand_count);
    known = check_open(v, op) && known;
    known = check_indices(v, op) && known;
    known = known && check_old_value(v, op);
    if (op->form == PTO_FORM_TASSIGN)
        known = check_tassign(v, op) && known;
    instr_report context = {v, op};
    pto_legality legality = {.form = form,
                             .target = v->target,
                             .strict = v->strict,
                             .explicit_tmp = v->has_addresses || v->strict,
                             .report = report,
                             .user = &context};
    for (int i = 0; known && i < form->operand_count; i++)
        known = describe(v, op, &legality, i);
    if (!known)
        return;
    /* scratch that the text may omit does not count as missing; the target says whether it is needed */
    for (int i = 0; i < form->operand_count; i++) {
        if (legality.explicit_tmp || !pto_instr_is_scratch(op, i) || form->operand[i].optional)
            continue;
        pto_tile_type type;
        if (pto_fact_scratch_type(&legality, i, &type))
            legality.operand[i] = (pto_legality_operand){
                .kind = PTO_OPERAND_TILE, .type = type, .valid_rows = type.rows, .valid_cols = type.cols};
    }
    if (v->ptoas == PTO_PTOAS_ONLY || stands_on_refused(op, &legality))
        return;
    if (pto_legality_check(&legality) && v->strict)
        check_strict(v, op, &legality);
}

bool pto_instr_scratch_type(const pto_program *program, pto_target target, const pto_operation *op,
                            int position, pto_tile_type *type) {
    pto_verifier v = {.program = program, .target = target};
    pto_legality legality = {
        .form = pto_form_get(op->form), .target = target, .explicit_tmp = true, .report = ignore};
    if (!pto_instr_is_scratch(op, position))
        return false;
    for (int i = 0; i < legality.form->operand_count; i++)
        if (!describe(&v, op, &legality, i))
            return false;
    if (legality.form->operand[position].optional && pto_legality_check(&legality))
        return false;
    return pto_fact_scratch_type(&legality, position, type);
}

/* ---- implicit scratch of a2a3 (00, 8.1) ------------------------------------------------------- */

enum { SCRATCH_BEGIN = 184 * 1024, SCRATCH_END = 192 * 1024 };

typedef struct scratch_search {
    const pto_operation *user;  /* the first instruction that clobbers the range */
    const pto_operation *alloc; /* the first tile that overlaps it */
} scratch_search;

static bool has_rule(const pto_form_desc *form, const char *name) {
    for (int i = 0; i < form->rule_count; i++)
        if (form->rules[i].name[0] == name[0] && !strcmp(form->rules[i].name, name))
            return true;
    return false;
}

/* A window of two: 1-byte data, an odd number of valid columns, more than one element, at a column that is a
 * multiple of 32, as far as that is known (part 30, TEXTRACT). */
static bool extracts_odd_bytes(const pto_operation *op, int window) {
    const pto_value *dst = pto_instr_value(op, window), *index = pto_instr_value(op, 4 + 2 * window);
    int64_t column;
    if (!dst || !pto_type_is_tile(dst->type) || dst->type->open || !pto_fact_int(index, &column))
        return false;
    const pto_tile_type *type = &dst->type->tile;
    return pto_dtype_bits(type->dtype) == 8 && type->valid_cols > 0 && type->valid_cols % 2 == 1 &&
           !(type->valid_cols == 1 && type->valid_rows == 1) && column % 32 == 0;
}

/* A form whose row has the rule row_expand_place, without tmp, in mode 1: a column-major operand (20, 4.1).
 */
bool pto_instr_uses_implicit_scratch(const pto_operation *op) {
    if (op->kind != PTO_OPK_INSTR)
        return false;
    const pto_form_desc *form = pto_form_get(op->form);
    if (has_rule(form, "extract_scratch"))
        return extracts_odd_bytes(op, 0) || extracts_odd_bytes(op, 1);
    if (!has_rule(form, "row_expand_place"))
        return false;
    int tmp = pto_form_operand_index(form, "tmp");
    if (tmp < 0 || pto_instr_value(op, tmp))
        return false;
    for (int i = 1; i <= 2; i++) {
        const pto_value *value = pto_instr_value(op, i);
        if (value && pto_type_is_tile(value->type) && !value->type->open &&
            value->type->tile.blayout == PTO_COL_MAJOR)
            return true;
    }
    return false;
}

static void search_user(void *user, const pto_operation *op) {
    scratch_search *search = user;
    if (!search->user && pto_instr_uses_implicit_scratch(op))
        search->user = op;
}

static void search_alloc(void *user, const pto_operation *op) {
    scratch_search *search = user;
    if (search->alloc || op->kind != PTO_OPK_ALLOC_TILE || op->result_count != 1)
        return;
    const pto_type *type = op->result[0]->type;
    uint64_t addr;
    if (pto_type_is_tile(type) && !type->open && type->tile.loc == PTO_LOC_VEC &&
        pto_fact_tile_addr(op->result[0], &addr) && addr < SCRATCH_END &&
        addr + pto_tile_type_bytes(&type->tile) > SCRATCH_BEGIN)
        search->alloc = op;
}

void pto_verify_implicit_scratch(pto_verifier *v, const pto_operation *function) {
    scratch_search search = {0};
    if (!v->has_addresses)
        return;
    pto_fact_walk(function, search_alloc, &search);
    if (search.alloc)
        pto_fact_walk(function, search_user, &search);
    if (!search.user || !search.alloc)
        return;
    pto_verify_refuse(v, "PTO-E0428", search.alloc, search.alloc->span, NULL, "vec bytes 0 to 188415",
                      "a tile in [188416, 196608)");
    if (v->program->source)
        pto_diag_note(v->diags, pto_at(v->program->source, search.user->span.begin, search.user->span.end),
                      "%s without tmp uses that range as scratch", pto_operation_title(search.user));
}
