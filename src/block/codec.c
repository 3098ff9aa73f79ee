/* SPDX-License-Identifier: Apache-2.0 */
/* Words to fields and back, both from forms.def. */
#include "block/encoding.h"

#include <string.h>

#define U(name, hi, lo)                                                                                      \
    { PTO_BLOCK_##name, hi, lo, 0, 0, 0, false }
#define S(name, hi, lo)                                                                                      \
    { PTO_BLOCK_##name, hi, lo, 0, 0, 0, true }
#define SS(name, hi, lo, scale)                                                                              \
    { PTO_BLOCK_##name, hi, lo, 0, 0, scale, true }
#define U2(name, hi, lo, hi2, lo2, scale)                                                                    \
    { PTO_BLOCK_##name, hi, lo, hi2, lo2, scale, false }
#define S2(name, hi, lo, hi2, lo2, scale)                                                                    \
    { PTO_BLOCK_##name, hi, lo, hi2, lo2, scale, true }
#define FIELDS(...) (sizeof((pto_block_field_desc[]){{0}, __VA_ARGS__}) / sizeof(pto_block_field_desc) - 1)
#define FORM(id, bits, mask, match, name, operands, ...)                                                     \
    {name, operands, UINT64_C(mask), UINT64_C(match), (bits) / 8, FIELDS(__VA_ARGS__), {__VA_ARGS__}},
static const pto_block_form_desc forms[] = {
#include "block/forms.def"
};

const pto_block_form_desc *pto_block_form_get(size_t form) {
    return form < PTO_BLOCK_FORM_COUNT ? &forms[form] : NULL;
}
const char *pto_block_form_name(size_t form) { return form < PTO_BLOCK_FORM_COUNT ? forms[form].name : NULL; }

size_t pto_block_form_find(const char *name) {
    for (size_t i = 0; i < PTO_BLOCK_FORM_COUNT; i++)
        if (pto_str_equal_ignore_case(pto_str_from(name), pto_str_from(forms[i].name)))
            return i;
    return SIZE_MAX;
}

const pto_block_field_desc *pto_block_field_of(const pto_block_form_desc *form, pto_block_field field) {
    for (int i = 0; i < form->field_count; i++)
        if (form->field[i].field == field)
            return &form->field[i];
    return NULL;
}

unsigned pto_block_length(uint16_t first) {
    if (first & 1)
        return (first & 15) == 15 ? 8 : 4;
    return (first & 15) == 14 ? 6 : 2;
}

static unsigned width(const pto_block_field_desc *field) {
    return (unsigned)(field->hi - field->lo + 1) + (field->hi2 ? (unsigned)(field->hi2 - field->lo2 + 1) : 0);
}

static int64_t extract(const pto_block_field_desc *field, uint64_t word) {
    uint64_t value = word >> field->lo & (UINT64_MAX >> (63 - field->hi + field->lo));
    if (field->hi2) {
        const unsigned low = (unsigned)(field->hi2 - field->lo2 + 1);
        value = value << low | (word >> field->lo2 & (UINT64_MAX >> (64 - low)));
    }
    const unsigned bits = width(field);
    if (field->is_signed && value >> (bits - 1) & 1)
        value |= UINT64_MAX << bits;
    return (int64_t)(value << field->scale);
}

static uint64_t insert(const pto_block_field_desc *field, int64_t value) {
    uint64_t raw = (uint64_t)(value >> field->scale), word = 0;
    if (field->hi2) {
        const unsigned low = (unsigned)(field->hi2 - field->lo2 + 1);
        word = (raw & (UINT64_MAX >> (64 - low))) << field->lo2;
        raw = (uint64_t)((int64_t)raw >> low);
    }
    return word | (raw & (UINT64_MAX >> (63 - field->hi + field->lo))) << field->lo;
}

/* ---- reserved codes ---- */

static bool selector_legal(size_t form, unsigned value) {
    return pto_block_op_select(form == BF_BSTART_TEPL  ? ENGINE_TEPL
                               : form == BF_BSTART_TMA ? ENGINE_TMA
                                                       : ENGINE_CUBE,
                               value) != NULL;
}

static bool code_legal(size_t form, pto_block_field field, int64_t value) {
    switch (field) {
    case PTO_BLOCK_TYPE:
        return pto_block_type_bits((unsigned)value) != 0;
    case PTO_BLOCK_TYPE2:
        return value == PTO_BLOCK_TYPE_NONE || pto_block_type_bits((unsigned)value) != 0;
    case PTO_BLOCK_SELECTOR:
        return selector_legal(form, (unsigned)value);
    case PTO_BLOCK_DIM:
        return value <= 2;
    case PTO_BLOCK_REG:
    case PTO_BLOCK_REG0:
    case PTO_BLOCK_REG1:
    case PTO_BLOCK_REG2:
    case PTO_BLOCK_REGD:
        return value < 24;
    case PTO_BLOCK_CMODE:
        return value <= 5;
    case PTO_BLOCK_LAYOUT:
        return pto_block_layout_name((unsigned)value) != NULL;
    case PTO_BLOCK_DEP0:
    case PTO_BLOCK_DEP1:
    case PTO_BLOCK_DEP2:
        return value <= 8;
    case PTO_BLOCK_DEPD:
        return value <= 1;
    case PTO_BLOCK_D: /* codes that forms of their own have */
        return !((form == BF_C_MOVI || form == BF_ADDTPC) && value == 10);
    default:
        return true;
    }
}

bool pto_block_field_legal(size_t form, const pto_block_field_desc *field, int64_t value) {
    const unsigned bits = width(field);
    if (value & ((INT64_C(1) << field->scale) - 1))
        return false;
    const int64_t raw = value >> field->scale;
    const int64_t least = field->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    const int64_t most = (INT64_C(1) << (bits - (field->is_signed ? 1 : 0))) - 1;
    return raw >= least && raw <= most && code_legal(form, (pto_block_field)field->field, value);
}

/* Fields that are legal only together: size and queue of B.IOT. */
static bool fields_agree(size_t form, const pto_block_instr *instr) {
    if (!pto_block_is_iot(form))
        return true;
    const int64_t queue = instr->field[PTO_BLOCK_QUEUE];
    return instr->field[PTO_BLOCK_SIZE] ? queue < 4 : queue == 0 || queue == PTO_BLOCK_QUEUE_NONE;
}

/* ---- decode ---- */

pto_status pto_block_decode(const void *code, size_t size, pto_block_instr *instr) {
    const uint8_t *byte = code;
    if (size < 2)
        return PTO_ERR_REFUSED;
    const unsigned length = pto_block_length((uint16_t)(byte[0] | byte[1] << 8));
    if (length > size)
        return PTO_ERR_REFUSED;
    uint64_t word = 0;
    for (unsigned i = 0; i < length; i++)
        word |= (uint64_t)byte[i] << (8 * i);
    for (size_t f = 0; f < PTO_BLOCK_FORM_COUNT; f++) {
        const pto_block_form_desc *form = &forms[f];
        if ((word & form->mask) != form->match || form->bytes != length)
            continue;
        memset(instr, 0, sizeof *instr);
        instr->form = (uint16_t)f;
        instr->bytes = (uint8_t)length;
        instr->word = word;
        bool legal = true;
        for (int i = 0; i < form->field_count && legal; i++) {
            const int64_t value = extract(&form->field[i], word);
            instr->field[form->field[i].field] = value;
            legal = code_legal(f, (pto_block_field)form->field[i].field, value);
        }
        if (legal && fields_agree(f, instr))
            return PTO_OK;
    }
    return PTO_ERR_REFUSED;
}

pto_status pto_block_encode(const pto_block_instr *instr, uint64_t *word) {
    const pto_block_form_desc *form = pto_block_form_get(instr->form);
    if (!form)
        return PTO_ERR_USAGE;
    *word = form->match;
    for (int i = 0; i < form->field_count; i++) {
        const int64_t value = instr->field[form->field[i].field];
        if (!pto_block_field_legal(instr->form, &form->field[i], value))
            return PTO_ERR_REFUSED;
        *word |= insert(&form->field[i], value);
    }
    return fields_agree(instr->form, instr) ? PTO_OK : PTO_ERR_REFUSED;
}
