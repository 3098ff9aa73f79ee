/* SPDX-License-Identifier: Apache-2.0 */
/* References for loads, stores and moves, see memory.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "reference/memory.h"

#include <pto/number.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which dimensions make the rows and which the columns, slowest first; -1 ends. */
static const int row_dims[3][5] = {{0, 1, 2, 3, -1}, {3, -1}, {2, 3, -1}};
static const int col_dims[3][5] = {{4, -1}, {0, 1, 2, 4, -1}, {0, 1, 4, -1}};

static int64_t flatten(const int *dims, const int64_t *shape, const int64_t *index) {
    int64_t flat = 0;
    for (int k = 0; dims[k] >= 0; k++)
        flat = flat * shape[dims[k]] + index[dims[k]];
    return flat;
}

memory_tensor memory_tensor_make(testing_random *random, pto_dtype dtype, pto_layout layout) {
    memory_tensor t = {.global = {.dtype = dtype, .layout = layout}};
    int64_t *s = t.global.shape, *stride = t.global.stride;
    static const int32_t limits[3][5] = {{2, 2, 3, 20, 40}, {2, 2, 3, 40, 20}, {2, 4, 3, 17, 17}};
    for (int d = 0; d < 5; d++)
        s[d] = testing_below(random, 3) || d > 2 ? 1 + testing_below(random, (uint32_t)limits[layout][d]) : 1;
    /* strides: the dimensions in a random order, innermost packed most of the time, gaps now and then */
    int order[5] = {4, 3, 2, 1, 0};
    if (layout == PTO_LAYOUT_DN) {
        order[0] = 3;
        order[1] = 4;
    }
    if (testing_below(random, 4) == 0)
        for (int d = 4; d > 0; d--) {
            int k = (int)testing_below(random, (uint32_t)d + 1), swap = order[d];
            order[d] = order[k];
            order[k] = swap;
        }
    int64_t next = testing_below(random, 8) ? 1 : 2;
    for (int d = 0; d < 5; d++) {
        stride[order[d]] = next;
        next = next * s[order[d]] + (testing_below(random, 4) ? 0 : testing_below(random, 7));
    }
    t.elements = next + 16;
    t.buffer = malloc((size_t)t.elements * 8);
    assert_non_null(t.buffer);
    for (int64_t i = 0; i < t.elements; i++)
        testing_store(t.buffer, dtype, i, testing_bits(random, dtype));
    t.global.data = t.buffer;
    t.global.begin = t.buffer;
    t.global.end = (const char *)t.buffer + (t.elements * pto_dtype_bits(dtype) + 7) / 8;
    t.rows = t.cols = 1;
    for (int k = 0; row_dims[layout][k] >= 0; k++)
        t.rows *= (int32_t)s[row_dims[layout][k]];
    for (int k = 0; col_dims[layout][k] >= 0; k++)
        t.cols *= (int32_t)s[col_dims[layout][k]];
    t.element = calloc((size_t)t.rows * (size_t)t.cols, sizeof *t.element);
    assert_non_null(t.element);
    int64_t i[5];
    for (i[0] = 0; i[0] < s[0]; i[0]++)
        for (i[1] = 0; i[1] < s[1]; i[1]++)
            for (i[2] = 0; i[2] < s[2]; i[2]++)
                for (i[3] = 0; i[3] < s[3]; i[3]++)
                    for (i[4] = 0; i[4] < s[4]; i[4]++) {
                        int64_t at = 0;
                        for (int d = 0; d < 5; d++)
                            at += i[d] * stride[d];
                        t.element[flatten(row_dims[layout], s, i) * t.cols +
                                  flatten(col_dims[layout], s, i)] = at;
                    }
    return t;
}

void memory_tensor_free(memory_tensor *tensor) {
    free(tensor->buffer);
    free(tensor->element);
}

void *memory_tensor_snapshot(const memory_tensor *tensor) {
    void *copy = malloc((size_t)tensor->elements * 8);
    assert_non_null(copy);
    memcpy(copy, tensor->buffer, (size_t)tensor->elements * 8);
    return copy;
}

uint64_t memory_fixpipe(pto_dtype dst, pto_dtype src, uint64_t bits, bool relu) {
    if (src == PTO_S32)
        return relu && (int32_t)bits < 0 ? 0 : bits;
    double value = pto_number_to_double(PTO_F32, bits);
    if (relu && !(value > 0))
        return 0;
    return dst == PTO_F32 ? bits : pto_number_from_double(dst, value, PTO_CAST_RINT, false);
}

uint64_t memory_sum(pto_dtype dtype, uint64_t a, uint64_t b) {
    if (pto_dtype_is_int(dtype))
        return (a + b) & (UINT64_MAX >> (64 - pto_dtype_bits(dtype)));
    /* exact, or so close that the second rounding cannot tell */
    double sum = pto_number_to_double(dtype, a) + pto_number_to_double(dtype, b);
    return pto_number_from_double(dtype, sum, PTO_CAST_RINT, false);
}
