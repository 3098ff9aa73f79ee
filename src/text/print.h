/* SPDX-License-Identifier: Apache-2.0 */
/* What the printers of all text forms share: names, types, attributes, lines (60, 3.7). */
#ifndef PTO_TEXT_PRINT_H
#define PTO_TEXT_PRINT_H

#include "base/sink.h"
#include "base/vec.h"
#include "program/program.h"

/* ---- types and attributes (print_value.c) ---- */
void pto_text_print_type(pto_sink *sink, const pto_type *type); /* NULL prints `none` */
void pto_text_print_types(pto_sink *sink, const pto_type *const *types, uint32_t count);
/* T, or (T, T), or (). */
void pto_text_print_type_group(pto_sink *sink, const pto_type *const *types, uint32_t count);
void pto_text_print_attr(pto_sink *sink, const pto_attr *attr);
/* Number of a constant without its type; NaN and Inf as bits. */
void pto_text_print_number(pto_sink *sink, const pto_attr *attr);
void pto_text_print_string(pto_sink *sink, pto_str text); /* quoted and escaped */
void pto_text_print_symbol(pto_sink *sink, pto_str name); /* @name or @"name" */
void pto_text_print_key(pto_sink *sink, pto_str key);     /* of an attribute, quoted where it must be */
void pto_text_print_named_attr(pto_sink *sink, const pto_named_attr *attr);
/* Opens with `open`, which holds the brace, if there is an attribute that is not in `but` (blank separated,
 * may be NULL). False when there is none: nothing is printed. */
bool pto_text_print_attr_dict(pto_sink *sink, const pto_operation *op, const char *but, const char *open);
void pto_text_print_attrs(pto_sink *sink, const pto_operation *op); /* `{a = 1, b}` of all, if any */

/* A convolution tile, with its parameters or without. */
void pto_text_print_conv(pto_sink *sink, const pto_type *type, bool parameters);
/* `open fmap_h = 8, ...`; false when all are at their defaults: nothing is printed. */
bool pto_text_print_conv_parameters(pto_sink *sink, const pto_type *type, const char *open);

/* ---- programs ---- */
typedef struct pto_print_scope pto_print_scope;

typedef struct pto_text_printer {
    pto_sink sink;
    const pto_program *program;
    pto_diag_list *diags;
    pto_dialect dialect;
    unsigned indent; /* levels of two blanks */
    pto_arena arena; /* names; has a failure handler while printing */
    pto_map names;   /* address of a value -> its printed name */
    pto_map used;    /* printed names that are visible here -> 1 */
    pto_print_scope *scope;
    uint32_t next_number;
    bool failed; /* something cannot be printed in this form: reported */
} pto_text_printer;

void pto_print_text(pto_text_printer *printer, const char *text);
void pto_print_str(pto_text_printer *printer, pto_str text);
void pto_print_newline(pto_text_printer *printer); /* ends the line and indents the next one */

/* Names are given at the definition: the value's own, a number, or its own with a suffix where it is taken.
 */
void pto_print_push_scope(pto_text_printer *printer, bool isolated);
void pto_print_pop_scope(pto_text_printer *printer);
void pto_print_name_value(pto_text_printer *printer, const pto_value *value);
void pto_print_name_results(pto_text_printer *printer, const pto_operation *op);
void pto_print_results(pto_text_printer *printer, const pto_operation *op); /* names them; `%a, %b = ` */
void pto_print_value(pto_text_printer *printer, const pto_value *value);    /* %name */
pto_str pto_print_name_of(const pto_text_printer *printer, const pto_value *value);         /* without % */
void pto_print_values(pto_text_printer *printer, pto_value *const *values, uint32_t count); /* with commas */

void pto_print_value_types(pto_text_printer *printer, pto_value *const *values, uint32_t count);

/* Reports PTO-E0250 at the operation and sets failed. */
void pto_print_refuse(pto_text_printer *printer, const pto_operation *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same as above for the sink of a printer; dictionaries open with a blank. */
static inline void pto_print_type(pto_text_printer *printer, const pto_type *type) {
    pto_text_print_type(&printer->sink, type);
}
static inline void pto_print_attr(pto_text_printer *printer, const pto_attr *attr) {
    pto_text_print_attr(&printer->sink, attr);
}
static inline void pto_print_number(pto_text_printer *printer, const pto_attr *attr) {
    pto_text_print_number(&printer->sink, attr);
}
static inline void pto_print_string(pto_text_printer *printer, pto_str text) {
    pto_text_print_string(&printer->sink, text);
}
static inline void pto_print_symbol(pto_text_printer *printer, pto_str name) {
    pto_text_print_symbol(&printer->sink, name);
}
static inline void pto_print_attr_dict(pto_text_printer *printer, const pto_operation *op, const char *but) {
    pto_text_print_attr_dict(&printer->sink, op, but, " {");
}

/* Operations of MLIR-like text (print_mlir.c): levels 1 and 2 differ in the instructions of the table alone.
 */
void pto_print_operation(pto_text_printer *printer, const pto_operation *op);
bool pto_print_flow(pto_text_printer *printer, const pto_operation *op);   /* false for other operations */
bool pto_print_memref(pto_text_printer *printer, const pto_operation *op); /* likewise */
void pto_print_label(pto_text_printer *printer, const pto_block *block);
void pto_print_syntax(pto_text_printer *printer, const pto_operation *op); /* by ops.def; without results */
void pto_print_generic(pto_text_printer *printer, const pto_operation *op);
/* The operands at these positions (-1 terminated) that are there. */
uint32_t pto_print_present(const pto_operation *op, const int8_t *positions, pto_value **values);
void pto_print_region(pto_text_printer *printer, const pto_region *region, bool isolated, bool entry_label,
                      bool hide_yield);

/* One level 1 instruction with its results, without its line end (print.c, by ssa_print.h). */
void pto_print_level1_instr(pto_text_printer *printer, const pto_operation *op);

#endif
