/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, errors and recovery: what every parser of the room stands on. */
#include "text/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A parser that has met so many errors stops, also when nobody keeps them. */
#define ERROR_LIMIT 1000u

static void advance(pto_text_parser *p) {
    p->last_end = p->token.end;
    p->token = pto_lexer_next(&p->lexer);
}

pto_token pto_text_take(pto_text_parser *p) {
    pto_token taken = p->token;
    advance(p);
    return taken;
}

void pto_text_seek(pto_text_parser *p, uint32_t offset) {
    pto_lexer_seek(&p->lexer, offset);
    p->token = pto_lexer_next(&p->lexer);
}

pto_token pto_text_peek(const pto_text_parser *p) {
    pto_lexer ahead = p->lexer;
    return pto_lexer_next(&ahead);
}

bool pto_text_accept(pto_text_parser *p, char punct) {
    if (!pto_text_at(p, punct))
        return false;
    advance(p);
    return true;
}

bool pto_text_accept_word(pto_text_parser *p, const char *word) {
    if (!pto_text_at_word(p, word))
        return false;
    advance(p);
    return true;
}

bool pto_text_accept_kind(pto_text_parser *p, pto_token_kind kind) {
    if (p->token.kind != kind)
        return false;
    advance(p);
    return true;
}

bool pto_text_expect(pto_text_parser *p, char punct, const char *where) {
    if (pto_text_accept(p, punct))
        return true;
    return pto_text_fail(p, "'%c'%s%s", punct, where ? " " : "", where ? where : "");
}

bool pto_text_expect_arrow(pto_text_parser *p, const char *where) {
    if (pto_text_accept_kind(p, PTO_TOKEN_ARROW))
        return true;
    return pto_text_fail(p, "'->'%s%s", where ? " " : "", where ? where : "");
}

bool pto_text_at_end(const pto_text_parser *p) {
    return p->token.kind == PTO_TOKEN_END || pto_text_at(p, '}') ||
           (p->lines && (p->token.first || pto_text_at(p, ';')));
}

pto_span pto_text_span(pto_token token) { return (pto_span){token.begin, token.end}; }

pto_span pto_text_since(const pto_text_parser *p, uint32_t begin) {
    return (pto_span){begin, p->last_end > begin ? p->last_end : begin};
}

/* ---- errors -------------------------------------------------------------------------------- */

static void stop(pto_text_parser *p) {
    p->stopped = true;
    p->lexer.at = p->lexer.len;
    p->token = pto_lexer_next(&p->lexer);
}

static void report(pto_text_parser *p, pto_severity severity, const char *rule, pto_span span,
                   const char *format, va_list arguments) {
    if (p->stopped)
        return;
    pto_diag_add_v(p->diags, severity, rule, pto_at(p->source, span.begin, span.end), format, arguments);
    if (severity == PTO_ERROR && (++p->errors >= ERROR_LIMIT || pto_diag_full(p->diags)))
        stop(p);
}

void pto_text_error(pto_text_parser *p, const char *rule, pto_span span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(p, PTO_ERROR, rule, span, format, arguments);
    va_end(arguments);
}

void pto_text_warn(pto_text_parser *p, const char *rule, pto_span span, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(p, PTO_WARNING, rule, span, format, arguments);
    va_end(arguments);
}

bool pto_text_fail_at(pto_text_parser *p, const char *rule, pto_span span, const char *format, ...) {
    if (!p->failed) {
        va_list arguments;
        va_start(arguments, format);
        report(p, PTO_ERROR, rule, span, format, arguments);
        va_end(arguments);
    }
    p->failed = true;
    return false;
}

bool pto_text_fail(pto_text_parser *p, const char *format, ...) {
    if (p->failed || p->stopped) {
        p->failed = true;
        return false;
    }
    p->failed = true;
    pto_span span = pto_text_span(p->token);
    if (p->token.kind == PTO_TOKEN_ERROR) {
        pto_text_error(p, "PTO-E0202", span, "%s", p->lexer.error);
        return false;
    }
    char what[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pto_token token = p->token;
    bool end = token.kind == PTO_TOKEN_END;
    /* What is missing at the end of a line is missing there, not at the start of the next one. */
    if (end || token.first)
        span = (pto_span){p->last_end, p->last_end};
    size_t shown = token.text.len > 40 ? 40 : token.text.len;
    if (end)
        pto_text_error(p, "PTO-E0201", span, "expected %s, but the text ends", what);
    else
        pto_text_error(p, "PTO-E0201", span, "expected %s, found '%.*s'", what, (int)shown, token.text.data);
    return false;
}

/* Can the token begin a statement of MLIR-like text? */
static bool begins_statement(const pto_text_parser *p) {
    const pto_token *t = &p->token;
    if (!t->first)
        return false;
    switch (t->kind) {
    case PTO_TOKEN_WORD:
        return memchr(t->text.data, '.', t->text.len) || pto_token_is_word(*t, "return") ||
               pto_token_is_word(*t, "module") || pto_token_is_word(*t, "call");
    case PTO_TOKEN_BANG:
    case PTO_TOKEN_HASH:
        return pto_token_is(pto_text_peek(p), '=');
    case PTO_TOKEN_VALUE: {
        pto_token next = pto_text_peek(p);
        return pto_token_is(next, '=') || pto_token_is(next, ':');
    }
    case PTO_TOKEN_STRING:
        return pto_token_is(pto_text_peek(p), '(');
    case PTO_TOKEN_LABEL:
    case PTO_TOKEN_DOTWORD:
        return true;
    default:
        return false;
    }
}

void pto_text_recover(pto_text_parser *p) {
    uint32_t regions = 0;
    uint32_t braces = 0; /* dictionaries, which end on their line or with it */
    for (; p->token.kind != PTO_TOKEN_END; pto_text_take(p)) {
        if (p->lines && (p->token.first || pto_text_at(p, ';')) && p->token.begin >= p->last_end)
            break;
        if (regions == 0 && begins_statement(p))
            break;
        if (p->token.first)
            braces = 0;
        if (pto_text_at(p, '{')) {
            if (pto_text_peek(p).first)
                regions++;
            else
                braces++;
        } else if (pto_text_at(p, '}')) {
            if (braces)
                braces--;
            else if (regions == 0)
                break;
            else
                regions--;
        }
    }
    p->failed = false;
}

bool pto_text_enter(pto_text_parser *p) {
    if (p->depth < p->depth_limit) {
        p->depth++;
        return true;
    }
    pto_text_fail_at(p, "PTO-E0203", pto_text_span(p->token), "nested deeper than %u", p->depth_limit);
    stop(p);
    return false;
}

void pto_text_leave(pto_text_parser *p) { p->depth--; }

void pto_text_suggest(pto_text_parser *p, pto_str word, const pto_str *candidates, size_t count) {
    int nearest = pto_str_nearest(word, candidates, count);
    if (nearest >= 0)
        pto_diag_fix(p->diags, "did you mean '%.*s'?", PTO_STR_ARG(candidates[nearest]));
}
