/* SPDX-License-Identifier: Apache-2.0 */
/* TMAX TMIN and TMAXS TMINS (10, 3.1; 20, 2). Floats: any NaN gives the canonical NaN, -0 < +0. */
#include "kernel/map.h"

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

/* 16-bit floats are sign and magnitude: they order as integers once the magnitude bits of negatives are
 * flipped. */
static inline int16_t order_16(int16_t code) { return (int16_t)(code ^ (code >> 15 & 0x7FFF)); }

static inline int16_t select_16(int16_t x, int16_t y, bool takes_x, int16_t infinity, int16_t nan) {
    const int16_t chosen = takes_x ? x : y;
    return (x & 0x7FFF) > infinity || (y & 0x7FFF) > infinity ? nan : chosen;
}

#define MAX_F16(x, y) select_16(x, y, order_16(x) > order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define MIN_F16(x, y) select_16(x, y, order_16(x) < order_16(y), 0x7C00, PTO_F16_NAN_BITS)
#define MAX_BF16(x, y) select_16(x, y, order_16(x) > order_16(y), 0x7F80, PTO_BF16_NAN_BITS)
#define MIN_BF16(x, y) select_16(x, y, order_16(x) < order_16(y), 0x7F80, PTO_BF16_NAN_BITS)

#define LOOPS(name, NAME)                                                                                    \
    PTO_MAP_BINARY(name##_s8, int8_t, NAME)                                                                  \
    PTO_MAP_BINARY(name##_u8, uint8_t, NAME)                                                                 \
    PTO_MAP_BINARY(name##_s16, int16_t, NAME)                                                                \
    PTO_MAP_BINARY(name##_u16, uint16_t, NAME)                                                               \
    PTO_MAP_BINARY(name##_s32, int32_t, NAME)                                                                \
    PTO_MAP_BINARY(name##_u32, uint32_t, NAME)                                                               \
    PTO_MAP_BINARY(name##_s64, int64_t, NAME)                                                                \
    PTO_MAP_BINARY(name##_u64, uint64_t, NAME)                                                               \
    PTO_MAP_BINARY(name##_f16, int16_t, NAME##_F16)                                                          \
    PTO_MAP_BINARY(name##_bf16, int16_t, NAME##_BF16)                                                        \
    PTO_MAP_BINARY(name##_f32, float, name##_f32)

LOOPS(max, MAX)
LOOPS(min, MIN)

#define OP(name, form, exact_op)                                                                             \
    static const pto_map_op name##_##form = {.loop = {[PTO_S8] = name##_s8_##form,                           \
                                                      [PTO_U8] = name##_u8_##form,                           \
                                                      [PTO_S16] = name##_s16_##form,                         \
                                                      [PTO_U16] = name##_u16_##form,                         \
                                                      [PTO_S32] = name##_s32_##form,                         \
                                                      [PTO_U32] = name##_u32_##form,                         \
                                                      [PTO_S64] = name##_s64_##form,                         \
                                                      [PTO_U64] = name##_u64_##form,                         \
                                                      [PTO_F16] = name##_f16_##form,                         \
                                                      [PTO_BF16] = name##_bf16_##form,                       \
                                                      [PTO_F32] = name##_f32_##form},                        \
                                             .exact = exact_op};

#define KERNELS(name, exact_op)                                                                              \
    OP(name, tt, exact_op)                                                                                   \
    OP(name, ts, exact_op)                                                                                   \
    PTO_KERNEL(t##name) {                                                                                    \
        return pto_map_run(call, &name##_tt, pto_call_tile(call, 0), pto_map_tile(pto_call_tile(call, 1)),   \
                           pto_map_tile(pto_call_tile(call, 2)));                                            \
    }                                                                                                        \
    PTO_KERNEL(t##name##s) {                                                                                 \
        pto_tile *dst = pto_call_tile(call, 0);                                                              \
        const uint64_t value = pto_scalar_code(dst->type.dtype, pto_call_scalar(call, 2));                   \
        return pto_map_run(call, &name##_ts, dst, pto_map_tile(pto_call_tile(call, 1)),                      \
                           pto_map_value(&value));                                                           \
    }

KERNELS(max, PTO_EXACT_MAX)
KERNELS(min, PTO_EXACT_MIN)
