/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the checkers of a run, from all its workers. */
#ifndef PTO_RUN_FINDINGS_H
#define PTO_RUN_FINDINGS_H

#include "check/check.h"
#include "run/machine.h"

#include <pthread.h>

typedef struct pto_findings_piece {
    uint64_t begin, end; /* host addresses */
    uint32_t block;
    pto_check_access access;
} pto_findings_piece;

typedef struct pto_findings {
    const pto_code *code;
    const pto_machine_buffer *buffer;
    pto_diag_list *diags;
    pthread_mutex_t mutex;
    size_t count;
    /* accesses to GM of all blocks */
    pto_findings_piece *piece;
    size_t piece_count, piece_capacity;
} pto_findings;

void pto_findings_add(pto_findings *findings, const pto_check_finding *finding);
/* Takes the accesses to GM of a block that ended. */
void pto_findings_block(pto_findings *findings, const pto_checker *checker, uint32_t block);
/* When all blocks have run: conflicting accesses of two blocks. */
void pto_findings_between_blocks(pto_findings *findings);

#endif
