/* SPDX-License-Identifier: Apache-2.0 */
/* Physical lines: one line, one instruction (70, 4.3), driven by the operand patterns of forms.def. */
#include "block/assemble.h"

#include <string.h>

static size_t here(pto_block_assembler *as) {
    pto_block_skip(as);
    return as->at;
}

/* ---- the lists ---- */

static bool parse_datr(pto_block_assembler *as, pto_block_instr *instr) {
    int64_t *field = instr->field;
    field[PTO_BLOCK_PAD] = PTO_BLOCK_PAD_NULL;
    field[PTO_BLOCK_TYPE2] = PTO_BLOCK_TYPE_NONE;
    while (!pto_block_done(as)) {
        const size_t begin = as->at;
        const pto_str word = pto_block_name(as);
        int code;
        if ((code = pto_block_layout_find(word)) >= 0) {
            field[PTO_BLOCK_LAYOUT] = code;
            const pto_str suffix = pto_block_word_peek(as);
            if (pto_str_equal_ignore_case(suffix, PTO_STR(".canon")))
                field[PTO_BLOCK_CANON] = 1;
            else if (suffix.len && !pto_str_equal_ignore_case(suffix, PTO_STR(".normal")))
                return pto_block_refuse(as, as->at, "PTO-E0201", "a layout takes .canon or .normal");
            as->at += suffix.len;
        } else if (pto_str_equal_ignore_case(word, PTO_STR("Sat"))) {
            field[PTO_BLOCK_SAT] = 1;
        } else if (!pto_str_equal_ignore_case(word, PTO_STR("none")) &&
                   (code = pto_block_type_find(word)) >= 0) {
            field[PTO_BLOCK_TYPE2] = code;
        } else if ((code = pto_block_pad_find(word)) >= 0) {
            field[PTO_BLOCK_PAD] = code;
        } else if ((code = pto_block_cmode_find(word)) >= 0) {
            field[PTO_BLOCK_CMODE] = code;
        } else if ((code = pto_block_rmode_find(word)) >= 0) {
            field[PTO_BLOCK_RMODE] = code;
        } else {
            return pto_block_refuse(as, begin, "PTO-E0201", "no attribute of B.DATR");
        }
        if (!pto_block_accept(as, ","))
            break;
    }
    return true;
}

static bool parse_catr(pto_block_assembler *as, pto_block_instr *instr) {
    static const struct {
        const char *name;
        pto_block_field first, second;
    } flags[] = {{"trap", PTO_BLOCK_TRAP, PTO_BLOCK_TRAP},     {"atomic", PTO_BLOCK_ATOMIC, PTO_BLOCK_ATOMIC},
                 {"atom", PTO_BLOCK_ATOMIC, PTO_BLOCK_ATOMIC}, {"aq", PTO_BLOCK_AQ, PTO_BLOCK_AQ},
                 {"rl", PTO_BLOCK_RL, PTO_BLOCK_RL},           {"aqrl", PTO_BLOCK_AQ, PTO_BLOCK_RL},
                 {"far", PTO_BLOCK_FAR, PTO_BLOCK_FAR},        {"dr", PTO_BLOCK_DR, PTO_BLOCK_DR}};
    while (!pto_block_done(as)) {
        const size_t begin = as->at;
        const pto_str word = pto_block_word(as);
        size_t i = 0;
        while (i < sizeof flags / sizeof *flags &&
               !pto_str_equal_ignore_case(word, pto_str_from(flags[i].name)))
            i++;
        if (i == sizeof flags / sizeof *flags)
            return pto_block_refuse(as, begin, "PTO-E0201", "no attribute of B.CATR");
        instr->field[flags[i].first] = instr->field[flags[i].second] = 1;
        if (!pto_block_accept(as, ","))
            break;
    }
    return true;
}

static bool parse_iot(pto_block_assembler *as, pto_block_instr *instr) {
    int64_t *field = instr->field;
    int sources = 0;
    bool bracket = pto_block_accept(as, "["), has_result = false;
    while (!pto_block_done(as)) {
        if (bracket && pto_block_accept(as, "]")) {
            bracket = false;
        } else if (pto_block_accept(as, "->")) {
            const size_t begin = here(as);
            if (has_result)
                return pto_block_refuse(as, begin, "PTO-E0201", "a B.IOT has one destination");
            has_result = true;
            if (pto_str_equal_ignore_case(pto_block_word_peek(as), PTO_STR("none"))) {
                as->at += 4;
                field[PTO_BLOCK_QUEUE] = PTO_BLOCK_QUEUE_NONE;
            } else if (!pto_block_result(as, &field[PTO_BLOCK_QUEUE], &field[PTO_BLOCK_SIZE])) {
                return false;
            }
        } else if (pto_block_at_tile(as)) {
            bool reuse;
            if (sources == 2)
                return pto_block_refuse(as, as->at, "PTO-E0201", "a B.IOT has two sources at most");
            if (!pto_block_tile_ref(as, &field[sources ? PTO_BLOCK_SRC1 : PTO_BLOCK_SRC0], &reuse))
                return false;
            field[sources ? PTO_BLOCK_REUSE1 : PTO_BLOCK_REUSE0] = reuse;
            sources++;
        } else {
            const size_t begin = as->at;
            if (!pto_str_equal_ignore_case(pto_block_word(as), PTO_STR("last")))
                return pto_block_refuse(as, begin, "PTO-E0201", "expected a tile, 'last' or a destination");
            field[PTO_BLOCK_LAST] = 1;
        }
        if (!pto_block_accept(as, ",") && !bracket && pto_block_peek(as) != '-')
            break;
    }
    instr->form = sources == 2 ? BF_B_IOT_2 : sources ? BF_B_IOT_1 : BF_B_IOT_0;
    return true;
}

/* B.IOR and B.IOD */
static bool parse_slots(pto_block_assembler *as, pto_block_instr *instr, bool dependence) {
    const pto_block_field first = dependence ? PTO_BLOCK_DEP0 : PTO_BLOCK_REG0;
    const pto_block_field out = dependence ? PTO_BLOCK_DEPD : PTO_BLOCK_REGD;
    int count = 0, brackets = 0;
    while (!pto_block_done(as)) {
        if (pto_block_accept(as, "[")) {
            brackets++;
            continue;
        }
        if (pto_block_accept(as, "]")) {
            if (!pto_block_accept(as, ",") && pto_block_peek(as) != '-')
                break;
            continue;
        }
        const bool is_out = pto_block_accept(as, "->") || brackets == 2;
        const size_t begin = here(as);
        int64_t code = 0;
        if (!dependence) {
            if (!pto_block_parse_gpr(as, &code))
                return false;
        } else {
            const pto_str word = pto_block_word(as);
            if (pto_str_equal_ignore_case(word, PTO_STR("D"))) {
                code = 1;
                if (!is_out &&
                    (!pto_block_accept(as, "#") ||
                     pto_str_parse_i64(pto_block_word(as), &code) != PTO_PARSE_OK || code < 1 || code > 8))
                    return pto_block_refuse(as, begin, "PTO-E1603", "a dependence is D#1 to D#8");
            } else if (!pto_str_equal_ignore_case(word, PTO_STR("none"))) {
                return pto_block_refuse(as, begin, "PTO-E0201", "expected D#n or none");
            }
        }
        if (!is_out && count == 3)
            return pto_block_refuse(as, begin, "PTO-E0201", "three sources at most");
        instr->field[is_out ? (int)out : (int)first + count++] = code;
        if (!pto_block_accept(as, ",") && pto_block_peek(as) != ']' && pto_block_peek(as) != '-')
            break;
    }
    return true;
}

/* ---- patterns ---- */

static bool parse_scalar(pto_block_assembler *as, int64_t *code) {
    const size_t begin = here(as);
    const pto_str name = pto_block_name(as);
    const char letter = name.len == 1 ? (char)(name.data[0] | 32) : 0;
    if ((letter == 't' || letter == 'u') && pto_block_accept(as, "#")) {
        uint64_t distance = 0;
        if (pto_str_parse_u64(pto_block_name(as), &distance) != PTO_PARSE_OK || distance < 1 || distance > 4)
            return pto_block_refuse(as, begin, "PTO-E1607", "a queued scalar is t#1 to t#4 or u#1 to u#4");
        *code = (letter == 't' ? 24 : 28) + (int64_t)distance - 1;
        return true;
    }
    *code = pto_block_gpr_find(name);
    return *code >= 0 || pto_block_refuse(as, begin, "PTO-E0201", "expected a register, t#n or u#n");
}

static bool parse_destination(pto_block_assembler *as, int64_t *code) {
    const size_t begin = here(as);
    const pto_str name = pto_block_name(as);
    *code = pto_block_gpr_find(name);
    if (*code < 0 && name.len == 1 && (name.data[0] | 32) == 't')
        *code = 31;
    if (*code < 0 && name.len == 1 && (name.data[0] | 32) == 'u')
        *code = 30;
    if (*code < 0 && name.len == 3 && (name.data[0] | 32) == 'r' && name.data[1] == '2' &&
        name.data[2] >= '4' && name.data[2] <= '9')
        *code = 20 + name.data[2] - '0';
    return *code >= 0 || pto_block_refuse(as, begin, "PTO-E0201", "expected a register, t or u");
}

static bool parse_extended(pto_block_assembler *as, const pto_block_form_desc *form, int64_t *field) {
    if (!parse_scalar(as, &field[PTO_BLOCK_R]))
        return false;
    const bool inverts = pto_block_field_of(form, PTO_BLOCK_EXTEND_NOT) != NULL;
    if (inverts || pto_block_field_of(form, PTO_BLOCK_EXTEND)) {
        static const char *const suffix[] = {NULL, ".sw", ".uw", ".neg", ".not"};
        const pto_str word = pto_block_word_peek(as);
        for (int i = 1; i < 5; i++) {
            if (!pto_str_equal_ignore_case(word, pto_str_from(suffix[i])) || i == (inverts ? 3 : 4))
                continue;
            field[inverts ? PTO_BLOCK_EXTEND_NOT : PTO_BLOCK_EXTEND] = i == 4 ? 3 : i;
            as->at += word.len;
        }
    }
    return !pto_block_field_of(form, PTO_BLOCK_SHIFT) || !pto_block_accept(as, "<<") ||
           pto_block_sum(as, &field[PTO_BLOCK_SHIFT]);
}

static bool parse_selector(pto_block_assembler *as, pto_block_instr *instr) {
    const pto_block_engine engine = instr->form == BF_BSTART_TEPL  ? ENGINE_TEPL
                                    : instr->form == BF_BSTART_TMA ? ENGINE_TMA
                                                                   : ENGINE_CUBE;
    const size_t begin = here(as);
    const pto_str word = pto_block_word_peek(as);
    const pto_block_op *op = pto_block_op_named(word);
    if (op && op->engine == engine) {
        as->at += word.len;
        instr->field[PTO_BLOCK_SELECTOR] = op->selector;
        return true;
    }
    int64_t value, function;
    if (!pto_block_expression(as, &value))
        return false;
    /* mode, function, type: two numbers in front of the type */
    const size_t after = as->at;
    if (engine == ENGINE_TEPL && value >= 0 && value < 4 && pto_block_accept(as, ",")) {
        const char next = pto_block_peek(as);
        const size_t comma = as->at;
        if (next >= '0' && next <= '9' && pto_block_expression(as, &function) && pto_block_peek(as) == ',') {
            instr->field[PTO_BLOCK_SELECTOR] = value * 32 + function;
            return function >= 0 && function < 32
                       ? true
                       : pto_block_refuse(as, comma, "PTO-E1603", "a function is 0 to 31");
        }
        as->at = after;
        if (as->statement_failed)
            return false;
    }
    instr->field[PTO_BLOCK_SELECTOR] = value;
    return value >= 0 && value < 128 && pto_block_op_select(engine, (unsigned)value)
               ? true
               : pto_block_refuse(as, begin, "PTO-E1604", "no operation has this selector");
}

static bool parse_type(pto_block_assembler *as, int64_t *code) {
    const size_t begin = here(as);
    *code = pto_block_type_find(pto_block_word(as));
    return (*code >= 0 && *code != PTO_BLOCK_TYPE_NONE) ||
           pto_block_refuse(as, begin, "PTO-E1604", "no element type");
}

static bool parse_field(pto_block_assembler *as, char kind, const pto_block_form_desc *form,
                        pto_block_instr *instr, int *numbers) {
    int64_t *field = instr->field;
    switch (kind) {
    case 's':
        return parse_selector(as, instr);
    case 't':
        return parse_type(as, &field[PTO_BLOCK_TYPE]);
    case 'T': {
        int64_t target;
        if (!pto_block_expression(as, &target))
            return false;
        field[PTO_BLOCK_TARGET] = as->unknown ? 0 : (int64_t)((uint64_t)target - as->address);
        return true;
    }
    case 'b': {
        const size_t begin = here(as);
        const pto_str word = pto_block_word(as);
        if (word.len != 3 || (word.data[0] | 32) != 'l' || (word.data[1] | 32) != 'b' || word.data[2] < '0' ||
            word.data[2] > '2')
            return pto_block_refuse(as, begin, "PTO-E0201", "expected LB0, LB1 or LB2");
        field[PTO_BLOCK_DIM] = word.data[2] - '0';
        return true;
    }
    case 'g':
        return pto_block_parse_gpr(as, &field[PTO_BLOCK_REG]);
    case 'n':
        return pto_block_expression(as, &field[PTO_BLOCK_N0 + (*numbers)++]);
    case 'h':
        return pto_block_sum(as, &field[PTO_BLOCK_IMM]) &&
               (!pto_block_accept(as, "<<") || pto_block_sum(as, &field[PTO_BLOCK_SHIFT]));
    case 'd':
        return parse_destination(as, &field[PTO_BLOCK_D]);
    case 'l':
        return parse_scalar(as, &field[PTO_BLOCK_L]);
    case 'p':
        return parse_scalar(as, &field[PTO_BLOCK_P]);
    case 'r':
        return parse_extended(as, form, field);
    default: /* i m */
        if (!pto_block_expression(as, &field[PTO_BLOCK_IMM]))
            return false;
        if (as->unknown)
            field[PTO_BLOCK_IMM] = 0;
        return true;
    }
}

/* Words of the pattern are single characters: "[", ", ", "->t", "t#1". */
static bool parse_pattern(pto_block_assembler *as, const pto_block_form_desc *form, pto_block_instr *instr) {
    int numbers = 0;
    for (const char *c = form->operands; *c; c++) {
        if (*c == '%') {
            if (!parse_field(as, *++c, form, instr, &numbers))
                return false;
        } else if (*c != ' ') {
            const char text[2] = {(char)(*c >= 'a' && *c <= 'z' && (pto_block_peek(as) & ~32) == (*c & ~32)
                                             ? pto_block_peek(as)
                                             : *c),
                                  0};
            if (*c == '-' && c[1] == '>')
                c++;
            if (!pto_block_expect(as, *text == '-' ? "->" : text))
                return false;
        }
    }
    return true;
}

/* ---- the line ---- */

/* First word equal; a second word ("COND") equal to the next in the text. */
static size_t find_form(pto_block_assembler *as, pto_str mnemonic) {
    const size_t at = as->at;
    const pto_str kind = pto_block_word(as);
    const size_t behind = as->at;
    as->at = at;
    for (size_t f = 0; f < PTO_BLOCK_FORM_COUNT; f++) {
        const pto_str name = pto_str_from(pto_block_form_get(f)->name);
        size_t space = 0;
        while (space < name.len && name.data[space] != ' ')
            space++;
        if (!pto_str_equal_ignore_case(mnemonic, pto_str_slice(name, 0, space)))
            continue;
        if (space == name.len)
            return f;
        if (pto_str_equal_ignore_case(kind, pto_str_slice(name, space + 1, name.len))) {
            as->at = behind;
            return f;
        }
    }
    /* a 32-bit CALL without a kind of block is a DIRECT with the return address set by SETRET */
    const bool plain = pto_str_equal_ignore_case(mnemonic, PTO_STR("BSTART"));
    if (pto_str_equal_ignore_case(kind, PTO_STR("CALL")) &&
        (plain || pto_str_equal_ignore_case(mnemonic, PTO_STR("C.BSTART")))) {
        as->at = behind;
        return plain ? BF_BSTART_DIRECT : BF_C_BSTART_DIRECT;
    }
    return SIZE_MAX;
}

/* BSTART.<engine or its later name> and BSTART.<operation> */
static bool start_alias(pto_block_assembler *as, pto_str mnemonic, pto_block_instr *instr, bool *handled) {
    *handled = false;
    if (mnemonic.len < 8 || !pto_str_equal_ignore_case(pto_str_slice(mnemonic, 0, 7), PTO_STR("BSTART.")))
        return true;
    const pto_str rest = pto_str_slice(mnemonic, 7, mnemonic.len);
    const bool tepl =
        pto_str_equal_ignore_case(rest, PTO_STR("VEC")) || pto_str_equal_ignore_case(rest, PTO_STR("SFU"));
    if (tepl || pto_str_equal_ignore_case(rest, PTO_STR("TLSU"))) {
        instr->form = tepl ? BF_BSTART_TEPL : BF_BSTART_TMA;
        *handled = true;
        return parse_pattern(as, pto_block_form_get(instr->form), instr);
    }
    const pto_block_op *op = pto_block_op_named(rest);
    if (!op)
        return true;
    *handled = true;
    static const uint16_t start[] = {BF_BSTART_TEPL, BF_BSTART_TMA, BF_BSTART_CUBE};
    instr->form = start[op->engine];
    instr->field[PTO_BLOCK_SELECTOR] = op->selector;
    return parse_type(as, &instr->field[PTO_BLOCK_TYPE]);
}

bool pto_block_parse_physical(pto_block_assembler *as, pto_str mnemonic) {
    pto_block_instr instr = {0};
    bool handled;
    if (!start_alias(as, mnemonic, &instr, &handled))
        return true;
    if (!handled) {
        const size_t found = find_form(as, mnemonic);
        if (found == SIZE_MAX)
            return false;
        instr.form = (uint16_t)found;
        const pto_block_form_desc *form = pto_block_form_get(found);
        if (strchr(form->name, ' '))
            pto_block_accept(as, ",");
        bool ok = true;
        if (found == BF_B_DATR)
            ok = parse_datr(as, &instr);
        else if (found == BF_B_CATR)
            ok = parse_catr(as, &instr);
        else if (pto_block_is_iot(found))
            ok = parse_iot(as, &instr);
        else if (found == BF_B_IOR || found == BF_B_IOD)
            ok = parse_slots(as, &instr, found == BF_B_IOD);
        else if (!(pto_block_form_falls(found) && pto_block_done(as)))
            ok = parse_pattern(as, form, &instr);
        if (!ok)
            return true;
    }
    if (!pto_block_done(as))
        pto_block_refuse(as, as->at, "PTO-E0201", "unexpected text behind the instruction");
    else
        pto_block_emit(as, &instr);
    return true;
}
