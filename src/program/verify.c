/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of a module: the walk, SSA form, reporting (60, 3.10). */
#include "program/compat.h"

#include <setjmp.h>
#include <stdio.h>

static const pto_span no_span = {0, 0};

const char *pto_operation_title(const pto_operation *op) {
    if (op->kind == PTO_OPK_INSTR)
        return pto_form_get(op->form)->mnemonic;
    const char *name = pto_op_kind_name(op->kind);
    return name ? name : "operation";
}

static pto_where where_of(const pto_verifier *v, pto_span span, const char *operand) {
    pto_where where = v->program->source ? pto_at(v->program->source, span.begin, span.end) : pto_nowhere();
    where.operand = operand;
    return where;
}

void pto_verify_refuse(pto_verifier *v, const char *rule, const pto_operation *op, pto_span span,
                       const char *operand, const char *allowed, const char *format, ...) {
    char found[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    const pto_rule_text *text = pto_rule_find(rule);
    const char *title = text ? text->title : "refused";
    if (span.begin == span.end)
        span = op->span;
    pto_where where = where_of(v, span, operand);
    pto_severity severity = text ? text->severity : PTO_ERROR;
    v->refused |= severity == PTO_ERROR;
    if (op->kind == PTO_OPK_UNKNOWN)
        pto_diag_add(v->diags, severity, rule, where, "%.*s: %s", PTO_STR_ARG(op->name), title);
    else
        pto_diag_add(v->diags, severity, rule, where, "%s: %s", pto_operation_title(op), title);
    if (found[0])
        pto_diag_found(v->diags, "%s", found);
    if (allowed)
        pto_diag_allowed(v->diags, "%s", allowed);
    pto_diag_target(v->diags, pto_target_name(v->target));
    if (text && text->fix)
        pto_diag_fix(v->diags, "%s", text->fix);
}

pto_span pto_verify_operand_span(const pto_operation *op, uint32_t i) {
    return op->operand_span && i < op->operand_count ? op->operand_span[i] : no_span;
}

pto_span pto_verify_result_span(const pto_operation *op, uint32_t k) {
    return k < op->result_count && op->result[k] ? op->result[k]->span : no_span;
}

void pto_verify_note_value(pto_verifier *v, const pto_value *value) {
    if (!value || !v->program->source || value->span.begin == value->span.end)
        return;
    pto_diag_note(v->diags, where_of(v, value->span, NULL), "%%%.*s is declared here",
                  PTO_STR_ARG(value->name));
}

const char *pto_type_words(const pto_type *type, char buffer[PTO_TYPE_WORDS]) {
    if (!type)
        return "nothing";
    const char *element = type->element ? pto_dtype_name(pto_type_dtype(type->element)) : "?";
    switch (type->kind) {
    case PTO_TYPE_INDEX:
        return "index";
    case PTO_TYPE_INT:
        snprintf(buffer, PTO_TYPE_WORDS, "%si%u",
                 type->signedness == PTO_SIGNLESS ? "" : (type->signedness == PTO_SIGNED ? "s" : "u"),
                 type->width);
        return buffer;
    case PTO_TYPE_FLOAT:
        return pto_dtype_name(type->dtype);
    case PTO_TYPE_PTR:
        snprintf(buffer, PTO_TYPE_WORDS, "a pointer to %s", element);
        return buffer;
    case PTO_TYPE_TENSOR_VIEW:
        snprintf(buffer, PTO_TYPE_WORDS, "a tensor view of %s", element);
        return buffer;
    case PTO_TYPE_PARTITION_VIEW:
        snprintf(buffer, PTO_TYPE_WORDS, "a partition view of %s", element);
        return buffer;
    case PTO_TYPE_MEMREF:
        snprintf(buffer, PTO_TYPE_WORDS, "a memref of %s", element);
        return buffer;
    case PTO_TYPE_TILE:
    case PTO_TYPE_TILE_BUF:
        if (type->open)
            return "a tile without parameters";
        if (type->tile.conv) {
            snprintf(buffer, PTO_TYPE_WORDS, "a %s convolution tile of %s %s", pto_loc_name(type->tile.loc),
                     pto_layout_name(type->tile.conv->layout), pto_dtype_name(type->tile.dtype));
            return buffer;
        }
        snprintf(buffer, PTO_TYPE_WORDS, "a %s tile of %d x %d %s", pto_loc_name(type->tile.loc),
                 type->tile.rows, type->tile.cols, pto_dtype_name(type->tile.dtype));
        return buffer;
    case PTO_TYPE_EVENT:
        return "an event";
    case PTO_TYPE_VECTOR:
        return "a vector";
    case PTO_TYPE_FUNCTION:
        return "a function type";
    case PTO_TYPE_NONE:
        return "none";
    case PTO_TYPE_OPAQUE:
        break;
    }
    snprintf(buffer, PTO_TYPE_WORDS, "%.*s", (int)(type->text.len > 64 ? 64 : type->text.len),
             type->text.data ? type->text.data : "");
    return buffer;
}

bool pto_verify_counts(pto_verifier *v, const pto_operation *op, int operands, int results) {
    char allowed[48];
    if (operands >= 0 && op->operand_count != (uint32_t)operands) {
        snprintf(allowed, sizeof allowed, "%d operands", operands);
        pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL, allowed, "%u operands", op->operand_count);
        return false;
    }
    if (results >= 0 && op->result_count != (uint32_t)results) {
        snprintf(allowed, sizeof allowed, "%d results", results);
        pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL, allowed, "%u results", op->result_count);
        return false;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!op->operand[i] || !op->operand[i]->type) {
            pto_verify_refuse(v, "PTO-E0404", op, pto_verify_operand_span(op, i), NULL, "a value with a type",
                              "operand %u is missing", i + 1);
            return false;
        }
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
        if (!op->result[k] || !op->result[k]->type) {
            pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL, "a result with a type",
                              "result %u is missing", k + 1);
            return false;
        }
    }
    return true;
}

bool pto_verify_same_type(pto_verifier *v, const pto_operation *op, uint32_t operand, const pto_type *type) {
    if (op->operand[operand]->type == type)
        return true;
    char found[PTO_TYPE_WORDS], allowed[PTO_TYPE_WORDS];
    const char *words = pto_type_words(type, allowed);
    pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, operand), NULL, words, "%s",
                      pto_type_words(op->operand[operand]->type, found));
    return false;
}

/* ---- the walk ---------------------------------------------------------------------------------- */

static const pto_block_tree *tree_of(pto_verifier *v, const pto_region *region) {
    int64_t *known = pto_value_map_find(&v->trees, region);
    if (known)
        return (const pto_block_tree *)(intptr_t)*known;
    const pto_block_tree *tree = pto_block_tree_make(v->arena, region);
    pto_value_map_set(&v->trees, region, (int64_t)(intptr_t)tree);
    return tree;
}

/* The value's block encloses the operation, or is its own, or dominates one of these. */
static bool is_visible(pto_verifier *v, const pto_value *value, const pto_operation *op) {
    const pto_block *home = value->def ? value->def->parent : value->block;
    for (const pto_block *block = op->parent; block;) {
        if (block == home)
            return true;
        if (home && block->parent == home->parent)
            return pto_block_dominates(tree_of(v, home->parent), home, block);
        const pto_operation *outer = block->parent ? block->parent->parent : NULL;
        if (!outer || outer->kind == PTO_OPK_FUNC)
            return false;
        block = outer->parent;
    }
    return false;
}

/* Both stand in ways of one choice of which a run takes one. */
static bool exclude_each_other(const pto_operation *a, const pto_operation *b) {
    for (const pto_block *x = a->parent; x && x->parent;
         x = x->parent->parent ? x->parent->parent->parent : NULL) {
        const pto_operation *outer = x->parent->parent;
        if (!outer || (outer->kind != PTO_OPK_SCF_IF && outer->kind != PTO_OPK_SCF_INDEX_SWITCH))
            continue;
        for (const pto_block *y = b->parent; y && y->parent;
             y = y->parent->parent ? y->parent->parent->parent : NULL)
            if (y->parent->parent == outer)
                return y->parent != x->parent;
    }
    return false;
}

static void check_use(pto_verifier *v, const pto_operation *op, const pto_value *value, pto_span span) {
    if (!value)
        return;
    if (!pto_value_map_find(&v->seen, value) || !is_visible(v, value, op)) {
        pto_verify_refuse(v, "PTO-E0402", op, span, NULL, "a value defined before, in an enclosing region",
                          "%%%.*s", PTO_STR_ARG(value->name));
        return;
    }
    const int64_t *consumer = pto_value_map_find(&v->consumed, value);
    if (consumer && !exclude_each_other((const pto_operation *)(intptr_t)*consumer, op)) {
        pto_verify_refuse(v, "PTO-E0422", op, span, NULL, "the result that took the storage over", "%%%.*s",
                          PTO_STR_ARG(value->name));
        pto_verify_note_value(v, value);
    }
}

static void check_uses(pto_verifier *v, const pto_operation *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        check_use(v, op, op->operand[i], pto_verify_operand_span(op, i));
    check_use(v, op, op->acc, op->span);
    for (uint32_t i = 0; i < op->index_count && i < 5; i++)
        check_use(v, op, op->index[i], op->span);
}

/* An old value that comes from outside of a loop around its consumer would be consumed once a turn. */
static void consume(pto_verifier *v, const pto_operation *op) {
    const pto_value *old = pto_instr_old_value(op);
    if (!old)
        return;
    const pto_block *home = old->def ? old->def->parent : old->block;
    for (const pto_block *block = op->parent; block && block != home;) {
        const pto_operation *outer = block->parent ? block->parent->parent : NULL;
        if (outer && (outer->kind == PTO_OPK_SCF_FOR || outer->kind == PTO_OPK_SCF_WHILE)) {
            pto_verify_refuse(v, "PTO-E0422", op, op->span, NULL, "an iter_arg of the loop",
                              "%%%.*s, defined outside of the loop", PTO_STR_ARG(old->name));
            pto_verify_note_value(v, old);
            break;
        }
        block = outer ? outer->parent : NULL;
    }
    pto_value_map_set(&v->consumed, old, (int64_t)(intptr_t)op);
}

static void verify_operation(pto_verifier *v, const pto_operation *op);

static void verify_regions(pto_verifier *v, const pto_operation *op) {
    for (uint32_t r = 0; r < op->region_count; r++) {
        const pto_block_tree *tree = op->region[r] && op->region[r]->first && op->region[r]->first->next
                                         ? tree_of(v, op->region[r])
                                         : NULL;
        uint32_t number = 0;
        /* definitions before uses */
        for (const pto_block *block = op->region[r] ? op->region[r]->first : NULL; block;
             block = tree && ++number < tree->count ? tree->order[number] : NULL) {
            for (uint32_t i = 0; i < block->arg_count; i++) {
                pto_value_map_set(&v->seen, block->arg[i], 1);
                const pto_type *type = block->arg[i]->type;
                bool tile = pto_type_is_tile(type);
                if (type && tile != type->open) /* an open view; a tile with parameters */
                    pto_verify_tile_type(v, op, block->arg[i]->span, NULL, type);
            }
            for (const pto_operation *inner = block->first; inner; inner = inner->next)
                verify_operation(v, inner);
            /* a use names the operand; without one the declaration must do */
            for (uint32_t i = 0; i < block->arg_count; i++) {
                const pto_value *arg = block->arg[i];
                if (pto_type_is_tile(arg->type) && arg->type->open && !pto_value_map_find(&v->open, arg))
                    pto_verify_tile_type(v, op, arg->span, NULL, arg->type);
            }
        }
    }
}

static void verify_function(pto_verifier *v, const pto_operation *op) {
    pto_verify_flow(v, op);
    verify_regions(v, op);
    if (v->target == PTO_TARGET_A2A3 && v->has_addresses)
        pto_verify_implicit_scratch(v, op);
}

static bool is_poison(const pto_value *value) { return value && !value->type; }

/* The parser has said what is wrong with the statement, or with one that it stands on. */
static bool is_broken(const pto_operation *op) {
    bool broken = op->broken || is_poison(op->acc);
    for (uint32_t i = 0; i < op->operand_count && !broken; i++)
        broken = is_poison(op->operand[i]);
    for (uint32_t i = 0; i < op->index_count && i < 5 && !broken; i++)
        broken = is_poison(op->index[i]);
    for (uint32_t i = 0; i < op->result_count && !broken; i++)
        broken = !op->result[i] || is_poison(op->result[i]);
    return broken;
}

static void set_seen(pto_verifier *v, const pto_operation *op) {
    for (uint32_t k = 0; k < op->result_count; k++)
        if (op->result[k])
            pto_value_map_set(&v->seen, op->result[k], 1);
}

static void verify_operation(pto_verifier *v, const pto_operation *op) {
    if (is_broken(op)) {
        v->depth++;
        if (v->depth <= 4096)
            verify_regions(v, op);
        v->depth--;
        set_seen(v, op);
        return;
    }
    if (++v->depth > 4096) {
        v->depth--;
        pto_verify_refuse(v, "PTO-E0911", op, op->name_span, NULL, "4096 regions",
                          "regions nested too deeply");
        return;
    }
    check_uses(v, op);
    switch (op->kind) {
    case PTO_OPK_INSTR:
        pto_verify_instr(v, op);
        if (v->ptoas != PTO_PTOAS_OFF)
            pto_compat_verify(v, op);
        consume(v, op);
        break;
    case PTO_OPK_UNKNOWN:
        pto_verify_refuse(v, "PTO-E0401", op, op->name_span, NULL, NULL, "%.*s", PTO_STR_ARG(op->name));
        break;
    case PTO_OPK_FUNC:
        verify_function(v, op);
        break;
    case PTO_OPK_MODULE:
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
        verify_regions(v, op);
        break;
    case PTO_OPK_RETURN:
    case PTO_OPK_CALL:
    case PTO_OPK_SCF_FOR:
    case PTO_OPK_SCF_IF:
    case PTO_OPK_SCF_WHILE:
    case PTO_OPK_SCF_INDEX_SWITCH:
    case PTO_OPK_SCF_EXECUTE_REGION:
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
    case PTO_OPK_SCF_CONDITION:
    case PTO_OPK_SCF_YIELD:
        pto_verify_flow(v, op);
        verify_regions(v, op);
        break;
    case PTO_OPK_ADDPTR:
    case PTO_OPK_LOAD_SCALAR:
    case PTO_OPK_STORE_SCALAR:
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
    case PTO_OPK_ALLOC_TILE:
    case PTO_OPK_SUBSET:
    case PTO_OPK_SET_VALIDSHAPE:
    case PTO_OPK_BITCAST:
    case PTO_OPK_TSETVAL:
    case PTO_OPK_TGETVAL:
        pto_verify_tile(v, op);
        break;
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
    case PTO_OPK_BARRIER:
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
    case PTO_OPK_BARRIER_SYNC:
    case PTO_OPK_TSYNC:
    case PTO_OPK_GET_BLOCK_IDX:
    case PTO_OPK_GET_BLOCK_NUM:
    case PTO_OPK_GET_SUBBLOCK_IDX:
    case PTO_OPK_GET_SUBBLOCK_NUM:
    case PTO_OPK_PRINT:
    case PTO_OPK_TRAP:
        pto_verify_sync(v, op);
        break;
    default:
        if (!pto_verify_dialect(v, op))
            pto_verify_scalar(v, op);
        break;
    }
    set_seen(v, op);
    v->depth--;
}

/* ---- entry point ------------------------------------------------------------------------------- */

static void note_resized(void *user, const pto_operation *op) {
    pto_verifier *v = user;
    if (op->kind == PTO_OPK_SET_VALIDSHAPE && op->operand_count > 0)
        pto_value_map_set(&v->resized, pto_fact_tile_root(op->operand[0]), 1);
}

/* The frame that a failed allocation returns to; nothing of it changes after the jump is set. */
static pto_status verify_module(pto_verifier *v) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    v->arena->on_failure = &failure;
    pto_fact_walk(v->program->module, note_resized, v);
    verify_regions(v, v->program->module);
    return PTO_OK;
}

static pto_status verify_into(const pto_program *program, const pto_verify_options *options,
                              pto_diag_list *diags) {
    pto_arena arena;
    pto_arena_init(&arena, 0);
    pto_verifier v = {
        .program = program,
        .target = pto_fact_target(program, options && options->has_target,
                                  options ? options->target : PTO_TARGET_CPU),
        .strict = options && options->strict,
        .ptoas = options ? options->ptoas : PTO_PTOAS_OFF,
        .has_addresses = pto_fact_has_addresses(program),
        .diags = diags,
        .arena = &arena,
        .seen = {.arena = &arena},
        .consumed = {.arena = &arena},
        .resized = {.arena = &arena},
        .open = {.arena = &arena},
        .trees = {.arena = &arena},
    };
    pto_status status = verify_module(&v);
    pto_arena_free(&arena);
    if (status == PTO_OK && v.refused)
        status = PTO_ERR_REFUSED;
    return status;
}

static bool same_options(const pto_verify_options *a, const pto_verify_options *b) {
    return a->has_target == b->has_target && (!a->has_target || a->target == b->target) &&
           a->strict == b->strict && a->ptoas == b->ptoas;
}

static size_t told(const pto_diag_list *diags) {
    return pto_diag_count(diags, PTO_ERROR) + pto_diag_count(diags, PTO_WARNING);
}

pto_status pto_program_verify(pto_program *program, const pto_verify_options *options, pto_diag_list *diags) {
    const pto_verify_options none = {0}, *wanted = options ? options : &none;
    if (!program || !program->module)
        return PTO_ERR_USAGE;
    if (program->verified.holds && same_options(&program->verified.options, wanted))
        return PTO_OK;
    size_t before = told(diags);
    pto_status status = verify_into(program, options, diags);
    program->verified.holds = status == PTO_OK && told(diags) == before;
    program->verified.options = *wanted;
    return status;
}
