/* SPDX-License-Identifier: Apache-2.0 */
/* See matmul.h. */
#include "reference/matmul.h"

#include <math.h>
#include <string.h>

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A sign, an exponent field and f fraction bits, with gradual underflow; no special values. */
static float decode(uint64_t bits, int exponent_bits, int f, int bias) {
    const uint64_t field = bits >> f & ((1u << exponent_bits) - 1), fraction = bits & ((1u << f) - 1);
    const double size = field ? ldexp(1.0 + ldexp((double)fraction, -f), (int)field - bias)
                              : ldexp((double)fraction, 1 - bias - f);
    return (float)(bits >> (f + exponent_bits) & 1 ? -size : size);
}

/* hif8 (part 40, 0): the leading bits of the payload say how many exponent bits follow. */
static float decode_hif8(uint64_t bits) {
    const unsigned p = bits & 0x7F;
    double size;
    int sign = 0, exponent = 0, width;
    if (bits == 0x80)
        return NAN;
    if (p < 8) {
        size = p ? ldexp(1.0, (int)p - 23) : 0.0;
    } else {
        if (p < 0x10) { /* 0001mmm */
            width = 3;
        } else if (p < 0x20) { /* 001smmm */
            width = 3, sign = p >> 3 & 1, exponent = 1;
        } else if (p < 0x40) { /* 01sxmmm */
            width = 3, sign = p >> 4 & 1, exponent = 2 + (int)(p >> 3 & 1);
        } else if (p < 0x60) { /* 10sxxmm */
            width = 2, sign = p >> 4 & 1, exponent = 4 + (int)(p >> 2 & 3);
        } else { /* 11sxxxm */
            width = 1, sign = p >> 4 & 1, exponent = 8 + (int)(p >> 1 & 7);
        }
        const unsigned mantissa = p & ((1u << width) - 1);
        size = p == 0x6F ? (double)INFINITY
                         : ldexp(1.0 + ldexp((double)mantissa, -width), sign ? -exponent : exponent);
    }
    return (float)(bits & 0x80 ? -size : size);
}

float reference_matmul_value(pto_dtype dtype, uint64_t bits) {
    switch (dtype) {
    case PTO_F16:
        if ((bits & 0x7C00) == 0x7C00)
            return bits & 0x3FF ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
        return decode(bits, 5, 10, 15);
    case PTO_BF16:
        return from_bits((uint32_t)bits << 16);
    case PTO_E4M3:
        return (bits & 0x7F) == 0x7F ? NAN : decode(bits, 4, 3, 7);
    case PTO_E5M2:
        if ((bits & 0x7C) == 0x7C)
            return bits & 3 ? NAN : bits & 0x80 ? -INFINITY : INFINITY;
        return decode(bits, 5, 2, 15);
    case PTO_HIF8:
        return decode_hif8(bits);
    default:
        return from_bits((uint32_t)bits);
    }
}

uint32_t reference_matmul_round(uint32_t bits, int fraction, bool ties_away) {
    const float value = from_bits(bits);
    int exponent;
    if (!isfinite(value) || value == 0)
        return bits;
    frexp((double)value, &exponent); /* value = [1/2, 1) * 2^exponent */
    const int smallest = exponent - 1 < -126 ? -126 : exponent - 1;
    const double unit = ldexp(1.0, smallest - fraction), units = (double)value / unit;
    return to_bits((float)((ties_away ? round(units) : nearbyint(units)) * unit));
}

static float flushed(float value, double smallest_normal) {
    return fabs((double)value) < smallest_normal ? copysignf(0.0f, value) : value;
}

static float operand(pto_dtype dtype, uint64_t bits, bool flush) {
    const float value = reference_matmul_value(dtype, bits);
    if (!flush || dtype == PTO_E4M3 || dtype == PTO_E5M2 || dtype == PTO_HIF8)
        return value;
    return flushed(value, dtype == PTO_F16 ? 0x1p-14 : 0x1p-126);
}

void reference_matmul(pto_dtype a_type, pto_dtype b_type, int m, int k, int n, const uint64_t *a,
                      const uint64_t *b, const uint32_t *addend, uint32_t *c, bool flush, bool addend_last) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const uint32_t first = addend ? addend[i * n + j] : 0;
            if (a_type == PTO_S8) {
                uint32_t sum = first;
                for (int p = 0; p < k; p++)
                    sum += (uint32_t)((int8_t)a[i * k + p] * (int8_t)b[p * n + j]);
                c[i * n + j] = sum;
                continue;
            }
            float start = from_bits(first);
            if (flush)
                start = flushed(start, 0x1p-126);
            float sum = addend_last ? 0.0f : start;
            for (int p = 0; p < k; p++)
                sum = fmaf(operand(a_type, a[i * k + p], flush), operand(b_type, b[p * n + j], flush), sum);
            if (addend_last && addend)
                sum = sum + start;
            if (flush)
                sum = flushed(sum, 0x1p-126);
            c[i * n + j] = sum != sum ? UINT32_C(0x7FC00000) : to_bits(sum);
        }
}
