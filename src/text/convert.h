/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the conversion of programs between forms (60, 0, 2): a copy into a new program that changes on the
 * way. Two steps go through level 1: PTO-AS <-> level 1 <-> level 2. */
#ifndef PTO_TEXT_CONVERT_H
#define PTO_TEXT_CONVERT_H

#include "program/facts.h"
#include "program/value_map.h"

typedef struct pto_converter pto_converter;
struct pto_converter {
    const pto_program *from;
    pto_source *source; /* of the program that the user gave: what diagnostics point at */
    pto_program *to;
    pto_arena *arena; /* of `to`; has a failure handler */
    pto_diag_list *diags;
    bool failed;              /* something was refused */
    pto_value_map values;     /* old value -> new pto_value, see pto_convert_value */
    pto_type_kind tile_kind;  /* what tile types become: TILE, TILE_BUF, or NONE = as they are */
    bool memrefs_to_pointers; /* PTO-AS memory arguments become pointers */
    /* Copies one operation into the block; decides what it becomes. */
    void (*operation)(pto_converter *converter, const pto_operation *op, pto_block *into);
    void *state; /* of the step */
};

/* Refuses by PTO-E0250 at the operation (or value: span wins when not empty). */
void pto_convert_refuse(pto_converter *converter, pto_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const pto_type *pto_convert_type(pto_converter *converter, const pto_type *type);
const pto_attr *pto_convert_attr(pto_converter *converter, const pto_attr *attr);
void pto_convert_map(pto_converter *converter, const pto_value *from, pto_value *to);
/* The new value of an old one; NULL for NULL and for what has none. */
pto_value *pto_convert_value(const pto_converter *converter, const pto_value *value);
/* The operation without regions, appended: operands, attributes and results mapped. */
pto_operation *pto_convert_plain(pto_converter *converter, const pto_operation *op, pto_block *into);
/* The same with its regions, whose operations go through converter->operation. */
pto_operation *pto_convert_whole(pto_converter *converter, const pto_operation *op, pto_block *into);
void pto_convert_regions(pto_converter *converter, const pto_operation *op, pto_operation *copy);
void pto_convert_block(pto_converter *converter, const pto_block *block, pto_block *into);
void pto_convert_attrs(pto_converter *converter, const pto_operation *op, pto_operation *copy);

/* Building blocks in the new program. */
pto_value *pto_convert_constant(pto_converter *converter, pto_block *into, int64_t number,
                                const pto_type *type);
pto_value *pto_convert_alloc(pto_converter *converter, pto_block *into, const pto_type *type, pto_str name,
                             pto_span span);

/* Steps; `into` is an empty program of the right form. They set converter->failed. */
void pto_convert_copy(pto_converter *converter); /* the same form, or level 2 <-> generic */
void pto_convert_as_to_level1(pto_converter *converter);
void pto_convert_level1_to_as(pto_converter *converter);
void pto_convert_to_handles(pto_converter *converter); /* level 1 -> level 2 */
void pto_convert_to_values(pto_converter *converter);  /* level 2 -> level 1 */

#endif
