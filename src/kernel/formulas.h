/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas on one element that several families share (part 10, 1.5; part 20, 1.3 N1 to N5): integers
 * wrap, floats round once and give the canonical NaN. Names end in the element type or in its width. */
#ifndef PTO_KERNEL_FORMULAS_H
#define PTO_KERNEL_FORMULAS_H

#include "kernel/map.h"

/* ---- + - * ---- */

/* Integers are computed unsigned and wide enough that nothing overflows in C. */
#define PTO_ADD_8(x, y) ((uint8_t)((unsigned)(x) + (y)))
#define PTO_ADD_16(x, y) ((uint16_t)((unsigned)(x) + (y)))
#define PTO_ADD_32(x, y) ((x) + (y))
#define PTO_ADD_64(x, y) ((x) + (y))
#define PTO_ADD_F32(x, y) pto_f32_canonical((x) + (y))
#define PTO_ADD_LANES(x, y) ((x) + (y))

#define PTO_SUB_8(x, y) ((uint8_t)((unsigned)(x) - (y)))
#define PTO_SUB_16(x, y) ((uint16_t)((unsigned)(x) - (y)))
#define PTO_SUB_32(x, y) ((x) - (y))
#define PTO_SUB_64(x, y) ((x) - (y))
#define PTO_SUB_F32(x, y) pto_f32_canonical((x) - (y))
#define PTO_SUB_LANES(x, y) ((x) - (y))

#define PTO_MUL_8(x, y) ((uint8_t)((unsigned)(x) * (y)))
#define PTO_MUL_16(x, y) ((uint16_t)((unsigned)(x) * (y)))
#define PTO_MUL_32(x, y) ((x) * (y))
#define PTO_MUL_64(x, y) ((x) * (y))
#define PTO_MUL_F32(x, y) pto_f32_canonical((x) * (y))
#define PTO_MUL_LANES(x, y) ((x) * (y))

/* ---- maximum, minimum: any NaN gives the canonical NaN, -0 < +0 ---- */

#define PTO_MAX(x, y) ((x) > (y) ? (x) : (y))
#define PTO_MIN(x, y) ((x) < (y) ? (x) : (y))

/* Of the two orders of a comparison one yields x and one y when they are equal, so zeros of both signs
 * combine by their bits; otherwise both orders agree. */
static inline float pto_max_f32(float x, float y) {
    const float one = x > y ? x : y, other = y > x ? y : x;
    const float larger = pto_f32_from_bits(pto_f32_bits(one) & pto_f32_bits(other));
    return x == x && y == y ? larger : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

static inline float pto_min_f32(float x, float y) {
    const float one = x < y ? x : y, other = y < x ? y : x;
    const float smaller = pto_f32_from_bits(pto_f32_bits(one) | pto_f32_bits(other));
    return x == x && y == y ? smaller : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

/* 16-bit floats are sign and magnitude: they order as integers once the magnitude bits of negatives are
 * flipped. */
static inline int16_t pto_order_16(int16_t code) { return (int16_t)(code ^ (code >> 15 & 0x7FFF)); }

static inline int16_t pto_select_16(int16_t x, int16_t y, bool takes_x, int16_t infinity, int16_t nan) {
    const int16_t chosen = takes_x ? x : y;
    return (x & 0x7FFF) > infinity || (y & 0x7FFF) > infinity ? nan : chosen;
}

#define PTO_MAX_F32 pto_max_f32
#define PTO_MIN_F32 pto_min_f32
#define PTO_MAX_F16(x, y) pto_select_16(x, y, pto_order_16(x) > pto_order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define PTO_MIN_F16(x, y) pto_select_16(x, y, pto_order_16(x) < pto_order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define PTO_MAX_BF16(x, y) pto_select_16(x, y, pto_order_16(x) > pto_order_16(y), 0x7F80, PTO_BF16_NAN_BITS)
#define PTO_MIN_BF16(x, y) pto_select_16(x, y, pto_order_16(x) < pto_order_16(y), 0x7F80, PTO_BF16_NAN_BITS)

/* The block form (70, 9.1): a number wins over a NaN, two NaN give the canonical one. */
static inline float pto_number_f32(float x, float y, float both) {
    const float number = x == x ? x : y;
    return (x == x) == (y == y) ? both : number;
}
static inline int16_t pto_number_16(int16_t x, int16_t y, int16_t both, int16_t infinity) {
    const bool nan_x = (x & 0x7FFF) > infinity, nan_y = (y & 0x7FFF) > infinity;
    const int16_t number = nan_x ? y : x;
    return nan_x == nan_y ? both : number;
}
#define PTO_NUMBER_MAX_F32(x, y) pto_number_f32(x, y, pto_max_f32(x, y))
#define PTO_NUMBER_MIN_F32(x, y) pto_number_f32(x, y, pto_min_f32(x, y))
#define PTO_NUMBER_MAX_F16(x, y) pto_number_16(x, y, PTO_MAX_F16(x, y), 0x7C00)
#define PTO_NUMBER_MIN_F16(x, y) pto_number_16(x, y, PTO_MIN_F16(x, y), 0x7C00)
#define PTO_NUMBER_MAX_BF16(x, y) pto_number_16(x, y, PTO_MAX_BF16(x, y), 0x7F80)
#define PTO_NUMBER_MIN_BF16(x, y) pto_number_16(x, y, PTO_MIN_BF16(x, y), 0x7F80)

/* ---- quotients: integers truncate, MIN / -1 = MIN, x / 0 = 0 ---- */

/* Up to 16 bits the truncated float quotient is exact, up to 32 bits the truncated double quotient: a
 * quotient that is no integer is farther from one than the rounding error. */
#define PTO_DIV_NARROW(name, T)                                                                              \
    static inline T name(T x, T y) {                                                                         \
        const float divisor = (float)(y == 0 ? 1 : y);                                                       \
        const T quotient = (T)(int32_t)((float)x / divisor);                                                 \
        return (T)(y == 0 ? 0 : quotient);                                                                   \
    }
PTO_DIV_NARROW(pto_div_s8, int8_t)
PTO_DIV_NARROW(pto_div_u8, uint8_t)
PTO_DIV_NARROW(pto_div_s16, int16_t)
PTO_DIV_NARROW(pto_div_u16, uint16_t)

static inline int32_t pto_div_s32(int32_t x, int32_t y) {
    const bool plain = y != 0 && y != -1;
    const int32_t quotient = (int32_t)((double)x / (double)(plain ? y : 1));
    const int32_t negated = (int32_t)(0u - (uint32_t)x);
    return plain ? quotient : y == 0 ? 0 : negated;
}
/* Vectors convert signed words only: of unsigned ones the top bit goes a way of its own. */
static inline double pto_f64_from_u32(uint32_t x) {
    return (double)(int32_t)(x ^ UINT32_C(0x80000000)) + 0x1p31;
}
static inline uint32_t pto_div_u32(uint32_t x, uint32_t y) {
    const double quotient = pto_f64_from_u32(x) / pto_f64_from_u32(y ? y : 1);
    const bool high = quotient >= 0x1p31;
    const uint32_t low = (uint32_t)(int32_t)(quotient - (high ? 0x1p31 : 0.0));
    return y ? low + (high ? UINT32_C(0x80000000) : 0) : 0;
}
static inline uint64_t pto_div_u64(uint64_t x, uint64_t y) { return y ? x / y : 0; }
static inline int64_t pto_div_s64(int64_t x, int64_t y) {
    if (y == -1)
        return (int64_t)(0u - (uint64_t)x);
    return y ? x / y : 0;
}

#define PTO_DIV_F32(x, y) pto_f32_canonical((x) / (y))
#define PTO_DIV_LANES(x, y) ((x) / (y))

#endif
