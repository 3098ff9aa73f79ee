/* SPDX-License-Identifier: Apache-2.0 */
/* PTO-AS <-> level 1 (60, 1, 2): constants, and memory operands `%a[%r, %c]`, which become views and back. */
#include "isa/conv.h"
#include "text/convert.h"
#include "text/ssa.h"

#include <string.h>

/* ---- PTO-AS to level 1 ------------------------------------------------------------------------------ */

typedef struct to_level1 {
    pto_value_map views; /* memory argument -> its whole view */
    /* Constants of extents: a program is one block, so the first serves all that follow. */
    PTO_VEC(pto_value *) constants;
    PTO_VEC(int64_t) numbers;
} to_level1;

static pto_value *extent(pto_converter *c, pto_block *into, int64_t number) {
    to_level1 *state = c->state;
    for (size_t i = 0; i < state->numbers.count && i < 64; i++)
        if (state->numbers.data[i] == number)
            return state->constants.data[i];
    pto_value *value = pto_convert_constant(c, into, number, pto_type_index(c->to));
    pto_vec_push(c->arena, &state->numbers, number);
    pto_vec_push(c->arena, &state->constants, value);
    return value;
}

/* Row strides of a memref: dense, or as `strided<[a, b]>` says. */
static bool memref_strides(const pto_type *type, int64_t stride[5]) {
    int64_t step = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        stride[d] = step;
        if (type->dim[d] < 0 || (type->dim[d] > 0 && step > INT64_MAX / type->dim[d]))
            return false;
        step *= type->dim[d];
    }
    pto_str text = pto_str_trim(type->text);
    while (text.len && (text.data[0] == ',' || text.data[0] == ' '))
        text = pto_str_slice(text, 1, text.len);
    if (!text.len)
        return true;
    if (!pto_str_starts_with(text, PTO_STR("strided<[")))
        return false;
    size_t at = 9;
    for (int d = 0; d < type->rank; d++) {
        size_t end = at;
        while (end < text.len && text.data[end] != ',' && text.data[end] != ']')
            end++;
        if (end == text.len || (text.data[end] == ']') != (d == type->rank - 1) ||
            pto_str_parse_i64(pto_str_trim(pto_str_slice(text, at, end)), &stride[d]) != PTO_PARSE_OK)
            return false;
        at = end + 1;
    }
    pto_str rest = pto_str_trim(pto_str_slice(text, at, text.len));
    return pto_str_equal(rest, PTO_STR(">")) || pto_str_equal(rest, PTO_STR(", offset: 0>"));
}

/* The view of all of a memory argument, made where it is first used; NULL after a refusal. */
static pto_value *whole_view(pto_converter *c, const pto_value *memory, pto_span span, pto_block *into) {
    pto_value_map *views = &((to_level1 *)c->state)->views;
    const int64_t *known = pto_value_map_find(views, memory);
    if (known)
        return (pto_value *)(intptr_t)*known;
    const pto_type *type = memory->type;
    int64_t stride[5];
    if (type->open || !type->element || type->rank == 0) {
        pto_convert_refuse(c, span, "the shape and element type of %%%.*s are not given",
                           PTO_STR_ARG(memory->name));
        return NULL;
    }
    if (!memref_strides(type, stride)) {
        pto_convert_refuse(c, span, "the shape and strides of %%%.*s must be numbers",
                           PTO_STR_ARG(memory->name));
        return NULL;
    }
    pto_value *operand[11];
    operand[0] = pto_convert_value(c, memory);
    for (int d = 0; d < type->rank; d++) {
        operand[1 + d] = extent(c, into, type->dim[d]);
        operand[1 + type->rank + d] = extent(c, into, stride[d]);
    }
    uint32_t count = 1 + 2u * type->rank;
    pto_operation *op = pto_operation_create(c->to, PTO_OPK_MAKE_TENSOR_VIEW, count, 1);
    memcpy(op->operand, operand, count * sizeof *operand);
    op->segment_count = 3;
    op->segment[0] = 1;
    op->segment[1] = op->segment[2] = type->rank;
    op->span = op->name_span = span;
    pto_value *view =
        pto_operation_set_result(c->to, op, 0,
                                 pto_type_shaped(c->to, PTO_TYPE_TENSOR_VIEW,
                                                 pto_convert_type(c, type->element), type->rank, type->dim),
                                 (pto_str){NULL, 0});
    pto_block_append(into, op);
    pto_value_map_set(views, memory, (int64_t)(intptr_t)view);
    return view;
}

/* The window of a memory operand in its last `rank` dimensions: the valid region of the tile that it meets,
 * or the tensor of a convolution tile, of whose layout the memory must be. */
static bool window_of(const pto_operation *op, int position, const int64_t *dims, uint32_t rank,
                      int64_t size[5]) {
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count; i++) {
        const pto_value *value = i == position ? NULL : pto_instr_value(op, i);
        if (!value || !value->type || !pto_type_is_tile(value->type) || value->type->open)
            continue;
        const pto_tile_type *tile = &value->type->tile;
        int64_t window[5] = {1, 1, 1, tile->valid_rows, tile->valid_cols}, shape[5] = {1, 1, 1, 1, 1};
        if (tile->conv) {
            pto_view_facts facts;
            bool known = pto_fact_view(op->operand[position], &facts);
            memcpy(shape + 5 - rank, dims, rank * sizeof *shape);
            pto_conv_window(tile->conv, tile->conv->layout, shape, window);
            if (known && facts.layout_given && facts.layout != tile->conv->layout)
                return false; /* memory operands have no layout of their own */
        }
        for (uint32_t d = 0; d + rank < 5; d++)
            if (window[d] != 1)
                return false;
        memcpy(size, window + 5 - rank, rank * sizeof *size);
        return tile->valid_rows != PTO_DYNAMIC && tile->valid_cols != PTO_DYNAMIC;
    }
    return false;
}

/* The memory operand at a position as a partition view; NULL after a refusal. */
static pto_value *partition(pto_converter *c, const pto_operation *op, int position, pto_block *into) {
    const pto_value *memory = op->operand[position];
    const pto_type *type = memory->type;
    pto_value *source =
        type->kind == PTO_TYPE_MEMREF ? whole_view(c, memory, op->span, into) : pto_convert_value(c, memory);
    if (!source)
        return NULL;
    if (type->kind != PTO_TYPE_MEMREF && type->kind != PTO_TYPE_TENSOR_VIEW) {
        pto_convert_refuse(c, op->span, "%%%.*s takes no indices: it is no memref and no tensor view",
                           PTO_STR_ARG(memory->name));
        return NULL;
    }
    uint32_t rank = type->rank, indices = op->index_count;
    if (indices > rank) {
        pto_convert_refuse(c, op->span, "%u indices for %%%.*s, which has %u dimensions", indices,
                           PTO_STR_ARG(memory->name), rank);
        return NULL;
    }
    int64_t size[5] = {1, 1, 1, 1, 1};
    if (indices == 0) {
        memcpy(size, type->dim, sizeof size);
    } else if (!window_of(op, position, type->dim, rank, size)) {
        pto_convert_refuse(c, op->span,
                           "the tile's extents must be numbers that fit the %u dimensions of %%%.*s", rank,
                           PTO_STR_ARG(memory->name));
        return NULL;
    }
    for (uint32_t d = 0; d < rank; d++)
        if (size[d] < 0) {
            pto_convert_refuse(c, op->span, "the shape of %%%.*s must be numbers", PTO_STR_ARG(memory->name));
            return NULL;
        }
    pto_value *operand[11];
    operand[0] = source;
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t padded = rank - indices;
        operand[1 + d] = d < padded ? extent(c, into, 0) : pto_convert_value(c, op->index[d - padded]);
        operand[1 + rank + d] = extent(c, into, size[d]);
    }
    pto_operation *view = pto_operation_create(c->to, PTO_OPK_PARTITION_VIEW, 1 + 2 * rank, 1);
    memcpy(view->operand, operand, (1 + 2 * rank) * sizeof *operand);
    view->segment_count = 3;
    view->segment[0] = 1;
    view->segment[1] = view->segment[2] = rank;
    view->span = view->name_span = op->span;
    pto_value *result = pto_operation_set_result(
        c->to, view, 0,
        pto_type_shaped(c->to, PTO_TYPE_PARTITION_VIEW, pto_convert_type(c, type->element), (int)rank, size),
        (pto_str){NULL, 0});
    pto_block_append(into, view);
    return result;
}

static void as_operation(pto_converter *c, const pto_operation *op, pto_block *into) {
    if (op->kind == PTO_OPK_AS_CONST) {
        pto_operation *copy = pto_convert_plain(c, op, into);
        copy->kind = PTO_OPK_ARITH_CONSTANT;
        return;
    }
    if (op->kind == PTO_OPK_TPREFETCH_ASYNC && op->operand[0]->type &&
        op->operand[0]->type->kind == PTO_TYPE_MEMREF) {
        pto_value *source = partition(c, op, 0, into);
        if (source)
            pto_convert_plain(c, op, into)->operand[0] = source;
        return;
    }
    if (op->kind != PTO_OPK_INSTR) {
        pto_convert_whole(c, op, into);
        return;
    }
    pto_value *view[PTO_MAX_OPERANDS] = {NULL};
    const pto_form_desc *form = pto_form_get(op->form);
    for (uint32_t i = 0; i < op->operand_count && i < form->operand_count; i++) {
        const pto_value *value = op->operand[i];
        if (!form->operand[i].is_global || !value || !value->type ||
            (value->type->kind != PTO_TYPE_MEMREF && !op->index_count))
            continue;
        view[i] = partition(c, op, (int)i, into);
        if (!view[i])
            return;
    }
    pto_operation *copy = pto_convert_plain(c, op, into);
    copy->index_count = 0;
    for (uint32_t i = 0; i < copy->operand_count && i < PTO_MAX_OPERANDS; i++)
        if (view[i])
            copy->operand[i] = view[i];
}

void pto_convert_as_to_level1(pto_converter *c) {
    to_level1 state = {.views = {.arena = c->arena}};
    c->state = &state;
    c->operation = as_operation;
    c->memrefs_to_pointers = true;
    pto_convert_block(c, c->from->module->region[0]->first, c->to->module->region[0]->first);
}

/* ---- level 1 to PTO-AS ------------------------------------------------------------------------------- */

/* A pointer argument that becomes a memref: every view of it has one static shape. */
typedef struct as_state {
    pto_value_map memory; /* pointer argument -> interned memref type of the new program */
    pto_value_map uses;   /* value -> 1: of shapes of views alone, 2: of what is left */
} as_state;

/* Shapes, strides and sizes go with the views; so do the constants that only they use. The offsets stay, as
 * indices of the instructions that use the view. */
static void find_uses(void *user, const pto_operation *op) {
    as_state *state = ((pto_converter *)user)->state;
    bool view = op->kind == PTO_OPK_PARTITION_VIEW || op->kind == PTO_OPK_MAKE_TENSOR_VIEW;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const pto_value *value = op->operand[i];
        if (value && !(view && pto_value_map_find(&state->uses, value)))
            pto_value_map_set(&state->uses, value, view ? 1 : 2);
        if (!value || !value->def || value->def->kind != PTO_OPK_PARTITION_VIEW || op->kind != PTO_OPK_INSTR)
            continue;
        uint32_t first, offsets = pto_fact_segment(value->def, 1, &first);
        for (uint32_t d = 0; d < offsets; d++)
            pto_value_map_set(&state->uses, value->def->operand[first + d], 2);
    }
}

static const pto_type *memref_of(pto_converter *c, const pto_operation *view) {
    const pto_type *type = view->result[0]->type;
    uint32_t first, count = pto_fact_segment(view, 1, &first), stride_first;
    uint32_t strides = pto_fact_segment(view, 2, &stride_first);
    if (count == 0 || count > 5 || strides != count || !type->element)
        return NULL;
    int64_t dim[5], stride[5], step = 1;
    bool dense = true;
    for (uint32_t d = count; d-- > 0;) {
        if (!pto_fact_int(view->operand[first + d], &dim[d]) || dim[d] < 0 ||
            !pto_fact_int(view->operand[stride_first + d], &stride[d]))
            return NULL;
        dense = dense && stride[d] == step;
        if (dim[d] > 0 && step > INT64_MAX / dim[d])
            return NULL;
        step *= dim[d];
    }
    pto_type memref = {.kind = PTO_TYPE_MEMREF,
                       .memref = PTO_MEMREF_PTO,
                       .element = pto_convert_type(c, type->element),
                       .dtype = type->dtype,
                       .rank = (uint8_t)count};
    memcpy(memref.dim, dim, count * sizeof *dim);
    if (!dense) {
        char *text = pto_arena_printf(c->arena, ", strided<[");
        for (uint32_t d = 0; d < count; d++)
            text = pto_arena_printf(c->arena, "%s%s%lld", text, d ? ", " : "", (long long)stride[d]);
        memref.text = pto_str_from(pto_arena_printf(c->arena, "%s]>", text));
    }
    return pto_type_intern(c->to, &memref);
}

static void find_memory(void *user, const pto_operation *op) {
    pto_converter *c = user;
    as_state *state = c->state;
    if (op->kind != PTO_OPK_MAKE_TENSOR_VIEW || !op->operand_count || !op->operand[0])
        return;
    const pto_value *pointer = op->operand[0];
    const pto_type *type = memref_of(c, op);
    const int64_t *known = pto_value_map_find(&state->memory, pointer);
    if (pointer->def || !type)
        pto_convert_refuse(c, op->span, "PTO-AS has views of whole arguments with a shape of numbers only");
    else if (known && (const pto_type *)(intptr_t)*known != type)
        pto_convert_refuse(c, op->span, "PTO-AS has one shape for the memory of an argument");
    else
        pto_value_map_set(&state->memory, pointer, (int64_t)(intptr_t)type);
}

/* The pointer and the offsets of a partition view whose window is that of the tile. */
static bool fold_view(pto_converter *c, const pto_operation *op, int position, pto_operation *copy) {
    const pto_value *view = op->operand[position];
    const pto_operation *part = view->def;
    if (!part || part->kind != PTO_OPK_PARTITION_VIEW || !part->operand_count || !part->operand[0] ||
        !part->operand[0]->def || part->operand[0]->def->kind != PTO_OPK_MAKE_TENSOR_VIEW)
        return false;
    const pto_value *pointer = part->operand[0]->def->operand[0];
    uint32_t first, count = pto_fact_segment(part, 1, &first), size_first;
    uint32_t sizes = pto_fact_segment(part, 2, &size_first);
    int64_t window[5];
    if (count == 0 || count > 5 || sizes != count || part->operand[0]->type->rank != count ||
        !window_of(op, position, part->operand[0]->type->dim, count, window))
        return false;
    for (uint32_t d = 0; d < count; d++) {
        int64_t size;
        if (!pto_fact_int(part->operand[size_first + d], &size) || size != window[d])
            return false;
        copy->index[d] = pto_convert_value(c, part->operand[first + d]);
    }
    copy->index_count = count;
    copy->operand[position] = pto_convert_value(c, pointer);
    return true;
}

/* A prefetch of a whole argument: PTO-AS has windows of tiles only. */
static void to_as_prefetch(pto_converter *c, const pto_operation *op, pto_block *into) {
    const pto_operation *part = op->operand[0] ? op->operand[0]->def : NULL;
    const pto_operation *view =
        part && part->kind == PTO_OPK_PARTITION_VIEW && part->operand[0] ? part->operand[0]->def : NULL;
    bool whole = view && view->kind == PTO_OPK_MAKE_TENSOR_VIEW;
    uint32_t first, size_first, count = whole ? pto_fact_segment(part, 1, &first) : 0;
    whole = whole && pto_fact_segment(part, 2, &size_first) == count && view->result[0]->type->rank == count;
    for (uint32_t d = 0; whole && d < count; d++) {
        int64_t offset, size;
        whole = pto_fact_int(part->operand[first + d], &offset) && offset == 0 &&
                pto_fact_int(part->operand[size_first + d], &size) && size == view->result[0]->type->dim[d];
    }
    if (!whole) {
        pto_convert_refuse(c, op->span, "PTO-AS prefetches whole arguments only");
        return;
    }
    pto_convert_plain(c, op, into)->operand[0] = pto_convert_value(c, view->operand[0]);
}

static void to_as_instruction(pto_converter *c, const pto_operation *op, pto_block *into) {
    const pto_form_desc *form = pto_form_get(op->form);
    if (!form->text[PTO_TEXT_AS].opcode) {
        pto_convert_refuse(c, op->span, "%s has no PTO-AS spelling", form->mnemonic);
        return;
    }
    pto_operation *copy = pto_convert_plain(c, op, into);
    for (int i = 0; i < form->operand_count; i++) {
        bool given = (uint32_t)i < op->operand_count && op->operand[i];
        if (given && form->operand[i].is_global && !copy->operand[i] && !fold_view(c, op, i, copy))
            pto_convert_refuse(
                c, op->span, "PTO-AS has memory operands whose window is the valid region of the tile only");
        bool listed = form->text[PTO_TEXT_AS].indexed >= 0;
        for (int k = 0; k < PTO_MAX_OPERANDS && form->text[PTO_TEXT_AS].operand[k] >= 0; k++)
            listed = listed || form->text[PTO_TEXT_AS].operand[k] == i;
        /* PTO-AS omits scratch. */
        if (given && form->operand[i].role == PTO_ROLE_TMP && !listed)
            copy->operand[i] = NULL;
    }
}

static void to_as_operation(pto_converter *c, const pto_operation *op, pto_block *into) {
    switch (op->kind) {
    case PTO_OPK_FUNC: {
        as_state state = {.memory = {.arena = c->arena}, .uses = {.arena = c->arena}};
        c->state = &state;
        pto_fact_walk(op, find_uses, c);
        pto_fact_walk(op, find_memory, c);
        if (op->region_count && op->region[0]->first && op->region[0]->first->next)
            pto_convert_refuse(c, op->span, "PTO-AS has no control flow: the function has several blocks");
        if (c->failed)
            return;
        pto_operation *copy = pto_operation_create(c->to, PTO_OPK_FUNC, 0, 0);
        copy->span = op->span;
        copy->name_span = op->name_span;
        pto_convert_attrs(c, op, copy);
        pto_block_append(into, copy);
        pto_convert_regions(c, op, copy);
        const pto_block *body = pto_function_body(copy);
        const pto_type **inputs = pto_arena_array(c->arena, body ? body->arg_count : 0, sizeof *inputs);
        for (uint32_t i = 0; body && i < body->arg_count; i++) {
            const pto_value *old = op->region[0]->first->arg[i];
            const int64_t *memref = pto_value_map_find(&state.memory, old);
            if (memref)
                body->arg[i]->type = (const pto_type *)(intptr_t)*memref;
            inputs[i] = body->arg[i]->type;
        }
        pto_operation_set_attr(c->to, copy, PTO_STR("sym_name"), pto_attr_string(c->to, PTO_STR("main")));
        pto_operation_set_attr(
            c->to, copy, PTO_STR("function_type"),
            pto_attr_type(c->to, pto_type_function(c->to, inputs, body ? body->arg_count : 0, NULL, 0)));
        return;
    }
    case PTO_OPK_INSTR:
        to_as_instruction(c, op, into);
        return;
    case PTO_OPK_ARITH_CONSTANT: {
        if (!pto_type_is_scalar(op->result[0]->type)) {
            pto_convert_refuse(c, op->span, "PTO-AS has scalar constants only");
            return;
        }
        const int64_t *uses = pto_value_map_find(&((as_state *)c->state)->uses, op->result[0]);
        if (uses && *uses == 1)
            return;
        pto_operation *copy = pto_convert_plain(c, op, into);
        copy->kind = PTO_OPK_AS_CONST;
        return;
    }
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW: /* folded into their users */
        return;
    case PTO_OPK_RETURN:
        if (op->operand_count)
            pto_convert_refuse(c, op->span, "PTO-AS programs return nothing");
        else
            pto_convert_plain(c, op, into);
        return;
    case PTO_OPK_TSYNC:
        pto_convert_plain(c, op, into);
        return;
    case PTO_OPK_TPREFETCH_ASYNC:
        to_as_prefetch(c, op, into);
        return;
    default:
        pto_convert_refuse(c, op->name_span.end > op->name_span.begin ? op->name_span : op->span,
                           "PTO-AS has no %s",
                           pto_op_kind_name(op->kind) ? pto_op_kind_name(op->kind) : "such operation");
    }
}

void pto_convert_level1_to_as(pto_converter *c) {
    c->operation = to_as_operation;
    const pto_operation *function = pto_program_first_function(c->from);
    if (!function || pto_program_next_function(function) || !pto_function_body(function)) {
        pto_convert_refuse(c, (pto_span){0, 0}, "a PTO-AS program is one function");
        return;
    }
    for (uint32_t i = c->to->module->attr_count; i-- > 0;)
        if (!pto_str_equal(c->to->module->attr[i].name, PTO_STR("sym_name")))
            pto_diag_add(c->diags, PTO_WARNING, "PTO-E0250", pto_nowhere(),
                         "PTO-AS has no module: the attribute '%.*s' is dropped",
                         PTO_STR_ARG(c->to->module->attr[i].name));
    c->to->module->attr_count = 0;
    to_as_operation(c, function, c->to->module->region[0]->first);
}
