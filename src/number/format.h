/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats: what their codes mean, and the one rounding kernel that every conversion goes through.
 *
 * Follows part 10, section 2 of the specification. A "code" is the bit pattern of one value, right-aligned in
 * a uint64_t; 4-bit codes use bits 3:0, 6-bit codes bits 5:0, fp19 bits 18:0; tf32 and hf32 use a whole fp32
 * pattern whose low 13 or 12 bits are zero. Bits above the code are ignored on input and zero on output.
 * Nothing here fails, allocates or keeps state. */
#ifndef PTO_NUMBER_FORMAT_H
#define PTO_NUMBER_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include <pto/types.h>

/* Block RMode 7 (1.7): nearest, an exact half goes to the numerically greater neighbour. It has no library
 * name, but the kernel accepts it wherever a pto_round_mode is taken. */
#define PTO_CAST_HALF_UP ((pto_round_mode)7)

typedef enum pto_format {
    PTO_FORMAT_S4,
    PTO_FORMAT_S8,
    PTO_FORMAT_S16,
    PTO_FORMAT_S32,
    PTO_FORMAT_S64,
    PTO_FORMAT_U4,
    PTO_FORMAT_U8,
    PTO_FORMAT_U16,
    PTO_FORMAT_U32,
    PTO_FORMAT_U64,
    PTO_FORMAT_F64,
    PTO_FORMAT_F32,
    PTO_FORMAT_TF32,
    PTO_FORMAT_HF32,
    PTO_FORMAT_FP19,
    PTO_FORMAT_F16,
    PTO_FORMAT_BF16,
    PTO_FORMAT_E5M2,
    PTO_FORMAT_E4M3,
    PTO_FORMAT_E3M2,
    PTO_FORMAT_E2M3,
    PTO_FORMAT_E2M1,
    PTO_FORMAT_E1M2,
    PTO_FORMAT_HIF4, /* one element; the same codes as E1M2 */
    PTO_FORMAT_HIF8,
    PTO_FORMAT_E8M0,
    PTO_FORMAT_E6M2,
    PTO_FORMAT_COUNT
} pto_format;

typedef enum pto_format_class {
    PTO_FORMAT_INTEGER, /* two's complement or unsigned */
    PTO_FORMAT_BINARY,  /* sign, exponent, fraction; gradual underflow (section 2.2) */
    PTO_FORMAT_TAPERED, /* hif8: prefix-coded exponent (2.5) */
    PTO_FORMAT_POWER,   /* e8m0: powers of two only (2.3) */
    PTO_FORMAT_SCALE    /* e6m2: unsigned, no zero, no subnormals (2.4) */
} pto_format_class;

/* Codes are magnitudes: without the sign bit. A field that has no meaning for a class is 0. */
typedef struct pto_format_info {
    const char *name;
    pto_format_class kind;
    uint8_t bits;          /* bits of a code, container padding of tf32/hf32 included */
    uint8_t exponent_bits; /* BINARY, SCALE */
    uint8_t fraction_bits; /* BINARY, SCALE */
    uint8_t zero_bits;     /* low bits that are always 0: tf32 13, hf32 12 */
    int16_t bias;          /* exponent bias; the smallest normal exponent of a BINARY format is 1 - bias */
    bool is_signed;
    bool has_inf;           /* overflow_code is an infinity */
    uint32_t max_code;      /* the largest finite value (not used for fp64 and integers) */
    uint32_t overflow_code; /* a finite value out of range, and Inf, without saturation (9.4) */
    uint32_t nan_code;      /* what a NaN becomes: the canonical NaN, or what 9.4 says where there is none */
} pto_format_info;

typedef enum pto_number_class {
    PTO_NUMBER_ZERO,
    PTO_NUMBER_FINITE,
    PTO_NUMBER_INF,
    PTO_NUMBER_NAN
} pto_number_class;

/* An exact value: (-1)^negative * significand * 2^exponent, significand > 0 when FINITE.
 * sticky says that the true magnitude lies strictly between significand and significand + 1 (same unit); then
 * significand must be at least 2^62, so that no rounding point of any format falls into that gap. */
typedef struct pto_number {
    pto_number_class kind;
    bool negative;
    bool sticky;
    int32_t exponent;
    uint64_t significand;
} pto_number;

/* The row of a format; never NULL for a member of the enum. */
const pto_format_info *pto_format_describe(pto_format format);
bool pto_format_is_integer(pto_format format);
/* The format of an element type; PTO_FORMAT_COUNT if the type has no number format. For a packed pair of
 * 4-bit values this is the format of one of them. */
pto_format pto_format_of_dtype(pto_dtype type);

/* Exact readings. The sign of zero is kept; a NaN loses its payload. */
pto_number pto_number_decode(pto_format format, uint64_t code);
pto_number pto_number_from_f64(double value);
pto_number pto_number_from_f32(float value);
pto_number pto_number_from_s64(int64_t value);
pto_number pto_number_from_u64(uint64_t value);

/* Rounds once to the format (2.8) and treats overflow and special values by 9.4; e8m0 by 9.6. mode NONE is
 * RINT. An integer format gets the rule of float sources (wrapping or clamping of integers: convert.h). Every
 * mode is honoured here, also for fp8 and hif8; that TCVT ignores it there is convert.h's business. */
uint64_t pto_number_encode(pto_format format, pto_number value, pto_round_mode mode, bool saturate);

/* value rounded to an integral value by mode, still exact; zero keeps the sign. */
pto_number pto_number_round_integral(pto_number value, pto_round_mode mode);

/* The value of a code as double: exact for every format except 64-bit integers of more than 53 bits (nearest
 * even). NaN comes back as the canonical quiet NaN. */
double pto_number_to_f64(pto_format format, uint64_t code);

/* Shorthands of encode(from_...): one rounding from the value given. */
uint64_t pto_number_encode_f64(pto_format format, double value, pto_round_mode mode, bool saturate);

#endif
