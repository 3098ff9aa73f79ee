/* SPDX-License-Identifier: Apache-2.0 */
/* Building structured control flow from C. */
#include "program/builder.h"

/* A terminator with these values at the end of the open region, whose types are those of `like`. */
static bool yield(pto_builder *builder, const char *what, pto_op_kind kind, pto_value *first, size_t count,
                  pto_value *const *values, pto_value *const *like, size_t expected) {
    if (!pto_builder_may_use_all(builder, what, values, count))
        return false;
    if (like && count != expected)
        return pto_builder_refuse(builder, what, "%zu values, expected %zu", count, expected);
    for (size_t i = 0; i < count && like; i++)
        if (values[i]->type != like[i]->type)
            return pto_builder_refuse(builder, what, "value %zu has another type", i);
    pto_operation *op = pto_builder_append(builder, what, kind, NULL, 0, 0);
    if (!op)
        return false;
    size_t before = first != NULL;
    pto_operation_resize(builder->program, op, (uint32_t)(count + before));
    if (!pto_builder_goes_on(builder))
        return false;
    if (first)
        op->operand[0] = first;
    for (size_t i = 0; i < count; i++)
        op->operand[before + i] = values[i];
    return true;
}

static bool give(pto_builder *builder, const char *what, const pto_operation *op, size_t count,
                 pto_value **results) {
    if (op->result_count && !results)
        return pto_builder_refuse(builder, what, "no place for %u results", op->result_count);
    for (size_t i = 0; i < count; i++)
        results[i] = op->result[i];
    return true;
}

/* Arguments of the open block with the types of the values. */
static bool arguments(pto_builder *builder, const char *what, size_t count, pto_value *const *like,
                      pto_value **values) {
    if (count && !values)
        return pto_builder_refuse(builder, what, "no place for %zu values", count);
    for (size_t i = 0; i < count; i++)
        values[i] = pto_block_add_arg(builder->program, pto_vec_last(&builder->open).block, like[i]->type,
                                      (pto_str){NULL, 0});
    return pto_builder_goes_on(builder);
}

static bool results(pto_builder *builder, pto_operation *op, pto_value *const *like) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!pto_builder_result(builder, op, i, like[i]->type))
            return false;
    return true;
}

/* Makes an operation with results of these types. */
static pto_operation *with_results(pto_builder *builder, const char *what, pto_op_kind kind,
                                   pto_value *const *operands, size_t operand_count,
                                   const pto_type *const *types, size_t count) {
    if (count && !types) {
        pto_builder_refuse(builder, what, "results without types");
        return NULL;
    }
    pto_operation *op = pto_builder_append(builder, what, kind, operands, operand_count, count);
    for (size_t i = 0; op && i < count; i++) {
        if (!types[i])
            pto_builder_refuse(builder, what, "result %zu has no type", i);
        else
            pto_builder_result(builder, op, (uint32_t)i, types[i]);
    }
    return pto_builder_goes_on(builder) ? op : NULL;
}

/* ---- scf.for
 * ------------------------------------------------------------------------------------------------ */

pto_value *pto_build_for(pto_builder *builder, pto_value *lower, pto_value *upper, pto_value *step,
                         size_t count, pto_value *const *init, pto_value **carried) {
    const char *what = "pto_build_for";
    pto_value *bounds[] = {lower, upper, step};
    if (!pto_builder_here(builder, what) || !pto_builder_may_use_all(builder, what, bounds, 3) ||
        !pto_builder_may_use_all(builder, what, init, count))
        return NULL;
    if (!pto_type_int_width(lower->type) || lower->type != upper->type || lower->type != step->type) {
        pto_builder_refuse(builder, what, "bounds and step that are not of one integer type or index");
        return NULL;
    }
    pto_operation *op = pto_builder_append(builder, what, PTO_OPK_SCF_FOR, bounds, 3, count);
    if (!op)
        return NULL;
    pto_operation_resize(builder->program, op, (uint32_t)(3 + count));
    for (size_t i = 0; i < count && op->operand_count == 3 + count; i++)
        op->operand[3 + i] = init[i];
    if (!pto_builder_goes_on(builder) || !results(builder, op, init) ||
        !pto_builder_enter(builder, PTO_OPEN_FOR, op))
        return NULL;
    pto_value *counter = pto_block_add_arg(builder->program, pto_vec_last(&builder->open).block, lower->type,
                                           (pto_str){NULL, 0});
    return arguments(builder, what, count, init, carried) ? counter : NULL;
}

pto_status pto_build_end_for(pto_builder *builder, size_t count, pto_value *const *next, pto_value **values) {
    const char *what = "pto_build_end_for";
    pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_FOR);
    pto_operation *op = open ? open->op : NULL;
    bool ended =
        op && yield(builder, what, PTO_OPK_SCF_YIELD, NULL, count, next, op->operand + 3, op->result_count) &&
        give(builder, what, op, count, values);
    return pto_builder_done(builder, ended);
}

/* ---- scf.if
 * ------------------------------------------------------------------------------------------------- */

pto_status pto_build_if(pto_builder *builder, pto_value *condition, size_t count,
                        const pto_type *const *types) {
    const char *what = "pto_build_if";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, condition))
        return pto_builder_status(builder);
    if (condition->type != pto_type_int(builder->program, 1, PTO_SIGNLESS)) {
        pto_builder_refuse(builder, what, "a condition that is no i1");
        return builder->status;
    }
    pto_operation *op = with_results(builder, what, PTO_OPK_SCF_IF, &condition, 1, types, count);
    if (op)
        pto_builder_enter(builder, PTO_OPEN_IF, op);
    return pto_builder_done(builder, false);
}

pto_status pto_build_else(pto_builder *builder, size_t count, pto_value *const *values) {
    const char *what = "pto_build_else";
    pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_IF);
    pto_operation *op = open ? open->op : NULL;
    if (!op || !yield(builder, what, PTO_OPK_SCF_YIELD, NULL, count, values, op->result, op->result_count))
        return pto_builder_done(builder, false);
    (void)pto_vec_pop(&builder->open);
    pto_builder_enter(builder, PTO_OPEN_ELSE, op);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_if(pto_builder *builder, size_t count, pto_value *const *values,
                            pto_value **results_of) {
    const char *what = "pto_build_end_if";
    pto_open *open = pto_builder_here(builder, what);
    if (open && open->kind != PTO_OPEN_ELSE)
        open = pto_builder_inside(builder, what, PTO_OPEN_IF);
    if (!open)
        return pto_builder_done(builder, false);
    pto_operation *op = open->op;
    if (open->kind == PTO_OPEN_IF && op->result_count) {
        pto_builder_refuse(builder, what, "results without an else");
        return builder->status;
    }
    bool ended = yield(builder, what, PTO_OPK_SCF_YIELD, NULL, count, values, op->result, op->result_count) &&
                 give(builder, what, op, count, results_of);
    if (ended && op->region_count == 1)
        pto_operation_add_region(builder->program, op); /* no else: an empty region */
    return pto_builder_done(builder, ended);
}

/* ---- scf.while
 * ------------------------------------------------------------------------------------------------ */

pto_status pto_build_while(pto_builder *builder, size_t count, pto_value *const *init, pto_value **carried) {
    const char *what = "pto_build_while";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use_all(builder, what, init, count))
        return pto_builder_status(builder);
    pto_operation *op = pto_builder_append(builder, what, PTO_OPK_SCF_WHILE, init, count, 0);
    if (op && pto_builder_enter(builder, PTO_OPEN_WHILE, op))
        arguments(builder, what, count, init, carried);
    return pto_builder_done(builder, false);
}

pto_status pto_build_do(pto_builder *builder, pto_value *condition, size_t count, pto_value *const *values,
                        pto_value **passed) {
    const char *what = "pto_build_do";
    pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_WHILE);
    if (!open || !pto_builder_may_use(builder, what, condition))
        return pto_builder_done(builder, false);
    pto_operation *op = open->op;
    if (condition->type != pto_type_int(builder->program, 1, PTO_SIGNLESS)) {
        pto_builder_refuse(builder, what, "a condition that is no i1");
        return builder->status;
    }
    if (!yield(builder, what, PTO_OPK_SCF_CONDITION, condition, count, values, NULL, 0))
        return pto_builder_done(builder, false);
    op->result_count = (uint32_t)count;
    op->result = pto_arena_new_array(builder->program->arena, pto_value *, count);
    if (!pto_builder_goes_on(builder) || !results(builder, op, values))
        return pto_builder_done(builder, false);
    (void)pto_vec_pop(&builder->open);
    if (pto_builder_enter(builder, PTO_OPEN_DO, op))
        arguments(builder, what, count, values, passed);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_while(pto_builder *builder, size_t count, pto_value *const *next,
                               pto_value **values) {
    const char *what = "pto_build_end_while";
    pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_DO);
    pto_operation *op = open ? open->op : NULL;
    bool ended = op &&
                 yield(builder, what, PTO_OPK_SCF_YIELD, NULL, count, next, op->operand, op->operand_count) &&
                 give(builder, what, op, op->result_count, values);
    return pto_builder_done(builder, ended);
}

/* ---- sections
 * ---------------------------------------------------------------------------------------------------- */

pto_status pto_build_section(pto_builder *builder, bool vector) {
    pto_operation *op = pto_builder_append(
        builder, "pto_build_section", vector ? PTO_OPK_SECTION_VECTOR : PTO_OPK_SECTION_CUBE, NULL, 0, 0);
    if (op)
        pto_builder_enter(builder, PTO_OPEN_SECTION, op);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_section(pto_builder *builder) {
    return pto_builder_done(builder,
                            pto_builder_inside(builder, "pto_build_end_section", PTO_OPEN_SECTION) != NULL);
}

/* ---- scf.execute_region, scf.index_switch
 * ------------------------------------------------------------------------------------------------ */

pto_status pto_build_execute_region(pto_builder *builder, size_t count, const pto_type *const *types) {
    const char *what = "pto_build_execute_region";
    pto_operation *op = pto_builder_here(builder, what)
                            ? with_results(builder, what, PTO_OPK_SCF_EXECUTE_REGION, NULL, 0, types, count)
                            : NULL;
    if (op)
        pto_builder_enter(builder, PTO_OPEN_EXECUTE, op);
    return pto_builder_done(builder, false);
}

pto_status pto_build_yield(pto_builder *builder, size_t count, pto_value *const *values) {
    const char *what = "pto_build_yield";
    const pto_open *open = pto_builder_here(builder, what);
    if (open && open->kind != PTO_OPEN_SWITCH)
        open = pto_builder_inside(builder, what, PTO_OPEN_EXECUTE);
    if (open)
        yield(builder, what, PTO_OPK_SCF_YIELD, NULL, count, values, open->op->result,
              open->op->result_count);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_execute_region(pto_builder *builder, pto_value **values) {
    const char *what = "pto_build_end_execute_region";
    const pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_EXECUTE);
    return pto_builder_done(builder, open && pto_builder_all_ended(builder, what, open->block->parent) &&
                                         give(builder, what, open->op, open->op->result_count, values));
}

pto_status pto_build_index_switch(pto_builder *builder, pto_value *value, size_t count,
                                  const pto_type *const *types) {
    const char *what = "pto_build_index_switch";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, value))
        return pto_builder_status(builder);
    if (value->type->kind != PTO_TYPE_INDEX) {
        pto_builder_refuse(builder, what, "a value that is no index");
        return builder->status;
    }
    pto_operation *op = with_results(builder, what, PTO_OPK_SCF_INDEX_SWITCH, &value, 1, types, count);
    pto_region *otherwise = op ? pto_operation_add_region(builder->program, op) : NULL;
    pto_open open = {.kind = PTO_OPEN_SWITCH, .op = op};
    if (otherwise)
        pto_vec_push(builder->program->arena, &builder->open, open);
    return pto_builder_done(builder, false);
}

/* The arm before has yielded and the default does not stand yet. */
static pto_open *next_arm(pto_builder *builder, const char *what) {
    pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_SWITCH);
    if (open && open->block && !pto_block_is_ended(open->block))
        pto_builder_refuse(builder, what, "the case before has not yielded");
    else if (open && open->op->region[0]->first)
        pto_builder_refuse(builder, what, "behind the default");
    return pto_builder_goes_on(builder) ? open : NULL;
}

pto_status pto_build_case(pto_builder *builder, int64_t number) {
    const char *what = "pto_build_case";
    pto_open *open = next_arm(builder, what);
    if (open && open->cases.count == PTO_CASES_MAX) {
        pto_builder_refuse(builder, what, "more than %d cases", PTO_CASES_MAX);
        open = NULL;
    }
    pto_region *region = open ? pto_operation_add_region(builder->program, open->op) : NULL;
    if (region && pto_vec_push(builder->program->arena, &open->cases, number))
        open->block = pto_region_add_block(builder->program, region);
    return pto_builder_done(builder, false);
}

pto_status pto_build_default(pto_builder *builder) {
    pto_open *open = next_arm(builder, "pto_build_default");
    if (open)
        open->block = pto_region_add_block(builder->program, open->op->region[0]);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_index_switch(pto_builder *builder, pto_value **values) {
    const char *what = "pto_build_end_index_switch";
    const pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_SWITCH);
    if (!open)
        return pto_builder_done(builder, false);
    pto_operation *op = open->op;
    if (!op->region[0]->first || !pto_block_is_ended(open->block)) {
        pto_builder_refuse(builder, what, "no default, or one that has not yielded");
        return builder->status;
    }
    pto_program *program = builder->program;
    pto_operation_set_attr(program, op, PTO_STR("cases"),
                           pto_attr_dense(program, pto_type_int(program, 64, PTO_SIGNLESS), open->cases.data,
                                          (uint32_t)open->cases.count));
    return pto_builder_done(builder, give(builder, what, op, op->result_count, values));
}
