/* SPDX-License-Identifier: Apache-2.0 */
/* One legal block of every tile operation on every type, and what can be wrong with it. Include cmocka.h
 * first. */
#ifndef PTO_TESTS_SUPPORT_BLOCK_CALLS_H
#define PTO_TESTS_SUPPORT_BLOCK_CALLS_H

#include "block/encoding.h"
#include "support/block_testing.h"

enum { CALL_ROWS = 6, CALL_COLS = 10, CALL_PITCH = 12 }; /* of most operands: the valid region is partial */

/* What a break does to a block; in the order of 70, 7.3. */
typedef enum call_break {
    BREAK_DUPLICATE,   /* a second LB0 in the header: BUNDLE as it is read */
    BREAK_WORD,        /* a reserved BSTART in place of the stop: ILLEGAL before the block is committed */
    BREAK_BINDINGS,    /* step 3: a tile too many; without tiles, a register too few */
    BREAK_CONTROL,     /* 4: a flag of 2 */
    BREAK_ATTRIBUTE,   /* 5: a field of B.DATR that the operation does not take */
    BREAK_DIMENSION,   /* 6: LB0 is 0 */
    BREAK_TYPE,        /* 6: a type that is not in its table */
    BREAK_SECOND_TYPE, /* 6: a second type that has no meaning there */
    BREAK_SOURCE,      /* 7: the last source was never written */
    BREAK_SOURCE_TYPE, /* 8: the last source has another type */
    BREAK_SHAPE,       /* 8: the last source has a valid region that does not fit the others */
    BREAK_ENCODING,    /* 8: an element of the last source has bits that its type must not have */
    BREAK_DIVISOR,     /* 8: an integer divisor is 0 */
    BREAK_INDEX,       /* 8: an index is out of range */
    BREAK_ACC,         /* 8: no live accumulator */
    BREAK_SIZE,        /* 9: a destination of 32 bytes */
    BREAK_MEMORY,      /* 10: an address where no memory is */
    CALL_BREAKS
} call_break;

typedef struct call_source {
    bool predicate;
    unsigned type;
    int32_t rows, cols, valid_rows, valid_cols;
    uint64_t limit, scale; /* codes are below limit, times scale; limit 0 = any code */
    bool nonzero;
} call_source;

/* The operands of one block. Sources stand in U, the last one is U#1; results go to T and N. */
typedef struct block_call {
    const pto_block_op *op;
    unsigned type, type2; /* type2: 31 = none */
    unsigned pad;         /* 4 = no B.DATR for its sake */
    const char *layout;   /* of B.DATR, or NULL */
    int32_t dim[3];       /* 0 = not given */
    int sources, results, regs;
    call_source source[5];
    uint64_t reg[2];
    bool needs_acc, reuse;
    unsigned breaks; /* bit set of call_break */
} block_call;

/* A legal block of the operation on the type, which must be in its table. */
void block_call_make(block_call *call, const pto_block_op *op, unsigned type);
/* Can this go wrong in a block of the operation? */
bool block_call_breaks(const block_call *call, call_break what);
/* The rule that tells of it. */
const char *block_call_rule(const block_call *call, call_break what);
/* Header and stop as physical lines; the accumulator is made first where the operation reads it. */
void block_call_text(const block_call *call, char *text, size_t capacity);
/* Pushes the sources (also of what makes the accumulator) and sets the registers that the text names; memory
 * lies at BLOCK_MEMORY, 4 KiB at least. values may be NULL, or takes what was pushed. */
void block_call_push(const block_call *call, pto_block_machine *machine, block_values *values);

#endif
