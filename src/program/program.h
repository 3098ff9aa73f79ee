/* SPDX-License-Identifier: Apache-2.0 */
/* The one in-memory IR: types, values, operations, regions. Every text form, the bytecode and the
 * builder produce it; verification, passes and execution read it. It does not execute.
 *
 * Memory: everything lives in the arena of the module. Types are interned: equal types are one pointer.
 *
 * An instruction of the table is one operation of kind PTO_OPK_INSTR whose operand[] is indexed by
 * the *schema position* of its form. In destination-passing text (levels 2, 3) an out operand is the
 * tile handle; in SSA text (PTO-AS, level 1) out positions hold NULL and result[k] is the k-th out
 * operand of the schema. So one operation prints in any form. */
#ifndef PTO_PROGRAM_PROGRAM_H
#define PTO_PROGRAM_PROGRAM_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "isa/isa.h"
#include <pto/diag.h>
#include <pto/program.h>

/* ---- types ------------------------------------------------------------------------------- */

typedef enum pto_type_kind {
    PTO_TYPE_NONE, /* builtin `none` */
    PTO_TYPE_INDEX,
    PTO_TYPE_INT,   /* i8, si8, ui8: width + signedness */
    PTO_TYPE_FLOAT, /* f16 bf16 f32 f64 and the 8-/4-bit floats, by dtype */
    PTO_TYPE_PTR,   /* !pto.ptr<elem> */
    PTO_TYPE_TENSOR_VIEW,
    PTO_TYPE_PARTITION_VIEW,
    PTO_TYPE_MEMREF,   /* memref<..>, !pto.memref<..>, !pto.global<..> */
    PTO_TYPE_TILE,     /* !pto.tile<..>: a value (PTO-AS, level 1) */
    PTO_TYPE_TILE_BUF, /* !pto.tile_buf<..>: a handle (levels 2, 3) */
    PTO_TYPE_EVENT,
    PTO_TYPE_VECTOR, /* vector<4xi16> */
    PTO_TYPE_FUNCTION,
    PTO_TYPE_OPAQUE /* any other dialect type, kept as text */
} pto_type_kind;

typedef enum pto_signedness { PTO_SIGNLESS, PTO_SIGNED, PTO_UNSIGNED } pto_signedness;

typedef enum pto_memref_spelling {
    PTO_MEMREF_BUILTIN,
    PTO_MEMREF_PTO,
    PTO_MEMREF_GLOBAL
} pto_memref_spelling;

typedef struct pto_type pto_type;
struct pto_type {
    pto_type_kind kind;
    /* INT */
    uint32_t width;
    pto_signedness signedness;
    /* FLOAT; also the element type as the ISA sees it for PTR, views, tiles (signless = signed) */
    pto_dtype dtype;
    /* PTR, views, MEMREF, TILE, TILE_BUF, VECTOR: element type (INT or FLOAT), keeps the spelling
     * i8/si8/ui8; NULL when open or not understood */
    const pto_type *element;
    /* views, MEMREF, VECTOR: dims, PTO_DYNAMIC = ? ; TILE, TILE_BUF use `tile` */
    uint8_t rank;
    int64_t dim[5];
    /* TILE, TILE_BUF */
    bool open;         /* written `<...>`: parameters not given; `tile` is meaningless (views, MEMREF too) */
    bool layout_given; /* false for `!pto.tile<16x16xf32>`: only shape and element were written */
    pto_tile_type tile;
    /* FUNCTION */
    uint32_t input_count, result_count;
    const pto_type *const *inputs;
    const pto_type *const *results;
    /* OPAQUE: the whole type; PTR: address space when not gm; MEMREF: what follows the element type;
     * FLOAT: spelling when it is not the canonical one; TILE_BUF: empty */
    pto_str text;
    pto_memref_spelling memref;
    uint32_t id; /* order of interning */
};

/* ---- attributes -------------------------------------------------------------------------- */

typedef enum pto_attr_value_kind {
    PTO_AV_UNIT,
    PTO_AV_BOOL,
    PTO_AV_INT,   /* with optional type */
    PTO_AV_FLOAT, /* with optional type; bits kept for hex floats */
    PTO_AV_STRING,
    PTO_AV_SYMBOL, /* @name */
    PTO_AV_TYPE,
    PTO_AV_ENUM, /* #pto<cmp eq>, #pto.cmp<EQ>, <PIPE_V>: dialect kind + value name */
    PTO_AV_ARRAY,
    PTO_AV_DICT,
    PTO_AV_DENSE, /* array<i32: 1, 1, 0> */
    PTO_AV_OPAQUE /* anything else, kept as text */
} pto_attr_value_kind;

typedef struct pto_attr pto_attr;
typedef struct pto_named_attr {
    pto_str name;
    const pto_attr *value;
} pto_named_attr;
struct pto_attr {
    pto_attr_value_kind kind;
    const pto_type *type; /* INT, FLOAT, TYPE, DENSE element */
    int64_t i;
    double f;
    pto_str text;      /* STRING, SYMBOL, ENUM value, OPAQUE */
    pto_str enum_kind; /* ENUM: "cmp", "round_mode", "pipe", ... */
    uint32_t count;    /* ARRAY, DENSE, DICT */
    const pto_attr *const *items;
    const int64_t *dense;
    const pto_named_attr *entries;
};

/* ---- values, operations, regions ---------------------------------------------------------- */

typedef struct pto_value pto_value;
typedef struct pto_operation pto_operation;
typedef struct pto_block pto_block;
typedef struct pto_region pto_region;

/* Position in the source text: byte offsets [begin, end) of module->source. */
typedef struct pto_span {
    uint32_t begin, end;
} pto_span;

struct pto_value {
    const pto_type *type;
    pto_str name;       /* without %; empty = numbered when printed */
    pto_operation *def; /* defining operation, NULL for block arguments */
    pto_block *block;   /* owner block of a block argument */
    uint32_t index;     /* result or argument number */
    uint32_t id;        /* dense number in its function, assigned by pto_function_number */
    pto_span span;
};

/* Kinds of operations. Everything of the table is PTO_OPK_INSTR; the list of the others, with their
 * names, stands in ops.def (room program) as X-macro rows. */
typedef enum pto_op_kind {
    PTO_OPK_INSTR,
    PTO_OPK_UNKNOWN, /* an unregistered op in generic form: kept, printed, refused by the verifier */
#define PTO_OPK_ROW(kind, name) PTO_OPK_##kind,
#include "program/ops.def"
#undef PTO_OPK_ROW
    PTO_OPK_COUNT
} pto_op_kind;

struct pto_operation {
    pto_op_kind kind;
    pto_form form; /* PTO_OPK_INSTR */
    pto_str name;  /* full name for UNKNOWN and spelled synonyms; else empty */
    uint32_t operand_count;
    pto_value **operand; /* INSTR: by schema position, NULL = absent; others: IR order of 60, 3.9 */
    pto_span *operand_span;
    uint32_t result_count;
    pto_value **result;
    uint32_t attr_count;
    pto_named_attr *attr; /* as written; table attributes are looked up by their text key */
    uint32_t region_count;
    pto_region **region;
    uint32_t successor_count;
    pto_block **successor;
    uint32_t segment_count; /* operand segments: alloc_tile (addr, valid_row, valid_col), ... as 60, 3.9 */
    uint32_t segment[8];
    /* INSTR in SSA text: the explicit old value of a read-modify-write instruction (60, 2), or NULL */
    pto_value *acc;
    /* INSTR in PTO-AS text: indices of the indexed memory operand (60, 1.2), NULL if none */
    uint32_t index_count;
    pto_value *index[5];
    pto_block *parent;
    pto_operation *prev, *next;
    bool broken;        /* an error was reported in this statement: only its regions are worth a look */
    pto_span span;      /* the whole statement */
    pto_span name_span; /* the op name */
};

struct pto_block {
    pto_str label; /* without ^ */
    uint32_t arg_count;
    pto_value **arg;
    pto_operation *first, *last;
    pto_region *parent;
    pto_block *next;
};

struct pto_region {
    pto_block *first, *last;
    pto_operation *parent;
};

struct pto_program {
    pto_arena *arena;   /* owned */
    pto_source *source; /* may be NULL for built programs */
    pto_dialect dialect;
    pto_operation *module; /* kind PTO_OPK_MODULE; its region holds functions */
    pto_map type_table;    /* interning */
    uint32_t type_count;
    const pto_type *index_type, *i32_type, *i64_type; /* once they are made: asked for very often */
    /* The options that it was verified with, when nothing was found and nothing was changed since. */
    struct pto_program_verified {
        bool holds;
        pto_verify_options options;
    } verified;
    /* What a pass keeps for the next one, good as long as the program is not changed; NULL = nothing. */
    void *kept;
    void (*release_kept)(void *kept);
    /* PTO-AS programs: one implicit function @main whose arguments are the .arg directives */
};

/* ---- building (program.c, types.c, attrs.c) ------------------------------------------------- */

/* A program with an empty module. NULL when out of memory.
 *
 * Everything below allocates from program->arena. Set arena->on_failure before building: then no
 * builder returns NULL; without a handler each returns NULL when memory is out or the limit is met. */
pto_program *pto_program_create(size_t byte_limit);
/* Copies the text into the arena and makes program->source of it. */
bool pto_program_set_source(pto_program *program, const char *name, const char *text, size_t len);
pto_str pto_program_copy(pto_program *program, pto_str text); /* a copy that lives as long as the program */

const pto_type *pto_type_index(pto_program *program);
const pto_type *pto_type_int(pto_program *program, uint32_t width, pto_signedness signedness);
const pto_type *pto_type_float(pto_program *program, pto_dtype dtype);
const pto_type *pto_type_intern(pto_program *program, const pto_type *candidate);
const pto_type *pto_type_simple(pto_program *program, pto_type_kind kind); /* NONE, EVENT */
const pto_type *pto_type_element(pto_program *program, pto_dtype dtype);   /* f32, i32, ui8, ... of a dtype */
const pto_type *pto_type_ptr(pto_program *program, const pto_type *element);
/* TENSOR_VIEW, PARTITION_VIEW, MEMREF, VECTOR; rank 0..5. */
const pto_type *pto_type_shaped(pto_program *program, pto_type_kind kind, const pto_type *element, int rank,
                                const int64_t *dim);
/* TILE or TILE_BUF; element NULL = the canonical type of tile->dtype. */
const pto_type *pto_type_tile(pto_program *program, pto_type_kind kind, const pto_tile_type *tile,
                              const pto_type *element);
const pto_type *pto_type_function(pto_program *program, const pto_type *const *inputs, uint32_t input_count,
                                  const pto_type *const *results, uint32_t result_count);
/* The ISA element type of a scalar type (index -> s64, i32 -> s32, ui8 -> u8); NONE when there is none. */
pto_dtype pto_type_dtype(const pto_type *type);
static inline bool pto_type_is_tile(const pto_type *type) {
    return type && (type->kind == PTO_TYPE_TILE || type->kind == PTO_TYPE_TILE_BUF);
}
static inline bool pto_type_is_scalar(const pto_type *type) {
    return type &&
           (type->kind == PTO_TYPE_INDEX || type->kind == PTO_TYPE_INT || type->kind == PTO_TYPE_FLOAT);
}

pto_operation *pto_operation_create(pto_program *program, pto_op_kind kind, uint32_t operands,
                                    uint32_t results);
pto_value *pto_operation_set_result(pto_program *program, pto_operation *op, uint32_t i, const pto_type *type,
                                    pto_str name);
pto_region *pto_operation_add_region(pto_program *program, pto_operation *op);
pto_block *pto_region_add_block(pto_program *program, pto_region *region);
pto_value *pto_block_add_arg(pto_program *program, pto_block *block, const pto_type *type, pto_str name);
/* Keeps operand[0, count) and result[] as they are and makes room for `operands` operands. */
void pto_operation_resize(pto_program *program, pto_operation *op, uint32_t operands);
void pto_block_append(pto_block *block, pto_operation *op);
void pto_block_insert_before(pto_operation *anchor, pto_operation *op);
void pto_block_remove(pto_operation *op);
void pto_operation_set_attr(pto_program *program, pto_operation *op, pto_str name, const pto_attr *value);
void pto_operation_remove_attr(pto_operation *op, const char *name);
const pto_attr *pto_operation_attr(const pto_operation *op, const char *name); /* NULL when absent */

const pto_attr *pto_attr_unit(pto_program *program);
const pto_attr *pto_attr_bool(pto_program *program, bool value);
const pto_attr *pto_attr_int(pto_program *program, int64_t value, const pto_type *type); /* NULL type = i64 */
const pto_attr *pto_attr_float(pto_program *program, double value, const pto_type *type);
const pto_attr *pto_attr_string(pto_program *program, pto_str text);
const pto_attr *pto_attr_symbol(pto_program *program, pto_str name);
const pto_attr *pto_attr_type(pto_program *program, const pto_type *type);
const pto_attr *pto_attr_opaque(pto_program *program, pto_str text);
const pto_attr *pto_attr_array(pto_program *program, const pto_attr *const *items, uint32_t count);
const pto_attr *pto_attr_dense(pto_program *program, const pto_type *element, const int64_t *items,
                               uint32_t count);
const pto_attr *pto_attr_dict(pto_program *program, const pto_named_attr *entries, uint32_t count);
/* ENUM with the canonical spelling of kind and value; NULL when the kind or the value does not exist. Any
 * letter case; CAST_ before a round mode is dropped (but CAST_RINT is a value of its own). */
const pto_attr *pto_attr_enum(pto_program *program, pto_str kind, pto_str value);

/* ---- enums of attributes (60, 3.5; enums.c) ---- */
typedef struct pto_enum_value {
    const char *name;
    int32_t number; /* ABI number of 3.5 */
} pto_enum_value;
typedef struct pto_enum_desc {
    const char *name;  /* "round_mode" */
    bool dialect_enum; /* printed #pto<name value>; else #pto.name<value> */
    const pto_enum_value *values;
    uint32_t count;
} pto_enum_desc;
const pto_enum_desc *pto_enum_find(pto_str name); /* any case; legacy and PTO-AS names too; NULL if unknown */
size_t pto_enum_count(void);
const pto_enum_desc *pto_enum_at(size_t index);
const pto_enum_value *pto_enum_value_find(const pto_enum_desc *desc, pto_str value); /* any case */
/* The enum of a table attribute; NULL for BOOL, INT, NONE. */
const pto_enum_desc *pto_enum_of_attr(pto_attr_kind kind);
/* The enum of the attribute `key` of an operation (of the table or not), NULL when it is no enum. */
const pto_enum_desc *pto_enum_of_key(const pto_operation *op, pto_str key);
/* The value of a table attribute in the numbering of pto/types.h (isa): what the door takes. False when the
 * attribute is of another kind than the table says. */
bool pto_attr_isa_value(pto_attr_kind kind, const pto_attr *attr, int64_t *value);
/* Pipe of an ENUM of kind pipe, or of a sync endpoint (pipe_event_type); PTO_PIPE_COUNT when it names none.
 */
pto_pipe pto_attr_pipe(const pto_attr *attr);

/* ---- comparison (equal.c) ---- */
/* Same structure: operations, operands, types, attributes, regions, by value numbering. Names of values and
 * blocks, spans and sources do not count, nor does the order of attributes. Types of both programs are
 * compared by structure. */
bool pto_program_equal(const pto_program *a, const pto_program *b);
bool pto_type_equal(const pto_type *a, const pto_type *b);
bool pto_attr_equal(const pto_attr *a, const pto_attr *b);

/* Functions of the module in order; the entry by the rule of 60, 3.2 (NULL + message when there is none
 * or the name is unknown). */
pto_operation *pto_program_first_function(const pto_program *program);
pto_operation *pto_program_next_function(const pto_operation *function);
pto_str pto_function_name(const pto_operation *function);
pto_block *pto_function_body(const pto_operation *function); /* NULL for a declaration */
/* The function is an entry: marked, or the only one of the program with a body. */
bool pto_function_is_entry(const pto_program *program, const pto_operation *function);
pto_operation *pto_program_entry(const pto_program *program, const char *name, pto_diag_list *diags);

const char *pto_op_kind_name(pto_op_kind kind); /* "arith.addi"; NULL for INSTR and UNKNOWN */
/* PTO_OPK_UNKNOWN when not listed, or when an instruction has the name as well (pto_op_kind_of_group). */
pto_op_kind pto_op_kind_find(pto_str name);
bool pto_type_is_group(const pto_type *type); /* !pto.group<N> */
/* pto.tgather and pto.tscatter on a group of ranks; PTO_OPK_UNKNOWN for any other name. */
pto_op_kind pto_op_kind_of_group(pto_str name);

enum { PTO_CASES_MAX = 256 }; /* of scf.index_switch */
enum { PTO_OP_ANY_REGIONS = 255 };
/* What any operation of a kind must have, whatever text it came from (ops.c). */
typedef struct pto_op_shape {
    int16_t operand_min, operand_max; /* max -1 = any number */
    int16_t result_min, result_max;
    uint8_t regions;   /* PTO_OP_ANY_REGIONS: one or more */
    uint8_t segments;  /* number of operand segments, 0 = none */
    const char *props; /* inherent attributes, blank separated, `?` behind optional ones (60, 3.9.8) */
} pto_op_shape;
const pto_op_shape *pto_op_shape_of(pto_op_kind kind); /* NULL for INSTR and UNKNOWN */
const char *pto_op_kind_syntax(pto_op_kind kind);      /* as in ops.def; NULL when it is written in code */
const char *pto_op_kind_ssa_syntax(pto_op_kind kind);  /* at level 1 and in PTO-AS; NULL = the same */
/* Segments of an operation in custom syntax, from its operand count: bind_tile, pointer_cast, tpop_from_*. */
void pto_operation_set_segments(pto_operation *op);

#endif
