/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the operation of an SSA statement: operands, old values, types of results (60, 1.4, 2). */
#include "text/ssa.h"

#include <string.h>

/* ---- values ------------------------------------------------------------------------------------- */

static void look_up(pto_text_parser *p, pto_ssa_item *item) {
    if (item->kind == PTO_SSA_NAME)
        item->value = pto_text_lookup(p, pto_token_name(item->token));
    for (uint32_t i = 0; i < item->index_count; i++)
        look_up(p, &item->index[i]);
}

const pto_attr *pto_ssa_truth(pto_program *program, bool truth, const pto_type *type) {
    if (type->kind == PTO_TYPE_INT && type->width == 1)
        return pto_attr_bool(program, truth);
    return type->kind == PTO_TYPE_FLOAT ? pto_attr_float(program, truth, type)
                                        : pto_attr_int(program, truth, type);
}

/* The number of a literal as an attribute of a type; reads it again, since its type stands behind it. */
static const pto_attr *literal_attr(pto_text_parser *p, const pto_ssa_item *item, const pto_type *type) {
    pto_lexer lexer = p->lexer;
    pto_token token = p->token;
    uint32_t last_end = p->last_end;
    pto_text_seek(p, item->number);
    const pto_attr *attr;
    if (p->token.kind == PTO_TOKEN_WORD)
        attr = pto_ssa_truth(p->program, pto_text_at_word(p, "true"), type);
    else
        attr = pto_text_parse_number(p, type);
    if (!p->stopped) {
        p->lexer = lexer;
        p->token = token;
        p->last_end = last_end;
    }
    return attr;
}

/* A literal operand is a constant in front of the statement. */
static pto_value *literal(pto_text_parser *p, const pto_ssa_statement *s, const pto_ssa_item *item,
                          const pto_type *type) {
    pto_span span = {item->token.begin, item->end};
    if (!s->block) {
        pto_text_fail_at(p, "PTO-E0201", span, "a name is needed here: a literal operand is PTO-AS");
        return pto_text_poison(p);
    }
    const pto_attr *attr = literal_attr(p, item, type);
    if (!attr)
        return pto_text_poison(p);
    pto_op_kind kind = s->text == PTO_TEXT_AS ? PTO_OPK_AS_CONST : PTO_OPK_ARITH_CONSTANT;
    pto_operation *op = pto_operation_create(p->program, kind, 0, 1);
    op->span = op->name_span = span;
    pto_value *value = pto_operation_set_result(p->program, op, 0, type, (pto_str){NULL, 0});
    value->span = span;
    pto_operation_set_attr(p->program, op, PTO_STR("value"), attr);
    pto_block_append(s->block, op);
    return value;
}

static pto_value *use(pto_text_parser *p, const pto_ssa_statement *s, const pto_ssa_item *item,
                      const pto_type *literal_type) {
    if (item->kind == PTO_SSA_NAME)
        return pto_text_use(p, item->token);
    return literal(p, s, item, literal_type);
}

/* ---- signature ---------------------------------------------------------------------------------- */

/* The type written for item i; NULL when none is. Types of indices may stand behind that of their operand. */
static const pto_ssa_type *written_type(const pto_ssa_statement *s, size_t i) {
    const pto_ssa_types *types = &s->operand_types;
    size_t items = s->item.count, with_indices = items;
    for (size_t k = 0; k < items; k++)
        with_indices += s->item.data[k].index_count;
    bool list = types->count == items || types->count == with_indices || types->count == items + 1 ||
                types->count == with_indices + 1;
    if (!list || types->count < 2 || i >= items)
        return types->count == 1 && items == 1 && i == 0 ? &types->data[0] : NULL;
    size_t at = i;
    if (types->count != items && types->count != items + 1)
        for (size_t k = 0; k < i; k++)
            at += s->item.data[k].index_count;
    return at < types->count ? &types->data[at] : NULL;
}

static void check_count(pto_text_parser *p, const pto_ssa_statement *s, uint32_t acc) {
    size_t types = s->operand_types.count, items = s->item.count, with_indices = items;
    for (size_t k = 0; k < items; k++)
        with_indices += s->item.data[k].index_count;
    if (!s->signature || types == 1 || types == items || types == with_indices)
        return;
    /* The last type of a list without arrow may be that of the result; %acc may go without a type. */
    if (!s->arrow && s->results.count && (types == items + 1 || types == with_indices + 1))
        return;
    if (acc && (types + 1 == items || types + 1 == with_indices))
        return;
    pto_span span = s->opcode.begin < s->opcode.end ? pto_text_span(s->opcode) : (pto_span){0, 0};
    if (types) {
        span.begin = s->operand_types.data[0].span.begin;
        span.end = s->operand_types.data[types - 1].span.end;
    }
    pto_text_error(p, "PTO-E0213", span, "%zu types for %zu operands", types, items);
}

static void check_types(pto_text_parser *p, const pto_ssa_statement *s) {
    for (size_t i = 0; i < s->item.count; i++) {
        const pto_ssa_item *item = &s->item.data[i];
        pto_span span = {item->token.begin, item->token.end};
        const pto_ssa_type *type = written_type(s, i);
        bool one = !type && s->operand_types.count == 1;
        if (one)
            type = &s->operand_types.data[0];
        if (!type || !item->value || !item->value->type)
            continue;
        /* One type stands for every tile operand. */
        bool both_tiles = pto_type_is_tile(type->type) && pto_type_is_tile(item->value->type);
        if ((one || (s->operand_types.count == 1 && !s->arrow)) && !both_tiles)
            continue;
        /* `!pto.tile<16x16xf32>` says nothing of location and layout: shape and element decide. */
        if (both_tiles && pto_ssa_same_tile(item->value->type, type->type))
            continue;
        pto_text_check_type(p, item->value, span, type->type, type->span);
    }
}

bool pto_ssa_same_tile(const pto_type *definition, const pto_type *written) {
    if (definition == written || definition->open || written->open)
        return true;
    if (written->layout_given && definition->layout_given)
        return false; /* both are whole: pto_text_check_type compares them */
    return definition->tile.rows == written->tile.rows && definition->tile.cols == written->tile.cols &&
           definition->tile.dtype == written->tile.dtype;
}

static const pto_type *first_tile(const pto_ssa_statement *s) {
    for (size_t i = 0; i < s->item.count; i++) {
        const pto_value *value = s->item.data[i].value;
        if (value && value->type && pto_type_is_tile(value->type))
            return value->type;
    }
    return NULL;
}

static int variable(char name) {
    const char *at = name ? strchr("TSDABI", name) : NULL;
    return at ? (int)(at - "TSDABI") : -1;
}

/* The element type that the table allows the result when the operands are as they are; NONE when there is
 * none or a choice. */
static pto_dtype only_dtype(const pto_ssa_statement *s, const pto_form_desc *form, int position) {
    const pto_operand_desc *desc = &form->operand[position];
    int var = variable(desc->type_var);
    if (desc->fixed_dtype != PTO_DTYPE_NONE || var < 0)
        return desc->fixed_dtype;
    uint32_t allowed = 0;
    for (int i = 0; i < form->type_count[PTO_TARGET_CPU]; i++) {
        const pto_type_combo *combo = &form->types[PTO_TARGET_CPU][i];
        bool fits = true;
        for (uint32_t k = 0; k < s->op->operand_count; k++) {
            const pto_value *value = s->op->operand[k];
            int other = variable(form->operand[k].type_var);
            bool tile = value && value->type && pto_type_is_tile(value->type) && !value->type->open;
            if (tile && other >= 0 && !(combo->set[other] >> value->type->tile.dtype & 1))
                fits = false;
        }
        if (fits)
            allowed |= combo->set[var];
    }
    for (int dtype = 1; dtype < PTO_DTYPE_COUNT; dtype++)
        if (allowed == UINT32_C(1) << dtype)
            return (pto_dtype)dtype;
    return PTO_DTYPE_NONE;
}

/* The type of the result at a schema position that the text leaves open: that of the old value, else that of
 * the first tile operand, with the element type of the table when it allows only one. */
static const pto_type *inferred_type(pto_text_parser *p, const pto_ssa_statement *s,
                                     const pto_form_desc *form, int position, const pto_type *written) {
    const pto_type *type = first_tile(s);
    if (s->op->acc && s->op->acc->type && pto_type_is_tile(s->op->acc->type))
        return s->op->acc->type;
    if (!type && !written) {
        /* Open: verification names it. */
        pto_type open = {.kind = PTO_TYPE_TILE, .open = true};
        return pto_type_intern(p->program, &open);
    }
    if (!type)
        return written;
    pto_dtype fixed = only_dtype(s, form, position);
    if (!type->open && fixed != PTO_DTYPE_NONE && type->tile.dtype != fixed) {
        pto_type changed = *type;
        changed.tile.dtype = changed.dtype = fixed;
        changed.element = pto_type_element(p->program, fixed);
        return pto_type_intern(p->program, &changed);
    }
    return type;
}

const pto_type *pto_ssa_written_result(const pto_ssa_statement *s, uint32_t k, uint32_t results) {
    const pto_type *written = NULL;
    size_t types = s->operand_types.count;
    if (s->arrow) {
        if (k < s->result_types.count)
            written = s->result_types.data[k].type;
    } else if (types == 1 && pto_type_is_tile(s->operand_types.data[0].type)) {
        written = s->operand_types.data[0].type;
    } else if (types > 1) {
        size_t items = s->item.count, with_indices = items;
        for (size_t i = 0; i < items; i++)
            with_indices += s->item.data[i].index_count;
        if ((types == items + 1 || types == with_indices + 1) && results == 1)
            written = s->operand_types.data[types - 1].type;
    }
    return written;
}

static const pto_type *result_type(pto_text_parser *p, const pto_ssa_statement *s, const pto_form_desc *form,
                                   uint32_t k, uint32_t results) {
    const pto_type *written = pto_ssa_written_result(s, k, results);
    int position = form->text[s->text].result[k];
    if (form->operand[position].is_counts) {
        pto_type counts = {.kind = PTO_TYPE_VECTOR, .rank = 1, .dim = {4}};
        if (s->arrow && written && written->kind != PTO_TYPE_VECTOR)
            pto_text_error(p, "PTO-E0212", pto_text_span(s->opcode), "%s is of type vector<4xi16>",
                           form->operand[position].name);
        counts.element = pto_type_int(p->program, 16, PTO_SIGNLESS);
        counts.dtype = pto_type_dtype(counts.element);
        return pto_type_intern(p->program, &counts);
    }
    if (written && !form->operand[position].is_counts && !pto_type_is_tile(written)) {
        pto_text_error(p, "PTO-E0212", pto_text_span(s->opcode),
                       "the result %s is a tile: its type must be a tile type", form->operand[position].name);
        written = NULL;
    }
    if (written && !written->open)
        return written;
    if (!written && s->destination_first && k < s->results.count) {
        const pto_value *old = pto_text_lookup(p, s->results.data[k].name);
        if (old && pto_type_is_tile(old->type) && !old->type->open)
            return old->type;
    }
    return inferred_type(p, s, form, position, written);
}

/* ---- operands ---------------------------------------------------------------------------------------- */

static const pto_type *literal_type(pto_text_parser *p, const pto_ssa_statement *s, const pto_form_desc *form,
                                    int position, size_t item) {
    const pto_ssa_type *written = item < s->item.count ? written_type(s, item) : NULL;
    if (written && pto_type_is_scalar(written->type))
        return written->type;
    const pto_operand_desc *desc = &form->operand[position];
    if (desc->fixed_dtype != PTO_DTYPE_NONE)
        return pto_type_element(p->program, desc->fixed_dtype);
    const pto_type *tile = first_tile(s);
    if (desc->type_var && tile && !tile->open)
        return pto_type_element(p->program, tile->tile.dtype);
    return item < s->item.count && s->item.data[item].is_float ? pto_type_float(p->program, PTO_F32)
                                                               : pto_type_int(p->program, 32, PTO_SIGNLESS);
}

/* Scalars of the schema that the text writes as indices of the operand before them. */
static uint32_t index_positions(const pto_form_desc *form, const pto_text_pattern *pattern,
                                int8_t positions[PTO_MAX_OPERANDS]) {
    uint32_t n = 0;
    for (int i = 0; i < form->operand_count; i++) {
        bool listed = form->operand[i].role != PTO_ROLE_SCALAR;
        for (int k = 0; !listed && k < PTO_MAX_OPERANDS && pattern->operand[k] >= 0; k++)
            listed = pattern->operand[k] == i;
        if (!listed)
            positions[n++] = (int8_t)i;
    }
    return n;
}

static void put(pto_operation *op, int position, pto_value *value, const pto_ssa_item *item) {
    op->operand[position] = value;
    op->operand_span[position] = (pto_span){item->token.begin, item->end};
}

static void put_indices(pto_text_parser *p, pto_ssa_statement *s, const pto_form_desc *form,
                        pto_ssa_item *item) {
    const pto_text_pattern *pattern = &form->text[s->text];
    const pto_type *index = pto_type_index(p->program);
    int8_t positions[PTO_MAX_OPERANDS];
    uint32_t scalars =
        form->operand[pattern->indexed].is_global ? 0 : index_positions(form, pattern, positions);
    if (scalars && item->index_count != scalars)
        pto_text_error(p, "PTO-E0213", (pto_span){item->token.begin, item->end},
                       "%s takes %u indices, found %u", form->mnemonic, scalars, item->index_count);
    if (!scalars && item->index_count) { /* only PTO-AS can say it again */
        pto_text_set_dialect(p, PTO_DIALECT_AS);
        if (p->program->dialect != PTO_DIALECT_AS)
            pto_text_error(p, "PTO-E0201", (pto_span){item->token.begin, item->end},
                           "indices of memory stand in PTO-AS alone: partition the view");
    }
    for (uint32_t i = 0; i < item->index_count; i++) {
        pto_value *value = use(p, s, &item->index[i], index);
        if (i < scalars)
            put(s->op, positions[i], value, &item->index[i]);
        else if (!scalars)
            s->op->index[s->op->index_count++] = value;
    }
}

/* Items with their indices as items of their own, where the form has no indexed operand. */
static void flatten(pto_text_parser *p, pto_ssa_statement *s) {
    size_t count = s->item.count;
    const pto_ssa_item *old = s->item.data;
    s->item.data = NULL;
    s->item.count = s->item.capacity = 0;
    for (size_t i = 0; i < count; i++) {
        pto_ssa_item plain = old[i];
        plain.index_count = 0;
        pto_vec_push(p->arena, &s->item, plain);
        for (uint32_t k = 0; k < old[i].index_count; k++)
            pto_vec_push(p->arena, &s->item, old[i].index[k]);
    }
}

/* Fills the operands; the number of old values (0 or 1) that the text names last. */
static uint32_t put_operands(pto_text_parser *p, pto_ssa_statement *s, const pto_form_desc *form) {
    const pto_text_pattern *pattern = &form->text[s->text];
    pto_operation *op = s->op;
    if (pattern->indexed < 0)
        flatten(p, s);
    pto_ssa_item *items = s->item.data;
    uint32_t count = (uint32_t)s->item.count, acc, misfits;
    int8_t slot[PTO_MAX_OPERANDS];
    acc = pto_ssa_assign_old(form, s->text, items, count, slot, &misfits);
    for (uint32_t i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++) {
        if (slot[i] < 0)
            continue;
        int position = pattern->operand[i];
        pto_ssa_item *item = &items[slot[i]];
        item->value =
            use(p, s, item,
                item->kind == PTO_SSA_NAME ? NULL : literal_type(p, s, form, position, (size_t)slot[i]));
        put(op, position, item->value, item);
        if (item->index_count && position == pattern->indexed)
            put_indices(p, s, form, item);
        else if (item->index_count)
            pto_text_error(p, "PTO-E0213", (pto_span){item->token.begin, item->end},
                           "this operand takes no indices");
    }
    if (acc) {
        pto_ssa_item *item = &items[count - 1];
        item->value = use(p, s, item, pto_type_int(p->program, 32, PTO_SIGNLESS));
        op->acc = item->value;
    }
    return acc;
}

/* ---- results ----------------------------------------------------------------------------------------- */

/* A name may be bound again by an instruction that takes over the storage of what it names (60, 1.3, 2). */
static bool rebinds(const pto_ssa_statement *s, const pto_form_desc *form, const pto_value *bound) {
    if (!bound)
        return false;
    if (s->op->acc == bound || s->destination_first)
        return true;
    int c_in = pto_form_operand_index(form, "cIn");
    return c_in >= 0 && s->op->operand[c_in] == bound;
}

static void bind_results(pto_text_parser *p, const pto_ssa_statement *s, const pto_form_desc *form) {
    for (uint32_t k = 0; k < s->op->result_count && k < s->results.count; k++) {
        const pto_text_result *result = &s->results.data[k];
        pto_value *value = s->op->result[k];
        value->name = result->name;
        if (rebinds(s, form, pto_text_lookup(p, result->name)))
            pto_text_rebind(p, result->name, result->span, value);
        else
            pto_text_define(p, result->name, result->span, value);
    }
}

static void take_destination(pto_text_parser *p, pto_ssa_statement *s, uint32_t results) {
    s->destination_first = true;
    for (uint32_t i = 0; i < results; i++) {
        pto_ssa_item *item = &s->item.data[i];
        if (item->kind != PTO_SSA_NAME || item->index_count)
            pto_text_fail_at(p, "PTO-E0201", (pto_span){item->token.begin, item->end},
                             "the destination is a plain name");
        pto_vec_push(p->arena, &s->results,
                     (pto_text_result){pto_token_name(item->token), pto_text_span(item->token)});
    }
    /* The signature of such text counts the destination too. */
    if (s->operand_types.count == s->item.count && s->operand_types.count > results) {
        for (uint32_t i = 0; i < results && !s->arrow; i++)
            pto_vec_push(p->arena, &s->result_types, s->operand_types.data[i]);
        s->arrow = true;
        s->operand_types.data += results;
        s->operand_types.count -= results;
        s->operand_types.capacity -= results;
    }
    s->item.data += results;
    s->item.count -= results;
    s->item.capacity -= results;
}

pto_operation *pto_ssa_build(pto_text_parser *p, pto_ssa_statement *s) {
    for (size_t i = 0; i < s->item.count; i++)
        look_up(p, &s->item.data[i]);
    int chosen = pto_ssa_choose_form(p, s);
    if (chosen < 0) {
        p->failed = true;
        return NULL;
    }
    const pto_form_desc *form = pto_form_get((pto_form)chosen);
    pto_operation *op = s->op;
    op->form = (pto_form)chosen;
    uint32_t results = pto_ssa_count(form->text[s->text].result, PTO_MAX_RESULTS);
    if (s->results.count == 0 && results > 0)
        take_destination(p, s, results);
    if (p->failed)
        return NULL;
    pto_operation_resize(p->program, op, form->operand_count);
    uint32_t acc = put_operands(p, s, form);
    if (p->failed)
        return NULL;
    if (pto_ssa_read_modify_write(form, s->text) >= 0 && !op->acc)
        op->acc = pto_text_lookup(p, s->results.data[0].name);
    check_count(p, s, acc);
    check_types(p, s);
    if (s->arrow && s->result_types.count != results)
        pto_text_error(p, "PTO-E0213", pto_text_span(s->opcode), "%zu result types for %u results",
                       s->result_types.count, results);
    op->result_count = results;
    op->result = pto_arena_new_array(p->arena, pto_value *, results);
    for (uint32_t k = 0; k < results; k++)
        pto_operation_set_result(p->program, op, k, result_type(p, s, form, k, results), (pto_str){NULL, 0});
    bind_results(p, s, form);
    pto_text_check_attrs(p, op);
    /* tmov.m2l and its like keep their spelling. */
    if (s->opcode.text.len > strlen(form->text[s->text].opcode) && !strncmp(form->mnemonic, "TMOV", 4))
        op->name = pto_program_copy(p->program, s->opcode.text);
    op->span = pto_text_since(p, s->results.count && !s->destination_first ? s->results.data[0].span.begin
                                                                           : s->opcode.begin);
    return op;
}
