/* SPDX-License-Identifier: Apache-2.0 */
/* Quantisation on the way out of the accumulator, in doubles and exact integers (part 30, Q). */
#ifndef PTO_TESTS_REFERENCE_QUANT_H
#define PTO_TESTS_REFERENCE_QUANT_H

#include "support/tile_testing.h"

/* The code of the result; `vector` = the word is one of a table. */
uint64_t quant_reference(pto_dtype dst, pto_dtype src, uint64_t bits, uint64_t word, bool vector, bool relu);
/* A word with a moderate scale or any other, an offset, a shift; bit 46 as the type demands. */
uint64_t quant_word(testing_random *random, pto_dtype dst);

#endif
