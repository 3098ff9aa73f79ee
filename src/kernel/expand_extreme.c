/* SPDX-License-Identifier: Apache-2.0 */
/* TROWEXPAND and TCOLEXPAND with MAX, MIN (part 20, 4.1; N5): any NaN gives the canonical NaN, -0 < +0. */
#include "kernel/expand.h"
#include "kernel/formulas.h"

#define OP(name, NAME)                                                                                       \
    EXPAND_MAP(name##_s8, int8_t, PTO_##NAME)                                                                \
    EXPAND_MAP(name##_u8, uint8_t, PTO_##NAME)                                                               \
    EXPAND_MAP(name##_s16, int16_t, PTO_##NAME)                                                              \
    EXPAND_MAP(name##_u16, uint16_t, PTO_##NAME)                                                             \
    EXPAND_MAP(name##_s32, int32_t, PTO_##NAME)                                                              \
    EXPAND_MAP(name##_u32, uint32_t, PTO_##NAME)                                                             \
    EXPAND_MAP(name##_f16, int16_t, PTO_##NAME##_F16)                                                        \
    EXPAND_MAP(name##_bf16, int16_t, PTO_##NAME##_BF16)                                                      \
    EXPAND_MAP(name##_f32, float, PTO_##NAME##_F32)                                                          \
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
