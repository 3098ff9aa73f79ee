/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution tiles in text (60, 3.4): `!pto.conv_tile<mat, NC1HWC0, 1x2x8x8x16xf16, filter_h = 3>`. The
 * parameters belong to the type; at level 2 they are written as attributes of pto.alloc_conv_tile, and a use
 * may leave them out. */
#include "isa/conv.h"
#include "text/parser.h"
#include "text/print.h"

#include <pto/number.h>

#include <math.h>
#include <string.h>

/* The parameters that are plain numbers. */
static const struct {
    const char *name;
    size_t offset, size;
} numbers[] = {
#define NUMBER(name)                                                                                         \
    { #name, offsetof(pto_conv, name), sizeof(((pto_conv *)NULL)->name) }
    NUMBER(fmap_h),       NUMBER(fmap_w),        NUMBER(filter_h),    NUMBER(filter_w),
    NUMBER(dilation_h),   NUMBER(dilation_w),    NUMBER(stride_h),    NUMBER(stride_w),
    NUMBER(channel_size), NUMBER(repeat_stride), NUMBER(repeat_time), NUMBER(repeat_mode),
    NUMBER(dst_stride),   NUMBER(dst_m_position)
#undef NUMBER
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static unsigned number_get(const pto_conv *conv, size_t i) {
    uint16_t wide = 0;
    uint8_t narrow = 0;
    if (numbers[i].size == 1)
        memcpy(&narrow, (const char *)conv + numbers[i].offset, 1);
    else
        memcpy(&wide, (const char *)conv + numbers[i].offset, 2);
    return numbers[i].size == 1 ? narrow : wide;
}

static void number_set(pto_conv *conv, size_t i, unsigned value) {
    uint16_t wide = (uint16_t)value;
    uint8_t narrow = (uint8_t)value;
    if (numbers[i].size == 1)
        memcpy((char *)conv + numbers[i].offset, &narrow, 1);
    else
        memcpy((char *)conv + numbers[i].offset, &wide, 2);
}

/* ---- parsing ----------------------------------------------------------------------------------------- */

static bool is_int(const pto_attr *attr, int64_t least, int64_t most) {
    return attr->kind == PTO_AV_INT && attr->i >= least && attr->i <= most;
}

static bool set_pad_list(pto_conv *conv, const pto_attr *attr) {
    bool array = attr->kind == PTO_AV_ARRAY;
    if ((!array && attr->kind != PTO_AV_DENSE) || attr->count != 4)
        return false;
    for (int i = 0; i < 4; i++) {
        int64_t value = array ? attr->items[i]->i : attr->dense[i];
        if ((array && attr->items[i]->kind != PTO_AV_INT) || value < 0 || value > UINT8_MAX)
            return false;
        conv->pad_list[i] = (uint8_t)value;
    }
    return true;
}

/* A number of the element type; an integer is the bits of a float. */
static bool set_pad_value(pto_conv *conv, pto_dtype dtype, const pto_attr *attr) {
    unsigned bits = pto_dtype_bits(dtype);
    uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (attr->kind == PTO_AV_FLOAT && pto_dtype_is_float(dtype)) {
        conv->pad_value = pto_number_from_double(dtype, attr->f, PTO_CAST_RINT, false) & mask;
        return true;
    }
    if (attr->kind != PTO_AV_INT)
        return false;
    conv->pad_value = (uint64_t)attr->i & mask;
    int64_t least = pto_dtype_is_signed(dtype) && bits < 64 ? -(INT64_C(1) << (bits - 1)) : 0;
    return bits >= 64 || (attr->i >= least && (uint64_t)(attr->i < 0 ? 0 : attr->i) <= mask);
}

/* 1 = set, 0 = no parameter has the name, -1 = the value is none of it. */
static int set_parameter(pto_conv *conv, pto_dtype dtype, pto_str name, const pto_attr *attr) {
    for (size_t i = 0; i < NUMBERS; i++)
        if (pto_str_equal(name, pto_str_from(numbers[i].name))) {
            if (!is_int(attr, 0, numbers[i].size == 1 ? UINT8_MAX : UINT16_MAX))
                return -1;
            number_set(conv, i, (unsigned)attr->i);
            return 1;
        }
    if (pto_str_equal(name, PTO_STR("pad_list")))
        return set_pad_list(conv, attr) ? 1 : -1;
    if (pto_str_equal(name, PTO_STR("pad_value")))
        return set_pad_value(conv, dtype, attr) ? 1 : -1;
    if (!pto_str_equal(name, PTO_STR("transpose")))
        return 0;
    conv->transpose = attr->kind == PTO_AV_UNIT || attr->i != 0;
    return attr->kind == PTO_AV_BOOL || attr->kind == PTO_AV_UNIT ? 1 : -1;
}

static void bad_parameter(pto_text_parser *p, pto_span span, pto_str name) {
    pto_text_error(p, "PTO-E0231", span, "this is no value of the convolution parameter '%.*s'",
                   PTO_STR_ARG(name));
}

static bool parse_parameter(pto_text_parser *p, pto_conv *conv, pto_dtype dtype) {
    pto_token name = p->token;
    if (!pto_text_accept_kind(p, PTO_TOKEN_WORD) || !pto_text_expect(p, '=', "after the parameter"))
        return pto_text_fail(p, "'parameter = value'");
    uint32_t begin = p->token.begin;
    const pto_attr *attr = pto_text_parse_attr(p, NULL);
    if (!attr)
        return false;
    int done = set_parameter(conv, dtype, name.text, attr);
    if (done < 0)
        bad_parameter(p, pto_text_since(p, begin), name.text);
    else if (done == 0)
        pto_text_error(p, "PTO-E0231", pto_text_span(name), "a convolution tile has no parameter '%.*s'",
                       PTO_STR_ARG(name.text));
    return true;
}

static bool parse_loc(pto_text_parser *p, pto_loc *loc) {
    for (int i = 0; i < PTO_LOC_COUNT; i++)
        if (pto_text_at_word(p, pto_loc_name((pto_loc)i))) {
            *loc = (pto_loc)i;
            pto_text_take(p);
            return true;
        }
    return pto_text_fail(p, "a location");
}

const pto_type *pto_text_parse_conv(pto_text_parser *p) {
    pto_type type = {.kind = PTO_TYPE_TILE_BUF, .layout_given = true};
    pto_loc loc = PTO_LOC_MAT;
    pto_layout layout = PTO_LAYOUT_ND;
    if (!pto_text_expect(p, '<', "after the name of the type") || !parse_loc(p, &loc) ||
        !pto_text_expect(p, ',', "after the location"))
        return NULL;
    pto_token tag = p->token;
    if (!pto_text_accept_kind(p, PTO_TOKEN_WORD) ||
        !pto_layout_from_name(tag.text.data, tag.text.len, &layout)) {
        pto_text_fail_at(p, "PTO-E0231", pto_text_span(tag), "a convolution layout stands here");
        return NULL;
    }
    int64_t dim[PTO_CONV_DIMS];
    int rank;
    if (!pto_text_expect(p, ',', "after the layout"))
        return NULL;
    uint32_t begin = p->token.begin;
    if (!pto_text_parse_dims(p, dim, PTO_CONV_DIMS, &rank))
        return NULL;
    pto_span dims = {begin, p->token.begin};
    type.element = pto_text_parse_type(p);
    if (!type.element)
        return NULL;
    type.dtype = pto_type_dtype(type.element);
    if (type.element->kind != PTO_TYPE_INT && type.element->kind != PTO_TYPE_FLOAT)
        pto_text_error(p, "PTO-E0231", dims, "the element type of a tile is an integer or a float type");
    int32_t shape[PTO_CONV_DIMS] = {0};
    bool bad = rank > PTO_CONV_DIMS;
    for (int i = 0; i < rank && i < PTO_CONV_DIMS; i++) {
        if (dim[i] < 0 || dim[i] > INT32_MAX) {
            if (!bad)
                pto_text_error(p, "PTO-E0231", dims,
                               "the dimensions of a convolution tile are static, 0 to 2^31 - 1");
            bad = true;
        }
        shape[i] = bad ? 1 : (int32_t)dim[i];
    }
    pto_conv conv = pto_conv_make(layout, rank, shape);
    while (pto_text_accept(p, ','))
        if (!parse_parameter(p, &conv, type.dtype))
            return NULL;
    if (!pto_text_expect(p, '>', "after the parameters"))
        return NULL;
    type.tile = pto_tile_type_conv(loc, type.dtype, &conv);
    return pto_type_intern(p->program, &type);
}

const pto_type *pto_text_conv_take_attrs(pto_text_parser *p, pto_operation *op, const pto_type *type) {
    if (!type || !pto_type_is_tile(type) || type->open || !type->tile.conv)
        return type;
    pto_conv conv = *type->tile.conv;
    for (uint32_t i = 0; i < op->attr_count;) {
        pto_str name = op->attr[i].name;
        int done = set_parameter(&conv, type->dtype, name, op->attr[i].value);
        if (done < 0)
            bad_parameter(p, op->name_span, name);
        if (done == 0) {
            i++;
            continue;
        }
        char text[32] = {0};
        memcpy(text, name.data, name.len < sizeof text ? name.len : sizeof text - 1);
        pto_operation_remove_attr(op, text);
    }
    pto_type changed = *type;
    changed.tile.conv = &conv;
    return pto_type_intern(p->program, &changed);
}

bool pto_text_conv_fits(const pto_type *definition, const pto_type *use) {
    if (!definition->tile.conv || !use->tile.conv || definition->dtype != use->dtype ||
        definition->tile.loc != use->tile.loc || definition->tile.cols != use->tile.cols)
        return false;
    /* a use that gives no parameters means those of the definition */
    const pto_conv *own = definition->tile.conv, *written = use->tile.conv;
    pto_conv plain = pto_conv_make(own->layout, own->rank, own->shape);
    return pto_conv_equal(own, written) || pto_conv_equal(&plain, written);
}

/* ---- in SSA text the type is that of a value ---------------------------------------------------------- */

static const pto_type *value_type(pto_program *program, const pto_type *type) {
    if (!type)
        return NULL;
    if (type->kind == PTO_TYPE_TILE_BUF && !type->open && type->tile.conv) {
        pto_type value = *type;
        value.kind = PTO_TYPE_TILE;
        return pto_type_intern(program, &value);
    }
    return type;
}

static const pto_type *function_type(pto_program *program, const pto_type *type) {
    const pto_type **types =
        pto_arena_array(program->arena, (size_t)type->input_count + type->result_count + 1, sizeof *types);
    for (uint32_t i = 0; i < type->input_count; i++)
        types[i] = value_type(program, type->inputs[i]);
    for (uint32_t i = 0; i < type->result_count; i++)
        types[type->input_count + i] = value_type(program, type->results[i]);
    return pto_type_function(program, types, type->input_count, types + type->input_count,
                             type->result_count);
}

static void settle(pto_program *program, pto_operation *op) {
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->result[i])
            op->result[i]->type = value_type(program, op->result[i]->type);
    const pto_attr *signature = op->kind == PTO_OPK_FUNC ? pto_operation_attr(op, "function_type") : NULL;
    if (signature && signature->type && signature->type->kind == PTO_TYPE_FUNCTION)
        pto_operation_set_attr(program, op, PTO_STR("function_type"),
                               pto_attr_type(program, function_type(program, signature->type)));
    for (uint32_t r = 0; r < op->region_count; r++)
        for (pto_block *block = op->region[r] ? op->region[r]->first : NULL; block; block = block->next) {
            for (uint32_t i = 0; i < block->arg_count; i++)
                block->arg[i]->type = value_type(program, block->arg[i]->type);
            for (pto_operation *inner = block->first; inner; inner = inner->next)
                settle(program, inner);
        }
}

void pto_text_conv_settle(pto_program *program) {
    if (program->dialect == PTO_DIALECT_AS || program->dialect == PTO_DIALECT_LEVEL1)
        settle(program, program->module);
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static void print_pad_value(pto_sink *s, const pto_conv *conv, pto_dtype dtype) {
    if (!pto_dtype_is_float(dtype)) {
        unsigned bits = pto_dtype_bits(dtype);
        uint64_t sign = UINT64_C(1) << (bits - 1), value = conv->pad_value;
        bool negative = pto_dtype_is_signed(dtype) && (value & sign);
        pto_sink_printf(s, "%lld", (long long)(negative ? (int64_t)(value | ~(sign - 1)) : (int64_t)value));
        return;
    }
    double value = pto_number_to_double(dtype, conv->pad_value);
    bool plain =
        isfinite(value) && pto_number_from_double(dtype, value, PTO_CAST_RINT, false) == conv->pad_value;
    if (plain)
        pto_text_print_number(s, &(pto_attr){.kind = PTO_AV_FLOAT, .f = value});
    else
        pto_sink_printf(s, "0x%llX", (unsigned long long)conv->pad_value);
}

bool pto_text_print_conv_parameters(pto_sink *s, const pto_type *type, const char *open) {
    const pto_conv *conv = type->tile.conv;
    const pto_conv plain = pto_conv_make(conv->layout, conv->rank, conv->shape);
    const char *before = open;
    for (size_t i = 0; i < NUMBERS; i++)
        if (number_get(conv, i) != number_get(&plain, i)) {
            pto_sink_printf(s, "%s%s = %u", before, numbers[i].name, number_get(conv, i));
            before = ", ";
        }
    if (memcmp(conv->pad_list, plain.pad_list, sizeof plain.pad_list)) {
        const uint8_t *pad = conv->pad_list;
        pto_sink_printf(s, "%spad_list = [%u, %u, %u, %u]", before, pad[0], pad[1], pad[2], pad[3]);
        before = ", ";
    }
    if (conv->pad_value) {
        pto_sink_printf(s, "%spad_value = ", before);
        print_pad_value(s, conv, type->dtype);
        before = ", ";
    }
    if (conv->transpose) {
        pto_sink_printf(s, "%stranspose = true", before);
        before = ", ";
    }
    return before != open;
}

void pto_text_print_conv(pto_sink *s, const pto_type *type, bool parameters) {
    const pto_conv *conv = type->tile.conv;
    pto_sink_printf(s, "!pto.conv_tile<%s, %s, ", pto_loc_name(type->tile.loc),
                    pto_layout_name(conv->layout));
    for (int32_t i = 0; i < conv->rank; i++)
        pto_sink_printf(s, "%dx", conv->shape[i]);
    pto_text_print_type(s, type->element);
    if (parameters)
        pto_text_print_conv_parameters(s, type, ", ");
    pto_sink_char(s, '>', 1);
}
