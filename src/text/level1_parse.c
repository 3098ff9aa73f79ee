/* SPDX-License-Identifier: Apache-2.0 */
/* Level 1 instructions: `%d = pto.tadd %a, %b : (T, T) -> T` (60, 2). */
#include "text/ssa.h"

/* Inside bare lines the prefix may be missing: that is the PTO-AS spelling. */
pto_operation *pto_text_parse_level1(pto_text_parser *p, const pto_text_results *results, pto_token opcode,
                                     bool *bound) {
    pto_text_form text = pto_str_starts_with(opcode.text, PTO_STR("pto.")) ? PTO_TEXT_LEVEL1 : PTO_TEXT_AS;
    int form = pto_ssa_find_opcode(text, opcode.text);
    if (form < 0) {
        pto_text_unknown_op(p, opcode.text, pto_text_span(opcode));
        p->failed = true;
        return NULL;
    }
    pto_ssa_statement s = {.text = text, .block = p->block, .opcode = opcode, .results = *results};
    s.op = pto_text_new_instr(p, (pto_form)form, pto_text_span(opcode));
    pto_operation *op = pto_ssa_read(p, &s) ? pto_ssa_build(p, &s) : NULL;
    *bound = op != NULL;
    return op;
}
