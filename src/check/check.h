/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers of one core: happens-before over pipes (00-model, 11.6), flags and tokens (11.2, 11.7), bytes
 * that nobody wrote. An observer at the door feeds them the accesses of every instruction; the front end
 * feeds them what is no instruction: flags, barriers, scalar accesses. They see one executed path and are
 * exact for it.
 *
 * Vector clocks: every pipe of the cube and the vector core counts its operations. clock[p][q] is how many
 * operations of q precede whatever is issued to p next. An access conflicts with an earlier one that it does
 * not follow. */
#ifndef PTO_CHECK_CHECK_H
#define PTO_CHECK_CHECK_H

#include <pto/core.h>
#include <pto/options.h>

enum {
    PTO_CHECK_CORES = 2,
    PTO_CHECK_PIPES = PTO_PIPE_COUNT,
    PTO_CHECK_LANES = PTO_CHECK_CORES * PTO_CHECK_PIPES
};
enum { PTO_CHECK_GLOBAL = PTO_LOC_COUNT, PTO_CHECK_MEMORIES = PTO_LOC_COUNT + 1 }; /* GM, by host address */

/* One access of an operation. */
typedef struct pto_check_access {
    uint32_t number; /* of the operation on its lane, from 1 */
    uint8_t lane;    /* core * PTO_CHECK_PIPES + pipe */
    bool write, atomic;
    int8_t operand; /* schema position; -1 = none */
    pto_form form;  /* meaningless for scalar accesses: operand -1 */
    int32_t site;   /* number of the front end's choice, e.g. of the flat op */
    const char *file;
    int32_t line;
    const void *tile; /* the very tile, for rules of one tile; NULL for others */
} pto_check_access;

typedef struct pto_check_finding {
    const char *rule;
    pto_check_access first,
        second;          /* second = the access or the flag at hand; first may be empty (number 0) */
    int memory;          /* pto_loc or PTO_CHECK_GLOBAL */
    uint64_t begin, end; /* bytes; of GM relative to the argument */
    const char *name;    /* of the argument */
    pto_pipe src, dst;   /* flags: their pipes; races: the flag that would order the two */
    int id;              /* of a flag or token, -1 = none */
} pto_check_finding;

/* Whether a pipe finishes its operations in program order (00-model, 11.6 E1). */
bool pto_pipe_is_ordered(pto_target target, pto_pipe pipe);
/* The pipe that executes an instruction, by the memories of its first tile source and its destination; ALL:
 * it drains every pipe and runs on S. */
pto_pipe pto_instr_pipe(const pto_instr *instr);
/* It adds to global memory atomically: two such additions do not conflict. */
bool pto_instr_is_atomic(const pto_instr *instr);

typedef struct pto_checker pto_checker;

typedef struct pto_check_options {
    pto_target target;
    uint32_t checks; /* pto_check_kind */
    const uint64_t *memory_bytes;
    void (*found)(void *user, const pto_check_finding *finding); /* once for a rule and a pair of sites */
    void *user;
} pto_check_options;

pto_checker *pto_checker_create(const pto_check_options *options); /* NULL without memory */
void pto_checker_destroy(pto_checker *checker);
/* A new block: everything is forgotten but what was found. */
void pto_checker_begin(pto_checker *checker);
/* The end of a block: flags and tokens that are left. */
void pto_checker_end(pto_checker *checker);
/* Where the next operation comes from. */
void pto_checker_site(pto_checker *checker, int32_t site);
/* Which core the next operations run on: 0 cube (or the only one), 1 vector. */
void pto_checker_core(pto_checker *checker, int core);

/* The observer of the door: `before` of pto_observer. */
void pto_checker_instr(void *checker, const pto_core *core, const pto_instr *instr);
/* A scalar access, on the pipe S; memory GLOBAL: `at` is the host address, base and name are the argument's.
 */
void pto_checker_scalar(pto_checker *checker, int memory, uint64_t at, uint64_t bytes, bool write,
                        uint64_t base, const char *name);
/* Bytes that an operation writes beside its operands: the implicit scratch of a2a3. For the next instruction.
 */
void pto_checker_scratch(pto_checker *checker, pto_loc loc, uint64_t begin, uint64_t end);

/* On-chip bytes that hold an argument when the block begins. */
void pto_checker_preset(pto_checker *checker, pto_loc loc, uint64_t begin, uint64_t end);

void pto_checker_set_flag(pto_checker *checker, pto_pipe src, pto_pipe dst, int64_t id);
void pto_checker_wait_flag(pto_checker *checker, pto_pipe src, pto_pipe dst, int64_t id);
void pto_checker_barrier(pto_checker *checker, pto_pipe pipe);
void pto_checker_get_buf(pto_checker *checker, pto_pipe pipe, int64_t id);
void pto_checker_rls_buf(pto_checker *checker, pto_pipe pipe, int64_t id);
/* Signals between the cube and the vector core of the block. */
void pto_checker_signal(pto_checker *checker, pto_pipe pipe, int64_t id);
void pto_checker_await(pto_checker *checker, pto_pipe pipe, int64_t id);

/* The accesses to GM of the block that ended, one piece a range and kind: for races between blocks. */
void pto_checker_each_global(const pto_checker *checker,
                             void (*visit)(void *user, uint64_t begin, uint64_t end,
                                           const pto_check_access *access),
                             void *user);

#endif
