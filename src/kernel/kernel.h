/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: the arithmetic of one instruction. Every file here is compiled once per SIMD level
 * (PTO_SIMD_LEVEL_NAME); PTO_KERNEL(name) makes the symbol of this level and the table of a level
 * is generated from instructions.def. A kernel never checks legality (the door did) and gives the
 * same bits at every level. */
#ifndef PTO_KERNEL_KERNEL_H
#define PTO_KERNEL_KERNEL_H

#include "isa/isa.h"
#include <pto/options.h>

/* What a kernel found in the data that no rule could see before: an index out of range. The door reports it
 * under its rule; of an error the call returns PTO_ERR_REFUSED, whatever the kernel has done by then is what
 * the entry of the instruction orders. */
typedef struct pto_kernel_finding {
    const char *rule; /* NULL = nothing */
    int operand;      /* schema position, -1 = instruction */
    char found[96];
    char allowed[64];
} pto_kernel_finding;

/* What SETFMATRIX and SET_IMG2COL_* leave for TIMG2COL (part 30); the words are those of the hardware. */
typedef struct pto_img2col_registers {
    bool fmatrix_set, repeat_set, padding_set;
    uint64_t fmatrix; /* W, H of 16 bits; left, right, top, bottom of 8 */
    uint64_t repeat;  /* stride 16, time 8, mode 8, destination stride 16, destination m position 16 */
    uint32_t padding; /* an element; of 1 byte twice */
} pto_img2col_registers;

/* What a kernel may ask of the core that runs it. */
typedef struct pto_kernel_host {
    void *user;
    /* Staging memory, 64-byte aligned, one block per call: a second request replaces the first. NULL on
     * exhaustion. */
    void *(*scratch)(void *user, size_t bytes);
    /* Text of TPRINT. */
    void (*print)(void *user, const char *text, size_t len);
    uint8_t *memory[PTO_LOC_COUNT]; /* the on-chip memories, for TASSIGN */
    bool auto_mode;                 /* TASSIGN has no effect */
    uint64_t zero_divisors;         /* counts integer divisions by zero (10, 1.5) */
    pto_kernel_finding finding;     /* empty when a kernel starts */
    uint32_t subblock;              /* 0 or 1: which of the two vector cores this one is */
    bool block_form; /* values and operands of TileOp blocks where they differ (block_form.h) */
    /* The parameters of quantising pushes: SET_QUANT_SCALAR's word; the place of SET_QUANT_VECTOR's table. */
    uint64_t quant_scalar;
    const void *quant_vector;
    /* How the cube reads f32 (part 30, SETHF32MODE; 40, 1.3): fraction bits that it keeps, 0 = all of them,
     * and how it rounds to them. */
    uint8_t cube_f32_bits;
    uint8_t cube_f32_round;           /* pto_round_mode: RINT or ROUND */
    pto_img2col_registers img2col[2]; /* A and B */
} pto_kernel_host;

typedef struct pto_kernel_call {
    const pto_instr *instr;
    pto_target target;
    const pto_numeric_options *numeric;
    pto_kernel_host *host;
} pto_kernel_call;

typedef pto_status (*pto_kernel_fn)(const pto_kernel_call *call);

/* Operand accessors by schema position. */
static inline pto_tile *pto_call_tile(const pto_kernel_call *call, int i) {
    return call->instr->operand[i].kind == PTO_OPERAND_TILE ? call->instr->operand[i].tile : NULL;
}
static inline pto_global *pto_call_global(const pto_kernel_call *call, int i) {
    return call->instr->operand[i].kind == PTO_OPERAND_GLOBAL ? call->instr->operand[i].global : NULL;
}
static inline pto_scalar pto_call_scalar(const pto_kernel_call *call, int i) {
    return call->instr->operand[i].scalar;
}

#define PTO_KERNEL_PASTE2(name, level) pto_kernel_##name##_##level
#define PTO_KERNEL_PASTE(name, level) PTO_KERNEL_PASTE2(name, level)
/* Symbol of a kernel at the level being compiled: pto_kernel_add_avx2. */
#define PTO_KERNEL_SYMBOL(name) PTO_KERNEL_PASTE(name, PTO_SIMD_LEVEL_NAME)
/* Defines a kernel. Its prototype is here and not in a list, so that a new row of the table compiles no
 * kernel again. */
#define PTO_KERNEL(name)                                                                                     \
    pto_status PTO_KERNEL_SYMBOL(name)(const pto_kernel_call *call);                                         \
    pto_status PTO_KERNEL_SYMBOL(name)(const pto_kernel_call *call)

/* An attribute operand, its default when absent. */
static inline int64_t pto_call_attr(const pto_kernel_call *call, int i) {
    return call->instr->operand[i].kind == PTO_OPERAND_SCALAR
               ? call->instr->operand[i].scalar.i
               : pto_form_get(call->instr->form)->operand[i].attr_default;
}

#endif
