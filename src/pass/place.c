/* SPDX-License-Identifier: Apache-2.0 */
/* Placement of tiles: an address in its memory for every storage that has none (60, 4.7).
 *
 * A storage lives from its first to its last use, a loop that uses it but does not contain its making being
 * used from begin to end. Two storages may share bytes if their lives, both ends included, do not meet. All
 * storages that one handle may name live as one. */
#include "pass/code.h"
#include "pass/pack.h"

#include "isa/legality.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct life {
    int32_t begin, end; /* begin > end: never used */
    int32_t home;       /* loop that contains every making of the class, -1 = none */
    bool known;
} life;

typedef struct placement {
    pto_code *code;
    int32_t *time;  /* by op: how many ops that can matter to tiles stand before it */
    int32_t *op;    /* back from a time */
    life *life;     /* by representative slot */
    int32_t *order; /* storages in the order of placing */
    int32_t count;
} placement;

static int32_t depth_of(const pto_code *code, int32_t loop) {
    int32_t depth = 0;
    for (; loop >= 0; loop = code->loop[loop].parent)
        depth++;
    return depth;
}

static int32_t common_loop(const pto_code *code, int32_t a, int32_t b) {
    int32_t x = depth_of(code, a), y = depth_of(code, b);
    for (; x > y; x--)
        a = code->loop[a].parent;
    for (; y > x; y--)
        b = code->loop[b].parent;
    while (a != b) {
        a = code->loop[a].parent;
        b = code->loop[b].parent;
    }
    return a;
}

/* Flags and scalars take no time: a program with its flags inserted is placed as it is without. */
static bool takes_time(const pto_code_op *op) {
    return op->kind != PTO_CODE_SYNC && op->kind != PTO_CODE_MOVE &&
           !(op->kind >= PTO_OPK_ARITH_CONSTANT && op->kind <= PTO_OPK_ARITH_MULUI_EXTENDED);
}

static void count_time(placement *p) {
    int32_t now = 0;
    for (int32_t i = 0; i < p->code->op_count; i++) {
        p->time[i] = now;
        if (takes_time(&p->code->op[i]))
            p->op[now++] = i;
    }
    p->time[p->code->op_count] = now;
}

static void find_lives(placement *p) {
    pto_code *code = p->code;
    for (int32_t s = 0; s < code->slot_count; s++) {
        life *own = &p->life[code->slot[s].parent];
        own->home = own->known ? common_loop(code, own->home, code->slot[s].loop) : code->slot[s].loop;
        if (!own->known) {
            own->begin = INT32_MAX;
            own->end = -1;
        }
        own->known = true;
    }
    for (int32_t t = 0; t < code->touch_count; t++) {
        const pto_code_touch *touch = &code->touch[t];
        life *own = &p->life[code->slot[touch->slot].parent];
        int32_t begin = p->time[touch->at], end = begin;
        for (int32_t loop = touch->loop; loop >= 0 && loop != own->home; loop = code->loop[loop].parent) {
            begin = p->time[code->loop[loop].begin];
            end = p->time[code->loop[loop].end];
        }
        if (begin < own->begin)
            own->begin = begin;
        if (end > own->end)
            own->end = end;
    }
}

static const life *life_of(const placement *p, int32_t storage) {
    return &p->life[p->code->slot[p->code->storage[storage].slot].parent];
}

static uint64_t alignment(pto_loc loc) {
    switch (loc) {
    case PTO_LOC_LEFT:
    case PTO_LOC_RIGHT:
    case PTO_LOC_ACC:
        return 512;
    case PTO_LOC_SCALING:
        return 128;
    default:
        return 32;
    }
}

static uint64_t limit_of(const pto_code *code, pto_loc loc) {
    uint64_t capacity = pto_loc_capacity(code->target, loc);
    if (loc != PTO_LOC_VEC)
        return capacity;
    if (code->target == PTO_TARGET_A2A3)
        return code->implicit_scratch ? 188416 : capacity;
    return capacity < 253952 ? capacity : 253952; /* the rest belongs to the SIMT runtime */
}

static pto_where where_of(const pto_code *code, const pto_operation *op) {
    return op && code->program->source ? pto_at(code->program->source, op->span.begin, op->span.end)
                                       : pto_nowhere();
}

/* The tiles that live at the fullest instruction. */
static void report_overflow(const placement *p, pto_loc loc, const pto_pack_result *packed,
                            pto_diag_list *diags) {
    int32_t worst = packed->worst;
    const pto_code *code = p->code;
    const pto_rule_text *text = pto_rule_find("PTO-E0906");
    pto_diag_add(diags, PTO_ERROR, "PTO-E0906", where_of(code, code->origin[p->op[worst]]), "%s: %s",
                 pto_loc_name(loc), text ? text->title : "tiles do not fit");
    pto_diag_found(diags, "%llu bytes of tiles that live at one time", (unsigned long long)packed->bound);
    pto_diag_allowed(diags, "%llu bytes", (unsigned long long)limit_of(code, loc));
    pto_diag_target(diags, pto_target_name(code->target));
    if (text && text->fix)
        pto_diag_fix(diags, "%s", text->fix);
    int32_t shown = 0;
    for (int32_t k = 0; k < p->count; k++) {
        const pto_code_storage *s = &code->storage[p->order[k]];
        const life *own = life_of(p, p->order[k]);
        if (own->begin > worst || worst > own->end)
            continue;
        if (++shown > 32) {
            pto_diag_note(diags, pto_nowhere(), "and more tiles");
            break;
        }
        pto_diag_note(diags, where_of(code, s->op), "%%%.*s: %llu bytes", PTO_STR_ARG(s->name),
                      (unsigned long long)s->bytes);
    }
}

static pto_status place_memory(placement *p, pto_loc loc, pto_diag_list *diags) {
    pto_code *code = p->code;
    p->count = 0;
    uint64_t align = alignment(loc), sum = 0;
    bool fixed = false;
    for (int32_t s = 0; s < code->storage_count; s++) {
        if (code->storage[s].loc != loc)
            continue;
        fixed |= code->storage[s].fixed;
        if (code->storage[s].fixed)
            continue;
        if (life_of(p, s)->begin > life_of(p, s)->end) {
            code->storage[s].addr = 0; /* never used */
            continue;
        }
        p->order[p->count++] = s;
        sum += (code->storage[s].bytes + align - 1) / align * align;
    }
    if (!p->count)
        return PTO_OK;
    pto_pack_item *item = pto_arena_array(&code->arena, (size_t)p->count, sizeof *item);
    pto_pack_range *taken = pto_arena_array(&code->arena, (size_t)code->storage_count, sizeof *taken);
    int32_t taken_count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        const life *own = life_of(p, p->order[i]);
        item[i] =
            (pto_pack_item){.begin = own->begin, .end = own->end, .bytes = code->storage[p->order[i]].bytes};
    }
    /* fixed ones keep their bytes for the whole program */
    for (int32_t k = 0; fixed && k < code->storage_count; k++) {
        const pto_code_storage *other = &code->storage[k];
        if (other->fixed && other->loc == loc)
            taken[taken_count++] = (pto_pack_range){other->addr, other->addr + other->bytes};
    }
    pto_pack_result packed = {.fits = !fixed && sum <= limit_of(code, loc)};
    if (packed.fits) { /* as long as there is room, nothing is shared and nothing has to wait */
        uint64_t at = 0;
        for (int32_t i = 0; i < p->count; i++) {
            item[i].addr = at;
            at += (item[i].bytes + align - 1) / align * align;
        }
    } else {
        packed = pto_pack(&code->arena, item, p->count, align, limit_of(code, loc), taken, taken_count);
    }
    if (!packed.fits) {
        report_overflow(p, loc, &packed, diags);
        return PTO_ERR_REFUSED;
    }
    for (int32_t i = 0; i < p->count; i++)
        code->storage[p->order[i]].addr = item[i].addr;
    return PTO_OK;
}

static void record_use(pto_code *code) {
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        code->used_begin[loc] = UINT64_MAX;
        code->used_end[loc] = 0;
    }
    for (int32_t s = 0; s < code->storage_count; s++) {
        const pto_code_storage *own = &code->storage[s];
        if (own->addr < code->used_begin[own->loc])
            code->used_begin[own->loc] = own->addr;
        if (own->addr + own->bytes > code->used_end[own->loc])
            code->used_end[own->loc] = own->addr + own->bytes;
    }
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        uint64_t capacity = pto_loc_capacity(code->target, (pto_loc)loc);
        if (code->assigns)
            code->used_begin[loc] = 0;
        if (code->assigns || code->used_end[loc] > capacity)
            code->used_end[loc] = capacity;
        if (code->used_begin[loc] > code->used_end[loc])
            code->used_begin[loc] = code->used_end[loc];
    }
}

pto_status pto_place(pto_code *code, pto_diag_list *diags) {
    placement p = {.code = code};
    p.life = pto_arena_array(&code->arena, (size_t)code->slot_count + 1, sizeof *p.life);
    p.order = pto_arena_array(&code->arena, (size_t)code->storage_count + 1, sizeof *p.order);
    p.time = pto_arena_array(&code->arena, (size_t)code->op_count + 1, sizeof *p.time);
    p.op = pto_arena_array(&code->arena, (size_t)code->op_count + 1, sizeof *p.op);
    if (!p.life || !p.order || !p.time || !p.op)
        return PTO_ERR_NOMEM;
    count_time(&p);
    find_lives(&p);
    for (int32_t s = 0; s < code->storage_count; s++) {
        const life *own = life_of(&p, s);
        code->storage[s].begin = own->begin > own->end ? own->begin : p.op[own->begin];
        code->storage[s].end = own->begin > own->end ? own->end : p.op[own->end];
    }
    pto_status status = PTO_OK;
    for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
        pto_status one = place_memory(&p, (pto_loc)loc, diags);
        if (one != PTO_OK)
            status = one;
    }
    for (int32_t s = 0; s < code->slot_count; s++) {
        pto_code_slot *slot = &code->slot[s];
        if (slot->storage < 0)
            continue;
        slot->tile.assigned = true;
        slot->tile.addr = code->storage[slot->storage].addr;
    }
    record_use(code);
    return status;
}
