/* SPDX-License-Identifier: Apache-2.0 */
/* A call of the upper-case C macros: picks the form by the kinds of the arguments and goes to the door. */
#include "isa/isa.h"
#include <pto/launch.h>
#include <pto/pto-inst.h>
#include <pto/ops.h>

#include <stdio.h>

static pto_operand_kind wanted_kind(const pto_operand_desc *desc) {
    if (desc->role == PTO_ROLE_SCALAR || desc->role == PTO_ROLE_ATTR)
        return PTO_OPERAND_SCALAR;
    if (desc->is_counts)
        return PTO_OPERAND_COUNTS;
    return desc->is_global ? PTO_OPERAND_GLOBAL : PTO_OPERAND_TILE;
}

/* Fills the instruction if every argument finds its operand and every required operand its argument. */
static bool fit(const pto_form_desc *form, const pto_call_arg *args, size_t count, pto_instr *instr) {
    size_t used = 0;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *desc = &form->operand[i];
        bool optional = desc->optional || desc->role == PTO_ROLE_ATTR;
        /* an attribute is a small number: 64 unsigned bits are a quantisation word */
        bool wide =
            used < count && args[used].kind == PTO_OPERAND_SCALAR && args[used].scalar.dtype == PTO_U64;
        bool other = used < count && args[used].kind == PTO_OPERAND_TILE &&
                     !pto_operand_takes_tile(desc, &args[used].tile->type);
        if (used < count && args[used].kind == wanted_kind(desc) && !other &&
            !(wide && desc->role == PTO_ROLE_ATTR)) {
            const pto_call_arg *arg = &args[used++];
            pto_operand *operand = &instr->operand[i];
            operand->kind = arg->kind;
            if (arg->kind == PTO_OPERAND_TILE)
                operand->tile = arg->tile;
            else if (arg->kind == PTO_OPERAND_GLOBAL)
                operand->global = arg->global;
            else if (arg->kind == PTO_OPERAND_COUNTS)
                operand->counts = arg->counts;
            else
                operand->scalar = arg->scalar;
            if (desc->role == PTO_ROLE_ATTR)
                operand->scalar.dtype = PTO_DTYPE_NONE;
        } else if (optional) {
            instr->operand[i].kind = PTO_OPERAND_ABSENT;
        } else {
            return false;
        }
    }
    return used == count;
}

static int source_loc(const pto_form_desc *form, const pto_instr *instr) {
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].role == PTO_ROLE_IN && instr->operand[i].kind == PTO_OPERAND_TILE)
            return (int)instr->operand[i].tile->type.loc;
    return -1;
}

static pto_status no_form(pto_core *core, pto_op op, const pto_call_arg *args, size_t count, const char *file,
                          int line) {
    static const char *const names[] = {"nothing", "tile", "global", "scalar", "counts"};
    pto_diag_list *diags = pto_core_diags(core);
    char text[128] = "";
    size_t n = 0;
    for (size_t i = 0; i < count && n < sizeof text - 16; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? ", " : "", names[args[i].kind]);
    pto_diag_add(diags, PTO_ERROR, "PTO-E0902", pto_at_file(file), "%s: no call form takes these arguments",
                 pto_op_table[op].mnemonic);
    pto_diag_found(diags, "%s(%s) in line %d", pto_op_table[op].mnemonic, text, line);
    pto_diag_allowed(diags, "see pto isa %s", pto_op_table[op].mnemonic);
    return PTO_ERR_REFUSED;
}

pto_status pto_call(pto_op op, const pto_call_arg *args, size_t count, const char *file, int line) {
    pto_core *core = pto_core_current();
    if (!core)
        return PTO_ERR_NOMEM;
    if ((unsigned)op >= PTO_OP_COUNT)
        return PTO_ERR_USAGE;
    const pto_op_desc *desc = &pto_op_table[op];
    /* forms of the same kinds differ in the memory of the source: the second pass takes the first that fits
     */
    for (int pass = 0; pass < 2; pass++)
        for (int f = 0; f < desc->form_count; f++) {
            pto_instr instr = {.form = (pto_form)((int)desc->first_form + f), .file = file, .line = line};
            const pto_form_desc *form = pto_form_get(instr.form);
            if (fit(form, args, count, &instr) &&
                (pass == 1 || pto_form_takes(form, source_loc(form, &instr))))
                return pto_core_execute(core, &instr);
        }
    return no_form(core, op, args, count, file, line);
}
