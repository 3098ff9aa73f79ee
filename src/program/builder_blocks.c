/* SPDX-License-Identifier: Apache-2.0 */
/* Building regions of several blocks from C: cf.br, cf.cond_br, cf.switch. */
#include "program/builder.h"

/* A region that may have several blocks is open. */
static pto_open *in_region(pto_builder *builder, const char *what) {
    bool inner = pto_builder_goes_on(builder) && builder->open.count &&
                 pto_vec_last(&builder->open).kind == PTO_OPEN_EXECUTE;
    return pto_builder_inside(builder, what, inner ? PTO_OPEN_EXECUTE : PTO_OPEN_FUNCTION);
}

pto_block *pto_build_block(pto_builder *builder, const pto_type *const *types, size_t count,
                           pto_value **arguments) {
    const char *what = "pto_build_block";
    const pto_open *open = in_region(builder, what);
    if (!open)
        return NULL;
    if (count > UINT16_MAX || (count && (!types || !arguments))) {
        pto_builder_refuse(builder, what, "%zu arguments without types or places", count);
        return NULL;
    }
    pto_block *block = pto_region_add_block(builder->program, open->block->parent);
    for (size_t i = 0; block && i < count; i++) {
        if (types[i])
            arguments[i] = pto_block_add_arg(builder->program, block, types[i], (pto_str){NULL, 0});
        else
            pto_builder_refuse(builder, what, "argument %zu has no type", i);
    }
    return pto_builder_goes_on(builder) ? block : NULL;
}

/* The block is one of the region at hand. */
static bool is_here(pto_builder *builder, const char *what, const pto_open *open, const pto_block *block) {
    return (block && block->parent == open->block->parent) ||
           pto_builder_refuse(builder, what, "no block, or one of another region");
}

pto_status pto_build_enter_block(pto_builder *builder, pto_block *block) {
    const char *what = "pto_build_enter_block";
    pto_open *open = in_region(builder, what);
    if (!open || !is_here(builder, what, open, block))
        return pto_builder_status(builder);
    if (pto_block_is_ended(block))
        pto_builder_refuse(builder, what, "a block that has ended");
    else
        open->block = block;
    return builder->status;
}

/* What a branch passes must fit the arguments of the block, which is not the entry of its region. */
static bool check_successor(pto_builder *builder, const char *what, const pto_open *open,
                            const pto_build_successor *to) {
    if (!to)
        return pto_builder_refuse(builder, what, "no successor");
    if (!is_here(builder, what, open, to->block) ||
        !pto_builder_may_use_all(builder, what, to->values, to->count))
        return false;
    if (to->block == to->block->parent->first)
        return pto_builder_refuse(builder, what, "a branch to the entry of the region");
    if (to->count != to->block->arg_count)
        return pto_builder_refuse(builder, what, "%zu values for %u arguments", to->count,
                                  to->block->arg_count);
    for (size_t i = 0; i < to->count; i++)
        if (to->values[i]->type != to->block->arg[i]->type)
            return pto_builder_refuse(builder, what, "value %zu has another type than the argument", i);
    return true;
}

/* A branch on `first` (NULL: none) to the successors, whose values become operands in their order. */
static pto_operation *branch(pto_builder *builder, const char *what, pto_op_kind kind, pto_value *first,
                             const pto_build_successor *const *to, uint32_t count) {
    const pto_open *open = in_region(builder, what);
    if (!open || !pto_builder_here(builder, what))
        return NULL;
    size_t before = first != NULL, operands = before;
    for (uint32_t i = 0; i < count; i++) {
        if (!check_successor(builder, what, open, to[i]))
            return NULL;
        operands += to[i]->count;
    }
    if (operands > UINT16_MAX) {
        pto_builder_refuse(builder, what, "%zu operands", operands);
        return NULL;
    }
    pto_block **successor = pto_arena_new_array(builder->program->arena, pto_block *, count);
    pto_operation *op =
        successor ? pto_operation_create(builder->program, kind, (uint32_t)operands, 0) : NULL;
    if (!op) {
        pto_builder_goes_on(builder);
        return NULL;
    }
    op->successor = successor;
    op->successor_count = count;
    if (first)
        op->operand[0] = first;
    for (uint32_t i = 0; i < count; i++) {
        successor[i] = to[i]->block;
        for (size_t j = 0; j < to[i]->count; j++)
            op->operand[before++] = to[i]->values[j];
    }
    if (first) {
        op->segment_count = 3;
        op->segment[0] = 1;
        op->segment[1] = (uint32_t)to[0]->count;
        op->segment[2] = (uint32_t)(operands - 1 - to[0]->count);
    }
    pto_block_append(open->block, op);
    builder->last = op;
    return op;
}

pto_status pto_build_branch(pto_builder *builder, const pto_build_successor *to) {
    branch(builder, "pto_build_branch", PTO_OPK_CF_BR, NULL, &to, 1);
    return pto_builder_done(builder, false);
}

pto_status pto_build_cond_branch(pto_builder *builder, pto_value *condition, const pto_build_successor *yes,
                                 const pto_build_successor *no) {
    const char *what = "pto_build_cond_branch";
    const pto_build_successor *const to[] = {yes, no};
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, condition))
        return pto_builder_status(builder);
    if (condition->type != pto_type_int(builder->program, 1, PTO_SIGNLESS))
        pto_builder_refuse(builder, what, "a condition that is no i1");
    else
        branch(builder, what, PTO_OPK_CF_COND_BR, condition, to, 2);
    return pto_builder_done(builder, false);
}

pto_status pto_build_switch(pto_builder *builder, pto_value *flag, const pto_build_successor *otherwise,
                            size_t count, const int64_t *numbers, const pto_build_successor *cases) {
    const char *what = "pto_build_switch";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, flag))
        return pto_builder_status(builder);
    if (!pto_type_int_width(flag->type) || count > UINT16_MAX || (count && (!numbers || !cases))) {
        pto_builder_refuse(builder, what, "a flag that is no integer, or %zu cases without numbers or blocks",
                           count);
        return builder->status;
    }
    pto_program *program = builder->program;
    const pto_build_successor **to =
        pto_arena_new_array(program->arena, const pto_build_successor *, count + 1);
    int64_t *sizes = pto_arena_new_array(program->arena, int64_t, count + 1);
    if (!to || !sizes)
        return pto_builder_done(builder, false);
    to[0] = otherwise;
    for (size_t i = 0; i < count; i++) {
        to[i + 1] = &cases[i];
        sizes[i] = (int64_t)cases[i].count;
    }
    pto_operation *op = branch(builder, what, PTO_OPK_CF_SWITCH, flag, to, (uint32_t)(count + 1));
    if (op) {
        pto_operation_set_attr(program, op, PTO_STR("case_values"),
                               pto_attr_dense(program, flag->type, numbers, (uint32_t)count));
        pto_operation_set_attr(
            program, op, PTO_STR("case_operand_segments"),
            pto_attr_dense(program, pto_type_int(program, 32, PTO_SIGNLESS), sizes, (uint32_t)count));
    }
    return pto_builder_done(builder, false);
}
