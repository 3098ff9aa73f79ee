/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the block machine (70, 2, 3 and 7). */
#ifndef PTO_BLOCK_MACHINE_H
#define PTO_BLOCK_MACHINE_H

#include "block/text.h"
#include <pto/block.h>
#include <pto/core.h>

/* ---- header state of a tile block ---- */

typedef struct pto_block_source {
    uint8_t queue, distance;
    bool reuse;
} pto_block_source;

typedef struct pto_block_state {
    const pto_block_op *op;
    uint8_t type;
    bool has_datr, has_catr, last, trap;
    uint8_t cmode, pad, sat, canon, type2, rmode, layout, dr;
    bool dim_given[3];
    uint8_t dim_reg[3];
    uint32_t dim_imm[3];
    uint8_t iot_count, source_count, result_count, ior_count;
    bool extra_source, extra_result; /* more than can be kept */
    pto_block_source source[PTO_BLOCK_MAX_SOURCES];
    struct {
        uint8_t queue, size;
    } result[PTO_BLOCK_MAX_RESULTS];
    uint8_t reg[PTO_BLOCK_MAX_REGS]; /* slots of all B.IOR in order, 0 = not used */
    uint8_t reg_dst;
} pto_block_state;

/* ---- tiles ---- */

typedef struct pto_block_entry {
    bool live, predicate;
    bool holes;                 /* some element of the valid region is undefined */
    bool all_defined;           /* so is everything outside of it */
    uint8_t type, layout, size; /* size code */
    int32_t rows, cols, valid_rows, valid_cols;
    uint8_t *data;
} pto_block_entry;

enum { PTO_BLOCK_DEPTH = 16 };

typedef struct pto_block_queue {
    uint64_t pushes;
    pto_block_entry entry[PTO_BLOCK_DEPTH]; /* push number n is at n % 16 */
} pto_block_queue;

static inline uint64_t pto_block_size_bytes(unsigned code) { return UINT64_C(16) << code; }
/* The element at (row, col) of a layout, in elements from the start (3.5). */
int64_t pto_block_offset(unsigned layout, unsigned bits, int64_t rows, int64_t cols, int64_t row,
                         int64_t col);

/* ---- code ---- */

/* One decoded instruction, small. */
typedef struct pto_block_code {
    uint8_t form; /* CODE_NEW not decoded yet, CODE_ILLEGAL */
    uint8_t bytes, d, l, r, p, shift, extend;
    int64_t imm; /* immediate or target */
} pto_block_code;
enum { CODE_NEW = 255, CODE_ILLEGAL = 254 };
_Static_assert((int)PTO_BLOCK_FORM_COUNT < (int)CODE_ILLEGAL, "form numbers fit");

/* The header of a tile block that was read before and found sound: what follows the BSTART. */
typedef struct pto_block_plan {
    bool tried, sound;
    uint32_t bytes, count; /* of the header with its BSTART */
    pto_block_state state;
} pto_block_plan;

typedef enum pto_block_kind { BLOCK_NONE, BLOCK_STD, BLOCK_FP, BLOCK_SYS, BLOCK_TILE } pto_block_kind;
typedef enum pto_block_transfer {
    TRANSFER_FALL,
    TRANSFER_DIRECT,
    TRANSFER_COND,
    TRANSFER_CALL,
    TRANSFER_IND,
    TRANSFER_ICALL,
    TRANSFER_RET
} pto_block_transfer;

typedef struct pto_block_region {
    uint64_t address;
    size_t size;
    uint8_t *host;
    bool read_only, code;
} pto_block_region;

enum { PTO_BLOCK_MAX_REGIONS = 64 };

struct pto_block_machine {
    pto_block_profile profile;
    pto_core *core;
    uint64_t pc, gpr[32];            /* R0 stays 0; 24..31 are not used */
    uint64_t queue_t[4], queue_u[4]; /* newest first */
    unsigned fflags, exit_code;
    uint64_t executed;
    /* the active block */
    pto_block_kind kind;
    pto_block_transfer transfer;
    uint64_t bpc, target, bpcn;
    bool taken, condition_set, target_set, scalar_seen, has_catr, trap;
    const pto_block_state *state; /* &building or that of a plan */
    pto_block_state building;
    /* tiles */
    pto_block_queue queue[4];
    uint8_t *free_tiles[16]; /* by size code, linked through their first bytes */
    uint64_t live_bytes;
    unsigned live_count;
    struct {
        bool live;
        uint8_t type; /* FP32, S32, U32 */
        int32_t rows, cols;
        uint8_t *data; /* row-major, 4-byte elements */
        size_t capacity;
    } acc;
    /* memory and code */
    pto_block_region region[PTO_BLOCK_MAX_REGIONS];
    int region_count;
    uint64_t image_address;
    size_t image_size;
    uint8_t *image;
    pto_block_code *code; /* per halfword of the image */
    pto_block_plan **plan;
    void *staging;
    size_t staging_bytes;
    /* the last fault */
    pto_block_fault_info fault;
    char fault_operand[24], fault_text[192];
    pto_write_fn trace;
    void *trace_context;
    /* told of every access to memory, at its probe; NULL = nobody (run/block_watch.c) */
    void (*watch)(void *user, const uint8_t *host, uint64_t size, bool write);
    void *watch_user;
};

/* Records a fault; false. */
bool pto_block_raise(pto_block_machine *machine, pto_block_fault fault, const char *rule, const char *operand,
                     const char *format, ...) PTO_PRINTF(5, 6);

/* The host bytes of [address, address + size), NULL unless one region holds all of them. */
uint8_t *pto_block_memory(const pto_block_machine *machine, uint64_t address, uint64_t size, bool write);
/* The same for bytes of which not all may be accessed: nobody is told. */
uint8_t *pto_block_span(const pto_block_machine *machine, uint64_t address, uint64_t size, bool write);
/* After a store into the image: everything is decoded again. */
void pto_block_forget_code(pto_block_machine *machine);

/* Adds a header instruction to the state of a tile block; the rule of BUNDLE that it breaks, or NULL. */
const char *pto_block_add_header(pto_block_state *state, const pto_block_instr *instr);

/* The first attribute that the operation does not take, NULL: none (header.c). */
const char *pto_block_wrong_attribute(const pto_block_state *state);
/* The type of the second attribute, or the first one's; does it mean something to the operation? */
unsigned pto_block_second_type(const pto_block_state *state);
bool pto_block_second_type_fits(const pto_block_state *state);

/* A buffer of a size code, 64-byte aligned, contents undefined; NULL without memory. */
uint8_t *pto_block_take(pto_block_machine *machine, unsigned size);
void pto_block_give(pto_block_machine *machine, uint8_t *data, unsigned size);
/* NULL: never written or released. */
pto_block_entry *pto_block_find_entry(pto_block_machine *machine, unsigned queue, unsigned distance);
void pto_block_push_entry(pto_block_machine *machine, unsigned queue, const pto_block_entry *entry);
void pto_block_release_entry(pto_block_machine *machine, pto_block_entry *entry);

/* Runs the tile block of the active state: false and a fault recorded, or all of its effects. */
bool pto_block_execute(pto_block_machine *machine, const pto_block_state *state);

/* Scratch of the machine, grown as needed; NULL without memory. One block: a second call replaces it. */
void *pto_block_staging(pto_block_machine *machine, size_t bytes);

#endif
