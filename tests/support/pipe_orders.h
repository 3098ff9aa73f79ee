/* SPDX-License-Identifier: Apache-2.0 */
/* An executor of its own for the programs of random_program.h, independent of the library's checkers, passes
 * and machine: it follows the control flow, notes what every pipe is given, and performs the operations in
 * any order that 00-model, 11.6 allows. Contents are not numbers but hashes: an operation mixes all that it
 * reads into all that it writes, so that any two orders that matter differ in the end. */
#ifndef PTO_TESTS_PIPE_ORDERS_H
#define PTO_TESTS_PIPE_ORDERS_H

#include "program/program.h"

/* The operations, flags and barriers of one run, in the order of their issue. */
typedef struct pipe_trace pipe_trace;

/* Runs the control flow of @f with the value of %n. Every tile has an address (level 3, or the pass "place").
 * Fails the test on anything that it does not know. The program must outlive the trace. */
pipe_trace *pipe_trace_make(const pto_program *program, pto_target target, int64_t n);
void pipe_trace_free(pipe_trace *trace);

/* Flags whose sets and waits belong together are a group, as is each barrier of the text. Groups are numbered
 * from 0; their number is returned. group_of_flag, which the caller frees: by flags and barriers in the order
 * of the text, -1 = never executed with any of the values n[count], -2 behind the last. */
int pipe_groups(const pto_program *program, pto_target target, const int64_t *n, int count,
                int **group_of_flag);

typedef struct pipe_result {
    uint64_t hash; /* of all memories in the end */
    bool misused;  /* a flag was raised while it was up, or left up */
} pipe_result;
/* Performs everything in the order of issue. */
pipe_result pipe_program_order(const pipe_trace *trace);
/* Performs it in a random legal order, without the flags of group `missing` (-1 = with all).
 * group_of_flag: by pipe_groups. */
pipe_result pipe_random_order(const pipe_trace *trace, uint64_t seed, int missing, const int *group_of_flag);

#endif
