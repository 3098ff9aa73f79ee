/* SPDX-License-Identifier: Apache-2.0 */
/* Template lines: one line, a whole header (70, 4.1). */
#include "block/assemble.h"

#include <string.h>

static size_t here(pto_block_assembler *as) {
    pto_block_skip(as);
    return as->at;
}

/* Which dimension a label names; -1 = none. ACCCVT counts Row before Col, everything else columns first. */
static int label_dim(const pto_block_op *op, pto_str label) {
    static const struct {
        const char *name;
        int dim;
    } labels[] = {{"LB0", 0}, {"LB1", 1}, {"LB2", 2},      {"M", 0},
                  {"N", 1},   {"K", 2},   {"ValidCol", 0}, {"ValidRow", 1}};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (pto_str_equal_ignore_case(label, pto_str_from(labels[i].name)))
            return labels[i].dim;
    const bool acccvt = op->geometry == GEOMETRY_ACCCVT;
    if (pto_str_equal_ignore_case(label, PTO_STR("Row")))
        return acccvt ? 0 : 1;
    if (pto_str_equal_ignore_case(label, PTO_STR("Col")))
        return acccvt ? 1 : 2;
    return -1;
}

static bool parse_dim(pto_block_assembler *as, pto_block_dim *dim, bool *fixed) {
    const pto_str word = pto_block_word_peek(as);
    const int reg = pto_block_gpr_find(word);
    *dim = (pto_block_dim){.given = true};
    *fixed = false;
    if (reg >= 0) {
        as->at += word.len;
        dim->reg = (unsigned)reg;
        if (!pto_block_accept(as, "+"))
            return true;
    }
    const size_t begin = here(as);
    if (!pto_block_expression(as, &dim->imm))
        return false;
    *fixed = !as->unknown && !as->moving;
    if (as->unknown)
        dim->imm = 0;
    if (dim->imm < 0 || dim->imm > 0x1ffff)
        return pto_block_refuse(as, begin, "PTO-E1603", "a dimension has 17 bits");
    return true;
}

static bool set_datr(pto_block_header *header, pto_block_field field, int code) {
    header->datr[field] = code;
    return true;
}

static bool parse_param(pto_block_assembler *as, pto_block_header *header, bool fixed[3], int *types,
                        bool *has_byte) {
    const size_t begin = here(as);
    pto_str word = pto_block_word(as);
    if (word.len && pto_block_peek(as) == ':') {
        const int k = label_dim(header->op, word);
        if (k < 0)
            return pto_block_refuse(as, begin, "PTO-E0201", "no dimension has this name");
        if (header->dim[k].given)
            return pto_block_refuse(as, begin, "PTO-E0215", "the dimension is given twice");
        pto_block_accept(as, ":");
        return parse_dim(as, &header->dim[k], &fixed[k]);
    }
    int code;
    const bool is_name = word.len && !(word.data[0] >= '0' && word.data[0] <= '9');
    if (is_name && (code = pto_block_type_find(word)) >= 0 && code != PTO_BLOCK_TYPE_NONE) {
        if (*types == 2)
            return pto_block_refuse(as, begin, "PTO-E0201", "two element types at most");
        if ((*types)++)
            return set_datr(header, PTO_BLOCK_TYPE2, code);
        header->type = (unsigned)code;
        return true;
    }
    if (is_name && (code = pto_block_pad_find(word)) >= 0) {
        header->has_datr = *has_byte = true;
        return set_datr(header, PTO_BLOCK_PAD, code);
    }
    if (is_name && pto_str_equal_ignore_case(word, PTO_STR("Sat")))
        return set_datr(header, PTO_BLOCK_SAT, 1);
    if (is_name && pto_block_gpr_find(word) < 0 && !pto_map_find(&as->symbols, word)) {
        if ((code = pto_block_rmode_find(word)) >= 0)
            return set_datr(header, PTO_BLOCK_RMODE, code);
        if ((code = pto_block_cmode_find(word)) >= 0)
            return set_datr(header, PTO_BLOCK_CMODE, code);
    }
    as->at = begin;
    for (int k = 0; k < 3; k++)
        if (!header->dim[k].given)
            return parse_dim(as, &header->dim[k], &fixed[k]);
    return pto_block_refuse(as, begin, "PTO-E0201", "three dimensions at most");
}

static bool parse_layout(pto_block_assembler *as, pto_block_header *header) {
    const size_t begin = here(as);
    const pto_str word = pto_block_name(as);
    const int code = pto_block_layout_find(word);
    if (code < 0)
        return pto_block_refuse(as, begin, "PTO-E0201", "expected '<' or a layout");
    header->datr[PTO_BLOCK_LAYOUT] = code;
    const pto_str suffix = pto_block_word_peek(as);
    as->at += suffix.len;
    if (pto_str_equal_ignore_case(suffix, PTO_STR(".canon")))
        header->datr[PTO_BLOCK_CANON] = 1;
    else if (suffix.len && !pto_str_equal_ignore_case(suffix, PTO_STR(".normal")))
        return pto_block_refuse(as, begin, "PTO-E0201", "a layout takes .canon or .normal");
    pto_block_accept(as, ",");
    return true;
}

static bool add_reg(pto_block_assembler *as, pto_block_header *header) {
    const size_t begin = here(as);
    int64_t code;
    if (header->reg_count == PTO_BLOCK_MAX_REGS)
        return pto_block_refuse(as, begin, "PTO-E0203", "twelve scalars at most");
    if (!pto_block_parse_gpr(as, &code))
        return false;
    header->reg[header->reg_count++] = (uint8_t)code;
    return true;
}

static bool parse_source(pto_block_assembler *as, pto_block_header *header) {
    const size_t begin = here(as);
    const pto_str word = pto_block_word_peek(as);
    if (pto_block_accept(as, "[")) {
        if (pto_block_accept(as, "]"))
            return true;
        do {
            if (!add_reg(as, header))
                return false;
        } while (pto_block_accept(as, ","));
        return pto_block_expect(as, "]");
    }
    if (pto_block_at_tile(as)) {
        int64_t code;
        bool reuse;
        if (header->source_count == PTO_BLOCK_MAX_SOURCES)
            return pto_block_refuse(as, begin, "PTO-E0203", "eight tiles at most");
        if (!pto_block_tile_ref(as, &code, &reuse))
            return false;
        for (int i = 0; i < header->source_count && as->final; i++)
            if (header->source[i] == code && header->reuse[i] != reuse)
                pto_diag_add(as->diags, PTO_WARNING, "PTO-W1681", pto_at(as->source, begin, as->at),
                             "one mention of the tile says .reuse, the other does not: it is kept");
        header->source[header->source_count] = (uint8_t)code;
        header->reuse[header->source_count++] = reuse;
        return true;
    }
    if (pto_str_equal_ignore_case(word, PTO_STR("ACC"))) {
        as->at += word.len;
        return true;
    }
    if (pto_str_equal_ignore_case(word, PTO_STR("D"))) {
        int64_t number = 0;
        as->at += word.len;
        if (!pto_block_expect(as, "#") || pto_str_parse_i64(pto_block_word(as), &number) != PTO_PARSE_OK ||
            number < 1 || number > 8 || header->dep_count == 3)
            return pto_block_refuse(as, begin, "PTO-E1603", "three dependences at most, D#1 to D#8");
        header->dep[header->dep_count++] = (uint8_t)number;
        return true;
    }
    return add_reg(as, header);
}

static bool parse_result(pto_block_assembler *as, pto_block_header *header) {
    const size_t begin = here(as);
    const pto_str word = pto_block_word_peek(as);
    if (pto_str_equal_ignore_case(word, PTO_STR("ACC"))) {
        int64_t size;
        as->at += word.len;
        return pto_block_size(as, &size);
    }
    if (pto_str_equal_ignore_case(word, PTO_STR("D"))) {
        as->at += word.len;
        header->dep_out = true;
        return true;
    }
    if (header->result_count == PTO_BLOCK_MAX_RESULTS)
        return pto_block_refuse(as, begin, "PTO-E0203", "four destinations at most");
    int64_t queue, size;
    if (!pto_block_result(as, &queue, &size))
        return false;
    header->result[header->result_count].queue = (uint8_t)queue;
    header->result[header->result_count++].size = (uint8_t)size;
    return true;
}

/* The operation, and what its last dot says: a compare mode or a layout. */
static const pto_block_op *find_op(pto_str mnemonic, pto_block_header *header) {
    const pto_block_op *op = pto_block_op_named(mnemonic);
    if (op)
        return op;
    size_t dot = mnemonic.len;
    while (dot && mnemonic.data[dot - 1] != '.')
        dot--;
    if (!dot || !(op = pto_block_op_named(pto_str_slice(mnemonic, 0, dot - 1))))
        return NULL;
    const pto_str suffix = pto_str_slice(mnemonic, dot, mnemonic.len);
    int code;
    if ((op->attributes & DATR_CMODE) && (code = pto_block_cmode_find(suffix)) >= 0)
        header->datr[PTO_BLOCK_CMODE] = code;
    else if ((op->attributes & DATR_LAYOUT) && (code = pto_block_layout_find(suffix)) >= 0)
        header->datr[PTO_BLOCK_LAYOUT] = code;
    else
        return NULL;
    return op;
}

bool pto_block_parse_template(pto_block_assembler *as, pto_str mnemonic) {
    pto_block_header header = {.type = PTO_BLOCK_TYPE_NONE};
    header.datr[PTO_BLOCK_PAD] = PTO_BLOCK_PAD_NULL;
    header.datr[PTO_BLOCK_TYPE2] = PTO_BLOCK_TYPE_NONE;
    header.op = find_op(mnemonic, &header);
    if (!header.op)
        return false;
    bool fixed[3] = {false}, has_byte = false;
    int types = 0;
    const size_t begin = here(as);
    if (pto_block_peek(as) != '<' && !parse_layout(as, &header))
        return true;
    if (!pto_block_expect(as, "<"))
        return true;
    do {
        if (!parse_param(as, &header, fixed, &types, &has_byte))
            return true;
    } while (pto_block_accept(as, ","));
    if (!pto_block_expect(as, ">"))
        return true;
    if (!types) {
        pto_block_refuse(as, begin, "PTO-E0201", "the element type is missing");
        return true;
    }
    if ((header.op->attributes & DATR_BYTE) && !has_byte && !pto_block_datr_default(header.datr))
        header.datr[PTO_BLOCK_PAD] = 0; /* a B.DATR of other reasons says Byte0; none means it */
    bool results = false;
    pto_block_accept(as, ",");
    while (!pto_block_done(as)) {
        results |= pto_block_accept(as, "->");
        if (!(results ? parse_result(as, &header) : parse_source(as, &header)))
            return true;
        if (!pto_block_accept(as, ",") && pto_block_peek(as) != '-')
            break;
    }
    if (!pto_block_done(as)) {
        pto_block_refuse(as, as->at, "PTO-E0201", "unexpected text behind the instruction");
        return true;
    }
    const bool small[3] = {as->compress && fixed[0], as->compress && fixed[1], as->compress && fixed[2]};
    pto_block_instr instr[PTO_BLOCK_MAX_HEADER];
    const int count = pto_block_expand(&header, small, instr);
    for (int i = 0; i < count; i++)
        if (!pto_block_emit(as, &instr[i]))
            return true;
    return true;
}
