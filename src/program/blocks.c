/* SPDX-License-Identifier: Apache-2.0 */
/* Order and dominance of the blocks of a region. */
#include "program/blocks.h"

#include <string.h>

typedef struct visit {
    const pto_block *block;
    uint32_t next; /* successor to look at */
} visit;

static uint32_t successors(const pto_block *block) { return block->last ? block->last->successor_count : 0; }

/* Post-order by an explicit stack: text may nest blocks as deeply as it likes. `seen` gets 1 for what was
 * visited; only blocks that are in it, with 0, are blocks of the region: a bad text names others. */
static uint32_t post_order(pto_arena *arena, const pto_block *entry, pto_value_map *seen,
                           const pto_block **out, uint32_t count) {
    visit *stack = pto_arena_array(arena, count + 1, sizeof *stack);
    uint32_t depth = 0, done = 0;
    stack[depth++] = (visit){entry, 0};
    pto_value_map_set(seen, entry, 1);
    while (depth) {
        visit *top = &stack[depth - 1];
        if (top->next == successors(top->block)) {
            out[done++] = top->block;
            depth--;
            continue;
        }
        const pto_block *next = top->block->last->successor[top->next++];
        const int64_t *visited = next ? pto_value_map_find(seen, next) : NULL;
        if (visited && !*visited && depth < count) {
            pto_value_map_set(seen, next, 1);
            stack[depth++] = (visit){next, 0};
        }
    }
    return done;
}

static uint32_t meet(const uint32_t *parent, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a > b)
            a = parent[a];
        while (b > a)
            b = parent[b];
    }
    return a;
}

static void find_parents(pto_block_tree *tree) {
    bool changed = true;
    for (uint32_t i = 0; i < tree->count; i++)
        tree->parent[i] = UINT32_MAX;
    if (tree->count)
        tree->parent[0] = 0;
    while (changed) {
        changed = false;
        for (uint32_t from = 0; from < tree->reached; from++) {
            const pto_operation *last = tree->order[from]->last;
            if (tree->parent[from] == UINT32_MAX)
                continue;
            for (uint32_t s = 0; last && s < last->successor_count; s++) {
                const int64_t *to = pto_value_map_find(&tree->number, last->successor[s]);
                if (!to || *to == 0)
                    continue;
                uint32_t old = tree->parent[*to];
                uint32_t fresh = old == UINT32_MAX ? from : meet(tree->parent, old, from);
                changed |= fresh != old;
                tree->parent[*to] = fresh;
            }
        }
    }
}

pto_block_tree *pto_block_tree_make(pto_arena *arena, const pto_region *region) {
    pto_block_tree *tree = pto_arena_new(arena, pto_block_tree);
    *tree = (pto_block_tree){.number = {.arena = arena}};
    for (const pto_block *b = region->first; b; b = b->next)
        tree->count++;
    if (!tree->count)
        return tree;
    tree->order = pto_arena_new_array(arena, const pto_block *, tree->count);
    tree->parent = pto_arena_new_array(arena, uint32_t, tree->count);
    pto_value_map seen = {.arena = arena};
    for (const pto_block *b = region->first; b; b = b->next)
        pto_value_map_set(&seen, b, 0);
    tree->reached = post_order(arena, region->first, &seen, tree->order, tree->count);
    for (uint32_t i = 0; i < tree->reached / 2; i++) {
        const pto_block *kept = tree->order[i];
        tree->order[i] = tree->order[tree->reached - 1 - i];
        tree->order[tree->reached - 1 - i] = kept;
    }
    uint32_t n = tree->reached;
    for (const pto_block *b = region->first; b && n < tree->count; b = b->next)
        if (!*pto_value_map_find(&seen, b))
            tree->order[n++] = b;
    for (uint32_t i = 0; i < tree->count; i++)
        pto_value_map_set(&tree->number, tree->order[i], i);
    find_parents(tree);
    return tree;
}

bool pto_block_dominates(const pto_block_tree *tree, const pto_block *a, const pto_block *b) {
    const int64_t *x = pto_value_map_find(&tree->number, a), *y = pto_value_map_find(&tree->number, b);
    if (!x || !y)
        return false;
    if (*y >= tree->reached)
        return true;
    if (*x >= tree->reached)
        return false;
    uint32_t at = (uint32_t)*y;
    while (at > (uint32_t)*x)
        at = tree->parent[at];
    return at == (uint32_t)*x;
}
