/* SPDX-License-Identifier: Apache-2.0 */
/* What an entry's parameters take, and what the body does with them. */
#include "isa/extents.h"
#include "program/facts.h"
#include "program/value_map.h"

#include <setjmp.h>
#include <string.h>

/* Values that a pointer or view parameter flows into; the number is 1 when the pointer was moved. */
typedef struct flow {
    const pto_program *program;
    pto_value_map reached;
    pto_value_map walked; /* callee -> the turn in which it was walked: once a turn is enough */
    int64_t turn;
    pto_param *param;
    const pto_block *entry;
    bool grew, sized;
    bool by_parameters; /* an extent is a parameter: a second view can only be equal */
    int64_t largest;
    unsigned depth;
} flow;

static const int64_t *reached(const flow *f, const pto_value *value) {
    return pto_value_map_find(&f->reached, value);
}

static void reach(flow *f, const pto_value *value, int64_t moved) {
    const int64_t *known = reached(f, value);
    if (value && (!known || *known < moved)) {
        pto_value_map_set(&f->reached, value, moved);
        f->grew = true;
    }
}

static void follow(void *user, const pto_operation *op);

static void follow_call(flow *f, const pto_operation *op) {
    const pto_operation *callee = pto_fact_callee(f->program, op);
    const pto_block *body = callee ? pto_function_body(callee) : NULL;
    if (!body || f->depth > 64)
        return;
    bool any = false;
    for (uint32_t i = 0; i < op->operand_count && i < body->arg_count; i++) {
        const int64_t *moved = reached(f, op->operand[i]);
        if (moved) {
            reach(f, body->arg[i], *moved);
            any = true;
        }
    }
    if (!any)
        return;
    const int64_t *walked = pto_value_map_find(&f->walked, callee);
    if (!walked || *walked != f->turn) {
        pto_value_map_set(&f->walked, callee, f->turn);
        f->depth++;
        pto_fact_walk(callee, follow, f);
        f->depth--;
    }
    const pto_operation *last = body->last;
    for (uint32_t i = 0;
         last && last->kind == PTO_OPK_RETURN && i < last->operand_count && i < op->result_count; i++)
        if (reached(f, last->operand[i]))
            reach(f, op->result[i], *reached(f, last->operand[i]));
}

static void follow_instr(flow *f, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    for (int i = 0; i < form->operand_count; i++) {
        if (!form->operand[i].is_global || !reached(f, pto_instr_value(op, i)))
            continue;
        bool written = form->operand[i].role == PTO_ROLE_OUT || form->operand[i].role == PTO_ROLE_INOUT;
        f->param->written |= written;
        f->param->read |= !written || form->operand[i].role == PTO_ROLE_INOUT;
        for (int a = 0; written && a < form->operand_count; a++) {
            int64_t number;
            pto_attr_kind kind = form->operand[a].attr;
            if ((kind == PTO_ATTR_ATOMIC || kind == PTO_ATTR_SCATTER_ATOMIC) &&
                pto_fact_attr(op, a, &number) && number)
                f->param->read = true;
        }
    }
}

/* One view of unknown size hides the others. */
static void hide(flow *f) {
    f->sized = true;
    f->largest = INT64_MAX;
    f->by_parameters = false;
    f->param->rank = 0;
}

/* -1 - k for the k-th parameter of the entry, perhaps cast; 0 for anything else. */
static int64_t parameter(const flow *f, const pto_value *value) {
    while (value->def && value->def->kind == PTO_OPK_ARITH_INDEX_CAST && value->def->operand_count)
        value = value->def->operand[0];
    for (uint32_t i = 0; !value->def && f->entry && i < f->entry->arg_count; i++)
        if (f->entry->arg[i] == value)
            return -1 - (int64_t)i;
    return 0;
}

static void measure(flow *f, const pto_value *view) {
    pto_view_facts facts;
    if (!pto_fact_view(view, &facts) || facts.rank < 1)
        return;
    const pto_operation *make = view->def && view->def->kind == PTO_OPK_MAKE_TENSOR_VIEW ? view->def : NULL;
    uint32_t first = 0, count = make ? pto_fact_segment(make, 1, &first) : 0;
    const int64_t *known = facts.shape + 5 - facts.rank;
    int64_t size = 1, shape[5];
    bool by_parameters = false;
    for (int d = 0; d < facts.rank; d++) {
        shape[d] = known[d];
        if (known[d] >= 0) {
            size = size < 0 || __builtin_mul_overflow(size, known[d], &size) ? -1 : size;
            continue;
        }
        shape[d] = (uint32_t)d < count ? parameter(f, make->operand[first + (uint32_t)d]) : 0;
        by_parameters = true;
        size = shape[d] < 0 ? size : -1;
    }
    if (size < 0) {
        hide(f);
        return;
    }
    if (f->sized && (by_parameters || f->by_parameters)) {
        if (f->param->rank != facts.rank ||
            memcmp(f->param->shape, shape, (size_t)facts.rank * sizeof *shape) != 0)
            hide(f);
        return;
    }
    if (f->sized && size <= f->largest)
        return;
    f->sized = true;
    f->largest = size;
    f->by_parameters = by_parameters;
    f->param->rank = facts.rank;
    memcpy(f->param->shape, shape, (size_t)facts.rank * sizeof *shape);
    int64_t inner = pto_layout_inner_width(facts.layout, facts.dtype, false);
    if (inner) /* C0, which the shape does not show */
        f->param->shape[facts.rank - 1] *= inner;
}

static void follow(void *user, const pto_operation *op) {
    flow *f = user;
    if (op->kind == PTO_OPK_CALL) {
        follow_call(f, op);
        return;
    }
    if (op->kind == PTO_OPK_INSTR) {
        follow_instr(f, op);
        return;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const int64_t *found = reached(f, op->operand[i]);
        if (!found)
            continue;
        int64_t moved = *found, offset;
        switch (op->kind) {
        case PTO_OPK_ADDPTR:
            if (i == 0)
                reach(f, op->result[0],
                      moved || op->operand_count < 2 || !pto_fact_int(op->operand[1], &offset) ||
                          offset != 0);
            break;
        case PTO_OPK_LOAD_SCALAR:
            f->param->read = true;
            break;
        case PTO_OPK_STORE_SCALAR:
            f->param->written |= i == 0;
            break;
        case PTO_OPK_SCF_FOR: {
            const pto_block *body = op->region_count && op->region[0] ? op->region[0]->first : NULL;
            if (i >= 3 && body && i - 2 < body->arg_count)
                reach(f, body->arg[i - 2], 1);
            if (i >= 3 && i - 3 < op->result_count)
                reach(f, op->result[i - 3], 1);
            break;
        }
        case PTO_OPK_SCF_WHILE: {
            const pto_block *body = op->region_count && op->region[0] ? op->region[0]->first : NULL;
            if (body && i < body->arg_count)
                reach(f, body->arg[i], 1);
            break;
        }
        case PTO_OPK_SCF_CONDITION: {
            const pto_operation *loop = op->parent && op->parent->parent ? op->parent->parent->parent : NULL;
            const pto_block *body =
                loop && loop->region_count > 1 && loop->region[1] ? loop->region[1]->first : NULL;
            if (i >= 1 && body && i - 1 < body->arg_count)
                reach(f, body->arg[i - 1], 1);
            if (i >= 1 && loop && i - 1 < loop->result_count)
                reach(f, loop->result[i - 1], 1);
            break;
        }
        case PTO_OPK_SCF_YIELD: {
            const pto_operation *outer = op->parent && op->parent->parent ? op->parent->parent->parent : NULL;
            if (outer && i < outer->result_count)
                reach(f, outer->result[i], 1);
            break;
        }
        default:
            for (uint32_t k = 0; k < op->result_count; k++)
                reach(f, op->result[k], moved);
            break;
        }
    }
}

/* The shape counts only when every view starts at the pointer itself. */
static void measure_views(void *user, const pto_operation *op) {
    flow *f = user;
    const int64_t *moved = op->kind == PTO_OPK_MAKE_TENSOR_VIEW && op->operand_count && op->result_count
                               ? reached(f, op->operand[0])
                               : NULL;
    if (!moved)
        return;
    if (*moved)
        hide(f);
    else
        measure(f, op->result[0]);
}

static void describe(const pto_program *program, pto_arena *scratch, const pto_operation *entry,
                     const pto_value *value, pto_param *param) {
    const pto_type *type = value->type;
    if (pto_type_is_tile(type) && !type->open && type->tile.conv && type->tile.conv->rank <= 5) {
        param->kind = PTO_PARAM_TILE;
        param->dtype = type->tile.dtype;
        param->rank = type->tile.conv->rank;
        for (int32_t i = 0; i < param->rank; i++)
            param->shape[i] = type->tile.conv->shape[i];
        param->read = param->written = true;
        return;
    }
    if (pto_type_is_tile(type)) {
        param->kind = PTO_PARAM_TILE;
        param->dtype = type->tile.dtype;
        param->rank = 2;
        param->shape[0] = type->tile.rows;
        param->shape[1] = type->tile.cols;
        param->read = param->written = true;
        return;
    }
    pto_view_facts facts;
    bool view = pto_fact_view(value, &facts);
    const pto_type *element = type->element ? type->element : type;
    param->signless = element->kind == PTO_TYPE_INT && element->signedness == PTO_SIGNLESS;
    if (!view && type->kind != PTO_TYPE_PTR) {
        param->kind = PTO_PARAM_SCALAR;
        param->dtype = pto_type_dtype(type);
        param->bits = type->kind == PTO_TYPE_FLOAT ? pto_dtype_bits(type->dtype) : pto_type_int_width(type);
        param->read = true;
        return;
    }
    param->kind = PTO_PARAM_POINTER;
    param->dtype = type->dtype;
    flow f = {.program = program,
              .reached = {.arena = scratch},
              .walked = {.arena = scratch},
              .param = param,
              .entry = pto_function_body(entry)};
    reach(&f, value, 0);
    for (f.turn = 1; f.grew && f.turn < 256; f.turn++) {
        f.grew = false;
        pto_fact_walk(entry, follow, &f);
    }
    if (view)
        measure(&f, value);
    else
        pto_fact_walk(program->module, measure_views, &f);
}

static pto_status fill(const pto_program *program, pto_arena *scratch, const pto_operation *entry,
                       pto_param **params, size_t *count) {
    const pto_block *body = pto_function_body(entry);
    *count = body->arg_count;
    *params = pto_arena_array(program->arena, body->arg_count, sizeof **params);
    if (!*params)
        return PTO_ERR_NOMEM;
    for (uint32_t i = 0; i < body->arg_count; i++) {
        pto_str name = body->arg[i]->name;
        (*params)[i].name = name.len ? pto_arena_strdup(program->arena, name) : "";
        if (!(*params)[i].name)
            return PTO_ERR_NOMEM;
        describe(program, scratch, entry, body->arg[i], &(*params)[i]);
    }
    return PTO_OK;
}

/* The frame that a failed allocation returns to. */
static pto_status fill_guarded(const pto_program *program, pto_arena *scratch, const pto_operation *entry,
                               pto_param **params, size_t *count) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    scratch->on_failure = &failure;
    return fill(program, scratch, entry, params, count);
}

pto_status pto_program_entry_params(const pto_program *program, const char *entry, const pto_param **params,
                                    size_t *count, pto_diag_list *diags) {
    if (!program || !params || !count)
        return PTO_ERR_USAGE;
    *params = NULL;
    *count = 0;
    const pto_operation *function = pto_program_entry(program, entry, diags);
    if (!function || !pto_function_body(function))
        return PTO_ERR_REFUSED;
    pto_arena scratch;
    pto_arena_init(&scratch, 0);
    pto_param *filled = NULL;
    pto_status status = fill_guarded(program, &scratch, function, &filled, count);
    pto_arena_free(&scratch);
    if (status == PTO_OK)
        *params = filled;
    return status;
}
