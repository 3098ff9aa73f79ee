/* SPDX-License-Identifier: Apache-2.0 */
/* Quantisation on the way out of the accumulator, see quant.h. */
#include "reference/quant.h"

#include <pto/number.h>
#include <math.h>
#include <string.h>

static double scale_of(uint64_t word, bool vector) {
    int exponent = (int)(word >> 23 & 255), mantissa = (int)(word >> 13 & 1023);
    double sign = word >> 31 & 1 ? -1 : 1;
    if (!vector)
        return pto_number_to_double(PTO_F32, word & UINT32_MAX);
    if (exponent == 255)
        return sign * HUGE_VAL;
    if (exponent == 0 && mantissa == 0)
        return 0;
    return sign * ldexp(1 + mantissa / 1024., exponent - 127);
}

static double f32(double value) { return (double)(float)value; }

uint64_t quant_reference(pto_dtype dst, pto_dtype src, uint64_t bits, uint64_t word, bool vector, bool relu) {
    int64_t integer = (int32_t)bits;
    if (dst == PTO_S16) {
        int64_t unit = INT64_C(1) << ((word >> 32 & 15) + 1);
        int64_t n = integer >= 0 ? integer / unit : -((-integer + unit - 1) / unit);
        n = n > 32767 ? 32767 : n < -32768 ? -32768 : n;
        return (uint64_t)(relu && n < 0 ? 0 : n) & 0xFFFF;
    }
    double x = src == PTO_S32 ? f32((double)integer) : pto_number_to_double(PTO_F32, bits);
    double y = f32(x * scale_of(word, vector));
    if (dst == PTO_S8 || dst == PTO_U8) {
        bool is_signed = word >> 46 & 1;
        double n = nearbyint(f32(y + (double)(word >> 37 & 511)));
        double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
        n = isnan(n) ? 0 : n < low ? low : n > high ? high : n;
        return (uint64_t)(int64_t)(relu && n < 0 ? 0 : n) & 255;
    }
    if (relu && !(y > 0))
        return 0;
    switch (dst) {
    case PTO_F16:
        if (src == PTO_S32 || isfinite(y))
            y = y > 65504 ? 65504 : y < -65504 ? -65504 : y;
        return pto_number_from_double(PTO_F16, y, PTO_CAST_RINT, false);
    case PTO_BF16:
        return pto_number_from_double(PTO_BF16, y, PTO_CAST_RINT, src == PTO_S32);
    case PTO_F32:
        return pto_number_from_double(PTO_F32, y, PTO_CAST_RINT, false);
    default:
        return pto_number_from_double(dst, y, dst == PTO_HIF8 ? PTO_CAST_ROUND : PTO_CAST_RINT, true);
    }
}

uint64_t quant_word(testing_random *random, pto_dtype dst) {
    uint64_t word = testing_next(random), scale;
    bool any = testing_below(random, 8) == 0;
    scale = any ? testing_bits(random, PTO_F32)
                : (uint64_t)(110 + testing_below(random, 22)) << 23 | (word & 0x7FFFFF);
    if (testing_below(random, 4) == 0)
        scale |= UINT64_C(1) << 31;
    word = (word & ~UINT64_C(0xFFFFFFFF) & ~(UINT64_C(1) << 46)) | scale;
    if (testing_below(random, 2))
        word &= ~(UINT64_C(511) << 37);
    return word | (uint64_t)(dst == PTO_S8) << 46;
}
