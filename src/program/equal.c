/* SPDX-License-Identifier: Apache-2.0 */
/* Structural comparison of two programs. */
#include "program/program.h"

#include "isa/conv.h"

#include <string.h>

static bool types_equal(const pto_type *const *a, const pto_type *const *b, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!pto_type_equal(a[i], b[i]))
            return false;
    return true;
}

static bool tiles_equal(const pto_tile_type *a, const pto_tile_type *b) {
    return a->loc == b->loc && a->dtype == b->dtype && a->rows == b->rows && a->cols == b->cols &&
           a->valid_rows == b->valid_rows && a->valid_cols == b->valid_cols && a->blayout == b->blayout &&
           a->slayout == b->slayout && a->fractal == b->fractal && a->pad == b->pad &&
           a->compact == b->compact && pto_conv_equal(a->conv, b->conv);
}

bool pto_type_equal(const pto_type *a, const pto_type *b) {
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->width != b->width || a->signedness != b->signedness ||
        a->dtype != b->dtype || a->rank != b->rank || a->open != b->open ||
        a->layout_given != b->layout_given || a->memref != b->memref || a->input_count != b->input_count ||
        a->result_count != b->result_count || !pto_str_equal(a->text, b->text) ||
        !pto_type_equal(a->element, b->element))
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    if (pto_type_is_tile(a) && !a->open && !tiles_equal(&a->tile, &b->tile))
        return false;
    return types_equal(a->inputs, b->inputs, a->input_count) &&
           types_equal(a->results, b->results, a->result_count);
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

bool pto_attr_equal(const pto_attr *a, const pto_attr *b) {
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->i != b->i || !same_bits(a->f, b->f) || a->count != b->count ||
        !pto_str_equal(a->text, b->text) || !pto_str_equal(a->enum_kind, b->enum_kind) ||
        !pto_type_equal(a->type, b->type))
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == PTO_AV_ARRAY && !pto_attr_equal(a->items[i], b->items[i]))
            return false;
        if (a->kind == PTO_AV_DENSE && a->dense[i] != b->dense[i])
            return false;
        if (a->kind == PTO_AV_DICT && (!pto_str_equal(a->entries[i].name, b->entries[i].name) ||
                                       !pto_attr_equal(a->entries[i].value, b->entries[i].value)))
            return false;
    }
    return true;
}

/* The value of `a` that a value of `b` must be: both are met in the same order. */
typedef struct pairing {
    pto_arena arena;
    pto_map of; /* address of a value of `a` -> value of `b` */
    bool no_memory;
} pairing;

static void pair(pairing *p, const pto_value *a, pto_value *b) {
    const pto_value **key = pto_arena_alloc(&p->arena, sizeof *key);
    pto_map_value *slot = NULL;
    if (key) {
        *key = a;
        slot = pto_map_insert(&p->of, (pto_str){(const char *)key, sizeof *key}, NULL);
    }
    if (slot)
        slot->pointer = b;
    else
        p->no_memory = true;
}

static bool paired(const pairing *p, const pto_value *a, const pto_value *b) {
    if (!a || !b)
        return a == b;
    const pto_map_value *slot = pto_map_find(&p->of, (pto_str){(const char *)&a, sizeof a});
    return slot && slot->pointer == b;
}

static bool regions_equal(pairing *p, const pto_region *a, const pto_region *b);

static bool attrs_equal(const pto_operation *a, const pto_operation *b) {
    if (a->attr_count != b->attr_count)
        return false;
    for (uint32_t i = 0; i < a->attr_count; i++) {
        uint32_t j = 0;
        while (j < b->attr_count && !pto_str_equal(a->attr[i].name, b->attr[j].name))
            j++;
        if (j == b->attr_count || !pto_attr_equal(a->attr[i].value, b->attr[j].value))
            return false;
    }
    return true;
}

static uint32_t block_number(const pto_block *block) {
    uint32_t n = 0;
    for (const pto_block *b = block->parent->first; b && b != block; b = b->next)
        n++;
    return n;
}

/* A constant is the same in either spelling: a text may mix them. */
static pto_op_kind kind_of(const pto_operation *op) {
    return op->kind == PTO_OPK_AS_CONST ? PTO_OPK_ARITH_CONSTANT : op->kind;
}

static bool operations_equal(pairing *p, const pto_operation *a, const pto_operation *b) {
    if (kind_of(a) != kind_of(b) || (a->kind == PTO_OPK_INSTR && a->form != b->form) ||
        (a->kind == PTO_OPK_UNKNOWN && !pto_str_equal(a->name, b->name)) ||
        a->operand_count != b->operand_count || a->result_count != b->result_count ||
        a->region_count != b->region_count || a->successor_count != b->successor_count ||
        a->segment_count != b->segment_count || a->index_count != b->index_count ||
        !paired(p, a->acc, b->acc) || !attrs_equal(a, b))
        return false;
    for (uint32_t i = 0; i < a->operand_count; i++)
        if (!paired(p, a->operand[i], b->operand[i]))
            return false;
    for (uint32_t i = 0; i < a->index_count; i++)
        if (!paired(p, a->index[i], b->index[i]))
            return false;
    for (uint32_t i = 0; i < a->segment_count; i++)
        if (a->segment[i] != b->segment[i])
            return false;
    for (uint32_t i = 0; i < a->successor_count; i++)
        if (block_number(a->successor[i]) != block_number(b->successor[i]))
            return false;
    for (uint32_t i = 0; i < a->region_count; i++)
        if (!regions_equal(p, a->region[i], b->region[i]))
            return false;
    for (uint32_t i = 0; i < a->result_count; i++) {
        if (!pto_type_equal(a->result[i]->type, b->result[i]->type))
            return false;
        pair(p, a->result[i], b->result[i]);
    }
    return true;
}

/* Of several blocks one may use what is defined further down. */
static void pair_ahead(pairing *p, const pto_region *a, const pto_region *b) {
    const pto_block *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        for (uint32_t i = 0; i < x->arg_count && i < y->arg_count; i++)
            pair(p, x->arg[i], y->arg[i]);
        const pto_operation *m = x->first, *n = y->first;
        for (; m && n; m = m->next, n = n->next)
            for (uint32_t i = 0; i < m->result_count && i < n->result_count; i++)
                pair(p, m->result[i], n->result[i]);
    }
}

static bool regions_equal(pairing *p, const pto_region *a, const pto_region *b) {
    const pto_block *x = a->first, *y = b->first;
    if (x && x->next)
        pair_ahead(p, a, b);
    for (; x && y; x = x->next, y = y->next) {
        if (x->arg_count != y->arg_count)
            return false;
        for (uint32_t i = 0; i < x->arg_count; i++) {
            if (!pto_type_equal(x->arg[i]->type, y->arg[i]->type))
                return false;
            pair(p, x->arg[i], y->arg[i]);
        }
        const pto_operation *m = x->first, *n = y->first;
        for (; m && n; m = m->next, n = n->next)
            if (!operations_equal(p, m, n))
                return false;
        if (m || n)
            return false;
    }
    return !x && !y;
}

bool pto_program_equal(const pto_program *a, const pto_program *b) {
    pairing p = {.no_memory = false};
    pto_arena_init(&p.arena, 0);
    pto_map_init(&p.of, &p.arena);
    bool equal = operations_equal(&p, a->module, b->module) && !p.no_memory;
    pto_arena_free(&p.arena);
    return equal;
}
