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
void pto_rule_acc_source(pto_legality *, const pto_rule_use *);
void pto_rule_acc_to_vec(pto_legality *, const pto_rule_use *);
void pto_rule_quant_word(pto_legality *, const pto_rule_use *);
void pto_rule_quant_table(pto_legality *, const pto_rule_use *);
void pto_rule_acc_mode(pto_legality *, const pto_rule_use *);
void pto_rule_acc_split(pto_legality *, const pto_rule_use *);
void pto_rule_extract_split(pto_legality *, const pto_rule_use *);
void pto_rule_insert_split(pto_legality *, const pto_rule_use *);
void pto_rule_quant_out(pto_legality *, const pto_rule_use *);
void pto_rule_cube_round(pto_legality *, const pto_rule_use *);
void pto_rule_extract_path(pto_legality *, const pto_rule_use *);
void pto_rule_insert_path(pto_legality *, const pto_rule_use *);
void pto_rule_extract_types(pto_legality *, const pto_rule_use *);
void pto_rule_insert_types(pto_legality *, const pto_rule_use *);
void pto_rule_extract_layout(pto_legality *, const pto_rule_use *);
void pto_rule_insert_layout(pto_legality *, const pto_rule_use *);
void pto_rule_extract_nd_nz(pto_legality *, const pto_rule_use *);
void pto_rule_extract_bounds(pto_legality *, const pto_rule_use *);
void pto_rule_extract_window(pto_legality *, const pto_rule_use *);
void pto_rule_insert_bounds(pto_legality *, const pto_rule_use *);
void pto_rule_extract_alignment(pto_legality *, const pto_rule_use *);
void pto_rule_insert_alignment(pto_legality *, const pto_rule_use *);
void pto_rule_insert_pieces(pto_legality *, const pto_rule_use *);
void pto_rule_extract_scratch(pto_legality *, const pto_rule_use *);
void pto_rule_subview_layout(pto_legality *, const pto_rule_use *);
void pto_rule_subview_bounds(pto_legality *, const pto_rule_use *);
void pto_rule_subview_alignment(pto_legality *, const pto_rule_use *);
void pto_rule_fillpad_pad(pto_legality *, const pto_rule_use *);
void pto_rule_fillpad_capacity(pto_legality *, const pto_rule_use *);
void pto_rule_fillpad_expand(pto_legality *, const pto_rule_use *);
void pto_rule_fillpad_in_place(pto_legality *, const pto_rule_use *);
void pto_rule_fillpad_mat(pto_legality *, const pto_rule_use *);
void pto_rule_concat_rows(pto_legality *, const pto_rule_use *);
void pto_rule_concat_width(pto_legality *, const pto_rule_use *);
void pto_rule_concat_index(pto_legality *, const pto_rule_use *);
void pto_rule_interleave_even(pto_legality *, const pto_rule_use *);
void pto_rule_deinterleave_one(pto_legality *, const pto_rule_use *);
void pto_rule_prefetch_tensor(pto_legality *, const pto_rule_use *);
void pto_rule_scale_side(pto_legality *, const pto_rule_use *);
void pto_rule_scale_address(pto_legality *, const pto_rule_use *);
void pto_rule_boxing_layout(pto_legality *, const pto_rule_use *);
void pto_rule_boxing_extents(pto_legality *, const pto_rule_use *);

#endif
