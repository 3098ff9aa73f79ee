/* SPDX-License-Identifier: Apache-2.0 */
/* Mode 3 of TEPL (70, 9.7). Sorting, quantisation and the row gathers share only a name with the library's:
 * their kernels are told by block_form and take the operands of kernel/block_form.h. */
#include "block/execute.h"
#include <pto/ops.h>

#include <string.h>

static bool no_layout(pto_block_job *job) {
    return !job->s->layout || pto_block_tile_fault(job, "PTO-E1645", "Layout", "the operation keeps ND");
}

static bool check_full(pto_block_job *job, int i) {
    return pto_block_check_type(job, i, job->type) &&
           pto_block_check_shape(job, i, job->rows, job->cols, job->pitch) && pto_block_check_values(job, i);
}

static bool index_fault(pto_block_job *job, int i, int64_t index, int32_t r, int32_t c) {
    char name[16];
    return pto_block_tile_fault(job, "PTO-E1651", pto_block_source_name(job, i, name), "%lld at (%d, %d)",
                                (long long)index, (int)r, (int)c);
}

/* Through the door, all operands with one dtype. */
static bool call(pto_block_job *job, pto_dtype dtype, int count) {
    pto_tile tile[2], *src[2] = {&tile[0], &tile[1]};
    for (int i = 0; i < count; i++)
        tile[i] = pto_block_tile_of(job->src[i], dtype);
    pto_tile dst = pto_block_tile_of(&job->dst[0], dtype);
    return pto_block_call(job, (pto_form)job->op->form, job->op->operands, &dst, src,
                          job->op->geometry == GEOMETRY_EXTRACT || job->op->geometry == GEOMETRY_INSERT
                              ? PTO_U16
                          : job->op->geometry == GEOMETRY_TRIANGLE ? PTO_S32
                                                                   : dtype);
}

/* ---- shapes of the library ---- */

static bool run_concat(pto_block_job *job) {
    char name[16];
    if (!pto_block_check_type(job, 0, job->type) || !pto_block_check_type(job, 1, job->type))
        return false;
    if (job->src[0]->valid_rows != job->rows || job->src[1]->valid_rows != job->rows ||
        job->src[0]->valid_cols + job->src[1]->valid_cols != job->cols)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, 0, name),
                                    "%d and %d columns do not make %d", (int)job->src[0]->valid_cols,
                                    (int)job->src[1]->valid_cols, (int)job->cols);
    return pto_block_check_values(job, 0) && pto_block_check_values(job, 1) &&
           pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) &&
           call(job, pto_block_bits_dtype(job->type), 2);
}

static bool run_extract(pto_block_job *job) {
    const uint32_t row = (uint16_t)job->reg[0], col = (uint16_t)job->reg[1];
    if (!pto_block_check_type(job, 0, job->type) || !pto_block_check_values(job, 0))
        return false;
    if (row + (uint32_t)job->rows > (uint32_t)job->src[0]->valid_rows ||
        col + (uint32_t)job->cols > (uint32_t)job->src[0]->valid_cols)
        return pto_block_tile_fault(job, "PTO-E1651", "RegSrc0", "the window at (%u, %u) overhangs", row,
                                    col);
    return pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) &&
           call(job, pto_block_bits_dtype(job->type), 1);
}

/* The old tile with a window replaced; its shape stays. */
static bool run_insert(pto_block_job *job) {
    const uint32_t row = (uint16_t)job->reg[0], col = (uint16_t)job->reg[1];
    const pto_block_entry *old = job->src[0];
    if (!pto_block_check_type(job, 0, job->type) || !pto_block_check_values(job, 0) || !check_full(job, 1))
        return false;
    if (row + (uint32_t)job->rows > (uint32_t)old->valid_rows ||
        col + (uint32_t)job->cols > (uint32_t)old->valid_cols)
        return pto_block_tile_fault(job, "PTO-E1651", "RegSrc0", "the window at (%u, %u) overhangs", row,
                                    col);
    if (!pto_block_allocate(job, 0, job->type, false, 0, old->cols, old->valid_rows, old->valid_cols))
        return false;
    memcpy(job->dst[0].data, old->data,
           ((size_t)old->valid_rows * (size_t)old->cols * pto_block_type_bits(job->type) + 7) / 8);
    return call(job, pto_block_bits_dtype(job->type), 2);
}

static bool run_transpose(pto_block_job *job) {
    return check_full(job, 0) &&
           pto_block_allocate(job, 0, job->type, false, 0, job->rows, job->cols, job->rows) &&
           call(job, pto_block_bits_dtype(job->type), 1);
}

static bool run_partial(pto_block_job *job) {
    char name[16];
    bool covered = false;
    for (int i = 0; i < 2; i++) {
        const pto_block_entry *src = job->src[i];
        if (!pto_block_check_type(job, i, job->type))
            return false;
        if (src->valid_rows > job->rows || src->valid_cols > job->cols)
            return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, i, name),
                                        "larger than the result");
        covered |= src->valid_rows == job->rows && src->valid_cols == job->cols;
    }
    if (!covered)
        return pto_block_tile_fault(job, "PTO-E1647", "", "no source covers the result");
    if (!pto_block_check_values(job, 0) || !pto_block_check_values(job, 1) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) ||
        !call(job, pto_block_dtype(job->type), 2))
        return false;
    job->flags = pto_block_flags(job);
    return true;
}

static bool run_sequence(pto_block_job *job) {
    return pto_block_allocate(job, 0, job->type, false, 0, job->pitch, 1, job->cols) &&
           call(job, pto_block_dtype(job->type), 0);
}

static bool run_triangle(pto_block_job *job) {
    return pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols) &&
           call(job, pto_block_dtype(job->type), 0);
}

/* Copy, then the scalar everywhere else: all of it is defined. */
static bool run_fillpad(pto_block_job *job) {
    if (!check_full(job, 0) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols))
        return false;
    const pto_dtype dtype = pto_block_bits_dtype(job->type);
    pto_tile dst = pto_block_tile_of(&job->dst[0], dtype), src = pto_block_tile_of(job->src[0], dtype);
    pto_tile *tiles[1] = {&src};
    if (!pto_block_call(job, PTO_FORM_TMOV, "DA", &dst, tiles, dtype))
        return false;
    pto_block_fill_outside(&job->dst[0], true,
                           job->reg[0] & (UINT64_MAX >> (64 - pto_block_type_bits(job->type))));
    return true;
}

/* ---- gather and scatter inside the column ---- */

/* Destination 0 from source 0 by the rows in source 1. */
static bool by_rows(pto_block_job *job, pto_form form) {
    const pto_dtype data = pto_block_bits_dtype(job->type);
    pto_tile dst = pto_block_tile_of(&job->dst[0], data), src = pto_block_tile_of(job->src[0], data),
             rows = pto_block_tile_of(job->src[1], pto_block_dtype(job->src[1]->type));
    pto_instr instr = {
        .form = form,
        .operand = {pto_block_operand(&dst), pto_block_operand(&src), pto_block_operand(&rows)}};
    return pto_block_door(job, &instr);
}

static bool check_rows(pto_block_job *job, int i, int32_t limit) {
    char name[16];
    const pto_block_entry *index = job->src[i];
    if (index->predicate || pto_block_type_is_float(index->type) || pto_block_type_bits(index->type) < 8)
        return pto_block_tile_fault(job, "PTO-E1646", pto_block_source_name(job, i, name),
                                    "not a type of indices");
    if (!pto_block_check_shape(job, i, job->rows, job->cols, job->pitch) || !pto_block_check_values(job, i))
        return false;
    const unsigned bits = pto_block_type_bits(index->type);
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            const uint64_t row = pto_block_get(index, r, c);
            const bool negative = pto_block_type_is_signed(index->type) && row >> (bits - 1) & 1;
            if (negative || row >= (uint64_t)limit)
                return index_fault(job, i, negative ? -1 : (int64_t)row, r, c);
        }
    return true;
}

static bool run_gather(pto_block_job *job) {
    char name[16];
    if (!pto_block_check_type(job, 0, job->type))
        return false;
    if (job->src[0]->valid_cols < job->cols)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, 0, name),
                                    "%d columns, not %d", (int)job->src[0]->valid_cols, (int)job->cols);
    if (!pto_block_check_values(job, 0) || !check_rows(job, 1, job->src[0]->valid_rows) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, job->rows, job->cols))
        return false;
    return by_rows(job, PTO_FORM_TGATHER);
}

/* Zeros everywhere, then the rows of A; every row of the destination is valid. */
static bool run_scatter(pto_block_job *job) {
    const uint64_t bits = pto_block_size_bytes(job->s->result[0].size) * 8;
    const int32_t rows = (int32_t)(bits / ((uint64_t)job->pitch * pto_block_type_bits(job->type)));
    if (!check_full(job, 0) || !check_rows(job, 1, rows ? rows : INT32_MAX) || /* ALLOC tells of no row */
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, 1, job->cols))
        return false;
    pto_block_entry *dst = &job->dst[0];
    dst->valid_rows = dst->rows;
    if (!by_rows(job, PTO_FORM_TSCATTER))
        return false;
    dst->all_defined = true;
    return true;
}

/* ---- histogram ---- */

static bool run_histogram(pto_block_job *job) {
    char name[16];
    const unsigned byte = job->s->has_datr ? job->s->pad : 0;
    const unsigned count = pto_block_type_bits(job->type) / 8;
    const pto_block_entry *filter = job->src[1];
    if (!check_full(job, 0) || !pto_block_check_type(job, 1, BT_U8) || !pto_block_check_values(job, 1))
        return false;
    const int32_t rows = count == 2 ? byte == 0 ? job->rows : 0 : (int32_t)(3 - byte);
    if (filter->valid_rows < rows)
        return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, 1, name), "%d rows, not %d",
                                    (int)filter->valid_rows, (int)rows);
    if (!pto_block_allocate(job, 0, BT_U32, false, 0, 256, job->rows, 256))
        return false;
    pto_tile dst = pto_block_tile_of(&job->dst[0], PTO_U32),
             src = pto_block_tile_of(job->src[0], pto_block_dtype(job->type)),
             bytes = pto_block_tile_of(filter, PTO_U8);
    pto_instr instr = {.form = PTO_FORM_THISTOGRAM,
                       .operand = {pto_block_operand(&dst), pto_block_operand(&src),
                                   pto_block_operand(&bytes), pto_block_attr((int64_t)byte),
                                   pto_block_attr(-1)}};
    if (!pto_block_door(job, &instr))
        return false;
    pto_block_fill_outside(&job->dst[0], false, 0);
    return true;
}

/* ---- quantisation by one scale and one zero point ---- */

/* Destination 0 from source 0, the scale in f32 (default 1) and the zero point. */
static bool by_scale(pto_block_job *job, pto_form form, unsigned rmode) {
    pto_tile dst = pto_block_tile_of(&job->dst[0], pto_block_dtype(job->dst[0].type)),
             src = pto_block_tile_of(job->src[0], pto_block_dtype(job->type));
    const uint64_t one = 0x3f800000;
    pto_instr instr = {
        .form = form,
        .operand = {pto_block_operand(&dst), pto_block_operand(&src),
                    pto_block_scalar(PTO_F32, job->reg_given[0] ? job->reg[0] : one),
                    pto_block_scalar(PTO_S32, job->reg[1]),
                    pto_block_attr(pto_block_round_mode(rmode ? rmode : 1, job->type2, job->type))}};
    if (!pto_block_door(job, &instr))
        return false;
    pto_block_fill_outside(&job->dst[0], false, 0);
    return true;
}

static bool run_quant(pto_block_job *job) {
    return check_full(job, 0) &&
           pto_block_allocate(job, 0, job->type2, false, 0, job->pitch, job->rows, job->cols) &&
           by_scale(job, PTO_FORM_TQUANT, job->s->rmode);
}

static bool run_dequant(pto_block_job *job) {
    return check_full(job, 0) &&
           pto_block_allocate(job, 0, BT_FP32, false, 0, job->pitch, job->rows, job->cols) &&
           by_scale(job, PTO_FORM_TDEQUANT, 0);
}

/* ---- sorting ---- */

static bool run_sort(pto_block_job *job) {
    const pto_block_entry *src = job->src[0];
    const int32_t group = job->cols;
    if (!pto_block_check_type(job, 0, job->type) ||
        !pto_block_check_shape(job, 0, job->s->dim_given[1] ? job->rows : src->valid_rows, src->valid_cols,
                               job->s->dim_given[2] ? job->pitch : src->cols) ||
        !pto_block_check_values(job, 0) ||
        !pto_block_allocate(job, 0, job->type, false, 0, src->cols, src->valid_rows, src->valid_cols) ||
        !pto_block_allocate(job, 1, BT_U32, false, 0, src->cols, src->valid_rows, src->valid_cols))
        return false;
    const pto_dtype dtype = pto_block_dtype(job->type);
    pto_tile values = pto_block_tile_of(&job->dst[0], dtype),
             indices = pto_block_tile_of(&job->dst[1], PTO_U32), in = pto_block_tile_of(src, dtype);
    pto_instr instr = {.form = PTO_FORM_TSORT32,
                       .operand = {pto_block_operand(&values), pto_block_operand(&indices),
                                   pto_block_operand(&in), pto_block_attr(group),
                                   pto_block_attr((int64_t)job->reg[0])}};
    if (!pto_block_door(job, &instr))
        return false;
    pto_block_pad(job, 1);
    return true;
}

static bool run_merge(pto_block_job *job) {
    char name[16];
    for (int i = 0; i < 2; i++) {
        if (!pto_block_check_type(job, i, job->type))
            return false;
        if (job->src[i]->valid_rows != 1)
            return pto_block_tile_fault(job, "PTO-E1647", pto_block_source_name(job, i, name),
                                        "not a single row");
    }
    const int32_t n[2] = {job->src[0]->valid_cols, job->src[1]->valid_cols};
    if (job->rows != 1 || n[0] + n[1] != job->cols)
        return pto_block_tile_fault(job, "PTO-E1647", "", "%d and %d columns do not make %d", (int)n[0],
                                    (int)n[1], (int)job->cols);
    if (!pto_block_check_values(job, 0) || !pto_block_check_values(job, 1) ||
        !pto_block_allocate(job, 0, job->type, false, 0, job->pitch, 1, job->cols))
        return false;
    const pto_dtype dtype = pto_block_dtype(job->type);
    pto_tile dst = pto_block_tile_of(&job->dst[0], dtype), one = pto_block_tile_of(job->src[0], dtype),
             other = pto_block_tile_of(job->src[1], dtype);
    pto_instr instr = {.form = PTO_FORM_TMRGSORT,
                       .operand = {pto_block_operand(&dst), pto_block_operand(&one),
                                   pto_block_operand(&other), pto_block_attr((int64_t)job->reg[0])}};
    return pto_block_door(job, &instr);
}

bool pto_block_run_irregular(pto_block_job *job) {
    if (!no_layout(job))
        return false;
    bool ok = false;
    switch (job->op->geometry) {
    case GEOMETRY_CONCAT:
        ok = run_concat(job);
        break;
    case GEOMETRY_EXTRACT:
        ok = run_extract(job);
        break;
    case GEOMETRY_INSERT:
        ok = run_insert(job);
        break;
    case GEOMETRY_FILLPAD:
        return run_fillpad(job);
    case GEOMETRY_SEQUENCE:
        ok = run_sequence(job);
        break;
    case GEOMETRY_TRIANGLE:
        ok = run_triangle(job);
        break;
    case GEOMETRY_HISTOGRAM:
        return run_histogram(job);
    case GEOMETRY_QUANT:
        return run_quant(job);
    case GEOMETRY_DEQUANT:
        return run_dequant(job);
    case GEOMETRY_SORT:
        ok = run_sort(job);
        break;
    case GEOMETRY_MERGE:
        ok = run_merge(job);
        break;
    case GEOMETRY_TRANSPOSE:
        ok = run_transpose(job);
        break;
    case GEOMETRY_GATHER:
        ok = run_gather(job);
        break;
    case GEOMETRY_SCATTER:
        return run_scatter(job);
    default:
        ok = run_partial(job);
        break;
    }
    if (ok)
        pto_block_pad(job, 0);
    return ok;
}
