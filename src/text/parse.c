/* SPDX-License-Identifier: Apache-2.0 */
/* The door of the room: finds the form of a text and parses it (60, 0). */
#include "text/mlir.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT_DEFAULT 256u
#define DEPTH_LIMIT_MOST 2000u /* what the C stack holds under the sanitizers */

/* What the head of a text shows. */
typedef struct head {
    bool lines;   /* no module, no function: every line is a statement */
    bool as;      /* PTO-AS */
    pto_str arch; /* value of pto.target_arch, empty when there is none */
    bool has_arch;
} head;

static bool is_dialect_op(pto_str word) {
    static const char *const prefixes[] = {"pto.", "arith.", "scf.", "func.", "cf.", "memref."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (pto_str_starts_with(word, pto_str_from(prefixes[i])))
            return true;
    return false;
}

/* Reads until the first function or instruction tells. */
static head look(const pto_source *source) {
    head found = {0};
    pto_lexer lexer;
    pto_lexer_init(&lexer, source->text, (uint32_t)source->len);
    pto_token before = {0}, token = pto_lexer_next(&lexer);
    bool statement = false; /* an instruction has been seen */
    for (; token.kind != PTO_TOKEN_END; before = token, token = pto_lexer_next(&lexer)) {
        bool key =
            (token.kind == PTO_TOKEN_WORD && pto_str_equal(token.text, PTO_STR("pto.target_arch"))) ||
            (token.kind == PTO_TOKEN_STRING && pto_str_equal(token.text, PTO_STR("\"pto.target_arch\"")));
        if (key && !found.has_arch) {
            pto_lexer ahead = lexer;
            if (pto_token_is(pto_lexer_next(&ahead), '=')) {
                pto_token value = pto_lexer_next(&ahead);
                found.has_arch = value.kind == PTO_TOKEN_STRING;
                if (found.has_arch)
                    found.arch = pto_str_slice(value.text, 1, value.text.len - 1);
            }
        }
        if (pto_token_is_word(token, "module") && token.first && !statement) {
            found.lines = false;
            continue;
        }
        if (pto_token_is_word(token, "func.func") || pto_token_is_word(token, "func") ||
            (token.kind == PTO_TOKEN_STRING && token.first && token.text.len > 5 &&
             (!memcmp(token.text.data, "\"func.", 6) || !memcmp(token.text.data, "\"buil", 5))))
            break;
        if (token.kind == PTO_TOKEN_DOTWORD && token.first) {
            found.lines = true;
            continue;
        }
        /* The opcode of a statement: first on its line, or behind `=`. */
        bool opcode = token.kind == PTO_TOKEN_WORD && (token.first || pto_token_is(before, '='));
        if (opcode && !key && is_dialect_op(token.text)) {
            found.lines = true;
            break;
        }
        if (opcode && (pto_form_find_opcode(PTO_TEXT_AS, token.text.data, token.text.len) >= 0 ||
                       (found.lines && !pto_token_is_word(token, "attributes")))) {
            found.lines = true;
            pto_lexer ahead = lexer;
            found.as = !pto_token_is_word(pto_lexer_next(&ahead), "ins");
            break;
        }
    }
    /* A text of directives alone. */
    if (token.kind == PTO_TOKEN_END && found.lines)
        found.as = true;
    return found;
}

pto_operation *pto_text_main(pto_text_parser *p) {
    if (p->main)
        return p->main;
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_FUNC, 0, 0);
    pto_operation_set_attr(p->program, op, PTO_STR("sym_name"), pto_attr_string(p->program, PTO_STR("main")));
    pto_operation_set_attr(p->program, op, PTO_STR("function_type"),
                           pto_attr_type(p->program, pto_type_function(p->program, NULL, 0, NULL, 0)));
    pto_region_add_block(p->program, pto_operation_add_region(p->program, op));
    pto_block_append(p->program->module->region[0]->first, op);
    p->main = op;
    return op;
}

bool pto_text_parse_arg(pto_text_parser *p) {
    pto_token directive = pto_text_take(p);
    if (!pto_str_equal(directive.text, PTO_STR(".arg")))
        return pto_text_fail_at(p, "PTO-E0201", pto_text_span(directive),
                                "no directive is called '%.*s' here", PTO_STR_ARG(directive.text));
    pto_token name = p->token;
    if (!pto_text_accept_kind(p, PTO_TOKEN_VALUE))
        return pto_text_fail(p, "the name of the argument");
    if (!pto_text_expect(p, ':', "after the argument"))
        return false;
    const pto_type *type = pto_text_parse_type(p);
    pto_block *entry = pto_text_main(p)->region[0]->first;
    pto_value *value = pto_block_add_arg(p->program, entry, type, pto_token_name(name));
    pto_text_define(p, pto_token_name(name), pto_text_span(name), value);
    if (type && !pto_text_at_end(p))
        return pto_text_fail(p, "the end of the line");
    return type != NULL;
}

/* Gives @main the type of its arguments and a return. */
static void finish_main(pto_text_parser *p) {
    pto_block *entry = p->main->region[0]->first;
    pto_text_types inputs = {0};
    for (uint32_t i = 0; i < entry->arg_count; i++)
        if (entry->arg[i]->type)
            pto_vec_push(p->arena, &inputs, entry->arg[i]->type);
    pto_operation_set_attr(p->program, p->main, PTO_STR("function_type"),
                           pto_attr_type(p->program, pto_type_function(p->program, inputs.data,
                                                                       (uint32_t)inputs.count, NULL, 0)));
    p->main->span = (pto_span){0, p->last_end};
    if (entry->last && entry->last->kind == PTO_OPK_RETURN)
        return;
    pto_operation *op = pto_operation_create(p->program, PTO_OPK_RETURN, 0, 0);
    op->span = op->name_span = (pto_span){p->last_end, p->last_end};
    pto_block_append(entry, op);
}

/* One module alone is the program; anything else stays in the implicit module. */
static void unwrap(pto_program *program) {
    pto_operation *only = program->module->region[0]->first->first;
    if (only && only->kind == PTO_OPK_MODULE && !only->next) {
        pto_block_remove(only);
        program->module = only;
    }
}

static void parse_text(pto_text_parser *p, const head *found) {
    pto_text_push_scope(p, true);
    p->token = pto_lexer_next(&p->lexer);
    pto_block *body = p->program->module->region[0]->first;
    if (found->lines) {
        p->lines = true;
        body = pto_text_main(p)->region[0]->first;
    }
    if (found->as) {
        p->lexer.hash_comments = true;
        pto_text_set_dialect(p, PTO_DIALECT_AS);
        pto_lexer_init(&p->lexer, p->source->text, (uint32_t)p->source->len);
        p->lexer.hash_comments = true;
        p->token = pto_lexer_next(&p->lexer);
        pto_text_parse_as(p);
    }
    while (p->token.kind != PTO_TOKEN_END) {
        pto_text_parse_block(p, body);
        if (p->token.kind == PTO_TOKEN_END)
            break;
        pto_text_error(p, "PTO-E0201", pto_text_span(p->token),
                       pto_text_at(p, '}') ? "nothing is open that '}' could close"
                                           : "a label stands in a region");
        pto_text_take(p);
    }
    if (p->main)
        finish_main(p);
    pto_text_conv_settle(p->program);
    pto_mlir_check_symbols(p, p->program->module);
    unwrap(p->program);
}

static bool is_text(const pto_source *source, size_t *at) {
    const char *nul = memchr(source->text, '\0', source->len);
    *at = nul ? (size_t)(nul - source->text) : 0;
    return !nul;
}

/* All that runs under the failure handler of the arena; a function of its own, so that nothing that is needed
 * behind the jump lives in a register over it. */
static void parse_program(pto_program *program, const pto_parse_options *options, pto_diag_list *diags) {
    pto_text_parser *p = pto_arena_new(program->arena, pto_text_parser);
    head found = look(program->source);
    *p = (pto_text_parser){.program = program,
                           .arena = program->arena,
                           .source = program->source,
                           .diags = diags,
                           .depth_limit = options->depth_limit ? options->depth_limit : DEPTH_LIMIT_DEFAULT,
                           .has_target = options->has_target,
                           .target = options->target};
    if (p->depth_limit > DEPTH_LIMIT_MOST)
        p->depth_limit = DEPTH_LIMIT_MOST;
    if (!p->has_target && found.has_arch && found.arch.len < 16) {
        char arch[16] = {0};
        memcpy(arch, found.arch.data, found.arch.len);
        p->has_target = pto_target_from_name(arch, &p->target);
    }
    p->has_target &= !options->keep_layouts;
    pto_lexer_init(&p->lexer, program->source->text, (uint32_t)program->source->len);
    pto_map_init(&p->type_aliases, p->arena);
    pto_map_init(&p->attr_aliases, p->arena);
    parse_text(p, &found);
}

static void parse_guarded(pto_program *program, const pto_parse_options *options, pto_diag_list *diags) {
    jmp_buf out_of_memory;
    program->arena->on_failure = &out_of_memory;
    if (setjmp(out_of_memory) == 0)
        parse_program(program, options, diags);
    else /* half a program is none; the source stays for the diagnostics */
        pto_diag_add(diags, PTO_ERROR, "PTO-E0203", pto_at_file(program->source->name),
                     "the program does not fit the memory limit");
    program->arena->on_failure = NULL;
}

pto_program *pto_program_parse(const char *name, const char *text, size_t len,
                               const pto_parse_options *options, pto_diag_list *diags) {
    pto_parse_options none = {0};
    if (!options)
        options = &none;
    if (!name)
        name = "<text>";
    if (!text)
        len = 0;
    pto_program *program = pto_program_create(options->byte_limit);
    /* Positions have 32 bits. */
    if (!program || len >= UINT32_MAX - 1 || !pto_program_set_source(program, name, text ? text : "", len)) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0203", pto_at_file(name),
                     "the text does not fit the memory limit");
        pto_program_destroy(program);
        return NULL;
    }
    size_t binary;
    if (!is_text(program->source, &binary)) {
        pto_diag_add(diags, PTO_ERROR, "PTO-E0204", pto_at(program->source, binary, binary + 1),
                     "a NUL byte: this is no text");
        return program;
    }
    parse_guarded(program, options, diags);
    return program;
}
