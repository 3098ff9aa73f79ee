/* SPDX-License-Identifier: Apache-2.0 */
/* What can be known of a program without running it: constants, attribute values, tile identities, the shape
 * of views. Verification and lowering ask the same questions here, so that they cannot disagree. */
#ifndef PTO_PROGRAM_FACTS_H
#define PTO_PROGRAM_FACTS_H

#include "isa/legality.h"
#include "program/program.h"

/* ---- constants ----------------------------------------------------------------------------- */

/* The value of an integer (or index) that is a constant, seen through casts and the usual arithmetic. Values
 * are sign-extended, those of unsigned types zero-extended. */
bool pto_fact_int(const pto_value *value, int64_t *number);
/* The value of a float constant, already rounded to its type. */
bool pto_fact_float(const pto_value *value, double *number);
/* A constant operation's value; false when its attribute is missing, of the wrong kind or does not fit. */
bool pto_fact_constant(const pto_operation *op, pto_scalar *scalar);
/* Wraps to `width` bits (1..64): sign-extended, or zero-extended for unsigned types and i1. */
int64_t pto_fact_wrap(int64_t value, unsigned width, bool is_unsigned);
/* Bits of an integer or index type; 0 for others. */
unsigned pto_type_int_width(const pto_type *type);
/* Values of the type are kept zero-extended: uiN and i1. */
bool pto_type_is_zero_extended(const pto_type *type);
/* Rounds to a float type once, nearest even. */
double pto_fact_round(double value, pto_dtype dtype);

/* ---- attributes ---------------------------------------------------------------------------- */

/* The value of an attribute operand of an instruction of a text program (defaults included, 60, 3.9: TCVT
 * without rmode means RINT). False when it is written but has no meaning. */
bool pto_fact_attr(const pto_operation *op, int position, int64_t *value);
/* A pipe attribute ("PIPE_V"); false when it is none of 00-model, 10. */
bool pto_fact_pipe(const pto_attr *attr, pto_pipe *pipe);
/* The pipe of get_buf and rls_buf: of its endpoint, or the one that it names; PTO_PIPE_COUNT for none. */
pto_pipe pto_fact_buffer_pipe(const pto_operation *op);
/* The factor of affine.apply; false when its map is no symbol times a constant (60, 3.3). */
bool pto_fact_affine_factor(const pto_operation *op, int64_t *factor);
/* Integer predicate of arith.cmpi / cmpf from a number or a name; -1 when unknown. */
int pto_fact_predicate(const pto_operation *op);

/* ---- instructions -------------------------------------------------------------------------- */

/* The value at a schema position: the operand, or in SSA text the result that stands for it; NULL = absent.
 */
const pto_value *pto_instr_value(const pto_operation *op, int position);
/* Where the position, or for -1 the instruction, stands in the text. */
pto_span pto_instr_span(const pto_operation *op, int position);
/* Index of the result that stands for an out position, -1 when the position has an operand or nothing. */
int pto_instr_result(const pto_operation *op, int position);
/* The old value whose storage the result takes over (60, 2): acc of read-modify-write instructions, cIn of
 * the matrix family. NULL when the result is a fresh tile or the text is destination-passing. */
const pto_value *pto_instr_old_value(const pto_operation *op);
/* A scratch tile that the text may leave out and the target needs is missing at this position (60, 2). */
bool pto_instr_is_scratch(const pto_operation *op, int position);
/* Chooses the type of a scratch tile that the text left out: the first of a few candidates with which
 * `legality` (all other operands filled in) is accepted. */
bool pto_fact_scratch_type(pto_legality *legality, int position, pto_tile_type *type);

/* The type of a scratch tile that the text leaves out at this position and without which the target refuses
 * the instruction; false when none is needed. */
bool pto_instr_scratch_type(const pto_program *program, pto_target target, const pto_operation *op,
                            int position, pto_tile_type *type);
/* On a2a3 the form clobbers vec bytes [184K, 192K) (00-model, 8.1). */
bool pto_instr_uses_implicit_scratch(const pto_operation *op);

/* ---- tiles and views ----------------------------------------------------------------------- */

/* The value that owns the storage: through treshape, bitcast, tassign and read-modify-write results. A subset
 * is its own root. */
const pto_value *pto_fact_tile_root(const pto_value *tile);
/* The type of a tile's handle. A flat subset of several rows (column-major: columns) is addressed with the
 * pitch of its source, so that is the capacity of its handle, and what it was cut to is its valid region. */
pto_tile_type pto_fact_handle_type(const pto_value *tile);
/* Constant on-chip address of the root's alloc_tile or of a tassign. */
bool pto_fact_tile_addr(const pto_value *tile, uint64_t *addr);

typedef struct pto_view_facts {
    pto_dtype dtype;
    pto_layout layout;
    bool layout_given;     /* written by the user */
    bool layout_ambiguous; /* ND or DN would both fit (60, 4.5) */
    bool column;           /* the last dimension of the view is the constant 1 */
    int rank;
    int64_t shape[5], stride[5]; /* 5-D, padded on the left; PTO_UNKNOWN when not constant */
    const pto_operation *root;   /* make_tensor_view; NULL for memrefs and block arguments */
} pto_view_facts;
/* False when the value is no view. */
bool pto_fact_view(const pto_value *view, pto_view_facts *facts);
/* The layout under which an instruction sees the view: an inferred, ambiguous one-column view takes the
 * blayout of the vec tile that it meets (60, 4.5). */
pto_layout pto_fact_layout_for(const pto_view_facts *facts, const pto_tile_type *tile);
/* Layout inference on constant 5-D shape and stride; `ambiguous` as above. */
pto_layout pto_fact_infer_layout(pto_dtype dtype, const int64_t shape[5], const int64_t stride[5],
                                 bool *ambiguous);

/* ---- synchronisation ----------------------------------------------------------------------- */

typedef enum pto_sync_kind {
    PTO_SYNC_SET,
    PTO_SYNC_WAIT,
    PTO_SYNC_BARRIER, /* of the pipe src */
    PTO_SYNC_GET,     /* buffer tokens */
    PTO_SYNC_RELEASE,
    PTO_SYNC_SIGNAL, /* between cores */
    PTO_SYNC_AWAIT,
    PTO_SYNC_NOTHING
} pto_sync_kind;

typedef struct pto_sync_fact {
    pto_sync_kind kind;
    pto_pipe src, dst;        /* dst of set and wait only, else PTO_PIPE_ALL */
    int64_t id;               /* of the flag, token or signal */
    const pto_value *dynamic; /* the id, where it is a value */
} pto_sync_fact;
/* What a synchronising operation does; NOTHING for the others. */
pto_sync_fact pto_fact_sync(const pto_operation *op);

/* ---- modules ------------------------------------------------------------------------------- */

/* Name of the symbol that an attribute holds, without @; empty when it is none. */
pto_str pto_fact_symbol(const pto_operation *op, const char *attribute);
pto_operation *pto_fact_callee(const pto_program *program, const pto_operation *call);
/* Explicit addresses: some alloc_tile has one (level 3). */
bool pto_fact_has_addresses(const pto_program *program);
/* Calls `visit` for every operation below `op`, in program order, `op` itself excluded. */
void pto_fact_walk(const pto_operation *op, void (*visit)(void *user, const pto_operation *op), void *user);
pto_target pto_fact_target(const pto_program *program, bool has_target, pto_target target);

/* Segment `index` of the operands of a segmented operation: first operand and count (60, 3.9). */
uint32_t pto_fact_segment(const pto_operation *op, uint32_t index, uint32_t *first);

#endif
