/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the block form on library kernels (70, 9 and 11). */
#include "block/values.h"
#include <pto/number.h>
#include <pto/ops.h>

#include <math.h>
#include <string.h>

static bool name_has(const pto_block_op *op, const char *part) { return strstr(op->name, part) != NULL; }
static bool is_extreme(const pto_block_op *op) { return name_has(op, "MAX") || name_has(op, "MIN"); }
static bool is_small(unsigned type) { return type == BT_E4M3 || type == BT_E5M2; }

static bool is_copy(const pto_block_op *op) {
    return op->geometry == GEOMETRY_FILL || op->geometry == GEOMETRY_ROW_EXPAND ||
           op->geometry == GEOMETRY_COL_EXPAND || op->geometry == GEOMETRY_SELECT;
}

bool pto_block_value_type(const pto_block_op *op, unsigned type) {
    if (is_copy(op) || op->geometry == GEOMETRY_CONVERT)
        return true;
    const bool signs = !strcmp(op->name, "TRELU") || !strcmp(op->name, "TABS") || !strcmp(op->name, "TNEG");
    if (type == BT_FP64)
        return signs;
    if (type == BT_TF32 || type == BT_HF32) /* results that need no rounding */
        return signs || is_extreme(op) || op->geometry == GEOMETRY_COMPARE;
    return pto_block_dtype(type) != PTO_DTYPE_NONE;
}

/* ---- NaN ---- */

static double value_of(const pto_block_entry *e, int32_t r, int32_t c) {
    return pto_number_to_f64(pto_block_format(e->type), pto_block_get(e, r, c));
}

#define HAS_NAN(name, T)                                                                                     \
    static bool name(const void *data, int64_t n, T infinity) {                                              \
        const T *x = data, mask = (T)((T) ~(T)0 >> 1);                                                       \
        T most = 0;                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                                      \
            most = (T)(x[i] & mask) > most ? (T)(x[i] & mask) : most;                                        \
        return most > infinity;                                                                              \
    }
HAS_NAN(has_nan_16, uint16_t)
HAS_NAN(has_nan_32, uint32_t)

static bool has_nan(const pto_block_entry *e) {
    for (int32_t r = 0; r < e->valid_rows; r++) {
        const size_t at = (size_t)r * (size_t)e->cols;
        bool found = false;
        if (pto_block_type_bits(e->type) == 32) {
            found = has_nan_32(e->data + at * 4, e->valid_cols, UINT32_C(0x7F800000));
        } else if (pto_block_type_bits(e->type) == 16) {
            found = has_nan_16(e->data + at * 2, e->valid_cols, e->type == BT_FP16 ? 0x7C00 : 0x7F80);
        } else {
            for (int32_t c = 0; c < e->valid_cols && !found; c++)
                found = isnan(value_of(e, r, c));
        }
        if (found)
            return true;
    }
    return false;
}

/* Is b better than a? A number is better than a NaN; +0 is larger than -0 unless zeros tie. */
static bool better(double a, double b, bool minimum, bool zeros_tie) {
    if (isnan(a) || isnan(b))
        return isnan(a) && !isnan(b);
    if (a == b)
        return !zeros_tie && a == 0 && (minimum ? signbit(b) && !signbit(a) : signbit(a) && !signbit(b));
    return minimum ? b < a : b > a;
}

/* Element i of line `line` along the reduced axis. */
static double along(const pto_block_entry *e, bool rows, int32_t line, int32_t i) {
    return rows ? value_of(e, line, i) : value_of(e, i, line);
}

static void fold_again(pto_block_job *job, bool rows, bool minimum, bool index) {
    const pto_block_entry *src = job->src[0];
    pto_block_entry *dst = &job->dst[0];
    const int32_t lines = rows ? src->valid_rows : src->valid_cols,
                  length = rows ? src->valid_cols : src->valid_rows;
    for (int32_t line = 0; line < lines; line++) {
        int32_t best = 0;
        for (int32_t i = 1; i < length; i++)
            if (better(along(src, rows, line, best), along(src, rows, line, i), minimum, index))
                best = i;
        uint64_t code = (uint64_t)best;
        if (!index && isnan(along(src, rows, line, best)))
            continue; /* all NaN: the canonical one stands there */
        if (!index)
            code = rows ? pto_block_get(src, line, best) : pto_block_get(src, best, line);
        pto_block_set(dst, rows ? line : 0, rows ? 0 : line, code);
    }
}

void pto_block_number_wins(pto_block_job *job) {
    const pto_block_op *op = job->op;
    if (!pto_block_type_is_float(job->type) || !is_extreme(op))
        return;
    const bool minimum = name_has(op, "MIN");
    pto_block_entry *dst = &job->dst[0];
    switch (op->geometry) {
    case GEOMETRY_ROW_REDUCE:
    case GEOMETRY_COL_REDUCE:
        if (has_nan(dst))
            fold_again(job, op->geometry == GEOMETRY_ROW_REDUCE, minimum, false);
        return;
    case GEOMETRY_ROW_ARG:
    case GEOMETRY_COL_ARG:
        if (has_nan(job->src[0]))
            fold_again(job, op->geometry == GEOMETRY_ROW_ARG, minimum, true);
        return;
    default:
        break;
    }
    if (!has_nan(dst))
        return;
    const uint64_t scalar = job->reg[0] & (UINT64_MAX >> (64 - pto_block_type_bits(job->type)));
    for (int32_t r = 0; r < job->rows; r++)
        for (int32_t c = 0; c < job->cols; c++) {
            uint64_t code[2] = {0, scalar};
            bool there[2] = {true, op->tiles == 1};
            for (int i = 0; i < op->tiles; i++) {
                const pto_block_entry *src = job->src[i];
                const bool v = i == 1 && (op->geometry == GEOMETRY_ROW_BROADCAST ||
                                          op->geometry == GEOMETRY_COL_BROADCAST);
                const int32_t row = v && op->geometry == GEOMETRY_COL_BROADCAST ? 0 : r;
                const int32_t col = v && op->geometry == GEOMETRY_ROW_BROADCAST ? 0 : c;
                there[i] = row < src->valid_rows && col < src->valid_cols;
                if (there[i])
                    code[i] = pto_block_get(src, row, col);
            }
            if (!there[0] || !there[1])
                continue;
            const pto_format format = pto_block_format(job->type);
            const bool nan[2] = {isnan(pto_number_to_f64(format, code[0])),
                                 isnan(pto_number_to_f64(format, code[1]))};
            if (nan[0] != nan[1])
                pto_block_set(dst, r, c, code[nan[0]]);
        }
}

/* ---- compositions ---- */

static bool door(pto_block_job *job, pto_form form, pto_tile *dst, pto_tile *a, pto_tile *b) {
    pto_tile *src[2] = {a, b};
    return pto_block_call(job, form, b ? "DAB" : "DA", dst, src, PTO_U32);
}

static pto_tile scratch_tile(uint8_t *data, pto_dtype dtype, int32_t rows, int32_t cols, int32_t valid_rows,
                             int32_t valid_cols) {
    const pto_block_entry entry = {
        .rows = rows, .cols = cols, .valid_rows = valid_rows, .valid_cols = valid_cols, .data = data};
    return pto_block_tile_of(&entry, dtype);
}

static bool is_special(const pto_block_op *op) {
    return !strcmp(op->name, "TEXP") || !strcmp(op->name, "TLOG") || !strcmp(op->name, "TRECIP") ||
           !strcmp(op->name, "TSQRT") || !strcmp(op->name, "TRSQRT");
}

static bool broadcast_lacks(const pto_block_job *job) {
    const unsigned type = job->type;
    if (name_has(job->op, "EXPDIF"))
        return job->type2 == type && type != BT_FP32 && type != BT_FP16;
    return is_small(type) || type == BT_S64 || type == BT_U64;
}

bool pto_block_is_composed(const pto_block_job *job) {
    const pto_block_op *op = job->op;
    const unsigned type = job->type;
    if (type == BT_FP64 && op->geometry == GEOMETRY_SAME)
        return true;
    switch (op->geometry) {
    case GEOMETRY_SAME:
        return is_special(op) && is_small(type);
    case GEOMETRY_ROW_BROADCAST:
    case GEOMETRY_COL_BROADCAST:
        return broadcast_lacks(job);
    case GEOMETRY_ROW_REDUCE:
        return name_has(op, "SUM") && (is_small(type) || type == BT_FP16 || type == BT_BF16);
    case GEOMETRY_COL_REDUCE:
        return name_has(op, "SUM") && is_small(type);
    case GEOMETRY_ROW_ARG:
        return is_small(type);
    default:
        return false;
    }
}

/* Signs of FP64 are bits; relu in the integer order, in which a positive double stays and the rest is 0. */
static bool run_double(pto_block_job *job) {
    const bool relu = !strcmp(job->op->name, "TRELU"), abs = !strcmp(job->op->name, "TABS");
    pto_tile dst = pto_block_tile_of(&job->dst[0], relu ? PTO_S64 : PTO_U64),
             src = pto_block_tile_of(job->src[0], relu ? PTO_S64 : PTO_U64), *tiles[1] = {&src};
    if (relu) {
        if (!door(job, PTO_FORM_TRELU, &dst, &src, NULL))
            return false;
        for (int32_t r = 0; r < job->rows; r++)
            for (int32_t c = 0; c < job->cols; c++) {
                const uint64_t code = pto_block_get(job->src[0], r, c);
                if ((code << 1) > UINT64_C(0xffe0000000000000))
                    pto_block_set(&job->dst[0], r, c,
                                  job->m->profile.relu_keeps_nan ? UINT64_C(0x7ff8000000000000) : 0);
            }
        return true;
    }
    job->reg[0] = abs ? INT64_MAX : UINT64_C(1) << 63;
    return pto_block_call(job, abs ? PTO_FORM_TANDS : PTO_FORM_TXORS, "DAs", &dst, tiles, PTO_U64);
}

/* Widened to float, computed, rounded back: a float has more than twice the digits of these types. */
static bool run_widened(pto_block_job *job) {
    const int32_t count = job->op->tiles;
    pto_block_entry wide[3];
    size_t offset[3], total = 0;
    for (int i = 0; i <= count; i++) {
        const pto_block_entry *like = i < count ? job->src[i] : &job->dst[0];
        wide[i] = *like;
        wide[i].type = BT_FP32;
        offset[i] = total;
        total += ((size_t)like->valid_rows * (size_t)like->cols * 4 + 63) / 64 * 64;
    }
    uint8_t *staging = pto_block_staging(job->m, total);
    if (!staging)
        return false;
    pto_tile tile[3], *src[2] = {&tile[0], &tile[1]};
    for (int i = 0; i <= count; i++) {
        wide[i].data = staging + offset[i];
        wide[i].rows = wide[i].valid_rows;
        if (i < count && !pto_block_convert(job, job->src[i], &wide[i], 1, false))
            return false;
        tile[i] = pto_block_tile_of(&wide[i], PTO_F32);
        if (i == 1 && job->op->geometry == GEOMETRY_ROW_BROADCAST)
            tile[i].type.blayout = PTO_COL_MAJOR;
    }
    return pto_block_call(job, (pto_form)job->op->form, job->op->operands, &tile[count], src, PTO_F32) &&
           pto_block_convert(job, &wide[count], &job->dst[0], 1, false);
}

/* The vector copied to full shape, then the elementwise operation. */
static bool run_expanded(pto_block_job *job) {
    static const pto_form plain[] = {PTO_FORM_TADD, PTO_FORM_TSUB, PTO_FORM_TMUL,
                                     PTO_FORM_TDIV, PTO_FORM_TMAX, PTO_FORM_TMIN};
    const bool rows = job->op->geometry == GEOMETRY_ROW_BROADCAST;
    const unsigned bits = pto_block_type_bits(job->type);
    uint8_t *staging = pto_block_staging(job->m, (size_t)job->rows * (size_t)job->pitch * bits / 8);
    if (!staging)
        return false;
    const pto_dtype bits_type = pto_block_bits_dtype(job->type), dtype = pto_block_dtype(job->type);
    pto_tile full = scratch_tile(staging, bits_type, job->rows, job->pitch, job->rows, job->cols);
    pto_tile v = pto_block_tile_of(job->src[1], bits_type);
    if (rows)
        v.type.blayout = PTO_COL_MAJOR;
    if (!door(job, rows ? PTO_FORM_TROWEXPAND : PTO_FORM_TCOLEXPAND, &full, &v, NULL))
        return false;
    full.type.dtype = dtype;
    pto_tile dst = pto_block_tile_of(&job->dst[0], dtype), a = pto_block_tile_of(job->src[0], dtype);
    return door(job, plain[job->op->selector - (rows ? 0x45 : 0x55)], &dst, &a, &full);
}

/* Rows become columns; columns are folded in order in the element type, which is what the block form asks
 * for. */
static bool run_folded(pto_block_job *job) {
    const bool by_rows = job->op->geometry != GEOMETRY_COL_REDUCE;
    const pto_block_entry *src = job->src[0];
    const pto_dtype dtype = pto_block_dtype(job->type);
    const size_t bytes = pto_block_type_bits(job->type) / 8;
    const int32_t lines = by_rows ? job->rows : job->cols, length = by_rows ? job->cols : job->rows;
    const int32_t pitch = by_rows ? (lines + 31) / 32 * 32 : src->cols;
    const size_t whole = (size_t)length * (size_t)pitch * bytes, line = (size_t)pitch * 4;
    uint8_t *staging = pto_block_staging(job->m, whole + 64 + line);
    if (!staging)
        return false;
    uint8_t *data = src->data, *result = staging + (whole + 63) / 64 * 64;
    if (by_rows) {
        const pto_dtype bits = pto_block_bits_dtype(job->type);
        pto_tile turned = scratch_tile(staging, bits, length, pitch, length, lines),
                 in = pto_block_tile_of(src, bits);
        if (!door(job, PTO_FORM_TTRANS, &turned, &in, NULL))
            return false;
        data = staging;
    }
    pto_tile all = scratch_tile(data, dtype, length, pitch, length, lines);
    const bool index = job->op->geometry == GEOMETRY_ROW_ARG;
    pto_tile out = scratch_tile(result, index ? PTO_U32 : dtype, 1, pitch, 1, lines);
    if (index) {
        if (!door(job, name_has(job->op, "MAX") ? PTO_FORM_TCOLARGMAX : PTO_FORM_TCOLARGMIN, &out, &all,
                  NULL))
            return false;
    } else if (!is_small(job->type)) {
        if (!door(job, PTO_FORM_TCOLSUM, &out, &all, NULL))
            return false;
    } else {
        memset(result, 0, line);
        for (int32_t i = 0; i < length; i++) {
            pto_tile row = scratch_tile(data + (size_t)i * (size_t)pitch * bytes, dtype, 1, pitch, 1, lines);
            if (!door(job, PTO_FORM_TADD, &out, &out, &row))
                return false;
        }
    }
    memcpy(job->dst[0].data, result, (size_t)lines * (index ? 4 : bytes));
    return true;
}

bool pto_block_run_composed(pto_block_job *job) {
    if (job->type == BT_FP64)
        return run_double(job);
    if (is_special(job->op) || name_has(job->op, "EXPDIF"))
        return run_widened(job);
    if (job->op->geometry == GEOMETRY_ROW_BROADCAST || job->op->geometry == GEOMETRY_COL_BROADCAST)
        return run_expanded(job);
    return run_folded(job);
}
