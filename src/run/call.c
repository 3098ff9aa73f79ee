/* SPDX-License-Identifier: Apache-2.0 */
/* A call of the upper-case C macros: picks the form by the kinds of the arguments and goes to the door. */
#include "core/core.h"
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

/* Fills the instruction if every argument finds its operand and every required operand its argument. Optional
 * operands whose bit is set in `skip` are left out. */
static bool fit(const pto_form_desc *form, const pto_call_arg *args, size_t count, unsigned skip,
                pto_instr *instr) {
    size_t used = 0;
    for (int i = 0; i < form->operand_count; i++) {
        const pto_operand_desc *desc = &form->operand[i];
        bool optional = desc->optional || desc->role == PTO_ROLE_ATTR;
        /* an attribute is a small number: 64 unsigned bits are a quantisation word */
        bool wide =
            used < count && args[used].kind == PTO_OPERAND_SCALAR && args[used].scalar.dtype == PTO_U64;
        bool other = used < count && args[used].kind == PTO_OPERAND_TILE &&
                     !pto_operand_takes_tile(desc, &args[used].tile->type);
        bool skipped = desc->optional && (skip >> i & 1);
        if (used < count && !skipped && args[used].kind == wanted_kind(desc) && !other &&
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

/* Operands that a call may leave out with others behind them. Scalars are not: they look alike, so they are
 * missing from the right, as arguments with a default are in C++. */
static unsigned optional_operands(const pto_form_desc *form) {
    unsigned set = 0;
    for (int i = 0; i < form->operand_count; i++)
        if (form->operand[i].optional && form->operand[i].role != PTO_ROLE_SCALAR)
            set |= 1u << i;
    return set;
}

static void ignore(void *user, const pto_refusal *refusal) {
    (void)user;
    (void)refusal;
}

static bool is_legal(const pto_core *core, const pto_instr *instr) {
    pto_legality legality = {.report = ignore};
    pto_core_describe(core, instr, &legality);
    return pto_legality_check(&legality);
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
    /* Several forms may take such arguments: those for the memory of the source go first, then the first that
     * is legal, for a tile more may be a scratch tile, an offset, an accumulator or a bias. Where none is,
     * the first one says why. */
    for (int pass = 0; pass < 2; pass++) {
        pto_instr first = {0};
        int candidates = 0;
        for (int f = 0; f < desc->form_count; f++) {
            const pto_form_desc *form = pto_form_get((pto_form)((int)desc->first_form + f));
            const unsigned optional = optional_operands(form);
            for (unsigned skip = 0; skip <= optional; skip++) {
                pto_instr instr = {.form = (pto_form)((int)desc->first_form + f), .file = file, .line = line};
                if ((skip & ~optional) || !fit(form, args, count, skip, &instr) ||
                    (pass == 0 && !pto_form_takes(form, source_loc(form, &instr))))
                    continue;
                if (!candidates++) {
                    first = instr;
                    continue;
                }
                if (candidates == 2 && is_legal(core, &first))
                    return pto_core_execute(core, &first);
                if (is_legal(core, &instr))
                    return pto_core_execute(core, &instr);
            }
        }
        if (candidates)
            return pto_core_execute(core, &first);
    }
    return no_form(core, op, args, count, file, line);
}
