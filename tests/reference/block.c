/* SPDX-License-Identifier: Apache-2.0 */
#include "reference/block.h"

#define MPFR_USE_INTMAX_T
#include <mpfr.h>
#include <string.h>

typedef struct format {
    int exponent_bits, fraction_bits, zero_bits;
    uint64_t nan, max; /* the canonical NaN; the largest finite value */
    bool has_inf;
} format;

static const format formats[16] = {[RB_FP64] = {11, 52, 0, 0x7ff8000000000000u, 0x7fefffffffffffffu, true},
                                   [RB_FP32] = {8, 23, 0, 0x7fc00000, 0x7f7fffff, true},
                                   [RB_TF32] = {8, 10, 13, 0x7fc00000, 0x7f7fe000, true},
                                   [RB_HF32] = {8, 11, 12, 0x7fc00000, 0x7f7ff000, true},
                                   [RB_FP16] = {5, 10, 0, 0x7e00, 0x7bff, true},
                                   [RB_BF16] = {8, 7, 0, 0x7fc0, 0x7f7f, true},
                                   [RB_E4M3] = {4, 3, 0, 0x7f, 0x7e, false},
                                   [RB_E5M2] = {5, 2, 0, 0x7e, 0x7b, true}};
enum { WORK = 4400 }; /* bits: sums and products of every format are exact */

const char *reference_block_name(unsigned type) {
    static const char *const name[32] = {
        [RB_FP64] = "FP64",   [RB_FP32] = "FP32", [RB_TF32] = "TF32",   [RB_HF32] = "HF32",
        [RB_FP16] = "FP16",   [RB_BF16] = "BF16", [RB_HIF8] = "HiF8",   [RB_E4M3] = "E4M3",
        [RB_E5M2] = "E5M2",   [RB_E3M2] = "E3M2", [RB_E2M3] = "E2M3",   [RB_E2M1] = "E2M1x2",
        [RB_E1M2] = "E1M2x2", [RB_E8M0] = "E8M0", [RB_HIF4] = "HiF4x2", [RB_S64] = "S64",
        [RB_S32] = "S32",     [RB_S16] = "S16",   [RB_S8] = "S8",       [RB_S4] = "S4x2",
        [RB_U64] = "U64",     [RB_U32] = "U32",   [RB_U16] = "U16",     [RB_U8] = "U8",
        [RB_U4] = "U4x2"};
    return name[type];
}

unsigned reference_block_bits(unsigned type) {
    switch (type) {
    case RB_FP64:
    case RB_S64:
    case RB_U64:
        return 64;
    case RB_FP32:
    case RB_TF32:
    case RB_HF32:
    case RB_S32:
    case RB_U32:
        return 32;
    case RB_FP16:
    case RB_BF16:
    case RB_S16:
    case RB_U16:
        return 16;
    case RB_E2M1:
    case RB_E1M2:
    case RB_HIF4:
    case RB_S4:
    case RB_U4:
        return 4;
    default:
        return 8;
    }
}
bool reference_block_is_float(unsigned type) { return type < 16; }
bool reference_block_is_signed(unsigned type) { return type < 24; }

static uint64_t ones(unsigned type) { return UINT64_MAX >> (64 - reference_block_bits(type)); }
static uint64_t sign_bit(unsigned type) { return UINT64_C(1) << (reference_block_bits(type) - 1); }
static uint64_t infinity_of(unsigned type) {
    return formats[type].has_inf ? formats[type].max + (UINT64_C(1) << formats[type].zero_bits)
                                 : formats[type].nan;
}

bool reference_block_is_nan(unsigned type, uint64_t code) {
    if (!reference_block_is_float(type))
        return false;
    const uint64_t magnitude = code & ~sign_bit(type);
    return formats[type].has_inf ? magnitude > infinity_of(type) : magnitude == formats[type].nan;
}

uint64_t reference_block_pad(unsigned type, unsigned pad) {
    if (pad != 1 && pad != 2)
        return 0;
    switch (type) { /* the table of 8 and the largest and smallest finite values of the others */
    case RB_FP64:
        return pad == 1 ? 0x7fefffffffffffffu : 0xffefffffffffffffu;
    case RB_FP32:
        return pad == 1 ? 0x7f7fffff : 0xff7fffff;
    case RB_TF32:
        return pad == 1 ? 0x7f7fe000 : 0xff7fe000;
    case RB_HF32:
        return pad == 1 ? 0x7f7ff000 : 0xff7ff000;
    case RB_FP16:
        return pad == 1 ? 0x7bff : 0xfbff;
    case RB_BF16:
        return pad == 1 ? 0x7f7f : 0xff7f;
    case RB_E4M3:
        return pad == 1 ? 0x7e : 0xfe;
    case RB_E5M2:
        return pad == 1 ? 0x7b : 0xfb;
    case RB_HIF8: /* 2^15 */
        return pad == 1 ? 0x6e : 0xee;
    case RB_E3M2:
    case RB_E2M3:
        return pad == 1 ? 0x1f : 0x3f;
    case RB_E2M1:
    case RB_E1M2:
    case RB_HIF4:
        return pad == 1 ? 7 : 15;
    case RB_E8M0:
        return pad == 1 ? 0xfe : 0;
    default:
        break;
    }
    if (reference_block_is_signed(type))
        return pad == 1 ? ones(type) >> 1 : sign_bit(type);
    return pad == 1 ? ones(type) : 0;
}

/* ---- floats ---- */

static void get(mpfr_t x, unsigned type, uint64_t code) {
    const format *f = &formats[type];
    const bool negative = code & sign_bit(type);
    const uint64_t magnitude = (code & ~sign_bit(type)) >> f->zero_bits;
    const uint64_t fraction = magnitude & ((UINT64_C(1) << f->fraction_bits) - 1);
    const int field = (int)(magnitude >> f->fraction_bits), bias = (1 << (f->exponent_bits - 1)) - 1;
    if (reference_block_is_nan(type, code)) {
        mpfr_set_nan(x);
        return;
    }
    if (f->has_inf && (code & ~sign_bit(type)) == infinity_of(type)) {
        mpfr_set_inf(x, negative ? -1 : 1);
        return;
    }
    mpfr_set_uj(x, field ? fraction | UINT64_C(1) << f->fraction_bits : fraction, MPFR_RNDN);
    mpfr_mul_2si(x, x, (field ? field : 1) - bias - f->fraction_bits, MPFR_RNDN);
    mpfr_setsign(x, x, negative, MPFR_RNDN);
}

/* Nearest even, gradual underflow; what is too large is infinite. */
static uint64_t put(unsigned type, mpfr_t x) {
    const format *f = &formats[type];
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    if (mpfr_nan_p(x))
        return f->nan;
    const uint64_t sign = mpfr_signbit(x) ? sign_bit(type) : 0;
    if (mpfr_inf_p(x))
        return f->has_inf ? infinity_of(type) | sign : f->nan;
    if (mpfr_zero_p(x))
        return sign;
    long exponent = (long)mpfr_get_exp(x) - 1; /* |x| in [2^e, 2^(e+1)) */
    if (exponent > bias + 1)
        return f->has_inf ? infinity_of(type) | sign : f->nan;
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    mpfr_t unit;
    mpfr_init2(unit, WORK);
    mpfr_mul_2si(unit, x, f->fraction_bits - exponent, MPFR_RNDN);
    mpfr_abs(unit, unit, MPFR_RNDN);
    mpfr_rint(unit, unit, MPFR_RNDN); /* halves to even */
    const uint64_t significand = mpfr_get_uj(unit, MPFR_RNDN);
    mpfr_clear(unit);
    /* a carry into the next binade adds up by itself */
    const uint64_t code = (((uint64_t)(exponent + bias - 1) << f->fraction_bits) + significand)
                          << f->zero_bits;
    if (code > f->max)
        return f->has_inf ? infinity_of(type) | sign : f->nan;
    return code | sign;
}

static uint64_t rounded(unsigned type, const char *op, uint64_t a, uint64_t b) {
    mpfr_t x, y, z;
    mpfr_inits2(WORK, x, y, z, (mpfr_ptr)0);
    get(x, type, a);
    get(y, type, b);
    if (!strcmp(op, "+"))
        mpfr_add(z, x, y, MPFR_RNDN);
    else if (!strcmp(op, "-"))
        mpfr_sub(z, x, y, MPFR_RNDN);
    else if (!strcmp(op, "*"))
        mpfr_mul(z, x, y, MPFR_RNDN);
    else
        mpfr_div(z, x, y, MPFR_RNDN);
    const uint64_t code = put(type, z);
    mpfr_clears(x, y, z, (mpfr_ptr)0);
    return code;
}

static uint64_t fused(unsigned type, uint64_t a, uint64_t b, uint64_t c) {
    mpfr_t x, y, z;
    mpfr_inits2(2 * WORK, x, y, z, (mpfr_ptr)0);
    get(x, type, a);
    get(y, type, b);
    get(z, type, c);
    mpfr_fma(z, x, y, z, MPFR_RNDN);
    const uint64_t code = put(type, z);
    mpfr_clears(x, y, z, (mpfr_ptr)0);
    return code;
}

static uint64_t unary(const char *op, unsigned type, uint64_t a) {
    mpfr_t x, z;
    mpfr_init2(x, 64);
    mpfr_init2(z, 300);
    get(x, type, a);
    if (!strcmp(op, "TEXP"))
        mpfr_exp(z, x, MPFR_RNDN);
    else if (!strcmp(op, "TLOG") && mpfr_zero_p(x))
        mpfr_set_inf(z, -1);
    else if (!strcmp(op, "TLOG"))
        mpfr_log(z, x, MPFR_RNDN);
    else if (!strcmp(op, "TRECIP"))
        mpfr_ui_div(z, 1, x, MPFR_RNDN);
    else if (!strcmp(op, "TSQRT"))
        mpfr_sqrt(z, x, MPFR_RNDN);
    else if (mpfr_zero_p(x)) /* TRSQRT: +inf for both zeros */
        mpfr_set_inf(z, 1);
    else
        mpfr_rec_sqrt(z, x, MPFR_RNDN);
    const uint64_t code = put(type, z);
    mpfr_clears(x, z, (mpfr_ptr)0);
    return code;
}

/* a - floor(a / b) * b or, truncated, fmod */
static uint64_t remainder_of(unsigned type, bool floored, uint64_t a, uint64_t b) {
    mpfr_t x, y, z;
    mpfr_inits2(WORK, x, y, z, (mpfr_ptr)0);
    get(x, type, a);
    get(y, type, b);
    mpfr_fmod(z, x, y, MPFR_RNDN); /* b = 0 or a infinite: NaN */
    if (floored && !mpfr_nan_p(z) && !mpfr_zero_p(z) && mpfr_signbit(z) != mpfr_signbit(y))
        mpfr_add(z, z, y, MPFR_RNDN);
    const uint64_t code = put(type, z);
    mpfr_clears(x, y, z, (mpfr_ptr)0);
    return code;
}

static int order(unsigned type, uint64_t a, uint64_t b) {
    mpfr_t x, y;
    mpfr_inits2(64, x, y, (mpfr_ptr)0);
    get(x, type, a);
    get(y, type, b);
    const int result = mpfr_cmp(x, y);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return result;
}

static uint64_t extreme(bool minimum, unsigned type, uint64_t a, uint64_t b) {
    const bool nan_a = reference_block_is_nan(type, a), nan_b = reference_block_is_nan(type, b);
    if (nan_a || nan_b)
        return nan_a && nan_b ? formats[type].nan : nan_a ? b : a;
    const int compared = order(type, a, b);
    if (compared == 0) /* zeros of both signs */
        return minimum ? a | b : a & b;
    return (compared < 0) == minimum ? a : b;
}

static uint64_t float_op(const char *op, unsigned type, uint64_t a, uint64_t b, uint64_t c) {
    const bool nan = reference_block_is_nan(type, a);
    const bool positive = !nan && !(a & sign_bit(type)) && a != 0;
    if (!strcmp(op, "TADD"))
        return rounded(type, "+", a, b);
    if (!strcmp(op, "TSUB"))
        return rounded(type, "-", a, b);
    if (!strcmp(op, "TMUL"))
        return rounded(type, "*", a, b);
    if (!strcmp(op, "TDIV"))
        return rounded(type, "/", a, b);
    if (!strcmp(op, "TREM") || !strcmp(op, "TFMOD"))
        return remainder_of(type, op[1] == 'R', a, b);
    if (!strcmp(op, "TMAX") || !strcmp(op, "TMIN"))
        return extreme(op[2] == 'I', type, a, b);
    if (!strcmp(op, "TPRELU") || !strcmp(op, "TLRELU"))
        return positive ? a : rounded(type, "*", a, b);
    if (!strcmp(op, "TABS"))
        return a & ~sign_bit(type);
    if (!strcmp(op, "TNEG"))
        return a ^ sign_bit(type);
    if (!strcmp(op, "TRELU"))
        return positive ? a : 0;
    if (!strcmp(op, "TADDC"))
        return rounded(type, "+", rounded(type, "+", a, b), c);
    if (!strcmp(op, "TSUBC"))
        return rounded(type, "+", rounded(type, "-", a, b), c);
    if (!strcmp(op, "TFMA"))
        return fused(type, a, b, c);
    return unary(op, type, a);
}

/* ---- integers ---- */

static int64_t integer(unsigned type, uint64_t code) {
    const unsigned unused = 64 - reference_block_bits(type);
    return reference_block_is_signed(type) ? (int64_t)(code << unused) >> unused : (int64_t)code;
}

static uint64_t divided(const char *op, unsigned type, uint64_t a, uint64_t b) {
    if (!reference_block_is_signed(type))
        return !strcmp(op, "TDIV") ? a / b : a % b;
    const int64_t x = integer(type, a), y = integer(type, b);
    if (y == -1)
        return !strcmp(op, "TDIV") ? 0 - (uint64_t)x : 0;
    if (!strcmp(op, "TDIV"))
        return (uint64_t)(x / y);
    const int64_t rest = x % y;
    return (uint64_t)(op[1] == 'R' && rest && (rest < 0) != (y < 0) ? rest + y : rest);
}

static uint64_t integer_op(const char *op, unsigned type, uint64_t a, uint64_t b, uint64_t c) {
    const unsigned count = (unsigned)(b & (reference_block_bits(type) - 1));
    const int64_t x = integer(type, a), y = integer(type, b);
    const bool less = reference_block_is_signed(type) ? x < y : a < b;
    const bool positive = reference_block_is_signed(type) ? x > 0 : a > 0;
    if (!strcmp(op, "TADD"))
        return a + b;
    if (!strcmp(op, "TSUB"))
        return a - b;
    if (!strcmp(op, "TMUL"))
        return a * b;
    if (!strcmp(op, "TDIV") || !strcmp(op, "TREM") || !strcmp(op, "TFMOD"))
        return divided(op, type, a, b);
    if (!strcmp(op, "TMAX"))
        return less ? b : a;
    if (!strcmp(op, "TMIN"))
        return less ? a : b;
    if (!strcmp(op, "TAND"))
        return a & b;
    if (!strcmp(op, "TOR"))
        return a | b;
    if (!strcmp(op, "TXOR"))
        return a ^ b;
    if (!strcmp(op, "TNOT"))
        return ~a;
    if (!strcmp(op, "TSHL"))
        return a << count;
    if (!strcmp(op, "TSHR"))
        return reference_block_is_signed(type) ? (uint64_t)(x >> count) : a >> count;
    if (!strcmp(op, "TPRELU") || !strcmp(op, "TLRELU"))
        return positive ? a : a * b;
    if (!strcmp(op, "TABS"))
        return reference_block_is_signed(type) && x < 0 ? 0 - a : a;
    if (!strcmp(op, "TNEG"))
        return 0 - a;
    if (!strcmp(op, "TRELU"))
        return positive ? a : 0;
    if (!strcmp(op, "TADDC"))
        return a + b + c;
    if (!strcmp(op, "TSUBC"))
        return a - b + c;
    return a * b + c; /* TFMA */
}

uint64_t reference_block(const char *op, unsigned type, uint64_t a, uint64_t b, uint64_t c) {
    if (reference_block_is_float(type))
        return float_op(op, type, a, b, c);
    return integer_op(op, type, a, b, c) & ones(type);
}

bool reference_block_compare(unsigned mode, unsigned type, uint64_t a, uint64_t b) {
    if (reference_block_is_nan(type, a) || reference_block_is_nan(type, b))
        return mode == 1;
    int compared;
    if (reference_block_is_float(type))
        compared = order(type, a, b);
    else if (reference_block_is_signed(type))
        compared = (integer(type, a) > integer(type, b)) - (integer(type, a) < integer(type, b));
    else
        compared = (a > b) - (a < b);
    const bool answer[] = {compared == 0, compared != 0, compared<0, compared> 0, compared <= 0,
                           compared >= 0};
    return answer[mode];
}

bool reference_block_better(bool minimum, unsigned type, uint64_t a, uint64_t b) {
    const bool nan_a = reference_block_is_nan(type, a), nan_b = reference_block_is_nan(type, b);
    return nan_a || nan_b ? nan_a && !nan_b : reference_block_compare(minimum ? 2 : 3, type, b, a);
}

uint64_t reference_block_to_float(unsigned dst, unsigned src, uint64_t code) {
    mpfr_t x;
    mpfr_init2(x, 64);
    if (reference_block_is_float(src))
        get(x, src, code);
    else if (reference_block_is_signed(src))
        mpfr_set_sj(x, integer(src, code), MPFR_RNDN);
    else
        mpfr_set_uj(x, code, MPFR_RNDN);
    uint64_t result = put(dst, x);
    if (dst == RB_E4M3 && result == 0x7f && mpfr_signbit(x) && !mpfr_nan_p(x)) /* the sign stays (10, 9.4) */
        result = 0xff;
    mpfr_clear(x);
    return result;
}
