/* SPDX-License-Identifier: Apache-2.0 */
/* What the printers and the assembler of the block form share. */
#ifndef PTO_BLOCK_TEXT_H
#define PTO_BLOCK_TEXT_H

#include "block/encoding.h"

/* Text into a buffer, as snprintf: length goes on counting when the buffer is full. */
typedef struct pto_block_out {
    char *buffer;
    size_t capacity, length;
} pto_block_out;

void pto_block_out_add(pto_block_out *out, const char *format, ...) PTO_PRINTF(2, 3);
void pto_block_out_size(pto_block_out *out, unsigned code);
void pto_block_out_tile(pto_block_out *out, unsigned code, bool reuse);
/* `label` stands for the target; NULL = ".+8". */
void pto_block_out_instr(pto_block_out *out, const pto_block_instr *instr, const char *label);

static inline bool pto_block_form_falls(size_t form) {
    return form == BF_BSTART_STD_FALL || form == BF_BSTART_FP_FALL || form == BF_BSTART_SYS_FALL ||
           form == BF_HL_BSTART_STD_FALL || form == BF_HL_BSTART_FP_FALL || form == BF_HL_BSTART_SYS_FALL ||
           form == BF_L_BSTART_STD_FALL;
}

/* The header of one tile block, as a template line or as the words that a template line stands for. */
enum { PTO_BLOCK_MAX_SOURCES = 8, PTO_BLOCK_MAX_RESULTS = 4, PTO_BLOCK_MAX_REGS = 12 };

typedef struct pto_block_dim {
    bool given;
    unsigned reg; /* 0 = none */
    int64_t imm;
} pto_block_dim;

typedef struct pto_block_header {
    const pto_block_op *op;
    unsigned type;
    bool has_datr;
    int64_t datr[PTO_BLOCK_FIELD_COUNT]; /* the fields of B.DATR */
    pto_block_dim dim[3];
    int source_count, result_count, reg_count;
    uint8_t source[PTO_BLOCK_MAX_SOURCES];
    bool reuse[PTO_BLOCK_MAX_SOURCES];
    struct {
        uint8_t queue, size;
    } result[PTO_BLOCK_MAX_RESULTS];
    uint8_t reg[PTO_BLOCK_MAX_REGS];
    uint8_t dep[3], dep_count;
    bool dep_out;
} pto_block_header;

enum { PTO_BLOCK_MAX_HEADER = 24 };
/* Do the fields say nothing but their defaults? */
bool pto_block_datr_default(const int64_t *datr);
/* The instructions of a header in canonical order (70, 4.2); how many. small: dimension k as C.B.DIMI. */
int pto_block_expand(const pto_block_header *header, const bool small[3],
                     pto_block_instr out[PTO_BLOCK_MAX_HEADER]);
/* Folds the header at the start of `instr`; how many instructions it takes, 0 = none. Only when expanding it,
 * with or without compression, gives back the same words. */
int pto_block_fold(const pto_block_instr *instr, size_t count, bool compress, pto_block_header *header);
void pto_block_out_template(pto_block_out *out, const pto_block_header *header);

#endif
