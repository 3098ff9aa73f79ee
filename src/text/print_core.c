/* SPDX-License-Identifier: Apache-2.0 */
/* Names, types and attributes as text. */
#include "text/print.h"

#include "number/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pto_print_scope {
    pto_print_scope *parent;
    bool isolated;
    pto_map outer; /* names in use outside, when isolated */
    uint32_t outer_number;
    PTO_VEC(pto_str) mine;
};

void pto_print_text(pto_text_printer *t, const char *text) { pto_sink_text(&t->sink, text); }
void pto_print_str(pto_text_printer *t, pto_str text) { pto_sink_put(&t->sink, text.data, text.len); }

void pto_print_newline(pto_text_printer *t) {
    pto_sink_char(&t->sink, '\n', 1);
    pto_sink_char(&t->sink, ' ', (size_t)t->indent * 2);
}

void pto_print_refuse(pto_text_printer *t, const pto_operation *op, const char *format, ...) {
    pto_source *source = t->program->source;
    va_list arguments;
    va_start(arguments, format);
    pto_diag_add_v(t->diags, PTO_ERROR, "PTO-E0250",
                   source && op ? pto_at(source, op->name_span.begin, op->name_span.end) : pto_nowhere(),
                   format, arguments);
    va_end(arguments);
    t->failed = true;
}

/* ---- names --------------------------------------------------------------------------------- */

void pto_print_push_scope(pto_text_printer *t, bool isolated) {
    pto_print_scope *scope = pto_arena_new(&t->arena, pto_print_scope);
    scope->parent = t->scope;
    scope->isolated = isolated;
    if (isolated) {
        scope->outer = t->used;
        scope->outer_number = t->next_number;
        pto_map_init(&t->used, &t->arena);
        t->next_number = 0;
    }
    t->scope = scope;
}

void pto_print_pop_scope(pto_text_printer *t) {
    pto_print_scope *scope = t->scope;
    if (scope->isolated) {
        t->used = scope->outer;
        t->next_number = scope->outer_number;
    } else {
        for (size_t i = 0; i < scope->mine.count; i++)
            pto_map_find(&t->used, scope->mine.data[i])->number = 0;
    }
    t->scope = scope->parent;
}

static bool is_used(const pto_text_printer *t, pto_str name) {
    const pto_map_value *slot = pto_map_find(&t->used, name);
    return slot && slot->number;
}

static void use(pto_text_printer *t, pto_str name) {
    pto_map_insert(&t->used, name, NULL)->number = 1;
    if (t->scope)
        pto_vec_push(&t->arena, &t->scope->mine, name);
}

static void remember(pto_text_printer *t, const pto_value *value, pto_str name) {
    const pto_value **key = pto_arena_alloc(&t->arena, sizeof *key);
    *key = value;
    pto_str *copy = pto_arena_new(&t->arena, pto_str);
    *copy = name;
    pto_map_insert(&t->names, (pto_str){(const char *)key, sizeof *key}, NULL)->pointer = copy;
}

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

/* What the name of a value may be in every form: a letter first or digits alone, no sigils inside. */
static pto_str clean(pto_text_printer *t, pto_str name) {
    bool digits = name.len > 0, good = name.len > 0;
    for (size_t i = 0; i < name.len; i++) {
        digits = digits && name.data[i] >= '0' && name.data[i] <= '9';
        good = good && is_name_char(name.data[i]);
    }
    good = good && (digits || !(name.data[0] >= '0' && name.data[0] <= '9'));
    if (good || name.len == 0)
        return name;
    char *out = pto_arena_alloc(&t->arena, name.len + 2);
    out[0] = '_';
    for (size_t i = 0; i < name.len; i++)
        out[i + 1] = is_name_char(name.data[i]) ? name.data[i] : '_';
    bool prefix =
        !((name.data[0] >= 'a' && name.data[0] <= 'z') || (name.data[0] >= 'A' && name.data[0] <= 'Z'));
    return prefix ? (pto_str){out, name.len + 1} : (pto_str){out + 1, name.len};
}

/* A name that is free: the wish, a number when there is none, or the wish with a number behind. */
static pto_str free_name(pto_text_printer *t, pto_str wish) {
    if (wish.len && !is_used(t, wish))
        return wish;
    for (uint32_t i = wish.len ? 0 : t->next_number;; i++) {
        char *text = wish.len ? pto_arena_printf(&t->arena, "%.*s_%u", PTO_STR_ARG(wish), i)
                              : pto_arena_printf(&t->arena, "%u", i);
        if (is_used(t, pto_str_from(text)))
            continue;
        if (!wish.len)
            t->next_number = i + 1;
        return pto_str_from(text);
    }
}

void pto_print_name_value(pto_text_printer *t, const pto_value *value) {
    pto_str name = free_name(t, clean(t, value->name));
    use(t, name);
    remember(t, value, name);
}

/* Length of the base when the results are base#0 .. base#n-1; 0 otherwise. */
static size_t group_base(const pto_operation *op) {
    pto_str first = op->result_count > 1 ? op->result[0]->name : (pto_str){NULL, 0};
    if (!pto_str_ends_with(first, PTO_STR("#0")))
        return 0;
    size_t base = first.len - 2;
    for (uint32_t i = 0; i < op->result_count; i++) {
        char number[16];
        int len = snprintf(number, sizeof number, "#%u", i);
        pto_str name = op->result[i]->name;
        if (name.len != base + (size_t)len || memcmp(name.data, first.data, base) ||
            memcmp(name.data + base, number, (size_t)len))
            return 0;
    }
    return base;
}

void pto_print_name_results(pto_text_printer *t, const pto_operation *op) {
    size_t base = group_base(op);
    if (!base) {
        for (uint32_t i = 0; i < op->result_count; i++)
            pto_print_name_value(t, op->result[i]);
        return;
    }
    pto_str name = free_name(t, clean(t, pto_str_slice(op->result[0]->name, 0, base)));
    use(t, name);
    for (uint32_t i = 0; i < op->result_count; i++)
        remember(t, op->result[i],
                 pto_str_from(pto_arena_printf(&t->arena, "%.*s#%u", PTO_STR_ARG(name), i)));
}

void pto_print_results(pto_text_printer *t, const pto_operation *op) {
    pto_print_name_results(t, op);
    if (!op->result_count)
        return;
    if (group_base(op)) {
        const pto_value *key = op->result[0];
        const pto_str *name = pto_map_find(&t->names, (pto_str){(const char *)&key, sizeof key})->pointer;
        pto_sink_char(&t->sink, '%', 1);
        pto_print_str(t, pto_str_slice(*name, 0, name->len - 2));
        pto_sink_printf(&t->sink, ":%u", op->result_count);
    } else {
        pto_print_values(t, op->result, op->result_count);
    }
    pto_print_text(t, " = ");
}

void pto_print_value(pto_text_printer *t, const pto_value *value) {
    const pto_map_value *slot =
        value ? pto_map_find(&t->names, (pto_str){(const char *)&value, sizeof value}) : NULL;
    pto_sink_char(&t->sink, '%', 1);
    if (slot)
        pto_print_str(t, *(const pto_str *)slot->pointer);
    else
        pto_print_text(t, "undefined");
}

void pto_print_values(pto_text_printer *t, pto_value *const *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_value(t, values[i]);
    }
}

/* ---- types --------------------------------------------------------------------------------- */

static void extent(pto_text_printer *t, int64_t value) {
    if (value < 0)
        pto_sink_char(&t->sink, '?', 1);
    else
        pto_sink_printf(&t->sink, "%lld", (long long)value);
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
static void tile(pto_text_printer *t, const pto_type *type) {
    static const char *const slayouts[] = {"none_box", "row_major", "col_major"};
    const pto_tile_type *tile = &type->tile;
    pto_sink_printf(&t->sink, "%s, %dx%dx", pto_loc_name(tile->loc), tile->rows, tile->cols);
    pto_print_type(t, type->element);
    if (tile->valid_rows != tile->rows || tile->valid_cols != tile->cols) {
        pto_print_text(t, ", valid=");
        extent(t, tile->valid_rows);
        pto_sink_char(&t->sink, 'x', 1);
        extent(t, tile->valid_cols);
    }
    if (tile->blayout != PTO_ROW_MAJOR)
        pto_print_text(t, ", blayout=col_major");
    if (tile->slayout != PTO_NONE_BOX)
        pto_sink_printf(&t->sink, ", slayout=%s", slayouts[tile->slayout]);
    if (tile->fractal != 512)
        pto_sink_printf(&t->sink, ", fractal=%d", tile->fractal);
    if (tile->pad)
        pto_sink_printf(&t->sink, ", pad=%llu", (unsigned long long)tile->pad);
    if (tile->compact)
        pto_sink_printf(&t->sink, ", compact=%d", (int)tile->compact);
}

static void shape(pto_text_printer *t, const pto_type *type) {
    for (int i = 0; i < type->rank; i++) {
        extent(t, type->dim[i]);
        pto_sink_char(&t->sink, 'x', 1);
    }
    if (type->element)
        pto_print_type(t, type->element);
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

static void bracketed(pto_text_printer *t, const pto_type *type) {
    pto_print_text(t, bracketed_prefix(type));
    if (type->open) {
        pto_print_text(t, "...");
    } else if (type->kind == PTO_TYPE_PTR) {
        pto_print_type(t, type->element);
        if (type->text.len) {
            pto_print_text(t, ", ");
            pto_print_str(t, type->text);
        }
    } else if (type->kind == PTO_TYPE_TILE && !type->layout_given) {
        pto_sink_printf(&t->sink, "%dx%dx", type->tile.rows, type->tile.cols);
        pto_print_type(t, type->element);
    } else if (pto_type_is_tile(type)) {
        tile(t, type);
    } else {
        shape(t, type);
        pto_print_str(t, type->text);
    }
    pto_sink_char(&t->sink, '>', 1);
}

void pto_print_types(pto_text_printer *t, const pto_type *const *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_type(t, types[i]);
    }
}

void pto_print_value_types(pto_text_printer *t, pto_value *const *values, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_type(t, values[i]->type);
    }
}

void pto_print_type_group(pto_text_printer *t, const pto_type *const *types, uint32_t count) {
    bool bare = count == 1 && types[0]->kind != PTO_TYPE_FUNCTION;
    pto_print_text(t, bare ? "" : "(");
    pto_print_types(t, types, count);
    pto_print_text(t, bare ? "" : ")");
}

void pto_print_type(pto_text_printer *t, const pto_type *type) {
    static const char *const prefixes[] = {"i", "si", "ui"};
    if (!type) {
        pto_print_text(t, "none");
        return;
    }
    switch (type->kind) {
    case PTO_TYPE_NONE:
        pto_print_text(t, "none");
        break;
    case PTO_TYPE_INDEX:
        pto_print_text(t, "index");
        break;
    case PTO_TYPE_INT:
        pto_sink_printf(&t->sink, "%s%u", prefixes[type->signedness], type->width);
        break;
    case PTO_TYPE_FLOAT:
        if (type->text.len)
            pto_print_str(t, type->text);
        else
            pto_print_text(t, float_name(type));
        break;
    case PTO_TYPE_EVENT:
        pto_print_text(t, "!pto.event");
        break;
    case PTO_TYPE_OPAQUE:
        pto_print_str(t, type->text);
        break;
    case PTO_TYPE_FUNCTION:
        pto_sink_char(&t->sink, '(', 1);
        pto_print_types(t, type->inputs, type->input_count);
        pto_print_text(t, ") -> ");
        pto_print_type_group(t, type->results, type->result_count);
        break;
    case PTO_TYPE_PTR:
    case PTO_TYPE_TENSOR_VIEW:
    case PTO_TYPE_PARTITION_VIEW:
    case PTO_TYPE_MEMREF:
    case PTO_TYPE_TILE:
    case PTO_TYPE_TILE_BUF:
    case PTO_TYPE_VECTOR:
        bracketed(t, type);
        break;
    }
}

/* ---- attributes ---------------------------------------------------------------------------- */

void pto_print_string(pto_text_printer *t, pto_str text) {
    pto_sink_char(&t->sink, '"', 1);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            pto_sink_printf(&t->sink, "\\%c", c);
        else if (c == '\n')
            pto_print_text(t, "\\n");
        else if (c == '\t')
            pto_print_text(t, "\\t");
        else if (c < 0x20 || c == 0x7f)
            pto_sink_printf(&t->sink, "\\%02X", c);
        else
            pto_sink_char(&t->sink, (char)c, 1);
    }
    pto_sink_char(&t->sink, '"', 1);
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

void pto_print_symbol(pto_text_printer *t, pto_str name) {
    pto_sink_char(&t->sink, '@', 1);
    if (is_bare(name, true))
        pto_print_str(t, name);
    else
        pto_print_string(t, name);
}

/* MLIR wants a point in every float. */
static void decimal(pto_text_printer *t, pto_str digits) {
    size_t e = 0;
    while (e < digits.len && digits.data[e] != 'e' && digits.data[e] != 'E')
        e++;
    pto_print_str(t, pto_str_slice(digits, 0, e));
    if (!memchr(digits.data, '.', e))
        pto_print_text(t, ".0");
    pto_print_str(t, pto_str_slice(digits, e, digits.len));
}

void pto_print_number(pto_text_printer *t, const pto_attr *attr) {
    char buffer[PTO_FORMAT_SIZE];
    if (attr->kind == PTO_AV_BOOL) {
        pto_print_text(t, attr->i ? "true" : "false");
        return;
    }
    if (attr->kind == PTO_AV_INT) {
        bool is_unsigned = attr->type && attr->type->signedness == PTO_UNSIGNED;
        /* A signless i64 may have been written above 2^63: the bits are the same. */
        if (is_unsigned)
            pto_sink_printf(&t->sink, "%llu", (unsigned long long)attr->i);
        else
            pto_sink_printf(&t->sink, "%lld", (long long)attr->i);
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
        pto_sink_printf(&t->sink, "0x%0*llX", (int)((bits + 3) / 4), (unsigned long long)code);
    } else if (dtype == PTO_F32) {
        decimal(t, pto_format_f32((float)attr->f, buffer));
    } else {
        decimal(t, pto_format_f64(attr->f, buffer));
    }
}

void pto_print_named_attr(pto_text_printer *t, pto_str name, const pto_attr *value) {
    if (is_bare(name, false))
        pto_print_str(t, name);
    else
        pto_print_string(t, name);
    if (value->kind == PTO_AV_UNIT)
        return;
    pto_print_text(t, " = ");
    pto_print_attr(t, value);
}

static void dense(pto_text_printer *t, const pto_attr *attr) {
    bool flags = attr->type->kind == PTO_TYPE_INT && attr->type->width == 1;
    pto_print_text(t, "array<");
    pto_print_type(t, attr->type);
    for (uint32_t i = 0; i < attr->count; i++) {
        pto_print_text(t, i ? ", " : ": ");
        if (flags)
            pto_print_text(t, attr->dense[i] ? "true" : "false");
        else
            pto_sink_printf(&t->sink, "%lld", (long long)attr->dense[i]);
    }
    pto_sink_char(&t->sink, '>', 1);
}

static void enum_attr(pto_text_printer *t, const pto_attr *attr) {
    const pto_enum_desc *desc = attr->enum_kind.len ? pto_enum_find(attr->enum_kind) : NULL;
    if (!desc) {
        pto_print_str(t, attr->text);
        return;
    }
    pto_print_text(t, desc->dialect_enum ? "#pto<" : "#pto.");
    pto_print_text(t, desc->name);
    pto_print_text(t, desc->dialect_enum ? " " : "<");
    pto_print_str(t, attr->text);
    pto_sink_char(&t->sink, '>', 1);
}

void pto_print_attr(pto_text_printer *t, const pto_attr *attr) {
    switch (attr->kind) {
    case PTO_AV_UNIT:
        pto_print_text(t, "unit");
        break;
    case PTO_AV_BOOL:
        pto_print_number(t, attr);
        break;
    case PTO_AV_INT:
        pto_print_number(t, attr);
        if (!(attr->type->kind == PTO_TYPE_INT && attr->type->width == 64 &&
              attr->type->signedness == PTO_SIGNLESS)) {
            pto_print_text(t, " : ");
            pto_print_type(t, attr->type);
        }
        break;
    case PTO_AV_FLOAT:
        pto_print_number(t, attr);
        if (attr->type->dtype != PTO_F64 || !isfinite(attr->f)) {
            pto_print_text(t, " : ");
            pto_print_type(t, attr->type);
        }
        break;
    case PTO_AV_STRING:
        pto_print_string(t, attr->text);
        break;
    case PTO_AV_SYMBOL:
        pto_print_symbol(t, attr->text);
        break;
    case PTO_AV_TYPE:
        pto_print_type(t, attr->type);
        break;
    case PTO_AV_ENUM:
        enum_attr(t, attr);
        break;
    case PTO_AV_ARRAY:
        pto_sink_char(&t->sink, '[', 1);
        for (uint32_t i = 0; i < attr->count; i++) {
            pto_print_text(t, i ? ", " : "");
            pto_print_attr(t, attr->items[i]);
        }
        pto_sink_char(&t->sink, ']', 1);
        break;
    case PTO_AV_DICT:
        pto_sink_char(&t->sink, '{', 1);
        for (uint32_t i = 0; i < attr->count; i++) {
            pto_print_text(t, i ? ", " : "");
            pto_print_named_attr(t, attr->entries[i].name, attr->entries[i].value);
        }
        pto_sink_char(&t->sink, '}', 1);
        break;
    case PTO_AV_DENSE:
        dense(t, attr);
        break;
    case PTO_AV_OPAQUE:
        pto_print_str(t, attr->text);
        if (attr->type) {
            pto_print_text(t, " : ");
            pto_print_type(t, attr->type);
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

void pto_print_attr_dict(pto_text_printer *t, const pto_operation *op, const char *but) {
    bool any = false;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (in_list(but, op->attr[i].name))
            continue;
        pto_print_text(t, any ? ", " : " {");
        any = true;
        pto_print_named_attr(t, op->attr[i].name, op->attr[i].value);
    }
    pto_print_text(t, any ? "}" : "");
}
