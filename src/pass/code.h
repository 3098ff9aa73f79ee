/* SPDX-License-Identifier: Apache-2.0 */
/* Flat, decoded code: what a program becomes before it runs. Made once by pto_lower, read by any number of
 * threads, each with its own state.
 *
 * Registers hold scalars (an int64_t or a double, by the type of the value). Integers of width N are kept
 * sign-extended, those of unsigned types and i1 zero-extended. A pointer takes two registers: the offset in
 * elements from the start of its argument's buffer, and the number of the argument. Tiles and views live in
 * slots; copying a slot copies the handle. */
#ifndef PTO_PASS_CODE_H
#define PTO_PASS_CODE_H

#include "base/sink.h"
#include "program/facts.h"
#include <pto/instr.h>

/* Scalar, view and tile operations keep the number of their pto_op_kind; these come behind them. */
typedef enum pto_code_kind {
    PTO_CODE_END = PTO_OPK_COUNT,
    PTO_CODE_JUMP,        /* to extra */
    PTO_CODE_JUMP_UNLESS, /* a: i1 */
    PTO_CODE_FOR_BEGIN,   /* dst = a; to extra unless dst < b; traps unless c > 0. flag = unsigned */
    PTO_CODE_FOR_NEXT,    /* dst += c and to extra, unless dst + c >= b */
    PTO_CODE_MOVE,        /* dst = a */
    PTO_CODE_MOVE_VIEW,
    PTO_CODE_MOVE_TILE,  /* the handle */
    PTO_CODE_COPY_TILE,  /* the bytes and the valid extents */
    PTO_CODE_COPY_VALID, /* valid extents of tile a, as far as dst's type leaves them open */
    PTO_CODE_VIEW_VALID, /* valid extents from view a */
    PTO_CODE_LABEL_VIEW, /* dst = view a with layout c */
    PTO_CODE_INDEX_VIEW, /* dst = window of view a at the c indices of list extra, as large as tile b, layout
                            flag */
    PTO_CODE_SYNC,       /* flag: pto_code_sync, pipes a and b, id c or register dst; for the checkers */
    PTO_CODE_CORE, /* what follows runs on the cube (a = 0) or the vector core (1); flag = a section begins,
                      whose end is the CORE at extra */
    PTO_CODE_SET_VALID, /* tile dst: rows register a, columns register b, -1 = as the type says */
    PTO_CODE_INSTR      /* instr[extra] */
} pto_code_kind;

typedef pto_sync_kind pto_code_sync; /* the flag of PTO_CODE_SYNC */

typedef struct pto_code_op {
    uint16_t kind;
    uint8_t width; /* of an integer operation; of the source of a cast */
    uint8_t to;    /* width of the result of a cast */
    uint8_t dtype; /* pto_dtype of a float operation or of an element */
    uint8_t flag;  /* predicate; unsigned */
    int32_t dst, a, b, c;
    int32_t extra; /* target of a jump, start in list[], number of an instruction */
} pto_code_op;

typedef union pto_register {
    int64_t i;
    double f;
} pto_register;

/* A piece of on-chip memory that a tile owns. */
typedef struct pto_code_storage {
    pto_loc loc;
    uint64_t bytes;
    uint64_t addr;
    bool fixed;              /* addr was given by the program */
    int32_t begin, end;      /* first and last op of its life; begin > end: never used */
    int32_t slot;            /* the tile slot it was made for */
    const pto_operation *op; /* where, for messages; NULL for arguments */
    pto_str name;
} pto_code_storage;

typedef struct pto_code_slot {
    pto_tile tile;   /* initial handle; assigned and addr are set when storage >= 0 */
    int32_t storage; /* -1: the handle is set while running */
    bool varies;     /* the handle or its extents change while running */
    bool reset;      /* back to the initial handle at the start of every block */
    int32_t parent;  /* union-find: handles that may share storage */
    int32_t loop;    /* where it was made */
} pto_code_slot;

typedef struct pto_code_instr {
    pto_form form;
    int32_t slot[PTO_MAX_OPERANDS];        /* tile slot, view slot or register; -1 = constant or absent */
    pto_operand operand[PTO_MAX_OPERANDS]; /* constants; kind is right for all */
    bool is_float[PTO_MAX_OPERANDS];       /* register of a scalar */
    int32_t changes;                       /* tile slot whose handle the instruction changes, -1 = none */
} pto_code_instr;

typedef enum pto_code_param_kind {
    PTO_CODE_PARAM_POINTER,
    PTO_CODE_PARAM_VIEW,
    PTO_CODE_PARAM_TILE,
    PTO_CODE_PARAM_SCALAR,
    PTO_CODE_PARAM_IGNORED
} pto_code_param_kind;
typedef struct pto_code_param {
    pto_code_param_kind kind;
    int32_t slot; /* register, view slot or tile slot */
    const pto_type *type;
    pto_str name;
} pto_code_param;

typedef struct pto_code_loop {
    int32_t parent; /* -1: none */
    int32_t begin, end;
} pto_code_loop;

/* A use of a tile slot at an instruction number, inside a loop (-1: none). */
typedef struct pto_code_touch {
    int32_t slot, at, loop;
} pto_code_touch;

/* The slot of a tile in one expansion of its function: key is the value, or of scratch that the text leaves
 * out the instruction, with the operand's position. */
typedef struct pto_code_place {
    int32_t expansion, position;
    const void *key;
    int32_t slot;
} pto_code_place;
/* An expansion: 0 is the entry, k is the call at call[k - 1]. */
typedef struct pto_code_call {
    int32_t caller; /* expansion */
    const pto_operation *call;
} pto_code_call;

typedef struct pto_code {
    pto_arena arena; /* holds all of it */
    const pto_program *program;
    pto_target target;
    const pto_operation *entry;
    pto_code_op *op;
    const pto_operation **origin; /* one an op, for messages */
    int32_t op_count;
    pto_register *reg; /* initial values: constants stand in them */
    int32_t reg_count;
    pto_code_slot *slot;
    int32_t slot_count;
    pto_global *view;
    int32_t view_count;
    pto_code_instr *instr;
    int32_t instr_count;
    int32_t *list;
    int32_t list_count;
    pto_code_param *param;
    int32_t param_count;
    pto_code_storage *storage;
    int32_t storage_count;
    pto_code_loop *loop;
    int32_t loop_count;
    pto_code_touch *touch;
    int32_t touch_count;
    /* bytes of each memory that tiles use: what a block must find zeroed */
    uint64_t used_begin[PTO_LOC_COUNT], used_end[PTO_LOC_COUNT];
    bool assigns; /* addresses are computed while running: any byte may be used */
    /* where tiles went, when asked for */
    pto_code_place *place;
    int32_t place_count;
    pto_code_call *call; /* by expansion - 1 */
    int32_t call_count;
    bool implicit_scratch; /* vec [184K, 192K) of a2a3 is in use */
    bool has_addresses;    /* level 3 */
    bool has_atomics;      /* blocks must run in order to give the same results always */
} pto_code;

/* Lowers the entry and everything that it calls, and places its tiles. The program must be verified. `code`
 * is to be released whatever the result. */
pto_status pto_lower(pto_code *code, const pto_program *program, const pto_operation *entry,
                     pto_target target, pto_diag_list *diags);
/* The same, and code->place and code->call say what became of whom. */
pto_status pto_lower_recorded(pto_code *code, const pto_program *program, const pto_operation *entry,
                              pto_target target, pto_diag_list *diags);
void pto_code_release(pto_code *code);

/* place.c: gives every storage an address; PTO-E0906 lists the tiles when they do not fit. */
pto_status pto_place(pto_code *code, pto_diag_list *diags);

/* show.c: the memory map of a placed program, as text or SVG. */
void pto_show_memory(pto_code *code, bool picture, pto_sink *sink);

#endif
