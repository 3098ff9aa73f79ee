/* SPDX-License-Identifier: Apache-2.0 */
/* TileOp blocks: the hardware form of tile operations (70, encoding revision E57). Words, their text, the
 * machine that executes them. */
#ifndef PTO_BLOCK_H
#define PTO_BLOCK_H

#include <pto/core.h>
#include <pto/diag.h>

PTO_BEGIN_DECLS

/* ---- instruction words ---- */

/* What the fields of a word hold. Immediates, offsets and targets are values as written in the text: signed
 * where the form says so, in bytes. */
typedef enum pto_block_field {
    PTO_BLOCK_TYPE,     /* element type code (70, 5.1) */
    PTO_BLOCK_SELECTOR, /* operation of the engine */
    PTO_BLOCK_TARGET,   /* bytes from the instruction's own address */
    PTO_BLOCK_DIM,      /* 0..2: LB0..LB2 */
    PTO_BLOCK_REG,      /* GPR 0..23 */
    PTO_BLOCK_IMM,
    PTO_BLOCK_D, /* scalar destination: 0..23 GPR, 30 u, 31 t */
    PTO_BLOCK_L, /* scalar sources: 0..23 GPR, 24..27 t#1..t#4, 28..31 u#1..u#4 */
    PTO_BLOCK_R,
    PTO_BLOCK_P,
    PTO_BLOCK_SHIFT,
    PTO_BLOCK_EXTEND,     /* 0 none, 1 .sw, 2 .uw, 3 .neg */
    PTO_BLOCK_EXTEND_NOT, /* the same, 3 .not */
    PTO_BLOCK_CMODE,
    PTO_BLOCK_PAD, /* 0 Zero 1 Max 2 Min 3 Null; ByteId of THISTOGRAM */
    PTO_BLOCK_SAT,
    PTO_BLOCK_CANON,
    PTO_BLOCK_TYPE2, /* 31 = none */
    PTO_BLOCK_RMODE,
    PTO_BLOCK_LAYOUT,
    PTO_BLOCK_DR,
    PTO_BLOCK_TRAP,
    PTO_BLOCK_FAR,
    PTO_BLOCK_ATOMIC,
    PTO_BLOCK_AQ,
    PTO_BLOCK_RL,
    PTO_BLOCK_SRC0, /* 16 * queue + distance - 1, queues T U M N */
    PTO_BLOCK_SRC1,
    PTO_BLOCK_LAST,
    PTO_BLOCK_SIZE, /* 16 * 2^code bytes; 0 = no destination */
    PTO_BLOCK_REUSE0,
    PTO_BLOCK_REUSE1,
    PTO_BLOCK_QUEUE, /* 0..3; 7 = "no destination" of older words */
    PTO_BLOCK_REG0,
    PTO_BLOCK_REG1,
    PTO_BLOCK_REG2,
    PTO_BLOCK_REGD,
    PTO_BLOCK_DEP0, /* 0 none, 1..8 D#1..D#8 */
    PTO_BLOCK_DEP1,
    PTO_BLOCK_DEP2,
    PTO_BLOCK_DEPD, /* 0 or 1 */
    PTO_BLOCK_N0,
    PTO_BLOCK_N1,
    PTO_BLOCK_N2,
    PTO_BLOCK_FIELD_COUNT
} pto_block_field;

typedef struct pto_block_instr {
    uint16_t form; /* pto_block_form_find */
    uint8_t bytes; /* 2, 4, 6 or 8 */
    uint64_t word; /* as decoded */
    int64_t field[PTO_BLOCK_FIELD_COUNT];
} pto_block_instr;

/* Bytes of the instruction that starts with this halfword (70, 5). */
PTO_API unsigned pto_block_length(uint16_t first);
/* Form names: "B.DIM", "BSTART.STD COND", "addi"; letter case is free. NULL, SIZE_MAX: no such form. */
PTO_API const char *pto_block_form_name(size_t form);
PTO_API size_t pto_block_form_find(const char *name);
/* One instruction from `size` bytes of little-endian code. PTO_ERR_REFUSED: the word is ILLEGAL or cut short.
 */
PTO_API pto_status pto_block_decode(const void *code, size_t size, pto_block_instr *instr);
/* The word of a form and its fields; fields that the form does not have are ignored. PTO_ERR_REFUSED: a value
 * that its field cannot hold, or a reserved code. */
PTO_API pto_status pto_block_encode(const pto_block_instr *instr, uint64_t *word);
/* The physical line, as snprintf. Targets print as ".+8". */
PTO_API size_t pto_block_print(const pto_block_instr *instr, char *buffer, size_t capacity);

/* ---- assembler and disassembler ---- */

typedef struct pto_block_line {
    uint64_t address;
    uint32_t size;   /* bytes emitted */
    uint32_t number; /* 1-based line of the source */
} pto_block_line;

/* A section of code at its load address. */
typedef struct pto_block_image {
    uint64_t address;
    uint8_t *bytes;
    size_t size;
    pto_block_line *line; /* one for each statement that emitted something, in order */
    size_t line_count;
} pto_block_image;

typedef struct pto_block_options {
    bool compress;    /* assembler: C.B.DIMI for dimensions 0..255 */
    bool fold;        /* disassembler: template lines where a header allows it */
    bool words;       /* disassembler: address and word in front of each line */
    uint64_t address; /* load address */
} pto_block_options;

/* Refusals go to `diags`; the image is empty then. `options` may be NULL. The image is freed by
 * pto_block_image_free. */
PTO_API pto_status pto_block_assemble(pto_source *source, const pto_block_options *options,
                                      pto_diag_list *diags, pto_block_image *image);
PTO_API void pto_block_image_free(pto_block_image *image);
/* Every statement with its address and words in front. */
PTO_API pto_status pto_block_listing(pto_source *source, const pto_block_image *image, pto_write_fn write,
                                     void *context);
/* Text that assembles to the same bytes. */
PTO_API pto_status pto_block_disassemble(const pto_block_image *image, const pto_block_options *options,
                                         pto_write_fn write, void *context);
/* What can be known without running (pto check): reads of released or absent tiles, tiles never read, missing
 * dimensions, encoding errors. PTO_ERR_REFUSED when an error was found. `source` may be NULL. */
PTO_API pto_status pto_block_check(const pto_block_image *image, pto_source *source, pto_diag_list *diags);
/* The block page of a tile operation: template line and words; false when there is none of the name. */
PTO_API bool pto_block_page(const char *name, pto_write_fn write, void *context);

/* ---- machine ---- */

typedef enum pto_block_fault {
    PTO_BLOCK_FAULT_NONE = 0,
    PTO_BLOCK_ILLEGAL,
    PTO_BLOCK_BUNDLE,
    PTO_BLOCK_TILE,
    PTO_BLOCK_ALLOC,
    PTO_BLOCK_INSTPC,
    PTO_BLOCK_ALIGN,
    PTO_BLOCK_PAGE,
    PTO_BLOCK_BREAK,     /* ebreak: the end of the program, not a refusal */
    PTO_BLOCK_TRAP_AFTER /* B.CATR trap: the block is committed, the trap follows */
} pto_block_fault;

PTO_API const char *pto_block_fault_name(pto_block_fault fault);

/* Limits of the profile (70, 3.4); zero fields take the defaults. */
typedef struct pto_block_profile {
    uint32_t tile_bytes_min;  /* 128 */
    uint32_t tile_bytes_max;  /* 262144 */
    uint64_t tile_bytes_live; /* 524288 */
    bool strict_depth;        /* pushing over a live #16 is ALLOC instead of a release */
    bool strict_layout;       /* CUBE operands must be NZ and ZN */
    bool relu_keeps_nan;
    pto_simd_level simd;
} pto_block_profile;

typedef struct pto_block_machine pto_block_machine;

/* A machine is used by one thread at a time. NULL when memory is exhausted. */
PTO_API pto_block_machine *pto_block_machine_create(const pto_block_profile *profile);
PTO_API void pto_block_machine_destroy(pto_block_machine *machine);
/* Maps host memory at an address: borrowed, no overlap. */
PTO_API pto_status pto_block_map(pto_block_machine *machine, uint64_t address, void *host, size_t size,
                                 bool read_only);
/* Copies the image, maps it and sets the program counter to its start. */
PTO_API pto_status pto_block_load(pto_block_machine *machine, const pto_block_image *image);
PTO_API uint64_t pto_block_gpr(const pto_block_machine *machine, unsigned index);
PTO_API void pto_block_set_gpr(pto_block_machine *machine, unsigned index, uint64_t value);
PTO_API uint64_t pto_block_pc(const pto_block_machine *machine);
PTO_API void pto_block_set_pc(pto_block_machine *machine, uint64_t address);
PTO_API unsigned pto_block_fflags(const pto_block_machine *machine);

/* Executes one instruction. PTO_OK; PTO_ERR_REFUSED at a fault, nothing changed; PTO_ERR_CANCELLED: the
 * program has ended (pto_block_exit_code). */
PTO_API pto_status pto_block_step(pto_block_machine *machine);
/* Runs to the end, a fault, or `limit` instructions (0 = no limit): PTO_OK, PTO_ERR_REFUSED, PTO_ERR_LIMIT.
 */
PTO_API pto_status pto_block_run(pto_block_machine *machine, uint64_t limit);
PTO_API unsigned pto_block_exit_code(const pto_block_machine *machine);
PTO_API uint64_t pto_block_instructions(const pto_block_machine *machine); /* executed so far */

/* The last fault. Strings live until the next step. */
typedef struct pto_block_fault_info {
    pto_block_fault fault;
    uint64_t pc;         /* of the instruction that raised it */
    uint64_t block;      /* address of the block, when one was active */
    uint64_t address;    /* of the access, ALIGN and PAGE */
    const char *rule;    /* "PTO-E1620" */
    const char *operand; /* "U#1", "LB0", "" */
    const char *text;
} pto_block_fault_info;
PTO_API const pto_block_fault_info *pto_block_last_fault(const pto_block_machine *machine);

/* A tile of a queue (0..3 = T U M N), by distance 1..16. False: never written or released. */
typedef struct pto_block_tile {
    unsigned type; /* code of 70, 5.1 */
    bool predicate;
    uint32_t bytes;
    int32_t rows, cols, valid_rows, valid_cols;
    unsigned layout; /* 0 ND, 1 DN, 2 ZZ, 3 ZN, 4 NZ, 5 NN */
    const void *data;
} pto_block_tile;
PTO_API bool pto_block_tile_at(const pto_block_machine *machine, unsigned queue, unsigned distance,
                               pto_block_tile *tile);
/* Pushes a tile (valid region defined, contents copied): how a host hands tiles to a program. */
PTO_API pto_status pto_block_push(pto_block_machine *machine, unsigned queue, const pto_block_tile *tile);
/* Pushes of a queue so far, live tiles and their bytes. */
PTO_API uint64_t pto_block_pushes(const pto_block_machine *machine, unsigned queue);
PTO_API unsigned pto_block_live_tiles(const pto_block_machine *machine, uint64_t *bytes);

/* One line for each committed block goes to `write` (NULL = off). */
PTO_API void pto_block_set_trace(pto_block_machine *machine, pto_write_fn write, void *context);

/* ---- checkers ---- */

/* Watches a machine (docs/checkers.md): bytes of memory that are read and were never written, outputs that
 * nobody wrote. Blocks commit in order (70, 11), so there are no races and no flags to find; accesses outside
 * of memory, unaligned ones, and reads of tiles that are undefined or released are faults of every run. The
 * machine is borrowed; its regions must be mapped. NULL without memory. */
typedef struct pto_block_watch pto_block_watch;
PTO_API pto_block_watch *pto_block_watch_create(pto_block_machine *machine, uint32_t checks);
PTO_API void pto_block_watch_destroy(pto_block_watch *watch); /* before the machine */
/* The bytes may be read from the start, or are an output: each has to be written. */
PTO_API void pto_block_watch_define(pto_block_watch *watch, uint64_t address, uint64_t size);
PTO_API void pto_block_watch_output(pto_block_watch *watch, uint64_t address, uint64_t size);
/* Adds what was found as errors, and returns their number. `source` and `suppressions` may be NULL. */
struct pto_suppressions;
PTO_API size_t pto_block_watch_tell(pto_block_watch *watch, const pto_block_image *image, pto_source *source,
                                    struct pto_suppressions *suppressions, pto_diag_list *diags);

PTO_END_DECLS
#endif
