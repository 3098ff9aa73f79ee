/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the assembler: a cursor over one statement, symbols, what is emitted. */
#ifndef PTO_BLOCK_ASSEMBLE_H
#define PTO_BLOCK_ASSEMBLE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "block/text.h"

typedef struct pto_block_symbol {
    int64_t value;
    size_t defined; /* offset in the text where it stands */
    bool is_label;
    bool known; /* its value was computed */
} pto_block_symbol;

typedef struct pto_block_assembler {
    pto_source *source;
    pto_diag_list *diags;
    pto_arena arena;
    pto_map symbols; /* name -> pto_block_symbol */
    bool compress, final, failed;
    uint64_t origin, address;
    PTO_VEC(uint8_t) bytes;
    PTO_VEC(pto_block_line) lines;
    /* the statement */
    const char *text;
    size_t at, end;
    size_t start; /* where it begins */
    bool statement_failed;
    bool unknown; /* the last expression named a symbol that has no value yet */
    bool moving;  /* ... or one whose value depends on addresses */
} pto_block_assembler;

enum { PTO_BLOCK_MAX_IMAGE = 1 << 26 };

/* All report at `begin` and mark the statement; false. */
bool pto_block_refuse(pto_block_assembler *as, size_t begin, const char *rule, const char *format, ...)
    PTO_PRINTF(4, 5);

/* ---- tokens: leading blanks are skipped ---- */
void pto_block_skip(pto_block_assembler *as);
bool pto_block_done(pto_block_assembler *as);
char pto_block_peek(pto_block_assembler *as);
bool pto_block_accept(pto_block_assembler *as, const char *punctuation);
bool pto_block_expect(pto_block_assembler *as, const char *punctuation);
/* A name of letters, digits, '.', '_', '$'; empty when there is none. peek leaves the cursor. */
pto_str pto_block_word(pto_block_assembler *as);
pto_str pto_block_word_peek(pto_block_assembler *as);
/* The part of a name before its first dot, and the cursor behind it. */
pto_str pto_block_name(pto_block_assembler *as);
bool pto_block_expression(pto_block_assembler *as, int64_t *value);
/* An expression without shifts and bit operators, for immediates with a shift of their own. */
bool pto_block_sum(pto_block_assembler *as, int64_t *value);
bool pto_block_parse_gpr(pto_block_assembler *as, int64_t *code);
/* T#n[.reuse] */
bool pto_block_tile_ref(pto_block_assembler *as, int64_t *code, bool *reuse);
/* The size in <...> of a destination: its code. */
bool pto_block_size(pto_block_assembler *as, int64_t *code);
/* Q<size> */
bool pto_block_result(pto_block_assembler *as, int64_t *queue, int64_t *size);
bool pto_block_at_tile(pto_block_assembler *as);

/* ---- statements ---- */
bool pto_block_emit(pto_block_assembler *as, const pto_block_instr *instr);
/* The mnemonic has been read; false when it is not one of theirs (nothing reported). */
bool pto_block_parse_physical(pto_block_assembler *as, pto_str mnemonic);
bool pto_block_parse_template(pto_block_assembler *as, pto_str mnemonic);

#endif
