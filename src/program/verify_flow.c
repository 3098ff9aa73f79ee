/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of functions, calls and structured control flow (60, 3.2, 3.3, 4.9). */
#include "program/verify.h"

static const pto_block *only_block(const pto_operation *op, uint32_t region) {
    const pto_region *r = region < op->region_count ? op->region[region] : NULL;
    return r && r->first && !r->first->next ? r->first : NULL;
}

/* The terminator of a block must be of the kind, and pass values of these types. */
static void terminator(pto_verifier *v, const pto_operation *op, const pto_block *block, pto_op_kind kind,
                       uint32_t skip, uint32_t count, pto_value *const *wanted, bool may_lack) {
    const pto_operation *last = block->last;
    if (!last || last->kind != kind) {
        if (!may_lack || count)
            pto_verify_refuse(v, "PTO-E0407", op, op->name_span, NULL, pto_op_kind_name(kind), "%s",
                              last ? pto_operation_title(last) : "an empty region");
        return;
    }
    if (last->operand_count != count + skip) {
        pto_verify_refuse(v, "PTO-E0408", last, last->span, NULL, NULL, "%u values where %u are wanted",
                          last->operand_count - (last->operand_count < skip ? 0 : skip), count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const pto_value *passed = last->operand[i + skip];
        char a[PTO_TYPE_WORDS], b[PTO_TYPE_WORDS];
        if (passed && wanted[i] && passed->type != wanted[i]->type)
            pto_verify_refuse(v, "PTO-E0408", last, pto_verify_operand_span(last, i + skip), NULL,
                              pto_type_words(wanted[i]->type, a), "%s", pto_type_words(passed->type, b));
    }
}

static void same_list(pto_verifier *v, const pto_operation *op, uint32_t first, uint32_t count,
                      pto_value *const *wanted, uint32_t wanted_count) {
    if (count != wanted_count) {
        pto_verify_refuse(v, "PTO-E0408", op, op->name_span, NULL, NULL, "%u values where %u are wanted",
                          count, wanted_count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        pto_verify_same_type(v, op, first + i, wanted[i]->type);
}

static void verify_for(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, -1))
        return;
    const pto_block *body = only_block(op, 0);
    if (op->operand_count < 3 || !body || body->arg_count < 1) {
        pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL,
                          "bounds, step and one block with its argument", "%u operands", op->operand_count);
        return;
    }
    const pto_type *type = op->operand[0]->type;
    char words[PTO_TYPE_WORDS];
    if (!pto_type_int_width(type))
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "an integer or an index",
                          "%s", pto_type_words(type, words));
    pto_verify_same_type(v, op, 1, type);
    pto_verify_same_type(v, op, 2, type);
    if (body->arg[0]->type != type)
        pto_verify_refuse(v, "PTO-E0405", op, body->arg[0]->span, NULL, "the type of the bounds", "%s",
                          pto_type_words(body->arg[0]->type, words));
    int64_t step;
    if (pto_fact_int(op->operand[2], &step) && step <= 0)
        pto_verify_refuse(v, "PTO-E0905", op, pto_verify_operand_span(op, 2), NULL, "a step above 0", "%lld",
                          (long long)step);
    uint32_t carried = op->operand_count - 3;
    same_list(v, op, 3, carried, body->arg + 1, body->arg_count - 1);
    if (carried == op->result_count)
        for (uint32_t i = 0; i < carried; i++)
            pto_verify_same_type(v, op, 3 + i, op->result[i]->type);
    else
        pto_verify_refuse(v, "PTO-E0408", op, op->name_span, NULL, NULL, "%u results for %u iter_args",
                          op->result_count, carried);
    terminator(v, op, body, PTO_OPK_SCF_YIELD, 0, op->result_count, op->result, true);
}

static void verify_if(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, 1, -1))
        return;
    const pto_type *type = op->operand[0]->type;
    char words[PTO_TYPE_WORDS];
    if (type->kind != PTO_TYPE_INT || type->width != 1)
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "i1", "%s",
                          pto_type_words(type, words));
    const pto_block *then_block = only_block(op, 0), *else_block = only_block(op, 1);
    if (then_block)
        terminator(v, op, then_block, PTO_OPK_SCF_YIELD, 0, op->result_count, op->result, true);
    if (else_block)
        terminator(v, op, else_block, PTO_OPK_SCF_YIELD, 0, op->result_count, op->result, true);
    if (!then_block || (op->result_count && !else_block))
        pto_verify_refuse(v, "PTO-E0407", op, op->name_span, NULL, "a region of one block for every way",
                          "a missing region");
}

static void verify_while(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, -1))
        return;
    const pto_block *before = only_block(op, 0), *after = only_block(op, 1);
    if (!before || !after) {
        pto_verify_refuse(v, "PTO-E0407", op, op->name_span, NULL, "two regions of one block", "%u regions",
                          op->region_count);
        return;
    }
    same_list(v, op, 0, op->operand_count, before->arg, before->arg_count);
    terminator(v, op, before, PTO_OPK_SCF_CONDITION, 1, op->result_count, op->result, false);
    terminator(v, op, before, PTO_OPK_SCF_CONDITION, 1, after->arg_count, after->arg, false);
    terminator(v, op, after, PTO_OPK_SCF_YIELD, 0, before->arg_count, before->arg, false);
}

static void verify_call(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, -1))
        return;
    const pto_operation *callee = pto_fact_callee(v->program, op);
    pto_str name = pto_fact_symbol(op, "callee");
    const pto_block *body = callee ? pto_function_body(callee) : NULL;
    if (!body) {
        pto_verify_refuse(v, "PTO-E0419", op, op->span, "callee", "a function defined in the module",
                          "@%.*s%s", PTO_STR_ARG(name), callee ? " (declaration only)" : "");
        return;
    }
    if (op->operand_count != body->arg_count || op->result_count > 1) {
        pto_verify_refuse(v, "PTO-E0419", op, op->span, NULL, "the callee's arguments, at most one result",
                          "%u arguments for %u, %u results", op->operand_count, body->arg_count,
                          op->result_count);
        return;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        pto_verify_same_type(v, op, i, body->arg[i]->type);
    const pto_operation *last = body->last;
    if (last && last->kind == PTO_OPK_RETURN && last->operand_count != op->result_count)
        pto_verify_refuse(v, "PTO-E0419", op, op->span, NULL, NULL, "%u results, the callee returns %u",
                          op->result_count, last->operand_count);
}

/* ---- call cycles ----------------------------------------------------------------------------- */

typedef struct cycle_search {
    const pto_program *program;
    const pto_operation *start;
    pto_value_map *visited;
    bool found;
    int depth;
} cycle_search;

static void follow_call(void *user, const pto_operation *op) {
    cycle_search *search = user;
    if (op->kind != PTO_OPK_CALL || search->found || search->depth > 512)
        return;
    const pto_operation *callee = pto_fact_callee(search->program, op);
    if (!callee)
        return;
    if (callee == search->start) {
        search->found = true;
        return;
    }
    if (pto_value_map_find(search->visited, callee))
        return;
    pto_value_map_set(search->visited, callee, 1);
    search->depth++;
    pto_fact_walk(callee, follow_call, search);
    search->depth--;
}

static bool is_branch(const pto_operation *op) {
    return op->kind == PTO_OPK_CF_BR || op->kind == PTO_OPK_CF_COND_BR || op->kind == PTO_OPK_CF_SWITCH;
}

static void verify_function(pto_verifier *v, const pto_operation *op) {
    pto_value_map visited = {.arena = v->arena};
    cycle_search search = {.program = v->program, .start = op, .visited = &visited};
    pto_fact_walk(op, follow_call, &search);
    pto_str name = pto_function_name(op);
    if (search.found)
        pto_verify_refuse(v, "PTO-E0420", op, op->name_span, NULL, NULL, "@%.*s calls itself",
                          PTO_STR_ARG(name));
    bool marked = pto_operation_attr(op, "pto.entry") || pto_operation_attr(op, "hacc.entry");
    const pto_block *body = pto_function_body(op);
    if (!body) {
        if (marked)
            pto_verify_refuse(v, "PTO-E0421", op, op->name_span, NULL, "a definition",
                              "a declaration marked pto.entry");
        return;
    }
    for (const pto_block *block = body; block; block = block->next) {
        const pto_operation *last = block->last;
        if (last && last->kind == PTO_OPK_RETURN && marked && last->operand_count)
            pto_verify_refuse(v, "PTO-E0421", last, last->span, NULL, "no results", "%u results",
                              last->operand_count);
        if (v->program->dialect != PTO_DIALECT_AS &&
            !(last && (last->kind == PTO_OPK_RETURN || is_branch(last))))
            pto_verify_refuse(v, "PTO-E0407", last ? last : op, last ? last->span : op->name_span, NULL,
                              "func.return or a branch", "%s",
                              last ? pto_operation_title(last) : "an empty body");
    }
}

/* Every block of the region ends in a branch or yields the results. */
static void verify_arm(pto_verifier *v, const pto_operation *op, const pto_region *region, bool one_block) {
    if (one_block && region->first->next)
        pto_verify_refuse(v, "PTO-E0407", op, op->name_span, NULL, "one block", "several");
    for (const pto_block *block = region->first; block; block = block->next)
        if (one_block || !block->last || !is_branch(block->last))
            terminator(v, op, block, PTO_OPK_SCF_YIELD, 0, op->result_count, op->result, false);
}

static void verify_regions(pto_verifier *v, const pto_operation *op, bool one_block) {
    if (!pto_verify_counts(v, op, -1, -1))
        return;
    for (uint32_t i = 0; i < op->region_count; i++)
        verify_arm(v, op, op->region[i], one_block);
}

/* The values passed to one successor. */
static void passes(pto_verifier *v, const pto_operation *op, const pto_block *to, uint32_t from,
                   uint32_t count) {
    if (!to || to->parent != op->parent->parent) {
        pto_verify_refuse(v, "PTO-E0407", op, op->span, NULL, "a block of the same region", "another");
        return;
    }
    if (to == to->parent->first) {
        pto_verify_refuse(v, "PTO-E0407", op, op->span, NULL, "a block that is not the entry",
                          "the entry block");
        return;
    }
    same_list(v, op, from, count, to->arg, to->arg_count);
}

static void verify_branch(pto_verifier *v, const pto_operation *op) {
    if (!pto_verify_counts(v, op, -1, 0))
        return;
    if (op->kind == PTO_OPK_CF_BR) {
        passes(v, op, op->successor[0], 0, op->operand_count);
        return;
    }
    const pto_type *type = op->operand[0]->type;
    if (op->kind == PTO_OPK_CF_COND_BR) {
        if (type->kind != PTO_TYPE_INT || type->width != 1)
            pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "i1", "another type");
        passes(v, op, op->successor[0], 1, op->segment[1]);
        passes(v, op, op->successor[1], 1 + op->segment[1], op->segment[2]);
        return;
    }
    if (!pto_type_int_width(type))
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "an integer",
                          "another type");
    const pto_attr *values = pto_operation_attr(op, "case_values");
    const pto_attr *sizes = pto_operation_attr(op, "case_operand_segments");
    uint32_t at = 1 + op->segment[1];
    passes(v, op, op->successor[0], 1, op->segment[1]);
    for (uint32_t i = 0; i < sizes->count; i++) {
        for (uint32_t j = 0; j < i; j++)
            if (values->dense[i] == values->dense[j])
                pto_verify_refuse(v, "PTO-E0408", op, op->span, "case_values", "different values",
                                  "%lld twice", (long long)values->dense[i]);
        passes(v, op, op->successor[i + 1], at, (uint32_t)sizes->dense[i]);
        at += (uint32_t)sizes->dense[i];
    }
}

static void verify_index_switch(pto_verifier *v, const pto_operation *op) {
    const pto_attr *cases = pto_operation_attr(op, "cases");
    verify_regions(v, op, true);
    for (uint32_t r = 0; r < op->region_count; r++)
        if (op->region[r]->first && op->region[r]->first->arg_count)
            pto_verify_refuse(v, "PTO-E0407", op, op->name_span, NULL, "no arguments",
                              "a region with arguments");
    if (op->operand_count == 1 && op->operand[0] && op->operand[0]->type &&
        op->operand[0]->type->kind != PTO_TYPE_INDEX)
        pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "an index",
                          "another type");
    for (uint32_t i = 0; i < cases->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (cases->dense[i] == cases->dense[j])
                pto_verify_refuse(v, "PTO-E0408", op, op->span, "cases", "different values", "%lld twice",
                                  (long long)cases->dense[i]);
}

/* A terminator that is not at the end of its block. */
static void at_end(pto_verifier *v, const pto_operation *op) {
    if (op->next)
        pto_verify_refuse(v, "PTO-E0407", op, op->span, NULL, "the end of its block", "operations behind it");
}

void pto_verify_flow(pto_verifier *v, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_FUNC:
        verify_function(v, op);
        break;
    case PTO_OPK_CALL:
        verify_call(v, op);
        break;
    case PTO_OPK_SCF_FOR:
        verify_for(v, op);
        break;
    case PTO_OPK_SCF_IF:
        verify_if(v, op);
        break;
    case PTO_OPK_SCF_WHILE:
        verify_while(v, op);
        break;
    case PTO_OPK_SCF_INDEX_SWITCH:
        verify_index_switch(v, op);
        break;
    case PTO_OPK_SCF_EXECUTE_REGION:
        verify_regions(v, op, false);
        break;
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
        at_end(v, op);
        verify_branch(v, op);
        break;
    case PTO_OPK_SCF_CONDITION:
        at_end(v, op);
        if (pto_verify_counts(v, op, -1, 0) &&
            (op->operand_count < 1 || op->operand[0]->type->kind != PTO_TYPE_INT ||
             op->operand[0]->type->width != 1))
            pto_verify_refuse(v, "PTO-E0405", op, pto_verify_operand_span(op, 0), NULL, "i1", "another type");
        break;
    default: /* return, yield */
        at_end(v, op);
        pto_verify_counts(v, op, -1, 0);
        break;
    }
}
