/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions written as SSA statements: what PTO-AS (60, 1) and level 1 (60, 2) share. A statement is read
 * as text first (operands, attributes, signature), then the form of the table is chosen that fits what stands
 * there, then the operation is made and the types of its results are found. */
#ifndef PTO_TEXT_SSA_H
#define PTO_TEXT_SSA_H

#include "text/parser.h"

#define PTO_SSA_INDEX_LIMIT 5

/* An operand as written: a name, or a literal. */
typedef enum pto_ssa_item_kind {
    PTO_SSA_NAME,
    PTO_SSA_LITERAL, /* a number, true, false */
    PTO_SSA_ADDRESS  /* @tile(0x1000) */
} pto_ssa_item_kind;

typedef struct pto_ssa_item {
    pto_ssa_item_kind kind;
    pto_token token;
    uint32_t number; /* LITERAL, ADDRESS: offset of the number, sign included */
    bool is_float;   /* LITERAL */
    uint32_t end;
    pto_value *value; /* once it is looked up */
    uint32_t index_count;
    struct pto_ssa_item *index; /* `%v[%r, %c]`: names and literals without indices */
} pto_ssa_item;

typedef struct pto_ssa_type {
    const pto_type *type;
    pto_span span;
} pto_ssa_type;
typedef PTO_VEC(pto_ssa_type) pto_ssa_types;

typedef struct pto_ssa_statement {
    pto_text_form text; /* PTO_TEXT_AS or PTO_TEXT_LEVEL1 */
    pto_block *block;   /* where constants of literals go; NULL: there is no place for them */
    pto_token opcode;
    pto_text_results results; /* the names before `=`, or those that destination-first text gave */
    bool destination_first;
    PTO_VEC(pto_ssa_item) item;
    bool signature, arrow;
    pto_ssa_types operand_types, result_types;
    pto_operation *op; /* holds the attributes while the form is open */
} pto_ssa_statement;

/* The words of `mgather.elem.clamp` become attributes; false when the opcode has none. */
bool pto_ssa_take_modes(pto_text_parser *p, pto_ssa_statement *s);
/* Name of an opcode in the table: `tmov.m2l` is found as `tmov`. Returns the first form or -1. */
int pto_ssa_find_opcode(pto_text_form text, pto_str opcode);

/* Reads operands, attributes and signature; the opcode is taken, statement->op is made. False + failed. */
bool pto_ssa_read(pto_text_parser *parser, pto_ssa_statement *statement);
/* The form that fits; -1 after an error. */
int pto_ssa_choose_form(pto_text_parser *parser, const pto_ssa_statement *statement);
/* Chooses the form and fills in the operation, results included; their names are bound. The operation is not
 * appended. NULL + failed. */
pto_operation *pto_ssa_build(pto_text_parser *parser, pto_ssa_statement *statement);

/* The type that the signature writes for result k; NULL when it writes none. */
const pto_type *pto_ssa_written_result(const pto_ssa_statement *statement, uint32_t k, uint32_t results);

/* Gives every slot of the pattern its item, or -1 where an optional one is left out; counts the items of a
 * class that does not fit. False when the number of items is wrong. */
bool pto_ssa_assign(const pto_form_desc *form, const pto_text_pattern *pattern, const pto_ssa_item *items,
                    uint32_t count, int8_t slot[PTO_MAX_OPERANDS], uint32_t *misfits);
/* The same for an instruction that reads its destination: where it fits better the last item is the old
 * value. Returns the number of old values, 0 or 1; *misfits is UINT32_MAX when the number of items is wrong.
 */
uint32_t pto_ssa_assign_old(const pto_form_desc *form, pto_text_form text, const pto_ssa_item *items,
                            uint32_t count, int8_t slot[PTO_MAX_OPERANDS], uint32_t *misfits);
/* Class of a schema position, for a value of a type: unknown types fit everywhere. */
bool pto_ssa_fits(const pto_operand_desc *desc, const pto_type *type);
/* The type written at a use names the tile: what the shorter spelling leaves out is not compared. */
bool pto_ssa_same_tile(const pto_type *definition, const pto_type *written);
/* `true` and `false` as a value of a scalar type. */
const pto_attr *pto_ssa_truth(pto_program *program, bool truth, const pto_type *type);
/* Number of results, operands of a pattern (both lists end with -1). */
uint32_t pto_ssa_count(const int8_t *list, uint32_t limit);
/* The schema position of result 0 when the instruction reads it too (60, 2); -1 otherwise. */
int pto_ssa_read_modify_write(const pto_form_desc *form, pto_text_form text);

#endif
