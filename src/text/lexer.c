/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of every text form. */
#include "text/lexer.h"

#include <string.h>

enum { LETTER = 1, DIGIT = 2, HEX = 4, WORD = 8, SUFFIX = 16, SIGIL = 32, PUNCT = 64 };

/* What a character may be: [a-zA-Z_], [0-9], hexadecimal, part of a word, part of a suffix, the first of a
 * name, a token of its own. */
#define SIX(c, kind)                                                                                         \
    [c] = kind, [c + 1] = kind, [c + 2] = kind, [c + 3] = kind, [c + 4] = kind, [c + 5] = kind
#define NAMED (LETTER | WORD | SUFFIX)
static const uint8_t classes[256] = {
    SIX('0', DIGIT | HEX | WORD | SUFFIX),
    ['6'] = DIGIT | HEX | WORD | SUFFIX,
    ['7'] = DIGIT | HEX | WORD | SUFFIX,
    ['8'] = DIGIT | HEX | WORD | SUFFIX,
    ['9'] = DIGIT | HEX | WORD | SUFFIX,
    SIX('a', NAMED | HEX),
    SIX('A', NAMED | HEX),
    SIX('g', NAMED),
    SIX('G', NAMED),
    SIX('m', NAMED),
    SIX('M', NAMED),
    SIX('s', NAMED),
    SIX('S', NAMED),
    ['y'] = NAMED,
    ['z'] = NAMED,
    ['Y'] = NAMED,
    ['Z'] = NAMED,
    ['_'] = NAMED,
    ['$'] = WORD | SUFFIX,
    ['.'] = WORD | SUFFIX,
    ['-'] = SUFFIX | PUNCT,
    ['%'] = SIGIL,
    ['^'] = SIGIL,
    ['@'] = SIGIL,
    ['!'] = SIGIL,
    ['#'] = SIGIL,
    ['('] = PUNCT,
    [')'] = PUNCT,
    ['['] = PUNCT,
    [']'] = PUNCT,
    ['{'] = PUNCT,
    ['}'] = PUNCT,
    ['<'] = PUNCT,
    ['>'] = PUNCT,
    [','] = PUNCT,
    [':'] = PUNCT,
    ['='] = PUNCT,
    [';'] = PUNCT,
    ['+'] = PUNCT,
    ['*'] = PUNCT,
    ['/'] = PUNCT,
    ['?'] = PUNCT,
    ['|'] = PUNCT,
    ['&'] = PUNCT,
};

static bool is(char c, int kinds) { return classes[(unsigned char)c] & kinds; }
static bool is_letter(char c) { return is(c, LETTER); }
static bool is_digit(char c) { return is(c, DIGIT); }
static bool is_hex(char c) { return is(c, HEX); }
static bool is_word(char c) { return is(c, WORD); }

/* How many characters from `ahead` on are of the kind. */
static uint32_t run(const pto_lexer *lexer, uint32_t ahead, int kind) {
    const char *text = lexer->text;
    uint32_t from = lexer->at + ahead, to = from;
    while (to < lexer->len && is(text[to], kind))
        to++;
    return to - from;
}

void pto_lexer_init(pto_lexer *lexer, const char *text, uint32_t len) {
    *lexer = (pto_lexer){.text = text, .len = len, .line_start = true};
    /* A byte order mark is no text. */
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        lexer->at = 3;
}

void pto_lexer_seek(pto_lexer *lexer, uint32_t offset) {
    lexer->at = offset;
    lexer->line_start = false;
}

static char peek(const pto_lexer *lexer, uint32_t ahead) {
    return ahead < lexer->len - lexer->at ? lexer->text[lexer->at + ahead] : '\0';
}

/* `#name =`, `#name<` and `#name.` begin attributes; any other # at the start of a line is a comment. */
static bool is_attribute(const pto_lexer *lexer) {
    uint32_t i = 1;
    if (!is_letter(peek(lexer, i)))
        return false;
    while (is_word(peek(lexer, i)))
        i++;
    if (peek(lexer, i) == '<')
        return true;
    while (peek(lexer, i) == ' ' || peek(lexer, i) == '\t')
        i++;
    return peek(lexer, i) == '=';
}

static void skip_line(pto_lexer *lexer) {
    const char *from = lexer->text + lexer->at;
    const char *end = memchr(from, '\n', lexer->len - lexer->at);
    lexer->at = end ? (uint32_t)(end - lexer->text) : lexer->len;
}

static void skip_blanks(pto_lexer *lexer) {
    while (lexer->at < lexer->len) {
        char c = lexer->text[lexer->at];
        if (c == '\n') {
            lexer->line_start = true;
            lexer->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            skip_line(lexer);
        } else if (c == '#' && lexer->line_start && (lexer->hash_comments || !is_attribute(lexer))) {
            skip_line(lexer);
        } else {
            return;
        }
    }
}

static uint32_t number(pto_lexer *lexer, pto_token_kind *kind) {
    uint32_t i = 0;
    *kind = PTO_TOKEN_INT;
    if (peek(lexer, 0) == '0' && (peek(lexer, 1) == 'x' || peek(lexer, 1) == 'X') && is_hex(peek(lexer, 2))) {
        for (i = 2; is_hex(peek(lexer, i)); i++)
            ;
        return i;
    }
    while (is_digit(peek(lexer, i)))
        i++;
    if (peek(lexer, i) == '.' && peek(lexer, i + 1) != '.') {
        *kind = PTO_TOKEN_FLOAT;
        for (i++; is_digit(peek(lexer, i)); i++)
            ;
    }
    if (peek(lexer, i) == 'e' || peek(lexer, i) == 'E') {
        uint32_t j = i + 1;
        if (peek(lexer, j) == '+' || peek(lexer, j) == '-')
            j++;
        if (is_digit(peek(lexer, j))) {
            *kind = PTO_TOKEN_FLOAT;
            while (is_digit(peek(lexer, j)))
                j++;
            i = j;
        }
    }
    return i;
}

/* Length of a string with its quotes; 0 when it does not end on its line. */
static uint32_t string(const pto_lexer *lexer, uint32_t from) {
    for (uint32_t i = from + 1;; i++) {
        char c = peek(lexer, i);
        if (c == '"')
            return i + 1;
        if (c == '\n' || lexer->at + i >= lexer->len)
            return 0;
        if (c == '\\' && lexer->at + i + 1 < lexer->len && peek(lexer, i + 1) != '\n')
            i++;
    }
}

static uint32_t sigil(pto_lexer *lexer, pto_token_kind *kind) {
    char c = peek(lexer, 0);
    uint32_t i = 1;
    *kind = c == '%'   ? PTO_TOKEN_VALUE
            : c == '^' ? PTO_TOKEN_LABEL
            : c == '@' ? PTO_TOKEN_SYMBOL
            : c == '!' ? PTO_TOKEN_BANG
                       : PTO_TOKEN_HASH;
    if (c == '@' && peek(lexer, 1) == '"') {
        i = string(lexer, 1);
        if (!i) {
            lexer->error = "the string does not end on its line";
            *kind = PTO_TOKEN_ERROR;
            skip_line(lexer);
        }
        return i;
    }
    if (c == '!' || c == '#') {
        i += run(lexer, i, WORD);
        /* `!pto.tile<...>`: a trailing dot belongs to no name. */
        while (i > 1 && peek(lexer, i - 1) == '.')
            i--;
    } else {
        i += run(lexer, i, SUFFIX);
        for (uint32_t k = 1; k < i; k++) /* an arrow ends the name */
            if (peek(lexer, k) == '-' && peek(lexer, k + 1) == '>')
                i = k;
    }
    if (c == '%' && i > 1 && peek(lexer, i) == '#' && is_digit(peek(lexer, i + 1)))
        for (i++; is_digit(peek(lexer, i)); i++)
            ;
    if (i == 1) {
        lexer->error = "a name must follow";
        *kind = PTO_TOKEN_ERROR;
    }
    return i;
}

pto_token pto_lexer_next(pto_lexer *lexer) {
    skip_blanks(lexer);
    pto_token token = {.kind = PTO_TOKEN_END, .first = lexer->line_start, .begin = lexer->at};
    lexer->line_start = false;
    uint32_t len = 0;
    char c = peek(lexer, 0);
    if (lexer->at >= lexer->len) {
        token.first = true;
    } else if (is_letter(c)) {
        token.kind = PTO_TOKEN_WORD;
        len = run(lexer, 0, WORD);
        while (peek(lexer, len - 1) == '.')
            len--;
    } else if (is_digit(c)) {
        len = number(lexer, &token.kind);
    } else if (is(c, SIGIL)) {
        len = sigil(lexer, &token.kind);
    } else if (c == '"') {
        len = string(lexer, 0);
        token.kind = PTO_TOKEN_STRING;
        if (!len) {
            token.kind = PTO_TOKEN_ERROR;
            lexer->error = "the string does not end on its line";
            skip_line(lexer);
        }
    } else if (c == '-' && peek(lexer, 1) == '>') {
        token.kind = PTO_TOKEN_ARROW;
        len = 2;
    } else if (c == '.' && peek(lexer, 1) == '.' && peek(lexer, 2) == '.') {
        token.kind = PTO_TOKEN_ELLIPSIS;
        len = 3;
    } else if (c == '.' && is_letter(peek(lexer, 1))) {
        token.kind = PTO_TOKEN_DOTWORD;
        for (len = 1; is_letter(peek(lexer, len)) || is_digit(peek(lexer, len)); len++)
            ;
    } else if (is(c, PUNCT)) {
        token.kind = PTO_TOKEN_PUNCT;
        token.punct = c;
        len = 1;
    } else {
        token.kind = PTO_TOKEN_ERROR;
        lexer->error = "this character begins no token";
        /* One token for all the bytes of a character. */
        for (len = 1; ((unsigned char)peek(lexer, len) & 0xc0) == 0x80; len++)
            ;
    }
    lexer->at += len;
    token.end = lexer->at;
    token.text = (pto_str){lexer->text + token.begin, token.end - token.begin};
    return token;
}

pto_str pto_token_name(pto_token token) {
    pto_str name = pto_str_slice(token.text, 1, token.text.len);
    if (token.kind == PTO_TOKEN_SYMBOL && name.len >= 2 && name.data[0] == '"')
        return pto_str_slice(name, 1, name.len - 1);
    return name;
}
