/* SPDX-License-Identifier: Apache-2.0 */
/* Making a program from C, at level 2 or 3 (60, 3): types, functions, loops, tiles and instructions of the
 * table. The result is a pto_program like a parsed one: verify, pass, print, encode, emit and run it.
 *
 * Every call checks what it is given. A mistake is reported once in the diagnostics of the builder
 * (PTO-E0263); from then on every call does nothing and returns NULL or the status, and pto_builder_finish
 * gives no program: a sequence of calls needs one check at its end. Rules of the target are the verifier's.
 *
 * Values, types and blocks belong to the builder, later to its program. A value may be used where its
 * definition dominates: in the region where it was made and in those that are opened inside of it. Among the
 * blocks of one region the verifier says what dominates what (PTO-E0402). */
#ifndef PTO_BUILDER_H
#define PTO_BUILDER_H

#include <pto/ops.h>
#include <pto/program.h>

PTO_BEGIN_DECLS

typedef struct pto_builder pto_builder;
typedef struct pto_value pto_value; /* opaque */
typedef struct pto_type pto_type;   /* opaque */
typedef struct pto_block pto_block; /* opaque */

/* An empty module. NULL without memory. `diags` may be NULL, else it must outlive the builder. */
PTO_API pto_builder *pto_builder_create(pto_diag_list *diags);
/* Drops what was built. NULL is fine. */
PTO_API void pto_builder_destroy(pto_builder *builder);
/* PTO_OK, or what the first refused call met: PTO_ERR_REFUSED, PTO_ERR_NOMEM, PTO_ERR_LIMIT. */
PTO_API pto_status pto_builder_status(const pto_builder *builder);
/* The program; the builder is destroyed. NULL when a call was refused or a function is still open. It is not
 * verified yet. */
PTO_API pto_program *pto_builder_finish(pto_builder *builder);
/* Names the target in the module (pto.target_arch); cpu takes the name away. */
PTO_API pto_status pto_build_target(pto_builder *builder, pto_target target);

/* ---- types (60, 3.3, 3.4) ---- */

PTO_API const pto_type *pto_build_index_type(pto_builder *builder);
/* i1, i8, ...: width 1 to 64 bits, without a sign, as arithmetic wants it. */
PTO_API const pto_type *pto_build_int_type(pto_builder *builder, unsigned width);
PTO_API const pto_type *pto_build_float_type(pto_builder *builder, pto_dtype dtype);
/* !pto.ptr<element> in global memory. */
PTO_API const pto_type *pto_build_ptr_type(pto_builder *builder, pto_dtype element);
/* !pto.tile_buf<...>; *tile is copied. */
PTO_API const pto_type *pto_build_tile_type(pto_builder *builder, const pto_tile_type *tile);
/* !pto.tensor_view<...> of rank 1 to 5; an extent below 0 is open. */
PTO_API const pto_type *pto_build_view_type(pto_builder *builder, pto_dtype element, int rank,
                                            const int64_t *extents);
PTO_API const pto_type *pto_build_type_of(const pto_value *value);

/* ---- functions (60, 3.2) ---- */

typedef struct pto_build_param {
    const char *name; /* without %; NULL = numbered */
    const pto_type *type;
} pto_build_param;

/* Opens a function without results; `values` receives its parameters. `entry` marks it as one that can be
 * run. */
PTO_API pto_status pto_build_function(pto_builder *builder, const char *name, bool entry,
                                      const pto_build_param *params, size_t count, pto_value **values);
/* The open function has results of these types: before anything goes into it. A module that verifies has
 * functions of at most one result, and none of an entry (60, 4.9). */
PTO_API pto_status pto_build_function_results(pto_builder *builder, const pto_type *const *types,
                                              size_t count);
/* Ends the block at hand of the open function with the function's results. */
PTO_API pto_status pto_build_return(pto_builder *builder, pto_value *const *values, size_t count);
/* Ends the open function, its block at hand with a return if it has not ended and there are no results. Every
 * block must have ended. */
PTO_API pto_status pto_build_end_function(pto_builder *builder);
/* A function without a body; the names of its parameters do not count. */
PTO_API pto_status pto_build_declaration(pto_builder *builder, const char *name,
                                         const pto_build_param *params, size_t count,
                                         const pto_type *const *results, size_t result_count);
/* Calls a function without results that was built before. */
PTO_API pto_status pto_build_call(pto_builder *builder, const char *name, pto_value *const *arguments,
                                  size_t count);
/* Calls one that was built before; `results` receives as many values as it has results. */
PTO_API pto_status pto_build_call_results(pto_builder *builder, const char *name, pto_value *const *arguments,
                                          size_t count, pto_value **results);

/* ---- attributes ---- */

typedef enum pto_build_attr_kind {
    PTO_BUILD_ATTR_UNIT, /* the key alone */
    PTO_BUILD_ATTR_BOOL, /* i */
    PTO_BUILD_ATTR_INT,  /* i, an i64; `width` 1..63: iN */
    PTO_BUILD_ATTR_WORD, /* text: a value of the enum that the key has ("lt", "PIPE_V"), of other keys a
                            string */
    PTO_BUILD_ATTR_DTYPE /* i, a pto_dtype */
} pto_build_attr_kind;
typedef struct pto_build_attr {
    const char *key; /* as in the text */
    pto_build_attr_kind kind;
    int64_t i;
    unsigned width;
    const char *text;
} pto_build_attr;
#ifndef __cplusplus
#define PTO_BUILD_BOOL(name, value)                                                                          \
    ((pto_build_attr){.key = (name), .kind = PTO_BUILD_ATTR_BOOL, .i = (value)})
#define PTO_BUILD_INT(name, value) ((pto_build_attr){.key = (name), .kind = PTO_BUILD_ATTR_INT, .i = (value)})
#define PTO_BUILD_WORD(name, value)                                                                          \
    ((pto_build_attr){.key = (name), .kind = PTO_BUILD_ATTR_WORD, .text = (value)})
#endif

/* Gives attributes to the function, loop or other operation that was built or opened last: "pto.kernel_kind",
 * "unsignedCmp" of scf.for, "no_inline" of scf.execute_region. An instruction takes those of its form. */
PTO_API pto_status pto_build_set_attrs(pto_builder *builder, const pto_build_attr *attrs, size_t count);

/* ---- scalars ---- */

PTO_API pto_value *pto_build_index(pto_builder *builder, int64_t number);
/* An integer or index that the type holds. */
PTO_API pto_value *pto_build_int(pto_builder *builder, const pto_type *type, int64_t number);
/* Rounded once to the type. */
PTO_API pto_value *pto_build_float(pto_builder *builder, pto_dtype dtype, double number);
/* An operation of two operands of one type: "arith.addi", "arith.mulf", ... */
PTO_API pto_value *pto_build_arith(pto_builder *builder, const char *name, pto_value *a, pto_value *b);
/* arith.cmpi or arith.cmpf, by the type; the predicate as MLIR names it: "slt", "oeq". */
PTO_API pto_value *pto_build_compare(pto_builder *builder, const char *predicate, pto_value *a, pto_value *b);
/* "arith.index_cast", "arith.extsi", "arith.sitofp", ... */
PTO_API pto_value *pto_build_cast(pto_builder *builder, const char *name, pto_value *value,
                                  const pto_type *type);
/* Another operation that is no instruction: its operands, the type of its result (NULL = it has none) and its
 * attributes: "pto.get_block_idx", "pto.load_scalar", "pto.barrier". Its number of operands, results and
 * regions must be that of 60, 3.9; NULL for one without a result: ask pto_builder_status. */
PTO_API pto_value *pto_build_operation(pto_builder *builder, const char *name, pto_value *const *operands,
                                       size_t count, const pto_type *result, const pto_build_attr *attrs,
                                       size_t attr_count);

/* The same of an operation with any number of results: "arith.addui_extended". `results` receives them. */
PTO_API pto_status pto_build_operation_results(pto_builder *builder, const char *name,
                                               pto_value *const *operands, size_t count,
                                               const pto_type *const *types, size_t result_count,
                                               const pto_build_attr *attrs, size_t attr_count,
                                               pto_value **results);

/* ---- views and tiles (60, 3.9.1) ---- */

/* A tensor in a pointer's memory: extents and strides in elements, values of type index. */
PTO_API pto_value *pto_build_tensor_view(pto_builder *builder, pto_value *pointer, int rank,
                                         pto_value *const *extents, pto_value *const *strides);
/* A window of it: offsets and sizes. */
PTO_API pto_value *pto_build_partition(pto_builder *builder, pto_value *view, int rank,
                                       pto_value *const *offsets, pto_value *const *sizes);
/* A tile. `addr` (i64, bytes in its memory): level 3, NULL = placement chooses; `valid_rows`, `valid_cols`
 * (index): of a type that leaves them open, else NULL. */
PTO_API pto_value *pto_build_tile(pto_builder *builder, const pto_tile_type *type, pto_value *addr,
                                  pto_value *valid_rows, pto_value *valid_cols);

/* ---- instructions ---- */

/* A form of the table (PTO_FORM_TADD): operands by the position in its C++ order, destination first; NULL
 * where the operand is optional, an attribute, or counts. Their kinds are checked here, their types and
 * shapes when the program is verified. */
PTO_API pto_status pto_build_instr(pto_builder *builder, int form, pto_value *const *operands, size_t count,
                                   const pto_build_attr *attrs, size_t attr_count);
/* A form whose level-2 text has a result: views of a tile (PTO_FORM_TRESHAPE, PTO_FORM_TALIAS), whose
 * destination is left out, and PTO_FORM_TASSIGN, whose result is the tile that it places. `type` is that of
 * the result, NULL = of the operand. */
PTO_API pto_value *pto_build_instr_result(pto_builder *builder, int form, pto_value *const *operands,
                                          size_t count, const pto_build_attr *attrs, size_t attr_count,
                                          const pto_tile_type *type);
/* PTO_FORM_TRESHAPE of a tile. */
PTO_API pto_value *pto_build_reshape(pto_builder *builder, pto_value *source, const pto_tile_type *type);

/* ---- structured control flow (60, 3.3) ---- */

/* Opens scf.for: the counter is returned, `carried` receives what the turns hand on, of the types of `init`.
 */
PTO_API pto_value *pto_build_for(pto_builder *builder, pto_value *lower, pto_value *upper, pto_value *step,
                                 size_t count, pto_value *const *init, pto_value **carried);
/* Ends the loop; `next` goes to the next turn, `results` receives what the last one left. */
PTO_API pto_status pto_build_end_for(pto_builder *builder, size_t count, pto_value *const *next,
                                     pto_value **results);
/* Opens scf.if on an i1, with results of these types; those need an else. */
PTO_API pto_status pto_build_if(pto_builder *builder, pto_value *condition, size_t count,
                                const pto_type *const *types);
PTO_API pto_status pto_build_else(pto_builder *builder, size_t count, pto_value *const *values);
PTO_API pto_status pto_build_end_if(pto_builder *builder, size_t count, pto_value *const *values,
                                    pto_value **results);
/* Opens scf.while: what stands behind it decides; pto_build_do opens its body with values of its own. */
PTO_API pto_status pto_build_while(pto_builder *builder, size_t count, pto_value *const *init,
                                   pto_value **carried);
PTO_API pto_status pto_build_do(pto_builder *builder, pto_value *condition, size_t count,
                                pto_value *const *values, pto_value **passed);
PTO_API pto_status pto_build_end_while(pto_builder *builder, size_t count, pto_value *const *next,
                                       pto_value **results);
/* Opens scf.execute_region, with results of these types; it may have several blocks. pto_build_yield ends the
 * block at hand with the results. */
PTO_API pto_status pto_build_execute_region(pto_builder *builder, size_t count, const pto_type *const *types);
PTO_API pto_status pto_build_yield(pto_builder *builder, size_t count, pto_value *const *values);
/* Every block must have ended. `results` receives the results. */
PTO_API pto_status pto_build_end_execute_region(pto_builder *builder, pto_value **results);
/* Opens scf.index_switch on an index, with results of these types. Each arm is opened by pto_build_case, the
 * last one, which there must be, by pto_build_default, and ends with pto_build_yield. At most 256 cases. */
PTO_API pto_status pto_build_index_switch(pto_builder *builder, pto_value *value, size_t count,
                                          const pto_type *const *types);
PTO_API pto_status pto_build_case(pto_builder *builder, int64_t number);
PTO_API pto_status pto_build_default(pto_builder *builder);
PTO_API pto_status pto_build_end_index_switch(pto_builder *builder, pto_value **results);
/* pto.section.cube or pto.section.vector. */
PTO_API pto_status pto_build_section(pto_builder *builder, bool vector);
PTO_API pto_status pto_build_end_section(pto_builder *builder);

/* ---- blocks (60, 3.3: cf) ---- */

/* A further block of the open function or scf.execute_region, behind those made before; `arguments` receives
 * its arguments of these types. Operations go into it from pto_build_enter_block on: once, or until it has
 * ended, which pto_build_return, pto_build_yield or a branch does. NULL when refused. */
PTO_API pto_block *pto_build_block(pto_builder *builder, const pto_type *const *types, size_t count,
                                   pto_value **arguments);
PTO_API pto_status pto_build_enter_block(pto_builder *builder, pto_block *block);
/* Where a branch leads: a block of the same region that is not its first, and the values of its arguments. */
typedef struct pto_build_successor {
    pto_block *block;
    size_t count;
    pto_value *const *values;
} pto_build_successor;
/* cf.br; cf.cond_br on an i1; cf.switch on an integer. They end the block at hand; lists are copied. */
PTO_API pto_status pto_build_branch(pto_builder *builder, const pto_build_successor *to);
PTO_API pto_status pto_build_cond_branch(pto_builder *builder, pto_value *condition,
                                         const pto_build_successor *yes, const pto_build_successor *no);
PTO_API pto_status pto_build_switch(pto_builder *builder, pto_value *flag,
                                    const pto_build_successor *otherwise, size_t count,
                                    const int64_t *numbers, const pto_build_successor *cases);

/* What the value is called when the program is printed, without %. */
PTO_API pto_status pto_build_name(pto_builder *builder, pto_value *value, const char *name);

PTO_END_DECLS
#endif
