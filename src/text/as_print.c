/* SPDX-License-Identifier: Apache-2.0 */
/* Prints PTO-AS programs (60, 1). */
#include "program/value_map.h"
#include "text/print.h"
#include "text/ssa_print.h"

#include <stdio.h>
#include <string.h>

typedef struct as_printer {
    pto_arena arena;
    pto_sink *sink;
    pto_value_map names;   /* value -> pto_str* */
    pto_value_map last;    /* value -> number of its last user */
    pto_value_map literal; /* value -> 1: a constant that is printed where it is used */
    pto_map taken;         /* printed names -> times that a suffix was tried */
    char number[64];
} as_printer;

/* ---- names ------------------------------------------------------------------------------------------- */

static pto_str legal_name(as_printer *a, pto_str name, const char *fallback) {
    if (!name.len)
        return pto_str_from(fallback);
    char *text = pto_arena_strdup(&a->arena, name);
    for (char *c = text; *c; c++)
        if (*c == '#' || *c == '$' || *c == '-')
            *c = '_';
    return (pto_str){text, name.len};
}

static void name_value(as_printer *a, const pto_value *value, const char *fallback) {
    pto_str base = legal_name(a, value->name, fallback);
    bool fresh;
    pto_map_value *times = pto_map_insert(&a->taken, base, &fresh);
    pto_str *name = pto_arena_new(&a->arena, pto_str);
    *name = base;
    while (!fresh) {
        char *text =
            pto_arena_printf(&a->arena, "%.*s_%llu", PTO_STR_ARG(base), (unsigned long long)++times->number);
        *name = pto_str_from(text);
        pto_map_insert(&a->taken, *name, &fresh);
        times = pto_map_find(&a->taken, base);
    }
    pto_value_map_set(&a->names, value, (int64_t)(intptr_t)name);
}

/* The result may take the name of the value whose storage it takes, when nobody uses the old one later. */
static bool share_name(as_printer *a, const pto_operation *op, int64_t number) {
    const pto_value *old = op->acc;
    int c_in = pto_form_operand_index(pto_form_get(op->form), "cIn");
    if (!old && c_in >= 0 && (uint32_t)c_in < op->operand_count)
        old = op->operand[c_in];
    if (!old || !op->result_count || !pto_str_equal(old->name, op->result[0]->name))
        return false;
    const int64_t *last = pto_value_map_find(&a->last, old);
    const int64_t *name = pto_value_map_find(&a->names, old);
    if (!last || *last != number || !name)
        return false;
    pto_value_map_set(&a->names, op->result[0], *name);
    return true;
}

static void visit_uses(const pto_operation *op, void (*visit)(as_printer *, const pto_value *, int64_t),
                       as_printer *a, int64_t number) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i])
            visit(a, op->operand[i], number);
    for (uint32_t i = 0; i < op->index_count; i++)
        visit(a, op->index[i], number);
    if (op->acc)
        visit(a, op->acc, number);
}

static void note_use(as_printer *a, const pto_value *value, int64_t number) {
    /* A constant with two users cannot stand where it is used. */
    const int64_t *last = pto_value_map_find(&a->last, value);
    pto_value_map_set(&a->literal, value, last ? 2 : 1);
    pto_value_map_set(&a->last, value, number);
}

typedef struct scalar_use {
    const pto_value *value;
    bool index;
} scalar_use;

/* Scalars in the order of the text. */
static uint32_t text_scalars(const pto_operation *op, scalar_use out[PTO_MAX_OPERANDS + 5]) {
    uint32_t n = 0;
    const pto_form_desc *form = pto_form_get(op->form);
    const pto_text_pattern *pattern = &form->text[PTO_TEXT_AS];
    for (int i = 0; i < PTO_MAX_OPERANDS && pattern->operand[i] >= 0; i++) {
        int position = pattern->operand[i];
        if ((uint32_t)position >= op->operand_count || !op->operand[position])
            continue;
        if (form->operand[position].role == PTO_ROLE_SCALAR)
            out[n++] = (scalar_use){op->operand[position], false};
        if (position != pattern->indexed)
            continue;
        for (uint32_t k = 0; k < op->index_count; k++)
            out[n++] = (scalar_use){op->index[k], true};
        for (int k = 0; k < form->operand_count && !form->operand[position].is_global; k++) {
            bool listed = form->operand[k].role != PTO_ROLE_SCALAR || (uint32_t)k >= op->operand_count ||
                          !op->operand[k];
            for (int j = 0; !listed && j < PTO_MAX_OPERANDS && pattern->operand[j] >= 0; j++)
                listed = pattern->operand[j] == k;
            if (!listed)
                out[n++] = (scalar_use){op->operand[k], true};
        }
    }
    return n;
}

static bool is_nameless_constant(const pto_operation *op) {
    return op && op->kind == PTO_OPK_AS_CONST && op->result[0]->name.len == 0;
}

/* Nameless constants that stand in front of their one user in the order of its text came from literals there.
 */
static void find_literals(as_printer *a, const pto_operation *op) {
    scalar_use scalar[PTO_MAX_OPERANDS + 5];
    uint32_t count = text_scalars(op, scalar);
    const pto_operation *constant = op->prev;
    while (count > 0) {
        const pto_value *value = scalar[--count].value;
        if (!is_nameless_constant(value->def))
            continue;
        const int64_t *uses = pto_value_map_find(&a->literal, value);
        bool type_fits = !scalar[count].index || value->type->kind == PTO_TYPE_INDEX;
        if (value->def == constant && uses && *uses == 1 && type_fits) {
            pto_value_map_set(&a->literal, value, -1);
            constant = constant->prev;
        } else {
            break;
        }
    }
}

static void print_number(as_printer *a, const pto_operation *constant, pto_sink *sink) {
    (void)a;
    const pto_attr *value = pto_operation_attr(constant, "value");
    pto_text_print_number(sink, value);
}

static pto_str name_of(void *user, const pto_operation *op, const pto_value *value, bool *literal) {
    as_printer *a = user;
    (void)op;
    const int64_t *as_literal = pto_value_map_find(&a->literal, value);
    *literal = as_literal && *as_literal == -1;
    if (*literal) {
        pto_buffer buffer = {a->number, sizeof a->number, 0};
        pto_sink sink;
        pto_sink_init(&sink, pto_buffer_write, &buffer);
        print_number(a, value->def, &sink);
        pto_sink_flush(&sink);
        size_t len = pto_buffer_finish(&buffer);
        return (pto_str){a->number, len < sizeof a->number ? len : sizeof a->number - 1};
    }
    const int64_t *name = pto_value_map_find(&a->names, value);
    return name ? *(const pto_str *)(intptr_t)*name : PTO_STR("undefined");
}

/* ---- statements ---------------------------------------------------------------------------------------- */

static void print_name(as_printer *a, const pto_value *value) {
    bool literal;
    pto_str name = name_of(a, NULL, value, &literal);
    pto_sink_char(a->sink, '%', 1);
    pto_sink_put(a->sink, name.data, name.len);
}

static void print_tsync(as_printer *a, const pto_operation *op) {
    pto_sink_text(a->sink, "tsync");
    const pto_attr *class = pto_operation_attr(op, "op");
    if (class) {
        pto_sink_char(a->sink, ' ', 1);
        pto_text_print_attr(a->sink, class);
    }
    for (uint32_t i = 0; i < op->operand_count; i++) {
        pto_sink_text(a->sink, i ? ", " : " ");
        print_name(a, op->operand[i]);
    }
    pto_sink_char(a->sink, '\n', 1);
}

static void print_prefetch(as_printer *a, const pto_operation *op) {
    print_name(a, op->result[0]);
    pto_sink_text(a->sink, " = tprefetch_async ");
    print_name(a, op->operand[0]);
    pto_sink_text(a->sink, ", ");
    print_name(a, op->operand[1]);
    for (int i = 0; i < 2; i++) {
        pto_sink_text(a->sink, i ? ", " : " : (");
        pto_text_print_type(a->sink, op->operand[i]->type);
    }
    pto_sink_text(a->sink, ") -> ");
    pto_text_print_type(a->sink, op->result[0]->type);
    pto_sink_char(a->sink, '\n', 1);
}

static void print_operation(as_printer *a, const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_AS_CONST: {
        const int64_t *literal = pto_value_map_find(&a->literal, op->result[0]);
        if (literal && *literal == -1)
            return;
        pto_sink_text(a->sink, ".const ");
        print_name(a, op->result[0]);
        pto_sink_text(a->sink, " = ");
        print_number(a, op, a->sink);
        pto_sink_text(a->sink, " : ");
        pto_text_print_type(a->sink, op->result[0]->type);
        pto_sink_char(a->sink, '\n', 1);
        return;
    }
    case PTO_OPK_TSYNC:
        print_tsync(a, op);
        return;
    case PTO_OPK_TPREFETCH_ASYNC:
        print_prefetch(a, op);
        return;
    case PTO_OPK_INSTR: {
        const pto_ssa_printer printer = {a->sink, PTO_TEXT_AS, name_of, a};
        pto_ssa_print(&printer, op);
        pto_sink_char(a->sink, '\n', 1);
        return;
    }
    default: /* the return at the end has no text */
        return;
    }
}

/* What PTO-AS cannot hold; NULL when it can. */
static const char *misfit(const pto_operation *op) {
    switch (op->kind) {
    case PTO_OPK_AS_CONST:
    case PTO_OPK_TSYNC:
    case PTO_OPK_TPREFETCH_ASYNC:
        return NULL;
    case PTO_OPK_RETURN:
        return op->operand_count || op->next ? "a return with values" : NULL;
    case PTO_OPK_INSTR: {
        const pto_form_desc *form = pto_form_get(op->form);
        const pto_text_pattern *pattern = &form->text[PTO_TEXT_AS];
        if (pto_ssa_has_destination(op))
            return form->text[PTO_TEXT_LEVEL2].opcode ? NULL : form->mnemonic;
        if (!pattern->opcode)
            return form->mnemonic;
        return pto_ssa_count(pattern->result, PTO_MAX_RESULTS) == op->result_count ? NULL
                                                                                   : "a destination operand";
    }
    default:
        return pto_op_kind_name(op->kind) ? pto_op_kind_name(op->kind) : "an unknown operation";
    }
}

static pto_status refuse(const pto_program *program, pto_span span, const char *what, pto_diag_list *diags) {
    pto_where where = program->source ? pto_at(program->source, span.begin, span.end) : pto_nowhere();
    pto_diag_add(diags, PTO_ERROR, "PTO-E0250", where, "PTO-AS cannot hold %s", what);
    return PTO_ERR_REFUSED;
}

static pto_status check(const pto_program *program, pto_diag_list *diags) {
    const pto_operation *function = pto_program_first_function(program);
    pto_status status = PTO_OK;
    if (!function)
        return PTO_OK; /* an empty program */
    const pto_block *body = pto_function_body(function);
    if (pto_program_next_function(function) || !body || body->next)
        return refuse(program, function->name_span, "more than one block of one function", diags);
    for (const pto_operation *op = body->first; op; op = op->next) {
        const char *what = misfit(op);
        if (what)
            status = refuse(program, op->span, what, diags);
    }
    return status;
}

static void print_body(as_printer *a, const pto_block *body) {
    int64_t number = 0;
    for (const pto_operation *op = body->first; op; op = op->next)
        visit_uses(op, note_use, a, ++number);
    for (const pto_operation *op = body->first; op; op = op->next)
        if (op->kind == PTO_OPK_INSTR && !pto_ssa_has_destination(op))
            find_literals(a, op);
    for (uint32_t i = 0; i < body->arg_count; i++)
        name_value(a, body->arg[i], "arg");
    number = 0;
    for (const pto_operation *op = body->first; op; op = op->next) {
        number++;
        bool shared = op->kind == PTO_OPK_INSTR && share_name(a, op, number);
        for (uint32_t i = shared ? 1 : 0; i < op->result_count; i++)
            name_value(a, op->result[i], op->kind == PTO_OPK_AS_CONST ? "c" : "t");
    }
    for (uint32_t i = 0; i < body->arg_count; i++) {
        pto_sink_text(a->sink, ".arg ");
        print_name(a, body->arg[i]);
        pto_sink_text(a->sink, " : ");
        pto_text_print_type(a->sink, body->arg[i]->type);
        pto_sink_char(a->sink, '\n', 1);
    }
    for (const pto_operation *op = body->first; op; op = op->next)
        print_operation(a, op);
}

/* Apart from its caller, whose locals outlive the jump. */
static pto_status print_guarded(as_printer *a, const pto_block *body) {
    jmp_buf failure;
    if (setjmp(failure))
        return PTO_ERR_NOMEM;
    a->arena.on_failure = &failure;
    print_body(a, body);
    a->arena.on_failure = NULL;
    return PTO_OK;
}

pto_status pto_text_print_as(const pto_program *program, pto_sink *sink, pto_diag_list *diags) {
    pto_status status = check(program, diags);
    const pto_operation *function = pto_program_first_function(program);
    if (status != PTO_OK || !function)
        return status;
    as_printer a = {.sink = sink};
    pto_arena_init(&a.arena, 0);
    a.names.arena = a.last.arena = a.literal.arena = &a.arena;
    pto_map_init(&a.taken, &a.arena);
    status = print_guarded(&a, pto_function_body(function));
    pto_arena_free(&a.arena);
    return status;
}
