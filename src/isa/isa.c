/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the generated table. */
#include "isa/opcodes.h"
#include <pto/ops.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool opcode_equals(const char *opcode, const char *s, size_t len) {
    return opcode && strlen(opcode) == len && !strncasecmp(opcode, s, len);
}

/* Older spellings (60, 1.6). */
static const char *const synonyms[][2] = {{"tsetfmatrix", "setfmatrix"},
                                          {"tset_img2col_rpt", "set_img2col_rpt"},
                                          {"tset_img2col_padding", "set_img2col_padding"}};

/* Where the forms of an opcode begin, -1 = nowhere. */
static int position(pto_text_form text, const char *opcode, size_t len) {
    const pto_opcode *sorted = pto_opcodes[text];
    int low = 0, high = pto_opcode_count[text]; /* the first that does not stand before the opcode */
    while (low < high) {
        int middle = (low + high) / 2;
        if (strncasecmp(sorted[middle].name, opcode, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pto_opcode_count[text] && opcode_equals(sorted[low].name, opcode, len) ? low : -1;
}

int pto_form_find_opcode(pto_text_form text, const char *opcode, size_t len) {
    char newer[48];
    size_t prefix = text == PTO_TEXT_AS ? 0 : 4; /* pto. */
    for (size_t i = 0; len > prefix && i < sizeof synonyms / sizeof *synonyms; i++)
        if (opcode_equals(synonyms[i][0], opcode + prefix, len - prefix)) {
            len = (size_t)snprintf(newer, sizeof newer, "%.*s%s", (int)prefix, opcode, synonyms[i][1]);
            opcode = newer;
            break;
        }
    int at = position(text, opcode, len);
    return at >= 0 ? pto_opcodes[text][at].form : -1;
}

int pto_form_next_opcode(pto_text_form text, int form) { return pto_opcode_next[text][form]; }

pto_op pto_op_find(const char *mnemonic, size_t len) {
    for (int i = 0; i < PTO_OP_COUNT; i++)
        if (opcode_equals(pto_op_table[i].mnemonic, mnemonic, len))
            return (pto_op)i;
    return PTO_OP_COUNT;
}

pto_pipe pto_form_pipe(const pto_form_desc *form, int src_loc, int dst_loc) {
    for (int i = 0; i < form->pipe_count; i++) {
        const pto_pipe_use *use = &form->pipes[i];
        if ((use->src_loc < 0 || use->src_loc == src_loc) && (use->dst_loc < 0 || use->dst_loc == dst_loc))
            return use->pipe;
    }
    return PTO_PIPE_ALL;
}

bool pto_form_takes(const pto_form_desc *form, int src_loc) {
    for (int i = 0; i < form->pipe_count; i++)
        if (form->pipes[i].src_loc < 0 || form->pipes[i].src_loc == src_loc)
            return true;
    return false;
}

int pto_form_operand_index(const pto_form_desc *form, const char *name) {
    for (int i = 0; i < form->operand_count; i++)
        if (!strcmp(form->operand[i].name, name))
            return i;
    return -1;
}
