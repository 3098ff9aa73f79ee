/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ overloads of every form, as data: what <pto/common/instr_forms.hpp> declares. Generated from the
 * table by tools/gen. */
#ifndef PTO_EMIT_CALLS_H
#define PTO_EMIT_CALLS_H

#include "isa/isa.h"

enum { PTO_CPP_MAX_ENTRIES = 12 };

/* One overload. Its parameters are the operands in schema order, without those that are template parameters.
 */
typedef struct pto_cpp_call {
    uint8_t left_out;                  /* operands that it does not take, bit = position */
    uint8_t entry_count;               /* explicit template arguments: operands, of tiles their types */
    int8_t entry[PTO_CPP_MAX_ENTRIES]; /* trailing ones with a default may be left out */
    uint16_t defaulted;                /* bit = index in entry[] */
} pto_cpp_call;

typedef struct pto_cpp_form {
    const pto_cpp_call *call;
    uint8_t call_count;                      /* 0: written by hand in <pto/common/pto_instr.hpp> */
    uint8_t by_pointer;                      /* operands passed by pointer, bit = position */
    uint8_t is_template;                     /* attributes that are template parameters only */
    const char *attr_type[PTO_MAX_OPERANDS]; /* "RoundMode"; "auto" where the value's type decides */
} pto_cpp_form;

extern const pto_cpp_form pto_cpp_table[]; /* by pto_form */

#endif
