/* SPDX-License-Identifier: Apache-2.0 */
/* See convert.h. */
#include "reference/convert.h"

#include <math.h>

/* Fraction bits, smallest normal and largest exponent; integers: their range. */
typedef struct format {
    int bits, fraction, emin, emax;
    double min, max;
} format;

static const format formats[PTO_DTYPE_COUNT] = {
    [PTO_F32] = {32, 23, -126, 127, 0, 0},
    [PTO_F16] = {16, 10, -14, 15, 0, 0},
    [PTO_BF16] = {16, 7, -126, 127, 0, 0},
    [PTO_S32] = {32, 0, 0, 0, -2147483648.0, 2147483647.0},
    [PTO_U32] = {32, 0, 0, 0, 0, 4294967295.0},
    [PTO_S16] = {16, 0, 0, 0, -32768, 32767},
    [PTO_U16] = {16, 0, 0, 0, 0, 65535},
    [PTO_S8] = {8, 0, 0, 0, -128, 127},
    [PTO_U8] = {8, 0, 0, 0, 0, 255},
};

bool reference_convert_knows(pto_dtype dtype) { return formats[dtype].bits != 0; }

static double decode(pto_dtype dtype, uint64_t bits) {
    const format *f = &formats[dtype];
    const double two = ldexp(1, f->bits);
    if (!f->fraction) {
        const double value = (double)bits;
        return f->min < 0 && value > f->max ? value - two : value;
    }
    const int exponent_bits = f->bits - 1 - f->fraction;
    const double sign = bits >> (f->bits - 1) ? -1 : 1;
    const int field = (int)(bits >> f->fraction) & ((1 << exponent_bits) - 1);
    const double fraction = (double)(bits & ((UINT64_C(1) << f->fraction) - 1));
    if (field == (1 << exponent_bits) - 1)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (field == 0)
        return sign * ldexp(fraction, f->emin - f->fraction);
    return sign * ldexp(fraction + ldexp(1, f->fraction), field - 1 + f->emin - f->fraction);
}

/* |x| in whole units, rounded: section 2.8. */
static double round_units(double units, bool negative, int mode) {
    double k = floor(units);
    const double rest = units - k;
    const bool odd = fmod(k, 2) != 0;
    if (rest == 0)
        return k;
    switch (mode) {
    case PTO_CAST_ROUND:
        return rest >= 0.5 ? k + 1 : k;
    case PTO_CAST_FLOOR:
        return negative ? k + 1 : k;
    case PTO_CAST_CEIL:
        return negative ? k : k + 1;
    case PTO_CAST_TRUNC:
        return k;
    case PTO_CAST_ODD:
        return odd ? k : k + 1;
    case 7:
        return rest > 0.5 || (rest == 0.5 && !negative) ? k + 1 : k;
    default:
        return rest > 0.5 || (rest == 0.5 && odd) ? k + 1 : k;
    }
}

static uint64_t low_bits(double value, int bits) {
    /* value is integral */
    const double two = ldexp(1, bits);
    double rest = fmod(value, two);
    if (rest < 0)
        rest += two;
    return (uint64_t)rest;
}

static uint64_t to_integer(const format *f, double value, bool from_float, int mode, bool saturate) {
    if (isnan(value))
        return 0;
    double rounded = value;
    if (isfinite(value))
        rounded = copysign(round_units(fabs(value), signbit(value), mode), value);
    if (saturate)
        return low_bits(fmin(fmax(rounded, f->min), f->max), f->bits);
    if (!from_float)
        return low_bits(rounded, f->bits);
    /* t: clamped to s64 for 32 bits, else to s32; 2^63 - 1 is no double, but its low bits are all ones */
    const double end = f->bits == 32 ? 0x1p63 : 0x1p31;
    if (rounded >= end)
        return ((uint64_t)1 << f->bits) - 1;
    return low_bits(fmax(rounded, -end), f->bits);
}

static uint64_t to_float(const format *f, double value, int mode, bool saturate) {
    const uint64_t infinity = (uint64_t)(2 * f->emax + 1) << f->fraction;
    const uint64_t sign = signbit(value) ? (uint64_t)1 << (f->bits - 1) : 0;
    if (isnan(value))
        return infinity | (uint64_t)1 << (f->fraction - 1);
    if (isinf(value))
        return (saturate ? infinity - 1 : infinity) | sign;
    if (value == 0)
        return sign;
    int exponent;
    frexp(value, &exponent);
    exponent--;
    int q = (exponent > f->emin ? exponent : f->emin) - f->fraction;
    double k = round_units(ldexp(fabs(value), -q), signbit(value), mode);
    if (k == ldexp(1, f->fraction + 1)) {
        k /= 2;
        q++;
    }
    if (ldexp(k, q) > ldexp(2 - ldexp(1, -f->fraction), f->emax)) {
        const bool never = mode == PTO_CAST_TRUNC || mode == PTO_CAST_ODD ||
                           (mode == PTO_CAST_FLOOR && !sign) || (mode == PTO_CAST_CEIL && sign);
        return (saturate || never ? infinity - 1 : infinity) | sign;
    }
    const uint64_t hidden = (uint64_t)1 << f->fraction, units = (uint64_t)k;
    if (units < hidden)
        return units | sign;
    return ((uint64_t)(q + f->fraction - f->emin + 1) << f->fraction) + (units - hidden) + sign;
}

uint64_t reference_convert(pto_dtype dst, pto_dtype src, uint64_t bits, int mode, bool saturate) {
    const double value = decode(src, bits);
    if (dst == src && dst != PTO_F32)
        return bits;
    if (dst == PTO_F32 && src == PTO_F32) {
        const double rounded =
            isfinite(value) ? copysign(round_units(fabs(value), signbit(value), mode), value) : value;
        return to_float(&formats[PTO_F32], rounded, mode, false);
    }
    const format *f = &formats[dst];
    if (f->fraction)
        return to_float(f, value, mode, saturate);
    return to_integer(f, value, formats[src].fraction != 0, mode, saturate);
}
