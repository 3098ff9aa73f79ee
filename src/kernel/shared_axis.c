/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts, folds and indices of extremes of the element types that have no loops, see exact.h. */
#include "kernel/exact.h"

#include <math.h>

#include "tile/tile.h"
#include <pto/number.h>

static uint64_t at(const pto_tile *tile, int32_t row, int32_t col) {
    return pto_exact_load(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col));
}
static void put(pto_tile *tile, int32_t row, int32_t col, uint64_t code) {
    pto_exact_store(tile->data, tile->type.dtype, pto_tile_offset(&tile->type, row, col), code);
}

void pto_exact_expand(pto_exact_op op, pto_tile *dst, const pto_tile *full, const pto_tile *vector,
                      bool by_rows) {
    for (int32_t r = 0; r < dst->valid_rows; r++)
        for (int32_t c = 0; c < dst->valid_cols; c++)
            put(dst, r, c,
                pto_exact_apply(op, dst->type.dtype, at(full, r, c),
                                by_rows ? at(vector, r, 0) : at(vector, 0, c), 0));
}

/* Element i of line `line` along the folded axis. */
static uint64_t along(const pto_tile *tile, bool by_rows, int32_t line, int32_t i) {
    return by_rows ? at(tile, line, i) : at(tile, i, line);
}

void pto_exact_fold(pto_exact_op op, pto_tile *dst, const pto_tile *src, bool by_rows,
                    const uint64_t *initial) {
    const int32_t lines = by_rows ? src->valid_rows : src->valid_cols,
                  length = by_rows ? src->valid_cols : src->valid_rows;
    for (int32_t line = 0; line < lines; line++) {
        uint64_t result = initial ? *initial : along(src, by_rows, line, 0);
        if (!initial) /* a single NaN becomes the canonical one */
            result = pto_exact_apply(op, src->type.dtype, result, result, 0);
        for (int32_t i = initial ? 0 : 1; i < length; i++)
            result = pto_exact_apply(op, src->type.dtype, result, along(src, by_rows, line, i), 0);
        put(dst, by_rows ? line : 0, by_rows ? 0 : line, result);
    }
}

void pto_exact_arg(pto_tile *dst, const pto_tile *src, bool by_rows, bool minimum) {
    const int32_t lines = by_rows ? src->valid_rows : src->valid_cols,
                  length = by_rows ? src->valid_cols : src->valid_rows;
    for (int32_t line = 0; line < lines; line++) {
        int32_t index = 0;
        double best = pto_number_to_double(src->type.dtype, along(src, by_rows, line, 0));
        for (int32_t i = 1; i < length; i++) {
            const double value = pto_number_to_double(src->type.dtype, along(src, by_rows, line, i));
            const bool better = isnan(best) ? !isnan(value) : minimum ? value < best : value > best;
            index = better ? i : index;
            best = better ? value : best;
        }
        put(dst, by_rows ? line : 0, by_rows ? 0 : line, (uint64_t)index);
    }
}

bool pto_exact_has_nan(const pto_tile *tile) {
    for (int32_t r = 0; r < tile->valid_rows; r++)
        for (int32_t c = 0; c < tile->valid_cols; c++)
            if (isnan(pto_number_to_double(tile->type.dtype, at(tile, r, c))))
                return true;
    return false;
}
