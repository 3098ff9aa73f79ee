/* SPDX-License-Identifier: Apache-2.0 */
/* Building a program from C: its life, types, functions, attributes. */
#include "program/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life --------------------------------------------------------------------------------------------- */

pto_builder *pto_builder_create(pto_diag_list *diags) {
    pto_builder *builder = calloc(1, sizeof *builder);
    pto_program *program = builder ? pto_program_create(0) : NULL;
    if (!program) {
        free(builder);
        return NULL;
    }
    builder->program = program;
    builder->diags = diags;
    return builder;
}

void pto_builder_destroy(pto_builder *builder) {
    if (!builder)
        return;
    pto_program_destroy(builder->program);
    free(builder);
}

pto_status pto_builder_status(const pto_builder *builder) {
    return builder ? builder->status : PTO_ERR_USAGE;
}

pto_program *pto_builder_finish(pto_builder *builder) {
    if (!builder)
        return NULL;
    if (pto_builder_goes_on(builder) && builder->open.count)
        pto_builder_refuse(builder, "pto_builder_finish", "@%.*s is not ended",
                           PTO_STR_ARG(pto_function_name(builder->open.data[0].op)));
    pto_program *program = builder->status == PTO_OK ? builder->program : NULL;
    if (program)
        builder->program = NULL;
    pto_builder_destroy(builder);
    return program;
}

bool pto_builder_refuse(pto_builder *builder, const char *what, const char *format, ...) {
    if (builder->status != PTO_OK)
        return false;
    builder->status = PTO_ERR_REFUSED;
    const pto_rule_text *text = pto_rule_find("PTO-E0263");
    char found[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found, sizeof found, format, arguments);
    va_end(arguments);
    pto_diag_add(builder->diags, PTO_ERROR, "PTO-E0263", pto_nowhere(), "%s: %s", what,
                 text ? text->title : "refused");
    pto_diag_found(builder->diags, "%s", found);
    if (text && text->fix)
        pto_diag_fix(builder->diags, "%s", text->fix);
    return false;
}

bool pto_builder_goes_on(pto_builder *builder) {
    if (!builder)
        return false;
    if (builder->status == PTO_OK && builder->program->arena->failure != PTO_OK)
        builder->status = builder->program->arena->failure;
    return builder->status == PTO_OK;
}

pto_status pto_build_target(pto_builder *builder, pto_target target) {
    if (!pto_builder_goes_on(builder))
        return pto_builder_status(builder);
    pto_operation *module = builder->program->module;
    pto_operation_remove_attr(module, "pto.target_arch");
    if (target == PTO_TARGET_A2A3 || target == PTO_TARGET_A5)
        pto_operation_set_attr(
            builder->program, module, PTO_STR("pto.target_arch"),
            pto_attr_string(builder->program, target == PTO_TARGET_A5 ? PTO_STR("a5") : PTO_STR("a3")));
    else if (target != PTO_TARGET_CPU)
        pto_builder_refuse(builder, "pto_build_target", "number %d names no target", (int)target);
    pto_builder_goes_on(builder);
    return builder->status;
}

/* ---- types ----------------------------------------------------------------------------------------------
 */

const pto_type *pto_build_index_type(pto_builder *builder) {
    return pto_builder_goes_on(builder) ? pto_type_index(builder->program) : NULL;
}

const pto_type *pto_build_int_type(pto_builder *builder, unsigned width) {
    if (!pto_builder_goes_on(builder))
        return NULL;
    if (width < 1 || width > 64) {
        pto_builder_refuse(builder, "pto_build_int_type", "a width of %u bits", width);
        return NULL;
    }
    return pto_type_int(builder->program, width, PTO_SIGNLESS);
}

static bool is_element(pto_builder *builder, const char *what, pto_dtype dtype) {
    if (dtype > PTO_DTYPE_NONE && dtype < PTO_DTYPE_COUNT)
        return true;
    return pto_builder_refuse(builder, what, "element type %d", (int)dtype);
}

const pto_type *pto_build_float_type(pto_builder *builder, pto_dtype dtype) {
    if (!pto_builder_goes_on(builder) || !is_element(builder, "pto_build_float_type", dtype))
        return NULL;
    if (!pto_dtype_is_float(dtype)) {
        pto_builder_refuse(builder, "pto_build_float_type", "%s", pto_dtype_name(dtype));
        return NULL;
    }
    return pto_type_float(builder->program, dtype);
}

const pto_type *pto_build_ptr_type(pto_builder *builder, pto_dtype element) {
    if (!pto_builder_goes_on(builder) || !is_element(builder, "pto_build_ptr_type", element))
        return NULL;
    return pto_type_ptr(builder->program, pto_type_element(builder->program, element));
}

const pto_type *pto_build_tile_type(pto_builder *builder, const pto_tile_type *tile) {
    if (!pto_builder_goes_on(builder))
        return NULL;
    if (!tile || tile->rows < 1 || tile->cols < 1 || (unsigned)tile->loc >= PTO_LOC_COUNT) {
        pto_builder_refuse(builder, "pto_build_tile_type", "%s",
                           tile ? "an extent below 1, or no memory" : "no type");
        return NULL;
    }
    if (!is_element(builder, "pto_build_tile_type", tile->dtype))
        return NULL;
    return pto_type_tile(builder->program, PTO_TYPE_TILE_BUF, tile, NULL);
}

const pto_type *pto_build_view_type(pto_builder *builder, pto_dtype element, int rank,
                                    const int64_t *extents) {
    if (!pto_builder_goes_on(builder) || !is_element(builder, "pto_build_view_type", element))
        return NULL;
    if (rank < 1 || rank > 5 || !extents) {
        pto_builder_refuse(builder, "pto_build_view_type", "rank %d", rank);
        return NULL;
    }
    int64_t dim[5];
    for (int i = 0; i < rank; i++)
        dim[i] = extents[i] < 0 ? PTO_DYNAMIC : extents[i];
    return pto_type_shaped(builder->program, PTO_TYPE_TENSOR_VIEW,
                           pto_type_element(builder->program, element), rank, dim);
}

const pto_type *pto_build_type_of(const pto_value *value) { return value ? value->type : NULL; }

/* ---- who may be used, and where
 * ---------------------------------------------------------------------------- */

bool pto_builder_may_use(pto_builder *builder, const char *what, const pto_value *value) {
    if (!value)
        return pto_builder_refuse(builder, what, "no value");
    /* among the blocks of one region the verifier decides who dominates whom */
    const pto_block *block = value->def ? value->def->parent : value->block;
    for (size_t i = 0; i < builder->open.count; i++)
        if (builder->open.data[i].block && builder->open.data[i].block->parent == block->parent)
            return true;
    return pto_builder_refuse(
        builder, what, "a value of another function, of a region that has ended, or of another builder");
}

bool pto_builder_may_use_all(pto_builder *builder, const char *what, pto_value *const *values, size_t count) {
    if (count && !values)
        return pto_builder_refuse(builder, what, "no values");
    for (size_t i = 0; i < count; i++)
        if (!pto_builder_may_use(builder, what, values[i]))
            return false;
    return true;
}

bool pto_block_is_ended(const pto_block *block) {
    pto_op_kind last = block->last ? block->last->kind : PTO_OPK_UNKNOWN;
    return last == PTO_OPK_RETURN || (last >= PTO_OPK_SCF_CONDITION && last <= PTO_OPK_CF_SWITCH);
}

bool pto_builder_all_ended(pto_builder *builder, const char *what, const pto_region *region) {
    size_t number = 0;
    for (const pto_block *block = region->first; block; block = block->next, number++)
        if (!pto_block_is_ended(block))
            return pto_builder_refuse(builder, what, "block %zu has no end: return, yield or branch", number);
    return true;
}

static pto_open *innermost(pto_builder *builder, const char *what) {
    if (!pto_builder_goes_on(builder))
        return NULL;
    if (builder->open.count)
        return &pto_vec_last(&builder->open);
    pto_builder_refuse(builder, what, "no function is open");
    return NULL;
}

pto_open *pto_builder_here(pto_builder *builder, const char *what) {
    pto_open *open = innermost(builder, what);
    if (open && open->block && !pto_block_is_ended(open->block))
        return open;
    if (open)
        pto_builder_refuse(builder, what, "%s",
                           open->block ? "the block has ended" : "no case of scf.index_switch is open");
    return NULL;
}

pto_open *pto_builder_inside(pto_builder *builder, const char *what, pto_open_kind kind) {
    static const char *const names[] = {"a function",      "scf.for",
                                        "scf.if",          "the else of scf.if",
                                        "scf.while",       "the body of scf.while",
                                        "a section",       "scf.execute_region",
                                        "scf.index_switch"};
    pto_open *open = innermost(builder, what);
    if (open && open->kind != kind) {
        pto_builder_refuse(builder, what, "%s is open, not %s", names[open->kind], names[kind]);
        return NULL;
    }
    return open;
}

bool pto_builder_enter(pto_builder *builder, pto_open_kind kind, pto_operation *op) {
    pto_region *region = op ? pto_operation_add_region(builder->program, op) : NULL;
    pto_block *block = region ? pto_region_add_block(builder->program, region) : NULL;
    pto_open open = {.kind = kind, .op = op, .block = block};
    if (!block || !pto_vec_push(builder->program->arena, &builder->open, open))
        return pto_builder_goes_on(builder);
    return true;
}

pto_operation *pto_builder_append(pto_builder *builder, const char *what, pto_op_kind kind,
                                  pto_value *const *operands, size_t count, size_t results) {
    pto_open *open = pto_builder_here(builder, what);
    if (!open || count > UINT16_MAX || results > UINT16_MAX) {
        if (open)
            pto_builder_refuse(builder, what, "%zu operands", count);
        return NULL;
    }
    pto_operation *op = pto_operation_create(builder->program, kind, (uint32_t)count, (uint32_t)results);
    if (!op) {
        pto_builder_goes_on(builder);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        op->operand[i] = operands[i];
    pto_block_append(open->block, op);
    builder->last = op;
    return op;
}

bool pto_builder_fits(pto_builder *builder, const char *what, pto_value *const *values, size_t count,
                      const pto_type *const *types, size_t type_count) {
    if (!pto_builder_may_use_all(builder, what, values, count))
        return false;
    if (count != type_count)
        return pto_builder_refuse(builder, what, "%zu values, expected %zu", count, type_count);
    for (size_t i = 0; i < count; i++)
        if (values[i]->type != types[i])
            return pto_builder_refuse(builder, what, "value %zu has another type", i);
    return true;
}

pto_status pto_builder_done(pto_builder *builder, bool leave) {
    if (leave)
        (void)pto_vec_pop(&builder->open);
    if (builder)
        pto_builder_goes_on(builder);
    return pto_builder_status(builder);
}

pto_value *pto_builder_result(pto_builder *builder, pto_operation *op, uint32_t i, const pto_type *type) {
    pto_value *value = pto_operation_set_result(builder->program, op, i, type, (pto_str){NULL, 0});
    return pto_builder_goes_on(builder) ? value : NULL;
}

pto_status pto_build_name(pto_builder *builder, pto_value *value, const char *name) {
    if (!pto_builder_goes_on(builder) || !pto_builder_may_use(builder, "pto_build_name", value))
        return pto_builder_status(builder);
    size_t len = name ? strlen(name) : 0;
    if (!len || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-") != len)
        pto_builder_refuse(builder, "pto_build_name", "'%.64s' is no name", name ? name : "");
    else
        value->name = pto_program_copy(builder->program, (pto_str){name, len});
    pto_builder_goes_on(builder);
    return builder->status;
}

/* ---- functions
 * ---------------------------------------------------------------------------------------------- */

static pto_operation *find_function(const pto_builder *builder, const char *name) {
    for (pto_operation *f = pto_program_first_function(builder->program); f; f = pto_program_next_function(f))
        if (name && pto_str_equal(pto_function_name(f), pto_str_from(name)))
            return f;
    return NULL;
}

static bool check_function(pto_builder *builder, const char *what, const char *name,
                           const pto_build_param *params, size_t count) {
    if (builder->open.count)
        return pto_builder_refuse(builder, what, "another function is open");
    if (!name || !*name || find_function(builder, name))
        return pto_builder_refuse(builder, what, "%s",
                                  name && *name ? "a second function of this name" : "no name");
    if (count > UINT16_MAX || (count && !params))
        return pto_builder_refuse(builder, what, "%zu parameters without types", count);
    for (size_t i = 0; i < count; i++)
        if (!params[i].type)
            return pto_builder_refuse(builder, what, "parameter %zu has no type", i);
    return true;
}

/* The result types of a function; other calls see to it that they stand in its type. */
static const pto_type *type_of(const pto_operation *function) {
    return pto_operation_attr(function, "function_type")->type;
}

static bool set_type(pto_builder *builder, pto_operation *op, const pto_type *const *inputs, size_t count,
                     const pto_type *const *results, size_t result_count) {
    pto_program *program = builder->program;
    const pto_type **types = pto_arena_new_array(program->arena, const pto_type *,
                                                 count + result_count + 1); /* a type keeps them */
    for (size_t i = 0; types && i < count + result_count; i++)
        types[i] = i < count ? inputs[i] : results[i - count];
    if (types)
        pto_operation_set_attr(
            program, op, PTO_STR("function_type"),
            pto_attr_type(program, pto_type_function(program, types, (uint32_t)count, types + count,
                                                     (uint32_t)result_count)));
    return pto_builder_goes_on(builder);
}

/* A function without its body, in the module. */
static pto_operation *make_function(pto_builder *builder, const char *name, const pto_build_param *params,
                                    size_t count) {
    pto_program *program = builder->program;
    pto_operation *op = pto_operation_create(program, PTO_OPK_FUNC, 0, 0);
    const pto_type **types = pto_arena_new_array(program->arena, const pto_type *, count);
    if (!op || !types) {
        pto_builder_goes_on(builder);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        types[i] = params[i].type;
    pto_operation_set_attr(program, op, PTO_STR("sym_name"),
                           pto_attr_string(program, pto_program_copy(program, pto_str_from(name))));
    pto_block_append(program->module->region[0]->first, op);
    builder->last = op;
    return set_type(builder, op, types, count, NULL, 0) ? op : NULL;
}

pto_status pto_build_function(pto_builder *builder, const char *name, bool entry,
                              const pto_build_param *params, size_t count, pto_value **values) {
    const char *what = "pto_build_function";
    if (!pto_builder_goes_on(builder) || !check_function(builder, what, name, params, count))
        return pto_builder_status(builder);
    if (count && !values) {
        pto_builder_refuse(builder, what, "no place for %zu parameters", count);
        return builder->status;
    }
    pto_operation *op = make_function(builder, name, params, count);
    if (!op || !pto_builder_enter(builder, PTO_OPEN_FUNCTION, op))
        return builder->status;
    if (entry)
        pto_operation_set_attr(builder->program, op, PTO_STR("pto.entry"), pto_attr_unit(builder->program));
    for (size_t i = 0; i < count; i++) {
        values[i] = pto_block_add_arg(builder->program, builder->open.data[0].block, params[i].type,
                                      (pto_str){NULL, 0});
        if (params[i].name && pto_builder_goes_on(builder))
            pto_build_name(builder, values[i], params[i].name);
    }
    return pto_builder_done(builder, false);
}

static bool check_results(pto_builder *builder, const char *what, const pto_type *const *types,
                          size_t count) {
    if (count > UINT16_MAX || (count && !types))
        return pto_builder_refuse(builder, what, "%zu results without types", count);
    for (size_t i = 0; i < count; i++)
        if (!types[i])
            return pto_builder_refuse(builder, what, "result %zu has no type", i);
    return true;
}

pto_status pto_build_declaration(pto_builder *builder, const char *name, const pto_build_param *params,
                                 size_t count, const pto_type *const *results, size_t result_count) {
    const char *what = "pto_build_declaration";
    if (!pto_builder_goes_on(builder) || !check_function(builder, what, name, params, count) ||
        !check_results(builder, what, results, result_count))
        return pto_builder_status(builder);
    pto_operation *op = make_function(builder, name, params, count);
    if (op && set_type(builder, op, type_of(op)->inputs, count, results, result_count))
        pto_operation_add_region(builder->program, op);
    return pto_builder_done(builder, false);
}

pto_status pto_build_function_results(pto_builder *builder, const pto_type *const *types, size_t count) {
    const char *what = "pto_build_function_results";
    const pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_FUNCTION);
    if (!open || !check_results(builder, what, types, count))
        return pto_builder_status(builder);
    const pto_type *type = type_of(open->op);
    if (open->block->first || open->block->parent->first->next || type->result_count)
        pto_builder_refuse(builder, what, "the function has a body, or results, already");
    else
        set_type(builder, open->op, type->inputs, type->input_count, types, count);
    return builder->status;
}

pto_status pto_build_return(pto_builder *builder, pto_value *const *values, size_t count) {
    const char *what = "pto_build_return";
    const pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_FUNCTION);
    const pto_type *type = open ? type_of(open->op) : NULL;
    if (open && pto_builder_fits(builder, what, values, count, type->results, type->result_count))
        pto_builder_append(builder, what, PTO_OPK_RETURN, values, count, 0);
    return pto_builder_done(builder, false);
}

pto_status pto_build_end_function(pto_builder *builder) {
    const char *what = "pto_build_end_function";
    const pto_open *open = pto_builder_inside(builder, what, PTO_OPEN_FUNCTION);
    if (!open)
        return pto_builder_status(builder);
    if (!pto_block_is_ended(open->block) && !type_of(open->op)->result_count)
        pto_builder_append(builder, what, PTO_OPK_RETURN, NULL, 0, 0);
    return pto_builder_done(builder, pto_builder_goes_on(builder) &&
                                         pto_builder_all_ended(builder, what, open->block->parent));
}

pto_status pto_build_call_results(pto_builder *builder, const char *name, pto_value *const *arguments,
                                  size_t count, pto_value **results) {
    const char *what = "pto_build_call";
    if (!pto_builder_here(builder, what))
        return pto_builder_status(builder);
    const pto_operation *callee = find_function(builder, name);
    if (!callee || callee == builder->open.data[0].op) {
        pto_builder_refuse(builder, what, "@%.64s was not built before", name ? name : "");
        return builder->status;
    }
    const pto_type *type = type_of(callee);
    if (type->result_count && !results)
        pto_builder_refuse(builder, what, "no place for %u results", type->result_count);
    if (!pto_builder_goes_on(builder) ||
        !pto_builder_fits(builder, what, arguments, count, type->inputs, type->input_count))
        return builder->status;
    pto_operation *op = pto_builder_append(builder, what, PTO_OPK_CALL, arguments, count, type->result_count);
    if (op)
        pto_operation_set_attr(builder->program, op, PTO_STR("callee"),
                               pto_attr_symbol(builder->program, pto_function_name(callee)));
    for (uint32_t i = 0; op && i < type->result_count; i++)
        results[i] = pto_builder_result(builder, op, i, type->results[i]);
    return pto_builder_done(builder, false);
}

pto_status pto_build_call(pto_builder *builder, const char *name, pto_value *const *arguments, size_t count) {
    return pto_build_call_results(builder, name, arguments, count, NULL);
}

/* ---- attributes
 * ------------------------------------------------------------------------------------------------ */

static const pto_attr *word(pto_builder *builder, const char *what, const pto_operation *op,
                            const pto_build_attr *attr) {
    pto_str text = pto_program_copy(builder->program, pto_str_from(attr->text));
    const pto_enum_desc *desc = pto_enum_of_key(op, pto_str_from(attr->key));
    if (!desc)
        return pto_attr_string(builder->program, text);
    const pto_attr *made = pto_attr_enum(builder->program, pto_str_from(desc->name), text);
    if (!made && pto_builder_goes_on(builder))
        pto_builder_refuse(builder, what, "'%.64s' is no %s", attr->text ? attr->text : "", desc->name);
    return made;
}

static const pto_attr *attribute(pto_builder *builder, const char *what, const pto_operation *op,
                                 const pto_build_attr *attr) {
    pto_program *program = builder->program;
    switch (attr->kind) {
    case PTO_BUILD_ATTR_UNIT:
        return pto_attr_unit(program);
    case PTO_BUILD_ATTR_BOOL:
        return pto_attr_bool(program, attr->i != 0);
    case PTO_BUILD_ATTR_INT:
        return pto_attr_int(program, attr->i,
                            attr->width && attr->width < 64 ? pto_type_int(program, attr->width, PTO_SIGNLESS)
                                                            : NULL);
    case PTO_BUILD_ATTR_WORD:
        return word(builder, what, op, attr);
    case PTO_BUILD_ATTR_DTYPE:
        if (!is_element(builder, what, (pto_dtype)attr->i))
            return NULL;
        return pto_attr_type(program, pto_type_element(program, (pto_dtype)attr->i));
    }
    pto_builder_refuse(builder, what, "kind %d of attribute %.64s", (int)attr->kind, attr->key);
    return NULL;
}

/* The attribute of the table that has the key; -1 = none. */
static int position_of(const pto_form_desc *form, const char *key) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == PTO_ROLE_ATTR && !strcmp(form->operand[i].attr_key, key))
            return i;
    return -1;
}

bool pto_builder_attrs(pto_builder *builder, const char *what, pto_operation *op, const pto_build_attr *attrs,
                       size_t count) {
    if (count && !attrs)
        return pto_builder_refuse(builder, what, "no attributes");
    for (size_t i = 0; i < count; i++) {
        if (!attrs[i].key || !*attrs[i].key)
            return pto_builder_refuse(builder, what, "an attribute without a key");
        const pto_attr *value = attribute(builder, what, op, &attrs[i]);
        if (!value)
            return pto_builder_goes_on(builder) && pto_builder_refuse(builder, what, "%.64s", attrs[i].key);
        int position = op->kind == PTO_OPK_INSTR ? position_of(pto_form_get(op->form), attrs[i].key) : 0;
        int64_t number;
        if (position < 0)
            return pto_builder_refuse(builder, what, "the form has no attribute %.64s", attrs[i].key);
        if (op->kind == PTO_OPK_INSTR &&
            !pto_attr_isa_value(pto_form_get(op->form)->operand[position].attr, value, &number))
            return pto_builder_refuse(builder, what, "%.64s is of another kind", attrs[i].key);
        pto_operation_set_attr(builder->program, op,
                               pto_program_copy(builder->program, pto_str_from(attrs[i].key)), value);
    }
    return pto_builder_goes_on(builder);
}

pto_status pto_build_set_attrs(pto_builder *builder, const pto_build_attr *attrs, size_t count) {
    const char *what = "pto_build_set_attrs";
    if (!pto_builder_goes_on(builder))
        return pto_builder_status(builder);
    if (!builder->last)
        pto_builder_refuse(builder, what, "nothing was built yet");
    else
        pto_builder_attrs(builder, what, builder->last, attrs, count);
    return builder->status;
}
