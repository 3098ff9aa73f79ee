/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a checker: what its files share. */
#ifndef PTO_CHECK_CHECKER_H
#define PTO_CHECK_CHECKER_H

#include "check/check.h"
#include "check/shadow.h"

enum { PTO_CHECK_FLAGS = 8, PTO_CHECK_TOKENS = 32, PTO_CHECK_SIGNALS = 32, PTO_CHECK_SEEN = 1024 };

typedef uint32_t pto_check_clock[PTO_CHECK_LANES];

typedef struct pto_check_flag {
    bool up;
    int behind; /* the wait that held its set back, -1 = none */
    pto_check_clock at;
    pto_check_access set; /* who raised it */
} pto_check_flag;

typedef struct pto_check_token {
    bool held, released;
    uint8_t lane;
    pto_check_clock at;
    pto_check_access get;
} pto_check_token;

/* A counter: every signal that no wait has taken yet, in the order in which they were issued. */
typedef struct pto_check_signal_one {
    pto_check_clock at;
    int behind; /* as of a flag */
    pto_check_access set;
} pto_check_signal_one;
typedef struct pto_check_signal {
    uint32_t count, capacity;
    pto_check_signal_one *one;
} pto_check_signal;

/* A wait that found its flag down or its signal missing. It holds back its lane, or its whole core, until a
 * later set comes; that set may itself stand behind such a wait. */
typedef struct pto_check_wait {
    pto_check_access at;
    bool signal, whole_core;
    uint8_t lane;
    pto_pipe src, dst;
    int id;
    bool taken;           /* it found a set, but one that is held back itself */
    bool met;             /* by a set that is free itself, or became so */
    int behind;           /* the wait that the set stands behind; -1 = none, -2 = no set came */
    pto_check_access set; /* the set that came, when one did */
} pto_check_wait;

/* Storage of an unassigned tile: a memory of its own, by host address. */
typedef struct pto_check_storage {
    uint64_t begin, end;
    uint64_t *written;
} pto_check_storage;

/* A barrier in the program: did it ever have work of its pipe to order? */
typedef struct pto_check_barrier {
    pto_check_access at;
    pto_pipe pipe;
    bool useful;
} pto_check_barrier;

struct pto_checker {
    pto_check_options options;
    int core;
    uint32_t block;
    int32_t site;
    const char *file;
    int32_t line;
    pto_check_clock issued;                  /* operations of each lane */
    pto_check_clock before[PTO_CHECK_LANES]; /* what precedes whatever is issued to a lane next */
    pto_check_clock fenced;                  /* of each lane, as its last barrier found it */
    pto_check_flag flags[PTO_CHECK_LANES][PTO_CHECK_PIPES][PTO_CHECK_FLAGS];
    uint32_t signals_used;                          /* in this block, a bit an id */
    uint8_t used[PTO_CHECK_LANES][PTO_CHECK_PIPES]; /* ids that were set in this block, a bit each */
    pto_check_token tokens[PTO_CHECK_TOKENS];
    pto_check_signal signals[PTO_CHECK_CORES][PTO_CHECK_SIGNALS];
    struct { /* the last products with phase final */
        const void *acc;
        pto_check_clock at;
    } unit[PTO_UNITS];
    uint32_t unit_count; /* ever */
    pto_check_wait *wait;
    int wait_count, wait_capacity;
    pto_check_barrier *barrier;
    int barrier_count, barrier_capacity;
    pto_shadow shadow[PTO_CHECK_MEMORIES];
    uint64_t bytes[PTO_LOC_COUNT];    /* of each memory */
    uint64_t *written[PTO_LOC_COUNT]; /* a bit a byte */
    uint64_t *clobbered;              /* of vec, NULL until an implicit scratch was used */
    uint64_t written_begin[PTO_LOC_COUNT],
        written_end[PTO_LOC_COUNT]; /* outside of this range all is unwritten */
    pto_check_storage *storage;     /* in order of address */
    int storage_count, storage_capacity;
    struct {
        pto_loc loc;
        uint64_t begin, end;
    } scratch;
    uint32_t *turns; /* executions of each site in this block */
    int32_t turn_capacity;
    struct { /* places in source files, sites from 0 */
        const char *file;
        int32_t line;
    } * place;
    int32_t place_count, place_capacity;
    int32_t *place_of; /* hash table, twice as large */
    struct {
        uint64_t key;
        uint32_t count;
        const char *rule;
    } seen[PTO_CHECK_SEEN]; /* what was reported in this block */
    uint32_t seen_count;
    /* of the operation at hand */
    pto_check_access now;
    const pto_tile *operand_tile;
    bool undefines; /* what it writes is unspecified: TPREFETCH (30) */
    uint64_t base;  /* of the global operand */
    const char *name;
};

/* Reports a finding; fills in what only the reader of a new one needs. A race has the piece of the shadow
 * where it was met, others NULL. */
void pto_check_tell(pto_checker *c, pto_check_finding *finding, const pto_shadow_page *page,
                    pto_shadow_piece *piece);
/* The executions of the site at hand, this one counted. */
void pto_check_count_turn(pto_checker *c);
/* The place of the operation at hand, for flags and barriers. */
pto_check_access pto_check_here(const pto_checker *c, uint8_t lane);

static inline pto_pipe pto_check_pipe(const pto_check_access *a) {
    return (pto_pipe)(a->lane % PTO_CHECK_PIPES);
}
static inline uint8_t pto_check_lane(const pto_checker *c, pto_pipe pipe) {
    return (uint8_t)(c->core * PTO_CHECK_PIPES + (int)pipe);
}

/* An operation on a lane begins and ends. */
void pto_check_start(pto_checker *c, pto_form form, pto_pipe pipe, const char *file, int32_t line);
void pto_check_finish(pto_checker *c);
/* It accesses bytes of a memory (pto_loc, GLOBAL or STORAGE), as c->now says. */
void pto_check_touch(pto_checker *c, int memory, uint64_t begin, uint64_t end);

/* Unit flags: the product that was issued last sets one, the access that is issued next takes it. */
void pto_check_set_unit(pto_checker *c, pto_pipe pipe, const void *acc);
void pto_check_take_unit(pto_checker *c, pto_pipe pipe, const void *acc);

/* The implicit scratch of an instruction. */
void pto_check_scratch(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end);

/* Byte maps (init.c): what was written, where the checks ask for it. */
static inline bool pto_check_has_maps(const pto_checker *c) {
    return c->options.checks & (PTO_CHECK_INIT | PTO_CHECK_MEMORY);
}
bool pto_check_maps_create(pto_checker *c);
void pto_check_maps_release(pto_checker *c);
void pto_check_maps_begin(pto_checker *c);
/* c->now accesses bytes on chip: writes are noted, reads of unwritten or clobbered bytes told. */
void pto_check_initialised(pto_checker *c, int memory, uint64_t begin, uint64_t end);
/* What the range held is gone. */
void pto_check_clobber(pto_checker *c, pto_loc loc, uint64_t begin, uint64_t end);
/* The host address where the storage of an unassigned tile begins; and the storage is given back: was it
 * known? */
uint64_t pto_check_storage_base(pto_checker *c, const pto_tile *tile);
bool pto_check_drop_storage(pto_checker *c, uint64_t at);
/* Reports what happened more than once in the block. */
void pto_check_count_repeats(pto_checker *c);

/* Everything issued to the pipe, or with PIPE_ALL to all, precedes what comes; whether there was anything. */
bool pto_check_fence(pto_checker *c, pto_pipe pipe);
/* Forgets flags, tokens, signals, waits. */
void pto_check_sync_begin(pto_checker *c);

#endif
