/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of building a program from C: what is open, who may be used. The arena has no failure handler
 * here: a NULL from it becomes the status of the builder. */
#ifndef PTO_PROGRAM_BUILDER_H
#define PTO_PROGRAM_BUILDER_H

#include "base/vec.h"
#include "program/facts.h"
#include "program/program.h"
#include <pto/builder.h>

typedef enum pto_open_kind {
    PTO_OPEN_FUNCTION,
    PTO_OPEN_FOR,
    PTO_OPEN_IF,
    PTO_OPEN_ELSE,
    PTO_OPEN_WHILE, /* the part that decides */
    PTO_OPEN_DO,
    PTO_OPEN_SECTION,
    PTO_OPEN_EXECUTE,
    PTO_OPEN_SWITCH /* block NULL: no arm yet */
} pto_open_kind;

/* A region that operations go into. */
typedef struct pto_open {
    pto_open_kind kind;
    pto_operation *op; /* a loop, ...: appended to its block already */
    pto_block *block;  /* where operations go; others of its region may stand before and behind it */
    PTO_VEC(int64_t) cases;
} pto_open;

struct pto_builder {
    pto_program *program;
    pto_diag_list *diags;
    pto_status status;
    PTO_VEC(pto_open) open;
    pto_operation *last; /* the operation that attributes may be given to */
};

/* Reports PTO-E0263 and ends building. Returns false. */
bool pto_builder_refuse(pto_builder *builder, const char *what, const char *format, ...) PTO_PRINTF(3, 4);
/* What the arena has failed with becomes the status; false when the builder has ended. NULL is a builder that
 * has. */
bool pto_builder_goes_on(pto_builder *builder);
/* The value exists here and may be used; refuses by `what`. */
bool pto_builder_may_use(pto_builder *builder, const char *what, const pto_value *value);
bool pto_builder_may_use_all(pto_builder *builder, const char *what, pto_value *const *values, size_t count);
/* The region that operations go into, NULL + refusal outside of functions and behind a terminator. */
pto_open *pto_builder_here(pto_builder *builder, const char *what);
/* The open region must be of this kind; its block may have ended. */
pto_open *pto_builder_inside(pto_builder *builder, const char *what, pto_open_kind kind);
/* Opens a further region of the operation. */
bool pto_builder_enter(pto_builder *builder, pto_open_kind kind, pto_operation *op);
/* The block ends in a return, a yield, a condition or a branch. */
bool pto_block_is_ended(const pto_block *block);
/* Every block of the region must have ended. */
bool pto_builder_all_ended(pto_builder *builder, const char *what, const pto_region *region);
/* The number of values and their types. */
bool pto_builder_fits(pto_builder *builder, const char *what, pto_value *const *values, size_t count,
                      const pto_type *const *types, size_t type_count);
/* Closes the region at hand if `leave`; the status. */
pto_status pto_builder_done(pto_builder *builder, bool leave);

/* A new operation with its operands at the end of the open block; NULL when the builder has ended. */
pto_operation *pto_builder_append(pto_builder *builder, const char *what, pto_op_kind kind,
                                  pto_value *const *operands, size_t count, size_t results);
/* The result of an operation, or NULL when memory is out. */
pto_value *pto_builder_result(pto_builder *builder, pto_operation *op, uint32_t i, const pto_type *type);
/* Sets attributes; an instruction takes those of its form only. */
bool pto_builder_attrs(pto_builder *builder, const char *what, pto_operation *op, const pto_build_attr *attrs,
                       size_t count);

#endif
