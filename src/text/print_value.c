/* SPDX-License-Identifier: Apache-2.0 */
/* Types and attributes as text (60, 3.4, 3.5, 3.7). */
#include "text/print.h"

#include "number/format.h"

#include <math.h>
#include <string.h>

static void put(pto_sink *s, pto_str text) { pto_sink_put(s, text.data, text.len); }

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

/* ---- types --------------------------------------------------------------------------------- */

static void extent(pto_sink *s, int64_t value) {
    if (value < 0)
        pto_sink_char(s, '?', 1);
    else
        pto_sink_printf(s, "%lld", (long long)value);
}

static const char *float_name(const pto_type *type) {
    switch (type->dtype) {
    case PTO_E4M3:
        return "f8E4M3FN";
    case PTO_E5M2:
        return "f8E5M2";
    case PTO_E8M0:
        return "f8E8M0FNU";
    case PTO_E2M1:
        return "f4E2M1FN";
    case PTO_E1M2:
        return "f4E1M2";
    default:
        return pto_dtype_name(type->dtype);
    }
}

/* Compact spelling: everything that equals its default is left out (60, 3.4). */
static void tile(pto_sink *s, const pto_type *type) {
    static const char *const slayouts[] = {"none_box", "row_major", "col_major"};
    const pto_tile_type *tile = &type->tile;
    pto_sink_printf(s, "%s, %dx%dx", pto_loc_name(tile->loc), tile->rows, tile->cols);
    pto_text_print_type(s, type->element);
    if (tile->valid_rows != tile->rows || tile->valid_cols != tile->cols) {
        pto_sink_text(s, ", valid=");
        extent(s, tile->valid_rows);
        pto_sink_char(s, 'x', 1);
        extent(s, tile->valid_cols);
    }
    if (tile->blayout != PTO_ROW_MAJOR)
        pto_sink_text(s, ", blayout=col_major");
    if (tile->slayout != PTO_NONE_BOX)
        pto_sink_printf(s, ", slayout=%s", slayouts[tile->slayout]);
    if (tile->fractal != 512)
        pto_sink_printf(s, ", fractal=%d", tile->fractal);
    if (tile->pad)
        pto_sink_printf(s, ", pad=%llu", (unsigned long long)tile->pad);
    if (tile->compact)
        pto_sink_printf(s, ", compact=%d", (int)tile->compact);
}

static void shape(pto_sink *s, const pto_type *type) {
    for (int i = 0; i < type->rank; i++) {
        extent(s, type->dim[i]);
        pto_sink_char(s, 'x', 1);
    }
    if (type->element)
        pto_text_print_type(s, type->element);
}

static const char *bracketed_prefix(const pto_type *type) {
    switch (type->kind) {
    case PTO_TYPE_PTR:
        return "!pto.ptr<";
    case PTO_TYPE_TENSOR_VIEW:
        return "!pto.tensor_view<";
    case PTO_TYPE_PARTITION_VIEW:
        return "!pto.partition_tensor_view<";
    case PTO_TYPE_MEMREF:
        return type->memref == PTO_MEMREF_BUILTIN ? "memref<"
               : type->memref == PTO_MEMREF_PTO   ? "!pto.memref<"
                                                  : "!pto.global<";
    case PTO_TYPE_TILE:
        return "!pto.tile<";
    case PTO_TYPE_TILE_BUF:
        return "!pto.tile_buf<";
    default:
        return "vector<";
    }
}

static void bracketed(pto_sink *s, const pto_type *type) {
    pto_sink_text(s, bracketed_prefix(type));
    if (type->open) {
        pto_sink_text(s, "...");
    } else if (type->kind == PTO_TYPE_PTR) {
        pto_text_print_type(s, type->element);
        if (type->text.len) {
            pto_sink_text(s, ", ");
            put(s, type->text);
        }
    } else if (type->kind == PTO_TYPE_TILE && !type->layout_given) {
        pto_sink_printf(s, "%dx%dx", type->tile.rows, type->tile.cols);
        pto_text_print_type(s, type->element);
    } else if (pto_type_is_tile(type)) {
        tile(s, type);
    } else {
        shape(s, type);
        put(s, type->text);
    }
    pto_sink_char(s, '>', 1);
}

void pto_text_print_types(pto_sink *s, const pto_type *const *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_sink_text(s, i ? ", " : "");
        pto_text_print_type(s, types[i]);
    }
}

void pto_text_print_type_group(pto_sink *s, const pto_type *const *types, uint32_t count) {
    bool bare = count == 1 && types[0]->kind != PTO_TYPE_FUNCTION;
    pto_sink_text(s, bare ? "" : "(");
    pto_text_print_types(s, types, count);
    pto_sink_text(s, bare ? "" : ")");
}

void pto_text_print_type(pto_sink *s, const pto_type *type) {
    static const char *const prefixes[] = {"i", "si", "ui"};
    if (!type) {
        pto_sink_text(s, "none");
        return;
    }
    switch (type->kind) {
    case PTO_TYPE_NONE:
        pto_sink_text(s, "none");
        break;
    case PTO_TYPE_INDEX:
        pto_sink_text(s, "index");
        break;
    case PTO_TYPE_INT:
        pto_sink_printf(s, "%s%u", prefixes[type->signedness], type->width);
        break;
    case PTO_TYPE_FLOAT:
        if (type->text.len)
            put(s, type->text);
        else
            pto_sink_text(s, float_name(type));
        break;
    case PTO_TYPE_EVENT:
        pto_sink_text(s, "!pto.event");
        break;
    case PTO_TYPE_OPAQUE:
        put(s, type->text);
        break;
    case PTO_TYPE_FUNCTION:
        pto_sink_char(s, '(', 1);
        pto_text_print_types(s, type->inputs, type->input_count);
        pto_sink_text(s, ") -> ");
        pto_text_print_type_group(s, type->results, type->result_count);
        break;
    case PTO_TYPE_PTR:
    case PTO_TYPE_TENSOR_VIEW:
    case PTO_TYPE_PARTITION_VIEW:
    case PTO_TYPE_MEMREF:
    case PTO_TYPE_TILE:
    case PTO_TYPE_TILE_BUF:
    case PTO_TYPE_VECTOR:
        if (pto_type_is_tile(type) && !type->open && type->tile.conv)
            pto_text_print_conv(s, type, true);
        else
            bracketed(s, type);
        break;
    }
}

/* ---- attributes ---------------------------------------------------------------------------- */

void pto_text_print_string(pto_sink *s, pto_str text) {
    pto_sink_char(s, '"', 1);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            pto_sink_printf(s, "\\%c", c);
        else if (c == '\n')
            pto_sink_text(s, "\\n");
        else if (c == '\t')
            pto_sink_text(s, "\\t");
        else if (c < 0x20 || c == 0x7f)
            pto_sink_printf(s, "\\%02X", c);
        else
            pto_sink_char(s, (char)c, 1);
    }
    pto_sink_char(s, '"', 1);
}

static bool is_bare(pto_str name, bool symbol) {
    if (!name.len || (name.data[0] >= '0' && name.data[0] <= '9') || name.data[0] == '.' ||
        name.data[0] == '$' || name.data[name.len - 1] == '.')
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!is_name_char(name.data[i]) && !(symbol && name.data[i] == '-' && i + 1 < name.len))
            return false;
    return true;
}

void pto_text_print_symbol(pto_sink *s, pto_str name) {
    pto_sink_char(s, '@', 1);
    if (is_bare(name, true))
        put(s, name);
    else
        pto_text_print_string(s, name);
}

/* MLIR wants a point in every float. */
static void decimal(pto_sink *s, pto_str digits) {
    size_t e = 0;
    while (e < digits.len && digits.data[e] != 'e' && digits.data[e] != 'E')
        e++;
    put(s, pto_str_slice(digits, 0, e));
    if (!memchr(digits.data, '.', e))
        pto_sink_text(s, ".0");
    put(s, pto_str_slice(digits, e, digits.len));
}

void pto_text_print_number(pto_sink *s, const pto_attr *attr) {
    char buffer[PTO_FORMAT_SIZE];
    if (attr->kind == PTO_AV_BOOL) {
        pto_sink_text(s, attr->i ? "true" : "false");
        return;
    }
    if (attr->kind == PTO_AV_INT) {
        bool is_unsigned = attr->type && attr->type->signedness == PTO_UNSIGNED;
        /* A signless i64 may have been written above 2^63: the bits are the same. */
        if (is_unsigned)
            pto_sink_printf(s, "%llu", (unsigned long long)attr->i);
        else
            pto_sink_printf(s, "%lld", (long long)attr->i);
        return;
    }
    pto_dtype dtype = attr->type ? attr->type->dtype : PTO_F64;
    pto_format format = pto_format_of_dtype(dtype);
    unsigned bits = pto_dtype_bits(dtype);
    if (!isfinite(attr->f) && bits) {
        uint64_t code = (uint64_t)attr->i;
        if (!code && bits == 64)
            memcpy(&code, &attr->f, sizeof code);
        else if (!code && format != PTO_FORMAT_COUNT)
            code = pto_number_encode_f64(format, attr->f, PTO_CAST_RINT, false);
        pto_sink_printf(s, "0x%0*llX", (int)((bits + 3) / 4), (unsigned long long)code);
    } else if (dtype == PTO_F32) {
        decimal(s, pto_format_f32((float)attr->f, buffer));
    } else {
        decimal(s, pto_format_f64(attr->f, buffer));
    }
}

void pto_text_print_key(pto_sink *s, pto_str key) {
    if (is_bare(key, false))
        put(s, key);
    else
        pto_text_print_string(s, key);
}

void pto_text_print_named_attr(pto_sink *s, const pto_named_attr *named) {
    const pto_attr *value = named->value;
    pto_text_print_key(s, named->name);
    if (value->kind == PTO_AV_UNIT)
        return;
    pto_sink_text(s, " = ");
    pto_text_print_attr(s, value);
}

static void dense(pto_sink *s, const pto_attr *attr) {
    bool flags = attr->type->kind == PTO_TYPE_INT && attr->type->width == 1;
    pto_sink_text(s, "array<");
    pto_text_print_type(s, attr->type);
    for (uint32_t i = 0; i < attr->count; i++) {
        pto_sink_text(s, i ? ", " : ": ");
        if (flags)
            pto_sink_text(s, attr->dense[i] ? "true" : "false");
        else
            pto_sink_printf(s, "%lld", (long long)attr->dense[i]);
    }
    pto_sink_char(s, '>', 1);
}

static void enum_attr(pto_sink *s, const pto_attr *attr) {
    const pto_enum_desc *desc = attr->enum_kind.len ? pto_enum_find(attr->enum_kind) : NULL;
    if (!desc) {
        put(s, attr->text);
        return;
    }
    pto_sink_text(s, desc->dialect_enum ? "#pto<" : "#pto.");
    pto_sink_text(s, desc->name);
    pto_sink_text(s, desc->dialect_enum ? " " : "<");
    put(s, attr->text);
    pto_sink_char(s, '>', 1);
}

void pto_text_print_attr(pto_sink *s, const pto_attr *attr) {
    switch (attr->kind) {
    case PTO_AV_UNIT:
        pto_sink_text(s, "unit");
        break;
    case PTO_AV_BOOL:
        pto_text_print_number(s, attr);
        break;
    case PTO_AV_INT:
        pto_text_print_number(s, attr);
        if (!(attr->type->kind == PTO_TYPE_INT && attr->type->width == 64 &&
              attr->type->signedness == PTO_SIGNLESS)) {
            pto_sink_text(s, " : ");
            pto_text_print_type(s, attr->type);
        }
        break;
    case PTO_AV_FLOAT:
        pto_text_print_number(s, attr);
        if (attr->type->dtype != PTO_F64 || !isfinite(attr->f)) {
            pto_sink_text(s, " : ");
            pto_text_print_type(s, attr->type);
        }
        break;
    case PTO_AV_STRING:
        pto_text_print_string(s, attr->text);
        break;
    case PTO_AV_SYMBOL:
        pto_text_print_symbol(s, attr->text);
        break;
    case PTO_AV_TYPE:
        pto_text_print_type(s, attr->type);
        break;
    case PTO_AV_ENUM:
        enum_attr(s, attr);
        break;
    case PTO_AV_ARRAY:
        pto_sink_char(s, '[', 1);
        for (uint32_t i = 0; i < attr->count; i++) {
            pto_sink_text(s, i ? ", " : "");
            pto_text_print_attr(s, attr->items[i]);
        }
        pto_sink_char(s, ']', 1);
        break;
    case PTO_AV_DICT:
        pto_sink_char(s, '{', 1);
        for (uint32_t i = 0; i < attr->count; i++) {
            pto_sink_text(s, i ? ", " : "");
            pto_text_print_named_attr(s, &attr->entries[i]);
        }
        pto_sink_char(s, '}', 1);
        break;
    case PTO_AV_DENSE:
        dense(s, attr);
        break;
    case PTO_AV_OPAQUE:
        put(s, attr->text);
        if (attr->type) {
            pto_sink_text(s, " : ");
            pto_text_print_type(s, attr->type);
        }
        break;
    }
}

static bool in_list(const char *list, pto_str name) {
    for (const char *at = list; at && *at;) {
        size_t len = strcspn(at, " ");
        if (pto_str_equal(name, (pto_str){at, len}))
            return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

bool pto_text_print_attr_dict(pto_sink *s, const pto_operation *op, const char *but, const char *open) {
    bool any = false;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (in_list(but, op->attr[i].name))
            continue;
        pto_sink_text(s, any ? ", " : open);
        any = true;
        pto_text_print_named_attr(s, &op->attr[i]);
    }
    pto_sink_text(s, any ? "}" : "");
    return any;
}

void pto_text_print_attrs(pto_sink *s, const pto_operation *op) {
    pto_text_print_attr_dict(s, op, NULL, "{");
}
