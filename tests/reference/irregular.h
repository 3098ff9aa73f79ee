/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting, selection and generators one element at a time, in the words of part 40, 3 to 5. */
#ifndef PTO_TESTS_REFERENCE_IRREGULAR_H
#define PTO_TESTS_REFERENCE_IRREGULAR_H

#include <pto/types.h>

typedef struct reference_pair {
    uint64_t value; /* bits */
    uint32_t index;
} reference_pair;

/* Greater, equal, less as 1, 0, -1: NaN below everything, -0 equal to +0. */
int reference_order(pto_dtype dtype, uint64_t a, uint64_t b);
/* Descending by value, then ascending by index, then by position. */
void reference_sort(pto_dtype dtype, reference_pair *pairs, int count);
/* Takes the largest head, ties by list; stops when all lists are empty, or a list is (exhausted). Returns how
 * many pairs stand in out; taken[t] of them came from list t. */
int reference_merge(pto_dtype dtype, const reference_pair *const *lists, const int *lengths, int count,
                    bool exhausted, reference_pair *out, int *taken);
/* Is position p selected by the pattern, whose text is read right to left? */
bool reference_selected(const char *pattern, int p);
/* The four words of one Philox4x32 block. */
void reference_philox(const uint32_t key[2], const uint32_t counter[4], int rounds, uint32_t word[4]);

#endif
