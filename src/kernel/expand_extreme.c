/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND with MAX, MIN (part 20, 4.1; N5): any NaN gives the canonical NaN, -0 < +0. */
#include "kernel/expand.h"

#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))

/* Of the two orders of a comparison one yields x and one y when they are equal, so zeros of both signs
 * combine by their bits; otherwise both orders agree. */
static inline float max_f32(float x, float y) {
    const float one = x > y ? x : y, other = y > x ? y : x;
    const float larger = pto_f32_from_bits(pto_f32_bits(one) & pto_f32_bits(other));
    return x == x && y == y ? larger : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

static inline float min_f32(float x, float y) {
    const float one = x < y ? x : y, other = y < x ? y : x;
    const float smaller = pto_f32_from_bits(pto_f32_bits(one) | pto_f32_bits(other));
    return x == x && y == y ? smaller : pto_f32_from_bits(PTO_F32_NAN_BITS);
}

/* 16-bit floats order as integers once the magnitude bits of negatives are flipped. */
static inline int16_t order_16(int16_t code) { return (int16_t)(code ^ (code >> 15 & 0x7FFF)); }

static inline int16_t select_16(int16_t x, int16_t y, bool takes_x, int16_t infinity, int16_t nan) {
    const int16_t chosen = takes_x ? x : y;
    return (x & 0x7FFF) > infinity || (y & 0x7FFF) > infinity ? nan : chosen;
}

#define MAX_F16(x, y) select_16(x, y, order_16(x) > order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define MIN_F16(x, y) select_16(x, y, order_16(x) < order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define MAX_BF16(x, y) select_16(x, y, order_16(x) > order_16(y), 0x7F80, PTO_BF16_NAN_BITS)
#define MIN_BF16(x, y) select_16(x, y, order_16(x) < order_16(y), 0x7F80, PTO_BF16_NAN_BITS)

#define OP(name, NAME)                                                                                       \
    EXPAND_MAP(name##_s8, int8_t, NAME)                                                                      \
    EXPAND_MAP(name##_u8, uint8_t, NAME)                                                                     \
    EXPAND_MAP(name##_s16, int16_t, NAME)                                                                    \
    EXPAND_MAP(name##_u16, uint16_t, NAME)                                                                   \
    EXPAND_MAP(name##_s32, int32_t, NAME)                                                                    \
    EXPAND_MAP(name##_u32, uint32_t, NAME)                                                                   \
    EXPAND_MAP(name##_f16, int16_t, NAME##_F16)                                                              \
    EXPAND_MAP(name##_bf16, int16_t, NAME##_BF16)                                                            \
    EXPAND_MAP(name##_f32, float, name##_f32)                                                                \
    static const expand_op name##_op = {{[PTO_S8] = EXPAND_LOOPS(name##_s8),                                 \
                                         [PTO_U8] = EXPAND_LOOPS(name##_u8),                                 \
                                         [PTO_S16] = EXPAND_LOOPS(name##_s16),                               \
                                         [PTO_U16] = EXPAND_LOOPS(name##_u16),                               \
                                         [PTO_S32] = EXPAND_LOOPS(name##_s32),                               \
                                         [PTO_U32] = EXPAND_LOOPS(name##_u32),                               \
                                         [PTO_F16] = EXPAND_LOOPS(name##_f16),                               \
                                         [PTO_BF16] = EXPAND_LOOPS(name##_bf16),                             \
                                         [PTO_F32] = EXPAND_LOOPS(name##_f32)}};                             \
    EXPAND_KERNELS(name)

OP(max, MAX)
OP(min, MIN)
