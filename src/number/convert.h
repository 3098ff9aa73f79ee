/* SPDX-License-Identifier: Apache-2.0 */
/* TCVT on one value: which rounding and saturation a type pair gets, and the exact conversion (part 10, 9).
 *
 * This is the slow path that is right for every pair of formats; vector kernels must give the same bits.
 * Nothing here fails, allocates or keeps state. */
#ifndef PTO_NUMBER_CONVERT_H
#define PTO_NUMBER_CONVERT_H

#include <pto/number.h>

#include "format.h"

/* How one conversion is done, all defaults resolved. A kernel may switch on it. */
typedef struct pto_cvt_rule {
    pto_round_mode mode; /* RINT .. ODD (or PTO_CAST_HALF_UP); never NONE */
    bool saturate;       /* column ON of 9.4 */
    bool to_integral;    /* fp32 -> fp32: round to an integral value, stay fp32 */
    bool copies_bits;    /* same format on both sides: NaN payloads survive */
    bool indefinite; /* option of the block form (9.8): float -> integer without saturation answers NaN, Inf
                        and out of range with the minimum of a signed, the maximum of an unsigned type */
} pto_cvt_rule;

/* Does a target have the pair? cpu has all of them; false if either type has no number format. */
bool pto_cvt_available(pto_target target, pto_dtype dst, pto_dtype src);

/* The rule of a pair (9.2, 9.3). mode NONE and modes that the pair does not honour become its default; sat
 * DEFAULT becomes the pair's default. The same on every target. indefinite comes back false. */
pto_cvt_rule pto_cvt_resolve(pto_format dst, pto_format src, pto_round_mode mode, pto_sat_mode sat);

/* The code in dst of the value with the code bits in src. */
uint64_t pto_number_convert_by_rule(pto_format dst, pto_format src, uint64_t bits, pto_cvt_rule rule);

/* Both steps at once, by element type: pto_number_convert in pto/number.h. */

#endif
