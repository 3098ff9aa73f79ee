/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of the pto dialect that are no instructions of the table (60, 3.9.1, 3.9.4, 7). */
#include "text/mlir.h"

#include <string.h>

static bool optional_attrs(pto_text_parser *p, pto_operation *op) {
    return !pto_text_at(p, '{') || pto_text_parse_attr_dict(p, op);
}

static bool push_use(pto_text_parser *p, const char *what, pto_mlir_values *values, pto_mlir_spans *spans) {
    pto_span span;
    pto_value *value = pto_text_parse_use(p, what, &span);
    if (!value)
        return false;
    pto_vec_push(p->arena, values, value);
    pto_vec_push(p->arena, spans, span);
    return true;
}

static void check(pto_text_parser *p, const pto_operation *op, uint32_t i, const pto_type *type,
                  pto_span span) {
    pto_text_check_type(p, op->operand[i], op->operand_span[i], type, span);
}

static void check_index(pto_text_parser *p, const pto_operation *op, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        check(p, op, i, pto_type_index(p->program), (pto_span){0, 0});
}

static pto_operation *set_result(pto_text_parser *p, pto_operation *op, const pto_type *type) {
    if (!type)
        return NULL;
    pto_operation_set_result(p->program, op, 0, type, (pto_str){NULL, 0});
    return op;
}

/* `: T`, checked against an operand (or none: -1); NULL + failed. */
static const pto_type *colon_type(pto_text_parser *p, const pto_operation *op, int operand,
                                  pto_type_kind kind) {
    if (!pto_text_expect(p, ':', "before the type"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = kind == PTO_TYPE_NONE ? pto_text_parse_type(p) : pto_text_parse_type_of(p, kind);
    if (type && operand >= 0)
        check(p, op, (uint32_t)operand, type, pto_text_since(p, begin));
    return type;
}

static const pto_type *arrow_type(pto_text_parser *p, pto_type_kind kind) {
    if (!pto_text_expect_arrow(p, "before the type of the result"))
        return NULL;
    return kind == PTO_TYPE_NONE ? pto_text_parse_type(p) : pto_text_parse_type_of(p, kind);
}

/* `, %x` */
static bool comma_use(pto_text_parser *p, pto_mlir_values *values, pto_mlir_spans *spans) {
    return pto_text_expect(p, ',', "between the operands") && push_use(p, "an operand", values, spans);
}

static bool index_list(pto_text_parser *p, pto_mlir_values *values, pto_mlir_spans *spans) {
    if (!pto_text_expect(p, '[', "before the list"))
        return false;
    if (p->token.kind != PTO_TOKEN_VALUE && !pto_text_at(p, ']'))
        return pto_text_fail(p, "a value of type index");
    return pto_mlir_parse_uses(p, values, spans) && pto_text_expect(p, ']', "after the list");
}

/* `, word = [...]` */
static bool named_list(pto_text_parser *p, const char *word, pto_mlir_values *values, pto_mlir_spans *spans) {
    if (!pto_text_expect(p, ',', NULL))
        return false;
    if (!pto_text_accept_word(p, word))
        return pto_text_fail(p, "'%s = ['", word);
    return pto_text_expect(p, '=', NULL) && index_list(p, values, spans);
}

static pto_operation *make_view(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    bool make = kind == PTO_OPK_MAKE_TENSOR_VIEW;
    if (!push_use(p, make ? "a pointer" : "a tensor view", &values, &spans) ||
        !named_list(p, make ? "shape" : "offsets", &values, &spans))
        return NULL;
    uint32_t first = (uint32_t)values.count - 1;
    if (!named_list(p, make ? "strides" : "sizes", &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, kind, name, &values, &spans, 1);
    op->segment_count = 3;
    op->segment[0] = 1;
    op->segment[1] = first;
    op->segment[2] = op->operand_count - 1 - first;
    check_index(p, op, 1, op->operand_count);
    if (!optional_attrs(p, op))
        return NULL;
    pto_type_kind source = make ? PTO_TYPE_TENSOR_VIEW : PTO_TYPE_NONE;
    const pto_type *type = colon_type(p, op, make ? -1 : 0, source);
    if (!type)
        return NULL;
    return set_result(p, op, make ? type : arrow_type(p, PTO_TYPE_PARTITION_VIEW));
}

static pto_operation *alloc_tile(pto_text_parser *p, pto_span name) {
    static const char *const words[] = {"addr", "valid_row", "valid_col"};
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    uint32_t given[3] = {0};
    const char *spelled = p->source->text + name.begin;
    bool conv = name.end - name.begin == 19 && !memcmp(spelled, "pto.alloc_conv_tile", 19);
    for (int i = 0; i < (conv ? 1 : 3); i++)
        if (pto_text_accept_word(p, words[i])) {
            if (!pto_text_expect(p, '=', NULL) || !push_use(p, "a value", &values, &spans))
                return NULL;
            given[i] = 1;
        }
    pto_operation *op = pto_mlir_make(p, PTO_OPK_ALLOC_TILE, name, &values, &spans, 1);
    op->segment_count = 3;
    memcpy(op->segment, given, sizeof given);
    if (given[0])
        check(p, op, 0, pto_type_int(p->program, 64, PTO_SIGNLESS), (pto_span){0, 0});
    check_index(p, op, given[0], op->operand_count);
    if (!optional_attrs(p, op))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = colon_type(p, op, -1, PTO_TYPE_TILE_BUF);
    if (type && !pto_type_is_tile(type))
        pto_text_error(p, "PTO-E0212", pto_text_since(p, begin), "alloc_tile makes a tile");
    else if (type && !type->open && (type->tile.conv != NULL) != conv)
        pto_text_error(p, "PTO-E0212", pto_text_since(p, begin),
                       conv ? "alloc_conv_tile makes a convolution tile" : "alloc_conv_tile makes this type");
    return set_result(p, op, pto_text_conv_take_attrs(p, op, type));
}

static bool constant_index(const pto_value *value, int64_t *number) {
    if (!value->def || value->def->kind != PTO_OPK_ARITH_CONSTANT)
        return false;
    const pto_attr *attr = pto_operation_attr(value->def, "value");
    *number = attr ? attr->i : 0;
    return attr && attr->kind == PTO_AV_INT;
}

/* Type of a window of a tile (60, 3.10.1): its valid region is what the parent's leaves of it. */
static const pto_type *subset_type(pto_text_parser *p, const pto_operation *op, const int64_t size[2]) {
    const pto_type *source = op->operand[0]->type;
    if (!source || source->open || !pto_type_is_tile(source))
        return source ? source : NULL;
    pto_tile_type tile = source->tile;
    int32_t *extent[2] = {&tile.rows, &tile.cols};
    int32_t *valid[2] = {&tile.valid_rows, &tile.valid_cols};
    for (int i = 0; i < 2; i++) {
        int64_t offset, parent = *valid[i];
        *extent[i] = (int32_t)size[i];
        if (parent <= 0 || !constant_index(op->operand[1 + i], &offset)) {
            *valid[i] = PTO_DYNAMIC;
            continue;
        }
        int64_t left = offset < 0 ? parent : offset > parent ? 0 : parent - offset;
        *valid[i] = (int32_t)(left < size[i] ? left : size[i]);
    }
    return pto_type_tile(p->program, source->kind, &tile, source->element);
}

static pto_operation *subset(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    if (!push_use(p, "a tile", &values, &spans) || !index_list(p, &values, &spans))
        return NULL;
    if (values.count != 3) {
        pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, spans.data[0].begin), "subset takes two offsets");
        return NULL;
    }
    if (!pto_text_accept_word(p, "sizes")) {
        pto_text_fail(p, "'sizes [rows, columns]'");
        return NULL;
    }
    pto_operation *op = pto_mlir_make(p, PTO_OPK_SUBSET, name, &values, &spans, 1);
    check_index(p, op, 1, 3);
    int64_t size[2];
    const pto_attr *items[2];
    if (!pto_text_expect(p, '[', "before the sizes"))
        return NULL;
    for (int i = 0; i < 2; i++) {
        uint32_t begin = p->token.begin;
        if ((i && !pto_text_expect(p, ',', "between the sizes")) || !pto_text_parse_int(p, &size[i]))
            return NULL;
        if (size[i] < 0 || size[i] > INT32_MAX) {
            pto_text_error(p, "PTO-E0232", pto_text_since(p, begin), "a size is 0 to 2^31 - 1");
            size[i] = 1;
        }
        items[i] = pto_attr_int(p->program, size[i], NULL);
    }
    if (!pto_text_expect(p, ']', "after the sizes"))
        return NULL;
    pto_operation_set_attr(p->program, op, PTO_STR("sizes"), pto_attr_array(p->program, items, 2));
    if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_TILE_BUF))
        return NULL;
    const pto_type *type = subset_type(p, op, size);
    pto_operation_set_result(p->program, op, 0, type, (pto_str){NULL, 0});
    return op;
}

/* ---- scalars ------------------------------------------------------------------------------- */

/* `%p[%i]` */
static bool element(pto_text_parser *p, pto_mlir_values *values, pto_mlir_spans *spans) {
    return push_use(p, "a pointer", values, spans) && pto_text_expect(p, '[', "before the offset") &&
           push_use(p, "an offset", values, spans) && pto_text_expect(p, ']', "after the offset");
}

static pto_operation *load_scalar(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    if (!element(p, &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_LOAD_SCALAR, name, &values, &spans, 1);
    check_index(p, op, 1, 2);
    if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_PTR))
        return NULL;
    return set_result(p, op, arrow_type(p, PTO_TYPE_NONE));
}

static pto_operation *store_scalar(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_span span;
    pto_value *value = pto_text_parse_use(p, "a scalar", &span);
    if (!value || !pto_text_expect(p, ',', "after the value") || !element(p, &values, &spans))
        return NULL;
    pto_vec_push(p->arena, &values, value);
    pto_vec_push(p->arena, &spans, span);
    pto_operation *op = pto_mlir_make(p, PTO_OPK_STORE_SCALAR, name, &values, &spans, 0);
    check_index(p, op, 1, 2);
    if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_PTR) ||
        !pto_text_expect(p, ',', "between the types"))
        return NULL;
    uint32_t begin = p->token.begin;
    const pto_type *type = pto_text_parse_type(p);
    if (!type)
        return NULL;
    check(p, op, 2, type, pto_text_since(p, begin));
    return op;
}

static pto_operation *view_dim(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    if (!push_use(p, "a tensor view", &values, &spans) || !comma_use(p, &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_GET_TENSOR_VIEW_DIM, name, &values, &spans, 1);
    check_index(p, op, 1, 2);
    if (!optional_attrs(p, op) || !pto_text_expect(p, ':', "before the type"))
        return NULL;
    /* `TV -> index`; the manual writes `TV, index -> index`. */
    pto_text_types types = {0};
    uint32_t begin = p->token.begin;
    if (pto_text_at(p, '(') ? !pto_text_parse_type_group(p, &types) : !pto_text_parse_types(p, &types))
        return NULL;
    if (types.count > 2 || types.count < 1) {
        pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin), "2 operands, but %zu types", types.count);
        return NULL;
    }
    for (uint32_t i = 0; i < types.count; i++)
        check(p, op, i, types.data[i], pto_text_since(p, begin));
    return set_result(p, op, arrow_type(p, PTO_TYPE_NONE)) && optional_attrs(p, op) ? op : NULL;
}

static pto_operation *tsetval(pto_text_parser *p, pto_span name) {
    pto_mlir_group in = {0}, out = {0};
    pto_operation *op = pto_mlir_make(p, PTO_OPK_TSETVAL, name, NULL, NULL, 0);
    uint32_t begin = p->token.begin;
    if (!pto_mlir_parse_group(p, "ins", op, &in) || !pto_mlir_parse_group(p, "outs", NULL, &out))
        return NULL;
    if (in.values.count != 2 || out.values.count != 1) {
        pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin),
                         "tsetval is ins(offset, value) outs(tile)");
        return NULL;
    }
    pto_operation_resize(p->program, op, 3);
    op->operand[0] = out.values.data[0];
    op->operand_span[0] = out.spans.data[0];
    for (int i = 0; i < 2; i++) {
        op->operand[1 + i] = in.values.data[i];
        op->operand_span[1 + i] = in.spans.data[i];
    }
    return optional_attrs(p, op) ? op : NULL;
}

static pto_operation *tgetval(pto_text_parser *p, pto_span name) {
    pto_mlir_group in = {0};
    uint32_t begin = p->token.begin;
    pto_operation *gathered = pto_mlir_make(p, PTO_OPK_TGETVAL, name, NULL, NULL, 0);
    if (!pto_mlir_parse_group(p, "ins", gathered, &in))
        return NULL;
    if (in.values.count != 2) {
        pto_text_fail_at(p, "PTO-E0213", pto_text_since(p, begin),
                         "tgetval is ins(tile, offset) outs : type");
        return NULL;
    }
    pto_operation *op = pto_mlir_make(p, PTO_OPK_TGETVAL, name, &in.values, &in.spans, 1);
    op->attr = gathered->attr;
    op->attr_count = gathered->attr_count;
    if (!pto_text_accept_word(p, "outs")) {
        pto_text_fail(p, "'outs :'");
        return NULL;
    }
    const pto_type *type = colon_type(p, op, -1, PTO_TYPE_NONE);
    return set_result(p, op, type) && optional_attrs(p, op) ? op : NULL;
}

/* ---- synchronisation, control -------------------------------------------------------------- */

typedef struct sync_key {
    const char *key, *kind;
} sync_key;

/* `[a, b, c]` of attributes with fixed kinds; the endpoints may be of the legacy kind. */
static pto_operation *sync(pto_text_parser *p, pto_op_kind kind, pto_span name, const sync_key *keys,
                           int count, bool bracket) {
    pto_operation *op = pto_mlir_make(p, kind, name, NULL, NULL, 0);
    bool open = pto_text_accept(p, '[');
    if (bracket && !open) {
        pto_text_fail(p, "'['");
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        if (i && !pto_text_expect(p, ',', "between the operands"))
            return NULL;
        uint32_t begin = p->token.begin;
        const pto_enum_desc *desc = pto_enum_find(pto_str_from(keys[i].kind));
        const pto_attr *attr = pto_text_parse_attr(p, desc);
        if (!attr)
            return NULL;
        const pto_enum_desc *got = attr->kind == PTO_AV_ENUM ? pto_enum_find(attr->enum_kind) : NULL;
        if (!got || got->values != desc->values) {
            pto_text_fail_at(p, "PTO-E0233", pto_text_since(p, begin), "a value of #pto.%s stands here",
                             keys[i].kind);
            return NULL;
        }
        pto_operation_set_attr(p->program, op, pto_str_from(keys[i].key), attr);
    }
    if (open && !pto_text_expect(p, ']', "after the operands"))
        return NULL;
    return optional_attrs(p, op) ? op : NULL;
}

static pto_operation *tsync(pto_text_parser *p, pto_span name) {
    pto_mlir_group in = {0};
    pto_operation *gathered = pto_mlir_make(p, PTO_OPK_TSYNC, name, NULL, NULL, 0);
    if (pto_text_at_word(p, "ins")) {
        if (!pto_mlir_parse_group(p, "ins", gathered, &in))
            return NULL;
    } else if (p->token.kind == PTO_TOKEN_HASH && !p->token.first) {
        /* `tsync #pto.op<TADD>`: a barrier for one class of instructions */
        const pto_attr *attr = pto_text_parse_attr(p, NULL);
        if (!attr)
            return NULL;
        pto_operation_set_attr(p->program, gathered, PTO_STR("op"), attr);
    } else if (p->token.kind == PTO_TOKEN_VALUE && !p->token.first) {
        if (!pto_mlir_parse_uses(p, &in.values, &in.spans))
            return NULL;
        pto_text_types types = {0};
        if (pto_text_accept(p, ':') && !pto_text_parse_types(p, &types))
            return NULL;
    }
    pto_operation *op = pto_mlir_make(p, PTO_OPK_TSYNC, name, &in.values, &in.spans, 0);
    op->attr = gathered->attr;
    op->attr_count = gathered->attr_count;
    return optional_attrs(p, op) ? op : NULL;
}

static pto_operation *print(pto_text_parser *p, pto_span name) {
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    if (!pto_text_accept_word(p, "ins") || !pto_text_expect(p, '(', NULL) ||
        p->token.kind != PTO_TOKEN_STRING) {
        pto_text_fail(p, "'ins(\"format\", %%value : type)'");
        return NULL;
    }
    pto_str format = pto_text_unescape(p, pto_text_take(p));
    if (!comma_use(p, &values, &spans))
        return NULL;
    pto_operation *op = pto_mlir_make(p, PTO_OPK_PRINT, name, &values, &spans, 0);
    pto_operation_set_attr(p->program, op, PTO_STR("format"), pto_attr_string(p->program, format));
    if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_NONE) ||
        !pto_text_expect(p, ')', "after the type"))
        return NULL;
    return optional_attrs(p, op) ? op : NULL;
}

static pto_operation *section(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    pto_operation *op = pto_mlir_make(p, kind, name, NULL, NULL, 0);
    pto_mlir_args none = {0};
    if (!pto_mlir_parse_region(p, pto_operation_add_region(p->program, op), false, &none))
        return NULL;
    return optional_attrs(p, op) ? op : NULL;
}

pto_operation *pto_mlir_parse_pto(pto_text_parser *p, pto_op_kind kind, pto_span name) {
    static const sync_key flag[] = {{"src_pipe", "pipe"}, {"dst_pipe", "pipe"}, {"event_id", "event"}};
    static const sync_key event[] = {
        {"src_op", "pipe_event_type"}, {"dst_op", "pipe_event_type"}, {"event_id", "event"}};
    static const sync_key barrier[] = {{"pipe", "pipe"}};
    static const sync_key barrier_sync[] = {{"op_type", "sync_op_type"}};
    pto_mlir_values values = {0};
    pto_mlir_spans spans = {0};
    pto_operation *op;
    switch (kind) {
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
        return make_view(p, kind, name);
    case PTO_OPK_ALLOC_TILE:
        return alloc_tile(p, name);
    case PTO_OPK_SUBSET:
        return subset(p, name);
    case PTO_OPK_LOAD_SCALAR:
        return load_scalar(p, name);
    case PTO_OPK_STORE_SCALAR:
        return store_scalar(p, name);
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
        return view_dim(p, name);
    case PTO_OPK_TSETVAL:
        return tsetval(p, name);
    case PTO_OPK_TGETVAL:
        return tgetval(p, name);
    case PTO_OPK_ADDPTR:
        if (!push_use(p, "a pointer", &values, &spans) || !comma_use(p, &values, &spans))
            return NULL;
        op = pto_mlir_make(p, kind, name, &values, &spans, 1);
        check_index(p, op, 1, 2);
        if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_PTR))
            return NULL;
        return set_result(p, op, arrow_type(p, PTO_TYPE_PTR));
    case PTO_OPK_BITCAST:
        if (!push_use(p, "a tile", &values, &spans))
            return NULL;
        op = pto_mlir_make(p, kind, name, &values, &spans, 1);
        if (!optional_attrs(p, op) || !colon_type(p, op, 0, PTO_TYPE_TILE_BUF))
            return NULL;
        return set_result(p, op, arrow_type(p, PTO_TYPE_TILE_BUF));
    case PTO_OPK_SET_VALIDSHAPE:
        if (!push_use(p, "a tile", &values, &spans) || !comma_use(p, &values, &spans) ||
            !comma_use(p, &values, &spans))
            return NULL;
        op = pto_mlir_make(p, kind, name, &values, &spans, 0);
        check_index(p, op, 1, 3);
        return optional_attrs(p, op) && colon_type(p, op, 0, PTO_TYPE_TILE_BUF) ? op : NULL;
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
        return sync(p, kind, name, flag, 3, true);
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        return sync(p, kind, name, event, 3, true);
    case PTO_OPK_BARRIER:
        return sync(p, kind, name, barrier, 1, false);
    case PTO_OPK_BARRIER_SYNC:
        return sync(p, kind, name, barrier_sync, 1, true);
    case PTO_OPK_TSYNC:
        return tsync(p, name);
    case PTO_OPK_PRINT:
        return print(p, name);
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
        return section(p, kind, name);
    case PTO_OPK_TRAP:
        op = pto_mlir_make(p, kind, name, NULL, NULL, 0);
        return optional_attrs(p, op) ? op : NULL;
    default: /* get_block_idx and its like: -> i64 */
        op = pto_mlir_make(p, kind, name, NULL, NULL, 1);
        if (!optional_attrs(p, op))
            return NULL;
        if (pto_text_at(p, ':') || p->token.kind == PTO_TOKEN_ARROW) {
            pto_text_take(p);
            const pto_type *type = pto_text_parse_type(p);
            if (!type)
                return NULL;
            if (type != pto_type_int(p->program, 64, PTO_SIGNLESS)) {
                pto_text_fail_at(p, "PTO-E0212", name, "the result is an i64");
                return NULL;
            }
        }
        return set_result(p, op, pto_type_int(p->program, 64, PTO_SIGNLESS));
    }
}
