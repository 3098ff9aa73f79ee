/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the conversion of level 1 to level 2: tiles that loops, choices and regions carry. */
#ifndef PTO_TEXT_CONVERT_CARRIED_H
#define PTO_TEXT_CONVERT_CARRIED_H

#include "isa/legality.h"
#include "text/convert.h"

/* What a look over the program at level 1 has found, and what is decided on the way. */
typedef struct pto_carried {
    pto_value_map root;    /* value -> the value whose storage it has, if that is another */
    pto_value_map taken;   /* result of a loop or choice -> the value whose storage it takes over */
    pto_value_map pinned;  /* roots whose storage has names that are not followed */
    pto_value_map handle;  /* value -> the handle of level 2 that it is to be written to */
    pto_value_map written; /* block -> handles of what its terminator hands on */
} pto_carried;

void pto_carried_look(pto_carried *carried, pto_arena *arena, const pto_operation *module);
/* A loop, choice or region that hands tiles on. */
bool pto_carries(const pto_operation *op);
/* Such an operation becomes one that carries no tile. */
void pto_convert_carrier(pto_converter *converter, pto_carried *carried, const pto_operation *op,
                         pto_block *into);
/* The end of a block of such an operation; false when it is none. */
bool pto_convert_terminator(pto_converter *converter, pto_carried *carried, const pto_operation *op,
                            pto_block *into);
/* The handle that a value of level 1 is to be written to, NULL = one of its own. */
static inline pto_value *pto_convert_assigned(const pto_carried *carried, const pto_value *value) {
    const int64_t *found = pto_value_map_find(&carried->handle, value);
    return found ? (pto_value *)(intptr_t)*found : NULL;
}

/* convert_handles.c: the result at this position is a value at level 2 too, a view of a tile. */
bool pto_convert_stays_result(const pto_form_desc *form, int position);
/* What is known of an instruction's operands; false when a tile's type is open. */
bool pto_convert_describe(const pto_operation *op, pto_legality *legality);
/* The type of the handle of a value; refuses types that have none. */
const pto_type *pto_convert_handle_type(pto_converter *converter, const pto_value *value);

#endif
