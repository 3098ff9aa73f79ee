/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in C++ (60, 6.2). A function is written once for every set of addresses that its tiles have:
 * calls are expanded by placement, and equal texts are one function. */
#include "emit/emit.h"

#include <string.h>

static void write_operation(pto_emitter *e, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_INSTR:
        pto_emit_instr(e, op);
        break;
    case PTO_OPK_RETURN:
    case PTO_OPK_CALL:
    case PTO_OPK_SECTION_CUBE:
    case PTO_OPK_SECTION_VECTOR:
    case PTO_OPK_SCF_FOR:
    case PTO_OPK_SCF_IF:
    case PTO_OPK_SCF_WHILE:
    case PTO_OPK_SCF_INDEX_SWITCH:
    case PTO_OPK_SCF_EXECUTE_REGION:
    case PTO_OPK_CF_BR:
    case PTO_OPK_CF_COND_BR:
    case PTO_OPK_CF_SWITCH:
    case PTO_OPK_SCF_CONDITION:
    case PTO_OPK_SCF_YIELD:
        pto_emit_flow(e, op);
        break;
    case PTO_OPK_SET_FLAG:
    case PTO_OPK_WAIT_FLAG:
    case PTO_OPK_BARRIER:
    case PTO_OPK_RECORD_EVENT:
    case PTO_OPK_WAIT_EVENT:
    case PTO_OPK_BARRIER_SYNC:
    case PTO_OPK_SET_FLAG_DYN:
    case PTO_OPK_WAIT_FLAG_DYN:
    case PTO_OPK_GET_BUF:
    case PTO_OPK_RLS_BUF:
    case PTO_OPK_SYNC_SET:
    case PTO_OPK_SYNC_WAIT:
        pto_emit_sync(e, op);
        break;
    case PTO_OPK_TSYNC:   /* no event is ever recorded */
    case PTO_OPK_MEM_BAR: /* no meaning for tiles */
    case PTO_OPK_BUILD_ASYNC_SESSION:
    case PTO_OPK_TPREFETCH_ASYNC: /* nothing is ever on its way */
        break;
    case PTO_OPK_SET_FFTS:
        pto_emit_line(e, "set_ffts_base_addr(reinterpret_cast<uint64_t>(%s));",
                      pto_emit_name(e, op->operand[0]));
        break;
    case PTO_OPK_ADDPTR:
    case PTO_OPK_LOAD_SCALAR:
    case PTO_OPK_STORE_SCALAR:
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
    case PTO_OPK_GET_TENSOR_VIEW_DIM:
    case PTO_OPK_GET_TENSOR_VIEW_STRIDE:
    case PTO_OPK_ALLOC_TILE:
    case PTO_OPK_SUBSET:
    case PTO_OPK_SET_VALIDSHAPE:
    case PTO_OPK_BITCAST:
    case PTO_OPK_TSETVAL:
    case PTO_OPK_TGETVAL:
        pto_emit_tile_op(e, op);
        break;
    default:
        pto_emit_scalar(e, op);
        break;
    }
}

void pto_emit_block(pto_emitter *e, const pto_block *block) {
    for (const pto_operation *op = block ? block->first : NULL; op && !e->failed; op = op->next) {
        e->current = op;
        pto_emit_planned(e, op, false);
        write_operation(e, op);
        pto_emit_planned(e, op, true);
    }
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool is_reserved(const char *name) {
    static const char *const words[] = {
        "alignas",  "alignof",  "and",     "asm",      "auto",   "bitand",   "bitor",     "bool",
        "break",    "case",     "catch",   "char",     "class",  "compl",    "const",     "constexpr",
        "continue", "decltype", "default", "delete",   "do",     "double",   "else",      "enum",
        "explicit", "export",   "extern",  "false",    "float",  "for",      "friend",    "goto",
        "if",       "inline",   "int",     "long",     "main",   "mutable",  "namespace", "new",
        "noexcept", "not",      "nullptr", "operator", "or",     "private",  "protected", "public",
        "register", "return",   "short",   "signed",   "sizeof", "static",   "struct",    "switch",
        "template", "this",     "throw",   "true",     "try",    "typedef",  "typeid",    "typename",
        "union",    "unsigned", "using",   "virtual",  "void",   "volatile", "while",     "xor",
        "half",     "pto",      "std",     "cce",      "trap",   "T"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], name))
            return true;
    /* v12 is a value */
    return *name == 'v' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
}

static bool is_taken(const pto_emitter *e, const char *name) {
    for (size_t i = 0; i < e->functions.count; i++)
        if (!strcmp(e->functions.data[i].name, name))
            return true;
    return false;
}

const char *pto_emit_function_name(pto_emitter *e, const pto_operation *op) {
    char *name = pto_arena_strdup(e->arena, pto_function_name(op));
    for (char *p = name; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *p))
            *p = '_';
    if (!*name || is_reserved(name) || strchr("0123456789", *name))
        name = pto_arena_printf(e->arena, "%s%s_", strchr("0123456789", *name) ? "f" : "", name);
    const char *own = name;
    for (int i = 1; is_taken(e, own); i++)
        own = pto_arena_printf(e->arena, "%s_%d", name, i);
    return own;
}

/* ---- parameters -------------------------------------------------------------------------------------------
 */

static bool is_view(const pto_type *type) {
    return type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_PARTITION_VIEW ||
           type->kind == PTO_TYPE_MEMREF;
}

/* A memref of an entry is a pointer to dense rows; a leading extent that its type leaves open is a parameter
 * behind it. */
static const char *entry_view(pto_emitter *e, const pto_value *value, int32_t number, const char **more) {
    pto_view_facts facts;
    pto_fact_view(value, &facts);
    pto_emit_view *view = pto_arena_new(e->arena, pto_emit_view);
    *view = (pto_emit_view){.dtype = facts.dtype,
                            .layout = facts.layout,
                            .rank = facts.rank,
                            .base = e->values.data[number].name};
    pto_emit_dim stride = {NULL, 1};
    for (int d = 4; d >= 0; d--) {
        bool padding = d < 5 - facts.rank;
        view->shape[d].number = padding ? 1 : facts.shape[d];
        if (!padding && facts.shape[d] < 0 && d == 5 - facts.rank) {
            int32_t extent = pto_emit_new(e, NULL, "int64_t");
            view->shape[d].text = e->values.data[extent].name;
            *more = pto_arena_printf(e->arena, ", int64_t %s", view->shape[d].text);
        } else if (view->shape[d].number < 0) {
            pto_emit_refuse(e, "%%%.*s: an open extent behind the first", PTO_STR_ARG(value->name));
        }
        view->stride[d] = stride;
        if (!e->failed)
            stride = pto_emit_product(e, stride, view->shape[d]);
    }
    if (e->failed)
        return "int";
    pto_emit_view_variable(e, pto_emit_new(e, value, ""), view);
    return pto_arena_printf(e->arena, "__gm__ %s *", pto_emit_element(facts.dtype));
}

/* A tile of an entry is a pointer to its dense rows: each block copies them in, the last one out. */
static const char *entry_tile(pto_emitter *e, const pto_value *value, int32_t number) {
    const pto_tile_type *type = &value->type->tile;
    if (type->conv || pto_dtype_bits(type->dtype) < 8) {
        pto_emit_refuse(e, "%%%.*s: a tile of 4-bit elements or for convolution as an entry's parameter",
                        PTO_STR_ARG(value->name));
        return "int";
    }
    int32_t tile = pto_emit_new_tile(e, value, type), slot = pto_emit_slot(e, value, 0);
    pto_emit_assign(e, tile, slot);
    e->helpers |= 1u << PTO_HELPER_ROWS;
    const char *name = e->values.data[tile].name, *rows = e->values.data[number].name;
    pto_emit_line(e, "ptoas_take(%s, %s);", name, rows);
    e->fn->give = pto_arena_printf(e->arena, "%s%*sptoas_give(%s, %s);\n", e->fn->give ? e->fn->give : "",
                                   e->fn->give ? 4 : 0, "", name, rows);
    return pto_arena_printf(e->arena, "__gm__ %s *", pto_emit_element(type->dtype));
}

/* A parameter that is called with `actual` has its type; a tile that is a value is copied. */
static const char *parameter(pto_emitter *e, const pto_value *value, const pto_value *actual,
                             int32_t number) {
    const pto_emit_value given = *pto_emit_get(e, actual);
    const char *name = e->values.data[number].name;
    e->values.data[number].tile = given.tile;
    if (given.view)
        e->values.data[number].view = pto_emit_view_of(e, name, given.view, false);
    return pto_type_is_tile(value->type) ? pto_arena_printf(e->arena, "%s &", given.type) : given.type;
}

static const char *entry_parameter(pto_emitter *e, const pto_value *value, int32_t number,
                                   const char **more) {
    if (is_view(value->type))
        return entry_view(e, value, number, more);
    return pto_type_is_tile(value->type) ? entry_tile(e, value, number)
                                         : pto_emit_scalar_type(e, value->type);
}

/* The callee may take the storage of its parameter over. */
static void copy_parameter(pto_emitter *e, const pto_value *value, int32_t number) {
    int32_t slot = pto_emit_slot(e, value, 0);
    if (slot < 0)
        return;
    int32_t own = pto_emit_new(e, value, e->values.data[number].type);
    e->values.data[own].tile = e->values.data[number].tile;
    if (e->values.data[own].tile.conv)
        pto_emit_refuse(e, "a convolution tile that is moved");
    pto_emit_variable(e, own, NULL);
    pto_emit_assign(e, own, slot);
    pto_emit_line(e, "%s;", pto_emit_copy(e, e->values.data[own].name, e->values.data[number].name));
}

static const char *parameters(pto_emitter *e, const pto_block *body, pto_value *const *actual) {
    const char *text = "";
    int32_t first = (int32_t)e->values.count;
    /* all names first, so that they are v1, v2, ... */
    for (uint32_t i = 0; i < body->arg_count; i++)
        pto_emit_new(e, actual || is_view(body->arg[i]->type) ? NULL : body->arg[i], "");
    for (uint32_t i = 0; i < body->arg_count && !e->failed; i++) {
        int32_t number = first + (int32_t)i;
        const char *more = "";
        const char *type = actual ? parameter(e, body->arg[i], actual[i], number)
                                  : entry_parameter(e, body->arg[i], number, &more);
        size_t len = strlen(type);
        bool reference = len && type[len - 1] == '&';
        e->values.data[number].type =
            reference ? pto_arena_printf(e->arena, "%.*s", (int)len - 2, type) : type;
        text = pto_arena_printf(e->arena, "%s%s%s%s", text, i ? ", " : "",
                                pto_emit_declare(e, type, e->values.data[number].name), more);
    }
    /* last: a function may be called with its own former arguments */
    for (uint32_t i = 0; i < body->arg_count && actual; i++)
        pto_value_map_set(&e->at, body->arg[i], first + (int32_t)i);
    for (uint32_t i = 0; i < body->arg_count && actual && !e->failed; i++)
        if (body->arg[i]->type->kind == PTO_TYPE_TILE)
            copy_parameter(e, body->arg[i], first + (int32_t)i);
    return text;
}

/* ---- a function
 * -------------------------------------------------------------------------------------------- */

static void find_blocks(void *user, const pto_operation *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        if (op->region[r] && op->region[r]->first && op->region[r]->first->next)
            *(bool *)user = true;
}

/* A function for one kind of core, by itself or by its module. */
static const char *core_of(const pto_operation *op) {
    for (; op; op = op->parent ? op->parent->parent->parent : NULL) {
        const pto_attr *attr = pto_operation_attr(op, "pto.kernel_kind");
        if (attr && pto_str_equal_ignore_case(attr->text, PTO_STR("cube")))
            return "#if defined(__DAV_CUBE__)";
        if (attr && pto_str_equal_ignore_case(attr->text, PTO_STR("vector")))
            return "#if defined(__DAV_VEC__)";
    }
    return NULL;
}

static const char *result_type(pto_emitter *e, const pto_emit_function *fn) {
    if (!fn->result_count)
        return "void";
    if (fn->result_count == 1)
        return e->values.data[fn->result[0].at].type;
    e->needs_tuple = true;
    const char *types = "";
    for (uint32_t i = 0; i < fn->result_count; i++)
        types =
            pto_arena_printf(e->arena, "%s%s%s", types, i ? ", " : "", e->values.data[fn->result[i].at].type);
    return pto_arena_printf(e->arena, "std::tuple<%s>", types);
}

static void write_body(pto_emitter *e, const pto_operation *op, const pto_block *body) {
    const char *core = core_of(op);
    if (core) {
        pto_emit_directive(e, core);
        if (strstr(core, "VEC")) {
            pto_emit_line(e, "set_mask_norm();");
            pto_emit_line(e, "set_vector_mask(-1, -1);");
        }
    }
    if (body->next)
        pto_emit_blocks(e, body->parent);
    else
        pto_emit_block(e, body);
    if (!body->next && (!body->last || body->last->kind != PTO_OPK_RETURN))
        pto_emit_give(e);
    if (core)
        pto_emit_directive(e, "#endif");
}

/* The finished function of this text. */
static size_t finish(pto_emitter *e, const pto_operation *op, bool entry, const char *head, const char *body,
                     const char *result) {
    for (size_t i = 0; i < e->functions.count; i++) {
        const pto_emit_finished *known = &e->functions.data[i];
        if (known->op == op && !strcmp(known->head, head) && !strcmp(known->body, body))
            return i;
    }
    pto_emit_finished done = {
        .op = op, .name = pto_emit_function_name(e, op), .head = head, .body = body, .result = result};
    const pto_attr *visibility = pto_operation_attr(op, "sym_visibility");
    done.kind = entry                                                               ? "__global__ AICORE"
                : visibility && pto_str_equal(visibility->text, PTO_STR("private")) ? "static AICORE"
                                                                                    : "AICORE";
    pto_vec_push(e->arena, &e->functions, done);
    return e->functions.count - 1;
}

/* What ends an entry that was synchronised automatically. */
static void add_tail(pto_emitter *e, const pto_operation *op) {
    const pto_attr *hint = pto_operation_attr(op, "pto.auto_sync_tail_hint");
    bool flag = hint && (pto_str_equal(hint->text, PTO_STR("mte3-to-s-event0")) ||
                         pto_str_equal(hint->text, PTO_STR("mte3_to_s_event0")) ||
                         pto_str_starts_with(hint->text, PTO_STR("setwait")));
    e->helpers |= 1u << PTO_HELPER_TAIL;
    const char *before = e->fn->give ? e->fn->give : "";
    e->fn->give = pto_arena_printf(e->arena, "%s%*sptoas_auto_sync_tail(PTOAutoSyncTailMode::%s);\n", before,
                                   *before ? 4 : 0, "", flag ? "kSetWaitMte3ToSEvent0" : "kBarrierAll");
}

size_t pto_emit_write_function(pto_emitter *e, const pto_operation *op, int32_t expansion,
                               pto_value *const *actual, pto_emit_place **result) {
    const pto_block *body = pto_function_body(op);
    pto_emit_function fn = {.outer = e->fn, .op = op, .expansion = expansion, .indent = 1};
    e->current = op;
    if (expansion >= PTO_EMIT_MAX_CALLS)
        pto_emit_refuse(e, "more than %d calls", PTO_EMIT_MAX_CALLS);
    pto_fact_walk(op, find_blocks, &fn.flat);
    find_blocks(&fn.flat, op);
    e->fn = &fn;
    const char *list = parameters(e, body, actual);
    if (e->plan && !actual && !e->failed)
        add_tail(e, op);
    if (!e->failed)
        write_body(e, op, body);
    e->fn = fn.outer;
    if (e->failed)
        return 0;
    const char *head = pto_arena_printf(e->arena, "(%s) {\n    using T [[maybe_unused]] = float;\n", list);
    const char *text = pto_arena_printf(e->arena, "%s}\n", pto_emit_finish_text(e, &fn));
    if (result)
        *result = fn.result;
    return finish(e, op, !actual && pto_function_is_entry(e->program, op), head, text, result_type(e, &fn));
}
