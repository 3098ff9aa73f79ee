/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers, views and tile handles in C++ (60, 6.3). */
#include "emit/emit.h"

#include "isa/conv.h"

#include <inttypes.h>
#include <string.h>

int32_t pto_emit_slot(pto_emitter *e, const void *key, int32_t position) {
    const int64_t *first = pto_value_map_find(&e->place_of, key);
    for (int32_t i = first ? (int32_t)*first : -1; i >= 0; i = e->next_place[i]) {
        const pto_code_place *place = &e->code->place[i];
        if (place->expansion == e->fn->expansion && place->position == position)
            return place->slot;
    }
    return -1;
}

/* Elements of a 4-bit type lie two in an object of C++. */
static const char *halved(pto_emitter *e, const char *text, pto_dtype dtype) {
    return pto_dtype_bits(dtype) < 8 ? pto_arena_printf(e->arena, "(%s) / 2", text) : text;
}

/* ---- views ------------------------------------------------------------------------------------------- */

static const char *pointer_of(pto_emitter *e, const pto_emit_view *view) {
    if (!view->offset)
        return view->base;
    return pto_arena_printf(e->arena, "%s + %s", view->base, halved(e, view->offset, view->dtype));
}

static bool is_open(pto_emit_dim dim) { return dim.text || dim.number < 0; }

/* Shape(...) with the values that the type of `as` leaves open. */
static const char *five(pto_emitter *e, const char *name, const pto_emit_dim dim[5],
                        const pto_emit_dim as[5]) {
    const char *type = "", *values = "";
    for (int d = 0; d < 5; d++) {
        bool open = is_open(as[d]);
        type = pto_arena_printf(e->arena, "%s%s%" PRId64, type, d ? ", " : "", open ? -1 : as[d].number);
        if (open)
            values = pto_arena_printf(e->arena, "%s%s%s", values, *values ? ", " : "",
                                      pto_emit_dim_text(e, dim[d]));
    }
    return pto_arena_printf(e->arena, "pto::%s<%s>(%s)", name, type, values);
}

static bool leaves_open(const pto_emit_dim dim[5]) {
    for (int d = 0; d < 5; d++)
        if (is_open(dim[d]))
            return true;
    return false;
}

/* The arguments of its constructor. */
static const char *arguments_of(pto_emitter *e, const pto_emit_view *view, const pto_emit_view *as) {
    bool stride = leaves_open(as->stride), shape = stride || leaves_open(as->shape);
    const char *text = pointer_of(e, view);
    if (shape)
        text = pto_arena_printf(e->arena, "%s, %s", text, five(e, "Shape", view->shape, as->shape));
    if (stride)
        text = pto_arena_printf(e->arena, "%s, %s", text, five(e, "Stride", view->stride, as->stride));
    return text;
}

const char *pto_emit_view_value(pto_emitter *e, const pto_emit_view *view, const pto_emit_view *as) {
    return pto_arena_printf(e->arena, "%s(%s)", pto_emit_view_type(e, as), arguments_of(e, view, as));
}

const pto_emit_view *pto_emit_view_of(pto_emitter *e, const char *name, const pto_emit_view *like,
                                      bool open) {
    pto_emit_view *view = pto_arena_new(e->arena, pto_emit_view);
    *view = *like;
    view->base = pto_arena_printf(e->arena, "%s.data()", name);
    view->offset = NULL;
    for (int d = 0; d < 5; d++) {
        if (open || is_open(view->shape[d]))
            view->shape[d].text = pto_arena_printf(e->arena, "%s.GetShape(%d)", name, d);
        if (open || is_open(view->stride[d]))
            view->stride[d].text = pto_arena_printf(e->arena, "%s.GetStride(%d)", name, d);
    }
    return view;
}

void pto_emit_view_variable(pto_emitter *e, int32_t number, const pto_emit_view *view) {
    const char *type = pto_emit_view_type(e, view);
    e->values.data[number].view = view;
    e->values.data[number].type = type;
    if (e->fn->flat)
        pto_emit_variable(e, number, pto_emit_view_value(e, view, view));
    else
        pto_emit_line_for(e, number, "%s %s(%s);", type, e->values.data[number].name,
                          arguments_of(e, view, view));
}

pto_emit_dim pto_emit_product(pto_emitter *e, pto_emit_dim a, pto_emit_dim b) {
    if (!is_open(a) && !is_open(b)) {
        int64_t number;
        if (!__builtin_mul_overflow(a.number, b.number, &number))
            return (pto_emit_dim){NULL, number};
    }
    if (!a.text && a.number == 1)
        return b;
    if (!b.text && b.number == 1)
        return a;
    return (pto_emit_dim){
        pto_arena_printf(e->arena, "%s * %s", pto_emit_dim_text(e, a), pto_emit_dim_text(e, b)), 0};
}

static void fill_left(pto_emitter *e, pto_emit_view *view, int rank) {
    for (int d = 4 - rank; d >= 0; d--) {
        view->shape[d] = (pto_emit_dim){NULL, 1};
        view->stride[d] =
            d == 4 ? (pto_emit_dim){NULL, 1} : pto_emit_product(e, view->shape[d + 1], view->stride[d + 1]);
    }
}

static void make_tensor_view(pto_emitter *e, const pto_operation *op) {
    uint32_t s, t, rank = pto_fact_segment(op, 1, &s);
    pto_fact_segment(op, 2, &t);
    pto_view_facts facts;
    pto_fact_view(op->result[0], &facts);
    pto_emit_view *view = pto_arena_new(e->arena, pto_emit_view);
    *view = (pto_emit_view){.dtype = facts.dtype,
                            .layout = facts.layout,
                            .rank = op->result[0]->type->rank,
                            .base = pto_emit_name(e, op->operand[0])};
    for (uint32_t i = 0; i < rank; i++) {
        view->shape[5 - rank + i] = pto_emit_dim_of(e, op->operand[s + i]);
        view->stride[5 - rank + i] = pto_emit_dim_of(e, op->operand[t + i]);
    }
    fill_left(e, view, (int)rank);
    if (op->operand[0]->type->dtype != view->dtype)
        pto_emit_refuse(e, "%s of another element type than its pointer", pto_op_kind_name(op->kind));
    pto_emit_view_variable(e, pto_emit_new(e, op->result[0], ""), view);
}

/* The offset plus index * stride. */
static void move_view(pto_emitter *e, pto_emit_view *view, int d, pto_emit_dim index) {
    pto_emit_dim step = pto_emit_product(e, index, view->stride[d]);
    if (!step.text && !step.number)
        return;
    const char *text = pto_emit_dim_text(e, step);
    view->offset = view->offset ? pto_arena_printf(e->arena, "%s + %s", view->offset, text) : text;
}

static void partition_view(pto_emitter *e, const pto_operation *op) {
    uint32_t o, s, count = pto_fact_segment(op, 1, &o);
    pto_fact_segment(op, 2, &s);
    const pto_emit_view *source = pto_emit_get(e, op->operand[0])->view;
    pto_emit_view *view = pto_arena_new(e->arena, pto_emit_view);
    if (!source) {
        pto_emit_refuse(e, "%s of what is no view", pto_op_kind_name(op->kind));
        return;
    }
    *view = *source;
    view->rank = op->result[0]->type->rank;
    if (op->result[0]->type->dtype != view->dtype)
        pto_emit_refuse(e, "%s to another element type", pto_op_kind_name(op->kind));
    for (uint32_t i = 0; i < count; i++) {
        int d = (int)(5 - count + i);
        move_view(e, view, d, pto_emit_dim_of(e, op->operand[o + i]));
        view->shape[d] = pto_emit_dim_of(e, op->operand[s + i]);
    }
    pto_emit_view_variable(e, pto_emit_new(e, op->result[0], ""), view);
}

static void view_dim(pto_emitter *e, const pto_operation *op) {
    const pto_emit_value *source = pto_emit_get(e, op->operand[0]);
    int rank = op->operand[0]->type->rank;
    bool stride = op->kind == PTO_OPK_GET_TENSOR_VIEW_STRIDE;
    int64_t dim;
    if (pto_fact_int(op->operand[1], &dim) && dim >= 0 && dim < rank)
        pto_emit_define(
            e, op->result[0], "%s",
            pto_emit_dim_text(e, (stride ? source->view->stride : source->view->shape)[5 - rank + dim]));
    else
        pto_emit_define(e, op->result[0], "%s.%s(%d + static_cast<int>(%s))", source->name,
                        stride ? "GetStride" : "GetShape", 5 - rank, pto_emit_name(e, op->operand[1]));
}

/* ---- tiles ------------------------------------------------------------------------------------------- */

static void set_conv(pto_emitter *e, int32_t number, const pto_conv *conv) {
    const char *name = e->values.data[number].name;
    const pto_conv plain = pto_conv_make(conv->layout, conv->rank, conv->shape);
    const struct {
        const char *property;
        unsigned now, before;
    } fields[] = {{"FmapH", conv->fmap_h, plain.fmap_h},
                  {"FmapW", conv->fmap_w, plain.fmap_w},
                  {"FilterH", conv->filter_h, plain.filter_h},
                  {"FilterW", conv->filter_w, plain.filter_w},
                  {"DilationH", conv->dilation_h, plain.dilation_h},
                  {"DilationW", conv->dilation_w, plain.dilation_w},
                  {"StrideH", conv->stride_h, plain.stride_h},
                  {"StrideW", conv->stride_w, plain.stride_w},
                  {"ChannelSize", conv->channel_size, plain.channel_size},
                  {"RepeatStride", conv->repeat_stride, plain.repeat_stride},
                  {"RepeatTime", conv->repeat_time, plain.repeat_time},
                  {"RepeatMode", conv->repeat_mode, plain.repeat_mode},
                  {"Transpose", conv->transpose, plain.transpose},
                  {"DstStride", conv->dst_stride, plain.dst_stride},
                  {"DstMposition", conv->dst_m_position, plain.dst_m_position}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].now != fields[i].before)
            pto_emit_line_for(e, number, "%s.Set%s(%u);", name, fields[i].property, fields[i].now);
    for (int i = 0; i < 4; i++)
        if (conv->pad_list[i] != plain.pad_list[i])
            pto_emit_line_for(e, number, "%s.SetPadList(%d, %u);", name, i, conv->pad_list[i]);
    if (conv->pad_value == plain.pad_value)
        return;
    e->helpers |= 1u << PTO_HELPER_BITCAST;
    pto_dtype dtype = e->values.data[number].tile.dtype;
    pto_emit_line_for(e, number,
                      "%s.SetPadValue(ptoas_bitcast<%s>(static_cast<uint%u_t>(0x%" PRIx64 "ull)));", name,
                      pto_emit_element(dtype), pto_dtype_bits(dtype), conv->pad_value);
}

void pto_emit_assign(pto_emitter *e, int32_t number, int32_t slot) {
    const pto_code_slot *planned = &e->code->slot[slot];
    if (planned->storage >= 0)
        pto_emit_line_for(e, number, "TASSIGN(%s, 0x%" PRIx64 ");", e->values.data[number].name,
                          e->code->storage[planned->storage].addr);
}

int32_t pto_emit_new_tile(pto_emitter *e, const pto_value *value, const pto_tile_type *type) {
    int32_t number = pto_emit_new(e, value, pto_emit_tile_type(e, type));
    e->values.data[number].tile = *type;
    pto_emit_variable(e, number, NULL);
    if (type->conv)
        set_conv(e, number, type->conv);
    return number;
}

void pto_emit_valid(pto_emitter *e, int32_t number, const char *rows, const char *cols) {
    const pto_emit_value *value = &e->values.data[number];
    const pto_tile_type *type = &value->tile;
    if (type->valid_rows >= 0 && type->valid_cols >= 0)
        return;
    if (type->valid_rows >= 0)
        rows = pto_arena_printf(e->arena, "%d", type->valid_rows);
    if (type->valid_cols >= 0)
        cols = pto_arena_printf(e->arena, "%d", type->valid_cols);
    pto_emit_line_for(e, number, "%s.SetValidShape(static_cast<unsigned>(%s), static_cast<unsigned>(%s));",
                      value->name, rows, cols);
}

static void alloc_tile(pto_emitter *e, const pto_operation *op) {
    const pto_tile_type *type = &op->result[0]->type->tile;
    int32_t slot = pto_emit_slot(e, op->result[0], 0), number = pto_emit_new_tile(e, op->result[0], type);
    uint32_t first;
    int64_t addr;
    if (pto_fact_segment(op, 0, &first) && !pto_fact_int(op->operand[first], &addr)) {
        const char *address = pto_emit_name(e, op->operand[first]);
        pto_emit_line_for(e, number, "TASSIGN(%s, %s);", e->values.data[number].name, address);
    } else if (slot >= 0) {
        pto_emit_assign(e, number, slot);
    }
    const char *rows = pto_arena_printf(e->arena, "%d", type->rows);
    const char *cols = pto_arena_printf(e->arena, "%d", type->cols);
    bool given = false;
    if (pto_fact_segment(op, 1, &first)) {
        rows = pto_emit_name(e, op->operand[first]);
        given = true;
    }
    if (pto_fact_segment(op, 2, &first)) {
        cols = pto_emit_name(e, op->operand[first]);
        given = true;
    }
    if (given)
        pto_emit_valid(e, number, rows, cols);
}

/* Elements from the start of a tile to its element (row, col), in whole boxes. */
static const char *element_offset(pto_emitter *e, const pto_tile_type *from, pto_emit_dim row,
                                  pto_emit_dim col) {
    const bool flat = from->slayout == PTO_NONE_BOX, by_rows = from->blayout == PTO_ROW_MAJOR;
    pto_emit_dim pitch = {NULL, by_rows ? from->cols : from->rows};
    pto_emit_dim major = pto_emit_product(e, by_rows ? row : col, pitch), minor = by_rows ? col : row;
    if (!flat)
        return pto_emit_dim_text(e, major);
    if (!major.text && !minor.text)
        return pto_emit_dim_text(e, (pto_emit_dim){NULL, major.number + minor.number});
    return pto_arena_printf(e->arena, "%s + %s", pto_emit_dim_text(e, major), pto_emit_dim_text(e, minor));
}

/* What is left of a valid extent behind `begin`, at most `size`. */
static const char *rest_of(pto_emitter *e, const char *extent, pto_emit_dim begin, int32_t size) {
    const char *from = pto_emit_dim_text(e, begin);
    return pto_arena_printf(e->arena, "%s > %s ? (%s - %s < %d ? %s - %s : %d) : 0", extent, from, extent,
                            from, size, extent, from, size);
}

static const char *valid_text(pto_emitter *e, const pto_emit_value *tile, bool rows) {
    return pto_arena_printf(e->arena, "static_cast<int64_t>(%s.GetValid%s())", tile->name,
                            rows ? "Row" : "Col");
}

static const char *address_of(pto_emitter *e, const char *name) {
    return pto_arena_printf(e->arena, "reinterpret_cast<uint64_t>(%s.data())", name);
}

static void subset(pto_emitter *e, const pto_operation *op) {
    const pto_tile_type *cut = &op->result[0]->type->tile, type = pto_fact_handle_type(op->result[0]);
    const pto_emit_value source = *pto_emit_get(e, op->operand[0]);
    pto_emit_dim row = pto_emit_dim_of(e, op->operand[1]), col = pto_emit_dim_of(e, op->operand[2]);
    int32_t number = pto_emit_new_tile(e, op->result[0], &type);
    const char *offset = element_offset(e, &source.tile, row, col);
    unsigned bits = pto_dtype_bits(source.tile.dtype);
    const char *bytes = bits < 8 ? pto_arena_printf(e->arena, "(%s) / 2", offset)
                                 : pto_arena_printf(e->arena, "(%s) * %u", offset, bits / 8);
    pto_emit_line_for(e, number, "TASSIGN(%s, %s + %s);", e->values.data[number].name,
                      address_of(e, source.name), bytes);
    if (type.valid_rows >= 0 && type.valid_cols >= 0)
        return;
    pto_emit_valid(e, number, rest_of(e, valid_text(e, &source, true), row, cut->rows),
                   rest_of(e, valid_text(e, &source, false), col, cut->cols));
}

static void bitcast(pto_emitter *e, const pto_operation *op) {
    const pto_tile_type type = pto_fact_handle_type(op->result[0]);
    const pto_emit_value source = *pto_emit_get(e, op->operand[0]);
    int32_t number = pto_emit_new_tile(e, op->result[0], &type);
    pto_emit_line_for(e, number, "TASSIGN(%s, %s);", e->values.data[number].name, address_of(e, source.name));
    if (type.valid_rows < 0 || type.valid_cols < 0)
        pto_emit_valid(e, number, pto_arena_printf(e->arena, "%s.GetValidRow()", source.name),
                       pto_arena_printf(e->arena, "%s.GetValidCol()", source.name));
}

static void set_validshape(pto_emitter *e, const pto_operation *op) {
    pto_emit_get(e, op->operand[0]);
    const int64_t *number = pto_value_map_find(&e->at, op->operand[0]);
    if (number)
        pto_emit_valid(e, (int32_t)*number, pto_emit_name(e, op->operand[1]),
                       pto_emit_name(e, op->operand[2]));
}

/* An element of a tile or a buffer as an lvalue's index. */
static void element_access(pto_emitter *e, const pto_operation *op) {
    const pto_emit_value base = *pto_emit_get(e, op->operand[0]);
    const char *index = pto_emit_name(e, op->operand[1]);
    const pto_type *type = op->operand[0]->type;
    pto_dtype dtype = pto_type_is_tile(type) ? type->tile.dtype : type->dtype;
    if (pto_dtype_bits(dtype) < 8) {
        pto_emit_refuse(e, "%s of 4-bit elements", pto_op_kind_name(op->kind));
        return;
    }
    const char *element = pto_emit_element(dtype);
    switch (op->kind) {
    case PTO_OPK_LOAD_SCALAR:
        pto_emit_define(e, op->result[0], "%s[%s]", base.name, index);
        break;
    case PTO_OPK_STORE_SCALAR:
        pto_emit_line(e, "%s[%s] = static_cast<%s>(%s);", base.name, index, element,
                      pto_emit_name(e, op->operand[2]));
        break;
    case PTO_OPK_TGETVAL:
        pto_emit_define(e, op->result[0], "%s.GetValue(static_cast<uint32_t>(%s))", base.name, index);
        break;
    default:
        pto_emit_line(e, "%s.SetValue(static_cast<uint32_t>(%s), static_cast<%s>(%s));", base.name, index,
                      element, pto_emit_name(e, op->operand[2]));
        break;
    }
}

void pto_emit_tile_op(pto_emitter *e, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_ADDPTR:
        pto_emit_define(e, op->result[0], "%s + %s", pto_emit_name(e, op->operand[0]),
                        halved(e, pto_emit_name(e, op->operand[1]), op->operand[0]->type->dtype));
        break;
    case PTO_OPK_MAKE_TENSOR_VIEW:
        make_tensor_view(e, op);
        break;
    case PTO_OPK_PARTITION_VIEW:
        partition_view(e, op);
        break;
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
        view_dim(e, op);
        break;
    case PTO_OPK_ALLOC_TILE:
        alloc_tile(e, op);
        break;
    case PTO_OPK_SUBSET:
        subset(e, op);
        break;
    case PTO_OPK_BITCAST:
        bitcast(e, op);
        break;
    case PTO_OPK_SET_VALIDSHAPE:
        set_validshape(e, op);
        break;
    default:
        element_access(e, op);
        break;
    }
}
