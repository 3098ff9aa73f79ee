/* SPDX-License-Identifier: Apache-2.0 */
/* See tquant.h. */
#include "reference/tquant.h"
#include "reference/matmul.h"

#include <math.h>
#include <string.h>

int reference_quant_int8(float x, float scale, float offset, bool asymmetric) {
    const double product = (double)(float)((double)x * (double)scale);
    const double value = asymmetric ? (double)(float)(product + (double)offset) : product;
    if (value != value)
        return 0;
    const double least = asymmetric ? 0 : -128, most = asymmetric ? 255 : 127, rounded = nearbyint(value);
    return (int)(rounded < least ? least : rounded > most ? most : rounded);
}

uint32_t reference_dequant(float value, float scale, float offset) {
    const float difference = (float)((double)value - (double)offset);
    const float result = difference * scale;
    uint32_t bits;
    memcpy(&bits, &result, sizeof bits);
    return result != result ? UINT32_C(0x7FC00000) : bits;
}

static bool is_fp4(pto_mx_quant_alg alg) { return alg == PTO_OCP_MXFP4_E2M1 || alg == PTO_NV_MXFP4_E2M1; }
static bool is_nv(pto_mx_quant_alg alg) { return alg == PTO_NV_MXFP8_E4M3 || alg == PTO_NV_MXFP4_E2M1; }

/* The exponent field of a magnitude that is finite. */
static int exponent_field(double magnitude) { return magnitude < 0x1p-126 ? 0 : ilogb(magnitude) + 127; }

reference_mx reference_mx_group(pto_dtype dtype, pto_mx_quant_alg alg, const uint32_t *bits, int count,
                                int step) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double x = fabs((double)reference_matmul_value(dtype, bits[i * step]));
        if (x != x)
            return (reference_mx){0xFF, NAN};
        most = x > most ? x : most;
    }
    if (!is_nv(alg)) {
        const int e_max = is_fp4(alg) ? 2 : 8, field = isinf(most) ? 255 : exponent_field(most);
        if (field <= e_max)
            return (reference_mx){0, 0x1p127f};
        return (reference_mx){(uint8_t)(field - e_max), (float)ldexp(1, 127 - (field - e_max))};
    }
    const double descale = (double)(float)(1.0 / (is_fp4(alg) ? 6.0 : 448.0));
    const double d = (double)(float)(most * descale);
    if (isinf(d))
        return (reference_mx){0xFE, 0x1p-127f};
    const int field = exponent_field(d);
    const bool power_of_two = field && d == ldexp(1, field - 127);
    int exponent = field;
    if (field == 0)
        exponent = d > 0x1p-127; /* the mantissa field is above its half */
    else if (!power_of_two && field < 254)
        exponent = field + 1;
    return (reference_mx){(uint8_t)exponent, (float)ldexp(1, 127 - exponent)};
}

/* To 8 significant bits, ties to even. */
static float to_bf16(float value) {
    if (value == 0 || !isfinite(value))
        return value;
    const int exponent = ilogb((double)value) < -126 ? -126 : ilogb((double)value);
    const double unit = ldexp(1, exponent - 7), rounded = nearbyint((double)value / unit) * unit;
    return fabs(rounded) >= 0x1p128 ? copysignf(INFINITY, value) : copysignf((float)rounded, value);
}

static double e2m1_value(unsigned code) {
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return values[code];
}

static double e4m3_value(unsigned code) {
    static double values[0x7F];
    if (values[1] == 0)
        for (unsigned i = 0; i < 0x7F; i++)
            values[i] = (double)reference_matmul_value(PTO_E4M3, i);
    return values[code];
}

uint8_t reference_mx_code(pto_dtype dtype, pto_mx_quant_alg alg, bool nd, uint32_t bits, float multiplier) {
    float v = reference_matmul_value(dtype, bits) * multiplier;
    if (dtype == PTO_BF16 && (nd || is_fp4(alg)))
        v = to_bf16(v);
    const bool fp4 = is_fp4(alg);
    if (v != v)
        return fp4 ? 7 : 0x7F;
    const unsigned codes = fp4 ? 8 : 0x7F;
    const double magnitude = fabs((double)v);
    unsigned best = 0;
    double distance = INFINITY;
    for (unsigned code = 0; code < codes; code++) {
        const double value = fp4 ? e2m1_value(code) : e4m3_value(code);
        const double off = isinf(magnitude) ? -value : fabs(magnitude - value);
        if (off < distance || (off == distance && code % 2 == 0)) {
            best = code;
            distance = off;
        }
    }
    if (signbit(v))
        best |= fp4 ? 8 : 0x80;
    return (uint8_t)best;
}
