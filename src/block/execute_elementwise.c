/* SPDX-License-Identifier: Apache-2.0 */
/* Modes 0 to 2 of TEPL: elementwise, tile-scalar, reductions and broadcasts (70, 9.1 to 9.5), on the kernels
 * of the library. */
#include "block/values.h"
#include "number/convert.h"
#include <pto/ops.h>

#include <string.h>

/* ---- checks of sources, shared ---- */

bool pto_block_check_type(pto_block_job *job, int i, unsigned type) {
    char name[16];
    if (job->src[i]->predicate || job->src[i]->type != type)
        return pto_block_tile_fault(job, "PTO-E1646", pto_block_source_name(job, i, name), "%s, not %s",
                                    job->src[i]->predicate ? "a predicate"
                                                           : pto_block_type_name(job->src[i]->type),
                                    pto_block_type_name(type));
    return true;
}

bool pto_block_check_shape(pto_block_job *job, int i, int32_t rows, int32_t cols, int32_t pitch) {
    char name[16];
    const pto_block_entry *src = job->src[i];
    if (src->valid_rows != rows || src->valid_cols != cols || src->cols != pitch)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, i, name),
                                    "%dx%d of %d columns, not %dx%d of %d", (int)src->valid_rows,
                                    (int)src->valid_cols, (int)src->cols, (int)rows, (int)cols, (int)pitch);
    return true;
}

/* Bits that a value of the type must not have. */
static uint64_t unused_bits(unsigned type) {
    return type == BT_TF32 ? 0x1fff : type == BT_HF32 ? 0xfff : type == BT_E3M2 || type == BT_E2M3 ? 0xc0 : 0;
}

bool pto_block_check_values(pto_block_job *job, int i) {
    char name[16];
    const pto_block_entry *src = job->src[i];
    if (src->holes)
        return pto_block_tile_fault(job, "PTO-E1648", pto_block_source_name(job, i, name),
                                    "elements of the valid region are undefined");
    const uint64_t unused = src->predicate ? 0 : unused_bits(src->type);
    for (int32_t r = 0; unused && r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            if (pto_block_get(src, r, c) & unused)
                return pto_block_tile_fault(job, "PTO-E1649", pto_block_source_name(job, i, name),
                                            "0x%llx at (%d, %d)",
                                            (unsigned long long)pto_block_get(src, r, c), (int)r, (int)c);
    return true;
}

static bool divides(const pto_block_op *op) {
    static const char *const names[] = {"TDIV",  "TREM",   "TFMOD",         "TDIVS",
                                        "TREMS", "TFMODS", "TROWEXPANDDIV", "TCOLEXPANDDIV"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(op->name, names[i]))
            return true;
    return false;
}

static bool check_divisors(pto_block_job *job) {
    if (pto_block_type_is_float(job->type) || !divides(job->op))
        return true;
    if (job->op->tiles == 1) {
        const uint64_t mask = UINT64_MAX >> (64 - pto_block_type_bits(job->type));
        return (job->reg[0] & mask) != 0 ||
               pto_block_tile_fault(job, "PTO-E1650", "RegSrc0", "the divisor is 0");
    }
    char name[16];
    const pto_block_entry *src = job->src[1];
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            if (!pto_block_get(src, r, c))
                return pto_block_tile_fault(job, "PTO-E1650", pto_block_source_name(job, 1, name),
                                            "the divisor at (%d, %d) is 0", (int)r, (int)c);
    return true;
}

/* The scalar of an S form is an element: it must be one. */
static bool check_scalar(pto_block_job *job) {
    if (job->op->regs_most && (job->reg[0] & unused_bits(job->type)))
        return pto_block_tile_fault(job, "PTO-E1649", "RegSrc0", "0x%llx", (unsigned long long)job->reg[0]);
    return true;
}

/* ---- predicates ---- */

/* The mask that a compare writes or a select reads, as packed rows: in place when a row is whole bytes. */
static pto_tile mask_tile(uint8_t *data, int32_t rows, int32_t cols, int32_t valid_rows, int32_t valid_cols) {
    const pto_block_entry bytes = {.rows = rows,
                                   .cols = (cols + 7) / 8,
                                   .valid_rows = valid_rows,
                                   .valid_cols = (valid_cols + 7) / 8,
                                   .data = data};
    return pto_block_tile_of(&bytes, PTO_U8);
}

static bool run_compare(pto_block_job *job, pto_tile *const *src) {
    pto_block_entry *dst = &job->dst[0];
    const bool in_place = dst->cols % 8 == 0;
    const size_t pitch = (size_t)(dst->cols + 7) / 8;
    uint8_t *packed = in_place ? dst->data : pto_block_staging(job->m, pitch * (size_t)job->rows);
    if (!packed)
        return false;
    memset(packed, 0, pitch * (size_t)job->rows);
    pto_tile mask = mask_tile(packed, in_place ? dst->rows : job->rows, dst->cols, job->rows, job->cols);
    if (!pto_block_call(job, (pto_form)job->op->form, job->op->operands, &mask, src,
                        job->type == BT_TF32 || job->type == BT_HF32 ? PTO_F32 : pto_block_dtype(job->type)))
        return false;
    if (!in_place)
        memset(dst->data, 0, (size_t)pto_block_size_bytes(dst->size));
    for (int32_t r = 0; r < job->rows && !in_place; r++)
        for (int32_t c = 0; c < job->cols; c++)
            if (packed[(size_t)r * pitch + (size_t)c / 8] >> (c & 7) & 1) {
                const int64_t e = (int64_t)r * dst->cols + c;
                dst->data[e / 8] = (uint8_t)(dst->data[e / 8] | 1u << (e & 7));
            }
    pto_block_pad(job, 0);
    return true;
}

static bool run_select(pto_block_job *job) {
    const pto_block_entry *mask = job->src[0];
    const int32_t cols = job->pitch;
    const size_t pitch = (size_t)(cols + 7) / 8;
    uint8_t *packed = mask->data;
    if (cols % 8) {
        packed = pto_block_staging(job->m, pitch * (size_t)job->rows);
        if (!packed)
            return false;
        memset(packed, 0, pitch * (size_t)job->rows);
        for (int32_t r = 0; r < job->rows; r++)
            for (int32_t c = 0; c < job->cols; c++) {
                const int64_t e = (int64_t)r * cols + c;
                const unsigned bit = mask->data[e / 8] >> (e & 7) & 1;
                packed[(size_t)r * pitch + (size_t)c / 8] |= (uint8_t)(bit << (c & 7));
            }
    }
    const pto_dtype dtype = pto_block_bits_dtype(job->type);
    pto_tile flags = mask_tile(packed, job->rows, cols, job->rows, job->cols);
    pto_tile dst = pto_block_tile_of(&job->dst[0], dtype), a = pto_block_tile_of(job->src[1], dtype), b;
    pto_tile *src[3] = {&flags, &a, &b};
    if (job->op->tiles == 3)
        b = pto_block_tile_of(job->src[2], dtype);
    return pto_block_call(job, (pto_form)job->op->form, job->op->operands, &dst, src, dtype);
}

/* The mask of a select: a predicate of the same geometry, or bytes that hold as many bits. */
static bool check_mask(pto_block_job *job) {
    char name[16];
    const pto_block_entry *mask = job->src[0];
    if (mask->predicate)
        return pto_block_check_shape(job, 0, job->rows, job->cols, job->pitch);
    if (!pto_block_check_type(job, 0, BT_U8))
        return false;
    const int64_t bits = (int64_t)(job->rows - 1) * job->pitch + job->cols;
    const int64_t bytes = (int64_t)(mask->valid_rows - 1) * mask->cols + mask->valid_cols;
    return bytes * 8 >= bits ||
           pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, 0, name),
                                "%lld mask bits, not %lld", (long long)bytes * 8, (long long)bits);
}

/* ---- conversion ---- */

bool pto_block_convert(pto_block_job *job, const pto_block_entry *src, pto_block_entry *dst, unsigned rmode,
                       bool sat) {
    const pto_round_mode mode = pto_block_round_mode(rmode, dst->type, src->type);
    const pto_dtype to = pto_block_dtype(dst->type), from = pto_block_dtype(src->type);
    const bool library = to != PTO_DTYPE_NONE && from != PTO_DTYPE_NONE && !src->layout && !dst->layout &&
                         mode != PTO_CAST_HALF_UP;
    if (library) {
        pto_tile out = pto_block_tile_of(dst, to), in = pto_block_tile_of(src, from);
        pto_instr instr = {.form = PTO_FORM_TCVT, .verified = true};
        instr.operand[0] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &out};
        instr.operand[1] = (pto_operand){.kind = PTO_OPERAND_TILE, .tile = &in};
        instr.operand[3] = (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = mode}};
        instr.operand[4] =
            (pto_operand){.kind = PTO_OPERAND_SCALAR, .scalar = {.i = sat ? PTO_SAT_ON : PTO_SAT_OFF}};
        return pto_core_execute(job->m->core, &instr) == PTO_OK ||
               pto_block_tile_fault(job, "PTO-E1621", "", "the conversion could not be executed");
    }
    const pto_format out = pto_block_format(dst->type), in = pto_block_format(src->type);
    pto_cvt_rule rule = pto_cvt_resolve(out, in, mode, sat ? PTO_SAT_ON : PTO_SAT_OFF);
    for (int32_t r = 0; r < src->valid_rows; r++)
        for (int32_t c = 0; c < src->valid_cols; c++)
            pto_block_set(dst, r, c, pto_number_convert_by_rule(out, in, pto_block_get(src, r, c), rule));
    return true;
}

/* ---- the families ---- */

static bool is_copy(const pto_block_op *op) {
    return op->geometry == GEOMETRY_FILL || op->geometry == GEOMETRY_ROW_EXPAND ||
           op->geometry == GEOMETRY_COL_EXPAND;
}

/* The broadcast operand: one column or one row. */
static bool check_vector(pto_block_job *job, int i) {
    char name[16];
    const pto_block_entry *v = job->src[i];
    const bool row = job->op->geometry == GEOMETRY_ROW_EXPAND || job->op->geometry == GEOMETRY_ROW_BROADCAST;
    if (row ? v->cols != 1 || v->valid_cols != 1 || v->valid_rows != job->rows
            : v->valid_rows != 1 || v->valid_cols != job->cols)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, i, name),
                                    "%dx%d of %d columns", (int)v->valid_rows, (int)v->valid_cols,
                                    (int)v->cols);
    return true;
}

static bool check_source(pto_block_job *job, int i) {
    const pto_block_geometry geometry = job->op->geometry;
    const bool vector =
        geometry == GEOMETRY_ROW_EXPAND || geometry == GEOMETRY_COL_EXPAND ||
        (i == 1 && (geometry == GEOMETRY_ROW_BROADCAST || geometry == GEOMETRY_COL_BROADCAST));
    if (geometry == GEOMETRY_SELECT && i == 0)
        return check_mask(job) && pto_block_check_values(job, 0);
    return pto_block_check_type(job, i, job->type) &&
           (vector ? check_vector(job, i)
                   : pto_block_check_shape(job, i, job->rows, job->cols, job->pitch)) &&
           pto_block_check_values(job, i);
}

static bool allocate(pto_block_job *job) {
    switch (job->op->geometry) {
    case GEOMETRY_COMPARE:
        return pto_block_allocate(job, 0, job->type, true, 0, job->pitch, job->rows, job->cols);
    case GEOMETRY_ROW_REDUCE:
        return pto_block_allocate(job, 0, job->type, false, 0, 1, job->rows, 1);
    case GEOMETRY_ROW_ARG:
        return pto_block_allocate(job, 0, BT_U32, false, 0, 1, job->rows, 1);
    case GEOMETRY_COL_REDUCE:
        return pto_block_allocate(job, 0, job->type, false, 0, job->pitch, 1, job->cols);
    case GEOMETRY_COL_ARG:
        return pto_block_allocate(job, 0, BT_U32, false, 0, job->pitch, 1, job->cols);
    default:
        return pto_block_allocate(job, 0, job->type2, false, 0, job->pitch, job->rows, job->cols);
    }
}

/* exp(A - v) of halves in float: both widened first, which is exact. */
static bool run_wide_expdif(pto_block_job *job) {
    pto_block_entry wide[2];
    const size_t bytes[2] = {(size_t)job->src[0]->rows * (size_t)job->src[0]->cols * 4,
                             (size_t)job->src[1]->rows * (size_t)job->src[1]->cols * 4};
    uint8_t *staging = pto_block_staging(job->m, bytes[0] + bytes[1] + 128);
    if (!staging)
        return false;
    for (int i = 0; i < 2; i++) {
        wide[i] = *job->src[i];
        wide[i].type = BT_FP32;
        wide[i].data = staging + (i ? (bytes[0] + 63) / 64 * 64 : 0);
        if (!pto_block_convert(job, job->src[i], &wide[i], 1, false))
            return false;
    }
    pto_tile dst = pto_block_tile_of(&job->dst[0], PTO_F32), a = pto_block_tile_of(&wide[0], PTO_F32),
             v = pto_block_tile_of(&wide[1], PTO_F32);
    if (job->op->geometry == GEOMETRY_ROW_BROADCAST)
        v.type.blayout = PTO_COL_MAJOR;
    pto_tile *src[2] = {&a, &v};
    return pto_block_call(job, (pto_form)job->op->form, job->op->operands, &dst, src, PTO_F32);
}

/* The element type of an EXPDIF result, or a conversion pair that exists. */
static bool check_second_type(pto_block_job *job) {
    const bool expdif =
        job->op->geometry == GEOMETRY_ROW_BROADCAST || job->op->geometry == GEOMETRY_COL_BROADCAST;
    if (!expdif || job->type2 == job->type)
        return true;
    if (job->type2 == BT_FP32 && (job->type == BT_FP16 || job->type == BT_BF16))
        return true;
    return pto_block_tile_fault(job, "PTO-E1643", "DataType", "no result of type %s",
                                pto_block_type_name(job->type2));
}

bool pto_block_run_elementwise(pto_block_job *job) {
    const pto_block_op *op = job->op;
    const pto_block_geometry geometry = op->geometry;
    if (!pto_block_value_type(op, job->type))
        return pto_block_tile_fault(job, "PTO-E1621", "", "not executed on %s",
                                    pto_block_type_name(job->type));
    if (!check_second_type(job))
        return false;
    if (geometry == GEOMETRY_CONVERT && pto_block_type_bits(job->type2) < 8 && ((job->cols | job->pitch) & 1))
        return pto_block_tile_fault(job, "PTO-E1642", "LB0", "4-bit elements stand in pairs");
    if (geometry == GEOMETRY_CONVERT && job->s->canon)
        return pto_block_tile_fault(job, "PTO-E1641", "Canon", "only ACCCVT re-splits fractals");
    if (geometry == GEOMETRY_CONVERT && job->s->layout)
        return pto_block_tile_fault(job, "PTO-E1645", "Layout", "TCVT keeps ND");
    for (int i = 0; i < op->tiles; i++)
        if (!check_source(job, i))
            return false;
    if (!check_scalar(job) || !check_divisors(job) || !allocate(job))
        return false;
    pto_block_entry *dst = &job->dst[0];
    bool ok;
    if (geometry == GEOMETRY_CONVERT) {
        ok = pto_block_convert(job, job->src[0], dst, job->s->rmode, job->s->sat);
    } else if (geometry == GEOMETRY_SELECT) {
        ok = run_select(job);
    } else if (job->type2 != job->type) {
        ok = run_wide_expdif(job);
    } else if (pto_block_is_composed(job)) {
        ok = pto_block_run_composed(job);
    } else {
        /* TF32 and HF32 get here with operations that do not round: as floats */
        const bool as_float = job->type == BT_TF32 || job->type == BT_HF32;
        const pto_dtype dtype = is_copy(op) ? pto_block_bits_dtype(job->type)
                                : as_float  ? PTO_F32
                                            : pto_block_dtype(job->type);
        pto_tile tile[3], *src[3] = {&tile[0], &tile[1], &tile[2]};
        for (int i = 0; i < op->tiles; i++) {
            tile[i] = pto_block_tile_of(job->src[i], dtype);
            /* a single column: both orders have the same bytes, and the library takes it by columns */
            if (job->src[i]->cols == 1 &&
                (geometry == GEOMETRY_ROW_BROADCAST ? i == 1 : geometry == GEOMETRY_ROW_EXPAND))
                tile[i].type.blayout = PTO_COL_MAJOR;
        }
        if (geometry == GEOMETRY_COMPARE)
            return run_compare(job, src);
        pto_tile out = pto_block_tile_of(dst, dst->type == job->type ? dtype : PTO_U32);
        if (geometry == GEOMETRY_ROW_REDUCE || geometry == GEOMETRY_ROW_ARG)
            out.type.blayout = PTO_COL_MAJOR;
        if (geometry == GEOMETRY_FUSED || geometry == GEOMETRY_UPDATE)
            memcpy(dst->data, job->src[geometry == GEOMETRY_FUSED ? 2 : 0]->data,
                   (size_t)job->rows * (size_t)job->pitch * pto_block_type_bits(job->type) / 8);
        ok = pto_block_call(job, (pto_form)op->form, op->operands, &out, src, dtype);
    }
    if (ok) {
        pto_block_number_wins(job);
        pto_block_pad(job, 0);
    }
    return ok;
}
