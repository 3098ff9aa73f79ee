/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of MLIR-like text: results, names of operations, regions (60, 3.1, 3.2). */
#include "text/mlir.h"
#include "text/ssa.h"
#include <pto/ops.h>

#include <string.h>

/* ---- regions and blocks -------------------------------------------------------------------- */

typedef struct label {
    pto_str name;
    pto_block *block;
    pto_span span;
    bool defined;
} label;

/* Labels of the region that is being read; the parser holds the innermost. */
struct pto_text_labels {
    struct pto_text_labels *outer;
    pto_region *region;
    PTO_VEC(label) all;
    pto_map names; /* name -> number in `all` */
};

static label *find_label(pto_text_parser *p, pto_token token) {
    pto_str name = pto_token_name(token);
    bool unknown;
    pto_map_value *slot = pto_map_insert(&p->labels->names, name, &unknown);
    if (!unknown)
        return &p->labels->all.data[slot->number];
    slot->number = p->labels->all.count;
    label fresh = {.name = name, .block = pto_arena_new(p->arena, pto_block), .span = pto_text_span(token)};
    fresh.block->label = name;
    fresh.block->parent = p->labels->region;
    pto_vec_push(p->arena, &p->labels->all, fresh);
    return &pto_vec_last(&p->labels->all);
}

pto_block *pto_mlir_label(pto_text_parser *p, pto_token token) { return find_label(p, token)->block; }

void pto_mlir_skip_loc(pto_text_parser *p) {
    if (!pto_text_at_word(p, "loc") || !pto_token_is(pto_text_peek(p), '('))
        return;
    unsigned depth = 0;
    pto_text_take(p);
    do {
        depth += pto_text_at(p, '(');
        depth -= pto_text_at(p, ')');
        pto_text_take(p);
    } while (depth && p->token.kind != PTO_TOKEN_END);
}

/* `^name` or `^name(%a: T, ...)` and `:`; the block becomes the last of the region. */
static pto_block *parse_label(pto_text_parser *p, pto_region *region) {
    pto_token token = pto_text_take(p);
    label *found = find_label(p, token);
    if (found->defined) {
        pto_text_error(p, "PTO-E0215", pto_text_span(token), "the label ^%.*s is defined already",
                       PTO_STR_ARG(found->name));
        found->block = pto_arena_new(p->arena, pto_block);
        found->block->parent = region;
    }
    found->defined = true;
    pto_block *block = found->block;
    if (region->last)
        region->last->next = block;
    else
        region->first = block;
    region->last = block;
    if (pto_text_accept(p, '(')) {
        while (!pto_text_at(p, ')')) {
            if (block->arg_count && !pto_text_expect(p, ',', "between arguments"))
                return block;
            pto_token name = p->token;
            if (!pto_text_accept_kind(p, PTO_TOKEN_VALUE)) {
                pto_text_fail(p, "an argument of the block");
                return block;
            }
            if (!pto_text_expect(p, ':', "after the argument"))
                return block;
            const pto_type *type = pto_text_parse_type(p);
            if (!type)
                return block;
            pto_value *value = pto_block_add_arg(p->program, block, type, pto_token_name(name));
            pto_text_define(p, pto_token_name(name), pto_text_span(name), value);
            pto_mlir_skip_loc(p);
        }
        pto_text_take(p);
    }
    pto_text_expect(p, ':', "after the label");
    return block;
}

static void statement(pto_text_parser *p, pto_block *block);

void pto_text_parse_block(pto_text_parser *p, pto_block *block) {
    pto_block *outer = p->block;
    p->block = block;
    while (p->token.kind != PTO_TOKEN_END && !pto_text_at(p, '}') && p->token.kind != PTO_TOKEN_LABEL) {
        if (p->lines && pto_text_accept(p, ';'))
            continue;
        uint32_t before = p->token.begin;
        statement(p, block);
        /* Whatever went wrong, every turn takes a token. */
        if (p->token.begin == before && p->token.kind != PTO_TOKEN_END)
            pto_text_take(p);
    }
    p->block = outer;
}

/* ---- blocks out of order ----------------------------------------------------------------------- */

/* Blocks may stand in any order, and names are bound as they are read: a block that no branch has named yet
 * is read when one has, so behind every block that dominates it. */
typedef struct block_text {
    pto_lexer lexer; /* at its label */
    pto_token token;
    uint32_t number; /* in the text */
} block_text;

typedef struct block_order {
    PTO_VEC(block_text) waiting;
    PTO_VEC(pto_block *) blocks; /* in the order of the text; NULL = not read yet */
} block_order;

static bool is_named(const pto_text_parser *p, pto_token token) {
    return pto_map_find(&p->labels->names, pto_token_name(token)) != NULL;
}

/* Moves to the next label that begins a block, or to the end of the region; a label behind `,`, `[`, `:` or
 * `cf.br` is a successor. Moves nowhere and returns false when the region has no end. */
static bool skip_block(pto_text_parser *p, block_order *order) {
    block_text text = {p->lexer, p->token, (uint32_t)order->blocks.count};
    uint32_t last_end = p->last_end;
    unsigned depth = 0;
    bool successor = true;
    while (p->token.kind != PTO_TOKEN_END && (depth || !pto_text_at(p, '}')) &&
           (depth || successor || p->token.kind != PTO_TOKEN_LABEL)) {
        depth += pto_text_at(p, '{');
        depth -= pto_text_at(p, '}');
        successor =
            pto_text_at(p, ',') || pto_text_at(p, '[') || pto_text_at(p, ':') || pto_text_at_word(p, "cf.br");
        pto_text_take(p);
    }
    if (p->token.kind == PTO_TOKEN_END) {
        p->lexer = text.lexer;
        p->token = text.token;
        p->last_end = last_end;
        return false;
    }
    pto_vec_push(p->arena, &order->waiting, text);
    pto_vec_push(p->arena, &order->blocks, NULL);
    return true;
}

static pto_block *parse_block(pto_text_parser *p, pto_region *region) {
    pto_block *block = parse_label(p, region);
    if (p->failed)
        pto_text_recover(p);
    pto_text_parse_block(p, block);
    return block;
}

/* At the end of the region: the blocks that wait, and the list of the region as in the text. */
static void parse_waiting(pto_text_parser *p, pto_region *region, block_order *order) {
    if (!order->waiting.count)
        return;
    const block_text end = {p->lexer, p->token, 0};
    uint32_t last_end = p->last_end;
    while (order->waiting.count) {
        size_t next = 0;
        while (next < order->waiting.count && !is_named(p, order->waiting.data[next].token))
            next++;
        next = next < order->waiting.count ? next : 0; /* nothing leads to it */
        const block_text text = order->waiting.data[next];
        for (size_t i = next + 1; i < order->waiting.count; i++)
            order->waiting.data[i - 1] = order->waiting.data[i];
        order->waiting.count--;
        p->lexer = text.lexer;
        p->token = text.token;
        order->blocks.data[text.number] = parse_block(p, region);
    }
    p->lexer = end.lexer;
    p->token = end.token;
    p->last_end = last_end;
    for (size_t i = 0; i < order->blocks.count; i++)
        order->blocks.data[i]->next = i + 1 < order->blocks.count ? order->blocks.data[i + 1] : NULL;
    region->first = order->blocks.data[0];
    region->last = order->blocks.data[order->blocks.count - 1];
}

bool pto_mlir_parse_region(pto_text_parser *p, pto_region *region, bool isolated, const pto_mlir_args *args) {
    pto_span open = pto_text_span(p->token);
    if (!pto_text_expect(p, '{', "to open the region") || !pto_text_enter(p))
        return false;
    struct pto_text_labels labels = {.outer = p->labels, .region = region};
    pto_map_init(&labels.names, p->arena);
    p->labels = &labels;
    pto_text_push_scope(p, isolated);
    block_order order = {0};
    if (args || p->token.kind != PTO_TOKEN_LABEL) {
        if (args || !pto_text_at(p, '}')) {
            pto_block *block = pto_region_add_block(p->program, region);
            pto_vec_push(p->arena, &order.blocks, block);
            for (size_t i = 0; args && i < args->count; i++) {
                const pto_mlir_arg *arg = &args->data[i];
                pto_text_define(p, arg->name, arg->span,
                                pto_block_add_arg(p->program, block, arg->type, arg->name));
            }
            pto_text_parse_block(p, block);
        }
    }
    while (p->token.kind == PTO_TOKEN_LABEL) {
        if (order.blocks.count && !is_named(p, p->token) && skip_block(p, &order))
            continue;
        pto_block *block = parse_block(p, region);
        pto_vec_push(p->arena, &order.blocks, block);
    }
    if (pto_text_at(p, '}'))
        parse_waiting(p, region, &order);
    for (size_t i = 0; i < labels.all.count; i++)
        if (!labels.all.data[i].defined)
            pto_text_error(p, "PTO-E0214", labels.all.data[i].span,
                           "the label ^%.*s names no block of this region",
                           PTO_STR_ARG(labels.all.data[i].name));
    pto_text_pop_scope(p);
    p->labels = labels.outer;
    pto_text_leave(p);
    if (p->token.kind == PTO_TOKEN_END) {
        if (!p->unclosed) {
            p->unclosed = true;
            pto_text_error(p, "PTO-E0205", open, "this '{' is not closed");
        }
        p->failed = true;
        return false;
    }
    return pto_text_expect(p, '}', "to close the region");
}

/* ---- operands ------------------------------------------------------------------------------ */

bool pto_mlir_parse_uses(pto_text_parser *p, pto_mlir_values *values, pto_mlir_spans *spans) {
    if (p->token.kind != PTO_TOKEN_VALUE)
        return true;
    do {
        pto_span span;
        pto_value *value = pto_text_parse_use(p, "an operand", &span);
        if (!value)
            return false;
        pto_vec_push(p->arena, values, value);
        pto_vec_push(p->arena, spans, span);
    } while (pto_text_accept(p, ','));
    return true;
}

pto_operation *pto_mlir_make(pto_text_parser *p, pto_op_kind kind, pto_span name,
                             const pto_mlir_values *operands, const pto_mlir_spans *spans, uint32_t results) {
    uint32_t count = operands ? (uint32_t)operands->count : 0;
    pto_operation *op = pto_operation_create(p->program, kind, count, results);
    op->name_span = name;
    for (uint32_t i = 0; i < count; i++) {
        op->operand[i] = operands->data[i];
        op->operand_span[i] = spans->data[i];
    }
    return op;
}

bool pto_mlir_check_types(pto_text_parser *p, pto_operation *op, uint32_t from, uint32_t count,
                          const pto_text_types *types, pto_span span) {
    if (types->count != count)
        return pto_text_fail_at(p, "PTO-E0213", span, "%u operand%s, but %zu type%s", count,
                                count == 1 ? "" : "s", types->count, types->count == 1 ? "" : "s");
    for (uint32_t i = 0; i < count; i++)
        pto_text_check_type(p, op->operand[from + i], op->operand_span[from + i], types->data[i], span);
    return true;
}

/* ---- statements ---------------------------------------------------------------------------- */

void pto_text_set_dialect(pto_text_parser *p, pto_dialect dialect) {
    /* Generic operations stand beside instructions of level 1, which the generic form cannot say. */
    bool leads = dialect == PTO_DIALECT_LEVEL1 && p->program->dialect == PTO_DIALECT_GENERIC;
    if (!p->dialect_known || leads)
        p->program->dialect = dialect;
    p->dialect_known = true;
}

/* Stems of the vector and DMA micro instructions (60, 7). */
static bool is_micro(pto_str name) {
    static const char *const stems[] = {"vlds",
                                        "vsts",
                                        "vadd",
                                        "vmul",
                                        "vsub",
                                        "vexp",
                                        "vcvt",
                                        "vsel",
                                        "vcmp",
                                        "vdup",
                                        "pset_",
                                        "pge_",
                                        "plt_",
                                        "pintlv_",
                                        "pdintlv_",
                                        "mte_",
                                        "copy_gm_to_ubuf",
                                        "copy_ubuf_to_",
                                        "set_loop",
                                        "mad",
                                        "vecscope",
                                        "strict_vecscope",
                                        "init_align",
                                        "vabs",
                                        "vmax",
                                        "vmin",
                                        "vdiv",
                                        "vmov",
                                        "vor",
                                        "vand",
                                        "vxor",
                                        "vnot",
                                        "vsh",
                                        "vcadd",
                                        "vcmax",
                                        "vcmin",
                                        "vcg",
                                        "vrec",
                                        "vrelu",
                                        "vsqrt",
                                        "vln",
                                        "vneg",
                                        "vst",
                                        "vld",
                                        "pand",
                                        "por",
                                        "pxor",
                                        "pnot",
                                        "psel",
                                        "ppack",
                                        "punpack",
                                        "pld",
                                        "pst",
                                        "get_vms4_sr"};
    if (!pto_str_starts_with(name, PTO_STR("pto.")))
        return false;
    name = pto_str_slice(name, 4, name.len);
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (pto_str_starts_with(name, pto_str_from(stems[i])))
            return true;
    return false;
}

void pto_text_unknown_op(pto_text_parser *p, pto_str name, pto_span span) {
    if (is_micro(name)) {
        pto_text_fail_at(p, "PTO-E0221", span, "the micro instruction %.*s is not supported",
                         PTO_STR_ARG(name));
        return;
    }
    bool before = p->failed;
    pto_text_fail_at(p, "PTO-E0220", span, "no operation is called '%.*s'", PTO_STR_ARG(name));
    if (before || p->stopped)
        return;
    PTO_VEC(pto_str) names = {0};
    pto_text_form text =
        p->lines && !pto_str_starts_with(name, PTO_STR("pto.")) ? PTO_TEXT_AS : PTO_TEXT_LEVEL2;
    for (int i = 0; i < PTO_FORM_COUNT; i++)
        if (pto_form_get((pto_form)i)->text[text].opcode)
            pto_vec_push(p->arena, &names, pto_str_from(pto_form_get((pto_form)i)->text[text].opcode));
    for (int i = 0; i < PTO_OPK_COUNT; i++)
        if (i != PTO_OPK_AS_CONST && pto_op_kind_name((pto_op_kind)i))
            pto_vec_push(p->arena, &names, pto_str_from(pto_op_kind_name((pto_op_kind)i)));
    pto_text_suggest(p, name, names.data, names.count);
}

/* With the prefix that the text may drop. */
static int find_form(pto_text_form text, pto_str name) {
    int form = pto_form_find_opcode(text, name.data, name.len);
    char full[64] = "pto.";
    if (form >= 0 || name.len > sizeof full - 5)
        return form;
    memcpy(full + 4, name.data, name.len);
    return pto_form_find_opcode(text, full, name.len + 4);
}

static pto_op_kind find_kind(pto_str name) {
    static const struct {
        const char *name;
        pto_op_kind kind;
    } synonyms[] = {{"module", PTO_OPK_MODULE},
                    {"return", PTO_OPK_RETURN},
                    {"call", PTO_OPK_CALL},
                    {"func", PTO_OPK_FUNC},
                    {"pto.pipe_barrier", PTO_OPK_BARRIER}};
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (pto_str_equal(name, pto_str_from(synonyms[i].name)))
            return synonyms[i].kind;
    return pto_op_kind_find(name);
}

static pto_operation *custom(pto_text_parser *p, const pto_text_results *results, bool *bound) {
    pto_token name = pto_text_take(p);
    pto_span span = pto_text_span(name);
    pto_op_kind kind = find_kind(name.text);
    switch (kind) {
    case PTO_OPK_MODULE:
        return pto_mlir_parse_module(p, span);
    case PTO_OPK_FUNC:
        return pto_mlir_parse_func(p, span);
    case PTO_OPK_RETURN:
        return pto_mlir_parse_return(p, kind, span);
    case PTO_OPK_CALL:
        return pto_mlir_parse_call(p, span);
    case PTO_OPK_SCF_FOR:
    case PTO_OPK_SCF_IF:
    case PTO_OPK_SCF_WHILE:
    case PTO_OPK_SCF_CONDITION:
    case PTO_OPK_SCF_YIELD:
        return pto_mlir_parse_scf(p, kind, span);
    case PTO_OPK_SCF_INDEX_SWITCH:
    case PTO_OPK_SCF_EXECUTE_REGION:
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
        return pto_mlir_parse_flow(p, kind, span);
    case PTO_OPK_MEMREF_SUBVIEW:
    case PTO_OPK_MEMREF_REINTERPRET_CAST:
        return pto_mlir_parse_memref(p, kind, span);
    case PTO_OPK_UNKNOWN:
    case PTO_OPK_AS_CONST:
        break;
    default:
        return pto_mlir_arith_class(kind) ? pto_mlir_parse_arith(p, kind, span)
               : pto_op_kind_syntax(kind) ? pto_mlir_parse_syntax(p, kind, span)
                                          : pto_mlir_parse_pto(p, kind, span);
    }
    int level2 = find_form(PTO_TEXT_LEVEL2, name.text);
    bool ins = pto_text_at_word(p, "ins");
    /* Some level 2 patterns define a handle: those of the same shape at level 1 differ in types alone. */
    const char *spelling =
        level2 >= 0 ? pto_form_get((pto_form)level2)->text[PTO_TEXT_LEVEL2].spelling : NULL;
    bool defines = spelling && spelling[0] == '%' && results->count;
    if (level2 >= 0 && (ins || defines))
        return pto_mlir_parse_instr(p, level2, name);
    if (level2 < 0 && find_form(PTO_TEXT_LEVEL1, name.text) < 0 &&
        pto_ssa_find_opcode(PTO_TEXT_LEVEL1, name.text) < 0) { /* pto.tmov.m2l */
        pto_text_unknown_op(p, name.text, span);
        return NULL;
    }
    pto_text_set_dialect(p, PTO_DIALECT_LEVEL1);
    return pto_text_parse_level1(p, results, name, bound);
}

/* `!name = type` and `#name = attr` */
static void parse_alias(pto_text_parser *p) {
    pto_token name = pto_text_take(p);
    pto_str key = pto_token_name(name);
    pto_text_take(p); /* = */
    bool is_type = name.kind == PTO_TOKEN_BANG;
    const void *value =
        is_type ? (const void *)pto_text_parse_type(p) : (const void *)pto_text_parse_attr(p, NULL);
    if (memchr(key.data, '.', key.len))
        pto_text_error(p, "PTO-E0201", pto_text_span(name), "the name of an alias has no dot");
    /* The name of a broken type is known all the same: its uses fail without another word. */
    if (!value && !is_type)
        value = pto_attr_unit(p->program);
    bool fresh;
    pto_map_value *slot = pto_map_insert(is_type ? &p->type_aliases : &p->attr_aliases, key, &fresh);
    if (!fresh)
        pto_text_error(p, "PTO-E0215", pto_text_span(name), "the alias %.*s is defined already",
                       PTO_STR_ARG(name.text));
    /* Only read through const pointers again. */
    memcpy(&slot->pointer, &value, sizeof value);
}

static void statement(pto_text_parser *p, pto_block *block) {
    bool in_module = block->parent->parent->kind == PTO_OPK_MODULE;
    if ((p->token.kind == PTO_TOKEN_BANG || p->token.kind == PTO_TOKEN_HASH) &&
        pto_token_is(pto_text_peek(p), '=')) {
        parse_alias(p);
        if (p->failed)
            pto_text_recover(p);
        return;
    }
    uint32_t begin = p->token.begin, errors = p->errors;
    bool bound = false;
    pto_text_results results = {0};
    pto_operation *op = NULL;
    if (p->token.kind == PTO_TOKEN_DOTWORD && p->lines) {
        if (!pto_text_parse_arg(p))
            pto_text_recover(p);
        return;
    }
    if (pto_text_parse_results(p, &results)) {
        if (p->token.kind == PTO_TOKEN_STRING)
            op = pto_mlir_parse_generic(p);
        else if (p->token.kind == PTO_TOKEN_WORD)
            op = custom(p, &results, &bound);
        else
            pto_text_fail(p, "an operation");
    }
    if (op && !p->failed)
        pto_mlir_skip_loc(p);
    if (op && p->lines && !p->failed && !pto_text_at_end(p))
        pto_text_fail(p, "the end of the line");
    if (!op || p->failed) {
        if (!bound)
            pto_text_poison_results(p, &results);
        pto_text_recover(p);
        return;
    }
    op->span = pto_text_since(p, begin);
    bool container = op->kind == PTO_OPK_FUNC || op->kind == PTO_OPK_MODULE;
    if (in_module && !container) {
        if (!p->outside)
            pto_text_error(p, "PTO-E0201", op->name_span, "a module holds functions and modules");
        p->outside = true;
    } else if (!in_module && container) {
        pto_text_error(p, "PTO-E0201", op->name_span, "a function or module stands in a module");
    }
    pto_block_append(block, op);
    if (!bound)
        pto_text_bind_results(p, &results, op);
    op->broken = p->errors > errors;
}
