/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log and 1 / sqrt of any float format, rounded once from about 100 significant bits (part 70, 9.2): the
 * path of the element types that have no loop. Pairs of doubles, hi + lo with |lo| <= ulp(hi) / 2, carry the
 * bits; every step is an IEEE operation, so the results are the same everywhere. */
#include "kernel/exact.h"

#include <math.h>

typedef struct wide {
    double hi, lo;
} wide;

static wide fast_sum(double a, double b) { /* |a| >= |b| or a = 0 */
    const double hi = a + b;
    return (wide){hi, b - (hi - a)};
}
static wide two_sum(double a, double b) {
    const double hi = a + b, part = hi - a;
    return (wide){hi, (a - (hi - part)) + (b - part)};
}
static wide two_product(double a, double b) {
    const double hi = a * b;
    return (wide){hi, fma(a, b, -hi)};
}
static wide add(wide a, wide b) {
    const wide high = two_sum(a.hi, b.hi), low = two_sum(a.lo, b.lo);
    const wide sum = fast_sum(high.hi, high.lo + low.hi);
    return fast_sum(sum.hi, sum.lo + low.lo);
}
static wide multiply(wide a, wide b) {
    const wide p = two_product(a.hi, b.hi);
    return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
static wide times(wide a, double b) {
    const wide p = two_product(a.hi, b);
    return fast_sum(p.hi, p.lo + a.lo * b);
}
static wide divide(wide a, wide b) {
    const double first = a.hi / b.hi;
    const wide rest = add(a, times(b, -first));
    const double second = rest.hi / b.hi;
    const wide last = add(rest, times(b, -second));
    const wide q = fast_sum(first, second);
    return add(q, (wide){last.hi / b.hi, 0.0});
}
static wide scale(wide a, int exponent) { return (wide){ldexp(a.hi, exponent), ldexp(a.lo, exponent)}; }

static const wide ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* e^x - 1 for |x| < 0.4: the series of x / 256, then eight squarings of 1 + e without its 1. */
static wide exp_minus_one(wide x) {
    enum { SQUARINGS = 8, TERMS = 11 };
    const wide r = scale(x, -SQUARINGS);
    wide p = {1.0, 0.0};
    for (int n = TERMS; n >= 2; n--)
        p = add((wide){1.0, 0.0}, divide(multiply(r, p), (wide){n, 0.0}));
    wide e = multiply(r, p);
    for (int i = 0; i < SQUARINGS; i++)
        e = add(times(e, 2.0), multiply(e, e));
    return e;
}

/* e^x = result * 2^exponent */
static wide exponential(double x, int *exponent) {
    const double k = rint(x / ln2.hi);
    *exponent = (int)k;
    const wide r = add((wide){x, 0.0}, times(ln2, -k));
    return add((wide){1.0, 0.0}, exp_minus_one(r));
}

/* x > 0, finite */
static wide logarithm(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        exponent--;
    }
    wide log_m;
    if (fabs(m - 1.0) < 0x1p-5) { /* 2 atanh((m - 1) / (m + 1)) */
        const wide s = divide((wide){m - 1.0, 0.0}, two_sum(m, 1.0)), square = multiply(s, s);
        wide sum = {0.0, 0.0};
        for (int j = 10; j >= 0; j--)
            sum = add(multiply(sum, square), divide((wide){1.0, 0.0}, (wide){2 * j + 1, 0.0}));
        log_m = times(multiply(sum, s), 2.0);
    } else { /* a step of Newton from 53 bits */
        const double first = log(m);
        const wide e = add((wide){1.0, 0.0}, exp_minus_one((wide){-first, 0.0}));
        const wide rest = add(times(e, m), (wide){-1.0, 0.0});
        log_m = add((wide){first, 0.0}, add(rest, times(multiply(rest, rest), -0.5)));
    }
    return add(times(ln2, exponent), log_m);
}

/* 1 / sqrt(x) = result * 2^exponent, x > 0 and finite */
static wide reciprocal_root(double x, int *exponent) {
    int e;
    double m = frexp(x, &e);
    if (e & 1) {
        m *= 0.5;
        e++;
    }
    *exponent = -e / 2;
    const double y = 1.0 / sqrt(m);
    const wide error = add(times(two_product(y, y), m), (wide){-1.0, 0.0});
    /* (1 + error)^(-1/2); the square decides next to ties */
    const wide factor = add(times(error, -0.5), times(multiply(error, error), 0.375));
    return add((wide){y, 0.0}, times(factor, y));
}

/* value * 2^exponent, exact up to a sticky bit */
static pto_number number_of(wide value, int exponent) {
    const bool negative = value.hi < 0.0;
    if (value.hi == 0.0)
        return pto_number_from_f64(0.0);
    int top;
    const double m = frexp(fabs(value.hi), &top); /* in [0.5, 1) */
    const double low = ldexp(negative ? -value.lo : value.lo, 64 - top), whole = floor(low);
    const uint64_t high = (uint64_t)ldexp(m, 53) << 11;
    return (pto_number){.kind = PTO_NUMBER_FINITE,
                        .negative = negative,
                        .sticky = low != whole,
                        .exponent = top - 64 + exponent,
                        .significand = high + (uint64_t)(int64_t)whole};
}

static pto_number exact(double value) { return pto_number_from_f64(value); }

static pto_number evaluate(pto_exact_op op, double x) {
    int exponent = 0;
    if (isnan(x))
        return exact(NAN);
    switch (op) {
    case PTO_EXACT_EXP:
        if (isinf(x) || x == 0.0)
            return exact(x > 0.0 ? INFINITY : x == 0.0 ? 1.0 : 0.0);
        /* far beyond the largest and the smallest number of every format */
        x = x > 2000.0 ? 2000.0 : x < -2000.0 ? -2000.0 : x;
        const wide e = exponential(x, &exponent);
        return number_of(e, exponent);
    case PTO_EXACT_LOG:
        if (x == 0.0)
            return exact(-INFINITY);
        if (x < 0.0 || isinf(x))
            return exact(x < 0.0 ? NAN : x);
        return number_of(logarithm(x), 0);
    default: /* PTO_EXACT_RSQRT */
        if (x == 0.0)
            return exact(INFINITY);
        if (x < 0.0 || isinf(x))
            return exact(x < 0.0 ? NAN : 0.0);
        const wide r = reciprocal_root(x, &exponent);
        return number_of(r, exponent);
    }
}

uint64_t pto_exact_function(pto_exact_op op, pto_format format, double x) {
    const uint64_t code = pto_number_encode(format, evaluate(op, x), PTO_CAST_RINT, false);
    return format == PTO_FORMAT_E4M3 && code == 0xFF ? 0x7F : code; /* an infinity is the NaN */
}
