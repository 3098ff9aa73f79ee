/* SPDX-License-Identifier: Apache-2.0 */
/* TSHL TSHR and TSHLS TSHRS (10, 4.2; 20, 2): the count counts modulo the width of the element; right shifts
 * are arithmetic for signed types. */
#include "kernel/map.h"

/* Narrow elements are shifted in 32 bits. */
#define SHL_8(x, y) ((uint8_t)((unsigned)(x) << ((y)&7u)))
#define SHL_16(x, y) ((uint16_t)((unsigned)(x) << ((y)&15u)))
#define SHL_32(x, y) ((x) << ((y)&31u))
#define SHL_64(x, y) ((x) << ((y)&63u))
#define SHR_S8(x, y) ((int8_t)((x) >> ((y)&7)))
#define SHR_S16(x, y) ((int16_t)((x) >> ((y)&15)))
#define SHR_U8(x, y) ((uint8_t)((x) >> ((y)&7)))
#define SHR_U16(x, y) ((uint16_t)((x) >> ((y)&15)))
#define SHR_32(x, y) ((x) >> ((y)&31))
#define SHR_64(x, y) ((x) >> ((y)&63))

PTO_MAP_BINARY(shl_8, uint8_t, SHL_8)
PTO_MAP_BINARY(shl_16, uint16_t, SHL_16)
PTO_MAP_BINARY(shl_32, uint32_t, SHL_32)
PTO_MAP_BINARY(shl_64, uint64_t, SHL_64)
PTO_MAP_BINARY(shr_s8, int8_t, SHR_S8)
PTO_MAP_BINARY(shr_u8, uint8_t, SHR_U8)
PTO_MAP_BINARY(shr_s16, int16_t, SHR_S16)
PTO_MAP_BINARY(shr_u16, uint16_t, SHR_U16)
PTO_MAP_BINARY(shr_s32, int32_t, SHR_32)
PTO_MAP_BINARY(shr_u32, uint32_t, SHR_32)
PTO_MAP_BINARY(shr_s64, int64_t, SHR_64)
PTO_MAP_BINARY(shr_u64, uint64_t, SHR_64)

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
