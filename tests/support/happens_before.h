/* SPDX-License-Identifier: Apache-2.0 */
/* The happens-before relation of one executed block, by its definition and by brute force
 * (00-model, 11.6, 11.7): every event, every pair of events that an edge ties, the transitive closure, every
 * pair of accesses. Slow. */
#ifndef PTO_TESTS_HAPPENS_BEFORE_H
#define PTO_TESTS_HAPPENS_BEFORE_H

#include <pto/program.h>

typedef struct hb_verdict {
    size_t events;
    size_t races;                     /* conflicting pairs without a path */
    unsigned first_line, second_line; /* of the first such pair */
    pto_pipe first_pipe, second_pipe;
    size_t misuse; /* waits without set, sets of a flag that is up, flags and tokens left or held twice */
} hb_verdict;

/* Executes an entry (NULL = by the rule) in program order, one block, and judges it. */
hb_verdict happens_before(pto_program *program, const char *entry, pto_target target,
                          const pto_argument *arguments, size_t count);

#endif
