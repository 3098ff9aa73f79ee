/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of level 3 whose flags, barriers, events and tokens order everything, and their mutants. */
#ifndef PTO_TESTS_SYNC_PROGRAMS_H
#define PTO_TESTS_SYNC_PROGRAMS_H

#include <pto/program.h>

/* @f(%x, %y) of pointers to so many f32. */
enum { SYNC_PROGRAM_ELEMENTS = 64 * 8 };

/* Loads, arithmetic, stores and single elements on tiles that overlap, in loops and conditions; then, until
 * happens_before finds no race, what orders the first one. The caller frees it. */
char *sync_program(uint64_t seed, pto_target target);
/* The same before anything is ordered. */
char *unordered_program(uint64_t seed);

/* Every mutant of a program's synchronisation: a line removed, with another pipe or id, or moved. */
typedef struct sync_mutation {
    char *lines, *mutant;
    char **line;
    size_t count, at, variant;
} sync_mutation;
void sync_mutation_begin(sync_mutation *mutation, const char *text);
const char *sync_mutation_next(sync_mutation *mutation); /* NULL: that was all */
void sync_mutation_end(sync_mutation *mutation);

#endif
