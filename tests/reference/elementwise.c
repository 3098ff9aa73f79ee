/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise arithmetic on single codes, see elementwise.h. */
#include "reference/elementwise.h"

#include <string.h>

#include <mpfr.h>

#include <pto/number.h>

/* Enough for exact sums, products and fused sums of floats; quotients and roots are then never so near to a
 * tie that their second rounding matters. */
enum { PRECISION = 700 };

/* Section 2.2. */
typedef struct binary_format {
    unsigned fraction, exponent;
    int bias;
} binary_format;

static bool format_of(pto_dtype type, binary_format *format) {
    if (type == PTO_F16)
        *format = (binary_format){10, 5, 15};
    else if (type == PTO_BF16)
        *format = (binary_format){7, 8, 127};
    else if (type == PTO_F32)
        *format = (binary_format){23, 8, 127};
    else
        return false;
    return true;
}

static void decode(mpfr_t to, pto_dtype type, uint64_t code) {
    binary_format f;
    if (!format_of(type, &f)) {
        mpfr_set_d(to, pto_number_to_double(type, code), MPFR_RNDN);
        return;
    }
    const uint64_t fraction = code & ((UINT64_C(1) << f.fraction) - 1);
    const unsigned field = (unsigned)(code >> f.fraction) & ((1u << f.exponent) - 1);
    const bool negative = code >> (f.fraction + f.exponent) & 1;
    if (field == (1u << f.exponent) - 1) {
        if (fraction)
            mpfr_set_nan(to);
        else
            mpfr_set_inf(to, negative ? -1 : 1);
        return;
    }
    const int unit = (field ? (int)field : 1) - f.bias - (int)f.fraction;
    mpfr_set_ui_2exp(to, (unsigned long)(field ? fraction | UINT64_C(1) << f.fraction : fraction), unit,
                     MPFR_RNDN);
    mpfr_setsign(to, to, negative, MPFR_RNDN);
}

/* The kernel of section 2.8, nearest even. */
static uint64_t encode(pto_dtype type, const mpfr_t value) {
    binary_format f;
    if (!format_of(type, &f)) {
        double odd =
            mpfr_get_d(value, MPFR_RNDZ); /* an inexact last bit of 1 keeps the next rounding right */
        uint64_t bits;
        memcpy(&bits, &odd, sizeof bits);
        bits |= mpfr_number_p(value) && mpfr_cmp_d(value, odd) != 0;
        memcpy(&odd, &bits, sizeof odd);
        const uint64_t code = pto_number_from_double(type, odd, PTO_CAST_NONE, false);
        return type == PTO_E4M3 && code == 0xFF ? 0x7F : code; /* a NaN of arithmetic is canonical (1.5) */
    }
    const uint64_t infinity = ((UINT64_C(1) << f.exponent) - 1) << f.fraction;
    if (mpfr_nan_p(value))
        return infinity | UINT64_C(1) << (f.fraction - 1);
    const uint64_t sign = (uint64_t)(mpfr_signbit(value) ? 1 : 0) << (f.fraction + f.exponent);
    if (mpfr_inf_p(value))
        return sign | infinity;
    if (mpfr_zero_p(value))
        return sign;
    const long top = (long)mpfr_get_exp(value) - 1, smallest = 1 - f.bias;
    long unit = (top > smallest ? top : smallest) - (long)f.fraction;
    mpfr_t units;
    mpfr_init2(units, PRECISION);
    mpfr_mul_2si(units, value, -unit, MPFR_RNDN);
    mpfr_abs(units, units, MPFR_RNDN);
    mpfr_roundeven(units, units);
    uint64_t k = mpfr_get_ui(units, MPFR_RNDN);
    mpfr_clear(units);
    if (k == UINT64_C(2) << f.fraction) {
        k >>= 1;
        unit++;
    }
    if (k < UINT64_C(1) << f.fraction)
        return sign | k;
    const long field = unit + (long)f.fraction + f.bias;
    if (field >= (1L << f.exponent) - 1)
        return sign | infinity;
    return sign | (uint64_t)field << f.fraction | (k - (UINT64_C(1) << f.fraction));
}

static uint64_t flush(pto_dtype type, uint64_t code) {
    binary_format f;
    if (!format_of(type, &f))
        return code;
    const uint64_t sign = UINT64_C(1) << (f.fraction + f.exponent);
    return (code & (sign - 1)) >> f.fraction ? code : code & sign;
}

static void extreme(mpfr_t to, const mpfr_t a, const mpfr_t b, bool larger) {
    if (mpfr_nan_p(a) || mpfr_nan_p(b)) {
        mpfr_set_nan(to);
        return;
    }
    bool takes_a = larger ? mpfr_greater_p(a, b) : mpfr_less_p(a, b);
    if (mpfr_equal_p(a, b))
        takes_a = larger ? !mpfr_signbit(a) : mpfr_signbit(a);
    mpfr_set(to, takes_a ? a : b, MPFR_RNDN);
}

static void relu(mpfr_t value, const pto_numeric_options *options) {
    if (mpfr_nan_p(value) ? !options->relu_keeps_nan : mpfr_sgn(value) <= 0)
        mpfr_set_zero(value, 1);
}

static uint64_t of_floats(reference_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c,
                          const pto_numeric_options *options) {
    mpfr_t x, y, z, r;
    mpfr_inits2(PRECISION, x, y, z, r, (mpfr_ptr)0);
    decode(x, type, a);
    decode(y, type, b);
    decode(z, type, c);
    switch (op) {
    case REFERENCE_ADD:
        mpfr_add(r, x, y, MPFR_RNDN);
        break;
    case REFERENCE_SUB:
        mpfr_sub(r, x, y, MPFR_RNDN);
        break;
    case REFERENCE_MUL:
        mpfr_mul(r, x, y, MPFR_RNDN);
        break;
    case REFERENCE_DIV:
        mpfr_div(r, x, y, MPFR_RNDN);
        break;
    case REFERENCE_MAX:
        extreme(r, x, y, true);
        break;
    case REFERENCE_MIN:
        extreme(r, x, y, false);
        break;
    case REFERENCE_RECIP:
        mpfr_ui_div(r, 1, x, MPFR_RNDN);
        break;
    case REFERENCE_ABS:
        mpfr_abs(r, x, MPFR_RNDN);
        break;
    case REFERENCE_NEG:
        mpfr_neg(r, x, MPFR_RNDN);
        break;
    case REFERENCE_SQRT:
        mpfr_sqrt(r, x, MPFR_RNDN);
        break;
    case REFERENCE_RSQRT:
        mpfr_sqrt(r, x, MPFR_RNDN);
        mpfr_ui_div(r, 1, r, MPFR_RNDN);
        break;
    case REFERENCE_RELU:
        if (mpfr_nan_p(x) ? options->relu_keeps_nan : mpfr_sgn(x) > 0)
            mpfr_set(r, x, MPFR_RNDN);
        else
            mpfr_set_zero(r, 1);
        break;
    case REFERENCE_MULADD:
        mpfr_mul(r, x, y, MPFR_RNDN);
        if (options->unfused)
            decode(r, type, encode(type, r));
        mpfr_add(r, r, z, MPFR_RNDN);
        break;
    case REFERENCE_ADD_ADD:
    case REFERENCE_SUB_ADD:
        (op == REFERENCE_ADD_ADD ? mpfr_add : mpfr_sub)(r, x, y, MPFR_RNDN);
        decode(r, type, encode(type, r));
        mpfr_add(r, r, z, MPFR_RNDN);
        break;
    case REFERENCE_FUSED_MULADD:
    case REFERENCE_FUSED_MULADD_RELU:
        mpfr_mul(r, x, z, MPFR_RNDN);
        if (options->unfused)
            decode(r, type, encode(type, r));
        mpfr_add(r, r, y, MPFR_RNDN);
        if (op == REFERENCE_FUSED_MULADD_RELU)
            relu(r, options);
        break;
    case REFERENCE_SUB_RELU:
        mpfr_sub(r, x, y, MPFR_RNDN);
        relu(r, options);
        break;
    case REFERENCE_LEAKY_RELU:
        if (mpfr_nan_p(x) || mpfr_sgn(x) <= 0)
            mpfr_mul(r, x, y, MPFR_RNDN);
        else
            mpfr_set(r, x, MPFR_RNDN);
        break;
    case REFERENCE_AXPY:
        mpfr_mul(r, x, y, MPFR_RNDN);
        if (options->unfused)
            decode(r, type, encode(type, r));
        mpfr_add(r, r, z, MPFR_RNDN);
        break;
    case REFERENCE_FMOD:
        mpfr_fmod(r, x, y, MPFR_RNDN);
        break;
    case REFERENCE_REM:
        mpfr_fmod(r, x, y, MPFR_RNDN);
        if (!mpfr_nan_p(r) && !mpfr_zero_p(r) && mpfr_signbit(r) != mpfr_signbit(y))
            mpfr_add(r, r, y, MPFR_RNDN);
        break;
    case REFERENCE_POW: { /* 200 bits are far more than any rounding of a result needs */
        mpfr_t p;
        mpfr_init2(p, 200);
        mpfr_pow(p, x, y, MPFR_RNDN);
        mpfr_set(r, p, MPFR_RNDN);
        mpfr_clear(p);
        break;
    }
    case REFERENCE_FILL:
    case REFERENCE_AND:
    case REFERENCE_OR:
    case REFERENCE_XOR:
    case REFERENCE_NOT:
    case REFERENCE_SHL:
    case REFERENCE_SHR:
        break;
    }
    const uint64_t code = encode(type, r);
    mpfr_clears(x, y, z, r, (mpfr_ptr)0);
    return code;
}

static uint64_t of_integers(reference_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c) {
    const unsigned bits = pto_dtype_bits(type);
    const bool is_signed = pto_dtype_is_signed(type);
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    const bool negative = is_signed && (a & sign), other_negative = is_signed && (b & sign);
    const uint64_t mask = sign | (sign - 1);
    const uint64_t magnitude = (negative ? 0 - a : a) & mask, other = (other_negative ? 0 - b : b) & mask;
    /* shifted by half the range, signed numbers order like unsigned ones */
    const uint64_t order_a = is_signed ? a ^ sign : a, order_b = is_signed ? b ^ sign : b;
    uint64_t r = 0;
    switch (op) {
    case REFERENCE_ADD:
        r = a + b;
        break;
    case REFERENCE_SUB:
        r = a - b;
        break;
    case REFERENCE_MUL:
        r = a * b;
        break;
    case REFERENCE_DIV:
        r = other ? magnitude / other : 0;
        r = negative != other_negative ? 0 - r : r;
        break;
    case REFERENCE_MAX:
        r = order_a > order_b ? a : b;
        break;
    case REFERENCE_MIN:
        r = order_a < order_b ? a : b;
        break;
    case REFERENCE_RECIP:
        r = magnitude == 1 ? a : 0;
        break;
    case REFERENCE_ABS:
        r = magnitude;
        break;
    case REFERENCE_NEG:
        r = 0 - a;
        break;
    case REFERENCE_RELU:
        r = negative ? 0 : a;
        break;
    case REFERENCE_MULADD:
        r = a * b + c;
        break;
    case REFERENCE_ADD_ADD:
        r = a + b + c;
        break;
    case REFERENCE_SUB_ADD:
        r = a - b + c;
        break;
    case REFERENCE_FUSED_MULADD:
    case REFERENCE_FUSED_MULADD_RELU:
        r = a * c + b;
        r = op == REFERENCE_FUSED_MULADD_RELU && is_signed && (r & sign) ? 0 : r;
        break;
    case REFERENCE_SUB_RELU:
        r = a - b;
        r = is_signed && (r & sign) ? 0 : r;
        break;
    case REFERENCE_LEAKY_RELU:
        r = negative || a == 0 ? a * b : a;
        break;
    case REFERENCE_AXPY:
        r = a * b + c;
        break;
    case REFERENCE_FMOD:
    case REFERENCE_REM:
        r = other ? magnitude % other : 0;
        if (op == REFERENCE_FMOD || r == 0)
            r = negative ? 0 - r : r;
        else if (negative != other_negative)
            r = negative ? other - r : r - other;
        else
            r = negative ? 0 - r : r;
        break;
    case REFERENCE_POW:
        r = 1;
        if (other_negative)
            r = magnitude == 1 ? (negative && (b & 1) ? 0 - r : 1) : 0;
        else
            for (unsigned i = bits; i-- > 0;)
                r = r * r * (b >> i & 1 ? a : 1);
        break;
    case REFERENCE_AND:
        r = a & b;
        break;
    case REFERENCE_OR:
        r = a | b;
        break;
    case REFERENCE_XOR:
        r = (a | b) - (a & b);
        break;
    case REFERENCE_NOT:
        r = 0 - a - 1;
        break;
    case REFERENCE_SHL:
    case REFERENCE_SHR: {
        r = a;
        for (uint64_t n = b % bits; n; n--) /* a step at a time: doubled, or halved with the sign kept */
            r = op == REFERENCE_SHL ? (r * 2) & mask : r >> 1 | (negative ? sign : 0);
        break;
    }
    case REFERENCE_SQRT:
    case REFERENCE_RSQRT:
    case REFERENCE_FILL:
        break;
    }
    return r & mask;
}

uint64_t reference_elementwise(reference_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c,
                               const pto_numeric_options *options) {
    static const pto_numeric_options defaults;
    if (!options)
        options = &defaults;
    if (op == REFERENCE_FILL)
        return b;
    if (pto_dtype_is_int(type))
        return of_integers(op, type, a, b, c);
    binary_format f;
    if ((op == REFERENCE_ABS || op == REFERENCE_NEG) && type != PTO_HIF8 && type != PTO_E8M0) {
        const uint64_t sign = UINT64_C(1) << (pto_dtype_bits(type) - 1); /* NaN included (3.7) */
        return op == REFERENCE_ABS ? a & ~sign : a ^ sign;
    }
    if (!options->flush_subnormals || !format_of(type, &f))
        return of_floats(op, type, a, b, c, options);
    return flush(type, of_floats(op, type, flush(type, a), flush(type, b), flush(type, c), options));
}

static float step(float value, float factor) {
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_flt(x, value, MPFR_RNDN);
    mpfr_t y;
    mpfr_init2(y, PRECISION);
    mpfr_set_flt(y, factor, MPFR_RNDN);
    mpfr_mul(x, x, y, MPFR_RNDN);
    const uint32_t code = (uint32_t)encode(PTO_F32, x);
    mpfr_clears(x, y, (mpfr_ptr)0);
    float result;
    memcpy(&result, &code, sizeof result);
    return result;
}

uint16_t reference_adddeqrelu(int32_t a, int32_t b, float scale, const pto_numeric_options *options) {
    static const pto_numeric_options defaults;
    if (!options)
        options = &defaults;
    const uint32_t sum = (uint32_t)a + (uint32_t)b;
    mpfr_t x;
    mpfr_init2(x, PRECISION);
    mpfr_set_si(x, sum >> 31 ? (long)sum - (1L << 32) : (long)sum, MPFR_RNDN);
    uint32_t code = (uint32_t)encode(PTO_F32, x);
    float f;
    memcpy(&f, &code, sizeof f);
    f = step(step(step(f, 0x1p-17f), scale), 0x1p17f);
    uint64_t half = 0;
    if (f != f) {
        half = options->relu_keeps_nan ? 0x7E00 : 0;
    } else if (f > 0) {
        mpfr_set_flt(x, f, MPFR_RNDN);
        half = encode(PTO_F16, x);
        half = half == 0x7C00 ? 0x7BFF : half;
    }
    mpfr_clear(x);
    return (uint16_t)(options->flush_subnormals ? flush(PTO_F16, half) : half);
}

uint64_t reference_product_f32(uint64_t a, uint64_t b) {
    mpfr_t x, y;
    mpfr_inits2(PRECISION, x, y, (mpfr_ptr)0);
    decode(x, PTO_F16, a);
    decode(y, PTO_F16, b);
    mpfr_mul(x, x, y, MPFR_RNDN);
    const uint64_t code = encode(PTO_F32, x);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return code;
}

uint64_t reference_relu_conv(pto_dtype from, bool subtracts, uint64_t a, uint64_t b,
                             const pto_numeric_options *options) {
    if (from == PTO_S16) {
        const int32_t x = (int32_t)(a ^ 0x8000) - 0x8000, y = (int32_t)(b ^ 0x8000) - 0x8000;
        const int32_t sum = subtracts ? x - y : x + y;
        return (uint64_t)(sum < 0 ? 0 : sum > 127 ? 127 : sum);
    }
    if (options->flush_subnormals) {
        a = flush(from, a);
        b = flush(from, b);
    }
    mpfr_t x, y;
    mpfr_inits2(PRECISION, x, y, (mpfr_ptr)0);
    decode(x, from, a);
    decode(y, from, b);
    (subtracts ? mpfr_sub : mpfr_add)(x, x, y, MPFR_RNDN);
    decode(x, from, encode(from, x));
    uint64_t code = 0;
    if (mpfr_nan_p(x)) {
        code = from == PTO_F32 && options->relu_keeps_nan ? 0x7E00 : 0;
    } else if (mpfr_sgn(x) > 0 && from == PTO_F32) {
        code = encode(PTO_F16, x);
        code = code == 0x7C00 ? 0x7BFF : code;
        code = options->flush_subnormals ? flush(PTO_F16, code) : code;
    } else if (mpfr_sgn(x) > 0) {
        mpfr_roundeven(x, x);
        code = mpfr_cmp_ui(x, 127) > 0 ? 127 : mpfr_get_ui(x, MPFR_RNDN);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
    return code;
}
