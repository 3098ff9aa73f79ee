/* SPDX-License-Identifier: Apache-2.0 */
/* Modes 0 to 2 of TEPL: elementwise, tile-scalar, reductions and broadcasts (70, 9.1 to 9.5), on the kernels
 * of the library. */
#include "block/execute.h"
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

/* The bits of a predicate, or of bytes that hold as many, as the kernels take them: columns are bits. */
static pto_tile mask_tile(const pto_block_job *job, const pto_block_entry *mask) {
    const pto_block_entry bits = {.rows = job->rows,
                                  .cols = job->pitch,
                                  .valid_rows = job->rows,
                                  .valid_cols = job->cols,
                                  .data = mask->data};
    return pto_block_tile_of(&bits, PTO_U8);
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

/* ---- the families ---- */

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

/* Copies move bits; everything else computes in the element type. */
static pto_dtype operand_type(const pto_block_op *op, unsigned type) {
    const bool copies = op->geometry == GEOMETRY_FILL || op->geometry == GEOMETRY_ROW_EXPAND ||
                        op->geometry == GEOMETRY_COL_EXPAND || op->geometry == GEOMETRY_SELECT;
    return copies ? pto_block_bits_dtype(type) : pto_block_dtype(type);
}

/* The destination of a fused operation begins as the tile that it is added to. */
static void begin_result(pto_block_job *job) {
    const pto_block_geometry geometry = job->op->geometry;
    if (geometry == GEOMETRY_FUSED || geometry == GEOMETRY_UPDATE)
        memcpy(job->dst[0].data, job->src[geometry == GEOMETRY_FUSED ? 2 : 0]->data,
               (size_t)job->rows * (size_t)job->pitch * pto_block_type_bits(job->type) / 8);
}

bool pto_block_run_elementwise(pto_block_job *job) {
    const pto_block_op *op = job->op;
    if (op->geometry == GEOMETRY_CONVERT && job->s->layout)
        return pto_block_tile_fault(job, "PTO-E1645", "Layout", "TCVT keeps ND");
    for (int i = 0; i < op->tiles; i++)
        if (!check_source(job, i))
            return false;
    if (!check_scalar(job) || !check_divisors(job) || !allocate(job))
        return false;
    const pto_block_entry *dst = &job->dst[0];
    const pto_dtype dtype = operand_type(op, job->type);
    pto_tile tile[3], *src[3] = {&tile[0], &tile[1], &tile[2]};
    for (int i = 0; i < op->tiles; i++)
        tile[i] = op->geometry == GEOMETRY_SELECT && i == 0 ? mask_tile(job, job->src[i])
                                                            : pto_block_tile_of(job->src[i], dtype);
    pto_tile out = op->geometry == GEOMETRY_COMPARE ? mask_tile(job, dst)
                                                    : pto_block_tile_of(dst, operand_type(op, dst->type));
    begin_result(job);
    if (!pto_block_call(job, (pto_form)op->form, op->operands, &out, src, dtype))
        return false;
    job->flags = pto_block_flags(job);
    pto_block_pad(job, 0);
    return true;
}
