/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the columns of the coverage baseline, tests/data/instructions.tsv, into what can be compared with the
 * table. Words and names point into memory that is never freed: one test reads one file. */
#ifndef PTO_TESTS_BASELINE_H
#define PTO_TESTS_BASELINE_H

#include "isa/isa.h"
#include <pto/ops.h>

enum {
    BASELINE_MNEMONIC,
    BASELINE_FORM,
    BASELINE_FAMILY,
    BASELINE_PART,
    BASELINE_SECTION,
    BASELINE_OPERANDS,
    BASELINE_PIPE,
    BASELINE_CPU,
    BASELINE_A2A3,
    BASELINE_A5,
    BASELINE_AS,
    BASELINE_LEVEL1,
    BASELINE_LEVEL2,
    BASELINE_BLOCK,
    BASELINE_NOTES,
    BASELINE_COLUMNS
};

/* A copy of a text that lives as long as the program. */
char *baseline_copy(const char *text);

typedef struct baseline_row {
    const char *column[BASELINE_COLUMNS];
} baseline_row;

/* One line of instructions.differences: kind | mnemonic | form | field | reason. */
enum { BASELINE_FIELDS = 5 };
typedef struct baseline_difference {
    const char *field[BASELINE_FIELDS];
    bool used;
} baseline_difference;

/* `<Phase?, Relu=NoRelu> dst&, src, tmp*, scalar:T, mode:RoundMode`: operands in order, attributes apart. */
typedef struct baseline_operand {
    const char *name, *type; /* type: "T", "global", ... or "" */
    bool scratch, inout, optional;
} baseline_operand;
typedef struct baseline_operands {
    baseline_operand operand[12];
    int count;
    const char *attribute[12]; /* "Relu", "RoundMode", "isBinary": without default and optional mark */
    int attribute_count;
} baseline_operands;
bool baseline_read_operands(const char *text, baseline_operands *operands);
bool baseline_operand_is(const baseline_operand *operand, const pto_operand_desc *desc);
bool baseline_attribute_is(const char *word, const pto_operand_desc *desc);

typedef struct baseline_words {
    char word[128][48];
    int count;
} baseline_words;
/* Element types: groups are expanded, `f32>f16 bf16` and `f32>{f16 bf16}` become pairs. */
bool baseline_types(const char *text, baseline_words *words);
/* Pipes: `Acc>Mat,Vec:FIX; Vec:V` becomes one word for each pair. */
bool baseline_pipes(const char *text, baseline_words *words);
bool baseline_same_words(const baseline_words *a, const baseline_words *b);

/* A line of text taken apart. */
typedef struct baseline_spelling {
    char opcode[48];
    char result[6][32], operand[12][32], key[12][32];
    bool optional[12];
    int result_count, operand_count, key_count;
} baseline_spelling;
bool baseline_read_spelling(const char *text, baseline_spelling *spelling);
/* Does the pattern of the form read the instance? Attributes may always be left out; a name of the instance
 * that is no operand of the form (%view, %q) stands for any. */
bool baseline_spelling_fits(const baseline_spelling *pattern, const baseline_spelling *instance,
                            const pto_form_desc *form);

#endif
