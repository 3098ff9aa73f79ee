/* SPDX-License-Identifier: Apache-2.0 */
/* The table of number formats and the exact decode and encode built on it (part 10, 2). */
#include "format.h"
#include "number/element_types.h"

#include <limits.h>
#include <string.h>

#define SIGNIFICAND_TOP 63 /* bit that holds the leading one of a normalised significand */

/* clang-format off */
static const pto_format_info format_table[PTO_FORMAT_COUNT] = {
    /*                     name    class               bits exp frac zero bias  sign   inf    max         overflow    nan */
    [PTO_FORMAT_S4]   = {"s4",   PTO_FORMAT_INTEGER,  4,  0,  0,  0,    0, true,  false, 0,          0,          0},
    [PTO_FORMAT_S8]   = {"s8",   PTO_FORMAT_INTEGER,  8,  0,  0,  0,    0, true,  false, 0,          0,          0},
    [PTO_FORMAT_S16]  = {"s16",  PTO_FORMAT_INTEGER, 16,  0,  0,  0,    0, true,  false, 0,          0,          0},
    [PTO_FORMAT_S32]  = {"s32",  PTO_FORMAT_INTEGER, 32,  0,  0,  0,    0, true,  false, 0,          0,          0},
    [PTO_FORMAT_S64]  = {"s64",  PTO_FORMAT_INTEGER, 64,  0,  0,  0,    0, true,  false, 0,          0,          0},
    [PTO_FORMAT_U4]   = {"u4",   PTO_FORMAT_INTEGER,  4,  0,  0,  0,    0, false, false, 0,          0,          0},
    [PTO_FORMAT_U8]   = {"u8",   PTO_FORMAT_INTEGER,  8,  0,  0,  0,    0, false, false, 0,          0,          0},
    [PTO_FORMAT_U16]  = {"u16",  PTO_FORMAT_INTEGER, 16,  0,  0,  0,    0, false, false, 0,          0,          0},
    [PTO_FORMAT_U32]  = {"u32",  PTO_FORMAT_INTEGER, 32,  0,  0,  0,    0, false, false, 0,          0,          0},
    [PTO_FORMAT_U64]  = {"u64",  PTO_FORMAT_INTEGER, 64,  0,  0,  0,    0, false, false, 0,          0,          0},
    [PTO_FORMAT_F64]  = {"f64",  PTO_FORMAT_BINARY,  64, 11, 52,  0, 1023, true,  true,  0,          0,          0},
    [PTO_FORMAT_F32]  = {"f32",  PTO_FORMAT_BINARY,  32,  8, 23,  0,  127, true,  true,  0x7F7FFFFF, 0x7F800000, 0x7FC00000},
    [PTO_FORMAT_TF32] = {"tf32", PTO_FORMAT_BINARY,  32,  8, 10, 13,  127, true,  true,  0x7F7FE000, 0x7F800000, 0x7FC00000},
    [PTO_FORMAT_HF32] = {"hf32", PTO_FORMAT_BINARY,  32,  8, 11, 12,  127, true,  true,  0x7F7FF000, 0x7F800000, 0x7FC00000},
    [PTO_FORMAT_FP19] = {"fp19", PTO_FORMAT_BINARY,  19,  8, 10,  0,  127, true,  true,  0x3FBFF,    0x3FC00,    0x3FE00},
    [PTO_FORMAT_F16]  = {"f16",  PTO_FORMAT_BINARY,  16,  5, 10,  0,   15, true,  true,  0x7BFF,     0x7C00,     0x7E00},
    [PTO_FORMAT_BF16] = {"bf16", PTO_FORMAT_BINARY,  16,  8,  7,  0,  127, true,  true,  0x7F7F,     0x7F80,     0x7FC0},
    [PTO_FORMAT_E5M2] = {"e5m2", PTO_FORMAT_BINARY,   8,  5,  2,  0,   15, true,  true,  0x7B,       0x7C,       0x7E},
    [PTO_FORMAT_E4M3] = {"e4m3", PTO_FORMAT_BINARY,   8,  4,  3,  0,    7, true,  false, 0x7E,       0x7F,       0x7F},
    [PTO_FORMAT_E3M2] = {"e3m2", PTO_FORMAT_BINARY,   6,  3,  2,  0,    3, true,  false, 0x1F,       0x1F,       0x1F},
    [PTO_FORMAT_E2M3] = {"e2m3", PTO_FORMAT_BINARY,   6,  2,  3,  0,    1, true,  false, 0x1F,       0x1F,       0x1F},
    [PTO_FORMAT_E2M1] = {"e2m1", PTO_FORMAT_BINARY,   4,  2,  1,  0,    1, true,  false, 0x7,        0x7,        0x7},
    [PTO_FORMAT_E1M2] = {"e1m2", PTO_FORMAT_BINARY,   4,  1,  2,  0,    1, true,  false, 0x7,        0x7,        0x7},
    [PTO_FORMAT_HIF4] = {"hif4", PTO_FORMAT_BINARY,   4,  1,  2,  0,    1, true,  false, 0x7,        0x7,        0x7},
    [PTO_FORMAT_HIF8] = {"hif8", PTO_FORMAT_TAPERED,  8,  0,  0,  0,    0, true,  true,  0x6E,       0x6F,       0x80},
    [PTO_FORMAT_E8M0] = {"e8m0", PTO_FORMAT_POWER,    8,  8,  0,  0,  127, false, false, 0xFE,       0xFF,       0xFF},
    [PTO_FORMAT_E6M2] = {"e6m2", PTO_FORMAT_SCALE,    8,  6,  2,  0,   48, false, false, 0xFE,       0xFE,       0xFF},
};
/* clang-format on */

/* fp64 is the one format whose special codes do not fit the table. */
#define F64_INF UINT64_C(0x7FF0000000000000)
#define F64_NAN UINT64_C(0x7FF8000000000000)

const pto_format_info *pto_format_describe(pto_format format) { return &format_table[format]; }

bool pto_format_is_integer(pto_format format) { return format_table[format].kind == PTO_FORMAT_INTEGER; }

pto_format pto_format_of_dtype(pto_dtype type) {
    switch ((int)type) {
    case PTO_S4:
        return PTO_FORMAT_S4;
    case PTO_S8:
        return PTO_FORMAT_S8;
    case PTO_S16:
        return PTO_FORMAT_S16;
    case PTO_S32:
        return PTO_FORMAT_S32;
    case PTO_S64:
        return PTO_FORMAT_S64;
    case PTO_U8:
        return PTO_FORMAT_U8;
    case PTO_U16:
        return PTO_FORMAT_U16;
    case PTO_U32:
        return PTO_FORMAT_U32;
    case PTO_U64:
        return PTO_FORMAT_U64;
    case PTO_F64:
        return PTO_FORMAT_F64;
    case PTO_F32:
        return PTO_FORMAT_F32;
    case PTO_F16:
        return PTO_FORMAT_F16;
    case PTO_BF16:
        return PTO_FORMAT_BF16;
    case PTO_E5M2:
        return PTO_FORMAT_E5M2;
    case PTO_E4M3:
        return PTO_FORMAT_E4M3;
    case PTO_E2M1:
        return PTO_FORMAT_E2M1;
    case PTO_E1M2:
        return PTO_FORMAT_E1M2;
    case PTO_HIF8:
        return PTO_FORMAT_HIF8;
    case PTO_E8M0:
        return PTO_FORMAT_E8M0;
    case (int)PTO_TF32:
        return PTO_FORMAT_TF32;
    case (int)PTO_HF32:
        return PTO_FORMAT_HF32;
    case (int)PTO_E3M2:
        return PTO_FORMAT_E3M2;
    case (int)PTO_E2M3:
        return PTO_FORMAT_E2M3;
    case (int)PTO_HIF4:
        return PTO_FORMAT_HIF4;
    case (int)PTO_U4:
        return PTO_FORMAT_U4;
    default:
        return PTO_FORMAT_COUNT;
    }
}

static uint64_t low_bits(unsigned n) { return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

static pto_number special_number(pto_number_class kind, bool negative) {
    return (pto_number){.kind = kind, .negative = negative};
}

static pto_number finite_number(bool negative, uint64_t significand, int32_t exponent) {
    if (significand == 0)
        return special_number(PTO_NUMBER_ZERO, negative);
    return (pto_number){PTO_NUMBER_FINITE, negative, false, exponent, significand};
}

/* ---- rounding ---- */

/* The magnitude of a finite value in units of 2^unit, rounded (2.8). The caller makes sure that the result
 * fits: with unit <= exponent the shift loses nothing. Bit positions far below the unit only matter as "not
 * zero". */
static uint64_t round_units(pto_number x, int32_t unit, pto_round_mode mode) {
    if (x.exponent >= unit)
        return x.significand << (x.exponent - unit);
    const int32_t shift = unit - x.exponent;
    const uint64_t k = shift > SIGNIFICAND_TOP ? 0 : x.significand >> shift;
    const uint64_t rest = shift > SIGNIFICAND_TOP ? x.significand : x.significand & low_bits((unsigned)shift);
    if (rest == 0 && !x.sticky)
        return k;
    /* rest against one half of the unit: -1 below, 0 equal, 1 above. */
    int side = -1;
    if (shift <= 64) {
        const uint64_t half = UINT64_C(1) << (shift - 1);
        side = rest > half || (rest == half && x.sticky) ? 1 : rest == half ? 0 : -1;
    }
    switch ((int)mode) {
    case PTO_CAST_ROUND:
        return k + (side >= 0);
    case PTO_CAST_FLOOR:
        return k + x.negative;
    case PTO_CAST_CEIL:
        return k + !x.negative;
    case PTO_CAST_TRUNC:
        return k;
    case PTO_CAST_ODD:
        return k | 1;
    case (int)PTO_CAST_HALF_UP:
        return k + (side > 0 || (side == 0 && !x.negative));
    default:
        return k + (side > 0 || (side == 0 && (k & 1)));
    }
}

pto_number pto_number_round_integral(pto_number value, pto_round_mode mode) {
    if (value.kind != PTO_NUMBER_FINITE || value.exponent >= 0)
        return value;
    return finite_number(value.negative, round_units(value, 0, mode), 0);
}

/* Moves the leading one of a finite value to the top bit and returns floor(log2 of the magnitude). */
static int32_t normalise(pto_number *x) {
    const int32_t shift = __builtin_clzll(x->significand);
    x->significand <<= shift;
    x->exponent -= shift;
    return x->exponent + SIGNIFICAND_TOP;
}

static int32_t max_of(int32_t a, int32_t b) { return a > b ? a : b; }

/* Does the mode keep a finite value of this sign finite when it is out of range? (9.4, OFF) */
static bool mode_forbids_inf(pto_round_mode mode, bool negative) {
    return mode == PTO_CAST_TRUNC || mode == PTO_CAST_ODD || (mode == PTO_CAST_FLOOR && !negative) ||
           (mode == PTO_CAST_CEIL && negative);
}

/* ---- binary formats with sign (2.2) ---- */

static uint64_t binary_inf(const pto_format_info *f) { return f->bits == 64 ? F64_INF : f->overflow_code; }
static uint64_t binary_max(const pto_format_info *f) { return f->bits == 64 ? F64_INF - 1 : f->max_code; }

static pto_number decode_binary(const pto_format_info *f, uint64_t code) {
    code = (code & low_bits(f->bits)) >> f->zero_bits;
    const unsigned fraction_bits = f->fraction_bits;
    const uint64_t fraction = code & low_bits(fraction_bits);
    const uint64_t field = (code >> fraction_bits) & low_bits(f->exponent_bits);
    const bool negative = (code >> (fraction_bits + f->exponent_bits)) & 1;
    const uint64_t magnitude = (field << fraction_bits | fraction) << f->zero_bits;
    if (f->has_inf && magnitude >= binary_inf(f)) {
        return magnitude == binary_inf(f) ? special_number(PTO_NUMBER_INF, negative)
                                          : special_number(PTO_NUMBER_NAN, false);
    }
    if (f->nan_code > f->max_code && magnitude == f->nan_code)
        return special_number(PTO_NUMBER_NAN, false);
    const int32_t lowest =
        1 - f->bias - (int32_t)fraction_bits; /* exponent of the last place of a subnormal */
    if (field == 0)
        return finite_number(negative, fraction, lowest);
    return finite_number(negative, fraction | UINT64_C(1) << fraction_bits, lowest + (int32_t)field - 1);
}

static uint64_t encode_binary(const pto_format_info *f, pto_number x, pto_round_mode mode, bool saturate) {
    if (x.kind == PTO_NUMBER_NAN)
        return f->bits == 64 ? F64_NAN : f->nan_code;
    const uint64_t sign = x.negative ? UINT64_C(1) << (f->bits - 1) : 0;
    if (x.kind == PTO_NUMBER_ZERO)
        return sign;
    if (x.kind == PTO_NUMBER_INF)
        return sign | (saturate ? binary_max(f) : binary_inf(f));
    const int32_t fraction_bits = f->fraction_bits, lowest = 1 - f->bias - fraction_bits;
    const int32_t unit = max_of(normalise(&x) - fraction_bits, lowest);
    const uint64_t overflow =
        sign |
        (saturate || (f->has_inf && mode_forbids_inf(mode, x.negative)) ? binary_max(f) : binary_inf(f));
    if (unit - lowest > (int32_t)low_bits(f->exponent_bits))
        return overflow;
    /* The hidden bit of k carries into the exponent field: a subnormal has none and so gets field 0, and
     * rounding up to the next power of two needs no case of its own. */
    const uint64_t k = round_units(x, unit, mode);
    const uint64_t code = (((uint64_t)(unit - lowest) << fraction_bits) + k) << f->zero_bits;
    return code > binary_max(f) ? overflow : sign | code;
}

/* ---- hif8 (2.5) ---- */

#define HIF8_LOWEST (-22) /* exponent of the smallest denormal */

static int32_t hif8_fraction_bits(int32_t exponent) {
    const int32_t size = exponent < 0 ? -exponent : exponent;
    if (exponent < -15)
        return 0;
    return size <= 3 ? 3 : size <= 7 ? 2 : 1;
}

static pto_number decode_hif8(uint64_t code) {
    const bool negative = code & 0x80;
    const uint32_t p = code & 0x7F;
    if (p == 0)
        return negative ? special_number(PTO_NUMBER_NAN, false) : special_number(PTO_NUMBER_ZERO, false);
    if (p == 0x6F)
        return special_number(PTO_NUMBER_INF, negative);
    if (p < 0x08)
        return finite_number(negative, 1, (int32_t)p - 23);
    int32_t exponent = 0, sign_bit = 0;
    if (p >= 0x60) {
        exponent = 8 + (int32_t)(p >> 1 & 7), sign_bit = p >> 4 & 1;
    } else if (p >= 0x40) {
        exponent = 4 + (int32_t)(p >> 2 & 3), sign_bit = p >> 4 & 1;
    } else if (p >= 0x20) {
        exponent = 2 + (int32_t)(p >> 3 & 1), sign_bit = p >> 4 & 1;
    } else if (p >= 0x10) {
        exponent = 1, sign_bit = p >> 3 & 1;
    }
    if (sign_bit)
        exponent = -exponent;
    const int32_t n = hif8_fraction_bits(exponent);
    return finite_number(negative, (UINT64_C(1) << n) | (p & low_bits((unsigned)n)), exponent - n);
}

static uint64_t encode_hif8(const pto_format_info *f, pto_number x, pto_round_mode mode, bool saturate) {
    if (x.kind == PTO_NUMBER_NAN)
        return f->nan_code;
    if (x.kind == PTO_NUMBER_ZERO)
        return 0;
    const uint64_t sign = x.negative ? 0x80 : 0;
    if (x.kind == PTO_NUMBER_INF)
        return sign | (saturate ? f->max_code : f->overflow_code);
    const uint64_t overflow =
        sign | (saturate || mode_forbids_inf(mode, x.negative) ? f->max_code : f->overflow_code);
    int32_t exponent = max_of(normalise(&x), HIF8_LOWEST);
    if (exponent > 15)
        return overflow;
    int32_t n = hif8_fraction_bits(exponent);
    uint64_t k = round_units(x, exponent - n, mode);
    if (k == 0)
        return 0;
    if (k == UINT64_C(2) << n) {
        n = hif8_fraction_bits(++exponent);
        k = UINT64_C(1) << n;
    }
    if (exponent > 15 || (exponent == 15 && k == 3))
        return overflow;
    if (exponent < -15)
        return sign | (uint64_t)(exponent + 23);
    const uint64_t size = (uint64_t)(exponent < 0 ? -exponent : exponent), negative = exponent < 0;
    const uint64_t fraction = k - (UINT64_C(1) << n);
    if (size == 0)
        return sign | 0x08 | fraction;
    if (size == 1)
        return sign | 0x10 | negative << 3 | fraction;
    if (size <= 3)
        return sign | 0x20 | negative << 4 | (size - 2) << 3 | fraction;
    if (size <= 7)
        return sign | 0x40 | negative << 4 | (size - 4) << 2 | fraction;
    return sign | 0x60 | negative << 4 | (size - 8) << 1 | fraction;
}

/* ---- scales: e8m0 (2.3, 9.6) and e6m2 (2.4) ---- */

#define SQRT2_TOP UINT64_C(0xB504F333F9DE6484) /* floor(sqrt(2) * 2^63) */

static uint64_t encode_e8m0(pto_number x, pto_round_mode mode, bool saturate) {
    if (x.kind == PTO_NUMBER_NAN || x.kind == PTO_NUMBER_ZERO || x.negative)
        return 0xFF;
    const uint64_t too_big = saturate ? 0xFE : 0xFF;
    if (x.kind == PTO_NUMBER_INF)
        return too_big;
    const int32_t h = normalise(&x);
    const bool exact = x.significand == UINT64_C(1) << SIGNIFICAND_TOP && !x.sticky;
    if (h < -127)
        return saturate ? 0x00 : 0xFF;
    if (h > 127 || (h == 127 && !exact))
        return too_big;
    bool up = false;
    if (!exact) {
        switch ((int)mode) {
        case PTO_CAST_FLOOR:
            break;
        case PTO_CAST_CEIL:
            up = true;
            break;
        case PTO_CAST_TRUNC:
            up = h < 0;
            break;
        case PTO_CAST_ODD:
            up = !(h & 1);
            break;
        default:
            up = x.significand > SQRT2_TOP;
            break; /* nearest in the exponent; ties cannot occur */
        }
    }
    return (uint64_t)(h + up + 127);
}

static pto_number decode_e6m2(uint64_t code) {
    code &= 0xFF;
    if (code == 0xFF)
        return special_number(PTO_NUMBER_NAN, false);
    return finite_number(false, 4 + (code & 3), (int32_t)(code >> 2) - 48 - 2);
}

/* There is no zero: everything below the smallest code, zero and negatives included, becomes that code. */
static uint64_t encode_e6m2(const pto_format_info *f, pto_number x, pto_round_mode mode) {
    if (x.kind == PTO_NUMBER_NAN)
        return f->nan_code;
    if (x.kind == PTO_NUMBER_ZERO || x.negative)
        return 0;
    if (x.kind == PTO_NUMBER_INF)
        return f->max_code;
    const int32_t exponent = normalise(&x);
    if (exponent < -f->bias)
        return 0;
    if (exponent > 15)
        return f->max_code;
    const uint64_t k = round_units(x, exponent - 2, mode);
    const uint64_t code = ((uint64_t)(exponent + f->bias) << 2) + (k - 4);
    return code > f->max_code ? f->max_code : code;
}

/* ---- integers (2.6, 9.4) ---- */

static pto_number decode_integer(const pto_format_info *f, uint64_t code) {
    code &= low_bits(f->bits);
    if (f->is_signed && code >> (f->bits - 1)) {
        code |= ~low_bits(f->bits);
        return finite_number(true, 0 - code, 0);
    }
    return finite_number(false, code, 0);
}

/* Two's complement of the value clamped to an integer format of that many bits. */
static uint64_t clamp_integer(bool negative, uint64_t magnitude, unsigned bits, bool is_signed) {
    if (!is_signed)
        return negative ? 0 : magnitude > low_bits(bits) ? low_bits(bits) : magnitude;
    const uint64_t limit = low_bits(bits - 1) + negative;
    if (magnitude > limit)
        magnitude = limit;
    return negative ? 0 - magnitude : magnitude;
}

static uint64_t encode_integer(const pto_format_info *f, pto_number x, pto_round_mode mode, bool saturate) {
    if (x.kind == PTO_NUMBER_NAN || x.kind == PTO_NUMBER_ZERO)
        return 0;
    uint64_t magnitude = UINT64_MAX; /* stands for Inf and for anything of more than 64 bits */
    if (x.kind == PTO_NUMBER_FINITE) {
        if (x.exponent < 0) {
            magnitude = round_units(x, 0, mode);
        } else if (x.exponent <= SIGNIFICAND_TOP && x.significand <= UINT64_MAX >> x.exponent) {
            magnitude = x.significand << x.exponent;
        }
    }
    /* OFF: clamp to a wider signed integer, then keep the low bits; 64-bit destinations saturate in both
     * modes. */
    uint64_t code;
    if (saturate || f->bits == 64) {
        code = clamp_integer(x.negative, magnitude, f->bits, f->is_signed);
    } else {
        code = clamp_integer(x.negative, magnitude, f->bits == 32 ? 64 : 32, true);
    }
    return code & low_bits(f->bits);
}

/* ---- all formats ---- */

pto_number pto_number_decode(pto_format format, uint64_t code) {
    const pto_format_info *f = &format_table[format];
    switch (f->kind) {
    case PTO_FORMAT_INTEGER:
        return decode_integer(f, code);
    case PTO_FORMAT_TAPERED:
        return decode_hif8(code);
    case PTO_FORMAT_SCALE:
        return decode_e6m2(code);
    case PTO_FORMAT_POWER:
        code &= 0xFF;
        return code == 0xFF ? special_number(PTO_NUMBER_NAN, false)
                            : finite_number(false, 1, (int32_t)code - f->bias);
    case PTO_FORMAT_BINARY:
    default:
        return decode_binary(f, code);
    }
}

uint64_t pto_number_encode(pto_format format, pto_number value, pto_round_mode mode, bool saturate) {
    const pto_format_info *f = &format_table[format];
    switch (f->kind) {
    case PTO_FORMAT_INTEGER:
        return encode_integer(f, value, mode, saturate);
    case PTO_FORMAT_TAPERED:
        return encode_hif8(f, value, mode, saturate);
    case PTO_FORMAT_POWER:
        return encode_e8m0(value, mode, saturate);
    case PTO_FORMAT_SCALE:
        return encode_e6m2(f, value, mode);
    case PTO_FORMAT_BINARY:
    default:
        return encode_binary(f, value, mode, saturate);
    }
}

pto_number pto_number_from_f64(double value) {
    uint64_t code;
    memcpy(&code, &value, sizeof code);
    return pto_number_decode(PTO_FORMAT_F64, code);
}

pto_number pto_number_from_f32(float value) {
    uint32_t code;
    memcpy(&code, &value, sizeof code);
    return pto_number_decode(PTO_FORMAT_F32, code);
}

pto_number pto_number_from_s64(int64_t value) { return pto_number_decode(PTO_FORMAT_S64, (uint64_t)value); }

pto_number pto_number_from_u64(uint64_t value) { return finite_number(false, value, 0); }

double pto_number_to_f64(pto_format format, uint64_t code) {
    const uint64_t bits =
        pto_number_encode(PTO_FORMAT_F64, pto_number_decode(format, code), PTO_CAST_RINT, false);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t pto_number_encode_f64(pto_format format, double value, pto_round_mode mode, bool saturate) {
    return pto_number_encode(format, pto_number_from_f64(value), mode, saturate);
}
