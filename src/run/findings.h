/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the checkers of a run, from all its workers: collected by kind and place, told in the order of
 * the places. Which front end the places are of is the business of a pto_findings_words. */
#ifndef PTO_RUN_FINDINGS_H
#define PTO_RUN_FINDINGS_H

#include "check/check.h"
#include "run/suppress.h"
#include <pto/diag.h>

#include <pthread.h>

/* How a front end speaks of an access. */
typedef struct pto_findings_words {
    void *user;
    pto_where (*where)(void *user, const pto_check_access *access);
    /* Mnemonic of its instruction or operation; NULL = not known. */
    const char *(*title)(void *user, const pto_check_access *access);
    /* The argument that holds an address of GM, and where it begins; NULL = none. May be NULL. */
    const char *(*argument)(void *user, uint64_t at, uint64_t *base);
    bool source_code; /* fixes are lines of C, else of a program text */
} pto_findings_words;

typedef struct pto_findings_piece {
    uint64_t begin, end; /* host addresses */
    uint32_t phase;      /* between two meetings of all agents */
    pto_check_access access;
} pto_findings_piece;

typedef struct pto_findings_record {
    pto_check_finding finding; /* of the lowest run that has it; its name is owned */
    uint64_t count;
    bool retracted;
} pto_findings_record;

typedef struct pto_findings {
    pto_target target;
    pto_findings_words words;
    pto_suppressions *suppressions; /* not owned; may be NULL */
    pthread_mutex_t mutex;
    pto_findings_record *record;
    size_t record_count, record_capacity;
    /* accesses to GM of all runs */
    pto_findings_piece *piece;
    size_t piece_count, piece_capacity;
} pto_findings;

bool pto_findings_init(pto_findings *findings, pto_target target, const pto_findings_words *words,
                       pto_suppressions *suppressions);
void pto_findings_release(pto_findings *findings);

/* `found` of pto_check_options. */
void pto_findings_add(void *findings, const pto_check_finding *finding);
/* Takes the accesses to GM of a run that ended, or of its phase between two meetings of all agents. */
void pto_findings_block(pto_findings *findings, const pto_checker *checker, uint32_t phase);
/* When all runs of a launch have ended: conflicting accesses of two of them. Forgets the accesses. */
void pto_findings_between_blocks(pto_findings *findings);
/* Tells everything, in the order of the places, and forgets it; how many findings, advice not counted. */
size_t pto_findings_tell(pto_findings *findings, pto_diag_list *diags);

/* One record in words (findings_words.c); whether it was kept. */
bool pto_findings_words_of(const pto_findings *findings, const pto_findings_record *record,
                           pto_diag_list *diags);
const char *pto_findings_title(const pto_findings *findings, const pto_check_finding *finding,
                               const pto_check_access *access);

#endif
