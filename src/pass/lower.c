/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: values get registers and slots, parameters and blocks of operations become flat code. */
#include "pass/lower.h"
#include "pass/sync.h"

#include <setjmp.h>
#include <string.h>

void pto_lower_refuse(pto_lowering *l, const char *rule, const char *found) {
    l->failed = true;
    const pto_operation *op = l->current;
    const pto_source *source = l->code->program->source;
    pto_where where =
        op && source ? pto_at(l->code->program->source, op->span.begin, op->span.end) : pto_nowhere();
    const pto_rule_text *text = pto_rule_find(rule);
    pto_diag_add(l->diags, PTO_ERROR, rule, where, "%s", text ? text->title : "refused");
    if (found)
        pto_diag_found(l->diags, "%s", found);
    if (text && text->fix)
        pto_diag_fix(l->diags, "%s", text->fix);
}

int32_t pto_lower_emit(pto_lowering *l, pto_code_op op) {
    if (l->ops.count >= PTO_CODE_MAX_OPS) {
        if (!l->failed)
            pto_lower_refuse(l, "PTO-E0911", "more than 4 million operations");
        return 0;
    }
    pto_vec_push(l->arena, &l->ops, op);
    pto_vec_push(l->arena, &l->origins, l->current);
    return (int32_t)l->ops.count - 1;
}

int32_t pto_lower_new_register(pto_lowering *l, pto_register initial) {
    pto_vec_push(l->arena, &l->regs, initial);
    return (int32_t)l->regs.count - 1;
}

int32_t pto_lower_new_handle(pto_lowering *l, const pto_tile_type *type) {
    pto_code_slot slot = {.storage = -1, .varies = true, .parent = (int32_t)l->slots.count, .loop = l->loop};
    slot.tile = (pto_tile){.type = *type,
                           .valid_rows = type->valid_rows < 0 ? type->rows : type->valid_rows,
                           .valid_cols = type->valid_cols < 0 ? type->cols : type->valid_cols};
    pto_vec_push(l->arena, &l->slots, slot);
    return (int32_t)l->slots.count - 1;
}

int32_t pto_lower_new_tile(pto_lowering *l, const pto_tile_type *type, pto_str name) {
    int32_t slot = pto_lower_new_handle(l, type);
    pto_code_storage storage = {
        .loc = type->loc, .bytes = pto_tile_type_bytes(type), .slot = slot, .op = l->current, .name = name};
    if (type->compact == PTO_COMPACT_ROW_PLUS_ONE)
        storage.bytes += (uint64_t)(type->blayout == PTO_ROW_MAJOR ? type->rows : type->cols) *
                         pto_dtype_bits(type->dtype) / 8;
    l->slots.data[slot].storage = (int32_t)l->storages.count;
    l->slots.data[slot].varies = type->valid_rows < 0 || type->valid_cols < 0;
    pto_vec_push(l->arena, &l->storages, storage);
    return slot;
}

int32_t pto_lower_new_view(pto_lowering *l, const pto_type *type) {
    pto_global view = {.dtype = type->dtype};
    pto_vec_push(l->arena, &l->views, view);
    return (int32_t)l->views.count - 1;
}

void pto_lower_record(pto_lowering *l, const void *key, int32_t position, int32_t slot) {
    pto_code_place place = {.expansion = l->expansion, .position = position, .key = key, .slot = slot};
    if (l->recording)
        pto_vec_push(l->arena, &l->places, place);
}

void pto_lower_touch(pto_lowering *l, int32_t slot) {
    pto_code_touch touch = {.slot = slot, .at = pto_lower_here(l), .loop = l->loop};
    pto_vec_push(l->arena, &l->touches, touch);
}

static int32_t find(pto_lowering *l, int32_t slot) {
    pto_code_slot *slots = l->slots.data;
    while (slots[slot].parent != slot) {
        slots[slot].parent = slots[slots[slot].parent].parent;
        slot = slots[slot].parent;
    }
    return slot;
}

void pto_lower_alias(pto_lowering *l, int32_t a, int32_t b) {
    a = find(l, a);
    b = find(l, b);
    if (a < b)
        l->slots.data[b].parent = a;
    else
        l->slots.data[a].parent = b;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool is_view(const pto_type *type) {
    return type->kind == PTO_TYPE_TENSOR_VIEW || type->kind == PTO_TYPE_PARTITION_VIEW ||
           type->kind == PTO_TYPE_MEMREF;
}

void pto_lower_set(pto_lowering *l, const pto_value *value, int32_t at) {
    pto_value_map_set(&l->at, value, at);
    if (pto_type_is_tile(value->type))
        pto_lower_record(l, value, 0, at);
}

int32_t pto_lower_get(pto_lowering *l, const pto_value *value) {
    const int64_t *at = pto_value_map_find(&l->at, value);
    if (at)
        return (int32_t)*at;
    /* only a program that was not verified comes here */
    if (!l->failed)
        pto_lower_refuse(l, "PTO-E0402", "a value without definition");
    return value && value->type ? pto_lower_place_for(l, value)
                                : pto_lower_new_register(l, (pto_register){0});
}

int32_t pto_lower_place_for(pto_lowering *l, const pto_value *value) {
    const pto_type *type = value->type;
    int32_t at;
    if (type->kind == PTO_TYPE_TILE) {
        at = pto_lower_new_tile(l, &type->tile, value->name);
    } else if (type->kind == PTO_TYPE_TILE_BUF) {
        at = pto_lower_new_handle(l, &type->tile);
    } else if (is_view(type)) {
        at = pto_lower_new_view(l, type);
    } else {
        at = pto_lower_new_register(l, (pto_register){0});
        if (type->kind == PTO_TYPE_PTR)
            pto_lower_new_register(l, (pto_register){0});
    }
    pto_lower_set(l, value, at);
    return at;
}

static void move_one(pto_lowering *l, const pto_type *type, int32_t to, int32_t from) {
    if (to == from)
        return;
    if (pto_type_is_tile(type)) {
        const pto_code_slot *slots = l->slots.data;
        bool bytes = type->kind == PTO_TYPE_TILE;
        if (bytes && slots[to].storage >= 0 && slots[to].storage == slots[from].storage)
            return;
        if (!bytes)
            pto_lower_alias(l, to, from);
        pto_lower_touch(l, to);
        pto_lower_touch(l, from);
        pto_lower_emit(l, (pto_code_op){.kind = (uint16_t)(bytes ? PTO_CODE_COPY_TILE : PTO_CODE_MOVE_TILE),
                                        .dst = to,
                                        .a = from});
    } else if (is_view(type)) {
        pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_MOVE_VIEW, .dst = to, .a = from});
    } else {
        pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_MOVE, .dst = to, .a = from});
        if (type->kind == PTO_TYPE_PTR)
            pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_MOVE, .dst = to + 1, .a = from + 1});
    }
}

static int bank(const pto_type *type) { return pto_type_is_tile(type) ? 0 : (is_view(type) ? 1 : 2); }

void pto_lower_moves(pto_lowering *l, uint32_t count, pto_value *const *from, const int32_t *to) {
    int32_t *source = pto_arena_array(l->arena, count + 1, sizeof *source);
    bool *spare = pto_arena_array(l->arena, count + 1, sizeof *spare);
    for (uint32_t i = 0; i < count; i++)
        source[i] = pto_lower_get(l, from[i]);
    for (uint32_t i = 0; i < count; i++) {
        /* a place that is overwritten before it is read, perhaps as a view of its bytes */
        const pto_value *root = pto_type_is_tile(from[i]->type) ? pto_fact_tile_root(from[i]) : NULL;
        int32_t whole = root ? pto_lower_get(l, root) : source[i];
        for (uint32_t k = 0; k < i && !spare[i]; k++)
            spare[i] = (source[i] == to[k] || whole == to[k]) && source[k] != to[k] &&
                       bank(from[i]->type) == bank(from[k]->type);
        if (!spare[i])
            continue;
        const pto_type *type = from[i]->type;
        int32_t place;
        if (type->kind == PTO_TYPE_TILE)
            place = pto_lower_new_tile(l, &type->tile, from[i]->name);
        else if (type->kind == PTO_TYPE_TILE_BUF)
            place = pto_lower_new_handle(l, &type->tile);
        else if (is_view(type))
            place = pto_lower_new_view(l, type);
        else {
            place = pto_lower_new_register(l, (pto_register){0});
            if (type->kind == PTO_TYPE_PTR)
                pto_lower_new_register(l, (pto_register){0});
        }
        move_one(l, type, place, source[i]);
        source[i] = place;
    }
    for (uint32_t i = 0; i < count; i++)
        move_one(l, from[i]->type, to[i], source[i]);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void lower_operation(pto_lowering *l, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_INSTR:
        pto_lower_instr(l, op);
        break;
    case PTO_OPK_FUNC:
    case PTO_OPK_MODULE:
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
        pto_lower_flow(l, op);
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
        pto_lower_sync(l, op);
        break;
    case PTO_OPK_TSYNC:
    case PTO_OPK_SET_FFTS:
    case PTO_OPK_SET_CROSS_CORE:
    case PTO_OPK_WAIT_FLAG_DEV:
    case PTO_OPK_SET_INTRA_BLOCK:
    case PTO_OPK_WAIT_INTRA_CORE:
    case PTO_OPK_MEM_BAR:
    case PTO_OPK_BUILD_ASYNC_SESSION:
    case PTO_OPK_TPREFETCH_ASYNC: /* nothing is ever on its way */
        break;
    case PTO_OPK_WAIT_ASYNC_EVENT:
    case PTO_OPK_TEST_ASYNC_EVENT:
        pto_lower_set(l, op->result[0], pto_lower_new_register(l, (pto_register){.i = 1}));
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
        pto_lower_tile_op(l, op);
        break;
    default:
        pto_lower_scalar(l, op);
        break;
    }
}

void pto_lower_block(pto_lowering *l, const pto_block *block) {
    for (const pto_operation *op = block ? block->first : NULL; op && !l->failed; op = op->next) {
        l->current = op;
        pto_lower_planned(l, op, false);
        lower_operation(l, op);
        l->current = op;
        pto_lower_planned(l, op, true);
    }
}

static void lower_params(pto_lowering *l, const pto_block *body) {
    pto_code *code = l->code;
    code->param_count = (int32_t)body->arg_count;
    code->param = pto_arena_array(l->arena, body->arg_count, sizeof *code->param);
    for (uint32_t i = 0; i < body->arg_count; i++) {
        const pto_value *value = body->arg[i];
        const pto_type *type = value->type;
        pto_code_param *param = &code->param[i];
        *param = (pto_code_param){.type = type, .name = value->name, .kind = PTO_CODE_PARAM_IGNORED};
        if (pto_type_is_tile(type)) {
            param->kind = PTO_CODE_PARAM_TILE;
            param->slot = pto_lower_new_tile(l, &type->tile, value->name);
            pto_lower_touch(l, param->slot);
            pto_lower_set(l, value, param->slot);
            continue;
        }
        param->slot = pto_lower_place_for(l, value);
        if (is_view(type))
            param->kind = PTO_CODE_PARAM_VIEW;
        else if (type->kind == PTO_TYPE_PTR)
            param->kind = PTO_CODE_PARAM_POINTER;
        else if (pto_type_is_scalar(type))
            param->kind = PTO_CODE_PARAM_SCALAR;
        if (param->kind == PTO_CODE_PARAM_POINTER)
            l->regs.data[param->slot + 1].i = (int64_t)i;
    }
}

static void finish(pto_lowering *l) {
    pto_code *code = l->code;
    code->op = l->ops.data;
    code->op_count = (int32_t)l->ops.count;
    code->origin = l->origins.data;
    code->reg = l->regs.data;
    code->reg_count = (int32_t)l->regs.count;
    code->slot = l->slots.data;
    code->slot_count = (int32_t)l->slots.count;
    code->view = l->views.data;
    code->view_count = (int32_t)l->views.count;
    code->instr = l->instrs.data;
    code->instr_count = (int32_t)l->instrs.count;
    code->list = l->list.data;
    code->list_count = (int32_t)l->list.count;
    code->storage = l->storages.data;
    code->storage_count = (int32_t)l->storages.count;
    code->loop = l->loops.data;
    code->loop_count = (int32_t)l->loops.count;
    code->touch = l->touches.data;
    code->touch_count = (int32_t)l->touches.count;
    code->place = l->places.data;
    code->place_count = (int32_t)l->places.count;
    code->call = l->expansions.data;
    code->call_count = (int32_t)l->expansions.count;
    for (int32_t i = 0; i < code->slot_count; i++)
        code->slot[i].parent = find(l, i);
}

static void count_instr(void *user, const pto_operation *op) {
    size_t *count = user;
    *count += op->kind == PTO_OPK_INSTR;
}

/* Apart from pto_lower, which holds the jump buffer. */
static pto_status lower_entry(pto_lowering *l, const pto_operation *entry) {
    const pto_block *body = pto_function_body(entry);
    if (!body)
        return PTO_ERR_USAGE;
    size_t instrs = 0;
    pto_fact_walk(entry, count_instr, &instrs);
    pto_vec_reserve(l->arena, &l->instrs, instrs);
    lower_params(l, body);
    if (body->next)
        pto_lower_blocks(l, body->parent, PTO_OPK_RETURN, 0, NULL);
    else
        pto_lower_block(l, body);
    l->current = NULL;
    /* tile arguments are copied out at the end */
    for (int32_t i = 0; i < l->code->param_count; i++)
        if (l->code->param[i].kind == PTO_CODE_PARAM_TILE)
            pto_lower_touch(l, l->code->param[i].slot);
    pto_lower_emit(l, (pto_code_op){.kind = PTO_CODE_END});
    finish(l);
    return l->failed ? PTO_ERR_REFUSED : PTO_OK;
}

/* The frame that a failed allocation returns to; nothing of it changes after the jump is set. */
static pto_status lower_guarded(pto_lowering *l) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    l->arena->on_failure = &failure;
    pto_status status = lower_entry(l, l->code->entry);
    return status == PTO_OK ? pto_place(l->code, l->diags) : status;
}

static pto_status lower(pto_code *code, const pto_program *program, const pto_operation *entry,
                        pto_target target, bool recording, const pto_sync_plan *plan, pto_diag_list *diags) {
    *code = (pto_code){.program = program, .target = target, .entry = entry};
    pto_arena_init(&code->arena, 0);
    code->has_addresses = pto_fact_has_addresses(program);
    pto_lowering l = {.code = code,
                      .arena = &code->arena,
                      .diags = diags,
                      .recording = recording,
                      .plan = plan,
                      .loop = -1,
                      .at = {.arena = &code->arena}};
    pto_status status = lower_guarded(&l);
    code->arena.on_failure = NULL;
    return status;
}

pto_status pto_lower(pto_code *code, const pto_program *program, const pto_operation *entry,
                     pto_target target, pto_diag_list *diags) {
    return lower(code, program, entry, target, false, NULL, diags);
}

pto_status pto_lower_recorded(pto_code *code, const pto_program *program, const pto_operation *entry,
                              pto_target target, pto_diag_list *diags) {
    return lower(code, program, entry, target, true, NULL, diags);
}

pto_status pto_lower_planning(pto_code *code, const pto_program *program, const pto_operation *entry,
                              pto_target target, const pto_sync_plan *plan, pto_diag_list *diags) {
    return lower(code, program, entry, target, false, plan, diags);
}

void pto_code_release(pto_code *code) { pto_arena_free(&code->arena); }
