/* SPDX-License-Identifier: Apache-2.0 */
/* Template lines and the headers that they stand for (70, 4.1 and 4.2). */
#include "block/text.h"

#include <string.h>

static pto_block_instr *add(pto_block_instr *out, int *count, size_t form) {
    pto_block_instr *instr = &out[(*count)++];
    memset(instr, 0, sizeof *instr);
    instr->form = (uint16_t)form;
    instr->bytes = pto_block_form_get(form)->bytes;
    return instr;
}

bool pto_block_datr_default(const int64_t *datr) {
    return !datr[PTO_BLOCK_CMODE] && datr[PTO_BLOCK_PAD] == PTO_BLOCK_PAD_NULL && !datr[PTO_BLOCK_SAT] &&
           !datr[PTO_BLOCK_CANON] && datr[PTO_BLOCK_TYPE2] == PTO_BLOCK_TYPE_NONE && !datr[PTO_BLOCK_RMODE] &&
           !datr[PTO_BLOCK_LAYOUT];
}

int pto_block_expand(const pto_block_header *header, const bool small[3],
                     pto_block_instr out[PTO_BLOCK_MAX_HEADER]) {
    static const size_t start[] = {BF_BSTART_TEPL, BF_BSTART_TMA, BF_BSTART_CUBE};
    int count = 0;
    pto_block_instr *instr = add(out, &count, start[header->op->engine]);
    instr->field[PTO_BLOCK_TYPE] = header->type;
    instr->field[PTO_BLOCK_SELECTOR] = header->op->selector;
    if (header->has_datr || !pto_block_datr_default(header->datr)) {
        instr = add(out, &count, BF_B_DATR);
        memcpy(instr->field, header->datr, sizeof instr->field);
    }
    for (int k = 0; k < 3; k++) {
        const pto_block_dim *dim = &header->dim[k];
        if (!dim->given)
            continue;
        const bool is_small = small[k] && !dim->reg && dim->imm >= 0 && dim->imm <= 255;
        instr = add(out, &count, is_small ? BF_C_B_DIMI : BF_B_DIM);
        instr->field[PTO_BLOCK_DIM] = k;
        instr->field[PTO_BLOCK_REG] = dim->reg;
        instr->field[PTO_BLOCK_IMM] = dim->imm;
    }
    /* the first destination rides with the final sources */
    int source = 0, result = 0;
    while (source < header->source_count || result < header->result_count) {
        const int n = header->source_count - source >= 2 ? 2 : header->source_count - source;
        instr = add(out, &count, n == 2 ? BF_B_IOT_2 : n == 1 ? BF_B_IOT_1 : BF_B_IOT_0);
        for (int i = 0; i < n; i++) {
            instr->field[i ? PTO_BLOCK_SRC1 : PTO_BLOCK_SRC0] = header->source[source + i];
            instr->field[i ? PTO_BLOCK_REUSE1 : PTO_BLOCK_REUSE0] = header->reuse[source + i];
        }
        source += n;
        if (source == header->source_count && result < header->result_count) {
            instr->field[PTO_BLOCK_QUEUE] = header->result[result].queue;
            instr->field[PTO_BLOCK_SIZE] = header->result[result++].size;
        }
        instr->field[PTO_BLOCK_LAST] = source == header->source_count && result == header->result_count;
    }
    for (int reg = 0; reg < header->reg_count; reg += 3) {
        instr = add(out, &count, BF_B_IOR);
        for (int i = 0; i < 3 && reg + i < header->reg_count; i++)
            instr->field[PTO_BLOCK_REG0 + i] = header->reg[reg + i];
    }
    if (header->dep_count || header->dep_out) {
        instr = add(out, &count, BF_B_IOD);
        for (int i = 0; i < header->dep_count; i++)
            instr->field[PTO_BLOCK_DEP0 + i] = header->dep[i];
        instr->field[PTO_BLOCK_DEPD] = header->dep_out;
    }
    return count;
}

/* ---- folding ---- */

static const pto_block_op *op_of(const pto_block_instr *start) {
    const pto_block_engine engine = start->form == BF_BSTART_TEPL  ? ENGINE_TEPL
                                    : start->form == BF_BSTART_TMA ? ENGINE_TMA
                                                                   : ENGINE_CUBE;
    return pto_block_op_select(engine, (unsigned)start->field[PTO_BLOCK_SELECTOR]);
}

static bool same(const pto_block_instr *a, const pto_block_instr *b) {
    uint64_t p = 0, q = 0;
    return a->form == b->form && pto_block_encode(a, &p) == PTO_OK && pto_block_encode(b, &q) == PTO_OK &&
           p == q;
}

int pto_block_fold(const pto_block_instr *instr, size_t count, bool compress, pto_block_header *header) {
    memset(header, 0, sizeof *header);
    if (!count || !pto_block_is_tile_start(instr[0].form))
        return 0;
    header->op = op_of(instr);
    header->type = (unsigned)instr->field[PTO_BLOCK_TYPE];
    header->datr[PTO_BLOCK_PAD] = PTO_BLOCK_PAD_NULL;
    header->datr[PTO_BLOCK_TYPE2] = PTO_BLOCK_TYPE_NONE;
    bool small[3] = {false}, any_small = false, any_large = false;
    size_t used = 1;
    for (; used < count && used < PTO_BLOCK_MAX_HEADER && pto_block_is_header(instr[used].form); used++) {
        const pto_block_instr *next = &instr[used];
        const int64_t *field = next->field;
        switch (next->form) {
        case BF_B_DATR:
            header->has_datr = true;
            memcpy(header->datr, field, sizeof header->datr);
            break;
        case BF_B_DIM:
        case BF_C_B_DIMI: {
            pto_block_dim *dim = &header->dim[field[PTO_BLOCK_DIM]];
            if (dim->given)
                return 0;
            *dim = (pto_block_dim){true, (unsigned)field[PTO_BLOCK_REG], field[PTO_BLOCK_IMM]};
            if (next->form == BF_C_B_DIMI)
                small[field[PTO_BLOCK_DIM]] = any_small = true;
            else if (!dim->reg && dim->imm <= 255)
                any_large = true;
            break;
        }
        case BF_B_IOT_2:
        case BF_B_IOT_1:
        case BF_B_IOT_0: {
            const int n = next->form == BF_B_IOT_2 ? 2 : next->form == BF_B_IOT_1;
            if (header->source_count + n > PTO_BLOCK_MAX_SOURCES)
                return 0;
            for (int i = 0; i < n; i++) {
                header->source[header->source_count] = (uint8_t)field[i ? PTO_BLOCK_SRC1 : PTO_BLOCK_SRC0];
                header->reuse[header->source_count++] = field[i ? PTO_BLOCK_REUSE1 : PTO_BLOCK_REUSE0] != 0;
            }
            if (field[PTO_BLOCK_SIZE]) {
                if (header->result_count == PTO_BLOCK_MAX_RESULTS)
                    return 0;
                header->result[header->result_count].queue = (uint8_t)field[PTO_BLOCK_QUEUE];
                header->result[header->result_count++].size = (uint8_t)field[PTO_BLOCK_SIZE];
            }
            break;
        }
        case BF_B_IOR: {
            if (header->reg_count + 3 > PTO_BLOCK_MAX_REGS || header->reg_count % 3)
                return 0;
            const int n = field[PTO_BLOCK_REG2]   ? 3
                          : field[PTO_BLOCK_REG1] ? 2
                          : field[PTO_BLOCK_REG0] ? 1
                                                  : 0;
            if (!n)
                return 0;
            for (int i = 0; i < n; i++)
                header->reg[header->reg_count++] = (uint8_t)field[PTO_BLOCK_REG0 + i];
            break;
        }
        case BF_B_IOD:
            if (header->dep_count || header->dep_out)
                return 0;
            header->dep_count = field[PTO_BLOCK_DEP2]   ? 3
                                : field[PTO_BLOCK_DEP1] ? 2
                                : field[PTO_BLOCK_DEP0] ? 1
                                                        : 0;
            for (int i = 0; i < header->dep_count; i++) {
                if (!field[PTO_BLOCK_DEP0 + i])
                    return 0;
                header->dep[i] = (uint8_t)field[PTO_BLOCK_DEP0 + i];
            }
            header->dep_out = field[PTO_BLOCK_DEPD] != 0;
            break;
        default:
            return 0;
        }
    }
    if (compress ? any_large : any_small)
        return 0;
    /* an explicit B.DATR without effect has no template spelling but Null, which is only kept by pads */
    pto_block_instr again[PTO_BLOCK_MAX_HEADER];
    if (pto_block_expand(header, small, again) != (int)used)
        return 0;
    for (size_t i = 0; i < used; i++)
        if (!same(&again[i], &instr[i]))
            return 0;
    return (int)used;
}

/* ---- printing ---- */

static void item(pto_block_out *out, int *count, const char *text) {
    pto_block_out_add(out, "%s%s", (*count)++ ? ", " : "", text);
}

void pto_block_out_template(pto_block_out *out, const pto_block_header *header) {
    static const char *const label[2][3] = {{"LB0", "LB1", "LB2"}, {"M", "N", "K"}};
    const int64_t *datr = header->datr;
    const bool cube = header->op->engine == ENGINE_CUBE && header->op->geometry == GEOMETRY_MATMUL;
    pto_block_out_add(out, "%s", header->op->name);
    if (header->op->attributes & DATR_CMODE)
        pto_block_out_add(out, ".%s", pto_block_cmode_name((unsigned)datr[PTO_BLOCK_CMODE]));
    if (datr[PTO_BLOCK_LAYOUT] || datr[PTO_BLOCK_CANON])
        pto_block_out_add(out, " %s%s,", pto_block_layout_name((unsigned)datr[PTO_BLOCK_LAYOUT]),
                          datr[PTO_BLOCK_CANON] ? ".canon" : "");
    pto_block_out_add(out, " <");
    int count = 0;
    for (int k = 0; k < 3; k++) {
        const pto_block_dim *dim = &header->dim[k];
        if (!dim->given)
            continue;
        item(out, &count, label[cube][k]);
        if (dim->reg && dim->imm)
            pto_block_out_add(out, ":%s+%lld", pto_block_gpr_name(dim->reg), (long long)dim->imm);
        else if (dim->reg)
            pto_block_out_add(out, ":%s", pto_block_gpr_name(dim->reg));
        else
            pto_block_out_add(out, ":%lld", (long long)dim->imm);
    }
    item(out, &count, pto_block_type_name(header->type));
    if (datr[PTO_BLOCK_TYPE2] != PTO_BLOCK_TYPE_NONE)
        item(out, &count, pto_block_type_name((unsigned)datr[PTO_BLOCK_TYPE2]));
    if (datr[PTO_BLOCK_CMODE] && !(header->op->attributes & DATR_CMODE))
        item(out, &count, pto_block_cmode_name((unsigned)datr[PTO_BLOCK_CMODE]));
    if (datr[PTO_BLOCK_RMODE])
        item(out, &count, pto_block_rmode_name((unsigned)datr[PTO_BLOCK_RMODE]));
    if (datr[PTO_BLOCK_SAT])
        item(out, &count, "Sat");
    if (header->op->attributes & DATR_BYTE) {
        static const char *const byte[] = {"Byte0", "Byte1", "Byte2", "Byte3"};
        if (header->has_datr)
            item(out, &count, byte[datr[PTO_BLOCK_PAD] & 3]);
    } else if (datr[PTO_BLOCK_PAD] != PTO_BLOCK_PAD_NULL ||
               (header->has_datr && pto_block_datr_default(datr))) {
        item(out, &count, pto_block_pad_name((unsigned)datr[PTO_BLOCK_PAD]));
    }
    pto_block_out_add(out, ">");
    const char *separator = ", ";
    if (header->op->geometry == GEOMETRY_ACCCVT)
        pto_block_out_add(out, "%sACC", separator);
    for (int i = 0; i < header->source_count; i++) {
        pto_block_out_add(out, "%s", separator);
        pto_block_out_tile(out, header->source[i], header->reuse[i]);
    }
    for (int i = 0; i < header->reg_count; i++)
        pto_block_out_add(out, "%s%s", i ? ", " : ", [", pto_block_gpr_name(header->reg[i]));
    if (header->reg_count)
        pto_block_out_add(out, "]");
    for (int i = 0; i < header->dep_count; i++)
        pto_block_out_add(out, "%sD#%d", separator, header->dep[i]);
    const char *arrow = ", ->";
    for (int i = 0; i < header->result_count; i++) {
        pto_block_out_add(out, "%s%c", arrow, "TUMN"[header->result[i].queue]);
        pto_block_out_size(out, header->result[i].size);
        arrow = ", ";
    }
    if (header->dep_out)
        pto_block_out_add(out, "%sD", arrow);
}
