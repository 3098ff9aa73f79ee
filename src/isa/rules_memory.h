/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the memory family and of printing, named by the rows of instructions.def (part 30; 40, 6). */
#ifndef PTO_ISA_RULES_MEMORY_H
#define PTO_ISA_RULES_MEMORY_H

#include "isa/legality.h"

void pto_rule_load_location(pto_legality *, const pto_rule_use *);
void pto_rule_load_types(pto_legality *, const pto_rule_use *);
void pto_rule_load_extents(pto_legality *, const pto_rule_use *);
void pto_rule_load_layout_pair(pto_legality *, const pto_rule_use *);
void pto_rule_load_limits(pto_legality *, const pto_rule_use *);
void pto_rule_store_location(pto_legality *, const pto_rule_use *);
void pto_rule_store_types(pto_legality *, const pto_rule_use *);
void pto_rule_store_attributes(pto_legality *, const pto_rule_use *);
void pto_rule_acc_relu(pto_legality *, const pto_rule_use *);
void pto_rule_store_read_only(pto_legality *, const pto_rule_use *);
void pto_rule_store_extents(pto_legality *, const pto_rule_use *);
void pto_rule_store_layout_pair(pto_legality *, const pto_rule_use *);
void pto_rule_store_limits(pto_legality *, const pto_rule_use *);
void pto_rule_mov_path(pto_legality *, const pto_rule_use *);
void pto_rule_mov_types(pto_legality *, const pto_rule_use *);
void pto_rule_mov_layouts(pto_legality *, const pto_rule_use *);
void pto_rule_mov_shapes(pto_legality *, const pto_rule_use *);
void pto_rule_mov_compact(pto_legality *, const pto_rule_use *);
void pto_rule_mov_overlap(pto_legality *, const pto_rule_use *);
void pto_rule_trans_types(pto_legality *, const pto_rule_use *);
void pto_rule_trans_extents(pto_legality *, const pto_rule_use *);
void pto_rule_trans_layout(pto_legality *, const pto_rule_use *);
void pto_rule_trans_area(pto_legality *, const pto_rule_use *);
void pto_rule_trans_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_reshape_same_location(pto_legality *, const pto_rule_use *);
void pto_rule_reshape_same_bytes(pto_legality *, const pto_rule_use *);
void pto_rule_reshape_boxing(pto_legality *, const pto_rule_use *);
void pto_rule_assign_address(pto_legality *, const pto_rule_use *);
void pto_rule_print_location(pto_legality *, const pto_rule_use *);
void pto_rule_print_format(pto_legality *, const pto_rule_use *);
void pto_rule_print_layout(pto_legality *, const pto_rule_use *);

#endif
