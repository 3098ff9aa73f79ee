/* SPDX-License-Identifier: Apache-2.0 */
/* What the rule functions of the families share. A rule function is `pto_rule_NAME` for the NAME of
 * the table's rules field; pto-gen declares it. */
#ifndef PTO_ISA_RULES_SHARED_H
#define PTO_ISA_RULES_SHARED_H

#include "isa/legality.h"

void pto_rule_in_vec(pto_legality *, const pto_rule_use *);
void pto_rule_flat_row_major(pto_legality *, const pto_rule_use *);
void pto_rule_no_box(pto_legality *, const pto_rule_use *);
void pto_rule_same_layout(pto_legality *, const pto_rule_use *);
void pto_rule_valid_equal(pto_legality *, const pto_rule_use *);
void pto_rule_nonempty(pto_legality *, const pto_rule_use *);
void pto_rule_overlap_same_start(pto_legality *, const pto_rule_use *);
void pto_rule_overlap_none(pto_legality *, const pto_rule_use *);
void pto_rule_not_in_place(pto_legality *, const pto_rule_use *);
void pto_rule_element_size_equal(pto_legality *, const pto_rule_use *);
void pto_rule_tmp_bytes(pto_legality *, const pto_rule_use *);

bool pto_legality_is_tile(const pto_legality *legality, int operand);
bool pto_tile_type_is_flat_row_major(const pto_tile_type *type);
const char *pto_tile_type_layout_name(const pto_tile_type *type); /* "ND", "DN", "Nz", "Zn", "Zz", "Nn" */

/* How the bytes of two tile operands meet; NONE also when an address is unknown and they are not one object.
 */
typedef enum pto_overlap { PTO_OVERLAP_NONE, PTO_OVERLAP_SAME_START, PTO_OVERLAP_SHIFTED } pto_overlap;
pto_overlap pto_legality_overlap(const pto_legality *legality, int a, int b);

/* Refuses with E0323 when the known valid regions differ; with E0330 when scratch is too small. */
void pto_legality_require_valid(pto_legality *legality, int reference, int operand);
void pto_legality_require_tmp_bytes(pto_legality *legality, int operand, uint64_t bytes);

#endif
