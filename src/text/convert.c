/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of programs between forms: the plan of steps, and the copying that all steps share. */
#include "text/convert.h"

#include "isa/conv.h"
#include "program/blocks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pto_convert_refuse(pto_converter *c, pto_span span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pto_where where = c->source ? pto_at(c->source, span.begin, span.end) : pto_nowhere();
    pto_diag_add_v(c->diags, PTO_ERROR, "PTO-E0250", where, format, arguments);
    va_end(arguments);
    c->failed = true;
}

/* ---- types and attributes ---------------------------------------------------------------------- */

static const pto_type *const *types_of(pto_converter *c, const pto_type *const *types, uint32_t count) {
    const pto_type **copy = pto_arena_array(c->arena, count, sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = pto_convert_type(c, types[i]);
    return copy;
}

static bool same_tile_type(const pto_tile_type *a, const pto_tile_type *b) {
    return a->loc == b->loc && a->dtype == b->dtype && a->rows == b->rows && a->cols == b->cols &&
           a->valid_rows == b->valid_rows && a->valid_cols == b->valid_cols && a->blayout == b->blayout &&
           a->slayout == b->slayout && a->fractal == b->fractal && a->pad == b->pad &&
           a->compact == b->compact && pto_conv_equal(a->conv, b->conv);
}

const pto_type *pto_convert_type(pto_converter *c, const pto_type *type) {
    if (!type)
        return NULL;
    pto_type copy = *type;
    copy.element = pto_convert_type(c, type->element);
    if (pto_type_is_tile(type) && c->tile_kind != PTO_TYPE_NONE) {
        copy.kind = c->tile_kind;
        pto_tile_type plain =
            pto_tile_type_make(PTO_LOC_VEC, type->tile.dtype, type->tile.rows, type->tile.cols);
        copy.layout_given =
            !type->open && (c->tile_kind == PTO_TYPE_TILE_BUF || !same_tile_type(&plain, &type->tile));
    }
    if (type->kind == PTO_TYPE_MEMREF && c->memrefs_to_pointers && copy.element && !type->open)
        return pto_type_ptr(c->to, copy.element);
    if (type->kind == PTO_TYPE_FUNCTION) {
        copy.inputs = types_of(c, type->inputs, type->input_count);
        copy.results = types_of(c, type->results, type->result_count);
    }
    return pto_type_intern(c->to, &copy);
}

const pto_attr *pto_convert_attr(pto_converter *c, const pto_attr *attr) {
    if (!attr)
        return NULL;
    pto_attr *copy = pto_arena_new(c->arena, pto_attr);
    *copy = *attr;
    copy->type = pto_convert_type(c, attr->type);
    copy->text = pto_program_copy(c->to, attr->text);
    copy->enum_kind = pto_program_copy(c->to, attr->enum_kind);
    if (attr->items) {
        const pto_attr **items = pto_arena_array(c->arena, attr->count, sizeof *items);
        for (uint32_t i = 0; i < attr->count; i++)
            items[i] = pto_convert_attr(c, attr->items[i]);
        copy->items = items;
    }
    if (attr->dense) {
        int64_t *dense = pto_arena_new_array(c->arena, int64_t, attr->count);
        memcpy(dense, attr->dense, attr->count * sizeof *dense);
        copy->dense = dense;
    }
    if (attr->entries) {
        pto_named_attr *entries = pto_arena_new_array(c->arena, pto_named_attr, attr->count);
        for (uint32_t i = 0; i < attr->count; i++)
            entries[i] = (pto_named_attr){pto_program_copy(c->to, attr->entries[i].name),
                                          pto_convert_attr(c, attr->entries[i].value)};
        copy->entries = entries;
    }
    return copy;
}

/* ---- values and operations ---------------------------------------------------------------------- */

void pto_convert_map(pto_converter *c, const pto_value *from, pto_value *to) {
    pto_value_map_set(&c->values, from, (int64_t)(intptr_t)to);
}

pto_value *pto_convert_value(const pto_converter *c, const pto_value *value) {
    const int64_t *found = pto_value_map_find(&c->values, value);
    return found ? (pto_value *)(intptr_t)*found : NULL;
}

void pto_convert_attrs(pto_converter *c, const pto_operation *op, pto_operation *copy) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        pto_operation_set_attr(c->to, copy, pto_program_copy(c->to, op->attr[i].name),
                               pto_convert_attr(c, op->attr[i].value));
}

pto_operation *pto_convert_plain(pto_converter *c, const pto_operation *op, pto_block *into) {
    pto_operation *copy = pto_operation_create(c->to, op->kind, op->operand_count, op->result_count);
    copy->form = op->form;
    copy->name = pto_program_copy(c->to, op->name);
    copy->span = op->span;
    copy->name_span = op->name_span;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        copy->operand[i] = pto_convert_value(c, op->operand[i]);
        if (op->operand_span)
            copy->operand_span[i] = op->operand_span[i];
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        const pto_value *old = op->result[i];
        pto_value *value = pto_operation_set_result(c->to, copy, i, pto_convert_type(c, old->type),
                                                    pto_program_copy(c->to, old->name));
        value->span = old->span;
        pto_convert_map(c, old, value);
    }
    pto_convert_attrs(c, op, copy);
    copy->segment_count = op->segment_count;
    memcpy(copy->segment, op->segment, sizeof copy->segment);
    copy->acc = pto_convert_value(c, op->acc);
    copy->index_count = op->index_count;
    for (uint32_t i = 0; i < op->index_count; i++)
        copy->index[i] = pto_convert_value(c, op->index[i]);
    pto_block_append(into, copy);
    return copy;
}

void pto_convert_block(pto_converter *c, const pto_block *block, pto_block *into) {
    for (const pto_operation *op = block->first; op; op = op->next)
        c->operation(c, op, into);
}

static pto_block *block_of(const pto_region *from, const pto_region *to, const pto_block *block) {
    pto_block *copy = to->first;
    for (const pto_block *b = from->first; b && b != block; b = b->next)
        copy = copy->next;
    return copy;
}

void pto_convert_regions(pto_converter *c, const pto_operation *op, pto_operation *copy) {
    for (uint32_t r = 0; r < op->region_count; r++) {
        pto_region *region = pto_operation_add_region(c->to, copy);
        /* Blocks first: branches name blocks that follow. */
        for (const pto_block *b = op->region[r]->first; b; b = b->next) {
            pto_block *block = pto_region_add_block(c->to, region);
            block->label = pto_program_copy(c->to, b->label);
            for (uint32_t i = 0; i < b->arg_count; i++) {
                if (pto_convert_value(c, b->arg[i]))
                    continue; /* stands for something that is there already */
                pto_value *arg = pto_block_add_arg(c->to, block, pto_convert_type(c, b->arg[i]->type),
                                                   pto_program_copy(c->to, b->arg[i]->name));
                arg->span = b->arg[i]->span;
                pto_convert_map(c, b->arg[i], arg);
            }
        }
        /* Definitions before uses. */
        const pto_block_tree *tree = pto_block_tree_make(c->arena, op->region[r]);
        for (uint32_t n = 0; n < tree->count; n++) {
            const pto_block *b = tree->order[n];
            pto_block *block = block_of(op->region[r], region, b);
            pto_convert_block(c, b, block);
            const pto_operation *old = b->first;
            for (pto_operation *o = block->first; o; o = o->next) {
                if (o->kind != PTO_OPK_CF_BR && o->kind != PTO_OPK_CF_COND_BR && o->kind != PTO_OPK_CF_SWITCH)
                    continue;
                while (old && old->kind != o->kind) /* branches are copied one by one */
                    old = old->next;
                if (!old)
                    break;
                o->successor = pto_arena_new_array(c->arena, pto_block *, old->successor_count);
                o->successor_count = old->successor_count;
                for (uint32_t i = 0; i < old->successor_count; i++)
                    o->successor[i] = block_of(op->region[r], region, old->successor[i]);
                for (uint32_t i = 0; i < o->operand_count && !c->failed; i++)
                    if (!o->operand[i])
                        pto_convert_refuse(c, old->span, "a value that is passed on is not defined there");
                old = old->next;
            }
        }
    }
}

pto_operation *pto_convert_whole(pto_converter *c, const pto_operation *op, pto_block *into) {
    pto_operation *copy = pto_convert_plain(c, op, into);
    pto_convert_regions(c, op, copy);
    return copy;
}

pto_value *pto_convert_constant(pto_converter *c, pto_block *into, int64_t number, const pto_type *type) {
    pto_operation *op = pto_operation_create(c->to, PTO_OPK_ARITH_CONSTANT, 0, 1);
    pto_value *value = pto_operation_set_result(c->to, op, 0, type, (pto_str){NULL, 0});
    pto_operation_set_attr(c->to, op, PTO_STR("value"), pto_attr_int(c->to, number, type));
    pto_block_append(into, op);
    return value;
}

pto_value *pto_convert_alloc(pto_converter *c, pto_block *into, const pto_type *type, pto_str name,
                             pto_span span) {
    pto_operation *op = pto_operation_create(c->to, PTO_OPK_ALLOC_TILE, 0, 1);
    op->segment_count = 3;
    op->span = op->name_span = span;
    pto_value *value = pto_operation_set_result(c->to, op, 0, type, pto_program_copy(c->to, name));
    value->span = span;
    pto_block_append(into, op);
    return value;
}

/* ---- the plan ---------------------------------------------------------------------------------------- */

static void copy_whole(pto_converter *c, const pto_operation *op, pto_block *into) {
    pto_convert_whole(c, op, into);
}

void pto_convert_copy(pto_converter *c) {
    c->operation = copy_whole;
    pto_convert_block(c, c->from->module->region[0]->first, c->to->module->region[0]->first);
}

typedef void step_fn(pto_converter *converter);

/* Apart from its caller, whose locals outlive the jump. */
static bool run_guarded(pto_converter *c, pto_dialect dialect, step_fn *step) {
    jmp_buf failure;
    if (setjmp(failure)) {
        pto_diag_add(c->diags, PTO_ERROR, "PTO-E0203", pto_nowhere(),
                     "the converted program needs too much memory");
        return false;
    }
    c->arena->on_failure = &failure;
    c->to->dialect = dialect;
    if (c->from->source)
        pto_program_set_source(c->to, c->from->source->name, c->from->source->text, c->from->source->len);
    pto_convert_attrs(c, c->from->module, c->to->module);
    if (c->from->module->region_count && c->from->module->region[0]->first)
        step(c);
    c->arena->on_failure = NULL;
    return !c->failed;
}

/* One step into a new program; NULL when it was refused or memory is out. */
static pto_program *run_step(const pto_program *from, pto_source *source, pto_dialect dialect, step_fn *step,
                             pto_diag_list *diags) {
    pto_program *to = pto_program_create(from->arena->limit);
    if (!to)
        return NULL;
    pto_converter c = {.from = from, .source = source, .to = to, .arena = to->arena, .diags = diags};
    c.values.arena = to->arena;
    if (run_guarded(&c, dialect, step))
        return to;
    pto_program_destroy(to);
    return NULL;
}

pto_program *pto_program_convert(const pto_program *program, pto_dialect dialect, pto_diag_list *diags) {
    enum {
        AS = PTO_DIALECT_AS,
        L1 = PTO_DIALECT_LEVEL1,
        L2 = PTO_DIALECT_LEVEL2,
        GENERIC = PTO_DIALECT_GENERIC
    };
    int from = (int)program->dialect, to = (int)dialect;
    pto_program *now = NULL;
    bool handles_from = from == L2 || from == GENERIC, handles_to = to == L2 || to == GENERIC;
    if (from == to || (handles_from && handles_to))
        return run_step(program, program->source, dialect, pto_convert_copy, diags);
    if (from == AS)
        now = run_step(program, program->source, PTO_DIALECT_LEVEL1, pto_convert_as_to_level1, diags);
    else if (handles_from)
        now = run_step(program, program->source, PTO_DIALECT_LEVEL1, pto_convert_to_values, diags);
    if ((from == AS || handles_from) && (!now || to == L1))
        return now;
    const pto_program *level1 = now ? now : program;
    pto_program *result =
        to == AS ? run_step(level1, program->source, PTO_DIALECT_AS, pto_convert_level1_to_as, diags)
                 : run_step(level1, program->source, dialect, pto_convert_to_handles, diags);
    pto_program_destroy(now);
    return result;
}
