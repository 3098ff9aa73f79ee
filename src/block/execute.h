/* SPDX-License-Identifier: Apache-2.0 */
/* One tile block on its way through the checks of 70, 7.3 to its effects. */
#ifndef PTO_BLOCK_EXECUTE_H
#define PTO_BLOCK_EXECUTE_H

#include "block/machine.h"
#include "number/element_types.h"
#include "number/format.h"

enum { PTO_BLOCK_LAYOUT_ACC = 6 }; /* NZ in fractals of 16 columns, whatever the element (3.5) */

typedef struct pto_block_job {
    pto_block_machine *m;
    const pto_block_state *s;
    const pto_block_op *op;
    unsigned type, type2;      /* type2: of the second attribute, or `type` */
    int32_t cols, rows, pitch; /* LB0, LB1, LB2 with their defaults; M, N, K for CUBE */
    pto_block_entry *src[PTO_BLOCK_MAX_SOURCES];
    uint64_t reg[PTO_BLOCK_MAX_REGS];
    bool reg_given[PTO_BLOCK_MAX_REGS];
    pto_block_entry dst[PTO_BLOCK_MAX_RESULTS]; /* data NULL until allocated */
    unsigned flags;                             /* to be raised */
    bool acc_dies;
} pto_block_job;

bool pto_block_tile_fault(pto_block_job *job, const char *rule, const char *operand, const char *format, ...)
    PTO_PRINTF(4, 5);
/* "U#1" of source i. */
const char *pto_block_source_name(const pto_block_job *job, int i, char buffer[16]);

/* Destination i: Row from its size, then a buffer. ALLOC faults. */
bool pto_block_allocate(pto_block_job *job, int i, unsigned type, bool predicate, unsigned layout,
                        int32_t cols, int32_t valid_rows, int32_t valid_cols);
/* Everything outside the valid region of destination i: the pad of the block. */
void pto_block_pad(pto_block_job *job, int i);
void pto_block_fill_outside(pto_block_entry *entry, bool defined, uint64_t pattern);

/* The pattern of Zero, Max, Min of a type (70, 8). */
uint64_t pto_block_pad_pattern(unsigned type, unsigned pad);

/* Elements by row and column, any layout; codes right-aligned. */
uint64_t pto_block_get(const pto_block_entry *entry, int32_t row, int32_t col);
void pto_block_set(pto_block_entry *entry, int32_t row, int32_t col, uint64_t code);
bool pto_block_get_bit(const pto_block_entry *entry, int32_t row, int32_t col);

/* The type as kernels know it: for values, and for copies of bits. */
pto_dtype pto_block_dtype(unsigned type);
pto_dtype pto_block_bits_dtype(unsigned type);
pto_format pto_block_format(unsigned type);
pto_round_mode pto_block_round_mode(unsigned rmode, unsigned dst_type, unsigned src_type);
/* A tile of the library on the same bytes. */
pto_tile pto_block_tile_of(const pto_block_entry *entry, pto_dtype dtype);
/* An operand: an element from its bits, an attribute. */
pto_operand pto_block_scalar(pto_dtype type, uint64_t bits);
pto_operand pto_block_attr(int64_t value);
static inline pto_operand pto_block_operand(pto_tile *tile) {
    return (pto_operand){.kind = PTO_OPERAND_TILE, .tile = tile};
}
/* An instruction through the door. False: no memory. */
bool pto_block_door(pto_block_job *job, pto_instr *instr);
/* The same from the pattern of ops.def. */
bool pto_block_call(pto_block_job *job, pto_form form, const char *operands, pto_tile *dst,
                    pto_tile *const *src, pto_dtype scalar_type);

/* Checks of source i (step 8): its type, its shape, that its valid region is defined and validly encoded. */
bool pto_block_check_type(pto_block_job *job, int i, unsigned type);
bool pto_block_check_shape(pto_block_job *job, int i, int32_t rows, int32_t cols, int32_t pitch);
bool pto_block_check_values(pto_block_job *job, int i);

/* The flags that the values of a computed block raise. */
unsigned pto_block_flags(const pto_block_job *job);

/* Families: the checks of steps 8 to 10 and the results of a block. */
bool pto_block_run_elementwise(pto_block_job *job);
bool pto_block_run_irregular(pto_block_job *job);
bool pto_block_run_memory(pto_block_job *job);
bool pto_block_run_cube(pto_block_job *job);

#endif
