/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of TCVT: type pairs per target, scratch, conversion in place (part 10, 9.2, 9.5, 9.8). */
#include "isa/rules_shared.h"
#include "number/convert.h"

void pto_rule_cvt_pair(pto_legality *, const pto_rule_use *);
void pto_rule_cvt_tmp(pto_legality *, const pto_rule_use *);
void pto_rule_cvt_in_place(pto_legality *, const pto_rule_use *);

enum { DST, SRC, TMP, MODE, SAT };

void pto_rule_cvt_pair(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    if (!pto_legality_is_tile(legality, DST) || !pto_legality_is_tile(legality, SRC))
        return;
    const pto_dtype dst = legality->operand[DST].type.dtype, src = legality->operand[SRC].type.dtype;
    if (!pto_cvt_available(legality->target, dst, src))
        pto_legality_refuse(legality, "PTO-E0550", SRC, "a pair of the target's table", "%s to %s",
                            pto_dtype_name(src), pto_dtype_name(dst));
}

/* What the wrapping narrowing of a2a3 keeps in its scratch tile, in bytes; 0 for every other conversion. */
static uint64_t scratch_bytes(pto_dtype dst, pto_dtype src, uint64_t rows, uint64_t cols, uint64_t stride) {
    if (src == PTO_F32 && dst == PTO_S16) {
        const uint64_t repeats = cols / 64 < 255 ? cols / 64 : 255, rest = cols % 64;
        const uint64_t last = rows < 255 ? rows : 255;
        const uint64_t tail = rest && last ? 32 * ((last - 1) * (stride / 8) + (rest + 7) / 8) : 0;
        return 4 * 64 * repeats > tail ? 4 * 64 * repeats : tail;
    }
    const uint64_t head = cols < 64 ? cols : 64, words = 32 * ((head + 7) / 8);
    if (src == PTO_F16 && dst == PTO_S16)
        return words;
    if (src == PTO_F16 && dst == PTO_S8) {
        const uint64_t halves = head ? 128 + 32 * ((head + 15) / 16) : 0;
        return words > halves ? words : halves;
    }
    return 0;
}

void pto_rule_cvt_tmp(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const pto_legality_operand *dst = &legality->operand[DST], *src = &legality->operand[SRC],
                               *sat = &legality->operand[SAT];
    if (!pto_legality_is_tile(legality, TMP) || dst->valid_rows < 0 || dst->valid_cols < 0)
        return;
    /* these pairs wrap unless saturation is asked for */
    const bool asked = sat->kind == PTO_OPERAND_SCALAR;
    if (asked && (!sat->value_known || sat->value.i == PTO_SAT_ON))
        return;
    const uint64_t bytes =
        scratch_bytes(dst->type.dtype, src->type.dtype, (uint64_t)dst->valid_rows, (uint64_t)dst->valid_cols,
                      dst->valid_cols ? (uint64_t)src->type.cols : 0);
    if (bytes)
        pto_legality_require_tmp_bytes(legality, TMP, bytes);
}

void pto_rule_cvt_in_place(pto_legality *legality, const pto_rule_use *use) {
    (void)use;
    const unsigned dst = pto_dtype_bits(legality->operand[DST].type.dtype);
    const unsigned src = pto_dtype_bits(legality->operand[SRC].type.dtype);
    if (dst != src && pto_legality_overlap(legality, DST, SRC) == PTO_OVERLAP_SAME_START)
        pto_legality_refuse(legality, "PTO-W0331", DST, "another tile", "%u to %u bits at one address", src,
                            dst);
}
