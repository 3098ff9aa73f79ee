/* SPDX-License-Identifier: Apache-2.0 */
/* The table of instructions as C data. Generated from instructions.def by tools/gen; nothing else
 * lists instructions. A row is a *form*: one call form of one instruction (pto_form indexes it). */
#ifndef PTO_ISA_ISA_H
#define PTO_ISA_ISA_H

#include <pto/instr.h>

typedef enum pto_role {
    PTO_ROLE_OUT,    /* tile or global written */
    PTO_ROLE_INOUT,  /* tile read and written */
    PTO_ROLE_IN,     /* tile or global read */
    PTO_ROLE_TMP,    /* scratch tile: counts as written, never read by us */
    PTO_ROLE_SCALAR, /* scalar operand */
    PTO_ROLE_ATTR    /* attribute: enum or bool, printed in braces */
} pto_role;

/* Kind of value of an attribute. */
typedef enum pto_attr_kind {
    PTO_ATTR_NONE,
    PTO_ATTR_BOOL,
    PTO_ATTR_INT,
    PTO_ATTR_ROUND_MODE,
    PTO_ATTR_SAT_MODE,
    PTO_ATTR_CMP_MODE,
    PTO_ATTR_ST_PHASE,
    PTO_ATTR_ATOMIC,
    PTO_ATTR_RELU,
    PTO_ATTR_ACC_TO_VEC,
    PTO_ATTR_PRECISION,
    PTO_ATTR_PRINT_FORMAT,
    PTO_ATTR_MASK_PATTERN,
    PTO_ATTR_SELECT_AXIS,
    PTO_ATTR_COALESCE,
    PTO_ATTR_GATHER_OOB,
    PTO_ATTR_SCATTER_OOB,
    PTO_ATTR_SCATTER_ATOMIC,
    PTO_ATTR_SCATTER_CONFLICT,
    PTO_ATTR_PAD_VALUE,
    PTO_ATTR_INSERT_MODE,
    PTO_ATTR_DTYPE,
    PTO_ATTR_FMATRIX,
    PTO_ATTR_QUANT_TYPE,
    PTO_ATTR_MX_QUANT_ALG,
    PTO_ATTR_GROUP_AXIS,
    PTO_ATTR_VEC_STORE_MODE
} pto_attr_kind;

/* Whether a tile operand is a convolution tile. */
typedef enum pto_conv_use { PTO_CONV_NO, PTO_CONV_YES, PTO_CONV_EITHER } pto_conv_use;

typedef struct pto_operand_desc {
    const char *name; /* "dst", "src0", ... */
    pto_role role;
    bool is_global; /* a GlobalTensor / partition view instead of a tile */
    bool is_counts; /* a pto_merge_counts; vector<4xi16> in the text, which nothing reads: a run drops it */
    bool optional;
    pto_conv_use conv;
    bool binds;            /* a tile that the instruction places itself: it needs no storage before */
    char type_var;         /* 'T', 'S', 'D', 'A', 'B', 'I': operands of one variable share an element type;
                              0 = fixed_dtype or unconstrained */
    pto_dtype fixed_dtype; /* PTO_DTYPE_NONE = by type_var or free */
    pto_attr_kind attr;    /* for PTO_ROLE_ATTR */
    int64_t attr_default;
    const char *attr_key; /* text spelling of the key, e.g. "rmode" */
} pto_operand_desc;

/* One accepted assignment of element types to the type variables: bit sets of pto_dtype. */
typedef struct pto_type_combo {
    uint32_t set[6]; /* T S D A B I, in this order; 0 = variable unused */
    uint32_t locs;   /* bit set of pto_loc of the first tile source for which it holds; 0 = every */
} pto_type_combo;

struct pto_legality; /* legality.h */
struct pto_rule_use;
typedef void (*pto_rule_fn)(struct pto_legality *, const struct pto_rule_use *);

typedef struct pto_rule_use {
    pto_rule_fn check;
    const char *name;
    const char *text; /* what the rule demands, one clause; from the table's `rule` lines */
    const char *ids;  /* of the refusals it can give, separated by spaces; read off its function */
    uint8_t targets;  /* bit set of pto_target */
    uint8_t arg_count;
    int16_t arg[6]; /* operand positions or integers, as the rule defines */
} pto_rule_use;

typedef struct pto_pipe_use {
    int8_t src_loc; /* location of the first tile source, -1 = any */
    int8_t dst_loc;
    pto_pipe pipe;
} pto_pipe_use;

enum { PTO_MAX_RESULTS = 5 };

/* A text pattern compiled: which operands stand where. Values are operand positions. */
typedef struct pto_text_pattern {
    const char *spelling; /* as in the table, for the reference page; NULL = no spelling in that form */
    const char *opcode;   /* "tadd", "pto.tadd" */
    int8_t result[PTO_MAX_RESULTS + 1]; /* -1 terminated */
    int8_t operand[PTO_MAX_OPERANDS];   /* -1 terminated; optional ones flagged below */
    uint8_t optional_mask;              /* bit i = operand[i] may be left out in the text */
    int8_t attr[PTO_MAX_OPERANDS];      /* operand positions printed in braces, -1 terminated */
    bool attr_in_ins;                   /* level 2: braces stand inside ins(...) */
    int8_t indexed;                     /* position of the operand that takes [r, c], -1 = none */
} pto_text_pattern;

typedef enum pto_text_form {
    PTO_TEXT_AS = 0,
    PTO_TEXT_LEVEL1 = 1,
    PTO_TEXT_LEVEL2 = 2,
    PTO_TEXT_FORM_COUNT
} pto_text_form;

struct pto_kernel_call; /* kernel/kernel.h */
typedef uint16_t pto_kernel_id;

typedef struct pto_form_desc {
    pto_op op;
    const char *mnemonic; /* "TADD" */
    const char *form;     /* "tile" */
    const char *family;
    const char *spec;    /* "10, 3.1" */
    const char *summary; /* one line of semantics */
    const char *notes;   /* may be NULL */
    uint8_t operand_count;
    pto_operand_desc operand[PTO_MAX_OPERANDS];
    const pto_type_combo *types[PTO_TARGET_COUNT]; /* union for cpu is computed by the generator */
    uint16_t type_count[PTO_TARGET_COUNT];         /* 0 = form refused on that target */
    const char *type_text[PTO_TARGET_COUNT];       /* as written in the table */
    bool types_any[PTO_TARGET_COUNT];              /* "any": every combination that the schema allows */
    const pto_rule_use *rules;
    uint8_t rule_count;
    const pto_pipe_use *pipes;
    uint8_t pipe_count;
    pto_kernel_id kernel;
    const char *kernel_name;
    const char *function; /* "pto_tadd" */
    pto_text_pattern text[PTO_TEXT_FORM_COUNT];
    const char *block; /* "TEPL 0x000" or NULL */
} pto_form_desc;

extern const pto_form_desc pto_form_table[];

typedef struct pto_op_desc {
    const char *mnemonic;
    pto_form first_form;
    uint8_t form_count;
    /* from src/isa/reference, lines ending in \n; NULL = none */
    const char *formula, *text, *scratch;
    const char *examples; /* one a line, run by src/run/example.c */
} pto_op_desc;
extern const pto_op_desc pto_op_table[];

static inline const pto_form_desc *pto_form_get(pto_form form) { return &pto_form_table[form]; }

/* First form whose text opcode in `text` form equals `opcode`; -1 if none. Forms of one opcode are
 * adjacent per op, but two ops may share an opcode: iterate with pto_form_next_opcode. */
int pto_form_find_opcode(pto_text_form text, const char *opcode, size_t len);
int pto_form_next_opcode(pto_text_form text, int form);
/* By mnemonic, case-insensitive; PTO_OP_COUNT when unknown. */
pto_op pto_op_find(const char *mnemonic, size_t len);
/* Execution pipe for the locations of the first tile source and of the destination (00-model, 10.1). */
pto_pipe pto_form_pipe(const pto_form_desc *form, int src_loc, int dst_loc);
/* Does the operand take a tile of this type, a convolution tile or an ordinary one? */
static inline bool pto_operand_takes_tile(const pto_operand_desc *desc, const pto_tile_type *type) {
    return desc->conv == PTO_CONV_EITHER || (desc->conv == PTO_CONV_YES) == (type->conv != NULL);
}
/* Has the form a pipe for a tile source in this memory? Tells apart forms whose operands are of the same
 * kinds. */
bool pto_form_takes(const pto_form_desc *form, int src_loc);
int pto_form_operand_index(const pto_form_desc *form, const char *name);

#endif
