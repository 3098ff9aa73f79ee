/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of lowering: the growing code, and the map from values to registers and slots. */
#ifndef PTO_PASS_LOWER_H
#define PTO_PASS_LOWER_H

#include "base/vec.h"
#include "pass/code.h"
#include "program/blocks.h"
#include "program/facts.h"
#include "program/value_map.h"

enum { PTO_CODE_MAX_OPS = 4 << 20, PTO_CODE_MAX_CALLS = 256 };

/* Where the blocks of a region of several blocks leave it: the values go to `place`, then a jump that is
 * patched. */
typedef struct pto_lower_exit {
    struct pto_lower_exit *outer;
    pto_op_kind kind; /* RETURN or SCF_YIELD */
    uint32_t count;
    int32_t *place;
    PTO_VEC(int32_t) jumps;
    pto_block_tree *tree;
    int32_t *begin;            /* first op of each block of the tree; -1 = not yet */
    PTO_VEC(int32_t) branches; /* jumps to blocks, with the block's number in `extra` until the end */
} pto_lower_exit;

typedef struct pto_lowering {
    pto_code *code;
    pto_arena *arena;
    pto_diag_list *diags;
    bool failed;
    pto_value_map at; /* value -> register, tile slot or view slot, by its type */
    PTO_VEC(pto_code_op) ops;
    PTO_VEC(const pto_operation *) origins;
    PTO_VEC(pto_register) regs;
    PTO_VEC(pto_code_slot) slots;
    PTO_VEC(pto_global) views;
    PTO_VEC(pto_code_instr) instrs;
    PTO_VEC(int32_t) list;
    PTO_VEC(pto_code_storage) storages;
    PTO_VEC(pto_code_loop) loops;
    PTO_VEC(pto_code_touch) touches;
    int32_t loop;                     /* innermost loop, -1 */
    bool recording;                   /* fill places and expansions */
    const struct pto_sync_plan *plan; /* flags that the program leaves to the compiler, or NULL */
    int32_t expansion;                /* at hand */
    PTO_VEC(pto_code_place) places;
    PTO_VEC(pto_code_call) expansions;
    uint32_t calls;    /* depth */
    uint32_t expanded; /* calls so far */
    const pto_operation *current;
    pto_value *const *returned; /* operands of the last func.return */
    uint32_t returned_count;
    pto_lower_exit *exit; /* of the innermost region of several blocks */
} pto_lowering;

/* Appends an op for the operation at hand; returns its number. */
int32_t pto_lower_emit(pto_lowering *l, pto_code_op op);
static inline int32_t pto_lower_here(const pto_lowering *l) { return (int32_t)l->ops.count; }

int32_t pto_lower_new_register(pto_lowering *l, pto_register initial);
/* A slot with storage of its own. */
int32_t pto_lower_new_tile(pto_lowering *l, const pto_tile_type *type, pto_str name);
/* A slot whose handle is set while running. */
int32_t pto_lower_new_handle(pto_lowering *l, const pto_tile_type *type);
int32_t pto_lower_new_view(pto_lowering *l, const pto_type *type);
/* The tile of a value, or of an operand that the text leaves out, got this slot. */
void pto_lower_record(pto_lowering *l, const void *key, int32_t position, int32_t slot);
/* The next op uses the tile. */
void pto_lower_touch(pto_lowering *l, int32_t slot);
/* Both may stand for one storage from now on. */
void pto_lower_alias(pto_lowering *l, int32_t a, int32_t b);

/* Register, tile slot or view slot of a value. */
int32_t pto_lower_get(pto_lowering *l, const pto_value *value);
void pto_lower_set(pto_lowering *l, const pto_value *value, int32_t at);
/* A new register, slot or view for the value; a tile gets a handle for tile_buf, storage for tile. */
int32_t pto_lower_place_for(pto_lowering *l, const pto_value *value);
/* Moves values into places at once (a permutation is moved through spare places). */
void pto_lower_moves(pto_lowering *l, uint32_t count, pto_value *const *from, const int32_t *to);

void pto_lower_refuse(pto_lowering *l, const char *rule, const char *found);

void pto_lower_scalar(pto_lowering *l, const pto_operation *op);
void pto_lower_tile_op(pto_lowering *l, const pto_operation *op);
void pto_lower_instr(pto_lowering *l, const pto_operation *op);
void pto_lower_sync(pto_lowering *l, const pto_operation *op);
/* What the plan puts before or behind the operation. */
void pto_lower_planned(pto_lowering *l, const pto_operation *op, bool behind);
void pto_lower_flow(pto_lowering *l, const pto_operation *op);
void pto_lower_block(pto_lowering *l, const pto_block *block);
/* A region whose blocks end in branches or in `kind`; what they pass on goes to places[count]. */
void pto_lower_blocks(pto_lowering *l, const pto_region *region, pto_op_kind kind, uint32_t count,
                      int32_t *place);

#endif
