/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into the block tests with --wrap: which operations they executed with which types, written to the
 * file that PTO_LEDGER names when the program exits: "TADD <tab> FP32 <tab> blocks". */
#include "block/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long executed[PTO_BLOCK_OP_COUNT][32];

static void write_ledger(void) {
    FILE *file = fopen(getenv("PTO_LEDGER"), "w");
    if (!file)
        return;
    for (size_t op = 0; op < PTO_BLOCK_OP_COUNT; op++)
        for (unsigned type = 0; type < 32; type++)
            if (executed[op][type])
                fprintf(file, "%s\t%s\t%lu\n", pto_block_op_get(op)->name, pto_block_type_name(type),
                        executed[op][type]);
    fclose(file);
}

static bool note(const pto_block_job *job, bool done) {
    for (size_t op = 0; done && op < PTO_BLOCK_OP_COUNT; op++)
        if (pto_block_op_get(op) == job->op)
            executed[op][job->type & 31]++;
    return done;
}

__attribute__((constructor)) static void start(void) {
    if (getenv("PTO_LEDGER"))
        atexit(write_ledger);
}

#define WRAP(name)                                                                                           \
    bool __real_pto_block_run_##name(pto_block_job *job);                                                    \
    bool __wrap_pto_block_run_##name(pto_block_job *job);                                                    \
    bool __wrap_pto_block_run_##name(pto_block_job *job) {                                                   \
        return note(job, __real_pto_block_run_##name(job));                                                  \
    }
WRAP(elementwise)
WRAP(irregular)
WRAP(memory)
WRAP(cube)
