/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of every text form (60, 1.1, 3.1). The lexer holds one position; it makes tokens on demand and can
 * be set back to any offset, so that a parser may look ahead by copying it. It allocates nothing. */
#ifndef PTO_TEXT_LEXER_H
#define PTO_TEXT_LEXER_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pto_token_kind {
    PTO_TOKEN_END,
    PTO_TOKEN_ERROR,   /* no token: `error` of the lexer says why */
    PTO_TOKEN_WORD,    /* letter or _, then letters, digits, _ $ . */
    PTO_TOKEN_VALUE,   /* %name or %name#1 */
    PTO_TOKEN_LABEL,   /* ^name */
    PTO_TOKEN_SYMBOL,  /* @name or @"name" */
    PTO_TOKEN_BANG,    /* !name.with.dots */
    PTO_TOKEN_HASH,    /* #name.with.dots */
    PTO_TOKEN_DOTWORD, /* .arg, .const */
    PTO_TOKEN_INT,     /* digits or 0x digits, without sign */
    PTO_TOKEN_FLOAT,   /* without sign */
    PTO_TOKEN_STRING,
    PTO_TOKEN_ARROW,    /* -> */
    PTO_TOKEN_ELLIPSIS, /* ... */
    PTO_TOKEN_PUNCT     /* one of ( ) [ ] { } < > , : = ; - + * / ? | & */
} pto_token_kind;

typedef struct pto_token {
    pto_token_kind kind;
    char punct; /* PUNCT: the character */
    bool first; /* first token of its line */
    uint32_t begin, end;
    pto_str text; /* the bytes, sigil and quotes included */
} pto_token;

typedef struct pto_lexer {
    const char *text;
    uint32_t len;
    uint32_t at;
    bool line_start;    /* only blanks were seen since the last line end */
    bool hash_comments; /* # first on a line always starts a comment (PTO-AS); else only when no alias
                           definition and no dialect attribute follows */
    const char *error;  /* of the last ERROR token */
} pto_lexer;

void pto_lexer_init(pto_lexer *lexer, const char *text, uint32_t len);
pto_token pto_lexer_next(pto_lexer *lexer);
/* Continues at an offset, which is not the start of a line as far as comments are concerned. */
void pto_lexer_seek(pto_lexer *lexer, uint32_t offset);

/* The name behind the sigil of VALUE, LABEL, SYMBOL (quotes removed, escapes not resolved), BANG, HASH. */
pto_str pto_token_name(pto_token token);
static inline bool pto_token_is(pto_token token, char punct) {
    return token.kind == PTO_TOKEN_PUNCT && token.punct == punct;
}
static inline bool pto_token_is_word(pto_token token, const char *word) {
    return token.kind == PTO_TOKEN_WORD && pto_str_equal(token.text, pto_str_from(word));
}

#endif
