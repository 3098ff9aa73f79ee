/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of single float operations, see flags.h. */
#include "kernel/flags.h"

#include <math.h>

#include "tile/tile.h"
#include <pto/number.h>

/* A NaN whose first fraction bit is 0; e4m3 and hif8 have quiet ones only. */
static bool is_signalling(pto_dtype type, uint64_t code, double value) {
    const pto_format_info *format = pto_format_describe(pto_format_of_dtype(type));
    return isnan(value) && format->has_inf && format->kind == PTO_FORMAT_BINARY &&
           !(code >> (format->zero_bits + format->fraction_bits - 1) & 1);
}

static unsigned sum(double a, double b) {
    return isinf(a) && isinf(b) && signbit(a) != signbit(b) ? PTO_FLAG_INVALID : 0;
}
static unsigned product(double a, double b) {
    return (isinf(a) && b == 0.0) || (a == 0.0 && isinf(b)) ? PTO_FLAG_INVALID : 0;
}
static unsigned quotient(double a, double b) {
    if ((a == 0.0 && b == 0.0) || (isinf(a) && isinf(b)))
        return PTO_FLAG_INVALID;
    return b == 0.0 && !isinf(a) ? PTO_FLAG_ZERO_DIVISOR : 0;
}

/* (a op b) rounded, then + c */
static unsigned sum_of_two(pto_exact_op op, pto_dtype type, const uint64_t code[3], const double value[3]) {
    const double b = op == PTO_EXACT_SUB_ADD ? -value[1] : value[1];
    const uint64_t first =
        pto_exact_apply(op == PTO_EXACT_SUB_ADD ? PTO_EXACT_SUB : PTO_EXACT_ADD, type, code[0], code[1], 0);
    const double rounded = pto_number_to_double(type, first);
    return sum(value[0], b) | (isnan(rounded) ? 0 : sum(rounded, value[2]));
}

static unsigned flags_of(pto_exact_op op, pto_dtype type, const uint64_t code[3], int count) {
    double value[3] = {0};
    unsigned flags = 0;
    bool nan = false;
    for (int i = 0; i < count; i++) {
        value[i] = pto_number_to_double(type, code[i]);
        nan |= isnan(value[i]);
        flags |= is_signalling(type, code[i], value[i]) ? PTO_FLAG_INVALID : 0;
    }
    if (nan)
        return flags;
    switch (op) {
    case PTO_EXACT_ADD:
        return sum(value[0], value[1]);
    case PTO_EXACT_SUB:
        return sum(value[0], -value[1]);
    case PTO_EXACT_MUL:
        return product(value[0], value[1]);
    case PTO_EXACT_LEAKY_RELU:
        return value[0] > 0.0 ? 0 : product(value[0], value[1]);
    case PTO_EXACT_DIV:
        return count == 1 ? quotient(1.0, value[0]) : quotient(value[0], value[1]);
    case PTO_EXACT_FLOOR_REM:
    case PTO_EXACT_TRUNC_REM:
        return value[1] == 0.0 || isinf(value[0]) ? PTO_FLAG_INVALID : 0;
    case PTO_EXACT_MULADD:
        return product(value[0], value[1]) |
               (isinf(value[0]) || isinf(value[1]) ? sum(value[0] * value[1], value[2]) : 0);
    case PTO_EXACT_ADD_ADD:
    case PTO_EXACT_SUB_ADD:
        return sum_of_two(op, type, code, value);
    case PTO_EXACT_RSQRT:
    case PTO_EXACT_LOG:
        if (value[0] == 0.0)
            return PTO_FLAG_ZERO_DIVISOR;
        return value[0] < 0.0 ? PTO_FLAG_INVALID : 0;
    case PTO_EXACT_SQRT:
        return value[0] < 0.0 ? PTO_FLAG_INVALID : 0;
    default:
        return 0;
    }
}

static uint64_t at(const pto_tile *tile, int32_t row, int32_t col) {
    return pto_exact_load(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col));
}
static uint64_t input_at(pto_map_input input, pto_dtype type, int32_t row, int32_t col) {
    return pto_exact_load(input.data, type, input.type ? pto_tile_offset(input.type, row, col) : 0);
}

unsigned pto_flags_map(pto_exact_op op, const pto_tile *a, pto_map_input b, pto_map_input c,
                       pto_flags_shape shape) {
    const pto_dtype type = a->type.dtype;
    const int count = c.data ? 3 : b.data ? 2 : 1;
    unsigned flags = 0;
    for (int32_t r = 0; r < a->valid_rows; r++)
        for (int32_t col = 0; col < a->valid_cols; col++) {
            const uint64_t code[3] = {at(a, r, col),
                                      b.data ? input_at(b, type, shape == PTO_FLAGS_ROW ? 0 : r,
                                                        shape == PTO_FLAGS_COLUMN ? 0 : col)
                                             : 0,
                                      c.data ? input_at(c, type, r, col) : 0};
            flags |= flags_of(op, type, code, count);
        }
    return flags;
}

unsigned pto_flags_fold(pto_exact_op op, const pto_tile *src, bool by_rows, uint64_t initial) {
    const int32_t lines = by_rows ? src->valid_rows : src->valid_cols,
                  length = by_rows ? src->valid_cols : src->valid_rows;
    unsigned flags = 0;
    for (int32_t line = 0; line < lines; line++) {
        uint64_t code[3] = {initial, 0, 0};
        for (int32_t i = 0; i < length; i++) {
            code[1] = by_rows ? at(src, line, i) : at(src, i, line);
            flags |= flags_of(op, src->type.dtype, code, 2);
            code[0] = pto_exact_apply(op, src->type.dtype, code[0], code[1], 0);
        }
    }
    return flags;
}

/* 1 a quiet NaN, 2 a signalling one, in a row or column of a factor */
static int nan_in(const pto_tile *tile, bool row, int32_t line) {
    const int32_t length = row ? tile->valid_cols : tile->valid_rows;
    int found = 0;
    for (int32_t i = 0; i < length; i++) {
        const uint64_t code = row ? at(tile, line, i) : at(tile, i, line);
        const double value = pto_number_to_double(tile->type.dtype, code);
        found |= is_signalling(tile->type.dtype, code, value) ? 2 : isnan(value) ? 1 : 0;
    }
    return found;
}

unsigned pto_flags_product(const pto_tile *acc, const pto_tile *addend, const pto_tile *a,
                           const pto_tile *b) {
    for (int32_t r = 0; r < acc->valid_rows; r++) {
        const int left = nan_in(a, true, r);
        for (int32_t c = 0; c < acc->valid_cols; c++) {
            if (!isnan(pto_number_to_double(PTO_F32, at(acc, r, c))))
                continue;
            const int right = nan_in(b, false, c);
            const bool before = addend && isnan(pto_number_to_double(PTO_F32, at(addend, r, c)));
            if ((left & 2) || (right & 2) || (!left && !right && !before))
                return PTO_FLAG_INVALID;
        }
    }
    return 0;
}
