/* SPDX-License-Identifier: Apache-2.0 */
/* TSHL TSHR and TSHLS TSHRS (10, 4.2; 20, 2): the count counts modulo the width of the element; right shifts
 * are arithmetic for signed types. */
#include "kernel/map.h"

#if defined(PTO_LEVEL_AVX512)
/* Narrow elements are shifted in 32 bits. */
#define SHL_8(x, y) ((uint8_t)((unsigned)(x) << ((y)&7u)))
#define SHR_S8(x, y) ((int8_t)((x) >> ((y)&7)))
#define SHR_U8(x, y) ((uint8_t)((x) >> ((y)&7)))
#define SHR_S16(x, y) ((int16_t)((x) >> ((y)&15)))
#define SHR_U16(x, y) ((uint16_t)((x) >> ((y)&15)))
#else
/* There is no vector shift of 16 bits by counts of their own, but a product: bytes are multiplied by 2^count,
 * or by 2^(8 - count) with the low byte cut off. */
static inline uint16_t power(uint8_t count) {
    const uint16_t one = count & 1 ? 2 : 1, two = (uint16_t)(count & 2 ? one << 2 : one);
    return (uint16_t)(count & 4 ? two << 4 : two);
}
static inline uint16_t inverse_power(uint8_t count) {
    const uint16_t one = count & 1 ? 128 : 256, two = (uint16_t)(count & 2 ? one >> 2 : one);
    return (uint16_t)(count & 4 ? two >> 4 : two);
}
#define SHL_8(x, y) ((uint8_t)(uint16_t)((uint16_t)(x)*power((uint8_t)(y))))
/* Right shifts of 16 bits go by the bits of the count. */
#define BY_BITS(name, T)                                                                                     \
    static inline T name(T x, T count) {                                                                     \
        const T one = (T)(count & 1 ? x >> 1 : x), two = (T)(count & 2 ? one >> 2 : one);                    \
        const T four = (T)(count & 4 ? two >> 4 : two);                                                      \
        return (T)(count & 8 ? four >> 8 : four);                                                            \
    }
BY_BITS(right_s16, int16_t)
BY_BITS(right_u16, uint16_t)
#define SHR_S16(x, y) right_s16(x, y)
#define SHR_U16(x, y) right_u16(x, y)
#define SHR_S8(x, y) ((int8_t)((int16_t)((int16_t)(x) * (int16_t)inverse_power((uint8_t)(y))) >> 8))
#define SHR_U8(x, y) ((uint8_t)((uint16_t)((uint16_t)(x)*inverse_power((uint8_t)(y))) >> 8))
#endif
#define SHL_16(x, y) ((uint16_t)((unsigned)(x) << ((y)&15u)))
#define SHL_32(x, y) ((x) << ((y)&31u))
#define SHL_64(x, y) ((x) << ((y)&63u))
#define SHR_32(x, y) ((x) >> ((y)&31))
#define SHR_64(x, y) ((x) >> ((y)&63))

PTO_MAP_TT(shl_8, uint8_t, SHL_8)
PTO_MAP_BINARY(shl_16, uint16_t, SHL_16)
PTO_MAP_BINARY(shl_32, uint32_t, SHL_32)
PTO_MAP_BINARY(shl_64, uint64_t, SHL_64)
PTO_MAP_TT(shr_s8, int8_t, SHR_S8)
PTO_MAP_TT(shr_u8, uint8_t, SHR_U8)
PTO_MAP_BINARY(shr_s16, int16_t, SHR_S16)
PTO_MAP_BINARY(shr_u16, uint16_t, SHR_U16)
PTO_MAP_BINARY(shr_s32, int32_t, SHR_32)
PTO_MAP_BINARY(shr_u32, uint32_t, SHR_32)
PTO_MAP_BINARY(shr_s64, int64_t, SHR_64)
PTO_MAP_BINARY(shr_u64, uint64_t, SHR_64)

/* Bytes by one count: eight in a word, since there is no vector shift of bytes. */
typedef uint64_t __attribute__((aligned(1), may_alias)) byte_word;
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (uint8_t)(byte))
#define BYTE_LOOP(name, T, WORD, BYTE)                                                                       \
    static void name(void *dst, const void *a, const void *b, int64_t n, const void *extra) {                \
        (void)extra;                                                                                         \
        const unsigned k = *(const uint8_t *)b & 7u;                                                         \
        const uint64_t low = EIGHT(0xFFu >> k), high = EIGHT(0xFFu << k & 0xFFu),                            \
                       top = EIGHT(0xFFu ^ 0xFFu >> k);                                                      \
        (void)low, (void)high, (void)top;                                                                    \
        byte_word *to = dst;                                                                                 \
        const byte_word *from = a;                                                                           \
        _Pragma("omp simd") for (int64_t i = 0; i < n / 8; i++) to[i] = WORD(from[i]);                       \
        T *d = dst;                                                                                          \
        const T *x = a;                                                                                      \
        for (int64_t i = n / 8 * 8; i < n; i++)                                                              \
            d[i] = BYTE(x[i], (T)k);                                                                         \
    }
#define SHL_WORD(x) ((x) << k & high)
#define SHR_WORD(x) ((x) >> k & low)
/* 0x01 of every negative byte, spread over it */
#define SIGNS(x) (((x) >> 7 & EIGHT(1)) << 8) - ((x) >> 7 & EIGHT(1))
#define SHR_SIGNED_WORD(x) (SHR_WORD(x) | ((SIGNS(x)) & top))
BYTE_LOOP(shl_8_ts, uint8_t, SHL_WORD, SHL_8)
BYTE_LOOP(shr_u8_ts, uint8_t, SHR_WORD, SHR_U8)
BYTE_LOOP(shr_s8_ts, int8_t, SHR_SIGNED_WORD, SHR_S8)

#define OPS(form)                                                                                            \
    static const pto_map_op shl_##form = {.loop = {[PTO_S8] = shl_8_##form,                                  \
                                                   [PTO_U8] = shl_8_##form,                                  \
                                                   [PTO_S16] = shl_16_##form,                                \
                                                   [PTO_U16] = shl_16_##form,                                \
                                                   [PTO_S32] = shl_32_##form,                                \
                                                   [PTO_U32] = shl_32_##form,                                \
                                                   [PTO_S64] = shl_64_##form,                                \
                                                   [PTO_U64] = shl_64_##form},                               \
                                          .exact = PTO_EXACT_SHL};                                           \
    static const pto_map_op shr_##form = {.loop = {[PTO_S8] = shr_s8_##form,                                 \
                                                   [PTO_U8] = shr_u8_##form,                                 \
                                                   [PTO_S16] = shr_s16_##form,                               \
                                                   [PTO_U16] = shr_u16_##form,                               \
                                                   [PTO_S32] = shr_s32_##form,                               \
                                                   [PTO_U32] = shr_u32_##form,                               \
                                                   [PTO_S64] = shr_s64_##form,                               \
                                                   [PTO_U64] = shr_u64_##form},                              \
                                          .exact = PTO_EXACT_SHR};
OPS(tt)
OPS(ts)

#define KERNELS(name)                                                                                        \
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

KERNELS(shl)
KERNELS(shr)
