/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the parser of MLIR-like text (levels 1 to 3, generic form): who parses what. */
#ifndef PTO_TEXT_MLIR_H
#define PTO_TEXT_MLIR_H

#include "text/parser.h"

/* An argument of a block that the text names before the block. */
typedef struct pto_mlir_arg {
    pto_str name;
    pto_span span;
    const pto_type *type;
} pto_mlir_arg;
typedef PTO_VEC(pto_mlir_arg) pto_mlir_args;

typedef PTO_VEC(pto_value *) pto_mlir_values;
typedef PTO_VEC(pto_span) pto_mlir_spans;

/* `{ ... }` into a region (parse_op.c). `args` may be NULL; a label at the start then names the entry block.
 */
bool pto_mlir_parse_region(pto_text_parser *parser, pto_region *region, bool isolated,
                           const pto_mlir_args *args);
/* `"name"(...) ...` */
pto_operation *pto_mlir_parse_generic(pto_text_parser *parser);

/* `%a, %b` (zero or more, up to a token that is no value). */
bool pto_mlir_parse_uses(pto_text_parser *parser, pto_mlir_values *values, pto_mlir_spans *spans);
/* An operation with these operands, of a kind other than INSTR. */
pto_operation *pto_mlir_make(pto_text_parser *parser, pto_op_kind kind, pto_span name,
                             const pto_mlir_values *operands, const pto_mlir_spans *spans, uint32_t results);
/* Checks the types written against the operands, one by one from operand `from`; the numbers must agree. */
bool pto_mlir_check_types(pto_text_parser *parser, pto_operation *op, uint32_t from, uint32_t count,
                          const pto_text_types *types, pto_span span);

/* Names of functions and modules are unique in a module. */
void pto_mlir_check_symbols(pto_text_parser *parser, const pto_operation *module);
/* Custom syntax behind the name of the operation; NULL + failed. */
pto_operation *pto_mlir_parse_module(pto_text_parser *parser, pto_span name);
pto_operation *pto_mlir_parse_func(pto_text_parser *parser, pto_span name);
pto_operation *pto_mlir_parse_return(pto_text_parser *parser, pto_op_kind kind, pto_span name);
pto_operation *pto_mlir_parse_call(pto_text_parser *parser, pto_span name);
pto_operation *pto_mlir_parse_pto(pto_text_parser *parser, pto_op_kind kind, pto_span name);
pto_operation *pto_mlir_parse_flow(pto_text_parser *parser, pto_op_kind kind, pto_span name);
/* The block that a label names in the region that is being read. */
void pto_mlir_skip_loc(pto_text_parser *parser); /* `loc(...)`, if it is there */
pto_block *pto_mlir_label(pto_text_parser *parser, pto_token token);
/* The attributes that the operation needs are there. */
bool pto_mlir_check_props(pto_text_parser *parser, const pto_operation *op);
/* By the syntax of ops.def (syntax.c). */
pto_operation *pto_mlir_parse_syntax(pto_text_parser *parser, pto_op_kind kind, pto_span name);
/* memref.subview and memref.reinterpret_cast (memref.c) */
pto_operation *pto_mlir_parse_memref(pto_text_parser *parser, pto_op_kind kind, pto_span name);
/* Their attributes and operands fit, in generic form; true for any other operation. */
bool pto_mlir_check_memref(pto_text_parser *parser, const pto_operation *op);
pto_operation *pto_mlir_parse_arith(pto_text_parser *parser, pto_op_kind kind, pto_span name);
/* The flags of an arith operation are those of its kind; brings them to their canonical text. */
bool pto_mlir_check_flags(pto_text_parser *parser, pto_operation *op);
/* A region of scf.for or scf.if without values may leave its yield out. */
void pto_mlir_close_with_yield(pto_text_parser *parser, pto_region *region);
pto_operation *pto_mlir_parse_scf(pto_text_parser *parser, pto_op_kind kind, pto_span name);
/* `(%a, %b {..} : T, T)` behind `ins` or `outs`; types may also stand behind each operand, or in parentheses,
 * or once for several tiles. Checks them. Attributes go to `op` (NULL: none allowed). */
typedef struct pto_mlir_group {
    pto_mlir_values values;
    pto_mlir_spans spans;
} pto_mlir_group;
typedef struct pto_mlir_scratch {
    pto_mlir_group in, out;
    pto_text_types types;
    pto_mlir_spans type_spans;
    pto_operation gathered;
} pto_mlir_scratch;
bool pto_mlir_parse_group(pto_text_parser *parser, const char *word, pto_operation *op,
                          pto_mlir_group *group);
/* Level 2 instruction at `ins(`, or `%a, ... : T -> T` when the pattern has results there. */
pto_operation *pto_mlir_parse_instr(pto_text_parser *parser, int form, pto_token opcode);
/* Operands in IR order (generic form) into the schema positions of the best form. */
pto_operation *pto_mlir_place_generic(pto_text_parser *parser, int first_form,
                                      const pto_mlir_values *operands, const pto_mlir_spans *spans,
                                      uint32_t results, const pto_attr *segments, const pto_operation *attrs);
/* IR order of a form: operand positions of inputs and outputs, -1 terminated (60, 3.9). */
void pto_mlir_ir_order(const pto_form_desc *form, int8_t order[PTO_MAX_OPERANDS + 1]);

/* Kinds of arith operations by their syntax. */
typedef enum pto_mlir_arith {
    PTO_ARITH_NOT,
    PTO_ARITH_CONST,
    PTO_ARITH_BINARY,
    PTO_ARITH_UNARY,
    PTO_ARITH_COMPARE,
    PTO_ARITH_CHOOSE,
    PTO_ARITH_CAST
} pto_mlir_arith;
pto_mlir_arith pto_mlir_arith_class(pto_op_kind kind);
/* Predicates of cmpi (10) and cmpf (16) by number. */
extern const char *const pto_mlir_cmpi[10];
extern const char *const pto_mlir_cmpf[16];

#endif
