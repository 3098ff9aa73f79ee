/* SPDX-License-Identifier: Apache-2.0 */
/* What the parsers of all text forms share: tokens, errors and recovery, names in scope, types, attributes.
 *
 * Errors. pto_text_error reports and goes on: the statement still makes an operation. pto_text_fail reports a
 * syntax error and sets `failed`; everything then returns false or NULL up to the statement loop, which skips
 * to the next statement and gives the names of the failed one a poisoned value (type NULL). A poisoned value
 * is accepted everywhere in silence, so one mistake gives one message.
 *
 * Memory. Everything is in the arena of the program, which leaves by longjmp when it is full: nothing here
 * owns anything else. */
#ifndef PTO_TEXT_PARSER_H
#define PTO_TEXT_PARSER_H

#include "base/vec.h"
#include "program/program.h"
#include "text/lexer.h"

typedef struct pto_text_name {
    pto_value *value; /* NULL when the region that defined it has ended */
    pto_span span;    /* of the definition */
} pto_text_name;

typedef struct pto_text_scope pto_text_scope;
struct pto_text_scope {
    pto_text_scope *parent;
    bool isolated;  /* a function: names of the outside are not visible */
    pto_map *names; /* name -> pto_text_name, shared up to the isolated scope */
    PTO_VEC(pto_text_name *) defined;
};

typedef struct pto_text_parser {
    pto_program *program;
    pto_arena *arena;
    pto_source *source;
    pto_diag_list *diags;
    pto_lexer lexer;
    pto_token token;   /* the current token */
    uint32_t last_end; /* where the token taken last ended */
    uint32_t depth, depth_limit;
    uint32_t errors;
    bool failed;     /* syntax error in the current statement */
    bool stopped;    /* too many errors or a limit: the rest of the text is not read */
    bool lines;      /* a statement ends with its line (PTO-AS, bare lines) */
    bool has_target; /* what 60, 3.4 rewrites: blayout of loc=left */
    pto_target target;
    pto_map type_aliases; /* name -> const pto_type */
    pto_map attr_aliases; /* name -> const pto_attr */
    pto_text_scope *scope;
    pto_block *block;                 /* where the current statement of MLIR-like text goes */
    struct pto_text_labels *labels;   /* of the region that is being read */
    bool unclosed, outside;           /* reported already */
    bool lenient;                     /* after a bad signature: undefined names are not reported */
    pto_operation *main;              /* pto_text_main */
    struct pto_mlir_scratch *scratch; /* lists of the current instruction, used again by the next */
    /* the form that the instructions are written in, decided by the first that shows it */
    bool dialect_known;
} pto_text_parser;

/* Left side of a statement: `%a, %b:2 =`. `%b:2` counts as the names b#0 and b#1. */
typedef struct pto_text_result {
    pto_str name; /* without % */
    pto_span span;
} pto_text_result;
typedef struct pto_text_results {
    pto_text_result *data;
    size_t count, capacity;
} pto_text_results;

/* ---- tokens (parser.c) ---------------------------------------------------------------------- */

pto_token pto_text_take(pto_text_parser *parser); /* returns the current token and moves on */
static inline bool pto_text_at(const pto_text_parser *parser, char punct) {
    return pto_token_is(parser->token, punct);
}
static inline bool pto_text_at_word(const pto_text_parser *parser, const char *word) {
    return pto_token_is_word(parser->token, word);
}
bool pto_text_accept(pto_text_parser *parser, char punct);
bool pto_text_accept_word(pto_text_parser *parser, const char *word);
bool pto_text_accept_kind(pto_text_parser *parser, pto_token_kind kind);
/* Fails when it is not there; `where` completes "expected ',' ...", e.g. "after the operand"; may be NULL. */
bool pto_text_expect(pto_text_parser *parser, char punct, const char *where);
bool pto_text_expect_arrow(pto_text_parser *parser, const char *where);
pto_token pto_text_peek(const pto_text_parser *parser);       /* the token behind the current one */
void pto_text_seek(pto_text_parser *parser, uint32_t offset); /* the current token is read from there */
/* True when the statement has ended: end of text, `}`, or (in `lines` mode) a new line or `;`. */
bool pto_text_at_end(const pto_text_parser *parser);

pto_span pto_text_span(pto_token token);
pto_span pto_text_since(const pto_text_parser *parser, uint32_t begin); /* up to the token taken last */

/* ---- errors ---------------------------------------------------------------------------------- */

void pto_text_error(pto_text_parser *parser, const char *rule, pto_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void pto_text_warn(pto_text_parser *parser, const char *rule, pto_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Syntax error PTO-E0201 at the current token: "expected <what>"; always false. Silent when failed already.
 */
bool pto_text_fail(pto_text_parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a rule and a place. */
bool pto_text_fail_at(pto_text_parser *parser, const char *rule, pto_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Skips the rest of a failed statement: to `}` or the start of the next statement. Clears `failed`. */
void pto_text_recover(pto_text_parser *parser);
/* Bounds recursion: false (and the parse stops) beyond the depth limit. */
bool pto_text_enter(pto_text_parser *parser);
void pto_text_leave(pto_text_parser *parser);
/* "did you mean": sets the fix of the diagnostic added last to the nearest candidate, if any is near. */
void pto_text_suggest(pto_text_parser *parser, pto_str word, const pto_str *candidates, size_t count);

/* ---- names (scope.c) -------------------------------------------------------------------------- */

void pto_text_push_scope(pto_text_parser *parser, bool isolated);
void pto_text_pop_scope(pto_text_parser *parser);
/* Binds a name; an error when it is bound. */
void pto_text_define(pto_text_parser *parser, pto_str name, pto_span span, pto_value *value);
/* Binds a name, bound or not (read-modify-write in SSA text). */
void pto_text_rebind(pto_text_parser *parser, pto_str name, pto_span span, pto_value *value);
pto_value *pto_text_lookup(pto_text_parser *parser, pto_str name); /* NULL when not visible; no message */
/* The value of a VALUE token; reports an undefined name once and returns a poisoned value. */
pto_value *pto_text_use(pto_text_parser *parser, pto_token name);
/* The same, and takes the token; NULL + failed when there is none. */
pto_value *pto_text_parse_use(pto_text_parser *parser, const char *what, pto_span *span);
/* Checks the type written at a use; NULL types are in order, and `<...>` fits any tile. */
void pto_text_check_type(pto_text_parser *parser, const pto_value *value, pto_span span, const pto_type *type,
                         pto_span type_span);
bool pto_text_types_fit(const pto_type *definition, const pto_type *use);
pto_value *pto_text_poison(pto_text_parser *parser);

/* `%a, %b:2 =`, if the statement starts with it. */
bool pto_text_parse_results(pto_text_parser *parser, pto_text_results *results);
/* Names the results of an operation and binds them; an error when the numbers differ. */
void pto_text_bind_results(pto_text_parser *parser, const pto_text_results *results, pto_operation *op);
void pto_text_poison_results(pto_text_parser *parser, const pto_text_results *results);

/* ---- types (parse_type.c, parse_tile.c) --------------------------------------------------------- */

/* Any type of 60, 1.4, 3.3, 3.4; NULL + failed on bad syntax. A bad parameter is reported and gives an open
 * type. */
const pto_type *pto_text_parse_type(pto_text_parser *parser);
/* `<f32>` without the prefix stands for !pto.ptr<f32> and so on (60, 3.7). */
const pto_type *pto_text_parse_type_of(pto_text_parser *parser, pto_type_kind kind);
const pto_type *pto_text_parse_tile(pto_text_parser *parser, pto_type_kind kind); /* at `<` */
/* A list without parentheses, at least one. */
typedef PTO_VEC(const pto_type *) pto_text_types;
bool pto_text_parse_types(pto_text_parser *parser, pto_text_types *types);
/* `T`, or `(T, T)`, or `()`. */
bool pto_text_parse_type_group(pto_text_parser *parser, pto_text_types *types);
/* At `4x?x` : reads the dims, at most `limit`; false + failed when they are malformed. The element type
 * follows. `rank` may exceed the limit, then it was reported. */
bool pto_text_parse_dims(pto_text_parser *parser, int64_t *dim, int limit, int *rank);
bool pto_text_at_dims(const pto_text_parser *parser);

/* ---- convolution tiles (conv.c) -------------------------------------------------------------------- */

const pto_type *pto_text_parse_conv(pto_text_parser *parser); /* at `<`: the type of a handle */
/* The type with the parameters that are among the attributes of its allocation, which lose them. */
const pto_type *pto_text_conv_take_attrs(pto_text_parser *parser, pto_operation *op, const pto_type *type);
/* Is the type that is written at a use that of the definition? It may leave the parameters out. */
bool pto_text_conv_fits(const pto_type *definition, const pto_type *use);
/* At the end of an SSA text: its convolution tiles are values. */
void pto_text_conv_settle(pto_program *program);

/* ---- attributes (parse_attr.c) ------------------------------------------------------------------ */

/* Any attribute value; NULL + failed on bad syntax. `expected` (may be NULL) is the enum that the key asks
 * for: then `<PIPE_V>`, "PIPE_V" and a bare word are values of it. */
const pto_attr *pto_text_parse_attr(pto_text_parser *parser, const pto_enum_desc *expected);
/* `{a = 1, b}` into the operation, from `{`; resolves enums by pto_enum_of_key. `open` is '{' . */
bool pto_text_parse_attr_dict(pto_text_parser *parser, pto_operation *op);
/* Entries between `{` and `}` as an attribute. */
const pto_attr *pto_text_parse_dict(pto_text_parser *parser, const pto_operation *owner);
/* Sets one attribute; an error when it is there, or is of a wrong kind for an instruction of the table. */
void pto_text_set_attr(pto_text_parser *parser, pto_operation *op, pto_str key, const pto_attr *value,
                       pto_span key_span, pto_span value_span);
/* After the form of an instruction is known: enum values given as words, and kinds of all its attributes. */
void pto_text_check_attrs(pto_text_parser *parser, pto_operation *op);
pto_str pto_text_unescape(pto_text_parser *parser, pto_token string);
/* A signed number as an attribute of a type (integer or float); NULL + failed. The sign is not yet taken. */
const pto_attr *pto_text_parse_number(pto_text_parser *parser, const pto_type *type);
/* An integer with optional sign; out of range is reported. */
bool pto_text_parse_int(pto_text_parser *parser, int64_t *value);

/* ---- statements ----------------------------------------------------------------------------------- */

/* MLIR-like text (parse_op.c): operations up to `}` or the end of the text. */
void pto_text_parse_block(pto_text_parser *parser, pto_block *block);
/* The function that holds the lines of a text without module and func: @main, made at the first call and
 * appended to the module. Arguments come from .arg lines. */
pto_operation *pto_text_main(pto_text_parser *parser);
/* `.arg %x : type` (at the directive) adds an argument to the entry block of @main. */
bool pto_text_parse_arg(pto_text_parser *parser);
/* Says in which form the instructions are written. */
void pto_text_set_dialect(pto_text_parser *parser, pto_dialect dialect);
/* The form, of those that share the opcode of `first` in `text`, that fits the numbers of inputs and outputs
 * the kinds of the inputs and the attributes of `attrs` (may be NULL) best; -1 when the numbers fit none.
 * `outputs` (may be NULL) tells forms apart that read and write one operand. */
int pto_text_choose_form(pto_text_form text, int first, pto_value *const *inputs, size_t input_count,
                         pto_value *const *outputs, size_t output_count, const pto_operation *attrs);
/* Puts inputs into op->operand[] by the pattern; optional ones are filled from the left. The numbers fit. */
void pto_text_place_inputs(pto_operation *op, pto_text_form text, pto_value *const *inputs,
                           const pto_span *spans, size_t input_count);
/* The operation of a table row, operands and results empty, the span of its name set. */
pto_operation *pto_text_new_instr(pto_text_parser *parser, pto_form form, pto_span name);
/* An error for a name that is no operation, with the nearest name; sets failed. */
void pto_text_unknown_op(pto_text_parser *parser, pto_str name, pto_span span);

/* Provided by the SSA forms (as_*.c, level1_*.c).
 *
 * A whole PTO-AS program; the current token is its first. Lines are statements; `lines` and hash_comments are
 * set. Fills program->module with @main. */
void pto_text_parse_as(pto_text_parser *parser);
/* One level 1 instruction: `results =` and the opcode (with prefix `pto.`) are taken, the operands follow.
 * The table has the opcode. Returns the operation, not yet appended and its results not yet bound to their
 * names (pto_text_bind_results does it, except where read-modify-write rebinds: then set *bound). */
pto_operation *pto_text_parse_level1(pto_text_parser *parser, const pto_text_results *results,
                                     pto_token opcode, bool *bound);

#endif
