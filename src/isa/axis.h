/* SPDX-License-Identifier: Apache-2.0 */
/* What the axis family's rules share with its kernels and with the front ends: which operand of
 * TROWEXPAND<op> and TCOLEXPAND<op> is broadcast, and the scratch that a2a3 hardware uses (part 20, 3 and 4).
 */
#ifndef PTO_ISA_AXIS_H
#define PTO_ISA_AXIS_H

#include "isa/legality.h"

/* The implicit scratch of a2a3 in vec, bytes [BEGIN, END): the 3-operand mode-1 forms overwrite it
 * (00-model, 8.1). */
#define PTO_IMPLICIT_SCRATCH_BEGIN UINT64_C(188416)
#define PTO_IMPLICIT_SCRATCH_END UINT64_C(196608)

/* A tile as far as the classifiers look at it; extents may be PTO_UNKNOWN. */
typedef struct pto_axis_tile {
    const pto_tile_type *type;
    int32_t valid_rows, valid_cols;
} pto_axis_tile;

typedef enum pto_axis_answer { PTO_AXIS_NO, PTO_AXIS_YES, PTO_AXIS_UNKNOWN } pto_axis_answer;

/* Which source is full and which is expanded (1 - full). */
typedef struct pto_expand_roles {
    pto_axis_answer answer; /* the other fields hold for YES only */
    int full;               /* 0 or 1: the source with dst's shape */
    int mode;               /* TROWEXPAND<op>: 1 = one scalar a row, 2 = one 32-byte block a row (20, 4.1) */
} pto_expand_roles;
pto_expand_roles pto_row_expand_classify(pto_axis_tile dst, pto_axis_tile src0, pto_axis_tile src1);
pto_expand_roles pto_col_expand_classify(pto_axis_tile dst, pto_axis_tile src0, pto_axis_tile src1);

/* Bytes of the broadcast buffer of a mode-1 TROWEXPAND<op> with that many valid rows (20, 4.1). */
uint64_t pto_row_expand_tmp_bytes(int32_t rows);

/* The smallest scratch tile (flat row-major, in vec) that a2a3 hardware uses for this instruction. `used` is
 * false when it uses none, when a valid extent that matters is unknown, and on the other targets. */
typedef struct pto_axis_scratch {
    bool used;
    pto_dtype dtype;
    int32_t rows, cols;
} pto_axis_scratch;
pto_axis_scratch pto_axis_scratch_of(const pto_legality *legality);

/* The rules of the family (instructions.def). */
void pto_rule_row_reduce_shape(pto_legality *, const pto_rule_use *);
void pto_rule_col_reduce_shape(pto_legality *, const pto_rule_use *);
void pto_rule_arg_index(pto_legality *, const pto_rule_use *);
void pto_rule_row_reduce_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_colsum_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_col_arg_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_partial_cover(pto_legality *, const pto_rule_use *);
void pto_rule_row_expand_mode(pto_legality *, const pto_rule_use *);
void pto_rule_row_expand_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_row_expand_place(pto_legality *, const pto_rule_use *);
void pto_rule_col_expand_shape(pto_legality *, const pto_rule_use *);
void pto_rule_row_expand_copy(pto_legality *, const pto_rule_use *);
void pto_rule_col_expand_copy(pto_legality *, const pto_rule_use *);

#endif
