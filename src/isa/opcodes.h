/* SPDX-License-Identifier: Apache-2.0 */
/* The opcodes of the text forms, generated from the table beside it. */
#ifndef PTO_ISA_OPCODES_H
#define PTO_ISA_OPCODES_H

#include "isa/isa.h"

typedef struct pto_opcode {
    const char *name; /* in lower case */
    int16_t form;
} pto_opcode;
/* In alphabetical order; forms of one opcode stand in the order of the table. */
extern const pto_opcode *const pto_opcodes[PTO_TEXT_FORM_COUNT];
extern const int pto_opcode_count[PTO_TEXT_FORM_COUNT];
/* By form: the next one with the same opcode; -1 = it is the last, or has none. */
extern const int16_t *const pto_opcode_next[PTO_TEXT_FORM_COUNT];

#endif
