/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles, global tensors and one decoded instruction: what every front end hands to the door. */
#ifndef PTO_INSTR_H
#define PTO_INSTR_H

#include <pto/types.h>

PTO_BEGIN_DECLS

/* An instruction, PTO_OP_TADD; one of its call forms, PTO_FORM_TADD. The enumerators are in <pto/ops.h>,
 * generated from the table. */
typedef uint16_t pto_op;
typedef uint16_t pto_form;

/* A tile: its type, its run-time valid extents (elements) and where its bytes are.
 * `data` is the host address of element 0. `addr` is the on-chip byte offset in the memory of
 * `type.loc`. An unassigned tile (data == NULL) gets storage at its first use from the core that
 * executes it and keeps it until the core is destroyed or reset. Copies share storage once assigned. */
typedef struct pto_tile {
    pto_tile_type type;
    int32_t valid_rows, valid_cols;
    void *data;
    uint64_t addr;
    bool assigned; /* placed by TASSIGN or by the planner: addr is meaningful */
    uint64_t room; /* a view of another tile: bytes from `data` to the end of that tile; 0 = the capacity */
} pto_tile;

/* A global tensor (00-model, 6): always 5-D, strides in elements. `begin`/`end` bound the bytes
 * that may be touched (the argument's buffer); both NULL = unchecked raw pointer. */
typedef struct pto_global {
    pto_dtype dtype;
    pto_layout layout;
    int64_t shape[5];
    int64_t stride[5];
    void *data; /* element (0,0,0,0,0) */
    const void *begin, *end;
    const char *name; /* the argument it belongs to, for messages; may be NULL */
    bool read_only;
} pto_global;

/* A scalar operand or attribute value. Integers hold 64 bits, floats a double (exact for every
 * 8/16/32-bit format); the kernel converts to the element type as the spec says (20, 2). */
typedef struct pto_scalar {
    pto_dtype dtype; /* PTO_DTYPE_NONE: an attribute (enum or bool in i) */
    int64_t i;
    double f;
} pto_scalar;

/* How many structures a merge took from each list: MrgSortExecutedNumList (40, 3.2). */
typedef struct pto_merge_counts {
    uint16_t list[4];
} pto_merge_counts;

#define PTO_MAX_OPERANDS 8

typedef enum pto_operand_kind {
    PTO_OPERAND_ABSENT = 0, /* an optional operand that is not given */
    PTO_OPERAND_TILE,
    PTO_OPERAND_GLOBAL,
    PTO_OPERAND_SCALAR,
    PTO_OPERAND_COUNTS
} pto_operand_kind;

typedef struct pto_operand {
    pto_operand_kind kind;
    union {
        pto_tile *tile;
        pto_global *global;
        pto_scalar scalar;
        pto_merge_counts *counts;
    };
} pto_operand;

/* One instruction, decoded: operand i stands at position i of the form's schema in the table. */
typedef struct pto_instr {
    pto_form form;
    pto_operand operand[PTO_MAX_OPERANDS];
    /* where it came from, for diagnostics; all optional */
    const char *file;
    int32_t line, column;
    /* legality of the static part was decided before (a verified program): only what depends on
     * run-time values is checked again */
    bool verified;
} pto_instr;

PTO_END_DECLS
#endif
