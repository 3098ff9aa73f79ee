/* SPDX-License-Identifier: Apache-2.0 */
/* TCVT on one element in plain double arithmetic, written from part 10, 2.8, 9.3 and 9.4 of the
 * specification: f32, f16, bf16 and the integers of up to 32 bits. */
#ifndef PTO_TESTS_REFERENCE_CONVERT_H
#define PTO_TESTS_REFERENCE_CONVERT_H

#include <pto/types.h>

bool reference_convert_knows(pto_dtype dtype);
/* mode RINT .. ODD, or 7: nearest, a half goes up. f32 to f32 rounds to an integral value. */
uint64_t reference_convert(pto_dtype dst, pto_dtype src, uint64_t bits, int mode, bool saturate);

#endif
