/* SPDX-License-Identifier: Apache-2.0 */
/* Types of every text form, except tiles (60, 1.4, 3.3, 3.4). */
#include "text/parser.h"

#include <string.h>
#include <strings.h>

#define INT_WIDTH_LIMIT 16777215 /* as MLIR */

bool pto_text_at_dims(const pto_text_parser *p) {
    /* `16x...`, `?x...`, and `0x...`, whose first token is a hexadecimal number. */
    if (pto_text_at(p, '?'))
        return true;
    if (p->token.kind != PTO_TOKEN_INT)
        return false;
    const char *text = p->source->text;
    uint32_t at = p->token.begin;
    while (at < p->source->len && text[at] >= '0' && text[at] <= '9')
        at++;
    return at < p->source->len && text[at] == 'x';
}

bool pto_text_parse_dims(pto_text_parser *p, int64_t *dim, int limit, int *rank) {
    const char *text = p->source->text;
    size_t len = p->source->len;
    uint32_t at = p->token.begin;
    *rank = 0;
    for (;;) {
        uint32_t begin = at;
        int64_t value = 0;
        bool too_big = false;
        if (at < len && text[at] == '?') {
            value = PTO_DYNAMIC;
            at++;
        } else {
            while (at < len && text[at] >= '0' && text[at] <= '9') {
                int digit = text[at++] - '0';
                if (value > (INT64_MAX - digit) / 10)
                    too_big = true;
                else
                    value = value * 10 + digit;
            }
        }
        if (at == begin)
            break;
        while (at < len && (text[at] == ' ' || text[at] == '\t'))
            at++;
        if (at >= len || text[at] != 'x') {
            pto_text_seek(p, at);
            return pto_text_fail(p, "'x' after a dimension");
        }
        if (too_big)
            pto_text_error(p, "PTO-E0232", (pto_span){begin, at}, "the dimension does not fit 64 bits");
        at++;
        while (at < len && (text[at] == ' ' || text[at] == '\t'))
            at++;
        if (*rank < limit)
            dim[*rank] = too_big ? PTO_DYNAMIC : value;
        if (++*rank == limit + 1)
            pto_text_error(p, "PTO-E0231", (pto_span){begin, at}, "a shape has at most %d dimensions", limit);
    }
    pto_text_seek(p, at);
    return true;
}

/* ---- builtin types ------------------------------------------------------------------------- */

static const pto_type *float_type(pto_text_parser *p, pto_str word) {
    static const struct {
        const char *name;
        pto_dtype dtype; /* NONE: a type that is no PTO element type, kept with its spelling */
    } floats[] = {{"f16", PTO_F16},
                  {"bf16", PTO_BF16},
                  {"f32", PTO_F32},
                  {"f64", PTO_F64},
                  {"f8E4M3FN", PTO_E4M3},
                  {"f8E4M3", PTO_E4M3},
                  {"f8E5M2", PTO_E5M2},
                  {"f8E8M0FNU", PTO_E8M0},
                  {"f8E8M0", PTO_E8M0},
                  {"e8m0", PTO_E8M0},
                  {"hif8", PTO_HIF8},
                  {"hifloat8", PTO_HIF8},
                  {"f4E2M1FN", PTO_E2M1},
                  {"f4E2M1", PTO_E2M1},
                  {"f4E1M2", PTO_E1M2},
                  {"float4_e2m1x2", PTO_E2M1},
                  {"float4_e1m2x2", PTO_E1M2},
                  {"e4m3", PTO_E4M3},
                  {"e5m2", PTO_E5M2},
                  {"e2m1", PTO_E2M1},
                  {"e1m2", PTO_E1M2},
                  {"f8E4M3FNUZ", PTO_DTYPE_NONE},
                  {"f8E4M3B11FNUZ", PTO_DTYPE_NONE},
                  {"f8E5M2FNUZ", PTO_DTYPE_NONE},
                  {"f8E3M4", PTO_DTYPE_NONE},
                  {"tf32", PTO_DTYPE_NONE},
                  {"f80", PTO_DTYPE_NONE},
                  {"f128", PTO_DTYPE_NONE}};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (pto_str_equal_ignore_case(word, pto_str_from(floats[i].name))) {
            pto_type type = {.kind = PTO_TYPE_FLOAT, .dtype = floats[i].dtype};
            if (!floats[i].dtype)
                type.text = pto_str_from(floats[i].name);
            return pto_type_intern(p->program, &type);
        }
    return NULL;
}

/* i8, si8, ui8; also s8 and u8, as the ISA says. */
static const pto_type *int_type(pto_text_parser *p, pto_token token) {
    pto_str word = token.text;
    pto_signedness signedness = PTO_SIGNLESS;
    size_t prefix = 1;
    if (word.data[0] == 'u') {
        signedness = PTO_UNSIGNED;
        prefix = word.len > 1 && word.data[1] == 'i' ? 2 : 1;
    } else if (word.data[0] == 's') {
        if (word.len > 1 && word.data[1] == 'i') {
            signedness = PTO_SIGNED;
            prefix = 2;
        }
    } else if (word.data[0] != 'i') {
        return NULL;
    }
    if (word.len == prefix)
        return NULL;
    uint64_t width = 0;
    for (size_t i = prefix; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '9')
            return NULL;
        width = width > INT_WIDTH_LIMIT ? width : width * 10 + (uint64_t)(word.data[i] - '0');
    }
    if (width == 0 || width > INT_WIDTH_LIMIT) {
        pto_text_error(p, "PTO-E0232", pto_text_span(token), "an integer type has 1 to %d bits",
                       INT_WIDTH_LIMIT);
        width = 64;
    }
    return pto_type_int(p->program, (uint32_t)width, signedness);
}

static bool ends_type(const pto_text_parser *p) {
    return p->token.kind == PTO_TOKEN_END || p->token.kind == PTO_TOKEN_ERROR;
}

/* In PTO-AS, and among bare lines, a statement ends with its line. */
static bool on_next_line(const pto_text_parser *p) {
    return (p->lines || p->lexer.hash_comments) && p->token.first;
}

/* Skips `<...>` with balanced brackets. */
static bool skip_angles(pto_text_parser *p) {
    unsigned open = 0;
    do {
        if (ends_type(p) || (open && on_next_line(p)))
            return pto_text_fail(p, "'>'");
        if (pto_text_at(p, '<'))
            open++;
        else if (pto_text_at(p, '>'))
            open--;
        pto_text_take(p);
    } while (open);
    return true;
}

/* White space, comments and line ends out: the text is kept and printed again. */
static pto_str squeeze(pto_text_parser *p, uint32_t begin, uint32_t end) {
    pto_lexer lexer = p->lexer;
    pto_lexer_seek(&lexer, begin);
    char *out = pto_arena_alloc(p->arena, end - begin + 1);
    size_t len = 0;
    uint32_t last = begin;
    for (;;) {
        pto_token token = pto_lexer_next(&lexer);
        if (token.kind == PTO_TOKEN_END || token.begin >= end)
            break;
        if (token.begin > last && len)
            out[len++] = ' ';
        memcpy(out + len, token.text.data, token.text.len);
        len += token.text.len;
        last = token.end;
    }
    return (pto_str){out, len};
}

static const pto_type *opaque(pto_text_parser *p, uint32_t begin) {
    if (pto_text_at(p, '<') && !skip_angles(p))
        return NULL;
    pto_type type = {.kind = PTO_TYPE_OPAQUE, .text = squeeze(p, begin, p->last_end)};
    return pto_type_intern(p->program, &type);
}

/* What follows the element type of a memref up to the closing `>`, with its comma. */
static bool rest_of_memref(pto_text_parser *p, pto_type *type) {
    uint32_t begin = p->token.begin;
    unsigned open = 0;
    while (open || !pto_text_at(p, '>')) {
        if (ends_type(p) || on_next_line(p))
            return pto_text_fail(p, "'>'");
        if (pto_text_at(p, '<') || pto_text_at(p, '(') || pto_text_at(p, '['))
            open++;
        else if (pto_text_at(p, '>') || pto_text_at(p, ')') || pto_text_at(p, ']'))
            open -= open != 0;
        pto_text_take(p);
    }
    if (p->last_end > begin)
        type->text = squeeze(p, begin, p->last_end);
    return pto_text_accept(p, '>');
}

/* At `<`: dims and an element type, or dots. */
static const pto_type *shaped(pto_text_parser *p, pto_type_kind kind, pto_memref_spelling memref) {
    pto_type type = {.kind = kind, .memref = memref};
    if (!pto_text_expect(p, '<', "after the name of the type"))
        return NULL;
    if (pto_text_accept_kind(p, PTO_TOKEN_ELLIPSIS)) {
        type.open = true;
        if (!pto_text_expect(p, '>', "after '...'"))
            return NULL;
        return pto_type_intern(p->program, &type);
    }
    int rank;
    if (pto_text_at(p, '*') && kind == PTO_TYPE_MEMREF)
        return opaque(p, p->token.begin);
    if (!pto_text_parse_dims(p, type.dim, 5, &rank))
        return NULL;
    type.rank = (uint8_t)(rank > 5 ? 5 : rank);
    uint32_t begin = p->token.begin;
    type.element = pto_text_parse_type(p);
    if (!type.element)
        return NULL;
    if (!pto_type_is_scalar(type.element) && kind != PTO_TYPE_MEMREF)
        pto_text_error(p, "PTO-E0231", pto_text_since(p, begin), "the element type is a scalar type");
    type.dtype = pto_type_dtype(type.element);
    if (kind == PTO_TYPE_MEMREF) {
        if (!rest_of_memref(p, &type))
            return NULL;
    } else if (!pto_text_expect(p, '>', "after the element type")) {
        return NULL;
    }
    return pto_type_intern(p->program, &type);
}

static const pto_type *pointer(pto_text_parser *p) {
    pto_type type = {.kind = PTO_TYPE_PTR};
    if (!pto_text_expect(p, '<', "after the name of the type"))
        return NULL;
    if (pto_text_accept_kind(p, PTO_TOKEN_ELLIPSIS)) {
        type.open = true;
    } else {
        type.element = pto_text_parse_type(p);
        if (!type.element)
            return NULL;
        type.dtype = pto_type_dtype(type.element);
        if (pto_text_accept(p, ',')) {
            pto_token space = p->token;
            if (space.kind == PTO_TOKEN_HASH) { /* #pto.address_space<gm> */
                const pto_attr *attr = pto_text_parse_attr(p, pto_enum_find(PTO_STR("address_space")));
                if (!attr)
                    return NULL;
                space.text = attr->text;
            } else if (!pto_text_accept_kind(p, PTO_TOKEN_WORD)) {
                pto_text_fail(p, "an address space");
                return NULL;
            }
            if (pto_str_equal(space.text, PTO_STR("ub")) || pto_str_equal(space.text, PTO_STR("vec")))
                type.text = space.text;
            else if (!pto_str_equal(space.text, PTO_STR("gm")))
                pto_text_error(p, "PTO-E0231", pto_text_span(space), "the address space is gm, ub or vec");
        }
    }
    if (!pto_text_expect(p, '>', "after the element type"))
        return NULL;
    return pto_type_intern(p->program, &type);
}

/* ---- dialect types ------------------------------------------------------------------------- */

typedef struct dialect_type {
    const char *name;
    pto_type_kind kind;
} dialect_type;
static const dialect_type dialect_types[] = {
    {"ptr", PTO_TYPE_PTR},
    {"tensor_view", PTO_TYPE_TENSOR_VIEW},
    {"partition_tensor_view", PTO_TYPE_PARTITION_VIEW},
    {"memref", PTO_TYPE_MEMREF},
    {"global", PTO_TYPE_MEMREF},
    {"tile", PTO_TYPE_TILE},
    {"tile_buf", PTO_TYPE_TILE_BUF},
    {"event", PTO_TYPE_EVENT},
    {"eventid_array", PTO_TYPE_OPAQUE},
    {"pipe", PTO_TYPE_OPAQUE},
    {"async_session", PTO_TYPE_OPAQUE},
    {"async_event", PTO_TYPE_OPAQUE},
    {"group", PTO_TYPE_OPAQUE},
    {"conv_tile", PTO_TYPE_OPAQUE},
    {"fmatrix_config", PTO_TYPE_OPAQUE},
    {"mask", PTO_TYPE_OPAQUE},
    {"vreg", PTO_TYPE_OPAQUE},
    {"align", PTO_TYPE_OPAQUE},
};
#define DIALECT_TYPES (sizeof dialect_types / sizeof *dialect_types)

static void unknown_type(pto_text_parser *p, pto_token token, pto_str name) {
    pto_text_fail_at(p, "PTO-E0230", pto_text_span(token), "no type is called '%.*s'",
                     PTO_STR_ARG(token.text));
    pto_str names[DIALECT_TYPES];
    for (size_t i = 0; i < DIALECT_TYPES; i++)
        names[i] = pto_str_from(dialect_types[i].name);
    int nearest = pto_str_nearest(name, names, DIALECT_TYPES);
    if (nearest >= 0 && !p->stopped)
        pto_diag_fix(p->diags, "did you mean '!pto.%.*s'?", PTO_STR_ARG(names[nearest]));
}

static const pto_type *body(pto_text_parser *p, pto_type_kind kind, bool global) {
    switch (kind) {
    case PTO_TYPE_PTR:
        return pointer(p);
    case PTO_TYPE_TENSOR_VIEW:
    case PTO_TYPE_PARTITION_VIEW:
        return shaped(p, kind, PTO_MEMREF_BUILTIN);
    case PTO_TYPE_MEMREF:
        return shaped(p, kind, global ? PTO_MEMREF_GLOBAL : PTO_MEMREF_PTO);
    case PTO_TYPE_TILE:
    case PTO_TYPE_TILE_BUF:
        return pto_text_parse_tile(p, kind);
    default:
        return NULL;
    }
}

/* `<N>` */
static bool at_count(const pto_text_parser *p) {
    return pto_text_at(p, '<') && pto_text_peek(p).kind == PTO_TOKEN_INT;
}

static const pto_type *bang_type(pto_text_parser *p) {
    pto_token token = pto_text_take(p);
    pto_str name = pto_token_name(token);
    if (!memchr(name.data, '.', name.len)) {
        pto_map_value *alias = pto_map_find(&p->type_aliases, name);
        if (alias) {
            p->failed |= !alias->pointer;
            return alias->pointer;
        }
        pto_text_fail_at(p, "PTO-E0214", pto_text_span(token), "the type alias !%.*s is not defined",
                         PTO_STR_ARG(name));
        return NULL;
    }
    if (!pto_str_starts_with(name, PTO_STR("pto.")))
        return opaque(p, token.begin);
    name = pto_str_slice(name, 4, name.len);
    for (size_t i = 0; i < DIALECT_TYPES; i++) {
        if (!pto_str_equal(name, pto_str_from(dialect_types[i].name)))
            continue;
        if (dialect_types[i].kind == PTO_TYPE_EVENT && !pto_text_at(p, '<'))
            return pto_type_simple(p->program, PTO_TYPE_EVENT);
        if (pto_str_equal(name, PTO_STR("eventid_array")) && !at_count(p))
            return pto_text_fail(p, "the number of events, <N>"), NULL;
        if (pto_str_equal(name, PTO_STR("conv_tile")) && pto_text_at(p, '<') &&
            pto_text_peek(p).kind != PTO_TOKEN_ELLIPSIS)
            return pto_text_parse_conv(p);
        if (dialect_types[i].kind == PTO_TYPE_OPAQUE || dialect_types[i].kind == PTO_TYPE_EVENT)
            return opaque(p, token.begin);
        return body(p, dialect_types[i].kind, pto_str_equal(name, PTO_STR("global")));
    }
    unknown_type(p, token, name);
    return NULL;
}

static const pto_type *word_type(pto_text_parser *p) {
    pto_token token = p->token;
    const pto_type *type = NULL;
    if (pto_token_is_word(token, "index"))
        type = pto_type_index(p->program);
    else if (pto_token_is_word(token, "none"))
        type = pto_type_simple(p->program, PTO_TYPE_NONE);
    if (!type)
        type = float_type(p, token.text);
    if (!type)
        type = int_type(p, token);
    if (type) {
        pto_text_take(p);
        return type;
    }
    bool angle = pto_token_is(pto_text_peek(p), '<');
    if (angle && pto_token_is_word(token, "vector")) {
        pto_text_take(p);
        return shaped(p, PTO_TYPE_VECTOR, PTO_MEMREF_BUILTIN);
    }
    if (angle && pto_token_is_word(token, "memref")) {
        pto_text_take(p);
        return shaped(p, PTO_TYPE_MEMREF, PTO_MEMREF_BUILTIN);
    }
    if (angle && (pto_token_is_word(token, "tensor") || pto_token_is_word(token, "complex") ||
                  pto_token_is_word(token, "tuple"))) {
        pto_text_take(p);
        return opaque(p, token.begin);
    }
    unknown_type(p, token, token.text);
    return NULL;
}

bool pto_text_parse_types(pto_text_parser *p, pto_text_types *types) {
    do {
        const pto_type *type = pto_text_parse_type(p);
        if (!type)
            return false;
        pto_vec_push(p->arena, types, type);
    } while (pto_text_accept(p, ','));
    return true;
}

bool pto_text_parse_type_group(pto_text_parser *p, pto_text_types *types) {
    if (!pto_text_accept(p, '(')) {
        const pto_type *type = pto_text_parse_type(p);
        if (type)
            pto_vec_push(p->arena, types, type);
        return type != NULL;
    }
    if (pto_text_accept(p, ')'))
        return true;
    return pto_text_parse_types(p, types) && pto_text_expect(p, ')', "after the types");
}

static const pto_type *function_type(pto_text_parser *p) {
    pto_text_types inputs = {0}, results = {0};
    if (!pto_text_parse_type_group(p, &inputs) || !pto_text_expect_arrow(p, "after the input types") ||
        !pto_text_parse_type_group(p, &results))
        return NULL;
    return pto_type_function(p->program, inputs.data, (uint32_t)inputs.count, results.data,
                             (uint32_t)results.count);
}

const pto_type *pto_text_parse_type(pto_text_parser *p) {
    if (!pto_text_enter(p))
        return NULL;
    const pto_type *type = NULL;
    if (p->token.kind == PTO_TOKEN_WORD)
        type = word_type(p);
    else if (p->token.kind == PTO_TOKEN_BANG)
        type = bang_type(p);
    else if (pto_text_at(p, '('))
        type = function_type(p);
    else
        pto_text_fail(p, "a type");
    pto_text_leave(p);
    return type;
}

const pto_type *pto_text_parse_type_of(pto_text_parser *p, pto_type_kind kind) {
    if (!pto_text_at(p, '<'))
        return pto_text_parse_type(p);
    if (!pto_text_enter(p))
        return NULL;
    const pto_type *type = body(p, kind, false);
    pto_text_leave(p);
    return type;
}
