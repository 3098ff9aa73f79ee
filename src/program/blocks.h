/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a region in an order where a block comes behind those that dominate it, and who dominates
 * whom (60, 3.1; Cooper, Harvey, Kennedy 2001: A Simple, Fast Dominance Algorithm). */
#ifndef PTO_PROGRAM_BLOCKS_H
#define PTO_PROGRAM_BLOCKS_H

#include "program/program.h"
#include "program/value_map.h"

typedef struct pto_block_tree {
    uint32_t count;
    const pto_block **order; /* reverse post-order from the entry; blocks that nothing reaches come last */
    uint32_t reached;        /* how many the entry reaches */
    uint32_t *parent;        /* number of the immediate dominator; the entry's is itself */
    pto_value_map number;    /* block -> place in order */
} pto_block_tree;

/* On the arena, which has a failure handler. */
pto_block_tree *pto_block_tree_make(pto_arena *arena, const pto_region *region);
/* Both of the region. Every block dominates what nothing reaches. */
bool pto_block_dominates(const pto_block_tree *tree, const pto_block *a, const pto_block *b);

#endif
