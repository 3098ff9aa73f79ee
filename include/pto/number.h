/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats for the caller: half, bf16 and the other element types to and from C numbers (part 10, 2 and
 * 9).
 *
 * A value of an element type is passed as its bit pattern, right-aligned; one element even for the packed
 * 4-bit types. Bits above it are ignored on input and zero on output. No call fails or allocates. An element
 * type without numbers (PTO_DTYPE_NONE) gives 0. */
#ifndef PTO_NUMBER_H
#define PTO_NUMBER_H

#include <pto/types.h>

PTO_BEGIN_DECLS

/* IEEE half and bf16. Widening is exact; narrowing rounds to nearest even, overflow gives infinity,
 * subnormals are kept; every NaN becomes the canonical quiet NaN. */
PTO_API float pto_half_to_float(uint16_t half);
PTO_API uint16_t pto_half_from_float(float value);
PTO_API float pto_bfloat16_to_float(uint16_t bf16);
PTO_API uint16_t pto_bfloat16_from_float(float value);

/* The value of a bit pattern; exact but for 64-bit integers beyond 2^53, which go to nearest even. */
PTO_API double pto_number_to_double(pto_dtype type, uint64_t bits);

/* The nearest value of the type: rounded once by mode, mode NONE being nearest even (ties away for PTO_HIF8).
 * Values out of range and infinities become the largest value of the type (saturate) or wrap, become infinity
 * or NaN (10, 9.4).
 */
PTO_API uint64_t pto_number_from_double(pto_dtype type, double value, pto_round_mode mode, bool saturate);

/* What TCVT makes of one element: bits of type src to bits of type dst, with the mode and the saturation of
 * the call as given; NONE and PTO_SAT_DEFAULT are the defaults of the type pair (10, 9.2). */
PTO_API uint64_t pto_number_convert(pto_dtype dst, pto_dtype src, uint64_t bits, pto_round_mode mode,
                                    pto_sat_mode sat);

PTO_END_DECLS
#endif
