/* SPDX-License-Identifier: Apache-2.0 */
/* A look over the flat code: who sets a register, a tile slot, a view slot. What has one source of constants
 * is known; a handle that may stand for several tiles stands for all of its class. */
#include "pass/sync_access.h"

#include "isa/order.h"
#include "program/facts.h"
#include <pto/ops.h>

#include <string.h>

enum { NOBODY = -1, MANY = -2, DEPTH = 64 };

typedef struct range {
    uint64_t begin, end;
} range;

typedef struct looker {
    pto_sync_uses *uses;
    const pto_code *code;
    int32_t *reg_writer, *slot_writer, *view_writer; /* op, NOBODY or MANY */
    bool *moved;                                     /* by class: an address is computed while running */
    uint8_t *answer; /* by register: asked before, and whether it is constant */
    int64_t *constant;
    /* storages of a class, chained */
    int32_t *class_first, *storage_next;
} looker;

/* ---- who writes what ---- */

static void note(int32_t *writer, int32_t at, int32_t op) { writer[at] = writer[at] == NOBODY ? op : MANY; }

static bool writes_register(int kind) {
    switch (kind) {
    case PTO_CODE_END:
    case PTO_CODE_JUMP:
    case PTO_CODE_JUMP_UNLESS:
    case PTO_CODE_MOVE_VIEW:
    case PTO_CODE_MOVE_TILE:
    case PTO_CODE_COPY_TILE:
    case PTO_CODE_COPY_VALID:
    case PTO_CODE_VIEW_VALID:
    case PTO_CODE_LABEL_VIEW:
    case PTO_CODE_INDEX_VIEW:
    case PTO_CODE_SYNC:
    case PTO_CODE_CORE:
    case PTO_CODE_SET_VALID:
    case PTO_CODE_INSTR:
    case PTO_OPK_MAKE_TENSOR_VIEW:
    case PTO_OPK_PARTITION_VIEW:
    case PTO_OPK_SUBSET:
    case PTO_OPK_BITCAST:
    case PTO_OPK_TSETVAL:
    case PTO_OPK_STORE_SCALAR:
    case PTO_OPK_PRINT:
    case PTO_OPK_TRAP:
        return false;
    default:
        return true;
    }
}

static void find_writers(looker *l) {
    const pto_code *code = l->code;
    for (int32_t i = 0; i < code->op_count; i++) {
        const pto_code_op *op = &code->op[i];
        switch (op->kind) {
        case PTO_OPK_MAKE_TENSOR_VIEW:
        case PTO_OPK_PARTITION_VIEW:
        case PTO_CODE_MOVE_VIEW:
        case PTO_CODE_LABEL_VIEW:
        case PTO_CODE_INDEX_VIEW:
            note(l->view_writer, op->dst, i);
            break;
        case PTO_OPK_SUBSET:
        case PTO_OPK_BITCAST:
        case PTO_CODE_MOVE_TILE:
            note(l->slot_writer, op->dst, i);
            break;
        case PTO_CODE_INSTR: {
            const pto_code_instr *instr = &code->instr[op->extra];
            if (instr->changes < 0)
                break;
            bool assigns = instr->form == PTO_FORM_TASSIGN;
            if (assigns && (instr->slot[1] >= 0 || code->slot[instr->changes].reset))
                l->moved[code->slot[instr->changes].parent] = true;
            if (!assigns)
                note(l->slot_writer, instr->changes, i);
            break;
        }
        default:
            if (!writes_register(op->kind) || op->dst < 0 || op->dst >= code->reg_count)
                break;
            note(l->reg_writer, op->dst, i);
            if (op->kind == PTO_OPK_ADDPTR && op->dst + 1 < code->reg_count) /* pointers have two registers */
                note(l->reg_writer, op->dst + 1, i);
            break;
        }
    }
    for (int32_t p = 0; p < code->param_count; p++)
        if (code->param[p].kind == PTO_CODE_PARAM_SCALAR)
            l->reg_writer[code->param[p].slot] = MANY;
    for (int32_t s = code->storage_count - 1; s >= 0; s--) {
        int32_t class = code->slot[code->storage[s].slot].parent;
        l->storage_next[s] = l->class_first[class];
        l->class_first[class] = s;
    }
}

/* ---- numbers ---- */

enum { NOT_ASKED, CONSTANT, VARIES };

static bool number(const looker *l, int32_t reg, int depth, int64_t *value);

static bool computed(const looker *l, const pto_code_op *op, int32_t reg, int depth, int64_t *value) {
    int64_t a, b;
    switch (op->kind) {
    case PTO_CODE_MOVE:
        return number(l, op->a, depth, value);
    case PTO_OPK_ARITH_INDEX_CAST:
        return op->width == 64 && op->to == 64 && number(l, op->a, depth, value);
    case PTO_OPK_ADDPTR: /* the offset, or the argument behind it */
        if (reg != op->dst)
            return number(l, op->a + 1, depth, value);
        return number(l, op->a, depth, &a) && number(l, op->b, depth, &b) &&
               !__builtin_add_overflow(a, b, value);
    case PTO_OPK_ARITH_ADDI:
    case PTO_OPK_ARITH_SUBI:
    case PTO_OPK_ARITH_MULI:
        if (op->to != 64 || !number(l, op->a, depth, &a) || !number(l, op->b, depth, &b))
            return false;
        if (op->kind == PTO_OPK_ARITH_MULI)
            return !__builtin_mul_overflow(a, b, value);
        return op->kind == PTO_OPK_ARITH_ADDI ? !__builtin_add_overflow(a, b, value)
                                              : !__builtin_sub_overflow(a, b, value);
    default:
        return false;
    }
}

/* The value of a register that is the same whenever it is read. */
static bool number(const looker *l, int32_t reg, int depth, int64_t *value) {
    int32_t writer = reg >= 0 && depth < DEPTH ? l->reg_writer[reg] : MANY;
    if (writer == MANY)
        return false;
    if (writer == NOBODY) {
        *value = l->code->reg[reg].i;
        return true;
    }
    if (l->answer[reg] == NOT_ASKED) {
        l->answer[reg] = VARIES; /* also for a question that comes back to itself */
        if (computed(l, &l->code->op[writer], reg, depth + 1, &l->constant[reg]))
            l->answer[reg] = CONSTANT;
    }
    *value = l->constant[reg];
    return l->answer[reg] == CONSTANT;
}

/* ---- global memory ---- */

typedef struct window {
    int32_t argument; /* -1: any */
    bool exact;       /* the numbers below are known */
    pto_dtype dtype;
    int64_t at; /* element */
    int64_t shape[5], stride[5];
} window;

static window unknown_window(int32_t argument) { return (window){.argument = argument}; }

static void fill_left(window *w, int rank) {
    for (int d = 4 - rank; d >= 0; d--) {
        w->shape[d] = 1;
        w->stride[d] = 0;
    }
}

static window made_view(const looker *l, const pto_code_op *op) {
    int64_t argument = -1;
    window w = {.exact = true, .dtype = l->code->view[op->dst].dtype};
    if (!number(l, op->a + 1, 0, &argument) || argument < 0 || argument >= l->code->param_count)
        return unknown_window(-1);
    w.argument = (int32_t)argument;
    w.exact = number(l, op->a, 0, &w.at) && op->b >= 1 && op->b <= 5;
    const int32_t *list = l->code->list + op->extra;
    for (int i = 0; i < op->b && w.exact; i++) {
        w.exact = number(l, list[i], 0, &w.shape[5 - op->b + i]) &&
                  number(l, list[op->b + i], 0, &w.stride[5 - op->b + i]);
    }
    fill_left(&w, op->b);
    return w;
}

static window argument_view(const looker *l, int32_t view) {
    for (int32_t p = 0; p < l->code->param_count; p++) {
        const pto_code_param *param = &l->code->param[p];
        if (param->kind != PTO_CODE_PARAM_VIEW || param->slot != view)
            continue;
        window w = {.argument = p, .exact = true, .dtype = param->type->dtype};
        int64_t stride = 1;
        int rank = param->type->rank;
        for (int d = 4; d >= 5 - rank && w.exact; d--) {
            w.shape[d] = param->type->dim[d - 5 + rank];
            w.stride[d] = stride;
            w.exact = w.shape[d] >= 0 && !__builtin_mul_overflow(stride, w.shape[d], &stride);
        }
        fill_left(&w, rank);
        return w;
    }
    return unknown_window(-1);
}

static window view_window(const looker *l, int32_t view, int depth) {
    int32_t writer = depth < DEPTH ? l->view_writer[view] : MANY;
    if (writer == NOBODY)
        return argument_view(l, view);
    if (writer == MANY)
        return unknown_window(-1);
    const pto_code_op *op = &l->code->op[writer];
    if (op->kind == PTO_OPK_MAKE_TENSOR_VIEW)
        return made_view(l, op);
    window w = view_window(l, op->a, depth + 1);
    bool indexed = op->kind == PTO_CODE_INDEX_VIEW;
    if ((op->kind != PTO_OPK_PARTITION_VIEW && !indexed) || !w.exact)
        return w;
    int rank = indexed ? op->c : op->b;
    const int32_t *list = l->code->list + op->extra;
    const pto_tile_type *type = indexed ? &l->code->slot[op->b].tile.type : NULL;
    int64_t extent[5] = {1, 1, 1, type ? type->valid_rows : 0, type ? type->valid_cols : 0};
    if (type && (type->conv || type->valid_rows < 0 || type->valid_cols < 0))
        return unknown_window(w.argument);
    for (int i = 0; i < rank; i++) {
        int d = 5 - rank + i;
        int64_t at, size = extent[d], step;
        if (!number(l, list[i], 0, &at) || (!indexed && !number(l, list[rank + i], 0, &size)) ||
            __builtin_mul_overflow(at, w.stride[d], &step) || __builtin_add_overflow(w.at, step, &w.at))
            return unknown_window(w.argument);
        w.shape[d] = size;
    }
    return w;
}

static range window_bytes(const window *w) {
    const range all = {0, UINT64_MAX};
    int64_t last = w->at, bits = pto_dtype_bits(w->dtype);
    if (!w->exact || w->at < 0)
        return all;
    for (int d = 0; d < 5; d++) {
        int64_t step;
        if (w->shape[d] <= 0)
            return (range){0, 0};
        if (w->stride[d] < 0 || __builtin_mul_overflow(w->shape[d] - 1, w->stride[d], &step) ||
            __builtin_add_overflow(last, step, &last))
            return all;
    }
    int64_t end;
    if (__builtin_mul_overflow(last + 1, bits, &end) || end > INT64_MAX - 8)
        return all;
    return (range){(uint64_t)w->at * (uint64_t)bits / 8, ((uint64_t)end + 7) / 8};
}

/* ---- tiles ---- */

/* The one place of a handle: where it starts and where its storage ends. */
static bool tile_place(const looker *l, int32_t slot, int depth, range *place) {
    const pto_code_slot *s = &l->code->slot[slot];
    if (l->moved[s->parent] || depth >= DEPTH)
        return false;
    if (s->storage >= 0) {
        const pto_code_storage *storage = &l->code->storage[s->storage];
        *place = (range){storage->addr, storage->addr + storage->bytes};
        return true;
    }
    int32_t writer = l->slot_writer[slot];
    if (writer < 0)
        return false;
    const pto_code_op *op = &l->code->op[writer];
    if (op->kind == PTO_OPK_BITCAST || op->kind == PTO_CODE_MOVE_TILE)
        return tile_place(l, op->a, depth + 1, place);
    if (op->kind == PTO_CODE_INSTR) {
        const pto_code_instr *instr = &l->code->instr[op->extra];
        return instr->form == PTO_FORM_TRESHAPE && instr->slot[1] >= 0 &&
               tile_place(l, instr->slot[1], depth + 1, place);
    }
    const pto_tile_type *from = &l->code->slot[op->a].tile.type;
    int64_t row, col, element;
    if (from->conv || !tile_place(l, op->a, depth + 1, place) || !number(l, op->b, 0, &row) ||
        !number(l, op->c, 0, &col) || row < 0 || col < 0 || row > from->rows || col > from->cols)
        return false;
    if (from->slayout == PTO_NONE_BOX)
        element = from->blayout == PTO_ROW_MAJOR ? row * from->cols + col : col * from->rows + row;
    else
        element = from->blayout == PTO_ROW_MAJOR ? row * from->cols : col * from->rows;
    place->begin += (uint64_t)element * pto_dtype_bits(from->dtype) / 8;
    return place->begin <= place->end;
}

/* Bytes from the start of a tile that an operand touches. */
static uint64_t tile_extent(const pto_tile_type *type, bool whole) {
    uint64_t capacity = pto_tile_type_bytes(type);
    if (type->compact == PTO_COMPACT_ROW_PLUS_ONE)
        capacity += (uint64_t)(type->blayout == PTO_ROW_MAJOR ? type->rows : type->cols) *
                    pto_dtype_bits(type->dtype) / 8;
    if (whole || type->conv || type->slayout != PTO_NONE_BOX || type->compact != PTO_COMPACT_NULL ||
        type->valid_rows < 0 || type->valid_cols < 0)
        return capacity;
    if (!type->valid_rows || !type->valid_cols)
        return 0;
    uint64_t elements =
        type->blayout == PTO_ROW_MAJOR
            ? ((uint64_t)type->valid_rows - 1) * (uint64_t)type->cols + (uint64_t)type->valid_cols
            : ((uint64_t)type->valid_cols - 1) * (uint64_t)type->rows + (uint64_t)type->valid_rows;
    return (elements * pto_dtype_bits(type->dtype) + 7) / 8;
}

/* ---- uses ---- */

static void add(looker *l, pto_sync_use *use, int32_t memory, range bytes, bool write, uint8_t atomic) {
    pto_sync_uses *uses = l->uses;
    if (bytes.begin >= bytes.end)
        return;
    for (int32_t i = use->first; i >= 0; i = uses->access.data[i].next) {
        const pto_sync_access *old = &uses->access.data[i];
        if (old->memory == memory && old->write == write && old->atomic == atomic &&
            old->begin == bytes.begin && old->end == bytes.end)
            return;
    }
    pto_sync_access access = {.memory = memory,
                              .write = write,
                              .atomic = atomic,
                              .begin = bytes.begin,
                              .end = bytes.end,
                              .next = use->first};
    pto_vec_push(uses->arena, &uses->access, access);
    use->first = (int32_t)uses->access.count - 1;
}

static void add_tile(looker *l, pto_sync_use *use, int32_t slot, bool write, bool whole) {
    const pto_code_slot *s = &l->code->slot[slot];
    const pto_tile_type *type = &s->tile.type;
    range place;
    if (l->moved[s->parent]) {
        add(l, use, (int32_t)type->loc, (range){0, UINT64_MAX}, write, 0);
        return;
    }
    if (tile_place(l, slot, 0, &place)) {
        uint64_t extent = tile_extent(type, whole);
        if (place.end - place.begin > extent)
            place.end = place.begin + extent;
        add(l, use, (int32_t)type->loc, place, write, 0);
        return;
    }
    bool any = false;
    for (int32_t k = l->class_first[s->parent]; k >= 0; k = l->storage_next[k]) {
        const pto_code_storage *storage = &l->code->storage[k];
        if (storage->loc == type->loc)
            add(l, use, (int32_t)storage->loc, (range){storage->addr, storage->addr + storage->bytes}, write,
                0);
        any |= storage->loc == type->loc;
    }
    if (!any)
        add(l, use, (int32_t)type->loc, (range){0, UINT64_MAX}, write, 0);
}

static int32_t memory_of(const window *w) { return w->argument < 0 ? -1 : PTO_SYNC_ARGUMENT + w->argument; }

static pto_sync_use *use_for(looker *l, const pto_operation *op, pto_pipe pipe) {
    pto_sync_uses *uses = l->uses;
    const int64_t *known = pto_value_map_find(&uses->at, op);
    if (known)
        return &uses->use.data[*known];
    pto_value_map_set(&uses->at, op, (int64_t)uses->use.count);
    pto_vec_push(uses->arena, &uses->use, (pto_sync_use){.pipe = pipe, .first = -1});
    return &pto_vec_last(&uses->use);
}

static void add_instr(looker *l, const pto_code_instr *instr, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(instr->form);
    if (pto_form_only_binds(form))
        return;
    int loc[PTO_MAX_OPERANDS];
    for (int i = 0; i < PTO_MAX_OPERANDS; i++)
        loc[i] = instr->operand[i].kind == PTO_OPERAND_TILE && instr->slot[i] >= 0
                     ? (int)l->code->slot[instr->slot[i]].tile.type.loc
                     : -1;
    pto_pipe pipe = pto_form_execution_pipe(form, loc);
    bool drains = pto_form_drains(form, pipe);
    pto_sync_use *use = use_for(l, op, drains ? PTO_PIPE_S : pipe);
    use->drains = drains;
    int adds = pto_form_atomic_operand(form);
    const uint8_t atomic = adds >= 0 && instr->operand[adds].kind == PTO_OPERAND_SCALAR
                               ? (uint8_t)(instr->operand[adds].scalar.i & 3)
                               : 0;
    for (int i = 0; i < form->operand_count; i++) {
        pto_role role = form->operand[i].role;
        if (instr->slot[i] < 0)
            continue;
        for (int write = 0; write < 2; write++) {
            if (write ? !pto_role_writes(role) : !pto_role_reads(role))
                continue;
            if (instr->operand[i].kind == PTO_OPERAND_TILE) {
                const pto_tile_type *type = &l->code->slot[instr->slot[i]].tile.type;
                bool whole = role == PTO_ROLE_TMP || (write && pto_tile_write_fills(type));
                add_tile(l, use, instr->slot[i], write, whole);
            } else if (instr->operand[i].kind == PTO_OPERAND_GLOBAL) {
                window w = view_window(l, instr->slot[i], 0);
                add(l, use, memory_of(&w), window_bytes(&w), write, write ? atomic : 0);
            }
        }
    }
    if (l->code->target == PTO_TARGET_A2A3 && pto_instr_uses_implicit_scratch(op))
        add(l, use, PTO_LOC_VEC, (range){184 * 1024, 192 * 1024}, true, 0);
}

/* One element of global memory. */
static void add_scalar(looker *l, const pto_code_op *op, const pto_operation *origin, bool write) {
    int64_t argument = -1, base, index, bits = pto_dtype_bits((pto_dtype)op->dtype), at;
    range bytes = {0, UINT64_MAX};
    if (!number(l, op->a + 1, 0, &argument) || argument < 0 || argument >= l->code->param_count)
        argument = -1 - PTO_SYNC_ARGUMENT;
    if (number(l, op->a, 0, &base) && number(l, op->b, 0, &index) &&
        !__builtin_add_overflow(base, index, &at) && at >= 0 && at < INT64_MAX / 128)
        bytes = (range){(uint64_t)(at * bits) / 8, (uint64_t)(at * bits) / 8 + (uint64_t)(bits + 7) / 8};
    add(l, use_for(l, origin, PTO_PIPE_S), PTO_SYNC_ARGUMENT + (int32_t)argument, bytes, write, 0);
}

static void add_element(looker *l, const pto_code_op *op, const pto_operation *origin, bool write) {
    pto_sync_use *use = use_for(l, origin, PTO_PIPE_S);
    const pto_tile_type *type = &l->code->slot[op->a].tile.type;
    int64_t index, bits = pto_dtype_bits((pto_dtype)op->dtype);
    range place;
    if (!tile_place(l, op->a, 0, &place) || !number(l, op->b, 0, &index) || index < 0 || index > INT32_MAX) {
        add_tile(l, use, op->a, write, true);
        return;
    }
    place.begin += (uint64_t)(index * bits) / 8;
    place.end = place.begin + (uint64_t)(bits + 7) / 8;
    add(l, use, (int32_t)type->loc, place, write, 0);
}

void pto_sync_collect(pto_sync_uses *uses, const pto_code *code) {
    looker l = {.uses = uses, .code = code};
    pto_arena *arena = uses->arena;
    l.reg_writer = pto_arena_array(arena, (size_t)code->reg_count + 1, sizeof *l.reg_writer);
    l.slot_writer = pto_arena_array(arena, (size_t)code->slot_count + 1, sizeof *l.slot_writer);
    l.view_writer = pto_arena_array(arena, (size_t)code->view_count + 1, sizeof *l.view_writer);
    l.class_first = pto_arena_array(arena, (size_t)code->slot_count + 1, sizeof *l.class_first);
    l.storage_next = pto_arena_array(arena, (size_t)code->storage_count + 1, sizeof *l.storage_next);
    l.moved = pto_arena_array(arena, (size_t)code->slot_count + 1, sizeof *l.moved);
    l.answer = pto_arena_array(arena, (size_t)code->reg_count + 1, sizeof *l.answer);
    l.constant = pto_arena_array(arena, (size_t)code->reg_count + 1, sizeof *l.constant);
    memset(l.reg_writer, 0xff, ((size_t)code->reg_count + 1) * sizeof *l.reg_writer);
    memset(l.slot_writer, 0xff, ((size_t)code->slot_count + 1) * sizeof *l.slot_writer);
    memset(l.view_writer, 0xff, ((size_t)code->view_count + 1) * sizeof *l.view_writer);
    memset(l.class_first, 0xff, ((size_t)code->slot_count + 1) * sizeof *l.class_first);
    find_writers(&l);
    pto_vec_reserve(arena, &uses->use, (size_t)code->instr_count);
    pto_vec_reserve(arena, &uses->access, (size_t)code->instr_count * 3);
    if (code->param_count > uses->arguments)
        uses->arguments = code->param_count;
    for (int32_t i = 0; i < code->op_count; i++) {
        const pto_code_op *op = &code->op[i];
        if (op->kind == PTO_CODE_INSTR)
            add_instr(&l, &code->instr[op->extra], code->origin[i]);
        else if (op->kind == PTO_OPK_LOAD_SCALAR || op->kind == PTO_OPK_STORE_SCALAR)
            add_scalar(&l, op, code->origin[i], op->kind == PTO_OPK_STORE_SCALAR);
        else if (op->kind == PTO_OPK_TGETVAL || op->kind == PTO_OPK_TSETVAL)
            add_element(&l, op, code->origin[i], op->kind == PTO_OPK_TSETVAL);
    }
}

const pto_sync_use *pto_sync_use_of(const pto_sync_uses *uses, const pto_operation *op) {
    const int64_t *at = pto_value_map_find(&uses->at, op);
    return at ? &uses->use.data[*at] : NULL;
}
