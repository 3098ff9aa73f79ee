/* SPDX-License-Identifier: Apache-2.0 */
/* Building operations from C: scalars, views, tiles, instructions. */
#include "program/builder.h"

#include <string.h>

/* ---- scalars --------------------------------------------------------------------------------------------
 */

static pto_value *constant(pto_builder *builder, const char *what, const pto_type *type,
                           const pto_attr *number) {
    pto_operation *op = pto_builder_append(builder, what, PTO_OPK_ARITH_CONSTANT, NULL, 0, 1);
    if (!op)
        return NULL;
    pto_operation_set_attr(builder->program, op, PTO_STR("value"), number);
    return pto_builder_result(builder, op, 0, type);
}

pto_value *pto_build_int(pto_builder *builder, const pto_type *type, int64_t number) {
    const char *what = "pto_build_int";
    if (!pto_builder_here(builder, what))
        return NULL;
    unsigned width = pto_type_int_width(type);
    bool fits =
        width >= 64 || (width && number >= -(INT64_C(1) << (width - 1)) && number < INT64_C(1) << width);
    if (!fits) {
        pto_builder_refuse(builder, what, width ? "%lld in %u bits" : "%lld for a type that is no integer",
                           (long long)number, width);
        return NULL;
    }
    number = pto_fact_wrap(number, width, pto_type_is_zero_extended(type));
    return constant(builder, what, type,
                    width == 1 ? pto_attr_bool(builder->program, number & 1)
                               : pto_attr_int(builder->program, number, type));
}

pto_value *pto_build_index(pto_builder *builder, int64_t number) {
    return pto_builder_here(builder, "pto_build_index")
               ? pto_build_int(builder, pto_type_index(builder->program), number)
               : NULL;
}

pto_value *pto_build_float(pto_builder *builder, pto_dtype dtype, double number) {
    if (!pto_builder_here(builder, "pto_build_float"))
        return NULL;
    const pto_type *type = pto_build_float_type(builder, dtype);
    return type ? constant(builder, "pto_build_float", type,
                           pto_attr_float(builder->program, pto_fact_round(number, dtype), type))
                : NULL;
}

/* An operation of ops.def by its full name, between two of the kinds. */
static bool find_kind(pto_builder *builder, const char *what, const char *name, pto_op_kind *kind) {
    *kind = pto_op_kind_find(pto_str_from(name));
    return *kind != PTO_OPK_UNKNOWN ||
           pto_builder_refuse(builder, what, "no operation '%.64s'", name ? name : "");
}

static pto_value *scalar(pto_builder *builder, const char *what, pto_op_kind kind, pto_value *const *operands,
                         size_t count, const pto_type *type) {
    pto_operation *op = pto_builder_append(builder, what, kind, operands, count, 1);
    return op ? pto_builder_result(builder, op, 0, type) : NULL;
}

static bool same_scalars(pto_builder *builder, const char *what, const pto_value *a, const pto_value *b) {
    if (!pto_builder_may_use(builder, what, a) || !pto_builder_may_use(builder, what, b))
        return false;
    if (a->type == b->type && pto_type_is_scalar(a->type))
        return true;
    return pto_builder_refuse(builder, what, "operands that are not scalars of one type");
}

pto_value *pto_build_arith(pto_builder *builder, const char *name, pto_value *a, pto_value *b) {
    const char *what = "pto_build_arith";
    pto_op_kind kind;
    if (!pto_builder_here(builder, what) || !find_kind(builder, what, name, &kind) ||
        !same_scalars(builder, what, a, b))
        return NULL;
    bool integers = (kind >= PTO_OPK_ARITH_ADDI && kind <= PTO_OPK_ARITH_SHRUI) ||
                    (kind >= PTO_OPK_ARITH_MINSI && kind <= PTO_OPK_ARITH_MAXUI);
    bool floats = kind >= PTO_OPK_ARITH_ADDF && kind <= PTO_OPK_ARITH_MAXNUMF && kind != PTO_OPK_ARITH_NEGF &&
                  kind != PTO_OPK_ARITH_CMPF;
    bool is_float = a->type->kind == PTO_TYPE_FLOAT;
    if (is_float ? !floats : !integers) {
        pto_builder_refuse(builder, what, "%.64s on two %s", name, is_float ? "floats" : "integers");
        return NULL;
    }
    return scalar(builder, what, kind, (pto_value *const[]){a, b}, 2, a->type);
}

pto_value *pto_build_compare(pto_builder *builder, const char *predicate, pto_value *a, pto_value *b) {
    static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
    static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                         "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
    const char *what = "pto_build_compare";
    if (!pto_builder_here(builder, what) || !same_scalars(builder, what, a, b))
        return NULL;
    bool is_float = a->type->kind == PTO_TYPE_FLOAT;
    const char *const *names = is_float ? floats : ints;
    int count = is_float ? 16 : 10, number = 0;
    while (number < count && (!predicate || strcmp(names[number], predicate) != 0))
        number++;
    if (number == count) {
        pto_builder_refuse(builder, what, "predicate '%.64s'", predicate ? predicate : "");
        return NULL;
    }
    pto_operation *op = pto_builder_append(builder, what, is_float ? PTO_OPK_ARITH_CMPF : PTO_OPK_ARITH_CMPI,
                                           (pto_value *const[]){a, b}, 2, 1);
    if (!op)
        return NULL;
    pto_operation_set_attr(builder->program, op, PTO_STR("predicate"),
                           pto_attr_int(builder->program, number, NULL));
    return pto_builder_result(builder, op, 0, pto_type_int(builder->program, 1, PTO_SIGNLESS));
}

pto_value *pto_build_cast(pto_builder *builder, const char *name, pto_value *value, const pto_type *type) {
    const char *what = "pto_build_cast";
    pto_op_kind kind;
    if (!pto_builder_here(builder, what) || !find_kind(builder, what, name, &kind) ||
        !pto_builder_may_use(builder, what, value))
        return NULL;
    bool casts = (kind >= PTO_OPK_ARITH_EXTSI && kind <= PTO_OPK_ARITH_INDEX_CASTUI) ||
                 (kind >= PTO_OPK_ARITH_EXTF && kind <= PTO_OPK_ARITH_BITCAST);
    if (!casts || !type || !pto_type_is_scalar(type) || !pto_type_is_scalar(value->type)) {
        pto_builder_refuse(builder, what, "%.64s between these types", name);
        return NULL;
    }
    return scalar(builder, what, kind, &value, 1, type);
}

/* Operations whose segments follow from the number of their operands. */
static bool has_plain_segments(pto_op_kind kind) {
    return kind == PTO_OPK_BIND_TILE || kind == PTO_OPK_POINTER_CAST || kind == PTO_OPK_TPOP_FROM_AIC ||
           kind == PTO_OPK_TPOP_FROM_AIV;
}

static pto_operation *operation(pto_builder *builder, const char *what, const char *name,
                                pto_value *const *operands, size_t count, const pto_type *const *types,
                                size_t result_count, const pto_build_attr *attrs, size_t attr_count) {
    pto_op_kind kind;
    if (!pto_builder_here(builder, what) || !find_kind(builder, what, name, &kind) ||
        !pto_builder_may_use_all(builder, what, operands, count))
        return NULL;
    const pto_op_shape *shape = pto_op_shape_of(kind);
    if (!shape || shape->regions || (shape->segments && !has_plain_segments(kind)) ||
        kind == PTO_OPK_RETURN || kind == PTO_OPK_CALL ||
        (kind >= PTO_OPK_SCF_CONDITION && kind <= PTO_OPK_CF_SWITCH)) {
        pto_builder_refuse(builder, what, "%.64s has a call of its own", name);
        return NULL;
    }
    if (count > UINT16_MAX || result_count > UINT16_MAX || (int)count < shape->operand_min ||
        (shape->operand_max >= 0 && (int)count > shape->operand_max) ||
        (int)result_count < shape->result_min ||
        (shape->result_max >= 0 && (int)result_count > shape->result_max)) {
        pto_builder_refuse(builder, what, "%.64s with %zu operands and %zu results", name, count,
                           result_count);
        return NULL;
    }
    pto_operation *op = pto_builder_append(builder, what, kind, operands, count, result_count);
    if (!op || !pto_builder_attrs(builder, what, op, attrs, attr_count))
        return NULL;
    if (shape->segments)
        pto_operation_set_segments(op);
    for (size_t i = 0; i < result_count; i++)
        if (!types[i] ? !pto_builder_refuse(builder, what, "result %zu has no type", i)
                      : !pto_builder_result(builder, op, (uint32_t)i, types[i]))
            return NULL;
    return op;
}

pto_value *pto_build_operation(pto_builder *builder, const char *name, pto_value *const *operands,
                               size_t count, const pto_type *result, const pto_build_attr *attrs,
                               size_t attr_count) {
    pto_operation *op = operation(builder, "pto_build_operation", name, operands, count, &result,
                                  result != NULL, attrs, attr_count);
    return op && result ? op->result[0] : NULL;
}

pto_status pto_build_operation_results(pto_builder *builder, const char *name, pto_value *const *operands,
                                       size_t count, const pto_type *const *types, size_t result_count,
                                       const pto_build_attr *attrs, size_t attr_count, pto_value **results) {
    const char *what = "pto_build_operation_results";
    if (pto_builder_goes_on(builder) && result_count && (!types || !results))
        pto_builder_refuse(builder, what, "%zu results without types or places", result_count);
    pto_operation *op = pto_builder_goes_on(builder) ? operation(builder, what, name, operands, count, types,
                                                                 result_count, attrs, attr_count)
                                                     : NULL;
    for (size_t i = 0; op && i < result_count; i++)
        results[i] = op->result[i];
    return pto_builder_done(builder, false);
}

/* ---- views and tiles
 * --------------------------------------------------------------------------------------- */

static bool check_lists(pto_builder *builder, const char *what, int rank, pto_value *const *a,
                        pto_value *const *b) {
    if (rank < 1 || rank > 5)
        return pto_builder_refuse(builder, what, "rank %d", rank);
    if (!pto_builder_may_use_all(builder, what, a, (size_t)rank) ||
        !pto_builder_may_use_all(builder, what, b, (size_t)rank))
        return false;
    for (int i = 0; i < rank; i++)
        if (a[i]->type->kind != PTO_TYPE_INDEX || b[i]->type->kind != PTO_TYPE_INDEX)
            return pto_builder_refuse(builder, what, "an extent, stride or offset that is no index");
    return true;
}

/* `base` and two lists; the extents of the result's type are those of `extents` that are constants. */
static pto_value *view(pto_builder *builder, const char *what, pto_op_kind kind, pto_type_kind made,
                       pto_value *base, int rank, pto_value *const *first, pto_value *const *second,
                       pto_value *const *extents) {
    pto_value *operands[11] = {base};
    int64_t dim[5];
    for (int i = 0; i < rank; i++) {
        operands[1 + i] = first[i];
        operands[1 + rank + i] = second[i];
        if (!pto_fact_int(extents[i], &dim[i]) || dim[i] < 0)
            dim[i] = PTO_DYNAMIC;
    }
    const pto_type *type = pto_type_shaped(builder->program, made, base->type->element, rank, dim);
    pto_operation *op = pto_builder_append(builder, what, kind, operands, (size_t)(1 + 2 * rank), 1);
    if (!op)
        return NULL;
    op->segment_count = 3;
    op->segment[0] = 1;
    op->segment[1] = op->segment[2] = (uint32_t)rank;
    return pto_builder_result(builder, op, 0, type);
}

pto_value *pto_build_tensor_view(pto_builder *builder, pto_value *pointer, int rank,
                                 pto_value *const *extents, pto_value *const *strides) {
    const char *what = "pto_build_tensor_view";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, pointer) ||
        !check_lists(builder, what, rank, extents, strides))
        return NULL;
    if (pointer->type->kind != PTO_TYPE_PTR) {
        pto_builder_refuse(builder, what, "a base that is no pointer");
        return NULL;
    }
    return view(builder, what, PTO_OPK_MAKE_TENSOR_VIEW, PTO_TYPE_TENSOR_VIEW, pointer, rank, extents,
                strides, extents);
}

pto_value *pto_build_partition(pto_builder *builder, pto_value *base, int rank, pto_value *const *offsets,
                               pto_value *const *sizes) {
    const char *what = "pto_build_partition";
    if (!pto_builder_here(builder, what) || !pto_builder_may_use(builder, what, base) ||
        !check_lists(builder, what, rank, offsets, sizes))
        return NULL;
    if (base->type->kind != PTO_TYPE_TENSOR_VIEW || base->type->rank != rank) {
        pto_builder_refuse(builder, what, "a window of rank %d in what is no tensor view of that rank", rank);
        return NULL;
    }
    return view(builder, what, PTO_OPK_PARTITION_VIEW, PTO_TYPE_PARTITION_VIEW, base, rank, offsets, sizes,
                sizes);
}

pto_value *pto_build_tile(pto_builder *builder, const pto_tile_type *type, pto_value *addr,
                          pto_value *valid_rows, pto_value *valid_cols) {
    const char *what = "pto_build_tile";
    pto_value *given[] = {addr, valid_rows, valid_cols}, *operands[3];
    if (!pto_builder_here(builder, what))
        return NULL;
    const pto_type *tile = pto_build_tile_type(builder, type);
    size_t count = 0;
    for (int i = 0; i < 3 && tile; i++) {
        if (!given[i])
            continue;
        if (!pto_builder_may_use(builder, what, given[i]))
            return NULL;
        bool right = i ? given[i]->type->kind == PTO_TYPE_INDEX
                       : given[i]->type == pto_type_int(builder->program, 64, PTO_SIGNLESS);
        if (!right) {
            pto_builder_refuse(builder, what,
                               i ? "a valid extent that is no index" : "an address that is no i64");
            return NULL;
        }
        operands[count++] = given[i];
    }
    if (tile &&
        ((valid_rows != NULL) != (type->valid_rows < 0) || (valid_cols != NULL) != (type->valid_cols < 0))) {
        pto_builder_refuse(builder, what,
                           "valid extents stand where the type leaves them open, and only there");
        return NULL;
    }
    pto_operation *op =
        tile ? pto_builder_append(builder, what, PTO_OPK_ALLOC_TILE, operands, count, 1) : NULL;
    if (!op)
        return NULL;
    op->segment_count = 3;
    for (int i = 0; i < 3; i++)
        op->segment[i] = given[i] != NULL;
    return pto_builder_result(builder, op, 0, tile);
}

/* ---- instructions
 * --------------------------------------------------------------------------------------------- */

static bool is_view(const pto_type *type) {
    return type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_PARTITION_VIEW ||
           type->kind == PTO_TYPE_MEMREF;
}

static bool check_operand(pto_builder *builder, const pto_form_desc *form, int i, const pto_value *value) {
    const char *what = "pto_build_instr";
    const pto_operand_desc *desc = &form->operand[i];
    if (desc->role == PTO_ROLE_ATTR || desc->is_counts)
        return !value ||
               pto_builder_refuse(builder, what, "%s: %s takes no value", form->mnemonic, desc->name);
    if (!value)
        return desc->optional || desc->role == PTO_ROLE_TMP ||
               pto_builder_refuse(builder, what, "%s: no %s", form->mnemonic, desc->name);
    if (!pto_builder_may_use(builder, what, value))
        return false;
    bool fits = desc->role == PTO_ROLE_SCALAR ? pto_type_is_scalar(value->type)
                : desc->is_global             ? is_view(value->type)
                                              : value->type->kind == PTO_TYPE_TILE_BUF &&
                                        pto_operand_takes_tile(desc, &value->type->tile);
    return fits || pto_builder_refuse(builder, what, "%s: %s is no %s", form->mnemonic, desc->name,
                                      desc->role == PTO_ROLE_SCALAR ? "scalar"
                                      : desc->is_global             ? "view"
                                                                    : "tile of this kind");
}

static pto_operation *instr(pto_builder *builder, int number, pto_value *const *operands, size_t count,
                            const pto_build_attr *attrs, size_t attr_count, int skip, size_t results) {
    const char *what = "pto_build_instr";
    if (!pto_builder_here(builder, what))
        return NULL;
    if (number < 0 || number >= PTO_FORM_COUNT) {
        pto_builder_refuse(builder, what, "no form has number %d", number);
        return NULL;
    }
    const pto_form_desc *form = pto_form_get((pto_form)number);
    if (count > form->operand_count || (count && !operands)) {
        pto_builder_refuse(builder, what, "%s: %zu operands, the form has %d", form->mnemonic, count,
                           form->operand_count);
        return NULL;
    }
    pto_value *all[PTO_MAX_OPERANDS] = {0};
    for (size_t i = 0; i < count; i++)
        all[i] = operands[i];
    for (int i = 0; i < form->operand_count; i++)
        if (i != skip && !check_operand(builder, form, i, all[i]))
            return NULL;
    pto_operation *op = pto_builder_append(builder, what, PTO_OPK_INSTR, all, form->operand_count, results);
    if (!op)
        return NULL;
    op->form = (pto_form)number;
    return pto_builder_attrs(builder, what, op, attrs, attr_count) ? op : NULL;
}

pto_status pto_build_instr(pto_builder *builder, int form, pto_value *const *operands, size_t count,
                           const pto_build_attr *attrs, size_t attr_count) {
    instr(builder, form, operands, count, attrs, attr_count, -1, 0);
    pto_builder_goes_on(builder);
    return pto_builder_status(builder);
}

pto_value *pto_build_instr_result(pto_builder *builder, int form, pto_value *const *operands, size_t count,
                                  const pto_build_attr *attrs, size_t attr_count, const pto_tile_type *type) {
    const char *what = "pto_build_instr_result";
    if (!pto_builder_here(builder, what))
        return NULL;
    const pto_form_desc *desc = form >= 0 && form < PTO_FORM_COUNT ? pto_form_get((pto_form)form) : NULL;
    const pto_text_pattern *text = desc ? &desc->text[PTO_TEXT_LEVEL2] : NULL;
    if (!text || !text->spelling || text->spelling[0] != '%') {
        pto_builder_refuse(builder, what, "%s has no result", desc ? desc->mnemonic : "no form");
        return NULL;
    }
    /* a view stands for what is left out; a tile that is placed is an operand as well */
    int position = text->result[0];
    bool view = desc->operand[position].role == PTO_ROLE_OUT;
    const pto_type *tile = type ? pto_build_tile_type(builder, type) : NULL;
    if (!pto_builder_goes_on(builder))
        return NULL;
    pto_operation *op = instr(builder, form, operands, count, attrs, attr_count, view ? position : -1, 1);
    if (!op)
        return NULL;
    if (!tile && !view)
        tile = op->operand[position]->type;
    if (!tile || (view && op->operand[position])) {
        pto_builder_refuse(builder, what, "%s: %s", desc->mnemonic, tile ? "a destination" : "no type");
        return NULL;
    }
    return pto_builder_result(builder, op, 0, tile);
}

pto_value *pto_build_reshape(pto_builder *builder, pto_value *source, const pto_tile_type *type) {
    return pto_build_instr_result(builder, PTO_FORM_TRESHAPE, (pto_value *const[]){NULL, source}, 2, NULL, 0,
                                  type);
}
