/* SPDX-License-Identifier: Apache-2.0 */
/* References for loads, stores and moves, from part 30 and 00-model, 6.4: random tensors and the element that
 * belongs to a tile coordinate, found by walking every index of the tensor. */
#ifndef PTO_TESTS_REFERENCE_MEMORY_H
#define PTO_TESTS_REFERENCE_MEMORY_H

#include "support/tile_testing.h"

/* A tensor of random shape, every element of its own place in a buffer of random bits, and its map. */
typedef struct memory_tensor {
    pto_global global;
    int32_t rows, cols;
    int64_t *element; /* element number by row * cols + col */
    int64_t elements; /* of the buffer */
    void *buffer;
} memory_tensor;

memory_tensor memory_tensor_make(testing_random *random, pto_dtype dtype, pto_layout layout);
void memory_tensor_free(memory_tensor *tensor);
/* The same shape and strides over a copy of the buffer. */
void *memory_tensor_snapshot(const memory_tensor *tensor);

/* Accumulator element on its way out: relu, then the conversion of part 30, Q.1. */
uint64_t memory_fixpipe(pto_dtype dst, pto_dtype src, uint64_t bits, bool relu);
/* a + b in a type: one rounding to nearest even, integers wrap. */
uint64_t memory_sum(pto_dtype dtype, uint64_t a, uint64_t b);

#endif
