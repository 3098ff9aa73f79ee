/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of buffer tokens, cross-core flags, pipes between cores and asynchronous copies
 * (60, 3.10.2, 3.10.6). */
#include "program/facts.h"
#include "program/verify.h"

#include <string.h>

static int64_t number(const pto_operation *op, const char *key, int64_t otherwise) {
    const pto_attr *attr = pto_operation_attr(op, key);
    return !attr ? otherwise : attr->kind == PTO_AV_INT || attr->kind == PTO_AV_BOOL ? attr->i : INT64_MIN;
}

/* An integer attribute in [least, most]; absent ones pass. */
static bool in_range(pto_verifier *v, const char *rule, const pto_operation *op, const char *key,
                     int64_t least, int64_t most, const char *allowed) {
    int64_t value = number(op, key, least);
    if (value >= least && value <= most)
        return true;
    if (value == INT64_MIN)
        pto_verify_refuse(v, rule, op, op->span, key, allowed, "another kind of attribute");
    else
        pto_verify_refuse(v, rule, op, op->span, key, allowed, "%lld", (long long)value);
    return false;
}

static bool split(pto_verifier *v, const pto_operation *op) {
    return in_range(v, "PTO-E0434", op, "split", 0, 2, "0 none, 1 up and down, 2 left and right");
}

/* ---- buffer tokens, flags ---------------------------------------------------------------------- */

static void buffer_token(pto_verifier *v, const pto_operation *op) {
    if (!op->operand_count != (pto_operation_attr(op, "op_type") && pto_operation_attr(op, "buf_id")))
        pto_verify_refuse(v, "PTO-E0430", op, op->span, "buf_id",
                          "a constant number, or one operand each for number and mode", "%s",
                          op->operand_count ? "both" : "neither");
    pto_pipe pipe = pto_fact_buffer_pipe(op);
    if (pipe == PTO_PIPE_COUNT || pipe == PTO_PIPE_ALL)
        pto_verify_refuse(v, "PTO-E0416", op, op->span, "op_type", "an endpoint of one pipe", "no such pipe");
    in_range(v, "PTO-E0430", op, "buf_id", 0, 31, "0 to 31");
    in_range(v, "PTO-E0430", op, "mode", 0, INT32_MAX, "0 or more");
}

static bool one_of(pto_pipe pipe, const pto_pipe *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == pipe)
            return true;
    return false;
}

static void cross_core(pto_verifier *v, const pto_operation *op) {
    static const pto_pipe set[] = {PTO_PIPE_FIX, PTO_PIPE_MTE3};
    static const pto_pipe wait[] = {PTO_PIPE_FIX, PTO_PIPE_MTE1, PTO_PIPE_MTE2, PTO_PIPE_MTE3, PTO_PIPE_V};
    bool is_set = op->kind == PTO_OPK_SYNC_SET;
    bool has_id = pto_operation_attr(op, "event_id") != NULL;
    if (has_id == (op->operand_count == 1))
        pto_verify_refuse(v, "PTO-E0431", op, op->span, "event_id", "a constant id or an index operand", "%s",
                          has_id ? "both" : "neither");
    in_range(v, "PTO-E0431", op, "event_id", 0, 15, "0 to 15");
    in_range(v, "PTO-E0431", op, "ffts_mode", 0, 2, "0 to 2");
    pto_pipe pipe;
    if (!pto_fact_pipe(pto_operation_attr(op, "pipe"), &pipe))
        pto_verify_refuse(v, "PTO-E0416", op, op->span, "pipe", "a pipe of 00-model, 10", "no such pipe");
    else if (v->target == PTO_TARGET_A5 && !(is_set ? one_of(pipe, set, 2) : one_of(pipe, wait, 5)))
        pto_verify_refuse(v, "PTO-E0416", op, op->span, "pipe",
                          is_set ? "PIPE_FIX PIPE_MTE3" : "PIPE_FIX PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_V",
                          "%s", pto_pipe_name(pipe));
}

static void dynamic_flag(pto_verifier *v, const pto_operation *op) {
    pto_pipe src = PTO_PIPE_ALL, dst = PTO_PIPE_ALL;
    pto_fact_pipe(pto_operation_attr(op, "src_pipe"), &src);
    pto_fact_pipe(pto_operation_attr(op, "dst_pipe"), &dst);
    if (src == PTO_PIPE_ALL || dst == PTO_PIPE_ALL || src == dst)
        pto_verify_refuse(v, "PTO-E0416", op, op->span, "dst_pipe", "two different pipes", "%s and %s",
                          pto_pipe_name(src), pto_pipe_name(dst));
}

/* ---- where an operation stands ----------------------------------------------------------------- */

static const pto_operation *function_of(const pto_operation *op) {
    const pto_block *block = op->parent;
    while (block && block->parent && block->parent->parent) {
        const pto_operation *outer = block->parent->parent;
        if (outer->kind == PTO_OPK_FUNC)
            return outer;
        block = outer->parent;
    }
    return NULL;
}

static bool kernel_is(const pto_operation *function, const char *kind) {
    const pto_attr *attr = function ? pto_operation_attr(function, "pto.kernel_kind") : NULL;
    return attr && (!kind || pto_str_equal(attr->text, pto_str_from(kind)));
}

static bool in_section(const pto_operation *op) {
    for (const pto_block *block = op->parent; block && block->parent && block->parent->parent;) {
        const pto_operation *outer = block->parent->parent;
        if (outer->kind == PTO_OPK_SECTION_CUBE || outer->kind == PTO_OPK_SECTION_VECTOR)
            return true;
        block = outer->parent;
    }
    return false;
}

typedef struct search {
    const pto_operation *from, *found;
    pto_str name;
} search;

static void find_same(void *user, const pto_operation *op) {
    search *s = user;
    if (!s->found && op->kind == s->from->kind)
        s->found = op;
}

/* The first of its kind in the function. */
static bool first_in_function(pto_verifier *v, const pto_operation *op, const char *rule) {
    const pto_operation *function = function_of(op);
    if (!function) {
        pto_verify_refuse(v, rule, op, op->span, NULL, "a place in a function", "none");
        return false;
    }
    search s = {.from = op};
    pto_fact_walk(function, find_same, &s);
    if (s.found == op)
        return true;
    pto_verify_refuse(v, rule, op, op->span, NULL, "at most one in a function", "a second one");
    return false;
}

static void find_reserve(void *user, const pto_operation *op) {
    search *s = user;
    const pto_attr *name = op->kind == PTO_OPK_RESERVE_BUFFER ? pto_operation_attr(op, "name") : NULL;
    if (name && pto_str_equal(name->text, s->name))
        s->found = op;
}

static void reserved(pto_verifier *v, const pto_operation *op) {
    if (!first_in_function(v, op, "PTO-E0432"))
        return;
    if (op->kind == PTO_OPK_IMPORT_RESERVED_BUFFER) {
        pto_str peer = pto_fact_symbol(op, "peer_func");
        const pto_attr *name = pto_operation_attr(op, "name");
        search s = {.from = op, .name = name ? name->text : PTO_STR("")};
        for (const pto_operation *f = pto_program_first_function(v->program); f;
             f = pto_program_next_function(f))
            if (pto_str_equal(pto_function_name(f), peer))
                pto_fact_walk(f, find_reserve, &s);
        if (!s.found)
            pto_verify_refuse(v, "PTO-E0432", op, op->span, "peer_func",
                              "a function that reserves a buffer of this name", "@%.*s", PTO_STR_ARG(peer));
        return;
    }
    in_range(v, "PTO-E0432", op, "size", 1, INT32_MAX, "1 byte or more");
    in_range(v, "PTO-E0432", op, "base", 0, INT32_MAX, "0 or more");
    const pto_attr *location = pto_operation_attr(op, "location"),
                   *automatic = pto_operation_attr(op, "autoAlloc");
    if (location && !pto_str_equal(location->text, PTO_STR("vec")) &&
        !pto_str_equal(location->text, PTO_STR("mat")))
        pto_verify_refuse(v, "PTO-E0432", op, op->span, "location", "vec, mat", "%.*s",
                          PTO_STR_ARG(location->text));
    if (automatic && !automatic->i && !pto_operation_attr(op, "base"))
        pto_verify_refuse(v, "PTO-E0432", op, op->span, "base", "a base, since auto is false", "none");
}

/* ---- pipes between cores ------------------------------------------------------------------------ */

static void initialize_frontend(pto_verifier *v, const pto_operation *op) {
    bool cube = op->kind == PTO_OPK_AIC_INITIALIZE_PIPE;
    if (!first_in_function(v, op, "PTO-E0433"))
        return;
    if (!kernel_is(function_of(op), cube ? "cube" : "vector"))
        pto_verify_refuse(v, "PTO-E0433", op, op->name_span, NULL,
                          cube ? "a function of kernel_kind cube" : "a function of kernel_kind vector",
                          "another");
    in_range(v, "PTO-E0433", op, "dir_mask", 1, 3, "1 cube to vector, 2 vector to cube, 3 both");
    in_range(v, "PTO-E0433", op, "slot_size", 1, INT32_MAX, "1 byte or more");
}

static void frontend(pto_verifier *v, const pto_operation *op, const char *kernel) {
    if (!kernel_is(function_of(op), kernel))
        pto_verify_refuse(v, "PTO-E0434", op, op->name_span, NULL, kernel,
                          "a function of another kernel_kind");
    split(v, op);
    if (op->kind != PTO_OPK_TPOP_FROM_AIC && op->kind != PTO_OPK_TPOP_FROM_AIV)
        return;
    const pto_type *type = op->result_count ? op->result[0]->type : NULL;
    if (op->operand_count == 1)
        pto_verify_refuse(v, "PTO-E0434", op, op->span, NULL, "both valid extents or none", "one");
    if (op->operand_count == 2 && type && pto_type_is_tile(type) && !type->open &&
        (type->tile.valid_rows >= 0 || type->tile.valid_cols >= 0))
        pto_verify_refuse(v, "PTO-E0434", op, pto_verify_result_span(op, 0), NULL,
                          "a tile with valid=?x?, since the extents are operands", "static ones");
}

static void initialize(pto_verifier *v, const pto_operation *op) {
    uint32_t fixed = op->kind == PTO_OPK_INITIALIZE_L2G2L_PIPE ? 2 : 1;
    bool peer = op->operand_count > fixed;
    int64_t dir = number(op, "dir_mask", 0), slots = number(op, "slot_num", 0);
    in_range(v, "PTO-E0433", op, "dir_mask", 1, 3, "1 cube to vector, 2 vector to cube, 3 both");
    in_range(v, "PTO-E0433", op, "slot_size", 1, INT32_MAX, "1 byte or more");
    if (slots != 4 && slots != 8)
        pto_verify_refuse(v, "PTO-E0433", op, op->span, "slot_num", "4, 8", "%lld", (long long)slots);
    in_range(v, "PTO-E0433", op, "flag_base", 0, INT32_MAX, "0 or more");
    if (pto_operation_attr(op, "local_slot_num"))
        in_range(v, "PTO-E0433", op, "local_slot_num", 1, slots, "1 to slot_num");
    if (peer != (dir == 3))
        pto_verify_refuse(v, "PTO-E0433", op, op->span, "peer", "a peer address exactly when dir_mask is 3",
                          "%s", peer ? "one" : "none");
}

static void pipe_use(pto_verifier *v, const pto_operation *op) {
    if (!in_section(op) && !kernel_is(function_of(op), NULL))
        pto_verify_refuse(v, "PTO-E0434", op, op->name_span, NULL,
                          "a section or a function with a kernel_kind", "neither");
    const pto_value *handle = op->operand[op->operand_count - 1];
    const pto_operation *def = handle->def;
    if (!def || (def->kind != PTO_OPK_INITIALIZE_L2G2L_PIPE && def->kind != PTO_OPK_INITIALIZE_L2L_PIPE))
        pto_verify_refuse(v, "PTO-E0434", op, pto_verify_operand_span(op, op->operand_count - 1), "pipe",
                          "the result of an initialize operation", "another value");
    split(v, op);
    const pto_type *type = op->operand_count > 1 ? op->operand[0]->type : NULL;
    if (!type || !pto_type_is_tile(type) || type->open || op->kind == PTO_OPK_TFREE)
        return;
    pto_loc loc = type->tile.loc;
    bool push = op->kind == PTO_OPK_TPUSH;
    if (loc != PTO_LOC_VEC && loc != (push ? PTO_LOC_ACC : PTO_LOC_MAT))
        pto_verify_refuse(v, "PTO-E0434", op, pto_verify_operand_span(op, 0), "tile",
                          push ? "acc, vec" : "vec, mat", "%s", pto_loc_name(loc));
}

/* ---- asynchronous copies ------------------------------------------------------------------------ */

static void session(pto_verifier *v, const pto_operation *op) {
    const pto_type *scratch = op->operand[0]->type, *space = op->operand[1]->type;
    if (!pto_type_is_tile(scratch) || scratch->open || scratch->tile.loc != PTO_LOC_VEC ||
        pto_tile_type_bytes(&scratch->tile) < 8)
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, 0), "scratch",
                          "a vec tile of 8 bytes or more", "another value");
    if (space->kind != PTO_TYPE_PTR || !space->element || space->element->kind != PTO_TYPE_INT ||
        space->element->width != 8)
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, 1), "workspace",
                          "a pointer to 8-bit integers", "another value");
    in_range(v, "PTO-E0435", op, "sync_id", 0, 7, "0 to 7");
    in_range(v, "PTO-E0435", op, "block_bytes", 1, INT64_MAX, "1 or more");
    in_range(v, "PTO-E0435", op, "comm_block_offset", 0, INT64_MAX, "0 or more");
    in_range(v, "PTO-E0435", op, "queue_num", 1, INT32_MAX, "1 or more");
    in_range(v, "PTO-E0435", op, "channel_group_idx", 0, UINT32_MAX, "0 to 2^32 - 1");
}

static bool is_opaque(const pto_type *type, const char *text) {
    return type->kind == PTO_TYPE_OPAQUE && pto_str_equal(type->text, pto_str_from(text));
}

static void prefetch(pto_verifier *v, const pto_operation *op) {
    pto_view_facts facts;
    if (!pto_fact_view(op->operand[0], &facts))
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, 0), "src", "a view",
                          "another value");
    if (!is_opaque(op->operand[1]->type, "!pto.async_session"))
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, 1), "session", "!pto.async_session",
                          "another type");
    if (!is_opaque(op->result[0]->type, "!pto.async_event"))
        pto_verify_refuse(v, "PTO-E0435", op, op->span, NULL, "!pto.async_event", "another type");
}

static void copy(pto_verifier *v, const pto_operation *op) {
    const pto_type *a = op->operand[0]->type, *b = op->operand[1]->type;
    if (a->element != b->element || a->rank != b->rank ||
        memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) != 0)
        pto_verify_refuse(v, "PTO-E0435", op, op->span, "src", "the element type and the shape of dst",
                          "another one");
}

/* ---- between ranks (50, 9) ---------------------------------------------------------------------- */

static void is_view(pto_verifier *v, const pto_operation *op, uint32_t i) {
    pto_view_facts facts;
    if (!pto_fact_view(op->operand[i], &facts))
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, i), NULL, "a view",
                          "another value");
}

static void is_group(pto_verifier *v, const pto_operation *op, uint32_t i) {
    if (!pto_type_is_group(op->operand[i]->type))
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, i), NULL, "!pto.group<N>",
                          "another value");
}

/* A signal is a word of 32 bits in global memory, and what it is set to or compared with another. */
static void signal(pto_verifier *v, const pto_operation *op, uint32_t word, uint32_t value) {
    is_view(v, op, word);
    const pto_type *element = op->operand[word]->type->element, *number = op->operand[value]->type;
    if (!element || element->kind != PTO_TYPE_INT || element->width != 32)
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, word), NULL, "a view of i32",
                          "another element type");
    if (number->kind != PTO_TYPE_INT || number->width != 32)
        pto_verify_refuse(v, "PTO-E0435", op, pto_verify_operand_span(op, value), NULL, "i32",
                          "another type");
}

static void ranks(pto_verifier *v, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_TPUT:
    case PTO_OPK_TGET:
        is_view(v, op, 0);
        is_view(v, op, 1);
        copy(v, op);
        break;
    case PTO_OPK_TNOTIFY:
        signal(v, op, 1, 0);
        break;
    case PTO_OPK_TWAIT:
    case PTO_OPK_TTEST:
        signal(v, op, 0, 1);
        break;
    case PTO_OPK_TBROADCAST:
    case PTO_OPK_GROUP_SCATTER:
        is_view(v, op, 0);
        is_group(v, op, 1);
        break;
    case PTO_OPK_TREDUCE:
    case PTO_OPK_GROUP_GATHER:
        is_group(v, op, 0);
        is_view(v, op, 1);
        break;
    default: /* make_group */
        in_range(v, "PTO-E0435", op, "root", 0, (int64_t)op->operand_count - 1, "one of the operands");
        for (uint32_t i = 0; i < op->operand_count; i++)
            is_view(v, op, i);
        if (!pto_type_is_group(op->result[0]->type))
            pto_verify_refuse(v, "PTO-E0435", op, op->span, NULL, "!pto.group<N>", "another type");
    }
}

static void sync_all(pto_verifier *v, const pto_operation *op) {
    const pto_attr *mode = pto_operation_attr(op, "mode");
    bool soft = mode && pto_str_equal(mode->text, PTO_STR("soft"));
    if (soft && !op->operand_count)
        pto_verify_refuse(v, "PTO-E0404", op, op->span, "mode", "a workspace for the soft barrier", "none");
    if (op->operand_count)
        is_view(v, op, 0);
}

static void event_array(pto_verifier *v, const pto_operation *op) {
    const pto_type *type = op->result_count && op->kind == PTO_OPK_DECLARE_EVENTID_ARRAY
                               ? op->result[0]->type
                               : op->operand[0]->type;
    if (type->kind != PTO_TYPE_OPAQUE || !pto_str_starts_with(type->text, PTO_STR("!pto.eventid_array<"))) {
        char words[PTO_TYPE_WORDS];
        pto_verify_refuse(v, "PTO-E0405", op, op->span, NULL, "!pto.eventid_array<N>", "%s",
                          pto_type_words(type, words));
    }
}

bool pto_verify_dialect(pto_verifier *v, const pto_operation *op) {
    const pto_op_shape *shape = pto_op_shape_of(op->kind);
    if (op->kind >= PTO_OPK_ARITH_ADDUI_EXTENDED && op->kind <= PTO_OPK_ARITH_MULUI_EXTENDED)
        return false; /* a scalar operation, whose syntax stands in the table */
    if (!pto_op_kind_syntax(op->kind) && op->kind != PTO_OPK_MEMREF_SUBVIEW &&
        op->kind != PTO_OPK_MEMREF_REINTERPRET_CAST)
        return false;
    if (!pto_verify_counts(v, op, -1, -1))
        return true;
    if (op->operand_count < (uint32_t)shape->operand_min || op->result_count < (uint32_t)shape->result_min) {
        pto_verify_refuse(v, "PTO-E0404", op, op->name_span, NULL, NULL, "%u operands, %u results",
                          op->operand_count, op->result_count);
        return true;
    }
    switch (op->kind) {
    case PTO_OPK_GET_BUF:
    case PTO_OPK_RLS_BUF:
        buffer_token(v, op);
        break;
    case PTO_OPK_SYNC_SET:
    case PTO_OPK_SYNC_WAIT:
        cross_core(v, op);
        break;
    case PTO_OPK_SET_FLAG_DYN:
    case PTO_OPK_WAIT_FLAG_DYN:
        dynamic_flag(v, op);
        break;
    case PTO_OPK_DECLARE_EVENTID_ARRAY:
    case PTO_OPK_EVENTID_ARRAY_GET:
    case PTO_OPK_EVENTID_ARRAY_SET:
        event_array(v, op);
        break;
    case PTO_OPK_RESERVE_BUFFER:
    case PTO_OPK_IMPORT_RESERVED_BUFFER:
        reserved(v, op);
        break;
    case PTO_OPK_AIC_INITIALIZE_PIPE:
    case PTO_OPK_AIV_INITIALIZE_PIPE:
        initialize_frontend(v, op);
        break;
    case PTO_OPK_TPUSH_TO_AIV:
    case PTO_OPK_TPOP_FROM_AIV:
    case PTO_OPK_TFREE_FROM_AIV:
        frontend(v, op, "cube");
        break;
    case PTO_OPK_TPUSH_TO_AIC:
    case PTO_OPK_TPOP_FROM_AIC:
    case PTO_OPK_TFREE_FROM_AIC:
        frontend(v, op, "vector");
        break;
    case PTO_OPK_INITIALIZE_L2G2L_PIPE:
    case PTO_OPK_INITIALIZE_L2L_PIPE:
        initialize(v, op);
        break;
    case PTO_OPK_TPUSH:
    case PTO_OPK_TPOP:
    case PTO_OPK_TFREE:
    case PTO_OPK_TALLOC:
        pipe_use(v, op);
        break;
    case PTO_OPK_BUILD_ASYNC_SESSION:
        session(v, op);
        break;
    case PTO_OPK_TPREFETCH_ASYNC:
        prefetch(v, op);
        break;
    case PTO_OPK_TPUT_ASYNC:
    case PTO_OPK_TGET_ASYNC:
        copy(v, op);
        break;
    case PTO_OPK_MAKE_GROUP:
    case PTO_OPK_TPUT:
    case PTO_OPK_TGET:
    case PTO_OPK_TNOTIFY:
    case PTO_OPK_TWAIT:
    case PTO_OPK_TTEST:
    case PTO_OPK_TBROADCAST:
    case PTO_OPK_TREDUCE:
    case PTO_OPK_GROUP_GATHER:
    case PTO_OPK_GROUP_SCATTER:
        ranks(v, op);
        break;
    case PTO_OPK_SYNCALL:
        sync_all(v, op);
        break;
    default:
        break;
    }
    return true;
}
