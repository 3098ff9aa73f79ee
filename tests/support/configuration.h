/* SPDX-License-Identifier: Apache-2.0 */
/* Legal calls of any form of the table, found by search: types, extents, layouts, memories, placement,
 * scalars and attributes of a guess change one at a time as long as no earlier check of the form fails
 * because of it. Nothing here knows an instruction; what helps the search are names and roles of operands. */
#ifndef PTO_TESTS_CONFIGURATION_H
#define PTO_TESTS_CONFIGURATION_H

#include "isa/isa.h"
#include "reference/conv.h"
#include "support/tile_testing.h"
#include <pto/ops.h>

enum { CONFIGURATION_MAX_BYTES = 1 << 15 }; /* of one operand */

typedef struct configuration_tile {
    pto_dtype dtype;
    pto_loc loc;
    testing_layout layout;
    int32_t fractal;
    int32_t valid_rows, valid_cols; /* the capacity is the smallest around, plus slack */
    int32_t slack_rows, slack_cols;
    pto_pad pad;
    int shares; /* operand at whose address it starts, -1 = its own */
} configuration_tile;

typedef struct configuration_operand {
    bool present;
    configuration_tile tile;
    pto_layout layout; /* of a tensor: extents follow from tile.valid_rows, tile.valid_cols, with a gap
                          between rows; of a convolution tile, and of a tensor beside one: extents follow from
                          `image` of the call */
    bool five;         /* FRACTAL_Z of five dimensions */
    int32_t gap;
    pto_scalar scalar;
} configuration_operand;

/* A call that is legal on a target, independent of any core. */
typedef struct configuration {
    pto_form form;
    pto_target target;
    pto_dtype var[6];  /* element types of T S D A B I */
    conv_tensor image; /* what the convolution tiles of the call hold */
    configuration_operand operand[PTO_MAX_OPERANDS];
} configuration;

/* Element types of the type variables, one assignment after another, of what the target's column accepts;
 * false behind the last. `*explicit_types` = the column names it, so that a legal call must exist. */
bool configuration_types(const pto_form_desc *form, pto_target target, int index, pto_dtype var[6],
                         bool *explicit_types);

/* Looks for a legal call with these types and about `rows` x `cols` elements. `hint`, if given, is a legal
 * call of the form to start from. */
bool configuration_find(configuration *c, testing_random *random, pto_form form, pto_target target,
                        const pto_dtype var[6], int32_t rows, int32_t cols, const configuration *hint);

/* The call on a core of its target: tiles placed and filled, tensors allocated. */
typedef struct configuration_call {
    pto_instr instr;
    pto_tile tile[PTO_MAX_OPERANDS];
    pto_global global[PTO_MAX_OPERANDS];
    void *buffer[PTO_MAX_OPERANDS];
    size_t buffer_bytes[PTO_MAX_OPERANDS];
    pto_merge_counts counts;
    pto_conv conv[PTO_MAX_OPERANDS];
} configuration_call;
/* The same seed gives the same bytes: all kinds of numbers, for 0 only ordinary ones (floats around 1). */
void configuration_start(const configuration *c, pto_core *core, uint64_t seed, configuration_call *call);
void configuration_end(configuration_call *call);
/* A hash of everything the call may have written: tiles with their extents, tensors, counts. */
uint64_t configuration_hash(const configuration_call *call);
/* Bytes of all tiles and tensors, each once. */
size_t configuration_bytes(const configuration *c);
/* One line for messages. */
void configuration_text(const configuration *c, char *text, size_t size);

#endif
