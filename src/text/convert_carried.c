/* SPDX-License-Identifier: Apache-2.0 */
/* Level 1 to level 2: tiles that loops, choices and regions carry (60, 2). At level 2 they write what they
 * hand on to one handle, made in front of them; initial and yielded values are moved there. No move is needed
 * - for an initial value that nothing else uses: its handle becomes the loop's,
 * - for a yielded value that can be written to the handle right away, since the old value is not used any
 * more, or only by an instruction that works in place. */
#include "text/convert_carried.h"

#include <pto/ops.h>

#include <string.h>

static bool is_tile(const pto_value *value) { return value && value->type && pto_type_is_tile(value->type); }

static const pto_value *lookup(const pto_value_map *map, const void *key) {
    const int64_t *found = pto_value_map_find(map, key);
    return found ? (const pto_value *)(intptr_t)*found : NULL;
}

static void note(pto_value_map *map, const void *key, const void *value) {
    pto_value_map_set(map, key, (int64_t)(intptr_t)value);
}

/* The value that has the storage first. */
static const pto_value *root_of(const pto_carried *k, const pto_value *value) {
    const pto_value *root = lookup(&k->root, value);
    return root ? root : value;
}

static const pto_block *home_of(const pto_value *value) {
    return value->def ? value->def->parent : value->block;
}

static const pto_block *block_of(const pto_operation *op, uint32_t region) {
    return region < op->region_count ? op->region[region]->first : NULL;
}

/* What the terminator of the block hands on as number i; NULL when the block ends otherwise. */
static const pto_value *handed_on(const pto_block *block, uint32_t i) {
    const pto_operation *last = block ? block->last : NULL;
    uint32_t at = i + (last && last->kind == PTO_OPK_SCF_CONDITION);
    bool ends = last && (last->kind == PTO_OPK_SCF_YIELD || last->kind == PTO_OPK_SCF_CONDITION);
    return ends && at < last->operand_count ? last->operand[at] : NULL;
}

static bool is_loop(const pto_operation *op) {
    return op->kind == PTO_OPK_SCF_FOR || op->kind == PTO_OPK_SCF_WHILE;
}

bool pto_carries(const pto_operation *op) {
    if (!is_loop(op) && op->kind != PTO_OPK_SCF_IF && op->kind != PTO_OPK_SCF_INDEX_SWITCH &&
        op->kind != PTO_OPK_SCF_EXECUTE_REGION)
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (is_tile(op->result[i]))
            return true;
    for (uint32_t i = 0; op->kind == PTO_OPK_SCF_WHILE && i < op->operand_count; i++)
        if (is_tile(op->operand[i]))
            return true;
    return false;
}

/* Loops: the first operand that is carried, and the first argument of the body that is. */
static uint32_t first_init(const pto_operation *op) { return op->kind == PTO_OPK_SCF_FOR ? 3 : 0; }
static uint32_t first_argument(const pto_operation *op) { return op->kind == PTO_OPK_SCF_FOR; }

/* Result i of the loop lies where its argument i lies: always in scf.for, in scf.while when the condition
 * passes just the argument. */
static bool result_is_argument(const pto_operation *op, uint32_t i) {
    if (op->kind != PTO_OPK_SCF_WHILE)
        return op->kind == PTO_OPK_SCF_FOR;
    const pto_block *before = block_of(op, 0);
    return before && i < before->arg_count && handed_on(before, i) == before->arg[i];
}

/* ---- who uses a storage ------------------------------------------------------------------------------- */

typedef struct usage {
    const pto_carried *carried;
    const pto_value *root;
    uint32_t count;
} usage;

static void count_operands(void *user, const pto_operation *op) {
    usage *u = user;
    for (uint32_t i = 0; i < op->operand_count; i++)
        u->count += is_tile(op->operand[i]) && root_of(u->carried, op->operand[i]) == u->root;
    u->count += is_tile(op->acc) && root_of(u->carried, op->acc) == u->root;
}

/* How often `op` and what stands in it use the storage. */
static uint32_t uses_in(const pto_carried *k, const pto_operation *op, const pto_value *root) {
    usage u = {.carried = k, .root = root};
    count_operands(&u, op);
    pto_fact_walk(op, count_operands, &u);
    return u.count;
}

/* From `op` to the end of its block. */
static bool used_from(const pto_carried *k, const pto_operation *op, const pto_value *root) {
    for (; op; op = op->next)
        if (uses_in(k, op, root))
            return true;
    return false;
}

/* The value whose handle the value gets written to, seen through instructions that change a tile in place and
 * loops that take the storage of their initial value. */
static const pto_value *origin(const pto_carried *k, const pto_value *value) {
    for (;;) {
        const pto_value *next = NULL;
        if (value->def && value->def->kind == PTO_OPK_INSTR && value->def->result[0] == value)
            next = pto_instr_old_value(value->def);
        else if (value->def)
            next = lookup(&k->taken, value);
        if (!next)
            return value;
        value = next;
    }
}

/* The storage of a value that only `op` uses from there on, `uses` times: it may become that of op's result.
 * Not that of a parameter, which is the caller's. */
static bool may_take(const pto_carried *k, const pto_operation *op, const pto_value *value, uint32_t uses) {
    const pto_value *root = root_of(k, value);
    const pto_block *home = home_of(root);
    if (origin(k, value) != root)
        return false; /* a view: the handle of its storage is another */
    bool parameter = !root->def && home->parent->parent && home->parent->parent->kind == PTO_OPK_FUNC;
    return home == op->parent && !home->parent->first->next && !parameter &&
           !pto_value_map_find(&k->pinned, root) && (!uses || uses_in(k, op, root) == uses) &&
           !used_from(k, op->next, root);
}

/* ---- the look over the program
 * ----------------------------------------------------------------------------- */

/* A choice may take the storage of a value of outside that one of its ways hands on. */
static const pto_value *choose_taken(const pto_carried *k, const pto_operation *op, uint32_t i) {
    for (uint32_t r = 0; r < op->region_count; r++) {
        const pto_block *block = block_of(op, r);
        const pto_value *yielded = block && !block->next ? handed_on(block, i) : NULL;
        const pto_value *first = is_tile(yielded) ? origin(k, yielded) : NULL;
        if (!first || first->type != op->result[i]->type || root_of(k, yielded) != root_of(k, first) ||
            home_of(first) != op->parent || !may_take(k, op, first, 0))
            continue;
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again |= is_tile(op->result[j]) && root_of(k, op->result[j]) == root_of(k, first);
        if (!again)
            return first;
    }
    return NULL;
}

static void look_at_results(pto_carried *k, const pto_operation *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        const pto_value *result = op->result[i], *taken = NULL;
        if (!is_tile(result))
            continue;
        if (!is_loop(op)) {
            taken = choose_taken(k, op, i);
        } else if (result_is_argument(op, i) && first_init(op) + i < op->operand_count) {
            const pto_value *init = op->operand[first_init(op) + i];
            taken = may_take(k, op, init, 1) ? init : NULL;
        }
        if (!taken)
            continue;
        note(&k->taken, result, taken);
        note(&k->root, result, root_of(k, taken));
    }
}

/* An instruction whose result is a view of its source, or takes over the storage of the old value. */
static void look_at_instruction(pto_carried *k, const pto_operation *op) {
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_value *old = pto_instr_old_value(op);
    for (int i = 0; i < form->operand_count; i++) {
        int r = pto_instr_result(op, i);
        if (r < 0 || !is_tile(op->result[r]))
            continue;
        const pto_value *from = r == 0 ? old : NULL;
        for (uint32_t s = 0; pto_convert_stays_result(form, i) && s < op->operand_count && !from; s++)
            from = is_tile(op->operand[s]) ? op->operand[s] : NULL;
        if (from)
            note(&k->root, op->result[r], root_of(k, from));
    }
    if (form->op == PTO_OP_TASSIGN && op->operand_count && op->operand[0])
        pto_value_map_set(&k->pinned, root_of(k, op->operand[0]), 1);
}

static void look(pto_carried *k, const pto_operation *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        for (const pto_block *b = op->region[r]->first; b; b = b->next)
            for (const pto_operation *o = b->first; o; o = o->next)
                look(k, o);
    if (op->kind == PTO_OPK_INSTR) {
        look_at_instruction(k, op);
    } else if (pto_carries(op)) {
        look_at_results(k, op);
    } else if (op->result_count && is_tile(op->result[0])) {
        /* a choice of tiles, a part of one: several names for a storage */
        pto_value_map_set(&k->pinned, op->result[0], 1);
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (is_tile(op->operand[i]))
                pto_value_map_set(&k->pinned, root_of(k, op->operand[i]), 1);
    }
}

void pto_carried_look(pto_carried *k, pto_arena *arena, const pto_operation *module) {
    *k = (pto_carried){.root = {.arena = arena},
                       .taken = {.arena = arena},
                       .pinned = {.arena = arena},
                       .handle = {.arena = arena},
                       .written = {.arena = arena}};
    look(k, module);
}

/* ---- moves
 * ------------------------------------------------------------------------------------------------- */

/* What a terminator writes: handles by number, NULL for what is no tile. */
typedef struct outputs {
    pto_value **handle;
    uint32_t count;
} outputs;

static void set_outputs(const pto_converter *c, pto_carried *k, const pto_block *block, pto_value **handle,
                        uint32_t count) {
    outputs *out = pto_arena_new(c->arena, outputs);
    *out = (outputs){handle, count};
    note(&k->written, block, out);
}

static void swallow(void *user, const pto_refusal *refusal) { (void)user, (void)refusal; }

/* TMOV may stand: on the program's target, without one on cpu, which takes most; memories besides vec differ.
 */
static bool may_move(const pto_converter *c, const pto_tile_type *type) {
    pto_target target = PTO_TARGET_CPU;
    bool every = !pto_program_target(c->from, &target) && type->loc != PTO_LOC_VEC;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        if (!every && t != (int)target)
            continue;
        pto_legality legality = {
            .form = pto_form_get(PTO_FORM_TMOV), .target = (pto_target)t, .report = swallow};
        for (int i = 0; i < 2; i++)
            legality.operand[i] = (pto_legality_operand){.kind = PTO_OPERAND_TILE,
                                                         .type = *type,
                                                         .valid_rows = type->valid_rows,
                                                         .valid_cols = type->valid_cols,
                                                         .identity = i ? (const void *)&legality : type};
        legality.operand[2] = (pto_legality_operand){.kind = PTO_OPERAND_SCALAR, .value_known = true};
        if (!pto_legality_check(&legality))
            return false;
    }
    return true;
}

typedef struct move {
    pto_value *from, *to;
    pto_value *storage; /* the handle that has the bytes of `from`; NULL = any of them may have */
    bool aside;         /* `from` is a tile that nothing else writes */
    bool fresh;         /* `to` is one that nothing else reads */
    pto_span span;
    pto_str name;
} move;

static void put_move(pto_converter *c, pto_block *into, const move *m) {
    if (!may_move(c, &m->to->type->tile)) {
        pto_convert_refuse(
            c, m->span,
            "%%%.*s has to be moved to the handle that is carried, and nothing moves a %s tile like it",
            PTO_STR_ARG(m->name), pto_loc_name(m->to->type->tile.loc));
        return;
    }
    const pto_form_desc *form = pto_form_get(PTO_FORM_TMOV);
    pto_operation *op = pto_operation_create(c->to, PTO_OPK_INSTR, form->operand_count, 0);
    op->form = PTO_FORM_TMOV;
    op->span = op->name_span = m->span;
    op->operand[0] = m->to;
    op->operand[1] = m->from;
    op->operand_span[0] = op->operand_span[1] = m->span;
    pto_block_append(into, op);
}

/* All at once: a handle is written when no other move reads it any more, through a tile of its own where that
 * never comes. */
static void put_moves(pto_converter *c, pto_block *into, move *moves, size_t count) {
    while (count && !c->failed) {
        size_t next = 0;
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            found = true;
            for (size_t j = 0; j < count && found; j++)
                found = j == i || moves[i].fresh || (moves[j].storage && moves[j].storage != moves[i].to);
            found = found && (moves[i].storage != moves[i].to);
            next = found ? i : 0;
        }
        if (found) {
            put_move(c, into, &moves[next]);
            moves[next] = moves[--count];
            continue;
        }
        while (moves[next].aside)
            next++;
        move aside = moves[next];
        aside.to = pto_convert_alloc(c, into, aside.to->type, PTO_STR("moved"), aside.span);
        put_move(c, into, &aside);
        moves[next].from = moves[next].storage = aside.to;
        moves[next].aside = true;
    }
}

static void add_move(const pto_converter *c, const pto_carried *k, move *moves, size_t *count,
                     const pto_value *from, pto_value *to, bool fresh, pto_span span) {
    pto_value *handle = pto_convert_value(c, from);
    if (!handle || handle == to)
        return;
    const pto_value *root = root_of(k, from);
    pto_value *storage = pto_value_map_find(&k->pinned, root) ? NULL : pto_convert_value(c, root);
    moves[(*count)++] = (move){handle, to, storage, false, fresh, span, from->name};
}

/* ---- operations
 * ---------------------------------------------------------------------------------------------- */

/* The operation without the tiles among its operands and results, appended; its other results are mapped. */
static pto_operation *without_tiles(pto_converter *c, const pto_operation *op, pto_block *into) {
    uint32_t operands = 0, results = 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        operands += !is_tile(op->operand[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        results += !is_tile(op->result[i]);
    pto_operation *copy = pto_operation_create(c->to, op->kind, operands, results);
    copy->span = op->span;
    copy->name_span = op->name_span;
    for (uint32_t i = 0, n = 0; i < op->operand_count; i++) {
        if (is_tile(op->operand[i]))
            continue;
        copy->operand_span[n] = op->operand_span ? op->operand_span[i] : op->span;
        copy->operand[n++] = pto_convert_value(c, op->operand[i]);
    }
    for (uint32_t i = 0, n = 0; i < op->result_count; i++) {
        const pto_value *old = op->result[i];
        if (is_tile(old))
            continue;
        pto_value *value = pto_operation_set_result(c->to, copy, n++, pto_convert_type(c, old->type),
                                                    pto_program_copy(c->to, old->name));
        value->span = old->span;
        pto_convert_map(c, old, value);
    }
    pto_convert_attrs(c, op, copy);
    pto_block_append(into, copy);
    return copy;
}

/* The instruction may write its result over `old`, which it reads: the table says so, and no rule of a target
 * forbids it. Other names of the storage may lie elsewhere in it. */
static bool works_in_place(const pto_converter *c, const pto_carried *k, const pto_operation *op,
                           const pto_value *old) {
    pto_target target = PTO_TARGET_CPU;
    bool known = pto_program_target(c->from, &target);
    if (op->kind != PTO_OPK_INSTR)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_tile(op->operand[i]) && op->operand[i] != old && root_of(k, op->operand[i]) == root_of(k, old))
            return false;
    for (int t = 0; t < PTO_TARGET_COUNT; t++) {
        if (known && t != (int)target)
            continue;
        pto_legality legality = {.target = (pto_target)t, .report = swallow};
        bool allowed = pto_convert_describe(op, &legality);
        const pto_form_desc *form = legality.form;
        bool told = false;
        for (int i = 0; i < form->rule_count; i++)
            told |= !strcmp(form->rules[i].name, "overlap_same_start") && form->rules[i].targets >> t & 1;
        for (int i = 0; i < form->operand_count; i++)
            if (pto_instr_result(op, i) == 0)
                legality.operand[i].identity = old;
        if (!allowed || !told || !pto_legality_check(&legality))
            return false;
    }
    return true;
}

/* Values that the block hands on are written to the handles right away, where that destroys nothing that is
 * still used. `argument`: of the block, in loops: the old values of the handles. */
static void plan(pto_converter *c, pto_carried *k, const pto_block *block, pto_value *const *handle,
                 uint32_t count, pto_value *const *argument, const pto_value *const *taken) {
    for (uint32_t i = 0; block && !block->parent->first->next && i < count; i++) {
        const pto_value *value = handle[i] ? handed_on(block, i) : NULL;
        const pto_value *first = is_tile(value) ? origin(k, value) : NULL;
        if (!first || !first->def || first->def->parent != block || pto_convert_assigned(k, first) ||
            pto_convert_type(c, first->type) != handle[i]->type)
            continue;
        bool made = first->def->kind == PTO_OPK_INSTR ? root_of(k, first) == first : pto_carries(first->def);
        made = made && !pto_value_map_find(&k->pinned, first);
        const pto_value *old = argument ? argument[i] : taken ? taken[i] : NULL;
        if (made && old) {
            const pto_value *root = root_of(k, old);
            bool before = !uses_in(k, first->def, root) || works_in_place(c, k, first->def, old);
            made = before && !pto_value_map_find(&k->pinned, root) && !used_from(k, first->def->next, root);
        }
        if (made)
            note(&k->handle, first, handle[i]);
    }
}

/* The handle of result i: what an outer operation wants to have written, what it takes over, or a new one. */
static pto_value *handle_for(pto_converter *c, const pto_carried *k, const pto_value *value,
                             const pto_value *taken, pto_block *into) {
    pto_value *handle = pto_convert_assigned(k, value);
    if (handle)
        return handle;
    if (taken)
        return pto_convert_value(c, taken);
    const pto_type *type = pto_convert_handle_type(c, value);
    return c->failed ? NULL : pto_convert_alloc(c, into, type, value->name, value->span);
}

static void choice(pto_converter *c, pto_carried *k, const pto_operation *op, pto_block *into) {
    pto_value **handle = pto_arena_new_array(c->arena, pto_value *, op->result_count);
    const pto_value **taken = pto_arena_new_array(c->arena, const pto_value *, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        if (!is_tile(op->result[i]))
            continue;
        taken[i] = lookup(&k->taken, op->result[i]);
        handle[i] = handle_for(c, k, op->result[i], taken[i], into);
        if (c->failed)
            return;
    }
    for (uint32_t r = 0; r < op->region_count; r++) {
        plan(c, k, block_of(op, r), handle, op->result_count, NULL, taken);
        for (const pto_block *b = op->region[r]->first; b; b = b->next)
            set_outputs(c, k, b, handle, op->result_count);
    }
    pto_convert_regions(c, op, without_tiles(c, op, into));
    for (uint32_t i = 0; i < op->result_count; i++)
        if (handle[i])
            pto_convert_map(c, op->result[i], handle[i]);
}

static void loop(pto_converter *c, pto_carried *k, const pto_operation *op, pto_block *into) {
    const pto_block *head = block_of(op, 0), *body = op->kind == PTO_OPK_SCF_WHILE ? block_of(op, 1) : head;
    uint32_t inits = op->operand_count - first_init(op), skip = first_argument(op);
    bool fits = op->operand_count >= first_init(op) && head && body && head->arg_count == inits + skip &&
                body->arg_count == op->result_count + skip;
    for (uint32_t i = 0; i < inits && fits; i++)
        fits = is_tile(op->operand[first_init(op) + i]) == is_tile(head->arg[skip + i]);
    for (uint32_t i = 0; i < op->result_count && fits; i++)
        fits = is_tile(op->result[i]) == is_tile(body->arg[skip + i]);
    if (!fits) {
        pto_convert_refuse(c, op->span, "%s hands on other values than are wanted",
                           pto_op_kind_name(op->kind));
        return;
    }
    pto_value **turn = pto_arena_new_array(c->arena, pto_value *, inits); /* from turn to turn */
    pto_value **result = pto_arena_new_array(c->arena, pto_value *, op->result_count);
    move *moves = pto_arena_array(c->arena, inits + 1, sizeof *moves);
    size_t count = 0;
    for (uint32_t i = 0; i < inits; i++) {
        const pto_value *init = op->operand[first_init(op) + i];
        if (!is_tile(init))
            continue;
        bool same = i < op->result_count && result_is_argument(op, i);
        const pto_value *value = same ? op->result[i] : head->arg[skip + i];
        const pto_value *taken = lookup(&k->taken, value);
        bool fresh = !taken && !pto_convert_assigned(k, value);
        turn[i] = handle_for(c, k, value, taken, into);
        if (c->failed)
            return;
        pto_convert_map(c, head->arg[skip + i], turn[i]);
        add_move(c, k, moves, &count, init, turn[i], fresh, op->span);
    }
    put_moves(c, into, moves, count);
    for (uint32_t i = 0; i < op->result_count && !c->failed; i++) {
        if (!is_tile(op->result[i]))
            continue;
        result[i] = result_is_argument(op, i) ? turn[i] : handle_for(c, k, op->result[i], NULL, into);
        if (!c->failed)
            pto_convert_map(c, body->arg[skip + i], result[i]);
    }
    if (c->failed)
        return;
    if (op->kind == PTO_OPK_SCF_WHILE) {
        plan(c, k, head, result, op->result_count, NULL, NULL);
        set_outputs(c, k, head, result, op->result_count);
    }
    /* what the body may not destroy is the argument, if that has the handle */
    pto_value **old = pto_arena_new_array(c->arena, pto_value *, inits);
    for (uint32_t i = 0; i < inits; i++)
        if (turn[i] && i < op->result_count && result_is_argument(op, i))
            old[i] = body->arg[skip + i];
    plan(c, k, body, turn, inits, old, NULL);
    set_outputs(c, k, body, turn, inits);
    pto_convert_regions(c, op, without_tiles(c, op, into));
    for (uint32_t i = 0; i < op->result_count; i++)
        if (result[i])
            pto_convert_map(c, op->result[i], result[i]);
}

void pto_convert_carrier(pto_converter *c, pto_carried *k, const pto_operation *op, pto_block *into) {
    if (is_loop(op))
        loop(c, k, op, into);
    else
        choice(c, k, op, into);
}

bool pto_convert_terminator(pto_converter *c, pto_carried *k, const pto_operation *op, pto_block *into) {
    const int64_t *found = pto_value_map_find(&k->written, op->parent);
    if (!found || (op->kind != PTO_OPK_SCF_YIELD && op->kind != PTO_OPK_SCF_CONDITION))
        return false;
    const outputs *out = (const outputs *)(intptr_t)*found;
    uint32_t skip = op->kind == PTO_OPK_SCF_CONDITION;
    bool fits = op->operand_count == out->count + skip;
    for (uint32_t i = skip; i < op->operand_count && fits; i++)
        fits = is_tile(op->operand[i]) == (out->handle[i - skip] != NULL);
    if (!fits) {
        pto_convert_refuse(c, op->span, "%s hands on other values than are wanted",
                           pto_op_kind_name(op->kind));
        return true;
    }
    move *moves = pto_arena_array(c->arena, op->operand_count + 1, sizeof *moves);
    size_t count = 0;
    for (uint32_t i = skip; i < op->operand_count; i++)
        if (is_tile(op->operand[i]))
            add_move(c, k, moves, &count, op->operand[i], out->handle[i - skip], false,
                     op->operand_span && op->operand_span[i].end ? op->operand_span[i] : op->span);
    put_moves(c, into, moves, count);
    without_tiles(c, op, into);
    return true;
}
