/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar operations (60, 3.3): two's-complement wrap, truncating division, one rounding to the result's type.
 * Division by zero and shifts out of range are faults. */
#include "run/machine.h"

#include "program/facts.h"
#include <pto/number.h>

#include <math.h>
#include <string.h>

static inline uint64_t mask_of(unsigned width) {
    return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

/* Signed and unsigned readings of a register of any integer type. */
static inline int64_t as_signed(int64_t value, unsigned width) {
    return width >= 64 ? value : pto_fact_wrap(value, width, false);
}
static inline uint64_t as_unsigned(int64_t value, unsigned width) { return (uint64_t)value & mask_of(width); }

static inline pto_status give(pto_machine *m, const pto_code_op *op, uint64_t bits) {
    m->reg[op->dst].i = op->to >= 64 ? (int64_t)bits : pto_fact_wrap((int64_t)bits, op->to, op->flag);
    return PTO_OK;
}

static pto_status zero_divisor(pto_machine *m) {
    return pto_machine_fail(m, "PTO-E0903", "a divisor other than 0", "%s", "0");
}

static pto_status divide_signed(pto_machine *m, const pto_code_op *op) {
    int64_t a = as_signed(m->reg[op->a].i, op->width), b = as_signed(m->reg[op->b].i, op->width);
    if (b == 0)
        return zero_divisor(m);
    bool negate = b == -1; /* the quotient of the most negative value wraps */
    int64_t quotient = negate ? (int64_t)(0 - (uint64_t)a) : a / b, rest = negate ? 0 : a % b;
    switch (op->kind) {
    case PTO_OPK_ARITH_DIVSI:
        return give(m, op, (uint64_t)quotient);
    case PTO_OPK_ARITH_REMSI:
        return give(m, op, (uint64_t)rest);
    case PTO_OPK_ARITH_CEILDIVSI:
        return give(m, op, (uint64_t)quotient + (uint64_t)(rest != 0 && (rest < 0) == (b < 0)));
    default: /* FLOORDIVSI */
        return give(m, op, (uint64_t)quotient - (uint64_t)(rest != 0 && (rest < 0) != (b < 0)));
    }
}

static pto_status divide_unsigned(pto_machine *m, const pto_code_op *op) {
    uint64_t a = as_unsigned(m->reg[op->a].i, op->width), b = as_unsigned(m->reg[op->b].i, op->width);
    if (b == 0)
        return zero_divisor(m);
    if (op->kind == PTO_OPK_ARITH_REMUI)
        return give(m, op, a % b);
    return give(m, op, a / b + (op->kind == PTO_OPK_ARITH_CEILDIVUI && a % b != 0));
}

static pto_status shift(pto_machine *m, const pto_code_op *op) {
    uint64_t amount = as_unsigned(m->reg[op->b].i, op->width);
    int64_t value = m->reg[op->a].i;
    if (amount >= op->width)
        return pto_machine_fail(m, "PTO-E0904", "an amount below the width", "%lld of %u bits",
                                (long long)as_signed(m->reg[op->b].i, op->width), op->width);
    if (op->kind == PTO_OPK_ARITH_SHLI)
        return give(m, op, (uint64_t)value << amount);
    if (op->kind == PTO_OPK_ARITH_SHRUI)
        return give(m, op, as_unsigned(value, op->width) >> amount);
    int64_t number = as_signed(value, op->width); /* arithmetic shift without relying on >> of negatives */
    return give(m, op, number < 0 ? ~(~(uint64_t)number >> amount) : (uint64_t)number >> amount);
}

/* Bits `width` to 2 `width` - 1 of the product of two numbers of that width. */
static pto_status upper_word(pto_machine *m, const pto_code_op *op) {
    bool is_signed = op->kind == PTO_OPK_ARITH_MULSI_EXTENDED;
    int64_t x = m->reg[op->a].i, y = m->reg[op->b].i;
    uint64_t a = is_signed ? (uint64_t)as_signed(x, op->width) : as_unsigned(x, op->width);
    uint64_t b = is_signed ? (uint64_t)as_signed(y, op->width) : as_unsigned(y, op->width);
    uint64_t low = a * b, middle = (a & UINT32_MAX) * (b & UINT32_MAX) >> 32;
    middle += (a >> 32) * (b & UINT32_MAX); /* at most 2^64 - 2^32 */
    uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32);
    high += ((middle & UINT32_MAX) + (a & UINT32_MAX) * (b >> 32)) >> 32;
    if (is_signed) /* a factor below 0 was read as 2^64 more */
        high -= (a >> 63 ? b : 0) + (b >> 63 ? a : 0);
    return give(m, op, op->width >= 64 ? high : high << (64 - op->width) | low >> op->width);
}

static bool compare_int(const pto_machine *m, const pto_code_op *op) {
    int64_t a = as_signed(m->reg[op->a].i, op->width), b = as_signed(m->reg[op->b].i, op->width);
    uint64_t x = as_unsigned(a, op->width), y = as_unsigned(b, op->width);
    switch (op->flag) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return a < b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    case 5:
        return a >= b;
    case 6:
        return x < y;
    case 7:
        return x <= y;
    case 8:
        return x > y;
    default:
        return x >= y;
    }
}

/* false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true */
static bool compare_float(double a, double b, unsigned predicate) {
    bool unordered = isnan(a) || isnan(b);
    if (predicate == 0 || predicate == 15)
        return predicate == 15;
    if (predicate == 7 || predicate == 14)
        return unordered == (predicate == 14);
    if (unordered)
        return predicate >= 8;
    switch (predicate) {
    case 1:
    case 8:
        return a == b;
    case 2:
    case 9:
        return a > b;
    case 3:
    case 10:
        return a >= b;
    case 4:
    case 11:
        return a < b;
    case 5:
    case 12:
        return a <= b;
    default:
        return a != b;
    }
}

/* The larger of two numbers, +0 above -0. */
static double larger(double a, double b) { return a > b || (a == b && !signbit(a)) ? a : b; }

static double extreme(const pto_code_op *op, double a, double b) {
    bool propagates = op->kind == PTO_OPK_ARITH_MINIMUMF || op->kind == PTO_OPK_ARITH_MAXIMUMF;
    bool maximum = op->kind == PTO_OPK_ARITH_MAXIMUMF || op->kind == PTO_OPK_ARITH_MAXNUMF;
    if (isnan(a) || isnan(b)) {
        if (propagates || (isnan(a) && isnan(b)))
            return (double)NAN;
        return isnan(a) ? b : a;
    }
    return maximum ? larger(a, b) : -larger(-a, -b);
}

static pto_status float_op(pto_machine *m, const pto_code_op *op) {
    double a = m->reg[op->a].f, b = m->reg[op->b].f, r;
    switch (op->kind) {
    case PTO_OPK_ARITH_ADDF:
        r = a + b;
        break;
    case PTO_OPK_ARITH_SUBF:
        r = a - b;
        break;
    case PTO_OPK_ARITH_MULF:
        r = a * b;
        break;
    case PTO_OPK_ARITH_DIVF:
        r = a / b;
        break;
    case PTO_OPK_ARITH_REMF:
        r = fmod(a, b);
        break;
    default:
        m->reg[op->dst].f = extreme(op, a, b);
        return PTO_OK;
    }
    m->reg[op->dst].f = pto_fact_round(r, (pto_dtype)op->dtype);
    return PTO_OK;
}

/* Out of range: the nearest value of the type; NaN: 0. */
static pto_status float_to_int(pto_machine *m, const pto_code_op *op) {
    double value = trunc(m->reg[op->a].f);
    bool is_unsigned = op->kind == PTO_OPK_ARITH_FPTOUI;
    double top = ldexp(1.0, is_unsigned ? op->to : op->to - 1); /* first value above the range */
    uint64_t bits;
    if (isnan(value))
        bits = 0;
    else if (value >= top)
        bits = mask_of(is_unsigned ? op->to : op->to - 1u);
    else if (is_unsigned)
        bits = value < 0 ? 0 : (uint64_t)value;
    else
        bits = value < -top ? UINT64_C(1) << (op->to - 1) : (uint64_t)(int64_t)value;
    return give(m, op, bits);
}

static pto_status int_to_float(pto_machine *m, const pto_code_op *op) {
    bool is_unsigned = op->kind == PTO_OPK_ARITH_UITOFP;
    int64_t value = m->reg[op->a].i;
    int64_t number = is_unsigned ? (int64_t)as_unsigned(value, op->width) : as_signed(value, op->width);
    double *to = &m->reg[op->dst].f;
    if (op->dtype == PTO_F64)
        *to = is_unsigned ? (double)(uint64_t)number : (double)number;
    else if (op->dtype == PTO_F32)
        *to = is_unsigned ? (double)(float)(uint64_t)number : (double)(float)number;
    else
        *to = pto_number_to_double((pto_dtype)op->dtype,
                                   pto_number_convert((pto_dtype)op->dtype, is_unsigned ? PTO_U64 : PTO_S64,
                                                      (uint64_t)number, PTO_CAST_RINT, PTO_SAT_OFF));
    return PTO_OK;
}

static uint64_t bits_of(double value, pto_dtype dtype) {
    uint64_t bits = 0;
    float single = (float)value;
    if (dtype == PTO_F64)
        memcpy(&bits, &value, sizeof value);
    else if (dtype == PTO_F32) {
        uint32_t word;
        memcpy(&word, &single, sizeof word);
        bits = word;
    } else
        bits = pto_number_from_double(dtype, value, PTO_CAST_NONE, false);
    return bits;
}

static double from_bits(uint64_t bits, pto_dtype dtype) {
    double value;
    float single;
    uint32_t word = (uint32_t)bits;
    if (dtype == PTO_F64) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (dtype == PTO_F32) {
        memcpy(&single, &word, sizeof single);
        return (double)single;
    }
    return pto_number_to_double(dtype, bits);
}

static pto_status bitcast(pto_machine *m, const pto_code_op *op) {
    pto_dtype from = (pto_dtype)op->c;
    uint64_t bits =
        from == PTO_DTYPE_NONE ? as_unsigned(m->reg[op->a].i, op->width) : bits_of(m->reg[op->a].f, from);
    if (op->to)
        return give(m, op, bits);
    m->reg[op->dst].f = from_bits(bits, (pto_dtype)op->dtype);
    return PTO_OK;
}

pto_status pto_machine_scalar(pto_machine *m, const pto_code_op *op) {
    pto_register *r = m->reg;
    uint64_t a, b;
    switch (op->kind) {
    case PTO_OPK_ARITH_ADDI:
        return give(m, op, (uint64_t)r[op->a].i + (uint64_t)r[op->b].i);
    case PTO_OPK_ARITH_SUBI:
        return give(m, op, (uint64_t)r[op->a].i - (uint64_t)r[op->b].i);
    case PTO_OPK_ARITH_MULI:
        return give(m, op, (uint64_t)r[op->a].i * (uint64_t)r[op->b].i);
    case PTO_OPK_ARITH_DIVSI:
    case PTO_OPK_ARITH_REMSI:
    case PTO_OPK_ARITH_CEILDIVSI:
    case PTO_OPK_ARITH_FLOORDIVSI:
        return divide_signed(m, op);
    case PTO_OPK_ARITH_DIVUI:
    case PTO_OPK_ARITH_REMUI:
    case PTO_OPK_ARITH_CEILDIVUI:
        return divide_unsigned(m, op);
    case PTO_OPK_ARITH_ADDUI_EXTENDED: /* the carry */
        a = as_unsigned(r[op->a].i, op->width);
        b = as_unsigned(r[op->b].i, op->width);
        r[op->dst].i = a > mask_of(op->width) - b;
        return PTO_OK;
    case PTO_OPK_ARITH_MULSI_EXTENDED:
    case PTO_OPK_ARITH_MULUI_EXTENDED:
        return upper_word(m, op);
    case PTO_OPK_ARITH_ANDI:
        return give(m, op, (uint64_t)(r[op->a].i & r[op->b].i));
    case PTO_OPK_ARITH_ORI:
        return give(m, op, (uint64_t)(r[op->a].i | r[op->b].i));
    case PTO_OPK_ARITH_XORI:
        return give(m, op, (uint64_t)(r[op->a].i ^ r[op->b].i));
    case PTO_OPK_ARITH_SHLI:
    case PTO_OPK_ARITH_SHRSI:
    case PTO_OPK_ARITH_SHRUI:
        return shift(m, op);
    case PTO_OPK_ARITH_CMPI:
        r[op->dst].i = compare_int(m, op);
        return PTO_OK;
    case PTO_OPK_ARITH_SELECT:
        r[op->dst] = r[op->a].i & 1 ? r[op->b] : r[op->c];
        return PTO_OK;
    case PTO_OPK_ARITH_MINSI:
    case PTO_OPK_ARITH_MAXSI: {
        int64_t x = as_signed(r[op->a].i, op->width), y = as_signed(r[op->b].i, op->width);
        return give(m, op, (uint64_t)((x < y) == (op->kind == PTO_OPK_ARITH_MINSI) ? x : y));
    }
    case PTO_OPK_ARITH_MINUI:
    case PTO_OPK_ARITH_MAXUI:
        a = as_unsigned(r[op->a].i, op->width);
        b = as_unsigned(r[op->b].i, op->width);
        return give(m, op, (a < b) == (op->kind == PTO_OPK_ARITH_MINUI) ? a : b);
    case PTO_OPK_ARITH_EXTSI:
    case PTO_OPK_ARITH_INDEX_CAST:
    case PTO_OPK_ARITH_TRUNCI:
        return give(m, op, (uint64_t)as_signed(r[op->a].i, op->width));
    case PTO_OPK_ARITH_EXTUI:
    case PTO_OPK_ARITH_INDEX_CASTUI:
        return give(m, op, as_unsigned(r[op->a].i, op->width));
    case PTO_OPK_ARITH_NEGF:
        r[op->dst].f = -r[op->a].f;
        return PTO_OK;
    case PTO_OPK_ARITH_CMPF:
        r[op->dst].i = compare_float(r[op->a].f, r[op->b].f, op->flag);
        return PTO_OK;
    case PTO_OPK_ARITH_EXTF:
        r[op->dst].f = r[op->a].f;
        return PTO_OK;
    case PTO_OPK_ARITH_TRUNCF:
        r[op->dst].f = pto_fact_round(r[op->a].f, (pto_dtype)op->dtype);
        return PTO_OK;
    case PTO_OPK_ARITH_SITOFP:
    case PTO_OPK_ARITH_UITOFP:
        return int_to_float(m, op);
    case PTO_OPK_ARITH_FPTOSI:
    case PTO_OPK_ARITH_FPTOUI:
        return float_to_int(m, op);
    case PTO_OPK_ARITH_BITCAST:
        return bitcast(m, op);
    default:
        return float_op(m, op);
    }
}
