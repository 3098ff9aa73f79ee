/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the block form, one element at a time in the words of part 70, 5.1, 8 and 9: MPFR for floats of
 * every format, 64-bit integers for the others. Codes in and out, right-aligned; types by their block code.
 */
#ifndef PTO_TESTS_REFERENCE_BLOCK_H
#define PTO_TESTS_REFERENCE_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    RB_FP64 = 0,
    RB_FP32,
    RB_TF32,
    RB_HF32,
    RB_FP16,
    RB_BF16,
    RB_HIF8,
    RB_E4M3,
    RB_E5M2,
    RB_E3M2,
    RB_E2M3,
    RB_E2M1,
    RB_E1M2,
    RB_E8M0,
    RB_HIF4,
    RB_S64 = 16,
    RB_S32,
    RB_S16,
    RB_S8,
    RB_S4,
    RB_U64 = 24,
    RB_U32,
    RB_U16,
    RB_U8,
    RB_U4
};

const char *reference_block_name(unsigned type);
unsigned reference_block_bits(unsigned type);
bool reference_block_is_float(unsigned type);
bool reference_block_is_signed(unsigned type);
bool reference_block_is_nan(unsigned type, uint64_t code);
/* The patterns of Zero, Max, Min (pad 0, 1, 2); 0 for Null. */
uint64_t reference_block_pad(unsigned type, unsigned pad);

/* An operation by its mnemonic, without the S of scalar forms and without axes: "TADD", "TROWEXPANDADD" is
 * "TADD". The eight float formats of the seed's table and the integers. */
uint64_t reference_block(const char *op, unsigned type, uint64_t a, uint64_t b, uint64_t c);
/* EQ NE LT GT LE GE as 0..5 */
bool reference_block_compare(unsigned mode, unsigned type, uint64_t a, uint64_t b);
/* Is b strictly better than a? A number is better than a NaN. */
bool reference_block_better(bool minimum, unsigned type, uint64_t a, uint64_t b);
/* One float or integer code as a float of another type, nearest even, no saturation. */
uint64_t reference_block_to_float(unsigned dst, unsigned src, uint64_t code);

#endif
