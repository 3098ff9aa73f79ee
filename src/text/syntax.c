/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose custom syntax is a line of ops.def: one reader and one printer for all of them (60, 3.9).
 */
#include "text/mlir.h"
#include "text/print.h"

#include <string.h>

/* A word of a syntax. */
typedef struct word {
    const char *text;
    size_t len;
} word;

static word next_word(const char **at) {
    *at += strspn(*at, " ");
    word w = {*at, strcspn(*at, " ")};
    *at += w.len;
    return w;
}

static word peek_word(const char *at) { return next_word(&at); }

static bool is(word w, const char *text) { return w.len == strlen(text) && !memcmp(w.text, text, w.len); }

static const char *skip_group(const char *at) {
    for (int depth = 1; depth;) {
        word w = next_word(&at);
        depth += is(w, "?{");
        depth -= is(w, "?}") || !w.len;
    }
    return at;
}

static bool is_literal_word(word w) {
    return w.len && (w.text[0] >= 'a' && w.text[0] <= 'z') && !is(w, "attrs");
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct reader {
    pto_text_parser *p;
    pto_operation *op; /* attributes; operands are set at the end */
    pto_mlir_values values;
    pto_mlir_spans spans;
    PTO_VEC(const pto_type *) implied; /* per operand, NULL = written by a T */
    PTO_VEC(const pto_type *) results;
    uint32_t typed; /* operands whose type was written */
} reader;

static bool at_literal(const pto_text_parser *p, word w, pto_token token) {
    if (is(w, "->"))
        return token.kind == PTO_TOKEN_ARROW;
    if (w.len == 1 && !is_literal_word(w))
        return pto_token_is(token, w.text[0]);
    (void)p;
    return token.kind == PTO_TOKEN_WORD && pto_str_equal(token.text, (pto_str){w.text, w.len});
}

/* Does the group that begins here stand in the text? A comma alone does not decide when a word follows it. */
static bool group_present(reader *r, const char *at) {
    pto_text_parser *p = r->p;
    word first = next_word(&at), second = peek_word(at);
    if (first.text[0] == '@' && first.len > 4 && !memcmp(first.text + first.len - 4, ":str", 4))
        return p->token.kind == PTO_TOKEN_STRING;
    if (first.text[0] == '@')
        return p->token.kind == PTO_TOKEN_INT || pto_text_at(p, '-');
    if (first.text[0] == '%') /* on a line of its own it is the result of the next operation */
        return p->token.kind == PTO_TOKEN_VALUE && !p->token.first;
    if (!at_literal(p, first, p->token))
        return false;
    if (is_literal_word(second))
        return at_literal(p, second, pto_text_peek(p));
    /* `, T` behind the first type: only when an operand waits for it */
    return !is(second, "T") || r->typed < r->values.count;
}

static const pto_type *implied_type(reader *r, word w) {
    pto_program *program = r->p->program;
    if (memchr(w.text, 'x', w.len)) /* index */
        return pto_type_index(program);
    return pto_type_int(program,
                        memchr(w.text, '6', w.len)   ? 64
                        : memchr(w.text, '3', w.len) ? 32
                                                     : 1,
                        PTO_SIGNLESS);
}

static bool read_operand(reader *r, const pto_type *implied) {
    pto_span span;
    pto_value *value = pto_text_parse_use(r->p, "an operand", &span);
    if (!value)
        return false;
    pto_vec_push(r->p->arena, &r->values, value);
    pto_vec_push(r->p->arena, &r->spans, span);
    pto_vec_push(r->p->arena, &r->implied, implied);
    if (implied)
        pto_text_check_type(r->p, value, span, implied, (pto_span){0, 0});
    return true;
}

/* An operand whose type another one tells: nothing is written for it. */
static bool read_own(reader *r) {
    if (!read_operand(r, NULL))
        return false;
    pto_value *value = r->values.data[r->values.count - 1];
    r->implied.data[r->values.count - 1] = value->type ? value->type : pto_type_index(r->p->program);
    return true;
}

/* The type written for the next operand that has none yet. */
static bool read_type(reader *r) {
    uint32_t begin = r->p->token.begin;
    const pto_type *type = pto_text_parse_type(r->p);
    if (!type)
        return false;
    while (r->typed < r->values.count && r->implied.data[r->typed])
        r->typed++;
    if (r->typed >= r->values.count)
        return pto_text_fail_at(r->p, "PTO-E0213", pto_text_since(r->p, begin), "more types than operands");
    pto_text_check_type(r->p, r->values.data[r->typed], r->spans.data[r->typed], type,
                        pto_text_since(r->p, begin));
    r->typed++;
    return true;
}

static bool read_types(reader *r) {
    do {
        if (!read_type(r))
            return false;
    } while (pto_text_accept(r->p, ','));
    return true;
}

static const pto_type *element_type(reader *r) {
    const pto_type *type = r->values.count ? r->values.data[0]->type : NULL;
    if (type && type->element)
        return type->element;
    if (type)
        pto_text_fail_at(r->p, "PTO-E0212", r->spans.data[0], "a memref with an element type");
    return type ? NULL : pto_type_index(r->p->program);
}

static bool read_result(reader *r, const pto_type *type) {
    if (!type)
        return false;
    pto_vec_push(r->p->arena, &r->results, type);
    return true;
}

static bool read_shared_type(reader *r, bool all_results) {
    uint32_t begin = r->p->token.begin;
    const pto_type *type = pto_text_parse_type(r->p);
    for (uint32_t i = 0; type && i < r->values.count; i++)
        pto_text_check_type(r->p, r->values.data[i], r->spans.data[i], type, pto_text_since(r->p, begin));
    return read_result(r, type) && (!all_results || read_result(r, type));
}

static bool read_attr(reader *r, word w) {
    pto_text_parser *p = r->p;
    size_t len = 0;
    while (w.text[1 + len] != '/' && w.text[1 + len] != ':')
        len++;
    pto_str key = {w.text + 1, len}, kind = {w.text + 2 + len, w.len - len - 2};
    uint32_t begin = p->token.begin;
    const pto_attr *value = NULL;
    if (w.text[1 + len] == '/') {
        const pto_enum_desc *desc = pto_enum_find(kind);
        value = pto_text_parse_attr(p, desc);
        const pto_enum_desc *got =
            value && value->kind == PTO_AV_ENUM ? pto_enum_find(value->enum_kind) : NULL;
        if (value && (!got || got->values != desc->values))
            return pto_text_fail_at(p, "PTO-E0233", pto_text_since(p, begin),
                                    "a value of #pto.%s stands here", desc->name);
    } else if (pto_str_equal(kind, PTO_STR("bool"))) {
        bool yes = pto_text_at_word(p, "true");
        if (!yes && !pto_text_at_word(p, "false"))
            return pto_text_fail(p, "true or false");
        pto_text_take(p);
        value = pto_attr_bool(p->program, yes);
    } else if (pto_str_equal(kind, PTO_STR("str"))) {
        if (p->token.kind != PTO_TOKEN_STRING)
            return pto_text_fail(p, "a string");
        value = pto_attr_string(p->program, pto_text_unescape(p, pto_text_take(p)));
    } else if (pto_str_equal(kind, PTO_STR("sym"))) {
        if (p->token.kind != PTO_TOKEN_SYMBOL)
            return pto_text_fail(p, "a symbol, @name");
        value = pto_attr_symbol(p->program, pto_token_name(pto_text_take(p)));
    } else if (pto_str_equal(kind, PTO_STR("any"))) {
        value = pto_text_parse_attr(p, NULL);
    } else {
        uint32_t width = pto_str_equal(kind, PTO_STR("i8")) ? 8 : 32;
        const pto_type *type = pto_type_int(p->program, width, PTO_SIGNLESS);
        value = p->token.kind == PTO_TOKEN_INT || pto_text_at(p, '-') ? pto_text_parse_number(p, type) : NULL;
        if (!value)
            return pto_text_fail(p, "an integer");
        if (pto_text_accept(p, ':')) { /* 1 : i8 */
            uint32_t at = p->token.begin;
            const pto_type *written = pto_text_parse_type(p);
            if (!written)
                return false;
            if (written != type)
                pto_text_error(p, "PTO-E0212", pto_text_since(p, at), "the attribute is an i%u", width);
        }
    }
    if (!value)
        return false;
    pto_operation_set_attr(p->program, r->op, key, value);
    return true;
}

static bool read_words(reader *r, const char *at) {
    pto_text_parser *p = r->p;
    for (;;) {
        word w = next_word(&at);
        bool ok = true;
        if (!w.len)
            return true;
        if (is(w, "?{"))
            at = group_present(r, at) ? at : skip_group(at);
        else if (is(w, "?}"))
            continue;
        else if (is(w, "attrs"))
            ok = !pto_text_at(p, '{') || pto_text_parse_attr_dict(p, r->op);
        else if (is(w, "%*") || is(w, "%index*"))
            while (p->token.kind == PTO_TOKEN_VALUE &&
                   (ok = read_operand(r, w.len > 2 ? pto_type_index(p->program) : NULL)) &&
                   pto_text_accept(p, ','))
                ;
        else if (is(w, "%own"))
            ok = read_own(r);
        else if (w.text[0] == '%')
            ok = read_operand(r, w.len > 1 ? implied_type(r, w) : NULL);
        else if (is(w, "T"))
            ok = read_type(r);
        else if (is(w, "T*"))
            ok = read_types(r);
        else if (is(w, "R=element"))
            ok = read_result(r, element_type(r));
        else if (is(w, "S") || is(w, "SS"))
            ok = read_shared_type(r, w.len == 2);
        else if (w.text[0] == 'R')
            ok = read_result(r, w.len > 1 ? implied_type(r, w) : pto_text_parse_type(p));
        else if (w.text[0] == '@')
            ok = read_attr(r, w);
        else if (is(w, "->"))
            ok = pto_text_expect_arrow(p, "before the type of the result");
        else if (is_literal_word(w)) {
            if (at_literal(p, w, p->token))
                pto_text_take(p);
            else
                ok = pto_text_fail(p, "'%.*s'", (int)w.len, w.text);
        } else {
            ok = pto_text_expect(p, w.text[0], NULL);
        }
        if (!ok)
            return false;
    }
}

pto_operation *pto_mlir_parse_syntax(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    reader r = {.p = p, .op = pto_mlir_make(p, kind, name, NULL, NULL, 0)};
    const char *ssa = pto_text_at(p, '(') ? NULL : pto_op_kind_ssa_syntax(kind);
    if (ssa)
        pto_text_set_dialect(p, PTO_DIALECT_LEVEL1);
    if (!read_words(&r, ssa ? ssa : pto_op_kind_syntax(kind)))
        return NULL;
    if (ssa && !r.results.count) { /* only TPREFETCH_ASYNC may go without its signature */
        const pto_type event = {.kind = PTO_TYPE_OPAQUE, .text = PTO_STR("!pto.async_event")};
        pto_vec_push(p->arena, &r.results, pto_type_intern(p->program, &event));
    }
    const pto_op_shape *shape = pto_op_shape_of(kind);
    pto_operation *op = pto_mlir_make(p, kind, name, &r.values, &r.spans, (uint32_t)r.results.count);
    op->attr = r.op->attr;
    op->attr_count = r.op->attr_count;
    for (uint32_t i = 0; i < op->result_count; i++)
        pto_operation_set_result(p->program, op, i, r.results.data[i], (pto_str){NULL, 0});
    if (op->operand_count < (uint32_t)shape->operand_min)
        return pto_text_fail_at(p, "PTO-E0213", name, "%s takes %d operands", pto_op_kind_name(kind),
                                shape->operand_min),
               NULL;
    if (shape->segments)
        pto_operation_set_segments(op);
    return pto_mlir_check_props(p, op) ? op : NULL;
}

/* ---- printing ------------------------------------------------------------------------------ */

typedef struct writer {
    pto_text_printer *t;
    const pto_operation *op;
    uint32_t used, typed, result;
    char hidden[160]; /* attributes that the syntax writes */
    bool implied[8];  /* operand i has no written type */
    char last;        /* character before, for blanks */
} writer;

static void put(writer *w, const char *text, size_t len) {
    char first = text[0];
    bool glue = w->last == '(' || w->last == '[' || w->last == '{' || first == '}' || first == ',' ||
                first == ')' || first == ']' || (first == '(' && w->last == '>') ||
                (first == '[' && w->last != '}') || (w->last == 0);
    if (!glue)
        pto_sink_char(&w->t->sink, ' ', 1);
    pto_print_str(w->t, (pto_str){text, len});
    /* a bracket follows these without a blank */
    bool group = (len == 3 && !memcmp(text, "ins", 3)) || (len == 4 && !memcmp(text, "outs", 4));
    w->last = group ? '>' : text[len - 1];
}

static void gap(writer *w) {
    if (w->last && w->last != '(' && w->last != '[' && w->last != '{')
        pto_sink_char(&w->t->sink, ' ', 1);
    w->last = 'x';
}

/* How many operands must follow from here on. */
static uint32_t required(const char *at) {
    uint32_t n = 0;
    for (word w = next_word(&at); w.len; w = next_word(&at)) {
        if (is(w, "?{"))
            at = skip_group(at);
        else if (w.text[0] == '%' && w.text[w.len - 1] != '*')
            n++;
    }
    return n;
}

static bool attr_of(const writer *w, word key, const pto_attr **attr, size_t *len) {
    char name[40] = {0};
    *len = 0;
    while (key.text[1 + *len] != '/' && key.text[1 + *len] != ':')
        (*len)++;
    memcpy(name, key.text + 1, *len < sizeof name ? *len : sizeof name - 1);
    *attr = pto_operation_attr(w->op, name);
    return *attr != NULL;
}

static bool group_written(const writer *w, const char *at) {
    uint32_t operands = 0, types = 0;
    bool attr_given = false, result = false;
    const char *end = skip_group(at);
    for (word x = next_word(&at); at < end && x.len; x = next_word(&at)) {
        const pto_attr *attr;
        size_t len;
        if (is(x, "?{")) { /* what may be missing inside decides nothing */
            at = skip_group(at);
            continue;
        }
        operands += x.text[0] == '%';
        types += is(x, "T");
        result |= x.text[0] == 'R';
        if (x.text[0] == '@')
            attr_given |= attr_of(w, x, &attr, &len);
    }
    if (operands)
        return w->op->operand_count - w->used >= operands + required(end);
    if (types)
        return w->typed < w->op->operand_count;
    return attr_given || (result && w->op->result_count > w->result);
}

static void write_attr(writer *w, word key) {
    const pto_attr *attr;
    size_t len;
    if (!attr_of(w, key, &attr, &len))
        return;
    const pto_enum_desc *desc = pto_enum_of_key(w->op, (pto_str){key.text + 1, len});
    gap(w);
    if (attr->kind == PTO_AV_ENUM && desc && pto_enum_find(attr->enum_kind) == desc) {
        pto_sink_char(&w->t->sink, '<', 1);
        pto_print_str(w->t, attr->text);
        pto_sink_char(&w->t->sink, '>', 1);
    } else if (attr->kind == PTO_AV_INT) {
        pto_sink_printf(&w->t->sink, "%lld", (long long)attr->i);
    } else {
        pto_print_attr(w->t, attr);
        w->last = attr->kind == PTO_AV_OPAQUE ? '>' : 'x';
    }
    size_t used = strlen(w->hidden);
    if (used + len + 2 < sizeof w->hidden) {
        memcpy(w->hidden + used, " ", used ? 1 : 0);
        memcpy(w->hidden + used + (used ? 1 : 0), key.text + 1, len);
    }
}

void pto_print_syntax(pto_text_printer *t, const pto_operation *op) {
    writer w = {.t = t, .op = op, .last = '>'};
    pto_print_text(t, pto_op_kind_name(op->kind));
    const char *ssa = t->dialect == PTO_DIALECT_LEVEL1 ? pto_op_kind_ssa_syntax(op->kind) : NULL;
    const char *at = ssa ? ssa : pto_op_kind_syntax(op->kind);
    /* every attribute that the syntax may write, whether it stands before or behind the dictionary */
    for (word x = next_word(&at); x.len; x = next_word(&at)) {
        if (is(x, "?{"))
            at = group_written(&w, at) ? at : skip_group(at);
        else if (is(x, "?}"))
            continue;
        else if (is(x, "attrs"))
            pto_print_attr_dict(t, op, w.hidden);
        else if (is(x, "%*") || is(x, "%index*")) {
            gap(&w);
            if (w.used < op->operand_count)
                pto_print_values(t, op->operand + w.used, op->operand_count - w.used);
            w.used = op->operand_count;
            w.last = 'x';
        } else if (x.text[0] == '%') {
            gap(&w);
            if (w.used < 8)
                w.implied[w.used] = x.len > 1;
            pto_print_value(t, op->operand[w.used++]);
        } else if (is(x, "T")) {
            while (w.typed < op->operand_count && w.typed < 8 && w.implied[w.typed])
                w.typed++;
            gap(&w);
            pto_print_type(t, op->operand[w.typed++]->type);
        } else if (is(x, "T*")) {
            gap(&w);
            pto_print_value_types(t, op->operand, op->operand_count);
        } else if (is(x, "S") || is(x, "SS")) {
            gap(&w);
            pto_print_type(t, op->operand[0]->type);
            w.result = x.len == 2 ? 2 : 1;
        } else if (x.text[0] == 'R') {
            if (x.len == 1) {
                gap(&w);
                pto_print_type(t, op->result[w.result]->type);
            }
            w.result++;
        } else if (x.text[0] == '@') {
            write_attr(&w, x);
        } else {
            put(&w, x.text, x.len);
        }
    }
}
