/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: literals, both families of enums, dictionaries (60, 1.5, 3.1, 3.2, 3.5). */
#include "text/parser.h"

#include "number/format.h"

#include <math.h>
#include <string.h>

pto_str pto_text_unescape(pto_text_parser *p, pto_token string) {
    pto_str raw = pto_str_slice(string.text, 1, string.text.len - 1);
    if (!memchr(raw.data, '\\', raw.len))
        return raw;
    char *out = pto_arena_alloc(p->arena, raw.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < raw.len; i++) {
        char c = raw.data[i];
        if (c != '\\' || i + 1 == raw.len) {
            out[len++] = c;
            continue;
        }
        c = raw.data[++i];
        uint64_t code;
        char hex[5] = "0x";
        if (c == 'n') {
            out[len++] = '\n';
        } else if (c == 't') {
            out[len++] = '\t';
        } else if (c == '"' || c == '\\') {
            out[len++] = c;
        } else if (i + 1 < raw.len && (memcpy(hex + 2, raw.data + i, 2), 1) &&
                   pto_str_parse_u64((pto_str){hex, 4}, &code) == PTO_PARSE_OK) {
            out[len++] = (char)(unsigned char)code;
            i++;
        } else {
            pto_text_error(p, "PTO-E0202", pto_text_span(string),
                           "'\\%c' is no escape: use \\n, \\t, \\\", \\\\ or two hexadecimal digits", c);
        }
    }
    return (pto_str){out, len};
}

/* ---- numbers ------------------------------------------------------------------------------- */

bool pto_text_parse_int(pto_text_parser *p, int64_t *value) {
    uint32_t begin = p->token.begin;
    bool negative = pto_text_accept(p, '-');
    if (p->token.kind != PTO_TOKEN_INT)
        return pto_text_fail(p, "an integer");
    pto_token token = pto_text_take(p);
    uint64_t magnitude;
    bool fits = pto_str_parse_u64(token.text, &magnitude) == PTO_PARSE_OK &&
                magnitude <= (uint64_t)INT64_MAX + negative;
    if (!fits) {
        pto_text_error(p, "PTO-E0232", pto_text_since(p, begin), "the integer does not fit 64 bits");
        magnitude = 0;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

static const pto_attr *integer(pto_text_parser *p, bool negative, pto_token token, const pto_type *type,
                               pto_span span) {
    uint64_t magnitude;
    bool fits = pto_str_parse_u64(token.text, &magnitude) == PTO_PARSE_OK;
    uint32_t width = type->kind == PTO_TYPE_INT ? type->width : 64;
    uint64_t most = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t least = width >= 64 ? UINT64_C(1) << 63 : UINT64_C(1) << (width - 1);
    if (type->kind == PTO_TYPE_INDEX || type->signedness == PTO_SIGNED)
        most = least - 1;
    if (type->kind == PTO_TYPE_INT && type->signedness == PTO_UNSIGNED)
        least = 0;
    if (!fits || magnitude > (negative ? least : most)) {
        pto_text_error(p, "PTO-E0232", span, "the integer does not fit its type");
        magnitude = 0;
    }
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    /* One representation for one pattern of bits: 255 : i8 is -1. */
    if (width < 64 && type->signedness != PTO_UNSIGNED && (bits & (UINT64_C(1) << (width - 1))))
        bits |= ~UINT64_C(0) << (width - 1);
    if (width == 1)
        return pto_attr_bool(p->program, bits & 1);
    return pto_attr_int(p->program, (int64_t)bits, type);
}

static const pto_attr *floating(pto_text_parser *p, bool negative, pto_token token, const pto_type *type,
                                pto_span span) {
    bool hex = token.kind == PTO_TOKEN_INT && token.text.len > 2 && (token.text.data[1] | 0x20) == 'x';
    if (hex) {
        uint64_t bits;
        unsigned width = pto_dtype_bits(type->dtype);
        pto_format format = pto_format_of_dtype(type->dtype);
        if (pto_str_parse_u64(token.text, &bits) != PTO_PARSE_OK || negative || width == 0 ||
            format == PTO_FORMAT_COUNT || (width < 64 && bits >> width)) {
            pto_text_error(p, "PTO-E0232", span, "the bit pattern does not fit its type");
            bits = 0;
        }
        double value = 0;
        if (width == 64)
            memcpy(&value, &bits, sizeof value);
        else if (width)
            value = pto_number_to_f64(format, bits);
        pto_attr *attr = pto_arena_new(p->arena, pto_attr);
        *attr = (pto_attr){.kind = PTO_AV_FLOAT, .type = type, .f = isnan(value) ? 0 : value};
        if (isnan(value)) {
            attr->f = (double)NAN;
            attr->i = (int64_t)bits;
        }
        return attr;
    }
    double value;
    float single;
    if (type->dtype == PTO_F32) {
        pto_str_parse_f32(token.text, &single);
        value = (double)single;
    } else {
        pto_str_parse_f64(token.text, &value);
    }
    return pto_attr_float(p->program, negative ? -value : value, type);
}

const pto_attr *pto_text_parse_number(pto_text_parser *p, const pto_type *type) {
    uint32_t begin = p->token.begin;
    bool negative = pto_text_accept(p, '-');
    if (p->token.kind != PTO_TOKEN_INT && p->token.kind != PTO_TOKEN_FLOAT) {
        pto_text_fail(p, "a number");
        return NULL;
    }
    pto_token token = pto_text_take(p);
    pto_span span = pto_text_since(p, begin);
    if (!type && pto_text_accept(p, ':')) {
        type = pto_text_parse_type(p);
        if (!type)
            return NULL;
    }
    if (!type)
        type = token.kind == PTO_TOKEN_INT ? pto_type_int(p->program, 64, PTO_SIGNLESS)
                                           : pto_type_float(p->program, PTO_F64);
    if (type->kind == PTO_TYPE_FLOAT)
        return floating(p, negative, token, type, span);
    if (type->kind != PTO_TYPE_INT && type->kind != PTO_TYPE_INDEX) {
        pto_text_fail_at(p, "PTO-E0233", span, "a number has an integer, index or float type");
        return NULL;
    }
    if (token.kind == PTO_TOKEN_FLOAT) {
        pto_text_error(p, "PTO-E0233", span, "a fraction is no value of an integer type");
        return pto_attr_int(p->program, 0, type);
    }
    return integer(p, negative, token, type, span);
}

/* ---- enums --------------------------------------------------------------------------------- */

static void bad_value(pto_text_parser *p, const pto_enum_desc *desc, pto_str value, pto_span span) {
    pto_text_error(p, "PTO-E0233", span, "'%.*s' is no %s", PTO_STR_ARG(value), desc->name);
    if (p->stopped)
        return;
    char allowed[300] = "";
    size_t len = 0;
    pto_str names[16];
    for (uint32_t i = 0; i < desc->count && i < 16; i++) {
        names[i] = pto_str_from(desc->values[i].name);
        if (len + names[i].len + 3 < sizeof allowed) {
            memcpy(allowed + len, i ? ", " : "", i ? 2 : 0);
            len += i ? 2 : 0;
            memcpy(allowed + len, names[i].data, names[i].len);
            len += names[i].len;
        }
    }
    pto_diag_found(p->diags, "%.*s", PTO_STR_ARG(value));
    pto_diag_allowed(p->diags, "%s", allowed);
    pto_text_suggest(p, value, names, desc->count < 16 ? desc->count : 16);
}

static const pto_attr *enum_value(pto_text_parser *p, const pto_enum_desc *desc, pto_str value,
                                  pto_span span) {
    const pto_attr *attr = pto_attr_enum(p->program, pto_str_from(desc->name), value);
    if (attr)
        return attr;
    bad_value(p, desc, value, span);
    return pto_attr_enum(p->program, pto_str_from(desc->name), pto_str_from(desc->values[0].name));
}

/* A value name; P0101 and EVENT_ID0 are words too. */
static bool take_value(pto_text_parser *p, pto_token *value) {
    if (p->token.kind != PTO_TOKEN_WORD)
        return pto_text_fail(p, "the name of a value");
    *value = pto_text_take(p);
    return true;
}

static const pto_attr *opaque(pto_text_parser *p, uint32_t begin, char open, char close) {
    unsigned depth = 0;
    while (pto_text_at(p, open) || depth) {
        if (p->token.kind == PTO_TOKEN_END || p->token.kind == PTO_TOKEN_ERROR) {
            pto_text_fail(p, "'%c'", close);
            return NULL;
        }
        if (pto_text_at(p, open))
            depth++;
        bool last = pto_text_at(p, close) && --depth == 0;
        pto_text_take(p);
        if (last)
            break;
    }
    return pto_attr_opaque(p->program, (pto_str){p->source->text + begin, p->last_end - begin});
}

static const pto_attr *hash_attr(pto_text_parser *p) {
    pto_token token = pto_text_take(p);
    pto_str name = pto_token_name(token);
    pto_str kind = name;
    bool dialect = pto_str_starts_with(name, PTO_STR("pto."));
    bool angle = pto_text_at(p, '<');
    if (!angle && !memchr(name.data, '.', name.len)) {
        pto_map_value *alias = pto_map_find(&p->attr_aliases, name);
        if (alias)
            return alias->pointer;
        pto_text_fail_at(p, "PTO-E0214", pto_text_span(token), "the attribute alias #%.*s is not defined",
                         PTO_STR_ARG(name));
        return NULL;
    }
    if (angle && pto_str_equal(name, PTO_STR("pto"))) {
        /* #pto<kind value> */
        pto_token word = pto_text_peek(p);
        const pto_enum_desc *desc = word.kind == PTO_TOKEN_WORD ? pto_enum_find(word.text) : NULL;
        if (!desc)
            return opaque(p, token.begin, '<', '>');
        pto_text_take(p);
        pto_text_take(p);
        pto_token value;
        if (!take_value(p, &value) || !pto_text_expect(p, '>', "after the value"))
            return NULL;
        return enum_value(p, desc, value.text, pto_text_span(value));
    }
    if (dialect && angle) {
        kind = pto_str_slice(name, 4, name.len);
        const pto_enum_desc *desc = pto_enum_find(kind);
        if (desc) {
            pto_text_take(p);
            pto_token value;
            if (!take_value(p, &value) || !pto_text_expect(p, '>', "after the value"))
                return NULL;
            return enum_value(p, desc, value.text, pto_text_span(value));
        }
    }
    return opaque(p, token.begin, '<', '>');
}

/* ---- other values -------------------------------------------------------------------------- */

static bool is_type_word(const pto_text_parser *p) {
    pto_str w = p->token.text;
    static const char *const words[] = {"index", "none",   "bf16",   "f16",   "f32",
                                        "f64",   "vector", "memref", "tensor"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pto_str_equal(w, pto_str_from(words[i])))
            return true;
    if (pto_str_starts_with(w, PTO_STR("f8E")) || pto_str_starts_with(w, PTO_STR("f4E")))
        return true;
    size_t i = (w.data[0] == 's' || w.data[0] == 'u') ? 1 : 0;
    if (i >= w.len || w.data[i] != 'i' || i + 1 == w.len)
        return false;
    for (i++; i < w.len; i++)
        if (w.data[i] < '0' || w.data[i] > '9')
            return false;
    return true;
}

/* array<i32: 1, 2> */
static const pto_attr *dense_array(pto_text_parser *p) {
    pto_text_take(p);
    pto_text_take(p); /* < */
    const pto_type *element = pto_text_parse_type(p);
    if (!element)
        return NULL;
    PTO_VEC(int64_t) items = {0};
    if (pto_text_accept(p, ':') && !pto_text_at(p, '>')) {
        do {
            int64_t value;
            if (pto_text_at_word(p, "true") || pto_text_at_word(p, "false"))
                value = pto_text_take(p).text.data[0] == 't';
            else if (!pto_text_parse_int(p, &value))
                return NULL;
            pto_vec_push(p->arena, &items, value);
        } while (pto_text_accept(p, ','));
    }
    if (!pto_text_expect(p, '>', "at the end of the array"))
        return NULL;
    return pto_attr_dense(p->program, element, items.data, (uint32_t)items.count);
}

static const pto_attr *array(pto_text_parser *p) {
    pto_text_take(p);
    PTO_VEC(const pto_attr *) items = {0};
    while (!pto_text_at(p, ']')) {
        if (items.count && !pto_text_expect(p, ',', "between elements"))
            return NULL;
        const pto_attr *item = pto_text_parse_attr(p, NULL);
        if (!item)
            return NULL;
        pto_vec_push(p->arena, &items, item);
    }
    pto_text_take(p);
    return pto_attr_array(p->program, items.data, (uint32_t)items.count);
}

static const pto_attr *word_attr(pto_text_parser *p, const pto_enum_desc *expected) {
    pto_token token = p->token;
    bool angle = pto_token_is(pto_text_peek(p), '<');
    if (pto_token_is_word(token, "true") || pto_token_is_word(token, "false")) {
        pto_text_take(p);
        if (pto_text_at(p, ':') && pto_token_is_word(pto_text_peek(p), "i1")) {
            pto_text_take(p);
            pto_text_take(p);
        }
        return pto_attr_bool(p->program, token.text.len == 4);
    }
    if (expected && pto_enum_value_find(expected, token.text)) {
        pto_text_take(p);
        return enum_value(p, expected, token.text, pto_text_span(token));
    }
    if (pto_token_is_word(token, "unit")) {
        pto_text_take(p);
        return pto_attr_unit(p->program);
    }
    if (angle && pto_token_is_word(token, "array"))
        return dense_array(p);
    if (is_type_word(p))
        return pto_attr_type(p->program, pto_text_parse_type(p));
    pto_text_take(p);
    if (pto_token_is_word(token, "loc") && pto_text_at(p, '('))
        return opaque(p, token.begin, '(', ')');
    if (angle) {
        /* dense<..> : type, affine_map<..>, strided<..>, opaque<..> */
        const pto_attr *attr = opaque(p, token.begin, '<', '>');
        if (attr && pto_text_accept(p, ':')) {
            const pto_type *type = pto_text_parse_type(p);
            if (!type)
                return NULL;
            pto_attr *typed = pto_arena_new(p->arena, pto_attr);
            *typed = *attr;
            typed->type = type;
            return typed;
        }
        return attr;
    }
    if (expected) {
        bad_value(p, expected, token.text, pto_text_span(token));
        return pto_attr_enum(p->program, pto_str_from(expected->name),
                             pto_str_from(expected->values[0].name));
    }
    /* A word that only the key can explain. */
    pto_attr *attr = pto_arena_new(p->arena, pto_attr);
    *attr = (pto_attr){.kind = PTO_AV_ENUM, .text = token.text};
    return attr;
}

static const pto_attr *symbol(pto_text_parser *p) {
    uint32_t begin = p->token.begin;
    pto_token token = pto_text_take(p);
    if (!pto_text_at(p, ':') || !pto_token_is(pto_text_peek(p), ':'))
        return pto_attr_symbol(p->program, pto_token_name(token));
    while (pto_text_at(p, ':') && pto_token_is(pto_text_peek(p), ':')) {
        pto_text_take(p);
        pto_text_take(p);
        if (!pto_text_accept_kind(p, PTO_TOKEN_SYMBOL)) {
            pto_text_fail(p, "a symbol");
            return NULL;
        }
    }
    return pto_attr_opaque(p->program, (pto_str){p->source->text + begin, p->last_end - begin});
}

const pto_attr *pto_text_parse_attr(pto_text_parser *p, const pto_enum_desc *expected) {
    if (!pto_text_enter(p))
        return NULL;
    const pto_attr *attr = NULL;
    pto_token token = p->token;
    switch (token.kind) {
    case PTO_TOKEN_STRING: {
        pto_text_take(p);
        pto_str text = pto_text_unescape(p, token);
        attr = expected ? enum_value(p, expected, text, pto_text_span(token))
                        : pto_attr_string(p->program, text);
        break;
    }
    case PTO_TOKEN_INT:
    case PTO_TOKEN_FLOAT:
        attr = pto_text_parse_number(p, NULL);
        break;
    case PTO_TOKEN_WORD:
        attr = word_attr(p, expected);
        break;
    case PTO_TOKEN_SYMBOL:
        attr = symbol(p);
        break;
    case PTO_TOKEN_HASH:
        attr = hash_attr(p);
        break;
    case PTO_TOKEN_BANG: {
        const pto_type *type = pto_text_parse_type(p);
        attr = type ? pto_attr_type(p->program, type) : NULL;
        break;
    }
    default:
        if (pto_text_at(p, '-')) {
            attr = pto_text_parse_number(p, NULL);
        } else if (pto_text_at(p, '[')) {
            attr = array(p);
        } else if (pto_text_at(p, '{')) {
            attr = pto_text_parse_dict(p, NULL);
        } else if (pto_text_at(p, '(')) {
            const pto_type *type = pto_text_parse_type(p);
            attr = type ? pto_attr_type(p->program, type) : NULL;
        } else if (pto_text_at(p, '<') && expected) {
            pto_text_take(p);
            pto_token value;
            if (take_value(p, &value) && pto_text_expect(p, '>', "after the value"))
                attr = enum_value(p, expected, value.text, pto_text_span(value));
        } else {
            pto_text_fail(p, "an attribute");
        }
    }
    pto_text_leave(p);
    return attr;
}

/* ---- dictionaries -------------------------------------------------------------------------- */

typedef struct entry {
    pto_named_attr named;
    pto_span key_span, value_span;
} entry;

/* One entry; `owner` (may be NULL) tells which enum its key asks for. */
static bool parse_entry(pto_text_parser *p, const pto_operation *owner, entry *out) {
    pto_token key = p->token;
    if (key.kind == PTO_TOKEN_STRING)
        out->named.name = pto_text_unescape(p, key);
    else if (key.kind == PTO_TOKEN_WORD)
        out->named.name = key.text;
    else
        return pto_text_fail(p, "the name of an attribute");
    pto_text_take(p);
    out->key_span = out->value_span = pto_text_span(key);
    if (!pto_text_accept(p, '=')) {
        out->named.value = pto_attr_unit(p->program);
        return true;
    }
    uint32_t begin = p->token.begin;
    out->named.value = pto_text_parse_attr(p, owner ? pto_enum_of_key(owner, out->named.name) : NULL);
    out->value_span = pto_text_since(p, begin);
    return out->named.value != NULL;
}

static void twice(pto_text_parser *p, pto_str key, pto_span span) {
    pto_text_error(p, "PTO-E0234", span, "the attribute '%.*s' is given twice", PTO_STR_ARG(key));
}

const pto_attr *pto_text_parse_dict(pto_text_parser *p, const pto_operation *owner) {
    if (!pto_text_expect(p, '{', "to open the dictionary"))
        return NULL;
    PTO_VEC(pto_named_attr) entries = {0};
    while (!pto_text_at(p, '}')) {
        entry e;
        if ((entries.count && !pto_text_expect(p, ',', "between attributes")) || !parse_entry(p, owner, &e))
            return NULL;
        for (size_t i = 0; i < entries.count; i++)
            if (pto_str_equal(entries.data[i].name, e.named.name)) {
                twice(p, e.named.name, e.key_span);
                break;
            }
        pto_vec_push(p->arena, &entries, e.named);
    }
    pto_text_take(p);
    return pto_attr_dict(p->program, entries.data, (uint32_t)entries.count);
}

bool pto_text_parse_attr_dict(pto_text_parser *p, pto_operation *op) {
    if (!pto_text_expect(p, '{', "to open the attributes"))
        return false;
    bool first = true;
    while (!pto_text_at(p, '}')) {
        entry e = {0};
        if ((!first && !pto_text_expect(p, ',', "between attributes")) || !parse_entry(p, op, &e))
            return false;
        first = false;
        pto_text_set_attr(p, op, e.named.name, e.named.value, e.key_span, e.value_span);
    }
    pto_text_take(p);
    return true;
}

static const pto_operand_desc *table_attr(const pto_operation *op, pto_str key) {
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == PTO_ROLE_ATTR &&
            pto_str_equal(key, pto_str_from(form->operand[i].attr_key)))
            return &form->operand[i];
    return NULL;
}

void pto_text_set_attr(pto_text_parser *p, pto_operation *op, pto_str key, const pto_attr *value,
                       pto_span key_span, pto_span value_span) {
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (pto_str_equal(op->attr[i].name, key)) {
            twice(p, key, key_span);
            return;
        }
    pto_operation_set_attr(p->program, op, key, value);
    const pto_operand_desc *desc = op->kind == PTO_OPK_INSTR ? table_attr(op, key) : NULL;
    if (desc) {
        int64_t ignored;
        if (!pto_attr_isa_value(desc->attr, value, &ignored)) {
            const pto_enum_desc *wanted = pto_enum_of_attr(desc->attr);
            pto_text_error(p, "PTO-E0233", value_span, "'%.*s' takes %s%s", PTO_STR_ARG(key),
                           wanted                       ? "a value of #pto."
                           : desc->attr == PTO_ATTR_INT ? "an integer"
                                                        : "true or false",
                           wanted ? wanted->name : "");
        }
        return;
    }
    const pto_enum_desc *wanted = pto_enum_of_key(op, key);
    bool word = value->kind == PTO_AV_ENUM && !value->enum_kind.len;
    if (!wanted && word && op->kind != PTO_OPK_INSTR && op->kind != PTO_OPK_UNKNOWN)
        pto_text_error(p, "PTO-E0233", value_span, "'%.*s' takes no word", PTO_STR_ARG(key));
    const pto_enum_desc *given = value->kind == PTO_AV_ENUM ? pto_enum_find(value->enum_kind) : NULL;
    if (wanted && (value->kind != PTO_AV_ENUM || (given && given->values != wanted->values)))
        pto_text_error(p, "PTO-E0233", value_span, "'%.*s' takes a value of #pto.%s", PTO_STR_ARG(key),
                       wanted->name);
}

/* A word that was read before the form was known: the form of the operation says which enum it belongs to. */
static void resolve_word(pto_text_parser *p, const pto_operation *op, pto_named_attr *attr) {
    if (attr->value->kind != PTO_AV_ENUM || attr->value->enum_kind.len)
        return;
    const pto_enum_desc *desc = pto_enum_of_key(op, attr->name);
    const pto_attr *value =
        desc ? pto_attr_enum(p->program, pto_str_from(desc->name), attr->value->text) : NULL;
    if (value)
        attr->value = value;
    else if (desc)
        bad_value(p, desc, attr->value->text, op->name_span);
}

void pto_text_check_attrs(pto_text_parser *p, pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    /* What upstream's parser leaves in dictionaries says nothing here. */
    pto_operation_remove_attr(op, "operandSegmentSizes");
    for (uint32_t i = 0; i < op->attr_count; i++) {
        pto_str key = op->attr[i].name;
        resolve_word(p, op, &op->attr[i]);
        if (table_attr(op, key) || memchr(key.data, '.', key.len))
            continue;
        pto_text_warn(p, "PTO-W0242", op->name_span, "%s has no attribute '%.*s'", form->mnemonic,
                      PTO_STR_ARG(key));
        pto_str names[PTO_MAX_OPERANDS];
        size_t count = 0;
        for (int k = 0; k < form->operand_count; k++)
            if (form->operand[k].role == PTO_ROLE_ATTR)
                names[count++] = pto_str_from(form->operand[k].attr_key);
        if (!p->stopped)
            pto_text_suggest(p, key, names, count);
    }
}
