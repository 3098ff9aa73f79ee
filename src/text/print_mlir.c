/* SPDX-License-Identifier: Apache-2.0 */
/* Levels 1 to 3 as text: the custom syntax of every operation (60, 3.2, 3.3, 3.9). */
#include "text/mlir.h"
#include "program/blocks.h"
#include "text/print.h"

#include <string.h>

static void uses(pto_text_printer *t, const pto_operation *op, uint32_t from, uint32_t count) {
    if (count)
        pto_print_values(t, op->operand + from, count);
}

static void operand_type(pto_text_printer *t, const pto_operation *op, uint32_t i) {
    pto_print_type(t, op->operand[i]->type);
}

static void result_type(pto_text_printer *t, const pto_operation *op) {
    pto_print_type(t, op->result[0]->type);
}

/* ---- regions ------------------------------------------------------------------------------- */

static void block_args(pto_text_printer *t, const pto_block *block) {
    for (uint32_t i = 0; i < block->arg_count; i++) {
        pto_print_text(t, i ? ", " : "(");
        pto_print_name_value(t, block->arg[i]);
        pto_print_value(t, block->arg[i]);
        pto_print_text(t, ": ");
        pto_print_type(t, block->arg[i]->type);
    }
    pto_print_text(t, block->arg_count ? ")" : "");
}

/* A block stands above one that dominates it, or nothing leads to it: it may use what is defined further
 * down. */
static bool is_out_of_order(pto_text_printer *t, const pto_region *region) {
    if (!region->first || !region->first->next)
        return false;
    const pto_block_tree *tree = pto_block_tree_make(&t->arena, region);
    if (tree->reached < tree->count)
        return true;
    uint32_t *place = pto_arena_array(&t->arena, tree->count, sizeof *place), n = 0;
    for (const pto_block *block = region->first; block; block = block->next)
        place[*pto_value_map_find(&tree->number, block)] = n++;
    for (uint32_t b = 1; b < tree->count; b++)
        if (place[tree->parent[b]] > place[b])
            return true;
    return false;
}

static void name_ahead(pto_text_printer *t, const pto_region *region) {
    for (const pto_block *block = region->first->next; block; block = block->next) {
        for (uint32_t i = 0; i < block->arg_count; i++)
            pto_print_name_value(t, block->arg[i]);
        for (const pto_operation *op = block->first; op; op = op->next)
            pto_print_name_results(t, op);
    }
}

/* `{ ... }`; the caller has opened the scope and named the arguments of the entry block, unless
 * `entry_label`. */
static void region_body(pto_text_printer *t, const pto_region *region, bool entry_label, bool hide_yield) {
    pto_sink_char(&t->sink, '{', 1);
    t->indent++;
    if (is_out_of_order(t, region))
        name_ahead(t, region);
    uint32_t number = 0;
    for (const pto_block *block = region->first; block; block = block->next, number++) {
        if (number || (entry_label && (block->arg_count || !block->first))) {
            t->indent--;
            pto_print_newline(t);
            t->indent++;
            pto_sink_printf(&t->sink, "^bb%u", number);
            block_args(t, block);
            pto_sink_char(&t->sink, ':', 1);
        }
        for (const pto_operation *op = block->first; op && !t->sink.failed; op = op->next) {
            if (hide_yield && !op->next && op->kind == PTO_OPK_SCF_YIELD && !op->operand_count &&
                !op->attr_count)
                break;
            pto_print_newline(t);
            pto_print_operation(t, op);
        }
    }
    t->indent--;
    pto_print_newline(t);
    pto_sink_char(&t->sink, '}', 1);
}

void pto_print_region(pto_text_printer *t, const pto_region *region, bool isolated, bool entry_label,
                      bool hide_yield) {
    pto_print_push_scope(t, isolated);
    region_body(t, region, entry_label, hide_yield);
    pto_print_pop_scope(t);
}

/* ---- module, func -------------------------------------------------------------------------- */

static bool has_attrs_but(const pto_operation *op, const char *but) {
    for (uint32_t i = 0; i < op->attr_count; i++) {
        bool listed = false;
        for (const char *at = but; *at && !listed;) {
            size_t len = strcspn(at, " ");
            listed = pto_str_equal(op->attr[i].name, (pto_str){at, len});
            at += len + (at[len] == ' ');
        }
        if (!listed)
            return true;
    }
    return false;
}

static void module(pto_text_printer *t, const pto_operation *op) {
    const pto_attr *name = pto_operation_attr(op, "sym_name");
    pto_print_text(t, "module");
    if (name) {
        pto_sink_char(&t->sink, ' ', 1);
        pto_print_symbol(t, name->text);
    }
    if (has_attrs_but(op, "sym_name")) {
        pto_print_text(t, " attributes");
        pto_print_attr_dict(t, op, "sym_name");
    }
    pto_sink_char(&t->sink, ' ', 1);
    pto_print_region(t, op->region[0], true, false, false);
}

static void function(pto_text_printer *t, const pto_operation *op) {
    static const char hidden[] = "sym_name function_type sym_visibility arg_attrs res_attrs";
    const pto_type *type = pto_operation_attr(op, "function_type")->type;
    const pto_attr *visibility = pto_operation_attr(op, "sym_visibility");
    const pto_attr *arg_attrs = pto_operation_attr(op, "arg_attrs");
    const pto_attr *res_attrs = pto_operation_attr(op, "res_attrs");
    const pto_block *body = pto_function_body(op);
    pto_print_push_scope(t, true);
    pto_print_text(t, "func.func ");
    if (visibility) {
        pto_print_str(t, visibility->text);
        pto_sink_char(&t->sink, ' ', 1);
    }
    pto_print_symbol(t, pto_function_name(op));
    pto_sink_char(&t->sink, '(', 1);
    for (uint32_t i = 0; i < type->input_count; i++) {
        pto_print_text(t, i ? ", " : "");
        if (body) {
            pto_print_name_value(t, body->arg[i]);
            pto_print_value(t, body->arg[i]);
            pto_print_text(t, ": ");
        }
        pto_print_type(t, type->inputs[i]);
        if (arg_attrs && arg_attrs->items[i]->count) {
            pto_sink_char(&t->sink, ' ', 1);
            pto_print_attr(t, arg_attrs->items[i]);
        }
    }
    pto_sink_char(&t->sink, ')', 1);
    if (type->result_count) {
        bool bare = type->result_count == 1 && !res_attrs && type->results[0]->kind != PTO_TYPE_FUNCTION;
        pto_print_text(t, bare ? " -> " : " -> (");
        for (uint32_t i = 0; i < type->result_count; i++) {
            pto_print_text(t, i ? ", " : "");
            pto_print_type(t, type->results[i]);
            if (res_attrs && res_attrs->items[i]->count) {
                pto_sink_char(&t->sink, ' ', 1);
                pto_print_attr(t, res_attrs->items[i]);
            }
        }
        pto_print_text(t, bare ? "" : ")");
    }
    if (has_attrs_but(op, hidden)) {
        pto_print_text(t, " attributes");
        pto_print_attr_dict(t, op, hidden);
    }
    if (body) {
        pto_sink_char(&t->sink, ' ', 1);
        region_body(t, op->region[0], false, false);
    }
    pto_print_pop_scope(t);
}

static void return_like(pto_text_printer *t, const pto_operation *op, const char *name, uint32_t from) {
    pto_print_text(t, name);
    if (from) {
        pto_sink_char(&t->sink, '(', 1);
        uses(t, op, 0, from);
        pto_sink_char(&t->sink, ')', 1);
    }
    uint32_t count = op->operand_count - from;
    if (count) {
        pto_sink_char(&t->sink, ' ', 1);
        uses(t, op, from, count);
    }
    pto_print_attr_dict(t, op, NULL);
    if (count) {
        pto_print_text(t, " : ");
        pto_print_value_types(t, op->operand + from, count);
    }
}

static void call(pto_text_printer *t, const pto_operation *op) {
    pto_print_text(t, "func.call ");
    pto_print_symbol(t, pto_operation_attr(op, "callee")->text);
    pto_sink_char(&t->sink, '(', 1);
    uses(t, op, 0, op->operand_count);
    pto_sink_char(&t->sink, ')', 1);
    pto_print_attr_dict(t, op, "callee");
    pto_print_text(t, " : (");
    pto_print_value_types(t, op->operand, op->operand_count);
    pto_print_text(t, ") -> (");
    pto_print_value_types(t, op->result, op->result_count);
    pto_sink_char(&t->sink, ')', 1);
}

/* ---- arith, scf ---------------------------------------------------------------------------- */

static void flags(pto_text_printer *t, const pto_operation *op) {
    static const char *const keys[] = {"overflowFlags", "fastmath"};
    for (int i = 0; i < 2; i++) {
        const pto_attr *attr = pto_operation_attr(op, keys[i]);
        if (!attr)
            continue;
        pto_sink_char(&t->sink, ' ', 1);
        /* #arith.overflow<nsw> without its prefix */
        bool prefix = pto_str_starts_with(attr->text, PTO_STR("#arith."));
        pto_print_str(t, pto_str_slice(attr->text, prefix ? 7 : 0, attr->text.len));
    }
}

static void arith(pto_text_printer *t, const pto_operation *op, pto_mlir_arith class) {
    pto_print_text(t, op->kind == PTO_OPK_AS_CONST ? "arith.constant" : pto_op_kind_name(op->kind));
    if (class == PTO_ARITH_CONST) {
        const pto_attr *value = pto_operation_attr(op, "value");
        pto_print_attr_dict(t, op, "value");
        pto_sink_char(&t->sink, ' ', 1);
        if (value->kind == PTO_AV_OPAQUE) {
            pto_print_attr(t, value);
            return;
        }
        pto_print_number(t, value);
        if (value->kind != PTO_AV_BOOL) {
            pto_print_text(t, " : ");
            result_type(t, op);
        }
        return;
    }
    pto_sink_char(&t->sink, ' ', 1);
    if (class == PTO_ARITH_COMPARE) {
        int64_t number = pto_operation_attr(op, "predicate")->i;
        pto_print_text(t, op->kind == PTO_OPK_ARITH_CMPI ? pto_mlir_cmpi[number] : pto_mlir_cmpf[number]);
        pto_print_text(t, ", ");
    }
    uses(t, op, 0, op->operand_count);
    flags(t, op);
    pto_print_attr_dict(t, op, "predicate overflowFlags fastmath");
    pto_print_text(t, " : ");
    if (class == PTO_ARITH_CHOOSE || class == PTO_ARITH_BINARY || class == PTO_ARITH_UNARY)
        result_type(t, op);
    else
        operand_type(t, op, 0);
    if (class == PTO_ARITH_CAST) {
        pto_print_text(t, " to ");
        result_type(t, op);
    }
}

static void result_types(pto_text_printer *t, const pto_operation *op) {
    pto_sink_char(&t->sink, '(', 1);
    pto_print_value_types(t, op->result, op->result_count);
    pto_sink_char(&t->sink, ')', 1);
}

/* `(%x = %init, ...)`; names the arguments from `from` on. */
static void inits(pto_text_printer *t, const pto_operation *op, const pto_block *block, uint32_t arg,
                  uint32_t operand) {
    pto_sink_char(&t->sink, '(', 1);
    for (uint32_t i = 0; operand + i < op->operand_count; i++) {
        pto_print_text(t, i ? ", " : "");
        pto_print_name_value(t, block->arg[arg + i]);
        pto_print_value(t, block->arg[arg + i]);
        pto_print_text(t, " = ");
        pto_print_value(t, op->operand[operand + i]);
    }
    pto_sink_char(&t->sink, ')', 1);
}

static void scf_for(pto_text_printer *t, const pto_operation *op) {
    const pto_block *body = op->region[0]->first;
    pto_print_push_scope(t, false);
    pto_print_text(t, pto_operation_attr(op, "unsignedCmp") ? "scf.for unsigned " : "scf.for ");
    pto_print_name_value(t, body->arg[0]);
    pto_print_value(t, body->arg[0]);
    static const char *const words[] = {" = ", " to ", " step "};
    for (int i = 0; i < 3; i++) {
        pto_print_text(t, words[i]);
        pto_print_value(t, op->operand[i]);
    }
    if (op->result_count) {
        pto_print_text(t, " iter_args");
        inits(t, op, body, 1, 3);
        pto_print_text(t, " -> ");
        result_types(t, op);
    }
    if (body->arg[0]->type->kind != PTO_TYPE_INDEX) {
        pto_print_text(t, " : ");
        pto_print_type(t, body->arg[0]->type);
    }
    pto_sink_char(&t->sink, ' ', 1);
    region_body(t, op->region[0], false, true);
    pto_print_pop_scope(t);
    pto_print_attr_dict(t, op, "unsignedCmp");
}

static void scf_if(pto_text_printer *t, const pto_operation *op) {
    pto_print_text(t, "scf.if ");
    pto_print_value(t, op->operand[0]);
    if (op->result_count) {
        pto_print_text(t, " -> ");
        result_types(t, op);
    }
    pto_sink_char(&t->sink, ' ', 1);
    pto_print_region(t, op->region[0], false, false, true);
    if (op->region[1]->first) {
        pto_print_text(t, " else ");
        pto_print_region(t, op->region[1], false, false, true);
    }
    pto_print_attr_dict(t, op, NULL);
}

static void scf_while(pto_text_printer *t, const pto_operation *op) {
    pto_print_push_scope(t, false);
    pto_print_text(t, "scf.while ");
    inits(t, op, op->region[0]->first, 0, 0);
    pto_print_text(t, " : (");
    pto_print_value_types(t, op->operand, op->operand_count);
    pto_print_text(t, ") -> ");
    result_types(t, op);
    pto_sink_char(&t->sink, ' ', 1);
    region_body(t, op->region[0], false, false);
    pto_print_pop_scope(t);
    pto_print_text(t, " do ");
    pto_print_region(t, op->region[1], false, true, false);
    pto_print_attr_dict(t, op, NULL);
}

/* ---- pto ----------------------------------------------------------------------------------- */

static bool is_conv(const pto_type *type) { return pto_type_is_tile(type) && !type->open && type->tile.conv; }

/* `word(%a, %b attrs : T, T)` */
static void group(pto_text_printer *t, const char *word, pto_value *const *values, uint32_t count,
                  const pto_operation *attrs) {
    pto_print_text(t, word);
    pto_sink_char(&t->sink, '(', 1);
    pto_print_values(t, values, count);
    if (attrs)
        pto_print_attr_dict(t, attrs, NULL);
    for (uint32_t i = 0; i < count; i++) {
        const pto_type *type = values[i]->type;
        pto_print_text(t, i ? ", " : " : ");
        /* the definition has the parameters of a convolution tile */
        if (is_conv(type))
            pto_text_print_conv(&t->sink, type, false);
        else
            pto_print_type(t, type);
    }
    pto_sink_char(&t->sink, ')', 1);
}

static void list(pto_text_printer *t, const char *word, const pto_operation *op, uint32_t from,
                 uint32_t count) {
    pto_print_text(t, word);
    pto_sink_char(&t->sink, '[', 1);
    uses(t, op, from, count);
    pto_sink_char(&t->sink, ']', 1);
}

static void view(pto_text_printer *t, const pto_operation *op) {
    bool make = op->kind == PTO_OPK_MAKE_TENSOR_VIEW;
    uses(t, op, 0, 1);
    list(t, make ? ", shape = " : ", offsets = ", op, 1, op->segment[1]);
    list(t, make ? ", strides = " : ", sizes = ", op, 1 + op->segment[1], op->segment[2]);
    pto_print_attr_dict(t, op, NULL);
    pto_print_text(t, " : ");
    if (!make) {
        operand_type(t, op, 0);
        pto_print_text(t, " -> ");
    }
    result_type(t, op);
}

/* `<PIPE_V>`: the kind is fixed (60, 3.5); endpoints keep theirs, which may be the legacy one. */
static void sync(pto_text_printer *t, const pto_operation *op, const char *keys, const char *open,
                 const char *close) {
    const char *at = keys;
    pto_print_text(t, open);
    while (*at) {
        size_t len = strcspn(at, " ");
        char key[16] = {0};
        memcpy(key, at, len);
        const pto_attr *attr = pto_operation_attr(op, key);
        pto_print_text(t, at == keys ? "" : ", ");
        const pto_enum_desc *desc = pto_enum_of_key(op, pto_str_from(key));
        if (attr && desc && pto_enum_find(attr->enum_kind) == desc) {
            pto_sink_char(&t->sink, '<', 1);
            pto_print_str(t, attr->text);
            pto_sink_char(&t->sink, '>', 1);
        } else if (attr) {
            pto_print_attr(t, attr);
        }
        at += len + (at[len] == ' ');
    }
    pto_print_text(t, close);
    pto_print_attr_dict(t, op, keys);
}

static void subset(pto_text_printer *t, const pto_operation *op) {
    const pto_attr *sizes = pto_operation_attr(op, "sizes");
    uses(t, op, 0, 1);
    list(t, "", op, 1, 2);
    pto_print_text(t, " sizes [");
    for (uint32_t i = 0; i < 2; i++)
        pto_sink_printf(&t->sink, "%s%lld", i ? ", " : "",
                        (long long)(sizes->kind == PTO_AV_DENSE ? sizes->dense[i] : sizes->items[i]->i));
    pto_sink_char(&t->sink, ']', 1);
    pto_print_attr_dict(t, op, "sizes");
    pto_print_text(t, " : ");
    operand_type(t, op, 0);
}

static void alloc_tile(pto_text_printer *t, const pto_operation *op) {
    static const char *const words[] = {" addr = ", " valid_row = ", " valid_col = "};
    uint32_t at = 0;
    for (int i = 0; i < 3; i++)
        if (op->segment[i]) {
            pto_print_text(t, words[i]);
            pto_print_value(t, op->operand[at++]);
        }
    const pto_type *type = op->result[0]->type;
    if (is_conv(type)) { /* one dictionary for the parameters and whatever else there is */
        bool any = pto_text_print_conv_parameters(&t->sink, type, " {");
        any = pto_text_print_attr_dict(&t->sink, op, NULL, any ? ", " : " {") || any;
        pto_print_text(t, any && !op->attr_count ? "} : " : " : ");
        pto_text_print_conv(&t->sink, type, false);
        return;
    }
    pto_print_attr_dict(t, op, NULL);
    pto_print_text(t, " : ");
    result_type(t, op);
}

static void dialect_op(pto_text_printer *t, const pto_operation *op) {
    bool conv = op->kind == PTO_OPK_ALLOC_TILE && is_conv(op->result[0]->type);
    pto_print_text(t, conv ? "pto.alloc_conv_tile" : pto_op_kind_name(op->kind));
    if (op->kind != PTO_OPK_ALLOC_TILE && op->operand_count)
        pto_sink_char(&t->sink, ' ', 1);
    switch (op->kind) {
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
        view(t, op);
        break;
    case PTO_OPK_ALLOC_TILE:
        alloc_tile(t, op);
        break;
    case PTO_OPK_SUBSET:
        subset(t, op);
        break;
    case PTO_OPK_ADDPTR:
    case PTO_OPK_BITCAST:
        uses(t, op, 0, op->operand_count);
        pto_print_attr_dict(t, op, NULL);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        pto_print_text(t, " -> ");
        result_type(t, op);
        break;
    case PTO_OPK_LOAD_SCALAR:
        uses(t, op, 0, 1);
        list(t, "", op, 1, 1);
        pto_print_attr_dict(t, op, NULL);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        pto_print_text(t, " -> ");
        result_type(t, op);
        break;
    case PTO_OPK_STORE_SCALAR:
        uses(t, op, 2, 1);
        pto_print_text(t, ", ");
        uses(t, op, 0, 1);
        list(t, "", op, 1, 1);
        pto_print_attr_dict(t, op, NULL);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        pto_print_text(t, ", ");
        operand_type(t, op, 2);
        break;
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
        uses(t, op, 0, 2);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        pto_print_text(t, " -> ");
        result_type(t, op);
        pto_print_attr_dict(t, op, NULL);
        break;
    case PTO_OPK_SET_VALIDSHAPE:
        uses(t, op, 0, 3);
        pto_print_attr_dict(t, op, NULL);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        break;
    case PTO_OPK_TSETVAL:
        group(t, "ins", op->operand + 1, 2, NULL);
        group(t, " outs", op->operand, 1, NULL);
        pto_print_attr_dict(t, op, NULL);
        break;
    case PTO_OPK_TGETVAL:
        group(t, "ins", op->operand, 2, NULL);
        pto_print_text(t, " outs : ");
        result_type(t, op);
        pto_print_attr_dict(t, op, NULL);
        break;
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
        sync(t, op, "src_pipe dst_pipe event_id", "[", "]");
        break;
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
        sync(t, op, "src_op dst_op event_id", "[", "]");
        break;
    case PTO_OPK_BARRIER:
        sync(t, op, "pipe", " ", "");
        break;
    case PTO_OPK_BARRIER_SYNC:
        sync(t, op, "op_type", "[", "]");
        break;
    case PTO_OPK_TSYNC:
        if (op->operand_count)
            group(t, "ins", op->operand, op->operand_count, NULL);
        if (pto_operation_attr(op, "op")) {
            pto_sink_char(&t->sink, ' ', 1);
            pto_print_attr(t, pto_operation_attr(op, "op"));
        }
        pto_print_attr_dict(t, op, "op");
        break;
    case PTO_OPK_PRINT:
        pto_print_text(t, "ins(");
        pto_print_string(t, pto_operation_attr(op, "format")->text);
        pto_print_text(t, ", ");
        uses(t, op, 0, 1);
        pto_print_text(t, " : ");
        operand_type(t, op, 0);
        pto_sink_char(&t->sink, ')', 1);
        pto_print_attr_dict(t, op, "format");
        break;
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
        pto_sink_char(&t->sink, ' ', 1);
        pto_print_region(t, op->region[0], false, false, false);
        pto_print_attr_dict(t, op, NULL);
        break;
    default: /* trap, get_block_idx, ... */
        pto_print_attr_dict(t, op, NULL);
    }
}

/* ---- instructions of the table ------------------------------------------------------------- */

/* The operands of a pattern that are there. */
uint32_t pto_print_present(const pto_operation *op, const int8_t *positions, pto_value **values) {
    uint32_t n = 0;
    for (int i = 0; positions[i] >= 0; i++)
        if (op->operand[positions[i]])
            values[n++] = op->operand[positions[i]];
    return n;
}

static void level2_instr(pto_text_printer *t, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_text_pattern *pattern = &form->text[PTO_TEXT_LEVEL2];
    if (!pattern->opcode) {
        pto_print_refuse(t, op, "%s (%s) has no spelling at levels 2 and 3", form->mnemonic, form->form);
        return;
    }
    pto_value *values[PTO_MAX_OPERANDS];
    bool defines = pattern->spelling[0] == '%';
    uint32_t count = pto_print_present(op, pattern->operand, values);
    pto_print_text(t, pattern->opcode);
    pto_sink_char(&t->sink, ' ', 1);
    if (defines && op->result_count) {
        pto_print_values(t, values, count);
        pto_print_attr_dict(t, op, NULL);
        pto_print_text(t, " : ");
        pto_print_type(t, values[0]->type);
        pto_print_text(t, " -> ");
        result_type(t, op);
        return;
    }
    group(t, "ins", values, count, pattern->attr_in_ins ? op : NULL);
    count = defines ? 0 : pto_print_present(op, pattern->result, values);
    if (!defines && count < (uint32_t)(pattern->result[0] >= 0)) {
        pto_print_refuse(t, op, "%s has no destination tile", form->mnemonic);
        return;
    }
    if (count)
        group(t, " outs", values, count, NULL);
    if (!pattern->attr_in_ins)
        pto_print_attr_dict(t, op, NULL);
}

void pto_print_operation(pto_text_printer *t, const pto_operation *op) {
    if (t->dialect == PTO_DIALECT_GENERIC || op->kind == PTO_OPK_UNKNOWN) {
        pto_print_generic(t, op);
        return;
    }
    if (op->kind == PTO_OPK_INSTR && t->dialect == PTO_DIALECT_LEVEL1) {
        pto_print_level1_instr(t, op);
        return;
    }
    /* The body of a loop does not see the results, but nobody may take their names. */
    pto_print_results(t, op);
    pto_mlir_arith class = op->kind == PTO_OPK_AS_CONST ? PTO_ARITH_CONST : pto_mlir_arith_class(op->kind);
    switch (op->kind) {
    case PTO_OPK_INSTR:
        level2_instr(t, op);
        break;
    case PTO_OPK_MODULE:
        module(t, op);
        break;
    case PTO_OPK_FUNC:
        function(t, op);
        break;
    case PTO_OPK_RETURN:
        return_like(t, op, "return", 0);
        break;
    case PTO_OPK_CALL:
        call(t, op);
        break;
    case PTO_OPK_SCF_FOR:
        scf_for(t, op);
        break;
    case PTO_OPK_SCF_IF:
        scf_if(t, op);
        break;
    case PTO_OPK_SCF_WHILE:
        scf_while(t, op);
        break;
    case PTO_OPK_SCF_CONDITION:
        return_like(t, op, "scf.condition", 1);
        break;
    case PTO_OPK_SCF_YIELD:
        return_like(t, op, "scf.yield", 0);
        break;
    default:
        if (class)
            arith(t, op, class);
        else if (pto_op_kind_syntax(op->kind))
            pto_print_syntax(t, op);
        else if (!pto_print_memref(t, op) && !pto_print_flow(t, op))
            dialect_op(t, op);
    }
}
