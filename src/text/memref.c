/* SPDX-License-Identifier: Apache-2.0 */
/* memref.subview and memref.reinterpret_cast of the lowered form (60, 3.3): lists that mix numbers and
 * values. A number stands in an attribute, whose places for values hold INT64_MIN, as MLIR has them. */
#include "text/mlir.h"
#include "text/print.h"

static const char *const list_keys[3] = {"static_offsets", "static_sizes", "static_strides"};
static const char *const list_words[3] = {" offset: ", ", sizes: ", ", strides: "};

enum { LIST_LIMIT = 16 };

/* `[0, %n]` */
static bool read_list(pto_text_parser *p, pto_mlir_values *values, pto_mlir_spans *spans,
                      pto_operation *attrs, const char *key) {
    int64_t number[LIST_LIMIT];
    uint32_t count = 0;
    if (!pto_text_expect(p, '[', "before the list"))
        return false;
    while (!pto_text_at(p, ']')) {
        if (count == LIST_LIMIT)
            return pto_text_fail(p, "fewer numbers");
        if (count && !pto_text_expect(p, ',', "between numbers"))
            return false;
        if (p->token.kind == PTO_TOKEN_VALUE) {
            pto_span span;
            pto_value *value = pto_text_parse_use(p, "a number", &span);
            if (!value)
                return false;
            pto_text_check_type(p, value, span, pto_type_index(p->program), (pto_span){0, 0});
            pto_vec_push(p->arena, values, value);
            pto_vec_push(p->arena, spans, span);
            number[count++] = INT64_MIN;
            continue;
        }
        uint32_t begin = p->token.begin;
        if (p->token.kind != PTO_TOKEN_INT && !pto_text_at(p, '-'))
            return pto_text_fail(p, "a number or a value");
        const pto_attr *attr = pto_text_parse_number(p, pto_type_index(p->program));
        if (!attr || attr->kind != PTO_AV_INT || attr->i == INT64_MIN)
            return pto_text_fail_at(p, "PTO-E0233", pto_text_since(p, begin), "a number of 64 bits");
        number[count++] = attr->i;
    }
    pto_text_take(p);
    pto_operation_set_attr(
        p->program, attrs, pto_str_from(key),
        pto_attr_dense(p->program, pto_type_int(p->program, 64, PTO_SIGNLESS), number, count));
    return true;
}

pto_operation *pto_mlir_parse_memref(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    static const char *const words[3] = {"offset", "sizes", "strides"};
    bool cast = kind == PTO_OPK_MEMREF_REINTERPRET_CAST;
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_operation *attrs = pto_mlir_make(p, kind, name, NULL, NULL, 0);
    pto_span source;
    pto_value *memref = pto_text_parse_use(p, "a memref", &source);
    if (!memref)
        return NULL;
    pto_vec_push(p->arena, &values, memref);
    pto_vec_push(p->arena, &spans, source);
    if (cast && !pto_text_accept_word(p, "to"))
        return pto_text_fail(p, "'to offset: ['"), NULL;
    uint32_t segment[4] = {1};
    for (int i = 0; i < 3; i++) {
        size_t before = values.count;
        if (cast && ((i && !pto_text_expect(p, ',', NULL)) || !pto_text_accept_word(p, words[i]) ||
                     !pto_text_expect(p, ':', NULL)))
            return pto_text_fail(p, "'%s: ['", words[i]), NULL;
        if (!read_list(p, &values, &spans, attrs, list_keys[i]))
            return NULL;
        segment[1 + i] = (uint32_t)(values.count - before);
    }
    pto_operation *op = pto_mlir_make(p, kind, name, &values, &spans, 1);
    op->attr = attrs->attr;
    op->attr_count = attrs->attr_count;
    op->segment_count = 4;
    for (int i = 0; i < 4; i++)
        op->segment[i] = segment[i];
    if ((pto_text_at(p, '{') && !pto_text_parse_attr_dict(p, op)) ||
        !pto_text_expect(p, ':', "before the types"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    pto_text_check_type(p, memref, source, type, pto_text_since(p, begin));
    if (!pto_text_accept_word(p, "to"))
        return pto_text_fail(p, "'to' and the type of the result"), NULL;
    const pto_type *result = pto_text_parse_type(p);
    if (!result)
        return NULL;
    pto_operation_set_result(p->program, op, 0, result, (pto_str){NULL, 0});
    return op;
}

bool pto_mlir_check_memref(pto_text_parser *p, const pto_operation *op) {
    if (op->kind != PTO_OPK_MEMREF_SUBVIEW && op->kind != PTO_OPK_MEMREF_REINTERPRET_CAST)
        return true;
    bool fits = op->segment_count == 4 && op->segment[0] == 1;
    for (int i = 0; fits && i < 3; i++) {
        const pto_attr *list = pto_operation_attr(op, list_keys[i]);
        uint32_t values = 0;
        fits = list && list->kind == PTO_AV_DENSE && list->count <= LIST_LIMIT;
        for (uint32_t k = 0; fits && k < list->count; k++)
            values += list->dense[k] == INT64_MIN;
        fits = fits && values == op->segment[1 + i];
    }
    return fits || pto_text_fail_at(p, "PTO-E0213", op->name_span,
                                    "%s has an operand for every number that its attributes leave open",
                                    pto_op_kind_name(op->kind));
}

bool pto_print_memref(pto_text_printer *t, const pto_operation *op) {
    bool cast = op->kind == PTO_OPK_MEMREF_REINTERPRET_CAST;
    if (!cast && op->kind != PTO_OPK_MEMREF_SUBVIEW)
        return false;
    pto_print_text(t, pto_op_kind_name(op->kind));
    pto_sink_char(&t->sink, ' ', 1);
    pto_print_value(t, op->operand[0]);
    pto_print_text(t, cast ? " to" : "");
    uint32_t operand = 1;
    for (int i = 0; i < 3; i++) {
        const pto_attr *list = pto_operation_attr(op, list_keys[i]);
        pto_print_text(t, cast ? list_words[i] : i ? " " : "");
        pto_sink_char(&t->sink, '[', 1);
        for (uint32_t k = 0; k < list->count; k++) {
            pto_print_text(t, k ? ", " : "");
            if (list->dense[k] == INT64_MIN)
                pto_print_value(t, op->operand[operand++]);
            else
                pto_sink_printf(&t->sink, "%lld", (long long)list->dense[k]);
        }
        pto_sink_char(&t->sink, ']', 1);
    }
    pto_print_attr_dict(t, op, "static_offsets static_sizes static_strides");
    pto_print_text(t, " : ");
    pto_print_type(t, op->operand[0]->type);
    pto_print_text(t, " to ");
    pto_print_type(t, op->result[0]->type);
    return true;
}
