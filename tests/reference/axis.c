/* SPDX-License-Identifier: Apache-2.0 */
/* See axis.h. */
#include "reference/axis.h"

#include "number/format.h"

#include <math.h>

static bool is_integer(pto_dtype dtype) { return pto_dtype_is_int(dtype); }

static uint64_t cut(pto_dtype dtype, uint64_t value) {
    unsigned bits = pto_dtype_bits(dtype);
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static int64_t extended(pto_dtype dtype, uint64_t bits) {
    unsigned shift = 64 - pto_dtype_bits(dtype);
    return pto_dtype_is_signed(dtype) ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
}

double reference_value(pto_dtype dtype, uint64_t bits) {
    return pto_number_to_f64(pto_format_of_dtype(dtype), bits);
}

/* Arithmetic rounds to nearest even, hif8 by its own encoding: ties away (10, 2.5). */
uint64_t reference_round(pto_dtype dtype, double value) {
    const pto_round_mode mode = dtype == PTO_HIF8 ? PTO_CAST_ROUND : PTO_CAST_RINT;
    const uint64_t code = pto_number_encode_f64(pto_format_of_dtype(dtype), value, mode, false);
    return dtype == PTO_E4M3 && code == 0xFF ? 0x7F : code; /* a NaN of arithmetic is canonical (10, 1.5) */
}

static bool is_less(pto_dtype dtype, uint64_t a, uint64_t b) {
    if (is_integer(dtype)) {
        int64_t x = extended(dtype, a), y = extended(dtype, b);
        return pto_dtype_is_signed(dtype) ? x < y : (uint64_t)x < (uint64_t)y;
    }
    double x = reference_value(dtype, a), y = reference_value(dtype, b);
    return x < y || (x == 0 && y == 0 && signbit(x) && !signbit(y));
}

static bool is_nan(pto_dtype dtype, uint64_t bits) {
    return !is_integer(dtype) && isnan(reference_value(dtype, bits));
}

uint64_t reference_binary(reference_op op, pto_dtype dtype, uint64_t a, uint64_t b) {
    if (op == REFERENCE_MAX || op == REFERENCE_MIN) {
        if (is_nan(dtype, a) || is_nan(dtype, b))
            return reference_round(dtype, NAN);
        return is_less(dtype, a, b) == (op == REFERENCE_MAX) ? b : a;
    }
    if (is_integer(dtype)) {
        int64_t x = extended(dtype, a), y = extended(dtype, b);
        switch (op) {
        case REFERENCE_ADD:
            return cut(dtype, (uint64_t)x + (uint64_t)y);
        case REFERENCE_SUB:
            return cut(dtype, (uint64_t)x - (uint64_t)y);
        case REFERENCE_MUL:
            return cut(dtype, (uint64_t)x * (uint64_t)y);
        default: /* at most 32 bits, so 64 hold every quotient */
            return y ? cut(dtype, (uint64_t)(x / y)) : 0;
        }
    }
    double x = reference_value(dtype, a), y = reference_value(dtype, b);
    switch (op) {
    case REFERENCE_ADD:
        return reference_round(dtype, x + y);
    case REFERENCE_SUB:
        return reference_round(dtype, x - y);
    case REFERENCE_MUL:
        return reference_round(dtype, x * y);
    case REFERENCE_DIV:
        return reference_round(dtype, x / y);
    default:
        return reference_round(dtype, exp(reference_value(dtype, reference_round(dtype, x - y))));
    }
}

static uint64_t add(pto_dtype dtype, uint64_t a, uint64_t b) {
    return reference_binary(REFERENCE_ADD, dtype, a, b);
}

static uint64_t convert(pto_dtype to, pto_dtype from, uint64_t bits) {
    if (is_integer(from))
        return cut(to, (uint64_t)extended(from, bits));
    return reference_round(to, reference_value(from, bits));
}

/* HA: adjacent pairs, an odd last value moves up unchanged. */
static uint64_t register_add(pto_dtype dtype, uint64_t *x, int n) {
    while (n > 1) {
        int pairs = n / 2;
        for (int i = 0; i < pairs; i++)
            x[i] = add(dtype, x[2 * i], x[2 * i + 1]);
        if (n % 2)
            x[pairs] = x[n - 1];
        n = pairs + n % 2;
    }
    return x[0];
}

static uint64_t canonical(pto_dtype dtype, uint64_t bits) {
    return is_nan(dtype, bits) ? reference_round(dtype, NAN) : bits;
}

static uint64_t a2a3_row_sum(pto_dtype dtype, uint64_t *x, int count) {
    int vector = 256 / (int)(pto_dtype_bits(dtype) / 8), full = count / vector, rest = count % vector;
    if (count <= vector)
        return register_add(dtype, x, count);
    uint64_t *t = x; /* slot k is written after repeats 2k and 2k + 1 were read */
    uint64_t *tail = x + full * vector, *last = x + (full - 1) * vector;
    if (full >= 2) {
        for (int k = 0; k < full / 2; k++)
            for (int l = 0; l < vector; l++)
                t[k * vector + l] = add(dtype, x[2 * k * vector + l], x[(2 * k + 1) * vector + l]);
        for (int l = 0; full % 2 && l < vector; l++)
            t[l] = add(dtype, t[l], last[l]);
    }
    for (int l = 0; l < rest; l++)
        t[l] = add(dtype, t[l], tail[l]);
    for (int n = full / 2; n > 1; n /= 2) {
        for (int i = 0; i < n / 2; i++)
            for (int l = 0; l < vector; l++)
                t[i * vector + l] = add(dtype, t[2 * i * vector + l], t[(2 * i + 1) * vector + l]);
        for (int l = 0; n % 2 && l < vector; l++)
            t[(n / 2 - 1) * vector + l] = add(dtype, t[(n / 2 - 1) * vector + l], t[(n - 1) * vector + l]);
    }
    return register_add(dtype, t, vector);
}

uint64_t reference_row_sum(pto_target target, pto_dtype to, pto_dtype from, uint64_t *x, int count) {
    if (target == PTO_TARGET_CPU || is_integer(from)) {
        pto_dtype sum_type = is_integer(from) ? to : PTO_F32;
        uint64_t sum = 0;
        for (int i = 0; i < count; i++)
            sum = add(sum_type, sum, convert(sum_type, from, x[i]));
        return convert(to, sum_type, sum);
    }
    if (target == PTO_TARGET_A2A3)
        return canonical(from, a2a3_row_sum(from, x, count));
    int vector = 256 / (int)(pto_dtype_bits(from) / 8);
    uint64_t sum = 0;
    for (int i = 0; i < count; i += vector)
        sum = add(from, sum, register_add(from, x + i, count - i < vector ? count - i : vector));
    return sum;
}

static uint64_t tree_sum(pto_target target, pto_dtype dtype, uint64_t *t, int rows) {
    bool last = target == PTO_TARGET_A5;
    if (rows == 1)
        return last ? add(dtype, t[0], 0) : t[0];
    int n = rows / 2;
    uint64_t odd = t[rows - 1];
    for (int i = 0; i < n; i++)
        t[i] = add(dtype, t[2 * i], t[2 * i + 1]);
    if (rows % 2)
        t[last ? n - 1 : 0] = add(dtype, t[last ? n - 1 : 0], odd);
    while (n > 1) {
        int h = n / 2;
        for (int i = 0; i < h; i++)
            t[i] = add(dtype, t[2 * i], t[2 * i + 1]);
        if (n % 2)
            t[last ? h - 1 : 0] = add(dtype, t[last ? h - 1 : 0], t[n - 1]);
        n = h;
    }
    return t[0];
}

uint64_t reference_col_sum(pto_target target, bool binary, pto_dtype to, pto_dtype from, uint64_t *x,
                           int count) {
    if (count == 1 && to == from && (binary ? target != PTO_TARGET_A5 : target != PTO_TARGET_CPU))
        return x[0];
    for (int i = 0; i < count; i++)
        x[i] = convert(to, from, x[i]);
    if (binary)
        return tree_sum(target, to, x, count);
    uint64_t sum = target == PTO_TARGET_CPU ? 0 : x[0];
    int i = target == PTO_TARGET_CPU ? 0 : 1;
    for (; target == PTO_TARGET_A5 && i + 1 < count; i += 2)
        sum = add(to, sum, add(to, x[i], x[i + 1]));
    for (; i < count; i++)
        sum = add(to, sum, x[i]);
    return sum;
}

uint64_t reference_extreme(bool minimum, pto_dtype dtype, const uint64_t *x, int count) {
    uint64_t best = canonical(dtype, x[0]);
    for (int i = 1; i < count; i++)
        best = reference_binary(minimum ? REFERENCE_MIN : REFERENCE_MAX, dtype, best, x[i]);
    return best;
}

static uint64_t multiply(pto_dtype dtype, uint64_t a, uint64_t b) {
    return reference_binary(REFERENCE_MUL, dtype, a, b);
}

static uint64_t one_of(pto_dtype dtype) { return is_integer(dtype) ? 1 : reference_round(dtype, 1.0); }

uint64_t reference_row_product(pto_target target, pto_dtype dtype, uint64_t *x, int count) {
    uint64_t one = one_of(dtype), lane[256];
    int bytes = (int)pto_dtype_bits(dtype) / 8;
    if (target == PTO_TARGET_CPU) {
        uint64_t product = one;
        for (int i = 0; i < count; i++)
            product = multiply(dtype, product, x[i]);
        return product;
    }
    int lanes = (target == PTO_TARGET_A2A3 ? 32 : 256) / bytes;
    for (int l = 0; l < lanes; l++) {
        lane[l] = one;
        for (int i = l; i < count; i += lanes)
            lane[l] = multiply(dtype, lane[l], x[i]);
    }
    if (target == PTO_TARGET_A5) {
        for (int n = lanes / 2; n >= 1; n /= 2)
            for (int i = 0; i < n; i++)
                lane[i] = multiply(dtype, lane[i], lane[i + n]);
        return lane[0];
    }
    pto_dtype last = dtype == PTO_F16 ? PTO_F32 : dtype;
    uint64_t product = one_of(last);
    for (int l = 0; l < lanes; l++)
        product = multiply(last, product, convert(last, dtype, lane[l]));
    return convert(dtype, last, product);
}

uint64_t reference_col_product(pto_target target, pto_dtype dtype, uint64_t *x, int count) {
    uint64_t product = x[0];
    int i = 1;
    for (; target == PTO_TARGET_A5 && i + 1 < count; i += 2)
        product = multiply(dtype, product, multiply(dtype, x[i], x[i + 1]));
    for (; i < count; i++)
        product = multiply(dtype, product, x[i]);
    return product;
}

int reference_arg(bool minimum, pto_dtype dtype, const uint64_t *x, int count) {
    for (int i = 0; i < count; i++)
        if (is_nan(dtype, x[i]))
            return i;
    int best = 0;
    for (int i = 1; i < count; i++) {
        bool zeros =
            !is_integer(dtype) && reference_value(dtype, x[best]) == 0 && reference_value(dtype, x[i]) == 0;
        bool better = minimum ? is_less(dtype, x[i], x[best]) : is_less(dtype, x[best], x[i]);
        if (better && !zeros)
            best = i;
    }
    return best;
}
