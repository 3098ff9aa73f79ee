/* SPDX-License-Identifier: Apache-2.0 */
/* The door of the printers: any program in any form, converted where its instructions are of another (60, 0).
 */
#include "text/print.h"
#include "text/ssa_print.h"

#include <stdlib.h>

/* Are tiles values? Decided by the instructions; a program without any fits every MLIR-like form. */
static bool is_ssa(const pto_program *program) {
    return program->dialect == PTO_DIALECT_AS || program->dialect == PTO_DIALECT_LEVEL1;
}

static bool needs_conversion(const pto_program *program, pto_dialect dialect) {
    switch (dialect) {
    case PTO_DIALECT_AS:
        return program->dialect != PTO_DIALECT_AS;
    case PTO_DIALECT_LEVEL1:
        return program->dialect != PTO_DIALECT_LEVEL1;
    case PTO_DIALECT_LEVEL2:
    case PTO_DIALECT_GENERIC:
        break;
    }
    return is_ssa(program);
}

static pto_str name_of(void *user, const pto_operation *op, const pto_value *value, bool *literal) {
    (void)op;
    *literal = false;
    return pto_print_name_of(user, value);
}

void pto_print_level1_instr(pto_text_printer *t, const pto_operation *op) {
    pto_print_name_results(t, op);
    const pto_ssa_printer ssa = {.sink = &t->sink, .text = PTO_TEXT_LEVEL1, .name = name_of, .user = t};
    pto_ssa_print(&ssa, op);
}

/* Apart from the caller, so that nothing of it lives in registers over the jump. */
static void print(pto_text_printer *t) {
    jmp_buf out_of_memory;
    t->arena.on_failure = &out_of_memory;
    if (setjmp(out_of_memory)) {
        t->failed = true;
        return;
    }
    pto_map_init(&t->names, &t->arena);
    pto_map_init(&t->used, &t->arena);
    if (t->dialect == PTO_DIALECT_AS) {
        t->failed = pto_text_print_as(t->program, &t->sink, t->diags) != PTO_OK;
        return;
    }
    pto_print_operation(t, t->program->module);
    pto_print_newline(t);
}

pto_status pto_program_print(const pto_program *program, pto_dialect dialect, pto_write_fn write,
                             void *context, pto_diag_list *diags) {
    pto_program *converted = NULL;
    if (needs_conversion(program, dialect)) {
        converted = pto_program_convert(program,
                                        dialect == PTO_DIALECT_GENERIC ? PTO_DIALECT_LEVEL2 : dialect, diags);
        if (!converted)
            return PTO_ERR_REFUSED;
    }
    pto_text_printer *t = calloc(1, sizeof *t);
    pto_status status = PTO_ERR_NOMEM;
    if (t) {
        pto_sink_init(&t->sink, write, context);
        t->program = converted ? converted : program;
        t->diags = diags;
        t->dialect = dialect;
        pto_arena_init(&t->arena, 0);
        print(t);
        bool written = pto_sink_flush(&t->sink);
        status = t->arena.failure != PTO_OK ? t->arena.failure
                 : t->failed                ? PTO_ERR_REFUSED
                 : written                  ? PTO_OK
                                            : PTO_ERR_IO;
        pto_arena_free(&t->arena);
        free(t);
    }
    pto_program_destroy(converted);
    return status;
}
