/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens and expressions of block assembly. */
#include "block/assemble.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool pto_block_refuse(pto_block_assembler *as, size_t begin, const char *rule, const char *format, ...) {
    if (as->statement_failed)
        return false;
    as->statement_failed = as->failed = true;
    va_list arguments;
    va_start(arguments, format);
    size_t end = begin;
    while (end < as->end && strchr(" \t\r\n,;<>[]", as->text[end]) == NULL)
        end++;
    pto_diag_add_v(as->diags, PTO_ERROR, rule, pto_at(as->source, begin, end), format, arguments);
    va_end(arguments);
    return false;
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' || c == '.';
}

/* Blanks, and comments inside the statement. */
void pto_block_skip(pto_block_assembler *as) {
    while (as->at < as->end) {
        const char c = as->text[as->at];
        if (c == ' ' || c == '\t' || c == '\r') {
            as->at++;
        } else if (c == '/' && as->at + 1 < as->end && as->text[as->at + 1] == '*') {
            as->at += 2;
            while (as->at < as->end &&
                   !(as->text[as->at] == '*' && as->at + 1 < as->end && as->text[as->at + 1] == '/'))
                as->at++;
            as->at = as->at + 2 < as->end ? as->at + 2 : as->end;
        } else {
            break;
        }
    }
}
bool pto_block_done(pto_block_assembler *as) {
    pto_block_skip(as);
    return as->at >= as->end;
}
char pto_block_peek(pto_block_assembler *as) {
    pto_block_skip(as);
    return as->at < as->end ? as->text[as->at] : 0;
}
bool pto_block_accept(pto_block_assembler *as, const char *punctuation) {
    pto_block_skip(as);
    const size_t length = strlen(punctuation);
    if (as->end - as->at < length || memcmp(as->text + as->at, punctuation, length))
        return false;
    as->at += length;
    return true;
}
bool pto_block_expect(pto_block_assembler *as, const char *punctuation) {
    return pto_block_accept(as, punctuation) ||
           pto_block_refuse(as, as->at, "PTO-E0201", "expected '%s'", punctuation);
}
pto_str pto_block_word_peek(pto_block_assembler *as) {
    pto_block_skip(as);
    size_t end = as->at;
    while (end < as->end && is_word(as->text[end]))
        end++;
    return (pto_str){as->text + as->at, end - as->at};
}
pto_str pto_block_word(pto_block_assembler *as) {
    const pto_str word = pto_block_word_peek(as);
    as->at += word.len;
    return word;
}
pto_str pto_block_name(pto_block_assembler *as) {
    pto_str word = pto_block_word_peek(as);
    for (size_t i = 0; i < word.len; i++)
        if (word.data[i] == '.')
            word.len = i;
    as->at += word.len;
    return word;
}

/* ---- expressions ---- */

enum { MAX_DEPTH = 64 };
static bool parse_binary(pto_block_assembler *as, int level, int depth, int64_t *value);

static bool parse_number(pto_str word, int64_t *value) {
    if (word.len > 2 && word.data[0] == '0' && (word.data[1] | 32) == 'b') {
        uint64_t bits = 0;
        bool good = word.len <= 66;
        for (size_t i = 2; i < word.len && good; i++) {
            good = word.data[i] == '0' || word.data[i] == '1';
            bits = bits << 1 | (uint64_t)(word.data[i] & 1);
        }
        *value = (int64_t)bits;
        return good;
    }
    uint64_t number;
    if (pto_str_parse_u64(word, &number) != PTO_PARSE_OK)
        return false;
    *value = (int64_t)number;
    return true;
}

static bool parse_primary(pto_block_assembler *as, int depth, int64_t *value) {
    if (depth > MAX_DEPTH)
        return pto_block_refuse(as, as->at, "PTO-E0203", "the expression is nested too deeply");
    if (pto_block_accept(as, "(")) {
        return parse_binary(as, 0, depth + 1, value) && pto_block_expect(as, ")");
    }
    if (pto_block_accept(as, "-") || pto_block_accept(as, "+") || pto_block_accept(as, "~")) {
        const char sign = as->text[as->at - 1];
        if (!parse_primary(as, depth + 1, value))
            return false;
        if (sign == '-')
            *value = (int64_t)(0 - (uint64_t)*value);
        if (sign == '~')
            *value = ~*value;
        return true;
    }
    const size_t begin = (pto_block_skip(as), as->at);
    const pto_str word = pto_block_word(as);
    if (!word.len)
        return pto_block_refuse(as, begin, "PTO-E0201", "expected a number or a name");
    if (word.len == 1 && word.data[0] == '.') {
        *value = (int64_t)as->address;
        as->moving = true;
        return true;
    }
    if (word.data[0] >= '0' && word.data[0] <= '9')
        return parse_number(word, value) ||
               pto_block_refuse(as, begin, "PTO-E0201", "%.*s is no number", PTO_STR_ARG(word));
    const pto_map_value *found = pto_map_find(&as->symbols, word);
    const pto_block_symbol *symbol = found ? found->pointer : NULL;
    *value = 0;
    if (!symbol) {
        as->unknown = true;
        return !as->final ||
               pto_block_refuse(as, begin, "PTO-E0214", "%.*s is not defined", PTO_STR_ARG(word));
    }
    if (symbol->is_label || symbol->defined > begin)
        as->moving = true;
    as->unknown |= !symbol->known;
    *value = symbol->value;
    return true;
}

static const char *const operators[][4] = {{"|", "^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { LEVELS = 5, SUM_LEVEL = 3 };

static bool apply(pto_block_assembler *as, size_t begin, const char *op, uint64_t right, int64_t *value) {
    const uint64_t left = (uint64_t)*value;
    switch (*op) {
    case '|':
        *value = (int64_t)(left | right);
        return true;
    case '^':
        *value = (int64_t)(left ^ right);
        return true;
    case '&':
        *value = (int64_t)(left & right);
        return true;
    case '<':
        *value = (int64_t)(right < 64 ? left << right : 0);
        return true;
    case '>':
        *value = (int64_t)(right < 64 ? left >> right : 0);
        return true;
    case '+':
        *value = (int64_t)(left + right);
        return true;
    case '-':
        *value = (int64_t)(left - right);
        return true;
    case '*':
        *value = (int64_t)(left * right);
        return true;
    default:
        break;
    }
    if (!right) {
        if (as->unknown) {
            *value = 0;
            return true;
        }
        return pto_block_refuse(as, begin, "PTO-E1603", "division by zero");
    }
    if (*op == '/')
        *value = right == UINT64_MAX ? (int64_t)(0 - left) : *value / (int64_t)right;
    else
        *value = right == UINT64_MAX ? 0 : *value % (int64_t)right;
    return true;
}

static bool parse_binary(pto_block_assembler *as, int level, int depth, int64_t *value) {
    if (level == LEVELS)
        return parse_primary(as, depth, value);
    if (!parse_binary(as, level + 1, depth, value))
        return false;
    for (;;) {
        const char *op = NULL;
        pto_block_skip(as);
        const size_t begin = as->at;
        for (int i = 0; i < 4 && operators[level][i] && !op; i++) {
            /* the arrow of a destination is no minus */
            if (operators[level][i][0] == '-' && as->end - as->at >= 2 && as->text[as->at + 1] == '>')
                continue;
            if (pto_block_accept(as, operators[level][i]))
                op = operators[level][i];
        }
        if (!op)
            return true;
        int64_t right;
        if (!parse_binary(as, level + 1, depth, &right) || !apply(as, begin, op, (uint64_t)right, value))
            return false;
    }
}

bool pto_block_expression(pto_block_assembler *as, int64_t *value) {
    as->unknown = as->moving = false;
    return parse_binary(as, 0, 0, value);
}
bool pto_block_sum(pto_block_assembler *as, int64_t *value) {
    as->unknown = as->moving = false;
    return parse_binary(as, SUM_LEVEL, 0, value);
}

/* ---- operands ---- */

bool pto_block_parse_gpr(pto_block_assembler *as, int64_t *code) {
    const size_t begin = (pto_block_skip(as), as->at);
    const pto_str name = pto_block_name(as);
    *code = pto_block_gpr_find(name);
    return *code >= 0 || pto_block_refuse(as, begin, "PTO-E0201", "expected a register");
}

static int queue_of(char c) {
    static const char names[] = "TUMN";
    const char *found = c ? strchr(names, c & ~32) : NULL;
    return found && *found ? (int)(found - names) : -1;
}

bool pto_block_at_tile(pto_block_assembler *as) {
    pto_block_skip(as);
    return as->end - as->at >= 2 && queue_of(as->text[as->at]) >= 0 && as->text[as->at + 1] == '#';
}

bool pto_block_tile_ref(pto_block_assembler *as, int64_t *code, bool *reuse) {
    const size_t begin = (pto_block_skip(as), as->at);
    if (!pto_block_at_tile(as))
        return pto_block_refuse(as, begin, "PTO-E0201", "expected a tile, such as T#1");
    const int queue = queue_of(as->text[as->at]);
    as->at += 2;
    uint64_t distance = 0;
    const pto_str word = pto_block_name(as);
    if (pto_str_parse_u64(word, &distance) != PTO_PARSE_OK || distance < 1 || distance > 16)
        return pto_block_refuse(as, begin, "PTO-E1607", "a tile is named by a distance of 1 to 16");
    *code = 16 * queue + (int64_t)distance - 1;
    const pto_str suffix = pto_block_word_peek(as);
    *reuse = pto_str_equal_ignore_case(suffix, PTO_STR(".reuse"));
    if (*reuse)
        as->at += suffix.len;
    else if (suffix.len)
        return pto_block_refuse(as, as->at, "PTO-E0201", "the only suffix of a tile is .reuse");
    return true;
}

bool pto_block_size(pto_block_assembler *as, int64_t *code) {
    if (!pto_block_expect(as, "<"))
        return false;
    const size_t begin = (pto_block_skip(as), as->at);
    const pto_str word = pto_block_word(as);
    size_t digits = 0;
    while (digits < word.len && word.data[digits] >= '0' && word.data[digits] <= '9')
        digits++;
    uint64_t number = 0, unit = 0;
    if (!digits || pto_str_parse_u64((pto_str){word.data, digits}, &number) != PTO_PARSE_OK ||
        number > 1 << 20)
        return pto_block_refuse(as, begin, "PTO-E1605", "a tile size is written as a number, such as 1KB");
    const pto_str suffix = {word.data + digits, word.len - digits};
    if (pto_str_equal_ignore_case(suffix, PTO_STR("B")))
        unit = 1;
    else if (pto_str_equal_ignore_case(suffix, PTO_STR("K")) ||
             pto_str_equal_ignore_case(suffix, PTO_STR("KB")) ||
             pto_str_equal_ignore_case(suffix, PTO_STR("KiB")))
        unit = 1024;
    else if (suffix.len)
        return pto_block_refuse(as, begin, "PTO-E1605", "the unit of a tile size is B or KB");
    if (!unit) {
        if (number < 1 || number > 15)
            return pto_block_refuse(as, begin, "PTO-E1603", "a size code is 1 to 15");
        *code = (int64_t)number;
        return pto_block_expect(as, ">");
    }
    for (int c = 1; c <= 15; c++)
        if (number * unit == UINT64_C(16) << c) {
            *code = c;
            return pto_block_expect(as, ">");
        }
    return pto_block_refuse(as, begin, "PTO-E1603", "a tile size is a power of two of 32 B to 512 KB");
}

bool pto_block_result(pto_block_assembler *as, int64_t *queue, int64_t *size) {
    const size_t begin = (pto_block_skip(as), as->at);
    const pto_str name = pto_block_name(as);
    *queue = name.len == 1 ? queue_of(name.data[0]) : -1;
    if (*queue < 0)
        return pto_block_refuse(as, begin, "PTO-E0201", "expected a queue: T, U, M or N");
    return pto_block_size(as, size);
}
