/* SPDX-License-Identifier: Apache-2.0 */
/* The pair table of TCVT and the exact scalar conversion (part 10, 9.2 to 9.4). */
#include "convert.h"

/* Bits of a set of modes, indexed by pto_round_mode. */
#define MODES_NONE 0u
#define MODES_FIVE                                                                                           \
    (1u << PTO_CAST_RINT | 1u << PTO_CAST_ROUND | 1u << PTO_CAST_FLOOR | 1u << PTO_CAST_CEIL |               \
     1u << PTO_CAST_TRUNC)
#define MODES_SIX (MODES_FIVE | 1u << PTO_CAST_ODD)
#define MODES_ALL (MODES_SIX | 1u << (int)PTO_CAST_HALF_UP)

#define MODE_RINT PTO_CAST_RINT
#define MODE_ROUND PTO_CAST_ROUND
#define MODE_TRUNC PTO_CAST_TRUNC
#define MODE_EXACT PTO_CAST_RINT /* any mode will do */

#define SATURATE_ON true
#define SATURATE_OFF false
#define SATURATE_KEEP false

#define TARGET_YES true
#define TARGET_NO_ false

typedef struct cvt_pair {
    uint8_t src, dst; /* pto_format */
    bool a2a3, a5;
    uint8_t modes;
    uint8_t mode;
    bool saturate;
} cvt_pair;

static const cvt_pair cvt_pairs[] = {
#define PTO_CVT_PAIR(src, dst, a2a3, a5, modes, mode, sat)                                                   \
    {PTO_FORMAT_##src, PTO_FORMAT_##dst, TARGET_##a2a3, TARGET_##a5,                                         \
     MODES_##modes,    MODE_##mode,      SATURATE_##sat},
#include "cvt_pairs.def"
};

static const cvt_pair *find_pair(pto_format dst, pto_format src) {
    for (size_t i = 0; i < sizeof cvt_pairs / sizeof *cvt_pairs; i++) {
        if (cvt_pairs[i].dst == (int)dst && cvt_pairs[i].src == (int)src)
            return &cvt_pairs[i];
    }
    return NULL;
}

bool pto_cvt_available(pto_target target, pto_dtype dst, pto_dtype src) {
    const pto_format to = pto_format_of_dtype(dst), from = pto_format_of_dtype(src);
    if (to == PTO_FORMAT_COUNT || from == PTO_FORMAT_COUNT)
        return false;
    if (target == PTO_TARGET_CPU)
        return true;
    const cvt_pair *pair = find_pair(to, from);
    return pair && (target == PTO_TARGET_A2A3 ? pair->a2a3 : pair->a5);
}

/* Pairs without a row (9.2, last item). */
static cvt_pair pair_without_row(pto_format dst, pto_format src) {
    cvt_pair pair = {(uint8_t)src, (uint8_t)dst, false, false, MODES_ALL, PTO_CAST_RINT, true};
    if (dst == PTO_FORMAT_HIF8) {
        pair.modes = MODES_NONE;
        pair.mode = PTO_CAST_ROUND;
    } else if (dst == PTO_FORMAT_E4M3 || dst == PTO_FORMAT_E5M2) {
        pair.modes = MODES_NONE;
    } else if (pto_format_is_integer(dst) && !pto_format_is_integer(src)) {
        pair.mode = PTO_CAST_TRUNC;
    }
    return pair;
}

pto_cvt_rule pto_cvt_resolve(pto_format dst, pto_format src, pto_round_mode mode, pto_sat_mode sat) {
    const cvt_pair *row = find_pair(dst, src);
    const cvt_pair pair = row ? *row : pair_without_row(dst, src);
    pto_cvt_rule rule = {.mode = (pto_round_mode)pair.mode, .saturate = pair.saturate};
    if ((unsigned)mode < 8 && pair.modes >> mode & 1)
        rule.mode = mode;
    if (sat == PTO_SAT_ON || sat == PTO_SAT_AMBIENT)
        rule.saturate = true;
    if (sat == PTO_SAT_OFF)
        rule.saturate = false;
    rule.to_integral = dst == PTO_FORMAT_F32 && src == PTO_FORMAT_F32;
    rule.copies_bits = dst == src && !rule.to_integral;
    return rule;
}

/* Without saturation an integer keeps its low bits; with it, it is clamped by value (9.4). */
static uint64_t convert_integer(pto_format dst, pto_number value, bool saturate) {
    if (saturate)
        return pto_number_encode(dst, value, PTO_CAST_TRUNC, true);
    const unsigned bits = pto_format_describe(dst)->bits;
    const uint64_t code = value.negative ? 0 - value.significand : value.significand;
    return bits == 64 ? code : code & ((UINT64_C(1) << bits) - 1);
}

/* Is a rounded value outside an integer format (NaN and Inf are)? */
static bool out_of_range(pto_format dst, pto_number rounded) {
    if (rounded.kind == PTO_NUMBER_ZERO)
        return false;
    if (rounded.kind != PTO_NUMBER_FINITE)
        return true;
    /* Saturation changes exactly the values that are out of range. */
    const pto_number back = pto_number_decode(dst, pto_number_encode(dst, rounded, PTO_CAST_TRUNC, true));
    if (back.kind != PTO_NUMBER_FINITE || back.negative != rounded.negative)
        return true;
    const int32_t shift = rounded.exponent;
    return shift > 63 || rounded.significand > UINT64_MAX >> shift ||
           rounded.significand << shift != back.significand;
}

uint64_t pto_number_convert_by_rule(pto_format dst, pto_format src, uint64_t bits, pto_cvt_rule rule) {
    const pto_format_info *to = pto_format_describe(dst);
    if (rule.copies_bits) {
        const uint64_t code = to->bits == 64 ? bits : bits & ((UINT64_C(1) << to->bits) - 1);
        return code >> to->zero_bits << to->zero_bits;
    }
    pto_number value = pto_number_decode(src, bits);
    if (rule.to_integral) {
        return pto_number_encode(dst, pto_number_round_integral(value, rule.mode), rule.mode, false);
    }
    if (to->kind == PTO_FORMAT_INTEGER) {
        if (pto_format_is_integer(src))
            return convert_integer(dst, value, rule.saturate);
        if (rule.indefinite && !rule.saturate) {
            const pto_number rounded = pto_number_round_integral(value, rule.mode);
            if (out_of_range(dst, rounded)) {
                return to->is_signed ? UINT64_C(1) << (to->bits - 1) : UINT64_MAX >> (64 - to->bits);
            }
        }
    }
    return pto_number_encode(dst, value, rule.mode, rule.saturate);
}
