/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction as its physical line (70, 4.3). */
#include "block/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pto_block_out_add(pto_block_out *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const size_t room = out->length < out->capacity ? out->capacity - out->length : 0;
    const int n = vsnprintf(room ? out->buffer + out->length : NULL, room, format, arguments);
    va_end(arguments);
    out->length += n > 0 ? (size_t)n : 0;
}

void pto_block_out_size(pto_block_out *out, unsigned code) {
    const uint64_t bytes = UINT64_C(16) << code;
    if (bytes < 1024)
        pto_block_out_add(out, "<%lluB>", (unsigned long long)bytes);
    else
        pto_block_out_add(out, "<%lluKB>", (unsigned long long)(bytes / 1024));
}

void pto_block_out_tile(pto_block_out *out, unsigned code, bool reuse) {
    pto_block_out_add(out, "%c#%u%s", "TUMN"[code / 16], code % 16 + 1, reuse ? ".reuse" : "");
}

/* Items of a list, separated. */
static void separate(pto_block_out *out, int *count) {
    if ((*count)++)
        pto_block_out_add(out, ", ");
}

static void out_datr(pto_block_out *out, const int64_t *field) {
    int count = 0;
    if (field[PTO_BLOCK_LAYOUT] || field[PTO_BLOCK_CANON]) {
        separate(out, &count);
        pto_block_out_add(out, "%s%s", pto_block_layout_name((unsigned)field[PTO_BLOCK_LAYOUT]),
                          field[PTO_BLOCK_CANON] ? ".canon" : "");
    }
    if (field[PTO_BLOCK_TYPE2] != PTO_BLOCK_TYPE_NONE) {
        separate(out, &count);
        pto_block_out_add(out, "%s", pto_block_type_name((unsigned)field[PTO_BLOCK_TYPE2]));
    }
    if (field[PTO_BLOCK_CMODE]) {
        separate(out, &count);
        pto_block_out_add(out, "%s", pto_block_cmode_name((unsigned)field[PTO_BLOCK_CMODE]));
    }
    if (field[PTO_BLOCK_RMODE]) {
        separate(out, &count);
        pto_block_out_add(out, "%s", pto_block_rmode_name((unsigned)field[PTO_BLOCK_RMODE]));
    }
    if (field[PTO_BLOCK_SAT]) {
        separate(out, &count);
        pto_block_out_add(out, "Sat");
    }
    if (field[PTO_BLOCK_PAD] != PTO_BLOCK_PAD_NULL || !count) {
        separate(out, &count);
        pto_block_out_add(out, "%s", pto_block_pad_name((unsigned)field[PTO_BLOCK_PAD]));
    }
}

static void out_catr(pto_block_out *out, const int64_t *field) {
    static const struct {
        pto_block_field field;
        const char *name;
    } flags[] = {{PTO_BLOCK_TRAP, "trap"}, {PTO_BLOCK_ATOMIC, "atomic"}, {PTO_BLOCK_AQ, "aq"},
                 {PTO_BLOCK_RL, "rl"},     {PTO_BLOCK_FAR, "far"},       {PTO_BLOCK_DR, "dr"}};
    int count = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (!field[flags[i].field])
            continue;
        separate(out, &count);
        pto_block_out_add(out, "%s", flags[i].name);
    }
}

static void out_iot(pto_block_out *out, const pto_block_instr *instr) {
    const int64_t *field = instr->field;
    int count = 0;
    if (instr->form != BF_B_IOT_0) {
        separate(out, &count);
        pto_block_out_tile(out, (unsigned)field[PTO_BLOCK_SRC0], field[PTO_BLOCK_REUSE0] != 0);
    }
    if (instr->form == BF_B_IOT_2) {
        separate(out, &count);
        pto_block_out_tile(out, (unsigned)field[PTO_BLOCK_SRC1], field[PTO_BLOCK_REUSE1] != 0);
    }
    if (field[PTO_BLOCK_LAST]) {
        separate(out, &count);
        pto_block_out_add(out, "last");
    }
    if (field[PTO_BLOCK_SIZE]) {
        separate(out, &count);
        pto_block_out_add(out, "->%c", "TUMN"[field[PTO_BLOCK_QUEUE] & 3]);
        pto_block_out_size(out, (unsigned)field[PTO_BLOCK_SIZE]);
    } else if (field[PTO_BLOCK_QUEUE] == PTO_BLOCK_QUEUE_NONE) {
        separate(out, &count);
        pto_block_out_add(out, "->none");
    }
}

/* The slots up to the last that is used. */
static void out_slots(pto_block_out *out, const int64_t slot[3], int64_t destination, bool dependence) {
    int count = 0, used = slot[2] ? 3 : slot[1] ? 2 : slot[0] ? 1 : 0;
    for (int i = 0; i < used; i++) {
        separate(out, &count);
        if (!dependence)
            pto_block_out_add(out, "%s", pto_block_gpr_name((unsigned)slot[i]));
        else if (slot[i])
            pto_block_out_add(out, "D#%d", (int)slot[i]);
        else
            pto_block_out_add(out, "none");
    }
    if (!destination)
        return;
    separate(out, &count);
    pto_block_out_add(out, "->%s", dependence ? "D" : pto_block_gpr_name((unsigned)destination));
}

static void out_scalar(pto_block_out *out, unsigned code) {
    if (code < 24)
        pto_block_out_add(out, "%s", pto_block_gpr_name(code));
    else
        pto_block_out_add(out, "%c#%u", code < 28 ? 't' : 'u', (code & 3) + 1);
}

static void out_destination(pto_block_out *out, unsigned code) {
    if (code < 24)
        pto_block_out_add(out, "%s", pto_block_gpr_name(code));
    else if (code < 30)
        pto_block_out_add(out, "r%u", code);
    else
        pto_block_out_add(out, "%c", code == 31 ? 't' : 'u');
}

static const char *selector_name(const pto_block_instr *instr) {
    const pto_block_engine engine = instr->form == BF_BSTART_TEPL  ? ENGINE_TEPL
                                    : instr->form == BF_BSTART_TMA ? ENGINE_TMA
                                                                   : ENGINE_CUBE;
    const pto_block_op *op = pto_block_op_select(engine, (unsigned)instr->field[PTO_BLOCK_SELECTOR]);
    return op ? op->name : "?";
}

static void out_extended(pto_block_out *out, const pto_block_form_desc *form, const int64_t *field) {
    out_scalar(out, (unsigned)field[PTO_BLOCK_R]);
    const bool inverts = pto_block_field_of(form, PTO_BLOCK_EXTEND_NOT) != NULL;
    const int64_t extend = field[inverts ? PTO_BLOCK_EXTEND_NOT : PTO_BLOCK_EXTEND];
    if (extend)
        pto_block_out_add(out, "%s", extend == 1 ? ".sw" : extend == 2 ? ".uw" : inverts ? ".not" : ".neg");
    if (field[PTO_BLOCK_SHIFT])
        pto_block_out_add(out, "<<%d", (int)field[PTO_BLOCK_SHIFT]);
}

void pto_block_out_instr(pto_block_out *out, const pto_block_instr *instr, const char *label) {
    const pto_block_form_desc *form = pto_block_form_get(instr->form);
    const int64_t *field = instr->field;
    pto_block_out_add(out, "%s", form->name);
    if (*form->operands == '@') {
        pto_block_out_add(out, " ");
        if (instr->form == BF_B_DATR)
            out_datr(out, field);
        else if (instr->form == BF_B_CATR)
            out_catr(out, field);
        else if (instr->form == BF_B_IOR)
            out_slots(out, field + PTO_BLOCK_REG0, field[PTO_BLOCK_REGD], false);
        else if (instr->form == BF_B_IOD)
            out_slots(out, field + PTO_BLOCK_DEP0, field[PTO_BLOCK_DEPD], true);
        else
            out_iot(out, instr);
        return;
    }
    /* FALL does not jump: an offset of 0 is left out */
    if (!strcmp(form->operands, "%T") && !field[PTO_BLOCK_TARGET] && !label &&
        pto_block_form_falls(instr->form))
        return;
    bool after_kind = strchr(form->name, ' ') != NULL;
    int numbers = 0;
    for (const char *c = form->operands; *c; c++) {
        if (c == form->operands)
            pto_block_out_add(out, after_kind ? ", " : " ");
        if (*c != '%') {
            pto_block_out_add(out, "%c", *c);
            continue;
        }
        switch (*++c) {
        case 's':
            pto_block_out_add(out, "%s", selector_name(instr));
            break;
        case 't':
            pto_block_out_add(out, "%s", pto_block_type_name((unsigned)field[PTO_BLOCK_TYPE]));
            break;
        case 'T':
            if (label)
                pto_block_out_add(out, "%s", label);
            else
                pto_block_out_add(out, ".%+lld", (long long)field[PTO_BLOCK_TARGET]);
            break;
        case 'b':
            pto_block_out_add(out, "LB%d", (int)field[PTO_BLOCK_DIM]);
            break;
        case 'g':
            pto_block_out_add(out, "%s", pto_block_gpr_name((unsigned)field[PTO_BLOCK_REG]));
            break;
        case 'n':
            pto_block_out_add(out, "%d", (int)field[PTO_BLOCK_N0 + numbers++]);
            break;
        case 'i':
        case 'm':
            pto_block_out_add(out, "%lld", (long long)field[PTO_BLOCK_IMM]);
            break;
        case 'h':
            pto_block_out_add(out, "%lld", (long long)field[PTO_BLOCK_IMM]);
            if (field[PTO_BLOCK_SHIFT])
                pto_block_out_add(out, "<<%d", (int)field[PTO_BLOCK_SHIFT]);
            break;
        case 'd':
            out_destination(out, (unsigned)field[PTO_BLOCK_D]);
            break;
        case 'l':
            out_scalar(out, (unsigned)field[PTO_BLOCK_L]);
            break;
        case 'p':
            out_scalar(out, (unsigned)field[PTO_BLOCK_P]);
            break;
        case 'r':
            out_extended(out, form, field);
            break;
        default:
            break;
        }
    }
}

size_t pto_block_print(const pto_block_instr *instr, char *buffer, size_t capacity) {
    pto_block_out out = {buffer, capacity, 0};
    if (instr->form < PTO_BLOCK_FORM_COUNT)
        pto_block_out_instr(&out, instr, NULL);
    /* lists may be empty */
    while (out.length && out.length < capacity && buffer[out.length - 1] == ' ')
        buffer[--out.length] = 0;
    return out.length;
}
