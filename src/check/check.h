/* SPDX-License-Identifier: Apache-2.0 */
/* The checkers of one core: happens-before over pipes (00-model, 11.6), flags and tokens (11.2, 11.7), bytes
 * that nobody wrote. An observer at the door feeds them the accesses of every instruction; the front end
 * feeds them what is no instruction: flags, barriers, scalar accesses. They see one executed path and are
 * exact for it.
 *
 * check.c: clocks, shadows and byte maps; operands.c: which bytes an instruction accesses; sync.c: flags,
 * barriers, tokens, signals.
 *
 * Vector clocks: every pipe of the cube and the vector core counts its operations. clock[p][q] is how many
 * operations of q precede whatever is issued to p next. An access conflicts with an earlier one that it does
 * not follow. */
#ifndef PTO_CHECK_CHECK_H
#define PTO_CHECK_CHECK_H

#include "isa/order.h"
#include <pto/core.h>
#include <pto/options.h>

enum {
    PTO_CHECK_CORES = 2,
    PTO_CHECK_PIPES = PTO_PIPE_COUNT,
    PTO_CHECK_LANES = PTO_CHECK_CORES * PTO_CHECK_PIPES
};
/* Beside the on-chip memories: GM, and the storage of tiles that have no address, both by host address. */
enum {
    PTO_CHECK_GLOBAL = PTO_LOC_COUNT,
    PTO_CHECK_STORAGE = PTO_LOC_COUNT + 1,
    PTO_CHECK_MEMORIES = PTO_LOC_COUNT + 2
};

/* One access of an operation. */
typedef struct pto_check_access {
    uint32_t number; /* of the operation on its lane, from 1 */
    uint8_t lane;    /* core * PTO_CHECK_PIPES + pipe */
    bool write;
    uint8_t atomic; /* pto_scatter_atomic: 0 = no, accesses of one kind do not conflict */
    uint8_t cores;  /* whose memories the instruction names: 1 cube, 2 vector; 0 = none */
    bool instr;     /* of an instruction: operand -1 is its implicit scratch */
    int8_t operand; /* schema position; -1 = none */
    pto_form form;  /* meaningless where it is no instruction */
    int32_t site; /* of the front end's choice, e.g. of the flat op; for places in source files, see below */
    const char *file;
    int32_t line;
    uint32_t turn;    /* the so-manieth execution of the site in the block, from 1 */
    uint32_t block;   /* run of the kernel: block * subblocks + subblock */
    const void *tile; /* the very tile, for rules of one tile; NULL for others */
} pto_check_access;

/* A neighbour in the memory, and who touched it last. */
typedef struct pto_check_neighbour {
    uint64_t begin, end;
    pto_check_access access;
} pto_check_neighbour;
enum { PTO_CHECK_NEIGHBOURS = 5 };

typedef struct pto_check_finding {
    const char *rule;
    pto_check_access first,
        second;          /* second = the access or the flag at hand; first may be empty (number 0) */
    int memory;          /* pto_loc, PTO_CHECK_GLOBAL or PTO_CHECK_STORAGE; -1 = none */
    uint64_t begin, end; /* bytes; of GM relative to the argument, of storage to the tile */
    const char *name;    /* of the argument */
    pto_pipe src, dst;   /* flags: their pipes; races: the flag that would order the two */
    int id;              /* of a flag or token, -1 = none; races: of the flag that would order the two */
    int signal;          /* races: a cross-core signal that the program has not used */
    pto_check_access
        set; /* races: the set of that flag, when only its wait is missing; number 0 = both are */
    /* Two findings of one key are one; `repeats` > 0: it happened so often more, nothing else is new;
     * `retracted`: of advice that does not hold in this block */
    uint64_t key;
    uint32_t repeats;
    bool retracted;
    bool in_part;      /* of the bytes some are meant, not all: the elements tell */
    bool has_elements; /* the bytes in the second access's tile: its rows and columns, both ends included */
    int32_t row[2], col[2];
    pto_check_access writer; /* who wrote the bytes last, number 0 = not known or one of the two */
    pto_check_neighbour map[PTO_CHECK_NEIGHBOURS];
    int map_count;
    /* a cycle of waits: each stands before the set of the one before it; first and second are its first two
     * waits */
    pto_check_access cycle[PTO_CHECK_NEIGHBOURS];
    int cycle_count;
} pto_check_finding;

/* The pipe that executes an instruction, by the memories of its first tile source and its destination; ALL:
 * it drains every pipe and runs on S. */
pto_pipe pto_instr_pipe(const pto_instr *instr);
/* How it updates global memory atomically, a pto_scatter_atomic (0 = not at all): two updates of one kind do
 * not conflict. */
uint8_t pto_instr_atomic(const pto_instr *instr);

/* Unit flags (00-model, 11.5): a product with phase final and the store or move with a phase that takes the
 * same accumulator behind it are ordered as if a flag stood between. */
typedef enum pto_unit { PTO_UNIT_NONE, PTO_UNIT_SETS, PTO_UNIT_TAKES } pto_unit;
enum { PTO_UNITS = 8 }; /* accumulators that are remembered */
/* *acc: the bytes of the accumulator. */
pto_unit pto_instr_unit(const pto_instr *instr, const void **acc);

typedef struct pto_checker pto_checker;

typedef struct pto_check_options {
    pto_target target;
    uint32_t checks; /* pto_check_kind */
    const uint64_t *memory_bytes;
    bool no_data;  /* what memories hold is not known: a table with indices counts as a whole */
    bool one_core; /* a thread that is cube and vector core at once: it signals itself */
    /* once a block for a rule and a pair of sites; at the block's end again for all that have repeats */
    void (*found)(void *user, const pto_check_finding *finding);
    void *user;
    /* may be NULL: every access to GM, bytes by host address */
    void (*global)(void *user, uint64_t begin, uint64_t end, const pto_check_access *access);
    void *global_user;
} pto_check_options;

pto_checker *pto_checker_create(const pto_check_options *options); /* NULL without memory */
void pto_checker_destroy(pto_checker *checker);
/* A new block: everything is forgotten but what was found. */
void pto_checker_begin(pto_checker *checker);
/* The end of a block: flags and tokens that are left. */
void pto_checker_end(pto_checker *checker);
/* The number of the run that begins next, for findings. */
void pto_checker_block(pto_checker *checker, uint32_t block);
/* Where the next operation comes from: a number, or a place in a source file, which gets one. */
void pto_checker_site(pto_checker *checker, int32_t site);
void pto_checker_place(pto_checker *checker, const char *file, int32_t line);
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
/* A tile that is a value moves on chip, as loops and branches carry it: what was written there is written
 * here. */
void pto_checker_copy(pto_checker *checker, pto_loc loc, uint64_t to, uint64_t from, uint64_t bytes);

void pto_checker_set_flag(pto_checker *checker, pto_pipe src, pto_pipe dst, int64_t id);
void pto_checker_wait_flag(pto_checker *checker, pto_pipe src, pto_pipe dst, int64_t id);
void pto_checker_barrier(pto_checker *checker, pto_pipe pipe);
/* The same for one that the compiler has put there: no advice about it. */
void pto_checker_own_barrier(pto_checker *checker, pto_pipe pipe);
void pto_checker_get_buf(pto_checker *checker, pto_pipe pipe, int64_t id);
void pto_checker_rls_buf(pto_checker *checker, pto_pipe pipe, int64_t id);
/* All agents of a launch have met: everything before precedes everything behind, on all of them. */
void pto_checker_meet(pto_checker *checker);
/* The storage of an unassigned tile is given back. */
void pto_checker_forget(pto_checker *checker, const void *storage, size_t bytes);
/* Memory of a tile by its handle, for pto_checker_scalar. */
int pto_checker_tile_memory(pto_checker *checker, const pto_tile *tile, uint64_t *at, uint64_t *base);
/* Signals between the cube and the vector core of the block. */
void pto_checker_signal(pto_checker *checker, pto_pipe pipe, int64_t id);
void pto_checker_await(pto_checker *checker, pto_pipe pipe, int64_t id);

/* The accesses to GM of the block that ended, one piece a range and kind: for races between blocks. */
void pto_checker_each_global(const pto_checker *checker,
                             void (*visit)(void *user, uint64_t begin, uint64_t end,
                                           const pto_check_access *access),
                             void *user);

#endif
