/* SPDX-License-Identifier: Apache-2.0 */
/* FFLAGS after a tile block (70, 2 and 9): which operation of flags.h a block is. Almost always nothing of
 * its result, or of its operands where the result tells nothing, is infinite or NaN; only then elements are
 * looked at. */
#include "block/execute.h"
#include "kernel/flags.h"
#include <pto/ops.h>

typedef struct rule {
    int16_t form;
    uint8_t op;      /* pto_exact_op */
    bool by_sources; /* NaN and infinities may be gone from the result */
} rule;

static const rule rules[] = {
    {PTO_FORM_TADD, PTO_EXACT_ADD, false},
    {PTO_FORM_TADDS, PTO_EXACT_ADD, false},
    {PTO_FORM_TROWSUM, PTO_EXACT_ADD, false},
    {PTO_FORM_TCOLSUM, PTO_EXACT_ADD, false},
    {PTO_FORM_TROWEXPANDADD, PTO_EXACT_ADD, false},
    {PTO_FORM_TCOLEXPANDADD, PTO_EXACT_ADD, false},
    {PTO_FORM_TSUB, PTO_EXACT_SUB, false},
    {PTO_FORM_TSUBS, PTO_EXACT_SUB, false},
    {PTO_FORM_TROWEXPANDSUB, PTO_EXACT_SUB, false},
    {PTO_FORM_TCOLEXPANDSUB, PTO_EXACT_SUB, false},
    {PTO_FORM_TROWEXPANDEXPDIF, PTO_EXACT_SUB, false},
    {PTO_FORM_TCOLEXPANDEXPDIF, PTO_EXACT_SUB, false},
    {PTO_FORM_TMUL, PTO_EXACT_MUL, false},
    {PTO_FORM_TMULS, PTO_EXACT_MUL, false},
    {PTO_FORM_TROWPROD, PTO_EXACT_MUL, false},
    {PTO_FORM_TCOLPROD, PTO_EXACT_MUL, false},
    {PTO_FORM_TROWEXPANDMUL, PTO_EXACT_MUL, false},
    {PTO_FORM_TCOLEXPANDMUL, PTO_EXACT_MUL, false},
    {PTO_FORM_TDIV, PTO_EXACT_DIV, false},
    {PTO_FORM_TDIVS, PTO_EXACT_DIV, false},
    {PTO_FORM_TRECIP, PTO_EXACT_DIV, false},
    {PTO_FORM_TROWEXPANDDIV, PTO_EXACT_DIV, false},
    {PTO_FORM_TCOLEXPANDDIV, PTO_EXACT_DIV, false},
    {PTO_FORM_TREM, PTO_EXACT_FLOOR_REM, false},
    {PTO_FORM_TREMS, PTO_EXACT_FLOOR_REM, false},
    {PTO_FORM_TFMOD, PTO_EXACT_TRUNC_REM, false},
    {PTO_FORM_TFMODS, PTO_EXACT_TRUNC_REM, false},
    {PTO_FORM_TPRELU, PTO_EXACT_LEAKY_RELU, false},
    {PTO_FORM_TLRELU, PTO_EXACT_LEAKY_RELU, false},
    {PTO_FORM_TLOG, PTO_EXACT_LOG, false},
    {PTO_FORM_TSQRT, PTO_EXACT_SQRT, false},
    {PTO_FORM_TRSQRT, PTO_EXACT_RSQRT, false},
    {PTO_FORM_TADDC, PTO_EXACT_ADD_ADD, false},
    {PTO_FORM_TADDSC, PTO_EXACT_ADD_ADD, false},
    {PTO_FORM_TSUBC, PTO_EXACT_SUB_ADD, false},
    {PTO_FORM_TSUBSC, PTO_EXACT_SUB_ADD, false},
    {PTO_FORM_TMULADDDST, PTO_EXACT_MULADD, false},
    {PTO_FORM_TAXPY, PTO_EXACT_MULADD, false},
    {PTO_FORM_TEXP, PTO_EXACT_COPY, false},
    {PTO_FORM_TPARTADD, PTO_EXACT_ADD, true},
    {PTO_FORM_TPARTMUL, PTO_EXACT_MUL, true},
    {PTO_FORM_TMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TMAXS, PTO_EXACT_COPY, true},
    {PTO_FORM_TMINS, PTO_EXACT_COPY, true},
    {PTO_FORM_TCMP, PTO_EXACT_COPY, true},
    {PTO_FORM_TCMPS, PTO_EXACT_COPY, true},
    {PTO_FORM_TRELU, PTO_EXACT_COPY, true},
    {PTO_FORM_TCVT, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWARGMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWARGMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLARGMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLARGMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWEXPANDMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TROWEXPANDMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLEXPANDMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TCOLEXPANDMIN, PTO_EXACT_COPY, true},
    {PTO_FORM_TPARTMAX, PTO_EXACT_COPY, true},
    {PTO_FORM_TPARTMIN, PTO_EXACT_COPY, true},
};

static const rule *rule_of(const pto_block_op *op) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].form == op->form)
            return &rules[i];
    return NULL;
}

static bool is_quiet(const pto_block_job *job, bool by_sources) {
    if (!by_sources) {
        const pto_tile tile = pto_block_tile_of(&job->dst[0], pto_block_dtype(job->dst[0].type));
        return !pto_flags_special(&tile);
    }
    for (int i = 0; i < job->op->tiles; i++) {
        const pto_tile tile = pto_block_tile_of(job->src[i], pto_block_dtype(job->src[i]->type));
        if (pto_flags_special(&tile))
            return false;
    }
    /* of the scalar one element is enough */
    const pto_tile scalar = {.type = {.dtype = pto_block_dtype(job->type), .rows = 1, .cols = 1},
                             .valid_rows = 1,
                             .valid_cols = 1,
                             .data = (void *)&job->reg[0]};
    return !job->op->regs_most || !pto_flags_special(&scalar);
}

static pto_tile smaller(pto_tile tile, const pto_block_entry *other) {
    tile.valid_rows = other->valid_rows < tile.valid_rows ? other->valid_rows : tile.valid_rows;
    tile.valid_cols = other->valid_cols < tile.valid_cols ? other->valid_cols : tile.valid_cols;
    return tile;
}

static unsigned flags_of_fold(pto_exact_op op, const pto_tile *src, bool by_rows) {
    const pto_map_input none = {0};
    if (op == PTO_EXACT_COPY)
        return pto_flags_map(op, src, none, none, PTO_FLAGS_BESIDE);
    const uint64_t one = pto_scalar_code(src->type.dtype, (pto_scalar){.dtype = PTO_S64, .i = 1});
    return pto_flags_fold(op, src, by_rows, op == PTO_EXACT_MUL ? one : 0);
}

unsigned pto_block_flags(const pto_block_job *job) {
    const pto_block_op *op = job->op;
    const rule *r = pto_block_type_is_float(job->type) ? rule_of(op) : NULL;
    if (!r || is_quiet(job, r->by_sources))
        return 0;
    const pto_exact_op exact = (pto_exact_op)r->op;
    pto_tile tile[3];
    pto_map_input input[3] = {{0}, {0}, {0}};
    for (int i = 0; i < op->tiles; i++) {
        tile[i] = pto_block_tile_of(job->src[i], pto_block_dtype(job->type));
        input[i] = (pto_map_input){.type = &tile[i].type, .data = tile[i].data};
    }
    const pto_map_input scalar = {.data = &job->reg[0]}, none = {0};
    switch (op->geometry) {
    case GEOMETRY_ROW_REDUCE:
    case GEOMETRY_COL_REDUCE:
        return flags_of_fold(exact, &tile[0], op->geometry == GEOMETRY_ROW_REDUCE);
    case GEOMETRY_ROW_BROADCAST:
        return pto_flags_map(exact, &tile[0], input[1], none, PTO_FLAGS_COLUMN);
    case GEOMETRY_COL_BROADCAST:
        return pto_flags_map(exact, &tile[0], input[1], none, PTO_FLAGS_ROW);
    case GEOMETRY_UPDATE: /* s * B + A */
        return pto_flags_map(exact, &tile[1], scalar, input[0], PTO_FLAGS_BESIDE);
    case GEOMETRY_PARTIAL: /* where both are */
        tile[0] = smaller(tile[0], job->src[1]);
        break;
    default:
        break;
    }
    return op->regs_most ? pto_flags_map(exact, &tile[0], scalar, input[1], PTO_FLAGS_BESIDE)
                         : pto_flags_map(exact, &tile[0], input[1], input[2], PTO_FLAGS_BESIDE);
}
