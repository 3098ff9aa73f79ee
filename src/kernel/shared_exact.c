/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise arithmetic on single codes, see exact.h. */
#include "kernel/exact.h"

#include <math.h>
#include <string.h>

#include "number/format.h"
#include "number/half.h"
#include "tile/tile.h"
#include <pto/number.h>

uint64_t pto_exact_load(const void *data, pto_dtype type, int64_t index) {
    const unsigned bits = pto_dtype_bits(type);
    const uint8_t *bytes = data;
    if (bits == 4)
        return ((unsigned)bytes[index / 2] >> (index & 1 ? 4 : 0)) & 15u;
    uint64_t code = 0;
    memcpy(&code, bytes + index * (bits / 8), bits / 8);
    return code;
}

void pto_exact_store(void *data, pto_dtype type, int64_t index, uint64_t code) {
    const unsigned bits = pto_dtype_bits(type);
    uint8_t *bytes = data;
    if (bits == 4) {
        uint8_t *pair = bytes + index / 2;
        const unsigned nibble = (unsigned)code & 15u;
        *pair = (uint8_t)(index & 1 ? (*pair & 0x0Fu) | nibble << 4 : (*pair & 0xF0u) | nibble);
        return;
    }
    memcpy(bytes + index * (bits / 8), &code, bits / 8);
}

/* ---- integers ---- */

static int64_t integer_of(pto_dtype type, uint64_t code) {
    const unsigned unused = 64 - pto_dtype_bits(type);
    return pto_dtype_is_signed(type) ? (int64_t)(code << unused) >> unused : (int64_t)code;
}

/* s4 is the only integer type without a loop of its own. */
static int64_t floor_rem(int64_t a, int64_t b) {
    const int64_t rem = b ? a % b : 0;
    return rem != 0 && (rem < 0) != (b < 0) ? rem + b : rem;
}

/* Modulo 2^64; a negative exponent leaves only +1 and -1. */
static int64_t power(int64_t base, int64_t exponent) {
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    uint64_t result = 1, square = (uint64_t)base;
    for (; exponent; exponent >>= 1, square *= square)
        result *= exponent & 1 ? square : 1;
    return (int64_t)result;
}

static int64_t wrap(uint64_t value) { return (int64_t)value; }

/* Integers of every width modulo 2^64; the element takes the low bits. */
static int64_t apply_integer(pto_exact_op op, int64_t a, int64_t b, int64_t c) {
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b, uc = (uint64_t)c;
    switch (op) {
    case PTO_EXACT_ADD:
        return wrap(ua + ub);
    case PTO_EXACT_SUB:
        return wrap(ua - ub);
    case PTO_EXACT_MUL:
        return wrap(ua * ub);
    case PTO_EXACT_DIV:
        return b == -1 ? wrap(-ua) : b ? a / b : 0;
    case PTO_EXACT_MAX:
    case PTO_EXACT_NUMBER_MAX:
        return a > b ? a : b;
    case PTO_EXACT_MIN:
    case PTO_EXACT_NUMBER_MIN:
        return a < b ? a : b;
    case PTO_EXACT_ABS:
        return a < 0 ? wrap(-ua) : a;
    case PTO_EXACT_NEG:
        return wrap(-ua);
    case PTO_EXACT_RELU:
    case PTO_EXACT_RELU_NAN:
        return a > 0 ? a : 0;
    case PTO_EXACT_MULADD:
    case PTO_EXACT_MULADD_UNFUSED:
        return wrap(ua * ub + uc);
    case PTO_EXACT_FUSED_MULADD:
    case PTO_EXACT_FUSED_MULADD_UNFUSED:
    case PTO_EXACT_FUSED_MULADD_RELU:
    case PTO_EXACT_FUSED_MULADD_RELU_UNFUSED:
    case PTO_EXACT_FUSED_MULADD_RELU_NAN:
    case PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED:
        return wrap(ua * uc + ub);
    case PTO_EXACT_SUB_RELU:
    case PTO_EXACT_SUB_RELU_NAN:
        return wrap(ua - ub);
    case PTO_EXACT_LEAKY_RELU:
        return a > 0 ? a : wrap(ua * ub);
    case PTO_EXACT_ADD_ADD:
        return wrap(ua + ub + uc);
    case PTO_EXACT_SUB_ADD:
        return wrap(ua - ub + uc);
    case PTO_EXACT_FLOOR_REM:
        return floor_rem(a, b);
    case PTO_EXACT_TRUNC_REM:
        return b == -1 || !b ? 0 : a % b;
    case PTO_EXACT_POW:
        return power(a, b);
    case PTO_EXACT_AND:
        return a & b;
    case PTO_EXACT_OR:
        return a | b;
    case PTO_EXACT_XOR:
        return a ^ b;
    case PTO_EXACT_NOT:
        return ~a;
    case PTO_EXACT_SHL:
        return (int64_t)((uint64_t)a << (b & 3));
    case PTO_EXACT_SHR:
        return a >> (b & 3);
    case PTO_EXACT_SQRT:
    case PTO_EXACT_RSQRT:
    case PTO_EXACT_EXP:
    case PTO_EXACT_LOG:
    case PTO_EXACT_COPY:
        break;
    }
    return a;
}

/* u64 does not fit into the above where its order matters. */
static uint64_t apply_u64(pto_exact_op op, uint64_t a, uint64_t b, uint64_t c) {
    switch (op) {
    case PTO_EXACT_DIV:
        return b ? a / b : 0;
    case PTO_EXACT_MAX:
    case PTO_EXACT_NUMBER_MAX:
        return a > b ? a : b;
    case PTO_EXACT_MIN:
    case PTO_EXACT_NUMBER_MIN:
        return a < b ? a : b;
    case PTO_EXACT_FLOOR_REM:
    case PTO_EXACT_TRUNC_REM:
        return b ? a % b : 0;
    case PTO_EXACT_ABS:
    case PTO_EXACT_RELU:
    case PTO_EXACT_RELU_NAN:
    case PTO_EXACT_LEAKY_RELU:
        return a;
    default:
        return (uint64_t)apply_integer(op, (int64_t)a, (int64_t)b, (int64_t)c);
    }
}

/* Does the operation end with a relu, after the result is an element? */
static bool has_relu(pto_exact_op op) {
    return op == PTO_EXACT_FUSED_MULADD_RELU || op == PTO_EXACT_FUSED_MULADD_RELU_UNFUSED ||
           op == PTO_EXACT_FUSED_MULADD_RELU_NAN || op == PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED ||
           op == PTO_EXACT_SUB_RELU || op == PTO_EXACT_SUB_RELU_NAN;
}
static bool relu_keeps_nan(pto_exact_op op) {
    return op == PTO_EXACT_FUSED_MULADD_RELU_NAN || op == PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED ||
           op == PTO_EXACT_SUB_RELU_NAN;
}

/* ---- floats ---- */

static double round_to(pto_dtype type, double value) {
    return pto_number_to_double(type, pto_number_from_double(type, value, PTO_CAST_NONE, false));
}

static double larger(double a, double b) {
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

static double number_wins(double a, double b, bool minimum) {
    return isnan(a) ? b : isnan(b) ? a : minimum ? -larger(-a, -b) : larger(a, b);
}

/* Sums for formats of fewer bits than double: to odd, so that one more rounding is the only one. */
static double sum_of(pto_dtype type, double a, double b) {
    return type == PTO_F64 ? a + b : pto_f64_odd_sum(a, b);
}
static double fused(pto_dtype type, double a, double b, double c) {
    return type == PTO_F64 ? fma(a, b, c) : pto_f64_odd_sum(a * b, c);
}

/* The result in double such that one more rounding gives the rounding of the exact result: but for f64 itself
 * the codes have at most 24 significant bits, so products are exact, quotients and roots far from the ties;
 * only sums need care. f64 is the rounded result. */
static double apply_float(pto_exact_op op, pto_dtype type, double a, double b, double c) {
    switch (op) {
    case PTO_EXACT_ADD:
        return sum_of(type, a, b);
    case PTO_EXACT_SUB:
        return sum_of(type, a, -b);
    case PTO_EXACT_MUL:
        return a * b;
    case PTO_EXACT_DIV:
        return a / b;
    case PTO_EXACT_MAX:
        return larger(a, b);
    case PTO_EXACT_MIN:
        return -larger(-a, -b);
    case PTO_EXACT_ABS:
        return fabs(a);
    case PTO_EXACT_NEG:
        return -a;
    case PTO_EXACT_RELU:
        return a > 0.0 ? a : 0.0;
    case PTO_EXACT_RELU_NAN:
        return isnan(a) || a > 0.0 ? a : 0.0;
    case PTO_EXACT_MULADD:
        return fused(type, a, b, c);
    case PTO_EXACT_MULADD_UNFUSED:
        return sum_of(type, round_to(type, a * b), c);
    case PTO_EXACT_FUSED_MULADD:
    case PTO_EXACT_FUSED_MULADD_RELU:
    case PTO_EXACT_FUSED_MULADD_RELU_NAN:
        return fused(type, a, c, b);
    case PTO_EXACT_FUSED_MULADD_UNFUSED:
    case PTO_EXACT_FUSED_MULADD_RELU_UNFUSED:
    case PTO_EXACT_FUSED_MULADD_RELU_NAN_UNFUSED:
        return sum_of(type, round_to(type, a * c), b);
    case PTO_EXACT_SUB_RELU:
    case PTO_EXACT_SUB_RELU_NAN:
        return sum_of(type, a, -b);
    case PTO_EXACT_LEAKY_RELU:
        return a > 0.0 ? a : a * b;
    case PTO_EXACT_ADD_ADD:
        return sum_of(type, round_to(type, sum_of(type, a, b)), c);
    case PTO_EXACT_SUB_ADD:
        return sum_of(type, round_to(type, sum_of(type, a, -b)), c);
    case PTO_EXACT_TRUNC_REM:
        return fmod(a, b);
    case PTO_EXACT_FLOOR_REM: {
        const double rem = fmod(a, b);
        return rem != 0.0 && signbit(rem) != signbit(b) ? sum_of(type, rem, b) : rem;
    }
    case PTO_EXACT_POW:
        return pow(a, b);
    case PTO_EXACT_NUMBER_MAX:
        return number_wins(a, b, false);
    case PTO_EXACT_NUMBER_MIN:
        return number_wins(a, b, true);
    case PTO_EXACT_SQRT:
        return sqrt(a);
    case PTO_EXACT_RSQRT: /* functions of their own */
    case PTO_EXACT_EXP:
    case PTO_EXACT_LOG:
    case PTO_EXACT_AND:
    case PTO_EXACT_OR:
    case PTO_EXACT_XOR:
    case PTO_EXACT_NOT:
    case PTO_EXACT_SHL:
    case PTO_EXACT_SHR:
    case PTO_EXACT_COPY:
        break;
    }
    return a;
}

uint64_t pto_exact_round(pto_dtype type, double value) {
    const uint64_t code = pto_number_from_double(type, value, PTO_CAST_NONE, false);
    return type == PTO_E4M3 && code == 0xFF ? 0x7F : code;
}

uint64_t pto_exact_apply(pto_exact_op op, pto_dtype type, uint64_t a, uint64_t b, uint64_t c) {
    if (op == PTO_EXACT_COPY)
        return a;
    const unsigned bits = pto_dtype_bits(type);
    if (type == PTO_U64)
        return apply_u64(op, a, b, c);
    if (pto_dtype_is_int(type)) {
        const int64_t result =
            apply_integer(op, integer_of(type, a), integer_of(type, b), integer_of(type, c));
        const uint64_t code = (uint64_t)result & (UINT64_MAX >> (64 - bits));
        return has_relu(op) && integer_of(type, code) < 0 ? 0 : code;
    }
    if ((op == PTO_EXACT_ABS || op == PTO_EXACT_NEG) &&
        pto_format_describe(pto_format_of_dtype(type))->kind == PTO_FORMAT_BINARY) {
        const uint64_t sign = UINT64_C(1) << (bits - 1); /* the other bits stay, NaN included */
        return op == PTO_EXACT_ABS ? a & ~sign : a ^ sign;
    }
    if (op == PTO_EXACT_RSQRT || op == PTO_EXACT_EXP || op == PTO_EXACT_LOG)
        return pto_exact_function(op, pto_format_of_dtype(type), pto_number_to_double(type, a));
    double result = apply_float(op, type, pto_number_to_double(type, a), pto_number_to_double(type, b),
                                pto_number_to_double(type, c));
    if (has_relu(op) && !(result > 0.0) && !(isnan(result) && relu_keeps_nan(op)))
        result = 0.0;
    return pto_exact_round(type, result);
}

static uint64_t input_at(pto_map_input input, pto_dtype type, int32_t row, int32_t col) {
    if (!input.data)
        return 0;
    return pto_exact_load(input.data, type, input.type ? pto_tile_offset(input.type, row, col) : 0);
}

void pto_exact_map(pto_exact_op op, pto_tile *dst, const pto_map_input input[3]) {
    const pto_dtype type = dst->type.dtype;
    for (int32_t row = 0; row < dst->valid_rows; row++) {
        for (int32_t col = 0; col < dst->valid_cols; col++) {
            const int64_t index = pto_tile_offset(&dst->type, row, col);
            const uint64_t c =
                input[2].data ? input_at(input[2], type, row, col) : pto_exact_load(dst->data, type, index);
            const uint64_t code = pto_exact_apply(op, type, input_at(input[0], type, row, col),
                                                  input_at(input[1], type, row, col), c);
            pto_exact_store(dst->data, type, index, code);
        }
    }
}

/* ---- scalar operands ---- */

static uint64_t nan_code(pto_dtype type, double value) {
    const uint64_t bits = pto_f64_bits(value), sign = bits >> 63, fraction = bits << 12;
    switch (type) {
    case PTO_F32:
        return sign << 31 | 0x7FC00000u | fraction >> 41;
    case PTO_F16:
        return sign << 15 | 0x7E00u | fraction >> 54;
    case PTO_BF16:
        return sign << 15 | 0x7FC0u | fraction >> 57;
    default:
        return pto_number_from_double(type, value, PTO_CAST_NONE, false);
    }
}

uint64_t pto_scalar_code(pto_dtype type, pto_scalar scalar) {
    const bool to_int = pto_dtype_is_int(type);
    const bool is_float = scalar.dtype == PTO_DTYPE_NONE ? !to_int : pto_dtype_is_float(scalar.dtype);
    if (is_float && isnan(scalar.f) && !to_int)
        return nan_code(type, scalar.f);
    if (is_float)
        return pto_number_from_double(type, scalar.f, to_int ? PTO_CAST_TRUNC : PTO_CAST_NONE, to_int);
    if (to_int)
        return (uint64_t)scalar.i & (UINT64_MAX >> (64 - pto_dtype_bits(type)));
    const pto_number value =
        scalar.dtype == PTO_U64 ? pto_number_from_u64((uint64_t)scalar.i) : pto_number_from_s64(scalar.i);
    return pto_number_encode(pto_format_of_dtype(type), value,
                             type == PTO_HIF8 ? PTO_CAST_ROUND : PTO_CAST_RINT, false);
}
