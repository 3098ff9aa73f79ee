/* SPDX-License-Identifier: Apache-2.0 */
/* A straight-line kernel as TileOp blocks (70): every write of a tile is a version of its own, every block
 * takes versions and pushes one. */
#ifndef PTO_EMIT_BLOCKS_H
#define PTO_EMIT_BLOCKS_H

#include "base/sink.h"
#include "base/vec.h"
#include "block/encoding.h"
#include "program/facts.h"
#include "program/value_map.h"

/* What a tile holds between two writes: rows x cols of packed elements. */
typedef struct pto_blocks_version {
    unsigned type; /* code of 70, 5.1 */
    int32_t rows, cols;
    uint32_t bytes; /* of its tile register: a power of two */
    bool predicate; /* bits of a compare */
    int32_t by;     /* record that pushes it */
    int32_t last;   /* last record that reads it, -1 = none */
    int queue;      /* T U M N */
    int32_t pushed; /* number of its push in the queue */
} pto_blocks_version;

/* A scalar of B.IOR. */
typedef struct pto_blocks_scalar {
    enum { SCALAR_NONE, SCALAR_BITS, SCALAR_ARGUMENT, SCALAR_ADDRESS } kind;
    uint64_t bits;     /* of the element; of SCALAR_ADDRESS the byte offset */
    uint32_t argument; /* number of the entry's parameter */
} pto_blocks_scalar;

typedef struct pto_blocks_record {
    const pto_block_op *op;
    const pto_operation *from;
    const char *modifier; /* "LT", "NZ2ND" or NULL */
    const char *extra;    /* further items in the brackets, ", FP16, RNE", or "" */
    unsigned type;
    int32_t lb[3];
    int lbs; /* how many of them are written */
    int32_t src[3];
    int srcs;
    int32_t dst; /* version, -1 = none */
    bool acc;    /* the destination is ACC */
    bool live;
    pto_blocks_scalar scalar[2];
} pto_blocks_record;

typedef struct pto_blocks {
    pto_program *program;
    pto_arena *arena;
    pto_diag_list *diags;
    pto_value_map at;     /* root of a tile -> its version, NO_VERSION, IN_ACC */
    pto_value_map number; /* argument -> its number */
    PTO_VEC(pto_blocks_version) version;
    PTO_VEC(pto_blocks_record) record;
    const pto_value *acc; /* whose products are in ACC */
    bool failed;
} pto_blocks;

pto_status pto_emit_tile_blocks(pto_program *program, pto_write_fn write, void *context,
                                pto_diag_list *diags);

/* PTO-E0264 at an operation. */
void pto_blocks_refuse(pto_blocks *b, const pto_operation *op, const char *format, ...) PTO_PRINTF(3, 4);
/* Gives queues and writes the lines; false when there are more live tiles than the queues reach. */
bool pto_blocks_write(pto_blocks *b, const pto_operation *entry, pto_sink *sink);

#endif
