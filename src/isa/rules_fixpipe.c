/* SPDX-License-Identifier: Apache-2.0 */
/* Legality of quantisation and of vector-core modes on the way out of the accumulator (part 30, Q, TSTORE_FP,
 * TMOV, TEXTRACT, TINSERT), and of SET_QUANT_SCALAR and SET_QUANT_VECTOR. */
#include "isa/dtype_set.h"
#include "isa/rules_memory.h"
#include "isa/rules_shared.h"

#include <stdio.h>

/* acc_source(src) */
void pto_rule_acc_source(pto_legality *legality, const pto_rule_use *use) {
    pto_loc loc = legality->operand[use->arg[0]].type.loc;
    if (loc != PTO_LOC_ACC)
        pto_legality_refuse(legality, "PTO-E0751", use->arg[0], "acc", "%s", pto_loc_name(loc));
}

/* acc_to_vec(dst, src) */
void pto_rule_acc_to_vec(pto_legality *legality, const pto_rule_use *use) {
    pto_loc dst = legality->operand[use->arg[0]].type.loc;
    pto_rule_acc_source(legality, &(pto_rule_use){.arg_count = 1, .arg = {use->arg[1]}});
    if (!legality->failed && dst != PTO_LOC_VEC)
        pto_legality_refuse(legality, "PTO-E0756", use->arg[0], "vec", "%s", pto_loc_name(dst));
}

/* quant_word(preQuantScalar, dst): what the word says of the sign agrees with the type of the result. */
void pto_rule_quant_word(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *word = &legality->operand[use->arg[0]],
                               *dst = &legality->operand[use->arg[1]];
    pto_dtype dtype = dst->kind == PTO_OPERAND_TILE ? dst->type.dtype : dst->dtype;
    if (!word->value_known || (dtype != PTO_S8 && dtype != PTO_U8))
        return;
    bool is_signed = (uint64_t)word->value.i >> 46 & 1;
    if (is_signed != (dtype == PTO_S8))
        pto_legality_refuse(legality, "PTO-W0755", use->arg[0], dtype == PTO_S8 ? "1" : "0", "bit 46 of %d",
                            is_signed);
}

/* quant_table(fp[, columns of this tile[, index of the first column]]): where the words are, and enough. */
void pto_rule_quant_table(pto_legality *legality, const pto_rule_use *use) {
    int at = use->arg[0];
    const pto_legality_operand *fp = &legality->operand[at];
    if (fp->type.loc != PTO_LOC_SCALING || fp->type.rows != 1 || !dtype_in(fp->type.dtype, DTYPES_INT64)) {
        pto_legality_refuse(legality, "PTO-E0752", at, "one row of s64 or u64 in scaling",
                            "%d row%s of %s in %s", fp->type.rows, fp->type.rows == 1 ? "" : "s",
                            pto_dtype_name(fp->type.dtype), pto_loc_name(fp->type.loc));
        return;
    }
    if (legality->target == PTO_TARGET_A2A3 && fp->addr_known && fp->addr % 128)
        pto_legality_refuse(legality, "PTO-E0754", at, "a multiple of 128", "address %llu",
                            (unsigned long long)fp->addr);
    if (use->arg_count < 2)
        return;
    int64_t cols = legality->operand[use->arg[1]].valid_cols, first = 0;
    if (use->arg_count > 2) {
        const pto_legality_operand *index = &legality->operand[use->arg[2]];
        if (!index->value_known)
            return;
        first = index->value.i;
        if (legality->target != PTO_TARGET_CPU && first % 16) {
            pto_legality_refuse(legality, "PTO-E0767", use->arg[2], "a multiple of 16", "%lld",
                                (long long)first);
            return;
        }
    }
    if (cols >= 0 && fp->valid_cols >= 0 && first >= 0 && first + cols > fp->valid_cols) {
        char allowed[48];
        snprintf(allowed, sizeof allowed, "at least %lld words", (long long)(first + cols));
        pto_legality_refuse(legality, "PTO-E0753", at, allowed, "%d", fp->valid_cols);
    }
}

enum { SPLIT_M = 2, SPLIT_N = 3 };

/* acc_mode(accToVecMode, dst, src[, quantised]): which vector core a move from acc serves, and the halves of
 * the dual modes. The extents are the business of acc_split. */
void pto_rule_acc_mode(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]];
    const pto_tile_type *dst = &legality->operand[use->arg[1]].type,
                        *src = &legality->operand[use->arg[2]].type;
    if (!mode->value_known || mode->value.i == 0)
        return;
    if (mode->value.i < 0 || mode->value.i > SPLIT_N) {
        pto_legality_refuse(
            legality, "PTO-E0714", use->arg[0],
            "single_mode_vec0 0, single_mode_vec1 1, dual_mode_split_m 2, dual_mode_split_n 3", "%lld",
            (long long)mode->value.i);
        return;
    }
    if (dst->loc != PTO_LOC_VEC) {
        pto_legality_refuse(legality, "PTO-E0756", use->arg[1], "vec", "%s", pto_loc_name(dst->loc));
        return;
    }
    if (mode->value.i < SPLIT_M)
        return;
    if (use->arg_count > 3 || dst->dtype != src->dtype)
        pto_legality_refuse(legality, "PTO-E0756", use->arg[1], "equal types without quantisation",
                            "%s to %s", pto_dtype_name(src->dtype), pto_dtype_name(dst->dtype));
    else if (dst->blayout == PTO_COL_MAJOR && dst->slayout == PTO_NONE_BOX)
        pto_legality_refuse(legality, "PTO-E0756", use->arg[1], "ND or Nz", "DN");
}

/* The two halves of `whole` rows or columns. */
static void check_halves(pto_legality *legality, int operand, bool columns, int64_t whole, pto_dtype dtype) {
    if (whole < 0)
        return;
    bool wide = columns && pto_dtype_bits(dtype) == 32;
    if (whole % (wide ? 32 : 2))
        pto_legality_refuse(legality, "PTO-E0757", operand, wide ? "a multiple of 32" : "an even number",
                            "%lld %s", (long long)whole, columns ? "columns" : "rows");
}

/* acc_split(accToVecMode, dst, src): TMOV. The destination is as large as the source, or as its half. */
void pto_rule_acc_split(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]];
    const pto_legality_operand *dst = &legality->operand[use->arg[1]], *src = &legality->operand[use->arg[2]];
    if (!mode->value_known || mode->value.i < SPLIT_M) {
        pto_legality_require_valid(legality, use->arg[2], use->arg[1]);
        return;
    }
    bool columns = mode->value.i == SPLIT_N;
    int32_t want = columns ? src->valid_cols : src->valid_rows,
            have = columns ? dst->valid_cols : dst->valid_rows;
    int32_t other = columns ? src->valid_rows : src->valid_cols;
    int32_t other_have = columns ? dst->valid_rows : dst->valid_cols;
    check_halves(legality, use->arg[2], columns, want, dst->type.dtype);
    if (legality->failed || want < 0 || have < 0 || other < 0 || other_have < 0)
        return;
    bool two = legality->subblocks > 1;
    if (other != other_have || (have * 2 != want && (two || have != want)))
        pto_legality_refuse(
            legality, "PTO-E0757", use->arg[1],
            two ? "half of the valid region of the source" : "the valid region of the source, or its half",
            "%d x %d from %d x %d", dst->valid_rows, dst->valid_cols, src->valid_rows, src->valid_cols);
    else if (have == want || legality->subblocks == 1)
        pto_legality_refuse(legality, "PTO-W0758", use->arg[1],
                            have == want ? "one half" : "two vector cores", "%s of %d x %d",
                            have == want ? "all" : "the first half", src->valid_rows, src->valid_cols);
}

/* extract_split(accToVecMode, dst, src): the region that is split has twice the extent of the destination. */
void pto_rule_extract_split(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]];
    const pto_legality_operand *dst = &legality->operand[use->arg[1]], *src = &legality->operand[use->arg[2]];
    if (!mode->value_known || mode->value.i < SPLIT_M)
        return;
    bool columns = mode->value.i == SPLIT_N;
    int64_t whole = columns ? 2 * (int64_t)dst->valid_cols : 2 * (int64_t)dst->valid_rows;
    check_halves(legality, use->arg[1], columns, whole, dst->type.dtype);
    if (legality->failed || legality->target != PTO_TARGET_A5 || dst->valid_rows < 0 || dst->valid_cols < 0 ||
        src->valid_rows < 0 || src->valid_cols < 0)
        return;
    int64_t rows = columns ? dst->valid_rows : whole, cols = columns ? whole : dst->valid_cols;
    if (rows != src->valid_rows || cols != src->valid_cols)
        pto_legality_refuse(legality, "PTO-E0757", use->arg[1], "half of the valid region of the source",
                            "%d x %d of %d x %d", dst->valid_rows, dst->valid_cols, src->valid_rows,
                            src->valid_cols);
}

/* insert_split(accToVecMode, src) */
void pto_rule_insert_split(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]],
                               *src = &legality->operand[use->arg[1]];
    if (mode->value_known && mode->value.i >= SPLIT_M) {
        bool columns = mode->value.i == SPLIT_N;
        check_halves(legality, use->arg[1], columns, columns ? src->valid_cols : src->valid_rows,
                     src->type.dtype);
    }
}

/* quant_out(out): the types that quantising pushes are set up for. */
void pto_rule_quant_out(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *out = &legality->operand[use->arg[0]];
    uint32_t set = DTYPES(PTO_S8) | DTYPES(PTO_U8) | DTYPES(PTO_S16) | DTYPES(PTO_F16) | DTYPES(PTO_BF16);
    if (out->value_known &&
        (out->value.i < 0 || out->value.i >= PTO_DTYPE_COUNT || !dtype_in((pto_dtype)out->value.i, set)))
        pto_legality_refuse(legality, "PTO-E0790", use->arg[0], "s8 u8 s16 f16 bf16", "%s",
                            out->value.i >= 0 && out->value.i < PTO_DTYPE_COUNT
                                ? pto_dtype_name((pto_dtype)out->value.i)
                                : "no element type");
}

/* cube_round(mode): the cube rounds f32 inputs to nearest, ties to even or away. */
void pto_rule_cube_round(pto_legality *legality, const pto_rule_use *use) {
    const pto_legality_operand *mode = &legality->operand[use->arg[0]];
    if (mode->value_known && mode->value.i != PTO_CAST_RINT && mode->value.i != PTO_CAST_ROUND)
        pto_legality_refuse(legality, "PTO-E0791", use->arg[0], "RINT, ROUND", "%lld",
                            (long long)mode->value.i);
}
