/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of writing C++ (60, 6): the text of a function while it grows, and what a value of the program
 * is called there.
 *
 * A definition that nothing reads is left out of the finished text: its line stands between marks until then.
 */
#ifndef PTO_EMIT_EMIT_H
#define PTO_EMIT_EMIT_H

#include "base/vec.h"
#include "pass/sync.h"
#include "program/blocks.h"
#include "program/facts.h"
#include "program/value_map.h"

enum { PTO_EMIT_MAX_CALLS = 4096 };

/* Growing text on an arena that has a failure handler. */
typedef struct pto_emit_text {
    char *data;
    size_t len, capacity;
} pto_emit_text;

/* An extent or a stride: a number, or an expression where it is not known. */
typedef struct pto_emit_dim {
    const char *text; /* NULL: known */
    int64_t number;
} pto_emit_dim;

/* A GlobalTensor: where it begins, and its five dimensions. */
typedef struct pto_emit_view {
    pto_dtype dtype;
    pto_layout layout;
    int rank;           /* of the type in the program */
    const char *base;   /* a pointer */
    const char *offset; /* elements behind it; NULL = 0 */
    pto_emit_dim shape[5], stride[5];
} pto_emit_view;

typedef struct pto_emit_value {
    const char *name;          /* "v3" */
    const char *type;          /* as in C++ */
    pto_tile_type tile;        /* of tiles: the type that the C++ object has */
    const pto_emit_view *view; /* of views */
} pto_emit_value;

/* A variable that receives a value from several places: a loop's, a result of scf.if, an argument of a block.
 * Its type is that of the first value that arrives. */
typedef struct pto_emit_place {
    const pto_value *value; /* that the variable stands for */
    int32_t at;             /* number in values[], -1 = nothing has arrived */
} pto_emit_place;

/* Where the blocks of a region leave it. */
typedef struct pto_emit_exit {
    struct pto_emit_exit *outer;
    const pto_region *region;
    pto_block_tree *tree;
    int first_label; /* of block 0; behind them all the label of the end */
    bool leaves;     /* a jump to the end was written */
    uint32_t count;
    pto_emit_place *place; /* of yields; a return is a return */
} pto_emit_exit;

/* The function at hand. */
typedef struct pto_emit_function {
    struct pto_emit_function *outer;
    const pto_operation *op;
    int32_t expansion;
    pto_emit_text top; /* declarations, when there are labels to jump to */
    pto_emit_text body;
    bool flat;
    int indent;
    int names, labels;
    pto_emit_exit *exit;
    const char *give; /* what an entry does before it returns; NULL = nothing */
    uint32_t result_count;
    pto_emit_place *result; /* what a return gives */
} pto_emit_function;

/* A finished one. Another expansion of the same function is the same one if it has the same text. */
typedef struct pto_emit_finished {
    const pto_operation *op;
    const char *kind; /* "static AICORE" */
    const char *name, *head, *body;
    const char *result; /* C++ type of what it returns */
} pto_emit_finished;

typedef struct pto_emitter {
    const pto_program *program;
    pto_target target;
    pto_arena *arena;
    pto_diag_list *diags;
    pto_code *code; /* of the entry at hand */
    const pto_sync_plan
        *plan; /* flags of a program that leaves them to the compiler; NULL = it has its own */
    pto_value_map place_of, call_of;
    int32_t *next_place, *next_call;
    bool failed;
    const pto_operation *current;
    pto_value_map at; /* value -> number in values */
    PTO_VEC(pto_emit_value) values;
    PTO_VEC(pto_emit_finished) functions;
    uint32_t helpers; /* bit = pto_emit_helper */
    bool needs_tuple;
    pto_emit_function *fn;
} pto_emitter;

/* Texts that scalar operations call, written when used (helpers.c). */
typedef enum pto_emit_helper {
    PTO_HELPER_COPY,
    PTO_HELPER_ROWS,
    PTO_HELPER_TAIL,
    PTO_HELPER_DIVIDE,
    PTO_HELPER_SHIFT,
    PTO_HELPER_EXTREME,
    PTO_HELPER_BITCAST,
    PTO_HELPER_TO_INT,
    PTO_HELPER_UPPER,
    PTO_HELPER_COUNT
} pto_emit_helper;
const char *pto_emit_helper_text(pto_emit_helper helper);

/* ---- text (text.c) ---- */
void pto_emit_put(pto_arena *arena, pto_emit_text *text, const char *data, size_t len);
/* A line of the function at hand, indented; with a number: it goes when nothing else reads values[number]. */
void pto_emit_line(pto_emitter *e, const char *format, ...) PTO_PRINTF(2, 3);
void pto_emit_line_for(pto_emitter *e, int32_t number, const char *format, ...) PTO_PRINTF(3, 4);
/* A preprocessor line. */
void pto_emit_directive(pto_emitter *e, const char *line);
/* Declarations and body, without the definitions that nothing reads. */
const char *pto_emit_finish_text(pto_emitter *e, const pto_emit_function *fn);
/* PTO-E0262 at the operation at hand. */
void pto_emit_refuse(pto_emitter *e, const char *format, ...) PTO_PRINTF(2, 3);

/* ---- types (types.c) ---- */
const char *pto_emit_element(pto_dtype dtype); /* "float"; NULL when C++ has none */
/* Of a scalar or a pointer; NULL + refusal for others. */
const char *pto_emit_scalar_type(pto_emitter *e, const pto_type *type);
const char *pto_emit_tile_type(pto_emitter *e, const pto_tile_type *type);
const char *pto_emit_view_type(pto_emitter *e, const pto_emit_view *view);
/* "float v3", "__gm__ float *v1" */
const char *pto_emit_declare(pto_emitter *e, const char *type, const char *name);
/* The enumerator of an attribute's C++ type ("RoundMode", 1). */
const char *pto_emit_enumerator(pto_emitter *e, const char *type, int64_t value);

/* ---- values (values.c) ---- */
/* A new name for the value; `type` as in C++. Returns its number in values[]. */
int32_t pto_emit_new(pto_emitter *e, const pto_value *value, const char *type);
pto_emit_value *pto_emit_get(pto_emitter *e, const pto_value *value);
const char *pto_emit_name(pto_emitter *e, const pto_value *value);
/* `type name = expression;` */
void pto_emit_define(pto_emitter *e, const pto_value *value, const char *format, ...) PTO_PRINTF(3, 4);
/* The variable of values[number] is declared, and set when `expression` is not NULL. */
void pto_emit_variable(pto_emitter *e, int32_t number, const char *expression);
/* A number or an expression for the value of an index. */
pto_emit_dim pto_emit_dim_of(pto_emitter *e, const pto_value *value);
const char *pto_emit_dim_text(pto_emitter *e, pto_emit_dim dim);

/* Places take values at once; declares nothing. */
void pto_emit_moves(pto_emitter *e, uint32_t count, pto_value *const *from, pto_emit_place *place);
/* The copy of a tile's bytes and valid extents. */
const char *pto_emit_copy(pto_emitter *e, const char *to, const char *from);
void pto_emit_declare_places(pto_emitter *e, uint32_t count, const pto_emit_place *place);
pto_emit_place *pto_emit_places(pto_emitter *e, pto_value *const *values, uint32_t count);

/* ---- tiles and views (tile.c) ---- */
void pto_emit_tile_op(pto_emitter *e, const pto_operation *op);
/* The slot that lowering gave to a tile of this expansion; -1 when it has none. */
int32_t pto_emit_slot(pto_emitter *e, const void *key, int32_t position);
pto_emit_dim pto_emit_product(pto_emitter *e, pto_emit_dim a, pto_emit_dim b);
/* A declared tile, with what a convolution tile has beside its type. */
int32_t pto_emit_new_tile(pto_emitter *e, const pto_value *value, const pto_tile_type *type);
/* The tile values[number] gets the planned address of the slot. */
void pto_emit_assign(pto_emitter *e, int32_t number, int32_t slot);
/* Its dynamic extents, as expressions. */
void pto_emit_valid(pto_emitter *e, int32_t number, const char *rows, const char *cols);
/* A GlobalTensor for a view whose record is complete. */
void pto_emit_view_variable(pto_emitter *e, int32_t number, const pto_emit_view *view);
/* GlobalTensor<...>(pointer, Shape(...), Stride(...)), for a variable of type `as`. */
const char *pto_emit_view_value(pto_emitter *e, const pto_emit_view *view, const pto_emit_view *as);
/* The record of a variable of the type of `like`, all of whose dimensions are open if `open`. */
const pto_emit_view *pto_emit_view_of(pto_emitter *e, const char *name, const pto_emit_view *like, bool open);

/* ---- the rest ---- */
void pto_emit_scalar(pto_emitter *e, const pto_operation *op); /* scalar.c */
void pto_emit_instr(pto_emitter *e, const pto_operation *op);  /* instr.c */
/* What automatic synchronisation puts before or behind the operation. */
void pto_emit_planned(pto_emitter *e, const pto_operation *op, bool behind);
void pto_emit_sync(pto_emitter *e, const pto_operation *op); /* sync.c */
void pto_emit_flow(pto_emitter *e, const pto_operation *op); /* flow.c */
void pto_emit_block(pto_emitter *e, const pto_block *block); /* function.c */
/* Writes an expansion of a function, called with these values (NULL: the entry).
 * Returns its place in functions, and in *result the types of what it returns. */
size_t pto_emit_write_function(pto_emitter *e, const pto_operation *op, int32_t expansion,
                               pto_value *const *actual, pto_emit_place **result);
/* A name that C++ takes and no other function has. */
const char *pto_emit_function_name(pto_emitter *e, const pto_operation *op);
/* What an entry does before it returns. */
void pto_emit_give(pto_emitter *e);
/* The blocks of a function that has several. */
void pto_emit_blocks(pto_emitter *e, const pto_region *region);

#endif
