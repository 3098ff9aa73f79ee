/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the verifier: its state, how it reports, and the checks by kind of operation. */
#ifndef PTO_PROGRAM_VERIFY_H
#define PTO_PROGRAM_VERIFY_H

#include "program/blocks.h"
#include "program/facts.h"
#include "program/value_map.h"

typedef struct pto_verifier {
    const pto_program *program;
    pto_target target;
    bool strict;
    pto_ptoas ptoas;
    bool has_addresses; /* level 3: some alloc_tile has an address */
    pto_diag_list *diags;
    bool refused;           /* by an error; the list cannot tell: it swallows what it holds already */
    pto_arena *arena;       /* scratch of the verification; has a failure handler */
    pto_value_map seen;     /* values defined so far, in program order */
    pto_value_map consumed; /* values whose storage a read-modify-write took over -> operation */
    pto_value_map resized;  /* roots of tiles that some set_validshape changes */
    pto_value_map open;     /* values whose missing type parameters were reported, or follow from such */
    pto_value_map trees;    /* region of several blocks -> its pto_block_tree */
    unsigned depth;
} pto_verifier;

/* Refuses by a rule. The message is the operation's name and the rule's title; `operand` may be NULL,
 * `allowed` too. The diagnostic is the last one, so notes may follow. */
void pto_verify_refuse(pto_verifier *v, const char *rule, const pto_operation *op, pto_span span,
                       const char *operand, const char *allowed, const char *found_format, ...)
    __attribute__((format(printf, 7, 8)));
/* At operand i of an operation (by IR position), at the result k, at the operation. */
pto_span pto_verify_operand_span(const pto_operation *op, uint32_t i);
pto_span pto_verify_result_span(const pto_operation *op, uint32_t k);
/* A note where the value was declared. */
void pto_verify_note_value(pto_verifier *v, const pto_value *value);
const char *pto_operation_title(const pto_operation *op);
/* A type in words, in `buffer`. */
enum { PTO_TYPE_WORDS = 96 };
const char *pto_type_words(const pto_type *type, char buffer[PTO_TYPE_WORDS]);

/* The counts are right and no operand, result or type is NULL; refuses otherwise (E0404). count -1 = any. */
bool pto_verify_counts(pto_verifier *v, const pto_operation *op, int operands, int results);
bool pto_verify_same_type(pto_verifier *v, const pto_operation *op, uint32_t operand, const pto_type *type);

/* One operation each; regions are walked by the caller. */
void pto_verify_scalar(pto_verifier *v, const pto_operation *op);
void pto_verify_flow(pto_verifier *v, const pto_operation *op);
void pto_verify_tile(pto_verifier *v, const pto_operation *op);
void pto_verify_sync(pto_verifier *v, const pto_operation *op);
/* Operations with a syntax in ops.def; false for others. */
bool pto_verify_dialect(pto_verifier *v, const pto_operation *op);
void pto_verify_instr(pto_verifier *v, const pto_operation *op);
/* The type of a declared tile: parameters given, L1..L6, capacity. */
bool pto_verify_tile_type(pto_verifier *v, const pto_operation *op, pto_span span, const char *name,
                          const pto_type *type);
/* Rules over a whole function after all its operations were seen: implicit scratch of a2a3 (00, 8.1). */
void pto_verify_implicit_scratch(pto_verifier *v, const pto_operation *function);

#endif
