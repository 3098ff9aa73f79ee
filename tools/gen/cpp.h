/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ calls of a form: what the `cpp` field of a row says, and what follows from its operands. */
#ifndef PTO_GEN_CPP_H
#define PTO_GEN_CPP_H

#include "gen.h"

enum { GEN_CPP_GROUPS = 8, GEN_CPP_ENTRIES = 12 };

/* One explicit template parameter: of an operand (its type, or an attribute's value), or `+Type` (operand
 * -1). */
typedef struct gen_cpp_entry {
    int operand;
    const char *type; /* of a parameter that the table does not know */
    bool defaulted;   /* the attribute's default value */
} gen_cpp_entry;

typedef struct gen_cpp_group {
    gen_cpp_entry entry[GEN_CPP_ENTRIES];
    int count;
} gen_cpp_group;

typedef struct gen_cpp {
    bool by_hand;
    gen_cpp_group group[GEN_CPP_GROUPS];
    int group_count;
    bool by_pointer[GEN_MAX_OPERANDS];
    const char *value[GEN_MAX_OPERANDS]; /* default argument of a scalar */
    bool is_template[GEN_MAX_OPERANDS];  /* an attribute that is a template parameter */
} gen_cpp;

/* One overload. */
typedef struct gen_cpp_overload {
    const gen_row *row;
    const gen_cpp *cpp;
    const gen_cpp_group *group;
    unsigned left_out;         /* optional operands that it has not, by position */
    bool competes;             /* other overloads differ in the kinds of their operands */
    const gen_row *first_form; /* the forms of the instruction */
    int forms;
} gen_cpp_overload;
bool gen_cpp_has(const gen_cpp_overload *o, int operand);
/* Is the operand among the explicit template parameters? */
bool gen_cpp_listed(const gen_cpp_overload *o, int operand);
/* "typename DstT::DType", "float": the type of a scalar parameter. */
char *gen_cpp_scalar_type(const gen_cpp_overload *o, int operand);
/* Calls `form` for every row and, behind it, `call` for each of its overloads. */
void gen_cpp_each(const gen_table *table, FILE *out, void (*form)(FILE *, const gen_row *),
                  void (*call)(FILE *, const gen_cpp_overload *));

gen_cpp gen_cpp_read(const gen_row *row);
const char *gen_cpp_attr_type(const gen_row *row, const gen_operand *o);
/* "DstT" for dst. */
char *gen_cpp_type_name(const gen_operand *o);
bool gen_cpp_is_tile(const gen_operand *o);
bool gen_cpp_is_global(const gen_operand *o);
/* The trait of the facade that an operand's type has. */
const char *gen_cpp_kind(const gen_operand *o);
/* The first operand of a type variable that has an element type, -1 = none. */
int gen_cpp_variable(const gen_row *row, char variable);

/* cpp_checks.c: struct Check_FORM, whose instantiation checks the operands' types. */
void gen_emit_cpp_checks(FILE *out, const gen_row *row);

#endif
