/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in the words and at the places of a program text. */
#ifndef PTO_RUN_PROGRAM_WORDS_H
#define PTO_RUN_PROGRAM_WORDS_H

#include "run/findings.h"
#include "run/machine.h"

/* Both are borrowed. */
typedef struct pto_program_places {
    const pto_code *code;
    const pto_machine_buffer *buffer;
} pto_program_places;

pto_findings_words pto_program_words(const pto_program_places *places);

#endif
