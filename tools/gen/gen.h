/* SPDX-License-Identifier: Apache-2.0 */
/* pto-gen: reads the instruction table and writes the C that is derived from it. A build tool: it
 * prints and exits on a mistake in the table, naming the line. */
#ifndef PTO_GEN_H
#define PTO_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GEN_MAX_OPERANDS 8
#define GEN_MAX_RULES 32
#define GEN_MAX_COMBOS 96
#define GEN_MAX_ROWS 512

enum { GEN_CPU, GEN_A2A3, GEN_A5, GEN_TARGETS };
enum { GEN_AS, GEN_LEVEL1, GEN_LEVEL2, GEN_TEXTS };

typedef struct gen_operand {
    char *name, *role, *type; /* type: "T", "f32", "*" or, for an attribute, its kind */
    bool optional;
    char *attr_default, *attr_key;
} gen_operand;

typedef struct gen_rule {
    char *name;
    const char *ids;  /* of the refusals that its function can give */
    const char *text; /* from the table's `rule` lines */
    unsigned targets;
    int arg_count;
    int arg[6];
} gen_rule;

typedef struct gen_combo {
    uint32_t set[6]; /* T S D A B I */
} gen_combo;

typedef struct gen_text {
    char *spelling, *opcode;
    int result[6], result_count;
    int operand[GEN_MAX_OPERANDS], operand_count;
    unsigned optional_mask;
    int attr[GEN_MAX_OPERANDS], attr_count;
    bool attr_in_ins;
    int indexed;
} gen_text;

typedef struct gen_row {
    int line;
    char *mnemonic, *form, *id; /* id: TDIVS, TDIVS_SCALAR_TILE: enum and function name */
    char *summary, *spec, *family, *notes, *kernel, *block, *pipe, *cpp;
    char *types[GEN_TARGETS];
    bool types_any[GEN_TARGETS];
    gen_combo combo[GEN_TARGETS][GEN_MAX_COMBOS];
    int combo_count[GEN_TARGETS];
    gen_operand operand[GEN_MAX_OPERANDS];
    int operand_count;
    gen_rule rule[GEN_MAX_RULES];
    int rule_count;
    char *text_field[GEN_TEXTS];
    gen_text text[GEN_TEXTS];
    int op; /* index of the mnemonic */
} gen_row;

/* A block of src/isa/reference: what the page of an instruction says beyond its rows. Lines end in \n; NULL =
 * none. */
typedef struct gen_doc {
    char *formula, *text, *scratch, *examples;
} gen_doc;

typedef struct gen_table {
    gen_row *row;
    int row_count;
    char **op; /* mnemonics in order of first appearance */
    int *op_first, *op_forms;
    int op_count;
    gen_doc *doc;     /* by op */
    const char *root; /* of the source tree; only coverage looks there */
} gen_table;

/* table.c */
_Noreturn void gen_fail(int line, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void gen_fail_in(const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *gen_alloc(size_t size);
char *gen_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *gen_lower(const char *s);
int gen_operand_index(const gen_row *row, const char *name, size_t len);
int gen_var_index(char var); /* position of T S D A B I, -1 otherwise */
gen_table gen_read(const char *path);

/* types.c */
void gen_types(gen_row *row, const char *field);
/* text.c: fills row->text from the fields or from the regular patterns. */
void gen_texts(gen_row *row);

/* reference.c: fills table->doc from src/isa/reference and the ids of rules from src/isa/rules_*.c. */
void gen_reference(gen_table *table);

/* A C string literal, or NULL. */
void gen_string(FILE *out, const char *s);
/* emit.c, functions.c, cpp.c, cpp_test.c, cpp_calls.c, examples.c, coverage.c: each writes one file. */
void gen_emit_ops(const gen_table *table, FILE *out);
void gen_emit_kernels(const gen_table *table, FILE *out);
void gen_emit_table(const gen_table *table, FILE *out);
void gen_emit_functions_header(const gen_table *table, FILE *out);
void gen_emit_macros(const gen_table *table, FILE *out);
void gen_emit_functions_source(const gen_table *table, FILE *out);
void gen_emit_examples(const gen_table *table, FILE *out);
void gen_emit_coverage(const gen_table *table, FILE *out);
void gen_emit_cpp(const gen_table *table, FILE *out);
void gen_emit_cpp_test(const gen_table *table, FILE *out);
void gen_emit_cpp_calls(const gen_table *table, FILE *out);

#endif
